#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench http`: starts a sandbox and a service with an app and two accounts, and lets bench/http.c ask it; does the same with Fastify
(bench/fastify), where it could be installed; and takes the time of single posts on the idle service. Prints; not a test."""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import requests

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "api"))
sys.path.insert(0, str(ROOT / "bench"))

from door import Door  # noqa: E402 - from the folders named above
from harness import App, Sandbox, Service  # noqa: E402

PLATFORM = "facebook"  # the simulated one without quotas of its own
SINGLE_POSTS = 30
PAUSE_S = 0.2  # between single posts: the service is idle again
PATIENCE_S = 10
PEER_TOKEN = "a-token-of-the-peer"
PEER_ACCOUNTS = ["0190a1b2-0000-7000-8000-000000000001", "0190a1b2-0000-7000-8000-000000000002"]


def single_posts(service, app, account, door):
    """From the request until its answer, and until the platform has the first byte of the call, in milliseconds."""
    answered, called = [], []
    session = requests.Session()
    for i in range(SINGLE_POSTS):
        time.sleep(PAUSE_S)
        door.expect(b"/feed")
        begin = time.monotonic()
        answer = session.post(f"{service.url}/v1/posts/publish", json={"account_ids": [account], "content": f"Post {i}"},
                              headers={"Authorization": f"Bearer {app.token}"}, timeout=PATIENCE_S)
        answered.append(1000 * (time.monotonic() - begin))
        assert answer.status_code == 202, answer.text
        called.append(1000 * (door.wait(PATIENCE_S) - begin))
    return answered, called


def say_single_posts(answered, called):
    print(f"single post: {SINGLE_POSTS} posts, one by one, on the idle service")
    print(f"  measured: first byte at the platform {statistics.median(called):.1f} ms after the request, {max(called):.1f} ms at most; "
          f"answered after {statistics.median(answered):.1f} ms", flush=True)


def own(arguments):
    with tempfile.TemporaryDirectory(prefix="posthorn-bench-") as directory, Door(Sandbox()) as door:
        service = Service(pathlib.Path(directory), door, ["--quota-pending-posts", "0", "--quota-post-bytes", "0"])
        try:
            app = App(service).set_credentials(PLATFORM).issue_token()
            accounts = [app.account(PLATFORM, user) for user in ("user-1", "user-2")]
            port = str(urllib.parse.urlsplit(service.url).port)
            say_single_posts(*single_posts(service, app, accounts[0], door))
            words = ["--scale", arguments.scale, "http", port, str(service.popen.pid), app.token, *accounts]
            return subprocess.run([arguments.bench, *words], check=False).returncode
        finally:
            service.stop()


def peer(arguments):
    modules = ROOT / "build" / "npm" / "fastify"
    if not modules.is_dir():
        print("  beside it: Fastify and better-sqlite3 are not there (they need npm, and a compiler where no built package fits)")
        return 0
    with tempfile.TemporaryDirectory(prefix="posthorn-bench-") as directory:
        command = ["node", ROOT / "bench" / "fastify" / "server.mjs", modules, f"{directory}/posts.db", PEER_TOKEN, *PEER_ACCOUNTS]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = server.stdout.readline().strip()
            words = ["--scale", arguments.scale, "peer", port, str(server.pid), PEER_TOKEN, *PEER_ACCOUNTS]
            return subprocess.run([arguments.bench, *words], check=False).returncode
        finally:
            server.terminate()
            server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True, help="posthorn-bench")
    parser.add_argument("--scale", default="100")
    arguments = parser.parse_args()
    return own(arguments) or peer(arguments)


if __name__ == "__main__":
    sys.exit(main())
