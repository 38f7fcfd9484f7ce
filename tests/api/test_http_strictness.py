# SPDX-License-Identifier: Apache-2.0
"""The running service against requests that two parsers could read differently (rules.md 3.3), over raw sockets.

tests/unit/httpd/httpd_test.c has the full table against the bare listener; this file proves that the service is wired
to it: the shapes are refused in the service's own error form, nothing behind a refused request is run, and limits hold.
The binary is found as in harness.py.
"""

import json
import re
import signal
import socket
import subprocess
import uuid

import pytest

from harness import find_binary

BINARY = find_binary()
HOST = b"Host: localhost\r\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    data = tmp_path_factory.mktemp("strictness")
    process = subprocess.Popen(
        [BINARY, "serve", "--data", str(data / "data"), "--listen", "127.0.0.1:0"],
        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        for line in process.stderr:
            match = re.search(r"posthorn: listening on http://([0-9.]+):([0-9]+)", line)
            if match:
                yield match.group(1), int(match.group(2))
                break
        else:
            pytest.fail("the service ended before it was ready")
    finally:
        process.send_signal(signal.SIGTERM)
        process.stderr.close()
        assert process.wait(timeout=20) == 0


class Answer:
    def __init__(self, raw, is_closed):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.raw = raw
        self.status = int(lines[0].split()[1]) if raw else 0
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
        self.is_closed = is_closed


def exchange(address, request, timeout_s=2.0):
    """Sends the bytes and reads until the server closes, or until a whole answer came and nothing follows."""
    raw, is_closed = b"", False
    with socket.create_connection(address, timeout=timeout_s) as client:
        try:
            client.sendall(request)
        except OSError:
            pass
        while True:
            match = re.search(rb"\r\n\r\n", raw)
            if match:
                length = re.search(rb"(?i)\r\ncontent-length: (\d+)", raw[:match.end()])
                if len(raw) >= match.end() + (int(length.group(1)) if length else 0):
                    client.settimeout(0.2)
            try:
                piece = client.recv(65536)
            except ConnectionResetError:
                is_closed = True
                break
            except TimeoutError:
                break
            if not piece:
                is_closed = True
                break
            raw += piece
    return Answer(raw, is_closed)


GOOD = [
    ("plain", b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
    ("1.0 without host", b"GET /healthz HTTP/1.0\r\n\r\n"),
    ("absolute form", b"GET http://localhost/healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
    ("length of zero", b"GET /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n\r\n"),
]

TOKEN = b"POST /v1/oauth/token HTTP/1.1\r\n"
BAD = [
    ("two lengths", TOKEN + HOST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
    ("two equal lengths", TOKEN + HOST + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
    ("length and chunked", TOKEN + HOST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("chunked and length", TOKEN + HOST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    ("xchunked", TOKEN + HOST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    ("gzip, chunked", TOKEN + HOST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    ("chunked in 1.0", b"POST /v1/oauth/token HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("blank before the colon", TOKEN + HOST + b"Content-Length : 3\r\n\r\nabc"),
    ("no host", b"GET /healthz HTTP/1.1\r\nX-A: b\r\n\r\n"),
    ("two hosts", b"GET /healthz HTTP/1.1\r\n" + HOST + HOST + b"\r\n"),
    ("another host in the target", b"GET http://elsewhere/healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
    ("bare LF", b"GET /healthz HTTP/1.1\r\nHost: localhost\nX-A: b\r\n\r\n"),
    ("bare CR", b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-A: b\rX-B: c\r\n\r\n"),
    ("folded", b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-A: b\r\n c\r\n\r\n"),
    ("NUL in a value", b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-A: b\0c\r\n\r\n"),
    ("NUL in the target", b"GET /healthz\0 HTTP/1.1\r\n" + HOST + b"\r\n"),
    ("control character in the target", b"GET /healthz\x01 HTTP/1.1\r\n" + HOST + b"\r\n"),
    ("two blanks", b"GET  /healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
]

# libmicrohttpd answers these by itself: the status and the end of the connection are right, the body is its own.
BAD_BY_THE_LIBRARY = [
    ("length with a sign", TOKEN + HOST + b"Content-Length: +3\r\n\r\nabc"),
    ("length as a list", TOKEN + HOST + b"Content-Length: 3, 3\r\n\r\nabc"),
    ("length in hex", TOKEN + HOST + b"Content-Length: 0x3\r\n\r\nabc"),
    ("header without a colon", b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-A\r\n\r\n"),
]


@pytest.mark.parametrize("request_bytes", [row[1] for row in GOOD], ids=[row[0] for row in GOOD])
def test_good_requests_pass(address, request_bytes):
    assert exchange(address, request_bytes).status == 200


@pytest.mark.parametrize("request_bytes", [row[1] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_requests_are_refused_in_our_form(address, request_bytes):
    answer = exchange(address, request_bytes + b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
    assert answer.status == 400
    assert answer.is_closed
    assert answer.raw.count(b"HTTP/1.1 ") == 1, "what followed the refused request was answered"
    assert answer.headers["content-type"].startswith("application/json")
    uuid.UUID(answer.headers["x-request-id"])
    body = json.loads(answer.body)
    assert isinstance(body["message"], str) and isinstance(body["error"], str)


@pytest.mark.parametrize("request_bytes", [row[1] for row in BAD_BY_THE_LIBRARY],
                         ids=[row[0] for row in BAD_BY_THE_LIBRARY])
def test_unparsable_requests_are_refused(address, request_bytes):
    answer = exchange(address, request_bytes)
    assert answer.status == 400
    assert answer.is_closed


def test_header_limits(address):
    def get(headers):
        return exchange(address, b"GET /healthz HTTP/1.1\r\n" + HOST + headers + b"\r\n").status

    assert get(b"X-A: b\r\n" * 99) == 200
    assert get(b"X-A: b\r\n" * 100) == 431
    assert get(b"X-A: " + b"b" * 8000 + b"\r\n") == 200
    assert get(b"X-A: " + b"b" * 8300 + b"\r\n") == 431
    assert get((b"X-A: " + b"b" * 6000 + b"\r\n") * 3) == 431


def test_a_large_body_is_refused_before_it_is_read(address):
    answer = exchange(address, TOKEN + HOST + b"Expect: 100-continue\r\nContent-Length: 100000000\r\n\r\n")
    assert answer.status == 413
    assert answer.is_closed
    answer = exchange(address, TOKEN + HOST + b"Content-Length: 2000000\r\n\r\n" + b"a" * 2000000, timeout_s=5)
    assert answer.status == 413
    assert answer.is_closed


def test_an_endless_chunked_body_is_cut_off(address):
    chunk = b"1000\r\n" + b"a" * 4096 + b"\r\n"
    answer = exchange(address, TOKEN + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 500, timeout_s=5)
    assert answer.status == 413
    assert answer.is_closed


def test_a_request_id_is_kept_or_made(address):
    def sent(value):
        return exchange(address, b"GET /nowhere HTTP/1.1\r\n" + HOST + b"X-Request-Id: " + value + b"\r\n\r\n")

    assert sent(b"my-id_1.2").headers["x-request-id"] == "my-id_1.2"
    assert uuid.UUID(sent(b"not valid!").headers["x-request-id"]).version == 7
    assert uuid.UUID(sent(b"a" * 65).headers["x-request-id"]).version == 7


def test_unknown_paths_and_methods(address):
    assert exchange(address, b"GET /nowhere HTTP/1.1\r\n" + HOST + b"\r\n").status == 404
    answer = exchange(address, b"BREW /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
    assert answer.status == 405
    assert "GET" in answer.headers["allow"]


@pytest.mark.parametrize("path", [b"/h%65althz", b"/%64ocs", b"/dash%62oard", b"/dash%62oard/api/session", b"/%76%31/posts",
                                  b"/v1/oauth%2Ftoken"])
def test_a_path_has_one_spelling(address, path):
    """What a reverse proxy forbids by path cannot be reached by another way to write it."""
    answer = exchange(address, b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n")
    assert answer.status == 404 and json.loads(answer.body)["error"] == "NOT_FOUND"
