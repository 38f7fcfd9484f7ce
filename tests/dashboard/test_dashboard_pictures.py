# SPDX-License-Identifier: Apache-2.0
"""Pictures of accounts come from this service alone: it fetches them, keeps them, shows them to who may see the account, and loses them
with the account."""
import contextlib
import http.server
import os
import sqlite3
import threading

import pytest
import requests

from client import FIRST_ADMIN, PASSWORD, Client
from harness import HTTP_S, WATCH, App, Service, poll

PNG = b"\x89PNG\r\n\x1a\n"


def picture_of(client, client_id, account_id, **more):
    return client.request("GET", f"/apps/{client_id}/accounts/{account_id}/picture", **more)


def wait_picture(client, client_id, account_id):
    def look():
        answer = picture_of(client, client_id, account_id)
        return answer if answer.status_code == 200 else None

    return poll("the picture is here", look)


def test_a_picture_is_served_from_here(client, other_client, dashboard_app):
    for account in dashboard_app["accounts"].values():
        first = wait_picture(client, dashboard_app["client_id"], account["id"])
        assert first.headers["Content-Type"] == "image/png" and first.content.startswith(PNG)
        assert first.headers["Cache-Control"] == "private, max-age=600"
        assert first.headers["X-Content-Type-Options"] == "nosniff"
        assert first.headers["Content-Security-Policy"].endswith("default-src 'none'; sandbox")
        again = picture_of(client, dashboard_app["client_id"], account["id"], headers={"If-None-Match": first.headers["ETag"]})
        assert again.status_code == 304 and again.content == b""
    other_client.refused("GET", f"/apps/{dashboard_app['client_id']}/accounts/{account['id']}/picture", 404, "NOT_FOUND")
    path = f"/apps/{other_client.app['client_id']}/accounts/{account['id']}/picture"
    other_client.refused("GET", path, 404, "NOT_FOUND")
    unknown = f"{client.service.url}/dashboard/api/apps/{dashboard_app['client_id']}/accounts/{account['id']}/picture"
    assert requests.get(unknown, timeout=HTTP_S).status_code == 401


def test_people_have_pictures_of_their_own(client, dashboard_app):
    pictures = {wait_picture(client, dashboard_app["client_id"], one["id"]).content for one in dashboard_app["accounts"].values()}
    assert len(pictures) == len(dashboard_app["accounts"])


def test_it_ends_with_the_account(client, dashboard_service, sandbox):
    app = App(dashboard_service, name="pictures", owner=FIRST_ADMIN).set_credentials().issue_token()
    gone, erased = app.account("x", user_id="gone"), app.account("x", user_id="erased")
    kept = dashboard_service.data / "avatars"
    for one in (gone, erased):
        wait_picture(client, app.client_id, one)
        assert (kept / one).is_file()
    assert app.request("DELETE", f"/v1/accounts/{gone}").status_code in (200, 204)
    assert not (kept / gone).exists()
    assert picture_of(client, app.client_id, gone).status_code == 204
    assert app.request("DELETE", "/v1/users/erased", params={"confirm": "erased"}).status_code == 202
    poll("the file is gone", lambda: not (kept / erased).exists())


@pytest.fixture
def neighbour():
    """Something on this machine that no stranger's address may reach."""
    taken = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            taken.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(PNG + bytes(100))

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.taken = taken
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres"), reason="writes into the SQLite file")
@pytest.mark.parametrize("address", ["https://127.0.0.1:{port}/a.png", "http://127.0.0.1:{port}/a.png", "https://169.254.169.254/latest"])
def test_an_address_inside_is_never_asked(start_service, sandbox, neighbour, address, tmp_path):
    """As if a platform's answer had named it: the row is written by hand, and the service opened for the real platforms."""
    data = tmp_path / "data"
    with Service(data, sandbox) as service:
        WATCH.remove(service.url)
        assert service.cli("admin", "create", "--email", FIRST_ADMIN, "--password-stdin", stdin=PASSWORD + "\n").returncode == 0
        app = App(service, name="pictures", owner=FIRST_ADMIN).set_credentials().issue_token()
        account = app.account("x")
    with contextlib.closing(sqlite3.connect(data / "posthorn.db")) as database, database:
        database.execute("UPDATE accounts SET avatar_url = ? WHERE id = ?", (address.format(port=neighbour.server_port), account))
    (data / "avatars" / account).unlink(missing_ok=True)
    live = start_service(None, "--change-mode", data=data, media_allow=None)
    WATCH.remove(live.url)
    client = Client(live, FIRST_ADMIN)
    for _ in range(3):
        assert picture_of(client, app.client_id, account).status_code == 204
    if address.startswith("https"):
        poll("the refusal", lambda: "its address is not public" in live.stderr())
    assert neighbour.taken == [] and not (data / "avatars" / account).exists()
