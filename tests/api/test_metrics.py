# SPDX-License-Identifier: Apache-2.0
"""The figures as a monitoring reads them: well-formed, true, moving with the work, and silent about everybody's own affairs. Where they
are served: test_listeners.py."""
import re

import pytest

from harness import ROOT, App, Service, cli, marker, poll, utc

SAMPLE = re.compile(r'^([a-z_]+)((?:\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})?) (-?[0-9]+(?:\.[0-9]+)?)$')


def scrape(service):
    """{name and labels: value}; fails on anything that a parser of the format would not take."""
    return figures_of(text_of(service))


def text_of(service):
    done = service.cli("metrics")
    assert done.returncode == 0, done.stderr
    return done.stdout


def figures_of(text):
    assert text.endswith("\n") and not text.endswith("\n\n")
    found, kinds, helped = {}, {}, set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped.add(line.split(" ")[2])
            assert len(line.split(" ", 3)[3]) > 8
        elif line.startswith("# TYPE "):
            name, kind = line.split(" ")[2:]
            assert name in helped and name not in kinds and kind in ("gauge", "counter")
            kinds[name] = kind
        else:
            name, labels, value = SAMPLE.match(line).groups()
            assert name in kinds and name + labels not in found
            assert name.startswith("posthorn_") and (kinds[name] == "counter") == name.endswith("_total")
            found[name + labels] = float(value)
    return found


@pytest.fixture(scope="module")
def quiet(tmp_path_factory, sandbox):
    """A service that nobody else uses, so that figures can be compared exactly."""
    with Service(tmp_path_factory.mktemp("quiet") / "data", sandbox) as process:
        yield process


def test_every_figure_that_operators_were_promised(service):
    """Those of docs/operations.md."""
    text = (ROOT / "docs/operations.md").read_text()
    table = text[text.index("## Monitoring"):]
    promised = set(re.findall(r"`(posthorn_[a-z_]+)", table))
    assert len(promised) >= 12
    service.request("GET", "/healthz")
    there = {re.sub(r"\{.*", "", name) for name in scrape(service)}
    assert promised <= there


def test_figures_follow_the_work(quiet):
    before = scrape(quiet)
    assert before["posthorn_ready"] == 1 and before['posthorn_posts{status="published"}'] == 0
    app = App(quiet).set_credentials("facebook").issue_token()
    account = app.account("facebook")
    app.published(account, marker("metrics"))
    app.accepted(account, marker("metrics"), scheduled_at=utc(86400))
    after = poll("the engine is done", lambda: (found := scrape(quiet)) and found["posthorn_deliveries_in_flight"] == 0 and found)
    assert after['posthorn_posts{status="published"}'] == 1
    assert after['posthorn_posts{status="scheduled"}'] == after["posthorn_deliveries_scheduled"] == 1
    assert after['posthorn_posts{status="pending"}'] == after['posthorn_posts{status="failed"}'] == 0
    assert after["posthorn_deliveries_due"] == after["posthorn_oldest_due_lateness_seconds"] == after["posthorn_events_pending"] == 0
    assert after['posthorn_http_requests_total{status="202"}'] == 2
    assert after["posthorn_engine_turns_total"] > before["posthorn_engine_turns_total"]
    assert 0 <= after["posthorn_engine_last_turn_age_seconds"] < 60
    assert after["posthorn_disk_free_bytes"] > 0 and after["posthorn_spool_budget_bytes"] == 32 << 30


def test_work_that_cannot_go_out_is_seen(quiet):
    """A webhook that nobody answers, and a post of an app that is suspended."""
    app = App(quiet, name="waiting", owner="waiting@example.com").set_credentials("facebook").issue_token()
    account = app.account("facebook")
    assert app.post("/v1/webhooks", json={"url": "http://127.0.0.1:1/"}).status_code == 201
    app.published(account, marker("metrics"))
    assert poll("a webhook delivery waits", lambda: scrape(quiet)["posthorn_webhook_deliveries_pending"])


def test_nothing_of_anybody_is_told(app, one, service, sandbox):
    app.published(one["x"], marker("metrics"))
    text = text_of(service)
    for secret in (app.id, app.client_id, app.client_secret, app.token, one["x"], "user-1", "owner@example.com", sandbox.url, str(service.data)):
        assert secret not in text


def test_labels_are_few(service):
    """Nothing that a caller sends becomes a label: a monitoring pays for each."""
    before = set(scrape(service))
    for path in ("/v1/nothing-at-all", "/nothing?status=299"):
        service.request("GET", path, headers={"X-Request-Id": "metrics-label"})
    assert {re.sub('status="[0-9]{3}"', "", name) for name in scrape(service)} == {re.sub('status="[0-9]{3}"', "", name) for name in before}


def test_a_service_that_does_not_run_has_none(tmp_path):
    done = cli("metrics", "--data", tmp_path / "data")
    assert done.returncode == 1 and done.stdout == ""
    assert "posthorn: The service does not run here" in done.stderr
