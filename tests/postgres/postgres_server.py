# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of one's own: a private cluster in a directory, on a free port of 127.0.0.1, gone afterwards. For tests and
benchmarks; `python3 postgres_server.py COMMAND...` runs a command with POSTHORN_TEST_DATABASE naming a fresh database of one.

The server refuses to run as root, so that root runs it as another user. fsync is off unless wanted: tests kill processes, not machines.
"""
import contextlib
import functools
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_S = 60
PROGRAMS = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin")


@functools.cache
def programs():
    """Where initdb and postgres are: beside pg_config's others, else Debian's place for the newest version."""
    found = [path for pattern in PROGRAMS for path in sorted(pathlib.Path("/").glob(pattern.lstrip("/"))) if (path / "initdb").exists()]
    if found:
        return found[-1]
    on_path = shutil.which("initdb")
    if on_path is None:
        raise FileNotFoundError("no PostgreSQL server: install the package postgresql")
    return pathlib.Path(on_path).parent


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def unprivileged():
    """The words before a command that make it run as a user who may run a server; none when we are one."""
    if os.getuid() != 0:
        return []
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
    raise RuntimeError("root cannot run PostgreSQL, and there is no other user")


class PostgresServer:
    """settings: further lines of postgresql.conf, by name."""

    def __init__(self, settings=None, port=None, data=None):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="posthorn-pg-"))
        self.data = self.directory / "data"
        self.port = port or free_port()
        self.popen = None
        self.database_count = 0
        self._give_away(self.directory)
        if data is None:
            self._run("initdb", "-D", self.data, "-U", "posthorn", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-N")
            self.configure({"fsync": "off", "full_page_writes": "off", "synchronous_commit": "on", "shared_buffers": "'64MB'",
                            "max_connections": "120", "unix_socket_directories": "''", "listen_addresses": "'127.0.0.1'",
                            "port": self.port, "wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on",
                            "log_min_messages": "warning", "log_line_prefix": "'%m [%p] '", **(settings or {})})

    def configure(self, settings):
        with open(self.data / "postgresql.conf", "a", encoding="ascii") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    def _give_away(self, path):
        if os.getuid() == 0:
            words = unprivileged()
            os.chown(path, int(words[1].split("=")[1]), int(words[2].split("=")[1]))
        os.chmod(path, 0o700)

    def _run(self, program, *arguments):
        command = [*unprivileged(), str(programs() / program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self):
        """Ends with the thread that called this, however that ends: a killed test run leaves no server behind."""
        words = ["setpriv", "--pdeathsig", "INT", *unprivileged()[1:]]
        log = open(self.directory / "log", "ab")
        with log:
            self.popen = subprocess.Popen([*words, str(programs() / "postgres"), "-D", str(self.data)], stdin=subprocess.DEVNULL,
                                          stdout=log, stderr=log, cwd="/")
        self.wait_until_ready()
        return self

    def wait_until_ready(self):
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            ready = subprocess.run([str(programs() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False)
            if ready.returncode == 0:
                return
            assert self.popen.poll() is None, self.log()
            time.sleep(0.05)
        raise AssertionError(f"PostgreSQL did not start:\n{self.log()}")

    def log(self):
        path = self.directory / "log"
        return path.read_text(errors="replace")[-8000:] if path.exists() else ""

    def sql(self, text, database="postgres"):
        """What psql prints, without alignment."""
        command = [str(programs() / "psql"), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U",
                   "posthorn", "-d", database, "-c", text]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, f"{text}: {done.stderr}"
        return done.stdout.strip()

    def url(self, database, port=None):
        return f"postgres://posthorn@127.0.0.1:{port or self.port}/{database}"

    def new_database(self):
        """The URL of an empty database."""
        self.database_count += 1
        name = f"posthorn_{os.getpid()}_{self.database_count}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def kill(self):
        """SIGKILL to the server and all of its processes, as the kernel or a power cut would."""
        if self.popen is not None and self.popen.poll() is None:
            family = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.popen.pid)], capture_output=True, text=True, check=False)
            self.popen.kill()
            for word in family.stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(word), signal.SIGKILL)
            self.popen.wait()
            (self.data / "postmaster.pid").unlink(missing_ok=True)

    def stop(self):
        """A fast shutdown: transactions are cut off, the rest is written."""
        if self.popen is not None and self.popen.poll() is None:
            self.popen.send_signal(signal.SIGINT)
            try:
                self.popen.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.kill()

    def make_replica(self, port=None):
        """A streaming replica of this one, by way of another port if one is given; start() it. promote() makes it a server of its
        own."""
        replica = PostgresServer(data="copied")
        self._run_base_backup(replica)
        replica.configure({"port": replica.port, "primary_conninfo": f"'host=127.0.0.1 port={port or self.port} user=posthorn'"})
        (replica.data / "standby.signal").touch()
        if os.getuid() == 0:
            replica._give_away(replica.data / "standby.signal")
        return replica

    def _run_base_backup(self, replica):
        replica._run("pg_basebackup", "-D", replica.data, "-h", "127.0.0.1", "-p", self.port, "-U", "posthorn", "-X", "stream", "-c", "fast",
                     "--no-sync")

    def promote(self):
        self.sql("SELECT pg_promote(true, 60)")

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.remove()


def main():
    with PostgresServer() as server:
        environment = dict(os.environ, POSTHORN_TEST_DATABASE=server.new_database())
        return subprocess.run(sys.argv[1:], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
