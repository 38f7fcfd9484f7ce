# SPDX-License-Identifier: Apache-2.0
"""GET /v1/oauth/{platform}/callback and the return redirect (endpoint 3): one-time state, fixed error codes, and the
attacks that an OAuth client has to stand (RFC 9700)."""
import concurrent.futures
import sqlite3
import time
import urllib.parse

import pytest
import requests

from harness import (CUSTOMER_URL, HTTP_S, PLATFORMS, App, check_error, follow_return, marker, query_of, with_query)

ERROR_CODES = {"access_denied", "expired", "exchange_failed", "missing_permissions", "no_accounts", "platform_error"}


@pytest.fixture(autouse=True)
def no_faults_left(sandbox):
    yield
    sandbox.clear_faults()


def get(url, **more):
    return requests.get(url, allow_redirects=False, timeout=HTTP_S, **more)


def status_of(app, begun):
    return app.get(f"/v1/connections/{begun['connection_id']}/accounts").json()["status"]


def check_static_page(answer):
    """What is shown where nothing may be trusted: a page of ours, no redirect, nothing of the request in it."""
    assert answer.status_code == 400, answer.text
    assert "Location" not in answer.headers and "Refresh" not in answer.headers
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"


def check_failed(app, connection_or_begun, code, returned=None):
    connection_id = connection_or_begun["connection_id"]
    answer = app.accounts_of(connection_id)
    assert answer["status"] == "failed" and answer["accounts"] == []
    assert answer["error"] == code, answer
    assert isinstance(answer["error_description"], str) and answer["error_description"]
    if returned is not None:
        query = query_of(returned.headers["Location"])
        assert query["connection_id"] == connection_id
        assert (query["status"], query["error"]) == ("failed", code)
        assert set(query) == {"connection_id", "status", "error"}
    return answer


# ---- success ----


@pytest.mark.parametrize("slug", PLATFORMS)
def test_consent_page_as_a_person_sees_it(app, slug):
    connection = app.connect(slug, by_form=True)
    assert connection.answer["status"] == "success" and connection.accounts
    assert connection.query == {"connection_id": connection.id, "status": "success"}
    assert connection.returned.headers["Location"].startswith(CUSTOMER_URL + "?")
    assert connection.returned.headers["Referrer-Policy"] == "no-referrer"
    assert connection.returned.headers["Cache-Control"] == "no-store"


def test_both_prefixes(app):
    begun = app.begin("x")
    url = app.consent(begun).replace("/v1/oauth/", "/api/v1/oauth/")
    assert query_of(follow_return(url).headers["Location"])["status"] == "success"


MERGES = {
    "none": ("https://c.example/done", "https://c.example/done?connection_id={id}&status=success"),
    "no path": ("https://c.example", None),
    "own query": ("https://c.example/d?k=1&l=a%20b", "https://c.example/d?k=1&l=a%20b&connection_id={id}&status=success"),
    "pretended": ("https://c.example/d?status=success&k=1&connection_id=conn_x&error=y", "https://c.example/d?k=1&connection_id={id}&status=success"),
    "pretended in other spelling": ("https://c.example/d?%73tatus=failed&k=1", "https://c.example/d?k=1&connection_id={id}&status=success"),
    "only pretended": ("https://c.example/d?error=x", "https://c.example/d?connection_id={id}&status=success"),
    "port": ("http://127.0.0.1:3999/d", "http://127.0.0.1:3999/d?connection_id={id}&status=success"),
}


@pytest.mark.parametrize("redirect_url, expected", MERGES.values(), ids=MERGES.keys())
def test_query_is_merged(app, redirect_url, expected):
    connection = app.connect("x", redirect_url=redirect_url)
    location = connection.returned.headers["Location"]
    if expected is not None:
        assert location == expected.format(id=connection.id)
    assert query_of(location)["connection_id"] == connection.id
    assert query_of(location)["status"] == "success"
    assert urllib.parse.urlsplit(location).netloc == urllib.parse.urlsplit(redirect_url).netloc


# ---- the user or the platform says no ----


@pytest.mark.parametrize("slug", PLATFORMS)
@pytest.mark.parametrize("by_form", [False, True], ids=["script", "form"])
def test_denied(app, slug, by_form):
    begun = app.begin(slug)
    returned = follow_return(app.consent(begun, decision="deny", by_form=by_form))
    check_failed(app, begun, "access_denied", returned)


@pytest.mark.parametrize("slug, kept", [
    ("facebook", ["105312345678901234", "pages_show_list", "pages_read_engagement", "pages_manage_engagement", "business_management"]),
    ("instagram", ["105312345678901234", "instagram_basic", "pages_show_list", "pages_read_engagement", "business_management"]),
    ("youtube", ["https://www.googleapis.com/auth/youtube.readonly"]),
    ("tiktok", ["user.info.basic"]),
])
def test_missing_permissions(app, slug, kept):
    """The user unticks what publishing needs."""
    begun = app.begin(slug)
    returned = follow_return(app.consent(begun, by_form=True, checked=kept))
    check_failed(app, begun, "missing_permissions", returned)


@pytest.mark.parametrize("slug, kept", [
    ("facebook", ["pages_show_list", "pages_manage_posts", "pages_read_engagement", "pages_manage_engagement", "business_management"]),
    ("instagram", ["instagram_basic", "instagram_content_publish", "instagram_manage_comments", "pages_show_list", "pages_read_engagement", "business_management"]),
])
def test_no_accounts(app, slug, kept):
    """Every permission, but no Page."""
    begun = app.begin(slug)
    returned = follow_return(app.consent(begun, by_form=True, checked=kept))
    check_failed(app, begun, "no_accounts", returned)


def test_one_page_chosen(app):
    kept = ["107398765432109876", "pages_show_list", "pages_manage_posts", "pages_read_engagement", "pages_manage_engagement", "business_management"]
    connection = app.connect("facebook", by_form=True, checked=kept)
    assert [account["platform_account_id"] for account in connection.accounts] == ["107398765432109876"]


TOKEN_CALLS = {
    "instagram": ("GET", "/v25.0/oauth/access_token"),
    "facebook": ("GET", "/v25.0/oauth/access_token"),
    "x": ("POST", "/2/oauth2/token"),
    "linkedin": ("POST", "/oauth/v2/accessToken"),
    "youtube": ("POST", "/token"),
    "tiktok": ("POST", "/v2/oauth/token/"),
}


@pytest.mark.parametrize("slug", PLATFORMS)
def test_exchange_failed(app, slug):
    """A code the platform never gave."""
    begun = app.begin(slug)
    url = app.consent(begun)
    query = query_of(url)
    query["code"] = "A" * 40
    returned = follow_return(url.split("?")[0] + "?" + urllib.parse.urlencode(query))
    check_failed(app, begun, "exchange_failed", returned)


@pytest.mark.parametrize("slug", PLATFORMS)
def test_platform_error(app, sandbox, slug):
    """The token endpoint does nothing but fail on its side."""
    begun = app.begin(slug)
    url = app.consent(begun)
    method, path = TOKEN_CALLS[slug]
    sandbox.fault(slug, method, path, "status", status=500, times=50)
    returned = follow_return(url)
    assert returned.status_code == 302, returned.text
    code = query_of(returned.headers["Location"])["error"]
    assert code in ("platform_error", "exchange_failed")
    check_failed(app, begun, code, returned)
    assert code == "platform_error"


# ---- state ----


@pytest.mark.parametrize("query", ["", "?code=x", "?state=", "?state=&code=x", "?state=unknown&code=x", "?error=access_denied",
                                   "?state=" + "A" * 43 + "&code=x", "?state=" + "x" * 5000, "?state=%00", "?wait=conn_" + "0" * 32,
                                   "?state=<script>alert(1)</script>&code=x", "?state=%ff"])
@pytest.mark.parametrize("slug", ["x", "facebook"])
def test_unknown_state_is_a_static_page(service, slug, query):
    answer = get(f"{service.url}/v1/oauth/{slug}/callback{query}")
    check_static_page(answer)
    assert "<script" not in answer.text


@pytest.mark.parametrize("slug", ["myspace", "X"])
def test_callback_of_an_unknown_platform(service, slug):
    check_error(get(f"{service.url}/v1/oauth/{slug}/callback"), 404, "PLATFORM_NOT_FOUND")


def test_state_works_once(app):
    connection = app.connect("x")
    check_static_page(get(connection.callback_url))
    assert app.accounts_of(connection.id)["status"] == "success"


def test_state_works_once_after_a_refusal(app):
    begun = app.begin("x")
    url = app.consent(begun, decision="deny")
    follow_return(url)
    check_static_page(get(url))


def test_state_used_twice_at_once_has_one_winner(app):
    begun = app.begin("x")
    url = app.consent(begun)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: follow_return(url), range(8)))
    assert sorted(answer.status_code for answer in answers) == [302] + [400] * 7
    assert app.accounts_of(begun["connection_id"])["status"] == "success"


def test_state_of_another_platform(app):
    """Mix-up: the state of an X connection at Facebook's callback uses nothing up."""
    begun = app.begin("x")
    url = app.consent(begun)
    check_static_page(get(url.replace("/oauth/x/", "/oauth/facebook/")))
    assert status_of(app, begun) == "pending"
    assert query_of(follow_return(url).headers["Location"])["status"] == "success"


def test_code_of_another_connection_is_refused(app):
    """Code injection: the attacker's code with the victim's state does not fit the verifier (PKCE)."""
    attacker, victim = app.begin("x", user_id="attacker"), app.begin("x", user_id="victim")
    code = query_of(app.consent(attacker))["code"]
    state = query_of(victim["redirect_url"])["state"]
    url = f"{app.service.url}/v1/oauth/x/callback?" + urllib.parse.urlencode({"state": state, "code": code})
    check_failed(app, victim, "exchange_failed", follow_return(url))
    assert status_of(app, attacker) == "pending"


def test_code_and_error_together(app):
    begun = app.begin("x")
    url = with_query(app.consent(begun), error="access_denied")
    check_failed(app, begun, "access_denied", follow_return(url))


@pytest.mark.parametrize("error", ["<script>alert(1)</script>", "a\r\nSet-Cookie: x=y", "server_error", "x" * 3000, "success"])
def test_error_text_never_reaches_the_redirect(app, error):
    begun = app.begin("x")
    state = query_of(begun["redirect_url"])["state"]
    query = urllib.parse.urlencode({"state": state, "error": error, "error_description": error})
    returned = follow_return(f"{app.service.url}/v1/oauth/x/callback?{query}")
    assert returned.status_code == 302
    answer = query_of(returned.headers["Location"])
    assert answer["error"] in ERROR_CODES and set(answer) == {"connection_id", "status", "error"}
    assert "Set-Cookie" not in returned.headers


def test_neither_code_nor_error(app):
    begun = app.begin("x")
    state = query_of(begun["redirect_url"])["state"]
    returned = follow_return(f"{app.service.url}/v1/oauth/x/callback?state={state}")
    assert returned.status_code == 302
    assert query_of(returned.headers["Location"])["error"] in ERROR_CODES


@pytest.mark.parametrize("look", ["HEAD", "Sec-Purpose", "Purpose"])
def test_a_look_ahead_does_not_use_the_state_up(app, look):
    begun = app.begin("x")
    url = app.consent(begun)
    if look == "HEAD":
        answer = requests.head(url, allow_redirects=False, timeout=HTTP_S)
    else:
        answer = get(url, headers={look: "prefetch;prerender" if look == "Sec-Purpose" else "prefetch"})
    assert "Location" not in answer.headers
    assert status_of(app, begun) == "pending"
    assert query_of(follow_return(url).headers["Location"])["status"] == "success"


def test_expired_after_15_minutes(start_sandbox, start_service):
    """The attempt is made 16 minutes older in the database of a stopped service: no test can wait that long."""
    sandbox = start_sandbox()
    first = start_service(sandbox)
    app = App(first).set_credentials("x").issue_token()
    begun = app.begin("x", user_id="slow")
    url = app.consent(begun)
    first.stop()
    database = sqlite3.connect(first.data / "posthorn.db")
    database.execute("UPDATE connections SET created_at_us = created_at_us - 16 * 60 * 1000000")
    database.commit()
    database.close()
    app.service = start_service(sandbox, data=first.data)
    check_failed(app, begun, "expired")
    check_static_page(get(url.replace(first.url, app.service.url)))
    check_failed(app, begun, "expired")


def test_gone_after_30_days(start_sandbox, start_service):
    sandbox = start_sandbox()
    first = start_service(sandbox)
    app = App(first).set_credentials("x").issue_token()
    connection = app.connect("x")
    first.stop()
    database = sqlite3.connect(first.data / "posthorn.db")
    days = 31 * 86400 * 1000000
    database.execute("UPDATE connections SET created_at_us = created_at_us - ?, finished_at_us = finished_at_us - ?", (days, days))
    database.commit()
    database.close()
    app.service = start_service(sandbox, data=first.data)
    check_error(app.get(f"/v1/connections/{connection.id}/accounts"), 404, "CONNECTION_NOT_FOUND")
    # The accounts that came of it stay.
    assert app.publish(connection.accounts[0]["id"], marker()).status_code == 202


# ---- a slow platform ----


def test_slow_platform_gets_a_page_that_asks_again(app, sandbox):
    begun = app.begin("linkedin")
    url = app.consent(begun)
    sandbox.fault("linkedin", *TOKEN_CALLS["linkedin"], "slow", retry_after=10)
    browser = requests.Session()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(browser.get, url, allow_redirects=False, timeout=HTTP_S)
        time.sleep(0.3)
        begin = time.monotonic()
        assert app.get("/v1/posts").status_code == 200
        assert app.connect("x").answer["status"] == "success"
        assert time.monotonic() - begin < 5, "a slow platform holds up other requests"
        page = waiting.result()
    assert page.status_code == 200 and "Refresh" in page.headers and "Location" not in page.headers
    assert status_of(app, begun) == "pending"
    again = urllib.parse.urljoin(url, page.headers["Refresh"].partition("; url=")[2])
    assert "HttpOnly" in page.headers["Set-Cookie"] and "SameSite=Lax" in page.headers["Set-Cookie"]
    check_static_page(get(again))
    returned = follow_return(again, browser)
    assert query_of(returned.headers["Location"]) == {"connection_id": begun["connection_id"], "status": "success"}
