# SPDX-License-Identifier: Apache-2.0
"""Limits on requests of an app and on failed token requests, on services of their own with small numbers."""
import time

import pytest

from harness import App, basic, check_error

GRANT = {"grant_type": "client_credentials"}


@pytest.fixture
def limited(start_service):
    return App(start_service(None, "--rate-limit", "5")).issue_token()


def limit_headers(answer):
    return tuple(int(answer.headers[f"X-RateLimit-{name}"]) for name in ("Limit", "Remaining", "Reset"))


def test_headers_count_down(limited):
    for remaining in (4, 3, 2, 1, 0):
        answer = limited.get("/v1/posts")
        assert answer.status_code == 200
        limit, left, reset = limit_headers(answer)
        assert (limit, left) == (5, remaining)
        assert time.time() - 1 <= reset <= time.time() + 61 or 0 <= reset <= 61


def test_over_the_limit(limited):
    for _ in range(5):
        assert limited.get("/v1/platforms").status_code == 200
    for method, path in (("GET", "/v1/posts"), ("POST", "/v1/posts/publish"), ("GET", "/api/v1/platforms")):
        answer = limited.request(method, path)
        check_error(answer, 429, "RATE_LIMITED")
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
        assert limit_headers(answer)[:2] == (5, 0)


def test_refused_answers_carry_the_headers_too(limited):
    answer = limited.get("/v1/posts?page=0")
    assert answer.status_code == 422 and limit_headers(answer)[:2] == (5, 4)
    answer = limited.get("/v1/posts/unknown")
    assert answer.status_code == 404 and limit_headers(answer)[:2] == (5, 3)


def test_limits_are_per_app(limited):
    other = App(limited.service, name="other", owner="other@example.com").issue_token()
    for _ in range(6):
        limited.get("/v1/posts")
    assert limited.get("/v1/posts").status_code == 429
    assert limit_headers(other.get("/v1/posts"))[:2] == (5, 4)


def test_a_new_token_does_not_start_anew(limited):
    for _ in range(5):
        limited.get("/v1/posts")
    limited.issue_token()
    assert limited.get("/v1/posts").status_code == 429


def test_unauthenticated_requests_do_not_count(limited):
    for _ in range(10):
        assert limited.service.request("GET", "/v1/posts").status_code == 401
    assert limit_headers(limited.get("/v1/posts"))[:2] == (5, 4)


def test_default_and_off(start_service):
    from harness import Process

    app = App(start_service(None)).issue_token()  # the harness sets 0
    answer = app.get("/v1/posts")
    assert answer.status_code == 200 and not any(name.startswith("X-RateLimit") for name in answer.headers)
    app.service.stop()
    with Process(["serve", "--data", app.service.data, "--listen", "127.0.0.1:0"]) as process:
        app.service.url = process.url
        assert limit_headers(app.get("/v1/posts"))[:2] == (600, 599)


# ---- failed token requests ----


def failing(service, client_id, **more):
    headers = {"Authorization": basic(client_id, "wrong")}
    return service.request("POST", "/v1/oauth/token", data=GRANT, headers=headers, **more)


def test_failed_token_requests(start_service):
    service = start_service(None, "--token-failure-limit", "3")
    app = App(service)
    for _ in range(3):
        assert failing(service, app.client_id).status_code == 401
    answer = failing(service, app.client_id)
    body = check_error(answer, 429, "RATE_LIMITED")
    assert body["error_description"] == body["message"]
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert app.request_token().status_code == 200  # the right secret always passes
    check_error(failing(service, app.client_id), 429, "RATE_LIMITED")


def test_a_stranger_stops_nobody(start_service):
    """Neither by the address that all share behind a proxy, nor by a client id, which is no secret."""
    service = start_service(None, "--token-failure-limit", "3")
    app, other = App(service), App(service, name="other", owner="other@example.com")
    for number in range(10):
        failing(service, f"nobody-{number}"), failing(service, app.client_id)
    for good in (app, other, app):
        assert good.request_token().status_code == 200


def test_failures_count_per_address(start_service):
    service = start_service(None, "--token-failure-limit", "3")
    for number in range(3):
        assert failing(service, f"nobody-{number}").status_code == 401
    check_error(failing(service, "nobody-4"), 429, "RATE_LIMITED")


def test_malformed_headers_count(start_service):
    service = start_service(None, "--token-failure-limit", "3")
    for _ in range(3):
        assert service.request("POST", "/v1/oauth/token", data=GRANT).status_code == 400
    check_error(service.request("POST", "/v1/oauth/token", data=GRANT), 429, "RATE_LIMITED")


def test_what_is_no_guess_does_not_count(start_service):
    """Only 400 and 401 count: not success, not a bad grant_type, not a draft."""
    service = start_service(None, "--token-failure-limit", "3")
    app = App(service)
    draft = App(service, name="draft", owner="draft@example.com", live=False)
    for _ in range(4):
        assert app.request_token().status_code == 200
        assert app.request_token(data={"grant_type": "x"}).status_code == 422
        assert draft.request_token().status_code == 409


def test_failures_off(start_service):
    service = start_service(None, "--token-failure-limit", "0")
    for _ in range(30):
        assert failing(service, "nobody").status_code == 401


def test_default_is_ten(start_service):
    from harness import Process

    service = start_service(None)
    service.stop()
    with Process(["serve", "--data", service.data, "--listen", "127.0.0.1:0"]) as process:
        service.url = process.url
        for _ in range(10):
            assert failing(service, "nobody").status_code == 401
        check_error(failing(service, "nobody"), 429, "RATE_LIMITED")


def test_api_limit_and_token_failures_are_apart(start_service):
    service = start_service(None, "--rate-limit", "2", "--token-failure-limit", "3")
    app = App(service).issue_token()
    app.get("/v1/posts"), app.get("/v1/posts")
    assert app.get("/v1/posts").status_code == 429
    assert app.request_token().status_code == 200
