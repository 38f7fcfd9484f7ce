# SPDX-License-Identifier: Apache-2.0
"""An upload of 600 MB takes no more memory than a small one: the service stays under 64 MB throughout (./dev test --long)."""
import hashlib
import os
import re

import pytest
import requests

from harness import App, Service

SIZE = 600 << 20
PIECE = 1 << 20
MOST_KB = 64 << 10

pytestmark = pytest.mark.skipif(not os.environ.get("POSTHORN_LONG"), reason="600 MB: ./dev test --long")


def film(digest):
    head = b"%PDF-1.4\n"
    yield head
    digest.update(head)
    piece = os.urandom(PIECE)
    left = SIZE - len(head)
    while left > 0:
        part = piece[:left]
        digest.update(part)
        yield part
        left -= len(part)


def most_kb(service):
    text = (open(f"/proc/{service.popen.pid}/status", encoding="ascii")).read()
    return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1])


@pytest.mark.parametrize("way", ["POST", "tus"])
def test_memory_stays_flat(tmp_path, sandbox, way):
    with Service(tmp_path / "data", sandbox) as service:
        app = App(service, name="large").issue_token()
        headers = {"Authorization": f"Bearer {app.token}"}
        digest = hashlib.sha256()
        session = requests.Session()
        if way == "POST":
            answer = session.post(f"{service.url}/v1/media", data=film(digest), headers=headers, timeout=600)
            assert answer.status_code == 201, answer.text
            made = answer.json()["data"]["id"]
        else:
            tus = {**headers, "Tus-Resumable": "1.0.0"}
            begun = session.post(f"{service.url}/v1/media/uploads", headers={**tus, "Upload-Length": str(SIZE)}, timeout=60)
            place = begun.headers["Location"]
            answer = session.patch(place, data=film(digest), timeout=600, headers={
                **tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"})
            assert answer.status_code == 204, answer.text
            made = answer.headers["Posthorn-Media-Id"]
        file = app.get(f"/v1/media/{made}").json()["data"]
        assert (file["size_bytes"], file["sha256"]) == (SIZE, digest.hexdigest())
        assert most_kb(service) < MOST_KB
