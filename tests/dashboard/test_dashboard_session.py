# SPDX-License-Identifier: Apache-2.0
"""Signing in: the set-up link, sessions and their cookie, passwords and how they are guessed."""
import json
import socket
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from client import API, FIRST_ADMIN, PASSWORD, Client, setup_token, token_of
from harness import HTTP_S, WATCH, Service, poll


# ---- the first admin ----


def test_set_up_by_a_link(fresh, tmp_path):
    data = tmp_path / "kept"
    service = fresh(data=data)
    client = Client(service)
    found = client.get("/session")
    assert found["setup_needed"] and not found["signed_in"] and found["admin"] is None and found["csrf_token"] is None
    token = setup_token(service)
    wrong = {"token": token[:-1] + ("A" if token[-1] != "A" else "B"), "email": FIRST_ADMIN, "password": PASSWORD}
    client.refused("POST", "/setup", 403, "SETUP_TOKEN_INVALID", json=wrong)
    client.refused("POST", "/setup", 422, "VALIDATION_ERROR", json={**wrong, "token": token, "password": "short"})
    client.refused("POST", "/setup", 422, "VALIDATION_ERROR", json={**wrong, "token": token, "email": "nobody"})
    assert not Client(service).get("/session")["signed_in"]
    client.set_up()
    assert client.session["admin"]["email"] == FIRST_ADMIN and not client.session["setup_needed"]
    assert client.get("/session")["admin"] == client.session["admin"]
    assert client.session["admin"]["role"] == "root"
    # The link is used up, also after a restart.
    Client(service).refused("POST", "/setup", 409, "SETUP_DONE", json={**wrong, "token": token})
    service.stop()
    again = fresh(data=data)
    assert "nobody can sign in" not in again.stderr()
    assert not Client(again).get("/session")["setup_needed"]
    Client(again).refused("POST", "/setup", 409, "SETUP_DONE", json={**wrong, "token": token})
    Client(again, FIRST_ADMIN)


def test_the_owner_of_an_app_is_given_the_first_password(fresh):
    """`app create --owner` makes an admin who cannot sign in yet (api-decisions.md 3)."""
    service = fresh()
    made = service.cli("app", "create", "--name", "one", "--owner", "Ann@Example.com")
    assert made.returncode == 0
    assert Client(service).get("/session")["setup_needed"]
    client = Client(service).set_up("ann@example.com")
    assert [app["name"] for app in client.get("/apps")["data"]] == ["one"]


def test_the_command_line_makes_admins_too(fresh):
    service = fresh()
    token = setup_token(service)
    done = service.cli("admin", "create", "--email", "cli@example.com", "--password-stdin", stdin=PASSWORD)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["role"] == "root"
    assert not Client(service).get("/session")["setup_needed"]
    body = {"token": token, "email": FIRST_ADMIN, "password": PASSWORD}
    Client(service).refused("POST", "/setup", 409, "SETUP_DONE", json=body)
    Client(service, "cli@example.com")


# ---- the session ----


def test_sign_in_and_out(first_client, dashboard_service):
    client = Client(dashboard_service, "FIRST@example.com ")
    assert client.session["signed_in"] and client.session["sandbox"] and client.session["sandbox_url"].endswith("/")
    kept = dict(client.browser.cookies)
    client.post("/logout", status=204)
    assert list(client.browser.cookies.keys()) == ["posthorn_device"]
    client.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    client.browser.cookies.update(kept)  # what a thief kept is worth nothing
    client.refused("GET", "/apps", 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("origin, name, is_secure", [
    (None, "posthorn_session", False),
    ("http://localhost:8080", "posthorn_session", False),
    ("https://posts.example", "__Host-posthorn_session", True),
])
def test_the_cookie(first_client, dashboard_service, origin, name, is_secure):
    """The browser says where its page is: a proxy that ends TLS needs no words of its own."""
    headers = {"Sec-Fetch-Site": "same-origin", **({"Origin": origin} if origin else {})}
    answer = Client(dashboard_service).request("POST", "/login", json={"email": FIRST_ADMIN, "password": PASSWORD}, headers=headers)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(name + "=") and "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/;" in cookie
    assert ("Secure" in cookie) == is_secure and "Domain" not in cookie
    value = cookie.split(";")[0].split("=")[1]
    def ask(cookies): return requests.get(dashboard_service.url + API + "/apps", headers={"Cookie": cookies}, timeout=HTTP_S).status_code
    assert ask(f"a=b; {name}={value}") == 200
    other = "posthorn_session" if is_secure else "__Host-posthorn_session"
    assert ask(f"{other}={value}") == 401
    assert ask(f"{name}={value[:-1]}") == 401


def test_every_sign_in_is_a_session_of_its_own(first_client, dashboard_service):
    client = Client(dashboard_service)
    client.browser.cookies.set("posthorn_session", "A" * 43, domain="127.0.0.1", path="/")  # planted by somebody else
    client.sign_in(FIRST_ADMIN)
    assert "A" * 43 not in client.browser.cookies.values()
    before = {"posthorn_session": client.browser.cookies["posthorn_session"]}
    client.sign_in(FIRST_ADMIN)
    assert client.browser.cookies["posthorn_session"] != before["posthorn_session"]
    old = Client(dashboard_service)
    old.browser.cookies.update(before)
    old.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    rows = client.get("/sessions")["data"]
    assert [row["current"] for row in rows].count(True) == 1
    assert rows[0]["address"] == "127.0.0.1" and "python-requests" in rows[0]["user_agent"]


def test_a_session_ends_without_requests(fresh):
    client = Client(fresh("--session-idle", "1")).set_up()
    poll("the session is over", lambda: not client.get("/session")["signed_in"], every_s=0.3)  # asking keeps nothing alive
    client.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    assert client.sign_in(FIRST_ADMIN).session["signed_in"]


def test_requests_keep_a_session_alive(fresh):
    client = Client(fresh("--session-idle", "8")).set_up()
    first = client.session["idle_expires_at"]
    poll("its end moves", lambda: client.get("/apps") and client.get("/session")["idle_expires_at"] > first, every_s=0.3)


def test_a_session_ends_in_any_case(fresh):
    service = fresh("--session-lifetime", "1")
    client = Client(service).set_up()
    poll("the session is over", lambda: client.request("GET", "/apps").status_code == 401, every_s=0.2)


def test_a_new_password_ends_all_other_sessions(client, first_client, dashboard_service):
    one, two = first_client.invite("turn@example.com"), Client(dashboard_service, "turn@example.com")
    old = (one.browser.cookies["posthorn_session"], one.csrf)
    one.refused("POST", "/password", 403, "WRONG_PASSWORD", json={"current_password": "wrong one", "new_password": "a new long word"})
    one.refused("POST", "/password", 422, "VALIDATION_ERROR", json={"current_password": PASSWORD, "new_password": "short"})
    one.keep(one.request("POST", "/password", json={"current_password": PASSWORD, "new_password": "a new long word"}))
    assert (one.browser.cookies["posthorn_session"], one.csrf) != old
    one.get("/apps")
    two.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    Client(dashboard_service).refused("POST", "/login", 401, "LOGIN_FAILED", json={"email": "turn@example.com", "password": PASSWORD})
    Client(dashboard_service, "turn@example.com", "a new long word")


def test_sessions_are_ended_one_by_one(client, first_client, dashboard_service):
    one, two, other = first_client.invite("ends@example.com"), Client(dashboard_service, "ends@example.com"), first_client
    rows = two.get("/sessions")["data"]
    assert len(rows) == 2 and len({row["id"] for row in rows}) == 2
    first = [row["id"] for row in rows if not row["current"]][0]
    other.refused("DELETE", f"/sessions/{first}", 404, "NOT_FOUND")  # root, too, ends no session of another's by its id
    one.get("/apps")
    two.delete(f"/sessions/{first}", 204)
    one.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    two.refused("DELETE", f"/sessions/{first}", 404, "NOT_FOUND")
    for wrong in ("", "%", "_" * 32, first[:-1]):
        assert two.request("DELETE", f"/sessions/{wrong}").status_code in (404, 405)
    own = two.get("/sessions")["data"][0]["id"]
    two.delete(f"/sessions/{own}", 204)
    assert "posthorn_session" not in two.browser.cookies
    two.refused("GET", "/apps", 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("password, words", [
    ("short enough", None), ("eleven chrs", "at least 12"), ("ünïcödé wörd", None), ("x" * 1025, "at most 1,024"),
    ("password1234", "too easy"), ("Passw0rd!2026", "too easy"), ("qwertyuiop12", "too easy"), ("aaaaaaaaaaaaaa", "too easy"),
    ("123456789012", "too easy"), ("abcabcabcabcabc", "too easy"), ("choosing@example.com", "too easy"), ("iloveyouiloveyou", "too easy"),
    ("posthorn-admin-2026", "too easy"), ("turnip lamp quartz", None),
])
def test_passwords(client, first_client, password, words):
    """Judged where they are chosen: an invitation that is not used up by a bad one."""
    made = first_client.post("/invitations", {"email": "choosing@example.com"}, status=201)
    body = {"token": token_of(made["link"]), "password": password}
    answer = Client(client.service).request("POST", "/invitation", json=body)
    if words is None:
        assert answer.status_code == 201, answer.text
        first_client.delete("/admins/choosing%40example.com")
    else:
        assert answer.status_code == 422 and words in answer.json()["errors"]["password"][0]
        assert password not in answer.text


# ---- guessing ----


def test_wrong_passwords_are_slowed(fresh):
    service = fresh()
    Client(service).set_up()
    client = Client(service)
    wrong = {"email": FIRST_ADMIN, "password": "not this one"}
    for _ in range(5):
        client.refused("POST", "/login", 401, "LOGIN_FAILED", json=wrong)
    answer = client.request("POST", "/login", json=wrong)
    assert answer.status_code == 429 and answer.json()["error"] == "RATE_LIMITED"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60 and answer.json()["details"]["retry_after_s"] >= 1
    # The right one has to wait too, else the pause would tell nothing from nothing.
    client.refused("POST", "/login", 429, "RATE_LIMITED", json={"email": FIRST_ADMIN, "password": PASSWORD})
    poll(
        "the pause is over",
        lambda: client.request(
            "POST",
            "/login",
            json={
                "email": FIRST_ADMIN,
                "password": PASSWORD}).status_code == 200,
        every_s=0.3)
    # It was right: the failures are forgotten.
    for _ in range(5):
        client.refused("POST", "/login", 401, "LOGIN_FAILED", json=wrong)


def test_an_address_is_slowed_over_all_accounts(fresh):
    service = fresh()
    Client(service).set_up()
    client = Client(service)
    statuses = [
        client.request(
            "POST",
            "/login",
            json={
                "email": f"{n}@example.com",
                "password": "whatever it is"}).status_code for n in range(22)]
    assert statuses[:19] == [401] * 19 and 429 in statuses


def guess(client, email=FIRST_ADMIN, password="not this one"):
    return client.request("POST", "/login", json={"email": email, "password": password}).status_code


def guess_until_paused(client, email="{}@example.com"):
    """Each pause is twice as long as the one before. In the end it is one that outlasts a few calls."""
    for n in range(200):
        answer = client.request("POST", "/login", json={"email": email.format(n), "password": "not this one"})
        assert answer.status_code in (401, 429)
        if int(answer.headers.get("Retry-After", 0)) >= 8:
            return
        time.sleep(0.2 if answer.status_code == 429 else 0)
    raise AssertionError("nobody is told to wait")


def test_a_stranger_locks_nobody_out(fresh):
    """Who knows an admin's address can guess without end, and stops neither a browser that has signed in before nor another address."""
    service = fresh()
    known = Client(service).set_up()
    stranger = Client(service, address="127.0.0.2")
    guess_until_paused(stranger, FIRST_ADMIN)
    assert guess(Client(service), password=PASSWORD) == 200  # a browser that was never here, from an address of its own
    # Now the stranger shares the admin's address, as behind a NAT or a proxy that is not trusted.
    beside = Client(service)
    guess_until_paused(beside)
    assert guess(Client(service), password=PASSWORD) == 429  # a browser that was never here has to wait
    known.browser.cookies.pop("posthorn_session")
    for _ in range(3):
        assert guess(known, password=PASSWORD) == 200


def test_a_known_browser_has_its_own_count(fresh):
    service = fresh()
    known, other = Client(service).set_up(), Client(service, FIRST_ADMIN)
    guess_until_paused(known, FIRST_ADMIN)
    assert guess(other, password=PASSWORD) == 200
    assert guess(Client(service), password=PASSWORD) == 200
    poll("the pause is over", lambda: guess(known, password=PASSWORD) == 200, every_s=0.3)


def test_a_device_cookie_is_for_one_admin(fresh):
    """And opens nothing by itself."""
    service = fresh()
    known = Client(service).set_up()
    known.invite("second@example.com")
    device = known.browser.cookies["posthorn_device"]
    stranger = Client(service, address="127.0.0.2")
    stranger.browser.cookies["posthorn_device"] = device
    stranger.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    guess_until_paused(stranger, "second@example.com")  # by address: the cookie is for another
    assert guess(stranger, "second@example.com", PASSWORD) == 429
    assert guess(stranger, password=PASSWORD) == 200


def test_a_device_cookie_outlives_sign_out_and_restart(fresh):
    service = fresh()
    known = Client(service).set_up()
    device = known.browser.cookies["posthorn_device"]
    known.post("/logout", status=204)
    assert known.browser.cookies["posthorn_device"] == device
    service.stop()
    with Service(service.data) as again:
        WATCH.remove(again.url)
        beside = Client(again)
        guess_until_paused(beside)
        known.service = again
        assert guess(known, password=PASSWORD) == 200


def test_ones_own_password_can_be_changed_while_strangers_guess(fresh):
    service = fresh()
    known = Client(service).set_up()
    guess_until_paused(Client(service), FIRST_ADMIN)
    known.keep(known.request("POST", "/password", json={"current_password": PASSWORD, "new_password": PASSWORD + "!"}))
    assert known.get("/session")["signed_in"]


def test_a_flood_of_guesses_leaves_room_for_who_is_known(fresh):
    """Each guess comes from an address of its own, so that none has to wait: only so many are hashed, and never in the last place."""
    service = fresh()
    known = Client(service).set_up()
    until, statuses = time.monotonic() + 3, []

    def flood(n):
        while time.monotonic() < until:
            for k in range(4):
                statuses.append(guess(Client(service, address=f"127.1.{n}.{k + 1}"), f"{n}@example.com"))

    with ThreadPoolExecutor(24) as pool:
        jobs = [pool.submit(flood, n) for n in range(24)]
        own = []
        while time.monotonic() < until:
            own.append(guess(known, password=PASSWORD))
        [job.result() for job in jobs]
    assert set(own) == {200} and len(own) >= 2
    assert set(statuses) <= {401, 429, 503} and 503 in statuses


def test_sign_ins_are_logged_with_their_address(fresh):
    service = fresh()
    Client(service).set_up()
    guess(Client(service, address="127.0.0.3"))
    guess(Client(service, address="127.0.0.3"), password=PASSWORD)
    lines = [line for line in service.stderr().splitlines() if "127.0.0.3" in line]
    assert any("wrong_password" in line for line in lines) and any("signed_in" in line for line in lines)
    assert "not this one" not in service.stderr()


def test_right_passwords_count_for_nothing(fresh):
    """Behind a proxy all people come from one address."""
    service = fresh()
    Client(service).set_up()
    for _ in range(24):
        Client(service, FIRST_ADMIN)


def test_unknown_and_wrong_answer_alike(first_client, dashboard_service):
    answers = [
        Client(dashboard_service).request("POST", "/login", json={"email": email, "password": "not this one"})
        for email in ("nobody@example.com", "first@example.com")
    ]
    assert answers[0].content == answers[1].content and [answer.status_code for answer in answers] == [401, 401]
    Client(dashboard_service, FIRST_ADMIN)  # forgets the failure


def test_many_at_once_do_not_stall_the_service(fresh):
    """More sign-ins than are hashed at once: each is answered, and others are meanwhile."""
    service = fresh()
    Client(service).set_up()

    def guess(n):
        return Client(service).request("POST", "/login", json={"email": FIRST_ADMIN, "password": PASSWORD}).status_code

    with ThreadPoolExecutor(24) as pool:
        running = [pool.submit(guess, n) for n in range(24)]
        assert requests.get(service.url + "/healthz", timeout=HTTP_S).status_code == 200
        statuses = {job.result() for job in running}
    assert 200 in statuses and statuses <= {200, 429, 503}
    poll("one can sign in again", lambda: guess(0) == 200, every_s=0.5)


# ---- cross-site requests, and other principals ----


@pytest.mark.parametrize("headers", [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1"},
])
@pytest.mark.parametrize("path", ["/login", "/setup", "/apps"])
def test_requests_of_other_sites(client, headers, path):
    body = {"email": FIRST_ADMIN, "password": PASSWORD, "name": "x", "token": "x"}
    client.refused("POST", path, 403, "CSRF", json=body, headers=headers)


def test_the_csrf_token(client, first_client):
    body = {"name": "by csrf"}
    for headers in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": client.csrf[:-1]}, {"X-CSRF-Token": first_client.csrf}):
        client.refused("POST", "/apps", 403, "CSRF", json=body, headers=headers, with_csrf=False)
    own = {"Origin": client.service.url}
    assert client.request("POST", "/apps", json=body, headers=own).status_code == 201
    assert [app["name"] for app in client.get("/apps")["data"]].count("by csrf") == 1


def test_bodies_must_say_json(client):
    answer = client.request("POST", "/apps", headers={"Content-Type": "text/plain"}, data='{"name":"plain"}')
    assert answer.status_code == 415 and answer.json()["error"] == "UNSUPPORTED_MEDIA_TYPE"
    client.refused("POST", "/apps", 400, "MALFORMED_JSON", headers={"Content-Type": "application/json"}, data="{")
    client.refused("POST", "/apps", 413, "PAYLOAD_TOO_LARGE", json={"name": "x" * 70000})


def test_who_is_not_signed_in_sends_no_more_than_a_sign_in_needs(client):
    """Refused by the headers: no byte of these bodies is sent."""
    at = urllib.parse.urlsplit(client.service.url)
    for path, length, status in (("/login", 8193, 413), ("/setup", 100_000, 413), ("/apps", 60_000, 401), ("/nowhere", 60_000, 404)):
        with socket.create_connection((at.hostname, at.port), timeout=HTTP_S) as raw:
            head = f"POST {API}{path} HTTP/1.1\r\nHost: {at.netloc}\r\nContent-Type: application/json\r\n"
            raw.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode())
            answer = raw.recv(65536)
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()), answer
        assert b"application/json" in answer
    fits = requests.post(client.service.url + API + "/login", json={"email": "a@example.com", "password": "x" * 7000}, timeout=HTTP_S)
    assert fits.status_code in (401, 422, 429), fits.text


def test_tokens_open_nothing_here_and_sessions_nothing_there(client, app):
    answer = requests.get(client.service.url + API + "/apps", headers={"Authorization": f"Bearer {app.token}"}, timeout=HTTP_S)
    assert answer.status_code == 401
    answer = client.browser.get(client.service.url + "/v1/posts", timeout=HTTP_S)
    assert answer.status_code == 401
