#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every test on a sanitizer build and ends with one line: `N passed, N failed`.

Unit and conformance tests are cmocka programs run by Meson; the running binary is tested from outside by pytest. A test program that
dies counts as one failure, so that a crash is never silent. Not a test itself.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_meson(build: Path) -> tuple[int, int]:
    """Cases passed and failed in the C test programs."""
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="stdout")
    subprocess.run(["meson", "test", "-C", str(build), "--no-rebuild", "--print-errorlogs"], env=environment, check=False)
    passed = failed = 0
    with open(build / "meson-logs" / "testlog.json", encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            output = test.get("stdout", "") + test.get("stderr", "")
            ok = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", output))
            bad = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) test", output, re.M))
            passed += ok if ok or test["result"] != "OK" else 1
            failed += max(bad, 1) if test["result"] not in ("OK", "SKIP") else 0
    return passed, failed


def run_pytest(build: Path, long: bool) -> tuple[int, int, int]:
    """Cases passed, failed and skipped in the tests of the running binary."""
    report = build / "pytest.xml"
    report.unlink(missing_ok=True)
    environment = dict(os.environ, POSTHORN_BIN=str(build / "src" / "cli" / "posthorn"), POSTHORN_BUILD=str(build),
                       PYTHONDONTWRITEBYTECODE="1", POSTHORN_LONG="1" if long else "")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", "tests"]
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if not report.exists():
        return 0, 1, 0
    suite = ElementTree.parse(report).getroot().find("testsuite")
    count = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
    failed = count["failures"] + count["errors"]
    if status not in (0, 5) and failed == 0:
        failed = 1
    return count["tests"] - failed - count["skipped"], failed, count["skipped"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--long", action="store_true", help="also the long ones")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    subprocess.run(["ninja", "-C", str(build), "all", "meson-test-prereq"], check=True, stdout=sys.stderr)
    c_passed, c_failed = run_meson(build)
    api_passed, api_failed, skipped = run_pytest(build, arguments.long)
    if skipped:
        print(f"{skipped} skipped (their reasons stand above)")
    passed, failed = c_passed + api_passed, c_failed + api_failed
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
