# SPDX-License-Identifier: Apache-2.0
"""Every request that the TikTok adapter makes in its transcripts is as the transcribed reference has it: path, method, body
member by member, and the arithmetic of chunks. The transcripts' runner holds the adapter to the transcripts, so what stands there
is what is sent."""
import json
import pathlib
import urllib.parse

import pytest

from test_x_requests import requests_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRANSCRIPTS = ROOT / "tests" / "transcripts"
FILE = ROOT.parent / "shared" / "specs" / "tiktok" / "content-posting.schema.json"
API = "open.tiktokapis.com"
OTHER = ("/v2/oauth/", "/v2/video/list/")  # not in the transcribed pages


def spec():
    if not FILE.exists():
        pytest.skip(f"no {FILE}")
    pytest.importorskip("jsonschema")
    return json.loads(FILE.read_text())


def chunk_complaints(source):
    if source.get("source") != "FILE_UPLOAD":
        return []
    size, chunk, count = source["video_size"], source["chunk_size"], source["total_chunk_count"]
    found = [] if count == max(size // chunk, 1) else [f"{size} in chunks of {chunk} are not {count}"]
    return found if chunk == size or 5_242_880 <= chunk <= 64_000_000 else [*found, f"a chunk of {chunk}"]


def complaints(document, method, url, body):
    import jsonschema

    path = urllib.parse.urlsplit(url).path
    operation = document["operations"].get(path)
    if operation is None or operation["method"] != method:
        return ["there is no such operation"]
    schema = operation.get("body")
    if schema is None or body is None:
        return []
    validator = jsonschema.Draft202012Validator({**schema, "$defs": document["$defs"]})
    return [error.message for error in validator.iter_errors(body)] + chunk_complaints(body.get("source_info", {}))


def found_requests():
    for path in sorted(TRANSCRIPTS.glob("tiktok_*.txt")):
        for method, url, kind, body in requests_of(path):
            split = urllib.parse.urlsplit(url)
            if split.netloc == API and not split.path.startswith(OTHER) and "*" not in url and kind == "application/json":
                yield path.name, method, url, body


def test_requests_are_as_tiktok_describes_them():
    document = spec()
    wrong, bodies = [], set()
    for name, method, url, body in found_requests():
        if body is not None:
            bodies.add(urllib.parse.urlsplit(url).path)
        wrong += [f"{name}: {method} {url}: {line}" for line in complaints(document, method, url, body)]
    assert not wrong, "\n".join(wrong)
    assert bodies >= {"/v2/post/publish/video/init/", "/v2/post/publish/content/init/", "/v2/post/publish/status/fetch/"}, bodies


FINE = {"privacy_level": "SELF_ONLY"}


@pytest.mark.parametrize("path, body", [
    ("/v2/post/publish/video/start/", {}),
    ("/v2/post/publish/video/init/", {"post_info": FINE}),
    ("/v2/post/publish/video/init/", {"post_info": {"privacy_level": "EVERYONE"}, "source_info": {"source": "PULL_FROM_URL", "video_url": "https://a"}}),
    ("/v2/post/publish/video/init/",
     {"post_info": FINE, "source_info": {"source": "FILE_UPLOAD", "video_size": 64_000_001, "chunk_size": 10_000_000, "total_chunk_count": 7}}),
    ("/v2/post/publish/content/init/",
     {"post_info": {**FINE, "is_aigc": True}, "media_type": "PHOTO", "post_mode": "DIRECT_POST",
      "source_info": {"source": "PULL_FROM_URL", "photo_cover_index": 0, "photo_images": ["https://a"]}}),
    ("/v2/post/publish/status/fetch/", {"publish_id": 7}),
])
def test_the_check_bites(path, body):
    assert complaints(spec(), "POST", f"https://{API}{path}", body)
