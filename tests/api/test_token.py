# SPDX-License-Identifier: Apache-2.0
"""Endpoint 1, POST /v1/oauth/token: every row of its part of the error table, in the order of the checks."""
import base64
import concurrent.futures
import json
import re

import pytest

from harness import App, basic, check_error, marker, utc

PATH = "/v1/oauth/token"
GRANT = {"grant_type": "client_credentials"}


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def check_token_error(answer, status, code, fields=None):
    """Errors here carry error_description beside message, for standard OAuth clients."""
    body = check_error(answer, status, code, fields)
    assert body["error_description"] == body["message"]
    assert answer.headers["Cache-Control"] == "no-store"
    return body


@pytest.fixture(scope="module")
def mine(service):
    """An app of this file's own: issuing tokens for it disturbs nobody."""
    return App(service, name="token tests", owner="token@example.com")


def test_success(mine):
    answer = mine.request_token()
    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {"access_token", "token_type", "expires_in"}
    assert re.fullmatch(r"pht_[A-Za-z0-9_-]{43}", body["access_token"])
    assert body["token_type"] == "Bearer"
    assert body["expires_in"] == 31536000
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "application/json"


def test_ids_have_their_form(mine):
    assert re.fullmatch(r"phc_[A-Za-z0-9_-]{24}", mine.client_id)
    assert re.fullmatch(r"phs_[A-Za-z0-9_-]{43}", mine.client_secret)


@pytest.mark.parametrize("prefix", ["", "/api"])
def test_both_prefixes(mine, prefix):
    headers = {"Authorization": basic(mine.client_id, mine.client_secret)}
    assert mine.service.request("POST", f"{prefix}/v1/oauth/token", data=GRANT, headers=headers).status_code == 200


@pytest.mark.parametrize("scheme", ["basic", "BASIC", "bAsIc"])
def test_scheme_in_any_case(mine, scheme):
    value = basic(mine.client_id, mine.client_secret).replace("Basic", scheme)
    assert mine.service.request("POST", PATH, data=GRANT, headers={"Authorization": value}).status_code == 200


# ---- 400 invalid_authorization_header ----

HEADERS_WRONG = {
    "none": {},
    "empty": {"Authorization": ""},
    "scheme only": {"Authorization": "Basic"},
    "scheme and blank": {"Authorization": "Basic "},
    "bearer": {"Authorization": "Bearer " + b64("a:b")},
    "digest": {"Authorization": "Digest username=a"},
    "no scheme": {"Authorization": b64("a:b")},
}


@pytest.mark.parametrize("headers", HEADERS_WRONG.values(), ids=HEADERS_WRONG.keys())
def test_invalid_authorization_header(service, headers):
    answer = service.request("POST", PATH, data=GRANT, headers=headers)
    check_token_error(answer, 400, "invalid_authorization_header")


def test_two_authorization_headers(mine):
    """requests joins equal names, so this one is written by hand."""
    import http.client
    import json
    import urllib.parse

    at = urllib.parse.urlsplit(mine.service.url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=10)
    connection.putrequest("POST", PATH)
    for _ in range(2):
        connection.putheader("Authorization", basic(mine.client_id, mine.client_secret))
    connection.putheader("Content-Type", "application/x-www-form-urlencoded")
    body = b"grant_type=client_credentials"
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    assert answer.status == 400
    assert json.loads(answer.read())["error"] == "invalid_authorization_header"
    connection.close()


# ---- 400 invalid_authorization_format ----

FORMATS_WRONG = {
    "not base64": "!!!!",
    "base64url letters of no meaning": "%%%",
    "no colon": b64("justanid"),
    "empty id": b64(":secret"),
    "empty secret": b64("id:"),
    "colon only": b64(":"),
    "not UTF-8": b64(b"\xff\xfe:secret"),
    "blank inside": b64("a:b")[:2] + " " + b64("a:b")[2:],
}


@pytest.mark.parametrize("value", FORMATS_WRONG.values(), ids=FORMATS_WRONG.keys())
def test_invalid_authorization_format(service, value):
    answer = service.request("POST", PATH, data=GRANT, headers={"Authorization": f"Basic {value}"})
    check_token_error(answer, 400, "invalid_authorization_format")


# ---- 401 ----


@pytest.mark.parametrize("client_id", ["nobody", "phc_" + "A" * 24, "' OR 1=1 --", "ünï", "x" * 2000])
def test_invalid_client_id(service, client_id):
    answer = service.request("POST", PATH, data=GRANT, headers={"Authorization": basic(client_id, "secret")})
    check_token_error(answer, 401, "invalid_client_id")


@pytest.mark.parametrize("change", [lambda s: s + "x", lambda s: s[:-1], str.swapcase, lambda s: "x", lambda s: s + ":"])
def test_invalid_client_secret(mine, change):
    headers = {"Authorization": basic(mine.client_id, change(mine.client_secret))}
    answer = mine.service.request("POST", PATH, data=GRANT, headers=headers)
    check_token_error(answer, 401, "invalid_client_secret")


def test_client_id_is_matched_in_its_case(mine):
    headers = {"Authorization": basic(mine.client_id.swapcase(), mine.client_secret)}
    check_token_error(mine.service.request("POST", PATH, data=GRANT, headers=headers), 401, "invalid_client_id")


# ---- the app's state: 403, 404, 409, and their order ----


def test_app_not_active(service):
    app = App(service, name="suspended").issue_token()
    assert app.cli("app", "suspend", app.client_id).returncode == 0
    check_token_error(app.request_token(), 403, "app_not_active")
    check_error(app.get("/v1/posts"), 403, "app_not_active")
    assert app.cli("app", "activate", app.client_id).returncode == 0
    assert app.request_token().status_code == 200


def test_admin_not_found(service):
    owner = f"{marker('gone').replace(' ', '.')}@example.com"
    app = App(service, name="orphan", owner=owner)
    assert app.cli("admin", "delete", owner).returncode == 0
    check_token_error(app.request_token(), 404, "admin_not_found")


def test_an_app_without_an_admin_is_held_until_assigned(service, sandbox):
    """Nothing goes out and no token or key opens anything; assigned, held work goes on and the old ones stay dead."""
    owner, heir = (f"{marker(word).replace(' ', '.')}@example.com" for word in ("leaves", "comes"))
    app = App(service, name="left alone", owner=owner).set_credentials("x").issue_token()
    witness = App(service, name="of the heir", owner=heir).set_credentials("x").issue_token()
    made = app.cli("key", "create", "--app", app.client_id, "--name", "k", "--scopes", "read")
    dead = [app.token, json.loads(made.stdout)["key"]]
    due, texts = utc(4), [marker("held"), marker("witness")]
    held = app.accepted(app.account("x"), texts[0], scheduled_at=due)["post_id"]
    seen = witness.accepted(witness.account("x"), texts[1], scheduled_at=due)["post_id"]

    def all_refused():
        answers = [service.request("GET", "/v1/posts", headers={"Authorization": f"Bearer {token}"}) for token in dead]
        return [answer.status_code for answer in answers] == [401, 401]

    assert all(service.request("GET", "/v1/posts", headers={"Authorization": f"Bearer {token}"}).ok for token in dead)
    assert app.cli("admin", "delete", owner).returncode == 0
    assert all_refused()
    witness.wait_post(seen)
    unknown = app.cli("app", "assign", app.client_id, "--owner", "nobody@example.com")
    assert unknown.returncode == 1 and "no admin" in unknown.stderr
    assert app.cli("app", "assign", app.client_id).returncode == 2
    assert not sandbox.ledger(text=texts[0])
    assert app.cli("app", "assign", app.client_id, "--owner", heir).returncode == 0
    assert all_refused()
    assert app.issue_token().wait_post(held)["status"] == "published"


def test_app_not_live(service):
    app = App(service, name="draft", live=False)
    check_token_error(app.request_token(), 409, "app_not_live")


def test_verified_credential_brings_a_draft_live(service):
    app = App(service, name="draft going live", live=False)
    check_token_error(app.request_token(), 409, "app_not_live")
    app.set_credentials("facebook")
    assert app.request_token().status_code == 200


def test_order_of_the_checks(service):
    """Each check hides those behind it."""
    owner = f"{marker('order').replace(' ', '.')}@example.com"
    app = App(service, name="everything wrong", owner=owner, live=False)
    bad_grant = {"grant_type": "password"}
    check_token_error(app.request_token(data=bad_grant), 409, "app_not_live")
    assert app.cli("admin", "delete", owner).returncode == 0
    check_token_error(app.request_token(data=bad_grant), 404, "admin_not_found")
    assert app.cli("app", "suspend", app.client_id).returncode == 0
    check_token_error(app.request_token(data=bad_grant), 403, "app_not_active")
    wrong = {"Authorization": basic(app.client_id, "wrong")}
    check_token_error(app.request_token(data=bad_grant, headers=wrong), 401, "invalid_client_secret")
    wrong = {"Authorization": basic("wrong", "wrong")}
    check_token_error(app.request_token(data=bad_grant, headers=wrong), 401, "invalid_client_id")
    wrong = {"Authorization": "Basic !"}
    check_token_error(app.request_token(data=bad_grant, headers=wrong), 400, "invalid_authorization_format")
    wrong = {"Authorization": "Digest !"}
    check_token_error(app.request_token(data=bad_grant, headers=wrong), 400, "invalid_authorization_header")


# ---- 422 grant_type ----

GRANTS_WRONG = {
    "missing": "",
    "other parameter": "scope=x",
    "empty": "grant_type=",
    "password": "grant_type=password",
    "case": "grant_type=Client_Credentials",
    "blank behind": "grant_type=client_credentials%20",
    "twice": "grant_type=client_credentials&grant_type=client_credentials",
    "name in capitals": "GRANT_TYPE=client_credentials",
}


@pytest.mark.parametrize("body", GRANTS_WRONG.values(), ids=GRANTS_WRONG.keys())
def test_grant_type(mine, body):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = mine.request_token(data=body, headers=headers)
    check_token_error(answer, 422, "VALIDATION_ERROR", fields=["grant_type"])


def test_grant_type_in_the_query_is_not_read(mine):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = mine.request_token(data="", params=GRANT, headers=headers)
    check_token_error(answer, 422, "VALIDATION_ERROR", fields=["grant_type"])


# ---- credentials elsewhere, body, methods ----


def test_credentials_in_the_body_are_not_read(mine):
    data = {**GRANT, "client_id": mine.client_id, "client_secret": mine.client_secret}
    check_token_error(mine.service.request("POST", PATH, data=data), 400, "invalid_authorization_header")


def test_credentials_in_the_query_are_not_read(mine):
    query = {"client_id": mine.client_id, "client_secret": mine.client_secret}
    answer = mine.service.request("POST", PATH, data=GRANT, params=query)
    check_token_error(answer, 400, "invalid_authorization_header")


def test_credentials_in_the_body_do_not_disturb(mine):
    data = {**GRANT, "client_id": "other", "client_secret": "other"}
    assert mine.request_token(data=data).status_code == 200


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x"])
def test_unsupported_media_type(mine, kind):
    answer = mine.request_token(data="grant_type=client_credentials", headers={"Content-Type": kind})
    check_error(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_charset_is_fine(mine):
    headers = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}
    assert mine.request_token(data="grant_type=client_credentials", headers=headers).status_code == 200


def test_body_over_4_kib(mine):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    fits = "grant_type=client_credentials&x="
    assert mine.request_token(data=fits + "y" * (4096 - len(fits)), headers=headers).status_code == 200
    check_error(mine.request_token(data=fits + "y" * (4097 - len(fits)), headers=headers), 413, "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_other_methods(mine, method):
    answer = mine.service.request(method, PATH, headers={"Authorization": basic(mine.client_id, mine.client_secret)})
    check_error(answer, 405, "METHOD_NOT_ALLOWED")
    assert answer.headers["Allow"] == "POST"


# ---- one active token ----


def test_new_token_revokes_the_previous(service):
    app = App(service, name="one token").issue_token()
    first = app.token
    assert app.get("/v1/posts").status_code == 200
    app.issue_token()
    assert app.token != first
    assert app.get("/v1/posts").status_code == 200
    answer = service.request("GET", "/v1/posts", headers={"Authorization": f"Bearer {first}"})
    check_error(answer, 401, "UNAUTHENTICATED")


def test_refused_request_leaves_the_token(service):
    app = App(service, name="keeps token").issue_token()
    assert app.request_token(data={"grant_type": "password"}).status_code == 422
    assert app.request_token(headers={"Authorization": basic(app.client_id, "wrong")}).status_code == 401
    assert app.get("/v1/posts").status_code == 200


def test_many_at_once_leave_one(service):
    app = App(service, name="racing")
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: app.request_token(), range(60)))
    assert {answer.status_code for answer in answers} == {200}
    tokens = [answer.json()["access_token"] for answer in answers]
    assert len(set(tokens)) == 60
    states = [
        service.request("GET", "/v1/posts", headers={"Authorization": f"Bearer {token}"}).status_code
        for token in tokens
    ]
    assert sorted(states) == [200] + [401] * 59


def test_rotating_the_secret_revokes_the_token(service):
    import json

    app = App(service, name="rotating").issue_token()
    done = app.cli("app", "rotate-secret", app.client_id)
    assert done.returncode == 0
    check_error(app.get("/v1/posts"), 401, "UNAUTHENTICATED")
    check_token_error(app.request_token(), 401, "invalid_client_secret")
    app.client_secret = json.loads(done.stdout)["client_secret"]
    assert app.request_token().status_code == 200


def test_lifetime_is_a_setting(start_service):
    service = start_service(None, "--token-ttl", "60")
    assert App(service).request_token().json()["expires_in"] == 60
