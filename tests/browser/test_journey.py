# SPDX-License-Identifier: Apache-2.0
"""The whole way of a new owner, as a person walks it: set-up link, app, six credentials, going live, connecting on
the consent page, publishing and watching it, a failure and its explanation, cancelling, a new secret, signing out.
One test for each station; each goes on where the one before stopped."""
import os
import pathlib
import re
import uuid

import pytest
import requests

from browser import Browser, By
from client import code_of
from file_server import picture as drawn
from harness import HTTP_S, PLATFORMS, basic
from house import EMAIL, PASSWORD
from test_webhooks import Receiver

NAMES = {
    "instagram": "Instagram",
    "facebook": "Facebook",
    "x": "X",
    "linkedin": "LinkedIn",
    "youtube": "YouTube",
    "tiktok": "TikTok",
}


@pytest.fixture(scope="module")
def walk(house):
    """A browser that stays signed in from station to station."""
    one = Browser()
    one.url = house.url
    one.house = house
    yield one
    one.close()


def picture(browser, name):
    """To look at: what only stands on the way."""
    browser.screenshot(pathlib.Path(os.environ.get("POSTHORN_BUILD", "build")) / "screenshots" / "journey" / f"{name}.png")


def by_name(browser, name, text):
    control = browser.wait(
        f"a field {name}", lambda: browser.js('return document.querySelector(`main [name="${arguments[0]}"]`)', name)
    )
    control.clear()
    control.send_keys(text)


def badges(browser):
    return browser.js("return [...document.querySelectorAll('main .badge')].map((one) => one.textContent)")


def app_path(walk, tail=""):
    return f"/dashboard/apps/{walk.client_id}{tail}"


def token(house, client_id, secret):
    return requests.post(
        f"{house.url}/v1/oauth/token",
        data={"grant_type": "client_credentials"},
        headers={"Authorization": basic(client_id, secret)},
        timeout=HTTP_S,
    )


def test_without_a_session_everything_leads_to_signing_in(walk):
    walk.open("/dashboard/posts?status=failed")
    walk.see("Sign in", "not set up yet")
    assert walk.path() == "/dashboard/login"


def test_setup_link(walk):
    walk.open(walk.house.setup_link())
    picture(walk, "setup")
    walk.fill("Email", EMAIL)
    walk.fill("Password", "short")
    walk.fill("Repeat password", "short")
    walk.press("Create admin and sign in")
    walk.wait(
        "the field says what is wrong",
        lambda: "12" in walk.js("return document.querySelector('.problem:not(:empty)')?.textContent ?? ''"),
    )
    walk.fill("Password", PASSWORD)
    walk.fill("Repeat password", PASSWORD + "x")
    walk.press("Create admin and sign in")
    walk.see("The passwords do not match")
    walk.fill("Repeat password", PASSWORD)
    walk.press("Create admin and sign in")
    walk.see("No apps yet", "SANDBOX", EMAIL)
    picture(walk, "no-app-yet")


def test_setup_link_works_once(walk):
    other = Browser()
    try:
        other.url = walk.house.url
        other.open(walk.house.setup_link())
        other.fill("Email", "thief@example.com")
        other.fill("Password", PASSWORD)
        other.fill("Repeat password", PASSWORD)
        other.press("Create admin and sign in")
        other.wait("a refusal", lambda: other.js("return document.querySelector('.notice.bad, .problem:not(:empty)') !== null"))
    finally:
        other.close()


def test_create_app(walk):
    walk.press("Create app")
    walk.press("Create app")  # in the dialog, with nothing in the field
    walk.see("Name is required")
    picture(walk, "create-app")
    walk.fill("Name", "Harbour & Sons <shop>")
    walk.press("Create app")
    walk.client_id, walk.secret = walk.value_of("Client id"), walk.value_of("Client secret")
    picture(walk, "secret")
    assert walk.client_id.startswith("phc_") and walk.secret.startswith("phs_")
    walk.press("I have saved it")
    walk.wait("the app's page", lambda: walk.heading() == "Harbour & Sons <shop>")
    assert walk.secret not in walk.driver.page_source
    assert token(walk.house, walk.client_id, walk.secret).status_code == 409


def test_a_wrong_secret_is_told_in_the_platforms_words(walk):
    walk.open(app_path(walk, "/credentials/facebook"))
    walk.see("/v1/oauth/facebook/callback", "pages_manage_posts")
    by_name(walk, "client_id", "sandbox-facebook")
    by_name(walk, "client_secret", "wrong")
    walk.press("Save and verify")
    walk.see("rejects it", "The platform said:")
    assert "Rejected" in badges(walk)
    picture(walk, "credential-refused")


@pytest.mark.parametrize("slug", PLATFORMS)
def test_credentials(walk, slug):
    walk.open(app_path(walk, f"/credentials/{slug}"))
    assert walk.value_of("Redirect URI") == f"{walk.house.url}/v1/oauth/{slug}/callback"
    by_name(walk, "client_id", f"sandbox-{slug}")
    by_name(walk, "client_secret", f"sandbox-secret-{slug}")
    walk.press("Save and verify")
    walk.wait("the credential is verified", lambda: "Verified" in badges(walk))
    assert f"sandbox-secret-{slug}" not in walk.driver.page_source


def test_verify_again(walk):
    walk.press("Verify now")
    walk.see("accepted the credential")


def test_the_first_verified_credential_has_brought_it_live(walk):
    walk.open(app_path(walk))
    walk.see("6 of 6 platforms verified")
    walk.wait("the app is live", lambda: "Live" in badges(walk))
    assert token(walk.house, walk.client_id, walk.secret).status_code == 200


def test_declined_connection(walk):
    walk.open(app_path(walk, "/credentials/linkedin"))
    walk.press("Connect my own account")
    consent(walk, "deny")
    walk.see("declined")
    picture(walk, "declined")


def consent(walk, decision):
    """On the sandbox's page, as the platform would ask."""
    walk.wait("the consent page", lambda: walk.driver.find_elements(By.CSS_SELECTOR, f"button[value={decision}]"))
    walk.driver.find_element(By.CSS_SELECTOR, f"button[value={decision}]").click()
    walk.wait("to be back", lambda: walk.path() and "/connected" in walk.path())
    walk.settled()


@pytest.mark.parametrize("slug", ["x", "linkedin", "facebook"])
def test_connect(walk, slug):
    walk.open(app_path(walk, f"/credentials/{slug}"))
    walk.press("Connect my own account")
    consent(walk, "allow")
    walk.see(f"{NAMES[slug]} is connected")
    picture(walk, "connected")


def write(walk, text, *accounts):
    walk.open(app_path(walk, "/compose"))
    for account in accounts:
        walk.tick(account)
    walk.fill("Text", text)


def test_validate_says_what_is_too_long(walk):
    write(walk, "w" * 281, "jodoe")
    walk.press("Validate")
    walk.see("cannot be published like this", "280")
    picture(walk, "not-valid")


def test_publish_and_watch(walk):
    text = f"Sea & salt {uuid.uuid4().hex[:8]}"
    write(walk, text, "jodoe", "jo.doe")
    walk.press("Validate")
    walk.see("Ready to publish", "1 call would be made")
    picture(walk, "valid")
    code = walk.js("return document.querySelector('.code code').textContent")
    assert f"{walk.house.url}/v1/posts/publish" in code and text in code
    walk.press("Publish")
    walk.wait("the post's page", lambda: "/posts/" in walk.path())
    walk.wait("published, without loading the page again", lambda: badges(walk).count("Published") >= 3)
    assert len(walk.house.sandbox.ledger(text)) == 2
    walk.wait("the timeline as a picture", lambda: len(walk.driver.find_elements(By.CSS_SELECTOR, "svg.plot .call")) >= 2)
    rows = len(walk.driver.find_elements(By.CSS_SELECTOR, "tr[data-row]"))
    assert len(walk.driver.find_elements(By.CSS_SELECTOR, "svg.plot .call")) == rows
    walk.check_quiet()


def test_the_list_shows_it(walk):
    walk.open("/dashboard/posts?status=published&text=Sea")
    walk.see("Sea & salt", "Published")
    walk.open("/dashboard/posts?status=failed")
    walk.see("No matching posts")


def test_a_failing_post_says_why_and_what_to_do(walk):
    walk.house.sandbox.fault(
        "x",
        "POST",
        "/2/tweets",
        "status",
        status=403,
        body={
            "title": "Forbidden",
            "detail": "You are not allowed to create a Tweet with duplicate content.",
            "type": "about:blank",
            "status": 403,
        },
    )
    write(walk, "Said before", "jodoe")
    walk.press("Publish")
    walk.wait("the post has failed", lambda: "Failed" in badges(walk))
    walk.see("duplicate content", "DUPLICATE_CONTENT", "What to do:")
    walk.open("/dashboard/posts?error=DUPLICATE_CONTENT")
    walk.see("Said before")


def test_retry(walk):
    walk.follow("Said before")
    walk.press("Retry unchanged")
    walk.wait("published after all", lambda: "Published" in badges(walk))


def test_a_published_post_is_taken_back(walk):
    text = f"Said too much {uuid.uuid4().hex[:8]}"
    write(walk, text, "jodoe")
    walk.press("Publish")
    walk.wait("published", lambda: "Published" in badges(walk))
    assert len(walk.house.sandbox.ledger(text)) == 1
    walk.press("Remove from the platform")
    walk.see("It is deleted there, with its comments. This cannot be undone.")
    picture(walk, "remove")
    walk.press("Remove post")
    walk.see("Removed from the platform")
    assert "Remove from the platform" not in walk.text(), "nobody is asked twice"
    assert walk.house.sandbox.ledger(text) == []
    picture(walk, "removed")
    walk.check_quiet()


def set_time(walk, selector, days):
    """So many days from now, as a person chooses it."""
    walk.js(
        "const [selector, days] = arguments; const one = document.querySelector(selector);"
        "one.value = new Date(Date.now() + days * 86400000).toISOString().slice(0, 16);"
        "one.dispatchEvent(new Event('input', {bubbles: true}))",
        selector,
        days,
    )


def test_schedule_move_and_cancel(walk):
    write(walk, "Not yet", "jo.doe")
    set_time(walk, "[name=scheduled_at]", 2)
    walk.press("Publish")
    walk.wait("it is scheduled", lambda: "Scheduled" in badges(walk))
    walk.press("Reschedule")
    set_time(walk, "dialog [name=scheduled_at]", 3)
    walk.press("Save")
    walk.see("Post rescheduled")
    walk.press("Cancel")
    walk.press("Keep it")
    walk.wait("nothing has happened", lambda: "Scheduled" in badges(walk))
    walk.press("Cancel")
    walk.press("Cancel post")
    walk.wait("it is cancelled", lambda: "Cancelled" in badges(walk))


def test_draft_written_rejected_mended_and_published(walk):
    write(walk, "Half price!", "jodoe")
    walk.press("Save as draft")
    walk.see("Draft saved", "Half price!", "Awaiting approval", "Written by")
    walk.press("Reject")
    walk.fill("Why", "Only the rye is.")
    walk.press("Reject")
    walk.wait("it is rejected", lambda: "Rejected" in badges(walk))
    walk.see("Only the rye is.", "A change of the draft begins the review again.")
    picture(walk, "draft-rejected")
    walk.follow("Edit")
    by_name(walk, "containers.0.content", "Rye at half price")
    walk.press("Save draft")
    walk.see("Rye at half price", "Awaiting approval")
    draft = walk.driver.current_url
    walk.open(app_path(walk, "/drafts"))
    walk.see("Drafts", "Rye at half price", "Awaiting approval (1)")
    picture(walk, "drafts")
    walk.open(draft[draft.index("/dashboard"):])
    walk.press("Publish")
    walk.press("Publish it")
    walk.wait("it is a post, and out", lambda: "Published" in badges(walk))
    walk.see("Rye at half price")
    walk.open(app_path(walk, "/drafts"))
    walk.see("No drafts")


def changes(walk):
    return walk.js("return [...document.querySelectorAll('.changes > li')].map((one) =>"
                   " ['h3', 'del', 'ins'].map((tag) => one.querySelector(tag)?.textContent ?? ''))")


def test_a_draft_is_shown_as_it_will_look(walk):
    """Each platform with its own text, and no raw JSON for a person who approves."""
    write(walk, "For all of you", "jodoe", "jo.doe")
    walk.press("Save as draft")
    walk.see("Awaiting approval", "As it will look")
    draft = walk.driver.current_url.rsplit("/", 1)[1]
    headers = {"Authorization": f"Bearer {token(walk.house, walk.client_id, walk.secret).json()['access_token']}"}
    change = {"overrides": {"x": {"content": "For X alone"}}, "platforms": {"linkedin": {"visibility": "CONNECTIONS"}}}
    url = f"{walk.house.url}/v1/drafts/{draft}"
    assert requests.patch(url, json=change, headers=headers, timeout=HTTP_S).status_code == 200
    walk.open(f"{app_path(walk, '/drafts')}/{draft}")
    walk.see("On X", "On LinkedIn", "2 changes since you saw it")
    assert changes(walk) == [["Instead on X", "", "For X alone"], ["LinkedIn: visibility", "", "CONNECTIONS"]]
    looks = {slug: walk.js(f"return document.querySelector('.preview-{slug}').textContent") for slug in ("x", "linkedin")}
    assert "For X alone" in looks["x"] and "For all of you" not in looks["x"]
    assert "For all of you" in looks["linkedin"]
    assert walk.js("return document.querySelectorAll('main pre').length") == 0
    width = "return document.querySelector('.preview-x .avatar img')?.naturalWidth"
    walk.wait("the account's picture", lambda: walk.js(width) not in (None, 0))
    walk.press("Delete")
    walk.press("Delete draft")
    walk.see("No drafts")


def test_a_draft_that_somebody_changed_is_not_published(walk):
    """Exactly what is shown is published (If-Match), or nothing."""
    write(walk, "As I saw it", "jodoe")
    walk.press("Save as draft")
    walk.see("As I saw it", "Awaiting approval")
    draft = walk.driver.current_url.rsplit("/", 1)[1]
    headers = {"Authorization": f"Bearer {token(walk.house, walk.client_id, walk.secret).json()['access_token']}"}
    url = f"{walk.house.url}/v1/drafts/{draft}"
    assert requests.patch(url, json={"content": "As they made it"}, headers=headers, timeout=HTTP_S).status_code == 200
    walk.press("Publish")
    walk.press("Publish it")
    walk.see("Somebody changed this draft", "As they made it", "1 change since you saw it")
    assert changes(walk) == [["Text", "As I saw it", "As they made it"]]
    assert requests.get(url, headers=headers, timeout=HTTP_S).status_code == 200
    assert walk.house.sandbox.ledger("As I saw it") == [] and walk.house.sandbox.ledger("As they made it") == []
    assert requests.patch(url, json={"content": "As they made it again"}, headers=headers, timeout=HTTP_S).status_code == 200
    walk.press("Reject")
    walk.fill("Why", "I did not see it.")
    walk.press("Reject")
    walk.see("Somebody changed this draft", "As they made it again", "Awaiting approval")
    walk.open(f"{app_path(walk, '/drafts')}/{draft}")
    assert changes(walk) == [["Text", "As they made it", "As they made it again"]]
    walk.press("Seen")
    assert changes(walk) == []
    walk.open(f"{app_path(walk, '/drafts')}/{draft}")
    assert changes(walk) == [] and "since you saw it" not in walk.text()
    walk.press("Delete")
    walk.press("Delete draft")
    walk.see("No drafts")


def test_many_are_retried_with_their_number_first(walk):
    body = {"title": "Invalid", "detail": "No.", "status": 400}
    walk.house.sandbox.fault("x", "POST", "/2/tweets", "status", status=400, body=body, times=2)
    for text in ("Many, the first", "Many, the second"):
        write(walk, text, "jodoe")
        walk.press("Publish")
        walk.wait("the post has failed", lambda: "Failed" in badges(walk))
    words = walk.js("return [...document.querySelectorAll('.notice .mono')].map((one) => one.textContent)")
    code = next(word for word in words if re.fullmatch("[A-Z_]+", word))
    walk.house.sandbox.clear_faults()
    walk.open(f"/dashboard/posts?error={code}")
    walk.press("Retry all…")
    walk.see("2 platform posts of 2 posts will be retried.")
    picture(walk, "retry-many")
    walk.press("Retry 2")
    walk.wait("both are out", lambda: len(walk.house.sandbox.ledger("Many, the")) == 2)
    walk.press("Retry all…")
    walk.see("Nothing to retry")


def test_unknown_outcome_is_settled_by_a_person(walk):
    """X takes the post, its answer is lost, and X cannot be asked."""
    text = f"In doubt {uuid.uuid4().hex[:8]}"
    walk.house.sandbox.fault("x", "POST", "/2/tweets", "reset_after")
    walk.house.sandbox.fault(
        "x", "GET", "/2/users/*/tweets", "status", status=401, body={"title": "Unauthorized", "status": 401}, times=50
    )
    write(walk, text, "jodoe")
    walk.press("Publish")
    walk.wait("nobody knows", lambda: "OUTCOME_UNKNOWN" in walk.text())
    walk.house.sandbox.clear_faults()
    picture(walk, "unknown")
    walk.press("Record the outcome")
    walk.fill("Post URL", "https://x.com/jodoe/status/1")
    walk.press("Yes, it is there")
    walk.wait("it is published", lambda: "Published" in badges(walk))
    assert walk.has("link", "https://x.com/jodoe/status/1")
    assert len(walk.house.sandbox.ledger(text)) == 1


def test_accounts(walk):
    walk.open(app_path(walk, "/accounts"))
    walk.see("Jo Doe", "Active")
    walk.open(app_path(walk, "/accounts?platform=x"))
    walk.js("document.querySelector('table .who-head').click()")
    walk.wait("the account's page", lambda: walk.heading() == "Jo Doe")
    walk.press("Check now")
    walk.see("X accepts the token")
    walk.press("Disconnect")
    walk.press("Disconnect")
    walk.wait("it is disconnected", lambda: "Disconnected" in badges(walk))
    account = walk.path()
    walk.press("Reconnect")
    consent(walk, "allow")
    walk.see("X is connected")
    walk.open(account)
    walk.wait("it is active again", lambda: "Active" in badges(walk))


@pytest.fixture
def receiver():
    one = Receiver()
    yield one
    one.close()


def test_webhook(walk, receiver):
    walk.open(app_path(walk, "/webhooks"))
    walk.press("Create webhook")
    walk.fill("URL", "nonsense")
    walk.press("Create webhook")
    walk.wait(
        "the field says what is wrong", lambda: walk.js("return document.querySelector('dialog .problem:not(:empty)') !== null")
    )
    walk.fill("URL", f"{receiver.url}/hook")
    walk.press("Create webhook")
    assert walk.value_of("Signing secret").startswith("whsec_")
    walk.press("I have saved it")
    walk.see("No deliveries yet")
    walk.press("Send test event")
    walk.wait(
        "the test in the log",
        lambda: "test" in walk.js("return [...document.querySelectorAll('td .title')].map((one) => one.textContent)")
        and "Delivered" in badges(walk),
    )
    receiver.wait("/hook", 1)
    walk.js("document.querySelector('button[aria-label^=\"Resend test\"]').click()")
    first, second = receiver.wait("/hook", 2)
    assert first[1]["webhook-id"] == second[1]["webhook-id"] and first[2] == second[2]
    walk.press("Disable")
    walk.see("This webhook is disabled")
    walk.press("Enable")
    walk.wait("it is enabled again", lambda: "Enabled" in badges(walk))
    walk.press("New signing secret")
    walk.press("Create a new secret")
    assert walk.value_of("Signing secret").startswith("whsec_")
    walk.press("I have saved it")
    walk.press("Delete")
    walk.press("Delete")
    walk.see("No webhooks yet")


def choose_file(walk, path):
    control = walk.wait("the file field", lambda: walk.js('return document.querySelector(`main input[type="file"]`)'))
    control.send_keys(str(path))


def test_library(walk, tmp_path):
    photo = tmp_path / "Brötchen.jpg"
    drawn(photo, "320x200")
    walk.open(app_path(walk, "/media"))
    walk.see("No files yet")
    choose_file(walk, photo)
    walk.see("Brötchen.jpg", "image/jpeg · 320 × 200", "1 file")
    rubbish = tmp_path / "rubbish.jpg"
    rubbish.write_bytes(b"no picture")
    choose_file(walk, rubbish)
    walk.wait("the field says what is wrong", lambda: "no image" in walk.js(
        "return document.querySelector('main .problem').textContent"))
    walk.js("document.querySelector('button[aria-label^=\"Delete\"]').click()")
    walk.press("Delete file")
    walk.see("No files yet")


def test_a_file_is_chosen_for_a_post(walk, tmp_path):
    photo = tmp_path / "loaf.jpg"
    drawn(photo, "320x200")
    walk.open(app_path(walk, "/compose"))
    walk.fill("Text", "From the oven, with a file of this computer")
    walk.press("Add a file")
    choose_file(walk, photo)
    walk.wait("the row names the file", lambda: walk.js('return document.querySelector(`main [name="url"]`).value').startswith("med_"))
    code = walk.js("return document.querySelector('.code code').textContent")
    assert '"media_id": "med_' in code
    walk.wait("its picture, small", lambda: walk.js(
        "return [...document.querySelectorAll('.thumb img')].some((one) => one.src.startsWith('data:image/jpeg') && one.naturalWidth > 0)"))


def test_key(walk):
    def ask(key, method="GET", path="/v1/posts"):
        return requests.request(method, walk.house.url + path, headers={"Authorization": f"Bearer {key}"}, json={}, timeout=HTTP_S)

    walk.open(app_path(walk, "/keys"))
    walk.see("No keys yet")
    walk.press("Create key")
    walk.fill("Name", "n8n")
    walk.choose("Expires", "In 90 days")
    walk.tick("webhooks")
    walk.press("Create key")
    key = walk.value_of("Key")
    walk.press("I have saved it")
    walk.see("n8n", "read, webhooks", "in 90 days")
    assert key.startswith("phk_") and ask(key).status_code == 200
    assert ask(key, "POST", "/v1/posts/publish").json()["error"] == "INSUFFICIENT_SCOPE"
    walk.press("Revoke")
    walk.press("Revoke")
    walk.see("No keys yet")
    assert ask(key).status_code == 401


def test_rotate(walk):
    old = token(walk.house, walk.client_id, walk.secret).json()["access_token"]
    walk.open(app_path(walk, "/settings"))
    walk.press("Create a new secret")
    walk.press("Create a new secret")
    new = walk.value_of("Client secret")
    walk.press("I have saved it")
    assert new.startswith("phs_") and new != walk.secret
    assert token(walk.house, walk.client_id, walk.secret).status_code == 401
    assert token(walk.house, walk.client_id, new).status_code == 200
    answer = requests.get(f"{walk.house.url}/v1/posts", headers={"Authorization": f"Bearer {old}"}, timeout=HTTP_S)
    assert answer.status_code == 401


def test_settings(walk):
    walk.open(app_path(walk, "/settings"))
    walk.fill("Allowed redirect URLs", "https://cafe.example/back\nnot an address")
    walk.press("Save settings")
    walk.wait(
        "the field says what is wrong",
        lambda: walk.js("return document.querySelector('.problem:not(:empty), .notice.bad') !== null"),
    )
    walk.fill("Allowed redirect URLs", "https://cafe.example/back")
    walk.fill("Name", "Harbour")
    walk.press("Save settings")
    walk.see("Settings saved")
    assert walk.js("return [...document.querySelectorAll('#switch-app option')].map((one) => one.textContent)") == ["Harbour"]
    walk.press("Suspend")
    walk.press("Suspend")
    walk.wait("it is suspended", lambda: "Suspended" in badges(walk))
    walk.press("Activate")
    walk.wait("it is live again", lambda: "Live" in badges(walk))


def test_pause_and_resume(walk):
    client_id = walk.path().split("/")[3]
    walk.open(f"/dashboard/apps/{client_id}")
    walk.choose("Platform", "LinkedIn")
    walk.press("Pause")
    walk.see("LinkedIn, by ")
    walk.open("/dashboard")
    walk.see("linkedin, app ")
    walk.press("Resume")
    walk.see("Resumed")
    walk.open(f"/dashboard/apps/{client_id}")
    assert not walk.has("button", "Resume")


def test_admins(walk):
    walk.open("/dashboard/admins")
    walk.press("Invite an admin")
    walk.fill("Email", "second@example.com")
    walk.press("Make the link")
    link = walk.value_of("Link")
    picture(walk, "invitation")
    walk.press("I have saved it")
    walk.see("no password set")
    accept(walk, link)
    walk.open("/dashboard/admins")
    walk.press("Make root: second@example.com")
    walk.press("Make root")
    walk.see("second@example.com is root now")
    walk.press("Delete second@example.com")
    walk.press("Delete")
    walk.see("second@example.com deleted")


def accept(walk, link):
    """Opened twice, as by a scanner before the person, and in a browser of their own: what an owner sees is no matter of root's."""
    other = Browser()
    try:
        other.url = walk.house.url
        other.open(link)
        other.open("/dashboard/login")
        other.open(link)
        other.see("For second@example.com")
        other.fill("Password", "Password2026!")
        other.fill("Repeat password", "Password2026!")
        other.press("Save password and sign in")
        other.see("too easy to guess")
        other.fill("Password", PASSWORD)
        other.fill("Repeat password", PASSWORD)
        other.press("Save password and sign in")
        other.wait("the dashboard", lambda: other.path() == "/dashboard" and other.heading() == "Overview")
        assert not other.has("link", "Admins") and other.has("link", "Your account")
        other.open("/dashboard/admins")
        other.see("Only a root admin may do this")
    finally:
        other.close()


def test_a_session_is_ended(walk):
    """Somebody else's browser, signed in as this admin."""
    other = Browser()
    try:
        other.url = walk.house.url
        other.open("/dashboard/login")
        other.fill("Email", EMAIL)
        other.fill("Password", PASSWORD)
        other.press("Sign in")
        other.see("Harbour")
        walk.open("/dashboard/you")
        walk.press("End the session of 127.0.0.1")
        walk.see("Session ended")
        other.open("/dashboard/apps")
        assert other.path() == "/dashboard/login"
    finally:
        other.close()


def test_second_factor(walk):
    walk.open("/dashboard/you")
    walk.press("Turn on")
    secret = walk.value_of("Key")
    picture(walk, "second-factor")
    walk.fill("Code", "000000")
    walk.fill("Your password", PASSWORD)
    walk.press("Turn on")
    walk.see("not the code that the app shows")
    walk.fill("Code", code_of(secret))
    walk.press("Turn on")
    codes = walk.value_of("Codes").split()
    assert len(codes) == 10
    walk.press("I have saved it")
    walk.see("10 recovery codes are left")
    other = Browser()
    try:
        other.url = walk.house.url
        other.open("/dashboard/login")
        other.fill("Email", EMAIL)
        other.fill("Password", PASSWORD)
        other.press("Sign in")
        other.see("Six digits of your authenticator app")
        picture(other, "sign-in-code")
        other.fill("Code", "no code at all")
        other.press("Sign in")
        other.see("The code is wrong, or was used already")
        other.fill("Code", code_of(secret, 1))
        other.press("Sign in")
        other.see("Harbour")
    finally:
        other.close()
    walk.open("/dashboard/you")
    walk.press("Turn off the second factor")
    walk.fill("Your password", PASSWORD)
    walk.fill("Code", codes[0])
    walk.press("Turn off")
    walk.see("The second factor is off")


def test_password(walk):
    walk.open("/dashboard/you")
    walk.fill("Current password", "not this one")
    walk.fill("New password", PASSWORD + "!")
    walk.fill("Repeat new password", PASSWORD + "!")
    walk.press("Change password")
    walk.wait(
        "the field says what is wrong",
        lambda: walk.js("return document.querySelector('[name=current_password]').getAttribute('aria-invalid')") == "true",
    )
    walk.fill("Current password", PASSWORD)
    walk.press("Change password")
    walk.see("Password changed")
    walk.open("/dashboard/apps")
    walk.see("Harbour")


def test_sign_out(walk):
    walk.check_quiet()
    walk.press("Sign out")
    walk.see("Signed out")
    walk.open("/dashboard/apps")
    assert walk.path() == "/dashboard/login"
    walk.fill("Email", EMAIL)
    walk.fill("Password", PASSWORD)
    walk.press("Sign in")
    walk.wait("a refusal", lambda: walk.js("return document.querySelector('.notice.bad') !== null"))
    walk.fill("Password", PASSWORD + "!")
    walk.press("Sign in")
    walk.wait("the page that was asked for", lambda: walk.path() == "/dashboard/apps")
