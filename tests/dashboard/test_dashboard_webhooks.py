# SPDX-License-Identifier: Apache-2.0
"""Webhooks from the dashboard: made, tried out, and one event carried once more."""
import pytest

from harness import marker, poll


@pytest.fixture
def hooks(client, dashboard_app):
    return f"/apps/{dashboard_app['client_id']}/v1/webhooks"


def last_of(client, hooks, webhook_id, state):
    def look():
        rows = client.get(f"{hooks}/{webhook_id}/deliveries")["data"]
        return rows[0] if rows and rows[0]["state"] == state else None

    return poll(f"the delivery is {state}", look)


def test_resend(client, dashboard_app, hooks, receiver):
    url = f"http://127.0.0.1:{receiver.server_port}/{marker('hook').replace(' ', '-')}"
    made = client.post(hooks, {"url": url}, status=201)["data"]
    assert made["secret"].startswith("whsec_") and "secret" not in client.get(f"{hooks}/{made['id']}")["data"]
    client.post(f"{hooks}/{made['id']}/test", status=202)
    delivery = last_of(client, hooks, made["id"], "succeeded")
    assert len(receiver.taken) == 1
    again = f"/apps/{dashboard_app['client_id']}/webhooks/{made['id']}/deliveries/{delivery['id']}/resend"
    assert client.post(again, status=202) == {"data": {"id": delivery["id"], "state": "pending"}}
    poll("it came again", lambda: len(receiver.taken) == 2)
    assert receiver.taken[0] == receiver.taken[1]
    resent = last_of(client, hooks, made["id"], "succeeded")
    assert resent["id"] == delivery["id"] and len(resent["tries"]) == 2
    # One that is on its way already, or cannot be.
    receiver.status = 500
    client.post(again, status=202)
    poll("it was tried", lambda: len(receiver.taken) >= 3)
    client.refused("POST", again, 409, "UNDER_WAY")
    client.refused("POST", again.replace(f"/{delivery['id']}/", "/999999/"), 404, "NOT_FOUND")
    client.refused("POST", again.replace(f"/{delivery['id']}/", "/x/"), 404, "NOT_FOUND")
    client.patch(f"{hooks}/{made['id']}", {"enabled": False})
    client.refused("POST", again, 409, "WEBHOOK_DISABLED")
    client.delete(f"{hooks}/{made['id']}", status=204)
    client.refused("POST", again, 404, "NOT_FOUND")


def test_a_webhook_of_another_app(client, dashboard_app, hooks, receiver):
    made = client.post(hooks, {"url": f"http://127.0.0.1:{receiver.server_port}/"}, status=201)["data"]
    client.post(f"{hooks}/{made['id']}/test", status=202)
    delivery = last_of(client, hooks, made["id"], "succeeded")
    second = client.make_app("without webhooks")["client_id"]
    client.refused("POST", f"/apps/{second}/webhooks/{made['id']}/deliveries/{delivery['id']}/resend", 404, "NOT_FOUND")
    own = client.post(f"/apps/{second}/v1/webhooks", {"url": f"http://127.0.0.1:{receiver.server_port}/"}, status=201)["data"]
    client.refused("POST", f"/apps/{second}/webhooks/{own['id']}/deliveries/{delivery['id']}/resend", 404, "NOT_FOUND")
    client.delete(f"{hooks}/{made['id']}", status=204)
