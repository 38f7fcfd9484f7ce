# SPDX-License-Identifier: Apache-2.0
"""The form of the documents, and that what they name is there: table rows with as many cells as their header, lines that an editor
shows whole, and every metric, setting, command, route and file by a name that exists."""
import pathlib
import re

import pytest

from test_citations import BOOKS, FILES, ROOT, text_of

LINE_MAX = 140
# These describe a target or a foreign API; they may name things that are not there (yet).
TARGETS = ("docs/design.md", "docs/api-decisions.md", "docs/contract.md", "docs/rules.md", "docs/platforms/", "docs/notes/dependencies.md")
CHECKED = [name for name in BOOKS if not name.startswith(TARGETS) and name != "CHANGELOG.md"]


def lines_of(text):
    """(number, line, whether it stands in a code block)"""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark.group(1)[:3]
            yield number, line, True
        elif mark and line.strip().startswith(fence):
            fence = None
            yield number, line, True
        else:
            yield number, line, fence is not None


def cells_of(line):
    """A bar separates cells, also inside backticks, unless a backslash stands before it."""
    return len(re.findall(r"(?<!\\)\|", line.strip())) - 1


def broken_rows(text):
    broken, header = [], None
    for number, line, is_code in lines_of(text):
        if is_code or not line.lstrip().startswith("|"):
            header = None
        elif header is None:
            header = cells_of(line)
        elif cells_of(line) != header:
            broken.append(f"line {number}: {cells_of(line)} cells under a header of {header}")
    return broken


def unbreakable_shortened(line):
    """A code span or an address cannot be broken: it counts 40 columns at most."""
    return re.sub(r"`[^`]*`|\S{80,}", lambda match: match.group(0)[:40], line)


def long_lines(text):
    return [f"line {number}: {len(line)} columns" for number, line, is_code in lines_of(text)
            if not is_code and not line.lstrip().startswith("|") and len(unbreakable_shortened(line)) > LINE_MAX]


# ---- form ----


@pytest.mark.parametrize("name", BOOKS)
def test_tables(name):
    assert broken_rows(text_of(name)) == []


@pytest.mark.parametrize("name", BOOKS)
def test_lines(name):
    assert long_lines(text_of(name)) == []


def test_the_form_bites():
    assert broken_rows("| a | b |\n|---|---|\n| `x|y` | z |\n") == ["line 3: 3 cells under a header of 2"]
    assert broken_rows("| a | b |\n|---|---|\n| `x\\|y` | z |\n") == []
    assert long_lines("word " * 40) == ["line 1: 200 columns"]
    assert long_lines("```\n" + "word " * 40 + "\n```\n`" + "x" * 200 + "`") == []


# ---- names ----


def found(pattern, *paths):
    return {match for path in paths for match in re.findall(pattern, text_of(path), re.M)}


def code_of(name):
    """The code spans and blocks of a document."""
    text = text_of(name)
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.S))


def test_metrics_exist():
    metrics = found(r'"(posthorn_[a-z_]+)"', "src/api/metrics.c") | found(r'"(posthorn_[a-z_]+)"', "src/api/access.c")
    assert len(metrics) > 10
    metrics |= {"posthorn_session", "posthorn_device"}  # the cookies
    wrong = {(name, word) for name in CHECKED for word in re.findall(r"\bposthorn_[a-z_]+", code_of(name)) if word not in metrics}
    assert not wrong


def test_flags_of_posthorn_exist():
    """In `posthorn ...` commands and after "--" in a code span of its own."""
    known = found(r'^SETTING\(\w+, *"([^"]+)"', "src/cli/settings.def") | found(r"--([a-z][a-z-]+)", "src/cli/commands.h")
    known |= found(r'^\tX\(\w+, "([a-z-]+)"', "src/cli/arguments.h") | {"help", "version"}
    known |= found(r'^PERSON_FLAG\(\w+, *"([a-z-]+)"', "src/person/person_flags.def")
    wrong = set()
    for name in ("README.md", "docs/command-line.md", "docs/operations.md", "docs/postgres.md"):
        code = code_of(name).replace("\\\n", " ")
        commands = re.findall(r"(?:^|[`|;] *)(?:./dev run|posthorn) [^\n`]*", code, re.M) + re.findall(r"`--[^`]*`", code)
        wrong |= {(name, flag) for command in commands for flag in re.findall(r"(?<![\w-])--([a-z][a-z-]+)", command) if flag not in known}
    assert not wrong


def test_commands_of_posthorn_exist():
    rows = re.findall(r'^\tX\("([a-z-]+)", (?:"([a-z-]+)"|NULL)', text_of("src/cli/commands.h"), re.M)
    words = {first for first, _ in rows}
    verbs = found(r'^PERSON_VERB\(\w+, *"([a-z-]+)"', "src/person/person_verbs.def")
    words |= verbs
    pairs = set(rows) | {(verb, "") for verb in verbs}
    assert len(rows) > 20
    wrong = set()
    for name in ("README.md", "docs/command-line.md", "docs/operations.md", "docs/postgres.md", "docs/reliability.md", "KNOWN_ISSUES.md"):
        for first, second in re.findall(r"(?:^|`)posthorn ([a-z-]+)(?: ([a-z][a-z-]+))?(?![\w|(])", code_of(name), re.M):
            if first not in words or second and (first, "") not in pairs and (first, second) not in pairs:
                wrong.add((name, first, second))
    assert not wrong


def test_routes_exist():
    routes = {f"{method} /v1{path}" for method, path in re.findall(r'^ROUTE\((\w+), +"([^"]+)"', text_of("src/api/routes.def"), re.M)}
    routes |= {f"GET {path}" for path in re.findall(r'^PAGE\("([^"]+)"', text_of("src/api/pages.def"), re.M)}
    assert len(routes) > 20

    def shape(route):
        return re.sub(r"\{\w+\}", "{}", route).partition("?")[0]

    known = {shape(route) for route in routes} | {"GET /media/{}"}
    wrong = set()
    for name in ("README.md", "docs/operations.md", "docs/postgres.md", "docs/reliability.md", "ARCHITECTURE.md", "KNOWN_ISSUES.md"):
        for route in re.findall(r"`((?:GET|POST|PATCH|PUT|DELETE) /(?!_sandbox)\w[^` ]*)`", text_of(name)):
            if shape(route) not in known:
                wrong.add((name, route))
    assert not wrong


def test_files_exist():
    """`folder/name.c` in a code span: below the root, or below src/; NAME stands for any name."""
    paths = set(FILES) | {name.removeprefix("src/") for name in FILES}
    folders = {str(parent) for name in paths for parent in pathlib.PurePosixPath(name).parents}
    wrong = set()
    for name in CHECKED:
        spans = re.findall(r"`([\w.{}*-]+(?:/[\w.{}*-]+)+/?)`", text_of(name))
        for span in spans:
            looks_like_file = re.match(r"(?:src|tests|docs|bench|examples|api)/|[\w/-]+\.(?:c|h|def|py|sql|md|yaml|js|txt)$", span)
            if not looks_like_file or re.search(r"[A-Z]{3,}|[*{]", span) or span.startswith("build/"):
                continue
            if span not in paths and span.rstrip("/") not in folders:
                wrong.add((name, span))
    assert not wrong


def test_every_book_is_in_the_index():
    index = (ROOT / "docs/README.md").read_text()
    books = [name for name in BOOKS if name.startswith("docs/") and not name.startswith("docs/adr/") and name != "docs/README.md"]
    assert [name for name in books if f"]({name.removeprefix('docs/')})" not in index] == []
