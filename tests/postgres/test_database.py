# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL as people run it: roles that weaken durability, poolers, networks that swallow everything, copied data directories, a
pg_dump put back. One node each, two where it takes two."""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import threading
import time

import pytest
import requests

from cluster import Cluster
from drop_proxy import DropProxy
from harness import cli, marker, poll
from postgres_server import PostgresServer, free_port, programs

# docs/postgres.md, "When something fails": a request is answered within so long, whatever the database does.
REQUEST_LIMIT_S = 20
SWALLOW_S = 26


def name_of(url):
    return url.rsplit("/", 1)[1]


# ---- what a 202 rests on ----


def test_accepted_is_durable_where_the_database_is_set_otherwise():
    """The log of a server with synchronous_commit off reaches its files seconds later."""
    with Cluster(time_scale=20, settings={"wal_writer_delay": "10000ms", "fsync": "on", "full_page_writes": "on"}) as cluster:
        cluster.sql(f"ALTER DATABASE {name_of(cluster.url)} SET synchronous_commit = off")
        cluster.sql("ALTER ROLE posthorn SET synchronous_commit = off")
        node = cluster.start("api", "--no-deliver")
        app = cluster.app("facebook")
        account = app.account("facebook")
        accepted = [app.accepted(account, marker())["post_id"] for _ in range(30)]
        cluster.server.kill()
        cluster.server.start()
        kept = set(cluster.sql("SELECT id FROM posts").split())
        assert [post_id for post_id in accepted if post_id not in kept] == []
        checks = {check["check"]: check for check in json.loads(node.cli("doctor").stdout)["checks"]}
        assert checks["integrity"]["ok"], checks["integrity"]


def test_a_server_that_does_not_sync_is_named():
    with Cluster(time_scale=20, settings={"fsync": "off", "full_page_writes": "off"}) as cluster:
        node = cluster.start("node")
        assert "database_not_durable" in node.stderr() and "fsync" in node.stderr()
        found = [check for check in json.loads(node.cli("doctor").stdout)["checks"] if "fsync" in check["message"]]
        assert [(check["check"], check["severity"]) for check in found] == [("integrity", "warning")], found
        assert "full_page_writes" in found[0]["message"]


def test_the_keyword_form_gets_the_form_that_works(tmp_path):
    done = cli(
        "serve",
        "--data",
        tmp_path /
        "data",
        environment={
            "POSTHORN_DATABASE": "host=db.internal dbname=posthorn password=pa55word"})
    assert done.returncode == 2
    assert "postgres://USER@HOST:PORT/NAME" in done.stderr and "pa55word" not in done.stderr


# ---- poolers ----


class Bouncer:
    """A PgBouncer in front of the server; POSTHORN_PGBOUNCER names another program than the one on the path."""

    def __init__(self, server, mode):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="posthorn-bouncer-"))
        self.port = free_port()
        config = self.directory / "pgbouncer.ini"
        config.write_text(f"[databases]\n* = host=127.0.0.1 port={server.port} user=posthorn\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
                          f"listen_port = {self.port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 40\n"
                          f"ignore_startup_parameters = extra_float_digits\n", encoding="ascii")
        if os.getuid() == 0:
            user = pwd.getpwnam("nobody")
            for path in (self.directory, config):
                os.chown(path, user.pw_uid, user.pw_gid)
        words = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.getuid() == 0 else []
        with open(self.directory / "log", "wb") as log:
            self.popen = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *words[1:], bouncer_program(), str(config)], stdout=log,
                                          stderr=log, cwd="/")
        poll("PgBouncer listens", lambda: self.answers(), timeout_s=20)

    def answers(self):
        ready = [str(programs() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        assert self.popen.poll() is None, (self.directory / "log").read_text(errors="replace")
        return subprocess.run(ready, check=False).returncode == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.popen.kill()
        self.popen.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def bouncer_program():
    return os.environ.get("POSTHORN_PGBOUNCER") or shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")


needs_bouncer = pytest.mark.skipif(bouncer_program() is None, reason="no PgBouncer: install the package pgbouncer")


@needs_bouncer
@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_shares_sessions_is_refused_by_name(mode):
    with Cluster() as cluster, Bouncer(cluster.server, mode) as bouncer:
        url = cluster.url.replace(f":{cluster.server.port}/", f":{bouncer.port}/")
        for _ in range(2):
            done = cli("serve", "--data", cluster.directory / "pooled", "--listen", "127.0.0.1:0", environment={"POSTHORN_DATABASE": url})
            assert done.returncode == 1, done.stderr
            assert "pooler" in done.stderr and "PgBouncer" in done.stderr and "pool_mode = session" in done.stderr, done.stderr


@needs_bouncer
def test_a_pooler_in_session_mode_works():
    with Cluster(time_scale=20) as cluster, Bouncer(cluster.server, "session") as bouncer:
        cluster.urls["pooled"] = cluster.url.replace(f":{cluster.server.port}/", f":{bouncer.port}/")
        cluster.start("pooled")
        cluster.start("beside")
        app = cluster.app("facebook")
        for _ in range(4):
            assert app.published(app.account("facebook"), marker())["status"] == "published"
        cluster.nodes.pop("pooled").stop()


# ---- the URL is libpq's ----


def make_certificate(data):
    """A certificate of 127.0.0.1 that is its own authority, for the server in this directory."""
    done = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                           "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", data / "server.key",
                           "-out", data / "server.crt"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    owner = data.stat()
    for name in ("server.key", "server.crt"):
        os.chown(data / name, owner.st_uid, owner.st_gid)
        os.chmod(data / name, 0o600)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_hosts_tls_and_a_file_of_passwords(tmp_path):
    """Nobody listens on the first host, the second is a replica; the third is the one that takes writes, by TLS and with a password."""
    server = PostgresServer({"ssl": "on", "ssl_cert_file": "'server.crt'", "ssl_key_file": "'server.key'"})
    make_certificate(server.data)
    hba = server.data / "pg_hba.conf"
    hba.write_text("hostssl all guarded 127.0.0.1/32 scram-sha-256\nhostnossl all guarded 127.0.0.1/32 reject\n" + hba.read_text())
    with Cluster(time_scale=20, server=server.start()) as cluster:
        name = name_of(cluster.url)
        cluster.sql("CREATE ROLE guarded LOGIN PASSWORD 'a:pass'")
        cluster.sql(f"ALTER DATABASE {name} OWNER TO guarded")
        replica = server.make_replica().start()
        try:
            passfile = tmp_path / "passwords"
            passfile.write_text("127.0.0.1:*:*:guarded:a\\:pass\n")
            passfile.chmod(0o600)
            hosts = f"127.0.0.1:{free_port()},127.0.0.1:{replica.port},127.0.0.1:{server.port}"
            cluster.urls["guarded"] = (f"postgres://guarded@{hosts}/{name}?sslmode=verify-full&sslrootcert={server.data}/server.crt"
                                       f"&passfile={passfile}&target_session_attrs=read-write")
            cluster.start("guarded")
            app = cluster.app("facebook")
            assert app.published(app.account("facebook"), marker())["status"] == "published"
            counts = cluster.sql("SELECT count(*), count(*) FILTER (WHERE s.ssl) FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid)"
                                 " WHERE a.usename = 'guarded'").split("|")
            assert counts[0] == counts[1] != "0", "every session is encrypted, and there are some"
            checks = {check["check"]: check for check in json.loads(cluster.nodes["guarded"].cli("doctor").stdout)["checks"]}
            assert "a question to PostgreSQL and its answer take" in checks["distance"]["message"], checks["distance"]
            cluster.nodes.pop("guarded").stop()
        finally:
            replica.remove()


# ---- a network that swallows everything ----


def timed(ask):
    """Which request, what came of it (a status), and how long it took."""
    begin = time.monotonic()
    try:
        status = ask().status_code
    except requests.RequestException as problem:
        status = type(problem).__name__
    return ask.__name__, status, round(time.monotonic() - begin, 1)


def test_a_database_that_hangs_holds_no_request():
    with Cluster(time_scale=20) as cluster:
        wire = DropProxy(cluster.server.port)
        try:
            cluster.urls["node"] = cluster.url.replace(f":{cluster.server.port}/", f":{wire.port}/")
            node = cluster.start("node")
            app, other = cluster.app("facebook"), cluster.app("x")
            account, text = app.account("facebook"), marker()
            answers, until = [], time.monotonic() + SWALLOW_S
            headers = {"Authorization": f"Bearer {app.token}"}
            body = {"account_ids": [account], "content": text}

            def ask(send):
                while time.monotonic() < until:
                    answers.append(timed(send))

            def publish():
                return requests.post(f"{node.url}/v1/posts/publish", json=body, headers=headers, timeout=60)

            def read():
                return requests.get(f"{node.url}/v1/posts", headers=headers, timeout=60)

            def token():
                return requests.post(f"{node.url}/v1/oauth/token", data={"grant_type": "client_credentials"},
                                     auth=(other.client_id, other.client_secret), timeout=60)

            threads = [threading.Thread(target=ask, args=(send,)) for send in [publish] * 2 + [read] * 2 + [token]]
            for thread in threads:
                thread.start()
            time.sleep(0.5)
            wire.drop()
            for thread in threads:
                thread.join()
            assert not [each for each in answers if each[2] > REQUEST_LIMIT_S], answers
            assert 503 in {each[1] for each in answers}, answers
            wire.heal()
            poll("the node works again", lambda: publish().status_code == 202, timeout_s=REQUEST_LIMIT_S)
            assert app.published(account, marker())["status"] == "published"
        finally:
            wire.close()


# ---- one node's directory, twice ----


def copy_of(cluster, name, copy):
    shutil.copytree(cluster.directory / name, cluster.directory / copy, ignore=shutil.ignore_patterns("*.sock"))


def id_of(node):
    return (node.data / "node").read_text().split()[0]


def test_a_copied_directory_is_another_node():
    with Cluster(time_scale=20) as cluster:
        first = cluster.start("first")
        cluster.sandbox.fault("facebook", "POST", "/v25.0/*/feed", "slow", retry_after=1, times=20)
        app = cluster.app("facebook")
        accounts = [row["id"] for row in app.connect("facebook").accounts]
        posts = {text: app.accepted(accounts[i % len(accounts)], text)["post_id"] for i, text in enumerate(marker() for _ in range(30))}
        copy_of(cluster, "first", "second")
        second = cluster.start("second")
        more = {text: app.accepted(accounts[i % len(accounts)], text)["post_id"] for i, text in enumerate(marker() for _ in range(30))}
        for post_id in {**posts, **more}.values():
            assert app.wait_post(post_id, 90)["status"] == "published"
        texts = [entry["text"] for entry in cluster.sandbox.ledger()]
        assert all(texts.count(text) == 1 for text in {**posts, **more}), "doubled or lost"
        assert id_of(first) != id_of(second)
        assert "node_is_a_copy" in second.stderr()
        assert "node_not_heard" not in first.stderr() + second.stderr()
        kept = id_of(first)
        cluster.kill("first")
        cluster.restart("first")
        assert id_of(cluster.nodes["first"]) == kept, "a node that starts again keeps its id"
        assert "node_is_a_copy" not in cluster.nodes["first"].stderr()


def test_a_node_whose_id_is_used_elsewhere_ends():
    """Its directory was put on another machine while it slept: whoever came last has the id."""
    with Cluster(time_scale=20) as cluster:
        node = cluster.start("node")
        cluster.sql(f"UPDATE nodes SET started_at_us = started_at_us + 1000000 WHERE id = '{id_of(node)}'")
        assert node.popen.wait(timeout=30) == 1
        assert "another process" in node.stderr().splitlines()[-1]
        cluster.restart("node")
        assert "node_is_a_copy" in cluster.nodes["node"].stderr()


# ---- put back ----


def run_tool(cluster, program, *words, **more):
    command = [str(programs() / program), "-h", "127.0.0.1", "-p", str(cluster.server.port), "-U", "posthorn", *words]
    return subprocess.run(command, check=True, capture_output=True, **more).stdout


def put_back(cluster, dump):
    """As one does it under a service that runs: into a database of its own, which then takes the name."""
    name = name_of(cluster.url)
    cluster.server.sql("CREATE DATABASE put_back")
    run_tool(cluster, "psql", "-X", "-q", "put_back", input=dump)
    cluster.server.sql(f"DROP DATABASE {name} WITH (FORCE)")
    cluster.server.sql(f"ALTER DATABASE put_back RENAME TO {name}")


def let_a_minute_pass(cluster):
    """The minute for calls that may be in flight (docs/adr/0010)."""
    for table, column in (("deliveries", "due_at_us"), ("lanes", "next_due_us"), ("app_work", "next_due_us")):
        cluster.sql(f"UPDATE {table} SET {column} = {column} - 60000000 WHERE {column} < 4000000000000000")


@pytest.mark.parametrize("is_running", [False, True], ids=["stopped", "running"])
def test_a_young_dump_put_back_is_noticed(media, is_running):
    """The epoch is the same, since it is raised once a minute only."""
    with Cluster(time_scale=200) as cluster:
        node = cluster.start("node")
        app = cluster.app("instagram", "facebook", "youtube")
        posts = {}
        for _ in range(4):
            for slug, more in (("instagram", {"media": [media.image()]}), ("facebook", {"media": [media.image()]}),
                               ("youtube", {"media": [media.clip()]})):
                text = marker()
                posts[text] = app.accepted(app.account(slug), text, scheduled_at=soon(8), **more)["post_id"]
        dump = run_tool(cluster, "pg_dump", name_of(cluster.url))
        for post_id in posts.values():
            assert app.wait_post(post_id)["status"] == "published"
        if not is_running:
            cluster.kill("node")
        put_back(cluster, dump)
        if not is_running:
            cluster.restart("node")
            node = cluster.nodes["node"]
        poll("it is noticed", lambda: "database_restored" in node.stderr(), timeout_s=40)
        let_a_minute_pass(cluster)
        held = poll("the platforms were asked", lambda: settled(cluster), timeout_s=60)
        texts = [entry["text"] for entry in cluster.sandbox.ledger()]
        assert all(texts.count(text) == 1 for text in posts), "doubled"
        states = [app.show(post_id)["status"] for post_id in posts.values()]
        assert "failed" not in states, states
        print("held for the operator:", held)


def test_what_nothing_shows_is_said_by_hand():
    """A server that was rolled back whole, with the directories of its nodes."""
    with Cluster(time_scale=200) as cluster:
        node = cluster.start("node")
        app = cluster.app("facebook")
        text = marker()
        post_id = app.accepted(app.account("facebook"), text, scheduled_at=soon(20))["post_id"]
        refused = node.cli("restore", "--mark")
        assert refused.returncode == 1 and "stop" in refused.stderr, refused.stderr
        other = cluster.start("other", word="worker")
        node.stop()
        refused = node.cli("restore", "--mark")
        assert refused.returncode == 1 and "is at work on this database: stop every node first" in refused.stderr, refused.stderr
        other.stop()
        marked = node.cli("restore", "--mark")
        assert (marked.returncode, marked.stdout) == (0, '{"marked":true}\n'), marked.stderr
        assert cluster.sql("SELECT state FROM deliveries") == "scheduled", "this machine is too slow for the test"
        due = "SELECT count(*) FROM deliveries WHERE due_at_us / 1000000 < extract(epoch FROM now())"
        poll("it is due", lambda: cluster.sql(due) == "1", timeout_s=40)
        cluster.restart("node")
        node = cluster.nodes["node"]
        assert "database_restored" in node.stderr()
        poll("the platform was asked", lambda: settled(cluster), timeout_s=60)
        assert cluster.sql("SELECT state FROM holds") == "2" and app.show(post_id)["status"] == "retrying"
        assert cluster.sandbox.ledger() == []


def settled(cluster):
    """Nothing is being asked about any more, and what is left is held."""
    asking = cluster.sql("SELECT count(*) FROM holds h JOIN deliveries d ON d.id = h.delivery_id WHERE h.state = 1 AND d.is_final = 0")
    return cluster.sql("SELECT count(*) || ' held' FROM holds WHERE state = 2") if asking == "0" else None


def soon(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


# ---- programs of two ages ----


def test_a_node_too_old_for_the_database_ends():
    with Cluster(time_scale=20) as cluster:
        node = cluster.start("node")
        cluster.sql("INSERT INTO schema_migrations (number, name) VALUES (9000, 'future')")
        time.sleep(6)
        assert node.popen.poll() is None, "a newer schema alone is no reason"
        cluster.sql("INSERT INTO meta (name, number) VALUES ('oldest_program', 9000)"
                    " ON CONFLICT (name) DO UPDATE SET number = excluded.number")
        assert node.popen.wait(timeout=30) == 1
        last = node.stderr().splitlines()[-1]
        assert "9000" in last and "newer" in last, last
