# SPDX-License-Identifier: Apache-2.0
"""docs/platforms/README.md and README.md say how many statements of the platforms' pages nobody could verify: as many as are marked."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLATFORMS = ROOT / "docs/platforms"
MARK = re.compile(r"\(U\)|\[U[\]: ]")


def marks():
    """{page: marks}, without the line that explains the mark."""
    return {path.stem: len(MARK.findall(path.read_text())) for path in PLATFORMS.glob("*.md") if path.stem != "README"}


def test_the_number_is_told():
    found = marks()
    assert sum(found.values()) > 0
    told = re.search(r"The pages carry (\d+) marks .*?\(((?:\w+ \d+(?:, )?)+)\)", (PLATFORMS / "README.md").read_text(), re.S)
    assert int(told[1]) == sum(found.values())
    assert {name: int(number) for name, number in (pair.split() for pair in told[2].split(", "))} == found
    assert f"{told[1]} statements" in (ROOT / "README.md").read_text().replace("\n", " ")
