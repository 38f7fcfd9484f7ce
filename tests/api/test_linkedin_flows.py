# SPDX-License-Identifier: Apache-2.0
"""LinkedIn, every kind of post from the accepted request to what the world can see: text, images, video, document, article,
poll, comments, by the member and by the page; what its apps may ask for; and the alarm when its version has ended."""
import hashlib
import json

import pytest
import requests

from harness import App, check_error, marker, poll, query_of

RESERVED = "\\|{}@[]()<>#*_~"


@pytest.fixture(scope="module", autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


@pytest.fixture(params=["member", "page"])
def account(request, accounts):
    return accounts["linkedin"][0 if request.param == "member" else 1]


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def shown(app, sandbox, account, text, **more):
    """Published: the one entry of the ledger that the API points at, and what was sent for it."""
    post = app.published(account["id"], text, **more)
    entry = only(sandbox.ledger(text, platform="linkedin"))
    assert entry["account_id"] == account["platform_account_id"]
    assert entry["id"] == post["platform_posts"][0]["platform_post_id"]
    sent = [json.loads(call["body"]) for call in sandbox.log(path="/rest/posts", method="POST")]
    return entry, only([body for body in sent if text.split(" ")[-1] in body["commentary"]])


def digest(data):
    return hashlib.sha256(data).hexdigest()


def test_text_keeps_every_reserved_character(app, sandbox, account):
    text = marker(f"all {RESERVED} of #them_1")
    entry, body = shown(app, sandbox, account, text)
    assert entry["text"] == text
    assert body["commentary"].count("\\") == len(RESERVED) + 2  # its own and the tag's _; the tag's # is bare
    assert "content" not in body


def test_image(app, sandbox, account, media):
    entry, body = shown(app, sandbox, account, marker("image"), media=[media.image(alt_text="A (post) horn")])
    picture = only(entry["media"])
    assert (picture["type"], picture["alt_text"], picture["sha256"]) == ("image", "A (post) horn", digest(media.picture))
    assert set(body["content"]["media"]) == {"id", "altText"}


def test_images(app, sandbox, account, media):
    pictures = [media.image(alt_text="one"), media.image(), media.image(alt_text="three")]
    entry, body = shown(app, sandbox, account, marker("images"), media=pictures)
    assert [picture["alt_text"] or "" for picture in entry["media"]] == ["one", "", "three"]
    assert len(body["content"]["multiImage"]["images"]) == 3


def test_video_goes_up_in_parts(app, sandbox, account, media):
    entry, body = shown(app, sandbox, account, marker("film"), media=[media.long_clip()],
                        platforms={"linkedin": {"media_title": "A film"}})
    video = only(entry["media"])
    assert (video["type"], video["bytes"], video["sha256"]) == ("video", len(media.film), digest(media.film))
    assert body["content"]["media"]["title"] == "A film"
    asset = body["content"]["media"]["id"].rsplit(":", 1)[1]
    puts = sandbox.log(path=f"/dms-uploads/sp/{asset}/", method="PUT")
    assert len(puts) == 3
    assert all("authorization" not in put["headers"] for put in puts)
    assert all("linkedin-version" not in put["headers"] for put in puts)


def test_video_with_its_picture(app, sandbox, account, media):
    picture = media.image()["url"]
    _, body = shown(app, sandbox, account, marker("clip"), type="video", media=[media.clip(thumbnail_url=picture)])
    asset = body["content"]["media"]["id"].rsplit(":", 1)[1]
    put = only([call for call in sandbox.log(path=f"/dms-uploads/sp/{asset}/uploadedVideoThumbnail")])
    assert put["status"] == 201 and put["headers"]["media-type-family"] == "STILLIMAGE"
    assert "authorization" not in put["headers"]


def test_video_without_the_picture_that_cannot_be_had(app, sandbox, account, media):
    entry, _ = shown(app, sandbox, account, marker("clip"), media=[media.clip(thumbnail_url=media.missing()["url"])])
    assert only(entry["media"])["sha256"] == digest(media.video)


# ---- captions of a video ----


CAPTIONS = ("POST", "/dms-uploads/sp/*/uploadedVideoCaptions")


def captioned(app, sandbox, account, media, url, language="de"):
    """Published: the delivery, and the calls for captions of its video with their statuses."""
    options = {"linkedin": {"captions": [{"url": url, "language": language}]}}
    text = marker("captions")
    post = app.published(account["id"], text, media=[media.clip()], platforms=options)
    only(sandbox.ledger(text, platform="linkedin"))
    bodies = [call["body"] for call in sandbox.log(path="/rest/posts", method="POST") if text.split(" ")[-1] in call["body"]]
    asset = json.loads(only(bodies))["content"]["media"]["id"].rsplit(":", 1)[1]
    sent = sandbox.log(path=f"/dms-uploads/sp/{asset}/uploadedVideoCaptions", method="POST")
    return only(post["platform_posts"]), sent


def test_captions_go_with_their_video(app, sandbox, account, media):
    told, sent = captioned(app, sandbox, account, media, media.words_url(), "pt-BR")
    assert told["outcome"] == "all" and not told.get("warnings"), told
    call = only(sent)
    assert call["status"] == 201 and "authorization" in call["headers"] and "linkedin-version" not in call["headers"]
    metadata = json.loads(call["body"].split("\r\n\r\n")[1].split("\r\n--")[0])
    assert metadata["locale"] == {"country": "BR", "language": "PT"} and metadata["format"] == "SRT", metadata
    assert 'name="file"; filename="captions.srt"' in call["body"]


@pytest.mark.parametrize("effect", ["reset_after", "reset_before"])
def test_captions_are_sent_again(app, sandbox, account, media, effect):
    sandbox.fault("linkedin", *CAPTIONS, effect)
    told, sent = captioned(app, sandbox, account, media, media.words_url())
    assert told["outcome"] == "all" and sent[-1]["status"] == 201, told


@pytest.mark.parametrize("status, times", [(415, 1), (403, 1), (503, 9)])
def test_refused_captions_fail_no_post(app, sandbox, account, media, status, times):
    sandbox.fault("linkedin", *CAPTIONS, "status", status=status, times=times)
    told, sent = captioned(app, sandbox, account, media, media.words_url())
    sandbox.clear_faults()
    warning = only(told["warnings"])
    assert (warning["code"], warning["field"]) == ("captions_refused", "platforms.linkedin.captions") and sent == []
    assert told["status"] == "published" and told["outcome"] == "partial"


@pytest.mark.parametrize("name, words", [("image", "SRT"), ("missing", "could not be fetched")])
def test_what_are_no_captions_are_left_out(app, sandbox, account, media, name, words):
    told, sent = captioned(app, sandbox, account, media, getattr(media, name)()["url"])
    warning = only(told["warnings"])
    assert warning["code"] == "captions_refused" and words in warning["message"] and sent == [], warning


def test_document(app, sandbox, account, media):
    document = {"url": media.slides_url(), "title": "Slides (1)"}
    entry, body = shown(app, sandbox, account, marker("document"), type="carousel", platforms={"linkedin": {"document": document}})
    assert only(entry["media"])["sha256"] == digest(media.slides)
    assert entry["type"] == "document" and body["content"]["media"]["title"] == "Slides (1)"


def test_article(app, sandbox, account, media):
    text = marker("read https://example.com/a_(b).")
    article = {"title": "A [title]", "description": "Words", "thumbnail_url": media.image()["url"]}
    entry, body = shown(app, sandbox, account, text, type="article", platforms={"linkedin": {"article": article}})
    assert entry["type"] == "article" and entry["text"] == text
    card = body["content"]["article"]
    assert (card["source"], card["title"], card["description"]) == ("https://example.com/a_(b", "A [title]", "Words")
    assert only(entry["media"])["sha256"] == digest(media.picture)


def test_poll(app, sandbox, account):
    question = {"question": "Brass or wood?", "options": ["Brass", "Wood"], "duration": "ONE_DAY"}
    entry, body = shown(app, sandbox, account, marker("poll"), platforms={"linkedin": {"poll": question}})
    assert entry["type"] == "poll"
    assert body["content"]["poll"]["settings"]["duration"] == "ONE_DAY"


def test_mention_is_one(app, sandbox, account):
    text = marker("thanks @Jo Doe")
    mention = {"name": "Jo Doe", "urn": "urn:li:person:sbJo_Doe42"}
    post = app.published(account["id"], text, platforms={"linkedin": {"mentions": [mention]}})
    entry = only([entry for entry in sandbox.ledger(platform="linkedin") if text.split(" ")[-1] in entry["text"]])
    assert entry["text"] == text.replace("@Jo", "Jo")
    assert entry["id"] == post["platform_posts"][0]["platform_post_id"]


def test_comments_are_plain(app, sandbox, account, media):
    texts = [marker("post"), marker("first (plain) #1"), marker("second")]
    containers = [{"content": texts[0], "media": [media.image()]}, {"content": texts[1]}, {"content": texts[2]}]
    app.published(account["id"], containers=containers)
    entries = [only(sandbox.ledger(text)) for text in texts]
    assert [entry["text"] for entry in entries] == texts
    assert [entry["reply_to"] for entry in entries] == [None, entries[0]["id"], entries[0]["id"]]


def test_keys_of_ours_are_not_overridden(app, sandbox, account):
    text = marker("mine")
    mine = {"author": "urn:li:person:somebody", "lifecycleState": "DRAFT", "commentary": "no", "isReshareDisabledByAuthor": True}
    data = app.accepted(account["id"], text, platforms={"linkedin": mine})
    assert len(data["warnings"]) == 3
    app.wait_post(data["post_id"])
    assert only(sandbox.ledger(text))["account_id"] == account["platform_account_id"]


# ---- refused before anything is sent, or by the platform ----


@pytest.mark.parametrize("more, field", [
    ({"platforms": {"linkedin": {"poll": {"question": "?", "options": ["one"]}}}}, "platforms.linkedin.poll.options"),
    ({"platforms": {"linkedin": {"document": {"url": "https://a.example/s.pdf"}}}}, "platforms.linkedin.document.title"),
    ({"type": "article"}, "platforms.linkedin.article.source"),
    ({"type": "story"}, "type"),
])
def test_rules(app, accounts, more, field):
    body = check_error(app.publish(accounts["linkedin"][0]["id"], "words", **more), 422, "VALIDATION_ERROR")
    assert field in body["errors"]


def test_what_the_bytes_are_decides(app, accounts, media):
    page = {"type": "image", "url": media.image()["url"].replace("picture", "text")}
    post = app.wait_post(app.accepted(accounts["linkedin"][0]["id"], marker("page"), media=[page])["post_id"])
    error = post["platform_posts"][0]["error"]
    assert post["status"] == "failed" and error["code"] in ("MEDIA_REJECTED", "MEDIA_UNREACHABLE")


def test_a_video_that_cannot_be_processed(app, sandbox, account, media):
    body = {"id": "x", "status": "PROCESSING_FAILED", "processingFailureReason": "the codec is not known"}
    sandbox.fault("linkedin", "GET", "/rest/videos/*", "status", status=200, body=body)
    post = app.wait_post(app.accepted(account["id"], marker("film"), media=[media.clip()])["post_id"])
    error = post["platform_posts"][0]["error"]
    assert post["status"] == "failed" and error["code"] == "MEDIA_REJECTED"
    assert error["platform_message"] == "the codec is not known"


def test_an_old_address_is_replaced(app, sandbox, account, media):
    """401 at the upload host says that the address is old, and nothing of the token (linkedin.md 4)."""
    sandbox.fault("linkedin", "PUT", "/dms-uploads/sp/*/uploadedVideo/*", "status", status=401)
    entry, _ = shown(app, sandbox, account, marker("film"), media=[media.clip()])
    assert only(entry["media"])["sha256"] == digest(media.video)


def test_the_same_text_again_names_the_first(app, sandbox, account):
    text = marker("again")
    first = app.published(account["id"], text)
    again = app.wait_post(app.accepted(account["id"], text)["post_id"])
    error = again["platform_posts"][0]["error"]
    assert error["code"] == "DUPLICATE_CONTENT"
    assert first["platform_posts"][0]["platform_post_id"] in error["message"]


# ---- apps: what they may ask for ----


@pytest.fixture
def own(start_sandbox, start_service):
    sandbox = start_sandbox()
    return sandbox, App(start_service(sandbox))


def set_credential(app, client_id, *more):
    done = app.cli("credential", "set", "--app", app.client_id, "--platform", "linkedin", "--client-id", client_id,
                   "--client-secret-stdin", "--verify", *more, stdin="sandbox-secret-linkedin")
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


MEMBER = "openid profile email w_member_social"
ORGANIZATION = "r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin"


@pytest.mark.parametrize("client, scopes, types, has_email", [
    ("sandbox-linkedin-member", MEMBER, ["personal"], True),
    ("sandbox-linkedin-organization", ORGANIZATION, ["personal", "organization"], False),
    ("sandbox-linkedin-organization", ORGANIZATION.replace("w_member_social ", ""), ["organization"], False),
])
def test_scopes_of_a_credential(own, client, scopes, types, has_email):
    sandbox, app = own
    shown_credential = set_credential(app, client, "--scopes", scopes.replace(" ", ","))
    assert shown_credential["scopes"] == scopes
    app.issue_token()
    connection = app.connect("linkedin")
    assert query_of(connection.authorize_url)["scope"] == scopes
    assert [account["account_type"] for account in connection.accounts] == types
    assert (connection.accounts[0]["email"] is not None) == has_email
    app.published(connection.accounts[-1]["id"], marker("scoped"))


BOTH = "openid profile email w_member_social r_organization_social w_organization_social rw_organization_admin"


@pytest.mark.parametrize("client, words, scopes, types", [
    ("sandbox-linkedin-member", (), MEMBER, ["personal"]),
    ("sandbox-linkedin-member", ("--variant", "member"), MEMBER, ["personal"]),
    ("sandbox-linkedin-organization", ("--variant", "pages"), ORGANIZATION, ["personal", "organization"]),
    ("sandbox-linkedin", ("--variant", "both"), BOTH, ["personal", "organization"]),
])
def test_a_variant_fits_the_apps_products(own, client, words, scopes, types):
    """An ordinary member app connects with the defaults (api-decisions.md 3)."""
    _, app = own
    shown_credential = set_credential(app, client, *words)
    assert (shown_credential["variant"], shown_credential["scopes"]) == (words[1] if words else "member", None)
    app.issue_token()
    connection = app.connect("linkedin")
    assert query_of(connection.authorize_url)["scope"] == scopes
    assert [account["account_type"] for account in connection.accounts] == types
    app.published(connection.accounts[-1]["id"], marker("variant"))


@pytest.mark.parametrize("client, variant, scope", [
    ("sandbox-linkedin-member", "both", "r_organization_social"),
    ("sandbox-linkedin-organization", "member", "openid"),
])
def test_a_scope_that_the_app_does_not_own_is_told_by_name(own, client, variant, scope):
    """LinkedIn refuses the whole login for one scope (linkedin.md 1.2)."""
    _, app = own
    set_credential(app, client, "--variant", variant)
    app.issue_token()
    connection = app.connect("linkedin")
    assert connection.query["status"] == "failed" and connection.query["error"] == "missing_permissions"
    assert connection.accounts == []
    told = connection.answer["error_description"]
    assert f'"{scope}"' in told and "variant" in told and "scopes" in told


def test_a_variant_replaces_scopes_and_stays(own):
    _, app = own
    client = "sandbox-linkedin-member"
    assert set_credential(app, client, "--scopes", "openid profile")["scopes"] == "openid profile"
    changed = set_credential(app, client, "--variant", "both")
    assert (changed["variant"], changed["scopes"]) == ("both", None)
    again = set_credential(app, client)
    assert (again["variant"], again["scopes"]) == ("both", None)
    wrong = app.cli("credential", "set", "--app", app.client_id, "--platform", "linkedin", "--client-id", client,
                    "--client-secret-stdin", "--variant", "page", stdin="secret")
    assert wrong.returncode == 1 and "member, pages, both" in wrong.stdout + wrong.stderr
    other = app.cli("credential", "set", "--app", app.client_id, "--platform", "x", "--client-id", "sandbox-x",
                    "--client-secret-stdin", "--variant", "member", stdin="secret")
    assert other.returncode == 1 and "no variants" in other.stdout + other.stderr


def test_scopes_stay_when_the_secret_changes(own):
    _, app = own
    set_credential(app, "sandbox-linkedin-member", "--scopes", MEMBER)
    assert set_credential(app, "sandbox-linkedin-member")["scopes"] == MEMBER
    assert set_credential(app, "sandbox-linkedin-member", "--scopes", "")["scopes"] is None


def test_a_self_serve_app_may_not_comment(own):
    sandbox, app = own
    set_credential(app, "sandbox-linkedin-member", "--scopes", MEMBER)
    app.issue_token()
    account, texts = app.account("linkedin"), [marker("post"), marker("comment")]
    post = app.wait_post(app.accepted(account, containers=[{"content": text} for text in texts])["post_id"])
    platform_post = post["platform_posts"][0]
    assert (post["status"], platform_post["status"], platform_post["outcome"]) == ("published", "published", "partial")
    assert platform_post["published_at"] is not None
    assert platform_post["error"]["code"] == "PERMISSION_MISSING"
    assert "w_member_social_feed" in platform_post["error"]["message"]
    assert [part["state"] for part in platform_post["parts"]] == ["published", "failed"]
    assert only(sandbox.ledger(texts[0])) and sandbox.ledger(texts[1]) == []


def test_sixty_days_without_a_refresh_token(own):
    """A self-serve app gets no refresh token: when the member takes the app's right away, they have to come back."""
    sandbox, app = own
    set_credential(app, "sandbox-linkedin-member", "--scopes", MEMBER)
    app.issue_token()
    account = app.account("linkedin")
    requests.post(f"{sandbox.url}/www.linkedin.com/psettings/permitted-services", data={"client_id": "sandbox-linkedin-member"})
    post = app.wait_post(app.accepted(account, marker("late"))["post_id"])
    assert post["platform_posts"][0]["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED"


def test_a_bare_card_is_warned_of(own):
    """LinkedIn does not read the page that a card leads to (linkedin.md 2.7)."""
    _, app = own
    set_credential(app, "sandbox-linkedin-member")
    account = app.issue_token().account("linkedin")
    bare = app.accepted(account, marker("bare") + " https://example.com/a", type="article")
    assert [(one["code"], one["field"]) for one in bare["warnings"]] == [
        ("bare_card", "platforms.linkedin.article.title"), ("bare_card", "platforms.linkedin.article.thumbnail_url")]
    options = {"linkedin": {"article": {"title": "T", "thumbnail_url": "https://example.com/p.jpg"}}}
    whole = app.accepted(account, marker("whole") + " https://example.com/a", type="article", platforms=options)
    assert "warnings" not in whole


def test_a_file_that_is_not_known_everywhere_yet(own, media):
    """'... resource is forbidden' right after an upload passes by itself (linkedin.md 4)."""
    sandbox, app = own
    set_credential(app, "sandbox-linkedin-member")
    account, text = app.issue_token().account("linkedin"), marker("early")
    sandbox.fault("linkedin", "POST", "/rest/posts", "status", status=403,
                  body={"status": 403, "message": "Accessing this image resource is forbidden for the member."})
    app.published(account, text, media=[media.image()])
    only(sandbox.ledger(text))


# ---- the version that ended ----


def doctor(service):
    return json.loads(service.cli("doctor").stdout)


def alarms(service):
    return [check for check in doctor(service)["checks"] if check["check"] == "alarm"]


def test_an_ended_version_is_an_alarm_and_costs_no_post(start_sandbox, start_service, tmp_path):
    """LinkedIn answers alike to a version that has ended and to one that is not there yet: whose end is not told of, in test_doctor.py."""
    sandbox, data = start_sandbox(), tmp_path / "data"
    old = start_service(sandbox, "--linkedin-version", "203001", "--time-scale", "1000", data=data)
    app = App(old)
    set_credential(app, "sandbox-linkedin-member", "--scopes", MEMBER)
    account, text = app.issue_token().account("linkedin"), marker("waits")
    assert doctor(old)["ok"]
    post_id = app.accepted(account, text)["post_id"]
    alarm = only(poll("the doctor tells it", lambda: alarms(old)))
    assert not doctor(old)["ok"] and not alarm["ok"] and "API version" in alarm["message"]
    assert "operator_alarm" in old.stderr()
    refused = poll("the post tells it", lambda: next((at for at in app.show(post_id)["platform_posts"] if at["error"]), None))
    assert refused["error"]["code"] == "PLATFORM_REJECTED" and "operator" in refused["error"]["message"]
    assert refused["status"] == "pending" and refused["attempts"] == 0
    old.stop()
    # Another setting, another start: what was told may be mended, and nothing was lost by it.
    app.service = start_service(sandbox, "--time-scale", "1000", data=data)
    assert doctor(app.service)["ok"] and alarms(app.service) == []
    assert app.wait_post(post_id)["status"] == "published"
    assert len(sandbox.ledger(text)) == 1
