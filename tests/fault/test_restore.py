# SPDX-License-Identifier: Apache-2.0
"""The restore guard (docs/operations.md, "Restore"): a database put back from a backup believes that all it published since
is still to be published. Nothing may be published twice by that; what is found at the platforms is taken over, the rest is held
until the operator decides. And a start that is no restore must hold nothing.

POSTHORN_LONG=1 publishes 10,000 posts behind the backup; the sandbox's clock is moved on, because platforms have quotas."""
import collections
import json
import shutil
import sqlite3
import stat
import time
import uuid

import pytest

from fault_harness import IS_LONG, Control
from harness import App, Sandbox, Service, poll, utc

READABLE = ("x", "facebook", "instagram")  # whose lists can be read; a LinkedIn member's posts cannot (linkedin.md 5)
BEFORE = 24  # of each platform: published before the backup
BEHIND = {"x": 40, "facebook": 30, "instagram": 30, "linkedin": 30}  # accepted before the backup, published behind it
NEVER = 6  # of each platform: due while the service is down
LOST = 4  # of each platform: accepted and published behind the backup; the restored database has never heard of them
SCHEDULED = 3  # of each platform: not due before tomorrow
DUE_S = 900  # until those behind the backup are due; the clock is moved on, so that no machine is too slow
NEVER_S = 2700  # until those are due that nobody publishes
HOURS_S = 3 * 3600  # 10,000 posts are accepted and copied meanwhile
QUOTA_S = 16 * 60  # after that long X and Facebook take more posts
SOON_S = 25  # a step that a running service believes (engine/clock_watch.h)


class World:
    """A service with accounts on four platforms, and what was accepted, by group."""

    def __init__(self, data, sandbox, media, platforms):
        self.data, self.sandbox, self.media = data, sandbox, media
        self.control = Control(data.parent / "control")
        self.service = self.start_service()
        self.app = App(self.service).set_credentials(*platforms).issue_token()
        self.accounts = {slug: [item["id"] for item in self.app.connect(slug).accounts] for slug in platforms}
        self.groups = collections.defaultdict(list)  # name -> [(slug, text, post_id)]

    def accept(self, group, slug, number, **more):
        text = f"{group} {slug} {number} {uuid.uuid4().hex[:10]}"
        if slug == "instagram":
            more["media"] = [self.media.image()]
        accounts = self.accounts[slug]
        data = self.app.accepted(accounts[number % len(accounts)], text, request_id=text, **more)
        self.groups[group].append((slug, text, data["post_id"]))

    def accept_many(self, group, counts, **more):
        for slug, count in counts.items():
            for number in range(count):
                self.accept(group, slug, number, **more)

    def stop(self):
        self.service.stop()

    def start(self):
        self.service = self.app.service = self.start_service()

    def start_service(self):
        return Service(self.data, self.sandbox, ["--time-scale", "200"], self.control.environment)

    def cli(self, *words):
        return self.service.cli(*words, environment=self.control.environment)

    def utc(self, ahead_s):
        """By the clock of the service."""
        return utc(self.control["clock_s"] + ahead_s)

    def later(self, seconds):
        """Here and at the platforms."""
        self.control["clock_s"] += seconds
        self.sandbox.advance(seconds)

    def status(self, group):
        """[(slug, text, the one platform post)]"""
        return [(slug, text, self.app.show(post_id)["platform_posts"][0]) for slug, text, post_id in self.groups[group]]

    def all_published(self, group):
        return all(post["status"] == "published" for _, _, post in self.status(group))

    def wait_published(self, group, timeout_s=120):
        poll(f"{group} published", lambda: self.all_published(group), timeout_s, every_s=0.5)

    def hold(self, *words):
        done = self.cli("hold", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def wait_asked(self, timeout_s=180):
        """Nothing is being asked about any more: the counts."""
        return poll("all platforms asked", lambda: (lambda shown: shown if shown["asking"] == 0 else None)(self.hold("show")),
                    timeout_s, every_s=0.5)

    def times_seen(self):
        return collections.Counter(entry["text"] for entry in self.sandbox.ledger())

    def seen(self, group):
        """Texts of the group that are visible."""
        return {text for _, text, _ in self.groups[group]} & set(self.times_seen())

    def doubled(self):
        return {text: count for text, count in self.times_seen().items() if count > 1}


@pytest.fixture
def world(request, tmp_path, media):
    """With accounts on the platforms that the test's marker names, by default on X and Facebook."""
    wanted = request.node.get_closest_marker("platforms")
    with Sandbox() as sandbox:
        one = World(tmp_path / "data", sandbox, media, wanted.args if wanted else ("x", "facebook"))
        try:
            yield one
        except BaseException:
            one.service.kill()
            raise
        if one.service.popen.poll() is None:
            one.service.stop()


def put_back(world, backup):
    """As docs/operations.md says."""
    for end in ("-wal", "-shm"):
        (world.data / f"posthorn.db{end}").unlink(missing_ok=True)
    shutil.copyfile(backup, world.data / "posthorn.db")


def back_up(world, path):
    done = world.cli("backup", path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"path": str(path), "bytes": path.stat().st_size}


@pytest.mark.platforms(*BEHIND)
def test_a_restored_database_publishes_nothing_twice(world, tmp_path):
    everywhere = dict.fromkeys(BEHIND, 1)
    times = lambda count: {slug: count for slug in everywhere}  # noqa: E731
    world.accept_many("before", times(BEFORE))
    world.accept_many("tomorrow", times(SCHEDULED), scheduled_at=world.utc(86400))
    world.wait_published("before")

    world.accept_many("behind", BEHIND, scheduled_at=world.utc(DUE_S))
    world.accept_many("never", times(NEVER), scheduled_at=world.utc(NEVER_S))
    back_up(world, tmp_path / "backup.db")
    world.accept_many("lost", times(LOST))
    world.wait_published("lost")
    world.stop()
    world.later(DUE_S)
    world.start()
    world.wait_published("behind")
    world.stop()
    seen_before = world.times_seen()
    assert not world.doubled() and not world.seen("never")

    put_back(world, tmp_path / "backup.db")
    world.later(NEVER_S - DUE_S)
    world.start()
    fresh = world.app.accepted(world.accounts["x"][0], f"after the restore {uuid.uuid4().hex}")["post_id"]
    counts = world.wait_asked()
    assert "database_restored" in world.service.stderr()
    assert world.app.wait_post(fresh)["status"] == "published", "what is accepted now is not held"
    after = world.times_seen()
    assert sum(after.values()) == sum(seen_before.values()) + 1, "nothing else was published"
    assert not world.doubled()

    behind, never = world.status("behind"), world.status("never")
    ids = {entry["text"]: entry["id"] for entry in world.sandbox.ledger()}
    adopted = [row for row in behind if row[2]["status"] == "published"]
    held = [row for row in behind + never if row[2]["status"] != "published"]
    print(f"\n{len(adopted)} found at the platforms, {len(held)} held: {counts}")
    assert all(post["platform_post_id"] == ids[text] for _, text, post in adopted), "the right post, by its text"
    assert {slug for slug, _, post in behind if post["status"] != "published"} <= {"linkedin"}, "lists that can be read prove it"
    assert counts["adopted"] == len(adopted) and counts["held"] == len(held)
    assert all(post["status"] == "pending" and post["error"]["code"] == "OUTCOME_UNKNOWN" for _, _, post in held)
    assert all("restored" in post["error"]["message"] for _, _, post in held)
    (post_id,) = [post_id for _, text, post_id in world.groups["behind"] + world.groups["never"] if text == held[0][1]]
    refused = world.app.request("DELETE", f"/v1/posts/{post_id}")
    assert (refused.status_code, refused.json()["error"]) == (409, "TOO_LATE") and "is held" in refused.json()["message"]
    assert all(post["status"] == "scheduled" for _, _, post in world.status("tomorrow"))
    assert world.all_published("before")

    ready = world.service.request("GET", "/readyz")
    assert (ready.status_code, ready.json()) == (200, {"status": "ready", "held": len(held)})
    doctor = world.cli("doctor")
    assert doctor.returncode == 1 and f"{len(held)} held" in doctor.stdout

    world.stop()  # held things stay held, however often the service is started
    world.start()
    assert world.hold("show")["held"] == len(held)

    on_linkedin = sum(slug == "linkedin" for slug, _, _ in held)
    assert world.hold("fail", "--platform", "linkedin") == {"failed": on_linkedin, "asking": 0}
    assert world.hold("release") == {"released": len(held) - on_linkedin, "asking": 0}
    final = lambda: all(post["status"] in ("published", "failed") for _, _, post in world.status("never"))  # noqa: E731
    poll("what was released or failed is final", final, 90, every_s=0.5)
    poll("nothing is held any more", lambda: world.hold("show")["held"] == 0)
    for slug, text, post in world.status("behind") + world.status("never"):
        wanted = "failed" if (slug, text) in [row[:2] for row in held if row[0] == "linkedin"] else "published"
        assert post["status"] == wanted, f"{text}: {post}"
        if wanted == "failed":
            assert post["error"]["code"] == "OUTCOME_UNKNOWN"
    assert not world.doubled()
    seen = world.times_seen()
    assert all(seen[text] == 1 for slug, text, _ in world.groups["never"] if slug != "linkedin")
    assert world.service.request("GET", "/readyz").json() == {"status": "ready"}
    assert world.cli("doctor").returncode == 0


@pytest.mark.platforms("x", "facebook", "linkedin")
@pytest.mark.skipif(not IS_LONG, reason="POSTHORN_LONG=1: 10,000 posts")
def test_ten_thousand_posts_behind_the_backup(world, tmp_path):
    """On X, LinkedIn and Facebook; no list of a platform reaches back over all of them, so most are held. None comes twice."""
    counts = {"x": 400, "facebook": 8000, "linkedin": 1600}
    begin, platforms_ahead_s = time.monotonic(), 0
    world.accept_many("behind", counts, scheduled_at=world.utc(HOURS_S))
    back_up(world, tmp_path / "backup.db")
    world.stop()
    world.later(HOURS_S)
    world.start()

    def published():
        nonlocal platforms_ahead_s
        world.sandbox.advance(QUOTA_S)
        platforms_ahead_s += QUOTA_S
        left = [world.app.list(status=status)["meta"]["total"] for status in ("scheduled", "pending")]
        return left == [0, 0]

    accepted_s = time.monotonic() - begin
    poll("all published", published, 1800, every_s=2)
    published_s = time.monotonic() - begin - accepted_s
    world.stop()
    world.control["clock_s"] += platforms_ahead_s  # no post is of the future
    before = sum(world.times_seen().values())
    put_back(world, tmp_path / "backup.db")
    world.start()
    shown = world.wait_asked(1800)
    print(f"\naccepted in {accepted_s:.0f} s, published in {published_s:.0f} s, all in {time.monotonic() - begin:.0f} s; {shown}")
    assert before == shown["held"] + shown["adopted"] == sum(counts.values())
    assert sum(world.times_seen().values()) == before and not world.doubled()


def test_a_retry_that_is_lost_is_asked_about_when_it_is_made_again(world, tmp_path):
    """It had been cancelled at the time of the backup; somebody retried it afterwards."""
    world.accept_many("cancelled", {"x": 1, "facebook": 1}, scheduled_at=world.utc(DUE_S))
    ids = [post_id for _, _, post_id in world.groups["cancelled"]]
    for post_id in ids:
        assert world.app.request("DELETE", f"/v1/posts/{post_id}").status_code == 204
    back_up(world, tmp_path / "backup.db")
    for post_id in ids:
        world.app.request("POST", f"/v1/posts/{post_id}/retry", json={}).raise_for_status()
    world.wait_published("cancelled")
    world.stop()
    put_back(world, tmp_path / "backup.db")
    world.start()
    assert [post["error"]["code"] for _, _, post in world.status("cancelled")] == ["CANCELLED"] * 2
    assert world.hold("show")["asking"] == 0
    for post_id in ids:
        world.app.request("POST", f"/v1/posts/{post_id}/retry", json={}).raise_for_status()
    assert world.wait_asked()["adopted"] == 2
    assert world.all_published("cancelled") and not world.doubled()


def test_a_clock_that_was_set_back_hides_nothing(world, tmp_path):
    world.later(DUE_S)
    world.stop()
    world.start()
    world.accept("due", "facebook", 0, scheduled_at=world.utc(SOON_S))
    back_up(world, tmp_path / "backup.db")
    assert not world.seen("due"), "this machine is too slow for SOON_S"
    world.wait_published("due", 60)
    world.stop()
    world.control["clock_s"] -= DUE_S
    put_back(world, tmp_path / "backup.db")
    world.start()
    counts = world.wait_asked()
    assert counts["held"] + counts["adopted"] == 1 and not world.doubled()


# ---- starts that are no restore ----


def age(world, seconds):
    """What the files would look like had the service stopped so much earlier."""
    path = world.data / "epoch"
    name, version, number, at_us, lineage = path.read_text().split()
    path.write_text(f"{name} {version} {number} {int(at_us) - seconds * 1000000} {lineage}\n")
    with sqlite3.connect(world.data / "posthorn.db") as database:
        database.execute("UPDATE meta SET number = number - ? WHERE name = 'epoch_at_us'", (seconds * 1000000,))
    database.close()


def forget_guard(world):
    """A database and a directory from before there was a guard."""
    (world.data / "epoch").unlink()
    with sqlite3.connect(world.data / "posthorn.db") as database:
        database.execute("DELETE FROM meta WHERE name LIKE 'epoch_%'")
    database.close()


@pytest.mark.parametrize("end, change", [
    ("stop", None), ("kill", None), ("stop", lambda world: age(world, 3600)), ("stop", forget_guard),
], ids=["stopped", "killed", "down-for-an-hour", "upgraded"])
def test_a_start_that_is_no_restore_holds_nothing(world, end, change):
    world.accept("first", "x", 0)
    world.wait_published("first")
    for number in range(3):
        world.accept("due", "facebook", number, scheduled_at=world.utc(DUE_S))
    getattr(world.service, end)()
    if change is not None:
        change(world)
    world.later(DUE_S)
    world.start()
    world.wait_published("due", 30)
    assert world.hold("show") == {"asking": 0, "held": 0, "adopted": 0, "set_aside": 0, "platforms": {}}
    assert "database_restored" not in world.service.stderr()
    assert not world.doubled()


@pytest.mark.parametrize("kind", ["no-epoch-file", "old-pair", "killed-behind-the-backup"])
def test_a_start_that_may_be_one_holds(world, tmp_path, kind):
    """The epoch file is gone (all of DATA came from elsewhere); the file of a fresh directory meets an old database; the
    service was killed within the minute of the backup."""
    is_killed = kind == "killed-behind-the-backup"
    wait_s = SOON_S if is_killed else DUE_S
    world.accept("due", "facebook", 0, scheduled_at=world.utc(wait_s))
    back_up(world, tmp_path / "backup.db")
    assert not world.seen("due"), "this machine is too slow for SOON_S"
    if not is_killed:
        world.stop()
    world.later(wait_s)
    if not is_killed:
        world.start()
    world.wait_published("due", 60)
    if is_killed:
        world.service.kill()
    else:
        world.stop()
    if kind == "no-epoch-file":
        (world.data / "epoch").unlink()
    if kind == "old-pair":
        (world.data / "epoch").write_text("posthorn-epoch 1 1 1 4711\n")
    put_back(world, tmp_path / "backup.db")
    world.start()
    assert world.wait_asked()["adopted"] == 1
    assert world.all_published("due")
    assert not world.doubled()


# ---- copies that posthorn did not make ----


def copy_by_sqlite(world, place):
    """`.backup` of the sqlite3 program."""
    source, target = sqlite3.connect(world.data / "posthorn.db"), sqlite3.connect(place / "posthorn.db")
    source.backup(target)
    source.close()
    target.close()


def copy_with_log(world, place):
    """cp posthorn.db posthorn.db-wal"""
    for name in ("posthorn.db", "posthorn.db-wal"):
        shutil.copyfile(world.data / name, place / name)


def move_log_into_database(world):
    """As SQLite does by itself when the log has grown."""
    database = sqlite3.connect(world.data / "posthorn.db")
    busy, in_log, moved = database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    database.close()
    assert not busy and in_log == moved


def copy_without_log(world, place):
    """cp posthorn.db"""
    move_log_into_database(world)
    shutil.copyfile(world.data / "posthorn.db", place / "posthorn.db")


def copy_as_volume(world, place):
    """A snapshot of the directory as it lies there, but the epoch files: they are on another volume."""
    for path in world.data.iterdir():
        if path.is_file() and not path.name.startswith("epoch") and path.name != "posthorn.db.lock":
            shutil.copy(path, place / path.name)


COPIES = {"sqlite-backup": copy_by_sqlite, "cp-with-wal": copy_with_log, "cp-without-wal": copy_without_log, "volume": copy_as_volume}
YOUNG_S = 5  # the copy's age when the service ends; within it everything that the copy holds is published


def put_copy_back(world, place):
    for end in ("", "-wal", "-shm"):
        (world.data / f"posthorn.db{end}").unlink(missing_ok=True)
    for path in place.iterdir():
        shutil.copy(path, world.data / path.name)


def publish_behind_a_copy(world, place, copy):
    """Posts that the copy knows as scheduled, and that were published before the service ended."""
    place.mkdir()
    world.accept_many("young", dict.fromkeys(world.accounts, 3), scheduled_at=utc(YOUNG_S))
    copy(world, place)
    assert not world.times_seen(), "this machine is too slow for YOUNG_S"
    world.wait_published("young")


def check_nothing_is_wrong(world):
    """0 doubled, 0 reported failed though visible; what is held counts as neither."""

    def posts():
        return [(text, post) for _, text, post in world.status("young")]

    poll("each is final or held", lambda: all(post["status"] in ("published", "failed") or post["error"] for _, post in posts()),
         120, every_s=0.5)
    assert not world.doubled()
    seen = set(world.times_seen())
    assert [post["error"] for text, post in posts() if post["status"] == "failed" and text in seen] == []
    assert all(text in seen for text, _ in posts())


@pytest.mark.platforms("x", "facebook", "instagram")
@pytest.mark.parametrize("end", ["stop", "kill"])
@pytest.mark.parametrize("tool", COPIES)
def test_a_young_copy_is_noticed(world, tmp_path, tool, end):
    publish_behind_a_copy(world, tmp_path / "copy", COPIES[tool])
    getattr(world.service, end)()
    put_copy_back(world, tmp_path / "copy")
    world.start()
    check_nothing_is_wrong(world)
    assert "database_restored" in world.service.stderr()


def copy_before_the_log_begins_again(world, place):
    """What the log holds afterwards are pages of a database that has gone on since the copy."""
    copy_by_sqlite(world, place)
    world.accept_many("late", dict.fromkeys(world.accounts, 3), scheduled_at=world.utc(DUE_S))
    move_log_into_database(world)


@pytest.mark.platforms("x", "facebook", "instagram")
def test_a_copy_beside_the_old_log_is_refused_or_put_right(world, tmp_path):
    """SQLite would lay the log of one database over another."""
    publish_behind_a_copy(world, tmp_path / "copy", copy_before_the_log_begins_again)
    world.service.kill()
    assert (world.data / "posthorn.db-wal").stat().st_size > 0
    shutil.copyfile(tmp_path / "copy" / "posthorn.db", world.data / "posthorn.db")
    try:
        world.start()
    except AssertionError as refused:
        assert "`posthorn restore FILE`" in str(refused) and "DATA/epoch-commit" in str(refused)
        put_back_by_command(world, tmp_path / "copy" / "posthorn.db")
        world.start()
    check_nothing_is_wrong(world)
    assert "database_restored" in world.service.stderr()


# ---- posthorn restore ----


def put_back_by_command(world, path):
    done = world.cli("restore", path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["path"] == str(world.data / "posthorn.db") and told["bytes"] == (world.data / "posthorn.db").stat().st_size
    return told["former"]


def refused_to_restore(world, *words):
    before = {path.name: path.read_bytes() for path in world.data.iterdir() if path.name in ("posthorn.db", "epoch")}
    done = world.cli("restore", *words)
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert before == {name: (world.data / name).read_bytes() for name in before}
    return done.stderr


def test_a_backup_is_put_back_by_command(world, tmp_path):
    world.accept_many("due", {"x": 2, "facebook": 2}, scheduled_at=world.utc(DUE_S))
    back_up(world, tmp_path / "backup.db")
    for words in (tmp_path / "backup.db",), ("--mark",):
        done = world.cli("restore", *words)
        assert done.returncode == 1 and "stop it first" in done.stderr
    world.stop()
    world.later(DUE_S)
    world.start()
    world.wait_published("due")
    world.service.kill()  # its log stays behind, and goes aside with it
    (tmp_path / "letter").write_text("Dear Posthorn, " * 100)
    assert "is no Posthorn backup" in refused_to_restore(world, tmp_path / "letter")
    assert "missing.db" in refused_to_restore(world, tmp_path / "missing.db")
    assert "the database itself" in refused_to_restore(world, world.data / "posthorn.db")
    assert "not both" in refused_to_restore(world, tmp_path / "backup.db", "--mark")
    assert world.cli("restore").returncode == 2
    former = put_back_by_command(world, tmp_path / "backup.db")
    world.start()
    assert world.wait_asked()["adopted"] == 4
    assert world.all_published("due") and not world.doubled()
    assert "database_restored" in world.service.stderr()
    with sqlite3.connect(former) as database:  # whole, with all that the restore took back
        assert database.execute("SELECT COUNT(*) FROM deliveries WHERE state = 'published'").fetchone() == (4,)
    database.close()


def test_a_backup_is_put_back_on_a_new_machine(world, tmp_path):
    world.accept("due", "x", 0, scheduled_at=world.utc(DUE_S))
    back_up(world, tmp_path / "backup.db")
    world.stop()
    key = (world.data / "master.key").read_bytes()
    shutil.rmtree(world.data)
    assert put_back_by_command(world, tmp_path / "backup.db") is None
    (world.data / "master.key").write_bytes(key)
    (world.data / "master.key").chmod(0o600)
    world.later(DUE_S)
    world.start()
    assert world.wait_asked()["held"] == 1
    assert not world.seen("due")


def test_a_whole_volume_rolled_back_is_held_when_it_is_said(world, tmp_path):
    """Nothing in it shows that it was rolled back: its epoch files came with it."""
    world.accept_many("due", {"x": 1, "facebook": 1}, scheduled_at=world.utc(DUE_S))
    world.stop()
    shutil.copytree(world.data, tmp_path / "volume", ignore=shutil.ignore_patterns("*.sock"))
    world.later(DUE_S)
    world.start()
    world.wait_published("due")
    world.stop()
    shutil.rmtree(world.data)
    shutil.copytree(tmp_path / "volume", world.data)
    marked = world.cli("restore", "--mark")
    assert (marked.returncode, marked.stdout) == (0, '{"marked":true}\n'), marked.stderr
    world.start()
    assert world.wait_asked()["adopted"] == 2
    assert world.all_published("due") and not world.doubled()
    assert "`posthorn restore` said" in world.service.stderr()
    world.stop()
    world.start()
    assert "database_restored" not in world.service.stderr(), "said once"


def test_a_volume_rolled_back_to_a_running_service_is_looked_after(world, tmp_path):
    """Nobody said it. But the snapshot shows a run that was not stopped, and that is long ago: what a list shows is taken over."""
    world.accept_many("due", {"x": 2, "facebook": 2}, scheduled_at=world.utc(DUE_S))
    world.service.kill()
    shutil.copytree(world.data, tmp_path / "volume", ignore=shutil.ignore_patterns("*.sock"))
    world.later(DUE_S)
    world.start()
    world.wait_published("due")
    world.stop()
    shutil.rmtree(world.data)
    shutil.copytree(tmp_path / "volume", world.data)
    world.start()
    world.wait_published("due")
    assert world.hold("show")["adopted"] == 4
    assert not world.doubled()
    assert "unclean_end" in world.service.stderr() and "database_restored" not in world.service.stderr()


def test_a_postgres_database_is_put_back_by_its_own_tools(world, tmp_path):
    world.stop()
    done = world.cli("restore", tmp_path / "backup.db", "--database", "postgres://nobody@127.0.0.1:1/posthorn")
    assert done.returncode == 1 and "pg_restore" in done.stderr and "`posthorn restore --mark`" in done.stderr


# ---- the backup itself ----


def test_a_backup_is_one_sound_file_that_replaces_nothing(world, tmp_path):
    path = tmp_path / "one.db"
    world.accept("first", "x", 0)
    back_up(world, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(found.name for found in tmp_path.glob("one.db*")) == ["one.db"]
    before = path.read_bytes()
    again = world.service.cli("backup", path)
    assert again.returncode == 1 and "never overwrites" in again.stderr
    assert path.read_bytes() == before
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert database.execute("SELECT COUNT(*) FROM posts").fetchone() == (1,)
    database.close()

    nowhere = world.service.cli("backup", tmp_path / "missing" / "two.db")
    assert nowhere.returncode == 1 and "missing" in nowhere.stderr
    (tmp_path / "three.db.tmp").write_text("left by a crash")
    assert "three.db.tmp" in world.service.cli("backup", tmp_path / "three.db").stderr
    assert world.service.cli("backup").returncode == 2

    world.stop()  # without a service, and by a relative path
    done = world.service.cli("backup", "four.db", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "four.db").stat().st_size > 0
