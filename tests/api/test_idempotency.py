# SPDX-License-Identifier: Apache-2.0
"""Idempotency-Key on publish (api-decisions.md 15): a repeat is answered with the first 202, whatever has changed meanwhile."""
import concurrent.futures
import json
import uuid

import pytest

from harness import App, Service, check_error, marker, stores_nothing, utc


@pytest.fixture(scope="module")
def own(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("keys") / "data", sandbox) as process:
        app = App(process, name="keys").set_credentials("x").issue_token()
        app.one = app.account("x")
        yield app


def body_of(app, text=None, **more):
    return json.dumps({"account_ids": [app.one], "content": text or marker("key"), "scheduled_at": utc(86400), **more})


def publish(app, key, body):
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    return app.post("/v1/posts/publish", data=body.encode(), headers=headers)


def test_a_repeat_is_answered_alike(own):
    key, body = uuid.uuid4().hex, body_of(own, platforms={"x": {"colour": "red"}})
    first = publish(own, key, body)
    assert first.status_code == 202 and "Idempotency-Replayed" not in first.headers
    assert first.json()["data"]["warnings"]
    with stores_nothing(own):
        for _ in range(2):
            again = publish(own, key, body)
            assert (again.status_code, again.content) == (202, first.content)
            assert again.headers["Idempotency-Replayed"] == "true"
        check_error(publish(own, key, body + " "), 422, "IDEMPOTENCY_KEY_REUSED")
        check_error(publish(own, key, "{"), 422, "IDEMPOTENCY_KEY_REUSED")
    # The key is no request_id.
    assert own.show(first.json()["data"]["post_id"])["request_id"] != key
    assert publish(own, uuid.uuid4().hex, body_of(own, request_id=key)).status_code == 202


def test_it_is_looked_at_before_all_that_can_change(own, sandbox):
    """The account is gone, and the post was cancelled: a repeat of what was accepted is told what it was told."""
    key = uuid.uuid4().hex
    account = own.connect("x", user_id=f"leaves {key}").accounts[0]["id"]
    body = json.dumps({"account_ids": [account], "content": marker("gone"), "scheduled_at": utc(86400)})
    first = publish(own, key, body)
    assert first.status_code == 202, first.text
    own.request("DELETE", f"/v1/posts/{first.json()['data']['post_id']}")
    own.request("DELETE", f"/v1/accounts/{account}")
    check_error(publish(own, uuid.uuid4().hex, body), 422, "INVALID_ACCOUNT")
    assert publish(own, key, body).content == first.content


def test_a_refused_request_does_not_use_it_up(own):
    key = uuid.uuid4().hex
    check_error(publish(own, key, body_of(own, "a" * 300)), 422, "VALIDATION_ERROR")
    check_error(publish(own, key, "{"), 400, "MALFORMED_JSON")
    assert publish(own, key, body_of(own)).status_code == 202


def test_calls_at_the_same_time_get_the_same_answer(own):
    key, body = uuid.uuid4().hex, body_of(own)
    before = own.total()
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: publish(own, key, body), range(36)))
    assert {(answer.status_code, answer.content) for answer in answers} == {(202, answers[0].content)}
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers].count(None) == 1
    assert own.total() == before + 1


def test_a_request_id_rules(own):
    key, request_id = uuid.uuid4().hex, uuid.uuid4().hex
    body = body_of(own, request_id=request_id)
    first = publish(own, key, body)
    assert first.status_code == 202
    assert check_error(publish(own, key, body), 409, "DUPLICATE_REQUEST")["details"]["post_id"] == first.json()["data"]["post_id"]
    # Such a call has not used the key, and looks at none that was.
    assert publish(own, key, body_of(own)).status_code == 202
    assert publish(own, key, body_of(own, request_id=uuid.uuid4().hex)).status_code == 202


def test_each_app_has_its_own(own, sandbox):
    other = App(own.service, name="others keys").set_credentials("x").issue_token()
    other.one, key = other.account("x"), uuid.uuid4().hex
    assert publish(own, key, body_of(own)).status_code == 202
    answer = publish(other, key, body_of(other))
    assert answer.status_code == 202 and "Idempotency-Replayed" not in answer.headers


@pytest.mark.parametrize("key", ["", "x" * 129, "a b", "\xfc"], ids=["empty", "long", "blank", "not ASCII"])
def test_a_bad_key(own, key):
    with stores_nothing(own):
        check_error(publish(own, key, body_of(own)), 422, "VALIDATION_ERROR", ["Idempotency-Key"])


def test_other_routes_ignore_it(own):
    headers = {"Content-Type": "application/json", "Idempotency-Key": ""}
    assert own.post("/v1/posts/validate", data=body_of(own), headers=headers).status_code == 200
