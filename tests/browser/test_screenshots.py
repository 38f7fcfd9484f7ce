# SPDX-License-Identifier: Apache-2.0
"""Every page at two widths, light and dark: pictures to look at (in POSTHORN_BUILD/screenshots), and what can be told
without eyes: nothing is wider than the window, no page loads with an error, every page has its one heading."""
import os
import pathlib

import pytest

from browser import DESKTOP, PHONE
from harness import App, Service
from house import EMAIL, PASSWORD, make_admin, pages

OUTSIDE_THE_WINDOW = """
return [...document.querySelectorAll('main *')]
	.filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.scroll, pre, svg, .tabs'))
	.slice(0, 3).map((one) => one.outerHTML.slice(0, 120));
"""
OUTSIDE_ITS_CARD = """
const right = (one) => one.getBoundingClientRect().right;
return [...document.querySelectorAll('.card *, .tile *')]
	.filter((one) => one.getClientRects().length > 0 && !one.closest('.scroll, pre, svg, .unseen'))
	.filter((one) => right(one) > right(one.closest('.card, .tile')) + 1)
	.slice(0, 3).map((one) => one.outerHTML.slice(0, 120));
"""
NARROWEST = (360, 740)
OUT = pathlib.Path(os.environ.get("POSTHORN_BUILD", "build")) / "screenshots"


@pytest.fixture
def crowded(furnished):
    """An app with twenty accounts."""
    furnished.crowd = App(furnished.service, name="Crowd", owner=EMAIL).set_credentials("x").issue_token()
    for index in range(20):
        furnished.crowd.account("x", user_id=f"member-{index}")
    return furnished


SHIFT_MAX = 0.02  # what is loaded later has its room kept; 0.1 is what is called good


def look(browser, name):
    """What can be told without eyes."""
    assert browser.js("return document.querySelectorAll('h1').length") == 1, name
    failed = browser.js("return [...document.querySelectorAll('.notice.bad strong')].map((one) => one.textContent)")
    mode = "TEST APP" if name.startswith("sandbox") else "SANDBOX"
    assert mode in browser.text(), name
    assert name.startswith("no-app") == bool({"Not found", "This could not be loaded"} & set(failed)), f"{name}: {failed}"
    wide = browser.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    widest = browser.js(OUTSIDE_THE_WINDOW)
    assert wide <= 0, f"{name} is {wide} px wider than the window: {widest}"
    out = browser.js(OUTSIDE_ITS_CARD)
    assert out == [], f"{name}: something stands out of its card"


@pytest.mark.parametrize("width", ["desktop", "phone"])
def test_every_page(browser, furnished, width):
    size = {"desktop": DESKTOP, "phone": PHONE}[width]
    browser.url = furnished.url
    browser.resize(size)
    browser.open("/dashboard/login")
    browser.screenshot(OUT / width / "login.png")
    browser.sign_in(EMAIL, PASSWORD)
    for name, path in pages(furnished).items():
        browser.open(path)
        look(browser, name)
        browser.screenshot(OUT / width / f"{name}.png")
        moved, what = browser.shift()
        assert moved < SHIFT_MAX, f"{name}: {what}"
        if width == "phone":
            browser.resize(NARROWEST)
            look(browser, f"{name} at {NARROWEST[0]} px")
            browser.resize(size)
        browser.check_quiet()


def test_overview_names_what_needs_a_person(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.see("Accounts that need attention", "Reconnect", "user-2")
    assert browser.js("return [...document.querySelectorAll('.bars a')].map((one) => one.textContent)") != []
    assert browser.js("return document.querySelectorAll('svg.plot:not(.spark)').length") == 3
    assert browser.js("return [...document.querySelectorAll('.sparks .platform')].map((one) => one.textContent)") != []
    browser.open(pages(furnished)["account-dead"])
    browser.see("The user has to reconnect it", "refuse")


def test_compose_finds_an_account_among_many(browser, crowded):
    browser.url = crowded.url
    browser.sign_in(EMAIL, PASSWORD)
    path = f"/dashboard/apps/{crowded.crowd.client_id}/compose"
    browser.open(path)
    seen = "return [...document.querySelectorAll('.choices .check')].filter((one) => one.getClientRects().length > 0).length"
    assert browser.js(seen) == 20
    browser.fill("Find an account", "member-7")
    assert browser.js(seen) == 1
    browser.open(f"{path}?user=member-3")
    assert browser.js(seen) == 1
    browser.open(f"{path}?user=nobody")
    browser.see("No accounts for this user")


def test_dark(browser, furnished):
    """With --long every page, to be looked at."""
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.dark()
    few = ("overview", "post-retried", "credential", "compose", "calendar")
    for name in pages(furnished) if os.environ.get("POSTHORN_LONG") else few:
        browser.open(pages(furnished)[name])
        browser.screenshot(OUT / "dark" / f"{name}.png")
    if os.environ.get("POSTHORN_LONG"):
        browser.resize(PHONE)
        for name, path in pages(furnished).items():
            browser.open(path)
            look(browser, name)
            browser.screenshot(OUT / "dark-phone" / f"{name}.png")


def test_without_a_sandbox_nothing_says_sandbox(browser, tmp_path):
    """The mark means something: it is not there when posts reach the real platforms. (Nothing is published here.)"""
    with Service(tmp_path / "data") as service:
        make_admin(service)
        browser.url = service.url
        browser.sign_in(EMAIL, PASSWORD)
        browser.see("Welcome to Posthorn")
        assert "SANDBOX" not in browser.text()
        browser.check_quiet()
