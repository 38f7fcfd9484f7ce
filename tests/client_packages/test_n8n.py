# SPDX-License-Identifier: Apache-2.0
"""The n8n node, built and linted by n8n's own rules, does its work in a host that gives it what n8n does (n8n_host.mjs), against the
running service. With --long only: n8n's types and linter are 90 MB."""
import base64
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading

import pytest

from harness import ROOT, TestApp, marker, poll, utc
from packages import BUILD_S, Runner, copied, find_node
from test_keys import create
from way import Way

N8N = pathlib.Path(os.environ.get("POSTHORN_N8N") or ROOT / "build/npm/n8n")

pytestmark = [
    pytest.mark.skipif(not os.environ.get("POSTHORN_LONG"), reason="needs n8n's types and linter, 90 MB; set POSTHORN_LONG=1"),
    pytest.mark.skipif(find_node() is None or not (N8N / "node_modules").is_dir(),
                       reason="needs Node.js 20, and n8n-workflow from npm in POSTHORN_N8N (./dev test --long installs it)")]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    target = copied("n8n", tmp_path_factory.mktemp("n8n"))
    (target / "node_modules").symlink_to(N8N / "node_modules")
    run(target, "tsc", "-p", ".")
    shutil.copy(target / "nodes/Posthorn/posthorn.svg", target / "dist/nodes/Posthorn")
    return target


def run(target, tool, *words):
    command = [find_node(), N8N / "node_modules/.bin" / tool, *words]
    done = subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=BUILD_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def host(built):
    shutil.copy(ROOT / "tests/client_packages/n8n_host.mjs", built)
    runner = Runner([find_node(), "n8n_host.mjs", str(built)], built)
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def flow(service):
    """An app with an account on X, and a key for n8n."""
    app = TestApp(service, name="n8n")
    app.one = app.connect("x").accounts[0]["id"]
    app.key = create(app, "read,publish,webhooks", name="n8n")["key"]
    return app


@pytest.fixture
def way(service):
    with_mishaps = Way(service.url)
    yield with_mishaps
    with_mishaps.close()


def execute(host, app, operation, url=None, items=1, **more):
    task = {"execution": more.pop("execution", 1), "run": more.pop("run", 0), "continueOnFail": more.pop("continue_on_fail", False)}
    credentials = {"url": url or app.service.url, "token": app.key}
    return host.run("execute", credentials=credentials, items=[{}] * items, parameters={"operation": operation, **more}, **task)


def test_n8ns_own_rules(built):
    run(built, "eslint", "-c", ".eslintrc.js", "--ext", ".ts,.json", "nodes", "credentials", "package.json")


def test_a_post_is_published_once(host, flow, way):
    """n8n tries the item again, in the same run: the first answer was lost. Another turn of a loop is another post."""
    text = marker("n8n")
    way.lose_answer("POST", "/v1/posts/publish")
    post = {"accountIds": [flow.one], "content": text, "comments": {"comment": [{"content": "Under it"}]}, "options": {"platforms": "{}"}}
    assert "error" in execute(host, flow, "publish", way.url, execution=7, **post)
    again = execute(host, flow, "publish", way.url, execution=7, **post)["result"][0]
    assert again["recovered"] is True and again["request_id"].startswith("n8n-5f0e5f0e5f0e5f0e-7-")
    assert flow.wait_post(again["post_id"])["status"] == "published"
    assert sum(text in row["text"] for row in flow.ledger()) == 1
    other = {**post, "content": marker("n8n")}
    assert "DUPLICATE_REQUEST" in execute(host, flow, "publish", execution=7, **other)["error"]["message"]  # n8n's counter began anew
    made = execute(host, flow, "publish", execution=7, run=1, **other)["result"][0]
    assert "recovered" not in made and made["post_id"] != again["post_id"]


def test_an_id_of_ones_own_is_no_repeat(host, flow):
    post = {"accountIds": [flow.one], "content": marker("n8n"), "options": {"request_id": marker("order")}}
    first = execute(host, flow, "publish", **post)["result"][0]
    assert "DUPLICATE_REQUEST" in execute(host, flow, "publish", execution=2, **post)["error"]["message"]
    assert execute(host, flow, "get", postId=first["post_id"])["result"][0]["request_id"] == post["options"]["request_id"]


def test_posts_are_scheduled_and_listed(host, flow):
    day = {"accountIds": [flow.one], "scheduledAt": utc(86400), "media": {"file": [{"source": "https://cdn.example/a.jpg", "type": "image",
                                                                                   "alt_text": "A loaf"}]}}
    made = [execute(host, flow, "schedule", execution=n, content=marker("n8n"), **day)["result"][0] for n in range(20, 23)]
    assert [row["status"] for row in made] == ["scheduled"] * 3
    listed = execute(host, flow, "getAll", returnAll=True, filters={"status": "scheduled"})["result"]
    assert [row["id"] for row in listed] == [row["post_id"] for row in reversed(made)]
    assert listed[0]["containers"][0]["media"][0]["alt_text"] == "A loaf"
    assert len(execute(host, flow, "getAll", limit=2, filters={})["result"]) == 2


def test_a_refusal_says_why(host, flow):
    wrong = {"accountIds": ["nobody"], "content": "Hello"}
    error = execute(host, flow, "publish", execution=30, **wrong)["error"]
    assert error["message"].startswith("INVALID_ACCOUNT: ")
    assert "account_ids.0" in error["description"] and "Request " in error["description"]
    kept = execute(host, flow, "publish", execution=31, continue_on_fail=True, items=2, **wrong)["result"]
    assert [list(row) for row in kept] == [["error"], ["error"]]
    assert "Time is not a date" in execute(host, flow, "schedule", execution=32, scheduledAt="soon", **wrong)["error"]["message"]


def test_what_was_not_done_is_sent_again(host, flow, way):
    body = json.dumps({"message": "Nothing was stored.", "error": "UNAVAILABLE"})
    way.answer("POST", "/v1/posts/publish", 503, body, Content_Type="application/json", Retry_After="0")
    made = execute(host, flow, "publish", way.url, execution=40, accountIds=[flow.one], content=marker("n8n"))["result"][0]
    assert "recovered" not in made and len(way.of("POST", "/v1/posts/publish")) == 2


def test_accounts_to_choose_from(host, flow):
    found = host.run("accounts", credentials={"url": flow.service.url, "token": flow.key})["result"]
    assert [row["value"] for row in found] == [flow.one] and found[0]["name"].startswith("x: ")


class Receiver(http.server.HTTPServer):
    """Keeps the calls that come: (headers, body)."""

    def __init__(self):
        calls = self.calls = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                calls.append(({name.lower(): value for name, value in self.headers.items()}, base64.b64encode(body).decode()))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


def test_the_trigger(host, flow):
    receiver = Receiver()
    task = {"credentials": {"url": flow.service.url, "token": flow.key}, "parameters": {"events": ["post.completed"]},
            "url": f"http://127.0.0.1:{receiver.server_port}/"}
    assert host.run("exists", **task)["result"] is False
    kept = host.run("create", **task)["result"]
    assert host.run("exists", **task)["result"] is True
    assert host.run("exists", **{**task, "url": "http://127.0.0.1:9/moved"})["result"] is False
    post = flow.published(flow.one, marker("n8n"))
    poll("the event comes", lambda: receiver.calls)
    headers, body = receiver.calls[0]
    started = host.run("webhook", headers=headers, body=body)["result"]
    assert started["status"] is None and started["events"][0]["type"] == "post.completed"
    assert started["events"][0]["data"]["id"] == post["id"]
    for wrong in ({"headers": headers, "body": base64.b64encode(b"{}").decode()}, {"headers": {}, "body": body},
                  {"headers": {**headers, "webhook-timestamp": "1700000000"}, "body": body},
                  {"headers": {**headers, "webhook-signature": "v1,AAAA"}, "body": body}):
        assert host.run("webhook", **wrong)["result"] == {"events": [], "status": 401}
    host.run("delete", **task)
    assert flow.get(f"/v1/webhooks/{kept['webhookId']}").status_code == 404
    assert host.run("webhook", headers=headers, body=body)["result"]["status"] == 401
    receiver.shutdown()
    receiver.server_close()
