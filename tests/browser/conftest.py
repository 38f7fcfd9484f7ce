# SPDX-License-Identifier: Apache-2.0
"""What the browser tests share: the browser itself, and a house with an admin, an app, accounts and posts of every kind. Without Chromium
the tests are skipped, and say so, unless POSTHORN_BROWSER=required."""
import contextlib
import os
import pathlib
import re

import pytest

from harness import App, Sandbox, Service, poll, utc

EMAIL = "owner@example.com"
PASSWORD = "a long enough password"

try:
    import browser as browser_module
    missing = None if browser_module.is_there() else "chromium or chromedriver is not installed"
except ImportError:
    browser_module, missing = None, "python3-selenium is not installed"


def pytest_collection_modifyitems(items):
    if missing is None or os.environ.get("POSTHORN_BROWSER") == "required":
        return
    here = pathlib.Path(__file__).parent
    for item in items:
        if here in pathlib.Path(item.fspath).parents:
            item.add_marker(pytest.mark.skip(reason=missing))


class House:
    """A service of its own with its sandbox, whose admin signs in with a password."""

    def __init__(self, service, sandbox):
        self.service, self.sandbox, self.url = service, sandbox, service.url

    def setup_link(self):
        return poll("the set-up link", lambda: re.search(r"http://\S+/dashboard/setup#\S+", self.service.stderr())).group(0)


@contextlib.contextmanager
def new_house(directory, hurry):
    with Sandbox() as sandbox, Service(directory / "data", sandbox, ["--time-scale", hurry]) as service:
        sandbox.knob("x_me_limit", 1000000)
        yield House(service, sandbox)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """An empty one, for who walks the whole way."""
    with new_house(tmp_path_factory.mktemp("house"), "400") as one:
        yield one


@pytest.fixture(scope="session")
def chromium():
    """One browser for the run; each test gets it signed out and empty."""
    one = browser_module.Browser()
    yield one
    one.close()


@pytest.fixture
def browser(chromium):
    chromium.cdp("Network.clearBrowserCookies")
    chromium.dark(False)
    chromium.resize(browser_module.DESKTOP)
    yield chromium


def make_admin(service):
    """The admin with a password, as the operator makes one."""
    done = service.cli("admin", "create", "--email", EMAIL, "--password-stdin", stdin=PASSWORD + "\n")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def furnished(tmp_path_factory, media):
    """The house with an admin, a live app, accounts on all platforms, posts published, failed, scheduled, in doubt and partly published, and a webhook."""
    with new_house(tmp_path_factory.mktemp("furnished"), "50") as house:
        yield furnish(house, media)


def furnish(house, media):
    make_admin(house.service)
    app = App(house.service, name="Harbour Café", owner=EMAIL).set_credentials().issue_token()
    house.app = app
    App(house.service, name="Lighthouse Books", owner=EMAIL, live=False)
    house.accounts = {slug: app.connect(slug).accounts for slug in ("facebook", "instagram", "x", "linkedin", "youtube", "tiktok")}
    one = {slug: found[0]["id"] for slug, found in house.accounts.items()}
    posts = house.posts = {}
    posts["published"] = app.published([one["x"], one["facebook"], one["linkedin"]], media=None, containers=[
        {"content": "The harbour at night.", "media": [media.image(alt_text="A harbour at night")]}, {"content": "And in the morning we bake."}])["id"]
    house.sandbox.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden", "detail": "You are not allowed to create a Tweet with duplicate content.", "type": "about:blank", "status": 403})
    posts["partial"] = app.accepted([one["x"], one["linkedin"]], "Fresh bread from six o'clock, every day but Monday.")["post_id"]
    app.wait_post(posts["partial"])
    house.sandbox.fault("linkedin", "POST", "/rest/posts", "status", status=503, body={"message": "Service unavailable", "status": 503})
    posts["retried"] = app.accepted(one["linkedin"], "We are closed on Thursday for a wedding.")["post_id"]
    app.wait_post(posts["retried"])
    posts["unreachable"] = app.accepted(one["instagram"], "Look at this", media=[media.missing()])["post_id"]
    posts["scheduled"] = app.accepted([one["facebook"], one["instagram"]], "Tomorrow: walnut bread.", media=[media.image()], scheduled_at=utc(86400))["post_id"]
    for ahead in (2, 5, 9):
        app.accepted(one["x"], f"Planned for {ahead} days ahead", scheduled_at=utc(ahead * 86400))
    posts["video"] = app.accepted([one["youtube"], one["tiktok"]], "Our oven, at work", media=[media.clip(duration=4)], platforms={"youtube": {"title": "Our oven"}})["post_id"]
    house.dead = app.account("linkedin", user_id="user-2")  # the platform refuses its token from now on
    house.sandbox.fault("linkedin", "GET", "/v2/userinfo", "status", status=401, body={"status": 401, "serviceErrorCode": 65601, "code": "REVOKED_ACCESS_TOKEN", "message": "The token used in the request has been revoked by the user"}, times=20)
    app.post(f"/v1/accounts/{house.dead}/check")
    house.sandbox.clear_faults()
    answer = app.post("/v1/webhooks", json={"url": "https://cafe.example/hooks/posthorn"})
    assert answer.status_code == 201, answer.text
    house.webhook = answer.json()["data"]["id"]
    app.wait_post(posts["unreachable"])
    app.wait_post(posts["video"])
    return house
