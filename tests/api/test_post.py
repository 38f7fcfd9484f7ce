# SPDX-License-Identifier: Apache-2.0
"""GET /v1/posts/{post_id} and its timeline: one post and what became of it."""
import json
import re
import time

import pytest

from harness import INSTANT, UUID, App, check_error, marker, poll, utc

LIST_FIELDS = {"id", "request_id", "external_user_id", "status", "state", "outcome", "mode", "scheduled_at", "max_lateness",
               "created_at", "containers", "overrides", "platform_posts", "tags"}
DETAILS = {"id", "account_id", "platform", "platform_id", "handle", "status", "scheduled_at", "platform_post_id", "url",
           "published_at", "attempts", "next_attempt_at", "waiting", "error", "parts", "outcome", "warnings", "visibility", "effective"}
ERROR_FIELDS = {"code", "message", "platform_code", "platform_message", "transient"}
TIMELINE_NEEDS = {"at", "account_id", "stage", "method", "status", "duration_ms", "verdict", "decision"}


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


def test_published(app, one, sandbox):
    text = marker()
    post = app.published(one["x"], text)
    assert set(post) == LIST_FIELDS
    assert (post["status"], post["state"], post["outcome"]) == ("published", "published", "all")
    item = post["platform_posts"][0]
    assert DETAILS <= set(item)
    assert item["platform_id"] == 3 and item["platform"] == "x" and item["handle"] == "jodoe"
    assert item["error"] is None and item["next_attempt_at"] is None and item["waiting"] is None
    assert INSTANT.match(item["published_at"]) and item["published_at"] >= post["created_at"]
    assert item["platform_post_id"] == sandbox.ledger(text)[0]["id"]
    part = item["parts"][0]
    assert len(item["parts"]) == 1
    assert part["state"] == "published"
    assert item["platform_post_id"] in part.values()


def test_agrees_with_the_list(app, one):
    post = app.published(one["x"], marker())
    listed = next(item for item in app.list(per_page=100)["data"] if item["id"] == post["id"])
    for name in LIST_FIELDS - {"platform_posts"}:
        assert listed[name] == post[name], name
    for mine, theirs in zip(post["platform_posts"], listed["platform_posts"], strict=True):
        for name in set(theirs) & set(mine):
            assert mine[name] == theirs[name], name


def test_both_prefixes(app, one):
    post_id = app.accepted(one["x"], marker(), scheduled_at=utc(86400))["post_id"]
    assert app.get(f"/api/v1/posts/{post_id}").json() == app.get(f"/v1/posts/{post_id}").json()


def test_scheduled(app, one):
    at = utc(86400)
    post = app.show(app.accepted(one["x"], marker(), scheduled_at=at)["post_id"])
    assert (post["status"], post["state"], post["scheduled_at"]) == ("scheduled", "scheduled", at)
    item = post["platform_posts"][0]
    assert (item["status"], item["attempts"], item["published_at"], item["platform_post_id"]) == ("scheduled", 0, None, None)
    assert app.get(f"/v1/posts/{post['id']}/timeline").json() == {"data": []}


def test_attempts(app, one, sandbox):
    post = app.published(one["x"], marker())
    assert post["platform_posts"][0]["attempts"] == 1


def test_waiting_to_try_again(start_service, sandbox):
    """Without a time scale the first retry comes after 30 s: long enough to look at it. Nothing was sent (the platform
    refused with a 503 that X documents as transient is in doubt on a publish call, so a read before it is broken)."""
    service = start_service(sandbox, "--time-scale", "1")
    app = App(service).set_credentials("tiktok").issue_token()
    account = app.account("tiktok")
    sandbox.fault("tiktok", "POST", "/v2/post/publish/creator_info/query/", "status", status=503, times=2)
    item = {"type": "video", "url": "http://127.0.0.1:9/video.mp4"}
    post_id = app.accepted(account, marker(), media=[item])["post_id"]

    def is_waiting():
        post = app.show(post_id)
        return post if post["platform_posts"][0]["error"] else None

    post = poll("the first error is shown", is_waiting)
    waiting = post["platform_posts"][0]
    assert post["status"] == "retrying" and post["state"] == "retrying"
    assert waiting["status"] == "pending"
    assert set(waiting["error"]) == ERROR_FIELDS
    assert waiting["error"]["transient"] is True
    assert waiting["error"]["code"] == "PLATFORM_UNAVAILABLE"
    assert waiting["attempts"] == 1
    assert utc(15) <= waiting["next_attempt_at"] <= utc(45)
    assert waiting["waiting"]["reason"] == "retry" and waiting["waiting"]["until"] == waiting["next_attempt_at"]
    listed = next(row for row in app.list()["data"] if row["id"] == post_id)
    assert (listed["status"], listed["state"]) == ("pending", "retrying")


def test_a_scheduled_post_waits_for_its_time(app, one):
    at = utc(3600)
    item = app.show(app.accepted(one["x"], marker(), scheduled_at=at)["post_id"])["platform_posts"][0]
    assert item["waiting"] == {"reason": "schedule", "message": "It is published at its scheduled time.", "until": at, "ahead": None}
    assert item["next_attempt_at"] == at


def test_an_uncertain_call_and_those_that_wait_for_it(service, sandbox):
    """The outcome of a publish call is unknown: it is shown as being checked, and the account's next posts as waiting for it. An app of
    its own: in one app the platform's account is one lane, and the other tests' posts would wait behind these."""
    app = App(service, name="checked").set_credentials("x").issue_token()
    sandbox.fault("x", "POST", "/2/tweets", "status", status=503)
    sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=503, times=100)
    account = app.account("x", "user-checked")
    first = app.accepted(account, marker())["post_id"]
    waiting = lambda post_id: app.show(post_id)["platform_posts"][0]["waiting"] or {}  # noqa: E731
    poll("it is being checked, with the next probe", lambda: waiting(first).get("reason") == "checking" and waiting(first)["until"])
    item = app.show(first)["platform_posts"][0]
    assert item["waiting"]["reason"] == "checking" and item["status"] == "pending" and item["error"] is None
    assert item["next_attempt_at"] == item["waiting"]["until"]
    others = [app.accepted(account, marker())["post_id"] for _ in range(2)]
    for ahead, post_id in enumerate(others, 1):
        assert {key: waiting(post_id)[key] for key in ("reason", "until", "ahead")} == {
            "reason": "account_busy", "until": None, "ahead": ahead}
    for post_id in others:  # they would meet the faults of the tests that follow
        assert app.request("DELETE", f"/v1/posts/{post_id}").status_code == 204


def test_partial(app, one, sandbox):
    sandbox.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden", "detail": "no", "status": 403})
    post = app.wait_post(app.accepted([one["facebook"], one["x"]], marker())["post_id"])
    assert (post["status"], post["state"], post["outcome"]) == ("failed", "failed", "partial")
    good, bad = post["platform_posts"]
    assert good["status"] == "published" and good["error"] is None
    assert bad["status"] == "failed" and set(bad["error"]) == ERROR_FIELDS
    assert bad["error"]["transient"] is False and bad["published_at"] is None and bad["next_attempt_at"] is None


def test_part_that_failed(app, one, sandbox):
    """The post is out, its second comment is refused: both are told."""
    sandbox.fault("facebook", "POST", "/v25.0/*/comments", "status", status=400,
                  body={"error": {"message": "Comment refused", "type": "OAuthException", "code": 100, "fbtrace_id": "A"}})
    texts = [marker("a"), marker("b")]
    post = app.wait_post(app.accepted(one["facebook"], containers=[{"content": text} for text in texts])["post_id"])
    item = post["platform_posts"][0]
    assert len(sandbox.ledger(texts[0])) == 1 and sandbox.ledger(texts[1]) == []
    assert (post["status"], post["state"], post["outcome"]) == ("published", "published", "partial")
    assert (item["status"], item["outcome"]) == ("published", "partial")
    assert INSTANT.match(item["published_at"]) and item["url"] and item["error"]["code"] == "CONTENT_REJECTED"
    assert [(row["field"], row["code"]) for row in item["warnings"]] == [("parts.1", "part_refused")]
    listed = next(row for row in app.list(status="published")["data"] if row["id"] == post["id"])
    assert (listed["status"], listed["outcome"], listed["platform_posts"][0]["outcome"]) == ("published", "partial", "partial")
    assert item["platform_post_id"] == sandbox.ledger(texts[0])[0]["id"]
    assert [part["state"] for part in item["parts"]] == ["published", "failed"]


NOT_FOUND = ["01a1fcda-7451-7617-8dc3-203f49eaf280", "x", "1", "' OR 1=1 --", "x" * 3000, "publishx"]


@pytest.mark.parametrize("post_id", NOT_FOUND)
@pytest.mark.parametrize("rest", ["", "/timeline"])
def test_not_found(app, post_id, rest):
    check_error(app.get(f"/v1/posts/{post_id}{rest}"), 404, "NOT_FOUND")


def test_id_is_matched_in_its_case(app, one):
    post_id = app.accepted(one["x"], marker(), scheduled_at=utc(86400))["post_id"]
    check_error(app.get(f"/v1/posts/{post_id.upper()}"), 404, "NOT_FOUND")


# ---- timeline ----


def test_timeline(app, one, media):
    post = app.published(one["instagram"], marker(), media=[media.image()])
    rows = app.get(f"/v1/posts/{post['id']}/timeline").json()["data"]
    assert len(rows) >= 3
    assert all(TIMELINE_NEEDS <= set(row) for row in rows)
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    assert {row["account_id"] for row in rows} == {one["instagram"]}
    assert all(INSTANT.match(row["at"]) and row["duration_ms"] >= 0 for row in rows)
    calls = [row["method"] for row in rows]
    assert "POST" in calls and "GET" in calls
    assert any("graph.facebook.com" in json.dumps(row) and "media_publish" in json.dumps(row) for row in rows)


def test_timeline_shows_refusals_and_decisions(app, one, sandbox):
    sandbox.fault(
        "x",
        "POST",
        "/2/tweets",
        "status",
        status=403,
        body={
            "title": "Forbidden",
            "detail": "a reason of its own",
            "status": 403})
    post = app.wait_post(app.accepted(one["x"], marker())["post_id"])
    rows = app.get(f"/v1/posts/{post['id']}/timeline").json()["data"]
    assert rows[-1]["status"] == 403
    assert "a reason of its own" in rows[-1]["excerpt"]
    assert rows[-1]["decision"]


def test_timeline_holds_no_secrets(app, one, sandbox, media):
    """Tokens of the sandbox's platforms have their own forms; none may show, nor an upload address with its id."""
    sandbox.fault("x", "POST", "/2/tweets", "expire_token", status=401)
    ids = [app.published(one["x"], marker())["id"], app.published(one["youtube"], marker(), media=[media.clip()])["id"],
           app.published(one["facebook"], marker())["id"]]
    text = "".join(app.get(f"/v1/posts/{post_id}/timeline").text for post_id in ids)
    for secret in ("Bearer ", "access_token", "refresh_token", "upload_id", "client_secret", "sandbox-secret", "EAA", "appsecret_proof"):
        assert secret not in text, secret


def test_log_holds_no_secrets(app, service, one):
    app.published(one["facebook"], marker())
    log = service.stderr()
    for secret in ("access_token=", r"(?<![\w-])EAA", "sandbox-secret-", "Bearer ", "appsecret_proof="):
        assert not re.search(secret, log), secret


def test_order_of_posts_of_one_account(app, one, sandbox):
    """One delivery at a time per account, oldest first."""
    texts = [marker(f"order {number}") for number in range(8)]
    ids = [app.accepted(one["linkedin"], text)["post_id"] for text in texts]
    for post_id in ids:
        assert app.wait_post(post_id)["status"] == "published"
    seen = [entry["text"] for entry in sandbox.ledger("order ") if entry["text"] in texts]
    assert seen == texts


def test_scheduled_post_is_not_early_nor_late(app, one, sandbox):
    text = marker("on time")
    at = utc(2)
    post_id = app.accepted(one["facebook"], text, scheduled_at=at)["post_id"]
    post = app.wait_post(post_id)
    published = post["platform_posts"][0]["published_at"]
    assert at[:-1] <= published[:19]
    late = time.mktime(time.strptime(published[:19], "%Y-%m-%dT%H:%M:%S")) - time.mktime(time.strptime(at[:19], "%Y-%m-%dT%H:%M:%S"))
    assert late <= 4, f"{late} s late"


def test_ids_are_version_7(app, one):
    data = app.accepted(one["x"], marker(), scheduled_at=utc(86400))
    assert UUID.match(data["post_id"]) and UUID.match(data["platform_posts"][0]["id"])
