# SPDX-License-Identifier: Apache-2.0
"""What systemd and the service tell each other: ready, reloading, stopping, alive; sockets that are handed over; SIGHUP."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

import pytest
import requests

from harness import HTTP_S, READY_S, App, Service, clean_environment, cli, find_binary, poll

REQUESTS = 10000 if os.environ.get("POSTHORN_LONG") == "1" else 600
RESTARTS = 3


@pytest.fixture
def notified(tmp_path):
    """(path of the socket, a function that returns the next datagram as text)"""
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(str(tmp_path / "notify"))
    told.settimeout(20)
    yield str(tmp_path / "notify"), lambda: told.recv(1000).decode()
    told.close()


# ---- notify ----


def test_ready_reloading_stopping(tmp_path, notified):
    path, told = notified
    with Service(tmp_path / "data", environment={"NOTIFY_SOCKET": path}) as service:
        assert told().splitlines() == ["READY=1", "STATUS=live mode: posts go to the real platforms"]
        before_us = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        service.popen.send_signal(signal.SIGHUP)
        reloading = told().splitlines()
        assert reloading[0] == "RELOADING=1" and before_us <= int(reloading[1].removeprefix("MONOTONIC_USEC=")) < before_us + 20_000_000
        assert told() == "READY=1"
    assert told() == "STOPPING=1"


def test_the_watchdog_is_fed_while_the_engine_turns(tmp_path, notified):
    path, told = notified
    with Service(tmp_path / "data", environment={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"}) as service:
        assert told().startswith("READY=1")
        assert [told() for _ in range(3)] == ["WATCHDOG=1"] * 3
        service.stop()
        while (said := told()) == "WATCHDOG=1":
            pass
        assert said == "STOPPING=1"


def test_a_watchdog_of_another_process_is_not_ours(tmp_path, notified):
    path, told = notified
    other = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": str(os.getpid())}
    with Service(tmp_path / "data", environment=other):
        assert told().startswith("READY=1")
        time.sleep(1)
    assert told() == "STOPPING=1"


# ---- SIGHUP ----


class Configured(Service):
    def __init__(self, directory, text, *options):
        self.file = directory / "conf" / "posthorn.conf"
        self.file.parent.mkdir()
        self.file.write_text(text)
        super().__init__(directory / "data", None, ["--config", str(self.file), *options])

    def reload(self, text):
        """The file is replaced, as editors do it. Returns the lines that the log has gained."""
        new = self.file.with_suffix(".new")
        new.write_text(text)
        new.rename(self.file)
        before = self.stderr().count("settings_")
        length = len(self.stderr())
        self.popen.send_signal(signal.SIGHUP)
        poll("the service has read its settings", lambda: self.stderr().count("settings_") > before)
        return self.stderr()[length:]


def test_hup_puts_limits_into_force(tmp_path):
    with Configured(tmp_path, "quota-accounts = 50\n", "--rate-limit", "7", "--token-failure-limit", "0") as service:
        app = App(service).issue_token()
        assert app.get("/v1/posts").headers["X-RateLimit-Limit"] == "7"
        said = service.reload("quota-accounts = 60\nrate-limit = 100\n")
        assert "settings_read_again" in said and "needs_restart" not in said
        assert app.get("/v1/posts").headers["X-RateLimit-Limit"] == "7"  # a flag wins over the file
        assert json.loads(service.cli("app", "quota", app.client_id).stdout)["quotas"]["accounts"]["limit"] == 60


def test_hup_names_what_needs_a_restart_and_changes_nothing_for_a_wrong_value(tmp_path):
    with Configured(tmp_path, "log-level = warn\nthreads = 4\n") as service:
        service.request("GET", "/v1/posts", headers={"X-Request-Id": "not-yet-seen"})
        said = service.reload("log-level = info\nthreads = 8\n")
        assert re.search(r"setting_needs_restart setting=\"?threads\"?$", said, re.M) and said.count("needs_restart") == 1
        service.request("GET", "/v1/posts", headers={"X-Request-Id": "seen-at-info"})
        poll("lines about requests are written", lambda: "seen-at-info" in service.stderr())
        assert "not-yet-seen" not in service.stderr()
        said = service.reload("log-level = loud\n")
        assert "settings_not_read_again" in said and "log-level must be" in said and "every setting stays as it was" in said
        service.request("GET", "/v1/posts", headers={"X-Request-Id": "still-at-info"})
        poll("it stayed at info", lambda: "still-at-info" in service.stderr())
        assert "settings_not_read_again" in service.reload("no-such-setting = 1\n")
        assert service.request("GET", "/healthz").status_code == 200


def test_hup_never_ends_the_sandbox(sandbox):
    sandbox.popen.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert sandbox.popen.poll() is None and sandbox.ledger() is not None


# ---- sockets ----


class Parent:
    """Holds listening sockets and starts the service on them, as a socket unit does."""

    def __init__(self, data, names=("",), *options):
        self.data, self.names, self.options = data, names, options
        self.sockets = [socket.create_server(("127.0.0.1", 0), backlog=1024) for _ in names]
        self.log = tempfile.NamedTemporaryFile(prefix="posthorn-test-", suffix=".log")

    def url(self, at=0):
        return f"http://127.0.0.1:{self.sockets[at].getsockname()[1]}"

    def start(self):
        # Descriptors 3 and up, and LISTEN_PID of the process that becomes the service.
        moved = " ".join(f"{3 + at}<&{one.fileno()}" for at, one in enumerate(self.sockets))
        for one in self.sockets:
            os.set_inheritable(one.fileno(), True)
        script = f'export LISTEN_PID=$$ LISTEN_FDS={len(self.sockets)}; exec "$@" {moved}'
        with open(self.log.name, "ab") as log:
            self.popen = subprocess.Popen(
                ["bash", "-c", script, "bash", find_binary(), "serve", "--data", str(self.data), "--rate-limit", "0", *self.options],
                close_fds=False, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=clean_environment({"LISTEN_FDNAMES": ":".join(self.names)}))
        return self

    def said(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")

    def wait_ready(self, count=1):
        poll("ready", lambda: self.said().count("posthorn: listening on") >= count or self.popen.poll() is not None, READY_S)
        assert self.popen.poll() is None, self.said()

    def stop(self):
        self.popen.send_signal(signal.SIGTERM)
        assert self.popen.wait(30) == 0, self.said()
        assert "AddressSanitizer" not in self.said()

    def close(self):
        if self.popen.poll() is None:
            self.stop()
        for one in self.sockets:
            one.close()


@pytest.fixture
def parent(tmp_path):
    made = []

    def make(*names, options=()):
        made.append(Parent(tmp_path / "data", names or ("",), *options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_the_first_socket_replaces_listen(parent):
    held = parent("api", options=("--listen", "127.0.0.1:1")).start()
    held.wait_ready()
    assert f"posthorn: listening on {held.url()}" in held.said()
    assert requests.get(f"{held.url()}/healthz", timeout=HTTP_S).status_code == 200
    assert requests.get(f"{held.url()}/v1/posts", headers={"Host": "elsewhere.example"}, timeout=HTTP_S).status_code == 421


def test_named_sockets_are_of_the_other_listeners(parent):
    held = parent("metrics", "", "dashboard").start()
    held.wait_ready()
    assert "posthorn_" in requests.get(f"{held.url(0)}/metrics", timeout=HTTP_S).text
    assert requests.get(f"{held.url(1)}/healthz", timeout=HTTP_S).status_code == 200
    assert requests.get(f"{held.url(1)}/dashboard", timeout=HTTP_S).status_code == 404
    assert requests.get(f"{held.url(2)}/dashboard", timeout=HTTP_S).status_code == 200


def test_a_socket_that_nobody_would_serve_refuses_the_start(parent):
    held = parent("", "other").start()
    assert held.popen.wait(READY_S) == 1
    assert "more sockets were handed over than there are listeners" in held.said()


def test_variables_of_another_process_mean_nothing(tmp_path):
    with Service(tmp_path / "data", environment={"LISTEN_PID": "1", "LISTEN_FDS": "1"}) as service:
        assert service.request("GET", "/healthz").status_code == 200


def test_a_restart_refuses_nobody(parent):
    """The socket outlives the process: who calls in between waits in its queue."""
    held = parent().start()
    held.wait_ready()
    answers, is_over = [], threading.Event()

    def ask():
        while not is_over.is_set() or len(answers) < REQUESTS:
            try:
                answers.append(requests.get(f"{held.url()}/healthz", timeout=30).status_code)
            except requests.RequestException as error:
                answers.append(repr(error))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for restart in range(RESTARTS):
        time.sleep(0.3)
        held.stop()
        held.start()
        held.wait_ready(restart + 2)
    is_over.set()
    for thread in threads:
        thread.join(60)
    assert len(answers) >= REQUESTS and set(answers) == {200}, {answer: answers.count(answer) for answer in set(answers)}


# ---- what is said at the start ----


def test_all_of_standard_error_is_json(tmp_path, sandbox):
    data = tmp_path / "data"
    assert cli("app", "create", "--name", "n", "--owner", "o@example.com", "--data", data).returncode == 0
    with subprocess.Popen([find_binary(), "serve", "--data", str(data), "--listen", "127.0.0.1:0", "--log-format", "json", "--log-level",
                           "error", "--metrics-listen", "127.0.0.1:0", "--sandbox", sandbox.url], stderr=subprocess.PIPE, text=True,
                          env=clean_environment(None)) as process:
        lines = []
        while not lines or json.loads(lines[-1])["event"] != "listening":
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        process.send_signal(signal.SIGTERM)
        lines += process.stderr.read().splitlines()
        assert process.wait(30) == 0
    events = {json.loads(line)["event"]: json.loads(line) for line in lines}
    assert re.match(r"http://127\.0\.0\.1:\d+$", events["listening"]["url"])
    assert events["metrics_listening"]["url"].endswith("/metrics")
    assert "/dashboard/setup#" in events["setup_link"]["url"] and "sandbox mode" in events["mode"]["message"]


def test_a_start_that_is_refused_is_json_too(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = cli("serve", "--data", tmp_path / "data", "--listen", place, "--log-format", "json", "--log-level", "error")
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.returncode == 1 and lines[-1]["event"] == "not_running" and place in lines[-1]["message"]
