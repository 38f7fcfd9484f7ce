# SPDX-License-Identifier: Apache-2.0
"""Nodes change their master key in turn and never stop together (docs/operations.md, "The master key")."""
import json

import pytest

from cluster import Cluster, Node
from harness import cli, marker, poll

FIRST, SECOND = "first.key", "second.key"


class KeyNode(Node):
    """A node with keys of its own choice: the first is the master key."""

    def __init__(self, cluster, name, keys, listen="127.0.0.1:0"):
        self.keys = keys
        options = ["--master-key-file", str(cluster.directory / keys[0])]
        for old in keys[1:]:
            options += ["--old-master-key-file", str(cluster.directory / old)]
        super().__init__(cluster, name, options, listen=listen)

    def with_keys(self, *keys):
        self.stop()
        self.cluster.nodes[self.name] = KeyNode(self.cluster, self.name, keys, self.url.removeprefix("http://"))


@pytest.fixture
def cluster():
    with Cluster() as cluster:
        for name in (FIRST, SECOND):
            assert cli("master-key", "create", cluster.directory / name).returncode == 0
        for name in ("a", "b"):
            cluster.nodes[name] = KeyNode(cluster, name, [FIRST])
        yield cluster


def publishes(app, cluster, accounts):
    """Posts that any node may take, with tokens that any node may have sealed."""
    texts = {marker("keys"): None for _ in range(6)}
    for number, text in enumerate(texts):
        texts[text] = app.accepted(accounts[number % len(accounts)], text)["post_id"]
    for text, post_id in texts.items():
        assert app.wait_post(post_id)["status"] == "published"
        assert len(cluster.sandbox.ledger(text)) == 1


def test_nodes_change_the_key_one_after_the_other(cluster):
    app = cluster.app("x")
    accounts = [app.account("x", "user-0")]
    # Both keys everywhere before anybody seals with the new one; then the new one seals; then the old one goes.
    for step, keys in enumerate([(FIRST, SECOND), (SECOND, FIRST)]):
        for name in ("a", "b"):
            cluster.nodes[name].with_keys(*keys)
            accounts.append(app.account("x", f"user-{step}-{name}"))  # sealed by whichever node it was
            publishes(app, cluster, accounts)
            assert all(node.request("GET", "/readyz").status_code == 200 for node in cluster.nodes.values())
    done = cluster.nodes["a"].cli("reseal")
    assert done.returncode == 0, done.stderr
    sums = json.loads(done.stdout)
    assert sums["resealed"] > 0 and sums["unreadable"] == 0 and [key["master"] for key in sums["keys"]] == [True]
    for name in ("a", "b"):
        cluster.nodes[name].with_keys(SECOND)
        publishes(app, cluster, accounts)
    (cluster.directory / FIRST).unlink()
    poll("both are ready", lambda: all(node.request("GET", "/readyz").status_code == 200 for node in cluster.nodes.values()))


def test_reseal_before_every_node_has_changed_says_so(cluster):
    app = cluster.app("x")
    cluster.nodes["a"].with_keys(FIRST, SECOND)
    cluster.nodes["b"].with_keys(SECOND, FIRST)
    accounts = [app.account("x", f"user-{number}") for number in range(6)]
    assert cluster.nodes["b"].cli("reseal").returncode == 0
    publishes(app, cluster, accounts)
    done = cluster.nodes["a"].cli("reseal")  # the other way round: every record opens on both nodes all the same
    assert done.returncode == 0, done.stderr
    publishes(app, cluster, accounts)


def test_the_first_step_cannot_be_left_out(cluster):
    cluster.nodes["b"].stop()
    keys = ["--master-key-file", cluster.directory / SECOND, "--old-master-key-file", cluster.directory / FIRST]
    environment = {"POSTHORN_DATABASE": cluster.url}
    for command in (["serve", "--listen", "127.0.0.1:0"], ["worker"], ["app", "list"]):
        refused = cli(*command, "--data", cluster.directory / "b", "--sandbox", cluster.sandbox.url, *keys, environment=environment)
        assert refused.returncode == 1 and "runs without the master key" in refused.stderr, refused.stderr
        assert cluster.nodes["a"].url.removeprefix("http://") in refused.stderr and "as --old-master-key-file first" in refused.stderr
    cluster.nodes["a"].with_keys(FIRST, SECOND)
    cluster.nodes["b"] = KeyNode(cluster, "b", [SECOND, FIRST])
    publishes(app := cluster.app("x"), cluster, [app.account("x", "user-0")])
