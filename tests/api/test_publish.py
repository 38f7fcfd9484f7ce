# SPDX-License-Identifier: Apache-2.0
"""Endpoint 5, POST /v1/posts/publish: what is accepted, what is refused and in which order, and that a refused request
leaves nothing behind. What becomes of accepted posts is in test_publish_flows.py."""
import concurrent.futures
import datetime
import uuid

import pytest

from harness import INSTANT, PLATFORM_IDS, UUID, App, Service, check_error, check_message_counts, marker, stores_nothing, utc

PATH = "/v1/posts/publish"
LATER = utc(3 * 86400)  # most tests schedule, so that nothing is really sent
UNKNOWN_ID = "01a1fcda-7451-7617-8dc3-203f49eaf280"


def later(app, account_ids, content=None, **more):
    """publish(), scheduled days ahead."""
    more.setdefault("scheduled_at", LATER)
    return app.publish(account_ids, content, **more)


def refused(app, one, status, code, fields=None, **more):
    """A request that is good but for `more`: refused, nothing stored, its request_id still free. `more` may override
    account_ids and content; None leaves a field out."""
    request_id = uuid.uuid4().hex
    body = {"account_ids": [one["x"]], "content": marker(), "scheduled_at": LATER, "request_id": request_id, **more}
    body = {name: value for name, value in body.items() if value is not ...}
    with stores_nothing(app):
        answer = app.post(PATH, json=body)
        result = check_error(answer, status, code, fields)
    if "errors" in result:
        check_message_counts(result)
    if body.get("request_id") == request_id:
        assert later(app, one["x"], marker(), request_id=request_id).status_code == 202
    return result


# ---- accepted ----


def test_immediate(app, one):
    answer = app.publish([one["x"], one["facebook"]], marker())
    assert answer.status_code == 202
    body = answer.json()
    assert set(body) == {"message", "data"}
    assert body["message"] == "Post accepted for publishing."
    data = body["data"]
    assert {"post_id", "status", "total_accounts", "scheduled_at", "mode", "platform_posts"} <= set(data)
    assert UUID.match(data["post_id"])
    assert (data["status"], data["total_accounts"], data["scheduled_at"], data["mode"]) == ("pending", 2, None, "basic")
    assert [set(item) for item in data["platform_posts"]] == [{"id", "account_id", "platform_id", "status"}] * 2
    assert [item["account_id"] for item in data["platform_posts"]] == [one["x"], one["facebook"]]
    assert [item["platform_id"] for item in data["platform_posts"]] == [PLATFORM_IDS["x"], PLATFORM_IDS["facebook"]]
    assert {item["status"] for item in data["platform_posts"]} == {"pending"}
    assert all(UUID.match(item["id"]) for item in data["platform_posts"])
    app.wait_post(data["post_id"])


def test_scheduled(app, one):
    answer = later(app, one["x"], marker())
    assert answer.status_code == 202
    assert answer.json()["message"] == "Post scheduled."
    data = answer.json()["data"]
    assert (data["status"], data["scheduled_at"]) == ("scheduled", LATER)
    assert data["platform_posts"][0]["status"] == "scheduled"


def test_both_prefixes(app, one):
    body = {"account_ids": [one["x"]], "content": marker(), "scheduled_at": LATER}
    assert app.post("/api/v1/posts/publish", json=body).status_code == 202


def test_advanced_mode(app, one):
    answer = later(app, one["x"], containers=[{"type": "post", "content": "a"}, {"content": "b"}])
    assert answer.json()["data"]["mode"] == "advanced"


def test_null_means_absent(app, one):
    nothing = {name: None for name in ("request_id", "media", "containers", "platforms", "type")}
    assert later(app, one["x"], marker(), **nothing).status_code == 202
    item = {"content": "a", "type": None, "media": None}
    assert later(app, one["x"], containers=[item, item]).status_code == 202
    body = {"account_ids": [one["facebook"]], "content": None, "scheduled_at": LATER, "media": [
        good_media(alt_text=None, thumbnail_url=None, duration=None, mime_type=None)]}
    assert app.post(PATH, json=body).status_code == 202
    assert app.published(one["x"], marker(), scheduled_at=None)["scheduled_at"] is None


def test_no_warnings_where_there_are_none(app, one):
    assert "warnings" not in later(app, one["x"], marker()).json()["data"]


def test_root_content_is_ignored_in_advanced_mode(app, one):
    answer = later(app, one["x"], "root", media=[{"url": "nonsense"}], containers=[{"content": "inside"}])
    assert answer.status_code == 202, answer.text
    data = answer.json()["data"]
    assert {warning["field"] for warning in data["warnings"]} == {"content", "media"}
    assert [item["content"] for item in app.show(data["post_id"])["containers"]] == ["inside"]


def test_request_id_is_made_when_missing(app, one):
    posts = [app.show(later(app, one["x"], marker()).json()["data"]["post_id"]) for _ in range(2)]
    assert all(UUID.match(post["request_id"]) for post in posts)
    assert posts[0]["request_id"] != posts[1]["request_id"]


def test_external_user_is_the_first_accounts(app, one):
    other = app.account("x", user_id="second user")
    post = app.show(later(app, [other, one["facebook"]], marker()).json()["data"]["post_id"])
    assert post["external_user_id"] == "second user"


# ---- 409 DUPLICATE_REQUEST ----


def test_duplicate_request(app, one):
    request_id = uuid.uuid4().hex
    first = later(app, one["x"], marker(), request_id=request_id).json()["data"]
    with stores_nothing(app):
        for content, targets in ((marker(), one["x"]), (marker(), one["facebook"])):
            body = check_error(later(app, targets, content, request_id=request_id), 409, "DUPLICATE_REQUEST")
            assert body["details"] == {"post_id": first["post_id"], "status": "scheduled"}


def test_duplicate_shows_what_became_of_the_first(app, one):
    request_id = uuid.uuid4().hex
    post = app.published(one["x"], marker(), request_id=request_id)
    body = check_error(app.publish(one["x"], marker(), request_id=request_id), 409, "DUPLICATE_REQUEST")
    assert body["details"] == {"post_id": post["id"], "status": "published"}


def test_every_other_check_comes_before_duplicate(app, one):
    request_id = uuid.uuid4().hex
    assert later(app, one["x"], marker(), request_id=request_id).status_code == 202
    for code, more in {
        "VALIDATION_ERROR": {"content": "x" * 1000},
        "INVALID_SCHEDULE": {"content": "x", "scheduled_at": "soon"},
        "INVALID_MEDIA": {"media": [good_media(url="ftp://a/b")]},
    }.items():
        more.setdefault("scheduled_at", LATER)
        check_error(app.publish(one["x"], request_id=request_id, **more), 422, code)
    check_error(later(app, UNKNOWN_ID, "x", request_id=request_id), 422, "INVALID_ACCOUNT")


def test_duplicate_of_another_app_is_none(app, other_app, one):
    request_id = uuid.uuid4().hex
    account = other_app.account("x")
    assert later(app, one["x"], marker(), request_id=request_id).status_code == 202
    assert later(other_app, account, marker(), request_id=request_id).status_code == 202


def test_one_request_id_many_at_once(app, one):
    request_id = uuid.uuid4().hex
    before = app.total()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: later(app, one["x"], "race", request_id=request_id), range(32)))
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 31
    accepted = next(answer for answer in answers if answer.status_code == 202).json()["data"]["post_id"]
    assert {answer.json()["details"]["post_id"] for answer in answers if answer.status_code == 409} == {accepted}
    assert app.total() == before + 1


def test_request_ids_are_compared_byte_for_byte(app, one):
    base = uuid.uuid4().hex
    for request_id in (f"{base} é", f"{base} e\u0301", f"{base} É", f"{base} é "):
        assert later(app, one["x"], marker(), request_id=request_id).status_code == 202, repr(request_id)
    assert later(app, one["x"], marker(), request_id=f"{base} é").status_code == 409


@pytest.mark.parametrize("tail", ["", "ü" * 96, "👩" * 96, " x", "'\"<>&%\\"])
def test_good_request_ids(app, one, tail):
    """Up to 128 characters, not bytes."""
    request_id = uuid.uuid4().hex + tail
    data = later(app, one["x"], marker(), request_id=request_id).json()["data"]
    assert app.show(data["post_id"])["request_id"] == request_id


@pytest.mark.parametrize("request_id", ["", "x" * 129, "ü" * 129, "a\nb", "a\x1fb", "a\x7fb", "a\u0085b", 1, True, [], {}], ids=repr)
def test_bad_request_ids(app, one, request_id):
    refused(app, one, 422, "VALIDATION_ERROR", ["request_id"], request_id=request_id)


# ---- shape: account_ids ----

ACCOUNT_IDS = {
    "missing": (..., ["account_ids"]),
    "null": (None, ["account_ids"]),
    "empty": ([], ["account_ids"]),
    "text": ("x", ["account_ids"]),
    "number": (7, ["account_ids"]),
    "object": ({}, ["account_ids"]),
    "holds a number": ([UNKNOWN_ID, 7], ["account_ids.1"]),
    "holds null": ([None], ["account_ids.0"]),
    "holds a list": ([[UNKNOWN_ID]], ["account_ids.0"]),
    "twice": ([UNKNOWN_ID, "b", UNKNOWN_ID], ["account_ids.2"]),
    "101": ([f"{number}" for number in range(101)], ["account_ids"]),
}


@pytest.mark.parametrize("ids, fields", ACCOUNT_IDS.values(), ids=ACCOUNT_IDS.keys())
def test_account_ids_shape(app, one, ids, fields):
    refused(app, one, 422, "VALIDATION_ERROR", fields, account_ids=ids)


def test_100_accounts_is_a_shape_that_passes(app, one):
    body = refused(app, one, 422, "INVALID_ACCOUNT", account_ids=[f"{number}" for number in range(100)])
    assert len(body["details"]["accounts"]) == 100


# ---- shape: content, containers, type ----


def inside(number, **container):
    return {"content": ..., "containers": [{"content": "a"}] * number + [{"content": "b", **container}]}


def without(name):
    container = {"content": "a"}
    container.pop(name)
    return {"content": ..., "containers": [container]}


SHAPES = {
    "no content at all": ({"content": ...}, ["content"]),
    "null content": ({"content": None}, ["content"]),
    "empty content": ({"content": ""}, ["content"]),
    "empty content, empty media": ({"content": "", "media": []}, ["content"]),
    "content is a number": ({"content": 1}, ["content"]),
    "content is a list": ({"content": []}, ["content"]),
    "content is false": ({"content": False}, ["content"]),
    "content over 100,000 bytes": ({"content": "x" * 100001}, ["content"]),
    "containers is empty": ({"content": ..., "containers": []}, ["containers"]),
    "containers is empty beside content": ({"containers": []}, ["containers"]),
    "containers is an object": ({"containers": {}}, ["containers"]),
    "containers is a text": ({"containers": "x"}, ["containers"]),
    "11 containers": ({"content": ..., "containers": [{"content": "a"}] * 11}, ["containers"]),
    "a container is a text": ({"content": ..., "containers": ["a"]}, ["containers.0"]),
    "a container is null": ({"content": ..., "containers": [{"content": "a"}, None]}, ["containers.1"]),
    "a container without content": (without("content"), ["containers.0.content"]),
    "a comment without content": ({"content": ..., "containers": [{"content": "a"}, {}]}, ["containers.1.content"]),
    "null content in a container": (inside(0, content=None), ["containers.0.content"]),
    "empty content in a container": (inside(0, content=""), ["containers.0.content"]),
    "empty content in a comment": (inside(2, content=""), ["containers.2.content"]),
    "container content is a number": (inside(0, content=1), ["containers.0.content"]),
    "container content over 100,000 bytes": (inside(0, content="x" * 100001), ["containers.0.content"]),
    "type in a comment": (inside(1, type="post"), ["containers.1.type"]),
    "type comment in a comment": (inside(1, type="comment"), ["containers.1.type"]),
    "type in the ninth comment": (inside(9, type="post"), ["containers.9.type"]),
    "unknown type": ({"type": "reel"}, ["type"]),
    "type comment at the root": ({"type": "comment"}, ["type"]),
    "type in capitals": ({"type": "Post"}, ["type"]),
    "type is a number": ({"type": 1}, ["type"]),
    "empty type": ({"type": ""}, ["type"]),
    "unknown type in a container": (inside(0, type="reel"), ["containers.0.type"]),
    "type is a list in a container": (inside(0, type=[]), ["containers.0.type"]),
    "media is an object": ({"media": {}}, ["media"]),
    "media is a text": ({"media": "x"}, ["media"]),
    "a media item is a text": ({"media": ["http://a.example/"]}, ["media.0"]),
    "media in a container is an object": (inside(0, media={}), ["containers.0.media"]),
    "platforms is a list": ({"platforms": []}, ["platforms"]),
    "platforms is a text": ({"platforms": "x"}, ["platforms"]),
    "options are a list": ({"platforms": {"x": []}}, ["platforms.x"]),
    "options are a text": ({"platforms": {"facebook": "x"}}, ["platforms.facebook"]),
}


@pytest.mark.parametrize("more, fields", SHAPES.values(), ids=SHAPES.keys())
def test_shape(app, one, more, fields):
    refused(app, one, 422, "VALIDATION_ERROR", fields, **more)


def test_every_problem_is_told(app, one):
    body = refused(app, one, 422, "VALIDATION_ERROR", ["account_ids", "content", "request_id"],
                   account_ids=[], content=5, request_id=7)
    assert body["message"].endswith(" (and 2 more errors)")


def test_10_containers(app, one):
    assert later(app, one["x"], containers=[{"content": f"{number}"} for number in range(10)]).status_code == 202


def test_media_without_content(app, one):
    assert later(app, one["facebook"], media=[good_media()]).status_code == 202
    assert later(app, one["facebook"], "", media=[good_media()]).status_code == 202
    assert later(app, one["facebook"], containers=[{"content": "", "media": [good_media()]}]).status_code == 202


def test_root_type_in_basic_mode(app, one):
    assert later(app, one["x"], marker(), type="post").status_code == 202


# ---- 422 INVALID_MEDIA ----


def good_media(**more):
    item = {"type": "image", "url": "https://media.example.com/a.jpg", **more}
    return {name: value for name, value in item.items() if value is not ...}


MEDIA_SHAPES = {
    "no url": (good_media(url=...), "media.0.url"),
    "url null": (good_media(url=None), "media.0.url"),
    "url is a number": (good_media(url=7), "media.0.url"),
    "no type": (good_media(type=...), "media.0.type"),
    "type null": (good_media(type=None), "media.0.type"),
    "type is a number": (good_media(type=7), "media.0.type"),
    "alt_text is a number": (good_media(alt_text=7), "media.0.alt_text"),
    "thumbnail_url is a list": (good_media(thumbnail_url=[]), "media.0.thumbnail_url"),
    "duration is a text": (good_media(duration="7"), "media.0.duration"),
    "duration is negative": (good_media(duration=-1), "media.0.duration"),
    "duration has a fraction": (good_media(duration=1.5), "media.0.duration"),
    "mime_type is a number": (good_media(mime_type=7), "media.0.mime_type"),
}


@pytest.mark.parametrize("item, field", MEDIA_SHAPES.values(), ids=MEDIA_SHAPES.keys())
def test_media_shape(app, one, item, field):
    refused(app, one, 422, "VALIDATION_ERROR", [field], media=[item], account_ids=[one["facebook"]])
    refused(app, one, 422, "VALIDATION_ERROR", [f"containers.0.{field}"], content=...,
            containers=[{"content": "a", "media": [item]}], account_ids=[one["facebook"]])


MEDIA_URLS_WRONG = {
    "empty": "",
    "relative": "/a.jpg",
    "no scheme": "media.example.com/a.jpg",
    "scheme-relative": "//media.example.com/a.jpg",
    "ftp": "ftp://media.example.com/a.jpg",
    "file": "file:///etc/passwd",
    "data": "data:image/png;base64,AAAA",
    "gopher": "gopher://media.example.com/",
    "userinfo": "https://user:pw@media.example.com/a.jpg",
    "no host": "https:///a.jpg",
    "blank": "https://media.example.com/a b.jpg",
    "line feed": "https://media.example.com/a\nb.jpg",
    "backslash": "https://media.example.com\\@127.0.0.1/",
    "non-ASCII host": "https://mediä.example.com/",
    "2049 bytes": "https://media.example.com/" + "x" * (2049 - 26),
}


@pytest.mark.parametrize("url", MEDIA_URLS_WRONG.values(), ids=MEDIA_URLS_WRONG.keys())
def test_media_url(app, one, url):
    for name in ("url", "thumbnail_url"):
        body = refused(app, one, 422, "INVALID_MEDIA", [f"media.0.{name}"], media=[good_media(**{name: url})])
        assert isinstance(body["details"]["reason"], str) and body["details"]["reason"]


@pytest.mark.parametrize("kind", ["", "audio", "Image", "gif", "document"])
def test_media_type(app, one, kind):
    body = refused(app, one, 422, "INVALID_MEDIA", ["media.0.type"], media=[good_media(type=kind)])
    assert body["details"]["reason"]


def test_media_index(app, one):
    bad = good_media(url="ftp://a.example/")
    refused(app, one, 422, "INVALID_MEDIA", ["media.2.url"], media=[good_media(), good_media(), bad])
    refused(app, one, 422, "INVALID_MEDIA", ["containers.1.media.1.url"], content=...,
            containers=[{"content": "a"}, {"content": "b", "media": [good_media(), bad]}])


def test_url_of_2048_bytes(app, one):
    assert later(app, one["facebook"], media=[good_media(url="https://media.example.com/" + "x" * (2048 - 26))]).status_code == 202


def test_too_many_media_is_a_rule(app, one):
    refused(app, one, 422, "VALIDATION_ERROR", ["media"], media=[good_media()] * 36, account_ids=[one["facebook"]])


# The address guard, with no range allowed. Accounts are unknown on purpose: a URL that passes is told as INVALID_ACCOUNT.
GUARD_REFUSES = [
    "http://127.0.0.1/", "http://127.255.255.254/", "http://0.0.0.0/", "http://10.0.0.1/", "http://172.31.255.255/",
    "http://192.168.0.1/", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://224.0.0.1/",
    "http://255.255.255.255/", "http://[::1]/", "http://[::]/", "http://[fe80::1]/", "http://[fc00::1]/", "http://[ff02::1]/",
    "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://2130706433/", "http://0177.0.0.1/", "http://0x7f.1/",
    "http://127.1/", "http://%31%32%37.0.0.1/", "http://localhost/", "http://a.localhost/", "http://192.0.2.1/",
    "http://198.18.0.1/", "http://8.8.8.8:22/", "http://media.example.com:8080/", "http://[media.example.com]/",
]
GUARD_PASSES = [
    "http://media.example.com/", "https://media.example.com/a.jpg?x=y#z", "http://8.8.8.8/", "https://media.example.com:443/",
    "http://media.example.com:80/", "http://[2606:4700:4700::1111]/", "https://xn--mnchen-3ya.example/", "HTTPS://MEDIA.EXAMPLE.COM/",
]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A service that may fetch from public addresses only."""
    with Service(tmp_path_factory.mktemp("guarded") / "data", media_allow=None) as process:
        yield App(process).issue_token()


@pytest.mark.parametrize("name", ["url", "thumbnail_url"])
def test_address_guard(guarded, name):
    for url in GUARD_REFUSES:
        body = check_error(guarded.publish([UNKNOWN_ID], "x", media=[good_media(**{name: url})]), 422, "INVALID_MEDIA", [f"media.0.{name}"])
        assert body["details"]["reason"], url
    for url in GUARD_PASSES:
        answer = guarded.publish([UNKNOWN_ID], "x", media=[good_media(**{name: url})])
        assert answer.json()["error"] == "INVALID_ACCOUNT", f"{url}: {answer.text}"


# ---- 422 INVALID_SCHEDULE ----

SCHEDULES_WRONG = ["", "tomorrow", "2030-01-01", "2030-01-01T00:00:00", "2030-01-01 00:00:00Z", "2030-01-01T00:00:00z",
                   "2030-01-01t00:00:00Z", "2030-01-01T00:00:00+00:00", "2030-01-01T00:00:00+02:00", "2030-02-30T00:00:00Z",
                   "2030-13-01T00:00:00Z", "2030-00-01T00:00:00Z", "2030-01-01T24:00:00Z", "2030-01-01T00:60:00Z",
                   "2030-01-01T00:00:60Z", "2029-02-29T00:00:00Z", "2030-1-1T00:00:00Z", "2030-01-01T00:00Z",
                   "2030-01-01T00:00:00.Z", "2030-01-01T00:00:00.1234567890Z", "2030-01-01T00:00:00,5Z", " 2030-01-01T00:00:00Z",
                   "2030-01-01T00:00:00ZZ", "2030-01-01T00:00:00Z ", "20300101T000000Z", "99999-01-01T00:00:00Z", "-2030-01-01T00:00:00Z",
                   1893456000, 1893456000.5, True, [], {}]


@pytest.mark.parametrize("at", SCHEDULES_WRONG, ids=repr)
def test_invalid_schedule(app, one, at):
    refused(app, one, 422, "INVALID_SCHEDULE", ["scheduled_at"], scheduled_at=at)


@pytest.mark.parametrize("seconds", [59, 0, -60, 2592001, 60.5, "60", True, [], {}], ids=repr)
def test_invalid_max_lateness(app, one, seconds):
    refused(app, one, 422, "VALIDATION_ERROR", ["max_lateness"], max_lateness=seconds)


@pytest.mark.parametrize("seconds", [60, 2592000, None])
def test_max_lateness(app, one, seconds):
    post_id = app.accepted(one["x"], marker(), scheduled_at=LATER, max_lateness=seconds)["post_id"]
    assert app.show(post_id)["max_lateness"] == seconds
    assert next(row for row in app.list(per_page=100)["data"] if row["id"] == post_id)["max_lateness"] == seconds


def test_over_5_minutes_past(app, one):
    refused(app, one, 422, "INVALID_SCHEDULE", ["scheduled_at"], scheduled_at=utc(-310))
    refused(app, one, 422, "INVALID_SCHEDULE", ["scheduled_at"], scheduled_at="1970-01-01T00:00:00Z")


@pytest.mark.parametrize("ago_s", [5, 280])
def test_a_little_past_is_now(app, one, ago_s):
    data = app.accepted(one["x"], marker(), scheduled_at=utc(-ago_s))
    assert (data["status"], data["scheduled_at"]) == ("pending", None)
    post = app.wait_post(data["post_id"])
    assert (post["status"], post["scheduled_at"]) == ("published", None)


def test_5_years_ahead(app, one):
    now = datetime.datetime.now(datetime.timezone.utc)
    fits = now.replace(year=now.year + 5, day=1) - datetime.timedelta(days=40)
    over = now + datetime.timedelta(days=5 * 366 + 2)
    form = "%Y-%m-%dT%H:%M:%SZ"
    assert later(app, one["x"], marker(), scheduled_at=fits.strftime(form)).status_code == 202
    refused(app, one, 422, "INVALID_SCHEDULE", ["scheduled_at"], scheduled_at=over.strftime(form))


@pytest.mark.parametrize("given, kept", [(".5", ".5"), (".000", ""), (".123456", ".123456"),
                         (".123456789", ".123456"), (".1", ".1"), (".100", ".1")])
def test_fractions(app, one, given, kept):
    """1 to 9 digits, cut to microseconds; shown only where not zero."""
    data = later(app, one["x"], marker(), scheduled_at=LATER[:-1] + given + "Z").json()["data"]
    assert data["scheduled_at"] == LATER[:-1] + kept + "Z"
    post = app.show(data["post_id"])
    assert post["scheduled_at"] == post["platform_posts"][0]["scheduled_at"] == data["scheduled_at"]
    assert INSTANT.match(data["scheduled_at"])


def test_leap_day(app, one):
    assert later(app, one["x"], marker(), scheduled_at="2028-02-29T23:59:59Z").status_code == 202


# ---- 422 INVALID_ACCOUNT ----


@pytest.mark.parametrize("bad", [UNKNOWN_ID, "x", "", "1", "' OR 1=1 --", "x" * 500])
def test_unknown_account(app, one, bad):
    body = refused(app, one, 422, "INVALID_ACCOUNT", ["account_ids.1"], account_ids=[one["x"], bad])
    assert body["details"] == {"accounts": [{"id": bad, "reason": "unknown"}]}


def test_account_of_another_app(app, other_app, one):
    theirs = other_app.account("x")
    body = refused(app, one, 422, "INVALID_ACCOUNT", ["account_ids.0"], account_ids=[theirs, one["x"]])
    assert body["details"] == {"accounts": [{"id": theirs, "reason": "unknown"}]}


def test_account_id_is_matched_in_its_case(app, one):
    refused(app, one, 422, "INVALID_ACCOUNT", ["account_ids.0"], account_ids=[one["x"].upper()])


# ---- platform rules ----

RULES = {
    # name: (slug, more, fields)
    "x text over 280": ("x", {"content": "x" * 281}, ["content"]),
    "x counts wide letters twice": ("x", {"content": "日" * 141}, ["content"]),
    "x comment over 280": ("x", {"content": ..., "containers": [{"content": "a"}, {"content": "x" * 281}]}, ["containers.1.content"]),
    "linkedin text over 3000": ("linkedin", {"content": "x" * 3001}, ["content"]),
    "facebook text over 63206": ("facebook", {"content": "x" * 63207}, ["content"]),
    "instagram without media": ("instagram", {}, ["media"]),
    "instagram caption over 2200": ("instagram", {"content": "x" * 2201, "media": [good_media()]}, ["content"]),
    "youtube without a video": ("youtube", {}, ["media"]),
    "youtube with an image": ("youtube", {"media": [good_media()]}, ["media"]),
    "tiktok without media": ("tiktok", {}, ["media"]),
    "tiktok caption over 2200": ("tiktok", {"content": "x" * 2201, "media": [good_media(type="video")]}, ["content"]),
    "story on x": ("x", {"type": "story"}, ["type"]),
    "story on linkedin": ("linkedin", {"type": "story", "media": [good_media()]}, ["type"]),
    "post on youtube": ("youtube", {"type": "post", "media": [good_media(type="video")]}, ["type"]),
    "article on facebook": ("facebook", {"type": "article"}, ["type"]),
    "carousel on x": ("x", {"type": "carousel", "media": [good_media()] * 2}, ["type"]),
}


@pytest.mark.parametrize("slug, more, fields", RULES.values(), ids=RULES.keys())
def test_platform_rules(app, one, slug, more, fields):
    body = refused(app, one, 422, "VALIDATION_ERROR", account_ids=[one[slug]], **more)
    assert set(fields) <= set(body["errors"]), body
    for rule in body["details"]["rules"]:
        assert rule["account_id"] == one[slug]
        assert rule["rule"] and rule["field"] in body["errors"]


def test_text_limits_are_met_exactly(app, one):
    assert later(app, one["x"], "x" * 280).status_code == 202
    assert later(app, one["x"], "日" * 140).status_code == 202
    assert later(app, one["x"], "x" * 256 + " https://example.com/" + "y" * 200).status_code == 202  # a link counts 23
    assert later(app, one["linkedin"], "x" * 3000).status_code == 202


def test_rule_names_the_account_that_breaks_it(app, one):
    body = refused(
        app,
        one,
        422,
        "VALIDATION_ERROR",
        ["content"],
        content="x" * 300,
        account_ids=[
            one["facebook"],
            one["x"],
            one["linkedin"]])
    assert [rule["account_id"] for rule in body["details"]["rules"]] == [one["x"]]
    assert (body["details"]["rules"][0]["limit"], body["details"]["rules"][0]["actual"]) == (280, 300)


def test_tiktok_has_no_comments(app, one):
    body = refused(app, one, 422, "VALIDATION_ERROR", account_ids=[one["tiktok"]], content=...,
                   containers=[{"content": "a", "media": [good_media(type="video")]}, {"content": "b"}])
    assert [rule["rule"] for rule in body["details"]["rules"]] == ["comments_not_supported"]
    assert body["details"]["rules"][0]["account_id"] == one["tiktok"]


# ---- platforms: options ----


@pytest.mark.parametrize("slug, options", [("x", {"reply_settings": "nonsense"}), ("youtube", {"privacyStatus": "secret"}),
                                           ("linkedin", {"visibility": 7})])
def test_bad_option(app, one, slug, options):
    more = {"media": [good_media(type="video")]} if slug == "youtube" else {}
    name = next(iter(options))
    refused(app, one, 422, "VALIDATION_ERROR", [f"platforms.{slug}.{name}"], account_ids=[one[slug]], platforms={slug: options}, **more)


def test_good_option_is_forwarded(app, one, sandbox):
    text = marker("option")
    app.published(one["x"], text, platforms={"x": {"reply_settings": "mentionedUsers"}})
    body = next(request["body"] for request in sandbox.log("api.x.com", "/2/tweets", "POST") if text in request["body"])
    assert '"mentionedUsers"' in body


def test_twitter_is_x_in_platforms(app, one, sandbox):
    text = marker("option")
    app.published(one["x"], text, platforms={"twitter": {"reply_settings": "following"}})
    body = next(request["body"] for request in sandbox.log("api.x.com", "/2/tweets", "POST") if text in request["body"])
    assert '"following"' in body


def test_options_of_platforms_that_are_no_target_do_no_harm(app, one):
    assert later(app, one["x"], marker(), platforms={"youtube": {"privacyStatus": "private"}}).status_code == 202


@pytest.mark.parametrize("slug", ["youtube", "tiktok"])
def test_defaults_are_told(app, one, slug):
    """Where a platform demands a choice, the one made is said in a warning."""
    option = {"youtube": "privacyStatus", "tiktok": "privacy_level"}[slug]
    answer = later(app, one[slug], marker(), media=[good_media(type="video")])
    assert answer.status_code == 202, answer.text
    assert f"platforms.{slug}.{option}" in {warning["field"] for warning in answer.json()["data"].get("warnings", [])}
    chosen = {"youtube": {"privacyStatus": "private"}, "tiktok": {"privacy_level": "SELF_ONLY"}}[slug]
    answer = later(app, one[slug], marker(), media=[good_media(type="video")], platforms={slug: chosen})
    assert answer.status_code == 202, answer.text
    assert f"platforms.{slug}.{option}" not in {warning["field"] for warning in answer.json()["data"].get("warnings", [])}


def test_keys_that_are_ours_cannot_be_set(app, one, sandbox):
    text = marker("ours")
    answer = app.publish(one["facebook"], text, platforms={"facebook": {"access_token": "x", "published": False, "message": "other"}})
    assert answer.status_code == 202
    warned = {warning["field"] for warning in answer.json()["data"]["warnings"]}
    assert {"platforms.facebook.access_token", "platforms.facebook.published"} <= warned
    assert app.wait_post(answer.json()["data"]["post_id"])["status"] == "published"
    assert [entry["text"] for entry in sandbox.ledger(text)] == [text]


# ---- the order of the checks ----


def test_order_of_the_checks(app, one):
    everything = {
        "account_ids": [UNKNOWN_ID, 7],
        "content": "x" * 1000,
        "media": [good_media(type="audio")],
        "scheduled_at": "soon",
    }
    refused(app, one, 422, "VALIDATION_ERROR", ["account_ids.1"], **everything)
    everything["account_ids"] = [UNKNOWN_ID, one["x"]]
    refused(app, one, 422, "INVALID_MEDIA", ["media.0.type"], **everything)
    everything["media"] = []
    refused(app, one, 422, "INVALID_SCHEDULE", ["scheduled_at"], **everything)
    everything["scheduled_at"] = LATER
    refused(app, one, 422, "INVALID_ACCOUNT", ["account_ids.0"], **everything)
    everything["account_ids"] = [one["x"]]
    refused(app, one, 422, "VALIDATION_ERROR", ["content"], **everything)
