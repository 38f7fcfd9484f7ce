# SPDX-License-Identifier: Apache-2.0
"""What the fault tests share beside tests/api/harness.py: worlds of their own, a service that may die, and the judge that
compares what the API says with what the platforms' ledger shows."""
import atexit
import collections
import contextlib
import fnmatch
import functools
import json
import mmap
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import threading
import time
import uuid

import requests

from flows import shows
from harness import READY_S, App, Sandbox, Service, poll

IS_LONG = bool(os.environ.get("POSTHORN_LONG"))
CELLS_PER_WORLD = 24  # the simulated platforms have quotas: YouTube 100 uploads and Instagram 50 posts a day, X 100 in 15 minutes
POLL_S = 0.025
HURRY_S = 0.1
GONE = (requests.ConnectionError, requests.Timeout)
FIGURES = ("cells", "crashes", "published", "in doubt", "unknown", "refused", "lost", "doubled")


def chosen(flows):
    """Those that POSTHORN_FLOWS names, a list with commas in which * stands for anything ("instagram*,x text"); all by default."""
    patterns = [pattern.strip() for pattern in os.environ.get("POSTHORN_FLOWS", "*").split(",")]
    return [flow for flow in flows if any(fnmatch.fnmatchcase(flow.name, pattern) for pattern in patterns)]


def selected(request, flows):
    """Those whose test is among the chosen ones of the module (pytest -k, or a test named by its id). A module that prepares
    all its flows beside each other need not prepare the others."""
    names = {item.callspec.params.get("name") for item in request.session.items
             if item.path == request.node.path and hasattr(item, "callspec")}
    return [flow for flow in flows if flow.name in names] or flows


class MortalService(Service):
    """A service that may kill itself, even before it is ready: url is None then."""

    def _wait_until_ready(self):
        begin = time.monotonic()
        try:
            return super()._wait_until_ready()
        except AssertionError:
            if self.popen.returncode != -signal.SIGKILL or time.monotonic() - begin >= READY_S:
                raise
            return None

    @property
    def is_dead(self):
        return self.popen.poll() is not None

    @property
    def is_killed_by_itself(self):
        return self.is_dead and not self.was_killed_by_test

    was_killed_by_test = False

    def kill(self):
        self.was_killed_by_test = not self.is_dead
        super().kill()

    def check_died_by_kill(self):
        self.check_sanitizers()
        code = self.popen.wait()
        assert code == -signal.SIGKILL, f"ended with {code}, not by the crash point:\n{self.stderr()[-4000:]}"


@functools.lru_cache(maxsize=None)
def preload_library(name="preload"):
    """NAME.c of this folder, built once a run."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="posthorn-fault-preload-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    source, library = pathlib.Path(__file__).with_name(f"{name}.c"), directory / f"{name}.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source], check=True)
    return library


WRITES, FLUSHES, TRUNCATES = 1, 2, 4
ALL_CALLS = WRITES | FLUSHES | TRUNCATES


class Control:
    """What preload.c does to the service, shared with it while it runs."""

    FIELDS = ("at", "is_sticky", "error", "calls", "seen", "hits", "clock_s")  # struct control

    def __init__(self, path):
        path.write_bytes(bytes(64))
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 64)
        # A preloaded library may stand before the sanitizer's own.
        self.environment = {
            "LD_PRELOAD": str(preload_library()),
            "FAULT_CONTROL": str(path),
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0",
        }

    def __getitem__(self, name):
        return struct.unpack_from("<i", self.map, 4 * self.FIELDS.index(name))[0]

    def __setitem__(self, name, value):
        struct.pack_into("<i", self.map, 4 * self.FIELDS.index(name), value)

    def begin(self, error, at=1, is_sticky=True, calls=ALL_CALLS):
        """From the at-th matching call on; error 0 stops the process after a flush."""
        self["at"] = 0
        self["seen"] = self["hits"] = 0
        self["error"], self["calls"], self["is_sticky"] = error, calls, int(is_sticky)
        self["at"] = at

    def end(self):
        self["at"] = 0


class World:
    """A sandbox, a data directory, and an app with accounts of the platforms; the service on top comes and goes."""

    def __init__(self, media, platforms, through=None, time_scale=5000):
        self.media, self.time_scale = media, time_scale
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="posthorn-fault-"))
        self.sandbox = Sandbox()
        self.proxy = through(self.sandbox.url) if through else None
        self.control = Control(self.directory / "control")
        self.service = self.app = None
        self.hurried_at = time.monotonic()
        try:
            self.start()
            self.settle_in(platforms)
        except BaseException:
            self.destroy()
            raise

    def settle_in(self, platforms):
        self.app = App(self.service).set_credentials(*platforms).issue_token()
        self.accounts = {slug: self.app.connect(slug).accounts for slug in platforms}

    def start(self, crash_point=None, environment=None, options=()):
        """Starts the service (again); with a crash point it may be dead when this returns."""
        assert self.service is None or self.service.is_dead
        environment = {**self.control.environment, **(environment or {})}
        if crash_point:
            environment["POSTHORN_CRASH_POINT"] = crash_point
        behind = self.proxy or self.sandbox
        self.service = MortalService(
            self.directory / "data", behind, ["--time-scale", str(self.time_scale), "--threads", "4", *options], environment
        )
        if self.app:
            self.app.service = self.service
        return self.service

    def kill(self):
        self.service.kill()
        self.service.check_sanitizers()

    def account(self, flow):
        return self.accounts[flow.platform][flow.account]

    def request(self, flow, texts):
        if flow.knobs:
            self.sandbox._call("POST", "/_sandbox/knobs", json=dict(flow.knobs))
        return {"account_ids": [self.account(flow)["id"]], "request_id": uuid.uuid4().hex, **flow.body(texts, self.media)}

    def accept(self, body, timeout_s=10):
        """The post's id, None when the answer was lost. A repeat of the same request is answered with the id as well."""
        try:
            answer = self.app.post("/v1/posts/publish", json=body, timeout=timeout_s)
        except GONE:
            return None
        if answer.status_code == 409:
            return answer.json()["details"]["post_id"]
        assert answer.status_code == 202, f"{answer.status_code} {answer.text}"
        return answer.json()["data"]["post_id"]

    def show_or_none(self, post_id):
        try:
            return self.app.show(post_id)
        except GONE:
            return None

    def wait_or_death(self, post_id, flow, timeout_s=60):
        """The final post, or None when the service died on the way. Also None for a post that waits for what the platform shows."""
        deadline = time.monotonic() + timeout_s
        while not self.service.is_dead:
            post = self.show_or_none(post_id)
            if post and post["status"] in ("published", "failed"):
                return post
            assert time.monotonic() < deadline, f"not final: {json.dumps(post)}\n{self.app.timeline_text(post_id)}"
            if post and flow.patience_s and self.waiting_rows(post_id):
                return None
            self.hurry(flow)
            time.sleep(POLL_S)
        return None

    def hurry(self, flow):
        """A platform takes seconds to process a video: its clock goes ten times as fast while we wait for it."""
        if ("clip" in flow.media or flow.platform == "tiktok") and time.monotonic() > self.hurried_at + HURRY_S:
            self.hurried_at = time.monotonic()
            self.sandbox.advance(1)

    def wait_for_death(self):
        """An answer that was lost means that the service is dying."""
        if self.service.popen.wait(timeout=10) is not None:
            return None

    def later(self, seconds):
        """The machine is off, and comes back so much later, here and at the platforms."""
        self.kill()
        self.sandbox.advance(seconds)
        self.control["clock_s"] += seconds
        return self.start()

    def settle(self, post_id, flow, timeout_s=60):
        """The final post. Who waits for the platform to show what it did is given the time that it wants."""
        deadline, patience_s, since = time.monotonic() + timeout_s, 1.5, time.monotonic()
        post, rows_known = None, 0
        while time.monotonic() < deadline:
            post = self.show_or_none(post_id)
            if post and post["status"] in ("published", "failed"):
                return post
            rows = self.waiting_rows(post_id) if flow.patience_s else 0
            if self.service.is_dead:  # a crash point that comes late
                self.service.check_died_by_kill()
                self.start()
            elif flow.patience_s and (rows > rows_known or time.monotonic() > since + patience_s):
                self.later(flow.patience_s)
                since, patience_s, rows_known = time.monotonic(), patience_s * 2, max(rows, rows_known)
            self.hurry(flow)
            time.sleep(POLL_S)
        raise AssertionError(f"not final: {json.dumps(post)}\n{self.app.timeline_text(post_id)}")

    def waiting_rows(self, post_id):
        """How long the timeline is when it ends with a look that is too early (a wait that the time scale does not divide),
        0 when it does not. Nothing is under way then, so that whoever starts again now interrupts no call."""
        try:
            rows = self.timeline(post_id)
        except GONE:
            return 0
        is_waiting = bool(rows) and (rows[-1]["verdict"] == "in_doubt" or rows[-1]["decision"] == "too early to ask")
        return len(rows) if is_waiting else 0

    def timeline(self, post_id):
        return self.app.get(f"/v1/posts/{post_id}/timeline").json().get("data", [])

    def close(self):
        """Ends everything; whoever closes an undamaged world gets the sanitizers' last word too."""
        try:
            if self.service is not None and not self.service.is_dead:
                self.service.stop()
            self.sandbox.stop()
        finally:
            self.destroy()

    def destroy(self):
        if self.service is not None:
            self.service.kill()
        self.sandbox.kill()
        if self.proxy:
            self.proxy.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:
            self.destroy()

    def check_store(self):
        """Of a stopped or killed service. A copy is checked: whoever closes the database itself folds the log into it."""
        with tempfile.TemporaryDirectory(prefix="posthorn-check-") as directory:
            for name in ("posthorn.db", "posthorn.db-wal"):
                if (self.directory / "data" / name).exists():
                    shutil.copy2(self.directory / "data" / name, directory)
            with contextlib.closing(sqlite3.connect(pathlib.Path(directory) / "posthorn.db")) as store:
                assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# ---- the judge ----


def entries_of(flow, account, text, ledger):
    """Videos carry the text as title and description; a link stands below it; a story has none, but a file of its own."""
    return [
        entry
        for entry in ledger
        if entry["platform"] == flow.platform
        and entry["account_id"] == account["platform_account_id"]
        and (
            entry["text"] == text
            or (("clip" in flow.media or flow.options) and entry["text"].startswith(text))
            or (flow.is_wordless and shows(entry, text))
        )
    ]


def judge(flow, account, texts, post, ledger, may_refuse=False):
    """The promise (rules.md 2.1) for one final post: the list of what is wrong. With may_refuse the platform was told to
    refuse; then failed is right as long as what is visible is exactly what the API says was published."""
    platform_post = post["platform_posts"][0]
    error = platform_post["error"] or {}
    seen = [entries_of(flow, account, text, ledger) for text in texts]
    counts = [len(entries) for entries in seen]
    name = f"{flow.name} {texts[0]}: {platform_post['status']} {error.get('code', '')}, visible {counts}"
    wrong = []
    if max(counts) > 1:
        wrong.append(f"DOUBLED {name}")
    is_partial = platform_post["outcome"] == "partial"
    if platform_post["status"] == "failed" and platform_post["parts"] and platform_post["parts"][0]["state"] == "published":
        wrong.append(f"OUT AND TOLD FAILED {name}")
    if platform_post["status"] == "published" and 0 in counts and not is_partial:
        wrong.append(f"LOST {name}")
    if platform_post["status"] == "published" and platform_post["platform_post_id"] not in (
        None, *(entry["id"] for entry in seen[0])
    ):
        wrong.append(f"WRONG ID {name}: {platform_post['platform_post_id']}")
    if (platform_post["status"] == "failed" or is_partial) and error.get("code") != "OUTCOME_UNKNOWN":
        told = [part["state"] == "published" for part in platform_post["parts"]]
        if not may_refuse:
            wrong.append(f"FAILED {name}: {error}")
        elif told != [count > 0 for count in counts]:
            wrong.append(f"LOST {name}: parts told as {told}")
    if error.get("code") == "OUTCOME_UNKNOWN" and flow.is_strong:
        wrong.append(f"UNKNOWN {name}: the platform could have been asked")
    for part in range(1, len(texts)):
        for entry in seen[part]:
            if entry["reply_to"] not in [parent["id"] for parent in seen[flow.parent(part)]]:
                wrong.append(f"WRONG PARENT {name}: part {part}")
    return wrong


def judge_sent(flow, texts, requests_log):
    """A repeat that the platform refuses is a fault of ours all the same: no text may leave in more publish requests than the
    flow allows. Videos are left out: their text leaves with the session, and a platform that can be asked allows a repeat."""
    if flow.is_strong:
        return []
    sent = [
        entry.get("body") or ""
        for entry in requests_log
        if any(entry["method"] == method and matches(path, entry["path"]) for method, path in flow.publish_calls)
    ]
    counts = [sum(word_of(text) in body for body in sent) for text in texts]
    allowed = [flow.sends_max, *([1] * (len(texts) - 1))]
    return [] if all(c <= a for c, a in zip(counts, allowed)) else [f"SENT TWICE {flow.name} {texts[0]}: {counts}"]


def word_of(text):
    """The part of a marker that no encoding changes."""
    return text.rsplit(" ", 1)[1]


def matches(pattern, path):
    wanted, given = pattern.split("/"), path.split("?")[0].split("/")
    return len(wanted) == len(given) and all(w in ("*", g) for w, g in zip(wanted, given))


def count_post(figures, post, wrong, timeline):
    """Adds one judged post to the figures."""
    platform_post = post["platform_posts"][0]
    code = (platform_post["error"] or {}).get("code")
    figures["cells"] += 1
    figures["published"] += platform_post["status"] == "published"
    figures["unknown"] += code == "OUTCOME_UNKNOWN"
    figures["refused"] += platform_post["outcome"] != "all" and code != "OUTCOME_UNKNOWN"
    figures["in doubt"] += is_in_doubt(timeline) or code == "OUTCOME_UNKNOWN"
    figures["doubled"] += any(line.startswith("DOUBLED") for line in wrong)
    figures["lost"] += any(line.startswith("LOST") for line in wrong)


def is_in_doubt(timeline):
    return '"stage": "resolve' in timeline or '"in_doubt"' in timeline


def figures_text(figures):
    return ", ".join(f"{figures[name]} {name}" for name in FIGURES)


# ---- a proxy between the service and the sandbox ----


class Passed:
    """A request as the proxy saw it."""

    def __init__(self, head, body, is_first_on_connection):
        self.at = time.monotonic()
        self.head, self.body, self.is_first_on_connection = head, body, is_first_on_connection
        self.method, self.target = head.split(b"\r\n", 1)[0].decode().split(" ")[:2]
        self.path = "/" + self.target.split("?")[0].lstrip("/").partition("/")[2]  # without the host segment


class Proxy:
    """Takes each request whole, asks rule(passed) what to do, and keeps connections alive. What a rule may answer:
    None       hand on, hand back
    "close"    close the connection without handing on or answering
    "reset"    the same with a reset
    "lose"     hand on, then close without an answer
    "twice"    hand on two times (a broken sender): the first answer goes back
    a function called with no arguments before the answer goes back (to wait, to stop the service)
    """

    def __init__(self, target_url):
        host, port = target_url.removeprefix("http://").split(":")
        self.target = (host, int(port))
        self.rule = lambda passed: None
        self.passed = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def count(self, path, text=""):
        return len([p for p in self.passed if matches(path, p.path) and text.encode() in p.body])

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        is_first = True
        with connection, connection.makefile("rb") as stream:
            try:
                while True:
                    message = read_message(stream, is_request=True, send=connection.sendall)
                    if message is None:
                        return
                    if not self._pass_on(connection, Passed(*message, is_first)):
                        return
                    is_first = False
            except (OSError, ValueError):
                return

    def _pass_on(self, connection, passed):
        self.passed.append(passed)
        what = self.rule(passed)
        if what == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        if what in ("close", "reset"):
            return False
        answer = self._ask(passed)
        if what == "twice":
            self._ask(passed)
        if what == "lose" or answer is None:
            return False
        if callable(what):
            what()
        connection.sendall(answer)
        return True

    def _ask(self, passed):
        with socket.create_connection(self.target) as upstream, upstream.makefile("rb") as stream:
            upstream.sendall(passed.head + passed.body)
            message = read_message(stream, is_request=False, is_bodiless=passed.method == "HEAD")
            return b"".join(message) if message else None


def read_message(stream, is_request, send=None, is_bodiless=False):
    """Head (with its blank line) and body of one HTTP/1.1 message, None at the end of the connection."""
    lines = []
    while True:
        line = stream.readline()
        if not line:
            return None
        lines.append(line)
        if line == b"\r\n":
            break
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:-1])}
    if send and fields.get(b"expect", b"").lower() == b"100-continue":
        send(b"HTTP/1.1 100 Continue\r\n\r\n")
        lines = [line for line in lines if not line.lower().startswith(b"expect:")]
    head = b"".join(lines)
    if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        body = b""
        while True:
            size = stream.readline()
            chunk = stream.read(int(size, 16) + 2)
            body += size + chunk
            if int(size, 16) == 0:
                return head, body
    length = int(fields.get(b"content-length", b"0"))
    body = b"" if is_bodiless else stream.read(length)
    if len(body) < length and not is_bodiless:
        return None if is_request else (head, body)
    return head, body


def wait_for(what, check, timeout_s=30):
    return poll(what, check, timeout_s, 0.01)


def new_figures():
    return collections.Counter({name: 0 for name in FIGURES})


# ---- the calls of a flow ----


class Call:
    """One kind of call that a clean run of a flow makes: what a fault of the sandbox can be aimed at."""

    def __init__(self, flow, method, path, has_token, is_after_publish, skips=None):
        self.flow, self.method, self.path, self.has_token, self.skips = flow, method, path, has_token, skips or 0
        is_phase = skips is None and flow.skips > 0 and matches(flow.publish_calls[0][1], path)
        if not is_phase and any(method == m and matches(p, path) for m, p in flow.publish_calls):
            self.kind = "publish"
        else:
            self.kind = "after" if is_after_publish else "before"

    @property
    def name(self):
        return f"{self.flow.name}, {self.method} {self.path}" + (f" #{self.skips + 1}" if self.skips else "")

    def aim(self, sandbox, effect, **members):
        """A fault for this call: the calls on its path that come before it are let through."""
        aim(sandbox, self.flow, self.method, self.path, self.skips, effect, **members)


def aim(sandbox, flow, method, path, skips, effect, **members):
    if skips:
        sandbox.fault(flow.platform, method, path, "slow", retry_after=0, times=skips)
    sandbox.fault(flow.platform, method, path, effect, **members)


def aim_at_publish_calls(world, flow, effect, **members):
    for number, (method, path) in enumerate(flow.publish_calls):
        aim(world.sandbox, flow, method, path, flow.skips_of(world.media) if number == 0 else 0, effect, **members)


def pattern_of(path):
    """The path as a fault may match it: ids are stars."""
    segments = path.split("?")[0].split("/")
    return "/".join("*" if is_id(s) else s for s in segments)


def is_id(segment):
    """Many digits, a URN, or letters of both cases with digits among them (LinkedIn's assets)."""
    is_mixed = len(segment) >= 16 and segment.lower() != segment and any(c.isdigit() for c in segment)
    return sum(c.isdigit() for c in segment) >= 6 or "%3A" in segment or is_mixed


def learn_calls(world, flow):
    """From a clean run, in the order in which they first come."""
    before = len(world.sandbox.log())
    texts = flow.texts()
    post = world.settle(world.accept(world.request(flow, texts)), flow)
    assert post["status"] == "published", world.app.timeline_text(post["id"])
    calls, counts, has_published, skips = {}, collections.Counter(), False, flow.skips_of(world.media)
    visible = (flow.publish_calls[0][0], flow.publish_calls[0][1])
    for entry in world.sandbox.log()[before:]:
        key = (entry["method"], pattern_of(entry["path"]))
        has_token = "authorization" in entry["headers"] or "access_token" in entry["path"] + (entry.get("body") or "")
        counts[key] += 1
        is_visible = skips > 0 and counts[key] == skips + 1 and key == visible
        name = (*key, skips) if is_visible else key
        call = calls.setdefault(name, Call(flow, *key, has_token, has_published, skips if is_visible else None))
        has_published = has_published or call.kind == "publish"
    assert skips == 0 or counts[visible] == skips + 1, f"{flow.name}: {counts[visible]} calls on {visible}"
    return list(calls.values())


def outcome_of(post):
    """"published", or why not all of it is: what is out in part has the code of what is not."""
    error = post["platform_posts"][0]["error"]
    return error["code"] if error else "published"
