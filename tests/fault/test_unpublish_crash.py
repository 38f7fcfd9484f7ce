# SPDX-License-Identifier: Apache-2.0
"""The promise of taking back under SIGKILL (api-decisions.md 12): posts of every platform that can are unpublished while the service
dies at each of the engine's points, the k-th time it is passed, with the answers to deletions received or lost. After a start on the
same data each removal that was answered 202 ends removed, nothing of the posts is seen any more, posts that nobody asked about stay,
and nothing is deleted once more that the platform could be asked about: a member's post at LinkedIn alone may be, once.

One run of all platforms beside each other is a cell: a kill meets each of them somewhere in its look, deletion and end."""
import itertools
import json
import random
import signal
import time
import zlib

from fault_harness import GONE, IS_LONG, World
from harness import marker, poll
from test_crash_matrix import POINTS
from test_restore import back_up, put_back
from test_restore import world as restored_world  # noqa: F401

PLATFORMS = ("x", "facebook", "linkedin", "youtube", "instagram")
K_MAX = 12 if IS_LONG else 9  # 10 commits and as many calls, when nothing is lost
SCOPES = "instagram_basic,instagram_content_publish,instagram_manage_comments,instagram_manage_contents,pages_show_list," \
    "pages_read_engagement,business_management"
DIES_WITHIN_S = 6
KINDS = ("x", "facebook", "linkedin", "linkedin page", "youtube", "instagram")
LOOKED_AT = ("x", "facebook", "linkedin page", "youtube", "instagram")  # a member's posts cannot be read


class Cell:
    """A post of each kind that is taken back, and one of X that stays."""

    def __init__(self, world, name):
        self.world, self.name = world, name
        self.texts = {kind: marker("taken back") for kind in KINDS}
        self.kept = marker("kept")
        self.posts = {kind: world.accept(self.body(kind, text)) for kind, text in self.texts.items()}
        self.kept_id = world.accept(self.body("x", self.kept))
        for post_id in (*self.posts.values(), self.kept_id):
            post = world.app.wait_post(post_id, timeout_s=60)
            assert (post["status"], post["outcome"]) == ("published", "all"), world.app.timeline_text(post_id)
        self.ids = {kind: [part["remote_id"] for part in world.app.show(post_id)["platform_posts"][0]["parts"]]
                    for kind, post_id in self.posts.items()}
        self.answered = set()

    def body(self, kind, text):
        slug, _, page = kind.partition(" ")
        media = {"instagram": [self.world.media.image()], "youtube": [self.world.media.clip(duration=4)]}.get(slug, [])
        more = [{"content": f"{text} reply"}] if kind == "x" else []
        return {"account_ids": [self.world.accounts[slug][bool(page)]["id"]], "containers": [{"content": text, "media": media}, *more]}

    def ask(self):
        for kind, post_id in self.posts.items():
            try:
                answer = self.world.app.post(f"/v1/posts/{post_id}/unpublish", timeout=10)
            except GONE:
                continue
            assert answer.status_code == 202, answer.text
            self.answered.add(kind)

    def removal(self, kind):
        return self.world.app.show(self.posts[kind])["platform_posts"][0]["removal"]

    def wait(self):
        """Until all that was answered has ended."""
        def is_over():
            return all((self.removal(kind) or {}).get("status") != "pending" for kind in self.answered)
        poll("the removals' end", is_over, 60)

    def judge(self, is_lost):
        wrong, log = [], self.world.sandbox.log()
        for kind in KINDS:
            removal = self.removal(kind)
            seen = self.world.sandbox.ledger(self.texts[kind])
            if removal is None or removal["status"] != "removed" or seen:
                wrong.append(f"{kind}: {removal}, seen {len(seen)}\n{self.world.app.timeline_text(self.posts[kind])}")
            wrong += [f"{kind}: {line}" for line in self.judge_calls(kind, log, is_lost)]
        if len(self.world.sandbox.ledger(self.kept)) != 2 or self.world.app.show(self.kept_id)["platform_posts"][0]["removal"]:
            wrong.append("what nobody asked about is gone")
        return [f"{self.name}: {line}" for line in wrong]

    def judge_calls(self, kind, log, is_lost):
        """What is gone is not deleted again: it is looked at first. Only X's replies have deletions of their own."""
        parts = self.ids[kind] if kind == "x" else self.ids[kind][:1]
        for remote_id in parts:
            calls = [one for one in log if remote_id.replace(":", "%3A") in one["path"] and one["method"] in ("GET", "DELETE")]
            methods = [one["method"] for one in calls]
            deleted = methods.count("DELETE")
            if deleted < 1 or (kind in LOOKED_AT and not all(before == "GET" for before, this in itertools.pairwise(["", *methods])
                                                             if this == "DELETE")):
                yield f"deletions without a look before each: {methods}"
            if deleted > (1 if kind in LOOKED_AT else 2 + is_lost):
                yield f"deleted {deleted} times: {methods}"


def lose_answers(world):
    """Of one deletion at each platform: it is done, and nobody hears of it."""
    for slug, path in (("x", "/2/tweets/*"), ("facebook", "/v25.0/*"), ("linkedin", "/rest/posts/*"),
                       ("youtube", "/youtube/v3/videos"), ("instagram", "/v25.0/*")):
        world.sandbox.fault(slug, "DELETE", path, "reset_after")


def wait_for_death(world, cell):
    begin = time.monotonic()
    while not world.service.is_dead and time.monotonic() < begin + DIES_WITHIN_S:
        try:
            if all((cell.removal(kind) or {}).get("status") == "removed" for kind in KINDS):
                return
        except GONE:
            return
        time.sleep(0.02)


def one_cell(world, point, k, is_lost):
    """What is wrong, and whether it died of its own."""
    cell = Cell(world, f"{point}:{k} answers {'lost' if is_lost else 'received'}")
    world.kill()
    if is_lost:
        lose_answers(world)
    world.start(crash_point=f"{point}:{k}")
    if world.service.url is not None:
        cell.ask()
        wait_for_death(world, cell)
    has_died = world.service.is_killed_by_itself
    world.kill()
    world.start()
    cell.ask()
    cell.wait()
    world.sandbox.clear_faults()
    return cell.judge(is_lost), has_died


def some_ks(point):
    """Every k, or one early and one late."""
    dice = random.Random(zlib.crc32(point.encode()))
    return range(1, K_MAX + 1) if IS_LONG else (dice.randint(1, 3), dice.randint(4, K_MAX))


def settle_in(world):
    done = world.app.cli("credential", "set", "--app", world.app.client_id, "--platform", "instagram", "--client-id",
                         "sandbox-instagram", "--client-secret-stdin", "--verify", "--force", "--scopes", SCOPES,
                         stdin="sandbox-secret-instagram")
    assert done.returncode == 0, done.stdout + done.stderr
    world.accounts["instagram"] = world.app.connect("instagram", user_id="with the permission").accounts


def test_removals_survive_every_crash(media):
    world, died, wrong = World(media, PLATFORMS, time_scale=1000), set(), []
    try:
        settle_in(world)
        for number, (point, k) in enumerate((point, k) for point in POINTS for k in some_ks(point)):
            found, has_died = one_cell(world, point, k, is_lost=number % 2 == 1)
            wrong += found
            died |= {point} if has_died else set()
    finally:
        world.destroy()
    assert not wrong, "\n".join(wrong)
    assert died == set(POINTS)


# ---- a row that stops the service ----


def abort(world, text):
    """A start with what is due, which the service dies of."""
    options = world.control.environment["ASAN_OPTIONS"] + ":handle_abort=0"
    world.start(environment={"POSTHORN_POISON_TEXT": text, "ASAN_OPTIONS": options})
    poll("it stops the service", lambda: world.service.is_dead, 30)
    assert world.service.popen.returncode == -signal.SIGABRT, world.service.stderr()


def test_a_removal_that_stops_the_service_is_set_aside(media):
    """After three times, and it stops only itself."""
    world, text, other = World(media, ("x",), time_scale=200), marker("poison"), marker("another")
    try:
        account = world.accounts["x"][0]["id"]
        ids = [world.app.published(account, one)["id"] for one in (text, other)]
        world.app.cli("pause", "--platform", "x")
        for post_id in ids:
            assert world.app.post(f"/v1/posts/{post_id}/unpublish").status_code == 202
        options = world.control.environment["ASAN_OPTIONS"] + ":handle_abort=0"
        world.service.stop()
        world.start(environment={"POSTHORN_POISON_TEXT": text, "ASAN_OPTIONS": options})
        world.app.cli("resume", "--platform", "x")
        poll("it stops the service", lambda: world.service.is_dead, 30)
        for _ in (2, 3):
            abort(world, text)
        world.start(environment={"POSTHORN_POISON_TEXT": text, "ASAN_OPTIONS": options})

        def removals():
            found = [world.app.show(post_id)["platform_posts"][0]["removal"] for post_id in ids]
            return found if all(one["status"] != "pending" for one in found) else None
        poison, healthy = poll("both have ended", removals, 60)
        assert (poison["status"], poison["error"]["code"]) == ("failed", "INTERNAL_ERROR")
        assert poison["error"]["message"] == "This removal stopped the service three times; it was set aside."
        assert healthy["status"] == "removed"
        assert [len(world.sandbox.ledger(one)) for one in (text, other)] == [1, 0]
        assert json.loads(world.app.cli("hold", "show").stdout)["set_aside"] == 0, "it is over: nobody has to decide"
    finally:
        world.destroy()


# ---- a database that is put back ----


def test_a_restored_database_takes_nothing_back_twice(restored_world, tmp_path):  # noqa: F811
    """In the backup one post is removed, of one the removal waits, of two nobody has asked; by the restore all four are gone."""
    world = restored_world
    for name in ("done", "waits", "asked later", "kept"):
        world.accept(name, "x", 0)
        world.wait_published(name)

    def post_id(name):
        return world.groups[name][0][2]

    def ask(name):
        assert world.app.post(f"/v1/posts/{post_id(name)}/unpublish").status_code == 202

    def removal(name):
        return world.status(name)[0][2]["removal"]

    def wait_removed(name):
        poll(f"{name} is removed", lambda: (removal(name) or {}).get("status") == "removed", 30)

    def deletions():
        return len(world.sandbox.log(method="DELETE"))

    ask("done")
    wait_removed("done")
    assert world.cli("pause", "--platform", "x").returncode == 0
    ask("waits")
    back_up(world, tmp_path / "backup.db")
    assert world.cli("resume", "--platform", "x").returncode == 0
    ask("asked later")
    for name in ("waits", "asked later"):
        wait_removed(name)
    before = deletions()
    world.stop()
    put_back(world, tmp_path / "backup.db")
    world.start()
    assert removal("done")["status"] == "removed" and removal("waits")["status"] == "pending"
    assert removal("asked later") is None and removal("kept") is None
    assert world.cli("resume", "--platform", "x").returncode == 0
    wait_removed("waits")
    ask("asked later")
    wait_removed("asked later")
    assert deletions() == before, "what is gone was deleted again"
    assert removal("kept") is None and len(world.seen("kept")) == 1
