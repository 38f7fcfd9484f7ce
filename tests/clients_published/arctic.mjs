// SPDX-License-Identifier: Apache-2.0
// Logins of four platforms with one package, and a refresh where there is one.
import assert from "node:assert/strict";
import * as arctic from "arctic";
import { allow, CALLBACK, secretOf, WEB_CALLBACK } from "./person.mjs";

const verifier = arctic.generateCodeVerifier();
const base = "https://www.googleapis.com/auth/youtube";
const logins = [
  { client: new arctic.Google("sandbox-youtube", secretOf("youtube"), CALLBACK), verifier, scopes: [`${base}.readonly`] },
  { client: new arctic.TikTok("sandbox-tiktok", secretOf("tiktok"), WEB_CALLBACK), verifier, scopes: ["user.info.basic"], refreshes: true },
  { client: new arctic.LinkedIn("sandbox-linkedin", secretOf("linkedin"), CALLBACK), scopes: ["openid", "profile"] },
  {
    client: new arctic.Twitter("sandbox-x", secretOf("x"), CALLBACK),
    verifier,
    scopes: ["users.read", "tweet.read", "offline.access"],
    refreshes: true,
  },
];
for (const { client, verifier: own, scopes, refreshes } of logins) {
  const begun = own ? client.createAuthorizationURL("st-1", own, scopes) : client.createAuthorizationURL("st-1", scopes);
  const code = (await allow(begun)).searchParams.get("code");
  const tokens = await (own ? client.validateAuthorizationCode(code, own) : client.validateAuthorizationCode(code));
  assert.ok(tokens.accessToken());
  if (refreshes) assert.ok((await client.refreshAccessToken(tokens.refreshToken())).accessToken());
}
