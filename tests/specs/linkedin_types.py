# SPDX-License-Identifier: Apache-2.0
"""LinkedIn's request bodies as a published client describes them (specs/linkedin/types.json, made from the models of a Java SDK).
What that SDK writes as a class within a class stands there flattened: its fields are those of the class around it."""
import functools
import json
import pathlib
import re

import pytest

SPECS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "specs" / "linkedin"
NUMBERS = {"Long", "Integer"}
URN = re.compile(r"urn:li:[A-Za-z]+:\S+")
LIST = re.compile(r"List<(.+)>")
# Younger than that SDK: linkedin.md 2.6.
YOUNGER = {("videos/InitializeUploadRequest", "uploadCaptions")}


@functools.lru_cache(maxsize=1)
def types():
    if not SPECS.is_dir():
        pytest.skip("the specifications are not beside the project")
    return json.loads((SPECS / "types.json").read_text())["types"]


def named(name, around):
    """The type of that name: of the whole description, else the class around it, of which it is an inner one."""
    if name in types():
        return name
    found = [key for key in types() if key.rsplit("/", 1)[-1] == name]
    folder = around.split("/")[0]
    return next((key for key in found if key.startswith(folder)), found[0] if found else around)


def check(value, type_name, around, place="body"):
    """What is wrong with a value of that type, as lines."""
    inner = LIST.fullmatch(type_name)
    if inner:
        if not isinstance(value, list):
            return [f"{place} is no list"]
        return [line for number, item in enumerate(value) for line in check(item, inner[1], around, f"{place}[{number}]")]
    if type_name in types()[around].get("enums", {}):
        return [] if value in types()[around]["enums"][type_name] else [f"{place}: {value!r} is none of {type_name}"]
    if type_name == "String":
        return [] if isinstance(value, str) else [f"{place} is no text"]
    if type_name == "URN":
        return [] if isinstance(value, str) and URN.fullmatch(value) else [f"{place}: {value!r} is no URN"]
    if type_name in NUMBERS:
        return [] if isinstance(value, int) and not isinstance(value, bool) else [f"{place} is no whole number"]
    if type_name.lower() == "boolean":
        return [] if isinstance(value, bool) else [f"{place} is not true or false"]
    return check_object(value, named(type_name, around), place)


def check_object(value, type_name, place="body"):
    description = types()[type_name]
    if "enum" in description:
        return [] if value in description["enum"] else [f"{place}: {value!r} is none of {type_name}"]
    if not isinstance(value, dict):
        return [f"{place} is no object"]
    fields, wrong = description["fields"], []
    for key, item in value.items():
        if key in fields:
            wrong += check(item, fields[key]["type"], type_name, f"{place}.{key}")
        elif (type_name, key) not in YOUNGER:
            wrong.append(f"{place}.{key} is unknown to {type_name}")
    return wrong


def required(type_name):
    return [key for key, field in types()[type_name]["fields"].items() if field["required"]]
