# SPDX-License-Identifier: Apache-2.0
"""A disk that is full or breaks, while posts are accepted and while they are published (rules.md 2.4 A6, C5, P7): what
cannot be written is not promised and not sent; what came back from a platform is not forgotten and not repeated; when
there is room again the service goes on by itself. preload.c makes the errors."""
import concurrent.futures
import errno
import random
import time

import pytest

from fault_harness import (
    ALL_CALLS, CELLS_PER_WORLD, FLUSHES, IS_LONG, WRITES, World, chosen, count_post, judge, judge_sent, matches, new_figures, wait_for,
    word_of,
)
from flows import BY_NAME, FLOWS
from harness import utc

PLATFORMS = ("x", "facebook", "linkedin", "instagram")
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO}
K_SAMPLE = (1, 2, 3, 4, 6, 8, 11, 15)
K_MAX = 400
SOON_S = 25  # a step of the clock that a running service believes (engine/clock_watch.h)
SLOW_S = 3
BROKEN_S, BROKEN_HITS = 0.4, 4  # how long a disk that breaks stays broken
LANES = 3


@pytest.fixture(scope="module")
def world(media):
    with World(media, PLATFORMS) as made:
        yield made
        made.control.end()
        made.sandbox.clear_faults()
        made.kill()
        made.check_store()
        made.start()


@pytest.fixture(autouse=True)
def disk_works_again(world):
    yield
    world.control.end()
    world.sandbox.clear_faults()
    if world.service.is_dead:
        world.start()


def publish(world, body):
    return world.app.post("/v1/posts/publish", json=body)


def sent(world, flow, text):
    """Publish requests that carried the text."""
    return [
        entry for entry in world.sandbox.log(method="POST")
        if any(matches(path, entry["path"]) for _, path in flow.publish_calls) and word_of(text) in (entry.get("body") or "")
    ]


def check(world, figures, flow, texts, post):
    wrong = judge(flow, world.account(flow), texts, post, world.sandbox.ledger())
    wrong += judge_sent(flow, texts, world.sandbox.log())
    timeline = world.app.timeline_text(post["id"])
    count_post(figures, post, wrong, timeline)
    assert not wrong, f"{wrong}\n{timeline}"
    return timeline


# ---- accepting ----


@pytest.mark.parametrize("name", ERRORS)
def test_nothing_is_promised_that_cannot_be_kept(world, figures, name):
    flow = BY_NAME["x text"]
    wishes = [(texts, world.request(flow, texts)) for texts in (flow.texts() for _ in range(4))]
    total = world.app.total()
    world.control.begin(ERRORS[name])
    for _, body in wishes:
        answer = publish(world, body)
        assert answer.status_code == 503, f"{answer.status_code} {answer.text}"
        assert int(answer.headers["Retry-After"]) > 0
    assert world.control["hits"] > 0
    assert world.app.total() == total, "reads work, and nothing was stored"
    assert world.app.service.request("GET", "/healthz").status_code == 200
    world.control.end()

    accepted = {}
    for texts, body in wishes:
        answer = publish(world, body)
        assert answer.status_code == 202, "there is room again; the refused request left no trace"
        accepted[answer.json()["data"]["post_id"]] = texts
    world.kill()
    world.start()
    assert world.app.total() == total + len(wishes)
    for post_id, texts in accepted.items():
        check(world, figures, flow, texts, world.settle(post_id, flow))


def test_every_promise_survives_a_disk_that_comes_and_goes(world, figures):
    """Room and no room in turns under a stream of posts, then a kill: each 202 is there, each 503 is not."""
    flow, dice = BY_NAME["facebook text"], random.Random(20261121)
    promised, refused = {}, []
    for _ in range(40):
        texts = flow.texts()
        if dice.random() < 0.5:
            world.control.begin(errno.ENOSPC, at=dice.randint(1, 6), is_sticky=dice.random() < 0.5)
        else:
            world.control.end()
        answer = publish(world, {**world.request(flow, texts), "scheduled_at": utc(world.control["clock_s"] + 3600)})
        assert answer.status_code in (202, 503), answer.text
        if answer.status_code == 202:
            promised[answer.json()["data"]["post_id"]] = texts
        else:
            refused.append(texts)
    assert promised and refused
    world.kill()
    world.control.end()
    world.check_store()
    world.start()
    for post_id, texts in promised.items():
        assert words_of(world.app.show(post_id)) == texts
    page = world.app.list(status="scheduled", per_page=100)["data"]
    assert len(page) >= len(promised)
    assert not {words_of(item)[0] for item in page} & {texts[0] for texts in refused}


def words_of(post):
    return [container["content"] for container in post["containers"]]


# ---- publishing ----


def test_no_request_leaves_without_its_intent(world, figures):
    """Due while the disk is full: nothing is sent until the intent can be written, then it goes out by itself."""
    flow = BY_NAME["x text"]
    texts = flow.texts()
    post_id = world.accept({**world.request(flow, texts), "scheduled_at": utc(world.control["clock_s"] + SOON_S)})
    world.control.begin(errno.ENOSPC)
    world.control["clock_s"] += SOON_S
    world.sandbox.advance(SOON_S)
    wait_for("the service tries to write", lambda: world.control["hits"] > 0)
    time.sleep(0.5)
    assert sent(world, flow, texts[0]) == []
    assert world.app.show(post_id)["status"] != "published"
    world.control.end()
    post = world.settle(post_id, flow)
    assert post["status"] == "published"
    check(world, figures, flow, texts, post)
    assert len(sent(world, flow, texts[0])) == 1


FLOW_NAMES = ["x text", "facebook comment", "linkedin organization", "instagram image"]


def answers_meet_full_disk(world, error):
    """On four platforms the publish call of the last part is under way for seconds; meanwhile the disk fills."""
    open_posts, before = {}, len(world.sandbox.log(method="POST"))
    for flow in (BY_NAME[name] for name in FLOW_NAMES):
        method, path = flow.publish_calls[-1]
        world.sandbox.fault(flow.platform, method, path, "slow", retry_after=SLOW_S)
    for flow in (BY_NAME[name] for name in FLOW_NAMES):
        texts = flow.texts()
        open_posts[world.accept(world.request(flow, texts))] = (flow, texts)

    def are_under_way():
        seen = [entry["path"] for entry in world.sandbox.log(method="POST")[before:]]
        return all(any(matches(flow.publish_calls[-1][1], path) for path in seen) for flow, _ in open_posts.values())

    wait_for("the publish calls", are_under_way)
    world.control.begin(error)
    wait_for("an answer that is to be written down", lambda: world.control["hits"] > 0)
    time.sleep(SLOW_S + 0.5)  # and those of the others
    for post_id in open_posts:
        assert world.app.show(post_id)["status"] not in ("published", "failed"), "told before it was durable"
    return open_posts


@pytest.mark.parametrize("error", ERRORS if IS_LONG else ["EIO"])
def test_answers_are_kept_until_they_can_be_written(world, figures, error):
    open_posts = answers_meet_full_disk(world, ERRORS[error])
    world.control.end()
    for post_id, (flow, texts) in open_posts.items():
        wait_for("published", lambda: world.app.show(post_id)["status"] == "published")
        timeline = check(world, figures, flow, texts, world.app.show(post_id))
        assert "resolve" not in timeline, "the answer was there: nobody had to ask"


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM"])
def test_a_service_that_ends_while_the_disk_is_full(world, figures, end):
    """The answers die with it. The intents are on disk, so the next start asks the platforms instead of sending again."""
    open_posts = answers_meet_full_disk(world, errno.ENOSPC)
    if end == "SIGTERM":
        world.service.stop()
    else:
        world.kill()
    world.control.end()
    world.sandbox.clear_faults()
    world.start()
    for post_id, (flow, texts) in open_posts.items():
        check(world, figures, flow, texts, world.settle(post_id, flow))


# ---- the k-th call fails ----


def stay_broken(world, post_id):
    """A disk that breaks stays so until several calls have met it, or until the post got through without one."""
    deadline = time.monotonic() + BROKEN_S
    while time.monotonic() < deadline and world.control["hits"] < BROKEN_HITS:
        if world.app.show(post_id)["status"] in ("published", "failed"):
            return
        time.sleep(0.02)


def kth_error(world, figures, flow, error, calls, is_sticky, at):
    """How many calls met the error."""
    texts = flow.texts()
    body = world.request(flow, texts)
    world.control.begin(error, at=at, is_sticky=is_sticky, calls=calls)
    answer = publish(world, body)
    if answer.status_code == 202 and is_sticky:
        stay_broken(world, answer.json()["data"]["post_id"])
    elif answer.status_code == 503 and is_sticky:
        assert publish(world, body).status_code == 503
    if is_sticky:
        hits = world.control["hits"]
        world.control.end()
    if answer.status_code != 202:
        assert answer.status_code == 503, f"{answer.status_code} {answer.text}"
        answer = publish(world, body)
        assert answer.status_code in (202, 409), f"{answer.status_code} {answer.text}"
    data = answer.json()
    post = world.settle(data["data"]["post_id"] if answer.status_code == 202 else data["details"]["post_id"], flow)
    if not is_sticky:
        hits = world.control["hits"]
        world.control.end()
    check(world, figures, flow, texts, post)
    return hits


KINDS_OF_ERROR = [
    pytest.param(ERRORS[error], calls, is_sticky, id=f"{error}-{name}-{'sticky' if is_sticky else 'once'}")
    for error in ERRORS
    for name, calls in (("write", WRITES), ("flush", FLUSHES), ("any", ALL_CALLS))
    for is_sticky in (False, True)
]


@pytest.mark.parametrize("error, calls, is_sticky", KINDS_OF_ERROR)
def test_kth_error(world, figures, error, calls, is_sticky):
    """Some k, of one flow."""
    names = ["x text", "facebook comment", "linkedin organization"]
    flow = BY_NAME[names[(error + calls) % len(names)]]
    assert sum(kth_error(world, figures, flow, error, calls, is_sticky, at) for at in K_SAMPLE) > 0


def every_k(media, flow, error, calls, is_sticky):
    """k = 1, 2, 3, ... until the flow runs through: (calls that met the error, figures)."""
    met, figures = 0, new_figures()
    for first in range(1, K_MAX, CELLS_PER_WORLD):
        with World(media, [flow.platform], time_scale=flow.time_scale) as world:
            try:
                for at in range(first, first + CELLS_PER_WORLD):
                    hits = kth_error(world, figures, flow, error, calls, is_sticky, at)
                    met += hits
                    if hits == 0:
                        return met, figures
            finally:
                world.control.end()
    raise AssertionError(f"{flow.name}: more than {K_MAX} calls")


@pytest.mark.skipif(not IS_LONG, reason="POSTHORN_LONG=1: every k of every flow")
@pytest.mark.parametrize("error, calls, is_sticky", KINDS_OF_ERROR)
def test_every_kth_error(media, figures, error, calls, is_sticky):
    flows = [flow for flow in chosen(FLOWS) if flow.platform != "tiktok"]  # it takes 3 s for each k
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        running = [pool.submit(every_k, media, flow, error, calls, is_sticky) for flow in flows]
    for flow, future in zip(flows, running):
        met, its_figures = future.result()
        figures.update(its_figures)
        assert met > 0, flow.name
