# SPDX-License-Identifier: Apache-2.0
"""./dev in a copy without sources, with stand-ins for apt-get, npm, meson and ninja: the calls it makes, its words, its locks."""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import run as test_runner  # noqa: E402 - it stands one folder up

COMMANDS = ["demo", "run", "build", "test", "check", "fmt", "sim", "mutants", "bench", "fuzz"]
WAIT_S = 30


class House:
    """A copy of ./dev whose PATH begins with stand-ins; each writes its arguments into `calls`."""

    def __init__(self, path):
        self.path = path
        self.bin = path / "stand-ins"
        self.calls_file = path / "calls"
        self.bin.mkdir()
        self.calls_file.touch()
        shutil.copy(ROOT / "dev", path / "dev")
        for name in ("apt-get", "sudo", "npm"):
            self.stand_in(name)
        self.stand_in("meson", 'for last; do case $last in build/*) mkdir -p "$last"; touch "$last/build.ninja" ;; esac; done')
        self.stand_in("ninja")
        wanted = " ".join(re.findall(r"^\w+_packages='([^']*)'", (ROOT / "dev").read_text(), re.M)).split()
        self.stand_in("dpkg-query", "\n".join(f"echo 'ii {package}'" for package in wanted))

    def stand_in(self, name, body=""):
        program = self.bin / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.calls_file}\n{body}\n')
        program.chmod(0o755)

    def calls(self):
        return self.calls_file.read_text().splitlines()

    def start(self, *arguments):
        environment = dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}", CC="cc")
        return subprocess.Popen([str(self.path / "dev"), *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def dev(self, *arguments):
        """The exit code, what it printed, what it said besides."""
        process = self.start(*arguments)
        out, said = process.communicate(timeout=WAIT_S)
        return process.returncode, out, said


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


# ---- help and mistyped words ----


@pytest.mark.parametrize("ask", ["--help", "-h"])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_comes_first(house, command, ask):
    """The command is explained; nothing is installed, configured or built."""
    status, out, said = house.dev(command, ask)
    assert (status, said) == (0, "") and out.startswith(f"./dev {command}")
    assert house.calls() == []
    assert house.dev("help", command) == (0, out, "")


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"], ["-h"], ["help", "--help"]])
def test_help_names_every_command(house, arguments):
    status, out, _ = house.dev(*arguments)
    assert status == 0 and house.calls() == []
    assert [command for command in COMMANDS if f"\n./dev {command} " not in "\n" + out] == []


def test_help_of_a_posthorn_command_reaches_posthorn(house):
    program = house.path / "build/release/src/cli/posthorn"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "posthorn: $*"\n')
    program.chmod(0o755)
    assert house.dev("run", "serve", "--help")[:2] == (0, "posthorn: serve --help\n")


@pytest.mark.parametrize("arguments, word", [
    (["tset"], "tset"), (["--chekc"], "--chekc"), (["help", "tset"], "tset"), (["build", "now"], "now"), (["test", "--lnog"], "--lnog"),
    (["check", "--fast"], "--fast"), (["fmt", "--chek"], "--chek"), (["fmt", "--check", "src"], "src"),
])
def test_a_mistyped_word(house, arguments, word):
    """The message names the word and the help; nothing is installed or built first."""
    status, out, said = house.dev(*arguments)
    assert (status, out) == (2, "") and word in said and "./dev help" in said
    assert house.calls() == []


# ---- packages ----


def test_nothing_is_installed_that_is_there(house):
    assert house.dev("build")[0] == 0
    assert [call for call in house.calls() if call.startswith(("apt-get", "npm", "sudo"))] == []


def lacking_everything(house, apt):
    house.stand_in("dpkg-query", "exit 1")
    house.stand_in("sudo", 'exec "$@"')
    house.stand_in("sleep")
    house.stand_in("apt-get", apt)


def test_apt_waits_for_its_locks(house):
    """For dpkg's lock by an option of apt-get, for the lists' by trying again."""
    lacking_everything(house, f'case $* in update*) mkdir {house.path}/tried 2>/dev/null && '
                              '{ echo "E: Could not get lock /var/lib/apt/lists/lock"; exit 100; };; esac; exit 0')
    status, _, said = house.dev("build")
    assert status == 0 and "waiting for it" in said
    updates = [call for call in house.calls() if call.startswith("apt-get update")]
    installs = [call for call in house.calls() if call.startswith("apt-get install")]
    assert len(updates) == 2 and len(installs) == 1 and "DPkg::Lock::Timeout=" in installs[0]


def test_a_dead_mirror_is_one_sentence(house):
    lacking_everything(house, 'case $* in update*) echo "E: Failed to fetch"; exit 100;; esac; exit 0')
    status, _, said = house.dev("build")
    assert status == 0 and said.count("apt-get update failed: the network or a mirror does not answer") == 1


def test_a_package_that_cannot_be_installed_ends_it(house):
    lacking_everything(house, 'case $* in install*) exit 100;; esac')
    status, _, said = house.dev("build")
    assert status == 1 and said.splitlines()[-1].startswith("dev: apt-get could not install gcc ")
    assert [call for call in house.calls() if call.startswith(("meson", "ninja"))] == []


# ---- npm ----


# What npm leaves of the packages that it is asked for: a folder each, with the version in it (9 for 9, 9.0.0 for 9.0.0).
NPM = """while [ "$1" != --prefix ]; do shift; done; prefix=$2; shift 2
for package; do case $package in *redocly*) exit 1 ;; esac
    folder=$prefix/node_modules/${package%@*}
    mkdir -p "$folder"; printf '{"version": "%s.0"}\\n' "${package##*@}" >"$folder/package.json"
done"""


def installs(house):
    return [call.split()[-1] for call in house.calls() if call.startswith("npm")]


def checked(house):
    (house.path / "tests").mkdir()
    (house.path / "tests/check.py").write_text("print('1 passed, 0 failed')\n")
    house.stand_in("npm", NPM)


def test_linters_come_from_npm_once(house):
    """Each has its own folder: npm removes packages of an earlier call from the folder it installs into."""
    checked(house)
    said = [house.dev("check")[2] for _ in range(2)]
    assert sorted(path.name for path in (house.path / "build/npm").iterdir() if path.is_dir()) == ["eslint", "spectral"]
    assert [package.split("@")[-2] for package in installs(house)] == ["eslint", "redocly/cli", "stoplight/spectral-cli", "redocly/cli"]
    assert all("npm could not install @redocly/cli" in words for words in said)


@pytest.mark.parametrize("version", ["", "8.57.1", "90.1.0"])
def test_a_folder_without_the_package_that_is_asked_for_is_made_again(house, version):
    """One that was added to the list, or has another version by now; what the network does not give leaves the old folder."""
    checked(house)
    folder = house.path / "build/npm/eslint/node_modules/eslint"
    folder.mkdir(parents=True)
    if version:
        (folder / "package.json").write_text(f'{{"version": "{version}"}}\n')
    house.stand_in("npm", "exit 1")
    assert "npm could not install eslint@9" in house.dev("check")[2] and folder.is_dir()
    house.stand_in("npm", NPM)
    for _ in range(2):
        house.dev("check")
    assert installs(house).count("eslint@9") == 2 and '"9.0"' in (folder / "package.json").read_text()


# ---- building ----


def test_a_directory_is_configured_once_and_again_when_the_options_change(house):
    for _ in range(2):
        assert house.dev("build")[0] == 0
    setups = [call for call in house.calls() if call.startswith("meson")]
    assert len(setups) == 1 and "--reconfigure" not in setups[0]
    (house.path / "build/release/dev-options").write_text("--buildtype=plain\n")
    status, _, said = house.dev("build")
    assert status == 0 and "configured with other options" in said
    assert "--reconfigure" in [call for call in house.calls() if call.startswith("meson")][1]
    house.dev("build")
    assert len([call for call in house.calls() if call.startswith("meson")]) == 2


def test_a_second_build_waits_for_the_first(house):
    lock = house.path / "build/release.lock"
    lock.parent.mkdir()
    with open(lock, "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = house.start("build")
        line = process.stderr.readline()
        assert "another ./dev is building in build/release: waiting" in line
        time.sleep(0.3)
        assert process.poll() is None and [call for call in house.calls() if call.startswith(("meson", "ninja"))] == []
    process.communicate(timeout=WAIT_S)
    assert process.returncode == 0 and house.calls()[-1].startswith("ninja")


def test_two_builds_never_overlap(house):
    house.stand_in("ninja", f"mkdir {house.path}/building || echo overlap >>{house.calls_file}; sleep 0.3; rmdir {house.path}/building")
    both = [house.start("build"), house.start("build")]
    for process in both:
        process.communicate(timeout=WAIT_S)
    assert [process.returncode for process in both] == [0, 0]
    assert "overlap" not in house.calls() and sum(call.startswith("ninja") for call in house.calls()) == 2


def test_a_running_service_holds_no_lock(house):
    program = house.path / "build/release/src/cli/posthorn"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho up\nexec sleep 30\n")
    program.chmod(0o755)
    service = house.start("run", "serve")
    try:
        assert service.stdout.readline() == "up\n"
        assert house.dev("build")[0] == 0
    finally:
        service.kill()
        service.communicate()


# ---- fmt ----


def test_fmt_check_lists_and_changes_nothing(house):
    if shutil.which("clang-format") is None:
        pytest.skip("clang-format is not installed")
    for folder in ("src", "tests", "bench", "examples"):
        (house.path / folder).mkdir()
    shutil.copy(ROOT / ".clang-format", house.path)
    shutil.copy(ROOT / "tests/check.py", house.path / "tests")
    good, bad = house.path / "src/good.c", [house.path / "bench/bad.h", house.path / "examples/bad.c", house.path / "tests/bad.c"]
    good.write_text("int one(void)\n{\n\treturn 1;\n}\n")
    for path in bad:
        path.write_text("int one( void ) { return 1; }\n")
    status, out, _ = house.dev("fmt", "--check")
    assert status == 1 and [str(path.relative_to(house.path)) in out for path in bad] == [True] * 3 and "good.c" not in out
    assert all(path.read_text() == "int one( void ) { return 1; }\n" for path in bad)
    assert house.dev("fmt")[0] == 0
    assert {path.read_text() for path in bad} == {good.read_text()}
    assert house.dev("fmt", "--check")[0] == 0


# ---- names of tests ----


PROGRAMS = {"codec/json", "platform/x/x_rules", "store/conformance_sqlite"}


@pytest.mark.parametrize("name, meaning", [
    ("codec/json", ("meson", ["codec/json"])),
    ("src/codec/json.c", ("meson", ["codec/json"])),
    ("tests/unit/codec/json_test.c", ("meson", ["codec/json"])),
    ("src/platform/x/x_rules.c", ("meson", ["platform/x/x_rules"])),
    ("store/conformance_sqlite", ("meson", ["store/conformance_sqlite"])),
    ("test_token.py", ("pytest", ["tests/api/test_token.py"])),
    ("test_token", ("pytest", ["tests/api/test_token.py"])),
    ("tests/api/test_token.py", ("pytest", ["tests/api/test_token.py"])),
    ("test_token.py::test_one", ("pytest", ["tests/api/test_token.py::test_one"])),
    ("tests/layers", ("pytest", ["tests/layers"])),
    ("layers_test.py", ("pytest", ["tests/layers/layers_test.py"])),
    ("publish and not video", ("-k", ["publish and not video"])),
    ("codec/nothing", ("-k", ["codec/nothing"])),
])
def test_a_name_means_a_program_a_file_or_an_expression(name, meaning):
    assert test_runner.resolve(name, PROGRAMS) == meaning


# ---- .ci/run ----


@pytest.fixture
def ci(tmp_path):
    """Runs .ci/run with a ./dev that says what is given: (exit code, last line)."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")

    def run(check, test):
        (tmp_path / "dev").write_text(f'#!/bin/sh\nif [ "$1" = check ]; then\n{check}\nelse\n{test}\nfi\n')
        (tmp_path / "dev").chmod(0o755)
        done = subprocess.run([str(tmp_path / ".ci/run")], capture_output=True, text=True, timeout=WAIT_S, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    return run


@pytest.mark.parametrize("check, test, status, line", [
    ("echo 14 passed, 0 failed", "echo 2000 passed, 0 failed", 0, "2014 passed, 0 failed"),
    ("echo 12 passed, 0 failed, 2 skipped", "echo 2000 passed, 0 failed", 0, "2012 passed, 0 failed"),
    ("echo 13 passed, 1 failed; exit 1", "echo 2000 passed, 0 failed", 1, "2013 passed, 1 failed"),
    ("echo 14 passed, 0 failed", "echo 1999 passed, 3 failed; exit 1", 1, "2013 passed, 3 failed"),
    ("echo 14 passed, 0 failed", "echo it died; exit 1", 1, "14 passed, 1 failed"),
    ("echo 14 passed, 0 failed", "echo 7 passed, 0 failed; exit 1", 1, "21 passed, 1 failed"),
    ("exit 1", "exit 1", 1, "0 passed, 2 failed"),
])
def test_ci_adds_both_up(ci, check, test, status, line):
    assert ci(check, test) == (status, line)
