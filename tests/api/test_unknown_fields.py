# SPDX-License-Identifier: Apache-2.0
"""Unknown fields and unknown query parameters are refused (API: "Conventions"), walked over the route table and over the
description, so that a new route or a new level of a body cannot forget it."""
import datetime
import re

import pytest
import yaml

from harness import ROOT, check_error, utc
from test_conventions import ROUTES, fill

DESCRIBED = yaml.safe_load((ROOT / "api/openapi.yaml").read_text())
TYPO = "no_such_name"
LENIENT = {"platforms", "options"}
HANDLERS = re.findall(r'^ROUTE\((\w+),\s*"([^"]+)",\s*\w+,\s*\w+,\s*(\w+),', (ROOT / "src/api/routes.def").read_text(), re.M)
QUERIES = dict(re.findall(r"^QUERY\((\w+),\s*(.*)\)$", (ROOT / "src/api/queries.def").read_text(), re.M))
BEARER = [(method, path) for method, path, who, _ in ROUTES if who == "BEARER"]


def resolve(schema):
    while "$ref" in schema:
        schema = DESCRIBED["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def kinds(schema):
    kind = schema.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def levels(schema, path=()):
    """Every object of a body, as the path to it: a name, or 0 for an element of a list."""
    schema = resolve(schema)
    if schema.get("additionalProperties") is True:
        assert path[-1] in LENIENT, f"{path}: the schema of a request takes any field"
        return
    if "object" in kinds(schema) and isinstance(schema.get("additionalProperties", False), bool):
        assert schema.get("additionalProperties") is False, f"{path}: the schema of a request takes any field"
        yield path
    for name, inner in schema.get("properties", {}).items():
        yield from levels(inner, (*path, name))
    if "items" in schema:
        yield from levels(schema["items"], (*path, 0))


def body_at(path):
    """{"media": [{TYPO: 1}]} for ("media", 0)."""
    body = {TYPO: 1}
    for step in reversed(path):
        body = [body] if step == 0 else {step: body}
    return body


def bodies():
    for method, path, _, body in ROUTES:
        if body == "JSON":
            schema = DESCRIBED["paths"][path][method.lower()]["requestBody"]["content"]["application/json"]["schema"]
            for level in levels(schema):
                yield pytest.param(method, path, level, id=f"{method} {path} {'.'.join(map(str, level))}")


@pytest.mark.parametrize("method, path, level", bodies())
def test_an_unknown_field_is_refused(app, one, method, path, level):
    if path == "/webhooks/{webhook_id}":
        made = app.request("POST", "/v1/webhooks", json={"url": "https://hooks.example/a"}).json()["data"]["id"]
        answer = app.request(method, f"/v1/webhooks/{made}", json=body_at(level))
        assert app.request("DELETE", f"/v1/webhooks/{made}").status_code == 204
    elif (method, path) == ("PATCH", "/drafts/{draft_id}"):
        made = app.post("/v1/drafts", json={"content": "a draft to change"}).json()["data"]["id"]
        answer = app.request(method, f"/v1/drafts/{made}", json=body_at(level))
    elif (method, path) == ("PATCH", "/posts/{post_id}"):
        made = app.accepted(one["x"], "a post to change", scheduled_at=utc(86400))["post_id"]
        answer = app.request(method, f"/v1/posts/{made}", json=body_at(level))
    else:
        answer = app.request(method, "/v1" + fill(path), json=body_at(level))
    field = ".".join(map(str, (*level, TYPO)))
    assert answer.status_code == 422, answer.text
    body = answer.json()
    assert body["error"] == "VALIDATION_ERROR" and body["errors"][field] == ["Unknown field."], body


@pytest.mark.parametrize("method, path", BEARER, ids=lambda value: value)
@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_an_unknown_parameter_is_refused(app, method, path, prefix):
    needed = "&user_id=u&redirect_url=https://a.example" if path.endswith("/connect") and method == "GET" else ""
    answer = app.request(method, f"{prefix}{fill(path)}?{TYPO}=1&{TYPO}=2{needed}", json={} if method in ("POST", "PATCH") else None)
    body = check_error(answer, 422, "VALIDATION_ERROR")
    assert body["errors"][TYPO] == ["Unknown parameter."]


@pytest.mark.parametrize("method, path", BEARER, ids=lambda value: value)
def test_the_table_has_the_described_parameters(method, path):
    described = [resolve_parameter(one) for one in DESCRIBED["paths"][path][method.lower()].get("parameters", [])]
    names = [one["name"] for one in described if one["in"] == "query"]
    (handler,) = [name for row_method, row_path, name in HANDLERS if (row_method, row_path) == (method, path)]
    assert re.findall(r'"([^"]+)"', QUERIES.get(handler, "")) == names


def resolve_parameter(one):
    return DESCRIBED["components"]["parameters"][one["$ref"].rsplit("/", 1)[-1]] if "$ref" in one else one


def test_who_ignores_unknown_parameters(app, other_app):
    """RFC 6749 asks it of the token endpoint; the rest is fetched by browsers, platforms and probes."""
    for path in ("/healthz", "/readyz", "/openapi.json", "/docs"):
        assert app.service.request("GET", f"{path}?{TYPO}=1").status_code == 200, path
    assert app.service.request("GET", f"/v1/oauth/x/callback?{TYPO}=1&state=none").status_code == 400
    assert other_app.request_token(params={TYPO: "1"}).status_code == 200


# ---- suggestions ----


def tomorrow():
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


def publish(app, one, **fields):
    return app.request("POST", "/v1/posts/publish", json={"account_ids": [one["x"]], "content": "Hello", **fields})


MEANT = {
    "schedule_at": "scheduled_at",
    "scheduledAt": "scheduled_at",
    "scheduledFor": "scheduled_at",
    "publish_at": "scheduled_at",
    "Scheduled-At": "scheduled_at",
    "scheduled": "scheduled_at",
    "requestId": "request_id",
    "idempotency_key": "request_id",
    "text": "content",
    "message": "content",
    "caption": "content",
    "contnet": "content",
    "mediaUrls": "media",
    "image_url": "media",
    "accounts_ids": "account_ids",
    "channels": "account_ids",
    "thread": "containers",
    "options": "platforms",
    "post_type": "type",
}


@pytest.mark.parametrize("name, meant", MEANT.items())
def test_a_suggestion(app, one, name, meant):
    before = app.list()["meta"]["total"]
    body = check_error(publish(app, one, **{name: tomorrow()}), 422, "VALIDATION_ERROR", [name])
    assert body["errors"][name] == [f"Unknown field. Did you mean {meant}?"]
    assert app.list()["meta"]["total"] == before, "a typo must never publish"


@pytest.mark.parametrize("name", ["isDraft", "draft", "status", "dry_run", "publishNow"])
def test_what_is_not_here_at_all(app, one, name):
    text = check_error(publish(app, one, **{name: True}), 422, "VALIDATION_ERROR", [name])["errors"][name][0]
    assert text.startswith("Unknown field. ") and "Did you mean" not in text


@pytest.mark.parametrize("name", ["zzz", "", "a.b", "ü", "x" * 200], ids=["far", "empty", "dot", "letter", "long"])
def test_no_suggestion(app, one, name):
    assert check_error(publish(app, one, **{name: 1}), 422, "VALIDATION_ERROR", [name])["errors"][name] == ["Unknown field."]


def test_null_is_unknown_too(app, one):
    check_error(publish(app, one, draft=None), 422, "VALIDATION_ERROR", ["draft"])


def test_everything_is_told_at_once(app, one):
    wrong = {"contnet": "Hello", "accounts_ids": [one["x"]], "media": [{"link": "https://a.example/a.jpg", "type": "image"}]}
    body = check_error(app.request("POST", "/v1/posts/publish", json=wrong), 422, "VALIDATION_ERROR")
    assert body["errors"] == {
        "contnet": ["Unknown field. Did you mean content?"],
        "accounts_ids": ["Unknown field. Did you mean account_ids?"],
        "account_ids": ["A post must have 1 to 100 accounts."],
        "media.0.link": ["Unknown field. Did you mean url?"],
        "media.0.url": ["A media item needs a url, or the media_id of an uploaded file."],
    }
    assert body["message"].endswith("(and 4 more errors)")
    wrong = {"account_ids": [one["x"]], "contnet": "Hello"}
    body = check_error(app.request("POST", "/v1/posts/publish", json=wrong), 422, "VALIDATION_ERROR")
    assert set(body["errors"]) == {"contnet", "content"} and "A post needs" in body["errors"]["content"][0]


def test_suggestions_for_parameters(app):
    body = check_error(app.get("/v1/posts?state=published&page=0&user_ids[]=a&perPage=5"), 422, "VALIDATION_ERROR")
    assert body["errors"]["state"] == ["Unknown parameter. Did you mean status?"]
    assert body["errors"]["perPage"] == ["Unknown parameter. Did you mean per_page?"]
    assert body["errors"]["user_ids[]"] == ["Unknown parameter. Did you mean external_user_ids[]?"]
    assert "page" in body["errors"]
    answer = app.get("/v1/oauth/x/connect?user=u&redirect_uri=https://a.example")
    body = check_error(answer, 400, "MISSING_PARAMETERS", ["user_id", "redirect_url", "user", "redirect_uri"])
    assert body["errors"]["redirect_uri"] == ["Unknown parameter. Did you mean redirect_url?"]


def test_platform_options_stay_lenient(app, one):
    options = {"x": {TYPO: 1}, "myspace": {"a": 1}, "tiktok": {"privacy_level": "SELF_ONLY"}}
    answer = publish(app, one, platforms=options, scheduled_at=tomorrow())
    assert answer.status_code == 202, answer.text
    told = {warning["field"]: warning["message"] for warning in answer.json()["data"]["warnings"]}
    assert set(told) == {f"platforms.x.{TYPO}", "platforms.myspace", "platforms.tiktok"}
    assert told["platforms.tiktok"] == "No account of this post is on tiktok; its options were ignored."
    app.request("DELETE", f"/v1/posts/{answer.json()['data']['post_id']}")


def test_many_unknown_fields_are_cheap(app, one):
    names = {f"{index}scheduled_a{index}": index for index in range(9000)}
    body = check_error(publish(app, one, **names), 422, "VALIDATION_ERROR")
    assert len(body["errors"]) == 100
