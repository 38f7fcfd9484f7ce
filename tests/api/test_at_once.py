# SPDX-License-Identifier: Apache-2.0
"""What may happen once, asked for by several at the same time: one of them gets it, the others are told so, and nothing is half done.
Other races stand with what they are about (test_drafts.py, test_edit.py, test_quotas.py, test_retry_many.py, test_uploads.py)."""
import concurrent.futures
import hashlib

import pytest
import requests

from harness import HTTP_S, App, Service, check_error, marker, utc
from test_uploads import OFFSET, TUS, by_link, link_of, unique, upload

CALLERS = 8
ROUNDS = 6
DAY = 86400


@pytest.fixture(scope="module")
def house(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("at-once"), sandbox) as service:
        yield service


@pytest.fixture(scope="module")
def shop(house):
    app = App(house, name="at once").set_credentials("x", "facebook").issue_token()
    app.one = app.account("x")
    return app


@pytest.fixture(scope="module")
def picture(media):
    return requests.get(media.image()["url"], timeout=HTTP_S).content


def at_once(*calls):
    """What each answered, in their order; all begin together."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [begun.result() for begun in [pool.submit(call) for call in calls]]


def statuses(answers):
    return sorted(answer.status_code for answer in answers)


# ---- files ----


def test_a_link_takes_one_file(shop, picture):
    """By PUT and by tus, each caller with bytes of its own."""
    for _ in range(ROUNDS):
        link = link_of(shop)
        bodies = [unique(picture) for _ in range(CALLERS)]

        def put(body):
            return by_link("PUT", link["upload_url"], data=body)  # noqa: B023 - all end in this round

        def tus(body):
            return by_link("POST", link["upload_url"], data=body,  # noqa: B023
                           headers={**OFFSET, "Upload-Length": str(len(body))})

        answers = at_once(*(lambda body=body, way=(put, tus)[n % 2]: way(body) for n, body in enumerate(bodies)))
        assert statuses(answers) == [201] + [409] * (CALLERS - 1), [answer.text for answer in answers]
        assert {answer.json()["error"] for answer in answers if answer.status_code == 409} <= {"LINK_USED", "UPLOAD_CONFLICT"}
        won = bodies[[answer.status_code for answer in answers].index(201)]
        kept = shop.get(f"/v1/media/{link['media_id']}").json()["data"]
        assert kept["sha256"] == hashlib.sha256(won).hexdigest() and kept["size_bytes"] == len(won)
        assert shop.get(f"/v1/media/{link['media_id']}/content").content == won


def test_equal_files_are_one(shop, picture):
    """The same bytes come several times at once, and some are deleted meanwhile: each that is left can be read."""
    for _ in range(ROUNDS):
        body = unique(picture)
        first = upload(shop, body)["id"]
        answers = at_once(*[lambda body=body: shop.post("/v1/media", data=body)] * (CALLERS - 1),
                          lambda first=first: shop.request("DELETE", f"/v1/media/{first}"))
        assert statuses(answers) == [201] * (CALLERS - 1) + [204]
        for made in answers[:-1]:
            file = made.json()["data"]
            assert shop.get(f"/v1/media/{file['id']}/content").content == body
        assert shop.get(f"/v1/media/{first}/content").status_code == 404


def test_a_file_is_deleted_or_published(shop, picture, sandbox):
    """Who is told 202 sees it go out; who is told 204 had it deleted; never both."""
    for _ in range(ROUNDS):
        file, text = upload(shop, unique(picture))["id"], marker("race")
        published, deleted = at_once(
            lambda text=text, file=file: shop.publish([shop.one], text, media=[{"media_id": file}]),
            lambda file=file: shop.request("DELETE", f"/v1/media/{file}"))
        assert (published.status_code, deleted.status_code) in [(202, 409), (422, 204)], (published.text, deleted.text)
        if published.status_code == 202:
            assert shop.wait_post(published.json()["data"]["post_id"])["status"] == "published"
            assert len(sandbox.ledger(text)) == 1
        else:
            check_error(published, 422, "INVALID_MEDIA")


def test_a_termination_and_the_last_bytes(shop, picture):
    """An upload is ended or thrown away; what is thrown away leaves no file."""
    for _ in range(ROUNDS):
        body = unique(picture)
        begun = shop.request("POST", "/v1/media/uploads", headers={**TUS, "Upload-Length": str(len(body))})
        path = begun.headers["Location"].split(shop.service.url)[1]
        last, ended = at_once(
            lambda path=path, body=body: shop.request("PATCH", path, data=body, headers={**OFFSET, "Upload-Offset": "0"}),
            lambda path=path: shop.request("DELETE", path, headers=TUS))
        assert ended.status_code in (204, 404) and last.status_code in (204, 404, 409), (last.text, ended.text)
        if "Posthorn-Media-Id" in last.headers:
            assert shop.get(f"/v1/media/{last.headers['Posthorn-Media-Id']}/content").content == body
        elif ended.status_code == 204:
            assert shop.request("HEAD", path, headers=TUS).status_code == 404


# ---- posts ----


def test_a_post_is_cancelled_or_edited_or_goes_out(shop, sandbox):
    """All at the moment when it is due."""
    for _ in range(2 * ROUNDS):
        text = marker("moment")
        post_id = shop.accepted(shop.one, f"{text} old", scheduled_at=utc(1))["post_id"]
        cancelled, edited, _ = at_once(
            lambda post_id=post_id: shop.request("DELETE", f"/v1/posts/{post_id}"),
            lambda post_id=post_id, text=text: shop.request("PATCH", f"/v1/posts/{post_id}", json={"content": f"{text} new"}),
            lambda post_id=post_id: shop.request("PATCH", f"/v1/posts/{post_id}", json={"scheduled_at": utc(0)}))
        assert cancelled.status_code in (204, 409) and edited.status_code in (200, 404, 409), (cancelled.text, edited.text)
        if cancelled.status_code == 204:
            assert sandbox.ledger(text) == []
        else:
            assert shop.wait_post(post_id)["status"] == "published"
            word = "new" if edited.status_code == 200 else "old"
            assert [entry["text"] for entry in sandbox.ledger(text)] == [f"{text} {word}"]


def test_one_retry_of_many(shop, sandbox):
    for _ in range(ROUNDS):
        text = marker("again")
        sandbox.fault("x", "POST", "/2/tweets", "status", status=403,
                      body={"title": "Forbidden", "detail": "no", "type": "about:blank", "status": 403})
        post_id = shop.accepted(shop.one, text)["post_id"]
        assert shop.wait_post(post_id)["status"] == "failed"
        sandbox.clear_faults()
        answers = at_once(*[lambda post_id=post_id: shop.post(f"/v1/posts/{post_id}/retry")] * CALLERS)
        assert set(statuses(answers)) <= {202, 409} and statuses(answers).count(202) >= 1, [answer.text for answer in answers]
        assert shop.wait_post(post_id)["status"] == "published" and len(sandbox.ledger(text)) == 1


def test_a_draft_ends_once(shop):
    """Published, rejected, edited and deleted at once: a draft that went out is no draft any more, and one that was deleted never goes."""
    for _ in range(ROUNDS):
        before = shop.total()
        made = shop.post("/v1/drafts", json={"account_ids": [shop.one], "content": marker("draft")}).json()["data"]
        path = f"/v1/drafts/{made['id']}"
        published, deleted, rejected, edited = at_once(
            lambda path=path: shop.post(f"{path}/publish", json={"scheduled_at": utc(DAY)}),
            lambda path=path: shop.request("DELETE", path),
            lambda path=path: shop.post(f"{path}/reject", json={"reason": "no"}),
            lambda path=path: shop.request("PATCH", path, json={"content": marker("edited")}))
        told = (published.status_code, deleted.status_code, rejected.status_code, edited.status_code)
        assert published.status_code in (202, 404) and deleted.status_code in (204, 404), told
        assert {rejected.status_code, edited.status_code} <= {200, 404}, told
        assert [published.status_code == 202, deleted.status_code == 204].count(True) == 1, told
        assert shop.total() == before + (published.status_code == 202)
        assert shop.get(path).status_code == 404


# ---- accounts and hooks ----


def test_an_account_is_disconnected_while_it_is_used(house):
    app = App(house, name="leaves").set_credentials("x").issue_token()
    for number in range(ROUNDS):
        account, text = app.account("x", user_id=f"user-{number}"), marker("leaves")
        answers = at_once(*[lambda account=account: app.request("DELETE", f"/v1/accounts/{account}")] * (CALLERS - 1),
                          lambda account=account, text=text: app.publish(account, text, scheduled_at=utc(DAY)))
        assert statuses(answers[:-1]) == [204] * (CALLERS - 1)  # said several times is said once
        if answers[-1].status_code != 202:
            check_error(answers[-1], 422, "INVALID_ACCOUNT")
            continue
        (one,) = app.wait_post(answers[-1].json()["data"]["post_id"])["platform_posts"]
        assert one["status"] == "failed" and one["error"]["code"] == "ACCOUNT_REAUTH_REQUIRED", one


def test_secrets_are_rotated_one_after_the_other(shop):
    made = shop.post("/v1/webhooks", json={"url": "http://127.0.0.1:9/hook", "events": ["post.publish.succeeded"]})
    assert made.status_code == 201, made.text
    path = f"/v1/webhooks/{made.json()['data']['id']}"
    answers = at_once(*[lambda: shop.post(f"{path}/rotate")] * CALLERS)
    assert set(statuses(answers)) <= {200, 409}
    secrets = [answer.json()["data"]["secret"] for answer in answers if answer.status_code == 200]
    assert len(set(secrets)) == len(secrets) >= 1
    assert statuses(at_once(*[lambda: shop.request("DELETE", path)] * CALLERS)) == [204] + [404] * (CALLERS - 1)


def test_a_confirmation_is_taken_once(house):
    """The same answer to the same right question, and the account is connected once."""
    app = App(house, name="confirms").set_credentials("x").issue_token()
    assert app.cli("app", "set", app.client_id, "--connect-confirmation", "on").returncode == 0
    connection = app.connect("x", user_id="ann")
    right = {"confirmation_token": connection.query["confirmation_token"], "user_id": "ann"}
    answers = at_once(*[lambda: app.post(f"/v1/connections/{connection.id}/confirm", json=right)] * CALLERS)
    assert statuses(answers) == [200] * CALLERS and len({answer.text for answer in answers}) == 1
    assert len(app.get("/v1/accounts").json()["data"]) == 1
