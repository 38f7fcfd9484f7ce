# SPDX-License-Identifier: Apache-2.0
"""A delivery that stops the service is set aside after three times, and the others go on; a SIGKILL blames nobody. Needs the
build with crash points (./dev test): POSTHORN_POISON_TEXT=TEXT lets the service abort on every post with that text."""
import json
import signal
import subprocess
import uuid

import pytest

from fault_harness import Control
from harness import SANITIZER_WORDS, App, Sandbox, Service, clean_environment, find_binary, utc


@pytest.fixture
def sandbox():
    with Sandbox() as process:
        yield process


DUE_S = 600


def clock_of(data):
    """The service's clock, which these tests move on while nothing runs."""
    return Control(data.parent / "control")


def environment_of(clock, more):
    """A sanitizer's own handler for SIGABRT would stand behind ours, and print; here the abort is meant."""
    return {**clock.environment, **more, "ASAN_OPTIONS": clock.environment["ASAN_OPTIONS"] + ":handle_abort=0"}


def start(data, sandbox, clock, **environment):
    return Service(data, sandbox, environment=environment_of(clock, environment))


def run_until_dead(data, sandbox, clock, **environment):
    """A service that is expected to die by itself, perhaps before it listens: the number of the signal."""
    done = subprocess.run(
        [find_binary(), "serve", "--data", data, "--listen", "127.0.0.1:0", "--sandbox", sandbox.url, "--time-scale", "20"],
        env=clean_environment(environment_of(clock, environment)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not [word for word in SANITIZER_WORDS if word in done.stderr], done.stderr
    return -done.returncode


def accept_and_stop(data, sandbox, clock, text):
    """A post that is due at the next start, accepted by a service that is stopped before it is."""
    service = start(data, sandbox, clock)
    app = App(service).set_credentials("x").issue_token()
    account = app.account("x")
    post_id = app.accepted(account, text, scheduled_at=utc(DUE_S))["post_id"]
    service.stop()
    clock["clock_s"] += DUE_S
    sandbox.advance(DUE_S)
    return app, account, post_id


def test_three_aborts_set_a_delivery_aside(tmp_path, sandbox):
    data, text = tmp_path / "data", f"poison {uuid.uuid4().hex}"
    clock = clock_of(data)
    notes = data / "poison" / "notes"
    app, account, poison = accept_and_stop(data, sandbox, clock, text)
    for death in (1, 2, 3):
        assert run_until_dead(data, sandbox, clock, POSTHORN_POISON_TEXT=text) == signal.SIGABRT
        lines = notes.read_text().split()
        assert len(lines) == death and len(set(lines)) == 1

    service = app.service = start(data, sandbox, clock, POSTHORN_POISON_TEXT=text)
    other = app.published(account, f"another {uuid.uuid4().hex}")
    assert other["status"] == "published"
    post = app.wait_post(poison)
    assert post["status"] == "failed"
    error = post["platform_posts"][0]["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert error["message"] == "This delivery stopped the service three times; it was set aside."
    assert "delivery_set_aside" in service.stderr()
    assert notes.read_text() == ""
    assert json.loads(service.cli("hold", "show").stdout)["set_aside"] == 1
    assert "1 deliveries were quarantined" in service.cli("doctor").stdout
    service.stop()
    assert not sandbox.ledger(text=text)

    service = app.service = start(data, sandbox, clock)
    assert app.show(poison)["status"] == "failed", "final stays final"
    service.stop()


def test_two_aborts_are_forgiven(tmp_path, sandbox):
    data, text = tmp_path / "data", f"rescued {uuid.uuid4().hex}"
    clock = clock_of(data)
    app, _, post = accept_and_stop(data, sandbox, clock, text)
    for _ in (1, 2):
        assert run_until_dead(data, sandbox, clock, POSTHORN_POISON_TEXT=text) == signal.SIGABRT
    service = app.service = start(data, sandbox, clock)
    assert app.wait_post(post)["status"] == "published"
    service.stop()
    assert len(sandbox.ledger(text=text)) == 1


def test_three_sigkills_blame_nobody(tmp_path, sandbox):
    data, text = tmp_path / "data", f"killed {uuid.uuid4().hex}"
    clock = clock_of(data)
    app, _, post = accept_and_stop(data, sandbox, clock, text)
    for _ in (1, 2, 3, 4):
        # The second commit is that of the delivery's first step: killed after the step, before it is durable.
        assert run_until_dead(data, sandbox, clock, POSTHORN_CRASH_POINT="before_commit:2") == signal.SIGKILL
    assert (data / "poison" / "notes").read_text() == ""
    service = app.service = start(data, sandbox, clock)
    assert app.wait_post(post)["status"] == "published"
    assert json.loads(service.cli("hold", "show").stdout)["set_aside"] == 0
    service.stop()
    assert len(sandbox.ledger(text=text)) == 1
