#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every exported name of src is used by another source of src, and begins with its folder's or its file's word.

    symbols.py exported|names BUILD            exits with 1 and lists the faults
    symbols.py exported|names BUILD --shrink   first removes rows that are no longer needed

Exceptions stand in exported.txt and names.txt beside this file. The lists may only shrink: a row that is no longer needed is a fault.
All objects of BUILD must be compiled, those of the tests and benchmarks too."""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA_OR_CODE = "TDBRGSC"
NOT_OURS = ("main", "__asan", "__odr_asan", "__ubsan", "__start_", "__stop_")
# A folder or file whose symbols begin with another form of its word.
OTHER_FORMS = {"httpd": "http", "err": "error"}
# A platform's word alone would not tell the sandbox from the adapter: there it follows sandbox_.
PLATFORM_WORDS = {"facebook", "graph", "instagram", "linkedin", "meta", "tiktok", "x", "youtube"}


def object_symbols(paths):
    """{object: (names it defines for others, names it takes from others)}"""
    listing = subprocess.run(["nm", "--extern-only", "--format=posix", "--print-file-name", *map(str, paths)],
                             capture_output=True, text=True, check=True).stdout
    found = {str(path): (set(), set()) for path in paths}
    for line in listing.splitlines():
        path, _, symbol = line.rpartition(": ")
        name, kind = symbol.split()[:2]
        defined, used = found[path]
        if kind == "U":
            used.add(name)
        elif kind in DATA_OR_CODE and not name.startswith(NOT_OURS):
            defined.add(name)
    return found


def read_objects(build):
    """{source: (defined, used)}. A source that is compiled twice has what both of its objects have."""
    sources = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if source.is_relative_to(ROOT) and not source.is_relative_to(build):
            sources[str(build / entry["output"])] = str(source.relative_to(ROOT))
    missing = [path for path in sources if not pathlib.Path(path).exists()]
    if missing:
        sys.exit(f"{len(missing)} objects are not compiled, {missing[0]} for one")
    found = collections.defaultdict(lambda: (set(), set()))
    for path, symbols in object_symbols(list(sources)).items():
        for whole, part in zip(found[sources[path]], symbols):
            whole.update(part)
    return dict(found)


def unused_exports(objects):
    """{symbol: (source, the tests and benchmarks that use it)} of what no other source of src uses."""
    users = collections.defaultdict(set)
    for source, (_, used) in objects.items():
        for name in used:
            users[name].add(source)
    found = {}
    for source, (defined, _) in objects.items():
        if not source.startswith("src/"):
            continue
        for name in defined:
            others = users[name] - {source}
            if not any(other.startswith("src/") for other in others):
                found[name] = (source, sorted(others))
    return found


def words_of(source):
    """The words that an exported symbol of a source may begin with."""
    path = pathlib.PurePath(source)
    words = {*path.parts[1:-1], path.stem.split("_")[0]}
    words |= {OTHER_FORMS[word] for word in words if word in OTHER_FORMS}
    return words - PLATFORM_WORDS if path.parts[1] == "sandbox" else words


def carries_its_word(name, words):
    first = name.split("_")[0]
    # connect: connector_new; accounts: account_get.
    return any(first == word or first == word.removesuffix("s") or (len(word) >= 4 and first.startswith(word)) for word in words)


def misnamed(objects):
    """{symbol: source} of what begins with a foreign word."""
    return {name: source for source, (defined, _) in objects.items() if source.startswith("src/")
            for name in defined if not carries_its_word(name, words_of(source))}


def read_list(path):
    """{symbol: the rest of its row}"""
    rows = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            rows[name] = rest.strip()
    return rows


def shrink(path, needed):
    kept = [line for line in path.read_text().splitlines() if not line or line.startswith("#") or line.split(" ")[0] in needed]
    path.write_text("\n".join(kept) + "\n")


def judge_exported(objects, rows):
    """The faults, one line each."""
    found = unused_exports(objects)
    wrong = []
    for name, (source, testers) in sorted(found.items(), key=lambda one: (one[1][0], one[0])):
        if name not in rows:
            use = f"only {', '.join(testers)} uses it" if testers else "nobody else uses it: make it static"
            wrong.append(f"{source}: {name} is exported, and {use}")
        elif len(rows[name]) < 10:
            wrong.append(f"exported.txt: the row of {name} does not say why")
        elif "used by tests" in rows[name] and not testers:
            wrong.append(f"exported.txt: no test uses {name}: make it static in {source}")
    wrong += [f"exported.txt: {name} needs no row any more: take it off" for name in rows if name not in found]
    return wrong


def judge_names(objects, rows):
    found = misnamed(objects)
    wrong = [f"{source}: {name} begins with none of {', '.join(sorted(words_of(source)))}"
             for name, source in sorted(found.items(), key=lambda one: (one[1], one[0])) if name not in rows]
    return wrong + [f"names.txt: {name} needs no row any more: take it off" for name in rows if name not in found]


RULES = {"exported": (unused_exports, judge_exported), "names": (misnamed, judge_names)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rule", choices=RULES)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--shrink", action="store_true")
    arguments = parser.parse_args()
    find, judge = RULES[arguments.rule]
    objects = read_objects(arguments.build.resolve())
    path = HERE / f"{arguments.rule}.txt"
    if arguments.shrink:
        shrink(path, find(objects))
    wrong = judge(objects, read_list(path))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
