# SPDX-License-Identifier: Apache-2.0
"""Connection confirmation (api-decisions.md 5) by two browsers in any order: the person's, which comes back from the platform, and
the attacker's, who began the connection, forwarded its link, and knows all that the customer's site shows about it."""
import os

import pytest
import requests
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from harness import HTTP_S, App, follow_return, query_of
from test_callback import TOKEN_CALLS, check_static_page

EXAMPLES = 60 if os.environ.get("POSTHORN_LONG") else 6


@pytest.fixture
def careful(service, sandbox):
    app = App(service, name="two browsers").set_credentials("x").issue_token()
    assert app.cli("app", "set", app.client_id, "--connect-confirmation", "on").returncode == 0
    yield app
    sandbox.clear_faults()


def browsers_in_any_order(app, sandbox):
    class Browsers(RuleBasedStateMachine):
        @initialize()
        def begin(self):
            """The platform is slow, so that the person's browser gets the page that waits."""
            sandbox.clear_faults()
            sandbox.fault("x", *TOKEN_CALLS["x"], "slow", retry_after=10, times=1)
            self.begun = app.begin("x", user_id="attacker")
            self.id = self.begun["connection_id"]
            self.person, self.attacker = requests.Session(), requests.Session()
            self.callback_url = None
            self.tokens = []

        def ask(self, browser, url):
            answer = browser.get(url, allow_redirects=False, timeout=HTTP_S)
            token = query_of(answer.headers.get("Location", "?")).get("confirmation_token")
            if token:
                self.tokens.append(token)
            return answer

        def waiting_url(self):
            return f"{app.service.url}/v1/oauth/x/callback?wait={self.id}"

        @precondition(lambda self: self.callback_url is None)
        @rule()
        def the_person_consents(self):
            self.callback_url = app.consent(self.begun)
            assert self.ask(self.person, self.callback_url).status_code in (200, 302)

        @precondition(lambda self: self.callback_url)
        @rule()
        def the_person_waits(self):
            assert self.ask(self.person, self.waiting_url()).status_code in (200, 302)

        @rule()
        def the_attacker_waits(self):
            check_static_page(self.ask(self.attacker, self.waiting_url()))

        @rule()
        def the_attacker_brings_a_cookie(self):
            self.attacker.cookies.set(f"posthorn_{self.id}", "pcr_" + "A" * 43)
            check_static_page(self.ask(self.attacker, self.waiting_url()))

        @precondition(lambda self: self.callback_url)
        @rule()
        def the_attacker_repeats_the_callback(self):
            check_static_page(self.ask(self.attacker, self.callback_url))

        @rule()
        def the_attacker_confirms_without_a_token(self):
            answer = app.post(f"/v1/connections/{self.id}/confirm",
                              json={"confirmation_token": "pcf_" + "A" * 43, "user_id": "attacker"})
            assert answer.status_code in (404, 422), answer.text

        def teardown(self):
            """Whatever was tried before, the person's browser is the one that gets the token, once."""
            if self.callback_url and not self.tokens:
                returned = follow_return(self.waiting_url(), self.person)
                self.tokens.append(query_of(returned.headers["Location"])["confirmation_token"])
            assert len(self.tokens) == (1 if self.callback_url else 0)
            if not self.callback_url:
                return
            again = query_of(follow_return(self.waiting_url(), self.person).headers["Location"])
            assert again == {"connection_id": self.id, "status": "success"}
            confirm = f"/v1/connections/{self.id}/confirm"
            assert app.post(confirm, json={"confirmation_token": self.tokens[0], "user_id": "victim"}).status_code == 422
            assert app.post(confirm, json={"confirmation_token": self.tokens[0], "user_id": "attacker"}).status_code == 200

    return Browsers


def test_two_browsers_in_any_order(careful, sandbox):
    run_state_machine_as_test(browsers_in_any_order(careful, sandbox), settings=settings(
        max_examples=EXAMPLES, stateful_step_count=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)))
