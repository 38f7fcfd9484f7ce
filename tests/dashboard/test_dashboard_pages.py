# SPDX-License-Identifier: Apache-2.0
"""The dashboard's files as the service hands them out."""
import re

import pytest
import requests

from client import all_sources
from harness import HTTP_S, ROOT

WEB = ROOT / "src/dashboard/web"
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
          "frame-ancestors 'none'; base-uri 'none'")
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml"}


@pytest.fixture
def get(dashboard_service):
    return lambda path, **more: requests.get(dashboard_service.url + path, timeout=HTTP_S, allow_redirects=False, **more)


def check_headers(answer):
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/dashboard", "/dashboard/", "/dashboard/setup",
                         "/dashboard/apps/phc_x/connected?connection_id=c", "/dashboard/posts/a.b/c"])
def test_every_page_is_the_one_shell(get, path):
    answer = get(path)
    assert answer.status_code == 200 and answer.content == (WEB / "index.html").read_bytes()
    assert answer.headers["Content-Type"] == TYPES[".html"] and answer.headers["Cache-Control"] == "no-cache"
    check_headers(answer)


@pytest.mark.parametrize("path", [path for path in all_sources() if path.suffix in TYPES], ids=lambda path: path.name)
def test_files(get, path):
    address = "/dashboard/" + path.relative_to(WEB).as_posix()
    answer = get(address)
    assert answer.status_code == 200 and answer.content == path.read_bytes()
    assert answer.headers["Content-Type"] == TYPES[path.suffix]
    check_headers(answer)
    tag = answer.headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = get(address, headers={"If-None-Match": known})
        assert again.status_code == 304 and not again.content
    assert get(address, headers={"If-None-Match": '"x"'}).status_code == 200


@pytest.mark.parametrize("path",
                         ["/dashboard/no.js",
                          "/dashboard/api",
                          "/dashboard/api/",
                          "/dashboard/api/nothing",
                          "/dashboard/%2e%2e/admin.c",
                          "/dashboard/web/index.html"])
def test_what_is_not_there(get, path):
    answer = get(path)
    assert answer.status_code == 404
    check_headers(answer)


def test_pages_are_read_only(dashboard_service):
    answer = requests.post(dashboard_service.url + "/dashboard", timeout=HTTP_S)
    assert answer.status_code == 405
