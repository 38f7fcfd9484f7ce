# SPDX-License-Identifier: Apache-2.0
"""Every gate of ./dev check fails on a planted fault; only the two compilers are not tried here."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "layers")]

import commits  # noqa: E402 - they stand beside what they judge
import lengths  # noqa: E402
import symbols  # noqa: E402

WAIT_S = 120


# ---- the runner, in a copy of the tree's settings with one fault ----


@pytest.fixture
def checked(tmp_path):
    """Runs one check in a copy that has only the given file: (exit code, lines)."""
    for name in ("tests/check.py", "tests/layers/lengths.py", "tests/layers/words.txt", "tests/layers/eslint.config.mjs",
                 "tests/layers/commits.py", ".flake8", ".clang-format", "dev", ".ci/run"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "tests/layers/long_lines.txt").write_text("# none\n")
    for folder in ("src/dashboard/web", "bench", "examples", "api", "clients", "docs", "packaging", "tests/client_packages",
                   "tests/clients_published"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("src/dashboard/web/none.js", "examples/none.mjs", "api/none.js", "tests/client_packages/none.mjs",
                 "tests/clients_published/none.mjs"):
        (tmp_path / name).write_text("")  # eslint needs a file in each folder
    if (ROOT / "build/npm").is_dir():
        (tmp_path / "build").mkdir()
        (tmp_path / "build/npm").symlink_to(ROOT / "build/npm")

    def run(check, name=None, text="", path=None):
        if name is not None:
            with open(tmp_path / name, "a", encoding="utf-8") as file:
                file.write(text)
        environment = dict(os.environ, PATH=path or os.environ["PATH"], PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run([sys.executable, str(tmp_path / "tests/check.py"), check], env=environment, capture_output=True, text=True,
                              timeout=WAIT_S, check=False)
        return done.returncode, done.stdout.splitlines()

    return run


@pytest.mark.parametrize("check, name, good, bad, said", [
    ("format", "src/a.c", "int one(void);\n", "int two( void );\n", "src/a.c"),
    ("format", "bench/a.h", "int one(void);\n", "int two( void );\n", "bench/a.h"),
    ("lengths", "src/a.c", "/* " + "x" * 94 + " */\n", "\t/* " + "x" * 87 + " */\n", "src/a.c:2: 101 columns"),
    ("lengths", "src/a.def", "x" * 220 + "\n", "x" * 221 + "\n", "src/a.def:2: 221 columns"),
    ("lengths", "tests/a.py", "x" * 140 + "\n", "x" * 141 + "\n", "tests/a.py:2: 141 columns"),
    ("lengths", "clients/a.ts", "\t" + "x" * 136 + "\n", "\t" + "x" * 137 + "\n", "clients/a.ts:2: 141 columns"),
    ("lengths", "src/dashboard/web/a.js", "\t" + "x" * 136 + "\n", "\t" + "x" * 137 + "\n", "web/a.js:2: 141 columns"),
    ("shell", "examples/a.sh", "#!/bin/sh\necho one\n", "cat $1\n", "SC2086"),
    ("spelling", "docs/a.md", "This receives.\n", "This " + "reci" + "eves.\n", "==> receives"),
    ("python", "tests/a.py", "ONE = 1\n", "import os\n", "F401"),
    ("javascript", "src/dashboard/web/a.js", "export const one = 1;\n", "const two = three;\n", "'three' is not defined"),
    ("javascript", "examples/a.mjs", "console.log(1);\n", "if (1 == process.pid) console.log(1);\n", "Expected '==='"),
])
def test_a_planted_fault_fails(checked, check, name, good, bad, said):
    status, lines = checked(check, name, good)
    if lines[-1].endswith("1 skipped"):
        pytest.skip(lines[1].strip())
    assert (status, lines[-1]) == (0, "1 passed, 0 failed"), lines
    status, lines = checked(check, name, bad)
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")
    assert any(said in line for line in lines), lines


@pytest.mark.parametrize("check", ["format", "shell", "spelling", "python", "javascript", "redocly", "spectral", "commits"])
def test_without_its_tool_a_check_is_skipped_and_says_so(checked, tmp_path, check):
    """Skipped checks are counted apart, and a run in which nothing passed fails."""
    (tmp_path / "build/npm").unlink(missing_ok=True)
    status, lines = checked(check, path="/nowhere")
    assert lines[-1] == "0 passed, 0 failed, 1 skipped" and status == 1
    assert lines[0].startswith(f"SKIPPED {check}") and len(lines[1].strip()) > 10


def test_what_is_taken_from_the_api_fails(checked, tmp_path):
    shutil.copytree(ROOT / "api", tmp_path / "api", dirs_exist_ok=True)
    for name in ("src/api/routes.def", "src/model/scopes.def"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert checked("contract")[0] == 0
    status, lines = checked("contract", "api/released.txt", "call GET /v1/something\n")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed") and any("the call GET /v1/something is gone" in line for line in lines), lines


def test_an_unknown_check(checked):
    status, lines = checked("nothing")
    assert status == 2 and lines == []


# ---- exported names ----


@pytest.fixture
def objects():
    return {
        "src/codec/json.c": ({"json_parse", "json_free"}, set()),
        "src/api/posts.c": ({"post_get"}, {"json_parse", "json_free"}),
        "src/cli/main.c": (set(), {"post_get"}),
        "tests/unit/codec/json_test.c": (set(), {"json_parse"}),
    }


def test_every_export_has_a_use(objects):
    assert symbols.judge_exported(objects, {}) == []
    objects["src/codec/json.c"][0].add("json_forgotten")
    assert symbols.judge_exported(objects, {}) == ["src/codec/json.c: json_forgotten is exported, and nobody else uses it: make it static"]
    objects["tests/unit/codec/json_test.c"][1].add("json_forgotten")
    assert "only tests/unit/codec/json_test.c uses it" in symbols.judge_exported(objects, {})[0]
    assert symbols.judge_exported(objects, {"json_forgotten": "used by tests: its own"}) == []
    assert "does not say why" in symbols.judge_exported(objects, {"json_forgotten": "tests"})[0]


def test_the_list_of_exports_only_shrinks(objects, tmp_path):
    assert "json_parse needs no row" in symbols.judge_exported(objects, {"json_parse": "used by tests: its own"})[0]
    objects["src/codec/json.c"][0].add("json_forgotten")
    assert "no test uses json_forgotten" in symbols.judge_exported(objects, {"json_forgotten": "used by tests: none"})[0]
    path = tmp_path / "exported.txt"
    path.write_text("# head\njson_forgotten codec: should be static\njson_parse codec: should be static\n")
    symbols.shrink(path, symbols.unused_exports(objects))
    assert path.read_text() == "# head\njson_forgotten codec: should be static\n"


@pytest.mark.parametrize("source, name, is_carried", [
    ("src/codec/json.c", "json_parse", True),
    ("src/codec/json_write.c", "json_put_text", True),
    ("src/store/sql_sqlite.c", "store_open", True),
    ("src/connect/queue.c", "connector_new", True),
    ("src/api/accounts.c", "account_get", True),
    ("src/httpd/router.c", "http_router_new", True),
    ("src/platform/x/post.c", "x_post_create", True),
    ("src/sandbox/x/post.c", "sandbox_x_post_create", True),
    ("src/sandbox/x/post.c", "x_post_create", False),
    ("src/sandbox/x_posts.c", "x_post_create", False),
    ("src/codec/form.c", "percent_decode", False),
    ("src/delivery/source.c", "deliverer_new", False),
])
def test_a_name_carries_its_module_s_word(source, name, is_carried):
    objects = {source: ({name}, set())}
    assert (symbols.judge_names(objects, {}) == []) is is_carried
    rows = {name: "folder"}
    assert (symbols.judge_names(objects, rows) == []) is not is_carried, "a row is allowed only where it is needed"


def test_symbols_are_read_from_objects(tmp_path):
    (tmp_path / "one.c").write_text("int shared(void); int taken(void);\nstatic int own(void) { return 1; }\nint table[2];\n"
                                    "int shared(void) { return own() + taken(); }\n")
    subprocess.run(["cc", "-c", "one.c"], cwd=tmp_path, check=True, timeout=WAIT_S)
    path = tmp_path / "one.o"
    assert symbols.object_symbols([path]) == {str(path): ({"shared", "table"}, {"taken"})}


# ---- lengths ----


def test_the_number_of_long_lines_only_falls():
    found = {"src/a.def": [(3, 170), (9, 165)]}
    assert lengths.judge(found, {"src/a.def": 2}) == []
    assert len(lengths.judge(found, {"src/a.def": 1})) == 2
    assert "has 2 long lines now, not 3" in lengths.judge(found, {"src/a.def": 3})[0]
    assert "take it off" in lengths.judge({}, {"src/a.def": 1})[0]


# ---- commits ----


GOOD = "store: Give every claim a lease\n\nTwo nodes could take one delivery.\n"


@pytest.mark.parametrize("message", [GOOD, "tests/sim: Need one seed\n\nWhy.\n", "ci: Process both\n\nWhy.\n\nMore.\n",
                                     "platform: Address every answer by its stage of the flow, once\n\nWhy.\n"])
def test_a_good_message(message):
    assert commits.judge(message) == []


@pytest.mark.parametrize("message, fault", [
    ("Give every claim a lease\n\nWhy.\n", "`area: Imperative sentence`"),
    ("store: give every claim a lease\n\nWhy.\n", "`area: Imperative sentence`"),
    ("Store: Give every claim a lease\n\nWhy.\n", "`area: Imperative sentence`"),
    ("store: Added a lease\n\nWhy.\n", "Added is not an imperative"),
    ("store: Adding a lease\n\nWhy.\n", "Adding is not an imperative"),
    ("store: Adds a lease\n\nWhy.\n", "Adds is not an imperative"),
    ("store: Give every claim a lease.\n\nWhy.\n", "full stop"),
    ("store: " + "Give " * 12 + "it one\n\nWhy.\n", "more than 65"),
    ("store: Give every claim a lease\n", "no body"),
    ("store: Give every claim a lease\n\n\n", "no body"),
    ("store: Give every claim a lease\nTwo nodes.\n", "second line is not blank"),
    ("", "`area: Imperative sentence`"),
])
def test_a_bad_message(message, fault):
    assert any(fault in wrong for wrong in commits.judge(message)), commits.judge(message)


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository with a commit before the form, one with it, one without."""
    def git(*arguments):
        command = ["git", "-c", "user.name=one", "-c", "user.email=one@example.com", "-C", str(tmp_path / "one"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=WAIT_S).stdout.strip()

    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    (tmp_path / "one").mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "whatever")
    monkeypatch.setattr(commits, "FIRST", git("rev-parse", "HEAD"))
    git("commit", "-q", "--allow-empty", "-m", GOOD)
    git("commit", "-q", "--allow-empty", "-m", "Fixed it")
    monkeypatch.setattr(commits, "ROOT", tmp_path / "one")
    return tmp_path


def test_the_history_is_judged_from_the_first_commit_with_a_form(clone, capsys, monkeypatch):
    assert [message.splitlines()[0] for _, message in commits.read_history()] == ["Fixed it", GOOD.splitlines()[0]]
    monkeypatch.setattr(sys, "argv", ["commits.py"])
    assert commits.main() == 1
    assert "Fixed it: it has no body" in capsys.readouterr().out


def test_without_history_nothing_is_judged(clone, monkeypatch):
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{clone}/one", str(clone / "shallow")], check=True, timeout=WAIT_S)
    monkeypatch.setattr(commits, "ROOT", clone / "shallow")
    assert "shallow" in commits.read_history()
    (clone / "archive").mkdir()
    monkeypatch.setattr(commits, "ROOT", clone / "archive")
    assert commits.read_history() == "this is not a clone"
