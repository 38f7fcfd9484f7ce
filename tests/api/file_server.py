# SPDX-License-Identifier: Apache-2.0
"""Files that a platform has opinions about, on 127.0.0.1, for the tests of one platform's flows. harness.Media is for those
that only want some file."""
import collections
import hashlib
import http.server
import threading
import urllib.parse

from harness import make_media, marker


def picture(path, size):
    return make_media(path, ["-f", "lavfi", "-i", f"testsrc2=size={size}", "-frames:v", "1"])


def video(path, seconds, size="128x128"):
    return make_media(
        path,
        ["-f", "lavfi", "-i", f"testsrc2=size={size}:rate=5:duration={seconds}", "-c:v", "libx264"]
        + ["-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart"],
    )


class FileServer:
    """Serves {name: bytes} under addresses of which no two are alike, and counts what is asked for."""

    def __init__(self, files):
        self.bytes = files
        self.asked = collections.Counter()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _handler(files):  # noqa: N805 - the handler below has its own self
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = urllib.parse.unquote(self.path.split("?")[0])
                files.asked[self.path] += 1
                body = files.bytes.get(path.rsplit("/", 1)[-1])
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        return Handler

    def url(self, name):
        return f"http://127.0.0.1:{self._server.server_port}/{marker('f')[2:]}/{name}"

    def item(self, name, **more):
        return {"type": "video" if name.endswith("mp4") else "image", "url": self.url(name), **more}

    def sha256(self, name):
        return hashlib.sha256(self.bytes[name]).hexdigest()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
