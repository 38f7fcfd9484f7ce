# SPDX-License-Identifier: Apache-2.0
"""kill -9 at every named point of the engine, the k-th time it is passed, on every flow: after a restart on the same data each
part is visible at most once, on platforms that can be asked exactly once, and the API says what the ledger shows.

A cell is (flow, point, k, answer received or lost). By default k is 1, 2, 3 and a later one, and one more with
the answer lost; POSTHORN_LONG=1 takes every k until the flow runs through."""
import concurrent.futures
import itertools
import random
import time

import pytest

from fault_harness import IS_LONG, World, count_post, figures_text, judge, judge_sent, new_figures
from flows import FLOWS

POINTS = ("before_commit", "after_commit", "before_send", "after_send", "after_reply")
LANES = 5
CELLS_PER_WORLD = 24  # the simulated platforms have quotas: YouTube 100 uploads, Instagram 50 posts a day
K_MAX = 60  # TikTok is asked again and again while it processes; a flow that is not through by then is a failure of its own
THROUGH_IN_A_ROW = 2  # a wait may come out shorter or longer by a turn: how many k without a crash end the search


class Lane:
    """All cells of one flow, one after the other, in worlds that no other lane uses."""

    def __init__(self, flow, media, points=POINTS):
        self.flow, self.media, self.points = flow, media, points
        self.figures, self.wrong = new_figures(), []
        self.world, self.posts = None, []

    def run(self):
        begin = time.monotonic()
        try:
            for point, is_lost in itertools.product(self.points, (False, True)):
                self.walk(point, is_lost)
            self.retire_world()
        finally:
            if self.world is not None:
                self.world.destroy()
        self.took_s = time.monotonic() - begin
        return self

    def walk(self, point, is_lost):
        """k = 1, 2, 3, ... until the flow runs through; or some of these k."""
        in_a_row = 0
        for k in self.ks(point, is_lost):
            in_a_row = 0 if self.cell(point, k, is_lost) else in_a_row + 1
            if in_a_row == THROUGH_IN_A_ROW or (in_a_row and not IS_LONG):
                return  # what comes later in the flow is not there
        assert not IS_LONG, f"{self.flow.name}: {point} is passed more than {K_MAX} times"

    def ks(self, point, is_lost):
        if IS_LONG:
            return range(1, K_MAX)
        dice = random.Random(f"{self.flow.name} {point} {is_lost}")
        return (dice.randint(2, 6),) if is_lost else (1, 2, 3, dice.randint(4, 9))

    def cell(self, point, k, is_lost):
        """True when it crashed."""
        world, flow = self.fresh_world(), self.flow
        texts = flow.texts()
        body = world.request(flow, texts)
        for method, path in flow.publish_calls if is_lost else ():
            world.sandbox.fault(flow.platform, method, path, "reset_after")
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
        self.wrong += [f"nobody asked for {entry}" for entry in ledger if not any(text in entry["text"] for text in known)]
        world.close()
        self.world, self.posts = None, []


def make_lanes(media):
    """One for each flow; one for each point of a flow that takes long."""
    for flow in FLOWS:
        for points in [(point,) for point in POINTS] if flow.platform == "tiktok" else [POINTS]:
            yield Lane(flow, media, points)


@pytest.fixture(scope="module")
def matrix(media, figures):
    """Lanes of different flows run beside each other."""
    lanes = list(make_lanes(media))
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        running = [(lane, pool.submit(lane.run)) for lane in lanes]
    for lane in lanes:
        figures.update(lane.figures)
    return running


@pytest.mark.parametrize("name", [flow.name for flow in FLOWS])
def test_flow_survives_every_crash(matrix, name):
    lanes = [running.result() for lane, running in matrix if lane.flow.name == name]
    for lane in lanes:
        print(f"{name}: {figures_text(lane.figures)} in {lane.took_s:.0f} s")
        assert not lane.wrong, "\n".join(lane.wrong)
        assert lane.figures["crashes"] > 0
        assert lane.figures["published"] > 0


def test_matrix_did_something(matrix, figures):
    """A run without crashes or without calls in doubt proves nothing (RELIABILITY.md 3, I7)."""
    assert figures["crashes"] > len(FLOWS) * len(POINTS)
    assert figures["in doubt"] > 0
    assert figures["lost"] == figures["doubled"] == 0
