# SPDX-License-Identifier: Apache-2.0
"""X's own description of its API (OpenAPI 3.0), read from ../shared/specs: is a request or an answer as it says? Not a general
OpenAPI validator: what X's file uses, and nothing else."""
import functools
import json
import pathlib
import re
import urllib.parse

import pytest

FILE = pathlib.Path(__file__).resolve().parents[3] / "shared" / "specs" / "x-openapi.json"


@functools.lru_cache(maxsize=None)
def spec():
    if not FILE.exists():
        pytest.skip(f"no {FILE}")
    return json.loads(FILE.read_text())


@functools.lru_cache(maxsize=None)
def validator_class():
    return pytest.importorskip("jsonschema").Draft4Validator


def as_json_schema(node):
    """OpenAPI 3.0's nullable becomes a type of JSON Schema; discriminators are left out, as oneOf says the same."""
    if isinstance(node, list):
        return [as_json_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: as_json_schema(value) for key, value in node.items() if key not in ("nullable", "discriminator", "example")}
    if node.get("nullable"):
        return {"anyOf": [made, {"type": "null"}]}
    return made


@functools.lru_cache(maxsize=None)
def components():
    return as_json_schema({"schemas": spec()["components"]["schemas"], "parameters": spec()["components"]["parameters"]})


def complaints(schema, value):
    whole = {**as_json_schema(schema), "components": components()}
    errors = validator_class()(whole).iter_errors(value)
    return [f"{'/'.join(str(part) for part in error.absolute_path) or '$'}: {error.message[:300]}" for error in errors]


def operation(method, path):
    """The operation and what the path's captures hold; ({}, None) when X has no such call."""
    found = []
    for pattern, operations in spec()["paths"].items():
        names = re.findall(r"{([^}]+)}", pattern)
        match = re.fullmatch(re.sub(r"{[^}]+}", "([^/]+)", pattern), path)
        if match and method.lower() in operations:
            found.append((len(names), dict(zip(names, match.groups())), operations[method.lower()]))
    if not found:
        return {}, None
    _, captures, best = min(found, key=lambda item: item[0])
    return captures, best


def resolved(parameter):
    if "$ref" not in parameter:
        return parameter
    return spec()["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]


def parameter_value(schema, text):
    """What stands in a URL, as the schema's type has it."""
    if schema.get("type") == "integer":
        return int(text) if re.fullmatch(r"-?\d+", text) else text
    if schema.get("type") == "array":
        return text.split(",")
    return text


def check_parameters(called, captures, query):
    known = {(one["in"], one["name"]): one for one in map(resolved, called.get("parameters") or [])}
    given = {**{("path", name): value for name, value in captures.items()}, **{("query", name): value for name, value in query}}
    wrong = [f"no parameter {name} in the {where}" for where, name in given if (where, name) not in known]
    for (where, name), parameter in known.items():
        if (where, name) not in given:
            wrong += [f"{name} is missing"] if parameter.get("required") else []
            continue
        schema = parameter["schema"]
        schema = spec()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
        wrong += [f"{name}: {line}" for line in complaints(schema, parameter_value(schema, given[where, name]))]
    return wrong


def form_value(schema, name, text):
    return int(text) if schema.get("properties", {}).get(name, {}).get("type") == "integer" and text.isdigit() else text


def check_body(called, content_type, body):
    """body: parsed JSON, a dict of multipart parts as text, or None for no body."""
    described = (called.get("requestBody") or {}).get("content")
    if described is None:
        return [] if body is None else ["a body where X describes none"]
    if content_type not in described:
        return [f"{content_type} is none of {sorted(described)}"]
    schema = described[content_type]["schema"]
    schema = spec()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    if content_type == "multipart/form-data":
        body = {name: form_value(schema, name, text) for name, text in body.items()}
    return complaints(schema, body)


def check_request(method, url, content_type=None, body=None):
    """What is wrong with a request, as sentences; none when it is as X describes it."""
    parts = urllib.parse.urlsplit(url)
    captures, called = operation(method, parts.path)
    if called is None:
        return [f"X has no {method} {parts.path}"]
    query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
    return check_parameters(called, captures, query) + check_body(called, content_type, body)


def check_answer(method, url, status, content):
    """What is wrong with an answer. Errors: X describes a problem by its type; about:blank ones have the three common members."""
    _, called = operation(method, urllib.parse.urlsplit(url).path)
    if called is None:
        return [f"X has no {method} {url}"]
    described = called["responses"].get(str(status))
    if described is None and status < 400:
        return [f"X never answers {status}"]
    if described is not None:
        return complaints(described["content"]["application/json"]["schema"], content)
    known = {one["properties"]["type"]["enum"][0]: name for name, one in spec()["components"]["schemas"].items()
             if name.endswith("Problem") and "properties" in one}
    if content.get("type") in known:
        return complaints({"$ref": f"#/components/schemas/{known[content['type']]}"}, content)
    return [f"no {member}" for member in ("type", "title", "detail") if not content.get(member)]
