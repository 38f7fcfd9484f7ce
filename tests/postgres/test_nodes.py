# SPDX-License-Identifier: Apache-2.0
"""Several nodes on one database, one thing at a time: who does what, what all of them see at once, and who takes over from whom.
Everything at once, with kills, is tests/fault/test_cluster.py."""
import contextlib
import http.server
import json
import re
import signal
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from cluster import Cluster
from drop_proxy import DropProxy
from harness import HTTP_S, basic, check_error, cli, follow_return, marker, poll


@pytest.fixture(scope="module")
def cluster():
    """Two whole nodes that started together on an empty database."""
    with Cluster(time_scale=20) as made:
        made.start("first")
        made.start("second")
        yield made


@pytest.fixture(scope="module")
def app(cluster):
    return cluster.app("x", "facebook")


def on(cluster, app, name):
    """The app as it is seen through one node."""
    other = object.__new__(type(app))
    other.__dict__ = dict(app.__dict__, service=cluster.nodes[name])
    return other


def test_nodes_start_together_on_an_empty_database(cluster):
    fresh = cluster.server.new_database()
    cluster.urls.update({f"early-{number}": fresh for number in range(3)})
    problems = []

    def begin(name):
        try:
            cluster.start(name)
        except AssertionError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=begin, args=(f"early-{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems
    count = cluster.server.sql("SELECT count(*), max(number) FROM schema_migrations", fresh.rsplit("/", 1)[1]).split("|")
    assert count[0] == count[1]
    for node in [cluster.nodes.pop(f"early-{number}") for number in range(3)]:
        assert node.request("GET", "/readyz").status_code == 200
        assert "database_restored" not in node.stderr()
        node.stop()


def test_a_token_counts_on_every_node_at_once(cluster, app):
    first, second = on(cluster, app, "first"), on(cluster, app, "second")
    old = first.token
    token = first.issue_token().token
    assert requests.get(
        f"{second.service.url}/v1/accounts",
        headers={
            "Authorization": f"Bearer {token}"},
        timeout=HTTP_S).status_code == 200
    check_error(requests.get(f"{second.service.url}/v1/accounts", headers={"Authorization": f"Bearer {old}"}, timeout=HTTP_S), 401,
                "UNAUTHENTICATED")
    app.token = token


def test_a_key_ends_on_every_node_at_once(cluster, app):
    first, second = on(cluster, app, "first"), on(cluster, app, "second")

    def ask(node, key):
        return node.service.request("GET", "/v1/accounts", headers={"Authorization": f"Bearer {key}"})

    def create(node):
        made = node.service.cli("key", "create", "--app", app.client_id, "--name", "agent", "--scopes", "read")
        assert made.returncode == 0, made.stderr
        return json.loads(made.stdout)

    key = create(first)
    assert ask(second, key["key"]).status_code == 200
    assert second.service.cli("key", "revoke", key["id"]).returncode == 0
    check_error(ask(first, key["key"]), 401, "UNAUTHENTICATED")
    key = create(second)
    assert ask(first, key["key"]).status_code == 200
    data = {"token": key["key"]}
    headers = {"Authorization": basic(app.client_id, app.client_secret)}
    assert first.service.request("POST", "/v1/oauth/revoke", headers=headers, data=data).status_code == 200
    check_error(ask(second, key["key"]), 401, "UNAUTHENTICATED")


def test_a_callback_may_land_on_any_node(cluster, app):
    first, second = on(cluster, app, "first"), on(cluster, app, "second")
    begun = first.begin("x")
    callback = first.consent(begun).replace(first.service.url, second.service.url)
    returned = follow_return(callback)
    assert returned.status_code == 302, returned.text
    assert "connection=success" in returned.headers["Location"] or "success" in returned.headers["Location"]
    assert first.accounts_of(begun["connection_id"])["accounts"]


def test_a_repeated_request_is_one_post_on_two_nodes(cluster, app):
    account, text = app.account("facebook"), marker()
    body = {"account_ids": [account], "content": text, "request_id": text}
    answers = []

    def ask(name):
        for _ in range(4):
            answers.append(on(cluster, app, name).post("/v1/posts/publish", json=body))

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("first", "second") for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 15
    ids = {answer.json()["data"]["post_id"] if answer.status_code == 202 else answer.json()["details"]["post_id"] for answer in answers}
    assert len(ids) == 1
    app.wait_post(ids.pop())
    assert len(cluster.sandbox.ledger(text)) == 1


def test_two_nodes_number_an_apps_posts_in_one_order(cluster, app):
    """The numbers of an app are reckoned by the node that accepts: its row is locked before it is read."""
    account, count = app.account("facebook"), 24
    texts = {name: [marker(f"numbered-{name}") for _ in range(count)] for name in ("first", "second")}
    later = {"scheduled_at": "2027-11-01T00:00:00Z"}

    def publish(name, text):
        assert on(cluster, app, name).publish(account, text, **later).status_code == 202

    with ThreadPoolExecutor(16) as pool:
        for done in [pool.submit(publish, name, text) for pair in zip(*texts.values()) for name, text in zip(texts, pair)]:
            done.result()
    assert cluster.sql("SELECT count(*) - count(DISTINCT (app_id, ordinal)) FROM posts").strip() == "0"
    found = [post["containers"][0]["content"] for page in (1, 2) for post in on(cluster, app, "first").list(
        per_page=count, page=page, status="scheduled")["data"]]
    assert sorted(found) == sorted(sum(texts.values(), []))


@pytest.mark.parametrize("cuts", [{"before": 2}, {"after": 6}, {"before": 2, "after": 3}], ids=str)
def test_a_lost_commit_is_looked_up(cluster, app, cuts):
    """The connection ends around a COMMIT, and the caller hears nothing of it: what was written is not written again, and what was not
    is (twice in a row is not too much)."""
    wire = DropProxy(cluster.server.port)
    name = "cut-" + "-".join(cuts)
    cluster.urls[name] = cluster.url.replace(f":{cluster.server.port}/", f":{wire.port}/")
    node = cluster.start(name)
    try:
        account, through = app.account("facebook"), on(cluster, app, name)
        wire.cut_commits(**cuts)
        texts = []
        while wire.cuts_left() or len(texts) < 8:
            texts.append(marker("cut"))
            assert through.publish(account, texts[-1], request_id=texts[-1]).status_code == 202
            assert len(texts) < 200
        posts = through.list(per_page=100)["data"]
        for text in texts:
            mine = [post["id"] for post in posts if post["containers"][0]["content"] == text]
            assert len(mine) == 1
            assert app.wait_post(mine[0])["status"] == "published"
        ledger = [post["text"] for post in cluster.sandbox.ledger("cut")]
        assert all(ledger.count(text) == 1 for text in texts)
        assert "uncertain" not in node.stderr()
    finally:
        cluster.nodes.pop(name).stop()
        wire.close()


@pytest.mark.parametrize("cuts", [{"before": 1}, {"after": 1}], ids=str)
def test_a_commit_that_nobody_can_look_up_is_said_to_be_unknown(cluster, app, cuts):
    """The connection ends around the COMMIT and the database stays away: no one knows whether the post is stored, and the answer says so.
    Sent again with its request_id it exists once."""
    wire = DropProxy(cluster.server.port)
    name = "unknown-" + "-".join(cuts)
    cluster.urls[name] = cluster.url.replace(f":{cluster.server.port}/", f":{wire.port}/")
    cluster.start(name, "--no-deliver")
    try:
        account, through, text = app.account("facebook"), on(cluster, app, name), marker("unknown")
        through.list(per_page=1)  # what is asked once is known
        answers, number = [], 0
        wire.cut_commits(**cuts, then_drop=True)
        while wire.cuts_left():
            number += 1
            answers.append(through.publish(account, f"{text} {number}", request_id=f"{text} {number}"))
            assert number < 200
        unknown = answers[-1]
        assert unknown.status_code == 500, unknown.text
        assert "unknown" in unknown.json()["message"] and "request_id" in unknown.json()["message"], unknown.text
        wire.heal()
        again = through.publish(account, f"{text} {number}", request_id=f"{text} {number}")
        for _ in range(60):
            if again.status_code != 503:
                break
            time.sleep(1)
            again = through.publish(account, f"{text} {number}", request_id=f"{text} {number}")
        assert again.status_code == (409 if "after" in cuts else 202), again.text
        posts = through.list(per_page=100)["data"]
        assert [post["containers"][0]["content"] for post in posts].count(f"{text} {number}") == 1
    finally:
        wire.heal()
        cluster.nodes.pop(name).stop()
        wire.close()


def test_doctor_tells_of_every_node(cluster):
    found = json.loads(cluster.cli("doctor").stdout)["checks"]
    nodes = [check for check in found if check["check"] == "node"]
    assert len(nodes) == 2 and all(check["ok"] for check in nodes)
    for node in cluster.nodes.values():
        assert any(node.url in check["message"] and "(all" in check["message"] for check in nodes)


def test_the_dashboard_tells_of_every_node(cluster):
    """Signed in on one node, asked on the other: sessions are the database's. Without the harness's checker: /dashboard is not in openapi.json."""
    first, second = list(cluster.nodes.values())[:2]
    token = json.loads(cluster.cli("admin", "setup-link").stdout)["link"].split("#")[1]
    body = json.dumps({"token": token, "email": "nodes@example.com", "password": "turnip lamp quartz"}).encode()
    begin = urllib.request.Request(first.url + "/dashboard/api/setup", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(begin, timeout=HTTP_S) as answer:
        cookie = answer.headers["Set-Cookie"].split(";")[0]
    ask = urllib.request.Request(second.url + "/dashboard/api/nodes", headers={"Cookie": cookie})
    with urllib.request.urlopen(ask, timeout=HTTP_S) as answer:
        shown = json.load(answer)
    assert shown["shared"] and {node["address"] for node in shown["data"] if node["alive"]} >= {first.url, second.url}
    assert {node["role"] for node in shown["data"] if node["alive"]} == {"all"}
    assert shown["answered_by"] in {node["id"] for node in shown["data"] if node["address"] == second.url}


def test_a_secret_of_the_database_is_not_told(cluster):
    """The URL may hold a password, which belongs into no log and no message."""
    url = f"postgres://posthorn:pa55word@127.0.0.1:{cluster.server.port}/nowhere_at_all"
    done = cli("app", "list", "--data", cluster.directory / "secret", environment={"POSTHORN_DATABASE": url})
    assert done.returncode == 1
    assert "nowhere_at_all" in done.stderr and "pa55word" not in done.stderr + done.stdout


def test_halves_need_a_database_for_several(tmp_path):
    for words in (["worker"], ["serve", "--no-deliver"]):
        done = cli(*words, "--data", tmp_path / "data", "--listen", "127.0.0.1:0")
        assert done.returncode == 1 and "PostgreSQL" in done.stderr


# ---- halves of a service ----


@contextlib.contextmanager
def slow_picture(body):
    """A picture whose bytes come when go_on is set: (url, is_asked, go_on)."""
    is_asked, go_on = threading.Event(), threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "image/jpeg")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:100])
            is_asked.set()
            go_on.wait(HTTP_S)
            with contextlib.suppress(OSError):
                self.wfile.write(body[100:])

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/picture.jpg", is_asked, go_on
    finally:
        go_on.set()
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def webhook_receiver():
    """Takes every call: (url, calls), each as (webhook-id, body)."""
    calls = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            calls.append((self.headers["webhook-id"], json.loads(body)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", calls
    finally:
        server.shutdown()
        server.server_close()


def test_nodes_carry_the_events_of_many_apps_once_each(cluster):
    """Both nodes claim events and webhook calls at the same time: each event is carried once, and the feed has the same, in order."""
    apps, count = [cluster.app("facebook") for _ in range(4)], 6
    with webhook_receiver() as (url, calls):
        for app in apps:
            account = app.account("facebook")
            assert app.post("/v1/webhooks", json={"url": url, "events": ["post.completed"]}).status_code == 201
            for _ in range(count):
                assert app.publish(account, marker("carried")).status_code == 202
        poll("every event is carried", lambda: len(calls) >= len(apps) * count, timeout_s=60)
        time.sleep(1)  # one that is carried twice
    carried = [identifier for identifier, _ in calls]
    assert len(carried) == len(set(carried)) == len(apps) * count
    for app in apps:
        feed = [event["id"] for event in app.get("/v1/events", params={"limit": 100}).json()["data"] if event["type"] == "post.completed"]
        assert len(feed) == count and set(feed) <= set(carried)


def test_readiness_is_answered_while_the_database_hangs(cluster):
    """Packets are swallowed and nobody is told: /readyz answers within a second from the last probe, and gives the node up after
    15 s. So does /metrics, with figures that say how old they are."""
    wire = DropProxy(cluster.server.port)
    cluster.urls["hung"] = cluster.url.replace(f":{cluster.server.port}/", f":{wire.port}/")
    node = cluster.start("hung", "--metrics-listen", "127.0.0.1:0")
    metrics_url = node.side_url("metrics") + "/metrics"
    asked = []

    def ready():
        began = time.monotonic()
        answer = node.request("GET", "/readyz")
        asked.append(time.monotonic() - began)
        return answer.status_code

    def figures_age_s():
        began = time.monotonic()
        text = requests.get(metrics_url, timeout=HTTP_S).text
        asked.append(time.monotonic() - began)
        return float(re.search(r"^posthorn_figures_age_seconds (.+)$", text, re.M)[1])

    try:
        assert ready() == 200 and figures_age_s() < 1
        wire.drop()
        assert figures_age_s() < 5
        poll("the node is not ready", lambda: ready() == 503, 40)
        assert any(words in node.request("GET", "/readyz").json()["message"] for words in ("has not answered", "does not work"))
        assert figures_age_s() > 5
        wire.heal()
        poll("the node is ready again", lambda: ready() == 200, 90)
        poll("figures are read again", lambda: figures_age_s() < 1, 90)
        assert max(asked) < 1, asked
    finally:
        wire.heal()
        cluster.nodes.pop("hung").stop()


@pytest.fixture(scope="module")
def halves():
    """An API that does not deliver; workers come and go."""
    with Cluster(time_scale=20) as made:
        made.start("api", "--no-deliver")
        yield made


def test_a_post_waits_for_a_worker(halves):
    app, text = halves.app("facebook"), marker()
    post_id = app.accepted(app.account("facebook"), text)["post_id"]
    turns = lambda: halves.nodes["api"].request("GET", "/readyz").status_code  # noqa: E731
    assert turns() == 200
    assert app.show(post_id)["status"] == "pending" and not halves.sandbox.ledger(text)
    worker = halves.start("worker", word="worker")
    assert app.wait_post(post_id)["status"] == "published"
    assert len(halves.sandbox.ledger(text)) == 1
    assert worker.request("GET", "/readyz").status_code == 200
    assert worker.cli("metrics").stdout.startswith("# HELP posthorn_")
    check_error(worker.request("POST", "/v1/oauth/token"), 404, "NOT_FOUND")
    check_error(worker.request("GET", "/docs"), 404, "NOT_FOUND")
    check_error(worker.request("POST", "/readyz"), 405, "METHOD_NOT_ALLOWED")
    halves.nodes.pop("worker").stop()


def test_a_dead_workers_fetch_is_taken_over(halves, media):
    """A media file keeps its worker for hours; when the worker dies, another one fetches the file anew and goes on."""
    app, text = halves.app("facebook"), marker()
    account = app.account("facebook")
    halves.start("doomed", word="worker")
    with slow_picture(media.picture) as (url, is_asked, go_on):
        post_id = app.accepted(account, text, media=[{"type": "image", "url": url}])["post_id"]
        assert is_asked.wait(HTTP_S)
        busy = poll("the lane is the worker's", lambda: halves.sql("SELECT node_id FROM lanes WHERE busy_delivery_id <> ''"))
        halves.kill("doomed")
        go_on.set()
        take_over(halves, app, post_id, busy)
    assert len(halves.sandbox.ledger(text)) == 1


def take_over(halves, app, post_id, dead_node):
    halves.start("heir", word="worker")
    halves.sql(f"UPDATE nodes SET beat_at_us = beat_at_us - 60000000 WHERE id = '{dead_node}'")  # time goes by
    assert app.wait_post(post_id)["status"] == "published"
    assert "work_of_dead_node_taken" in halves.nodes["heir"].stderr() + halves.nodes["api"].stderr()
    halves.nodes.pop("doomed")
    halves.nodes.pop("heir").stop()


def files_of(node):
    return [path for path in (node.data / "spool").rglob("*") if path.is_file()]


def test_files_of_a_post_that_ended_elsewhere_go(media):
    """A node fetched a file, and another one finished the post: the copy goes by itself."""
    with Cluster(time_scale=600) as cluster:
        cluster.start("api", "--no-deliver")
        first = cluster.start("first", word="worker")
        app, text = cluster.app("facebook"), marker()
        cluster.sandbox.fault("facebook", "POST", "/v25.0/*/photos", "status", status=503, times=1)
        post_id = app.accepted(app.account("facebook"), text, media=[media.image()])["post_id"]
        poll("the file is there", lambda: files_of(first))
        first.popen.send_signal(signal.SIGSTOP)
        second = cluster.start("second", word="worker")
        cluster.sql("UPDATE nodes SET beat_at_us = beat_at_us - 60000000 WHERE id = (SELECT id FROM nodes WHERE address = '%s')" % first.url)
        try:
            assert app.wait_post(post_id)["status"] in ("published", "failed")
        finally:
            first.popen.send_signal(signal.SIGCONT)
        poll("no copy is left", lambda: not files_of(first) and not files_of(second))
        assert len(cluster.sandbox.ledger(text)) == 1
