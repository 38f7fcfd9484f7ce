# SPDX-License-Identifier: Apache-2.0
"""Instagram Login, without a Facebook Page (meta.md 2.8), and Facebook Login for Business by its config_id (meta.md 2.3): credential,
consent, accounts, every kind of post, calls in doubt, and the token that renews itself."""
import json
import urllib.parse

import pytest

from file_server import FileServer, picture, video
from harness import App, Sandbox, Service, marker

HOST = "graph.instagram.com"
DAY_S = 86400
SCOPES = ["instagram_business_basic", "instagram_business_content_publish", "instagram_business_manage_comments"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("files")
    files = FileServer({"square.jpg": picture(directory / "square.jpg", "640x640"), "short.mp4": video(directory / "short.mp4", 4)})
    yield files
    files.close()


@pytest.fixture(scope="module")
def own_sandbox():
    with Sandbox() as process:
        yield process


@pytest.fixture(scope="module")
def service(tmp_path_factory, own_sandbox):
    with Service(tmp_path_factory.mktemp("login") / "data", own_sandbox, ["--time-scale", "300"]) as process:
        yield process


def set_credential(app, slug="instagram", *words, secret=None, client=None):
    done = app.cli("credential", "set", "--app", app.client_id, "--platform", slug, "--client-id", client or f"sandbox-{slug}",
                   "--client-secret-stdin", *words, stdin=secret or f"sandbox-secret-{slug}")
    return done, json.loads(done.stdout) if done.stdout.startswith("{") else None


@pytest.fixture(scope="module")
def app(service):
    app = App(service, name="login")
    done, credential = set_credential(app, "instagram", "--variant", "instagram_login", "--verify")
    assert done.returncode == 0 and (credential["state"], credential["variant"]) == ("verified", "instagram_login")
    return app.issue_token()


@pytest.fixture(scope="module")
def connection(app):
    return app.connect("instagram", by_form=True)


@pytest.fixture(scope="module")
def account(connection):
    return connection.accounts[0]


def query_of(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


def calls_since(sandbox, count):
    return [entry for entry in sandbox.log()[count:] if not entry["path"].startswith("/_sandbox")]


def hosts(entries):
    return {entry["host"] for entry in entries}


def entry_of(sandbox, post):
    (platform_post,) = post["platform_posts"]
    (entry,) = [entry for entry in sandbox.ledger() if entry["id"] == platform_post["platform_post_id"]]
    return entry


def test_one_account_without_a_page(connection):
    assert connection.query["status"] == "success", connection.answer
    asked = query_of(connection.authorize_url)
    assert "/www.instagram.com/oauth/authorize" in connection.authorize_url and asked["scope"].split(",") == SCOPES
    (account,) = connection.accounts
    assert (account["username"], account["account_type"]) == ("harbour.bakery", "business")


def test_the_wrong_secret_is_refused(service):
    app = App(service, name="wrong secret")
    done, credential = set_credential(app, "instagram", "--variant", "instagram_login", "--verify", secret="sandbox-secret-facebook")
    assert done.returncode == 1 and credential["state"] == "failed" and "secret" in credential["message"]


def test_declined_permissions_and_a_refused_login(app):
    missing = app.connect("instagram", user_id="user-2", by_form=True, checked=["instagram_business_basic"])
    assert missing.query["error"] == "missing_permissions" and SCOPES[1] in missing.answer["error_description"]
    assert app.connect("instagram", user_id="user-2", decision="deny").query["error"] == "access_denied"


@pytest.mark.parametrize("media, kind", [(["square.jpg"], "image"), (["short.mp4"], "reel"), (["square.jpg", "short.mp4"], "carousel")])
def test_every_kind_of_post_goes_out_on_its_host(app, account, own_sandbox, files, media, kind):
    before = len(own_sandbox.log())
    text = marker(kind)
    post = app.published(account["id"], text, media=[
        {"url": files.url(name), "type": "video" if name.endswith("mp4") else "image"} for name in media])
    entry = entry_of(own_sandbox, post)
    assert (entry["type"], entry["text"], len(entry["media"])) == (kind, text, len(media))
    sent = calls_since(own_sandbox, before)
    assert hosts(sent) == {HOST}, hosts(sent)  # no rupload, no graph.facebook.com
    assert not [entry for entry in sent if "appsecret_proof" in entry["path"] + entry.get("body", "")]


def test_a_story_and_a_comment(app, account, own_sandbox, files):
    story = app.published(account["id"], "", type="story", media=[{"url": files.url("short.mp4"), "type": "video"}])
    assert "story" in entry_of(own_sandbox, story)["type"]
    post = app.published(account["id"], containers=[
        {"content": marker("with a comment"), "media": [{"url": files.url("square.jpg"), "type": "image"}]}, {"content": "first"}])
    ids = [row["id"] for row in own_sandbox.ledger() if row["text"] == "first"]
    assert len(ids) == 1 and post["status"] == "published"


def test_an_answer_that_is_lost_doubles_nothing(app, account, own_sandbox, files):
    own_sandbox.fault("instagram", "POST", "/v25.0/*/media_publish", "reset_after")
    text = marker("lost answer")
    app.published(account["id"], text, media=[{"url": files.url("square.jpg"), "type": "image"}])
    assert [row["text"] for row in own_sandbox.ledger()].count(text) == 1


def test_the_plan_names_its_host(app, account, files):
    answer = app.post("/v1/posts/validate", json={"account_ids": [account["id"]], "content": "x",
                                                  "media": [{"url": files.url("short.mp4"), "type": "video"}]})
    (row,) = answer.json()["data"]["accounts"]
    paths = [call["host_path"] for call in row["plan"]]
    assert row["ok"] and paths and all(path.startswith(HOST) for path in paths), paths


def test_tokens_of_one_login_are_no_good_at_the_other(app, account, service, own_sandbox):
    """What the account is known by decides, not what the credential says by now."""
    other = App(service, name="both logins").set_credentials("instagram").issue_token()
    by_page = other.connect("instagram").accounts[0]
    done, _ = set_credential(other, "instagram", "--variant", "instagram_login", "--force")
    assert done.returncode == 0
    before = len(own_sandbox.log())
    other.post(f"/v1/accounts/{by_page['id']}/check")
    assert hosts(calls_since(own_sandbox, before)) == {"graph.facebook.com"}


def renewals(sandbox):
    return [entry["status"] for entry in sandbox.log() if "/refresh_access_token" in entry["path"]]


def test_the_token_renews_itself(app, own_sandbox, files):
    """Less than half of 60 days is left: a post renews the token first. What fails then costs nothing, the old token is good."""
    own_sandbox.knob("instagram_login_days", 20)
    account = app.connect("instagram", user_id="user-of-20-days").accounts[0]
    own_sandbox.knob("instagram_login_days", 60)
    image = [{"url": files.url("square.jpg"), "type": "image"}]
    app.published(account["id"], marker("too young"), media=image)
    assert set(renewals(own_sandbox)) == {400}  # Meta renews no token of its first day
    own_sandbox.advance(2 * DAY_S)
    post = app.published(account["id"], marker("renewed"), media=image)
    assert renewals(own_sandbox)[-1] == 200 and "IGAA" not in app.timeline_text(post["id"])
    count = len(renewals(own_sandbox))
    app.published(account["id"], marker("and fresh"), media=image)
    assert len(renewals(own_sandbox)) == count


def test_an_account_that_nobody_renewed_ends(app, own_sandbox, files):
    own_sandbox.knob("instagram_login_days", 3)
    account = app.connect("instagram", user_id="user-of-3-days").accounts[0]
    own_sandbox.knob("instagram_login_days", 60)
    shown = app.get(f"/v1/accounts/{account['id']}").json()["data"]
    assert shown["status"] == "expiring", shown
    own_sandbox.advance(4 * DAY_S)
    post = app.wait_post(app.accepted(account["id"], marker("ended"), media=[{"url": files.url("square.jpg"), "type": "image"}])["post_id"])
    (row,) = post["platform_posts"]
    assert row["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED", row


# ---- Facebook Login for Business ----


@pytest.mark.parametrize("slug", ["facebook", "instagram"])
def test_a_configuration_is_asked_for_in_place_of_scopes(service, slug):
    app = App(service, name=f"config {slug}")
    done, credential = set_credential(app, slug, "--config-id", "1088203912345", "--verify")
    assert done.returncode == 0 and credential["config_id"] == "1088203912345"
    connection = app.issue_token().connect(slug)
    asked = query_of(connection.authorize_url)
    assert asked["config_id"] == "1088203912345" and "scope" not in asked and asked["override_default_response_type"] == "true"
    assert connection.query["status"] == "success" and len(connection.accounts) == 2
    _, again = set_credential(app, slug)
    assert (again.get("config_id") or again["current"]) and again["config_id"] == "1088203912345"  # a new secret keeps it
    _, cleared = set_credential(app, slug, "--config-id", "", "--force")
    assert cleared["config_id"] is None


@pytest.mark.parametrize("slug, words", [("x", ()), ("instagram", ("--variant", "instagram_login"))])
def test_only_facebook_login_has_configurations(service, slug, words):
    done, _ = set_credential(App(service, name=f"no config {slug}"), slug, *words, "--config-id", "1")
    assert done.returncode == 1 and "Facebook Login for Business" in done.stdout + done.stderr
