# SPDX-License-Identifier: Apache-2.0
"""Large files on their way through: however the way is cut, and whenever the service dies on it, the whole file is published, once;
and however large it is, it never lies in the service's memory. POSTHORN_LONG=1 sends a gigabyte and prints the service's resident
memory (docs/operations.md, "Media")."""
import hashlib
import http.server
import os
import pathlib
import random
import socket
import struct
import subprocess
import threading
import time

import pytest

from fault_harness import IS_LONG
from harness import App, Sandbox, Service, marker

MEBIBYTE = 1 << 20
SEEDS = range(12 if IS_LONG else 2)
PLATFORMS = ("youtube", "tiktok")
GROWTH_MAX_BYTES = 32 * MEBIBYTE  # issue 6
FINAL_S = 240


def film(path, size):
    """A film of four seconds, with a box of zeros behind it that players step over: any size, and no space on our disk."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=24", "-t", "4", "-c:v", "libx264",
         "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)], check=True, timeout=60)
    with open(path, "r+b") as file:
        begin = file.seek(0, os.SEEK_END)
        file.write(struct.pack(">I4sQ", 1, b"free", size - begin))
        file.truncate(size)
    return path


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Files:
    """Serves one file, with ETag and ranges. Answers are cut after cut_after() bytes; None = not."""

    def __init__(self, path, cut_after=lambda: None):
        self.path, self.cut_after, self.ranges = path, cut_after, []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/film.mp4"

    def _handler(files):  # noqa: N805 - the handler below has its own self
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                size, asked = files.path.stat().st_size, self.headers.get("Range")
                begin = int(asked.removeprefix("bytes=").split("-")[0]) if asked else 0
                files.ranges.append(begin)
                self.send_response(206 if asked else 200)
                self.send_header("Content-Type", "video/mp4")
                self.send_header("ETag", '"film"')
                self.send_header("Content-Length", str(size - begin))
                if asked:
                    self.send_header("Content-Range", f"bytes {begin}-{size - 1}/{size}")
                self.end_headers()
                limit = files.cut_after()
                with open(files.path, "rb") as file:
                    file.seek(begin)
                    left = size - begin if limit is None else min(limit, size - begin)
                    while left > 0:
                        piece = file.read(min(left, MEBIBYTE))
                        self.wfile.write(piece)
                        left -= len(piece)
                if limit is not None:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Scissors:
    """Stands before the sandbox and cuts connections, each after so many bytes of the service's as cut_after() says."""

    def __init__(self, target_url, cut_after):
        host, port = target_url.removeprefix("http://").split(":")
        self.target, self.cut_after, self.cuts = (host, int(port)), cut_after, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.target)
            except OSError:
                return
            threading.Thread(target=self._carry, args=(near, far, self.cut_after()), daemon=True).start()
            threading.Thread(target=self._carry, args=(far, near, None), daemon=True).start()

    def _carry(self, source, sink, limit):
        left = limit
        try:
            while piece := source.recv(65536):
                if left is not None and len(piece) >= left:
                    sink.sendall(piece[:left])
                    self.cuts += 1
                    break
                sink.sendall(piece)
                left = None if left is None else left - len(piece)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def check_published(sandbox, slug, text, path):
    entries = [entry for entry in sandbox.ledger() if entry["platform"] == slug and entry["text"].startswith(text)]
    assert len(entries) == 1, f"{len(entries)} of {text}"
    (item,) = entries[0]["media"]
    assert item["bytes"] == path.stat().st_size
    assert item["sha256"] == digest_of(path)


# ---- cut anywhere ----


@pytest.mark.parametrize("slug", PLATFORMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_cut_and_killed(tmp_path, slug, seed, figures):
    """The fetch and the upload are cut at random bytes, and the service is killed at random moments, three times each or so."""
    dice = random.Random(f"{slug} {seed}")
    path = film(tmp_path / "film.mp4", 24 * MEBIBYTE + dice.randrange(MEBIBYTE))
    cuts = iter([dice.randrange(1, 20 * MEBIBYTE) for _ in range(3)])
    files = Files(path, lambda: next(cuts, None))
    with Sandbox() as sandbox:
        budget = [3]

        def cut_upload():
            if budget[0] == 0 or dice.random() < 0.5:
                return None
            budget[0] -= 1
            return dice.randrange(1, 20 * MEBIBYTE)

        scissors = Scissors(sandbox.url, cut_upload)
        options = ["--time-scale", "200"]
        service = Service(tmp_path / "data", scissors, options)
        app = App(service).set_credentials(slug).issue_token()
        account, text = app.account(slug), marker(f"large {slug}")
        post = app.accepted([account], text, media=[{"type": "video", "url": files.url}])
        for _ in range(3):
            time.sleep(dice.uniform(0.05, 0.6))
            service.kill()
            service = Service(tmp_path / "data", scissors, options)
            app.service = service
            figures["crashes"] += 1
        try:
            final = app.wait_post(post["post_id"], timeout_s=FINAL_S)
            figures["cells"] += 1
            assert final["platform_posts"][0]["status"] == "published", final["platform_posts"][0]["error"]
            check_published(sandbox, slug, text, path)
            figures["published"] += 1
        finally:
            service.stop()
            scissors.close()
            files.close()
        assert not list((tmp_path / "data" / "spool").glob("*/*")), "files that nobody needs are still there"


# ---- a gigabyte ----


class Memory:
    """Resident memory of a process, sampled: before, the most, after."""

    def __init__(self, pid):
        self.status = pathlib.Path(f"/proc/{pid}/status")
        self.before = self.most = self.now()
        self.is_over = False
        self.thread = threading.Thread(target=self._sample, daemon=True)
        self.thread.start()

    def now(self):
        return next(int(line.split()[1]) * 1024 for line in self.status.read_text().splitlines() if line.startswith("VmRSS"))

    def _sample(self):
        while not self.is_over:
            self.most = max(self.most, self.now())
            time.sleep(0.01)

    def end(self):
        self.is_over = True
        self.thread.join()
        self.after = self.now()


@pytest.mark.skipif(not IS_LONG, reason="POSTHORN_LONG=1: a gigabyte")
@pytest.mark.parametrize("slug", PLATFORMS)
def test_a_gigabyte_is_not_in_memory(tmp_path, slug, capsys):
    path = film(tmp_path / "film.mp4", 1024 * MEBIBYTE)
    files = Files(path)
    # What AddressSanitizer keeps of freed memory is not the service's.
    environment = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}
    with Sandbox() as sandbox, Service(tmp_path / "data", sandbox, ["--time-scale", "20"], environment) as service:
        app = App(service).set_credentials(slug).issue_token()
        small = {"type": "video", "url": Files(film(tmp_path / "small.mp4", 4 * MEBIBYTE)).url}
        app.published([app.account(slug)], marker("small"), media=[small])  # what is allocated once is there now
        account, text = app.account(slug), marker(f"gigabyte {slug}")
        sandbox_memory, memory = Memory(sandbox.popen.pid), Memory(service.popen.pid)
        begin = time.monotonic()
        post = app.accepted([account], text, media=[{"type": "video", "url": files.url}])
        final = app.wait_post(post["post_id"], timeout_s=600)
        took_s = time.monotonic() - begin
        memory.end()
        sandbox_memory.end()
        with capsys.disabled():
            for who, seen in (("service", memory), ("sandbox", sandbox_memory)):
                print(f"\n{slug}, 1 GiB in {took_s:.0f} s: {who} resident "
                      f"{seen.before / MEBIBYTE:.1f} MiB before, {seen.most / MEBIBYTE:.1f} at most, "
                      f"{seen.after / MEBIBYTE:.1f} after", end="")
        assert final["platform_posts"][0]["status"] == "published", final["platform_posts"][0]["error"]
        check_published(sandbox, slug, text, path)
    files.close()
    assert memory.most - memory.before < GROWTH_MAX_BYTES
