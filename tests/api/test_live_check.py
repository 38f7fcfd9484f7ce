# SPDX-License-Identifier: Apache-2.0
"""posthorn live-check: with a real account in a person's hands, with the sandbox here. It says who will see what, publishes one post of
each kind, keeps what was sent and answered, holds it against the transcripts, and deletes what can be deleted."""
import re

import pytest

from harness import PLATFORMS, App, Service

KINDS = {"x": 5, "facebook": 6, "instagram": 4, "linkedin": 6, "youtube": 1, "tiktok": 2}
LEFT = {"facebook": 1, "instagram": 4, "tiktok": 2}  # a story; without a permission that few apps have; TikTok has no call for it
SECRETS = ("sandbox-secret-", "Bearer ")


@pytest.fixture(scope="module")
def tried(tmp_path_factory, sandbox):
    sandbox.knob("x_subscription", 2)  # or there are no articles
    with Service(tmp_path_factory.mktemp("tried") / "data", sandbox, ["--time-scale", "20"]) as process:
        yield App(process, name="tried").set_credentials(*PLATFORMS).issue_token()
    sandbox.knob("x_subscription", 0)


def check(app, tmp_path, slug, account, *more):
    record = tmp_path / "record.txt"
    done = app.cli("live-check", "--app", app.client_id, "--platform", slug, "--account", account, "--record", record, *more)
    return done, record


@pytest.mark.parametrize("slug", KINDS)
def test_every_kind_of_post_is_tried_and_taken_back(tried, sandbox, media, tmp_path, slug):
    account = tried.account(slug)
    given = ("--image", media.image()["url"], "--video", media.clip()["url"], "--yes")
    done, record = check(tried, tmp_path, slug, account, *given)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert len(re.findall(r"^  .*: seen by ", done.stdout, re.M)) == KINDS[slug], done.stdout
    assert "0 differences from the transcripts, 0 posts that did not go out." in done.stdout, done.stdout
    text = record.read_text()
    assert text.count("\n# ") == KINDS[slug] and "kind=publish" in text
    for secret in SECRETS:
        assert re.search(rf"{secret}[^*\s]", text) is None
    told = done.stdout.partition("Not deleted; please delete them yourself:\n")[2]
    assert len(re.findall(r"^  .*: https?://", told, re.M)) == LEFT.get(slug, 0), done.stdout
    seen = [entry for entry in sandbox.ledger() if entry["platform"] == slug and "Posthorn live-check" in (entry["text"] or "")]
    assert slug in LEFT or not seen, seen


def test_without_a_yes_nothing_is_sent(tried, sandbox, tmp_path):
    before = len(sandbox.ledger())
    done, record = check(tried, tmp_path, "x", tried.account("x"))
    assert done.returncode == 2 and "repeat it with --yes" in done.stderr
    assert "a text: seen by everyone" in done.stdout and "a video: left out, since it needs --video URL" in done.stdout
    assert not record.exists() and len(sandbox.ledger()) == before


def test_what_differs_is_told(tried, sandbox, tmp_path):
    sandbox.fault("linkedin", "POST", "/rest/posts", "status_after", status=207, times=1, body={})
    done, _ = check(tried, tmp_path, "linkedin", tried.account("linkedin"), "--yes")
    sandbox.clear_faults()
    assert "the status 207 is in no transcript of this call" in done.stdout, done.stdout


def test_a_wrong_account_or_no_service_is_told(tried, start_service, tmp_path):
    done, _ = check(tried, tmp_path, "x", tried.account("linkedin"), "--yes")
    assert done.returncode == 1 and "not one of x" in done.stderr
    done, _ = check(tried, tmp_path, "x", "nobody", "--yes")
    assert done.returncode == 1 and done.stderr.startswith("posthorn: ")
    assert tried.cli("live-check").returncode == 2
