# SPDX-License-Identifier: Apache-2.0
"""Lists go both ways, say how many there are, keep their place on Back, and show the pictures that were uploaded here."""
import datetime

import pytest
import requests

from harness import HTTP_S, marker
from house import EMAIL, PASSWORD

PAGE = 25
POSTS = 2 * PAGE + 3
TITLES = "return [...document.querySelectorAll('a.title')].map((one) => one.textContent)"
PICTURES = ("return [...document.querySelectorAll('.thumb.slim img')]"
            ".map((one) => [new URL(one.src).pathname, one.complete && one.naturalWidth])")


@pytest.fixture
def desk(browser, furnished):
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    return browser


@pytest.fixture(scope="module")
def many(furnished):
    """Scheduled posts on a day of their own, oldest first; the query that lists them alone."""
    app, mark = furnished.app, marker("many")
    account = app.get("/v1/posts/" + furnished.posts["partial"]).json()["data"]["platform_posts"][0]["account_id"]
    day = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=200)).strftime("%Y-%m-%d")
    ids = []
    for index in range(POSTS):
        body = {"account_ids": [account], "content": f"{mark} number {index}", "request_id": f"{mark}-{index}"}
        answer = app.post("/v1/posts/publish", json={**body, "scheduled_at": f"{day}T12:00:00Z"})
        assert answer.status_code == 202, answer.text
        ids.append(answer.json()["data"]["post_id"])
    yield f"from={day}&to={day}", [f"{mark} number {index}" for index in range(POSTS)]
    for post_id in ids:
        app.request("DELETE", f"/v1/posts/{post_id}")


def test_both_ways_and_how_many(desk, many):
    query, texts = many
    newest = texts[::-1]
    desk.open(f"/dashboard/posts?{query}")
    desk.see(f"{POSTS} posts", f"Posts 1 to {PAGE} of {POSTS}")
    assert desk.js(TITLES) == newest[:PAGE]
    desk.follow("Older")
    desk.wait("the second page", lambda: desk.js(TITLES) == newest[PAGE:2 * PAGE])
    desk.see(f"Posts {PAGE + 1} to {2 * PAGE} of {POSTS}")
    desk.follow("Older")
    desk.wait("the last page", lambda: desk.js(TITLES) == newest[2 * PAGE:])
    assert "Older" not in desk.js("return [...document.querySelectorAll('a')].map((one) => one.textContent.trim())")
    desk.follow("Newer")
    desk.wait("the second page again", lambda: desk.js(TITLES) == newest[PAGE:2 * PAGE])
    desk.follow("Newer")
    desk.wait("the first page again", lambda: desk.js(TITLES) == newest[:PAGE])
    desk.check_quiet()


def test_back_leads_to_the_same_place(desk, many):
    query, texts = many
    newest = texts[::-1]
    desk.open(f"/dashboard/posts?{query}")
    desk.follow("Older")
    desk.wait("the second page", lambda: desk.js(TITLES) == newest[PAGE:2 * PAGE])
    desk.js("window.scrollTo(0, 700)")
    desk.wait("scrolled", lambda: desk.js("return window.scrollY") == 700)
    desk.js("[...document.querySelectorAll('a.title')][20].click()")
    desk.wait("the post", lambda: desk.heading() == newest[PAGE + 20] and desk.js("return window.scrollY") == 0)
    desk.driver.back()
    desk.wait("the page and the place", lambda: desk.js(TITLES) == newest[PAGE:2 * PAGE] and desk.js("return window.scrollY") == 700)


def test_pictures_that_were_uploaded_here(desk, furnished, media):
    app = furnished.app
    picture = requests.get(media.image()["url"], timeout=HTTP_S).content
    account = app.get("/v1/posts/" + furnished.posts["partial"]).json()["data"]["platform_posts"][0]["account_id"]
    uploaded = app.post("/v1/media", data=picture, headers={"Content-Type": "application/octet-stream"})
    assert uploaded.status_code == 201, uploaded.text
    media_id = uploaded.json()["data"]["id"]
    body = {"account_ids": [account], "content": marker("pictured"), "media": [{"media_id": media_id, "alt_text": "A loaf"}]}
    day = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=300)).strftime("%Y-%m-%d")
    post = app.post("/v1/posts/publish", json={**body, "scheduled_at": f"{day}T12:00:00Z", "request_id": marker("pictured")})
    draft = app.post("/v1/drafts", json=body)
    assert post.status_code == 202 and draft.status_code == 201, post.text + draft.text
    path = f"/dashboard/api/apps/{app.client_id}/v1/media/{media_id}/content"

    def is_drawn():
        return any(source == path and width for source, width in desk.js(PICTURES))

    own = f"/dashboard/apps/{app.client_id}"
    for place in (f"/dashboard/posts?from={day}&to={day}", f"{own}/drafts", f"{own}/media"):
        desk.open(place)
        desk.wait(f"the picture on {place}", is_drawn)
        assert all(source.startswith("/dashboard/") for source, _ in desk.js(PICTURES))
    desk.check_quiet()
    app.request("DELETE", f"/v1/posts/{post.json()['data']['post_id']}")
    app.request("DELETE", f"/v1/drafts/{draft.json()['data']['id']}")
