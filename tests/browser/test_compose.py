# SPDX-License-Identifier: Apache-2.0
"""Writing a post: what is seen is what each platform will show, counted as it counts; nothing that was written is lost; and it is said once
to whom it goes."""
import json

import pytest

from browser import PHONE
from house import EMAIL, PASSWORD

CALL = "return document.querySelector('.code code')?.textContent ?? ''"
DROP = """
const [selector, name, done] = arguments;
const canvas = document.createElement('canvas');
canvas.width = 320; canvas.height = 200;
canvas.getContext('2d').fillRect(40, 40, 100, 100);
canvas.toBlob((blob) => {
	const data = new DataTransfer();
	data.items.add(new File([blob], name, {type: 'image/png'}));
	const target = document.querySelector(selector);
	for (const kind of ['dragover', 'drop']) {
		target.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
	}
	done(data.files.length);
}, 'image/png');
"""


@pytest.fixture
def desk(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.js("localStorage.clear()")
    browser.compose = f"/dashboard/apps/{furnished.app.client_id}/compose"
    browser.open(browser.compose)
    yield browser
    browser.js("localStorage.clear()")


def request(desk):
    """The body that the page would send, out of the call that it shows."""
    text = desk.js(CALL)
    return json.loads(text[text.index("-d '") + 4 : text.rindex("'")].replace("'\\''", "'")) if "-d '" in text else {}


def shown(desk, slug, selector):
    return desk.js("return [...document.querySelectorAll(`.preview-${arguments[0]} ${arguments[1]}`)].map((one) => one.textContent)",
                   slug, selector)


def test_what_each_platform_shows(desk):
    assert "Choose at least one account." in desk.text()
    for account in ("jodoe", "jo.doe", "@posthorn-sandbox"):
        desk.tick(account)
    text = "w" * 290 + " https://bakery.com/rye"
    desk.fill("Text", text)
    desk.wait("counted as X counts", lambda: shown(desk, "x", ".preview-counter") == ["34 too many (314 of 280)"])
    assert shown(desk, "x", ".preview-over")[0].endswith("https://bakery.com/rye")
    assert shown(desk, "linkedin", ".preview-counter") == ["313 of 3,000"] and shown(desk, "linkedin", ".preview-over") == []
    assert shown(desk, "linkedin", ".post-text")[0].endswith("… more")
    desk.wait("what X would say", lambda: any("280" in one for one in shown(desk, "x", ".preview-problems li")))
    desk.fill("Text", "Rye on Friday https://bakery.com/rye")
    desk.wait("it fits", lambda: shown(desk, "x", ".preview-counter") == ["37 of 280"] and shown(desk, "x", ".preview-over") == [])
    assert "bakery.com" in shown(desk, "linkedin", ".preview-link")[0]
    assert "Rye on Friday" in shown(desk, "youtube", ".preview-title")[0]
    desk.press("Add a comment")
    desk.fill("Comment 1", "Until noon")
    desk.wait("a thread", lambda: len(shown(desk, "x", ".preview-tweet")) == 2)
    desk.see("In the sandbox alone, nothing leaves this service", "Jo Doe (X)", "Jo Doe (LinkedIn)", "now.")
    desk.js("const one = document.querySelector('[name=scheduled_at]'); one.value = '2031-05-04T08:30';"
            "one.dispatchEvent(new Event('input', {bubbles: true}))")
    desk.see("on 4 May 2031, 08:30 UTC")
    desk.check_quiet()


def test_what_differs_on_one_platform(desk):
    for account in ("jodoe", "@posthorn-sandbox"):
        desk.tick(account)
    desk.fill("Text", "Our oven, at work")
    desk.js("document.querySelector('#tab-x').click()")
    desk.fill("Text on X alone", "Our oven!")
    desk.js("document.querySelector('#tab-youtube').click()")
    desk.js("document.querySelector('#panel-youtube details').open = true")
    desk.fill("Title", "The oven")
    desk.choose("Privacy Status", "unlisted")
    desk.fill("Tags", "bread\nrye: no")
    desk.wait("the title", lambda: shown(desk, "youtube", ".preview-title") == ["The oven"])
    assert shown(desk, "x", ".post-text") == ["Our oven!"] and shown(desk, "youtube", ".post-text") == ["Our oven, at work"]
    body = request(desk)
    assert body["overrides"] == {"x": {"content": "Our oven!"}} and body["content"] == "Our oven, at work"
    assert body["platforms"]["youtube"] == {"title": "The oven", "privacyStatus": "unlisted", "tags": ["bread", {"rye": "no"}]}


def test_a_file_is_dropped(desk, furnished):
    desk.tick("harbourbakery")
    desk.fill("Text", "Dropped")
    assert desk.driver.execute_async_script(DROP, ".drop-zone", "loaf.png") == 1
    desk.wait("it is uploaded", lambda: request(desk).get("media", [{}])[0].get("media_id", "").startswith("med_"))
    desk.see("loaf.png")
    desk.wait("its picture in the preview", lambda: desk.js(
        "return [...document.querySelectorAll('.preview-facebook .preview-file img')].some((one) => one.naturalWidth === 320)"))
    desk.press("Publish")
    desk.wait("the post's page", lambda: "/posts/" in desk.path())
    desk.wait("it is out", lambda: "Published" in desk.text())
    desk.check_quiet()


def test_nothing_that_was_written_is_lost(desk):
    desk.tick("jodoe")
    desk.fill("Text", "Half a thought")
    desk.wait("it is kept", lambda: "Half a thought" in desk.js("return JSON.stringify(localStorage)"))
    desk.follow("Posts")
    desk.follow("Compose")
    desk.see("Kept from", "Half a thought")
    desk.press("Sign out")
    desk.wait("signed out", lambda: desk.path() == "/dashboard/login")
    desk.sign_in(EMAIL, PASSWORD)
    desk.open(desk.compose)
    desk.see("Kept from")
    assert request(desk)["content"] == "Half a thought" and len(request(desk)["account_ids"]) == 1
    desk.press("Start afresh")
    desk.wait("it is empty", lambda: "Kept from" not in desk.text() and request(desk).get("content") == "")
    desk.open(desk.compose)
    assert "Kept from" not in desk.text()
    desk.press("Publish")
    desk.see("Choose at least one account. Write something or add a file.")


def test_on_a_phone(desk):
    desk.resize(PHONE)
    desk.open(desk.compose)
    desk.tick("jodoe")
    desk.fill("Text", "w" * 60 + " " + "A long word: " + "z" * 120)
    desk.wait("the preview", lambda: shown(desk, "x", ".post-text") != [])
    assert desk.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
