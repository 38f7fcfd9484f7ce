# SPDX-License-Identifier: Apache-2.0
"""kill -9 at every named point of the engine, the k-th time it is passed, on every flow: after a restart on the same data each
part is visible at most once, on platforms that can be asked exactly once, and the API says what the ledger shows.

A cell is (flow, point, k, answer received or lost). A first run of each flow tells how many calls it makes, so that k is one that
comes. By default k is 1 and a later one around the call itself and one of them elsewhere, and at one of the points once more with the
answer lost; POSTHORN_LONG=1 takes every k until the flow runs through. pytest -k "x thread", or POSTHORN_FLOWS="x*,facebook
photo", runs those flows alone."""
import concurrent.futures
import itertools
import random
import time
import zlib

import pytest

from fault_harness import (
    CELLS_PER_WORLD, IS_LONG, World, aim_at_publish_calls, chosen, count_post, figures_text, judge, judge_sent,
    new_figures, selected,
)
from flows import FLOWS, shows

POINTS = ("before_commit", "after_commit", "before_send", "after_send", "after_reply")
LANES = 5
TWICE = ("after_commit", "after_send")  # the intent is durable; the call may have happened
LOST_POINTS = 1  # of the five, others for each flow
K_MAX = 120  # TikTok is asked again and again while it processes; a flow that is not through by then is a failure of its own
THROUGH_IN_A_ROW = 2  # a wait may come out shorter or longer by a turn: how many k without a crash end the search


class Lane:
    """All cells of one flow, one after the other, in worlds that no other lane uses."""

    def __init__(self, flow, media, points=POINTS):
        self.flow, self.media, self.points = flow, media, points
        self.figures, self.wrong, self.crashed_points = new_figures(), [], set()
        self.world, self.posts, self.calls = None, [], 0

    def run(self):
        begin = time.monotonic()
        try:
            self.calls = self.count_calls()
            for point, is_lost in itertools.product(self.points, (False, True)):
                self.walk(point, is_lost)
            self.retire_world()
        finally:
            if self.world is not None:
                self.world.destroy()
        self.took_s = time.monotonic() - begin
        return self

    def count_calls(self):
        """Of a run without a crash."""
        world, texts = self.fresh_world(), self.flow.texts()
        world.start()
        post = world.settle(world.accept(world.request(self.flow, texts)), self.flow)
        self.note(post, texts, "no crash")
        calls = len(world.timeline(post["id"]))
        world.kill()
        return calls

    def walk(self, point, is_lost):
        """k = 1, 2, 3, ... until the flow runs through; or some of these k."""
        if not IS_LONG:
            for k in self.some_ks(point, is_lost):
                self.cell(point, k, is_lost)
            if point not in self.crashed_points:  # the flow took fewer calls this time
                self.cell(point, 1, is_lost)
            return
        in_a_row = 0
        for k in range(1, K_MAX):
            in_a_row = 0 if self.cell(point, k, is_lost) else in_a_row + 1
            if in_a_row == THROUGH_IN_A_ROW:
                return  # what comes later in the flow is not there
        raise AssertionError(f"{self.flow.name}: {point} is passed more than {K_MAX} times")

    def some_ks(self, point, is_lost):
        """Every call is one passing; each has its commit."""
        dice = random.Random(f"{self.flow.name} {point} {is_lost}")
        later = range(2, self.calls + 1 + point.endswith("commit"))
        if is_lost:
            number = (POINTS.index(point) + zlib.crc32(self.flow.name.encode())) % len(POINTS)
            return [dice.choice([1, *later])] if number < LOST_POINTS else []
        if point not in TWICE:
            return [dice.choice([1, *later])]
        return [1, *([dice.choice(later)] if later else [])]

    def cell(self, point, k, is_lost):
        """True when it crashed."""
        world, flow = self.fresh_world(), self.flow
        texts = flow.texts()
        body = world.request(flow, texts)
        if is_lost:
            aim_at_publish_calls(world, flow, "reset_after")
        world.start(crash_point=f"{point}:{k}")
        post_id = world.accept(body) if world.service.url else None
        mortal = world.service
        post = world.wait_or_death(post_id, flow) if post_id else world.wait_for_death()
        has_crashed = mortal.is_dead
        if has_crashed:
            world.service.check_died_by_kill()
            if flow.patience_s and k % 2 == 0:
                world.later(flow.patience_s)  # the next start comes so late that looks are believed
            else:
                world.start()
            post_id = world.accept(body)
        if post is None or has_crashed:
            post = world.settle(post_id, flow)
        self.note(post, texts, f"{point}:{k} answer {'lost' if is_lost else 'received'}")
        has_crashed = has_crashed or mortal.is_killed_by_itself
        self.crashed_points |= {point} if has_crashed else set()
        self.figures["crashes"] += has_crashed
        world.sandbox.clear_faults()
        world.kill()
        return has_crashed

    def note(self, post, texts, name):
        world = self.world
        wrong = judge(self.flow, world.account(self.flow), texts, post, world.sandbox.ledger())
        timeline = world.app.timeline_text(post["id"])
        wrong += judge_sent(self.flow, texts, world.sandbox.log())
        count_post(self.figures, post, wrong, timeline)
        self.wrong += [f"{name}: {line}\n{timeline}" for line in wrong]
        self.posts.append((post, texts))

    def fresh_world(self):
        if self.world is not None and len(self.posts) >= CELLS_PER_WORLD:
            self.retire_world()
        if self.world is None:
            self.world = World(self.media, [self.flow.platform], time_scale=self.flow.time_scale)
            self.world.kill()
        return self.world

    def retire_world(self):
        """One last start: nothing that was final changes, nothing more is sent (I5)."""
        world, flow = self.world, self.flow
        world.check_store()
        world.start()
        time.sleep(0.3)
        ledger = world.sandbox.ledger()
        for post, texts in self.posts:
            again = world.app.show(post["id"])
            if again["platform_posts"] != post["platform_posts"]:
                self.wrong.append(f"a final post changed: {post} {again}")
            self.wrong += [f"later: {line}" for line in judge(flow, world.account(flow), texts, again, ledger)]
        known = [text for _, texts in self.posts for text in texts]
        self.wrong += [f"nobody asked for {entry}" for entry in ledger if not any(shows(entry, text) for text in known)]
        world.close()
        self.world, self.posts = None, []


def make_lanes(flows, media):
    """One for each flow; with every k, one for each point of a flow that takes long."""
    for flow in flows:
        for points in [(point,) for point in POINTS] if IS_LONG and flow.platform == "tiktok" else [POINTS]:
            yield Lane(flow, media, points)


@pytest.fixture(scope="module")
def matrix(request, media, figures):
    """Lanes of different flows run beside each other."""
    lanes = list(make_lanes(selected(request, MATRIX), media))
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        running = [(lane, pool.submit(lane.run)) for lane in lanes]
    for lane in lanes:
        figures.update(lane.figures)
    return running


MATRIX = chosen(FLOWS)


@pytest.mark.parametrize("name", [flow.name for flow in MATRIX])
def test_flow_survives_every_crash(matrix, name):
    lanes = [running.result() for lane, running in matrix if lane.flow.name == name]
    for lane in lanes:
        print(f"{name}: {figures_text(lane.figures)} in {lane.took_s:.0f} s")
        assert not lane.wrong, "\n".join(lane.wrong)
        assert lane.crashed_points == set(lane.points), "every point was met"
        assert lane.figures["published"] > 0


def test_matrix_did_something(matrix, figures):
    """A run without crashes or without calls in doubt proves nothing (rules.md 3, I7)."""
    lanes = [lane for lane, _ in matrix]
    assert figures["crashes"] >= len(lanes) * len(lanes[0].points)
    assert figures["in doubt"] > 0
    assert figures["lost"] == figures["doubled"] == 0
