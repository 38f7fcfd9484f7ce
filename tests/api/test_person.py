# SPDX-License-Identifier: Apache-2.0
"""The command line for people (docs/command-line.md), against a running service: exit codes (0 done, 1 refused, failed or not reached,
2 wrong use or no token), what is printed for people and for programs, and what happens when the service goes away in the middle."""
import contextlib
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

from harness import PLATFORMS, App, clean_environment, cli, find_binary, marker, poll, stores_nothing, utc

VERBS = ("post", "validate", "posts", "show", "explain", "cancel", "retry", "accounts", "connect", "listen")
NOBODY = "01a20000-0000-7000-8000-000000000000"


class Person:
    """Somebody at a terminal, with a token of the app."""

    def __init__(self, app, url=None):
        self.app = app
        self.environment = {"POSTHORN_URL": url or app.service.url, "POSTHORN_TOKEN": app.token}

    def run(self, *words, status=0, environment=None, **more):
        done = cli(*words, environment={**self.environment, **(environment or {})}, **more)
        assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def out(self, *words, **more):
        return self.run(*words, **more).stdout

    def json(self, *words, **more):
        return json.loads(self.out(*words, "--json", **more))

    def fails(self, *words, **more):
        """Exit 1: the reason is on standard error, and nothing on standard output."""
        done = self.run(*words, status=1, **more)
        assert done.stdout == "" and done.stderr.startswith("posthorn: "), done
        return done.stderr

    def wrong(self, *words, **more):
        """Exit 2, likewise."""
        done = self.run(*words, status=2, **more)
        assert done.stdout == "" and done.stderr.startswith("posthorn: "), done
        return done.stderr


@pytest.fixture
def person(app, one):
    """of an app with accounts on all platforms"""
    return Person(app)


@pytest.fixture
def jo(service):
    """of an app of their own with one X account"""
    app = App(service, name="jo").set_credentials("x", "linkedin").issue_token()
    app.connect("x", user_id="me")
    return Person(app)


def post_id_of(text):
    return re.search(r"post ([0-9a-f-]{36})", text).group(1)


# ---- wrong use ----


def test_no_token_is_wrong_use_and_makes_nothing(tmp_path):
    for words in (["posts"], ["post", "text", "--to", "x"], ["listen", "--forward-to", "127.0.0.1:1"], ["connect", "x"]):
        done = cli(*words, cwd=tmp_path)
        assert done.returncode == 2 and done.stdout == ""
        assert "POSTHORN_TOKEN" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_data_directory_is_made(jo, tmp_path):
    jo.run("posts", cwd=tmp_path)
    jo.run("post", marker("no data"), "--to", "x", cwd=tmp_path)
    jo.run("posts", status=1, cwd=tmp_path, environment={"POSTHORN_URL": "http://127.0.0.1:9"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", VERBS)
def test_help(verb):
    for words in ([verb, "--help"], ["--help", verb], ["help", verb], [verb, "-h"], [verb, "--json", "--help", "--nonsense"]):
        done = cli(*words)
        assert done.returncode == 0 and done.stderr == "", words
        assert done.stdout.startswith(f"  posthorn {verb}")
        assert "--json" in done.stdout and "POSTHORN_TOKEN" in done.stdout
    assert f"posthorn {verb}" in cli("help").stdout


@pytest.mark.parametrize("words, meant", [(["postss"], "posts"), (["exlpain"], "explain"), (["acconts"], "accounts"), (["serv"], "serve"),
                                          (["validat", "text"], "validate")])
def test_a_typo_in_a_verb(words, meant):
    done = cli(*words)
    assert done.returncode == 2 and f"did you mean {meant}?" in done.stderr


@pytest.mark.parametrize("words, meant", [(["post", "text", "--too", "x"], "--to"),
                                          (["post", "text", "--medai", "http://a.example/a.jpg"], "--media"),
                                          (["posts", "--perpage", "3"], "--per-page"), (["listen", "--forward", "x"], "--forward-to"),
                                          (["post", "text", "--schedule", "x"], None), (["posts", "--to", "x"], None)])
def test_a_typo_in_a_flag(person, words, meant):
    said = person.wrong(*words)
    unknown = words[1] if words[0] == "posts" and not meant else next(word for word in words if word.startswith("--"))
    assert f"{words[0]} has no flag {unknown}" in said
    assert meant is None or f"did you mean {meant}?" in said


@pytest.mark.parametrize("words, part", [
    (["post", "text"], "--to is missing"),
    (["post", "--to", "x"], "needs a text or --media"),
    (["post", "one", "two", "--to", "x"], "quotes"),
    (["post", "text", "--to"], "--to needs a value"),
    (["post", "text", "--to", "--at", "x"], "--to needs a value"),
    (["post", "text", "--to", "linkdin"], "did you mean linkedin?"),
    (["post", "text", "--to", "myspace"], "neither a platform"),
    (["post", "text", "--to", "x,,linkedin"], "empty name"),
    (["post", "text", "--to", "x:"], "username is missing"),
    (["post", "text", "--to", "x", "--at", "tomorrow"], "--at tomorrow is no time"),
    (["post", "text", "--to", "x", "--at", "2027-01-01T09:00"], "is no time"),
    (["post", "text", "--to", "x", "--at", "2027-02-30T09:00Z"], "is no time"),
    (["post", "text", "--to", "x", "--at", "+1h", "--at", "+2h"], "given twice"),
    (["post", "text", "--to", "x", "--media", "photo.png"], "photo.png: No such file"),
    (["post", "text", "--to", "x", "--media", "file:///etc/passwd"], "No such file"),
    (["post", "text", "--to", "x", "--media", "https://a.example/file"], "image:URL or video:URL"),
    (["post", "text", "--to", "x", "--alt", "a harbour"], "--alt must stand after"),
    (["post", "text", "--to", "x", "--option", "reply_settings=following"], "PLATFORM.NAME=VALUE"),
    (["post", "text", "--to", "x", "--option", "x.a=1", "--option", "twitter.a=2"], "given twice"),
    (["post", "text", "--to", "x", "--wait", "--no-wait"], "do not go together"),
    (["post", b"\xff", "--to", "x"], "not UTF-8"),
    (["show"], "POST_ID is missing"),
    (["show", "a", "b"], "one word"),
    (["posts", "all"], "flags only"),
    (["posts", "--json=yes"], "takes no value"),
    (["connect", "linkdin"], "did you mean linkedin?"),
    (["listen"], "--forward-to is missing"),
    (["listen", "--forward-to", "ftp://127.0.0.1/"], "no http or https address"),
    (["listen", "--forward-to", "127.0.0.1:9", "--events", "post.publish.succeedeed"], "did you mean post.publish.succeeded?"),
    (["listen", "--forward-to", "127.0.0.1:9", "--after", "-1"], "--after must be"),
])
def test_wrong_use(person, words, part):
    with stores_nothing(person.app):
        done = subprocess.run([find_binary(), *words], capture_output=True, env=clean_environment(person.environment), timeout=60)
    said = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b"", said
    assert part in said and f"see `posthorn {words[0]} --help`" in said


@pytest.mark.parametrize("url", ["ftp://a.example", "a.example", "http://user:pass@127.0.0.1", "http://127.0.0.1/?a=b",
                                 "http://127.0.0.1/#a", "http://"])
def test_a_wrong_url(person, url):
    assert "POSTHORN_URL must be" in person.wrong("posts", environment={"POSTHORN_URL": url})
    assert "--url must be" in person.wrong("posts", "--url", url)


@pytest.mark.parametrize("token", ["pht_one pht_two", "pht_one\nX-Evil: b", "t\u00f6ken"])
def test_a_wrong_form_of_token(person, token):
    said = person.wrong("posts", environment={"POSTHORN_TOKEN": token})
    assert "POSTHORN_TOKEN" in said and token not in said


# ---- refused, not reached ----


def test_a_token_that_is_not_valid(person):
    for token in ("pht_" + "A" * 43, "phk_" + "A" * 43):
        said = person.fails("posts", environment={"POSTHORN_TOKEN": token})
        assert "UNAUTHENTICATED" in said and "POSTHORN_TOKEN is no valid token" in said and token not in said
    answer = person.run("posts", "--json", status=1, environment={"POSTHORN_TOKEN": "pht_no"})
    assert json.loads(answer.stdout)["error"] == "UNAUTHENTICATED"


def test_nobody_there(person):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for words in (["posts"], ["accounts", "--json"], ["post", "text", "--to", "x"], ["cancel", NOBODY], ["retry", NOBODY],
                  ["explain", NOBODY], ["connect", "x", "--no-browser"], ["listen", "--forward-to", "127.0.0.1:9"]):
        said = person.fails(*words, environment={"POSTHORN_URL": f"http://127.0.0.1:{port}"})
        assert f"http://127.0.0.1:{port} does not answer" in said


def test_somebody_else_there(person, media):
    """a web server that is not Posthorn"""
    said = person.fails("posts", environment={"POSTHORN_URL": media.url})
    assert f"{media.url} is not Posthorn" in said


@pytest.mark.parametrize("verb", ["show", "explain", "cancel", "retry"])
@pytest.mark.parametrize("post", [NOBODY, "../accounts", "a/b?c=d"])
def test_no_such_post(person, verb, post):
    assert "NOT_FOUND" in person.fails(verb, post)
    answer = person.run(verb, post, "--json", status=1)
    assert json.loads(answer.stdout)["error"] == "NOT_FOUND" and answer.stderr == ""


def test_wrong_filters(person):
    said = person.fails("posts", "--page", "0", "--status", "nice")
    assert "  page: " in said and "  status: " in said
    assert "date_from" in person.fails("posts", "--from", "2026-02-30")


# ---- post ----


def test_post(jo, sandbox):
    text = marker("hello")
    done = jo.run("post", text, "--to", "x")
    post = jo.app.show(post_id_of(done.stdout))
    assert post["status"] == "published"
    assert [row["text"] for row in sandbox.ledger(text)] == [text]
    assert post["platform_posts"][0]["url"] in done.stdout and "published" in done.stdout


def test_post_for_programs(jo, sandbox):
    text = marker("program")
    answer = jo.json("post", text, "--to", "x", "--request-id", text)
    assert set(answer) == {"message", "data"} and answer["data"]["request_id"] == text
    jo.app.wait_post(answer["data"]["post_id"])
    waited = jo.json("post", marker("program"), "--to", "x", "--wait")
    assert waited["data"]["status"] == "published"
    refused = jo.run("post", text, "--to", "x", "--request-id", text, "--json", status=1)
    body = json.loads(refused.stdout)
    assert body["error"] == "DUPLICATE_REQUEST" and body["details"]["post_id"] == answer["data"]["post_id"]
    assert len(sandbox.ledger(text)) == 1
    assert "DUPLICATE_REQUEST" in jo.fails("post", text, "--to", "x", "--request-id", text)


@pytest.mark.parametrize("at, stored", [("2027-01-01T09:00Z", "2027-01-01T09:00:00Z"), ("2027-01-01 09:00:30z", "2027-01-01T09:00:30Z"),
                                        ("2027-01-01T09:00+05:30", "2027-01-01T03:30:00Z"),
                                        ("2027-01-01T09:00:00.5-01:00", "2027-01-01T10:00:00.5Z")])
def test_post_at_a_time(jo, at, stored):
    done = jo.run("post", marker("later"), "--to", "x", "--at", at)
    assert f"Scheduled for {stored}" in done.stdout
    assert jo.app.show(post_id_of(done.stdout))["scheduled_at"] == stored


def test_post_in_a_while(jo):
    before = utc(7200 - 5)
    made = jo.json("post", marker("later"), "--to", "x", "--at", "+2h")["data"]
    assert before <= made["scheduled_at"] <= utc(7200 + 60)
    assert "INVALID_SCHEDULE" in jo.fails("post", "x", "--to", "x", "--at", "2020-01-01T00:00Z")


def test_post_with_media_comments_and_options(person, one, media, sandbox):
    text, reply = marker("picture"), marker("reply")
    item = media.image()
    made = person.json("post", text, "--to", f"linkedin:{linkedin_name(person)},{one['x']}", "--media", item["url"], "--alt", "A test card",
                       "--comment", reply, "--comment", reply + " 2", "--option", "x.reply_settings=following",
                       "--option", "linkedin.visibility=PUBLIC")
    post = person.app.wait_post(made["data"]["post_id"])
    assert post["status"] == "published", post
    assert [row["content"] for row in post["containers"]] == [text, reply, reply + " 2"]
    assert post["containers"][0]["media"][0]["alt_text"] == "A test card"
    assert {row["account_id"] for row in post["platform_posts"]} >= {one["x"]}
    assert len(sandbox.ledger(reply)) == 4


def linkedin_name(person):
    rows = person.json("accounts", "--platform", "linkedin", "--user", "user-1")["data"]
    return next(row["username"] for row in rows if row["account_type"] == "personal")


def test_post_of_standard_input_and_kinds_of_media(jo, media, sandbox):
    text = marker("from a pipe") + "\nsecond line \U0001f3b5"
    made = jo.json("post", "-", "--to", "x", "--media", "image:" + media.image()["url"] + "?size=big", stdin=text + "\n")
    assert jo.app.wait_post(made["data"]["post_id"])["containers"][0]["content"] == text
    without_text = jo.run("post", "--to", "x", "--media", media.image()["url"])
    assert "published" in without_text.stdout


def test_a_text_that_looks_like_a_flag(jo):
    made = jo.run("post", "--to=x", "--json", "--", "--help is not what I mean " + marker()).stdout
    assert jo.app.show(json.loads(made)["data"]["post_id"])["containers"][0]["content"].startswith("--help is not")


def test_what_the_rules_refuse(jo):
    with stores_nothing(jo.app):
        said = jo.fails("post", "x" * 300, "--to", "x")
    assert "VALIDATION_ERROR" in said and "280" in said


def test_a_post_that_fails(start_sandbox, start_service):
    sandbox = start_sandbox()
    app = App(start_service(sandbox)).set_credentials("x").issue_token()
    app.connect("x", user_id="me")
    jo = Person(app)
    sandbox.fault("x", "POST", "/2/tweets", "status", status=403, times=9,
                  body={"title": "Forbidden", "detail": "No \x1b[31mway\x07.", "status": 403})
    done = jo.run("post", marker("fails"), "--to", "x", status=1)
    post_id = post_id_of(done.stdout)
    post = app.show(post_id)
    assert post["status"] == "failed"
    assert post["platform_posts"][0]["error"]["code"] in done.stdout
    told = jo.out("explain", post_id)
    assert "POST api.x.com/2/tweets, 403 in" in told
    assert "\x1b" not in told and "\x07" not in told
    assert json.loads(jo.run("show", post_id, "--wait", "--json", status=1).stdout)["data"]["status"] == "failed"
    sandbox.clear_faults()
    assert "published" in jo.out("retry", post_id)
    assert "NOTHING_TO_RETRY" in jo.fails("retry", post_id)


# ---- --to ----


def test_several_accounts_of_a_platform_are_listed_and_refused(jo):
    jo.app.connect("linkedin", user_id="me")
    with stores_nothing(jo.app):
        said = jo.fails("post", marker(), "--to", "linkedin")
    rows = jo.app.get("/v1/accounts?platform=linkedin").json()["data"]
    assert "2 accounts fit" in said
    for row in rows:
        assert f"linkedin:{row['username']}" in said and row["id"] in said
    name = rows[0]["username"]
    for word in (f"linkedin:{name}", f"linkedin:@{name.upper()}", rows[0]["id"], f"x,linkedin:{name},x", f" linkedin:{name} , x "):
        made = jo.json("post", marker("to"), "--to", word)["data"]
        assert rows[0]["id"] in [row["account_id"] for row in made["platform_posts"]]
        assert made["total_accounts"] == (2 if "x" in word.split(",")[0:1] or ", x" in word else 1)


def test_one_name_for_several_users(jo):
    jo.app.connect("x", user_id="somebody else")
    said = jo.fails("post", marker(), "--to", "x:jodoe")
    assert "2 accounts fit" in said and "somebody else" in said


def test_accounts_that_are_not_there_or_cannot_be_used(jo):
    assert "posthorn connect facebook" in jo.fails("post", "text", "--to", "facebook")
    assert "no such account" in jo.fails("post", "text", "--to", "x:nobody")
    assert "INVALID_ACCOUNT" in jo.fails("post", "text", "--to", NOBODY)
    account = jo.json("accounts")["data"][0]["id"]
    assert jo.app.request("DELETE", f"/v1/accounts/{account}").status_code == 204
    assert "posthorn connect x" in jo.fails("post", "text", "--to", "x")


# ---- validate ----


def test_validate(jo):
    with stores_nothing(jo.app):
        good = jo.out("validate", marker(), "--to", "x")
        assert ": ok, as post" in good and "POST api.x.com/2/tweets" in good and "(publishes)" in good
        bad = jo.run("validate", "x" * 300, "--to", "x", status=1)
        assert ": refused" in bad.stdout and "280" in bad.stdout
        assert jo.json("validate", marker(), "--to", "x")["data"]["ok"] is True
        assert json.loads(jo.run("validate", "x" * 300, "--to", "x", "--json", status=1).stdout)["data"]["ok"] is False


# ---- posts, show, explain, cancel, accounts ----


def test_posts_and_one_of_them(jo):
    text = "\u65e5\u672c " + marker("wide")
    made = jo.json("post", text, "--to", "x", "--at", "2027-03-01T00:00Z")["data"]
    table = jo.out("posts")
    assert made["post_id"] in table and text in table and "scheduled" in table and "x:jodoe" in table and "page 1 of 1" in table
    found = jo.json("posts", "--status", "scheduled", "--platform", "x", "--from", "2027-03-01", "--until", "2027-03-01", "--user", "me",
                    "--account", made["platform_posts"][0]["account_id"], "--page", "1", "--per-page", "5")
    assert found["data"][0]["id"] == made["post_id"]
    assert jo.json("posts", "--status", "failed")["data"] == []
    shown = jo.out("show", made["post_id"])
    assert text in shown and "2027-03-01T00:00:00Z" in shown
    assert jo.json("show", made["post_id"])["data"]["id"] == made["post_id"]
    assert "No call was made yet" in jo.out("explain", made["post_id"])
    assert jo.json("explain", made["post_id"])["data"] == []


def test_a_text_cannot_take_over_the_terminal(jo):
    text = marker("evil") + "\u202e\u009b31m\nsecond line"
    made = jo.json("post", text, "--to", "x", "--at", "+1d")["data"]
    for words in (["posts"], ["show", made["post_id"]], ["explain", made["post_id"]]):
        shown = jo.out(*words)
        assert "second line" in shown and "\u202e" not in shown and "\u009b" not in shown
        assert not re.search(r"^second line", shown, re.M)


def test_cancel(jo):
    post_id = jo.json("post", marker("cancel"), "--to", "x", "--at", "+1d")["data"]["post_id"]
    assert "Cancelled" in jo.out("cancel", post_id)
    assert jo.out("cancel", post_id, "--json") == ""  # again is 204 too, and a 204 has no body
    assert jo.app.show(post_id)["platform_posts"][0]["error"]["code"] == "CANCELLED"
    published = post_id_of(jo.out("post", marker("too late"), "--to", "x"))
    assert "TOO_LATE" in jo.fails("cancel", published)


def test_accounts(person):
    table = person.out("accounts", "--per-page", "100")
    assert all(f"{slug}:" in table for slug in PLATFORMS)
    rows = person.json("accounts", "--platform", "x", "--status", "active", "--user", "user-1")["data"]
    assert rows and all(row["platform"] == "x" for row in rows)
    assert rows[0]["id"] in person.out("accounts", "--platform", "x")


# ---- keys ----


def key(app, scopes):
    made = app.cli("key", "create", "--app", app.client_id, "--name", scopes, "--scopes", scopes)
    assert made.returncode == 0, made.stderr
    return {"POSTHORN_TOKEN": json.loads(made.stdout)["key"]}


def test_keys_and_their_scopes(jo, browser, receiver):
    reader, writer, opener = key(jo.app, "read"), key(jo.app, "read,publish"), key(jo.app, "read,accounts")
    post_id = post_id_of(jo.out("post", marker("key"), "--to", "x", environment=writer))
    for words in (["posts"], ["show", post_id], ["explain", post_id], ["accounts"], ["validate", "text", "--to", "x"]):
        jo.run(*words, environment=reader)
    for words in (["post", "text", "--to", "x"], ["cancel", post_id], ["retry", post_id]):
        said = jo.fails(*words, environment=reader)
        assert "INSUFFICIENT_SCOPE" in said and "missing scope of the key: publish" in said
    assert "missing scope of the key: accounts" in jo.fails("connect", "x", environment={**writer, **browser("allow")})
    jo.run("connect", "x", "--user", "by key", environment={**opener, **browser("allow")})
    with Listening(jo, receiver, "--events", "post.completed", environment=reader):
        jo.run("post", marker("key"), "--to", jo.json("accounts", "--user", "me")["data"][0]["id"], environment=writer)
        poll("the event", lambda: len(receiver.calls) == 1)


# ---- connect ----


@pytest.fixture
def browser(tmp_path):
    """$BROWSER: opens the page and decides, as a person would. What it met is in the file `page`, its environment in `seen`."""

    def make(decision):
        script = tmp_path / "browser"
        script.write_text(f"#!/bin/sh\nenv > '{tmp_path}/seen'\ncurl -sS -L -o '{tmp_path}/page' \"$1&sandbox_decision={decision}\"\n")
        script.chmod(0o755)
        return {"BROWSER": str(script)}

    make.page = tmp_path / "page"
    make.seen = tmp_path / "seen"
    return make


def test_connect(jo, browser):
    done = jo.run("connect", "linkedin", "--user", "jo", "--name", "Jo", "--email", "jo@example.com", environment=browser("allow"))
    assert "Connected for user jo" in done.stdout and "linkedin:jo.doe" in done.stdout
    poll("the browser has its page", lambda: browser.page.exists() and "Connected" in browser.page.read_text())
    assert "POSTHORN_TOKEN" not in browser.seen.read_text()
    assert len(jo.json("accounts", "--platform", "linkedin", "--user", "jo")["data"]) == 2
    answer = json.loads(jo.run("connect", "twitter", "--json", environment=browser("allow")).stdout)
    assert answer["status"] == "success" and answer["accounts"][0]["platform"] == "x"


def test_connect_refused_by_the_user(jo, browser):
    done = jo.run("connect", "x", status=1, environment=browser("deny"))
    assert "not connected" in done.stderr and "access_denied" in done.stderr
    poll("the browser has its page", lambda: browser.page.exists() and "Not connected" in browser.page.read_text())


def test_connect_confirms(jo, browser):
    assert jo.app.cli("app", "set", jo.app.client_id, "--connect-confirmation", "on").returncode == 0
    jo.run("connect", "x", "--user", "confirmed", environment=browser("allow"))
    row = jo.json("accounts", "--user", "confirmed")["data"][0]
    assert row["confirmed"] is True and row["status"] == "active"
    assert "published" in jo.out("post", marker("confirmed"), "--to", row["id"])


def test_connect_needs_the_loopback_address_on_the_apps_list(jo, browser):
    assert jo.app.cli("app", "set", jo.app.client_id, "--redirect-urls", "https://customer.example/").returncode == 0
    assert "http://127.0.0.1/ must be on the app's list" in jo.fails("connect", "x", environment=browser("allow"))
    assert jo.app.cli("app", "set", jo.app.client_id, "--redirect-urls", "https://customer.example/ http://127.0.0.1/").returncode == 0
    jo.run("connect", "x", environment=browser("allow"))


def test_connect_without_a_credential(jo):
    assert "CREDENTIALS_NOT_FOUND" in jo.fails("connect", "tiktok", "--no-browser")


def running(words, environment, **more):
    """A verb that goes on; its output as it comes."""
    return subprocess.Popen([find_binary(), *words], env=clean_environment(environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **more)


def test_connect_by_hand(jo):
    """Without a browser: the address is printed. Somebody else's visit of the listener changes nothing."""
    import requests
    from harness import follow_return, with_query
    process = running(["connect", "x", "--no-browser", "--user", "by hand"], jo.environment)
    try:
        assert "Open this address" in process.stdout.readline()
        url = process.stdout.readline().strip()
        callback = requests.get(with_query(url, sandbox_decision="allow"), allow_redirects=False, timeout=30).headers["Location"]
        returned = follow_return(callback).headers["Location"]
        listener = returned.split("?")[0]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", listener)
        stranger = requests.get(listener, params={"connection_id": "conn_" + "0" * 32, "status": "success", "confirmation_token": "<b>"},
                                timeout=30)
        assert stranger.status_code == 404 and "<b>" not in stranger.text
        page = requests.get(returned, timeout=30)
        assert page.status_code == 200 and "Connected" in page.text and page.headers["Cache-Control"] == "no-store"
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and "x:jodoe" in out, err
    finally:
        process.kill()
        process.wait()


# ---- listen ----


class Receiver:
    """A program on this machine that takes webhooks."""

    def __init__(self):
        receiver = self
        self.calls, self.status = [], 204

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.append((self.path, dict(self.headers), body))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"127.0.0.1:{self._server.server_port}"

    def events(self):
        return [json.loads(body) for _, _, body in self.calls]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


class Listening:
    def __init__(self, person, receiver, *words, environment=None):
        self.process = running(["listen", "--forward-to", receiver.address + "/hook?a=b", *words],
                               {**person.environment, **(environment or {})})
        self.lines = []
        self.errors = []
        for stream, lines in ((self.process.stdout, self.lines), (self.process.stderr, self.errors)):
            threading.Thread(target=lambda s=stream, into=lines: into.extend(iter(s.readline, "")), daemon=True).start()

    def said(self, part):
        return poll(f"it says {part}", lambda: next((line for line in [*self.lines, *self.errors] if part in line), None))

    def __enter__(self):
        self.said("go to http://")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(timeout=30) == 0


def verify(secret, headers, body):
    """Standard Webhooks, as docs and examples verify it."""
    import base64
    import hashlib
    import hmac
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return headers["webhook-signature"] == "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_listen(jo, receiver):
    old = marker("old")
    jo.run("post", old, "--to", "x")
    with Listening(jo, receiver) as listening:
        secret = re.search(r"whsec_\S+", listening.said("Signing secret")).group(0)
        post_id = post_id_of(jo.out("post", marker("new"), "--to", "x"))
        poll("both events", lambda: {"post.publish.succeeded", "post.completed"} <= {event["type"] for event in receiver.events()})
        listening.said("post.completed")
        assert "-> 204" in listening.said("post.completed")
    for path, headers, body in receiver.calls:
        event = json.loads(body)
        headers = {name.lower(): value for name, value in headers.items()}
        assert path == "/hook?a=b" and headers["content-type"] == "application/json"
        assert headers["webhook-id"] == event["id"] and verify(secret, headers, body)
        assert abs(int(headers["webhook-timestamp"]) - time.time()) < 300
        assert old not in body.decode()
    feed = jo.app.get("/v1/events?limit=100").json()["data"]
    assert receiver.events() == [event for event in feed if event["seq"] >= receiver.events()[0]["seq"]]
    assert receiver.events()[-1]["data"]["id"] == post_id
    assert jo.app.get("/v1/webhooks").json()["data"] == []


def test_listen_from_the_beginning_to_chosen_events(jo, receiver):
    for _ in range(3):
        jo.run("post", marker("before"), "--to", "x")
    secret = "whsec_" + "A" * 43 + "="
    with Listening(jo, receiver, "--after", "0", "--events", "post.completed,account.reauth_required", "--json",
                   environment={"POSTHORN_WEBHOOK_SECRET": secret}) as listening:
        poll("three events", lambda: len(receiver.calls) == 3)
        poll("three lines", lambda: len(listening.lines) == 3)
        assert [json.loads(line) for line in listening.lines] == receiver.events()
        assert not any("whsec_" in line for line in listening.errors)
    assert {event["type"] for event in receiver.events()} == {"post.completed"}
    headers = {name.lower(): value for name, value in receiver.calls[0][1].items()}
    assert verify(secret, headers, receiver.calls[0][2])
    assert "POSTHORN_WEBHOOK_SECRET" in jo.wrong("listen", "--forward-to", "127.0.0.1:9", environment={"POSTHORN_WEBHOOK_SECRET": "hello"})


def test_listen_to_nobody(jo, receiver):
    receiver.status = 500
    with Listening(jo, receiver, "--events", "post.completed") as listening:
        jo.run("post", marker("refused"), "--to", "x")
        assert "-> 500" in listening.said("post.completed")
        receiver.close()
        jo.run("post", marker("gone"), "--to", "x")
        listening.said("-> no answer")
    assert len(receiver.calls) == 1  # each event is sent once


# ---- the service goes away in the middle ----


def free_port():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return taken.getsockname()[1]


class Between:
    """A TCP proxy. lose: how many POSTs reach the service while their answers are lost; on_loss is called before the line is cut."""

    def __init__(self, target):
        self.target, self.lose, self.on_loss, self.posts = target, 0, lambda: None, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        host, port = self.target.removeprefix("http://").split(":")
        with contextlib.suppress(OSError), client, socket.create_connection((host, int(port)), timeout=60) as server:
            while data := client.recv(1 << 20):
                head = data.split(b"\r\n", 1)[0]
                if head.startswith(b"POST") and b"Content-Length" in data:
                    self.posts += 1
                    length = int(re.search(rb"Content-Length: (\d+)", data).group(1))
                    while len(data.split(b"\r\n\r\n", 1)[1]) < length:
                        data += client.recv(1 << 20)
                server.sendall(data)
                answer = server.recv(1 << 20)
                if not answer:
                    return
                if head.startswith(b"POST") and self.lose > 0:
                    self.lose -= 1
                    self.on_loss()
                    return
                client.sendall(answer)

    def close(self):
        self._listener.close()


@pytest.fixture
def between(jo):
    proxy = Between(jo.app.service.url)
    yield proxy
    proxy.close()


@pytest.mark.parametrize("losses", [1, 3])
def test_a_lost_answer_never_doubles(jo, between, sandbox, losses):
    text = marker("lost")
    between.lose = losses
    done = jo.run("post", text, "--to", "x", environment={"POSTHORN_URL": between.url})
    assert between.posts == losses + 1
    assert "published" in done.stdout and len(sandbox.ledger(text)) == 1
    assert [row["id"] for row in jo.json("posts")["data"]].count(post_id_of(done.stdout)) == 1


def test_a_lost_answer_for_programs(jo, between, sandbox):
    text = marker("lost")
    between.lose = 1
    lost = jo.json("post", text, "--to", "x", "--at", "+1d", environment={"POSTHORN_URL": between.url})
    plain = jo.json("post", marker("plain"), "--to", "x", "--at", "+1d")
    assert set(lost) == set(plain) and set(lost["data"]) == set(plain["data"])
    assert set(lost["data"]["platform_posts"][0]) == set(plain["data"]["platform_posts"][0])
    assert lost["data"]["status"] == "scheduled" and lost["data"]["total_accounts"] == 1
    assert jo.app.show(lost["data"]["post_id"])["containers"][0]["content"] == text


def test_a_lost_answer_whose_repeat_is_refused(jo, between):
    """The account was disconnected in between: the repeat meets that first, and the post is found all the same."""
    account = jo.json("accounts")["data"][0]["id"]
    between.lose = 1
    between.on_loss = lambda: jo.app.request("DELETE", f"/v1/accounts/{account}")
    made = jo.json("post", marker("lost"), "--to", account, "--at", "+1d", environment={"POSTHORN_URL": between.url})
    assert [row["id"] for row in jo.json("posts")["data"]] == [made["data"]["post_id"]]


def test_an_answer_that_hangs(jo, sandbox):
    """accepted, and then silence: the call is given up and made again"""
    proxy = Between(jo.app.service.url)
    proxy.lose, proxy.on_loss = 1, lambda: time.sleep(35)
    text = marker("hangs")
    done = jo.run("post", text, "--to", "x", environment={"POSTHORN_URL": proxy.url})
    proxy.close()
    assert "published" in done.stdout and len(sandbox.ledger(text)) == 1


def test_a_service_that_is_killed_while_it_accepts(tmp_path, start_service, sandbox):
    data, port = tmp_path / "data", free_port()
    first = start_service(sandbox, data=data, listen=f"127.0.0.1:{port}")
    app = App(first).set_credentials("x").issue_token()
    app.connect("x", user_id="me")
    proxy, restarted = Between(first.url), []

    def power_cut():
        first.kill()
        restarted.append(start_service(sandbox, data=data, listen=f"127.0.0.1:{port}"))

    proxy.lose, proxy.on_loss = 1, power_cut
    jo = Person(app, proxy.url)
    # For tomorrow: a publish call that the cut meets is another matter (tests/fault).
    done = jo.run("post", marker("power cut"), "--to", "x", "--at", "+1d")
    proxy.close()
    app.service = restarted[0]
    assert [post["id"] for post in app.list()["data"]] == [post_id_of(done.stdout)]


def test_a_service_that_goes_away_during_a_wait(tmp_path, start_service, sandbox):
    data, port = tmp_path / "data", free_port()
    first = start_service(sandbox, data=data, listen=f"127.0.0.1:{port}")
    app = App(first).set_credentials("x").issue_token()
    app.connect("x", user_id="me")
    jo = Person(app)
    post_id = jo.json("post", marker("wait"), "--to", "x", "--at", "+10m")["data"]["post_id"]
    process = running(["show", post_id, "--wait"], jo.environment)
    try:
        assert "0 of 1 done" in process.stderr.readline()
        first.kill()
        assert "does not answer" in process.stderr.readline()
        app.service = start_service(sandbox, data=data, listen=f"127.0.0.1:{port}")
        assert app.request("PATCH", f"/v1/posts/{post_id}", json={"scheduled_at": utc()}).status_code == 200
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and "published" in out, err
    finally:
        process.kill()
        process.wait()


def test_listening_goes_on_after_a_restart(tmp_path, start_service, sandbox, receiver):
    data, port = tmp_path / "data", free_port()
    first = start_service(sandbox, data=data, listen=f"127.0.0.1:{port}")
    app = App(first).set_credentials("x").issue_token()
    app.connect("x", user_id="me")
    jo = Person(app)
    with Listening(jo, receiver, "--events", "post.completed") as listening:
        first.kill()
        listening.said("does not answer")
        app.service = start_service(sandbox, data=data, listen=f"127.0.0.1:{port}")
        post_id = post_id_of(jo.out("post", marker("after"), "--to", "x"))
        poll("the event", lambda: [event["data"]["id"] for event in receiver.events()] == [post_id])
        listening.said("answers again")


def test_a_token_of_the_environment_is_nowhere_to_be_seen(jo):
    """not in what is printed, nor in the arguments of the process"""
    token = jo.environment["POSTHORN_TOKEN"]
    for words in (["posts"], ["accounts", "--json"], ["post", marker(), "--to", "x"], ["posts", "--page", "x"]):
        done = cli(*words, environment=jo.environment)
        assert token not in done.stdout + done.stderr
    assert os.environ.get("POSTHORN_TOKEN") is None
