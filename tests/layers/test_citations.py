# SPDX-License-Identifier: Apache-2.0
"""A citation is a promise: every `NAME.md SECTION` in code, tests and documents names a file of the tree and a heading, rule or row
in it, and every relative link in Markdown leads somewhere."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("src", "tests", "bench", "api", "clients", "examples", "docs", "dev", "meson.build", "*.md")
BINARY = {".png", ".jpg", ".gif", ".webp", ".mp4", ".webm", ".ico", ".woff2", ".bin"}
# Tests that make up documents.
INVENTED = ("tests/layers/test_citations.py", "tests/dev/test_gates.py")
# Documents that quote the file names of other repositories as their sources.
FOREIGN = ("docs/platforms/", "docs/notes/dependencies.md")


def list_files():
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FOLDERS],
                             cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        names = listing.stdout.split("\0")
    else:  # a tree without git, such as a release's archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if "build" not in path.relative_to(ROOT).parts]
    return sorted(name for name in names if name and (ROOT / name).is_file())


FILES = list_files()
BOOKS = [name for name in FILES if name.endswith(".md") and not name.endswith(".in.md")]  # .in.md: a page is made of it
READ = [name for name in FILES if pathlib.Path(name).suffix not in BINARY and "/corpus/" not in name and name not in INVENTED]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


# ---- what a book offers ----


class Book:
    """Headings ("2.2 ..." or "C. ..."), ids in the first cell of a row ("P9"), and numbered items of each section."""

    def __init__(self, text):
        self.text = text
        self.titles = []
        self.sections = {}  # "2.2" -> text of the section, subsections included
        self.ids = set(re.findall(r"^\| (?:<a id=\"[^\"]*\"></a>)?([A-Z]+\d+) \|", text, re.M))
        self.anchors = set(re.findall(r'<a id="([^"]+)">', text))
        open_sections = []
        is_code = False
        for line in text.splitlines():
            if line.lstrip().startswith("```"):
                is_code = not is_code
            heading = None if is_code else re.match(r"(#+) (.*)", line)
            if heading:
                level, title = len(heading.group(1)), heading.group(2).strip()
                open_sections = [(n, key) for n, key in open_sections if n < level]
                self.titles.append(re.sub(r"[*`]", "", title))
                self.anchors.add(slug(title))
                number = re.match(r"(\d+[a-z]?(?:\.\d+)*|[A-H])(?:\.|\s|$)", title)
                if number:
                    open_sections.append((level, number.group(1)))
                    self.sections.setdefault(number.group(1), "")
            for _, key in open_sections:
                self.sections[key] += line + "\n"

    def has_item(self, section, number):
        within = self.sections.get(section, "")
        return re.search(rf"^\s*{number}\. ", within, re.M) is not None

    def has_title(self, words):
        flat = words.lower()
        return any(title.lower().lstrip("0123456789. ").startswith(flat) for title in self.titles)


def slug(title):
    """The anchor that GitHub makes of a heading."""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


PATHS = {}
for path in BOOKS:
    PATHS.setdefault(pathlib.PurePosixPath(path).name, []).append(path)
PARSED = {path: Book(text_of(path)) for path in BOOKS}

# ---- citations ----

CITATION = re.compile(r"(?<![\w/.*-])((?:[\w.-]+/)*[\w-]+\.md)(?![\w/-])")
BREAK = re.compile(r"[ \t]*\n[ \t]*(?:\*(?!/)|//|#|--|>)?[ \t]*")
TOKEN = re.compile(r"(?:(\d{1,2}[a-z]?(?:\.\d+)*)(?![\w-]|\.\d)(?: (rule|fact|step) (\d+))?|([A-Z]{1,3}\d+)\b|([A-H])(?=[\s:,;).*]|$))")
SEPARATOR = re.compile(r"(?:, (?:and )?| and | to | or )(?=\d|[A-Z]{1,3}\d)")
QUOTED = re.compile(r', "([^"]+)"')
TITLE = re.compile(r", ([A-Z][a-z]+)\b")


def check_token(book, previous, match):
    """None, or what is wrong; and the section that the next token may belong to."""
    number, kind, item, identifier, letter = match.groups()
    if identifier:
        return (None if identifier in book.ids else f"no row {identifier}"), previous
    section = number or letter
    if section in book.sections:
        if kind and not book.has_item(section, item):
            return f"{section} has no {kind} {item}", section
        return None, section
    if previous and number and number.isdigit() and not kind and book.has_item(previous, number):
        return None, previous
    return f"no section {section}", previous


def flat_words(text):
    return re.sub(r"\s+", " ", re.sub(r"[`*]", "", text)).lower()


def faults_of_quote(book, rest):
    """Words in quotes right after a citation stand in the book."""
    quoted = QUOTED.match(rest)
    if not quoted or flat_words(quoted.group(1)) in flat_words(book.text):
        return []
    return [f'no "{quoted.group(1)}"']


def faults_after(book, rest):
    """What is wrong with the sections named after a book's name; an empty list when nothing is named."""
    if QUOTED.match(rest):
        return faults_of_quote(book, rest)
    title = TITLE.match(rest)
    if title and not TOKEN.match(rest[2:]):
        return [] if book.has_title(title.group(1)) else [f"no heading {title.group(1)}"]
    lead = re.match(r",? (?:sections? )?", rest)
    faults, previous = [], None
    while lead:
        rest = rest[lead.end():]
        match = TOKEN.match(rest)
        if not match or (previous is not None and match.group(1) and int(re.match(r"\d+", match.group(1)).group(0)) > 40):
            break
        fault, previous = check_token(book, previous, match)
        if fault:
            faults.append(fault)
        rest = rest[match.end():]
        lead = SEPARATOR.match(rest)
    return faults + (faults_of_quote(book, rest) if previous else [])


def find_book(name, source):
    """The paths that a citation may mean: as written, beside the file, or by a name that is unique in the tree."""
    for base in (ROOT, (ROOT / source).parent):
        if (base / name).is_file():
            return [(base / name).resolve().relative_to(ROOT).as_posix()]
    return PATHS.get(name, []) if "/" not in name else []


def faults_of(source, text):
    flat = BREAK.sub(" ", text)
    faults = []
    for match in CITATION.finditer(flat):
        name = match.group(1)
        if flat[max(0, match.start() - 8):match.start()].endswith(("](", "://")):
            continue  # a link
        if name.endswith("NAME.md"):
            continue  # stands for any name
        books = [path for path in find_book(name, source) if path in PARSED]
        if not books:
            if not source.startswith(FOREIGN):
                faults.append(f"{source}: {name}: no such file")
            continue
        if len(books) > 1:
            continue  # README.md: any
        for fault in faults_after(PARSED[books[0]], flat[match.end():match.end() + 120]):
            faults.append(f"{source}: {name}{flat[match.end():match.end() + 30].rstrip()}: {fault}")
    return faults


@pytest.mark.parametrize("folder", sorted({name.split("/")[0] if "/" in name else "." for name in READ}))
def test_citations_lead_somewhere(folder):
    names = [name for name in READ if (name.split("/")[0] if "/" in name else ".") == folder]
    faults = [fault for name in names for fault in faults_of(name, text_of(name))]
    assert not faults, "\n".join(faults)


def test_old_names_are_gone():
    """The books that were outside of the tree."""
    old = re.compile(r"(?<![\w/.-])(?:API|RELIABILITY|DESIGN|SPEC|STACK|STYLE|PEERS)\.md\b")
    assert [name for name in READ if old.search(text_of(name))] == []


def test_no_book_has_the_name_of_another():
    """A base name is enough to cite a book."""
    assert {name: paths for name, paths in PATHS.items() if len(paths) > 1 and name != "README.md"} == {}


# ---- links ----

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("name", BOOKS)
def test_links(name):
    wrong = []
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text_of(name), flags=re.S)
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            continue
        place, _, anchor = target.partition("#")
        path = ((ROOT / name).parent / place).resolve() if place else ROOT / name
        if not path.exists():
            wrong.append(f"{target}: nothing there")
        elif anchor and path.suffix == ".md" and anchor not in PARSED[path.relative_to(ROOT).as_posix()].anchors:
            wrong.append(f"{target}: no such heading")
    assert not wrong, "\n".join(wrong)


# ---- the test itself ----


@pytest.mark.parametrize("text", [
    "rules.md 2.2 rule 1", "rules.md 2.4, S5", "rules.md P1, P6: we die", "rules.md 3, I1 to I7", "rules.md 0 fact 3",
    "rules.md 3.5, 34)", "rules.md\n * 2.3, \"Match rule\"", "api-decisions.md 4 and 5", "dependencies.md C: more",
    "contract.md, Limits", "contract.md 5", "design.md 5", "x.md 1.4 rule 6: refresh", "x.md 4, 402: credits",
    "meta.md 3.2, step 2", "x.md 4, linkedin.md 4",
])
def test_good_citation(text):
    assert faults_of("src/example.c", text) == []


@pytest.mark.parametrize("text", [
    "rules.md 2.9", "rules.md P99", "rules.md 2.2 rule 17", "rules.md 3.5, 36", "rules.md 2.3, \"no such words\"", "nothing.md 1",
    "docs/nothing.md", "dependencies.md H, rules.md Z1", "contract.md, Nonsense", "meta.md\n * 14.1", "x.md 1.4 rule 19",
])
def test_bad_citation(text):
    assert faults_of("src/example.c", text) != []
