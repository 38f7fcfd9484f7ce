// SPDX-License-Identifier: Apache-2.0
// What the tests of the clients do with the TypeScript client: `node scenarios.mjs`, in a directory whose node_modules has the package.
// Each line of standard input is {"scenario", "settings", ...}; for each it prints {"result"} or {"error"}. scenarios.py does the
// same in Python.
import fs from "node:fs";
import readline from "node:readline";
import { Posthorn, PosthornError, uploadByLink, verifyWebhook } from "posthorn-client";

let task;

const scenarios = {
	publish: (client) => client.posts.publish(task.post, { idempotencyKey: task.key }),
	get: (client) => client.posts.get(task.id),
	publishAndWait: async (client) => client.posts.wait((await client.posts.publish(task.post)).post_id, { everyMs: 100 }),
	createDraft: (client) => client.drafts.create(task.post),
	publishDraft: async (client) => client.drafts.publish((await client.drafts.create(task.post)).id),
	deleteDraft: async (client) => client.drafts.delete((await client.drafts.create(task.post)).id),
	edit: async (client) => {
		const { etag } = await client.posts.getVersioned(task.id);
		const edited = await client.posts.edit(task.id, { content: task.content }, { ifMatch: etag });
		const late = await client.posts.edit(task.id, { content: "late" }, { ifMatch: etag }).catch((error) => error.constructor.name);
		return { edited: edited.containers[0].content, late };
	},
	listTwice: async (client) => {
		const first = await client.posts.list({ per_page: 1 }).first();
		return (await client.posts.list({ per_page: 1 }).first()).meta.total === first.meta.total;
	},
	pages: async (client) => {
		const ids = [];
		for await (const post of client.posts.list({ per_page: 2, account_ids: task.accounts })) {
			ids.push(post.id);
		}
		return { ids, taken: (await client.posts.list({ per_page: 2, account_ids: task.accounts }).take(3)).length };
	},
	events: async (client) => {
		const seen = [];
		for await (const event of client.events.follow({ everyMs: 50 })) {
			seen.push(event.seq);
			if (event.type === "post.completed" && event.data.id === task.id) {
				break;
			}
		}
		return { seen, rest: (await client.events.page({ after: seen.at(-1) })).data.length };
	},
	upload: async (client) => {
		const progress = [];
		const options = { fileName: "slides.pdf", chunkBytes: task.chunk, onProgress: (sent, total) => progress.push([sent, total]) };
		const file = await fs.openAsBlob(task.file);
		const done = await (task.link ? uploadByLink(task.link, file, options) : client.media.upload(file, options));
		return { ...done, progress };
	},
	uploadInTwoLives: async (client) => {
		const file = await fs.openAsBlob(task.file);
		const life = new AbortController();
		let place;
		const stop = (sent) => sent > 0 && life.abort();
		const first = await client.media
			.upload(file, { chunkBytes: task.chunk, signal: life.signal, onBegin: (url) => (place = url), onProgress: stop })
			.catch((error) => error.constructor.name);
		const starts = [];
		const onProgress = (sent) => starts.push(sent);
		return { first, ...(await client.media.upload(file, { chunkBytes: task.chunk, resumeFrom: place, onProgress })), start: starts[0] };
	},
	download: async (client) => Buffer.from(await (await client.media.download(task.id)).arrayBuffer()).toString("base64"),
	verify: async () => verifyWebhook(task.secret, task.headers, Buffer.from(task.body, "base64"), { nowMs: task.now * 1000 }),
	abort: (client) => client.posts.list({}, { signal: AbortSignal.timeout(200) }).first(),
	kept: async (client) => ({ total: (await client.posts.list().first()).meta.total }),
};

function store(path) {
	return {
		load: () => (fs.existsSync(path) ? JSON.parse(fs.readFileSync(path, "utf8")) : null),
		save: (token) => fs.writeFileSync(path, JSON.stringify(token)),
	};
}

function told(error) {
	if (!(error instanceof PosthornError)) {
		throw error;
	}
	const { constructor, message, code, status, field, requestId, outcomeUnknown, details, errors } = error;
	return { kind: constructor.name, message, code, status, field, requestId, outcomeUnknown, details, errors, post_id: error.postId };
}

async function done() {
	const settings = task.settings.store ? { ...task.settings, tokenStore: store(task.settings.store) } : task.settings;
	try {
		return { result: (await scenarios[task.scenario](settings.url ? new Posthorn(settings) : null)) ?? null };
	} catch (error) {
		return { error: told(error) };
	}
}

for await (const line of readline.createInterface({ input: process.stdin })) {
	task = JSON.parse(line);
	console.log(JSON.stringify(await done()));
}
