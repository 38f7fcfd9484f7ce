# SPDX-License-Identifier: Apache-2.0
"""Writing a post: what is seen is what each platform will show, counted as it counts; nothing that was written is lost; and it is said once
to whom it goes."""
import datetime
import json
import types

import pytest

from browser import PHONE
from harness import marker
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


# ---- a post that waits ----

def typed(desk):
    return desk.js("return document.querySelector('[name=\"containers.0.content\"]')?.value")


def later(days=3):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:00Z")


@pytest.fixture
def waiting(desk, furnished):
    """A scheduled post of its own, open in the form; returns how to look at it."""
    app = furnished.app
    account = app.get("/v1/posts/" + furnished.posts["partial"]).json()["data"]["platform_posts"][0]["account_id"]
    made = app.post("/v1/posts/publish", json={"account_ids": [account], "content": "Rye on Friday", "scheduled_at": later(),
                                               "request_id": marker("waits")})
    assert made.status_code == 202, made.text
    post_id = made.json()["data"]["post_id"]
    desk.post = f"/dashboard/apps/{app.client_id}/posts/{post_id}"

    def look():
        return app.get(f"/v1/posts/{post_id}").json()["data"]

    def change(**members):
        answer = app.request("PATCH", f"/v1/posts/{post_id}", json=members)
        assert answer.status_code == 200, answer.text

    desk.open(desk.post)
    desk.follow("Edit")
    desk.wait("the form", lambda: desk.heading() == "Edit a post" and typed(desk) == "Rye on Friday")
    yield types.SimpleNamespace(id=post_id, look=look, change=change)
    app.request("DELETE", f"/v1/posts/{post_id}")


def test_a_scheduled_post_is_edited(desk, waiting):
    assert desk.js("return [...document.querySelectorAll('.choices input')].map((one) => [one.checked, one.disabled])") == [[True, True]]
    before = waiting.look()
    desk.fill("Text", "Rye on Saturday")
    desk.wait("only what changed would be sent", lambda: request(desk) == {"content": "Rye on Saturday"})
    # a second press of a person in a hurry is the same one
    desk.js("const send = document.querySelector('form button.main'); send.click(); send.click()")
    desk.wait("the post", lambda: desk.path() == desk.post)
    desk.see("Changes saved.", "Rye on Saturday")
    after = waiting.look()
    assert after["containers"][0]["content"] == "Rye on Saturday" and after["scheduled_at"] == before["scheduled_at"]
    assert after["mode"] == before["mode"] and after["state"] == "scheduled"
    desk.follow("Edit")
    desk.press("Save changes")
    desk.see("Nothing was changed.")
    desk.check_quiet()


def test_what_is_wrong_stands_at_its_field(desk, waiting):
    desk.js("const one = document.querySelector('[name=scheduled_at]'); one.value = '';"
            "one.dispatchEvent(new Event('input', {bubbles: true}))")
    desk.press("Save changes")
    desk.see("Say when. To publish it now, choose the present time.")
    desk.js("const one = document.querySelector('[name=scheduled_at]'); one.value = '2020-05-04T08:30';"
            "one.dispatchEvent(new Event('input', {bubbles: true}))")
    desk.press("Save changes")
    desk.wait("said at the field", lambda: desk.js(
        "return document.querySelector('[name=scheduled_at]').closest('.field').querySelector('.problem').textContent") != "")
    desk.fill("Text", "w" * 400)
    desk.press("Save changes")
    desk.wait("still the form", lambda: desk.heading() == "Edit a post" and typed(desk) == "w" * 400)
    assert waiting.look()["containers"][0]["content"] == "Rye on Friday"


def test_a_conflict_is_said_in_words_and_loses_nothing(desk, waiting):
    desk.fill("Text", "Mine")
    waiting.change(content="Theirs", scheduled_at=later(5))
    desk.press("Save changes")
    desk.see("Somebody changed this post while you were writing", "The text is now: “Theirs”", "It is scheduled for")
    assert typed(desk) == "Mine" and waiting.look()["containers"][0]["content"] == "Theirs"
    theirs = waiting.look()["scheduled_at"]
    desk.press("Save mine over it")
    desk.wait("the post", lambda: desk.path() == desk.post)
    assert waiting.look()["containers"][0]["content"] == "Mine" and waiting.look()["scheduled_at"] == theirs
    desk.open(f"{desk.compose}?edit={waiting.id}")
    desk.fill("Text", "Mine again")
    waiting.change(content="Theirs again")
    desk.press("Save changes")
    desk.see("“Theirs again”")
    desk.press("Take theirs")
    desk.wait("what they wrote", lambda: typed(desk) == "Theirs again")


def test_what_was_typed_about_a_post_is_kept(desk, waiting):
    desk.fill("Text", "Half a thought")
    desk.wait("kept", lambda: desk.js(f"return Object.keys(localStorage).some((key) => key.endsWith('{waiting.id}'))"))
    desk.open("/dashboard/apps")
    waiting.change(content="Changed meanwhile")
    desk.open(f"{desk.compose}?edit={waiting.id}")
    desk.see("You had not saved these changes.")
    assert typed(desk) == "Half a thought"
    # it is a change of what was read then: the other one's does not go by itself
    desk.press("Save changes")
    desk.see("The text is now: “Changed meanwhile”")
    # and not what a new post begins with
    desk.open(desk.compose)
    assert typed(desk) == ""


def test_too_late_leaves_a_new_post(desk, waiting, furnished):
    desk.fill("Text", "Too late for this")
    furnished.app.request("DELETE", f"/v1/posts/{waiting.id}")
    desk.press("Save changes")
    desk.see("It is too late to change this post")
    assert typed(desk) == "Too late for this"
    desk.press("Make it a new post")
    desk.wait("a new post", lambda: desk.heading() == "Compose" and typed(desk) == "Too late for this")
    desk.open(f"{desk.compose}?edit={waiting.id}")
    desk.see("This post cannot be changed any more")
