#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the types of both clients from api/openapi.yaml: typescript/src/types.ts and python/src/posthorn/models.py.

    clients/generate.py            writes them
    clients/generate.py --check    writes nothing; exits with 1 and names those that do not agree with the description

Written are the schemas that what customers call needs, the bodies that have no name of their own (named after their operation), and
the parameters of each query."""
import keyword
import pathlib
import re
import sys
import textwrap

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPESCRIPT = ROOT / "clients/typescript/src/types.ts"
PYTHON = ROOT / "clients/python/src/posthorn/models.py"
FILES = (TYPESCRIPT, PYTHON)
# What browsers, platforms, agents and operators call, and the protocol of uploads, which the clients speak by hand.
LEFT_OUT = re.compile(r"^(callMcp|beginConnection|meta\w+|connectionCallback|getHealth|getReadiness|get\w*Description|getLlmsText"
                      r"|getFavicon|getLanding|getReference\w*|getHostedMedia|(create|get|continue|delete)Upload(ByLink)?|putByLink)$")
WIDTH = 130
WRITTEN_BY = "Written by clients/generate.py from api/openapi.yaml: change that, and run it."


def operations(description):
    """(operation id, operation) of what customers call."""
    for path, item in description["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete") and not LEFT_OUT.match(operation["operationId"]):
                yield operation["operationId"], operation


def reference_name(schema):
    return schema["$ref"].rsplit("/", 1)[1] if "$ref" in schema else None


def merged(schema, schemas):
    """An object's schema with everything that its allOf brings."""
    if "allOf" not in schema:
        return schema
    properties, required = {}, []
    for part in schema["allOf"]:
        whole = merged(schemas[reference_name(part)] if "$ref" in part else part, schemas)
        properties.update(whole.get("properties", {}))
        required += whole.get("required", [])
    properties.update(schema.get("properties", {}))
    return {"type": "object", "description": schema.get("description", ""), "properties": properties,
            "required": required + schema.get("required", [])}


def named_schemas(description):
    """{name: schema} of all that is written, sorted by name."""
    schemas, found = description["components"]["schemas"], {}

    def take(schema):
        name = reference_name(schema)
        if name is not None and name not in found:
            found[name] = merged(schemas[name], schemas)
            walk(found[name])
        elif name is None:
            walk(schema)

    def walk(schema):
        for part in schema.get("properties", {}).values():
            take(part)
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                take(schema[key])
        for part in schema.get("oneOf", schema.get("anyOf", [])):
            take(part)

    for name, operation in operations(description):
        title = name[0].upper() + name[1:].removesuffix("ByBody")
        query = [part for part in operation.get("parameters", []) if part.get("in") == "query"]
        if query:
            found[title + "Query"] = {
                "type": "object", "description": f"What {name} can be asked for.",
                "properties": {part["name"]: {**part["schema"], "description": part.get("description", "")} for part in query},
                "required": [part["name"] for part in query if part.get("required")]}
            walk(found[title + "Query"])
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if body is not None and "$ref" not in body:
            found[title + "Body"] = {"description": operation["summary"] + ": the body.", **body}
            walk(found[title + "Body"])
        elif body is not None:
            take(body)
        for answer in operation["responses"].values():
            if "$ref" in answer:
                answer = description["components"]["responses"][reference_name(answer)]
            content = answer.get("content", {}).get("application/json", {}).get("schema")
            if content is not None:
                take(content)
    return dict(sorted(found.items()))


def kinds_of(schema):
    """The names of its types, without null, and whether null is among them."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    return [kind for kind in kinds if kind != "null"], "null" in kinds


def one_line(text):
    return " ".join(str(text).split())


class Language:
    """How a type is written; subclasses say what differs."""

    null, anything, scalars = "", "", {}

    def name(self, schema, owner):
        """The type of a schema; owner names what has no name."""
        if "$ref" in schema:
            return reference_name(schema)
        kinds = schema.get("oneOf", schema.get("anyOf"))
        if kinds is not None:
            return self.joined([self.name(part, owner) for part in kinds])
        kinds, is_nullable = kinds_of(schema)
        if "const" in schema or "enum" in schema:
            words = schema.get("enum", [schema.get("const")])
            return self.joined([self.literal(word) for word in words if word is not None] + [self.null] * (is_nullable or None in words))
        written = [self.of_kind(kind, schema, owner) for kind in kinds] or [self.anything] * (not is_nullable)
        return self.joined(written + [self.null] * is_nullable)

    def of_kind(self, kind, schema, owner):
        if kind == "array":
            return self.array(self.name(schema.get("items") or {}, owner))
        if kind == "object" and schema.get("properties"):
            return self.inline(schema, owner)
        if kind == "object":
            extra = schema.get("additionalProperties")
            return self.mapping(self.name(extra, owner) if isinstance(extra, dict) and extra else self.anything)
        return self.scalars[kind]

    def joined(self, words):
        return " | ".join(dict.fromkeys(words))

    def is_object(self, schema):
        return kinds_of(schema)[0] == ["object"] and bool(schema.get("properties"))


class TypeScript(Language):
    null, anything = "null", "unknown"
    scalars = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

    def literal(self, word):
        return f'"{word}"' if isinstance(word, str) else str(word).lower()

    def array(self, item):
        return f"Array<{item}>"

    def mapping(self, item):
        return f"Record<string, {item}>"

    def joined(self, words):
        """A long union stands below its name, as many words to a line as there is room for."""
        line = super().joined(words)
        if len(line) < WIDTH - 40 or "{" in line:
            return line
        rows = textwrap.wrap(line, WIDTH - 20)
        return "".join("\n" + "\t" * (self.depth + 1) + "| " + row.strip("| ") for row in rows)

    def inline(self, schema, owner):
        depth = self.depth
        self.depth = depth + 1
        lines = self.members(schema, owner)
        self.depth = depth
        return "{\n" + "\n".join(lines) + "\n" + "\t" * depth + "}"

    def members(self, schema, owner):
        tabs = "\t" * self.depth
        lines = []
        for name, part in schema["properties"].items():
            lines += self.comment(part.get("description"), tabs)
            mark = "" if name in schema.get("required", []) else "?"
            key = name if re.fullmatch(r"\w+", name) else f'"{name}"'
            lines.append(f"{tabs}{key}{mark}: {self.name(part, owner)};".replace(": \n", ":\n"))
        return lines

    def comment(self, text, tabs):
        if not text:
            return []
        lines = textwrap.wrap(one_line(text), WIDTH - 4 * len(tabs))
        if len(lines) == 1:
            return [f"{tabs}/** {lines[0]} */"]
        return [f"{tabs}/**", *(f"{tabs} * {line}" for line in lines), f"{tabs} */"]

    def text(self, found):
        parts = [f"// SPDX-License-Identifier: Apache-2.0\n// {WRITTEN_BY}\n"]
        for name, schema in found.items():
            self.depth = 0
            lines = self.comment(schema.get("description"), "")
            if self.is_object(schema):
                self.depth = 1
                lines += [f"export interface {name} {{", *self.members(schema, name), "}"]
            else:
                lines.append(f"export type {name} = {self.name(schema, name)};".replace("= \n", "=\n"))
            parts.append("\n".join(lines) + "\n")
        return "\n".join(parts)


class Python(Language):
    """<Name> is a class that may stand further below."""

    null, anything = "None", "Any"
    scalars = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

    def literal(self, word):
        return f"Literal[{word!r}]".replace("'", '"')

    def joined(self, words):
        """Literals together, None last."""
        literals = ", ".join(word[8:-1] for word in dict.fromkeys(words) if word.startswith("Literal["))
        others = [word for word in dict.fromkeys(words) if not word.startswith("Literal[")]
        if len(literals) > WIDTH - 40:
            literals = "\n        " + "\n        ".join(textwrap.wrap(literals, WIDTH - 8)) + "\n    "
        return " | ".join(([f"Literal[{literals}]"] if literals else []) + others)

    def name(self, schema, owner):
        name = super().name(schema, owner)
        return f"<{name}>" if "$ref" in schema else name

    def array(self, item):
        return f"list[{item}]"

    def mapping(self, item):
        return f"dict[str, {item}]"

    def inline(self, schema, owner):
        """A TypedDict has a name: the owner's, and the member's."""
        self.beside[owner] = schema
        return f"<{owner}>"

    def member(self, name, part, schema, owner):
        inner = owner + "".join(word.capitalize() for word in re.split(r"\W|_", name))
        written = self.name(part, inner + "Item" if inner in self.taken else inner)
        return written if name in schema.get("required", []) else f"NotRequired[{written}]"

    def typed_dict(self, name, schema):
        members = {key: self.member(key, part, schema, name) for key, part in schema["properties"].items()}
        comment = textwrap.wrap(one_line(schema.get("description") or ""), WIDTH - 10)
        if any(not key.isidentifier() or keyword.iskeyword(key) for key in members):
            rows = "".join(f"        \"{key}\": '{bare(kind)}',\n" for key, kind in members.items())
            said = "".join(f"# {line}\n" for line in comment)
            return f'{said}{name} = TypedDict(\n    "{name}",\n    {{\n{rows}    }},\n)\n'
        said = f'    """{(chr(10) + "    ").join(comment)}"""\n\n' if comment else ""
        said = said.replace("\\", "\\\\")
        return f"class {name}(TypedDict):\n{said}" + "".join(f"    {key}: {bare(kind)}\n" for key, kind in members.items())

    def text(self, found):
        parts = [f'# SPDX-License-Identifier: Apache-2.0\n"""{WRITTEN_BY}"""\n'
                 "from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict, Union\n"]
        aliases, self.taken = [], set(found)
        for name, schema in found.items():
            self.beside = {}
            if not self.is_object(schema):
                # Written as Union: the name of a class is text. What an alias holds has a name beside the alias's own.
                inner = name.removesuffix("OrNull")
                written = self.name(schema, name + "Item" if inner in self.taken else inner)
                written = re.sub(r"<(\w+)>", r'"\1"', written)
                words = ", ".join(written.split(" | "))
                if len(words) > WIDTH - 20:
                    words = "\n    " + "\n    ".join(textwrap.wrap(words, WIDTH - 4)) + "\n"
                aliases.append(f"{name} = {f'Union[{words}]' if ' | ' in written else written}\n")
            else:
                parts.append(self.typed_dict(name, schema))
            while self.beside:
                inner, schema = self.beside.popitem()
                parts.append(self.typed_dict(inner, schema))
        return "\n\n".join([*parts, "".join(aliases)])


def bare(kind):
    """Annotations are not evaluated: names stand in them as they are."""
    return re.sub(r"<(\w+)>", r"\1", kind)


def texts():
    """{file: what it has to be}"""
    found = named_schemas(yaml.safe_load((ROOT / "api/openapi.yaml").read_text(encoding="utf-8")))
    written = {TYPESCRIPT: TypeScript().text(found), PYTHON: Python().text(found)}
    return {path: written[path] for path in FILES}


def main():
    stale = [path for path, text in texts().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} does not agree with api/openapi.yaml: run clients/generate.py")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts()[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
