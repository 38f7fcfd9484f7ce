# SPDX-License-Identifier: Apache-2.0
"""Uploads (api-decisions.md 11): a file in one request, resumable uploads (tus), links, and posts that name what was uploaded."""
import base64
import concurrent.futures
import hashlib
import json
import os
import select
import socket
import time
import urllib.parse

import pytest
import requests

from harness import HTTP_S, App, Service, check_error, marker, poll, utc
from test_keys import create
from test_quotas import quota

TUS = {"Tus-Resumable": "1.0.0"}
OFFSET = {**TUS, "Content-Type": "application/offset+octet-stream"}
NOBODY = "med_019a1fcd-7451-7617-8dc3-203f49eaf280"
MEMBERS = {"id", "type", "mime_type", "size_bytes", "sha256", "width", "height", "duration_ms", "file_name", "created_at", "expires_at"}


@pytest.fixture(scope="module")
def picture(media):
    return requests.get(media.image()["url"], timeout=HTTP_S).content


@pytest.fixture(scope="module")
def video(media):
    return requests.get(media.clip()["url"], timeout=HTTP_S).content


@pytest.fixture(scope="module")
def own(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("uploads") / "data", sandbox, ["--time-scale", "100"]) as process:
        app = App(process, name="uploads").set_credentials().issue_token()
        app.data = tmp_path_factory.getbasetemp()
        app.one = app.account("x")
        yield app


def upload(app, body, **headers):
    answer = app.post("/v1/media", data=body, headers={"Content-Type": "application/octet-stream", **headers})
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def path_of(url):
    return urllib.parse.urlsplit(url).path


def files_of(app):
    root = app.service.data / "media"
    return sorted(path.name for path in root.rglob("*") if path.is_file())


def unique(body):
    """The same picture with other bytes at its end."""
    return body + os.urandom(16)


# ---- in one request ----


def test_raw(own, picture):
    made = upload(own, picture, **{"Content-Type": "image/png", "Content-Disposition": 'attachment; filename="dir/walnut.jpg"'})
    assert set(made) == MEMBERS and made["id"].startswith("med_")
    assert (made["type"], made["mime_type"], made["file_name"]) == ("image", "image/jpeg", "walnut.jpg")
    assert (made["size_bytes"], made["sha256"]) == (len(picture), hashlib.sha256(picture).hexdigest())
    assert made["width"] > 0 and made["height"] > 0 and made["duration_ms"] is None and made["expires_at"] > made["created_at"]
    assert own.get(f"/v1/media/{made['id']}").json()["data"] == made
    listed = own.get("/v1/media").json()
    assert listed["data"][0] == made and listed["meta"]["total"] >= 1


def test_video_and_document(own, video):
    made = upload(own, video)
    assert made["type"] == "video" and made["duration_ms"] > 0 and made["width"] > 0
    assert upload(own, b"%PDF-1.4\n%%EOF\n")["type"] == "document"


def test_form(own, picture):
    made = own.post("/v1/media", files={"file": ("a b.jpg", picture, "image/jpeg")}).json()["data"]
    assert (made["sha256"], made["file_name"]) == (hashlib.sha256(picture).hexdigest(), "a b.jpg")
    with_field = own.post("/v1/media", data={"note": "x"}, files={"file": ("a.jpg", picture)})
    assert with_field.status_code == 201 and with_field.json()["data"]["size_bytes"] == len(picture)


@pytest.mark.parametrize("parts", [{"other": ("a.jpg", b"x")}, [("file", ("a.jpg", b"x")), ("file", ("b.jpg", b"y"))]],
                         ids=["another name", "two"])
def test_a_form_without_the_one_part(own, parts):
    before = files_of(own)
    check_error(own.post("/v1/media", files=parts), 422, "VALIDATION_ERROR")
    assert files_of(own) == before


def test_a_form_that_does_not_end(own, picture):
    body = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n' + picture
    check_error(own.post("/v1/media", data=body, headers={"Content-Type": "multipart/form-data; boundary=b"}), 422, "VALIDATION_ERROR")


@pytest.mark.parametrize("body", [b"hello", b"<html></html>", os.urandom(100000), b""], ids=["text", "html", "noise", "empty"])
def test_what_is_no_medium_is_refused_and_not_kept(own, body):
    before = files_of(own)
    check_error(own.post("/v1/media", data=body, headers={"Content-Type": "image/jpeg"}), 415, "UNSUPPORTED_MEDIA_TYPE")
    poll("nothing is kept", lambda: files_of(own) == before)


def test_too_large_is_refused_before_it_is_read(own):
    with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(own.service.url).port), timeout=HTTP_S) as connection:
        connection.sendall((f"POST /v1/media HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {own.token}\r\n"
                            f"Content-Length: {5 << 30}\r\n\r\n").encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_without_a_length(own):
    """A chunked body in which many pieces lie in one reading of the socket."""
    body = b"%PDF-1.4\n" + os.urandom(6 << 20)
    made = own.post("/v1/media", data=iter([body[at:at + (1 << 20)] for at in range(0, len(body), 1 << 20)]))
    assert made.status_code == 201 and made.json()["data"]["sha256"] == hashlib.sha256(body).hexdigest()


def test_a_broken_upload_leaves_nothing(own, picture):
    before = files_of(own)
    with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(own.service.url).port), timeout=HTTP_S) as connection:
        connection.sendall((f"POST /v1/media HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {own.token}\r\n"
                            "Content-Length: 1000000\r\n\r\n").encode() + picture[:100])
        poll("the part is there", lambda: files_of(own) != before)
    poll("the part is gone", lambda: files_of(own) == before)


def test_equal_bytes_are_stored_once(own, picture):
    body = unique(picture)
    one, two = upload(own, body), upload(own, body)
    assert one["id"] != two["id"] and one["sha256"] == two["sha256"]
    paths = [path for path in (own.service.data / "media/files").rglob("med_*") if path.name in (one["id"], two["id"])]
    assert len({path.stat().st_ino for path in paths}) == 1 and len(paths) == 2
    assert own.request("DELETE", f"/v1/media/{one['id']}").status_code == 204
    assert own.get(f"/v1/media/{two['id']}/content").content == body


# ---- reading and deleting ----


def test_content_and_ranges(own, picture):
    made = upload(own, picture)
    whole = own.get(f"/v1/media/{made['id']}/content")
    assert whole.content == picture and whole.headers["Content-Type"] == "image/jpeg"
    assert whole.headers["X-Content-Type-Options"] == "nosniff" and "sandbox" in whole.headers["Content-Security-Policy"]
    part = own.get(f"/v1/media/{made['id']}/content", headers={"Range": "bytes=10-19"})
    assert part.status_code == 206 and part.content == picture[10:20]
    assert part.headers["Content-Range"] == f"bytes 10-19/{len(picture)}"


def test_delete(own, picture):
    made = upload(own, unique(picture))
    assert own.request("DELETE", f"/v1/media/{made['id']}").status_code == 204
    check_error(own.get(f"/v1/media/{made['id']}"), 404, "NOT_FOUND")
    assert made["id"] not in files_of(own)


def test_what_is_needed_is_not_deleted(own, picture):
    made = upload(own, unique(picture))
    post = own.accepted([own.one], marker("later"), media=[{"media_id": made["id"]}], scheduled_at=utc(86400))
    check_error(own.request("DELETE", f"/v1/media/{made['id']}"), 409, "MEDIA_IN_USE")
    assert own.get(f"/v1/media/{made['id']}").json()["data"]["expires_at"] is None
    assert own.request("DELETE", f"/v1/posts/{post['post_id']}").status_code == 204
    assert own.request("DELETE", f"/v1/media/{made['id']}").status_code == 204


def test_a_draft_needs_its_files(own, picture):
    made = upload(own, unique(picture))
    draft = own.post("/v1/drafts", json={"content": "a", "media": [{"media_id": made["id"]}]}).json()["data"]
    assert draft["media"] == [{"media_id": made["id"]}]
    check_error(own.request("DELETE", f"/v1/media/{made['id']}"), 409, "MEDIA_IN_USE")
    assert own.request("PATCH", f"/v1/drafts/{draft['id']}", json={"media": None}).status_code == 200
    assert own.request("DELETE", f"/v1/media/{made['id']}").status_code == 204


# ---- in posts ----


def test_published_from_our_bytes(own, picture, sandbox):
    made, text = upload(own, unique(picture)), marker("uploaded")
    post = own.published([own.one], text, media=[{"media_id": made["id"], "alt_text": "Walnuts"}])
    assert [one["sha256"] for one in sandbox.ledger(text)[0]["media"]] == [made["sha256"]]
    element = post["containers"][0]["media"][0] if "containers" in post else own.show(post["id"])["containers"][0]["media"][0]
    assert element == {"url": None, "media_id": made["id"], "type": "image", "alt_text": "Walnuts", "thumbnail_url": None,
                       "duration": None, "mime_type": None}


@pytest.mark.parametrize("slug", ["instagram", "facebook", "linkedin", "tiktok", "youtube"])
def test_every_platform_takes_it(own, picture, video, sandbox, slug):
    body = video if slug == "youtube" else picture
    made, text = upload(own, unique(body) if slug != "youtube" else body), marker("uploaded")
    own.published([own.account(slug)], text, media=[{"media_id": made["id"]}])
    assert made["sha256"] in [one["sha256"] for post in sandbox.ledger(text) for one in post["media"]]


def test_a_thumbnail_may_be_uploaded(own, picture, video, sandbox):
    cover, film, text = upload(own, unique(picture)), upload(own, video), marker("cover")
    own.published([own.account("instagram")], text, media=[{"media_id": film["id"], "thumbnail_url": cover["id"]}])
    check_error(own.publish([own.one], "a", media=[{"media_id": film["id"], "thumbnail_url": NOBODY}]), 422, "INVALID_MEDIA")


def test_overrides_may_name_files(own, picture, sandbox):
    one, two, text = upload(own, unique(picture)), upload(own, unique(picture)), marker("override")
    own.published([own.one], text, media=[{"media_id": one["id"]}], overrides={"x": {"media": [{"media_id": two["id"]}]}})
    assert [file["sha256"] for file in sandbox.ledger(text)[0]["media"]] == [two["sha256"]]


@pytest.mark.parametrize("media, code, field", [
    ({"media_id": NOBODY}, "INVALID_MEDIA", "media.0.media_id"),
    ({"media_id": "walnut"}, "INVALID_MEDIA", "media.0.media_id"),
    ({"media_id": NOBODY, "url": "https://cdn.example/a.jpg"}, "VALIDATION_ERROR", "media.0.media_id"),
    ({"type": "image"}, "VALIDATION_ERROR", "media.0.url"),
    ({"media_id": 7}, "VALIDATION_ERROR", "media.0.media_id")])
def test_what_is_refused(own, media, code, field):
    answer = own.publish([own.one], marker("refused"), media=[media])
    check_error(answer, 422, code)
    assert list(answer.json()["errors"]) == [field]
    if code == "INVALID_MEDIA":
        assert answer.json()["details"]["reason"] == "unknown_media"


def test_a_type_that_the_file_is_not(own, picture):
    made = upload(own, picture)
    check_error(own.publish([own.one], "a", media=[{"media_id": made["id"], "type": "video"}]), 422, "INVALID_MEDIA")
    document = upload(own, b"%PDF-1.4\n%%EOF\n")
    check_error(own.publish([own.one], "a", media=[{"media_id": document["id"]}]), 422, "INVALID_MEDIA")


def test_another_apps_file(own, picture):
    other = App(own.service, name="other", owner="other@example.com").set_credentials("x").issue_token()
    made = upload(other, picture)
    answer = own.publish([own.one], marker("foreign"), media=[{"media_id": made["id"]}])
    check_error(answer, 422, "INVALID_MEDIA")
    assert answer.json()["details"]["reason"] == "unknown_media"
    check_error(own.get(f"/v1/media/{made['id']}"), 404, "NOT_FOUND")


def test_a_retry_after_the_file_has_gone(own, picture, sandbox):
    made = upload(own, unique(picture))
    sandbox.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden"}, times=1)
    post = own.accepted([own.one], marker("lost"), media=[{"media_id": made["id"]}])
    assert own.wait_post(post["post_id"])["status"] == "failed"
    assert own.request("DELETE", f"/v1/media/{made['id']}").status_code == 204
    answer = own.post(f"/v1/posts/{post['post_id']}/retry", json={})
    check_error(answer, 422, "MEDIA_UNREACHABLE")
    assert answer.json()["details"]["reason"] == "media_expired"
    assert own.show(post["post_id"])["status"] == "failed"


# ---- tus ----


def begin(app, size, body=None, **headers):
    kind = OFFSET if body is not None else TUS
    return app.post("/v1/media/uploads", data=body, headers={**kind, "Upload-Length": str(size), **headers})


def head(app, path):
    return app.request("HEAD", path, headers=TUS)


def patch(app, path, offset, body):
    return app.request("PATCH", path, data=body, headers={**OFFSET, "Upload-Offset": str(offset)})


def test_tus_options(own):
    answer = own.service.request("OPTIONS", "/v1/media/uploads")
    assert answer.status_code == 204
    assert answer.headers["Tus-Version"] == answer.headers["Tus-Resumable"] == "1.0.0"
    assert set(answer.headers["Tus-Extension"].split(",")) == {"creation", "creation-with-upload", "termination", "expiration"}
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_tus_in_pieces(own, picture):
    name = base64.b64encode(b"walnut.jpg").decode()
    made = begin(own, len(picture), **{"Upload-Metadata": f"filename {name},filetype {base64.b64encode(b'image/jpeg').decode()}"})
    assert made.status_code == 201 and made.headers["Tus-Resumable"] == "1.0.0" and made.headers["Upload-Expires"].endswith("GMT")
    path = path_of(made.headers["Location"])
    assert path.startswith("/v1/media/uploads/")
    half = len(picture) // 2
    first = patch(own, path, 0, picture[:half])
    assert (first.status_code, first.headers["Upload-Offset"]) == (204, str(half)) and "Posthorn-Media-Id" not in first.headers
    seen = head(own, path)
    assert (seen.status_code, seen.headers["Upload-Offset"], seen.headers["Upload-Length"]) == (200, str(half), str(len(picture)))
    assert seen.headers["Cache-Control"] == "no-store" and "filename" in seen.headers["Upload-Metadata"]
    check_error(patch(own, path, 0, picture[:half]), 409, "UPLOAD_CONFLICT")
    last = patch(own, path, half, picture[half:])
    file = own.get(f"/v1/media/{last.headers['Posthorn-Media-Id']}").json()["data"]
    assert (file["sha256"], file["file_name"]) == (hashlib.sha256(picture).hexdigest(), "walnut.jpg")
    assert head(own, path).headers["Posthorn-Media-Id"] == file["id"]


def test_tus_creation_with_upload(own, picture):
    made = begin(own, len(picture), picture)
    assert made.status_code == 201 and made.headers["Upload-Offset"] == str(len(picture))
    assert own.get(f"/v1/media/{made.headers['Posthorn-Media-Id']}").status_code == 200


def test_tus_goes_on_after_a_lost_connection(own, picture):
    body = picture + b"\0" * 3_000_000
    path = path_of(begin(own, len(body)).headers["Location"])
    with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(own.service.url).port), timeout=HTTP_S) as connection:
        connection.sendall((f"PATCH {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {own.token}\r\nTus-Resumable: 1.0.0\r\n"
                            f"Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\nContent-Length: {len(body)}\r\n\r\n"
                            ).encode() + body[:1_000_000])
        # The old connection looks alive; whoever asks shuts it out.
        parts = own.service.data / "media/parts"
        poll("something is there", lambda: any(part.stat().st_size for part in parts.rglob(path.rsplit("/", 1)[1])))
    poll("all that came is there", lambda: int(head(own, path).headers["Upload-Offset"]) > 0)
    offset = int(head(own, path).headers["Upload-Offset"])
    last = patch(own, path, offset, body[offset:])
    assert last.status_code == 204, last.text
    assert own.get(f"/v1/media/{last.headers['Posthorn-Media-Id']}").json()["data"]["sha256"] == hashlib.sha256(body).hexdigest()


def test_tus_takes_bytes_only_at_their_offset(own):
    """Requests of one offset that come at once: those of a client that lost its connection and asks again, and the lost one."""
    pieces = [bytes([n]) * 1000 for n in range(1, 9)]
    for _ in range(20):
        path = path_of(begin(own, 100_000).headers["Location"])
        with concurrent.futures.ThreadPoolExecutor(len(pieces)) as pool:
            answers = list(pool.map(lambda piece: patch(own, path, 0, piece), pieces))  # noqa: B023 - all end in this round
        assert {answer.status_code for answer in answers} <= {204, 409}
        assert head(own, path).headers["Upload-Offset"] == "1000"
        told = {answer.headers["Upload-Offset"] for answer in answers if "Upload-Offset" in answer.headers}
        assert told <= {"0", "1000"}


def test_another_app_does_not_disturb_an_upload(own, picture):
    """It knows the id, and asks; who writes goes on."""
    other = App(own.service, name="nosy", owner="nosy@example.com").issue_token()
    body = picture + b"\0" * 500_000
    path = path_of(begin(own, len(body)).headers["Location"])
    with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(own.service.url).port), timeout=HTTP_S) as connection:
        connection.sendall((f"PATCH {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {own.token}\r\nTus-Resumable: 1.0.0\r\n"
                            f"Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\nContent-Length: {len(body)}\r\n\r\n"
                            ).encode() + body[:300_000])
        poll("something is there", lambda: any((own.service.data / "media/parts").rglob(path.rsplit("/", 1)[1])))
        for method in ("HEAD", "PATCH", "DELETE"):
            answer = other.request(method, path, data=b"x" if method == "PATCH" else None, headers={**OFFSET, "Upload-Offset": "0"})
            assert answer.status_code == 404, answer.text
        connection.sendall(body[300_000:])
        assert connection.recv(4096).startswith(b"HTTP/1.1 204 ")


def test_tus_termination(own, picture):
    path = path_of(begin(own, len(picture)).headers["Location"])
    patch(own, path, 0, picture[:100])
    assert own.request("DELETE", path, headers=TUS).status_code == 204
    assert head(own, path).status_code == 404
    assert path.rsplit("/", 1)[1] not in files_of(own)


@pytest.mark.parametrize("headers, status", [
    ({"Tus-Resumable": "0.2.2", "Upload-Length": "5"}, 412), ({"Upload-Length": "5"}, 412), (TUS, 422),
    ({**TUS, "Upload-Length": "-5"}, 422), ({**TUS, "Upload-Length": "many"}, 422), ({**TUS, "Upload-Length": str(5 << 30)}, 413),
    ({**TUS, "Upload-Length": "5", "Upload-Metadata": "filename !!!"}, 422)])
def test_tus_refuses(own, headers, status):
    answer = own.post("/v1/media/uploads", headers=headers)
    assert answer.status_code == status, answer.text
    if status == 412:
        assert answer.headers["Tus-Version"] == "1.0.0"


def test_tus_wrong_type_and_too_much(own, picture):
    path = path_of(begin(own, 100).headers["Location"])
    wrong = own.request("PATCH", path, data=b"x", headers={**TUS, "Upload-Offset": "0", "Content-Type": "image/jpeg"})
    check_error(wrong, 415, "UNSUPPORTED_MEDIA_TYPE")
    check_error(patch(own, path, 0, picture), 413, "PAYLOAD_TOO_LARGE")
    assert "announced: 100" in patch(own, path, 0, picture).json()["message"]


def test_tus_what_is_no_medium(own):
    made = begin(own, 5, b"hello")
    check_error(made, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_not_uploaded_yet(own, picture):
    link = own.post("/v1/media/links", json={}).json()["data"]
    answer = own.publish([own.one], marker("early"), media=[{"media_id": link["media_id"]}])
    check_error(answer, 422, "INVALID_MEDIA")
    assert answer.json()["details"]["reason"] == "not_uploaded"


# ---- links ----


def link_of(app, **body):
    answer = app.post("/v1/media/links", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def by_link(method, url, **more):
    return requests.request(method, url, timeout=HTTP_S, **more)


def test_put_by_link(own, picture):
    link = link_of(own)
    made = by_link("PUT", link["upload_url"], data=picture, headers={"Content-Type": "image/jpeg", "Origin": "https://shop.example"})
    assert made.status_code == 201, made.text
    assert made.json()["data"]["media_id"] == made.headers["Posthorn-Media-Id"] == link["media_id"]
    assert made.headers["Access-Control-Allow-Origin"] == "*" and "Location" in made.headers["Access-Control-Expose-Headers"]
    assert own.get(f"/v1/media/{link['media_id']}").json()["data"]["sha256"] == hashlib.sha256(picture).hexdigest()
    again = by_link("PUT", link["upload_url"], data=picture)
    check_error(again, 409, "LINK_USED")
    assert again.headers["Access-Control-Allow-Origin"] == "*"


def test_tus_by_link(own, picture):
    link = link_of(own)
    made = by_link("POST", link["upload_url"], headers={**TUS, "Upload-Length": str(len(picture))})
    assert made.status_code == 201 and made.headers["Location"].startswith(link["upload_url"] + "/")
    place = made.headers["Location"]
    assert by_link("PATCH", place, data=picture[:100], headers={**OFFSET, "Upload-Offset": "0"}).status_code == 204
    seen = by_link("HEAD", place, headers=TUS)
    assert seen.headers["Upload-Offset"] == "100" and seen.headers["Access-Control-Allow-Origin"] == "*"
    last = by_link("PATCH", place, data=picture[100:], headers={**OFFSET, "Upload-Offset": "100"})
    assert last.headers["Posthorn-Media-Id"] == link["media_id"]
    check_error(by_link("POST", link["upload_url"], headers={**TUS, "Upload-Length": "5"}), 409, "LINK_USED")
    assert by_link("HEAD", place, headers=TUS).headers["Posthorn-Media-Id"] == link["media_id"]


def test_a_broken_upload_leaves_the_link_usable(own, picture):
    link = link_of(own)
    by_link("POST", link["upload_url"], data=picture[:50], headers={**OFFSET, "Upload-Length": str(len(picture))})
    check_error(by_link("PUT", link["upload_url"], data=b"no picture"), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert by_link("PUT", link["upload_url"], data=picture).status_code == 201


def test_preflight(own):
    link = link_of(own)
    answer = by_link("OPTIONS", link["upload_url"], headers={"Origin": "https://shop.example", "Access-Control-Request-Method": "PATCH"})
    assert answer.status_code == 204 and answer.headers["Access-Control-Allow-Origin"] == "*"
    for method in ("POST", "PUT", "HEAD", "PATCH", "DELETE"):
        assert method in answer.headers["Access-Control-Allow-Methods"]
    for name in ("Tus-Resumable", "Upload-Length", "Upload-Metadata", "Upload-Offset", "Content-Type"):
        assert name in answer.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Origin" not in own.post("/v1/media/links", json={}).headers


def test_links_end_and_keep_to_their_size(own, picture):
    small = link_of(own, max_bytes=100)
    check_error(by_link("PUT", small["upload_url"], data=picture), 413, "PAYLOAD_TOO_LARGE")
    chunked = by_link("PUT", small["upload_url"], data=iter([picture[:60], picture[60:200]]))
    check_error(chunked, 413, "PAYLOAD_TOO_LARGE")
    assert "at most 100 bytes" in chunked.json()["message"]
    check_error(by_link("POST", small["upload_url"], headers={**TUS, "Upload-Length": "101"}), 413, "PAYLOAD_TOO_LARGE")
    short = link_of(own, expires_in=1)
    time.sleep(1.2)
    check_error(by_link("PUT", short["upload_url"], data=picture), 404, "NOT_FOUND")
    check_error(by_link("PUT", small["upload_url"][:-1] + "_", data=picture), 404, "NOT_FOUND")
    for wrong in ({"expires_in": 0}, {"expires_in": 604801}, {"max_bytes": 0}, {"max_bytes": "1"}, {"size": 1}):
        check_error(own.post("/v1/media/links", json=wrong), 422, "VALIDATION_ERROR")


def test_a_link_reads_nothing_and_leads_to_its_own_upload_alone(own, picture):
    one, two = link_of(own), link_of(own)
    place = by_link("POST", one["upload_url"], headers={**TUS, "Upload-Length": "500"}).headers["Location"]
    upload_id = place.rsplit("/", 1)[1]
    assert by_link("HEAD", f"{two['upload_url']}/{upload_id}", headers=TUS).status_code == 404
    assert own.request("HEAD", f"/v1/media/uploads/{upload_id}", headers=TUS).status_code == 404
    assert by_link("GET", one["upload_url"]).status_code == 405


def test_scopes(own, picture):
    reader = create(own, "read")["key"]
    headers = {"Authorization": f"Bearer {reader}"}
    for method, path in (("POST", "/v1/media"), ("POST", "/v1/media/links"), ("POST", "/v1/media/uploads")):
        answer = own.service.request(method, path, headers={**headers, "Content-Type": "application/json"}, data=b"{}")
        check_error(answer, 403, "INSUFFICIENT_SCOPE")
        assert answer.json()["details"]["required"] == "media"


# ---- limits ----


def test_quotas(own, picture):
    app = App(own.service, name="small", owner="small@example.com").issue_token()
    first = upload(app, unique(picture))
    quota(app, "--media-bytes", str(first["size_bytes"] + 100))
    answer = app.post("/v1/media", data=picture)
    check_error(answer, 429, "QUOTA_EXCEEDED")
    assert answer.json()["details"] == {"quota": "media_bytes", "limit": first["size_bytes"] + 100, "used": first["size_bytes"]}
    check_error(begin(app, 101), 429, "QUOTA_EXCEEDED")
    quota(app, "--media-files", "1", "--media-bytes", "0")
    answer = app.post("/v1/media", data=picture)
    check_error(answer, 429, "QUOTA_EXCEEDED")
    assert answer.json()["details"] == {"quota": "media_files", "limit": 1, "used": 1}
    assert app.request("DELETE", f"/v1/media/{first['id']}").status_code == 204
    upload(app, picture)


def send_without_end(app):
    """A body of chunks, until something is answered: how many bytes went out, and the answer's beginning."""
    chunk, sent = b"100000\r\n" + b"\0" * (1 << 20) + b"\r\n", 0
    with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(app.service.url).port), timeout=HTTP_S) as connection:
        connection.sendall((f"POST /v1/media HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {app.token}\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n").encode())
        try:
            connection.settimeout(5)  # it reads no more when it has answered
            while sent < 300 << 20 and not select.select([connection], [], [], 0)[0]:
                connection.sendall(chunk)
                sent += 1 << 20
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            pass
        connection.settimeout(HTTP_S)
        try:
            return sent, connection.recv(65536)
        except ConnectionResetError:
            return sent, b""


def test_quotas_hold_without_a_length(own, picture):
    """What nobody announced counts as it comes: nobody fills the disk on the way to a quota."""
    app = App(own.service, name="endless", owner="endless@example.com").issue_token()
    quota(app, "--media-bytes", str(20 << 20))
    sent, answer = send_without_end(app)
    assert sent <= 60 << 20 and (b"QUOTA_EXCEEDED" in answer or not answer), (sent, answer)
    upload(app, unique(picture))  # what did not become a file counts no more
    small = iter([unique(picture)])
    assert app.post("/v1/media", data=small).status_code == 201
    used = sum(item["size_bytes"] for item in app.get("/v1/media").json()["data"])
    quota(app, "--media-bytes", str(used))
    answer = app.post("/v1/media", data=iter([picture]))
    check_error(answer, 429, "QUOTA_EXCEEDED")
    assert answer.json()["details"] == {"quota": "media_bytes", "limit": used, "used": used}


def test_expiry(tmp_path, sandbox, picture):
    with Service(tmp_path / "data", sandbox, ["--time-scale", "100", "--media-keep", "300"]) as process:  # three seconds
        app = App(process, name="brief").set_credentials("x").issue_token()
        account = app.account("x")
        gone, kept = upload(app, unique(picture)), upload(app, unique(picture))
        app.accepted([account], marker("later"), media=[{"media_id": kept["id"]}], scheduled_at=utc(86400))
        poll("it has gone", lambda: app.get(f"/v1/media/{gone['id']}").status_code == 404, timeout_s=20)
        poll("so has its file", lambda: gone["id"] not in files_of(app))
        assert app.get(f"/v1/media/{kept['id']}").status_code == 200 and kept["id"] in files_of(app)
        answer = app.publish([account], "a", media=[{"media_id": gone["id"]}])
        assert answer.status_code == 422 and answer.json()["details"]["reason"] == "unknown_media"


def test_a_link_is_not_in_the_log_nor_in_the_database(tmp_path, sandbox, picture):
    with Service(tmp_path / "data", sandbox, ["--log-level", "debug"]) as process:
        app = App(process, name="secret").issue_token()
        link = link_of(app)
        assert by_link("PUT", link["upload_url"], data=picture).status_code == 201
        token = link["upload_url"].rsplit("/", 1)[1]
        poll("the request is in the log", lambda: "route=/v1/media/links/{token}" in process.stderr())
        assert token not in process.stderr()
        stored = b"".join(path.read_bytes() for path in (tmp_path / "data").glob("posthorn.db*"))
        assert token.encode() not in stored and json.dumps(token).encode() not in stored
