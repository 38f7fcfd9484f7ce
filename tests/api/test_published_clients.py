# SPDX-License-Identifier: Apache-2.0
"""The sandbox understands published clients of the platforms: each test speaks to it as the named client does. (The clients themselves
are not run here.)"""
import base64
import hashlib
import urllib.parse

import pytest
import requests

BACK = "http://127.0.0.1:9/back"
PLAIN = "a-verifier-of-more-than-forty-three-characters-0123"


@pytest.fixture
def box(start_sandbox):
    return start_sandbox().url


def authorize(box, place, **parameters):
    """The query with which the browser comes back."""
    asked = {"redirect_uri": BACK, "response_type": "code", "state": "s", "sandbox_decision": "allow", **parameters}
    answer = requests.get(f"{box}/{place}", params=asked, allow_redirects=False, timeout=30)
    assert answer.status_code in (302, 303), f"{answer.status_code} {answer.text[:300]}"
    return {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"]).query).items()}


def basic(user, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def x_code(box, method, challenge):
    return authorize(box, "x.com/i/oauth2/authorize", client_id="sandbox-x", scope="tweet.read users.read offline.access",
                     code_challenge=challenge, code_challenge_method=method)["code"]


def test_twitter_api_v2_writes_s256_in_small_letters_and_sends_json(box):
    challenge = base64.urlsafe_b64encode(hashlib.sha256(PLAIN.encode()).digest()).rstrip(b"=").decode()
    code = x_code(box, "s256", challenge)
    body = {"code": code, "code_verifier": PLAIN, "redirect_uri": BACK, "grant_type": "authorization_code", "client_id": "sandbox-x"}
    answer = requests.post(f"{box}/api.x.com/2/oauth2/token", json=body, headers=basic("sandbox-x", "sandbox-secret-x"), timeout=30)
    assert answer.status_code == 200 and answer.json()["access_token"]


def test_oauth4webapi_percent_encodes_basic(box):
    body = {"code": x_code(box, "plain", PLAIN), "code_verifier": PLAIN, "redirect_uri": BACK, "grant_type": "authorization_code"}
    headers = basic("sandbox%2Dx", "sandbox%2Dsecret%2Dx")
    assert requests.post(f"{box}/api.x.com/2/oauth2/token", data=body, headers=headers, timeout=30).status_code == 200
    wrong = basic("sandbox%2Dx", "sandbox%2Dsecret%2Dy")
    assert requests.post(f"{box}/api.x.com/2/oauth2/token", data=body, headers=wrong, timeout=30).status_code == 401
    broken = basic("sandbox%2", "sandbox-secret-x")
    assert requests.post(f"{box}/api.x.com/2/oauth2/token", data=body, headers=broken, timeout=30).status_code == 401


def test_linkedin_api_client_joins_scopes_with_commas(box):
    back = authorize(box, "www.linkedin.com/oauth/v2/authorization", client_id="sandbox-linkedin", scope="openid,profile,w_member_social")
    assert "code" in back, back
    refused = authorize(box, "www.linkedin.com/oauth/v2/authorization", client_id="sandbox-linkedin", scope="openid,no_such_scope")
    assert refused["error"] == "unauthorized_scope_error" and "no_such_scope" in refused["error_description"]


def google_token(box, **how):
    code = authorize(box, "accounts.google.com/o/oauth2/v2/auth", client_id="sandbox-youtube", access_type="offline", prompt="consent",
                     scope="https://www.googleapis.com/auth/youtube")["code"]
    body = {"code": code, "redirect_uri": BACK, "grant_type": "authorization_code", **how.pop("body", {})}
    return requests.post(f"{box}/oauth2.googleapis.com/token", data=body, timeout=30, **how)


def test_arctic_sends_basic_to_google(box):
    assert google_token(box, headers=basic("sandbox-youtube", "sandbox-secret-youtube")).status_code == 200
    assert google_token(box, headers=basic("sandbox-youtube", "wrong")).status_code == 401


def test_googles_go_and_node_clients_repeat_part(box):
    token = google_token(box, body={"client_id": "sandbox-youtube", "client_secret": "sandbox-secret-youtube"}).json()["access_token"]
    asked = [("part", "snippet"), ("part", "status"), ("mine", "true")]
    headers = {"Authorization": f"Bearer {token}"}
    answer = requests.get(f"{box}/www.googleapis.com/youtube/v3/channels", params=asked, headers=headers, timeout=30)
    assert answer.status_code == 200
    assert {"snippet", "status"} <= set(answer.json()["items"][0])


def test_arctic_opens_tiktok_without_the_last_slash(box):
    back = authorize(box, "www.tiktok.com/v2/auth/authorize", client_key="sandbox-tiktok", scope="user.info.basic",
                     code_challenge="0" * 64, code_challenge_method="S256")
    assert "code" in back, back
