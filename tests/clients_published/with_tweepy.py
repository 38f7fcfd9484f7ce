# SPDX-License-Identifier: Apache-2.0
"""tweepy: signs in at X with PKCE, says who it is, and publishes a post and a reply to it, which it deletes again."""
import os

from sandbox_requests import CALLBACK, TEXT, allow

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # the callback is http
import tweepy  # noqa: E402 - after the sandbox is in its way

SCOPES = ["tweet.read", "tweet.write", "users.read", "offline.access"]
handler = tweepy.OAuth2UserHandler(client_id="sandbox-x", redirect_uri=CALLBACK, scope=SCOPES, client_secret="sandbox-secret-x")
tokens = handler.fetch_token(allow(handler.get_authorization_url()))
client = tweepy.Client(tokens["access_token"])
assert client.get_me(user_auth=False).data.username
made = client.create_tweet(text=TEXT, user_auth=False).data
reply = client.create_tweet(text="a reply", in_reply_to_tweet_id=made["id"], user_auth=False).data
assert client.delete_tweet(reply["id"], user_auth=False).data["deleted"]
try:
    tweepy.Client("no-token").create_tweet(text=TEXT, user_auth=False)
except tweepy.Unauthorized:
    pass
else:
    raise AssertionError("a token that nobody gave was taken")
