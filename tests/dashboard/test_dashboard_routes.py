# SPDX-License-Identifier: Apache-2.0
"""The table of routes, walked: who may call each, whatever it does. A new row is tested by being there."""
import re

import pytest

from client import API, Client, web_bodies, web_routes
from harness import ROOT

ROUTES = [(method if method != "*" else "POST", path, who) for method, path, who in web_routes()]
NAMES = {"client_id": None, "platform": "x", "email": "nobody%40example.com", "session_id": "0" * 32, "rest": "posts/publish"}


def filled(path, client_id="phc_unknown"):
    """The path with something for each capture."""
    return re.sub(r"\{\*?(\w+)\}", lambda found: client_id if found[1] == "client_id" else NAMES.get(found[1], "00000000"), path)


def ids(rows):
    return [f"{method} {path}" for method, path, _ in rows]


GUARDED = [row for row in ROUTES if row[2] != "NONE"]
CHANGING = [row for row in GUARDED if row[0] != "GET"]
OWNED = [row for row in ROUTES if row[2] == "OWNER"]
OF_ROOT = [row for row in ROUTES if row[2] == "ROOT"]


@pytest.mark.parametrize("method, path, who", GUARDED, ids=ids(GUARDED))
def test_without_a_session(dashboard_service, method, path, who):
    Client(dashboard_service).refused(method, filled(path), 401, "UNAUTHENTICATED", json={})


@pytest.mark.parametrize("method, path, who", CHANGING, ids=ids(CHANGING))
def test_without_the_csrf_token(first_client, method, path, who):
    first_client.refused(method, filled(path), 403, "CSRF", json={}, with_csrf=False)


@pytest.mark.parametrize("method, path, who", OWNED, ids=ids(OWNED))
def test_apps_of_others(dashboard_app, other_client, method, path, who):
    """What belongs to another owner and what does not exist answer byte for byte alike."""
    def ask(client_id): return other_client.request(method, filled(path, client_id), json={})
    foreign, unknown = ask(dashboard_app["client_id"]), ask("phc_" + "0" * 24)
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content
    drop = ("X-Request-Id", "Date")
    assert [pair for pair in foreign.headers.items() if pair[0] not in drop] == [
                                                   pair for pair in unknown.headers.items() if pair[0] not in drop]


@pytest.mark.parametrize("method, path, who", OF_ROOT, ids=ids(OF_ROOT))
def test_what_only_root_may_do(dashboard_app, other_client, method, path, who):
    """An owner is refused before anything is looked at: their own app and another's answer alike."""
    for client_id in (other_client.app["client_id"], dashboard_app["client_id"]):
        other_client.refused(method, filled(path, client_id), 403, "FORBIDDEN", json={})


def test_apps_of_others_in_queries(dashboard_app, other_client):
    for path in ("/posts", "/calendar?month=2026-11", "/overview", "/usage"):
        mark = "&" if "?" in path else "?"
        foreign = other_client.request("GET", f"{path}{mark}client_id={dashboard_app['client_id']}")
        unknown = other_client.request("GET", f"{path}{mark}client_id=phc_{'0' * 24}")
        assert foreign.status_code == 404 and foreign.content == unknown.content


def test_root_sees_every_app(first_client, other_client):
    theirs = other_client.app["client_id"]
    assert theirs in [app["client_id"] for app in first_client.get("/apps")["data"]]
    assert first_client.get(f"/apps/{theirs}")["owner"] == "other@example.com"
    assert {app["owner"] for app in other_client.get("/apps")["data"]} == {"other@example.com"}
    for path in ("/posts", "/calendar?month=2026-11", "/overview", "/usage"):
        first_client.get(f"{path}{'&' if '?' in path else '?'}client_id={theirs}")


@pytest.mark.parametrize("method, path, who", ROUTES, ids=ids(ROUTES))
def test_every_route_is_described(method, path, who):
    text = (ROOT / "docs/dashboard-api.md").read_text()
    assert path.split("/v1/")[0] in text or path.rsplit("/", 1)[-1] in text, path


def test_headers_of_every_answer(first_client):
    for path in ("/session", "/apps", "/nothing", "/apps/phc_x/v1/posts"):
        headers = first_client.request("GET", path).headers
        assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Request-Id"]
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in headers["Content-Security-Policy"]


def test_the_control_socket_is_not_here(first_client):
    for path in ("/schema", "/doctor", "/hold"):
        first_client.refused("GET", path, 404, "NOT_FOUND")
    first_client.refused("POST", "/backup", 404, "NOT_FOUND", json={"path": "x"})
    assert first_client.browser.get(f"{first_client.service.url}/admin/apps", timeout=30).status_code == 404


def test_methods(first_client):
    answer = first_client.request("PUT", "/apps", json={})
    assert answer.status_code == 405 and answer.json()["error"] == "METHOD_NOT_ALLOWED" and set(
        answer.headers["Allow"].split(", ")) == {"GET", "POST"}
    assert first_client.browser.head(first_client.service.url + API + "/apps", timeout=30).status_code == 200


@pytest.mark.parametrize("method, path", web_bodies(), ids=lambda value: value)
def test_an_unknown_field_is_refused(client, dashboard_app, method, path):
    where = filled(path, dashboard_app["client_id"])
    body = client.refused(method, where, 422, "VALIDATION_ERROR", json={"no_such_name": 1, "emial": "a", "naame": "b"})
    assert body["errors"]["no_such_name"] == ["Unknown field."]
    assert body["message"] == body["errors"]["no_such_name"][0] and len(body["errors"]) == 3


def test_the_public_api_refuses_alike(client, dashboard_app):
    where = f"/apps/{dashboard_app['client_id']}/v1"
    body = client.refused("POST", f"{where}/posts/publish", 422, "VALIDATION_ERROR", json={"schedule_at": "2027-01-01T00:00:00Z"})
    assert body["errors"]["schedule_at"] == ["Unknown field. Did you mean scheduled_at?"]
    for path in ("posts?state=published", "accounts?state=active", "posts/1?x=1", "webhooks?page=2"):
        client.refused("GET", f"{where}/{path}", 422, "VALIDATION_ERROR")
