# SPDX-License-Identifier: Apache-2.0
"""The table of mutants and the program that runs it, without building anything: no row is stale, each names tests that are there, and
what is read from a run is what it said."""
import importlib.util
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def load(name, path):
    """Both programs are called run.py."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


mutants = load("mutants_run", HERE / "run.py")
TABLE = mutants.read_table()
ROW = {"what": "a fault", "file": "a.c", "old": "one", "new": "two", "tests": ["a"]}


class StandIn:
    """A copy whose tests end as told."""

    def __init__(self, root, passed, failed, broken=""):
        self.root, self.log, self.end = root, root, (passed, failed, broken)

    def with_fault(self, name, row):
        mutants.mutate(row, self.root)
        return self.end


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "a.c").write_text("one\n")
    return tmp_path


@pytest.mark.parametrize("name", TABLE)
def test_a_row_is_of_the_code_of_today(name):
    """A stale row says nothing: the text that it replaces is there, once."""
    row = TABLE[name]
    assert set(row) <= {"what", "file", "old", "new", "more", "tests", "known"}
    assert all(old != new for _, old, new in mutants.edits_of(row))
    mutants.mutate(row, ROOT)


@pytest.mark.parametrize("name", TABLE)
def test_a_row_names_tests_that_are_there(name):
    for test in TABLE[name]["tests"]:
        path, _, function = test.partition("::")
        if path.endswith(".py"):
            assert re.search(rf"^def {function}\(", (ROOT / path).read_text(encoding="utf-8"), re.M), test
        elif path.startswith(("store/conformance_", "sim/")):
            folder = path.partition("/")[0]
            assert f"test('{path}'" in (ROOT / "tests" / folder / "meson.build").read_text(encoding="utf-8"), test
        else:
            assert (ROOT / "tests/unit" / f"{path}_test.c").is_file(), test


@pytest.mark.parametrize("end, known, word, is_good", [
    ((3, 1), "", "killed", True), ((4, 0), "", "survived", False), ((4, 0), "why", "survived", True), ((3, 1), "why", "killed", False),
    ((0, 0, "it does not compile"), "", "broken", False), ((0, 0, "it does not compile"), "why", "broken", False),
])
def test_how_a_row_ends(tree, end, known, word, is_good):
    row = {**ROW, "known": known} if known else ROW
    said, _, was_good = mutants.run_row(StandIn(tree, *end), "m", row)
    assert (said, was_good) == (word, is_good)


@pytest.mark.parametrize("change", [
    {"old": "three"}, {"file": "b.c"}, {"more": [{"file": "a.c", "old": "three", "new": ""}]}, {"old": ""},
])
def test_a_row_whose_text_is_gone_is_stale(tree, change):
    assert mutants.run_row(StandIn(tree, 1, 1), "m", {**ROW, **change})[0] == "stale"


def test_several_places_of_one_file_are_one_fault(tree):
    (tree / "a.c").write_text("one, three\n")
    row = {**ROW, "more": [{"file": "a.c", "old": "three", "new": "four"}]}
    assert mutants.mutate(row, tree) == {"a.c": "two, four\n"}
    assert (tree / "a.c").read_text() == "one, three\n"


@pytest.mark.parametrize("words, judged", [
    ("...\n12 passed, 0 failed\n", (12, 0, "")), ("1 passed, 0 failed\n10 passed, 2 failed\n", (10, 2, "")),
    ("the build failed: ninja\n0 passed, 1 failed\n", (0, 0, "it does not compile")), ("", (0, 0, "its tests do not run")),
    ("0 passed, 0 failed\n", (0, 0, "its tests do not run")),
])
def test_the_last_line_of_a_run(words, judged):
    assert mutants.judge_words(words) == judged


def test_a_copy_follows_the_tree(tmp_path):
    """Only what changed is written, so that a build sees no other change; what is gone goes; what is built stays."""
    source, target = tmp_path / "source", tmp_path / "target"
    for path in ("same.c", "changed.c", "gone.c", "build/of-the-source"):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text("1")
    mutants.copy_tree(source, target)
    assert {str(path) for path in mutants.files_of(target)} == {"same.c", "changed.c", "gone.c"} and not (target / "build").exists()
    (target / "build").mkdir()
    (target / "build/own").write_text("1")
    before = (target / "same.c").stat().st_mtime_ns
    (source / "gone.c").unlink()
    (target / "changed.c").write_text("a fault")
    mutants.copy_tree(source, target)
    assert (target / "same.c").stat().st_mtime_ns == before
    assert (target / "changed.c").read_text() == "1" and not (target / "gone.c").exists() and (target / "build/own").exists()
