# SPDX-License-Identifier: Apache-2.0
"""src/model/request_limits.def is the one place of the limits: docs/limits.md is generated from it, and the copies of layers that do
not see model/, the API's description and the dashboard's pages have the same numbers."""
import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def generator():
    spec = importlib.util.spec_from_file_location("limits_reference", ROOT / "api/limits_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LIMITS = {name: value for name, value, _, _ in generator().read_limits()}
COPIES = [
    ("src/codec/json.c", r"#define DEPTH_MAX_DEFAULT (\d+)", "REQUEST_JSON_DEPTH_MAX"),
    ("src/outbound/guard.c", r"#define URL_MAX_BYTES (\d+)", "HTTP_URL_MAX_BYTES"),
    ("src/dashboard/web/page_compose.js", r"const ACCOUNTS_MAX = (\d+);", "POST_ACCOUNTS_MAX"),
    ("src/dashboard/web/page_compose.js", r"const CONTAINERS_MAX = (\d+);", "POST_CONTAINERS_MAX"),
]
DESCRIBED = [
    (r"format: uri, maxLength: (\d+)", "HTTP_URL_MAX_BYTES"),
    (r" user_id: \{type: string, minLength: 1, maxLength: (\d+)", "CONNECT_USER_ID_MAX_BYTES"),
    (r" email: \{type: \[string, \"null\"\], maxLength: (\d+)", "CONNECT_EMAIL_MAX_BYTES"),
    (r" account_ids: \{type: array, minItems: 1, maxItems: (\d+)", "POST_ACCOUNTS_MAX"),
    (r" containers: \{type: [^{}]*maxItems: (\d+)", "POST_CONTAINERS_MAX"),
    (r" media: \{type: [^{}]*maxItems: (\d+)", "POST_MEDIA_MAX"),
    (r" request_id: \{type: [^{}]*maxLength: (\d+)", "REQUEST_ID_MAX_CHARACTERS"),
    (r"Idempotency-Key, [^\n]*maxLength: (\d+)", "REQUEST_ID_MAX_CHARACTERS"),
]


def test_the_document_is_up_to_date():
    module = generator()
    assert module.OUTPUT.read_text() == module.reference(), "run api/limits_reference.py"


@pytest.mark.parametrize("path, pattern, name", COPIES)
def test_copies_are_equal(path, pattern, name):
    assert [int(number) for number in re.findall(pattern, (ROOT / path).read_text())] == [LIMITS[name]]


@pytest.mark.parametrize("pattern, name", DESCRIBED)
def test_the_description_is_equal(pattern, name):
    numbers = {int(number) for number in re.findall(pattern, (ROOT / "api/openapi.yaml").read_text())}
    assert numbers == {LIMITS[name]}


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_is_used(name):
    files = [path for path in (ROOT / "src").rglob("*.[ch]") if re.search(rf"\b{name}\b", path.read_text())]
    compared = [row for row in COPIES if row[2] == name]
    assert files or compared, f"{name}: no code has this limit"
