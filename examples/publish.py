#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Token, connect, publish, wait, list: in Python with requests. Variables: POSTHORN, CLIENT_ID, CLIENT_SECRET, PLATFORM
(examples/README.md)."""
import os
import sys
import time
import uuid

import requests

SERVICE = os.environ.get("POSTHORN", "http://127.0.0.1:8080")


class Refused(Exception):
    """The service said no; error is a word that does not change."""

    def __init__(self, answer):
        body = answer.json()
        self.error = body["error"]
        super().__init__(f"{answer.status_code} {body['error']}: {body['message']}")


class Posthorn:
    def __init__(self, url, client_id, client_secret):
        self.url = url
        self.session = requests.Session()
        answer = requests.post(
            f"{url}/v1/oauth/token", data={"grant_type": "client_credentials"}, auth=(client_id, client_secret), timeout=30
        )
        self.session.headers["Authorization"] = f"Bearer {self.taken(answer)['access_token']}"

    @staticmethod
    def taken(answer):
        if not answer.ok:
            raise Refused(answer)
        return answer.json()

    def get(self, path, **query):
        return self.taken(self.session.get(f"{self.url}{path}", params=query, timeout=30))

    def post(self, path, body):
        """Tries again when nobody answered or the service is busy: safe, because publishing goes by request_id."""
        for wait_s in (1, 2, 4, None):
            try:
                answer = self.session.post(f"{self.url}{path}", json=body, timeout=30)
                if answer.status_code not in (429, 503) or wait_s is None:
                    return self.taken(answer)
                wait_s = int(answer.headers.get("Retry-After", wait_s))
            except requests.ConnectionError:
                if wait_s is None:
                    raise
            time.sleep(wait_s)


def wait_until(look, is_done):
    while True:
        found = look()
        if is_done(found):
            return found
        time.sleep(1)


def main():
    posthorn = Posthorn(SERVICE, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
    platform = os.environ.get("PLATFORM", "x")

    begun = posthorn.get(f"/v1/oauth/{platform}/connect", user_id="user-42", redirect_url="https://customer.example/connected")
    print("Open:", begun["redirect_url"], flush=True)
    connection = wait_until(
        lambda: posthorn.get(f"/v1/connections/{begun['connection_id']}/accounts"), lambda found: found["status"] != "pending"
    )
    if connection["status"] == "failed":
        sys.exit(f"Not connected: {connection['error']}")
    account = connection["accounts"][0]
    print("Connected:", account["username"])

    request_id = f"python-{uuid.uuid4()}"
    body = {"request_id": request_id, "account_ids": [account["id"]], "content": f"Hello from Python, {request_id}"}
    try:
        post_id = posthorn.post("/v1/posts/publish", body)["data"]["post_id"]
    except Refused as refused:
        if refused.error == "INVALID_ACCOUNT":
            sys.exit("The account must be connected again.")
        raise
    post = wait_until(lambda: posthorn.get(f"/v1/posts/{post_id}")["data"], lambda found: found["status"] in ("published", "failed"))
    print("Post:", post["status"])

    for listed in posthorn.get("/v1/posts", per_page=5)["data"]:
        print("Listed:", listed["id"], listed["status"], listed["containers"][0]["content"])
    return 0 if post["status"] == "published" else 1


if __name__ == "__main__":
    sys.exit(main())
