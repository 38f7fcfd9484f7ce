# SPDX-License-Identifier: Apache-2.0
"""Keys (API: "Test apps; keys"): bearer tokens with scopes. Every route of the table is called with a key of every single scope: it is let
in exactly where the table says. And a key's life: shown once, listed with its last use, expired, revoked, spared by new tokens and secrets.
"""
import json
import re

import pytest

from harness import INSTANT, ROOT, UUID, App, basic, check_error, cli, poll
from test_conventions import ROUTES, fill

SCOPES = re.findall(r'^SCOPE\(\w+, +"(\w+)"', (ROOT / "src/model/scopes.def").read_text(), re.M)
ROW = re.compile(r'^ROUTE\((\w+),\s*"([^"]+)",\s*(\w+),\s*(\w+),\s*\w+,\s*(\w+),', re.M)
# {(method, path): scope} as the table has it, in small letters.
SCOPE_OF = {(method, path): scope.lower() for method, path, _, _, scope in ROW.findall((ROOT / "src/api/routes.def").read_text())}
# The same from the contract (API 14), by hand.
CONTRACT = {
    "any": ["GET /platforms"],
    "accounts": ["GET /oauth/{platform}/connect", "POST /accounts/connect", "POST /connections/{connection_id}/confirm",
                 "DELETE /accounts/{account_id}", "POST /accounts/{account_id}/check"],
    "publish": ["POST /posts/publish", "DELETE /posts/{post_id}", "PATCH /posts/{post_id}", "POST /posts/{post_id}/retry",
                "POST /drafts/{draft_id}/publish"],
    "remove": ["POST /posts/{post_id}/unpublish"],
    "webhooks": ["POST /webhooks", "PATCH /webhooks/{webhook_id}", "DELETE /webhooks/{webhook_id}", "POST /webhooks/{webhook_id}/rotate",
                 "POST /webhooks/{webhook_id}/test"],
    "drafts": ["POST /drafts", "PATCH /drafts/{draft_id}", "DELETE /drafts/{draft_id}", "POST /drafts/{draft_id}/reject"],
    "people": ["GET /users/{user_id}", "DELETE /users/{user_id}"],
}
BEARER = [(method, path, body) for method, path, who, body in ROUTES if who == "BEARER"]


def create(app, scopes, *more, name="agent"):
    """posthorn key create: its JSON."""
    done = app.cli("key", "create", "--app", app.client_id, "--name", name, "--scopes", scopes, *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def listed(app):
    done = app.cli("key", "list", "--app", app.client_id)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["data"]


def get(app, token, path="/v1/posts"):
    return app.service.request("GET", path, headers={"Authorization": f"Bearer {token}"})


@pytest.fixture(scope="module")
def owner(service):
    return App(service, name="keys", owner="keys@example.com").issue_token()


@pytest.fixture(scope="module")
def keys(owner):
    """{scope: a key that has only this one}"""
    return {scope: create(owner, scope, name=scope)["key"] for scope in SCOPES}


# ---- the table ----


def test_the_scopes_are_the_contract_s():
    assert SCOPES == ["read", "drafts", "publish", "remove", "accounts", "media", "webhooks", "people"]


def test_every_route_has_a_scope():
    assert set(SCOPE_OF) == {(method, path) for method, path, _, _ in ROUTES}
    for method, path, who, _ in ROUTES:
        assert SCOPE_OF[method, path] in ([*SCOPES, "any"] if who == "BEARER" else ["none"]), (method, path)


def test_the_table_is_the_contract_s():
    by_hand = {tuple(route.split(" ")): scope for scope, routes in CONTRACT.items() for route in routes}
    for method, path, _ in BEARER:
        expected = by_hand.get((method, path), "read" if method == "GET" or path == "/posts/validate" else None)
        if expected is not None:
            assert SCOPE_OF[method, path] == expected, (method, path)


@pytest.mark.parametrize("method, path, body", BEARER, ids=[f"{method} {path}" for method, path, _ in BEARER])
def test_every_route_with_every_single_scope(owner, keys, method, path, body):
    needed = SCOPE_OF[method, path]
    for scope, key in keys.items():
        headers = {"Authorization": f"Bearer {key}"}
        answer = owner.service.request(method, "/v1" + fill(path), headers=headers, json={} if body == "JSON" else None)
        if needed in ("any", scope):
            assert answer.status_code not in (401, 403), (scope, answer.text)
            continue
        said = check_error(answer, 403, "INSUFFICIENT_SCOPE")
        assert said["details"] == {"required": needed} and needed in said["message"] and scope in said["message"]
        assert answer.headers["WWW-Authenticate"] == f'Bearer error="insufficient_scope", scope="{needed}"'
    answer = owner.request(method, "/v1" + fill(path), json={} if body == "JSON" else None)
    assert answer.status_code not in (401, 403), "an access token may call everything"


def test_the_scope_is_judged_before_the_body_and_the_query(owner, keys):
    headers = {"Authorization": f"Bearer {keys['read']}", "Content-Type": "text/plain"}
    check_error(owner.service.request("POST", "/v1/posts/publish", headers=headers, data="{"), 403, "INSUFFICIENT_SCOPE")
    check_error(get(owner, keys["publish"], "/v1/posts?no_such=1"), 403, "INSUFFICIENT_SCOPE")
    check_error(get(owner, keys["publish"], "/v1/nothing"), 404, "NOT_FOUND")


def test_a_key_with_several_scopes(owner):
    made = create(owner, "publish, read,publish")
    assert made["scopes"] == ["read", "publish"]
    assert get(owner, made["key"]).status_code == 200
    headers = {"Authorization": f"Bearer {made['key']}"}
    check_error(owner.service.request("POST", "/v1/posts/publish", headers=headers, json={}), 422, "VALIDATION_ERROR")
    check_error(owner.service.request("POST", "/v1/webhooks", headers=headers, json={}), 403, "INSUFFICIENT_SCOPE")


# ---- its life ----


def test_a_key_is_shown_once(owner):
    made = create(owner, "read", "--expires", "90d", name="once")
    assert set(made) == {"id", "name", "scopes", "created_at", "expires_at", "last_used_at", "key"}
    assert re.fullmatch(r"phk_[A-Za-z0-9_-]{43}", made["key"]) and UUID.match(made["id"])
    assert INSTANT.match(made["expires_at"]) and made["last_used_at"] is None
    row = next(key for key in listed(owner) if key["id"] == made["id"])
    assert row == {name: value for name, value in made.items() if name != "key"}
    owner.cli("backup", owner.service.data / "backup.db")
    kept = b"".join(path.read_bytes() for path in owner.service.data.rglob("*") if path.is_file())
    assert made["key"].encode() not in kept and made["key"] not in owner.service.stderr()


def test_the_last_use_is_listed(owner):
    made = create(owner, "read", name="used")

    def row():
        return next(key for key in listed(owner) if key["id"] == made["id"])

    assert row()["last_used_at"] is None
    assert get(owner, made["key"]).status_code == 200
    used_at = poll("the use is listed", lambda: row()["last_used_at"])
    for _ in range(20):
        assert get(owner, made["key"]).status_code == 200
    assert row()["last_used_at"] == used_at, "written once a minute"
    unfit = create(owner, "webhooks", name="unfit")
    check_error(get(owner, unfit["key"]), 403, "INSUFFICIENT_SCOPE")
    assert next(key for key in listed(owner) if key["id"] == unfit["id"])["last_used_at"], "a refused call is a use too"


def test_an_expired_key_is_refused(owner):
    made = create(owner, "read", "--expires", "1s", name="short")
    poll("the key has expired", lambda: get(owner, made["key"]).status_code == 401)
    assert "expired" in check_error(get(owner, made["key"]), 401, "UNAUTHENTICATED")["message"]
    assert made["id"] in [key["id"] for key in listed(owner)], "it is still listed"


def test_a_revoked_key_is_refused_at_once(owner):
    made = create(owner, "read", name="revoked")
    assert get(owner, made["key"]).status_code == 200
    done = owner.cli("key", "revoke", made["id"])
    assert done.returncode == 0 and json.loads(done.stdout) == {"revoked": made["id"]}
    check_error(get(owner, made["key"]), 401, "UNAUTHENTICATED")
    assert made["id"] not in [key["id"] for key in listed(owner)]
    again = owner.cli("key", "revoke", made["id"])
    assert again.returncode == 1 and "key" in again.stderr, again.stderr


def test_new_tokens_and_secrets_spare_keys(service):
    app = App(service, name="sparing", owner="sparing@example.com").issue_token()
    key = create(app, "read")["key"]
    app.issue_token()
    assert app.cli("app", "rotate-secret", app.client_id).returncode == 0
    assert get(app, key).status_code == 200 and app.get("/v1/posts").status_code == 401


def test_a_suspended_app_s_key(service):
    app = App(service, name="suspended key", owner="keys@example.com").issue_token()
    key = create(app, "webhooks")["key"]
    assert app.cli("app", "suspend", app.client_id).returncode == 0
    check_error(get(app, key), 403, "app_not_active")
    assert app.cli("app", "activate", app.client_id).returncode == 0
    check_error(get(app, key), 403, "INSUFFICIENT_SCOPE")


def test_a_key_sees_its_own_app_only(owner, app, one):
    key = create(owner, "read")["key"]
    assert get(owner, key, f"/v1/accounts/{one['x']}").status_code == 404
    assert get(owner, key, "/v1/accounts").json()["meta"]["total"] == 0


def test_keys_share_the_app_s_limit(start_service):
    service = start_service(None, "--rate-limit", "5")
    app = App(service).issue_token()
    key = create(app, "read")["key"]
    for left in (4, 3, 2, 1, 0):
        answer = get(app, key if left % 2 else app.token)
        assert answer.headers["X-RateLimit-Remaining"] == str(left)
    check_error(get(app, key), 429, "RATE_LIMITED")


def test_a_dead_key_has_no_scopes_left_to_try(owner):
    for token in ("phk_" + "A" * 43, "phk_", "phk_short", "PHK_" + "A" * 43):
        answer = get(owner, token)
        check_error(answer, 401, "UNAUTHENTICATED")
        assert answer.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


# ---- the command line ----


@pytest.mark.parametrize("words", [
    ["--scopes", "read"],
    ["--name", "n"],
    ["--name", "n", "--scopes", "read", "--expires", "90"],
    ["--name", "n", "--scopes", "read", "--expires", "d"],
    ["--name", "n", "--scopes", "read", "--expires", "-1d"],
    ["--name", "n", "--scopes", "read", "--expires", "0s"],
    ["--name", "n", "--scopes", "read", "--expires", "99999999999999999999d"],
    ["--name", "n", "--scopes", "read", "--expires", "1w"],
])
def test_wrong_use(owner, words):
    done = owner.cli("key", "create", "--app", owner.client_id, *words)
    assert done.returncode == 2 and done.stderr.startswith("posthorn: "), done.stderr


@pytest.mark.parametrize("words, says", [
    (["--name", "n", "--scopes", "read,post"], "post"),
    (["--name", "n", "--scopes", ""], "scopes"),
    (["--name", "", "--scopes", "read"], "name"),
    (["--name", "n", "--scopes", "read", "--expires", "4000d"], "expires_in"),
])
def test_what_the_service_refuses(owner, words, says):
    before = len(listed(owner))
    done = owner.cli("key", "create", "--app", owner.client_id, *words)
    assert done.returncode == 1 and says in done.stderr and not done.stdout, done.stderr
    assert len(listed(owner)) == before


def test_a_draft_gets_no_keys(service):
    draft = App(service, name="draft of keys", owner="keys@example.com", live=False)
    done = draft.cli("key", "create", "--app", draft.client_id, "--name", "n", "--scopes", "read")
    assert done.returncode == 1 and "draft" in done.stderr
    for words in (["list", "--app", "phc_none"], ["create", "--app", "phc_none", "--name", "n", "--scopes", "read"], ["revoke", "none"]):
        assert draft.cli("key", *words).returncode == 1


def test_keys_are_made_while_the_service_is_down(tmp_path, start_service):
    data = tmp_path / "down"
    made = json.loads(cli("app", "create", "--name", "n", "--owner", "o@example.com", "--live", "--data", data).stdout)
    key = json.loads(cli("key", "create", "--app", made["client_id"], "--name", "n", "--scopes", "read", "--data", data).stdout)
    service = start_service(None, data=data)
    assert service.request("GET", "/v1/posts", headers={"Authorization": f"Bearer {key['key']}"}).status_code == 200


# ---- RFC 7009 ----


def revoke(app, data, authorization=None, **more):
    headers = {"Authorization": authorization or basic(app.client_id, app.client_secret)}
    return app.service.request("POST", "/v1/oauth/revoke", headers=headers, data=data, **more)


def test_revoking_a_key_and_a_token(service):
    app = App(service, name="revoking", owner="revoking@example.com").issue_token()
    key, spared = create(app, "read")["key"], create(app, "read")["key"]
    for token, hint in ((key, "access_token"), (app.token, "refresh_token")):
        assert get(app, token).status_code == 200
        answer = revoke(app, {"token": token, "token_type_hint": hint})
        assert answer.status_code == 200 and answer.json() == {}
        assert answer.headers["Cache-Control"] == "no-store"
        check_error(get(app, token), 401, "UNAUTHENTICATED")
        assert revoke(app, {"token": token}).status_code == 200, "again"
    assert get(app, spared).status_code == 200
    assert app.issue_token().get("/v1/posts").status_code == 200


def test_revoking_does_nothing_to_others(service, owner):
    other = App(service, name="other revoker", owner="revoking@example.com").issue_token()
    key = create(owner, "read")["key"]
    for token in (key, owner.token, "nonsense", "phk_" + "A" * 43, owner.client_secret):
        answer = revoke(other, {"token": token})
        assert answer.status_code == 200 and answer.json() == {}
    assert get(owner, key).status_code == 200 and owner.get("/v1/posts").status_code == 200


def test_revoking_refused(service, owner):
    answers = [
        (revoke(owner, {}), 400, "invalid_request"),
        (revoke(owner, {"token": ""}), 400, "invalid_request"),
        (revoke(owner, {"token": ["a", "b"]}), 400, "invalid_request"),
        (revoke(owner, {"token": "a"}, basic(owner.client_id, "phs_wrong")), 401, "invalid_client_secret"),
        (revoke(owner, {"token": "a"}, basic("phc_none", owner.client_secret)), 401, "invalid_client_id"),
        (revoke(owner, {"token": "a"}, f"Bearer {owner.token}"), 400, "invalid_authorization_header"),
        (revoke(owner, {"token": "a"}, "Basic !"), 400, "invalid_authorization_format"),
    ]
    for answer, status, code in answers:
        body = check_error(answer, status, code)
        assert body["error_description"] == body["message"]
    json_headers = {"Authorization": basic(owner.client_id, owner.client_secret)}
    check_error(service.request("POST", "/v1/oauth/revoke", headers=json_headers, json={"token": "a"}), 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_suspended_app_may_revoke(service):
    app = App(service, name="leaving", owner="revoking@example.com").issue_token()
    key = create(app, "read")["key"]
    assert app.cli("app", "suspend", app.client_id).returncode == 0
    assert revoke(app, {"token": key}).status_code == 200
    assert app.cli("app", "activate", app.client_id).returncode == 0
    check_error(get(app, key), 401, "UNAUTHENTICATED")


def test_wrong_secrets_are_counted(start_service):
    service = start_service(None, "--token-failure-limit", "2")
    app = App(service)
    for _ in range(2):
        check_error(revoke(app, {"token": "a"}, basic(app.client_id, "phs_wrong")), 401, "invalid_client_secret")
    check_error(revoke(app, {"token": "a"}, basic(app.client_id, "phs_wrong")), 429, "RATE_LIMITED")
