# SPDX-License-Identifier: Apache-2.0
"""A rolling upgrade (docs/postgres.md, "Upgrades"): the program before the newest change of the schema runs beside today's on one
database, under load, and one node goes back to it in between. Nothing is lost, doubled or refused for good. The older program is built
from this repository's history, which takes minutes (POSTHORN_LONG=1), unless POSTHORN_FORMER names one that is there."""
import contextlib
import os
import pathlib
import random
import re
import subprocess
import time

import pytest

from cluster import Cluster
from fault_harness import IS_LONG
from harness import ROOT, poll
from test_cluster import Load

MIGRATIONS = ROOT / "src/store/migrations"
POSTS = 60  # at each step
BESIDE_S = 5  # each pair of programs, at least
BUILD_S = 900

GIVEN = os.environ.get("POSTHORN_FORMER", "")

pytestmark = pytest.mark.skipif(not IS_LONG and not GIVEN, reason="POSTHORN_LONG=1: builds the program before the newest schema")


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else ""


def newest():
    """(the number of the newest schema, the oldest one whose program it takes beside it, the commit before it)"""
    path = max(MIGRATIONS.glob("[0-9]*.sql"))
    number = int(path.name[:4])
    found = re.search(r"^-- oldest_program: (\d+)$", path.read_text(encoding="utf-8"), re.M)
    added = git("log", "--diff-filter=A", "--format=%H", "--", str(path.relative_to(ROOT))).splitlines()
    before = git("rev-parse", "--verify", "--quiet", f"{added[-1]}~1") if added else ""
    return number, int(found[1]) if found else number, before


@pytest.fixture(scope="module")
def former(tmp_path_factory):
    """The program before the newest schema."""
    number, oldest, commit = newest()
    if oldest >= number:
        pytest.skip(f"schema {number} takes no older program beside it")
    if not commit:
        pytest.skip("the history of the repository is not here")
    if GIVEN:
        return pathlib.Path(GIVEN)
    tree = tmp_path_factory.mktemp("former")
    archive = subprocess.run(["git", "-C", ROOT, "archive", commit], capture_output=True, check=True, timeout=60)
    subprocess.run(["tar", "-x", "-C", tree], input=archive.stdout, check=True, timeout=60)
    for command in (["meson", "setup", "build", "--buildtype=debugoptimized", "-Dtests=false"],
                    ["ninja", "-C", "build", "src/cli/posthorn"]):
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=BUILD_S)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return tree / "build/src/cli/posthorn"


@contextlib.contextmanager
def program(path):
    """What is started inside is that program."""
    given = os.environ.get("POSTHORN_BIN")
    os.environ["POSTHORN_BIN"] = str(path)
    try:
        yield
    finally:
        if given is None:
            del os.environ["POSTHORN_BIN"]
        else:
            os.environ["POSTHORN_BIN"] = given


def schema_of(cluster):
    return int(cluster.sql("SELECT max(number) FROM schema_migrations"))


def replace(cluster, name):
    """Stopped as a service manager does it, and started again: by the program of the moment."""
    cluster.nodes[name].stop()
    cluster.restart(name)


class Upgrade:
    """Posts are under way at each step; those of all steps are judged at the end."""

    def __init__(self, cluster, media):
        self.cluster, self.media, self.loads = cluster, media, []
        self.dice = random.Random(random.SystemRandom().randrange(1 << 32))

    def post(self):
        self.loads.append(Load(self.cluster, self.dice, self.media, POSTS))

    def look(self):
        """Both nodes are there, and each takes posts."""
        time.sleep(BESIDE_S)
        for name, node in self.cluster.nodes.items():
            assert node.popen.poll() is None, f"{name} ended:\n{node.stderr()[-2000:]}"
            token = {"Authorization": f"Bearer {self.loads[-1].app.token}"}
            poll(f"{name} is ready", lambda node=node: node.request("GET", "/readyz").status_code == 200)
            assert node.request("GET", "/v1/posts", headers=token).status_code == 200


def test_programs_of_two_schemas_work_side_by_side(former, media):
    number = newest()[0]
    with Cluster(time_scale=60) as cluster:
        upgrade = Upgrade(cluster, media)
        with program(former):
            cluster.start("one")
            cluster.start("two")
            upgrade.post()
            assert schema_of(cluster) == number - 1
        replace(cluster, "two")
        assert schema_of(cluster) == number
        with program(former):
            upgrade.post()
        upgrade.look()
        with program(former):
            replace(cluster, "two")
            upgrade.post()
            upgrade.look()
        replace(cluster, "two")
        with program(former):
            upgrade.post()
        replace(cluster, "one")
        upgrade.look()
        for step, load in enumerate(upgrade.loads, start=1):
            load.judge(f"step {step}", [other for other in upgrade.loads if other is not load])
