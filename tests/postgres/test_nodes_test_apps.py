# SPDX-License-Identifier: Apache-2.0
"""Test apps on several nodes (API 14): one node has their sandbox by a lease, the others hand their calls on to it, and when it dies
another has all that was there."""
import json
import threading
import time

import pytest
import requests

from cluster import Cluster
from harness import HTTP_S, PLATFORMS, TestApp, marker, poll


@pytest.fixture(scope="module")
def cluster():
    with Cluster(is_live=True) as made:
        made.start("first")
        made.start("second")
        yield made


def seen_by(app, node):
    other = object.__new__(TestApp)
    other.__dict__ = dict(app.__dict__, service=node)
    return other


def holder(cluster):
    row = cluster.sql("SELECT n.address FROM sandbox_lease s JOIN nodes n ON n.id = s.node_id")
    return next(name for name, node in cluster.nodes.items() if node.url == row.strip())


def other(cluster):
    return next(name for name in cluster.nodes if name != holder(cluster))


@pytest.fixture(scope="module")
def app(cluster):
    return TestApp(cluster.nodes["first"], "--time-scale", "100")


def test_any_node_will_do(cluster, app, media):
    """Each platform is connected and published to through both nodes, and both show the same ledger."""
    nodes = [cluster.nodes[holder(cluster)], cluster.nodes[other(cluster)]]
    for number, slug in enumerate(PLATFORMS):
        through = seen_by(app, nodes[number % 2])
        account = through.connect(slug, f"user-{number}", by_form=number % 2 == 1).accounts[0]["id"]
        text = marker(slug)
        item = {"instagram": media.image, "youtube": media.clip, "tiktok": media.clip}.get(slug)
        more = {"media": [item() if slug == "instagram" else item(duration=4)]} if item else {}
        options = {"youtube": {"title": text}, "tiktok": {"privacy_level": "SELF_ONLY"}}.get(slug)
        seen_by(app, nodes[1 - number % 2]).published(account, text, **more, **({"platforms": {slug: options}} if options else {}))
    ledgers = [seen_by(app, node).ledger() for node in nodes]
    assert ledgers[0] == ledgers[1] and [post["platform"] for post in ledgers[0]] == list(PLATFORMS)


def test_tools_of_the_sandbox_through_the_other_node(cluster, app):
    through = seen_by(app, cluster.nodes[other(cluster)])
    through.sandbox("POST", "knobs", json={"x_me_limit": 9})
    assert {row["name"]: row["value"] for row in app.sandbox("GET", "knobs")["knobs"]}["x_me_limit"] == 9
    through.fault("x", "POST", "/2/tweets", "reset_before")
    assert [fault["effect"] for fault in app.sandbox("GET", "faults")["faults"]] == ["reset_before"]
    answer = through.request("POST", "/sandbox/_sandbox/clock", json={"advance_s": 60})
    assert answer.status_code == 403
    assert "posthorn-sandbox" not in json.dumps(through.log()).lower()
    through.sandbox("DELETE", "faults")


@pytest.mark.parametrize("effect", ["reset_after", "truncate", "garbage", "status_after"])
def test_faults_look_the_same_through_any_node(cluster, app, effect):
    account, text = app.account("x", "faulty"), marker(effect)
    app.fault("x", "POST", "/2/tweets", effect, status=500)
    posts = [seen_by(app, node).accepted(account, f"{text} {name}")["post_id"] for name, node in cluster.nodes.items()]
    assert {app.wait_post(post)["status"] for post in posts} == {"published"}
    assert len(app.ledger(text)) == 2


def test_outsiders_are_not_let_in(cluster, app):
    """The door for nodes: whoever has no pass finds nothing there, on any node, and moves nothing."""
    before = len(app.log())
    for node in cluster.nodes.values():
        for given in ({}, {"Posthorn-Sandbox-Pass": ""}, {"Posthorn-Sandbox-Pass": "0" * 64}, {"Authorization": f"Bearer {app.token}"}):
            call = f"app={app.id}&visitor=0&method=GET&target=%2Fapi.x.com%2F2%2Fusers%2Fme"
            answer = requests.post(f"{node.url}/_node/sandbox", headers={**given, "Posthorn-Sandbox-Call": call}, data=b"x", timeout=HTTP_S)
            assert answer.status_code == 404 and "Posthorn-Sandbox-Answer" not in answer.headers, answer.text
        for method in ("GET", "POST", "PUT", "OPTIONS", "HEAD"):
            there = requests.request(method, f"{node.url}/_node/sandbox", timeout=HTTP_S)
            nowhere = requests.request(method, f"{node.url}/_node/nothing", timeout=HTTP_S)
            assert (there.status_code, there.content) == (nowhere.status_code, nowhere.content) and there.status_code == 404
    assert len(app.log()) == before
    sealed = cluster.sql("SELECT encode(pass, 'hex') FROM sandbox_lease")
    assert len(sealed) == 2 * (64 + 45)


def test_hanging_browsers_leave_room_for_the_other_node(cluster, app):
    """Faults that hang, through the node without the sandbox: the API of both goes on, and so do posts of another app."""
    neighbour = TestApp(cluster.nodes["first"], "--time-scale", "100", name="neighbour")
    account = neighbour.account("linkedin")
    app.fault("x", "GET", "/i/oauth2/authorize", "timeout_after", times=99)
    url = seen_by(app, cluster.nodes[other(cluster)]).begin("x")["redirect_url"]
    threads = [threading.Thread(target=quiet_get, args=(url,), daemon=True) for _ in range(20)]
    for thread in threads:
        thread.start()
    for node in cluster.nodes.values():
        assert node.request("GET", "/readyz").status_code == 200
    neighbour.published(account, marker("not held up"))
    app.sandbox("DELETE", "faults")
    poll("browsers have places again", lambda: requests.get(url, timeout=HTTP_S).status_code == 200)


def quiet_get(url):
    try:
        requests.get(url, timeout=2)
    except requests.RequestException:
        pass


def test_a_flood_through_the_other_node_is_bounded(cluster):
    """What a token can write fills neither the database nor a disk."""
    flooding = TestApp(cluster.nodes[other(cluster)], "--time-scale", "1000", name="flooding")
    account = flooding.account("x")
    wish = {"platform": "tiktok", "effect": "status", "times": 1, "body": "x" * 900_000}
    for _ in range(85):
        assert flooding.request("POST", "/sandbox/_sandbox/faults", json=wish).status_code == 201
        flooding.sandbox("DELETE", "faults")
    kept = int(cluster.sql(f"SELECT sum(length(bytes)) FROM sandbox_journals WHERE app_id = '{flooding.id}'"))
    assert kept < 66 << 20
    flooding.published(account, marker("goes on"))


def test_a_deleted_app_leaves_nothing(cluster):
    gone = TestApp(cluster.nodes["second"], name="gone")
    gone.account("x")
    rows = f"SELECT count(*) FROM sandbox_journals WHERE app_id = '{gone.id}'"
    assert int(cluster.sql(rows)) > 0
    assert gone.cli("app", "delete", gone.client_id).returncode == 0
    poll("its journal is gone", lambda: int(cluster.sql(rows)) == 0)
    poll("its folders are gone", lambda: not list(cluster.directory.glob(f"*/sandbox/{gone.id}")))


def test_a_node_that_dies_hands_it_over(cluster, app):
    """All is there on the next node, at the first question: accounts work, the ledger and the knobs are as they were."""
    account = app.account("x", "keeps")
    app.published(account, marker("before"))
    app.sandbox("POST", "knobs", json={"x_create_limit": 77})
    dead, alive = holder(cluster), other(cluster)
    mine = seen_by(app, cluster.nodes[alive])
    before = mine.ledger()
    cluster.kill(dead)
    began = time.monotonic()
    assert mine.ledger() == before
    assert time.monotonic() - began < 12
    assert {row["name"]: row["value"] for row in mine.sandbox("GET", "knobs")["knobs"]}["x_create_limit"] == 77
    text = marker("after")
    mine.published(account, text)
    cluster.restart(dead)
    poll("it is still the other's", lambda: holder(cluster) == alive)
    again = seen_by(app, cluster.nodes[dead])
    assert [post["text"] for post in again.ledger(text)] == [text] and again.connect("linkedin", "later").accounts


def test_a_node_that_stops_hands_it_over_at_once(cluster, app):
    stopped, left = holder(cluster), other(cluster)
    before = seen_by(app, cluster.nodes[left]).ledger()
    cluster.nodes[stopped].stop()
    began = time.monotonic()
    assert seen_by(app, cluster.nodes[left]).ledger() == before
    assert time.monotonic() - began < 4
    cluster.restart(stopped)
