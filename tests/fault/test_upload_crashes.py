# SPDX-License-Identifier: Apache-2.0
"""The crash matrix of uploads: the service is killed at every step of an upload, of a link's use and of an expiry. Afterwards no row is
without its file, no file stays for ever, and an upload that goes on ends with the right hash."""
import hashlib
import sqlite3
import time

import pytest
import requests

from harness import HTTP_S, App, Service, poll

TUS = {"Tus-Resumable": "1.0.0"}
OFFSET = {**TUS, "Content-Type": "application/offset+octet-stream"}
# A PDF of three pieces, so that a mark is written in the middle of it.
BODY = b"%PDF-1.4\n" + bytes(range(256)) * 70_000 + b"\n%%EOF\n"
STEPS = ["upload_begun", "upload_written", "upload_synced", "upload_marked", "upload_placed", "upload_ended"]


def start(tmp_path, sandbox, crash=None, options=()):
    environment = {"POSTHORN_CRASH_POINT": crash} if crash else None
    return Service(tmp_path / "data", sandbox, list(options), environment=environment)


def files_of(service):
    return {path.name for path in (service.data / "media").rglob("*") if path.is_file()}


def rows_of(service):
    with sqlite3.connect(f"file:{service.data}/posthorn.db?mode=ro", uri=True) as database:
        media = {row[0] for row in database.execute("SELECT id FROM media")}
        uploads = {row[0] for row in database.execute("SELECT id FROM media_uploads WHERE is_done = 0")}
        coming = {row[0] for row in database.execute("SELECT media_id FROM media_uploads WHERE is_done = 0")}
    return media, uploads, coming


def assert_well(service):
    """Every row has its file, and every file a row that it is of, once what is over is swept."""
    def has_no_stray():
        media, uploads, coming = rows_of(service)
        return files_of(service) <= media | uploads | coming

    media, _, _ = rows_of(service)
    assert media <= files_of(service), "a row without its file"
    poll("every file has a row", has_no_stray)


def attempt(call):
    """A call that the service may die in."""
    try:
        return call()
    except requests.RequestException:
        return None


def upload_until_done(ask, create, size):
    """Creates and goes on until the service says that it has the file; None: the service died."""
    made = attempt(create)
    if made is None:
        return None, None
    place = made.headers["Location"]
    return go_on(ask, place), place


def go_on(ask, place):
    for _ in range(10):
        head = attempt(lambda: ask("HEAD", place, headers=TUS))
        if head is None or head.status_code != 200:
            return None
        if "Posthorn-Media-Id" in head.headers:
            return head.headers["Posthorn-Media-Id"]
        offset = int(head.headers["Upload-Offset"])
        piece = BODY[offset:offset + 7_000_000]
        if attempt(lambda: ask("PATCH", place, data=piece, headers={**OFFSET, "Upload-Offset": str(offset)})) is None:
            return None
    raise AssertionError("the upload does not come to its end")


@pytest.mark.parametrize("by_link", [False, True], ids=["by token", "by link"])
@pytest.mark.parametrize("step", STEPS)
def test_killed_in_an_upload(tmp_path, sandbox, step, by_link):
    with start(tmp_path, sandbox) as service:
        app = App(service, name="crash").issue_token()
        link = app.post("/v1/media/links", json={}).json()["data"] if by_link else None
    service = start(tmp_path, sandbox, crash=f"{step}:1")
    try:
        def ask(method, url, **more):
            headers = more.pop("headers", {})
            if not by_link:
                headers = {**headers, "Authorization": f"Bearer {app.token}"}
            return requests.request(method, url, headers=headers, timeout=HTTP_S, **more)

        def path_of(url):
            return "/v1/" + url.split("/v1/", 1)[1]

        first = service.url + (path_of(link["upload_url"]) if by_link else "/v1/media/uploads")

        def create(url):
            return lambda: ask("POST", url, headers={**TUS, "Upload-Length": str(len(BODY))})

        done, place = upload_until_done(ask, create(first), len(BODY))
        poll("the service dies", lambda: service.popen.poll() is not None)
        assert done is None, "it was not killed"
    finally:
        service.kill()
    with start(tmp_path, sandbox) as service:
        assert_well(service)
        if place is None:  # it died before the client knew where
            first = service.url + (path_of(link["upload_url"]) if by_link else "/v1/media/uploads")
            made, place = upload_until_done(ask, create(first), len(BODY))
        else:
            made = go_on(ask, service.url + path_of(place))
        answer = service.request("GET", f"/v1/media/{made}", headers={"Authorization": f"Bearer {app.token}"})
        assert answer.json()["data"]["sha256"] == hashlib.sha256(BODY).hexdigest()
        content = service.request("GET", f"/v1/media/{made}/content", headers={"Authorization": f"Bearer {app.token}"}).content
        assert hashlib.sha256(content).hexdigest() == hashlib.sha256(BODY).hexdigest()
        assert_well(service)
        if by_link:
            again = requests.post(service.url + path_of(link["upload_url"]), headers={**TUS, "Upload-Length": "5"}, timeout=HTTP_S)
            assert again.status_code == 409


@pytest.mark.parametrize("step", ["media_expired", "media_removed"])
def test_killed_in_an_expiry(tmp_path, sandbox, step):
    keep = ["--media-keep", "60", "--time-scale", "60"]  # one second
    with start(tmp_path, sandbox, options=["--media-keep", "86400"]) as service:
        app = App(service, name="crash").issue_token()
        made = app.post("/v1/media", data=BODY[:1000]).json()["data"]["id"]
    time.sleep(1.2)
    service = start(tmp_path, sandbox, crash=f"{step}:1", options=keep)
    try:
        poll("the service dies", lambda: service.popen.poll() is not None, timeout_s=30)
    finally:
        service.kill()
    with start(tmp_path, sandbox, options=keep) as service:
        poll("the file is gone", lambda: made not in files_of(service), timeout_s=30)
        media, uploads, _ = rows_of(service)
        assert made not in media and not uploads
