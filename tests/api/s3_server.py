# SPDX-License-Identifier: Apache-2.0
"""A small S3 server on 127.0.0.1 that believes nobody: it computes the signature of every request anew, as Amazon's document "Create a
signed AWS API request" (Signature Version 4) describes, from what arrived on the wire, and refuses what differs. One bucket, in memory.
(The servers on npm that were looked at accept any signature of version 4.)"""
import datetime
import hashlib
import hmac
import http.server
import re
import threading
import urllib.parse
from xml.sax.saxutils import escape

ACCESS_KEY = "AKIAPOSTHORNTEST"
SECRET_KEY = "a secret/of the+tests"
REGION = "eu-central-1"
BUCKET = "media"
SKEW_S = 900
PAGE = 1000

AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<date>\d{8})/(?P<region>[^/]+)/s3/aws4_request, "
    r"SignedHeaders=(?P<headers>[a-z0-9;-]+), Signature=(?P<signature>[0-9a-f]{64})")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def keyed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def canonical_query(query):
    pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))


def signature_of(method, target, headers, found, amz_date):
    path, _, query = target.partition("?")
    names = found["headers"].split(";")
    lines = "".join(f"{name}:{' '.join(headers.get(name, '').split())}\n" for name in names)
    request = "\n".join([method, path, canonical_query(query), lines, found["headers"], headers.get("x-amz-content-sha256", "")])
    scope = f"{found['date']}/{found['region']}/s3/aws4_request"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", amz_date, scope, sha256(request.encode())])
    key = keyed(f"AWS4{SECRET_KEY}".encode(), found["date"])
    for part in (found["region"], "s3", "aws4_request"):
        key = keyed(key, part)
    return hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()


def why_refused(method, target, headers, body):
    """The code of the refusal; None: the request is signed as it has to be."""
    found = AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if not found:
        return "AccessDenied"
    amz_date = headers.get("x-amz-date", "")
    signed = found["headers"].split(";")
    if found["key"] != ACCESS_KEY:
        return "InvalidAccessKeyId"
    if found["region"] != REGION:
        return "AuthorizationHeaderMalformed"
    if "host" not in signed or any(name.startswith("x-amz-") and name not in signed for name in headers):
        return "AccessDenied"
    sent = datetime.datetime.strptime(amz_date, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    if abs((datetime.datetime.now(datetime.timezone.utc) - sent).total_seconds()) > SKEW_S or amz_date[:8] != found["date"]:
        return "RequestTimeTooSkewed"
    if found["signature"] != signature_of(method, target, headers, found, amz_date):
        return "SignatureDoesNotMatch"
    return None if headers.get("x-amz-content-sha256") == sha256(body) else "XAmzContentSHA256Mismatch"


class S3:
    def __init__(self):
        self.objects = {}  # name -> (bytes, when)
        self.requests = []  # (method, target, code of the refusal or None)
        self.failing = False  # every request is answered 503
        self.port = 0
        self._server = None
        self.start()

    def start(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def url(self, folder="posthorn"):
        return f"s3://{BUCKET}/{folder}?endpoint=http://127.0.0.1:{self.port}&region={REGION}"

    def names(self, part=""):
        return sorted(name for name in self.objects if part in name)

    def listing(self, query):
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        names = [name for name in sorted(self.objects)
                 if name.startswith(asked.get("prefix", "")) and name > asked.get("start-after", "")][:PAGE]
        rows = "".join(f"<Contents><Key>{escape(name)}</Key><LastModified>{self.objects[name][1]:%Y-%m-%dT%H:%M:%S.000Z}</LastModified>"
                       f"<Size>{len(self.objects[name][0])}</Size></Contents>" for name in names)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult><KeyCount>{len(names)}</KeyCount>{rows}</ListBucketResult>'

    def _handler(store):  # noqa: N805 - the handler below has its own self
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def refuse(self, status, code):
                store.requests.append((self.command, self.path, code))
                self.answer(status, f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode())

            def take(self):
                """The body; None: answered."""
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                code = why_refused(self.command, self.path, headers, body)
                if store.failing:
                    self.refuse(503, "SlowDown")
                elif code:
                    self.refuse(403, code)
                elif not self.path.startswith(f"/{BUCKET}"):
                    self.refuse(404, "NoSuchBucket")
                else:
                    store.requests.append((self.command, self.path, None))
                    return body
                return None

            def name(self):
                return urllib.parse.unquote(self.path.partition("?")[0][len(BUCKET) + 2:])

            def do_GET(self):
                if self.take() is None:
                    return
                if not self.name():
                    self.answer(200, store.listing(self.path.partition("?")[2]).encode(), Content_Type="application/xml")
                elif self.name() in store.objects:
                    self.answer(200, store.objects[self.name()][0])
                else:
                    self.refuse(404, "NoSuchKey")

            def do_PUT(self):
                body = self.take()
                if body is not None:
                    store.objects[self.name()] = (body, datetime.datetime.now(datetime.timezone.utc))
                    self.answer(200)

            def do_DELETE(self):
                if self.take() is not None:
                    store.objects.pop(self.name(), None)
                    self.answer(204)

            def log_message(self, *_):
                pass

        return Handler
