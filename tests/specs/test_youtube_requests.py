# SPDX-License-Identifier: Apache-2.0
"""Every request that the YouTube adapter makes in its transcripts is as Google's discovery document has it: method, path, query
parameters, body member by member, and every part of the body named in "part". The transcripts' runner holds the adapter to the
transcripts, so what stands there is what is sent."""
import json
import pathlib
import urllib.parse

import pytest

from test_x_requests import requests_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRANSCRIPTS = ROOT / "tests" / "transcripts"
FILE = ROOT.parent / "shared" / "specs" / "youtube-v3.schema.json"
API = "www.googleapis.com"


def spec():
    if not FILE.exists():
        pytest.skip(f"no {FILE}")
    pytest.importorskip("jsonschema")
    return json.loads(FILE.read_text())


def method_of(document, http_method, path):
    """By the path, also that of uploads."""
    for method in document["methods"]:
        if method["httpMethod"] == http_method and path in (method["path"], method.get("uploadPath")):
            return method
    return None


def strict(document, name):
    """The schema of that name in which a member that Google does not know is an error."""
    import jsonschema

    schemas = json.loads(json.dumps(document["schemas"]))
    for schema in schemas.values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    return jsonschema.Draft4Validator({"$ref": f"#/schemas/{name}", "schemas": schemas})


def complaints(document, http_method, url, body):
    split = urllib.parse.urlsplit(url)
    query = dict(urllib.parse.parse_qsl(split.query))
    method = method_of(document, http_method, split.path)
    if method is None:
        return ["there is no such method"]
    known = {*method["params"], *document["standardParams"]}
    found = [f"unknown parameter {name}" for name in query if name not in known]
    found += [f"parameter {name} is missing" for name in method["requiredParams"] if name not in query]
    if body is None:
        return found
    found += [error.message for error in strict(document, method["request"]).iter_errors(body)]
    return found + [f"{part} is not named in part" for part in body if part not in query.get("part", "").split(",")]


def found_requests():
    for path in sorted(TRANSCRIPTS.glob("youtube_*.txt")):
        for method, url, kind, body in requests_of(path):
            split = urllib.parse.urlsplit(url)
            # A session's address is Google's own, and tokens are described elsewhere.
            if split.netloc == API and "*" not in url and "upload_id" not in split.query and kind == "application/json":
                yield path.name, method, url, body


def test_requests_are_as_google_describes_them():
    document = spec()
    wrong, checked = [], set()
    for name, method, url, body in found_requests():
        checked.add(f"{method} {urllib.parse.urlsplit(url).path}")
        wrong += [f"{name}: {method} {url}: {line}" for line in complaints(document, method, url, body)]
    assert not wrong, "\n".join(wrong)
    assert checked >= {
        "GET /youtube/v3/channels", "POST /upload/youtube/v3/videos", "GET /youtube/v3/videos", "POST /youtube/v3/commentThreads",
        "GET /youtube/v3/commentThreads", "GET /youtube/v3/playlistItems",
    }, checked


@pytest.mark.parametrize("method, url, body", [
    ("POST", f"https://{API}/upload/youtube/v3/video?part=snippet", {"snippet": {"title": "a"}}),
    ("POST", f"https://{API}/upload/youtube/v3/videos?part=snippet&colour=red", {"snippet": {"title": "a"}}),
    ("POST", f"https://{API}/upload/youtube/v3/videos", {"snippet": {"title": "a"}}),
    ("POST", f"https://{API}/upload/youtube/v3/videos?part=snippet", {"snippet": {"headline": "a"}}),
    ("POST", f"https://{API}/upload/youtube/v3/videos?part=snippet", {"status": {"privacyStatus": "public"}}),
    ("POST", f"https://{API}/upload/youtube/v3/videos?part=status", {"status": {"embeddable": "yes"}}),
])
def test_the_check_bites(method, url, body):
    assert complaints(spec(), method, url, body)
