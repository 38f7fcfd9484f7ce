// SPDX-License-Identifier: Apache-2.0
// The strategy as passport runs it: to the consent page, back with a code, and the person's profile.
import assert from "node:assert/strict";
import passportTiktok from "passport-tiktok-auth";
import { allow, secretOf, WEB_CALLBACK } from "./person.mjs";

const Strategy = passportTiktok.Strategy ?? passportTiktok;
const made = new Strategy(
  { clientID: "sandbox-tiktok", clientSecret: secretOf("tiktok"), callbackURL: WEB_CALLBACK, scope: ["user.info.basic"] },
  (accessToken, refreshToken, profile, done) => done(null, { accessToken, refreshToken, profile }),
);

// Its own list has avatar_url_200, which TikTok's documents do not know.
made.fields = ["open_id", "union_id", "avatar_url", "display_name"];

function run(request) {
  return new Promise((resolve, reject) => {
    const one = Object.create(made);
    Object.assign(one, { redirect: resolve, success: resolve, fail: (...why) => reject(new Error(JSON.stringify(why))), error: reject });
    one.authenticate({ session: {}, headers: {}, ...request }, {});
  });
}

const returned = await allow(await run({ query: {} }));
const user = await run({ query: Object.fromEntries(returned.searchParams) });
assert.ok(user.accessToken && user.profile);
