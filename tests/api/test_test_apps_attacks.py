# SPDX-License-Identifier: Apache-2.0
"""The sandbox stands beside live data (API 14): what somebody who has a test app, or only a browser, would try with it. That no call
of a test app can leave is tried here from outside, and address by address in tests/unit/outbound/test_app_call_test.c."""
import http.server
import json
import threading

import pytest
import requests

from harness import HTTP_S, PLATFORMS, App, Service, TestApp, marker, poll

SCRIPT = "<script>document.title='owned'</script><form><input type=password name=p></form>"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("house") / "data", media_allow=None) as service:
        yield service


@pytest.fixture(scope="module")
def mine(house):
    return TestApp(house, "--time-scale", "1000", name="mine")


@pytest.fixture(scope="module")
def other(house):
    return TestApp(house, "--time-scale", "1000", name="other", owner="other@example.com")


def browse(house, path, **more):
    return requests.get(f"{house.url}/sandbox{path}", allow_redirects=False, timeout=HTTP_S, **more)


def is_guarded(answer):
    policy = answer.headers["Content-Security-Policy"]
    return (policy.split(";")[0].split()[0] == "sandbox" and "allow-scripts" not in policy and "allow-same-origin" not in policy
            and answer.headers["X-Content-Type-Options"] == "nosniff" and "noindex" in answer.headers["X-Robots-Tag"]
            and "Set-Cookie" not in answer.headers)


# ---- pages ----


@pytest.mark.parametrize("path", ["", "/", "/?sandbox_app=phc_none", "/_sandbox/ledger", "/_sandbox/clock", "/_sandbox/style.css",
                                  "/x.com/i/oauth2/authorize", "/no.such.host/", "/%2e%2e/dashboard", "//", "/_sandbox/media/0"])
def test_every_answer_is_guarded(house, path):
    for method in ("GET", "POST", "DELETE", "HEAD", "OPTIONS"):
        answer = requests.request(method, f"{house.url}/sandbox{path}", allow_redirects=False, timeout=HTTP_S)
        assert is_guarded(answer), (method, answer.status_code, answer.headers)


def test_a_fault_cannot_put_a_page_there(house, mine):
    """Scripts and password fields that a fault sends arrive as plain text, in a sandboxed document."""
    for kind in ("text/html", "application/xhtml+xml", "image/svg+xml", "text/xml"):
        mine.fault("x", "GET", "/i/oauth2/authorize", "status", status=200, headers={"Content-Type": kind}, body=SCRIPT)
        answer = requests.get(mine.begin("x")["redirect_url"], timeout=HTTP_S)
        assert answer.text == SCRIPT and answer.headers["Content-Type"].startswith("text/plain") and is_guarded(answer)


@pytest.mark.parametrize("name", ["Set-Cookie", "set-cookie", "Location", "Refresh", "X-Accel-Redirect", "X-Sendfile",
                                  "Content-Security-Policy", "Access-Control-Allow-Origin", "Clear-Site-Data", "Service-Worker-Allowed",
                                  "Strict-Transport-Security", "WWW-Authenticate", "Link", "Transfer-Encoding", "Content-Length",
                                  "X-Robots-Tag"])
def test_a_fault_sets_harmless_headers_only(mine, name):
    wish = {"platform": "x", "effect": "status", "headers": {name: "posthorn_session=evil"}}
    answer = mine.request("POST", "/sandbox/_sandbox/faults", json=wish)
    assert answer.status_code == 400 and name.lower() in answer.text.lower()


def test_a_fault_cannot_split_an_answer(mine):
    wish = {"platform": "x", "effect": "status", "headers": {"x-fb-trace-id": "a\r\nSet-Cookie: a=b"}}
    mine.request("POST", "/sandbox/_sandbox/faults", json=wish)
    assert is_guarded(requests.get(mine.begin("x")["redirect_url"], timeout=HTTP_S))
    mine.sandbox("DELETE", "faults")


def test_pages_have_no_password_fields(house, mine):
    for slug in PLATFORMS:
        page = requests.get(mine.begin(slug)["redirect_url"], timeout=HTTP_S)
        assert page.status_code == 200 and is_guarded(page) and "password" not in page.text.lower()


def test_no_open_redirect(house, mine):
    """The one place that consent leads to is the service's own callback."""
    ids = {row["platform"]: row["client_id"]
           for row in json.loads(mine.cli("credential", "list", "--app", mine.client_id).stdout)["data"]}
    for target in ("https://evil.example/", "http://127.0.0.1:1/v1/oauth/x/callback", f"{house.url}@evil.example/",
                   f"{house.url}.evil.example/v1/oauth/", "javascript:alert(1)"):
        answer = browse(house, "/x.com/i/oauth2/authorize", params={
            "client_id": ids["x"], "response_type": "code", "redirect_uri": target, "scope": "tweet.read", "state": "s",
            "code_challenge": "c" * 43, "code_challenge_method": "S256", "sandbox_decision": "allow"})
        assert "Location" not in answer.headers and answer.status_code == 400


# ---- the dashboard's cookies and tokens ----


def test_cookies_and_authorization_never_reach_it(house, mine):
    secret = {"Cookie": "posthorn_session=stolen-cookie", "Authorization": f"Bearer {mine.token}", "X-CSRF-Token": "stolen-csrf",
              "X-Posthorn-Sign-In-Secret": "stolen-secret", "Posthorn-Test-App": "stolen-app"}
    requests.get(mine.begin("x")["redirect_url"], headers=secret, timeout=HTTP_S)
    log = json.dumps(mine.log()).lower()
    assert "authorize" in log
    for word in ("stolen", "cookie", "x-csrf", "pht_test"):
        assert word not in log


def test_a_browser_cannot_choose_the_app(house, mine, other):
    """The header that names the app is the engine's: from outside it means nothing."""
    before = len(other.log())
    browse(house, "/api.x.com/2/users/me", headers={"Posthorn-Test-App": other.id})
    assert len(other.log()) == before


def test_a_browser_cannot_call_the_platforms(house, mine):
    mine.account("x")
    answer = browse(house, "/api.x.com/2/users/me", headers={"Authorization": "Bearer x"}, params={"sandbox_app": mine.client_id})
    assert answer.status_code == 401
    assert requests.post(f"{house.url}/sandbox/api.x.com/2/tweets", json={"text": "x"}, timeout=HTTP_S).status_code in (401, 404)


def test_the_feed_is_for_signed_in_admins(house, mine):
    mine.published(mine.account("x"), "secret of the feed")
    for path in ("/", f"/?sandbox_app={mine.client_id}"):
        answer = browse(house, path)
        assert answer.status_code == 401 and "secret of the feed" not in answer.text


# ---- other apps ----


@pytest.mark.parametrize("path", ["ledger", "log", "faults", "knobs"])
def test_no_token_no_sandbox(house, path):
    assert browse(house, f"/_sandbox/{path}").status_code == 401
    assert browse(house, f"/_sandbox/{path}", headers={"Authorization": "Bearer pht_test_" + "x" * 43}).status_code == 401


def test_a_live_app_has_none(house):
    live = App(house, "live").issue_token()
    assert live.get("/sandbox/_sandbox/ledger").status_code == 404
    assert live.post("/sandbox/_sandbox/reset").status_code == 404


def test_a_key_will_not_do(house, mine):
    made = mine.cli("key", "create", "--app", mine.client_id, "--name", "k", "--scopes", "read,publish")
    key = json.loads(made.stdout)["key"]
    assert browse(house, "/_sandbox/ledger", headers={"Authorization": f"Bearer {key}"}).status_code == 401


def test_apps_are_apart(mine, other):
    text = marker("private")
    mine.published(mine.account("x"), text)
    other.account("x")
    assert other.ledger(text) == [] and text not in json.dumps(other.log())
    other.fault("x", "POST", "/2/tweets", "status", status=403, body={})
    other.sandbox("POST", "knobs", json={"x_create_limit": 1})
    mine.published(mine.account("x"), marker("untouched"))
    other.sandbox("POST", "reset")
    assert mine.ledger(text)


def test_the_query_does_not_choose_the_ledger(mine, other):
    text = marker("mine alone")
    mine.published(mine.account("x"), text)
    answer = other.get("/sandbox/_sandbox/ledger", params={"sandbox_app": mine.client_id, "client_id": mine.client_id})
    assert text not in answer.text


def test_the_clock_is_roots(mine):
    answer = mine.post("/sandbox/_sandbox/clock", json={"advance_s": 3600})
    assert answer.status_code == 403 and answer.json()["error"] == "FORBIDDEN"


# ---- nothing leaves ----


class Trap:
    """A server on 127.0.0.1 that counts who comes."""

    def __init__(self):
        trap = self
        self.hits = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                trap.hits.append(self.path)
                self.send_response(200)
                self.end_headers()

            do_HEAD = do_POST = do_PUT = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def trap():
    server = Trap()
    yield server
    server.server.shutdown()


PRIVATE = ["http://127.0.0.1:{port}/a", "http://localhost:{port}/b", "http://[::1]:{port}/c", "http://127.1:{port}/d",
           "http://2130706433:{port}/e", "http://0.0.0.0:{port}/f", "http://[::ffff:127.0.0.1]:{port}/g"]


@pytest.mark.parametrize("is_allowed", [False, True])
def test_pulls_of_private_addresses(start_service, trap, is_allowed):
    """The sandbox looks at a linked page, as Facebook does: only where the service itself may fetch."""
    service = start_service(None, media_allow="127.0.0.0/8" if is_allowed else None)
    app = TestApp(service, "--time-scale", "1000")
    account = app.account("facebook")
    port = trap.server.server_port
    urls = PRIVATE[:1] if is_allowed else PRIVATE
    posts = [app.publish(account, marker("look"), platforms={"facebook": {"link": url.format(port=port)}}) for url in urls]
    for answer in posts:
        if answer.status_code == 202:
            app.wait_post(answer.json()["data"]["post_id"])
    assert bool(trap.hits) == is_allowed, [answer.text for answer in posts]
    pulled = [entry for entry in app.log() if entry["path"].endswith("/feed") and entry["method"] == "POST"]
    assert pulled or not is_allowed


def test_media_of_a_test_app_go_through_the_guard(mine, trap):
    account = mine.connect("instagram").accounts[0]["id"]
    answer = mine.publish(account, marker("private"), media=[{"type": "image", "url": f"{trap.url}/a.jpg"}])
    if answer.status_code == 202:
        assert mine.wait_post(answer.json()["data"]["post_id"])["status"] == "failed"
    assert trap.hits == []


def test_faults_that_lead_elsewhere_lead_nowhere(house, mine, trap):
    """A simulated platform that names an upload address elsewhere: the call is not made."""
    account = mine.connect("linkedin").accounts[0]["id"]
    body = {"value": {"uploadUrl": f"{trap.url}/upload", "image": "urn:li:image:C1"}}
    mine.fault("linkedin", "POST", "/rest/images", "status", status=200, body=body, times=5)
    mine.fault("x", "POST", "/2/oauth2/token", "status", status=307, body={}, times=1)
    mine.accepted(account, marker("elsewhere"))
    assert trap.hits == []
    mine.sandbox("DELETE", "faults")


# ---- floods ----


def test_a_flood_is_bounded(start_service, tmp_path):
    """Ten times its quota goes through, and the disk keeps what the quota allows; posts go on."""
    quota = 4 << 20
    service = start_service(None, "--quota-media-bytes", str(quota), data=tmp_path / "flooded")
    app = TestApp(service, "--time-scale", "1000")
    account = app.account("x")
    for number in range(60):
        wish = {"platform": "tiktok", "effect": "status", "times": 1, "body": "x" * 700_000}
        assert app.request("POST", "/sandbox/_sandbox/faults", json=wish).status_code == 201
        app.sandbox("DELETE", "faults")
    files = [path for path in (service.data / "sandbox").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2 * quota
    app.published(account, marker("goes on"))
    shown = json.loads(app.cli("app", "quota", app.client_id).stdout)
    assert 0 < shown["quotas"]["media_bytes"]["used"] <= quota, shown


def test_hanging_faults_hold_up_nobody(house, mine, other):
    """Forty browsers hang in one test app's consent page; the API, another test app and the pages go on."""
    account = other.account("linkedin")
    mine.fault("x", "GET", "/i/oauth2/authorize", "timeout_after", times=99)
    url = mine.begin("x")["redirect_url"]
    hanging = [threading.Thread(target=lambda: quiet_get(url), daemon=True) for _ in range(40)]
    for thread in hanging:
        thread.start()
    assert house.request("GET", "/readyz").status_code == 200
    assert mine.get("/v1/accounts").status_code == 200
    other.published(account, marker("not held up"))
    assert mine.sandbox("DELETE", "faults") == {"ok": True}  # and whoever set the fault can end it


def quiet_get(url):
    try:
        requests.get(url, timeout=2)
    except requests.RequestException:
        pass


# ---- ends ----


def test_kill_in_the_middle(start_service, tmp_path):
    """Killed while posts are under way: all are there once, and the ledger agrees."""
    data = tmp_path / "killed"
    service = start_service(data=data)
    app = TestApp(service, "--time-scale", "1000")
    account = app.account("x")
    posts = [app.accepted(account, f"post number {number}.")["post_id"] for number in range(12)]
    poll("some are out", lambda: len(app.ledger()) >= 3)
    service.kill()
    app.service = start_service(data=data)
    outcomes = {app.show(post)["containers"][0]["content"]: app.wait_post(post) for post in posts}
    for text, post in outcomes.items():
        error = post["platform_posts"][0]["error"]
        assert post["status"] == "published" or error["code"] == "OUTCOME_UNKNOWN", app.timeline_text(post["id"])
        assert text in [entry["text"] for entry in app.ledger()] or post["status"] != "published"
    texts = [post["text"] for post in app.ledger()]
    assert len(texts) == len(set(texts)) and len(texts) >= 11  # the one that was under way may be anything
