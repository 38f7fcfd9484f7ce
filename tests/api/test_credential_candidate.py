# SPDX-License-Identifier: Apache-2.0
"""A credential has two places, current and candidate (design.md 5): a slip never stops a platform that works."""
import json

import pytest

from harness import PLATFORMS, App


@pytest.fixture
def fresh(service, sandbox):
    app = App(service, name="candidates").issue_token()
    yield app
    sandbox.clear_faults()


def enter(app, slug, secret, *flags):
    done = app.cli("credential", "set", "--app", app.client_id, "--platform", slug, "--client-id", f"sandbox-{slug}",
                   "--client-secret-stdin", *flags, stdin=secret)
    return done, json.loads(done.stdout)


def listed(app, slug):
    rows = json.loads(app.cli("credential", "list", "--app", app.client_id).stdout)["data"]
    return next(row for row in rows if row["platform"] == slug)


def connects(app, slug):
    answer = app.get(f"/v1/oauth/{slug}/connect", params={"user_id": "u", "redirect_url": "https://c.example/"})
    return answer.status_code == 200


@pytest.mark.parametrize("slug", PLATFORMS)
def test_a_slip_keeps_the_credential_that_works(fresh, slug):
    fresh.set_credentials(slug)
    done, answer = enter(fresh, slug, "a typo", "--verify")
    assert done.returncode == 1 and answer["state"] == "failed" and answer["message"]
    assert answer["current"]["state"] == "verified"
    row = listed(fresh, slug)
    assert row["state"] == "verified" and row["candidate"]["state"] == "failed" and row["candidate"]["message"]
    assert connects(fresh, slug)
    done, answer = enter(fresh, slug, f"sandbox-secret-{slug}", "--verify")
    assert done.returncode == 0 and answer["state"] == "verified"
    assert listed(fresh, slug)["candidate"] is None


def test_what_is_not_verified_waits_beside_what_works(fresh):
    fresh.set_credentials("x")
    done, answer = enter(fresh, "x", "a typo")
    assert done.returncode == 0 and answer["state"] == "pending"
    assert listed(fresh, "x")["state"] == "verified" and connects(fresh, "x")
    done = fresh.cli("credential", "verify", "--app", fresh.client_id, "--platform", "x")
    assert done.returncode == 1 and json.loads(done.stdout)["state"] == "failed"
    assert listed(fresh, "x")["state"] == "verified" and connects(fresh, "x")


def test_force_takes_it_all_the_same(fresh):
    fresh.set_credentials("x")
    done, answer = enter(fresh, "x", "a typo", "--verify", "--force")
    assert done.returncode == 1 and answer["state"] == "failed"
    assert listed(fresh, "x")["state"] == "failed" and not connects(fresh, "x")


@pytest.mark.parametrize("slug", ["x", "linkedin", "facebook"])
def test_a_platform_that_cannot_be_reached_changes_nothing(fresh, sandbox, slug):
    fresh.set_credentials(slug)
    before = listed(fresh, slug)
    for host_path in ("/*", "/*/*", "/*/*/*", "/*/*/*/*"):
        for method in ("GET", "POST"):
            sandbox.fault(slug, method, host_path, "reset_before", times=50)
    done = fresh.cli("credential", "verify", "--app", fresh.client_id, "--platform", slug)
    assert done.returncode == 1 and "nothing was changed" in done.stderr
    assert listed(fresh, slug) == before and connects(fresh, slug)
    done, answer = enter(fresh, slug, f"sandbox-secret-{slug}", "--verify")
    assert done.returncode == 1 and answer["state"] == "pending" and answer["message"]
    assert listed(fresh, slug)["state"] == "verified"
    sandbox.clear_faults()
    assert fresh.cli("credential", "verify", "--app", fresh.client_id, "--platform", slug).returncode == 0
    assert listed(fresh, slug)["candidate"] is None
