#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks against a service of our own on 127.0.0.1, bounded in time and count (README.md). Each prints one line of figures;
the exit status is 1 when a bound of the table there did not hold."""
import contextlib
import multiprocessing
import pathlib
import re
import resource
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "api"))

from harness import App, Sandbox, Service  # noqa: E402

HOST = b"Host: 127.0.0.1\r\n"
PATIENCE_S = 30
BODY_BYTES = 1_000_000


def at(service):
    parts = urllib.parse.urlsplit(service.url)
    return parts.hostname, parts.port


def resident_mb(service):
    with open(f"/proc/{service.popen.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) // 1024


def ask(service, path=b"/healthz", token=None, timeout_s=PATIENCE_S, method=b"GET"):
    """One request on a connection of its own. (status, seconds); status 0: no answer."""
    began = time.monotonic()
    head = method + b" " + path + b" HTTP/1.1\r\n" + HOST + b"Connection: close\r\n"
    if token:
        head += b"Authorization: Bearer " + token.encode() + b"\r\n"
    try:
        with socket.create_connection(at(service), timeout=timeout_s) as client:
            client.sendall(head + b"\r\n")
            answer = client.recv(65536)
    except OSError:
        answer = b""
    found = re.match(rb"HTTP/1\.1 (\d+) ", answer)
    return (int(found.group(1)) if found else 0), time.monotonic() - began


class Honest:
    """A client that means well, all the while; a process of its own, so that it does not wait for the attacker."""

    def __init__(self, service, token, path=b"/v1/posts", every_s=0.05):
        self.took, self.failed, self.is_over = [], 0, multiprocessing.Event()
        self.mine, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self.run, args=(service, token, path, every_s, theirs), daemon=True)
        self.process.start()

    def run(self, service, token, path, every_s, out):
        while not self.is_over.is_set():
            status, seconds = ask(service, path, token)
            self.took.append(seconds)
            self.failed += status != 200
            self.is_over.wait(every_s)
        out.send((self.took, self.failed))

    def end(self):
        self.is_over.set()
        self.took, self.failed = self.mine.recv()
        self.process.join()
        self.took.sort()
        p99 = self.took[min(len(self.took) - 1, len(self.took) * 99 // 100)]
        return (f"honest client: {len(self.took) - self.failed} of {len(self.took)} answered,"
                f" median {statistics.median(self.took) * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, slowest {self.took[-1] * 1000:.0f} ms")


def send_bodies(service, count, size_bytes, until_s, token=None):
    """count connections, each with a body; all at once, as fast as they are taken. They, and the number that was refused before it
    had sent everything."""
    bearer = b"Authorization: Bearer " + token.encode() + b"\r\n" if token else b""
    head = b"POST /v1/posts/publish HTTP/1.1\r\n" + HOST + bearer
    head += b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (size_bytes + 1)
    body = memoryview(head + b" " * size_bytes)  # one byte is missing: the body is never whole
    poll, left, refused = selectors.DefaultSelector(), {}, 0
    for _ in range(count):
        with contextlib.suppress(OSError):
            client = socket.create_connection(at(service), timeout=5)
            client.setblocking(False)
            poll.register(client, selectors.EVENT_WRITE)
            left[client] = 0
    clients, end = list(left), time.monotonic() + until_s
    while left and time.monotonic() < end:
        for key, _ in poll.select(0.2):
            client = key.fileobj
            try:
                left[client] += client.send(body[left[client]:left[client] + 65536])
            except BlockingIOError:
                continue
            except OSError:
                refused += 1
                poll.unregister(client)
                del left[client]
                continue
            if left[client] == len(body):
                poll.unregister(client)
                del left[client]
    return clients, refused


def bodies(sandbox, directory, count=800):
    with Service(directory, sandbox=sandbox) as service:
        app = App(service, name="honest").issue_token()
        ask(service, b"/v1/posts", app.token)
        before = resident_mb(service)
        honest = Honest(service, app.token)
        clients, refused = send_bodies(service, count, BODY_BYTES, 20)
        time.sleep(1)
        after = resident_mb(service)
        line = honest.end()
        for client in clients:
            client.close()
        print(f"bodies: {count} x 1 MB without a token, {refused} refused while they sent; {before} MB before, {after} MB after; {line}")
        return after - before < 64 and honest.failed == 0


def idle(sandbox, directory, count=6500, options=()):
    with Service(directory, sandbox=sandbox, options=options) as service:
        clients = []
        begun = time.monotonic()
        for _ in range(count):
            with contextlib.suppress(OSError):
                client = socket.create_connection(at(service), timeout=0.5)
                client.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
                clients.append(client)
            if time.monotonic() - begun > 60:
                break
        time.sleep(1)
        answers = [ask(service, timeout_s=10) for _ in range(20)]
        for client in clients:
            client.close()
    good = sum(status == 200 and seconds < 1 for status, seconds in answers)
    print(f"idle: {len(clients)} connections kept alive; {good} of 20 honest requests answered in under a second,"
          f" the slowest after {max(seconds for _, seconds in answers) * 1000:.0f} ms")
    return all(status == 200 for status, _ in answers)


def platform(_, directory, seconds=25):
    with contextlib.ExitStack() as stack:
        sandbox = Sandbox()  # its own: it hangs when this is over
        stack.callback(sandbox.kill)
        service = stack.enter_context(Service(directory, sandbox=sandbox))
        one = App(service, name="one", owner="one@example.com").set_credentials("x").issue_token()
        other = App(service, name="other", owner="other@example.com").issue_token()
        account = one.account("x")
        sandbox.fault("x", "GET", "/2/users/me", "slow", retry_after=60, times=100000)
        path = f"/v1/accounts/{account}/check".encode()
        statuses, threads = [], []

        def check():
            statuses.append(ask(service, path, one.token, method=b"POST")[0])

        honest = Honest(service, other.token, every_s=0.1)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            threads.append(threading.Thread(target=check, daemon=True))
            threads[-1].start()
            time.sleep(0.1)
        line = honest.end()
        for thread in threads:
            thread.join(PATIENCE_S)
    counts = {status: statuses.count(status) for status in sorted(set(statuses))}
    print(f"platform: 10 checks a second for {seconds} s at a platform that hangs, answered {counts}; another app's {line}")
    return honest.failed == 0 and honest.took[-1] < 5  # 8 s before


LENGTHS = [b"3, 3", b"+0", b"-1", b"0x0", b"0 0", b"12345678901234567890", b""]


def lengths(sandbox, directory):
    good = 0
    with Service(directory, sandbox=sandbox) as service:
        for value in LENGTHS:
            raw = b""
            with socket.create_connection(at(service), timeout=5) as client:
                client.sendall(b"POST /v1/posts/publish HTTP/1.1\r\n" + HOST + b"Content-Length: " + value + b"\r\n\r\n")
                with contextlib.suppress(OSError):
                    while piece := client.recv(65536):
                        raw += piece
            good += raw.count(b"HTTP/1.1 ") == 1 and raw.startswith(b"HTTP/1.1 400 ") and b"application/json" in raw
    print(f"lengths: {good} of {len(LENGTHS)} malformed Content-Lengths are answered once and as JSON")
    return good == len(LENGTHS)


def memory(sandbox, directory):
    """A small machine: 600 MB of address space over what an idle service has."""
    with Service(directory, sandbox=sandbox, options=("--threads", "16")) as service:
        app = App(service, name="honest").issue_token()
        ask(service, b"/v1/posts", app.token)
        with open(f"/proc/{service.popen.pid}/statm", encoding="ascii") as statm:
            size = int(statm.read().split()[0]) * resource.getpagesize()
        resource.prlimit(service.popen.pid, resource.RLIMIT_AS, (size + (600 << 20), size + (600 << 20)))
        clients, refused = send_bodies(service, 1200, BODY_BYTES, 20)
        is_alive = service.popen.poll() is None
        status = ask(service, b"/v1/posts", app.token)[0] if is_alive else 0
        for client in clients:
            client.close()
        print(f"memory: 1,200 x 1 MB with 600 MB of address space to spare; {refused} refused; the service"
              f" {'lives' if is_alive else 'is dead'}, an honest request is answered {status}")
        return is_alive and status == 200


def scarce(sandbox, directory):
    """Memory really ends: 12 MB of data over what an idle service has, and an app that sends 30 MB of bodies."""
    with Service(directory, sandbox=sandbox, options=("--threads", "16")) as service:
        app = App(service, name="greedy").issue_token()
        for _ in range(40):
            ask(service, b"/v1/posts", app.token)
        with open(f"/proc/{service.popen.pid}/status", encoding="ascii") as status:
            size = int(re.search(r"VmData:\s+(\d+)", status.read()).group(1)) << 10
        resource.prlimit(service.popen.pid, resource.RLIMIT_DATA, (size + (12 << 20), resource.RLIM_INFINITY))
        clients, refused = send_bodies(service, 300, 100_000, 5, app.token)
        statuses = [ask(service, b"/v1/posts", app.token)[0] for _ in range(20)]
        is_alive = service.popen.poll() is None
        for client in clients:
            client.close()
        end, status = time.monotonic() + PATIENCE_S, 0
        while is_alive and status != 200 and time.monotonic() < end:
            status = ask(service, b"/v1/posts", app.token)[0]
        meanwhile = {each: statuses.count(each) for each in sorted(set(statuses))}
        print(f"scarce: 300 x 100 kB with 12 MB of memory to spare; {refused} cut off, other requests answered {meanwhile};"
              f" the service {'lives' if is_alive else 'is dead'}; afterwards {status}")
        return is_alive and status == 200


ATTACKS = {"bodies": bodies, "idle": idle, "platform": platform, "lengths": lengths, "memory": memory, "scarce": scarce}


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    names = sys.argv[1:] or list(ATTACKS)
    unknown = [name for name in names if name not in ATTACKS]
    if unknown:
        sys.exit(f"no attack is called {unknown[0]}; there are {', '.join(ATTACKS)}")
    failed = []
    with Sandbox() as sandbox, tempfile.TemporaryDirectory() as directory:
        for name in names:
            try:
                if not ATTACKS[name](sandbox, pathlib.Path(directory) / name):
                    failed.append(name)
            except Exception as error:  # noqa: BLE001 - a service that died is a result
                print(f"{name}: {type(error).__name__}: {error}")
                failed.append(name)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if failed:
        sys.exit("did not hold: " + ", ".join(failed))


if __name__ == "__main__":
    main()
