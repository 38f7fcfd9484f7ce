# SPDX-License-Identifier: Apache-2.0
"""Does the steps of calls: SyncDriver waits, AsyncDriver awaits. They know nothing of what a call means."""
import functools
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import anyio
import anyio.to_thread
import httpx

from .core import Acquire, Core, Effect, Give, Items, Reply, Request, Send, Sleep, Steps
from .errors import PosthornConnectionError, PosthornTimeoutError

P = ParamSpec("P")
T = TypeVar("T")
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def built(client: httpx.Client | httpx.AsyncClient, request: Request) -> httpx.Request:
    timeout = httpx.Timeout(request.timeout_s)
    return client.build_request(request.method, request.url, headers=request.headers, content=request.content, timeout=timeout)


def failure_of(error: httpx.TransportError, request: Request) -> PosthornConnectionError:
    failure: PosthornConnectionError
    if isinstance(error, httpx.TimeoutException):
        failure = PosthornTimeoutError(f"Posthorn did not answer within {request.timeout_s:g} s.")
    else:
        failure = PosthornConnectionError(f"Posthorn could not be reached, or the connection broke: {error}.")
    failure.never_sent = isinstance(error, NEVER_SENT)
    failure.__cause__ = error
    return failure


class SyncDriver:
    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    @staticmethod
    def lock() -> threading.Lock:
        return threading.Lock()

    def run(self, steps: Steps[T]) -> T:
        outcome = None
        try:
            while True:
                outcome = self.do(steps.send(outcome))
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            steps.close()

    def iterate(self, items: Items[T]) -> Iterator[T]:
        outcome = None
        try:
            while True:
                effect = items.send(outcome)
                outcome = None
                if isinstance(effect, Give):
                    yield effect.item
                else:
                    outcome = self.do(effect)
        except StopIteration:
            return
        finally:
            items.close()

    def do(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return self.send(effect.request)
        if isinstance(effect, Sleep):
            return time.sleep(effect.seconds)
        if isinstance(effect, Acquire):
            return effect.lock.acquire()  # type: ignore[attr-defined]  # made by lock()
        return effect.run()

    def send(self, request: Request) -> Reply | PosthornConnectionError:
        try:
            answer = self.http.send(built(self.http, request), follow_redirects=False)
        except httpx.TransportError as error:
            return failure_of(error, request)
        return Reply(answer.status_code, answer.headers, answer.content)


class AsyncDriver:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    @staticmethod
    def lock() -> anyio.Lock:
        return anyio.Lock()

    async def run(self, steps: Steps[T]) -> T:
        outcome = None
        try:
            while True:
                outcome = await self.do(steps.send(outcome))
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            steps.close()

    async def iterate(self, items: Items[T]) -> AsyncIterator[T]:
        outcome = None
        try:
            while True:
                effect = items.send(outcome)
                outcome = None
                if isinstance(effect, Give):
                    yield effect.item
                else:
                    outcome = await self.do(effect)
        except StopIteration:
            return
        finally:
            items.close()

    async def do(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return await self.send(effect.request)
        if isinstance(effect, Sleep):
            return await anyio.sleep(effect.seconds)
        if isinstance(effect, Acquire):
            return await effect.lock.acquire()  # type: ignore[attr-defined]  # made by lock()
        return await anyio.to_thread.run_sync(effect.run)

    async def send(self, request: Request) -> Reply | PosthornConnectionError:
        try:
            answer = await self.http.send(built(self.http, request), follow_redirects=False)
        except httpx.TransportError as error:
            return failure_of(error, request)
        return Reply(answer.status_code, answer.headers, answer.content)


# ---- a call of calls.py as a method ----


class SyncResource:
    def __init__(self, core: Core, driver: SyncDriver) -> None:
        self.core, self.driver = core, driver


class AsyncResource:
    def __init__(self, core: Core, driver: AsyncDriver) -> None:
        self.core, self.driver = core, driver


class waited(Generic[P, T]):
    """A method that waits for its result."""

    def __init__(self, call: Callable[Concatenate[Core, P], Steps[T]]) -> None:
        self.call = call

    @overload
    def __get__(self, resource: None, owner: type) -> "waited[P, T]": ...

    @overload
    def __get__(self, resource: SyncResource, owner: type) -> Callable[P, T]: ...

    def __get__(self, resource: SyncResource | None, owner: type) -> Any:
        return self if resource is None else bound(self.call, resource.core, resource.driver.run)


class awaited(Generic[P, T]):
    """A method whose result is awaited."""

    def __init__(self, call: Callable[Concatenate[Core, P], Steps[T]]) -> None:
        self.call = call

    @overload
    def __get__(self, resource: None, owner: type) -> "awaited[P, T]": ...

    @overload
    def __get__(self, resource: AsyncResource, owner: type) -> Callable[P, Awaitable[T]]: ...

    def __get__(self, resource: AsyncResource | None, owner: type) -> Any:
        return self if resource is None else bound(self.call, resource.core, resource.driver.run)


class iterated(Generic[P, T]):
    """A method that gives one item after the other."""

    def __init__(self, call: Callable[Concatenate[Core, P], Items[T]]) -> None:
        self.call = call

    @overload
    def __get__(self, resource: None, owner: type) -> "iterated[P, T]": ...

    @overload
    def __get__(self, resource: SyncResource, owner: type) -> Callable[P, Iterator[T]]: ...

    def __get__(self, resource: SyncResource | None, owner: type) -> Any:
        return self if resource is None else bound(self.call, resource.core, resource.driver.iterate)


class async_iterated(Generic[P, T]):
    """A method for `async for`."""

    def __init__(self, call: Callable[Concatenate[Core, P], Items[T]]) -> None:
        self.call = call

    @overload
    def __get__(self, resource: None, owner: type) -> "async_iterated[P, T]": ...

    @overload
    def __get__(self, resource: AsyncResource, owner: type) -> Callable[P, AsyncIterator[T]]: ...

    def __get__(self, resource: AsyncResource | None, owner: type) -> Any:
        return self if resource is None else bound(self.call, resource.core, resource.driver.iterate)


def bound(call: Callable[..., Any], core: Core, do: Callable[..., Any]) -> Callable[..., Any]:
    def method(*words: Any, **more: Any) -> Any:
        return do(call(core, *words, **more))

    return functools.update_wrapper(method, call, ("__name__", "__doc__"), ())
