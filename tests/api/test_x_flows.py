# SPDX-License-Identifier: Apache-2.0
"""Every kind of post on X from the request to what the world can see, the files it does not take, its errors by name, credits and
subscriptions, and what becomes of calls in doubt (x.md)."""
import hashlib
import json

import pytest
import requests

from file_server import FileServer, picture, video
from harness import App, Sandbox, Service, make_media, marker, poll

TWEETS = ("POST", "/2/tweets")
UPLOAD = ("POST", "/2/media/upload")
METADATA = ("POST", "/2/media/metadata")
INITIALIZE = ("POST", "/2/media/upload/initialize")
SUBTITLES = ("POST", "/2/media/subtitles")
APPEND = ("POST", "/2/media/upload/*/append")
FINALIZE = ("POST", "/2/media/upload/*/finalize")
PUBLISH_ARTICLE = ("POST", "/2/articles/*/publish")
TOKEN = ("POST", "/2/oauth2/token")
# X works on files by the true clock, the service asks 200 times as often as it would: longer, and X's 1,000 questions in 15 minutes run out.
PROCESSING_MS = 50


def gif(path, frames):
    return make_media(path, ["-f", "lavfi", "-i", "testsrc2=size=64x64:rate=5", "-frames:v", str(frames)])


def made_files(directory):
    made = {
        "moves.gif": gif(directory / "moves.gif", 5),
        "still.gif": gif(directory / "still.gif", 1),
        "picture.png": picture(directory / "picture.png", "64x64"),
        "short.mp4": video(directory / "short.mp4", 2),
        "long.mp4": video(directory / "long.mp4", 1205),
        "page.png": b"<!doctype html><title>Sign in</title>",
        "de.srt": b"\xef\xbb\xbf1\r\n00:00:00,000 --> 00:00:01,000\r\nGuten Tag\r\n",
        "en.vtt": b"WEBVTT\n\n00:00.000 --> 00:01.000\nGood day\n",
    }
    return {**made, "heavy.png": made["picture.png"] + bytes(5 << 20)}


# ---- a sandbox and a service of their own: knobs are turned that others would notice ----


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    served = FileServer(made_files(tmp_path_factory.mktemp("files")))
    yield served
    served.close()


@pytest.fixture(scope="module")
def world():
    with Sandbox() as process:
        turn(process, x_processing_ms=PROCESSING_MS)
        yield process


@pytest.fixture(scope="module")
def shop(tmp_path_factory, world):
    with Service(tmp_path_factory.mktemp("x") / "data", world, ["--time-scale", "200"]) as process:
        yield App(process, name="x flows").set_credentials("x").issue_token()


@pytest.fixture(scope="module")
def account(shop):
    return shop.account("x")


@pytest.fixture(scope="module")
def subscriber(shop, world):
    """The same person at X with a subscription, connected for another user of the app."""
    turn(world, x_subscription=2)
    account = shop.account("x", user_id="subscriber")
    turn(world, x_subscription=0)
    return account


@pytest.fixture(autouse=True)
def as_it_was(world):
    yield
    world.clear_faults()
    turn(world, x_subscription=0, x_budget_mils=-1, x_processing_ms=PROCESSING_MS, x_old_field_names=0,
         x_segment_max_bytes=8 << 20)


def turn(world, **knobs):
    world._call("POST", "/_sandbox/knobs", json=knobs)


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def media_of(entry):
    return [(item["type"], item["sha256"], item["alt_text"]) for item in entry["media"]]


def calls(world, since=0):
    """What was asked of X's API, oldest first."""
    return [f"{one['method']} {one['path'].split('?')[0]}" for one in world.log(host="api.x.com")[since:]]


def failed(app, *arguments, **more):
    post = app.wait_post(app.accepted(*arguments, **more)["post_id"])
    assert post["status"] == "failed", post
    return only(post["platform_posts"])["error"]


# ---- files ----


def test_images_with_alt_text(shop, world, files, account):
    text = marker("images")
    names = ["picture.png", "still.gif", "picture.png"]
    items = [files.item(name, alt_text=f"number {number}") for number, name in enumerate(names)]
    post = shop.published(account, text, media=items)
    entry = only(world.ledger(text))
    assert entry["text"] == text
    assert media_of(entry) == [("image", files.sha256(name), f"number {number}") for number, name in enumerate(names)]
    assert only(post["platform_posts"])["platform_post_id"] == entry["id"]


def test_image_without_text(shop, world, files, account):
    before = len(world.ledger())
    shop.published(account, "", media=[files.item("picture.png")])
    entry = only(world.ledger()[before:])
    assert entry["text"] == "" and media_of(entry)[0][1] == files.sha256("picture.png")


@pytest.mark.parametrize("said", ["image", "video"])
def test_gif_is_found_by_its_bytes(shop, world, files, account, said):
    text, before = marker("gif"), len(world.log(host="api.x.com"))
    item = {**files.item("moves.gif", mime_type="image/gif" if said == "image" else None), "type": said}
    shop.published(account, text, media=[{name: value for name, value in item.items() if value}])
    assert media_of(only(world.ledger(text)))[0][1] == files.sha256("moves.gif")
    assert "POST /2/media/upload/initialize" in calls(world, before)


@pytest.mark.parametrize("post_type", [None, "video"])
def test_video(shop, world, files, account, post_type):
    text = marker("video")
    more = {"type": post_type} if post_type else {}
    shop.published(account, text, media=[files.item("short.mp4")], **more)
    assert media_of(only(world.ledger(text))) == [("video", files.sha256("short.mp4"), None)]


def test_film_goes_up_in_segments(shop, world, media, account):
    text, before = marker("film"), len(world.log(host="api.x.com"))
    shop.published(account, text, media=[media.long_clip()])
    entry = only(world.ledger(text))
    assert entry["media"][0]["sha256"] == hashlib.sha256(media.film).hexdigest()
    assert sum(call.endswith("/append") for call in calls(world, before)) == -(-len(media.film) // 2**20)


def test_segments_are_halved_for_xs_edge(shop, world, media, account):
    """X's edge answers 413 without a word to a segment that it finds too large (x.md 2.4)."""
    turn(world, x_segment_max_bytes=600_000)
    text, before = marker("edge"), len(world.log(host="api.x.com"))
    shop.published(account, text, media=[media.long_clip()])
    assert only(world.ledger(text))["media"][0]["sha256"] == hashlib.sha256(media.film).hexdigest()
    uploads = [one for one in world.log(host="api.x.com")[before:] if one["path"].endswith("/append")]
    assert [one["status"] for one in uploads] == [413] + [200] * -(-len(media.film) // 2**19)


def test_thread_with_files(shop, world, files, account):
    texts = [marker(f"part {number}") for number in range(3)]
    shop.published(account, containers=[
        {"content": texts[0], "media": [files.item("picture.png")]},
        {"content": texts[1], "media": [files.item("short.mp4")]},
        {"content": texts[2], "media": [files.item("still.gif"), files.item("picture.png")]},
    ])
    entries = [only(world.ledger(text)) for text in texts]
    assert [len(entry["media"]) for entry in entries] == [1, 1, 2]
    assert [entry["reply_to"] for entry in entries] == [None, entries[0]["id"], entries[1]["id"]]


@pytest.mark.parametrize("names, word", [
    (["heavy.png"], "5242880"),
    (["page.png"], "must be JPEG"),
    (["long.mp4"], "1200"),
    (["moves.gif", "picture.png"], "only media file"),
])
def test_files_that_x_does_not_take(shop, world, files, account, names, word):
    text, before = marker("refused"), len(world.log(host="api.x.com"))
    error = failed(shop, account, text, media=[files.item(name, fit="off") for name in names])
    assert error["code"] == "MEDIA_REJECTED" and word in error["message"], error
    assert world.ledger(text) == [] and calls(world, before) == []


def test_processing_that_fails_is_told(shop, world, files, account):
    text = marker("broken")
    info = {"state": "failed", "error": {"code": 1, "name": "InvalidMedia", "message": "Unsupported video format"}}
    world.fault("x", "GET", UPLOAD[1], "status", status=200, body={"data": {"id": "1", "processing_info": info}})
    error = failed(shop, account, text, media=[files.item("short.mp4")])
    assert error["code"] == "MEDIA_REJECTED" and error["platform_message"] == "Unsupported video format", error
    assert world.ledger(text) == []


def test_a_lost_upload_is_made_anew(shop, world, files, account):
    text = marker("again")
    world.fault("x", *TWEETS, "status", error="media-ids-invalid")
    shop.published(account, text, media=[files.item("picture.png")])
    assert len(media_of(only(world.ledger(text)))) == 1


@pytest.mark.parametrize("call, fault", [
    (UPLOAD, {"effect": "reset_after"}), (APPEND, {"effect": "reset_after"}), (FINALIZE, {"effect": "reset_after"}),
    (FINALIZE, {"effect": "status", "status": 503}), (FINALIZE, {"effect": "status_after", "status": 500}),
])
def test_uploads_are_repeated(shop, world, files, account, call, fault):
    text = marker("repeated")
    world.fault("x", *call, **fault)
    name = "picture.png" if call is UPLOAD else "short.mp4"
    shop.published(account, text, media=[files.item(name)])
    assert only(world.ledger(text))["media"][0]["sha256"] == files.sha256(name)


@pytest.mark.parametrize("fault", [{"effect": "status", "error": "forbidden"}, {"effect": "status", "status": 503, "times": 9}])
def test_a_refused_alt_text_fails_no_post(shop, world, files, account, fault):
    text = marker("no alt")
    world.fault("x", *METADATA, **fault)
    shop.published(account, text, media=[files.item("picture.png", alt_text="a loaf")])
    assert only(world.ledger(text))["media"][0]["alt_text"] is None


# ---- subtitles ----


def bodies(world, call, since):
    """What was sent by that call since then, oldest first; only what X took."""
    return [json.loads(one["body"]) for one in world.log(host="api.x.com", path=call[1], method=call[0])[since:] if one["status"] == 200]


def captions(files, *names):
    return [{"url": files.item(name)["url"], "language": name[:2]} for name in names]


def with_captions(shop, world, files, account, text, entries):
    """The post's delivery on X, and what was bound to its video."""
    since = len(world.log(host="api.x.com", path=SUBTITLES[1], method="POST"))
    post = shop.published(account, text, media=[files.item("short.mp4")], platforms={"x": {"captions": entries}})
    return only(post["platform_posts"]), bodies(world, SUBTITLES, since)


def test_subtitles_are_bound_before_the_video_is_posted(shop, world, files, account):
    text, before = marker("subtitles"), len(world.log(host="api.x.com"))
    begun = len(world.log(host="api.x.com", path=INITIALIZE[1], method="POST"))
    entries = captions(files, "de.srt", "en.vtt")
    entries[0]["name"] = "Deutsch"
    told, bound = with_captions(shop, world, files, account, text, entries)
    assert told["outcome"] == "all" and not told.get("warnings"), told
    uploads = bodies(world, INITIALIZE, begun)
    assert [(one["media_category"], one["media_type"]) for one in uploads] == [
        ("tweet_video", "video/mp4"), ("subtitles", "text/srt"), ("subtitles", "text/vtt")]
    assert [(one["subtitles"]["language_code"], one["subtitles"]["display_name"]) for one in bound] == [("DE", "Deutsch"), ("EN", "en")]
    assert {one["media_category"] for one in bound} == {"TweetVideo"} and len({one["id"] for one in bound}) == 1
    order = [call for call in calls(world, before) if call in (" ".join(SUBTITLES), " ".join(TWEETS))]
    assert order == [" ".join(SUBTITLES)] * 2 + [" ".join(TWEETS)]
    only(world.ledger(text))


def test_subtitles_may_be_uploaded_files(shop, world, files, account):
    made = shop.post("/v1/media", data=files.bytes["de.srt"], headers={"Content-Type": "application/x-subrip"})
    assert made.status_code == 201, made.text
    kept = made.json()["data"]
    assert kept["mime_type"] == "application/x-subrip", kept
    told, bound = with_captions(shop, world, files, account, marker("kept"), [{"url": kept["id"], "language": "de"}])
    assert told["outcome"] == "all" and only(bound)["subtitles"]["language_code"] == "DE"


@pytest.mark.parametrize("fault", [{"effect": "status", "error": "forbidden"}, {"effect": "status", "status": 503, "times": 9}])
def test_refused_subtitles_fail_no_post(shop, world, files, account, fault):
    text = marker("mute")
    world.fault("x", *SUBTITLES, **fault)
    told, bound = with_captions(shop, world, files, account, text, captions(files, "de.srt"))
    assert told["outcome"] == "partial" and bound == []
    warning = only(told["warnings"])
    assert (warning["code"], warning["field"]) == ("captions_refused", "platforms.x.captions") and "de" in warning["message"]
    only(world.ledger(text))


@pytest.mark.parametrize("name, words", [("page.png", "SRT or WebVTT"), ("nothing.srt", "could not be fetched")])
def test_what_is_no_file_of_subtitles_is_left_out(shop, world, files, account, name, words):
    text = marker("no words")
    entries = [{"url": files.url(name), "language": "fr"}, *captions(files, "de.srt")]
    told, bound = with_captions(shop, world, files, account, text, entries)
    assert [one["subtitles"]["language_code"] for one in bound] == ["DE"]
    warning = only(told["warnings"])
    assert warning["code"] == "captions_refused" and "fr" in warning["message"] and words in warning["message"], warning
    only(world.ledger(text))


@pytest.mark.parametrize("effect", ["reset_after", "reset_before"])
@pytest.mark.parametrize("call", [INITIALIZE, APPEND, FINALIZE, SUBTITLES])
def test_calls_for_subtitles_are_repeated(shop, world, files, account, call, effect):
    text = marker("again")
    if call is not SUBTITLES:
        world.fault("x", *call, "slow", retry_after=0)  # the video's own
    world.fault("x", *call, effect)
    told, bound = with_captions(shop, world, files, account, text, captions(files, "de.srt"))
    assert told["outcome"] == "all" and [one["subtitles"]["language_code"] for one in bound][-1] == "DE", told
    only(world.ledger(text))


def test_captions_are_checked(shop, world, files, account):
    entries = captions(files, "de.srt")
    for wrong, media in ((entries, []), ([{**entries[0], "language": "pt-BR"}], ["short.mp4"]), (entries * 2, ["short.mp4"])):
        answer = shop.publish(account, marker("wrong"), media=[files.item(name) for name in media], platforms={"x": {"captions": wrong}})
        assert answer.status_code == 422 and "platforms.x.captions" in answer.json()["errors"], answer.text


# ---- options ----


def test_poll(shop, world, account):
    text, before = marker("poll"), len(world.log(host="api.x.com"))
    options = {"poll": {"options": ["Brass", "Wood"], "duration_minutes": 60}, "reply_settings": "mentionedUsers"}
    shop.published(account, text, platforms={"x": options})
    body = world.log(host="api.x.com")[before]["body"]
    assert '"poll":{"options":["Brass","Wood"],"duration_minutes":60}' in body and '"reply_settings":"mentionedUsers"' in body
    only(world.ledger(text))


def test_links_are_stripped_and_cost_less(shop, world, account):
    text = marker("links")
    spent = requests.get(f"{world.url}/api.x.com/_sandbox/spent", timeout=10).json()["spent_mils"]
    shop.published(account, f"{text} https://example.com/a", platforms={"x": {"strip_links": True}})
    assert only(world.ledger(text))["text"] == text
    shop.published(account, f"{text} too https://example.com/a")
    assert requests.get(f"{world.url}/api.x.com/_sandbox/spent", timeout=10).json()["spent_mils"] == spent + 15 + 200


def test_quoting_is_refused_and_warned_of(shop, world, account):
    data = shop.accepted(account, marker("quote"), platforms={"x": {"quote_tweet_id": "20"}})
    assert [warning["code"] for warning in data["warnings"]] == ["needs_enterprise"]
    error = only(shop.wait_post(data["post_id"])["platform_posts"])["error"]
    assert error["code"] == "PERMISSION_MISSING"


def test_a_link_is_warned_of(shop, world, account):
    told = shop.accepted(account, marker("link") + " https://example.com/a")
    warning = only(told["warnings"])
    assert warning["code"] == "link_costs_more" and "strip_links" in warning["message"] and warning["field"] == "content"
    bare = shop.accepted(account, marker("no link") + " https://example.com/a", platforms={"x": {"strip_links": True}})
    assert "warnings" not in bare


def test_options_of_a_videos_card(shop, world, files, account):
    text = marker("card")
    actions = {"visit_site": {"url": "https://example.com/"}}
    options = {"media_description": "A short film", "media_embeddable": False, "call_to_actions": actions}
    shop.published(account, text, media=[files.item("short.mp4")], platforms={"x": options})
    body = next(one["body"] for one in world.log(host="api.x.com") if one["path"].startswith("/2/tweets") and text in one["body"])
    assert '"description":"A short film","embeddable":false,"call_to_actions":{"visit_site":{"url":"https://example.com/"}}' in body
    wrong = shop.publish(account, marker("card"), platforms={"x": {"call_to_actions": {"buy_now": {}}}})
    assert wrong.status_code == 422 and "platforms.x.call_to_actions" in wrong.json()["errors"]


# ---- subscriptions and articles ----


def test_a_post_is_edited(shop, world, account, subscriber):
    """A subscriber's post is replaced by another with a new id (x.md 2.1)."""
    turn(world, x_subscription=2)
    old, new = marker("before"), marker("after")
    first = only(shop.published(subscriber, old)["platform_posts"])["platform_post_id"]
    edit = {"x": {"edit_options": {"previous_post_id": first}}}
    second = only(shop.published(subscriber, new, platforms=edit)["platform_posts"])["platform_post_id"]
    assert world.ledger(old) == [] and only(world.ledger(new))["id"] == second != first
    for count in range(4):
        again = {"x": {"edit_options": {"previous_post_id": second}}}
        second = only(shop.published(subscriber, marker(f"edit {count}"), platforms=again)["platform_posts"])["platform_post_id"]
    error = failed(shop, subscriber, marker("sixth"), platforms={"x": {"edit_options": {"previous_post_id": second}}})
    assert error["code"] in ("CONTENT_REJECTED", "PLATFORM_REJECTED")


def test_an_edit_needs_a_subscription_and_an_id(shop, world, account):
    told = shop.accepted(account, marker("plain"), platforms={"x": {"edit_options": {"previous_post_id": "20"}}})
    assert [warning["code"] for warning in told["warnings"]] == ["needs_subscription"]
    assert shop.wait_post(told["post_id"])["status"] == "failed"
    wrong = shop.publish(account, marker("wrong"), platforms={"x": {"edit_options": {"previous_post_id": "a/b"}}})
    assert wrong.status_code == 422 and "platforms.x.edit_options" in wrong.json()["errors"]


def test_a_subscription_allows_long_posts_and_replies(shop, world, account, subscriber):
    text = marker("long")
    refused = shop.publish(account, text + "a" * 300)
    assert refused.status_code == 422
    turn(world, x_subscription=2)
    shop.published(subscriber, containers=[{"content": text + "a" * 3000}, {"content": text + "b" * 3000}])
    assert sorted(len(entry["text"]) for entry in world.ledger(text)) == [len(text) + 3000] * 2


def test_article(shop, world, files, subscriber):
    text, comment = marker("article"), marker("comment")
    turn(world, x_subscription=2)
    shop.published(subscriber, containers=[
        {"type": "article", "content": f"The title\n\n# Bread\n{text}\nSee https://example.com/x\n- one\n- two",
         "media": [files.item("picture.png")]}, {"content": comment},
    ], platforms={"x": {"article": {"cover_url": files.url("still.gif")}}})
    entry = only(world.ledger(text))
    assert (entry["type"], entry["text"]) == ("article", f"Bread\n{text}\nSee https://example.com/x\none\ntwo")
    assert {item["sha256"] for item in entry["media"]} == {files.sha256("picture.png"), files.sha256("still.gif")}
    assert only(world.ledger(comment))["reply_to"] == entry["id"]


def test_article_draft_and_without_subscription(shop, world, account, subscriber):
    text = marker("draft")
    turn(world, x_subscription=2)
    post = shop.published(subscriber, text, type="article", platforms={"x": {"article": {"status": "draft"}}})
    assert only(post["platform_posts"])["platform_post_id"] and world.ledger(text) == []
    turn(world, x_subscription=0)
    data = shop.accepted(account, text, type="article")
    assert [warning["code"] for warning in data["warnings"]] == ["needs_subscription"]
    assert only(shop.wait_post(data["post_id"])["platform_posts"])["error"]["code"] == "PERMISSION_MISSING"


# ---- calls in doubt ----


@pytest.mark.parametrize("old_names", [0, 1])
@pytest.mark.parametrize("kind", ["text", "link", "image", "reply", "long", "article"])
def test_a_lost_answer_is_looked_up(shop, world, files, account, subscriber, kind, old_names):
    text = marker("lost")
    turn(world, x_old_field_names=old_names, x_subscription=2 if kind in ("long", "article") else 0)
    target = subscriber if kind in ("long", "article") else account
    call = PUBLISH_ARTICLE if kind == "article" else TWEETS
    world.fault("x", *call, "reset_after", times=1)
    bodies = {
        "text": {"content": f"{text} & <b>"},
        "link": {"content": f"{text} https://example.com/a?b=c and example.org"},
        "image": {"content": text, "media": [files.item("picture.png")]},
        "reply": {"containers": [{"content": f"{text} one"}, {"content": f"{text} two", "media": [files.item("picture.png")]}]},
        "long": {"content": text + " word" * 200},
        "article": {"content": text, "type": "article"},
    }
    post = shop.published(target, **bodies[kind])
    entries = world.ledger(text)
    assert len(entries) == (2 if kind == "reply" else 1)
    assert only(post["platform_posts"])["platform_post_id"] == entries[0]["id"]


def test_a_duplicate_is_refused_and_never_changed(shop, world, account):
    text = marker("twice")
    shop.published(account, text)
    error = failed(shop, account, text)
    assert error["code"] == "DUPLICATE_CONTENT"
    only(world.ledger(text))


# ---- what X says no to ----


@pytest.mark.parametrize("name, code", [
    ("reply-not-mentioned", "PLATFORM_REJECTED"), ("feature-not-permitted", "PERMISSION_MISSING"),
    ("action-not-permitted", "CONTENT_REJECTED"), ("video-too-long", "MEDIA_REJECTED"), ("invalid-url", "CONTENT_REJECTED"),
    ("user-suspended", "PERMISSION_MISSING"), ("account-locked", "PERMISSION_MISSING"), ("not-found", "PLATFORM_REJECTED"),
])
def test_refusals_by_name(shop, world, account, name, code):
    text = marker("no")
    world.fault("x", *TWEETS, "status", error=name)
    error = failed(shop, account, text)
    assert error["code"] == code, error
    assert world.ledger(text) == []


@pytest.mark.parametrize("name", ["unknown-authentication", "token-expired-v1", "unauthorized"])
def test_what_passes_is_tried_again(shop, world, account, name):
    text = marker("again")
    world.fault("x", *TWEETS, "status", error=name)
    shop.published(account, text)
    only(world.ledger(text))


def test_no_credits_pause_and_burn_no_tries(shop, world, account):
    text = marker("credits")
    turn(world, x_budget_mils=0)
    post_id = shop.accepted(account, text)["post_id"]
    poll("the post waits", lambda: "402" in shop.timeline_text(post_id))
    waiting = only(shop.show(post_id)["platform_posts"])
    assert waiting["status"] != "failed" and waiting["attempts"] <= 1, waiting
    turn(world, x_budget_mils=-1)
    post = shop.wait_post(post_id)
    assert post["status"] == "published", post
    only(world.ledger(text))


def test_the_reset_of_a_rate_limit_is_obeyed(shop, world, account):
    text = marker("limit")
    world.fault("x", *TWEETS, "rate_limit", retry_after=300)
    shop.published(account, text)
    asked = [one for one in world.log(host="api.x.com", path="/2/tweets", method="POST") if text in one["body"]]
    assert len(asked) == 2
    only(world.ledger(text))


# ---- tokens: each refresh token works once ----


def refreshes(world, since):
    return [one for one in world.log(host="api.x.com", path=TOKEN[1])[since:] if "refresh_token" in one["body"]]


def test_deliveries_at_once_share_one_refresh(shop, world, account):
    """The token has ended; many posts of the account are due at the same moment."""
    before = len(world.log(host="api.x.com", path=TOKEN[1]))
    world.fault("x", *TWEETS, "expire_token")
    texts = [marker("burst") for _ in range(6)]
    ids = [shop.accepted(account, text)["post_id"] for text in texts]
    assert [shop.wait_post(post_id)["status"] for post_id in ids] == ["published"] * len(ids)
    assert len(refreshes(world, before)) == 1


def test_two_connections_refresh_at_once(shop, world):
    """Two users of the app are the same person at X: each connection has its own pair, and neither burns the other's. The
    last test of this file: it puts the sandbox's clock ahead."""
    accounts = [shop.account("x", user_id=name) for name in ("pair-1", "pair-2")]
    for _ in range(3):
        before = len(world.log(host="api.x.com", path=TOKEN[1]))
        world.advance(7201)  # both access tokens end
        texts = [marker("pair") for _ in accounts]
        ids = [shop.accepted(one, text)["post_id"] for one, text in zip(accounts, texts)]
        assert [shop.wait_post(post_id)["status"] for post_id in ids] == ["published"] * 2
        bodies = [one["status"] for one in refreshes(world, before)]
        assert bodies == [200, 200], bodies
