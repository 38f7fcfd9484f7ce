# SPDX-License-Identifier: Apache-2.0
"""Uploads that break (rules.md 2.3): the connection is cut after random bytes of random chunks, and the service is killed in
between. Each video is there once in the end, whole, and no byte of it was sent to a second session that was not needed.
POSTHORN_LONG=1 takes more rounds."""
import hashlib
import json
import random
import time

import pytest

from fault_harness import IS_LONG, World, judge
from flows import BY_NAME

ROUNDS = 40 if IS_LONG else 5
CUTS_MAX = 3
TIMEOUT_S = 90
UPLOADS = {"youtube film": ("PUT", "/upload/youtube/v3/videos"), "tiktok video": ("PUT", "/video/")}


def spoil(world, flow, dice):
    """Cuts at random bytes, each met by the next PUT that carries bytes or asks for them."""
    method, path = UPLOADS[flow.name]
    size = 9_000_000 if flow.platform == "youtube" else 200_000
    count = dice.randint(1, CUTS_MAX)
    for _ in range(count):
        world.sandbox.fault(flow.platform, method, path, "cut", bytes=dice.randrange(size))
    return count


def kill_at_times(world, flow, dice, post_id):
    """kill -9 some moments after the post was accepted, once or twice."""
    for _ in range(dice.randint(0, 2)):
        time.sleep(dice.random() * 0.4)
        world.kill()
        world.start()
    return world.settle(post_id, flow, timeout_s=TIMEOUT_S)


def sessions(world, flow, text):
    """How many uploads were begun for this text."""
    begun = {"youtube": "/upload/youtube/v3/videos", "tiktok": "/v2/post/publish/video/init/"}[flow.platform]
    return sum(1 for call in world.sandbox.log(path=begun, method="POST") if json.dumps(text)[1:-1] in (call.get("body") or ""))


@pytest.mark.parametrize("name", sorted(UPLOADS))
def test_upload_that_is_cut_goes_on(name, media):
    flow = BY_NAME[name]
    dice = random.Random(name)
    digest = hashlib.sha256(media.film if flow.platform == "youtube" else media.video).hexdigest()
    met = 0
    with World(media, [flow.platform], time_scale=flow.time_scale) as world:
        for number in range(ROUNDS):
            texts = flow.texts()
            wished = spoil(world, flow, dice)
            post_id = world.accept(world.request(flow, texts))
            post = kill_at_times(world, flow, dice, post_id)
            left = sum(fault["times"] for fault in world.sandbox.faults())
            met += wished - left
            world.sandbox.clear_faults()
            if flow.platform == "tiktok":
                world.sandbox.advance(10)
            timeline = world.app.timeline_text(post["id"])
            wrong = judge(flow, world.account(flow), texts, post, world.sandbox.ledger())
            assert not wrong, f"round {number}: {wrong}\n{timeline}"
            assert post["status"] == "published", timeline
            entry = [entry for entry in world.sandbox.ledger(texts[0]) if not entry["reply_to"]]
            assert [item["sha256"] for item in entry[0]["media"]] == [digest], "put together wrongly"
            assert sessions(world, flow, texts[0]) <= 3, timeline  # a kill between the start and its answer loses one
        print(f"{name}: {ROUNDS} uploads, {met} cuts met")
    assert met >= ROUNDS // 2


def test_kill_in_the_middle_goes_on_in_the_same_session(media):
    """A service that dies after the first chunk asks the session and sends the rest, not the whole."""
    flow = BY_NAME["youtube film"]
    with World(media, ["youtube"], time_scale=flow.time_scale) as world:
        texts = flow.texts()
        body = world.request(flow, texts)
        world.kill()
        # The second chunk's request is committed and not sent: begin, fetch and session come before it.
        world.start(crash_point="before_send:3")
        post_id = world.accept(body)
        world.wait_for_death()
        world.start()
        post = world.settle(post_id, flow, timeout_s=TIMEOUT_S)
        assert judge(flow, world.account(flow), texts, post, world.sandbox.ledger()) == []
        assert post["status"] == "published" and sessions(world, flow, texts[0]) == 1
        ranges = [call["headers"].get("content-range") for call in world.sandbox.log(path="/upload/youtube/v3/videos", method="PUT")]
        assert ranges.count("bytes 0-8388607/9000000") == 1, ranges
