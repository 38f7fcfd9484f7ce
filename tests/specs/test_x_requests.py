# SPDX-License-Identifier: Apache-2.0
"""Every request that the X adapter makes in its transcripts is as X's OpenAPI description has it: path, parameters, body. The
transcripts' runner holds the adapter to the transcripts, so what stands there is what is sent."""
import json
import pathlib
import re
import urllib.parse

import pytest

from x_openapi import check_request, spec

TRANSCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "transcripts"
# OAuth is described apart from the API; the timeline by its old names is asked for only where the new ones are refused
# (x.md 0), and X's description has the new ones.
OTHER = ("/2/oauth2/",)
OLD_NAMES = "tweet.fields="


def blocks(text):
    """The '>' blocks of a transcript, without their marks."""
    return [
        [line[1:].lstrip(" ") if line.startswith("> ") else line[1:] for line in block.splitlines()]
        for block in re.findall(r"(?:^>.*\n)+", text + "\n", re.M)
    ]


def parts_of(lines):
    """name=value lines of a multipart body."""
    return dict(re.match(r"([^=]+)=(\S*)", line).groups() for line in lines)


def split_calls(block):
    """A request that was followed by '< status' begins anew at a line with kind=."""
    starts = [number for number, line in enumerate(block) if " kind=" in line]
    return [block[start:end] for start, end in zip(starts, [*starts[1:], len(block)])]


def requests_of(path):
    """(method, url, content type, body, whether the transcript shows all of it)"""
    for block in blocks(path.read_text()):
        for lines in split_calls(block):
            method, url = lines[0].split()[:2]
            query = [tuple(line[1:].split("=", 1)) for line in lines[1:] if re.match(r"\?[^=]+=", line)]
            url += "?" + urllib.parse.urlencode(query) if query else ""
            body = [line for line in lines[lines.index("") + 1 :] if line] if "" in lines else []
            is_multipart = bool(body) and not body[0].startswith("{")
            content = parts_of(body) if is_multipart else json.loads("".join(body)) if body else None
            yield method, url, "multipart/form-data" if is_multipart else "application/json", content


FOUND = [(path.name, *one) for path in sorted(TRANSCRIPTS.glob("x_*.txt")) for one in requests_of(path)]
WHOLE = [
    one for one in FOUND
    if "*" not in one[2] and OLD_NAMES not in one[2] and not urllib.parse.urlsplit(one[2]).path.startswith(OTHER)
]


def test_requests_are_as_x_describes_them():
    spec()
    wrong, checked = [], set()
    for name, method, url, content_type, body in WHOLE:
        path = re.sub(r"(?<=[a-z])/\d+", "/N", urllib.parse.urlsplit(url).path)
        if body is None and method == "POST" and not path.endswith(("/finalize", "/publish")):
            continue  # the transcript looks at the answer only; its body stands in another
        checked.add(f"{method} {path}")
        wrong += [f"{name}: {method} {url}: {line}" for line in check_request(method, url, content_type, body)]
    assert not wrong, "\n".join(wrong)
    assert checked == {
        "GET /2/users/me", "GET /2/users/N/tweets", "POST /2/tweets", "POST /2/media/upload", "GET /2/media/upload",
        "POST /2/media/upload/initialize", "POST /2/media/upload/N/append", "POST /2/media/upload/N/finalize",
        "POST /2/media/metadata", "POST /2/media/subtitles", "POST /2/articles/draft", "POST /2/articles/N/publish",
        "GET /2/tweets/N", "DELETE /2/tweets/N",
    }


@pytest.mark.parametrize("method, url, content_type, body", [
    ("POST", "https://api.x.com/2/tweet", "application/json", {"text": "a"}),
    ("POST", "https://api.x.com/2/tweets", "application/json", {"text": "a", "colour": "red"}),
    ("POST", "https://api.x.com/2/tweets", "application/json", {"text": "a", "reply_settings": "everyone"}),
    ("POST", "https://api.x.com/2/tweets", "application/json", {"media": {"media_ids": []}}),
    ("POST", "https://api.x.com/2/media/upload/1/append", "multipart/form-data", {"media": "@", "segment_index": "1000"}),
    ("POST", "https://api.x.com/2/media/upload/x/finalize", None, None),
    ("POST", "https://api.x.com/2/media/subtitles", "application/json", {"id": "1", "subtitles": {"language_code": "de"}}),
    ("POST", "https://api.x.com/2/media/subtitles", "application/json", {"id": "1", "media_category": "tweet_video"}),
    ("GET", "https://api.x.com/2/media/upload?command=STATUS", None, None),
    ("GET", "https://api.x.com/2/users/1/tweets?tweet.fields=text", None, None),
    ("GET", "https://api.x.com/2/users/1/tweets?max_results=4", None, None),
])
def test_the_check_bites(method, url, content_type, body):
    assert check_request(method, url, content_type, body)
