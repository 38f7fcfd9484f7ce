# SPDX-License-Identifier: Apache-2.0
"""What a platform calls a post is data from outside (src/platform/answer.h): an id that cannot be one is as good as a lost answer,
and the post is looked up instead."""
import pytest

from harness import App, Service, marker

HOSTILE = {
    "a header": "1\r\nX-Injected: yes\r\n\r\n../../x?y#z",
    "another path": "../../2/users/me",
    "a page": "<script>alert(1)</script>",
    "900,000 digits": "1" * 900000,
}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory, sandbox):
    with Service(tmp_path_factory.mktemp("hostile") / "data", sandbox, ["--time-scale", "1000"]) as process:
        yield App(process, name="hostile").set_credentials("x").issue_token()


@pytest.mark.parametrize("name", HOSTILE)
def test_an_id_that_cannot_be_one(hasty, sandbox, name):
    account, text = hasty.account("x"), marker("hostile")
    sandbox.fault("x", "POST", "/2/tweets", "status_after", status=201, body={"data": {"id": HOSTILE[name], "text": text}})
    post = hasty.published(account, text)
    shown = post["platform_posts"][0]
    entry = next(entry for entry in sandbox.ledger() if entry["text"] == text)
    assert shown["platform_post_id"] == entry["id"] and shown["url"].endswith(entry["id"])
    assert sum(entry["text"] == text for entry in sandbox.ledger()) == 1
