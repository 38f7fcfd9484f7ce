# SPDX-License-Identifier: Apache-2.0
"""The frame of every route: its one row in src/api/routes.def names its scope, its description, its recorded example and its verb. A row
that lacks one fails here. (That the scopes are kept is test_keys.py, that the examples are true is test_examples.py.)"""
import json
import re

import yaml

from harness import ROOT
from test_conventions import ROUTES

ROW = re.compile(
    r'^ROUTE\((\w+), *"([^"]+)", *(\w+), *\w+, *\w+, *(\w+), *(\w+), *"([^"]*)", *"([^"]+)"\)$', re.M)
ROWS = ROW.findall((ROOT / "src/api/routes.def").read_text())
# {operation: (method, path)}
OPERATIONS = {operation: (method, path) for method, path, _, _, operation, _, _ in ROWS}
SCOPES = re.findall(r"^SCOPE\((\w+),", (ROOT / "src/model/scopes.def").read_text(), re.M)


def verbs():
    """The commands for people, as "post" and "webhooks create"."""
    return set(re.findall(r'^PERSON_VERB\(\w+, *"([a-z -]+)"', (ROOT / "src/person/person_verbs.def").read_text(), re.M))


def test_every_row_is_read():
    assert len(ROWS) == len(ROUTES) == len(OPERATIONS) >= 29


def test_every_row_has_a_scope():
    for method, path, who, scope, _, _, _ in ROWS:
        assert scope in ([*SCOPES, "ANY"] if who == "BEARER" else ["NONE"]), (method, path)


def test_every_row_has_its_description():
    paths = yaml.safe_load((ROOT / "api/openapi.yaml").read_text())["paths"]
    for method, path, _, _, operation, _, _ in ROWS:
        described = paths[path][method.lower()]
        assert described["operationId"] == operation, (method, path)
        assert described["summary"] and described["tags"] and described["responses"], operation


def test_every_row_has_its_example():
    recorded = json.loads((ROOT / "api/examples.json").read_text())["operations"]
    for operation in OPERATIONS:
        assert operation in recorded, f"{operation}: add it to the walk of test_examples.py and record with POSTHORN_RECORD=1"
        assert set(recorded[operation]) == {"status", "answer"} and 200 <= recorded[operation]["status"] < 400


def test_every_row_has_its_verb():
    """That the verb calls the route is test_person_more.py's."""
    for method, path, who, _, _, verb, _ in ROWS:
        if verb == "BROWSER":
            assert who == "NOBODY" and method == "GET", (method, path)
        elif verb == "PLATFORM":
            assert who == "NOBODY" and method == "POST", (method, path)
        elif verb == "PROTOCOL":
            assert path.startswith(("/media/uploads", "/media/links/")), (method, path)
        else:
            assert verb in verbs(), f"{method} {path}: give the route a verb (docs/design.md 5)"
