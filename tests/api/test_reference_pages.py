# SPDX-License-Identifier: Apache-2.0
"""The pages of /docs beside the reference: they are made of the tables that the program works by, are there as Markdown too, lead
somewhere, and are small on the way."""
import gzip
import html
import json
import re
import urllib.parse

import pytest

from harness import ROOT, check_error
from pages import advice, failures, graph_codes, html_of
from test_description import Page

PLATFORMS = ("instagram", "facebook", "x", "linkedin", "youtube", "tiktok")
PAGES = ("errors", *PLATFORMS, "changelog")
FIRST_LOAD_BYTES = 60_000


def words_of(text):
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_there_as_html_and_as_markdown(service, name):
    answer, text = service.request("GET", f"/docs/{name}"), service.request("GET", f"/docs/{name}.md")
    assert answer.status_code == text.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8" and text.headers["Content-Type"] == "text/markdown; charset=utf-8"
    found = Page(answer.text)
    assert len(set(found.ids)) == len(found.ids) and found.sources == ["/favicon.ico", "style.css", "script.js"]
    assert re.search(r"<script(?! src=)", answer.text) is None and not [name for name in found.attributes if name.startswith("on")]
    assert text.text.startswith("# ") and "{failure}" not in text.text + answer.text
    for link in found.links:
        path, _, anchor = urllib.parse.urljoin(f"/docs/{name}", link).partition("#")
        there = service.request("GET", path)
        assert there.status_code == 200 and (not anchor or anchor in Page(there.text).ids), link


def test_what_is_none_is_not_found(service):
    check_error(service.request("GET", "/docs/myspace"), 404, "NOT_FOUND")
    assert service.request("GET", "/docs/errors", headers={"If-None-Match": "*"}).status_code == 304


def test_every_error_has_its_advice(service):
    """Those of the description, and no other; and every failure of a post, from the tables of src."""
    described = service.request("GET", "/openapi.json").json()["components"]["schemas"]
    known = {word for name in ("Error", "TokenError") for branch in described[name]["properties"]["error"]["anyOf"]
             for word in branch.get("enum", [])}
    assert set(advice()["errors"]) == known
    page = service.request("GET", "/docs/errors").text
    assert all(f'id="{word}"' in page for word in known)
    assert [code for code, _, _ in failures()] == described["FailureCode"]["enum"]
    for code, sentence, what in failures():
        assert f'id="failure-{code}"' in page and sentence in words_of(page) and what in words_of(page), code


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5])
def test_a_platform_s_page_has_its_table(app, number):
    platform = app.get("/v1/platforms").json()["data"][number]
    page = app.service.request("GET", f"/docs/{platform['slug']}").text
    text = words_of(page)
    for option in platform["options"]:
        assert f'id="{option["name"]}"' in page and option["summary"].rstrip(".") in text, option["name"]
        assert all(value in text for value in option.get("values", []))
    assert all(one["summary"] in text for one in platform["post_types"]) and all(name in text for name in platform["limits"])
    assert ("can be taken back" in text) == platform["can_unpublish"]


def test_every_number_of_meta_is_explained():
    """By the table that decides what a number counts as."""
    told = [number for numbers in advice()["platform_codes"].values() for number in numbers]
    assert sorted(told) == sorted(graph_codes()) and len(told) > 40


def test_the_search_s_index_leads_somewhere(service):
    rows = service.request("GET", "/docs/search.json").json()
    pages = {}
    for title, kind, where, text in rows:
        assert title and kind and "<" not in text, title
        path, _, anchor = urllib.parse.urljoin("/docs/search.json", where).partition("#")
        if path not in pages:
            pages[path] = set(Page(service.request("GET", path).text).ids)
        assert not anchor or anchor in pages[path], where
    titles = {title for title, _, _, _ in rows}
    assert {"2207026", "privacy_level", "RATE_LIMITED", "OUTCOME_UNKNOWN", "post.completed", "TikTok"} <= titles and len(rows) > 250


def test_the_first_load_is_small(service):
    """What a browser fetches for /docs, as it comes: compressed when the program was built."""
    total = 0
    for path in ("/docs", "/docs/style.css", "/docs/script.js"):
        plain = service.request("GET", path, headers={"Accept-Encoding": "identity"})
        packed = service.request("GET", path, headers={"Accept-Encoding": "br, gzip;q=0.8"}, stream=True)
        sent = packed.raw.read(decode_content=False)
        assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(sent) == plain.content and plain.headers["ETag"] != packed.headers["ETag"]
        assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
        total += len(sent)
    assert total < FIRST_LOAD_BYTES


def test_the_other_languages_are_a_file_of_their_own(service):
    """The page has curl alone, and says of each call which languages the file has. (What they do: tests/client_packages.)"""
    page, answer = service.request("GET", "/docs").text, service.request("GET", "/docs/samples.json")
    assert answer.headers["Content-Type"] == "application/json" and "posthorn-client" not in page and "os.environ" not in page
    again = service.request("GET", "/docs/samples.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304 and again.content == b""
    samples = answer.json()
    calls = re.findall(r'data-call="(\S+) (\d+)" data-in="([^"]+)"', page)
    assert len(calls) == sum(map(len, samples.values())) > 50
    for name, number, languages in calls:
        assert list(samples[name][int(number)]) == languages.split(), name
    assert [len(samples["publish-post"]), "getReadiness" in samples, "health" in samples] == [3, False, False]


@pytest.mark.parametrize("taken", ["identity", "gzip;q=0", "gzip; q=0.0", "br", "*", "gzipped", ""])
def test_who_does_not_take_gzip_gets_none(service, taken):
    answer = service.request("GET", "/docs/errors", headers={"Accept-Encoding": taken})
    assert answer.status_code == 200 and "Content-Encoding" not in answer.headers and answer.text.startswith("<!doctype html>")


def test_a_compressed_page_is_kept(service):
    first = service.request("GET", "/docs", headers={"Accept-Encoding": "gzip"})
    again = service.request("GET", "/docs", headers={"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == first.headers["ETag"]


def test_markdown_is_made_html():
    text = "# A `b`\n\nOne <two>.\n\n### X_1{failure}\n\n- a\n- b\n\n| c | d |\n| --- | --- |\n| `e` | f |\n"
    assert html_of(text) == (
        '<h1 id="A-b">A <code>b</code></h1><p>One &lt;two&gt;.</p><h3 id="failure-X_1">X_1</h3><ul><li>a</li><li>b</li></ul>'
        '<div class="wide" tabindex="0" role="region" aria-label="X_1"><table><thead><tr><th scope="col">c</th>'
        '<th scope="col">d</th></tr></thead><tbody><tr><td><code>e</code></td><td>f</td></tr></tbody></table></div>')
    assert html_of("# A\n\n## B\n\n## B\n") == '<h1 id="A">A</h1><h2 id="B">B</h2><h2 id="B-2">B</h2>'


def test_the_whole_reference_as_markdown(service):
    text = service.request("GET", "/docs/reference.md").text
    described = service.request("GET", "/openapi.json").json()
    for path, shared in described["paths"].items():
        for operation in shared.values():
            assert not isinstance(operation, dict) or f"## {operation['summary']}\n" in text, path
    assert json.loads((ROOT / "api/examples.json").read_text()) and len(text) < 100_000


def test_browsers_keep_the_mark(service):
    first = service.request("GET", "/favicon.ico")
    assert first.status_code == 200 and first.headers["Content-Type"] == "image/svg+xml" and first.text.startswith("<svg")
    again = service.request("GET", "/favicon.ico", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304 and again.content == b""
