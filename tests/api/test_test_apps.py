# SPDX-License-Identifier: Apache-2.0
"""Test apps (API 14): they live beside live ones, their platforms are the sandbox inside the service, and nothing of theirs leaves
it. What an attacker would try is in test_test_apps_attacks.py."""
import json
import re

import pytest

from harness import PLATFORMS, App, TestApp, marker, poll

CONTENTS = {"instagram": "image", "facebook": None, "x": None, "linkedin": None, "youtube": "clip", "tiktok": "clip"}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    from harness import Service

    with Service(tmp_path_factory.mktemp("house") / "data") as service:
        yield service


@pytest.fixture(scope="module")
def tried(house):
    return TestApp(house, "--time-scale", "100")


@pytest.fixture(scope="module")
def connected(tried):
    return {slug: tried.connect(slug).accounts for slug in PLATFORMS}


# ---- made whole ----


def test_it_is_active_and_complete(tried):
    shown = json.loads(tried.cli("app", "show", tried.client_id).stdout)
    assert (shown["mode"], shown["state"], shown["live"], shown["time_scale"]) == ("test", "active", True, 100)
    rows = shown["credentials"]
    assert [row["platform"] for row in rows] == list(PLATFORMS)
    assert {row["state"] for row in rows} == {"verified"}
    assert len({row["client_id"] for row in rows}) == 6


def test_its_token_says_so(tried):
    assert re.fullmatch(r"pht_test_[A-Za-z0-9_-]{43}", tried.token)


def test_mode_of_each_app(house, tried, service, app):
    assert tried.get("/v1/platforms").json()["meta"]["mode"] == "test"
    assert tried.get("/v1/platforms").json()["sandbox"] is False
    live = App(house, "live one").issue_token()
    assert live.token.startswith("pht_") and not live.token.startswith("pht_test_")
    assert live.get("/v1/platforms").json()["meta"]["mode"] == "live"
    assert json.loads(live.cli("app", "show", live.client_id).stdout)["mode"] == "live"
    assert app.get("/v1/platforms").json()["meta"]["mode"] == "sandbox"


def test_credentials_are_random_for_each(house, tried):
    def ids(app):
        return {row["client_id"] for row in json.loads(app.cli("credential", "list", "--app", app.client_id).stdout)["data"]}

    assert not ids(tried) & ids(TestApp(house))


@pytest.mark.parametrize("slug", PLATFORMS)
def test_verifying_says_the_same(tried, slug):
    done = tried.cli("credential", "verify", "--app", tried.client_id, "--platform", slug)
    assert done.returncode == 0 and json.loads(done.stdout)["state"] == "verified", done.stdout + done.stderr


def test_credentials_cannot_be_changed(tried):
    done = tried.cli("credential", "set", "--app", tried.client_id, "--platform", "x", "--client-id", "real", "--client-secret-stdin",
                     stdin="real-secret")
    assert done.returncode == 1 and "test app" in done.stderr


@pytest.mark.parametrize("options, field", [(["--time-scale", "0"], None), (["--time-scale", "3601"], "time_scale")])
def test_time_scale_has_a_range(house, options, field):
    done = house.cli("app", "create", "--name", "n", "--owner", "o@example.com", "--test", *options)
    assert done.returncode != 0 and "3600" in done.stderr + done.stdout or field is None


def test_only_a_test_app_has_a_time_scale(house):
    done = house.cli("app", "create", "--name", "n", "--owner", "o@example.com", "--time-scale", "10")
    assert done.returncode == 2 and "time-scale" in done.stderr


# ---- it works ----


@pytest.mark.parametrize("slug", PLATFORMS)
def test_consent_as_a_person_sees_it(house, tried, slug):
    begun = tried.begin(slug, "person")
    assert begun["redirect_url"].startswith(f"{house.url}/sandbox/")
    assert tried.connect(slug, "person", by_form=True).accounts


@pytest.mark.parametrize("slug", PLATFORMS)
def test_a_post_on_each_platform(tried, connected, media, slug):
    text = marker(slug)
    kind = CONTENTS[slug]
    item = [media.image()] if kind == "image" else [media.clip(duration=4)] if kind else []
    options = {"youtube": {"title": text}, "tiktok": {"privacy_level": "SELF_ONLY"}}.get(slug)
    more = {"platforms": {slug: options}} if options else {}
    tried.published(connected[slug][0]["id"], text, **({"media": item} if item else {}), **more)
    assert [post["platform"] for post in tried.ledger(text)] == [slug]


def test_an_account_can_be_checked_and_disconnected(tried):
    account = tried.account("x", "leaving")
    assert tried.post(f"/v1/accounts/{account}/check").json()["data"]["ok"] is True
    assert tried.request("DELETE", f"/v1/accounts/{account}").status_code == 204


def test_log_shows_its_calls(tried, connected):
    entries = tried.log()
    assert any(entry["host"] == "api.x.com" and entry["path"].startswith("/2/users/me") for entry in entries)
    assert "Posthorn-Test-App" not in json.dumps(entries) and "posthorn-test-app" not in json.dumps(entries)


def test_faults_knobs_and_reset(house):
    mine = TestApp(house, "--time-scale", "1000")
    account = mine.account("x")
    mine.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden"})
    post = mine.wait_post(mine.accepted(account, marker("refused"))["post_id"])
    assert post["status"] == "failed"
    assert mine.sandbox("GET", "faults")["faults"]
    assert mine.sandbox("DELETE", "faults") == {"ok": True}
    mine.sandbox("POST", "knobs", json={"x_me_limit": 3})
    assert {row["name"]: row["value"] for row in mine.sandbox("GET", "knobs")["knobs"]}["x_me_limit"] == 3
    mine.published(account, marker("good"))
    mine.sandbox("POST", "reset")
    assert mine.ledger() == [] and mine.log() == []


def test_live_and_test_side_by_side(house, tried, connected):
    live = App(house, "neighbour").issue_token()
    assert live.get("/v1/accounts").json()["data"] == []
    assert live.get(f"/v1/accounts/{connected['x'][0]['id']}").status_code == 404
    answer = live.get("/v1/oauth/x/connect", params={"user_id": "u", "redirect_url": "https://customer.example/"})
    assert answer.status_code == 400 and answer.json()["error"] == "CREDENTIALS_NOT_FOUND"


# ---- time ----


def test_time_scale_is_the_apps_own(house):
    """A wait of minutes is over in a moment for one app, and not for the other."""
    fast, slow = TestApp(house, "--time-scale", "3600", name="fast"), TestApp(house, name="slow")
    posts = {}
    for app in (fast, slow):
        account = app.account("x")
        app.fault("x", "POST", "/2/tweets", "rate_limit", retry_after=600)
        posts[app] = app.accepted(account, marker("later"))["post_id"]
    assert fast.wait_post(posts[fast])["status"] == "published"
    assert slow.show(posts[slow])["status"] not in ("published", "failed")


# ---- it survives ----


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_state_survives_a_restart(start_service, tmp_path, end):
    data = tmp_path / "kept"
    service = start_service(data=data)
    mine = TestApp(service, "--time-scale", "100")
    account = mine.account("x")
    mine.published(account, "before")
    mine.sandbox("POST", "knobs", json={"x_create_limit": 50})
    mine.fault("linkedin", "POST", "/rest/posts", "status", status=500)
    before = mine.ledger()
    getattr(service, end)()
    mine.service = start_service(data=data)
    assert mine.ledger() == before
    assert {row["name"]: row["value"] for row in mine.sandbox("GET", "knobs")["knobs"]}["x_create_limit"] == 50
    assert [fault["platform"] for fault in mine.sandbox("GET", "faults")["faults"]] == ["linkedin"]
    mine.published(account, "after")  # its token is still good
    assert [post["text"] for post in mine.ledger()] == ["before", "after"]


def test_a_deleted_app_leaves_nothing(house):
    """Its folder goes, whether its sandbox is open or not; the neighbour's stays."""
    gone, stays = TestApp(house, name="gone"), TestApp(house, name="stays")
    for one in (gone, stays):
        one.published(one.account("x"), marker("here"))
    folder = house.data / "sandbox" / gone.id
    assert list(folder.iterdir())
    assert gone.cli("app", "delete", gone.client_id).returncode == 0
    poll("its folder is gone", lambda: not folder.exists())
    assert gone.get("/sandbox/_sandbox/ledger").status_code == 401
    assert stays.ledger() and not folder.exists()


def test_an_app_that_was_deleted_before_a_restart(start_service, tmp_path):
    data = tmp_path / "deleted"
    service = start_service(data=data)
    gone = TestApp(service, name="gone")
    gone.account("x")
    service.stop()
    assert service.cli("app", "delete", gone.client_id).returncode == 0
    assert (data / "sandbox" / gone.id).exists()
    start_service(data=data)
    poll("its folder is gone", lambda: not (data / "sandbox" / gone.id).exists())


def test_test_apps_off(start_service, tmp_path):
    data = tmp_path / "switched"
    service = start_service(data=data)
    mine = TestApp(service)
    account = mine.account("x")
    service.stop()
    service = mine.service = start_service(None, "--test-apps", "off", data=data)
    done = service.cli("app", "create", "--name", "n", "--owner", "o@example.com", "--test")
    assert done.returncode == 1 and "--test-apps off" in done.stderr + done.stdout
    assert service.request("GET", "/sandbox/").status_code == 404
    post = mine.accepted(account, marker("nowhere"))["post_id"]
    poll("it was tried", lambda: mine.get(f"/v1/posts/{post}/timeline").json()["data"])
    assert mine.show(post)["status"] != "published"
    assert mine.get("/v1/oauth/x/connect", params={"user_id": "u", "redirect_url": "https://customer.example/"}).status_code >= 400


def test_sandbox_listen(start_service):
    service = start_service(None, "--sandbox-listen", "127.0.0.1:0")
    mine = TestApp(service)
    begun = mine.begin("x")
    assert not begun["redirect_url"].startswith(service.url) and "/sandbox/" not in begun["redirect_url"].split("?")[0]
    assert mine.connect("x", by_form=True).accounts
    assert service.request("GET", "/sandbox/").status_code == 404


def test_what_is_removed_is_removed_there(tried, connected):
    """A removal is a platform call like another: it goes to the sandbox too."""
    text = marker("taken back")
    post = tried.published(connected["x"][0]["id"], text)
    assert tried.ledger(text)
    assert tried.post(f"/v1/posts/{post['id']}/unpublish").status_code in (200, 202)
    poll("it is gone there", lambda: not tried.ledger(text))
