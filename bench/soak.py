#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench soak --minutes N`: one service and its sandbox for a long time at half of the load that they can take, with faults at the
platforms, uploads, pictures that have to be fitted, and restarts. A line a minute: memory, descriptors, threads, children, the size
of the database, posts that wait. At the end it judges: nothing was lost or doubled, and what should be flat is flat. Exits with 1 when
it is not. All texts go to one account, one after the other, and a fault holds it up until its next try: waits are divided by
TIME_SCALE, so that faults can come often."""
import argparse
import collections
import itertools
import os
import pathlib
import queue
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "api")]

from harness import App, Sandbox, Service, poll  # noqa: E402 - from the folder named above

THREADS = 8
PROBE_S = 10
TIME_SCALE = 60
FAULTS = (("status", {"status": 503}), ("reset_before", {}), ("slow", {}), ("status", {"status": 500}))
FEED = "/v25.0/*/feed"
FAULT_EVERY_S = 60  # one holds the account up for a quarter of that: a doubt is looked up before the next post goes
PICTURES_MAX = 60  # Instagram takes 100 a day from an account
RESTARTS = 3
DRAIN_S = 600
# What counts as flat: the last third of the time against the third before.
MEMORY_GROWTH_MAX, MEMORY_SLACK_MB = 1.25, 8
DESCRIPTORS_SLACK = 64
POSTS_MAX = 600_000  # the sandbox forgets nothing: at 780,000 posts it was full, and answered 503
WAITING_SLACK = 5000  # posts: what a fault holds up
BYTES_A_POST_GROWTH_MAX = 1.5

Sample = collections.namedtuple("Sample", "minute posts memory_mb descriptors threads children database_mb waiting")


def picture(path, kind):
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=1080x1080", "-frames:v", "1", path], check=True)
    return path.read_bytes(), kind


class Load:
    """Threads that publish texts at a rate, and remember what was accepted."""

    def __init__(self, soak):
        self.soak, self.accepted, self.errors, self.tickets = soak, [], collections.Counter(), queue.Queue()
        self.numbers, self.is_over = itertools.count(), threading.Event()
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(THREADS)]
        for thread in self.threads:
            thread.start()

    def work(self):
        with requests.Session() as session:
            while not self.is_over.is_set():
                try:
                    self.tickets.get(timeout=0.2)
                except queue.Empty:
                    continue
                self.publish(session, f"soak text {next(self.numbers)}")

    def publish(self, session, text):
        """The same request until somebody has answered it: a restart is no reason to lose it."""
        body = {"account_ids": [self.soak.accounts["facebook"]], "content": text, "request_id": text.replace(" ", "-")}
        while True:
            try:
                answer = session.post(f"{self.soak.url}/v1/posts/publish", json=body, headers=self.soak.headers, timeout=30)
            except requests.RequestException:
                self.errors["connection"] += 1
                time.sleep(0.2)
                continue
            if answer.status_code in (202, 409):
                self.accepted.append(text)
                return
            self.errors[answer.status_code] += 1
            time.sleep(0.2)

    def run(self, seconds, rate):
        """As many as fit at that rate; 0 = as fast as possible. Returns how many a second."""
        began, before = time.monotonic(), len(self.accepted)
        while (passed := time.monotonic() - began) < seconds:
            wanted = int(passed * rate) if rate else len(self.accepted) - before + 2 * THREADS
            for _ in range(max(0, wanted - (len(self.accepted) - before) - self.tickets.qsize())):
                self.tickets.put(None)
            time.sleep(0.02)
        return (len(self.accepted) - before) / seconds

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(timeout=60)


class Soak:
    def __init__(self, directory, minutes, rate):
        self.directory, self.seconds, self.rate, self.samples, self.pictures = directory, minutes * 60, rate, [], []
        self.sandbox = Sandbox()
        self.png = picture(directory / "fit.png", "image/png")
        self.jpg = picture(directory / "as-it-is.jpg", "image/jpeg")
        self.service = None
        self.start()
        self.app = App(self.service).set_credentials("facebook", "instagram").issue_token()
        self.headers = {"Authorization": f"Bearer {self.app.token}"}
        self.accounts = {slug: self.app.account(slug) for slug in ("facebook", "instagram")}

    def start(self):
        listen = "127.0.0.1:0" if self.service is None else self.service.url.split("//")[1]
        self.service = Service(self.directory / "data", self.sandbox, ["--time-scale", str(TIME_SCALE)], listen=listen)
        self.url = self.service.url

    def restart(self):
        self.service.stop()
        self.start()
        self.app.service = self.service

    # -- what happens beside the load

    def publish_picture(self, number):
        """An upload, and a post with it: every second one has to be fitted."""
        data, kind = self.png if number % 2 else self.jpg
        made = self.app.post("/v1/media", data=data, headers={"Content-Type": kind})
        text = f"soak picture {number}"
        slug = "instagram" if number % 2 else "facebook"
        answer = self.app.publish(self.accounts[slug], text, media=[{"type": "image", "media_id": made.json()["data"]["id"]}])
        assert answer.status_code == 202, answer.text
        self.pictures.append(answer.json()["data"]["post_id"])

    def disturb(self, dice):
        effect, more = dice.choice(FAULTS)
        self.sandbox.fault("facebook", "POST", FEED, effect, **more)

    def children(self):
        children, waiting = 0, [self.service.popen.pid]
        while waiting:
            for task in pathlib.Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
                found = [int(word) for word in task.read_text().split()]
                children += len(found)
                waiting += found
        return children

    def sample(self, began, posts):
        process = pathlib.Path(f"/proc/{self.service.popen.pid}")
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        database = (self.directory / "data/posthorn.db").stat().st_size  # its log comes and goes
        waiting = int(re.search(r'^posthorn_posts\{status="pending"\} (\d+)$', self.service.metrics(), re.M)[1])
        sample = Sample((time.monotonic() - began) / 60, posts, int(status["VmRSS"].split()[0]) / 1024, len(os.listdir(process / "fd")),
                        int(status["Threads"]), self.children(), database / 1048576, waiting)
        self.samples.append(sample)
        print(f"{sample.minute:8.1f} {sample.posts:9d} {sample.memory_mb:9.1f} {sample.descriptors:11d} {sample.threads:7d} "
              f"{sample.children:8d} {sample.database_mb:11.1f} {sample.waiting:8d}", flush=True)

    # -- all of it

    def run(self):
        load, dice = Load(self), random.Random(1)
        accepted = load.run(PROBE_S, 0)
        published = len(self.sandbox.ledger("soak text")) / PROBE_S
        rate = min(self.rate or min(accepted, published) / 2, POSTS_MAX / self.seconds)
        print(f"as fast as {THREADS} clients can, {accepted:.0f} posts a second are accepted and {published:.0f} published; "
              f"{rate:.0f} from here on, for {self.seconds / 60:.0f} min")
        print("  minute     posts  memory_MB  descriptors threads children  database_MB  waiting")
        began = time.monotonic()
        runner = threading.Thread(target=load.run, args=(self.seconds, rate), daemon=True)
        runner.start()
        picture_every_s = max(4.0, self.seconds / PICTURES_MAX)
        next_at = {"fault": FAULT_EVERY_S, "picture": 2.0, "sample": min(60, self.seconds / 6), "restart": self.seconds / (RESTARTS + 1)}
        every = {"fault": FAULT_EVERY_S, "picture": picture_every_s, "sample": next_at["sample"], "restart": next_at["restart"]}
        while runner.is_alive():
            passed = time.monotonic() - began
            due = [name for name, at in next_at.items() if passed >= at]
            for name in due:
                next_at[name] += every[name]
            if "sample" in due:
                self.sample(began, len(load.accepted))
            if "fault" in due:
                self.disturb(dice)
            if "picture" in due:
                self.publish_picture(len(self.pictures))
            if "restart" in due and passed < self.seconds - every["restart"] / 2:
                self.restart()
                print("         restarted")
            time.sleep(0.1)
        load.end()
        self.sandbox.clear_faults()
        return load

    def drain(self):
        """Until nothing is under way any more."""
        def is_quiet():
            figures = self.service.metrics()
            return all(f"\n{name} 0\n" in figures for name in (
                "posthorn_deliveries_due", "posthorn_deliveries_in_flight")) and '\nposthorn_posts{status="pending"} 0\n' in figures
        poll("every post is final", is_quiet, timeout_s=DRAIN_S, every_s=1)

    def close(self):
        self.service.stop()
        self.sandbox.stop()


def flat(samples):
    """What is not: sentences."""
    third = max(1, len(samples) // 3)
    before, last = samples[-2 * third:-third], samples[-third:]
    faults = []
    memory = [max(sample.memory_mb for sample in part) for part in (before, last)]
    if memory[1] > memory[0] * MEMORY_GROWTH_MAX + MEMORY_SLACK_MB:
        faults.append(f"memory grew from {memory[0]:.1f} to {memory[1]:.1f} MB")
    for name, slack in (("descriptors", DESCRIPTORS_SLACK), ("threads", 2), ("children", 2), ("waiting", WAITING_SLACK)):
        most = [max(getattr(sample, name) for sample in part) for part in (before, last)]
        if most[1] > most[0] + slack:
            faults.append(f"{name} grew from {most[0]} to {most[1]}")
    growth = [bytes_a_post(part) for part in (samples[:-third], last)]
    if None not in growth and growth[1] > growth[0] * BYTES_A_POST_GROWTH_MAX:
        faults.append(f"the database grew by {growth[0]:.0f}, and at the end by {growth[1]:.0f} bytes a post")
    return faults


def bytes_a_post(samples):
    posts = samples[-1].posts - samples[0].posts
    return (samples[-1].database_mb - samples[0].database_mb) * 1048576 / posts if posts > 0 else None


def judge(soak, load):
    """What went wrong: sentences."""
    shown = collections.Counter(post["text"] for post in soak.sandbox.ledger("soak text"))
    totals = {status: soak.app.list(per_page=1, status=status)["meta"]["total"] for status in ("published", "failed")}
    faults = flat(soak.samples)
    if doubled := [text for text, count in shown.items() if count > 1]:
        faults.append(f"{len(doubled)} posts are there twice, {doubled[0]!r} among them")
    if totals["published"] + totals["failed"] != len(load.accepted) + len(soak.pictures):
        faults.append(f"{len(load.accepted)} texts and {len(soak.pictures)} pictures were accepted, and these ended: {totals}")
    if len(shown) > len(load.accepted) or len(shown) < totals["published"] - len(soak.pictures):
        faults.append(f"{len(shown)} texts are visible, and {totals['published']} posts are called published")
    print(f"accepted {len(load.accepted)} texts and {len(soak.pictures)} pictures; ended {totals}; visible {len(shown)}; "
          f"asked again: {dict(load.errors)}")
    middle = statistics.median(sample.memory_mb for sample in soak.samples)
    whole = bytes_a_post(soak.samples)
    print(f"memory {middle:.1f} MB in the middle; the database grew by {whole or 0:.0f} bytes a post")
    return faults


def main():
    words = argparse.ArgumentParser(prog="./dev bench soak")
    words.add_argument("--minutes", type=float, default=120)
    words.add_argument("--rate", type=float, default=0, help="posts a second; 0 = half of what 8 clients reach")
    words.add_argument("--bench", help=argparse.SUPPRESS)
    asked = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="posthorn-soak-") as directory:
        soak = Soak(pathlib.Path(directory), asked.minutes, asked.rate)
        try:
            load = soak.run()
            soak.drain()
            faults = judge(soak, load)
        finally:
            soak.close()
    for fault in faults:
        print(f"NOT FLAT OR NOT WHOLE: {fault}")
    if not faults:
        print("flat, nothing lost, nothing doubled")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
