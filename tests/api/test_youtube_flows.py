# SPDX-License-Identifier: Apache-2.0
"""YouTube from the accepted request to what the world can see: long uploads, options, thumbnails, comments, processing, and the
refusals that end or delay a post (youtube.md)."""
import hashlib
import json

import pytest

from harness import App, Service, marker

UPLOAD = "/upload/youtube/v3/videos"
THUMBNAILS = "/upload/youtube/v3/thumbnails/set"
VIDEOS = "/youtube/v3/videos"
COMMENTS = "/youtube/v3/commentThreads"


class World:
    """A sandbox and a service of their own: knobs, quotas and clocks are turned here."""

    def __init__(self, directory, sandbox, time_scale=1000):
        self.sandbox = sandbox
        self.service = Service(directory, sandbox, ["--time-scale", str(time_scale)])
        self.app = App(self.service).set_credentials("youtube").issue_token()
        self.account = self.app.account("youtube")

    def turn(self, **knobs):
        self.sandbox._call("POST", "/_sandbox/knobs", json=knobs)

    def final(self, text, media, **more):
        body = {"containers": [{"content": text, "media": [media]}, *more.pop("comments", [])]}
        return self.app.wait_post(self.app.accepted(self.account, None, **body, **more)["post_id"])

    def error(self, post):
        return post["platform_posts"][0]["error"]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    from harness import Sandbox

    with Sandbox() as sandbox:
        made = World(tmp_path_factory.mktemp("youtube") / "data", sandbox)
        yield made
        made.service.stop()


@pytest.fixture(autouse=True)
def as_it_was(world):
    yield
    world.sandbox.clear_faults()
    world.turn(youtube_audited=1, youtube_processing_end=0, youtube_processing_ms=2000, youtube_sessions_lost=0, youtube_channel_uploads=0,
               youtube_custom_thumbnails=1)


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def starts(world, text):
    """The session starts that carried this text."""
    found = [entry for entry in world.sandbox.log(path=UPLOAD, method="POST") if text in (entry.get("body") or "")]
    return [json.loads(entry["body"]) for entry in found]


def test_options_and_thumbnail_and_comments(world, media):
    text = marker("whole")
    video = media.clip(duration=4, thumbnail_url=media.image()["url"])
    options = {"title": f"Title {text}", "description": f"{text} described", "tags": ["a", "b c"], "categoryId": "10",
               "privacyStatus": "unlisted", "license": "creativeCommon", "containsSyntheticMedia": True, "notifySubscribers": False}
    post = world.final(text, video, comments=[{"content": f"{text} first"}, {"content": f"{text} second"}],
                       platforms={"youtube": options})
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    platform_post = only(post["platform_posts"])
    entry = only(world.sandbox.ledger(f"{text} described"))
    assert platform_post["platform_post_id"] == entry["id"]
    assert platform_post["url"] == entry["url"] == f"https://www.youtube.com/shorts/{entry['id']}"
    assert only(entry["media"])["sha256"] == hashlib.sha256(media.video).hexdigest()
    for words in ("first", "second"):
        assert only(world.sandbox.ledger(f"{text} {words}"))["reply_to"] == entry["id"]
    body = only(starts(world, text))
    assert body["snippet"] == {"title": f"Title {text}", "description": f"{text} described", "categoryId": "10", "tags": ["a", "b c"]}
    assert body["status"]["privacyStatus"] == "unlisted" and body["status"]["license"] == "creativeCommon"
    thumbnail = [call for call in world.sandbox.log(path=THUMBNAILS) if entry["id"] in call["path"]]
    assert only(thumbnail)["status"] == 200
    assert only(thumbnail)["headers"]["content-type"] == "image/jpeg"


def test_long_video_goes_up_in_chunks(world, media):
    text = marker("long")
    post = world.final(text, media.long_clip(), platforms={"youtube": {"privacyStatus": "public"}})
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    entry = only(world.sandbox.ledger(text))
    assert only(entry["media"])["sha256"] == hashlib.sha256(media.film).hexdigest()
    ranges = [call["headers"].get("content-range") for call in world.sandbox.log(path=UPLOAD, method="PUT")][-2:]
    assert ranges == ["bytes 0-8388607/9000000", "bytes 8388608-8999999/9000000"]


def test_upload_cut_in_the_middle_goes_on_where_youtube_is(world, media):
    text = marker("cut")
    world.sandbox.fault("youtube", "PUT", UPLOAD, "cut", bytes=3_000_000, times=2)  # the first may be on a connection that is used again
    post = world.final(text, media.long_clip(), platforms={"youtube": {"privacyStatus": "public"}})
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    assert only(only(world.sandbox.ledger(text))["media"])["sha256"] == hashlib.sha256(media.film).hexdigest()
    ranges = [call["headers"].get("content-range") for call in world.sandbox.log(path=UPLOAD, method="PUT")]
    kept = 3_000_000 // 262_144 * 262_144
    assert ranges[-2:] == ["bytes */9000000", f"bytes {kept}-8999999/9000000"]
    assert len(starts(world, text)) == 1


def test_lost_session_is_begun_again_and_makes_one_video(world, media):
    text = marker("gone")
    world.sandbox.fault("youtube", "PUT", UPLOAD, "status", status=404)
    post = world.final(text, media.clip(), platforms={"youtube": {"privacyStatus": "public"}})
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    assert len(starts(world, text)) == 2
    only(world.sandbox.ledger(text))


@pytest.mark.parametrize("fault", ["forbidden", "invalidImage", "uploadRateLimitExceeded", "backendError"])
def test_thumbnail_never_fails_the_video(world, media, fault):
    text = marker("thumb")
    world.sandbox.fault("youtube", "POST", THUMBNAILS, "status", error=fault, status=400, times=20)
    post = world.final(text, media.clip(thumbnail_url=media.image()["url"]), platforms={"youtube": {"privacyStatus": "public"}})
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    assert len(starts(world, text)) == 1
    only(world.sandbox.ledger(text))
    check_lacks(world, post, "thumbnail_refused", "public")


def check_lacks(world, post, code, visibility):
    """It is out, in part, and says in GET, list and event what it lacks."""
    listed = next(row for row in world.app.list(status="published")["data"] if row["id"] == post["id"])
    told = world.app.get("/v1/events", params={"limit": 100}).json()["data"]
    event = next(row for row in told if row["event"] == "post.publish.succeeded" and row["data"]["id"] == post["id"])
    for shown in (post, listed, event["data"]):
        item = only(shown["platform_posts"])
        assert (shown["status"], shown["outcome"], item["outcome"], item["error"]) == ("published", "partial", "partial", None)
        assert (item["visibility"], [row["code"] for row in item["warnings"]]) == (visibility, [code])
        assert item["warnings"][0]["field"] and item["warnings"][0]["message"]


def test_retry_of_a_refused_thumbnail_sends_the_thumbnail_alone(world, media):
    text = marker("thumb again")
    world.turn(youtube_custom_thumbnails=0)
    post = world.final(text, media.clip(thumbnail_url=media.image()["url"]), platforms={"youtube": {"privacyStatus": "unlisted"}})
    check_lacks(world, post, "thumbnail_refused", "unlisted")
    assert "youtube.com/verify" in only(only(post["platform_posts"])["warnings"])["message"]
    world.turn(youtube_custom_thumbnails=1)
    before = len(world.sandbox.log(path=THUMBNAILS))
    answer = world.app.post(f"/v1/posts/{post['id']}/retry")
    assert answer.status_code == 202, answer.text
    post = world.app.wait_post(post["id"])
    item = only(post["platform_posts"])
    assert (post["status"], post["outcome"], item["warnings"], item["visibility"]) == ("published", "all", [], "unlisted")
    assert len(starts(world, text)) == 1 and len(world.sandbox.log(path=THUMBNAILS)) == before + 1
    assert world.app.post(f"/v1/posts/{post['id']}/retry").json()["error"] == "NOTHING_TO_RETRY"


def test_what_is_out_privately_has_nothing_to_retry(world, media):
    world.turn(youtube_audited=0, youtube_processing_ms=0)
    post = world.final(marker("forced"), media.clip(), platforms={"youtube": {"privacyStatus": "public"}})
    check_lacks(world, post, "visibility_restricted", "private")
    answer = world.app.post(f"/v1/posts/{post['id']}/retry")
    assert answer.status_code == 409 and answer.json()["error"] == "NOTHING_TO_RETRY"
    asked = world.final(marker("asked"), media.clip(), platforms={"youtube": {"privacyStatus": "private"}})
    part = only(asked["platform_posts"])
    assert (asked["outcome"], part["visibility"], part["warnings"]) == ("all", "private", [])


@pytest.mark.parametrize("url", ["missing.jpg", "text.jpg"])
def test_thumbnail_that_is_none_is_left_out(world, media, url):
    text = marker("no thumb")
    before = len(world.sandbox.log(path=THUMBNAILS))
    post = world.final(text, media.clip(thumbnail_url=f"{media.url}/{url}"), platforms={"youtube": {"privacyStatus": "public"}})
    check_lacks(world, post, "thumbnail_refused", "public")
    assert len(world.sandbox.log(path=THUMBNAILS)) == before


@pytest.mark.parametrize("end, code", [(1, "MEDIA_REJECTED"), (2, "DUPLICATE_CONTENT"), (3, "MEDIA_REJECTED")])
def test_processing_that_fails_is_told(world, media, end, code):
    text = marker("processing")
    world.turn(youtube_processing_ms=0, youtube_processing_end=end)
    post = world.final(text, media.clip(), platforms={"youtube": {"privacyStatus": "public"}})
    assert post["status"] == "failed" and world.error(post)["code"] == code
    assert world.sandbox.ledger(text) == [] and len(starts(world, text)) == 1


PLAYLIST, STRANGERS = "PLsandboxPosthorn0000001", "PLsandboxStranger0000001"
PLAYLIST_ITEMS = "/youtube/v3/playlistItems"
CAPTIONS = "/upload/youtube/v3/captions"


def in_playlist(world, video_id):
    """The inserts that put the video there."""
    calls = world.sandbox.log(path=PLAYLIST_ITEMS, method="POST")
    return [one for one in calls if video_id in (one.get("body") or "") and one["status"] == 200]


def test_playlist_and_captions(world, media):
    text = marker("listed")
    captions = [{"url": media.words_url(), "language": "de", "name": "Deutsch"},
                {"url": media.words_url(), "language": "en"}]
    post = world.final(text, media.clip(duration=4), platforms={"youtube": {"playlistId": PLAYLIST, "captions": captions}})
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    platform_post = only(post["platform_posts"])
    assert platform_post["outcome"] == "all" and not platform_post.get("warnings")
    video = platform_post["platform_post_id"]
    only(in_playlist(world, video))
    sent = [json.loads(one["body"])["snippet"] for one in world.sandbox.log(path=CAPTIONS, method="POST") if video in one["body"]]
    assert [(one["language"], one["name"]) for one in sent] == [("de", "Deutsch"), ("en", "en")]
    put = [one for one in world.sandbox.log(path=CAPTIONS, method="PUT") if one["status"] == 200]
    assert len(put) >= 2


@pytest.mark.parametrize("effect", ["reset_after", "reset_before"])
def test_a_lost_answer_doubles_no_playlist_item(world, media, effect):
    text = marker("once")
    world.sandbox.fault("youtube", "POST", PLAYLIST_ITEMS, effect)
    post = world.final(text, media.clip(duration=4), platforms={"youtube": {"playlistId": PLAYLIST}})
    platform_post = only(post["platform_posts"])
    assert platform_post["outcome"] == "all", platform_post
    calls = [one for one in world.sandbox.log(path=PLAYLIST_ITEMS, method="POST")
             if platform_post["platform_post_id"] in (one.get("body") or "")]
    assert len(calls) == (1 if effect == "reset_after" else 2), "an insert that had its effect is not repeated"


@pytest.mark.parametrize("playlist, words", [(STRANGERS, "another channel"), ("PLnobody", "does not know")])
def test_a_refused_playlist_is_a_warning_and_can_be_retried(world, media, playlist, words):
    post = world.final(marker("unlisted"), media.clip(duration=4), platforms={"youtube": {"playlistId": playlist}})
    platform_post = only(post["platform_posts"])
    assert (post["status"], platform_post["outcome"]) == ("published", "partial")
    warning = only(platform_post["warnings"])
    assert warning["code"] == "playlist_refused" and words in warning["message"]
    assert warning["field"] == "platforms.youtube.playlistId"
    before = len(world.sandbox.log(path=UPLOAD))
    assert world.app.post(f"/v1/posts/{post['id']}/retry").status_code in (200, 202)
    world.app.wait_post(post["id"])
    assert len(world.sandbox.log(path=UPLOAD)) == before, "the video is not sent again"


def test_captions_that_cannot_be_had_are_a_warning(world, media):
    options = {"captions": [{"url": media.url + "/nothing.srt", "language": "fr"}]}
    post = world.final(marker("mute"), media.clip(duration=4), platforms={"youtube": options})
    platform_post = only(post["platform_posts"])
    assert (post["status"], platform_post["outcome"]) == ("published", "partial")
    assert only(platform_post["warnings"])["code"] == "captions_refused"


def test_options_of_playlist_and_captions_are_checked(world, media):
    options = {"playlistId": "https://youtube.com/playlist?list=PL1", "captions": [{"url": "x", "language": "de"}, {"url": media.url}]}
    answer = world.app.publish(world.account, marker("bad"), media=[media.clip(duration=4)], platforms={"youtube": options})
    assert answer.status_code == 422
    assert {"platforms.youtube.playlistId", "platforms.youtube.captions"} <= set(answer.json()["errors"])


def test_publish_at_is_kept_private_until_then(world, media):
    text = marker("later")
    post = world.final(text, media.clip(), platforms={"youtube": {"publishAt": "2030-01-01T09:00:00Z"}})
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    status = only(starts(world, text))["status"]
    assert status["privacyStatus"] == "private" and status["publishAt"] == "2030-01-01T09:00:00Z"


def test_project_without_audit_is_warned_of_next_time(world, media):
    world.turn(youtube_audited=0, youtube_processing_ms=0)
    post = world.final(marker("private"), media.clip(), platforms={"youtube": {"privacyStatus": "public"}})
    assert post["status"] == "published"
    world.turn(youtube_audited=1)
    more = {"media": [media.clip()], "platforms": {"youtube": {"privacyStatus": "public"}}}
    told = world.app.accepted(world.account, marker("next"), **more)
    assert [warning["code"] for warning in told["warnings"]] == ["youtube_private_only"]
    assert world.app.wait_post(told["post_id"])["status"] == "published"
    told = world.app.accepted(world.account, marker("public"), **more)
    assert "warnings" not in told and world.app.wait_post(told["post_id"])["status"] == "published"


@pytest.mark.parametrize("fault, code", [
    ("invalidTitle", "CONTENT_REJECTED"), ("forbiddenPrivacySetting", "CONTENT_REJECTED"), ("channelSuspended", "PERMISSION_MISSING"),
    ("mediaBodyRequired", "MEDIA_REJECTED"), ("youtubeSignupRequired", "PERMISSION_MISSING"),
])
def test_refusal_of_the_session_is_told_in_youtubes_words(world, media, fault, code):
    text = marker("refused")
    world.sandbox.fault("youtube", "POST", UPLOAD, "status", error=fault, status=400)
    post = world.final(text, media.clip(), platforms={"youtube": {"privacyStatus": "public"}})
    error = world.error(post)
    assert (error["code"], error["platform_code"]) == (code, fault) and error["platform_message"]
    assert world.sandbox.ledger(text) == []


@pytest.fixture(scope="module")
def hasty(world, tmp_path_factory):
    """A day is a second."""
    made = World(tmp_path_factory.mktemp("hasty") / "data", world.sandbox, time_scale=100_000)
    yield made
    made.service.stop()


@pytest.mark.parametrize("fault", ["Video Uploads per day", "quotaExceeded", "uploadLimitExceeded", "userRateLimitExceeded"])
def test_quota_delays_and_does_not_fail(hasty, media, fault):
    text = marker("quota")
    hasty.sandbox.fault("youtube", "POST", UPLOAD, "status", error=fault, status=400)
    post = hasty.final(text, media.clip(), platforms={"youtube": {"privacyStatus": "public"}})
    assert post["status"] == "published", hasty.app.timeline_text(post["id"])
    assert len(starts(hasty, text)) == 2
    only(hasty.sandbox.ledger(text))


def test_comments_are_refused_where_youtube_has_none(world, media):
    for options in ({"privacyStatus": "private"}, {"publishAt": "2030-01-01T09:00:00Z"}, {"selfDeclaredMadeForKids": True}):
        body = {"account_ids": [world.account], "platforms": {"youtube": options},
                "containers": [{"content": "a", "media": [media.clip()]}, {"content": "c"}]}
        answer = world.app.post("/v1/posts/publish", json=body)
        assert answer.status_code == 422 and "containers.1" in answer.json()["errors"]


def test_what_is_no_video_is_refused_before_anything_is_asked(world, media):
    text = marker("page")
    post = world.final(text, {"type": "video", "url": f"{media.url}/text.jpg"}, platforms={"youtube": {"privacyStatus": "public"}})
    assert world.error(post)["code"] == "MEDIA_REJECTED"
    assert starts(world, text) == []
