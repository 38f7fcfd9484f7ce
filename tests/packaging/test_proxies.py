# SPDX-License-Identifier: Apache-2.0
"""The files for reverse proxies as they are shipped, but for addresses and the certificate: TLS, who the client is, sizes of bodies, and
files in ranges. More about what clients can make of headers: tests/api/test_proxy.py."""
import os
import re
import shutil
import socket
import subprocess
import urllib.parse

import pytest
import requests

from harness import ROOT, App, Service, marker, poll

NAME = "social.example.com"
LARGE = 3_000_000  # more than a post may have
TOO_LARGE = (413, 502)  # the second is Caddy's 2.6: its limit breaks off what it is sending on
pytestmark = pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
IS_LONG = os.environ.get("POSTHORN_LONG") == "1"
CLIENT = "127.0.0.7"


def program(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, f"the file no longer has {old!r}"
        text = text.replace(old, str(new))
    return text


def nginx(directory, port, target, cert, key):
    text = replaced((ROOT / "packaging/nginx/posthorn.conf").read_text(), ("127.0.0.1:8080", target),
                    ("listen 443", f"listen 127.0.0.1:{port}"), (f"/etc/ssl/{NAME}.pem", cert), (f"/etc/ssl/{NAME}.key", key))
    temporary = "".join(f"{kind}_temp_path {directory}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (directory / "nginx.conf").write_text(f"daemon off; master_process off; pid {directory}/pid; error_log {directory}/log; events {{}}\n"
                                          f"http {{ access_log {directory}/access.log; {temporary}\n{text}\n}}\n")
    return [program("nginx"), "-e", "/dev/null", "-c", directory / "nginx.conf"]


def caddy(directory, port, target, cert, key):
    text = replaced((ROOT / "packaging/caddy/Caddyfile").read_text(), ("127.0.0.1:8080", target),
                    (f"\n{NAME} {{", f"\nhttps://{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {cert} {key}"))
    (directory / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
    return [program("caddy"), "run", "--config", directory / "Caddyfile", "--adapter", "caddyfile"]


class From(requests.adapters.HTTPAdapter):
    def init_poolmanager(self, *arguments, **more):
        super().init_poolmanager(*arguments, source_address=(CLIENT, 0), **more)


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@pytest.fixture(params=[nginx, caddy], ids=lambda make: make.__name__)
def front(request, tmp_path, sandbox):
    """(service, call): a proxy before a service. call(method, path, ...) goes through it, from 127.0.0.7."""
    make = request.param
    if program(make.__name__) is None or (make is caddy and not IS_LONG):
        pytest.skip(f"{make.__name__} is not installed" if program(make.__name__) is None else "caddy runs with ./dev test --long")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key, "-out", cert], check=True, capture_output=True)
    port = free_port()
    options = ["--allow-host", NAME, "--trusted-proxy", "127.0.0.1"]
    with Service(tmp_path / "data", sandbox, options) as service, open(tmp_path / "out", "wb") as out, requests.Session() as session:
        command = make(tmp_path, port, service.url.split("//")[1], cert, key)
        session.mount("https://", From())
        real = socket.getaddrinfo
        # the name, for SNI and the certificate
        socket.getaddrinfo = lambda host, *more, **words: real("127.0.0.1" if host == NAME else host, *more, **words)
        environment = {**os.environ, "HOME": str(tmp_path)}
        with subprocess.Popen([str(word) for word in command], stdout=out, stderr=out, env=environment) as process:

            def call(method, path, **more):
                return session.request(method, f"https://{NAME}:{port}{path}", verify=cert, timeout=30, allow_redirects=False, **more)

            def answers():
                assert process.poll() is None, (tmp_path / "out").read_text()
                try:
                    return call("GET", "/healthz").status_code == 200
                except requests.ConnectionError:
                    return False

            poll("the proxy answers", answers, timeout_s=20)
            yield service, call
            process.terminate()
        socket.getaddrinfo = real


def test_the_shipped_files_work(front, sandbox, media):
    service, call = front
    app = App(service).set_credentials("instagram").issue_token()
    bearer = {"Authorization": f"Bearer {app.token}"}
    # who the client is
    assert call("GET", "/v1/posts", headers={**bearer, "X-Request-Id": "by-the-proxy"}).status_code == 200
    line = poll("the request is in the log", lambda: re.search(r"^.* request=by-the-proxy .*$", service.stderr(), re.M))[0]
    assert f"address={CLIENT}" in line
    # sizes: a post is small, an upload is as large as it is
    refused = call("POST", "/v1/posts/publish", headers={**bearer, "Content-Type": "application/json"}, data=b" " * LARGE)
    assert refused.status_code in TOO_LARGE
    uploaded = call("POST", "/v1/media", headers={**bearer, "Content-Type": "video/mp4"}, data=media.film)
    assert len(media.film) > LARGE and uploaded.status_code == 201, uploaded.text
    # files for platforms, whole and in ranges: the post waits at its platform, so that they are still there
    sandbox.fault("instagram", "POST", "/v25.0/*/media_publish", "rate_limit", retry_after=400)
    post = app.accepted(app.account("instagram"), marker("ranged"), media=[media.image()])["post_id"]
    poll("the post waits", lambda: app.show(post)["platform_posts"][0]["state"] == "retrying")
    given = [urllib.parse.unquote_plus(str(request.get("body"))) for request in sandbox.log("graph.facebook.com", method="POST")]
    token = [found[1] for body in given if (found := re.search(f"{service.url}/media/([A-Za-z0-9_-]+)", body))][-1]
    whole = call("GET", f"/media/{token}")
    piece = call("GET", f"/media/{token}", headers={"Range": "bytes=10-19"})
    sandbox.clear_faults()
    assert whole.status_code == 200 and whole.content == media.picture
    assert piece.status_code == 206 and piece.content == media.picture[10:20]
