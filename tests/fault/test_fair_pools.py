# SPDX-License-Identifier: Apache-2.0
"""One app's slow files hold up nobody else: while 600 of its fetches crawl, another app's photo is published and its webhook is called
within seconds, and the metrics say who waits. All on loopback; the crawling server sends 2 KB/s to each, for as long as the test runs."""
import concurrent.futures
import http.server
import re
import sqlite3
import threading
import time

import pytest

from harness import App, Service, marker, poll

FETCHES = 600
SHARE = 64  # transfer_curl.h: what one app runs at once
WITHIN_S = 25  # 5 on a quiet machine; without pools it never happens, since the files never end
HOSTS = 12  # so that no limit for one host is what holds the many back
CONNECTS_AT_ONCE = 8


class Crawl:
    """Files that never end: 2 KB every second, from several addresses of this machine."""

    def __init__(self):
        self.open, self.lock, self.stopping = 0, threading.Lock(), threading.Event()
        self.servers = [http.server.ThreadingHTTPServer((f"127.0.1.{i + 1}", 0), self._handler()) for i in range(HOSTS)]
        for server in self.servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def _handler(crawl):  # noqa: N805 - the handler below has its own self
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                crawl.count(1)
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "image/jpeg")
                    self.send_header("Content-Length", str(4 << 20))
                    self.end_headers()
                    while not crawl.stopping.wait(1):
                        self.wfile.write(b"\xff\xd8\xff\xe0" + bytes(2044))
                except OSError:
                    pass
                finally:
                    crawl.count(-1)

            def log_message(self, *_):
                pass

        return Handler

    def count(self, change):
        with self.lock:
            self.open += change

    def item(self, number):
        host, port = self.servers[number % HOSTS].server_address
        return {"type": "image", "url": f"http://{host}:{port}/{number}.jpg"}

    def close(self):
        self.stopping.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()


class Receiver:
    def __init__(self):
        self.calls = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                receiver.calls.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def crawl():
    crawl = Crawl()
    yield crawl
    crawl.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory, sandbox):
    # without the time scale, by which fetches that are too slow would be ended within the test
    with Service(tmp_path_factory.mktemp("fair") / "data", sandbox, ["--time-scale", "1"]) as process:
        yield process


def part_lanes(service):
    """The users' accounts are one at the sandbox, and so they would be one lane: here they are different people's."""
    with sqlite3.connect(f"file:{service.data}/posthorn.db", uri=True, timeout=30) as database:
        database.execute("UPDATE lanes SET shared_id = ''")


def figures(service):
    text = service.metrics()
    return {name: float(value) for name, value in re.findall(r"^(posthorn_\S+) (\S+)$", text, re.MULTILINE)}


@pytest.fixture(scope="module")
def crowded(house, crawl):
    """The app whose 600 posts crawl."""
    greedy = App(house, name="greedy", owner="greedy@example.com").set_credentials("x").issue_token()

    def connect(number):
        return greedy.account("x", user_id=f"user-{number}")

    def post(number):
        return greedy.accepted(accounts[number], marker("crawling"), media=[crawl.item(number)])

    with concurrent.futures.ThreadPoolExecutor(CONNECTS_AT_ONCE) as pool:
        accounts = list(pool.map(connect, range(FETCHES + 1)))
        part_lanes(house)
        posts = list(pool.map(post, range(FETCHES)))
    poll("its fetches have begun", lambda: crawl.open >= SHARE)
    time.sleep(1)  # those that can begin have begun
    return greedy, posts, accounts[FETCHES]


def test_another_apps_photo_and_webhook_come_within_seconds(house, crowded, crawl, media):
    other = App(house, name="other", owner="other@example.com").set_credentials("x").issue_token()
    account = other.account("x")
    receiver = Receiver()
    hook = other.post("/v1/webhooks", json={"url": receiver.url, "events": ["test"]})
    assert hook.status_code == 201, hook.text
    try:
        post = other.accepted(account, marker("photo"), media=[media.image()])["post_id"]
        assert other.post(f"/v1/webhooks/{hook.json()['data']['id']}/test").status_code in (200, 202)
        poll("the webhook is called", lambda: receiver.calls, WITHIN_S)
        done = other.wait_post(post, WITHIN_S)
        assert done["status"] == "published", done
        assert crawl.open >= SHARE  # and all the while the others crawled
    finally:
        receiver.close()


def test_the_metrics_tell_who_runs_and_who_waits(house, crowded):
    greedy, posts, _ = crowded
    found = figures(house)
    assert found['posthorn_pool{pool="media",state="running"}'] == SHARE
    assert found['posthorn_pool{pool="media",state="waiting"}'] > 0
    assert found['posthorn_pool_oldest_wait_seconds{pool="media"}'] > 0
    assert found['posthorn_pool{pool="webhooks",state="waiting"}'] == 0
    assert found["posthorn_webhook_oldest_due_lateness_seconds"] < WITHIN_S
    # what waits for its app's own files is not late for want of work done
    assert found["posthorn_oldest_due_lateness_seconds"] < WITHIN_S
    assert house.request("GET", "/readyz?delivery").status_code == 200
    waiting = greedy.show(posts[-1]["post_id"])["platform_posts"][0]["waiting"]
    assert waiting["reason"] == "media", waiting


def test_a_text_of_the_crowded_app_goes_out_when_its_turn_comes(house, crowded, crawl):
    """Nothing is lost: the files end, and what waited goes on."""
    greedy, _, account = crowded
    text = greedy.accepted(account, marker("text"))
    assert greedy.show(text["post_id"])["platform_posts"][0]["waiting"]["reason"] == "media"
    crawl.stopping.set()
    assert greedy.wait_post(text["post_id"], 60)["status"] == "published"
