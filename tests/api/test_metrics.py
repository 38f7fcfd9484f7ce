# SPDX-License-Identifier: Apache-2.0
"""The figures as a monitoring reads them: well-formed, true, moving with the work, and silent about everybody's own affairs. Where they
are served: test_listeners.py."""
import collections
import pathlib
import re
import shutil
import subprocess

import pytest

from harness import ROOT, App, Service, cli, marker, poll, utc

SAMPLE = re.compile(r'^([a-z_]+)((?:\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})?) (-?[0-9]+(?:\.[0-9]+)?)$')
PARTS_OF_A_HISTOGRAM = ("_bucket", "_sum", "_count")


def scrape(service):
    """{name and labels: value}; fails on anything that a parser of the format would not take."""
    return figures_of(text_of(service))


def text_of(service):
    done = service.cli("metrics")
    assert done.returncode == 0, done.stderr
    return done.stdout


def family_of(name, kinds):
    """The metric that a sample belongs to."""
    for part in PARTS_OF_A_HISTOGRAM:
        if name.endswith(part) and kinds.get(name[:-len(part)]) == "histogram":
            return name[:-len(part)]
    return name


def figures_of(text):
    assert text.endswith("\n") and not text.endswith("\n\n")
    found, kinds, helped = {}, {}, set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped.add(line.split(" ")[2])
            assert len(line.split(" ", 3)[3]) > 7
        elif line.startswith("# TYPE "):
            name, kind = line.split(" ")[2:]
            assert name in helped and name not in kinds and kind in ("gauge", "counter", "histogram")
            kinds[name] = kind
        else:
            name, labels, value = SAMPLE.match(line).groups()
            family = family_of(name, kinds)
            assert family in kinds and name + labels not in found
            assert name.startswith(("posthorn_", "process_")) and (kinds[family] == "counter") == name.endswith("_total")
            found[name + labels] = float(value)
    check_histograms(found, [name for name, kind in kinds.items() if kind == "histogram"])
    return found


def check_histograms(found, names):
    """Buckets never fall, and the last is the count."""
    assert names
    for name in names:
        series = collections.defaultdict(list)
        for sample, value in found.items():
            if sample.startswith(name + "_bucket{"):
                labels, bound = re.match(r'.*_bucket\{(.*?),?le="([^"]+)"\}$', sample).groups()
                series[labels].append((float(bound), value))
        assert series, name
        for labels, buckets in series.items():
            assert buckets == sorted(buckets) and [value for _, value in buckets] == sorted(value for _, value in buckets)
            assert buckets[-1] == (float("inf"), found[name + "_count" + ("{" + labels + "}" if labels else "")])


@pytest.fixture(scope="module")
def quiet(tmp_path_factory, sandbox):
    """A service that nobody else uses, so that figures can be compared exactly."""
    with Service(tmp_path_factory.mktemp("quiet") / "data", sandbox) as process:
        yield process


def test_every_figure_that_operators_were_promised(service):
    """Those of docs/operations.md, and none that it does not explain."""
    text = (ROOT / "docs/operations.md").read_text()
    table = text[text.index("## Monitoring"):]
    promised = set(re.findall(r"`((?:posthorn|process)_[a-z_]+)", table))
    assert len(promised) >= 40
    service.request("GET", "/healthz")
    there = {re.sub(r"\{.*", "", name) for name in scrape(service)}
    families = {re.sub("(_bucket|_sum|_count)$", "", name) for name in there}
    assert promised <= families
    assert families <= promised


def test_the_contract_names_these(service):
    """design.md 5: names and labels exactly so."""
    service.request("GET", "/healthz")
    there = scrape(service)
    labels = collections.defaultdict(set)
    for name in there:
        family, _, rest = name.partition("{")
        labels[re.sub("(_bucket|_sum|_count)$", "", family)] |= set(re.findall("([a-z]+)=", rest)) - {"le"}
    assert labels["posthorn_deliveries_total"] == {"platform", "outcome", "code"}
    assert labels["posthorn_platform_call_seconds"] == {"platform", "kind"}
    assert labels["posthorn_publish_lateness_seconds"] == {"platform"}
    assert labels["posthorn_http_request_seconds"] == {"route", "code"}
    assert labels["posthorn_commit_seconds"] == set()
    assert labels["posthorn_waiting"] == {"reason"}
    assert labels["posthorn_accounts"] == {"platform", "status"}
    assert labels["posthorn_pool"] == {"pool", "state"}
    outcomes = {re.search('outcome="([a-z]+)"', name)[1] for name in there if name.startswith("posthorn_deliveries_total")}
    assert outcomes == {"published", "partial", "failed", "unknown", "cancelled"}


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool (Debian package prometheus) is not installed")
def test_promtool_has_no_complaint(service):
    done = subprocess.run(["promtool", "check", "metrics"], input=text_of(service), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_process_figures_are_true(service):
    there = scrape(service)
    status = pathlib.Path(f"/proc/{service.popen.pid}/status").read_text()
    resident = int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024
    assert resident / 2 < there["process_resident_memory_bytes"] < resident * 2
    assert 5 < there["process_open_fds"] < there["process_max_fds"]
    assert there["process_threads"] >= 64 and there["process_cpu_seconds_total"] > 0
    assert abs(there["process_start_time_seconds"] - there["posthorn_start_time_seconds"]) < 30
    assert there["process_virtual_memory_bytes"] > there["process_resident_memory_bytes"]


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
    assert after['posthorn_deliveries_total{platform="facebook",outcome="published",code=""}'] == 1
    assert after['posthorn_publish_lateness_seconds_count{platform="facebook"}'] == 1
    assert after['posthorn_publish_lateness_seconds_sum{platform="facebook"}'] < 30
    assert after['posthorn_platform_call_seconds_count{platform="facebook",kind="publish"}'] == 1
    assert after['posthorn_platform_call_seconds_count{platform="facebook",kind="read"}'] >= 1
    assert after['posthorn_http_request_seconds_count{route="/v1/posts/publish",code="202"}'] == 2
    assert after["posthorn_commit_seconds_count"] > before["posthorn_commit_seconds_count"]
    assert after['posthorn_accounts{platform="facebook",status="active"}'] >= 1
    assert 0 < after['posthorn_quota_used_ratio{quota="accounts"}'] <= 0.001


def delivered(there, outcome):
    return {re.search('code="([A-Z_]*)"', name)[1]: value for name, value in there.items()
            if name.startswith("posthorn_deliveries_total") and f'outcome="{outcome}"' in name and value > 0}


def test_every_end_is_counted(quiet, sandbox):
    """Cancelled by a person, refused by the platform, unknown after a lost answer."""
    before = scrape(quiet)
    app = App(quiet, name="ends", owner="ends@example.com").set_credentials("x", "facebook").issue_token()
    account, page = app.account("x"), app.account("facebook")
    cancelled = app.accepted(account, marker("cancelled"), scheduled_at=utc(86400))
    assert app.request("DELETE", f"/v1/posts/{cancelled['post_id']}").status_code == 204
    sandbox.fault("x", "POST", "/2/tweets", "status", status=403, body={"detail": "no", "status": 403})
    app.wait_post(app.accepted(account, marker("refused"))["post_id"])
    sandbox.fault("facebook", "POST", "/v25.0/*/feed", "reset_before")
    lost = app.wait_post(app.accepted(page, marker("lost"))["post_id"])
    after = scrape(quiet)
    assert delivered(before, "cancelled") == delivered(before, "failed") == delivered(before, "unknown") == {}
    assert delivered(after, "cancelled") == {"CANCELLED": 1} and sum(delivered(after, "failed").values()) == 1
    assert lost["platform_posts"][0]["error"]["code"] == "OUTCOME_UNKNOWN"
    assert delivered(after, "unknown") == {"OUTCOME_UNKNOWN": 1}


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
    for path in ("/v1/nothing", "/v1/posts/one", "/media/first"):
        service.request("GET", path)
    before = set(scrape(service))
    for path in ("/v1/nothing-at-all", "/nothing?status=299", "/v1/posts/two", "/api/v1/posts/three", "/media/second"):
        service.request("GET", path, headers={"X-Request-Id": "metrics-label"})
    assert {re.sub('status="[0-9]{3}"', "", name) for name in scrape(service)} == {re.sub('status="[0-9]{3}"', "", name) for name in before}


def test_a_service_that_does_not_run_has_none(tmp_path):
    done = cli("metrics", "--data", tmp_path / "data")
    assert done.returncode == 1 and done.stdout == ""
    assert "posthorn: The service does not run here" in done.stderr
