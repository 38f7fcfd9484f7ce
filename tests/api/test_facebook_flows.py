# SPDX-License-Identifier: Apache-2.0
"""Facebook Pages from the accepted request to what the world can see: every kind of post, every error of Meta's by number,
and what becomes of a call whose answer is lost (meta.md 3, 6, 7, 8)."""
import hashlib
import json

import pytest

from harness import App, Service, follow_return, make_video, marker, poll

PAGE = "/v25.0/*"
FEED, PHOTOS, COMMENTS = f"{PAGE}/feed", f"{PAGE}/photos", f"{PAGE}/comments"
VIDEOS, REELS = f"{PAGE}/videos", f"{PAGE}/video_reels"
PHOTO_STORIES, VIDEO_STORIES = f"{PAGE}/photo_stories", f"{PAGE}/video_stories"
UPLOAD = "/video-upload/v25.0/*"


@pytest.fixture(scope="module")
def page_app(tmp_path_factory, sandbox):
    """A service whose polls and looks take no time, with the Pages of one user."""
    with Service(tmp_path_factory.mktemp("pages") / "data", sandbox, ["--time-scale", "1000"]) as process:
        yield App(process, name="pages").set_credentials("facebook").issue_token()


@pytest.fixture(scope="module")
def page(page_app):
    return page_app.connect("facebook").accounts[0]


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def wait(app, *arguments, **more):
    return app.wait_post(app.accepted(*arguments, **more)["post_id"], timeout_s=60)


def published(app, *arguments, **more):
    post = wait(app, *arguments, **more)
    assert post["status"] == "published", f"{post}\n{app.timeline_text(post['id'])}"
    return post["platform_posts"][0]


def error_of(post):
    assert post["status"] == "failed" or post["outcome"] == "partial", post
    return post["platform_posts"][0]["error"]


def sha256(body):
    return hashlib.sha256(body).hexdigest()


def requests_of(sandbox, method, suffix):
    """Newest last."""
    return [entry for entry in sandbox.log("graph.facebook.com", method=method) if entry["path"].split("?")[0].endswith(suffix)]


def stories_of(sandbox, digest):
    return [entry for entry in sandbox.ledger(platform="facebook") if digest in [item["sha256"] for item in entry["media"]]]


# ---- every kind of post ----


def test_text_link_and_options(page_app, page, sandbox):
    text = marker("link")
    options = {"link": "https://www.example.com/a?b=1", "feed_targeting": {"geo_locations": {"countries": ["DE"]}},
               "published": False, "access_token": "mine", "attached_media": [], "title": "no"}
    data = page_app.accepted(page["id"], text, platforms={"facebook": options})
    ignored = {warning["field"] for warning in data["warnings"]}
    assert ignored == {f"platforms.facebook.{name}" for name in ("published", "access_token", "attached_media", "title")}
    post = page_app.wait_post(data["post_id"])["platform_posts"][0]
    entry = only(sandbox.ledger(text))
    assert entry["text"] == f"{text}\nhttps://www.example.com/a?b=1" and entry["type"] == "post"
    assert (post["platform_post_id"], post["url"]) == (entry["id"], entry["url"])
    sent = requests_of(sandbox, "POST", "/feed")[-1]["body"]
    assert "geo_locations" in sent and "published" not in sent and "attached_media" not in sent


def test_one_photo(page_app, page, sandbox, media):
    text = marker("photo")
    post = published(page_app, page["id"], text, media=[media.image(alt_text="Bread on a table")])
    entry = only(sandbox.ledger(text))
    picture = only(entry["media"])
    assert picture["sha256"] == sha256(media.picture) and picture["alt_text"] == "Bread on a table"
    assert post["platform_post_id"] == entry["id"]


def test_several_photos_keep_their_order(page_app, page, sandbox, media):
    text = marker("carousel")
    items = [media.stamped("image", f"{text} {number}") for number in range(3)]
    published(page_app, page["id"], text, type="carousel",
              media=[{**item, "alt_text": f"number {number}"} for number, (item, _) in enumerate(items)])
    entry = only(sandbox.ledger(text))
    assert [item["sha256"] for item in entry["media"]] == [digest for _, digest in items]
    assert [item["alt_text"] for item in entry["media"]] == ["number 0", "number 1", "number 2"]


def test_video_in_chunks_with_cover_and_comment(page_app, page, sandbox, media):
    text, comment = marker("video"), marker("comment")
    first = {"content": text, "media": [media.long_clip(thumbnail_url=media.image()["url"])]}
    post = published(page_app, page["id"], containers=[first, {"content": comment}], platforms={
        "facebook": {"title": "Dawn", "content_tags": ["sea", "sun"], "embeddable": False}})
    entry = only(sandbox.ledger(text))
    assert entry["type"] == "video" and only(entry["media"])["sha256"] == sha256(media.film)
    assert (post["platform_post_id"], post["url"]) == (entry["id"], entry["url"])
    assert only(sandbox.ledger(comment))["reply_to"] == entry["id"]
    phases = requests_of(sandbox, "POST", "/videos")
    finish = phases[-1]["body"]
    assert "upload_phase=finish" in finish and "title=Dawn" in finish and "embeddable=false" in finish
    assert len(phases) >= 2 + len(media.film) // (1 << 20)
    assert requests_of(sandbox, "POST", f"/{entry['id']}/thumbnails")[-1]["status"] == 200


def test_reel(page_app, page, sandbox, media):
    text = marker("reel")
    post = published(page_app, page["id"], text, type="video", media=[media.clip()],
                     platforms={"facebook": {"title": "Sea"}})
    entry = only(sandbox.ledger(text))
    assert entry["type"] == "reel" and only(entry["media"])["sha256"] == sha256(media.video)
    assert (post["platform_post_id"], post["url"]) == (entry["id"], entry["url"])
    upload = sandbox.log("rupload.facebook.com")[-1]
    assert upload["headers"]["authorization"].startswith("OAuth") and upload["headers"]["offset"] == "0"


def test_upright_video_goes_out_as_a_reel(page_app, page, sandbox, media):
    """On /videos Facebook would keep it as a draft (meta.md 3.1), and so does the sandbox."""
    text = marker("upright")
    post = published(page_app, page["id"], text, media=[media.clip()], platforms={"facebook": {"collaborators": ["2001", "2002"]}})
    entry = only(sandbox.ledger(text))
    assert entry["type"] == "reel" and (post["outcome"], post["visibility"], post["warnings"]) == ("all", "public", [])
    invited = requests_of(sandbox, "POST", f"/{entry['id']}/collaborators")
    assert [request["body"].split("&")[0] for request in invited] == ["target_id=2001", "target_id=2002"]


def test_video_that_facebook_keeps_as_a_draft_is_told(page_app, page, sandbox, media, tmp_path):
    """Upright, and too small for a reel."""
    media.video, kept = make_video(tmp_path / "small.mp4", "270x480"), media.video
    try:
        text = marker("kept")
        post = published(page_app, page["id"], text, media=[media.clip()])
    finally:
        media.video = kept
    assert (post["outcome"], post["visibility"]) == ("partial", "draft")
    assert "Meta Business Suite" in only(post["warnings"])["message"]
    assert sandbox.ledger(text) == []


def test_collaborator_that_is_refused_is_told(page_app, page, sandbox, media):
    post = published(page_app, page["id"], marker("alone"), media=[media.clip()],
                     platforms={"facebook": {"collaborators": ["nobody"]}})
    assert post["outcome"] == "partial" and only(post["warnings"])["code"] == "collaborator_refused"


def test_a_cover_that_cannot_be_had_is_left_out(page_app, page, sandbox, media):
    for cover in (media.missing()["url"], f"{media.url}/text.jpg"):
        text = marker("cover")
        published(page_app, page["id"], text, type="video", media=[media.clip(thumbnail_url=cover)])
        entry = only(sandbox.ledger(text))
        assert [sent["status"] for sent in requests_of(sandbox, "POST", f"/{entry['id']}/thumbnails")] in ([], [400])


@pytest.mark.parametrize("kind", ["image", "clip"])
def test_story(page_app, page, sandbox, media, kind):
    item, digest = media.stamped(kind, marker("story"))
    post = published(page_app, page["id"], "", type="story", media=[item])
    entry = only(stories_of(sandbox, digest))
    assert entry["type"] == "story" and entry["text"] == ""
    assert (post["platform_post_id"], post["url"]) == (entry["id"], entry["url"])


def test_comment_with_a_picture(page_app, page, sandbox, media):
    text, words = marker("post"), marker("seen")
    bare, digest = media.stamped("image", marker("bare"))
    published(page_app, page["id"], containers=[
        {"content": text}, {"content": words, "media": [media.image(alt_text="Look")]}, {"content": "", "media": [bare]}])
    post = only(sandbox.ledger(text))
    entry = only(sandbox.ledger(words))
    assert entry["reply_to"] == post["id"] and only(entry["media"])["alt_text"] == "Look"
    assert only(stories_of(sandbox, digest))["reply_to"] == post["id"]


def test_draft_of_a_reel_is_seen_by_nobody(page_app, page, sandbox, media):
    text = marker("draft")
    published(page_app, page["id"], text, type="video", media=[media.clip()],
              platforms={"facebook": {"video_state": "DRAFT"}})
    assert sandbox.ledger(text) == []


# ---- what is refused, and where ----

LONG = {"type": "video", "url": "https://media.example/v.mp4", "duration": 91}
REFUSED = [
    ({"content": "a", "type": "article"}, "type"),
    ({"content": "a", "type": "video"}, "media"),
    ({"content": "a", "type": "story"}, "media"),
    ({"content": "a", "type": "video", "media": [LONG]}, "media.0.duration"),
    ({"content": "", "type": "story", "media": [{**LONG, "duration": 61}]}, "media.0.duration"),
    ({"content": "a", "media": [{"type": "image", "url": "https://media.example/a", "mime_type": "image/webp", "fit": "off"}]},
     "media.0.mime_type"),
    ({"content": "a", "media": [LONG, {"type": "image", "url": "https://media.example/a.jpg"}]}, "media"),
    ({"containers": [{"content": "", "type": "story", "media": [{"type": "image", "url": "https://media.example/a.jpg"}]},
                     {"content": "b"}]}, "containers.1"),
    ({"content": "a", "media": [LONG], "platforms": {"facebook": {"link": "https://e.example/"}}}, "platforms.facebook.link"),
]


@pytest.mark.parametrize("body, field", REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_rules_are_told_before_anything_is_stored(page_app, page, body, field):
    answer = page_app.post("/v1/posts/publish", json={"account_ids": [page["id"]], **body})
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"] == "VALIDATION_ERROR" and field in answer.json()["errors"], answer.text


def test_bytes_are_looked_at_not_believed(page_app, page, sandbox, media):
    """A web page that says it is a reel, and a picture that says so."""
    text = marker("lie")
    item = {"type": "video", "url": media.image()["url"], "mime_type": "video/mp4", "duration": 5}
    error = error_of(wait(page_app, page["id"], text, type="video", media=[item]))
    assert error["code"] == "MEDIA_REJECTED" and "Media file 1" in error["message"]
    assert sandbox.ledger(text) == []


# ---- Meta's errors by number ----


def meta_error(code, subcode=None, **more):
    numbers = {"code": code, **({"error_subcode": subcode} if subcode else {})}
    return {"error": {"message": f"M{code}", "type": "OAuthException", "error_user_msg": "As Meta puts it.", "fbtrace_id": "A",
                      **numbers, **more}}


# Meta's number: (call, what is told); every row of meta.md 6.1 that is final, by the sandbox's names.
FINAL = {
    "3": (FEED, "PERMISSION_MISSING"),
    "10": (FEED, "PERMISSION_MISSING"),
    "200": (FEED, "PERMISSION_MISSING"),
    "283": (FEED, "PERMISSION_MISSING"),
    "100": (FEED, "CONTENT_REJECTED"),
    "368": (FEED, "PLATFORM_REJECTED"),
    "506": (FEED, "DUPLICATE_CONTENT"),
    "1609005": (FEED, "CONTENT_REJECTED"),
    "1609008": (FEED, "CONTENT_REJECTED"),
    "324": (PHOTOS, "MEDIA_REJECTED"),
    "382": (VIDEOS, "MEDIA_REJECTED"),
    "6000": (VIDEOS, "MEDIA_REJECTED"),
    "100/1366046": (PHOTOS, "MEDIA_REJECTED"),
    "100/1366051": (FEED, "DUPLICATE_CONTENT"),
    "100/1346003": (FEED, "CONTENT_REJECTED"),
    "368/1404102": (COMMENTS, "CONTENT_REJECTED"),
    "100/1404006": (COMMENTS, "PERMISSION_MISSING"),
    "200/1404078": (FEED, "PERMISSION_MISSING"),
    "368/1404112": (FEED, "PLATFORM_REJECTED"),
    "200/4854002": (FEED, "PERMISSION_MISSING"),
    "100/2061006": (FEED, "CONTENT_REJECTED"),
    "100/1349125": (VIDEOS, "MEDIA_REJECTED"),
    "100/2069019": (PHOTOS, "MEDIA_REJECTED"),
    "100/1363040": (REELS, "MEDIA_REJECTED"),
    "100/1363127": (REELS, "MEDIA_REJECTED"),
    "100/1363128": (REELS, "MEDIA_REJECTED"),
    "100/1363129": (REELS, "MEDIA_REJECTED"),
}
# Rows that only a body can tell: the end of the range, words that make a difference, a number nobody knows.
TOLD = {
    "299": (FEED, meta_error(299), "PERMISSION_MISSING"),
    "no role for the video": (VIDEOS, meta_error(100, message="No permission to publish the video"), "PERMISSION_MISSING"),
    "unknown number": (FEED, meta_error(424242), "PLATFORM_REJECTED"),
}
# What passes by itself: published in the end.
PASSING = {"1": PHOTOS, "2": PHOTOS, "2/1363047": REELS, "100/1609010": FEED, "4": FEED, "17": PHOTOS, "32": FEED, "341": COMMENTS,
           "613": VIDEOS, "80001": FEED, "368/1390008": FEED, "6001": PHOTOS, "389": PHOTOS}
PASSING_TOLD = {"transient": (PHOTOS, meta_error(424242, is_transient=True)), "lost chunk": (VIDEOS, meta_error(6001))}
DEAD = [None, 458, 459, 460, 463, 464, 467, 492]


def body_for(call, media, text):
    """A post that makes that call."""
    if call == COMMENTS:
        return {"containers": [{"content": text}, {"content": f"{text} comment"}]}
    if call == PHOTOS:
        return {"content": text, "media": [media.image()]}
    if call == VIDEOS:
        return {"content": text, "media": [media.wide()]}
    if call == REELS:
        return {"content": text, "type": "video", "media": [media.clip()]}
    return {"content": text}


def check_refused(sandbox, post, call, text, code, number):
    error = error_of(post)
    assert (error["code"], error["platform_code"]) == (code, number)
    assert error["platform_message"] and error["transient"] is False and error["message"]
    assert len(sandbox.ledger(text)) == (1 if call == COMMENTS else 0)
    return error


@pytest.mark.parametrize("number", FINAL)
def test_refusal_by_number(page_app, page, sandbox, media, number):
    call, code = FINAL[number]
    sandbox.fault("facebook", "POST", call, "status", error=number, times=3 if number == "6000" else 1)
    text = marker("refused")
    check_refused(sandbox, wait(page_app, page["id"], **body_for(call, media, text)), call, text, code, number)


@pytest.mark.parametrize("name", TOLD)
def test_refusal_with_metas_own_words(page_app, page, sandbox, media, name):
    call, body, code = TOLD[name]
    sandbox.fault("facebook", "POST", call, "status", status=400, body=body)
    text = marker("refused")
    post = wait(page_app, page["id"], **body_for(call, media, text))
    error = check_refused(sandbox, post, call, text, code, str(body["error"]["code"]))
    assert error["platform_message"] == "As Meta puts it."


@pytest.mark.parametrize("name", [*PASSING, *PASSING_TOLD])
def test_what_passes_is_waited_for(page_app, page, sandbox, media, name):
    call, body = PASSING_TOLD.get(name) or (PASSING[name], None)
    how = {"status": 400, "body": body} if body else {"error": name}
    sandbox.fault("facebook", "POST", call, "status", **how)
    text = marker("passing")
    published(page_app, page["id"], **body_for(call, media, text))
    assert all(fault["times"] == 0 for fault in sandbox.faults())
    assert len(sandbox.ledger(text)) == (2 if call == COMMENTS else 1)


@pytest.mark.parametrize("subcode", DEAD)
def test_dead_token_by_number(page_app, sandbox, subcode):
    account = page_app.connect("facebook", user_id=f"user-{subcode}").accounts[1]["id"]
    sandbox.fault("facebook", "POST", FEED, "status", error=f"190/{subcode}" if subcode else "190")
    text = marker("dead")
    error = error_of(wait(page_app, account, text))
    assert error["code"] == "ACCOUNT_REAUTH_REQUIRED" and error["message"].endswith("connected again.")
    refused = page_app.publish(account, text)
    assert refused.json()["details"]["accounts"] == [{"id": account, "reason": "reauth_required"}]
    assert page_app.connect("facebook", user_id=f"user-{subcode}").accounts[1]["id"] == account
    published(page_app, account, text)
    only(sandbox.ledger(text))


def test_a_user_token_in_the_pages_place(page_app, sandbox):
    account = page_app.connect("facebook", user_id="user-token").accounts[1]["id"]
    words = "(#200) Unpublished posts must be posted to a page as the page itself."
    sandbox.fault("facebook", "POST", FEED, "status", status=403, body=meta_error(200, message=words))
    assert error_of(wait(page_app, account, marker("wrong token")))["code"] == "ACCOUNT_REAUTH_REQUIRED"


def test_html_for_an_answer(page_app, page, sandbox):
    """An error page says nothing about the outcome: looked up, found absent, told as unknown; never sent twice."""
    sandbox.fault("facebook", "POST", FEED, "status", status=502, body="<html>Sorry, something went wrong.</html>")
    text = marker("html")
    assert error_of(wait(page_app, page["id"], text))["code"] == "OUTCOME_UNKNOWN"
    assert sandbox.ledger(text) == []


# ---- answers that are lost, before and after the effect ----

CHUNK_BYTES = 1 << 20
# what: (publish call, calls on its path before it and before its chunks, is the outcome provable)
LOSABLE = {
    "text": (FEED, 0, False),
    "photo": (FEED, 0, False),
    "link": (FEED, 0, False),
    "video": (VIDEOS, 1, True),
    "reel": (REELS, 1, True),
    "photo story": (PHOTO_STORIES, 0, False),
    "video story": (VIDEO_STORIES, 1, True),
    "comment": (COMMENTS, 0, False),
    "bare comment": (COMMENTS, 0, False),
}


def losable_post(what, media, text):
    """The request, and how many entries of the ledger it makes; found by the text or by the file's digest."""
    image, image_digest = media.stamped("image", text)
    clip, clip_digest = media.stamped("clip", text)
    wide, wide_digest = media.stamped("wide", text)
    first = {"content": f"{text} post"}
    return {
        "text": ({"content": text}, None),
        "photo": ({"content": "", "media": [image]}, image_digest),
        "link": ({"content": " ", "platforms": {"facebook": {"link": f"https://e.example/{text.split()[-1]}"}}}, None),
        "video": ({"content": text, "media": [wide]}, wide_digest),
        "reel": ({"content": text, "type": "video", "media": [clip]}, clip_digest),
        "photo story": ({"content": "", "type": "story", "media": [image]}, image_digest),
        "video story": ({"content": "", "type": "story", "media": [clip]}, clip_digest),
        "comment": ({"containers": [first, {"content": text}]}, None),
        "bare comment": ({"containers": [first, {"content": "", "media": [image]}]}, image_digest),
    }[what]


@pytest.mark.parametrize("effect", ["reset_before", "reset_after", "truncate", "status_after"])
@pytest.mark.parametrize("what", LOSABLE)
def test_lost_answer_is_never_doubled(page_app, page, sandbox, media, what, effect):
    call, skips, is_strong = LOSABLE[what]
    text = marker("lost")
    body, digest = losable_post(what, media, text)
    if skips:
        chunks = -(-(len(media.wide_video) + 100) // CHUNK_BYTES) if call == VIDEOS else 0
        sandbox.fault("facebook", "POST", call, "slow", retry_after=0, times=skips + chunks)
    sandbox.fault("facebook", "POST", call, effect, status=500)
    post = wait(page_app, page["id"], **body)
    assert all(fault["times"] == 0 for fault in sandbox.faults()), "the fault was not met"
    word = text.split()[-1]
    seen = stories_of(sandbox, digest) if digest else [
        entry for entry in sandbox.ledger(platform="facebook") if entry["text"].endswith(word)]
    platform_post = post["platform_posts"][0]
    if effect != "reset_before" or is_strong:
        assert post["status"] == "published", f"{platform_post}\n{page_app.timeline_text(post['id'])}"
        entry = only(seen)
        if "comment" not in what:
            assert platform_post["platform_post_id"] == entry["id"]
    else:
        assert platform_post["error"]["code"] == "OUTCOME_UNKNOWN" and seen == []


def test_page_token_may_not_read_today(page_app, page, sandbox):
    """100/33 on reads for Page tokens while posting works (meta.md 6.2): the user's token reads."""
    sandbox.fault("facebook", "POST", FEED, "reset_after")
    sandbox.fault("facebook", "GET", f"{PAGE}/published_posts", "status", error="100/33")
    text = marker("read")
    published(page_app, page["id"], text)
    only(sandbox.ledger(text))
    asked = requests_of(sandbox, "GET", "/published_posts")[-2:]
    assert [entry["status"] for entry in asked] == [400, 200]


def test_processing_that_fails_is_told(page_app, page, sandbox, media):
    """The finish call was taken; then Facebook finds that the video is no good (meta.md 3.2, "look into the phases")."""
    status = {"video_status": "processing", "uploading_phase": {"status": "complete"},
              "processing_phase": {"status": "in_progress", "error": {"message": "The sound is somebody else's."}}}
    sandbox.fault("facebook", "GET", "/v25.0/*", "status", status=200, body={"status": status, "id": "1"})
    error = error_of(wait(page_app, page["id"], marker("broken"), media=[media.wide()]))
    assert error["code"] == "MEDIA_REJECTED" and error["platform_message"] == "The sound is somebody else's."


def test_bytes_that_are_lost_on_the_way_go_on_where_they_stopped(page_app, page, sandbox, media):
    sandbox.fault("facebook", "POST", UPLOAD, "reset_before")
    text = marker("resumed")
    published(page_app, page["id"], text, type="video", media=[media.clip()])
    assert only(only(sandbox.ledger(text))["media"])["sha256"] == sha256(media.video)


# ---- connecting ----


def test_pages_that_were_not_ticked_are_not_offered(page_app):
    """Two of three Pages are ticked at first; the third is listed without a token, also among the portfolio's."""
    found = page_app.connect("facebook", user_id="user-pages").accounts
    assert [account["name"] for account in found] == ["Harbour Bakery", "Lighthouse Books"]
    assert [account["username"] for account in found] == ["harbourbakery", found[1]["platform_account_id"]]
    assert {account["account_type"] for account in found} == {"page"}


@pytest.fixture()
def empty_lists(sandbox):
    """As after Login for Business: no list shows a Page (meta.md 2.6, 4)."""
    sandbox._call("POST", "/_sandbox/knobs", json={"meta_accounts_empty": 1})
    yield
    sandbox._call("POST", "/_sandbox/knobs", json={"meta_accounts_empty": 0})


def test_pages_that_only_the_grant_names_are_found(page_app, empty_lists):
    found = page_app.connect("facebook", user_id="user-granular").accounts
    assert [account["name"] for account in found] == ["Harbour Bakery", "Lighthouse Books"]


def test_missing_permissions_are_named(page_app):
    kept = ["105312345678901234", "pages_show_list", "pages_read_engagement", "business_management"]
    begun = page_app.begin("facebook")
    follow_return(page_app.consent(begun, by_form=True, checked=kept))
    told = poll("the connection has failed", lambda: (
        lambda body: body if body["status"] == "failed" else None)(page_app.accounts_of(begun["connection_id"])))
    assert told["error"] == "missing_permissions"
    assert "pages_manage_posts" in told["error_description"] and "pages_manage_engagement" in told["error_description"]


def test_tokens_stay_out_of_timeline_and_answers(page_app, page, media):
    post = wait(page_app, page["id"], marker("secret"), type="video", media=[media.clip()])
    told = json.dumps(post) + page_app.timeline_text(post["id"])
    assert "EAA" not in told and "upload_url" not in told
