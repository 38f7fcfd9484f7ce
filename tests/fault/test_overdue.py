# SPDX-License-Identifier: Apache-2.0
"""Downtime is never a platform's refusal: what is overdue by three days goes out at the platforms' pace, once, and nothing fails
for its age. POSTHORN_LONG=1 has 10,000 posts."""
import json
import time
import uuid

import pytest

from fault_harness import IS_LONG, Control
from harness import App, Sandbox, Service, poll, utc

DOWN_S = 3 * 86400
DUE_S = 3 * 3600  # until they are due: 10,000 are accepted meanwhile
QUOTA_S = 16 * 60  # after that long X and Facebook take more posts
COUNTS = {"x": 400, "facebook": 8000, "linkedin": 1600} if IS_LONG else {"x": 40, "facebook": 160, "linkedin": 40}


@pytest.fixture
def sandbox():
    with Sandbox() as process:
        yield process


def test_what_is_overdue_by_three_days_goes_out(tmp_path, sandbox):
    control, data, begin = Control(tmp_path / "control"), tmp_path / "data", time.monotonic()

    def start():
        return Service(data, sandbox, ["--time-scale", "1000"], environment=control.environment)

    service = start()
    app = App(service).set_credentials(*COUNTS).issue_token()
    accounts = {slug: [item["id"] for item in app.connect(slug, f"user-{slug}").accounts] for slug in COUNTS}
    texts, due_at = [], utc(DUE_S)
    for slug, count in COUNTS.items():
        for number in range(count):
            texts.append(f"overdue {slug} {number} {uuid.uuid4().hex[:10]}")
            app.accepted(accounts[slug][number % len(accounts[slug])], texts[-1], scheduled_at=due_at)
    accepted_s = time.monotonic() - begin
    service.stop()
    control["clock_s"] += DUE_S + DOWN_S
    sandbox.advance(DUE_S + DOWN_S)
    service = app.service = start()

    def all_out():
        left = sum(app.list(status=status)["meta"]["total"] for status in ("scheduled", "pending"))
        sandbox.advance(QUOTA_S)
        return left == 0

    poll("everything is final", all_out, 1800, every_s=2)
    out_s = time.monotonic() - begin - accepted_s
    published, failed = (app.list(status=status)["meta"]["total"] for status in ("published", "failed"))
    print(f"\n{len(texts)} posts accepted in {accepted_s:.0f} s, out in {out_s:.0f} s: {published} published, {failed} failed")
    assert failed == 0, json.dumps(app.list(status="failed", per_page=3)["data"], indent=1)
    assert published == len(texts)
    seen = [entry["text"] for entry in sandbox.ledger()]
    assert sorted(seen) == sorted(texts)
    service.stop()
