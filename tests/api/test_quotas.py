# SPDX-License-Identifier: Apache-2.0
"""Quotas of an app (docs/design.md 5): each is filled from outside, says so with QUOTA_EXCEEDED and its details, stores nothing, and
is free again; the operator's command and the dashboard show and change them; the metrics count what was refused."""
import concurrent.futures
import http.server
import json
import re
import threading

import pytest

from harness import App, Service, check_error, follow_return, marker, poll, utc

DEFAULTS = {
    "pending_posts": 100000,
    "accounts": 10000,
    "post_bytes": 2 << 30,
    "media_bytes": 10 << 30,
    "media_files": 100000,
    "webhook_backlog": 100000,
}


@pytest.fixture(scope="module")
def house(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("quotas") / "data", sandbox) as process:
        yield process


@pytest.fixture()
def tenant(house):
    name = marker("tenant")
    return App(house, name=name, owner=f"{name.replace(' ', '-')}@example.com").set_credentials("x").issue_token()


def quota(app, *flags):
    done = app.cli("app", "quota", app.client_id, *flags)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["quotas"]


def refusals(house, name):
    text = house.metrics()
    return int(re.search(rf'^posthorn_quota_refusals_total{{quota="{name}"}} (\d+)$', text, re.MULTILINE).group(1))


def check_full(answer, name, limit, used):
    check_error(answer, 429, "QUOTA_EXCEEDED")
    assert answer.json()["details"] == {"quota": name, "limit": limit, "used": used}
    assert "operator" in answer.json()["message"]


def test_the_defaults_are_those_of_the_contract(tenant):
    found = quota(tenant)
    assert {name: row["limit"] for name, row in found.items()} == DEFAULTS
    assert all(row["own"] is None and row["used"] == 0 for row in found.values())


def test_the_command_sets_and_takes_back(tenant):
    found = quota(tenant, "--pending-posts", "7", "--media-bytes", "0", "--webhook-backlog=9")
    assert (found["pending_posts"]["own"], found["pending_posts"]["limit"]) == (7, 7)
    assert (found["media_bytes"]["own"], found["media_bytes"]["limit"]) == (0, 0)
    assert found["webhook_backlog"]["limit"] == 9 and found["accounts"]["limit"] == DEFAULTS["accounts"]
    assert quota(tenant, "--pending-posts", "default")["pending_posts"] == {"limit": 100000, "own": None, "used": 0}
    assert quota(tenant)["webhook_backlog"]["own"] == 9
    for wrong in ("-1", "many", "1.5", ""):
        done = tenant.cli("app", "quota", tenant.client_id, "--accounts=" + wrong)
        assert done.returncode == 1 and "accounts must be a whole number" in done.stderr, (wrong, done.stderr)
    assert tenant.cli("app", "quota", "nobody").returncode == 1


def test_pending_posts(house, tenant):
    account = tenant.account("x")
    quota(tenant, "--pending-posts", "2")
    before = refusals(house, "pending_posts")
    first = tenant.accepted(account, marker("later"), scheduled_at=utc(86400), request_id="first")["post_id"]
    tenant.accepted(account, marker("later"), scheduled_at=utc(86400))
    check_full(tenant.publish(account, marker("third"), scheduled_at=utc(86400)), "pending_posts", 2, 2)
    check_full(tenant.publish(account, marker("third")), "pending_posts", 2, 2)
    assert tenant.total() == 2 and refusals(house, "pending_posts") == before + 2
    assert tenant.publish(account, "again", request_id="first").status_code == 409  # known is known
    assert tenant.request("DELETE", f"/v1/posts/{first}").status_code == 204
    assert quota(tenant)["pending_posts"]["used"] == 1
    tenant.published(account, marker("third"))
    assert quota(tenant)["pending_posts"]["used"] == 1


def test_requests_at_once_never_go_over(tenant):
    account = tenant.account("x")
    quota(tenant, "--pending-posts", "5")
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: tenant.publish(account, marker("many"), scheduled_at=utc(86400)).status_code, range(40)))
    assert sorted(set(answers)) == [202, 429] and answers.count(202) == 5
    assert tenant.total() == 5


def test_stored_bytes(tenant):
    account = tenant.account("x")
    tenant.published(account, "x" * 200)
    used = quota(tenant)["post_bytes"]["used"]
    assert 200 <= used < 2000
    quota(tenant, "--post-bytes", str(used + 100))
    check_full(tenant.publish(account, "y" * 200), "post_bytes", used + 100, used)
    quota(tenant, "--post-bytes", "default")
    tenant.published(account, "y" * 200)


def test_accounts(house, tenant):
    quota(tenant, "--accounts", "1")
    first = tenant.account("x", user_id="user-1")
    under_way = tenant.begin("x", user_id="user-1")  # a user who is there may connect again
    full = tenant.get("/v1/oauth/x/connect", params={"user_id": "user-2", "redirect_url": "https://customer.example/done"})
    check_full(full, "accounts", 1, 1)
    full = tenant.post("/v1/accounts/connect", json={"platform": "x", "user_id": "user-2", "redirect_url": "https://c.example/"})
    check_full(full, "accounts", 1, 1)
    follow_return(tenant.consent(under_way))
    assert tenant.accounts_of(under_way["connection_id"])["status"] == "success"
    assert tenant.request("DELETE", f"/v1/accounts/{first}").status_code in (200, 204)
    assert quota(tenant)["accounts"]["used"] == 0
    tenant.account("x", user_id="user-2")


def test_a_connection_under_way_ends_with_quota_exceeded(house, tenant):
    quota(tenant, "--accounts", "1")
    begun = tenant.begin("x", user_id="late")
    tenant.account("x", user_id="early")
    before = refusals(house, "accounts")
    returned = follow_return(tenant.consent(begun))
    assert "status=failed" in returned.headers["Location"] and "error=quota_exceeded" in returned.headers["Location"]
    shown = tenant.accounts_of(begun["connection_id"])
    assert shown["status"] == "failed" and shown["error"] == "quota_exceeded"
    assert refusals(house, "accounts") == before + 1
    assert quota(tenant)["accounts"]["used"] == 1


def test_the_webhook_backlog(house, tenant):
    quota(tenant, "--webhook-backlog", "2")
    hook = tenant.post("/v1/webhooks", json={"url": "http://127.0.0.1:1/nobody"}).json()["data"]["id"]
    for _ in range(2):
        assert tenant.post(f"/v1/webhooks/{hook}/test").status_code == 202
    check_full(tenant.post(f"/v1/webhooks/{hook}/test"), "webhook_backlog", 2, 2)
    # what happens is not held up: the event is in the feed, and the webhook's log says why it was not sent
    account = tenant.account("x")
    tenant.published(account, marker("beyond"))

    def not_sent():
        rows = tenant.get(f"/v1/webhooks/{hook}/deliveries").json()["data"]
        return [row for row in rows if row["event"] == "post.completed" and row["state"] == "failed"]

    row = poll("the log says so", not_sent)[0]
    assert "webhook_backlog" in json.dumps(row)
    assert quota(tenant)["webhook_backlog"]["used"] == 2
    assert any(event["type"] == "post.completed" for event in tenant.get("/v1/events").json()["data"])
    assert tenant.request("DELETE", f"/v1/webhooks/{hook}").status_code == 204
    assert quota(tenant)["webhook_backlog"]["used"] == 0


class Slow:
    """A picture that comes, but for its last byte, which comes when it may."""

    def __init__(self, body):
        self.may_end = threading.Event()
        slow = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "image/jpeg")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:-1])
                self.wfile.flush()
                slow.may_end.wait(60)
                self.wfile.write(body[-1:])

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.item = {"type": "image", "url": f"http://127.0.0.1:{self.server.server_port}/slow.jpg"}

    def close(self):
        self.may_end.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("flag, limit", [("media_files", 1), ("media_bytes", 1000)])
def test_media(house, tenant, media, flag, limit):
    """The spool's share of one app: its own posts wait and say why, another app's go out."""
    account = tenant.account("x")
    slow = Slow(media.picture)
    try:
        # two files: the first is on the disk while the second comes
        quota(tenant, "--media-files", "2")
        holding = tenant.accepted(account, marker("holding"), media=[media.image(), slow.item])["post_id"]
        poll("the first is there", lambda: quota(tenant)["media_files"]["used"] == 1)
        assert quota(tenant)["media_bytes"]["used"] == len(media.picture)
        quota(tenant, "--" + flag.replace("_", "-"), str(limit))
        before = refusals(house, flag)
        second = tenant.account("x", user_id="user-2")
        late = tenant.accepted(second, marker("late"), media=[media.image()])["post_id"]
        waiting = poll("it is refused room", lambda: refusals(house, flag) > before and tenant.show(late)["platform_posts"][0])
        waiting = poll("it waits", lambda: (row := tenant.show(late)["platform_posts"][0])["error"] and row)
        assert waiting["error"]["code"] == "MEDIA_UNREACHABLE" and "quota" in waiting["error"]["message"], waiting
        other = App(house, name="other", owner="other@example.com").set_credentials("x").issue_token()
        other.published(other.account("x"), marker("other"), media=[media.image()])
        quota(tenant, "--" + flag.replace("_", "-"), "default")
        slow.may_end.set()
        assert tenant.wait_post(holding)["status"] == "published"
        assert tenant.wait_post(late)["status"] == "published"
        poll("the files are gone", lambda: quota(tenant)["media_files"]["used"] == 0)
        assert quota(tenant)["media_bytes"]["used"] == 0
    finally:
        slow.close()


def test_the_settings_are_the_default(tmp_path, sandbox):
    with Service(tmp_path / "data", sandbox, ["--quota-pending-posts", "1", "--quota-accounts", "3"]) as process:
        app = App(process).set_credentials("x").issue_token()
        account = app.account("x")
        assert quota(app)["pending_posts"] == {"limit": 1, "own": None, "used": 0}
        app.accepted(account, marker("one"), scheduled_at=utc(86400))
        check_full(app.publish(account, marker("two")), "pending_posts", 1, 1)
        quota(app, "--pending-posts", "2")
        app.published(account, marker("two"))


def test_files_of_an_earlier_run_still_count(tmp_path, sandbox, media):
    slow = Slow(media.picture)
    try:
        killed = Service(tmp_path / "data", sandbox)
        app = App(killed).set_credentials("x").issue_token()
        account = app.account("x")
        post = app.accepted(account, marker("kept"), media=[media.image(), slow.item])["post_id"]
        poll("the first is there", lambda: quota(app)["media_files"]["used"] == 1)
        killed.kill()
        with Service(tmp_path / "data", sandbox) as process:
            app.service = process
            assert quota(app)["media_files"]["used"] == 1
            assert quota(app)["media_bytes"]["used"] == len(media.picture)
            slow.may_end.set()
            assert app.wait_post(post, 120)["status"] == "published"
            poll("it is gone", lambda: quota(app)["media_files"]["used"] == 0)
    finally:
        slow.close()
