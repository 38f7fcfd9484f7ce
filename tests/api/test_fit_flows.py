# SPDX-License-Identifier: Apache-2.0
"""Pictures made fit for a platform (api-decisions.md 11), from the request to the bytes that the sandbox got: formats, limits,
shapes, what a phone tells, moving pictures, broken ones, and a decoder that is not there."""
import hashlib
import shutil
import subprocess
import time

import pytest

import fitting
from file_server import FileServer
from harness import App, Sandbox, Service, find_binary, marker, poll


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("pictures")

    def made(name, source="testsrc2=size=640x640"):
        return fitting.picture(directory / name, source).read_bytes()

    moving = directory / "moving.gif"
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x320:rate=5", "-t", "1", moving],
                   check=True)
    phone = fitting.with_exif(fitting.ffmpeg(directory / "phone.jpg", "testsrc2=size=640x640"), 1)
    files = {
        **{f"picture.{kind}": made(f"picture.{kind}") for kind in ("png", "webp", "heic", "avif", "tiff")},
        "plain.jpg": made("plain.jpg"),
        "wide.png": made("wide.png", "testsrc2=size=1600x400"),
        "noise.png": made("noise.png", "nullsrc=size=2600x1600,geq=random(1)*255:128:128"),
        "moving.gif": moving.read_bytes(), "phone.jpg": phone.read_bytes(),
    }
    files["broken.png"] = files["picture.png"][:len(files["picture.png"]) // 2]
    server = FileServer(files)
    yield server
    server.close()


@pytest.fixture(scope="module")
def world():
    with Sandbox() as process:
        yield process


@pytest.fixture(scope="module")
def shop(tmp_path_factory, world):
    with Service(tmp_path_factory.mktemp("fit") / "data", world, ["--time-scale", "300"]) as process:
        yield App(process, name="fit").set_credentials("instagram", "x", "facebook", "tiktok").issue_token()


@pytest.fixture(scope="module")
def one(shop):
    return {slug: shop.connect(slug).accounts[0]["id"] for slug in ("instagram", "x", "facebook", "tiktok")}


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def seen(world, text):
    return only(poll("it is in the ledger", lambda: world.ledger(text)))


def published(shop, account, text, *media, **more):
    post = shop.published(account, text, media=list(media), **more)
    assert post["status"] == "published", [platform_post["error"] for platform_post in post["platform_posts"]]
    return post, only(post["platform_posts"])


@pytest.mark.parametrize("kind", ["png", "webp", "heic", "avif", "tiff"])
def test_other_formats_reach_instagram_as_jpeg(shop, world, files, one, kind):
    text = marker(kind)
    post, platform_post = published(shop, one["instagram"], text, files.item(f"picture.{kind}"))
    picture = only(seen(world, text)["media"])
    assert picture["mime_type"] == "image/jpeg" and picture["sha256"] != files.sha256(f"picture.{kind}")
    warning = only(platform_post["warnings"])
    assert (warning["code"], warning["field"]) == ("media_fitted", "media.0.url")
    assert warning["from"].startswith(f"image/{kind}, 640 x 640") or kind == "tiff"
    assert warning["to"].startswith("image/jpeg, 640 x 640, ")
    # Nothing is missing of it.
    assert post["outcome"] == "all" and platform_post["outcome"] == "all"
    timeline = shop.get(f"/v1/posts/{post['id']}/timeline").json()["data"]
    assert only([row for row in timeline if row["stage"] == "fit"])["decision"].startswith("Media file 1: image/")


def test_a_declared_type_that_would_not_do_is_taken(shop, world, files, one):
    text = marker("declared")
    item = files.item("picture.png", mime_type="image/png")
    answer = shop.post("/v1/posts/validate", json={"account_ids": [one["instagram"]], "content": text, "media": [item]}).json()["data"]
    assert answer["ok"] and only(answer["warnings"])["code"] == "media_fitted"
    published(shop, one["instagram"], text, item)
    assert only(seen(world, text)["media"])["mime_type"] == "image/jpeg"


def test_only_the_platform_that_needs_it_gets_another_file(shop, world, files, one):
    text = marker("both")
    post = shop.wait_post(shop.accepted([one["instagram"], one["x"]], text, media=[files.item("picture.png")])["post_id"])
    assert post["status"] == "published"
    kinds = {entry["platform"]: only(entry["media"]) for entry in world.ledger(text)}
    assert kinds["instagram"]["mime_type"] == "image/jpeg"
    assert kinds["x"]["sha256"] == files.sha256("picture.png")


def test_off_refuses_as_the_platform_would(shop, files, one):
    item = files.item("picture.png", fit="off")
    post = shop.wait_post(shop.accepted(one["instagram"], marker("off"), media=[item])["post_id"])
    error = only(post["platform_posts"])["error"]
    assert error["code"] == "MEDIA_REJECTED" and "must be JPEG" in error["message"]
    answer = shop.post("/v1/posts/publish", json={"account_ids": [one["instagram"]], "content": "off",
                                                  "media": [dict(item, mime_type="image/png")]})
    assert answer.status_code == 422 and answer.json()["errors"]["media.0.mime_type"]


def test_bytes_are_brought_below_the_limit(shop, world, files, one):
    assert len(files.bytes["noise.png"]) > 5_242_880
    text = marker("large")
    _, platform_post = published(shop, one["x"], text, files.item("noise.png"))
    picture = only(seen(world, text)["media"])
    assert picture["mime_type"] == "image/jpeg" and picture["bytes"] <= 5_242_880
    assert only(platform_post["warnings"])["code"] == "media_fitted"


def test_shapes_change_only_when_asked(shop, world, files, one):
    post = shop.wait_post(shop.accepted(one["instagram"], marker("wide"), media=[files.item("wide.png")])["post_id"])
    error = only(post["platform_posts"])["error"]
    assert error["code"] == "MEDIA_REJECTED" and "times as wide as high" in error["message"]
    for fit, width, height in (("pad", 1600, 838), ("crop", 764, 400)):
        text = marker(fit)
        _, platform_post = published(shop, one["instagram"], text, files.item("wide.png", fit=fit))
        to = only(platform_post["warnings"])["to"]
        sides = [int(side) for side in to.split(", ")[1].split(" x ")]
        assert abs(sides[0] - width) <= 3 and abs(sides[1] - height) <= 3 and sides[0] * 1000 <= sides[1] * 1910
        assert only(seen(world, text)["media"])["mime_type"] == "image/jpeg"


def test_an_override_says_it_for_one_platform(shop, world, files, one):
    text = marker("override")
    post = shop.wait_post(shop.accepted([one["instagram"], one["x"]], text, media=[files.item("wide.png")],
                                        overrides={"instagram": {"fit": "crop"}})["post_id"])
    assert post["status"] == "published", [platform_post["error"] for platform_post in post["platform_posts"]]
    assert post["overrides"] == {"instagram": {"fit": "crop"}}
    by_platform = {platform_post["platform"]: platform_post for platform_post in post["platform_posts"]}
    assert only(by_platform["instagram"]["warnings"])["code"] == "media_fitted"
    assert by_platform["x"]["warnings"] == []
    assert by_platform["instagram"]["effective"]["containers"][0]["media"][0]["fit"] == "crop"
    assert post["containers"][0]["media"][0].get("fit") is None


def test_an_unknown_fit_is_refused(shop, files, one):
    for body in ({"media": [files.item("plain.jpg", fit="stretch")]}, {"media": [files.item("plain.jpg")], "overrides": {"x": {"fit": 1}}}):
        answer = shop.post("/v1/posts/publish", json={"account_ids": [one["x"]], "content": "fit", **body})
        assert answer.status_code == 422 and answer.json()["error"] == "VALIDATION_ERROR", answer.text


def test_what_a_phone_tells_is_removed_and_the_pixels_stay(shop, world, files, one):
    text = marker("phone")
    post, platform_post = published(shop, one["x"], text, files.item("phone.jpg"))
    picture = only(seen(world, text)["media"])
    data = files.bytes["phone.jpg"]
    length = 2 + int.from_bytes(data[4:6], "big")
    assert data[2:4] == b"\xff\xe1"
    assert picture["sha256"] == hashlib.sha256(data[:2] + data[2 + length:]).hexdigest()
    # That alone is nothing to be told of, but in the timeline.
    assert platform_post["warnings"] == []
    timeline = shop.get(f"/v1/posts/{post['id']}/timeline").json()["data"]
    assert "place and camera" in only([row for row in timeline if row["stage"] == "fit"])["decision"]
    text = marker("as it is")
    published(shop, one["x"], text, files.item("phone.jpg", fit="off"))
    assert only(seen(world, text)["media"])["sha256"] == files.sha256("phone.jpg")


def test_a_plain_picture_is_left_alone(shop, world, files, one):
    for slug in ("instagram", "facebook", "x"):
        text = marker(slug)
        post, platform_post = published(shop, one[slug], text, files.item("plain.jpg"))
        assert only(seen(world, text)["media"])["sha256"] == files.sha256("plain.jpg")
        assert platform_post["warnings"] == []
        assert not [row for row in shop.get(f"/v1/posts/{post['id']}/timeline").json()["data"] if row["stage"] == "fit"]


def test_moving_pictures_are_told_not_stilled(shop, world, files, one):
    post = shop.wait_post(shop.accepted(one["instagram"], marker("moving"), media=[files.item("moving.gif")])["post_id"])
    error = only(post["platform_posts"])["error"]
    assert (error["code"], error["platform_code"]) == ("MEDIA_REJECTED", "animated_image")
    answer = shop.post("/v1/posts/publish", json={"account_ids": [one["instagram"]], "content": "moving",
                                                  "media": [files.item("moving.gif", mime_type="image/gif")]})
    assert answer.status_code == 422 and answer.json()["details"]["reason"] == "animated_image"
    text = marker("on x")
    published(shop, one["x"], text, files.item("moving.gif"))
    assert only(seen(world, text)["media"])["sha256"] == files.sha256("moving.gif")


def test_a_broken_picture_is_refused(shop, files, one):
    post = shop.wait_post(shop.accepted(one["instagram"], marker("broken"), media=[files.item("broken.png")])["post_id"])
    error = only(post["platform_posts"])["error"]
    assert error["code"] == "MEDIA_REJECTED" and "broken" in error["message"] and not error["transient"]


def test_several_accounts_share_one_fitting(shop, world, files):
    both = [account["id"] for account in shop.connect("instagram").accounts[:2]]
    text = marker("shared")
    post = shop.wait_post(shop.accepted(both, text, media=[files.item("picture.webp")])["post_id"])
    assert post["status"] == "published"
    made = [row for row in shop.get(f"/v1/posts/{post['id']}/timeline").json()["data"] if row["stage"] == "fit"]
    assert len(made) == 1
    assert len({only(entry["media"])["sha256"] for entry in world.ledger(text)}) == 1


def test_addresses_that_say_something_else_are_warned_of(shop, files, one):
    item = {"type": "image", "url": files.url("film.mp4")}
    answer = shop.post("/v1/posts/validate", json={"account_ids": [one["x"]], "content": "film", "media": [item]}).json()["data"]
    warning = only(answer["warnings"])
    assert (warning["code"], warning["field"]) == ("media_type_suspect", "media.0.type") and ".mp4" in warning["message"]
    answer = shop.post("/v1/posts/validate", json={"account_ids": [one["instagram"]], "content": "png",
                                                   "media": [files.item("picture.png")]}).json()["data"]
    assert only(answer["warnings"])["code"] == "media_fitted"


def test_without_the_program_the_refusal_says_so(tmp_path, monkeypatch, world, files):
    """A service whose posthorn-fit is missing: pictures that would do go out, others say why."""
    binary = tmp_path / "posthorn"
    shutil.copy(find_binary(), binary)
    monkeypatch.setenv("POSTHORN_BIN", str(binary))
    with Service(tmp_path / "data", world, ["--time-scale", "300"]) as process:
        app = App(process, name="bare").set_credentials("instagram").issue_token()
        account = app.connect("instagram").accounts[0]["id"]
        post = app.wait_post(app.accepted(account, marker("bare"), media=[files.item("picture.png")])["post_id"])
        error = only(post["platform_posts"])["error"]
        assert error["code"] == "MEDIA_REJECTED" and "posthorn-fit is not installed" in error["message"]
        published(app, account, marker("phone"), files.item("phone.jpg"))


def uploaded(app, bytes_):
    answer = app.post("/v1/media", data=bytes_, headers={"Content-Type": "application/octet-stream"})
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]["id"]


@pytest.mark.parametrize("kind", ["png", "heic"])
def test_an_uploaded_picture_is_fitted_and_stays_as_it_is(shop, world, files, one, kind):
    text = marker("up")
    name = f"picture.{kind}"
    media_id = uploaded(shop, files.bytes[name])
    _, platform_post = published(shop, one["instagram"], text, {"media_id": media_id})
    assert only(platform_post["warnings"])["code"] == "media_fitted"
    assert only(seen(world, text)["media"])["mime_type"] == "image/jpeg"
    assert shop.get(f"/v1/media/{media_id}/content").content == files.bytes[name]


@pytest.mark.parametrize("after_s", [0.05, 0.3, 0.8])
def test_killed_while_fitting_it_fits_again(tmp_path, world, files, after_s):
    text = marker("killed")
    first = Service(tmp_path / "data", world, ["--time-scale", "100"])
    app = App(first, name="killed").set_credentials("instagram").issue_token()
    account = app.connect("instagram").accounts[0]["id"]
    media_id = uploaded(app, files.bytes["noise.png"])
    post_id = app.accepted(account, text, media=[{"media_id": media_id}, files.item("picture.webp")])["post_id"]
    time.sleep(after_s)
    first.kill()
    first.check_sanitizers()
    with Service(tmp_path / "data", world, ["--time-scale", "100"]) as service:
        app.service = service
        assert app.wait_post(post_id)["status"] == "published"
        entry = only(world.ledger(text))
        assert [picture["mime_type"] for picture in entry["media"]] == ["image/jpeg", "image/jpeg"]
        spool = tmp_path / "data" / "spool"
        poll("nothing is left in the spool", lambda: not [path for path in spool.rglob("*") if path.is_file()])
