# SPDX-License-Identifier: Apache-2.0
"""The sandbox's apps as a customer's is on the day it was made, `sandbox-SLUG-new` (design.md 5): what each may do and may not, and that
the easy apps beside them are as kind as ever."""
import base64
import hashlib
import json
import urllib.parse

import pytest
import requests

from file_server import FileServer, picture, video
from harness import HTTP_S, PLATFORMS, App, Sandbox, Service, marker

DAY_S = 86400


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("files")
    made = {"square.jpg": picture(directory / "square.jpg", "640x640"), "short.mp4": video(directory / "short.mp4", 4, "640x640")}
    files = FileServer(made)
    yield files
    files.close()


@pytest.fixture(scope="module")
def own_sandbox():
    with Sandbox() as process:
        yield process


@pytest.fixture(scope="module")
def service(tmp_path_factory, own_sandbox):
    with Service(tmp_path_factory.mktemp("new") / "data", own_sandbox, ["--time-scale", "300"]) as process:
        yield process


def set_credential(app, slug, secret=None, *words):
    done = app.cli("credential", "set", "--app", app.client_id, "--platform", slug, "--client-id", f"sandbox-{slug}-new",
                   "--client-secret-stdin", "--verify", *words, stdin=secret or f"sandbox-secret-{slug}-new")
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def new_app(service):
    app = App(service, name="new")
    for slug in PLATFORMS:
        assert set_credential(app, slug)["state"] == "verified", slug
    return app.issue_token()


@pytest.fixture(scope="module")
def accounts(new_app):
    return {slug: new_app.connect(slug).accounts for slug in PLATFORMS}


def raw(sandbox, host_path, **more):
    return requests.request(more.pop("method", "GET"), f"{sandbox.url}/{host_path}", timeout=HTTP_S, **more)


@pytest.mark.parametrize("slug", PLATFORMS)
def test_each_has_a_secret_of_its_own(service, slug):
    app = App(service, name=f"secret {slug}")
    assert set_credential(app, slug, f"sandbox-secret-{slug}")["state"] != "verified"
    done = app.cli("credential", "set", "--app", app.client_id, "--platform", slug, "--client-id", f"sandbox-{slug}",
                   "--client-secret-stdin", "--verify", stdin=f"sandbox-secret-{slug}-new")
    assert done.returncode == 1


def test_linkedin_has_the_member_product_only(service, new_app, accounts):
    assert [account["account_type"] for account in accounts["linkedin"]] == ["personal"]
    new_app.published(accounts["linkedin"][0]["id"], marker("member"))
    app = App(service, name="both")
    set_credential(app, "linkedin", None, "--variant", "both")
    refused = app.issue_token().connect("linkedin")
    assert refused.query["error"] == "missing_permissions" and "r_organization_social" in refused.answer["error_description"]


def test_youtube_keeps_it_private_and_its_login_ends_in_seven_days(new_app, accounts, files, own_sandbox):
    (account,) = accounts["youtube"]
    shown = new_app.get(f"/v1/accounts/{account['id']}").json()["data"]
    assert shown["status"] == "expiring"  # a refresh token of seven days
    post = new_app.published(account["id"], marker("unaudited"), media=[{"url": files.url("short.mp4"), "type": "video"}])
    (row,) = post["platform_posts"]
    assert row["visibility"] == "private" and "visibility_restricted" in [warning["code"] for warning in row["warnings"]], row


def test_tiktok_is_unaudited(new_app, accounts, files, own_sandbox):
    (account,) = accounts["tiktok"]
    media = [{"url": files.url("short.mp4"), "type": "video"}]
    post = new_app.wait_post(new_app.accepted(account["id"], marker("public"), media=media,
                                              platforms={"tiktok": {"privacy_level": "PUBLIC_TO_EVERYONE"}})["post_id"])
    refused = post["platform_posts"][0]["error"]
    assert refused["platform_code"] == "unaudited_client_can_only_post_to_private_accounts", refused
    own_sandbox.knob("tiktok_private_account", 1)
    new_app.published(account["id"], marker("self only"), media=media, platforms={"tiktok": {"privacy_level": "SELF_ONLY"}})
    own_sandbox.knob("tiktok_private_account", 0)


@pytest.mark.parametrize("slug", ["x", "facebook", "instagram"])
def test_the_others_publish(new_app, accounts, files, slug):
    more = {"media": [{"url": files.url("square.jpg"), "type": "image"}]} if slug == "instagram" else {}
    new_app.published(accounts[slug][0]["id"], marker(slug), **more)


def test_instagrams_grant_ends_after_90_days_and_facebooks_does_not(new_app, accounts, files, own_sandbox):
    before = new_app.get(f"/v1/accounts/{accounts['instagram'][0]['id']}").json()["data"]
    assert before["status"] == "active"
    own_sandbox.advance(91 * DAY_S)
    media = [{"url": files.url("square.jpg"), "type": "image"}]
    post = new_app.wait_post(new_app.accepted(accounts["instagram"][0]["id"], marker("late"), media=media)["post_id"])
    (row,) = post["platform_posts"]
    assert row["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED" and "90 days" in row["error"]["platform_message"]
    new_app.published(accounts["facebook"][0]["id"], marker("still there"))


def test_x_takes_segments_of_one_mebibyte(own_sandbox):
    """The easy app takes more (x.md 2.4)."""
    verifier = "v" * 64
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    for name, status in (("x-new", 413), ("x", 200)):
        callback = "http://127.0.0.1:9/callback"
        query = urllib.parse.urlencode({"client_id": f"sandbox-{name}", "redirect_uri": callback, "response_type": "code", "state": "s",
                                        "scope": "tweet.read tweet.write users.read media.write", "sandbox_decision": "allow",
                                        "code_challenge": challenge, "code_challenge_method": "S256"})
        sent = raw(own_sandbox, f"x.com/i/oauth2/authorize?{query}", allow_redirects=False)
        code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(sent.headers["Location"]).query))["code"]
        token = raw(own_sandbox, "api.x.com/2/oauth2/token", method="POST", auth=(f"sandbox-{name}", f"sandbox-secret-{name}"),
                    data={"grant_type": "authorization_code", "code": code, "redirect_uri": callback,
                          "code_verifier": verifier}).json()["access_token"]
        bearer = {"Authorization": f"Bearer {token}"}
        begun = raw(own_sandbox, "api.x.com/2/media/upload/initialize", method="POST", headers=bearer,
                    json={"media_type": "video/mp4", "total_bytes": 3000000, "media_category": "tweet_video"})
        media_id = begun.json()["data"]["id"]
        answer = raw(own_sandbox, f"api.x.com/2/media/upload/{media_id}/append", method="POST", headers=bearer,
                     data={"segment_index": "0"}, files={"media": ("a", b"\0" * 2000000)})
        assert answer.status_code == status, (name, answer.status_code, answer.text)


def test_an_ended_graph_version_is_served_by_the_oldest_that_lives(own_sandbox):
    def served(version):
        return raw(own_sandbox, f"graph.facebook.com/{version}/105312345678901234").headers["facebook-api-version"]

    assert served("v26.0") == "v26.0" and served("v18.0") == served("v20.0")
    own_sandbox.advance(5 * 365 * DAY_S)
    assert served("v20.0") == served("v25.0") == served("v26.0") == "v26.0"
