#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench cluster`: one, two and three nodes on one PostgreSQL, everything on this machine: how many posts a second they accept and
deliver, how late the last of many that are due at once begin, and a long run in which nodes and the database are killed at random and
nothing may be lost or doubled. Prints; docs/notes/figures.md holds what was printed. Not a test: nothing here fails because a machine is slow,
but a post that is lost or doubled ends it with 1."""
import argparse
import collections
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "api"), str(ROOT / "tests" / "postgres"), str(ROOT / "bench")]

import distance  # noqa: E402 - from the folders named above
import share  # noqa: E402
from cluster import Cluster  # noqa: E402 - from the folders named above
from harness import utc  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402

PLATFORM = "facebook"  # the simulated one without quotas of its own
PROCESSES, THREADS = 3, 8
USERS = 40
SETTINGS = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "'256MB'", "max_wal_size": "'2GB'"}
FINAL_S = 1800


class Client:
    """One thread's connections, one to each node; who fails is asked again elsewhere with the same request."""

    def __init__(self, urls, token, dice):
        self.urls, self.token, self.dice, self.connections, self.retries = urls, token, dice, {}, 0

    def ask(self, url, body):
        if url not in self.connections:
            self.connections[url] = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=30)
        connection = self.connections[url]
        try:
            connection.request("POST", "/v1/posts/publish", body,
                               {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.connections.pop(url).close()
            return 0, b""

    def publish(self, body):
        text = json.dumps(body)
        while True:
            status, answer = self.ask(self.dice.choice(self.urls), text)
            if status in (202, 409):
                return
            assert status in (0, 500, 503), f"{status} {answer}"
            self.retries += 1
            time.sleep(0.05)


def work(urls, token, accounts, texts, more, seed, retries):
    """One process of clients."""
    waiting, lock = list(texts), threading.Lock()

    def run(number):
        client = Client(urls, token, random.Random(seed * 100 + number))
        while True:
            with lock:
                if not waiting:
                    break
                text = waiting.pop()
            client.publish({"account_ids": [client.dice.choice(accounts)], "content": text, "request_id": text, **more})
        with retries.get_lock():
            retries.value += client.retries

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Load:
    """Processes that have so many posts accepted by the nodes at these addresses."""

    def __init__(self, bed, urls, texts, **more):
        self.begin, self.retries = time.monotonic(), multiprocessing.Value("q", 0)
        self.processes = [multiprocessing.Process(target=work, args=(urls, bed.app.token, bed.accounts, texts[number::PROCESSES], more, number,
                                                                     self.retries)) for number in range(PROCESSES)]
        for process in self.processes:
            process.start()

    def is_under_way(self):
        return any(process.is_alive() for process in self.processes)

    def finish(self):
        for process in self.processes:
            process.join()
            assert process.exitcode == 0, "a client gave up"
        return time.monotonic() - self.begin


class Bed:
    """A cluster with accounts; nodes come and go."""

    def __init__(self):
        self.cluster = Cluster(time_scale=60, settings=SETTINGS)
        first = self.cluster.start("api-1", "--no-deliver")
        self.app = self.cluster.app(PLATFORM)
        self.app.service = first
        self.accounts = [row["id"] for user in range(USERS) for row in self.app.connect(PLATFORM, user_id=f"user-{user}").accounts]
        self.cluster.sql("UPDATE lanes SET shared_id = ''")  # at the sandbox they are the same Pages: here they are different ones
        self.serial = 0

    def texts(self, count, word):
        self.serial += 1
        return [f"{word} {self.serial}-{number:06}" for number in range(count)]

    def urls(self):
        return [node.url for node in self.cluster.nodes.values() if node.word == "serve"]

    def open_count(self):
        return int(self.cluster.sql("SELECT count(*) FROM deliveries WHERE is_final = 0 AND due_at_us < 4000000000000000"))

    def wait_until_final(self):
        until = time.monotonic() + FINAL_S
        while self.open_count() > 0:
            assert time.monotonic() < until, "not all are final"
            time.sleep(0.1)

    def judge(self, texts):
        """(lost, doubled, unknown) of these: accepted and not there, or told as published and not visible; visible more than once; told as
        OUTCOME_UNKNOWN, which a person has to look at."""
        seen = collections.Counter(post["text"] for post in self.cluster.sandbox.ledger())
        rows = self.cluster.sql("SELECT p.request_id, d.state, d.error_code FROM posts p JOIN deliveries d ON d.post_id = p.id").splitlines()
        told = {text: (state, code) for text, state, code in (row.split("|") for row in rows)}
        unknown = [text for text in texts if told.get(text) == ("failed", "OUTCOME_UNKNOWN")]
        lost = [text for text in texts if text not in unknown and (text not in told or told[text][0] != "published" or seen[text] == 0)]
        return len(lost), sum(seen[text] > 1 for text in texts), len(unknown)


def measure(bed, nodes, count):
    """Acceptance by so many API nodes, then delivery by so many workers."""
    names = []
    for number in range(2, nodes + 1):
        names.append(f"api-{number}")
        bed.cluster.start(names[-1], "--no-deliver")
    texts = bed.texts(count, "rate")
    accept_s = Load(bed, bed.urls(), texts).finish()
    for name in names:
        bed.cluster.nodes.pop(name).stop()
    begin = time.monotonic()
    workers = [f"worker-{number}" for number in range(1, nodes + 1)]
    for name in workers:
        bed.cluster.start(name, word="worker")
    started_s = time.monotonic() - begin
    bed.wait_until_final()
    deliver_s = time.monotonic() - begin
    late_ms = thunder(bed, count // 4)
    for name in workers:
        bed.cluster.nodes.pop(name).stop()
    lost, doubled, _ = bed.judge(texts)
    print(f"{nodes} node{'s' if nodes > 1 else ' '}: accepted {count / accept_s:7.0f}/s   delivered {count / deliver_s:6.0f}/s (start of {started_s:.1f} s "
          f"included)   p99 lateness of {count // 4} due at once {late_ms:6.0f} ms   lost {lost}, doubled {doubled}", flush=True)
    return lost + doubled


def thunder(bed, count):
    """Posts that are all due at one instant: how late the 99th of a hundred begins."""
    Load(bed, bed.urls(), bed.texts(count, "thunder"), scheduled_at=utc(count // 400 + 6)).finish()
    bed.wait_until_final()
    return float(bed.cluster.sql(
        "SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY f.at_us - p.scheduled_at_us) / 1000.0 FROM posts p JOIN deliveries d ON d.post_id = p.id"
        " JOIN (SELECT delivery_id, MIN(at_us) AS at_us FROM timeline GROUP BY delivery_id) f ON f.delivery_id = d.id"
        f" WHERE p.content LIKE '%thunder {bed.serial}-%'"))


def claims(program):
    with PostgresServer(SETTINGS) as server:
        subprocess.run([program, "claims"], env=dict(os.environ, POSTHORN_BENCH_DATABASE=server.new_database()), check=True)


# ---- nodes and distance ----


def nodes_at(distance_ms, nodes, posts, share_percent):
    """So many nodes (bench/nodes.c) so far from their database: what they do in a second, and the CPU of a post."""
    held = share.groups(nodes, share_percent) if share_percent else contextlib.nullcontext()
    with PostgresServer(distance.SETTINGS) as server, distance.Distance(server.port, distance_ms) as proxy, held as groups:
        near = server.new_database()
        far = distance.moved(near, proxy.port) if distance_ms > 0 else near
        environment = dict(os.environ, POSTHORN_BENCH_DATABASE=near, POSTHORN_BENCH_FAR=far)
        if groups:
            environment["POSTHORN_BENCH_GROUPS"] = groups
        words = [distance.PROGRAM, "nodes", str(nodes), str(posts)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    accepted, delivered = map(json.loads, done.stdout.splitlines())
    return {**accepted, **delivered}


def scale(distance_ms, counts, posts, share_percent):
    """Several numbers of nodes at one distance, and what each does as a multiple of the first."""
    if distance_ms > 0:
        print(f"distance: {distance_ms:g} ms wanted, {distance.measured_ms(distance_ms):.1f} ms measured", flush=True)
    if share_percent:
        print(f"each node is held to {share_percent:g} % of a core", flush=True)
    first = None
    for nodes in counts:
        found = nodes_at(distance_ms, nodes, posts * nodes if share_percent else posts, share_percent)
        first = first or found
        accepts, deliveries = found["accepts_s"], found["deliveries_s"]
        print(f"{nodes} nodes: accepted {accepts:6.0f}/s ({accepts / first['accepts_s']:.2f} x), delivered {deliveries:6.0f}/s "
              f"({deliveries / first['deliveries_s']:.2f} x) in {found['turns']} turns; CPU-ms of a node for a post "
              f"{found['accept_cpu_ms']:.3f} and {found['deliver_cpu_ms']:.3f}", flush=True)


# ---- kills ----


def kill_node(cluster, dice):
    name = dice.choice(list(cluster.nodes))
    cluster.kill(name)
    start_again(cluster, name)


def start_again(cluster, name):
    for _ in range(60):
        try:
            cluster.restart(name)
            return
        except AssertionError:
            time.sleep(0.5)
    raise AssertionError(f"{name} does not start")


def kill_database(cluster, dice):
    cluster.server.kill()
    time.sleep(dice.uniform(0, 1))
    cluster.server.start()


def end_sessions(cluster, dice):
    del dice
    cluster.server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'posthorn'")


def long_run(count, seed):
    """Three whole nodes, so many posts, and a blow every second or two until all is accepted and most is delivered."""
    bed, dice, blows = Bed(), random.Random(seed), collections.Counter()
    try:
        bed.cluster.nodes.pop("api-1").stop()
        for number in (1, 2, 3):
            bed.cluster.start(f"node-{number}")
        texts = bed.texts(count, "long")
        load = Load(bed, bed.urls(), texts)
        while load.is_under_way():
            time.sleep(dice.uniform(1, 3))
            blow = dice.choices([kill_node, kill_database, end_sessions], [5, 2, 3])[0]
            blow(bed.cluster, dice)
            blows[blow.__name__] += 1
        accept_s = load.finish()
        for _ in range(5):
            time.sleep(dice.uniform(1, 3))
            kill_node(bed.cluster, dice)
            blows["kill_node"] += 1
        bed.wait_until_final()
        lost, doubled, unknown = bed.judge(texts)
        print(f"long run (seed {seed}): 3 nodes, {count} posts, {dict(blows)}, {load.retries.value} requests repeated: all accepted after {accept_s:.0f} s, "
              f"all final after {time.monotonic() - load.begin:.0f} s; {len(texts) - unknown} published, {unknown} OUTCOME_UNKNOWN, lost {lost}, doubled {doubled}", flush=True)
        return lost + doubled
    finally:
        bed.cluster.destroy()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=20000, help="of the long run; 0 leaves it out")
    parser.add_argument("--sample", type=int, default=4000, help="of each figure; 0 leaves them out")
    parser.add_argument("--bench", help="posthorn-bench, for claims alone")
    parser.add_argument("--distance", type=float, help="ms to the database: measures nodes there, and nothing else")
    parser.add_argument("--nodes", default="1,2,4", help="with --distance")
    parser.add_argument("--share", type=float, default=0, help="with --distance: per cent of a core that a node may use; 0 = all (root)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    arguments = parser.parse_args()
    wrong = 0
    if arguments.distance is not None:
        scale(arguments.distance, [int(word) for word in arguments.nodes.split(",")], arguments.sample, arguments.share)
        return 0
    if arguments.bench:
        claims(arguments.bench)
    for nodes in (1, 2, 3) if arguments.sample else ():
        bed = Bed()
        try:
            wrong += measure(bed, nodes, arguments.sample)
        finally:
            bed.cluster.destroy()
    if arguments.posts:
        wrong += long_run(arguments.posts, arguments.seed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
