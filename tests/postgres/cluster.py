# SPDX-License-Identifier: Apache-2.0
"""Several nodes on one PostgreSQL database, in front of one sandbox: what the tests of them share. Not a test itself."""
import pathlib
import random
import shutil
import tempfile
import threading

import requests

from checker import WATCH
from harness import App, Sandbox, Service
from postgres_server import PostgresServer


class Node(Service):
    """One node: word is serve or worker. It shares the database and the master key with the others."""

    def __init__(self, cluster, name, options=(), word="serve", listen="127.0.0.1:0"):
        self.cluster, self.name, self.options, self.word = cluster, name, list(options), word
        scale = ["--time-scale", str(cluster.time_scale)] if cluster.sandbox else []
        super().__init__(cluster.directory / name, cluster.sandbox, [*scale, "--threads", "4",
                         "--master-key-file", str(cluster.directory / "master.key"), *options],
                         {"POSTHORN_DATABASE": cluster.url_of(name)}, listen=listen, word=word)
        if word == "worker":
            WATCH.remove(self.url)  # the description is of the API, which it has not

    def cli(self, *words, **more):
        environment = {"POSTHORN_DATABASE": self.cluster.url_of(self.name), **(more.pop("environment", None) or {})}
        return super().cli(*words, "--master-key-file", str(self.cluster.directory / "master.key"), environment=environment, **more)

    def again(self):
        """The same node, started anew on its data."""
        return Node(self.cluster, self.name, self.options, self.word, self.url.removeprefix("http://"))


class Cluster:
    """start() adds a node; request() goes to any node that has the whole API, as behind a load balancer. is_live: there is no sandbox,
    and so no time_scale."""

    def __init__(self, time_scale=60, settings=None, server=None, is_live=False):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="posthorn-cluster-"))
        self.time_scale = time_scale
        self.server = server or PostgresServer(settings).start()
        self.urls = {}  # where a node has a way of its own to the database
        try:
            self.url = self.server.new_database()
            self.sandbox = None if is_live else Sandbox()
        except BaseException:
            self.server.remove()
            raise
        if self.sandbox:
            self.sandbox.knob("x_me_limit", 1000000)
        self.nodes = {}
        self.lock = threading.Lock()
        self.dice = random.Random()

    def url_of(self, name):
        return self.urls.get(name, self.url)

    def start(self, name, *options, word="serve"):
        self.nodes[name] = Node(self, name, options, word)
        return self.nodes[name]

    def kill(self, name):
        self.nodes[name].kill()
        self.nodes[name].check_sanitizers()

    def restart(self, name):
        self.nodes[name] = self.nodes[name].again()

    def request(self, method, path, **more):
        nodes = [node for node in list(self.nodes.values()) if node.word == "serve" and node.popen.poll() is None]
        if not nodes:
            raise requests.ConnectionError("no node is up")
        return self.dice.choice(nodes).request(method, path, **more)

    def cli(self, *words, **more):
        return next(iter(self.nodes.values())).cli(*words, **more)

    def app(self, *platforms):
        """An app whose calls go to any node."""
        first = next(node for node in self.nodes.values() if node.word == "serve")
        app = App(first).set_credentials(*platforms).issue_token()
        app.service = self
        return app

    def sql(self, text):
        return self.server.sql(text, self.url.rsplit("/", 1)[1])

    def close(self):
        try:
            for node in self.nodes.values():
                if node.popen.poll() is None:
                    node.stop()
            if self.sandbox:
                self.sandbox.stop()
        finally:
            self.destroy()

    def destroy(self):
        for node in self.nodes.values():
            node.kill()
        if self.sandbox:
            self.sandbox.kill()
        self.server.remove()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
            return
        for name, node in self.nodes.items():
            print(f"\n---- node {name} ----\n{node.stderr()[-3000:]}")
        print(f"\n---- PostgreSQL ----\n{self.server.log()[-2000:]}")
        self.destroy()
