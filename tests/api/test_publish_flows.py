# SPDX-License-Identifier: Apache-2.0
"""From the accepted request to what the world can see, on every platform, and what becomes of a post when the platform
misbehaves (ARCHITECTURE.md, "Life of a post": a publish call whose outcome is not known is never repeated blindly)."""
import hashlib
import time

import pytest

from harness import INSTANT, PLATFORM_IDS, App, Service, marker, poll, utc

# How the platforms' publish calls look to the sandbox's faults.
X_TWEETS = ("x", "POST", "/2/tweets")
FACEBOOK_FEED = ("facebook", "POST", "/v25.0/*/feed")
LINKEDIN_POSTS = ("linkedin", "POST", "/rest/posts")


@pytest.fixture(scope="module")
def hurried(tmp_path_factory, sandbox):
    """A service whose looks after a call in doubt (up to ten minutes) take no time. Its app has the three text platforms."""
    with Service(tmp_path_factory.mktemp("hurried") / "data", sandbox, ["--time-scale", "1000"]) as process:
        yield App(process, name="hurried").set_credentials("x", "facebook", "linkedin").issue_token()


@pytest.fixture(scope="module")
def hurried_one(hurried):
    return {slug: hurried.account(slug) for slug in ("x", "facebook", "linkedin")}


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def check_visible(sandbox, app, post, account, text):
    """Exactly one entry in the ledger, and the API points at it."""
    entry = only(sandbox.ledger(text))
    platform_post = only(post["platform_posts"])
    assert entry["text"].strip() == text
    assert entry["account_id"] == account["platform_account_id"]
    assert entry["reply_to"] is None
    assert platform_post["platform_post_id"] == entry["id"]
    assert platform_post["url"] == entry["url"]
    assert platform_post["status"] == "published"
    assert platform_post["error"] is None
    assert INSTANT.match(platform_post["published_at"])
    return entry


# ---- the default type of each platform ----


@pytest.mark.parametrize("slug", ["facebook", "x", "linkedin"])
def test_text(app, sandbox, accounts, slug):
    account, text = accounts[slug][0], marker(slug)
    post = app.published(account["id"], text)
    entry = check_visible(sandbox, app, post, account, text)
    assert entry["media"] == []
    assert post["status"] == "published" and post["outcome"] == "all"
    assert post["platform_posts"][0]["platform_id"] == PLATFORM_IDS[slug]


def test_instagram_image_by_url(app, sandbox, accounts, media):
    account, text = accounts["instagram"][0], marker("instagram")
    post = app.published(account["id"], text, media=[media.image()])
    entry = check_visible(sandbox, app, post, account, text)
    picture = only(entry["media"])
    assert (picture["type"], picture["mime_type"]) == ("image", "image/jpeg")
    assert picture["sha256"] == hashlib.sha256(media.picture).hexdigest()


@pytest.mark.parametrize("slug", ["youtube", "tiktok"])
def test_video(app, sandbox, accounts, media, slug):
    account, text = accounts[slug][0], marker(slug)
    post = app.published(account["id"], text, media=[media.clip(duration=4)])
    entry = poll("the video is in the ledger", lambda: sandbox.ledger(text))[0]
    assert entry["account_id"] == account["platform_account_id"]
    video = only(entry["media"])
    assert video["type"] == "video"
    assert video["bytes"] == len(media.video)
    assert video["sha256"] == hashlib.sha256(media.video).hexdigest()
    assert only(sandbox.ledger(text))["id"] == post["platform_posts"][0]["platform_post_id"]


@pytest.mark.parametrize("slug", ["facebook", "linkedin", "instagram"])
def test_second_account_of_a_connection(app, sandbox, accounts, media, slug):
    account, text = accounts[slug][1], marker(slug)
    more = {"media": [media.image()]} if slug == "instagram" else {}
    check_visible(sandbox, app, app.published(account["id"], text, **more), account, text)


# ---- what a reader sees ----


@pytest.mark.parametrize("slug", ["facebook", "x", "linkedin"])
def test_text_reaches_the_reader_unchanged(app, sandbox, accounts, slug):
    text = marker("(a) [b] {c} <d> @e #f *g* _h_ ~i~ \\ | \"quotes\" & & ; ünï 日本 👩‍👩‍👧 50% a=b+c\nsecond line")
    app.published(accounts[slug][0]["id"], text)
    assert only(sandbox.ledger(text.rsplit(" ", 1)[1]))["text"] == text


# ---- scheduling, threads, several accounts ----


def test_scheduled_post_waits_and_is_published(app, sandbox, one):
    text = marker("scheduled")
    at = utc(3)
    data = app.accepted(one["x"], text, scheduled_at=at)
    assert data["status"] == "scheduled" and data["scheduled_at"] == at
    assert app.show(data["post_id"])["status"] == "scheduled"
    assert sandbox.ledger(text) == []
    post = app.wait_post(data["post_id"])
    assert post["status"] == "published"
    assert post["platform_posts"][0]["published_at"] >= at[:-1]
    assert only(sandbox.ledger(text))["created_at"] >= at[:-1]


@pytest.mark.parametrize("slug", ["x", "facebook", "linkedin"])
def test_containers_become_comments(app, sandbox, accounts, slug):
    texts = [marker(f"{slug} part {number}") for number in range(3)]
    post = app.published(accounts[slug][0]["id"], containers=[{"content": text} for text in texts])
    assert post["mode"] == "advanced"
    entries = [only(sandbox.ledger(text)) for text in texts]
    assert entries[0]["reply_to"] is None
    assert entries[1]["reply_to"] == entries[0]["id"]
    # X replies as a thread, the others answer the post (API: "Comments").
    assert entries[2]["reply_to"] == entries[1 if slug == "x" else 0]["id"]
    parts = post["platform_posts"][0]["parts"]
    assert len(parts) == 3


@pytest.mark.parametrize("slug", ["instagram", "youtube"])
def test_comment_under_media(app, sandbox, accounts, media, slug):
    text, comment = marker(slug), marker("comment")
    item = media.image() if slug == "instagram" else media.clip()
    app.published(accounts[slug][0]["id"], containers=[{"content": text, "media": [item]}, {"content": comment}])
    assert only(sandbox.ledger(comment))["reply_to"] == only(sandbox.ledger(text))["id"]


def test_several_accounts_in_one_call(app, sandbox, accounts):
    text = marker("everywhere")
    targets = [accounts["x"][0], accounts["linkedin"][0], accounts["linkedin"][1], *accounts["facebook"]]
    data = app.accepted([account["id"] for account in targets], text)
    assert data["total_accounts"] == 5
    assert [item["account_id"] for item in data["platform_posts"]] == [account["id"] for account in targets]
    post = app.wait_post(data["post_id"])
    assert (post["status"], post["outcome"]) == ("published", "all")
    seen = {(entry["platform"], entry["account_id"]) for entry in sandbox.ledger(text)}
    assert len(sandbox.ledger(text)) == len(seen) == 5
    assert {account for _, account in seen} == {account["platform_account_id"] for account in targets}


# ---- refusals and faults ----


def test_refusal_says_why(app, sandbox, one):
    sandbox.fault(
        *LINKEDIN_POSTS, "status", status=422,
        body={"message": "ERROR :: /commentary :: this is not allowed", "status": 422},
    )
    text = marker("refused")
    post = app.wait_post(app.accepted(one["linkedin"], text)["post_id"])
    error = post["platform_posts"][0]["error"]
    assert post["status"] == "failed" and post["outcome"] == "none"
    assert error["code"] in ("CONTENT_REJECTED", "PLATFORM_REJECTED")
    assert "not allowed" in error["platform_message"]
    assert error["message"] and error["transient"] is False
    assert sandbox.ledger(text) == []
    listed = next(item for item in app.list()["data"] if item["id"] == post["id"])
    assert listed["platform_posts"][0]["error"] == {"code": error["code"], "message": error["message"]}


def test_400_of_x_is_final(app, sandbox, one):
    body = {"title": "Invalid Request", "detail": "One or more parameters to your request was invalid.", "status": 400}
    sandbox.fault(*X_TWEETS, "status", status=400, body=body)
    text = marker("refused")
    post = app.wait_post(app.accepted(one["x"], text)["post_id"])
    assert post["status"] == "failed"
    assert post["platform_posts"][0]["attempts"] == 1
    assert sandbox.ledger(text) == []


def test_one_account_fails_the_other_does_not(app, sandbox, one):
    sandbox.fault(*X_TWEETS, "status", status=403, body={"title": "Forbidden", "detail": "no", "status": 403})
    text = marker("half")
    post = app.wait_post(app.accepted([one["x"], one["facebook"]], text)["post_id"])
    assert (post["status"], post["outcome"]) == ("failed", "partial")
    states = {item["platform"]: item["status"] for item in post["platform_posts"]}
    assert states == {"x": "failed", "facebook": "published"}
    assert only(sandbox.ledger(text))["platform"] == "facebook"


def test_expired_token_is_refreshed_and_the_post_goes_out(app, sandbox, one):
    before = len(sandbox.log("api.x.com", "/2/oauth2/token"))
    sandbox.fault(*X_TWEETS, "expire_token", status=401)
    text = marker("refresh")
    app.published(one["x"], text)
    only(sandbox.ledger(text))
    assert len(sandbox.log("api.x.com", "/2/oauth2/token")) == before + 1


def test_dead_token_asks_for_the_user(app, sandbox, start_sandbox):
    """An account of its own: the fault leaves it in need of a new connection."""
    account = app.connect("facebook", user_id="user-dead-token").accounts[1]["id"]
    body = {"error": {"message": "Error validating access token", "type": "OAuthException", "code": 190,
                      "error_subcode": 460, "fbtrace_id": "A"}}
    sandbox.fault(*FACEBOOK_FEED, "status", status=400, body=body, times=3)
    text = marker("dead")
    post = app.wait_post(app.accepted(account, text)["post_id"])
    assert post["status"] == "failed"
    assert post["platform_posts"][0]["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED"
    sandbox.clear_faults()
    refused = app.publish(account, text)
    assert refused.status_code == 422 and refused.json()["error"] == "INVALID_ACCOUNT"
    assert refused.json()["details"]["accounts"] == [{"id": account, "reason": "reauth_required"}]
    again = app.connect("facebook", user_id="user-dead-token").accounts[1]
    assert again["id"] == account and again["status"] == "active"
    app.published(account, marker("alive again"))


@pytest.mark.parametrize("fault, slug", [(X_TWEETS, "x"), (FACEBOOK_FEED, "facebook")], ids=["x", "facebook"])
def test_rate_limit_waits_then_publishes(app, sandbox, one, fault, slug):
    sandbox.fault(*fault, "rate_limit", status=429, retry_after=5)
    text = marker("limited")
    post = app.published(one[slug], text)
    only(sandbox.ledger(text))
    assert post["platform_posts"][0]["attempts"] >= 1


OUTCOMES = [
    # effect, more, what is allowed to have become of it: never two
    ("reset_before", {}, {0, 1}),
    ("reset_after", {}, {1}),
    ("status_after", {"status": 500}, {1}),
    ("truncate", {}, {1}),
    ("garbage", {}, {1}),
]


@pytest.mark.parametrize("fault, slug", [(X_TWEETS, "x"), (FACEBOOK_FEED, "facebook"), (LINKEDIN_POSTS, "linkedin")],
                         ids=["x", "facebook", "linkedin"])
@pytest.mark.parametrize("effect, more, counts", OUTCOMES, ids=[row[0] for row in OUTCOMES])
def test_publish_in_doubt_is_never_doubled(hurried, hurried_one, sandbox, fault, slug, effect, more, counts):
    sandbox.fault(*fault, effect, **more)
    text = marker("doubt")
    post = hurried.wait_post(hurried.accepted(hurried_one[slug], text)["post_id"])
    seen = sandbox.ledger(text)
    assert sandbox.faults() == [] or all(item["times"] == 0 for item in sandbox.faults()), "the fault was not met"
    assert len(seen) in counts, seen
    platform_post = post["platform_posts"][0]
    if post["status"] == "published":
        assert len(seen) == 1
        assert platform_post["platform_post_id"] in (None, seen[0]["id"])
    else:
        assert platform_post["error"]["code"] == "OUTCOME_UNKNOWN", platform_post


def test_timeout_after_a_publish_is_never_doubled(hurried, hurried_one, sandbox):
    """The answer never comes: the call is given up, and the look finds what it did."""
    sandbox.fault(*FACEBOOK_FEED, "timeout_after")
    text = marker("timeout")
    post = hurried.wait_post(hurried.accepted(hurried_one["facebook"], text)["post_id"], timeout_s=150)
    assert post["status"] == "published"
    only(sandbox.ledger(text))


def test_comment_in_doubt_is_never_doubled(hurried, hurried_one, sandbox):
    """The post is out; the second part's answer is lost."""
    sandbox.fault("facebook", "POST", "/v25.0/*/comments", "reset_after")
    text, comment = marker("post"), marker("comment")
    accepted = hurried.accepted(hurried_one["facebook"], containers=[{"content": text}, {"content": comment}])
    post = hurried.wait_post(accepted["post_id"])
    only(sandbox.ledger(text)), only(sandbox.ledger(comment))
    if post["status"] == "failed":
        assert post["platform_posts"][0]["error"]["code"] == "OUTCOME_UNKNOWN"


def test_waits_are_divided(app, one, media):
    """TikTok's first status poll comes after 2 s, so with a time scale of 20 after 0.1 s. A whole post (upload,
    processing, polls) then takes far less than the engine's idle poll of 5 s; on a busy machine the quickest of several."""

    def seconds():
        begin = time.monotonic()
        app.published(one["tiktok"], marker("quick"), media=[media.clip()])
        return time.monotonic() - begin

    assert any(seconds() < 4 for _ in range(6))


def test_looks_are_divided(hurried, hurried_one, sandbox):
    """X shows a post after 10 to 20 s: with a time scale of 1000 the look comes at once."""
    sandbox.fault(*X_TWEETS, "garbage")
    begin = time.monotonic()
    post = hurried.wait_post(hurried.accepted(hurried_one["x"], marker("look"))["post_id"])
    assert post["status"] == "published" and time.monotonic() - begin < 5


@pytest.mark.parametrize("slug, kind", [("tiktok", "video"), ("instagram", "image")])
def test_media_that_cannot_be_fetched(app, sandbox, one, media, slug, kind):
    """We look at every file before the platform is told of it, also where it fetches for itself."""
    text = marker("no media")
    item = {"type": kind, "url": f"{media.url}/missing"}
    post = app.wait_post(app.accepted(one[slug], text, media=[item])["post_id"])
    assert post["status"] == "failed"
    assert post["platform_posts"][0]["error"]["code"] == "MEDIA_UNREACHABLE"
    assert "Media file 1" in post["platform_posts"][0]["error"]["message"]
    assert sandbox.ledger(text) == []


def test_media_that_is_no_video(app, sandbox, one, media):
    text = marker("no video")
    item = {"type": "video", "url": f"{media.url}/text.jpg"}
    post = app.wait_post(app.accepted(one["tiktok"], text, media=[item])["post_id"])
    assert post["status"] == "failed"
    assert post["platform_posts"][0]["error"]["code"] == "MEDIA_REJECTED"
    assert sandbox.ledger(text) == []


# ---- one platform account of several users ----


def test_one_platform_account_of_two_users_is_one_lane(app, sandbox):
    """Two users of an app have connected the same X account. Their posts go out in one order, one at a time, also when the first has
    to wait: the second is told why it waits."""
    first, second = (app.account("x", user_id=name) for name in ("lane ann", "lane bob"))
    texts = [marker("lane") for _ in range(3)]
    sandbox.fault(*X_TWEETS, "slow", retry_after=3)
    ids = [app.accepted(account, text)["post_id"] for account, text in zip((first, second, first), texts)]
    waiting = poll("the second waits", lambda: app.show(ids[1])["platform_posts"][0]["waiting"])
    assert waiting["reason"] == "account_busy", waiting
    assert [app.wait_post(post_id)["status"] for post_id in ids] == ["published"] * 3
    entries = [entry["text"] for entry in sandbox.ledger() if entry["text"] in texts]
    assert entries == texts
