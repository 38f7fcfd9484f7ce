# SPDX-License-Identifier: Apache-2.0
"""Real reverse proxies in front of the service, set up as docs/operations.md says ("Behind a reverse proxy"): who the client is, in
limits, sign-ins and logs, and what a client can make of the headers. Clients are other addresses of the loopback network."""
import os
import re
import shutil
import socket
import subprocess
import time

import pytest
import requests

from harness import HTTP_S, ROOT, WATCH, App, Service, basic, poll

NAME = "social.example.com"
GRANT = {"grant_type": "client_credentials"}
PASSWORD = "correct horse battery"
pytestmark = pytest.mark.filterwarnings("ignore:Unverified HTTPS request")


def program(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def documented(language):
    """The one file of that language in operations.md."""
    found = re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs/operations.md").read_text(), re.S)
    assert len(found) == 1
    return found[0]


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, f"operations.md no longer has {old!r}"
        text = text.replace(old, str(new))
    return text


def certificate(directory):
    """(certificate, key, both in one file)"""
    cert, key, both = directory / "cert.pem", directory / "key.pem", directory / "both.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    f"/CN={NAME}", "-keyout", key, "-out", cert], check=True, capture_output=True)
    both.write_text(cert.read_text() + key.read_text())
    return cert, key, both


def nginx_file(directory, port, service_port, header):
    cert, key, _ = certificate(directory)
    server = replaced(documented("nginx"), ("127.0.0.1:8080", f"127.0.0.1:{service_port}"), ("listen 443", f"listen 127.0.0.1:{port}"),
                      (f"/etc/ssl/{NAME}.pem", cert), (f"/etc/ssl/{NAME}.key", key))
    if header == "forwarded":
        server = replaced(server, ("X-Forwarded-For $proxy_add_x_forwarded_for", '''Forwarded "$http_forwarded, for=\\"$remote_addr\\""'''))
    temporary = "".join(f"{kind}_temp_path {directory}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return (f"daemon off; master_process off; pid {directory}/pid; error_log {directory}/log; events {{}}\n"
            f"http {{ access_log off; {temporary}\n{server}\n}}\n")


def haproxy_file(directory, port, service_port, header):
    text = replaced(documented("haproxy"), ("127.0.0.1:8080", f"127.0.0.1:{service_port}"), ("bind :443", f"bind 127.0.0.1:{port}"),
                    (f"/etc/haproxy/{NAME}.pem", certificate(directory)[2]))
    if header == "forwarded":
        text = replaced(text, ("option forwardfor", "http-request add-header Forwarded for=%[src];proto=https"))
    return text


PROXIES = {
    "nginx": (nginx_file, lambda path: ["-e", "/dev/null", "-c", path]),
    "haproxy": (haproxy_file, lambda path: ["-db", "-f", path]),
}


class From(requests.adapters.HTTPAdapter):
    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **more):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **more)


class Front:
    """A proxy in front of a service."""

    def __init__(self, kind, header, directory, options=()):
        if program(kind) is None:
            pytest.skip(f"{kind} is not installed")
        self.service = Service(directory / "data", options=["--public-url", f"https://{NAME}", "--proxy-header", header,
                                                            "--token-failure-limit", "5", "--log-level", "debug", *options])
        WATCH.remove(self.service.url)
        self.port = free_port()
        make, arguments = PROXIES[kind]
        path = directory / "proxy.conf"
        path.write_text(make(directory, self.port, self.service.url.rsplit(":", 1)[1], header))
        self.log = directory / "proxy.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([program(kind), *map(str, arguments(path))], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        poll(lambda: f"the proxy answers: {self.log.read_text()}", self.answers, timeout_s=20)

    def answers(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return self.call("GET", "/healthz").status_code == 200
        except requests.ConnectionError:
            return False

    def call(self, method, path, address="127.0.0.1", host=NAME, headers=None, **more):
        with requests.Session() as session:
            session.mount("https://", From(address))
            return session.request(method, f"https://127.0.0.1:{self.port}{path}", headers={"Host": host, **(headers or {})}, verify=False,
                                   timeout=HTTP_S, allow_redirects=False, **more)

    def token(self, address, client_id, secret, **more):
        headers = {"Authorization": basic(client_id, secret), **more.pop("headers", {})}
        return self.call("POST", "/v1/oauth/token", address, data=GRANT, headers=headers, **more).status_code

    def sign_in(self, address, email="first@example.com", password=PASSWORD, **more):
        return self.call("POST", "/dashboard/api/login", address, json={"email": email, "password": password}, **more)

    def guess_until_paused(self, address):
        """Twenty wrong ones are free; each pause is twice as long as the one before. In the end it is one that outlasts a few calls."""
        for n in range(200):
            answer = self.sign_in(address, f"{n}@example.com", "wrong words", headers=INVENTED[n % len(INVENTED)])
            assert answer.status_code == 401 or n >= 20 and answer.status_code == 429
            if int(answer.headers.get("Retry-After", 0)) >= 8:
                return
            time.sleep(0.2 if answer.status_code == 429 else 0)
        raise AssertionError(f"{address} is never told to wait")

    def addresses(self, mark):
        """Those that the log has of the requests with this id."""
        lines = poll(f"{mark} is in the log", lambda: [line for line in self.service.stderr().splitlines() if f"request={mark} " in line])
        return {re.search(r"\baddress=(\S+)", line)[1] for line in lines}

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.service.stop()


@pytest.fixture(scope="module", params=[("nginx", "x-forwarded-for"), ("haproxy", "x-forwarded-for"), ("nginx", "forwarded"),
                                        ("haproxy", "forwarded")], ids="-".join)
def front(request, tmp_path_factory):
    made = Front(*request.param, tmp_path_factory.mktemp("proxy"), ["--trusted-proxy", "127.0.0.1"])
    yield made
    made.stop()


INVENTED = [{"X-Forwarded-For": "203.0.113.9"}, {"Forwarded": "for=203.0.113.9"}, {"X-Forwarded-For": "127.0.0.1, 203.0.113.9, 127.0.0.1"},
            {"Forwarded": 'for="'}, {"X-Forwarded-For": '"'}, {"X-Forwarded-For": "a,,\t,b"}, {"X-Real-IP": "203.0.113.9"},
            {"Forwarded": 'for="[2001:db8::1]:80";by=x, for="\\"'}]


def test_the_client_is_logged_whatever_it_invents(front):
    for number, headers in enumerate(INVENTED):
        mark = f"invented-{number}"
        assert front.call("GET", "/no-such-path", "127.0.0.9", headers={**headers, "X-Request-Id": mark}).status_code == 404
        assert front.addresses(mark) == {"127.0.0.9"}, headers
    assert front.call("GET", "/no-such-path", "127.0.0.8", headers={"X-Request-Id": "plain"}).status_code == 404
    assert front.addresses("plain") == {"127.0.0.8"}


def test_failed_token_requests_count_for_their_sender(front):
    app = App(front.service, name="behind", owner="behind@example.com")
    statuses = [front.token("127.0.0.2", f"phc_nobody{n}", "wrong", headers=INVENTED[n % len(INVENTED)]) for n in range(9)]
    assert statuses == [401] * 5 + [429] * 4
    assert front.token("127.0.0.3", "phc_nobody", "wrong") == 401
    assert front.token("127.0.0.2", app.client_id, app.client_secret) == 200


def test_wrong_passwords_count_for_their_sender(front):
    made = front.service.cli("admin", "create", "--email", "first@example.com", "--password-stdin", stdin=PASSWORD)
    assert made.returncode == 0, made.stderr
    known = front.sign_in("127.0.0.4")
    assert known.status_code == 200
    front.guess_until_paused("127.0.0.5")
    assert front.sign_in("127.0.0.5").status_code == 429
    assert front.sign_in("127.0.0.6").status_code == 200
    # the browser that was here before passes even from there
    again = front.sign_in("127.0.0.5", cookies=known.cookies)
    assert again.status_code == 200
    sessions = front.call("GET", "/dashboard/api/sessions", "127.0.0.4", cookies=again.cookies).json()["data"]
    assert {"127.0.0.5", "127.0.0.6"} <= {session["address"] for session in sessions}


def test_host_is_passed_on_and_checked(front):
    assert front.call("GET", "/docs").status_code == 200
    answer = front.call("GET", "/docs", host="evil.example")
    assert answer.status_code == 421 and answer.json()["error"] == "MISDIRECTED_REQUEST"


def test_paths_that_a_proxy_forbids_have_no_second_spelling(front):
    """requests would decode it: a bare connection."""
    import http.client
    import ssl
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for path in ("/dash%62oard", "/%6detrics", "/%64ocs"):
        connection = http.client.HTTPSConnection("127.0.0.1", front.port, timeout=HTTP_S, context=context)
        connection.request("GET", path, headers={"Host": NAME})
        assert connection.getresponse().status == 404, path
        connection.close()


@pytest.mark.parametrize("kind", ["nginx", "haproxy"])
def test_a_proxy_that_is_not_named_is_the_client(kind, tmp_path):
    front = Front(kind, "x-forwarded-for", tmp_path, ["--trusted-proxy", "10.0.0.0/8"])
    try:
        app = App(front.service, name="behind", owner="behind@example.com")
        assert front.call("GET", "/plain", "127.0.0.8", headers={"X-Forwarded-For": "10.0.0.1", "X-Request-Id": "plain"}).status_code == 404
        assert front.addresses("plain") == {"127.0.0.1"}
        assert [front.token("127.0.0.2", f"phc_nobody{n}", "wrong") for n in range(6)] == [401] * 5 + [429]
        assert front.token("127.0.0.3", app.client_id, app.client_secret) == 200
    finally:
        front.stop()
