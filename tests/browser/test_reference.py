# SPDX-License-Identifier: Apache-2.0
"""/docs in a browser: whoever has a question finds the answer by the search, by keyboard alone, on every size of screen."""
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import axe
from browser import DESKTOP, PHONE

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


TABS = "[...document.querySelectorAll('#publish-post [role=tablist]')].at(0)"
SHOWN = "[...document.querySelectorAll('#{} [role=tabpanel] code')].at(0).textContent"
CHOSEN = "return [...new Set([...document.querySelectorAll('[role=tab][aria-selected=true]')].map((tab) => tab.textContent))].sort().join()"


@pytest.fixture
def reference(browser, furnished):
    """The page as it is for somebody who has chosen nothing yet."""
    browser.driver.get(furnished.url + "/docs")
    browser.js("localStorage.removeItem('posthorn.language')")
    browser.driver.refresh()
    return browser


def shown(browser, article, word):
    text = f"return {SHOWN.format(article)}"
    return browser.wait(f"{word} in {article}", lambda: word in browser.js(text))


def test_one_choice_switches_every_call_and_is_kept(reference, furnished):
    assert reference.js(CHOSEN) == "curl" and shown(reference, "publish-post", "curl -s")
    fetched = "return performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/samples.json')).length"
    assert reference.js(fetched) == 0
    top = reference.js(f"const tab = {TABS}.children[2]; tab.scrollIntoView({{block: 'center'}}); tab.click();"
                       "return tab.getBoundingClientRect().top")
    shown(reference, "publish-post", "posthorn.posts.publish({")
    assert abs(reference.js(f"return {TABS}.children[2].getBoundingClientRect().top") - top) < 2, "what is read stays where it is"
    assert shown(reference, "get-post", 'os.environ["POST_ID"]') and shown(reference, "get-upload", "curl -s")
    assert reference.js(CHOSEN) == "Python,curl" and reference.js(fetched) == 1
    reference.driver.get(furnished.url + "/docs/errors")
    reference.driver.get(furnished.url + "/docs#get-post")
    assert shown(reference, "get-post", 'os.environ["POST_ID"]')
    reference.js(f"{TABS}.children[0].click()")
    assert shown(reference, "get-post", "curl -s") and reference.js(CHOSEN) == "curl"


def test_the_languages_are_walked_by_keys(reference):
    reference.js(f"{TABS}.children[0].focus()")
    focused = "return document.activeElement.textContent"
    for key, language, word in [(Keys.ARROW_LEFT, "CLI", "posthorn post"), (Keys.ARROW_LEFT, "Go", "http.NewRequest"),
                                (Keys.HOME, "curl", "curl -s"), (Keys.ARROW_RIGHT, "TypeScript", "await posthorn.posts.publish"),
                                (Keys.END, "CLI", "posthorn post"), (Keys.ARROW_RIGHT, "curl", "curl -s")]:
        keys(reference, key)
        assert shown(reference, "publish-post", word) and reference.js(focused) == language
    stops = reference.js(f"return [...{TABS}.children].map((tab) => tab.tabIndex)")
    assert stops == [0, -1, -1, -1, -1], "one stop of the tab key for each call"
    names = reference.js(f"const list = {TABS}; const [tab] = list.children;"
                         "const panel = document.getElementById(tab.getAttribute('aria-controls'));"
                         "return [panel.getAttribute('role'), panel.getAttribute('aria-labelledby') === tab.id,"
                         "list.getAttribute('aria-label')]")
    assert names == ["tabpanel", True, "Language"]


def test_what_cannot_be_loaded_is_said(reference):
    reference.js("window.fetch = () => Promise.reject(new TypeError('offline'))")
    reference.js(f"{TABS}.children[3].click()")
    assert shown(reference, "publish-post", "Go could not be loaded. Choose it again.") and reference.js(CHOSEN) == "curl"
    reference.js(f"{TABS}.children[0].click()")
    assert shown(reference, "publish-post", "curl -s")


@pytest.mark.parametrize("path", ["/docs", "/docs/errors", "/docs/tiktok"])
@pytest.mark.parametrize("look", ["light", "dark"])
def test_everybody_can_read_it(browser, furnished, path, look):
    browser.dark(look == "dark")
    browser.driver.get(furnished.url + path)
    if path != "/docs":
        ask(browser, "media")
    assert axe.faults(browser, look) == []
