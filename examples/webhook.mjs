// SPDX-License-Identifier: Apache-2.0
// A receiver of webhooks that checks every call (Standard Webhooks 1.0.0), with nothing but Node itself.
// WEBHOOK_SECRET=whsec_... node webhook.mjs PORT
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const AGE_MAX_S = 300; // an older call may be somebody's recording
const BODY_MAX_BYTES = 1 << 20;

// headers: lower-case names to texts; body: the bytes as they came.
export function isGenuine(secret, headers, body, now = Date.now() / 1000) {
	const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
	if (!id || !signatures || !/^\d{1,12}$/.test(timestamp ?? "") || Math.abs(now - Number(timestamp)) > AGE_MAX_S) {
		return false;
	}
	const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
	const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
	// While a secret is being rotated there are two signatures; one that fits is enough.
	return signatures.split(" ").some((part) => {
		const given = Buffer.from(part.replace(/^v1,/, ""), "base64");
		return part.startsWith("v1,") && given.length === expected.length && timingSafeEqual(given, expected);
	});
}

const seen = new Set(); // in a real receiver: a table, kept for a few days
const latest = new Map(); // the highest seq applied to each post, account or connection; in a real receiver: a column of its row

// Events come in any order; what has a lower seq is part of what is known already.
function apply(event) {
	const subject = event.data?.id ?? event.data?.connection_id ?? event.data?.webhook_id;
	if (event.seq > (latest.get(subject) ?? 0)) {
		latest.set(subject, event.seq);
		console.log("Event:", event.type, event.id);
	}
}

async function bodyOf(request) {
	const chunks = [];
	let size = 0;
	for await (const chunk of request) {
		size += chunk.length;
		if (size > BODY_MAX_BYTES) {
			return null;
		}
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

function statusOf(headers, body) {
	if (body === null) {
		return 413;
	}
	if (!isGenuine(process.env.WEBHOOK_SECRET, headers, body)) {
		return 401;
	}
	if (!seen.has(headers["webhook-id"])) { // an event may come twice
		seen.add(headers["webhook-id"]);
		apply(JSON.parse(body));
	}
	return 204;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const server = createServer(async (request, response) => {
		const body = await bodyOf(request);
		response.writeHead(statusOf(request.headers, body)).end();
	});
	server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("Listening:", server.address().port));
}
