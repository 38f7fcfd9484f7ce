# SPDX-License-Identifier: Apache-2.0
"""Every way in which the sandbox's platforms can misbehave, at every call of every flow (rules.md 3.2): each post ends, nothing
is lost or doubled, and the API says what became of it. The calls are learnt from a clean run, so a new flow is tested by itself.
By default some at each call, the same each time; POSTHORN_LONG=1 takes all, timeouts too. pytest -k "x thread", or
POSTHORN_FLOWS="x*,facebook photo", runs those flows alone."""
import concurrent.futures
import random

import pytest

from fault_harness import (
    CELLS_PER_WORLD, IS_LONG, World, chosen, count_post, judge, judge_sent, learn_calls, new_figures, outcome_of, selected,
)
from flows import FLOWS

EFFECTS_PER_CALL = 3
LANES = 6
TIKTOK_LANES = 4 if IS_LONG else 1  # its processing takes time
TIMEOUT_S = 100  # a call that is never answered takes 30 s, whatever the time scale

# Bodies as the platforms write them: only a well-formed refusal is a refusal.
META_CODES = {401: 190, 403: 200, 404: 803, 429: 4}
TIKTOK_CODES = {401: "access_token_invalid", 429: "rate_limit_exceeded"}


def meta_body(status):
    return {"error": {"message": "no", "type": "OAuthException", "code": META_CODES.get(status, 100), "fbtrace_id": "A"}}


def x_body(status):
    return {"title": "No", "detail": "no", "type": "about:blank", "status": status}


def linkedin_body(status):
    return {"message": "no", "status": status, "code": "NO", "serviceErrorCode": 100}


def youtube_body(status):
    return {"error": {"code": status, "message": "no", "errors": [{"message": "no", "domain": "global", "reason": "no"}]}}


def tiktok_body(status):
    return {"data": {}, "error": {"code": TIKTOK_CODES.get(status, "invalid_params"), "message": "no", "log_id": "1"}}


BODIES = {
    "instagram": meta_body,
    "facebook": meta_body,
    "x": x_body,
    "linkedin": linkedin_body,
    "youtube": youtube_body,
    "tiktok": tiktok_body,
}

PUBLISHED, UNKNOWN, REAUTH = "published", "OUTCOME_UNKNOWN", "ACCOUNT_REAUTH_REQUIRED"
# Effect -> (its members, the class of what may come of it).
EFFECTS = {
    "status 400": ({"effect": "status", "status": 400}, "refusal"),
    "status 401": ({"effect": "status", "status": 401}, "token"),
    "status 403": ({"effect": "status", "status": 403}, "refusal"),
    "status 404": ({"effect": "status", "status": 404}, "refusal"),
    "status 429": ({"effect": "status", "status": 429}, "later"),
    "status 500": ({"effect": "status", "status": 500}, "nothing done"),
    "status 503": ({"effect": "status", "status": 503}, "nothing done"),
    "status_after 500": ({"effect": "status_after", "status": 500}, "done"),
    "reset_before": ({"effect": "reset_before"}, "nothing done"),
    "reset_after": ({"effect": "reset_after"}, "done"),
    "truncate": ({"effect": "truncate"}, "done"),
    "garbage": ({"effect": "garbage"}, "done"),
    "rate_limit": ({"effect": "rate_limit", "retry_after": 2}, "later"),
    "expire_token": ({"effect": "expire_token"}, "token"),
}
if IS_LONG:
    EFFECTS["timeout_after"] = ({"effect": "timeout_after"}, "done")


def allowed_outcomes(call, kind):
    """What may come of a fault of that class at that call. A call after the publish call is told nothing but its own failure
    (permalinks) or keeps asking (TikTok's status)."""
    flow = call.flow
    refusals = {"PLATFORM_REJECTED", "CONTENT_REJECTED", "PERMISSION_MISSING", "MEDIA_REJECTED", "APP_NOT_APPROVED", REAUTH,
                "ACCOUNT_RESTRICTED", "PLATFORM_UNAVAILABLE", "RATE_LIMITED", "QUOTA_EXHAUSTED", "PARENT_GONE"}
    if kind == "later":
        return {PUBLISHED}
    if kind == "token":
        return {PUBLISHED, REAUTH} | ({UNKNOWN} if call.kind == "after" else set())
    if kind == "refusal":
        # The session of YouTube and the container of Instagram are asked once more before anything is said.
        return {PUBLISHED, *refusals} | ({UNKNOWN} if call.kind == "after" else set())
    if call.kind != "publish" or flow.is_strong:
        return {PUBLISHED}
    if kind == "nothing done":
        # A weak platform cannot prove that nothing was done; LinkedIn's guard takes one repeat of a post, none of a comment.
        return {PUBLISHED, UNKNOWN} if flow.sends_max > 1 else {UNKNOWN}
    # Comments of a member at LinkedIn cannot be read, photos at TikTok are on no list.
    return {PUBLISHED, UNKNOWN} if "socialActions" in call.path or flow.is_blind else {PUBLISHED}


class Lane:
    """All cells of one flow, or every count-th of them, in worlds of its own."""

    def __init__(self, flow, media, number=0, count=1):
        self.flow, self.media, self.number, self.count = flow, media, number, count
        self.cells, self.figures = [], new_figures()

    def run(self):
        cells, first = None, 0
        while cells is None or first < len(cells):
            with World(self.media, [self.flow.platform], time_scale=self.flow.time_scale) as world:
                cells = cells or self.choose_cells(learn_calls(world, self.flow))
                for call, effect in cells[first : first + CELLS_PER_WORLD]:
                    self.cell(world, call, effect)
            first += CELLS_PER_WORLD
        return self

    def choose_cells(self, calls):
        dice = random.Random(self.flow.name)
        count = len(EFFECTS) if IS_LONG else EFFECTS_PER_CALL
        every = [(call, effect) for call in calls for effect in dice.sample(list(EFFECTS), count)]
        return every[self.number :: self.count]

    def cell(self, world, call, effect):
        flow, texts = self.flow, self.flow.texts()
        members, kind = EFFECTS[effect]
        members = dict(members)
        status = members.get("status", 200)
        if members["effect"] == "status" and status < 500:
            members["body"] = BODIES[flow.platform](status)
        call.aim(world.sandbox, **members)
        post = world.settle(world.accept(world.request(flow, texts)), flow, timeout_s=TIMEOUT_S)
        was_met = all(fault["times"] == 0 for fault in world.sandbox.faults())
        world.sandbox.clear_faults()
        timeline = world.app.timeline_text(post["id"])
        if flow.platform == "tiktok":
            world.sandbox.advance(10)  # what was uploaded is processed and shown by then
        wrong = judge(flow, world.account(flow), texts, post, world.sandbox.ledger(), may_refuse=kind in ("refusal", "token"))
        if kind in ("nothing done", "done"):
            wrong += judge_sent(flow, texts, world.sandbox.log())
        if outcome_of(post) not in allowed_outcomes(call, kind):
            wrong.append(f"not to be expected: {outcome_of(post)}")
        if not was_met:
            wrong.append("the fault was not met")
        count_post(self.figures, post, wrong, timeline)
        self.cells.append((f"{call.name}, {effect}: {outcome_of(post)}", [f"{line}\n{timeline}" for line in wrong]))
        if outcome_of(post) == REAUTH or kind == "token":
            world.app.connect(flow.platform)


TESTED = chosen(FLOWS)


@pytest.fixture(scope="module")
def lanes(request, media, figures):
    made = []
    for flow in selected(request, TESTED):
        count = TIKTOK_LANES if flow.platform == "tiktok" else 1
        made += [Lane(flow, media, number, count) for number in range(count)]
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        running = [(lane, pool.submit(lane.run)) for lane in made]
    for lane in made:
        figures.update(lane.figures)
    return running


@pytest.mark.parametrize("name", [flow.name for flow in TESTED])
def test_every_fault_at_every_call(lanes, name):
    cells = [cell for lane, running in lanes if lane.flow.name == name for cell in running.result().cells]
    for cell, _ in cells:
        print(cell)
    problems = [f"{cell}: {line}" for cell, wrong in cells for line in wrong]
    assert not problems, "\n".join(problems)
    assert any(cell.endswith(PUBLISHED) for cell, _ in cells)


def test_faults_did_something(lanes, figures):
    assert figures["cells"] >= 2 * len(lanes)
    assert figures["lost"] == figures["doubled"] == 0
    if len(lanes) >= len(FLOWS):
        assert figures["in doubt"] > 0 and figures["refused"] > 0
        missed = set(EFFECTS) - {cell.rpartition(", ")[2].partition(":")[0] for lane, _ in lanes for cell, _ in lane.cells}
        assert not missed, "every effect was tried somewhere"
