# SPDX-License-Identifier: Apache-2.0
"""Accounts as a resource (api-decisions.md 9) and connection confirmation (section 5): listed, filtered, shown with how the token
is, and unusable until the right user is said to have come back."""
import pytest

from harness import PLATFORMS, App, Service, check_error, marker, utc

DETAILS = {"connection_id", "expires_at", "ends_at", "last_refresh_at", "last_error", "scopes", "confirmed", "created_at", "updated_at"}


@pytest.fixture(scope="module")
def crowd(service):
    """An app with two users: user-1 has an account on each platform, user-2 one on X."""
    app = App(service, name="crowd", owner="crowd@example.com").set_credentials(*PLATFORMS).issue_token()
    app.found = {slug: app.connect(slug).accounts for slug in PLATFORMS}
    app.second = app.connect("x", user_id="user-2").accounts
    return app


def listed(app, **parameters):
    answer = app.get("/v1/accounts", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(page):
    return [account["id"] for account in page["data"]]


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_all_are_listed_newest_first(crowd, prefix):
    everything = [account for accounts in crowd.found.values() for account in accounts] + crowd.second
    page = crowd.get(f"{prefix}/accounts", params={"per_page": 100}).json()
    assert page["meta"] == {"current_page": 1, "per_page": 100, "total": len(everything), "last_page": 1}
    assert set(ids(page)) == {account["id"] for account in everything}
    times = [account["created_at"] for account in page["data"]]
    assert times == sorted(times, reverse=True)
    by_id = {account["id"]: account for account in everything}
    for account in page["data"]:
        known = by_id[account["id"]]
        assert set(account) == set(known) | DETAILS | ({"creator_info"} if account["platform"] == "tiktok" else set())
        assert {name: account[name] for name in known} == known
        assert account["confirmed"] is True and account["last_error"] is None
        assert isinstance(account["scopes"], list) and all(account["scopes"])


def test_pages_divide_the_list(crowd):
    whole = ids(listed(crowd, per_page=100))
    seen = []
    for page in range(1, len(whole) // 2 + 2):
        answer = listed(crowd, per_page=2, page=page)
        seen += ids(answer)
        assert answer["meta"]["last_page"] == (len(whole) + 1) // 2
    assert seen == whole
    assert listed(crowd, page=1000)["data"] == []


def test_filters(crowd):
    assert ids(listed(crowd, user_id="user-2")) == [account["id"] for account in crowd.second]
    for slug in PLATFORMS:
        expected = {account["id"] for account in crowd.found[slug]} | ({crowd.second[0]["id"]} if slug == "x" else set())
        assert set(ids(listed(crowd, platform=slug))) == expected
    assert set(ids(listed(crowd, platform="x", user_id="user-1"))) == {account["id"] for account in crowd.found["x"]}
    assert listed(crowd, user_id="nobody")["meta"]["total"] == 0
    shown = {account["status"] for account in listed(crowd, per_page=100)["data"]}
    for status in ("active", "expiring", "reauth_required", "disconnected"):
        found = listed(crowd, status=status, per_page=100)["data"]
        assert {account["status"] for account in found} <= {status}
        assert bool(found) == (status in shown)


@pytest.mark.parametrize("parameters, field", [
    ({"platform": "myspace"}, "platform"), ({"platform": ""}, "platform"), ({"status": "gone"}, "status"), ({"user_id": ""}, "user_id"),
    ({"user_id": ["a", "b"]}, "user_id"), ({"page": 0}, "page"), ({"per_page": 101}, "per_page"), ({"per_page": "x"}, "per_page"),
])
def test_bad_filters(crowd, parameters, field):
    check_error(crowd.get("/v1/accounts", params=parameters), 422, "VALIDATION_ERROR", fields=[field])


def test_one_account(crowd):
    account = crowd.found["x"][0]
    shown = crowd.get(f"/v1/accounts/{account['id']}").json()["data"]
    assert shown in listed(crowd, per_page=100)["data"]
    assert shown["expires_at"] is not None
    check_error(crowd.get("/v1/accounts/nothing"), 404, "NOT_FOUND")


def test_no_token_leaves(crowd, sandbox):
    text = crowd.get("/v1/accounts", params={"per_page": 100}).text
    for word in ("token", "secret", "sealed", "refresh_token"):
        assert word not in text.replace("refresh_at", "")


# ---- confirmation ----


@pytest.fixture(scope="module")
def careful(service):
    """An app that wants confirmations."""
    app = App(service, name="careful", owner="careful@example.com").set_credentials("x", "facebook").issue_token()
    done = service.cli("app", "set", app.client_id, "--connect-confirmation", "on")
    assert done.returncode == 0, done.stderr
    return app


def confirm(app, connection_id, **body):
    return app.post(f"/v1/connections/{connection_id}/confirm", json=body)


def test_unusable_until_confirmed(careful):
    connection = careful.connect("x", user_id="ann")
    token = connection.query["confirmation_token"]
    account = connection.accounts[0]["id"]
    assert token.startswith("pcf_") and len(token) == 47
    assert careful.get(f"/v1/accounts/{account}").json()["data"]["confirmed"] is False
    refused = check_error(careful.publish([account], marker("unconfirmed")), 422, "INVALID_ACCOUNT", fields=["account_ids.0"])
    assert refused["details"]["accounts"] == [{"id": account, "reason": "unconfirmed"}]

    for bad in ({"confirmation_token": "pcf_" + "A" * 43, "user_id": "ann"}, {"confirmation_token": token, "user_id": "mallory"}):
        check_error(confirm(careful, connection.id, **bad), 422, "VALIDATION_ERROR", fields=["confirmation_token"])
    for bad, field in (({"user_id": "ann"}, "confirmation_token"), ({"confirmation_token": token}, "user_id"),
                       ({"confirmation_token": 7, "user_id": "ann"}, "confirmation_token")):
        check_error(confirm(careful, connection.id, **bad), 422, "VALIDATION_ERROR", fields=[field])
    assert careful.get(f"/v1/accounts/{account}").json()["data"]["confirmed"] is False

    for _ in range(2):  # said twice is said once
        answer = confirm(careful, connection.id, confirmation_token=token, user_id="ann")
        assert answer.status_code == 200 and answer.json() == connection.answer
    assert careful.get(f"/v1/accounts/{account}").json()["data"]["confirmed"] is True
    careful.published(account, marker("confirmed"))


def test_connected_again_stays_confirmed(careful):
    first = careful.connect("x", user_id="bob")
    confirm(careful, first.id, confirmation_token=first.query["confirmation_token"], user_id="bob")
    again = careful.connect("x", user_id="bob")
    assert again.accounts == first.accounts
    assert careful.get(f"/v1/accounts/{again.accounts[0]['id']}").json()["data"]["confirmed"] is True


def test_a_customers_own_parameter_of_that_name_is_taken_out(careful, crowd):
    url = "https://customer.example/back?confirmation_token=forged&keep=1"
    assert careful.connect("x", user_id="eve", redirect_url=url).query["confirmation_token"].startswith("pcf_")
    other = crowd.connect("x", user_id="eve", redirect_url=url).query
    assert "confirmation_token" not in other and other["keep"] == "1"


def test_a_failed_connection_brings_no_token_and_is_not_confirmed(careful):
    failed = careful.connect("x", user_id="carl", decision="deny")
    assert "confirmation_token" not in failed.query
    check_error(confirm(careful, failed.id, confirmation_token="pcf_" + "A" * 43, user_id="carl"), 404, "CONNECTION_NOT_FOUND")


def test_without_the_setting_nothing_changes(crowd):
    connection = crowd.connect("x", user_id="dan")
    assert set(connection.query) == {"connection_id", "status"}
    check_error(confirm(crowd, connection.id, confirmation_token="pcf_" + "A" * 43, user_id="dan"), 422, "VALIDATION_ERROR")
    crowd.published(connection.accounts[0]["id"], marker("plain"))


def test_the_token_is_stored_hashed(tmp_path, sandbox):
    with Service(tmp_path / "data", sandbox) as process:
        app = App(process, name="hashed").set_credentials("x").issue_token()
        process.cli("app", "set", app.client_id, "--connect-confirmation", "on")
        token = app.connect("x").query["confirmation_token"]
    for path in (tmp_path / "data").rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes(), path


# ---- check ----

DEAD = {
    "facebook": ("GET", "/v25.0/*", 400, {"error": {"message": "gone", "type": "OAuthException", "code": 190, "error_subcode": 460}}),
    "instagram": ("GET", "/v25.0/*", 400, {"error": {"message": "gone", "type": "OAuthException", "code": 190, "error_subcode": 460}}),
    "x": ("GET", "/2/users/me", 401, {"title": "Unauthorized", "type": "about:blank", "status": 401, "detail": "Unauthorized"}),
    "linkedin": ("GET", "/v2/userinfo", 401, {"status": 401, "serviceErrorCode": 65601, "code": "REVOKED_ACCESS_TOKEN", "message": "gone"}),
    "youtube": ("GET", "/youtube/v3/channels", 401, {"error": {"code": 401, "message": "gone", "status": "UNAUTHENTICATED",
                                                               "errors": [{"message": "gone", "reason": "authError"}]}}),
    "tiktok": ("GET", "/v2/user/info/", 401, {"data": {}, "error": {"code": "access_token_invalid", "message": "gone", "log_id": "1"}}),
}


def check(app, account_id):
    answer = app.post(f"/v1/accounts/{account_id}/check")
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    assert set(data) == {"ok", "message", "account"}
    assert data["account"] == app.get(f"/v1/accounts/{account_id}").json()["data"]
    return data


@pytest.fixture
def fresh(service, sandbox):
    """An app of its own, and no fault left behind."""
    yield App(service, name="fresh", owner="fresh@example.com").set_credentials(*PLATFORMS).issue_token()
    sandbox.clear_faults()


@pytest.mark.parametrize("slug", PLATFORMS)
def test_check_says_what_the_platform_says(fresh, sandbox, slug):
    account = fresh.account(slug)
    good = check(fresh, account)
    assert (good["ok"], good["message"], good["account"]["status"]) == (True, None, "active")

    method, path, status, body = DEAD[slug]
    sandbox.fault(slug, method, path, "status", status=status, body=body, times=20)
    dead = check(fresh, account)
    assert dead["ok"] is False and dead["message"] and dead["account"]["status"] == "reauth_required"
    assert dead["account"]["last_error"]
    check_error(fresh.publish([account], marker("dead")), 422, "INVALID_ACCOUNT")

    sandbox.clear_faults()  # allowed again at the platform
    again = check(fresh, account)
    assert (again["ok"], again["account"]["status"], again["account"]["last_error"]) == (True, "active", None)


def test_a_platform_that_cannot_be_asked_proves_nothing(fresh, sandbox):
    account = fresh.account("x")
    sandbox.fault("x", "GET", "/2/users/me", "status", status=503, times=20)
    data = check(fresh, account)
    assert data["ok"] is None and data["message"] and data["account"]["status"] == "active"


# ---- disconnect ----


def revocations(sandbox):
    return sum("revoke" in request["path"] for request in sandbox.log())


@pytest.mark.parametrize("slug", PLATFORMS)
def test_disconnected(fresh, sandbox, slug):
    account = fresh.account(slug)
    media = {"youtube": "video", "tiktok": "video", "instagram": "image"}.get(slug)
    items = {"media": [{"url": "https://cdn.example.com/file", "type": media}]} if media else {}
    later = fresh.accepted(account, marker("later"), scheduled_at=utc(86400), **items)["post_id"]
    seen = revocations(sandbox)
    assert fresh.request("DELETE", f"/v1/accounts/{account}").status_code == 204
    if slug in ("x", "youtube", "tiktok"):
        assert revocations(sandbox) == seen + 1
    shown = fresh.get(f"/v1/accounts/{account}").json()["data"]
    assert shown["status"] == "disconnected" and shown["expires_at"] is None
    post = fresh.show(later)
    assert post["status"] == "failed" and post["platform_posts"][0]["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED"
    refused = check_error(fresh.publish([account], "x", **items), 422, "INVALID_ACCOUNT", fields=["account_ids.0"])
    assert refused["details"]["accounts"] == [{"id": account, "reason": "disconnected"}]
    assert check(fresh, account)["ok"] is False
    assert fresh.request("DELETE", f"/v1/accounts/{account}").status_code == 204  # said twice is said once
    assert fresh.account(slug) == account  # connected again: the same id
    assert check(fresh, account)["ok"] is True


def test_a_platform_that_does_not_answer_keeps_nobody_connected(fresh, sandbox):
    account = fresh.account("x")
    sandbox.fault("x", "POST", "/2/oauth2/revoke", "status", status=500, times=20)
    assert fresh.request("DELETE", f"/v1/accounts/{account}").status_code == 204
    assert fresh.get(f"/v1/accounts/{account}").json()["data"]["status"] == "disconnected"


def test_many_scheduled_posts_end_together(fresh):
    """More than one transaction's worth."""
    account, other = fresh.account("x"), fresh.account("x", user_id="user-2")
    both = fresh.accepted([account, other], marker("both"), scheduled_at=utc(86400))["post_id"]
    posts = [fresh.accepted(account, f"{marker('many')} {i}", scheduled_at=utc(86400 + i))["post_id"] for i in range(230)]
    assert fresh.request("DELETE", f"/v1/accounts/{account}").status_code == 204
    assert fresh.list(status="scheduled", per_page=1)["meta"]["total"] == 1
    assert fresh.list(status="failed", per_page=1)["meta"]["total"] == len(posts)
    assert {target["status"] for target in fresh.show(both)["platform_posts"]} == {"failed", "scheduled"}
