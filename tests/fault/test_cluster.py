# SPDX-License-Identifier: Apache-2.0
"""The promise with several nodes on one PostgreSQL (rules.md 3, PG restart, Pause, Failover): posts are accepted by any node and
delivered by any, while nodes are killed and stopped, the database is killed, restarted and cut off, and sessions are ended in the
middle; then the platforms' ledger is compared with what was accepted. 0 lost, 0 doubled.

Another run of the same moments: POSTHORN_CLUSTER_SEED=... (the seed is printed). POSTHORN_LONG=1 adds the long ones."""
import collections
import os
import random
import signal
import time

import pytest

import test_crash
from cluster import Cluster
from drop_proxy import DropProxy
from fault_harness import IS_LONG
from harness import PLATFORMS, marker, poll
from postgres_server import PostgresServer
from test_crash import Clients, compare, make_wishes, wait_until_final

POSTS = test_crash.POSTS if IS_LONG else 90
BLOWS = 60 if IS_LONG else 11
CUT_S = 6
# Longer than a lease (120 s): by then what the sleeper had begun is somebody else's.
SLEEP_S = 135
FAILOVER_FINAL_S = 400


@pytest.fixture
def dice():
    seed = int(os.environ.get("POSTHORN_CLUSTER_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"\nPOSTHORN_CLUSTER_SEED={seed}")
    return random.Random(seed)


class Load:
    """Posts of all kinds through an app of the cluster, from the first request to the judgement."""

    def __init__(self, cluster, dice, media, count):
        self.cluster, self.begin = cluster, time.monotonic()
        self.app = cluster.app(*PLATFORMS)
        found = {slug: self.app.connect(slug).accounts for slug in PLATFORMS}
        self.platform_account_ids = {row["id"]: row["platform_account_id"] for rows in found.values() for row in rows}
        accounts = {slug: [row["id"] for row in rows] for slug, rows in found.items()}
        self.wishes = make_wishes(dice, accounts, media)[:count]
        self.clients = Clients(self.app, self.wishes, dice)

    def is_under_way(self):
        return any(thread.is_alive() for thread in self.clients.threads)

    def judge(self, name, others=()):
        """others: loads of the same sandbox."""
        theirs = tuple(text for load in others for wish in load.wishes for text in wish.texts)
        self.clients.finish()
        assert not self.clients.problems, self.clients.problems
        assert [wish.number for wish in self.wishes if not wish.post_id] == [], "never accepted"
        posts = wait_until_final(self.app, self.wishes)
        time.sleep(1)  # whatever would still be sent is sent now
        ledger = [entry for entry in self.cluster.sandbox.ledger() if not entry["text"].startswith(theirs)]
        wrong, counted = compare(self.wishes, posts, ledger, self.platform_account_ids)
        print(f"{name}: {len(self.wishes)} posts, {self.clients.lost_answers} lost answers, {self.clients.replayed} answered 409, "
              f"{dict(counted)}, all final after {time.monotonic() - self.begin:.0f} s")
        assert not wrong, wrong
        assert counted["published"] >= len(self.wishes) * 3 // 4, counted
        assert self.app.total() == len(self.wishes)


# ---- blows ----


def kill_node(cluster, dice):
    name = dice.choice(list(cluster.nodes))
    cluster.kill(name)
    time.sleep(dice.uniform(0, 0.5))
    restart_with_patience(cluster, name)


def restart_with_patience(cluster, name):
    """A node that starts while the database is away gives up, and whoever minds it starts it again."""
    for _ in range(20):
        try:
            cluster.restart(name)
            return
        except AssertionError as problem:
            assert "database" in str(problem), problem
            time.sleep(0.5)
    raise AssertionError(f"node {name} does not start")


def end_sessions(cluster, dice):
    del dice
    cluster.server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'posthorn'")


def kill_database(cluster, dice):
    cluster.server.kill()
    time.sleep(dice.uniform(0, 0.8))
    cluster.server.start()


def restart_database(cluster, dice):
    cluster.server.stop()
    time.sleep(dice.uniform(0, 0.8))
    cluster.server.start()


def pause_node(cluster, dice):
    node = dice.choice(list(cluster.nodes.values()))
    node.popen.send_signal(signal.SIGSTOP)
    time.sleep(dice.uniform(0.2, 2))
    node.popen.send_signal(signal.SIGCONT)


WEIGHTS = {kill_node: 4, end_sessions: 3, kill_database: 2, restart_database: 1, pause_node: 2}


def strike(cluster, dice, load):
    """Until the blows are dealt; each kind comes at least once."""
    blows = list(WEIGHTS) + dice.choices(list(WEIGHTS), WEIGHTS.values(), k=BLOWS - len(WEIGHTS))
    dice.shuffle(blows)
    dealt = collections.Counter()
    for blow in blows:
        time.sleep(dice.uniform(0.05, 0.8))
        blow(cluster, dice)
        dealt[blow.__name__] += 1
    print(dict(dealt), "load under way at the end:", load.is_under_way())


def three_nodes(cluster):
    cluster.start("whole")
    cluster.start("api", "--no-deliver")
    cluster.start("worker", word="worker")


def test_nodes_and_database_are_killed_again_and_again(dice, media):
    with Cluster(time_scale=60, settings={"fsync": "on", "full_page_writes": "on"}) as cluster:
        three_nodes(cluster)
        for fault in (("x", "POST", "/2/tweets"), ("facebook", "POST", "/v25.0/*/feed"), ("linkedin", "POST", "/rest/posts")):
            cluster.sandbox.fault(*fault, "slow", retry_after=1, times=test_crash.SLOW_CALLS)
        load = Load(cluster, dice, media, POSTS)
        strike(cluster, dice, load)
        load.judge("kills")


def test_a_node_is_cut_off_from_the_database(dice, media):
    """Nothing is told to anybody: the node's packets are swallowed. The others go on; it comes back by itself."""
    with Cluster(time_scale=60) as cluster:
        proxy = DropProxy(cluster.server.port)
        try:
            cluster.urls["cut"] = cluster.url.replace(f":{cluster.server.port}/", f":{proxy.port}/")
            cluster.start("whole")
            cluster.start("cut")
            load = Load(cluster, dice, media, POSTS // 3)
            time.sleep(1)
            proxy.drop()
            # A load balancer asks /readyz and sends nobody there meanwhile.
            cut = cluster.nodes.pop("cut")
            time.sleep(CUT_S)
            proxy.heal()
            cluster.nodes["cut"] = cut
            poll("the node that was cut off is ready again", lambda: cut.request("GET", "/readyz").status_code == 200)
            load.judge("cut")
        finally:
            proxy.close()


@pytest.mark.skipif(not IS_LONG, reason="takes minutes: POSTHORN_LONG=1")
def test_a_node_sleeps_past_its_leases(dice, media):
    with Cluster(time_scale=60) as cluster:
        cluster.start("whole")
        cluster.start("sleeper")
        cluster.sandbox.fault("x", "POST", "/2/tweets", "slow", retry_after=2, times=40)
        load = Load(cluster, dice, media, POSTS)
        time.sleep(2)
        sleeper = cluster.nodes.pop("sleeper")
        sleeper.popen.send_signal(signal.SIGSTOP)
        time.sleep(SLEEP_S)
        sleeper.popen.send_signal(signal.SIGCONT)
        cluster.nodes["sleeper"] = sleeper
        load.judge("sleep")


@pytest.mark.skipif(not IS_LONG, reason="takes minutes: POSTHORN_LONG=1")
def test_a_replica_is_promoted_that_lacks_the_end(dice):
    """The primary dies, and its replica has not heard of the last seconds: what went out in them looks due again. It is asked about,
    and not sent again. What was accepted in them is lost, and only that."""
    with Cluster(time_scale=60) as cluster:
        primary = cluster.server
        wire = DropProxy(primary.port)
        replica = primary.make_replica(wire.port).start()
        try:
            both = cluster.url.replace(f"127.0.0.1:{primary.port}", f"127.0.0.1:{primary.port},127.0.0.1:{replica.port}")
            cluster.url = both
            cluster.start("whole")
            cluster.start("second")
            app = cluster.app("facebook")
            accounts = [row["id"] for row in app.connect("facebook").accounts]
            early = {text: app.accepted(dice.choice(accounts), text)["post_id"] for text in (marker("early") for _ in range(20))}
            for post_id in early.values():
                app.wait_post(post_id)
            waiting = {text: app.accepted(accounts[0], text, scheduled_at=test_crash.utc(6))["post_id"] for text in
                       (marker("waiting") for _ in range(6))}
            poll("the replica has it", lambda: replica.sql("SELECT count(*) FROM posts", both.rsplit("/", 1)[1]) == "26")
            wire.drop()
            for post_id in waiting.values():  # go out while the replica hears nothing
                assert app.wait_post(post_id)["status"] == "published"
            primary.kill()
            replica.promote()
            left = replica.sql("SELECT count(*) FROM deliveries WHERE state = 'published'", both.rsplit("/", 1)[1])
            assert int(left) <= 20, "the replica had heard of it all"
            cluster.server = replica
            poll("a node works on the new primary", lambda: cluster.nodes["whole"].request("GET", "/readyz").status_code in (200, 503))
            finals = {text: app.wait_post(post_id, FAILOVER_FINAL_S) for text, post_id in {**early, **waiting}.items()}
            ledger = collections.Counter(entry["text"] for entry in cluster.sandbox.ledger())
            assert all(ledger[text] == 1 for text in finals), ledger
            assert all(post["status"] == "published" for post in finals.values())
            assert "database_failed_over" in cluster.nodes["whole"].stderr() + cluster.nodes["second"].stderr()
            late = app.published(accounts[0], marker("late"))
            assert late["status"] == "published"
        finally:
            cluster.server = replica
            for node in cluster.nodes.values():
                node.kill()
            wire.close()
            primary.remove()
            replica.remove()


def test_the_server_of_the_tests_starts_again_after_a_kill():
    """What the tests above lean on."""
    with PostgresServer() as server:
        server.sql("CREATE TABLE kept (number int); INSERT INTO kept VALUES (1)")
        server.kill()
        server.start()
        assert server.sql("SELECT number FROM kept") == "1"
