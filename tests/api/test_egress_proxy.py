# SPDX-License-Identifier: Apache-2.0
"""--egress-proxy: platform calls and webhooks leave through a proxy, by tunnels; the guard of addresses holds behind it, media are
fetched without it, and its password is nowhere."""
import base64
import http.server
import json
import select
import socket
import socketserver
import threading

import pytest

from harness import App, Service, cli, marker, poll

PASSWORD = "proxy-secret-4711"
WANTED = "Basic " + base64.b64encode(f"posthorn:{PASSWORD}".encode()).decode()


class Proxy(socketserver.ThreadingTCPServer):
    """Tunnels for who knows the password. asked: every CONNECT's target; refused: other requests."""

    allow_reuse_address, daemon_threads = True, True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Tunnel)
        self.asked, self.refused, self.status = [], [], 200
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://posthorn:{PASSWORD}@127.0.0.1:{self.server_address[1]}"


class Tunnel(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline().decode()
        headers = {}
        while (header := self.rfile.readline().decode().strip()):
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        method, target, _ = line.split(" ")
        if method != "CONNECT" or headers.get("proxy-authorization") != WANTED:
            self.server.refused.append(line)
            self.wfile.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        self.server.asked.append(target)
        if self.server.status != 200:
            self.wfile.write(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % self.server.status)
            return
        host, port = target.rsplit(":", 1)
        with socket.create_connection((host.strip("[]"), int(port)), timeout=10) as far:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self.pass_on(far)

    def pass_on(self, far):
        ends = {self.connection: far, far: self.connection}
        while True:
            for end in select.select(list(ends), [], [], 60)[0]:
                data = end.recv(65536)
                if not data:
                    return
                ends[end].sendall(data)


class Hooks(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Hook)
        self.daemon_threads, self.got = True, []
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.place = f"127.0.0.1:{self.server_address[1]}"


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.got.append((self.headers["Host"], json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def proxy():
    server = Proxy()
    yield server
    server.shutdown()
    server.server_close()


def place_of(url):
    return url.split("//")[1].split("/")[0]


def test_platform_calls_and_webhooks_leave_by_tunnels(tmp_path, sandbox, media, proxy):
    hooks = Hooks()
    with Service(tmp_path / "data", sandbox, ["--egress-proxy", proxy.url]) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        assert app.post("/v1/webhooks", json={"url": f"http://{hooks.place}/hook"}).status_code == 201
        text = marker("proxied")
        app.published(account, text, media=[{"type": "image", "url": f"{media.url}/picture.jpg"}])
        assert sandbox.ledger(text)
        host, told = poll("the webhook was called", lambda: hooks.got and hooks.got[-1])
        assert host == hooks.place and told["event"]
        assert set(proxy.asked) == {place_of(sandbox.url), hooks.place}  # and not the media server
        assert proxy.refused == []
        assert ["image"] == [file["type"] for file in sandbox.ledger(text)[0]["media"]]
        assert PASSWORD not in service.stderr() and "egress-proxy=***" in service.stderr()
    hooks.shutdown()


def test_the_guard_holds_behind_the_proxy(tmp_path, sandbox, proxy):
    """The proxy could reach the address, and is not asked for it."""
    hooks = Hooks()
    with Service(tmp_path / "data", sandbox, ["--egress-proxy", proxy.url], media_allow="192.0.2.0/24") as service:
        app = App(service).set_credentials("x").issue_token()
        refused = app.post("/v1/webhooks", json={"url": f"http://{hooks.place}/hook"})
        assert refused.status_code == 422
        # a name that is judged by what it resolves to
        made = app.post("/v1/webhooks", json={"url": f"http://{socket.gethostname()}:{hooks.server_address[1]}/hook"})
        if made.status_code == 201:
            app.published(app.account("x"), marker("guarded"))
            log = f"/v1/webhooks/{made.json()['data']['id']}/deliveries"
            poll("the call was refused", lambda: [row for row in app.get(log).json()["data"] if row["attempts"] > 0])
        assert hooks.got == []
        assert not [target for target in proxy.asked if target.endswith(f":{hooks.server_address[1]}")]
    hooks.shutdown()


def test_a_proxy_that_refuses_sends_nothing(tmp_path, sandbox, proxy):
    """Provably not sent: the post waits for its next try, and is published once when the proxy lets it through."""
    with Service(tmp_path / "data", sandbox, ["--egress-proxy", proxy.url]) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        proxy.status = 403
        text = marker("refused")
        post = app.accepted(account, text)["post_id"]
        poll("a try failed", lambda: app.show(post)["platform_posts"][0]["attempts"] > 0)
        assert not sandbox.ledger(text)
        told = json.dumps(app.show(post)) + app.timeline_text(post)
        assert PASSWORD not in told and PASSWORD not in service.stderr()
        proxy.status = 200
        assert app.wait_post(post)["status"] == "published"
        assert len(sandbox.ledger(text)) == 1


@pytest.mark.parametrize("value", ["proxy:3128", "socks5://host:1080", f"http://u:{PASSWORD}@host/path", f"http://u:{PASSWORD}@ho st"])
def test_a_proxy_that_is_none_stops_the_start(tmp_path, value):
    done = cli("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--egress-proxy", value)
    assert done.returncode != 0
    assert done.stderr.startswith("posthorn: egress-proxy must be http://HOST:PORT") and PASSWORD not in done.stderr
