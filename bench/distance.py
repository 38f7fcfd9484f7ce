#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench/distance.py MS COMMAND...`: runs the command with POSTHORN_BENCH_DATABASE naming a fresh PostgreSQL (with fsync) that seems to be
MS milliseconds away: everything passes a proxy (bench/proxy.c) that holds each piece back for half of that in either direction. What the
proxy really costs is measured with an echo behind it, and printed first: a busy machine adds to it."""
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "postgres")]

from postgres_server import PostgresServer  # noqa: E402 - from the folder named above

PROGRAM = os.environ.get("POSTHORN_BENCH", str(ROOT / "build" / "release" / "bench" / "posthorn-bench"))
SETTINGS = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "'256MB'", "max_wal_size": "'2GB'", "max_connections": "200"}
ECHOES = 100


class Distance:
    """A proxy to a port of 127.0.0.1 while it is entered: port is where it listens."""

    def __init__(self, target, distance_ms):
        self.words = [PROGRAM, "proxy", str(target), str(int(distance_ms * 500))]

    def __enter__(self):
        self.popen = subprocess.Popen(self.words, stdout=subprocess.PIPE, text=True)
        self.port = int(self.popen.stdout.readline())
        return self

    def __exit__(self, *_):
        self.popen.kill()
        self.popen.wait()
        self.popen.stdout.close()


def echo(listener):
    with listener.accept()[0] as there:
        there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while piece := there.recv(64):
            there.sendall(piece)


def measured_ms(distance_ms):
    """The median of a round trip through the proxy to an echo."""
    with socket.create_server(("127.0.0.1", 0)) as listener, Distance(listener.getsockname()[1], distance_ms) as distance:
        threading.Thread(target=echo, args=(listener,), daemon=True).start()
        times = []
        with socket.create_connection(("127.0.0.1", distance.port)) as here:
            here.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(ECHOES):
                begin = time.perf_counter()
                here.sendall(b"x")
                here.recv(1)
                times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1000


def moved(url, port):
    """The same database by way of another port."""
    parts = urllib.parse.urlsplit(url)
    return parts._replace(netloc=parts.netloc.rsplit(":", 1)[0] + f":{port}").geturl()


def run(words, near, far):
    return subprocess.run(words, env=dict(os.environ, POSTHORN_BENCH_DATABASE=near, POSTHORN_BENCH_FAR=far), check=False).returncode


def main():
    wanted_ms, command = float(sys.argv[1]), sys.argv[2:]
    print(f"distance: {wanted_ms:g} ms wanted, {measured_ms(wanted_ms):.1f} ms measured", flush=True)
    with PostgresServer(SETTINGS) as server:
        url = server.new_database()
        with Distance(server.port, wanted_ms) as distance:
            far = moved(url, distance.port)
            return run(command, far, far)


if __name__ == "__main__":
    sys.exit(main())
