# SPDX-License-Identifier: Apache-2.0
"""Every kind of post on Instagram from the request to what the world can see, the files it does not take, its errors by number, and
what becomes of calls in doubt (meta.md 4 to 7). At the end every request that was made is held against Meta's own
description of its API, where that is at hand."""
import hashlib
import json
import pathlib
import urllib.parse

import pytest
import requests

from file_server import FileServer, picture, video
from harness import App, Sandbox, Service, marker, poll

SPECS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "specs" / "graph"
MEDIA = ("POST", "/v25.0/*/media")
PUBLISH = ("POST", "/v25.0/*/media_publish")
COMMENTS = ("POST", "/v25.0/*/comments")
RUPLOAD = ("POST", "/ig-api-upload/*/*")


# ---- a service of its own: the sandbox is turned in ways that others would notice ----


def made_files(directory):
    pictures = {"square.jpg": "640x640", "tall.jpg": "600x1200", "wide.jpg": "1200x600", "picture.png": "640x640"}
    videos = {"short.mp4": 2, "long.mp4": 61}
    return {
        **{name: picture(directory / name, size) for name, size in pictures.items()},
        **{name: video(directory / name, seconds) for name, seconds in videos.items()},
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    files = FileServer(made_files(tmp_path_factory.mktemp("files")))
    yield files
    files.close()


@pytest.fixture(scope="module")
def own_sandbox():
    with Sandbox() as process:
        yield process


@pytest.fixture(scope="module")
def own_app(tmp_path_factory, own_sandbox):
    data = tmp_path_factory.mktemp("instagram") / "data"
    with Service(data, own_sandbox, ["--time-scale", "300"]) as process:
        yield App(process, name="instagram").set_credentials("instagram").issue_token()


@pytest.fixture(scope="module")
def account(own_app):
    return own_app.connect("instagram").accounts[0]


@pytest.fixture(autouse=True)
def turned_back(own_sandbox):
    yield
    own_sandbox.clear_faults()
    turn(own_sandbox, instagram_publish_quota=400, instagram_publishes_twice=0, instagram_published_late_s=0,
         instagram_page_reads_fail=0)


def turn(sandbox, **knobs):
    sandbox._call("POST", "/_sandbox/knobs", json=knobs)


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def entry_of(sandbox, post):
    """The one entry of the ledger that the API names for it."""
    platform_post = only(post["platform_posts"])
    assert platform_post["status"] == "published" and platform_post["error"] is None
    entry = only([e for e in sandbox.ledger(platform="instagram") if e["id"] == platform_post["platform_post_id"]])
    assert platform_post["url"] == entry["url"]
    return entry


def published(app, account, content, **more):
    post = app.published(account["id"], content, **more)
    assert post["status"] == "published"
    return post


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def forms(sandbox, path, since=0):
    """The forms that were sent to paths ending so, oldest first."""
    return [
        dict(urllib.parse.parse_qsl(entry["body"]))
        for entry in sandbox.log(method="POST")[since:]
        if entry["path"].split("?")[0].endswith(path)
    ]


# ---- flows ----


def test_image_with_everything(own_app, own_sandbox, account, files):
    text, comment = marker("image"), marker("comment")
    begin = len(own_sandbox.log(method="POST"))
    options = {
        "location_id": "7640348500",
        "collaborators": ["jo", "sam"],
        "user_tags": [{"username": "jo", "x": 0.5, "y": 1}],
        "is_ai_generated": False,
    }
    post = published(
        own_app, account, None,
        containers=[{"content": text, "media": [files.item("square.jpg", alt_text="colours")]}, {"content": comment}],
        platforms={"instagram": {**options, "media_type": "REELS"}},
    )
    entry = entry_of(own_sandbox, post)
    assert (entry["type"], entry["text"]) == ("image", text)
    assert only(entry["media"])["sha256"] == sha256(files.bytes["square.jpg"])
    assert only(entry["media"])["alt_text"] == "colours"
    assert only(own_sandbox.ledger(comment))["reply_to"] == entry["id"]
    form = only(forms(own_sandbox, "/media", begin))
    assert "media_type" not in form
    assert {name: json.loads(form[name]) for name in ("collaborators", "user_tags", "is_ai_generated")} == {
        name: options[name] for name in ("collaborators", "user_tags", "is_ai_generated")
    }
    assert form["location_id"] == options["location_id"]


def test_reel(own_app, own_sandbox, account, files, media):
    text = marker("reel")
    begin = len(own_sandbox.log(method="POST"))
    post = published(
        own_app, account, text,
        media=[media.clip(duration=4, thumbnail_url=files.item("tall.jpg")["url"])],
        platforms={"instagram": {"share_to_feed": True, "audio_name": "Original", "user_tags": [{"username": "jo"}],
                                 "trial_params": {"graduation_strategy": "SS_PERFORMANCE"}}},
    )
    entry = entry_of(own_sandbox, post)
    assert (entry["type"], entry["text"]) == ("reel", text)
    assert only(entry["media"])["sha256"] == sha256(media.video)
    form = only(forms(own_sandbox, "/media", begin))
    assert form["upload_type"] == "resumable" and "video_url" not in form
    assert form["media_type"] == "REELS" and form["share_to_feed"] == "true" and "cover_url" in form


def test_carousel_of_both_kinds(own_app, own_sandbox, account, files, media):
    text = marker("carousel")
    items = [files.item("square.jpg", alt_text="first"), media.clip(duration=4), media.image(), files.item("square.jpg")]
    entry = entry_of(own_sandbox, published(own_app, account, text, media=items, type="carousel"))
    assert (entry["type"], entry["text"]) == ("carousel", text)
    assert [item["sha256"] for item in entry["media"]] == [
        sha256(data) for data in (files.bytes["square.jpg"], media.video, media.picture, files.bytes["square.jpg"])
    ]
    assert [item["alt_text"] for item in entry["media"]] == ["first", None, None, None]


def test_several_media_are_a_carousel(own_app, own_sandbox, account, files):
    text = marker("several")
    post = published(own_app, account, text, media=[files.item("square.jpg")] * 2)
    entry = entry_of(own_sandbox, post)
    assert entry["type"] == "carousel" and len(entry["media"]) == 2


@pytest.mark.parametrize("name", ["image", "video"])
def test_story(own_app, own_sandbox, account, files, media, name):
    item = files.item("tall.jpg") if name == "image" else media.clip(duration=4)
    data = files.bytes["tall.jpg"] if name == "image" else media.video
    entry = entry_of(own_sandbox, published(own_app, account, "", media=[item], type="story"))
    assert (entry["type"], entry["text"]) == ("story", "")
    assert only(entry["media"])["sha256"] == sha256(data)


def test_no_comments_on_stories(own_app, account, files):
    answer = own_app.publish(
        account["id"], containers=[{"content": "", "type": "story", "media": [files.item("tall.jpg")]}, {"content": "no"}]
    )
    assert answer.status_code == 422 and "containers.1" in answer.json()["errors"]


# ---- files ----


@pytest.mark.parametrize(
    "name, post_type, words",
    [
        ("picture.png", "post", ["JPEG", "image/png"]),
        ("wide.jpg", "post", ["1.91", "1200 x 600"]),
        ("tall.jpg", "post", ["0.8", "600 x 1200"]),
        ("short.mp4", "video", ["3 s", "2 s"]),
        ("long.mp4", "story", ["60 s", "61 s"]),
    ],
)
def test_bytes_that_instagram_does_not_take(own_app, own_sandbox, account, files, name, post_type, words):
    before = len(own_sandbox.ledger())
    data = own_app.accepted(account["id"], "", media=[files.item(name, fit="off")], type=post_type)
    error = only(own_app.wait_post(data["post_id"])["platform_posts"])["error"]
    assert error["code"] == "MEDIA_REJECTED"
    assert all(word in error["message"] for word in ["Media file 1", *words]), error
    assert len(own_sandbox.ledger()) == before


def test_what_the_request_says_is_refused_at_once(own_app, account, files):
    for item, field in [
        (files.item("picture.png", mime_type="image/png", fit="off"), "media.0.mime_type"),
        (files.item("short.mp4", duration=2), "media.0.duration"),
    ]:
        answer = own_app.publish(account["id"], "", media=[item])
        assert answer.status_code == 422 and field in answer.json()["errors"], answer.text


def test_a_private_address_is_not_given_to_meta(own_app, own_sandbox, account, files):
    """Only we are allowed to fetch from it: Meta gets an address of ours, and nobody else asks the customer's server."""
    begin, item = len(own_sandbox.log(method="POST")), files.item("square.jpg")
    entry = entry_of(own_sandbox, published(own_app, account, marker("private"), media=[item]))
    assert only(entry["media"])["sha256"] == sha256(files.bytes["square.jpg"])
    given = only(forms(own_sandbox, "/media", begin))["image_url"]
    assert given.startswith(own_app.service.url) and given != item["url"]
    assert files.asked[urllib.parse.urlsplit(item["url"]).path] == 1
    answer = requests.get(given.rsplit("/", 1)[0] + "/x" + given.rsplit("/", 1)[1], timeout=10)
    assert answer.status_code == 404


# ---- the quota ----


def test_quota(own_app, own_sandbox, account, files):
    """Asked before anything is made; the post waits and goes out when the day has moved on."""
    turn(own_sandbox, instagram_publish_quota=1)
    if not own_sandbox.ledger(platform="instagram"):
        published(own_app, account, marker("first"), media=[files.item("square.jpg")])
    begin, text = len(own_sandbox.log(method="POST")), marker("second")
    data = own_app.accepted(account["id"], text, media=[files.item("square.jpg")])
    waiting = poll("it waits", lambda: only(own_app.show(data["post_id"])["platform_posts"])["error"])
    assert waiting["code"] == "QUOTA_EXHAUSTED"
    assert forms(own_sandbox, "/media", begin) == []
    own_sandbox.advance(86401)
    assert own_app.wait_post(data["post_id"], timeout_s=60)["status"] == "published"
    assert only(own_sandbox.ledger(text))["type"] == "image"


# ---- errors by number (meta.md 6) ----

PERMANENT = [
    (MEDIA, "36000/2207004", "MEDIA_REJECTED"),
    (MEDIA, "36001/2207005", "MEDIA_REJECTED"),
    (MEDIA, "36003/2207009", "MEDIA_REJECTED"),
    (MEDIA, "36004/2207010", "CONTENT_REJECTED"),
    (MEDIA, "100/2207023", "PLATFORM_REJECTED"),
    (MEDIA, "100/2207028", "PLATFORM_REJECTED"),
    (MEDIA, "100/2207035", "CONTENT_REJECTED"),
    (MEDIA, "100/2207036", "CONTENT_REJECTED"),
    (MEDIA, "100/2207037", "CONTENT_REJECTED"),
    (MEDIA, "100/2207040", "CONTENT_REJECTED"),
    (MEDIA, "352/2207026", "MEDIA_REJECTED"),
    (MEDIA, "1/2207057", "MEDIA_REJECTED"),
    (MEDIA, "100/2207081", "PERMISSION_MISSING"),
    (MEDIA, "25/2207050", "PERMISSION_MISSING"),
    (MEDIA, "10", "PERMISSION_MISSING"),
    (MEDIA, "200", "PERMISSION_MISSING"),
    (MEDIA, "100", "CONTENT_REJECTED"),
    (MEDIA, "368", "PLATFORM_REJECTED"),
    (PUBLISH, "25/2207050", "PERMISSION_MISSING"),
    (PUBLISH, "100", "CONTENT_REJECTED"),
    (PUBLISH, "368", "PLATFORM_REJECTED"),
]
PASSING = [
    (MEDIA, "1"),
    (MEDIA, "2"),
    (MEDIA, "-1/2207001"),
    (MEDIA, "-2/2207003"),
    (MEDIA, "-1/2207032"),
    (MEDIA, "24/2207006"),
    (MEDIA, "9004/2207052"),
    (PUBLISH, "2"),
    (PUBLISH, "24/2207008"),
    (PUBLISH, "24/2207006"),
    (PUBLISH, "9007/2207027"),
    (PUBLISH, "4/2207051"),
    (PUBLISH, "-1/2207001"),
]
LIMITS = [(MEDIA, "4"), (MEDIA, "80002"), (MEDIA, "9/2207042"), (PUBLISH, "9/2207042"), (PUBLISH, "17"), (PUBLISH, "613")]


def named(rows):
    return [f"{row[0][1].rsplit('/', 1)[1]} {row[1]}" for row in rows]


@pytest.mark.parametrize("call, error, code", PERMANENT, ids=named(PERMANENT))
def test_permanent_error(own_app, own_sandbox, account, files, call, error, code):
    text = marker("refused")
    own_sandbox.fault("instagram", *call, "status", error=error)
    data = own_app.accepted(account["id"], text, media=[files.item("square.jpg")])
    told = only(own_app.wait_post(data["post_id"])["platform_posts"])["error"]
    assert (told["code"], told["platform_code"], told["transient"]) == (code, error, False)
    assert told["platform_message"]
    assert own_sandbox.ledger(text) == []


@pytest.mark.parametrize("call, error", PASSING, ids=named(PASSING))
def test_passing_error(own_app, own_sandbox, account, files, call, error):
    """Once, and it is out once."""
    text = marker("passing")
    own_sandbox.fault("instagram", *call, "status", error=error)
    post = published(own_app, account, text, media=[files.item("square.jpg")])
    assert entry_of(own_sandbox, post) == only(own_sandbox.ledger(text))
    assert only(own_sandbox.faults())["times"] == 0


@pytest.mark.parametrize("call, error", LIMITS, ids=named(LIMITS))
def test_limit(own_app, own_sandbox, account, files, call, error):
    """Waits as long as Meta says, then goes on where it stopped."""
    text = marker("limited")
    usage = {"1": [{"type": "instagram", "estimated_time_to_regain_access": 5}]}
    own_sandbox.fault("instagram", *call, "status", error=error,
                      headers={"x-business-use-case-usage": json.dumps(usage)})
    post = published(own_app, account, text, media=[files.item("square.jpg")])
    assert entry_of(own_sandbox, post) == only(own_sandbox.ledger(text))


def test_unreachable_for_meta(own_app, own_sandbox, account, files):
    own_sandbox.fault("instagram", *MEDIA, "status", error="9004/2207052", times=5)
    data = own_app.accepted(account["id"], marker("unreachable"), media=[files.item("square.jpg")])
    error = only(own_app.wait_post(data["post_id"])["platform_posts"])["error"]
    assert error["code"] == "MEDIA_UNREACHABLE" and error["message"].startswith("Media file 1: Meta could not fetch")


def test_token_that_died(own_app, own_sandbox, files):
    account = own_app.connect("instagram", user_id="user-2").accounts[0]
    own_sandbox.fault("instagram", *PUBLISH, "status", error="190/460")
    data = own_app.accepted(account["id"], marker("dead"), media=[files.item("square.jpg")])
    error = only(own_app.wait_post(data["post_id"])["platform_posts"])["error"]
    assert (error["code"], error["platform_code"]) == ("ACCOUNT_REAUTH_REQUIRED", "190/460")
    answer = own_app.publish(account["id"], "x", media=[files.item("square.jpg")])
    assert answer.status_code == 422 and answer.json()["details"]["accounts"][0]["reason"] == "reauth_required"


# ---- calls in doubt (meta.md 7) ----


@pytest.mark.parametrize("effect", ["reset_after", "truncate", "garbage"])
@pytest.mark.parametrize("kind", ["image", "story", "carousel"])
def test_lost_answer(own_app, own_sandbox, account, files, kind, effect):
    text = marker(kind) if kind != "story" else ""
    before = {entry["id"] for entry in own_sandbox.ledger(platform="instagram")}
    own_sandbox.fault("instagram", *PUBLISH, effect)
    items = [files.item("square.jpg")] * (2 if kind == "carousel" else 1)
    more = {"type": "story"} if kind == "story" else {}
    post = published(own_app, account, text, media=items, **more)
    entry = entry_of(own_sandbox, post)
    assert {e["id"] for e in own_sandbox.ledger(platform="instagram")} == before | {entry["id"]}
    assert entry["id"] not in before


def test_nothing_was_done(own_app, own_sandbox, account, files):
    """The container says FINISHED, minutes later too: the same one goes out again."""
    text = marker("absent")
    begin = len(own_sandbox.log(method="POST"))
    own_sandbox.fault("instagram", *PUBLISH, "reset_before")
    published(own_app, account, text, media=[files.item("square.jpg")])
    assert len(own_sandbox.ledger(text)) == 1
    sent = forms(own_sandbox, "/media_publish", begin)
    assert len(sent) == 2 and sent[0]["creation_id"] == sent[1]["creation_id"]


def test_status_that_lags(own_app, own_sandbox, account, files):
    """Published, and the container goes on saying FINISHED: the repeat is refused, and that is not believed before another look."""
    text = marker("lagging")
    turn(own_sandbox, instagram_published_late_s=1)
    own_sandbox.fault("instagram", *PUBLISH, "reset_after")
    post = published(own_app, account, text, media=[files.item("square.jpg")])
    assert entry_of(own_sandbox, post) == only(own_sandbox.ledger(text))


def test_reads_that_fail_for_pages(own_app, own_sandbox, account, files):
    """The outage of 2026-05: what the Page's token may not read, the user's may (meta.md 6.2)."""
    text = marker("outage")
    turn(own_sandbox, instagram_page_reads_fail=1)
    own_sandbox.fault("instagram", *PUBLISH, "reset_after")
    post = published(own_app, account, text, media=[files.item("square.jpg")])
    assert entry_of(own_sandbox, post) == only(own_sandbox.ledger(text))


def test_comment_whose_answer_is_lost(own_app, own_sandbox, account, files):
    text, comment = marker("post"), marker("comment")
    own_sandbox.fault("instagram", *COMMENTS, "reset_after")
    published(own_app, account, None,
              containers=[{"content": text, "media": [files.item("square.jpg")]}, {"content": comment}])
    assert only(own_sandbox.ledger(comment))["reply_to"] == only(own_sandbox.ledger(text))["id"]


def test_bytes_whose_answer_is_lost(own_app, own_sandbox, account, media):
    """They are there, a repeat is refused, and a new container takes them: one reel."""
    text = marker("bytes")
    own_sandbox.fault("instagram", *RUPLOAD, "reset_after")
    published(own_app, account, text, media=[media.clip(duration=4)])
    assert only(own_sandbox.ledger(text))["type"] == "reel"


# ---- connecting ----


def test_pages_without_a_professional_account(own_app):
    granted = ["instagram_basic", "instagram_content_publish", "instagram_manage_comments", "pages_show_list", "pages_read_engagement"]
    found = own_app.connect("instagram", user_id="user-3", by_form=True, checked=["109311223344556677", *granted])
    assert (found.answer["status"], found.answer["error"]) == ("failed", "no_accounts")
    assert "personal account" in found.answer["error_description"]


# ---- Meta's own description ----

EVERYWHERE = {"fields", "appsecret_proof", "access_token", "limit", "after", "since"}
NEWER = {"is_ai_generated", "is_paid_partnership", "branded_content_sponsor_ids", "audio_configuration"}  # meta.md 8: with dates
EDGES = {"media", "media_publish", "content_publishing_limit", "stories"}
MEDIA_TYPES = {"REELS", "STORIES", "CAROUSEL", "VIDEO"}  # meta.md 4.1; the description has no list


def description(name):
    return json.loads((SPECS / f"{name}.json").read_text())


def described(node, method, edge):
    """{parameter: (type, is_required)} of that edge."""
    for api in description(node)["apis"]:
        if api["method"] == method and api.get("endpoint") == edge:
            return {item["name"]: (item["type"], item.get("required", False)) for item in api["params"]}
    raise AssertionError(f"{node} has no {method} {edge}")


def fits(kind, value):
    if kind.startswith("list<map>"):
        return all(isinstance(item, dict) for item in json.loads(value))
    if kind.startswith("list<"):
        return value.startswith("[") and isinstance(json.loads(value), list) or "," in value
    if kind == "map":
        return isinstance(json.loads(value), dict)
    return {"bool": value in ("true", "false"), "unsigned int": value.isdigit()}.get(kind, True)


def complaints(request):
    """What is not as Meta describes it in one request to an Instagram node."""
    path, _, query = request["path"].partition("?")
    segments = path.split("/")[2:]
    edge = segments[1] if len(segments) > 1 else None
    if edge not in EDGES | {"comments"}:
        return []
    known = described("IGUser" if edge in EDGES else "IGMedia", request["method"], edge)
    given = dict(urllib.parse.parse_qsl(query) + urllib.parse.parse_qsl(request.get("body") or ""))
    names = set(given) - EVERYWHERE - NEWER - set(known)
    missing = [name for name, (_, required) in known.items() if required and name not in given]
    wrong = [name for name, (kind, _) in known.items() if name in given and not fits(kind, given[name])]
    kind = given.get("media_type", "CAROUSEL")
    fields = set(given.get("fields", "").split(",")) - {""}
    unread = fields - {item["name"] for item in description("IGComment" if edge == "comments" else "IGMedia")["fields"]}
    if edge == "content_publishing_limit":
        unread = fields - {"quota_usage", "config"}
    return [
        f"{request['method']} {edge}: {what} {sorted(which)}"
        for what, which in [("unknown", names), ("missing", missing), ("ill-formed", wrong), ("no such field", unread),
                            ("no such media_type", {kind} - MEDIA_TYPES)]
        if which
    ]


@pytest.mark.skipif(not SPECS.is_dir(), reason="Meta's description of its API is not at hand")
def test_requests_are_as_described(own_app, own_sandbox, account, files, media):
    test_image_with_everything(own_app, own_sandbox, account, files)
    test_reel(own_app, own_sandbox, account, files, media)
    test_carousel_of_both_kinds(own_app, own_sandbox, account, files, media)
    test_comment_whose_answer_is_lost(own_app, own_sandbox, account, files)
    made = [entry for entry in own_sandbox.log(host="graph.facebook.com") if "/oauth/" not in entry["path"]]
    wrong = {line for entry in made for line in complaints(entry)}
    assert not wrong, "\n".join(sorted(wrong))
    edges = {entry["path"].split("?")[0].rsplit("/", 1)[1] for entry in made}
    assert {"media", "media_publish", "content_publishing_limit", "comments"} <= edges
