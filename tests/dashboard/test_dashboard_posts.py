# SPDX-License-Identifier: Apache-2.0
"""Posts: written and published from the dashboard, listed by every filter, changed, settled by a person, and counted."""
import json
import os

import pytest

from harness import INSTANT, marker, poll, utc

UNKNOWN_POST = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
def base(dashboard_app):
    return f"/apps/{dashboard_app['client_id']}"


@pytest.fixture
def publish(client, dashboard_app, base):
    def run(content, platform="x", **more):
        body = {"account_ids": [dashboard_app["accounts"][platform]["id"]], "content": content, **more}
        return client.post(f"{base}/v1/posts/publish", body, status=202)["data"]["post_id"]

    return run


@pytest.fixture
def ended(client, base):
    def run(post_id):
        def look():
            post = client.get(f"{base}/v1/posts/{post_id}")["data"]
            return post if post["status"] in ("published", "failed") else None

        return poll("the post is final", look)

    return run


def found(client, **filters):
    """A page; by words once all posts are in their index."""
    if "text" in filters:
        poll("the index has the words", lambda: client.get("/posts", params={"text": "x"})["words_waiting"] == 0)
    return client.get("/posts", params=filters)


def ids(answer):
    return [row["id"] for row in answer["data"]]


# ---- try-it ----


def test_validate_and_publish_without_a_token(client, dashboard_app, base, sandbox, ended):
    text = marker("from the dashboard")
    body = {"account_ids": [dashboard_app["accounts"]["x"]["id"]], "content": text}
    checked = client.post(f"{base}/v1/posts/validate", body)["data"]
    assert checked["accounts"][0]["ok"]
    assert not sandbox.ledger(text)
    client.refused("POST", f"{base}/v1/posts/publish", 422, "VALIDATION_ERROR", json={**body, "content": 7})
    answer = client.request("POST", f"{base}/v1/posts/publish", json=body)
    assert answer.status_code == 202 and "token" not in answer.text and "RateLimit" not in str(answer.headers)
    post = ended(answer.json()["data"]["post_id"])
    assert post["status"] == "published" and sandbox.ledger(text, "x")
    timeline = client.get(f"{base}/v1/posts/{post['id']}/timeline")["data"]
    assert timeline and timeline[-1]["host_path"].startswith("api.x.com/")


def test_only_what_is_live_publishes(client):
    client_id = client.make_app("not live")["client_id"]
    body = {"account_ids": [UNKNOWN_POST], "content": "x"}
    client.refused("POST", f"/apps/{client_id}/v1/posts/publish", 409, "app_not_live", json=body)
    assert not client.post(f"/apps/{client_id}/v1/posts/validate", body)["data"]["ok"]  # asking is allowed
    client.post(f"/apps/{client_id}/suspend")
    client.refused("POST", f"/apps/{client_id}/v1/posts/publish", 403, "app_not_active", json=body)
    assert client.get(f"/apps/{client_id}/v1/posts")["data"] == []


def test_what_is_no_apps_route_is_not_there(client, base):
    client.refused("POST", f"{base}/v1/oauth/token", 404, "NOT_FOUND", json={})
    client.refused("GET", f"{base}/v1/oauth/x/callback", 404, "NOT_FOUND")
    client.refused("GET", f"{base}/v1/nothing", 404, "NOT_FOUND")
    answer = client.request("PUT", f"{base}/v1/posts", json={})
    assert answer.status_code == 405 and answer.headers["Allow"] == "GET"


# ---- the list ----


def test_a_row(client, dashboard_app, publish, ended):
    text = marker("row") + " " + "ä" * 300
    post_id = publish(text, platform="linkedin", request_id=marker("request"))
    ended(post_id)
    row = next(row for row in found(client, client_id=dashboard_app["client_id"])["data"] if row["id"] == post_id)
    assert row["text"] == text[:280] and row["text_is_cut"] and row["app_name"] == "full app"
    assert row["client_id"] == dashboard_app["client_id"] and row["external_user_id"] == "dashboard-test"
    assert (row["status"], row["mode"], row["type"], row["media_count"], row["container_count"]) == ("published", "basic", None, 0, 1)
    assert INSTANT.match(row["created_at"]) and row["scheduled_at"] is None
    (part,) = row["platform_posts"]
    assert part["platform"] == "linkedin" and part["state"] == "published" and part["url"] and part["error"] is None
    assert part["account_id"] == dashboard_app["accounts"]["linkedin"]["id"] and part["handle"]


def test_filters(client, dashboard_app, publish, ended):
    mark = marker("filter")
    on_x = publish(f"{mark} 100% ready_ \"quoted\" ÄÖ!")
    on_linkedin = publish(f"{mark} other", platform="linkedin")
    later = publish(f"{mark} later", scheduled_at=utc(90 * 86400))
    for post_id in (on_x, on_linkedin):
        ended(post_id)
    everything = [later, on_linkedin, on_x]

    def ask(**filters):
        return ids(found(client, text=mark, **filters))

    assert ask() == everything
    assert ask(client_id=dashboard_app["client_id"]) == everything
    assert ask(status="scheduled") == [later] and ask(status="published") == [on_linkedin, on_x] and ask(status="failed") == []
    assert ask(platform="x") == [later, on_x] and ask(platform="linkedin") == [on_linkedin]
    assert ask(user="dashboard-test") == everything and ask(user="nobody") == []
    assert ask(account_id=dashboard_app["accounts"]["x"]["id"]) == [later, on_x]
    today, then = utc()[:10], utc(90 * 86400)[:10]
    assert ask(to=then) == everything and ask(**{"from": then}) == [later] and ask(to="2020-01-01") == []
    assert set(ask(**{"from": utc(-86400)[:10], "to": today})) <= {on_linkedin, on_x}
    assert ask(error="MEDIA_UNREACHABLE") == []
    # Words are looked for, without case, accents and signs; the last may go on.
    def find(text): return ids(found(client, text=text))
    assert find(f"{mark} 100% READY_ \"quoted\" ÄÖ!") == [on_x] and find(f"ao {mark} QUOT") == [on_x]
    assert find(f"{mark} quot ready") == [] and find(f"{mark} OR later") == [] and find("' OR 1=1 --") == [] and find("%") == []


@pytest.mark.parametrize("name, value", [
    ("status", "done"), ("platform", "myspace"), ("from", "2026-02-30"), ("to", "soon"), ("limit", "0"), ("limit", "101"), ("limit", "x"),
    ("after", "abc"), ("after", "1.x"), ("text", "x" * 300),
])
def test_bad_filters_are_named(client, name, value):
    body = client.refused("GET", "/posts", 422, "VALIDATION_ERROR", params={name: value})
    assert list(body["errors"]) == [name]


def test_pages_over_several_apps(client, publish, connect_account):
    """Every post once, newest first, whatever the size of the page."""
    second = client.make_app("second", live=True)["client_id"]
    client.put(f"/apps/{second}/credentials/x", {"client_id": "sandbox-x", "client_secret": "sandbox-secret-x", "verify": True})
    account = connect_account(client, second, "x")["accounts"][0]["id"]
    mark, made = marker("page"), []
    for index in range(7):
        if index % 3 == 1:
            body = {"account_ids": [account], "content": f"{mark} {index}", "scheduled_at": utc(86400)}
            made.append(client.post(f"/apps/{second}/v1/posts/publish", body, status=202)["data"]["post_id"])
        else:
            made.append(publish(f"{mark} {index}", scheduled_at=utc(86400)))
    for limit in (1, 2, 3, 100):
        got, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            answer = found(client, text=mark, limit=limit, **({"after": cursor} if cursor else {}))
            assert len(answer["data"]) <= limit and not answer["is_partial"]
            got, cursor, pages = got + ids(answer), answer["next"], pages + 1
            assert pages < 20
        assert got == made[::-1]
    assert ids(found(client, text=mark, client_id=second)) == [made[4], made[1]]


# ---- changes ----


def test_cancel_and_reschedule(client, base, publish, ended):
    post_id = publish(marker("change"), scheduled_at=utc(86400))
    moved = client.patch(f"{base}/v1/posts/{post_id}", {"scheduled_at": utc(2 * 86400)})["data"]
    assert moved["status"] == "scheduled"
    client.delete(f"{base}/v1/posts/{post_id}", status=204)
    row = next(row for row in found(client, error="CANCELLED")["data"] if row["id"] == post_id)
    assert row["status"] == "failed" and row["platform_posts"][0]["error"]["code"] == "CANCELLED"
    client.delete(f"{base}/v1/posts/{post_id}", status=204)
    client.post(f"{base}/v1/posts/{post_id}/retry", {}, status=202)
    assert ended(post_id)["status"] == "published"


def unknown_post(sandbox, publish, ended, text, effect):
    """A post on X whose publish call got no answer, while X shows nobody's posts: what came of it cannot be proven."""
    sandbox.fault("x", "POST", "/2/tweets", effect)
    sandbox.fault("x", "GET", "/2/users/*/tweets", "status", status=200, body={"data": [], "meta": {"result_count": 0}}, times=50)
    post = ended(publish(text))
    sandbox.clear_faults()
    assert post["status"] == "failed" and post["platform_posts"][0]["error"]["code"] == "OUTCOME_UNKNOWN", json.dumps(post)
    return post


@pytest.fixture
def own_sandbox_faults(sandbox):
    yield sandbox
    sandbox.clear_faults()


def test_it_did_appear(client, dashboard_app, base, own_sandbox_faults, publish, ended):
    text = marker("appeared")
    post = unknown_post(own_sandbox_faults, publish, ended, text, "reset_after")
    account_id = dashboard_app["accounts"]["x"]["id"]
    seen = {"account_id": account_id, "appeared": True, "url": "https://x.com/somebody/status/42", "platform_post_id": "42"}
    for wrong in ({"appeared": None}, {"url": "javascript:alert(1)"}, {"account_id": ""}):
        client.refused("POST", f"{base}/posts/{post['id']}/resolve", 422, "VALIDATION_ERROR", json={**seen, **wrong})
    client.refused("POST", f"{base}/posts/{post['id']}/resolve", 404, "NOT_FOUND", json={**seen, "account_id": UNKNOWN_POST})
    client.refused("POST", f"{base}/posts/{UNKNOWN_POST}/resolve", 404, "NOT_FOUND", json=seen)
    assert client.post(f"{base}/posts/{post['id']}/resolve", seen)["data"] == {
        "id": post["id"], "state": "published", "account_id": account_id, "account_state": "published"}
    shown = client.get(f"{base}/v1/posts/{post['id']}")["data"]["platform_posts"][0]
    assert shown["url"] == seen["url"] and shown["platform_post_id"] == seen["platform_post_id"] and shown["error"] is None
    assert shown["published_at"] and [part["state"] for part in shown["parts"]] == ["published"]
    client.refused("POST", f"{base}/posts/{post['id']}/resolve", 409, "NOT_UNKNOWN", json=seen)
    assert len(own_sandbox_faults.ledger(text)) == 1


def test_it_did_not_appear(client, dashboard_app, base, own_sandbox_faults, publish, ended):
    text = marker("absent")
    post = unknown_post(own_sandbox_faults, publish, ended, text, "reset_before")
    body = {"account_id": dashboard_app["accounts"]["x"]["id"], "appeared": False}
    assert client.post(f"{base}/posts/{post['id']}/resolve", body)["data"]["id"] == post["id"]
    assert ended(post["id"])["status"] == "published"
    assert len(own_sandbox_faults.ledger(text)) == 1


def test_what_failed_for_another_reason_is_not_unknown(client, dashboard_app, base, publish):
    post_id = publish(marker("cancelled"), scheduled_at=utc(86400))
    body = {"account_id": dashboard_app["accounts"]["x"]["id"], "appeared": False}
    client.refused("POST", f"{base}/posts/{post_id}/resolve", 409, "NOT_UNKNOWN", json=body)
    client.delete(f"{base}/v1/posts/{post_id}", status=204)
    client.refused("POST", f"{base}/posts/{post_id}/resolve", 409, "NOT_UNKNOWN", json=body)


# ---- figures ----


def test_every_failure_has_its_advice(client):
    rows = client.get("/failures")["data"]
    assert {"MEDIA_UNREACHABLE", "OUTCOME_UNKNOWN", "CANCELLED", "INTERNAL_ERROR"} <= {row["code"] for row in rows} and len(rows) == 15
    for row in rows:
        assert row["sentence"].endswith(".") and len(
            row["advice"]) > 30 and row["action"] in (
            "retry", "reconnect", "edit", "credentials", "look", "wait", "none")


def test_calendar(client, dashboard_app, publish):
    then = utc(40 * 86400)
    before = client.get("/calendar", params={"month": then[:7]})
    publish(marker("calendar"), scheduled_at=then)
    after = client.get("/calendar", params={"month": then[:7], "client_id": dashboard_app["client_id"]})
    assert after["month"] == then[:7] and after["days"][0]["date"] == then[:7] + "-01" and 28 <= len(after["days"]) <= 31
    day = int(then[8:10]) - 1
    assert after["days"][day]["scheduled"] == before["days"][day]["scheduled"] + 1
    assert len(client.get("/calendar", params={"month": "2028-02"})["days"]) == 29
    for wrong in ("", "2026-13", "2026-1", "2026-011"):
        client.refused("GET", "/calendar", 422, "VALIDATION_ERROR", params={"month": wrong})


def test_overview(client, dashboard_app, base, publish, ended):
    ended(publish(marker("overview")))
    cancelled = publish(marker("overview"), scheduled_at=utc(86400))
    client.delete(f"{base}/v1/posts/{cancelled}", status=204)
    shown = client.get("/overview", params={"hours": 2, "client_id": dashboard_app["client_id"]})
    assert shown["hours"] == 2 and len(shown["per_hour"]) == len(shown["lateness_per_hour"]) == 3 and not shown["is_partial"]
    assert shown["per_hour"][0]["hour"] == shown["since"] and shown["since"].endswith(":00:00Z")
    assert sum(row["published"] for row in shown["per_hour"]) >= 1 and sum(row["failed"] for row in shown["per_hour"]) >= 1
    assert shown["posts"]["published"] >= 1
    why = {row["code"]: row for row in shown["failures"]}
    assert why["CANCELLED"]["count"] >= 1 and why["CANCELLED"]["platforms"]["x"] >= 1 and why["CANCELLED"]["sentence"]
    late = shown["lateness_ms"]
    assert late["count"] >= 1 and 0 <= late["p50"] <= late["p90"] <= late["p99"] <= late["max"]
    assert sum(row["count"] for row in shown["lateness_per_hour"]) == late["count"]
    assert shown["lateness_per_hour"][0]["p50"] is None or shown["lateness_per_hour"][0]["count"] > 0
    client.refused("GET", "/overview", 422, "VALIDATION_ERROR", params={"hours": 169})


def test_an_app_without_anything(client):
    client_id = client.make_app("nothing yet")["client_id"]
    shown = client.get("/overview", params={"client_id": client_id})
    assert shown["lateness_ms"] == {"p50": None, "p90": None, "p99": None, "max": None, "count": 0} and shown["failures"] == []
    assert found(client, client_id=client_id) == {"data": [], "next": None, "is_partial": False, "total": 0}
    assert all(row["published_24h"] == 0 for row in client.get("/usage", params={"client_id": client_id})["data"])


def test_usage(client, dashboard_app, publish, ended):
    ended(publish(marker("usage")))
    rows = {row["platform"]: row for row in client.get("/usage", params={"client_id": dashboard_app["client_id"]})["data"]}
    assert len(rows) == 6 and rows["x"]["published_24h"] >= 1
    of_account = next(limit for limit in rows["x"]["limits"] if limit["scope"] == "account")
    assert of_account["account_id"] == dashboard_app["accounts"]["x"]["id"] and of_account["handle"]
    assert of_account["left"] == of_account["limit"] - of_account["used"] and of_account["used"] >= 1 and of_account["note"]
    of_app = next(limit for limit in rows["x"]["limits"] if limit["scope"] == "app")
    assert of_app["used"] == rows["x"]["published_24h"] and of_app["window_s"] == 86400 and of_app["account_id"] is None


def test_a_database_of_ones_own_has_no_nodes(client):
    if os.environ.get("POSTHORN_TEST_DATABASE"):
        pytest.skip("tests/postgres looks at the nodes of a shared database")
    assert client.get("/nodes") == {"shared": False, "answered_by": None, "data": []}


def test_alarms(client):
    shown = client.get("/alarms")
    assert shown["data"] == [] and shown["held"] == {"asking": 0, "held": 0, "adopted": 0} and shown["waiting"] == []
    poll("the service is ready", lambda: client.get("/alarms")["ready"])
