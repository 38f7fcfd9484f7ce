# SPDX-License-Identifier: Apache-2.0
"""docs/security-checklist.md: every chapter is there, every verdict is one, what is met names its tests, and each of these exists."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs/security-checklist.md").read_text()
VERDICTS = {"met", "partly met", "not met", "not applicable"}
ROW = re.compile(r"^\| (V\d[^|]*?) \| ([^|]*?) \| ([^|]*?) \| (.*) \|$", re.M)
NAME = re.compile(r"`([\w/]+\.(?:py|c))::(\w+)`")
ROWS = ROW.findall(TEXT)
CHAPTERS = range(1, 15)


def defined():
    """{file name: the tests in it}"""
    found = {}
    for path in (ROOT / "tests").rglob("*"):
        if path.suffix == ".py":
            found.setdefault(path.name, set()).update(re.findall(r"^def (test_\w+)", path.read_text(), re.M))
        elif path.name.endswith("_test.c"):
            found.setdefault(path.name, set()).update(re.findall(r"^static void (\w+)\(void \*\*", path.read_text(), re.M))
    return found


DEFINED = defined()
CHECK_ROW = re.compile(r'^    \("(\w+)", "', re.M)
CHECKS = set(CHECK_ROW.findall((ROOT / "tests/check.py").read_text()))


def test_every_chapter_has_rows():
    assert len(ROWS) == TEXT.count("\n| V")
    assert {int(re.match(r"V(\d+)", row[0])[1]) for row in ROWS} == set(CHAPTERS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_verdict(row):
    section, _, verdict, text = row
    assert verdict in VERDICTS, section
    assert verdict != "met" or NAME.search(text), f"{section} is met by no test"
    assert verdict != "partly met" or NAME.search(text) or "Not met" in text, f"{section} does not say what is missing"


@pytest.mark.parametrize("file,name", sorted(set(NAME.findall(TEXT))))
def test_named_tests_exist(file, name):
    assert name in DEFINED.get(pathlib.PurePath(file).name, set()), f"there is no {file}::{name}"


def test_named_checks_exist():
    named = [name for words in re.findall(r"`\./dev check ([a-z ]+)`", TEXT) for name in words.split()]
    assert named and set(named) <= CHECKS
