// SPDX-License-Identifier: Apache-2.0
// Login with PKCE, who am I, a picture, a post with it, a reply, a refresh, the timeline, a deletion.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TwitterApi } from "twitter-api-v2";
import { allow, CALLBACK, secretOf } from "./person.mjs";

const app = new TwitterApi({ clientId: "sandbox-x", clientSecret: secretOf("x") });
const scope = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"];
const begun = app.generateOAuth2AuthLink(CALLBACK, { scope });
const returned = await allow(begun.url);
assert.equal(returned.searchParams.get("state"), begun.state);
const login = await app.loginWithOAuth2({
  code: returned.searchParams.get("code"),
  codeVerifier: begun.codeVerifier,
  redirectUri: CALLBACK,
});
const renewed = await app.refreshOAuth2Token(login.refreshToken);
const user = renewed.client.v2;
const me = await user.me();
const media = await user.uploadMedia(readFileSync(process.env.POSTHORN_IMAGE), { media_type: "image/jpeg" });
const post = await user.tweet(process.env.POSTHORN_TEXT, { media: { media_ids: [media] } });
const reply = await user.reply("a reply", post.data.id);
const timeline = await user.userTimeline(me.data.id);
assert.ok(timeline.tweets.some((one) => one.id === post.data.id));
await user.deleteTweet(reply.data.id);
