# SPDX-License-Identifier: Apache-2.0
"""What is shipped: unit files, pages that are made of the program's own words, and (POSTHORN_LONG=1) the Debian package, built twice,
judged, installed, upgraded and purged in a system of its own. Neither a real systemd nor a container engine runs here: KNOWN_ISSUES.md."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time

import pytest

import test_old
from harness import ROOT, App, Sandbox, Service, cli, find_binary

PACKAGING = ROOT / "packaging"
UNITS = sorted((PACKAGING / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
IS_LONG = os.environ.get("POSTHORN_LONG") == "1"
EXPOSURE_MAX = 2.0
long = pytest.mark.skipif(not IS_LONG, reason="takes minutes: ./dev test --long")


def needs(program):
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    return pytest.mark.skipif(found is None, reason=f"{program} is not installed")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout + done.stderr


# ---- units ----


@needs("systemd-analyze")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_are_read_without_a_complaint(unit, tmp_path):
    for one in UNITS:  # they name each other, and programs that are not installed here
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", one.read_text(), flags=re.M)
        (tmp_path / one.name).write_text(text)
    code, said = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", tmp_path / unit.name)
    complaints = [line for line in said.splitlines() if unit.name in line]
    assert code == 0 and not complaints, said


@needs("systemd-analyze")
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_services_are_narrow(unit):
    _, said = run("systemd-analyze", "security", "--offline=yes", "--no-pager", unit)
    exposure = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)[1])
    assert exposure < EXPOSURE_MAX, said


def test_units_use_what_the_program_knows():
    text = "".join(unit.read_text() for unit in SERVICES)
    commands = re.findall(r"^ExecStart=/usr/bin/posthorn (\w+)(.*)$", text, re.M)
    assert {word for word, _ in commands} == {"serve", "sandbox"}
    known = cli("help").stdout
    for flag in re.findall(r"--[a-z-]+", " ".join(rest for _, rest in commands)):
        assert f"  {flag} " in known, flag


def test_the_file_for_nginx_is_the_documented_one():
    documented = re.search(r"```nginx\n(.*?)```", (ROOT / "docs/operations.md").read_text(), re.S)[1]
    assert documented in (PACKAGING / "nginx/posthorn.conf").read_text()


# ---- the backup ----


def backup(data, folder, keep, program=None):
    return run(PACKAGING / "backup", data, folder, keep, env={**os.environ, "POSTHORN": str(program or find_binary())})


def test_backups_are_made_and_the_oldest_go(tmp_path, start_service):
    service = start_service(None)
    App(service)
    folder = tmp_path / "backups"
    folder.mkdir()
    for day in range(1, 5):
        (folder / f"posthorn-2026-01-0{day}T033000Z.db").write_text("old")
    (folder / "notes.txt").write_text("not a backup")
    code, said = backup(service.data, folder, 3)
    assert code == 0, said
    left = sorted(path.name for path in folder.iterdir())
    assert left[:3] == ["notes.txt", "posthorn-2026-01-03T033000Z.db", "posthorn-2026-01-04T033000Z.db"] and len(left) == 4
    with sqlite3.connect(folder / left[3]) as copy:
        assert copy.execute("SELECT COUNT(*) FROM apps").fetchone() == (1,)


def test_a_backup_that_fails_removes_nothing(tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for day in range(1, 5):
        (folder / f"posthorn-2026-01-0{day}T033000Z.db").write_text("old")
    code, _ = backup(tmp_path / "data", folder, 1, program="/bin/false")
    assert code != 0 and len(list(folder.iterdir())) == 4


# ---- pages ----


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    directory = tmp_path_factory.mktemp("pages")
    code, said = run("/usr/bin/python3", PACKAGING / "manual.py", find_binary(), directory)
    assert code == 0, said
    return directory


def test_the_manual_has_every_command_and_setting(pages):
    text = (pages / "posthorn.1").read_text().replace("\\-", "-").replace("\\&", "")
    known = cli("help").stdout
    usages = re.findall(r"^  (posthorn \S.*)$", known, re.M)
    settings = re.findall(r"^  --(\S+) \S+ ", known, re.M)
    assert len(usages) > 50 and len(settings) > 40
    assert [usage for usage in usages if f"\n.B {usage}\n" not in text] == []
    assert [name for name in settings if f"\n.BI --{name} " not in text] == []


@needs("man")
def test_the_manual_is_shown_without_a_warning(pages):
    code, said = run("man", "--warnings", "-E", "UTF-8", "-l", pages / "posthorn.1",
                     env={**os.environ, "MANWIDTH": "100", "PAGER": "cat", "MANPAGER": "cat"})
    said = re.sub(".\b|\x1b\\[[0-9;]*m", "", said)  # bold and underlined
    assert code == 0 and "SETTINGS" in said and "warning:" not in said, said


def complete(pages, *words):
    """What bash offers for the last word."""
    typed = " ".join(repr(word) for word in words)
    script = (f"source {pages / 'posthorn.bash'}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _posthorn; "
              'printf "%s\\n" "${COMPREPLY[@]}"')
    code, said = run("bash", "-c", script, cwd="/")
    assert code == 0, said
    return said.split()


def test_bash_completes_commands_second_words_and_flags(pages):
    assert complete(pages, "posthorn", "serv") == ["serve"]
    assert complete(pages, "posthorn", "credential", "") == ["set", "verify", "list"]
    assert complete(pages, "posthorn", "serve", "--log-l") == ["--log-level"]
    assert complete(pages, "posthorn", "backup", "/et") == ["/etc"]
    assert complete(pages, "posthorn", "app", "nothing-like-it") == []


def test_every_line_of_the_configuration_is_a_setting_at_its_default(pages, tmp_path):
    """Uncommented, the values that are defaults change nothing; the others are only named."""
    lines = (pages / "posthorn.conf").read_text().splitlines()
    named = [line[1:].split(" = ", 1) for line in lines if re.match(r"#[a-z-]+ = ", line)]
    assert len(named) > 40
    known = dict(re.findall(r"^  --(\S+) \S+ .*?\(default ([^()]*)\)$", cli("help").stdout, re.M))
    file = tmp_path / "all.conf"
    file.write_text("".join(f"{name} = {value}\n" for name, value in named if known.get(name) == value))
    done = cli("app", "list", "--data", tmp_path / "data", "--config", file)
    assert done.returncode == 0, done.stderr


# ---- the package ----


@pytest.fixture(scope="module")
def dist():
    if os.environ.get("POSTHORN_DIST"):  # built before
        return pathlib.Path(os.environ["POSTHORN_DIST"])
    code, said = run(ROOT / "dev", "package", cwd=ROOT)
    assert code == 0, said
    return ROOT / "dist"


def package_of(dist):
    return next(dist.glob("posthorn_*.deb"))


@long
def test_the_same_tree_gives_the_same_bytes(dist, tmp_path):
    """Built again in a directory of another name and depth."""
    other = tmp_path / "of-another-name" / "tree"

    def built(folder, names):
        return [name for name in names if pathlib.Path(folder) == ROOT and (name.startswith("build") or name == "dist")]

    shutil.copytree(ROOT, other, ignore=built, symlinks=True)
    code, said = run("/usr/bin/python3", other / "packaging/build.py", cwd=other)
    assert code == 0, said
    assert (other / "dist/SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()
    assert run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=dist)[0] == 0
    assert json.loads(next(dist.glob("*.spdx.json")).read_text())["spdxVersion"]


@long
@needs("lintian")
def test_lintian_says_nothing(dist):
    code, said = run("lintian", "--fail-on", "error,warning", package_of(dist))
    assert code == 0, said


@long
def test_the_tarball_runs(dist, tmp_path):
    with tarfile.open(next(dist.glob("posthorn-*.tar.gz"))) as tar:
        tar.extractall(tmp_path, filter="data")
    program = next(tmp_path.glob("posthorn-*/bin/posthorn"))
    assert run(program, "version")[1].startswith("posthorn ")


@long
def test_the_packaged_program_upgrades_every_past_database(dist, tmp_path):
    """With posts under way: tests/store/test_old.py, on the program as it is shipped."""
    code, said = run("dpkg-deb", "-x", package_of(dist), tmp_path / "package")
    assert code == 0, said
    with tempfile.TemporaryDirectory() as short:  # sockets below it have 107 bytes for their paths
        code, said = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", f"{short}/old",
                         ROOT / "tests/store/test_old.py", cwd=ROOT,
                         env={**os.environ, "POSTHORN_BIN": str(tmp_path / "package/usr/bin/posthorn")})
    assert code == 0 and " passed" in said and " skipped" not in said, said[-4000:]


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """A Debian 12 in a folder, made by mmdebstrap: run(*command) inside."""
    if shutil.which("mmdebstrap") is None or os.geteuid() != 0:
        pytest.skip("needs mmdebstrap, and root")
    root = tmp_path_factory.mktemp("system") / "root"
    code, said = run("mmdebstrap", "--variant=minbase", "--include=adduser,init-system-helpers", "bookworm", root)
    assert code == 0, said
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    for source in ("/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf.d"):
        if os.path.exists(source):
            run("cp", "-aT", source, f"{root}{source}")

    def inside(*command):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}
        return run("chroot", root, *command, env=environment)

    inside.root = root
    return inside


@long
def test_install_use_upgrade_purge(dist, system):
    root = system.root
    shutil.copy(package_of(dist), root / "tmp/posthorn.deb")
    shutil.copy(next(dist.glob("posthorn-fit_*.deb")), root / "tmp/posthorn-fit.deb")
    assert system("apt-get", "update")[0] == 0
    code, said = system("apt-get", "install", "-y", "--no-install-recommends", "/tmp/posthorn.deb", "/tmp/posthorn-fit.deb")
    assert code == 0, said
    assert (root / "usr/libexec/posthorn/posthorn-fit").exists()
    assert system("stat", "-c", "%U:%G %a", "/var/lib/posthorn", "/etc/posthorn/posthorn.conf")[1].split("\n")[:2] == \
        ["posthorn:posthorn 700", "root:posthorn 640"]

    def as_service(*words):
        return system("setpriv", "--reuid=posthorn", "--regid=posthorn", "--clear-groups", "posthorn", *words,
                      "--config", "/etc/posthorn/posthorn.conf", "--data", "/var/lib/posthorn")

    code, said = as_service("app", "create", "--name", "n", "--owner", "o@example.com")
    assert code == 0, said
    with open(root / "etc/posthorn/posthorn.conf", "a", encoding="utf-8") as settings:
        settings.write("\nlisten = 127.0.0.1:0\n")
    with subprocess.Popen(["chroot", "--userspec=posthorn:posthorn", root, "posthorn", "serve", "--config", "/etc/posthorn/posthorn.conf",
                           "--data", "/var/lib/posthorn"], stderr=subprocess.PIPE, text=True) as service:
        said, deadline = "", time.monotonic() + 30
        while "posthorn: listening on" not in said and time.monotonic() < deadline:
            said += service.stderr.readline()
        service.terminate()
        assert service.wait(30) == 0, said + service.stderr.read()
    code, said = system("apt-get", "install", "-y", "--reinstall", "/tmp/posthorn.deb")  # what an upgrade runs
    assert code == 0, said
    assert "127.0.0.1:0" in (root / "etc/posthorn/posthorn.conf").read_text()
    assert '"name":"n"' in as_service("app", "list")[1].replace(" ", "")
    code, said = system("apt-get", "purge", "-y", "posthorn")
    assert code == 0, said
    assert not (root / "var/lib/posthorn").exists() and not (root / "etc/posthorn").exists() and not (root / "usr/bin/posthorn").exists()
    assert system("getent", "passwd", "posthorn")[0] != 0


def repacked(package, version, folder):
    """The same package as one of an earlier version."""
    code, said = run("dpkg-deb", "-R", package, folder / "package")
    assert code == 0, said
    control = folder / "package/DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.M))
    code, said = run("dpkg-deb", "-b", folder / "package", folder / "older.deb")
    assert code == 0, said
    return folder / "older.deb"


def program_inside(root, folder):
    """The installed program, as its unit runs it: as posthorn, with root as /. What it is given are paths outside."""
    uid, gid = re.search(r"^posthorn:[^:]*:(\d+):(\d+):", (root / "etc/passwd").read_text(), re.M).groups()
    program = folder / "posthorn"
    program.write_text(f"""#!/usr/bin/python3 -I
import os, sys
os.chroot({str(root)!r})
os.chdir("/")
os.setgroups([])
os.setgid({gid})
os.setuid({uid})
os.execv("/usr/bin/posthorn", ["posthorn", *[word.replace({str(root)!r}, "") for word in sys.argv[1:]]])
""")
    program.chmod(0o755)
    return program


@long
@pytest.mark.parametrize("path", [test_old.OLD[0], test_old.OLD[-1]], ids=lambda path: path.stem)
def test_an_upgrade_inside_finishes_what_was_begun(dist, system, path, tmp_path, media, monkeypatch):
    """A database of the past with posts under way, in the place where the package keeps it: the new package takes over."""
    root, data, conf = system.root, system.root / "var/lib/posthorn", system.root / "etc/posthorn/posthorn.conf"
    shutil.copy(repacked(package_of(dist), "0.0.1", tmp_path), root / "tmp/older.deb")
    shutil.copy(package_of(dist), root / "tmp/newer.deb")
    install = ("apt-get", "install", "-y", "--no-install-recommends")
    assert system("apt-get", "update")[0] == 0
    code, said = system(*install, "/tmp/older.deb")
    assert code == 0, said
    conf.write_text(conf.read_text() + "\n# ours\nlog-level = debug\n")
    test_old.write_key(tmp_path / "reference")
    with Sandbox() as sandbox:
        old = test_old.OldDatabase(path, data, test_old.tokens_of(sandbox, tmp_path / "reference"), media)
        assert system("chown", "-R", "posthorn:posthorn", "/var/lib/posthorn")[0] == 0
        code, said = system(*install, "/tmp/newer.deb")
        assert code == 0, said
        assert system("dpkg-query", "-W", "-f", "${Version}", "posthorn")[1] != "0.0.1" and "# ours\n" in conf.read_text()
        with monkeypatch.context() as inside:
            inside.setenv("POSTHORN_BIN", str(program_inside(root, tmp_path)))
            with Service(data, sandbox, [*test_old.OPTIONS, "--config", conf]) as service:
                assert "log-level=debug" in service.stderr()
                test_old.check_goes_on(service, sandbox, old)
        test_old.check_counters(data)
    code, said = system("apt-get", "purge", "-y", "posthorn")
    assert code == 0 and not data.exists(), said
