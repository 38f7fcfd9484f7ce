#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A receiver of webhooks that checks every call (Standard Webhooks 1.0.0), with nothing but Python itself.

WEBHOOK_SECRET=whsec_... python3 webhook.py PORT
"""
import base64
import binascii
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

AGE_MAX_S = 300  # an older call may be somebody's recording
BODY_MAX_BYTES = 1 << 20


def is_genuine(secret, headers, body, now=None):
    """headers: lower-case names to texts; body: the bytes as they came."""
    try:
        identifier, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
        is_fresh = abs((time.time() if now is None else now) - int(timestamp)) <= AGE_MAX_S
        key = base64.b64decode(secret.removeprefix("whsec_"))
    except (KeyError, ValueError, binascii.Error):
        return False
    signed = f"{identifier}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While a secret is being rotated there are two signatures; one that fits is enough.
    given = [part[3:].encode() for part in headers.get("webhook-signature", "").split() if part.startswith("v1,")]
    return is_fresh and any(hmac.compare_digest(expected, one) for one in given)


class Handler(http.server.BaseHTTPRequestHandler):
    seen = set()  # in a real receiver: a table, kept for a few days
    latest = {}  # the highest seq applied to each post, account or connection; in a real receiver: a column of its row

    def do_POST(self):  # noqa: N802 - the name that http.server calls
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(min(size, BODY_MAX_BYTES))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.answer(self.status_of(headers, body))

    def status_of(self, headers, body):
        if not is_genuine(os.environ["WEBHOOK_SECRET"], headers, body):
            return 401
        if headers["webhook-id"] not in self.seen:  # an event may come twice
            self.seen.add(headers["webhook-id"])
            self.apply(json.loads(body))
        return 204

    def apply(self, event):
        """Events come in any order; what has a lower seq is part of what is known already."""
        data = event["data"] or {}
        subject = data.get("id") or data.get("connection_id") or data.get("webhook_id")
        if event["seq"] > self.latest.get(subject, 0):
            self.latest[subject] = event["seq"]
            print("Event:", event["type"], event["id"], flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("Listening:", server.server_port, flush=True)
    server.serve_forever()
