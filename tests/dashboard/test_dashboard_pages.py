# SPDX-License-Identifier: Apache-2.0
"""The dashboard's files as the service hands them out."""
import gzip
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
    folder = re.search(r"/dashboard/(v-[0-9a-f]{16})/main.js", answer.text)[1]
    assert answer.status_code == 200 and answer.text.replace(f"/dashboard/{folder}/", "/dashboard/") == (WEB / "index.html").read_text()
    assert answer.headers["Content-Type"] == TYPES[".html"] and answer.headers["Cache-Control"] == "no-cache"
    check_headers(answer)


FILES = [path for path in all_sources() if path.suffix in TYPES and path.name != "index.html"]  # that one is addressed (embed_web.py)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files(get, path):
    address = "/dashboard/" + path.relative_to(WEB).as_posix()
    answer = get(address)
    assert answer.status_code == 200 and answer.content == path.read_bytes()
    assert answer.headers["Content-Type"] == TYPES[path.suffix]
    check_headers(answer)
    tag = answer.headers["ETag"]
    assert re.fullmatch(r'W/"[0-9a-f]{32}"', tag)
    for known in (tag, tag[2:], f'"x", {tag}', "*"):
        again = get(address, headers={"If-None-Match": known})
        assert again.status_code == 304 and not again.content
    assert get(address, headers={"If-None-Match": '"x"'}).status_code == 200


def bytes_on_the_way(dashboard_service, path, **headers):
    """As they are sent, packed or not."""
    answer = requests.get(dashboard_service.url + path, headers=headers, timeout=HTTP_S, stream=True)
    return answer, answer.raw.read(decode_content=False)


@pytest.mark.parametrize("accepted, is_packed", [("gzip", True), ("deflate, gzip;q=1.0, br", True), ("br, gzip", True), ("gzip;q=0", False),
                                                 ("identity", False), ("xgzip", False), ("gzipped", False)])
def test_packed_for_who_takes_it(dashboard_service, accepted, is_packed):
    answer, body = bytes_on_the_way(dashboard_service, "/dashboard/ui.js", **{"Accept-Encoding": accepted})
    plain = (WEB / "ui.js").read_bytes()
    assert answer.headers.get("Content-Encoding") == ("gzip" if is_packed else None) and answer.headers["Vary"] == "Accept-Encoding"
    assert (gzip.decompress(body) if is_packed else body) == plain and int(answer.headers["Content-Length"]) == len(body)


def test_what_a_page_names_is_kept_for_good(dashboard_service, get):
    """Below a folder that is named by what is in it; another name is not kept, and the files are the same below both."""
    folder = re.search(r"/dashboard/(v-[0-9a-f]{16})/main.js", get("/dashboard").text)[1]
    kept = get(f"/dashboard/{folder}/main.js")
    assert kept.content == (WEB / "main.js").read_bytes() and kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert get("/dashboard/main.js").headers["Cache-Control"] == "no-cache"
    assert get("/dashboard/v-0123456789abcdef/main.js").status_code == 404
    for path in re.findall(r'(?:href|src)="(/dashboard/[^"]+)"', get("/dashboard").text):
        assert path.startswith(f"/dashboard/{folder}/") and get(path).status_code == 200


def needed_by(path, seen):
    """The file and what it imports at once."""
    if path not in seen:
        seen.add(path)
        for name in re.findall(r'^(?:import|\} from|export) [^\n]*?"\./([a-z_]+\.js)"|^\} from "\./([a-z_]+\.js)"', path.read_text(), re.M):
            needed_by(WEB / (name[0] or name[1]), seen)
    return seen


PAGES = sorted(WEB.glob("page_*.js"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_light(dashboard_service, path):
    """What a page adds to the frame of all, packed; and the frame."""
    def weigh(files):
        return sum(len(bytes_on_the_way(dashboard_service, f"/dashboard/{one.name}", **{"Accept-Encoding": "gzip"})[1]) for one in files)

    frame = needed_by(WEB / "main.js", set()) | {WEB / "style.css", WEB / "index.html"}
    own = needed_by(path, set()) - frame
    assert weigh(frame) < 40_000 and weigh(own) < 40_000
    assert weigh(frame | own) < 50_000


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
