# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the black-box tests. One sandbox, one service and one app with accounts on all six platforms serve the
whole run; tests find their own posts by a marker text, so they need no order and do not disturb each other. A test that
must turn something global (limits, the sandbox's clock, restarts) starts processes of its own with `start_sandbox` and
`start_service`."""
import contextlib
import json
import os
import pathlib

import hypothesis
import pytest

from checker import WATCH
from harness import PLATFORMS, App, Media, Sandbox, Service, find_binary

# test_http_strictness.py looks here for the same binary.
with contextlib.suppress(FileNotFoundError):
    os.environ.setdefault("POSTHORN_BINARY", find_binary())

# The same examples every time, and no example database in the source tree.
hypothesis.settings.register_profile("posthorn", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("posthorn")


def pytest_configure(config):
    config.addinivalue_line("markers", "last: run after all other tests: it looks at what they met")


def pytest_sessionfinish():
    """For a run in several processes (tests/run.py): what this one did not meet of the description."""
    directory = os.environ.get("POSTHORN_UNMET")
    if directory and WATCH.checker is not None:
        pathlib.Path(directory).mkdir(exist_ok=True)
        (pathlib.Path(directory) / os.environ["POSTHORN_GROUP"]).write_text(json.dumps(WATCH.checker.unmet()))


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session")
def media(tmp_path_factory):
    server = Media(tmp_path_factory.mktemp("media"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as process:
        process.knob("x_me_limit", 1000000)  # a session connects and posts more often than a user does in 15 minutes
        process.knob("x_create_limit", 1000000)
        yield process


@pytest.fixture(scope="session")
def service(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("service") / "data", sandbox) as process:
        yield process


@pytest.fixture(scope="session")
def app(service):
    """Live, six verified credentials, a token."""
    return App(service).set_credentials().issue_token()


@pytest.fixture(scope="session")
def accounts(app):
    """All accounts of user-1: {"facebook": [account, account], ...} as the accounts endpoint shows them."""
    return {slug: app.connect(slug).accounts for slug in PLATFORMS}


@pytest.fixture(scope="session")
def one(accounts):
    """One account id per platform: one["x"]."""
    return {slug: found[0]["id"] for slug, found in accounts.items()}


@pytest.fixture
def other_app(service):
    """A second app of the same service with everything of its own."""
    return App(service, name="other app", owner="other@example.com").set_credentials("x").issue_token()


@pytest.fixture
def start_sandbox():
    """Starts further sandboxes; they are stopped, and checked, after the test."""
    started = []

    def start():
        started.append(Sandbox())
        return started[-1]

    yield start
    stop_all(started)


@pytest.fixture
def start_service(tmp_path):
    """Starts further services: start_service(sandbox, "--rate-limit", "5"); stopped, and checked, after the test."""
    started = []

    def start(sandbox=None, *options, data=None, **more):
        directory = data or tmp_path / f"data-{len(started)}"
        started.append(Service(directory, sandbox, options, **more))
        return started[-1]

    yield start
    stop_all(started)


def stop_all(processes):
    for process in reversed(processes):
        if process.popen.poll() is None or process.popen.returncode >= 0:
            process.stop()
        else:
            process.check_sanitizers()  # the test killed it
