# SPDX-License-Identifier: Apache-2.0
"""At the desk of who is asked: a post explains itself in words that can be passed on, and accounts say what they need."""
import pytest

from browser import By
from harness import poll
from house import EMAIL, PASSWORD, pages

CATCH_COPIES = "navigator.clipboard.writeText = (text) => { window.__copied = text; return Promise.resolve(); };"


@pytest.fixture
def desk(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    return browser


def copied(desk, words):
    desk.js("window.__copied = null;" + CATCH_COPIES)
    desk.press(words)
    return desk.wait("something is copied", lambda: desk.js("return window.__copied"))


def test_what_a_customer_is_told(desk, furnished):
    desk.open(pages(furnished)["post-partial"])
    desk.see("Jo Doe", "X · jodoe", "What to do:")
    lines = copied(desk, "Copy for the customer").splitlines()
    assert lines[0].startswith("Your post “Fresh bread from six o'clock, every day but Monday.”, sent on ")
    on_x, on_linkedin = sorted((line for line in lines if line.startswith("- ")), reverse=True)
    assert on_x.startswith("- X, Jo Doe: not published. The platform says this content has already been posted.")
    assert "X says: “You are not allowed to create a Tweet with duplicate content.”" in on_x and "What to do: " in on_x
    assert on_linkedin.startswith("- LinkedIn, Jo Doe: published on ") and "https://www.linkedin.com/feed/update/" in on_linkedin
    assert lines[-1] == f"Reference: {furnished.posts['partial']}"
    desk.open(pages(furnished)["post-scheduled"])
    assert "Harbour Bakery: not published yet. " in copied(desk, "Copy for the customer")
    link = desk.value_of("Link for a ticket")
    desk.open("/dashboard")
    desk.open(link)
    desk.see("Tomorrow: walnut bread.")


def test_the_webhooks_calls_of_a_post(desk, furnished):
    account = furnished.accounts["x"][0]["id"]
    post = furnished.app.accepted(account, "Told to whom it concerns")["post_id"]
    furnished.app.wait_post(post)
    desk.open(f"/dashboard/apps/{furnished.app.client_id}/posts/{post}")
    desk.see("Webhook calls", "post.publish.succeeded", "X, Jo Doe", "post.completed", "the post as a whole", "cafe.example")


def test_a_short_call_is_a_short_bar(desk, furnished):
    desk.open(pages(furnished)["post-partial"])
    widths = desk.js("return [...document.querySelectorAll('svg.plot .call rect')].map((one) => one.width.baseVal.value)")
    assert len(widths) == 2 and max(widths) < 100, widths


def test_accounts_say_what_they_need(desk, furnished):
    desk.open(pages(furnished)["accounts"])
    first = desk.js("return document.querySelector('main .card').innerText")
    assert "To be reconnected (1)" in first and "revoked by the user" in first and "user-2" in first
    desk.press("Connect an account")
    desk.see("You sign in at the platform, and come back here")
    desk.press("Connect X")
    desk.wait("the consent page", lambda: desk.driver.find_elements(By.CSS_SELECTOR, "button[value=allow]"))
    desk.driver.find_element(By.CSS_SELECTOR, "button[value=allow]").click()
    desk.wait("to be back", lambda: "/connected" in (desk.path() or ""))
    desk.settled()
    desk.see("X is connected")
    desk.press("Connect another")
    desk.see("You sign in at the platform, and come back here")


def test_reconnected_and_what_failed_is_retried(desk, furnished):
    """The account's token is gone, a post fails; it is connected again, and the page that one comes back to offers the retry."""
    app = furnished.app
    account = app.account("linkedin", user_id="user-3")
    furnished.sandbox.fault("linkedin", "POST", "/rest/posts", "status", status=401, times=5, body={
        "status": 401, "serviceErrorCode": 65601, "code": "REVOKED_ACCESS_TOKEN", "message": "revoked"})
    post = app.accepted(account, "Lost for a while")["post_id"]
    poll("it failed", lambda: app.get(f"/v1/posts/{post}").json()["data"]["status"] == "failed")
    furnished.sandbox.clear_faults()
    desk.open(f"/dashboard/apps/{app.client_id}/accounts/{account}")
    desk.press("Reconnect")
    desk.wait("the consent page", lambda: desk.driver.find_elements(By.CSS_SELECTOR, "button[value=allow]"))
    desk.driver.find_element(By.CSS_SELECTOR, "button[value=allow]").click()
    desk.wait("to be back", lambda: "/connected" in (desk.path() or ""))
    desk.settled()
    desk.see("Posts failed while it had to be reconnected")
    desk.press("Retry them…")
    desk.press("Retry 1")
    poll("it is out", lambda: app.get(f"/v1/posts/{post}").json()["data"]["status"] == "published")
