// SPDX-License-Identifier: Apache-2.0
// Keeps what is being written in this browser, for this admin and app, until it is published, kept as a draft or thrown away: leaving the
// page, an ended session and a closed window lose nothing. Changes of a post that waits are kept beside it, each post's alone. Reads what
// it wrote, and nothing else.

const DAYS_MAX = 30;
const VERSION = 1;

const keyOfNew = (context) => `posthorn-compose:${context.session.admin.id}:${context.params.client_id}`;
const keyOf = (context) => (context.query.edit ? `${keyOfNew(context)}:${context.query.edit}` : keyOfNew(context));

/** {body, requestId, at} and of a post that waits {post, etag, begun} as it was read; or null. */
export function readKept(context) {
	try {
		const kept = JSON.parse(localStorage.getItem(keyOf(context)) ?? "null");
		const isFresh = kept?.version === VERSION && Date.now() - kept.at < DAYS_MAX * 86400000;
		return isFresh && Array.isArray(kept.body?.account_ids) ? kept : null;
	} catch {
		return null;
	}
}

export function forgetKept(context) {
	localStorage.removeItem(keyOf(context));
}

const hasWords = (body) =>
	Boolean(body.content?.trim() || body.media?.length || body.overrides || body.platforms) ||
	(body.containers ?? []).some((one) => one.content?.trim() || one.media?.length);

/** A browser that keeps nothing loses nothing else. */
function write(key, members) {
	try {
		localStorage.setItem(key, JSON.stringify({version: VERSION, at: Date.now(), ...members}));
	} catch {
		// full or forbidden
	}
}

/** An empty one is forgotten. */
export function keep(context, body, requestId) {
	if (hasWords(body)) {
		write(keyOf(context), {body, requestId});
	} else {
		forgetKept(context);
	}
}

/** Changes of the post of this page, and what they were made of. */
export const keepEdit = (context, body, edited) => write(keyOf(context), {body, post: edited.post, etag: edited.etag, begun: edited.begun});

/** For the page that writes a new post. */
export const keepForNew = (context, body) => write(keyOfNew(context), {body});
