# SPDX-License-Identifier: Apache-2.0
"""A way to a server on 127.0.0.1 that can be cut as networks are: drop() keeps every connection open and lets nothing through, so that
nobody is told; heal() goes on with new ones and breaks the old. cut_commits() ends connections at the one moment that matters most. Not
a test itself."""
import contextlib
import select
import socket
import threading
import time

CHUNK_BYTES = 65536
COMMIT = b"\0COMMIT\0"  # the name of the prepared statement, where it is bound
ANSWER_S = 0.1


class DropProxy:
    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.is_dropping = threading.Event()
        self.cuts_before = self.cuts_after = 0
        self.drops_then = False
        self.pairs, self.lock = [], threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            server = None if self.is_dropping.is_set() else socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        pair = [client] if server is None else [client, server]
        with self.lock:
            self.pairs.append(pair)
        with contextlib.suppress(OSError, ValueError):
            self._carry(client, server)
        for end in pair:
            with contextlib.suppress(OSError):
                end.close()

    def _carry(self, client, server):
        if server is None:
            select.select([], [], [client])  # until heal() closes it
            return
        while True:
            ready, _, _ = select.select([client, server], [], [], 1)
            for end in ready:
                chunk = end.recv(CHUNK_BYTES)
                if not chunk:
                    return
                if end is client and COMMIT in chunk and self._cuts(server, chunk):
                    return
                if not self.is_dropping.is_set():
                    (server if end is client else client).sendall(chunk)

    def cut_commits(self, before=0, after=0, then_drop=False):
        """The next connections that send a COMMIT end: so many before the server gets it, then so many when it has done it and before the
        client hears of it. then_drop: with the last of these the server falls silent, until heal()."""
        with self.lock:
            self.cuts_before, self.cuts_after, self.drops_then = before, after, then_drop

    def cuts_left(self):
        return self.cuts_before + self.cuts_after

    def _cuts(self, server, chunk):
        with self.lock:
            is_before, is_after = self.cuts_before > 0, self.cuts_before == 0 and self.cuts_after > 0
            self.cuts_before -= is_before
            self.cuts_after -= is_after
            drops_now = self.drops_then and (is_before or is_after) and self.cuts_left() == 0
        if is_after:
            server.sendall(chunk)
            time.sleep(ANSWER_S)
        if drops_now:
            self.drop()
        return is_before or is_after

    def drop(self):
        self.is_dropping.set()

    def break_all(self):
        """Every connection of now ends."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def heal(self):
        self.break_all()
        self.is_dropping.clear()

    def close(self):
        self.listener.close()
        self.heal()
