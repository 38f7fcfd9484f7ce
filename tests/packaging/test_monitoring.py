# SPDX-License-Identifier: Apache-2.0
"""What is shipped for Prometheus and Grafana: every rule has its test, its row in operations.md, and figures that there are; with --long
a real Prometheus reads a real service and runs every panel's query."""
import json
import os
import re
import shutil
import socket
import subprocess

import pytest
import requests

from harness import ROOT, App, Service, marker, poll

RULES = ROOT / "packaging/prometheus/posthorn.rules.yml"
DASHBOARD = json.loads((ROOT / "packaging/grafana/posthorn.json").read_text())
long = pytest.mark.skipif(os.environ.get("POSTHORN_LONG") != "1", reason="takes a minute: ./dev test --long")
needs_prometheus = pytest.mark.skipif(shutil.which("promtool") is None, reason="the Debian package prometheus is not installed")
FIGURE = re.compile(r"\b(?:posthorn|process)_[a-z_]+\b")


def alarms():
    return re.findall(r"- alert: (\w+)", RULES.read_text())


def queries():
    return [(panel["title"], target["expr"]) for panel in DASHBOARD["panels"] for target in panel.get("targets", [])]


@needs_prometheus
def test_rules_are_good_and_raise_what_they_say():
    for command in (["check", "rules", RULES.name], ["test", "rules", "posthorn.rules.test.yml"]):
        done = subprocess.run(["promtool", *command], cwd=RULES.parent, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_alarm_has_a_test_and_says_what_to_do():
    tests = (RULES.parent / "posthorn.rules.test.yml").read_text()
    documented = re.findall(r"^\| `(Posthorn\w+)` \|", (ROOT / "docs/operations.md").read_text(), re.M)
    assert len(alarms()) > 15 and documented == alarms()
    assert [name for name in alarms() if f"  - name: {name}\n" not in tests] == []


def test_rules_and_panels_use_figures_that_there_are(start_service):
    there = set(FIGURE.findall(start_service(None).metrics()))
    used = set(FIGURE.findall(RULES.read_text())) | {name for _, query in queries() for name in FIGURE.findall(query)}
    assert len(used) > 30 and used - there == set()


def test_the_dashboard_has_what_is_asked_of_it():
    rows = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
    assert rows == ["Now", "Rate", "Errors", "Duration", "Saturation"]
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"]) > 25
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)


@pytest.fixture
def prometheus(tmp_path, sandbox):
    """A Prometheus that reads a service that works, every second: ask(path, **parameters)."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    with Service(tmp_path / "data", sandbox, ["--metrics-listen", "127.0.0.1:0"]) as service:
        target = service.side_url("metrics").split("//")[1]
        (tmp_path / "prometheus.yml").write_text(
            f"global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [{RULES}]\n"
            f"scrape_configs: [{{job_name: posthorn, static_configs: [{{targets: ['{target}']}}]}}]\n")
        with open(tmp_path / "log", "wb") as log, subprocess.Popen(
                ["prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/tsdb",
                 f"--web.listen-address={address}"], stdout=log, stderr=log) as process:

            def ask(path, **parameters):
                try:
                    answer = requests.get(f"http://{address}/api/v1/{path}", params=parameters, timeout=10)
                except requests.ConnectionError:
                    assert process.poll() is None, (tmp_path / "log").read_text()
                    return None
                assert answer.status_code in (200, 503), answer.text
                return answer.json()["data"] if answer.status_code == 200 else None

            yield service, ask
            process.terminate()


@long
@needs_prometheus
def test_a_real_prometheus_runs_every_query(prometheus):
    service, ask = prometheus
    app = App(service).set_credentials("x").issue_token()
    account = app.account("x")
    service.request("GET", "/nothing")  # an answer that is an error
    for _ in range(3):
        app.published(account, marker("panel"))
    poll("Prometheus has read it", lambda: (found := ask("query", query='up{job="posthorn"} == 1')) and found["result"])
    poll("it has seen a rate", lambda: (found := ask("query", query="rate(posthorn_http_request_seconds_count[1m])")) and found["result"])
    empty = []
    for title, query in queries():
        found = ask("query", query=query.replace("$__rate_interval", "1m").replace("$instance", ".+"))
        if not found["result"]:
            empty.append(title)
    # nothing failed, nothing waits late
    assert set(empty) <= {"Failed posts an hour, by code", "Late at a closed gate"}
    loaded = [rule["name"] for group in ask("rules")["groups"] for rule in group["rules"]]
    assert loaded == alarms()
    assert not [alert for alert in ask("alerts")["alerts"] if alert["state"] == "firing"]
