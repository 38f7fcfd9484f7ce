# SPDX-License-Identifier: Apache-2.0
"""The audit trail over HTTP and on the command line: who, from where, what, on which object, before and after without secrets."""
import json
import os
import pwd

import pytest

from client import FIRST_ADMIN, PASSWORD, Client
from harness import WATCH, Service

USER = f"cli:{pwd.getpwuid(os.getuid()).pw_name}"


@pytest.fixture(scope="module")
def house(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("audit") / "data", sandbox, ["--trusted-proxy", "127.0.0.1/32"]) as service:
        WATCH.remove(service.url)  # the paths are the dashboard's
        yield service, Client(service).set_up()


def rows(client, **query):
    pairs = "&".join(f"{name}={value}" for name, value in query.items())
    return client.get(f"/audit?{pairs}")["data"]


def test_an_action_of_a_signed_in_admin(house):
    service, client = house
    app = client.make_app("Bakery")["client_id"]
    client.request("PATCH", f"/apps/{app}", json={"name": "Cafe"}, headers={"X-Forwarded-For": "203.0.113.9"})
    row = rows(client, client_id=app)[0]
    assert row["actor"] == FIRST_ADMIN and row["source"] == "203.0.113.9" and row["action"] == "app.change"
    assert row["object"] == f"app {app}" and row["app"] == app and row["outcome"] == "done"
    assert row["before"] == {"name": "Bakery"} and row["after"] == {"name": "Cafe"}
    made = rows(client, client_id=app, action="app.create")
    assert len(made) == 1 and made[0]["before"] is None and made[0]["after"]["name"] == "Bakery"
    assert f'admin_action actor={FIRST_ADMIN}' in service.stderr()


def test_the_command_line_names_its_user(house):
    service, client = house
    assert service.cli("pause", "--platform", "tiktok").returncode == 0
    row = rows(client, actor=USER)[0]
    assert row["source"] == "control socket" and row["action"] == "pause.add" and row["object"] == "platform tiktok"
    assert row["before"] == {"data": []} and row["after"]["data"][0]["platform"] == "tiktok"


def test_sign_ins_and_their_failures(house):
    service, client = house
    before = len(rows(client, action="session.begin", limit=500))
    for password in ("wrong one", "wrong two", "wrong three"):
        Client(service).refused("POST", "/login", 401, "LOGIN_FAILED", json={"email": FIRST_ADMIN, "password": password})
    Client(service).refused("POST", "/login", 401, "LOGIN_FAILED", json={"email": "a mistyped password", "password": "x"})
    other = Client(service, FIRST_ADMIN)
    other.post("/logout", status=204)
    found = rows(client, action="session.begin", limit=500)
    assert len(found) == before + 3, found
    good, unknown, bad = found[:3]
    assert good["outcome"] == "done" and good["actor"] == FIRST_ADMIN and good["source"] == "127.0.0.1" and good["times"] == 1
    assert unknown["outcome"] == "refused" and unknown["object"] is None and unknown["actor"] is None
    assert bad["outcome"] == "refused" and bad["object"] == f"admin {FIRST_ADMIN}" and bad["actor"] is None
    assert bad["times"] == 3
    assert rows(client, action="session.end")[0]["actor"] == FIRST_ADMIN
    text = json.dumps(found)
    assert "wrong" not in text and "mistyped" not in text and PASSWORD not in text


def test_a_flood_of_sign_ins_writes_few_rows(house):
    service, client = house
    stranger = Client(service, address="127.0.0.77")
    before = len(rows(client, limit=500))
    answers = [stranger.request("POST", "/login", json={"email": f"u{i}@example.com", "password": "x"}).status_code for i in range(60)]
    assert set(answers) == {401, 429}, answers
    found = rows(client, limit=500)
    assert len(found) == before + 2
    turned_away, wrong = found[:2]
    assert wrong["times"] == answers.count(401) and wrong["source"] == "127.0.0.77" and wrong["object"] is None
    assert answers.count(429) / 2 < turned_away["times"] <= answers.count(429)


def test_what_is_refused_says_so(house):
    _, client = house
    client.refused("POST", "/password", 403, "WRONG_PASSWORD", json={"current_password": "no such", "new_password": PASSWORD})
    row = rows(client, action="admin.password")[0]
    assert row["outcome"] == "refused" and row["before"] is None and row["after"] is None


def test_the_apps_api_is_recorded_when_it_changes(house):
    _, client = house
    app = client.make_app("Api", live=True)["client_id"]
    hook = client.post(f"/apps/{app}/v1/webhooks", {"url": "http://127.0.0.1:1/hook"}, status=201)["data"]
    client.request("POST", f"/apps/{app}/v1/posts/validate", json={})
    client.get(f"/apps/{app}/v1/webhooks")
    found = rows(client, client_id=app, action="app.api")
    assert [row["object"] for row in found] == [f"app {app} POST /v1/webhooks"]
    assert hook["secret"] not in json.dumps(found)


def test_owners_see_no_rows_of_others(house):
    service, client = house
    second = client.invite("second@example.com")
    third = client.invite("third@example.com")
    mine, theirs = client.make_app("mine")["client_id"], second.make_app("theirs")["client_id"]
    third.make_app("of the third")
    Client(service).refused("POST", "/login", 401, "LOGIN_FAILED", json={"email": "second@example.com", "password": "x"})
    seen = rows(second, limit=500)
    assert {row["app"] for row in seen} == {None, theirs}
    assert {row["actor"] for row in seen} == {None, FIRST_ADMIN, "second@example.com"}  # and not who else signs in, or is invited
    assert {row["object"] for row in seen if row["actor"] != "second@example.com"} == {"admin second@example.com"}
    assert {mine, theirs} <= {row["app"] for row in rows(client, limit=500)}  # root sees all
    assert rows(second, client_id=mine) == []
    told = json.loads(service.cli("audit", "--json").stdout)["data"]
    assert {mine, theirs} <= {row["app"] for row in told}


def test_no_route_changes_the_trail(house):
    _, client = house
    before = rows(client, limit=500)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert client.request(method, "/audit", json={}).status_code == 405
        assert client.request(method, f"/audit/{before[0]['id']}", json={}).status_code == 404
    assert rows(client, limit=500) == before


def test_pages(house):
    _, client = house
    whole = client.get("/audit?limit=500")
    assert whole["next"] is None and "app.create" in whole["actions"]
    seen, before = [], None
    while True:
        page = client.get("/audit?limit=3" + (f"&before={before}" if before else ""))
        seen += page["data"]
        before = page["next"]
        if before is None:
            break
    assert [row["id"] for row in seen] == [row["id"] for row in whole["data"]]


@pytest.mark.parametrize("query", ["since=yesterday", "limit=0", "limit=501", "before=x", "actor=a&actor=b"])
def test_queries_that_make_no_sense(house, query):
    _, client = house
    client.refused("GET", f"/audit?{query}", 422, "VALIDATION_ERROR")


def test_the_command(house):
    service, client = house
    lines = service.cli("audit").stdout.splitlines()
    whole = json.loads(service.cli("audit", "--json").stdout)["data"]
    assert len(lines) == len(whole) >= len(rows(client, limit=500))
    assert "app.create done: app phc_" in lines[-3] and lines[-2].split()[1:5] == [FIRST_ADMIN, "127.0.0.1", "admin.setup", "done:"]
    assert lines[-1].split()[1:] == [USER, "control", "socket", "link.create", "done"]
    assert service.cli("audit", "--since", "2100-01-01").stdout == ""
    assert json.loads(service.cli("audit", "--since", "2100-01-01", "--json").stdout) == {"data": []}
    assert service.cli("audit", "--since", "1h").stdout.splitlines()[-1] == lines[-1]
    refused = service.cli("audit", "--since", "soon")
    assert refused.returncode == 1 and "since must be a time" in refused.stderr
    assert service.cli("audit", "twice").returncode == 2
