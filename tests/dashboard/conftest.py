# SPDX-License-Identifier: Apache-2.0
"""One service for the dashboard's tests, set up by its own set-up link, and an app with accounts that was made through the dashboard alone."""
import contextlib
import http.server
import threading

import pytest

from client import FIRST_ADMIN, Client
from harness import WATCH, Service, follow_return, poll, with_query

import requests


@pytest.fixture(scope="session")
def dashboard_service(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("dashboard") / "data", sandbox, ["--time-scale", "1000"]) as process:  # looks after a call in doubt take no time
        WATCH.remove(process.url)  # the dashboard is not in openapi.json
        yield process


@pytest.fixture(scope="session")
def first_client(dashboard_service):
    """The browser that made the first admin."""
    return Client(dashboard_service).set_up()


@pytest.fixture
def client(first_client, dashboard_service):
    """A fresh browser of the first admin. Signs out: of too many sessions the oldest end."""
    browser = Client(dashboard_service, FIRST_ADMIN)
    yield browser
    browser.request("POST", "/logout")


@pytest.fixture(scope="session")
def other_client(first_client, dashboard_service):
    """Another admin, who owns another app."""
    other = first_client.invite("other@example.com", "another long word")
    other.app = other.make_app("other's app")
    return other


def connect(client, client_id, platform):
    """Through the consent page and back: the outcome."""
    begun = client.post(f"/apps/{client_id}/credentials/{platform}/connect")
    consent = requests.get(with_query(begun["redirect_url"], sandbox_decision="allow"), allow_redirects=False, timeout=30)
    back = follow_return(consent.headers["Location"])
    assert back.headers["Location"].startswith(f"{client.service.url}/dashboard/apps/{client_id}/connected?")

    def look():
        found = client.post(f"/apps/{client_id}/connections/{begun['connection_id']}/outcome")
        return found if found["status"] != "pending" else None

    return poll("the connection is final", look)


@pytest.fixture(scope="session")
def connect_account():
    return connect


@pytest.fixture(scope="session")
def dashboard_app(first_client):
    """Live, with an account on X and one on LinkedIn: the app as it was made, and accounts[platform]."""
    made = first_client.make_app("full app")
    client_id = made["client_id"]
    made["accounts"] = {}
    for platform in ("x", "linkedin"):
        body = {"client_id": f"sandbox-{platform}", "client_secret": f"sandbox-secret-{platform}", "verify": True}
        assert first_client.put(f"/apps/{client_id}/credentials/{platform}", body)["state"] == "verified"
        outcome = connect(first_client, client_id, platform)
        assert outcome["status"] == "success", outcome
        made["accounts"][platform] = outcome["accounts"][0]
    return made


@pytest.fixture
def fresh(start_service):
    """A service of one's own that nobody has set up."""

    def start(*options, **more):
        service = start_service(None, *options, **more)
        WATCH.remove(service.url)
        return service

    return start


@contextlib.contextmanager
def event_server():
    """A customer's server: keeps (webhook-id, body) in .taken, answers with .status."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.taken.append((self.headers["webhook-id"], body))
            self.send_response(server.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.taken, server.status = [], 200
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def receiver():
    with event_server() as server:
        yield server


@pytest.fixture(scope="session")
def session_receiver():
    with event_server() as server:
        yield server
