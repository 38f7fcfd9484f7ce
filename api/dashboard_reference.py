#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/dashboard-api.md: the text of api/dashboard.in.md, and for each of its lines "@route METHOD PATH" a heading, the summary and
the permission from src/dashboard/admin_routes.def, the paragraphs that follow the line, and the example that the tests have recorded in
tests/dashboard/examples.json. Same input, same output. Every route of the table must be in the text and have an example.

usage: dashboard_reference.py           writes the file
       dashboard_reference.py --check   says whether the file is up to date; exit code 1 when it is not
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUTES = ROOT / "src/dashboard/admin_routes.def"
TEXT = ROOT / "api/dashboard.in.md"
EXAMPLES = ROOT / "tests/dashboard/examples.json"
OUTPUT = ROOT / "docs/dashboard-api.md"
ROW = re.compile(r'^ADMIN_ROUTE\(([A-Z*]+), *"([^"]*)", *(BOTH|WEB|CONTROL), *(NONE|SELF|ADMIN|OWNER|ROOT), *(true|false), *\w+,'
                 r' *"([^"]*)", *"([^"]*)", *(\w+)\)$')
WIDTH = 120
TEXT_MAX = 90
WHO = {"NONE": "anyone", "SELF": "a signed-in admin", "ADMIN": "a signed-in admin",
       "OWNER": "the owner of the app, or a root admin", "ROOT": "a root admin"}
WHERE = {"WEB": "", "BOTH": " Also on the control socket, without a session.", "CONTROL": ""}


def read_routes():
    """{"POST /setup": {"where", "who", "summary"}} in the order of the table."""
    rows = [ROW.match(line) for line in ROUTES.read_text().splitlines() if line.startswith("ADMIN_ROUTE(")]
    if not all(rows):
        raise SystemExit(f"{ROUTES}: a row does not have the form of the others")
    return {f"{row[1].replace('*', 'ANY')} {row[2]}": {"where": row[3], "who": row[4], "summary": row[6]} for row in rows}


def one_line(value):
    return json.dumps(value, ensure_ascii=False)


def shortened(value):
    """Long texts cut, so that a line of the file stays readable."""
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value]
    return f"{value[:TEXT_MAX]}..." if isinstance(value, str) and len(value) > TEXT_MAX + 3 else value


def pretty(value, indent=0, room=WIDTH):
    """JSON on as few lines as WIDTH allows: an object or list that fits stays on one."""
    line = one_line(value)
    if len(line) <= room or not isinstance(value, (dict, list)) or not value:
        return line
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        keys = [f"{one_line(key)}: " for key in value]
        inner = [pad + key + pretty(item, indent + 2, WIDTH - indent - 3 - len(key)) for key, item in zip(keys, value.values())]
        opening, closing = "{", "}"
    else:
        inner = [pad + pretty(item, indent + 2, WIDTH - indent - 3) for item in value]
        opening, closing = "[", "]"
    return opening + "\n" + ",\n".join(inner) + "\n" + " " * indent + closing


def json_block(title, value):
    return [f"{title}:", "", "```json", pretty(shortened(value)), "```", ""]


def route_part(name, route, example, notes):
    if route["where"] == "CONTROL":
        permission = "On the control socket only."
    else:
        permission = f"For {WHO[route['who']]}.{WHERE[route['where']]}"
    lines = [f"### `{name}`", "", f"{route['summary']}. {permission}", ""]
    lines += [*notes, ""] if notes else []
    if "?" in example["path"]:
        lines += [f"Example: `{example['path']}`", ""]
    if example["request"] is not None:
        lines += json_block("Request", example["request"])
    if example["answer"] is None:
        lines += [f"Answer: {example['status']} without a body.", ""]
    else:
        lines += json_block(f"Answer {example['status']}", example["answer"])
    return lines


def reference():
    """The whole file as text. Exits with a message when routes, text and examples do not belong together."""
    routes, examples = read_routes(), json.loads(EXAMPLES.read_text())
    parts = re.split(r"(?m)^@route (.+)\n", TEXT.read_text())
    named = parts[1::2]
    for what, missing in (
        (f"{TEXT.name} has no @route line for", set(routes) - set(named)),
        (f"{ROUTES.name} does not have the route", set(named) - set(routes)),
        (f"{EXAMPLES.name} has no example of", set(routes) - set(examples)),
    ):
        if missing:
            raise SystemExit(f"{what} {', '.join(sorted(missing))}")
    if len(named) != len(set(named)):
        raise SystemExit(f"{TEXT.name} has an @route line twice")
    lines = parts[0].rstrip().splitlines() + [""]
    for name, text in zip(named, parts[2::2]):
        notes, heading, rest = text.partition("\n## ")
        lines += route_part(name, routes[name], examples[name], notes.strip().splitlines())
        lines += (heading + rest).strip().splitlines() + [""] if heading else []
    return "\n".join(lines).rstrip() + "\n"


def main():
    made = reference()
    if sys.argv[1:] == ["--check"]:
        if OUTPUT.read_text() != made:
            raise SystemExit(f"{OUTPUT.relative_to(ROOT)} is out of date: run api/dashboard_reference.py")
    elif sys.argv[1:]:
        raise SystemExit(__doc__.strip())
    else:
        OUTPUT.write_text(made)


if __name__ == "__main__":
    main()
