# SPDX-License-Identifier: Apache-2.0
"""Cancel, reschedule, retry (API: "Status"): every answer, and what the world sees afterwards. The promise under test:
nothing is published after a 204, and whatever is tried again publishes only what was not out yet."""
import random
import threading
import time

import pytest

from harness import App, Service, check_error, marker, poll, utc

X_TWEETS = ("x", "POST", "/2/tweets")
FACEBOOK_FEED = ("facebook", "POST", "/v25.0/*/feed")
LINKEDIN_POSTS = ("linkedin", "POST", "/rest/posts")
X_REFUSAL = {"title": "Invalid Request", "detail": "One or more parameters to your request was invalid.", "status": 400}
UNKNOWN = "01a1fcda-7451-7617-8dc3-203f49eaf280"
PREFIXES = ("/v1", "/api/v1")
prefixes = pytest.mark.parametrize("prefix", PREFIXES)


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


@pytest.fixture(scope="module")
def hurried(tmp_path_factory, sandbox):
    """A service whose looks after a call in doubt take no time."""
    with Service(tmp_path_factory.mktemp("hurried-change") / "data", sandbox, ["--time-scale", "1000"]) as process:
        yield App(process, name="hurried").set_credentials("x", "linkedin", "tiktok").issue_token()


@pytest.fixture(scope="module")
def hurried_one(hurried):
    return {slug: hurried.account(slug) for slug in ("x", "linkedin", "tiktok")}


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def tomorrow(days=1):
    return utc(days * 86400)


def cancel(app, post_id, prefix="/v1"):
    return app.request("DELETE", f"{prefix}/posts/{post_id}")


def move(app, post_id, body, prefix="/v1"):
    return app.request("PATCH", f"{prefix}/posts/{post_id}", json=body)


def retry(app, post_id, prefix="/v1", **body):
    return app.post(f"{prefix}/posts/{post_id}/retry", **({"json": body} if body else {}))


def scheduled(app, one, **more):
    return app.accepted(one["x"], more.pop("text", marker("change")), scheduled_at=more.pop("at", tomorrow()), **more)["post_id"]


def counts(app):
    return {status: app.list(status=status, per_page=1)["meta"]["total"] for status in ("pending", "scheduled", "published", "failed")}


def refused(app, sandbox, account, text=None, **more):
    """A post that X refused for good: its id."""
    sandbox.fault(*X_TWEETS, "status", status=400, body=X_REFUSAL)
    post = app.wait_post(app.accepted(account, text or marker("refused"), **more)["post_id"])
    assert post["status"] == "failed"
    sandbox.clear_faults()
    return post["id"]


# ---- cancel ----


@prefixes
def test_cancel_a_scheduled_post(app, one, sandbox, prefix):
    text = marker("cancelled")
    post_id = scheduled(app, one, text=text)
    before = counts(app)
    answer = cancel(app, post_id, prefix)
    assert answer.status_code == 204 and answer.content == b""
    assert answer.headers.get("X-Request-Id")
    post = app.show(post_id)
    assert (post["status"], post["outcome"]) == ("failed", "none")
    error = only(post["platform_posts"])["error"]
    assert error["code"] == "CANCELLED" and error["message"] and error["transient"] is False
    after = counts(app)
    assert (after["scheduled"], after["failed"]) == (before["scheduled"] - 1, before["failed"] + 1)
    assert sandbox.ledger(text) == []


@prefixes
def test_cancel_twice(app, one, prefix):
    post_id = scheduled(app, one)
    assert cancel(app, post_id, prefix).status_code == 204
    before = app.show(post_id)
    assert cancel(app, post_id, prefix).status_code == 204
    assert app.show(post_id) == before and before["status"] == "failed"
    assert app.get(f"{prefix}/posts?status=failed").status_code == 200


def test_parts_from_acceptance_on(app, one):
    """One element for each container, also while nothing of the post has been sent."""
    post_id = app.accepted(one["x"], containers=[{"content": marker("a")}, {"content": marker("b")}], scheduled_at=tomorrow())["post_id"]
    pending = {"state": "pending", "remote_id": None, "url": None}
    assert only(app.show(post_id)["platform_posts"])["parts"] == [pending, pending]
    assert cancel(app, post_id).status_code == 204
    assert only(app.show(post_id)["platform_posts"])["parts"] == [pending | {"state": "failed"}, pending]


def test_cancel_a_published_post_is_too_late(app, one, sandbox):
    text = marker("published")
    post = app.published(one["x"], text)
    assert check_error(cancel(app, post["id"]), 409, "TOO_LATE")["details"] == {"status": "published"}
    assert app.show(post["id"]) == post
    only(sandbox.ledger(text))


def test_cancel_while_it_waits_to_be_tried_again(app, one, sandbox):
    """A rate limit refused the call: nothing is out, so the person's word counts."""
    text = marker("limited")
    sandbox.fault(*X_TWEETS, "rate_limit", status=429, retry_after=3600)
    post_id = app.accepted(one["x"], text)["post_id"]
    poll("the post is to be tried again", lambda: app.show(post_id)["state"] == "retrying")
    sandbox.clear_faults()
    assert cancel(app, post_id).status_code == 204
    assert only(app.show(post_id)["platform_posts"])["error"]["code"] == "CANCELLED"
    assert sandbox.ledger(text) == []


def test_cancel_after_the_first_part_is_too_late(app, one, sandbox):
    first, second = marker("first"), marker("second")
    sandbox.fault("facebook", "POST", "/v25.0/*/comments", "rate_limit", status=429, retry_after=60)
    data = app.accepted(one["facebook"], containers=[{"content": first}, {"content": second}])
    poll("the comment waits", lambda: app.show(data["post_id"])["state"] == "retrying")
    body = check_error(cancel(app, data["post_id"]), 409, "TOO_LATE")
    assert body["details"] == {"status": "retrying"}
    sandbox.clear_faults()
    assert app.wait_post(data["post_id"])["status"] == "published"
    only(sandbox.ledger(second))


def test_cancel_while_the_call_is_open_is_too_late(app, one, sandbox):
    text = marker("slow")
    sandbox.fault(*LINKEDIN_POSTS, "slow")
    post_id = app.accepted(one["linkedin"], text)["post_id"]
    poll("the call is made", lambda: any(text in row.get("body", "") for row in sandbox.log("api.linkedin.com", "/rest/posts")) or
         app.show(post_id)["status"] == "published")
    check_error(cancel(app, post_id), 409, "TOO_LATE")
    assert app.wait_post(post_id)["status"] == "published"
    only(sandbox.ledger(text))


def test_all_accounts_or_none(app, one, sandbox):
    """One account is done, the other waits: too late for both."""
    text = marker("both")
    sandbox.fault(*X_TWEETS, "rate_limit", status=429, retry_after=30)
    post_id = app.accepted([one["x"], one["facebook"]], text)["post_id"]
    poll("one is out, one waits", lambda: [item["state"] for item in app.show(post_id)["platform_posts"]] == ["retrying", "published"])
    check_error(cancel(app, post_id), 409, "TOO_LATE")
    sandbox.clear_faults()
    assert app.wait_post(post_id)["outcome"] == "all"
    assert len(sandbox.ledger(text)) == 2


def test_nothing_is_published_after_a_204(app, one, sandbox):
    """Cancels at the due moment of many posts: the ledger and the answers agree post by post."""
    due = time.time() + 4
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(due))
    posts = []
    for number in range(40):
        text = marker("race")
        slug = ("x", "facebook", "linkedin")[number % 3]
        posts.append((text, app.accepted(one[slug], text, scheduled_at=at)["post_id"]))
    answers = {}

    def cancel_at(moment, share):
        for offset, (text, post_id) in enumerate(share):
            time.sleep(max(0.0, moment + 0.04 * offset - time.time()))
            answers[text] = cancel(app, post_id).status_code

    begin = int(due)
    random.Random(7).shuffle(posts)
    threads = [threading.Thread(target=cancel_at, args=(begin - 0.1, posts[number::4])) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outcome = {text: app.wait_post(post_id) for text, post_id in posts}
    time.sleep(1)
    for text, _ in posts:
        seen = len(sandbox.ledger(text))
        assert answers[text] in (204, 409)
        assert seen == (0 if answers[text] == 204 else 1), (answers[text], outcome[text])
        assert outcome[text]["status"] == ("failed" if answers[text] == 204 else "published")
    assert 204 in answers.values(), "no cancel came in time"


def test_a_cancelled_post_does_not_hold_up_its_account(app, one):
    first = scheduled(app, one)
    assert cancel(app, first).status_code == 204
    app.published(one["x"], marker("next"))


# ---- reschedule ----


@prefixes
def test_reschedule(app, one, prefix):
    post_id, at = scheduled(app, one), tomorrow(3)
    before = counts(app)
    day = at[:10]
    on_day = app.list(date_from=day, date_to=day, per_page=1)["meta"]["total"]
    answer = move(app, post_id, {"scheduled_at": at}, prefix)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"data": app.show(post_id)}
    post = answer.json()["data"]
    assert (post["status"], post["scheduled_at"]) == ("scheduled", at)
    item = only(post["platform_posts"])
    assert (item["scheduled_at"], item["next_attempt_at"]) == (at, at)
    assert counts(app) == before
    assert app.list(date_from=day, date_to=day, per_page=1)["meta"]["total"] == on_day + 1


@pytest.mark.parametrize("when", [0, -60, -290], ids=["now", "a minute past", "almost five minutes past"])
def test_reschedule_to_now_publishes(app, one, sandbox, when):
    text = marker("now")
    post_id = scheduled(app, one, text=text)
    answer = move(app, post_id, {"scheduled_at": utc(when)})
    assert answer.status_code == 200, answer.text
    assert answer.json()["data"]["scheduled_at"] is None
    assert app.wait_post(post_id)["status"] == "published"
    only(sandbox.ledger(text))


def test_reschedule_earlier_wakes_the_engine(app, one, sandbox):
    text = marker("soon")
    post_id = scheduled(app, one, text=text)
    assert move(app, post_id, {"scheduled_at": utc(2)}).status_code == 200
    assert app.wait_post(post_id, timeout_s=15)["status"] == "published"
    only(sandbox.ledger(text))


def test_reschedule_later_is_kept(app, one, sandbox):
    text = marker("later")
    post_id = scheduled(app, one, text=text, at=utc(2))
    assert move(app, post_id, {"scheduled_at": tomorrow()}).status_code == 200
    time.sleep(4)
    assert app.show(post_id)["status"] == "scheduled"
    assert sandbox.ledger(text) == []


@pytest.mark.parametrize("value", ["", "tomorrow", "2030-02-30T00:00:00Z", "2030-01-01T00:00:00+00:00",
                                   "2030-01-01 00:00:00Z", 5, True, [], {}, utc(-600), utc(6 * 366 * 86400)])
def test_reschedule_to_what_is_no_time(app, one, value):
    post_id = scheduled(app, one)
    before = app.show(post_id)
    check_error(move(app, post_id, {"scheduled_at": value}), 422, "INVALID_SCHEDULE", ["scheduled_at"])
    assert app.show(post_id) == before


@prefixes
def test_reschedule_too_late(app, one, prefix):
    post = app.published(one["x"], marker("out"))
    body = check_error(move(app, post["id"], {"scheduled_at": tomorrow()}, prefix), 409, "TOO_LATE")
    assert body["details"] == {"status": "published"}
    cancelled = scheduled(app, one)
    cancel(app, cancelled)
    assert check_error(move(app, cancelled, {"scheduled_at": tomorrow()}), 409, "TOO_LATE")["details"] == {"status": "failed"}


# ---- retry ----


@prefixes
def test_retry_publishes_once(app, one, sandbox, prefix):
    text = marker("again")
    post_id = refused(app, sandbox, one["x"], text)
    before = counts(app)
    answer = retry(app, post_id, prefix)
    assert answer.status_code == 202, answer.text
    item = only(answer.json()["data"]["platform_posts"])
    assert answer.json()["data"]["id"] == post_id
    assert item["attempts"] in (0, 1) and item["error"] is None
    post = app.wait_post(post_id)
    assert (post["status"], post["outcome"]) == ("published", "all")
    only(sandbox.ledger(text))
    after = counts(app)
    assert (after["failed"], after["published"]) == (before["failed"] - 1, before["published"] + 1)
    body = check_error(retry(app, post_id, prefix), 409, "NOTHING_TO_RETRY")
    assert body["details"] == {"accounts": [{"id": one["x"], "reason": "published"}]}


@pytest.mark.parametrize("more", [{}, {"data": b"{}", "headers": {"Content-Type": "application/json"}},
                         {"json": {"republish": None, "account_ids": None}}], ids=["no body", "{}", "nulls"])
def test_retry_of_all(app, one, sandbox, more):
    text = marker("all")
    post_id = refused(app, sandbox, one["x"], text)
    assert app.post(f"/v1/posts/{post_id}/retry", **more).status_code == 202
    assert app.wait_post(post_id)["status"] == "published"
    only(sandbox.ledger(text))


def test_retry_of_a_thread_publishes_only_what_is_missing(app, one, sandbox):
    first, second = marker("first"), marker("second")
    sandbox.fault("facebook", "POST", "/v25.0/*/comments", "status", status=400,
                  body={"error": {"message": "no", "type": "OAuthException", "code": 100, "fbtrace_id": "A"}})
    post = app.wait_post(app.accepted(one["facebook"], containers=[{"content": first}, {"content": second}])["post_id"])
    sandbox.clear_faults()
    assert (post["status"], post["outcome"]) == ("published", "partial")
    assert [part["state"] for part in only(post["platform_posts"])["parts"]] == ["published", "failed"]
    root = only(sandbox.ledger(first))
    out_at = only(post["platform_posts"])["published_at"]
    assert sandbox.ledger(second) == []
    check_error(cancel(app, post["id"]), 409, "TOO_LATE")
    data = retry(app, post["id"]).json()["data"]
    assert [part["state"] for part in only(data["platform_posts"])["parts"]][0] == "published"
    post = app.wait_post(post["id"])
    assert (post["status"], only(post["platform_posts"])["platform_post_id"]) == ("published", root["id"])
    assert (post["outcome"], only(post["platform_posts"])["outcome"], only(post["platform_posts"])["error"]) == ("all", "all", None)
    assert only(post["platform_posts"])["published_at"] == out_at and only(post["platform_posts"])["warnings"] == []
    check_error(retry(app, post["id"]), 409, "NOTHING_TO_RETRY")
    assert [part["state"] for part in only(post["platform_posts"])["parts"]] == ["published", "published"]
    assert only(sandbox.ledger(first)) == root
    assert only(sandbox.ledger(second))["reply_to"] == root["id"]


def events(app):
    rows, cursor, has_more = [], 0, True
    while has_more:
        page = app.get("/v1/events", params={"after": cursor, "limit": 100}).json()
        rows += page["data"]
        cursor, has_more = page["meta"]["next_cursor"], page["meta"]["has_more"]
    return rows


def test_retry_of_a_part_that_is_refused_again(app, one, sandbox):
    """It is partial again: what is out stays as it is, and the second event says so too."""
    texts = [marker("first"), marker("second")]
    sandbox.fault("facebook", "POST", "/v25.0/*/comments", "status", status=400, times=2,
                  body={"error": {"message": "no", "type": "OAuthException", "code": 100, "fbtrace_id": "A"}})
    post = app.wait_post(app.accepted(one["facebook"], containers=[{"content": text} for text in texts])["post_id"])
    data = retry(app, post["id"]).json()["data"]
    assert data["status"] in ("pending", "processing") and data["outcome"] == "partial"  # the retry may have begun
    again = app.wait_post(post["id"])
    sandbox.clear_faults()
    assert (again["status"], again["outcome"]) == ("published", "partial")
    assert only(again["platform_posts"])["published_at"] == only(post["platform_posts"])["published_at"]
    told = [(event["event"], event["data"]["platform_post"]["outcome"]) for event in events(app)
            if event["data"].get("id") == post["id"] and "platform_post" in event["data"]]
    assert told == [("post.publish.succeeded", "partial")] * 2
    only(sandbox.ledger(texts[0]))
    assert sandbox.ledger(texts[1]) == []


def test_retry_of_one_account_leaves_the_other(app, one, sandbox):
    text = marker("half")
    sandbox.fault(*X_TWEETS, "status", status=400, body=X_REFUSAL)
    post = app.wait_post(app.accepted([one["x"], one["facebook"]], text)["post_id"])
    sandbox.clear_faults()
    assert (post["status"], post["outcome"]) == ("failed", "partial")
    body = check_error(retry(app, post["id"], account_ids=[one["facebook"]]), 409, "NOTHING_TO_RETRY")
    assert body["details"]["accounts"] == [{"id": one["facebook"], "reason": "published"}]
    answer = retry(app, post["id"], account_ids=[one["facebook"], one["x"]])
    assert answer.status_code == 202
    warning = only(answer.json()["data"]["warnings"])
    assert (warning["field"], warning["code"]) == ("account_ids.0", "published")
    assert app.wait_post(post["id"])["outcome"] == "all"
    assert sorted(entry["platform"] for entry in sandbox.ledger(text)) == ["facebook", "x"]


def test_retry_of_a_cancelled_post(app, one, sandbox):
    text = marker("after all")
    post_id = scheduled(app, one, text=text)
    assert cancel(app, post_id).status_code == 204
    answer = retry(app, post_id)
    assert answer.status_code == 202
    assert answer.json()["data"]["scheduled_at"] is None
    assert app.wait_post(post_id)["status"] == "published"
    only(sandbox.ledger(text))


def count_containers(sandbox):
    return len([row for row in sandbox.log("graph.facebook.com", method="POST") if row["path"].split("?")[0].endswith("/media")])


def test_retry_of_media_that_could_not_be_fetched(app, one, sandbox, media):
    """Instagram's container failed: the part begins anew with another one."""
    text = marker("picture")
    item = media.image()
    sandbox.fault(
        "instagram",
        "GET",
        "/v25.0/*",
        "status",
        status=200,
        body={
            "status_code": "ERROR",
            "status": "Error: 2207052",
            "id": "1"},
        times=20)
    post = app.wait_post(app.accepted(one["instagram"], text, media=[item])["post_id"], timeout_s=90)
    sandbox.clear_faults()
    assert post["status"] == "failed", post
    assert sandbox.ledger(text) == []
    containers = count_containers(sandbox)
    assert retry(app, post["id"]).status_code == 202
    assert app.wait_post(post["id"])["status"] == "published"
    only(sandbox.ledger(text))
    assert count_containers(sandbox) == containers + 1


def test_republish_goes_on_behind_a_call_that_was_made(hurried, hurried_one, sandbox, media):
    """TikTok has the whole video; only asking how it goes failed. Beginning anew would publish it twice."""
    text = marker("video")
    before = len(sandbox.log("open.tiktokapis.com", "/v2/post/publish/video/init/"))
    sandbox.fault("tiktok", "POST", "/v2/post/publish/status/fetch/", "status", status=400,
                  body={"data": {}, "error": {"code": "invalid_params", "message": "no", "log_id": "1"}}, times=50)
    post_id = hurried.accepted(hurried_one["tiktok"], text, media=[media.clip(duration=4)])["post_id"]
    post = hurried.wait_post(post_id)
    sandbox.clear_faults()
    assert only(post["platform_posts"])["error"]["code"] == "OUTCOME_UNKNOWN"
    assert retry(hurried, post_id, republish=True).status_code == 202
    assert hurried.wait_post(post_id)["status"] == "published"
    only(sandbox.ledger(text))
    assert len(sandbox.log("open.tiktokapis.com", "/v2/post/publish/video/init/")) == before + 1


def in_doubt(hurried, hurried_one, sandbox, effect):
    """A post to X whose outcome could not be proven, because X could not be asked: its id and text."""
    text = marker("doubt")
    sandbox.fault(*X_TWEETS, effect)
    sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=200, body={"data": [], "meta": {"result_count": 0}}, times=50)
    post = hurried.wait_post(hurried.accepted(hurried_one["x"], text)["post_id"], timeout_s=90)
    sandbox.clear_faults()
    assert only(post["platform_posts"])["error"]["code"] == "OUTCOME_UNKNOWN", post
    return post["id"], text


def test_an_unknown_outcome_is_retried_only_on_a_persons_word(hurried, hurried_one, sandbox):
    post_id, text = in_doubt(hurried, hurried_one, sandbox, "reset_before")
    assert sandbox.ledger(text) == []
    for body in ({}, {"republish": False}, {"account_ids": [hurried_one["x"]]}):
        answer = check_error(retry(hurried, post_id, **body), 409, "NOTHING_TO_RETRY")
        assert answer["details"]["accounts"] == [{"id": hurried_one["x"], "reason": "outcome_unknown"}]
    assert sandbox.ledger(text) == []
    assert retry(hurried, post_id, republish=True).status_code == 202
    assert hurried.wait_post(post_id)["status"] == "published"
    only(sandbox.ledger(text))


def test_republish_sends_although_it_landed(hurried, hurried_one, sandbox):
    """The person decides, and is believed: what was out all the same is out twice, or the platform refuses the double."""
    post_id, text = in_doubt(hurried, hurried_one, sandbox, "reset_after")
    only(sandbox.ledger(text))
    calls = len(sandbox.log("api.x.com", "/2/tweets", "POST"))
    assert retry(hurried, post_id, republish=True).status_code == 202
    hurried.wait_post(post_id)
    assert len(sandbox.log("api.x.com", "/2/tweets", "POST")) == calls + 1


def test_what_is_in_doubt_is_told_when_others_are_retried(hurried, hurried_one, sandbox):
    text = marker("mixed")
    sandbox.fault(*X_TWEETS, "reset_before")
    sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=200, body={"data": [], "meta": {"result_count": 0}}, times=50)
    sandbox.fault(*LINKEDIN_POSTS, "status", status=422, body={"message": "no", "status": 422})
    accounts = [hurried_one["linkedin"], hurried_one["x"]]
    post = hurried.wait_post(hurried.accepted(accounts, text)["post_id"], timeout_s=90)
    sandbox.clear_faults()
    data = retry(hurried, post["id"]).json()["data"]
    warning = only(data["warnings"])
    assert (warning["field"], warning["code"]) == ("platform_posts.1", "outcome_unknown")
    hurried.wait_post(post["id"])
    assert [entry["platform"] for entry in sandbox.ledger(text)] == ["linkedin"]


@pytest.mark.parametrize(
    "body, fields",
    [
        ({"account_ids": "x"}, ["account_ids"]),
        ({"account_ids": []}, ["account_ids"]),
        ({"account_ids": {}}, ["account_ids"]),
        ({"account_ids": ["x"] * 101}, ["account_ids"]),
        ({"account_ids": [5]}, ["account_ids.0"]),
        ({"account_ids": [None, "a", "a"]}, ["account_ids.0", "account_ids.2"]),
        ({"account_ids": [UNKNOWN]}, ["account_ids.0"]),
        ({"republish": "yes"}, ["republish"]),
        ({"republish": 1}, ["republish"]),
    ],
)
def test_retry_with_a_bad_body(app, one, sandbox, body, fields):
    post_id = scheduled(app, one)
    check_error(retry(app, post_id, **body), 422, "VALIDATION_ERROR", fields)


def test_retry_with_an_account_of_another_post(app, one, sandbox):
    post_id = refused(app, sandbox, one["x"])
    check_error(retry(app, post_id, account_ids=[one["x"], one["facebook"]]), 422, "VALIDATION_ERROR", ["account_ids.1"])
    assert app.show(post_id)["status"] == "failed"


def test_retry_with_an_unknown_field(app, one, sandbox):
    post_id = refused(app, sandbox, one["x"])
    check_error(retry(app, post_id, force=True), 422, "VALIDATION_ERROR", ["force"])
    assert app.show(post_id)["status"] == "failed"


def test_retry_of_what_is_under_way(app, one):
    post_id = scheduled(app, one)
    body = check_error(retry(app, post_id), 409, "NOTHING_TO_RETRY")
    assert body["details"]["accounts"] == [{"id": one["x"], "reason": "in_progress"}]


def test_retry_with_an_account_that_is_gone(app, sandbox):
    account = app.connect("facebook", user_id="user-gone").accounts[1]["id"]
    body = {
        "error": {
            "message": "Error validating access token",
            "type": "OAuthException",
            "code": 190,
            "error_subcode": 460,
            "fbtrace_id": "A"}}
    sandbox.fault(*FACEBOOK_FEED, "status", status=400, body=body, times=3)
    text = marker("gone")
    post_id = app.wait_post(app.accepted(account, text)["post_id"])["id"]
    sandbox.clear_faults()
    for more, field in (({}, "account_ids"), ({"account_ids": [account]}, "account_ids.0")):
        answer = check_error(retry(app, post_id, **more), 422, "INVALID_ACCOUNT", [field])
        assert answer["details"] == {"accounts": [{"id": account, "reason": "reauth_required"}]}
    again = app.connect("facebook", user_id="user-gone").accounts[1]
    assert again["id"] == account
    assert retry(app, post_id).status_code == 202
    assert app.wait_post(post_id)["status"] == "published"
    only(sandbox.ledger(text))


# ---- whose post ----


def calls(app, post_id, prefix):
    return [
        cancel(app, post_id, prefix),
        move(app, post_id, {"scheduled_at": tomorrow()}, prefix),
        retry(app, post_id, prefix),
        retry(app, post_id, prefix, republish=True),
    ]


@prefixes
def test_foreign_and_unknown_are_equal(app, other_app, one, prefix):
    post_id = scheduled(app, one)
    foreign, unknown = calls(other_app, post_id, prefix), calls(other_app, UNKNOWN, prefix)
    for mine, theirs in zip(foreign, unknown, strict=True):
        check_error(mine, 404, "NOT_FOUND")
        assert mine.content == theirs.content
    assert app.show(post_id)["status"] == "scheduled"


def test_changes_survive_a_kill(app, sandbox, tmp_path, start_service):
    """204 and 200 are promises kept on disk."""
    data = tmp_path / "data"
    service = start_service(sandbox, data=data)
    mine = App(service, name="killed").set_credentials("x").issue_token()
    account = mine.account("x")
    gone, moved = marker("gone"), marker("moved")
    first = mine.accepted(account, gone, scheduled_at=utc(4))["post_id"]
    second = mine.accepted(account, moved, scheduled_at=utc(4))["post_id"]
    assert cancel(mine, first).status_code == 204
    assert move(mine, second, {"scheduled_at": tomorrow()}).status_code == 200
    service.kill()
    mine.service = start_service(sandbox, data=data)
    time.sleep(5)
    assert mine.show(first)["status"] == "failed" and mine.show(second)["status"] == "scheduled"
    assert sandbox.ledger(gone) == [] and sandbox.ledger(moved) == []
