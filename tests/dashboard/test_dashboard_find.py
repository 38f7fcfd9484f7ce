# SPDX-License-Identifier: Apache-2.0
"""Whatever a support person is handed leads to the post, and nobody is led to what is another owner's."""
import pytest
import requests

from harness import HTTP_S, marker, poll
from test_dashboard_webhooks import last_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def base(dashboard_app):
    return f"/apps/{dashboard_app['client_id']}"


@pytest.fixture
def published(client, dashboard_app, base):
    """A post that is out on X, and the answer to the request that published it."""
    body = {"account_ids": [dashboard_app["accounts"]["x"]["id"]], "content": marker("to be found"), "request_id": marker("order")}
    answer = client.request("POST", f"{base}/v1/posts/publish", json=body)
    assert answer.status_code == 202, answer.text

    def out():
        post = client.get(f"{base}/v1/posts/{answer.json()['data']['post_id']}")["data"]
        return post if post["status"] == "published" else None

    return poll("the post is out", out), answer


def find(client, text, **more):
    return client.get("/find", params={"q": text, **more})


def test_every_name_of_a_post(client, other_client, dashboard_app, published):
    post, answer = published
    target = post["platform_posts"][0]
    names = {
        "post_id": post["id"],
        "delivery_id": target["id"],
        "request_id": post["request_id"],
        "http_request_id": answer.headers["X-Request-Id"],
        "platform_id": target["platform_post_id"],
    }
    names_of_address = [target["url"], target["url"] + "?utm_source=mail", " " + target["url"] + "\n"]
    for matched, text in [*names.items(), *[("platform_id", one) for one in names_of_address]]:
        found = find(client, text)
        assert [row["matched"] for row in found["posts"]] == [matched], text
        row = found["posts"][0]
        assert row["post"]["id"] == post["id"] and row["post"]["client_id"] == dashboard_app["client_id"]
        assert row["account_id"] == (target["account_id"] if matched in ("delivery_id", "platform_id") else None)
        assert find(other_client, text)["posts"] == []
        other_client.refused("GET", "/find", 404, "NOT_FOUND", params={"q": text, "client_id": dashboard_app["client_id"]})


def test_what_the_caller_calls_its_request(client, dashboard_app, dashboard_service, base):
    """The caller's own X-Request-Id, and the trace of a traceparent."""
    key = client.post(f"{base}/keys", {"name": "find", "scopes": ["publish"]}, status=201)["key"]
    own = marker("ticket").replace(" ", "-")
    headers = {"Authorization": f"Bearer {key}", "X-Request-Id": own, "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
    body = {"account_ids": [dashboard_app["accounts"]["x"]["id"]], "content": marker("traced")}
    answer = requests.post(f"{dashboard_service.url}/v1/posts/publish", json=body, headers=headers, timeout=HTTP_S)
    assert answer.status_code == 202 and answer.headers["X-Request-Id"] == own
    for text in (own, TRACE):
        found = find(client, text)["posts"]
        assert [(row["matched"], row["post"]["id"]) for row in found] == [("http_request_id", answer.json()["data"]["post_id"])]


def test_accounts_and_users(client, other_client, dashboard_app):
    account = dashboard_app["accounts"]["x"]
    for text in (account["id"], account["username"].upper(), "@" + account["username"], account["name"][1:]):
        found = find(client, text, client_id=dashboard_app["client_id"])
        assert account["id"] in [row["id"] for row in found["accounts"]], text
        assert account["id"] not in [row["id"] for row in find(other_client, text)["accounts"]]
    of_user = find(client, "dashboard-test", client_id=dashboard_app["client_id"])["accounts"]
    assert {row["app_user_id"] for row in of_user} == {"dashboard-test"} and len(of_user) >= 2
    row = next(row for row in of_user if row["id"] == account["id"])
    assert row["platform"] == "x" and row["status"] == "active" and row["client_id"] == dashboard_app["client_id"]


def test_drafts_and_webhooks(client, other_client, dashboard_app, base, receiver):
    draft = client.post(f"{base}/v1/drafts", {"content": "x"}, status=201)["data"]["id"]
    hook = client.post(f"{base}/v1/webhooks", {"url": f"http://127.0.0.1:{receiver.server_port}/"}, status=201)["data"]["id"]
    for kind, text in (("draft", draft), ("webhook", hook)):
        assert find(client, text)["others"] == [{"kind": kind, "id": text, "client_id": dashboard_app["client_id"]}]
        assert find(other_client, text)["others"] == []
    client.delete(f"{base}/v1/webhooks/{hook}", status=204)


ODD = ["' OR 1=1 --", "%", "_", "!", "https://x.com/", "://", "/?&=#", "0" * 2000, "%ff%00", "\U0001f35e" * 40]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_words_find_nothing(client, text):
    assert find(client, text) == {"posts": [], "accounts": [], "others": []}


def test_refusals(client):
    client.refused("GET", "/find", 422, "VALIDATION_ERROR")
    client.refused("GET", "/find", 422, "VALIDATION_ERROR", params={"q": "   "})
    client.refused("GET", "/find", 422, "VALIDATION_ERROR", params={"q": "x" * 2049})


def test_beside_a_post(client, other_client, dashboard_app, base, receiver):
    url = f"http://127.0.0.1:{receiver.server_port}/beside"
    hook = client.post(f"{base}/v1/webhooks", {"url": url}, status=201)["data"]["id"]
    account = dashboard_app["accounts"]["x"]
    body = {"account_ids": [account["id"]], "content": marker("beside")}
    post = client.post(f"{base}/v1/posts/publish", body, status=202)["data"]["post_id"]

    def told():
        found = client.get(f"{base}/posts/{post}/beside")
        return found if [call["state"] for call in found["webhook_calls"]] == ["succeeded"] * 2 else None

    found = poll("both events are told", told)
    (named,) = found["accounts"]
    assert (named["id"], named["name"], named["username"]) == (account["id"], account["name"], account["username"])
    first, second = found["webhook_calls"]
    assert first["event"] == "post.publish.succeeded" and first["account_id"] == account["id"]
    assert second["event"] == "post.completed" and second["account_id"] is None
    assert first["webhook_id"] == hook and first["webhook_url"] == url and first["tries"][0]["status"] == 200
    assert last_of(client, f"{base}/v1/webhooks", hook, "succeeded")["id"] == second["id"]
    other_client.refused("GET", f"{base}/posts/{post}/beside", 404, "NOT_FOUND")
    own = client.make_app("without that post")["client_id"]
    client.refused("GET", f"/apps/{own}/posts/{post}/beside", 404, "NOT_FOUND")
    client.delete(f"{base}/v1/webhooks/{hook}", status=204)
