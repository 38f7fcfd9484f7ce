# SPDX-License-Identifier: Apache-2.0
"""Figures of the fault tests, printed at the end of the run: a run that did nothing must be seen."""
import pytest

from fault_harness import figures_text, new_figures

SUMMARY = {}


@pytest.fixture(scope="module")
def figures(request):
    """A counter of this test file; shown in the summary."""
    name = request.module.__name__
    return SUMMARY.setdefault(name, new_figures())


def pytest_terminal_summary(terminalreporter):
    for name, figures in sorted(SUMMARY.items()):
        terminalreporter.write_line(f"{name}: {figures_text(figures)}")
