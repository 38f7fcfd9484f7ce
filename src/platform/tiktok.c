/* SPDX-License-Identifier: Apache-2.0
 * TikTok: Login Kit v2 and Content Posting API v2 (platforms/tiktok.md, read 2026-11-21).
 * Direct post of a video: ask what the creator may do, open a task (init), send the bytes in
 * chunks, and ask the task how it goes until the post is public. The task's publish_id is what
 * everything hangs on: without its bytes it never posts, so only the PUT with the last byte
 * publishes, and after any doubt the task itself says what became of it. Bytes are always sent by
 * us: letting TikTok pull them would make init the call that publishes, and a lost answer
 * unprovable (5). */
#include "tiktok.h"

#include <inttypes.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json_write.h"

#include "adapters.h"
#include "look.h"
#include "platform.h"
#include "refusal.h"
#include "rules.h"
#include "stages.h"
#include "token_answer.h"

#define API_URL "https://open.tiktokapis.com/v2"
#define PROFILE_URL "https://www.tiktok.com/@"

#define FORM_MAX_BYTES (16 * 1024)
#define URL_MAX_BYTES 4096
#define BODY_MAX_BYTES (1024 * 1024)
#define CAPTION_MAX_UTF16_UNITS 2200
#define FILE_MAX_BYTES (INT64_C(4) * 1000 * 1000 * 1000)
#define ONE_CHUNK_MAX_BYTES                                                                        \
	INT64_C(64000000) /* whole up to here; safe however "MB" is read (2.3) */
#define CHUNK_BYTES INT64_C(10000000)
#define UPLOAD_URL_VALID_US US_PER_HOUR /* 2.2 */
#define STATUS_POLLS_MAX 360 /* about six hours; processing is told to take minutes (2.6) */
#define ID_POLLS_MAX 6       /* about a minute for the id of a public post, then without it */
#define ID_POLL_MS 10000
#define RESENDS_MAX 10       /* of the last chunk of one task */
#define PROGRESS_LOOKS_MAX 8 /* questions about one upload before a new task is begun */

/* ---- errors: sections 1.5, 4.2 and 4.3 ---- */

#define ROW(status, marker, class, code, wait, sentence)                                           \
	REFUSAL(status, marker, NULL, class, code, wait, sentence)

/* By the body alone: the HTTP status varies (1.5). */
static const struct refusal token_refusals[] = {
	ROW(0, "invalid_client", APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
	    "TikTok refused the app's client key or secret."),
	ROW(0, "unauthorized_client", APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
	    "TikTok does not allow this app to do this."),
	ROW(429, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
	    "TikTok limits the number of token requests."),
	ROW(0, "rate_limit_exceeded", RATE_LIMITED, RATE_LIMITED, MINUTE,
	    "TikTok limits the number of token requests."),
	ROW(0, "invalid_grant", REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
	    "TikTok no longer accepts this authorization."),
	ROW(0, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "TikTok refused the token request."),
	{0},
};

static const struct refusal api_refusals[] = {
	ROW(0, "access_token_invalid", TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
	    "TikTok refused the access token."),
	ROW(0, "scope_not_authorized", REAUTH, PERMISSION_MISSING, BY_SCHEDULE,
	    "A permission is missing; connect the account again and grant it."),
	ROW(0, "scope_permission_missed", REAUTH, PERMISSION_MISSING, BY_SCHEDULE,
	    "A permission is missing; connect the account again and grant it."),
	ROW(401, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
	    "TikTok refused the access token."),
	ROW(0, "rate_limit_exceeded", RATE_LIMITED, RATE_LIMITED, MINUTE,
	    "TikTok asked to slow down."),
	ROW(429, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE, "TikTok asked to slow down."),
	ROW(0, "spam_risk_too_many_posts", RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
	    "The creator has posted as much as TikTok allows in a day."),
	ROW(0, "spam_risk_too_many_pending_share", RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
	    "The creator has too many drafts waiting in TikTok's inbox."),
	ROW(0, "reached_active_user_cap", RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
	    "TikTok's cap on the number of users of this app is reached for today; it is not the "
	    "creator's fault."),
	ROW(0, "spam_risk_user_banned_from_posting", PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
	    "TikTok has banned the creator from posting."),
	ROW(0, "spam_risk_text", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok takes the text for spam."),
	ROW(0, "spam_risk", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok takes the post for spam."),
	ROW(0, "unaudited_client_can_only_post_to_private_accounts", PERMANENT, PERMISSION_MISSING,
	    BY_SCHEDULE,
	    "TikTok has not audited this app: it may only post as SELF_ONLY to private accounts."),
	ROW(0, "url_ownership_unverified", PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "TikTok does not know the media's address as the app's own."),
	ROW(0, "privacy_level_option_mismatch", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "The creator may not post with this privacy_level."),
	ROW(0, "app_version_check_failed", PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "The creator's TikTok app is too old for this."),
	ROW(0, "invalid_file_upload", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok refused the video file."),
	/* Only status calls say these; the post itself may well be there. */
	ROW(0, "invalid_publish_id", PERMANENT, OUTCOME_UNKNOWN, BY_SCHEDULE,
	    "TikTok no longer knows what became of this post."),
	ROW(0, "token_not_authorized_for_specified_publish_id", PERMANENT, OUTCOME_UNKNOWN,
	    BY_SCHEDULE, "TikTok does not tell this account what became of the post."),
	ROW(0, "internal_error", TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
	    "TikTok reports an error of its own."),
	ROW(0, "invalid_param", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok refused the post's data."),
	ROW(0, "invalid_params", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok refused the post's data."),
	ROW(403, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE, "TikTok does not allow this."),
	ROW(0, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE, "TikTok refused the request."),
	{0},
};

/* fail_reason of a task that ended as FAILED. It posted nothing, so a transient one is begun anew.
 */
static const struct refusal task_failures[] = {
	ROW(0, "internal", TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
	    "TikTok failed while processing the video."),
	ROW(0, "video_pull_failed", TRANSIENT, MEDIA_UNREACHABLE, BY_SCHEDULE,
	    "TikTok could not fetch the video."),
	ROW(0, "photo_pull_failed", TRANSIENT, MEDIA_UNREACHABLE, BY_SCHEDULE,
	    "TikTok could not fetch a photo."),
	ROW(0, "file_format_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok does not take the video's format."),
	ROW(0, "duration_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok does not take a video of this duration."),
	ROW(0, "frame_rate_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok does not take the video's frame rate."),
	ROW(0, "picture_size_check_failed", PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
	    "TikTok does not take the video's width or height."),
	ROW(0, "spam_risk_too_many_posts", RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
	    "The creator has posted as much as TikTok allows in a day."),
	ROW(0, "spam_risk_user_banned_from_posting", PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
	    "TikTok has banned the creator from posting."),
	ROW(0, "spam_risk_text", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok takes the text for spam."),
	ROW(0, "spam_risk", PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
	    "TikTok takes the post for spam."),
	ROW(0, "auth_removed", REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
	    "The creator has withdrawn the app's permission."),
	ROW(0, "publish_cancelled", PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "The post was cancelled at TikTok."),
	ROW(0, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
	    "TikTok could not publish the post."),
	{0},
};

/* {"data":{...},"error":{"code","message","log_id"}}; there are errors without data. */
static struct refusal_facts api_facts(const struct reply *reply)
{
	const struct json *error = json_get(reply->json, "error");
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(error, "message")),
	};
	refusal_marker_add(&facts, json_string(json_get(error, "code")));
	facts.is_readable = facts.marker_count > 0;
	return facts;
}

/* Success is the word "ok", whatever the HTTP status says: some refusals come with 200 (2.1). */
static bool api_is_ok(const struct reply *reply)
{
	const struct str code = json_string(json_get(json_get(reply->json, "error"), "code"));
	return reply->outcome == REPLY_ANSWERED && reply->status == 200 && str_equal_z(code, "ok");
}

/* True when the answer is of no use and the step says so. */
static bool api_is_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	if (api_is_ok(reply))
		return false;
	if (step_fail_transport(step, env, reply))
		return true;
	const struct refusal_facts facts = api_facts(reply);
	if (facts.is_readable || reply->status != 200)
		refusal_fail(api_refusals, env, &facts, reply, step);
	else
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("TikTok's answer cannot be read."));
	return true;
}

/* ---- calls ---- */

static void api_post(const struct env *env, struct str token, struct step *step,
		     enum call_kind kind, struct str url, struct str body)
{
	struct call *call = step_send(step, kind, "POST", url);
	call_bearer(env, call, token);
	call_header(call, "Content-Type", STR("application/json; charset=UTF-8"));
	call->body = body;
}

static struct call *token_send(const struct env *env, struct step *step, struct buf *form)
{
	form_add(form, "client_key", env->client_id);
	form_add(form, "client_secret", env->client_secret);
	struct call *call = step_send(step, CALL_PREPARE, "POST", STR(API_URL "/oauth/token/"));
	call_form(call, buf_str(form));
	return call;
}

/* ---- verify: 1.6 ---- */

static const char *verify_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	struct buf form;
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("client_credentials"));
	token_send(env, step, &form);
	return NULL;
}

static const char *verify_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	(void)flow;
	struct token_answer answer;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (token_answer_read(env, reply, &answer)) {
		step_done(step);
		return NULL;
	}
	credentials_refused(token_refusals, env, reply, step);
	return NULL;
}

static const struct stage verify_stages[] = {
	{"probe", verify_ask, verify_answer},
	{0},
};

static void tiktok_verify(const struct env *env, struct flow *flow, const struct reply *reply,
			  struct step *step)
{
	stages_run(verify_stages, env, flow, reply, step);
}

/* ---- connect: 1.4 and 1.7 ---- */

static const char *const needed_scopes[] = {"user.info.basic", "video.publish", NULL};

static const char *exchange_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	struct buf form;
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("authorization_code"));
	form_add(&form, "code", env->code);
	form_add(&form, "redirect_uri", env->redirect_uri);
	if (!str_is_empty(env->pkce_verifier))
		form_add(&form, "code_verifier", env->pkce_verifier);
	token_send(env, step, &form);
	return NULL;
}

static const char *exchange_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (!token_answer_read(env, reply, &answer)) {
		exchange_refused(token_refusals, env, reply, step);
		return NULL;
	}
	if (scopes_missing_fail(env, answer.scope, needed_scopes, step))
		return NULL;
	token_answer_keep(flow, &answer);
	return "user";
}

/* A field outside the granted scopes is refused (1.2): the username only with its scope. */
static const char *user_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const bool has_profile = scope_is_granted(flow_get(flow, "scope"), "user.info.profile");
	const struct str url =
		has_profile
			? STR(API_URL "/user/info/"
				      "?fields=open_id,union_id,avatar_url,display_name,username")
			: STR(API_URL
			      "/user/info/?fields=open_id,union_id,avatar_url,display_name");
	call_bearer(env, step_send(step, CALL_READ, "GET", url), flow_get(flow, "access_token"));
	return NULL;
}

static const char *user_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (api_is_refused(env, reply, step))
		return NULL;
	const struct json *user = json_get(json_get(reply->json, "data"), "user");
	const struct str id = json_string(json_get(user, "open_id"));
	if (str_is_empty(id)) {
		struct failure *failure =
			step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
				  STR("TikTok did not say whose account it is."));
		failure->connection_error = CONNECTION_ERROR_NO_ACCOUNTS;
		return NULL;
	}
	flow_set(flow, "open_id", id);
	flow_set(flow, "username", json_string(json_get(user, "username")));
	flow_set(flow, "name", json_string(json_get(user, "display_name")));
	flow_set(flow, "avatar_url", json_string(json_get(user, "avatar_url")));
	return str_is_empty(flow_get(flow, "username")) ? "creator" : "account";
}

static void creator_send(const struct env *env, struct str token, struct step *step)
{
	api_post(env, token, step, CALL_READ, STR(API_URL "/post/publish/creator_info/query/"),
		 STR("{}"));
}

static const char *name_ask(const struct env *env, struct flow *flow, struct step *step)
{
	creator_send(env, flow_get(flow, "access_token"), step);
	return NULL;
}

/* Only for the name: what it refuses today may be allowed tomorrow, so it never fails a connection.
 */
static const char *name_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	(void)env;
	(void)step;
	const struct json *creator = json_get(reply->json, "data");
	flow_set(flow, "username", json_string(json_get(creator, "creator_username")));
	return "account";
}

static const char *account_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct account_found *account = ARENA_NEW(env->arena, struct account_found);
	const struct token_answer token = token_answer_kept(flow);
	*account = (struct account_found){
		.platform_account_id = flow_get(flow, "open_id"),
		.username = flow_get(flow, "username"),
		.name = flow_get(flow, "name"),
		.avatar_url = flow_get(flow, "avatar_url"),
		.type = ACCOUNT_CREATOR,
	};
	token_answer_give(&token, account);
	step_done(step);
	step->accounts = account;
	step->account_count = 1;
	return NULL;
}

static const struct stage connect_stages[] = {
	{"exchange", exchange_ask, exchange_answer},
	{"user", user_ask, user_answer},
	{"creator", name_ask, name_answer},
	{"account", account_ask, answer_unexpected},
	{0},
};

static void tiktok_connect(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	stages_run(connect_stages, env, flow, reply, step);
	connect_failure_complete(step);
}

/* ---- refresh: 1.4. Rotation is strict: the answer's refresh token replaces ours, which is dead
 * from then on. ---- */

static const char *refresh_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	if (str_is_empty(env->refresh_token)) {
		step_fail(step, FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
			  STR("There is no refresh token; the account has to be connected again."));
		return NULL;
	}
	struct buf form;
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("refresh_token"));
	form_add(&form, "refresh_token", env->refresh_token);
	token_send(env, step, &form)->needs_fresh_connection = true;
	return NULL;
}

static const char *refresh_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	(void)flow;
	struct token_answer answer;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (token_answer_read(env, reply, &answer))
		token_answer_grant(&answer, step);
	else
		token_refused(token_refusals, env, reply, step);
	return NULL;
}

static const struct stage refresh_stages[] = {
	{"token", refresh_ask, refresh_answer},
	{0},
};

static void tiktok_refresh(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	stages_run(refresh_stages, env, flow, reply, step);
}

/* ---- publish: section 2 ---- */

struct tiktok_chunks tiktok_chunks_of(int64_t size_bytes)
{
	if (size_bytes <= ONE_CHUNK_MAX_BYTES)
		return (struct tiktok_chunks){.chunk_bytes = size_bytes, .count = 1};
	return (struct tiktok_chunks){.chunk_bytes = CHUNK_BYTES,
				      .count = size_bytes / CHUNK_BYTES};
}

struct tiktok_range tiktok_range_at(int64_t offset_bytes, int64_t size_bytes)
{
	const struct tiktok_chunks chunks = tiktok_chunks_of(size_bytes);
	const int64_t at = chunks.chunk_bytes > 0 ? offset_bytes / chunks.chunk_bytes : 0;
	const int64_t index = at < chunks.count ? at : chunks.count - 1;
	const bool is_last = index == chunks.count - 1;
	const int64_t first = index * chunks.chunk_bytes;
	return (struct tiktok_range){
		.first = first,
		.length_bytes = is_last ? size_bytes - first : chunks.chunk_bytes,
		.is_last = is_last,
	};
}

static const struct media_file *video_file(const struct env *env)
{
	return &env->media[0];
}

/* MP4, WebM and MOV (3); only the bytes tell what a file is. */
static bool video_is_fit(const struct env *env, struct step *step)
{
	const struct media_file *file = video_file(env);
	const char *complaint = NULL;
	if (!file->sniff.is_video)
		complaint = "The file is not an MP4, MOV or WebM video.";
	else if (file->size_bytes <= 0 || file->size_bytes > FILE_MAX_BYTES)
		complaint = "The video is empty or larger than TikTok takes.";
	if (complaint != NULL)
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED, str_of(complaint));
	return complaint == NULL;
}

static const char *begin_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	if (flow_part(flow) < flow->part_count)
		return "creator";
	step_done(step);
	return NULL;
}

static const char *creator_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	creator_send(env, env->access_token, step);
	return NULL;
}

/* From open to closed: the default is the first that the creator may use (API.md section 6). */
static const char *const privacy_levels[] = {"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS",
					     "FOLLOWER_OF_CREATOR", "SELF_ONLY"};

static bool list_has(const struct json *list, struct str item)
{
	for (size_t i = 0; json_at(list, i) != NULL; i++) {
		if (str_equal(json_string(json_at(list, i)), item))
			return true;
	}
	return false;
}

/* Empty when the creator may not use what was asked for, or nothing is on offer. */
static struct str privacy_level(const struct env *env, const struct json *offered)
{
	const struct str asked = json_string(json_get(env->options, "privacy_level"));
	if (!str_is_empty(asked))
		return list_has(offered, asked) ? asked : (struct str){0};
	for (size_t i = 0; i < sizeof(privacy_levels) / sizeof(privacy_levels[0]); i++) {
		if (list_has(offered, str_of(privacy_levels[i])))
			return str_of(privacy_levels[i]);
	}
	return (struct str){0};
}

static bool option_bool(const struct env *env, const char *name)
{
	return json_bool(json_get(env->options, name), false);
}

static const char *content_refused(struct step *step, enum failure_code code, struct str message)
{
	step_fail(step, FAILURE_PERMANENT, code, message);
	return NULL;
}

static struct str joined(struct arena *arena, const struct json *list)
{
	struct buf out;
	buf_init(&out, arena, URL_MAX_BYTES);
	for (size_t i = 0; json_at(list, i) != NULL; i++) {
		if (i > 0)
			buf_add_z(&out, ", ");
		buf_add(&out, json_string(json_at(list, i)));
	}
	return buf_str(&out);
}

static const char *creator_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (api_is_refused(env, reply, step))
		return NULL;
	const struct json *creator = json_get(reply->json, "data");
	const struct json *offered = json_get(creator, "privacy_level_options");
	const struct str level = privacy_level(env, offered);
	if (str_is_empty(level))
		return content_refused(step, FAILURE_CODE_CONTENT_REJECTED,
				       str_format(env->arena,
						  "The creator may not post with this "
						  "privacy_level; possible: " STR_FMT ".",
						  STR_ARG(joined(env->arena, offered))));
	if (option_bool(env, "brand_content_toggle") && str_equal_z(level, "SELF_ONLY"))
		return content_refused(step, FAILURE_CODE_CONTENT_REJECTED,
				       STR("Branded content cannot be posted as SELF_ONLY."));
	const int64_t duration_max_s =
		json_int(json_get(creator, "max_video_post_duration_sec"), 0);
	const int64_t duration_s = post_media_at(env->post, 0)->duration_s;
	if (duration_max_s > 0 && duration_s > duration_max_s)
		return content_refused(step, FAILURE_CODE_MEDIA_REJECTED,
				       str_format(env->arena,
						  "The creator's videos may last %d s at most.",
						  (int)duration_max_s));
	flow_set(flow, "privacy_level", level);
	flow_set(flow, "username", json_string(json_get(creator, "creator_username")));
	return "init";
}

static void post_info_write(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	const struct json *cover_ms = json_get(env->options, "video_cover_timestamp_ms");
	json_begin_object(w);
	json_member_str(w, "title", env->post->containers[0].content);
	json_member_str(w, "privacy_level", flow_get(flow, "privacy_level"));
	json_member_bool(w, "disable_duet", option_bool(env, "disable_duet"));
	json_member_bool(w, "disable_stitch", option_bool(env, "disable_stitch"));
	json_member_bool(w, "disable_comment", option_bool(env, "disable_comment"));
	if (!json_is_null(cover_ms))
		json_member_int(w, "video_cover_timestamp_ms", json_int(cover_ms, 0));
	json_member_bool(w, "brand_content_toggle", option_bool(env, "brand_content_toggle"));
	json_member_bool(w, "brand_organic_toggle", option_bool(env, "brand_organic_toggle"));
	json_member_bool(w, "is_aigc", option_bool(env, "is_aigc"));
	json_end_object(w);
}

static void source_info_write(int64_t size_bytes, struct json_writer *w)
{
	const struct tiktok_chunks chunks = tiktok_chunks_of(size_bytes);
	json_begin_object(w);
	json_member_str(w, "source", STR("FILE_UPLOAD"));
	json_member_int(w, "video_size", size_bytes);
	json_member_int(w, "chunk_size", chunks.chunk_bytes);
	json_member_int(w, "total_chunk_count", chunks.count);
	json_end_object(w);
}

static const char *init_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = video_file(env);
	if (!file->is_ready) {
		step_media(step, 0);
		return NULL;
	}
	if (!video_is_fit(env, step))
		return NULL;
	flow_set_int(flow, "size_bytes", file->size_bytes);
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "post_info");
	post_info_write(env, flow, &w);
	json_key(&w, "source_info");
	source_info_write(file->size_bytes, &w);
	json_end_object(&w);
	api_post(env, env->access_token, step, CALL_PREPARE,
		 STR(API_URL "/post/publish/video/init/"), buf_str(&body));
	return NULL;
}

static const char *init_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (api_is_refused(env, reply, step))
		return NULL;
	const struct json *data = json_get(reply->json, "data");
	const struct str publish_id = json_string(json_get(data, "publish_id"));
	const struct str upload_url = json_string(json_get(data, "upload_url"));
	if (str_is_empty(publish_id) || !upload_url_is_usable(env, upload_url)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("TikTok began an upload without saying where it goes."));
		return NULL;
	}
	flow_set(flow, "publish_id", publish_id);
	flow_set_secret(flow, "upload_url", upload_url);
	flow_set_int(flow, "begun_at_us", env->now_us);
	flow_set_int(flow, "offset_bytes", 0);
	return "upload";
}

static struct tiktok_range range_now(const struct flow *flow)
{
	return tiktok_range_at(flow_get_int(flow, "offset_bytes", 0),
			       flow_get_int(flow, "size_bytes", 0));
}

static const char *upload_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = video_file(env);
	if (!file->is_ready) {
		step_media(step, 0);
		return NULL;
	}
	const int64_t size_bytes = flow_get_int(flow, "size_bytes", 0);
	if (file->size_bytes != size_bytes) { /* fetched anew, and it is another file now */
		flow_restart_part(flow);
		return "begin";
	}
	const struct tiktok_range range = range_now(flow);
	struct call *call = step_send(step, range.is_last ? CALL_PUBLISH : CALL_PREPARE, "PUT",
				      flow_get(flow, "upload_url"));
	call_header(call, "Content-Type", str_of(file->sniff.mime_type));
	call_header(call, "Content-Range",
		    str_format(env->arena, "bytes %" PRId64 "-%" PRId64 "/%" PRId64, range.first,
			       range.first + range.length_bytes - 1, size_bytes));
	call->has_media_body = true;
	call->media_index = 0;
	call->media_offset_bytes = range.first;
	call->media_length_bytes = range.length_bytes;
	return NULL;
}

/* The bytes are not all there and cannot follow any more: the task never posts, so the part begins
 * anew. */
static const char *task_lost(struct flow *flow, struct step *step)
{
	flow_restart_part(flow);
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("TikTok has given up the upload; it is begun again."));
	return NULL;
}

static const int64_t poll_waits_ms[] = {2000,  5000, 10000, 20000,
					30000, 60000}; /* the last one again and again (2.6) */
#define POLL_WAIT_COUNT (int64_t)(sizeof(poll_waits_ms) / sizeof(poll_waits_ms[0]))

static const char *status_wait(struct flow *flow, struct step *step)
{
	const int64_t polls = flow_count(flow, "polls");
	flow_set_stage(flow, "status");
	step_wait(step, poll_waits_ms[polls <= POLL_WAIT_COUNT ? polls - 1 : POLL_WAIT_COUNT - 1]);
	return NULL;
}

/* Bare HTTP, no envelope (2.3). The last chunk's answer may only speak of the bytes: what became of
 * the post is for the task to say, so its refusals ask the task, which is then known to be without
 * its end. */
static const char *upload_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct tiktok_range range = range_now(flow);
	if (reply->outcome != REPLY_ANSWERED || reply->status >= 500) {
		flow_set_stage(flow, "progress"); /* before anything is sent again */
		step_fail_transport(step, env, reply);
		return NULL;
	}
	if (reply->status < 300 && range.is_last) {
		flow_set_open(flow);
		return status_wait(flow, step);
	}
	if (reply->status < 300) {
		flow_set_int(flow, "offset_bytes", range.first + range.length_bytes);
		return "upload";
	}
	if (reply->status == 400) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("TikTok refused the way the video was sent."));
		return NULL;
	}
	if (reply->status == 403 || reply->status == 404)
		flow_set_int(flow, "upload_refused", 1);
	if (reply->status == 429) {
		struct failure *failure =
			step_fail(step, FAILURE_RATE_LIMITED, FAILURE_CODE_RATE_LIMITED,
				  STR("TikTok asked to slow down the upload."));
		failure->retry_after_ms = refusal_wait_ms(WAIT_MINUTE, env->now_us);
		return NULL;
	}
	return "progress";
}

static void status_send(const struct env *env, const struct flow *flow, struct step *step)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "publish_id", flow_get(flow, "publish_id"));
	json_end_object(&w);
	api_post(env, env->access_token, step, CALL_READ,
		 STR(API_URL "/post/publish/status/fetch/"), buf_str(&body));
}

static const char *progress_ask(const struct env *env, struct flow *flow, struct step *step)
{
	status_send(env, flow, step);
	return NULL;
}

static int64_t uploaded_bytes(const struct reply *reply)
{
	return json_int(json_get(json_get(reply->json, "data"), "uploaded_bytes"), 0);
}

static struct str task_status(const struct reply *reply)
{
	return json_string(json_get(json_get(reply->json, "data"), "status"));
}

static bool upload_is_over(const struct env *env, const struct flow *flow)
{
	return flow_get_int(flow, "upload_refused", 0) != 0 ||
	       env->now_us - flow_get_int(flow, "begun_at_us", env->now_us) >= UPLOAD_URL_VALID_US;
}

static bool task_lacks_bytes(const struct flow *flow, const struct reply *reply)
{
	return str_equal_z(task_status(reply), "PROCESSING_UPLOAD") &&
	       uploaded_bytes(reply) < flow_get_int(flow, "size_bytes", 0);
}

/* Goes on with the chunk that TikTok lacks. */
static const char *progress_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (api_is_refused(env, reply, step))
		return NULL;
	if (!task_lacks_bytes(flow, reply)) {
		flow_set_open(flow);
		return "status";
	}
	if (upload_is_over(env, flow) || flow_count(flow, "progress_looks") > PROGRESS_LOOKS_MAX)
		return task_lost(flow, step);
	flow_set_int(flow, "offset_bytes", uploaded_bytes(reply));
	return "upload";
}

static const char *status_ask(const struct env *env, struct flow *flow, struct step *step)
{
	status_send(env, flow, step);
	return NULL;
}

static struct str profile_url(const struct env *env, const struct flow *flow)
{
	const struct str told = flow_get(flow, "username");
	struct buf url;
	buf_init(&url, env->arena, URL_MAX_BYTES);
	buf_add_z(&url, PROFILE_URL);
	percent_encode(&url, str_is_empty(told) ? env->username : told);
	return buf_str(&url);
}

/* The list is really spelt so; its ids are numbers above 2^53 (2.6). */
static struct str public_id(const struct env *env, const struct reply *reply)
{
	const struct json *ids =
		json_get(json_get(reply->json, "data"), "publicaly_available_post_id");
	return json_text(env->arena, json_at(ids, 0));
}

/* Without an id the task's own is what we have, and the profile is where the post is seen. */
static const char *part_landed(const struct env *env, struct flow *flow, struct str id)
{
	const struct str profile = profile_url(env, flow);
	if (str_is_empty(id))
		flow_part_done(flow, flow_get(flow, "publish_id"), profile);
	else
		flow_part_done(flow, id,
			       str_format(env->arena, STR_FMT "/video/" STR_FMT, STR_ARG(profile),
					  STR_ARG(id)));
	return "begin";
}

static const char *status_complete(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct str id = public_id(env, reply);
	flow_set_int(flow, "is_complete", 1);
	const bool is_public = str_equal_z(flow_get(flow, "privacy_level"), "PUBLIC_TO_EVERYONE");
	if (!str_is_empty(id) || !is_public || flow_count(flow, "id_polls") > ID_POLLS_MAX)
		return part_landed(env, flow, id);
	step_wait(step, ID_POLL_MS);
	return NULL;
}

static const char *status_failed(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct str reason =
		json_string(json_get(json_get(reply->json, "data"), "fail_reason"));
	struct refusal_facts facts = {.status = reply->status, .is_readable = true};
	refusal_marker_add(&facts, reason);
	refusal_fail(task_failures, env, &facts, reply, step);
	flow_restart_part(flow);
	return NULL;
}

static const char *status_inbox(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)env;
	(void)reply;
	flow_set_closed(flow);
	step_fail(
		step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
		STR("TikTok put the video into the creator's inbox as a draft; it is not public."));
	return NULL;
}

static const char *status_processing(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	if (task_lacks_bytes(flow, reply) && upload_is_over(env, flow))
		return task_lost(flow, step);
	if (flow_get_int(flow, "polls", 0) < STATUS_POLLS_MAX)
		return status_wait(flow, step);
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_OUTCOME_UNKNOWN,
		  STR("TikTok has not finished processing the video for hours; it may still "
		      "appear."));
	return NULL;
}

static const struct {
	const char *status;
	const char *(*answer)(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step);
} task_states[] = {
	{"PUBLISH_COMPLETE", status_complete},
	{"FAILED", status_failed},
	{"SEND_TO_USER_INBOX", status_inbox},
	{NULL, status_processing}, /* PROCESSING_UPLOAD, PROCESSING_DOWNLOAD, and what may come */
};

static const char *status_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	if (!api_is_ok(reply) && flow_get_int(flow, "is_complete", 0) != 0)
		return part_landed(env, flow, (struct str){0}); /* only the id was still wanted */
	if (api_is_refused(env, reply, step))
		return NULL;
	size_t row = 0;
	while (task_states[row].status != NULL &&
	       !str_equal_z(task_status(reply), task_states[row].status))
		row++;
	return task_states[row].answer(env, flow, reply, step);
}

static const char *lost_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	return task_lost(flow, step);
}

static const struct stage publish_stages[] = {
	{"begin", begin_ask, answer_unexpected},
	{"creator", creator_ask, creator_answer},
	{"init", init_ask, init_answer},
	{"upload", upload_ask, upload_answer},
	{"progress", progress_ask, progress_answer},
	{"status", status_ask, status_answer},
	{"lost", lost_ask, answer_unexpected},
	{0},
};

static void tiktok_publish(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	stages_run(publish_stages, env, flow, reply, step);
}

/* ---- resolve: section 5. The task knows. ---- */

static const char *task_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (str_is_empty(flow_get(flow, "publish_id")))
		return look_end(flow, step, STEP_UNKNOWN);
	status_send(env, flow, step);
	return NULL;
}

/* While the address is good, only the bytes that are missing; after that the task is dead. A task
 * that never gets its end though it could is not left for a new one: a late PUT might still
 * complete it. */
static const char *bytes_again(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (upload_is_over(env, flow)) {
		flow_set_stage(flow, "lost");
		return look_end(flow, step, STEP_SEND_AGAIN);
	}
	if (flow_count(flow, "resends") > RESENDS_MAX)
		return look_end(flow, step, STEP_UNKNOWN);
	flow_set_int(flow, "offset_bytes", uploaded_bytes(reply));
	flow_set_open(flow); /* the task's word may lag behind the bytes that it has */
	return look_end(flow, step, STEP_SEND_AGAIN);
}

static const char *task_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (api_is_refused(env, reply, step))
		return NULL;
	if (task_lacks_bytes(flow, reply))
		return bytes_again(env, flow, reply, step);
	/* All bytes are there, or the task has ended: the flow goes on by asking it. A task that
	 * failed posted nothing. */
	flow_set_stage(flow, "status");
	flow_set_open(flow);
	return look_end(flow, step,
			str_equal_z(task_status(reply), "FAILED") ? STEP_SEND_AGAIN : STEP_LANDED);
}

static const struct stage resolve_stages[] = {
	{"task", task_ask, task_answer},
	{0},
};

static void tiktok_resolve(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	stages_run_probe(resolve_stages, env, flow, reply, step);
}

/* ---- rules: section 3 ---- */

static bool is_warned(const struct problems *problems, const char *code)
{
	for (size_t i = 0; i < problems->warning_count; i++) {
		if (str_equal_z(problems->warnings[i].code, code))
			return true;
	}
	return false;
}

static void tiktok_check(const struct post_content *post, enum post_type type,
			 struct str account_id, struct problems *problems)
{
	(void)type;
	const struct json *options = rules_options(post, PLATFORM_TIKTOK);
	const struct str level = json_string(json_get(options, "privacy_level"));
	if (json_bool(json_get(options, "brand_content_toggle"), false) &&
	    str_equal_z(level, "SELF_ONLY"))
		problem_add_rule(problems, STR("platforms.tiktok.privacy_level"),
				 "branded_content_private", account_id, -1, -1,
				 STR("Branded content cannot be posted as SELF_ONLY."));
	if (str_is_empty(level) && !is_warned(problems, "tiktok_privacy_default"))
		warning_add(problems, STR("platforms.tiktok.privacy_level"),
			    "tiktok_privacy_default",
			    STR("No privacy_level was given: the most open one that the creator "
				"may use is taken."));
}

/* ---- data ---- */

static const struct oauth_profile tiktok_oauth = {
	.authorize_url = "https://www.tiktok.com/v2/auth/authorize/",
	.client_id_name = "client_key",
	.scopes = {"user.info.basic", "user.info.profile", "video.publish"},
	.scope_separator = ",",
	.pkce = PKCE_S256_HEX,
	.extra = {{"disable_auto_auth", "1"}}, /* else a second account cannot be chosen (1.1) */
	.denied_errors = {"access_denied"},
};

static const struct type_rule tiktok_types[] = {
	{
		.type = POST_TYPE_VIDEO,
		.videos_min = 1,
		.videos_max = 1,
		.media_min = 1,
		.media_max = 1,
		.summary = "One video, posted directly",
	},
	{0},
};

static const struct option_rule tiktok_options[] = {
	{"privacy_level", OPTION_ENUM, 0,
	 "PUBLIC_TO_EVERYONE|MUTUAL_FOLLOW_FRIENDS|FOLLOWER_OF_CREATOR|SELF_ONLY",
	 "Who sees the video; the most open one that the creator may use when not given"},
	{"disable_comment", OPTION_BOOL, 0, NULL, "Nobody may comment"},
	{"disable_duet", OPTION_BOOL, 0, NULL, "Nobody may make a duet with it"},
	{"disable_stitch", OPTION_BOOL, 0, NULL, "Nobody may stitch it"},
	{"video_cover_timestamp_ms", OPTION_INT, INT32_MAX, NULL, "The frame that is the cover"},
	{"brand_content_toggle", OPTION_BOOL, 0, NULL,
	 "It is a paid partnership; not with SELF_ONLY"},
	{"brand_organic_toggle", OPTION_BOOL, 0, NULL, "It promotes the creator's own business"},
	{"is_aigc", OPTION_BOOL, 0, NULL, "It is labelled as generated content"},
	{0},
};

static const struct post_rules tiktok_rules = {
	.types = tiktok_types,
	.text_unit = TEXT_UTF16_UNITS,
	.text_max = CAPTION_MAX_UTF16_UNITS,
	.comments_max = 0, /* the API has no comments (2.8) */
	.options = tiktok_options,
	.check = tiktok_check,
};

const struct platform platform_tiktok = {
	.slug = "tiktok",
	.id = PLATFORM_TIKTOK,
	.oauth = &tiktok_oauth,
	.rules = &tiktok_rules,
	.verify = tiktok_verify,
	.connect = tiktok_connect,
	.refresh = tiktok_refresh,
	.publish = tiktok_publish,
	.resolve = tiktok_resolve,
};
