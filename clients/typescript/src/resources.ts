// SPDX-License-Identifier: Apache-2.0
// The calls, by what they are about. Each says how often it may take effect: see transport.ts.
import { ApiError, DuplicateRequestError, NotFoundError, PermissionError, TimeoutError } from "./errors.js";
import { Pages, type Page } from "./pages.js";
import { newId, sleep, type Answer, type Authorization, type Call, type CallOptions, type Transport } from "./transport.js";
import type * as t from "./types.js";
import { Upload, type Uploadable, type Uploaded, type UploadOptions } from "./upload.js";

/** What all resources share. */
export interface Caller {
	transport: Transport;
	authorization: Authorization;
}

export interface ConditionOptions extends CallOptions {
	/** The ETag of the version that you read: another version is a PreconditionError. */
	ifMatch?: string | undefined;
}

export interface PublishOptions extends CallOptions {
	/** An Idempotency-Key of your own, in place of a `request_id`. */
	idempotencyKey?: string | undefined;
}

export interface WaitOptions {
	signal?: AbortSignal | undefined;
	/** Longest wait; 2 minutes. */
	timeoutMs?: number | undefined;
	/** Between two looks; 1 second. */
	everyMs?: number | undefined;
}

export interface FollowOptions extends CallOptions {
	/** The `seq` of the last event you have; 0 (the default): from the oldest that is kept. */
	after?: number | string | undefined;
	/** Between two looks when there is nothing new; 2 seconds. */
	everyMs?: number | undefined;
}

export type Accepted = t.PublishAccepted["data"] & {
	/** True when the first answer was lost, and this one was read from the post. */
	recovered?: boolean;
};

export interface Versioned<T> {
	data: T;
	etag: string;
}

export interface Platforms {
	data: t.Platform[];
	sandbox: boolean;
	meta: { mode: "live" | "test" | "sandbox" };
}

const WAIT_MS = 120_000;
const EVERY_MS = 1_000;
const FOLLOW_MS = 2_000;
const IS_FINAL = new Set(["published", "failed"]);

type Rest = Partial<Call>;

class Resource {
	constructor(protected readonly caller: Caller) {}

	protected send(call: Call): Promise<Answer> {
		return this.caller.transport.send({ ...call, authorization: this.caller.authorization });
	}

	protected async read<T>(path: string, rest: Rest = {}): Promise<T> {
		return parsed<T>(await this.send({ method: "GET", path, repeat: "read", ...rest }));
	}

	protected async write<T>(method: string, path: string, repeat: "safe" | "once", body?: unknown, rest: Rest = {}): Promise<T> {
		return parsed<T>(await this.send({ method, path, repeat, json: body === undefined ? undefined : JSON.stringify(body), ...rest }));
	}

	/** Gone already, after a lost answer, is what was wanted. */
	protected async remove(path: string, rest: Rest = {}): Promise<void> {
		try {
			await this.send({ method: "DELETE", path, repeat: "safe", ...rest });
		} catch (failure) {
			if (!(failure instanceof NotFoundError && failure.outcomeUnknown)) {
				throw failure;
			}
		}
	}

	protected paged<T extends { id: string }>(path: string, query: object & { page?: number }, options: CallOptions): Pages<T> {
		return new Pages<T>((page) => this.read<Page<T>>(path, { ...options, query: { ...query, page } }), query.page ?? 1);
	}
}

function parsed<T>(answer: Answer): T {
	try {
		return JSON.parse(answer.text) as T;
	} catch (cause) {
		const facts = { status: answer.status, code: "UNEXPECTED_ANSWER", requestId: answer.requestId, cause };
		throw new ApiError("The answer is not JSON: something before Posthorn may have written it.", facts);
	}
}

async function dataOf<T>(answer: Promise<{ data: T }>): Promise<T> {
	return (await answer).data;
}

function condition(options: ConditionOptions): Rest {
	return { ...options, headers: options.ifMatch === undefined ? {} : { "If-Match": options.ifMatch } };
}

/** With If-Match a second time is refused by what the first did, so it is not repeated blindly. */
function changeRepeat(options: ConditionOptions): "safe" | "once" {
	return options.ifMatch === undefined ? "safe" : "once";
}

async function until<T>(look: () => Promise<T>, isDone: (found: T) => boolean, what: string, options: WaitOptions): Promise<T> {
	const deadline = Date.now() + (options.timeoutMs ?? WAIT_MS);
	for (;;) {
		const found = await look();
		if (isDone(found)) {
			return found;
		}
		if (Date.now() > deadline) {
			throw new TimeoutError(`${what} is not final after ${options.timeoutMs ?? WAIT_MS} ms; it goes on.`);
		}
		await sleep(options.everyMs ?? EVERY_MS, options.signal);
	}
}

const part = encodeURIComponent;

/** Sends what publishes, and finds the post when the answer was lost and the service says that it has the request already. */
abstract class Publishing extends Resource {
	protected async accept(path: string, body: Partial<t.PublishRequest>, rest: Rest): Promise<Accepted> {
		try {
			const answer = await this.send({ method: "POST", path, repeat: "safe", json: JSON.stringify(body), ...rest });
			return parsed<t.PublishAccepted>(answer).data;
		} catch (failure) {
			if (failure instanceof DuplicateRequestError && failure.outcomeUnknown) {
				return this.#recover(failure, body, rest);
			}
			throw failure;
		}
	}

	async #recover(known: DuplicateRequestError, body: Partial<t.PublishRequest>, rest: Rest): Promise<Accepted> {
		const { signal, timeoutMs, retries } = rest;
		try {
			const found = await this.read<{ data: t.PostDetails }>(`/v1/posts/${part(known.postId)}`, { signal, timeoutMs, retries });
			return acceptedOf(found.data);
		} catch (failure) {
			if (failure instanceof PermissionError) {
				return acceptedUnread(known, body);
			}
			throw failure;
		}
	}
}

/** A key that may publish and not read: what was sent and what the refusal says is all there is. */
function acceptedUnread(known: DuplicateRequestError, body: Partial<t.PublishRequest>): Accepted {
	return {
		post_id: known.postId,
		request_id: body.request_id ?? "",
		status: body.scheduled_at ? "scheduled" : "pending",
		total_accounts: body.account_ids?.length ?? 0,
		scheduled_at: body.scheduled_at ?? null,
		mode: body.containers ? "advanced" : "basic",
		platform_posts: [],
		recovered: true,
	};
}

function acceptedOf(post: t.PostDetails): Accepted {
	const status = post.scheduled_at === null ? "pending" : "scheduled";
	return {
		post_id: post.id,
		request_id: post.request_id,
		status,
		total_accounts: post.platform_posts.length,
		scheduled_at: post.scheduled_at,
		mode: post.mode,
		platform_posts: post.platform_posts.map(({ id, account_id, platform_id }) => ({ id, account_id, platform_id, status })),
		...(post.warnings ? { warnings: post.warnings } : {}),
		recovered: true,
	};
}

export class Posts extends Publishing {
	/**
	 * Accepts a post. Without a `request_id` (and without an idempotencyKey) it gets one, so that tries after a lost answer never make a
	 * second post. When all tries fail, the error's `outcomeUnknown` says whether the post may have been accepted; publishing again with
	 * the same `request_id` is safe.
	 */
	publish(post: t.PublishRequest, options: PublishOptions = {}): Promise<Accepted> {
		const { idempotencyKey, ...rest } = options;
		const request_id = post.request_id ?? (idempotencyKey === undefined ? newId() : undefined);
		const headers: Record<string, string> = idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
		return this.accept("/v1/posts/publish", { ...post, request_id }, { ...rest, headers });
	}

	/** What publishing would answer, and the calls that would be made. Nothing is stored. */
	validate(post: t.ValidateRequest, options: CallOptions = {}): Promise<t.Validation> {
		return dataOf(this.read("/v1/posts/validate", { ...options, method: "POST", json: JSON.stringify(post) }));
	}

	/** Newest first. Lists are given plainly: `{ external_user_ids: ["user-42"] }`. */
	list(query: PostFilter = {}, options: CallOptions = {}): Pages<t.Post> {
		const { external_user_ids, account_ids, ...rest } = query;
		return this.paged("/v1/posts", { ...rest, ...listed({ external_user_ids, account_ids }) }, options);
	}

	get(postId: string, options: CallOptions = {}): Promise<t.PostDetails> {
		return dataOf(this.read(`/v1/posts/${part(postId)}`, options));
	}

	/** With the ETag for `edit`. */
	getVersioned(postId: string, options: CallOptions = {}): Promise<Versioned<t.PostDetails>> {
		return versioned(this.send({ method: "GET", path: `/v1/posts/${part(postId)}`, repeat: "read", ...options }));
	}

	/** Every call to a platform, oldest first. */
	timeline(postId: string, options: CallOptions = {}): Promise<t.TimelineEntry[]> {
		return dataOf(this.read(`/v1/posts/${part(postId)}/timeline`, options));
	}

	/** The post once it is published or failed. */
	wait(postId: string, options: WaitOptions = {}): Promise<t.PostDetails> {
		return until(() => this.get(postId, { signal: options.signal }), (post) => IS_FINAL.has(post.status), `Post ${postId}`, options);
	}

	/** Before any part of it is sent; later it is a ConflictError with `TOO_LATE`. */
	cancel(postId: string, options: CallOptions = {}): Promise<void> {
		return this.remove(`/v1/posts/${part(postId)}`, options);
	}

	edit(postId: string, change: t.EditRequest, options: ConditionOptions = {}): Promise<t.PostDetails> {
		return dataOf(this.write("PATCH", `/v1/posts/${part(postId)}`, changeRepeat(options), change, condition(options)));
	}

	/** Retries what failed of a post. With `republish` it can publish a second time what may be out already. */
	retry(postId: string, body: t.RetryPostBody = {}, options: CallOptions = {}): Promise<t.PostDetails> {
		return dataOf(this.write("POST", `/v1/posts/${part(postId)}/retry`, "once", body, options));
	}

	/** Retries what failed in many posts. */
	retryMany(body: t.RetryManyRequest, options: CallOptions = {}): Promise<t.RetryMany> {
		return dataOf(this.write("POST", "/v1/posts/retry", "once", body, options));
	}

	/** Takes a published post back from the platforms. It cannot be undone. */
	unpublish(postId: string, body: t.UnpublishPostBody = {}, options: CallOptions = {}): Promise<t.PostDetails> {
		return dataOf(this.write("POST", `/v1/posts/${part(postId)}/unpublish`, "safe", body, options));
	}
}

/** As the service reads lists in a query. */
function listed(lists: Record<string, string[] | undefined>): Record<string, string[] | undefined> {
	return Object.fromEntries(Object.entries(lists).map(([name, list]) => [`${name}[]`, list]));
}

export type PostFilter = Omit<t.ListPostsQuery, "external_user_ids[]" | "account_ids[]"> & {
	external_user_ids?: string[];
	account_ids?: string[];
};

async function versioned<T>(answer: Promise<Answer>): Promise<Versioned<T>> {
	const found = await answer;
	return { data: parsed<{ data: T }>(found).data, etag: found.headers.get("etag") ?? "" };
}

export class Drafts extends Publishing {
	create(draft: t.DraftRequest, options: CallOptions = {}): Promise<t.Draft> {
		return dataOf(this.write("POST", "/v1/drafts", "once", draft, options));
	}

	list(query: t.ListDraftsQuery = {}, options: CallOptions = {}): Pages<t.Draft> {
		return this.paged("/v1/drafts", query, options);
	}

	get(draftId: string, options: CallOptions = {}): Promise<t.Draft> {
		return dataOf(this.read(`/v1/drafts/${part(draftId)}`, options));
	}

	/** With the ETag for `change`, `delete` and `publish`. */
	getVersioned(draftId: string, options: CallOptions = {}): Promise<Versioned<t.Draft>> {
		return versioned(this.send({ method: "GET", path: `/v1/drafts/${part(draftId)}`, repeat: "read", ...options }));
	}

	/** null removes a member. */
	change(draftId: string, change: t.DraftRequest, options: ConditionOptions = {}): Promise<t.Draft> {
		return dataOf(this.write("PATCH", `/v1/drafts/${part(draftId)}`, changeRepeat(options), change, condition(options)));
	}

	delete(draftId: string, options: ConditionOptions = {}): Promise<void> {
		return this.remove(`/v1/drafts/${part(draftId)}`, condition(options));
	}

	reject(draftId: string, reason: string, options: CallOptions = {}): Promise<t.Draft> {
		return dataOf(this.write("POST", `/v1/drafts/${part(draftId)}/reject`, "once", { reason }, options));
	}

	/** Makes a post of it. Its id is the `request_id` when none is given, so a repeat never makes a second post. */
	publish(draftId: string, body: t.PublishDraftBody = {}, options: ConditionOptions = {}): Promise<Accepted> {
		return this.accept(`/v1/drafts/${part(draftId)}/publish`, body, condition(options));
	}
}

export class Accounts extends Resource {
	list(query: t.ListAccountsQuery = {}, options: CallOptions = {}): Pages<t.AccountDetails> {
		return this.paged("/v1/accounts", query, options);
	}

	get(accountId: string, options: CallOptions = {}): Promise<t.AccountDetails> {
		return dataOf(this.read(`/v1/accounts/${part(accountId)}`, options));
	}

	/** Asks the platform whether the account's token works. */
	check(accountId: string, options: CallOptions = {}): Promise<t.AccountCheck> {
		return dataOf(this.write("POST", `/v1/accounts/${part(accountId)}/check`, "safe", undefined, options));
	}

	disconnect(accountId: string, options: CallOptions = {}): Promise<void> {
		return this.remove(`/v1/accounts/${part(accountId)}`, options);
	}
}

export class Connections extends Resource {
	/** Begins a connection: send the user's browser to `redirect_url`. */
	begin(body: t.BeginConnectionBody, options: CallOptions = {}): Promise<t.ConnectionBegun> {
		return this.write("POST", "/v1/accounts/connect", "safe", body, options);
	}

	/** Its state, and its accounts. */
	get(connectionId: string, options: CallOptions = {}): Promise<t.Connection> {
		return this.read(`/v1/connections/${part(connectionId)}/accounts`, options);
	}

	/** The connection once the user has decided. */
	wait(connectionId: string, options: WaitOptions = {}): Promise<t.Connection> {
		const look = () => this.get(connectionId, { signal: options.signal });
		return until(look, (found) => found.status !== "pending", `Connection ${connectionId}`, options);
	}

	/** In apps with connection confirmation: the browser that came back is this user's. */
	confirm(connectionId: string, body: t.ConfirmConnectionBody, options: CallOptions = {}): Promise<t.Connection> {
		return this.write("POST", `/v1/connections/${part(connectionId)}/confirm`, "safe", body, options);
	}
}

export class Webhooks extends Resource {
	/** The answer has the secret; it is shown once. */
	create(body: t.WebhookRequest, options: CallOptions = {}): Promise<t.WebhookWithSecret> {
		return dataOf(this.write("POST", "/v1/webhooks", "once", body, options));
	}

	list(options: CallOptions = {}): Promise<t.Webhook[]> {
		return dataOf(this.read("/v1/webhooks", options));
	}

	get(webhookId: string, options: CallOptions = {}): Promise<t.Webhook> {
		return dataOf(this.read(`/v1/webhooks/${part(webhookId)}`, options));
	}

	change(webhookId: string, change: t.WebhookChange, options: CallOptions = {}): Promise<t.Webhook> {
		return dataOf(this.write("PATCH", `/v1/webhooks/${part(webhookId)}`, "safe", change, options));
	}

	delete(webhookId: string, options: CallOptions = {}): Promise<void> {
		return this.remove(`/v1/webhooks/${part(webhookId)}`, options);
	}

	/** A new secret; the old one stays valid for a day. */
	rotate(webhookId: string, options: CallOptions = {}): Promise<t.WebhookWithSecret> {
		return dataOf(this.write("POST", `/v1/webhooks/${part(webhookId)}/rotate`, "once", undefined, options));
	}

	test(webhookId: string, options: CallOptions = {}): Promise<{ event_id: string }> {
		return dataOf(this.write("POST", `/v1/webhooks/${part(webhookId)}/test`, "once", undefined, options));
	}

	/** The log, newest first. */
	async *deliveries(
		webhookId: string,
		query: t.ListWebhookDeliveriesQuery = {},
		options: CallOptions = {},
	): AsyncGenerator<t.WebhookDelivery, void, void> {
		for (let before = query.before; ; ) {
			const path = `/v1/webhooks/${part(webhookId)}/deliveries`;
			const rest = { ...options, query: { ...query, before } };
			const page = await this.read<{ data: t.WebhookDelivery[]; meta: t.MoreMeta }>(path, rest);
			yield* page.data;
			before = page.data.at(-1)?.id;
			if (!page.meta.has_more || before === undefined) {
				return;
			}
		}
	}
}

export class Events extends Resource {
	/** One page of the feed. */
	page(query: t.ListEventsQuery = {}, options: CallOptions = {}): Promise<t.EventPage> {
		return this.read("/v1/events", { ...options, query });
	}

	/** The events that there are after a cursor, oldest first. `seq` of an event is the cursor behind it: keep the last one. */
	async *list(options: FollowOptions = {}): AsyncGenerator<t.Event, void, void> {
		let after = Number(options.after ?? 0);
		for (let hasMore = true; hasMore; ) {
			const page = await this.page({ after, limit: 100 }, options);
			yield* page.data;
			after = Number(page.meta.next_cursor);
			hasMore = page.meta.has_more;
		}
	}

	/** The same, and then those that happen, until the signal ends it or you leave the loop. */
	async *follow(options: FollowOptions = {}): AsyncGenerator<t.Event, void, void> {
		for (let after = Number(options.after ?? 0); ; ) {
			for await (const event of this.list({ ...options, after })) {
				yield event;
				after = event.seq;
			}
			await sleep(options.everyMs ?? FOLLOW_MS, options.signal);
		}
	}
}

export class MediaFiles extends Resource {
	/** Uploads a file in pieces, and goes on after a break. */
	upload(file: Uploadable, options: UploadOptions = {}): Promise<Uploaded> {
		return new Upload(this.caller.transport, "/v1/media/uploads", this.caller.authorization, file, options).run();
	}

	/** An address that takes one file without a token, for a browser (`uploadByLink`). */
	createLink(body: t.UploadLinkRequest = {}, options: CallOptions = {}): Promise<t.UploadLink> {
		return dataOf(this.write("POST", "/v1/media/links", "safe", body, options));
	}

	list(query: t.ListMediaQuery = {}, options: CallOptions = {}): Pages<t.MediaFile> {
		return this.paged("/v1/media", query, options);
	}

	get(mediaId: string, options: CallOptions = {}): Promise<t.MediaFile> {
		return dataOf(this.read(`/v1/media/${part(mediaId)}`, options));
	}

	async download(mediaId: string, options: CallOptions = {}): Promise<Blob> {
		const path = `/v1/media/${part(mediaId)}/content`;
		const answer = await this.send({ method: "GET", path, repeat: "read", wantsBytes: true, headers: { Accept: "*/*" }, ...options });
		return answer.bytes ?? new Blob();
	}

	delete(mediaId: string, options: CallOptions = {}): Promise<void> {
		return this.remove(`/v1/media/${part(mediaId)}`, options);
	}
}

export class Users extends Resource {
	/** All that is stored about one of your users: a page of each list. */
	get(userId: string, query: t.GetUserQuery = {}, options: CallOptions = {}): Promise<{ data: t.UserData; meta: t.PageMeta }> {
		return this.read(`/v1/users/${part(userId)}`, { ...options, query });
	}

	/** Erases one of your users for good: nothing brings them back. */
	erase(userId: string, options: CallOptions = {}): Promise<t.UserErasing> {
		return dataOf(this.write("DELETE", `/v1/users/${part(userId)}`, "safe", undefined, { ...options, query: { confirm: userId } }));
	}
}

export class PlatformList extends Resource {
	/** What each platform accepts, and whether posts go to the real ones. */
	list(options: CallOptions = {}): Promise<Platforms> {
		return this.read("/v1/platforms", options);
	}
}
