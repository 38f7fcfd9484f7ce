// SPDX-License-Identifier: Apache-2.0
// LinkedIn's own: login, tokens, who am I, a post.
import assert from "node:assert/strict";
import linkedin from "linkedin-api-client";
import { allow, CALLBACK, secretOf } from "./person.mjs";

const { AuthClient, RestliClient } = linkedin;
const login = new AuthClient({ clientId: "sandbox-linkedin", clientSecret: secretOf("linkedin"), redirectUrl: CALLBACK });
const returned = await allow(login.generateMemberAuthorizationUrl(["openid", "profile", "w_member_social"], "st-1"));
assert.equal(returned.searchParams.get("state"), "st-1");
const { access_token: accessToken } = await login.exchangeAuthCodeForAccessToken(returned.searchParams.get("code"));
const client = new RestliClient();
const me = await client.get({ resourcePath: "/userinfo", accessToken });
const made = await client.create({
  resourcePath: "/posts",
  versionString: "202609",
  accessToken,
  entity: {
    author: `urn:li:person:${me.data.sub}`,
    commentary: process.env.POSTHORN_TEXT,
    visibility: "PUBLIC",
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  },
});
assert.match(decodeURIComponent(made.createdEntityId), /^urn:li:share:/);
