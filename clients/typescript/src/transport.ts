// SPDX-License-Identifier: Apache-2.0
// Sends calls, and decides what may be sent again:
// - 429 RATE_LIMITED and 503 UNAVAILABLE of the service did nothing: every call is repeated, not before Retry-After;
// - a connection that could not be opened carried nothing: every call is repeated;
// - a lost answer, a 5xx of a proxy and 500 leave open whether it happened: only calls that are "safe" are repeated;
// - everything else is final.
import { AbortedError, ApiError, bodyOfHead, ConnectionError, errorOf, PosthornError, TimeoutError } from "./errors.js";

/** safe: a second time changes nothing more than the first did. once: it would. read: changes nothing at all. */
export type Repeat = "read" | "safe" | "once";

export type QueryValue = string | number | boolean | null | undefined | readonly string[];

export interface CallOptions {
	/** Ends the call. */
	signal?: AbortSignal | undefined;
	/** For each try, in milliseconds. */
	timeoutMs?: number | undefined;
	/** How often it is tried again. */
	retries?: number | undefined;
}

export interface Call extends CallOptions {
	method: string;
	/** Below the service's address, or an address of its own. */
	path: string;
	repeat: Repeat;
	query?: object | undefined;
	/** JSON, as it is sent. */
	json?: string | undefined;
	/** Bytes, or a form. */
	body?: Blob | URLSearchParams | undefined;
	headers?: Record<string, string> | undefined;
	/** The Authorization header; without it there is none. */
	authorization?: Authorization | undefined;
	/** With it the answer's bytes are not read as text. */
	wantsBytes?: boolean | undefined;
}

export interface Authorization {
	/** The header's value. */
	header(): Promise<string>;
	/** After 401: true when there is another value now. */
	renew(refused: string): Promise<boolean>;
}

export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	bytes: Blob | null;
	requestId: string;
	/** An earlier try of this call may have taken effect: its answer was lost. */
	afterLostAnswer: boolean;
}

export interface TransportSettings {
	url: string;
	fetch: typeof globalThis.fetch;
	timeoutMs: number;
	retries: number;
	/** A longer Retry-After is not waited for. */
	longestWaitMs: number;
	userAgent: string | null;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
// What Node says when a connection could not be opened: nothing was sent.
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

export class Transport {
	constructor(readonly settings: TransportSettings) {}

	/** The good answer (2xx, and 304); an error is thrown when nothing more may be tried. */
	async send(call: Call): Promise<Answer> {
		const retries = call.retries ?? this.settings.retries;
		let lost = false;
		let isRenewed = false;
		for (let tried = 0; ; ) {
			const header = await call.authorization?.header();
			const outcome = await this.#try(call, header, lost);
			if (!(outcome instanceof PosthornError)) {
				return outcome;
			}
			if (isUnauthenticated(outcome) && header !== undefined && !isRenewed && (await call.authorization?.renew(header))) {
				isRenewed = true;
				continue;
			}
			const isOpen = leavesOpen(outcome);
			const pauseMs = tried < retries && mayRepeat(call, outcome, isOpen) ? this.#pause(outcome, tried) : null;
			if (pauseMs === null) {
				throw outcome;
			}
			lost ||= isOpen && call.repeat !== "read";
			tried += 1;
			await sleep(pauseMs, call.signal);
		}
	}

	/** One try: the answer, or the error that it is. */
	async #try(call: Call, header: string | undefined, lost: boolean): Promise<Answer | PosthornError> {
		const requestId = newId();
		const clock = new Clock(call.timeoutMs ?? this.settings.timeoutMs, call.signal);
		const changes = call.repeat !== "read";
		try {
			const response = await this.settings.fetch(address(this.settings.url, call.path, call.query), {
				method: call.method,
				headers: headersOf(call, header, requestId, this.settings.userAgent),
				body: call.json ?? call.body ?? null,
				signal: clock.signal,
				redirect: "manual",
			});
			const isGood = response.ok || response.status === 304;
			const bytes = isGood && call.wantsBytes ? await response.blob() : null;
			const text = call.method === "HEAD" ? bodyOfHead(response.status) : bytes ? "" : await response.text();
			const answer = { status: response.status, headers: response.headers, text, bytes, requestId, afterLostAnswer: lost };
			return isGood ? answer : refusal(answer, changes);
		} catch (cause) {
			return clock.explain(cause, { requestId, cause, outcomeUnknown: lost || (changes && !wasNeverSent(cause)) });
		} finally {
			clock.stop();
		}
	}

	/** Milliseconds until the next try; null: longer than anybody wants to wait. */
	#pause(failure: PosthornError, tried: number): number | null {
		const asked = failure instanceof ApiError ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
		const grown = Math.min(FIRST_PAUSE_MS * 2 ** tried, LONGEST_PAUSE_MS);
		const pauseMs = asked + grown * (0.5 + Math.random() / 2);
		return asked <= this.settings.longestWaitMs ? pauseMs : null;
	}
}

function refusal(answer: Answer, changes: boolean): ApiError {
	const after = Number.parseInt(answer.headers.get("retry-after") ?? "", 10);
	const facts = {
		requestId: answer.headers.get("x-request-id") ?? answer.requestId,
		retryAfterSeconds: Number.isNaN(after) ? undefined : after,
	};
	const error = errorOf(answer.status, answer.text, facts);
	const outcomeUnknown = answer.afterLostAnswer || (changes && leavesOpen(error));
	return outcomeUnknown ? errorOf(answer.status, answer.text, { ...facts, outcomeUnknown }) : error;
}

function isUnauthenticated(failure: PosthornError): boolean {
	return failure instanceof ApiError && failure.status === 401 && failure.code === "UNAUTHENTICATED";
}

/** Does the service say that nothing happened, and that trying again may help? */
function isRefusedForNow(failure: PosthornError): boolean {
	return failure instanceof ApiError && (failure.code === "RATE_LIMITED" || (failure.status === 503 && failure.code === "UNAVAILABLE"));
}

/** May the call have taken effect all the same? */
function leavesOpen(failure: PosthornError): boolean {
	if (failure instanceof ApiError) {
		return failure.status >= 500 && !isRefusedForNow(failure);
	}
	return failure instanceof ConnectionError && !wasNeverSent(failure.cause);
}

function mayRepeat(call: Call, failure: PosthornError, isOpen: boolean): boolean {
	if (isOpen) {
		return call.repeat !== "once";
	}
	return isRefusedForNow(failure) || failure instanceof ConnectionError;
}

function wasNeverSent(cause: unknown): boolean {
	for (let at = cause; at instanceof Error; at = at.cause) {
		if (NEVER_SENT.has((at as Error & { code?: string }).code ?? "")) {
			return true;
		}
	}
	return false;
}

function headersOf(call: Call, authorization: string | undefined, requestId: string, userAgent: string | null): Record<string, string> {
	return {
		Accept: "application/json",
		// A link is used from other origins, which may not send every header.
		...(authorization === undefined ? {} : { Authorization: authorization, "X-Request-Id": requestId }),
		...(authorization === undefined || userAgent === null ? {} : { "User-Agent": userAgent }),
		...(call.json === undefined ? {} : { "Content-Type": "application/json" }),
		...call.headers,
	};
}

/** The URL of a path with its query. Lists are written `name[]=a&name[]=b`; what is null or undefined is left out. */
export function address(base: string, path: string, query: object = {}): string {
	const words = new URLSearchParams();
	for (const [name, value] of Object.entries(query) as Array<[string, QueryValue]>) {
		for (const one of Array.isArray(value) ? value : [value]) {
			if (one !== null && one !== undefined) {
				words.append(name, String(one));
			}
		}
	}
	const written = words.toString();
	return (/^https?:/.test(path) ? path : base + path) + (written ? `?${written}` : "");
}

/** Ends one try when its time is over, or when the caller says so. */
class Clock {
	readonly #controller = new AbortController();
	readonly #timer: ReturnType<typeof setTimeout>;
	readonly #onAbort = () => this.#controller.abort();
	#isLate = false;

	constructor(
		readonly timeoutMs: number,
		readonly caller: AbortSignal | undefined,
	) {
		this.#timer = setTimeout(() => {
			this.#isLate = true;
			this.#controller.abort();
		}, timeoutMs);
		if (caller?.aborted) {
			this.#controller.abort();
		}
		caller?.addEventListener("abort", this.#onAbort);
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	explain(cause: unknown, facts: { requestId: string; cause: unknown; outcomeUnknown: boolean }): PosthornError {
		if (this.caller?.aborted) {
			return new AbortedError("The call was aborted.", { ...facts, cause: this.caller.reason });
		}
		if (this.#isLate) {
			return new TimeoutError(`Posthorn did not answer within ${this.timeoutMs} ms.`, facts);
		}
		return new ConnectionError(`Posthorn could not be reached, or the connection broke: ${reasonOf(cause)}.`, facts);
	}

	stop(): void {
		clearTimeout(this.#timer);
		this.caller?.removeEventListener("abort", this.#onAbort);
	}
}

function reasonOf(cause: unknown): string {
	let said = String(cause);
	for (let at = cause; at instanceof Error; at = at.cause) {
		said = at.message || said;
	}
	return said;
}

/** Waits; an aborted signal ends it with an AbortedError. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(new AbortedError("The call was aborted.", { cause: signal?.reason }));
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", stop);
			resolve();
		}, milliseconds);
		if (signal?.aborted) {
			stop();
		} else {
			signal?.addEventListener("abort", stop, { once: true });
		}
	});
}

export function newId(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
