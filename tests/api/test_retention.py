# SPDX-License-Identifier: Apache-2.0
"""What is removed by age, and what stays (docs/operations.md, "What grows"): each setting, on rows that are forty days old."""
import sqlite3

import pytest

from harness import App, Service, marker, poll

DAY_US = 86_400 * 1_000_000
AGES = [("timeline", "at_us"), ("evidence", "at_us"), ("connections", "created_at_us"), ("events", "created_at_us"),
        ("webhook_deliveries", "created_at_us")]
ROWS = {
    "timeline": "SELECT COUNT(*) FROM timeline",
    "evidence": "SELECT COUNT(*) FROM evidence",
    "failed": "SELECT COUNT(*) FROM connections WHERE state = 'failed'",
    "success": "SELECT COUNT(*) FROM connections WHERE state = 'success'",
    "events": "SELECT COUNT(*) FROM events",
    "webhook": "SELECT COUNT(*) FROM webhook_deliveries",
    "posts": "SELECT COUNT(*) FROM posts",
    "deliveries": "SELECT COUNT(*) FROM deliveries",
}


def figures(data):
    database = sqlite3.connect(data / "posthorn.db", timeout=10)
    try:
        return {name: database.execute(text).fetchone()[0] for name, text in ROWS.items()}
    finally:
        database.close()


def age(data, days):
    database = sqlite3.connect(data / "posthorn.db")
    with database:
        database.execute("INSERT INTO evidence (delivery_id, ordinal, at_us, fence, remote_id, url, parts)"
                         " SELECT d.id, 1, d.published_at_us, 1, '', '', '[]' FROM deliveries d")
        for table, column in AGES:
            database.execute(f"UPDATE {table} SET {column} = {column} - ?", (days * DAY_US,))
    database.close()


@pytest.fixture
def old(tmp_path, sandbox, media):
    """A data directory with something of everything, forty days old: a published post, an event that went to a webhook, a
    connection that led nowhere and one that did."""
    data = tmp_path / "data"
    with Service(data, sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        app.connect("x", decision="deny")
        assert app.post("/v1/webhooks", json={"url": f"{media.url}/text.jpg"}).status_code == 201
        app.published(account, marker("old"))
        poll("the webhook was called", lambda: figures(data)["webhook"] >= 1)
    age(data, 40)
    before = figures(data)
    assert all(before.values()), before
    return data, before


@pytest.mark.parametrize("options, gone", [
    (["--keep-timeline", "39", "--keep-connections", "41", "--keep-events", "41"], {"timeline", "evidence"}),
    (["--keep-timeline", "41", "--keep-connections", "39", "--keep-events", "41"], {"failed"}),
    (["--keep-timeline", "41", "--keep-connections", "41", "--keep-events", "39"], {"events", "webhook"}),
    (["--keep-timeline", "0", "--keep-connections", "41", "--keep-events", "0"], set()),
    ([], {"failed", "events", "webhook"}),
], ids=["timeline", "connections", "events", "never", "defaults"])
def test_each_setting_removes_its_own_and_nothing_else(old, sandbox, options, gone):
    data, before = old
    with Service(data, sandbox, options) as service:
        if gone:
            poll("what is old is removed", lambda: all(figures(data)[name] == 0 for name in gone))
        else:
            turns = service.request("GET", "/readyz")
            assert turns.status_code == 200
            poll("the engine has turned", lambda: "posthorn_engine_turns_total 0\n" not in service.metrics())
    after = figures(data)
    assert {name for name in after if after[name] < before[name]} == gone


@pytest.mark.parametrize("words", [["--keep-connections", "0"], ["--keep-timeline", "-1"], ["--keep-events", "36501"]])
def test_a_span_that_makes_no_sense_stops_the_start(tmp_path, words):
    from harness import cli

    done = cli("serve", "--data", tmp_path / "data", *words)
    assert done.returncode == 2 and words[0].lstrip("-") in done.stderr
