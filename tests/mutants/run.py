#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the faults of mutants.toml into a copy of the tree, one after the other, and runs the tests that must find them.

The tree itself is never changed: the copy stands in build/mutants. Each row ends as
  killed    a test failed
  survived  every test passed: write the test that is missing
  stale     the text that the row replaces is not there any more: write the row again
  broken    it does not compile, or its tests do not run
The last line is `N passed, N failed`. First the tests run without a fault: when one fails then, nothing can be said.
"""
import argparse
import filecmp
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLE = HERE / "mutants.toml"
NOT_COPIED = {".git", "build", "__pycache__", ".pytest_cache", ".hypothesis", "node_modules", "posthorn-data"}
OPTIONS = ["-Ddebug=true", "-Doptimization=0", "-Db_sanitize=address,undefined", "-Db_lundef=false"]  # ./dev test has -O1: slower to build
TESTS_MAX_S = 900  # a fault may make a test wait for ever: that is found too


class Stale(Exception):
    """The text to be replaced is not there, or not once."""


# ---- rows ----


def read_table(path=TABLE):
    """{name: row}"""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def edits_of(row):
    """[(file, old, new)]"""
    return [(edit["file"], edit["old"], edit["new"]) for edit in [row, *row.get("more", [])]]


def mutate(row, root):
    """{file: its text with the fault}; Stale when a place cannot be found."""
    texts = {}
    for file, old, new in edits_of(row):
        path = root / file
        if not path.is_file():
            raise Stale(f"there is no {file}")
        text = texts.get(file) or path.read_text(encoding="utf-8")
        count = text.count(old)
        if count != 1:
            raise Stale(f"{file} has the old text {count} times: {old.strip().partition(chr(10))[0]}")
        texts[file] = text.replace(old, new)
    return texts


# ---- the copy ----


def files_of(root):
    """Paths below root, of what is copied."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in NOT_COPIED and not name.startswith("build")]
        for name in names:
            yield (Path(folder) / name).relative_to(root)


def copy_tree(source, target):
    """Only what differs is written, and what is written is new: a build sees every change, and nothing else."""
    wanted = set(files_of(source))
    for path in wanted:
        if (target / path).is_file() and filecmp.cmp(source / path, target / path, shallow=False):
            continue
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target / path)
        shutil.copymode(source / path, target / path)
    for path in set(files_of(target)) - wanted:
        (target / path).unlink()


# ---- building and running ----


class Copy:
    def __init__(self, place):
        self.tree, self.build, self.log = place / "tree", place / "tree/build/debug", place / "log"
        self.log.mkdir(parents=True, exist_ok=True)

    def make(self):
        copy_tree(ROOT, self.tree)
        if not (self.build / "build.ninja").is_file():
            with open(self.log / "setup.log", "w", encoding="utf-8") as log:
                subprocess.run(["meson", "setup", *OPTIONS, str(self.build), str(self.tree)], check=True, stdout=log, stderr=log)

    def run_tests(self, name, tests):
        """(cases passed, cases failed, why it is broken or ""); what was printed stands in log/NAME.log."""
        path = self.log / f"{name}.log"
        command = [sys.executable, str(self.tree / "tests/run.py"), str(self.build), *tests]
        with open(path, "w", encoding="utf-8") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
            try:
                process.wait(timeout=TESTS_MAX_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return 0, 1, ""
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                raise
        return judge_words(path.read_text(encoding="utf-8", errors="replace"))

    def with_fault(self, name, row):
        """As run_tests, with the row's fault; the copy is whole again afterwards."""
        whole = {file: (self.tree / file).read_text(encoding="utf-8") for file, _, _ in edits_of(row)}
        texts = mutate(row, self.tree)
        try:
            for file, text in texts.items():
                (self.tree / file).write_text(text, encoding="utf-8")
            return self.run_tests(name, row["tests"])
        finally:
            for file, text in whole.items():
                (self.tree / file).write_text(text, encoding="utf-8")


def judge_words(words):
    """The last line of tests/run.py."""
    if "the build failed:" in words:
        return 0, 0, "it does not compile"
    found = re.findall(r"^(\d+) passed, (\d+) failed$", words, re.M)
    if not found or found[-1] == ("0", "0"):
        return 0, 0, "its tests do not run"
    return int(found[-1][0]), int(found[-1][1]), ""


# ---- one row ----


def run_row(copy, name, row):
    """(word, detail, is it as it should be?)"""
    try:
        _, failed, broken = copy.with_fault(name, row)
    except Stale as stale:
        return "stale", str(stale), False
    known = row.get("known", "")
    if broken:
        return "broken", f"{broken}: {copy.log / name}.log", False
    if not failed:
        return "survived", f"known: {known}" if known else row["what"], bool(known)
    if known:
        return "killed", "it is not known to survive any more: take the word off", False
    return "killed", f"{row['what']} ({failed} failed)", True


def baseline(copy, rows):
    """What goes wrong without a fault, or ""."""
    tests = sorted({test for row in rows.values() for test in row["tests"]})
    begin = time.monotonic()
    passed, failed, broken = copy.run_tests("whole", tests)
    print(f"{'whole':6} {passed} passed, {failed} failed without a fault, {time.monotonic() - begin:.0f} s", flush=True)
    return broken or (f"{failed} tests fail without a fault" if failed else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of rows; all without one")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--trust", action="store_true", help="that the tests pass without a fault: do not run them first")
    parser.add_argument("--place", type=Path, default=ROOT / "build" / "mutants", help="where the copy stands")
    arguments = parser.parse_args()
    table = read_table()
    unknown = [name for name in arguments.names if name not in table]
    if unknown:
        parser.error(f"there is no mutant {' '.join(unknown)}; --list says which there are")
    rows = {name: row for name, row in table.items() if not arguments.names or name in arguments.names}
    if arguments.list:
        for name, row in rows.items():
            print(f"{name:6} {row['what']}: {', '.join(row['tests'])}{' (survives)' if row.get('known') else ''}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was begun is ended
    copy = Copy(arguments.place.resolve())
    copy.make()
    wrong = "" if arguments.trust else baseline(copy, rows)
    if wrong:
        print(f"{wrong}: {copy.log / 'whole'}.log\n0 passed, 1 failed", flush=True)
        return 1
    failed = 0
    for name, row in rows.items():
        begin = time.monotonic()
        word, detail, is_good = run_row(copy, name, row)
        failed += not is_good
        print(f"{name:6} {word:8} {time.monotonic() - begin:4.0f} s  {detail}", flush=True)
    print(f"{len(rows) - failed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
