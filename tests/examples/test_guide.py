# SPDX-License-Identifier: Apache-2.0
"""The guide of /docs as a newcomer uses it: every shell block, taken from the page that the service serves, pasted one after the
other, publishes a thread with a picture on three platforms. And its Python function tells a genuine webhook call from another."""
import html
import re
import subprocess

import pytest

from harness import App, clean_environment

GUIDE = ("begin", "token", "connect", "publish", "status", "hooks")


@pytest.fixture(scope="module")
def page(service):
    answer = service.request("GET", "/docs")
    assert answer.status_code == 200
    return answer.text


def blocks(page, kind):
    """The texts of the guide's blocks of this kind, as they stand on the page."""
    articles = [re.search(rf'<article class="operation" id="{name}">(.*?)</article>', page, re.S)[1] for name in GUIDE]
    found = re.findall(rf'<pre tabindex="0" class="{kind}"><code>(.*?)</code></pre>', "".join(articles), re.S)
    return [html.unescape(text) for text in found]


def test_newcomer_publishes_a_thread_with_media_to_three_platforms(page, start_service, start_sandbox, media, tmp_path):
    sandbox = start_sandbox()  # its own: the guide waits for its post as long as it takes
    service = start_service(sandbox)
    app = App(service, name="newcomer", owner="newcomer@example.com").set_credentials("x", "facebook", "linkedin")
    shell = blocks(page, "sh")
    assert len(shell) == 8
    script = "set -eu\n" + "\n".join(shell)
    for placeholder, value in {
        "http://127.0.0.1:8080": service.url,
        "phc_your_client_id": app.client_id,
        "phs_your_client_secret": app.client_secret,
        "https://customer.example/picture.jpg": media.image()["url"],
    }.items():
        assert script.count(placeholder) == 1
        script = script.replace(placeholder, value)
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Open: http") == 3 and done.stdout.count("Back at: https://customer.example/connected?") == 3
    lines = done.stdout.split()
    assert "published" in lines and lines[-1].startswith("whsec_")
    ids = re.findall(r"^([0-9a-f-]{36}) ([0-9a-f-]{36}) ([0-9a-f-]{36})$", done.stdout, re.M)
    app.issue_token()
    post = app.list()["data"][0]
    assert post["status"] == "published" and [one["account_id"] for one in post["platform_posts"]] == list(ids[0])
    seen = [entry for entry in sandbox.ledger() if entry["id"] in {one["platform_post_id"] for one in post["platform_posts"]}]
    assert sorted(entry["platform"] for entry in seen) == ["facebook", "linkedin", "x"]
    assert all("The harbour at night." in entry["text"] for entry in seen)


def test_return_page_of_the_guide(page):
    """It confirms for the user of the session, and does nothing with a forwarded link."""
    confirmed = []

    class Answer:
        def raise_for_status(self):
            confirmed.append(True)

    class Requests:
        @staticmethod
        def post(url, headers, json, timeout):
            confirmed.append((url, headers["Authorization"], json))
            return Answer()

    class Request:
        query = {"connection_id": "conn_1", "status": "success", "confirmation_token": "pcf_1"}

    names = {"requests": Requests, "POSTHORN": "http://posthorn.example", "TOKEN": "pht_1"}
    exec(blocks(page, "python")[0], names)  # noqa: S102 - what a reader would paste
    names["connected"](Request, {"connection_id": "conn_2", "user_id": "victim"})
    assert confirmed == []
    names["connected"](Request, {"connection_id": "conn_1", "user_id": "user-42"})
    assert confirmed == [("http://posthorn.example/v1/connections/conn_1/confirm", "Bearer pht_1",
                          {"confirmation_token": "pcf_1", "user_id": "user-42"}), True]


def test_python_function_of_the_guide(page):
    from test_quick_starts import VECTOR, vector_headers

    names = {}
    exec(blocks(page, "python")[1], names)  # noqa: S102 - what a reader would paste
    now = int(VECTOR["timestamp"])
    names["time"] = type("Clock", (), {"time": staticmethod(lambda: now + 10)})
    assert names["is_genuine"](VECTOR["secret"], vector_headers(), VECTOR["body"])
    assert not names["is_genuine"](VECTOR["secret"], vector_headers(), VECTOR["body"] + b" ")
    assert not names["is_genuine"](VECTOR["secret"], {}, VECTOR["body"])
    names["time"] = type("Clock", (), {"time": staticmethod(lambda: now + 400)})
    assert not names["is_genuine"](VECTOR["secret"], vector_headers(), VECTOR["body"])
