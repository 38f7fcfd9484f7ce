# SPDX-License-Identifier: Apache-2.0
"""Videos made fit for a platform (api-decisions.md 11), where the operator switched that on: from the request to the bytes that the
sandbox got. Copied, coded anew, left alone, refused; hostile files, limits, a service that dies in the middle."""
import json
import os
import subprocess
import time

import pytest
import requests

from file_server import FileServer
from harness import App, Sandbox, Service, cli, find_binary, make_media, marker, poll

FAST = ["--time-scale", "300"]
SMALL = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-t", "3.2"]
H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"]
VP8 = ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "16", "-c:a", "libopus"]


def made(directory):
    def film(name, *arguments):
        return make_media(directory / name, list(arguments))

    films = {
        "phone.mov": film("phone.mov", *SMALL, *H264, "-metadata", "location=+52.5200+013.4050/"),
        "last.mp4": film("last.mp4", *SMALL, *H264),
        "first.mp4": film("first.mp4", *SMALL, *H264, "-movflags", "+faststart"),
        "pcm.mov": film("pcm.mov", *SMALL, *H264[:-2], "-c:a", "pcm_s16le"),
        "browser.webm": film("browser.webm", *SMALL, *VP8),
        "hevc.mp4": film("hevc.mp4", *SMALL, "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-c:a", "aac",
                         "-movflags", "+faststart"),
        "odd.mkv": film("odd.mkv", "-f", "lavfi", "-i", "testsrc2=size=400x400:rate=75", "-t", "3.2", "-vf",
                        "format=yuv444p,crop=361:363", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv444p"),
        "long.mp4": film("long.mp4", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-t", "8", "-c:v", "mpeg4", "-q:v", "10"),
        "picture.png": film("picture.png", "-f", "lavfi", "-i", "testsrc2=size=640x640", "-frames:v", "1"),
    }
    films["cut.webm"] = films["browser.webm"][:len(films["browser.webm"]) // 2]
    return films


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    server = FileServer(made(tmp_path_factory.mktemp("films")))
    yield server
    server.close()


@pytest.fixture(scope="module")
def world():
    with Sandbox() as process:
        yield process


def opened(tmp_path_factory, world, mode):
    return Service(tmp_path_factory.mktemp(mode) / "data", world, [*FAST, "--fit-video", mode])


SLUGS = ("instagram", "x", "linkedin", "tiktok")


def app_of(process, name):
    return App(process, name=name).set_credentials(*SLUGS).issue_token()


@pytest.fixture(scope="module")
def transcoding(tmp_path_factory, world):
    with opened(tmp_path_factory, world, "transcode") as process:
        yield app_of(process, "transcode")


@pytest.fixture(scope="module")
def remuxing(tmp_path_factory, world):
    with opened(tmp_path_factory, world, "remux") as process:
        yield app_of(process, "remux")


def accounts_of(app):
    return {slug: app.connect(slug).accounts[0]["id"] for slug in SLUGS}


@pytest.fixture(scope="module")
def one(transcoding):
    return accounts_of(transcoding)


@pytest.fixture(scope="module")
def copied(remuxing):
    return accounts_of(remuxing)


def only(entries):
    assert len(entries) == 1, entries
    return entries[0]


def film(files, name, **more):
    return files.item(name, **{"type": "video", **more})


def published(app, account, text, *media):
    post = app.wait_post(app.accepted(account, text, media=list(media))["post_id"])
    platform_post = only(post["platform_posts"])
    assert post["status"] == "published", platform_post["error"]
    return post, platform_post


def refused(app, account, item):
    post = app.wait_post(app.accepted(account, marker("refused"), media=[item])["post_id"])
    error = only(post["platform_posts"])["error"]
    assert error["code"] == "MEDIA_REJECTED" and not error["transient"], error
    return error


def arrived(world, text, path):
    """What the platform got: the ledger's entry of the file, its streams and its boxes."""
    entry = only(only(poll("it is in the ledger", lambda: world.ledger(text)))["media"])
    path.write_bytes(requests.get(f"{world.url}/_sandbox/media/{entry['sha256']}", timeout=30).content)
    shown = subprocess.run(["ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_format", path], capture_output=True,
                           check=True).stdout
    shown = json.loads(shown)
    streams = {stream["codec_type"]: stream for stream in shown["streams"]}
    return entry, streams, shown["format"]


def is_index_first(path):
    data = path.read_bytes()
    return data.index(b"moov") < data.index(b"mdat")


def packets(path):
    """A hash of the coded pictures as they are."""
    return subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "hash", "-"], capture_output=True,
                          check=True).stdout


def test_a_mov_is_copied_into_an_mp4(tmp_path, remuxing, world, files, copied):
    text = marker("mov")
    post, platform_post = published(remuxing, copied["instagram"], text, film(files, "phone.mov"))
    entry, streams, shown = arrived(world, text, tmp_path / "got.mp4")
    assert entry["mime_type"] == "video/mp4" and is_index_first(tmp_path / "got.mp4")
    (tmp_path / "phone.mov").write_bytes(files.bytes["phone.mov"])
    assert packets(tmp_path / "got.mp4") == packets(tmp_path / "phone.mov")
    # Nothing of the place where it was taken.
    assert "location" in str(subprocess.run(["ffprobe", "-show_format", tmp_path / "phone.mov"], capture_output=True).stdout)
    assert "location" not in shown["tags"] and b"52.52" not in (tmp_path / "got.mp4").read_bytes()
    warning = only(platform_post["warnings"])
    assert (warning["code"], warning["field"]) == ("media_fitted", "media.0.url")
    assert warning["from"].startswith("video/quicktime (h264, aac), 320 x 240, ")
    assert warning["to"] == f"video/mp4 (h264, aac), 320 x 240, {entry['bytes']} bytes"
    assert warning["message"].startswith("The video was changed")
    timeline = remuxing.get(f"/v1/posts/{post['id']}/timeline").json()["data"]
    assert only([row for row in timeline if row["stage"] == "fit"])["decision"].startswith("Media file 1: video/quicktime")
    assert streams["video"]["codec_name"] == "h264"


def test_an_index_at_the_end_goes_to_the_front_where_that_is_wanted(tmp_path, remuxing, world, files, copied):
    for slug, is_changed in (("instagram", True), ("x", False)):
        text = marker(slug)
        _, platform_post = published(remuxing, copied[slug], text, film(files, "last.mp4"))
        entry, _, _ = arrived(world, text, tmp_path / "got.mp4")
        assert is_index_first(tmp_path / "got.mp4") == is_changed
        assert (entry["sha256"] != files.sha256("last.mp4")) == is_changed
        assert len(platform_post["warnings"]) == is_changed


def test_what_is_fine_is_left_alone(tmp_path, transcoding, world, files, one):
    text = marker("fine")
    post, platform_post = published(transcoding, one["instagram"], text, film(files, "first.mp4"))
    assert arrived(world, text, tmp_path / "got.mp4")[0]["sha256"] == files.sha256("first.mp4")
    assert platform_post["warnings"] == []
    assert not [row for row in transcoding.get(f"/v1/posts/{post['id']}/timeline").json()["data"] if row["stage"] == "fit"]


@pytest.mark.parametrize("slug, name, video, audio", [
    ("instagram", "browser.webm", "h264", "aac"), ("x", "hevc.mp4", "h264", "aac"), ("linkedin", "pcm.mov", "h264", "aac"),
    ("tiktok", "odd.mkv", "h264", None)])
def test_what_a_platform_refuses_is_coded_anew(tmp_path, transcoding, world, files, one, slug, name, video, audio):
    text = marker(slug)
    _, platform_post = published(transcoding, one[slug], text, film(files, name))
    entry, streams, shown = arrived(world, text, tmp_path / "got.mp4")
    assert entry["mime_type"] == "video/mp4" and is_index_first(tmp_path / "got.mp4")
    assert streams["video"]["codec_name"] == video and streams["video"]["pix_fmt"] in ("yuv420p", "yuv444p")
    assert streams.get("audio", {}).get("codec_name") == audio
    assert 3 <= float(shown["duration"]) < 3.5
    # TikTok may tell the post's id late, which is another warning.
    fitted = only([warning for warning in platform_post["warnings"] if warning["code"] == "media_fitted"])
    assert fitted["to"].startswith(f"video/mp4 ({video}")
    if name == "odd.mkv":
        assert (streams["video"]["width"], streams["video"]["height"], streams["video"]["r_frame_rate"]) == (360, 362, "60/1")
        assert streams["video"]["pix_fmt"] == "yuv420p"
    if name == "pcm.mov":  # only the sound had to be
        (tmp_path / name).write_bytes(files.bytes[name])
        assert packets(tmp_path / "got.mp4") == packets(tmp_path / name)


def test_remux_codes_nothing_anew(remuxing, files, copied):
    assert "must be MP4 or MOV" in refused(remuxing, copied["instagram"], film(files, "browser.webm"))["message"]
    answer = remuxing.post("/v1/posts/publish", json={"account_ids": [copied["instagram"]], "content": "webm",
                                                      "media": [film(files, "browser.webm", mime_type="video/webm")]})
    assert answer.status_code == 422 and answer.json()["errors"]["media.0.mime_type"]


def test_off_leaves_it_to_the_platform(tmp_path, transcoding, world, files, one):
    assert "must be MP4 or MOV" in refused(transcoding, one["instagram"], film(files, "browser.webm", fit="off"))["message"]
    text = marker("off")
    published(transcoding, one["instagram"], text, film(files, "last.mp4", fit="off"))
    assert arrived(world, text, tmp_path / "got.mp4")[0]["sha256"] == files.sha256("last.mp4")


def test_without_the_setting_nothing_is_changed(tmp_path, world, files):
    with Service(tmp_path / "data", world, FAST) as process:
        app = app_of(process, "plain")
        account = app.connect("instagram").accounts[0]["id"]
        assert "must be MP4 or MOV" in refused(app, account, film(files, "browser.webm"))["message"]
        text = marker("plain")
        _, platform_post = published(app, account, text, film(files, "last.mp4"))
        assert arrived(world, text, tmp_path / "got.mp4")[0]["sha256"] == files.sha256("last.mp4")
        assert platform_post["warnings"] == []
        said = json.loads(process.cli("doctor", "--json").stdout)
        assert "fit-video is off" in str(said)


def test_validate_foretells_it(transcoding, files, one):
    def validate(**body):
        answer = transcoding.post("/v1/posts/validate", json={"content": "film", **body})
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    data = validate(account_ids=[one["instagram"]], media=[film(files, "browser.webm")], fetch=True)
    warning = only(data["warnings"])
    assert data["ok"] and (warning["code"], warning["field"]) == ("media_fitted", "media.0.url")
    assert "video/webm, 320 x 240" in warning["message"] and "MP4" in warning["message"]
    data = validate(account_ids=[one["instagram"]], media=[film(files, "first.mp4")], fetch=True)
    assert data["ok"] and not data.get("warnings")
    # A declared type that would not do is taken, and told.
    data = validate(account_ids=[one["linkedin"]], media=[film(files, "phone.mov", mime_type="video/quicktime")])
    assert data["ok"] and only(data["warnings"])["code"] == "media_fitted"


def test_an_uploaded_film_is_looked_at_again(tmp_path, transcoding, world, files, one):
    answer = transcoding.post("/v1/media", data=files.bytes["odd.mkv"], headers={"Content-Type": "application/octet-stream"})
    assert answer.status_code == 201, answer.text
    media_id = answer.json()["data"]["id"]
    assert answer.json()["data"]["mime_type"] == "video/x-matroska"
    text = marker("uploaded")
    _, platform_post = published(transcoding, one["instagram"], text, {"media_id": media_id})
    assert arrived(world, text, tmp_path / "got.mp4")[1]["video"]["pix_fmt"] == "yuv420p"
    assert only(platform_post["warnings"])["from"].startswith("video/x-matroska (h264), 361 x 363")
    assert transcoding.get(f"/v1/media/{media_id}/content").content == files.bytes["odd.mkv"]


# ---- hostile files ----


def box(name, body):
    return (8 + len(body)).to_bytes(4, "big") + name + body


def with_reference(mov, url):
    """A MOV whose pictures lie, as it says, at another address."""
    at = mov.index(b"dref") - 4
    size = int.from_bytes(mov[at:at + 4], "big")
    entry = box(b"url ", b"\0\0\0\0" + url.encode() + b"\0")
    dref = box(b"dref", b"\0\0\0\0\0\0\0\x01" + entry)
    grown = len(dref) - size
    data = bytearray(mov[:at] + dref + mov[at + size:])
    for name in (b"moov", b"trak", b"mdia", b"minf", b"dinf"):
        place = mov.index(name) - 4
        data[place:place + 4] = (int.from_bytes(mov[place:place + 4], "big") + grown).to_bytes(4, "big")
    return bytes(data)


@pytest.mark.parametrize("name", ["list.mp4", "script.webm", "both.webm", "references.mov"])
def test_nothing_that_a_file_names_is_opened(transcoding, files, one, name):
    secret = files.url("secret.ts")
    playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{secret}\n#EXTINF:9,\n/etc/passwd\n#EXT-X-ENDLIST\n".encode()
    files.bytes.update({
        "secret.ts": b"secret",
        "list.mp4": playlist,
        "script.webm": f"ffconcat version 1.0\nfile /etc/passwd\nfile {secret}\n".encode(),
        # It begins as a WebM does; what follows is for another demuxer.
        "both.webm": files.bytes["browser.webm"][:400] + playlist,
        "references.mov": with_reference(files.bytes["phone.mov"], secret)})
    post = transcoding.wait_post(transcoding.accepted(one["instagram"], marker("hostile"), media=[film(files, name)])["post_id"])
    # A reference beside pictures that are there is not followed, and may be passed over.
    if name != "references.mov":
        assert only(post["platform_posts"])["error"]["code"] == "MEDIA_REJECTED"
    assert not [path for path in files.asked if path.endswith("secret.ts")]
    assert "passwd" not in str(post) and "root:" not in str(post)


def test_a_film_that_ends_too_early_is_refused(transcoding, files, one):
    error = refused(transcoding, one["instagram"], film(files, "cut.webm"))
    assert error["platform_code"] == "broken_video" and "is broken" in error["message"]


# ---- limits ----


def processes_of(service):
    """Of ffmpeg, below the service's spawner."""
    children = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm="], capture_output=True, text=True, check=True).stdout.split("\n")
    rows = [line.split(None, 2) for line in children if line.strip()]
    below = {service.popen.pid}
    for _ in range(4):
        below |= {int(pid) for pid, parent, _ in rows if int(parent) in below}
    return [int(pid) for pid, _, name in rows if int(pid) in below and name == "ffmpeg"]


def has_landlock():
    return "landlock" in open("/sys/kernel/security/lsm", encoding="utf-8").read() if os.path.exists("/sys/kernel/security/lsm") else False


def converting(app, post_id):
    def said():
        platform_post = only(app.get(f"/v1/posts/{post_id}").json()["data"]["platform_posts"])
        waiting = platform_post["waiting"]
        return waiting if waiting and "being converted" in waiting["message"] and "%" in waiting["message"] else None

    return poll("it is being converted", said)


def test_a_long_film_says_how_far_it_is_and_holds_up_nobody(transcoding, world, files, one):
    other = app_of(transcoding.service, "other")
    mine = other.connect("instagram").accounts[0]["id"]
    post_id = transcoding.accepted(one["instagram"], marker("long"), media=[film(files, "long.mp4")])["post_id"]
    waiting = converting(transcoding, post_id)
    assert waiting["reason"] == "media" and waiting["until"] is None or waiting["until"]
    pid = processes_of(transcoding.service)[0]
    status = open(f"/proc/{pid}/status", encoding="utf-8").read()
    assert "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status
    assert sorted(os.listdir(f"/proc/{pid}/fd"))[:4] == ["0", "1", "2", "3"]
    assert not open(f"/proc/{pid}/environ", "rb").read()
    published(other, mine, marker("picture"), files.item("picture.png"))
    platform_post = only(transcoding.get(f"/v1/posts/{post_id}").json()["data"]["platform_posts"])
    assert platform_post["status"] == "pending" and "being converted" in platform_post["waiting"]["message"]
    assert transcoding.wait_post(post_id)["status"] == "published"


def test_what_takes_too_long_is_refused_and_not_tried_again(tmp_path, world, files):
    with Service(tmp_path / "data", world, [*FAST, "--fit-video", "transcode", "--fit-video-seconds", "1"]) as process:
        app = app_of(process, "slow")
        error = refused(app, app.connect("instagram").accounts[0]["id"], film(files, "long.mp4"))
        assert error["platform_code"] == "conversion_too_slow" and "within 1 s" in error["message"]
        assert processes_of(process) == []


def test_killed_in_the_middle_it_is_done_again_once(tmp_path, world, files):
    text = marker("killed")
    options = [*FAST, "--fit-video", "transcode"]
    first = Service(tmp_path / "data", world, options)
    app = app_of(first, "killed")
    account = app.connect("instagram").accounts[0]["id"]
    post_id = app.accepted(account, text, media=[film(files, "long.mp4")])["post_id"]
    converting(app, post_id)
    left = processes_of(first)
    assert left
    first.kill()
    first.check_sanitizers()
    poll("nothing goes on without the service", lambda: not [pid for pid in left if os.path.exists(f"/proc/{pid}")])
    with Service(tmp_path / "data", world, options) as service:
        app.service = service
        assert app.wait_post(post_id)["status"] == "published"
        entry, streams, shown = arrived(world, text, tmp_path / "got.mp4")
        assert len(world.ledger(text)) == 1
        assert streams["video"]["codec_name"] == "h264" and float(shown["duration"]) > 7.5
        spool = tmp_path / "data" / "spool"
        poll("nothing is left in the spool", lambda: not [path for path in spool.rglob("*") if path.is_file()])


def test_a_service_that_is_stopped_does_not_wait_for_a_film(tmp_path, world, files):
    service = Service(tmp_path / "data", world, [*FAST, "--fit-video", "transcode"])
    app = app_of(service, "stopped")
    post_id = app.accepted(app.connect("instagram").accounts[0]["id"], marker("stopped"), media=[film(files, "long.mp4")])["post_id"]
    converting(app, post_id)
    left = processes_of(service)
    began = time.monotonic()
    service.stop()
    assert time.monotonic() - began < 5
    poll("ffmpeg ends too", lambda: not [pid for pid in left if os.path.exists(f"/proc/{pid}")])


# ---- the operator ----


def test_doctor_says_what_it_does(transcoding):
    said = transcoding.service.cli("doctor", "--fit-video", "transcode")
    assert "videos are converted by /usr/bin/ffmpeg" in said.stdout, said.stdout


def test_a_wrong_word_is_refused(tmp_path):
    done = cli("serve", "--data", tmp_path / "data", "--fit-video", "on")
    assert done.returncode != 0 and "fit-video must be off, remux or transcode" in done.stderr


def test_without_ffmpeg_the_start_is_refused(tmp_path):
    hide = "mount --bind /dev/null /usr/bin/ffmpeg && exec \"$0\" serve --data \"$1\" --listen 127.0.0.1:0 --fit-video remux"
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", hide, find_binary(), tmp_path / "data"]
    if subprocess.run(command[:4] + ["-c", "mount --bind /dev/null /usr/bin/ffmpeg"], capture_output=True).returncode != 0:
        pytest.skip("no mounts of one's own here")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "apt install ffmpeg" in done.stderr and "fit-video is remux" in done.stderr, done.stderr
