// SPDX-License-Identifier: Apache-2.0
// Written by clients/generate.py from api/openapi.yaml: change that, and run it.

export interface AccountAnswer {
	data: AccountDetails;
}

export interface AccountCheck {
	/** The platform accepted the token; null when it could not be reached. */
	ok: boolean | null;
	message: TextOrNull;
	account: AccountDetails;
}

export interface AccountCheckAnswer {
	data: AccountCheck;
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

/** An account ends soon (14 and 3 days before), and only its user can renew it. */
export interface AccountExpiringEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "account.expiring";
	event: "account.expiring";
	data: AccountDetails | null;
}

export interface AccountPage {
	data: Array<AccountDetails>;
	meta: PageMeta;
}

/** The platform refuses an account's tokens: its user has to connect it again. */
export interface AccountReauthRequiredEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "account.reauth_required";
	event: "account.reauth_required";
	data: AccountDetails | null;
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

export interface ConnectionBegun {
	/** The platform's consent page. */
	redirect_url: string;
	connection_id: string;
}

/** A connection has succeeded or failed. */
export interface ConnectionCompletedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "connection.completed";
	event: "connection.completed";
	data: Connection | null;
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
	media: Array<DraftMedia> | null;
	containers: Array<DraftContainer> | null;
	platforms: Record<string, unknown> | null;
	overrides: Record<string, DraftOverride> | null;
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

export interface DraftAnswer {
	data: Draft;
}

/** As it was given. */
export interface DraftContainer {
	type?: string | null;
	content?: string | null;
	media?: Array<DraftMedia> | null;
}

/** A draft waits for a person to publish it. */
export interface DraftCreatedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "draft.created";
	event: "draft.created";
	data: Draft | DraftReference | null;
}

/** As it was given. */
export interface DraftMedia {
	url?: string | null;
	media_id?: string | null;
	type?: string | null;
	alt_text?: string | null;
	thumbnail_url?: string | null;
	duration?: number | null;
	mime_type?: string | null;
	fit?: string | null;
}

/** As it was given. */
export interface DraftOverride {
	content?: string | null;
	type?: string | null;
	media?: Array<DraftMedia> | null;
	containers?: Array<DraftContainer> | null;
	options?: Record<string, unknown> | null;
	fit?: string | null;
}

export interface DraftPage {
	data: Array<Draft>;
	meta: PageMeta;
}

/** A draft that was published or deleted meanwhile. */
export interface DraftReference {
	id: Id;
}

/** A person rejected a draft, with a reason. */
export interface DraftRejectedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "draft.rejected";
	event: "draft.rejected";
	data: Draft | DraftReference | null;
}

/** The members of publish's body, all of them optional. */
export interface DraftRequest {
	request_id?: string | null;
	account_ids?: Array<string> | null;
	content?: string | null;
	type?: string | null;
	media?: Array<MediaRequest> | null;
	containers?: Array<ContainerRequest> | null;
	platforms?: PlatformOptions | null;
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
	platforms?: PlatformOptions;
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

/**
 * What happened. `type` says what it is, and so what `data` is: the same as GET of the event's subject, or null when the subject is
 * gone. Skip a type that you do not know: later versions have more.
 */
export type Event =
	| PostPublishSucceededEvent | PostPublishFailedEvent | PostCompletedEvent | PostMediaProblemEvent
	| PostRemovedEvent | PostRemovalFailedEvent | PostIdFoundEvent | ConnectionCompletedEvent | AccountExpiringEvent
	| AccountReauthRequiredEvent | DraftCreatedEvent | DraftRejectedEvent | UserErasedEvent | TestEvent;

export type EventName =
	| "post.publish.succeeded" | "post.publish.failed" | "post.completed" | "connection.completed"
	| "account.reauth_required" | "test" | "user.erased" | "account.expiring" | "draft.created" | "draft.rejected"
	| "post.removed" | "post.removal_failed" | "post.media_problem" | "post.id_found";

export interface EventPage {
	data: Array<Event>;
	meta: CursorMeta;
}

/** What a post on Facebook can have besides text and media. */
export interface FacebookOptions {
	/** An address to share; not with media. */
	link?: string;
	/** The title of a video or reel. */
	title?: string;
	/** The id of a Page that stands for a place. */
	place?: string;
	/** Who may see the post. */
	targeting?: Record<string, unknown>;
	/** In whose feed it is shown. */
	feed_targeting?: Record<string, unknown>;
	/** {type, value: {link}}; with link. */
	call_to_action?: Record<string, unknown>;
	/** A coloured background; short text only. */
	text_format_preset_id?: string;
	/** An earlier time to show; not for videos. */
	backdated_time?: string;
	/** How exact that time is. */
	backdated_time_granularity?: "year" | "month" | "day" | "hour" | "min";
	/** What a video is about. */
	content_category?:
		| "BEAUTY_FASHION" | "BUSINESS" | "CARS_TRUCKS" | "COMEDY" | "CUTE_ANIMALS" | "ENTERTAINMENT" | "FAMILY"
		| "FOOD_HEALTH" | "HOME" | "LIFESTYLE" | "MUSIC" | "NEWS" | "OTHER" | "POLITICS" | "SCIENCE" | "SPORTS"
		| "TECHNOLOGY" | "VIDEO_GAMING";
	/** Tags that describe a video. */
	content_tags?: Array<string>;
	/** Labels of a video, for the Page itself. */
	custom_labels?: Array<string>;
	/** May a video be embedded elsewhere? */
	embeddable?: boolean;
	/** A video without a post in the feed. */
	no_story?: boolean;
	/** A reel as a draft, which only the Page itself sees. */
	video_state?: "PUBLISHED" | "DRAFT";
	/** The ids of up to 10 Pages that a reel invites as collaborators. */
	collaborators?: Array<string>;
	/** A caption for each photo, in their order; empty for none. */
	photo_captions?: Array<string>;
}

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
 * goes as it is. Unless `off`, what an image tells of place and camera is removed. Moving images are never stilled. A video is
 * converted to MP4 (H.264, AAC) where the operator has switched that on; `pad` and `crop` are `auto` for it.
 */
export type Fit = "auto" | "pad" | "crop" | "off";

/** What getUser can be asked for. */
export interface GetUserQuery {
	page?: number;
	per_page?: number;
}

export type Id = string;

/** What a post on Instagram can have besides text and media. */
export interface InstagramOptions {
	/** The id of a Page that has a location. */
	location_id?: string;
	/** Up to 3 usernames. */
	collaborators?: Array<string>;
	/**
	 * Who is in it: up to 20 of {username, x, y}; a reel takes no x and y. In a carousel up to 20 for each image, whose number from
	 * 0 is media (0 when not given).
	 */
	user_tags?: Array<Record<string, unknown>>;
	/** Reels: show it in the feed too. */
	share_to_feed?: boolean;
	/** Reels: the address of the cover; goes before thumbnail_url. */
	cover_url?: string;
	/** Reels: the millisecond whose picture is the cover. */
	thumb_offset?: number;
	/** Reels: the name of the sound. */
	audio_name?: string;
	/** Reels: {audio_id, audio_volume, video_volume}. */
	audio_configuration?: Record<string, unknown>;
	/** Reels: {graduation_strategy}: MANUAL or SS_PERFORMANCE. */
	trial_params?: Record<string, unknown>;
	/** Say that it is machine-made. */
	is_ai_generated?: boolean;
	/** Say that it is paid for. */
	is_paid_partnership?: boolean;
	/** Up to 2 sponsors. */
	branded_content_sponsor_ids?: Array<string>;
	/** Images and reels: up to 5 of {product_id, x, y}; needs further permissions. */
	product_tags?: Array<Record<string, unknown>>;
}

export type Instant = string;

export type InstantOrNull = string | null;

/** What a post on LinkedIn can have besides text and media. */
export interface LinkedinOptions {
	/** Who sees the post; PUBLIC when not given, CONNECTIONS for members only */
	visibility?: "PUBLIC" | "CONNECTIONS" | "LOGGED_IN";
	/** MAIN_FEED when not given; NONE keeps a page's post out of the feed */
	feedDistribution?: "MAIN_FEED" | "NONE";
	/** To whom a page's post is shown: objects of URN lists, such as {geoLocations: [...]} */
	targetEntities?: Array<Record<string, unknown>>;
	/** Nobody may share the post onward */
	isReshareDisabledByAuthor?: boolean;
	/** {source, title, description, thumbnail_url}: a link as a card; source is the first link of the text when not given */
	article?: Record<string, unknown>;
	/** {question, options: 2 to 4 texts, duration: ONE_DAY, THREE_DAYS, SEVEN_DAYS or FOURTEEN_DAYS}; SEVEN_DAYS when not given */
	poll?: Record<string, unknown>;
	/** {url, title}: a PDF, PowerPoint or Word file that is shown page by page */
	document?: Record<string, unknown>;
	/** Title of the video */
	media_title?: string;
	/** Picture of the video; thumbnail_url of the medium when not given */
	thumbnail_url?: string;
	/** [{url, language}]: captions of the video, one SRT file; language as in de or pt-BR */
	captions?: Array<Record<string, unknown>>;
	/** Shares this post: its URN, or a share's number */
	reshare_urn?: string;
	/** [{name, urn}]: every @name of the text becomes a mention */
	mentions?: Array<Record<string, unknown>>;
	/** Where a click on the content leads */
	contentLandingPage?: string;
	/** The button at the content */
	contentCallToActionLabel?:
		| "APPLY" | "DOWNLOAD" | "VIEW_QUOTE" | "LEARN_MORE" | "SIGN_UP" | "SUBSCRIBE" | "REGISTER" | "JOIN" | "ATTEND"
		| "REQUEST_DEMO" | "SEE_MORE";
}

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
	/** `next_cursor` of the previous page; also the `seq` of an event. */
	after?: string | number;
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

export interface MediaAnswer {
	data: MediaFile;
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

export interface MediaPage {
	data: Array<MediaFile>;
	meta: PageMeta;
}

/** The post, the platform post that the problem is of, and the problem. */
export interface MediaProblemData {
	id: Id;
	request_id: string;
	/** The user of the first account. */
	external_user_id: string;
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
	/** Reserved. */
	tags: Array<string>;
	status: PostState;
	platform_posts: Array<PlatformPostDetails>;
	platform_post: PlatformPostDetails;
	problem: {
		/** The place of the file in the request. */
		field: string;
		code: string;
		message: TextOrNull;
	};
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

export interface PlatformList {
	data: Array<Platform>;
	/** Posts are published only in the sandbox. */
	sandbox: boolean;
	meta: {
		/**
		 * Where posts go: to the real platforms; for a test app, to the sandbox inside the service; or, for all apps, to another
		 * sandbox.
		 */
		mode: "live" | "test" | "sandbox";
	};
}

/**
 * Options by the slug of a platform (`twitter` is another name of `x`). They are checked and handed to the platform; what a platform
 * does not know is ignored and listed in `warnings`, and so are options for a platform that no account is on.
 */
export interface PlatformOptions {
	instagram?: InstagramOptions | null;
	facebook?: FacebookOptions | null;
	x?: XOptions | null;
	linkedin?: LinkedinOptions | null;
	youtube?: YoutubeOptions | null;
	tiktok?: TiktokOptions | null;
	twitter?: XOptions | null;
}

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
	 * which `outcome` is `partial`; and `media_fitted`, an image that was changed for the platform, and `platform_post_id_missing`:
	 * the platform has not told the post's id, which is looked for during a day. Of a scheduled one, what is wrong with its files as
	 * they were seen soon after acceptance: `media_unreachable`, `media_type_not_supported`, `animated_image`, `media_too_large` and
	 * others; the post stays scheduled.
	 */
	warnings: Warnings;
	scheduled_at: InstantOrNull;
	/** Null also of a published one while the platform has not told it (TikTok moderates first): event `post.id_found` once it has. */
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
	 * which `outcome` is `partial`; and `media_fitted`, an image that was changed for the platform, and `platform_post_id_missing`:
	 * the platform has not told the post's id, which is looked for during a day. Of a scheduled one, what is wrong with its files as
	 * they were seen soon after acceptance: `media_unreachable`, `media_type_not_supported`, `animated_image`, `media_too_large` and
	 * others; the post stays scheduled.
	 */
	warnings: Warnings;
	scheduled_at: InstantOrNull;
	/** Null also of a published one while the platform has not told it (TikTok moderates first): event `post.id_found` once it has. */
	platform_post_id: TextOrNull;
	/** Null also once the post was removed. */
	url: TextOrNull;
	effective: Effective;
	waiting: WaitingOrNull;
	error: FailureOrNull;
	/** Whether it is taken back; null while nobody asked. */
	removal: null | {
		status: RemovalStatus;
		error: FailureOrNull;
		removed_at: InstantOrNull;
	};
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
	/** Reserved. */
	tags: Array<string>;
	status: PostStatus;
	platform_posts: Array<PlatformPost>;
}

export interface PostAnswer {
	data: PostDetails;
}

/** All of a post's accounts are done, one way or the other. */
export interface PostCompletedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "post.completed";
	event: "post.completed";
	data: PostDetails | null;
}

/** One post in full. */
export interface PostDetails {
	id: Id;
	request_id: string;
	/** The user of the first account. */
	external_user_id: string;
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
	/** Reserved. */
	tags: Array<string>;
	status: PostState;
	platform_posts: Array<PlatformPostDetails>;
	warnings?: Warnings;
}

/** The post, and the platform post that the event is about. */
export interface PostEventData {
	id: Id;
	request_id: string;
	/** The user of the first account. */
	external_user_id: string;
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
	/** Reserved. */
	tags: Array<string>;
	status: PostState;
	platform_posts: Array<PlatformPostDetails>;
	platform_post: PlatformPostDetails;
}

/**
 * The platform has told the id of a post that was published before: `platform_post_id` and `url` are the post's now (TikTok, after
 * moderation).
 */
export interface PostIdFoundEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "post.id_found";
	event: "post.id_found";
	data: PostEventData | null;
}

/** A file of a post that is scheduled ahead will not do as it is. The post stays scheduled. */
export interface PostMediaProblemEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "post.media_problem";
	event: "post.media_problem";
	data: MediaProblemData | null;
}

export interface PostPage {
	data: Array<Post>;
	meta: PageMeta;
}

/** A post could not be published to one account, or was cancelled there. */
export interface PostPublishFailedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "post.publish.failed";
	event: "post.publish.failed";
	data: PostEventData | null;
}

/** A post has become visible on one account. */
export interface PostPublishSucceededEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "post.publish.succeeded";
	event: "post.publish.succeeded";
	data: PostEventData | null;
}

/** It could not be taken back there, or the platform gives no way to do it. */
export interface PostRemovalFailedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "post.removal_failed";
	event: "post.removal_failed";
	data: PostEventData | null;
}

/** A published post is gone from one account, because you asked for it. */
export interface PostRemovedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "post.removed";
	event: "post.removed";
	data: PostEventData | null;
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
	platforms?: PlatformOptions | null;
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

export interface RetryManyAnswer {
	data: RetryMany;
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

export interface TestData {
	webhook_id: Id;
}

/** You tried a webhook out. */
export interface TestEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "test";
	event: "test";
	data: TestData | null;
}

export interface TestSent {
	data: {
		event_id: string;
	};
}

export type TextOrNull = string | null;

/** What a post on TikTok can have besides text and media. */
export interface TiktokOptions {
	/** Who sees it; when not given, the most open one that the creator may use, or SELF_ONLY while TikTok has not audited the app */
	privacy_level?: "PUBLIC_TO_EVERYONE" | "MUTUAL_FOLLOW_FRIENDS" | "FOLLOWER_OF_CREATOR" | "SELF_ONLY";
	/** Nobody may comment */
	disable_comment?: boolean;
	/** Nobody may make a duet with it */
	disable_duet?: boolean;
	/** Nobody may stitch it */
	disable_stitch?: boolean;
	/** The frame that is the cover */
	video_cover_timestamp_ms?: number;
	/** It is a paid partnership; not with SELF_ONLY */
	brand_content_toggle?: boolean;
	/** It promotes the creator's own business */
	brand_organic_toggle?: boolean;
	/** It is labelled as generated content */
	is_aigc?: boolean;
	/** Title of a photo post */
	title?: string;
	/** TikTok adds music to a photo post */
	auto_add_music?: boolean;
	/** The photo that is the cover, from 0 */
	photo_cover_index?: number;
	/**
	 * PULL_FROM_URL: TikTok fetches your own addresses, whose domain must be verified with the app; else a video is uploaded, and
	 * photos are fetched from this service
	 */
	source?: "FILE_UPLOAD" | "PULL_FROM_URL";
	/** MEDIA_UPLOAD: a draft in the creator's inbox, who finishes it in TikTok; needs the scope video.upload */
	post_mode?: "DIRECT_POST" | "MEDIA_UPLOAD";
}

export interface Timeline {
	data: Array<TimelineEntry>;
}

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
	/** `in_doubt`: it is unknown whether the call did its work. */
	verdict: "" | "ok" | "done" | "refused" | "error" | "lost" | "never_sent" | "in_doubt";
	/** What was done next, in words; empty when nothing was to decide. */
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

export interface TokenError {
	message: string;
	error:
		| "invalid_request" | "invalid_authorization_header" | "invalid_authorization_format" | "invalid_client_id"
		| "invalid_client_secret" | "app_not_active" | "admin_not_found" | "app_not_live" | "VALIDATION_ERROR"
		| "UNSUPPORTED_MEDIA_TYPE" | "PAYLOAD_TOO_LARGE" | "METHOD_NOT_ALLOWED" | "RATE_LIMITED" | "INTERNAL_ERROR"
		| "UNAVAILABLE";
	/** The message again, where OAuth clients look for it. */
	error_description: string;
	errors?: FieldErrors;
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

export interface UploadLinkAnswer {
	data: UploadLink;
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

export interface UserDataAnswer {
	data: UserData;
	meta: PageMeta;
}

export interface UserErased {
	user_id: string;
	/** Null for all of them. */
	platform: PlatformSlug | null;
	erased_at: Instant;
}

/** All that was stored about a user is erased, or all of one platform. */
export interface UserErasedEvent {
	id: Id;
	/** The event's place among the app's events, and its cursor in `GET /events`. It rises; it may have gaps. */
	seq: number;
	app_id: Id;
	timestamp: Instant;
	type: "user.erased";
	event: "user.erased";
	data: UserErased | null;
}

export interface UserErasing {
	user_id: string;
	/** What goes. Zeros: nothing is stored about this user. */
	erasing: UserCounts;
}

export interface UserErasingAnswer {
	data: UserErasing;
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
	platforms?: PlatformOptions | null;
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

export interface ValidationAnswer {
	data: Validation;
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

export interface WebhookAnswer {
	data: Webhook;
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

export interface WebhookDeliveryPage {
	data: Array<WebhookDelivery>;
	meta: MoreMeta;
}

export interface WebhookList {
	data: Array<Webhook>;
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

export interface WebhookWithSecretAnswer {
	data: WebhookWithSecret;
}

/** What a post on X can have besides text and media. */
export interface XOptions {
	/** Who may reply. */
	reply_settings?: "everyone" | "following" | "mentionedUsers" | "subscribers" | "verified";
	/** A community, by id or by its address. */
	community_id?: string;
	/** Show a community post to followers too. */
	share_with_followers?: boolean;
	/** {options: 2 to 4 texts, duration_minutes: 5 to 10080}. */
	poll?: Record<string, unknown>;
	/** Quote this post; Enterprise apps only. */
	quote_tweet_id?: string;
	/** Answer this post. */
	in_reply_to_tweet_id?: string;
	/** Leave these out of the answer. */
	exclude_reply_user_ids?: Array<string>;
	/** Tag these people in the pictures. */
	tagged_user_ids?: Array<string>;
	/** Say that it is machine-made. */
	made_with_ai?: boolean;
	/** Say that it is paid for. */
	paid_partnership?: boolean;
	/** For super followers only. */
	for_super_followers_only?: boolean;
	/** Keep it out of the public timeline. */
	nullcast?: boolean;
	/** A place. */
	geo_place_id?: string;
	/** A card. */
	card_uri?: string;
	/** A link into a direct message. */
	direct_message_deep_link?: string;
	/** The title of the video's card. */
	media_title?: string;
	/** The description of the video's card. */
	media_description?: string;
	/** The video may be shown on other sites. */
	media_embeddable?: boolean;
	/** The button at the video: {visit_site: {url}}, {watch_now: {url}} or {app_install: {...}}, as X documents them. */
	call_to_actions?: Record<string, unknown>;
	/**
	 * {previous_post_id}: replaces this post of the account, which gets a new id; X allows it to subscribers, for a short time and
	 * five times.
	 */
	edit_options?: Record<string, unknown>;
	/** The video's preview picture, by X's media id. */
	preview_media_id?: string;
	/**
	 * [{url, language, name}]: subtitles of the video, SRT or WebVTT; language as in de, one file for each; name is the language
	 * when not given.
	 */
	captions?: Array<Record<string, unknown>>;
	/** Of the type article: {title, status: draft or published, cover_url}. */
	article?: Record<string, unknown>;
	/** Leave web addresses out of the text: X charges more for posts that have them. */
	strip_links?: boolean;
}

/** What a post on YouTube can have besides text and media. */
export interface YoutubeOptions {
	/** Title, at most 100 characters; else the first line of the text */
	title?: string;
	/** Description; else the text */
	description?: string;
	/** Tags, at most 500 characters together */
	tags?: Array<string>;
	/** YouTube's number of the category; 22 (People & Blogs) when not given */
	categoryId?: string;
	/** Who sees the video; public when not given */
	privacyStatus?: "public" | "unlisted" | "private";
	/** When YouTube makes the video public by itself; private until then, without comments */
	publishAt?: string;
	/** The video is made for kids (COPPA); false when not given */
	selfDeclaredMadeForKids?: boolean;
	/** The video shows realistic altered or synthetic content */
	containsSyntheticMedia?: boolean;
	/** Licence of the video */
	license?: "youtube" | "creativeCommon";
	/** The video may be embedded elsewhere */
	embeddable?: boolean;
	/** Everybody may see the video's statistics */
	publicStatsViewable?: boolean;
	/** Subscribers are told of the video; true when not given */
	notifySubscribers?: boolean;
	/** Language of title and description */
	defaultLanguage?: string;
	/** Language spoken in the video */
	defaultAudioLanguage?: string;
	/** Title and description in further languages; with defaultLanguage */
	localizations?: Record<string, unknown>;
	/** recordingDate: when the video was recorded */
	recordingDetails?: Record<string, unknown>;
	/** hasPaidProductPlacement: the video holds paid product placement */
	paidProductPlacementDetails?: Record<string, unknown>;
	/** The channel's playlist that the video is put into */
	playlistId?: string;
	/** [{url, language, name}]: caption files, such as SRT; language as in de or pt-BR, name is the language when not given */
	captions?: Array<Record<string, unknown>>;
}
