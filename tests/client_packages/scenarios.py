# SPDX-License-Identifier: Apache-2.0
"""What the tests of the clients do with the Python client: `scenarios.py wait` or `scenarios.py await`. Each line of standard input is
{"scenario", "settings", ...}; for each it prints {"result"} or {"error"}. scenarios.mjs does the same in TypeScript. Not a test itself."""
import base64
import contextlib
import functools
import inspect
import itertools
import json
import pathlib
import sys

import anyio.from_thread
import posthorn


class Stop(Exception):
    """Ends a process in the middle of an upload."""


class Awaiting:
    """An AsyncPosthorn as the scenarios use it: each call is done in the event loop of another thread."""

    def __init__(self, portal, subject):
        self.portal, self.subject = portal, subject

    def __getattr__(self, name):
        found = getattr(self.subject, name)
        return functools.partial(self.call, found) if callable(found) else Awaiting(self.portal, found)

    def call(self, method, *words, **more):
        made = method(*words, **more)
        if inspect.isasyncgen(made):
            return self.items(made)
        return self.portal.call(lambda: made) if inspect.isawaitable(made) else Awaiting(self.portal, made)

    def items(self, made):
        with contextlib.suppress(StopAsyncIteration):
            while True:
                yield self.portal.call(made.__anext__)
        self.portal.call(made.aclose)


def last(items, is_last):
    """All items up to the last."""
    for item in items:
        yield item
        if is_last(item):
            return


class Scenarios:
    def __init__(self, task, make, by_link):
        self.task, self.make, self.by_link = task, make, by_link

    def client(self):
        settings = self.task["settings"]
        named = {"token": "token", "clientId": "client_id", "clientSecret": "client_secret", "retries": "retries"}
        more = {name: settings[key] for key, name in named.items() if key in settings}
        if "timeoutMs" in settings:
            more["timeout_s"] = settings["timeoutMs"] / 1000
        if "store" in settings:
            more["token_store"] = Store(pathlib.Path(settings["store"]))
        return self.make(settings["url"], **more)

    def run(self):
        name = self.task["scenario"]
        return self.verify() if name == "verify" else getattr(self, name)(self.client())

    def publish(self, client):
        return client.posts.publish(self.task["post"], idempotency_key=self.task.get("key"))

    def get(self, client):
        return client.posts.get(self.task["id"])

    def publishAndWait(self, client):  # noqa: N802 - the scenario's name
        return client.posts.wait(client.posts.publish(self.task["post"])["post_id"], every_s=0.1)

    def createDraft(self, client):  # noqa: N802
        return client.drafts.create(self.task["post"])

    def publishDraft(self, client):  # noqa: N802
        return client.drafts.publish(client.drafts.create(self.task["post"])["id"])

    def deleteDraft(self, client):  # noqa: N802
        client.drafts.delete(client.drafts.create(self.task["post"])["id"])

    def edit(self, client):
        _, etag = client.posts.get_versioned(self.task["id"])
        edited = client.posts.edit(self.task["id"], {"content": self.task["content"]}, if_match=etag)
        try:
            client.posts.edit(self.task["id"], {"content": "late"}, if_match=etag)
        except posthorn.PosthornError as error:
            return {"edited": edited["containers"][0]["content"], "late": type(error).__name__}

    def listTwice(self, client):  # noqa: N802
        first, second = (client.posts.page(per_page=1) for _ in range(2))
        return first["meta"]["total"] == second["meta"]["total"]

    def pages(self, client):
        ids = [post["id"] for post in client.posts.list(per_page=2, account_ids=self.task["accounts"])]
        return {"ids": ids, "taken": len(list(itertools.islice(client.posts.list(per_page=2, account_ids=self.task["accounts"]), 3)))}

    def events(self, client):
        def is_last(event):
            return event["type"] == "post.completed" and event["data"]["id"] == self.task["id"]

        seen = [event["seq"] for event in last(client.events.follow(every_s=0.05), is_last)]
        return {"seen": seen, "rest": len(client.events.page(after=seen[-1])["data"])}

    def upload(self, client):
        progress = []
        more = {"chunk_bytes": self.task["chunk"], "on_progress": lambda sent, total: progress.append([sent, total])}
        link = self.task.get("link")
        done = self.by_link(link, self.task["file"], **more) if link else client.media.upload(self.task["file"], **more)
        return {**done, "progress": progress}

    def uploadInTwoLives(self, client):  # noqa: N802
        places, starts = [], []

        def stop(sent, _):
            if sent > 0:
                raise Stop

        with contextlib.suppress(Stop):
            client.media.upload(self.task["file"], chunk_bytes=self.task["chunk"], on_begin=places.append, on_progress=stop)
        with open(self.task["file"], "rb") as file:
            done = client.media.upload(file, chunk_bytes=self.task["chunk"], resume_from=places[0],
                                       on_progress=lambda sent, _: starts.append(sent))
        return {"first": "AbortedError", **done, "start": starts[0]}

    def download(self, client):
        return base64.b64encode(client.media.download(self.task["id"])).decode()

    def verify(self):
        task = self.task
        return posthorn.verify_webhook(task["secret"], task["headers"], base64.b64decode(task["body"]), now_s=task["now"])

    def abort(self, client):
        return next(client.with_options(timeout_s=0.2, retries=0).posts.list())

    def kept(self, client):
        return {"total": client.posts.page()["meta"]["total"]}


class Store:
    def __init__(self, path):
        self.path = path

    def load(self):
        return posthorn.KeptToken(**json.loads(self.path.read_text())) if self.path.exists() else None

    def save(self, token):
        self.path.write_text(json.dumps({"access_token": token.access_token, "usable_until_s": token.usable_until_s}))


def told(error):
    more = ("code", "status", "field", "errors", "details") if isinstance(error, posthorn.ApiError) else ()
    return {
        "kind": type(error).__name__.removeprefix("Posthorn"), "message": error.message, "requestId": error.request_id,
        "outcomeUnknown": error.outcome_unknown, "post_id": getattr(error, "post_id", None),
        **{name: getattr(error, name) for name in more},
    }


def main():
    with contextlib.ExitStack() as stack:
        make, by_link = posthorn.Posthorn, posthorn.upload_by_link
        if sys.argv[1] == "await":
            portal = stack.enter_context(anyio.from_thread.start_blocking_portal())
            make = functools.partial(made_awaiting, portal)
            by_link = functools.partial(linked_awaiting, portal)
        for line in sys.stdin:
            try:
                answer = {"result": Scenarios(json.loads(line), make, by_link).run()}
            except posthorn.PosthornError as error:
                answer = {"error": told(error)}
            print(json.dumps(answer), flush=True)


def made_awaiting(portal, url, **settings):
    return Awaiting(portal, portal.call(functools.partial(posthorn.AsyncPosthorn, url, **settings)))


def linked_awaiting(portal, *words, **more):
    return portal.call(functools.partial(posthorn.upload_by_link_async, *words, **more))


main()
