# SPDX-License-Identifier: Apache-2.0
"""The protocol's official TypeScript SDK drives the life of a post (mcp_life.mjs): both revisions, over HTTP and through `posthorn mcp`.
Without Node.js or the package from npm (POSTHORN_MCP_CLIENT) it is skipped, and says so."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

from harness import ROOT, clean_environment, cli, find_binary, marker, utc
from mcp_client import LEGACY, MODERN, OUTSIDE
from test_keys import create
from test_mcp import PUBLISHING, TOOLS, UPLOAD, request_id

SDK = pathlib.Path(os.environ.get("POSTHORN_MCP_CLIENT") or ROOT / "build/npm/mcp-client")
SDK_S = 60

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (SDK / "node_modules").is_dir(),
    reason="needs Node.js, and @modelcontextprotocol/client from npm in POSTHORN_MCP_CLIENT (./dev test installs it)")


class Sdk:
    """One run of the client is one connection."""

    def __init__(self, app, transport, era, token=None):
        self.app, self.transport, self.era, self.token = app, transport, era, token or app.token

    def run(self, *steps):
        task = {"url": self.app.service.url, "token": self.token, "binary": find_binary(), "environment": clean_environment(),
                "steps": [{"tool": tool, "arguments": arguments} for tool, arguments in steps]}
        done = subprocess.run(["node", ROOT / "tests/api/mcp_life.mjs", SDK, self.transport, self.era], input=json.dumps(task),
                              capture_output=True, text=True, timeout=SDK_S, env=clean_environment())
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    def call(self, tool, **arguments):
        return self.run((tool, arguments))["results"][0]


@pytest.fixture(params=[("http", "modern"), ("http", "legacy"), ("stdio", "modern"), ("stdio", "legacy")], ids=lambda pair: "-".join(pair))
def kind(request):
    return request.param


def test_the_life_of_a_post(app, one, sandbox, kind):
    agent, text = Sdk(app, *kind), marker("sdk")
    now = {"account_ids": [one["x"]], "content": text, "request_id": request_id()}
    later = {"account_ids": [one["linkedin"]], "content": text, "request_id": request_id(), "scheduled_at": utc(86400)}
    found = agent.run(("list_accounts", {"platform": "x"}), ("describe_platforms", {"platform": "x"}),
                      ("validate_post", {"account_ids": [one["x"]], "content": text}), ("publish_post", now), ("publish_post", now),
                      ("schedule_post", later), ("list_posts", {"per_page": 2}))
    assert found["version"] == (MODERN if kind[1] == "modern" else LEGACY) and found["server"]["name"] == "posthorn"
    assert [tool["name"] for tool in found["tools"]] == TOOLS
    accounts, platforms, valid, published, again, scheduled, listed = found["results"]
    assert one["x"] in [row["id"] for row in accounts["structuredContent"]["data"]] and OUTSIDE in accounts["content"][0]["text"]
    assert platforms["structuredContent"]["data"][0]["slug"] == "x" and valid["structuredContent"]["data"]["ok"] is True
    post_id = published["structuredContent"]["data"]["post_id"]
    assert again["isError"] is True and again["structuredContent"]["details"]["post_id"] == post_id
    later_id = scheduled["structuredContent"]["data"]["post_id"]
    assert {row["id"] for row in listed["structuredContent"]["data"]} == {post_id, later_id}
    assert app.wait_post(post_id)["status"] == "published" and len(sandbox.ledger(text, "x")) == 1
    story, cancelled, lost = agent.run(("explain_post", {"post_id": post_id}), ("cancel_post", {"post_id": later_id}),
                                       ("cancel_post", {"post_id": post_id}))["results"]
    assert "is published" in story["content"][0]["text"] and cancelled["isError"] is False
    assert lost["structuredContent"]["error"] == "TOO_LATE" and lost["structuredContent"]["next_tool"] == "get_post"


def test_a_failed_post_is_retried(app, one, sandbox):
    agent = Sdk(app, "http", "modern")
    refusal = {"status": 422, "code": "NO", "message": "Say it otherwise"}
    sandbox.fault("linkedin", "POST", "/rest/posts", "status", status=422, body=refusal)
    made = agent.call("publish_post", account_ids=[one["linkedin"]], content=marker("sdk"), request_id=request_id())
    post_id = made["structuredContent"]["data"]["post_id"]
    assert app.wait_post(post_id)["status"] == "failed"
    story, again = agent.run(("explain_post", {"post_id": post_id}), ("retry_post", {"post_id": post_id}))["results"]
    assert "Say it otherwise" in story["content"][0]["text"].split(OUTSIDE)[1] and again["isError"] is False
    assert app.wait_post(post_id)["status"] == "published"


def test_a_person_approves_a_draft(app, one, sandbox):
    text = marker("sdk")
    found = Sdk(app, "stdio", "modern", token=create(app, "read,drafts", name="sdk")["key"]).run(
        ("create_draft", {"account_ids": [one["x"]], "content": text}),
        ("publish_post", {"account_ids": [one["x"]], "content": text, "request_id": request_id()}))
    assert {tool["name"] for tool in found["tools"]} == set(TOOLS) - PUBLISHING - UPLOAD
    draft, refused = found["results"]
    assert refused["structuredContent"]["error"] == "INSUFFICIENT_SCOPE" and sandbox.ledger(text) == []
    draft_id = draft["structuredContent"]["data"]["id"]
    done = cli("drafts", "publish", draft_id, "--json", "--url", app.service.url, environment={"POSTHORN_TOKEN": app.token})
    assert done.returncode == 0, done.stderr
    app.wait_post(json.loads(done.stdout)["data"]["post_id"])
    assert len(sandbox.ledger(text)) == 1
