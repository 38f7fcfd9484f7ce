# SPDX-License-Identifier: Apache-2.0
"""Calls as steps: a generator that yields what it needs done (Send, Sleep, ...) and is given the outcome. What a call means stands here,
in tokens.py, calls.py and upload.py, once; drivers.py does the steps, waiting or awaiting.

What may be sent again:
- 429 RATE_LIMITED and 503 UNAVAILABLE of the service did nothing: every call, not before Retry-After;
- a connection that could not be opened carried nothing: every call;
- a lost answer, a 5xx of a proxy and 500 leave open whether it happened: only calls that are "safe", or only "read";
- everything else is final."""
import dataclasses
import json
import random
import re
import secrets
from collections.abc import Callable, Generator, Mapping
from typing import Any, Generic, Literal, Protocol, TypeVar
from urllib.parse import urlencode

from .errors import ApiError, PosthornConnectionError, PosthornError, error_of

T = TypeVar("T")

# safe: a second time changes nothing more than the first did. once: it would. read: changes nothing at all.
Repeat = Literal["read", "safe", "once"]

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0


# ---- what a step can want ----


@dataclasses.dataclass
class Request:
    method: str
    url: str
    headers: dict[str, str]
    content: bytes
    timeout_s: float


@dataclasses.dataclass
class Send:
    """The outcome: a Reply, or the PosthornConnectionError that it is."""

    request: Request


@dataclasses.dataclass
class Sleep:
    seconds: float


@dataclasses.dataclass
class Acquire:
    """A lock; it is released by its own method, which waits for nobody."""

    lock: "Lock"


@dataclasses.dataclass
class Work:
    """What may wait for the disk; the outcome is what it returns."""

    run: Callable[[], Any]


@dataclasses.dataclass
class Give(Generic[T]):
    """An item of what is iterated over."""

    item: T


Effect = Send | Sleep | Acquire | Work
Steps = Generator[Effect, Any, T]
Items = Generator[Effect | Give[T], Any, None]


class Lock(Protocol):
    def release(self) -> Any: ...


@dataclasses.dataclass
class Reply:
    status: int
    headers: Mapping[str, str]  # by names in any case
    content: bytes


# ---- a call ----


class Authorization(Protocol):
    def header(self) -> Steps[str]: ...

    def renew(self, refused: str) -> Steps[bool]: ...


@dataclasses.dataclass
class Call:
    method: str
    path: str  # below the service's address, or an address of its own
    repeat: Repeat
    query: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    json: Any = None
    content: bytes = b""
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    timeout_s: float | None = None


@dataclasses.dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    content: bytes
    request_id: str

    def read(self) -> Any:
        try:
            return json.loads(self.content)
        except ValueError as wrong:
            raise ApiError("The answer is not JSON: something before Posthorn may have written it.", status=self.status,
                           code="UNEXPECTED_ANSWER", request_id=self.request_id) from wrong


@dataclasses.dataclass
class Core:
    """Settings of a client, and where its Authorization comes from (None: calls have none)."""

    url: str
    timeout_s: float
    retries: int
    longest_wait_s: float
    authorization: Authorization | None
    user_agent: str = "posthorn-client-python"

    def send(self, call: Call, authorization: Authorization | None = None) -> Steps[Answer]:
        """The good answer; an error is raised when nothing more may be tried."""
        authorization = authorization or self.authorization
        lost = is_renewed = False
        tried = 0
        while True:
            header = (yield from authorization.header()) if authorization is not None else None
            outcome = yield from self._try(call, header, lost)
            if isinstance(outcome, Answer):
                return outcome
            if authorization is not None and header is not None and not is_renewed and is_unauthenticated(outcome):
                is_renewed = True
                if (yield from authorization.renew(header)):
                    continue
            is_open = leaves_open(outcome)
            pause_s = self._pause_s(outcome, tried)
            if tried >= self.retries or pause_s is None or not may_repeat(call, outcome, is_open):
                raise outcome
            lost = lost or (is_open and call.repeat != "read")
            tried += 1
            yield Sleep(pause_s)

    def _try(self, call: Call, header: str | None, lost: bool) -> Steps[Answer | PosthornError]:
        """One try: the answer, or the error that it is."""
        request_id = secrets.token_hex(16)
        changes = call.repeat != "read"
        outcome = yield Send(self._request(call, header, request_id))
        if isinstance(outcome, PosthornConnectionError):
            outcome.request_id, outcome.outcome_unknown = request_id, lost or (changes and not outcome.never_sent)
            return outcome
        reply: Reply = outcome
        if reply.status < 300 or reply.status == 304:
            return Answer(reply.status, reply.headers, reply.content, request_id)
        after = reply.headers.get("retry-after", "")
        after_s = int(after) if after.isdecimal() else None
        error = error_of(reply.status, reply.content, is_head=call.method == "HEAD", retry_after_s=after_s,
                         request_id=reply.headers.get("x-request-id", request_id))
        error.outcome_unknown = lost or (changes and leaves_open(error))
        return error

    def _request(self, call: Call, header: str | None, request_id: str) -> Request:
        headers = {"Accept": "application/json", "X-Request-Id": request_id, "User-Agent": self.user_agent}
        if header is not None:
            headers["Authorization"] = header
        content = call.content
        if call.json is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(call.json).encode()
        url = call.path if re.match(r"https?:", call.path) else self.url + call.path
        return Request(call.method, url + query_text(call.query), {**headers, **call.headers}, content, call.timeout_s or self.timeout_s)

    def _pause_s(self, failure: PosthornError, tried: int) -> float | None:
        """Until the next try; None: longer than anybody wants to wait."""
        asked_s = (failure.retry_after_s or 0) if isinstance(failure, ApiError) else 0
        grown_s = min(FIRST_PAUSE_S * 2**tried, LONGEST_PAUSE_S)
        return asked_s + grown_s * random.uniform(0.5, 1) if asked_s <= self.longest_wait_s else None


def is_unauthenticated(failure: PosthornError) -> bool:
    return isinstance(failure, ApiError) and failure.status == 401 and failure.code == "UNAUTHENTICATED"


def is_refused_for_now(failure: PosthornError) -> bool:
    """Does the service say that nothing happened, and that trying again may help?"""
    if not isinstance(failure, ApiError):
        return False
    return failure.code == "RATE_LIMITED" or (failure.status == 503 and failure.code == "UNAVAILABLE")


def leaves_open(failure: PosthornError) -> bool:
    """May the call have taken effect all the same?"""
    if isinstance(failure, ApiError):
        return failure.status >= 500 and not is_refused_for_now(failure)
    return isinstance(failure, PosthornConnectionError) and not failure.never_sent


def may_repeat(call: Call, failure: PosthornError, is_open: bool) -> bool:
    if is_open:
        return call.repeat != "once"
    return is_refused_for_now(failure) or isinstance(failure, PosthornConnectionError)


def query_text(query: Mapping[str, Any]) -> str:
    """Lists are written name[]=a&name[]=b; what is None is left out."""
    pairs = [(name, one) for name, value in query.items() for one in (value if isinstance(value, (list, tuple)) else [value])]
    written = urlencode([(name, one) for name, one in pairs if one is not None])
    return f"?{written}" if written else ""
