// SPDX-License-Identifier: Apache-2.0
// Where the Authorization header comes from: a token or key that is given, or a token that the app's credentials are exchanged for.
import { AuthenticationError } from "./errors.js";
import { sleep, type Authorization, type Transport } from "./transport.js";
import type { Token } from "./types.js";

/** A token, and until when it is used (milliseconds since 1970): a little before it ends. */
export interface KeptToken {
	accessToken: string;
	usableUntilMs: number;
}

/**
 * Where several processes of one app share its token. An app has one token: a new one ends the one before, so processes that each
 * issue their own shut each other out. (Keys have no such limit.)
 */
export interface TokenStore {
	load(): Promise<KeptToken | null> | KeptToken | null;
	save(token: KeptToken): Promise<void> | void;
}

const MARGIN_S = 60;
const RETURN_MS = 200;

export class GivenToken implements Authorization {
	constructor(readonly token: string) {}

	async header(): Promise<string> {
		return `Bearer ${this.token}`;
	}

	async renew(): Promise<boolean> {
		return false;
	}
}

export function basic(clientId: string, clientSecret: string): Authorization {
	const bytes = new TextEncoder().encode(`${clientId}:${clientSecret}`);
	const header = `Basic ${btoa(String.fromCharCode(...bytes))}`;
	return { header: async () => header, renew: async () => false };
}

/** Issues a token when there is none, when it is about to end, and once when it is refused. One at a time. */
export class IssuedToken implements Authorization {
	#kept: KeptToken | null = null;
	#running: Promise<KeptToken> | null = null;

	constructor(
		readonly transport: Transport,
		readonly credentials: Authorization,
		readonly store: TokenStore | undefined,
	) {}

	async header(): Promise<string> {
		this.#kept = isUsable(this.#kept) ? this.#kept : await this.#once(() => this.#loadOrIssue(null));
		return `Bearer ${this.#kept.accessToken}`;
	}

	/** Another process may have issued a token meanwhile: its token is taken before a new one is issued. */
	async renew(refused: string): Promise<boolean> {
		const current = this.#kept && `Bearer ${this.#kept.accessToken}`;
		if (current === refused) {
			this.#kept = await this.#once(() => this.#loadOrIssue(refused));
		}
		return true;
	}

	async issue(): Promise<KeptToken> {
		this.#kept = await this.#once(() => this.#issue());
		return this.#kept;
	}

	async #once(work: () => Promise<KeptToken>): Promise<KeptToken> {
		this.#running ??= work().finally(() => {
			this.#running = null;
		});
		return this.#running;
	}

	async #loadOrIssue(refused: string | null): Promise<KeptToken> {
		const stored = (await this.store?.load()) ?? null;
		if (isUsable(stored) && `Bearer ${stored.accessToken}` !== refused) {
			return stored;
		}
		if (refused !== null && this.store !== undefined) {
			// Who made the refused token void stores the new one a moment after.
			await sleep(RETURN_MS);
			const later = (await this.store.load()) ?? null;
			if (isUsable(later) && `Bearer ${later.accessToken}` !== refused) {
				return later;
			}
		}
		return this.#issue();
	}

	async #issue(): Promise<KeptToken> {
		const answer = await this.transport.send({
			method: "POST",
			path: "/v1/oauth/token",
			repeat: "safe",
			body: new URLSearchParams({ grant_type: "client_credentials" }),
			authorization: this.credentials,
		});
		const token = JSON.parse(answer.text) as Token;
		if (!token.access_token) {
			throw new AuthenticationError("The service issued no token.", { status: answer.status, code: "UNEXPECTED_ANSWER" });
		}
		const marginSeconds = Math.min(MARGIN_S, token.expires_in / 10);
		const kept = { accessToken: token.access_token, usableUntilMs: Date.now() + (token.expires_in - marginSeconds) * 1000 };
		await this.store?.save(kept);
		return kept;
	}
}

function isUsable(token: KeptToken | null): token is KeptToken {
	return token !== null && token.usableUntilMs > Date.now();
}
