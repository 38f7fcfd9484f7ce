# SPDX-License-Identifier: Apache-2.0
"""Every request body that the LinkedIn adapter makes in its transcripts is one that a published client of LinkedIn could have made
(specs/linkedin). The transcripts' runner holds the adapter to the transcripts, so what stands there is what is sent."""
import json
import pathlib
import urllib.parse

import pytest

from linkedin_types import SPECS, check_object, required, types
from test_x_requests import requests_of

TRANSCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "transcripts"
BODIES = {
    "/rest/posts": "posts/Post",
    "/rest/images?action=initializeUpload": "images/InitializeUploadRequestBody",
    "/rest/documents?action=initializeUpload": "images/InitializeUploadRequestBody",  # the same body (linkedin.md 2.5)
    "/rest/videos?action=initializeUpload": "videos/InitializeUploadRequest",
    "/rest/videos?action=finalizeUpload": "videos/FinalizeUploadRequest",
    "/rest/socialActions/*/comments": "social/actions/CommentAction",
}
READS = {"/rest/posts", "/rest/posts/*", "/rest/images/*", "/rest/documents/*", "/rest/videos/*", "/rest/organizationAcls",
         "/rest/organizations/*", "/rest/socialActions/*/comments"}
# Required by the service and not by that SDK's annotations, which stand at the inner class (linkedin.md 2.2 to 2.6).
INNER = {"images/InitializeUploadRequestBody": ("initializeUploadRequest", ["owner"]),
         "videos/InitializeUploadRequest": ("initializeUploadRequest", ["owner", "fileSizeBytes"]),
         "videos/FinalizeUploadRequest": ("finalizeUploadRequest", ["video", "uploadToken", "uploadedPartIds"])}


def key_of(url):
    parts = urllib.parse.urlsplit(url)
    path = "/".join("*" if "%3A" in word or word.isdigit() else word for word in parts.path.split("/"))
    return path, path + (f"?{parts.query}" if parts.query.startswith("action=") else "")


def problems_of(name, body):
    lines = check_object(body, name)
    if name in INNER:
        outer, inner = INNER[name]
        return lines + [f"{key} is missing" for key in inner if key not in body.get(outer, {})]
    return lines + [f"{key} is missing" for key in required(name) if key not in body]


def found():
    for path in sorted(TRANSCRIPTS.glob("linkedin_*.txt")):
        for method, url, _, body in requests_of(path):
            if url.startswith("https://api.linkedin.com/rest/") and not url.endswith("*"):
                yield path.name, method, url, body


def test_requests_are_as_a_published_client_makes_them():
    types()
    wrong, checked = [], set()
    for name, method, url, body in found():
        path, action = key_of(url)
        if method == "GET":
            wrong += [] if path in READS else [f"{name}: GET {path}"]
        elif body is not None:
            checked.add(action)
            wrong += [f"{name}: {action}: {line}" for line in problems_of(BODIES[action], body)]
    assert not wrong, "\n".join(wrong)
    assert checked == set(BODIES)


def test_content_is_one_kind():
    """A union of which exactly one member may be there (linkedin.md 2.2)."""
    kinds = set()
    for name, method, url, body in found():
        if method == "POST" and url.endswith("/rest/posts") and body and "content" in body:
            assert len(body["content"]) == 1 and "reshareContext" not in body, name
            kinds |= set(body["content"])
    assert kinds == {"media", "multiImage", "article", "poll"}


@pytest.mark.parametrize("sample, name", [
    ("sample_post.json", "posts/Post"),
    ("sample_finalizeVideoUploadRequest.json", "videos/FinalizeUploadRequest"),
    ("sample_initializeUploadRequest.json", "images/InitializeUploadRequestBody"),
])
def test_the_check_takes_the_clients_own_samples(sample, name):
    types()
    assert check_object(json.loads((SPECS / sample).read_text()), name) == []


GOOD = {"author": "urn:li:person:a", "commentary": "t", "visibility": "PUBLIC", "lifecycleState": "PUBLISHED",
        "distribution": {"feedDistribution": "MAIN_FEED"}}


@pytest.mark.parametrize("change", [
    {"author": "person"}, {"visibility": "ALL"}, {"colour": "red"}, {"distribution": {"feedDistribution": "HERE"}},
    {"content": {"media": {"id": 7}}}, {"content": {"multiImage": {"images": {"id": "urn:li:image:1"}}}},
    {"content": {"poll": {"options": ["a"]}}}, {"content": {"poll": {"settings": {"duration": "EVER"}}}}, {"commentary": None},
    {"isReshareDisabledByAuthor": "no"},
])
def test_the_check_bites(change):
    types()
    assert problems_of("posts/Post", GOOD) == []
    assert problems_of("posts/Post", {**GOOD, **change})
