# SPDX-License-Identifier: Apache-2.0
"""posthorn app delete (API 3): nothing new begins, what is in doubt is resolved, a deletion that was cut off is finished, and contents
are erased after their time while the ids of posts stay."""
import json
import sqlite3
import subprocess

from file_server import picture
from harness import App, Service, find_binary, clean_environment, marker, poll, utc

X_TWEETS = ("x", "POST", "/2/tweets")
DAY_US = 86_400 * 1_000_000


def ask(data, text, *values):
    database = sqlite3.connect(data / "posthorn.db", timeout=10)
    try:
        with database:
            return database.execute(text, values).fetchall()
    finally:
        database.close()


def stage(data, app):
    return ask(data, "SELECT end_stage FROM apps WHERE id = ?", app.id)[0][0]


def deliveries(data):
    return ask(data, "SELECT state, error_code, is_final FROM deliveries")


def gone(app, dead):
    assert app.request_token().status_code == 401
    for token in dead:
        answer = app.service.request("GET", "/v1/posts", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401, answer.text


def upload(app, directory):
    """A whole file, one that is coming in, and a link."""
    photo = picture(directory / "a.jpg", "64x64")
    assert app.post("/v1/media", data=photo, headers={"Content-Type": "image/jpeg"}).status_code == 201
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(len(photo)), "Content-Type": "application/offset+octet-stream"}
    begun = app.post("/v1/media/uploads", data=photo[:9], headers=headers)
    assert begun.status_code == 201, begun.text
    assert app.post("/v1/media/links", json={}).status_code == 201


def test_a_deleted_app_is_gone_and_its_contents_go_later(tmp_path, sandbox, media):
    data = tmp_path / "data"
    text = marker("deleted")
    with Service(data, sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        assert app.post("/v1/webhooks", json={"url": f"{media.url}/text.jpg"}).status_code == 201
        key = json.loads(app.cli("key", "create", "--app", app.client_id, "--name", "k", "--scopes", "read").stdout)["key"]
        out = app.published(account, marker("out"))["id"]
        waits = app.accepted(account, text, scheduled_at=utc(3600))["post_id"]
        upload(app, tmp_path)
        done = app.cli("app", "delete", app.client_id)
        assert done.returncode == 0 and json.loads(done.stdout) == {"deleted": app.client_id}
        gone(app, [app.token, key])
        again = app.cli("app", "delete", app.client_id)
        assert again.returncode == 1
        assert app.client_id not in app.cli("app", "list").stdout
        assert stage(data, app) == 2
        assert sorted(deliveries(data)) == [("failed", "CANCELLED", 1), ("published", "", 1)]
        assert ask(data, "SELECT state, length(access_token_sealed) FROM accounts") == [("disconnected", 0)]
        assert ask(data, "SELECT COUNT(*) FROM platform_credentials") == [(0,)]
    ask(data, "UPDATE apps SET deleted_at_us = deleted_at_us - ?", 20 * DAY_US)
    with Service(data, sandbox, ["--keep-deleted", "19"]) as service:
        poll("the contents are erased", lambda: stage(data, app) == 3)
        assert sorted(ask(data, "SELECT id, content, request_id = id FROM posts")) == sorted([(out, "", 1), (waits, "", 1)])
        for table in ("timeline", "events", "connections", "webhooks", "webhook_deliveries", "media", "media_uploads", "media_links"):
            assert ask(data, f"SELECT COUNT(*) FROM {table}") == [(0,)], table
        assert ask(data, "SELECT username, name, email, user_id = id FROM accounts") == [("", "", "", 1)]
        poll("its files are removed", lambda: not [path for path in (data / "media").rglob("*") if path.is_file()])
        assert service.cli("doctor", "--text").returncode in (0, 3)
    assert not sandbox.ledger(text)


def test_contents_stay_until_their_time(tmp_path, sandbox):
    data = tmp_path / "data"
    with Service(data, sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        app.accepted(app.account("x"), marker("kept"), scheduled_at=utc(3600))
        assert app.cli("app", "delete", app.client_id).returncode == 0
    ask(data, "UPDATE apps SET deleted_at_us = deleted_at_us - ?", 20 * DAY_US)
    with Service(data, sandbox) as service:
        poll("the engine has turned", lambda: "posthorn_engine_turns_total 0\n" not in service.metrics())
        assert stage(data, app) == 2
        assert ask(data, "SELECT COUNT(*) FROM posts WHERE content = ''") == [(0,)]


def test_a_deletion_that_was_cut_off_is_finished(tmp_path, sandbox):
    """Killed after the decision and before the end: the next start finishes it, and nothing goes out."""
    data = tmp_path / "data"
    text = marker("cut")
    service = Service(data, sandbox)
    try:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        for number in range(450):
            app.accepted(account, f"{text} {number}", scheduled_at=utc(600 if number % 2 else 3600))
        words = [find_binary(), "app", "delete", app.client_id, "--data", str(data)]
        command = subprocess.Popen(words, env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        poll("it is decided", lambda: stage(data, app) > 0)
    finally:
        service.kill()
    command.wait(30)
    with Service(data, sandbox) as service:
        poll("all is ended", lambda: stage(data, app) == 2)
        app.service = service
        gone(app, [app.token])
    assert set(deliveries(data)) == {("failed", "CANCELLED", 1)}
    assert ask(data, "SELECT state FROM accounts") == [("disconnected",)]
    assert not sandbox.ledger(f"{text} 1")


def test_what_is_in_doubt_is_resolved(tmp_path, sandbox):
    """The call landed and its answer was lost: it is looked up with the account's token, then the account is disconnected."""
    data = tmp_path / "data"
    text = marker("doubt")
    with Service(data, sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=503, times=3)
        sandbox.fault(*X_TWEETS, "reset_after")
        app.accepted(account, text)
        poll("it is in doubt", lambda: ask(data, "SELECT call_state FROM deliveries") == [(2,)])
        assert app.cli("app", "delete", app.client_id).returncode == 0
        sandbox.clear_faults()
        poll("it is resolved", lambda: deliveries(data) == [("published", "", 1)])
    with Service(data, sandbox):
        poll("the account is disconnected", lambda: stage(data, app) == 2)
    assert len(sandbox.ledger(text)) == 1
