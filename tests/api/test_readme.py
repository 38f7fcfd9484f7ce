# SPDX-License-Identifier: Apache-2.0
"""The walk-through of README.md, run as it stands there: every shell block after the two commands, against a sandbox and a service."""
import re
import shutil
import subprocess
from pathlib import Path

from harness import find_binary

ROOT = Path(__file__).resolve().parents[2]


def blocks():
    """The shell blocks of the walk-through, without the one that starts the two servers."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    walk = text[text.index("## A walk-through"):text.index("## The API in short")]
    found = re.findall(r"```sh\n(.*?)```", walk, re.S)
    assert len(found) >= 5
    assert "serve --sandbox" in found[0]
    return found[1:]


def test_walk_through_works_by_copy_and_paste(tmp_path, start_sandbox, start_service):
    sandbox = start_sandbox()
    service = start_service(sandbox, data=tmp_path / "posthorn-data")
    script = "set -eu\n" + "\n".join(blocks())
    script = script.replace("http://127.0.0.1:8080", service.url).replace("http://127.0.0.1:8081", sandbox.url)
    binary = tmp_path / "build" / "release" / "src" / "cli" / "posthorn"
    binary.parent.mkdir(parents=True)
    binary.symlink_to(find_binary())
    done = subprocess.run([shutil.which("sh"), "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "https://app.example.com/back?connection_id=conn_" in done.stdout
    assert '"status":"published"' in done.stdout
    texts = [post["text"] for post in sandbox.ledger()]
    assert texts == ["The mail has come.", "And a reply under it."]
