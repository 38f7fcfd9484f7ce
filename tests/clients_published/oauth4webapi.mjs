// SPDX-License-Identifier: Apache-2.0
// A strict OAuth client at X, with client_secret_basic as RFC 6749 2.3.1 writes it.
import assert from "node:assert/strict";
import * as oauth from "oauth4webapi";
import { allow, CALLBACK, secretOf } from "./person.mjs";

const server = {
  issuer: "https://x.com",
  authorization_endpoint: "https://x.com/i/oauth2/authorize",
  token_endpoint: "https://api.x.com/2/oauth2/token",
  revocation_endpoint: "https://api.x.com/2/oauth2/revoke",
};
const client = { client_id: "sandbox-x" };
const secret = oauth.ClientSecretBasic(secretOf("x"));
const verifier = oauth.generateRandomCodeVerifier();
const begun = new URL(server.authorization_endpoint);
begun.search = new URLSearchParams({
  client_id: client.client_id,
  redirect_uri: CALLBACK,
  response_type: "code",
  scope: "tweet.read users.read offline.access",
  state: "st-1",
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: "S256",
});
const returned = oauth.validateAuthResponse(server, client, await allow(begun), "st-1");
const answer = await oauth.authorizationCodeGrantRequest(server, client, secret, returned, CALLBACK, verifier);
const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
const again = await oauth.refreshTokenGrantRequest(server, client, secret, tokens.refresh_token);
const renewed = await oauth.processRefreshTokenResponse(server, client, again);
assert.ok(renewed.access_token);
await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, secret, renewed.access_token));
