# SPDX-License-Identifier: Apache-2.0
"""What programs that make clients need of the description: answers that may grow, requests that may not, a type for everything, the
options of the platforms as the rules table has them, and one kind of event for each row of events.def. tests/clients lets such programs
make clients of it."""
import copy
import json
import re

import jsonschema
import pytest

from build import for_audience, opened, with_open_answers
from checker import FORMATS, METHODS, WATCH, description
from harness import ROOT
from test_description import refs_in, walk

EVENT_ROWS = re.findall(r'^EVENT\(\w+, "([^"]+)"\)', (ROOT / "src/model/events.def").read_text(), re.M)
OPTION_TYPES = {"string": "string", "boolean": "boolean", "integer": "integer", "array": "array", "object": "object"}
MAXIMA = ("maxLength", "maximum", "maxItems")
RECORDED = json.loads((ROOT / "api/examples.json").read_text())["operations"]


@pytest.fixture(scope="module")
def served(service):
    return service.request("GET", "/openapi.json").json()


@pytest.fixture(scope="module")
def described(service):
    return WATCH.checker.description


def answers_of(document):
    """[(operation id, status, schema of its JSON)]"""
    for shared in document["paths"].values():
        for method in METHODS:
            for status, answer in shared[method]["responses"].items() if method in shared else ():
                if "$ref" in answer:
                    answer = document["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
                content = answer.get("content", {}).get("application/json")
                if content is not None:
                    yield shared[method]["operationId"], status, content["schema"]


def is_valid(document, schema, value):
    resolver = jsonschema.RefResolver("", document)
    return jsonschema.Draft202012Validator(schema, resolver=resolver, format_checker=FORMATS).is_valid(value)


# ---- answers may grow ----


def test_what_is_served_is_what_is_checked_with_room_for_more(service, served):
    whole = description()
    with_open_answers(whole)
    for path, is_operator in (("/openapi.json", False), ("/openapi-operator.json", True)):
        made = for_audience(whole, is_operator)
        got = service.request("GET", path).json()
        assert got == json.loads(json.dumps(made)), f"{path}: the program is older than api/"


def more_of(value):
    """The same answer of a later version: a member more in every object."""
    if isinstance(value, dict):
        return {**{name: more_of(inner) for name, inner in value.items()}, "added_later": {"a": 1}}
    return [more_of(inner) for inner in value] if isinstance(value, list) else value


# Names of objects are the caller's there.
MAPS = {"overrides", "errors", "limits"}


def test_an_answer_may_have_more_members(served, described):
    checked = 0
    for operation, status, schema in answers_of(served):
        example = RECORDED.get(operation)
        if example is None or str(example["status"]) != status or example["answer"] is None:
            continue
        grown = more_of({name: inner for name, inner in example["answer"].items()})
        for _, thing in walk(grown):
            for name in MAPS & set(thing) if isinstance(thing, dict) else ():
                if thing[name] is not None:
                    thing[name].pop("added_later")
        assert is_valid(served, schema, grown), f"{operation}: a client that checks answers breaks on an addition"
        checked += 1
    assert checked >= 30


def test_a_set_of_words_may_grow_in_answers(served):
    """Everywhere in answers a set of words stands beside any other text; one word alone is a constant."""
    reached, todo = set(), [schema for _, _, schema in answers_of(served)]
    while todo:
        for thing in outside_open_sets(todo.pop()):
            assert thing.get("type") != "string" or len(thing.get("enum", [])) <= 1, f"a set without an end: {thing['enum']}"
            ref = thing.get("$ref")
            if isinstance(ref, str) and ref not in reached:
                reached.add(ref)
                todo.append(served["components"]["schemas"][ref.rsplit("/", 1)[1]])
    assert len(reached) >= 40


def outside_open_sets(thing):
    """Every object of a schema that is no part of a set beside which any other text stands."""
    if isinstance(thing, dict):
        if {"type": "string"} in thing.get("anyOf", []):
            return
        yield thing
    for inner in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else []:
        yield from outside_open_sets(inner)


def test_a_word_of_a_later_version_is_taken(served):
    post = copy.deepcopy(RECORDED["getPost"]["answer"])
    post["data"]["status"] = post["data"]["platform_posts"][0]["status"] = "archived"
    post["data"]["platform_posts"][0]["parts"][0]["state"] = "moved"
    assert is_valid(served, {"$ref": "#/components/schemas/PostAnswer"}, post)
    assert not is_valid(WATCH.checker.description, {"$ref": "#/components/schemas/PostAnswer"}, post)


def test_requests_are_closed(served):
    """The objects of requests take no other member, but for the options of platforms."""
    lenient = {"PlatformOptions", *(name for name in served["components"]["schemas"] if name.endswith("Options"))}
    todo = [operation["requestBody"]["content"] for shared in served["paths"].values() for operation in shared.values()
            if isinstance(operation, dict) and "requestBody" in operation]
    todo, seen = [content["application/json"]["schema"] for content in todo if "application/json" in content], set()
    while todo:
        schema = todo.pop()
        for path, thing in walk(schema):
            if isinstance(thing, dict) and "properties" in thing and "$ref" not in thing:
                assert thing.get("additionalProperties") is False, (path, list(thing["properties"]))
        for name in {ref.rsplit("/", 1)[1] for ref in refs_in(schema)} - lenient - seen:
            seen.add(name)
            todo.append(served["components"]["schemas"][name])
    assert {"PublishRequest", "MediaRequest", "OverrideRequest", "DraftRequest"} <= seen
    body = {"account_ids": ["a"], "content": "b"}
    assert is_valid(served, {"$ref": "#/components/schemas/PublishRequest"}, body)
    assert not is_valid(served, {"$ref": "#/components/schemas/PublishRequest"}, {**body, "schedule_at": "2027-01-01T00:00:00Z"})
    assert is_valid(served, {"$ref": "#/components/schemas/PublishRequest"}, {**body, "platforms": {"x": {"new_of_x": 1}}})
    wrong = {**body, "platforms": {"x": {"reply_settings": "nobody"}}}
    assert not is_valid(served, {"$ref": "#/components/schemas/PublishRequest"}, wrong)


def test_the_rule_of_additions_is_told(served):
    assert "take nothing away" in served["info"]["description"] and "ignore members that you do not know" in served["info"]["description"]


# ---- a type for everything ----


def test_everything_has_a_type(served):
    """`type: object` alone is an object without members for openapi-typescript, an enum or a constant without a type anything for zod."""
    for path, thing in walk({"paths": served["paths"], "webhooks": served["webhooks"], "components": served["components"]}):
        if not isinstance(thing, dict) or "/example" in path or path.endswith("properties"):
            continue
        if thing.get("type") == "object" or (isinstance(thing.get("type"), list) and "object" in thing["type"]):
            assert "properties" in thing or "additionalProperties" in thing, path
        if "enum" in thing and "properties" not in thing:
            assert thing.get("type") in ("string", "integer"), path
        assert "const" not in thing and "allOf" not in thing, path


def test_bodies_of_answers_have_names(served):
    for operation, status, schema in answers_of(served):
        assert list(schema) == ["$ref"] or operation == "revokeToken", (operation, status)


def test_the_cursor_fits_itself(served):
    given = served["components"]["schemas"]["CursorMeta"]["properties"]["next_cursor"]
    taken = next(one for one in served["paths"]["/events"]["get"]["parameters"] if one["name"] == "after")["schema"]
    text = {"type": given["type"], "pattern": given["pattern"]}
    assert taken["oneOf"] == [text, {"type": "integer", "minimum": 0}], "next_cursor, or the seq of an event"


# ---- tables of the source ----


def test_options_are_those_of_the_rules_table(app, served):
    for platform in app.get("/v1/platforms").json()["data"]:
        schema = served["components"]["schemas"][f"{platform['slug'].capitalize()}Options"]
        assert list(schema["properties"]) == [option["name"] for option in platform["options"]], platform["slug"]
        for option in platform["options"]:
            found = schema["properties"][option["name"]]
            place = f"{platform['slug']}.{option['name']}"
            assert found["type"] == option["type"], place
            assert found.get("enum") == option.get("values"), place
            assert next((found[key] for key in MAXIMA if key in found), None) == option.get("max"), place
            assert found["description"] == option["summary"], place
    slugs = list(served["components"]["schemas"]["PlatformOptions"]["properties"])
    assert slugs == [platform["slug"] for platform in app.get("/v1/platforms").json()["data"]] + ["twitter"]


def test_each_kind_of_event_has_its_data(served):
    union = served["components"]["schemas"]["Event"]
    assert set(union["discriminator"]["mapping"]) == set(EVENT_ROWS) == set(served["components"]["schemas"]["EventName"]["enum"])
    assert list(union["discriminator"]["mapping"].values()) == [branch["$ref"] for branch in union["oneOf"]]
    for name, ref in union["discriminator"]["mapping"].items():
        members = served["components"]["schemas"][ref.rsplit("/", 1)[1]]["properties"]
        assert members["type"] == members["event"] == {"type": "string", "enum": [name]}
        assert {"type": "null"} in members["data"].get("oneOf", members["data"].get("anyOf")), name
    received = served["webhooks"]["event"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert received == {"$ref": "#/components/schemas/Event"} == served["components"]["schemas"]["EventPage"]["properties"]["data"]["items"]


def test_opening_leaves_constants_and_names_alone(described):
    schema = {"type": "object", "additionalProperties": False, "properties": {
        "kind": {"type": "string", "enum": ["one"]}, "state": {"$ref": "#/components/schemas/PostState", "description": "d"},
        "n": {"type": "integer", "enum": [1, 2]},
        "map": {"type": "object", "additionalProperties": {"type": "string", "enum": ["a", "b"]}}}}
    assert opened(described, schema) == {"type": "object", "properties": {
        "kind": {"type": "string", "enum": ["one"]},
        "state": {"description": "d", "anyOf": [{"$ref": "#/components/schemas/PostState"}, {"type": "string"}]},
        "n": {"type": "integer", "enum": [1, 2]},
        "map": {"type": "object", "additionalProperties": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "string"}]}}}}
