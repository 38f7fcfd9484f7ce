#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the sources, one line per check, and ends with `N passed, N failed[, N skipped]`.

`./dev check` installs the tools, configures the build directories and calls this; `./dev check NAME...` runs only the named checks,
`--long` those too that take minutes.
A check whose tool is missing says why, and is counted as skipped, never as passed."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
HEARTBEAT_S = 30
SKIPPED = 77  # the exit code of a check that cannot judge
CODE_FOLDERS = ("src", "tests", "bench", "examples")


class Skip(Exception):
    """Why a check cannot judge."""


def run(*command, **environment):
    """(succeeded, output) of a command; raises Skip when it exits with SKIPPED."""
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **environment),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False)
    if done.returncode == SKIPPED:
        raise Skip(done.stdout.strip())
    return done.returncode == 0, done.stdout


def last_line(path):
    lines = path.read_text(errors="replace").splitlines()
    return lines[-1][:120] if lines else "waiting for another build of the same directory"


def compiled(build, name, targets):
    """Builds targets under the lock that `./dev` takes too, and reports progress every HEARTBEAT_S."""
    log = BUILD / f"check-{name}.log"
    command = ["flock", str(build.with_suffix(".lock")), "ninja", "-k", "0", "-C", str(build), *targets]
    with open(log, "w", encoding="utf-8") as output, subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                                                                      stderr=subprocess.STDOUT) as process:
        while True:
            try:
                process.wait(timeout=HEARTBEAT_S)
                break
            except subprocess.TimeoutExpired:
                print(f"        {name}: {last_line(log)}", file=sys.stderr, flush=True)
    if process.returncode == 0:
        return True, ""
    said = [line for line in log.read_text(errors="replace").splitlines() if not re.match(r"\[\d+/\d+\] ", line)]
    first = next((index for index, line in enumerate(said) if line.startswith("FAILED: ")), 0)  # before it Meson may have spoken
    return False, "\n".join(said[first:])


def objects_of(build):
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^(\S+\.o): ", listing, re.M)


def npm_tool(name):
    """`./dev check` installs it into build/npm, where there is npm."""
    installed = BUILD / "npm" / name / "node_modules/.bin" / name
    found = str(installed) if installed.exists() else shutil.which(name)
    if not found:
        why = "npm could not install it" if shutil.which("npm") else "there is no npm to install it"
        raise Skip(f"{name} is not installed, and {why}")
    return found


# ---- the checks ----


def check_format():
    paths = [path for folder in CODE_FOLDERS for path in sorted((ROOT / folder).rglob("*.[ch]")) if "corpus" not in path.parts]
    names = [str(path.relative_to(ROOT)) for path in paths]
    passed, said = run("clang-format", "--dry-run", "-Werror", *names)
    offenders = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error:", said, re.M)))
    return passed, "\n".join([*offenders, "./dev fmt puts them right"]) if offenders else said


def check_lengths():
    return run(sys.executable, "tests/layers/lengths.py")


def check_shell():
    beside = ["packaging/backup", "packaging/debian/posthorn.postinst", "packaging/debian/posthorn.postrm"]
    examples = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").glob("*.sh"))
    return run("shellcheck", "dev", ".ci/run", *(name for name in beside if (ROOT / name).exists()), *examples)


def check_spelling():
    pages = [path.name for path in sorted(ROOT.glob("*.md"))]
    return run("codespell", "--quiet-level", "3", "--ignore-words", "tests/layers/words.txt",
               "--skip", "*/corpus/*,*/transcripts/*,*text_count_tlds.c,*/__pycache__/*,*/node_modules/*,*/words.txt",
               "dev", "api", "clients", "docs", *CODE_FOLDERS, *pages)


def check_python():
    return run("flake8", "tests", "bench", "api", "clients", "examples", "packaging")


def check_javascript():
    return run(npm_tool("eslint"), "--no-config-lookup", "--config", "tests/layers/eslint.config.mjs",
               "src/dashboard/web", "examples", "api", "tests/client_packages", "tests/clients_published")


def check_description(linter):
    """With the arguments that tests/api/test_description.py gives the linter."""
    return run(sys.executable, "-m", "pytest", "-q", "tests/api/test_description.py", "-k", f"lints and {linter}",
               POSTHORN_LINTERS=os.path.dirname(npm_tool(linter)))


def check_contract():
    return run(sys.executable, "-B", "api/contract.py")


def check_commits():
    return run(sys.executable, "tests/layers/commits.py")


def check_gcc():
    """The program as shipped, the benchmarks, and every object of the sanitizer build that `./dev test` uses."""
    passed, said = compiled(BUILD / "release", "gcc", ["all", "bench/posthorn-bench"])
    passed_tests, said_tests = compiled(BUILD / "debug", "gcc-tests", objects_of(BUILD / "debug"))
    return passed and passed_tests, "\n".join(filter(None, [said, said_tests]))


def check_clang():
    """Objects only: gcc's build links."""
    return compiled(BUILD / "clang", "clang", objects_of(BUILD / "clang"))


def check_exported():
    return run(sys.executable, "tests/layers/symbols.py", "exported", str(BUILD / "clang"))


def check_names():
    return run(sys.executable, "tests/layers/symbols.py", "names", str(BUILD / "clang"))


def check_layers():
    return run(sys.executable, "-m", "pytest", "-q", "tests/layers", POSTHORN_BUILD=str(BUILD / "release"))


def check_cppcheck():
    """Needs the sources that the build makes."""
    passed, said = check_clang()
    return run(sys.executable, "tests/layers/analyze.py", "cppcheck", str(BUILD / "clang")) if passed else (passed, said)


def check_analyzer():
    """Needs the headers that the build makes."""
    passed, said = check_clang()
    return run(sys.executable, "tests/layers/analyze.py", "clang", str(BUILD / "clang")) if passed else (passed, said)


def check_cost():
    passed, said = compiled(BUILD / "release", "cost", ["bench/posthorn-bench"])
    return run(sys.executable, "tests/cost/cost.py", str(BUILD / "release/bench/posthorn-bench")) if passed else (passed, said)


# Name, subject, function. Checks that need no compiler come first.
CHECKS = [
    ("format", "clang-format over src, tests, bench, examples", check_format),
    ("lengths", "line lengths", check_lengths),
    ("shell", "shellcheck", check_shell),
    ("spelling", "codespell", check_spelling),
    ("python", "flake8", check_python),
    ("javascript", "eslint", check_javascript),
    ("redocly", "the API's description", lambda: check_description("redocly")),
    ("spectral", "the API's description", lambda: check_description("spectral")),
    ("contract", "the API only adds to the last release's", check_contract),
    ("commits", "the form of commit messages", check_commits),
    ("gcc", "every warning is an error", check_gcc),
    ("clang", "every warning is an error", check_clang),
    ("cppcheck", "static analysis, file by file", check_cppcheck),
    ("exported", "exported names are used by another source", check_exported),
    ("names", "exported names carry their module's word", check_names),
    ("layers", "includes, house rules, documents", check_layers),
]

# With --long, or by their names.
LONG_CHECKS = [
    ("analyzer", "static analysis by clang, path by path", check_analyzer),
    ("cost", "instructions of what is done for each post", check_cost),
]


def judge(name, what, check):
    """The verdict of one check, after its line."""
    start = time.monotonic()
    try:
        passed, said = check()
        verdict = "passed" if passed else "failed"
    except Skip as reason:
        verdict, said = "skipped", str(reason)
    except FileNotFoundError as missing:
        verdict, said = "skipped", f"{missing.filename} is not installed"
    word = {"passed": "ok", "failed": "FAILED", "skipped": "SKIPPED"}[verdict]
    print(f"{word:8}{name:11}{time.monotonic() - start:6.1f} s  {what}", flush=True)
    if verdict != "passed":
        print("\n".join("        " + line for line in said.splitlines()), flush=True)
    return verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = ", ".join(name for name, _, _ in CHECKS + LONG_CHECKS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of " + known)
    parser.add_argument("--long", action="store_true", help="those too that take minutes")
    arguments = parser.parse_args()
    wanted = arguments.names
    unknown = set(wanted) - {name for name, _, _ in CHECKS + LONG_CHECKS}
    if unknown:
        parser.error(f"there is no check named {', '.join(sorted(unknown))}; there are: {known}")
    rows = CHECKS + LONG_CHECKS if wanted or arguments.long else CHECKS
    verdicts = [judge(*row) for row in rows if not wanted or row[0] in wanted]
    counts = {word: verdicts.count(word) for word in ("passed", "failed", "skipped")}
    closing = f"{counts['passed']} passed, {counts['failed']} failed"
    print(closing + (f", {counts['skipped']} skipped" if counts["skipped"] else ""), flush=True)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
