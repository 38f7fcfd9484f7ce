#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The form of every commit after FIRST: `area: Imperative sentence` of at most 65 characters, a blank line, a body that says why.

`commits.py` judges the history, `commits.py --message FILE` one message (for a commit-msg hook). Exits with 1 and lists the
faults, with 77 where there is no history to judge: a shallow clone, an archive."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST = "a658c2f"  # older commits do not have the form
SUBJECT_MAX = 65
SKIPPED = 77
SUBJECT = re.compile(r"[a-z][a-z0-9_./-]*: ([A-Z][\w'-]*)( .+)?")
# Words that only look like a past, a gerund or a third person.
IMPERATIVES = {"Address", "Bring", "Bypass", "Compress", "Cross", "Discuss", "Dismiss", "Embed", "Exceed", "Express", "Feed", "Focus",
               "Guess", "Heed", "Impress", "Need", "Pass", "Press", "Proceed", "Process", "Seed", "Shed", "Speed", "Spring", "String",
               "Succeed", "Suppress", "Toss", "Weed"}


def judge(message):
    """The faults of a message."""
    lines = message.rstrip("\n").splitlines() or [""]
    subject = lines[0]
    match = SUBJECT.fullmatch(subject)
    wrong = []
    if match is None:
        wrong.append("the subject is not `area: Imperative sentence`")
    elif re.search(r"(ed|ing|s)$", match[1]) and match[1] not in IMPERATIVES:
        wrong.append(f"{match[1]} is not an imperative")
    if len(subject) > SUBJECT_MAX:
        wrong.append(f"the subject has {len(subject)} characters, more than {SUBJECT_MAX}")
    if subject.endswith("."):
        wrong.append("the subject ends with a full stop")
    if len(lines) > 1 and lines[1]:
        wrong.append("the second line is not blank")
    if not any(line.strip() for line in lines[2:]):
        wrong.append("it has no body that says why")
    return wrong


def git(*arguments):
    """The output of git, or None when it fails. The clone may belong to another user."""
    run = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else None


def read_history():
    """[(commit, message)], or the reason why there is none."""
    try:
        top = git("rev-parse", "--show-toplevel")
    except FileNotFoundError:
        return "git is not installed"
    if top is None or pathlib.Path(top).resolve() != ROOT:
        return "this is not a clone"
    if git("cat-file", "-e", FIRST + "^{commit}") is None:
        return f"the history does not go back to {FIRST} (a shallow clone)"
    entries = git("log", "--no-merges", "--format=%h%n%B%x00", f"{FIRST}..HEAD") or ""
    return [tuple(entry.strip("\n").split("\n", 1)) for entry in entries.split("\0") if entry.strip()]


def main():
    if sys.argv[1:2] == ["--message"]:
        text = "\n".join(line for line in pathlib.Path(sys.argv[2]).read_text().splitlines() if not line.startswith("#"))
        wrong = judge(text.strip("\n"))
    else:
        history = read_history()
        if isinstance(history, str):
            print(history)
            return SKIPPED
        wrong = [f"{commit} {message.splitlines()[0]}: {fault}" for commit, message in history for fault in judge(message)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
