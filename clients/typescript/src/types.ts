// SPDX-License-Identifier: Apache-2.0
// Written by clients/generate.py from api/openapi.yaml: change that, and run it.

export interface AccountCheck {
	/** The platform accepted the token; null when it could not be reached. */
	ok: boolean | null;
	message: TextOrNull;
	account: AccountDetails;
}

/** An account with the state of its token. */
export interface AccountDetails {
	id: Id;
	/** The user_id given when connecting. */
	app_user_id: string;
	platform_id: PlatformId;
	platform: PlatformSlug;
	platform_account_id: string;
	username: string;
	name: string;
	email: TextOrNull;
	avatar_url: TextOrNull;
	account_type: "personal" | "page" | "business" | "creator" | "organization" | "channel";
	status: AccountStatus;
	/** The connection that last connected it. */
	connection_id: string;
	/** When the access token expires; it is renewed where the platform allows that. */
	expires_at: InstantOrNull;
	/**
	 * When only the account's user can renew it, by connecting again; null for never or unknown. The event `account.expiring` comes
	 * 14 and 3 days before.
	 */
	ends_at: InstantOrNull;
	last_refresh_at: InstantOrNull;
	last_error: TextOrNull;
	scopes: Array<string>;
	/** False while a connection confirmation is missing. */
	confirmed: boolean;
	created_at: Instant;
	updated_at: Instant;
	creator_info?: CreatorInfo;
}

/** Publishing needs `active` or `expiring`. */
export type AccountStatus = "active" | "expiring" | "reauth_required" | "disconnected";

/** Begin a connection with a JSON body: the body. */
export interface BeginConnectionBody {
	/** A platform's slug; `twitter` is another name of `x`. */
	platform: string;
	user_id: string;
	redirect_url: string;
	name?: string | null;
	email?: string | null;
}

/** Confirm that the right user came back: the body. */
export interface ConfirmConnectionBody {
	confirmation_token: string;
	user_id: string;
}

export interface ConnectedAccount {
	id: Id;
	/** The user_id given when connecting. */
	app_user_id: string;
	platform_id: PlatformId;
	platform: PlatformSlug;
	platform_account_id: string;
	username: string;
	name: string;
	email: TextOrNull;
	avatar_url: TextOrNull;
	account_type: "personal" | "page" | "business" | "creator" | "organization" | "channel";
	status: AccountStatus;
}

export interface Connection {
	connection_id: string;
	status: "pending" | "success" | "failed";
	accounts: Array<ConnectedAccount>;
	/** When failed. */
	error?:
		| "access_denied" | "expired" | "exchange_failed" | "missing_permissions" | "no_accounts" | "platform_error"
		| "quota_exceeded";
	/** When failed. */
	error_description?: string;
}

export interface Container {
	content: string;
	media: Array<Media>;
}

export interface ContainerRequest {
	/** Only in the first container. */
	type?: PostType | null;
	content: string;
	media?: Array<MediaRequest> | null;
}

/**
 * TikTok only. What TikTok said of the creator when it was last asked, at connect and before each post. TikTok's rules want the
 * person who posts to choose one of the levels.
 */
export interface CreatorInfo {
	privacy_level_options?:
		| Array<"PUBLIC_TO_EVERYONE" | "MUTUAL_FOLLOW_FRIENDS" | "FOLLOWER_OF_CREATOR" | "SELF_ONLY">;
	max_video_post_duration_sec?: number;
	comment_disabled?: boolean;
	duet_disabled?: boolean;
	stitch_disabled?: boolean;
	/** TikTok has refused a post of this app as not audited: it may only post as SELF_ONLY to private accounts. */
	is_unaudited?: boolean;
}

export interface CursorMeta {
	next_cursor: string;
	has_more: boolean;
}

export interface Draft {
	id: Id;
	/** A key's name, or the e-mail of an admin. */
	created_by: string | null;
	created_at: Instant;
	updated_at: Instant;
	review: {
		state: "open" | "rejected";
		reason: TextOrNull;
		by: TextOrNull;
		at: InstantOrNull;
	};
	request_id: string | null;
	account_ids: Array<string> | null;
	content: string | null;
	type: string | null;
	media: Array<Record<string, unknown>> | null;
	containers: Array<Record<string, unknown>> | null;
	platforms: Record<string, unknown> | null;
	overrides: Record<string, unknown> | null;
	scheduled_at: string | null;
	max_lateness: number | null;
	/** What publishing would refuse now. */
	problems: Array<{
		field: string;
		code: string;
		message: string;
	}>;
	warnings?: Warnings;
}

/** The members of publish's body, all of them optional. */
export interface DraftRequest {
	request_id?: string | null;
	account_ids?: Array<string> | null;
	content?: string | null;
	type?: string | null;
	media?: Array<MediaRequest> | null;
	containers?: Array<ContainerRequest> | null;
	platforms?: Record<string, Record<string, unknown> | null> | null;
	overrides?: Record<string, OverrideRequest> | null;
	scheduled_at?: string | null;
	max_lateness?: number | null;
}

/** `content`, `media` and `type` for a post without containers; `containers` makes it a post of containers. */
export interface EditRequest {
	content?: string;
	type?: PostType;
	media?: Array<MediaRequest>;
	containers?: Array<ContainerRequest>;
	platforms?: Record<string, Record<string, unknown> | null>;
	overrides?: Record<string, OverrideRequest>;
	scheduled_at?: string;
}

/** What this account gets, with all overrides laid over the root. */
export interface Effective {
	containers: Array<{
		/** Null but in the first container. */
		type: PostType | null;
		content: string;
		media: Array<Media>;
	}>;
	options: Record<string, unknown>;
}

/** What eraseUser can be asked for. */
export interface EraseUserQuery {
	/** The user's id once more. */
	confirm: string;
}

export interface Error {
	message: string;
	error:
		| "MALFORMED_JSON" | "UNAUTHENTICATED" | "app_not_active" | "FOREIGN_ORIGIN" | "INSUFFICIENT_SCOPE"
		| "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_ERROR"
		| "RATE_LIMITED" | "QUOTA_EXCEEDED" | "INTERNAL_ERROR" | "UNAVAILABLE" | "BAD_REQUEST" | "MISDIRECTED_REQUEST"
		| "HEADERS_TOO_LARGE" | "MISSING_PARAMETERS" | "PLATFORM_NOT_FOUND" | "CREDENTIALS_NOT_FOUND"
		| "REDIRECT_URL_ERROR" | "CONNECTION_NOT_FOUND" | "INVALID_ACCOUNT" | "DUPLICATE_REQUEST" | "INVALID_SCHEDULE"
		| "INVALID_MEDIA" | "TOO_LATE" | "PRECONDITION_FAILED" | "IDEMPOTENCY_KEY_REUSED" | "NOTHING_TO_RETRY"
		| "MEDIA_IN_USE" | "MEDIA_UNREACHABLE" | "LINK_USED" | "UPLOAD_CONFLICT" | "NOT_PUBLISHED" | "COUNT_CHANGED"
		| "WEBHOOK_DISABLED" | "INVALID_SIGNATURE";
	errors?: FieldErrors;
	details?: {
		/** MALFORMED_JSON. */
		line?: number;
		column?: number;
		/** INVALID_MEDIA, INVALID_SCHEDULE. */
		reason?: string;
		/** INSUFFICIENT_SCOPE: the scope that the key lacks. */
		required?: "read" | "drafts" | "publish" | "remove" | "accounts" | "media" | "webhooks" | "people";
		/** QUOTA_EXCEEDED: which is full. */
		quota?:
			| "pending_posts" | "accounts" | "post_bytes" | "media_bytes" | "media_files" | "webhook_backlog";
		/** QUOTA_EXCEEDED: what the app may have. */
		limit?: number;
		/** QUOTA_EXCEEDED: what it had before this request. */
		used?: number;
		/** DUPLICATE_REQUEST: the first post. */
		post_id?: string;
		/** COUNT_CHANGED: what the call expected. */
		expected?: number;
		/** COUNT_CHANGED: what there is. */
		count?: number;
		status?: PostState;
		/** INVALID_ACCOUNT: which and why; NOTHING_TO_RETRY and NOT_PUBLISHED likewise. */
		accounts?: Array<{
			id: string;
			reason:
				| "unknown" | "disconnected" | "reauth_required" | "unconfirmed" | "published" | "in_progress"
				| "outcome_unknown" | "not_a_target" | "not_published" | "removed";
		}>;
		/** VALIDATION_ERROR by a platform's rule. */
		rules?: Array<RuleViolation>;
	};
}

export interface Event {
	id: Id;
	/** The same as `event`; the name that Standard Webhooks recommends. */
	type: EventName;
	event: EventName;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	/**
	 * The same as GET of the event's subject. For `post.*`: the post as `GET /posts/{post_id}`; for `post.publish.*` also the
	 * platform post concerned as `platform_post`. For `connection.completed`: the connection's accounts answer. For `account.*`: the
	 * account. For `user.erased`: `user_id`, `platform` (null: all of them) and `erased_at`. Null when the subject is gone.
	 */
	data: Record<string, unknown> | null;
}

export type EventName =
	| "post.publish.succeeded" | "post.publish.failed" | "post.completed" | "connection.completed"
	| "account.reauth_required" | "test" | "user.erased" | "account.expiring" | "draft.created" | "draft.rejected"
	| "post.removed" | "post.removal_failed" | "post.media_problem";

export type FailureCode =
	| "CONTENT_REJECTED" | "MEDIA_UNREACHABLE" | "MEDIA_REJECTED" | "ACCOUNT_REAUTH_REQUIRED" | "PERMISSION_MISSING"
	| "RATE_LIMITED" | "QUOTA_EXHAUSTED" | "DUPLICATE_CONTENT" | "PLATFORM_UNAVAILABLE" | "PLATFORM_REJECTED"
	| "OUTCOME_UNKNOWN" | "CANCELLED" | "EXPIRED" | "APP_CREDENTIALS_INVALID" | "INTERNAL_ERROR";

/** Why it failed, or the error of the last attempt. */
export type FailureOrNull = null | {
	code: FailureCode;
	message: string;
	platform_code: TextOrNull;
	platform_message: TextOrNull;
	transient: boolean;
};

/** Field path (`containers.1.type`, `account_ids.2`) to messages. */
export type FieldErrors = Record<string, Array<string>>;

/**
 * What may be done to an image for a platform that would refuse it. `auto` (the default): it is re-encoded as JPEG and made smaller,
 * for that platform alone; PNG, WebP, HEIC, AVIF and TIFF are taken. `pad` (with white) and `crop` also mend its shape. `off`: it
 * goes as it is. Unless `off`, what an image tells of place and camera is removed. Moving images are never stilled.
 */
export type Fit = "auto" | "pad" | "crop" | "off";

/** What getUser can be asked for. */
export interface GetUserQuery {
	page?: number;
	per_page?: number;
}

export type Id = string;

export type Instant = string;

export type InstantOrNull = string | null;

/** What listAccounts can be asked for. */
export interface ListAccountsQuery {
	/** Your own id for the user. */
	user_id?: string;
	platform?: PlatformSlug;
	status?: AccountStatus;
	page?: number;
	per_page?: number;
}

/** What listDrafts can be asked for. */
export interface ListDraftsQuery {
	page?: number;
	per_page?: number;
}

/** What listEvents can be asked for. */
export interface ListEventsQuery {
	/** `next_cursor` of the previous page. */
	after?: number;
	limit?: number;
}

/** What listMedia can be asked for. */
export interface ListMediaQuery {
	page?: number;
	per_page?: number;
}

/** What listPosts can be asked for. */
export interface ListPostsQuery {
	date_from?: string;
	/** Not before date_from. */
	date_to?: string;
	/** `pending` includes processing and retrying. */
	status?: PostStatus;
	/** Posts for any account of these users. */
	"external_user_ids[]"?: Array<string>;
	"account_ids[]"?: Array<string>;
	platform?: string;
	page?: number;
	per_page?: number;
}

/** What listWebhookDeliveries can be asked for. */
export interface ListWebhookDeliveriesQuery {
	/** The id of the last row you have. */
	before?: number;
	limit?: number;
}

export interface Media {
	/** null for an uploaded file. */
	url: string | null;
	/** Of an uploaded file; absent for others. */
	media_id?: string;
	type: "image" | "video";
	alt_text: TextOrNull;
	thumbnail_url: TextOrNull;
	duration: number | null;
	mime_type: TextOrNull;
	/** Where it was given. */
	fit?: Fit;
}

export interface MediaFile {
	id: string;
	/** By its bytes; so are all up to `duration_ms`. */
	type: "image" | "video" | "document";
	mime_type: string;
	size_bytes: number;
	sha256: string;
	width: number | null;
	height: number | null;
	duration_ms: number | null;
	file_name: TextOrNull;
	created_at: Instant;
	/** When it goes, if it is not used again; null while a draft or an unfinished post needs it. */
	expires_at: InstantOrNull;
}

/** Either `url` (then with `type`) or `media_id`. */
export interface MediaRequest {
	/** Must be reachable by this service. Fetched when the post is published. */
	url?: string | null;
	/** An uploaded file. */
	media_id?: string | null;
	type?: "image" | "video" | null;
	alt_text?: string | null;
	/** An address, or the id of an uploaded file. */
	thumbnail_url?: string | null;
	/** Seconds. */
	duration?: number | null;
	mime_type?: string | null;
	fit?: Fit | null;
}

export interface MoreMeta {
	has_more: boolean;
}

export interface Override {
	content?: string;
	type?: PostType;
	media?: Array<Media>;
	containers?: Array<{
		type?: PostType;
		content: string;
		media: Array<Media>;
	}>;
	options?: Record<string, unknown>;
	fit?: Fit;
}

/** At least one member; `containers` not beside `content`, `media` or `type`. */
export interface OverrideRequest {
	/** The text of the first container. */
	content?: string | null;
	type?: PostType | null;
	/** The media of the first container. */
	media?: Array<MediaRequest> | null;
	containers?: Array<ContainerRequest> | null;
	/** As in `platforms.<slug>`. */
	options?: Record<string, unknown> | null;
	/** Of all media that do not say it themselves in this entry. */
	fit?: Fit | null;
}

export interface PageMeta {
	current_page: number;
	per_page: number;
	total: number;
	last_page: number;
}

export interface Platform {
	id: PlatformId;
	slug: PlatformSlug;
	name: string;
	/** Whether published posts can be taken back by an app. */
	can_unpublish: boolean;
	post_types: Array<{
		type: PostType;
		default: boolean;
		summary: string;
		images: Range;
		videos: Range;
		media: Range;
		text_required: boolean;
		/** In the limits' text_unit; accounts with a subscription may have more. */
		text_max: number;
	}>;
	limits: Record<string, number | string>;
	options: Array<{
		name: string;
		type: "string" | "boolean" | "integer" | "array" | "object";
		max?: number;
		values?: Array<string>;
		summary: string;
	}>;
}

/** 1 instagram, 2 facebook, 3 x, 4 linkedin, 5 youtube, 6 tiktok. */
export type PlatformId = 1 | 2 | 3 | 4 | 5 | 6;

export interface PlatformPost {
	id: Id;
	account_id: Id;
	platform: PlatformSlug;
	platform_id: PlatformId;
	handle: string;
	status: PostStatus;
	/**
	 * `partial`: the first container is published, and something that was asked for is not. With status published, `error` or
	 * `warnings` say why; comments and thumbnails that were refused can be retried.
	 */
	outcome: "none" | "all" | "partial";
	/**
	 * Who can see what is published: `followers` also for friends and connections, `draft` when a person has to publish it at the
	 * platform. Null while nothing is published, and where the platform does not say.
	 */
	visibility: null | "public" | "unlisted" | "followers" | "private" | "draft";
	/**
	 * What is missing or different although the post is out: `part_refused`, `thumbnail_refused`, `visibility_restricted`, with
	 * which `outcome` is `partial`; and `media_fitted`, an image that was changed for the platform. Of a scheduled one, what is
	 * wrong with its files as they were seen soon after acceptance: `media_unreachable`, `media_type_not_supported`,
	 * `animated_image`, `media_too_large` and others; the post stays scheduled.
	 */
	warnings: Warnings;
	scheduled_at: InstantOrNull;
	platform_post_id: TextOrNull;
	/** Null also once the post was removed. */
	url: TextOrNull;
	error: null | {
		code: FailureCode;
		message: string;
	};
	/** Whether it is taken back (`POST /v1/posts/{post_id}/unpublish`); null while nobody asked. */
	removal: null | {
		status: RemovalStatus;
		error: null | {
			code: FailureCode;
			message: string;
		};
		removed_at: InstantOrNull;
	};
}

export interface PlatformPostDetails {
	id: Id;
	account_id: Id;
	platform: PlatformSlug;
	platform_id: PlatformId;
	handle: string;
	status: PostStatus;
	/**
	 * `partial`: the first container is published, and something that was asked for is not. With status published, `error` or
	 * `warnings` say why; comments and thumbnails that were refused can be retried.
	 */
	outcome: "none" | "all" | "partial";
	/**
	 * Who can see what is published: `followers` also for friends and connections, `draft` when a person has to publish it at the
	 * platform. Null while nothing is published, and where the platform does not say.
	 */
	visibility: null | "public" | "unlisted" | "followers" | "private" | "draft";
	/**
	 * What is missing or different although the post is out: `part_refused`, `thumbnail_refused`, `visibility_restricted`, with
	 * which `outcome` is `partial`; and `media_fitted`, an image that was changed for the platform. Of a scheduled one, what is
	 * wrong with its files as they were seen soon after acceptance: `media_unreachable`, `media_type_not_supported`,
	 * `animated_image`, `media_too_large` and others; the post stays scheduled.
	 */
	warnings: Warnings;
	scheduled_at: InstantOrNull;
	platform_post_id: TextOrNull;
	/** Null also once the post was removed. */
	url: TextOrNull;
	error: FailureOrNull;
	/** Whether it is taken back; null while nobody asked. */
	removal: null | {
		status: RemovalStatus;
		error: FailureOrNull;
		removed_at: InstantOrNull;
	};
	effective: Effective;
	waiting: WaitingOrNull;
	state: PostState;
	published_at: InstantOrNull;
	attempts: number;
	next_attempt_at: InstantOrNull;
	/** One for each container. */
	parts: Array<{
		state: "pending" | "published" | "failed";
		remote_id: TextOrNull;
		url: TextOrNull;
	}>;
}

export type PlatformSlug = "instagram" | "facebook" | "x" | "linkedin" | "youtube" | "tiktok";

/** A post in a list. */
export interface Post {
	id: Id;
	request_id: string;
	/** The user of the first account. */
	external_user_id: string;
	status: PostStatus;
	state: PostState;
	/** How much of what was asked for is published; `partial`: something is, and something is not. */
	outcome: "none" | "all" | "partial";
	mode: "basic" | "advanced";
	scheduled_at: InstantOrNull;
	/** As accepted, in seconds: the request's, else the app's at that time; null = no limit. */
	max_lateness: number | null;
	created_at: Instant;
	containers: Array<Container>;
	/** As given; empty without any. */
	overrides: Record<string, Override>;
	platform_posts: Array<PlatformPost>;
	/** Reserved. */
	tags: Array<unknown>;
}

/** One post in full. */
export interface PostDetails {
	id: Id;
	request_id: string;
	/** The user of the first account. */
	external_user_id: string;
	status: PostState;
	state: PostState;
	/** How much of what was asked for is published; `partial`: something is, and something is not. */
	outcome: "none" | "all" | "partial";
	mode: "basic" | "advanced";
	scheduled_at: InstantOrNull;
	/** As accepted, in seconds: the request's, else the app's at that time; null = no limit. */
	max_lateness: number | null;
	created_at: Instant;
	containers: Array<Container>;
	/** As given; empty without any. */
	overrides: Record<string, Override>;
	platform_posts: Array<PlatformPostDetails>;
	/** Reserved. */
	tags: Array<unknown>;
	warnings?: Warnings;
}

export type PostState = "pending" | "scheduled" | "processing" | "retrying" | "published" | "failed";

export type PostStatus = "pending" | "scheduled" | "published" | "failed";

export type PostType = "post" | "video" | "story" | "carousel" | "article";

export interface PublishAccepted {
	message: string;
	data: {
		post_id: Id;
		request_id: string;
		status: "pending" | "scheduled";
		total_accounts: number;
		scheduled_at: InstantOrNull;
		mode: "basic" | "advanced";
		platform_posts: Array<{
			id: Id;
			account_id: Id;
			platform_id: PlatformId;
			status: "pending" | "scheduled";
		}>;
		warnings?: Warnings;
	};
}

/** Publish a draft; it is a post then: the body. */
export interface PublishDraftBody {
	request_id?: string | null;
	scheduled_at?: string | null;
}

export interface PublishRequest {
	/** Unique forever in your app; a repeated one is answered with 409 and the first post. Generated when omitted. */
	request_id?: string | null;
	account_ids: Array<string>;
	content?: string | null;
	/** Basic mode. By default `post`; `video` on YouTube and TikTok. */
	type?: PostType | null;
	media?: Array<MediaRequest> | null;
	containers?: Array<ContainerRequest> | null;
	/** Options by platform slug, as `GET /platforms` lists them. */
	platforms?: Record<string, Record<string, unknown> | null> | null;
	/**
	 * What is different for one platform or one account. A key is a platform's slug or an id of `account_ids`. The root is the base,
	 * the platform's entry is laid over it, then the account's own. What an entry gives replaces: `media: []` takes the media away,
	 * `containers` replaces text, media and type as a whole, and `options` is laid over `platforms.<slug>` key by key. Root
	 * `content` and `media` may be missing where every account has its own.
	 */
	overrides?: Record<string, OverrideRequest> | null;
	/** `YYYY-MM-DDTHH:MM:SSZ`, at most five years ahead. Up to five minutes in the past counts as now. */
	scheduled_at?: string | null;
	/**
	 * Seconds. A platform post whose first call could not begin this long after its time fails with `EXPIRED` instead of going out
	 * late; nothing that has begun is given up. Without it the app's setting, by default no limit.
	 */
	max_lateness?: number | null;
}

export interface Range {
	min: number;
	max: number;
}

/** Reject a draft with a reason: the body. */
export interface RejectDraftBody {
	reason: string;
}

/** `unsupported`: the platform gives apps no way to remove it. */
export type RemovalStatus = "pending" | "removed" | "failed" | "unsupported";

export interface RetryMany {
	/** Platform posts. */
	count: number;
	/** Their posts, oldest first. */
	post_ids: Array<string>;
	/** There are others: the call reached 1,000. */
	more: boolean;
	warnings?: Warnings;
}

export interface RetryManyRequest {
	account_ids?: Array<string> | null;
	error_codes?: Array<FailureCode> | null;
	/** Failed at or after; at most 30 days ago. */
	since?: string | null;
	/** Also what may be published already; with error_codes OUTCOME_UNKNOWN and expect. */
	republish?: boolean | null;
	/** The count of a dry run: another one retries nothing. */
	expect?: number | null;
	dry_run?: boolean | null;
}

/** Retry what failed of a post: the body. */
export interface RetryPostBody {
	account_ids?: Array<string> | null;
	republish?: boolean | null;
}

export interface RuleViolation {
	account_id: string;
	field: string;
	rule: string;
	limit: number | null;
	actual: number | null;
	message: string;
}

export type TextOrNull = string | null;

export interface TimelineEntry {
	at: Instant;
	delivery_id: Id;
	account_id: Id;
	stage: string;
	/** Empty for a decision without a call. */
	method: string;
	/** Without query. */
	host_path: string;
	/** Null without a response. */
	status: number | null;
	duration_ms: number;
	verdict: string;
	decision: string;
	/** The beginning of the response, without secrets. */
	excerpt: string | null;
}

export interface Token {
	access_token: string;
	token_type: "Bearer";
	/** Seconds. */
	expires_in: number;
}

/** Take a published post back from the platforms: the body. */
export interface UnpublishPostBody {
	account_ids?: Array<string> | null;
}

export interface UploadLink {
	/** The id that the file will have. */
	media_id: string;
	upload_url: string;
	expires_at: Instant;
}

export interface UploadLinkRequest {
	/** The most that the file may have. */
	max_bytes?: number | null;
	/** Seconds. */
	expires_in?: number | null;
}

export interface UserConnection {
	connection_id: string;
	platform: PlatformSlug;
	status: "pending" | "success" | "failed";
	name: TextOrNull;
	email: TextOrNull;
	redirect_url: string;
	error: TextOrNull;
	error_description: TextOrNull;
	created_at: Instant;
	finished_at: InstantOrNull;
}

export interface UserCounts {
	accounts: number;
	connections: number;
	posts: number;
}

export interface UserData {
	user_id: string;
	totals: UserTotals;
	accounts: Array<AccountDetails>;
	connections: Array<UserConnection>;
	/** Posts with a platform post on one of the user's accounts. */
	posts: Array<PostDetails>;
	/** Uploaded files that those posts name. */
	media: Array<MediaFile>;
}

export interface UserErasing {
	user_id: string;
	/** What goes. Zeros: nothing is stored about this user. */
	erasing: UserCounts;
}

export interface UserTotals {
	accounts: number;
	connections: number;
	posts: number;
	media: number;
}

/** A publish request, and whether its files are to be looked at. */
export interface ValidateRequest {
	/** Unique forever in your app; a repeated one is answered with 409 and the first post. Generated when omitted. */
	request_id?: string | null;
	account_ids: Array<string>;
	content?: string | null;
	/** Basic mode. By default `post`; `video` on YouTube and TikTok. */
	type?: PostType | null;
	media?: Array<MediaRequest> | null;
	containers?: Array<ContainerRequest> | null;
	/** Options by platform slug, as `GET /platforms` lists them. */
	platforms?: Record<string, Record<string, unknown> | null> | null;
	/**
	 * What is different for one platform or one account. A key is a platform's slug or an id of `account_ids`. The root is the base,
	 * the platform's entry is laid over it, then the account's own. What an entry gives replaces: `media: []` takes the media away,
	 * `containers` replaces text, media and type as a whole, and `options` is laid over `platforms.<slug>` key by key. Root
	 * `content` and `media` may be missing where every account has its own.
	 */
	overrides?: Record<string, OverrideRequest> | null;
	/** `YYYY-MM-DDTHH:MM:SSZ`, at most five years ahead. Up to five minutes in the past counts as now. */
	scheduled_at?: string | null;
	/**
	 * Seconds. A platform post whose first call could not begin this long after its time fails with `EXPIRED` instead of going out
	 * late; nothing that has begun is given up. Without it the app's setting, by default no limit.
	 */
	max_lateness?: number | null;
	/** Fetch the files and look at them. */
	fetch?: boolean | null;
}

export interface Validation {
	/** Publishing would be accepted. */
	ok: boolean;
	mode: "basic" | "advanced";
	/**
	 * With `fetch`: every place where the post names a file, and what the file is; nulls where it could not be fetched, or has no
	 * such measure.
	 */
	files?: Array<{
		field: string;
		/** By its bytes. */
		mime_type: string | null;
		size_bytes: number | null;
		width: number | null;
		height: number | null;
		duration_ms: number | null;
	}>;
	accounts: Array<{
		account_id: string;
		/** Null when the account cannot be used. */
		platform: PlatformSlug | null;
		/** The type on this platform; null when the platform has no such type. */
		type: PostType | null;
		ok: boolean;
		violations: Array<{
			code: string;
			field: string;
			limit: number | null;
			actual: number | null;
			message: string;
		}>;
		/** Empty when it is not ok. */
		plan: Array<{
			/** The container that the call is for; 0 is the post. */
			part: number;
			/** As in the timeline. */
			stage: string;
			method: string;
			/** Parts that are only known later are in braces. */
			host_path: string;
			/** This call makes something visible. */
			publishes: boolean;
			summary: string;
		}>;
	}>;
	warnings?: Warnings;
}

/** What it waits for while it is not final. */
export type WaitingOrNull = null | {
	/**
	 * `account_busy`: other posts of the account go first. `platform_limit`, `app_limit`: a limit of the platform, a refusal of the
	 * app. `checking`: it is unknown whether the platform published it, and the platform is asked. `media`: files are being fetched,
	 * uploaded or processed.
	 */
	reason:
		| "schedule" | "account_busy" | "platform_limit" | "app_limit" | "platform_down" | "retry" | "checking" | "held"
		| "media";
	/** A sentence for people. */
	message: string;
	/** The next planned attempt or probe; never in the past. */
	until: InstantOrNull;
	/** Posts of the account that go first, the one in progress included; null when it does not stand in line. */
	ahead: number | null;
};

export type Warnings = Array<{
	field: string;
	code: string;
	message: string;
	/** `media_fitted`: what the file was. */
	from?: string;
	/** `media_fitted`: what the platform got. */
	to?: string;
}>;

export interface Webhook {
	id: Id;
	url: string;
	events: Array<EventName>;
	enabled: boolean;
	/** Set when the service disabled it. */
	disabled_reason: string | null;
	failing_since: InstantOrNull;
	created_at: Instant;
	updated_at: Instant;
}

export interface WebhookChange {
	url?: string | null;
	events?: Array<EventName> | null;
	enabled?: boolean | null;
}

export interface WebhookDelivery {
	id: number;
	event_id: Id;
	event: EventName;
	state: "pending" | "succeeded" | "failed";
	attempts: number;
	next_attempt_at: InstantOrNull;
	created_at: Instant;
	tries: Array<{
		at: Instant;
		status: number | null;
		duration_ms: number;
		error: TextOrNull;
	}>;
}

export interface WebhookRequest {
	url: string;
	/** All by default. */
	events?: Array<EventName> | null;
	enabled?: boolean | null;
}

export interface WebhookWithSecret {
	id: Id;
	url: string;
	events: Array<EventName>;
	enabled: boolean;
	/** Set when the service disabled it. */
	disabled_reason: string | null;
	failing_since: InstantOrNull;
	created_at: Instant;
	updated_at: Instant;
	secret: string;
}
