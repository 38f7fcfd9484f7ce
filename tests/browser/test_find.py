# SPDX-License-Identifier: Apache-2.0
"""Where is my post? What a support person is handed goes into one field, and the answer is the next page."""
import pytest

from browser import ActionChains, Keys
from house import EMAIL, PASSWORD


@pytest.fixture
def desk(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    return browser


def look_for(browser, text):
    """As a person does: the key /, the words, Enter."""
    browser.js("document.activeElement.blur()")
    ActionChains(browser.driver).send_keys("/").perform()
    browser.wait("the field has the focus", lambda: browser.js("return document.activeElement.id") == "find")
    ActionChains(browser.driver).send_keys(text, Keys.ENTER).perform()
    browser.settled()


def test_each_name_leads_to_the_post(desk, furnished):
    post = furnished.app.get(f"/v1/posts/{furnished.posts['partial']}").json()["data"]
    target = next(one for one in post["platform_posts"] if one["platform"] == "linkedin")
    path = f"/dashboard/apps/{furnished.app.client_id}/posts/{post['id']}"
    for text in (post["id"], target["id"], post["request_id"], target["platform_post_id"], target["url"]):
        desk.open("/dashboard/apps")
        look_for(desk, text)
        desk.wait(f"the post of {text}", lambda: desk.path() == path and desk.heading().startswith("Fresh bread"))
        hash_of = desk.js("return location.hash")
        assert hash_of == ("" if text in (post["id"], post["request_id"]) else f"#target-{target['account_id']}")
    # the same as an address in a ticket; Back goes to where one was
    desk.open("/dashboard/apps")
    desk.open(f"/dashboard/find?q={target['id']}")
    desk.wait("the post", lambda: desk.path() == path)
    desk.driver.back()
    desk.wait("where one was", lambda: desk.path() == "/dashboard/apps")


def test_names_users_and_words(desk, furnished):
    look_for(desk, "harbour")
    desk.see("Accounts", "Harbour Bakery", "With this text", "The harbour at night")
    look_for(desk, "user-2")
    desk.see("Jo Doe", "user-2", "Reconnect")
    desk.press("Its posts")
    desk.wait("the posts of that account", lambda: desk.path() == "/dashboard/posts")
    look_for(desk, "nothing-like-this")
    desk.see("Nothing has this")
    desk.check_quiet()
