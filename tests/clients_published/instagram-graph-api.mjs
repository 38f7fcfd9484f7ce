// SPDX-License-Identifier: Apache-2.0
// Facebook Login, the account of the Page, a photo's container, its status, its publication, and a comment on it. In 6.2.0, the last
// one that joins addresses with axios: 7.0.0 asks for //ID/media.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import instagram from "instagram-graph-api";
import { allow, CALLBACK, secretOf } from "./person.mjs";

const GRAPH = "https://graph.facebook.com/v25.0";
const client_id = "sandbox-instagram";
const scope = "instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list,pages_read_engagement";
const begun = new URLSearchParams({ client_id, redirect_uri: CALLBACK, scope, response_type: "code", state: "st-1" });
const returned = await allow(`https://www.facebook.com/v25.0/dialog/oauth?${begun}`);
const exchange = { client_id, client_secret: secretOf("instagram"), redirect_uri: CALLBACK, code: returned.searchParams.get("code") };
const login = await (await fetch(`${GRAPH}/oauth/access_token?${new URLSearchParams(exchange)}`)).json();

// Meta fetches the picture.
const picture = await readFile(process.env.POSTHORN_IMAGE);
const server = http.createServer((_, answer) => answer.setHeader("Content-Type", "image/jpeg").end(picture)).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));

const pages = await new instagram.GetAuthorizedFacebookPagesRequest(login.access_token).withApiVersion("v25.0").execute();
const page = pages.getAuthorizedFacebookPages()[0];
const linked = await new instagram.GetLinkedInstagramAccountRequest(login.access_token, page.id).withApiVersion("v25.0").execute();
const client = new instagram.Client(login.access_token, linked.getInstagramPageId(), "v25.0");
const address = `http://127.0.0.1:${server.address().port}/picture.jpg`;
const made = await client.newPostPagePhotoMediaRequest(address, process.env.POSTHORN_TEXT).execute();
const container = client.newGetContainerRequest(made.getId());
for (let tries = 0; (await container.execute()).getContainerStatusCode() !== "FINISHED"; tries++) {
  assert.ok(tries < 100, "the container is finished some day");
  await sleep(100);
}
const post = await client.newPostPublishMediaRequest(made.getId()).execute();
const info = await client.newGetMediaInfoRequest(post.getId()).execute();
assert.equal(info.getCaption(), process.env.POSTHORN_TEXT);
assert.ok((await client.newPostMediaCommentRequest(post.getId(), "A comment").execute()).getId());
server.close();
