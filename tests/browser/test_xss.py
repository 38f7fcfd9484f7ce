# SPDX-License-Identifier: Apache-2.0
"""Texts of strangers stay texts. Every text of every answer that the dashboard gets is replaced by a payload, on
every page, until all of them were shown; the policy is switched off in the browser, so that what holds is the way
pages are made. Then the same through the whole house, with the policy on: posts, users, webhooks, app names and what
a platform says."""
import json
import pathlib
import re
import urllib.request

import pytest

from browser import Browser
from harness import HTTP_S, App, utc
from house import EMAIL, PASSWORD, pages
from payloads import payloads

WEB = pathlib.Path(__file__).resolve().parent.parent.parent / "src" / "dashboard" / "web"

# Answers on their way to the page: every text becomes a payload, but for those that the page decides by.
PLANT = """
(() => {
const payloads = %s;
const kept = /^(id|client_id|app_id|account_id|connection_id|event_id|delivery_id|code|state|status|verdict|outcome|mode|at|since|hour|date|month|platform|action|next|csrf_token|sandbox_url|on_unknown|connect_confirmation|account_type|type)$|_at$/;
const real = window.fetch;
window.__planted = {};
let next = Number(sessionStorage.getItem('planted') ?? 0);
const walk = (value, key) => {
	if (typeof value === 'string') {
		if (kept.test(key) || value === '') {
			return value;
		}
		const payload = payloads[next++ %% payloads.length];
		(window.__planted[key] ??= []).push(payload);
		return payload;
	}
	if (Array.isArray(value)) {
		return value.map((one) => walk(one, key));
	}
	return value === null || typeof value !== 'object' ? value : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]));
};
window.fetch = async (...request) => {
	const answer = await real(...request);
	if (!String(request[0]).startsWith('/dashboard/api/')) {
		return answer;
	}
	const text = await answer.text();
	const body = text === '' ? null : JSON.stringify(walk(JSON.parse(text), ''));
	sessionStorage.setItem('planted', String(next));
	return new Response(body, {status: answer.status, headers: answer.headers});
};
})();
"""

# What nobody but markup could have made; the dashboard makes none of these.
STRANGERS = """
return [...document.querySelectorAll('script:not([src^="/dashboard/v-"][src$="/main.js"]), iframe, object, embed, img:not([src^="/dashboard/api/apps/"]), video, audio, source, base, meta[http-equiv], style, marquee, math, template, xmp, animate, set, foreignObject, link:not([href^="/dashboard/"])'),
	...[...document.querySelectorAll('*')].filter((one) => [...one.attributes].some((at) => at.name.startsWith('on') || (/^(href|src|action|formaction|xlink:href)$/.test(at.name) && /^\\s*(javascript|data|vbscript|\\/\\/)/i.test(at.value))))
].map((one) => one.outerHTML.slice(0, 200));
"""

# Which of the planted texts are on the page as they are, by the field they came from.
SHOWN = """
const all = document.body.textContent + '\\u0000' + [...document.querySelectorAll('input, textarea')].map((one) => one.value).join('\\u0000') + '\\u0000' + [...document.querySelectorAll('[title]')].map((one) => one.title).join('\\u0000');
const shown = {};
for (const [key, texts] of Object.entries(window.__planted)) {
	const there = texts.filter((one) => all.includes(one) || all.includes(one.trim()));
	if (there.length > 0) {
		shown[key] = there;
	}
}
return shown;
"""

# Fields that strangers write, and that a page must have shown at least once.
MUST_BE_SHOWN = {
    "name",
    "text",
    "handle",
    "username",
    "external_user_id",
    "app_user_id",
    "url",
    "message",
    "platform_message",
    "content",
    "host_path",
    "stage",
    "decision",
    "excerpt",
    "email",
    "app_name",
    "alt_text",
    "request_id",
    "sentence",
    "advice",
    "scopes",
    "redirect_uri",
    "steps",
    "review",
    "events",
    "user_agent",
    "address",
    "what",
    "platform_account_id",
    "reason",
    "created_by",
    "by",
    "field",
}


NOTHING_THERE = {"posts-none", "not-found", "no-app"}


def no_strangers(browser, name):
    assert browser.js("return window.__ran") == [], name
    assert browser.js(STRANGERS) == [], name


@pytest.fixture(scope="module")
def careless():
    """A browser that lets every script run."""
    one = Browser(bypass_policy=True)
    yield one
    one.close()


def test_the_witness_sees_what_runs(careless, furnished):
    """The tests below mean something: markup that is taken for markup is noticed."""
    careless.url = furnished.url
    careless.open("/dashboard/login")
    careless.js("document.querySelector('main').innerHTML = '<img src=x onerror=pwned(1)>'")
    assert careless.js(STRANGERS) != []
    careless.wait("the script to run", lambda: careless.js("return window.__ran.length > 0"))


def test_no_text_of_any_answer_becomes_markup(careless, furnished):
    browser = careless
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    everything = payloads()
    planted = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=PLANT % json.dumps(everything))
    try:
        shown, fields = set(), set()
        for _ in range(5):  # two are usually enough
            for name, path in pages(furnished).items():
                if name in NOTHING_THERE:
                    continue
                browser.open(path)
                no_strangers(browser, name)
                for field, texts in browser.js(SHOWN).items():
                    fields.add(field)
                    shown.update(texts)
            if len(shown) == len(everything) and not MUST_BE_SHOWN - fields:
                break
        missing = [text for text in everything if text not in shown]
        assert missing == []
        assert MUST_BE_SHOWN - fields == set()
    finally:
        browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=planted["identifier"])


@pytest.fixture(scope="module")
def infested(furnished):
    """An app whose name, users, posts and webhooks are payloads, and a platform that answers with them."""
    everything = payloads()
    printable = [text for text in everything if not re.search(r"[\x00-\x1f\x7f\u2028\u2029]", text)]
    app = App(furnished.service, name=printable[0], owner=EMAIL).set_credentials("facebook", "linkedin").issue_token()
    account = app.connect("facebook", user_id=printable[2]).accounts[0]["id"]
    member = app.connect("linkedin", user_id=printable[4]).accounts[0]["id"]
    size = 25
    for start in range(0, len(everything), size):
        text = "\n".join(everything[start : start + size])
        app.accepted(account, text, scheduled_at=utc(86400))
    for start in range(0, len(everything), size):
        body = {"containers": [{"content": text} for text in printable[start : start + 5]], "account_ids": [printable[start % 50]],
                "platforms": {"youtube": {"title": printable[start % 50]}}}
        draft = app.post("/v1/drafts", json=body).json()["data"]["id"]
        answer = app.post(f"/v1/drafts/{draft}/reject", json={"reason": "\n".join(printable[start : start + 5])[:1000]})
        assert answer.status_code in (200, 422), answer.text
    for index in range(3):
        answer = app.post(
            "/v1/webhooks",
            json={
                "url": f"https://cafe.example/?{'&'.join(re.sub(r'[^ -~]|[ #]', '', text) for text in printable[index * 3:index * 3 + 3])}"
            },
        )
        assert answer.status_code in (201, 422), answer.text
    furnished.sandbox.fault(
        "linkedin",
        "POST",
        "/rest/posts",
        "status",
        status=422,
        body={"message": "".join(printable[6:12]), "status": 422, "code": "UNPROCESSABLE_ENTITY"},
    )
    failed = app.wait_post(app.accepted(member, "refused with words")["post_id"])
    assert failed["status"] == "failed"
    return app, failed, everything


def test_the_house_with_the_policy_on(browser, furnished, infested):
    app, failed, everything = infested
    browser.url = furnished.url
    browser.sign_in(EMAIL, PASSWORD)
    base = f"/dashboard/apps/{app.client_id}"
    posts = app.list(per_page=100)["data"]
    drafts = app.get("/v1/drafts?per_page=100").json()["data"]
    assert len(drafts) >= 5
    paths = [
        f"{base}/drafts",
        *(f"{base}/drafts/{draft['id']}" for draft in drafts),
        f"{base}/compose?draft={drafts[0]['id']}",
        "/dashboard",
        "/dashboard/apps",
        f"/dashboard/posts?client_id={app.client_id}",
        "/dashboard/calendar",
        base,
        f"{base}/settings",
        f"{base}/accounts",
        f"{base}/webhooks",
        f"{base}/posts/{failed['id']}",
        f"{base}/compose?post={failed['id']}",
        *(f"{base}/posts/{post['id']}" for post in posts),
    ]
    seen = ""
    for path in paths:
        browser.open(path)
        no_strangers(browser, path)
        browser.check_quiet()
        seen += browser.js(
            "return document.body.textContent + ' ' + [...document.querySelectorAll('input, textarea')].map((one) => one.value).join(' ')"
        )
    assert [text for text in everything if text.strip() not in seen] == []


def test_addresses_lead_nowhere_bad(browser, furnished):
    """What a post's address claims to be: only http and https become links."""
    browser.url = furnished.url
    browser.open("/dashboard/login")
    found = browser.driver.execute_async_script(
        """
        const done = arguments[arguments.length - 1];
        import('/dashboard/dom.js').then(({h, safeAddress}) => done({
            refused: ['javascript:pwned(1)', ' javascript:pwned(1)', 'java\\nscript:pwned(1)', 'data:text/html,x', 'vbscript:x', '//evil.example', '/\\\\evil.example', 'blob:x', 'file:///etc/passwd'].filter((one) => h('a', {href: one}).hasAttribute('href')),
            taken: ['https://a.example/x', 'http://a.example', '/dashboard'].filter((one) => safeAddress(one) !== null).length,
            throws: [() => h('script'), () => h('iframe'), () => h('p', {onclick: 'pwned(1)'}), () => h('p', {style: 'color:red'}), () => h('p', {srcdoc: 'x'})].filter((one) => { try { one(); return false; } catch { return true; } }).length}));
    """
    )
    assert found == {"refused": [], "taken": 3, "throws": 5}


# ---- how the pages are made ----

FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment|setHTMLUnsafe|\.cssText|setAttribute\(\"style\"|javascript:",
    re.I,
)


@pytest.mark.parametrize("path", sorted(WEB.glob("*.js")), ids=lambda path: path.name)
def test_modules_make_no_markup_of_text(path):
    found = [line for line in path.read_text(encoding="utf-8").splitlines() if FORBIDDEN.search(line)]
    assert found == []


def test_no_inline_script_or_style():
    page = (WEB / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page) == []
    assert "http" not in re.sub(r"<!--.*?-->", "", page, flags=re.S), "nothing from elsewhere"


def test_nothing_comes_from_elsewhere():
    for path in [*WEB.glob("*.js"), *WEB.glob("*.css")]:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not re.search(r"(import|url)\s*\(?\s*[\"']?https?:", line), f"{path.name}: {line}"


def test_policy(furnished):
    with urllib.request.urlopen(f"{furnished.url}/dashboard", timeout=HTTP_S) as answer:
        policy = answer.headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in policy
    assert "unsafe" not in policy
