# SPDX-License-Identifier: Apache-2.0
"""The picture of the house in ARCHITECTURE.md is made of src/layers.txt. After a change of the table:

    /usr/bin/python3 tests/layers/test_picture.py

writes it again."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"```mermaid\n(flowchart .*?)```", re.S)


def read_table():
    """{folder: folders that it may include}; a single header counts as its folder."""
    table = {}
    for line in (ROOT / "src/layers.txt").read_text().splitlines():
        folder, colon, words = line.partition("#")[0].partition(":")
        if colon:
            names = [word if word in table else word.rpartition("/")[0] for word in words.split()]
            table[folder.strip()] = set(table) if "*" in words.split() else set(names)
    return table


def reaches(table, start):
    seen, left = set(), list(table[start])
    while left:
        folder = left.pop()
        if folder not in seen:
            seen.add(folder)
            left += table[folder]
    return seen


def picture_of(table):
    """An arrow for each row's word, those left out that follow from others."""
    lines = ["flowchart TD"]
    for folder in reversed(table):
        implied = set().union(*(reaches(table, word) for word in table[folder]))
        direct = [word for word in table if word in table[folder] and word not in implied]
        for word in direct:
            lines.append(f'    {folder.replace("/", "_")}["{folder}"] --> {word.replace("/", "_")}["{word}"]')
    return "\n".join(lines) + "\n"


def test_the_picture_shows_the_table():
    blocks = BLOCK.findall((ROOT / "ARCHITECTURE.md").read_text())
    assert len(blocks) == 1
    assert blocks[0] == picture_of(read_table()), "run: /usr/bin/python3 tests/layers/test_picture.py"


def test_every_folder_is_explained():
    """A row of the table "Folders" for each row of layers.txt."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert [folder for folder in read_table() if not re.search(rf"^\| {re.escape(folder)} \|", text, re.M)] == []


if __name__ == "__main__":
    path = ROOT / "ARCHITECTURE.md"
    path.write_text(BLOCK.sub(lambda _: "```mermaid\n" + picture_of(read_table()) + "```", path.read_text(), count=1))
    sys.exit(0)
