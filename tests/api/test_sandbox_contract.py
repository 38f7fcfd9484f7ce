# SPDX-License-Identifier: Apache-2.0
"""The sandbox contract (design.md 5), sentence by sentence as far as it can be seen from outside: ledger, log, faults,
reset, clock, consent, redirects, secrets, the page for people. Calls go to the platforms' own paths without the service."""
import base64
import hashlib
import json
import re
import time
import urllib.parse

import pytest
import requests

from harness import HTTP_S, INSTANT, PLATFORMS, Form, Sandbox, marker, query_of

REDIRECT = "http://127.0.0.1:3999/back"


@pytest.fixture(scope="module")
def box():
    """A sandbox of this file's own: it is reset and its clock is moved."""
    with Sandbox() as process:
        yield process


@pytest.fixture(autouse=True)
def clean(box):
    box.reset()


def get(box, path, **more):
    return requests.get(box.url + path, allow_redirects=False, timeout=HTTP_S, **more)


def post(box, path, **more):
    return requests.post(box.url + path, allow_redirects=False, timeout=HTTP_S, **more)


# ---- a short X client, to have something to look at ----

VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def x_authorize_path(**more):
    query = {"client_id": "sandbox-x", "redirect_uri": REDIRECT, "response_type": "code", "state": "s t&a=te",
             "scope": "tweet.read tweet.write users.read media.write offline.access",
             "code_challenge": CHALLENGE, "code_challenge_method": "S256", **more}
    return "/x.com/i/oauth2/authorize?" + urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})


def x_code(box):
    answer = get(box, x_authorize_path(sandbox_decision="allow"))
    assert answer.status_code in (302, 303), answer.text
    return query_of(answer.headers["Location"])["code"]


def x_exchange(box, code, secret="sandbox-secret-x", client_id="sandbox-x", **more):
    data = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER, "client_id": client_id, **more}
    return post(box, "/api.x.com/2/oauth2/token", data=data, auth=(client_id, secret))


def x_token(box):
    answer = x_exchange(box, x_code(box))
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def tweet(box, token, text, timeout=HTTP_S, **more):
    url, headers = box.url + "/api.x.com/2/tweets", {"Authorization": f"Bearer {token}"}
    return requests.post(url, json={"text": text, **more}, headers=headers, timeout=timeout)


# ---- ready line, routing ----


def test_ready_line(box):
    assert f"posthorn sandbox: listening on {box.url}" in box.stderr().splitlines()


def test_first_segment_is_the_host(box):
    assert get(box, "/api.x.com/2/users/me").status_code == 401
    assert get(box, "/no.such.host/2/users/me").status_code == 404
    assert get(box, "/api.x.com/no/such/path").status_code == 404


# ---- app credentials ----

CHECKS = {
    "x": lambda box, i, s: post(box, "/api.x.com/2/oauth2/token", data={"grant_type": "refresh_token", "refresh_token": "junk", "client_id": i}, auth=(i, s)),
    "facebook": lambda box, i, s: get(box, "/graph.facebook.com/v25.0/oauth/access_token", params={"client_id": i, "client_secret": s, "grant_type": "client_credentials"}),
    "instagram": lambda box, i, s: get(box, "/graph.facebook.com/v25.0/oauth/access_token", params={"client_id": i, "client_secret": s, "grant_type": "client_credentials"}),
    "linkedin": lambda box, i, s: post(box, "/www.linkedin.com/oauth/v2/accessToken", data={"grant_type": "client_credentials", "client_id": i, "client_secret": s}),
    "youtube": lambda box, i, s: post(box, "/oauth2.googleapis.com/token", data={"grant_type": "authorization_code", "code": "junk", "client_id": i, "client_secret": s, "redirect_uri": REDIRECT}),
    "tiktok": lambda box, i, s: post(box, "/open.tiktokapis.com/v2/oauth/token/", data={"grant_type": "client_credentials", "client_key": i, "client_secret": s}),
}


@pytest.mark.parametrize("slug", PLATFORMS)
def test_app_credentials(box, slug):
    """Its own id and secret are taken; another platform's secret, or id, is that platform's error."""
    good = CHECKS[slug](box, f"sandbox-{slug}", f"sandbox-secret-{slug}")
    other = "youtube" if slug != "youtube" else "x"
    for client_id, secret in ((f"sandbox-{slug}", "wrong"), ("nobody", f"sandbox-secret-{slug}"), (f"sandbox-{slug}", f"sandbox-secret-{other}"),
                              (f"sandbox-{other}", f"sandbox-secret-{other}")):
        wrong = CHECKS[slug](box, client_id, secret)
        assert (wrong.status_code, wrong.text) != (good.status_code, good.text), (client_id, secret)
        assert wrong.status_code in (200, 400, 401) and "error" in wrong.text
        assert "access_token" not in wrong.text


# ---- consent ----


def test_consent_page_is_a_form(box):
    page = get(box, x_authorize_path())
    assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    form = Form(page.url, page.text)
    assert {value for _, value in form.buttons} == {"allow", "deny"}
    allowed = form.submit("allow")
    query = query_of(allowed.headers["Location"])
    assert allowed.headers["Location"].startswith(REDIRECT + "?")
    assert query["state"] == "s t&a=te" and query["code"]
    denied = query_of(form.submit("deny").headers["Location"])
    assert denied["error"] == "access_denied" and denied["state"] == "s t&a=te" and "code" not in denied


@pytest.mark.parametrize("decision, key", [("allow", "code"), ("deny", "error")])
def test_decision_for_scripts(box, decision, key):
    answer = get(box, x_authorize_path(sandbox_decision=decision))
    assert key in query_of(answer.headers["Location"])


def test_redirect_uris(box):
    """Any loopback address is registered, nothing else."""
    for good in ("http://localhost:1/x", "http://127.0.0.9/", "http://[::1]:8080/cb"):
        assert get(box, x_authorize_path(redirect_uri=good)).status_code == 200, good
    for bad in ("https://example.com/", "http://127.0.0.1.example.com/", "javascript:alert(1)", "http://localhost/#f"):
        answer = get(box, x_authorize_path(redirect_uri=bad, sandbox_decision="allow"))
        assert answer.status_code >= 400 and "Location" not in answer.headers, bad


@pytest.mark.parametrize("more", [{"client_id": "nobody"}, {"response_type": "token"}, {"code_challenge": None, "code_challenge_method": None}])
def test_bad_authorize_requests_never_redirect_with_a_code(box, more):
    answer = get(box, x_authorize_path(sandbox_decision="allow", **more))
    assert "code=" not in answer.headers.get("Location", "")


def test_codes_work_once_and_not_for_long(box):
    code = x_code(box)
    assert x_exchange(box, code).status_code == 200
    assert x_exchange(box, code).status_code == 400
    late = x_code(box)
    box.advance(31)  # X: thirty seconds
    assert x_exchange(box, late).status_code == 400


def test_code_is_bound(box):
    assert x_exchange(box, x_code(box), code_verifier="w" * 50).status_code == 400
    assert x_exchange(box, x_code(box), redirect_uri="http://127.0.0.1:3999/other").status_code == 400
    assert x_exchange(box, "junk").status_code == 400


def test_tokens_expire_and_refresh_tokens_rotate(box):
    first = x_exchange(box, x_code(box)).json()
    assert tweet(box, first["access_token"], marker()).status_code == 201
    box.advance(7201)
    assert tweet(box, first["access_token"], marker()).status_code == 401

    def refresh(token):
        data = {"grant_type": "refresh_token", "refresh_token": token, "client_id": "sandbox-x"}
        return post(box, "/api.x.com/2/oauth2/token", data=data, auth=("sandbox-x", "sandbox-secret-x"))

    second = refresh(first["refresh_token"])
    assert second.status_code == 200 and second.json()["refresh_token"] != first["refresh_token"]
    assert refresh(first["refresh_token"]).status_code == 400
    assert tweet(box, second.json()["access_token"], marker()).status_code == 201


# ---- ledger ----


def test_ledger(box):
    token = x_token(box)
    text = marker("ledger")
    first = tweet(box, token, text).json()["data"]["id"]
    second = tweet(box, token, text + " reply", reply={"in_reply_to_tweet_id": first}).json()["data"]["id"]
    posts = get(box, "/_sandbox/ledger").json()
    assert set(posts) == {"posts"}
    entries = posts["posts"]
    assert [entry["id"] for entry in entries] == [first, second]
    for entry in entries:
        assert set(entry) == {"platform", "account_id", "id", "type", "text", "media", "reply_to", "url", "created_at"}
        assert entry["platform"] == "x" and INSTANT.match(entry["created_at"]) and entry["media"] == []
    assert [entry["reply_to"] for entry in entries] == [None, first]
    assert [entry["text"] for entry in entries] == [text, text + " reply"]


def test_refused_posts_are_not_in_the_ledger(box):
    token = x_token(box)
    text = marker("twice")
    assert tweet(box, token, text).status_code == 201
    assert tweet(box, token, text).status_code == 403  # duplicate content
    assert tweet(box, token, "x" * 281).status_code >= 400
    assert tweet(box, "junk", marker()).status_code == 401
    assert len(box.ledger()) == 1


def test_links_are_shown_as_written(box):
    token = x_token(box)
    text = f"{marker()} https://example.com/some/long/path?with=query"
    assert tweet(box, token, text).status_code == 201
    assert box.ledger()[0]["text"] == text


# ---- log ----


def test_log(box):
    token = x_token(box)
    text = marker("log")
    tweet(box, token, text)
    entry = box.log("api.x.com", "/2/tweets", "POST")[-1]
    assert {"at", "method", "host", "path", "headers", "body", "status"} <= set(entry)
    assert (entry["method"], entry["host"], entry["path"], entry["status"]) == ("POST", "api.x.com", "/2/tweets", 201)
    assert INSTANT.match(entry["at"]) and json.loads(entry["body"]) == {"text": text}
    assert all(name == name.lower() for name in entry["headers"])
    assert entry["headers"]["authorization"] == "Bearer ***"


def test_log_keeps_the_query_and_order(box):
    get(box, "/api.x.com/2/users/me?user.fields=id,name")
    get(box, "/api.x.com/2/nothing?a=b")
    assert [entry["path"] for entry in box.log()] == ["/2/users/me?user.fields=id,name", "/2/nothing?a=b"]
    assert [entry["status"] for entry in box.log()] == [401, 404]


def test_secrets_are_replaced(box):
    code = x_code(box)
    tokens = x_exchange(box, code).json()
    tweet(box, tokens["access_token"], marker())
    get(box, "/graph.facebook.com/v25.0/me", params={"access_token": "EAAsecretsecret"})
    post(box, "/www.linkedin.com/oauth/v2/accessToken", data={"client_id": "sandbox-linkedin", "client_secret": "sandbox-secret-linkedin", "grant_type": "client_credentials"})
    text = get(box, "/_sandbox/log").text
    for secret in (code, tokens["access_token"], tokens["refresh_token"], "EAAsecretsecret", "sandbox-secret-linkedin", VERIFIER,
                   base64.b64encode(b"sandbox-x:sandbox-secret-x").decode()):
        assert secret not in text, secret
    assert "Basic ***" in text and "access_token=***" in text and "client_secret=***" in text


def test_bodies_in_the_log(box):
    """Whole up to 64 KiB, else digest and length; bytes that are no text as base64."""
    token = x_token(box)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
    post(box, "/api.x.com/2/tweets", data=b"y" * 65536, headers=headers)
    post(box, "/api.x.com/2/tweets", data=b"y" * 65537, headers=headers)
    post(box, "/api.x.com/2/tweets", data=b"\xff\xfe\x00", headers=headers)
    whole, digest, binary = box.log("api.x.com", "/2/tweets")
    assert whole["body"] == "y" * 65536
    assert "body" not in digest and len(digest["body_sha256"]) == 64
    assert base64.b64decode(binary["body_base64"]) == b"\xff\xfe\x00"


# ---- faults ----


def fault(box, effect, **more):
    box.fault("x", "POST", "/2/tweets", effect, **more)


def test_fault_status(box):
    token = x_token(box)
    fault(box, "status", status=418, body={"a": [1]}, headers={"X-Teapot": "yes"}, retry_after=7)
    answer = tweet(box, token, marker())
    assert (answer.status_code, answer.json(), answer.headers["X-Teapot"], answer.headers["Retry-After"]) == (418, {"a": [1]}, "yes", "7")
    assert box.ledger() == []
    assert tweet(box, token, marker()).status_code == 201  # once by default


def test_fault_body_may_be_text(box):
    token = x_token(box)
    fault(box, "status", status=502, body="<html>Bad gateway</html>")
    answer = tweet(box, token, marker())
    assert answer.text == "<html>Bad gateway</html>" and answer.status_code == 502


def test_fault_status_after(box):
    token = x_token(box)
    text = marker()
    fault(box, "status_after", status=500)
    assert tweet(box, token, text).status_code == 500
    assert [entry["text"] for entry in box.ledger()] == [text]


@pytest.mark.parametrize("effect, count", [("reset_before", 0), ("reset_after", 1)])
def test_fault_reset(box, effect, count):
    token = x_token(box)
    fault(box, effect)
    with pytest.raises(requests.ConnectionError):
        tweet(box, token, marker())
    assert len(box.ledger()) == count


def test_fault_timeout_after(box):
    token = x_token(box)
    fault(box, "timeout_after")
    with pytest.raises(requests.Timeout):
        tweet(box, token, marker(), timeout=1.5)
    assert len(box.ledger()) == 1


def test_fault_slow(box):
    token = x_token(box)
    fault(box, "slow", retry_after=1)
    begin = time.monotonic()
    assert tweet(box, token, marker()).status_code == 201
    assert time.monotonic() - begin >= 1


@pytest.mark.parametrize("effect", ["truncate", "garbage"])
def test_fault_unreadable(box, effect):
    token = x_token(box)
    fault(box, effect)
    try:
        answer = tweet(box, token, marker())
        with pytest.raises(ValueError):
            answer.json()
    except requests.RequestException:
        pass  # a truncated body may break the connection
    assert len(box.ledger()) == 1


def test_fault_rate_limit(box):
    token = x_token(box)
    fault(box, "rate_limit", retry_after=30)
    answer = tweet(box, token, marker())
    assert answer.status_code == 429
    assert time.time() <= int(answer.headers["x-rate-limit-reset"]) <= time.time() + 60
    assert box.ledger() == []


def test_fault_expire_token(box):
    token = x_token(box)
    fault(box, "expire_token")
    assert tweet(box, token, marker()).status_code == 401
    assert tweet(box, token, marker()).status_code == 401, "the token stays dead"
    assert tweet(box, x_token(box), marker()).status_code == 201


def test_fault_times_and_match(box):
    token = x_token(box)
    box.fault("x", "GET", "/2/tweets", "status", status=500)
    box.fault("facebook", "POST", "/2/tweets", "status", status=500)
    box.fault("x", "POST", "/2/tweet", "status", status=500)
    assert tweet(box, token, marker()).status_code == 201
    box.clear_faults()
    box.fault("x", "POST", "/2/*", "status", status=503, times=2)
    assert [tweet(box, token, marker()).status_code for _ in range(3)] == [503, 503, 201]


def test_star_stays_in_its_segment(box):
    token = x_token(box)
    box.fault("x", "POST", "/*", "status", status=503)
    assert tweet(box, token, marker()).status_code == 201
    box.fault("x", "POST", "/*/tw*ts", "status", status=503)
    assert tweet(box, token, marker()).status_code == 503


def test_faults_are_cleared(box):
    token = x_token(box)
    fault(box, "status", status=500, times=100)
    box.clear_faults()
    assert tweet(box, token, marker()).status_code == 201


@pytest.mark.parametrize("wish", [[], {}, {"effect": "nonsense"}, {"effect": "status", "platform": "myspace"}, {"effect": "status", "status": 99},
                                  {"effect": "status", "times": 0}, {"effect": "status", "matches": {}}, "x"])
def test_bad_faults(box, wish):
    assert post(box, "/_sandbox/faults", json=wish).status_code == 400


# ---- reset and clock ----


def test_reset(box):
    token = x_token(box)
    tweet(box, token, marker())
    fault(box, "status", status=500)
    box.advance(100)
    box.reset()
    assert box.ledger() == [] and box.log() == [] and box.faults() == []
    assert tweet(box, token, marker()).status_code == 401, "tokens are gone"


def test_clock(box):
    before = box.advance(0)["now"]
    after = box.advance(86400)["now"]
    assert INSTANT.match(before) and after[:10] > before[:10]
    token = x_token(box)
    tweet(box, token, marker())
    assert box.ledger()[0]["created_at"] >= after[:19]
    assert post(box, "/_sandbox/clock", json={"advance_s": -1}).status_code == 400


# ---- the page for people ----


def test_feed_page(box):
    token = x_token(box)
    text = marker("<b>feed</b> & \"quoted\"")
    tweet(box, token, text)
    page = get(box, "/")
    assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    assert "<b>feed</b>" not in page.text and text.rsplit(" ", 1)[1] in page.text


def test_feed_page_shows_pictures(app, sandbox, one, media):
    text = marker("picture")
    app.published(one["instagram"], text, media=[media.image()])
    page = get(sandbox, "/").text
    at = page.index(text)
    pictures = re.findall(r'<img[^>]+src="([^"]+)"', page)
    assert pictures, page[max(0, at - 500):at + 500]
    shown = [get(sandbox, path) for path in pictures if path.startswith("/_sandbox/media/")]
    assert any(answer.content == media.picture for answer in shown)


# ---- who is there ----


def test_absolute_urls_point_into_the_sandbox(accounts, sandbox):
    for rows in accounts.values():
        for account in rows:
            assert account["avatar_url"] is None or account["avatar_url"].startswith(sandbox.url + "/")
            if account["avatar_url"]:
                picture = requests.get(account["avatar_url"], timeout=HTTP_S)
                assert picture.status_code == 200 and picture.headers["Content-Type"].startswith("image/")


def test_pulled_media_is_really_fetched(app, sandbox, one, media):
    item = media.image()
    app.published(one["instagram"], marker(), media=[item])
    path = item["url"].removeprefix(media.url)
    assert ("GET", path) in media.requests


def test_two_sandboxes_know_nothing_of_each_other(box, start_sandbox):
    other = start_sandbox()
    token = x_token(box)
    tweet(box, token, marker())
    assert other.ledger() == [] and other.log() == []
    assert tweet(other, token, marker()).status_code == 401


def test_no_directory_is_left(start_sandbox, tmp_path, monkeypatch):
    """Its temporary directory is private, and gone when it ends."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    sandbox = start_sandbox()
    made = [path for path in tmp_path.iterdir() if "posthorn-sandbox" in path.name]
    assert len(made) == 1 and made[0].stat().st_mode & 0o077 == 0
    sandbox.stop()
    assert not made[0].exists()
