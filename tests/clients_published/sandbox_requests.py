# SPDX-License-Identifier: Apache-2.0
"""Imported before a client of Python: whatever it asks of https://HOST/PATH with requests goes to SANDBOX/HOST/PATH, as the service's
calls do. And the person who allows an app."""
import os
import urllib.parse

import requests

CALLBACK = "http://127.0.0.1:9/callback"
SANDBOX = os.environ["POSTHORN_SANDBOX"]
TEXT = os.environ["POSTHORN_TEXT"]
plain_request = requests.Session.request


def moved(url):
    return url.replace("https://", f"{SANDBOX}/", 1) if url.startswith("https://") else url


def request(session, method, url, *given, **named):
    return plain_request(session, method, moved(url), *given, **named)


requests.Session.request = request


def allow(url):
    """Says yes on the consent page of that address; returns the address that the browser is sent back to."""
    answer = requests.get(f"{url}&sandbox_decision=allow", allow_redirects=False, timeout=20)
    back = answer.headers.get("location", "")
    assert answer.status_code == 302 and back.startswith(CALLBACK), (answer.status_code, back, answer.text)
    return back


def member(url, name):
    return urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)[name][0]
