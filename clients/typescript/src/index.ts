// SPDX-License-Identifier: Apache-2.0
// The client of Posthorn: see README.md.
import { PosthornError } from "./errors.js";
import { Accounts, Connections, Drafts, Events, MediaFiles, PlatformList, Posts, Users, Webhooks, type Caller } from "./resources.js";
import { basic, GivenToken, IssuedToken, type KeptToken, type TokenStore } from "./token.js";
import { Transport, type Authorization, type CallOptions } from "./transport.js";

export * from "./errors.js";
export { Pages, type Page } from "./pages.js";
export type * from "./resources.js";
export type { KeptToken, TokenStore } from "./token.js";
export type { CallOptions } from "./transport.js";
export type * as types from "./types.js";
export type { Event, PostDetails, Post, PublishRequest, MediaFile, AccountDetails, Draft } from "./types.js";
export { uploadByLink, type Uploadable, type Uploaded, type UploadOptions } from "./upload.js";
export { verifyWebhook, type HeaderSource, type VerifyOptions } from "./webhook.js";

export interface PosthornSettings {
	/** The service's address: https://social.example.com */
	url: string;
	/** An access token (pht_...) or a key (phk_...) of the app. */
	token?: string | undefined;
	/** Or the app's credentials: a token is issued with them, and again when it ends. */
	clientId?: string | undefined;
	clientSecret?: string | undefined;
	/** Where several processes share the token that the credentials get. */
	tokenStore?: TokenStore | undefined;
	/** For each try of a call; 30 seconds. */
	timeoutMs?: number | undefined;
	/** How often a call that may be repeated is tried again; 4. */
	retries?: number | undefined;
	/** A longer Retry-After is not waited for; 60 seconds. */
	longestWaitMs?: number | undefined;
	/** In place of the built-in fetch. */
	fetch?: typeof globalThis.fetch | undefined;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 4;
const LONGEST_WAIT_MS = 60_000;
const USER_AGENT = "posthorn-client-typescript";

export class Posthorn {
	readonly posts: Posts;
	readonly drafts: Drafts;
	readonly accounts: Accounts;
	readonly connections: Connections;
	readonly media: MediaFiles;
	readonly webhooks: Webhooks;
	readonly events: Events;
	readonly users: Users;
	readonly platforms: PlatformList;
	readonly #caller: Caller;
	readonly #credentials: Authorization | null;

	constructor(settings: PosthornSettings) {
		const transport = new Transport({
			url: checkedUrl(settings.url),
			fetch: settings.fetch ?? globalThis.fetch.bind(globalThis),
			timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
			retries: settings.retries ?? RETRIES,
			longestWaitMs: settings.longestWaitMs ?? LONGEST_WAIT_MS,
			userAgent: USER_AGENT,
		});
		this.#credentials = settings.clientId && settings.clientSecret ? basic(settings.clientId, settings.clientSecret) : null;
		this.#caller = { transport, authorization: authorizationOf(settings, this.#credentials, transport) };
		this.posts = new Posts(this.#caller);
		this.drafts = new Drafts(this.#caller);
		this.accounts = new Accounts(this.#caller);
		this.connections = new Connections(this.#caller);
		this.media = new MediaFiles(this.#caller);
		this.webhooks = new Webhooks(this.#caller);
		this.events = new Events(this.#caller);
		this.users = new Users(this.#caller);
		this.platforms = new PlatformList(this.#caller);
	}

	/** Issues a new access token, which ends the one before. Needed only where the token itself is wanted: calls do it by themselves. */
	issueToken(): Promise<KeptToken> {
		const { authorization } = this.#caller;
		if (!(authorization instanceof IssuedToken)) {
			throw new PosthornError("Tokens are issued with clientId and clientSecret, and without token.");
		}
		return authorization.issue();
	}

	/** Ends a token or a key of the app; needs clientId and clientSecret. */
	async revokeToken(token: string, options: CallOptions = {}): Promise<void> {
		if (this.#credentials === null) {
			throw new PosthornError("Tokens are revoked with clientId and clientSecret.");
		}
		const body = new URLSearchParams({ token });
		const call = { method: "POST", path: "/v1/oauth/revoke", repeat: "safe", body, authorization: this.#credentials } as const;
		await this.#caller.transport.send({ ...call, ...options });
	}
}

function authorizationOf(settings: PosthornSettings, credentials: Authorization | null, transport: Transport): Authorization {
	if (settings.token) {
		return new GivenToken(settings.token);
	}
	if (credentials === null) {
		throw new PosthornError("Give token, or clientId and clientSecret.");
	}
	return new IssuedToken(transport, credentials, settings.tokenStore);
}

function checkedUrl(url: string): string {
	if (!/^https?:\/\/[^?#]+$/.test(url)) {
		throw new PosthornError("url must be the service's address, as https://social.example.com.");
	}
	return url.replace(/\/+$/, "");
}
