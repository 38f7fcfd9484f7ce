# SPDX-License-Identifier: Apache-2.0
"""The house that the browser tests look at: a service with a sandbox of its own, an admin, and an app with accounts
and posts of every kind; and the addresses of its pages. Knows no browser."""
import contextlib
import json
import re

from harness import App, Sandbox, Service, poll, utc

EMAIL = "owner@example.com"
PASSWORD = "a long enough password"


class House:
    """A service of its own with its sandbox, whose admin signs in with a password."""

    def __init__(self, service, sandbox):
        self.service, self.sandbox, self.url = service, sandbox, service.url

    def setup_link(self):
        """As the service prints it in sandbox mode."""
        return poll("the set-up link", lambda: re.search(r"http://\S+/dashboard/setup#\S+", self.service.stderr())).group(0)


@contextlib.contextmanager
def new_house(directory, hurry):
    with Sandbox() as sandbox, Service(directory / "data", sandbox, ["--time-scale", hurry]) as service:
        sandbox.knob("x_me_limit", 1000000)
        yield House(service, sandbox)


def make_admin(service):
    """The admin with a password, as the operator makes one."""
    done = service.cli("admin", "create", "--email", EMAIL, "--password-stdin", stdin=PASSWORD + "\n")
    assert done.returncode == 0, done.stderr


def furnish(house, media):
    make_admin(house.service)
    app = App(house.service, name="Harbour Café", owner=EMAIL).set_credentials().issue_token()
    house.app = app
    App(house.service, name="Lighthouse Books", owner=EMAIL, live=False)
    made = house.service.cli("app", "create", "--name", "Harbour trial", "--owner", EMAIL, "--test")
    assert made.returncode == 0, made.stderr
    house.trial = json.loads(made.stdout)["client_id"]
    house.accounts = {
        slug: app.connect(slug).accounts for slug in ("facebook", "instagram", "x", "linkedin", "youtube", "tiktok")
    }
    one = {slug: found[0]["id"] for slug, found in house.accounts.items()}
    posts = house.posts = {}
    posts["published"] = app.published(
        [one["x"], one["facebook"], one["linkedin"]],
        media=None,
        containers=[
            {"content": "The harbour at night.", "media": [media.image(alt_text="A harbour at night")]},
            {"content": "And in the morning we bake."},
        ],
    )["id"]
    house.sandbox.fault(
        "x",
        "POST",
        "/2/tweets",
        "status",
        status=403,
        body={
            "title": "Forbidden",
            "detail": "You are not allowed to create a Tweet with duplicate content.",
            "type": "about:blank",
            "status": 403,
        },
    )
    posts["partial"] = app.accepted([one["x"], one["linkedin"]], "Fresh bread from six o'clock, every day but Monday.")["post_id"]
    app.wait_post(posts["partial"])
    house.sandbox.fault(
        "linkedin", "POST", "/rest/posts", "status", status=503, body={"message": "Service unavailable", "status": 503}
    )
    posts["retried"] = app.accepted(one["linkedin"], "We are closed on Thursday for a wedding.")["post_id"]
    app.wait_post(posts["retried"])
    posts["unreachable"] = app.accepted(one["instagram"], "Look at this", media=[media.missing()])["post_id"]
    posts["scheduled"] = app.accepted(
        [one["facebook"], one["instagram"]], "Tomorrow: walnut bread.", media=[media.image()], scheduled_at=utc(86400)
    )["post_id"]
    for ahead in (2, 5, 9):
        app.accepted(one["x"], f"Planned for {ahead} days ahead", scheduled_at=utc(ahead * 86400))
    posts["video"] = app.accepted(
        [one["youtube"], one["tiktok"]],
        "Our oven, at work",
        media=[media.clip(duration=4)],
        platforms={"youtube": {"title": "Our oven"}},
    )["post_id"]
    house.dead = app.account("linkedin", user_id="user-2")  # the platform refuses its token from now on
    house.sandbox.fault(
        "linkedin",
        "GET",
        "/v2/userinfo",
        "status",
        status=401,
        body={
            "status": 401,
            "serviceErrorCode": 65601,
            "code": "REVOKED_ACCESS_TOKEN",
            "message": "The token used in the request has been revoked by the user",
        },
        times=20,
    )
    app.post(f"/v1/accounts/{house.dead}/check")
    house.sandbox.clear_faults()
    answer = app.post("/v1/webhooks", json={"url": "https://cafe.example/hooks/posthorn"})
    assert answer.status_code == 201, answer.text
    house.webhook = answer.json()["data"]["id"]
    for name, more in (("n8n", ["--scopes", "read,publish"]), ("Drafting agent", ["--scopes", "read,drafts,media", "--expires", "90d"])):
        assert app.cli("key", "create", "--app", app.client_id, "--name", name, *more).returncode == 0
    furnish_drafts(house, one, media)
    app.wait_post(posts["unreachable"])
    app.wait_post(posts["video"])
    return house


def furnish_drafts(house, one, media):
    """One that is ready, one with problems, one that was rejected."""

    def draft(**body):
        answer = house.app.post("/v1/drafts", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()["data"]["id"]

    house.drafts = {
        "ready": draft(account_ids=[one["x"], one["facebook"]], scheduled_at=utc(3 * 86400), overrides={"x": {"content": "Rye!"}},
                       containers=[{"content": "Rye bread on Friday.", "media": [media.image(alt_text="A rye loaf")]},
                                   {"content": "Order by Thursday."}]),
        "incomplete": draft(account_ids=[one["x"], "019a1fcd-7451-7617-8dc3-203f49eaf280"], content="To be written " * 30,
                            platforms={"youtube": {"title": "Nowhere"}}),
        "rejected": draft(account_ids=[one["linkedin"]], content="Half price on everything!"),
    }
    answer = house.app.post(f"/v1/drafts/{house.drafts['rejected']}/reject", json={"reason": "Only the rye is half price."})
    assert answer.status_code == 200, answer.text


def pages(house):
    app = f"/dashboard/apps/{house.app.client_id}"
    return {
        "overview": "/dashboard",
        "posts": "/dashboard/posts",
        "posts-none": "/dashboard/posts?text=nothing-like-this",
        "find": "/dashboard/find?q=harbour",
        "calendar": "/dashboard/calendar",
        "usage": "/dashboard/usage",
        "apps": "/dashboard/apps",
        "app": app,
        "settings": f"{app}/settings",
        "credentials": f"{app}/credentials",
        "credential": f"{app}/credentials/facebook",
        "compose": f"{app}/compose?post={house.posts['published']}",
        "drafts": f"{app}/drafts",
        "drafts-rejected": f"{app}/drafts?state=rejected",
        "draft-ready": f"{app}/drafts/{house.drafts['ready']}",
        "draft-incomplete": f"{app}/drafts/{house.drafts['incomplete']}",
        "draft-rejected": f"{app}/drafts/{house.drafts['rejected']}",
        "compose-draft": f"{app}/compose?draft={house.drafts['ready']}",
        "posts-failed": "/dashboard/posts?status=failed",
        "accounts": f"{app}/accounts",
        "account": f"{app}/accounts/{house.accounts['x'][0]['id']}",
        "account-dead": f"{app}/accounts/{house.dead}",
        "keys": f"{app}/keys",
        "library": f"{app}/media",
        "sandbox": f"/dashboard/apps/{house.trial}/sandbox",
        "webhooks": f"{app}/webhooks",
        "webhook": f"{app}/webhooks/{house.webhook}",
        "post-published": f"{app}/posts/{house.posts['published']}",
        "post-partial": f"{app}/posts/{house.posts['partial']}",
        "post-retried": f"{app}/posts/{house.posts['retried']}",
        "post-unreachable": f"{app}/posts/{house.posts['unreachable']}",
        "post-scheduled": f"{app}/posts/{house.posts['scheduled']}",
        "post-video": f"{app}/posts/{house.posts['video']}",
        "admins": "/dashboard/admins",
        "nodes": "/dashboard/nodes",
        "audit": "/dashboard/audit",
        "you": "/dashboard/you",
        "not-found": "/dashboard/nothing-here",
        "no-app": "/dashboard/apps/phc_none",
    }
