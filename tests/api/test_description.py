# SPDX-License-Identifier: Apache-2.0
"""The description (api/openapi.yaml) is the service's own: it names every route and no other, is sound in itself, reads well
where it is served, and, at the end of a whole run, nothing of it was never met (checker.py)."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import urllib.parse

import jsonschema
import pytest
from requests.structures import CaseInsensitiveDict

from build import OPERATOR_INFO
from checker import FORMATS, METHODS, WATCH, Checker, Deviation, unmet_by_all
from harness import ROOT, check_error
from test_conventions import PREFIXES, ROUTES
from test_keys import SCOPE_OF

PAGES = re.findall(r'^PAGE\("([^"]+)",(?! *METRICS)', (ROOT / "src/api/pages.def").read_text(), re.M)
DOORS = {("POST", "/mcp")}  # src/mcp
# Routes that platforms and browsers call: no client of a customer has a use for them.
OTHERS_CALL = {"/oauth/{platform}/callback", "/oauth/{platform}/deauthorize", "/oauth/{platform}/data-deletion",
               "/oauth/{platform}/data-deletion/{code}"}
# Not met by the tests of tests/api, and why.
UNMET = {}
UNSEEN_FIELDS = {"getReadiness 200.held": "it takes a restored database: tests/fault/test_restore.py"}


@pytest.fixture(scope="module")
def described(service):
    """What the service answers, exactly: what it serves has room for additions."""
    return WATCH.checker.description


@pytest.fixture(scope="module")
def page(service):
    return service.request("GET", "/docs").text


def operations(described):
    return {
        (method.upper(), path): (shared, shared[method])
        for path, shared in described["paths"].items()
        for method in METHODS
        if method in shared
    }


# ---- the description and the routes ----


def test_every_route_is_described_and_no_other(described):
    assert {(method, path) for method, path, _, _ in ROUTES} | {("GET", path) for path in PAGES} | DOORS == set(operations(described))
    assert len(PAGES) >= 7


def test_who_may_call_is_described(described):
    """The route table's third column."""
    expected = {"BASIC": [{"basic": []}], "NOBODY": []}
    for method, path, who, _ in ROUTES:
        scope = SCOPE_OF[method, path]
        wanted = expected.get(who, [{"bearer": [] if scope == "any" else [scope]}])
        assert operations(described)[method, path][1].get("security", described["security"]) == wanted, (method, path)
    for path in PAGES:
        assert operations(described)["GET", path][1]["security"] == [], path


def test_bodies_are_described(described):
    """The route table's fourth column."""
    expected = {"JSON": ["application/json"], "FORM": ["application/x-www-form-urlencoded"], "NONE": []}
    for method, path, _, body in ROUTES:
        content = list(operations(described)[method, path][1].get("requestBody", {}).get("content", {}))
        if body == "STREAM":
            assert content[0] in ("application/octet-stream", "application/offset+octet-stream"), (method, path)
        else:
            assert content == expected[body], (method, path)


def test_prefixes(described):
    assert [server["url"] for server in described["servers"]] == list(PREFIXES)
    for path in PAGES:
        assert described["paths"][path]["servers"] == [{"url": "/"}]


def test_general_errors_are_described(described):
    """What the frame of every request can answer (API: "Conventions")."""
    for (method, path), (_, operation) in operations(described).items():
        if path in PAGES:
            continue
        wanted = {"500", "503"}
        security = operation.get("security", described["security"])
        wanted |= {"401", "429"} if security else set()
        wanted |= {"403"} if any("bearer" in scheme for scheme in security) else set()
        wanted |= {"413", "415"} if "requestBody" in operation else set()
        assert wanted <= set(operation["responses"]), (method, path, wanted - set(operation["responses"]))


def test_path_parameters_are_described(described):
    for (method, path), (shared, operation) in operations(described).items():
        found = [WATCH.checker.resolve(parameter) for parameter in [*shared.get("parameters", []), *operation.get("parameters", [])]]
        named = {parameter["name"] for parameter in found if parameter["in"] == "path"}
        assert named == set(re.findall(r"\{(\w+)\}", path)), (method, path)


def test_errors_name_their_words(described):
    """Every error of every operation, and every word of the error body somewhere."""
    words = set()
    for (method, path), (_, operation) in operations(described).items():
        for status, answer in operation["responses"].items():
            if status >= "400" and "$ref" in answer:
                found = set(re.findall(r"`(\w+)`", answer.get("description", "")))
                assert found, (method, path, status)
                words |= found
    errors = set(described["components"]["schemas"]["Error"]["properties"]["error"]["enum"])
    assert errors - words == {"METHOD_NOT_ALLOWED", "BAD_REQUEST", "MISDIRECTED_REQUEST",
                              "HEADERS_TOO_LARGE"}, "these come before there is a route"


# ---- sound in itself ----


def walk(thing, path=""):
    yield path, thing
    if isinstance(thing, (dict, list)):
        for key, inner in thing.items() if isinstance(thing, dict) else enumerate(thing):
            yield from walk(inner, f"{path}/{key}")


def test_references_lead_somewhere_and_nothing_is_unused(described):
    used = {thing["$ref"] for _, thing in walk(described) if isinstance(thing, dict) and "$ref" in thing}
    for reference in used:
        WATCH.checker.resolve({"$ref": reference})
    there = {f"#/components/{kind}/{name}" for kind,
             named in described["components"].items() if kind != "securitySchemes" for name in named}
    assert there == used


def test_operations_have_names_of_their_own(described):
    names = [operation["operationId"] for _, operation in operations(described).values()]
    assert len(set(names)) == len(names)
    assert all(operation["summary"] and operation["tags"] for _, operation in operations(described).values())


def test_schemas_are_schemas(described):
    for name, schema in described["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert any(key in schema for key in ("type", "oneOf")), name


def test_examples_keep_to_their_schemas(described):
    count = 0
    for path, thing in walk(described["paths"]):
        if isinstance(thing, dict) and "schema" in thing and ("example" in thing or "examples" in thing):
            examples = [thing["example"]] if "example" in thing else [one["value"] for one in thing["examples"].values()]
            for example in examples:
                WATCH.checker.validate(thing["schema"], example, path)
                count += 1
    assert count >= 10


@pytest.mark.parametrize("linter, arguments", {
    "redocly": ["lint", "--config", "api/redocly.yaml", "api/openapi.yaml"],
    "spectral": ["lint", "--fail-severity", "hint", "--ruleset", "api/spectral.yaml", "api/openapi.yaml"],
}.items(), ids=["redocly", "spectral"])
def test_lints(linter, arguments):
    """With the linters of npm, where they are: on PATH or in POSTHORN_LINTERS."""
    program = shutil.which(linter, path=os.pathsep.join([os.environ.get("POSTHORN_LINTERS", ""), os.environ["PATH"]]))
    if program is None:
        pytest.skip(f"{linter} is not installed")
    environment = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    done = subprocess.run([program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0 and "Warning was generated" not in done.stdout + done.stderr, done.stdout + done.stderr


# ---- served ----


@pytest.mark.parametrize("path, kind", {
    "/openapi.json": "application/json", "/openapi-operator.json": "application/json", "/llms.txt": "text/plain; charset=utf-8",
    "/docs": "text/html; charset=utf-8", "/docs/style.css": "text/css; charset=utf-8",
    "/docs/script.js": "text/javascript; charset=utf-8"}.items())
def test_pages_are_served_and_kept(service, path, kind):
    answer = service.request("GET", path)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == kind
    tag = answer.headers["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = service.request("GET", path, headers={"If-None-Match": known})
        assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == tag
    assert service.request("GET", path, headers={"If-None-Match": '"other"'}).content == answer.content
    head = service.request("HEAD", path)
    assert head.status_code == 200 and head.content == b""
    check_error(service.request("POST", path), 405, "METHOD_NOT_ALLOWED")


def refs_in(thing):
    if isinstance(thing, dict):
        yield from (value for key, value in thing.items() if key == "$ref")
    for inner in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else []:
        yield from refs_in(inner)


def test_customers_and_operators_have_documents_of_their_own(service):
    """A generated client has no method for a health check or a page, and no type that none of its methods needs."""
    customers, operators = (service.request("GET", path).json() for path in ("/openapi.json", "/openapi-operator.json"))
    assert set(customers["paths"]) == {path for _, path, _, _ in ROUTES} - OTHERS_CALL
    assert set(operators["paths"]) == set(PAGES) | OTHERS_CALL | {path for _, path in DOORS}
    assert {"/healthz", "/readyz"} <= set(operators["paths"]) and "webhooks" not in operators
    for one in (customers, operators):
        assert "x-audience" not in json.dumps(one)
        used = {tuple(ref.split("/")[2:]) for ref in refs_in(one)}
        there = {(kind, name) for kind, things in one["components"].items() for name in things if kind != "securitySchemes"}
        assert used == there
        assert {tag["name"] for tag in one["tags"]} == {
            tag for shared in one["paths"].values() for method in METHODS if method in shared for tag in shared[method]["tags"]}
    assert customers["info"]["title"] != operators["info"]["title"] == OPERATOR_INFO["title"]


def test_llms_txt(service, page):
    """A heading, a summary, and every call of customers with a link that leads somewhere (llmstxt.org)."""
    customers, text = service.request("GET", "/openapi.json").json(), service.request("GET", "/llms.txt").text
    assert text.startswith(f"# Posthorn\n\n> {customers['info']['summary']}\n")
    for (method, path), (shared, operation) in operations(customers).items():
        called = path if "servers" in shared else f"/v1{path}"
        assert f"- `{method} {called}`: {operation['summary']} (" in text
    assert "healthz" not in text and "POST /mcp" in text
    ids = Page(page).ids
    for link in re.findall(r"\]\(([^)]+)\)", text):
        path, _, anchor = link.partition("#")
        assert service.request("GET", path).status_code == 200 and (not anchor or anchor in ids), link


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.sources, self.attributes, self.tags = [], [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        self.tags.append(tag)
        self.attributes |= set(at)
        self.ids += [at["id"]] if "id" in at else []
        self.links += [at["href"]] if tag == "a" else []
        self.sources += [at[name] for name in ("src", "href") if name in at and tag != "a"]


def test_page_needs_nothing_from_elsewhere(service, page):
    """No other host, no inline script or style, and a policy that would stop both."""
    found = Page(page)
    assert found.sources == ["/favicon.ico", "docs/style.css", "docs/script.js"]
    assert not [name for name in found.attributes if name.startswith("on") or name == "style"] and "style" not in found.tags
    assert re.search(r"<script(?! src=)", page) is None
    policy = service.request("GET", "/docs").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    style = service.request("GET", "/docs/style.css").text
    assert "url(" not in style and "@import" not in style and "prefers-color-scheme: dark" in style


def test_page_links_lead_somewhere(service, page):
    found = Page(page)
    assert len(set(found.ids)) == len(found.ids)
    for link in found.links:
        if link.startswith("#"):
            assert link[1:] in found.ids, link
        else:
            assert service.request("GET", urllib.parse.urljoin("/docs", link)).status_code == 200, link


def test_page_has_everything(described, page):
    """Every operation with its path, words and a call; every field; every error word."""
    for (_, path), (_, operation) in operations(described).items():
        assert path in page and operation["summary"].replace("'", "&#x27;") in page, path
    for name, schema in described["components"]["schemas"].items():
        for field in schema.get("properties", {}):
            assert f">{field}</code>" in page, f"{name}.{field}"
    for word in described["components"]["schemas"]["FailureCode"]["enum"]:
        assert word in page
    assert page.count("curl -s") >= len(ROUTES)


# ---- the checker itself ----


class Faked:
    def __init__(self, method="GET", path="/v1/platforms", status=200, headers=None, body=None, request_body=None):
        self.method, self.url = method, "http://127.0.0.1" + path
        self.request, self.status_code = self, status
        self.headers = CaseInsensitiveDict({"X-Request-Id": "a", "Content-Type": "application/json", **(headers or {})})
        self.text = json.dumps(body)
        self.content = self.text.encode() if body is not None else b""
        self.body = json.dumps(request_body).encode() if request_body is not None else None

    def json(self):
        return json.loads(self.text)


TOKEN = {"access_token": "pht_" + "a" * 43, "token_type": "Bearer", "expires_in": 60}
TOKEN_CALL = {"method": "POST", "path": "/v1/oauth/token", "body": TOKEN, "headers": {"Cache-Control": "no-store", "Pragma": "no-cache"}}
REFUSED = {"status": 401, "body": {"message": "no", "error": "UNAUTHENTICATED"}}
TOLD = {"method": "POST", "path": "/v1/webhooks/1/test", "status": 202,
        "body": {"data": {"event_id": "01a1fcda-7451-7617-8dc3-203f49eaf282"}}}
CHANGE = {"method": "PATCH", "path": "/v1/posts/1", "status": 409, "body": {"message": "no", "error": "TOO_LATE"}}
FINE = {
    "an error": REFUSED,
    "a token": TOKEN_CALL,
    "a token under the other prefix": {**TOKEN_CALL, "path": "/api/v1/oauth/token"},
    "an id": TOLD,
    "no body": {"method": "DELETE", "path": "/v1/posts/1", "status": 204},
    "no route": {"path": "/v1/nothing", "status": 404, "body": {"message": "no", "error": "NOT_FOUND"}},
    "no method": {"method": "PUT", "status": 405, "body": {"message": "no", "error": "METHOD_NOT_ALLOWED"}},
    "an operation's own error": CHANGE,
}
DEVIATIONS = {
    # name: (answer, what the checker says of it)
    "a path of nobody": ({"path": "/v1/nothing", "body": {}}, "a path that is not described"),
    "a method of nobody": ({"method": "PUT", "body": {}}, "a method that is not described"),
    "a page under the prefix": ({"path": "/v1/healthz", "body": {"status": "ok"}}, "a path that is not described"),
    "a status": ({"status": 418, "body": {}}, "a status that listPlatforms does not describe"),
    "an error word": ({**REFUSED, "body": {"message": "no", "error": "NOT_FOUND"}}, "NOT_FOUND is not among"),
    "an error of another operation": ({**CHANGE, "body": {"message": "no", "error": "DUPLICATE_REQUEST"}}, "is not among"),
    "a field too much": ({**REFUSED, "body": {**REFUSED["body"], "more": 1}}, "'more' was unexpected"),
    "a field too few": ({**REFUSED, "body": {"error": "UNAUTHENTICATED"}}, "'message' is a required property"),
    "a header": ({**REFUSED, "headers": {"X-Powered-By": "steam"}}, "X-Powered-By is not described"),
    "a header's value": ({**REFUSED, "headers": {"WWW-Authenticate": "Basic"}}, "does not match"),
    "a header that is missing": ({**TOKEN_CALL, "headers": {}}, "the header cache-control is missing"),
    "a media type": ({**REFUSED, "headers": {"Content-Type": "text/plain"}}, "text/plain is not described"),
    "a body with 204": ({"method": "DELETE", "path": "/v1/posts/1", "status": 204, "body": {}}, "a body where none is described"),
    "another error where no route is": ({"path": "/v1/nothing", **REFUSED, "status": 404}, "where NOT_FOUND belongs"),
    "a value out of range": ({**TOKEN_CALL, "body": {**TOKEN, "expires_in": 0}}, "less than the minimum"),
    "a pattern": ({**TOKEN_CALL, "body": {**TOKEN, "access_token": "pht_short"}}, "does not match"),
    "a format": ({**TOLD, "body": {"data": {"event_id": "1"}}}, "is not a 'uuid'"),
    "a request that should not have passed": ({**TOKEN_CALL, "sent": "grant_type=password"}, "the request: at grant_type"),
    "a request without a body": ({**TOKEN_CALL, "sent": None}, "done without a body"),
    "a query out of range": ({"path": "/v1/events?limit=1000", "body": {"data": [], "meta": {"next_cursor": "1", "has_more": False}}},
                             "events"),
}


def faked(answer):
    answer = dict(answer)
    sent = answer.pop("sent", "grant_type=client_credentials")
    response = Faked(**answer)
    response.request = Faked(answer.get("method", "GET"), answer.get("path", "/v1/platforms"),
                             headers={"Content-Type": "application/x-www-form-urlencoded"})
    response.request.body = sent if "token" in response.url else None
    return response


@pytest.mark.parametrize("answer", FINE.values(), ids=FINE.keys())
def test_checker_lets_pass(described, answer):
    response = faked(answer)
    Checker(described).check(response.request, response)


@pytest.mark.parametrize("answer, words", DEVIATIONS.values(), ids=DEVIATIONS.keys())
def test_checker_finds(described, answer, words):
    response = faked(answer)
    with pytest.raises(Deviation, match=re.escape(words)):
        Checker(described).check(response.request, response)


@pytest.mark.parametrize("kind, good, bad", [
    ("date-time", "2027-02-28T00:00:00.5Z", "2027-02-30T00:00:00Z"), ("date-time", "2027-02-28T00:00:00Z", "2027-02-28T00:00:00+00:00"),
    ("date", "2028-02-29", "2027-02-29"), ("uuid", "01a1fcda-7451-7617-8dc3-203f49eaf282", "01A1FCDA-7451-7617-8DC3-203F49EAF282"),
    ("uri", "https://a.example/", "a.example")])
def test_checker_knows_the_formats(kind, good, bad):
    assert FORMATS.conforms(good, kind) and not FORMATS.conforms(bad, kind)


def test_checker_notes_what_it_met(described):
    checker = Checker(described)
    response = faked(TOKEN_CALL)
    assert "issueToken 200" in checker.unmet_successes() and "Token.expires_in" in checker.unseen_fields()
    checker.check(response.request, response)
    assert "issueToken 200" not in checker.unmet_successes() and "Token.expires_in" not in checker.unseen_fields()


# ---- at the end of a whole run ----


def is_whole(session):
    """Was every file of tests/api collected, and nothing left out by name or mark?"""
    files = {path.name for path in (ROOT / "tests/api").glob("test_*.py")}
    options = session.config.option
    return files <= {item.path.name for item in session.items} and not options.keyword and not options.markexpr


@pytest.fixture
def unmet(request):
    """Of the runs of tests/run.py, when they have ended; or of this one."""
    directory = pathlib.Path(os.environ.get("POSTHORN_UNMET", "/nonexistent"))
    if directory.is_dir() and os.environ["POSTHORN_GROUP"] == "afterwards":
        return unmet_by_all(directory)
    if not is_whole(request.session):
        pytest.skip("only a run of all of tests/api can tell")
    return {kind: set(names) for kind, names in WATCH.checker.unmet().items()}


@pytest.mark.last
def test_everything_described_was_met(unmet):
    assert unmet["successes"] <= set(UNMET)


@pytest.mark.last
def test_every_described_field_was_seen(unmet):
    assert unmet["fields"] <= set(UNSEEN_FIELDS)


def test_what_several_runs_met_is_put_together(tmp_path):
    (tmp_path / "a").write_text('{"successes": ["issueToken 200", "listPosts 200"], "fields": ["Token.expires_in"]}')
    (tmp_path / "b").write_text('{"successes": ["listPosts 200"], "fields": []}')
    assert unmet_by_all(tmp_path) == {"successes": {"listPosts 200"}, "fields": set()}
