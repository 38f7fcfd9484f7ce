# SPDX-License-Identifier: Apache-2.0
"""What a start must agree with (design.md 5): the master key that sealed the database's secrets, and the database that ran here.
What does not agree is the operator's matter: it refuses the start, and never becomes a post's failure."""
import contextlib
import json
import os
import re
import secrets
import sqlite3
import time

import pytest

from harness import App, Service, cli, database_of, marker, poll, utc

POSTS = 6
HEAD = 5  # bytes: how a sealed record begins, with the key's id


class World:
    """A service with a connected X account, and posts that are due soon."""

    def __init__(self, data, sandbox):
        self.data, self.sandbox = data, sandbox
        self.service = self.start()
        self.app = App(self.service).set_credentials("x").issue_token()
        self.account = self.app.connect("x").accounts[0]["id"]
        self.posts = []

    def start(self, *options):
        self.service = Service(self.data, self.sandbox, options)
        with contextlib.suppress(AttributeError):
            self.app.service = self.service
        return self.service

    def schedule(self, count, ahead_s):
        for _ in range(count):
            text = marker("identity")
            self.posts.append((text, self.app.accepted(self.account, text, scheduled_at=utc(ahead_s))["post_id"]))

    def statuses(self):
        return [self.app.show(post_id)["platform_posts"][0]["status"] for _, post_id in self.posts]

    def all_published_once(self):
        poll("every post is published", lambda: set(self.statuses()) == {"published"})
        for text, _ in self.posts:
            assert len(self.sandbox.ledger(text)) == 1

    def refused(self, *words):
        """The one line with which a command, by default serve, is refused."""
        words = words or ("serve", "--listen", "127.0.0.1:0", "--sandbox", self.sandbox.url)
        done = cli(*words, "--data", self.data, environment=database_of(self.data))
        assert done.returncode == 1, done.stdout + done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("posthorn: ")]
        assert len(lines) == 1, done.stderr
        return lines[0]


@pytest.fixture
def world(sandbox, tmp_path):
    world = World(tmp_path / "data", sandbox)
    yield world
    if world.service.popen.poll() is None:
        world.service.stop()


def replace_key(data):
    """Another valid key takes the place of the right one, which is returned."""
    path = data / "master.key"
    right = path.read_bytes()
    path.write_text(secrets.token_hex(32) + "\n")
    path.chmod(0o600)
    return right


# ---- the master key ----


def test_a_start_with_another_key_is_refused(world):
    world.schedule(POSTS, 3)
    world.service.stop()
    right = replace_key(world.data)
    for words in ((), ("doctor",), ("app", "list")):
        line = world.refused(*words)
        assert len(set(re.findall(r"\b[0-9a-f]{8}\b", line))) == 2 and "master.key" in line and "back" in line
    time.sleep(3)
    (world.data / "master.key").write_bytes(right)
    world.start()
    world.all_published_once()


def test_a_new_key_for_a_database_without_secrets_is_taken(tmp_path):
    data = tmp_path / "data"
    Service(data).stop()
    replace_key(data)
    Service(data).stop()


@pytest.mark.skipif(os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres"), reason="writes into the SQLite file")
def test_a_record_of_another_key_stops_the_node_and_not_the_post(world):
    """As another node with another key would write it."""
    world.schedule(POSTS, 4)

    def write_head(head):
        with contextlib.closing(sqlite3.connect(world.data / "posthorn.db", timeout=10)) as database, database:
            sealed = database.execute("SELECT access_token_sealed FROM accounts").fetchone()[0]
            database.execute("UPDATE accounts SET access_token_sealed = ?", (head + sealed[HEAD:],))
        return sealed[:HEAD]

    right = write_head(b"\x01\xaa\xbb\xcc\xdd")
    poll("not ready", lambda: world.service.request("GET", "/readyz").status_code == 503)
    time.sleep(1)
    assert world.service.request("GET", "/healthz").status_code == 200
    assert not set(world.statuses()) & {"failed", "published"}
    assert world.service.stderr().count("master_key_is_other") == 1
    found = json.loads(world.service.cli("doctor").stdout)
    assert not found["ok"] and any("aabbccdd" in check["message"] and not check["ok"] for check in found["checks"])
    world.service.stop()
    assert "aabbccdd" in world.refused()
    write_head(right)
    world.start()
    world.all_published_once()


# ---- the database that ran here ----


@pytest.mark.skipif(os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres"), reason="removes the SQLite file")
@pytest.mark.parametrize("how", ["removed", "emptied", "elsewhere"])
def test_a_lost_database_is_not_replaced_by_an_empty_one(world, how, tmp_path):
    world.service.stop()
    path = world.data / "posthorn.db"
    content = path.read_bytes()
    elsewhere = tmp_path / "other.db"
    words = ["serve", "--listen", "127.0.0.1:0", "--sandbox", world.sandbox.url]
    if how == "elsewhere":
        words += ["--database", f"sqlite:{elsewhere}"]
    elif how == "removed":
        path.unlink()
    else:
        path.write_bytes(b"")
    line = world.refused(*words)
    assert "epoch" in line and str(elsewhere if how == "elsewhere" else path) in line and "Put it back" in line
    assert not elsewhere.exists()
    if how == "elsewhere":
        return
    assert "Put it back" in world.refused("app", "list")
    path.write_bytes(content)
    world.start()
    assert world.app.get("/v1/accounts").json()["data"]


def test_without_its_epoch_file_an_empty_database_begins_again(world, tmp_path):
    world.service.stop()
    (world.data / "epoch").unlink()
    Service(tmp_path / "data", world.sandbox, ["--database", f"sqlite:{tmp_path / 'other.db'}"],
            {"POSTHORN_DATABASE": ""}).stop()
