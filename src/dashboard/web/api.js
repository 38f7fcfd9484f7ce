// SPDX-License-Identifier: Apache-2.0
// The client of the dashboard's API (docs/dashboard-api.md): JSON in and out, the CSRF header, errors as one class. Draws nothing.

const BASE = "/dashboard/api";

/** What an answer says is wrong: the service in `message`, a sandbox in `error`, where the service has a code. */
function wordsOf(status, body) {
	const said = [body?.message, /^[A-Z_]+$/.test(body?.error) ? "" : body?.error].find((text) => typeof text === "string" && text);
	return said ?? `The service answered ${status}.`;
}

export class ApiError extends Error {
	constructor(status, body, requestId) {
		super(wordsOf(status, body));
		this.status = status;
		this.code = body?.error ?? "";
		this.errors = body?.errors ?? {};
		this.details = body?.details ?? {};
		this.requestId = requestId;
	}
}

const state = {session: null, onSignedOut: () => {}};

export const session = () => state.session;

/** Called when an answer says that the session has ended. */
export function onSignedOut(listener) {
	state.onSignedOut = listener;
}

function queryText(query) {
	const pairs = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {})) {
		if (value !== null && value !== undefined && value !== "") {
			pairs.append(name, value);
		}
	}
	const text = pairs.toString();
	return text ? `?${text}` : "";
}

async function readBody(answer) {
	const text = await answer.text();
	if (text === "") {
		return null;
	}
	try {
		return JSON.parse(text);
	} catch {
		throw new ApiError(
			answer.status,
			{message: "The service sent an unreadable response.", error: "UNREADABLE"},
			answer.headers.get("X-Request-Id")
		);
	}
}

/** Another tab may have signed in again, with a new token. True when it is the same admin, so that the call may be repeated. */
async function isRenewed() {
	const before = state.session?.admin?.id;
	await loadSession();
	return before !== undefined && state.session.admin?.id === before;
}

async function send(method, path, request = {}, isSecond = false) {
	const {query, body, signal, match} = request;
	const headers = {Accept: "application/json"};
	if (method !== "GET" && state.session?.csrf_token) {
		headers["X-CSRF-Token"] = state.session.csrf_token;
	}
	if (match) {
		headers["If-Match"] = match;
	}
	if (body !== undefined) {
		headers["Content-Type"] = "application/json";
	}
	let answer;
	try {
		answer = await fetch(BASE + path + queryText(query), {
			method,
			headers,
			signal,
			body: body === undefined ? undefined : JSON.stringify(body),
			credentials: "same-origin",
			redirect: "error",
			cache: "no-store",
		});
	} catch (failure) {
		if (failure.name === "AbortError") {
			throw failure;
		}
		throw new ApiError(0, {message: "The service cannot be reached. Is it running?", error: "UNREACHABLE"}, null);
	}
	const value = await readBody(answer);
	if (answer.ok) {
		return request.isTagged ? {body: value, etag: answer.headers.get("ETag")} : value;
	}
	if (answer.status === 401 && value?.error === "UNAUTHENTICATED") {
		state.session = {...state.session, signed_in: false, admin: null, csrf_token: null};
		state.onSignedOut();
	}
	if (answer.status === 403 && value?.error === "CSRF" && !isSecond && (await isRenewed())) {
		return send(method, path, request, true);
	}
	throw new ApiError(answer.status, value, answer.headers.get("X-Request-Id"));
}

export const get = (path, query, signal) => send("GET", path, {query, signal});
/** {body, etag}: what may be changed with match = etag, if nobody changed it meanwhile. */
export const getTagged = (path, signal) => send("GET", path, {signal, isTagged: true});
export const post = (path, body = {}, signal, match) => send("POST", path, {body, signal, match});
export const put = (path, body, signal) => send("PUT", path, {body, signal});
export const patch = (path, body, signal, match) => send("PATCH", path, {body, signal, match});
export const remove = (path, signal, match) => send("DELETE", path, {signal, match});

/** A path within an app; each further word is escaped. */
export const appPath = (clientId, ...words) =>
	["/apps", clientId, ...words].map((word, index) => (index === 0 ? word : encodeURIComponent(word))).join("/");

/** Where the picture of an account is, for avatar() of ui.js; null when its platform has none. */
export const pictureOf = (clientId, account) =>
	account.avatar_url === null || account.status === "disconnected"
		? null
		: `${BASE}${appPath(clientId, "accounts", account.account_id ?? account.id, "picture")}`;

export async function loadSession() {
	state.session = await get("/session");
	return state.session;
}

/** setup, login and password answer with the current session. */
export async function changeSession(path, body) {
	state.session = await post(path, body);
	return state.session;
}

export async function signOut() {
	await post("/logout");
	await loadSession();
}
