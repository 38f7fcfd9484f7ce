# SPDX-License-Identifier: Apache-2.0
"""What holds for every endpoint (API: "Conventions"), walked over the route table itself, so that a new route is tested
as soon as it has a row."""
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import ROOT, App, check_error, marker

ROUTE = re.compile(r'^ROUTE\((\w+),\s*"([^"]+)",\s*(\w+),\s*(\w+),', re.M)
ROUTES = ROUTE.findall((ROOT / "src/api/routes.def").read_text())
PREFIXES = ("/v1", "/api/v1")
FILLING = {
    "platform": "x",
    "connection_id": "conn_" + "0" * 32,
    "post_id": "01a1fcda-7451-7617-8dc3-203f49eaf280",
    "account_id": "01a1fcda-7451-7617-8dc3-203f49eaf281",
    "draft_id": "01a1fcda-7451-7617-8dc3-203f49eaf283",
    "webhook_id": "01a1fcda-7451-7617-8dc3-203f49eaf282",
    "media_id": "med_01a1fcda-7451-7617-8dc3-203f49eaf284",
    "upload_id": "01a1fcda-7451-7617-8dc3-203f49eaf285",
    "token": "A" * 43,
    "user_id": "user-of-nobody",
    "code": "0" * 32,
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def fill(path):
    return re.sub(r"\{(\w+)\}", lambda found: FILLING[found.group(1)], path)


def walk(*callers, bodies=None):
    """(method, path under each prefix) of the routes for these callers, as pytest parameters."""
    return [
        pytest.param(method, prefix + fill(path), id=f"{method} {prefix}{path}")
        for method, path, who, body in ROUTES
        for prefix in PREFIXES
        if who in callers and (bodies is None or body in bodies)
    ]


EVERY_PATH = sorted({prefix + fill(path) for _, path, _, _ in ROUTES for prefix in PREFIXES})


def methods_of(path):
    """Those of the most exact pattern that the path fits: /posts/publish is never a post whose id would be "publish"."""
    fits = {
        pattern for _,
        pattern,
        _,
        _ in ROUTES for prefix in PREFIXES if re.fullmatch(
            prefix +
            re.sub(
                r"\{\w+\}",
                "[^/]+",
                pattern),
            path)}
    exact = min(fits, key=lambda pattern: [part.startswith("{") for part in pattern.split("/")])
    return sorted({method for method, pattern, _, _ in ROUTES if pattern == exact})


def test_the_table_is_read():
    assert len(ROUTES) >= 9
    paths = {path for _, path, _, _ in ROUTES}
    assert {"/oauth/token", "/oauth/{platform}/connect", "/accounts/connect", "/connections/{connection_id}/accounts"} <= paths
    assert {"/posts/publish", "/posts", "/posts/{post_id}", "/platforms"} <= paths


# ---- 401 and 403 ----

BAD_AUTHORIZATION = {
    "none": None,
    "empty": "",
    "scheme only": "Bearer",
    "blank": "Bearer ",
    "unknown token": "Bearer pht_" + "A" * 43,
    "other scheme": "Token pht_" + "A" * 43,
    "basic": "Basic YTpi",
    "very long": "Bearer " + "A" * 5000,
    "quote": "Bearer ' OR 1=1 --",
}


@pytest.mark.parametrize("method, path", walk("BEARER"))
def test_no_token(service, method, path):
    body = check_error(service.request(method, path), 401, "UNAUTHENTICATED")
    assert set(body) == {"message", "error"}


@pytest.mark.parametrize("value", BAD_AUTHORIZATION.values(), ids=BAD_AUTHORIZATION.keys())
def test_bad_tokens_answer_alike(service, value):
    is_token = (value or "").startswith("Bearer ") and value.removeprefix("Bearer ").strip() != ""
    other = {"Authorization": "Bearer pht_another"} if is_token else {}
    expected = service.request("GET", "/v1/posts", headers=other).text
    headers = {} if value is None else {"Authorization": value}
    answer = service.request("GET", "/v1/posts", headers=headers)
    check_error(answer, 401, "UNAUTHENTICATED")
    assert answer.text == expected


@pytest.mark.parametrize("method, path", walk("BEARER", bodies=["JSON"]))
def test_token_comes_before_the_body(service, method, path):
    answer = service.request(method, path, data="{", headers={"Content-Type": "text/plain"})
    check_error(answer, 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("place", ["query", "form", "json"])
def test_token_elsewhere_is_not_read(app, service, place):
    more = {
        "query": {"params": {"access_token": app.token}},
        "form": {"data": {"access_token": app.token}},
        "json": {"json": {"access_token": app.token}},
    }[place]
    check_error(
        service.request(
            "GET" if place == "query" else "POST",
            "/v1/posts/publish" if place != "query" else "/v1/posts",
            **more),
        401,
        "UNAUTHENTICATED")


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "BeArEr"])
def test_scheme_in_any_case(app, service, scheme):
    assert service.request("GET", "/v1/posts", headers={"Authorization": f"{scheme} {app.token}"}).status_code == 200


def test_token_is_matched_in_its_case(app, service):
    answer = service.request("GET", "/v1/posts", headers={"Authorization": f"Bearer {app.token.swapcase()}"})
    check_error(answer, 401, "UNAUTHENTICATED")


@pytest.fixture(scope="module")
def suspended(service):
    app = App(service, name="suspended everywhere").issue_token()
    assert app.cli("app", "suspend", app.client_id).returncode == 0
    return app


@pytest.mark.parametrize("method, path", walk("BEARER"))
def test_suspended_app(suspended, method, path):
    check_error(suspended.request(method, path), 403, "app_not_active")


# ---- 404 and 405 ----

UNKNOWN_PATHS = ["/v1", "/v1/", "/v2/posts", "/v1/nothing", "/v1/posts/", "/v1/posts/a/b/c", "/api/posts", "/api/v2/posts",
                 "/v1/oauth", "/v1/oauth/x", "/v1/oauth/x/connect/more", "/v1/connections", "/V1/posts", "/v1/Posts",
                 "/v1//posts", "/v1/posts%2Fpublish", "/v1/%70osts/x/y", "/admin/apps", "/api/v1/admin/apps"]


@pytest.mark.parametrize("path", UNKNOWN_PATHS)
def test_unknown_path(app, service, path):
    """404 with or without a token, and the same body."""
    without = service.request("GET", path)
    check_error(without, 404, "NOT_FOUND")
    assert app.get(path).text == without.text


@pytest.mark.parametrize("path", EVERY_PATH)
def test_other_methods(app, path):
    for method in METHODS:
        if method in methods_of(path):
            continue
        answer = app.request(method, path)
        check_error(answer, 405, "METHOD_NOT_ALLOWED")
        allow = {word.strip() for word in answer.headers["Allow"].split(",")}
        assert set(methods_of(path)) <= allow and method not in allow


# ---- HEAD ----


@pytest.mark.parametrize("method, path", [p for p in walk("BEARER", "NOBODY", bodies=["NONE"]) if p.values[0] == "GET"])
def test_head_is_get_without_a_body(app, method, path):
    got, head = app.get(path), app.request("HEAD", path)
    assert head.content == b""
    if "/callback" not in path:  # a look there is answered without looking (test_callback.py)
        assert head.status_code == got.status_code
        assert head.headers["Content-Type"] == got.headers["Content-Type"]


# ---- X-Request-Id ----


@pytest.mark.parametrize("value", ["a", "A-b_c.9", "x" * 64, "01a1fcda-7451-7617-8dc3-203f49eaf280"])
def test_valid_request_id_is_kept(app, value):
    assert app.get("/v1/posts", headers={"X-Request-Id": value}).headers["X-Request-Id"] == value


@pytest.mark.parametrize("value", ["", "x" * 65, "a b", "a/b", "ä".encode("latin-1"), "a,b", "<x>", "a=b"])
def test_other_request_id_is_replaced(app, value):
    given_text = value.decode("latin-1") if isinstance(value, bytes) else value
    made = app.get("/v1/posts", headers={"X-Request-Id": value}).headers["X-Request-Id"]
    assert made != given_text and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", made)


@pytest.mark.parametrize("path", ["/v1/posts", "/nothing", "/v1/oauth/token", "/v1/oauth/x/callback", "/healthz"])
def test_every_answer_has_a_request_id(service, path):
    answers = [service.request("GET", path) for _ in range(2)]
    assert answers[0].headers["X-Request-Id"] != answers[1].headers["X-Request-Id"]


# ---- bodies: 413, 415, 400, 422 ----

JSON_ROUTES = walk("BEARER", bodies=["JSON"])


@pytest.mark.parametrize("method, path", JSON_ROUTES)
@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "text/json"])
def test_unsupported_media_type(app, method, path, kind):
    headers = {"Content-Type": kind} if kind else {}
    check_error(app.request(method, path, data=b"{}", headers=headers), 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"])
def test_media_type_with_parameters(app, kind):
    answer = app.post("/v1/posts/publish", data=b"{}", headers={"Content-Type": kind})
    check_error(answer, 422, "VALIDATION_ERROR")


@pytest.mark.parametrize("method, path", JSON_ROUTES)
def test_body_over_1_mib(app, method, path):
    headers = {"Content-Type": "application/json"}
    body = b'{"x":"' + b"y" * (1 << 20) + b'"}'
    check_error(app.request(method, path, data=body, headers=headers), 413, "PAYLOAD_TOO_LARGE")


def test_body_of_1_mib_is_read(app):
    body = b'{"x":"' + b"y" * ((1 << 20) - 8) + b'"}'
    answer = app.post("/v1/posts/publish", data=body, headers={"Content-Type": "application/json"})
    check_error(answer, 422, "VALIDATION_ERROR")


def deep(levels):
    return b"[" * levels + b"]" * levels


MALFORMED = {
    # name: (body, line, column or None where any will do)
    "empty": (b"", 1, None),
    "blank": (b"  ", 1, None),
    "cut": (b'{"content":', 1, None),
    "trailing comma": (b'{"a":1,}', 1, 8),
    "trailing garbage": (b"{} x", 1, None),
    "two values": (b"{}{}", 1, None),
    "single quotes": (b"{'a':1}", 1, None),
    "comment": (b"{/*x*/}", 1, None),
    "unquoted name": (b"{a:1}", 1, None),
    "NaN": (b'{"a":NaN}', 1, None),
    "leading zero": (b'{"a":01}', 1, None),
    "line two": (b'{\n "a": !}', 2, None),
    "duplicate keys": (b'{"a":1,"a":2}', 1, None),
    "duplicate keys on line three": (b'{\n"a":1,\n"a":2}', 3, None),
    "duplicate keys inside": (b'{"x":{"a":1,"\\u0061":2}}', 1, None),
    "lone high surrogate": (b'{"a":"\\ud800"}', 1, None),
    "lone low surrogate": (b'{"a":"\\udc00"}', 1, None),
    "surrogates in the wrong order": (b'{"a":"\\udc00\\ud800"}', 1, None),
    "invalid UTF-8": (b'{"a":"\xff"}', 1, None),
    "overlong UTF-8": (b'{"a":"\xc0\xaf"}', 1, None),
    "surrogate in UTF-8": (b'{"a":"\xed\xa0\x80"}', 1, None),
    "raw control character": (b'{"a":"\x01"}', 1, None),
    "raw line feed in a text": (b'{"a":"\n"}', None, None),
    "NUL in a text": (b'{"a":"\\u0000"}', 1, None),
    "NUL in a name": (b'{"\\u0000":1}', 1, None),
    "BOM": (b"\xef\xbb\xbf{}", 1, None),
    "UTF-16": ('{"a":1}'.encode("utf-16"), 1, None),
    "too deep": (b'{"a":' + deep(32) + b"}", 1, None),
    "far too deep": (deep(100000), 1, None),
}


@pytest.mark.parametrize("body, line, column", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_json(app, body, line, column):
    for path in ("/v1/posts/publish", "/v1/accounts/connect"):
        answer = app.post(path, data=body, headers={"Content-Type": "application/json"})
        details = check_error(answer, 400, "MALFORMED_JSON")["details"]
        assert set(details) == {"line", "column"}
        assert details["line"] >= 1 and details["column"] >= 1
        assert line is None or details["line"] == line, details
        assert column is None or abs(details["column"] - column) <= 1, details


@pytest.mark.parametrize("body", [b'{"a":' + deep(31) + b"}", b' \n{"a":"\\ud83d\\ude00"}\n', b'{"a":1,"A":2}', b'{"":0}',
                                  b'{"a":1e400}', b'{"a":123456789012345678901234567890}'])
def test_odd_json_that_is_fine(app, body):
    """Read; refused only for what is missing. Numbers out of range may be called malformed."""
    answer = app.post("/v1/posts/publish", data=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in ((400, 422) if b"400" in body or b"1234" in body else (422,)), answer.text


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"1", b"true", b"null", b'[{"content":"x"}]'])
def test_body_that_is_no_object(app, body):
    for path in ("/v1/posts/publish", "/v1/accounts/connect"):
        answer = app.post(path, data=body, headers={"Content-Type": "application/json"})
        check_error(answer, 422, "VALIDATION_ERROR")


@pytest.mark.parametrize("path", ["/v1/posts?status=%ff", "/v1/posts?page=%zz"])
def test_query_that_is_not_percent_encoded_utf8(app, path):
    check_error(app.get(path), 422, "VALIDATION_ERROR")


# ---- any body at all: an answer of the known shape, never a 5xx, nothing stored ----

# NUL is refused as malformed (above).
TEXTS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=12)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
NAMES = ["request_id", "account_ids", "content", "media", "containers", "platforms", "scheduled_at", "type"]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.dictionaries(st.sampled_from(NAMES), JSON_VALUES, max_size=8))
def test_any_object_is_answered(app, body):
    answer = app.post("/v1/posts/publish", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"] in ("VALIDATION_ERROR", "INVALID_MEDIA", "INVALID_SCHEDULE", "INVALID_ACCOUNT")
    check_error(answer, 422, answer.json()["error"])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.binary(max_size=60))
def test_any_bytes_are_answered(app, body):
    answer = app.post("/v1/posts/publish", data=body or b" ", headers={"Content-Type": "application/json"})
    check_error(answer, answer.status_code, answer.json()["error"])
    assert answer.status_code in (400, 422)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(query=st.dictionaries(
    st.sampled_from(["date_from", "date_to", "status", "page", "per_page", "external_user_ids[]", "platform", "account_ids[]"]),
    st.text(max_size=12), max_size=5))
def test_any_query_is_answered(app, query):
    answer = app.get("/v1/posts", params=query)
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 422:
        check_error(answer, 422, "VALIDATION_ERROR")


# ---- the operator's pages ----


def test_healthz_and_readyz(service):
    assert service.request("GET", "/healthz").status_code == 200
    assert service.request("GET", "/readyz").status_code == 200
    assert service.request("GET", "/readyz?delivery").json() == {"status": "ready"}


def test_secrets_do_not_reach_the_log(app, service):
    text = marker("log")
    app.get("/v1/posts", headers={"X-Request-Id": "log-test"})
    app.publish("nobody", text)
    log = service.stderr()
    assert app.token not in log and app.client_secret not in log
    assert json.dumps(text) not in log
