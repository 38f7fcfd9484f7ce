# SPDX-License-Identifier: Apache-2.0
"""Errors that people meet first: each says what is wrong, where, and what to do, and says it once."""
import pytest

from harness import check_error, marker, utc

NO_PATH = "There is no such path. GET /docs lists all."
UNKNOWN = "01a1fcda-7451-7617-8dc3-203f49eaf281"
PICTURE = {"url": "https://cdn.example/a.jpg", "type": "image"}


def refused(app, code, **body):
    return check_error(app.post("/v1/posts/publish", json={"content": "Hello", **body}), 422, code)


def test_an_unknown_account(app):
    assert refused(app, "INVALID_ACCOUNT", account_ids=[UNKNOWN])["message"] == (
        f"No account {UNKNOWN} is connected to this app. GET /v1/accounts lists those that are.")


def test_text_alone_for_instagram(app, one):
    body = refused(app, "VALIDATION_ERROR", account_ids=[one["instagram"]])
    assert body["message"] == "Instagram needs a picture or a video: add one to media."
    assert body["errors"] == {"media": [body["message"]]}


def test_a_picture_for_youtube(app, one):
    body = refused(app, "VALIDATION_ERROR", account_ids=[one["youtube"]], media=[PICTURE])
    assert body["message"] == "The type video on YouTube takes one video and no pictures; media 1 is an image."


def test_a_private_media_address(app, one):
    body = refused(app, "INVALID_MEDIA", account_ids=[one["x"]], media=[PICTURE | {"url": "http://10.0.0.1/a.jpg"}])
    assert body["message"] == (
        "10.0.0.1 is a private address. Give a public URL; the operator of this service can allow a range with --media-allow.")
    assert body["details"]["reason"] == "private_address"


def test_a_reel(app, one):
    body = refused(app, "VALIDATION_ERROR", account_ids=[one["x"]], type="reel")
    assert body["message"].endswith("For a reel, use video.")


@pytest.mark.parametrize("event", ["post.publishing", "", 7])
def test_an_unknown_event(app, event):
    answer = app.post("/v1/webhooks", json={"url": "https://hooks.example/", "events": ["post.completed", event]})
    text = check_error(answer, 422, "VALIDATION_ERROR", ["events.1"])["errors"]["events.1"][0]
    assert text.endswith("Valid events: post.publish.succeeded, post.publish.failed, post.completed, connection.completed, "
                         "account.reauth_required, test, user.erased, account.expiring, draft.created, draft.rejected, "
                         "post.removed, post.removal_failed, post.media_problem, post.id_found.")
    assert text.startswith(f"{event} is not an event." if isinstance(event, str) else "An event must be a string.")


def test_no_token_and_a_wrong_one(service):
    none = service.request("GET", "/v1/posts")
    assert none.headers["WWW-Authenticate"] == "Bearer" and "No access token was sent." in none.json()["message"]
    wrong = service.request("GET", "/v1/posts", headers={"Authorization": "Bearer pht_wrong"})
    assert wrong.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert "POST /v1/oauth/token" in wrong.json()["message"]


@pytest.mark.parametrize("given, utc", [("2027-01-01T09:00:00+09:00", "2027-01-01T00:00:00Z"),
                                        ("2027-12-31T20:30:00-03:30", "2028-01-01T00:00:00Z"),
                                        ("2027-01-01T09:00:00+00:00", "2027-01-01T09:00:00Z")])
def test_a_time_with_an_offset(app, one, given, utc):
    body = refused(app, "INVALID_SCHEDULE", account_ids=[one["x"]], scheduled_at=given)
    assert body["message"] == f"Write the time in UTC: {utc}."


@pytest.mark.parametrize("given", ["2027-02-30T09:00:00+09:00", "2027-01-01T09:00:00+99:00", "2027-01-01T09:00:00+0900", "+09:00",
                                   "tomorrow"])
def test_a_time_that_is_none(app, one, given):
    body = refused(app, "INVALID_SCHEDULE", account_ids=[one["x"]], scheduled_at=given)
    assert body["message"] == "Write the time like this: 2026-11-21T15:04:05Z."


def test_no_such_path(app):
    assert app.get("/v1/post").json()["message"] == NO_PATH


@pytest.mark.parametrize("thing, where", [("account", "/v1/accounts"), ("post", "/v1/posts"), ("draft", "/v1/drafts"),
                                          ("webhook", "/v1/webhooks"), ("file", "/v1/media")])
def test_no_such_thing(app, thing, where):
    """The id is not said again: test_isolation.py holds that a foreign thing is answered, to the byte, as one that is none."""
    for name in ("foo", UNKNOWN, "a%20b"):
        body = check_error(app.get(f"{where}/{name}"), 404, "NOT_FOUND")
        assert body["message"] == f"There is no such {thing} in this app. GET {where} lists those that are."


def test_no_such_thing_without_a_list(app, service):
    assert app.get("/v1/users/nobody").json()["message"] == "There is no such user in this app."
    assert app.get("/v1/media/uploads/foo").json()["message"] == "There is no such upload in this app."
    for method, path in (("PUT", "/v1/media/links/foo"), ("DELETE", "/v1/media/links/foo/bar"), ("GET", "/media/foo"),
                         ("GET", "/docs/foo")):
        assert check_error(service.request(method, path), 404, "NOT_FOUND")["message"] == NO_PATH, path


def test_a_change_of_a_cancelled_post(app, one):
    post = app.accepted(one["x"], marker("never"), scheduled_at=utc(86400))["post_id"]
    path = f"/v1/posts/{post}"
    assert [app.request("DELETE", path).status_code for _ in range(2)] == [204, 204]
    body = check_error(app.request("PATCH", path, json={"content": "other"}), 409, "TOO_LATE")
    assert body["message"] == "This post is cancelled: it cannot be changed any more. Publish a new one."
    assert body["details"] == {"status": "failed"}
    out = app.published(one["x"], marker("out"))["id"]
    for method, more in (("DELETE", {}), ("PATCH", {"json": {"content": "other"}})):
        body = check_error(app.request(method, f"/v1/posts/{out}", **more), 409, "TOO_LATE")
        assert body["message"] == "It is too late to change this post."


@pytest.mark.parametrize("path, allowed", [
    ("/v1/posts/publish", "POST"), ("/v1/posts/validate", "POST"), ("/v1/posts/retry", "POST"), ("/v1/accounts/connect", "POST"),
    ("/v1/media/links", "POST"), ("/v1/posts/01a1fcda-7451-7617-8dc3-203f49eaf281", "DELETE, GET, PATCH")])
def test_a_literal_path_has_methods_of_its_own(app, path, allowed):
    """Also where a parameter would swallow it."""
    answer = app.request("PUT", path)
    check_error(answer, 405, "METHOD_NOT_ALLOWED")
    assert answer.headers["Allow"] == allowed
