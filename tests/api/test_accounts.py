# SPDX-License-Identifier: Apache-2.0
"""Endpoint 4, GET /v1/connections/{connection_id}/accounts: state and accounts of a connection."""
import pytest

from harness import PLATFORM_IDS, PLATFORMS, UUID, App, check_error, follow_return, marker

FIELDS = {"id", "app_user_id", "platform_id", "platform_account_id", "username", "name", "email", "avatar_url", "account_type", "status"}
ADDED = {"platform"}

# What the sandbox's users have (its contract): how many, and which kinds.
EXPECTED = {
    "instagram": ["business", "business"],
    "facebook": ["page", "page"],
    "x": ["personal"],
    "linkedin": ["personal", "organization"],
    "youtube": ["channel"],
    "tiktok": ["creator"],
}


@pytest.mark.parametrize("slug", PLATFORMS)
def test_accounts_of_each_platform(accounts, slug):
    assert [account["account_type"] for account in accounts[slug]] == EXPECTED[slug]
    for account in accounts[slug]:
        assert FIELDS <= set(account) <= FIELDS | ADDED
        assert UUID.match(account["id"])
        assert account["app_user_id"] == "user-1"
        assert account["platform_id"] == PLATFORM_IDS[slug]
        assert account["status"] == "active"
        for name in ("platform_account_id", "username", "name"):
            assert isinstance(account[name], str) and account[name]
        for name in ("email", "avatar_url"):
            assert account[name] is None or isinstance(account[name], str) and account[name]
    ids = [account["platform_account_id"] for account in accounts[slug]]
    assert len(set(ids)) == len(ids)


def test_unticked_page_is_not_offered(accounts):
    """The sandbox's third Page comes without a token of its own."""
    assert {account["name"] for account in accounts["facebook"]} == {"Harbour Bakery", "Lighthouse Books"}


def test_pending(app):
    begun = app.begin("x")
    answer = app.get(f"/v1/connections/{begun['connection_id']}/accounts")
    assert answer.status_code == 200
    assert answer.json() == {"connection_id": begun["connection_id"], "status": "pending", "accounts": []}


def test_success_is_final_and_the_same_again(app):
    connection = app.connect("x")
    assert set(connection.answer) == {"connection_id", "status", "accounts"}
    path = f"/v1/connections/{connection.id}/accounts"
    assert app.get(path).json() == app.get("/api" + path).json() == connection.answer


def test_failed_shows_the_error(app):
    begun = app.begin("x")
    follow_return(app.consent(begun, decision="deny"))
    answer = app.get(f"/v1/connections/{begun['connection_id']}/accounts").json()
    assert set(answer) == {"connection_id", "status", "accounts", "error", "error_description"}
    assert (answer["status"], answer["accounts"], answer["error"]) == ("failed", [], "access_denied")


@pytest.mark.parametrize("user_id", ["a b", "ünï 日本", "a+b&c=d", "x" * 255, "<script>", "' OR 1=1 --"])
def test_user_id_comes_back_as_given(app, user_id):
    assert app.connect("x", user_id=user_id).accounts[0]["app_user_id"] == user_id


def test_plus_in_a_query_is_a_blank(app):
    answer = app.get("/v1/oauth/x/connect?user_id=plus+user&redirect_url=https%3A%2F%2Fc.example%2F")
    follow_return(app.consent(answer.json()))
    assert app.accounts_of(answer.json()["connection_id"])["accounts"][0]["app_user_id"] == "plus user"


@pytest.mark.parametrize("slug", PLATFORMS)
def test_connecting_again_keeps_the_ids(app, accounts, slug):
    again = app.connect(slug).accounts
    assert [account["id"] for account in again] == [account["id"] for account in accounts[slug]]


def test_another_user_gets_rows_of_its_own(app, one):
    other = app.connect("x", user_id=marker("user")).accounts[0]
    assert other["id"] != one["x"]


def test_another_app_gets_rows_of_its_own(other_app, one):
    assert other_app.connect("x").accounts[0]["id"] != one["x"]


def test_reconnect_by_another_app_leaves_our_token(app, other_app, sandbox, one):
    """No takeover: both go on publishing."""
    theirs = other_app.connect("x").accounts[0]["id"]
    app.published(one["x"], marker("ours"))
    other_app.published(theirs, marker("theirs"))


NOT_FOUND = ["conn_" + "0" * 32, "conn_x", "x", "conn_" + "A" * 32, "01a1fcda-7451-7617-8dc3-203f49eaf280", "' OR 1=1 --", "x" * 3000]


@pytest.mark.parametrize("connection_id", NOT_FOUND)
def test_connection_not_found(app, connection_id):
    check_error(app.get(f"/v1/connections/{connection_id}/accounts"), 404, "CONNECTION_NOT_FOUND")


def test_connection_of_another_app(app, other_app):
    foreign = other_app.begin("x")["connection_id"]
    answer = app.get(f"/v1/connections/{foreign}/accounts")
    check_error(answer, 404, "CONNECTION_NOT_FOUND")
    assert answer.content == app.get("/v1/connections/conn_" + "0" * 32 + "/accounts").content


def test_id_is_matched_in_its_case(app):
    begun = app.begin("x")
    changed = "conn_" + begun["connection_id"][5:].upper()
    if changed != begun["connection_id"]:
        check_error(app.get(f"/v1/connections/{changed}/accounts"), 404, "CONNECTION_NOT_FOUND")


def test_suspending_an_app_stops_a_connection_under_way_from_being_read(service):
    app = App(service, name="suspended while connecting").set_credentials("x").issue_token()
    begun = app.begin("x")
    app.cli("app", "suspend", app.client_id)
    check_error(app.get(f"/v1/connections/{begun['connection_id']}/accounts"), 403, "app_not_active")
