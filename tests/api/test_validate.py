# SPDX-License-Identifier: Apache-2.0
"""POST /v1/posts/validate (api-decisions.md 6): says what publishing would say, stores nothing, and its plan is what happens -
held against the timeline of a real run of every flow."""
import pathlib
import sys

import pytest

from harness import PLATFORMS, App, Service, check_error, marker, stores_nothing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fault"))
from flows import FLOWS  # noqa: E402

# Looks and polls come as often as they must; what is asked again and again stands once in a plan.
MADE_UP_OF = {"chunk", "append", "part", "query"}


def validate(app, **body):
    answer = app.post("/v1/posts/validate", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def squeezed(stages):
    return [stage for i, stage in enumerate(stages) if i == 0 or stage != stages[i - 1]]


@pytest.fixture(scope="module")
def planner(tmp_path_factory, sandbox):
    """A service in a hurry, with an account of everything."""
    with Service(tmp_path_factory.mktemp("validate") / "data", sandbox, ["--time-scale", "100"]) as process:
        app = App(process, name="planner").set_credentials(*PLATFORMS).issue_token()
        app.ids = {slug: [account["id"] for account in app.connect(slug).accounts] for slug in PLATFORMS}
        yield app


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_the_plan_is_what_happens(planner, sandbox, media, flow):
    for name, value in flow.knobs:
        sandbox._call("POST", "/_sandbox/knobs", json={name: value})
    account = planner.ids[flow.platform][flow.account]
    if flow.knobs:  # what an account may do is told when it is connected
        account = planner.connect(flow.platform, user_id=f"of {flow.name}").accounts[flow.account]["id"]
    body = {"account_ids": [account], **flow.body(flow.texts(), media)}
    with stores_nothing(planner):
        data = validate(planner, **body)
    assert data["ok"] is True, data
    (target,) = data["accounts"]
    assert (target["account_id"], target["platform"], target["ok"], target["violations"]) == (account, flow.platform, True, [])
    assert [call["part"] for call in target["plan"] if call["publishes"]] == list(range(flow.parts))

    answer = planner.post("/v1/posts/publish", json=body)
    assert answer.status_code == 202, answer.text
    post = planner.wait_post(answer.json()["data"]["post_id"], timeout_s=60)
    assert post["status"] == "published", post
    calls = [entry for entry in planner.get(f"/v1/posts/{post['id']}/timeline").json()["data"] if entry["method"]]
    assert squeezed([call["stage"] for call in target["plan"]]) == squeezed([entry["stage"] for entry in calls])
    methods = {entry["stage"]: entry["method"] for entry in calls}
    assert {call["stage"]: call["method"] for call in target["plan"]} == methods
    for call in target["plan"]:
        if call["host_path"].startswith("{"):
            continue
        host = call["host_path"].split("/")[0]
        of_stage = [entry["host_path"] for entry in calls if entry["stage"] == call["stage"]]
        assert all(host in path for path in of_stage), (call, of_stage)


def test_each_account_for_itself(planner):
    """A text that is too long for X and none for YouTube: what is wrong with whom."""
    accounts = [planner.ids["facebook"][0], planner.ids["x"][0], planner.ids["youtube"][0], "01a1fcda-7451-7617-8dc3-203f49eaf280"]
    with stores_nothing(planner):
        data = validate(planner, account_ids=accounts, content="a" * 400)
    assert data["ok"] is False and data["mode"] == "basic"
    by_account = {target["account_id"]: target for target in data["accounts"]}
    assert [target["account_id"] for target in data["accounts"]] == accounts
    assert by_account[accounts[0]]["ok"] is True and by_account[accounts[0]]["plan"]
    (long,) = by_account[accounts[1]]["violations"]
    assert (long["code"], long["field"], long["limit"], long["actual"]) == ("text_too_long", "content", 280, 400)
    assert by_account[accounts[2]]["ok"] is False and by_account[accounts[2]]["type"] == "video"
    assert by_account[accounts[2]]["violations"] and not by_account[accounts[2]]["plan"]
    unknown = by_account[accounts[3]]
    assert (unknown["platform"], unknown["type"], unknown["plan"]) == (None, None, [])
    assert [(v["code"], v["field"]) for v in unknown["violations"]] == [("unknown", "account_ids.3")]
    refused = planner.publish(accounts[1:2], "a" * 400)
    assert check_error(refused, 422, "VALIDATION_ERROR")["details"]["rules"][0]["rule"] == long["code"]


def test_a_type_that_a_platform_does_not_have(planner):
    data = validate(planner, account_ids=[planner.ids["youtube"][0]], content="x", type="article")
    (target,) = data["accounts"]
    assert (target["ok"], target["type"], target["plan"]) == (False, None, [])
    assert [violation["code"] for violation in target["violations"]] == ["type_not_supported"]


def test_warnings_are_told(planner):
    data = validate(planner, account_ids=[planner.ids["x"][0]], content="x", platforms={"x": {"nothing": 1}, "tiktok": {}})
    assert {warning["field"] for warning in data["warnings"]} == {"platforms.tiktok", "platforms.x.nothing"}
    assert data["ok"] is True


@pytest.mark.parametrize("body, code", [
    ({}, "VALIDATION_ERROR"), ({"account_ids": ["a"], "content": 7}, "VALIDATION_ERROR"),
    ({"account_ids": ["a"], "content": "x", "media": [{"url": "ftp://x/", "type": "image"}]}, "INVALID_MEDIA"),
    ({"account_ids": ["a"], "content": "x", "scheduled_at": "soon"}, "INVALID_SCHEDULE"),
])
def test_a_body_that_cannot_be_read_is_refused_as_publishing_would(planner, body, code):
    refused = check_error(planner.post("/v1/posts/validate", json=body), 422, code)
    assert refused == planner.post("/v1/posts/publish", json=body).json()


def test_a_used_request_id_is_no_matter(planner):
    """Nothing is promised by asking."""
    account = planner.ids["x"][0]
    planner.accepted(account, marker("asked"), request_id="asked before")
    assert validate(planner, account_ids=[account], content="again", request_id="asked before")["ok"] is True
