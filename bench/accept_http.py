#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench http`: starts a sandbox and a service with an app and two accounts, and lets bench/http.c ask it. Prints; not a test."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "api"))

from harness import App, Sandbox, Service  # noqa: E402 - from the folder named above

PLATFORM = "facebook"  # the simulated one without quotas of its own


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True, help="posthorn-bench")
    parser.add_argument("--scale", default="100")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posthorn-bench-") as directory:
        sandbox = Sandbox()
        service = Service(pathlib.Path(directory), sandbox, ["--quota-pending-posts", "0", "--quota-post-bytes", "0"])
        try:
            app = App(service).set_credentials(PLATFORM).issue_token()
            accounts = [app.account(PLATFORM, user) for user in ("user-1", "user-2")]
            port = str(urllib.parse.urlsplit(service.url).port)
            words = ["--scale", arguments.scale, "http", port, str(service.popen.pid), app.token, *accounts]
            return subprocess.run([arguments.bench, *words], check=False).returncode
        finally:
            service.stop()
            sandbox.stop()


if __name__ == "__main__":
    sys.exit(main())
