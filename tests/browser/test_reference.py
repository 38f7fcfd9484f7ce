# SPDX-License-Identifier: Apache-2.0
"""/docs in a browser: whoever has a question finds the answer by the search, by keyboard alone, on every size of screen."""
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import DESKTOP, PHONE
from test_access import AXE, find_axe

QUESTIONS = {
    # what is typed: (what the first hit says, where Enter leads, what stands there)
    "2207026": ("format of the video", "/docs/instagram#2207026", "The format of the video is not one that Instagram takes."),
    "verify webhook python": ("Verify a call, in Python", "/docs#hooks", "def is_genuine(secret, headers, body):"),
    "what may privacy_level be": ("PUBLIC_TO_EVERYONE", "/docs/tiktok#privacy_level", "SELF_ONLY"),
}


def keys(browser, *what):
    ActionChains(browser.driver).send_keys(*what).perform()


def ask(browser, words, expected=""):
    """The first hit, when it is what is expected: each key that is typed looks anew."""
    keys(browser, "/")
    browser.wait("the focus in the search", lambda: browser.js("return document.activeElement?.id") == "search")
    keys(browser, words)
    first = "return document.querySelector('#hits:not([hidden]) li')?.textContent"
    return browser.wait("something found", lambda: browser.js(first) if expected in (browser.js(first) or "-") else None)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_finds_its_answer(browser, furnished, question, size):
    browser.url = furnished.url
    browser.resize(size)
    browser.driver.get(furnished.url + "/docs")
    hit, where, answer = QUESTIONS[question]
    ask(browser, question, hit)
    keys(browser, Keys.ENTER)
    browser.wait("the page", lambda: browser.driver.current_url == furnished.url + where)
    browser.wait("the answer", lambda: answer in browser.js("return document.querySelector('main').textContent"))
    top, height = browser.wait("the place on the screen", lambda: browser.js(
        "const at = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.getBoundingClientRect();"
        "return at && [at.top, innerHeight]"))
    assert -5 <= top < height
    assert browser.js("return document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"


def test_the_list_is_walked_and_left(browser, furnished):
    browser.driver.get(furnished.url + "/docs/errors")
    ask(browser, "media")
    first = browser.js("return document.getElementById('search').getAttribute('aria-activedescendant')")
    keys(browser, Keys.ARROW_DOWN)
    chosen = browser.js("return [...document.querySelectorAll('#hits [aria-selected=true]')].map((item) => item.id)")
    assert first == "hit-0" and chosen == ["hit-1"]
    assert browser.js("return document.getElementById('found').textContent").endswith(" found")
    keys(browser, Keys.ESCAPE)
    assert browser.js("return document.getElementById('hits').hidden && document.getElementById('search').value === ''")
    keys(browser, "nothing_has_this_name")
    browser.wait("that there is none", lambda: browser.js("return document.getElementById('found').textContent") == "Nothing found")


@pytest.mark.parametrize("path", ["/docs", "/docs/errors", "/docs/tiktok"])
@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_everybody_can_read_it(browser, furnished, path, is_dark):
    axe = find_axe()
    if axe is None:
        pytest.skip("axe-core is not installed")
    browser.dark(is_dark)
    browser.driver.get(furnished.url + path)
    if path != "/docs":
        ask(browser, "media")
    browser.driver.execute_script(axe.read_text(encoding="utf-8"))
    assert browser.driver.execute_async_script(AXE) == []
