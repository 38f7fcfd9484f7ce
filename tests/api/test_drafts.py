# SPDX-License-Identifier: Apache-2.0
"""Drafts (api-decisions.md 13): incomplete posts with their problems, reviewed by people, published in one transaction."""
import concurrent.futures

import pytest

from harness import App, Service, check_error, marker, stores_nothing, utc
from test_keys import create
from test_quotas import quota

NOBODY = "019a1fcd-7451-7617-8dc3-203f49eaf280"
MEMBERS = ("request_id", "account_ids", "content", "type", "media", "containers", "platforms", "overrides", "scheduled_at", "max_lateness")


@pytest.fixture(scope="module")
def own(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("drafts") / "data", sandbox, ["--time-scale", "100"]) as process:
        app = App(process, name="drafts").set_credentials("x", "facebook").issue_token()
        app.one = app.account("x")
        yield app


def draft(app, **body):
    answer = app.post("/v1/drafts", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def publish(app, draft_id, body=None, **headers):
    return app.post(f"/v1/drafts/{draft_id}/publish", json=body, headers=headers)


def fields(found):
    return {(one["field"], one["code"]) for one in found["problems"]}


def test_an_empty_one_tells_its_problems(own):
    made = draft(own)
    assert fields(made) == {("account_ids", "required"), ("content", "required")}
    assert made["review"] == {"state": "open", "reason": None, "by": None, "at": None}
    assert made["created_by"] and [made[member] for member in MEMBERS] == [None] * len(MEMBERS)
    assert own.get(f"/v1/drafts/{made['id']}").json()["data"] == made


def test_what_publishing_would_refuse(own):
    assert draft(own, account_ids=[own.one], content="fine")["problems"] == []
    assert fields(draft(own, account_ids=[own.one], content="a" * 300)) == {("content", "text_too_long")}
    assert fields(draft(own, account_ids=[own.one, NOBODY], content="a")) == {("account_ids.1", "unknown")}
    past = draft(own, account_ids=[own.one], content="a", scheduled_at="2020-01-01T00:00:00Z")
    assert fields(past) == {("scheduled_at", "in_the_past")}
    assert fields(draft(own, account_ids=[own.one], content="a", overrides={"linkedin": {"content": "b"}})) == {
        ("overrides.linkedin", "not_a_target")}
    assert fields(draft(own, account_ids=[own.one], content="a", overrides={"x": {"content": "b" * 300}})) == {
        ("overrides.x.content", "text_too_long")}


def test_what_publishing_would_warn_of(own):
    made = draft(own, account_ids=[own.one], content="a", platforms={"linkedin": {"visibility": "PUBLIC"}})
    assert made["problems"] == [] and [warning["field"] for warning in made["warnings"]] == ["platforms.linkedin"]
    assert own.get(f"/v1/drafts/{made['id']}").json()["data"]["warnings"] == made["warnings"]


def test_it_keeps_everything_as_it_was_given(own):
    media = [{"url": "https://cdn.customer.example/a.jpg", "media_id": None, "type": "image", "alt_text": "A loaf",
              "thumbnail_url": "https://cdn.customer.example/b.jpg", "duration": 3, "mime_type": "image/jpeg", "fit": "off"}]
    containers = [{"type": "post", "content": "One", "media": media}, {"content": "Two"}]
    body = {"request_id": "mine", "account_ids": [own.one], "content": "a", "type": "post", "media": media, "containers": containers,
            "platforms": {"x": {"reply_settings": "following"}}, "scheduled_at": utc(86400), "max_lateness": 600,
            "overrides": {"x": {"content": "b", "type": "post", "media": media, "options": {"made_with_ai": True}, "fit": "pad"},
                          own.one: {"containers": containers}}}
    made = draft(own, **body)
    assert {member: made[member] for member in MEMBERS} == body


def test_an_event_about_one_that_is_gone_names_it(own):
    made = draft(own, content="soon gone")
    assert own.request("DELETE", f"/v1/drafts/{made['id']}").status_code == 204
    told = [event["data"] for event in own.get("/v1/events", params={"limit": 100}).json()["data"] if event["type"] == "draft.created"]
    assert {"id": made["id"]} in told


@pytest.mark.parametrize("body, field", [
    ({"content": 7}, "content"), ({"account_ids": "a"}, "account_ids"), ({"contents": "a"}, "contents"),
    ({"scheduled_at": 7}, "scheduled_at"),
    ({"media": [{"url": "https://a.example/1.jpg", "type": "image", "size": 1}]}, "media.0.size"), ({"platforms": []}, "platforms"),
    ({"overrides": {"x": {"content": 7}}}, "overrides.x.content"), ({"max_lateness": "a"}, "max_lateness"),
])
def test_types_are_checked(own, body, field):
    check_error(own.post("/v1/drafts", json=body), 422, "VALIDATION_ERROR", [field])
    made = draft(own, content="a")
    check_error(own.request("PATCH", f"/v1/drafts/{made['id']}", json=body), 422, "VALIDATION_ERROR", [field])
    assert own.get(f"/v1/drafts/{made['id']}").json()["data"] == made


def test_it_is_changed_and_deleted(own):
    made = draft(own, content="a", account_ids=[own.one])
    path = f"/v1/drafts/{made['id']}"
    tag = own.get(path).headers["ETag"]
    assert own.get(path, headers={"If-None-Match": tag}).status_code == 304
    changed = own.request("PATCH", path, json={"content": None, "containers": [{"content": "b"}]}, headers={"If-Match": tag}).json()["data"]
    assert (changed["content"], changed["containers"], changed["account_ids"]) == (None, [{"content": "b"}], [own.one])
    assert changed["updated_at"] >= made["updated_at"] and changed["problems"] == []
    check_error(own.request("PATCH", path, json={"content": "c"}, headers={"If-Match": tag}), 412, "PRECONDITION_FAILED")
    check_error(own.request("DELETE", path, headers={"If-Match": tag}), 412, "PRECONDITION_FAILED")
    assert own.request("DELETE", path).status_code == 204
    for method in ("GET", "DELETE"):
        check_error(own.request(method, path), 404, "NOT_FOUND")
    check_error(publish(own, made["id"]), 404, "NOT_FOUND")


def test_the_list(own):
    ids = [draft(own, content=marker())["id"] for _ in range(3)]
    answer = own.get("/v1/drafts", params={"per_page": 2}).json()
    assert [one["id"] for one in answer["data"]] == [ids[2], ids[1]]
    assert answer["meta"]["total"] >= 3 and answer["meta"]["last_page"] == -(-answer["meta"]["total"] // 2)
    check_error(own.get("/v1/drafts", params={"per_page": 0}), 422, "VALIDATION_ERROR", ["per_page"])


def test_it_is_published_and_gone(own, sandbox):
    text = marker("draft")
    with stores_nothing(own):  # a draft is in no list of posts
        made = draft(own, account_ids=[own.one], content=text)
        # its request_id is free until it is published
        draft(own, account_ids=[own.one], content="a", request_id=made["id"])
    answer = publish(own, made["id"])
    assert answer.status_code == 202 and answer.json()["data"]["request_id"] == made["id"], answer.text
    post = own.wait_post(answer.json()["data"]["post_id"])
    assert post["status"] == "published" and len(sandbox.ledger(text)) == 1
    check_error(own.get(f"/v1/drafts/{made['id']}"), 404, "NOT_FOUND")
    again = check_error(publish(own, made["id"]), 409, "DUPLICATE_REQUEST")
    assert again["details"] == {"post_id": post["id"], "status": "published"}


def test_published_with_an_id_and_a_time_of_its_own(own):
    made, at = draft(own, account_ids=[own.one], content=marker()), utc(86400)
    answer = publish(own, made["id"], {"request_id": f"mine {made['id']}", "scheduled_at": at}).json()["data"]
    assert (answer["request_id"], answer["status"], answer["scheduled_at"]) == (f"mine {made['id']}", "scheduled", at)
    check_error(publish(own, made["id"]), 404, "NOT_FOUND")
    check_error(publish(own, made["id"], {"request_id": f"mine {made['id']}"}), 409, "DUPLICATE_REQUEST")


def test_what_is_refused_stays_a_draft(own):
    made = draft(own, account_ids=[own.one], content="a" * 300)
    check_error(publish(own, made["id"]), 422, "VALIDATION_ERROR", ["content"])
    check_error(publish(own, made["id"], {"content": "b"}), 422, "VALIDATION_ERROR", ["content"])
    check_error(publish(own, made["id"], {"scheduled_at": "soon"}), 422, "INVALID_SCHEDULE", ["scheduled_at"])
    assert own.get(f"/v1/drafts/{made['id']}").json()["data"] == made


def test_if_match_publishes_what_was_read(own, sandbox):
    text = marker("read")
    made = draft(own, account_ids=[own.one], content="other")
    path = f"/v1/drafts/{made['id']}"
    tag = own.get(path).headers["ETag"]
    own.request("PATCH", path, json={"content": text})
    check_error(publish(own, made["id"], **{"If-Match": tag}), 412, "PRECONDITION_FAILED")
    assert publish(own, made["id"], **{"If-Match": own.get(path).headers["ETag"]}).status_code == 202


def test_one_of_many_publishes_it(own):
    made = draft(own, account_ids=[own.one], content=marker())
    before = own.total()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: publish(own, made["id"], {"request_id": f"{made['id']} {number}"} if number % 2 else None),
                                range(16)))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(202) == 1 and set(statuses) <= {202, 404, 409} and own.total() == before + 1


def test_a_review(own):
    made = draft(own, content="a")
    for body in ({}, {"reason": ""}, {"reason": 7}, {"reason": "a" * 1001}):
        check_error(own.post(f"/v1/drafts/{made['id']}/reject", json=body), 422, "VALIDATION_ERROR", ["reason"])
    rejected = own.post(f"/v1/drafts/{made['id']}/reject", json={"reason": "The price is wrong."}).json()["data"]
    review = rejected["review"]
    assert (review["state"], review["reason"]) == ("rejected", "The price is wrong.") and review["by"] and review["at"]
    again = own.request("PATCH", f"/v1/drafts/{made['id']}", json={"content": "b"}).json()["data"]
    assert again["review"]["state"] == "open"
    kinds = [(event["event"], event["data"]["id"]) for event in own.get("/v1/events", params={"after": 0, "limit": 100}).json()["data"]
             if event["event"].startswith("draft.")]
    assert ("draft.created", made["id"]) in kinds and ("draft.rejected", made["id"]) in kinds


def test_if_match_rejects_what_was_read(own):
    path = f"/v1/drafts/{draft(own, content='a')['id']}"
    tag = own.get(path).headers["ETag"]
    own.request("PATCH", path, json={"content": "b"})
    check_error(own.post(f"{path}/reject", json={"reason": "no"}, headers={"If-Match": tag}), 412, "PRECONDITION_FAILED")
    assert own.get(path).json()["data"]["review"]["state"] == "open"
    tag = own.get(path).headers["ETag"]
    assert own.post(f"{path}/reject", json={"reason": "no"}, headers={"If-Match": tag}).status_code == 200


def test_keys_draft_and_people_publish(own):
    agent = {"Authorization": f"Bearer {create(own, 'drafts,read', name='agent')['key']}"}
    answer = own.service.request("POST", "/v1/drafts", json={"account_ids": [own.one], "content": marker()}, headers=agent)
    made = answer.json()["data"]
    assert answer.status_code == 201 and made["created_by"] == "agent"
    refused = own.service.request("POST", f"/v1/drafts/{made['id']}/publish", headers=agent)
    assert check_error(refused, 403, "INSUFFICIENT_SCOPE")["details"] == {"required": "publish"}
    assert publish(own, made["id"]).status_code == 202


def test_its_bytes_count(own):
    made = draft(own, content="a")
    used = quota(own)["post_bytes"]["used"]
    own.request("PATCH", f"/v1/drafts/{made['id']}", json={"content": "a" * 1001})
    assert quota(own)["post_bytes"]["used"] == used + 1000
    own.request("DELETE", f"/v1/drafts/{made['id']}")
    assert quota(own)["post_bytes"]["used"] == used - len('{"content":"a"}')
