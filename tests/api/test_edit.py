# SPDX-License-Identifier: Apache-2.0
"""PATCH /v1/posts/{id} (api-decisions.md 12): what can be changed, what is refused, and that what was answered is what is published."""
import concurrent.futures
import time

import pytest

from harness import App, Service, check_error, marker, poll, utc

DAY = 86400


@pytest.fixture(scope="module")
def hurried(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("edit") / "data", sandbox, ["--time-scale", "100"]) as process:
        app = App(process, name="edit").set_credentials("x", "facebook").issue_token()
        app.ids = {slug: [account["id"] for account in app.connect(slug).accounts] for slug in ("x", "facebook")}
        yield app


def post_of(app, *accounts, at=None, **body):
    body = {"account_ids": list(accounts) or [app.ids["x"][0]], "scheduled_at": at or utc(DAY), **body}
    answer = app.post("/v1/posts/publish", json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()["data"]["post_id"]


def edit(app, post_id, body, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return app.request("PATCH", f"/v1/posts/{post_id}", json=body, headers=headers)


def tag_of(app, post_id):
    answer = app.get(f"/v1/posts/{post_id}")
    assert answer.json()["data"] == app.show(post_id)
    return answer.headers["ETag"]


def test_what_is_given_replaces_and_the_rest_stays(hurried, sandbox, media):
    old, new, short = marker("old"), marker("new"), marker("short")
    x, page = hurried.ids["x"][0], hurried.ids["facebook"][0]
    post_id = post_of(hurried, x, page, content=old, media=[media.image()], platforms={"x": {"reply_settings": "following"}},
                      overrides={"x": {"media": []}})
    before = hurried.show(post_id)
    answer = edit(hurried, post_id, {"content": new})
    assert answer.status_code == 200, answer.text
    post = answer.json()["data"]
    assert post == hurried.show(post_id) and answer.headers["ETag"] == tag_of(hurried, post_id)
    assert post["containers"] == [{"content": new, "media": before["containers"][0]["media"]}]
    assert post["overrides"] == before["overrides"] and post["scheduled_at"] == before["scheduled_at"]
    options = {one["account_id"]: one["effective"]["options"] for one in post["platform_posts"]}
    assert options[x] == {"reply_settings": "following"}

    assert edit(hurried, post_id, {"overrides": {page: {"content": short}}, "platforms": {}, "media": []}).status_code == 200
    assert edit(hurried, post_id, {"scheduled_at": utc()}).json()["data"]["scheduled_at"] is None
    assert hurried.wait_post(post_id)["status"] == "published"
    assert sandbox.ledger(old) == []
    assert [(entry["platform"], entry["media"]) for entry in sandbox.ledger(new)] == [("x", [])]
    assert [(entry["platform"], entry["media"]) for entry in sandbox.ledger(short)] == [("facebook", [])]


def test_overrides_are_removed_by_an_empty_object(hurried):
    post_id = post_of(hurried, content="root", overrides={"x": {"content": "own"}})
    assert edit(hurried, post_id, {"overrides": {}}).json()["data"]["overrides"] == {}


def test_containers(hurried):
    post_id = post_of(hurried, content="plain")
    post = edit(hurried, post_id, {"containers": [{"content": "one"}, {"content": "two"}]}).json()["data"]
    assert (post["mode"], len(post["platform_posts"][0]["parts"])) == ("advanced", 2)
    assert next(one for one in hurried.list()["data"] if one["id"] == post_id)["mode"] == "advanced"
    for member, value in [("content", "a"), ("media", []), ("type", "post")]:
        check_error(edit(hurried, post_id, {member: value}), 422, "VALIDATION_ERROR", [member])
        check_error(edit(hurried, post_id, {member: value, "containers": [{"content": "b"}]}), 422, "VALIDATION_ERROR", [member])
    assert hurried.show(post_id) == {**post, "platform_posts": hurried.show(post_id)["platform_posts"]}


@pytest.mark.parametrize("body, code, fields", [
    ({}, "VALIDATION_ERROR", ["body"]),
    *[({name: None}, "VALIDATION_ERROR", [name]) for name in
      ("content", "containers", "media", "type", "platforms", "overrides", "scheduled_at")],
    ({"content": 7}, "VALIDATION_ERROR", ["content"]),
    ({"content": ""}, "VALIDATION_ERROR", ["content"]),
    ({"contents": "a"}, "VALIDATION_ERROR", ["contents"]),
    ({"account_ids": []}, "VALIDATION_ERROR", ["account_ids"]),
    ({"request_id": "a"}, "VALIDATION_ERROR", ["request_id"]),
    ({"content": "a" * 300}, "VALIDATION_ERROR", ["content"]),
    ({"type": "story"}, "VALIDATION_ERROR", ["type"]),
    ({"media": [{"type": "image", "url": "ftp://a"}]}, "INVALID_MEDIA", ["media.0.url"]),
    ({"media": "a"}, "VALIDATION_ERROR", ["media"]),
    ({"containers": []}, "VALIDATION_ERROR", ["containers"]),
    ({"platforms": []}, "VALIDATION_ERROR", ["platforms"]),
    ({"overrides": {"x": {"content": "a" * 300}}}, "VALIDATION_ERROR", ["overrides.x.content"]),
    ({"overrides": {"linkedin": {"content": "a"}}}, "VALIDATION_ERROR", ["overrides.linkedin"]),
    ({"scheduled_at": "soon"}, "INVALID_SCHEDULE", ["scheduled_at"]),
])
def test_what_is_refused_changes_nothing(hurried, body, code, fields):
    post_id = post_of(hurried, content="root")
    before = hurried.show(post_id)
    check_error(edit(hurried, post_id, body), 422, code, fields)
    assert hurried.show(post_id) == before


def test_an_account_that_cannot_be_published_to(hurried):
    account = hurried.connect("x", user_id="gone").accounts[0]["id"]
    post_id = post_of(hurried, hurried.ids["facebook"][0], account, content="root")
    assert hurried.request("DELETE", f"/v1/accounts/{account}").status_code == 204
    # Its platform post has failed already: something of the post is final.
    check_error(edit(hurried, post_id, {"content": "new"}), 409, "TOO_LATE")


def test_if_match(hurried):
    post_id = post_of(hurried, content="root")
    first = tag_of(hurried, post_id)
    assert hurried.get(f"/v1/posts/{post_id}", headers={"If-None-Match": first}).status_code == 304
    assert edit(hurried, post_id, {"content": "a"}, If_Match=f'"other", {first}').status_code == 200
    check_error(edit(hurried, post_id, {"content": "b"}, If_Match=first), 412, "PRECONDITION_FAILED")
    second = tag_of(hurried, post_id)
    check_error(edit(hurried, post_id, {"content": "b"}, If_Match=f"W/{second}"), 412, "PRECONDITION_FAILED")
    assert second != first and hurried.get(f"/v1/posts/{post_id}", headers={"If-None-Match": first}).status_code == 200
    assert hurried.get(f"/v1/posts/{post_id}", headers={"If-None-Match": f"W/{second}"}).status_code == 304
    assert edit(hurried, post_id, {"scheduled_at": utc(2 * DAY)}, If_Match="*").status_code == 200
    assert tag_of(hurried, post_id) != second
    hurried.request("DELETE", f"/v1/posts/{post_id}")
    check_error(edit(hurried, post_id, {"content": "c"}, If_Match=first), 409, "TOO_LATE")


def test_too_late(hurried):
    post = hurried.published(hurried.ids["x"][0], marker("out"))
    assert check_error(edit(hurried, post["id"], {"content": "new"}), 409, "TOO_LATE")["details"] == {"status": "published"}
    check_error(edit(hurried, "019a1fcd-7451-7617-8dc3-203f49eaf280", {"content": "new"}), 404, "NOT_FOUND")


def test_one_that_waits_for_its_account_can_be_changed(hurried, sandbox):
    """Nothing of it has begun: it is due, and stands in line behind another post of the account."""
    page, first, old, new = hurried.ids["facebook"][1], marker("first"), marker("old"), marker("new")
    sandbox.fault("facebook", "POST", "/v25.0/*/feed", "slow", times=1)
    try:
        slow = hurried.accepted(page, first)["post_id"]
        poll("begun", lambda: hurried.show(slow)["status"] == "processing")
        waiting = hurried.accepted(page, old)["post_id"]
        assert edit(hurried, waiting, {"content": new}).status_code == 200
        assert edit(hurried, waiting, {"scheduled_at": utc(DAY)}).json()["data"]["status"] == "scheduled"
        assert edit(hurried, waiting, {"scheduled_at": utc()}).json()["data"]["status"] == "pending"
    finally:
        sandbox.clear_faults()
    assert hurried.wait_post(waiting)["status"] == "published"
    assert sandbox.ledger(old) == [] and len(sandbox.ledger(new)) == 1


def test_edits_at_the_same_time_lose_nothing(hurried):
    """Different members, changed at once by callers who do not use If-Match: all changes are there afterwards."""
    post_id = post_of(hurried, content="root")
    bodies = [{"content": "text"}, {"overrides": {"x": {"content": "own"}}}, {"platforms": {"x": {"reply_settings": "following"}}},
              {"scheduled_at": utc(3 * DAY)}]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda body: edit(hurried, post_id, body), bodies * 2))
    assert [answer.status_code for answer in answers] == [200] * 8, [answer.text for answer in answers]
    post = hurried.show(post_id)
    assert post["containers"][0]["content"] == "text" and post["overrides"]["x"] == {"content": "own"}
    assert post["platform_posts"][0]["effective"]["options"] == {"reply_settings": "following"}
    assert post["scheduled_at"] == bodies[3]["scheduled_at"]


def test_the_race_with_the_engine(hurried, sandbox):
    """Edits around the moment the post is due: 200 publishes the new text, 409 the old one, and never both."""
    at = time.time() + 2
    posts = {f"{marker('race')} {number}": None for number in range(24)}
    for text in posts:
        posts[text] = post_of(hurried, content=f"{text} old", at=utc(2))
    time.sleep(max(0.0, int(at) - time.time() - 0.3))
    answers = {}

    def late(pair):
        text, post_id = pair
        time.sleep((hash(text) % 100) / 100)
        answers[text] = edit(hurried, post_id, {"content": f"{text} new"}).status_code

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(late, posts.items()))
    for text, post_id in posts.items():
        assert answers[text] in (200, 409)
        assert hurried.wait_post(post_id)["status"] == "published"
        assert [entry["text"] for entry in sandbox.ledger(text)] == [f"{text} {'new' if answers[text] == 200 else 'old'}"]
