# SPDX-License-Identifier: Apache-2.0
"""What a node must agree with before it joins others on one database: their master key and their mode (design.md 5)."""
import re
import secrets

import pytest

from cluster import Cluster
from harness import cli, marker, poll, utc

POSTS = 6
HEAD_BYTES = 5  # how a sealed record begins, with the key's id


@pytest.fixture
def cluster():
    with Cluster() as cluster:
        cluster.start("a")
        yield cluster


def refused(cluster, word, key, *options, sandbox=True):
    """The one line with which a node of that key is refused."""
    path = cluster.directory / f"{key or 'master'}.key"
    if not path.exists():
        path.write_text(secrets.token_hex(32) + "\n")
        path.chmod(0o600)
    options = [*options, *(["--sandbox", cluster.sandbox.url] if sandbox else [])]
    done = cli(word, "--data", cluster.directory / f"refused-{key}", "--listen", "127.0.0.1:0", "--master-key-file", path, *options,
               environment={"POSTHORN_DATABASE": cluster.url})
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("posthorn: ") and "made a new" not in line]
    assert len(lines) == 1, done.stderr
    return lines[0]


def scheduled(app, ahead_s):
    account = app.connect("x").accounts[0]["id"]
    texts = [marker("node") for _ in range(POSTS)]
    return {text: app.accepted(account, text, scheduled_at=utc(ahead_s))["post_id"] for text in texts}


def all_published_once(app, posts):
    poll("every post is published", lambda: all(app.show(post)["status"] == "published" for post in posts.values()))
    for text in posts:
        assert len(app.service.sandbox.ledger(text)) == 1


def test_a_node_with_another_key_is_refused(cluster):
    refused(cluster, "serve", "other")  # also before there is any secret
    app = cluster.app("x")
    posts = scheduled(app, 4)
    for word in ("serve", "worker"):
        line = refused(cluster, word, "other")
        assert len(set(re.findall(r"\b[0-9a-f]{8}\b", line))) == 2 and "other.key" in line
    all_published_once(app, posts)


def test_nodes_that_meet_a_record_of_another_key_fail_no_post(cluster):
    cluster.start("b")
    app = cluster.app("x")
    posts = scheduled(app, 5)
    head = cluster.sql(f"SELECT encode(substr(access_token_sealed, 1, {HEAD_BYTES}), 'hex') FROM accounts").strip()

    def write_head(text):
        cluster.sql("UPDATE accounts SET access_token_sealed = decode('" + text +
                    f"', 'hex') || substr(access_token_sealed, {HEAD_BYTES + 1})")

    write_head("01aabbccdd")
    poll("a node is not ready", lambda: 503 in [node.request("GET", "/readyz").status_code for node in cluster.nodes.values()])
    assert not {app.show(post)["status"] for post in posts.values()} & {"failed", "published"}
    assert "aabbccdd" in refused(cluster, "serve", None)
    write_head(head)
    for name in ("a", "b"):
        cluster.nodes[name].stop()
        cluster.restart(name)
    all_published_once(app, posts)
    assert not [line for node in cluster.nodes.values() for line in node.stderr().splitlines() if "delivery_failed" in line]


def test_nodes_are_of_one_mode(cluster):
    assert "--change-mode" in refused(cluster, "serve", None, sandbox=False)
    assert "other nodes" in refused(cluster, "worker", None, "--change-mode", sandbox=False)


def test_an_empty_database_does_not_take_the_place_of_one_that_ran_here(cluster):
    data = cluster.nodes["a"].data
    cluster.nodes["a"].stop()
    done = cli("serve", "--data", data, "--listen", "127.0.0.1:0", "--sandbox", cluster.sandbox.url, "--master-key-file",
               cluster.directory / "master.key", environment={"POSTHORN_DATABASE": cluster.server.new_database()})
    assert done.returncode == 1 and "epoch" in done.stderr and "Put it back" in done.stderr
    cluster.restart("a")
