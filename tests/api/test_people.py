# SPDX-License-Identifier: Apache-2.0
"""People's data (API 17): what is stored about one user, its end, and Meta's callbacks. An erased user is looked for byte by byte in
every file of the data directory, the write-ahead log included."""
import base64
import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import time
import urllib.parse

import pytest

from file_server import picture
from harness import App, Service, check_error, clean_environment, find_binary, marker, poll, utc
from test_keys import create
from test_webhooks import Receiver

SQLITE = pytest.mark.skipif(os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres"), reason="reads SQLite's files")
SECRET = "sandbox-secret-facebook"


def user_path(user_id):
    return "/v1/users/" + urllib.parse.quote(user_id, safe="")


def erase(app, user_id, confirm=None, **more):
    return app.request("DELETE", user_path(user_id), params={"confirm": user_id if confirm is None else confirm}, **more)


def erased_events(app):
    return [event for event in app.get("/v1/events", params={"limit": 100}).json()["data"] if event["event"] == "user.erased"]


def wait_erased(app, user_id):
    return poll(f"{user_id} is erased", lambda: [event for event in erased_events(app) if event["data"]["user_id"] == user_id])


def connect(app, slug, user_id, **more):
    """As App.connect(), with a name and an e-mail address."""
    begun = app.begin(slug, user_id, **more)
    callback_url = app.consent(begun, "allow")
    app.service.request("GET", callback_url[len(app.service.url):], allow_redirects=False)
    return app.accounts_of(begun["connection_id"])["accounts"][0]["id"]


def files_with(data, *words):
    """{word: [file]} of what still holds one of the words."""
    found = {}
    for path in sorted(path for path in data.rglob("*") if path.is_file() and not path.is_socket()):
        content = path.read_bytes()
        for word in words:
            if word.encode() in content:
                found.setdefault(word, []).append(path.name)
    return found


@pytest.fixture
def people(tmp_path, sandbox):
    """A service of its own whose files can be looked at, and its app."""
    with Service(tmp_path / "data", sandbox) as service:
        app = App(service).set_credentials("x", "facebook", "tiktok").issue_token()
        app.data = tmp_path / "data"
        yield app


# ---- export ----


def test_export_has_all(people):
    account = connect(people, "x", "anna@home", name="Anna Example", email="anna@example.com")
    texts = [marker("anna") for _ in range(3)]
    posts = [people.accepted(account, text, scheduled_at=utc(3600 + number))["post_id"] for number, text in enumerate(texts)]
    other = connect(people, "x", "bert")
    people.accepted(other, marker("bert"), scheduled_at=utc(3600))
    answer = people.get(user_path("anna@home"))
    data = answer.json()["data"]
    assert answer.json()["meta"] == {"current_page": 1, "per_page": 20, "total": 3, "last_page": 1}
    assert data["user_id"] == "anna@home" and data["totals"] == {"accounts": 1, "connections": 1, "posts": 3, "media": 0}
    assert [row["id"] for row in data["accounts"]] == [account]
    assert [(row["name"], row["email"], row["status"]) for row in data["connections"]] == [("Anna Example", "anna@example.com", "success")]
    assert [post["id"] for post in data["posts"]] == posts[::-1]
    assert [post["containers"][0]["content"] for post in data["posts"]] == texts[::-1]
    assert "token" not in json.dumps(data["accounts"])
    second = people.get(user_path("anna@home"), params={"page": 2, "per_page": 2}).json()
    assert [post["id"] for post in second["data"]["posts"]] == posts[:1] and second["data"]["accounts"] == []
    assert second["meta"] == {"current_page": 2, "per_page": 2, "total": 3, "last_page": 2}


def test_export_refuses(people, other_app):
    check_error(people.get(user_path("nobody")), 404, "NOT_FOUND")
    connect(other_app, "x", "theirs")
    foreign, unknown = people.get(user_path("theirs")), people.get(user_path("nobody"))
    assert foreign.status_code == unknown.status_code == 404 and foreign.content == unknown.content
    check_error(people.get(user_path("anna"), params={"page": 0}), 422, "VALIDATION_ERROR", ["page"])
    check_error(people.get(user_path("anna"), params={"pages": 1}), 422, "VALIDATION_ERROR", ["pages"])


def uploaded(app, path, size):
    answer = app.post("/v1/media", data=picture(path, size), headers={"Content-Type": "image/jpeg"})
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def files_of(data):
    return sorted(path.name for path in (data / "media").rglob("*") if path.is_file())


def test_uploaded_files_are_exported_and_erased_with_their_user(people, tmp_path):
    anna, bert = connect(people, "x", "anna"), connect(people, "x", "bert")
    own, shared, free = (uploaded(people, tmp_path / f"{size}.jpg", f"{size}x{size}") for size in (50, 60, 70))
    for account, files in ((anna, [own, shared]), (bert, [shared])):
        people.accepted(account, marker("media"), media=[{"media_id": file["id"]} for file in files], scheduled_at=utc(3600))
    data = people.get(user_path("anna")).json()["data"]
    assert {file["id"] for file in data["media"]} == {own["id"], shared["id"]} and data["totals"]["media"] == 2
    assert data["media"][0]["sha256"] and people.get(user_path("bert")).json()["data"]["totals"]["media"] == 1
    assert people.request("DELETE", user_path("anna"), params={"confirm": "anna"}).status_code == 202
    poll("her file is gone", lambda: people.get(f"/v1/media/{own['id']}").status_code == 404)
    poll("from the disk too", lambda: files_of(people.data) == sorted([shared["id"], free["id"]]))
    assert people.get(f"/v1/media/{shared['id']}/content").status_code == 200  # it is bert's too
    assert {file["id"] for file in people.get("/v1/media").json()["data"]} == {shared["id"], free["id"]}


def test_people_is_a_scope_of_its_own(people):
    connect(people, "x", "anna")
    everything_else = create(people, "read,drafts,publish,remove,accounts,media,webhooks")["key"]
    for method, params in (("GET", {}), ("DELETE", {"confirm": "anna"})):
        answer = people.request(method, user_path("anna"), params=params, headers={"Authorization": f"Bearer {everything_else}"})
        check_error(answer, 403, "INSUFFICIENT_SCOPE")
        assert answer.json()["details"]["required"] == "people"
    key = create(people, "people")["key"]
    assert people.get(user_path("anna"), headers={"Authorization": f"Bearer {key}"}).status_code == 200


# ---- erase ----


def test_erasing_wants_the_id_twice(people):
    account = connect(people, "x", "anna")
    for params in ({}, {"confirm": ""}, {"confirm": "Anna"}, {"confirm": ["anna", "anna"]}):
        check_error(people.request("DELETE", user_path("anna"), params=params), 422, "VALIDATION_ERROR", ["confirm"])
    assert people.get(f"/v1/accounts/{account}").json()["data"]["status"] == "active"
    assert erase(people, "nobody").json()["data"] == {"user_id": "nobody", "erasing": {"accounts": 0, "connections": 0, "posts": 0}}
    assert erased_events(people) == []


@SQLITE
def test_nothing_of_an_erased_user_is_left(people, sandbox, media):
    """Not in a table, an event, a webhook's log, a timeline, a spooled file, a page that was freed, or the write-ahead log."""
    receiver = Receiver()
    assert people.post("/v1/webhooks", json={"url": receiver.url}).status_code == 201
    account = connect(people, "x", "anna@home", name="Anna Unmistakable", email="anna.unmistakable@example.com")
    shown = people.get(f"/v1/accounts/{account}").json()["data"]
    texts = [marker("unmistakable") for _ in range(4)]
    picture = media.image()
    out = people.published(account, texts[0], media=[{**picture, "alt_text": "Anna at sea"}])
    sandbox.fault("x", "POST", "/2/tweets", "status", status=403,
                  body={"title": "Forbidden", "detail": f"words of the platform {texts[1]}", "status": 403, "type": "about:blank"})
    refused = people.wait_post(people.accepted(account, texts[1])["post_id"])
    sandbox.clear_faults()
    waits = people.accepted(account, texts[2], scheduled_at=utc(3600))["post_id"]
    draft = people.post("/v1/drafts", json={"account_ids": [account], "content": texts[3]}, headers={"Idempotency-Key": marker("key")})
    assert draft.status_code == 201
    poll("the webhook has it", lambda: len(receiver.of("/")) >= 5)
    words = ["Anna Unmistakable", "anna.unmistakable@example.com", *texts, "Anna at sea", shown["platform_account_id"],
             shown["username"], out["platform_posts"][0]["url"]]
    assert set(files_with(people.data, *words)) >= set(words), "the test finds what is there"
    answer = erase(people, "anna@home")
    assert answer.status_code == 202
    assert answer.json()["data"] == {"user_id": "anna@home", "erasing": {"accounts": 1, "connections": 1, "posts": 3}}
    event = wait_erased(people, "anna@home")[0]
    assert event["data"]["platform"] is None and event["data"]["erased_at"]
    poll("the webhook is told", lambda: any(b"user.erased" in call[2] for call in receiver.of("/")))
    assert files_with(people.data, *words) == {}
    assert [row["status"] for row in sandbox.log(path="/2/oauth2/revoke")][-1:] == [200]
    for post_id, status in ((out["id"], "published"), (refused["id"], "failed"), (waits, "failed")):
        post = people.show(post_id)
        assert post["status"] == status and post["external_user_id"] == "" and post["created_at"]
        assert [box["content"] for box in post["containers"]] == [""] and post["containers"][0]["media"] == []
        assert post["platform_posts"][0]["handle"] == "" and post["platform_posts"][0]["url"] is None
    assert people.show(out["id"])["platform_posts"][0]["platform_post_id"] == out["platform_posts"][0]["platform_post_id"]
    assert people.show(out["id"])["platform_posts"][0]["outcome"] == "all"
    assert people.show(waits)["platform_posts"][0]["error"]["code"] in ("CANCELLED", "ACCOUNT_REAUTH_REQUIRED")
    assert people.get(f"/v1/posts/{out['id']}/timeline").json()["data"] == []
    assert people.get("/v1/drafts").json()["data"] == []
    check_error(people.get(user_path("anna@home")), 404, "NOT_FOUND")
    assert erase(people, "anna@home").status_code == 202
    assert len(erased_events(people)) == 1
    check_error(people.publish(account, "again"), 422, "INVALID_ACCOUNT")
    receiver.close()


def test_who_erased_is_in_the_audit_trail(people):
    connect(people, "x", "anna")
    key = create(people, "people")
    assert erase(people, "anna", headers={"Authorization": f"Bearer {key['key']}"}).status_code == 202
    wait_erased(people, "anna")
    row = json.loads(people.cli("audit", "--json").stdout)["data"][0]
    assert (row["action"], row["object"], row["outcome"]) == ("user.erase", "user anna", "done"), row
    assert row["actor"].startswith("key ")


def test_a_shared_post_loses_one_user(people):
    anna, bert = connect(people, "x", "anna"), connect(people, "tiktok", "bert")
    del bert
    berta = connect(people, "facebook", "bert")
    text = marker("shared")
    post = people.accepted([anna, berta], text, scheduled_at=utc(3600))["post_id"]
    assert erase(people, "anna").status_code == 202
    wait_erased(people, "anna")
    shown = people.show(post)
    assert [box["content"] for box in shown["containers"]] == [text] and shown["external_user_id"] == ""
    by_account = {row["account_id"]: row for row in shown["platform_posts"]}
    assert by_account[anna]["status"] == "failed" and by_account[berta]["status"] == "scheduled"
    assert people.list(**{"external_user_ids[]": ["bert"]})["meta"]["total"] == 1
    assert erase(people, "bert").status_code == 202
    wait_erased(people, "bert")
    assert people.show(post)["containers"][0]["content"] == ""


def test_a_user_comes_back_as_new(people):
    old = connect(people, "x", "anna")
    assert erase(people, "anna").status_code == 202
    wait_erased(people, "anna")
    new = connect(people, "x", "anna")
    assert new != old
    assert people.get(user_path("anna")).json()["data"]["totals"] == {"accounts": 1, "connections": 1, "posts": 0, "media": 0}


def test_a_connection_under_way_ends(people):
    connect(people, "x", "anna")
    begun = people.begin("x", "anna")
    callback_url = people.consent(begun, "allow")
    assert erase(people, "anna").status_code == 202
    people.service.request("GET", callback_url[len(people.service.url):], allow_redirects=False)
    wait_erased(people, "anna")
    assert people.get("/v1/accounts", params={"user_id": "anna"}).json()["data"] == []
    check_error(people.get(user_path("anna")), 404, "NOT_FOUND")


def test_a_wait_does_not_hold_it_up(people, sandbox):
    account = connect(people, "x", "anna")
    sandbox.fault("x", "POST", "/2/tweets", "rate_limit", retry_after=3600)
    post = people.accepted(account, marker("waits"))["post_id"]
    poll("it waits", lambda: (people.show(post)["platform_posts"][0]["waiting"] or {}).get("reason") in ("platform_limit", "retry"))
    assert erase(people, "anna").status_code == 202
    wait_erased(people, "anna")
    sandbox.clear_faults()
    assert people.show(post)["status"] == "failed"


def test_a_call_in_doubt_ends_unknown(people, sandbox):
    """Its outcome cannot be asked for without the tokens, and is not told as known."""
    account, text = connect(people, "x", "anna"), marker("doubt")
    sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=503, times=50)
    sandbox.fault("x", "POST", "/2/tweets", "reset_after")
    post = people.accepted(account, text)["post_id"]
    poll("it is out", lambda: sandbox.ledger(text))
    assert erase(people, "anna").status_code == 202
    wait_erased(people, "anna")
    sandbox.clear_faults()
    assert people.show(post)["platform_posts"][0]["error"]["code"] == "OUTCOME_UNKNOWN"


@SQLITE
@pytest.mark.parametrize("after_s", [0, 0.4, 0.8, 1.2])
def test_an_erasure_that_is_killed_is_finished(tmp_path, sandbox, after_s):
    """More posts than one step takes. The next start goes on where the rows say."""
    data, text = tmp_path / "data", marker("killed")
    service = Service(data, sandbox)
    try:
        app = App(service).set_credentials("x").issue_token()
        account = connect(app, "x", "anna", name="Anna Unmistakable")
        for number in range(250):
            app.accepted(account, f"{text} {number}", scheduled_at=utc(3600))
        assert erase(app, "anna").status_code == 202
        time.sleep(after_s)
    finally:
        service.kill()
    with Service(data, sandbox) as service:
        app.service = service
        wait_erased(app, "anna")
        assert len(erased_events(app)) == 1
        assert files_with(data, text, "Anna Unmistakable") == {}
        assert app.list(status="failed")["meta"]["total"] == 250
        database = sqlite3.connect(data / "posthorn.db", timeout=10)
        assert database.execute("SELECT outcome FROM audit WHERE action = 'user.erase'").fetchall() == [("done",)]
        assert database.execute("SELECT post_bytes, pending_posts FROM app_work").fetchall() == [
            (database.execute("SELECT SUM(length(CAST(content AS BLOB))) FROM posts").fetchone()[0], 0)]
        database.close()


# ---- Meta's callbacks ----


def signed(user_id, secret=SECRET, **more):
    payload = {"algorithm": "HMAC-SHA256", "issued_at": int(time.time()), "user_id": user_id, **more}
    encoded = base64.urlsafe_b64encode(json.dumps(payload).encode()).rstrip(b"=")
    signature = base64.urlsafe_b64encode(hmac.new(secret.encode(), encoded, hashlib.sha256).digest()).rstrip(b"=")
    return {"signed_request": (signature + b"." + encoded).decode()}


def meta(app, what, form, slug="facebook"):
    return app.service.request("POST", f"/v1/oauth/{slug}/{what}", data=form)


@pytest.fixture
def person(people):
    """Anna's Page, and who she is at Facebook."""
    people.page = connect(people, "facebook", "anna")
    database = sqlite3.connect(people.data / "posthorn.db", timeout=10)
    extra = database.execute("SELECT extra FROM accounts WHERE id = ?", (people.page,)).fetchone()[0]
    database.close()
    people.person = json.loads(extra)["user_id"]
    return people


@SQLITE
def test_deauthorize_asks_for_a_new_connection(person):
    x = connect(person, "x", "anna")
    answer = meta(person, "deauthorize", signed(person.person))
    assert answer.status_code == 200 and answer.json() == {}
    account = person.get(f"/v1/accounts/{person.page}").json()["data"]
    assert account["status"] == "reauth_required" and "removed the app" in account["last_error"]
    assert person.get(f"/v1/accounts/{x}").json()["data"]["status"] == "active"
    events = [event["event"] for event in person.get("/v1/events", params={"limit": 100}).json()["data"]]
    assert "account.reauth_required" in events


@SQLITE
def test_data_deletion_erases_that_platform_alone(person):
    x = connect(person, "x", "anna")
    text = marker("of the page")
    both = person.accepted([person.page, x], text, scheduled_at=utc(3600))["post_id"]
    alone = person.accepted(person.page, marker("alone"), scheduled_at=utc(3600))["post_id"]
    answer = meta(person, "data-deletion", signed(person.person))
    assert answer.status_code == 200
    code, url = answer.json()["confirmation_code"], answer.json()["url"]
    assert url == f"{person.service.url}/v1/oauth/facebook/data-deletion/{code}"
    path = url[len(person.service.url):]
    assert wait_erased(person, "anna")[0]["data"]["platform"] == "facebook"
    page = person.service.request("GET", path)
    assert page.status_code == 200 and "was deleted" in page.text and page.headers["X-Robots-Tag"] == "noindex"
    assert person.get(f"/v1/accounts/{x}").json()["data"]["status"] == "active"
    assert person.get(f"/v1/accounts/{person.page}").json()["data"]["username"] == ""
    assert person.show(both)["containers"][0]["content"] == text
    assert {row["account_id"]: row["status"] for row in person.show(both)["platform_posts"]} == {person.page: "failed", x: "scheduled"}
    assert person.show(alone)["containers"][0]["content"] == ""
    again = meta(person, "data-deletion", signed(person.person))
    assert again.json()["confirmation_code"] == code
    assert len(erased_events(person)) == 1
    assert files_with(person.data, code) == {}, "the code is kept as a hash"
    assert person.service.request("GET", path.replace("facebook", "instagram")).status_code == 404
    assert person.service.request("GET", path[:-1]).status_code == 404


def test_whom_meta_means_may_be_nobody(people):
    answer = meta(people, "data-deletion", signed("123456789"))
    page = people.service.request("GET", answer.json()["url"][len(people.service.url):])
    assert page.status_code == 200 and "was deleted" in page.text
    assert erased_events(people) == []


@pytest.mark.parametrize("form", [
    {}, {"signed_request": ""}, {"signed_request": "abc"}, {"signed_request": "!!.!!"}, signed("1", secret="another app's"),
    signed("1", issued_at=int(time.time()) - 7200), signed("1", issued_at=int(time.time()) + 7200), signed(""), signed("1%"),
    signed("1", algorithm="none"), [*signed("1").items(), *signed("1").items()],
], ids=["none", "empty", "no dot", "no base64", "secret", "old", "future", "nobody", "pattern", "algorithm", "twice"])
def test_a_signature_that_does_not_hold_does_nothing(people, form):
    for what in ("deauthorize", "data-deletion"):
        check_error(meta(people, what, form), 400, "INVALID_SIGNATURE", ["signed_request"])
    check_error(meta(people, "deauthorize", signed("1"), slug="x"), 404, "PLATFORM_NOT_FOUND")
    answer = people.service.request("POST", "/v1/oauth/facebook/deauthorize", json=signed("1") if form == {} else {"a": 1})
    check_error(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_guesses_are_bounded(tmp_path, sandbox):
    with Service(tmp_path / "data", sandbox, ["--token-failure-limit", "3"]) as service:
        app = App(service).set_credentials("facebook").issue_token()
        answers = [meta(app, "deauthorize", signed("1", secret="guess")).status_code for _ in range(5)]
        assert answers == [400] * 3 + [429] * 2
        assert meta(app, "deauthorize", signed("1")).status_code == 200, "the right secret always passes"


# ---- the command line ----


def test_verbs(people):
    connect(people, "x", "anna", name="Anna")

    def run(*words):
        environment = clean_environment({"POSTHORN_URL": people.service.url, "POSTHORN_TOKEN": people.token})
        return subprocess.run([find_binary(), *words], env=environment, capture_output=True, text=True, timeout=60)

    told = run("export", "anna")
    assert told.returncode == 0 and json.loads(told.stdout)["data"]["connections"][0]["name"] == "Anna"
    for words in ([], ["--confirm", "bert"]):
        refused = run("erase", "anna", *words)
        assert refused.returncode == 2 and "--confirm anna" in refused.stderr
    done = run("erase", "anna", "--confirm", "anna")
    assert done.returncode == 0 and "1 accounts, 1 connections, 0 posts" in done.stdout
    wait_erased(people, "anna")
