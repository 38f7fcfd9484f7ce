#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No line is longer than its kind of file allows; a tab counts 8 columns, 4 in JavaScript and TypeScript. Exits with 1 and lists those
that are.

long_lines.txt lists files that have longer lines, and how many; the numbers may only fall. `lengths.py --shrink` lowers them to
those of today."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = ("src", "tests", "bench", "examples", "api", "clients")
LIMITS = {".c": 100, ".h": 100, ".def": 220, ".py": 140, ".js": 140, ".mjs": 140, ".ts": 140, ".sh": 140}
NOT_OURS = {"corpus", "node_modules", "dist", "__pycache__"}


def long_lines(root):
    """{file: [(line, columns)]} of the lines over their limit."""
    found = {}
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in LIMITS]
    for path in [*paths, root / "dev"]:
        if NOT_OURS & set(path.relative_to(root).parts) or not path.is_file():
            continue
        limit = LIMITS.get(path.suffix, 140)
        tab = 4 if path.suffix in (".js", ".mjs", ".ts") else 8
        widths = enumerate((len(line.expandtabs(tab)) for line in path.read_text(encoding="utf-8").splitlines()), 1)
        long = [(number, width) for number, width in widths if width > limit]
        if long:
            found[str(path.relative_to(root))] = long
    return found


def read_list(text):
    """{file: number}"""
    rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {name: int(number) for name, number in rows}


def judge(found, rows):
    wrong = []
    for name, long in found.items():
        if len(long) > rows.get(name, 0):
            allowed = f" (long_lines.txt allows {rows[name]})" if name in rows else ""
            wrong += [f"{name}:{number}: {columns} columns{allowed}" for number, columns in long]
    for name, number in rows.items():
        now = len(found.get(name, []))
        if now < number:
            wrong.append(f"long_lines.txt: {name} has {now} long lines now, not {number}: {'write that' if now else 'take it off'}")
    return wrong


def shrink(path, found):
    kept = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, number = line.split()
            now = min(int(number), len(found.get(name, [])))
            line = f"{name} {now}" if now else None
        if line is not None:
            kept.append(line)
    path.write_text("\n".join(kept) + "\n")


def main():
    path = HERE / "long_lines.txt"
    found = long_lines(ROOT)
    if "--shrink" in sys.argv[1:]:
        shrink(path, found)
    wrong = judge(found, read_list(path.read_text()))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
