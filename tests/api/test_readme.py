# SPDX-License-Identifier: Apache-2.0
"""The walk-through of README.md, run as it stands there: every shell block after the one that starts the service, with a test app."""
import json
import re
import shutil
import subprocess
from pathlib import Path

from harness import find_binary

ROOT = Path(__file__).resolve().parents[2]


def blocks():
    """The shell blocks of the walk-through, without the one that starts the service."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    walk = text[text.index("## A walk-through"):text.index("## The command line")]
    found = re.findall(r"```sh\n(.*?)```", walk, re.S)
    assert len(found) >= 5
    assert found[0] == "./dev run serve\n"
    return found[1:]


def test_walk_through_works_by_copy_and_paste(tmp_path, start_service):
    service = start_service(data=tmp_path / "posthorn-data")
    script = "set -eu\n" + "\n".join(blocks()).replace("http://127.0.0.1:8080", service.url)
    binary = tmp_path / "build" / "release" / "src" / "cli" / "posthorn"
    binary.parent.mkdir(parents=True)
    binary.symlink_to(find_binary())
    done = subprocess.run([shutil.which("sh"), "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "https://app.example.com/back?connection_id=conn_" in done.stdout
    assert '"status":"published"' in done.stdout
    ledger = json.loads(done.stdout[done.stdout.rindex('{"posts":'):])
    assert [post["text"] for post in ledger["posts"]] == ["The mail has come.", "And a reply under it."]


def test_the_walk_of_the_command_line(tmp_path, start_sandbox, start_service):
    """docs/command-line.md, as it stands there; the browser is one that presses Allow."""
    sandbox = start_sandbox()
    service = start_service(sandbox, data=tmp_path / "posthorn-data")
    text = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    found = re.findall(r"```sh\n(.*?)```", text[text.index("## A walk"):text.index("## Whom to post as")], re.S)
    assert len(found) == 6 and "serve --sandbox" in found[0]
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\ncurl -s -L -o /dev/null "$1&sandbox_decision=allow"\n')
    browser.chmod(0o755)
    script = f"set -eu\nexport BROWSER={browser}\n" + "\n".join(found[1:]).replace("http://127.0.0.1:8080", service.url)
    binary = tmp_path / "build" / "release" / "src" / "cli" / "posthorn"
    binary.parent.mkdir(parents=True)
    binary.symlink_to(find_binary())
    done = subprocess.run([shutil.which("sh"), "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("Connected for user me", "x:jodoe", ": ok, as post", "published  https://x.com/", "Cancelled"):
        assert part in done.stdout
    assert [post["text"] for post in sandbox.ledger()] == ["The mail has come.", "And a reply under it."]
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {"app.json", "browser", "build", "key.json", "posthorn-data"}
