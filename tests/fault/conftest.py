# SPDX-License-Identifier: Apache-2.0
"""Figures of the fault tests, printed at the end of the run: a run that did nothing must be seen."""
import pytest

import test_pause
from fault_harness import figures_text, new_figures

SUMMARY = {}


@pytest.fixture(scope="module")
def figures(request):
    """A counter of this test file; shown in the summary."""
    name = request.module.__name__
    return SUMMARY.setdefault(name, new_figures())


@pytest.fixture(scope="session", autouse=True)
def pauses(request):
    """The services of test_pause.py stand still for half a minute: from the first of the fault tests on."""
    if not any(item.path.name == "test_pause.py" for item in request.session.items):
        return None
    return test_pause.begin_pauses(request.getfixturevalue("media"))


def pytest_configure(config):
    config.addinivalue_line("markers", "platforms(*slugs): on which platforms the world of the test has accounts")


def pytest_terminal_summary(terminalreporter):
    for name, figures in sorted(SUMMARY.items()):
        terminalreporter.write_line(f"{name}: {figures_text(figures)}")
