# SPDX-License-Identifier: Apache-2.0
"""A service that is stopped (SIGSTOP: a frozen machine, a debugger, a host that swaps) and goes on later, past the call's timeout:
between the intent and the request, and while an answer is under way. Nothing is published twice, and every post ends as it is.
POSTHORN_LONG=1 adds stops past the lease (90 s)."""
import concurrent.futures
import os
import pathlib
import signal
import threading
import time

import pytest

from fault_harness import FLUSHES, IS_LONG, World, count_post, judge, judge_sent, matches, wait_for
from flows import BY_NAME

PAST_TIMEOUT_S = 33  # a call has 30 s from its intent to its end (engine.c, CALL_TIMEOUT_MS), whatever the time scale
PAST_LEASE_S = 95
SHORT_S = 1.5
LAST_FLUSH_S = 3  # what the platform answered last is written down by then


class Scenario:
    """at: stop right after the at-th flush of the database, beginning with the one that accepts the post; or at a named point of the
    engine, the k-th time it is passed ("before_send:1"); None: while the platform takes a second for its answer."""

    def __init__(self, name, at, pause_s):
        self.flow, self.at, self.pause_s = BY_NAME[name], at, pause_s
        where = "answer under way" if at is None else f"flush {at}" if isinstance(at, int) else at
        self.id = f"{name}, {where}, {pause_s} s"

    def run(self, media):
        with World(media, [self.flow.platform], time_scale=self.flow.time_scale) as world:
            texts = self.flow.texts()
            body, post_id = world.request(self.flow, texts), []
            if self.at is None:
                self.slow_publish_calls(world)
            elif isinstance(self.at, str):
                world.kill()
                world.start(crash_point=self.at, environment={"POSTHORN_CRASH_STOPS": "1"})
            else:
                world.control.begin(error=0, at=self.at, is_sticky=False, calls=FLUSHES)
            client = threading.Thread(target=lambda: post_id.append(world.accept(body, timeout_s=PAST_LEASE_S + 60)))
            client.start()
            was_stopped = self.stop(world, texts)
            if was_stopped:
                time.sleep(self.pause_s)
            world.control.end()
            os.kill(world.service.popen.pid, signal.SIGCONT)
            client.join()
            post = world.settle(post_id[0], self.flow)
            timeline = world.app.timeline_text(post["id"])
            time.sleep(0.3)  # what would still be sent is sent now
            wrong = judge(self.flow, world.account(self.flow), texts, post, world.sandbox.ledger())
            wrong += judge_sent(self.flow, texts, world.sandbox.log())
            return post, wrong, timeline, was_stopped

    def slow_publish_calls(self, world):
        for method, path in self.flow.publish_calls:
            world.sandbox.fault(self.flow.platform, method, path, "slow", retry_after=1)

    def stop(self, world, texts):
        """True once the process stands still. False: everything is published, so there is no flush of that number."""
        pid = world.service.popen.pid
        if self.at is None:
            wait_for("a publish call", lambda: any(
                matches(path, entry["path"]) for _, path in self.flow.publish_calls for entry in world.sandbox.log(method="POST")
            ))
            os.kill(pid, signal.SIGSTOP)
        published_at = None
        while published_at is None or time.monotonic() < published_at + LAST_FLUSH_S:
            if state_of(pid) == "T":
                return True
            if published_at is None and all(world.sandbox.ledger(text=text) for text in texts):
                published_at = time.monotonic()
            time.sleep(0.02)
        return False


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


# The intent is committed, and its request is about to be handed on.
BETWEEN = Scenario("x text", "before_send:1", PAST_TIMEOUT_S)


def make_scenarios():
    for at in range(1, 5):
        yield Scenario("x text", at, PAST_TIMEOUT_S)
    yield BETWEEN
    for name in ("x text", "instagram image", "facebook comment"):
        yield Scenario(name, None, PAST_TIMEOUT_S)
    for at in (2, 3, 4, 5):
        yield Scenario("facebook comment", at, SHORT_S)
    if IS_LONG:
        for name in BY_NAME:
            yield Scenario(name, None, PAST_TIMEOUT_S) if name.startswith("linkedin") else Scenario(name, 3, PAST_LEASE_S)
        for name in ("x text", "x thread", "instagram image", "linkedin organization", "facebook photo"):
            yield Scenario(name, None, PAST_LEASE_S)


SCENARIOS = list(make_scenarios())


def begin_pauses(media):
    """{scenario's id: its future}. All stand still beside each other, and beside other tests: most of the time is waiting."""
    pool = concurrent.futures.ThreadPoolExecutor(len(SCENARIOS))
    running = {}
    for scenario in SCENARIOS:
        running[scenario.id] = pool.submit(scenario.run, media)
        time.sleep(0.2)
    pool.shutdown(wait=False)
    return running


@pytest.mark.parametrize("name", [scenario.id for scenario in SCENARIOS])
def test_nothing_is_doubled_by_a_pause(pauses, figures, name):
    post, wrong, timeline, was_stopped = pauses[name].result()
    count_post(figures, post, wrong, timeline)
    assert not wrong, f"{wrong}\n{timeline}"
    assert post["status"] == "published" or post["platform_posts"][0]["error"]["code"] == "OUTCOME_UNKNOWN", timeline
    assert was_stopped or "flush" in name


def test_a_stop_between_intent_and_request_sends_nothing_late(pauses):
    """Between the commit of the intent and the send: that request is too late when the process goes on. It is not sent, and the post
    goes out after all, by a request of its own."""
    post, _, timeline, was_stopped = pauses[BETWEEN.id].result()
    assert was_stopped and post["status"] == "published"
    assert '"never_sent"' in timeline, timeline
