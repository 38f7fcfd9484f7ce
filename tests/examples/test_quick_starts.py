# SPDX-License-Identifier: Apache-2.0
"""The client examples, each run as a customer would: against a service with a sandbox, with this test as the person who opens the
consent page and presses Allow."""
import json
import re
import shutil
import subprocess

import pytest
import requests

from harness import HTTP_S, ROOT, App, clean_environment, poll, with_query

EXAMPLES = ROOT / "examples"
RUN_S = 90


def compiled(directory):
    """publish.c built by the command that stands in the README."""
    command = re.search(r"`(cc -o publish \S+publish\.c [^`]*?) &&", (EXAMPLES / "README.md").read_text())[1]
    command = command.replace("-o publish ", f"-Wall -Wextra -Werror -o {directory}/publish ")
    subprocess.run(["sh", "-c", command], cwd=ROOT, check=True, timeout=120)
    return [str(directory / "publish")]


COMMANDS = {
    "curl": lambda directory: ["sh", str(EXAMPLES / "curl.sh")],
    "python": lambda directory: ["/usr/bin/python3", str(EXAMPLES / "publish.py")],
    "node": lambda directory: [need("node"), str(EXAMPLES / "publish.mjs")],
    "c": compiled,
}


def need(program):
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


@pytest.fixture(scope="module")
def example_app(service):
    return App(service, name="examples", owner="examples@example.com").set_credentials("x", "facebook", "linkedin")


def begin(command, app, tmp_path, **more):
    variables = {"POSTHORN": app.service.url, "CLIENT_ID": app.client_id, "CLIENT_SECRET": app.client_secret, **more}
    return subprocess.Popen(command, cwd=tmp_path, env=clean_environment(variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def line_of(process, word):
    """The rest of the next line that begins with the word."""
    for line in process.stdout:
        if line.startswith(word):
            return line[len(word):].strip()
    raise AssertionError(f"ended without {word!r}: {process.stderr.read()}")


def browse(url, decision="allow"):
    """Consent, and back to the service."""
    consent = requests.get(with_query(url, sandbox_decision=decision), allow_redirects=False, timeout=HTTP_S)
    requests.get(consent.headers["Location"], allow_redirects=False, timeout=HTTP_S)


@pytest.mark.parametrize("platform", ["linkedin", "facebook"])
@pytest.mark.parametrize("language", COMMANDS)
def test_walk(example_app, sandbox, tmp_path, language, platform):
    process = begin(COMMANDS[language](tmp_path), example_app, tmp_path, PLATFORM=platform)
    browse(line_of(process, "Open:"))
    out, err = process.communicate(timeout=RUN_S)
    assert process.returncode == 0, out + err
    text = re.search(r"^Listed: [0-9a-f-]{36} published (Hello from \w+, \S+)$", out, re.M)
    assert text, out
    assert "Connected: " in out and "Post: published" in out
    assert [post["platform"] for post in sandbox.ledger(text=text[1])] == [platform]


@pytest.mark.parametrize("language", COMMANDS)
def test_a_user_who_refuses_is_told(example_app, tmp_path, language):
    process = begin(COMMANDS[language](tmp_path), example_app, tmp_path)
    browse(line_of(process, "Open:"), "deny")
    out, err = process.communicate(timeout=RUN_S)
    assert process.returncode != 0
    assert "access_denied" in out + err


@pytest.mark.parametrize("language", COMMANDS)
def test_wrong_credentials_end_it(example_app, tmp_path, language):
    process = begin(COMMANDS[language](tmp_path), example_app, tmp_path, CLIENT_SECRET="phs_wrong")
    out, err = process.communicate(timeout=RUN_S)
    assert process.returncode != 0
    assert "Open:" not in out and ("invalid_client_secret" in out + err)


# ---- receivers of webhooks ----

RECEIVERS = {
    "python": lambda: ["/usr/bin/python3", str(EXAMPLES / "webhook.py"), "0"],
    "node": lambda: [need("node"), str(EXAMPLES / "webhook.mjs"), "0"],
}
# The example of the standard's own libraries.
VECTOR = {
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "timestamp": "1614265330",
    "body": b'{"test": 2432232314}',
    "signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


@pytest.fixture
def receivers(tmp_path):
    """start(language, secret): a running receiver; its url stands in .url."""
    started = []

    def start(language, secret):
        variables = clean_environment({"WEBHOOK_SECRET": secret})
        process = subprocess.Popen(RECEIVERS[language](), cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        process.url = f"http://127.0.0.1:{line_of(process, 'Listening:')}/"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("language", RECEIVERS)
def test_receiver_takes_what_the_service_sends(language, receivers, tmp_path, sandbox, start_service):
    """The secret is known only when the webhook is there, so the receiver begins behind a port that is kept for it."""
    app = App(start_service(sandbox), name="hooks").set_credentials("x").issue_token()
    hook = app.post("/v1/webhooks", json={"url": "http://127.0.0.1:1/"}).json()["data"]
    receiver = receivers(language, hook["secret"])
    assert app.request("PATCH", f"/v1/webhooks/{hook['id']}", json={"url": receiver.url}).status_code == 200
    event_id = app.post(f"/v1/webhooks/{hook['id']}/test").json()["data"]["event_id"]
    assert line_of(receiver, "Event:") == f"test {event_id}"
    log = poll("the call is in the log", lambda: [
        row for row in app.get(f"/v1/webhooks/{hook['id']}/deliveries").json()["data"] if row["state"] != "pending"])
    assert [row["state"] for row in log] == ["succeeded"] and log[0]["tries"][-1]["status"] == 204


CHANGES = {
    "another body": {"body": VECTOR["body"].replace(b"2", b"3")},
    "another id": {"webhook-id": "msg_other"},
    "another time": {"webhook-timestamp": "1614265331"},
    "no signature": {"webhook-signature": None},
    "an empty signature": {"webhook-signature": "v1,"},
    "another version": {"webhook-signature": VECTOR["signature"].replace("v1", "v1a")},
    "time that is no number": {"webhook-timestamp": "soon"},
    "no id": {"webhook-id": None},
}


def genuine_in(language, now, headers, body):
    """What the example's own function says, at a time of our choice."""
    if language == "python":
        code = "import sys, json; sys.path.insert(0, sys.argv[1]); import webhook; h, s, n = json.loads(sys.argv[2]); print(webhook.is_genuine(s, h, sys.stdin.buffer.read(), n))"
        command = ["/usr/bin/python3", "-B", "-c", code]
    else:
        code = f"const {{ isGenuine }} = await import({str(EXAMPLES / 'webhook.mjs')!r});"
        code += "const [h, s, n] = JSON.parse(process.argv[2]); const c = []; for await (const x of process.stdin) c.push(x);"
        code += "console.log(isGenuine(s, h, Buffer.concat(c), n) ? 'True' : 'False'); process.exit()"
        command = [need("node"), "--input-type=module", "-e", code]
    arguments = [str(EXAMPLES), json.dumps([headers, VECTOR["secret"], now])]
    done = subprocess.run([*command, *arguments], input=body, capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().split()[-1] == "True"


def vector_headers():
    return {"webhook-id": VECTOR["id"], "webhook-timestamp": VECTOR["timestamp"], "webhook-signature": VECTOR["signature"]}


@pytest.mark.parametrize("language", RECEIVERS)
def test_published_vector(language):
    now = int(VECTOR["timestamp"])
    assert genuine_in(language, now, vector_headers(), VECTOR["body"])
    rotating = {**vector_headers(), "webhook-signature": "v1,AAAA " + VECTOR["signature"]}
    assert genuine_in(language, now + 299, rotating, VECTOR["body"])
    assert not genuine_in(language, now + 301, vector_headers(), VECTOR["body"])
    assert not genuine_in(language, now - 301, vector_headers(), VECTOR["body"])


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("language", RECEIVERS)
def test_forgeries(language, change):
    headers = {**vector_headers(), **{name: value for name, value in change.items() if name != "body"}}
    headers = {name: value for name, value in headers.items() if value is not None}
    assert not genuine_in(language, int(VECTOR["timestamp"]), headers, change.get("body", VECTOR["body"]))


@pytest.mark.parametrize("language", RECEIVERS)
def test_receiver_refuses_a_forgery(language, receivers):
    receiver = receivers(language, VECTOR["secret"])
    answer = requests.post(receiver.url, data=VECTOR["body"], headers=vector_headers(), timeout=HTTP_S)
    assert answer.status_code == 401, "signed well, years ago"


def test_readme_names_every_example():
    text = (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.iterdir():
        assert path.name == "README.md" or f"]({path.name})" in text, path.name
