# SPDX-License-Identifier: Apache-2.0
"""The two clients, and what they offer: the calls of calls.py by what they are about, for those who wait and for those who await."""
import dataclasses
import re
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx

from . import calls
from .core import Call, Core, Lock
from .drivers import AsyncDriver, AsyncResource, SyncDriver, SyncResource, async_iterated, awaited, iterated, waited
from .errors import PosthornError
from .tokens import Given, Issued, KeptToken, TokenStore, basic
from .upload import Uploadable, Uploaded

TIMEOUT_S = 30.0
RETRIES = 4
LONGEST_WAIT_S = 60.0
LINK_RETRIES = 6


class Posts(SyncResource):
    publish = waited(calls.publish_post)
    validate = waited(calls.validate_post)
    list = iterated(calls.list_posts)
    page = waited(calls.page_of_posts)
    get = waited(calls.get_post)
    get_versioned = waited(calls.get_post_versioned)
    timeline = waited(calls.get_timeline)
    wait = waited(calls.wait_post)
    cancel = waited(calls.cancel_post)
    edit = waited(calls.edit_post)
    retry = waited(calls.retry_post)
    retry_many = waited(calls.retry_posts)
    unpublish = waited(calls.unpublish_post)


class AsyncPosts(AsyncResource):
    publish = awaited(calls.publish_post)
    validate = awaited(calls.validate_post)
    list = async_iterated(calls.list_posts)
    page = awaited(calls.page_of_posts)
    get = awaited(calls.get_post)
    get_versioned = awaited(calls.get_post_versioned)
    timeline = awaited(calls.get_timeline)
    wait = awaited(calls.wait_post)
    cancel = awaited(calls.cancel_post)
    edit = awaited(calls.edit_post)
    retry = awaited(calls.retry_post)
    retry_many = awaited(calls.retry_posts)
    unpublish = awaited(calls.unpublish_post)


class Drafts(SyncResource):
    create = waited(calls.create_draft)
    list = iterated(calls.list_drafts)
    get = waited(calls.get_draft)
    get_versioned = waited(calls.get_draft_versioned)
    change = waited(calls.change_draft)
    delete = waited(calls.delete_draft)
    reject = waited(calls.reject_draft)
    publish = waited(calls.publish_draft)


class AsyncDrafts(AsyncResource):
    create = awaited(calls.create_draft)
    list = async_iterated(calls.list_drafts)
    get = awaited(calls.get_draft)
    get_versioned = awaited(calls.get_draft_versioned)
    change = awaited(calls.change_draft)
    delete = awaited(calls.delete_draft)
    reject = awaited(calls.reject_draft)
    publish = awaited(calls.publish_draft)


class Accounts(SyncResource):
    list = iterated(calls.list_accounts)
    get = waited(calls.get_account)
    check = waited(calls.check_account)
    disconnect = waited(calls.disconnect_account)


class AsyncAccounts(AsyncResource):
    list = async_iterated(calls.list_accounts)
    get = awaited(calls.get_account)
    check = awaited(calls.check_account)
    disconnect = awaited(calls.disconnect_account)


class Connections(SyncResource):
    begin = waited(calls.begin_connection)
    get = waited(calls.get_connection)
    wait = waited(calls.wait_connection)
    confirm = waited(calls.confirm_connection)


class AsyncConnections(AsyncResource):
    begin = awaited(calls.begin_connection)
    get = awaited(calls.get_connection)
    wait = awaited(calls.wait_connection)
    confirm = awaited(calls.confirm_connection)


class Webhooks(SyncResource):
    create = waited(calls.create_webhook)
    list = waited(calls.list_webhooks)
    get = waited(calls.get_webhook)
    change = waited(calls.change_webhook)
    delete = waited(calls.delete_webhook)
    rotate = waited(calls.rotate_webhook)
    test = waited(calls.try_webhook)
    deliveries = iterated(calls.list_deliveries)


class AsyncWebhooks(AsyncResource):
    create = awaited(calls.create_webhook)
    list = awaited(calls.list_webhooks)
    get = awaited(calls.get_webhook)
    change = awaited(calls.change_webhook)
    delete = awaited(calls.delete_webhook)
    rotate = awaited(calls.rotate_webhook)
    test = awaited(calls.try_webhook)
    deliveries = async_iterated(calls.list_deliveries)


class Events(SyncResource):
    page = waited(calls.page_of_events)
    list = iterated(calls.list_events)
    follow = iterated(calls.follow_events)


class AsyncEvents(AsyncResource):
    page = awaited(calls.page_of_events)
    list = async_iterated(calls.list_events)
    follow = async_iterated(calls.follow_events)


class MediaFiles(SyncResource):
    upload = waited(calls.upload_media)
    create_link = waited(calls.create_link)
    list = iterated(calls.list_media)
    get = waited(calls.get_media)
    download = waited(calls.download_media)
    delete = waited(calls.delete_media)


class AsyncMediaFiles(AsyncResource):
    upload = awaited(calls.upload_media)
    create_link = awaited(calls.create_link)
    list = async_iterated(calls.list_media)
    get = awaited(calls.get_media)
    download = awaited(calls.download_media)
    delete = awaited(calls.delete_media)


class Users(SyncResource):
    get = waited(calls.get_user)
    erase = waited(calls.erase_user)


class AsyncUsers(AsyncResource):
    get = awaited(calls.get_user)
    erase = awaited(calls.erase_user)


class Platforms(SyncResource):
    list = waited(calls.list_platforms)


class AsyncPlatforms(AsyncResource):
    list = awaited(calls.list_platforms)


# ---- the clients ----

Self = TypeVar("Self", bound="_Client")


class _Client:
    """What both have: settings, and where the Authorization header comes from."""

    def __init__(self, url: str, token: str | None, client_id: str | None, client_secret: str | None, lock: Lock,
                 settings: dict[str, Any]) -> None:
        if not re.fullmatch(r"https?://[^?#]+", url):
            raise PosthornError("url must be the service's address, as https://social.example.com.")
        store = settings.pop("token_store")
        self._core = Core(url.rstrip("/"), authorization=None, **settings)
        self._credentials = basic(client_id, client_secret) if client_id and client_secret else None
        if token:
            self._core.authorization = Given(f"Bearer {token}")
        elif self._credentials is not None:
            self._core.authorization = Issued(dataclasses.replace(self._core), self._credentials, store, lock)
        else:
            raise PosthornError("Give token, or client_id and client_secret.")

    def _offer(self) -> None:
        raise NotImplementedError

    def with_options(self: Self, *, timeout_s: float | None = None, retries: int | None = None) -> Self:
        """The same client with other settings for its calls; it shares token and connections."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._core = dataclasses.replace(self._core, timeout_s=self._core.timeout_s if timeout_s is None else timeout_s,
                                          retries=self._core.retries if retries is None else retries)
        other._offer()
        return other

    def _issued(self) -> Issued:
        if not isinstance(self._core.authorization, Issued):
            raise PosthornError("Tokens are issued with client_id and client_secret, and without token.")
        return self._core.authorization

    def _revoking(self) -> Given:
        if self._credentials is None:
            raise PosthornError("Tokens are revoked with client_id and client_secret.")
        return self._credentials


def revocation(token: str) -> Call:
    return Call("POST", "/v1/oauth/revoke", "safe", content=urlencode({"token": token}).encode(),
                headers={"Content-Type": "application/x-www-form-urlencoded"})


class Posthorn(_Client):
    """The client. token: an access token (pht_...) or a key (phk_...) of the app; or client_id and client_secret, with which a token is
    issued, and again when it ends. timeout_s is for each wait on the network, retries says how often a call that may be repeated is tried
    again, a Retry-After beyond longest_wait_s is not waited for."""

    def __init__(self, url: str, *, token: str | None = None, client_id: str | None = None, client_secret: str | None = None,
                 token_store: TokenStore | None = None, timeout_s: float = TIMEOUT_S, retries: int = RETRIES,
                 longest_wait_s: float = LONGEST_WAIT_S, http: httpx.Client | None = None) -> None:
        settings = {"timeout_s": timeout_s, "retries": retries, "longest_wait_s": longest_wait_s, "token_store": token_store}
        super().__init__(url, token, client_id, client_secret, SyncDriver.lock(), settings)
        self._driver = SyncDriver(http or httpx.Client())
        self._offer()

    def _offer(self) -> None:
        self.posts = Posts(self._core, self._driver)
        self.drafts = Drafts(self._core, self._driver)
        self.accounts = Accounts(self._core, self._driver)
        self.connections = Connections(self._core, self._driver)
        self.media = MediaFiles(self._core, self._driver)
        self.webhooks = Webhooks(self._core, self._driver)
        self.events = Events(self._core, self._driver)
        self.users = Users(self._core, self._driver)
        self.platforms = Platforms(self._core, self._driver)

    def issue_token(self) -> KeptToken:
        """Issues a new access token, which ends the one before. Needed only where the token itself is wanted."""
        return self._driver.run(self._issued().issue())

    def revoke_token(self, token: str) -> None:
        """Ends a token or a key of the app."""
        self._driver.run(self._core.send(revocation(token), self._revoking()))

    def close(self) -> None:
        self._driver.http.close()

    def __enter__(self) -> "Posthorn":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncPosthorn(_Client):
    """The client for asyncio and trio: as Posthorn, and every call is awaited."""

    def __init__(self, url: str, *, token: str | None = None, client_id: str | None = None, client_secret: str | None = None,
                 token_store: TokenStore | None = None, timeout_s: float = TIMEOUT_S, retries: int = RETRIES,
                 longest_wait_s: float = LONGEST_WAIT_S, http: httpx.AsyncClient | None = None) -> None:
        settings = {"timeout_s": timeout_s, "retries": retries, "longest_wait_s": longest_wait_s, "token_store": token_store}
        super().__init__(url, token, client_id, client_secret, AsyncDriver.lock(), settings)
        self._driver = AsyncDriver(http or httpx.AsyncClient())
        self._offer()

    def _offer(self) -> None:
        self.posts = AsyncPosts(self._core, self._driver)
        self.drafts = AsyncDrafts(self._core, self._driver)
        self.accounts = AsyncAccounts(self._core, self._driver)
        self.connections = AsyncConnections(self._core, self._driver)
        self.media = AsyncMediaFiles(self._core, self._driver)
        self.webhooks = AsyncWebhooks(self._core, self._driver)
        self.events = AsyncEvents(self._core, self._driver)
        self.users = AsyncUsers(self._core, self._driver)
        self.platforms = AsyncPlatforms(self._core, self._driver)

    async def issue_token(self) -> KeptToken:
        """Issues a new access token, which ends the one before. Needed only where the token itself is wanted."""
        return await self._driver.run(self._issued().issue())

    async def revoke_token(self, token: str) -> None:
        """Ends a token or a key of the app."""
        await self._driver.run(self._core.send(revocation(token), self._revoking()))

    async def aclose(self) -> None:
        await self._driver.http.aclose()

    async def __aenter__(self) -> "AsyncPosthorn":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()


def link_core() -> Core:
    return Core("", timeout_s=TIMEOUT_S, retries=LINK_RETRIES, longest_wait_s=LONGEST_WAIT_S, authorization=None)


def upload_by_link(upload_url: str, file: Uploadable, **options: Any) -> Uploaded:
    """Uploads a file by a link that the service made (`media.create_link`), without a token. Options as in `media.upload`."""
    with httpx.Client() as http:
        return SyncDriver(http).run(calls.upload_by_link(link_core(), upload_url, file, **options))


async def upload_by_link_async(upload_url: str, file: Uploadable, **options: Any) -> Uploaded:
    """upload_by_link, to be awaited."""
    async with httpx.AsyncClient() as http:
        return await AsyncDriver(http).run(calls.upload_by_link(link_core(), upload_url, file, **options))
