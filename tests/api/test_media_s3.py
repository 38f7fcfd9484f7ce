# SPDX-License-Identifier: Apache-2.0
"""Uploaded files in an S3-compatible store (api-decisions.md 11, docs/operations.md): s3_server.py refuses whatever is not signed as it
has to be. What is asked of a store in a directory is in test_uploads.py."""
import hashlib
import os
import shutil
import urllib.request

import pytest

import s3_server
from file_server import picture
from harness import App, Sandbox, Service, check_error, cli, clean_environment, marker, poll
from s3_server import S3

KEYS = {"AWS_ACCESS_KEY_ID": s3_server.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": s3_server.SECRET_KEY}


@pytest.fixture
def s3():
    store = S3()
    yield store
    store.stop()


@pytest.fixture(scope="module")
def world():
    with Sandbox() as process:
        yield process


def service_on(data, s3, world=None, options=(), keys=KEYS):
    return Service(data, world, ["--media-store", s3.url(), "--time-scale", "50", *options] if world else
                   ["--media-store", s3.url(), *options], environment=keys)


@pytest.fixture
def shop(tmp_path, s3, world):
    with service_on(tmp_path / "data", s3, world) as process:
        yield App(process, name="s3").set_credentials("x").issue_token()


@pytest.fixture(scope="module")
def photo(tmp_path_factory):
    return picture(tmp_path_factory.mktemp("photo") / "a.jpg", "320x200")


def upload(app, data, **headers):
    return app.post("/v1/media", data=data, headers={"Content-Type": "image/jpeg", **headers})


def uploaded(app, data):
    answer = upload(app, data)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def content(app, media_id, **headers):
    return app.get(f"/v1/media/{media_id}/content", headers=headers)


def forget_copies(data):
    shutil.rmtree(data / "media" / "files")
    for folder in range(256):
        (data / "media" / "files" / f"{folder:02x}").mkdir(parents=True)


def tus(app, path="/v1/media/uploads", method="POST", **more):
    headers = {"Tus-Resumable": "1.0.0", **more.pop("headers", {})}
    return app.request(method, path, headers=headers, **more)


def begin_tus(app, size):
    answer = tus(app, headers={"Upload-Length": str(size)})
    assert answer.status_code == 201, answer.text
    return urllib.request.urlparse(answer.headers["Location"]).path


def patch(app, path, offset, data):
    return tus(app, path, "PATCH", data=data, headers={"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"})


# ---- the whole life ----


def test_a_file_goes_into_the_bucket_and_comes_back(shop, s3, photo, tmp_path):
    media = uploaded(shop, photo)
    assert s3.names() == [f"posthorn/files/{media['id']}"] and s3.objects[s3.names()[0]][0] == photo
    forget_copies(tmp_path / "data")
    assert content(shop, media["id"]).content == photo
    part = content(shop, media["id"], Range="bytes=100-199")
    assert part.status_code == 206 and part.content == photo[100:200]
    assert shop.request("DELETE", f"/v1/media/{media['id']}").status_code == 204
    assert s3.names() == [] and content(shop, media["id"]).status_code == 404


def test_every_request_was_signed_and_the_query_sorted(shop, s3, photo):
    media = uploaded(shop, photo)
    assert shop.request("DELETE", f"/v1/media/{media['id']}").status_code == 204
    assert s3.requests and all(code is None for _, _, code in s3.requests), s3.requests
    queries = [target.partition("?")[2] for _, target, _ in s3.requests if "?" in target]
    assert queries and all(query.split("&") == sorted(query.split("&")) for query in queries)


def test_a_post_is_published_from_it(shop, s3, world, photo, tmp_path):
    media = uploaded(shop, photo)
    forget_copies(tmp_path / "data")  # as on a node that never had it
    text = marker("s3")
    post = shop.published(shop.account("x"), text, media=[{"media_id": media["id"]}])
    assert post["status"] == "published", post
    assert [row["sha256"] for row in world.ledger(text)[0]["media"]] == [hashlib.sha256(photo).hexdigest()]


def test_files_expire_out_of_the_bucket(tmp_path, s3, world, photo):
    with service_on(tmp_path / "data", s3, world, ["--media-keep", "100"]) as process:
        uploaded(App(process, name="keep").issue_token(), photo)
        poll("it is gone from the bucket", lambda: not s3.names(), timeout_s=20)


def test_no_bytes_of_a_medium_leave_nothing(shop, s3):
    check_error(upload(shop, b"no medium at all"), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert s3.names() == []


# ---- a store that is not well ----


def test_a_store_that_is_down_loses_nothing(shop, s3, photo, tmp_path):
    media = uploaded(shop, photo)
    forget_copies(tmp_path / "data")
    s3.stop()
    refused = upload(shop, photo)
    check_error(refused, 503, "UNAVAILABLE")
    assert refused.headers["Retry-After"]
    check_error(content(shop, media["id"]), 503, "UNAVAILABLE")
    text = marker("down")
    answer = shop.publish([shop.account("x")], text, media=[{"media_id": media["id"]}])
    assert answer.status_code == 202
    post_id = answer.json()["data"]["post_id"]
    poll("it waits and says why", lambda: (error := shop.show(post_id)["platform_posts"][0]["error"]) and
         error["code"] == "MEDIA_UNREACHABLE" and error["transient"])
    assert shop.request("DELETE", f"/v1/media/{media['id']}").status_code == 409
    s3.start()
    assert shop.wait_post(post_id)["status"] == "published"
    assert content(shop, media["id"]).content == photo


def test_a_removal_is_made_up_for(shop, s3, photo):
    media = uploaded(shop, photo)
    s3.failing = True
    assert shop.request("DELETE", f"/v1/media/{media['id']}").status_code == 204
    assert s3.names() != []
    s3.failing = False
    poll("it is gone from the bucket", lambda: not s3.names(), timeout_s=20)


def test_strays_of_a_crash_are_swept_and_others_files_stay(tmp_path, s3, world, photo):
    old = s3_server.datetime.datetime.now(s3_server.datetime.timezone.utc) - s3_server.datetime.timedelta(hours=1)
    stray, young = "posthorn/files/med_01a1fcda-7451-7617-8dc3-203f49eaf280", "posthorn/files/med_01a1fcda-7451-7617-8dc3-203f49eaf281"
    s3.objects.update({stray: (photo, old), "elsewhere/files/med_1": (photo, old),
                       young: (photo, old + s3_server.datetime.timedelta(hours=1)),
                       "posthorn/parts/01a1fcda-7451-7617-8dc3-203f49eaf282/0000000000000000": (b"x", old)})
    with service_on(tmp_path / "data", s3, world):
        poll("strays are gone", lambda: s3.names() == ["elsewhere/files/med_1", young], timeout_s=20)


# ---- resumed elsewhere ----


def test_a_part_survives_the_loss_of_the_node_s_disk(tmp_path, s3, world, photo):
    data = tmp_path / "data"
    with service_on(data, s3, world) as process:
        app = App(process, name="parts").issue_token()
        path = begin_tus(app, len(photo))
        assert patch(app, path, 0, photo[:1000]).headers["Upload-Offset"] == "1000"
        assert patch(app, path, 1000, photo[1000:1500]).status_code == 204
        assert [name[-16:] for name in s3.names("/parts/")] == ["0000000000000000", "0000000000001000"]
    for part in (data / "media" / "parts").iterdir():
        part.unlink()
    with service_on(data, s3, world) as process:
        app.service = process
        assert tus(app, path, "HEAD").headers["Upload-Offset"] == "1500"
        done = patch(app, path, 1500, photo[1500:])
        assert done.status_code == 204, done.text
        media = app.get(f"/v1/media/{done.headers['Posthorn-Media-Id']}").json()["data"]
        assert media["sha256"] == hashlib.sha256(photo).hexdigest()
        poll("the pieces are gone", lambda: s3.names() == [f"posthorn/files/{media['id']}"])


# ---- the key ----


@pytest.mark.parametrize("change, says", [
    ({"AWS_SECRET_ACCESS_KEY": "another"}, "SignatureDoesNotMatch"), ({"AWS_ACCESS_KEY_ID": "AKIANOBODY"}, "InvalidAccessKeyId")])
def test_a_wrong_key_stops_the_start(tmp_path, s3, change, says):
    keys = {**KEYS, **change}
    answer = cli("serve", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0", "--media-store", s3.url(), environment=keys)
    assert answer.returncode == 1 and f"media-store: the media store answers with status 403 {says}" in answer.stderr, answer.stderr
    assert keys["AWS_SECRET_ACCESS_KEY"] not in answer.stderr


@pytest.mark.parametrize("url, says", [
    ("s3://", "write it as s3://BUCKET/FOLDER"), ("s3://media/a?endpoint=ftp://a", "the endpoint must be an address"),
    ("s3://media?region=a/b", "the region must be a name")])
def test_a_wrong_address_stops_the_start(tmp_path, url, says):
    answer = cli("serve", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0", "--media-store", url, environment=KEYS)
    assert answer.returncode == 1 and f"media-store: {says}" in answer.stderr, answer.stderr


def test_without_a_key_the_start_says_where_to_put_it(tmp_path, s3):
    answer = cli("serve", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0", "--media-store", s3.url(),
                 environment=clean_environment())
    assert answer.returncode == 1 and "AWS_ACCESS_KEY_ID" in answer.stderr


def test_the_key_may_come_from_a_file_and_is_in_no_log(tmp_path, s3, photo):
    file = tmp_path / "key"
    file.write_text(f"{s3_server.ACCESS_KEY}\n{s3_server.SECRET_KEY}\n")
    with service_on(tmp_path / "data", s3, options=["--media-store-key-file", str(file), "--log-level", "debug"], keys={}) as process:
        app = App(process, name="file").issue_token()
        media = uploaded(app, photo)
        s3.failing = True
        forget_copies(tmp_path / "data")
        check_error(content(app, media["id"]), 503, "UNAVAILABLE")
        assert s3_server.SECRET_KEY not in process.stderr() and s3_server.ACCESS_KEY not in process.stderr()
    assert os.environ.get("AWS_SECRET_ACCESS_KEY") is None


def test_a_store_that_is_away_at_the_start_is_waited_for(tmp_path, s3, photo):
    s3.stop()
    with service_on(tmp_path / "data", s3) as process:
        app = App(process, name="late").issue_token()
        check_error(upload(app, photo), 503, "UNAVAILABLE")
        s3.start()
        uploaded(app, photo)
