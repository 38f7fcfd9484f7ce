# SPDX-License-Identifier: Apache-2.0
"""Who tries failures by hand: from the feed to the panel, a fault set and cleared, a knob turned, the clock moved."""
import pytest

import axe
from browser import DESKTOP, PHONE
from test_screenshots import OUT


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_person_lets_things_break(browser, furnished, size):
    browser.url = furnished.sandbox.url
    browser.resize(size)
    browser.driver.get(browser.url)
    browser.point_at("link", "Faults, knobs and clock")
    browser.settled()
    assert "Nothing is going to break." in browser.text()
    browser.choose("Platform", "X")
    browser.fill("Path", "/2/tweets")
    browser.press("Set the fault")
    browser.wait("the fault is shown", lambda: "/2/tweets status" in browser.text())
    browser.press("Clear all faults")
    browser.wait("it is gone", lambda: "Nothing is going to break." in browser.text())
    browser.fill("youtube_processing_ms", "2500")
    browser.press("Set the knobs")
    browser.wait("it is marked", lambda: browser.js("return document.querySelectorAll('tr.set').length") >= 1)
    browser.screenshot(OUT / ("phone" if size == PHONE else "desktop") / "sandbox-panel.png")
    wide = browser.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    found = axe.faults(browser, "light")
    furnished.sandbox.knob("youtube_processing_ms", 2000)
    assert found == []
