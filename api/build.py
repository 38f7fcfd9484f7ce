#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of api/openapi.yaml what the program serves: the description as JSON and the pages of /docs, as a C table
(src/api/description.h). The scopes come from the tables of src, the examples of answers from examples.json. Same input, same output.
Knows nothing of how they look: that is reference.py, style.css and script.js.

usage: build.py OUTPUT.c            the C table
       build.py --pages DIRECTORY   the same as files, to look at
"""
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

import yaml

from pages import html_of, index, reference_text, written
from reference import further_page, operations_of as described_operations, reference_page, slug
from samples import samples_file

HERE = Path(__file__).resolve().parent
LINE_BYTES = 96
MARKDOWN = "text/markdown; charset=utf-8"


ROUTE = re.compile(r'^ROUTE\((\w+), *"([^"]+)", *(\w+), *\w+, *\w+, *(\w+),', re.M)
SCOPE = re.compile(r'^SCOPE\(\w+, *"(\w+)", *"([^"]+)"\)', re.M)


def with_scopes(whole):
    """What a key needs: each row of the route table says it, and the table of scopes what each allows."""
    source = HERE.parent / "src"
    for method, path, who, scope in ROUTE.findall((source / "api/routes.def").read_text(encoding="utf-8")):
        if who == "BEARER":
            needed = [] if scope == "ANY" else [scope.lower()]
            whole["paths"][path][method.lower()]["security"] = [{"bearer": needed}]
    scopes = SCOPE.findall((source / "model/scopes.def").read_text(encoding="utf-8"))
    scheme = whole["components"]["securitySchemes"]["bearer"]
    scheme["description"] += "\nScopes:\n\n" + "\n".join(f"- `{name}`: {sentence}" for name, sentence in scopes)


def with_examples(whole):
    """The answers that a run of the service gave (tests/api/test_examples.py). They are recorded, never written by hand."""
    recorded = json.loads((HERE / "examples.json").read_text(encoding="utf-8"))
    for shared in whole["paths"].values():
        for operation in shared.values():
            example = recorded["operations"].get(operation["operationId"]) if "operationId" in operation else None
            if example is not None:
                put_answer(whole, operation, example)
    events = recorded["operations"]["listEvents"]["answer"]["data"]
    whole["webhooks"]["event"]["post"]["requestBody"]["content"]["application/json"]["example"] = next(
        event for event in events if event["type"] == "post.publish.succeeded")
    for name, errors in recorded["errors"].items():
        content = whole["components"]["responses"][name]["content"]["application/json"]
        content["examples"] = {error["error"]: {"summary": error["error"], "value": error} for error in errors}


def put_answer(whole, operation, example):
    response = operation["responses"][str(example["status"])]
    if "$ref" in response:
        response = whole["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    content = response.get("content", {}).get("application/json")
    if content is not None:
        content.setdefault("example", example["answer"])


def description():
    """What is served: openapi.yaml without the anchors that the YAML alone needs, with the scopes and the recorded examples."""
    whole = yaml.safe_load((HERE / "openapi.yaml").read_text(encoding="utf-8"))
    for anchors in ("x-headers", "x-event"):
        whole.pop(anchors)
    whole = json.loads(json.dumps(whole))  # what an anchor shares becomes each one's own
    with_flat_objects(whole)
    with_scopes(whole)
    with_examples(whole)
    return whole


def with_flat_objects(whole):
    """What is `allOf` others there is one object here: generators of clients differ in what they make of a composed one."""
    schemas = whole["components"]["schemas"]
    bases = {ref.rsplit("/", 1)[1] for schema in schemas.values() for ref in refs_in(schema.get("allOf", []))}
    for name, schema in schemas.items():
        if "allOf" in schema:
            schemas[name] = flat(schemas, schema)
    for name in bases - {name for kind, name in reached(whole, [whole["paths"], whole["webhooks"]]) if kind == "schemas"}:
        del schemas[name]


def flat(schemas, schema):
    """The object with the members of those that it is made of."""
    parts = [flat(schemas, schemas[part["$ref"].rsplit("/", 1)[1]]) for part in schema.get("allOf", [])]
    members = {name: inner for part in [*parts, schema] for name, inner in part.get("properties", {}).items()}
    own = {key: value for key, value in schema.items() if key not in ("allOf", "unevaluatedProperties", "required", "properties")}
    is_closed = schema.get("unevaluatedProperties", schema.get("additionalProperties")) is False
    required = [name for part in [*parts, schema] for name in part.get("required", [])]
    return {"type": "object", **own, "required": required, **({"additionalProperties": False} if is_closed else {}), "properties": members}


# ---- open answers ----
# openapi.yaml says exactly what the service answers today, and the tests hold each answer against that. What is served leaves room for
# additions: a client that checks answers must not break on a member or a word that a later version adds (info.description).


def schemas_of_answers(whole):
    """What the service or a webhook sends: {name of a component schema}, and the schemas that stand in answers themselves."""
    answers = [response for shared in whole["paths"].values() for operation in shared.values() if isinstance(operation, dict)
               for response in operation.get("responses", {}).values()]
    answers += list(whole["components"]["responses"].values())
    bodies = [content["schema"] for answer in answers for content in answer.get("content", {}).values() if "schema" in content]
    called = [call["post"]["requestBody"] for call in whole["webhooks"].values()]
    return {name for kind, name in reached(whole, [bodies, called]) if kind == "schemas"}, bodies


def is_set(schema):
    """A fixed set of words; a single one is a constant, by which kinds are told apart."""
    return schema.get("type") == "string" and len(schema.get("enum", [])) > 1


def opened(whole, schema):
    """The schema without an end to the members of objects and to sets of words. A set that has a name keeps it, and is closed there."""
    if isinstance(schema, list):
        return [opened(whole, inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    target = whole["components"]["schemas"].get(schema["$ref"].rsplit("/", 1)[1], {}) if isinstance(schema.get("$ref"), str) else schema
    if is_set(target):
        words = {"description": schema["description"]} if "description" in schema else {}
        closed = {key: value for key, value in schema.items() if key != "description"}
        return {**words, "anyOf": [closed, {"type": "string"}]}
    rest = {key: opened(whole, value) for key, value in schema.items() if not (key == "additionalProperties" and value is False)}
    is_empty = len(rest) < len(schema) and "properties" not in rest
    return {**rest, "additionalProperties": True} if is_empty else rest


def with_open_answers(whole):
    """Opens every schema that answers or webhooks have, in place."""
    names, bodies = schemas_of_answers(whole)
    schemas = whole["components"]["schemas"]
    shared = {name for name in names & schemas_of_requests(whole) if not is_set(schemas[name])}
    closed = {name for name in shared if opened(whole, schemas[name]) != schemas[name]}
    if closed:
        raise SystemExit(f"build.py: {sorted(closed)} stand in requests, which are closed, and in answers, which are open")
    for body in bodies:
        new = opened(whole, body)
        body.clear()
        body.update(new)
    for name in names:
        if not is_set(schemas[name]):
            schemas[name] = opened(whole, schemas[name])


def schemas_of_requests(whole):
    sent = [[operation.get("parameters"), operation.get("requestBody")]
            for shared in whole["paths"].values() for operation in shared.values() if isinstance(operation, dict)]
    return {name for kind, name in reached(whole, sent) if kind == "schemas"}


# ---- for customers, and for operators ----


def refs_in(thing):
    """Every "#/components/KIND/NAME" that is named anywhere in it."""
    if isinstance(thing, dict):
        yield from (value for key, value in thing.items() if key == "$ref" and isinstance(value, str))
        thing = list(thing.values())
    for inner in thing if isinstance(thing, list) else []:
        yield from refs_in(inner)


def reached(whole, thing):
    """The components that it names, and those that these name: {(kind, name)}."""
    found, todo = set(), set(refs_in(thing))
    while todo:
        ref = todo.pop()
        _, _, kind, name = ref.split("/")
        found.add((kind, name))
        todo |= {inner for inner in refs_in(whole["components"][kind][name]) if tuple(inner.split("/")[2:]) not in found}
    return found


def used_components(whole, *things):
    """The components that the things need. Schemes of authorization stay."""
    found = reached(whole, list(things))
    kept = {
        kind: {name: thing for name, thing in things.items() if kind == "securitySchemes" or (kind, name) in found}
        for kind, things in whole["components"].items()
    }
    return {kind: things for kind, things in kept.items() if things}


def for_audience(whole, is_operator):
    """The paths that are called by customers, or the others: by operators, browsers and platforms."""
    paths = {}
    for path, shared in whole["paths"].items():
        if (shared.get("x-audience") == "operator") == is_operator:
            paths[path] = {key: value for key, value in shared.items() if key != "x-audience"}
    webhooks = {} if is_operator else whole["webhooks"]
    operations = [one for shared in [*paths.values(), *webhooks.values()] for one in shared.values()
                  if isinstance(one, dict) and "tags" in one]
    tags = {tag for operation in operations for tag in operation["tags"]}
    info = whole["info"] if not is_operator else {**whole["info"], **OPERATOR_INFO}
    described = {**whole, "info": info, "tags": [tag for tag in whole["tags"] if tag["name"] in tags], "paths": paths, "webhooks": webhooks,
                 "components": used_components(whole, paths, webhooks)}
    if is_operator:
        described.pop("webhooks")
    return described


OPERATOR_INFO = {
    "title": "Posthorn, for operators",
    "summary": "Health checks, pages and hosted files",
    "description": "What process managers, load balancers, browsers and platforms call. What customers call is in /openapi.json; the "
                   "dashboard's own API is described in docs/dashboard-api.md.",
}


def operations_of(described, tag):
    """[(METHOD, path as it is called, operation)]"""
    for path, shared in described["paths"].items():
        base = shared.get("servers", described["servers"])[0]["url"].rstrip("/")
        for method, operation in shared.items():
            if isinstance(operation, dict) and tag in operation.get("tags", []):
                yield method.upper(), base + path, operation


def llms_text(described):
    """The API on a page of Markdown (llmstxt.org): what an agent needs before it opens the description."""
    lines = [f"# {described['info']['title']}", "", f"> {described['info']['summary']}", "", described["info"]["description"].strip(), "",
             "## Where to read on", "",
             "- [Reference](/docs): guide, every call, field and error, for people; [as Markdown](/docs/reference.md)",
             "- [Errors and failures](/docs/errors.md): what each means, and what to do",
             "- What a post can be and have, platform by platform: [Instagram](/docs/instagram.md), [Facebook](/docs/facebook.md), "
             "[X](/docs/x.md), [LinkedIn](/docs/linkedin.md), [YouTube](/docs/youtube.md), [TikTok](/docs/tiktok.md)",
             "- [Changelog](/docs/changelog.md)",
             "- [OpenAPI 3.1](/openapi.json): what customers call, for programs",
             "- [OpenAPI 3.1, for operators](/openapi-operator.json): health checks and pages",
             "- Model Context Protocol: `POST /mcp`, or the command `posthorn mcp`; tools for agents, with the rights of a key"]
    for tag in described["tags"]:
        lines += ["", f"## {tag['name']}", "", tag["description"], ""]
        lines += [f"- `{method} {path}`: {operation['summary']} ([{operation['operationId']}](/docs#{slug(operation['operationId'])}))"
                  for method, path, operation in operations_of(described, tag["name"])]
    return "\n".join(lines) + "\n"


def json_bytes(thing):
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":")).encode()


def pages():
    """[(path, content type, bytes)]"""
    closed, whole = description(), description()
    with_open_answers(whole)
    customers = for_audience(whole, False)
    recorded = json.loads((HERE / "examples.json").read_text(encoding="utf-8"))
    guide = (HERE / "guide.html").read_text(encoding="utf-8")
    style, script = ((HERE / name).read_bytes() for name in ("style.css", "script.js"))
    icon = (HERE.parent / "src/dashboard/web/icon.svg").read_bytes()  # the dashboard's own: one mark for the service
    return [
        ("/openapi.json", "application/json", json_bytes(customers)),
        ("/openapi-operator.json", "application/json", json_bytes(for_audience(whole, True))),
        ("/llms.txt", "text/plain; charset=utf-8", llms_text(customers).encode()),
        ("/favicon.ico", "image/svg+xml", icon),
        ("/docs", "text/html; charset=utf-8", reference_page(closed, guide).encode()),
        ("/docs/style.css", "text/css; charset=utf-8", style),
        ("/docs/script.js", "text/javascript; charset=utf-8", script),
        ("/docs/search.json", "application/json", json_bytes(index(closed, recorded, guide))),
        ("/docs/samples.json", "application/json", json_bytes(samples_file(described_operations(closed)))),
        ("/docs/reference.md", MARKDOWN, reference_text(closed).encode()),
        *(page for name, (title, text) in written(closed, recorded).items() for page in (
            (f"/docs/{name}", "text/html; charset=utf-8", further_page(closed["info"], name, title, html_of(text)).encode()),
            (f"/docs/{name}.md", MARKDOWN, re.sub(r"\{failure\}$", "", text, flags=re.M).encode()))),
    ]


def c_escaped(byte):
    if byte in b'"\\?':  # "?" because of trigraphs
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def c_lines(body):
    for start in range(0, len(body), LINE_BYTES):
        yield '\t "%s"\n' % "".join(map(c_escaped, body[start : start + LINE_BYTES]))


def c_form(body):
    etag = hashlib.sha256(body).hexdigest()[:32]
    return '{"\\"%s\\"",\n%s,\n\t %d}' % (etag, "".join(c_lines(body)).rstrip("\n"), len(body))


def c_row(path, content_type, body):
    """A page as it is, and compressed."""
    return '\t{"%s", "%s",\n\t %s,\n\t %s},\n' % (path, content_type, c_form(body), c_form(gzip.compress(body, 9, mtime=0)))


def c_table():
    rows = "".join(c_row(*page) for page in pages())
    return (
        "/* Made by api/build.py from api/. */\n#include \"description.h\"\n\n"
        f"const struct description_page description_pages[] = {{\n{rows}}};\n"
        "const size_t description_pages_count = sizeof(description_pages) / sizeof(description_pages[0]);\n"
    )


def main():
    if sys.argv[1] == "--pages":
        for path, _, body in pages():
            target = Path(sys.argv[2]) / (path.lstrip("/") + ("" if "." in path else ".html"))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
        return
    Path(sys.argv[1]).write_text(c_table(), encoding="ascii")


if __name__ == "__main__":
    main()
