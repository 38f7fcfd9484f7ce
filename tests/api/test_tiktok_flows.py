# SPDX-License-Identifier: Apache-2.0
"""TikTok from the accepted request to what the world can see: videos in chunks, photos and pulled videos, what the creator may do,
and the refusals that end or delay a post (tiktok.md)."""
import hashlib
import json

import pytest

from harness import App, Sandbox, Service, make_media, marker, poll

INIT = "/v2/post/publish/video/init/"
PHOTOS = "/v2/post/publish/content/init/"
CREATOR = "/v2/post/publish/creator_info/query/"
STATUS = "/v2/post/publish/status/fetch/"
PUBLIC = {"privacy_level": "PUBLIC_TO_EVERYONE"}
AT_FIRST = {"tiktok_audited": 1, "tiktok_private_account": 0, "tiktok_banned": 0, "tiktok_user_cap_reached": 0, "tiktok_posts_per_day": 0,
            "tiktok_rate_limits": 0, "tiktok_max_duration_s": 300, "tiktok_processing_ms": 0, "tiktok_moderation_ms": 0, "tiktok_fails": 0}


class World:
    """A sandbox and a service of their own: knobs and quotas are turned here."""

    def __init__(self, directory, sandbox):
        self.sandbox = sandbox
        self.service = Service(directory, sandbox, ["--time-scale", "100"])
        self.app = App(self.service).set_credentials("tiktok").issue_token()
        self.account = self.app.account("tiktok")

    def turn(self, **knobs):
        self.sandbox._call("POST", "/_sandbox/knobs", json=knobs)

    def final(self, text, media, options=PUBLIC, **more):
        accepted = self.app.accepted(self.account, text, media=media, platforms={"tiktok": options}, **more)
        return self.app.wait_post(accepted["post_id"])

    def inits(self, text, path=INIT):
        found = [entry for entry in self.sandbox.log(path=path) if text in (entry.get("body") or "")]
        return [json.loads(entry["body"]) for entry in found]

    def error(self, post):
        return post["platform_posts"][0]["error"]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with Sandbox() as sandbox:
        made = World(tmp_path_factory.mktemp("tiktok") / "data", sandbox)
        yield made
        made.service.stop()


@pytest.fixture(autouse=True)
def as_it_was(world):
    world.turn(**AT_FIRST)
    yield
    world.sandbox.clear_faults()


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def check_published(world, post, text):
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    entry = only(world.sandbox.ledger(text))
    assert only(post["platform_posts"])["platform_post_id"] == entry["id"]
    assert only(post["platform_posts"])["url"] == entry["url"]
    return entry


def test_video(world, media):
    text = marker("video")
    post = world.final(text, [media.clip()], {**PUBLIC, "disable_duet": True, "is_aigc": True, "video_cover_timestamp_ms": 1000})
    entry = check_published(world, post, text)
    assert int(entry["id"]) > 2**53
    assert only(entry["media"])["sha256"] == hashlib.sha256(media.video).hexdigest()
    info = only(world.inits(text))["post_info"]
    assert info["disable_duet"] and info["is_aigc"] and info["video_cover_timestamp_ms"] == 1000
    assert info["disable_stitch"]  # the creator has it switched off


def test_self_only_video_has_no_id_and_leads_to_the_profile(world, media):
    text = marker("self")
    post = world.final(text, [media.clip()], {"privacy_level": "SELF_ONLY"})
    assert post["status"] == "published"
    assert only(post["platform_posts"])["url"] == "https://www.tiktok.com/@posthorn.sandbox"
    only(world.sandbox.ledger(text))


def named(app, post_id):
    """The platform post, once it has an id or says that there will be none."""
    def look():
        platform_post = only(app.show(post_id)["platform_posts"])
        return platform_post if platform_post["platform_post_id"] or "gave no id" in str(platform_post["warnings"]) else None
    return poll("the post's id", look, 60)


def test_id_that_comes_late_is_told_late(world, media):
    text = marker("late id")
    world.turn(tiktok_moderation_ms=4000)
    post = world.final(text, [media.clip()])
    at_first = only(post["platform_posts"])
    timeline = world.app.timeline_text(post["id"])
    assert (post["status"], post["outcome"], at_first["platform_post_id"]) == ("published", "all", None), timeline
    assert at_first["url"] == "https://www.tiktok.com/@posthorn.sandbox"
    assert only(at_first["warnings"])["code"] == "platform_post_id_missing"
    found = named(world.app, post["id"])
    entry = check_published(world, world.app.show(post["id"]), text)
    assert (found["warnings"], found["published_at"], found["parts"][0]["remote_id"]) == ([], at_first["published_at"], entry["id"])
    listed = only([each for each in world.app.get("/v1/posts?per_page=100").json()["data"] if each["id"] == post["id"]])
    assert only(listed["platform_posts"])["platform_post_id"] == entry["id"]
    events = [event for event in world.app.get("/v1/events?after=0&limit=100").json()["data"] if post["id"] in json.dumps(event["data"])]
    assert [event["type"] for event in events][-1] == "post.id_found"
    assert events[-1]["data"]["platform_post"]["platform_post_id"] == entry["id"]
    assert [each["type"] for each in events].count("post.publish.succeeded") == 1


def test_looking_for_an_id_outlives_a_kill_and_ends_after_a_day(tmp_path, world, media):
    """At this scale a day is 4.3 s."""
    service = Service(tmp_path / "data", world.sandbox, ["--time-scale", "20000"])
    app = App(service).set_credentials("tiktok").issue_token()
    account = app.account("tiktok")
    world.turn(tiktok_moderation_ms=86400000)
    text = marker("no id")
    post = app.wait_post(app.accepted(account, text, media=[media.clip()], platforms={"tiktok": PUBLIC})["post_id"])
    assert only(post["platform_posts"])["platform_post_id"] is None
    service.kill()
    service = Service(tmp_path / "data", world.sandbox, ["--time-scale", "20000"])
    app.service = service
    given_up = named(app, post["id"])
    assert (given_up["status"], given_up["outcome"], given_up["platform_post_id"]) == ("published", "all", None)
    looks = len(world.sandbox.log(path=STATUS))
    assert poll("no look any more", lambda: app.show(post["id"])["platform_posts"][0]["status"] == "published", 5)
    assert len(world.sandbox.log(path=STATUS)) == looks
    only(world.sandbox.ledger(text))
    service.stop()


def test_creator_is_asked_before_each_post(world, media):
    before = len(world.sandbox.log(path=CREATOR))
    for _ in range(2):
        world.final(marker("asked"), [media.clip()])
    assert len(world.sandbox.log(path=CREATOR)) == before + 2


def test_photos_are_fetched_by_tiktok(world, media):
    text = marker("photos")
    post = world.final(text, [media.image(), media.image()], {**PUBLIC, "title": "Two", "photo_cover_index": 1, "auto_add_music": True})
    entry = check_published(world, post, text)
    assert entry["type"] == "photo" and "/photo/" in entry["url"] and len(entry["media"]) == 2
    assert {picture["sha256"] for picture in entry["media"]} == {hashlib.sha256(media.picture).hexdigest()}
    body = only(world.inits(text, PHOTOS))
    assert body["source_info"]["photo_cover_index"] == 1 and body["post_info"]["title"] == "Two"


def test_own_addresses_are_pulled_by_option(world, media):
    text, clip = marker("pulled"), media.clip()
    post = world.final(text, [clip], {**PUBLIC, "source": "PULL_FROM_URL"})
    check_published(world, post, text)
    assert only(world.inits(text))["source_info"] == {"source": "PULL_FROM_URL", "video_url": clip["url"]}


def test_carousel_of_a_wrong_kind_is_refused_with_a_reason(world, media):
    text = marker("page")
    post = world.final(text, [{"type": "image", "url": f"{media.url}/text.jpg"}])
    assert world.error(post)["code"] == "MEDIA_REJECTED" and "JPEG or WebP" in world.error(post)["message"]
    assert world.inits(text, PHOTOS) == []


def test_file_longer_than_the_creators_is_refused_before_init(world, media):
    text = marker("long")
    world.turn(tiktok_max_duration_s=3)
    post = world.final(text, [media.clip()])
    assert world.error(post)["code"] == "MEDIA_REJECTED" and "3 s" in world.error(post)["message"]
    assert world.inits(text) == []


@pytest.mark.parametrize("knobs, code, words", [
    ({"tiktok_banned": 1}, "PERMISSION_MISSING", "spam_risk_user_banned_from_posting"),
    ({"tiktok_audited": 0}, "PERMISSION_MISSING", "unaudited_client_can_only_post_to_private_accounts"),
])
def test_what_the_creator_may_not_do_is_told(world, media, knobs, code, words):
    text = marker("may not")
    world.turn(**knobs)
    post = world.final(text, [media.clip()])
    assert (world.error(post)["code"], world.error(post)["platform_code"]) == (code, words)
    assert world.sandbox.ledger(text) == []


def test_unaudited_app_is_warned_of_next_time(world, media):
    world.turn(tiktok_audited=0)
    world.final(marker("unaudited"), [media.clip()])
    world.turn(tiktok_audited=1)
    more = {"media": [media.clip()], "platforms": {"tiktok": PUBLIC}}
    told = world.app.accepted(world.account, marker("audited"), **more)
    assert [warning["code"] for warning in told["warnings"]] == ["tiktok_unaudited_app"]
    assert world.app.wait_post(told["post_id"])["status"] == "published"
    told = world.app.accepted(world.account, marker("known"), **more)
    assert "warnings" not in told and world.app.wait_post(told["post_id"])["status"] == "published"


def test_level_that_is_not_offered_is_refused_and_then_warned_of(world, media):
    world.turn(tiktok_private_account=1)
    post = world.final(marker("level"), [media.clip()])
    assert world.error(post)["code"] == "CONTENT_REJECTED" and "FOLLOWER_OF_CREATOR" in world.error(post)["message"]
    told = world.app.accepted(world.account, marker("next"), media=[media.clip()], platforms={"tiktok": PUBLIC})
    assert [warning["code"] for warning in told["warnings"]] == ["tiktok_privacy_not_offered"]
    assert world.app.wait_post(told["post_id"])["status"] == "failed"


@pytest.mark.parametrize("where, fault", [
    (CREATOR, "rate_limit_exceeded"), (CREATOR, "rate_limit_exceeded/200"), (INIT, "rate_limit_exceeded"), (STATUS, "rate_limit_exceeded"),
    (INIT, "internal_error"), (STATUS, "access_token_invalid"), (INIT, "access_token_invalid"), (STATUS, "invalid_params"),
])
def test_what_passes_by_itself_delays_and_does_not_fail(world, media, where, fault):
    text = marker("later")
    world.sandbox.fault("tiktok", "POST", where, "status", error=fault, status=400)
    check_published(world, world.final(text, [media.clip()]), text)


@pytest.mark.parametrize("fault, code", [
    ("invalid_params", "CONTENT_REJECTED"), ("url_ownership_unverified", "PLATFORM_REJECTED"), ("spam_risk", "CONTENT_REJECTED"),
    ("invalid_file_upload", "MEDIA_REJECTED"), ("app_version_check_failed", "PLATFORM_REJECTED"),
])
def test_refusal_of_init_is_told_in_tiktoks_words(world, media, fault, code):
    text = marker("refused")
    world.sandbox.fault("tiktok", "POST", INIT, "status", error=fault, status=400)
    post = world.final(text, [media.clip()])
    assert (world.error(post)["code"], world.error(post)["platform_code"]) == (code, fault)
    assert world.sandbox.ledger(text) == []


def test_task_that_fails_inside_is_begun_anew(world, media):
    text = marker("internal")
    world.turn(tiktok_fails=1)
    accepted = world.app.accepted(world.account, text, media=[media.clip()], platforms={"tiktok": PUBLIC})
    poll("the first task has failed", lambda: len(world.inits(text)) >= 2)
    world.turn(tiktok_fails=0)
    check_published(world, world.app.wait_post(accepted["post_id"]), text)


def test_pull_whose_answer_is_lost_is_never_sent_twice(world, media):
    text = marker("doubt")
    world.sandbox.fault("tiktok", "POST", PHOTOS, "reset_after")
    post = world.final(text, [media.image()])
    assert world.error(post)["code"] == "OUTCOME_UNKNOWN"  # no list shows photo posts: a person has to look
    assert len(world.inits(text, PHOTOS)) == 1
    only(world.sandbox.ledger(text))


def test_comments_are_refused(world, media):
    body = {"account_ids": [world.account], "platforms": {"tiktok": PUBLIC},
            "containers": [{"content": "a", "media": [media.clip()]}, {"content": "c"}]}
    answer = world.app.post("/v1/posts/publish", json=body)
    assert answer.status_code == 422 and "containers.1" in answer.json()["errors"]
    assert "comments_not_supported" in json.dumps(answer.json())


def test_draft_without_its_permission_is_refused_with_the_remedy(world, media):
    body = {"account_ids": [world.account], "content": "a", "media": [media.clip()],
            "platforms": {"tiktok": {"post_mode": "MEDIA_UPLOAD"}}}
    answer = world.app.post("/v1/posts/publish", json=body)
    assert answer.status_code == 422 and "video.upload" in answer.json()["errors"]["platforms.tiktok.post_mode"][0]


@pytest.fixture(scope="module")
def drafter(world):
    """An account of an app that asks for drafts alone, as one without the product for direct posts does."""
    app = App(world.service)
    done = app.cli("credential", "set", "--app", app.client_id, "--platform", "tiktok", "--client-id", "sandbox-tiktok",
                   "--client-secret-stdin", "--scopes", "user.info.basic user.info.profile video.upload", "--verify",
                   stdin="sandbox-secret-tiktok")
    assert done.returncode == 0, done.stderr
    app.issue_token()
    return app, app.account("tiktok", "drafter")


DRAFT = {"tiktok": {"post_mode": "MEDIA_UPLOAD"}}


@pytest.mark.parametrize("kind", ["clip", "image"])
def test_draft_ends_in_the_inbox_as_it_was_asked_for(world, drafter, media, kind):
    app, account = drafter
    text = marker("draft")
    asked = len(world.sandbox.log(path=CREATOR))
    accepted = app.accepted(account, text, media=[getattr(media, kind)()], platforms=DRAFT)
    ignored = [warning["field"] for warning in accepted.get("warnings", [])]
    assert ignored == (["content"] if kind == "clip" else [])  # TikTok takes no text with a video
    post = app.wait_post(accepted["post_id"])
    told = only(post["platform_posts"])
    assert (post["status"], post["outcome"], told["visibility"], told["warnings"]) == ("published", "all", "draft", [])
    assert told["url"] is None and world.sandbox.ledger(text) == []  # nobody sees it yet
    assert len(world.sandbox.log(path=CREATOR)) == asked


def test_plan_of_a_draft_is_what_it_does(world, drafter, media):
    app, account = drafter
    body = {"account_ids": [account], "content": "", "media": [media.clip()], "platforms": DRAFT}
    told = app.post("/v1/posts/validate", json=body).json()["data"]
    plan = json.dumps(only(told["accounts"])["plan"])
    assert "/inbox/video/init/" in plan and "/creator_info/" not in plan


def test_post_without_its_permission_is_refused_with_the_remedy(drafter, media):
    app, account = drafter
    answer = app.publish(account, "a", media=[media.clip()])
    assert answer.status_code == 422 and "video.publish" in answer.json()["errors"]["platforms.tiktok.post_mode"][0]


def test_sixth_draft_waits_for_room_in_the_inbox(world, drafter, media):
    app, account = drafter
    world.sandbox.fault("tiktok", "POST", "/v2/post/publish/inbox/video/init/", "status", error="spam_risk_too_many_pending_share",
                        status=403)
    accepted = app.accepted(account, "", media=[media.clip()], platforms=DRAFT)
    poll("it waits", lambda: app.show(accepted["post_id"])["platform_posts"][0]["error"])
    told = app.show(accepted["post_id"])["platform_posts"][0]
    assert (told["status"], told["error"]["code"]) == ("pending", "QUOTA_EXHAUSTED")


# ---- an app that TikTok has not audited ----


def test_first_post_of_an_unaudited_app_works_without_the_option(world, media):
    world.turn(tiktok_audited=0, tiktok_private_account=1)
    text = marker("first")
    post = world.final(text, [media.clip()], {})
    told = only(post["platform_posts"])
    assert (post["status"], post["outcome"], told["visibility"]) == ("published", "partial", "private")
    assert "audit" in only(told["warnings"])["message"]
    assert [init["post_info"]["privacy_level"] for init in world.inits(text)] == ["MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
    only(world.sandbox.ledger(text))
    accepted = world.app.accepted(world.account, marker("next"), media=[media.clip()])
    assert "tiktok_unaudited_app" in [warning["code"] for warning in accepted["warnings"]]
    world.turn(tiktok_audited=1)  # the audit is learned of by the next post that TikTok takes
    world.app.wait_post(accepted["post_id"])


def test_app_decides_what_becomes_of_a_post_without_a_level(world, media):
    def decide(word):
        assert world.app.cli("app", "set", world.app.client_id, "--tiktok-privacy", word).returncode == 0

    try:
        decide("self_only")
        text = marker("setting")
        told = only(world.final(text, [media.clip()], {})["platform_posts"])
        assert (told["outcome"], told["visibility"], told["warnings"]) == ("all", "private", [])
        assert only(world.inits(text))["post_info"]["privacy_level"] == "SELF_ONLY"
        decide("refuse")
        answer = world.app.publish(world.account, "a", media=[media.clip()])
        assert answer.status_code == 422 and "tiktok_privacy" in answer.json()["errors"]["platforms.tiktok.privacy_level"][0]
        assert world.app.cli("app", "set", world.app.client_id, "--tiktok-privacy", "open").returncode == 1
    finally:
        decide("most_open")


def test_account_shows_what_its_creator_may_choose_from(world):
    shown = world.app.get(f"/v1/accounts/{world.app.account('tiktok', 'chooser')}").json()["data"]["creator_info"]
    assert shown["privacy_level_options"] == ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
    assert (shown["max_video_post_duration_sec"], shown["stitch_disabled"]) == (300, True)


def test_photo_that_is_too_large_is_named(world, media, tmp_path):
    text = marker("large")
    large = make_media(tmp_path / "large.jpg", ["-f", "lavfi", "-i", "testsrc2=size=1200x1100", "-frames:v", "1"])
    media.picture, kept = large, media.picture
    try:
        post = world.final(text, [{**media.image(), "fit": "off"}])
    finally:
        media.picture = kept
    assert world.error(post)["code"] == "MEDIA_REJECTED" and "shorter side" in world.error(post)["message"]
    assert "Media file 1" in world.error(post)["message"] and world.inits(text, PHOTOS) == []


def test_html_of_tiktoks_edge_passes(world, media):
    text = marker("edge")
    world.sandbox.fault("tiktok", "POST", INIT, "status", status=403, body="<html>Access denied</html>")
    check_published(world, world.final(text, [media.clip()]), text)
