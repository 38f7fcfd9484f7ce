# SPDX-License-Identifier: Apache-2.0
"""Uploaded files on several nodes (api-decisions.md 11): an upload that begins on one node goes on at another, any node has the file,
and one node alone ends with it; in a directory that both reach, and in a bucket."""
import hashlib
import pathlib
import sys
import threading
import urllib.parse

import pytest
import requests

from cluster import Cluster

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "api"))
import s3_server  # noqa: E402
from file_server import picture  # noqa: E402
from harness import marker, poll  # noqa: E402

KEY = f"{s3_server.ACCESS_KEY}\n{s3_server.SECRET_KEY}\n"


@pytest.fixture(scope="module")
def photo(tmp_path_factory):
    return picture(tmp_path_factory.mktemp("photo") / "a.png", "400x300")


@pytest.fixture(scope="module", params=["directory", "bucket"])
def nodes(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("shared")
    s3 = s3_server.S3()
    (directory / "key").write_text(KEY)
    store = str(directory / "media") if request.param == "directory" else s3.url()
    with Cluster() as cluster:
        cluster.s3 = s3 if request.param == "bucket" else None
        for name in ("a", "b"):
            cluster.start(name, "--media-store", store, "--media-store-key-file", str(directory / "key"))
        app = cluster.app("x")
        yield cluster, app
    s3.stop()


def tus(app, node, method, path, data=b"", **headers):
    return requests.request(method, node.url + path, data=data, timeout=30, headers={
        "Authorization": f"Bearer {app.token}", "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream", **headers})


def begin(app, node, size):
    answer = tus(app, node, "POST", "/v1/media/uploads", **{"Upload-Length": str(size)})
    assert answer.status_code == 201, answer.text
    return urllib.parse.urlparse(answer.headers["Location"]).path


def patch(app, node, path, offset, data):
    return tus(app, node, "PATCH", path, data, **{"Upload-Offset": str(offset)})


def test_an_upload_goes_on_at_another_node(nodes, photo):
    cluster, app = nodes
    a, b = cluster.nodes["a"], cluster.nodes["b"]
    path = begin(app, a, len(photo))
    at = 0
    for node, end in ((a, 100), (b, 250), (a, 900), (b, 901)):
        assert tus(app, node, "HEAD", path).headers["Upload-Offset"] == str(at)
        answer = patch(app, node, path, at, photo[at:end])
        assert answer.status_code == 204 and answer.headers["Upload-Offset"] == str(end), answer.text
        at = end
    assert patch(app, a, path, 250, photo[250:]).status_code == 409  # what b has written counts
    done = patch(app, a, path, at, photo[at:])
    media_id = done.headers["Posthorn-Media-Id"]
    assert tus(app, b, "HEAD", path).headers["Posthorn-Media-Id"] == media_id
    for node in (a, b):
        content = tus(app, node, "GET", f"/v1/media/{media_id}/content")
        assert hashlib.sha256(content.content).hexdigest() == hashlib.sha256(photo).hexdigest()


def test_who_takes_an_upload_over_shuts_the_other_out(nodes, photo):
    cluster, app = nodes
    a, b = cluster.nodes["a"], cluster.nodes["b"]
    path = begin(app, a, len(photo))
    may_end = threading.Event()

    def slowly():
        yield photo[:500]
        may_end.wait(20)
        yield photo[500:]

    answers = []
    thread = threading.Thread(target=lambda: answers.append(patch(app, a, path, 0, slowly())))
    thread.start()
    poll("a has begun", lambda: a.metrics() and True)
    # b begins where the row says, and ends; what a sends then is refused.
    poll("b can take it", lambda: patch(app, b, path, int(tus(app, b, "HEAD", path).headers["Upload-Offset"]),
                                        photo[int(tus(app, b, "HEAD", path).headers["Upload-Offset"]):]).status_code == 204)
    may_end.set()
    thread.join()
    assert answers[0].status_code in (409, 404, 410), answers[0].text
    media_id = tus(app, a, "HEAD", path).headers["Posthorn-Media-Id"]
    media = tus(app, a, "GET", f"/v1/media/{media_id}").json()["data"]
    assert media["sha256"] == hashlib.sha256(photo).hexdigest()


def test_any_node_publishes_the_file_and_one_deletes_it_for_all(nodes, photo):
    cluster, app = nodes
    account = app.connect("x").accounts[0]["id"]
    made = requests.post(f"{cluster.nodes['a'].url}/v1/media", data=photo, timeout=30,
                         headers={"Authorization": f"Bearer {app.token}", "Content-Type": "image/png"}).json()["data"]
    texts = [marker(f"node{i}") for i in range(4)]
    for text in texts:
        assert app.published(account, text, media=[{"media_id": made["id"]}])["status"] == "published"
        assert cluster.sandbox.ledger(text)[0]["media"][0]["sha256"] == made["sha256"]
    assert tus(app, cluster.nodes["b"], "DELETE", f"/v1/media/{made['id']}").status_code == 204
    for node in cluster.nodes.values():
        assert tus(app, node, "GET", f"/v1/media/{made['id']}/content").status_code == 404
    if cluster.s3 is not None:
        assert cluster.s3.names(made["id"]) == []


def test_a_node_that_dies_leaves_its_upload_to_the_others(nodes, photo):
    cluster, app = nodes
    path = begin(app, cluster.nodes["a"], len(photo))
    assert patch(app, cluster.nodes["a"], path, 0, photo[:700]).status_code == 204
    cluster.kill("a")
    b = cluster.nodes["b"]
    assert tus(app, b, "HEAD", path).headers["Upload-Offset"] == "700"
    done = patch(app, b, path, 700, photo[700:])
    assert done.status_code == 204, done.text
    media = tus(app, b, "GET", f"/v1/media/{done.headers['Posthorn-Media-Id']}").json()["data"]
    assert media["sha256"] == hashlib.sha256(photo).hexdigest()
    cluster.restart("a")
