# SPDX-License-Identifier: Apache-2.0
"""A person's second press of Publish never publishes a second time: a double click, and a press after a lost answer.
YouTube, because it is a platform that takes the same post twice."""
import uuid

import pytest

from browser import ActionChains
from harness import App, poll
from house import EMAIL, PASSWORD, make_admin, new_house

LOSE_THE_FIRST_ANSWER = """
const real = window.fetch;
window.__asked = [];
window.fetch = async (address, options) => {
	const answer = await real(address, options);
	if (String(address).endsWith('/posts/publish')) {
		window.__asked.push(JSON.parse(options.body).request_id);
		if (window.__asked.length === 1) {
			throw new TypeError('the connection is gone');
		}
	}
	return answer;
};
"""


@pytest.fixture(scope="module")
def video_house(tmp_path_factory, media):
    with new_house(tmp_path_factory.mktemp("video"), "400") as house:
        make_admin(house.service)
        house.app = App(house.service, name="Video", owner=EMAIL).set_credentials("youtube").issue_token()
        house.account = house.app.connect("youtube").accounts[0]
        yield house


@pytest.fixture
def written(browser, video_house, media):
    """The page with a post that is ready to be published, and the post's text."""
    text = f"Our oven {uuid.uuid4().hex}"
    browser.url = video_house.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.open(f"/dashboard/apps/{video_house.app.client_id}/compose?account={video_house.account['id']}")
    browser.fill("Text", text)
    browser.press("Add a file")
    browser.fill("File URL, or id of an uploaded file", media.clip(duration=4)["url"])
    browser.choose("Type", "Video")
    return text


def check_once(house, text):
    """One post in the list, one video at the platform."""
    found = poll("the post is final", lambda: [row for row in posts_of(house, text) if row["status"] in ("published", "failed")])
    assert [row["status"] for row in found] == ["published"] and len(posts_of(house, text)) == 1
    assert len(house.sandbox.ledger(text)) == 1
    return found[0]


def posts_of(house, text):
    return [row for row in house.app.list(per_page=100)["data"] if row["containers"][0]["content"] == text]


def test_a_double_click(browser, video_house, written):
    send = browser.find("button", "Publish")
    browser.js("arguments[0].scrollIntoView({block: 'center'})", send)
    ActionChains(browser.driver).double_click(send).perform()
    browser.wait("the post's page", lambda: "/posts/" in browser.path())
    post = check_once(video_house, written)
    assert browser.path().endswith(post["id"])


def test_a_lost_answer_and_a_second_press(browser, video_house, written):
    browser.js(LOSE_THE_FIRST_ANSWER)
    browser.press("Publish")
    browser.see("cannot be reached")
    assert "/compose" in browser.path()
    browser.press("Publish")
    browser.see("already accepted")
    browser.wait("the post's page", lambda: "/posts/" in browser.path())
    asked = browser.js("return window.__asked")
    assert len(asked) == 2 and asked[0] == asked[1]
    post = check_once(video_house, written)
    assert browser.path().endswith(post["id"]) and post["request_id"] == asked[0]


def test_the_next_draft_is_another_post(browser, video_house, written):
    browser.press("Publish")
    browser.wait("the post's page", lambda: "/posts/" in browser.path())
    first = check_once(video_house, written)
    browser.open(f"/dashboard/apps/{video_house.app.client_id}/compose?post={first['id']}")
    browser.press("Publish")
    browser.wait("another post's page", lambda: "/posts/" in browser.path() and not browser.path().endswith(first["id"]))
    assert len(posts_of(video_house, written)) == 2
