# SPDX-License-Identifier: Apache-2.0
"""Endpoint 2, GET /v1/oauth/{platform}/connect, and its JSON twin POST /v1/accounts/connect: where the user is sent."""
import re
import sqlite3

import pytest

from harness import CUSTOMER_URL, PLATFORM_IDS, PLATFORMS, App, check_error, query_of

GOOD = {"user_id": "user-1", "redirect_url": CUSTOMER_URL}

# host and path of the consent page behind the sandbox, name of the client id, PKCE
AUTHORIZE = {
    "instagram": ("/www.facebook.com/v25.0/dialog/oauth", "client_id", None),
    "facebook": ("/www.facebook.com/v25.0/dialog/oauth", "client_id", None),
    "x": ("/x.com/i/oauth2/authorize", "client_id", 43),
    "linkedin": ("/www.linkedin.com/oauth/v2/authorization", "client_id", None),
    "youtube": ("/accounts.google.com/o/oauth2/v2/auth", "client_id", 43),
    "tiktok": ("/www.tiktok.com/v2/auth/authorize/", "client_key", 64),
}
SCOPES = {
    "instagram": {"instagram_basic", "instagram_content_publish", "pages_show_list"},
    "facebook": {"pages_show_list", "pages_manage_posts", "pages_read_engagement"},
    "x": {"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"},
    "linkedin": {"w_member_social"},
    "youtube": {"https://www.googleapis.com/auth/youtube.upload"},
    "tiktok": {"video.publish"},
}


def get(app, slug="x", drop=(), **more):
    parameters = {name: value for name, value in {**GOOD, **more}.items() if name not in drop}
    return app.get(f"/v1/oauth/{slug}/connect", params=parameters)


def post(app, drop=(), **more):
    body = {name: value for name, value in {"platform": "x", **GOOD, **more}.items() if name not in drop}
    return app.post("/v1/accounts/connect", json=body)


def check_begun(answer):
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {"redirect_url", "connection_id"}
    assert re.fullmatch(r"conn_[0-9a-f]{32}", body["connection_id"])
    return body


# ---- success ----


@pytest.mark.parametrize("slug", PLATFORMS)
def test_authorize_url(app, sandbox, service, slug):
    path, client_id_name, challenge_length = AUTHORIZE[slug]
    begun = check_begun(get(app, slug))
    url = begun["redirect_url"]
    assert url.split("?")[0] == sandbox.url + path
    query = query_of(url)
    assert query[client_id_name] == f"sandbox-{slug}"
    assert query["redirect_uri"] == f"{service.url}/v1/oauth/{slug}/callback"
    assert query["response_type"] == "code"
    assert len(query["state"]) >= 43  # 256 bits
    assert SCOPES[slug] <= set(re.split("[ ,]", query["scope"]))
    if challenge_length:
        assert query["code_challenge_method"] == "S256"
        assert len(query["code_challenge"]) == challenge_length
    else:
        assert "code_challenge" not in query
    assert "user-1" not in url and "secret" not in url


def test_every_call_begins_anew(app):
    first, second = (check_begun(get(app)) for _ in range(2))
    assert first["connection_id"] != second["connection_id"]
    assert query_of(first["redirect_url"])["state"] != query_of(second["redirect_url"])["state"]
    assert query_of(first["redirect_url"])["code_challenge"] != query_of(second["redirect_url"])["code_challenge"]


def test_both_prefixes(app):
    assert app.get("/api/v1/oauth/x/connect", params=GOOD).status_code == 200
    assert app.post("/api/v1/accounts/connect", json={"platform": "x", **GOOD}).status_code == 200


@pytest.mark.parametrize("slug", PLATFORMS)
def test_post_answers_the_same(app, sandbox, slug):
    begun = check_begun(post(app, platform=slug))
    assert begun["redirect_url"].split("?")[0] == sandbox.url + AUTHORIZE[slug][0]


def test_twitter_is_x(app, sandbox):
    for begun in (check_begun(get(app, "twitter")), check_begun(post(app, platform="twitter"))):
        assert begun["redirect_url"].startswith(f"{sandbox.url}/x.com/")
        assert query_of(begun["redirect_url"])["redirect_uri"].endswith("/v1/oauth/x/callback")


def test_name_and_email_are_optional(app):
    check_begun(get(app, name="Jo Doe", email="jo@example.com"))
    check_begun(post(app, name="Jo Doe", email="jo@example.com"))
    check_begun(post(app, name=None, email=None))


@pytest.mark.parametrize("user_id", ["u", "x" * 255, "a b", "ünï", "日本", "a+b&c=d", "x@y.z"])
def test_user_ids(app, user_id):
    for begun in (check_begun(get(app, user_id=user_id)), check_begun(post(app, user_id=user_id))):
        assert app.accounts_of  # the id itself is looked at in test_accounts.py
        assert begun["connection_id"]


# ---- 404 PLATFORM_NOT_FOUND ----


@pytest.mark.parametrize("slug", ["myspace", "X", "Facebook", "instagram ", "threads", "3"])
def test_platform_not_found(app, slug):
    check_error(get(app, slug), 404, "PLATFORM_NOT_FOUND")
    check_error(post(app, platform=slug), 404, "PLATFORM_NOT_FOUND")


def test_platform_comes_before_parameters(app):
    check_error(app.get("/v1/oauth/myspace/connect"), 404, "PLATFORM_NOT_FOUND")
    check_error(app.post("/v1/accounts/connect", json={"platform": "myspace"}), 404, "PLATFORM_NOT_FOUND")


# ---- 400 MISSING_PARAMETERS ----

MISSING = {
    "user_id": (["user_id"], {}, ["user_id"]),
    "redirect_url": (["redirect_url"], {}, ["redirect_url"]),
    "both": (["user_id", "redirect_url"], {}, ["user_id", "redirect_url"]),
    "empty user_id": ([], {"user_id": ""}, ["user_id"]),
    "empty redirect_url": ([], {"redirect_url": ""}, ["redirect_url"]),
    "user_id of 256 bytes": ([], {"user_id": "x" * 256}, ["user_id"]),
    "user_id of 129 two-byte letters": ([], {"user_id": "ü" * 128}, ["user_id"]),
}


@pytest.mark.parametrize("drop, more, fields", MISSING.values(), ids=MISSING.keys())
def test_missing_parameters(app, drop, more, fields):
    check_error(get(app, drop=drop, **more), 400, "MISSING_PARAMETERS", fields)
    check_error(post(app, drop=drop, **more), 400, "MISSING_PARAMETERS", fields)


def test_missing_platform(app):
    check_error(post(app, drop=["platform"]), 400, "MISSING_PARAMETERS", ["platform"])
    check_error(app.post("/v1/accounts/connect", json={}), 400, "MISSING_PARAMETERS", ["platform", "user_id", "redirect_url"])
    check_error(post(app, platform=None), 400, "MISSING_PARAMETERS", ["platform"])


def test_missing_comes_before_a_bad_url(app):
    check_error(get(app, drop=["user_id"], redirect_url="javascript:alert(1)"), 400, "MISSING_PARAMETERS", ["user_id"])


@pytest.mark.parametrize("name", ["platform", "user_id", "redirect_url", "name", "email"])
@pytest.mark.parametrize("value", [1, True, [], {}], ids=str)
def test_wrong_type(app, name, value):
    check_error(post(app, **{name: value}), 422, "VALIDATION_ERROR", [name])


# ---- 422 redirect_url ----

BAD_URLS = {
    "no scheme": "customer.example/done",
    "relative": "/done",
    "scheme-relative": "//customer.example/done",
    "javascript": "javascript:alert(1)",
    "data": "data:text/html,x",
    "ftp": "ftp://customer.example/",
    "file": "file:///etc/passwd",
    "app scheme": "myapp://done",
    "userinfo": "https://user:pass@customer.example/",
    "user only": "https://user@customer.example/",
    "fragment": "https://customer.example/done#top",
    "empty fragment": "https://customer.example/done#",
    "line feed": "https://customer.example/do\nne",
    "carriage return": "https://customer.example/\r\nSet-Cookie: a=b",
    "tab": "https://customer.example/\tdone",
    "NUL": "https://customer.example/\0",
    "DEL": "https://customer.example/\x7f",
    "backslash": "https://customer.example\\@evil.example/",
    "one slash": "https:/customer.example/",
    "three slashes": "https:///customer.example/",
    "no host": "https://",
    "blank in front": " https://customer.example/",
    "blank inside": "https://customer.example/a b",
    "bad port": "https://customer.example:99999/",
    "too long": "https://customer.example/" + "x" * 2048,
}


@pytest.mark.parametrize("url", BAD_URLS.values(), ids=BAD_URLS.keys())
def test_bad_redirect_url(app, url):
    check_error(get(app, redirect_url=url), 422, "VALIDATION_ERROR", ["redirect_url"])
    if "\0" in url:  # no JSON text may hold a NUL
        check_error(post(app, redirect_url=url), 400, "MALFORMED_JSON")
    else:
        check_error(post(app, redirect_url=url), 422, "VALIDATION_ERROR", ["redirect_url"])


@pytest.mark.parametrize("url", ["http://customer.example", "https://customer.example:8443/a/b?c=d&e=f", "http://127.0.0.1:3000/",
                                 "http://localhost:3000/done", "https://customer.example/?x=%20", "HTTPS://Customer.Example/"])
def test_good_redirect_url(app, url):
    check_begun(get(app, redirect_url=url))


# ---- 400 CREDENTIALS_NOT_FOUND ----


@pytest.fixture(scope="module")
def poor(service):
    """No credentials at all."""
    return App(service, name="no credentials").issue_token()


@pytest.mark.parametrize("slug", PLATFORMS)
def test_no_credentials(poor, slug):
    check_error(get(poor, slug), 400, "CREDENTIALS_NOT_FOUND")
    check_error(post(poor, platform=slug), 400, "CREDENTIALS_NOT_FOUND")


def test_credentials_come_last(poor):
    check_error(get(poor, redirect_url="x"), 422, "VALIDATION_ERROR")


@pytest.mark.parametrize("slug", ["x", "facebook"])
def test_pending_and_failed_credentials(service, slug):
    app = App(service, name="bad credentials").issue_token()
    options = ["credential", "set", "--app", app.client_id, "--platform", slug, "--client-id", f"sandbox-{slug}"]
    assert app.cli(*options, "--client-secret-stdin", stdin="wrong").returncode == 0
    assert "pending" in check_error(get(app, slug), 400, "CREDENTIALS_NOT_FOUND")["message"]
    assert app.cli("credential", "verify", "--app", app.client_id, "--platform", slug).returncode == 1
    assert "failed" in check_error(get(app, slug), 400, "CREDENTIALS_NOT_FOUND")["message"]
    assert app.cli(*options, "--client-secret-stdin", "--verify", stdin=f"sandbox-secret-{slug}").returncode == 0
    check_begun(get(app, slug))


# ---- 500 REDIRECT_URL_ERROR ----


def test_redirect_url_error(start_sandbox, start_service):
    """Something unexpected: the table of connections is gone from under the running service."""
    sandbox = start_sandbox()
    service = start_service(sandbox)
    app = App(service).set_credentials("x").issue_token()
    check_begun(get(app))
    database = sqlite3.connect(service.data / "posthorn.db", timeout=10)
    database.execute("ALTER TABLE connections RENAME TO connections_away")
    database.commit()
    body = check_error(get(app), 500, "REDIRECT_URL_ERROR")
    check_error(post(app), 500, "REDIRECT_URL_ERROR")
    assert "connections" not in body["message"]  # nothing of our inside is told
    database.execute("ALTER TABLE connections_away RENAME TO connections")
    database.commit()
    database.close()
    check_begun(get(app))


def test_platform_ids_are_those_of_the_table():
    assert PLATFORM_IDS == {"instagram": 1, "facebook": 2, "x": 3, "linkedin": 4, "youtube": 5, "tiktok": 6}
