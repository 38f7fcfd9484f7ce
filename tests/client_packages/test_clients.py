# SPDX-License-Identifier: Apache-2.0
"""The clients of clients/, as packages, against the running service: every test is done with each of them, on a way where answers get
lost and connections break (way.py). What they do stands in scenarios.mjs and scenarios.py."""
import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import socket
import subprocess
import time
import uuid

import pytest

from harness import ROOT, App, marker, poll, utc
from test_keys import create
from way import Way

UNAVAILABLE = json.dumps({"message": "The service is temporarily unavailable; nothing was stored. Try again.", "error": "UNAVAILABLE"})
LIMITED = json.dumps({"message": "Too many requests.", "error": "RATE_LIMITED"})
PUBLISH = ("POST", "/v1/posts/publish")
DRAFTS = ("POST", "/v1/drafts$")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # the example of the standard's own libraries


@pytest.fixture(scope="module")
def client(package):
    runner = package.runner()
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def customer(service):
    """An app of its own, with one account: what the tests count belongs to them."""
    app = App(service, name="customer", owner="customer@example.com").set_credentials("x").issue_token()
    app.one = app.connect("x").accounts[0]["id"]
    return app


@pytest.fixture
def way(service):
    with_mishaps = Way(service.url)
    yield with_mishaps
    assert with_mishaps.mishaps == [], "this never happened"
    with_mishaps.close()


@pytest.fixture
def settings(customer, way):
    return {"url": way.url, "token": customer.token}


def post_of(app, **more):
    return {"account_ids": [app.one], "content": marker("client"), "scheduled_at": utc(86400), **more}


def result(answer):
    assert "result" in answer, answer
    return answer["result"]


def error(answer, kind, **facts):
    assert "error" in answer, answer
    said = answer["error"]
    assert said["kind"] == kind, said
    for name, value in facts.items():
        assert said[name] == value, (name, said)
    return said


def counted(app, text, where="posts"):
    """How many posts (or drafts) of the app have this text."""
    rows = app.get(f"/v1/{where}", params={"per_page": 100}).json()["data"]
    return sum(text in json.dumps(row) for row in rows)


# ---- publishing, once ----


def test_a_post_is_published(client, customer, way, settings, sandbox):
    text = marker("client")
    done = result(client.run("publishAndWait", settings, post={"account_ids": [customer.one], "content": text}))
    assert done["status"] == "published" and done["platform_posts"][0]["url"].startswith("https://x.com/")
    assert len(sandbox.ledger(text)) == 1
    assert json.loads(way.of(*PUBLISH)[0]["body"])["request_id"] == done["request_id"]


@pytest.mark.parametrize("status, body, after", [(503, UNAVAILABLE, "0"), (429, LIMITED, "1")], ids=["503", "429"])
def test_what_the_service_did_not_do_is_sent_again(client, customer, way, settings, status, body, after):
    """Also what may be sent only once: the service says that nothing happened."""
    way.answer(*PUBLISH, status, body, Content_Type="application/json", Retry_After=after)
    way.answer(*DRAFTS, status, body, Content_Type="application/json", Retry_After="0")
    begun = time.monotonic()
    post = post_of(customer)
    accepted = result(client.run("publish", settings, post=post))
    assert time.monotonic() - begun >= int(after)
    assert "recovered" not in accepted and customer.show(accepted["post_id"])["status"] == "scheduled"
    tries = [json.loads(one["body"])["request_id"] for one in way.of(*PUBLISH)]
    assert len(tries) == 2 and tries[0] == tries[1] == accepted["request_id"]
    result(client.run("createDraft", settings, post=post_of(customer)))
    assert len(way.of(*DRAFTS)) == 2


def test_a_lost_answer_makes_no_second_post(client, customer, way, settings):
    way.lose_answer(*PUBLISH)
    post = post_of(customer, containers=[{"content": "One"}, {"content": "Two"}])
    accepted = result(client.run("publish", settings, post=post))
    shown = customer.show(accepted["post_id"])
    assert len(way.of(*PUBLISH)) == 2 and counted(customer, shown["request_id"]) == 1
    assert accepted["recovered"] is True and accepted["request_id"] == shown["request_id"]
    assert (accepted["status"], accepted["mode"], accepted["total_accounts"]) == ("scheduled", "advanced", 1)
    assert accepted["platform_posts"][0]["account_id"] == customer.one


def test_a_lost_answer_with_a_key_of_ones_own(client, customer, way, settings):
    way.lose_answer(*PUBLISH)
    post, key = post_of(customer), uuid.uuid4().hex
    accepted = result(client.run("publish", settings, post=post, key=key))
    assert "recovered" not in accepted and counted(customer, post["content"]) == 1
    assert [one["headers"]["Idempotency-Key"] for one in way.of(*PUBLISH)] == [key, key]


def test_a_key_that_may_only_publish_is_told_too(client, customer, way):
    way.lose_answer(*PUBLISH)
    post = post_of(customer, request_id=uuid.uuid4().hex)
    key = create(customer, "publish", name=uuid.uuid4().hex)["key"]
    accepted = result(client.run("publish", {"url": way.url, "token": key}, post=post))
    assert accepted["recovered"] is True and customer.show(accepted["post_id"])["request_id"] == post["request_id"]
    assert (accepted["request_id"], accepted["status"], accepted["total_accounts"]) == (post["request_id"], "scheduled", 1)


def test_a_lost_answer_of_a_draft_publishes_once(client, customer, way, settings):
    way.lose_answer("POST", "/v1/drafts/.*/publish")
    post = post_of(customer)
    accepted = result(client.run("publishDraft", settings, post=post))
    assert accepted["recovered"] is True and counted(customer, post["content"]) == 1


def test_what_may_happen_once_is_not_sent_again(client, customer, way, settings):
    """A lost answer, and a proxy's page: nobody knows whether the draft was made, and the error says so."""
    way.lose_answer(*DRAFTS)
    post = post_of(customer)
    error(client.run("createDraft", settings, post=post), "ConnectionError", outcomeUnknown=True)
    assert len(way.of(*DRAFTS)) == 1 and counted(customer, post["content"], "drafts") == 1
    way.answer(*DRAFTS, 503, "<html>Bad gateway</html>", Content_Type="text/html")
    said = error(client.run("createDraft", settings, post=post), "ServerError", code="UNEXPECTED_ANSWER", outcomeUnknown=True)
    assert said["status"] == 503 and len(way.of(*DRAFTS)) == 2


def test_a_proxys_page_is_no_reason_to_lose_a_post(client, customer, way, settings):
    way.answer(*PUBLISH, 502, "<html>Bad gateway</html>", Content_Type="text/html")
    post = post_of(customer)
    accepted = result(client.run("publish", settings, post=post))
    assert "recovered" not in accepted and counted(customer, post["content"]) == 1


def test_what_is_gone_after_a_lost_answer_was_deleted(client, customer, way, settings):
    way.lose_answer("DELETE", "/v1/drafts/")
    result(client.run("deleteDraft", settings, post=post_of(customer)))
    assert len(way.of("DELETE", "/v1/drafts/")) == 2


def test_a_repeat_that_is_refused_may_have_been_accepted(client, customer, way, settings):
    """The first try may have been accepted: the refusal of the second does not say that nothing happened."""
    way.answer(*PUBLISH, 502, "", Content_Type="text/html")
    said = error(client.run("publish", settings, post=post_of(customer, colour="red")), "ValidationError", outcomeUnknown=True)
    assert said["field"] == "colour"
    error(client.run("publish", settings, post=post_of(customer, colour="red")), "ValidationError", outcomeUnknown=False)


# ---- errors ----


def test_errors_have_a_kind_a_code_a_field_and_the_requests_id(client, customer, way, settings, service):
    said = error(client.run("publish", settings, post=post_of(customer, scheduledAt="now")), "ValidationError", status=422,
                 code="VALIDATION_ERROR", field="scheduledAt", outcomeUnknown=False)
    assert "scheduled_at" in said["errors"]["scheduledAt"][0]
    assert way.of(*PUBLISH)[0]["headers"]["X-Request-Id"] == said["requestId"]
    poll("the log has the request", lambda: f"request={said['requestId']}" in service.stderr())
    error(client.run("get", settings, id=str(uuid.uuid4())), "NotFoundError", status=404, code="NOT_FOUND")
    first = customer.accepted(customer.one, marker("client"), scheduled_at=utc(86400), request_id=uuid.uuid4().hex)
    said = error(client.run("publish", settings, post=post_of(customer, request_id=first["request_id"])), "DuplicateRequestError",
                 code="DUPLICATE_REQUEST", outcomeUnknown=False)
    assert said["post_id"] == first["post_id"]
    reader = create(customer, "read", name=uuid.uuid4().hex)["key"]
    said = error(client.run("publish", {**settings, "token": reader}, post=post_of(customer)), "PermissionError", code="INSUFFICIENT_SCOPE")
    assert said["details"]["required"] == "publish"
    error(client.run("get", {**settings, "token": "pht_wrong"}, id="1"), "AuthenticationError", code="UNAUTHENTICATED")


def test_a_full_quota_is_not_waited_for(client, customer, way, settings):
    body = json.dumps({"message": "Full.", "error": "QUOTA_EXCEEDED", "details": {"quota": "pending_posts", "limit": 1, "used": 1}})
    way.answer(*PUBLISH, 429, body, Content_Type="application/json")
    said = error(client.run("publish", settings, post=post_of(customer)), "QuotaError", outcomeUnknown=False)
    assert said["details"]["limit"] == 1 and len(way.of(*PUBLISH)) == 1


def test_a_long_wait_is_the_callers(client, customer, way, settings):
    way.answer(*PUBLISH, 429, LIMITED, Content_Type="application/json", Retry_After="3000")
    error(client.run("publish", settings, post=post_of(customer)), "RateLimitError")


def test_a_service_that_is_not_there(client, settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    nowhere = {**settings, "url": f"http://127.0.0.1:{port}", "retries": 1}
    error(client.run("createDraft", nowhere, post={}), "ConnectionError", outcomeUnknown=False)


def test_time_is_limited(client, way, settings):
    way.hold(*DRAFTS, 1)
    hurried = {**settings, "timeoutMs": 200}
    error(client.run("createDraft", hurried, post={}), "TimeoutError", outcomeUnknown=True)


def test_a_call_is_given_up(client, package, way, settings):
    """By an AbortSignal; in Python, where tasks are cancelled, by an option of this call."""
    way.hold("GET", "/v1/posts", 1)
    error(client.run("abort", settings), package.given_up)


# ---- tokens ----


def test_a_token_is_issued_and_issued_again(client, service, way):
    """The app's one token is void as soon as somebody issues another."""
    app = App(service, name="refresh", owner="customer@example.com").set_credentials("x").issue_token()
    credentials = {"url": way.url, "clientId": app.client_id, "clientSecret": app.client_secret}
    assert result(client.run("listTwice", credentials)) is True
    assert len(way.of("POST", "/v1/oauth/token")) == 1
    refused = '{"message": "Unauthenticated.", "error": "UNAUTHENTICATED"}'
    way.answer("GET", "/v1/posts", 401, refused, Content_Type="application/json", WWW_Authenticate="Bearer")
    assert result(client.run("listTwice", credentials)) is True
    assert len(way.of("POST", "/v1/oauth/token")) == 3
    error(client.run("listTwice", {**credentials, "clientSecret": "phs_wrong"}), "AuthenticationError", code="invalid_client_secret")


def test_processes_share_a_token(client, service, way, tmp_path):
    app = App(service, name="shared", owner="customer@example.com").set_credentials("x")
    credentials = {"url": way.url, "clientId": app.client_id, "clientSecret": app.client_secret, "store": str(tmp_path / "token.json")}
    for _ in range(2):
        result(client.run("kept", credentials))
    assert len(way.of("POST", "/v1/oauth/token")) == 1
    app.issue_token()  # somebody who does not share it
    result(client.run("kept", credentials))
    assert len(way.of("POST", "/v1/oauth/token")) == 2
    result(client.run("kept", credentials))
    assert len(way.of("POST", "/v1/oauth/token")) == 2


# ---- lists ----


def test_pages_and_events(client, service, way):
    app = App(service, name="lists", owner="customer@example.com").set_credentials("x").issue_token()
    app.one = app.connect("x").accounts[0]["id"]
    ids = [app.accepted(app.one, marker("client"), scheduled_at=utc(86400))["post_id"] for _ in range(5)]
    settings = {"url": way.url, "token": app.token}
    read = result(client.run("pages", settings, accounts=[app.one]))
    assert read == {"ids": ids[::-1], "taken": 3}
    last = app.published(app.one, marker("client"))["id"]
    seen = result(client.run("events", settings, id=last))
    assert seen["seen"] == sorted(set(seen["seen"])) and seen["rest"] == 0


def test_an_edit_of_what_changed_is_refused(client, customer, settings):
    made = customer.accepted(customer.one, marker("client"), scheduled_at=utc(86400))
    text = marker("edited")
    assert result(client.run("edit", settings, id=made["post_id"], content=text)) == {"edited": text, "late": "PreconditionError"}


# ---- files ----


@pytest.fixture
def slides(tmp_path):
    path = tmp_path / "slides.pdf"
    path.write_bytes(b"%PDF-1.4\n" + os.urandom(700_000) + b"\n%%EOF\n")
    return path


def assert_whole(app, done, path):
    file = app.get(f"/v1/media/{done['media_id']}").json()["data"]
    assert file["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    return file


@pytest.mark.parametrize("by", ["token", "link"])
def test_an_upload_goes_on_after_a_break(client, customer, way, settings, slides, by):
    """A piece breaks off in its middle, and the answer to the last piece is lost."""
    link = customer.post("/v1/media/links", json={}).json()["data"] if by == "link" else None
    way.cut_body("PATCH", "/v1/media/", 100_000)
    address = link["upload_url"].replace(customer.service.url, way.url) if link else None
    done = result(client.run("upload", settings, file=str(slides), chunk=300_000, link=address))
    assert_whole(customer, done, slides)
    size = slides.stat().st_size
    assert done["progress"][0] == [0, size] and done["progress"][-1] == [size, size]
    assert done["progress"] == sorted(done["progress"]) and [100_000, size] in done["progress"]
    assert assert_whole(customer, done, slides)["file_name"] == "slides.pdf"
    if link:
        assert done["media_id"] == link["media_id"]
        assert all("Authorization" not in one["headers"] for one in way.requests)
        error(client.run("upload", settings, file=str(slides), chunk=300_000, link=address), "ConflictError", code="LINK_USED")


def test_an_upload_whose_last_answer_is_lost(client, customer, way, settings, slides):
    way.lose_answer("PATCH", "/v1/media/")
    done = result(client.run("upload", settings, file=str(slides), chunk=1_000_000))
    assert_whole(customer, done, slides)
    assert len(way.of("PATCH", "/v1/media/")) == 1 and len(way.of("HEAD", "/v1/media/")) == 1
    assert base64.b64decode(result(client.run("download", settings, id=done["media_id"]))) == slides.read_bytes()


def test_an_upload_goes_on_in_another_process(client, customer, settings, slides):
    done = result(client.run("uploadInTwoLives", settings, file=str(slides), chunk=300_000))
    assert (done["first"], done["start"]) == ("AbortedError", 300_000)
    assert_whole(customer, done, slides)


def test_what_is_no_media_is_refused(client, settings, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("No picture.")
    error(client.run("upload", settings, file=str(words), chunk=1000), "ValidationError", code="UNSUPPORTED_MEDIA_TYPE")


# ---- webhooks ----


def signed(body, secrets=(SECRET,), at=1_700_000_000, event_id="msg_1"):
    """The headers of a call, and the task to verify it."""
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    macs = [base64.b64encode(hmac.new(key, f"{event_id}.{at}.".encode() + body, "sha256").digest()).decode() for key in keys]
    headers = {"Webhook-Id": event_id, "webhook-timestamp": str(at), "webhook-signature": " ".join(f"v1,{mac}" for mac in macs)}
    return {"secret": SECRET, "headers": headers, "body": base64.b64encode(body).decode(), "now": at + 10}


def test_a_genuine_call_is_told_from_others(client):
    body, other = '{"type": "test", "text": "Grüße"}'.encode(), "whsec_" + base64.b64encode(b"another secret").decode()
    good = signed(body)
    for task in (good, signed(body, secrets=(other, SECRET)), {**signed(body), "secret": [other, SECRET]}):
        assert result(client.run("verify", **task)) == json.loads(body)
    headers = good["headers"]
    wrong = [
        signed(body, secrets=(other,)),
        {**good, "body": base64.b64encode(body + b" ").decode()},
        {**good, "now": good["now"] + 300},
        {**good, "now": good["now"] - 320},
        {**good, "headers": {**headers, "Webhook-Id": "msg_2"}},
        {**good, "headers": {**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}},
        {**good, "headers": {**headers, "webhook-signature": "v1,AAAA v1,=== v1,"}},
        {**good, "headers": {**headers, "webhook-timestamp": "1e9"}},
        {**good, "headers": {}},
        {**signed(body, secrets=("whsec_",)), "secret": "whsec_"},
    ]
    for task in wrong:
        error(client.run("verify", **task), "WebhookVerificationError")


# ---- types ----

MYPY_S = 120


@pytest.mark.skipif(not os.environ.get("POSTHORN_LONG"), reason="mypy reads for 10 s; set POSTHORN_LONG=1")
def test_the_python_package_is_strictly_typed():
    """And what a caller writes is checked: a wrong name, a wrong value, an answer that is not awaited."""
    if shutil.which("mypy") is None:
        pytest.skip("needs mypy (./dev test installs the Debian package)")
    source = ROOT / "clients/python/src"
    command = ["mypy", "--strict", "--cache-dir", "/dev/null", "--no-error-summary", str(source / "posthorn"),
               str(ROOT / "tests/client_packages/typed_use.py")]
    done = subprocess.run(command, env={**os.environ, "MYPYPATH": str(source)}, capture_output=True, text=True, timeout=MYPY_S, check=False)
    lines = (ROOT / "tests/client_packages/typed_use.py").read_text().splitlines()
    wanted = [number for number, line in enumerate(lines, 1) if "# wrong" in line]
    assert [int(number) for number in re.findall(r"typed_use.py:(\d+): error", done.stdout)] == wanted, done.stdout
