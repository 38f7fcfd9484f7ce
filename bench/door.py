# SPDX-License-Identifier: Apache-2.0
"""Stands before a sandbox, hands everything on, and tells when the first byte of a certain call was there."""
import contextlib
import socket
import threading
import time
import urllib.parse

PIECE_BYTES = 65536


class Door:
    """Use as a context; url is what the service is told. The sandbox is stopped with it."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.target = urllib.parse.urlsplit(sandbox.url)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.word = None
        self.seen_at = 0.0
        self.seen = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.sandbox.stop()

    def expect(self, word):
        """A request whose first piece has this word."""
        self.seen.clear()
        self.word = word

    def wait(self, timeout_s):
        assert self.seen.wait(timeout_s), "the call did not come"
        return self.seen_at

    def _note(self, piece, at):
        if self.word is not None and self.word in piece:
            self.word = None
            self.seen_at = at
            self.seen.set()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client):
        server = socket.create_connection((self.target.hostname, self.target.port))
        threading.Thread(target=self._copy, args=(server, client), daemon=True).start()
        self._copy(client, server, is_asking=True)

    def _copy(self, source, target, is_asking=False):
        with contextlib.suppress(OSError):
            while piece := source.recv(PIECE_BYTES):
                if is_asking:
                    self._note(piece, time.monotonic())
                target.sendall(piece)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
