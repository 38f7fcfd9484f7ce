#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static analysis of src/: `analyze.py cppcheck BUILD` or `analyze.py clang BUILD [FOLDER...]`, with the flags of
BUILD/compile_commands.json. Prints what is found and exits with 1. What is known to be no fault stands in cppcheck.txt and
analyzer.txt, each with its reason. cppcheck reads all of it in half a minute; clang follows the paths through each file, which takes
minutes."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
SUPPRESSIONS = "tests/layers/cppcheck.txt"
# They take what BUILD's compiler is told beside -I, -D and -std: how to write the object, and which warnings are errors.
DROPPED = ("-o", "-MF", "-MQ")
WARNING = re.compile(r"^(\S+?):\d+:\d+: warning: (.*)$", re.M)


def entries(build, folders):
    """The compiler's calls for the sources of src/, or of these folders in it."""
    listed = json.loads((build / "compile_commands.json").read_text())
    wanted = [ROOT / "src" / folder for folder in folders] or [ROOT / "src"]
    return [entry for entry in listed if any((build / entry["file"]).resolve().is_relative_to(folder) for folder in wanted)]


def run_cppcheck(build, _):
    command = ["cppcheck", "--quiet", "--enable=warning,performance,portability", "--inline-suppr", "-j", str(os.cpu_count()),
               "--suppress=missingIncludeSystem", f"--suppressions-list={SUPPRESSIONS}", "--error-exitcode=1",
               "--template={file}:{line}: {id}: {message}", f"--project={build / 'compile_commands.json'}",
               f"--file-filter={ROOT}/src/*"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def analyzed(build, entry):
    """What clang says of one file."""
    words = iter(shlex.split(entry["command"])[1:])
    kept = []
    for word in words:
        if word in DROPPED:
            next(words)
        elif word not in ("-c", "-MD", "-Werror", "-fcolor-diagnostics"):
            kept.append(word)
    command = ["clang", "--analyze", "-Xclang", "-analyzer-output=text", "-Qunused-arguments", "-fno-color-diagnostics", *kept,
               "-o", os.devnull]
    done = subprocess.run(command, cwd=build, capture_output=True, text=True, errors="replace", check=False)
    return done.returncode, done.stderr


def known():
    """{(file, message)} of analyzer.txt."""
    lines = (ROOT / "tests/layers/analyzer.txt").read_text().splitlines()
    return {tuple(line.split(": ", 1)) for line in lines if line and not line.startswith("#")}


def run_clang(build, folders):
    harmless, seen, failed = known(), set(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for code, said in pool.map(lambda entry: analyzed(build, entry), entries(build, folders)):
            said = said.replace("../../", "")
            found = set(WARNING.findall(said))
            seen |= found
            if code != 0 or found - harmless:
                failed = 1
                print(said, flush=True)
    for file, message in sorted(harmless - seen if not folders else ()):
        failed = 1
        print(f"analyzer.txt: {file} has this no more: {message}")
    return failed


def main():
    tool, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    try:
        return {"cppcheck": run_cppcheck, "clang": run_clang}[tool](build, sys.argv[3:])
    except FileNotFoundError as missing:
        print(f"{missing.filename} is not installed, or not configured")
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
