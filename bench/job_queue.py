#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench queue`: what a delivery costs on PostgreSQL, service and server together, beside graphile-worker, a queue of jobs on the
same server in the same run. Both send each post by one POST to the same stand-in. Posthorn writes an intent before the call and what became
of it after, and opens a connection for each; graphile-worker runs with its connections kept, as it would be, and with fresh ones. Prints;
docs/notes/figures.md holds what was printed. Not a test."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "postgres"), str(ROOT / "bench")]

import distance  # noqa: E402 - from the folders named above
from postgres_server import PostgresServer  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
MODULES = ROOT / "build" / "npm" / "graphile-worker"


def server_cpu_s(server):
    """Of the server and all its processes, those that have ended too. One that ends while it is looked for is missed: the sum never
    falls, so the largest of a few is right."""
    readings = []
    for _ in range(3):
        time.sleep(0.1)
        readings.append(look_at_server(server))
    return max(readings)


def look_at_server(server):
    pid, ticks = str(server.popen.pid), 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        is_server = path.parent.name == pid
        if is_server or fields[1] == pid:
            ticks += sum(map(int, fields[11:15] if is_server else fields[11:13]))
    return ticks / TICKS


def say(who, count, rate, own_cpu_s, server_s):
    per_1000 = 1000 / count
    print(f"  {who}: {rate:6.0f}/s, CPU-s per 1,000: {own_cpu_s * per_1000:.3f} of its own, {server_s * per_1000:.3f} of the server, "
          f"{(own_cpu_s + server_s) * per_1000:.3f} together", flush=True)
    return (own_cpu_s + server_s) * per_1000


def posthorn(server, count):
    """One node of bench/nodes.c, which says one line when all are accepted and one when all are delivered."""
    url = server.new_database()
    with subprocess.Popen([distance.PROGRAM, "nodes", "1", str(count)], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, POSTHORN_BENCH_DATABASE=url, POSTHORN_BENCH_FAR=url)) as running:
        json.loads(running.stdout.readline())
        before_s = server_cpu_s(server)
        found = json.loads(running.stdout.readline())
        server_s = server_cpu_s(server) - before_s
    return say("Posthorn, each call on a fresh connection", count, found["deliveries_s"], found["deliver_cpu_ms"] * count / 1000, server_s)


def graphile(server, stand_in_url, count, connections):
    url = server.new_database()
    words = ["node", str(ROOT / "bench" / "graphile" / "worker.mjs"), str(MODULES), url, stand_in_url, str(count), connections]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "ready\n"
        before_s = server_cpu_s(server)
        print("go", file=running.stdin, flush=True)
        found = json.loads(running.stdout.readline())
        server_s = server_cpu_s(server) - before_s
    return say(f"graphile-worker, connections {connections}", count, count / found["took_s"], found["cpu_s"], server_s)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=20000)
    parser.add_argument("--bench", help="posthorn-bench")
    count = parser.parse_args().posts
    stand_in = subprocess.Popen([distance.PROGRAM, "stand-in"], stdout=subprocess.PIPE, text=True)
    try:
        with PostgresServer(distance.SETTINGS) as server:
            print(f"deliveries on PostgreSQL: {count} calls, one server with fsync")
            stand_in_url = stand_in.stdout.readline().strip()
            own = posthorn(server, count)
            if not MODULES.is_dir():
                print("  beside it: graphile-worker is not there (it needs npm)")
                return 0
            peers = {connections: graphile(server, stand_in_url, count, connections) for connections in ("kept", "fresh")}
            for connections, peer in peers.items():
                print(f"  {own / peer:.2f} times the CPU of graphile-worker with connections {connections} (wanted: at most 2)")
            return 0
    finally:
        stand_in.kill()
        stand_in.wait()


if __name__ == "__main__":
    sys.exit(main())
