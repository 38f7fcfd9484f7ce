# SPDX-License-Identifier: Apache-2.0
"""The comparison of the description with the last release's (api/contract.py): what it must say, and what it must let pass."""
import copy
import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def from_api(name):
    """Modules of api/ know each other by their bare names; another package is called build, too."""
    sys.path.insert(0, str(ROOT / "api"))
    specification = importlib.util.spec_from_file_location(name, ROOT / "api" / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


build = from_api("build")
contract = from_api("contract")
NOW = build.description()


def schema(whole, name):
    return whole["components"]["schemas"][name]


def compared(change):
    """What is said of a description that was changed since a release of today's."""
    whole = copy.deepcopy(NOW)
    change(whole)
    return contract.taken_away(contract.listing(NOW), contract.listing(whole))


TAKEN_AWAY = {
    "a path": (lambda w: w["paths"].pop("/posts/{post_id}/timeline"),
               "the call GET /posts/{post_id}/timeline is gone"),
    "a method": (lambda w: w["paths"]["/drafts/{draft_id}"].pop("patch"), "the call PATCH /drafts/{draft_id} is gone"),
    "a status": (lambda w: w["paths"]["/posts/{post_id}"]["get"]["responses"].pop("304"), "GET /posts/{post_id}: the answer 304 is gone"),
    "the body of an answer": (lambda w: w["paths"]["/events"]["get"]["responses"]["200"].pop("content"),
                              "GET /events: the answer 200 may not be EventPage any more"),
    "a parameter": (lambda w: w["paths"]["/posts"]["get"]["parameters"].pop(2), "GET /posts: the parameter status is gone"),
    "a new parameter that is required": (
        lambda w: w["paths"]["/posts"]["get"]["parameters"].append(
            {"name": "a", "in": "query", "required": True, "schema": {"type": "string"}}),
        "GET /posts: the parameter a is new, and required"),
    "a parameter's kind": (lambda w: w["paths"]["/events"]["get"]["parameters"][0].update(schema={"type": "string"}),
                           "GET /events: the parameter after may not be integer any more"),
    "a member of an answer": (lambda w: schema(w, "PostDetails")["properties"].pop("outcome"), "PostDetails: outcome is gone"),
    "a member that may be missing": (lambda w: schema(w, "PostDetails")["required"].remove("outcome"),
                                     "PostDetails: outcome may be missing now"),
    "a member that may be null": (lambda w: schema(w, "PostDetails")["properties"]["created_at"].update(oneOf=[
        {"$ref": schema(w, "PostDetails")["properties"]["created_at"].pop("$ref")}, {"type": "null"}]),
        "PostDetails: created_at may be null now"),
    "a member's kind": (lambda w: schema(w, "PageMeta")["properties"]["total"].update(type="string"), "PageMeta: total may be string now"),
    "what a list holds": (lambda w: schema(w, "AccountDetails")["properties"]["scopes"].update(items={"type": "integer"}),
                          "AccountDetails: scopes what it holds may be integer now"),
    "a member inside a member": (lambda w: schema(w, "Draft")["properties"]["review"]["properties"].pop("by"), "Draft: review.by is gone"),
    "a member of a request": (lambda w: schema(w, "PublishRequest")["properties"].pop("max_lateness"),
                              "PublishRequest: max_lateness is gone"),
    "a request's member that is required": (lambda w: schema(w, "PublishRequest")["required"].append("content"),
                                            "PublishRequest: content is required now"),
    "a new member that is required": (
        lambda w: (schema(w, "PublishRequest")["properties"].update(reason={"type": "string"}),
                   schema(w, "PublishRequest")["required"].append("reason")),
        "PublishRequest: reason is new, and required"),
    "null in a request": (lambda w: schema(w, "PublishRequest")["properties"]["content"].update(type="string"),
                          "PublishRequest: content may not be null any more"),
    "a word of a set": (lambda w: schema(w, "FailureCode")["enum"].remove("EXPIRED"), 'FailureCode may not be "EXPIRED" any more'),
    "an option of a platform": (lambda w: schema(w, "XOptions")["properties"].pop("poll"), "XOptions: poll is gone"),
    "a kind of event": (lambda w: schema(w, "Event")["oneOf"].pop(0), "Event may not be PostPublishSucceededEvent any more"),
    "a name": (lambda w: renamed(w, "RetryMany", "RetriedMany"), "the schema RetryMany is gone"),
}
ADDITIONS = {
    "nothing": lambda w: None,
    "a path": lambda w: w["paths"].update({"/new": {"get": {"operationId": "new", "responses": {"204": {"description": "a"}}}}}),
    "a status": lambda w: w["paths"]["/posts"]["get"]["responses"].update({"418": {"description": "a"}}),
    "a parameter": lambda w: w["paths"]["/posts"]["get"]["parameters"].append({"name": "a", "in": "query", "schema": {"type": "string"}}),
    "a member of an answer": lambda w: (schema(w, "PostDetails")["properties"].update(likes={"type": "integer"}),
                                        schema(w, "PostDetails")["required"].append("likes")),
    "a member of a request": lambda w: schema(w, "PublishRequest")["properties"].update(reason={"type": "string"}),
    "a word of a set": lambda w: schema(w, "FailureCode")["enum"].append("NEW"),
    "a kind of event": lambda w: (schema(w, "Event")["oneOf"].append({"$ref": "#/components/schemas/PostLikedEvent"}),
                                  w["components"]["schemas"].update(PostLikedEvent=copy.deepcopy(schema(w, "TestEvent")))),
    "what was required": lambda w: schema(w, "MediaRequest").update(required=[]),
    "words": lambda w: schema(w, "PostDetails").update(description="another"),
}


def renamed(whole, old, new):
    schemas = whole["components"]["schemas"]
    schemas[new] = schemas.pop(old)
    schemas["RetryManyAnswer"]["properties"]["data"] = {"$ref": f"#/components/schemas/{new}"}


@pytest.mark.parametrize("change, words", TAKEN_AWAY.values(), ids=TAKEN_AWAY)
def test_what_is_taken_away_is_said(change, words):
    assert words in compared(change)


@pytest.mark.parametrize("change", ADDITIONS.values(), ids=ADDITIONS)
def test_additions_pass(change):
    assert compared(change) == []


def test_the_record_is_of_this_api():
    """Small enough to be read in a review, and nothing of the last release is missing today."""
    lines = contract.RELEASED.read_text(encoding="utf-8").splitlines()
    assert 500 < len(lines) < 3000 and "call POST /posts/publish" in lines and "member Token access_token! string" in lines
    assert contract.taken_away(lines, contract.listing(NOW)) == []
