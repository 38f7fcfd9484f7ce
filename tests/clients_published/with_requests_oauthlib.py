# SPDX-License-Identifier: Apache-2.0
"""requests-oauthlib: signs in at Google, renews its token, asks for its channel; then at LinkedIn, where it publishes."""
import os

from sandbox_requests import CALLBACK, TEXT, allow, member

os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"  # LinkedIn puts commas between scopes, which it takes for others
from requests_oauthlib import OAuth2Session  # noqa: E402 - after the sandbox is in its way

TOKENS = "https://oauth2.googleapis.com/token"
google = OAuth2Session("sandbox-youtube", redirect_uri=CALLBACK, scope=["https://www.googleapis.com/auth/youtube"])
url, state = google.authorization_url("https://accounts.google.com/o/oauth2/v2/auth", access_type="offline", prompt="consent")
back = allow(url)
assert member(back, "state") == state
google.fetch_token(TOKENS, code=member(back, "code"), client_secret="sandbox-secret-youtube")
google.refresh_token(TOKENS, client_id="sandbox-youtube", client_secret="sandbox-secret-youtube")
channels = google.get("https://www.googleapis.com/youtube/v3/channels", params={"part": "snippet", "mine": "true"}).json()
assert len(channels["items"]) == 1, channels

linkedin = OAuth2Session("sandbox-linkedin", redirect_uri=CALLBACK, scope=["openid", "profile", "w_member_social"])
url, state = linkedin.authorization_url("https://www.linkedin.com/oauth/v2/authorization")
linkedin.fetch_token("https://www.linkedin.com/oauth/v2/accessToken", code=member(allow(url), "code"), include_client_id=True,
                     client_secret="sandbox-secret-linkedin")
person = linkedin.get("https://api.linkedin.com/v2/userinfo").json()["sub"]
made = linkedin.post("https://api.linkedin.com/rest/posts", headers={"LinkedIn-Version": "202609", "X-Restli-Protocol-Version": "2.0.0"},
                     json={"author": f"urn:li:person:{person}", "commentary": TEXT, "visibility": "PUBLIC", "lifecycleState": "PUBLISHED",
                           "distribution": {"feedDistribution": "MAIN_FEED"}})
assert made.status_code == 201 and made.headers["x-restli-id"], made.text
