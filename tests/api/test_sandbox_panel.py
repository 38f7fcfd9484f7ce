# SPDX-License-Identifier: Apache-2.0
"""The sandbox's panel: what its forms set is what the JSON routes show, and what they refuse is refused in words."""
import re

import pytest
import requests

from harness import HTTP_S, Sandbox


@pytest.fixture(scope="module")
def box():
    with Sandbox() as sandbox:
        yield sandbox


def panel(box, do=None, headers=None, **fields):
    url = f"{box.url}/_sandbox/panel"
    if do is None:
        return requests.get(url, timeout=HTTP_S)
    return requests.post(url, data={"do": do, **fields}, headers=headers, timeout=HTTP_S)


def seen(box, what):
    return requests.get(f"{box.url}/_sandbox/{what}", timeout=HTTP_S).json()


def values(box):
    return {knob["name"]: knob["value"] for knob in seen(box, "knobs")["knobs"]}


def test_a_fault_is_set_seen_and_cleared(box):
    match = {"method": "POST", "path": "/rest/posts"}
    shown = panel(box, "fault", platform="linkedin", effect="rate_limit", status="", retry_after="60", times="2", **match)
    assert shown.status_code == 200 and shown.history[0].status_code == 303
    [fault] = seen(box, "faults")["faults"]
    assert (fault["platform"], fault["effect"], fault["times"], fault["retry_after"]) == ("linkedin", "rate_limit", 2, 60)
    assert fault["match"] == {"method": "POST", "path": "/rest/posts"}
    assert "<code>POST /rest/posts</code> rate_limit, 2 more" in shown.text
    assert "Nothing is going to break." in panel(box, "clear").text and seen(box, "faults")["faults"] == []


def test_knobs_are_set_together(box):
    before = values(box)
    assert f'id="x_me_limit" name="x_me_limit" type="number" value="{before["x_me_limit"]}"' in panel(box).text
    shown = panel(box, "knobs", x_me_limit="7", youtube_audited="0")
    assert values(box) == {**before, "x_me_limit": 7, "youtube_audited": 0}
    assert len(re.findall(r'<tr class="set">', shown.text)) == 2
    panel(box, "knobs", **{name: str(value) for name, value in before.items()})
    assert values(box) == before and '<tr class="set">' not in panel(box).text


def test_the_clock_goes_on(box):
    def hour(text):
        return re.search(r"it is <strong>(\S+)</strong>", text)[1]

    first = hour(panel(box).text)
    assert hour(panel(box, "clock", hours="24").text)[:10] > first[:10]


@pytest.mark.parametrize("do, fields, said", [
    ("knobs", {"x_me_limit": "0"}, "x_me_limit must be an integer from 1 to 1000000"),
    ("knobs", {"x_me_limit": "many"}, "x_me_limit must be an integer"),
    ("knobs", {"nothing": "1"}, "unknown knob nothing"),
    ("fault", {"platform": "myspace", "effect": "status"}, "platform"),
    ("fault", {"platform": "x", "effect": "status", "status": "999"}, "status must be from 200 to 599"),
    ("clock", {"hours": "-1"}, "hours must be a whole number"),
    ("dance", {}, "do must be fault, clear, knobs or clock"),
])
def test_what_cannot_be_set_is_said(box, do, fields, said):
    before = values(box), seen(box, "faults")["faults"]
    answer = panel(box, do, **fields)
    assert answer.status_code == 400
    assert said in re.search(r'role="alert"[^>]*>([^<]*)<', answer.text)[1]
    assert (values(box), seen(box, "faults")["faults"]) == before


def test_what_is_set_is_text_on_the_page(box):
    shown = panel(box, "fault", platform="x", effect="status", path="/<script>alert(1)</script>")
    assert "<script" not in shown.text and "&lt;script&gt;" in shown.text
    assert shown.headers["Content-Security-Policy"].startswith("default-src 'none'")
    panel(box, "clear")


def test_another_site_cannot_send_its_forms(box):
    before = values(box)
    assert panel(box, "knobs", {"Sec-Fetch-Site": "cross-site"}, x_me_limit="9").status_code == 403
    assert values(box) == before
    assert panel(box, "knobs", {"Sec-Fetch-Site": "same-origin"}, x_me_limit=str(before["x_me_limit"])).status_code == 200


def test_the_feed_leads_there(box):
    assert 'href="/_sandbox/panel"' in requests.get(box.url, timeout=HTTP_S).text
