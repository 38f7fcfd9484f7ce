# SPDX-License-Identifier: Apache-2.0
"""A fault in the service stays in the service (docs/operations.md, "What the service may reach"). Builds with sanitizers take no
filter, so these tests run the program as it is shipped: build/release, which `./dev test` builds, or POSTHORN_RELEASE. What a
fault would try is tried by look.c inside the running service."""
import ctypes
import errno
import json
import os
import pathlib
import signal
import stat
import struct
import subprocess

import pytest

import harness
from fault_harness import preload_library
from harness import ROOT, App, Sandbox, Service, poll

RELEASE = pathlib.Path(os.environ.get("POSTHORN_RELEASE", ROOT / "build/release/src/cli/posthorn"))
pytestmark = pytest.mark.skipif(not RELEASE.exists(), reason="./dev build makes the program that these tests run")

SYS_LANDLOCK_CREATE_RULESET = 444
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
RET_ALLOW = 0x7FFF0000
RET_ERRNO = 0x00050000


@pytest.fixture(autouse=True)
def released(monkeypatch):
    monkeypatch.setenv("POSTHORN_BIN", str(RELEASE))
    assert harness.find_binary() == str(RELEASE)


@pytest.fixture
def shipped_sandbox():
    with Sandbox() as process:
        yield process


def has_landlock():
    version = ctypes.CDLL(None, use_errno=True).syscall(SYS_LANDLOCK_CREATE_RULESET, None, 0, 1)
    return version > 0


def status_of(process):
    lines = pathlib.Path(f"/proc/{process.popen.pid}/status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines)


# ---- what it may not ----


def tried(data, outside):
    """What came of every attempt: an errno, 0 when it worked."""
    (data / "TRY").touch()
    poll("the attempts", (data / "tried").exists)
    assert not list(outside.parent.glob("*.new"))
    return {word: int(number) for word, number in (line.split() for line in (data / "tried").read_text().splitlines())}


def test_a_running_service_starts_no_program_and_reads_nothing_outside(tmp_path, shipped_sandbox):
    data, outside = tmp_path / "data", tmp_path / "secret"
    outside.write_text("of somebody else")
    environment = {"LD_PRELOAD": str(preload_library("look")), "LOOK_DATA": str(data), "LOOK_OUTSIDE": str(outside)}
    with Service(data, shipped_sandbox, environment=environment) as service:
        came = tried(data, outside)
        status = status_of(service)
    refused = errno.EACCES if has_landlock() else 0
    assert came == {"read": refused, "write": refused, "shadow": refused, "resolver": 0, "data": 0, "ptrace": errno.EPERM,
                    "fork": errno.EPERM, "dumpable": 0, "execve": errno.EPERM}
    assert stat.S_IMODE((data / "made").stat().st_mode) == 0o600  # asked for 0666: the umask
    assert status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2"


def test_every_role_is_contained(shipped_sandbox, tmp_path):
    assert status_of(shipped_sandbox)["Seccomp"].strip() == "2"
    with Service(tmp_path / "data", shipped_sandbox) as service:
        core = [line for line in pathlib.Path(f"/proc/{service.popen.pid}/limits").read_text().splitlines() if "core file" in line]
        assert core[0].split()[4:6] == ["0", "0"]
        assert status_of(service)["Umask"].strip() == "0077"


# ---- what it must still do ----


def test_a_contained_service_connects_publishes_and_fetches(shipped_sandbox, media, tmp_path):
    with Service(tmp_path / "data", shipped_sandbox) as service:
        app = App(service).set_credentials().issue_token()
        app.published(app.connect("x").accounts[0]["id"], "contained, and out")
        app.published(app.connect("instagram").accounts[0]["id"], "with a picture", media=[media.image()])


def test_files_that_settings_name_are_read(shipped_sandbox, tmp_path):
    """Beside DATA, where a service could read anyhow."""
    secret, key = tmp_path / "sign-in.secret", tmp_path / "master.key"
    secret.write_text("s" * 40 + "\n")
    secret.chmod(0o600)
    options = ["--sign-in-header", "X-User", "--sign-in-proxy", "127.0.0.1/32", "--sign-in-secret-file", str(secret),
               "--master-key-file", str(key)]
    for _ in range(2):  # the first start makes the key, the second reads it
        with Service(tmp_path / "data", shipped_sandbox, options) as service:
            App(service).set_credentials("x").issue_token()


def spawner_of(service):
    """The process id of the one child of a service."""
    children = pathlib.Path(f"/proc/{service.popen.pid}/task/{service.popen.pid}/children").read_text().split()
    assert len(children) == 1, children
    return int(children[0])


def test_the_spawner_holds_nothing(shipped_sandbox, tmp_path):
    with Service(tmp_path / "data", shipped_sandbox, environment={"POSTHORN_TOKEN": "a secret"}) as service:
        process = pathlib.Path(f"/proc/{spawner_of(service)}")
        poll("its filter", lambda: "Seccomp:\t2" in (process / "status").read_text())
        assert (process / "cmdline").read_bytes() == b"posthorn\0(spawner)\0"
        assert b"POSTHORN" not in (process / "environ").read_bytes()
        assert sorted(int(fd.name) for fd in (process / "fd").iterdir()) == [0, 1, 2, 3]
    assert not process.exists()


def test_without_its_spawner_a_service_publishes_texts_and_waits_with_media(shipped_sandbox, media, tmp_path):
    with Service(tmp_path / "data", shipped_sandbox) as service:
        app = App(service).set_credentials("x", "instagram").issue_token()
        account, picture = app.connect("x").accounts[0]["id"], app.connect("instagram").accounts[0]["id"]
        os.kill(spawner_of(service), signal.SIGKILL)
        waiting = app.accepted(picture, "a picture that nobody may look at", media=[media.image()])["post_id"]
        poll("the alarm", lambda: "spawner_gone" in service.stderr())
        app.published(account, "a text all the same")
        assert app.show(waiting)["status"] != "published"


def test_a_backup_goes_where_the_service_may_not_write(shipped_sandbox, tmp_path):
    (tmp_path / "kept").mkdir()
    with Service(tmp_path / "data", shipped_sandbox) as service:
        done = service.cli("backup", tmp_path / "kept" / "one.db")
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert answer["bytes"] == (tmp_path / "kept" / "one.db").stat().st_size > 0
        assert [path.name for path in (tmp_path / "kept").iterdir()] == ["one.db"]
        assert not list((tmp_path / "data").glob("backup.part*"))
        if has_landlock():  # asked to write there itself, it cannot
            refused = subprocess.run(
                ["curl", "-s", "--unix-socket", tmp_path / "data/control.sock", "http://localhost/admin/backup", "-H",
                 "Content-Type: application/json", "-d", json.dumps({"path": str(tmp_path / "kept/two.db")})],
                capture_output=True, text=True, check=True)
            assert "Permission denied" in refused.stdout
            assert not (tmp_path / "kept/two.db").exists()


# ---- where it begins ----


def test_a_data_directory_that_is_too_open_is_tightened(shipped_sandbox, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    with Service(data, shipped_sandbox) as service:
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert "data_directory_tightened" in service.stderr()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is warned")
def test_root_is_warned(shipped_sandbox, tmp_path):
    with Service(tmp_path / "data", shipped_sandbox) as service:
        assert "running_as_root" in service.stderr()


def without_landlock():
    """In the child: the kernel knows no Landlock from here on."""
    libc = ctypes.CDLL(None, use_errno=True)
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, SYS_LANDLOCK_CREATE_RULESET), (0x06, 0, 0, RET_ERRNO | errno.ENOSYS), (0x06, 0, 0, RET_ALLOW)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    given = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program)))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, given, 0, 0) != 0:
        os._exit(99)


def test_a_kernel_without_landlock_says_so_and_goes_on(tmp_path):
    process = subprocess.Popen([RELEASE, "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, env=harness.clean_environment(), preexec_fn=without_landlock, text=True)
    said = []
    for line in process.stderr:
        said.append(line)
        if "listening on" in line:
            break
    process.terminate()
    assert process.wait(30) == 0, said
    assert any("containment_is_partial" in line and "no Landlock" in line for line in said), said
    assert "listening on" in said[-1]
