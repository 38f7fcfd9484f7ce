# SPDX-License-Identifier: Apache-2.0
"""Every call of the black-box tests is held against the description (api/openapi.yaml as api/build.py reads it): is the route
known, the method, the status, the error's word, each header and each field of the body; and, where a call succeeded, did the
request keep to the description too. What the server serves is the same with room for additions in its answers, which would hide
what is not described; test_description_types.py compares the two. It also notes what was met, so that what is described and never
met is found at the end (test_description.py). Installed by harness.Service; knows nothing of what a test is about."""
import datetime
import json
import pathlib
import re
import sys
import urllib.parse

import jsonschema
import requests

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "api"))

from build import description  # noqa: E402 - it stands beside the description

PREFIXES = ("/v1", "/api/v1")
# What the listener itself refuses, before there is a route: two readings, headers too many, another host (API: "Conventions").
LISTENER_STATUSES = {400: "BAD_REQUEST", 421: "MISDIRECTED_REQUEST", 431: "HEADERS_TOO_LARGE"}
# On every answer, or the transport's own; described nowhere.
COMMON_HEADERS = {"date", "content-type", "content-length", "connection", "transfer-encoding", "cache-control",
                  "x-content-type-options", "referrer-policy", "keep-alive", "x-request-id"}
METHODS = ("get", "post", "patch", "delete", "put")

FORMATS = jsonschema.FormatChecker(formats=())


@FORMATS.checks("uuid")
def is_uuid(value):
    return not isinstance(value, str) or bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value))


@FORMATS.checks("date-time")
def is_instant(value):
    """As the API writes and takes them: UTC with Z."""
    if not isinstance(value, str):
        return True
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?Z", value)
    return bool(found) and is_parsed(found[1], "%Y-%m-%dT%H:%M:%S")


@FORMATS.checks("date")
def is_date(value):
    return not isinstance(value, str) or bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value)) and is_parsed(value, "%Y-%m-%d")


@FORMATS.checks("uri")
def is_uri(value):
    return not isinstance(value, str) or bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value)) and not re.search(r"\s", value)


def is_parsed(text, form):
    try:
        datetime.datetime.strptime(text, form)
    except ValueError:
        return False
    return True


def is_of_type(kind, media_type):
    return kind == media_type or kind == "*/*"


def is_jsonrpc(body):
    """Its errors are objects with a number, which the schema has."""
    return isinstance(body, dict) and body.get("jsonrpc") == "2.0"


def ignored_fields(response):
    """Fields of the request that the answer's warnings say were not looked at: they need not keep to anything."""
    if not response.content or not response.headers.get("Content-Type", "").startswith("application/json"):
        return set()
    body = response.json()
    data = body.get("data") if isinstance(body, dict) else None
    warnings = data.get("warnings", []) if isinstance(data, dict) else []
    return {warning["field"] for warning in warnings}


class Operation:
    """One path and method of the description."""

    def __init__(self, template, shared, method, body):
        self.template, self.method, self.body, self.id = template, method, body, body["operationId"]
        self.parameters = [*shared.get("parameters", []), *body.get("parameters", [])]
        self.is_prefixed = "servers" not in shared


class Deviation(AssertionError):
    """The server and its description differ."""


class Checker:
    def __init__(self, description):
        self.description = description
        self.operations = {}
        for template, shared in description["paths"].items():
            methods = {method: Operation(template, shared, method, shared[method]) for method in METHODS if method in shared}
            self.operations[template] = methods
        # A literal segment wins over a capture, as in the router.
        self.templates = sorted(self.operations, key=lambda template: (template.count("{"), template))
        self.patterns = {template: re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template))) for template in self.templates}
        self.met = set()  # (operation id, status)
        self.seen = set()  # (id of the schema, property)
        self.validators = {}

    # -- finding

    def resolve(self, thing):
        while isinstance(thing, dict) and "$ref" in thing:
            target = self.description
            for step in thing["$ref"].removeprefix("#/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            extra = {key: value for key, value in thing.items() if key != "$ref"}
            if not extra:
                return target
            thing = {**target, **extra}
        return thing

    def templates_of(self, path):
        """[(template, methods)] that fit a path; the best first."""
        stripped = [(path[len(prefix):], True) for prefix in PREFIXES if path.startswith(prefix + "/")]
        return [
            (template, self.operations[template])
            for rest, is_prefixed in [*stripped, (path, False)]
            for template in self.templates
            if self.patterns[template].fullmatch(rest)
            and all(operation.is_prefixed == is_prefixed for operation in self.operations[template].values())
        ]

    def find(self, method, path):
        """(operation or None, is the path known?)"""
        fitting = self.templates_of(path)
        wanted = "get" if method == "HEAD" else method.lower()
        methods = fitting[0][1] if fitting else {}
        return methods.get(wanted), bool(fitting)

    # -- judging

    def validator(self, schema):
        if id(schema) not in self.validators:
            # $refs point into the whole description: it is the resolver's root.
            resolver = jsonschema.RefResolver("", self.description)
            self.validators[id(schema)] = (jsonschema.Draft202012Validator(schema, resolver=resolver, format_checker=FORMATS), schema)
        return self.validators[id(schema)][0]

    def validate(self, schema, value, what):
        problem = next(iter(sorted(self.validator(schema).iter_errors(value), key=lambda error: len(error.absolute_path))), None)
        if problem is not None:
            place = "/".join(map(str, problem.absolute_path))
            raise Deviation(f"{what}: at {place or 'the top'}: {problem.message[:600]}\n{json.dumps(value)[:1500]}")

    def check(self, request, response):
        """Raises Deviation. request: PreparedRequest."""
        url = urllib.parse.urlsplit(request.url)
        what = f"{request.method} {url.path} -> {response.status_code}"
        if url.path.startswith("/sandbox"):
            self.check_sandbox(what, response)
            return
        operation, is_known = self.find(request.method, url.path)
        if request.method == "OPTIONS" and response.status_code == 204 and "/media/" in url.path:
            return  # for browsers, and clients of tus
        if operation is None:
            self.check_unrouted(what, response, is_known)
            return
        described = self.described_answer(operation, response, what)
        if described is None:
            return
        if request.method != "HEAD":
            self.met.add((operation.id, response.status_code))
        self.check_headers(what, described, response)
        self.check_body(what, described, request, response)
        if 200 <= response.status_code < 300:
            self.check_request(what, operation, request, url, ignored_fields(response))

    def check_sandbox(self, what, response):
        """The simulated platforms answer as platforms do; what all their answers have is API 14's."""
        policy = response.headers.get("Content-Security-Policy", "")
        is_guarded = policy.split(";")[0].split()[:1] == ["sandbox"] and "allow-scripts" not in policy
        if response.status_code not in LISTENER_STATUSES and not (
                is_guarded and response.headers.get("X-Content-Type-Options") == "nosniff"
                and "noindex" in response.headers.get("X-Robots-Tag", "") and "Set-Cookie" not in response.headers):
            raise Deviation(f"{what}: {dict(response.headers)}")

    def check_unrouted(self, what, response, is_known):
        allowed = {405: "METHOD_NOT_ALLOWED"} if is_known else {404: "NOT_FOUND"}
        allowed = {**allowed, 503: "UNAVAILABLE", **LISTENER_STATUSES}
        if response.status_code not in allowed:
            raise Deviation(f"{what}: {'a method' if is_known else 'a path'} that is not described")
        self.check_general(what, response, allowed)

    def check_general(self, what, response, allowed):
        if response.status_code in LISTENER_STATUSES and "X-Request-Id" not in response.headers:
            return  # libmicrohttpd's own page (src/httpd/httpd.h)
        if response.request.method == "HEAD":
            return
        body = self.json_of(what, response)
        self.validate(self.description["components"]["schemas"]["Error"], {
                      key: body[key] for key in body if key != "error_description"}, what)
        if body["error"] != allowed[response.status_code]:
            raise Deviation(f"{what}: {body['error']} where {allowed[response.status_code]} belongs")

    def described_answer(self, operation, response, what):
        """The description of this answer; None when the listener gave it by itself."""
        answers = operation.body["responses"]
        is_listeners = response.status_code in LISTENER_STATUSES and LISTENER_STATUSES[response.status_code] in response.text
        if is_listeners or (response.status_code in LISTENER_STATUSES and "X-Request-Id" not in response.headers):
            self.check_general(what, response, LISTENER_STATUSES)
            return None
        if str(response.status_code) not in answers:
            raise Deviation(f"{what}: a status that {operation.id} does not describe\n{response.text[:600]}")
        return self.resolve(answers[str(response.status_code)])

    def check_headers(self, what, described, response):
        headers = {name.lower(): self.resolve(header) for name, header in described.get("headers", {}).items()}
        for name in response.headers:
            if name.lower() not in headers and name.lower() not in COMMON_HEADERS:
                raise Deviation(f"{what}: the header {name} is not described")
        for name, header in headers.items():
            if name not in (given.lower() for given in response.headers):
                if header.get("required"):
                    raise Deviation(f"{what}: the header {name} is missing")
                continue
            schema, text = self.resolve(header["schema"]), response.headers[name]
            self.validate(
                schema,
                int(text) if schema.get("type") == "integer" and re.fullmatch(
                    r"-?\d+",
                    text) else text,
                f"{what}: {name}")

    def check_event(self, event):
        """What a webhook was sent."""
        schema = self.description["components"]["schemas"]["Event"]
        self.validate(schema, event, "an event")
        self.note(schema, event)

    def json_of(self, what, response):
        try:
            return response.json()
        except ValueError:
            raise Deviation(f"{what}: not JSON: {response.text[:300]}") from None

    def check_body(self, what, described, request, response):
        if request.method == "HEAD":
            return
        content = described.get("content")
        if content is None:
            if response.content:
                raise Deviation(f"{what}: a body where none is described: {response.text[:300]}")
            return
        kind = response.headers.get("Content-Type", "").split(";")[0].strip()
        fitting = next((media for media_type, media in content.items() if is_of_type(media_type, kind)), None)
        if fitting is None:
            raise Deviation(f"{what}: {kind} is not described")
        if kind == "application/json" and "schema" in fitting:
            body = self.json_of(what, response)
            self.validate(fitting["schema"], body, what)
            self.note(fitting["schema"], body)
            self.check_word(what, described, response, body)

    def check_word(self, what, described, response, body):
        """The error's word is one of those that the operation names for this status."""
        words = re.findall(r"`(\w+)`", described.get("description", ""))
        if response.status_code >= 400 and not is_jsonrpc(body) and body.get("error") not in words:
            raise Deviation(f"{what}: {body.get('error')} is not among {words}")

    def check_request(self, what, operation, request, url, ignored):
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        for parameter in map(self.resolve, operation.parameters):
            given = query.get(parameter["name"]) if parameter["in"] == "query" else None
            if parameter["in"] == "query" and given is None and parameter.get("required"):
                raise Deviation(f"{what}: done without {parameter['name']}, which is described as required")
            if given is not None:
                self.validate(parameter["schema"], self.typed(parameter["schema"], given), f"{what}: {parameter['name']}")
        described = self.resolve(operation.body.get("requestBody"))
        if described and request.body:
            self.check_request_body(what, described, request, ignored)
        elif described and described.get("required"):
            raise Deviation(f"{what}: done without a body, which is described as required")

    def check_request_body(self, what, described, request, ignored):
        kind = request.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind not in described["content"] and "application/octet-stream" in described["content"]:
            return  # a file may say that it is of any type, or none
        if kind in ("application/octet-stream", "application/offset+octet-stream", "multipart/form-data") and kind in described["content"]:
            return
        if kind not in described["content"]:
            raise Deviation(f"{what}: took {kind}, which is not described")
        text = request.body.decode() if isinstance(request.body, bytes) else request.body
        value = json.loads(text) if kind == "application/json" else dict(urllib.parse.parse_qsl(text))
        value = {name: inner for name, inner in value.items() if name not in ignored}
        self.validate(described["content"][kind]["schema"], value, f"{what}: the request")

    def typed(self, schema, given):
        schema = self.resolve(schema)
        if schema.get("type") == "array":
            return given
        return int(given[0]) if schema.get("type") == "integer" and re.fullmatch(r"-?\d+", given[0]) else given[0]

    # -- what was met

    def note(self, schema, value):
        """Notes which described fields this value has."""
        schema = self.resolve(schema)
        for branch in [*schema.get("oneOf", []), *schema.get("anyOf", [])]:
            if self.fits(branch, value):
                self.note(branch, value)
        if isinstance(value, list):
            for item in value:
                self.note(schema.get("items", {}), item)
        if isinstance(value, dict):
            for name, inner in schema.get("properties", {}).items():
                if name in value:
                    self.seen.add((id(schema["properties"]), name))
                    self.note(inner, value[name])

    def fits(self, schema, value):
        return self.validator(schema).is_valid(value)

    def unseen_fields(self):
        """Fields of answers that are described and were never there: "Token.expires_in"."""
        walked, unseen = {}, []

        def walk(schema, name):
            if isinstance(schema, dict) and "$ref" in schema:
                name = schema["$ref"].rsplit("/", 1)[-1]
            schema = self.resolve(schema)
            if not schema or not isinstance(schema, dict) or id(schema) in walked:
                return
            walked[id(schema)] = schema  # held, so that no other gets its id
            for field, inner in schema.get("properties", {}).items():
                if (id(schema["properties"]), field) not in self.seen:
                    unseen.append(f"{name}.{field}")
                walk(inner, f"{name}.{field}")
            for branch in [*schema.get("oneOf", []), *schema.get("anyOf", [])]:
                walk(branch, name)
            walk(schema.get("items", {}), f"{name}[]")

        for methods in self.operations.values():
            for operation in methods.values():
                for status, answer in operation.body["responses"].items():
                    for media_type, media in self.resolve(answer).get("content", {}).items():
                        if media_type == "application/json":
                            walk(media.get("schema", {}), f"{operation.id} {status}")
        return unseen

    def unmet_successes(self):
        """Operations with a status below 400 that no test met."""
        return [
            f"{operation.id} {status}"
            for methods in self.operations.values()
            for operation in methods.values()
            for status in operation.body["responses"]
            if status < "400" and (operation.id, int(status)) not in self.met
        ]

    def unmet(self):
        return {"successes": self.unmet_successes(), "fields": self.unseen_fields()}


def unmet_by_all(directory):
    """What none of several runs met: each has left its Checker.unmet() there."""
    runs = [json.loads(path.read_text()) for path in sorted(directory.iterdir())]
    return {kind: set.intersection(*(set(run[kind]) for run in runs)) for kind in ("successes", "fields")}


# ---- listening in ----


class Watch:
    """The services whose calls are checked, and the one description of them all."""

    def __init__(self):
        self.checker = None
        self.services = {}  # its url with a slash: whether it lives
        self.send = None

    def add(self, url, is_alive):
        """From now on every answer of the server at url is checked while it lives: afterwards its port may be anybody's.
        None is one that died before it was ready."""
        if url is None:
            return
        if self.send is None:
            self.listen_in()
        if self.checker is None:
            self.checker = Checker(description())
        self.services[url + "/"] = is_alive

    def remove(self, url):
        """Not checked any more: what is asked of it is not described."""
        self.services.pop(f"{url}/", None)

    def is_of_service(self, url):
        return any(url.startswith(prefix) and is_alive() for prefix, is_alive in list(self.services.items()))

    def listen_in(self):
        self.send = requests.Session.send
        watch = self

        def send(session, request, **more):
            response = watch.send(session, request, **more)
            if watch.is_of_service(request.url) and not more.get("stream"):
                watch.checker.check(request, response)
            return response

        requests.Session.send = send


WATCH = Watch()
