# SPDX-License-Identifier: Apache-2.0
"""A database knows whether it is live or of a sandbox (api-decisions.md 14): a start in the other mode is refused, and after a change
nothing of the one world goes to the other."""
import json
import os
import re
import sqlite3
import time

import pytest

from harness import App, Service, cli, database_of, marker, poll, utc

ON_SQLITE = not os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres")


def start(data, *options):
    return cli("serve", "--listen", "127.0.0.1:0", "--data", data, *options, environment=database_of(data))


def refused(data, *options):
    done = start(data, *options)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stderr.splitlines()[-1]


@pytest.fixture
def used(sandbox, tmp_path):
    """A sandbox database with a connected account and a scheduled post; its service has stopped."""
    service = Service(tmp_path / "data", sandbox)
    app = App(service).set_credentials("x").issue_token()
    app.account = app.connect("x").accounts[0]["id"]
    app.text = marker("mode")
    app.post_id = app.accepted(app.account, app.text, scheduled_at=utc(5))["post_id"]
    app.far_text = marker("mode")
    app.far_id = app.accepted(app.account, app.far_text, scheduled_at=utc(86400))["post_id"]
    app.data = tmp_path / "data"
    service.stop()
    return app


def test_every_place_says_the_mode(sandbox, tmp_path):
    for options, word in (((sandbox,), "sandbox"), ((), "live")):
        with Service(tmp_path / word, *options) as service:
            app = App(service).issue_token()
            assert app.get("/v1/platforms").json()["meta"] == {"mode": word}
            assert json.loads(app.cli("app", "show", app.client_id).stdout)["mode"] == word
            assert f"posthorn: {word} mode" in service.stderr()
            assert re.search(f"service_started .*mode={word}", service.stderr().replace('"', ""))
            checks = json.loads(service.cli("doctor").stdout)["checks"]
            assert any(check["check"] == "mode" and check["message"].startswith(word) for check in checks)


def test_a_start_in_the_other_mode_is_refused(used, sandbox, tmp_path):
    assert "--change-mode" in refused(used.data)
    Service(tmp_path / "live").stop()
    assert "--change-mode" in refused(tmp_path / "live", "--sandbox", sandbox.url)


def test_a_change_holds_what_is_unfinished_and_parts_from_the_accounts(used, sandbox):
    with Service(used.data, None, ["--change-mode"]) as service:
        used.service = service
        assert used.get(f"/v1/accounts/{used.account}").json()["data"]["status"] == "reauth_required"
        counts = json.loads(service.cli("hold", "show").stdout)
        assert counts["held"] == 2, counts
        time.sleep(5)
        assert used.show(used.post_id)["status"] != "failed"
        assert used.post(f"/v1/accounts/{used.account}/check").status_code in (200, 409, 422, 502, 503)
    assert "--change-mode" in refused(used.data, "--sandbox", sandbox.url)
    with Service(used.data, sandbox, ["--change-mode"]) as service:
        used.service = service
        assert used.get(f"/v1/accounts/{used.account}").json()["data"]["status"] == "reauth_required"
        used.connect("x")
        assert json.loads(service.cli("hold", "release").stdout)
        poll("published after the release", lambda: used.show(used.post_id)["status"] == "published")
        assert used.show(used.far_id)["status"] == "scheduled"
    assert len(sandbox.ledger(used.text)) == 1 and not sandbox.ledger(used.far_text)
    Service(used.data, sandbox).stop()


def test_a_command_in_the_other_mode_asks_no_platform(used, sandbox):
    before = len(sandbox.log())
    done = used.cli("credential", "verify", "--app", used.client_id, "--platform", "x")
    assert done.returncode == 1 and "sandbox" in done.stderr
    assert len(sandbox.log()) == before


@pytest.mark.skipif(not ON_SQLITE, reason="writes into the SQLite file")
def test_a_database_of_before_must_be_told_its_mode_once(used, sandbox):
    def forget():
        with sqlite3.connect(used.data / "posthorn.db") as database:
            database.execute("DELETE FROM meta WHERE name = 'mode'")
        database.close()

    forget()
    line = refused(used.data, "--sandbox", sandbox.url)
    assert "--mode" in line
    assert "--mode" in refused(used.data)
    Service(used.data, sandbox, ["--mode", "sandbox"]).stop()
    Service(used.data, sandbox).stop()
    assert "--change-mode" in refused(used.data)
    forget()
    with sqlite3.connect(used.data / "posthorn.db") as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute("DELETE FROM accounts")
    database.close()
    Service(used.data, sandbox).stop()


def test_a_mode_that_contradicts_the_start_is_wrong_use(tmp_path, sandbox):
    for options in (("--mode", "sandbox"), ("--mode", "live", "--sandbox", sandbox.url), ("--mode", "neither")):
        assert start(tmp_path / "data", *options).returncode == 2
    assert not (tmp_path / "data").exists()
