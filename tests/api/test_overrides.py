# SPDX-License-Identifier: Apache-2.0
"""One post, different content for each platform and each account (api-decisions.md 10): what each account gets, what is refused
and by which path, and what the answers show."""
import pytest

from harness import App, Service, check_error, marker, stores_nothing

SLUGS = ("facebook", "x", "linkedin", "youtube")
NOBODY = "019a1fcd-7451-7617-8dc3-203f49eaf280"


@pytest.fixture(scope="module")
def hurried(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("overrides") / "data", sandbox, ["--time-scale", "100"]) as process:
        app = App(process, name="overrides").set_credentials(*SLUGS).issue_token()
        app.ids = {slug: [account["id"] for account in app.connect(slug).accounts] for slug in SLUGS}
        yield app


def publish(app, **body):
    return app.post("/v1/posts/publish", json=body)


def refused(app, path, reason=None, **body):
    """422 at that path, and nothing is stored; validate says the same of the same path."""
    with stores_nothing(app):
        answer = publish(app, **body)
    check_error(answer, 422, "VALIDATION_ERROR")
    assert path in answer.json()["errors"], answer.text
    judged = app.post("/v1/posts/validate", json=body)
    if judged.status_code == 200:
        violations = [one for account in judged.json()["data"]["accounts"] for one in account["violations"]]
        assert path in [one["field"] for one in violations], judged.text
        assert reason is None or reason in [one["code"] for one in violations], judged.text
    else:
        assert path in judged.json()["errors"], judged.text
    return answer.json()


def test_each_account_gets_its_own(hurried, sandbox, media):
    root, short, mine = marker("root"), marker("short"), marker("mine")
    page, other_page = hurried.ids["facebook"][:2]
    x, member = hurried.ids["x"][0], hurried.ids["linkedin"][0]
    body = {
        "account_ids": [page, other_page, x, member],
        "content": root,
        "media": [media.image()],
        "overrides": {
            "twitter": {"content": short, "media": []},
            "facebook": {"content": f"{root} on facebook"},
            other_page: {"containers": [{"content": mine}, {"content": f"{mine} comment"}]},
        },
    }
    judged = hurried.post("/v1/posts/validate", json=body).json()["data"]
    assert judged["ok"] is True, judged
    plans = {target["account_id"]: [call["part"] for call in target["plan"] if call["publishes"]] for target in judged["accounts"]}
    assert plans[other_page] == [0, 1] and plans[x] == [0]
    answer = publish(hurried, **body)
    assert answer.status_code == 202, answer.text
    assert answer.json()["data"]["mode"] == "basic"
    post = hurried.wait_post(answer.json()["data"]["post_id"])
    assert post["status"] == "published" and post["outcome"] == "all", post
    entries = sandbox.ledger(root) + sandbox.ledger(short) + sandbox.ledger(mine)
    seen = {(entry["platform"], entry["text"].strip()): entry for entry in entries}
    assert set(seen) == {("facebook", f"{root} on facebook"), ("x", short), ("facebook", mine), ("facebook", f"{mine} comment"),
                         ("linkedin", root)}
    assert seen["x", short]["media"] == [] and len(seen["linkedin", root]["media"]) == 1
    assert seen["facebook", f"{mine} comment"]["reply_to"] == seen["facebook", mine]["id"]

    assert [container["content"] for container in post["containers"]] == [root]
    assert post["overrides"]["x"] == {"content": short, "media": []} and set(post["overrides"]) == {"x", "facebook", other_page}
    effective = {one["account_id"]: one["effective"] for one in post["platform_posts"]}
    assert [one["content"] for one in effective[other_page]["containers"]] == [mine, f"{mine} comment"]
    assert [one["type"] for one in effective[other_page]["containers"]] == ["post", None]
    assert effective[x]["containers"] == [{"type": "post", "content": short, "media": []}]
    assert effective[member]["containers"][0]["content"] == root
    assert [len(one["parts"]) for one in post["platform_posts"]] == [1, 2, 1, 1]
    listed = next(one for one in hurried.get("/v1/posts").json()["data"] if one["id"] == post["id"])
    assert listed["overrides"] == post["overrides"] and "effective" not in listed["platform_posts"][0]


def test_options_are_laid_over_key_by_key(hurried, sandbox, media):
    text = marker("video")
    channel = hurried.ids["youtube"][0]
    post = hurried.published(channel, text, media=[media.clip(duration=4)],
                             platforms={"youtube": {"privacyStatus": "public", "title": "Root"}},
                             overrides={"youtube": {"options": {"privacyStatus": "unlisted"}}, channel: {"options": {"title": "Mine"}}})
    (one,) = post["platform_posts"]
    assert one["visibility"] == "unlisted"
    assert one["effective"]["options"] == {"title": "Mine", "privacyStatus": "unlisted"}


def test_without_overrides(hurried):
    post = hurried.published(hurried.ids["x"][0], marker("plain"), overrides={})
    assert post["overrides"] == {}
    assert post["platform_posts"][0]["effective"]["containers"][0]["content"] == post["containers"][0]["content"]


def test_no_root_content_where_every_account_has_its_own(hurried, sandbox):
    x, page = hurried.ids["x"][0], hurried.ids["facebook"][0]
    text = marker("own")
    body = {"account_ids": [x, page], "overrides": {"x": {"content": text}}}
    refused(hurried, "content", "required", **body)
    body["overrides"][page] = {"content": text}
    post = hurried.wait_post(publish(hurried, **body).json()["data"]["post_id"])
    assert post["status"] == "published" and len(sandbox.ledger(text)) == 2
    refused(hurried, "overrides.x.content", "required", account_ids=[x], content="root", overrides={"x": {"content": ""}})


@pytest.mark.parametrize("entry, path", [
    ({}, "overrides.x"),
    ({"content": None, "media": None}, "overrides.x"),
    ({"content": 7}, "overrides.x.content"),
    ({"text": "typo"}, "overrides.x.text"),
    ({"content": "a", "containers": [{"content": "b"}]}, "overrides.x.containers"),
    ({"type": "post", "containers": [{"content": "b"}]}, "overrides.x.containers"),
    ({"containers": []}, "overrides.x.containers"),
    ({"containers": [{"content": "a"}, {"content": "b", "type": "post"}]}, "overrides.x.containers.1.type"),
    ({"containers": [{"media": []}]}, "overrides.x.containers.0.content"),
    ({"options": []}, "overrides.x.options"),
    ({"type": "poem"}, "overrides.x.type"),
    ("short", "overrides.x"),
    (None, "overrides.x"),
])
def test_a_wrong_entry(hurried, entry, path):
    refused(hurried, path, account_ids=[hurried.ids["x"][0]], content="root", overrides={"x": entry})


def test_media_of_an_entry_is_judged(hurried):
    body = {"account_ids": [hurried.ids["x"][0]], "content": "root", "overrides": {"x": {"media": [{"url": "ftp://a", "type": "image"}]}}}
    answer = publish(hurried, **body)
    check_error(answer, 422, "INVALID_MEDIA")
    assert list(answer.json()["errors"]) == ["overrides.x.media.0.url"]


@pytest.mark.parametrize("key", ["linkedin", "myspace", NOBODY, ""])
def test_a_key_that_no_target_matches(hurried, key):
    refused(hurried, f"overrides.{key}", account_ids=[hurried.ids["x"][0]], content="root", overrides={key: {"content": "a"}})


def test_a_platform_twice(hurried):
    refused(hurried, "overrides.twitter", account_ids=[hurried.ids["x"][0]], content="root",
            overrides={"x": {"content": "a"}, "twitter": {"content": "b"}})
    refused(hurried, "overrides", account_ids=[hurried.ids["x"][0]], content="root", overrides=[])


def test_rules_name_where_the_content_came_from(hurried, media):
    x, page = hurried.ids["x"][0], hurried.ids["facebook"][0]
    long = "a" * 300
    # Too long for X, but X gets its own; and the other way round.
    ok = publish(hurried, account_ids=[x, page], content=f"{marker()} {long}", overrides={"x": {"content": marker("short")}})
    assert ok.status_code == 202, ok.text
    refused(hurried, "overrides.x.content", "text_too_long", account_ids=[x, page], content="root", overrides={"x": {"content": long}})
    refused(hurried, f"overrides.{x}.content", "text_too_long", account_ids=[x, page], content="root",
            overrides={"x": {"content": "ok"}, x: {"content": long}})
    refused(hurried, "overrides.x.containers.1.content", "text_too_long", account_ids=[x], content="root",
            overrides={"x": {"containers": [{"content": "a"}, {"content": long}]}})
    refused(hurried, "overrides.x.options.reply_settings", "bad_option", account_ids=[x], content="root",
            overrides={"x": {"options": {"reply_settings": 7}}})
    refused(hurried, "overrides.x.type", "type_not_supported", account_ids=[x], content="root", overrides={"x": {"type": "story"}})
    refused(hurried, "content", "text_too_long", account_ids=[x], content=long, overrides={"x": {"media": [media.image()]}})


def test_unknown_options_are_a_warning(hurried):
    answer = publish(hurried, account_ids=[hurried.ids["x"][0]], content=marker(), overrides={"x": {"options": {"colour": "red"}}})
    assert answer.status_code == 202, answer.text
    assert [warning["field"] for warning in answer.json()["data"]["warnings"]] == ["overrides.x.options.colour"]
