#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench/distance.py MS COMMAND...`: runs the command with POSTHORN_BENCH_DATABASE naming a fresh PostgreSQL (with fsync) that seems to be
MS milliseconds away: everything passes a proxy that holds each piece back for half of that in either direction. What the proxy really
costs is measured with an echo behind the same code, and printed first: a busy machine adds to it."""
import asyncio
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "postgres")]

from postgres_server import PostgresServer  # noqa: E402 - from the folder named above

SETTINGS = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "'256MB'", "max_wal_size": "'2GB'"}
PIECE_BYTES = 1 << 16
ECHOES = 200


class Proxy:
    """Listens on a free port of 127.0.0.1; every piece leaves half_s after it came, in order."""

    def __init__(self, target, half_s):
        self.target, self.half_s, self.port = target, half_s, None
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self.run, args=(ready,), daemon=True).start()
        ready.wait()

    def run(self, ready):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        self.loop.run_forever()

    async def serve(self, reader, writer):
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self.carry(reader, there_writer), self.carry(there_reader, writer))

    async def carry(self, reader, writer):
        waiting = asyncio.Queue()

        async def hand_out():
            while True:
                at, piece = await waiting.get()
                await asyncio.sleep(max(0, at - self.loop.time()))
                if not piece:
                    break
                writer.write(piece)
            writer.close()

        task = asyncio.ensure_future(hand_out())
        piece = b"first"
        while piece:
            try:
                piece = await reader.read(PIECE_BYTES)
            except ConnectionError:
                piece = b""
            waiting.put_nowait((self.loop.time() + self.half_s, piece))
        await task


def own_delay_ms(half_s):
    """The median of a round trip through the proxy to an echo."""

    async def echo(reader, writer):
        while piece := await reader.read(64):
            writer.write(piece)

    async def ask(port, times):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(ECHOES):
            begin = time.perf_counter()
            writer.write(b"x")
            await reader.readexactly(1)
            times.append(time.perf_counter() - begin)
        writer.close()

    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(echo, "127.0.0.1", 0))
    proxy, times = Proxy(server.sockets[0].getsockname()[1], half_s), []
    loop.run_until_complete(ask(proxy.port, times))
    loop.run_until_complete(asyncio.sleep(3 * half_s + 0.1))  # the end of the connection comes late, too
    server.close()
    return statistics.median(times) * 1000


def main():
    wanted_ms, command = float(sys.argv[1]), sys.argv[2:]
    with PostgresServer(SETTINGS) as server:
        url = urllib.parse.urlsplit(server.new_database())
        where = f"{wanted_ms:g} ms wanted, nothing in between"
        if wanted_ms > 0:
            proxy = Proxy(url.port, wanted_ms / 2000)
            where = f"{wanted_ms:g} ms wanted, {own_delay_ms(wanted_ms / 2000):.1f} ms measured"
            url = url._replace(netloc=url.netloc.rsplit(":", 1)[0] + f":{proxy.port}")
        print(f"distance: {where}", flush=True)
        sys.exit(subprocess.run(command, env=dict(os.environ, POSTHORN_BENCH_DATABASE=url.geturl()), check=False).returncode)


main()
