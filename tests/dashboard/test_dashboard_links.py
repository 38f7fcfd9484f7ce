# SPDX-License-Identifier: Apache-2.0
"""Links that let somebody in once: set-up, invitation, forgotten password, sign-in. Who prints them, how long, what uses them up."""
import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from client import FIRST_ADMIN, PASSWORD, Client, setup_token, token_of
from harness import HTTP_S, WATCH, Service, find_binary, poll

TEN_MINUTES_US, US = 600 * 1000000, 1000000


def accept(service, token, password=PASSWORD):
    return Client(service).request("POST", "/invitation", json={"token": token, "password": password})


def link_of(service, *words):
    done = service.cli("admin", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["link"]


def age(service, seconds):
    """The links of a stopped service grow older."""
    with sqlite3.connect(service.data / "posthorn.db") as database:
        assert database.execute("UPDATE admin_links SET expires_at_us = expires_at_us - ?", (seconds * US,)).rowcount > 0


# ---- who prints them ----


def test_live_and_without_a_terminal_none_is_printed(fresh):
    service = fresh()
    assert "posthorn admin setup-link" in service.stderr()
    assert "#" not in service.stderr()


def test_in_sandbox_mode_it_is_printed(dashboard_service, first_client):
    link = re.search(r"make the first admin within ten minutes at (\S+)", dashboard_service.stderr())[1]
    assert link.startswith(f"{dashboard_service.url}/dashboard/setup#")


def test_at_a_terminal_it_is_printed(tmp_path):
    leader, follower = pty.openpty()
    process = subprocess.Popen([find_binary(), "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=follower)
    os.close(follower)
    said = b""
    try:
        until = time.monotonic() + HTTP_S
        while b"listening on" not in said and time.monotonic() < until:
            said += os.read(leader, 65536)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(HTTP_S)
        os.close(leader)
    assert re.search(rb"make the first admin within ten minutes at http://\S+/dashboard/setup#\S{43}\s", said), said


# ---- what uses them up ----


def test_opening_the_page_uses_nothing_up(fresh):
    """What a mail scanner or a browser that reads ahead does: GET and HEAD, also with the token where it does not belong."""
    service = fresh()
    token = setup_token(service)
    for path in ("/dashboard/setup", f"/dashboard/setup?token={token}", f"/dashboard/setup/{token}", f"/dashboard/api/setup?token={token}"):
        requests.get(service.url + path, timeout=HTTP_S)
        requests.head(service.url + path, timeout=HTTP_S)
    body = {"token": token, "email": FIRST_ADMIN, "password": PASSWORD}
    assert Client(service).request("POST", "/setup", json=body).status_code == 201
    assert Client(service).request("POST", "/setup", json=body).status_code == 409


def test_an_invitation(fresh):
    service = fresh()
    root = Client(service).set_up()
    made = root.post("/invitations", {"email": "Ann+1@example.com", "role": "owner"}, status=201)
    assert made["link"].endswith("/ann%2B1%40example.com") and made["email"] == "ann+1@example.com" and made["role"] == "owner"
    assert [row["has_password"] for row in root.get("/admins")["data"]] == [True, False]
    token = token_of(made["link"])
    assert token not in json.dumps(root.get("/audit")) and token not in service.stderr()
    again = root.post("/invitations", {"email": "ann+1@example.com", "role": "root"}, status=201)
    assert accept(service, token).status_code == 403  # a new invitation ends the one before
    answer = accept(service, token_of(again["link"]))
    assert answer.status_code == 201 and answer.json()["admin"]["role"] == "root" and answer.json()["signed_in"]
    refused = accept(service, token_of(again["link"]))
    assert refused.status_code == 403 and refused.json()["error"] == "LINK_INVALID"
    Client(service, "ann+1@example.com")
    rows = root.get("/audit?action=admin.accept")["data"]
    assert [(row["outcome"], row["actor"]) for row in rows][::-1] == [("refused", None), ("done", "ann+1@example.com")] or rows
    done = [row for row in rows if row["outcome"] == "done"]
    assert [row["actor"] for row in done] == ["ann+1@example.com"] and done[0]["object"] == "admin ann+1@example.com"


def test_a_link_of_one_kind_is_none_of_another(fresh):
    service = fresh()
    setup = setup_token(service)
    root = Client(service).set_up()
    token = token_of(root.post("/invitations", {"email": "a@example.com"}, status=201)["link"])
    client = Client(service)
    assert accept(service, setup).status_code == 403
    client.refused("POST", "/login/link", 403, "LINK_INVALID", json={"token": token})
    for wrong in ("", None, 5, "x", token[:-1], token + "A"):
        assert accept(service, wrong).status_code == 403
    assert accept(service, token).status_code == 201


def test_a_forgotten_password(fresh):
    service = fresh()
    root = Client(service).set_up()
    token = token_of(link_of(service, "setup-link", "--email", FIRST_ADMIN))
    root.get("/apps")
    assert accept(service, token, "turnip lamp quartz").status_code == 201
    root.refused("GET", "/apps", 401, "UNAUTHENTICATED")  # whoever knew the old one is out
    Client(service).refused("POST", "/login", 401, "LOGIN_FAILED", json={"email": FIRST_ADMIN, "password": PASSWORD})
    assert Client(service, FIRST_ADMIN, "turnip lamp quartz").session["admin"]["role"] == "root"


def test_links_end(fresh, tmp_path):
    """A set-up link after ten minutes, an invitation after three days."""
    data = tmp_path / "kept"
    service = fresh(data=data)
    token = setup_token(service)
    service.stop()
    age(service, 598)
    service = fresh(data=data)
    body = {"token": token, "email": FIRST_ADMIN, "password": "short"}
    Client(service).refused("POST", "/setup", 422, "VALIDATION_ERROR", json=body)  # still good, and not used up
    service.stop()
    age(service, 3)
    service = fresh(data=data)
    Client(service).refused("POST", "/setup", 403, "SETUP_TOKEN_INVALID", json={**body, "password": PASSWORD})
    root = Client(service).set_up()
    token = token_of(root.post("/invitations", {"email": "late@example.com"}, status=201)["link"])
    service.stop()
    age(service, 3 * 86400 + 1)
    assert accept(fresh(data=data), token).status_code == 403


def test_a_deleted_admins_link_is_dead(fresh):
    service = fresh()
    root = Client(service).set_up()
    token = token_of(root.post("/invitations", {"email": "gone@example.com"}, status=201)["link"])
    root.delete("/admins/gone%40example.com")
    assert accept(service, token).status_code == 403


# ---- signing in by a link ----


def test_a_sign_in_link_is_for_the_sandbox(fresh, sandbox, start_service):
    live = fresh()
    Client(live).set_up()
    body = json.dumps({"kind": "sign_in", "email": FIRST_ADMIN}).encode()
    assert control(live, body)[0] == 409
    play = start_service(sandbox)
    WATCH.remove(play.url)
    Client(play).set_up()
    status, made = control(play, body)
    assert status == 201 and "/dashboard/sign-in#" in made["link"]
    client = Client(play)
    token = token_of(made["link"])
    answer = client.request("POST", "/login/link", json={"token": token})
    assert answer.status_code == 200 and client.keep(answer).get("/session")["admin"]["email"] == FIRST_ADMIN
    Client(play).refused("POST", "/login/link", 403, "LINK_INVALID", json={"token": token})
    rows = client.get("/audit?action=session.begin")["data"]
    assert FIRST_ADMIN in [row["actor"] for row in rows]


def control(service, body):
    done = subprocess.run(["curl", "-s", "--unix-socket", str(service.data / "control.sock"), "-H", "Content-Type: application/json",
                           "-d", "@-", "-w", "\n%{http_code}", "http://localhost/admin/links"], input=body, capture_output=True)
    text, status = done.stdout.decode().rsplit("\n", 1)
    return int(status), json.loads(text)


# ---- races and crashes ----


def test_of_many_who_use_a_link_at_once_one_gets_in(fresh):
    service = fresh()
    token = setup_token(service)
    gate = threading.Barrier(8)

    def set_up(n):
        gate.wait()
        body = {"token": token, "email": f"n{n}@example.com", "password": PASSWORD}
        return Client(service).request("POST", "/setup", json=body).status_code

    def accept_it(n):
        gate.wait()
        return accept(service, token_of(made["link"]), f"turnip lamp quartz {n}").status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(set_up, range(8)))
        assert statuses.count(201) == 1 and set(statuses) <= {201, 403, 409, 503}
        winner = f"n{statuses.index(201)}@example.com"
        root = Client(service, winner)
        assert [row["email"] for row in root.get("/admins")["data"]] == [winner]
        made = root.post("/invitations", {"email": "ann@example.com"}, status=201)
        statuses = list(pool.map(accept_it, range(8)))
    assert statuses.count(201) == 1 and set(statuses) <= {201, 403, 503}
    Client(service, "ann@example.com", f"turnip lamp quartz {statuses.index(201)}")


@pytest.mark.parametrize("delay_ms", [0, 15, 30, 60])
def test_a_service_that_is_killed_has_used_a_link_or_not(fresh, delay_ms):
    """Never a link that is gone without a password, nor a password with the link still good."""
    service = fresh()
    root = Client(service).set_up()
    token = token_of(root.post("/invitations", {"email": "ann@example.com"}, status=201)["link"])

    def ask():
        try:
            return accept(service, token).status_code
        except requests.RequestException:
            return None

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask)
        time.sleep(delay_ms / 1000)
        service.kill()
        status = answer.result()
    with Service(service.data) as again:
        WATCH.remove(again.url)
        has_password = guess(again) == 200
        assert has_password or status is None
        assert accept(again, token).status_code == (403 if has_password else 201)
        assert guess(again) == 200


def guess(service):
    body = {"email": "ann@example.com", "password": PASSWORD}
    return poll("an answer", lambda: Client(service).request("POST", "/login", json=body).status_code)
