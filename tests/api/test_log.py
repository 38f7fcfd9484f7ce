# SPDX-License-Identifier: Apache-2.0
"""The log as an operator reads it: a line for each request, and from it to the post and back (design.md 5)."""
import json
import re
import subprocess

import requests

from harness import App, Service, clean_environment, find_binary, marker, poll, utc

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def lines_of(service):
    return [json.loads(line) for line in service.stderr().splitlines()]


def find(service, event, **fields):
    return [line for line in lines_of(service) if line.get("event") == event and fields.items() <= line.items()]


def found(service, event, **fields):
    return poll(f"{event} {fields} is in the log", lambda: find(service, event, **fields), timeout_s=10)


def as_json(data, sandbox=None, *more):
    return Service(data, sandbox, ["--log-format", "json", *more])


def test_every_request_is_one_line(tmp_path, sandbox):
    with as_json(tmp_path / "data", sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        answer = app.get("/v1/posts?per_page=3", headers={"X-Request-Id": "find-me", "traceparent": PARENT})
        assert answer.status_code == 200
        line = found(service, "request", request="find-me")
        assert len(line) == 1
        line = line[0]
        assert line["level"] == "info" and line["method"] == "GET" and line["route"] == "/v1/posts" and line["status"] == 200
        assert 0 < line["duration_ms"] < 10000 and line["app"] == app.id and line["trace"] == TRACE
        service.request("GET", "/v1/posts/some-id", headers={"X-Request-Id": "stranger", "traceparent": "00-nonsense"})
        line = found(service, "request", request="stranger")[0]
        assert line["route"] == "/v1/posts/{post_id}" and line["status"] == 401 and line["app"] == line["trace"] == ""
        service.request("GET", "/a-path-of-the-caller?with=a-query", headers={"X-Request-Id": "nowhere"})
        assert found(service, "request", request="nowhere")[0]["route"] == "none"
        for told in ("a-path-of-the-caller", "a-query", app.token, app.client_secret):
            assert told not in service.stderr()


def test_a_customers_request_leads_to_the_post_and_back(tmp_path, sandbox):
    with as_json(tmp_path / "data", sandbox) as service:
        app = App(service).set_credentials("x", "linkedin").issue_token()
        account = app.account("x")
        answer = app.post("/v1/posts/publish", json={"account_ids": [account], "content": marker("log")},
                          headers={"X-Request-Id": "cust-trace-1", "traceparent": PARENT})
        post = answer.json()["data"]["post_id"]
        assert found(service, "request", request="cust-trace-1")[0]["post"] == post
        line = found(service, "delivery_published", post=post)[0]
        assert line["request"] == "cust-trace-1" and line["trace"] == TRACE
        assert line["app"] == app.id and line["account"] == account and line["platform"] == "x" and line["delivery"]
        sandbox.fault("x", "POST", "/2/tweets", "status", status=403, body={"detail": "no", "status": 403})
        failed = app.wait_post(app.accepted(account, marker("log"))["post_id"])
        line = found(service, "delivery_failed", post=failed["id"])[0]
        assert line["level"] == "warn" and line["code"] == failed["platform_posts"][0]["error"]["code"]
        assert line["request"] and "trace" not in line


def test_a_cause_outlives_a_restart(tmp_path, sandbox):
    with as_json(tmp_path / "data", sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        answer = app.post("/v1/posts/publish", json={"account_ids": [account], "content": marker("log"), "scheduled_at": utc(86400)},
                          headers={"X-Request-Id": "before-the-restart"})
        assert answer.status_code == 202
    with as_json(tmp_path / "data", sandbox) as service:
        app.service = service
        moved = app.request("PATCH", f"/v1/posts/{answer.json()['data']['post_id']}", json={"scheduled_at": utc()})
        assert moved.status_code == 200, moved.text
        assert found(service, "delivery_published", request="before-the-restart")[0]["post"] == answer.json()["data"]["post_id"]


def test_start_and_stop_say_what_ran(tmp_path, sandbox):
    with as_json(tmp_path / "data", sandbox, "--media-port", "8080", "--media-port", "8443") as service:
        line = find(service, "service_started")[0]
        assert re.fullmatch(r"\d+\.\d+\.\d+", line["version"]) and re.fullmatch("[0-9a-f]{12}|unknown", line["commit"])
        assert line["mode"] == "sandbox" and line["address"] == service.url
        settings = line["settings"].split(" ")
        assert {f"sandbox={sandbox.url}", "log-format=json", "rate-limit=0", "media-port=8080,8443"} <= set(settings)
        assert not [setting for setting in settings if setting.startswith("threads=")]
    line = lines_of(service)[-1]
    assert line["event"] == "service_stopped" and line["mode"] == "sandbox" and line["version"] and line["uptime_s"] >= 0 and line["why"]


def test_a_reader_that_takes_nothing_slows_nobody(tmp_path):
    """Standard error is a pipe that nobody reads: it takes 64 KiB, and then the lines about requests are dropped."""
    arguments = [find_binary(), "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env=clean_environment()) as service:
        url = None
        while url is None:
            url = re.search(r"listening on (http://\S+)", service.stderr.readline())
        with requests.Session() as session:
            for _ in range(700):
                assert session.get(f"{url[1]}/healthz", timeout=10).status_code == 200
        service.terminate()
        assert service.wait(20) == 0
