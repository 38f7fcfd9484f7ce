# SPDX-License-Identifier: Apache-2.0
"""The house rules that a compiler does not see: who may include whom (src/layers.txt), which calls are banned, that every
file says what it is, that every source has its unit test, and that no two libraries define the same name."""
import collections
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SRC = ROOT / "src"
FILES = sorted(path for path in SRC.rglob("*") if path.suffix in (".c", ".h", ".def") or path.name.endswith(".h.in"))
SOURCES = [path for path in FILES if path.suffix == ".c"]
HERE = pathlib.Path(__file__).parent

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
BANNED = re.compile(r"\b(strcpy|strcat|sprintf|vsprintf|gets|alloca|strtok)\s*\(")
GENERATED = {"version.h": "cli"}  # made by the build: name, folder


def name_of(path):
    return str(path.relative_to(ROOT))


def read_layers():
    """{folder: allowed words}, in the order of the table."""
    layers = {}
    for line in (SRC / "layers.txt").read_text().splitlines():
        line = line.partition("#")[0].strip()
        if line:
            folder, colon, words = line.partition(":")
            assert colon, line
            layers[folder.strip()] = words.split()
    return layers


LAYERS = read_layers()


def headers_of(folder):
    names = {path.name for path in (SRC / folder).iterdir()} if (SRC / folder).is_dir() else set()
    return names | {name for name, place in GENERATED.items() if place == folder}


def place_of(word):
    """A word of the table: the folder, and the header of it that alone is meant, or ""."""
    place, _, header = word.rpartition("/")
    return (place, header) if header.endswith(".h") else (word, "")


def allowed_headers(folder):
    """Every header that files of the folder may include, and where it lies."""
    allowed = {name: folder for name in headers_of(folder)}
    words = LAYERS[folder]
    for word in [other for other in LAYERS if other != folder] if words == ["*"] else words:
        place, header = place_of(word)
        for name in [header] if header else headers_of(place):
            allowed.setdefault(name, place)
    return allowed


def code_of(path):
    """The file without comments and texts."""
    return COMMENT_OR_TEXT.sub(" ", path.read_text())


# ---- includes ----


def test_the_table_covers_every_folder():
    folders = {str(path.parent.relative_to(SRC)) for path in FILES}
    assert folders == set(LAYERS)


def test_the_table_has_no_cycles():
    """A folder may only name folders above it."""
    seen = set()
    for folder, words in LAYERS.items():
        for word in words:
            assert word == "*" or place_of(word)[0] in seen, f"{folder} names {word}, which stands below it"
        seen.add(folder)


def test_named_headers_are_there():
    for folder, words in LAYERS.items():
        for word in words:
            assert word == "*" or (SRC / word).exists(), f"{folder}: {word}"


@pytest.mark.parametrize("folder", LAYERS)
def test_includes(folder):
    allowed = allowed_headers(folder)
    wrong = [
        f"{name_of(path)} includes {header}"
        for path in FILES
        if str(path.parent.relative_to(SRC)) == folder
        for header in INCLUDE.findall(path.read_text())
        if header not in allowed and not (path.parent / header).is_file()
    ]
    assert not wrong, f"{folder} may include only {LAYERS[folder]} and itself:\n" + "\n".join(wrong)


def test_includes_are_plain_names():
    """No path may lead round the table."""
    wrong = [f"{name_of(path)}: {header}" for path in FILES for header in INCLUDE.findall(path.read_text()) if ".." in header or header.startswith("/")]
    assert not wrong, wrong


def test_header_names_are_unique():
    """With -iquote for several folders the first one found would win."""
    places = collections.defaultdict(set)
    for path in FILES:
        if path.suffix == ".h":
            places[path.name].add(name_of(path))
    assert [sorted(found) for found in places.values() if len(found) > 1] == []


# ---- what stands in a file ----


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_file(path):
    text = path.read_text()
    assert text.startswith("/* SPDX-License-Identifier: Apache-2.0\n"), "the first line is the licence"
    head = text[: text.index("*/")].splitlines()
    assert len(head) > 1 and any(re.search(r"\w{3}", line) for line in head[1:]), "the head says what the file is for"
    found = BANNED.search(code_of(path))
    assert not found, f"banned call: {found.group(1)}"
    unfinished = re.search(r"\b(TODO|FIXME|XXX|HACK)\b|not implemented", text)
    assert not unfinished, unfinished.group(0)


@pytest.mark.parametrize("folder", ["tests", "bench"])
def test_other_files_have_the_licence_line(folder):
    suffixes = (".c", ".h", ".py", ".sh")
    paths = [path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes and "corpus" not in path.parts]
    wrong = [name_of(path) for path in paths if "SPDX-License-Identifier: Apache-2.0" not in path.read_text()[:200]]
    assert not wrong, wrong


def test_stage_names_and_flow_keys_are_constants():
    """They are stored: a literal could be misspelt and would compile."""
    literal = re.compile(r'\bflow_\w+\(\w+, *"|\b\w*wait_at\([^;]*"|\{"\w+", *\w+_ask\b|\breturn (?:[^";(]*[?:] *)?"[a-z_]+"(?:;| *:)')
    wrong = [
        f"{name_of(path)}: {found.group(0)}"
        for path in SOURCES
        if path.parent.parent == SRC / "platform" and not path.stem.endswith(("_rules", "_text_count"))
        for found in literal.finditer(path.read_text())
    ]
    assert not wrong, wrong


# ---- unit tests ----


def read_no_twin():
    """{path: reason}"""
    rows = {}
    for line in (HERE / "no_twin.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            path, _, reason = line.partition(" ")
            rows[path] = reason.strip()
    return rows


def twin_of(path):
    return ROOT / "tests/unit" / path.relative_to(SRC).with_name(path.stem + "_test.c")


NO_TWIN = read_no_twin()


def test_every_source_has_its_unit_test():
    missing = [name_of(path) for path in SOURCES if not twin_of(path).is_file() and name_of(path) not in NO_TWIN]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("name", NO_TWIN)
def test_list_of_exceptions(name):
    """Each is there, says why, and is still needed."""
    assert (ROOT / name).is_file(), "there is no such file any more"
    assert len(NO_TWIN[name]) >= 10, "says why"
    assert not twin_of(ROOT / name).is_file(), "has a unit test now: take it off the list"


def test_every_unit_test_is_built():
    """A test that its meson.build does not name is never run."""
    for folder in sorted({path.parent for path in (ROOT / "tests/unit").rglob("*_test.c")}):
        listed = (folder / "meson.build").read_text() if (folder / "meson.build").is_file() else ""
        for path in folder.glob("*_test.c"):
            assert re.search(rf"'{re.escape(path.stem.removesuffix('_test'))}'", listed), f"{name_of(path)} is not built"


# ---- documents ----


def test_every_setting_is_in_the_operators_guide():
    names = re.findall(r'^SETTING\(\w+, *"([^"]+)"', (SRC / "cli/settings.def").read_text(), re.M)
    guide = (ROOT / "docs/operations.md").read_text()
    assert len(names) > 10
    assert [name for name in names if f"`{name}`" not in guide] == []


def test_every_decision_is_in_the_index():
    index = (ROOT / "docs/adr/README.md").read_text()
    assert [path.name for path in (ROOT / "docs/adr").glob("0*.md") if path.name not in index] == []


# ---- names ----


def defined_symbols(archive):
    """Global names that the library defines, with weak ones left out."""
    listing = subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix", str(archive)],
                             capture_output=True, text=True, check=True).stdout
    return {words[0] for words in map(str.split, listing.splitlines()) if len(words) >= 2 and words[1] in "TDBRGSC"}


def test_no_name_is_defined_twice():
    build = os.environ.get("POSTHORN_BUILD")
    if not build:
        pytest.skip("POSTHORN_BUILD names no build directory")
    archives = sorted(pathlib.Path(build, "src").rglob("*.a"))
    assert archives, f"no libraries below {build}/src"
    places = collections.defaultdict(set)
    for archive in archives:
        for symbol in defined_symbols(archive):
            if not symbol.startswith(("__asan", "__odr_asan", "__ubsan", "_sub_")):
                places[symbol].add(archive.name)
    twice = {symbol: sorted(found) for symbol, found in places.items() if len(found) > 1}
    assert not twice, twice
