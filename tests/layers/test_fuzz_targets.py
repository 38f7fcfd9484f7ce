# SPDX-License-Identifier: Apache-2.0
"""Every fuzz target is built, and begins with a small corpus of our own (docs/fuzzing.md)."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FUZZ = ROOT / "tests/fuzz"
BUILT = set(re.findall(r"'(\w+)'", (FUZZ / "meson.build").read_text().partition("foreach name : [")[2].partition("]")[0]))
MADE_AT_EACH_RUN = {"platform_answers"}  # seeds.py
CORPUS_MAX_BYTES = 256 * 1024


def test_every_source_is_built():
    assert {path.stem for path in FUZZ.glob("*.c")} == BUILT


def test_every_target_has_a_corpus():
    assert {path.name for path in (FUZZ / "corpus").iterdir()} | MADE_AT_EACH_RUN == BUILT


def test_corpora_are_small():
    for folder in (FUZZ / "corpus").iterdir():
        sizes = [path.stat().st_size for path in folder.iterdir()]
        assert sizes and sum(sizes) <= CORPUS_MAX_BYTES, folder.name
