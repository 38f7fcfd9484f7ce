# SPDX-License-Identifier: Apache-2.0
"""A test app's page "Sandbox": failures by a click or by a form, knobs, the clock and a new beginning, all of this app alone."""
import json

import pytest

from house import EMAIL, PASSWORD


@pytest.fixture
def tried(browser, furnished):
    """A browser that is signed in, and a test app of its own."""
    made = furnished.service.cli("app", "create", "--name", "Tried", "--owner", EMAIL, "--test")
    assert made.returncode == 0, made.stderr
    client_id = json.loads(made.stdout)["client_id"]
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.open(f"/dashboard/apps/{client_id}/sandbox")
    yield browser, client_id
    assert furnished.service.cli("app", "delete", client_id, "--name", "Tried").returncode == 0


def asked(browser, client_id, what):
    return browser.js(f"return fetch('/dashboard/api/apps/{client_id}/sandbox/{what}').then((answer) => answer.json())")


def knob(browser, client_id, name):
    return {one["name"]: one["value"] for one in asked(browser, client_id, "knobs")["knobs"]}[name]


def test_failures_by_a_click_and_by_a_form(tried):
    browser, client_id = tried
    browser.see("Nothing is going to break.")
    browser.choose("What happens to the next post", "The platform is down for a moment (X)")
    browser.press("Break it")
    browser.see("x: POST /2/tweets, status")
    assert browser.js("return document.querySelector('[name=method]').value") == "any"
    browser.choose("Platform", "LinkedIn")
    browser.choose("Method", "POST")
    browser.fill("Path", "/rest/posts")
    browser.choose("What happens", "status_after")
    browser.fill("Status", "5000")
    browser.press("Add the failure")
    browser.see("status must be from 200 to 599")
    browser.fill("Status", "500")
    browser.fill("How many calls", "3")
    browser.fill("Answer", '{"message": "Broken"}')
    browser.press("Add the failure")
    browser.see("linkedin: POST /rest/posts, status_after")
    found = asked(browser, client_id, "faults")["faults"]
    assert [(one["platform"], one["effect"], one["status"], one["times"]) for one in found] == [
        ("x", "status", 503, 1), ("linkedin", "status_after", 500, 3)]
    assert found[1]["body"] == {"message": "Broken"}
    browser.press("Clear the failures")
    browser.see("Nothing is going to break.")
    assert asked(browser, client_id, "faults")["faults"] == []


def test_knobs_and_a_new_beginning(tried):
    browser, client_id = tried
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.fill("Create limit", "7")
    browser.choose("Old field names", "1")
    browser.press("Set X")
    browser.see("Create limit (changed)", "2 changed")
    assert (knob(browser, client_id, "x_create_limit"), knob(browser, client_id, "x_old_field_names")) == (7, 1)
    browser.fill("Create limit (changed)", "0")
    browser.press("Set X")
    browser.see("x_create_limit")  # what the sandbox says is wrong
    assert knob(browser, client_id, "x_create_limit") == 7
    browser.press("X: back to the defaults")
    browser.wait("the defaults", lambda: knob(browser, client_id, "x_create_limit") == 100)
    assert knob(browser, client_id, "x_old_field_names") == 0
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.choose("Audited", "0")
    browser.press("Set YouTube")
    browser.wait("the knob", lambda: knob(browser, client_id, "youtube_audited") == 0)
    browser.press("Reset the sandbox")
    browser.see("stop working until they are connected again")
    browser.js("[...document.querySelectorAll('dialog[open] button')].find((one) => one.textContent.trim() === arguments[0]).click()",
               "Reset the sandbox")
    browser.wait("a new beginning", lambda: knob(browser, client_id, "youtube_audited") == 1)


def test_every_knob_is_there(tried):
    browser, client_id = tried
    names = {one["name"] for one in asked(browser, client_id, "knobs")["knobs"]}
    assert names == set(browser.js("return [...document.querySelectorAll('details [name]')].map((one) => one.name)")) and len(names) > 20


def test_an_app_that_publishes_for_real_has_none(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    browser.open(f"/dashboard/apps/{furnished.app.client_id}/sandbox")
    browser.see("Only a test app has a sandbox of its own.")
    assert "Sandbox" not in browser.js("return [...document.querySelectorAll('#side a')].map((one) => one.textContent.trim())")
