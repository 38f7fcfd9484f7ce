# SPDX-License-Identifier: Apache-2.0
"""What the browser tests share: the browser itself, and a house with an admin, an app, accounts and posts of every
kind. Without Chromium the tests are skipped, and say so, unless POSTHORN_BROWSER=required."""
import os
import pathlib

import pytest

import browser as browser_module
from house import furnish, new_house


def pytest_collection_modifyitems(items):
    missing = browser_module.what_is_missing()
    if missing is None or os.environ.get("POSTHORN_BROWSER") == "required":
        return
    here = pathlib.Path(__file__).parent
    for item in items:
        if here in pathlib.Path(item.fspath).parents:
            item.add_marker(pytest.mark.skip(reason=missing))


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


@pytest.fixture(scope="session")
def furnished(tmp_path_factory, media):
    """The house with an admin, a live app, accounts on all platforms, posts of every kind, and a webhook."""
    with new_house(tmp_path_factory.mktemp("furnished"), "50") as house:
        yield furnish(house, media)
