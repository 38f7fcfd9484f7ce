# SPDX-License-Identifier: Apache-2.0
"""The running service under clients that mean it ill: slow ones, many, bombs in headers, JSON and forms, framing that two parsers
read differently, paths that climb. What is looked for is the same everywhere: limits hold, memory stays bounded (printed),
others are served meanwhile, and nothing dies. Shapes of single requests are in test_http_strictness.py and, as a whole table,
in tests/unit/httpd/httpd_test.c."""
import concurrent.futures
import contextlib
import json
import re
import socket
import threading
import time
import urllib.parse

import pytest
import requests

from harness import HTTP_S, App, Service

HOST = b"Host: localhost\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
FORM = b"POST /v1/oauth/token HTTP/1.1\r\n" + HOST + b"Content-Type: application/x-www-form-urlencoded\r\n"
HEADER_S, BODY_S, LATE_S = 10, 10, 10  # what a client is given (README, limits), and how late a loaded machine may notice
OTHERS_S = 5  # an answer to somebody else; a stall would take the whole deadline
GROWTH_MAX_MB = 200  # of memory; the sanitizers' own share included
# Freed memory is kept aside by the address sanitizer; little of it, so that growth can be seen.
SANITIZERS = {"ASAN_OPTIONS": "quarantine_size_mb=4:malloc_context_size=2"}


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("abuse") / "data", environment=SANITIZERS) as process:
        yield process


@pytest.fixture(scope="module")
def victim(target):
    """An app that means well."""
    return App(target, name="victim").issue_token()


def resident_mb(process):
    with open(f"/proc/{process.popen.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) // 1024


@pytest.fixture(autouse=True)
def stays_alive_and_small(request, target, victim):
    """Around every test: memory before and after, and the service serves when it is over."""
    assert victim.get("/v1/posts").status_code == 200
    before = resident_mb(target)
    yield
    after = resident_mb(target)
    print(f"\n{request.node.name}: {before} MB before, {after} MB after")
    assert target.popen.poll() is None, "the service died"
    assert victim.get("/v1/posts").status_code == 200
    assert after - before < GROWTH_MAX_MB
    target.check_sanitizers()


def connect(target):
    at = urllib.parse.urlsplit(target.url)
    client = socket.create_connection((at.hostname, at.port), timeout=HTTP_S)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def is_closed(client):
    """Without waiting. What was answered before the end is read and forgotten."""
    client.setblocking(False)
    try:
        while client.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def exchange(target, request, wait_s=10.0):
    """Everything that comes back until the server closes or is silent."""
    raw = b""
    with connect(target) as client:
        client.settimeout(wait_s)
        with contextlib.suppress(OSError):
            client.sendall(request)
        with contextlib.suppress(OSError):
            while piece := client.recv(65536):
                raw += piece
                client.settimeout(0.5)
    return raw


def statuses(raw):
    return [int(number) for number in re.findall(rb"HTTP/1\.1 (\d\d\d) ", raw)]


@contextlib.contextmanager
def others_are_served(victim):
    """Somebody else calls all the while; the slowest of his answers is printed, and none may take as long as a stall would."""
    stop, took, failed = threading.Event(), [], []

    def call():
        with requests.Session() as session:
            while not stop.is_set():
                begin = time.monotonic()
                answer = session.get(victim.service.url + "/v1/posts", headers={"Authorization": f"Bearer {victim.token}"}, timeout=HTTP_S)
                took.append(time.monotonic() - begin)
                failed.extend([answer.status_code] if answer.status_code != 200 else [])
                stop.wait(0.05)

    caller = threading.Thread(target=call)
    caller.start()
    try:
        yield
    finally:
        stop.set()
        caller.join()
    assert took and not failed
    print(f"\n{len(took)} answers to another client, the slowest after {max(took) * 1000:.0f} ms")
    assert max(took) < OTHERS_S


# ---- slow clients ----


def trickle(clients, pieces, until_s, every_s=0.5):
    """Sends each client's next byte every so often until all are closed; seconds until the first and the last were."""
    begin, ends = time.monotonic(), []
    open_clients = dict(enumerate(clients))
    while open_clients and time.monotonic() - begin < until_s:
        for index, client in list(open_clients.items()):
            with contextlib.suppress(OSError):
                client.send(next(pieces[index]))
            if is_closed(client):
                ends.append(time.monotonic() - begin)
                del open_clients[index]
        time.sleep(every_s)
    assert not open_clients, f"{len(open_clients)} are still open after {until_s} s"
    return min(ends), max(ends)


def bytes_of(text):
    for index in range(len(text)):
        yield text[index:index + 1]
    while True:
        yield b"a"


def test_slow_headers_end_at_the_deadline(target, victim):
    """Slowloris: a byte now and then is no new deadline."""
    with contextlib.ExitStack() as stack, others_are_served(victim):
        clients = [stack.enter_context(connect(target)) for _ in range(300)]
        texts = [bytes_of(b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-A: "), bytes_of(b"POST /v1/posts/publish HTTP/1.1\r\nX-")]
        first, last = trickle(clients, [texts[index % 2] for index in range(300)], HEADER_S + LATE_S)
    assert first > HEADER_S / 2, "cut off before its time"
    print(f"300 slow heads ended after {first:.1f} to {last:.1f} s")


def test_slow_bodies_end_at_the_deadline(target, victim):
    head = FORM + b"Content-Length: 4000\r\n\r\n"
    with contextlib.ExitStack() as stack, others_are_served(victim):
        clients = [stack.enter_context(connect(target)) for _ in range(200)]
        for client in clients:
            client.sendall(head)
        first, last = trickle(clients, [bytes_of(b"grant_type=") for _ in clients], BODY_S + LATE_S)
    assert first > BODY_S / 2, "cut off before its time"
    print(f"200 slow bodies ended after {first:.1f} to {last:.1f} s")


def test_those_who_do_not_read_hold_nobody_up(target, victim):
    """Large answers asked for and never fetched: they fill the sockets' buffers and no thread waits for them."""
    with contextlib.ExitStack() as stack, others_are_served(victim):
        for _ in range(150):
            client = stack.enter_context(connect(target))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall((b"GET /openapi.json HTTP/1.1\r\n" + HOST + b"\r\n") * 20)
        time.sleep(3)


def test_many_idle_connections(target, victim):
    with contextlib.ExitStack() as stack, others_are_served(victim):
        clients = [stack.enter_context(connect(target)) for _ in range(1500)]
        for client in clients[::10]:  # some have been used before
            client.sendall(HEALTH)
        for client in clients[::10]:
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert sum(is_closed(client) for client in clients) == 0
        clients[-1].setblocking(True)
        clients[-1].sendall(HEALTH)
        assert clients[-1].recv(4096).startswith(b"HTTP/1.1 200 ")


def test_clients_that_leave_in_the_middle(target, victim):
    """Half a head, half a body, a whole request whose answer nobody waits for: reset or closed."""
    halves = [HEALTH[:20], FORM + b"Content-Length: 100\r\n\r\ngrant", HEALTH, FORM + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab", b"\x16\x03\x01\x02\x00\x01", b"\0" * 1000]
    with others_are_served(victim):
        for index in range(600):
            client = connect(target)
            if index % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset
            client.sendall(halves[index % len(halves)])
            client.close()


# ---- heads ----

HEADS = {
    "header of 1 MB": (b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-A: " + b"a" * (1 << 20) + b"\r\n\r\n", {431}),
    "100,000 headers": (b"GET /healthz HTTP/1.1\r\n" + HOST + b"A:b\r\n" * 100_000 + b"\r\n", {431}),
    "name of 1 MB": (b"GET /healthz HTTP/1.1\r\n" + HOST + b"a" * (1 << 20) + b": b\r\n\r\n", {400, 431}),
    "request line of 1 MB": (b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + HOST + b"\r\n", {400, 414, 431}),
    "query of 1 MB": (b"GET /v1/posts?" + b"a=b&" * (1 << 18) + b" HTTP/1.1\r\n" + HOST + b"\r\n", {400, 414, 431}),
    "method of 1 MB": (b"G" * (1 << 20) + b" / HTTP/1.1\r\n" + HOST + b"\r\n", {400, 414, 431}),
    "no line end": (b"a" * (1 << 20), {400, 414, 431}),
    "empty lines": (b"\r\n" * 100_000, {400, 414, 431}),
    "NUL bytes": (b"\0" * (1 << 20), {400, 414, 431}),
}


@pytest.mark.parametrize("request_bytes, allowed", HEADS.values(), ids=HEADS.keys())
def test_header_bombs(target, victim, request_bytes, allowed):
    with others_are_served(victim), concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: exchange(target, request_bytes), range(32)))
    for raw in answers:  # a reset may overtake the answer to one who was still sending
        assert set(statuses(raw)) <= allowed and len(statuses(raw)) <= 1, raw[:300]


# ---- framing ----

CHUNKED = FORM + b"Transfer-Encoding: chunked\r\n\r\n"
FRAMES = {
    "length and chunked": FORM + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": FORM + b"Content-Length: 3\r\nContent-Length: 40\r\n\r\nabc",
    "chunk size overflows": CHUNKED + b"FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n",
    "chunk size is negative": CHUNKED + b"-1\r\nabc\r\n0\r\n\r\n",
    "chunk size with 0x": CHUNKED + b"0x3\r\nabc\r\n0\r\n\r\n",
    "chunk size with a sign": CHUNKED + b"+3\r\nabc\r\n0\r\n\r\n",
    "chunk size with a blank before": CHUNKED + b" 3\r\nabc\r\n0\r\n\r\n",
    "no chunk size": CHUNKED + b"\r\nabc\r\n0\r\n\r\n",
    "no line end behind the chunk": CHUNKED + b"3\r\nabcX\r\n0\r\n\r\n",
    "chunk extension of 1 MB": CHUNKED + b"3;" + b"a" * (1 << 20) + b"\r\nabc\r\n0\r\n\r\n",
    "trailer that is a length": CHUNKED + b"3\r\nabc\r\n0\r\nContent-Length: 3\r\n\r\n",
    "folded length": FORM + b"Content-Length:\r\n 3\r\n\r\nabc",
    "blank before the colon": FORM + b"Content-Length : 3\r\n\r\nabc",
    "bare LF": FORM + b"X-A: b\nContent-Length: 3\r\n\r\nabc",
    "length in another name": FORM + b"Content_Length: 3\r\nContent-Length: 3\r\nContent-Length\0: 4\r\n\r\nabc",
    "an empty line of NULs": b"GET /healthz HTTP/1.1\r\n" + HOST + b"\0\0\r\n",
    "a header behind NULs": b"GET /healthz HTTP/1.1\r\n" + HOST + b"\0\0Content-Length: 52\r\n\r\n",
    "an upgrade": b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n",
    "HTTP/2's preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}
ANSWERED = {"an upgrade", "trailer that is a length"}  # as if it were not there
# libmicrohttpd's own answers, after which it closes: no room for the extension in its buffer, and a version that it does not speak.
BY_THE_LIBRARY = {"chunk extension of 1 MB": [500], "HTTP/2's preface": [505]}


@pytest.mark.parametrize("name", FRAMES)
def test_nothing_behind_an_ambiguous_request_is_answered(target, name):
    """The request behind it is for a path that answers otherwise than all these."""
    raw = exchange(target, FRAMES[name] + b"GET /nowhere-else HTTP/1.1\r\n" + HOST + b"\r\n", wait_s=3)
    if name == "an upgrade":
        assert statuses(raw) == [200, 404]  # two plain requests, one after the other
    elif name in ANSWERED:
        assert len(statuses(raw)) == 1 and 404 not in statuses(raw), raw[:500]
    else:
        assert statuses(raw) in ([], [400], [413], BY_THE_LIBRARY.get(name)), raw[:500]
        assert b"nowhere-else" not in raw


def test_pipelined_requests_are_answered_in_order(target):
    requests_sent = [b"GET /healthz?n=%d HTTP/1.1\r\n" % index + HOST + b"X-Request-Id: n-%d\r\n\r\n" % index for index in range(200)]
    raw = exchange(target, b"".join(requests_sent))
    assert re.findall(rb"(?i)^x-request-id: n-(\d+)\r", raw, re.M) == [b"%d" % index for index in range(200)]
    assert statuses(raw) == [200] * 200


# ---- JSON ----

MIB = 1 << 20
NUMBER = b"9" * 100_000
BOMBS = {
    "a million deep": b"[" * (MIB - 1),
    "a hundred thousand objects deep": b'{"a":' * 100_000,
    "deep inside a field": b'{"content":"x","platforms":' + b'{"a":' * 200_000,
    "half a million elements": b'{"account_ids":[' + b"1," * 500_000 + b"1]}",
    "a hundred thousand keys": b"{" + b",".join(b'"%d":1' % index for index in range(100_000)) + b"}",
    "keys that are one key": b"{" + b'"a":1,' * 150_000 + b'"a":1}',
    "keys that are one key when unescaped": b"{" + b",".join([b'"\\u0061":1', b'"a":1']) + b"}",
    "a long text": b'{"content":"' + b"x" * (MIB - 64) + b'"}',
    "a long text of escapes": b'{"content":"' + b"\\u00e9" * 170_000 + b'"}',
    "a long key": b'{"' + b"k" * (MIB - 64) + b'":1}',
    "a long number": b'{"account_ids":' + NUMBER + b"}",
    "a long exponent": b'{"account_ids":1e' + NUMBER + b"}",
    "a long fraction": b'{"account_ids":0.' + NUMBER + b"}",
    "text in the number": b'{"media":[{"duration":' + b"-" * 100_000 + b"1}]}",
    "blanks": b" " * (MIB - 2) + b"{}",
    "a text without an end": b'{"content":"' + b"\\" * (MIB - 64),
    "many containers": b'{"account_ids":["a"],"containers":[' + b",".join([b'{"content":"x"}'] * 60_000) + b"]}",
    "many media": b'{"account_ids":["a"],"content":"x","media":[' + b",".join([b'{"type":"image","url":"http://a.example/"}'] * 20_000) + b"]}",
    "marks upon one letter": b'{"account_ids":["a"],"content":"e' + b"\\u0301" * 150_000 + b'"}',
    "addresses": b'{"account_ids":["a"],"content":"' + b"a.co " * 19_000 + b'"}',
}


@pytest.mark.parametrize("body", BOMBS.values(), ids=BOMBS.keys())
def test_json_bombs(target, victim, body):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {victim.token}"}

    def send(path):
        return requests.post(target.url + path, data=body, headers=headers, timeout=60)

    assert len(body) <= MIB, "would be refused by its size alone"
    with others_are_served(victim), concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, ["/v1/posts/publish", "/v1/posts/validate"] * 4))
    for answer in answers:
        if answer.status_code == 200:  # validating tells what is wrong in the answer
            assert answer.json()["data"]["ok"] is False
            continue
        assert answer.status_code in (400, 422), answer.text[:300]
        assert answer.json()["error"] in ("MALFORMED_JSON", "VALIDATION_ERROR", "INVALID_ACCOUNT", "INVALID_MEDIA")
        assert len(answer.content) < 100_000, "a small cause may have no large answer"


# ---- forms and queries ----

FORM_BOMBS = {
    "ampersands": b"&" * 4096,
    "equals signs": b"=" * 4096,
    "pairs": b"a&" * 2048,
    "percent signs": b"%" * 4096,
    "encoded NULs": b"%00" * 1365,
    "not UTF-8": b"grant_type=%ff%fe",
    "plus signs": b"+" * 4096,
    "one name often": b"grant_type=client_credentials&" * 136,
}


@pytest.mark.parametrize("body", FORM_BOMBS.values(), ids=FORM_BOMBS.keys())
def test_form_bombs(victim, body):
    answer = victim.request_token(data=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status_code in (400, 422), answer.text


@pytest.mark.parametrize("query", ["external_user_ids[]=a&" * 300, "&" * 7000, "page=" + "9" * 7000,
                                   "a[b][c][d]=" + "x" * 7000,
                                   "external_user_ids[" + "9" * 4000 + "]=a", "%5b" * 2000, "status=" + "%F0%9F%98%80" * 500],
                         ids=["ids", "ampersands", "digits", "brackets", "index", "percent", "emoji"])
def test_query_bombs(victim, query):
    try:
        answer = victim.get("/v1/posts?" + query)
    except requests.exceptions.ConnectionError:  # libmicrohttpd has no room for that many pairs, and closes
        assert query.count("&") > 1000
        return
    assert answer.status_code in (200, 422), answer.text[:300]


# ---- paths ----

CLIMBING = [
    b"/../../etc/passwd", b"/v1/../../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"/..%2f..%2fetc%2fpasswd", b"/v1/posts/..%2f..%2faccounts",
    b"/v1/posts/%2e%2e/accounts", b"//etc/passwd", b"/./v1/posts", b"/v1//posts", b"/v1/posts/", b"/v1/posts%2f", b"/v1%2fposts", b"/V1/posts",
    b"/v1/posts/%00", b"/v1/posts%00", b"/v1/posts/%c0%ae%c0%ae/x", b"/v1/posts/%252e%252e", b"/media/..%2f..%2fmaster.key", b"/media/../master.key",
    b"/docs/..%2fmaster.key", b"/docs/../../master.key", b"/v1/posts;x=y", b"/v1/posts/.%2e", b"/%5c..%5c..%5cmaster.key", b"/v1/media/%2e%2e/%2e%2e/posthorn.db",
]


@pytest.mark.parametrize("path", CLIMBING, ids=lambda path: path.decode())
def test_paths_that_climb_lead_nowhere(target, victim, path):
    raw = exchange(target, b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"Authorization: Bearer " + victim.token.encode() + b"\r\nConnection: close\r\n\r\n")
    assert statuses(raw) in ([404], [400]), raw[:500]
    assert b"root:" not in raw and b"SQLite" not in raw
    body = json.loads(raw.partition(b"\r\n\r\n")[2])
    assert body["error"] in ("NOT_FOUND", "BAD_REQUEST", "MALFORMED_REQUEST"), body


SPLIT = "x%0d%0aSet-Cookie:%20a=b%0d%0a%0d%0a<html>"


@pytest.mark.parametrize("path", [f"/{SPLIT}", f"/v1/posts/{SPLIT}", f"/v1/posts?status={SPLIT}", f"/v1/posts?{SPLIT}=1", f"/v1/oauth/x/callback?state={SPLIT}",
                                  f"/v1/oauth/x/callback?error={SPLIT}", f"/v1/oauth/{SPLIT}/connect", f"/v1/oauth/x/connect?user_id={SPLIT}&redirect_url={SPLIT}",
                                  f"/v1/accounts?user_id={SPLIT}", f"/v1/events?after={SPLIT}"])
def test_line_ends_in_a_request_reach_no_header_and_no_log_line(target, victim, path):
    begin = len(target.stderr())
    raw = exchange(target, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {victim.token}\r\nConnection: close\r\n\r\n".encode())
    head = raw.partition(b"\r\n\r\n")[0]
    assert len(statuses(raw)) == 1
    assert b"set-cookie" not in head.lower() and b"<html>" not in raw.replace(b"<!doctype html>\n<html>", b"")
    assert not any(line.startswith("Set-Cookie") for line in target.stderr()[begin:].split("\n"))
