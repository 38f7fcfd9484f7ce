# SPDX-License-Identifier: Apache-2.0
"""The examples of the description are answers of a run, not inventions: one walk calls every route of the table and meets the errors that
a customer meets, and api/examples.json must hold what was answered. With POSTHORN_RECORD=1 the walk writes the file. What differs from run
to run (ids, times, secrets, addresses) is replaced by texts of the same form."""
import json
import os
import re
import urllib.parse

import pytest

from checker import WATCH
from harness import CUSTOMER_URL, ROOT, App, Sandbox, Service, basic, follow_return, poll
from mcp_client import Mcp
from test_conventions import FILLING
from test_frame import OPERATIONS
from test_keys import create
from test_people import signed
from test_webhooks import Receiver

EXAMPLES = ROOT / "api/examples.json"
OURS = "https://posthorn.example"
HOOK = "https://customer.example/hooks/posthorn"
SCHEDULED, MOVED = "2027-06-01T09:00:00Z", "2027-06-01T10:30:00Z"
TIME = "2027-01-15T08:00:00Z"
FILLER = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# pattern, replacement; {n} numbers the different values of a walk.
REPLACED = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"), "01990000-0000-7000-8000-{n:012d}"),
    (re.compile(r"conn_[0-9a-f]{32}"), "conn_{n:032d}"),
    (re.compile(r"\b(?:pht|phk|pcf)_[0-9A-Za-z_-]{43}"), None),
    (re.compile(r"whsec_[0-9A-Za-z+/=]+"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "0123456789abcdef" * 4),
    (re.compile(r"links/[0-9A-Za-z_-]{43}"), "links/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq"),
    (re.compile(r"(state|code_challenge)=[^&\"]+"), r"\1=..."),
    (re.compile(r"[0-9a-f]{32}/(picture\.jpg)"), r"\1"),
    # ids that the sandbox's platforms count up
    (re.compile(r"\b[12][0-9]{18}\b"), "1{n:018d}"),
]
JSON = {"Content-Type": "application/json"}
FIGURES = {"duration_ms": 182, "next_cursor": "128"}


class Recorder:
    """Keeps what was answered, with everything that differs from run to run replaced."""

    def __init__(self, app, sandbox, places):
        self.app, self.service, self.operations, self.errors, self.numbers = app, app.service, {}, {"Error": {}, "OauthError": {}}, {}
        quoted = urllib.parse.quote(self.service.url, safe=""), urllib.parse.quote(OURS, safe="")
        self.places = [*places, quoted, (self.service.url, OURS), (f"{sandbox.url}/", "https://"), ("sandbox-x", "your-client-id")]

    def text(self, text):
        for place, shown in self.places:
            text = text.replace(place, shown)
        for pattern, replacement in REPLACED:
            seen = self.numbers.setdefault(pattern, {})

            def replaced(found, seen=seen, replacement=replacement):
                number = seen.setdefault(found[0], len(seen) + 1)
                if replacement is None:
                    return found[0][:4] + FILLER[:43]
                return found.expand(replacement) if "\\" in replacement else replacement.format(n=number)

            text = pattern.sub(replaced, text)
        return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", lambda found: found[0] if found[0] in (SCHEDULED, MOVED) else TIME, text)

    def value(self, value, key=None):
        if isinstance(value, dict):
            return {self.text(name): self.value(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if key in FIGURES and value is not None:
            return FIGURES[key]
        return self.text(value) if isinstance(value, str) else value

    def keep(self, operation, answer):
        """The first answer of an operation is its example; an empty one is null."""
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        self.operations[operation] = {"status": answer.status_code, "answer": self.value(answer.json()) if is_json else None}
        return answer

    def call(self, operation, status, **more):
        """Calls the operation with the app's token, unless authorization= is given (None: without); captures fill the path."""
        method, path = OPERATIONS[operation]
        names = re.findall(r"\{(\w+)\}", path)
        path = re.sub(r"\{(\w+)\}", lambda found: more[found[1]], path)
        more = {name: value for name, value in more.items() if name not in names}
        authorization = more.pop("authorization", f"Bearer {self.app.token}")
        headers = {**more.pop("headers", {}), **({"Authorization": authorization} if authorization else {})}
        answer = self.service.request(method, "/v1" + path, headers=headers, **more)
        assert answer.status_code == status, f"{operation}: {answer.status_code} {answer.text}"
        return answer

    def walk(self, operation, status, **more):
        answer = self.keep(operation, self.call(operation, status, **more))
        return answer.json() if answer.content and self.operations[operation]["answer"] is not None else None

    def refused(self, operation, status, code, **more):
        body = self.call(operation, status, **more).json()
        assert body["error"] == code, body
        self.errors["OauthError" if "error_description" in body else "Error"].setdefault(code, self.value(body))


# ---- the walk ----


def walk_token(record):
    app = record.app
    credentials = basic(app.client_id, app.client_secret)
    grant = {"grant_type": "client_credentials"}
    app.token = record.walk("issueToken", 200, authorization=credentials, data=grant)["access_token"]
    record.walk("revokeToken", 200, authorization=credentials, data={"token": create(app, "read")["key"]})
    record.refused("issueToken", 400, "invalid_authorization_header", authorization=None, data=grant)
    record.refused("issueToken", 400, "invalid_authorization_format", authorization="Basic !", data=grant)
    record.refused("issueToken", 401, "invalid_client_id", authorization=basic("phc_none", "x"), data=grant)
    record.refused("issueToken", 401, "invalid_client_secret", authorization=basic(app.client_id, "x"), data=grant)
    record.refused("issueToken", 422, "VALIDATION_ERROR", authorization=credentials, data={"grant_type": "password"})
    record.refused("issueToken", 415, "UNSUPPORTED_MEDIA_TYPE", authorization=credentials, json=grant)
    record.refused("revokeToken", 400, "invalid_request", authorization=credentials, data={})


def walk_connection(record):
    """The account of user-42 on X, with confirmation on."""
    app = record.app
    assert app.cli("app", "set", app.client_id, "--connect-confirmation", "on").returncode == 0
    wanted = {"user_id": "user-42", "redirect_url": CUSTOMER_URL}
    record.walk("beginConnection", 200, platform="x", params=wanted)
    begun = record.walk("beginConnectionByBody", 200, json={"platform": "x", **wanted})
    returned = record.keep("connectionCallback", follow_return(app.consent(begun)))
    token = re.search(r"confirmation_token=([^&]+)", returned.headers["Location"])[1]
    connection = {"connection_id": begun["connection_id"]}
    confirmation = {"confirmation_token": token, "user_id": "user-42"}
    record.refused("confirmConnection", 422, "VALIDATION_ERROR", json={"user_id": "user-42"}, **connection)
    record.walk("confirmConnection", 200, json=confirmation, **connection)
    account = record.walk("getConnectionAccounts", 200, **connection)["accounts"][0]["id"]
    record.refused("beginConnection", 404, "PLATFORM_NOT_FOUND", platform="myspace", params=wanted)
    record.refused("beginConnection", 400, "MISSING_PARAMETERS", platform="x")
    record.refused("beginConnection", 400, "CREDENTIALS_NOT_FOUND", platform="youtube", params=wanted)
    record.refused("getConnectionAccounts", 404, "CONNECTION_NOT_FOUND", connection_id=FILLING["connection_id"])
    return account


def walk_accounts(record, account):
    record.walk("listAccounts", 200, params={"per_page": 1})
    record.walk("getAccount", 200, account_id=account)
    record.walk("checkAccount", 200, account_id=account)
    record.refused("getAccount", 404, "NOT_FOUND", account_id=FILLING["account_id"])


def walk_posts(record, account, picture, sandbox):
    post = {"request_id": "order-1001", "account_ids": [account], "content": "Walnut bread, fresh from the oven",
            "media": [{**picture, "alt_text": "A loaf on a board"}]}
    record.walk("validatePost", 200, json={**post, "fetch": True})
    made = record.walk("publishPost", 202, json=post)["data"]["post_id"]
    assert record.app.wait_post(made)["status"] == "published"
    record.walk("listPosts", 200, params={"per_page": 1})
    record.walk("getPost", 200, post_id=made)
    record.walk("getPostTimeline", 200, post_id=made)
    record.refused("publishPost", 409, "DUPLICATE_REQUEST", json=post)
    record.refused("cancelPost", 409, "TOO_LATE", post_id=made)
    keyed = {"account_ids": [account], "content": "Seeded bread", "scheduled_at": SCHEDULED}
    headers = {"Idempotency-Key": "order-1002"}
    record.call("publishPost", 202, json=keyed, headers=headers)
    record.refused("publishPost", 422, "IDEMPOTENCY_KEY_REUSED", json={**keyed, "content": "Other bread"}, headers=headers)
    record.refused("retryPost", 409, "NOTHING_TO_RETRY", json={}, post_id=made)
    later = record.call("publishPost", 202, json={"account_ids": [account], "content": "Rye bread", "scheduled_at": SCHEDULED}).json()
    moved = {"content": "Rye bread, a day later", "scheduled_at": MOVED}
    record.walk("editPost", 200, json=moved, post_id=later["data"]["post_id"])
    record.refused("editPost", 412, "PRECONDITION_FAILED", json=moved, post_id=later["data"]["post_id"], headers={"If-Match": '"other"'})
    record.walk("cancelPost", 204, post_id=later["data"]["post_id"])
    sandbox.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden", "detail": "Not permitted.", "status": 403})
    refused = record.call("publishPost", 202, json={"account_ids": [account], "content": "Rolls"}).json()["data"]["post_id"]
    assert record.app.wait_post(refused)["status"] == "failed"
    sandbox.clear_faults()
    # Paused, so that the answer does not depend on how far the delivery has come meanwhile.
    assert record.app.cli("pause", "--app", record.app.client_id).returncode == 0
    many = {"account_ids": [account], "error_codes": ["PERMISSION_MISSING", "PLATFORM_REJECTED"]}
    assert record.call("retryPosts", 200, json={**many, "dry_run": True}).json()["data"]["count"] == 1
    record.refused("retryPosts", 409, "COUNT_CHANGED", json={**many, "expect": 2})
    record.walk("retryPosts", 202, json={**many, "expect": 1})
    assert record.app.cli("resume", "--app", record.app.client_id).returncode == 0
    assert record.app.wait_post(refused)["status"] == "published"
    sandbox.fault("x", "POST", "/2/tweets", "status", status=403, body={"title": "Forbidden", "detail": "Not permitted.", "status": 403})
    refused = record.call("publishPost", 202, json={"account_ids": [account], "content": "Buns"}).json()["data"]["post_id"]
    assert record.app.wait_post(refused)["status"] == "failed"
    sandbox.clear_faults()
    assert record.app.cli("pause", "--app", record.app.client_id).returncode == 0
    record.walk("retryPost", 202, json={}, post_id=refused)
    record.refused("unpublishPost", 409, "NOT_PUBLISHED", json={}, post_id=refused)
    record.walk("unpublishPost", 202, json={"account_ids": [account]}, post_id=made)
    assert record.app.cli("resume", "--app", record.app.client_id).returncode == 0
    assert record.app.wait_post(refused)["status"] == "published"


def walk_drafts(record, account):
    post = {"account_ids": [account], "content": "Walnut bread, half price"}
    made = record.walk("createDraft", 201, json={**post, "scheduled_at": "2020-01-01T09:00:00Z"})["data"]["id"]
    record.walk("listDrafts", 200, params={"per_page": 1})
    record.walk("rejectDraft", 200, json={"reason": "The price is wrong."}, draft_id=made)
    record.walk("changeDraft", 200, json={"content": "Walnut bread, a third off", "scheduled_at": None}, draft_id=made)
    record.walk("getDraft", 200, draft_id=made)
    record.walk("publishDraft", 202, json={"scheduled_at": SCHEDULED}, draft_id=made)
    other = record.call("createDraft", 201, json=post).json()["data"]["id"]
    record.walk("deleteDraft", 204, draft_id=other)


def walk_media(record):
    app, pdf = record.app, b"%PDF-1.4\n% walnut bread\n%%EOF\n"
    tus = {"Tus-Resumable": "1.0.0"}
    offset = {**tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
    record.refused("uploadMedia", 415, "UNSUPPORTED_MEDIA_TYPE", data=b"no picture")
    made = record.walk("uploadMedia", 201, data=pdf, headers={"Content-Disposition": 'attachment; filename="recipe.pdf"'})["data"]
    record.walk("listMedia", 200, params={"per_page": 1})
    record.walk("getMedia", 200, media_id=made["id"])
    record.walk("getMediaContent", 200, media_id=made["id"])
    app.post("/v1/drafts", json={"content": "a", "platforms": {"linkedin": {"document": {"url": made["id"], "title": "a"}}}})
    record.refused("deleteMedia", 409, "MEDIA_IN_USE", media_id=made["id"])
    record.walk("deleteMedia", 204, media_id=record.call("uploadMedia", 201, data=pdf).json()["data"]["id"])
    begun = record.keep("createUpload", record.call("createUpload", 201, headers={**tus, "Upload-Length": str(len(pdf))}))
    place = {"upload_id": begun.headers["Location"].rsplit("/", 1)[1]}
    record.walk("continueUpload", 204, data=pdf[:5], headers=offset, **place)
    record.walk("getUpload", 200, **place)
    record.refused("continueUpload", 409, "UPLOAD_CONFLICT", data=pdf, headers=offset, **place)
    record.walk("deleteUpload", 204, headers=tus, **place)
    by = {"authorization": None}
    link = {"token": record.walk("createUploadLink", 201, json={"expires_in": 3600})["data"]["upload_url"].rsplit("/", 1)[1]}
    begun = record.keep("createUploadByLink", record.call("createUploadByLink", 201, headers={**tus, "Upload-Length": "9"}, **link, **by))
    place = {**link, "upload_id": begun.headers["Location"].rsplit("/", 1)[1]}
    record.walk("continueUploadByLink", 204, data=pdf[:5], headers=offset, **place, **by)
    record.walk("getUploadByLink", 200, headers=tus, **place, **by)
    record.walk("deleteUploadByLink", 204, headers=tus, **place, **by)
    record.walk("putByLink", 201, data=pdf, **link, **by)
    record.refused("putByLink", 409, "LINK_USED", data=pdf, **link, **by)


def walk_post_errors(record, account, picture):
    text = {"account_ids": [account], "content": "Walnut bread"}
    key = f"Bearer {create(record.app, 'read')['key']}"
    record.refused("publishPost", 401, "UNAUTHENTICATED", authorization=None, json=text)
    record.refused("publishPost", 403, "INSUFFICIENT_SCOPE", authorization=key, json=text)
    record.refused("publishPost", 400, "MALFORMED_JSON", data='{"content": "Walnut bread",}', headers=JSON)
    record.refused("publishPost", 415, "UNSUPPORTED_MEDIA_TYPE", data={"content": "x"})
    record.refused("publishPost", 422, "INVALID_ACCOUNT", json={**text, "account_ids": [FILLING["account_id"]]})
    record.refused("publishPost", 422, "INVALID_MEDIA", json={**text, "media": [{**picture, "url": "ftp://customer.example/a.jpg"}]})
    record.refused("publishPost", 422, "INVALID_SCHEDULE", json={**text, "scheduled_at": "tomorrow"})
    record.refused("publishPost", 413, "PAYLOAD_TOO_LARGE", json={**text, "content": "x" * (2 << 20)})


def walk_webhooks(record, receiver):
    wanted = {"url": f"{receiver.url}/hook", "events": ["post.publish.failed", "post.completed"]}
    made = record.walk("createWebhook", 201, json=wanted)["data"]
    hook = {"webhook_id": made["id"]}
    record.walk("listWebhooks", 200)
    record.walk("getWebhook", 200, **hook)
    record.walk("updateWebhook", 200, json={"events": ["post.completed"]}, **hook)
    record.walk("testWebhook", 202, **hook)

    def delivered():
        rows = record.call("listWebhookDeliveries", 200, **hook).json()["data"]
        return rows and rows[0]["state"] == "succeeded"

    poll("the test event was delivered", delivered)
    record.walk("listWebhookDeliveries", 200, **hook)
    record.walk("rotateWebhookSecret", 200, **hook)
    record.call("updateWebhook", 200, json={"enabled": False}, **hook)
    record.refused("testWebhook", 409, "WEBHOOK_DISABLED", **hook)
    record.walk("deleteWebhook", 204, **hook)


def walk_service(record):
    record.walk("listEvents", 200, params={"after": 0, "limit": 2})
    record.walk("listPlatforms", 200)
    agent = Mcp(record.service, record.app.token)
    asked = {**agent.message("tools/call", {"name": "list_accounts", "arguments": {"platform": "x"}}), "id": 1}
    record.keep("callMcp", agent.send(asked, agent.headers("tools/call", "list_accounts")))
    record.keep("getHealth", record.service.request("GET", "/healthz"))
    record.keep("getReadiness", record.service.request("GET", "/readyz"))


def walk_people(record):
    """After all else: user-42 is gone afterwards."""
    record.app.set_credentials("facebook")
    wanted = signed("123456789")
    record.walk("metaDeauthorize", 200, platform="facebook", authorization=None, data=wanted)
    code = record.walk("metaDataDeletion", 200, platform="facebook", authorization=None, data=wanted)["confirmation_code"]
    record.walk("metaDeletionStatus", 200, platform="facebook", code=code, authorization=None)
    record.refused("metaDeauthorize", 400, "INVALID_SIGNATURE", platform="facebook", authorization=None, data={})
    record.walk("getUser", 200, user_id="user-42", params={"per_page": 1})
    record.walk("eraseUser", 202, user_id="user-42", params={"confirm": "user-42"})


def walk_states(record):
    """Apps that may not, and the limit."""
    app = record.app
    draft = App(app.service, name="draft", owner="owner@example.com", live=False)
    grant = {"grant_type": "client_credentials"}
    record.refused("issueToken", 409, "app_not_live", authorization=basic(draft.client_id, draft.client_secret), data=grant)
    orphan = App(app.service, name="orphan", owner="gone@example.com")
    assert orphan.cli("admin", "delete", "gone@example.com").returncode == 0
    record.refused("issueToken", 404, "admin_not_found", authorization=basic(orphan.client_id, orphan.client_secret), data=grant)
    assert app.cli("app", "suspend", app.client_id).returncode == 0
    record.refused("issueToken", 403, "app_not_active", authorization=basic(app.client_id, app.client_secret), data=grant)
    record.refused("listPosts", 403, "app_not_active")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, own_sandbox, media):
    """{"operations": {operation: {status, answer}}, "errors": {component: [body]}} of the whole walk."""
    sandbox, receiver = own_sandbox, Receiver()
    with Service(tmp_path_factory.mktemp("examples") / "data", sandbox, ["--time-scale", "1000"]) as service:
        app = App(service, name="Bakery").set_credentials("x")
        record = Recorder(app, sandbox, [(f"{receiver.url}/hook", HOOK), (media.url, "https://cdn.customer.example")])
        walk_token(record)
        account = walk_connection(record)
        walk_accounts(record, account)
        walk_posts(record, account, media.image(), sandbox)
        walk_drafts(record, account)
        walk_media(record)
        walk_post_errors(record, account, media.image())
        walk_webhooks(record, receiver)
        walk_service(record)
        record.walk("disconnectAccount", 204, account_id=account)
        walk_people(record)
        walk_states(record)
    receiver.close()
    return {"operations": record.operations, "errors": {name: list(bodies.values()) for name, bodies in record.errors.items()}}


@pytest.fixture(scope="module")
def own_sandbox():
    """One of its own: the ids and limits of another test's calls must not show in the examples."""
    with Sandbox() as process:
        yield process


# ---- the tests ----


@pytest.fixture(scope="module")
def stored(recorded):
    if os.environ.get("POSTHORN_RECORD"):
        EXAMPLES.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n")
    return json.loads(EXAMPLES.read_text())


def test_every_route_has_an_example(recorded):
    assert set(OPERATIONS) - set(recorded["operations"]) == set()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_example_is_what_is_answered(recorded, stored, operation):
    assert stored["operations"][operation] == recorded["operations"][operation], "record the examples again with POSTHORN_RECORD=1"


def test_the_errors_are_what_is_answered(recorded, stored):
    assert stored["errors"] == recorded["errors"], "record the examples again with POSTHORN_RECORD=1"
    assert set(stored["operations"]) == set(recorded["operations"])


def test_the_description_has_the_recorded_ones(service, stored):
    """What /openapi.json shows is the stored file, to the letter, and nothing that nobody recorded."""
    described = service.request("GET", "/openapi.json").json()
    shown = 0
    for shared in described["paths"].values():
        for operation in shared.values():
            for status, answer in operation["responses"].items() if isinstance(operation, dict) and "responses" in operation else ():
                content = WATCH.checker.resolve(answer).get("content", {}).get("application/json")
                if status >= "400" or content is None or operation["operationId"] == "getDescription":
                    continue
                example = stored["operations"][operation["operationId"]]
                if str(example["status"]) == status:
                    assert content["example"] == example["answer"] or "$ref" in answer, operation["operationId"]
                    shown += 1
    assert shown >= 22
    for name, errors in stored["errors"].items():
        content = described["components"]["responses"][name]["content"]["application/json"]
        assert {code: example["value"] for code, example in content["examples"].items()} == {error["error"]: error for error in errors}


def test_the_description_has_no_answer_by_hand():
    text = (ROOT / "api/openapi.yaml").read_text()
    for block in re.findall(r'^        "2\d\d":\n((?:          .*\n)+)', text, re.M):
        assert "example" not in block


def test_examples_keep_to_the_description(service, stored):
    described = service.request("GET", "/openapi.json").json()
    for name, errors in stored["errors"].items():
        schema = described["components"]["responses"][name]["content"]["application/json"]["schema"]
        for error in errors:
            WATCH.checker.validate(schema, error, error["error"])
