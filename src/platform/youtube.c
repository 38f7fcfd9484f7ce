/* SPDX-License-Identifier: Apache-2.0
 * YouTube: Data API v3 (platforms/youtube.md, read 2026-11-21).
 * A video is sent through a resumable session, and the session is what makes it safe: no video
 * exists before the last byte is there, and the session tells whether it is. So all PUTs but the
 * one with the last byte prepare, and that one publishes. Comments follow as comment threads of
 * their own. */
#include "youtube.h"

#include <inttypes.h>

#include "arena.h"
#include "buf.h"

#include "form.h"
#include "json_write.h"
#include "utf8.h"

#include "adapters.h"
#include "look.h"
#include "platform.h"
#include "refusal.h"
#include "rules.h"
#include "stages.h"
#include "token_answer.h"

#define TOKEN_URL "https://oauth2.googleapis.com/token"
#define API_URL "https://www.googleapis.com/youtube/v3"
#define UPLOAD_URL "https://www.googleapis.com/upload/youtube/v3/videos"
#define WATCH_URL "https://www.youtube.com/watch?v="
#define SCOPE_URL "https://www.googleapis.com/auth/"

#define FORM_MAX_BYTES (16 * 1024)
#define URL_MAX_BYTES 4096
#define BODY_MAX_BYTES (1024 * 1024)
#define TITLE_MAX_CHARACTERS 100
#define TAGS_MAX_CHARACTERS 500
#define DESCRIPTION_MAX_BYTES 5000
#define COMMENT_MAX_BYTES 10000
#define FILE_MAX_BYTES (INT64_C(256) * 1024 * 1024 * 1024)
#define QUERIES_MAX 8  /* questions to one session before a new one is begun */
#define RESENDS_MAX 10 /* of the last bytes of one session */
#define LOOK_COUNT 10  /* newest uploads looked at (5) */

/* ---- errors: sections 1.5 and 4 ---- */

static const struct refusal token_refusals[] = {
	REFUSAL(0, "invalid_client", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"Google refused the app's client id or secret."),
	REFUSAL(0, "unauthorized_client", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"Google does not allow this kind of app to do this."),
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"Google limits the number of token requests."),
	REFUSAL(0, "redirect_uri_mismatch", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"The redirect address is not registered with the Google app."),
	REFUSAL(0, "invalid_grant", NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"Google no longer accepts this authorization."),
	REFUSAL(0, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"Google refused the token request."),
	{0},
};

#define CONTENT_ROW(marker, sentence)                                                              \
	REFUSAL(400, marker, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE, sentence)
#define ACCOUNT_ROW(marker, sentence)                                                              \
	REFUSAL(403, marker, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE, sentence)

static const struct refusal api_refusals[] = {
	REFUSAL(401, "youtubeSignupRequired", NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
		"The Google account has no YouTube channel."),
	REFUSAL(401, NULL, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"YouTube refused the access token."),
	/* A day's quota, though it comes as a burst limit would (4). */
	REFUSAL(429, NULL, "per day", RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_PACIFIC,
		"The Google project's quota of video uploads for today is used up."),
	REFUSAL(0, "quotaExceeded", NULL, RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_PACIFIC,
		"The Google project's YouTube quota for today is used up."),
	REFUSAL(0, "dailyLimitExceeded", NULL, RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_PACIFIC,
		"The Google project's YouTube quota for today is used up."),
	REFUSAL(0, "uploadLimitExceeded", NULL, RATE_LIMITED, QUOTA_EXHAUSTED, DAY,
		"The channel has uploaded as many videos as YouTube allows it in a day."),
	REFUSAL(0, "rateLimitExceeded", NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"YouTube asked to slow down."),
	REFUSAL(0, "userRateLimitExceeded", NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"YouTube asked to slow down."),
	REFUSAL(0, "uploadRateLimitExceeded", NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"YouTube asked to slow down."),
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE, "YouTube asked to slow down."),
	REFUSAL(403, "insufficientPermissions", NULL, REAUTH, PERMISSION_MISSING, BY_SCHEDULE,
		"A permission is missing; connect the account again and grant it."),
	REFUSAL(403, "accessNotConfigured", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"The YouTube Data API is not switched on in the Google project."),
	REFUSAL(403, "SERVICE_DISABLED", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"The YouTube Data API is not switched on in the Google project."),
	ACCOUNT_ROW("accountDelegationForbidden",
		    "YouTube does not let this account act for the channel."),
	ACCOUNT_ROW("authenticatedUserAccountClosed", "The YouTube account is closed."),
	ACCOUNT_ROW("authenticatedUserAccountSuspended", "The YouTube account is suspended."),
	ACCOUNT_ROW("channelClosed", "The YouTube channel is closed."),
	ACCOUNT_ROW("channelSuspended", "The YouTube channel is suspended."),
	ACCOUNT_ROW("ineligibleAccount", "The YouTube account may not comment."),
	ACCOUNT_ROW("commentsDisabled", "Comments are switched off for this video."),
	REFUSAL(403, "forbiddenPrivacySetting", NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube does not allow this privacyStatus."),
	REFUSAL(403, "forbiddenLicenseSetting", NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube does not allow this license."),
	REFUSAL(403, "forbiddenEmbedSetting", NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube does not allow this setting of embeddable."),
	REFUSAL(403, NULL, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
		"YouTube does not allow this; connecting the account again may help."),
	CONTENT_ROW("invalidTitle", "YouTube refused the title."),
	CONTENT_ROW("invalidDescription", "YouTube refused the description."),
	CONTENT_ROW("invalidTags", "YouTube refused the tags."),
	CONTENT_ROW("invalidCategoryId", "YouTube does not know this categoryId."),
	CONTENT_ROW("defaultLanguageNotSet", "YouTube wants defaultLanguage to be set."),
	CONTENT_ROW("commentTextTooLong", "YouTube says that the comment is too long."),
	REFUSAL(400, "mediaBodyRequired", NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
		"YouTube says that the request has no video."),
	REFUSAL(400, "processingFailure", NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"YouTube could not process the comment."),
	REFUSAL(400, NULL, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"YouTube refused the content of the post."),
	REFUSAL(404, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"YouTube does not know the video or channel that this refers to."),
	REFUSAL(413, NULL, NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
		"YouTube says that the file is too large."),
	REFUSAL(415, NULL, NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE,
		"YouTube does not take this kind of file."),
	REFUSAL(0, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"YouTube refused the request."),
	{0},
};

/* {"error":{"code","message","errors":[{"reason"}],"status"}} */
static struct refusal_facts api_facts(const struct reply *reply)
{
	const struct json *error = json_get(reply->json, "error");
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(error, "message")),
		.is_readable = json_is(error, JSON_TYPE_OBJECT),
	};
	refusal_marker_add(&facts,
			   json_string(json_get(json_at(json_get(error, "errors"), 0), "reason")));
	refusal_marker_add(&facts,
			   json_string(json_get(json_at(json_get(error, "details"), 0), "reason")));
	refusal_marker_add(&facts, json_string(json_get(error, "status")));
	return facts;
}

static const char *api_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = api_facts(reply);
	refusal_fail(api_refusals, env, &facts, reply, step);
	return NULL;
}

/* For read and prepare calls: true when the answer is of no use and the step says so. */
static bool api_is_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return true;
	if (reply->status == 200)
		return false;
	api_fail(env, reply, step);
	return true;
}

/* A refusal of a publish call, or a doubt when it cannot be read as one. */
static const char *publish_refused(const struct env *env, const struct reply *reply,
				   struct step *step)
{
	const struct refusal_facts facts = api_facts(reply);
	if (refusal_is_certain(&facts))
		return api_fail(env, reply, step);
	*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}

/* ---- tokens: 1.4 to 1.6 ---- */

static void token_send(const struct env *env, struct step *step, struct buf *form)
{
	form_add(form, "client_id", env->client_id);
	form_add(form, "client_secret", env->client_secret);
	call_form(step_send(step, CALL_PREPARE, "POST", STR(TOKEN_URL)), buf_str(form));
}

static void code_send(const struct env *env, struct str code, struct step *step)
{
	struct buf form;
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("authorization_code"));
	form_add(&form, "code", code);
	form_add(&form, "redirect_uri", env->redirect_uri);
	if (!str_is_empty(env->pkce_verifier))
		form_add(&form, "code_verifier", env->pkce_verifier);
	token_send(env, step, &form);
}

/* ---- verify: 1.6. A code that cannot exist: what Google says of the app comes before what it says
 * of the code. ---- */

static const char *verify_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	code_send(env, STR("credential-check"), step);
	return NULL;
}

static const char *verify_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	(void)flow;
	if (step_fail_transport(step, env, reply))
		return NULL;
	const struct refusal_facts facts = token_refusal_facts(reply);
	const struct str said = facts.is_readable ? facts.markers[0] : (struct str){0};
	if (str_equal_z(said, "invalid_grant") || str_equal_z(said, "redirect_uri_mismatch")) {
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

static void youtube_verify(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	stages_run(verify_stages, env, flow, reply, step);
}

/* ---- connect: 1.4 and 1.7 ---- */

static const char *const needed_scopes[] = {SCOPE_URL "youtube.upload",
					    SCOPE_URL "youtube.readonly",
					    SCOPE_URL "youtube.force-ssl", NULL};

static const char *exchange_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	code_send(env, env->code, step);
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
	return "channel";
}

static const char *channel_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct call *call =
		step_send(step, CALL_READ, "GET",
			  STR(API_URL "/channels?part=snippet,contentDetails,status&mine=true"));
	call_bearer(env, call, flow_get(flow, "access_token"));
	return NULL;
}

static struct str channel_avatar(const struct json *snippet)
{
	static const char *const sizes[] = {"high", "medium", "default"};
	const struct json *thumbnails = json_get(snippet, "thumbnails");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct str url = json_string(json_get(json_get(thumbnails, sizes[i]), "url"));
		if (!str_is_empty(url))
			return url;
	}
	return (struct str){0};
}

/* What a later look or upload wants to know: the list of uploads (5) and how long a video may be
 * (1.7). */
static struct str channel_extra(const struct env *env, const struct json *channel)
{
	const struct json *playlists =
		json_get(json_get(channel, "contentDetails"), "relatedPlaylists");
	const struct json *status = json_get(channel, "status");
	struct buf extra;
	struct json_writer w;
	buf_init(&extra, env->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &extra);
	json_begin_object(&w);
	json_member_str(&w, "uploads_playlist", json_string(json_get(playlists, "uploads")));
	json_member_str(&w, "long_uploads", json_string(json_get(status, "longUploadsStatus")));
	json_end_object(&w);
	return buf_str(&extra);
}

static void channel_missing(struct step *step)
{
	struct failure *failure =
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
			  STR("The Google account has no YouTube channel."));
	failure->connection_error = CONNECTION_ERROR_NO_ACCOUNTS;
}

static const char *channel_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = api_facts(reply);
	if (reply->status == 401 && facts.marker_count > 0 &&
	    str_equal_z(facts.markers[0], "youtubeSignupRequired")) {
		channel_missing(step);
		return NULL;
	}
	if (api_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct json *channel = json_at(json_get(reply->json, "items"), 0);
	const struct json *snippet = json_get(channel, "snippet");
	const struct str id = json_string(json_get(channel, "id"));
	if (str_is_empty(id)) {
		channel_missing(step);
		return NULL;
	}
	struct account_found *account = ARENA_NEW(env->arena, struct account_found);
	*account = (struct account_found){
		.platform_account_id = id,
		.username = json_string(json_get(snippet, "customUrl")),
		.name = json_string(json_get(snippet, "title")),
		.avatar_url = channel_avatar(snippet),
		.type = ACCOUNT_CHANNEL,
		.extra = channel_extra(env, channel),
	};
	const struct token_answer token = token_answer_kept(flow);
	token_answer_give(&token, account);
	step_done(step);
	step->accounts = account;
	step->account_count = 1;
	return NULL;
}

static const struct stage connect_stages[] = {
	{"exchange", exchange_ask, exchange_answer},
	{"channel", channel_ask, channel_answer},
	{0},
};

static void youtube_connect(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	stages_run(connect_stages, env, flow, reply, step);
	connect_failure_complete(step);
}

/* ---- refresh: 1.4. No new refresh token comes with it: the old one stays. ---- */

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
	token_send(env, step, &form);
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

static void youtube_refresh(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	stages_run(refresh_stages, env, flow, reply, step);
}

/* ---- publish: section 2 ---- */

static struct str first_line(struct str content)
{
	struct str line;
	while (str_take_field(&content, '\n', &line)) {
		line = str_trim(line);
		if (!str_is_empty(line))
			return line;
	}
	return (struct str){0};
}

struct str youtube_title(struct str given, struct str content)
{
	given = str_trim(given);
	if (!str_is_empty(given))
		return given;
	return str_trim(utf8_cut(first_line(content), TITLE_MAX_CHARACTERS));
}

struct youtube_range youtube_range_next(int64_t offset_bytes, int64_t size_bytes)
{
	const int64_t left = size_bytes - offset_bytes;
	const bool is_last = left <= YOUTUBE_CHUNK_BYTES;
	return (struct youtube_range){
		.first = offset_bytes,
		.length_bytes = is_last ? left : YOUTUBE_CHUNK_BYTES,
		.is_last = is_last,
	};
}

int64_t youtube_received_bytes(struct str range)
{
	int64_t last = 0;
	if (!str_skip(&range, STR("bytes=0-")) || !str_parse_i64(range, &last) || last < 0 ||
	    last == INT64_MAX)
		return 0;
	return last + 1;
}

static struct str option(const struct env *env, const char *name)
{
	return json_string(json_get(env->options, name));
}

static struct str option_or(const struct env *env, const char *name, const char *fallback)
{
	const struct str value = option(env, name);
	return str_is_empty(value) ? str_of(fallback) : value;
}

static struct str video_title(const struct env *env)
{
	return youtube_title(option(env, "title"), env->post->containers[0].content);
}

static const struct media_file *video_file(const struct env *env)
{
	return &env->media[0];
}

/* Only the bytes tell what the file is; checked once they are here. */
static bool video_is_fit(const struct env *env, struct step *step)
{
	const struct media_file *file = video_file(env);
	const char *complaint = NULL;
	if (!file->sniff.is_video)
		complaint = "The file is not a video of a kind that is known here.";
	else if (file->size_bytes <= 0 || file->size_bytes > FILE_MAX_BYTES)
		complaint = "The video is empty or larger than YouTube takes.";
	if (complaint != NULL)
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED, str_of(complaint));
	return complaint == NULL;
}

static const char *begin_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	const size_t part = flow_part(flow);
	if (part < flow->part_count)
		return part == 0 ? "session" : "comment";
	step_done(step);
	return NULL;
}

/* Members of the body that are options of the same name. */
static void options_write(const struct env *env, struct json_writer *w, const char *const *names)
{
	for (; *names != NULL; names++) {
		const struct json *value = json_get(env->options, *names);
		if (json_is_null(value))
			continue;
		json_key(w, *names);
		json_put_value(w, value);
	}
}

static void snippet_write(const struct env *env, struct json_writer *w)
{
	static const char *const names[] = {"tags", "defaultLanguage", "defaultAudioLanguage",
					    NULL};
	const struct str content = env->post->containers[0].content;
	const struct str description = option(env, "description");
	json_begin_object(w);
	json_member_str(w, "title", video_title(env));
	json_member_str(w, "description", str_is_empty(description) ? content : description);
	json_member_str(w, "categoryId", option_or(env, "categoryId", "22"));
	options_write(env, w, names);
	json_end_object(w);
}

static void status_write(const struct env *env, struct json_writer *w)
{
	static const char *const names[] = {"containsSyntheticMedia", "license", "embeddable",
					    "publicStatsViewable", NULL};
	json_begin_object(w);
	json_member_str(w, "privacyStatus", option_or(env, "privacyStatus", "public"));
	json_member_bool(w, "selfDeclaredMadeForKids",
			 json_bool(json_get(env->options, "selfDeclaredMadeForKids"), false));
	options_write(env, w, names);
	json_end_object(w);
}

static void call_google_json(struct call *call, const struct buf *body)
{
	call_header(call, "Content-Type", STR("application/json; charset=UTF-8"));
	call->body = buf_str(body);
}

static const char *session_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!video_file(env)->is_ready) {
		step_media(step, 0);
		return NULL;
	}
	if (!video_is_fit(env, step))
		return NULL;
	flow_set_int(flow, "size_bytes", video_file(env)->size_bytes);
	const bool notify = json_bool(json_get(env->options, "notifySubscribers"), true);
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "snippet");
	snippet_write(env, &w);
	json_key(&w, "status");
	status_write(env, &w);
	json_end_object(&w);
	struct call *call = step_send(
		step, CALL_PREPARE, "POST",
		notify ? STR(UPLOAD_URL
			     "?uploadType=resumable&part=snippet,status&notifySubscribers=true")
		       : STR(UPLOAD_URL
			     "?uploadType=resumable&part=snippet,status&notifySubscribers=false"));
	call_bearer(env, call, env->access_token);
	call_header(call, "X-Upload-Content-Length",
		    str_format(env->arena, "%" PRId64, video_file(env)->size_bytes));
	call_header(call, "X-Upload-Content-Type", str_of(video_file(env)->sniff.mime_type));
	call_google_json(call, &body);
	return NULL;
}

static const char *session_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (api_is_refused(env, reply, step))
		return NULL;
	const struct str uri = reply_header(reply, "Location");
	if (!upload_url_is_usable(env, uri)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("YouTube began an upload without saying where it goes."));
		return NULL;
	}
	flow_set_secret(flow, "session_uri", uri);
	flow_set_int(flow, "offset_bytes", 0);
	return "upload";
}

static struct str content_range(const struct env *env, const struct youtube_range *range,
				int64_t size_bytes)
{
	return str_format(env->arena, "bytes %" PRId64 "-%" PRId64 "/%" PRId64, range->first,
			  range->first + range->length_bytes - 1, size_bytes);
}

static struct youtube_range range_next(const struct flow *flow)
{
	return youtube_range_next(flow_get_int(flow, "offset_bytes", 0),
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
	const struct youtube_range range = range_next(flow);
	struct call *call = step_send(step, range.is_last ? CALL_PUBLISH : CALL_PREPARE, "PUT",
				      flow_get(flow, "session_uri"));
	call_bearer(env, call, env->access_token);
	call_header(call, "Content-Type", str_of(file->sniff.mime_type));
	if (range.length_bytes != size_bytes)
		call_header(call, "Content-Range", content_range(env, &range, size_bytes));
	call->has_media_body = true;
	call->media_index = 0;
	call->media_offset_bytes = range.first;
	call->media_length_bytes = range.length_bytes;
	return NULL;
}

static struct str watch_url(const struct env *env, struct str video_id)
{
	return str_concat(env->arena, STR(WATCH_URL), video_id);
}

/* The final answer carries the video. */
static bool video_landed(const struct env *env, struct flow *flow, const struct reply *reply)
{
	const struct str id = json_string(json_get(reply->json, "id"));
	if ((reply->status != 200 && reply->status != 201) || str_is_empty(id))
		return false;
	flow_part_done(flow, id, watch_url(env, id));
	return true;
}

/* The session is gone and the last byte was never taken: there is no video, so the part begins
 * anew. */
static const char *session_lost(struct flow *flow, struct step *step)
{
	flow_restart_part(flow);
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("YouTube has forgotten the upload; it is begun again."));
	return NULL;
}

static bool is_gone(const struct reply *reply)
{
	return reply->status == 404 || reply->status == 410;
}

/* 308 to a part of the file: the server's Range is believed, not what we sent (2.2). */
static const char *upload_progressed(struct flow *flow, const struct reply *reply)
{
	flow_set_int(flow, "offset_bytes", youtube_received_bytes(reply_header(reply, "Range")));
	return "upload";
}

static const char *chunk_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const int64_t before = flow_get_int(flow, "offset_bytes", 0);
	if (reply->outcome != REPLY_ANSWERED || reply->status >= 500) {
		flow_set_stage(flow, "query"); /* before anything is sent again */
		step_fail_transport(step, env, reply);
		return NULL;
	}
	if (reply->status == 308 && youtube_received_bytes(reply_header(reply, "Range")) > before)
		return upload_progressed(flow, reply);
	if (reply->status == 308 || reply->status == 400)
		return "query"; /* the server has other bytes than we think */
	if (is_gone(reply))
		return session_lost(flow, step);
	if (video_landed(env, flow, reply))
		return "begin";
	return api_fail(env, reply, step);
}

static const char *upload_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	if (!range_next(flow).is_last)
		return chunk_answer(env, flow, reply, step);
	if (video_landed(env, flow, reply))
		return "begin";
	if (is_gone(reply) && flow_get_int(flow, "in_doubt", 0) == 0)
		return session_lost(flow, step);
	if (reply->status < 300 || is_gone(reply)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	return publish_refused(env, reply, step);
}

static void session_query_send(const struct env *env, const struct flow *flow, struct step *step)
{
	struct call *call = step_send(step, CALL_READ, "PUT", flow_get(flow, "session_uri"));
	call_bearer(env, call, env->access_token);
	call_header(
		call, "Content-Range",
		str_format(env->arena, "bytes */%" PRId64, flow_get_int(flow, "size_bytes", 0)));
}

/* Only reached while the last byte was never sent, or is known not to be there. */
static const char *query_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (flow_get_int(flow, "queries", 0) >= QUERIES_MAX)
		return session_lost(flow, step);
	session_query_send(env, flow, step);
	return NULL;
}

static const char *query_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return NULL;
	flow_count(flow, "queries");
	if (reply->status == 308)
		return upload_progressed(flow, reply);
	if (is_gone(reply))
		return session_lost(flow, step);
	if (video_landed(env, flow, reply))
		return "begin";
	return api_fail(env, reply, step);
}

/* The server takes the last bytes again and again and never has them. */
static const char *lost_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	return session_lost(flow, step);
}

static const char *comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "snippet");
	json_begin_object(&w);
	json_member_str(&w, "channelId", env->platform_account_id);
	json_member_str(&w, "videoId", flow->parts[0].remote_id);
	json_key(&w, "topLevelComment");
	json_begin_object(&w);
	json_key(&w, "snippet");
	json_begin_object(&w);
	json_member_str(&w, "textOriginal", env->post->containers[flow_part(flow)].content);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	struct call *call =
		step_send(step, CALL_PUBLISH, "POST", STR(API_URL "/commentThreads?part=snippet"));
	call_bearer(env, call, env->access_token);
	call_google_json(call, &body);
	return NULL;
}

static const struct json *top_comment(const struct json *thread)
{
	return json_get(json_get(thread, "snippet"), "topLevelComment");
}

static struct str comment_url(const struct env *env, const struct flow *flow, struct str comment_id)
{
	return str_format(env->arena, STR_FMT "&lc=" STR_FMT, STR_ARG(flow->parts[0].url),
			  STR_ARG(comment_id));
}

static const char *comment_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str id = json_string(json_get(top_comment(reply->json), "id"));
	if (reply->status >= 300)
		return publish_refused(env, reply, step);
	if (str_is_empty(id)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	flow_part_done(flow, id, comment_url(env, flow, id));
	return "begin";
}

static const struct stage publish_stages[] = {
	{"begin", begin_ask, answer_unexpected},
	{"session", session_ask, session_answer},
	{"upload", upload_ask, upload_answer},
	{"query", query_ask, query_answer},
	{"lost", lost_ask, answer_unexpected},
	{"comment", comment_ask, comment_answer},
	{0},
};

static void youtube_publish(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	stages_run(publish_stages, env, flow, reply, step);
}

/* ---- resolve: sections 2.3 and 5 ---- */

static const char *doubt_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)step;
	if (flow_part(flow) > 0)
		return "threads";
	if (!str_is_empty(flow_get(flow, "session_uri")))
		return "session";
	look_since_us(env, flow);
	return "uploads"; /* never begun, as far as we know: only comparing is left */
}

/* A look that could not be made: its failure says whether a new token or time would help. */
static const char *look_refused(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	return api_is_refused(env, reply, step) ? NULL : look_end(flow, step, STEP_UNKNOWN);
}

static const char *probe_session_ask(const struct env *env, struct flow *flow, struct step *step)
{
	look_since_us(env, flow);
	flow_set_int(flow, "in_doubt", 1);
	session_query_send(env, flow, step);
	return NULL;
}

static const char *probe_session_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	if (is_gone(reply))
		return "uploads";
	if (video_landed(env, flow, reply))
		return look_end(flow, step, STEP_LANDED);
	if (reply->status != 308)
		return look_refused(env, flow, reply, step);
	const int64_t received_bytes = youtube_received_bytes(reply_header(reply, "Range"));
	if (received_bytes >= flow_get_int(flow, "size_bytes", 0))
		return look_end(flow, step,
				STEP_UNKNOWN); /* all there, yet no video told: ask again */
	flow_set_int(flow, "offset_bytes", received_bytes);
	flow_unset(flow, "in_doubt");
	if (flow_count(flow, "resends") > RESENDS_MAX)
		flow_set_stage(flow, "lost");
	return look_end(flow, step, STEP_SEND_AGAIN);
}

/* Told by connect; else a channel's list of uploads is named like the channel, UU for UC. */
static struct str uploads_playlist(const struct env *env)
{
	const struct str told = json_string(json_get(env->account_extra, "uploads_playlist"));
	struct str channel = env->platform_account_id;
	if (!str_is_empty(told) || !str_skip(&channel, STR("UC")))
		return told;
	return str_concat(env->arena, STR("UU"), channel);
}

static const char *uploads_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str playlist = uploads_playlist(env);
	if (str_is_empty(playlist))
		return look_end(flow, step, STEP_UNKNOWN);
	struct buf url;
	buf_init(&url, env->arena, URL_MAX_BYTES);
	buf_add_z(&url, API_URL "/playlistItems?part=contentDetails,snippet&playlistId=");
	percent_encode(&url, playlist);
	buf_addf(&url, "&maxResults=%d", LOOK_COUNT);
	call_bearer(env, step_send(step, CALL_READ, "GET", buf_str(&url)), env->access_token);
	return NULL;
}

static bool look_is_answered(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status == 200 &&
	       json_is(json_get(reply->json, "items"), JSON_TYPE_ARRAY);
}

static const char *uploads_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (!look_is_answered(reply))
		return look_refused(env, flow, reply, step);
	const struct json *items = json_get(reply->json, "items");
	look_matches_begin(flow, step);
	for (size_t i = 0; i < items->count; i++) {
		const struct json *snippet = json_get(json_at(items, i), "snippet");
		const struct json *details = json_get(json_at(items, i), "contentDetails");
		const struct str id = json_string(json_get(details, "videoId"));
		if (!str_is_empty(id) &&
		    look_is_since(env, flow, json_string(json_get(snippet, "publishedAt"))) &&
		    look_texts_equal(env->arena, json_string(json_get(snippet, "title")),
				     video_title(env)))
			look_match_add(step, id, watch_url(env, id));
	}
	return look_matches_end(step);
}

static const char *threads_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf url;
	buf_init(&url, env->arena, URL_MAX_BYTES);
	buf_add_z(&url, API_URL "/commentThreads?part=snippet&videoId=");
	percent_encode(&url, flow->parts[0].remote_id);
	buf_add_z(&url, "&order=time&maxResults=100");
	call_bearer(env, step_send(step, CALL_READ, "GET", buf_str(&url)), env->access_token);
	return NULL;
}

static bool is_our_comment(const struct env *env, struct flow *flow, const struct json *comment)
{
	const struct json *snippet = json_get(comment, "snippet");
	const struct str author =
		json_string(json_get(json_get(snippet, "authorChannelId"), "value"));
	return str_equal(author, env->platform_account_id) &&
	       look_is_since(env, flow, json_string(json_get(snippet, "publishedAt"))) &&
	       look_texts_equal(env->arena, json_string(json_get(snippet, "textOriginal")),
				env->post->containers[flow_part(flow)].content);
}

static const char *threads_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (!look_is_answered(reply))
		return look_refused(env, flow, reply, step);
	const struct json *items = json_get(reply->json, "items");
	look_matches_begin(flow, step);
	for (size_t i = 0; i < items->count; i++) {
		const struct json *comment = top_comment(json_at(items, i));
		const struct str id = json_string(json_get(comment, "id"));
		if (!str_is_empty(id) && is_our_comment(env, flow, comment))
			look_match_add(step, id, comment_url(env, flow, id));
	}
	return look_matches_end(step);
}

static const struct stage resolve_stages[] = {
	{"doubt", doubt_ask, answer_unexpected},
	{"session", probe_session_ask, probe_session_answer},
	{"uploads", uploads_ask, uploads_answer},
	{"threads", threads_ask, threads_answer},
	{0},
};

static void youtube_resolve(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	stages_run_probe(resolve_stages, env, flow, reply, step);
}

/* ---- rules: section 3 ---- */

static bool has_angle_bracket(struct str text)
{
	return str_find_char(text, '<', 0) != SIZE_MAX || str_find_char(text, '>', 0) != SIZE_MAX;
}

int64_t youtube_tags_length(const struct json *tags)
{
	int64_t length = 0;
	for (size_t i = 0; json_at(tags, i) != NULL; i++) {
		const struct str tag = json_string(json_at(tags, i));
		length += (int64_t)utf8_code_points(tag) + (i > 0 ? 1 : 0);
		length += str_find_char(tag, ' ', 0) != SIZE_MAX ? 2 : 0;
	}
	return length;
}

struct check {
	const struct post_content *post;
	const struct json *options;
	struct str account_id;
	struct problems *problems;
};

static struct str content_field(const struct check *check)
{
	return rules_field(check->problems->arena, check->post, 0, "content");
}

static void check_add(const struct check *check, struct str field, const char *reason,
		      int64_t limit, int64_t actual, const char *message)
{
	problem_add_rule(check->problems, field, reason, check->account_id, limit, actual,
			 str_of(message));
}

static void title_check(const struct check *check)
{
	const struct str given = json_string(json_get(check->options, "title"));
	const struct str title = youtube_title(given, check->post->containers[0].content);
	const struct str field =
		str_is_empty(given) ? content_field(check) : STR("platforms.youtube.title");
	const int64_t length = (int64_t)utf8_code_points(title);
	if (length == 0)
		check_add(check, field, "title_missing", -1, -1,
			  "A YouTube video needs a title: give the option title or a text.");
	if (length > TITLE_MAX_CHARACTERS)
		check_add(check, field, "title_too_long", TITLE_MAX_CHARACTERS, length,
			  "The title is longer than YouTube allows.");
	if (has_angle_bracket(title))
		check_add(check, field, "title_characters", -1, -1,
			  "YouTube allows no < and > in a title.");
}

static void description_check(const struct check *check)
{
	const struct str given = json_string(json_get(check->options, "description"));
	const bool is_given = !str_is_empty(given);
	const struct str content = check->post->containers[0].content;
	if (has_angle_bracket(is_given ? given : content))
		check_add(check,
			  is_given ? STR("platforms.youtube.description") : content_field(check),
			  "description_characters", -1, -1,
			  "YouTube allows no < and > in a description.");
}

static void options_check(const struct check *check)
{
	const int64_t tags_length = youtube_tags_length(json_get(check->options, "tags"));
	if (tags_length > TAGS_MAX_CHARACTERS)
		check_add(check, STR("platforms.youtube.tags"), "tags_too_long",
			  TAGS_MAX_CHARACTERS, tags_length,
			  "The tags are longer together than YouTube allows.");
	if (check->post->container_count > 1 &&
	    json_bool(json_get(check->options, "selfDeclaredMadeForKids"), false))
		check_add(check, STR("containers.1"), "comments_off_for_kids", -1, -1,
			  "YouTube has no comments under videos made for kids.");
}

static bool is_warned(const struct problems *problems, const char *code)
{
	for (size_t i = 0; i < problems->warning_count; i++) {
		if (str_equal_z(problems->warnings[i].code, code))
			return true;
	}
	return false;
}

static void youtube_check(const struct post_content *post, enum post_type type,
			  struct str account_id, struct problems *problems)
{
	(void)type;
	const struct check check = {post, rules_options(post, PLATFORM_YOUTUBE), account_id,
				    problems};
	title_check(&check);
	description_check(&check);
	options_check(&check);
	if (json_is_null(json_get(check.options, "privacyStatus")) &&
	    !is_warned(problems, "youtube_privacy_default"))
		warning_add(problems, STR("platforms.youtube.privacyStatus"),
			    "youtube_privacy_default",
			    STR("No privacyStatus was given: the video will be public."));
}

/* ---- data ---- */

static const struct oauth_profile youtube_oauth = {
	.authorize_url = "https://accounts.google.com/o/oauth2/v2/auth",
	.client_id_name = "client_id",
	.scopes = {SCOPE_URL "youtube.upload", SCOPE_URL "youtube.readonly",
		   SCOPE_URL "youtube.force-ssl"},
	.scope_separator = " ",
	.pkce = PKCE_S256_BASE64URL,
	.extra = {{"access_type", "offline"},
		  {"prompt", "consent"}}, /* both: else no refresh token (1.1) */
	.denied_errors = {"access_denied"},
};

static const struct type_rule youtube_types[] = {
	{
		.type = POST_TYPE_VIDEO,
		.videos_min = 1,
		.videos_max = 1,
		.media_min = 1,
		.media_max = 1,
		.summary = "One video; square or taller and up to 180 s it shows as a Short",
	},
	{0},
};

static const struct option_rule youtube_options[] = {
	{"title", OPTION_STRING, 0, NULL,
	 "Title, at most 100 characters; else the first line of the text"},
	{"description", OPTION_STRING, DESCRIPTION_MAX_BYTES, NULL, "Description; else the text"},
	{"tags", OPTION_STRING_LIST, 0, NULL, "Tags, at most 500 characters together"},
	{"categoryId", OPTION_STRING, 0, NULL,
	 "YouTube's number of the category; 22 (People & Blogs) when not given"},
	{"privacyStatus", OPTION_ENUM, 0, "public|unlisted|private",
	 "Who sees the video; public when not given"},
	{"selfDeclaredMadeForKids", OPTION_BOOL, 0, NULL,
	 "The video is made for kids (COPPA); false when not given"},
	{"containsSyntheticMedia", OPTION_BOOL, 0, NULL,
	 "The video shows realistic altered or synthetic content"},
	{"license", OPTION_ENUM, 0, "youtube|creativeCommon", "Licence of the video"},
	{"embeddable", OPTION_BOOL, 0, NULL, "The video may be embedded elsewhere"},
	{"publicStatsViewable", OPTION_BOOL, 0, NULL, "Everybody may see the video's statistics"},
	{"notifySubscribers", OPTION_BOOL, 0, NULL,
	 "Subscribers are told of the video; true when not given"},
	{"defaultLanguage", OPTION_STRING, 0, NULL, "Language of title and description"},
	{"defaultAudioLanguage", OPTION_STRING, 0, NULL, "Language spoken in the video"},
	{0},
};

static const struct post_rules youtube_rules = {
	.types = youtube_types,
	.text_unit = TEXT_BYTES,
	.text_max = DESCRIPTION_MAX_BYTES,
	.comment_text_max = COMMENT_MAX_BYTES,
	.comments_max = POST_CONTAINERS_MAX - 1,
	.options = youtube_options,
	.check = youtube_check,
};

const struct platform platform_youtube = {
	.slug = "youtube",
	.id = PLATFORM_YOUTUBE,
	.oauth = &youtube_oauth,
	.rules = &youtube_rules,
	.verify = youtube_verify,
	.connect = youtube_connect,
	.refresh = youtube_refresh,
	.publish = youtube_publish,
	.resolve = youtube_resolve,
};
