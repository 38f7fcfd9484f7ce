# SPDX-License-Identifier: Apache-2.0
"""The second factor: turned on with an app's code, asked for at every way in, good once, guessed at slowly, and lost."""
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import FIRST_ADMIN, PASSWORD, Client, code_of, token_of, web_routes
from harness import WATCH, Service

WHO = {"email": FIRST_ADMIN, "password": PASSWORD}


def turn_on(client):
    """{"secret", "codes"}: with the step before now, so that the code of now is still good."""
    offer = client.post("/second-factor/offer")
    body = {"offer": offer["offer"], "code": code_of(offer["secret"], -1), "current_password": PASSWORD}
    return {"secret": offer["secret"], "codes": client.post("/second-factor", body)["recovery_codes"]}


def login(service, code=None, address=None, **who):
    body = {**WHO, **who}
    return Client(service, address=address).request("POST", "/login", json=body if code is None else {**body, "code": code})


@pytest.fixture
def house(fresh):
    service = fresh()
    return service, Client(service).set_up()


def test_it_is_asked_for_after_the_password(house):
    service, client = house
    beside = Client(service, FIRST_ADMIN)
    assert client.get("/second-factor") == {"on": False, "recovery_codes_left": 0}
    factor = turn_on(client)
    assert client.get("/second-factor") == {"on": True, "recovery_codes_left": 10}
    assert client.get("/session")["admin"]["second_factor"]
    beside.refused("GET", "/apps", 401, "UNAUTHENTICATED")  # who was signed in elsewhere has to show a code now
    needed = login(service)
    assert needed.status_code == 401 and needed.json()["error"] == "SECOND_FACTOR_NEEDED" and "Set-Cookie" not in needed.headers
    assert login(service, password="wrong one").json()["error"] == "LOGIN_FAILED"  # the password first: a code tells nothing
    assert login(service, "000000" if code_of(factor["secret"]) != "000000" else "000001").json()["error"] == "SECOND_FACTOR_WRONG"
    code = code_of(factor["secret"])
    assert login(service, f" {code[:3]} {code[3:]} ").status_code == 200
    again = login(service, code)
    assert again.status_code == 401 and again.json()["error"] == "SECOND_FACTOR_WRONG"  # good once
    for secret in (factor["secret"], code, *factor["codes"]):
        assert secret not in service.stderr() and secret not in json.dumps(client.get("/audit?limit=500"))


def test_offers_and_codes_of_others(house):
    service, client = house
    other = client.invite("other@example.com")
    offer, theirs = client.post("/second-factor/offer"), other.post("/second-factor/offer")
    body = {"code": code_of(theirs["secret"]), "current_password": PASSWORD}
    for wrong in (theirs["offer"], "", "x", offer["offer"][:-4] + "AAAA", None):
        answer = client.refused("POST", "/second-factor", 422, "VALIDATION_ERROR", json={**body, "offer": wrong})
        assert list(answer["errors"]) == ["offer"]
    body = {"offer": offer["offer"], "current_password": PASSWORD}
    for wrong in (code_of(offer["secret"], 3), code_of(offer["secret"], -3), "", "12345", None):
        assert list(client.refused("POST", "/second-factor", 422, "VALIDATION_ERROR", json={**body, "code": wrong})["errors"]) == ["code"]
    good = {**body, "code": code_of(offer["secret"])}
    client.refused("POST", "/second-factor", 403, "WRONG_PASSWORD", json={**good, "current_password": "not this one"})
    assert not client.get("/second-factor")["on"]
    client.post("/second-factor", good)
    client.refused("POST", "/second-factor", 409, "CONFLICT", json=good)
    assert login(service, email="other@example.com").status_code == 200  # the other's is off


def test_recovery_codes(house):
    service, client = house
    codes = turn_on(client)["codes"]
    assert len(set(codes)) == 10
    assert login(service, codes[0].upper().replace("-", " ")).status_code == 200
    assert login(service, codes[0]).json()["error"] == "SECOND_FACTOR_WRONG"
    assert client.get("/second-factor")["recovery_codes_left"] == 9
    proof = {"current_password": PASSWORD, "code": codes[1]}
    client.refused("POST", "/second-factor/codes", 403, "SECOND_FACTOR_NEEDED", json={"current_password": PASSWORD})
    client.refused("POST", "/second-factor/codes", 403, "WRONG_PASSWORD", json={**proof, "current_password": "x"})
    fresh = client.post("/second-factor/codes", proof)["recovery_codes"]
    assert login(service, codes[2]).json()["error"] == "SECOND_FACTOR_WRONG"
    client.post("/second-factor/off", {"current_password": PASSWORD, "code": fresh[0]}, status=204)
    assert login(service).status_code == 200
    client.refused("POST", "/second-factor/off", 409, "CONFLICT", json=proof)


def test_guesses_are_slowed_from_wherever_they_come(house):
    """Who guesses codes knows the password, and may have many addresses. A browser that has signed in before does not wait for them."""
    service, client = house
    factor = turn_on(client)
    statuses = [login(service, "000000", address=f"127.0.2.{n + 1}").status_code for n in range(12)]
    assert statuses[:5] == [401] * 5 and 429 in statuses
    waiting = login(service, code_of(factor["secret"]), address="127.0.2.99")
    assert waiting.status_code == 429 and int(waiting.headers["Retry-After"]) >= 1
    known = client.request("POST", "/login", json={**WHO, "code": code_of(factor["secret"])})
    assert known.status_code == 200
    rows = client.keep(known).get("/audit?action=session.begin&limit=500")["data"]
    assert any(row["outcome"] == "refused" and row["object"] == f"admin {FIRST_ADMIN}" for row in rows)
    assert "wrong_second_factor" in service.stderr()


def test_links_ask_for_it_too(house):
    service, client = house
    factor = turn_on(client)
    made = json.loads(service.cli("admin", "setup-link", "--email", FIRST_ADMIN).stdout)
    body = {"token": token_of(made["link"]), "password": "turnip lamp quartz"}
    Client(service).refused("POST", "/invitation", 401, "SECOND_FACTOR_NEEDED", json=body)
    Client(service).refused("POST", "/invitation", 401, "SECOND_FACTOR_WRONG", json={**body, "code": "no such"})
    assert login(service).json()["error"] == "SECOND_FACTOR_NEEDED"  # the password is the old one, and the link still good
    answer = Client(service).request("POST", "/invitation", json={**body, "code": factor["codes"][0]})
    assert answer.status_code == 201


def test_a_lost_one_is_reset(house):
    service, client = house
    other = client.invite("other@example.com")
    turn_on(other)
    client.refused("POST", f"/admins/{FIRST_ADMIN}/second-factor/reset", 409, "CONFLICT")  # one's own asks for a code
    assert client.post("/admins/Other@example.com/second-factor/reset")["second_factor"] is False
    assert login(service, email="other@example.com").status_code == 200
    client.refused("POST", "/admins/other@example.com/second-factor/reset", 404, "NOT_FOUND")
    turn_on(client)
    done = service.cli("admin", "reset-second-factor", FIRST_ADMIN)
    assert done.returncode == 0 and json.loads(done.stdout)["second_factor"] is False
    assert service.cli("admin", "reset-second-factor", FIRST_ADMIN).returncode == 1
    assert login(service).status_code == 200
    rows = client.get("/audit?action=second_factor.reset")["data"]
    assert [row["outcome"] for row in rows] == ["refused", "done", "refused", "done", "refused"]


@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_of_many_who_use_a_code_at_once_one_gets_in(house, kind):
    service, client = house
    factor = turn_on(client)
    gate = threading.Barrier(6)

    def use(code):
        gate.wait()
        return login(service, code).status_code

    code = code_of(factor["secret"]) if kind == "app" else factor["codes"][0]
    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(use, [code] * 6))
    assert statuses.count(200) == 1 and set(statuses) <= {200, 401, 429, 503}, statuses


def test_it_outlives_a_kill_and_a_new_master_key(house, tmp_path):
    """Turned on is durable when the codes are shown, and the secret is resealed with all others."""
    service, client = house
    factor = turn_on(client)
    service.kill()
    old, new = service.data / "master.key", tmp_path / "new.key"
    with Service(service.data) as plain:
        assert plain.cli("master-key", "create", new).returncode == 0
    with Service(service.data, options=["--master-key-file", str(new), "--old-master-key-file", str(old)]) as both:
        WATCH.remove(both.url)
        done = both.cli("reseal", "--master-key-file", new, "--old-master-key-file", old)
        assert done.returncode == 0, done.stdout + done.stderr
    with Service(service.data, options=["--master-key-file", str(new)]) as alone:
        WATCH.remove(alone.url)
        assert login(alone).json()["error"] == "SECOND_FACTOR_NEEDED"
        assert login(alone, code_of(factor["secret"])).status_code == 200


def test_a_compulsory_one_comes_before_all_else(fresh):
    service = fresh("--second-factor", "required")
    client = Client(service).set_up()
    assert client.get("/session")["second_factor_required"]
    for method, path, principal in web_routes():
        if principal in ("NONE", "SELF") or method == "*":
            continue
        answer = client.request(method, re.sub(r"{\w+}", "x", path), json={})
        assert (answer.status_code, answer.json()["error"]) == (403, "SECOND_FACTOR_REQUIRED"), (method, path)
    client.refused("GET", "/apps/x/v1/posts", 403, "SECOND_FACTOR_REQUIRED")
    assert client.get("/sessions")["data"] and not client.get("/second-factor")["on"]  # one's own account is open
    codes = turn_on(client)["codes"]
    assert client.get("/apps")["data"] == []
    proof = {"current_password": PASSWORD, "code": codes[0]}
    client.refused("POST", "/second-factor/off", 409, "CONFLICT", json=proof)
    assert client.get("/second-factor") == {"on": True, "recovery_codes_left": 10}
