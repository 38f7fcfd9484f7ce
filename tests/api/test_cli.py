# SPDX-License-Identifier: Apache-2.0
"""The operator's contract: every subcommand with and without a running service, exit codes (0 done, 1 could not be done,
2 wrong use), settings from flags, environment and file, and how the service starts and ends."""
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time

import pytest
import requests

from harness import PLATFORMS, WATCH, App, Process, Service, basic, clean_environment, cli, find_binary, marker, poll


def good(done):
    assert done.returncode == 0, f"{done.returncode} {done.stdout} {done.stderr}"
    return json.loads(done.stdout) if done.stdout.strip().startswith(("{", "[")) else done.stdout


def bad(done, status):
    """Why is said in a line on standard error (serve logs there too), nothing on standard output. Returns the text."""
    assert done.returncode == status, f"{done.returncode} {done.stdout} {done.stderr}"
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("posthorn: ")]
    assert lines, done.stderr
    return "\n".join(lines)


@pytest.fixture(params=["running", "stopped"])
def place(request, tmp_path, start_service, sandbox):
    """A data directory with a service running on it, and one without. cli(...) is the command line on it."""

    class Place:
        data = tmp_path / "data"
        options = ["--data", tmp_path / "data", "--sandbox", sandbox.url]

        def cli(self, *words, **more):
            return cli(*words, *self.options, **more)

    if request.param == "running":
        start_service(sandbox, data=Place.data)
    return Place()


def rows(answer):
    return answer["data"] if isinstance(answer, dict) else answer


# ---- app ----


def test_app(place):
    made = good(place.cli("app", "create", "--name", "One", "--owner", "One@Example.com"))
    assert set(made) == {"app_id", "client_id", "client_secret"}
    client_id = made["client_id"]
    shown = good(place.cli("app", "show", client_id))
    assert (shown["name"], shown["state"], shown["client_id"]) == ("One", "draft", client_id)
    assert shown["owner"].lower() == "one@example.com" and shown["credentials"] == []
    live = good(place.cli("app", "create", "--name", "Two", "--owner", "one@example.com", "--live"))
    assert good(place.cli("app", "show", live["client_id"]))["state"] == "active"
    listed = rows(good(place.cli("app", "list")))
    assert {row["client_id"] for row in listed} == {client_id, live["client_id"]}
    assert made["client_secret"] not in json.dumps([shown, listed])
    assert len(rows(good(place.cli("admin", "list")))) == 1  # the owner's admin was made once


def test_app_states(place):
    client_id = good(place.cli("app", "create", "--name", "One", "--owner", "a@example.com"))["client_id"]

    def state():
        return good(place.cli("app", "show", client_id))["state"]

    bad(place.cli("app", "activate", client_id), 1)  # a draft is not a suspended app
    bad(place.cli("app", "go-live", client_id), 1)  # no verified credential yet
    assert state() == "draft"
    good(place.cli("credential", "set", "--app", client_id, "--platform", "x", "--client-id", "sandbox-x",
                   "--client-secret-stdin", "--verify", stdin="sandbox-secret-x\n"))
    assert state() == "active"
    good(place.cli("app", "suspend", client_id))
    assert state() == "suspended"
    bad(place.cli("app", "go-live", client_id), 1)
    good(place.cli("app", "activate", client_id))
    assert state() == "active"
    good(place.cli("app", "go-live", client_id))
    assert state() == "active"


def test_rotate_secret(place):
    made = good(place.cli("app", "create", "--name", "One", "--owner", "a@example.com", "--live"))
    turned = good(place.cli("app", "rotate-secret", made["client_id"]))
    assert turned["client_id"] == made["client_id"] and turned["client_secret"] != made["client_secret"]
    assert re.fullmatch(r"phs_[A-Za-z0-9_-]{43}", turned["client_secret"])


@pytest.mark.parametrize("command", ["show", "activate", "suspend", "go-live", "rotate-secret"])
def test_unknown_app(place, command):
    assert "No such app" in bad(place.cli("app", command, "phc_nobody"), 1)
    bad(place.cli("app", command), 2)


@pytest.mark.parametrize("words", [["--owner", "a@b.example"], ["--name", "x"], [], ["--name"]])
def test_app_create_wrong_use(tmp_path, words):
    bad(cli("app", "create", "--data", tmp_path / "data", *words), 2)


@pytest.mark.parametrize("name, owner", [("", "a@example.com"), ("x" * 201, "a@example.com"),
                         ("x", "nobody"), ("x", "@"), ("x", "a b@c"), ("x\n", "a@b")])
def test_app_create_refused(place, name, owner):
    bad(place.cli("app", "create", "--name", name, "--owner", owner), 1)
    assert rows(good(place.cli("app", "list"))) == []


# ---- credential ----


@pytest.mark.parametrize("slug", PLATFORMS)
def test_credential(place, slug, tmp_path):
    client_id = good(place.cli("app", "create", "--name", "One", "--owner", "a@example.com"))["client_id"]
    secret = tmp_path / "secret"
    secret.write_text(f"sandbox-secret-{slug}\n")
    names = ["--app", client_id, "--platform", slug]
    made = good(place.cli("credential", "set", *names, "--client-id", f"sandbox-{slug}", "--client-secret-file", secret))
    assert made["state"] == "pending" and made["redirect_uri"].endswith(f"/v1/oauth/{slug}/callback")
    verified = good(place.cli("credential", "verify", *names))
    assert (verified["state"], verified["platform"], verified["client_id"]) == ("verified", slug, f"sandbox-{slug}")
    listed = rows(good(place.cli("credential", "list", "--app", client_id)))
    assert [(row["platform"], row["state"]) for row in listed] == [(slug, "verified")]
    assert "sandbox-secret" not in json.dumps([made, verified, listed])


@pytest.mark.parametrize("slug", PLATFORMS)
@pytest.mark.parametrize("wrong", ["id", "secret"])
def test_wrong_credential(place, slug, wrong):
    client_id = good(place.cli("app", "create", "--name", "One", "--owner", "a@example.com"))["client_id"]
    done = place.cli("credential", "set", "--app", client_id, "--platform", slug, "--verify", "--client-secret-stdin",
                     "--client-id", "nobody" if wrong == "id" else f"sandbox-{slug}",
                     stdin=f"sandbox-secret-{slug}" if wrong == "id" else "wrong")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["state"] == "failed" and answer["message"]
    assert good(place.cli("app", "show", client_id))["state"] == "draft"


def test_credential_wrong_use(place):
    client_id = good(place.cli("app", "create", "--name", "One", "--owner", "a@example.com"))["client_id"]
    names = ["--app", client_id, "--platform", "x"]
    bad(place.cli("credential", "set", *names, "--client-id", "a"), 2)
    bad(place.cli("credential", "set", *names, "--client-secret-stdin", stdin="x"), 2)
    bad(place.cli("credential", "set", *names, "--client-id", "a", "--client-secret-stdin", "--client-secret-file", "/dev/null", stdin="x"), 2)
    bad(place.cli("credential", "set", *names, "--client-id", "a", "--client-secret-file", "/nonexistent/file"), 1)
    bad(place.cli("credential", "set", *names, "--client-id", "a", "--client-secret-stdin", stdin=""), 1)
    bad(place.cli("credential", "set", "--app", client_id, "--platform", "myspace", "--client-id", "a", "--client-secret-stdin", stdin="x"), 1)
    bad(place.cli("credential", "set", "--app", "nobody", "--platform", "x", "--client-id", "a", "--client-secret-stdin", stdin="x"), 1)
    bad(place.cli("credential", "verify", *names), 1)  # none set
    bad(place.cli("credential", "verify", "--app", client_id), 2)
    bad(place.cli("credential", "list"), 2)
    assert rows(good(place.cli("credential", "list", "--app", client_id))) == []


# ---- admin ----


def test_admin(place):
    made = good(place.cli("admin", "create", "--email", "Jo@Example.com", "--password-stdin", stdin="correct horse\n"))
    assert made["email"].lower() == "jo@example.com"
    listed = rows(good(place.cli("admin", "list")))
    assert [row["email"] for row in listed] == [made["email"]]
    assert "horse" not in json.dumps([made, listed])
    assert made["role"] == "root"  # the first with a password
    bad(place.cli("admin", "create", "--email", "jo@example.com", "--password-stdin", stdin="correct horse"), 1)
    assert place.cli("admin", "delete", "jo@example.com").returncode == 0
    assert rows(good(place.cli("admin", "list"))) == []
    bad(place.cli("admin", "delete", "jo@example.com"), 1)


def test_admin_roles_and_links(place):
    """The first admin by a set-up link, the others invited; a forgotten password by a link."""
    link = good(place.cli("admin", "setup-link"))
    assert link["link"].split("#")[0].endswith("/dashboard/setup") and link["expires_at"] and link["email"] is None
    assert good(place.cli("admin", "create", "--email", "jo@example.com", "--password-stdin", stdin="correct horse"))["role"] == "root"
    done = place.cli("admin", "setup-link")
    bad(done, 1)
    assert "--email" in done.stderr
    invited = good(place.cli("admin", "invite", "--email", "Ann@Example.com"))
    assert invited["email"] == "ann@example.com" and invited["role"] == "owner" and "/dashboard/invitation#" in invited["link"]
    assert good(place.cli("admin", "role", "ann@example.com", "--role", "root"))["role"] == "root"
    assert good(place.cli("admin", "role", "jo@example.com", "--role", "owner"))["role"] == "owner"
    forgotten = good(place.cli("admin", "setup-link", "--email", "jo@example.com"))
    assert forgotten["email"] == "jo@example.com" and "/dashboard/invitation#" in forgotten["link"]
    bad(place.cli("admin", "setup-link", "--email", "nobody@example.com"), 1)
    bad(place.cli("admin", "invite", "--email", "jo@example.com"), 1)  # has a password
    bad(place.cli("admin", "invite"), 2)
    bad(place.cli("admin", "role", "jo@example.com"), 2)
    bad(place.cli("admin", "role", "jo@example.com", "--role", "boss"), 1)
    assert good(place.cli("admin", "create", "--email", "m@example.com", "--password-stdin", "--role", "owner", stdin="correct horse"))
    for email in ("jo", "ann", "m"):
        assert place.cli("admin", "delete", f"{email}@example.com").returncode == 0


def test_admin_wrong_use(place):
    bad(place.cli("admin", "create", "--email", "a@example.com"), 2)
    bad(place.cli("admin", "create", "--password-stdin", stdin="correct horse"), 2)
    bad(place.cli("admin", "delete"), 2)
    bad(place.cli("admin", "create", "--email", "a@example.com", "--password-stdin", stdin="short"), 1)
    bad(place.cli("admin", "create", "--email", "nobody", "--password-stdin", stdin="correct horse"), 1)


# ---- the installation ----


def test_doctor(place):
    assert place.cli("doctor").returncode == 0


def test_migrate(place):
    assert place.cli("migrate").returncode == 0


def test_version_and_help():
    assert re.match(r"posthorn \d+\.\d+\.\d+", good(cli("version")))
    assert good(cli("--version")) == good(cli("version"))
    text = good(cli("help"))
    assert good(cli("--help")) == text
    for word in (
        "serve",
        "sandbox",
        "app create",
        "credential verify",
        "admin delete",
        "doctor",
        "demo",
        "version",
        "--time-scale",
            "--media-allow"):
        assert word in text, word


@pytest.mark.parametrize("words", [[], ["nonsense"], ["app"], ["app", "nonsense"], ["credential"], ["admin",
                         "create2"], ["serve", "--nonsense"], ["serve", "--nonsense", "x"], ["serve", "--data"], ["--", "--help"]])
def test_wrong_use(tmp_path, words):
    bad(cli(*words, cwd=tmp_path), 2)
    assert list(tmp_path.iterdir()) == [], "wrong use leaves nothing behind"


@pytest.mark.parametrize("words, said", [(["nonsense"], '"nonsense"'), (["app", "nonsense"], '"app nonsense"'), (["app"], "rotate-secret"),
                                         (["credential", "x"], "verify"), (["app", "show"], "posthorn app show CLIENT_ID")])
def test_wrong_words_are_named(tmp_path, words, said):
    lines = bad(cli(*words, cwd=tmp_path), 2).splitlines()
    assert said in lines[0] and "posthorn help" in lines[-1]


COMMANDS = [line.split("posthorn ", 1)[1] for line in cli("help").stdout.splitlines() if line.startswith("  posthorn ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_after_every_command(tmp_path, command):
    """Also where words and flags are missing; a first word alone explains all commands that begin with it."""
    words = re.match(r"[a-z][a-z-]*(?: [a-z][a-z-]*)?", command).group().split()
    text = good(cli(*words, "--help", cwd=tmp_path))
    assert text.startswith("  posthorn " + " ".join(words)) and "  posthorn " + command + "\n" in text, text
    family = good(cli(words[0], "--help", cwd=tmp_path))
    assert [c for c in COMMANDS if c.split()[0] == words[0]] == [line.split("posthorn ", 1)[1]
                                                                 for line in family.splitlines() if line.startswith("  posthorn ")]
    assert list(tmp_path.iterdir()) == []


def test_help_has_no_trailing_blanks(tmp_path):
    for words in (["help"], ["serve", "--help"], ["app", "--help"]):
        assert [line for line in good(cli(*words, cwd=tmp_path)).splitlines() if line != line.rstrip()] == []


@pytest.mark.parametrize("flag", [["--listen", "127.0.0.1:99999"], ["--media-port", "0"], ["--media-port", "65536"]])
def test_a_port_out_of_range_names_the_range(tmp_path, flag):
    done = cli("serve", "--data", tmp_path / "data", *flag)
    assert done.returncode in (1, 2) and "1-65535" in done.stderr and flag[1] in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_data_made_by_the_first_command(tmp_path):
    """`app create` before the first `serve` works, and what it made is there."""
    data = tmp_path / "data"
    made = good(cli("app", "create", "--name", "One", "--owner", "a@example.com", "--live", "--data", data))
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert stat.S_IMODE((data / "master.key").stat().st_mode) == 0o600
    with Service(data) as service:
        answer = requests.post(service.url + "/v1/oauth/token", data={"grant_type": "client_credentials"}, timeout=10,
                               headers={"Authorization": basic(made["client_id"], made["client_secret"])})
        assert answer.status_code == 200


def test_data_directory_by_default(tmp_path):
    good(cli("app", "list", cwd=tmp_path))
    assert stat.S_IMODE((tmp_path / "posthorn-data").stat().st_mode) == 0o700


def test_files_are_private(start_service):
    service = start_service()
    App(service)
    for path in service.data.rglob("*"):
        assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0, path


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o606])
def test_key_file_that_others_can_read(tmp_path, mode):
    data = tmp_path / "data"
    good(cli("app", "list", "--data", data))
    os.chmod(data / "master.key", mode)
    assert "master.key" in bad(cli("app", "list", "--data", data), 1)
    assert "master.key" in bad(cli("serve", "--listen", "127.0.0.1:0", "--data", data), 1)
    os.chmod(data / "master.key", 0o600)
    good(cli("app", "list", "--data", data))


def test_key_file_elsewhere(tmp_path):
    key = tmp_path / "keys.key"
    good(cli("app", "list", "--data", tmp_path / "data", "--master-key-file", key))
    assert key.exists() and not (tmp_path / "data/master.key").exists()


def test_key_file_is_not_made_twice(tmp_path):
    """A new key would open nothing of what is stored: without the old one nothing starts, until it is back."""
    data = tmp_path / "data"
    made = good(cli("app", "create", "--name", "One", "--owner", "a@example.com", "--data", data))
    key = data / "master.key"
    kept = key.read_bytes()
    key.unlink()
    good(cli("app", "list", "--data", data))  # nothing is sealed yet: a first start
    key.write_bytes(kept)
    secret = tmp_path / "secret"
    secret.write_text("sandbox-secret-x")
    good(cli("credential", "set", "--app", made["client_id"], "--platform", "x", "--client-id", "sandbox-x",
             "--client-secret-file", secret, "--data", data))
    key.unlink()
    for words in (["app", "list"], ["serve", "--listen", "127.0.0.1:0"]):
        said = bad(cli(*words, "--data", data), 1)
        assert "master.key" in said and "missing" in said
        assert not key.exists()
    key.touch(mode=0o600)
    key.write_bytes(kept)
    good(cli("app", "list", "--data", data))


def test_data_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    bad(cli("app", "list", "--data", tmp_path / "file/data"), 1)
    bad(cli("app", "list", "--data", tmp_path / "file"), 1)


# ---- settings ----


def test_flag_before_environment_before_file(tmp_path):
    """token-ttl shows in the token's answer, so that it tells which source won."""
    config = tmp_path / "posthorn.ini"
    config.write_text("; a comment\n[posthorn]\ntoken-ttl = 1111\nrate-limit = 77\n")

    def seen(options, environment):
        data = tmp_path / f"data-{len(list(tmp_path.iterdir()))}"
        with Process(["serve", "--data", data, "--listen", "127.0.0.1:0", *options], environment) as process:
            process.data, process.cli = data, lambda *words, **more: cli(*words, "--data", data, **more)
            process.request = Service.request.__get__(process)
            app = App(process)
            ttl = app.request_token().json()["expires_in"]
            return ttl, int(app.issue_token().get("/v1/posts").headers["X-RateLimit-Limit"])

    assert seen([], {}) == (31536000, 600)
    assert seen(["--config", config], {}) == (1111, 77)
    assert seen([], {"POSTHORN_CONFIG": str(config)}) == (1111, 77)
    assert seen(["--config", config], {"POSTHORN_TOKEN_TTL": "2222"}) == (2222, 77)
    assert seen(["--config", config, "--token-ttl", "3333"], {"POSTHORN_TOKEN_TTL": "2222", "POSTHORN_RATE_LIMIT": "88"}) == (3333, 88)
    assert seen(["--token-ttl=4444"], {}) == (4444, 600)


BAD_SETTINGS = {
    "unknown flag": (["--no-such-setting", "x"], {}, "no-such-setting"),
    "number with letters": (["--rate-limit", "many"], {}, "rate-limit"),
    "negative number": (["--rate-limit", "-1"], {}, "rate-limit"),
    "over the maximum": (["--time-scale", "1000001"], {}, "time-scale"),
    "fraction": (["--token-ttl", "1.5"], {}, "token-ttl"),
    "empty number": (["--token-ttl", ""], {}, "token-ttl"),
    "log format": (["--log-format", "xml"], {}, "log-format"),
    "second factor": (["--second-factor", "always"], {}, "second-factor must be optional or required"),
    "log level": (["--log-level", "loud"], {}, "log-level"),
    "public URL": (["--public-url", "example.com"], {}, "public-url"),
    "sandbox URL": (["--sandbox", "ftp://x"], {}, "sandbox"),
    "database": (["--database", "mysql://x"], {}, "database"),
    "time scale without sandbox": (["--time-scale", "20"], {}, "sandbox"),
    "media-allow": (["--media-allow", "127.0.0.0/33"], {}, "media-allow"),
    "media-allow name": (["--media-allow", "localhost"], {}, "media-allow"),
    "media-port": (["--media-port", "0"], {}, "media-port"),
    "listen without port": (["--listen", "127.0.0.1"], {}, "127.0.0.1"),
    "listen with a bad port": (["--listen", "127.0.0.1:99999"], {}, "127.0.0.1:99999"),
    "listen with a name": (["--listen", "no.such.host.invalid:80"], {}, "no.such.host.invalid:80"),
    "environment": ([], {"POSTHORN_RATE_LIMIT": "many"}, "rate-limit"),
    "no such file": (["--config", "/nonexistent/posthorn.ini"], {}, "/nonexistent/posthorn.ini"),
}


@pytest.mark.parametrize("options, environment, word", BAD_SETTINGS.values(), ids=BAD_SETTINGS.keys())
def test_bad_setting_stops_the_start(tmp_path, options, environment, word):
    done = cli("serve", "--data", tmp_path / "data", *(["--listen", "127.0.0.1:0"]
               if "--listen" not in options else []), *options, environment=environment)
    assert done.returncode in (1, 2), done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("posthorn: ") and "made a new" not in line]
    assert lines and word in lines[0], done.stderr


@pytest.mark.parametrize("line, word", [("no-such = 1", "no-such"), ("rate-limit = many", "rate-limit"),
                         ("nonsense", "line 2"), ("[other]\nrate-limit = 1", "rate-limit")])
def test_bad_line_in_the_file(tmp_path, line, word):
    config = tmp_path / "posthorn.ini"
    config.write_text(f"; first line\n{line}\n")
    assert word in bad(cli("serve", "--data", tmp_path / "data", "--config", config), 2)
    assert not (tmp_path / "data").exists()


# ---- starting and ending ----


def test_ready_line(start_service):
    service = start_service()
    line = [line for line in service.stderr().splitlines() if line.startswith("posthorn: listening on")]
    assert line == [f"posthorn: listening on {service.url}"]
    assert re.fullmatch(r"http://127\.0\.0\.1:[1-9]\d*", service.url)
    assert service.request("GET", "/healthz").status_code == 200


def test_public_url_is_part_of_redirect_uris(start_service, sandbox):
    service = start_service(sandbox, "--public-url", "https://post.example.com/")
    app = App(service).set_credentials("x").issue_token()
    assert "redirect_uri=https%3A%2F%2Fpost.example.com%2Fv1%2Foauth%2Fx%2Fcallback" in app.begin("x")["redirect_url"]


def test_address_in_use(start_service, tmp_path):
    service = start_service()
    address = service.url.removeprefix("http://")
    assert address in bad(cli("serve", "--data", tmp_path / "other", "--listen", address), 1)


def test_second_serve_on_the_same_data(start_service):
    service = start_service()
    bad(cli("serve", "--data", service.data, "--listen", "127.0.0.1:0"), 1)
    assert service.request("GET", "/readyz").status_code == 200
    App(service).issue_token()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_end_by_signal(tmp_path, number):
    service = Service(tmp_path / "data")
    begin = time.monotonic()
    service.popen.send_signal(number)
    assert service.popen.wait(timeout=20) == 0
    assert time.monotonic() - begin < 10
    service.check_sanitizers()
    with pytest.raises(requests.ConnectionError):
        service.request("GET", "/healthz")


def test_end_while_idle_connections_are_open(tmp_path):
    service = Service(tmp_path / "data")
    host, port = service.url.removeprefix("http://").split(":")
    idle = [socket.create_connection((host, int(port))) for _ in range(20)]
    idle[0].sendall(b"GET /v1/posts HTTP/1.1\r\nHost: x\r\n")
    service.stop()
    for connection in idle:
        connection.close()


def test_everything_accepted_survives_the_end(start_service, sandbox, one):
    service = start_service(sandbox)
    app = App(service).set_credentials("x").issue_token()
    account = app.account("x")
    post_id = app.accepted(account, "later", scheduled_at="2031-01-01T00:00:00Z")["post_id"]
    service.stop()
    app.service = start_service(sandbox, data=service.data)
    assert app.show(post_id)["status"] == "scheduled"
    assert app.get("/v1/posts").status_code == 200  # the token too


def test_systemd_is_told(tmp_path):
    path = str(tmp_path / "notify")
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(path)
    told.settimeout(10)
    with Service(tmp_path / "data", environment={"NOTIFY_SOCKET": path}):
        assert b"READY=1" in told.recv(1000)
    assert b"STOPPING=1" in told.recv(1000)
    told.close()


def test_log_as_json_lines(start_service):
    service = start_service(None, "--log-format", "json", "--log-level", "debug")
    service.request("GET", "/v1/posts", headers={"X-Request-Id": "find-me"})
    poll("the request is in the log", lambda: "find-me" in service.stderr(), timeout_s=5)
    assert all(isinstance(json.loads(line), dict) for line in service.stderr().splitlines())


def test_serve_before_the_sandbox(tmp_path):
    """In any order: the sandbox comes up later at the address that serve was told."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    class Address:
        url = f"http://127.0.0.1:{port}"

    with Service(tmp_path / "data", Address) as service:
        with Process(["sandbox", "--listen", f"127.0.0.1:{port}", "--data", ""]):
            App(service).set_credentials("x")


@pytest.mark.parametrize("name", ["serve", "sandbox"])
def test_pipe_that_nobody_reads(tmp_path, name):
    """A log that cannot be written ends nothing."""
    reader, writer = os.pipe()
    words = [find_binary(), name, "--listen", "127.0.0.1:0"] + ["--data", str(tmp_path / "data")]
    process = subprocess.Popen(words, stderr=writer, stdin=subprocess.DEVNULL, env=clean_environment())
    os.close(writer)
    text = b""
    while b"listening on" not in text:
        chunk = os.read(reader, 4096)
        assert chunk, text
        text += chunk
    url = re.search(rb"listening on (http://\S+)", text).group(1).decode()
    os.close(reader)
    assert requests.get(url + "/v1/posts", timeout=10).status_code in (401, 404)
    process.terminate()
    assert process.wait(timeout=20) == 0


def turns_of(service):
    return int(re.search(r"^posthorn_engine_turns_total (\d+)$", service.metrics(), re.M)[1])


def test_pause_and_resume(tmp_path, sandbox):
    """The API accepts, posts wait, a start changes nothing, and resume lets them go; the wrong words are refused."""
    data = tmp_path / "data"
    options = ["--data", data, "--sandbox", sandbox.url]
    with Service(data, sandbox) as service:
        app = App(service).set_credentials("x").issue_token()
        account = app.account("x")
        paused = good(cli("pause", "--platform", "x", *options))
        assert [(row["platform"], row["app"], row["account"]) for row in paused["data"]] == [("x", None, None)]
        post_id = app.accepted(account, "waits for the operator")["post_id"]
        time.sleep(2)
        post = app.show(post_id)
        waiting = post["platform_posts"][0]["waiting"]
        assert (post["state"], waiting["reason"], waiting["until"]) == ("pending", "held", None) and "paused" in waiting["message"]
        before = turns_of(service)
        time.sleep(4)
        assert turns_of(service) - before <= 8, "it waits until something changes; four looks a second are a poll"
        found = [row for row in good(cli("doctor", *options))["checks"] if row["check"] == "paused"]
        assert len(found) == 1 and "x, app any" in found[0]["message"]
        assert requests.get(f"{service.url}/readyz", timeout=10).status_code == 200
    with Service(data, sandbox) as service:
        app.service = service
        time.sleep(1)
        assert "no app" in bad(cli("pause", "--app", "phc_nobody", *options), 1)
        assert "not supported" in bad(cli("pause", "--platform", "myspace", *options), 1)
        assert "no account" in bad(cli("pause", "--account", "nobody", *options), 1)
        assert "exactly these words" in bad(cli("resume", "--platform", "x", "--account", account, *options), 1)
        assert good(cli("resume", "--platform", "x", *options)) == {"data": []}
        url = f"{service.url}/v1/posts/{post_id}"
        headers = {"Authorization": f"Bearer {app.token}"}
        poll("the post is out", lambda: requests.get(url, headers=headers, timeout=10).json()["data"]["state"] == "published")


def test_an_app_is_made_with_its_settings(service):
    made = json.loads(service.cli(
        "app", "create", "--name", "careful", "--owner", "careful@example.com", "--connect-confirmation", "on", "--max-lateness", "3600",
        "--redirect-urls", "https://a.example/back https://b.example", "--on-unknown", "retry_once").stdout)
    shown = json.loads(service.cli("app", "show", made["client_id"]).stdout)
    assert shown["connect_confirmation"] == "on" and shown["max_lateness"] == 3600 and shown["on_unknown"] == "retry_once"
    assert shown["redirect_urls"] == ["https://a.example/back", "https://b.example"]
    refused = service.cli("app", "create", "--name", "n", "--owner", "careful@example.com", "--connect-confirmation", "maybe")
    assert refused.returncode == 1 and "connect_confirmation must be on or off" in refused.stderr


def test_pauses_of_two_apps_are_independent(tmp_path, sandbox):
    """Each ends by its own words only, whoever says them, and holds back its own app only."""
    data = tmp_path / "data"
    options = ["--data", data, "--sandbox", sandbox.url]
    with Service(data, sandbox) as service:
        apps = [App(service, name=name, owner=f"{name}@example.com").set_credentials("x").issue_token() for name in ("one", "two", "three")]
        accounts = [app.account("x") for app in apps]
        for app in apps[:2]:
            good(cli("pause", "--app", app.client_id, *options))
        posts = [app.accepted(account, marker())["post_id"] for app, account in zip(apps, accounts)]
        assert apps[2].wait_post(posts[2])["status"] == "published"
        rest = good(cli("resume", "--app", apps[0].client_id, *options))["data"]
        assert [row["app"] for row in rest] == [apps[1].client_id]
        assert apps[0].wait_post(posts[0])["status"] == "published"
        assert "exactly these words" in bad(cli("resume", "--app", apps[0].client_id, *options), 1)
        assert "exactly these words" in bad(cli("resume", *options), 1)
        assert apps[1].show(posts[1])["state"] == "pending"
        good(cli("resume", "--app", apps[1].client_id, *options))
        assert apps[1].wait_post(posts[1])["status"] == "published"


def test_a_new_data_directory_is_told(tmp_path):
    """A wrong --data is easily given: who makes a new one by it hears of it, once."""
    data = tmp_path / "mistyped"
    first = cli("app", "list", "--data", data)
    assert first.returncode == 0 and json.loads(first.stdout)
    assert f"posthorn: made a new data directory: {data}\n" in first.stderr
    assert f"posthorn: made a new database: {data}/posthorn.db\n" in first.stderr
    again = cli("app", "list", "--data", data)
    assert "made a new" not in again.stderr
    as_json = cli("app", "list", "--data", tmp_path / "other", "--log-format", "json", "--log-level", "error")
    told = [json.loads(line) for line in as_json.stderr.splitlines()]
    assert {"data_directory_made", "database_made"} <= {line["event"] for line in told}


def test_serve_says_where_to_look(tmp_path, sandbox):
    with Service(tmp_path / "data", sandbox, ["--public-url", "https://social.example.com"]) as service:
        said = service.stderr()
        assert "posthorn: look at the dashboard at https://social.example.com/dashboard\n" in said
        assert "posthorn: read the API reference at https://social.example.com/docs\n" in said
        assert f"posthorn: see what the sandbox's platforms show at {sandbox.url}/\n" in said
    with Service(tmp_path / "live") as service:
        assert "sandbox's platforms" not in service.stderr() and f"read the API reference at {service.url}/docs\n" in service.stderr()


def test_the_first_page_says_what_this_is(start_service, sandbox):
    service = start_service(sandbox)
    page = service.request("GET", "/")
    assert page.status_code == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "self-hosted service that publishes posts" in page.text and "Sandbox mode" in page.text
    WATCH.remove(service.url)  # the dashboard is not described
    for way in re.findall('href="([^"]+)"', page.text):
        answer = service.request("GET", way)
        assert answer.status_code in (200, 302, 303), way
    assert "script" not in page.headers["Content-Security-Policy"] and "style-src 'self'" in page.headers["Content-Security-Policy"]
    assert service.request("HEAD", "/").status_code == 200 and service.request("POST", "/").status_code == 405


def test_pages_of_a_login_have_the_style_and_a_way_back(start_service, sandbox):
    service = start_service(sandbox)
    page = service.request("GET", "/v1/oauth/x/callback?state=used-up&code=1")
    assert page.status_code == 400 and '<link rel="stylesheet" href="/docs/style.css">' in page.text
    assert 'href="/"' in page.text and "go back there" in page.text
    assert service.request("GET", "/docs/style.css").status_code == 200


def test_version_says_commit_and_libraries():
    done = cli("version")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and re.fullmatch(r"posthorn \d+\.\d+\.\d+", lines[0])
    assert re.fullmatch("commit ([0-9a-f]{12}|unknown)", lines[1])
    libraries = dict(line.split(" ", 1) for line in lines[2:])
    assert set(libraries) == {"jansson", "libsodium", "sqlite", "libpq", "libcurl", "libmicrohttpd", "utf8proc"}
    assert all(re.match(r"\d+(\.\d+)*", version) for version in libraries.values())
