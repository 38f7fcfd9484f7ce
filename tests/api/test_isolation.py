# SPDX-License-Identifier: Apache-2.0
"""Two apps of one service see nothing of each other: what belongs to the other and what does not exist answer byte for
byte alike, and no list or total counts the other's rows. And the matrix of who may do what: every caller, every route of the
route table under both prefixes, every object (rules.md 3.6). A new route must be given a row in OWNER, or the test fails."""
import re
import sqlite3
import uuid

import pytest

from harness import App, basic, check_error, marker, stores_nothing, utc
from test_conventions import FILLING, PREFIXES, ROUTES


def upload_of(app):
    return app.post("/v1/media", data=b"%PDF-1.4\n%%EOF\n").json()["data"]["id"]


def begun_upload_of(app):
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "100"}
    return app.post("/v1/media/uploads", headers=headers).headers["Location"].rsplit("/", 1)[1]


@pytest.fixture(scope="module")
def theirs(service):
    """The other app, with one object of every kind."""
    app = App(service, name="theirs", owner="theirs@example.com").set_credentials("x").issue_token()
    connection = app.connect("x", user_id="their user")
    app.account_id = connection.accounts[0]["id"]
    app.objects = {
        "connection_id": connection.id,
        "post_id": app.accepted(app.account_id, marker("theirs"), scheduled_at=utc(86400))["post_id"],
        "account_id": app.account_id,
        "user_id": "their user",
        "draft_id": app.post("/v1/drafts", json={"content": marker("their draft")}).json()["data"]["id"],
        "webhook_id": app.post("/v1/webhooks", json={"url": "https://theirs.example/hook"}).json()["data"]["id"],
        "media_id": upload_of(app),
        "upload_id": begun_upload_of(app),
    }
    return app


WITH_ID = [row for row in ROUTES if row[2] == "BEARER" and set(re.findall(r"\{(\w+)\}", row[1])) - {"platform"}
           and row[:2] != ("DELETE", "/users/{user_id}")]
NAMES = [f"{method} {path}" for method, path, _, _ in WITH_ID]
# A body that would do, where a route wants one: what is asked about is the id in the path.
BODIES = {
    ("PATCH", "/posts/{post_id}"): {"scheduled_at": utc(2 * 86400)},
    ("PATCH", "/webhooks/{webhook_id}"): {"enabled": False},
    ("POST", "/drafts/{draft_id}/reject"): {"reason": "no"},
    ("POST", "/connections/{connection_id}/confirm"): {"confirmation_token": "pcf_" + "A" * 43, "user_id": "their user"},
}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("method, path, who, body", WITH_ID, ids=NAMES)
def test_foreign_and_unknown_are_equal(app, theirs, method, path, who, body, prefix):
    def call(caller, objects):
        url = prefix + re.sub(r"\{(\w+)\}", lambda found: objects[found.group(1)], path)
        return caller.request(method, url, json=BODIES.get((method, path), {}) if body == "JSON" else None)

    def objects_now():
        return [
            theirs.get(f"/v1/connections/{theirs.objects['connection_id']}/accounts").json(),
            theirs.get(f"/v1/accounts/{theirs.objects['account_id']}").json(),
            theirs.get("/v1/webhooks").json(),
            theirs.get("/v1/drafts").json(),
            theirs.show(theirs.objects["post_id"]),
        ]

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


# ---- the matrix: callers x routes x objects ----

# What the owner of the objects is answered; None: not a call that a bearer token is for.
OWNER = {
    ("POST", "/oauth/token"): None,
    ("POST", "/oauth/revoke"): None,
    ("GET", "/oauth/{platform}/connect"): 400,
    ("POST", "/accounts/connect"): 400,
    ("GET", "/oauth/{platform}/callback"): None,
    ("GET", "/connections/{connection_id}/accounts"): 200,
    ("POST", "/connections/{connection_id}/confirm"): 422,
    ("GET", "/accounts"): 200,
    ("GET", "/accounts/{account_id}"): 200,
    ("DELETE", "/accounts/{account_id}"): 204,
    ("POST", "/accounts/{account_id}/check"): 200,
    ("POST", "/posts/publish"): 422,
    ("POST", "/posts/retry"): 422,
    ("POST", "/posts/validate"): 422,
    ("GET", "/posts"): 200,
    ("GET", "/posts/{post_id}"): 200,
    ("GET", "/posts/{post_id}/timeline"): 200,
    ("DELETE", "/posts/{post_id}"): 204,
    ("PATCH", "/posts/{post_id}"): 200,
    ("POST", "/posts/{post_id}/retry"): 409,
    ("POST", "/posts/{post_id}/unpublish"): 409,
    ("POST", "/drafts"): 201,
    ("GET", "/drafts"): 200,
    ("GET", "/drafts/{draft_id}"): 200,
    ("PATCH", "/drafts/{draft_id}"): 200,
    ("DELETE", "/drafts/{draft_id}"): 204,
    ("POST", "/drafts/{draft_id}/reject"): 200,
    ("POST", "/drafts/{draft_id}/publish"): 202,
    ("POST", "/webhooks"): 422,
    ("GET", "/webhooks"): 200,
    ("GET", "/webhooks/{webhook_id}"): 200,
    ("PATCH", "/webhooks/{webhook_id}"): 200,
    ("DELETE", "/webhooks/{webhook_id}"): 204,
    ("POST", "/webhooks/{webhook_id}/rotate"): 200,
    ("POST", "/webhooks/{webhook_id}/test"): 202,
    ("GET", "/webhooks/{webhook_id}/deliveries"): 200,
    ("GET", "/events"): 200,
    ("GET", "/users/{user_id}"): 200,
    ("DELETE", "/users/{user_id}"): 422,  # the id once more
    ("POST", "/oauth/{platform}/deauthorize"): None,
    ("POST", "/oauth/{platform}/data-deletion"): None,
    ("GET", "/oauth/{platform}/data-deletion/{code}"): None,
    ("GET", "/platforms"): 200,
    ("POST", "/media"): 415,
    ("GET", "/media"): 200,
    ("GET", "/media/{media_id}"): 200,
    ("GET", "/media/{media_id}/content"): 200,
    ("DELETE", "/media/{media_id}"): 204,
    ("POST", "/media/uploads"): 412,  # without the protocol's headers; so the next three but GET
    ("GET", "/media/uploads/{upload_id}"): 200,
    ("PATCH", "/media/uploads/{upload_id}"): 412,
    ("DELETE", "/media/uploads/{upload_id}"): 412,
    ("POST", "/media/links"): 201,
    ("PUT", "/media/links/{token}"): None,
    ("POST", "/media/links/{token}"): None,
    ("GET", "/media/links/{token}/{upload_id}"): None,
    ("PATCH", "/media/links/{token}/{upload_id}"): None,
    ("DELETE", "/media/links/{token}/{upload_id}"): None,
}
# Erasing answers all users of any app alike, also those whom nobody knows: test_people.py.
MATRIX = [row for row in ROUTES if OWNER.get((row[0], row[1])) is not None and row[:2] != ("DELETE", "/users/{user_id}")]


def test_every_route_has_a_row():
    assert {(method, path) for method, path, _, _ in ROUTES} == set(OWNER)
    assert {(method, path) for method, path, who, _ in ROUTES if who == "BEARER"} == {key for key, status in OWNER.items() if status}


class Owner:
    """An app that makes one fresh object after the other."""

    def __init__(self, service):
        # Not X: it lets a user be asked for 75 times in 15 minutes (x.md), which all tests of a run share.
        self.app = App(service, name="matrix", owner="matrix@example.com").set_credentials("facebook").issue_token()
        self.connection = self.app.connect("facebook", user_id="matrix user")
        self.account_id = self.connection.accounts[0]["id"]
        self.kept = {kind: self.fresh(kind) for kind in (
            "connection_id", "account_id", "post_id", "draft_id", "webhook_id", "user_id", "media_id", "upload_id")}
        self.deleted_webhook = self.fresh("webhook_id")
        assert self.app.request("DELETE", f"/v1/webhooks/{self.deleted_webhook}").status_code == 204

    def fresh(self, kind):
        if kind == "connection_id":
            return self.connection.id
        if kind == "account_id":
            return self.app.connect("facebook", user_id=f"user {uuid.uuid4()}").accounts[0]["id"]
        if kind == "media_id":
            return upload_of(self.app)
        if kind == "upload_id":
            return begun_upload_of(self.app)
        if kind == "user_id":
            return "matrix user"
        if kind == "post_id":
            return self.app.accepted(self.account_id, marker("matrix"), scheduled_at=utc(86400))["post_id"]
        if kind == "draft_id":
            body = {"content": marker("matrix"), "account_ids": [self.account_id]}
            return self.app.post("/v1/drafts", json=body).json()["data"]["id"]
        return self.app.post("/v1/webhooks", json={"url": "https://matrix.example/hook"}).json()["data"]["id"]

    def objects(self, kind, theirs):
        """{name: id} of what is not there for the owner."""
        own = self.kept[kind]
        return {
            "unknown": FILLING[kind],
            "another app's": theirs.objects[kind],
            "own in capitals": own.upper(),
            "own without dashes": own.replace("-", "").replace("_", "").replace(" ", ""),
            "own in braces": "{" + own + "}",
            "own and a blank": own + "%20",
            "another kind's": self.kept["post_id" if kind != "post_id" else "account_id"],
            **({"own, deleted": self.deleted_webhook} if kind == "webhook_id" else {}),
        }


@pytest.fixture(scope="module")
def owner(service):
    return Owner(service)


@pytest.fixture(scope="module")
def refused(service, owner):
    """{name: (Authorization, status, error)} of the callers whom no route lets in."""

    def bearer(token):
        return f"Bearer {token}"

    def app_of(name, **more):
        return App(service, name=name, owner=f"{name.replace(' ', '.')}@example.com", **more)

    expired = app_of("expired").issue_token()
    with sqlite3.connect(service.data / "posthorn.db", timeout=30) as database:
        assert database.execute("UPDATE app_tokens SET expires_at_us = 1 WHERE app_id = ?", (expired.id,)).rowcount == 1
    database.close()
    replaced = app_of("replaced").issue_token()
    old_token = replaced.token
    replaced.issue_token()
    rotated = app_of("rotated").issue_token()
    assert rotated.cli("app", "rotate-secret", rotated.client_id).returncode == 0
    suspended = app_of("suspended").issue_token()
    assert suspended.cli("app", "suspend", suspended.client_id).returncode == 0
    draft = app_of("draft", live=False)
    hook = owner.app.post("/v1/webhooks", json={"url": "https://matrix.example/secret"}).json()["data"]
    unauthenticated = {
        "nobody": None,
        "malformed token": bearer("pht_short"),
        "token of an expired lifetime": bearer(expired.token),
        "token revoked by another": bearer(old_token),
        "token revoked by a new secret": bearer(rotated.token),
        "draft app's secret as token": bearer(draft.client_secret),
        "draft app's credentials": basic(draft.client_id, draft.client_secret),
        "owner's credentials": basic(owner.app.client_id, owner.app.client_secret),
        "owner's client secret as token": bearer(owner.app.client_secret),
        "owner's app id as token": bearer(owner.app.id),
        "webhook secret as token": bearer(hook["secret"]),
        "owner's token in other case": bearer(owner.app.token.swapcase()),
        "owner's token twice": bearer(f"{owner.app.token},{owner.app.token}"),
    }
    orphan = App(service, name="orphan", owner="orphan@example.com").issue_token()
    assert orphan.cli("admin", "delete", "orphan@example.com").returncode == 0
    return {
        **{name: (value, 401, "UNAUTHENTICATED") for name, value in unauthenticated.items()},
        "suspended app": (bearer(suspended.token), 403, "app_not_active"),
        "app whose admin is deleted": (bearer(orphan.token), 401, "UNAUTHENTICATED"),
    }


@pytest.fixture(scope="module")
def strangers(service, theirs):
    """Apps that are let in and own none of the objects."""
    bare = App(service, name="bare stranger", owner="stranger@example.com").issue_token()
    return {"app B": theirs, "app without anything": bare}


def kinds_in(path):
    return [kind for kind in re.findall(r"\{(\w+)\}", path) if kind != "platform"]


def filled(prefix, path, identifier):
    return prefix + re.sub(r"\{(\w+)\}", lambda found: "x" if found.group(1) == "platform" else identifier, path)


def body_of(method, path, kind):
    return {"json": BODIES.get((method, path), {})} if kind == "JSON" else {}


def told(answer):
    """What a caller can see of an answer, apart from what differs with every call."""
    return answer.status_code, answer.content, {name: value for name, value in answer.headers.items() if name not in ("Date", "X-Request-Id")}


MATRIX_NAMES = [f"{method} {path}" for method, path, _, _ in MATRIX]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("method, path, who, body", MATRIX, ids=MATRIX_NAMES)
def test_matrix(service, owner, theirs, refused, strangers, method, path, who, body, prefix):
    kind = next(iter(kinds_in(path)), None)
    absent = owner.objects(kind, theirs) if kind else {}
    there = owner.kept[kind] if kind else ""
    for name, (authorization, status, code) in refused.items():
        headers = {"Authorization": authorization} if authorization else {}
        answers = [service.request(method, filled(prefix, path, identifier), headers=headers, **body_of(method, path, body)) for identifier in (there, *absent.values())]
        check_error(answers[0], status, code)
        assert all(told(answer) == told(answers[0]) for answer in answers), name
    for name, stranger in strangers.items() if kind else ():
        unknown, foreign = (stranger.request(method, filled(prefix, path, identifier), **body_of(method, path, body)) for identifier in (FILLING[kind], there))
        assert unknown.status_code == 404 and told(foreign) == told(unknown), name
    answers = {name: owner.app.request(method, filled(prefix, path, identifier), **body_of(method, path, body)) for name, identifier in absent.items()}
    for name, answer in answers.items():
        assert answer.status_code == 404 and told(answer) == told(answers["unknown"]), name
    own = owner.fresh(kind) if kind else ""
    answer = owner.app.request(method, filled(prefix, path, own), **body_of(method, path, body))
    assert answer.status_code == OWNER[method, path], answer.text
    if kind == "webhook_id" and method != "DELETE":
        owner.app.request("DELETE", f"/v1/webhooks/{own}")


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
