# SPDX-License-Identifier: Apache-2.0
"""The OAuth attack list, as far as it is not beside the endpoint it attacks. Where each line of it is tested:

token endpoint
 1 credentials in the body            test_token.py  test_credentials_in_the_body_are_not_read, ..._do_not_disturb
 2 credentials in the query           test_token.py  test_credentials_in_the_query_are_not_read
 3 two Authorization headers          test_token.py  test_two_authorization_headers
 4 not base64, no colon               test_token.py  test_invalid_authorization_format
   NUL, 1 MB                          here           test_credentials_with_a_nul, test_a_header_of_1_mb
 5 equal time for id and secret       here           test_unknown_ids_and_wrong_secrets_take_the_same_time (--long)
 6 grant_type missing, doubled, other test_token.py  test_grant_type
 7 GET                                test_token.py  test_other_methods
 8 many issues at once                test_token.py  test_many_at_once_leave_one
 9 the old token is dead at once      test_token.py  test_new_token_revokes_the_previous
10 Cache-Control: no-store            test_token.py  every answer there (check_token_error, test_success)
11 secrets need no form-encoding      test_token.py  test_ids_have_their_form; here test_credentials_are_compared_as_sent
12 Bearer in query or form            test_conventions.py  test_token_elsewhere_is_not_read
13 bearer in any case                 test_conventions.py  test_scheme_in_any_case

the way back
14 state missing, 15 wrong            test_callback.py  test_unknown_state_is_a_static_page
16 replayed                           test_callback.py  test_state_works_once, ..._after_a_refusal
17 expired                            test_callback.py  test_expired_after_15_minutes
18 of another app                     here           test_a_state_serves_the_app_that_began
19 of another platform's callback     test_callback.py  test_state_of_another_platform
20 twice at once                      test_callback.py  test_state_used_twice_at_once_has_one_winner
21 a code injected (PKCE)             test_callback.py  test_code_of_another_connection_is_refused; here, all with PKCE
22 a code of another client           here           test_a_code_of_another_client_is_refused
23 iss is another's (RFC 9207)        here           test_an_answer_of_another_issuer_is_refused
24 error and code together            test_callback.py  test_code_and_error_together
25 error text in the redirect         test_callback.py  test_error_text_never_reaches_the_redirect
26 redirect_url's forms               test_connect.py   test_bad_redirect_url; here test_look_alike_hosts, test_the_apps_list
27 unknown state never redirects      test_callback.py  test_unknown_state_is_a_static_page
28 the customer's query               test_callback.py  test_query_is_merged
29 redirect_url changed on the way    here           test_the_way_back_is_fixed_at_the_beginning
30 forwarded link                     test_account_resource.py  test_unusable_until_confirmed; here test_a_forwarded_link
31 an account that another has        here           test_one_platform_account_of_two_apps, ..._of_two_users
32 fewer scopes                       test_callback.py  test_missing_permissions; here, x and linkedin
33 another account on reconnecting    here           test_another_account_on_reconnecting_is_another_account
34 HEAD and prefetch                  test_callback.py  test_a_look_ahead_does_not_use_the_state_up
"""
import math
import os
import socket
import statistics
import time
import urllib.parse

import pytest
import requests

from harness import HTTP_S, App, basic, check_error, follow_return, marker, query_of, with_query

GRANT = {"grant_type": "client_credentials"}
IS_LONG = bool(os.environ.get("POSTHORN_LONG"))


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


@pytest.fixture(scope="module")
def alice(service):
    return App(service, name="alice", owner="alice@example.com").set_credentials().issue_token()


@pytest.fixture(scope="module")
def mallory(service):
    return App(service, name="mallory", owner="mallory@example.com").set_credentials().issue_token()


def callback(app, slug, **query):
    return f"{app.service.url}/v1/oauth/{slug}/callback?{urllib.parse.urlencode(query)}"


def state_of(begun):
    return query_of(begun["redirect_url"])["state"]


def error_of(app, begun):
    answer = app.accounts_of(begun["connection_id"])
    assert answer["status"] == "failed" and answer["accounts"] == [], answer
    return answer["error"]


def accounts_in(app, **filters):
    return app.get("/v1/accounts", params={"per_page": 100, **filters}).json()["data"]


# ---- the token endpoint ----


@pytest.mark.parametrize("pair", ["{id}\0:{secret}", "{id}:{secret}\0", "{id}\0x:{secret}", "\0{id}:{secret}"])
def test_credentials_with_a_nul(mallory, pair):
    """4: a comparison that ends at a NUL would take these for good ones."""
    client_id, _, client_secret = pair.format(id=mallory.client_id, secret=mallory.client_secret).partition(":")
    answer = mallory.service.request("POST", "/v1/oauth/token", data=GRANT, headers={"Authorization": basic(client_id, client_secret)})
    assert answer.status_code in (400, 401), answer.text
    assert answer.json()["error"] in ("invalid_authorization_format", "invalid_client_id", "invalid_client_secret")
    assert mallory.get("/v1/posts").status_code == 200  # and no token was given out instead of the old one


def test_a_header_of_1_mb(mallory):
    """4: refused by its size, before anybody decodes it."""
    at = urllib.parse.urlsplit(mallory.service.url)
    with socket.create_connection((at.hostname, at.port), timeout=HTTP_S) as client:
        try:
            client.sendall(b"POST /v1/oauth/token HTTP/1.1\r\nHost: a\r\nAuthorization: Basic " + b"QUJD" * 262144 + b"\r\n\r\n")
        except OSError:
            pass  # closed while we were still sending
        head = b""
        try:
            while piece := client.recv(4096):
                head += piece
        except ConnectionResetError:
            pass
    assert head.startswith(b"HTTP/1.1 431 "), head[:200]


def test_credentials_are_compared_as_sent(mallory):
    """11: ids and secrets are of letters that RFC 6749 2.3.1's encoding leaves as they are; another spelling is another secret."""
    encoded = "".join(f"%{ord(letter):02X}" for letter in mallory.client_secret)
    headers = {"Authorization": basic(mallory.client_id, encoded)}
    check_error(mallory.service.request("POST", "/v1/oauth/token", data=GRANT, headers=headers), 401, "invalid_client_secret")
    assert urllib.parse.quote_plus(mallory.client_id + mallory.client_secret) == mallory.client_id + mallory.client_secret


@pytest.mark.skipif(not IS_LONG, reason="POSTHORN_LONG=1: takes its time, and wants a quiet machine")
def test_unknown_ids_and_wrong_secrets_take_the_same_time(mallory):
    """5: Welch's t over answers taken in turns; |t| < 4.5 is what leakage tests (TVLA) ask for."""
    rows = {"id": basic("phc_" + "A" * 24, "phs_" + "A" * 43), "secret": basic(mallory.client_id, "phs_" + "A" * 43)}
    took = {name: [] for name in rows}
    with requests.Session() as session:
        for index in range(2000):
            name = ("id", "secret")[index % 2]
            begin = time.perf_counter_ns()
            session.post(f"{mallory.service.url}/v1/oauth/token", data=GRANT, headers={"Authorization": rows[name]})
            took[name].append(time.perf_counter_ns() - begin)
    kept = [sorted(times)[: len(times) * 9 // 10] for times in took.values()]  # what the machine did besides is no leak
    means, parts = zip(*((statistics.mean(times), statistics.variance(times) / len(times)) for times in kept))
    t = (means[0] - means[1]) / math.sqrt(sum(parts))
    print(f"t = {t:.2f}, means {means[0] / 1000:.1f} and {means[1] / 1000:.1f} us")
    assert abs(t) < 4.5


# ---- state and code ----


def test_a_state_serves_the_app_that_began(alice, mallory):
    """18: whoever completes it, the accounts are the beginner's; nothing of it can be seen by the other app."""
    begun = alice.begin("x", user_id="of-alice")
    other = mallory.begin("x", user_id="of-mallory")
    code = query_of(alice.consent(begun))["code"]
    # Mallory's own state with the code of Alice's user: the verifier does not fit, and Mallory has nothing.
    follow_return(callback(mallory, "x", state=state_of(other), code=code))
    assert error_of(mallory, other) == "exchange_failed"
    assert accounts_in(mallory, user_id="of-mallory") == accounts_in(mallory, user_id="of-alice") == []
    check_error(mallory.get(f"/v1/connections/{begun['connection_id']}/accounts"), 404, "CONNECTION_NOT_FOUND")


@pytest.mark.parametrize("slug", ["x", "youtube", "tiktok"])
def test_an_injected_code_does_not_fit_the_verifier(alice, slug):
    """21: on every platform that has PKCE."""
    attacker, victim = alice.begin(slug, user_id="attacker"), alice.begin(slug, user_id="victim")
    code = query_of(alice.consent(attacker))["code"]
    follow_return(callback(alice, slug, state=state_of(victim), code=code))
    assert error_of(alice, victim) == "exchange_failed"
    assert accounts_in(alice, user_id="victim") == []


@pytest.mark.parametrize("issued_at, used_at", [("instagram", "facebook"), ("facebook", "instagram")])
def test_a_code_of_another_client_is_refused(alice, issued_at, used_at):
    """22: the two Meta apps are two clients at one host, so that only the client id tells their codes apart."""
    code = query_of(alice.consent(alice.begin(issued_at, user_id="other-client")))["code"]
    begun = alice.begin(used_at, user_id="other-client")
    follow_return(callback(alice, used_at, state=state_of(begun), code=code))
    assert error_of(alice, begun) == "exchange_failed"
    assert accounts_in(alice, user_id="other-client") == []


@pytest.mark.parametrize("issuer", ["https://accounts.evil.example", "https://accounts.google.com.evil.example", "http://accounts.google.com",
                                    "https://accounts.google.com/"])
def test_an_answer_of_another_issuer_is_refused(alice, sandbox, issuer):
    """23: the code is not sent anywhere."""
    begun = alice.begin("youtube", user_id="mixed-up")
    url = with_query(alice.consent(begun), iss=issuer)
    seen = len(sandbox.log(host="oauth2.googleapis.com"))
    returned = follow_return(url)
    assert query_of(returned.headers["Location"])["error"] == "platform_error"
    assert error_of(alice, begun) == "platform_error"
    assert len(sandbox.log(host="oauth2.googleapis.com")) == seen
    assert issuer not in returned.headers["Location"]


def test_an_answer_of_the_right_issuer_is_good(alice):
    """23: Google names itself so (RFC 9207; its discovery document)."""
    begun = alice.begin("youtube", user_id="named")
    follow_return(with_query(alice.consent(begun), iss="https://accounts.google.com"))
    assert alice.accounts_of(begun["connection_id"])["status"] == "success"


# ---- where the browser goes ----


@pytest.mark.parametrize("url", ["https://customer.\u0435xample/", "https://\u0441ustomer.example/", "https://customer\u3002example/", "https://customer.example\u2044.evil.example/",
                                 "https://\uff43ustomer.example/", "https://customer.example%2f.evil.example/", "https://customer.example%00.evil.example/"])
def test_look_alike_hosts(alice, url):
    """26: a name outside ASCII comes as punycode or not at all."""
    answer = alice.post("/v1/accounts/connect", json={"platform": "x", "user_id": "u", "redirect_url": url})
    check_error(answer, 422, "VALIDATION_ERROR", ["redirect_url"])
    puny = alice.post("/v1/accounts/connect", json={"platform": "x", "user_id": "u", "redirect_url": "https://xn--bcher-kva.example/"})
    assert puny.status_code == 200


def test_the_apps_list(service):
    """26: whole addresses match whole, origins match origins; nothing that only begins the same."""
    app = App(service, name="listed").set_credentials("x").issue_token()
    listed = "https://customer.example/done https://other.example"
    done = app.cli("app", "set", app.client_id, "--redirect-urls", listed)
    assert done.returncode == 0, done.stderr
    for good in ("https://customer.example/done", "https://other.example", "https://other.example/any?x=y", "https://OTHER.example:443/"):
        assert app.begin("x", redirect_url=good)["connection_id"]
    for bad in ("https://customer.example/done/", "https://customer.example/done?x=y", "https://customer.example/", "https://customer.example/doneX",
                "http://customer.example/done", "https://other.example.evil.example/", "https://other.example:8443/", "http://other.example/",
                "https://sub.other.example/", "https://evil.example/?https://other.example"):
        answer = app.get("/v1/oauth/x/connect", params={"user_id": "u", "redirect_url": bad})
        check_error(answer, 422, "VALIDATION_ERROR", ["redirect_url"])


def test_a_loopback_address_on_the_list_fits_any_port(service):
    """RFC 8252, 7.3: a program on the user's machine listens where there is room. Only the port is free, only for literal loopback
    addresses over http, and only where the list names none."""
    app = App(service, name="native").set_credentials("x").issue_token()
    listed = "http://127.0.0.1/ http://[::1]/back http://127.0.0.2:7000/ http://localhost/ https://customer.example/"
    done = app.cli("app", "set", app.client_id, "--redirect-urls", listed)
    assert done.returncode == 0, done.stderr
    for good in ("http://127.0.0.1:49152/", "http://127.0.0.1/", "http://[::1]:1234/back", "http://127.0.0.2:7000/", "http://localhost/"):
        assert app.begin("x", redirect_url=good)["connection_id"]
    for bad in ("http://127.0.0.1:49152/other", "http://127.0.0.1:49152/?a=b", "https://127.0.0.1:49152/", "http://[::1]:1234/",
                "http://127.0.0.2:7001/", "http://localhost:49152/", "https://customer.example:8443/", "http://127.0.0.1.evil.example:80/"):
        answer = app.get("/v1/oauth/x/connect", params={"user_id": "u", "redirect_url": bad})
        check_error(answer, 422, "VALIDATION_ERROR", ["redirect_url"])


def test_the_way_back_is_fixed_at_the_beginning(alice):
    """29: nothing in the callback's query, and no later connection, changes where the browser goes."""
    begun = alice.begin("x", user_id="fixed", redirect_url="https://first.example/done")
    alice.begin("x", user_id="fixed", redirect_url="https://second.example/done")
    names = ("redirect_url", "redirect_uri", "next", "return_to", "connection_id", "user_id")
    url = with_query(alice.consent(begun), **{name: "https://evil.example/" for name in names})
    returned = follow_return(url)
    assert returned.headers["Location"] == f"https://first.example/done?connection_id={begun['connection_id']}&status=success"


def test_a_forwarded_link(service):
    """30: the attacker begins, somebody else consents. With confirmation on, what the attacker knows does not suffice: the token went
    to the browser that came back, and it is good for the user of that browser's own session only."""
    app = App(service, name="forwarding").set_credentials("x").issue_token()
    assert app.cli("app", "set", app.client_id, "--connect-confirmation", "on").returncode == 0
    begun = app.begin("x", user_id="attacker")
    returned = follow_return(app.consent(begun))  # the victim's browser
    token = query_of(returned.headers["Location"])["confirmation_token"]
    confirm = f"/v1/connections/{begun['connection_id']}/confirm"
    # The customer's server says whose session the browser came back to: the victim's.
    check_error(app.post(confirm, json={"confirmation_token": token, "user_id": "victim"}), 422, "VALIDATION_ERROR")
    account = app.accounts_of(begun["connection_id"])["accounts"][0]["id"]
    check_error(app.publish([account], marker("forwarded")), 422, "INVALID_ACCOUNT")
    assert app.get(f"/v1/accounts/{account}").json()["data"]["confirmed"] is False


# ---- accounts ----


def test_one_platform_account_of_two_apps(alice, mallory):
    """31: two rows with tokens of their own; what one app does to its row, the other's does not feel."""
    mine, theirs = alice.connect("x", user_id="shared"), mallory.connect("x", user_id="shared")
    a, b = mine.accounts[0], theirs.accounts[0]
    assert a["platform_account_id"] == b["platform_account_id"] and a["id"] != b["id"]
    assert mallory.request("DELETE", f"/v1/accounts/{b['id']}").status_code == 204
    assert alice.get(f"/v1/accounts/{a['id']}").json()["data"]["status"] == "active"
    alice.published(a["id"], marker("still mine"))


def test_one_platform_account_of_two_users(alice):
    """31: connecting what another user of the same app has connected takes nothing over."""
    first, second = alice.connect("x", user_id="first-user"), alice.connect("x", user_id="second-user")
    assert first.accounts[0]["id"] != second.accounts[0]["id"]
    assert [row["id"] for row in accounts_in(alice, user_id="first-user")] == [first.accounts[0]["id"]]
    assert [row["id"] for row in accounts_in(alice, user_id="second-user")] == [second.accounts[0]["id"]]
    alice.published(first.accounts[0]["id"], marker("first still works"))


FEWER = {
    "x": ("/2/oauth2/token", {"token_type": "bearer", "expires_in": 7200, "access_token": "fewer", "refresh_token": "r", "scope": "users.read offline.access"}),
    "linkedin": ("/oauth/v2/accessToken", {"access_token": "fewer", "expires_in": 5183999, "scope": "openid,profile"}),
    "youtube": ("/token", {"access_token": "fewer", "expires_in": 3599, "token_type": "Bearer", "refresh_token": "r",
                           "scope": "https://www.googleapis.com/auth/youtube.readonly"}),
    "tiktok": ("/v2/oauth/token/", {"open_id": "o", "scope": "user.info.basic", "access_token": "fewer", "expires_in": 86400, "refresh_token": "r",
                                    "refresh_expires_in": 31536000, "token_type": "Bearer"}),
}


@pytest.mark.parametrize("slug", FEWER)
def test_a_token_with_fewer_scopes_is_no_account(alice, sandbox, slug):
    """32: said so, and nothing kept."""
    path, body = FEWER[slug]
    begun = alice.begin(slug, user_id="fewer")
    url = alice.consent(begun)
    sandbox.fault(slug, "POST", path, "status", status=200, body=body)
    returned = follow_return(url)
    assert query_of(returned.headers["Location"])["error"] == "missing_permissions"
    assert error_of(alice, begun) == "missing_permissions"
    assert accounts_in(alice, user_id="fewer") == []


def test_another_account_on_reconnecting_is_another_account(alice, sandbox):
    """33: the user was logged in as somebody else at the platform. The old row keeps its id, its account and its token."""
    first = alice.connect("x", user_id="switcher").accounts[0]
    begun = alice.begin("x", user_id="switcher")
    url = alice.consent(begun)
    sandbox.fault("x", "GET", "/2/users/me", "status", status=200, body={"data": {"id": "99887766", "name": "Somebody", "username": "somebody"}})
    follow_return(url)
    second = alice.accounts_of(begun["connection_id"])["accounts"][0]
    assert second["id"] != first["id"] and second["platform_account_id"] == "99887766"
    shown = alice.get(f"/v1/accounts/{first['id']}").json()["data"]
    assert shown["platform_account_id"] == first["platform_account_id"] and shown["status"] == "active"
    assert {row["id"] for row in accounts_in(alice, user_id="switcher")} == {first["id"], second["id"]}
    alice.published(first["id"], marker("not swapped"))
