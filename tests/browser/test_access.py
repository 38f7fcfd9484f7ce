# SPDX-License-Identifier: Apache-2.0
"""For everybody: axe-core finds nothing on any page, light and dark; the keyboard is enough; the focus goes where the
page goes; messages are said."""
import os
import pathlib

import pytest

import axe
from browser import DESKTOP, PHONE, ActionChains, Keys
from house import EMAIL, PASSWORD, pages

OUT = pathlib.Path(os.environ.get("POSTHORN_BUILD", "build")) / "screenshots"


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_axe_finds_nothing(browser, furnished, look):
    browser.url = furnished.url
    browser.resize(PHONE if look == "phone" else DESKTOP)
    browser.dark(look == "dark")
    found = {}
    browser.open("/dashboard/login")
    for name, target in {"login": None, **pages(furnished)}.items():
        if name == "overview":
            browser.sign_in(EMAIL, PASSWORD)
        if target is not None:
            browser.open(target)
        violations = axe.faults(browser, look)
        if violations:
            found[name] = violations
    assert not found, "\n".join(f"{name}: {text}" for name, texts in found.items() for text in texts)


def focused(browser):
    return browser.js(
        "return (document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').replace(/\\s+/g, ' ').trim()"
    )


def test_keyboard(browser, furnished):
    """Signing in, skipping the menu and opening a page without a pointer."""
    browser.url = furnished.url
    browser.open("/dashboard/login")

    def keys(*what):
        ActionChains(browser.driver).send_keys(*what).perform()

    browser.js("document.querySelector('[name=email]').focus()")
    keys(EMAIL, Keys.TAB, PASSWORD, Keys.ENTER)
    browser.wait("to be signed in", lambda: browser.heading() == "Overview")
    browser.settled()
    browser.open("/dashboard")
    keys(Keys.TAB)
    assert focused(browser) == "Skip to the page"
    for _ in range(40):
        if focused(browser) == "Posts":
            break
        keys(Keys.TAB)
    keys(Keys.ENTER)
    browser.wait("the posts", lambda: browser.heading() == "Posts")
    assert browser.wait("the focus on the heading", lambda: focused(browser) == "Posts")
    assert browser.driver.title == "Posts – Posthorn"
    browser.wait(
        "the page to be announced",
        lambda: browser.js("return document.getElementById('polite').textContent") == "Posts – Posthorn",
    )


def test_dialog_gives_the_focus_back(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.open("/dashboard/admins")
    browser.press("Invite an admin")
    browser.wait("the focus in the first field", lambda: browser.js("return document.activeElement?.name") == "email")
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
    browser.wait(
        "the focus where it was",
        lambda: focused(browser) == "Invite an admin" and browser.js("return document.querySelector('dialog') === null"),
    )


def test_menu_on_a_phone(browser, furnished):
    browser.url = furnished.url
    browser.resize(PHONE)
    browser.sign_in(EMAIL, PASSWORD)
    assert not browser.has("link", "Webhooks")
    browser.press("Menu")
    browser.follow("Webhooks")
    browser.wait("the page, and the menu closed", lambda: browser.heading() == "Webhooks" and not browser.has("link", "Calendar"))


def test_back_and_forward(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.follow("Posts")
    browser.follow("Calendar")
    browser.driver.back()
    browser.wait("back at the posts", lambda: browser.heading() == "Posts")
    browser.driver.forward()
    browser.wait("forward to the calendar", lambda: browser.path() == "/dashboard/calendar")


def test_an_ended_session_leads_to_signing_in_and_back(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.open("/dashboard/usage")
    browser.cdp("Network.clearBrowserCookies")
    browser.follow("Apps")
    browser.see("Your session has ended")
    browser.fill("Email", EMAIL)
    browser.fill("Password", PASSWORD)
    browser.press("Sign in")
    browser.wait("the page that was asked for", lambda: browser.path() == "/dashboard/apps")


def test_a_page_says_when_it_cannot_be_kept_up_to_date(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.open("/dashboard/posts")
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.cdp("Network.enable")
    try:
        browser.cdp("Network.emulateNetworkConditions", offline=True, **network)
        browser.see("The service is not responding")
    finally:
        browser.cdp("Network.emulateNetworkConditions", offline=False, **network)
    browser.wait("all is well again", lambda: "The service is not responding" not in browser.text())


SIGN_IN_ELSEWHERE = """
const [email, password, done] = arguments;
fetch('/dashboard/api/login', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({email, password})})
	.then((answer) => done(answer.status));
"""


def test_another_tab_has_signed_in_anew(browser, furnished):
    """The cookie is another one then, and with it the token against forged calls."""
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.open(f"/dashboard/apps/{furnished.app.client_id}/settings")
    assert browser.driver.execute_async_script(SIGN_IN_ELSEWHERE, EMAIL, PASSWORD) == 200
    browser.press("Save settings")
    browser.see("Settings saved")


# A post's course as it is in earnest: pauses of half a minute between calls of milliseconds.
DRAW = """
const done = arguments[arguments.length - 1];
import('/dashboard/timeline.js').then(({drawTimeline, numbered}) => {
	const begin = Date.parse('2026-11-22T12:00:00Z');
	const row = (after_ms, account_id, verdict, duration_ms, decision) => ({at: new Date(begin + after_ms).toISOString(),
		account_id, verdict, duration_ms, decision, stage: 'post', method: 'POST', host_path: 'a.example/x', status: 200});
	const calls = numbered([
		row(0, 'a', 'error', 220, 'try again in 30 s'), row(60, 'b', 'ok', 90, 'wait'), row(2100, 'b', 'ok', 80, 'wait'),
		row(4200, 'b', 'done', 400, ''), row(31000, 'a', 'error', 300, 'try again in 120 s'),
		row(160000, 'a', 'in_doubt', 10000, 'ask the platform'), row(185000, 'a', 'ok', 120, 'look again'), row(215000, 'a', 'proven', 130, '')]);
	const picture = drawTimeline([
		{account_id: 'a', platform: 'x', handle: 'harbour', word: 'published'},
		{account_id: 'b', platform: 'youtube', handle: 'a very long channel name', word: 'failed'}], calls);
	document.querySelector('main').replaceChildren(picture);
	const measure = (one, name) => Number(one.getAttribute(name));
	const boxes = [...picture.querySelectorAll('.call rect')]
		.map((one) => ({lane: measure(one, 'y'), x: measure(one, 'x'), width: measure(one, 'width')}));
	done({boxes, folds: [...picture.querySelectorAll('.fold')].length, words: picture.textContent, width: picture.viewBox.baseVal.width});
});
"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_timeline_folds_long_waits(browser, furnished, size):
    """Every call keeps its place in order, none covers another, and none is outside; pauses that would squeeze the rest are folded and named."""
    browser.url = furnished.url
    browser.resize(size)
    browser.open("/dashboard/login")
    drawn = browser.driver.execute_async_script(DRAW)
    browser.screenshot(OUT / "timeline" / f"{size[0]}.png")
    assert drawn["folds"] >= 3
    assert "2 min" in drawn["words"] and "✓ published" in drawn["words"] and "✕ failed" in drawn["words"]
    lanes = {}
    for box in drawn["boxes"]:
        lanes.setdefault(box["lane"], []).append(box)
    assert sorted(len(boxes) for boxes in lanes.values()) == [3, 5]
    for boxes in lanes.values():
        for before, after in zip(boxes, boxes[1:]):
            assert before["x"] + before["width"] <= after["x"]
        assert boxes[0]["x"] >= 0 and boxes[-1]["x"] + boxes[-1]["width"] <= drawn["width"]
