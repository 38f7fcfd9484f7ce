# SPDX-License-Identifier: Apache-2.0
"""The id that TikTok tells later, under SIGKILL (store_late_id.h): a public video is out and has none yet, and the service dies at each
of the engine's points, the k-th time it is passed, while it looks for the id: around the look that finds nothing and around the one that
finds it, with the answer received or lost. After a start on the same data the post has its id, it stayed published all the time, it is
visible once, nothing but looks was sent since it was out, and its app was told of the id once."""
import json
import time

from fault_harness import GONE, IS_LONG, World
from harness import marker, poll
from test_crash_matrix import POINTS

NEVER_MS, AT_ONCE_MS = 86400000, 0  # until a public post has its id
STATUS = "/v2/post/publish/status/fetch/"
TIME_SCALE = 1000  # the first look comes after 60 ms, the second after 120 ms, and a day is 86 s
DIES_WITHIN_S = 5
CELLS_PER_WORLD = 12  # TikTok takes some fifteen posts of a creator a day
COMMITS = ("before_commit", "after_commit")


def cells():
    """(point, k, is the id there at once, is the first answer lost): a look passes each point once, and the commits twice."""
    for point in POINTS:
        for k in (1, 2, 3) if IS_LONG else (1, 2):
            if IS_LONG or k == 1:
                yield point, k, False, False
            if IS_LONG or (k == 2 and point in COMMITS):
                yield point, k, True, False
        if IS_LONG or point == "after_send":
            yield point, 1, True, True


class Cell:
    """A post that is out and lacks its id; the service is dead."""

    def __init__(self, world, name):
        self.world, self.name, self.text = world, name, marker("late id")
        world.sandbox.knob("tiktok_moderation_ms", NEVER_MS)
        body = {"account_ids": [world.accounts["tiktok"][0]["id"]], "content": self.text, "media": [world.media.clip(duration=4)],
                "platforms": {"tiktok": {"privacy_level": "PUBLIC_TO_EVERYONE"}}}
        self.post_id = world.accept(body)
        post = world.app.wait_post(self.post_id, timeout_s=60)
        assert (post["status"], self.platform_post()["platform_post_id"]) == ("published", None), post
        self.published_at = self.platform_post()["published_at"]
        world.kill()
        self.sent = len(world.sandbox.log())

    def platform_post(self):
        return self.world.app.show(self.post_id)["platform_posts"][0]

    def has_id(self):
        found = self.platform_post()
        assert found["status"] == "published", found
        return found["platform_post_id"]

    def die(self):
        """Of its crash point, or at the latest when it has its id."""
        end = time.monotonic() + DIES_WITHIN_S
        while not self.world.service.is_dead and time.monotonic() < end:
            try:
                if self.has_id():
                    return
            except GONE:  # it is dying
                self.world.service.popen.wait(timeout=10)
                return
            time.sleep(0.02)

    def judge(self):
        found, entries = self.platform_post(), self.world.sandbox.ledger(self.text)
        asked = {one["path"].split("?")[0] for one in self.world.sandbox.log()[self.sent:] if one["host"] == "open.tiktokapis.com"}
        events = self.world.app.get("/v1/events?after=0&limit=100").json()["data"]
        events = [one for one in events if self.post_id in json.dumps(one["data"])]
        told = [one["type"] for one in events if one["type"].startswith("post.")]
        wrong = []
        if len(entries) != 1 or found["platform_post_id"] != entries[0]["id"] or found["url"] != entries[0]["url"]:
            wrong.append(f"{found} {entries}")
        if found["published_at"] != self.published_at or found["warnings"] or found["error"]:
            wrong.append(f"more than its id changed: {found}")
        if not asked <= {STATUS, "/v2/oauth/token/"}:
            wrong.append(f"more than looks: {asked}")
        if told.count("post.id_found") != 1 or told.count("post.publish.succeeded") != 1 or "post.publish.failed" in told:
            wrong.append(f"told {told}")
        return [f"{self.name}: {line}\n{self.world.app.timeline_text(self.post_id)}" for line in wrong]


def one_cell(world, point, k, is_there, is_lost):
    """What is wrong, and whether it died of its own."""
    cell = Cell(world, f"{point}:{k} id {'there' if is_there else 'late'} answer {'lost' if is_lost else 'received'}")
    if is_there:
        world.sandbox.knob("tiktok_moderation_ms", AT_ONCE_MS)
    if is_lost:
        world.sandbox.fault("tiktok", "POST", STATUS, "reset_after")
    world.start(crash_point=f"{point}:{k}")
    if world.service.url is not None:
        cell.die()
    has_died = world.service.is_killed_by_itself
    world.kill()
    world.sandbox.clear_faults()
    world.sandbox.knob("tiktok_moderation_ms", AT_ONCE_MS)
    world.start()
    poll("the post's id", cell.has_id, 60)
    return cell.judge(), has_died


def test_a_late_id_survives_every_crash(media):
    world, died, wrong, count = None, [], [], 0
    try:
        for point, k, is_there, is_lost in cells():
            if world is None or count % CELLS_PER_WORLD == 0:
                if world is not None:
                    world.close()
                world = World(media, ("tiktok",), time_scale=TIME_SCALE)
                world.sandbox.knob("tiktok_processing_ms", 0)
                world.sandbox.knob("tiktok_rate_limits", 0)
            found, has_died = one_cell(world, point, k, is_there, is_lost)
            wrong += found
            died += [point] if has_died else []
            count += 1
    finally:
        if world is not None:
            world.destroy()
    print(f"late ids: {count} cells, {len(died)} crashes")
    assert not wrong, "\n".join(wrong)
    assert set(died) == set(POINTS)
