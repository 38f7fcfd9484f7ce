# SPDX-License-Identifier: Apache-2.0
"""Signing in: the set-up link, sessions and their cookie, passwords and how they are guessed."""
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from desk import API, FIRST_ADMIN, PASSWORD, Desk, setup_token
from harness import HTTP_S, poll


# ---- the first admin ----


def test_set_up_by_the_printed_link(fresh, tmp_path):
    data = tmp_path / "kept"
    service = fresh(data=data)
    desk = Desk(service)
    found = desk.get("/session")
    assert found["setup_needed"] and not found["signed_in"] and found["admin"] is None and found["csrf_token"] is None
    link = re.search(r"make the first admin at (\S+)", service.stderr())[1]
    assert link == f"{service.url}/dashboard/setup#{setup_token(service)}"
    token = setup_token(service)
    wrong = {"token": token[:-1] + ("A" if token[-1] != "A" else "B"), "email": FIRST_ADMIN, "password": PASSWORD}
    desk.refused("POST", "/setup", 403, "SETUP_TOKEN_INVALID", json=wrong)
    desk.refused("POST", "/setup", 422, "VALIDATION_ERROR", json={**wrong, "token": token, "password": "short"})
    desk.refused("POST", "/setup", 422, "VALIDATION_ERROR", json={**wrong, "token": token, "email": "nobody"})
    assert not Desk(service).get("/session")["signed_in"]
    desk.set_up()
    assert desk.session["admin"]["email"] == FIRST_ADMIN and not desk.session["setup_needed"]
    assert desk.get("/session")["admin"] == desk.session["admin"]
    # The link is used up, also after a restart.
    Desk(service).refused("POST", "/setup", 409, "SETUP_DONE", json={**wrong, "token": token})
    service.stop()
    again = fresh(data=data)
    assert "setup#" not in again.stderr()
    assert not Desk(again).get("/session")["setup_needed"]
    Desk(again).refused("POST", "/setup", 409, "SETUP_DONE", json={**wrong, "token": token})
    Desk(again, FIRST_ADMIN)


def test_the_owner_of_an_app_is_given_the_first_password(fresh):
    """`app create --owner` makes an admin who cannot sign in yet (API.md section 3)."""
    service = fresh()
    made = service.cli("app", "create", "--name", "one", "--owner", "Ann@Example.com")
    assert made.returncode == 0
    assert Desk(service).get("/session")["setup_needed"]
    desk = Desk(service).set_up("ann@example.com")
    assert [app["name"] for app in desk.get("/apps")["data"]] == ["one"]


def test_the_command_line_makes_admins_too(fresh):
    service = fresh()
    done = service.cli("admin", "create", "--email", "cli@example.com", "--password-stdin", stdin=PASSWORD)
    assert done.returncode == 0, done.stderr
    assert not Desk(service).get("/session")["setup_needed"]
    body = {"token": setup_token(service), "email": FIRST_ADMIN, "password": PASSWORD}
    Desk(service).refused("POST", "/setup", 409, "SETUP_DONE", json=body)
    Desk(service, "cli@example.com")


# ---- the session ----


def test_sign_in_and_out(first_desk, desk_service):
    desk = Desk(desk_service, "FIRST@example.com ")
    assert desk.session["signed_in"] and desk.session["sandbox"] and desk.session["sandbox_url"].endswith("/")
    kept = dict(desk.browser.cookies)
    desk.post("/logout", status=204)
    assert not desk.browser.cookies
    desk.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    desk.browser.cookies.update(kept)  # what a thief kept is worth nothing
    desk.refused("GET", "/apps", 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("origin, name, is_secure", [
    (None, "posthorn_session", False),
    ("http://localhost:8080", "posthorn_session", False),
    ("https://posts.example", "__Host-posthorn_session", True),
])
def test_the_cookie(first_desk, desk_service, origin, name, is_secure):
    """The browser says where its page is: a proxy that ends TLS needs no words of its own."""
    headers = {"Sec-Fetch-Site": "same-origin", **({"Origin": origin} if origin else {})}
    answer = Desk(desk_service).request("POST", "/login", json={"email": FIRST_ADMIN, "password": PASSWORD}, headers=headers)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(name + "=") and "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/;" in cookie
    assert ("Secure" in cookie) == is_secure and "Domain" not in cookie
    value = cookie.split(";")[0].split("=")[1]

    def ask(cookies):
        return requests.get(desk_service.url + API + "/apps", headers={"Cookie": cookies}, timeout=HTTP_S).status_code

    assert ask(f"a=b; {name}={value}") == 200
    other = "posthorn_session" if is_secure else "__Host-posthorn_session"
    assert ask(f"{other}={value}") == 401
    assert ask(f"{name}={value[:-1]}") == 401


def test_every_sign_in_is_a_session_of_its_own(first_desk, desk_service):
    desk = Desk(desk_service)
    desk.browser.cookies.set("posthorn_session", "A" * 43, domain="127.0.0.1", path="/")  # planted by somebody else
    desk.sign_in(FIRST_ADMIN)
    assert "A" * 43 not in desk.browser.cookies.values()
    before = dict(desk.browser.cookies)
    desk.sign_in(FIRST_ADMIN)
    assert dict(desk.browser.cookies) != before
    old = Desk(desk_service)
    old.browser.cookies.update(before)
    old.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    rows = desk.get("/sessions")["data"]
    assert [row["current"] for row in rows].count(True) == 1
    assert rows[0]["address"] == "127.0.0.1" and "python-requests" in rows[0]["user_agent"]


def test_a_session_ends_without_requests(fresh):
    desk = Desk(fresh("--session-idle", "1")).set_up()
    poll("the session is over", lambda: not desk.get("/session")["signed_in"], every_s=0.3)  # asking keeps nothing alive
    desk.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    assert desk.sign_in(FIRST_ADMIN).session["signed_in"]


def test_requests_keep_a_session_alive(fresh):
    desk = Desk(fresh("--session-idle", "8")).set_up()
    first = desk.session["idle_expires_at"]
    poll("its end moves", lambda: desk.get("/apps") and desk.get("/session")["idle_expires_at"] > first, every_s=0.3)


def test_a_session_ends_in_any_case(fresh):
    service = fresh("--session-lifetime", "1")
    desk = Desk(service).set_up()
    poll("the session is over", lambda: desk.request("GET", "/apps").status_code == 401, every_s=0.2)


def test_a_new_password_ends_all_other_sessions(desk, first_desk, desk_service):
    first_desk.post("/admins", {"email": "turn@example.com", "password": PASSWORD}, status=201)
    one, two = Desk(desk_service, "turn@example.com"), Desk(desk_service, "turn@example.com")
    old = (dict(one.browser.cookies), one.csrf)
    one.refused("POST", "/password", 403, "WRONG_PASSWORD", json={"current_password": "wrong one", "new_password": "a new long word"})
    one.refused("POST", "/password", 422, "VALIDATION_ERROR", json={"current_password": PASSWORD, "new_password": "short"})
    one.keep(one.request("POST", "/password", json={"current_password": PASSWORD, "new_password": "a new long word"}))
    assert (dict(one.browser.cookies), one.csrf) != old
    one.get("/apps")
    two.refused("GET", "/apps", 401, "UNAUTHENTICATED")
    Desk(desk_service).refused("POST", "/login", 401, "LOGIN_FAILED", json={"email": "turn@example.com", "password": PASSWORD})
    Desk(desk_service, "turn@example.com", "a new long word")


# ---- guessing ----


def test_wrong_passwords_are_slowed(fresh):
    service = fresh()
    Desk(service).set_up()
    desk = Desk(service)
    wrong = {"email": FIRST_ADMIN, "password": "not this one"}
    for _ in range(5):
        desk.refused("POST", "/login", 401, "LOGIN_FAILED", json=wrong)
    answer = desk.request("POST", "/login", json=wrong)
    assert answer.status_code == 429 and answer.json()["error"] == "RATE_LIMITED"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60 and answer.json()["details"]["retry_after_s"] >= 1
    # The right one has to wait too, else the pause would tell nothing from nothing.
    desk.refused("POST", "/login", 429, "RATE_LIMITED", json={"email": FIRST_ADMIN, "password": PASSWORD})
    poll("the pause is over", lambda: desk.request("POST", "/login", json={"email": FIRST_ADMIN, "password": PASSWORD}).status_code == 200, every_s=0.3)
    # It was right: the failures are forgotten.
    for _ in range(5):
        desk.refused("POST", "/login", 401, "LOGIN_FAILED", json=wrong)


def test_an_address_is_slowed_over_all_accounts(fresh):
    service = fresh()
    Desk(service).set_up()
    desk = Desk(service)
    statuses = [desk.request("POST", "/login", json={"email": f"{n}@example.com", "password": "whatever it is"}).status_code for n in range(22)]
    assert statuses[:19] == [401] * 19 and 429 in statuses


def test_right_passwords_count_for_nothing(fresh):
    """Behind a proxy all people come from one address."""
    service = fresh()
    Desk(service).set_up()
    for _ in range(24):
        Desk(service, FIRST_ADMIN)


def test_unknown_and_wrong_answer_alike(first_desk, desk_service):
    answers = [
        Desk(desk_service).request("POST", "/login", json={"email": email, "password": "not this one"})
        for email in ("nobody@example.com", "first@example.com")
    ]
    assert answers[0].content == answers[1].content and [answer.status_code for answer in answers] == [401, 401]
    Desk(desk_service, FIRST_ADMIN)  # forgets the failure


def test_many_at_once_do_not_stall_the_service(fresh):
    """More sign-ins than are hashed at once: each is answered, and others are meanwhile."""
    service = fresh()
    Desk(service).set_up()

    def guess(n):
        return Desk(service).request("POST", "/login", json={"email": FIRST_ADMIN, "password": PASSWORD}).status_code

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
def test_requests_of_other_sites(desk, headers, path):
    body = {"email": FIRST_ADMIN, "password": PASSWORD, "name": "x", "token": "x"}
    desk.refused("POST", path, 403, "CSRF", json=body, headers=headers)


def test_the_csrf_token(desk, first_desk):
    body = {"name": "by csrf"}
    for headers in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": desk.csrf[:-1]}, {"X-CSRF-Token": first_desk.csrf}):
        desk.refused("POST", "/apps", 403, "CSRF", json=body, headers=headers, with_csrf=False)
    own = {"Origin": desk.service.url}
    assert desk.request("POST", "/apps", json=body, headers=own).status_code == 201
    assert [app["name"] for app in desk.get("/apps")["data"]].count("by csrf") == 1


def test_bodies_must_say_json(desk):
    answer = desk.request("POST", "/apps", headers={"Content-Type": "text/plain"}, data='{"name":"plain"}')
    assert answer.status_code == 415 and answer.json()["error"] == "UNSUPPORTED_MEDIA_TYPE"
    desk.refused("POST", "/apps", 400, "MALFORMED_JSON", headers={"Content-Type": "application/json"}, data="{")
    desk.refused("POST", "/apps", 413, "PAYLOAD_TOO_LARGE", json={"name": "x" * 70000})


def test_tokens_open_nothing_here_and_sessions_nothing_there(desk, app):
    answer = requests.get(desk.service.url + API + "/apps", headers={"Authorization": f"Bearer {app.token}"}, timeout=HTTP_S)
    assert answer.status_code == 401
    answer = desk.browser.get(desk.service.url + "/v1/posts", timeout=HTTP_S)
    assert answer.status_code == 401
