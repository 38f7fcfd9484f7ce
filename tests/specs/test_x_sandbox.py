# SPDX-License-Identifier: Apache-2.0
"""The simulated X against X's OpenAPI description: each call that the service makes is made of the running sandbox here, and its
answer, also that to each wrong request, is one that X describes. And what the service really sends, request by request, is what X
describes too."""
import base64
import hashlib
import json
import re
import urllib.parse

import pytest
import requests

from harness import App, Sandbox, Service, marker
from x_openapi import check_answer, check_request, spec

VERIFIER = "verifier-verifier-verifier-verifier-verifier-43"
SCOPE = "tweet.read tweet.write users.read media.write offline.access"
CALLBACK = "http://127.0.0.1:9/callback"


class Caller:
    """A user's token at the sandbox; every answer is held against the description."""

    def __init__(self, sandbox):
        self.url = f"{sandbox.url}/api.x.com"
        self.wrong, self.seen = [], set()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
        asked = {"response_type": "code", "client_id": "sandbox-x", "redirect_uri": CALLBACK, "scope": SCOPE, "state": "s",
                 "code_challenge": challenge, "code_challenge_method": "S256", "sandbox_decision": "allow"}
        page = requests.get(f"{sandbox.url}/x.com/i/oauth2/authorize", params=asked, allow_redirects=False, timeout=10)
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(page.headers["Location"]).query)["code"][0]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        token = requests.post(f"{self.url}/2/oauth2/token", data=form, auth=("sandbox-x", "sandbox-secret-x"), timeout=10)
        self.headers = {"Authorization": f"Bearer {token.json()['access_token']}"}

    def __call__(self, method, path, status, **more):
        answer = requests.request(method, self.url + path, headers=self.headers, timeout=10, **more)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        self.seen.add((method, re.sub(r"(?<=[a-z])/\d+", "/N", path.split("?")[0]), status))
        self.wrong += [f"{method} {path} {status}: {line}\n{answer.text}"
                       for line in check_answer(method, path, status, answer.json())]
        for name in ("limit", "remaining", "reset"):
            assert answer.headers.get(f"x-rate-limit-{name}", "").isdigit() or status in (401,), answer.headers
        return answer.json()


@pytest.fixture
def sandbox_of_its_own():
    spec()
    with Sandbox() as process:
        yield process


def image(media):
    return {"media": ("a.jpg", media.picture, "image/jpeg")}


def test_answers_are_as_x_describes_them(sandbox_of_its_own, media):
    sandbox = sandbox_of_its_own
    ask = Caller(sandbox)
    sandbox._call("POST", "/_sandbox/knobs", json={"x_subscription": 2, "x_processing_ms": 0})
    me = ask("GET", "/2/users/me?user.fields=id,name,username,profile_image_url,verified,verified_type,subscription_type", 200)
    user = me["data"]["id"]
    picture = ask("POST", "/2/media/upload", 200, data={"media_category": "tweet_image"}, files=image(media))["data"]["id"]
    ask("POST", "/2/media/metadata", 200, json={"id": picture, "metadata": {"alt_text": {"text": "a"}}})
    begun = {"media_type": "video/mp4", "media_category": "tweet_video", "total_bytes": len(media.video)}
    film = ask("POST", "/2/media/upload/initialize", 200, json=begun)["data"]["id"]
    ask("POST", f"/2/media/upload/{film}/finalize", 400)
    ask("POST", f"/2/media/upload/{film}/append", 200, data={"segment_index": "0"}, files={"media": media.video})
    ask("POST", f"/2/media/upload/{film}/finalize", 200)
    ask("GET", f"/2/media/upload?command=STATUS&media_id={film}", 200)
    ask("GET", "/2/media/upload?command=STATUS&media_id=1", 400)
    words = b"1\n00:00:00,000 --> 00:00:01,000\nHello\n"
    begun = {"media_type": "text/srt", "media_category": "subtitles", "total_bytes": len(words)}
    track = ask("POST", "/2/media/upload/initialize", 200, json=begun)["data"]["id"]
    ask("POST", f"/2/media/upload/{track}/append", 200, data={"segment_index": "0"}, files={"media": words})
    ask("POST", f"/2/media/upload/{track}/finalize", 200)
    bind = {"id": film, "media_category": "TweetVideo", "subtitles": {"id": track, "language_code": "EN", "display_name": "English"}}
    ask("POST", "/2/media/subtitles", 200, json=bind)
    ask("POST", "/2/media/subtitles", 400, json={**bind, "subtitles": {**bind["subtitles"], "language_code": "en"}})
    ask("POST", "/2/media/subtitles", 404, json={**bind, "id": "1"})
    gone = {"id": film, "media_category": "TweetVideo", "language_code": "EN"}
    ask("DELETE", "/2/media/subtitles", 200, json=gone)
    first = ask("POST", "/2/tweets", 201, json={"text": "see https://example.com", "media": {"media_ids": [picture]}})["data"]["id"]
    ask("POST", "/2/tweets", 201, json={"text": "b" * 300, "reply": {"in_reply_to_tweet_id": first}})
    ask("POST", "/2/tweets", 201, json={"media": {"media_ids": [film]}})
    ask("POST", "/2/tweets", 403, json={"text": "see https://example.com"})
    ask("POST", "/2/tweets", 400, json={"text": "a", "colour": 1})
    draft = {"title": "T", "content_state": {"blocks": [{"text": "a", "type": "unstyled"}], "entities": []}}
    article = ask("POST", "/2/articles/draft", 201, json=draft)["data"]["id"]
    ask("POST", "/2/articles/draft", 400, json={})
    ask("POST", f"/2/articles/{article}/publish", 200)
    ask("POST", "/2/articles/1/publish", 404)
    fields = "post.fields=article,attachments,created_at,entities,note_post,text&expansions=referenced_posts"
    listed = ask("GET", f"/2/users/{user}/tweets?max_results=100&{fields}", 200)
    assert len(listed["data"]) == 4
    ask("GET", f"/2/tweets/{first}?{fields}", 200)
    ask("GET", f"/2/tweets?ids={first},1", 200)
    ask("GET", "/2/tweets/1", 404)
    ask("DELETE", f"/2/tweets/{first}", 200)
    sandbox._call("POST", "/_sandbox/knobs", json={"x_subscription": 0, "x_budget_mils": 0})
    ask("POST", "/2/tweets", 402, json={"text": "c"})
    ask.headers = {"Authorization": "Bearer none"}
    ask("GET", "/2/users/me", 401)
    assert not ask.wrong, "\n".join(ask.wrong)


def sent_body(request):
    """(content type, body) of a logged request, as the check wants it."""
    content_type = request["headers"].get("content-type", "").split(";")[0] or None
    if content_type == "multipart/form-data":
        whole = base64.b64decode(request["body_base64"]).decode("latin-1") if "body_base64" in request else request.get("body", "")
        parts = re.findall(r'name="(\w+)"[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([^\r]*)', whole)
        return content_type, dict(parts) if parts else None
    text = request.get("body") or ""
    return (content_type, json.loads(text)) if text else (None, None)


def test_what_is_sent_is_as_x_describes_it(sandbox_of_its_own, tmp_path, media):
    """Every kind of post once, over the wire."""
    sandbox = sandbox_of_its_own
    sandbox._call("POST", "/_sandbox/knobs", json={"x_subscription": 2})
    with Service(tmp_path / "data", sandbox, ["--time-scale", "200"]) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        poll = {"poll": {"options": ["a", "b"], "duration_minutes": 5}, "made_with_ai": True, "reply_settings": "everyone"}
        bodies = [
            {"content": marker("text"), "platforms": {"x": poll}},
            {"content": marker("image"), "media": [media.image(alt_text="a"), media.image()],
             "platforms": {"x": {"tagged_user_ids": ["1"], "media_title": "T"}}},
            {"content": marker("video"), "media": [media.clip()],
             "platforms": {"x": {"captions": [{"url": media.words_url(), "language": "de"}]}}},
            {"containers": [{"content": marker("one")}, {"content": marker("two"), "media": [media.image()]}]},
            {"content": marker("article") + "\n\nSee https://example.com\n---", "type": "article", "media": [media.image()]},
        ]
        for body in bodies:
            app.published(account, **body)
        sandbox.fault("x", "POST", "/2/tweets", "reset_after")
        app.published(account, marker("lost"))
    wrong, seen = [], set()
    for request in sandbox.log(host="api.x.com"):
        if request["path"].startswith("/2/oauth2/"):
            continue
        seen.add(f"{request['method']} " + re.sub(r"(?<=[a-z])/\d+", "/N", request["path"].split("?")[0]))
        content_type, body = sent_body(request)
        if content_type == "multipart/form-data" and body is None:
            continue  # the log keeps no more than the digest of a large body
        wrong += [f"{request['method']} {request['path']}: {line}"
                  for line in check_request(request["method"], request["path"], content_type, body)]
    assert not wrong, "\n".join(wrong)
    assert {"POST /2/articles/N/publish", "GET /2/users/N/tweets", "POST /2/media/metadata", "POST /2/media/subtitles"} <= seen
