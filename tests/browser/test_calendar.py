# SPDX-License-Identifier: Apache-2.0
"""A scheduled post is dragged to another day of the calendar."""
import datetime

import pytest

from harness import marker
from house import EMAIL, PASSWORD

DRAG = """
const [text, date] = arguments;
const data = new DataTransfer();
const post = [...document.querySelectorAll('.month a')].find((one) => one.textContent.includes(text));
const day = document.querySelector(`.month time[datetime="${date}"]`).closest('td');
const fire = (where, kind) => where.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
fire(post, 'dragstart');
const isTaken = !fire(day, 'dragover');
fire(day, 'drop');
return isTaken;
"""


@pytest.fixture
def planned(browser, furnished):
    """A post on the 10th of the next month but one, with the calendar of that month open."""
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    app = furnished.app
    account = app.get("/v1/posts/" + furnished.posts["partial"]).json()["data"]["platform_posts"][0]["account_id"]
    now = datetime.datetime.now(datetime.timezone.utc)
    month = (now.replace(day=1) + datetime.timedelta(days=62)).strftime("%Y-%m")
    made = app.post("/v1/posts/publish", json={"account_ids": [account], "content": "Rolls", "scheduled_at": f"{month}-10T09:30:00Z",
                                               "request_id": marker("dragged")})
    assert made.status_code == 202, made.text
    path = f"/v1/posts/{made.json()['data']['post_id']}"
    yield browser, app, path, month
    app.request("DELETE", path)


def test_dragged_to_another_day(planned):
    browser, app, path, month = planned

    def when():
        return app.get(path).json()["data"]["scheduled_at"]

    browser.open(f"/dashboard/calendar?month={month}")
    browser.see("Rolls")
    assert browser.js(DRAG, "Rolls", f"{month}-20")
    browser.see("Moved to")
    assert when() == f"{month}-20T09:30:00Z"
    day = f"return document.querySelector(`.month time[datetime='{month}-20']`).closest('td').textContent"
    browser.wait("it stands there", lambda: "Rolls" in browser.js(day))
    # What somebody moved meanwhile stays where they put it.
    assert app.request("PATCH", path, json={"scheduled_at": f"{month}-21T09:30:00Z"}).status_code == 200
    assert browser.js(DRAG, "Rolls", f"{month}-25")
    browser.see("Somebody changed this post")
    assert when() == f"{month}-21T09:30:00Z"
    browser.check_quiet()


def test_what_is_out_stays(planned):
    browser, _, _, _ = planned
    browser.open("/dashboard/calendar")
    browser.see("Published")
    assert browser.js("return document.querySelectorAll('.month a.ok').length") > 0
    assert browser.js("return document.querySelectorAll('.month a.ok[draggable]').length") == 0
