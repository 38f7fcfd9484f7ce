# SPDX-License-Identifier: Apache-2.0
"""Two apps of one service see nothing of each other: what belongs to the other and what does not exist answer byte for
byte alike, and no list or total counts the other's rows. The routes come from the route table: a new one with an id in
its path must be given an object here, or the test fails."""
import re

import pytest

from harness import App, check_error, marker, stores_nothing, utc
from test_conventions import FILLING, PREFIXES, ROUTES


@pytest.fixture(scope="module")
def theirs(service):
    """The other app, with one object of every kind."""
    app = App(service, name="theirs", owner="theirs@example.com").set_credentials("x").issue_token()
    connection = app.connect("x", user_id="their user")
    app.account_id = connection.accounts[0]["id"]
    app.objects = {
        "connection_id": connection.id,
        "post_id": app.accepted(app.account_id, marker("theirs"), scheduled_at=utc(86400))["post_id"],
    }
    return app


WITH_ID = [row for row in ROUTES if row[2] == "BEARER" and set(re.findall(r"\{(\w+)\}", row[1])) - {"platform"}]
NAMES = [f"{method} {path}" for method, path, _, _ in WITH_ID]
# A body that would do, where a route wants one: what is asked about is the id in the path.
BODIES = {("PATCH", "/posts/{post_id}"): {"scheduled_at": utc(2 * 86400)}}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("method, path, who, body", WITH_ID, ids=NAMES)
def test_foreign_and_unknown_are_equal(app, theirs, method, path, who, body, prefix):
    def call(caller, objects):
        url = prefix + re.sub(r"\{(\w+)\}", lambda found: objects[found.group(1)], path)
        return caller.request(method, url, json=BODIES.get((method, path), {}) if body == "JSON" else None)

    def objects_now():
        return [theirs.get(f"/v1/connections/{theirs.objects['connection_id']}/accounts").json(), theirs.show(theirs.objects["post_id"])]

    before = objects_now()
    foreign, unknown = call(app, theirs.objects), call(app, FILLING)
    assert objects_now() == before, "the other app's object was touched"
    if method == "GET":
        assert call(theirs, theirs.objects).status_code == 200, "the object is there for its owner"
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content
    headers = [{name: value for name, value in answer.headers.items() if name not in ("Date", "X-Request-Id")} for answer in (foreign, unknown)]
    assert headers[0] == headers[1]


def test_there_are_routes_with_ids():
    assert len(WITH_ID) >= 3


def test_publishing_to_a_foreign_account(app, theirs, one):
    answers = []
    for bad in (theirs.account_id, FILLING["post_id"]):
        with stores_nothing(app), stores_nothing(theirs):
            answer = app.publish([one["x"], bad], "x")
            check_error(answer, 422, "INVALID_ACCOUNT", ["account_ids.1"])
            answers.append(answer.text.replace(bad, "ID"))
    assert answers[0] == answers[1]


def test_lists_never_show_the_other(app, theirs, one):
    app.accepted(one["x"], marker("ours"), scheduled_at=utc(86400))
    before = theirs.total()
    assert before == 1
    assert app.list(**{"external_user_ids[]": ["their user"]})["meta"]["total"] == 0
    assert app.list(**{"account_ids[]": [theirs.account_id]})["meta"]["total"] == 0
    assert theirs.list(**{"external_user_ids[]": ["user-1"]})["meta"]["total"] == 0
    assert theirs.objects["post_id"] not in [post["id"] for post in app.list(per_page=100)["data"]]
    app.accepted(one["x"], marker("ours"), scheduled_at=utc(86400))
    assert theirs.total() == before
    for status in ("pending", "scheduled", "published", "failed"):
        assert theirs.list(status=status)["meta"]["total"] == (1 if status == "scheduled" else 0)


def test_same_user_id_in_two_apps(service, theirs):
    """user_id means nothing across apps."""
    mine = App(service, name="mine", owner="mine@example.com").set_credentials("x").issue_token()
    account = mine.connect("x", user_id="their user").accounts[0]["id"]
    assert account != theirs.account_id
    mine.accepted(account, marker("mine"), scheduled_at=utc(86400))
    assert mine.list(**{"external_user_ids[]": ["their user"]})["meta"]["total"] == 1
    assert theirs.list(**{"external_user_ids[]": ["their user"]})["meta"]["total"] == 1


def test_token_of_one_app_is_not_the_others(app, theirs):
    assert app.get(f"/v1/posts/{theirs.objects['post_id']}").status_code == 404
    app_again = theirs.get(f"/v1/posts/{theirs.objects['post_id']}")
    assert app_again.status_code == 200


def test_credentials_are_per_app(service):
    app = App(service, name="bare", owner="bare@example.com").issue_token()
    check_error(app.get("/v1/oauth/x/connect", params={"user_id": "u", "redirect_url": "https://c.example/"}), 400, "CREDENTIALS_NOT_FOUND")
