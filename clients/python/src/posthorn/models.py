# SPDX-License-Identifier: Apache-2.0
"""Written by clients/generate.py from api/openapi.yaml: change that, and run it."""
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


class AccountAnswer(TypedDict):
    data: AccountDetails


class AccountCheck(TypedDict):
    ok: bool | None
    message: TextOrNull
    account: AccountDetails


class AccountCheckAnswer(TypedDict):
    data: AccountCheck


class AccountDetails(TypedDict):
    """An account with the state of its token."""

    id: Id
    app_user_id: str
    platform_id: PlatformId
    platform: PlatformSlug
    platform_account_id: str
    username: str
    name: str
    email: TextOrNull
    avatar_url: TextOrNull
    account_type: Literal["personal", "page", "business", "creator", "organization", "channel"]
    status: AccountStatus
    connection_id: str
    expires_at: InstantOrNull
    ends_at: InstantOrNull
    last_refresh_at: InstantOrNull
    last_error: TextOrNull
    scopes: list[str]
    confirmed: bool
    created_at: Instant
    updated_at: Instant
    creator_info: NotRequired[CreatorInfo]


class AccountExpiringEvent(TypedDict):
    """An account ends soon (14 and 3 days before), and only its user can renew it."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["account.expiring"]
    event: Literal["account.expiring"]
    data: AccountDetails | None


class AccountPage(TypedDict):
    data: list[AccountDetails]
    meta: PageMeta


class AccountReauthRequiredEvent(TypedDict):
    """The platform refuses an account's tokens: its user has to connect it again."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["account.reauth_required"]
    event: Literal["account.reauth_required"]
    data: AccountDetails | None


class BeginConnectionBody(TypedDict):
    """Begin a connection with a JSON body: the body."""

    platform: str
    user_id: str
    redirect_url: str
    name: NotRequired[str | None]
    email: NotRequired[str | None]


class ConfirmConnectionBody(TypedDict):
    """Confirm that the right user came back: the body."""

    confirmation_token: str
    user_id: str


class ConnectedAccount(TypedDict):
    id: Id
    app_user_id: str
    platform_id: PlatformId
    platform: PlatformSlug
    platform_account_id: str
    username: str
    name: str
    email: TextOrNull
    avatar_url: TextOrNull
    account_type: Literal["personal", "page", "business", "creator", "organization", "channel"]
    status: AccountStatus


class Connection(TypedDict):
    connection_id: str
    status: Literal["pending", "success", "failed"]
    accounts: list[ConnectedAccount]
    error: NotRequired[Literal[
        "access_denied", "expired", "exchange_failed", "missing_permissions", "no_accounts", "platform_error", "quota_exceeded"
    ]]
    error_description: NotRequired[str]


class ConnectionBegun(TypedDict):
    redirect_url: str
    connection_id: str


class ConnectionCompletedEvent(TypedDict):
    """A connection has succeeded or failed."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["connection.completed"]
    event: Literal["connection.completed"]
    data: Connection | None


class Container(TypedDict):
    content: str
    media: list[Media]


class ContainerRequest(TypedDict):
    type: NotRequired[PostType | None]
    content: str
    media: NotRequired[list[MediaRequest] | None]


class CreatorInfo(TypedDict):
    """TikTok only. What TikTok said of the creator when it was last asked, at connect and before each post. TikTok's rules
    want the person who posts to choose one of the levels."""

    privacy_level_options: NotRequired[list[Literal["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"]]]
    max_video_post_duration_sec: NotRequired[int]
    comment_disabled: NotRequired[bool]
    duet_disabled: NotRequired[bool]
    stitch_disabled: NotRequired[bool]
    is_unaudited: NotRequired[bool]


class CursorMeta(TypedDict):
    next_cursor: str
    has_more: bool


class Draft(TypedDict):
    id: Id
    created_by: str | None
    created_at: Instant
    updated_at: Instant
    review: DraftReview
    request_id: str | None
    account_ids: list[str] | None
    content: str | None
    type: str | None
    media: list[DraftMedia] | None
    containers: list[DraftContainer] | None
    platforms: dict[str, Any] | None
    overrides: dict[str, DraftOverride] | None
    scheduled_at: str | None
    max_lateness: int | None
    problems: list[DraftProblems]
    warnings: NotRequired[Warnings]


class DraftProblems(TypedDict):
    field: str
    code: str
    message: str


class DraftReview(TypedDict):
    state: Literal["open", "rejected"]
    reason: TextOrNull
    by: TextOrNull
    at: InstantOrNull


class DraftAnswer(TypedDict):
    data: Draft


class DraftContainer(TypedDict):
    """As it was given."""

    type: NotRequired[str | None]
    content: NotRequired[str | None]
    media: NotRequired[list[DraftMedia] | None]


class DraftCreatedEvent(TypedDict):
    """A draft waits for a person to publish it."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["draft.created"]
    event: Literal["draft.created"]
    data: Draft | DraftReference | None


class DraftMedia(TypedDict):
    """As it was given."""

    url: NotRequired[str | None]
    media_id: NotRequired[str | None]
    type: NotRequired[str | None]
    alt_text: NotRequired[str | None]
    thumbnail_url: NotRequired[str | None]
    duration: NotRequired[int | None]
    mime_type: NotRequired[str | None]
    fit: NotRequired[str | None]


class DraftOverride(TypedDict):
    """As it was given."""

    content: NotRequired[str | None]
    type: NotRequired[str | None]
    media: NotRequired[list[DraftMedia] | None]
    containers: NotRequired[list[DraftContainer] | None]
    options: NotRequired[dict[str, Any] | None]
    fit: NotRequired[str | None]


class DraftPage(TypedDict):
    data: list[Draft]
    meta: PageMeta


class DraftReference(TypedDict):
    """A draft that was published or deleted meanwhile."""

    id: Id


class DraftRejectedEvent(TypedDict):
    """A person rejected a draft, with a reason."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["draft.rejected"]
    event: Literal["draft.rejected"]
    data: Draft | DraftReference | None


class DraftRequest(TypedDict):
    """The members of publish's body, all of them optional."""

    request_id: NotRequired[str | None]
    account_ids: NotRequired[list[str] | None]
    content: NotRequired[str | None]
    type: NotRequired[str | None]
    media: NotRequired[list[MediaRequest] | None]
    containers: NotRequired[list[ContainerRequest] | None]
    platforms: NotRequired[PlatformOptions | None]
    overrides: NotRequired[dict[str, OverrideRequest] | None]
    scheduled_at: NotRequired[str | None]
    max_lateness: NotRequired[int | None]


class EditRequest(TypedDict):
    """`content`, `media` and `type` for a post without containers; `containers` makes it a post of containers."""

    content: NotRequired[str]
    type: NotRequired[PostType]
    media: NotRequired[list[MediaRequest]]
    containers: NotRequired[list[ContainerRequest]]
    platforms: NotRequired[PlatformOptions]
    overrides: NotRequired[dict[str, OverrideRequest]]
    scheduled_at: NotRequired[str]


class Effective(TypedDict):
    """What this account gets, with all overrides laid over the root."""

    containers: list[EffectiveContainers]
    options: dict[str, Any]


class EffectiveContainers(TypedDict):
    type: PostType | None
    content: str
    media: list[Media]


class EraseUserQuery(TypedDict):
    """What eraseUser can be asked for."""

    confirm: str


class Error(TypedDict):
    message: str
    error: Literal[
        "MALFORMED_JSON", "UNAUTHENTICATED", "app_not_active", "FOREIGN_ORIGIN", "INSUFFICIENT_SCOPE", "NOT_FOUND",
        "METHOD_NOT_ALLOWED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "VALIDATION_ERROR", "RATE_LIMITED", "QUOTA_EXCEEDED",
        "INTERNAL_ERROR", "UNAVAILABLE", "BAD_REQUEST", "MISDIRECTED_REQUEST", "HEADERS_TOO_LARGE", "MISSING_PARAMETERS",
        "PLATFORM_NOT_FOUND", "CREDENTIALS_NOT_FOUND", "REDIRECT_URL_ERROR", "CONNECTION_NOT_FOUND", "INVALID_ACCOUNT",
        "DUPLICATE_REQUEST", "INVALID_SCHEDULE", "INVALID_MEDIA", "TOO_LATE", "PRECONDITION_FAILED", "IDEMPOTENCY_KEY_REUSED",
        "NOTHING_TO_RETRY", "MEDIA_IN_USE", "MEDIA_UNREACHABLE", "LINK_USED", "UPLOAD_CONFLICT", "NOT_PUBLISHED", "COUNT_CHANGED",
        "WEBHOOK_DISABLED", "INVALID_SIGNATURE"
    ]
    errors: NotRequired[FieldErrors]
    details: NotRequired[ErrorDetails]


class ErrorDetails(TypedDict):
    line: NotRequired[int]
    column: NotRequired[int]
    reason: NotRequired[str]
    required: NotRequired[Literal["read", "drafts", "publish", "remove", "accounts", "media", "webhooks", "people"]]
    quota: NotRequired[Literal["pending_posts", "accounts", "post_bytes", "media_bytes", "media_files", "webhook_backlog"]]
    limit: NotRequired[int]
    used: NotRequired[int]
    post_id: NotRequired[str]
    expected: NotRequired[int]
    count: NotRequired[int]
    status: NotRequired[PostState]
    accounts: NotRequired[list[ErrorDetailsAccounts]]
    rules: NotRequired[list[RuleViolation]]


class ErrorDetailsAccounts(TypedDict):
    id: str
    reason: Literal[
        "unknown", "disconnected", "reauth_required", "unconfirmed", "published", "in_progress", "outcome_unknown",
        "not_a_target", "not_published", "removed"
    ]


class EventPage(TypedDict):
    data: list[Event]
    meta: CursorMeta


class FacebookOptions(TypedDict):
    """What a post on Facebook can have besides text and media."""

    link: NotRequired[str]
    title: NotRequired[str]
    place: NotRequired[str]
    targeting: NotRequired[dict[str, Any]]
    feed_targeting: NotRequired[dict[str, Any]]
    call_to_action: NotRequired[dict[str, Any]]
    text_format_preset_id: NotRequired[str]
    backdated_time: NotRequired[str]
    backdated_time_granularity: NotRequired[Literal["year", "month", "day", "hour", "min"]]
    content_category: NotRequired[Literal[
        "BEAUTY_FASHION", "BUSINESS", "CARS_TRUCKS", "COMEDY", "CUTE_ANIMALS", "ENTERTAINMENT", "FAMILY", "FOOD_HEALTH", "HOME",
        "LIFESTYLE", "MUSIC", "NEWS", "OTHER", "POLITICS", "SCIENCE", "SPORTS", "TECHNOLOGY", "VIDEO_GAMING"
    ]]
    content_tags: NotRequired[list[str]]
    custom_labels: NotRequired[list[str]]
    embeddable: NotRequired[bool]
    no_story: NotRequired[bool]
    video_state: NotRequired[Literal["PUBLISHED", "DRAFT"]]
    collaborators: NotRequired[list[str]]
    photo_captions: NotRequired[list[str]]


class Failure(TypedDict):
    code: FailureCode
    message: str
    platform_code: TextOrNull
    platform_message: TextOrNull
    transient: bool


class GetUserQuery(TypedDict):
    """What getUser can be asked for."""

    page: NotRequired[int]
    per_page: NotRequired[int]


class InstagramOptions(TypedDict):
    """What a post on Instagram can have besides text and media."""

    location_id: NotRequired[str]
    collaborators: NotRequired[list[str]]
    user_tags: NotRequired[list[dict[str, Any]]]
    share_to_feed: NotRequired[bool]
    cover_url: NotRequired[str]
    thumb_offset: NotRequired[int]
    audio_name: NotRequired[str]
    audio_configuration: NotRequired[dict[str, Any]]
    trial_params: NotRequired[dict[str, Any]]
    is_ai_generated: NotRequired[bool]
    is_paid_partnership: NotRequired[bool]
    branded_content_sponsor_ids: NotRequired[list[str]]
    product_tags: NotRequired[list[dict[str, Any]]]


class LinkedinOptions(TypedDict):
    """What a post on LinkedIn can have besides text and media."""

    visibility: NotRequired[Literal["PUBLIC", "CONNECTIONS", "LOGGED_IN"]]
    feedDistribution: NotRequired[Literal["MAIN_FEED", "NONE"]]
    targetEntities: NotRequired[list[dict[str, Any]]]
    isReshareDisabledByAuthor: NotRequired[bool]
    article: NotRequired[dict[str, Any]]
    poll: NotRequired[dict[str, Any]]
    document: NotRequired[dict[str, Any]]
    media_title: NotRequired[str]
    thumbnail_url: NotRequired[str]
    captions: NotRequired[list[dict[str, Any]]]
    reshare_urn: NotRequired[str]
    mentions: NotRequired[list[dict[str, Any]]]
    contentLandingPage: NotRequired[str]
    contentCallToActionLabel: NotRequired[Literal[
        "APPLY", "DOWNLOAD", "VIEW_QUOTE", "LEARN_MORE", "SIGN_UP", "SUBSCRIBE", "REGISTER", "JOIN", "ATTEND", "REQUEST_DEMO",
        "SEE_MORE"
    ]]


class ListAccountsQuery(TypedDict):
    """What listAccounts can be asked for."""

    user_id: NotRequired[str]
    platform: NotRequired[PlatformSlug]
    status: NotRequired[AccountStatus]
    page: NotRequired[int]
    per_page: NotRequired[int]


class ListDraftsQuery(TypedDict):
    """What listDrafts can be asked for."""

    page: NotRequired[int]
    per_page: NotRequired[int]


class ListEventsQuery(TypedDict):
    """What listEvents can be asked for."""

    after: NotRequired[str | int]
    limit: NotRequired[int]


class ListMediaQuery(TypedDict):
    """What listMedia can be asked for."""

    page: NotRequired[int]
    per_page: NotRequired[int]


# What listPosts can be asked for.
ListPostsQuery = TypedDict(
    "ListPostsQuery",
    {
        "date_from": 'NotRequired[str]',
        "date_to": 'NotRequired[str]',
        "status": 'NotRequired[PostStatus]',
        "external_user_ids[]": 'NotRequired[list[str]]',
        "account_ids[]": 'NotRequired[list[str]]',
        "platform": 'NotRequired[str]',
        "page": 'NotRequired[int]',
        "per_page": 'NotRequired[int]',
    },
)


class ListWebhookDeliveriesQuery(TypedDict):
    """What listWebhookDeliveries can be asked for."""

    before: NotRequired[int]
    limit: NotRequired[int]


class Media(TypedDict):
    url: str | None
    media_id: NotRequired[str]
    type: Literal["image", "video"]
    alt_text: TextOrNull
    thumbnail_url: TextOrNull
    duration: int | None
    mime_type: TextOrNull
    fit: NotRequired[Fit]


class MediaAnswer(TypedDict):
    data: MediaFile


class MediaFile(TypedDict):
    id: str
    type: Literal["image", "video", "document"]
    mime_type: str
    size_bytes: int
    sha256: str
    width: int | None
    height: int | None
    duration_ms: int | None
    file_name: TextOrNull
    created_at: Instant
    expires_at: InstantOrNull


class MediaPage(TypedDict):
    data: list[MediaFile]
    meta: PageMeta


class MediaProblemData(TypedDict):
    """The post, the platform post that the problem is of, and the problem."""

    id: Id
    request_id: str
    external_user_id: str
    state: PostState
    outcome: Literal["none", "all", "partial"]
    mode: Literal["basic", "advanced"]
    scheduled_at: InstantOrNull
    max_lateness: int | None
    created_at: Instant
    containers: list[Container]
    overrides: dict[str, Override]
    tags: list[str]
    status: PostState
    platform_posts: list[PlatformPostDetails]
    platform_post: PlatformPostDetails
    problem: MediaProblemDataProblem


class MediaProblemDataProblem(TypedDict):
    field: str
    code: str
    message: TextOrNull


class MediaRequest(TypedDict):
    """Either `url` (then with `type`) or `media_id`."""

    url: NotRequired[str | None]
    media_id: NotRequired[str | None]
    type: NotRequired[Literal["image", "video"] | None]
    alt_text: NotRequired[str | None]
    thumbnail_url: NotRequired[str | None]
    duration: NotRequired[int | None]
    mime_type: NotRequired[str | None]
    fit: NotRequired[Fit | None]


class MoreMeta(TypedDict):
    has_more: bool


class Override(TypedDict):
    content: NotRequired[str]
    type: NotRequired[PostType]
    media: NotRequired[list[Media]]
    containers: NotRequired[list[OverrideContainers]]
    options: NotRequired[dict[str, Any]]
    fit: NotRequired[Fit]


class OverrideContainers(TypedDict):
    type: NotRequired[PostType]
    content: str
    media: list[Media]


class OverrideRequest(TypedDict):
    """At least one member; `containers` not beside `content`, `media` or `type`."""

    content: NotRequired[str | None]
    type: NotRequired[PostType | None]
    media: NotRequired[list[MediaRequest] | None]
    containers: NotRequired[list[ContainerRequest] | None]
    options: NotRequired[dict[str, Any] | None]
    fit: NotRequired[Fit | None]


class PageMeta(TypedDict):
    current_page: int
    per_page: int
    total: int
    last_page: int


class Platform(TypedDict):
    id: PlatformId
    slug: PlatformSlug
    name: str
    can_unpublish: bool
    post_types: list[PlatformPostTypes]
    limits: dict[str, int | str]
    options: list[PlatformOptionsItem]


class PlatformOptionsItem(TypedDict):
    name: str
    type: Literal["string", "boolean", "integer", "array", "object"]
    max: NotRequired[int]
    values: NotRequired[list[str]]
    summary: str


class PlatformPostTypes(TypedDict):
    type: PostType
    default: bool
    summary: str
    images: Range
    videos: Range
    media: Range
    text_required: bool
    text_max: int


class PlatformList(TypedDict):
    data: list[Platform]
    sandbox: bool
    meta: PlatformListMeta


class PlatformListMeta(TypedDict):
    mode: Literal["live", "test", "sandbox"]


class PlatformOptions(TypedDict):
    """Options by the slug of a platform (`twitter` is another name of `x`). They are checked and handed to the platform; what
    a platform does not know is ignored and listed in `warnings`, and so are options for a platform that no account is on."""

    instagram: NotRequired[InstagramOptions | None]
    facebook: NotRequired[FacebookOptions | None]
    x: NotRequired[XOptions | None]
    linkedin: NotRequired[LinkedinOptions | None]
    youtube: NotRequired[YoutubeOptions | None]
    tiktok: NotRequired[TiktokOptions | None]
    twitter: NotRequired[XOptions | None]


class PlatformPost(TypedDict):
    id: Id
    account_id: Id
    platform: PlatformSlug
    platform_id: PlatformId
    handle: str
    status: PostStatus
    outcome: Literal["none", "all", "partial"]
    visibility: Literal["public", "unlisted", "followers", "private", "draft"] | None
    warnings: Warnings
    scheduled_at: InstantOrNull
    platform_post_id: TextOrNull
    url: TextOrNull
    error: None | PlatformPostError
    removal: None | PlatformPostRemoval


class PlatformPostRemoval(TypedDict):
    status: RemovalStatus
    error: None | PlatformPostRemovalError
    removed_at: InstantOrNull


class PlatformPostRemovalError(TypedDict):
    code: FailureCode
    message: str


class PlatformPostError(TypedDict):
    code: FailureCode
    message: str


class PlatformPostDetails(TypedDict):
    id: Id
    account_id: Id
    platform: PlatformSlug
    platform_id: PlatformId
    handle: str
    status: PostStatus
    outcome: Literal["none", "all", "partial"]
    visibility: Literal["public", "unlisted", "followers", "private", "draft"] | None
    warnings: Warnings
    scheduled_at: InstantOrNull
    platform_post_id: TextOrNull
    url: TextOrNull
    effective: Effective
    waiting: WaitingOrNull
    error: FailureOrNull
    removal: None | PlatformPostDetailsRemoval
    state: PostState
    published_at: InstantOrNull
    attempts: int
    next_attempt_at: InstantOrNull
    parts: list[PlatformPostDetailsParts]


class PlatformPostDetailsParts(TypedDict):
    state: Literal["pending", "published", "failed"]
    remote_id: TextOrNull
    url: TextOrNull


class PlatformPostDetailsRemoval(TypedDict):
    status: RemovalStatus
    error: FailureOrNull
    removed_at: InstantOrNull


class Post(TypedDict):
    """A post in a list."""

    id: Id
    request_id: str
    external_user_id: str
    state: PostState
    outcome: Literal["none", "all", "partial"]
    mode: Literal["basic", "advanced"]
    scheduled_at: InstantOrNull
    max_lateness: int | None
    created_at: Instant
    containers: list[Container]
    overrides: dict[str, Override]
    tags: list[str]
    status: PostStatus
    platform_posts: list[PlatformPost]


class PostAnswer(TypedDict):
    data: PostDetails


class PostCompletedEvent(TypedDict):
    """All of a post's accounts are done, one way or the other."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["post.completed"]
    event: Literal["post.completed"]
    data: PostDetails | None


class PostDetails(TypedDict):
    """One post in full."""

    id: Id
    request_id: str
    external_user_id: str
    state: PostState
    outcome: Literal["none", "all", "partial"]
    mode: Literal["basic", "advanced"]
    scheduled_at: InstantOrNull
    max_lateness: int | None
    created_at: Instant
    containers: list[Container]
    overrides: dict[str, Override]
    tags: list[str]
    status: PostState
    platform_posts: list[PlatformPostDetails]
    warnings: NotRequired[Warnings]


class PostEventData(TypedDict):
    """The post, and the platform post that the event is about."""

    id: Id
    request_id: str
    external_user_id: str
    state: PostState
    outcome: Literal["none", "all", "partial"]
    mode: Literal["basic", "advanced"]
    scheduled_at: InstantOrNull
    max_lateness: int | None
    created_at: Instant
    containers: list[Container]
    overrides: dict[str, Override]
    tags: list[str]
    status: PostState
    platform_posts: list[PlatformPostDetails]
    platform_post: PlatformPostDetails


class PostIdFoundEvent(TypedDict):
    """The platform has told the id of a post that was published before: `platform_post_id` and `url` are the post's now
    (TikTok, after moderation)."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["post.id_found"]
    event: Literal["post.id_found"]
    data: PostEventData | None


class PostMediaProblemEvent(TypedDict):
    """A file of a post that is scheduled ahead will not do as it is. The post stays scheduled."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["post.media_problem"]
    event: Literal["post.media_problem"]
    data: MediaProblemData | None


class PostPage(TypedDict):
    data: list[Post]
    meta: PageMeta


class PostPublishFailedEvent(TypedDict):
    """A post could not be published to one account, or was cancelled there."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["post.publish.failed"]
    event: Literal["post.publish.failed"]
    data: PostEventData | None


class PostPublishSucceededEvent(TypedDict):
    """A post has become visible on one account."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["post.publish.succeeded"]
    event: Literal["post.publish.succeeded"]
    data: PostEventData | None


class PostRemovalFailedEvent(TypedDict):
    """It could not be taken back there, or the platform gives no way to do it."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["post.removal_failed"]
    event: Literal["post.removal_failed"]
    data: PostEventData | None


class PostRemovedEvent(TypedDict):
    """A published post is gone from one account, because you asked for it."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["post.removed"]
    event: Literal["post.removed"]
    data: PostEventData | None


class PublishAccepted(TypedDict):
    message: str
    data: PublishAcceptedData


class PublishAcceptedData(TypedDict):
    post_id: Id
    request_id: str
    status: Literal["pending", "scheduled"]
    total_accounts: int
    scheduled_at: InstantOrNull
    mode: Literal["basic", "advanced"]
    platform_posts: list[PublishAcceptedDataPlatformPosts]
    warnings: NotRequired[Warnings]


class PublishAcceptedDataPlatformPosts(TypedDict):
    id: Id
    account_id: Id
    platform_id: PlatformId
    status: Literal["pending", "scheduled"]


class PublishDraftBody(TypedDict):
    """Publish a draft; it is a post then: the body."""

    request_id: NotRequired[str | None]
    scheduled_at: NotRequired[str | None]


class PublishRequest(TypedDict):
    request_id: NotRequired[str | None]
    account_ids: list[str]
    content: NotRequired[str | None]
    type: NotRequired[PostType | None]
    media: NotRequired[list[MediaRequest] | None]
    containers: NotRequired[list[ContainerRequest] | None]
    platforms: NotRequired[PlatformOptions | None]
    overrides: NotRequired[dict[str, OverrideRequest] | None]
    scheduled_at: NotRequired[str | None]
    max_lateness: NotRequired[int | None]


class Range(TypedDict):
    min: int
    max: int


class RejectDraftBody(TypedDict):
    """Reject a draft with a reason: the body."""

    reason: str


class RetryMany(TypedDict):
    count: int
    post_ids: list[str]
    more: bool
    warnings: NotRequired[Warnings]


class RetryManyAnswer(TypedDict):
    data: RetryMany


class RetryManyRequest(TypedDict):
    account_ids: NotRequired[list[str] | None]
    error_codes: NotRequired[list[FailureCode] | None]
    since: NotRequired[str | None]
    republish: NotRequired[bool | None]
    expect: NotRequired[int | None]
    dry_run: NotRequired[bool | None]


class RetryPostBody(TypedDict):
    """Retry what failed of a post: the body."""

    account_ids: NotRequired[list[str] | None]
    republish: NotRequired[bool | None]


class RuleViolation(TypedDict):
    account_id: str
    field: str
    rule: str
    limit: int | None
    actual: int | None
    message: str


class TestData(TypedDict):
    webhook_id: Id


class TestEvent(TypedDict):
    """You tried a webhook out."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["test"]
    event: Literal["test"]
    data: TestData | None


class TestSent(TypedDict):
    data: TestSentData


class TestSentData(TypedDict):
    event_id: str


class TiktokOptions(TypedDict):
    """What a post on TikTok can have besides text and media."""

    privacy_level: NotRequired[Literal["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"]]
    disable_comment: NotRequired[bool]
    disable_duet: NotRequired[bool]
    disable_stitch: NotRequired[bool]
    video_cover_timestamp_ms: NotRequired[int]
    brand_content_toggle: NotRequired[bool]
    brand_organic_toggle: NotRequired[bool]
    is_aigc: NotRequired[bool]
    title: NotRequired[str]
    auto_add_music: NotRequired[bool]
    photo_cover_index: NotRequired[int]
    source: NotRequired[Literal["FILE_UPLOAD", "PULL_FROM_URL"]]
    post_mode: NotRequired[Literal["DIRECT_POST", "MEDIA_UPLOAD"]]


class Timeline(TypedDict):
    data: list[TimelineEntry]


class TimelineEntry(TypedDict):
    at: Instant
    delivery_id: Id
    account_id: Id
    stage: str
    method: str
    host_path: str
    status: int | None
    duration_ms: int
    verdict: Literal["", "ok", "done", "refused", "error", "lost", "never_sent", "in_doubt"]
    decision: str
    excerpt: str | None


class Token(TypedDict):
    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int


class TokenError(TypedDict):
    message: str
    error: Literal[
        "invalid_request", "invalid_authorization_header", "invalid_authorization_format", "invalid_client_id",
        "invalid_client_secret", "app_not_active", "admin_not_found", "app_not_live", "VALIDATION_ERROR",
        "UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "METHOD_NOT_ALLOWED", "RATE_LIMITED", "INTERNAL_ERROR", "UNAVAILABLE"
    ]
    error_description: str
    errors: NotRequired[FieldErrors]


class UnpublishPostBody(TypedDict):
    """Take a published post back from the platforms: the body."""

    account_ids: NotRequired[list[str] | None]


class UploadLink(TypedDict):
    media_id: str
    upload_url: str
    expires_at: Instant


class UploadLinkAnswer(TypedDict):
    data: UploadLink


class UploadLinkRequest(TypedDict):
    max_bytes: NotRequired[int | None]
    expires_in: NotRequired[int | None]


class UserConnection(TypedDict):
    connection_id: str
    platform: PlatformSlug
    status: Literal["pending", "success", "failed"]
    name: TextOrNull
    email: TextOrNull
    redirect_url: str
    error: TextOrNull
    error_description: TextOrNull
    created_at: Instant
    finished_at: InstantOrNull


class UserCounts(TypedDict):
    accounts: int
    connections: int
    posts: int


class UserData(TypedDict):
    user_id: str
    totals: UserTotals
    accounts: list[AccountDetails]
    connections: list[UserConnection]
    posts: list[PostDetails]
    media: list[MediaFile]


class UserDataAnswer(TypedDict):
    data: UserData
    meta: PageMeta


class UserErased(TypedDict):
    user_id: str
    platform: PlatformSlug | None
    erased_at: Instant


class UserErasedEvent(TypedDict):
    """All that was stored about a user is erased, or all of one platform."""

    id: Id
    seq: int
    app_id: Id
    timestamp: Instant
    type: Literal["user.erased"]
    event: Literal["user.erased"]
    data: UserErased | None


class UserErasing(TypedDict):
    user_id: str
    erasing: UserCounts


class UserErasingAnswer(TypedDict):
    data: UserErasing


class UserTotals(TypedDict):
    accounts: int
    connections: int
    posts: int
    media: int


class ValidateRequest(TypedDict):
    """A publish request, and whether its files are to be looked at."""

    request_id: NotRequired[str | None]
    account_ids: list[str]
    content: NotRequired[str | None]
    type: NotRequired[PostType | None]
    media: NotRequired[list[MediaRequest] | None]
    containers: NotRequired[list[ContainerRequest] | None]
    platforms: NotRequired[PlatformOptions | None]
    overrides: NotRequired[dict[str, OverrideRequest] | None]
    scheduled_at: NotRequired[str | None]
    max_lateness: NotRequired[int | None]
    fetch: NotRequired[bool | None]


class Validation(TypedDict):
    ok: bool
    mode: Literal["basic", "advanced"]
    files: NotRequired[list[ValidationFiles]]
    accounts: list[ValidationAccounts]
    warnings: NotRequired[Warnings]


class ValidationAccounts(TypedDict):
    account_id: str
    platform: PlatformSlug | None
    type: PostType | None
    ok: bool
    violations: list[ValidationAccountsViolations]
    plan: list[ValidationAccountsPlan]


class ValidationAccountsPlan(TypedDict):
    part: int
    stage: str
    method: str
    host_path: str
    publishes: bool
    summary: str


class ValidationAccountsViolations(TypedDict):
    code: str
    field: str
    limit: int | None
    actual: int | None
    message: str


class ValidationFiles(TypedDict):
    field: str
    mime_type: str | None
    size_bytes: int | None
    width: int | None
    height: int | None
    duration_ms: int | None


class ValidationAnswer(TypedDict):
    data: Validation


class Waiting(TypedDict):
    reason: Literal[
        "schedule", "account_busy", "platform_limit", "app_limit", "platform_down", "retry", "checking", "held", "media"
    ]
    message: str
    until: InstantOrNull
    ahead: int | None


WarningsItem = TypedDict(
    "WarningsItem",
    {
        "field": 'str',
        "code": 'str',
        "message": 'str',
        "from": 'NotRequired[str]',
        "to": 'NotRequired[str]',
    },
)


class Webhook(TypedDict):
    id: Id
    url: str
    events: list[EventName]
    enabled: bool
    disabled_reason: str | None
    failing_since: InstantOrNull
    created_at: Instant
    updated_at: Instant


class WebhookAnswer(TypedDict):
    data: Webhook


class WebhookChange(TypedDict):
    url: NotRequired[str | None]
    events: NotRequired[list[EventName] | None]
    enabled: NotRequired[bool | None]


class WebhookDelivery(TypedDict):
    id: int
    event_id: Id
    event: EventName
    state: Literal["pending", "succeeded", "failed"]
    attempts: int
    next_attempt_at: InstantOrNull
    created_at: Instant
    tries: list[WebhookDeliveryTries]


class WebhookDeliveryTries(TypedDict):
    at: Instant
    status: int | None
    duration_ms: int
    error: TextOrNull


class WebhookDeliveryPage(TypedDict):
    data: list[WebhookDelivery]
    meta: MoreMeta


class WebhookList(TypedDict):
    data: list[Webhook]


class WebhookRequest(TypedDict):
    url: str
    events: NotRequired[list[EventName] | None]
    enabled: NotRequired[bool | None]


class WebhookWithSecret(TypedDict):
    id: Id
    url: str
    events: list[EventName]
    enabled: bool
    disabled_reason: str | None
    failing_since: InstantOrNull
    created_at: Instant
    updated_at: Instant
    secret: str


class WebhookWithSecretAnswer(TypedDict):
    data: WebhookWithSecret


class XOptions(TypedDict):
    """What a post on X can have besides text and media."""

    reply_settings: NotRequired[Literal["everyone", "following", "mentionedUsers", "subscribers", "verified"]]
    community_id: NotRequired[str]
    share_with_followers: NotRequired[bool]
    poll: NotRequired[dict[str, Any]]
    quote_tweet_id: NotRequired[str]
    in_reply_to_tweet_id: NotRequired[str]
    exclude_reply_user_ids: NotRequired[list[str]]
    tagged_user_ids: NotRequired[list[str]]
    made_with_ai: NotRequired[bool]
    paid_partnership: NotRequired[bool]
    for_super_followers_only: NotRequired[bool]
    nullcast: NotRequired[bool]
    geo_place_id: NotRequired[str]
    card_uri: NotRequired[str]
    direct_message_deep_link: NotRequired[str]
    media_title: NotRequired[str]
    media_description: NotRequired[str]
    media_embeddable: NotRequired[bool]
    call_to_actions: NotRequired[dict[str, Any]]
    edit_options: NotRequired[dict[str, Any]]
    preview_media_id: NotRequired[str]
    captions: NotRequired[list[dict[str, Any]]]
    article: NotRequired[dict[str, Any]]
    strip_links: NotRequired[bool]


class YoutubeOptions(TypedDict):
    """What a post on YouTube can have besides text and media."""

    title: NotRequired[str]
    description: NotRequired[str]
    tags: NotRequired[list[str]]
    categoryId: NotRequired[str]
    privacyStatus: NotRequired[Literal["public", "unlisted", "private"]]
    publishAt: NotRequired[str]
    selfDeclaredMadeForKids: NotRequired[bool]
    containsSyntheticMedia: NotRequired[bool]
    license: NotRequired[Literal["youtube", "creativeCommon"]]
    embeddable: NotRequired[bool]
    publicStatsViewable: NotRequired[bool]
    notifySubscribers: NotRequired[bool]
    defaultLanguage: NotRequired[str]
    defaultAudioLanguage: NotRequired[str]
    localizations: NotRequired[dict[str, Any]]
    recordingDetails: NotRequired[dict[str, Any]]
    paidProductPlacementDetails: NotRequired[dict[str, Any]]
    playlistId: NotRequired[str]
    captions: NotRequired[list[dict[str, Any]]]


AccountStatus = Literal["active", "expiring", "reauth_required", "disconnected"]
Event = Union[
    "PostPublishSucceededEvent", "PostPublishFailedEvent", "PostCompletedEvent", "PostMediaProblemEvent", "PostRemovedEvent",
    "PostRemovalFailedEvent", "PostIdFoundEvent", "ConnectionCompletedEvent", "AccountExpiringEvent",
    "AccountReauthRequiredEvent", "DraftCreatedEvent", "DraftRejectedEvent", "UserErasedEvent", "TestEvent"
]
EventName = Literal[
        "post.publish.succeeded", "post.publish.failed", "post.completed", "connection.completed", "account.reauth_required",
        "test", "user.erased", "account.expiring", "draft.created", "draft.rejected", "post.removed", "post.removal_failed",
        "post.media_problem", "post.id_found"
    ]
FailureCode = Literal[
        "CONTENT_REJECTED", "MEDIA_UNREACHABLE", "MEDIA_REJECTED", "ACCOUNT_REAUTH_REQUIRED", "PERMISSION_MISSING",
        "RATE_LIMITED", "QUOTA_EXHAUSTED", "DUPLICATE_CONTENT", "PLATFORM_UNAVAILABLE", "PLATFORM_REJECTED", "OUTCOME_UNKNOWN",
        "CANCELLED", "EXPIRED", "APP_CREDENTIALS_INVALID", "INTERNAL_ERROR"
    ]
FailureOrNull = Union[None, "Failure"]
FieldErrors = dict[str, list[str]]
Fit = Literal["auto", "pad", "crop", "off"]
Id = str
Instant = str
InstantOrNull = Union[str, None]
PlatformId = Literal[1, 2, 3, 4, 5, 6]
PlatformSlug = Literal["instagram", "facebook", "x", "linkedin", "youtube", "tiktok"]
PostState = Literal["pending", "scheduled", "processing", "retrying", "published", "failed"]
PostStatus = Literal["pending", "scheduled", "published", "failed"]
PostType = Literal["post", "video", "story", "carousel", "article"]
RemovalStatus = Literal["pending", "removed", "failed", "unsupported"]
TextOrNull = Union[str, None]
WaitingOrNull = Union[None, "Waiting"]
Warnings = list["WarningsItem"]
