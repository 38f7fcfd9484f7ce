# SPDX-License-Identifier: Apache-2.0
"""Databases of every past schema (old/NNNN.sql), each as a service left it that was killed with posts on their way: today's program
migrates them, knows all that they knew, and finishes what was begun. Nothing is published twice.

What a database holds, by request_id:
  old-published   on X and on Facebook              old-in-flight  a publish call to X was sent when the service died
  old-failed      refused by X                      old-queued     due, behind it
  old-unknown     failed with OUTCOME_UNKNOWN       old-waiting    between two stages at Instagram
  old-scheduled-N two are to come; the third was cancelled, where the program knew how to

To add the database of a released schema: run its program, kill it in the same state, and dump the file (`.dump`), below the four lines
with which its neighbours begin. The master key is KEY. Instants are moved, so that the service died an hour to a day ago."""
import collections
import ctypes
import json
import pathlib
import re
import sqlite3
import time

import pytest

from harness import App, Sandbox, Service, cli, poll

HERE = pathlib.Path(__file__).resolve().parent
OLD = sorted((HERE / "old").glob("*.sql"))
MIGRATIONS = sorted((HERE.parent.parent / "src/store/migrations").glob("*.sql"))
KEY = bytes(range(1, 33))
SLUGS = ("x", "facebook", "linkedin", "instagram")
TOKENS = {"access_token": "access_token_sealed", "refresh_token": "refresh_token_sealed", "extra_secret": "extra_sealed"}  # of accounts
DAY_US = 86400 * 1000000
OPTIONS = ("--time-scale", "3000", "--mode", "sandbox")
FINAL = {"old-published": "published", "old-failed": "failed", "old-unknown": "failed", "old-scheduled-0": "published",
         "old-scheduled-1": "published", "old-in-flight": "failed", "old-queued": "published", "old-waiting": "failed"}
TEXTS = {"old scheduled 0": 2, "old scheduled 1": 1, "old queued behind it": 1}  # how often they come out


# ---- sealed records (src/seal/seal.c): the tokens of this run's platforms take the place of those of old ----


class Seal:
    HEADER, NONCE, TAG = 5, 24, 16

    def __init__(self, key):
        self.sodium, self.key = ctypes.CDLL("libsodium.so.23"), key
        name = ctypes.create_string_buffer(32)
        self.sodium.crypto_generichash(name, 32, key, ctypes.c_ulonglong(len(key)), None, 0)
        self.header = b"\x01" + name.raw[:4]

    def call(self, function, out_bytes, text, place, nonce, middle):
        out, told = ctypes.create_string_buffer(max(out_bytes, 1)), self.header + b"\0".join(part.encode() for part in place)
        status = getattr(self.sodium, f"crypto_aead_xchacha20poly1305_ietf_{function}")(
            out, None, *middle[0], text, ctypes.c_ulonglong(len(text)), told, ctypes.c_ulonglong(len(told)), *middle[1], nonce, self.key)
        assert status == 0, f"{place}: {function} failed"
        return out.raw[:out_bytes]

    def open(self, record, *place):
        assert record[:self.HEADER] == self.header, "another master key"
        nonce, text = record[self.HEADER:self.HEADER + self.NONCE], record[self.HEADER + self.NONCE:]
        return self.call("decrypt", len(text) - self.TAG, text, place, nonce, ([None], []))

    def close(self, text, *place):
        nonce = time.time_ns().to_bytes(self.NONCE, "big")
        return self.header + nonce + self.call("encrypt", len(text) + self.TAG, text, place, nonce, ([], [None]))


def tokens_of(sandbox, data):
    """{platform and its account: what this run's platforms know it by}: of a service that was connected a moment ago."""
    with Service(data, sandbox) as service:
        app = App(service).set_credentials(*SLUGS).issue_token()
        for slug in SLUGS:
            app.connect(slug)
    columns = ", ".join(TOKENS.values())
    seal, database = Seal(KEY), sqlite3.connect(data / "posthorn.db")
    rows = database.execute(
        f"SELECT platform, platform_account_id, expires_at_us, refresh_expires_at_us, extra, id, {columns} FROM accounts")
    found = {}
    for platform, account, expires, refresh_expires, extra, row_id, *sealed in rows:
        opened = [seal.open(record, "accounts", name, row_id) if record else b"" for name, record in zip(TOKENS, sealed)]
        found[platform, account] = (expires, refresh_expires, extra, opened)
    database.close()
    return found


def give_tokens(database, tokens):
    seal = Seal(KEY)
    for row_id, platform, account in database.execute("SELECT id, platform, platform_account_id FROM accounts").fetchall():
        expires, refresh_expires, extra, opened = tokens[platform, account]
        sealed = [seal.close(text, "accounts", name, row_id) if text else b"" for name, text in zip(TOKENS, opened)]
        database.execute("UPDATE accounts SET expires_at_us = ?, refresh_expires_at_us = ?, extra = ?, access_token_sealed = ?,"
                         " refresh_token_sealed = ?, extra_sealed = ? WHERE id = ?", (expires, refresh_expires, extra, *sealed, row_id))


# ---- the old database ----


def move_instants(database):
    """By whole days, so that days counted stay days."""
    died_us = database.execute("SELECT MAX(created_at_us) FROM posts").fetchone()[0]
    days = (time.time_ns() // 1000 - 3600 * 1000000 - died_us) // DAY_US
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    for table in tables:
        for _, column, *_ in database.execute(f"PRAGMA table_info({table})").fetchall():
            if column.endswith("_us"):
                database.execute(f"UPDATE {table} SET {column} = {column} + ? WHERE {column} BETWEEN 1 << 50 AND 1 << 60", (days * DAY_US,))
    database.execute("UPDATE meta SET number = number + ? WHERE name = 'epoch_at_us'", (days * DAY_US,))
    database.execute("UPDATE counters SET bucket = bucket + ? WHERE scale = 0", (days,))


def write_epoch(database, data):
    """What the service had written beside its database, where it had a guard."""
    meta = dict(database.execute("SELECT name, number FROM meta"))
    if "epoch_number" in meta:
        (data / "epoch").write_text(f"posthorn-epoch 1 {meta['epoch_number']} {meta['epoch_at_us']} {meta['epoch_lineage']}\n")


class OldDatabase:
    def __init__(self, path, data, tokens, media):
        text = path.read_text()
        self.client_id, self.client_secret = (re.search(rf"^-- {word} (\S+)$", text, re.M)[1] for word in ("client_id", "client_secret"))
        data.mkdir(mode=0o700, exist_ok=True)
        write_key(data)
        database = sqlite3.connect(data / "posthorn.db")
        database.executescript(text.replace("http://media.example", media.url))
        move_instants(database)
        give_tokens(database, tokens)
        write_epoch(database, data)
        database.commit()
        self.posts = {name: (post_id, status) for name, post_id, status in database.execute("SELECT request_id, id, status FROM posts")}
        self.accounts = {row_id for row_id, in database.execute("SELECT id FROM accounts")}
        self.has_events = database.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'events'").fetchone()[0] > 0
        self.events = [row_id for row_id, in database.execute("SELECT id FROM events ORDER BY seq")] if self.has_events else []
        database.close()

    def app(self, service):
        """The app of old, as its owner goes on with it."""
        app = App.__new__(App)
        app.service, app.client_id, app.client_secret = service, self.client_id, self.client_secret
        return app.issue_token()


def write_key(data):
    data.mkdir(mode=0o700, exist_ok=True)
    (data / "master.key").write_text(KEY.hex() + "\n")
    (data / "master.key").chmod(0o600)


# ---- what must be true ----


def check_counters(data):
    """Each counter is the number of posts that it counts."""
    database = sqlite3.connect(f"file:{data / 'posthorn.db'}?mode=ro", uri=True)
    wanted = collections.Counter()
    for app_id, status, ordinal, date_us in database.execute("SELECT app_id, status, ordinal, date_us FROM posts"):
        for scale, bucket in enumerate((date_us // DAY_US, ordinal // 128, ordinal // 8192)):
            wanted[app_id, scale, status, bucket] += 1
    rows = database.execute("SELECT app_id, scale, status, bucket, count FROM counters WHERE count <> 0").fetchall()
    assert {tuple(row[:4]): row[4] for row in rows} == dict(wanted)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert database.execute("SELECT MAX(number) FROM schema_migrations").fetchone() == (len(MIGRATIONS),)
    database.close()


def check_posts(app, old):
    listed = app.list(per_page=100)
    assert {post["request_id"]: post["id"] for post in listed["data"]} == {name: post_id for name, (post_id, _) in old.posts.items()}
    for status in ("pending", "scheduled", "published", "failed"):
        assert app.list(status=status)["meta"]["total"] == sum(post["status"] == status for post in listed["data"])
    shown = {post["request_id"]: post for post in listed["data"]}
    wanted = {**FINAL, "old-scheduled-2": "failed" if old.posts["old-scheduled-2"][1] == "failed" else "published"}
    assert {name: post["status"] for name, post in shown.items()} == wanted
    code = {name: post["platform_posts"][0]["error"]["code"] for name, post in shown.items() if post["status"] == "failed"}
    assert code["old-failed"] == "DUPLICATE_CONTENT"
    assert code["old-unknown"] == code["old-in-flight"] == "OUTCOME_UNKNOWN", "it was sent, and this run's X never saw it"
    assert code["old-waiting"] == "PLATFORM_UNAVAILABLE", "this run's Instagram does not know the container"
    stages = [row["stage"] for row in app.get(f"/v1/posts/{old.posts['old-waiting'][0]}/timeline").json()["data"]]
    assert stages.count("container") == 1 and stages[-1] == "poll", "it goes on where it stopped"
    assert code.get("old-scheduled-2", "CANCELLED") == "CANCELLED"


def check_ledger(sandbox, old):
    seen = collections.Counter(entry["text"] for entry in sandbox.ledger())
    wanted = dict(TEXTS)
    if old.posts["old-scheduled-2"][1] == "scheduled":
        wanted["old scheduled 2"] = 1
    assert dict(seen) == wanted


def check_events(app, old):
    answer = app.get("/v1/events", params={"limit": 100})
    assert answer.status_code == 200, answer.text
    ids = [event["id"] for event in answer.json()["data"]]
    assert ids[:len(old.events)] == old.events and len(ids) > len(old.events)


def check_goes_on(service, sandbox, old):
    """All that the database holds is known, what was begun is finished, and more can come."""
    app = old.app(service)
    accounts = app.get("/v1/accounts", params={"per_page": 100}).json()["data"]
    assert {account["id"] for account in accounts} == old.accounts
    assert {account["status"] for account in accounts} == {"active"}
    poll("all are final", lambda: {post["status"] for post in app.list(per_page=100)["data"]} <= {"published", "failed"})
    check_posts(app, old)
    check_ledger(sandbox, old)
    check_events(app, old)
    if old.has_events:
        assert [hook["url"] for hook in app.get("/v1/webhooks").json()["data"]] == ["https://127.0.0.1:9/hook"]
    app.published(app.account("x", "user-1"), "new beside the old")


@pytest.mark.parametrize("path", OLD, ids=[path.stem for path in OLD])
def test_an_old_database_goes_on(path, tmp_path, media):
    reference, data = tmp_path / "reference", tmp_path / "data"
    write_key(reference)
    with Sandbox() as sandbox:
        old = OldDatabase(path, data, tokens_of(sandbox, reference), media)
        with Service(data, sandbox, OPTIONS) as service:
            check_goes_on(service, sandbox, old)
        check_counters(data)


def test_no_old_database_is_missing():
    """Schemas that no release had need none."""
    assert [int(path.stem) for path in OLD][:8] == list(range(1, 9))
    assert [path.name for path in OLD if path.stat().st_size > 60000] == []


def test_the_first_admin_with_a_password_becomes_root(tmp_path):
    """Before, every admin managed all others: now the oldest who can sign in does, and the owner of an app who cannot is older still."""
    data = tmp_path / "data"
    write_key(data)
    database = sqlite3.connect(data / "posthorn.db")
    database.executescript(OLD[0].read_text().replace("http://media.example", "http://127.0.0.1"))
    oldest = database.execute("SELECT MIN(created_at_us) FROM admins").fetchone()[0]
    for n, email in ((2, "later@old.example"), (1, "first@old.example")):
        database.execute("INSERT INTO admins VALUES (?, ?, 'hash', ?)", (f"id-{n}", email, oldest + n))
    database.commit()
    database.close()
    done = cli("admin", "list", "--data", data, "--mode", "live")
    assert done.returncode == 0, done.stderr
    roles = {row["email"]: row["role"] for row in json.loads(done.stdout)["data"]}
    assert roles == {"owner@old.example": "owner", "first@old.example": "root", "later@old.example": "owner"}
