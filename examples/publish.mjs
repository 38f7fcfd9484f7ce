// SPDX-License-Identifier: Apache-2.0
// Token, connect, publish, wait, list: in Node with its built-in fetch. Variables: POSTHORN, CLIENT_ID, CLIENT_SECRET, PLATFORM
// (examples/README.md).
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const { POSTHORN: service = "http://127.0.0.1:8080", CLIENT_ID, CLIENT_SECRET, PLATFORM: platform = "x" } = process.env;

// The body of a good answer; what the service refuses is thrown with its word.
async function call(path, { headers, ...options } = {}) {
	const answer = await fetch(service + path, { headers: { authorization, ...headers }, ...options });
	const body = await answer.json();
	if (!answer.ok) {
		throw new Error(`${answer.status} ${body.error}: ${body.message}`);
	}
	return body;
}

async function waitUntil(look, isDone) {
	for (;;) {
		const found = await look();
		if (isDone(found)) {
			return found;
		}
		await sleep(1000);
	}
}

let authorization = "Basic " + Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString("base64");
const token = await call("/v1/oauth/token", { method: "POST", body: new URLSearchParams({ grant_type: "client_credentials" }) });
authorization = `Bearer ${token.access_token}`;

const query = new URLSearchParams({ user_id: "user-42", redirect_url: "https://customer.example/connected" });
const begun = await call(`/v1/oauth/${platform}/connect?${query}`);
console.log("Open:", begun.redirect_url);
const connection = await waitUntil(
	() => call(`/v1/connections/${begun.connection_id}/accounts`),
	(found) => found.status !== "pending",
);
if (connection.status === "failed") {
	throw new Error(`Not connected: ${connection.error}`);
}
const [account] = connection.accounts;
console.log("Connected:", account.username);

const request_id = `node-${randomUUID()}`;
const accepted = await call("/v1/posts/publish", {
	method: "POST",
	headers: { "content-type": "application/json" },
	body: JSON.stringify({ request_id, account_ids: [account.id], content: `Hello from Node, ${request_id}` }),
});
const post = await waitUntil(
	async () => (await call(`/v1/posts/${accepted.data.post_id}`)).data,
	(found) => ["published", "failed"].includes(found.status),
);
console.log("Post:", post.status);

for (const listed of (await call("/v1/posts?per_page=5")).data) {
	console.log("Listed:", listed.id, listed.status, listed.containers[0].content);
}
process.exitCode = post.status === "published" ? 0 : 1;
