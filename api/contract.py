#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the description with that of the last release (released.txt): a release of /v1 adds, and takes nothing away
(info.description of openapi.yaml). Until there is a release, released.txt is the API of 2026-11-27. It names calls, statuses,
parameters, members, their types and what is required; texts and limits it leaves out.

usage: contract.py            says in words what was taken away or made narrower; exit code 1 when something was
       contract.py --write    writes released.txt: with a release, and never to make this check quiet
"""
import json
import sys
from pathlib import Path

from build import description, reached

HERE = Path(__file__).resolve().parent
RELEASED = HERE / "released.txt"
METHODS = ("get", "post", "put", "patch", "delete")
HEAD = "# The API of the last release, for api/contract.py: what is named here stays. Written by `api/contract.py --write`.\n"


# ---- writing ----


def kind_of(schema):
    """What a value may be, as alternatives between bars: string, null, "a word", [of a list], {of a map}, Name of a schema."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    branches = schema.get("oneOf") or schema.get("anyOf")
    if branches:
        return "|".join(dict.fromkeys(kind_of(branch) for branch in branches))
    kinds = schema.get("type", "any")
    return "|".join(kind_of_one(kind, schema) for kind in (kinds if isinstance(kinds, list) else [kinds]))


def kind_of_one(kind, schema):
    if "enum" in schema:
        return "|".join(json.dumps(word) for word in schema["enum"] if word is not None)
    if kind == "array":
        return f"[{kind_of(schema.get('items', {}))}]"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"{{{kind_of(schema['additionalProperties'])}}}"
    return kind


def members_of(schema, prefix=""):
    """(dotted path, required, kind) of each member of an object without a name, and of the objects in it."""
    for inner in [schema.get("items"), *(schema.get("oneOf") or schema.get("anyOf") or [])]:
        if inner and "$ref" not in inner:
            yield from members_of(inner, prefix)
    for name, inner in schema.get("properties", {}).items():
        yield prefix + name, name in schema.get("required", []), kind_of(inner)
        if "$ref" not in inner:
            yield from members_of(inner, f"{prefix}{name}.")


def body_of(content):
    """The kind of the first body; forms and files are told by their type alone."""
    kind, media = next(iter(content.items()))
    schema = media.get("schema", {})
    return kind, kind_of(schema), schema


def call_lines(whole, path, shared, method):
    operation, call = shared[method], f"{method.upper()} {path}"
    yield f"call {call}"
    for parameter in [*shared.get("parameters", []), *operation.get("parameters", [])]:
        if "$ref" in parameter:
            parameter = whole["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
        mark = "!" if parameter.get("required") else ""
        yield f"parameter {call} {parameter['in']}:{parameter['name']}{mark} {kind_of(parameter['schema'])}"
    content = operation.get("requestBody", {}).get("content")
    if content:
        kind, body, schema = body_of(content)
        yield f"body {call} {kind}{'!' if operation['requestBody'].get('required') else ''} {body}"
        yield from (f"member {call} {name}{'!' if needed else ''} {inner}" for name, needed, inner in members_of(schema))
    for status, answer in operation.get("responses", {}).items():
        if "$ref" in answer:
            answer = whole["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
        yield f"answer {call} {status} " + (body_of(answer["content"])[1] if answer.get("content") else "nothing")


def schema_lines(name, schema, way):
    yield f"schema {name} {way}"
    if "properties" not in schema:
        yield f"kind {name} {kind_of(schema)}"
    yield from (f"member {name} {path}{'!' if needed else ''} {kind}" for path, needed, kind in members_of(schema))


def listing(whole):
    """The lines of released.txt."""
    calls = [(path, shared) for path, shared in whole["paths"].items() if shared.get("x-audience") != "operator"]
    calls += whole["webhooks"].items()
    found = [(path, shared, method) for path, shared in calls for method in METHODS if method in shared]
    ours = [shared[method] for path, shared, method in found if path.startswith("/")]
    theirs = [shared[method] for path, shared, method in found if not path.startswith("/")]
    sent = names_in(whole, [[one.get("parameters"), one.get("requestBody")] for one in ours])
    answered = names_in(whole, [[one["responses"] for one in ours], [one["requestBody"] for one in theirs]])
    lines = [line for call in found for line in call_lines(whole, *call)]
    for name in sorted(sent | answered):
        way = "both" if name in sent and name in answered else "sent" if name in sent else "answered"
        lines += schema_lines(name, whole["components"]["schemas"][name], way)
    return lines


def names_in(whole, thing):
    return {name for kind, name in reached(whole, thing) if kind == "schemas"}


# ---- comparing ----


def read(lines):
    """{what is named: what is said of it}, the way of each schema, and what is required."""
    said, ways, required = {}, {}, set()
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        word, *rest = line.split(" ")
        if word == "schema":
            ways[rest[0]] = rest[1]
        if word in ("call", "schema"):
            said[(word, " ".join(rest[:1] if word == "schema" else rest))] = ""
            continue
        place = 2 if word != "kind" and rest[0].isupper() else 1  # METHOD and path, or the name of a schema
        owner, rest = " ".join(rest[:place]), rest[place:]
        name = rest[0].rstrip("!") if word != "kind" else ""
        said[(word, owner, name)] = " ".join(rest[1:] if word != "kind" else rest)
        if word != "kind" and rest[0].endswith("!"):
            required.add((word, owner, name))
    return said, ways, required


def alternatives(kind):
    """The alternatives of a kind; bars within brackets are the list's own."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(kind):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "|" and depth == 0:
            found.append(kind[start:at])
            start = at + 1
    return set(found + [kind[start:]])


def is_inner(kind):
    return kind[:1] in "[{"


def narrowed(old, new, is_sent, is_answered):
    """Why a value of the new kind is not one of the old, for who sends it or who reads it; or None."""
    was, now = alternatives(old), alternatives(new)
    if "any" in now and "any" not in was and is_answered:
        return "may be anything now"
    for left in sorted(was - now):
        other = next((kind for kind in now - was if is_inner(left) and kind[:1] == left[:1]), None)
        if other is not None:
            why = narrowed(left[1:-1], other[1:-1], is_sent, is_answered)
            if why:
                return f"what it holds {why}"
            now = (now - {other}) | {left}
            continue
        if is_sent or left.startswith('"') or left[:1].isupper():
            return f"may not be {left} any more"
    for added in sorted(now - was):
        is_word = added.startswith('"') and any(kind.startswith('"') for kind in was)
        is_event = added.endswith("Event")
        if is_answered and not is_word and not is_event:
            return f"may be {added} now"
    return None


def place(key):
    word, owner, *name = key
    words = {"call": f"the call {owner}", "schema": f"the schema {owner}", "kind": owner,
             "parameter": f"{owner}: the parameter {name[0].partition(':')[2] if name else ''}",
             "body": f"{owner}: a body of {name[0] if name else ''}", "answer": f"{owner}: the answer {name[0] if name else ''}",
             "member": f"{owner}: {name[0] if name else ''}"}
    return words[word]


def taken_away(old_lines, new_lines):
    """What the new description has no more, asks in addition, or means otherwise, in words."""
    old, ways, old_required = read(old_lines)
    new, _, new_required = read(new_lines)
    gone = [key for key in old if key not in new]
    gone_owners = {key[1] for key in gone if key[0] in ("call", "schema")}
    found = [f"{place(key)} is gone" for key in gone if key[0] in ("call", "schema") or key[1] not in gone_owners]
    for key in [key for key in old if key in new]:
        is_sent = key[0] in ("parameter", "body") or (key[0] == "member" and key[1] not in ways) or ways.get(key[1]) in ("sent", "both")
        is_answered = key[0] == "answer" or ways.get(key[1]) in ("answered", "both")
        why = narrowed(old[key], new[key], is_sent, is_answered)
        if why:
            found.append(f"{place(key)} {why}")
        if is_answered and key in old_required - new_required:
            found.append(f"{place(key)} may be missing now")
        if is_sent and key in new_required - old_required:
            found.append(f"{place(key)} is required now")
    owners = {key[1] for key in old}
    for key in sorted(new_required - set(old)):
        is_sent = key[0] in ("parameter", "body") or (key[0] == "member" and ways.get(key[1], "sent") in ("sent", "both"))
        if is_sent and key[1] in owners:
            found.append(f"{place(key)} is new, and required")
    return found


def main():
    lines = listing(description())
    if sys.argv[1:] == ["--write"]:
        RELEASED.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
        return
    if sys.argv[1:]:
        raise SystemExit(__doc__.strip())
    found = taken_away(RELEASED.read_text(encoding="utf-8").splitlines(), lines)
    if found:
        raise SystemExit("\n".join([*found, "A release of /v1 only adds (openapi.yaml, info.description)."]))


if __name__ == "__main__":
    main()
