# SPDX-License-Identifier: Apache-2.0
"""TikTok from the accepted request to what the world can see: videos in chunks, photos and pulled videos, what the creator may do,
and the refusals that end or delay a post (tiktok.md)."""
import hashlib
import json

import pytest

from harness import App, Sandbox, Service, marker, poll

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


def test_draft_is_refused_not_published(world, media):
    body = {"account_ids": [world.account], "content": "a", "media": [media.clip()],
            "platforms": {"tiktok": {**PUBLIC, "post_mode": "MEDIA_UPLOAD"}}}
    assert world.app.post("/v1/posts/publish", json=body).status_code == 422
