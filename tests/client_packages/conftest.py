# SPDX-License-Identifier: Apache-2.0
"""Every test of the clients is done with each of them. A client whose tools are missing is skipped, and says so. What the Python client
does stands in one place for those who wait and those who await: with --long everything is done by both, else only AWAITED_TOO."""
import os

import pytest

from packages import AsyncPythonClient, PythonClient, TypeScriptClient, need_hatchling, need_typescript

MAKERS = {
    "typescript": (need_typescript, TypeScriptClient),
    "python": (need_hatchling, PythonClient),
    "python-async": (need_hatchling, AsyncPythonClient),
}
AWAITED_TOO = {
    "test_a_post_is_published", "test_a_lost_answer_makes_no_second_post", "test_time_is_limited",
    "test_a_token_is_issued_and_issued_again", "test_pages_and_events", "test_an_upload_goes_on_after_a_break",
}


def pytest_generate_tests(metafunc):
    if "package" not in metafunc.fixturenames:
        return
    name = metafunc.definition.originalname
    if "client" not in metafunc.fixturenames:  # of a README; there is one for both
        names = ["typescript", "python"]
    elif os.environ.get("POSTHORN_LONG") or name in AWAITED_TOO:
        names = list(MAKERS)
    else:
        names = ["typescript", "python"]
    metafunc.parametrize("package", names, indirect=True, scope="module")


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """packages(name): each is built once."""
    built = {}

    def get(name):
        need, make = MAKERS[name]
        need()
        if name not in built:
            built[name] = make(tmp_path_factory.mktemp(name))
        return built[name]

    return get


@pytest.fixture(scope="module")
def package(request, packages):
    return packages(request.param)
