#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every test, or those of the given names, on a sanitizer build and ends with one line: `N passed, N failed`.

Unit and conformance tests are cmocka programs run by Meson; the running binary is tested from outside by pytest. A test program that
dies counts as one failure, so that a crash is never silent. Not a test itself.

A name is a C test program (codec/json, src/codec/json.c, tests/unit/codec/json_test.c), a pytest file (test_token.py, with its path or
without, with ::test_name or without), a folder of them, or else an expression for pytest's -k.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEARTBEAT_S = 60
sys.path.insert(0, str(ROOT / "tests" / "postgres"))

from postgres_server import PostgresServer  # noqa: E402 - it stands beside the tests that use it


def start_meson(build: Path, name: str, *selection: str) -> subprocess.Popen:
    """The C test programs of a selection, with their words in build/meson-NAME.log."""
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="stdout")
    # Twice as many as processors: half of them wait for the disk. The simulation only computes, and gives way to who waits.
    command = ["nice", "-n", "5" if name == "sim" else "0", "meson", "test", "-C", str(build), "--no-rebuild", "--print-errorlogs",
               "--num-processes", str(2 * os.cpu_count()), "--logbase", name, *selection]
    with open(build / f"meson-{name}.log", "w", encoding="utf-8") as log:
        return subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)


def count_meson(build: Path, name: str, process: subprocess.Popen) -> tuple[int, int]:
    """Cases passed and failed of a selection, when it has ended."""
    process.wait()
    print((build / f"meson-{name}.log").read_text(encoding="utf-8"), flush=True)
    passed = failed = 0
    with open(build / "meson-logs" / f"{name}.json", encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            output = test.get("stdout", "") + test.get("stderr", "")
            ok = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", output))
            bad = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) test", output, re.M))
            passed += ok if ok or test["result"] != "OK" else 1
            failed += max(bad, 1) if test["result"] not in ("OK", "SKIP") else 0
    return passed, failed


FLOWS = {path.name for path in (ROOT / "tests/api").glob("test_*_flows.py")} | {"test_validate.py", "test_description.py"}
# Of tests/api, those that mostly start services of their own.
OWN = {f"test_{name}.py" for name in ("change", "cli", "live_check", "people", "person", "proxy", "quotas", "retry_many", "unpublish")}
# A client of the API, to which both databases look alike.
POSTGRES_ALONE = ["tests/api/test_person_more.py"]
POSTGRES = [
    "tests/postgres",
    "tests/fault/test_crash.py",
    "tests/api/test_token.py",
    "tests/api/test_accounts.py",
    "tests/api/test_account_resource.py",
    "tests/api/test_list.py",
    "tests/api/test_webhooks.py",
    "tests/api/test_change.py",
    "tests/api/test_at_once.py",
    *POSTGRES_ALONE,
]
# When the groups have ended: was all that the API's description says met by one of them?
AFTERWARDS = ["tests/api/test_description.py", "-m", "last"]


def groups() -> dict[str, list[str]]:
    """Processes side by side, which mostly wait: for services to die and come back, for posts to go out, for answers. What belongs to
    no other group is the second's. The last runs on PostgreSQL: what several nodes do together, and of the API and the crashes what
    calls every verb of the store."""
    api = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/api").glob("test_*.py") if path.name not in FLOWS)
    pages = ["tests/browser", "tests/dashboard"]
    others = ["tests", *(f"--ignore={path}" for path in ["tests/fault", "tests/postgres", *pages, *api])]
    api = [path for path in api if path not in POSTGRES_ALONE]
    return {"fault": ["tests/fault"], "flows": others, "api": [path for path in api if Path(path).name not in OWN],
            "own": [path for path in api if Path(path).name in OWN], "pages": pages, "postgres": POSTGRES}


def start_pytest(build: Path, group: str, selection: list[str], long: bool, database: str = "") -> subprocess.Popen:
    """The tests of one group, with their words in build/pytest-GROUP.log and their results in build/pytest-GROUP.xml."""
    report = build / f"pytest-{group}.xml"
    report.unlink(missing_ok=True)
    environment = dict(os.environ, POSTHORN_BIN=str(build / "src" / "cli" / "posthorn"), POSTHORN_BUILD=str(build),
                       PYTHONDONTWRITEBYTECODE="1", POSTHORN_LONG="1" if long else "",
                       POSTHORN_UNMET=str(build / "unmet"), POSTHORN_GROUP=group, POSTHORN_TEST_DATABASE=database)
    # A directory of its own: pytest's common one is swept by whichever run ends.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=15",
               f"--basetemp={build / f'pytest-tmp-{group}'}", f"--junitxml={report}", *selection]
    with open(build / f"pytest-{group}.log", "w", encoding="utf-8") as log:
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)


def count_pytest(build: Path, group: str, status: int) -> tuple[int, int, int]:
    """Cases passed, failed and skipped of a group that has ended."""
    print((build / f"pytest-{group}.log").read_text(encoding="utf-8"), flush=True)
    report = build / f"pytest-{group}.xml"
    if not report.exists():
        return 0, 1, 0
    suite = ElementTree.parse(report).getroot().find("testsuite")
    count = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
    failed = count["failures"] + count["errors"]
    if status not in (0, 5) and failed == 0:
        failed = 1
    return count["tests"] - failed - count["skipped"], failed, count["skipped"]


def run_pytest(build: Path, long: bool) -> tuple[int, int, int]:
    """Cases passed, failed and skipped in the tests of the running binary."""
    shutil.rmtree(build / "unmet", ignore_errors=True)
    with PostgresServer() as server:
        databases = {"postgres": server.url("postgres")}
        running = {group: start_pytest(build, group, selection, long, databases.get(group, "")) for group, selection in groups().items()}
        counts = [count_pytest(build, group, process.wait()) for group, process in running.items()]
    counts.append(count_pytest(build, "afterwards", start_pytest(build, "afterwards", AFTERWARDS, long).wait()))
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    return passed, failed, skipped


# ---- progress ----


def progress(build: Path) -> str:
    """The last word of every group's log, in one line."""
    words = []
    for path in sorted([*build.glob("pytest-*.log"), build / "meson-sim.log"]):
        said = path.read_text(errors="replace") if path.exists() else ""
        found = re.findall(r"\[ *(\d+%)\]|\b(\d+ (?:passed|failed)\b.*) in |(\d+/\d+) ", said)
        words.append(f"{path.stem.partition('-')[2]} {next(filter(None, found[-1])) if found else '...'}")
    return ", ".join(words)


def say_progress(build: Path) -> None:
    """A line every HEARTBEAT_S: the logs are printed only when their groups end."""
    start = time.monotonic()
    while True:
        time.sleep(HEARTBEAT_S)
        print(f"run.py: after {round((time.monotonic() - start) / 60)} min: {progress(build)}", file=sys.stderr, flush=True)


# ---- everything ----


def run_mutants() -> tuple[int, int]:
    """Rows of tests/mutants/mutants.toml that ended as they should, and the others."""
    process = subprocess.run([sys.executable, str(ROOT / "tests/mutants/run.py")], stdout=subprocess.PIPE, text=True)
    print(process.stdout, flush=True)
    found = re.findall(r"^(\d+) passed, (\d+) failed$", process.stdout, re.M)
    return (int(found[-1][0]), int(found[-1][1])) if found else (0, 1)


def run_everything(build: Path, long: bool) -> tuple[int, int, int]:
    for log in [*build.glob("pytest-*.log"), build / "meson-sim.log"]:
        log.unlink(missing_ok=True)
    subprocess.run(["ninja", "-C", str(build), "all", "meson-test-prereq"], check=True, stdout=sys.stderr)
    c_passed, c_failed = count_meson(build, "unit", start_meson(build, "unit", "--no-suite", "sim"))
    simulation = start_meson(build, "sim", "--suite", "sim")  # computes while the others wait for answers
    threading.Thread(target=say_progress, args=(build,), daemon=True).start()
    api_passed, api_failed, skipped = run_pytest(build, long)
    sim_passed, sim_failed = count_meson(build, "sim", simulation)
    passed, failed = run_mutants() if long else (0, 0)
    return c_passed + api_passed + sim_passed + passed, c_failed + api_failed + sim_failed + failed, skipped


# ---- names ----


def plain(word: str) -> Path:
    """Without ".." inside: what Meson writes as BUILD/../../tests/file is none of the build's."""
    return Path(os.path.normpath(word))


def c_tests(build: Path) -> dict[str, list[str]]:
    """{test: the programs that it needs}, as Meson knows them: a new one too."""
    subprocess.run(["ninja", "-C", str(build), "build.ninja"], check=True, stdout=sys.stderr)
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text(encoding="utf-8"))
    return {test["name"]: [str(word.relative_to(build)) for word in map(plain, test["cmd"]) if word.is_relative_to(build)]
            for test in tests}


def resolve(name: str, programs: set[str]) -> tuple[str, list[str]]:
    """What a name means: ("meson", [test]), ("pytest", [path...]) or ("-k", [expression])."""
    test = re.sub(r"^(src|tests/unit)/", "", name)
    test = re.sub(r"(_test)?(\.c)?$", "", test)
    if test in programs:
        return "meson", [test]
    path, _, node = name.partition("::")
    file = path if path.endswith(".py") else path + ".py"
    places = [ROOT / file] if "/" in path else sorted((ROOT / "tests").rglob(file))
    places = [place for place in places if place.is_file() and (place.name.startswith("test_") or place.name.endswith("_test.py"))]
    if "/" in path and (ROOT / path).is_dir():
        places = [ROOT / path]
    if places:
        return "pytest", [str(place.relative_to(ROOT)) + (f"::{node}" if node else "") for place in places]
    return "-k", [name]


def run_named_programs(build: Path, tests: list[str], programs: dict[str, list[str]]) -> tuple[int, int]:
    targets = sorted({program for test in tests for program in programs[test]})
    subprocess.run(["ninja", "-C", str(build), *targets], check=True, stdout=sys.stderr)
    return count_meson(build, "named", start_meson(build, "named", *tests))


def run_named_pytest(build: Path, group: str, selection: list[str], long: bool) -> tuple[int, int, int]:
    known = (build / "build.ninja").read_text(encoding="utf-8")  # without libvips there is no posthorn-fit
    programs = [name for name in ("src/cli/posthorn", "src/cli/posthorn-fit") if f"\nbuild {name}:" in known]
    subprocess.run(["ninja", "-C", str(build), *programs], check=True, stdout=sys.stderr)
    if not any("tests/postgres" in word for word in selection):
        return count_pytest(build, group, start_pytest(build, group, selection, long).wait())
    with PostgresServer() as server:
        return count_pytest(build, group, start_pytest(build, group, selection, long, server.url("postgres")).wait())


def run_named(build: Path, names: list[str], long: bool) -> tuple[int, int, int]:
    programs = c_tests(build)
    wanted: dict[str, list[str]] = {"meson": [], "pytest": [], "-k": []}
    for name in names:
        kind, words = resolve(name, set(programs))
        wanted[kind] += words
    counts = []
    if wanted["meson"]:
        counts.append((*run_named_programs(build, wanted["meson"], programs), 0))
    # Apart: what runs beside tests of several nodes is given a PostgreSQL server too.
    for is_postgres in (False, True):
        selection = [word for word in wanted["pytest"] if ("tests/postgres" in word) == is_postgres]
        if selection:
            counts.append(run_named_pytest(build, "named", selection, long))
    for expression in wanted["-k"]:
        found = run_named_pytest(build, "expression", ["-k", expression], long)
        if not any(found):
            print(f"no C test program, no test file and no test is named {expression}")
        counts.append(found if any(found) else (0, 1, 0))
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    return passed, failed, skipped


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--long", action="store_true", help="also the long ones")
    arguments = parser.parse_intermixed_args()
    build = arguments.build.resolve()
    try:
        if arguments.names:
            passed, failed, skipped = run_named(build, arguments.names, arguments.long)
        else:
            passed, failed, skipped = run_everything(build, arguments.long)
    except subprocess.CalledProcessError as broken:
        print(f"the build failed: {' '.join(broken.cmd)}")
        passed, failed, skipped = 0, 1, 0
    if skipped:
        print(f"{skipped} skipped (their reasons stand above)")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
