# SPDX-License-Identifier: Apache-2.0
"""Requests made of the description itself, then bent: every operation is called with what its schema allows, with one thing in it
replaced, left out or added, and with other tokens, keys and queries. Whatever comes, each answer must be one that the description has
for it, with its status, word, headers and fields; a request that was carried out must keep to the description (checker.py, which
looks at every call); a key does what its scope allows, a revoked one nothing; no id of another app leads anywhere; and nothing is a
fault of ours. The tools of agents are called the same way, by their own schemas. `POSTHORN_LONG=1` tries more."""
import json
import os
import re
import urllib.parse

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker import Deviation
from harness import PLATFORMS, ROOT, App, Service, poll
from mcp_client import LEGACY, MODERN, Mcp
from test_keys import SCOPE_OF, create

EXAMPLES = 1000 if os.environ.get("POSTHORN_LONG") else 12
DESCRIPTION = yaml.safe_load((ROOT / "api/openapi.yaml").read_text())
METHODS = ("get", "post", "put", "patch", "delete")
DEPTH_MAX = 5
# Nothing that is named leads anywhere: a closed port of this machine, and a name that nobody may have (RFC 2606).
ADDRESSES = ["https://127.0.0.1:9/x", "https://posthorn.invalid/x", "http://posthorn.invalid/a?b=c#d", "https://[::1]:9/",
             "ftp://posthorn.invalid/"]
GIF = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
BYTES = [GIF, GIF[:10], b"", b"%PDF-1.4\n%%EOF\n", b"\x00" * 5000, b"<html>"]
SCOPELESS = {"none", "any"}
STRANGE = [None, True, 0, -1, 2**63, 1.5, 1e308, "", " ", "\x00", "a" * 3000, "\ud7ff\ue000", "<b>'\"%00{{7*7}}",
           "../../etc/passwd", [], {}, [[]], [[[[[[[[]]]]]]]], {"a": {"a": {"a": {}}}}, list(range(200)),
           "2026-02-30T25:61:61Z", "0" * 34]


def operations():
    return [pytest.param(path, method, id=f"{method} {path}")
            for path, shared in DESCRIPTION["paths"].items() for method in METHODS if method in shared]


def resolve(thing):
    while "$ref" in thing:
        target = DESCRIPTION
        for step in thing["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        thing = {**target, **{key: value for key, value in thing.items() if key != "$ref"}}
    return thing


# ---- values of a schema ----


def texts(schema):
    if schema.get("format") == "binary":
        return st.sampled_from(BYTES)
    if schema.get("format") == "uri":
        return st.sampled_from(ADDRESSES)
    if schema.get("format") == "date-time":
        return st.sampled_from(["2030-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "2030-06-01T12:00:00Z"])
    if schema.get("format") == "uuid":
        return st.uuids().map(str)
    if schema.get("format") == "date":
        return st.dates().map(str)
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    return st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=schema.get("minLength", 0),
                   max_size=min(schema.get("maxLength", 40), 40))


def lists(schema, depth):
    least = schema.get("minItems", 0)
    return st.lists(values(schema.get("items", {}), depth + 1), min_size=least, max_size=max(least, min(schema.get("maxItems", 3), 3)))


def objects(schema, depth):
    properties, required = schema.get("properties", {}), schema.get("required", [])
    made = {name: values(inner, depth + 1) for name, inner in properties.items()}
    return st.fixed_dictionaries({name: made[name] for name in required if name in made},
                                 optional={name: inner for name, inner in made.items() if name not in required})


def anything():
    return st.sampled_from(STRANGE)


def typed(kind, schema, depth):
    makers = {
        "string": lambda: texts(schema),
        "integer": lambda: st.integers(schema.get("minimum", -2), schema.get("maximum", 200)),
        "number": lambda: st.floats(0, 100),
        "boolean": st.booleans,
        "null": st.none,
        "array": lambda: lists(schema, depth),
        "object": lambda: objects(schema, depth),
    }
    return makers[kind]()


def values(schema, depth=0):
    """What keeps to the schema, as far as we follow it."""
    schema = resolve(schema)
    if depth > DEPTH_MAX:
        return st.none()
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for key in ("oneOf", "anyOf"):
        if key in schema and "properties" not in schema:
            return st.one_of([values(branch, depth) for branch in schema[key]])
    if "allOf" in schema and "properties" not in schema:
        return values(schema["allOf"][0], depth)
    kinds = schema.get("type", "object" if "properties" in schema else None)
    if kinds is None:
        return anything()
    return st.one_of([typed(kind, schema, depth) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


# ---- bent ----


def places(value, place=()):
    """The way to every value inside."""
    yield place
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*place, key))


def put(value, place, what):
    """A copy with what stands there replaced."""
    if not place:
        return what
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = put(copy[place[0]], place[1:], what)
    return copy


def without(value, place):
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(place) == 1:
        del copy[place[0]]
    else:
        copy[place[0]] = without(copy[place[0]], place[1:])
    return copy


def wholes(content):
    """A body: one of the description's examples, or one made of its schema."""
    examples = [example["value"] for example in content.get("examples", {}).values()]
    made = values(content["schema"])
    return st.one_of(st.sampled_from(examples), made) if examples else made


@st.composite
def bent(draw, content):
    value = draw(wholes(content))
    how = draw(st.sampled_from(["as it is", "as it is", "replaced", "left out", "added"]))
    place = draw(st.sampled_from(list(places(value))))
    if how == "replaced":
        return put(value, place, draw(anything()))
    if how == "left out" and place:
        return without(value, place)
    if how == "added" and isinstance(value, dict):
        return {**value, draw(st.text(min_size=1, max_size=12)): draw(anything())}
    return value


def known(name, world):
    """Ids that there are, for a field or parameter of that name; None = nobody knows any."""
    return world["ids"].get(name.rstrip("[]s").removesuffix("_id").rsplit("_", 1)[-1])


def with_ids(value, world, draw):
    """Real ids where the description has ids, most of the time: else everything ends at the first check."""
    if isinstance(value, dict):
        return {name: draw(st.sampled_from(known(name, world))) if isinstance(inner, str) and known(name, world)
                else [draw(st.sampled_from(known(name, world)))] if isinstance(inner, list) and name.endswith("_ids") and known(name, world)
                else with_ids(inner, world, draw) for name, inner in value.items()}
    return value


@st.composite
def requests_of(draw, path, method, world):
    shared, operation = DESCRIPTION["paths"][path], DESCRIPTION["paths"][path][method]
    request = {"path": path, "query": [], "headers": {}, "body": None}
    for parameter in map(resolve, [*shared.get("parameters", []), *operation.get("parameters", [])]):
        name, is_strange = parameter["name"], draw(st.integers(0, 6)) == 6
        value = draw(anything() if is_strange else values(parameter["schema"]))
        if not is_strange and known(name, world) and draw(st.integers(0, 3)) < 3:
            value = draw(st.sampled_from(known(name, world)))
        text = value if isinstance(value, str) else json.dumps(value)
        if parameter["in"] == "path":
            request["path"] = request["path"].replace("{" + name + "}", world["quote"](text) or "x")
        elif parameter["in"] == "query" and (parameter.get("required") or draw(st.integers(0, 2)) == 2):
            items = value if isinstance(value, list) else [text]
            request["query"] += [(name, item if isinstance(item, str) else json.dumps(item)) for item in items]
        elif parameter["in"] == "header" and draw(st.integers(0, 5)) > (0 if parameter.get("required") else 2):
            request["headers"][name] = "".join(letter for letter in text if " " <= letter <= "~").strip()
    if draw(st.integers(0, 9)) == 9:
        request["query"].append((draw(st.text(max_size=8)), draw(st.text(max_size=8))))
    content = resolve(operation.get("requestBody", {})).get("content", {})
    if content:
        kind = draw(st.sampled_from(sorted(content)))
        if kind != "multipart/form-data":
            request["headers"]["Content-Type"] = kind
        if kind in ("application/json", "application/x-www-form-urlencoded"):
            body = draw(bent(content[kind]))
            body = body if draw(st.integers(0, 3)) == 3 else with_ids(body, world, draw)
            request["body"] = json.dumps(body) if kind == "application/json" else world["form"](body)
        elif kind == "multipart/form-data":
            request["files"] = [(name, (draw(st.sampled_from(["a.gif", "../a", 'a"\r\nX: y'])), draw(st.sampled_from(BYTES))))
                                for name in draw(st.lists(st.sampled_from(["file", "other"]), min_size=1, max_size=2))]
        else:
            request["body"] = draw(st.sampled_from(BYTES))
    request["token"] = draw(st.sampled_from(["right", "right", "right", "right", "reader", "wrong", "gone", "none"]))
    return request


# ---- the world ----


def things_of(app, account):
    """{what: ids}: posts, drafts, webhooks, files, an upload that has begun and a link."""
    def made(path, **more):
        answer = app.post(path, **more)
        assert answer.status_code == 201, answer.text
        return answer
    upload = made("/v1/media/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": str(len(GIF))})
    link = made("/v1/media/links", json={}).json()["data"]["upload_url"]
    return {
        "post": [app.accepted(account, f"number {n}", scheduled_at="2031-01-01T00:00:00Z")["post_id"] for n in range(3)],
        "draft": [made("/v1/drafts", json={"account_ids": [account], "content": f"draft {n}"}).json()["data"]["id"] for n in range(2)],
        "webhook": [made("/v1/webhooks", json={"url": "https://posthorn.invalid/hook"}).json()["data"]["id"]],
        "media": [made("/v1/media", data=GIF).json()["data"]["id"] for _ in range(2)],
        "upload": [upload.headers["Location"].rsplit("/", 1)[1]],
        "token": [link.rsplit("/", 1)[1]],
    }


def published(app, account):
    """A post that is there, so that it can be taken back."""
    post = app.accepted(account, "it is out")["post_id"]
    poll("it is published", lambda: app.get(f"/v1/posts/{post}").json()["data"]["status"] == "published")
    return post


def keys_of(app):
    """{name: token}: what a request may come with."""
    gone = create(app, "read,publish", name="gone")["key"]
    basic = app.client_id, app.client_secret
    answer = app.service.request("POST", "/v1/oauth/revoke", auth=basic, data={"token": gone})
    assert answer.status_code == 200, answer.text
    return {"right": app.token, "reader": create(app, "read", name="reader")["key"], "gone": gone, "wrong": "pht_" + "0" * 64, "none": None}


@pytest.fixture(scope="module")
def world(tmp_path_factory, sandbox):
    """A service of its own, with an app that has accounts, posts, drafts, files, links and webhooks, and another that has some too."""
    with Service(tmp_path_factory.mktemp("fuzz") / "data", sandbox) as service:
        app = App(service).set_credentials(*PLATFORMS).issue_token()
        other = App(service, name="other", owner="other@example.com").set_credentials("x").issue_token()
        connected = app.connect("x")
        accounts = [account["id"] for account in connected.accounts] + [app.connect("linkedin").accounts[0]["id"]]
        ids = {"account": accounts, "connection": [connected.id], **things_of(app, accounts[0])}
        ids["post"].append(published(app, accounts[0]))
        theirs = things_of(other, other.account("x"))
        foreign = {one for name, several in theirs.items() if name != "token" for one in several}
        for name in ("post", "draft", "webhook", "media", "upload"):
            ids[name] = [*ids[name], theirs[name][0]]
        yield {"service": service, "app": app, "ids": ids, "foreign": foreign, "tokens": keys_of(app),
               "quote": lambda text: urllib.parse.quote(text, safe=""),
               "form": lambda body: urllib.parse.urlencode(body if isinstance(body, dict) else {"x": str(body)})}


def is_routed(request):
    """What no route takes, as %00, is not found before anybody is asked, and by no operation."""
    return all(re.fullmatch(r"[\w.-]*", one, re.A) for one in request["path"].split("/"))


def check_rights(world, request, scope, answer):
    """What a token, a key and an id of another app may do, by the contract."""
    is_done = answer.status_code < 400
    if scope not in SCOPELESS | {"read"} and request["token"] == "reader":
        assert not is_done, f"a key that reads did this: {answer.text}"
    if scope != "none" and request["token"] in ("gone", "wrong", "none"):
        assert answer.status_code in ((401, 431) if is_routed(request) else (401, 404, 405, 431)), answer.text
    segments = {urllib.parse.unquote(one) for one in request["path"].split("/")}
    assert not (is_done and segments & world["foreign"]), f"another app's: {answer.text}"


def is_kept_as_it_is(path, deviation):
    """A draft keeps what it is given inside its members, and names the problems of it: no request is too wrong for that."""
    return path in ("/drafts", "/drafts/{draft_id}") and ": the request: at " in str(deviation)


@pytest.mark.parametrize("path,method", operations())
def test_no_request_of_the_description_is_a_fault(path, method, world):
    is_prefixed = "servers" not in DESCRIPTION["paths"][path]
    scope = SCOPE_OF.get((method.upper(), path), "none")

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(requests_of(path, method, world))
    def run(request):
        token = world["tokens"][request["token"]]
        headers = {**request["headers"], **({"Authorization": f"Bearer {token}"} if token else {})}
        try:
            answer = world["service"].request(method.upper(), ("/v1" if is_prefixed else "") + request["path"], params=request["query"],
                                              headers=headers, data=request["body"], files=request.get("files"))
        except Deviation as deviation:
            is_nowhere = not is_routed(request) and " -> 404: " in str(deviation)
            assert is_nowhere or is_kept_as_it_is(path, deviation), deviation
            return
        assert answer.status_code < 500, answer.text
        check_rights(world, request, scope, answer)
    run()


# ---- agents ----

TOOLS = ["list_accounts", "describe_platforms", "validate_post", "create_draft", "publish_post", "schedule_post", "list_posts", "get_post",
         "explain_post", "cancel_post", "retry_post", "upload_media_from_url"]
WRITERS = {"create_draft", "publish_post", "schedule_post", "cancel_post", "retry_post", "upload_media_from_url"}


def test_the_tools_are_all_of_them(world):
    assert sorted(Mcp(world["service"], world["app"].token).tools()) == sorted(TOOLS)


@pytest.mark.parametrize("tool", TOOLS)
def test_no_call_of_a_tool_is_a_fault(tool, world):
    """Arguments of the tool's own schema, then bent. A refusal is a result or an error of the protocol, and never ours."""
    schema = Mcp(world["service"], world["app"].token).tools()[tool]["inputSchema"]

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(bent({"schema": schema}), st.sampled_from(["right", "right", "reader"]), st.sampled_from([MODERN, LEGACY]), st.data())
    def run(arguments, token, revision, data):
        arguments = with_ids(arguments, world, data.draw)
        agent = Mcp(world["service"], world["tokens"][token], revision)
        answer = agent.send(agent.message("tools/call", {"name": tool, "arguments": arguments}), agent.headers("tools/call", tool))
        assert answer.status_code in (200, 400), answer.text
        body = answer.json()
        assert ("result" in body) != ("error" in body)
        is_done = "result" in body and not body["result"]["isError"]
        assert not (is_done and token == "reader" and tool in WRITERS), body
        named = {one for one in arguments.values() if isinstance(one, str)} if isinstance(arguments, dict) else set()
        assert not (is_done and named & world["foreign"]), body
    run()


def test_what_is_made_keeps_to_the_schema():
    """The maker itself: unbent values of a publish request are what the schema says, or the fuzzing above would stay at the door."""
    schema = DESCRIPTION["components"]["schemas"]["WebhookRequest"]

    @settings(max_examples=50, suppress_health_check=list(HealthCheck))
    @given(values(schema))
    def run(value):
        assert set(resolve(schema).get("required", [])) <= set(value) <= set(resolve(schema)["properties"])
    run()
