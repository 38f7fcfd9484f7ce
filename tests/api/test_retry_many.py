# SPDX-License-Identifier: Apache-2.0
"""Retry of many (api-decisions.md 12): the filters, the brakes, and what the world sees after every way to double in bulk."""
import concurrent.futures
import contextlib
import datetime
import time

import pytest
import requests

from harness import App, Service, check_error, marker, poll, utc
from test_keys import create

X_TWEETS = ("x", "POST", "/2/tweets")
FACEBOOK_FEED = ("facebook", "POST", "/v25.0/*/feed")
REFUSAL = {"title": "Invalid Request", "detail": "One or more parameters to your request was invalid.", "status": 400}
UNKNOWN = {"error_codes": ["OUTCOME_UNKNOWN"], "republish": True}


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


@pytest.fixture
def own(tmp_path, sandbox):
    """An app that has nothing else that failed."""
    with Service(tmp_path / "data", sandbox, ["--time-scale", "1000", "--rate-limit", "0"]) as process:
        app = App(process, name="many").set_credentials("x", "facebook").issue_token()
        app.one = {"x": app.account("x"), "facebook": app.account("facebook")}
        yield app


def retry(app, status=202, prefix="/v1", **body):
    answer = app.post(f"{prefix}/posts/retry", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()["data"]


def counted(app, **body):
    return retry(app, 200, dry_run=True, **body)["count"]


def refuse(app, sandbox, account, count=1, text=None, **more):
    """Posts that X refused for good: {post id: text}."""
    sandbox.fault(*X_TWEETS, "status", status=400, body=REFUSAL, times=count)
    posts = {}
    for _ in range(count):
        one = text or marker("refused")
        posts[app.accepted(account, one, **more)["post_id"]] = one
    for post_id in posts:
        assert app.wait_post(post_id)["status"] == "failed"
    sandbox.clear_faults()
    return posts


def doubt(app, sandbox, count, effect="reset_before"):
    """Posts whose outcome nobody could prove: {post id: text}."""
    sandbox.fault(*X_TWEETS, effect, times=count)
    sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=200, body={"data": [], "meta": {"result_count": 0}}, times=50 * count)
    posts = {}
    for _ in range(count):
        text = marker("doubt")
        posts[app.accepted(app.one["x"], text)["post_id"]] = text
    for post_id in posts:
        error = app.wait_post(post_id, timeout_s=90)["platform_posts"][0]["error"]
        assert error["code"] == "OUTCOME_UNKNOWN", error
    sandbox.clear_faults()
    return posts


def each_once(app, sandbox, posts):
    for post_id, text in posts.items():
        assert app.wait_post(post_id)["status"] == "published"
        assert [entry["text"] for entry in sandbox.ledger(text)] == [text]


def ago(days=0, minutes=0):
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days, minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# ---- the body ----


@pytest.mark.parametrize("body, field", [
    ({}, "account_ids"),
    ({"dry_run": True, "expect": 1}, "account_ids"),
    ({"account_ids": None, "error_codes": None, "since": None}, "account_ids"),
    ({"account_ids": []}, "account_ids"),
    ({"account_ids": "a"}, "account_ids"),
    ({"account_ids": ["a", 1]}, "account_ids.1"),
    ({"account_ids": ["a", "a"]}, "account_ids.1"),
    ({"account_ids": [str(i) for i in range(101)]}, "account_ids"),
    ({"error_codes": []}, "error_codes"),
    ({"error_codes": "RATE_LIMITED"}, "error_codes"),
    ({"error_codes": ["RATE_LIMITED", "rate_limited"]}, "error_codes.1"),
    ({"error_codes": [1]}, "error_codes.0"),
    ({"error_codes": ["RATE_LIMITED", "RATE_LIMITED"]}, "error_codes.1"),
    ({"since": "yesterday"}, "since"),
    ({"since": 1}, "since"),
    ({"since": ago(days=31)}, "since"),
    ({"since": ago(), "expect": -1}, "expect"),
    ({"since": ago(), "expect": 1001}, "expect"),
    ({"since": ago(), "expect": "1"}, "expect"),
    ({"since": ago(), "dry_run": 1}, "dry_run"),
    ({"since": ago(), "republish": "yes"}, "republish"),
    ({"since": ago(), "republish": True, "expect": 1}, "error_codes"),
    ({"error_codes": ["OUTCOME_UNKNOWN", "RATE_LIMITED"], "republish": True, "expect": 1}, "error_codes"),
    (UNKNOWN, "expect"),
    ({"since": ago(), "dryRun": True}, "dryRun"),
])
def test_a_wrong_body(app, body, field):
    for prefix in ("/v1", "/api/v1"):
        check_error(app.post(f"{prefix}/posts/retry", json=body), 422, "VALIDATION_ERROR", [field])


def test_what_is_no_body(app):
    check_error(app.post("/v1/posts/retry", data="{", headers={"Content-Type": "application/json"}), 400, "MALFORMED_JSON")
    check_error(app.post("/v1/posts/retry", data="a=1"), 415, "UNSUPPORTED_MEDIA_TYPE")
    answer = app.get("/v1/posts/retry")
    assert answer.status_code == 405 and answer.headers["Allow"] == "POST"
    assert app.post("/v1/posts/retry", json={"since": ago(days=30)}).status_code == 202


def test_the_scope(app):
    key = create(app, "read,drafts,remove")["key"]
    answer = app.service.request("POST", "/v1/posts/retry", json={"since": ago()}, headers={"Authorization": f"Bearer {key}"})
    assert check_error(answer, 403, "INSUFFICIENT_SCOPE")["details"] == {"required": "publish"}


# ---- which ----


def test_the_filters(own, sandbox):
    cancelled = own.accepted(own.one["x"], marker("cancelled"), scheduled_at=utc(86400))["post_id"]
    assert own.request("DELETE", f"/v1/posts/{cancelled}").status_code == 204
    own.published(own.one["x"], marker("fine"))
    before = ago(minutes=1)
    posts = refuse(own, sandbox, own.one["x"], 3)
    code = own.show(next(iter(posts)))["platform_posts"][0]["error"]["code"]
    assert counted(own, since=before) == 3
    assert counted(own, account_ids=[own.one["x"]]) == 3
    assert counted(own, account_ids=[own.one["facebook"], "unknown"]) == 0
    assert counted(own, error_codes=[code]) == 3
    assert counted(own, error_codes=["RATE_LIMITED"]) == 0
    assert counted(own, error_codes=[code], account_ids=[own.one["facebook"]]) == 0
    assert counted(own, since=utc(60)) == 0
    skipped = retry(own, 200, error_codes=["CANCELLED", "OUTCOME_UNKNOWN"], dry_run=True)
    assert skipped["count"] == 0 and {warning["code"] for warning in skipped["warnings"]} == {"cancelled", "outcome_unknown"}
    assert all(own.show(post_id)["status"] == "failed" for post_id in posts)  # nothing was done by looking
    assert retry(own, 202, prefix="/api/v1", since=before) == {"count": 3, "post_ids": sorted(posts), "more": False}
    each_once(own, sandbox, posts)
    assert retry(own, 202, since=before) == {"count": 0, "post_ids": [], "more": False}
    assert own.show(cancelled)["platform_posts"][0]["error"]["code"] == "CANCELLED"


def test_another_apps_posts_are_not_there(own, sandbox):
    posts = refuse(own, sandbox, own.one["x"], 1)
    other = App(own.service, name="other", owner="other@example.com").set_credentials("x").issue_token()
    for body in ({"since": ago(minutes=5)}, {"account_ids": [own.one["x"]]}):
        assert counted(other, **body) == 0 and retry(other, **body)["count"] == 0
    assert own.show(next(iter(posts)))["status"] == "failed"


def test_accounts_that_were_connected_again(own, sandbox):
    """One ended token fails every post of the account; once it is connected again, one call brings them all back."""
    account = own.one["facebook"]
    body = {"error": {"message": "Error validating access token", "type": "OAuthException", "code": 190, "error_subcode": 460,
                      "fbtrace_id": "A"}}
    sandbox.fault(*FACEBOOK_FEED, "status", status=400, body=body, times=20)
    posts = {own.accepted(account, text, scheduled_at=utc(2))["post_id"]: text for text in (marker("gone"), marker("gone"), marker("gone"))}
    codes = {own.wait_post(post_id)["platform_posts"][0]["error"]["code"] for post_id in posts}
    assert codes == {"ACCOUNT_REAUTH_REQUIRED"}
    sandbox.clear_faults()
    assert counted(own, error_codes=["ACCOUNT_REAUTH_REQUIRED"]) == 0  # they could not go out
    assert own.account("facebook") == account
    assert retry(own, error_codes=["ACCOUNT_REAUTH_REQUIRED"], expect=3)["count"] == 3
    each_once(own, sandbox, posts)


def test_missing_parts_and_nothing_that_is_out(own, sandbox):
    first, second = marker("first"), marker("second")
    sandbox.fault("facebook", "POST", "/v25.0/*/comments", "status", status=400,
                  body={"error": {"message": "no", "type": "OAuthException", "code": 100, "fbtrace_id": "A"}}, times=5)
    post_id = own.accepted(own.one["facebook"], containers=[{"content": first}, {"content": second}])["post_id"]
    assert own.wait_post(post_id)["outcome"] == "partial"
    sandbox.clear_faults()
    assert retry(own, since=ago(minutes=5)) == {"count": 1, "post_ids": [post_id], "more": False}
    poll("the comment is there", lambda: own.show(post_id)["outcome"] == "all")
    assert len(sandbox.ledger(first)) == 1 and len(sandbox.ledger(second)) == 1


def test_a_post_whose_time_was_still_to_come_is_immediate(own, sandbox):
    """Its account was disconnected: so its scheduled post failed; connected again, a retry publishes at once."""
    text = marker("later")
    post_id = own.accepted(own.one["facebook"], text, scheduled_at=utc(86400))["post_id"]
    assert own.request("DELETE", f"/v1/accounts/{own.one['facebook']}").status_code == 204
    assert own.wait_post(post_id)["platform_posts"][0]["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED"
    assert own.account("facebook") == own.one["facebook"]
    assert retry(own, since=ago(minutes=5))["post_ids"] == [post_id]
    each_once(own, sandbox, {post_id: text})
    assert own.show(post_id)["scheduled_at"] is None


# ---- the brakes ----


def test_expect(own, sandbox):
    posts = refuse(own, sandbox, own.one["x"], 2)
    for wrong in (0, 1, 3, 1000):
        answer = check_error(own.post("/v1/posts/retry", json={"since": ago(minutes=5), "expect": wrong}), 409, "COUNT_CHANGED")
        assert answer["details"] == {"expected": wrong, "count": 2}
    assert all(own.show(post_id)["status"] == "failed" for post_id in posts)
    assert retry(own, since=ago(minutes=5), expect=2)["count"] == 2
    each_once(own, sandbox, posts)
    assert retry(own, since=ago(minutes=5), expect=0)["count"] == 0


def test_unknown_outcomes(own, sandbox):
    posts = doubt(own, sandbox, 3)
    assert counted(own, since=ago(minutes=5)) == 0
    assert retry(own, since=ago(minutes=5))["count"] == 0
    assert retry(own, error_codes=["OUTCOME_UNKNOWN"])["count"] == 0
    number = counted(own, **UNKNOWN)
    assert number == 3
    check_error(own.post("/v1/posts/retry", json={**UNKNOWN, "expect": 2}), 409, "COUNT_CHANGED")
    assert all(sandbox.ledger(text) == [] for text in posts.values())
    assert retry(own, **UNKNOWN, expect=number)["count"] == 3
    each_once(own, sandbox, posts)
    check_error(own.post("/v1/posts/retry", json={**UNKNOWN, "expect": number}), 409, "COUNT_CHANGED")


def test_many_calls_at_once_double_nothing(own, sandbox):
    """What may be out already, retried by a dozen callers at one moment: one of them has the number, and each goes out once."""
    posts = doubt(own, sandbox, 12)
    body = {**UNKNOWN, "expect": counted(own, **UNKNOWN)}
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: own.post("/v1/posts/retry", json=body), range(12)))
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 11
    each_once(own, sandbox, posts)
    again = refuse(own, sandbox, own.one["x"], 12)
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: retry(own, since=ago(minutes=5)), range(12)))
    assert sum(answer["count"] for answer in answers) == 12
    assert sorted(sum((answer["post_ids"] for answer in answers), [])) == sorted(again)
    each_once(own, sandbox, again)


def test_beside_retries_of_one(own, sandbox):
    posts = doubt(own, sandbox, 8)

    def single(post_id):
        return own.post(f"/v1/posts/{post_id}/retry", json={"republish": True}).status_code

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        singles = [pool.submit(single, post_id) for post_id in posts]
        bulk = [pool.submit(own.post, "/v1/posts/retry", json={**UNKNOWN, "expect": 8}) for _ in range(4)]
        assert {one.result() for one in singles} <= {202, 409}
        assert {one.result().status_code for one in bulk} <= {202, 409}
    each_once(own, sandbox, posts)


def cut_off(service, app, body, delay_s):
    """Makes the call and kills the service so long after its begin."""
    app.service = service
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(app.post, "/v1/posts/retry", json=body, timeout=10)
        time.sleep(delay_s)
        service.kill()
        with contextlib.suppress(requests.ConnectionError, requests.Timeout):
            assert call.result().status_code == 202


def test_a_kill_in_the_middle_doubles_nothing_and_a_repeat_goes_on(tmp_path, sandbox):
    """More platform posts than one transaction takes, and kill -9 at several moments of the call. Paused: what was retried stays
    pending, so each shows whether it was."""
    data, options = tmp_path / "data", ["--time-scale", "1000", "--rate-limit", "0"]
    with Service(data, sandbox, options) as process:
        app = App(process, name="killed").set_credentials("facebook").issue_token()
        accounts = [app.connect("facebook", user_id=f"user-{i}").accounts[0]["id"] for i in range(20)]
        sandbox.fault(*FACEBOOK_FEED, "status", status=400, times=1000,
                      body={"error": {"message": "no", "type": "OAuthException", "code": 100, "fbtrace_id": "A"}})
        posts = {}
        for text in [marker("killed") for _ in range(8)]:
            own = {account: {"content": f"{text} {i}"} for i, account in enumerate(accounts)}  # they are all one Page
            posts[app.accepted(accounts, text, overrides=own)["post_id"]] = text
        for post_id in posts:
            assert app.wait_post(post_id)["status"] == "failed"
        sandbox.clear_faults()
        since, number = ago(minutes=10), len(posts) * len(accounts)
        assert counted(app, since=since) == number
        assert app.cli("pause", "--app", app.client_id).returncode == 0
    left, cut = number, []
    for delay_s in (0.0, 0.01, 0.02, 0.04, 0.06, 0.08):
        cut_off(Service(data, sandbox, options), app, {"since": since, "expect": left}, delay_s)
        with Service(data, sandbox, options) as process:
            app.service = process
            now = counted(app, since=since) if left > 0 else 0
            pending = sum(target["status"] == "pending" for post_id in posts for target in app.show(post_id)["platform_posts"])
            assert pending == number - now  # each of them is one or the other
            cut, left = [*cut, left - now], now
    print(f"retried before each kill: {cut}")
    with Service(data, sandbox, options) as process:
        app.service = process
        assert retry(app, since=since, expect=left)["count"] == left
        assert counted(app, since=since) == 0
        assert app.cli("resume", "--app", app.client_id).returncode == 0
        for post_id, text in posts.items():
            assert app.wait_post(post_id, timeout_s=120)["status"] == "published"
            assert len(sandbox.ledger(f"{text} ")) == len(accounts)
