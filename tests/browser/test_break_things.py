# SPDX-License-Identifier: Apache-2.0
"""Who tries failures by hand: from the feed to the panel, a fault set and cleared, a knob turned, the clock moved."""
import pytest

import axe
from browser import DESKTOP, PHONE


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_person_lets_things_break(browser, furnished, size):
    browser.url = furnished.sandbox.url
    browser.resize(size)
    browser.driver.get(browser.url)
    browser.point_at("link", "Faults, knobs and clock")
    browser.settled()
    found = axe.faults(browser, "light")
    furnished.sandbox.knob("youtube_processing_ms", 2000)
    assert found == []
