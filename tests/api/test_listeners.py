# SPDX-License-Identifier: Apache-2.0
"""Which Host the service answers for, and what is served where: the API, the dashboard and the metrics may each have an address of
their own (design.md 5)."""
import json
import socket

import pytest
import requests

from harness import HTTP_S, cli
from test_metrics import figures_of

WRONG = "evil.example"


def ask(url, host=None, path="/docs", method="GET", **more):
    headers = {**more.pop("headers", {}), **({"Host": host} if host is not None else {})}
    return requests.request(method, url + path, headers=headers, timeout=HTTP_S, allow_redirects=False, **more)


def is_refused(answer):
    if answer.status_code != 421:
        return False
    body = answer.json()
    assert body["error"] == "MISDIRECTED_REQUEST" and "allow-host" in body["message"], body
    assert answer.headers["X-Request-Id"] and answer.headers["X-Content-Type-Options"] == "nosniff"
    return True


# ---- Host ----


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    from harness import Service

    options = ["--public-url", "https://Social.example.com", "--media-url", "http://media.example.com:8081", "--allow-host", "api.internal",
               "--allow-host", "10.1.2.3"]
    with Service(tmp_path_factory.mktemp("named") / "data", options=options) as process:
        yield process


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9", "localhost", "LOCALHOST:80", "social.example.com", "social.example.com:443",
                                  "media.example.com", "api.internal", "API.internal.", "10.1.2.3:8080"])
def test_hosts_of_ours(named, host):
    assert ask(named.url, host).status_code == 200


@pytest.mark.parametrize("path,method", [("/docs", "GET"), ("/v1/platforms", "GET"), ("/v1/oauth/token", "POST"), ("/dashboard", "GET"),
                                         ("/dashboard/api/session", "GET"), ("/nowhere", "GET"), ("/media/x", "GET"),
                                         ("/v1/oauth/x/callback", "GET")])
def test_other_hosts_are_refused(named, path, method):
    for host in (WRONG, "social.example.com.evil.example", "192.0.2.1", "[::1]:8080", "example.com"):
        assert is_refused(ask(named.url, host, path, method)), host


def test_health_takes_any_host(named):
    """A load balancer calls by whatever address it knows."""
    assert ask(named.url, WRONG, "/healthz").status_code == ask(named.url, WRONG, "/readyz").status_code == 200


def test_a_body_is_not_waited_for(named):
    port = int(named.url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=HTTP_S) as client:
        client.sendall(b"POST /v1/posts/publish HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100000\r\n\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 421 ")


def test_listening_everywhere_takes_this_machines_addresses(start_service):
    service = start_service(None, listen="0.0.0.0:0")
    url = f"http://127.0.0.1:{service.url.rsplit(':', 1)[1]}"
    assert ask(url).status_code == ask(url, "localhost").status_code == ask(url, "127.0.0.1").status_code == 200
    other = url.replace("127.0.0.1", "127.0.0.2")  # no interface has it, and a client got here by it
    assert ask(other).status_code == 200
    for host in (WRONG, "0.0.0.0", "192.0.2.1", socket.gethostname() + ".example"):
        assert is_refused(ask(url, host)), host


@pytest.mark.parametrize("value", ["https://a.example", "a.example/x", "*", "a b"])
def test_allow_host_is_checked(tmp_path, value):
    done = cli("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--allow-host", value)
    assert done.returncode == 1 and "allow-host" in done.stderr and value in done.stderr
    assert not (tmp_path / "data").exists()


# ---- the metrics' own ----


def test_metrics_have_a_listener_of_their_own(start_service):
    service = start_service(None, "--metrics-listen", "127.0.0.1:0")
    url = service.side_url("metrics")
    assert url != service.url
    answer = ask(url, path="/metrics")
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert figures_of(answer.text).keys() <= figures_of(service.cli("metrics").stdout).keys()
    # nothing but the figures and the health
    assert ask(url, WRONG, "/healthz").status_code == ask(url, path="/readyz").status_code == 200
    for path in ("/docs", "/dashboard", "/v1/platforms", "/openapi.json"):
        assert ask(url, path=path).status_code == 404, path
    assert is_refused(ask(url, WRONG, "/metrics"))


def test_the_public_listener_has_no_metrics(start_service):
    for options in ((), ("--metrics-listen", "127.0.0.1:0")):
        service = start_service(None, *options)
        for path in ("/metrics", "/v1/metrics"):
            assert ask(service.url, path=path).status_code == 404


# ---- the dashboard's own ----


def test_the_dashboard_moves(start_service):
    service = start_service(None, "--dashboard-listen", "127.0.0.1:0", "--public-url", "https://social.example.com")
    url = service.side_url("dashboard")
    for path in ("/dashboard", "/dashboard/main.js", "/dashboard/api/session"):
        assert ask(service.url, path=path).status_code == 404, path
    assert ask(url, path="/dashboard").status_code == ask(url, path="/dashboard/main.js").status_code == 200
    assert ask(url, path="/docs").status_code == 200  # which its pages link to
    for path in ("/v1/platforms", "/v1/oauth/token", "/metrics", "/media/x"):
        assert ask(url, path=path).status_code == 404, path
    assert is_refused(ask(url, WRONG, "/dashboard"))

    assert "posthorn admin setup-link" in service.stderr() and "setup#" not in service.stderr()  # live, and no terminal
    link = json.loads(service.cli("admin", "setup-link").stdout)["link"]
    assert link.startswith(url + "/dashboard/setup#")
    body = {"token": link.split("#")[1], "email": "first@example.com", "password": "correct horse battery"}
    made = ask(url, path="/dashboard/api/setup", method="POST", json=body, headers={"Origin": url})
    assert made.status_code == 201, made.text
    assert made.json()["public_url"] == "https://social.example.com"
    assert ask(url, path="/dashboard/api/login", method="POST", json=body, headers={"Origin": "http://evil.example"}).status_code == 403


@pytest.mark.parametrize("name", ["metrics-listen", "dashboard-listen"])
def test_side_listeners_are_checked(tmp_path, start_service, name):
    done = cli("serve", "--data", tmp_path / "data", f"--{name}", "9090")
    assert done.returncode == 2 and f"{name} must be HOST:PORT" in done.stderr
    service = start_service(None)
    taken = service.url.removeprefix("http://")
    done = cli("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", f"--{name}", taken)
    assert done.returncode == 1 and f"{name}: cannot listen on {taken}" in done.stderr
