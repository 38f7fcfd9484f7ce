# SPDX-License-Identifier: Apache-2.0
"""The programs in the clients' READMEs, each run as it stands there, against the running service."""
import re

import pytest
import requests

from harness import HTTP_S, ROOT, App, marker, poll, with_query

RUN_S = 60


@pytest.fixture(scope="module")
def reader(service):
    """Somebody who reads the README: an app with an account on X."""
    app = App(service, name="reader", owner="reader@example.com").set_credentials("x", "linkedin").issue_token()
    app.one = app.connect("x").accounts[0]["id"]
    return app


def program_of(package, heading, number=0):
    """A program of the README, by the heading that it stands under."""
    text = (ROOT / "clients" / package.name / "README.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]
    return re.findall(rf"```{package.language}\n(.*?)```", section, re.S)[number]


def begin(package, app, heading, number=0, **more):
    known = {"POSTHORN_URL": app.service.url, "POSTHORN_TOKEN": app.token, **more}
    return package.snippet(program_of(package, heading, number), **known)


def run(package, app, heading, number=0, **more):
    process = begin(package, app, heading, number, **more)
    out, err = process.communicate(timeout=RUN_S)
    assert process.returncode == 0, out + err
    return out


def line_of(process, word):
    for line in process.stdout:
        if line.startswith(word):
            return line[len(word):].strip()
    raise AssertionError(f"ended without {word!r}: {process.stderr.read()}")


def test_every_program_is_run(package):
    text = (ROOT / "clients" / package.name / "README.md").read_text(encoding="utf-8")
    assert text.count(f"```{package.language}\n") == package.programs


def test_quick_start(package, reader, sandbox):
    assert re.match(r"published https://x.com/\S+\n$", run(package, reader, "Quick start"))
    text = re.search('content"?: "(.*?)"', program_of(package, "Quick start"))[1]
    assert len(sandbox.ledger(text)) == 1


def test_credentials(package, service):
    app = App(service, name="credentials", owner="reader@example.com").set_credentials("x")
    more = {"POSTHORN_TOKEN": "", "POSTHORN_CLIENT_ID": app.client_id, "POSTHORN_CLIENT_SECRET": app.client_secret}
    assert run(package, app, "Quick start", 1, **more) == "Posts go to: sandbox\n"


def test_the_same_awaited(package, reader, sandbox):
    if package.language != "python":
        return  # there is nothing else
    assert run(package, reader, "Quick start", 2).splitlines()[-1] == "published"
    assert sandbox.ledger("And the milk.")


def test_connect(package, reader):
    process = begin(package, reader, "Connect an account")
    consent = requests.get(with_query(line_of(process, "Open:"), sandbox_decision="allow"), allow_redirects=False, timeout=HTTP_S)
    requests.get(consent.headers["Location"], allow_redirects=False, timeout=HTTP_S)
    out, err = process.communicate(timeout=RUN_S)
    assert process.returncode == 0 and out.startswith("success ["), out + err


def test_files(package, reader, media):
    (package.directory / "picture.jpg").write_bytes(media.picture)
    out = run(package, reader, "Files, and posts at a time")
    assert out.startswith("0 %\n") and "100 %\nscheduled " in out
    post = reader.list()["data"][0]
    assert post["containers"][0]["media"][0]["alt_text"] == "A loaf" and post["platform_posts"][0]["account_id"] == reader.one


def test_a_link(package, reader):
    found = re.search(r"media_id for the post: (med_\S+)", run(package, reader, "Files, and posts at a time", 1))
    assert reader.get(f"/v1/media/{found[1]}").json()["data"]["file_name"] == "slides.pdf"


def test_what_happened(package, reader):
    text = marker("seen")
    post = reader.published(reader.one, text)
    out = run(package, reader, "What happened")
    assert f"Published: {post['id']} {text}\n" in out and re.search(r"^Event: \d+ post.completed$", out, re.M)
    assert re.search(r"^Refused: INVALID_ACCOUNT \S+ .* request [0-9A-Za-z._-]+$", out, re.M), out


def test_webhooks(package, reader):
    """A genuine call, and one that somebody else made up."""
    # Its address must be known before the secret is: it is told a moment later.
    taken = begin(package, reader, "Webhooks", WEBHOOK_SECRET="whsec_AAAA", PORT="0")
    port = line_of(taken, "Listening:")
    taken.kill()
    taken.communicate()
    made = reader.post("/v1/webhooks", json={"url": f"http://127.0.0.1:{port}/", "events": ["post.completed"]})
    assert made.status_code == 201, made.text
    hook = made.json()["data"]
    process = begin(package, reader, "Webhooks", WEBHOOK_SECRET=hook["secret"], PORT=port)
    try:
        line_of(process, "Listening:")
        forged = {"webhook-id": "msg_1", "webhook-timestamp": "1700000000", "webhook-signature": "v1,AAAA"}
        assert requests.post(f"http://127.0.0.1:{port}/", data="{}", headers=forged, timeout=HTTP_S).status_code == 401
        event_id = reader.post(f"/v1/webhooks/{hook['id']}/test").json()["data"]["event_id"]
        assert line_of(process, "Event:") == f"test {event_id}"
        log = f"/v1/webhooks/{hook['id']}/deliveries"
        poll("the delivery succeeded", lambda: reader.get(log).json()["data"][0]["state"] == "succeeded")
    finally:
        process.kill()
        process.communicate()
        reader.request("DELETE", f"/v1/webhooks/{hook['id']}")


def test_the_install_line_names_the_package(package):
    text = (ROOT / "clients" / package.name / "README.md").read_text(encoding="utf-8")
    assert package.install in text
