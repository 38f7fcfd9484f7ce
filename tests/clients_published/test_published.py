# SPDX-License-Identifier: Apache-2.0
"""Clients that other people published for the platforms, against the sandbox: what they do with a real platform works here too. Each
script walks what its first comment says, with the client as npm has it; sandbox.mjs sends its calls to the sandbox. So do those in
Python, with the client as Debian has it, and sandbox_requests.py. With --long alone; without Node.js 20 or the packages
(POSTHORN_PUBLISHED_CLIENTS) they are skipped, and say so.

instagram-graph-api is walked in 6.2.0, whose axios joins an address without doubling the slash. 7.0.0 asks for //ID/media, and users of
other clients saw Graph refuse an empty segment (400, code 2500, "Unknown path components": facebookarchive/facebook-swift-sdk#28,
mweibel/facebook.ex#56); so does the sandbox. Left out of Debian's clients:
python3-googleapi, which fetches a description of the API first, and python3-twitter, which knows X's API of before alone."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import requests

from harness import ROOT, Sandbox, clean_environment, marker

sys.path.insert(0, str(ROOT / "tests/client_packages"))
import packages  # noqa: E402 - which Node.js there is

HERE = pathlib.Path(__file__).parent
CLIENTS = pathlib.Path(os.environ.get("POSTHORN_PUBLISHED_CLIENTS") or ROOT / "build/npm/published")
SHARED = ["person.mjs", "sandbox.mjs"]
WALK_S = 60
# Where the post that a script makes is seen; None: it only signs in.
WALKS = {
    "twitter-api-v2": "x",
    "linkedin-api-client": "linkedin",
    "googleapis": "youtube",
    "fbgraph": "facebook",
    "instagram-graph-api": "instagram",
    "arctic": None,
    "oauth4webapi": None,
    "openid-client": None,
    "passport-tiktok-auth": None,
}
PYTHON = "/usr/bin/python3"  # for which Debian's packages are
PYTHON_WALKS = {"tweepy": "x", "authlib": "x", "requests_oauthlib": "linkedin"}

is_long = os.environ.get("POSTHORN_LONG") == "1"
needs_node = pytest.mark.skipif(
    not is_long or packages.find_node() is None or not (CLIENTS / "node_modules").is_dir(),
    reason="needs Node.js 20, and the clients from npm in POSTHORN_PUBLISHED_CLIENTS: ./dev test --long installs them")


@pytest.fixture(scope="module")
def world():
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def folder(tmp_path_factory, media):
    """The scripts beside the packages, and the files that they publish."""
    place = tmp_path_factory.mktemp("published")
    for script in HERE.glob("*.mjs"):
        shutil.copy(script, place)
    (place / "node_modules").symlink_to(CLIENTS / "node_modules")
    for name, item in (("picture.jpg", media.image()), ("video.mp4", media.clip())):
        (place / name).write_bytes(requests.get(item["url"], timeout=30).content)
    return place


def has_client(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def test_every_script_is_walked():
    assert sorted(path.name for path in HERE.glob("*.mjs")) == sorted([f"{name}.mjs" for name in WALKS] + SHARED)
    assert sorted(path.name for path in HERE.glob("with_*.py")) == sorted(f"with_{name}.py" for name in PYTHON_WALKS)


@pytest.mark.skipif(not is_long, reason="needs --long, which installs the clients")
@pytest.mark.parametrize("name", PYTHON_WALKS)
def test_client_of_python(world, name):
    if not has_client(name):
        pytest.skip(f"needs {name} as Debian has it: ./dev test --long installs it")
    text = marker(name.replace("_", " "))  # LinkedIn reads an underscore as markup
    done = subprocess.run([PYTHON, HERE / f"with_{name}.py"], env=clean_environment({"POSTHORN_SANDBOX": world.url, "POSTHORN_TEXT": text}),
                          capture_output=True, text=True, timeout=WALK_S, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [post["text"] for post in world.ledger(platform=PYTHON_WALKS[name]) if text in post["text"]] == [text]


@needs_node
@pytest.mark.parametrize("name", WALKS)
def test_client(world, folder, name):
    text = marker(name)
    environment = clean_environment({"POSTHORN_SANDBOX": world.url, "POSTHORN_TEXT": text, "POSTHORN_IMAGE": str(folder / "picture.jpg"),
                                     "POSTHORN_VIDEO": str(folder / "video.mp4")})
    done = subprocess.run([packages.find_node(), "--import", "./sandbox.mjs", f"{name}.mjs"], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=WALK_S, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    if WALKS[name]:
        assert [post["text"] for post in world.ledger(platform=WALKS[name]) if text in post["text"]] == [text]
