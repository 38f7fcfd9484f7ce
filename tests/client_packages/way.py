# SPDX-License-Identifier: Apache-2.0
"""A way to the service on which things go wrong as they are told to: answers that are lost, bodies that break off, answers that somebody
else gives. Not a test itself."""
import contextlib
import http.client
import http.server
import re
import socket
import threading
import time
import urllib.parse

SERVICE_S = 30


class Way:
    """.url leads to the service. .requests has what came: {"method", "path", "headers", "body"}, oldest first."""

    def __init__(self, service_url):
        self.service = urllib.parse.urlsplit(service_url)
        self.requests, self.mishaps = [], []
        self.lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    # ---- what goes wrong, once each, in this order; path is a pattern

    def lose_answer(self, method, path):
        """The service gets the request, and its answer gets lost."""
        self.mishaps.append((method, path, self._lose))

    def answer(self, method, path, status, body, **headers):
        """The service does not get the request; this is answered."""
        self.mishaps.append((method, path, lambda handler, raw: self._respond(handler, status, headers, body.encode())))

    def hold(self, method, path, seconds):
        """The service does not get the request, and nothing is answered for a while."""
        self.mishaps.append((method, path, lambda handler, raw: time.sleep(seconds)))

    def cut_body(self, method, path, bytes_after):
        """So many bytes of the body reach the service, then both connections break."""
        self.mishaps.append((method, path, lambda handler, raw: self._cut(handler, raw[:bytes_after])))

    # ---- how

    def of(self, method, path):
        return [one for one in self.requests if one["method"] == method and re.search(path, one["path"])]

    def _take(self, method, path):
        with self.lock:
            for mishap in self.mishaps:
                if mishap[0] == method and re.search(mishap[1], path):
                    self.mishaps.remove(mishap)
                    return mishap[2]
        return None

    def _headers(self, handler):
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in ("host", "connection")}
        return {**headers, "Host": self.service.netloc, "Connection": "close"}

    def _forwarded(self, handler, raw):
        connection = http.client.HTTPConnection(self.service.hostname, self.service.port, timeout=SERVICE_S)
        with contextlib.closing(connection):
            connection.request(handler.command, handler.path, body=raw, headers=self._headers(handler))
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()

    def _serve(self, handler, raw):
        status, headers, body = self._forwarded(handler, raw)
        self._respond(handler, status, dict(headers), body)

    def _lose(self, handler, raw):
        self._forwarded(handler, raw)

    def _respond(self, handler, status, headers, body):
        handler.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server"):
                handler.send_header(name.replace("_", "-"), value)
        length = headers.get("Content-Length", len(body)) if handler.command == "HEAD" else len(body)
        if status != 204:
            handler.send_header("Content-Length", str(length))
        handler.send_header("Connection", "close")
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body)

    def _cut(self, handler, raw):
        head = "".join(f"{name}: {value}\r\n" for name, value in self._headers(handler).items())
        with socket.create_connection((self.service.hostname, self.service.port), timeout=SERVICE_S) as far:
            far.sendall(f"{handler.command} {handler.path} HTTP/1.1\r\n{head}\r\n".encode() + raw)
            time.sleep(0.2)  # until it is written

    def _handler(way):  # noqa: N805 - the handler below has its own self
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_any(self):
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with way.lock:
                    way.requests.append({"method": self.command, "path": self.path, "headers": dict(self.headers), "body": raw})
                with contextlib.suppress(OSError):
                    (way._take(self.command, self.path) or way._serve)(self, raw)
                self.close_connection = True

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_any

            def log_message(self, *_):
                pass

        return Handler

    def close(self):
        self._server.shutdown()
        self._server.server_close()
