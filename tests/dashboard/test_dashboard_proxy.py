# SPDX-License-Identifier: Apache-2.0
"""Sign-in by a proxy's header: who is believed, and that nobody is made an admin by it."""
import json

import pytest

from client import FIRST_ADMIN, PASSWORD, Client, code_of
from harness import cli

SECRET = "a-shared-secret-of-more-than-32-characters"
NAMES = {"X-Forwarded-Email": FIRST_ADMIN, "X-Posthorn-Sign-In-Secret": SECRET}


def settings(directory, **other):
    secret = directory / "secret"
    secret.write_text(other.pop("secret", SECRET) + "\n")
    secret.chmod(other.pop("mode", 0o600))
    given = {"sign-in-header": "X-Forwarded-Email", "sign-in-proxy": "127.0.0.5", "sign-in-secret-file": str(secret), **other}
    return [word for name, value in given.items() if value is not None for word in (f"--{name}", value)]


@pytest.fixture
def house(fresh, tmp_path):
    service = fresh(*settings(tmp_path), "--trusted-proxy", "127.0.0.6")
    return service, Client(service).set_up()


def come(service, headers=None, address="127.0.0.5", body=None):
    return Client(service, address=address).request("POST", "/login/proxy", json=body or {}, headers={**NAMES, **(headers or {})})


def test_who_the_proxy_names_is_signed_in(house):
    service, root = house
    proxy = Client(service, address="127.0.0.5")
    shown = proxy.get("/session", headers=NAMES)
    assert shown["proxy_email"] == FIRST_ADMIN and not shown["signed_in"]
    answer = come(service, {"X-Forwarded-Email": "First@Example.com"})
    assert answer.status_code == 200 and answer.json()["admin"]["role"] == "root"
    proxy.keep(answer)
    proxy.browser.cookies.update(answer.cookies)
    proxy.get("/apps")  # the session is one as any other: no header any more
    row = root.get("/audit?action=session.begin")["data"][0]
    assert (row["actor"], row["outcome"], row["source"]) == (FIRST_ADMIN, "done", "127.0.0.5")
    assert SECRET not in service.stderr()


@pytest.mark.parametrize("headers, address", [
    ({}, "127.0.0.1"),  # not the proxy
    ({"X-Forwarded-For": "127.0.0.5"}, "127.0.0.6"),  # nor by what another trusted proxy says of it
    ({"X-Posthorn-Sign-In-Secret": SECRET[:-1]}, "127.0.0.5"),
    ({"X-Posthorn-Sign-In-Secret": ""}, "127.0.0.5"),
    ({"X-Posthorn-Sign-In-Secret": None}, "127.0.0.5"),
    ({"X-Forwarded-Email": None}, "127.0.0.5"),
    ({"X-Forwarded-Email": ""}, "127.0.0.5"),
])
def test_who_is_not_believed(house, headers, address):
    service, root = house
    answer = come(service, headers, address)
    assert answer.status_code == 401 and answer.json()["error"] == "LOGIN_FAILED" and "Set-Cookie" not in answer.headers
    shown = Client(service, address=address).request("GET", "/session", headers={**NAMES, **headers}).json()
    assert shown["proxy_email"] is None


def test_a_header_that_is_there_twice_is_not_believed(house):
    """The client's own beside the proxy's."""
    import http.client
    service, root = house
    for twice in NAMES:
        connection = http.client.HTTPConnection(service.url.removeprefix("http://"), source_address=("127.0.0.5", 0), timeout=30)
        connection.putrequest("POST", "/dashboard/api/login/proxy")
        for name, value in [*NAMES.items(), (twice.lower(), NAMES[twice]), ("Content-Type", "application/json"), ("Content-Length", "2")]:
            connection.putheader(name, value)
        connection.endheaders(b"{}")
        assert connection.getresponse().status == 401
        connection.close()


def test_no_admin_is_made(house):
    service, root = house
    answer = come(service, {"X-Forwarded-Email": "stranger@example.com"})
    assert answer.status_code == 403 and answer.json()["error"] == "NO_SUCH_ADMIN"
    assert [row["email"] for row in root.get("/admins")["data"]] == [FIRST_ADMIN]
    root.post("/invitations", {"email": "stranger@example.com"}, status=201)
    assert come(service, {"X-Forwarded-Email": "stranger@example.com"}).json()["admin"]["role"] == "owner"  # without a password
    root.delete("/admins/stranger%40example.com")
    assert come(service, {"X-Forwarded-Email": "stranger@example.com"}).status_code == 403


def test_the_second_factor_is_asked_for(house):
    service, root = house
    offer = root.post("/second-factor/offer")
    root.post("/second-factor", {"offer": offer["offer"], "code": code_of(offer["secret"], -1), "current_password": PASSWORD})
    assert come(service).json()["error"] == "SECOND_FACTOR_NEEDED"
    assert come(service, body={"code": code_of(offer["secret"])}).status_code == 200


def test_other_sites_cannot_ask_for_it(house):
    service, root = house
    assert come(service, {"Sec-Fetch-Site": "cross-site"}).json()["error"] == "CSRF"


def test_it_is_off_by_default(fresh):
    service = fresh()
    Client(service).set_up()
    assert come(service).status_code == 401
    assert Client(service, address="127.0.0.5").get("/session", headers=NAMES)["proxy_email"] is None


@pytest.mark.parametrize("other, words", [
    ({"sign-in-proxy": None}, "belong together"), ({"sign-in-header": None}, "belong together"),
    ({"sign-in-secret-file": None}, "belong together"), ({"sign-in-proxy": "127.0.0.5/8"}, "sign-in-proxy"),
    ({"sign-in-header": "X Email"}, "names of two headers"), ({"sign-in-header": "x-posthorn-sign-in-secret"}, "names of two headers"),
    ({"secret": "too short"}, "32 to 1,024"), ({"secret": "x" * 1025}, "32 to 1,024"), ({"mode": 0o644}, "everybody may read"),
    ({"sign-in-secret-file": "/nonexistent"}, "cannot read"),
])
def test_settings_that_are_wrong_stop_the_start(tmp_path, other, words):
    done = cli("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", *settings(tmp_path, **other))
    assert done.returncode in (1, 2) and words in done.stderr, done.stderr
    assert SECRET not in done.stderr and json.dumps("too short") not in done.stderr
