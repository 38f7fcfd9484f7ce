# SPDX-License-Identifier: Apache-2.0
"""The master key is changed (design.md 5): old keys open what they sealed, `posthorn reseal` seals all of it again while the service
works, and whoever is killed at whatever moment, every record still opens."""
import contextlib
import ctypes
import ctypes.util
import hashlib
import json
import os
import random
import secrets
import sqlite3
import subprocess
import time

import pytest

from harness import App, Service, clean_environment, cli, database_of, find_binary, follow_return, marker, poll, utc

ON_SQLITE = pytest.mark.skipif(os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres"), reason="writes into the SQLite file")
HEAD, NONCE = 5, 24  # bytes of a sealed record
RECORDS = 12000
KILLS = 25


def new_key(path):
    """Its name, which is in every record that it seals."""
    made = cli("master-key", "create", path)
    assert made.returncode == 0, made.stderr
    assert path.stat().st_mode & 0o777 == 0o600
    return json.loads(made.stdout)["key"]


def keys_found(service):
    """What doctor says of the keys."""
    return next(check for check in json.loads(service.cli("doctor").stdout)["checks"] if check["check"] == "key")


class World:
    """A service with everything that is sealed: a credential, an account, a webhook with two secrets, a connection under way."""

    def __init__(self, directory, sandbox):
        self.directory, self.data, self.sandbox = directory, directory / "data", sandbox
        self.service = None
        self.start()
        self.app = App(self.service).set_credentials("x", "youtube").issue_token()
        self.account = self.app.connect("x").accounts[0]["id"]
        webhook = self.app.post("/v1/webhooks", json={"url": "https://customer.example/hook"})
        assert webhook.status_code == 201, webhook.text
        rotated = self.app.post(f"/v1/webhooks/{webhook.json()['data']['id']}/rotate")
        assert rotated.status_code == 200, rotated.text
        self.begun = self.app.begin("x", user_id="user-2")

    def start(self, *options):
        listen = "127.0.0.1:0"
        if self.service is not None:
            listen = self.service.url.removeprefix("http://")  # callback URLs name it
            if self.service.popen.poll() is None:
                self.service.stop()
        self.options = options
        self.service = Service(self.data, self.sandbox, options, listen=listen)
        with contextlib.suppress(AttributeError):
            self.app.service = self.service

    def reseal(self):
        done = self.service.cli("reseal", *self.options)
        return done, json.loads(done.stdout)

    def publishes(self):
        text = marker("reseal")
        assert self.app.wait_post(self.app.accepted(self.account, text)["post_id"])["status"] == "published"
        assert len(self.sandbox.ledger(text)) == 1


@pytest.fixture
def world(sandbox, tmp_path):
    world = World(tmp_path, sandbox)
    yield world
    if world.service.popen.poll() is None:
        world.service.stop()


def test_a_key_is_changed_and_the_old_one_goes(world):
    old, new = world.data / "master.key", world.directory / "new.key"
    name = new_key(new)
    world.start("--master-key-file", new, "--old-master-key-file", old)
    found = keys_found(world.service)
    assert found["severity"] == "warning" and name in found["message"] and "posthorn reseal" in found["message"]
    texts = {marker("later"): None for _ in range(4)}
    for text in texts:
        texts[text] = world.app.accepted(world.account, text, scheduled_at=utc(2))["post_id"]
    done, sums = world.reseal()
    assert done.returncode == 0, done.stderr
    assert sums["resealed"] >= 6 and sums["unreadable"] == 0
    assert [key["key"] for key in sums["keys"]] == [name] and sums["keys"][0]["master"]
    assert keys_found(world.service)["ok"]
    old.rename(world.directory / "gone.key")
    world.start("--master-key-file", new)
    for text, post_id in texts.items():
        assert world.app.wait_post(post_id)["status"] == "published"
        assert len(world.sandbox.ledger(text)) == 1
    world.publishes()
    assert follow_return(world.app.consent(world.begun)).status_code == 302  # its verifier was sealed before
    assert world.app.accounts_of(world.begun["connection_id"])["status"] == "success"
    assert keys_found(world.service)["ok"]


def test_without_the_old_key_reseal_names_what_is_left(world):
    world.service.stop()
    new = world.directory / "new.key"
    new_key(new)
    done = cli("reseal", "--data", world.data, "--master-key-file", new, environment=database_of(world.data))
    assert done.returncode == 1 and "--old-master-key-file" in done.stderr  # refused as a start is
    world.start("--old-master-key-file", new)  # the first step of several nodes: nothing to seal again yet
    done, sums = world.reseal()
    assert done.returncode == 0 and sums["resealed"] == 0
    world.publishes()


# ---- killed ----

sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))


class Key:
    """As src/seal has it, written a second time."""

    def __init__(self, path):
        self.bytes = bytes.fromhex(path.read_text().strip())
        self.head = b"\x01" + hashlib.blake2b(self.bytes, digest_size=32).digest()[:4]

    def _call(self, function, record_or_text, row_id, nonce):
        place = self.head + b"webhooks\0secret\0" + row_id.encode()
        out = ctypes.create_string_buffer(len(record_or_text) + 16)
        size = ctypes.c_ulonglong()
        size_of = ctypes.c_ulonglong
        if function == "encrypt":
            failed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
                out, ctypes.byref(size), record_or_text, size_of(len(record_or_text)), place, size_of(len(place)), None, nonce, self.bytes)
        else:
            failed = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
                out, ctypes.byref(size), None, record_or_text, size_of(len(record_or_text)), place, size_of(len(place)), nonce, self.bytes)
        assert failed == 0, f"{row_id} does not open"
        return out.raw[:size.value]

    def seal(self, text, row_id):
        nonce = secrets.token_bytes(NONCE)
        return self.head + nonce + self._call("encrypt", text, row_id, nonce)

    def open(self, record, row_id):
        return self._call("decrypt", record[HEAD + NONCE:], row_id, record[HEAD:HEAD + NONCE])


def add_records(data, key):
    """Webhooks, more than any app may have, with secrets that say whose they are."""
    with contextlib.closing(sqlite3.connect(data / "posthorn.db")) as database, database:
        app_id = database.execute("SELECT id FROM apps").fetchone()[0]
        for number in range(RECORDS):
            row_id = f"hook-{number:05}"
            database.execute(
                "INSERT INTO webhooks (id, app_id, url, event_mask, is_enabled, disabled_reason, secret_sealed, old_secret_sealed,"
                " old_secret_until_us, failing_since_us, created_at_us, updated_at_us)"
                " VALUES (?, ?, 'https://a.example', 0, 0, '', ?, X'', 0, 0, 0, 0)",
                (row_id, app_id, key.seal(row_id.encode(), row_id)))


def count_new(data, keys):
    """How many records the new key has sealed; each of them opens with its own."""
    new = 0
    with contextlib.closing(sqlite3.connect(data / "posthorn.db", timeout=10)) as database:
        rows = database.execute("SELECT id, secret_sealed FROM webhooks WHERE id LIKE 'hook-%'").fetchall()
    assert len(rows) == RECORDS
    for row_id, record in rows:
        key = next(key for key in keys if record[:HEAD] == key.head)
        assert key.open(record, row_id) == row_id.encode()
        new += key is keys[0]
    return new


@ON_SQLITE
@pytest.mark.parametrize("who", ["command", "service"])
def test_killed_at_any_moment_every_record_opens(tmp_path, who):
    data, old, new = tmp_path / "data", tmp_path / "data" / "master.key", tmp_path / "new.key"
    with Service(data) as service:
        App(service)
    name = new_key(new)
    keys = [Key(new), Key(old)]
    assert keys[0].head[1:].hex() == name
    add_records(data, keys[1])
    options = ["--master-key-file", str(new), "--old-master-key-file", str(old)]
    command = [find_binary(), "reseal", "--data", str(data), *options]
    dice, seen = random.Random(19), {0}

    def begun(before):
        with contextlib.closing(sqlite3.connect(data / "posthorn.db", timeout=10)) as database:
            heads = database.execute("SELECT COUNT(*) FROM webhooks WHERE substr(secret_sealed, 1, 5) = ?", (keys[0].head,))
            return heads.fetchone()[0] > before

    for _ in range(KILLS):
        service = Service(data, None, options) if who == "service" else None
        popen = subprocess.Popen(command, env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = max(seen)
        poll("a record is sealed again", lambda: begun(before) or popen.poll() is not None, every_s=0.001)
        time.sleep(dice.random() * 0.02)
        if service:
            service.kill()
        popen.kill()
        popen.wait()
        now = count_new(data, keys)
        assert now >= before
        seen.add(now)
        if now == RECORDS:
            break
    assert len([count for count in seen if 0 < count < RECORDS]) >= 3, seen
    done = cli(*command[1:])
    assert done.returncode == 0, done.stderr
    assert count_new(data, keys) == RECORDS
