#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench tables`: a PostgreSQL database with ten million deliveries, each with its timeline and its event. What a page of the list, a
post, a claim and the removal of old rows take there, beside the same on the database before it was filled. The rows are written
from a few real ones; autovacuum and fsync are on. Takes half an hour and 25 GB below TMPDIR. Prints; docs/postgres.md holds what was
printed. Not a test."""
import argparse
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "api"), str(ROOT / "tests" / "postgres")]

from checker import WATCH  # noqa: E402 - from the folders named above
from cluster import Cluster  # noqa: E402
from harness import App, marker  # noqa: E402
from postgres_server import programs  # noqa: E402

ACCOUNTS = 10  # of each post
OWNERS = 1000  # users, with so many accounts each
DAY_US = 86400 * 1000000
DAYS = 60
CHUNK = 250000  # deliveries written at once
BURST = 400  # posts for at once
SETTINGS = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "'512MB'", "max_wal_size": "'4GB'",
            "maintenance_work_mem": "'256MB'"}


class Tables:
    def __init__(self, server, url):
        self.server, self.name = server, url.rsplit("/", 1)[1]

    def sql(self, text):
        command = [str(programs() / "psql"), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
                   "-p", str(self.server.port), "-U", "posthorn", "-d", self.name, "-c", text]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def clone(self, table, base, given, first, last):
        """Rows like the one that base finds, for n from first to last; given: SQL for columns, of n and of the row b."""
        columns = self.sql("SELECT column_name FROM information_schema.columns WHERE table_schema = 'public'"
                           f" AND table_name = '{table}' ORDER BY ordinal_position").split()
        kept = [name for name in columns if given.get(name, "") is not None]
        values = ", ".join(given.get(name, f"b.{name}") for name in kept)
        self.sql(f"INSERT INTO {table} ({', '.join(kept)}) SELECT {values} FROM generate_series({first}::bigint, {last}) n,"
                 f" (SELECT * FROM {table} WHERE {base} LIMIT 1) b")


def fill(tables, app, post_id, deliveries):
    """Ten deliveries to a post; of ten posts nine are published and one has failed. n counts deliveries, and up with time."""
    posts = deliveries // ACCOUNTS
    now = int(time.time() * 1000000)
    account_id = tables.sql(f"SELECT account_id FROM deliveries WHERE post_id = '{post_id}' LIMIT 1")

    def uuid(kind, n):
        return f"('{kind:08x}-0000-7000-8000-' || lpad(to_hex({n}), 12, '0'))"

    def created(n, count):
        return f"({now} - {DAYS * DAY_US} + {n} * {DAYS * DAY_US // count})"

    post, failed = "(n / 10)", "(n / 10) % 10 = 7"
    owner = f"(n / 10) % {OWNERS} * {ACCOUNTS} + n % 10"
    tables.clone("accounts", f"id = '{account_id}'", {"id": uuid(1, "n"), "user_id": f"'user-' || n / {ACCOUNTS}",
                 "platform_account_id": "'p' || n", "username": "'baker' || n"}, 0, OWNERS * ACCOUNTS - 1)
    tables.clone("lanes", f"account_id = '{account_id}'", {"account_id": uuid(1, "n"), "busy_delivery_id": "''", "shared_id": "''"},
                 0, OWNERS * ACCOUNTS - 1)
    began = time.monotonic()
    for first in range(0, deliveries, CHUNK):
        last = min(first + CHUNK, deliveries) - 1
        tables.clone("posts", f"id = '{post_id}'", {
            "id": uuid(2, "n"), "ordinal": "b.ordinal + 1 + n", "request_id": "'bench-' || n",
            "external_user_id": f"'user-' || n % {OWNERS}",
            "state": "CASE WHEN n % 10 = 7 THEN 'failed' ELSE 'published' END",
            "status": "CASE WHEN n % 10 = 7 THEN 'failed' ELSE 'published' END",
            "created_at_us": created("n", posts), "date_us": created("n", posts)}, first // ACCOUNTS, last // ACCOUNTS)
        tables.clone("deliveries", f"post_id = '{post_id}'", {
            "id": uuid(3, "n"), "post_id": uuid(2, post), "ordinal": "(n % 10)::int", "post_ordinal": f"b.post_ordinal + 1 + {post}",
            "account_id": uuid(1, owner), "state": f"CASE WHEN {failed} THEN 'failed' ELSE 'published' END",
            "published_at_us": f"CASE WHEN {failed} THEN 0 ELSE {created('n', deliveries)} END",
            "failed_at_us": f"CASE WHEN {failed} THEN {created('n', deliveries)} ELSE 0 END",
            "remote_id": f"CASE WHEN {failed} THEN '' ELSE 'r' || n END",
            "url": f"CASE WHEN {failed} THEN '' ELSE 'https://facebook.example/r' || n END",
            "error_code": f"CASE WHEN {failed} THEN 'CONTENT_REJECTED' ELSE '' END"}, first, last)
        tables.clone("timeline", f"delivery_id IN (SELECT id FROM deliveries WHERE post_id = '{post_id}')",
                     {"delivery_id": uuid(3, "n"), "at_us": created("n", deliveries)}, first, last)
        tables.clone("events", f"post_id = '{post_id}'", {
            "seq": None, "id": uuid(4, "n"), "subject_id": uuid(3, "n"), "post_id": uuid(2, post), "due_at_us": "0",
            "created_at_us": created("n", deliveries)}, first, last)
        print(f"  {last + 1:,} deliveries after {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    tables.sql(f"UPDATE app_work SET last_ordinal = last_ordinal + 1 + {posts} WHERE app_id = '{app.client_id}'")
    tables.sql("VACUUM ANALYZE")
    return time.monotonic() - began


def took_ms(ask):
    times = []
    for _ in range(7):
        begin = time.monotonic()
        ask()
        times.append((time.monotonic() - begin) * 1000)
    return statistics.median(times[1:])


def burst(app, accounts):
    """Posts for at once, one to each account in turn: from the last acceptance until the last is out."""
    posts = [app.accepted(accounts[i % len(accounts)], f"burst {i}", request_id=marker("burst"))["post_id"] for i in range(BURST)]
    begin = time.monotonic()
    for post_id in posts:
        app.wait_post(post_id)
    return time.monotonic() - begin


def measure(word, app, post_id, posts, accounts):
    pages = {"the first page of the list": "/v1/posts?per_page=20", "the first page of what failed": "/v1/posts?status=failed&per_page=20",
             "a page in the middle": f"/v1/posts?per_page=20&page={max(1, posts // 40)}",
             "the first page of one account": f"/v1/posts?per_page=20&account_id={accounts[0]}",
             "a post": f"/v1/posts/{post_id}", "its timeline": f"/v1/posts/{post_id}/timeline"}
    print(f"{word}:", flush=True)
    for name, path in pages.items():
        print(f"  {name}: {took_ms(lambda path=path: app.get(path)):.1f} ms", flush=True)
    print(f"  {BURST} posts for at once over {len(accounts)} accounts: the last is out {burst(app, accounts):.1f} s after", flush=True)


def watch_removal(tables, cluster, days):
    """Rows of the timeline and events that are older, a minute long."""
    limit = int((time.time() - days * 86400) * 1000000)

    def left():
        return int(tables.sql(f"SELECT (SELECT COUNT(*) FROM timeline WHERE at_us < {limit}) +"
                              f" (SELECT COUNT(*) FROM events WHERE created_at_us < {limit})"))
    before = left()
    node = cluster.nodes["first"]
    node.options = ["--keep-timeline", str(days), "--keep-events", str(days)]
    node = node.again()
    begin = time.monotonic()
    time.sleep(60)
    took = time.monotonic() - begin
    rest = left()
    node.stop()
    print(f"  old rows: {(before - rest) / took:,.0f} removed a second; {rest:,} of {before:,} were left after a minute", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench")
    parser.add_argument("--deliveries", type=int, default=10000000)
    options = parser.parse_args()
    with Cluster(time_scale=20, settings=SETTINGS) as cluster:
        tables = Tables(cluster.server, cluster.url)
        node = cluster.start("first")
        WATCH.remove(node.url)
        app = App(cluster).set_credentials("facebook").issue_token()
        accounts = [app.account("facebook", f"burst-{i}") for i in range(40)]
        tables.sql("UPDATE lanes SET shared_id = ''")  # at the sandbox they are the same Page: here they are different ones
        post = app.published(accounts[0], "The oven is warm", request_id=marker("base"))
        measure("before", app, post["id"], 0, accounts)
        node.stop()
        took = fill(tables, app, post["id"], options.deliveries)
        size = int(tables.sql("SELECT pg_database_size(current_database())"))
        posts = options.deliveries // ACCOUNTS
        print(f"filled: {options.deliveries:,} deliveries, their timeline and events, {posts:,} posts in {took:.0f} s, {size / 1e9:.1f} GB",
              flush=True)
        begin = time.monotonic()
        node.cli("doctor", "--repair")
        print(f"  counted again in {time.monotonic() - begin:.0f} s", flush=True)
        cluster.restart("first")
        WATCH.remove(cluster.nodes["first"].url)
        measure("after", app, post["id"], posts, accounts)
        cluster.nodes["first"].stop()
        watch_removal(tables, cluster, DAYS - 20)


if __name__ == "__main__":
    main()
