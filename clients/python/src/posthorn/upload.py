# SPDX-License-Identifier: Apache-2.0
"""Uploads by the protocol of tus.io, in pieces: after a break the service is asked how much it has, and the rest follows."""
import base64
import dataclasses
import io
import os
import random
from collections.abc import Callable
from typing import BinaryIO, TypedDict

from .core import Answer, Call, Core, Sleep, Steps, Work
from .errors import ApiError, PosthornConnectionError, PosthornError

CHUNK_BYTES = 8 * 1024 * 1024
CHUNK_TIMEOUT_S = 120.0
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 10.0

# A path, the bytes, or a file open for reading bytes that can be sought in.
Uploadable = str | os.PathLike[str] | bytes | BinaryIO


class Uploaded(TypedDict):
    media_id: str


@dataclasses.dataclass
class UploadOptions:
    file_name: str | None = None
    on_progress: Callable[[int, int], None] | None = None
    chunk_bytes: int = CHUNK_BYTES
    on_begin: Callable[[str], None] | None = None
    resume_from: str | None = None


@dataclasses.dataclass
class Place:
    offset: int
    media_id: str | None


class Upload:
    """One upload. creation is where uploads are begun: the app's, or a link."""

    def __init__(self, core: Core, creation: str, file: Uploadable, options: UploadOptions) -> None:
        self.core, self.creation, self.options = core, creation, options
        self.is_path = isinstance(file, (str, os.PathLike))
        self.file: BinaryIO = open_file(file)
        self.size_bytes = self.file.seek(0, io.SEEK_END)
        self.name = options.file_name or (os.path.basename(os.fspath(file)) if isinstance(file, (str, os.PathLike)) else None)

    def run(self) -> Steps[Uploaded]:
        try:
            return (yield from self._run())
        finally:
            if self.is_path:
                self.file.close()

    def _run(self) -> Steps[Uploaded]:
        options = self.options
        place = Place(0, None)
        if options.resume_from is not None:
            url = options.resume_from
            place = yield from self._look(url)
        else:
            url = yield from self._begin()
            if options.on_begin is not None:
                options.on_begin(url)
        broken = 0
        while place.media_id is None:
            self._tell(place.offset)
            after = yield from self._continue(url, place, broken)
            broken = 0 if after.offset > place.offset else broken + 1
            place = after
        self._tell(self.size_bytes)
        return {"media_id": place.media_id}

    def _tell(self, sent_bytes: int) -> None:
        if self.options.on_progress is not None:
            self.options.on_progress(sent_bytes, self.size_bytes)

    def _begin(self) -> Steps[str]:
        metadata = {"Upload-Metadata": f"filename {base64.b64encode(self.name.encode()).decode()}"} if self.name else {}
        headers = {"Upload-Length": str(self.size_bytes), **metadata}
        # An upload that was begun and is not used ends by itself.
        answer = yield from self._send(Call("POST", self.creation, "safe", headers=headers))
        # Its last part is the upload's id. The address before it is the service's own idea of its name; ours reached it.
        return f"{self.creation}/{answer.headers.get('location', '').rsplit('/', 1)[-1]}"

    def _continue(self, url: str, place: Place, broken: int) -> Steps[Place]:
        """One piece, which is never sent again blindly; when it breaks off, where the upload stands after it."""
        piece: bytes = yield Work(lambda: self._read(place.offset))
        headers = {"Upload-Offset": str(place.offset), "Content-Type": "application/offset+octet-stream"}
        call = Call("PATCH", url, "once", content=piece, headers=headers, timeout_s=max(CHUNK_TIMEOUT_S, self.core.timeout_s))
        try:
            return place_of((yield from self._send(call)), place.offset + len(piece))
        except PosthornError as failure:
            if not can_go_on(failure) or broken >= self.core.retries:
                raise
        yield Sleep(min(FIRST_PAUSE_S * 2**broken, LONGEST_PAUSE_S) * random.uniform(0.5, 1))
        return (yield from self._look(url))

    def _read(self, offset: int) -> bytes:
        self.file.seek(offset)
        return self.file.read(self.options.chunk_bytes)

    def _look(self, url: str) -> Steps[Place]:
        return place_of((yield from self._send(Call("HEAD", url, "read"))), 0)

    def _send(self, call: Call) -> Steps[Answer]:
        call.headers = {"Tus-Resumable": "1.0.0", **call.headers}
        return (yield from self.core.send(call))


def open_file(file: Uploadable) -> BinaryIO:
    if isinstance(file, bytes):
        return io.BytesIO(file)
    return open(file, "rb") if isinstance(file, (str, os.PathLike)) else file


def can_go_on(failure: PosthornError) -> bool:
    """After these the service knows where to go on: a lost connection, its own trouble, and another idea of the offset."""
    if isinstance(failure, ApiError):
        return failure.status >= 500 or failure.code == "UPLOAD_CONFLICT"
    return isinstance(failure, PosthornConnectionError)


def place_of(answer: Answer, otherwise: int) -> Place:
    offset = answer.headers.get("upload-offset", "")
    return Place(int(offset) if offset.isdecimal() else otherwise, answer.headers.get("posthorn-media-id"))
