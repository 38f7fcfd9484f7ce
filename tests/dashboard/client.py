# SPDX-License-Identifier: Apache-2.0
"""A browser at the dashboard, as far as its API needs one: keeps the cookie, sends the session's CSRF token. Knows docs/dashboard-api.md
and nothing of how the dashboard is built."""
import base64
import hmac
import json
import pathlib
import re
import time

import requests

from harness import HTTP_S, ROOT

API = "/dashboard/api"
PASSWORD = "correct horse battery"
FIRST_ADMIN = "first@example.com"
ROUTE = re.compile(r'^ADMIN_ROUTE\(([A-Z*]+), *"([^"]*)", *(BOTH|WEB|CONTROL), *(NONE|SELF|ADMIN|OWNER|ROOT), *(true|false), *(\w+),'
                   r' *"([^"]*)", *"([^"]*)", *(\w+)\)$')


def web_routes():
    """[(method, path, principal)] of the one table."""
    lines = (ROOT / "src/dashboard/admin_routes.def").read_text().splitlines()
    rows = [ROUTE.match(line) for line in lines if line.startswith("ADMIN_ROUTE(")]
    assert all(rows) and len(rows) > 20
    return [(row[1], row[2], row[4]) for row in rows if row[3] != "CONTROL"]


def web_bodies():
    """[(method, path)] of the rows with a JSON body of their own."""
    lines = (ROOT / "src/dashboard/admin_routes.def").read_text().splitlines()
    rows = [ROUTE.match(line) for line in lines if line.startswith("ADMIN_ROUTE(")]
    return [(row[1], row[2]) for row in rows if row[3] != "CONTROL" and row[5] == "true" and row[1] != "*"]


def setup_token(service):
    """What a new set-up link carries."""
    return token_of(json.loads(service.cli("admin", "setup-link").stdout)["link"])


def token_of(link):
    """What a link carries; the email address after it is for the page alone."""
    return link.split("#")[1].split("/")[0]


def code_of(secret, steps_on=0):
    """What an authenticator app shows for this secret (RFC 6238), so many steps ahead of now."""
    moving = int(time.time()) // 30 + steps_on
    mac = hmac.digest(base64.b32decode(secret), moving.to_bytes(8, "big"), "sha1")
    at = mac[-1] & 15
    return f"{(int.from_bytes(mac[at:at + 4], 'big') & 0x7FFFFFFF) % 1000000:06}"


class FromAddress(requests.adapters.HTTPAdapter):
    """Calls from another address of the loopback network: another machine, to the service."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **more):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **more)


class Client:
    """One browser: signed out until it signs in. address: where it calls from."""

    def __init__(self, service, email=None, password=PASSWORD, address=None):
        self.service = service
        self.browser = requests.Session()
        if address is not None:
            self.browser.mount("http://", FromAddress(address))
        self.csrf = None
        self.session = None
        if email is not None:
            self.sign_in(email, password)

    def request(self, method, path, json=None, headers=None, with_csrf=True, **more):
        headers = dict(headers or {})
        if with_csrf and self.csrf and method not in ("GET", "HEAD"):
            headers.setdefault("X-CSRF-Token", self.csrf)
        return self.browser.request(method, self.service.url + API + path, json=json, headers=headers, timeout=HTTP_S, **more)

    def get(self, path, status=200, **more):
        return self._ok("GET", path, status, **more)

    def post(self, path, json=None, status=200, **more):
        return self._ok("POST", path, status, json=json, **more)

    def patch(self, path, json, status=200):
        return self._ok("PATCH", path, status, json=json)

    def put(self, path, json, status=200):
        return self._ok("PUT", path, status, json=json)

    def delete(self, path, status=200):
        return self._ok("DELETE", path, status)

    def _ok(self, method, path, status, **more):
        answer = self.request(method, path, **more)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def refused(self, method, path, status, code, **more):
        """An error in the one shape: its body."""
        answer = self.request(method, path, **more)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        body = answer.json()
        assert body["error"] == code and body["message"], body
        return body

    def keep(self, answer):
        """The session that an answer begins."""
        self.session = answer.json()
        self.csrf = self.session["csrf_token"]
        return self

    def set_up(self, email=FIRST_ADMIN, password=PASSWORD):
        body = {"token": setup_token(self.service), "email": email, "password": password}
        answer = self.request("POST", "/setup", json=body)
        assert answer.status_code == 201, answer.text
        return self.keep(answer)

    def sign_in(self, email, password=PASSWORD):
        answer = self.request("POST", "/login", json={"email": email, "password": password})
        assert answer.status_code == 200, answer.text
        return self.keep(answer)

    def invite(self, email, password=PASSWORD, role="owner"):
        """Another admin, in a browser of their own, who has accepted the invitation."""
        made = self.post("/invitations", {"email": email, "role": role}, status=201)
        other = Client(self.service)
        answer = other.request("POST", "/invitation", json={"token": token_of(made["link"]), "password": password})
        assert answer.status_code == 201, answer.text
        return other.keep(answer)

    def make_app(self, name="dashboard app", **more):
        return self.post("/apps", {"name": name, **more}, status=201)


def all_sources():
    """What the browser is sent: every file of the dashboard."""
    return sorted(path for path in pathlib.Path(ROOT / "src/dashboard/web").rglob("*") if path.is_file())
