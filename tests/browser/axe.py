# SPDX-License-Identifier: Apache-2.0
"""What axe-core finds on a page. It comes from npm and is looked for at POSTHORN_AXE and among node's global modules; without it a test
is skipped, and says so."""
import os
import pathlib
import shutil
import subprocess

import pytest

from browser import WAIT_S

# It reads every element several times: on a busy machine the longest pages take more than a minute.
AXE_S = 300
# What cannot be judged by colour alone is judged by people; the rest of WCAG 2.2 A and AA. A dark page differs in its colours alone, and
# one at phone size in all but its colours.
CONTRAST = "color-contrast"
RULES = {
    "light": {},
    "dark": {"runOnly": {"type": "rule", "values": [CONTRAST]}},
    "phone": {"rules": {CONTRAST: {"enabled": False}}},
}
ALL = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], "resultTypes": ["violations"]}
RUN = """
const [options, done] = arguments;
axe.run(document, options).then((found) => done(found.violations.map((one) => one.id + ': '
	+ one.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join(' | '))));
"""


def find_axe():
    given = os.environ.get("POSTHORN_AXE")
    if given:
        return pathlib.Path(given)
    npm = shutil.which("npm")
    root = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, timeout=60).stdout.strip() if npm else ""
    found = pathlib.Path(root) / "axe-core" / "axe.min.js"
    return found if root and found.exists() else None


def faults(browser, look):
    """What it finds on the page that is open, in a look (light, dark, phone). Skips the test where it is not installed."""
    path = find_axe()
    if path is None:
        pytest.skip("axe-core is not installed (npm install -g axe-core, or POSTHORN_AXE=.../axe.min.js)")
    browser.driver.execute_script(path.read_text(encoding="utf-8"))
    browser.driver.set_script_timeout(AXE_S)
    try:
        return browser.driver.execute_async_script(RUN, {**ALL, **RULES[look]})
    finally:
        browser.driver.set_script_timeout(WAIT_S)
