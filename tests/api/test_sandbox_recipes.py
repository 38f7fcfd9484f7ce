# SPDX-License-Identifier: Apache-2.0
"""docs/sandbox.md: each recipe shows what it says, and its tables are those of the running sandbox."""
import json
import re

import pytest
import requests

from harness import ROOT, App, Sandbox, Service, marker, poll

TEXT = (ROOT / "docs/sandbox.md").read_text()
ROWS = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in TEXT.splitlines() if line.startswith("| ")]
RECIPES = [row for row in ROWS if len(row) == 4 and row[1].startswith("`POST /_sandbox/")]


def sends(cell):
    """[(path, JSON)]"""
    return [(path, json.loads(body)) for path, body in re.findall(r"`POST (/_sandbox/\w+) (\{.*?\})`(?:<br>|$)", cell)]


def test_every_recipe_is_read():
    assert len(RECIPES) >= 15 and all(sends(row[1]) for row in RECIPES)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with Sandbox() as sandbox, Service(tmp_path_factory.mktemp("recipes") / "data", sandbox, ["--time-scale", "1000"]) as service:
        yield sandbox, service


def seen(app, post_id, reasons):
    """What the table names, of the platform post; None while it is none of that."""
    post = app.show(post_id)["platform_posts"][0]
    if post["removal"]:
        return f"`removal.status: {post['removal']['status']}`" if post["removal"]["status"] != "pending" else None
    if post["status"] == "failed":
        return f"failed `{post['error']['code']}`"
    if post["status"] == "published":
        return "published"
    reason = (post["waiting"] or {}).get("reason")
    return f"waiting `{reason}`" if reason in reasons else None


@pytest.mark.parametrize("row", RECIPES, ids=[row[0] for row in RECIPES])
def test_recipe(world, row):
    sandbox, service = world
    app = App(service).set_credentials(row[2]).issue_token()  # what one recipe does to its app is no matter of the next
    account = app.account(row[2])
    reasons = re.findall(r"waiting `(\w+)`", row[3])
    knobs = {knob["name"]: knob["default"] for knob in sandbox._call("GET", "/_sandbox/knobs")["knobs"]}
    try:
        for path, body in sends(row[1]):
            sandbox._call("POST", path, json=body)
        post = app.accepted(account, marker("recipe"))["post_id"]
        if "/unpublish`" in row[1]:
            assert app.wait_post(post)["status"] == "published"
            assert app.post(f"/v1/posts/{post}/unpublish").status_code == 202
        assert poll(f"{row[0]}: {row[3]}", lambda: seen(app, post, reasons)) == row[3]
    finally:
        sandbox.clear_faults()
        sandbox._call("POST", "/_sandbox/knobs", json=knobs)
        app.request("DELETE", f"/v1/posts/{post}")
        poll("the account is free again", lambda: app.show(post)["status"] in ("published", "failed"))


def test_tables_are_those_of_the_sandbox(world):
    sandbox, _ = world
    knobs = requests.get(f"{sandbox.url}/_sandbox/knobs", timeout=30).json()["knobs"]
    told = [[f"`{knob['name']}`", knob["unit"], str(knob["default"]), str(knob["least"]), str(knob["most"]), knob["sentence"]]
            for knob in knobs]
    assert [row for row in ROWS if len(row) == 6 and row[0].startswith("`")] == told
    effects = requests.get(f"{sandbox.url}/_sandbox/faults", timeout=30).json()["effects"]
    rows = [row for row in ROWS if len(row) == 2]
    assert [row for row in rows if row[0].strip("`") in {effect["name"] for effect in effects}] == [
        [f"`{effect['name']}`", effect["sentence"]] for effect in effects]
