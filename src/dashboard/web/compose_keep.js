// SPDX-License-Identifier: Apache-2.0
// Keeps what is being written in this browser, for this admin and app, until it is published, kept as a draft or thrown away: leaving the
// page, an ended session and a closed window lose nothing. Reads what it wrote, and nothing else.

const DAYS_MAX = 30;
const VERSION = 1;

const keyOf = (context) => `posthorn-compose:${context.session.admin.id}:${context.params.client_id}`;

/** {body, requestId, at}, or null. */
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

/** An empty one is forgotten. A browser that keeps nothing loses nothing else. */
export function keep(context, body, requestId) {
	try {
		if (hasWords(body)) {
			localStorage.setItem(keyOf(context), JSON.stringify({version: VERSION, at: Date.now(), body, requestId}));
		} else {
			forgetKept(context);
		}
	} catch {
		// full or forbidden
	}
}
