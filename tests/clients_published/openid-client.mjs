// SPDX-License-Identifier: Apache-2.0
// LinkedIn and X by one configuration each.
import assert from "node:assert/strict";
import * as openid from "openid-client";
import { allow, CALLBACK, secretOf } from "./person.mjs";

const x = new openid.Configuration(
  {
    issuer: "https://x.com",
    authorization_endpoint: "https://x.com/i/oauth2/authorize",
    token_endpoint: "https://api.x.com/2/oauth2/token",
  },
  "sandbox-x",
  undefined,
  openid.ClientSecretBasic(secretOf("x")),
);
const verifier = openid.randomPKCECodeVerifier();
const begun = openid.buildAuthorizationUrl(x, {
  redirect_uri: CALLBACK,
  scope: "tweet.read users.read offline.access",
  state: "st-1",
  code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  code_challenge_method: "S256",
});
const tokens = await openid.authorizationCodeGrant(x, await allow(begun), { pkceCodeVerifier: verifier, expectedState: "st-1" });
assert.ok((await openid.refreshTokenGrant(x, tokens.refresh_token)).access_token);
const me = await openid.fetchProtectedResource(x, tokens.access_token, new URL("https://api.x.com/2/users/me"), "GET");
assert.ok([200, 401].includes(me.status)); // the refresh may have ended the first token
