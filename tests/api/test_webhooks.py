# SPDX-License-Identifier: Apache-2.0
"""Webhooks and the event feed (api-decisions.md 9): every answer, signatures as a receiver checks them, tries, rotation, and that
what was promised arrives though the service is killed."""
import base64
import datetime
import hashlib
import hmac
import http.server
import json
import threading
import time
import uuid

import pytest

from checker import WATCH
from harness import App, Sandbox, Service, check_error, marker, poll, utc

X_TWEETS = ("x", "POST", "/2/tweets")
EVENTS = ["post.publish.succeeded", "post.publish.failed", "post.completed", "connection.completed", "account.reauth_required", "test",
          "user.erased", "account.expiring", "draft.created", "draft.rejected",
          "post.removed", "post.removal_failed", "post.media_problem", "post.id_found"]
UNKNOWN = "01a1fcda-7451-7617-8dc3-203f49eaf280"


def sign(secret, identifier, timestamp, body):
    """Standard Webhooks 1.0.0, as a receiver computes it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = identifier.encode() + b"." + timestamp.encode() + b"." + body
    return "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()


def test_the_standards_own_vector():
    """The checker of these tests against the example of the standard's libraries."""
    body = b'{"test": 2432232314}'
    assert (sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body)
            == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")


class Receiver:
    """An endpoint of a customer: keeps what came, answers what it is told to."""

    def __init__(self):
        self.calls, self.answers, self.lock = [], [], threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with receiver.lock:
                    receiver.calls.append((self.path, dict(self.headers), body, time.time()))
                    answer = receiver.answers.pop(0) if receiver.answers else 204
                if callable(answer):
                    answer = answer()
                if answer is None:
                    self.close_connection = True
                    return
                status, headers = answer if isinstance(answer, tuple) else (answer, {})
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def of(self, path):
        with self.lock:
            return [call for call in self.calls if call[0] == path]

    def bodies(self, path):
        """The events that came, each held against the description."""
        events = [json.loads(call[2]) for call in self.of(path)]
        for event in events if WATCH.checker is not None else ():
            WATCH.checker.check_event(event)
        return events

    def wait(self, path, count, timeout_s=20):
        return poll(f"{count} calls of {path}", lambda: self.of(path)[:count] if len(self.of(path)) >= count else None, timeout_s)


@pytest.fixture
def receiver():
    it = Receiver()
    yield it
    it.close()


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


@pytest.fixture(scope="module")
def quick(tmp_path_factory, sandbox):
    """A service whose waits are short: 30 s become 30 ms."""
    with Service(tmp_path_factory.mktemp("webhooks") / "data", sandbox, ["--time-scale", "1000"]) as process:
        yield App(process, name="quick").set_credentials("x", "facebook").issue_token()


@pytest.fixture
def other(quick):
    """Another app of the same service."""
    return App(quick.service, name="other app").set_credentials("x").issue_token()


def create(app, url, **more):
    answer = app.post("/v1/webhooks", json={"url": url, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def log_of(app, webhook, **parameters):
    answer = app.get(f"/v1/webhooks/{webhook['id']}/deliveries", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def check_signature(call, *secrets):
    _, headers, body, _ = call
    assert headers["Content-Type"] == "application/json"
    expected = [sign(secret, headers["webhook-id"], headers["webhook-timestamp"], body) for secret in secrets]
    assert headers["webhook-signature"].split(" ") == expected
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60


@pytest.fixture
def hooks(quick):
    """Makes webhooks and removes them at the end."""
    made = []

    def make(url, app=quick, **more):
        made.append((app, create(app, url, **more)))
        return made[-1][1]

    yield make
    for app, webhook in made:
        app.request("DELETE", f"/v1/webhooks/{webhook['id']}")


# ---- as a resource ----


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_made_shown_changed_removed(quick, prefix):
    answer = quick.post(f"{prefix}/webhooks", json={"url": "https://example.com/hook", "events": ["post.completed", "test"]})
    assert answer.status_code == 201
    made = answer.json()["data"]
    assert set(made) == {"id", "url", "events", "enabled", "disabled_reason", "failing_since", "created_at", "updated_at", "secret"}
    assert uuid.UUID(made["id"]).version == 7
    assert made["secret"].startswith("whsec_") and len(base64.b64decode(made["secret"][6:])) == 32
    assert (made["url"], made["events"], made["enabled"]) == ("https://example.com/hook", ["post.completed", "test"], True)

    shown = quick.get(f"{prefix}/webhooks/{made['id']}").json()["data"]
    assert "secret" not in shown and made["secret"] not in json.dumps(quick.get(f"{prefix}/webhooks").json())
    assert shown in quick.get(f"{prefix}/webhooks").json()["data"]

    changed = quick.request("PATCH", f"{prefix}/webhooks/{made['id']}", json={"url": "https://example.com/other", "enabled": False})
    assert changed.status_code == 200
    assert changed.json()["data"] | {"updated_at": 0} == shown | {"url": "https://example.com/other", "enabled": False, "updated_at": 0}

    assert quick.request("DELETE", f"{prefix}/webhooks/{made['id']}").status_code == 204
    check_error(quick.get(f"{prefix}/webhooks/{made['id']}"), 404, "NOT_FOUND")
    check_error(quick.request("DELETE", f"{prefix}/webhooks/{made['id']}"), 404, "NOT_FOUND")


def test_all_events_by_default(hooks):
    assert hooks("https://example.com/all")["events"] == EVENTS


BAD = [
    ({}, "url"), ({"url": None}, "url"), ({"url": 7}, "url"), ({"url": ""}, "url"), ({"url": "example.com/hook"}, "url"),
    ({"url": "ftp://example.com/"}, "url"), ({"url": "http://10.1.2.3/"}, "url"), ({"url": "http://[::1]/"}, "url"),
    ({"url": "http://user:pass@example.com/"}, "url"), ({"url": "https://example.com/" + "a" * 2048}, "url"),
    ({"url": "https://example.com/", "events": []}, "events"), ({"url": "https://example.com/", "events": "test"}, "events"),
    ({"url": "https://example.com/", "events": ["test", "post.gone"]}, "events.1"),
    ({"url": "https://example.com/", "events": [3]}, "events.0"),
    ({"url": "https://example.com/", "enabled": "yes"}, "enabled"),
]


@pytest.mark.parametrize("body, field", BAD, ids=lambda value: str(value)[:60])
def test_bad_bodies_name_the_field(quick, body, field):
    before = quick.get("/v1/webhooks").json()
    check_error(quick.post("/v1/webhooks", json=body), 422, "VALIDATION_ERROR", fields=[field])
    assert quick.get("/v1/webhooks").json() == before


def test_ten_and_no_more(other):
    for i in range(10):
        create(other, f"https://example.com/{i}")
    check_error(other.post("/v1/webhooks", json={"url": "https://example.com/11"}), 422, "VALIDATION_ERROR")
    assert len(other.get("/v1/webhooks").json()["data"]) == 10


def test_anothers_is_as_one_that_is_not(quick, other, hooks):
    mine = hooks("https://example.com/mine")
    for method, tail, body in [("GET", "", None), ("PATCH", "", {"enabled": False}), ("DELETE", "", None), ("POST", "/rotate", None),
                               ("POST", "/test", None), ("GET", "/deliveries", None)]:
        foreign = other.request(method, f"/v1/webhooks/{mine['id']}{tail}", json=body)
        unknown = other.request(method, f"/v1/webhooks/{UNKNOWN}{tail}", json=body)
        check_error(foreign, 404, "NOT_FOUND")
        assert foreign.content == unknown.content
    assert quick.get(f"/v1/webhooks/{mine['id']}").json()["data"]["enabled"] is True


# ---- carried ----


def test_a_published_post_is_told_once_and_signed(quick, receiver, hooks):
    webhook = hooks(receiver.url + "/told")
    post = quick.published(quick.account("x"), marker("told"))
    names = ("post.publish.succeeded", "post.completed")

    def told_both():
        """At least once: on a slow machine the receiver answers too late, and is told again."""
        calls = {json.loads(call[2])["event"]: call for call in receiver.of("/told")}
        return calls if set(calls) >= set(names) else None

    calls = poll("both events", told_both)
    for name in names:
        check_signature(calls[name], webhook["secret"])
        body = json.loads(calls[name][2])
        assert set(body) == {"id", "type", "event", "seq", "app_id", "timestamp", "data"}
        assert body["type"] == body["event"] == name
        assert feed(quick, after=body["seq"] - 1, limit=1)["data"] == [body], "seq is the feed's cursor"
        assert body["id"] == calls[name][1]["webhook-id"]
        datetime.datetime.fromisoformat(body["timestamp"].replace("Z", "+00:00"))
        data = dict(body["data"])
        platform_post = data.pop("platform_post", None)
        assert data == quick.show(post["id"])
        assert platform_post == (post["platform_posts"][0] if name == "post.publish.succeeded" else None)
    time.sleep(0.3)
    of_the_post = {body["id"] for body in receiver.bodies("/told") if body["data"].get("id") == post["id"]}
    assert of_the_post == {json.loads(calls[name][2])["id"] for name in names}


def test_a_failed_and_a_cancelled_post_are_told(quick, sandbox, receiver, hooks):
    account = quick.account("x")
    hooks(receiver.url + "/failed", events=["post.publish.failed"])
    sandbox.fault(*X_TWEETS, "status", status=400, body={"title": "Invalid Request", "detail": "no", "status": 400})
    failed = quick.wait_post(quick.accepted(account, marker("refused"))["post_id"])
    sandbox.clear_faults()
    later = quick.accepted(account, marker("later"), scheduled_at=utc(86400))["post_id"]
    assert quick.request("DELETE", f"/v1/posts/{later}").status_code == 204
    receiver.wait("/failed", 2)
    told = {body["data"]["id"]: body["data"] for body in receiver.bodies("/failed")}
    assert set(told) == {failed["id"], later}
    assert told[failed["id"]]["platform_post"]["error"]["code"] == failed["platform_posts"][0]["error"]["code"]
    assert told[later]["platform_post"]["error"]["code"] == "CANCELLED"


def test_connections_are_told(quick, receiver, hooks):
    hooks(receiver.url + "/connected", events=["connection.completed"])
    good = quick.connect("x", user_id="webhook user")
    bad = quick.connect("x", user_id="webhook user", decision="deny")
    receiver.wait("/connected", 2)
    told = {body["data"]["connection_id"]: body["data"] for body in receiver.bodies("/connected")}
    assert told[good.id]["status"] == "success" and told[good.id]["accounts"] == good.accounts
    assert told[bad.id]["status"] == "failed" and told[bad.id]["error"] == "access_denied"


def test_a_dead_account_is_told_once(tmp_path, sandbox, receiver):
    """Two posts meet the same dead token: one account.reauth_required."""
    with Service(tmp_path / "data", sandbox, ["--time-scale", "1000"]) as process:
        app = App(process, name="dead").set_credentials("facebook").issue_token()
        account = app.account("facebook")
        create(app, receiver.url + "/dead", events=["account.reauth_required"])
        sandbox.fault("facebook", "POST", "/v25.0/*/feed", "status", status=400, times=10,
                      body={"error": {"message": "gone", "type": "OAuthException", "code": 190, "error_subcode": 458}})
        due = utc(ahead_s=3)  # both are accepted before either is sent
        posts = [app.accepted(account, marker("dead"), scheduled_at=due)["post_id"] for _ in range(2)]
        for post_id in posts:
            assert app.wait_post(post_id)["status"] == "failed"
        body = json.loads(receiver.wait("/dead", 1)[0][2])
        assert body["data"]["id"] == account and body["data"]["status"] == "reauth_required"
        time.sleep(0.3)
        assert len(receiver.of("/dead")) == 1


def test_an_account_that_ends_is_told_of(tmp_path, receiver):
    """Google's projects in Testing: refresh tokens end after 7 days (youtube.md 1.4)."""
    with Sandbox() as sandbox, Service(tmp_path / "data", sandbox, ["--time-scale", "1000"]) as process:
        app = App(process, name="testing").set_credentials("youtube").issue_token()
        create(app, receiver.url + "/ends", events=["account.expiring"])
        lasting = app.account("youtube", user_id="lasting")
        assert app.get(f"/v1/accounts/{lasting}").json()["data"]["ends_at"] is None
        sandbox._call("POST", "/_sandbox/knobs", json={"youtube_testing": 1})
        account = app.account("youtube", user_id="testing")
        told = json.loads(receiver.wait("/ends", 1)[0][2])
        assert told in receiver.bodies("/ends")
        assert told["event"] == "account.expiring" and told["data"]["id"] == account
        shown = app.get(f"/v1/accounts/{account}").json()["data"]
        assert told["data"]["ends_at"] == shown["ends_at"] and shown["status"] == "expiring"
        left = datetime.datetime.fromisoformat(shown["ends_at"].replace("Z", "+00:00")) - datetime.datetime.now(datetime.timezone.utc)
        assert datetime.timedelta(days=6) < left < datetime.timedelta(days=7)
        listed = app.get("/v1/accounts?status=expiring").json()["data"]
        assert [one["id"] for one in listed] == [account]
        time.sleep(1.5)  # the next look
        assert len(receiver.of("/ends")) == 1


# ---- tried again ----


def test_tried_again_with_the_same_id_and_body(quick, receiver, hooks):
    receiver.answers += [500, None, (302, {"Location": receiver.url + "/elsewhere"}), 200]
    webhook = hooks(receiver.url + "/again")
    answer = quick.post(f"/v1/webhooks/{webhook['id']}/test")
    assert answer.status_code == 202
    event_id = answer.json()["data"]["event_id"]
    calls = receiver.wait("/again", 4)
    assert {call[1]["webhook-id"] for call in calls} == {event_id} and len({call[2] for call in calls}) == 1
    for call in calls:
        check_signature(call, webhook["secret"])
    assert json.loads(calls[0][2])["data"] == {"webhook_id": webhook["id"]}
    row = poll("the log", lambda: next((row for row in log_of(quick, webhook)["data"] if row["state"] == "succeeded"), None))
    assert (row["event_id"], row["event"], row["attempts"], row["next_attempt_at"]) == (event_id, "test", 4, None)
    assert [entry["status"] for entry in row["tries"]] == [500, None, 302, 200]
    assert [entry["error"] is None for entry in row["tries"]] == [False, False, False, True]
    assert receiver.of("/elsewhere") == []


def test_given_up_after_seven(quick, receiver, hooks):
    receiver.answers += [503] * 7
    webhook = hooks(receiver.url + "/down")
    quick.post(f"/v1/webhooks/{webhook['id']}/test")

    def given_up():
        row = log_of(quick, webhook)["data"][0]
        return row if row["state"] == "failed" else None

    # 0.03 + 0.3 + 1.8 + 7.2 + 28.8 s at this scale: only the first four fit into a test
    receiver.wait("/down", 4, timeout_s=30)
    row = log_of(quick, webhook)["data"][0]
    assert row["state"] == "pending" and row["next_attempt_at"] is not None
    assert quick.get(f"/v1/webhooks/{webhook['id']}").json()["data"]["failing_since"] is not None
    assert given_up() is None


def test_gone_disables(quick, receiver, hooks):
    receiver.answers += [410]
    webhook = hooks(receiver.url + "/gone")
    quick.post(f"/v1/webhooks/{webhook['id']}/test")
    shown = poll("disabled", lambda: (lambda it: it if not it["enabled"] else None)(
        quick.get(f"/v1/webhooks/{webhook['id']}").json()["data"]))
    assert "410" in shown["disabled_reason"]
    assert log_of(quick, webhook)["data"][0]["state"] == "failed"
    check_error(quick.post(f"/v1/webhooks/{webhook['id']}/test"), 409, "WEBHOOK_DISABLED")
    again = quick.request("PATCH", f"/v1/webhooks/{webhook['id']}", json={"enabled": True}).json()["data"]
    assert again["enabled"] and again["disabled_reason"] is None
    assert quick.post(f"/v1/webhooks/{webhook['id']}/test").status_code == 202
    receiver.wait("/gone", 2)


def test_a_slow_receiver_holds_up_nobody_else(quick, receiver, hooks):
    release = threading.Event()
    receiver.answers += [lambda: release.wait(8) and 200] * 4
    slow = hooks(receiver.url + "/slow")
    for _ in range(8):
        quick.post(f"/v1/webhooks/{slow['id']}/test")
    receiver.wait("/slow", 4)
    swift = hooks(receiver.url + "/swift")
    quick.post(f"/v1/webhooks/{swift['id']}/test")
    receiver.wait("/swift", 1, timeout_s=5)
    assert len(receiver.of("/slow")) == 4  # no more at once for one webhook
    release.set()
    receiver.wait("/slow", 8)


def test_rotation_signs_with_both(quick, receiver, hooks):
    webhook = hooks(receiver.url + "/rotated")
    rotated = quick.post(f"/v1/webhooks/{webhook['id']}/rotate").json()["data"]
    assert rotated["secret"] != webhook["secret"]
    quick.post(f"/v1/webhooks/{webhook['id']}/test")
    check_signature(receiver.wait("/rotated", 1)[0], rotated["secret"], webhook["secret"])


def test_an_address_that_names_a_private_host_is_not_called(tmp_path, sandbox, receiver):
    """The name is looked at when it is called: localhost passes the form's check, and the guard refuses what it stands for."""
    with Service(tmp_path / "data", sandbox, ["--time-scale", "1000"], media_allow=None) as process:
        app = App(process, name="guarded").set_credentials("x").issue_token()
        port = receiver.url.rsplit(":", 1)[1]
        refused = app.post("/v1/webhooks", json={"url": f"http://localhost:{port}/guarded"})
        if refused.status_code == 201:
            webhook = refused.json()["data"]
            app.post(f"/v1/webhooks/{webhook['id']}/test")
            poll("a try", lambda: log_of(app, webhook)["data"][0]["attempts"] or None)
        else:
            check_error(refused, 422, "VALIDATION_ERROR", fields=["url"])
        assert receiver.calls == []


# ---- the feed ----


def feed(app, **parameters):
    answer = app.get("/v1/events", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_feed_gives_everything_in_order_once(other):
    account = other.account("x")
    posts = [other.published(account, marker("feed"))["id"] for _ in range(5)]
    seen, cursor = [], "0"
    while True:
        page = feed(other, after=cursor, limit=3)
        assert len(page["data"]) <= 3
        seen += page["data"]
        cursor = page["meta"]["next_cursor"]
        if not page["meta"]["has_more"]:
            break
    assert len({event["id"] for event in seen}) == len(seen)
    numbers = [event["seq"] for event in seen]
    assert numbers == sorted(set(numbers)) and str(numbers[-1]) == cursor
    assert all(event["type"] == event["event"] for event in seen)
    assert [event["event"] for event in seen] == ["connection.completed"] + ["post.publish.succeeded", "post.completed"] * 5
    assert [event["data"]["id"] for event in seen if event["event"] == "post.completed"] == posts
    assert feed(other, after=cursor) == {"data": [], "meta": {"next_cursor": cursor, "has_more": False}}


def test_the_feed_shows_only_ones_own(quick, other):
    quick.published(quick.account("x"), marker("foreign"))
    assert feed(other)["data"] == []


@pytest.mark.parametrize("parameters, field", [({"after": "x"}, "after"), ({"after": -1}, "after"), ({"limit": 0}, "limit"),
                                               ({"limit": 101}, "limit"), ({"limit": [1, 2]}, "limit")])
def test_bad_cursors(quick, parameters, field):
    check_error(quick.get("/v1/events", params=parameters), 422, "VALIDATION_ERROR", fields=[field])


def test_the_feed_and_the_webhook_tell_the_same(quick, receiver, hooks):
    hooks(receiver.url + "/same", events=["post.completed"])
    quick.published(quick.account("x"), marker("same"))
    told = json.loads(receiver.wait("/same", 1)[0][2])
    cursor, found = "0", None
    while found is None:
        page = feed(quick, after=cursor, limit=100)
        found = next((event for event in page["data"] if event["id"] == told["id"]), None)
        assert found or page["meta"]["has_more"]
        cursor = page["meta"]["next_cursor"]
    assert found == told


# ---- killed ----


def test_what_was_published_is_told_though_the_service_dies(tmp_path, sandbox, receiver):
    """kill -9 again and again while posts are published: each event arrives at least once, under one id, and none is made up."""
    data = tmp_path / "data"
    ids, webhook = [], None
    for run in range(5):
        process = Service(data, sandbox, ["--time-scale", "1000"])
        if run == 0:
            app = App(process, name="killed").set_credentials("x").issue_token()
            account = app.account("x")
            webhook = create(app, receiver.url + "/killed", events=["post.completed"])
        else:
            app.service = process
        ids += [app.accepted(account, marker("killed"))["post_id"] for _ in range(4)]
        time.sleep(0.02 * run)
        process.kill()
    with Service(data, sandbox, ["--time-scale", "1000"]) as process:
        app.service = process
        for post_id in ids:
            app.wait_post(post_id)

        def all_told():
            told = {}
            for call in receiver.of("/killed"):
                body = json.loads(call[2])
                told.setdefault(body["data"]["id"], set()).add(call[1]["webhook-id"])
                check_signature(call, webhook["secret"])
            return told if set(told) == set(ids) else None

        told = poll("every post told", all_told, 30)
        assert all(len(events) == 1 for events in told.values())
