# SPDX-License-Identifier: Apache-2.0
"""Every test of the clients is done with each of them. A client whose tools are missing is skipped, and says so."""
import pytest

from packages import TypeScriptClient, need_typescript

MAKERS = {"typescript": (need_typescript, TypeScriptClient)}


@pytest.fixture(scope="session", params=MAKERS)
def package(request, tmp_path_factory):
    need, make = MAKERS[request.param]
    need()
    return make(tmp_path_factory.mktemp(request.param))
