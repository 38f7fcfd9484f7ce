# SPDX-License-Identifier: Apache-2.0
"""Inputs for fuzz_platform_answers out of tests/transcripts, so that every answer a transcript knows is where the fuzzer begins.
The input's form stands in platform_answers.c. Made anew at every run: what a transcript gains, the fuzzer has."""
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PLATFORMS = {slug: str(number) for number, slug in enumerate(("instagram", "facebook", "x", "linkedin", "youtube", "tiktok"), start=1)}
FUNCTIONS = {"verify": "v", "connect": "c", "refresh": "f", "check": "k", "revoke": "d", "publish": "p", "resolve": "r"}


def head_of(lines):
    """The transcript's head: name -> value, with continued lines joined."""
    head, name = {}, None
    for line in lines:
        if line.startswith("#"):
            continue
        if re.match(r"[>=@<]", line):
            break
        if line.startswith(" ") and name:
            head[name] += "\n" + line.strip()
        elif ":" in line:
            name, _, value = line.partition(":")
            head[name] = value.strip()
    return head


def answers_of(lines):
    """Each answer as the input wants it: status, headers, an empty line, body."""
    answer = None
    for line in lines:
        if line.startswith("<"):
            answer = (answer or []) + [line[2:]]
        elif answer is not None and not line.startswith("#"):
            yield "\n".join(answer)
            answer = None
    if answer is not None:
        yield "\n".join(answer)


def request_of(head):
    try:
        post = json.loads(head.get("post", '{"content":"Hello"}'))
    except json.JSONDecodeError:
        return "{}"
    return json.dumps({"account_ids": ["a"], **post}, separators=(",", ":"), ensure_ascii=False)


def transcripts():
    """(name, input) of every transcript; for a conversation that goes over to another function, one for each."""
    for path in sorted((ROOT / "tests" / "transcripts").glob("*.txt")):
        lines = path.read_text().split("\n")
        head = head_of(lines)
        answers = "".join("\x1e" + answer for answer in answers_of(lines))
        functions = {head.get("function", "publish"), *re.findall(r"^@ function: (\w+)", "\n".join(lines), re.M)}
        for function in sorted(functions & set(FUNCTIONS)):
            text = PLATFORMS[head["platform"]] + FUNCTIONS[function] + request_of(head) + answers
            yield f"{path.stem}-{function}", text.encode()


def write(directory):
    for name, text in transcripts():
        (Path(directory) / name).write_bytes(text)
