# SPDX-License-Identifier: Apache-2.0
"""The promise under SIGKILL (rules.md 2.1): accepted means durable; at most one publish per post, account and part;
never silent. 200 posts are accepted and published while the service is killed again and again at random moments and
started on the same data; then the platforms' ledger is compared with what was accepted.

Another run of the same moments: POSTHORN_CRASH_SEED=... (the seed is printed)."""
import collections
import os
import queue
import random
import threading
import time
import uuid

import pytest
import requests

from fault_harness import IS_LONG
from harness import PLATFORMS, App, Media, Sandbox, Service, utc

POSTS = 200 if IS_LONG else 150
KILLS = 40 if IS_LONG else 25
SLOW_CALLS = 12  # of each text platform: publish calls that take a second, so that kills fall into them
PUBLISHED_AT_LEAST = POSTS * 3 // 4  # deliveries: a run that publishes less proves nothing
ACCEPT_S = 180  # for every post to be accepted, kills included
FINAL_S = 300  # after the last kill
CLIENTS = 8

# How often a post of each kind is made, of 100. Platforms whose quotas are small get few.
KINDS = [("x", 26), ("facebook", 26), ("linkedin", 22), ("instagram", 14), ("youtube", 3), ("tiktok", 3), ("several", 6)]


class Wish:
    """One post as a client wants it."""

    def __init__(self, number, body):
        self.number, self.body = number, body
        self.post_id = None
        self.tries = 0
        self.hangs_up = False  # the client goes away before it has read the first answer

    @property
    def texts(self):
        if "containers" in self.body:
            return [container["content"] for container in self.body["containers"]]
        return [self.body["content"]]


def make_wishes(dice, accounts, media):
    wishes = []
    kinds = [kind for kind, weight in KINDS for _ in range(weight)]
    for number in range(POSTS):
        kind = dice.choice(kinds)
        text = f"crash {number:03} {uuid.UUID(int=dice.getrandbits(128)).hex[:10]}"
        body = {"request_id": f"crash-{number}-{text[-10:]}"}
        if kind == "several":
            body["account_ids"] = [accounts["x"][0], accounts["facebook"][0], dice.choice(accounts["linkedin"])]
        else:
            body["account_ids"] = [dice.choice(accounts[kind])]
        if kind in ("facebook", "linkedin", "x") and dice.random() < 0.2:
            body["containers"] = [{"content": text}] + [{"content": f"{text} part {part}"} for part in range(1, dice.randint(2, 3))]
        else:
            body["content"] = text
        if kind == "instagram":
            body["media"] = [media.image()]
        elif kind in ("youtube", "tiktok"):
            body["media"] = [media.clip(duration=4)]
        if dice.random() < 0.1:
            body["scheduled_at"] = utc(dice.randint(1, 8))
        wish = Wish(number, body)
        wish.hangs_up = dice.random() < 0.15
        wishes.append(wish)
    return wishes


class Clients:
    """Threads that want their posts accepted, whatever happens to the service: who loses an answer asks again with the
    same request_id and takes the 409 as the answer that was lost."""

    def __init__(self, app, wishes, dice):
        self.app, self.problems, self.lost_answers, self.replayed = app, [], 0, 0
        self.pauses = [dice.uniform(0.0, 1.8) for _ in wishes]
        self.waiting = queue.Queue()
        for wish in wishes:
            self.waiting.put(wish)
        self.deadline = time.monotonic() + ACCEPT_S
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def work(self):
        while True:
            try:
                wish = self.waiting.get_nowait()
            except queue.Empty:
                return
            time.sleep(self.pauses[wish.number])
            while wish.post_id is None and time.monotonic() < self.deadline:
                self.try_once(wish)

    def try_once(self, wish):
        wish.tries += 1
        try:
            answer = self.app.post("/v1/posts/publish", json=wish.body, timeout=10)
        except requests.RequestException:
            self.lost_answers += 1
            time.sleep(0.05)
            return
        is_unknown = answer.status_code == 500 and "it is unknown whether this was stored" in answer.json()["message"]
        if is_unknown or (answer.status_code == 202 and wish.hangs_up and wish.tries == 1):
            self.lost_answers += 1
        elif answer.status_code == 202:
            wish.post_id = answer.json()["data"]["post_id"]
        elif answer.status_code == 409 and wish.tries > 1:
            self.replayed += 1
            wish.post_id = answer.json()["details"]["post_id"]
        elif answer.status_code != 503:
            self.problems.append(f"{wish.number}: {answer.status_code} {answer.text}")
            wish.post_id = ""

    def finish(self):
        for thread in self.threads:
            thread.join(max(0.1, self.deadline - time.monotonic()))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    media = Media(tmp_path_factory.mktemp("crash-media"))
    with Sandbox() as sandbox:
        yield sandbox, media, tmp_path_factory.mktemp("crash") / "data"
    media.close()


def start(data, sandbox, listen="127.0.0.1:0"):
    # A time scale of 60: the ten minutes that a look after a call in doubt may take become ten seconds.
    return Service(data, sandbox, ["--time-scale", "60"], listen=listen)


def kill_again_and_again(service, sandbox, dice):
    """SIGKILL at random moments; returns the last service, alive."""
    listen = service.url.removeprefix("http://")
    for _ in range(KILLS):
        time.sleep(dice.uniform(0.02, 0.7))
        service.kill()
        service.check_sanitizers()
        service = start(service.data, sandbox, listen)
    return service


def wait_until_final(app, wishes):
    deadline = time.monotonic() + FINAL_S
    open_wishes, posts = list(wishes), {}
    while open_wishes:
        still_open = []
        for wish in open_wishes:
            post = app.show(wish.post_id)
            if post["status"] in ("published", "failed"):
                posts[wish.number] = post
            else:
                still_open.append(wish)
        open_wishes = still_open
        if open_wishes:
            names = [f"{wish.number} {app.show(wish.post_id)['platform_posts']}" for wish in open_wishes[:5]]
            assert time.monotonic() < deadline, f"{len(open_wishes)} posts are not final, such as {names}"
            time.sleep(0.5)
    return posts


def times_visible(ledger, platform_post, platform_account_id, text):
    """How often the text can be seen on that account. Videos carry it as title and description."""
    return sum(
        entry["platform"] == platform_post["platform"]
        and entry["account_id"] == platform_account_id
        and (entry["text"] == text or (entry["platform"] in ("youtube", "tiktok") and entry["text"].startswith(text)))
        for entry in ledger
    )


def compare(wishes, posts, ledger, platform_account_ids):
    """Every accepted (post, account, part) against the ledger: the list of what is wrong, and what was counted."""
    wrong, counted = [], collections.Counter()
    for wish in wishes:
        post = posts[wish.number]
        if [container["content"] for container in post["containers"]] != wish.texts:
            wrong.append(f"{wish.number}: the text was changed")
        for platform_post in post["platform_posts"]:
            account = platform_account_ids[platform_post["account_id"]]
            seen = [times_visible(ledger, platform_post, account, text) for text in wish.texts]
            name = f"{wish.number} on {platform_post['platform']}: {platform_post['status']}, visible {seen}"
            error = platform_post["error"] or {}
            counted[platform_post["status"] if not error else error["code"]] += 1
            if max(seen) > 1:
                wrong.append(f"DOUBLED {name}")
            out = [part["state"] == "published" for part in platform_post["parts"]] or [False] * len(seen)
            if any(is_out and not count for is_out, count in zip(out, seen)) or (platform_post["outcome"] == "all" and not all(out)):
                wrong.append(f"LOST {name}")
            if platform_post["outcome"] != "all" and error.get("code") != "OUTCOME_UNKNOWN":
                wrong.append(f"FAILED {name} {error}")
            if out[0] and platform_post["status"] != "published":
                wrong.append(f"OUT AND NOT PUBLISHED {name} {error}")
    known = {text for wish in wishes for text in wish.texts}
    for entry in ledger:
        if not any(entry["text"].startswith(text) for text in known):
            wrong.append(f"nobody asked for {entry}")
    return wrong, counted


def test_sigkill_at_random_moments(world):
    sandbox, media, data = world
    seed = int(os.environ.get("POSTHORN_CRASH_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"\nPOSTHORN_CRASH_SEED={seed}")
    dice = random.Random(seed)
    begin = time.monotonic()
    service = start(data, sandbox)
    app = App(service).set_credentials().issue_token()
    found = {slug: app.connect(slug).accounts for slug in PLATFORMS}
    platform_account_ids = {item["id"]: item["platform_account_id"] for rows in found.values() for item in rows}
    accounts = {slug: [item["id"] for item in rows] for slug, rows in found.items()}

    for fault in (("x", "POST", "/2/tweets"), ("facebook", "POST", "/v25.0/*/feed"), ("linkedin", "POST", "/rest/posts")):
        sandbox.fault(*fault, "slow", retry_after=1, times=SLOW_CALLS)
    wishes = make_wishes(dice, accounts, media)
    clients = Clients(app, wishes, dice)
    service = kill_again_and_again(service, sandbox, dice)
    try:
        clients.finish()
        assert not clients.problems, clients.problems
        assert [wish.number for wish in wishes if not wish.post_id] == [], "never accepted"
        assert len({wish.post_id for wish in wishes}) == POSTS
        assert app.total() == POSTS
        accepted_s = time.monotonic() - begin
        posts = wait_until_final(app, wishes)
        time.sleep(1)  # whatever would still be sent is sent now
        wrong, counted = compare(wishes, posts, sandbox.ledger(), platform_account_ids)
        print(f"{POSTS} posts, {KILLS} kills, {clients.lost_answers} lost answers, {clients.replayed} answered 409, "
              f"{dict(counted)}, accepted after {accepted_s:.0f} s, all final after {time.monotonic() - begin:.0f} s")
        for line in wrong:
            print(line)
        assert not wrong, f"seed {seed}: {wrong}"
        assert clients.replayed > 0, "no request was repeated after a lost answer"
        assert counted["published"] >= PUBLISHED_AT_LEAST, counted
        assert app.list(status="pending")["meta"]["total"] == app.list(status="scheduled")["meta"]["total"] == 0
    except BaseException:
        print(service.stderr()[-4000:])
        service.kill()
        raise
    service.stop()
