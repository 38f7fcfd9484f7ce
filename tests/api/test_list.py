# SPDX-License-Identifier: Apache-2.0
"""Endpoint 6, GET /v1/posts: the list's shape, filters, pages and validation. The app of this file owns exactly the posts
made by the fixture `posts`, so totals can be told."""
import datetime
import urllib.parse

import pytest

from harness import INSTANT, UUID, App, check_error, check_message_counts, marker, poll

YEAR = datetime.date.today().year + 1
POST_FIELDS = {
    "id",
    "request_id",
    "external_user_id",
    "status",
    "mode",
    "scheduled_at",
    "created_at",
    "containers",
    "platform_posts",
    "tags"}
PLATFORM_POST_FIELDS = {"id", "account_id", "platform", "handle", "status", "scheduled_at"}
MEDIA_FIELDS = {"url", "type", "alt_text", "thumbnail_url", "duration", "mime_type"}


class Posts:
    """What the app of this file has: 25 scheduled, 1 published, 1 failed; two users."""


@pytest.fixture(scope="module")
def posts(service, sandbox, media):
    app = App(service, name="list tests", owner="list@example.com").set_credentials("x", "facebook", "linkedin").issue_token()
    made = Posts()
    made.app = app
    made.x = app.account("x", user_id="alice")
    made.facebook = app.account("facebook", user_id="bob")
    made.days = {}
    for day, clock in [(1, "00:00:00"), (1, "23:59:59.999999"), (2, "00:00:00"), (3, "12:00:00"), (5, "12:00:00")]:
        at = f"{YEAR}-03-{day:02}T{clock}Z"
        made.days[at] = app.accepted(made.x, marker(), scheduled_at=at)["post_id"]
    made.both = app.accepted([made.x, made.facebook], marker(), scheduled_at=f"{YEAR}-06-01T00:00:00Z")["post_id"]
    made.bobs = app.accepted(made.facebook, marker(), scheduled_at=f"{YEAR}-06-02T00:00:00Z")["post_id"]
    made.many = [app.accepted(made.x, f"{number}", scheduled_at=f"{YEAR}-09-01T00:00:00Z")["post_id"] for number in range(18)]
    made.published = app.published(made.x, marker("published"))["id"]
    sandbox.fault("facebook", "POST", "/v25.0/*/feed", "status", status=400,
                  body={"error": {"message": "Invalid parameter", "type": "OAuthException", "code": 100, "fbtrace_id": "A"}})
    made.failed = app.wait_post(app.accepted(made.facebook, marker("failed"))["post_id"])["id"]
    sandbox.clear_faults()
    made.total = 27
    made.newest_first = [made.failed, made.published, *reversed(made.many), made.bobs, made.both, *reversed(made.days.values())]
    return made


def ids(answer):
    return [post["id"] for post in answer["data"]]


# ---- shape ----


def test_elements(posts):
    answer = posts.app.list(per_page=100)
    assert set(answer) == {"data", "meta"}
    assert answer["meta"] == {"current_page": 1, "per_page": 100, "total": 27, "last_page": 1}
    assert ids(answer) == posts.newest_first
    for post in answer["data"]:
        assert POST_FIELDS <= set(post) <= POST_FIELDS | {"state", "outcome", "max_lateness", "overrides"}
        assert UUID.match(post["id"]) and UUID.match(post["request_id"]) and INSTANT.match(post["created_at"])
        assert post["tags"] == [] and post["mode"] == "basic"
        assert post["status"] in ("pending", "scheduled", "published", "failed")
        for item in post["platform_posts"]:
            assert PLATFORM_POST_FIELDS | {"platform_post_id", "url", "error", "outcome", "visibility", "warnings"} <= set(item)
            assert item["status"] in ("pending", "scheduled", "published", "failed")
            assert item["platform"] in ("x", "facebook")
            assert item["handle"] in ("jodoe", "harbourbakery")


def test_scheduled_element(posts):
    at, post_id = next(iter(posts.days.items()))
    post = next(post for post in posts.app.list(per_page=100)["data"] if post["id"] == post_id)
    assert (post["status"], post["state"], post["outcome"]) == ("scheduled", "scheduled", "none")
    assert post["scheduled_at"] == post["platform_posts"][0]["scheduled_at"] == at
    assert post["external_user_id"] == "alice"
    assert post["platform_posts"][0]["error"] is None


def test_published_and_failed_elements(posts, sandbox):
    by_id = {post["id"]: post for post in posts.app.list(per_page=100)["data"]}
    published, failed = by_id[posts.published], by_id[posts.failed]
    assert (published["status"], published["outcome"], published["scheduled_at"]) == ("published", "all", None)
    assert published["platform_posts"][0]["platform_post_id"] in {entry["id"] for entry in sandbox.ledger(platform="x")}
    assert published["platform_posts"][0]["url"].startswith("https://x.com/jodoe/status/")
    assert (failed["status"], failed["outcome"]) == ("failed", "none")
    assert set(failed["platform_posts"][0]["error"]) == {"code", "message"}


def test_containers_echo_the_request(posts):
    media = [{"url": "https://media.example.com/b.jpg", "type": "image", "alt_text": "b"}, {"url": "https://media.example.com/a.jpg",
                                                                                            "type": "image", "mime_type": "image/jpeg", "thumbnail_url": "https://media.example.com/t.jpg"}]
    app = App(posts.app.service, name="echo", owner="echo@example.com").set_credentials("facebook").issue_token()
    account = app.account("facebook")
    containers = [{"content": "first", "media": media}, {"content": "second\n<b>"}]
    app.accepted(account, containers=containers, scheduled_at=f"{YEAR}-01-01T00:00:00Z")
    post = app.list()["data"][0]
    assert post["mode"] == "advanced"
    assert [container["content"] for container in post["containers"]] == ["first", "second\n<b>"]
    assert post["containers"][1]["media"] == []
    for given, shown in zip(media, post["containers"][0]["media"], strict=True):
        assert set(shown) == MEDIA_FIELDS
        assert shown == {name: given.get(name) for name in MEDIA_FIELDS}


def test_empty_list(service):
    app = App(service, name="empty").issue_token()
    assert app.list() == {"data": [], "meta": {"current_page": 1, "per_page": 20, "total": 0, "last_page": 1}}


def test_both_prefixes(posts):
    assert posts.app.get("/api/v1/posts").json() == posts.app.get("/v1/posts").json()


# ---- pages ----


@pytest.mark.parametrize("per_page", [1, 2, 5, 9, 20, 26, 27, 28, 100])
def test_pages(posts, per_page):
    seen, page = [], 1
    while True:
        answer = posts.app.list(page=page, per_page=per_page)
        last = -(-posts.total // per_page)
        assert answer["meta"] == {"current_page": page, "per_page": per_page, "total": posts.total, "last_page": last}
        seen += ids(answer)
        if page == last:
            break
        assert len(answer["data"]) == per_page
        page += 1
    assert seen == posts.newest_first


def test_defaults(posts):
    answer = posts.app.list()
    assert (answer["meta"]["current_page"], answer["meta"]["per_page"], len(answer["data"])) == (1, 20, 20)


def test_beyond_the_last_page(posts):
    answer = posts.app.list(page=1000)
    assert answer["data"] == []
    assert answer["meta"] == {"current_page": 1000, "per_page": 20, "total": 27, "last_page": 2}


# ---- filters ----


@pytest.mark.parametrize("status, count", [("pending", 0), ("scheduled", 25), ("published", 1), ("failed", 1)])
def test_status(posts, status, count):
    answer = posts.app.list(status=status, per_page=100)
    assert answer["meta"]["total"] == len(answer["data"]) == count
    assert all(post["status"] == status for post in answer["data"])


def test_pending_finds_work_under_way(posts, sandbox):
    app = App(posts.app.service, name="retrying", owner="retrying@example.com").set_credentials("x").issue_token()
    account = app.account("x")
    sandbox.fault("x", "POST", "/2/tweets", "rate_limit", status=429, retry_after=40)
    post_id = app.accepted(account, marker("waits"))["post_id"]
    poll("the platform said to wait", lambda: app.show(post_id)["platform_posts"][0]["error"])
    answer = app.list(status="pending")
    assert ids(answer) == [post_id] and answer["meta"]["total"] == 1
    assert answer["data"][0]["status"] == "pending"
    assert answer["data"][0]["state"] in ("processing", "retrying")
    sandbox.clear_faults()
    app.wait_post(post_id)
    assert app.list(status="pending")["meta"]["total"] == 0


DATES = {
    # from, to -> how many of the five in March
    "one day, both ends": (1, 1, 2),
    "two days": (1, 2, 3),
    "gap day": (4, 4, 0),
    "all": (1, 31, 5),
    "end only in front": (2, 5, 3),
    "last": (5, 5, 1),
}


@pytest.mark.parametrize("first, last, count", DATES.values(), ids=DATES.keys())
def test_dates(posts, first, last, count):
    answer = posts.app.list(date_from=f"{YEAR}-03-{first:02}", date_to=f"{YEAR}-03-{last:02}", per_page=100)
    expected = [post_id for at, post_id in posts.days.items() if first <= int(at[8:10]) <= last]
    assert sorted(ids(answer)) == sorted(expected) and answer["meta"]["total"] == count == len(expected)


def test_one_date_alone(posts):
    assert posts.app.list(date_from=f"{YEAR}-03-05")["meta"]["total"] == 1 + 2 + 18
    assert posts.app.list(date_to=f"{YEAR}-03-01")["meta"]["total"] == 2 + 2  # the immediate ones are older
    assert posts.app.list(date_from=f"{YEAR + 1}-01-01")["meta"]["total"] == 0


def test_immediate_posts_go_by_their_creation(posts):
    created = next(post for post in posts.app.list(status="published")["data"])["created_at"][:10]
    assert posts.app.list(date_from=created, date_to=created)["meta"]["total"] >= 1
    assert posts.app.list(date_from=created, date_to=created, status="published")["meta"]["total"] == 1


USERS = {
    "alice": (["alice"], 5 + 1 + 18 + 1),
    "bob finds posts of his among others'": (["bob"], 3),
    "both": (["alice", "bob"], 27),
    "nobody": (["carol"], 0),
    "nobody and bob": (["carol", "bob"], 3),
    "twice the same": (["bob", "bob"], 3),
    "case": (["Bob"], 0),
    "empty": ([""], 0),
}


@pytest.mark.parametrize("users, count", USERS.values(), ids=USERS.keys())
def test_external_user_ids(posts, users, count):
    answer = posts.app.list(**{"external_user_ids[]": users}, per_page=100)
    assert answer["meta"]["total"] == len(answer["data"]) == count


@pytest.mark.parametrize("query",
                         ["external_user_ids[]=bob&external_user_ids[]=carol",
                          "external_user_ids[0]=bob&external_user_ids[1]=carol",
                          "external_user_ids%5B%5D=bob",
                          "external_user_ids%5B7%5D=bob",
                          "external_user_ids[]=carol&external_user_ids%5B0%5D=bob"])
def test_spellings_of_an_array(posts, query):
    answer = posts.app.get(f"/v1/posts?{query}")
    assert answer.status_code == 200 and answer.json()["meta"]["total"] == 3


def test_account_ids(posts):
    assert posts.app.list(**{"account_ids[]": [posts.facebook]})["meta"]["total"] == 3
    assert posts.app.list(**{"account_ids[]": [posts.x, posts.facebook]})["meta"]["total"] == 27
    assert posts.app.list(**{"account_ids[]": ["x"]})["meta"]["total"] == 0


@pytest.mark.parametrize("slug, count", [("x", 25), ("twitter", 25), ("facebook", 3), ("linkedin", 0)])
def test_platform(posts, slug, count):
    assert posts.app.list(platform=slug)["meta"]["total"] == count


def test_filters_are_combined(posts):
    query = {
        "external_user_ids[]": ["bob"],
        "status": "scheduled",
        "date_from": f"{YEAR}-06-01",
        "date_to": f"{YEAR}-06-01",
        "platform": "facebook"}
    answer = posts.app.list(**query)
    assert ids(answer) == [posts.both] and answer["meta"]["total"] == 1
    assert posts.app.list(**{**query, "platform": "linkedin"})["meta"]["total"] == 0
    assert posts.app.list(**{**query, "per_page": 1, "page": 2})["meta"] == {"current_page": 2, "per_page": 1, "total": 1, "last_page": 1}


# ---- 422 ----

WRONG = {
    "date_from": [
        "x",
        "2026-1-1",
        "2026-02-30",
        "2026-13-01",
        "01-01-2026",
        "2026/01/01",
        "2026-01-01T00:00:00Z",
        "20260101",
        "2027-02-29",
        " 2026-01-01",
        "2026-01-01 "],
    "date_to": [
            "x",
            "2026-02-30",
            "2026-00-10",
            "tomorrow",
            "2026-01-32"],
    "status": [
                "x",
                "Published",
                "processing",
                "retrying",
                "pending,failed",
                "draft",
                " pending"],
    "page": [
                    "0",
                    "-1",
                    "x",
                    "1.5",
                    "1e3",
                    " 1",
                    "99999999999999999999",
                    "",
                    "0x1",
                    "+1"],
    "per_page": [
                        "0",
                        "101",
                        "-1",
                        "x",
                        "1.5",
                        "",
                        "99999999999999999999"],
    "platform": [
                            "myspace",
                            "X",
                            "3"],
    "external_user_ids": [
                                "bob",
                                ""],
    "account_ids": ["x"],
                                 }


@pytest.mark.parametrize("name, value", [(name, value) for name, values in WRONG.items() for value in values], ids=lambda v: repr(v))
def test_validation(posts, name, value):
    if (name, value) == ("page", "+1"):
        value = "%2B1"
    answer = posts.app.get(f"/v1/posts?{name}={value if value == '%2B1' else urllib.parse.quote(value)}")
    body = check_error(answer, 422, "VALIDATION_ERROR", [name])
    check_message_counts(body)


def test_date_to_before_date_from(posts):
    answer = posts.app.get("/v1/posts", params={"date_from": "2026-03-02", "date_to": "2026-03-01"})
    check_error(answer, 422, "VALIDATION_ERROR", ["date_to"])
    assert posts.app.get("/v1/posts", params={"date_from": "2026-03-01", "date_to": "2026-03-01"}).status_code == 200


def test_message_counts_the_errors(posts):
    body = check_error(posts.app.get("/v1/posts?page=0&status=x"), 422, "VALIDATION_ERROR", ["page", "status"])
    assert body["message"].endswith(" (and 1 more error)")
    body = check_error(posts.app.get("/v1/posts?page=0&status=x&per_page=0&date_from=x"),
                       422, "VALIDATION_ERROR", ["page", "status", "per_page", "date_from"])
    assert body["message"].endswith(" (and 3 more errors)")


def test_100_values_at_most(posts):
    many = {"external_user_ids[]": [f"{number}" for number in range(100)]}
    assert posts.app.list(**many)["meta"]["total"] == 0
    many["external_user_ids[]"].append("bob")
    check_error(posts.app.get("/v1/posts", params=many), 422, "VALIDATION_ERROR", ["external_user_ids"])


def test_unauthenticated(service):
    body = check_error(service.request("GET", "/v1/posts?page=0"), 401, "UNAUTHENTICATED")
    assert isinstance(body["message"], str)
