# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium as a person uses it: opens pages of the dashboard, presses buttons by their words, fills fields
by their labels, waits for what is to be seen. Nothing here knows how the pages are built, but for the marks named in
`settled`."""
import os
import pathlib
import shutil
import time

try:
    from selenium import webdriver
    from selenium.common.exceptions import JavascriptException, StaleElementReferenceException, WebDriverException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:  # conftest.py says so
    webdriver = ActionChains = By = Keys = None

WAIT_S = 60
DESKTOP = (1280, 900)
PHONE = (390, 844)

CHROMIUM = os.environ.get("POSTHORN_CHROMIUM") or shutil.which("chromium")
CHROMEDRIVER = os.environ.get("POSTHORN_CHROMEDRIVER") or shutil.which("chromedriver")

# Before anything of a page runs: what must never happen is written down.
WITNESS = """
window.__ran = [];
window.__refused = [];
window.pwned = (name) => window.__ran.push(String(name));
window.alert = window.confirm = window.prompt = (text) => { window.__ran.push(String(text)); return null; };
document.addEventListener('securitypolicyviolation', (e) => window.__refused.push(e.violatedDirective + ' ' + e.blockedURI));
window.addEventListener('error', (e) => window.__ran.push('error: ' + e.message));
window.addEventListener('unhandledrejection', (e) => window.__ran.push('rejection: ' + (e.reason && e.reason.message || e.reason)));
window.witnessShifts = [];
new PerformanceObserver((list) => {
	for (const shift of list.getEntries().filter((one) => !one.hadRecentInput)) {
		const moved = shift.sources.map((source) => source.node?.outerHTML ?? source.node?.parentElement?.outerHTML ?? '?');
		window.witnessShifts.push([shift.value, ...moved.map((html) => html.slice(0, 80))]);
	}
}).observe({type: 'layout-shift', buffered: true});
"""

# The element that a person would mean, in the dialog when one is open. Words are compared without regard to blanks.
FIND = """
const [kind, words] = arguments;
const root = document.querySelector('dialog[open]') ?? document;
const plain = (text) => (text ?? '').replace(/\\s+/g, ' ').trim();
const isSeen = (one) => one.getClientRects().length > 0;
if (kind === 'button') {
	const isMeant = (one) => isSeen(one) && (plain(one.textContent) === words || one.getAttribute('aria-label') === words);
	return [...root.querySelectorAll('button, a.button')].find(isMeant) ?? null;
}
if (kind === 'link') {
	return [...root.querySelectorAll('a[href]')].find((one) => isSeen(one) && plain(one.textContent) === words) ?? null;
}
const says = (one) => plain(one.textContent) === words || plain(one.textContent).startsWith(words + ' (')
	|| plain(one.querySelector('span')?.textContent) === words;
const label = [...root.querySelectorAll('label')].find((one) => isSeen(one) && says(one));
return label ? (label.htmlFor ? document.getElementById(label.htmlFor) : label.querySelector('input, select')) : null;
"""

# React to input as if it had been typed.
FILL = """
const [control, text] = arguments;
control.focus();
control.value = text;
control.dispatchEvent(new Event('input', {bubbles: true}));
control.dispatchEvent(new Event('change', {bubbles: true}));
"""


def what_is_missing():
    """A sentence, or None."""
    if webdriver is None:
        return "python3-selenium is not installed"
    return None if CHROMIUM and CHROMEDRIVER else "chromium or chromedriver is not installed"


class Browser:
    def __init__(self, size=DESKTOP, is_dark=False, bypass_policy=False):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-default-apps",
            "--disable-sync",
            "--lang=en-US",
            "--force-prefers-reduced-motion",
            "--no-proxy-server",
        ):
            options.add_argument(argument)
        options.add_argument(f"--window-size={size[0]},{size[1]}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(CHROMEDRIVER), options=options)
        self.driver.set_script_timeout(WAIT_S)
        self.cdp("Page.enable")
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WITNESS)
        self.cdp(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        )
        if bypass_policy:
            self.cdp("Page.setBypassCSP", enabled=True)
        self.resize(size)
        self.url = None

    def cdp(self, method, **parameters):
        return self.driver.execute_cdp_cmd(method, parameters)

    def resize(self, size):
        self.cdp("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 600)

    def dark(self, is_dark=True):
        self.cdp(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        )

    def close(self):
        self.driver.quit()

    # ---- waiting ----

    def wait(self, what, check, timeout_s=WAIT_S):
        """Calls check() until it returns something true, and returns that. A page that changes meanwhile is looked at again."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                found = check()
            except (StaleElementReferenceException, JavascriptException):
                found = None
            if found:
                return found
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"not within {timeout_s} s: {what}; the page at {self.driver.current_url} says:\n{self.text()[:3000]}"
                )
            time.sleep(0.03)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settled(self):
        """A page is there, and is not loading."""
        return self.wait(
            "the page is loaded",
            lambda: self.js(
                "return document.readyState === 'complete' && document.querySelector('main h1') !== null"
                " && document.querySelector('.loading') === null"
            ),
        )

    # ---- what a person does ----

    def open(self, path):
        self.driver.get(self.url + path if path.startswith("/") else path)
        return self.settled()

    def shift(self):
        """(how much moved by itself since the page was opened, what), as browsers measure it: 0 is nothing."""
        shifts = self.js("return window.witnessShifts")
        return sum(one[0] for one in shifts), shifts

    def look_for(self, kind, words):
        return self.js("return (function () {" + FIND + "}).apply(null, arguments)", kind, words)

    def find(self, kind, words):
        return self.wait(f"a {kind} “{words}”", lambda: self.look_for(kind, words))

    def has(self, kind, words):
        return self.look_for(kind, words) is not None

    def point_at(self, kind, words):
        """As a person does: what lies under something else cannot be pressed."""

        def work():
            element = self.look_for(kind, words)
            if element is None:
                return False
            self.js("arguments[0].scrollIntoView({block: 'center'})", element)
            try:
                element.click()
            except WebDriverException as failure:
                if (
                    isinstance(failure, StaleElementReferenceException)
                    or "intercepted" in str(failure)
                    or "not interactable" in str(failure)
                ):
                    return False
                raise
            return True

        self.wait(f"a {kind} “{words}” that can be pressed", work)

    def press(self, words):
        self.point_at("button", words)

    def follow(self, words):
        self.point_at("link", words)
        self.settled()

    def fill(self, label, text):
        def work():
            control = self.look_for("field", label)
            return control is not None and (self.js(FILL, control, text) or True)

        self.wait(f"a field “{label}”", work)

    def choose(self, label, words):
        """An option by its words."""
        self.js(
            "const [control, words] = arguments; control.value = [...control.options].find((one) => one.textContent.trim() === words).value;"
            "control.dispatchEvent(new Event('change', {bubbles: true}));",
            self.find("field", label),
            words,
        )

    def tick(self, words):
        box = self.js(
            "return [...document.querySelectorAll('.check')].find((one) => one.textContent.includes(arguments[0]))?.querySelector('input') ?? null",
            words,
        )
        assert box is not None, f"no box “{words}”"
        if not box.is_selected():
            self.js("arguments[0].click()", box)

    # ---- what a person sees ----

    def text(self):
        return self.js("return document.body.innerText") or ""

    def see(self, *words):
        """Waits until all of these words are to be seen, however they are set."""
        for word in words:
            self.wait(f"to see “{word}”", lambda word=word: word.lower() in self.text().lower())

    def heading(self):
        return self.js("return document.querySelector('h1')?.textContent ?? ''")

    def value_of(self, label):
        """What a field to be copied holds."""
        return self.wait(
            f"the value {label}",
            lambda: self.js(
                "return [...document.querySelectorAll('[data-value]')].findLast((one) => one.dataset.value === arguments[0])?.textContent",
                label,
            ),
        )

    def path(self):
        return self.js("return location.pathname")

    # ---- what must never be ----

    def check_quiet(self):
        """No script of others ran, nothing was refused by the policy, nothing went wrong."""
        assert self.js("return window.__ran ?? []") == []
        assert self.js("return window.__refused ?? []") == []
        severe = [
            row["message"]
            for row in self.driver.get_log("browser")
            if row["level"] == "SEVERE" and "Failed to load resource" not in row["message"]
        ]
        assert severe == []

    def screenshot(self, path):
        """The whole page, not only what fits into the window."""
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        width, height = self.js(
            "return [innerWidth, Math.min(Math.max(document.documentElement.scrollHeight, innerHeight), 6000)]"
        )
        is_phone = width < 600
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)
        self.driver.save_screenshot(str(path))
        self.resize(DESKTOP if not is_phone else PHONE)

    # ---- the session ----

    def sign_in(self, email, password):
        self.open("/dashboard/login")
        self.fill("Email", email)
        self.fill("Password", password)
        self.press("Sign in")
        self.wait("to be signed in", lambda: "/login" not in self.path() and self.has("button", "Sign out"))
        self.settled()
