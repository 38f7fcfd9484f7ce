# SPDX-License-Identifier: Apache-2.0
"""The rest of the command line for people (docs/command-line.md): verbs of two words, accounts one by one, webhooks, events, tokens."""
import http.server
import json
import re
import threading

import pytest
import requests

from harness import HTTP_S, PLATFORMS, App, cli, marker, stores_nothing, utc
from test_frame import ROWS, verbs
from test_person import NOBODY, Person, jo, post_id_of  # noqa: F401 - a fixture
from test_webhooks import Receiver

ID = "01a20000-0000-7000-8000-000000000001"
# What follows the verb, where it needs something.
WORDS = {
    "post": ["text", "--to", ID], "validate": ["text", "--to", ID], "connect": ["x", "--no-browser"],
    "show": [ID], "explain": [ID], "cancel": [ID], "retry": [ID], "unpublish": [ID], "reschedule": [ID, "--now"],
    "retryPosts": ["--since", "1h"],
    "edit": [ID, "--at", "+1h", "--if-match", '"a"'], "connection": [ID], "confirm": [ID],
    "export": [ID], "erase": [ID, "--confirm", ID], "accounts show": [ID], "accounts check": [ID], "accounts disconnect": [ID],
    "webhooks create": ["https://a.example/"], "upload": [__file__],
    **{f"media {word}": [ID] for word in ("show", "download", "delete")},
    "drafts create": ["text", "--to", ID], "drafts change": [ID, "--text", "a"], "drafts reject": [ID, "--reason", "a"],
    **{f"drafts {word}": [ID] for word in ("show", "delete", "publish")},
    "webhooks change": [ID, "--enable"], **{f"webhooks {word}": [ID] for word in ("show", "delete", "rotate", "test", "log")},
}
SECONDS = [verb for verb in verbs() if " " in verb]


# ---- routes ----


class Refusing(http.server.BaseHTTPRequestHandler):
    """A service that refuses all, and remembers what was asked."""

    def refuse(self):
        self.server.calls.append((self.command, self.path.split("?")[0], self.headers["Authorization"].split()[0]))
        body = b'{"message":"No.","error":"FORBIDDEN"}'
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = refuse  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def refusing():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    server.calls = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


COMMANDED = [row for row in ROWS if row[5] not in ("BROWSER", "PLATFORM", "PROTOCOL") and row[4] != "beginConnection"]


@pytest.mark.parametrize("row", COMMANDED, ids=lambda row: row[4])
def test_the_verb_of_a_route_calls_it(refusing, row):
    method, path, who, _, operation, verb, _ = row
    environment = {"POSTHORN_URL": f"http://127.0.0.1:{refusing.server_address[1]}", "POSTHORN_TOKEN": "phk_a",
                   "POSTHORN_CLIENT_ID": "id", "POSTHORN_CLIENT_SECRET": "secret"}
    done = cli(*verb.split(), *WORDS.get(operation, WORDS.get(verb, [])), environment=environment, stdin="token")
    assert done.returncode == 1 and "FORBIDDEN" in done.stderr, done
    assert refusing.calls == [(method, "/v1" + re.sub(r"\{\w+\}", ID, path), who.capitalize())]


# ---- two words ----


@pytest.mark.parametrize("verb", sorted(SECONDS))
def test_help_of_two_words(verb):
    two = verb.split()
    for words in ([*two, "--help"], ["--json", *two, "-h"], ["help", *two], [*two, "--help", "--nonsense"]):
        done = cli(*words)
        assert done.returncode == 0 and done.stderr == "", words
        assert done.stdout.startswith(f"  posthorn {verb} "), words
    assert f"posthorn {verb}" in cli(two[0], "--help").stdout and f"posthorn {verb}" in cli("help").stdout


@pytest.mark.parametrize("words, part", [
    (["accounts", "shoow", "id"], "did you mean accounts show?"),
    (["accounts", "17"], "after accounts comes one of: show, check, disconnect"),
    (["accounts", "show"], "ACCOUNT_ID is missing"),
    (["accounts", "show", "a", "b"], "one word"),
    (["accounts", "check", "a", "--page", "2"], "accounts check has no flag --page"),
    (["reschedule", NOBODY], "either --at TIME or --now"),
    (["reschedule", NOBODY, "--at", "+1h", "--now"], "either --at TIME or --now"),
    (["reschedule", NOBODY, "--at", "soon"], "is no time"),
    (["reschedule", "--now"], "POST_ID is missing: posthorn reschedule POST_ID --at TIME"),
    (["edit", NOBODY], "say what changes"),
    (["edit", "--text", "a"], "POST_ID is missing: posthorn edit POST_ID"),
    (["edit", NOBODY, "--at", "+1h", "--now"], "either --at TIME or --now"),
    (["edit", NOBODY, "--at", "soon"], "is no time"),
    (["edit", NOBODY, "--media", "https://a.example/a.jpg", "--no-media"], "do not go together"),
    (["edit", NOBODY, "--comment", "a", "--no-comment"], "do not go together"),
    (["edit", NOBODY, "--media", "a.jpg"], "a.jpg: No such file"),
    (["edit", NOBODY, "--text", "a", "--alt", "a"], "--alt"),
    (["edit", NOBODY, "--option", "myspace.a=1"], "myspace"),
    (["retry"], "say which: a post's id, or --error-code CODE"),
    (["retry", "--republish"], "say which"),
    (["retry", NOBODY, "--dry-run"], "leave the post's id out"),
    (["retry", "--since", "soon"], "is no time"),
    (["retry", "--since", "+2h"], "is no time"),
    (["retry", "--since", "2h", "--expect", "many"], "is no number"),
    (["retry", "--since", "2h", "--wait"], "are for one post"),
    (["platforms", "linkdin"], "did you mean linkedin?"),
    (["events", "all"], "flags only"),
    (["webhooks", "creat", "https://a.example/"], "did you mean webhooks create?"),
    (["webhooks", "change", NOBODY], "nothing is to change"),
    (["webhooks", "change", NOBODY, "--enable", "--disable"], "do not go together"),
    (["webhooks", "create", "https://a.example/", "--events", "post.publish.succeedeed"], "did you mean post.publish.succeeded?"),
])
def test_wrong_use(jo, words, part):  # noqa: F811
    with stores_nothing(jo.app):
        said = jo.wrong(*words)
    assert part in said and f"see `posthorn {words[0]}" in said


# ---- accounts ----


def test_one_account(jo):  # noqa: F811
    account = jo.json("accounts")["data"][0]["id"]
    shown = jo.out("accounts", "show", account)
    assert "x:jodoe" in shown and "tweet.write" in shown and re.search(r"^Status +active$", shown, re.M)
    assert jo.json("accounts", "show", account)["data"]["id"] == account
    assert jo.out("accounts", "check", account) == "x jodoe: the token works.\nThe account is active.\n"
    assert jo.json("accounts", "check", account)["data"]["ok"] is True
    assert "Disconnected" in jo.out("accounts", "disconnect", account)
    assert jo.out("accounts", "disconnect", account, "--json") == ""  # again is 204 too, and a 204 has no body
    assert "posthorn connect x" in jo.out("accounts", "show", account)
    assert "does not work" in jo.run("accounts", "check", account, status=1).stdout


@pytest.mark.parametrize("verb", ["show", "check", "disconnect"])
@pytest.mark.parametrize("account", [NOBODY, "../posts", "a/b?c=d"])
def test_no_such_account(jo, verb, account):  # noqa: F811
    assert "NOT_FOUND" in jo.fails("accounts", verb, account)
    answer = jo.run("accounts", verb, account, "--json", status=1)
    assert json.loads(answer.stdout)["error"] == "NOT_FOUND" and answer.stderr == ""


# ---- webhooks ----


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


def test_a_webhook_from_its_creation_to_its_end(jo, receiver):  # noqa: F811
    made = jo.run("webhooks", "create", receiver.url + "/hook", "--events", "post.completed,test")
    webhook, secret = (re.search(rf"^{head} +(\S+)$", made.stdout, re.M).group(1) for head in ("Webhook", "Secret"))
    assert secret.startswith("whsec_") and "shown only now" in made.stderr
    table = jo.out("webhooks")
    assert webhook in table and receiver.url + "/hook" in table and "post.completed, test" in table and " on " in table
    assert re.fullmatch(r"The receiver took it: 204 in \d+ ms\.\n", jo.out("webhooks", "test", webhook))
    assert [body["type"] for body in receiver.bodies("/hook")] == ["test"]
    receiver.answers.append(500)
    assert "did not take it: 500 in" in jo.run("webhooks", "test", webhook, status=1).stdout
    log = jo.out("webhooks", "log", webhook)
    assert "succeeded" in log and "pending" in log and "500 in" in log
    older = jo.out("webhooks", "log", webhook, "--limit", "1")
    assert older.count("  test  ") == 1
    further = re.search(r"^older ones: posthorn (.*)$", older, re.M).group(1)
    assert "succeeded" in jo.out(*further.split())
    rotated = jo.json("webhooks", "rotate", webhook)["data"]["secret"]
    assert rotated not in ("", secret) and rotated not in jo.out("webhooks", "show", webhook)
    changed = jo.out("webhooks", "change", webhook, "--address", receiver.url + "/new", "--events", "test", "--disable")
    assert re.search(r"^State +off$", changed, re.M) and receiver.url + "/new" in changed
    assert "WEBHOOK_DISABLED" in jo.fails("webhooks", "test", webhook)
    assert jo.json("webhooks", "change", webhook, "--enable")["data"]["enabled"] is True
    assert jo.out("webhooks", "delete", webhook) == f"Deleted: nothing more is sent to webhook {webhook}.\n"
    assert "NOT_FOUND" in jo.fails("webhooks", "delete", webhook)
    assert jo.json("webhooks")["data"] == []


def test_a_webhook_for_programs(jo, receiver):  # noqa: F811
    made = jo.run("webhooks", "create", receiver.url, "--disable", "--json")
    data = json.loads(made.stdout)["data"]
    assert data["secret"].startswith("whsec_") and data["enabled"] is False and made.stderr == ""
    assert len(data["events"]) > 5 and re.search(r"^Events +all$", jo.out("webhooks", "show", data["id"]), re.M)
    assert jo.json("webhooks", "show", data["id"])["data"] == {key: value for key, value in data.items() if key != "secret"}
    jo.run("webhooks", "change", data["id"], "--enable")
    assert set(jo.json("webhooks", "test", data["id"])["data"]) == {"event_id"}
    assert set(jo.json("webhooks", "log", data["id"])) == {"data", "meta"}
    assert jo.out("webhooks", "delete", data["id"], "--json") == ""
    with stores_nothing(jo.app):
        said = jo.fails("webhooks", "create", "ftp://a.example/")
    assert "VALIDATION_ERROR, url" in said


@pytest.mark.parametrize("words", [["show"], ["change", "--enable"], ["delete"], ["rotate"], ["test"], ["log"]])
@pytest.mark.parametrize("webhook", [NOBODY, "../posts", "a/b?c=d"])
def test_no_such_webhook(jo, words, webhook):  # noqa: F811
    assert "NOT_FOUND" in jo.fails("webhooks", words[0], webhook, *words[1:])


# ---- edit, retry of many ----


def test_edit(jo, media):  # noqa: F811
    text, picture = marker("edited"), media.image()
    post_id = jo.json("post", marker("before"), "--to", "x", "--at", "+2d")["data"]["post_id"]
    shown = jo.out("edit", post_id, "--text", text, "--media", picture["url"], "--alt", "A loaf", "--at", "2027-03-01T01:00+01:00")
    assert text in shown and picture["url"] in shown and "2027-03-01T00:00:00Z" in shown and "ETag" in shown
    [container] = jo.app.show(post_id)["containers"]
    assert container["content"] == text and container["media"][0]["alt_text"] == "A loaf"
    edited = jo.json("edit", post_id, "--no-media")["data"]
    assert edited["containers"][0]["media"] == [] and edited["containers"][0]["content"] == text
    with_comments = jo.json("edit", post_id, "--comment", "one", "--comment", "two")["data"]
    assert [one["content"] for one in with_comments["containers"]] == [text, "one", "two"]
    again = jo.json("edit", post_id, "--text", f"{text} again", "--media", picture["url"], "--alt", "A loaf")["data"]
    assert [one["content"] for one in again["containers"]] == [f"{text} again", "one", "two"]
    third = jo.json("edit", post_id, "--text", "third")["data"]["containers"]
    assert third[0]["media"][0]["alt_text"] == "A loaf" and len(third) == 3  # what is not named stays
    assert [one["content"] for one in jo.json("edit", post_id, "--no-comment")["data"]["containers"]] == ["third"]
    assert "published" in jo.out("edit", post_id, "--now", "--text", text) or jo.app.wait_post(post_id)["status"] == "published"
    assert "(TOO_LATE" in jo.fails("edit", post_id, "--text", "too late")
    for post in (NOBODY, "../accounts"):
        assert "NOT_FOUND" in jo.fails("edit", post, "--text", "a")


def test_edit_only_what_was_seen(jo):  # noqa: F811
    post_id = jo.json("post", marker("seen"), "--to", "x", "--at", "+2d")["data"]["post_id"]
    tag = re.search(r"ETag +(\S+)", jo.out("show", post_id))[1]
    jo.out("edit", post_id, "--text", "mine", "--if-match", tag)
    assert "(PRECONDITION_FAILED" in jo.fails("edit", post_id, "--text", "theirs", "--if-match", tag)
    assert "(PRECONDITION_FAILED" in jo.fails("edit", post_id, "--at", "+1d", "--if-match", tag)
    assert jo.app.show(post_id)["containers"][0]["content"] == "mine"
    assert "content" in jo.fails("edit", post_id, "--text", "a" * 300)


def test_retry_of_many(jo, sandbox):  # noqa: F811
    body = {"title": "Invalid Request", "detail": "no", "status": 400}
    sandbox.fault("x", "POST", "/2/tweets", "status", status=400, body=body, times=2)
    posts = [jo.app.accepted(jo.app.account("x", "me"), marker("many"))["post_id"] for _ in range(2)]
    code = {jo.app.wait_post(post_id)["platform_posts"][0]["error"]["code"] for post_id in posts}.pop()
    sandbox.clear_faults()
    dry = jo.out("retry", "--error-code", f"{code},RATE_LIMITED", "--since", "2h", "--dry-run")
    assert dry.startswith("Would be retried: 2 platform posts of 2 posts.\n") and all(post_id in dry for post_id in posts)
    assert jo.json("retry", "--since", "1d", "--dry-run")["data"]["count"] == 2
    assert jo.json("retry", "--since", utc(60)[:16] + "Z", "--dry-run")["data"]["count"] == 0
    assert "(COUNT_CHANGED" in jo.fails("retry", "--since", "2h", "--expect", "3")
    assert "error_codes.0" in jo.fails("retry", "--error-code", "NONE_SUCH")
    assert "expect" in jo.fails("retry", "--error-code", "OUTCOME_UNKNOWN", "--republish")
    said = jo.out("retry", "--account", jo.app.account("x", "me"), "--expect", "2")
    assert said.startswith("Accepted, tried again: 2 platform posts of 2")
    assert all(jo.app.wait_post(post_id)["status"] == "published" for post_id in posts)
    assert jo.out("retry", "--since", "2h") == "Accepted, tried again: 0 platform posts of 0 posts.\n"


# ---- unpublish, upload ----


def test_unpublish(jo, sandbox):  # noqa: F811
    text = marker("taken back")
    post_id = post_id_of(jo.out("post", text, "--to", "x"))
    assert sandbox.ledger(text)
    assert re.fullmatch(r"x \S+: removed\n", jo.out("unpublish", post_id))
    assert not sandbox.ledger(text) and jo.app.show(post_id)["platform_posts"][0]["url"] is None
    again = jo.json("unpublish", post_id)["data"]["platform_posts"][0]
    assert again["removal"]["status"] == "removed" and again["status"] == "published"
    scheduled = jo.json("post", marker("not out"), "--to", "x", "--at", "+2d")["data"]["post_id"]
    assert "(NOT_PUBLISHED" in jo.fails("unpublish", scheduled)
    assert "NOT_FOUND" in jo.fails("unpublish", NOBODY)


def test_upload_and_post_a_file(jo, sandbox, media, tmp_path):  # noqa: F811
    file = tmp_path / "card.jpg"
    file.write_bytes(requests.get(media.image()["url"], timeout=HTTP_S).content)
    uploaded = jo.json("upload", str(file))["data"]
    assert uploaded["id"].startswith("med_") and uploaded["type"] == "image" and uploaded["size_bytes"] == file.stat().st_size
    text = marker("a file")
    post_id = post_id_of(jo.out("post", text, "--to", "x", "--media", str(file), "--alt", "A test card"))
    assert jo.app.show(post_id)["status"] == "published"
    [seen] = sandbox.ledger(text)
    assert [one["type"] for one in seen["media"]] == ["image"]
    (tmp_path / "no.jpg").write_text("not a picture")
    assert "UNSUPPORTED_MEDIA_TYPE" in jo.fails("upload", str(tmp_path / "no.jpg"))


# ---- reschedule, events, platforms ----


def test_reschedule(jo):  # noqa: F811
    post_id = jo.json("post", marker("later"), "--to", "x", "--at", "+2d")["data"]["post_id"]
    assert jo.out("reschedule", post_id, "--at", "2027-03-01T01:00+01:00") == f"Post {post_id}: scheduled for 2027-03-01T00:00:00Z.\n"
    assert jo.app.show(post_id)["scheduled_at"] == "2027-03-01T00:00:00Z"
    assert jo.json("reschedule", post_id, "--at", "+1d")["data"]["scheduled_at"] > utc(86400 - 60)
    assert "INVALID_SCHEDULE" in jo.fails("reschedule", post_id, "--at", "2020-01-01T00:00Z")
    assert "published now" in jo.out("reschedule", post_id, "--now")
    assert jo.app.wait_post(post_id)["status"] == "published"
    assert "(TOO_LATE" in jo.fails("reschedule", post_id, "--at", "+1d")
    for post in (NOBODY, "../accounts"):
        assert "NOT_FOUND" in jo.fails("reschedule", post, "--now")


def test_events(jo):  # noqa: F811
    post_id = post_id_of(jo.out("post", marker("event"), "--to", "x"))
    table = jo.out("events")
    connection = jo.json("accounts", "show", jo.json("accounts")["data"][0]["id"])["data"]["connection_id"]
    assert re.search(rf"connection\.completed +success +connection {connection}$", table, re.M)
    assert re.search(rf"post\.publish\.succeeded +x published +post {post_id}$", table, re.M)
    first = jo.out("events", "--limit", "1")
    assert len(first.splitlines()) == 3
    further = re.search(r"^later ones: posthorn (.*)$", first, re.M).group(1)
    assert jo.out(*further.split()).splitlines()[1:] == table.splitlines()[2:]
    assert set(jo.json("events")) == {"data", "meta"}
    assert "VALIDATION_ERROR" in jo.fails("events", "--limit", "0")


def test_platforms(jo):  # noqa: F811
    done = jo.run("platforms")
    assert all(re.search(rf"^{slug} ", done.stdout, re.M) for slug in PLATFORMS) and "280 weighted" in done.stdout
    assert "sandbox mode" in done.stderr
    one = jo.out("platforms", "twitter")
    assert "x.reply_settings" in one and "mentionedUsers" in one and re.search(r"^article ", one, re.M) and "linkedin" not in one
    assert [row["slug"] for row in jo.json("platforms", "x")["data"]] == [row["slug"] for row in jo.json("platforms")["data"]]


# ---- token, revoke ----


@pytest.fixture
def owner(service):
    """knows the app's client id and secret, and has no token"""
    app = App(service, name="tokens")
    return Owner(app)


class Owner(Person):
    def __init__(self, app):
        self.app = app
        self.environment = {"POSTHORN_URL": app.service.url, "POSTHORN_CLIENT_ID": app.client_id,
                            "POSTHORN_CLIENT_SECRET": app.client_secret}


def test_a_token_and_its_end(owner):
    done = owner.run("token")
    token = done.stdout.removesuffix("\n")
    assert token.startswith("pht_") and "\n" not in token and "Valid for 365 days" in done.stderr
    assert owner.json("posts", environment={"POSTHORN_TOKEN": token})["data"] == []
    answer = owner.json("token")
    assert answer["token_type"] == "Bearer" and set(answer) == {"access_token", "token_type", "expires_in"}
    assert "POSTHORN_TOKEN is no valid token" in owner.fails("posts", environment={"POSTHORN_TOKEN": token})
    second = {"POSTHORN_TOKEN": answer["access_token"]}
    assert "Revoked" in owner.out("revoke", environment=second)
    assert "UNAUTHENTICATED" in owner.fails("posts", environment=second)
    assert owner.json("revoke", environment=second) == {}


def test_a_token_that_is_refused(owner):
    for name, code in (("POSTHORN_CLIENT_ID", "invalid_client_id"), ("POSTHORN_CLIENT_SECRET", "invalid_client_secret")):
        said = owner.fails("token", environment={name: "not-it"})
        assert code in said and "not-it" not in said and "POSTHORN_TOKEN" not in said
        assert f"{name} is not set" in owner.wrong("token", environment={name: ""})
    assert "POSTHORN_TOKEN is not set" in owner.wrong("revoke")
    refused = owner.run("token", "--json", status=1, environment={"POSTHORN_CLIENT_SECRET": "not-it"})
    assert json.loads(refused.stdout)["error"] == "invalid_client_secret"


def test_the_help_of_token_names_what_it_reads():
    text = cli("token", "--help").stdout
    assert "POSTHORN_CLIENT_ID" in text and "POSTHORN_CLIENT_SECRET" in text and "POSTHORN_TOKEN" not in text
    assert "POSTHORN_TOKEN" in cli("revoke", "--help").stdout


# ---- connection, confirm ----


def test_a_connection(jo):  # noqa: F811
    connection = jo.json("accounts", "show", jo.json("accounts")["data"][0]["id"])["data"]["connection_id"]
    shown = jo.out("connection", connection)
    assert re.search(r"^State +success$", shown, re.M) and "x:jodoe" in shown
    assert jo.json("connection", connection)["connection_id"] == connection
    begun = jo.app.begin("x")["connection_id"]
    assert re.search(r"^State +pending$", jo.out("connection", begun), re.M)
    failed = jo.app.connect("linkedin", decision="deny")
    assert re.search(rf"^Reason +.*\({failed.answer['error']}\)$", jo.out("connection", failed.id), re.M)
    assert "NOT_FOUND" in jo.fails("connection", "conn_" + "0" * 32)


def test_confirm(jo):  # noqa: F811
    assert jo.app.cli("app", "set", jo.app.client_id, "--connect-confirmation", "on").returncode == 0
    connected = jo.app.connect("linkedin", user_id="me")
    account = connected.accounts[0]["id"]
    assert f"posthorn confirm {connected.id}" in jo.out("accounts", "show", account)
    token = connected.query["confirmation_token"]
    assert "standard input" in jo.wrong("confirm", connected.id, stdin="\n")
    said = jo.fails("confirm", connected.id, "--user", "somebody else", stdin=token)
    assert token not in said
    assert "linkedin:" in jo.out("confirm", connected.id, stdin=token + "\n")
    assert jo.json("accounts", "show", account)["data"]["confirmed"] is True
