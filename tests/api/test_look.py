# SPDX-License-Identifier: Apache-2.0
"""Files looked at before the day (api-decisions.md 11): validate with fetch, and posts scheduled ahead, whose problems are told once
and hinder nothing."""
import http.server
import json
import os
import subprocess
import threading
import time
import urllib.parse

import pytest

import fitting
from file_server import FileServer, video
from harness import App, Sandbox, Service, check_error, marker, poll, stores_nothing, utc


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("files")
    moving = directory / "moving.gif"
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x320:rate=5", "-t", "1", moving],
                   check=True)
    server = FileServer({
        "plain.jpg": fitting.picture(directory / "plain.jpg", "testsrc2=size=640x640").read_bytes(),
        "picture.png": fitting.picture(directory / "picture.png", "testsrc2=size=640x640").read_bytes(),
        "wide.jpg": fitting.picture(directory / "wide.jpg", "testsrc2=size=1600x400").read_bytes(),
        "short.mp4": video(directory / "short.mp4", 1),
        "page.jpg": b"<!doctype html><p>Not found, with status 200.",
        "moving.gif": moving.read_bytes(),
    })
    yield server
    server.close()


@pytest.fixture(scope="module")
def world():
    with Sandbox() as process:
        yield process


@pytest.fixture(scope="module")
def service(tmp_path_factory, world):
    with Service(tmp_path_factory.mktemp("look") / "data", world, ["--time-scale", "100"]) as process:
        yield process


@pytest.fixture(scope="module")
def shop(service):
    return App(service, name="look").set_credentials("instagram", "x", "linkedin").issue_token()


@pytest.fixture(scope="module")
def one(shop):
    return {slug: shop.connect(slug).accounts[0]["id"] for slug in ("instagram", "x", "linkedin")}


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def validate(app, *accounts, status=200, **body):
    answer = app.post("/v1/posts/validate", json={"account_ids": list(accounts), "content": marker("v"), **body})
    assert answer.status_code == status, answer.text
    return answer.json()["data"]


def codes(target):
    return [violation["code"] for violation in target["violations"]]


# ---- validate ----


def test_without_fetch_no_file_is_asked_for(shop, files, one):
    item = files.item("plain.jpg")
    for more in ({}, {"fetch": False}, {"fetch": None}):
        data = validate(shop, one["instagram"], media=[item], **more)
        assert data["ok"] and "files" not in data
    assert files.asked[urllib.parse.urlparse(item["url"]).path] == 0


def test_fetch_says_what_the_files_are(shop, files, one):
    item = files.item("plain.jpg")
    with stores_nothing(shop):
        data = validate(shop, one["instagram"], one["x"], media=[item], fetch=True)
    assert data["ok"] is True and files.asked[urllib.parse.urlparse(item["url"]).path] == 1
    found = only(data["files"])
    assert (found["field"], found["mime_type"], found["width"], found["height"]) == ("media.0.url", "image/jpeg", 640, 640)
    assert found["size_bytes"] == len(files.bytes["plain.jpg"]) and found["duration_ms"] is None


def test_fetch_finds_what_publishing_would_refuse(shop, files, one):
    data = validate(shop, one["instagram"], one["x"], media=[files.item("wide.jpg")], fetch=True)
    instagram, x = data["accounts"]
    violation = only(instagram["violations"])
    assert (violation["code"], violation["field"]) == ("media_aspect_ratio", "media.0.url")
    assert data["ok"] is False and instagram["plan"] == [] and x["ok"] is True and x["plan"]


@pytest.mark.parametrize("name, code", [("page.jpg", "media_type_not_supported"), ("moving.gif", "animated_image"),
                                        ("gone.jpg", "media_unreachable")])
def test_fetch_names_the_reason(shop, files, one, name, code):
    data = validate(shop, one["instagram"], media=[files.item(name)], fetch=True)
    assert codes(data["accounts"][0]) == [code] and data["ok"] is False
    assert data["accounts"][0]["violations"][0]["field"] == "media.0.url"


def test_numbers_of_a_violation_are_the_files(shop, files, one):
    violation = only(validate(shop, one["instagram"], media=[files.item("short.mp4")], fetch=True)["accounts"][0]["violations"])
    assert (violation["code"], violation["limit"]) == ("media_too_short", 3000)
    assert 900 <= violation["actual"] <= 1100


def test_fetch_foretells_fitting(shop, files, one):
    data = validate(shop, one["instagram"], media=[{"type": "image", "url": files.url("picture.png")}], fetch=True)
    assert data["ok"] is True and only(data["warnings"])["code"] == "media_fitted"
    data = validate(shop, one["instagram"], media=[{"type": "image", "url": files.url("picture.png"), "fit": "off"}], fetch=True)
    assert codes(data["accounts"][0]) == ["media_type_not_supported"]
    data = validate(shop, one["instagram"], media=[{**files.item("wide.jpg"), "fit": "pad"}], fetch=True)
    assert data["ok"] is True and only(data["warnings"])["code"] == "media_fitted"


def test_what_the_request_says_counts_no_more_once_the_bytes_are_known(shop, files, one):
    data = validate(shop, one["instagram"], media=[files.item("plain.jpg", mime_type="image/gif")], fetch=True)
    assert data["ok"] is True, data


def test_overrides_and_options_name_files_too(shop, files, one):
    data = validate(shop, one["instagram"], one["x"], media=[files.item("plain.jpg")], fetch=True,
                    overrides={"instagram": {"media": [files.item("gone.jpg")]}})
    assert [target["ok"] for target in data["accounts"]] == [False, True]
    assert data["accounts"][0]["violations"][0]["field"] == "overrides.instagram.media.0.url"
    data = validate(shop, one["x"], one["linkedin"], fetch=True,
                    platforms={"linkedin": {"document": {"url": files.url("gone.pdf"), "title": "Slides"}}})
    assert [codes(target) for target in data["accounts"]] == [[], ["media_unreachable"]]
    assert data["accounts"][1]["violations"][0]["field"] == "platforms.linkedin.document.url"


def test_an_uploaded_file_needs_no_fetch(shop, files, one):
    media = shop.post("/v1/media", data=files.bytes["wide.jpg"], headers={"Content-Type": "image/jpeg"}).json()["data"]
    data = validate(shop, one["instagram"], media=[{"media_id": media["id"]}], fetch=True)
    assert codes(data["accounts"][0]) == ["media_aspect_ratio"] and data["files"][0]["field"] == "media.0.media_id"


def test_private_addresses_stay_closed(shop, one):
    data = validate(shop, one["x"], media=[{"type": "image", "url": "http://localhost.invalid/a.jpg"}], fetch=True)
    assert codes(data["accounts"][0]) == ["media_unreachable"]


def test_fetch_needs_the_scope_of_media(service, shop, files, one):
    def key(scopes):
        answer = service.cli("key", "create", "--app", shop.client_id, "--name", scopes, "--scopes", scopes)
        return {"Authorization": f"Bearer {json.loads(answer.stdout)['key']}"}

    def call(headers, **more):
        return service.request("POST", "/v1/posts/validate", headers=headers,
                               json={"account_ids": [one["x"]], "content": "a", **more})

    reads, loads = key("read"), key("media")
    assert call(reads).status_code == 200 and call(loads, fetch=True).status_code == 200
    refused = call(reads, fetch=True)
    check_error(refused, 403, "INSUFFICIENT_SCOPE")
    assert refused.json()["details"]["required"] == "media"
    assert call(loads).json()["details"]["required"] == "read"


def test_fetch_is_true_or_false_and_of_validate_alone(shop, one):
    answer = shop.post("/v1/posts/validate", json={"account_ids": [one["x"]], "content": "a", "fetch": "yes"})
    check_error(answer, 422, "VALIDATION_ERROR", ["fetch"])
    check_error(shop.post("/v1/posts/publish", json={"account_ids": [one["x"]], "content": "a", "fetch": True}), 422,
                "VALIDATION_ERROR", ["fetch"])


class Silent:
    """A server that takes connections and answers nothing until it is closed."""

    def __init__(self):
        self.may_end = threading.Event()
        waits = self.may_end

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                waits.wait(60)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/slow.jpg"

    def close(self):
        self.may_end.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.skipif(not os.environ.get("POSTHORN_LONG"), reason="POSTHORN_LONG=1: waits for half a minute")
def test_a_file_that_does_not_come_is_no_violation(shop, one):
    silent = Silent()
    begun = time.monotonic()
    data = validate(shop, one["x"], media=[{"type": "image", "url": silent.url}], fetch=True)
    assert 20 < time.monotonic() - begun < 32
    assert data["ok"] is True and only(data["warnings"])["code"] == "media_not_inspected"
    silent.close()


def test_one_app_has_few_looks_at_once(shop, one):
    silent = Silent()
    answers = []

    def ask():
        answers.append(shop.post("/v1/posts/validate", json={
            "account_ids": [one["x"]], "fetch": True, "media": [{"type": "image", "url": silent.url}]}))

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    poll("one is refused", lambda: answers)
    check_error(answers[0], 429, "RATE_LIMITED")
    silent.close()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [429]


# ---- scheduled ahead ----


def scheduled(shop, accounts, ahead_s=3600, **more):
    answer = shop.publish(accounts, marker("s"), scheduled_at=utc(ahead_s), **more)
    assert answer.status_code == 202, answer.text
    return answer.json()["data"]["post_id"]


def problems(shop, post_id):
    events = [event for event in shop.get("/v1/events?after=0&limit=100").json()["data"] if event["type"] == "post.media_problem"]
    return [event for event in events if event["data"]["id"] == post_id]


def warnings_of(shop, post_id):
    return [platform_post["warnings"] for platform_post in shop.show(post_id)["platform_posts"]]


def test_a_problem_is_told_once_and_the_post_stays(shop, files, one):
    post_id = scheduled(shop, [one["instagram"], one["x"]], media=[files.item("wide.jpg"), files.item("gone.jpg")])
    events = poll("both are told", lambda: len(found := problems(shop, post_id)) >= 2 and found)
    assert sorted((event["data"]["problem"]["code"], event["data"]["problem"]["field"]) for event in events) == [
        ("media_aspect_ratio", "media.0.url"), ("media_unreachable", "media.1.url")]
    assert all(event["data"]["problem"]["message"] for event in events)
    ratio = next(event for event in events if event["data"]["problem"]["code"] == "media_aspect_ratio")
    assert ratio["data"]["platform_post"]["account_id"] == one["instagram"]
    instagram, x = warnings_of(shop, post_id)
    assert [row["code"] for row in instagram] == ["media_aspect_ratio", "media_unreachable"]
    assert [row["code"] for row in x] == ["media_unreachable"]
    post = shop.show(post_id)
    assert post["status"] == "scheduled" and post["outcome"] == "none"
    # An edit that changes nothing about it is looked at again, and tells nothing again.
    asked = sum(files.asked.values())
    assert shop.request("PATCH", f"/v1/posts/{post_id}", json={"content": "Another text"}).status_code == 200
    poll("it was looked at again", lambda: sum(files.asked.values()) >= asked + 2)
    time.sleep(0.5)
    assert len(problems(shop, post_id)) == 2
    # Mended in time.
    assert shop.request("PATCH", f"/v1/posts/{post_id}", json={"media": [files.item("plain.jpg")]}).status_code == 200
    poll("the warnings are gone", lambda: warnings_of(shop, post_id) == [[], []])
    now = shop.request("PATCH", f"/v1/posts/{post_id}", json={"scheduled_at": utc()})
    assert now.status_code == 200 and shop.wait_post(post_id)["status"] == "published"


def test_good_files_and_near_posts_are_told_nothing(shop, files, one):
    item = files.item("plain.jpg")
    post_id = scheduled(shop, [one["instagram"]], media=[item])
    poll("it was looked at", lambda: files.asked[urllib.parse.urlparse(item["url"]).path] == 1)
    near = files.item("gone.jpg")
    near_id = scheduled(shop, [one["instagram"]], ahead_s=100, media=[near])
    time.sleep(1)
    assert files.asked[urllib.parse.urlparse(near["url"]).path] == 0
    assert problems(shop, post_id) == problems(shop, near_id) == []
    for each in (post_id, near_id):
        assert shop.request("DELETE", f"/v1/posts/{each}").status_code == 204


def test_what_may_pass_is_tried_again_before_it_is_told(shop, one):
    silent = Silent()
    silent.close()  # nobody listens there
    post_id = scheduled(shop, [one["x"]], media=[{"type": "image", "url": silent.url}])
    event = only(poll("it is told", lambda: problems(shop, post_id)))
    assert event["data"]["problem"]["code"] == "media_unreachable"


def test_a_look_survives_a_restart(tmp_path, world, files):
    silent = Silent()
    first = Service(tmp_path / "data", world, ["--time-scale", "100"])
    app = App(first, name="restart").set_credentials("x").issue_token()
    post_id = scheduled(app, [app.connect("x").accounts[0]["id"]],
                        media=[{"type": "image", "url": silent.url}, files.item("gone.jpg")])
    time.sleep(0.5)
    first.kill()
    first.check_sanitizers()
    silent.close()
    with Service(tmp_path / "data", world, ["--time-scale", "100"]) as service:
        app.service = service
        events = poll("both are told", lambda: len(found := problems(app, post_id)) >= 2 and found)
        assert {event["data"]["problem"]["field"] for event in events} == {"media.0.url", "media.1.url"}
