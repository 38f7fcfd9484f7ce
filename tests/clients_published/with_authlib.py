# SPDX-License-Identifier: Apache-2.0
"""Authlib: signs in at X with PKCE and client_secret_basic, renews its token, publishes with the new one, and takes it back."""
import secrets

from sandbox_requests import CALLBACK, TEXT, allow

from authlib.integrations.requests_client import OAuth2Session  # noqa: E402 - after the sandbox is in its way

TOKENS = "https://api.x.com/2/oauth2/token"
client = OAuth2Session("sandbox-x", "sandbox-secret-x", scope="tweet.read tweet.write users.read offline.access", redirect_uri=CALLBACK,
                       code_challenge_method="S256", token_endpoint_auth_method="client_secret_basic")
verifier = secrets.token_urlsafe(48)
url, state = client.create_authorization_url("https://x.com/i/oauth2/authorize", code_verifier=verifier)
first = client.fetch_token(TOKENS, authorization_response=allow(url), state=state, code_verifier=verifier)
second = client.refresh_token(TOKENS, refresh_token=first["refresh_token"])
assert second["access_token"] != first["access_token"]
made = client.post("https://api.x.com/2/tweets", json={"text": TEXT})
assert made.status_code == 201, made.text
assert client.revoke_token("https://api.x.com/2/oauth2/revoke", token=second["access_token"]).status_code == 200
assert client.post("https://api.x.com/2/tweets", json={"text": "never"}).status_code == 401
