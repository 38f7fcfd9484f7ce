# SPDX-License-Identifier: Apache-2.0
"""The rest of the command line for people (docs/command-line.md): verbs of two words, accounts one by one."""
import json
import re

import pytest

from harness import ROOT, cli, marker, stores_nothing  # noqa: F401
from test_person import NOBODY, jo, person, post_id_of  # noqa: F401 - fixtures

VERBS = re.findall(r'^PERSON_VERB\(\w+, *"([a-z -]+)", *(\d)', (ROOT / "src/person/person_verbs.def").read_text(), re.M)
SECONDS = [words for words, _ in VERBS if " " in words]


# ---- two words ----


@pytest.mark.parametrize("verb", SECONDS)
def test_help_of_two_words(verb):
    for words in ([*verb.split(), "--help"], ["--json", *verb.split(), "-h"], ["help", *verb.split()], [*verb.split(), "--help", "--nonsense"]):
        done = cli(*words)
        assert done.returncode == 0 and done.stderr == "", words
        assert done.stdout.startswith(f"  posthorn {verb} "), words
    first = verb.split()[0]
    assert f"posthorn {verb}" in cli(first, "--help").stdout and f"posthorn {verb}" in cli("help").stdout


@pytest.mark.parametrize("words, part", [
    (["accounts", "shwo", "id"], "did you mean accounts show?"),
    (["accounts", "17"], "after accounts comes one of: show, check, disconnect"),
    (["accounts", "show"], "ACCOUNT_ID is missing"),
    (["accounts", "show", "a", "b"], "one word"),
    (["accounts", "check", "a", "--page", "2"], "accounts check has no flag --page"),
])
def test_wrong_use(jo, words, part):  # noqa: F811
    with stores_nothing(jo.app):
        said = jo.wrong(*words)
    assert part in said and "see `posthorn accounts" in said


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
