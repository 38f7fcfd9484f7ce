# SPDX-License-Identifier: Apache-2.0
"""Every call, once, as steps. client.py offers each to those who wait and to those who await."""
import functools
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict, TypeVar, cast
from urllib.parse import quote

from . import models as m
from .core import Answer, Call, Core, Give, Items, Repeat, Sleep, Steps
from .errors import DuplicateRequestError, NotFoundError, PosthornPermissionError, PosthornTimeoutError
from .upload import CHUNK_BYTES, Upload, Uploadable, Uploaded, UploadOptions

T = TypeVar("T")
WAIT_S = 120.0
EVERY_S = 1.0
FOLLOW_S = 2.0
FINAL = ("published", "failed")


class Accepted(m.PublishAcceptedData):
    """recovered: the first answer was lost, and this one was read from the post."""

    recovered: NotRequired[bool]


class Page(TypedDict):
    data: list[Any]
    meta: m.PageMeta


class UserPage(TypedDict):
    data: m.UserData
    meta: m.PageMeta


class TestEvent(TypedDict):
    event_id: str


class PlatformsMeta(TypedDict):
    mode: str


class Platforms(TypedDict):
    data: list[m.Platform]
    sandbox: bool
    meta: PlatformsMeta


# ---- what calls are made of ----


def part(text: str) -> str:
    return quote(text, safe="")


def read(core: Core, path: str, query: Mapping[str, Any] | None = None) -> Steps[Any]:
    return (yield from core.send(Call("GET", path, "read", query=query or {}))).read()


def write(core: Core, method: str, path: str, repeat: Repeat, body: Any = None, if_match: str | None = None) -> Steps[Any]:
    headers = {} if if_match is None else {"If-Match": if_match}
    return (yield from core.send(Call(method, path, repeat, json=body, headers=headers))).read()


def data(steps: Steps[Any]) -> Steps[Any]:
    return (yield from steps)["data"]


def remove(core: Core, path: str, if_match: str | None = None) -> Steps[None]:
    """Gone already, after a lost answer, is what was wanted."""
    headers = {} if if_match is None else {"If-Match": if_match}
    try:
        yield from core.send(Call("DELETE", path, "safe", headers=headers))
    except NotFoundError as failure:
        if not failure.outcome_unknown:
            raise


def change_repeat(if_match: str | None) -> Repeat:
    """With If-Match a second time is refused by what the first did, so it is not repeated blindly."""
    return "safe" if if_match is None else "once"


def versioned(answer: Answer) -> tuple[Any, str]:
    return answer.read()["data"], answer.headers.get("etag", "")


def paged(core: Core, path: str, query: Mapping[str, Any]) -> Items[Any]:
    """What is added at the top while you read moves the pages: what stood on the page before is not given twice."""
    number = query.get("page") or 1
    before: set[str] = set()
    while True:
        page: Page = yield from read(core, path, {**query, "page": number})
        for item in page["data"]:
            if item["id"] not in before:
                yield Give(item)
        before = {item["id"] for item in page["data"]}
        if number >= page["meta"]["last_page"]:
            return
        number += 1


def until(look: Callable[[], Steps[T]], is_done: Callable[[T], bool], what: str, timeout_s: float, every_s: float) -> Steps[T]:
    deadline = time.monotonic() + timeout_s
    while True:
        found = yield from look()
        if is_done(found):
            return found
        if time.monotonic() > deadline:
            raise PosthornTimeoutError(f"{what} is not final after {timeout_s:g} s; it goes on.")
        yield Sleep(every_s)


# ---- posts ----


def accept(core: Core, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Steps[Accepted]:
    """Sends what publishes, and finds the post when the answer was lost and the service says that it has the request already."""
    try:
        answer = yield from core.send(Call("POST", path, "safe", json=body, headers=headers))
        return cast(Accepted, answer.read()["data"])
    except DuplicateRequestError as known:
        if not known.outcome_unknown:
            raise
        post_id = known.post_id
    try:
        return accepted_of((yield from get_post(core, post_id)))
    except PosthornPermissionError:
        return accepted_unread(post_id, body)


def accepted_of(post: m.PostDetails) -> Accepted:
    status: Any = "pending" if post["scheduled_at"] is None else "scheduled"
    rows: Any = [{"id": row["id"], "account_id": row["account_id"], "platform_id": row["platform_id"], "status": status}
                 for row in post["platform_posts"]]
    accepted: Accepted = {
        "post_id": post["id"], "request_id": post["request_id"], "status": status, "total_accounts": len(rows),
        "scheduled_at": post["scheduled_at"], "mode": post["mode"], "platform_posts": rows, "recovered": True,
    }
    if "warnings" in post:
        accepted["warnings"] = post["warnings"]
    return accepted


def accepted_unread(post_id: str, body: Mapping[str, Any]) -> Accepted:
    """A key that may publish and not read: what was sent and what the refusal says is all there is."""
    return {
        "post_id": post_id, "request_id": body.get("request_id") or "", "status": "scheduled" if body.get("scheduled_at") else "pending",
        "total_accounts": len(body.get("account_ids") or []), "scheduled_at": body.get("scheduled_at"),
        "mode": "advanced" if body.get("containers") else "basic", "platform_posts": [], "recovered": True,
    }


def publish_post(core: Core, post: m.PublishRequest, *, idempotency_key: str | None = None) -> Steps[Accepted]:
    """Accepts a post. Without a `request_id` (and without an idempotency_key) it gets one, so that tries after a lost answer never make a
    second post. When all tries fail, the error's `outcome_unknown` says whether the post may have been accepted; publishing again with
    the same `request_id` is safe."""
    body = dict(post)
    if idempotency_key is None and body.get("request_id") is None:
        body["request_id"] = secrets.token_hex(16)
    headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
    return (yield from accept(core, "/v1/posts/publish", body, headers))


def validate_post(core: Core, post: m.ValidateRequest) -> Steps[m.Validation]:
    """What publishing would answer, and the calls that would be made. Nothing is stored."""
    answer = yield from core.send(Call("POST", "/v1/posts/validate", "read", json=post))
    return cast(m.Validation, answer.read()["data"])


def post_query(status: m.PostStatus | None, platform: str | None, date_from: str | None, date_to: str | None,
               lists: Mapping[str, Sequence[str] | None], per_page: int | None) -> dict[str, Any]:
    named = {f"{name}[]": list(values) for name, values in lists.items() if values is not None}
    return {"status": status, "platform": platform, "date_from": date_from, "date_to": date_to, "per_page": per_page, **named}


def list_posts(core: Core, *, status: m.PostStatus | None = None, platform: str | None = None, date_from: str | None = None,
               date_to: str | None = None, external_user_ids: Sequence[str] | None = None, account_ids: Sequence[str] | None = None,
               page: int = 1, per_page: int | None = None) -> Items[m.Post]:
    """Newest first, from this page on."""
    lists = {"external_user_ids": external_user_ids, "account_ids": account_ids}
    query = post_query(status, platform, date_from, date_to, lists, per_page)
    yield from paged(core, "/v1/posts", {**query, "page": page})


def page_of_posts(core: Core, *, status: m.PostStatus | None = None, platform: str | None = None, date_from: str | None = None,
                  date_to: str | None = None, external_user_ids: Sequence[str] | None = None, account_ids: Sequence[str] | None = None,
                  page: int = 1, per_page: int | None = None) -> Steps[m.PostPage]:
    """One page, with the totals in `meta`."""
    lists = {"external_user_ids": external_user_ids, "account_ids": account_ids}
    query = post_query(status, platform, date_from, date_to, lists, per_page)
    return cast(m.PostPage, (yield from read(core, "/v1/posts", {**query, "page": page})))


def get_post(core: Core, post_id: str) -> Steps[m.PostDetails]:
    return cast(m.PostDetails, (yield from data(read(core, f"/v1/posts/{part(post_id)}"))))


def get_post_versioned(core: Core, post_id: str) -> Steps[tuple[m.PostDetails, str]]:
    """The post and its ETag, for `edit`."""
    return versioned((yield from core.send(Call("GET", f"/v1/posts/{part(post_id)}", "read"))))


def get_timeline(core: Core, post_id: str) -> Steps[list[m.TimelineEntry]]:
    """Every call to a platform, oldest first."""
    return cast(list[m.TimelineEntry], (yield from data(read(core, f"/v1/posts/{part(post_id)}/timeline"))))


def wait_post(core: Core, post_id: str, *, timeout_s: float = WAIT_S, every_s: float = EVERY_S) -> Steps[m.PostDetails]:
    """The post once it is published or failed."""
    def is_final(post: m.PostDetails) -> bool:
        return post["status"] in FINAL

    return (yield from until(functools.partial(get_post, core, post_id), is_final, f"Post {post_id}", timeout_s, every_s))


def cancel_post(core: Core, post_id: str) -> Steps[None]:
    """Before any part of it is sent; later it is a ConflictError with `TOO_LATE`."""
    yield from remove(core, f"/v1/posts/{part(post_id)}")


def edit_post(core: Core, post_id: str, change: m.EditRequest, *, if_match: str | None = None) -> Steps[m.PostDetails]:
    path = f"/v1/posts/{part(post_id)}"
    return cast(m.PostDetails, (yield from data(write(core, "PATCH", path, change_repeat(if_match), change, if_match))))


def retry_post(core: Core, post_id: str, body: m.RetryPostBody | None = None) -> Steps[m.PostDetails]:
    """Retries what failed of a post. With `republish` it can publish a second time what may be out already."""
    return cast(m.PostDetails, (yield from data(write(core, "POST", f"/v1/posts/{part(post_id)}/retry", "once", body or {}))))


def retry_posts(core: Core, body: m.RetryManyRequest) -> Steps[m.RetryMany]:
    """Retries what failed in many posts."""
    return cast(m.RetryMany, (yield from data(write(core, "POST", "/v1/posts/retry", "once", body))))


def unpublish_post(core: Core, post_id: str, body: m.UnpublishPostBody | None = None) -> Steps[m.PostDetails]:
    """Takes a published post back from the platforms. It cannot be undone."""
    return cast(m.PostDetails, (yield from data(write(core, "POST", f"/v1/posts/{part(post_id)}/unpublish", "safe", body or {}))))


# ---- drafts ----


def create_draft(core: Core, draft: m.DraftRequest) -> Steps[m.Draft]:
    return cast(m.Draft, (yield from data(write(core, "POST", "/v1/drafts", "once", draft))))


def list_drafts(core: Core, *, page: int = 1, per_page: int | None = None) -> Items[m.Draft]:
    yield from paged(core, "/v1/drafts", {"page": page, "per_page": per_page})


def get_draft(core: Core, draft_id: str) -> Steps[m.Draft]:
    return cast(m.Draft, (yield from data(read(core, f"/v1/drafts/{part(draft_id)}"))))


def get_draft_versioned(core: Core, draft_id: str) -> Steps[tuple[m.Draft, str]]:
    """The draft and its ETag, for `change`, `delete` and `publish`."""
    return versioned((yield from core.send(Call("GET", f"/v1/drafts/{part(draft_id)}", "read"))))


def change_draft(core: Core, draft_id: str, change: m.DraftRequest, *, if_match: str | None = None) -> Steps[m.Draft]:
    """None removes a member."""
    path = f"/v1/drafts/{part(draft_id)}"
    return cast(m.Draft, (yield from data(write(core, "PATCH", path, change_repeat(if_match), change, if_match))))


def delete_draft(core: Core, draft_id: str, *, if_match: str | None = None) -> Steps[None]:
    yield from remove(core, f"/v1/drafts/{part(draft_id)}", if_match)


def reject_draft(core: Core, draft_id: str, reason: str) -> Steps[m.Draft]:
    return cast(m.Draft, (yield from data(write(core, "POST", f"/v1/drafts/{part(draft_id)}/reject", "once", {"reason": reason}))))


def publish_draft(core: Core, draft_id: str, body: m.PublishDraftBody | None = None, *, if_match: str | None = None) -> Steps[Accepted]:
    """Makes a post of it. Its id is the `request_id` when none is given, so a repeat never makes a second post."""
    headers = {} if if_match is None else {"If-Match": if_match}
    return (yield from accept(core, f"/v1/drafts/{part(draft_id)}/publish", dict(body or {}), headers))


# ---- accounts and connections ----


def list_accounts(core: Core, *, user_id: str | None = None, platform: m.PlatformSlug | None = None, status: m.AccountStatus | None = None,
                  page: int = 1, per_page: int | None = None) -> Items[m.AccountDetails]:
    query = {"user_id": user_id, "platform": platform, "status": status, "page": page, "per_page": per_page}
    yield from paged(core, "/v1/accounts", query)


def get_account(core: Core, account_id: str) -> Steps[m.AccountDetails]:
    return cast(m.AccountDetails, (yield from data(read(core, f"/v1/accounts/{part(account_id)}"))))


def check_account(core: Core, account_id: str) -> Steps[m.AccountCheck]:
    """Asks the platform whether the account's token works."""
    return cast(m.AccountCheck, (yield from data(write(core, "POST", f"/v1/accounts/{part(account_id)}/check", "safe"))))


def disconnect_account(core: Core, account_id: str) -> Steps[None]:
    yield from remove(core, f"/v1/accounts/{part(account_id)}")


def begin_connection(core: Core, body: m.BeginConnectionBody) -> Steps[m.ConnectionBegun]:
    """Begins a connection: send the user's browser to `redirect_url`."""
    return cast(m.ConnectionBegun, (yield from write(core, "POST", "/v1/accounts/connect", "safe", body)))


def get_connection(core: Core, connection_id: str) -> Steps[m.Connection]:
    """Its state, and its accounts."""
    return cast(m.Connection, (yield from read(core, f"/v1/connections/{part(connection_id)}/accounts")))


def wait_connection(core: Core, connection_id: str, *, timeout_s: float = WAIT_S, every_s: float = EVERY_S) -> Steps[m.Connection]:
    """The connection once the user has decided."""
    def is_decided(found: m.Connection) -> bool:
        return found["status"] != "pending"

    look = functools.partial(get_connection, core, connection_id)
    return (yield from until(look, is_decided, f"Connection {connection_id}", timeout_s, every_s))


def confirm_connection(core: Core, connection_id: str, body: m.ConfirmConnectionBody) -> Steps[m.Connection]:
    """In apps with connection confirmation: the browser that came back is this user's."""
    return cast(m.Connection, (yield from write(core, "POST", f"/v1/connections/{part(connection_id)}/confirm", "safe", body)))


# ---- webhooks and events ----


def create_webhook(core: Core, body: m.WebhookRequest) -> Steps[m.WebhookWithSecret]:
    """The answer has the secret; it is shown once."""
    return cast(m.WebhookWithSecret, (yield from data(write(core, "POST", "/v1/webhooks", "once", body))))


def list_webhooks(core: Core) -> Steps[list[m.Webhook]]:
    return cast(list[m.Webhook], (yield from data(read(core, "/v1/webhooks"))))


def get_webhook(core: Core, webhook_id: str) -> Steps[m.Webhook]:
    return cast(m.Webhook, (yield from data(read(core, f"/v1/webhooks/{part(webhook_id)}"))))


def change_webhook(core: Core, webhook_id: str, change: m.WebhookChange) -> Steps[m.Webhook]:
    return cast(m.Webhook, (yield from data(write(core, "PATCH", f"/v1/webhooks/{part(webhook_id)}", "safe", change))))


def delete_webhook(core: Core, webhook_id: str) -> Steps[None]:
    yield from remove(core, f"/v1/webhooks/{part(webhook_id)}")


def rotate_webhook(core: Core, webhook_id: str) -> Steps[m.WebhookWithSecret]:
    """A new secret; the old one stays valid for a day."""
    return cast(m.WebhookWithSecret, (yield from data(write(core, "POST", f"/v1/webhooks/{part(webhook_id)}/rotate", "once"))))


def try_webhook(core: Core, webhook_id: str) -> Steps[TestEvent]:
    """Sends it a test event."""
    return cast(TestEvent, (yield from data(write(core, "POST", f"/v1/webhooks/{part(webhook_id)}/test", "once"))))


def list_deliveries(core: Core, webhook_id: str, *, limit: int | None = None) -> Items[m.WebhookDelivery]:
    """The log, newest first."""
    before: int | None = None
    while True:
        page = yield from read(core, f"/v1/webhooks/{part(webhook_id)}/deliveries", {"before": before, "limit": limit})
        for row in page["data"]:
            yield Give(row)
            before = row["id"]
        if not page["meta"]["has_more"]:
            return


def page_of_events(core: Core, *, after: int = 0, limit: int | None = None) -> Steps[m.EventPage]:
    """One page of the feed."""
    return cast(m.EventPage, (yield from read(core, "/v1/events", {"after": after, "limit": limit})))


def list_events(core: Core, *, after: int = 0) -> Items[m.Event]:
    """The events that there are after a cursor, oldest first. `seq` of an event is the cursor behind it: keep the last one."""
    has_more = True
    while has_more:
        page = yield from page_of_events(core, after=after, limit=100)
        for event in page["data"]:
            yield Give(event)
        after, has_more = int(page["meta"]["next_cursor"]), page["meta"]["has_more"]


def follow_events(core: Core, *, after: int = 0, every_s: float = FOLLOW_S) -> Items[m.Event]:
    """The same, and then those that happen, until you leave the loop."""
    while True:
        page = yield from page_of_events(core, after=after, limit=100)
        for event in page["data"]:
            yield Give(event)
        after = int(page["meta"]["next_cursor"])
        if not page["meta"]["has_more"]:
            yield Sleep(every_s)


# ---- media ----


def upload_media(core: Core, file: Uploadable, *, file_name: str | None = None, on_progress: Callable[[int, int], None] | None = None,
                 chunk_bytes: int = CHUNK_BYTES, on_begin: Callable[[str], None] | None = None,
                 resume_from: str | None = None) -> Steps[Uploaded]:
    """Uploads a file in pieces, and goes on after a break. on_begin is told where the upload goes on: kept, and given as resume_from,
    it goes on in another process."""
    options = UploadOptions(file_name, on_progress, chunk_bytes, on_begin, resume_from)
    return (yield from Upload(core, "/v1/media/uploads", file, options).run())


def upload_by_link(core: Core, upload_url: str, file: Uploadable, *, file_name: str | None = None,
                   on_progress: Callable[[int, int], None] | None = None, chunk_bytes: int = CHUNK_BYTES,
                   on_begin: Callable[[str], None] | None = None, resume_from: str | None = None) -> Steps[Uploaded]:
    """Uploads a file by a link that the service made (`media.create_link`), without a token. The file's media_id is that of the link."""
    options = UploadOptions(file_name, on_progress, chunk_bytes, on_begin, resume_from)
    return (yield from Upload(core, upload_url, file, options).run())


def create_link(core: Core, body: m.UploadLinkRequest | None = None) -> Steps[m.UploadLink]:
    """An address that takes one file without a token, for a browser."""
    return cast(m.UploadLink, (yield from data(write(core, "POST", "/v1/media/links", "safe", body or {}))))


def list_media(core: Core, *, page: int = 1, per_page: int | None = None) -> Items[m.MediaFile]:
    yield from paged(core, "/v1/media", {"page": page, "per_page": per_page})


def get_media(core: Core, media_id: str) -> Steps[m.MediaFile]:
    return cast(m.MediaFile, (yield from data(read(core, f"/v1/media/{part(media_id)}"))))


def download_media(core: Core, media_id: str) -> Steps[bytes]:
    call = Call("GET", f"/v1/media/{part(media_id)}/content", "read", headers={"Accept": "*/*"})
    return (yield from core.send(call)).content


def delete_media(core: Core, media_id: str) -> Steps[None]:
    yield from remove(core, f"/v1/media/{part(media_id)}")


# ---- people and platforms ----


def get_user(core: Core, user_id: str, *, page: int = 1, per_page: int | None = None) -> Steps[UserPage]:
    """All that is stored about one of your users: a page of each list."""
    return cast(UserPage, (yield from read(core, f"/v1/users/{part(user_id)}", {"page": page, "per_page": per_page})))


def erase_user(core: Core, user_id: str) -> Steps[m.UserErasing]:
    """Erases one of your users for good: nothing brings them back."""
    answer = yield from core.send(Call("DELETE", f"/v1/users/{part(user_id)}", "safe", query={"confirm": user_id}))
    return cast(m.UserErasing, answer.read()["data"])


def list_platforms(core: Core) -> Steps[Platforms]:
    """What each platform accepts, and whether posts go to the real ones."""
    return cast(Platforms, (yield from read(core, "/v1/platforms")))
