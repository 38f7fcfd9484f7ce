# SPDX-License-Identifier: Apache-2.0
"""docs/dashboard-api.md is what its generator makes, and its examples have the shape of what the service answers. One walk calls every
route of the table. With POSTHORN_RECORD=1 the walk writes tests/dashboard/examples.json and docs/dashboard-api.md instead of comparing."""
import http.client
import importlib.util
import json
import os
import re
import socket
from urllib.parse import quote

import pytest

from client import FIRST_ADMIN, PASSWORD, Client, code_of, setup_token, token_of
from harness import ROOT, WATCH, Service, poll
from test_dashboard_webhooks import last_of

LIST_MAX = 2
FIGURES = {"p50": 900, "p90": 2100, "p99": 5000, "max": 5000, "bytes": 1048576, "attempts": 1}
SECRETS = {"token": "TOKEN", "password": "correct horse", "current_password": "correct horse", "new_password": "turnip lamp quartz",
           "offer": "OFFER", "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "code": "492039",
           "uri": "otpauth://totp/Posthorn:first%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Posthorn",
           "link": "http://127.0.0.1:8080/dashboard/invitation#TOKEN/second%40example.com"}
SIGN_IN_SECRET = "0123456789abcdef-secret-of-the-proxy"
TIME = "2026-11-22T12:00:00Z"
# pattern, replacement; {n} numbers the different values of a walk.
REPLACED = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"), "01990000-0000-7000-8000-{n:012d}"),
    (re.compile(r"phc_[0-9A-Za-z_-]+"), "phc_{n:024d}"),
    (re.compile(r"phs_[0-9A-Za-z_-]+"), "phs_SECRET"),
    (re.compile(r"phk_[0-9A-Za-z_-]+"), "phk_SECRET"),
    (re.compile(r"whsec_[0-9A-Za-z+/=]+"), "whsec_SECRET"),
    (re.compile(r"conn_[0-9a-f]{32}"), "conn_{n:032d}"),
    (re.compile(r"\b[a-z2-7]{4}(-[a-z2-7]{4}){3}\b"), "abcd-efgh-ijkl-mnop"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "0123456789abcdef" * 4),
    (re.compile(r"\b[0-9a-f]{32}\b"), "0123456789abcdef" * 2),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), TIME),
    (re.compile(r"(state|code_challenge)=[^&]+"), r"\1=..."),
    (re.compile(r"python-requests/\S+"), "Mozilla/5.0 ..."),
]


def generator():
    spec = importlib.util.spec_from_file_location("dashboard_reference", ROOT / "api/dashboard_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- the recorder ----


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Recorder:
    """Calls routes and keeps what was sent and answered, with everything that differs from run to run replaced."""

    def __init__(self, client, service, sandbox, directory):
        self.client, self.service, self.examples, self.numbers = client, service, {}, {}
        self.places = [
            (quote(service.url, safe=""), quote("http://127.0.0.1:8080", safe="")),
            (service.url, "http://127.0.0.1:8080"), (sandbox.url, "http://127.0.0.1:8081"), (str(directory), "/var/backups"),
        ]

    def text(self, text):
        for place, shown in self.places:
            text = text.replace(place, shown)
        for pattern, replacement in REPLACED:
            seen = self.numbers.setdefault(pattern, {})

            def replaced(found, seen=seen, replacement=replacement):
                number = seen.setdefault(found[0], len(seen) + 1)
                return found.expand(replacement) if "\\" in replacement else replacement.format(n=number)

            text = pattern.sub(replaced, text)
        return text

    def value(self, value, key=None):
        if isinstance(value, dict):
            return {self.text(name): self.value(item, name) for name, item in value.items()}
        if isinstance(value, list):
            kept = value[-LIST_MAX:] if str(key).endswith("per_hour") else value[:LIST_MAX]
            return [self.value(item) for item in kept]
        if key in FIGURES:
            return FIGURES[key]
        if key in SECRETS:
            return SECRETS[key]
        return self.text(value) if isinstance(value, str) else value

    def keep(self, name, path, request, status, answer):
        self.examples[name] = {
            "path": self.text(path), "request": self.value(request), "status": status, "answer": self.value(answer),
        }
        return answer

    def call(self, name, request=None, status=200, **captures):
        """Over HTTP: name is "POST /setup"; captures fill the path, query= is added to it."""
        method, path = name.split(" ", 1)
        query = captures.pop("query", "")
        method = captures.pop("method", method)
        path = re.sub(r"\{\*?(\w+)\}", lambda found: captures[found[1]], path) + query
        answer = self.client.request(method, path, json=request)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        if answer.headers.get("Content-Type", "").startswith("image/"):
            return self.keep(name, path, request, status, f"(the bytes of the picture, {answer.headers['Content-Type']})")
        return self.keep(name, path, request, status, answer.json() if answer.content else None)

    def session(self, name, request, status):
        session = self.call(name, request, status)
        self.client.csrf = session["csrf_token"]

    def control(self, name, request=None, status=200, **captures):
        method, path = name.split(" ", 1)
        path = re.sub(r"\{(\w+)\}", lambda found: captures[found[1]], path)
        connection = UnixConnection(self.service.data / "control.sock")
        headers = {"Content-Type": "application/json"}
        connection.request(method, f"/admin{path}", body=None if request is None else json.dumps(request), headers=headers)
        response = connection.getresponse()
        body = response.read()
        assert response.status == status, body
        connection.close()
        is_json = response.headers["Content-Type"] == "application/json"
        return self.keep(name, path, request, status, json.loads(body) if is_json else body.decode().splitlines()[0])


# ---- the walk ----


def walk_session(record, service):
    record.session("POST /setup", {"token": setup_token(service), "email": FIRST_ADMIN, "password": PASSWORD}, 201)
    record.session("POST /login", {"email": FIRST_ADMIN, "password": PASSWORD}, 200)
    record.session("POST /password", {"current_password": PASSWORD, "new_password": PASSWORD + "!"}, 200)
    record.call("GET /session")
    record.call("GET /sessions")
    Client(service, FIRST_ADMIN, PASSWORD + "!")
    other = [row["id"] for row in record.client.get("/sessions")["data"] if not row["current"]][0]
    record.call("DELETE /sessions/{session_id}", status=204, session_id=other)
    walk_second_factor(record)
    made = record.call("POST /invitations", {"email": "second@example.com", "role": "owner"}, 201)
    by_link = record.control("POST /links", {"kind": "sign_in", "email": FIRST_ADMIN}, 201)
    own, record.client = record.client, Client(service)
    record.call("POST /invitation", {"token": token_of(made["link"]), "password": PASSWORD}, 201)
    record.call("POST /login/link", {"token": token_of(by_link["link"])})
    record.client.browser.headers.update({"X-Email": FIRST_ADMIN, "X-Secret": SIGN_IN_SECRET})
    record.call("POST /login/proxy", {})
    record.client = own
    record.call("GET /admins")
    other = Client(service, "second@example.com")
    offer = other.post("/second-factor/offer")
    other.post("/second-factor", {"offer": offer["offer"], "code": code_of(offer["secret"]), "current_password": PASSWORD})
    record.call("POST /admins/{email}/second-factor/reset", email="second%40example.com")
    record.call("PATCH /admins/{email}", {"role": "root"}, email="second%40example.com")
    record.call("DELETE /admins/{email}", email="second%40example.com")


def walk_second_factor(record):
    password = {"current_password": PASSWORD + "!"}
    offer = record.call("POST /second-factor/offer")
    codes = record.call("POST /second-factor", {"offer": offer["offer"], "code": code_of(offer["secret"]), **password})["recovery_codes"]
    record.call("GET /second-factor")
    codes = record.call("POST /second-factor/codes", {"code": codes[0], **password})["recovery_codes"]
    record.call("POST /second-factor/off", {"code": codes[0], **password}, 204)


def walk_app(record):
    made = record.call("POST /apps", {"name": "Bakery"}, 201)
    app = {"client_id": made["client_id"]}
    body = {"client_id": "sandbox-x", "client_secret": "sandbox-secret-x", "scopes": None, "verify": False}
    record.call("PUT /apps/{client_id}/credentials/{platform}", body, platform="x", **app)
    record.call("POST /apps/{client_id}/credentials/{platform}/verify", platform="x", **app)
    record.call("GET /apps/{client_id}/platforms", **app)
    record.call("GET /apps/{client_id}/credentials", **app)
    record.call("POST /apps/{client_id}/go-live", **app)
    tried = record.client.post("/apps", {"name": "Tried", "test": True}, 201)
    record.call("POST /apps/{client_id}/sandbox/clock", {"advance_s": 3600}, client_id=tried["client_id"])
    fault = {"platform": "x", "match": {"method": "POST", "path": "/2/tweets"}, "effect": "reset_after"}
    record.call("POST /apps/{client_id}/sandbox/faults", fault, 201, client_id=tried["client_id"])
    record.call("GET /apps/{client_id}/sandbox/faults", client_id=tried["client_id"])
    record.call("DELETE /apps/{client_id}/sandbox/faults", client_id=tried["client_id"])
    record.call("POST /apps/{client_id}/sandbox/knobs", {"knobs": {"x_create_limit": 5}}, client_id=tried["client_id"])
    record.call("GET /apps/{client_id}/sandbox/knobs", client_id=tried["client_id"])
    record.call("POST /apps/{client_id}/sandbox/reset", client_id=tried["client_id"])
    record.call("POST /apps/{client_id}/suspend", **app)
    record.call("POST /apps/{client_id}/activate", **app)
    record.call("POST /apps/{client_id}/rotate-secret", **app)
    record.call("PATCH /apps/{client_id}", {"redirect_urls": ["https://bakery.example/back"], "on_unknown": "hold"}, **app)
    key = record.call("POST /apps/{client_id}/keys", {"name": "n8n", "scopes": ["read", "publish"], "expires_in": 7776000}, 201, **app)
    spare = record.client.post(f"/apps/{made['client_id']}/keys", {"name": "agent", "scopes": ["read"]}, status=201)
    record.call("GET /apps/{client_id}/keys", **app)
    record.call("DELETE /apps/{client_id}/keys/{key_id}", key_id=key["id"], **app)
    record.control("DELETE /keys/{key_id}", key_id=spare["id"])
    record.call("GET /apps/{client_id}/quotas", **app)
    record.call("PATCH /apps/{client_id}/quotas", {"pending_posts": 5000, "accounts": None}, **app)
    record.call("GET /apps", **app)
    record.call("GET /apps/{client_id}", **app)
    return app


def walk_accounts(record, app, connect):
    outcome = connect(record.client, app["client_id"], "x")
    record.call("POST /apps/{client_id}/credentials/{platform}/connect", platform="x", **app)
    record.call("POST /apps/{client_id}/connections/{connection_id}/outcome", connection_id=outcome["connection_id"], **app)
    account = outcome["accounts"][0]["id"]
    record.call("POST /apps/{client_id}/accounts/{account_id}/reconnect", account_id=account, **app)
    picture = f"/apps/{app['client_id']}/accounts/{account}/picture"
    poll("the picture is here", lambda: record.client.request("GET", picture).status_code == 200)
    record.call("GET /apps/{client_id}/accounts/{account_id}/picture", account_id=account, **app)
    return account


def walk_posts(record, app, account, sandbox):
    base = f"/apps/{app['client_id']}"

    def publish(text):
        made = record.client.post(f"{base}/v1/posts/publish", {"account_ids": [account], "content": text}, status=202)

        def look():
            post = record.client.get(f"{base}/v1/posts/{made['data']['post_id']}")["data"]
            return post if post["status"] in ("published", "failed") else None

        return poll("the post is final", look)

    assert publish("Walnut bread, fresh from the oven")["status"] == "published"
    sandbox.fault("x", "POST", "/2/tweets", "reset_after")
    sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=200, body={"data": [], "meta": {"result_count": 0}}, times=50)
    unknown = publish("Rye bread, fresh from the oven")
    sandbox.clear_faults()
    record.call("GET /posts", query="?status=failed&limit=25")
    record.call("GET /overview", query="?hours=24")
    record.call("GET /usage")
    record.call("GET /find", query=f"?q={unknown['id']}")
    record.call("POST /count", {"texts": ["Rye bread, fresh from the oven https://bakery.com/rye", "Until noon"]})
    record.call("GET /calendar", query="?month=2026-11")
    record.call("GET /failures")
    record.call("GET /alarms")
    record.call("GET /nodes")
    record.call("GET /audit", query="?limit=2&action=app.suspend")
    seen = {"account_id": account, "appeared": True, "url": "https://x.com/bakery/status/1"}
    record.call("POST /apps/{client_id}/posts/{post_id}/resolve", seen, post_id=unknown["id"], **app)
    record.call("ANY /apps/{client_id}/v1/{*rest}", method="GET", rest="accounts", query="?per_page=1", **app)


def walk_webhooks(record, app, account, url):
    hooks = f"/apps/{app['client_id']}/v1/webhooks"
    hook = record.client.post(hooks, {"url": url}, status=201)["data"]["id"]
    record.client.post(f"{hooks}/{hook}/test", status=202)
    delivery = last_of(record.client, hooks, hook, "succeeded")
    name = "POST /apps/{client_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/resend"
    record.call(name, None, 202, webhook_id=hook, delivery_id=str(delivery["id"]), **app)
    body = {"account_ids": [account], "content": "Seed bread, fresh from the oven"}
    post = record.client.post(f"/apps/{app['client_id']}/v1/posts/publish", body, status=202)["data"]["post_id"]

    def both_told():
        calls = record.client.get(f"/apps/{app['client_id']}/posts/{post}/beside")["webhook_calls"]
        return [call["state"] for call in calls] == ["succeeded", "succeeded"]

    poll("both events are told", both_told)
    record.call("GET /apps/{client_id}/posts/{post_id}/beside", post_id=post, **app)


def walk_control(record, directory):
    record.control("POST /admins", {"email": "third@example.com", "password": PASSWORD, "role": "owner"}, 201)
    record.control("GET /schema")
    record.control("GET /doctor")
    record.control("GET /pauses")
    record.control("POST /pauses", {"platform": "x"})
    record.control("POST /pauses/resume", {"platform": "x"})
    record.control("GET /metrics")
    record.control("POST /repair")
    record.control("POST /reseal", {})
    record.control("POST /backup", {"path": str(directory / "posthorn.db")}, 201)
    record.control("GET /hold")
    record.control("POST /hold/release", {"platform": "x"})
    record.control("POST /hold/fail", {"platform": "x"})


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, sandbox, connect_account, session_receiver):
    """{"POST /setup": {"path", "request", "status", "answer"}, ...} of all routes, in the order of the table."""
    directory = tmp_path_factory.mktemp("reference")
    secret = directory / "secret"
    secret.write_text(SIGN_IN_SECRET)
    secret.chmod(0o600)
    sign_in = ["--sign-in-header", "X-Email", "--sign-in-proxy", "127.0.0.1", "--sign-in-secret-file", str(secret),
               "--sign-in-secret-header", "X-Secret"]
    with Service(directory / "data", sandbox, ["--time-scale", "1000", *sign_in]) as service:
        WATCH.remove(service.url)
        record = Recorder(Client(service), service, sandbox, directory)
        walk_session(record, service)
        app = walk_app(record)
        account = walk_accounts(record, app, connect_account)
        walk_posts(record, app, account, sandbox)
        walk_webhooks(record, app, account, f"http://127.0.0.1:{session_receiver.server_port}/hook")
        record.call("DELETE /apps/{client_id}", query="?name=Bakery", **app)
        record.call("POST /logout", status=204)
        walk_control(record, directory)
    return {name: record.examples.get(name) for name in generator().read_routes()}


# ---- the tests ----


def shape(value):
    """The names and types in a JSON value."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return "number" if type(value) in (int, float) else type(value).__name__


def test_examples_have_the_shape_of_the_answers(recorded):
    assert [name for name, example in recorded.items() if example is None] == []
    module = generator()
    if os.environ.get("POSTHORN_RECORD"):
        module.EXAMPLES.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n")
        module.OUTPUT.write_text(module.reference())
    stored = json.loads(module.EXAMPLES.read_text())
    for name, example in recorded.items():
        for part in ("request", "status", "answer"):
            assert shape(stored[name][part]) == shape(example[part]), f"{name}: record the examples again with POSTHORN_RECORD=1"


def test_the_reference_is_up_to_date():
    module = generator()
    assert module.OUTPUT.read_text() == module.reference(), "run api/dashboard_reference.py"
