# SPDX-License-Identifier: Apache-2.0
"""Where the Authorization header comes from: a token or key that is given, or a token that the app's credentials are exchanged for."""
import base64
import dataclasses
import functools
import time
from typing import Protocol
from urllib.parse import urlencode

from .core import Acquire, Call, Core, Lock, Sleep, Steps, Work

MARGIN_S = 60.0
RETURN_S = 0.2


@dataclasses.dataclass(frozen=True)
class KeptToken:
    """A token, and until when it is used (seconds since 1970): a little before it ends."""

    access_token: str
    usable_until_s: float

    def is_usable(self) -> bool:
        return self.usable_until_s > time.time()


class TokenStore(Protocol):
    """Where several processes of one app share its token. An app has one token: a new one ends the one before, so processes that each
    issue their own shut each other out. (Keys have no such limit.)"""

    def load(self) -> KeptToken | None: ...

    def save(self, token: KeptToken) -> None: ...


class Given:
    """A header that does not change."""

    def __init__(self, value: str) -> None:
        self.value = value

    def header(self) -> Steps[str]:
        yield from ()
        return self.value

    def renew(self, refused: str) -> Steps[bool]:
        yield from ()
        return False


def basic(client_id: str, client_secret: str) -> Given:
    return Given("Basic " + base64.b64encode(f"{client_id}:{client_secret}".encode()).decode())


class Issued:
    """Issues a token when there is none, when it is about to end, and once when it is refused. One at a time."""

    def __init__(self, core: Core, credentials: Given, store: TokenStore | None, lock: Lock) -> None:
        self.core, self.credentials, self.store, self.lock = core, credentials, store, lock
        self.kept: KeptToken | None = None

    def header(self) -> Steps[str]:
        if self.kept is None or not self.kept.is_usable():
            yield from self._replace(refused=None)
        assert self.kept is not None
        return f"Bearer {self.kept.access_token}"

    def renew(self, refused: str) -> Steps[bool]:
        """Another process may have issued a token meanwhile: its token is taken before a new one is issued."""
        yield from self._replace(refused)
        return True

    def issue(self) -> Steps[KeptToken]:
        yield Acquire(self.lock)
        try:
            self.kept = yield from self._issue()
            return self.kept
        finally:
            self.lock.release()

    def _replace(self, refused: str | None) -> Steps[None]:
        yield Acquire(self.lock)
        try:
            if not self._serves(self.kept, refused):
                self.kept = yield from self._load_or_issue(refused)
        finally:
            self.lock.release()

    def _serves(self, token: KeptToken | None, refused: str | None) -> bool:
        return token is not None and token.is_usable() and f"Bearer {token.access_token}" != refused

    def _load_or_issue(self, refused: str | None) -> Steps[KeptToken]:
        # Who made a refused token void stores the new one a moment after.
        for pause_s in (0.0, RETURN_S) if refused is not None else (0.0,):
            if self.store is None:
                break
            if pause_s:
                yield Sleep(pause_s)
            stored: KeptToken | None = yield Work(self.store.load)
            if stored is not None and self._serves(stored, refused):
                return stored
        return (yield from self._issue())

    def _issue(self) -> Steps[KeptToken]:
        call = Call("POST", "/v1/oauth/token", "safe", content=urlencode({"grant_type": "client_credentials"}).encode(),
                    headers={"Content-Type": "application/x-www-form-urlencoded"})
        token = (yield from self.core.send(call, self.credentials)).read()
        lifetime_s = float(token["expires_in"])
        kept = KeptToken(token["access_token"], time.time() + lifetime_s - min(MARGIN_S, lifetime_s / 10))
        if self.store is not None:
            yield Work(functools.partial(self.store.save, kept))
        return kept
