// SPDX-License-Identifier: Apache-2.0
// Login, the Pages, a post on the first of them.
import assert from "node:assert/strict";
import { promisify } from "node:util";
import graph from "fbgraph";
import { allow, CALLBACK, secretOf } from "./person.mjs";

graph.setVersion("25.0");
const scope = "pages_show_list,pages_manage_posts,pages_read_engagement";
const begun = graph.getOauthUrl({ client_id: "sandbox-facebook", redirect_uri: CALLBACK, scope });
const code = (await allow(begun)).searchParams.get("code");
const login = await promisify(graph.authorize.bind(graph))({
  client_id: "sandbox-facebook",
  client_secret: secretOf("facebook"),
  redirect_uri: CALLBACK,
  code,
});
graph.setAccessToken(login.access_token);
const pages = await promisify(graph.get.bind(graph))("me/accounts?fields=id,name,access_token");
const page = pages.data.find((one) => one.access_token);
graph.setAccessToken(page.access_token);
// In the address: it sends its body without a Content-Type, and what Meta makes of that is written nowhere.
const message = encodeURIComponent(process.env.POSTHORN_TEXT);
const post = await promisify(graph.post.bind(graph))(`${page.id}/feed?message=${message}`, {});
assert.ok(post.id.startsWith(page.id));
