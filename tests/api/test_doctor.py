# SPDX-License-Identifier: Apache-2.0
"""The doctor says what is true, and exits by how bad it is: 0 all well, 3 warnings only, 1 errors (docs/operations.md, "Doctor")."""
import contextlib
import datetime
import http.server
import json
import os
import sqlite3
import threading

import pytest

from harness import App, Sandbox, Service, cli, marker, poll, utc

ON_SQLITE = not os.environ.get("POSTHORN_TEST_DATABASE", "").startswith("postgres")


def examine(service, status):
    done = service.cli("doctor")
    found = json.loads(done.stdout)
    assert done.returncode == status, done.stdout + done.stderr
    assert found["ok"] == (status == 0) and found["severity"] == {0: "ok", 1: "error", 3: "warning"}[status]
    assert all(check["ok"] == (check["severity"] == "ok") for check in found["checks"])
    return found["checks"]


def bad(checks):
    return [(check["check"], check["severity"], check["message"]) for check in checks if not check["ok"]]


@pytest.fixture
def place(sandbox, tmp_path):
    service = Service(tmp_path / "data", sandbox)
    app = App(service).set_credentials("x", "linkedin").issue_token()
    yield app
    if service.popen.poll() is None:
        service.stop()


def test_all_is_well(place):
    checks = examine(place.service, 0)
    names = {check["check"] for check in checks}
    assert names >= {"store", "mode", "key", "clock", "disk", "directory", "address", "proxy", "integrity", "queue", "held", "apps",
                     "platform",
                     "accounts", "webhooks"}
    assert sorted(check["message"] for check in checks if check["check"] == "platform") == ["LinkedIn answers", "X answers"]
    done = place.cli("doctor", "--text")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == len(checks)
    assert all(line.startswith("ok ") for line in done.stdout.splitlines())


def test_a_platform_that_cannot_be_reached(tmp_path):
    with Sandbox() as sandbox, Service(tmp_path / "data", sandbox) as service:
        App(service).set_credentials("x")
        sandbox.kill()
        found = bad(examine(service, 1))
        assert len(found) == 1 and found[0][0] == "platform" and "X cannot be reached" in found[0][2]
        sandbox.stop = sandbox.kill


def test_accounts_that_need_connecting_again(place):
    place.connect("x")
    place.service.stop()
    if not ON_SQLITE:
        pytest.skip("writes into the SQLite file")
    with contextlib.closing(sqlite3.connect(place.service.data / "posthorn.db")) as database, database:
        database.execute("UPDATE accounts SET state = 'reauth_required'")
    done = place.cli("doctor", "--sandbox", "http://127.0.0.1:1")
    warnings = [check for check in json.loads(done.stdout)["checks"] if check["severity"] == "warning"]
    assert [check["message"] for check in warnings] == ["X: 1 account must be connected again"]


def test_a_webhook_that_fails(place, tmp_path):
    class Refuser(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(500)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuser)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made = place.post("/v1/webhooks", json={"url": f"http://127.0.0.1:{server.server_port}/", "events": ["post.completed"]})
    assert made.status_code == 201, made.text
    place.post(f"/v1/webhooks/{made.json()['data']['id']}/test")

    def failing():
        done = place.cli("doctor")
        return [check for check in json.loads(done.stdout)["checks"] if check["check"] == "webhooks" and not check["ok"]]

    found = poll("the webhook is failing", failing)
    assert found[0]["severity"] == "warning" and "1 failing; 1 calls wait, the oldest since 20" in found[0]["message"]
    examine(place.service, 3)
    server.shutdown()


def test_a_version_that_ends(start_service):
    """Told 60 days ahead by doctor, alarm and metric (linkedin.md 8); v25.0 of Graph ends in 2028."""
    today = datetime.date.today()
    version = f"{today.year - 1}{today.month:02}"
    service = start_service(None, "--linkedin-version", version, "--metrics-listen", "127.0.0.1:0")
    checks = json.loads(service.cli("doctor").stdout)["checks"]
    soon, late = [one for one in checks if one["check"] == "version" and one["message"].startswith("LinkedIn")], [
        one for one in checks if one["check"] == "version" and not one["message"].startswith("LinkedIn")]
    assert [one["severity"] for one in soon] == ["warning"] and "--linkedin-version" in soon[0]["message"]
    assert [one["severity"] for one in late] == ["ok"] and "2028-07-29" in late[0]["message"]
    alarms = poll("the alarm", lambda: [one for one in json.loads(service.cli("doctor").stdout)["checks"] if one["check"] == "alarm"])
    assert any(version in one["message"] for one in alarms)
    told = service.cli("metrics").stdout
    assert f'posthorn_platform_version_end_timestamp_seconds{{setting="linkedin-version",version="{version}"}}' in told
    assert 'setting="graph-version",version="v25.0"} 1848441600' in told


def test_a_data_directory_that_others_can_read(place):
    place.service.data.chmod(0o755)
    found = bad(examine(place.service, 3))
    assert found == [("directory", "warning", f"other users can look into the data directory {place.service.data} (mode 755): chmod 700")]


@pytest.mark.skipif(not ON_SQLITE, reason="the tests' PostgreSQL has fsync off, which is an error where posts are real")
def test_a_live_service_without_https(tmp_path):
    with Service(tmp_path / "data") as service:
        examine(service, 0)  # nothing is registered at a platform yet
        app = App(service)
        app.cli("credential", "set", "--app", app.client_id, "--platform", "x", "--client-id", "a", "--client-secret-stdin", stdin="b")
        checks = json.loads(service.cli("doctor").stdout)["checks"]
        address = next(check for check in checks if check["check"] == "address")
        assert address["severity"] == "warning" and "https" in address["message"]


@pytest.mark.skipif(not ON_SQLITE, reason="damages the SQLite file")
def test_a_damaged_database(place):
    for number in range(300):
        place.post("/v1/webhooks", json={"url": f"https://c.example/{number}"})
    place.service.stop()
    path = place.service.data / "posthorn.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        page_size = database.execute("PRAGMA page_size").fetchone()[0]
        root = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'timeline'").fetchone()[0]
    with open(path, "r+b") as file:
        file.seek((root - 1) * page_size)
        file.write(b"\xff" * page_size)
    done = cli("doctor", "--data", place.service.data, "--sandbox", "http://127.0.0.1:1")
    assert done.returncode == 1
    checks = json.loads(done.stdout)["checks"]
    assert any(check["check"] == "integrity" and check["severity"] == "error" and "damaged" in check["message"] for check in checks)


def test_a_proxy_that_is_not_trusted_is_named(start_service):
    """TLS can only be a proxy's: without its name all clients have its address."""
    for options, severity in ((("--public-url", "https://social.example.com"), "warning"),
                              (("--public-url", "https://social.example.com", "--trusted-proxy", "127.0.0.1"), "ok"), ((), "ok")):
        service = start_service(None, *options)
        checks = json.loads(service.cli("doctor", *options).stdout)["checks"]
        found = next(check for check in checks if check["check"] == "proxy")
        assert found["severity"] == severity and ("--trusted-proxy" in found["message"]) == (severity == "warning")
        service.stop()


def damage(path, text):
    """Every leaf page of a table with this text in it, zeroed."""
    pages = bytearray(path.read_bytes())
    size = int.from_bytes(pages[16:18], "big")
    found = [at for at in range(size, len(pages), size) if pages[at] == 0x0D and text.encode() in pages[at:at + size]]
    for at in found:
        pages[at:at + size] = bytes(size)
    path.write_bytes(pages)
    return len(found)


@pytest.mark.skipif(not ON_SQLITE, reason="damages the SQLite file")
def test_a_service_that_meets_damaged_pages(tmp_path, sandbox):
    """It is not ready and accepts nothing more; what can be read goes out; the doctor says it."""
    data = tmp_path / "data"
    with Service(data, sandbox) as service:
        app = App(service).set_credentials("x", "facebook").issue_token()
        bad_account, good_account = app.account("facebook"), app.account("x")
        at = utc(6)
        hit = [app.accepted(bad_account, "filler " * 100, scheduled_at=at)["post_id"] for _ in range(40)]
        good = app.accepted(good_account, marker(), scheduled_at=at)["post_id"]
    with contextlib.closing(sqlite3.connect(data / "posthorn.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        delivery = database.execute("SELECT id FROM deliveries WHERE post_id = ?", (hit[0],)).fetchone()[0]
    assert damage(data / "posthorn.db", delivery) > 0
    with Service(data, sandbox) as service:
        app.service = service
        poll("it has met them", lambda: service.request("GET", "/readyz").status_code == 503, 30)
        assert service.request("GET", "/readyz").json()["message"].endswith("the database is damaged")
        assert service.request("GET", "/healthz").status_code == 200
        answer = app.publish(good_account, marker())
        assert answer.status_code == 503 and answer.json()["error"] == "UNAVAILABLE" and answer.headers["Retry-After"]
        poll("what can be read goes out", lambda: app.show(good)["status"] == "published", 30)
        checks = json.loads(service.cli("doctor").stdout)["checks"]
        integrity = next(check for check in checks if check["check"] == "integrity")
        assert integrity["severity"] == "error" and "Restore a backup" in integrity["message"]
        assert service.cli("doctor").returncode == 1
