# SPDX-License-Identifier: Apache-2.0
"""POST /v1/posts/{id}/unpublish (api-decisions.md 12): what is taken back, and that nothing else ever is."""
import concurrent.futures
import json
import os
import sqlite3
import time

import pytest

from harness import App, Sandbox, Service, check_error, marker, poll

SCOPES = "instagram_basic,instagram_content_publish,instagram_manage_comments,instagram_manage_contents,pages_show_list," \
    "pages_read_engagement,business_management"
# Deletion and look of each platform, as faults name them.
CALLS = {
    "x": ("/2/tweets/*", "/2/tweets/*"),
    "facebook": ("/v25.0/*", "/v25.0/*"),
    "instagram": ("/v25.0/*", "/v25.0/*"),
    "linkedin": ("/rest/posts/*", "/rest/posts/*"),
    "youtube": ("/youtube/v3/videos", "/youtube/v3/videos"),
}


@pytest.fixture(scope="module")
def world():
    with Sandbox() as process:
        yield process


@pytest.fixture(scope="module")
def shop(tmp_path_factory, world):
    with Service(tmp_path_factory.mktemp("unpublish") / "data", world, ["--time-scale", "100"]) as process:
        app = App(process, name="unpublish").set_credentials()
        done = app.cli("credential", "set", "--app", app.client_id, "--platform", "instagram", "--client-id", "sandbox-instagram",
                       "--client-secret-stdin", "--verify", "--force", "--scopes", SCOPES, stdin="sandbox-secret-instagram")
        assert done.returncode == 0, done.stdout + done.stderr
        app.issue_token()
        app.ids = {slug: [one["id"] for one in app.connect(slug).accounts] for slug in (*CALLS, "tiktok")}
        yield app


@pytest.fixture(autouse=True)
def as_it_was(world):
    yield
    world.clear_faults()
    world.knob("deletions_late_ms", 0)


def posted(app, media, slug, text, index=0, comments=0):
    """A published post with comments: the post's id."""
    first = {"content": text, "media": {"instagram": [media.image()], "youtube": [media.clip()], "tiktok": [media.clip()]}.get(slug, [])}
    more = [{"content": f"{text} comment {number}"} for number in range(comments)]
    return app.published(app.ids[slug][index], containers=[first, *more])["id"]


def unpublish(app, post_id, *account_ids):
    return app.post(f"/v1/posts/{post_id}/unpublish", **({"json": {"account_ids": list(account_ids)}} if account_ids else {}))


def ended(app, post_id, timeout_s=30):
    """The platform posts, once no removal is pending."""
    def look():
        posts = app.show(post_id)["platform_posts"]
        return posts if all((one["removal"] or {}).get("status") != "pending" for one in posts) else None
    return poll("the removal's end", look, timeout_s)


def used_up(world):
    return all(fault["times"] == 0 for fault in world.faults())


def deletions(world, since=0):
    return [one["path"] for one in world.log(method="DELETE")[since:]]


def write(app, statement, *values):
    """Into the database, beside the service; for SQLite."""
    if os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres"):
        pytest.skip("the file is written to")
    database = sqlite3.connect(app.service.data / "posthorn.db", timeout=10)
    with database:
        database.execute(statement, values)
    database.close()


def events_of(app, post_id):
    rows = app.get("/v1/events", params={"limit": 100}).json()
    found = []
    while rows["data"]:
        found += [row for row in rows["data"] if row["data"].get("id") == post_id]
        rows = app.get("/v1/events", params={"limit": 100, "after": rows["meta"]["next_cursor"]}).json()
    return found


@pytest.mark.parametrize("slug,index", [("x", 0), ("facebook", 0), ("instagram", 0), ("linkedin", 0), ("linkedin", 1), ("youtube", 0)])
def test_a_post_goes_with_its_comments(shop, world, media, slug, index):
    text, since = marker("gone"), len(world.log(method="DELETE"))
    post_id = posted(shop, media, slug, text, index, comments=2)
    assert len(world.ledger(text)) == 3
    (before,) = shop.show(post_id)["platform_posts"]
    assert before["removal"] is None and before["url"]
    answer = unpublish(shop, post_id)
    assert answer.status_code == 202, answer.text
    assert answer.json()["data"]["platform_posts"][0]["removal"]["status"] in ("pending", "removed")
    (after,) = ended(shop, post_id)
    assert after["removal"]["status"] == "removed" and after["removal"]["error"] is None and after["removal"]["removed_at"]
    assert (after["status"], after["url"], after["platform_post_id"]) == ("published", None, before["platform_post_id"])
    assert [part["url"] for part in after["parts"]] == [None] * 3
    assert world.ledger(text) == []
    assert len(deletions(world, since)) == (3 if slug == "x" else 1)
    (listed,) = [post for post in shop.list()["data"] if post["id"] == post_id]
    assert listed["platform_posts"][0]["removal"]["status"] == "removed" and listed["platform_posts"][0]["url"] is None

    assert unpublish(shop, post_id).status_code == 202
    time.sleep(0.3)
    assert len(deletions(world, since)) == (3 if slug == "x" else 1), "a second removal"
    (told,) = [row for row in events_of(shop, post_id) if row["event"].startswith("post.remov")]
    assert told["event"] == "post.removed" and told["data"]["platform_post"]["removal"]["status"] == "removed"
    stages = [row["stage"] for row in shop.get(f"/v1/posts/{post_id}/timeline").json()["data"]]
    assert "removal_delete" in stages


def test_x_goes_last_first(shop, world, media):
    text, since = marker("thread"), len(world.log(method="DELETE"))
    post_id = posted(shop, media, "x", text, comments=2)
    ids = [part["remote_id"] for part in shop.show(post_id)["platform_posts"][0]["parts"]]
    unpublish(shop, post_id)
    ended(shop, post_id)
    assert deletions(world, since) == [f"/2/tweets/{one}" for one in reversed(ids)]


def test_only_the_accounts_that_are_named(shop, world, media):
    text = marker("some")
    accounts = [shop.ids["x"][0], shop.ids["facebook"][0]]
    post_id = shop.published(accounts, text)["id"]
    assert unpublish(shop, post_id, accounts[1]).status_code == 202
    x, facebook = ended(shop, post_id)
    assert x["removal"] is None and facebook["removal"]["status"] == "removed"
    assert [entry["platform"] for entry in world.ledger(text)] == ["x"]


def test_what_is_not_out(shop, world):
    world.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden", "detail": "no", "status": 403})
    failed = shop.wait_post(shop.accepted(shop.ids["x"][0], marker("refused"))["post_id"])
    body = check_error(unpublish(shop, failed["id"]), 409, "NOT_PUBLISHED")
    assert body["details"]["accounts"] == [{"id": shop.ids["x"][0], "reason": "not_published"}]
    scheduled = shop.accepted(shop.ids["x"][0], marker("later"), scheduled_at="2030-01-01T00:00:00Z")["post_id"]
    check_error(unpublish(shop, scheduled), 409, "NOT_PUBLISHED")
    check_error(unpublish(shop, "019a1fcd-7451-7617-8dc3-203f49eaf290"), 404, "NOT_FOUND")
    assert shop.show(scheduled)["platform_posts"][0]["removal"] is None


@pytest.mark.parametrize("body,field", [
    ({"account_ids": []}, "account_ids"), ({"account_ids": [1]}, "account_ids.0"), ({"account_ids": ["a", "a"]}, "account_ids.1"),
    ({"accounts": ["a"]}, "accounts"), ({"account_ids": ["019a1fcd-7451-7617-8dc3-203f49eaf290"]}, "account_ids.0")])
def test_a_wrong_body_removes_nothing(shop, media, body, field):
    if not hasattr(shop, "kept"):
        shop.kept = posted(shop, media, "x", marker("kept"))
    answer = shop.post(f"/v1/posts/{shop.kept}/unpublish", json=body)
    assert field in check_error(answer, 422, "VALIDATION_ERROR")["errors"]
    assert shop.show(shop.kept)["platform_posts"][0]["removal"] is None


def test_tiktok_says_that_it_cannot(shop, world, media):
    text = marker("tiktok")
    post_id = posted(shop, media, "tiktok", text)
    for _ in range(2):
        assert unpublish(shop, post_id).status_code == 202
    (one,) = ended(shop, post_id)
    assert one["removal"]["status"] == "unsupported" and one["removal"]["error"]["code"] == "PLATFORM_REJECTED"
    assert one["url"] and len(world.ledger(text)) == 1
    told = [row["event"] for row in events_of(shop, post_id) if row["event"].startswith("post.remov")]
    assert told == ["post.removal_failed"]
    can = {one["slug"]: one["can_unpublish"] for one in shop.get("/v1/platforms").json()["data"]}
    assert can == {**dict.fromkeys(CALLS, True), "tiktok": False}


def test_facebook_story_has_no_deletion(shop, world, media):
    post_id = shop.published(shop.ids["facebook"][0], "", type="story", media=[media.image()])["id"]
    unpublish(shop, post_id)
    (one,) = ended(shop, post_id)
    assert one["removal"]["status"] == "unsupported" and "story" in one["removal"]["error"]["message"]


def test_instagram_needs_its_permission(shop, world, media, tmp_path):
    with Service(tmp_path / "data", world, ["--time-scale", "100"]) as process:
        app = App(process, name="default scopes").set_credentials("instagram").issue_token()
        app.ids = {"instagram": [app.account("instagram")]}
        text = marker("default")
        post_id = posted(app, media, "instagram", text)
        unpublish(app, post_id)
        (one,) = ended(app, post_id)
        (listed,) = app.list()["data"]
    assert one["removal"]["status"] == "failed" and one["removal"]["error"]["code"] == "PERMISSION_MISSING"
    # the list is shorter about an error, as about one of publishing
    error = {name: one["removal"]["error"][name] for name in ("code", "message")}
    assert listed["platform_posts"][0]["removal"] == {**one["removal"], "error": error}
    assert one["url"] and len(world.ledger(text)) == 1


@pytest.mark.parametrize("slug", CALLS)
@pytest.mark.parametrize("effect", ["reset_before", "reset_after", "status_after"])
def test_a_lost_deletion_is_looked_up(shop, world, media, slug, effect):
    text = marker("lost")
    post_id = posted(shop, media, slug, text)
    world.knob("deletions_late_ms", 200)
    world.fault(slug, "DELETE", CALLS[slug][0], effect, **({"status": 502} if effect == "status_after" else {}))
    unpublish(shop, post_id)
    (one,) = ended(shop, post_id, 60)
    assert one["removal"]["status"] == "removed", (one["removal"], shop.timeline_text(post_id))
    assert used_up(world) and world.ledger(text) == []


@pytest.mark.parametrize("slug,refusal", [
    ("linkedin", {"status": 403, "code": "ACCESS_DENIED", "message": "Not enough permissions"}),
    ("x", {"title": "Forbidden", "detail": "no", "status": 403})])
def test_a_refusal_after_a_lost_answer_proves_nothing(shop, world, media, slug, refusal):
    """The deletion was done and its answer lost. A member's post cannot be looked up, and X shows for a while what is gone: that
    a second deletion is refused does not mean that the post is there."""
    text = marker("refused after")
    post_id = posted(shop, media, slug, text)
    world.knob("deletions_late_ms", 600_000)
    world.fault(slug, "DELETE", CALLS[slug][0], "reset_after")
    world.fault(slug, "DELETE", CALLS[slug][0], "status", status=403, body=refusal)
    unpublish(shop, post_id)
    (one,) = ended(shop, post_id, 60)
    assert one["removal"]["status"] == "failed" and used_up(world)
    assert one["removal"]["error"]["code"] == "OUTCOME_UNKNOWN", (one["removal"], shop.timeline_text(post_id))


@pytest.mark.parametrize("slug", CALLS)
def test_what_is_gone_already_counts_as_removed(shop, world, media, slug):
    text = marker("already")
    post_id = posted(shop, media, slug, text, index=1 if slug == "linkedin" else 0)
    first = unpublish(shop, post_id)
    assert first.status_code == 202
    ended(shop, post_id)
    # As the database of a backup would have it.
    write(shop, "DELETE FROM removals WHERE delivery_id = ?", shop.show(post_id)["platform_posts"][0]["id"])
    assert shop.show(post_id)["platform_posts"][0]["removal"] is None
    since = len(world.log(method="DELETE"))
    assert unpublish(shop, post_id).status_code == 202
    (one,) = ended(shop, post_id)
    assert one["removal"]["status"] == "removed"
    assert deletions(world, since) == []


def test_what_is_not_ours_is_left_alone(shop, world, media):
    """An id that means another post: older than ours, as after a mix-up."""
    old = posted(shop, media, "x", marker("old"))
    text = marker("new")
    new = posted(shop, media, "x", text)
    old_id = shop.show(old)["platform_posts"][0]["platform_post_id"]
    write(shop, "UPDATE posts SET created_at_us = created_at_us + 3600000000 WHERE id = ?", new)
    since = len(world.log(method="DELETE"))
    unpublish(shop, new)
    (one,) = ended(shop, new)
    assert one["removal"]["status"] == "failed" and "older" in one["removal"]["error"]["message"]
    assert deletions(world, since) == [] and len(world.ledger(text)) == 1 and old_id


def test_refusals_and_limits(shop, world, media):
    text = marker("limits")
    post_id = posted(shop, media, "x", text)
    world.fault("x", "DELETE", "/2/tweets/*", "rate_limit", retry_after=60)
    world.fault("x", "DELETE", "/2/tweets/*", "expire_token")
    unpublish(shop, post_id)
    (one,) = ended(shop, post_id, 60)
    assert one["removal"]["status"] == "removed" and used_up(world)

    text = marker("refused")
    post_id = posted(shop, media, "x", text)
    world.fault("x", "DELETE", "/2/tweets/*", "status", status=403, body={"title": "Forbidden", "detail": "no", "status": 403})
    unpublish(shop, post_id)
    (one,) = ended(shop, post_id)
    assert one["removal"]["status"] == "failed" and one["removal"]["error"]["message"] == "X refused to remove the post."
    assert one["url"] and len(world.ledger(text)) == 1
    # What failed is tried again when it is asked for again.
    assert unpublish(shop, post_id).status_code == 202
    (one,) = ended(shop, post_id)
    assert one["removal"] == {"status": "removed", "error": None, "removed_at": one["removal"]["removed_at"]}
    told = [row["event"] for row in events_of(shop, post_id) if row["event"].startswith("post.remov")]
    assert told == ["post.removal_failed", "post.removed"]


def test_many_calls_at_once_remove_once(shop, world, media):
    text, since = marker("race"), len(world.log(method="DELETE"))
    post_id = posted(shop, media, "facebook", text)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: unpublish(shop, post_id).status_code, range(16)))
    assert answers == [202] * 16
    ended(shop, post_id)
    assert len(deletions(world, since)) == 1 and world.ledger(text) == []


def test_a_retry_leaves_alone_what_is_taken_back(shop, world, media):
    text = marker("partial")
    world.fault("facebook", "POST", "/v25.0/*/comments", "status", status=400,
                body={"error": {"message": "(#100) no", "type": "OAuthException", "code": 100}})
    first = {"content": text}
    post = shop.published(shop.ids["facebook"][0], containers=[first, {"content": f"{text} comment"}])
    assert post["platform_posts"][0]["outcome"] == "partial"
    unpublish(shop, post["id"])
    body = check_error(shop.post(f"/v1/posts/{post['id']}/retry"), 409, "NOTHING_TO_RETRY")
    assert body["details"]["accounts"][0]["reason"] == "removed"
    ended(shop, post["id"])
    check_error(shop.post(f"/v1/posts/{post['id']}/retry"), 409, "NOTHING_TO_RETRY")
    assert world.ledger(text) == []


def test_a_disconnected_account_fails(shop, world, media):
    app = shop
    account = app.account("x", user_id="leaver")
    text = marker("left")
    post_id = app.published(account, text)["id"]
    assert app.request("DELETE", f"/v1/accounts/{account}").status_code == 204
    unpublish(app, post_id)
    (one,) = ended(app, post_id)
    assert one["removal"]["status"] == "failed" and one["removal"]["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED"
    assert len(world.ledger(text)) == 1


def test_a_pause_holds_it_back(shop, world, media):
    text = marker("paused")
    post_id = posted(shop, media, "linkedin", text)
    assert shop.cli("pause", "--platform", "linkedin").returncode == 0
    unpublish(shop, post_id)
    time.sleep(1.5)
    assert shop.show(post_id)["platform_posts"][0]["removal"]["status"] == "pending" and len(world.ledger(text)) == 1
    assert shop.cli("resume", "--platform", "linkedin").returncode == 0
    assert ended(shop, post_id)[0]["removal"]["status"] == "removed"


# ---- what comes between the wish and its end ----


@pytest.fixture
def paused(shop):
    """X is paused, so that removals there wait."""
    assert shop.cli("pause", "--platform", "x").returncode == 0
    yield shop
    assert shop.cli("resume", "--platform", "x").returncode == 0


def pending(app, post_id):
    return [one["removal"]["status"] for one in app.show(post_id)["platform_posts"]] == ["pending"]


def test_an_account_that_is_disconnected_meanwhile(shop, world, request):
    text, account = marker("left meanwhile"), shop.account("x", user_id="leaver 2")
    post_id = shop.published(account, text)["id"]
    request.getfixturevalue("paused")
    unpublish(shop, post_id)
    assert pending(shop, post_id)
    assert shop.request("DELETE", f"/v1/accounts/{account}").status_code == 204
    (one,) = ended(shop, post_id)
    assert one["removal"]["status"] == "failed" and one["removal"]["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED"
    assert len(world.ledger(text)) == 1


def test_a_user_who_is_erased_meanwhile(shop, world, request):
    """The removal ends, and nothing of it keeps the erasure waiting or the user's words (API 17)."""
    text, user = marker("erased meanwhile"), "eraser"
    post_id = shop.published(shop.account("x", user_id=user), text)["id"]
    request.getfixturevalue("paused")
    unpublish(shop, post_id)
    assert pending(shop, post_id)
    assert shop.request("DELETE", f"/v1/users/{user}", params={"confirm": user}).status_code == 202
    (one,) = ended(shop, post_id)
    assert one["removal"]["status"] == "failed" and one["removal"]["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED"

    def is_erased():
        return shop.show(post_id)["containers"][0]["content"] == ""
    poll("the user is erased", is_erased, 30)
    (one,) = shop.show(post_id)["platform_posts"]
    assert one["removal"]["status"] == "failed" and one["url"] is None and len(world.ledger(text)) == 1
    assert unpublish(shop, post_id).status_code in (202, 409)
    assert ended(shop, post_id)[0]["removal"]["status"] == "failed" and len(world.ledger(text)) == 1


def test_an_app_that_is_deleted_meanwhile(world, tmp_path):
    """It can only fail; the deletion of the app does not wait for it."""
    with Service(tmp_path / "data", world, ["--time-scale", "100"]) as process:
        app, text = App(process, name="short-lived").set_credentials("x").issue_token(), marker("app deleted")
        post_id = app.published(app.account("x"), text)["id"]
        assert app.cli("pause", "--platform", "x").returncode == 0
        unpublish(app, post_id)
        assert pending(app, post_id)
        assert app.cli("app", "delete", app.client_id).returncode == 0

        def row():
            database = sqlite3.connect(process.data / "posthorn.db", timeout=10)
            try:
                return database.execute("SELECT status, due_at_us, error_code FROM removals").fetchone()
            finally:
                database.close()
        if not os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres"):
            poll("the removal ends", lambda: row()[1] == 0, 30)
            assert row() == (3, 0, "CANCELLED")
    assert len(world.ledger(text)) == 1


def test_a_row_that_cannot_be_read_stops_only_itself(shop, world, request):
    texts = [marker("unreadable"), marker("in doubt"), marker("readable")]
    ids = [shop.published(shop.ids["x"][0], text)["id"] for text in texts]
    shop.cli("pause", "--platform", "x")
    try:
        for post_id in ids:
            unpublish(shop, post_id)
        for post_id, is_call_open in zip(ids[:2], (0, 1)):
            one = shop.show(post_id)["platform_posts"][0]["id"]
            write(shop, "UPDATE removals SET flow = '{', is_call_open = ? WHERE delivery_id = ?", is_call_open, one)
    finally:
        shop.cli("resume", "--platform", "x")
    ends = [ended(shop, post_id)[0]["removal"] for post_id in ids]
    assert [one["status"] for one in ends] == ["failed", "failed", "removed"]
    assert [one["error"]["code"] for one in ends[:2]] == ["INTERNAL_ERROR", "OUTCOME_UNKNOWN"], ends
    assert [len(world.ledger(text)) for text in texts] == [1, 1, 0]
    # Asked for again, it begins anew.
    assert unpublish(shop, ids[0]).status_code == 202
    assert ended(shop, ids[0])[0]["removal"]["status"] == "removed" and world.ledger(texts[0]) == []


def test_a_part_of_a_thread_is_taken_back_alone(shop, world):
    """Partial: what is out goes, and what never was is not asked about."""
    text = marker("two of three")
    world.fault("x", "POST", "/2/tweets", "slow", retry_after=0, times=2)
    world.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden", "detail": "no", "status": 403})
    boxes = [{"content": f"{text} {number}"} for number in range(3)]
    post = shop.published(shop.ids["x"][0], containers=boxes)
    there = world.ledger(text)
    assert post["platform_posts"][0]["outcome"] == "partial" and len(there) == 2
    unpublish(shop, post["id"])
    (one,) = ended(shop, post["id"])
    assert one["removal"]["status"] == "removed" and world.ledger(text) == []
    asked = [path for path in deletions(world) if any(path.endswith(found["id"]) for found in there)]
    assert len(asked) == 2


def test_keys_need_the_scope(shop, media):
    post_id = posted(shop, media, "x", marker("scope"))
    made = json.loads(shop.cli("key", "create", "--app", shop.client_id, "--name", "agent", "--scopes", "read,publish").stdout)
    answer = shop.service.request("POST", f"/v1/posts/{post_id}/unpublish", headers={"Authorization": f"Bearer {made['key']}"})
    assert check_error(answer, 403, "INSUFFICIENT_SCOPE")["details"]["required"] == "remove"
    made = json.loads(shop.cli("key", "create", "--app", shop.client_id, "--name", "remover", "--scopes", "remove").stdout)
    answer = shop.service.request("POST", f"/v1/posts/{post_id}/unpublish", headers={"Authorization": f"Bearer {made['key']}"})
    assert answer.status_code == 202


def test_posts_go_on_beside_removals(shop, world, media):
    """The account's lane is free again after a removal, and one that is busy does not hold a removal up for ever."""
    text = marker("beside")
    ids = [shop.published(shop.ids["x"][0], f"{text} {number}")["id"] for number in range(3)]
    more = [shop.accepted(shop.ids["x"][0], f"{text} more {number}")["post_id"] for number in range(6)]
    for post_id in ids:
        unpublish(shop, post_id)
    assert [ended(shop, post_id)[0]["removal"]["status"] for post_id in ids] == ["removed"] * 3
    assert [shop.wait_post(post_id)["status"] for post_id in more] == ["published"] * 6
    assert len(world.ledger(text)) == 6
