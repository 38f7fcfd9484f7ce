# SPDX-License-Identifier: Apache-2.0
"""What the black-box tests are made of: the two processes, a media server, the command line, and an app that calls the API.

Nothing here knows how Posthorn is built inside; it knows the API, the operator's contract and the sandbox contract
(ARCHITECTURE.md). Fixtures that hand these objects to tests are in conftest.py.
"""
import base64
import contextlib
import hashlib
import html.parser
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid

import requests

from checker import WATCH

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLATFORMS = ("instagram", "facebook", "x", "linkedin", "youtube", "tiktok")
PLATFORM_IDS = {slug: number for number, slug in enumerate(PLATFORMS, start=1)}
UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
INSTANT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?Z$")
CUSTOMER_URL = "https://customer.example/done"

READY_S = 20  # for a process to say that it listens
STOP_S = 30  # for SIGTERM to end it
HTTP_S = 30  # for any answer
FINAL_S = 60  # for a post to become published or failed

SANITIZER_WORDS = ("ERROR: AddressSanitizer", "runtime error:", "LeakSanitizer", "ThreadSanitizer")


# ---- the binary ----


def find_binary():
    """POSTHORN_BIN, else the newest build*/src/cli/posthorn under the repository's root."""
    given = os.environ.get("POSTHORN_BIN")
    if given:
        return str(pathlib.Path(given).resolve())
    found = sorted(ROOT.glob("build*/src/cli/posthorn"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise FileNotFoundError("no posthorn binary: set POSTHORN_BIN or build below build*/")
    return str(found[-1])


def clean_environment(extra=None):
    """Ours without POSTHORN_* and proxies, so that a developer's shell does not change what is tested."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("POSTHORN_") and not name.lower().endswith("_proxy")
    }
    environment.update(extra or {})
    return environment


DATABASES = {}


def database_of(data):
    """What makes a service use the database that POSTHORN_TEST_DATABASE chooses: nothing (SQLite in the data directory), or the URL
    of a PostgreSQL server, on which every data directory has a database of its own."""
    server = os.environ.get("POSTHORN_TEST_DATABASE", "")
    if not server.startswith("postgres"):
        return {}
    key = str(pathlib.Path(data).resolve())
    if key not in DATABASES:
        name = "posthorn_" + hashlib.sha256(f"{os.getpid()} {key}".encode()).hexdigest()[:20]
        made = subprocess.run(["psql",
                               "-X",
                               "-q",
                               "-d",
                               server,
                               "-c",
                               f"CREATE DATABASE {name}"],
                              capture_output=True,
                              text=True,
                              timeout=60)
        assert made.returncode == 0 or "already exists" in made.stderr, made.stderr
        DATABASES[key] = f"{server.rsplit('/', 1)[0]}/{name}"
    return {"POSTHORN_DATABASE": DATABASES[key]}


def poll(what, check, timeout_s=FINAL_S, every_s=0.05):
    """Calls check() until it returns something true, and returns that. Fails with `what` when the time is over."""
    deadline = time.monotonic() + timeout_s
    while True:
        result = check()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_s} s: {what}")
        time.sleep(every_s)


def marker(prefix="post"):
    """A text that no other test uses: how a post is found again in the ledger."""
    return f"{prefix} {uuid.uuid4().hex[:12]}"


def utc(ahead_s=0):
    """An instant as the API writes it, so many seconds from now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + ahead_s))


# ---- processes ----

# The second form is that of --log-format json.
READY_LINE = r'^(?:posthorn(?: sandbox)?: listening on |.*"event":"listening".*"url":")(http://[^"\s]+)"?\}?$'


class Process:
    """A running posthorn. Standard error goes to a file; url is where it listens."""

    def __init__(self, arguments, environment=None, cwd=None):
        self.arguments = [str(argument) for argument in arguments]
        self._log = tempfile.NamedTemporaryFile(prefix="posthorn-test-", suffix=".log")  # gone with this object
        with open(self._log.name, "wb") as log:
            self.popen = subprocess.Popen(
                [find_binary(), *self.arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=clean_environment(environment),
                cwd=cwd,
            )
        self.url = self._wait_until_ready()

    def _wait_until_ready(self):
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline:
            found = re.search(READY_LINE, self.stderr(), re.M)
            if found:
                return found.group(1)
            if self.popen.poll() is not None:
                break
            time.sleep(0.02)
        self.kill()
        raise AssertionError(f"posthorn {self.arguments} did not become ready:\n{self.stderr()}")

    def stderr(self):
        return pathlib.Path(self._log.name).read_text(errors="replace")

    def kill(self):
        """SIGKILL, as a power cut would."""
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()

    def check_sanitizers(self):
        text = self.stderr()
        for word in SANITIZER_WORDS:
            assert word not in text, f"{word} in posthorn {self.arguments}:\n{text[-8000:]}"

    def stop(self):
        """SIGTERM; the contract says: ends by itself with 0. Sanitizer reports are failures."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        try:
            status = self.popen.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"posthorn {self.arguments} did not end after SIGTERM:\n{self.stderr()[-4000:]}")
        self.check_sanitizers()
        assert status == 0, f"posthorn {self.arguments} ended with {status}:\n{self.stderr()[-4000:]}"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()
            print(f"\n---- posthorn {' '.join(self.arguments)} ----\n{self.stderr()[-4000:]}")


class Sandbox(Process):
    """`posthorn sandbox`: the six simulated platforms; data: where it keeps its state, in memory without."""

    def __init__(self, data=""):
        super().__init__(["sandbox", "--listen", "127.0.0.1:0", "--data", data])

    def _call(self, method, path, **more):
        answer = requests.request(method, self.url + path, timeout=HTTP_S, **more)
        assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def ledger(self, text=None, platform=None):
        """What the world can see; with text only the entries whose text contains it."""
        posts = self._call("GET", "/_sandbox/ledger")["posts"]
        return [
            post
            for post in posts
            if (text is None or text in post["text"]) and (platform is None or platform == post["platform"])
        ]

    def log(self, host=None, path=None, method=None):
        """Requests received, oldest first; path is a prefix."""
        return [
            request
            for request in self._call("GET", "/_sandbox/log")["requests"]
            if (host is None or request["host"] == host)
            and (path is None or request["path"].startswith(path))
            and (method is None or request["method"] == method)
        ]

    def fault(self, platform, method, path, effect, **more):
        """For example fault("x", "POST", "/2/tweets", "status", status=503)."""
        wish = {"platform": platform, "match": {"method": method, "path": path}, "effect": effect, **more}
        self._call("POST", "/_sandbox/faults", json=wish)

    def clear_faults(self):
        self._call("DELETE", "/_sandbox/faults")

    def faults(self):
        return self._call("GET", "/_sandbox/faults")["faults"]

    def knob(self, name, value):
        self._call("POST", "/_sandbox/knobs", json={name: value})

    def reset(self):
        self._call("POST", "/_sandbox/reset")

    def advance(self, seconds):
        return self._call("POST", "/_sandbox/clock", json={"advance_s": seconds})


class Service(Process):
    """`posthorn serve`, by default with a sandbox behind it, no rate limits and hurried waits."""

    def __init__(self, data, sandbox=None, options=(), environment=None, listen="127.0.0.1:0", media_allow="127.0.0.0/8",
                 word="serve"):
        self.data = pathlib.Path(data)
        arguments = [word, "--data", self.data, "--listen", listen]
        if sandbox is not None:
            arguments += ["--sandbox", sandbox.url, "--time-scale", "20"]
        if "--rate-limit" not in options:
            arguments += ["--rate-limit", "0"]
        if "--token-failure-limit" not in options:
            arguments += ["--token-failure-limit", "0"]
        if media_allow is not None:
            arguments += ["--media-allow", media_allow]
        arguments += options
        super().__init__(arguments, {**database_of(self.data), **(environment or {})})
        WATCH.add(self.url, lambda: self.popen.poll() is None)

    def cli(self, *words, **more):
        environment = {**database_of(self.data), **(more.pop("environment", None) or {})}
        return cli(*words, "--data", self.data, environment=environment, **more)

    def metrics(self):
        """The figures, as `posthorn metrics` prints them."""
        done = self.cli("metrics")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def side_url(self, word):
        """Where the listener beside the public one is: "metrics" or "dashboard"."""
        return re.search(rf"^posthorn: {word} on (http://\S+)/{word}$", self.stderr(), re.M)[1]

    def request(self, method, path, **more):
        """Without any credentials."""
        more.setdefault("timeout", HTTP_S)
        more.setdefault("allow_redirects", False)
        return requests.request(method, self.url + path, **more)


def cli(*words, stdin=None, environment=None, cwd=None):
    """Runs a subcommand to its end: .returncode, .stdout, .stderr (text). Sanitizer reports are failures."""
    done = subprocess.run(
        [find_binary(), *[str(word) for word in words]],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=60,
        env=clean_environment(environment),
        cwd=cwd,
    )
    for word in SANITIZER_WORDS:
        assert word not in done.stderr, done.stderr
    return done


# ---- media ----


class Media:
    """A web server with a picture and a video, on 127.0.0.1. Paths:
    /picture.jpg /video.mp4   good media; anything may stand before the name: /42/picture.jpg
    /missing.jpg              404
    /text.jpg                 a web page that says it is a JPEG
    /wide.mp4                 a video that is not upright
    /film.mp4 /slides.pdf     the same of 9 MB, so that it goes up in several parts, and a document
    /words.srt                captions
    """

    def __init__(self, directory):
        self.picture = make_media(
            directory / "picture.jpg",
            ["-f", "lavfi", "-i", "testsrc2=size=1080x1080", "-frames:v", "1", "-q:v", "4"],
        )
        self.video = make_video(directory / "video.mp4", "540x960")
        self.wide_video = make_video(directory / "wide.mp4", "960x540")
        self.film = padded_video(self.wide_video, 9_000_000)
        self.slides = b"%PDF-1.4\n" + b"% a page\n" * 2000 + b"%%EOF\n"
        self.requests = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def _handler(media):  # noqa: N805 - the handler below has its own self
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                media.requests.append((self.command, self.path))
                name = self.path.split("?")[0].rsplit("/", 1)[-1]
                status, kind, body = {
                    "picture.jpg": (200, "image/jpeg", media.picture),
                    "video.mp4": (200, "video/mp4", media.video),
                    "wide.mp4": (200, "video/mp4", media.wide_video),
                    "film.mp4": (200, "video/mp4", media.film),
                    "slides.pdf": (200, "application/pdf", media.slides),
                    "words.srt": (200, "application/x-subrip", b"1\n00:00:00,000 --> 00:00:01,000\nHello\n"),
                    "text.jpg": (200, "image/jpeg", b"<!doctype html><title>Sign in</title>"),
                    "robots.txt": (404, "text/plain", b"no"),
                }.get(name, (404, "text/plain", b"not here"))
                stamp = re.search("/stamp-([0-9a-f]+)/", self.path)
                if stamp and status == 200:
                    body = stamped(body, bytes.fromhex(stamp[1]))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        return Handler

    def image(self, **more):
        return {"type": "image", "url": f"{self.url}/{uuid.uuid4().hex}/picture.jpg", **more}

    def clip(self, **more):
        return {"type": "video", "url": f"{self.url}/{uuid.uuid4().hex}/video.mp4", **more}

    def wide(self, **more):
        return {"type": "video", "url": f"{self.url}/{uuid.uuid4().hex}/wide.mp4", **more}

    def stamped(self, kind, text):
        """A picture, clip or wide clip whose bytes hold the text, so that it can be told from all others; with its digest."""
        item, bare = {"image": (self.image(), self.picture), "clip": (self.clip(duration=4), self.video),
                      "wide": (self.wide(duration=4), self.wide_video)}[kind]
        body = stamped(bare, text.encode())
        item["url"] = item["url"].replace(self.url, f"{self.url}/stamp-{text.encode().hex()}")
        return item, hashlib.sha256(body).hexdigest()

    def long_clip(self, **more):
        return {"type": "video", "url": f"{self.url}/{uuid.uuid4().hex}/film.mp4", **more}

    def words_url(self):
        return f"{self.url}/{uuid.uuid4().hex}/words.srt"

    def slides_url(self):
        return f"{self.url}/{uuid.uuid4().hex}/slides.pdf"

    def missing(self):
        return {"type": "image", "url": f"{self.url}/missing.jpg"}

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def padded_video(video, size):
    """The same film with a box behind it that players skip (ISO/IEC 14496-12, 8.1.2)."""
    padding = bytes(index % 251 for index in range(251)) * (size // 251)
    padding = padding[: size - len(video) - 8]
    return video + (len(padding) + 8).to_bytes(4, "big") + b"free" + padding


def stamped(body, text):
    """A JPEG may be followed by anything, an MP4 by a box to be skipped."""
    return body + (text if body[:2] == b"\xff\xd8" else (8 + len(text)).to_bytes(4, "big") + b"free" + text)


def make_video(path, size):
    return make_media(path, ["-f", "lavfi", "-i", f"testsrc2=size={size}:rate=24", "-f", "lavfi", "-i", "sine=frequency=440",
                             "-t", "4", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac",
                             "-movflags", "+faststart"])


def make_media(path, arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments, str(path)], check=True, timeout=60)
    return path.read_bytes()


# ---- a browser, as far as consent pages need one ----


class Form(html.parser.HTMLParser):
    """The first form of a page: action, method, fields [(name, value)], buttons [(name, value)]."""

    def __init__(self, page_url, text):
        super().__init__()
        self.page_url, self.action, self.method = page_url, None, "get"
        self.fields, self.choices, self.buttons = [], [], []
        self.feed(text)
        assert self.action is not None, f"no form on {page_url}:\n{text}"

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = urllib.parse.urljoin(self.page_url, at.get("action", ""))
            self.method = at.get("method", "get").lower()
        elif tag == "input" and at.get("type") in ("checkbox", "radio"):
            self.choices.append((at["name"], at.get("value", "on"), "checked" in at))
        elif tag == "input" and at.get("type") != "submit":
            self.fields.append((at["name"], at.get("value", "")))
        elif tag == "button" or tag == "input":
            self.buttons.append((at.get("name"), at.get("value")))

    def submit(self, button, checked=None):
        """Presses the button with that value; checked replaces what is ticked beforehand. Does not follow redirects."""
        name, value = next(pair for pair in self.buttons if pair[1] == button)
        ticked = [
            (choice, text)
            for choice, text, is_checked in self.choices
            if (is_checked if checked is None else text in checked)
        ]
        pairs = [*self.fields, *ticked, (name, value)]
        if self.method == "post":
            return requests.post(self.action, data=pairs, allow_redirects=False, timeout=HTTP_S)
        return requests.get(self.action, params=pairs, allow_redirects=False, timeout=HTTP_S)


def query_of(url):
    """The query of a URL as a dict; a name that comes twice is a failure."""
    pairs = urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs), f"a parameter comes twice: {url}"
    return dict(pairs)


def with_query(url, **parameters):
    return f"{url}{'&' if '?' in url else '?'}{urllib.parse.urlencode(parameters)}"


def follow_return(url, browser=None):
    """Opens the platform's redirect back to us as a browser would, past our waiting page, up to the redirect to the
    customer. Returns that answer (302), or the static page (400)."""
    deadline = time.monotonic() + FINAL_S
    browser = browser or requests.Session()
    while True:
        answer = browser.get(url, allow_redirects=False, timeout=HTTP_S)
        if answer.status_code != 200 or "Refresh" not in answer.headers:
            return answer
        assert time.monotonic() < deadline, "the waiting page never ended"
        seconds, _, target = answer.headers["Refresh"].partition("; url=")
        time.sleep(float(seconds))
        url = urllib.parse.urljoin(url, target)


class Connection:
    """A walk through connect -> consent -> callback -> return redirect."""

    def __init__(self, begun, callback_url, returned, answer):
        self.id = begun["connection_id"]
        self.authorize_url = begun["redirect_url"]
        self.callback_url = callback_url
        self.returned = returned  # our 302 to the customer
        self.query = query_of(returned.headers["Location"])
        self.answer = answer  # the accounts endpoint's JSON
        self.accounts = answer["accounts"]


# ---- an app ----


def basic(client_id, client_secret):
    return "Basic " + base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()


class App:
    """An app of a service: knows its credentials, holds a token, calls the API."""

    def __init__(self, service, name="test app", owner="owner@example.com", live=True):
        made = service.cli("app", "create", "--name", name, "--owner", owner, *(["--live"] if live else []))
        assert made.returncode == 0, made.stderr
        answer = json.loads(made.stdout)
        self.service = service
        self.id, self.client_id, self.client_secret = answer["app_id"], answer["client_id"], answer["client_secret"]
        self.token = None

    # -- operator's work

    def cli(self, *words, **more):
        return self.service.cli(*words, **more)

    def set_credentials(self, *slugs):
        """The sandbox's own credentials, verified."""
        for slug in slugs or PLATFORMS:
            done = self.cli(
                *("credential", "set", "--app", self.client_id, "--platform", slug),
                *("--client-id", f"sandbox-{slug}", "--client-secret-stdin", "--verify"),
                *(("--variant", "both") if slug == "linkedin" else ()),  # the member and the page
                stdin=f"sandbox-secret-{slug}",
            )
            assert done.returncode == 0, f"{slug}: {done.stdout}{done.stderr}"
            assert json.loads(done.stdout)["state"] == "verified"
        return self

    # -- token

    def request_token(self, **more):
        more.setdefault("data", {"grant_type": "client_credentials"})
        headers = {"Authorization": basic(self.client_id, self.client_secret), **more.pop("headers", {})}
        return self.service.request("POST", "/v1/oauth/token", headers=headers, **more)

    def issue_token(self):
        answer = self.request_token()
        assert answer.status_code == 200, answer.text
        self.token = answer.json()["access_token"]
        return self

    # -- calls

    def request(self, method, path, **more):
        headers = {"Authorization": f"Bearer {self.token}", **(more.pop("headers", None) or {})}
        return self.service.request(method, path, headers=headers, **more)

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    # -- connecting

    def begin(self, slug, user_id="user-1", redirect_url=CUSTOMER_URL, **more):
        parameters = {"user_id": user_id, "redirect_url": redirect_url, **more}
        answer = self.get(f"/v1/oauth/{slug}/connect", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def consent(self, begun, decision="allow", by_form=False, checked=None):
        """The platform's consent page, by script or as a person sees it. Returns the URL it sends the browser to."""
        if by_form:
            page = requests.get(begun["redirect_url"], timeout=HTTP_S)
            assert page.status_code == 200, page.text
            answer = Form(page.url, page.text).submit(decision, checked)
        else:
            url = with_query(begun["redirect_url"], sandbox_decision=decision)
            answer = requests.get(url, allow_redirects=False, timeout=HTTP_S)
        assert answer.status_code in (302, 303), f"{answer.status_code} {answer.text}"
        return answer.headers["Location"]

    def accounts_of(self, connection_id):
        """The accounts endpoint's JSON once the connection is no longer pending."""

        def look():
            answer = self.get(f"/v1/connections/{connection_id}/accounts")
            assert answer.status_code == 200, answer.text
            return answer.json() if answer.json()["status"] != "pending" else None

        return poll(f"connection {connection_id} is final", look)

    def connect(self, slug, user_id="user-1", redirect_url=CUSTOMER_URL, decision="allow", by_form=False, checked=None):
        begun = self.begin(slug, user_id, redirect_url)
        callback_url = self.consent(begun, decision, by_form, checked)
        returned = follow_return(callback_url)
        assert returned.status_code == 302, f"{returned.status_code} {returned.text}"
        return Connection(begun, callback_url, returned, self.accounts_of(begun["connection_id"]))

    def account(self, slug, user_id="user-1"):
        """The id of a fresh account of that platform (the first of the connection)."""
        return self.connect(slug, user_id).accounts[0]["id"]

    # -- posts

    def publish(self, account_ids, content=None, headers=None, **more):
        """POST /v1/posts/publish; returns the answer whatever it is."""
        ids = [account_ids] if isinstance(account_ids, str) else account_ids
        body = {"account_ids": ids, **({"content": content} if content is not None else {}), **more}
        return self.post("/v1/posts/publish", json=body, headers=headers)

    def accepted(self, *arguments, **more):
        """publish() that must be accepted: its data."""
        answer = self.publish(*arguments, **more)
        assert answer.status_code == 202, f"{answer.status_code} {answer.text}"
        return answer.json()["data"]

    def show(self, post_id):
        answer = self.get(f"/v1/posts/{post_id}")
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def wait_post(self, post_id, timeout_s=FINAL_S):
        """The post once it is published or failed."""
        deadline = time.monotonic() + timeout_s
        while True:
            post = self.show(post_id)
            if post["status"] in ("published", "failed"):
                return post
            assert time.monotonic() < deadline, f"not final: {json.dumps(post, indent=1)}\n{self.timeline_text(post_id)}"
            time.sleep(0.05)

    def published(self, *arguments, **more):
        """Accepted, waited for, and published: the post."""
        post = self.wait_post(self.accepted(*arguments, **more)["post_id"])
        assert post["status"] == "published", f"{json.dumps(post, indent=1)}\n{self.timeline_text(post['id'])}"
        return post

    def timeline_text(self, post_id):
        answer = self.get(f"/v1/posts/{post_id}/timeline")
        return "\n".join(json.dumps(row) for row in answer.json().get("data", []))

    def list(self, **parameters):
        """GET /v1/posts: the whole answer's JSON."""
        answer = self.get("/v1/posts", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def total(self):
        return self.list(per_page=1)["meta"]["total"]


class TestApp(App):
    """A test app: its platforms are the sandbox inside the service, which it asks with its token."""

    __test__ = False  # a helper, whatever pytest makes of its name

    def __init__(self, service, *options, name="test app", owner="owner@example.com"):
        made = service.cli("app", "create", "--name", name, "--owner", owner, "--test", *options)
        assert made.returncode == 0, made.stderr
        answer = json.loads(made.stdout)
        self.service = service
        self.id, self.client_id, self.client_secret = answer["app_id"], answer["client_id"], answer["client_secret"]
        self.issue_token()

    def sandbox(self, method, path, **more):
        """A request of /sandbox/_sandbox/...: the answer's JSON."""
        answer = self.request(method, f"/sandbox/_sandbox/{path}", **more)
        assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def ledger(self, text=None):
        return [post for post in self.sandbox("GET", "ledger")["posts"] if text is None or text in post["text"]]

    def log(self):
        return self.sandbox("GET", "log")["requests"]

    def fault(self, platform, method, path, effect, **more):
        wish = {"platform": platform, "match": {"method": method, "path": path}, "effect": effect, **more}
        self.sandbox("POST", "faults", json=wish)


# ---- what every answer must look like ----


def check_error(answer, status, code, fields=None):
    """The one error body (API: "Conventions"): message, error, perhaps errors and details, nothing else.
    fields: the exact set of paths in errors. Returns the body."""
    assert answer.status_code == status, f"{answer.status_code} instead of {status}: {answer.text}"
    assert answer.headers["Content-Type"].split(";")[0] == "application/json"
    assert answer.headers.get("X-Request-Id")
    body = answer.json()
    assert body["error"] == code, body
    assert isinstance(body["message"], str) and body["message"]
    assert set(body) <= {"message", "error", "errors", "details", "error_description"}, body
    if "errors" in body:
        for path, messages in body["errors"].items():
            assert messages and all(isinstance(text, str) and text for text in messages), path
    if fields is not None:
        assert set(body.get("errors", {})) == set(fields), body
    if status == 401 and code == "UNAUTHENTICATED":
        assert answer.headers["WWW-Authenticate"] in ("Bearer", 'Bearer error="invalid_token"')
    return body


def check_message_counts(body):
    """message = the first error plus "(and 1 more error)" or "(and N more errors)"."""
    messages = [text for texts in body["errors"].values() for text in texts]
    more = len(messages) - 1
    ending = {0: "", 1: " (and 1 more error)"}.get(more, f" (and {more} more errors)")
    assert body["message"] in [text + ending for text in messages], body


@contextlib.contextmanager
def stores_nothing(app):
    """What happens inside must not add a post to the app's list."""
    before = app.total()
    yield
    assert app.total() == before
