# SPDX-License-Identifier: Apache-2.0
"""Apps, their platform credentials, connections begun by their owner, and admins."""
import json
import re

import pytest
import requests

from client import FIRST_ADMIN, Client
from harness import HTTP_S, PLATFORMS, ROOT, basic, follow_return, with_query


def token_answer(service, made, secret=None):
    headers = {"Authorization": basic(made["client_id"], secret or made["client_secret"])}
    return service.request("POST", "/v1/oauth/token", headers=headers, data={"grant_type": "client_credentials"})


def test_an_app_from_draft_to_token(client, dashboard_service):
    made = client.make_app("draft")
    client_id = made["client_id"]
    assert set(made) == {"app_id", "client_id", "client_secret"}
    shown = client.get(f"/apps/{client_id}")
    assert shown["state"] == "draft" and not shown["live"] and shown["owner"] == FIRST_ADMIN and shown["credentials"] == []
    assert made["client_secret"] not in json.dumps(shown)
    assert client_id in [app["client_id"] for app in client.get("/apps")["data"]]
    assert token_answer(dashboard_service, made).json()["error"] == "app_not_live"
    client.refused("POST", f"/apps/{client_id}/go-live", 409, "CREDENTIALS_NOT_FOUND")
    body = {"client_id": "sandbox-youtube", "client_secret": "sandbox-secret-youtube", "verify": True}
    assert client.put(f"/apps/{client_id}/credentials/youtube", body)["state"] == "verified"
    assert client.post(f"/apps/{client_id}/go-live")["live"]
    assert token_answer(dashboard_service, made).status_code == 200
    assert client.post(f"/apps/{client_id}/suspend")["state"] == "suspended"
    assert token_answer(dashboard_service, made).json()["error"] == "app_not_active"
    assert client.post(f"/apps/{client_id}/activate")["state"] == "active"
    rotated = client.post(f"/apps/{client_id}/rotate-secret")
    assert rotated["client_secret"] != made["client_secret"]
    assert token_answer(dashboard_service, made).json()["error"] == "invalid_client_secret"
    assert token_answer(dashboard_service, made, rotated["client_secret"]).status_code == 200


def test_keys(client, other_client, dashboard_service):
    path = f"/apps/{client.make_app('with keys', live=True)['client_id']}/keys"
    made = client.post(path, {"name": "n8n", "scopes": ["read", "webhooks"], "expires_in": 3600}, status=201)
    headers = {"Authorization": f"Bearer {made['key']}"}
    assert dashboard_service.request("GET", "/v1/posts", headers=headers).status_code == 200
    assert dashboard_service.request("POST", "/v1/posts/publish", headers=headers, json={}).json()["error"] == "INSUFFICIENT_SCOPE"
    rows = client.get(path)["data"]
    assert [row["name"] for row in rows] == ["n8n"] and rows[0]["last_used_at"] and "key" not in rows[0]
    # Another owner's app, and another app's key.
    second = f"/apps/{client.make_app('second with keys', live=True)['client_id']}/keys"
    other_client.refused("DELETE", f"{path}/{made['id']}", 404, "NOT_FOUND")
    client.refused("DELETE", f"{second}/{made['id']}", 404, "NOT_FOUND")
    client.refused("DELETE", f"/keys/{made['id']}", 404, "NOT_FOUND")
    assert dashboard_service.request("GET", "/v1/posts", headers=headers).status_code == 200
    assert client.request("DELETE", f"{path}/{made['id']}").json() == {"revoked": made["id"]}
    assert dashboard_service.request("GET", "/v1/posts", headers=headers).status_code == 401
    assert client.get(path)["data"] == []


def test_the_owner_is_who_asks(client, dashboard_service):
    made = client.make_app("mine")
    client.refused("POST", "/apps", 422, "VALIDATION_ERROR", json={"name": "theirs", "owner": "somebody@example.com"})
    assert client.get(f"/apps/{made['client_id']}")["owner"] == FIRST_ADMIN
    assert "somebody@example.com" not in json.dumps(client.get("/admins"))


def test_settings(client):
    path = f"/apps/{client.make_app('settings')['client_id']}"
    changed = client.patch(
        path, {
            "name": "renamed", "redirect_urls": [
                "https://one.example/cb", "https://two.example"], "on_unknown": "retry_once"})
    assert changed["name"] == "renamed" and changed["on_unknown"] == "retry_once" and len(changed["redirect_urls"]) == 2
    assert client.patch(path, {"redirect_urls": [], "connect_confirmation": "on"})["redirect_urls"] == []
    assert client.get(path)["connect_confirmation"] == "on"
    assert client.patch(path, {"max_lateness": 3600})["max_lateness"] == 3600
    assert client.patch(path, {"name": "Unchanged lateness"})["max_lateness"] == 3600
    assert client.patch(path, {"max_lateness": None})["max_lateness"] is None
    for wrong in ({"name": ""},
                  {"redirect_urls": ["no url"]},
                  {"on_unknown": "guess"},
                  {"connect_confirmation": True},
                  {"max_lateness": 59},
                  {"max_lateness": "60"},
                  {"owner": "nobody@example.com"}):
        client.refused("PATCH", path, 422, "VALIDATION_ERROR", json=wrong)


def test_quotas(client, other_client):
    path = f"/apps/{client.make_app('quotas')['client_id']}/quotas"
    found = client.get(path)["quotas"]
    assert list(found) == ["pending_posts", "accounts", "post_bytes", "media_bytes", "media_files", "webhook_backlog"]
    assert found["pending_posts"] == {"limit": 100000, "own": None, "used": 0}
    changed = client.patch(path, {"pending_posts": 5, "media_bytes": 0})["quotas"]
    assert changed["pending_posts"] == {"limit": 5, "own": 5, "used": 0} and changed["media_bytes"]["limit"] == 0
    assert client.patch(path, {"pending_posts": None})["quotas"]["pending_posts"]["limit"] == 100000
    assert client.get(path)["quotas"]["media_bytes"]["own"] == 0
    for wrong in ({"accounts": -1}, {"accounts": "5"}, {"accounts": 1.5}, {"accounts": True}, {"drafts": 1}):
        answer = client.refused("PATCH", path, 422, "VALIDATION_ERROR", json=wrong)
        assert list(answer["errors"]) == list(wrong)
    other_client.refused("GET", path, 404, "NOT_FOUND")
    own = f"/apps/{other_client.app['client_id']}/quotas"
    assert other_client.get(own)["quotas"]["accounts"]["own"] is None
    other_client.refused("PATCH", own, 403, "FORBIDDEN", json={"accounts": 0})  # an owner cannot lift what bounds them
    assert client.patch(own, {"accounts": 20000})["quotas"]["accounts"]["limit"] == 20000


def test_the_clock_of_a_test_app(client, other_client):
    """A root admin moves it, forward, for that app alone."""
    first, second = (client.make_app(name, test=True)["client_id"] for name in ("clocked", "beside it"))
    before = client.post(f"/apps/{second}/sandbox/clock", {"advance_s": 0})["now"]
    moved = client.post(f"/apps/{first}/sandbox/clock", {"advance_s": 30 * 86400})["now"]
    assert client.post(f"/apps/{first}/sandbox/clock", {"advance_s": 0})["now"] >= moved > before
    assert client.post(f"/apps/{second}/sandbox/clock", {"advance_s": 0})["now"] < moved
    for wrong in ({}, {"advance_s": -1}, {"advance_s": "1"}, {"advance_s": 1.5}, {"advance_s": 10**9}, {"advance_s": None}):
        client.refused("POST", f"/apps/{first}/sandbox/clock", 422, "VALIDATION_ERROR", json=wrong)
    theirs = other_client.make_app("theirs", test=True)["client_id"]
    other_client.refused("POST", f"/apps/{theirs}/sandbox/clock", 403, "FORBIDDEN", json={"advance_s": 1})
    other_client.refused("POST", f"/apps/{first}/sandbox/clock", 403, "FORBIDDEN", json={"advance_s": 1})
    client.refused("POST", f"/apps/{client.make_app('no test')['client_id']}/sandbox/clock", 409, "NO_TEST_APP", json={"advance_s": 1})


def test_faults_of_a_test_app(client, other_client):
    """Its owner lets its calls break, and no others."""
    first, second = (client.make_app(name, test=True)["client_id"] for name in ("breaking", "whole"))
    path = f"/apps/{first}/sandbox/faults"
    assert client.get(path)["faults"] == [] and "reset_after" in [effect["name"] for effect in client.get(path)["effects"]]
    fault = {"platform": "x", "match": {"method": "POST", "path": "/2/tweets"}, "effect": "status", "status": 503, "times": 2}
    client.post(path, fault, status=201)
    (listed,) = client.get(path)["faults"]
    assert {name: listed[name] for name in fault} == fault and client.get(f"/apps/{second}/sandbox/faults")["faults"] == []
    assert client.request("POST", path, json={**fault, "effect": "nothing"}).status_code == 400
    client.refused("POST", path, 422, "VALIDATION_ERROR", json={**fault, "effct": "status"})
    client.refused("POST", f"/apps/{client.make_app('no test')['client_id']}/sandbox/faults", 409, "NO_TEST_APP", json=fault)
    other_client.refused("GET", path, 404, "NOT_FOUND")
    other_client.refused("POST", path, 404, "NOT_FOUND", json=fault)
    assert client.request("DELETE", path).status_code in (200, 204) and client.get(path)["faults"] == []
    audited = client.get("/audit", params={"client_id": first, "action": "app.sandbox_fault"})["data"]
    assert len(audited) >= 2


def test_knobs_of_a_test_app(client, other_client):
    """Its owner turns them for that app alone, and lets its sandbox begin again."""
    first, second = (client.make_app(name, test=True)["client_id"] for name in ("turned", "left alone"))
    path = f"/apps/{first}/sandbox/knobs"

    def value_of(client_id, name="x_create_limit"):
        return {knob["name"]: knob["value"] for knob in client.get(f"/apps/{client_id}/sandbox/knobs")["knobs"]}[name]

    assert value_of(first) == value_of(second) == 100
    client.post(path, {"knobs": {"x_create_limit": 7}}, status=200)
    assert value_of(first) == 7 and value_of(second) == 100
    for wrong in ({"x_create_limit": 0}, {"x_create_limit": "7"}, {"no_such_knob": 1}):
        assert client.request("POST", path, json={"knobs": wrong}).status_code == 400
    client.refused("POST", path, 422, "VALIDATION_ERROR", json={"knobs": [7]})
    assert value_of(first) == 7
    other_client.refused("GET", path, 404, "NOT_FOUND")
    other_client.refused("POST", path, 404, "NOT_FOUND", json={"knobs": {"x_create_limit": 8}})
    other_client.refused("POST", f"/apps/{first}/sandbox/reset", 404, "NOT_FOUND")
    plain = client.make_app("no test")["client_id"]
    client.refused("POST", f"/apps/{plain}/sandbox/knobs", 409, "NO_TEST_APP", json={"knobs": {"x_create_limit": 8}})
    client.refused("POST", f"/apps/{plain}/sandbox/reset", 409, "NO_TEST_APP")
    client.post(f"/apps/{first}/sandbox/reset", status=200)
    assert value_of(first) == 100
    audited = client.get("/audit", params={"client_id": first})["data"]
    assert {"app.sandbox_knob", "app.sandbox_reset"} <= {row["action"] for row in audited}


def test_an_app_is_handed_over(client, other_client):
    client_id = other_client.make_app("handed over")["client_id"]
    assert other_client.patch(f"/apps/{client_id}", {"owner": FIRST_ADMIN})["owner"] == FIRST_ADMIN
    other_client.refused("GET", f"/apps/{client_id}", 404, "NOT_FOUND")
    assert client.get(f"/apps/{client_id}")["name"] == "handed over"


def test_the_command_line_hands_over_too(client, other_client):
    client_id = client.make_app("by command")["client_id"]
    done = client.service.cli("app", "set", client_id, "--owner", "other@example.com")
    assert done.returncode == 0 and json.loads(done.stdout)["owner"] == "other@example.com"
    assert other_client.get(f"/apps/{client_id}")["name"] == "by command"


# ---- credentials ----


def test_the_guide(client):
    client_id = client.make_app("guide")["client_id"]
    guides = client.get(f"/apps/{client_id}/platforms")["data"]
    assert [guide["platform"] for guide in guides] == list(PLATFORMS)
    for guide in guides:
        assert guide["redirect_uri"] == f"{client.service.url}/v1/oauth/{guide['platform']}/callback"
        is_meta = guide["platform"] in ("facebook", "instagram")
        for name, word in (("deauthorize_url", "deauthorize"), ("data_deletion_url", "data-deletion")):
            assert guide[name] == (f"{client.service.url}/v1/oauth/{guide['platform']}/{word}" if is_meta else None)
        assert guide["scopes"] == guide["default_scopes"] and len(guide["steps"]) >= 3
        assert guide["console_url"].startswith("https://") and guide["where"] and guide["review"] and guide["credential"] is None
        assert guide["client_id_label"] and guide["client_secret_label"]
    body = {"client_id": "sandbox-linkedin", "client_secret": "s3cret-of-linkedin", "scopes": "openid profile"}
    client.put(f"/apps/{client_id}/credentials/linkedin", body)
    again = client.get(f"/apps/{client_id}/platforms")
    linkedin = again["data"][PLATFORMS.index("linkedin")]
    assert linkedin["scopes"] == "openid profile" and linkedin["credential"]["state"] == "pending"
    assert "s3cret-of-linkedin" not in json.dumps(again)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_refusal_in_the_platforms_own_words(client, platform):
    path = f"/apps/{client.make_app('wrong ' + platform)['client_id']}/credentials/{platform}"
    refused = client.put(path, {"client_id": f"sandbox-{platform}", "client_secret": "wrong", "verify": True})
    assert refused["state"] == "failed" and refused["message"] and refused["verified_at"] is None
    entered = client.put(path, {"client_id": f"sandbox-{platform}", "client_secret": f"sandbox-secret-{platform}"})
    assert entered["state"] == "pending" and entered["message"] is None
    assert client.post(path + "/verify")["state"] == "verified"


def test_a_pending_credential_is_tried_by_a_connection(client, connect_account):
    """The owner's own first connection verifies it, and brings the app live (api-decisions.md 3)."""
    client_id = client.make_app("tried")["client_id"]
    client.refused("POST", f"/apps/{client_id}/credentials/tiktok/connect", 400, "CREDENTIALS_NOT_FOUND")
    client.put(f"/apps/{client_id}/credentials/tiktok", {"client_id": "sandbox-tiktok", "client_secret": "sandbox-secret-tiktok"})
    # Others wait until it is verified.
    answer = client.request("GET", f"/apps/{client_id}/v1/oauth/tiktok/connect",
                            params={"user_id": "u", "redirect_url": "https://c.example/"})
    assert answer.json()["error"] == "CREDENTIALS_NOT_FOUND"
    outcome = connect_account(client, client_id, "tiktok")
    assert outcome["status"] == "success" and outcome["user_id"] == "dashboard-test" and outcome["credential_state"] == "verified"
    assert outcome["accounts"][0]["platform"] == "tiktok"
    assert client.get(f"/apps/{client_id}")["live"]


def test_a_connection_proves_only_what_it_was_begun_with(client):
    client_id = client.make_app("stale")["client_id"]
    path = f"/apps/{client_id}/credentials/tiktok"
    client.put(path, {"client_id": "sandbox-tiktok", "client_secret": "sandbox-secret-tiktok"})
    begun = client.post(path + "/connect")
    consent = requests.get(with_query(begun["redirect_url"], sandbox_decision="allow"), allow_redirects=False, timeout=HTTP_S)
    assert "status=success" in follow_return(consent.headers["Location"]).headers["Location"]
    client.put(path, {"client_id": "sandbox-tiktok", "client_secret": "another one, and wrong"})
    outcome = client.post(f"/apps/{client_id}/connections/{begun['connection_id']}/outcome")
    assert outcome["status"] == "success" and outcome["credential_state"] == "pending"
    assert not client.get(f"/apps/{client_id}")["live"]


def test_a_connection_proves_the_candidate(client, connect_account):
    """Beside a credential that works: it takes the other's place when the owner's own connection has succeeded."""
    client_id = client.make_app("candidate")["client_id"]
    path = f"/apps/{client_id}/credentials/tiktok"
    body = {"client_id": "sandbox-tiktok", "client_secret": "sandbox-secret-tiktok"}
    client.put(path, {**body, "verify": True})
    entered = client.put(path, body)
    assert entered["state"] == "pending" and entered["current"]["state"] == "verified"
    assert connect_account(client, client_id, "tiktok")["credential_state"] == "verified"
    credential = client.get(f"/apps/{client_id}")["credentials"][0]
    assert credential["state"] == "verified" and credential["candidate"] is None
    # One that is wrong fails at the login, and stays where it is.
    client.put(path, {**body, "client_secret": "wrong"})
    begun = client.post(path + "/connect")
    consent = requests.get(with_query(begun["redirect_url"], sandbox_decision="allow"), allow_redirects=False, timeout=HTTP_S)
    assert "status=failed" in follow_return(consent.headers["Location"]).headers["Location"]
    outcome = client.post(f"/apps/{client_id}/connections/{begun['connection_id']}/outcome")
    assert outcome["status"] == "failed" and outcome["credential_state"] == "verified"
    credential = client.get(f"/apps/{client_id}")["credentials"][0]
    assert credential["state"] == "verified" and credential["candidate"]["state"] == "pending"


def test_own_accounts_need_no_confirmation(client, connect_account):
    """In an app whose connections its server has to confirm: here the browser that began it is the one that came back."""
    client_id = client.make_app("confirmed")["client_id"]
    client.patch(f"/apps/{client_id}", {"connect_confirmation": "on"})
    client.put(f"/apps/{client_id}/credentials/x", {"client_id": "sandbox-x", "client_secret": "sandbox-secret-x", "verify": True})
    outcome = connect_account(client, client_id, "x")
    account = client.get(f"/apps/{client_id}/v1/accounts/{outcome['accounts'][0]['id']}")["data"]
    assert account["confirmed"]
    body = {"account_ids": [account["id"]], "content": "may be published to"}
    assert client.post(f"/apps/{client_id}/v1/posts/validate", body)["data"]["ok"]


def test_the_way_back_is_to_the_page_that_was_left(client):
    """An admin at another address than public-url has the session there."""
    client_id = client.make_app("way back")["client_id"]
    client.put(f"/apps/{client_id}/credentials/x", {"client_id": "sandbox-x", "client_secret": "sandbox-secret-x", "verify": True})
    page = {"Origin": "https://tunnel.example", "Sec-Fetch-Site": "same-origin"}
    for headers, origin in ((page, "https://tunnel.example"), ({**page, "Origin": "null"}, client.service.url), ({}, client.service.url)):
        begun = client.request("POST", f"/apps/{client_id}/credentials/x/connect", headers=headers).json()
        consent = requests.get(with_query(begun["redirect_url"], sandbox_decision="allow"), allow_redirects=False, timeout=HTTP_S)
        assert follow_return(consent.headers["Location"]).headers["Location"].startswith(f"{origin}/dashboard/apps/{client_id}/connected?")


def test_a_refused_test_connection(client):
    client_id = client.make_app("denied")["client_id"]
    client.put(f"/apps/{client_id}/credentials/x", {"client_id": "sandbox-x", "client_secret": "sandbox-secret-x"})
    begun = client.post(f"/apps/{client_id}/credentials/x/connect")
    consent = requests.get(with_query(begun["redirect_url"], sandbox_decision="deny"), allow_redirects=False, timeout=HTTP_S)
    assert "status=failed" in follow_return(consent.headers["Location"]).headers["Location"]
    outcome = client.post(f"/apps/{client_id}/connections/{begun['connection_id']}/outcome")
    assert outcome["status"] == "failed" and outcome["error"] == "access_denied" and outcome["credential_state"] == "pending"
    client.refused("POST", f"/apps/{client_id}/connections/conn_{'0' * 32}/outcome", 404, "NOT_FOUND")


def test_accounts(client, dashboard_app):
    base = f"/apps/{dashboard_app['client_id']}"
    account = dashboard_app["accounts"]["x"]
    listed = client.get(f"{base}/v1/accounts?user_id=dashboard-test")["data"]
    assert account["id"] in [row["id"] for row in listed]
    shown = client.get(f"{base}/v1/accounts/{account['id']}")["data"]
    assert shown["status"] == "active" and shown["expires_at"] and "token" not in json.dumps(shown)
    assert client.post(f"{base}/v1/accounts/{account['id']}/check")["data"]["ok"]
    begun = client.post(f"{base}/accounts/{account['id']}/reconnect")
    consent = requests.get(with_query(begun["redirect_url"], sandbox_decision="allow"), allow_redirects=False, timeout=HTTP_S)
    follow_return(consent.headers["Location"])
    outcome = client.post(f"{base}/connections/{begun['connection_id']}/outcome")
    assert outcome["accounts"][0]["id"] == account["id"]  # the same account, connected again
    client.refused("POST", f"{base}/accounts/00000000-0000-7000-8000-000000000000/reconnect", 404, "NOT_FOUND")


# ---- deletion ----


def test_an_app_is_deleted_with_its_name_typed(client, dashboard_service):
    app = client.make_app("to be deleted", live=True)
    path = f"/apps/{app['client_id']}"
    for query in ("", "?name=", "?name=another"):
        refused = client.refused("DELETE", path + query, 422, "VALIDATION_ERROR")
        assert list(refused["errors"]) == ["name"]
    assert client.delete(f"{path}?name=to%20be%20deleted") == {"deleted": app["client_id"]}
    client.refused("GET", path, 404, "NOT_FOUND")
    client.refused("DELETE", f"{path}?name=to%20be%20deleted", 404, "NOT_FOUND")
    assert app["client_id"] not in [row["client_id"] for row in client.get("/apps")["data"]]
    assert token_answer(dashboard_service, app).json()["error"] == "invalid_client_id"


# ---- admins ----


def test_admins(client, dashboard_service):
    new = client.invite("New@Example.com")
    assert new.session["admin"]["email"] == "new@example.com" and new.session["admin"]["role"] == "owner"
    client.refused("POST", "/invitations", 409, "CONFLICT", json={"email": "new@example.com"})
    client.refused("POST", "/invitations", 422, "VALIDATION_ERROR", json={"email": "x"})
    client.refused("POST", "/invitations", 422, "VALIDATION_ERROR", json={"email": "y@example.com", "role": "boss"})
    assert "argon" not in json.dumps(client.get("/admins"))
    app = new.make_app("of new", live=True)
    assert token_answer(dashboard_service, app).status_code == 200
    assert client.delete("/admins/new%40example.com") == {"deleted": "new@example.com"}
    new.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    assert not new.get("/session")["signed_in"]
    assert token_answer(dashboard_service, app).json()["error"] == "admin_not_found"
    client.refused("DELETE", "/admins/new%40example.com", 404, "NOT_FOUND")


def test_the_apps_of_a_deleted_admin_go_to_another(client, dashboard_service):
    app = client.invite("parting@example.com").make_app("inherited", live=True)
    path = "/admins/parting%40example.com"
    for nobody in ("parting@example.com", "unknown@example.com"):
        refused = client.refused("DELETE", f"{path}?apps_to={nobody}", 422, "VALIDATION_ERROR")
        assert list(refused["errors"]) == ["apps_to"]
    assert client.delete(f"{path}?apps_to={FIRST_ADMIN.upper()}") == {"deleted": "parting@example.com"}
    assert client.get(f"/apps/{app['client_id']}")["owner"] == FIRST_ADMIN
    assert token_answer(dashboard_service, app).status_code == 200


def test_the_last_root_stays(fresh):
    service = fresh()
    client = Client(service).set_up()
    other = client.invite("owner@example.com")
    client.refused("DELETE", f"/admins/{FIRST_ADMIN}", 409, "LAST_ADMIN")  # an owner could not manage admins
    client.refused("PATCH", f"/admins/{FIRST_ADMIN}", 409, "LAST_ADMIN", json={"role": "owner"})
    assert client.get("/session")["admin"]["role"] == "root"
    assert client.patch("/admins/Owner@example.com", {"role": "root"})["role"] == "root"
    assert len(other.get("/admins")["data"]) == 2  # without signing in again
    client.patch(f"/admins/{FIRST_ADMIN}", {"role": "owner"})
    client.refused("GET", "/admins", 403, "FORBIDDEN")
    other.refused("PATCH", "/admins/nobody@example.com", 404, "NOT_FOUND", json={"role": "root"})
    other.refused("PATCH", f"/admins/{FIRST_ADMIN}", 422, "VALIDATION_ERROR", json={})
    # The command line may: whoever holds the data directory can make another.
    assert service.cli("admin", "delete", FIRST_ADMIN).returncode == 0
    client.refused("GET", "/apps", 401, "UNAUTHENTICATED")


def test_a_password_for_who_owns_apps_already(client, dashboard_service):
    assert dashboard_service.cli("app", "create", "--name", "cli app", "--owner", "cli@example.com").returncode == 0
    assert [row["has_password"] for row in client.get("/admins")["data"] if row["email"] == "cli@example.com"] == [False]
    invited = client.invite("cli@example.com")
    assert [app["name"] for app in invited.get("/apps")["data"]] == ["cli app"]


def test_the_page_offers_every_scope():
    """The words and sentences of the one table."""
    scopes = re.findall(r'^SCOPE\(\w+, +("\w+"), +("[^"]+")\)', (ROOT / "src/model/scopes.def").read_text(), re.M)
    page = (ROOT / "src/dashboard/web/page_keys.js").read_text()
    assert len(scopes) == 8 and re.findall(r'^\t\[("\w+"), ("[^"]+")\],$', page.split("const DAY_S")[0], re.M) == scopes


# ---- pauses ----


def test_a_pause_is_ended_by_its_own_apps_owner_alone(client, other_client):
    mine, theirs = client.make_app("pausing")["client_id"], other_client.make_app("pausing too")["client_id"]
    for browser, app in ((client, mine), (other_client, theirs)):
        assert [row["app"] for row in browser.post("/pauses", {"app": app, "platform": None})["data"]] == [app]
    for words in ({"app": mine}, {"app": mine, "platform": "x"}, {}, {"platform": "x"}):
        other_client.refused("POST", "/pauses/resume", 404, "NOT_FOUND", json=words)
        other_client.refused("POST", "/pauses", 404, "NOT_FOUND", json=words)
    assert [row["app"] for row in other_client.get("/pauses")["data"]] == [theirs]
    assert {row["app"] for row in client.get("/pauses")["data"]} == {mine, theirs}
    client.post("/pauses/resume", {"app": mine, "platform": None, "account": None})
    assert {row["app"] for row in client.get("/pauses")["data"]} == {theirs}
    client.refused("POST", "/pauses/resume", 404, "NOT_FOUND", json={"app": mine})
    assert [row["app"] for row in other_client.post("/pauses/resume", {"app": theirs})["data"]] == []
