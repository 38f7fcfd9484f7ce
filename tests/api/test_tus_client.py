# SPDX-License-Identifier: Apache-2.0
"""The official client of tus, tus-js-client, uploads through a network that breaks (tus_upload.mjs). Without Node.js or the package from
npm (POSTHORN_TUS_CLIENT) it is skipped, and says so."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import pytest

from harness import ROOT, clean_environment

CLIENT = pathlib.Path(os.environ.get("POSTHORN_TUS_CLIENT") or ROOT / "build/npm/tus-js-client")
UPLOAD_S = 60

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (CLIENT / "node_modules").is_dir(),
    reason="needs Node.js, and tus-js-client from npm in POSTHORN_TUS_CLIENT (./dev test installs it)")


@pytest.fixture
def film(tmp_path):
    path = tmp_path / "film.pdf"
    path.write_bytes(b"%PDF-1.4\n" + os.urandom(5 << 20) + b"\n%%EOF\n")
    return path


def run(endpoint, film, token=None, **more):
    task = {"endpoint": endpoint, "file": str(film), "token": token, "chunk": 2 << 20, "cuts": 0, **more}
    done = subprocess.run(["node", ROOT / "tests/api/tus_upload.mjs", CLIENT], input=json.dumps(task), capture_output=True, text=True,
                          timeout=UPLOAD_S, env=clean_environment())
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def assert_uploaded(app, done, film):
    file = app.get(f"/v1/media/{done['media_id']}").json()["data"]
    assert file["sha256"] == hashlib.sha256(film.read_bytes()).hexdigest() and file["file_name"] == "film.mp4"


@pytest.mark.parametrize("cuts", [0, 2], ids=["whole", "broken twice"])
def test_by_token(app, film, cuts):
    done = run(f"{app.service.url}/v1/media/uploads", film, token=app.token, cuts=cuts)
    assert_uploaded(app, done, film)
    assert done["tries"] > 4 + cuts or cuts == 0  # after a break it asks for the offset, and goes on


@pytest.mark.parametrize("cuts", [0, 2], ids=["whole", "broken twice"])
def test_by_link(app, film, cuts):
    link = app.post("/v1/media/links", json={}).json()["data"]
    done = run(link["upload_url"], film, cuts=cuts)
    assert done["media_id"] == link["media_id"]
    assert_uploaded(app, done, film)
