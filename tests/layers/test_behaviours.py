# SPDX-License-Identifier: Apache-2.0
"""docs/platforms/README.md: each behaviour has a state, and the tests that it names are there."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs/platforms/README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) (.+?) \| (.*?) \| ?(.*?) ?\|$", PAGE, re.M)


def is_there(name):
    path, _, function = name.partition("::")
    file = ROOT / path
    if not path.startswith("tests/") or not file.is_file():
        return False
    return not function or re.search(rf"^(def|static void) {re.escape(function)}\(", file.read_text(encoding="utf-8"), re.M) is not None


def test_numbers_are_told_once_and_in_order():
    numbers = [int(number) for number, *_ in ROWS]
    assert numbers == list(range(1, 91))
    assert len(ROWS) == len(re.findall(r"^\| \d", PAGE, re.M)), "a row has another form"


@pytest.mark.parametrize("number, behaviour, state, tests", ROWS, ids=[row[0] for row in ROWS])
def test_behaviour_is_shown(number, behaviour, state, tests):
    names = re.findall(r"`([^`]+)`", tests)
    word = re.match(r"right|partly: |missing: ", state)
    assert word, f"{number}: {state}"
    assert names or word[0] == "missing: ", f"{number}: no test"
    assert [name for name in names if not is_there(name)] == []
