# SPDX-License-Identifier: Apache-2.0
"""Our copies of customers' files under /media/TOKEN: for platforms that fetch for themselves, and for nobody without a token
(delivery/hosted.h)."""
import base64
import re
import urllib.parse

import pytest
import requests

from harness import App, HTTP_S, Service, marker, poll

MEDIA_URL = re.compile(r"http://127\.0\.0\.1:\d+/media/[A-Za-z0-9_-]+")
PUBLISH = ("instagram", "POST", "/v25.0/*/media_publish")


@pytest.fixture(scope="module")
def hosting(tmp_path_factory, sandbox):
    """A service of its own, whose log is kept at its most talkative."""
    with Service(tmp_path_factory.mktemp("hosting") / "data", sandbox, ["--log-level", "debug"]) as process:
        yield App(process, name="hosting").set_credentials("instagram").issue_token()


class Held:
    """A post that waits at its platform, so that its files are still there."""

    def __init__(self, app, sandbox, media):
        account = app.account("instagram")
        sandbox.fault(*PUBLISH, "rate_limit", retry_after=400, times=1)
        text = marker("hosted")
        self.sandbox, self.app, self.media = sandbox, app, media
        self.seen = len(sandbox.log())
        self.post = app.accepted([account], text, media=[media.image()])
        self.id = self.post["post_id"]
        poll("the post to wait", lambda: app.show(self.id)["platform_posts"][0]["status"] == "retrying"
             or app.show(self.id)["platform_posts"][0].get("state") == "retrying")
        self.url = self.hosted_url()

    def hosted_url(self):
        for request in self.sandbox.log()[self.seen:]:
            found = MEDIA_URL.search(urllib.parse.unquote_plus(f"{request['path']} {request.get('body') or ''}"))
            if found:
                return found.group()
        raise AssertionError("no address of ours went to the platform")


@pytest.fixture(scope="module")
def held(hosting, sandbox, media):
    held = Held(hosting, sandbox, media)
    yield held
    sandbox.clear_faults()


def get(url, method="GET", **more):
    return requests.request(method, url, timeout=HTTP_S, allow_redirects=False, **more)


def test_whole(held):
    answer = get(held.url)
    assert answer.status_code == 200
    assert answer.content == held.media.picture
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Content-Length"] == str(len(held.media.picture))
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_head(held):
    answer = get(held.url, "HEAD")
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer.headers["Content-Length"] == str(len(held.media.picture))


@pytest.mark.parametrize("text, begin, end", [("bytes=0-0", 0, 1), ("bytes=100-199", 100, 200), ("bytes=-7", -7, None),
                                              ("bytes=1000-", 1000, None)])
def test_range(held, text, begin, end):
    answer = get(held.url, headers={"Range": text})
    assert answer.status_code == 206
    assert answer.content == held.media.picture[begin:end]
    assert answer.headers["Content-Length"] == str(len(answer.content))
    assert answer.headers["Content-Range"].endswith(f"/{len(held.media.picture)}")


def test_range_that_is_not_there(held):
    answer = get(held.url, headers={"Range": "bytes=99999999-"})
    assert answer.status_code == 416
    assert answer.headers["Content-Range"] == f"bytes */{len(held.media.picture)}"


def test_many_at_once_over_one_connection(held):
    with requests.Session() as session:
        for _ in range(20):
            assert session.get(held.url, timeout=HTTP_S, stream=True).content == held.media.picture


def forged(url):
    """Everything that is nearly the token."""
    base, token = url.rsplit("/", 1)
    sealed = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    for at in (0, 1, 5, 29, 40, len(sealed) - 1):
        changed = bytearray(sealed)
        changed[at] ^= 1
        yield f"changed byte {at}", base + "/" + base64.urlsafe_b64encode(bytes(changed)).decode().rstrip("=")
    for length in (1, len(token) // 2, len(token) - 1):
        yield f"cut to {length}", f"{base}/{token[:length]}"
    yield "longer", url + "A"
    yield "padded", url + "="
    yield "another alphabet", f"{base}/" + base64.b64encode(bytes(sealed)).decode().replace("/", "%2F")
    yield "twice", f"{base}/{token}/{token}"
    yield "nothing", f"{base}/"
    yield "no token", base
    for path in ("..%2f..%2fmaster.key", "%2e%2e/master.key", "..", "/etc/passwd", "%00", "a" * 600, "posthorn.db"):
        yield path[:20], f"{base}/{path}"


def test_all_else_is_an_unknown_path(held):
    """Byte for byte: who guesses learns nothing."""
    plain = get(held.url.rsplit("/media/", 1)[0] + "/no/such/path")
    assert plain.status_code == 404
    for what, url in forged(held.url):
        request = requests.Request("GET", "http://127.0.0.1/").prepare()
        request.url = url  # as it stands: nothing is normalised
        with requests.Session() as session:
            answer = session.send(request, timeout=HTTP_S, stream=True)
            assert (answer.status_code, answer.content) == (404, plain.content), what
        assert answer.headers["Content-Type"] == plain.headers["Content-Type"], what


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_only_to_be_read(held, method):
    assert get(held.url, method).status_code == 405


def test_never_told(held, hosting):
    """Neither in the log nor in what the API shows."""
    token = held.url.rsplit("/", 1)[1]
    get(held.url)
    shown = hosting.timeline_text(held.id) + str(hosting.show(held.id))
    poll("the request is in the log", lambda: "route=/media/{token}" in hosting.service.stderr())
    assert token not in hosting.service.stderr()
    assert token not in shown


def test_gone_with_the_post(held, hosting, sandbox):
    """The last test: the post ends, and its files with it."""
    assert get(held.url).status_code == 200
    sandbox.clear_faults()
    hosting.wait_post(held.id, timeout_s=120)
    poll("the file to go", lambda: get(held.url).status_code == 404)
