# SPDX-License-Identifier: Apache-2.0
"""The address guard from outside: every line of ssrf_urls.txt where an address is accepted (media, thumbnails, webhooks), random
addresses against another's table, and what a caller is told of a fetch that was refused or failed: nothing of what is there.
At the moment of fetching, with names and redirects, the list is in tests/unit/outbound/guard_fetch_test.c."""
import http.server
import ipaddress
import random
import threading

import pytest

from harness import ROOT, App, Service, check_error, marker, poll

LIST = ROOT / "tests" / "unit" / "outbound" / "ssrf_urls.txt"
UNKNOWN = "00000000-0000-7000-8000-000000000000"
PER_REQUEST = 35
# Names that only DNS can judge: their lines are refused when they are fetched, and not before (accepting resolves nothing).
BY_DNS_ONLY = ("# REFUSE 7.", "# REFUSE 8.")
ESCAPES = {"\\\\": "\\", "\\t": "\t", "\\r": "\r", "\\n": "\n"}


def unescape(text):
    out, at = "", 0
    while at < len(text):
        taken = ESCAPES.get(text[at:at + 2])
        out += taken or text[at]
        at += 2 if taken else 1
    return out


def read_list():
    """[(url, may be accepted)]"""
    rows, section = [], ""
    for line in LIST.read_text(encoding="utf-8").split("\n"):
        if line.startswith("# REFUSE") or line.startswith("# Must be ALLOWED"):
            section = line
        elif line and not line.startswith("#"):
            url, _, comment = line.partition("\t")
            rows.append((unescape(url), comment.startswith("ALLOW") or section.startswith(BY_DNS_ONLY)))
    return rows


ROWS = read_list()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, sandbox):
    """A service that may fetch from public addresses only."""
    with Service(tmp_path_factory.mktemp("guarded") / "data", sandbox, media_allow=None) as process:
        yield App(process, name="guarded").set_credentials("x").issue_token()


def chunks(items, size):
    return [items[at:at + size] for at in range(0, len(items), size)]


def refused_of(app, path, items):
    """Indexes of the media that are refused; the account is unknown, so that what passes is told as that."""
    answer = app.post(path, json={"account_ids": [UNKNOWN], "content": "x", "media": items})
    assert answer.status_code == 422, answer.text
    body = answer.json()
    if body["error"] == "INVALID_ACCOUNT":
        return {}
    assert body["error"] == "INVALID_MEDIA", body
    return {int(field.split(".")[1]): field.split(".")[2] for field in body["errors"]}


def test_the_list_is_whole():
    assert len(ROWS) == 185 + 34


@pytest.mark.parametrize("name", ["url", "thumbnail_url"])
def test_every_line_where_media_are_accepted(guarded, name):
    wrong = []
    for chunk in chunks(ROWS, PER_REQUEST):
        items = [{"type": "video", "url": "https://media.example.com/a.mp4", name: url} for url, _ in chunk]
        refused = refused_of(guarded, "/v1/posts/publish", items)
        assert set(refused.values()) <= {name}
        wrong += [url for index, (url, may) in enumerate(chunk) if may == (index in refused)]
    assert wrong == []


def test_every_line_where_webhooks_are_accepted(guarded):
    wrong = []
    for url, may in ROWS:
        answer = guarded.post("/v1/webhooks", json={"url": url})
        if answer.status_code == 201:
            assert guarded.request("DELETE", f"/v1/webhooks/{answer.json()['data']['id']}").status_code == 204
        else:
            check_error(answer, 422, "VALIDATION_ERROR", fields=["url"])
        wrong += [url] if (answer.status_code == 201) != may else []
    assert wrong == []


def test_every_line_where_a_webhook_is_changed(guarded):
    made = guarded.post("/v1/webhooks", json={"url": "https://hooks.example.com/x"}).json()["data"]
    wrong = [url for url, may in ROWS
             if (guarded.request("PATCH", f"/v1/webhooks/{made['id']}", json={"url": url}).status_code == 200) != may]
    assert wrong == []
    assert guarded.request("DELETE", f"/v1/webhooks/{made['id']}").status_code == 204


# ---- random addresses, against Python's table ----

# Refused though Python calls them global: its table is of routing, and older than some of these.
STRICTER = [ipaddress.ip_network(text) for text in (
    "192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "224.0.0.0/4",  # protocol assignments, 6to4 relays, a cloud's own, multicast
    "2001::/23", "2002::/16", "3fff::/20")]  # assignments, 6to4, documentation
UNICAST = ipaddress.ip_network("2000::/3")  # outside of it nothing is given out
SPECIAL = [ipaddress.ip_network(text) for text in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "::/128", "::1/128", "::ffff:10.0.0.0/104", "64:ff9b:1::/48",
    "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")]


def random_in(network, numbers):
    return network.network_address + numbers.randrange(network.num_addresses)


def is_public(address):
    if address.version == 6 and address.ipv4_mapped:
        return is_public(address.ipv4_mapped)
    if address.version == 6 and (address not in UNICAST or (int(address) >> 32) & 0xFDFFFFFF == 0x5EFE):  # ISATAP, RFC 5214 6.1
        return False
    return address.is_global and not any(address in network for network in STRICTER if network.version == address.version)


def test_random_addresses_are_judged_as_by_python(guarded):
    numbers = random.Random(20261121)
    special = [random_in(numbers.choice(SPECIAL), numbers) for _ in range(1000)]
    public = []
    while len(public) < 1000:
        network = numbers.choice([ipaddress.ip_network("0.0.0.0/0"), UNICAST])
        address = random_in(network, numbers)
        public += [address] if is_public(address) else []
    assert not any(is_public(address) for address in special)
    wrong = []
    for chunk in chunks([(address, False) for address in special] + [(address, True) for address in public], PER_REQUEST):
        texts = [f"[{address}]" if address.version == 6 else str(address) for address, _ in chunk]
        refused = refused_of(guarded, "/v1/posts/publish", [{"type": "image", "url": f"http://{text}/a.jpg"} for text in texts])
        wrong += [texts[index] for index, (_, may) in enumerate(chunk) if may == (index in refused)]
    assert wrong == []


# ---- what a caller learns ----

SECRET = "internal-page-7f3a"


class Inside(http.server.BaseHTTPRequestHandler):
    """What must not be read by way of us; and at /away a redirect to where the query says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        is_away = self.path.startswith("/away?")
        status = 302 if is_away else int(self.path.rsplit("/", 1)[-1])
        body = f"<html>{SECRET}</html>".encode()
        self.send_response(status, SECRET)
        if is_away:
            self.send_header("Location", self.path.partition("?")[2])
        self.send_header("X-Secret", SECRET)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def inside():
    """Servers on 127.0.0.1, which the operator allows below, and on 127.0.0.2, which he does not."""
    servers = [http.server.ThreadingHTTPServer((host, 0), Inside) for host in ("127.0.0.1", "127.0.0.2")]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [f"http://{server.server_address[0]}:{server.server_address[1]}" for server in servers]
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def allowing(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("allowing") / "data", sandbox, ["--time-scale", "1000"], media_allow="127.0.0.1/32") as process:
        app = App(process, name="allowing").set_credentials("x").issue_token()
        app.x = app.account("x")
        yield app


def failure(app, url):
    """What the caller is told of a post whose media are there: its error, and everything else that can be read of it."""
    post = app.accepted(app.x, marker("guard"), media=[{"type": "image", "url": url}])
    shown = app.wait_post(post["post_id"])
    text = app.get(f"/v1/posts/{post['post_id']}").text + app.timeline_text(post["post_id"]) + app.get("/v1/posts").text
    return shown["platform_posts"][0]["error"], text


def test_the_body_of_a_failed_fetch_is_never_shown(allowing, inside):
    for path in ("/200", "/401", "/403", "/404", "/500", "/away?" + inside[0] + "/200"):
        error, text = failure(allowing, inside[0] + path)
        assert error["code"] in ("MEDIA_UNREACHABLE", "MEDIA_REJECTED"), error
        assert SECRET not in text, path
        assert SECRET not in allowing.service.stderr()


def test_a_refused_fetch_tells_nothing_of_what_is_there(allowing, inside):
    """No oracle: the same words whether somebody listens there or not."""
    closed = "http://127.0.0.2:1/200"
    told = []
    for target in (inside[1] + "/200", inside[1] + "/404", closed, "http://10.255.255.1/", "http://169.254.169.254/latest/meta-data/"):
        error, text = failure(allowing, f"{inside[0]}/away?{target}")
        told.append({name: error[name] for name in ("code", "message", "platform_code", "platform_message", "transient")})
        assert SECRET not in text and target not in error["message"]
    assert all(row == told[0] for row in told), told
    assert told[0]["code"] == "MEDIA_UNREACHABLE" and told[0]["transient"] is False


def test_a_webhooks_answer_is_never_shown(allowing, inside):
    webhook = allowing.post("/v1/webhooks", json={"url": inside[0] + "/500"}).json()["data"]
    allowing.post(f"/v1/webhooks/{webhook['id']}/test")

    def log():
        answer = allowing.get(f"/v1/webhooks/{webhook['id']}/deliveries")
        return answer if answer.json()["data"] and answer.json()["data"][0]["attempts"] else None

    answer = poll("a try", log)
    assert SECRET not in answer.text + allowing.get("/v1/events").text + allowing.service.stderr()
    assert allowing.request("DELETE", f"/v1/webhooks/{webhook['id']}").status_code == 204
