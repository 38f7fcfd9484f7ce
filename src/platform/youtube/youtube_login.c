/* SPDX-License-Identifier: Apache-2.0
 * Google's tokens and the channel that they stand for (youtube.md 1): verify, connect,
 * refresh. */
#include "youtube_adapter.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json_write.h"

#include "answer.h"
#include "oauth_exchange.h"

/* ---- tokens: 1.4 to 1.6 ---- */

/* Of a code that cannot exist Google says what is wrong with the app before what is wrong with the
 * code (1.6). No new refresh token comes with a refresh: the old one stays (1.4). */
const struct oauth_exchange youtube_exchange = {
	.token_url = "https://oauth2.googleapis.com/token",
	.refusals = youtube_token_refusals,
	.verify_code = "credential-check",
	.verified_errors = {"invalid_grant", "redirect_uri_mismatch"},
};

/* ---- connect: 1.4 and 1.7 ---- */

static const char *const needed_scopes[] = {YOUTUBE_SCOPE_URL "youtube.upload",
					    YOUTUBE_SCOPE_URL "youtube.readonly",
					    YOUTUBE_SCOPE_URL "youtube.force-ssl", NULL};

static const char *exchange_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	if (!oauth_exchange_read(env, reply, &answer, step) ||
	    token_scopes_missing_fail(env, answer.scope, needed_scopes, step))
		return NULL;
	token_answer_keep(flow, &answer);
	return YOUTUBE_STAGE_CHANNEL;
}

static const char *channel_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct call *call = step_send(
		step, CALL_READ, "GET",
		STR(YOUTUBE_API_URL "/channels?part=snippet,contentDetails,status&mine=true"));
	call_bearer(env, call, flow_get(flow, TOKEN_KEY_ACCESS));
	return NULL;
}

struct str youtube_channel_avatar(const struct json *snippet)
{
	static const char *const sizes[] = {"high", "medium", "default"};
	const struct json *thumbnails = json_get(snippet, "thumbnails");
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		const struct str url = json_string(json_get(json_get(thumbnails, sizes[i]), "url"));
		if (!str_is_empty(url))
			return url;
	}
	return (struct str){0};
}

struct str youtube_extra(const struct env *env, struct str uploads_playlist,
			 struct str long_uploads, enum youtube_audit audit)
{
	struct buf extra;
	struct json_writer w;
	buf_init(&extra, env->arena, YOUTUBE_BODY_MAX_BYTES);
	json_writer_init(&w, &extra);
	json_begin_object(&w);
	json_member_str(&w, "uploads_playlist", uploads_playlist);
	json_member_str(&w, "long_uploads", long_uploads);
	if (audit != YOUTUBE_AUDIT_UNKNOWN)
		json_member_bool(&w, "private_only", audit == YOUTUBE_AUDIT_MISSING);
	json_end_object(&w);
	return buf_str(&extra);
}

/* The list of uploads (5) and how long a video may be (1.7). */
static struct str channel_extra(const struct env *env, const struct json *channel)
{
	const struct json *playlists =
		json_get(json_get(channel, "contentDetails"), "relatedPlaylists");
	return youtube_extra(
		env, json_string(json_get(playlists, "uploads")),
		json_string(json_get(json_get(channel, "status"), "longUploadsStatus")),
		YOUTUBE_AUDIT_UNKNOWN);
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
	const struct refusal_facts facts = youtube_facts(reply);
	if (reply->status == 401 && facts.marker_count > 0 &&
	    str_equal_z(facts.markers[0], "youtubeSignupRequired")) {
		channel_missing(step);
		return NULL;
	}
	if (youtube_is_refused(env, reply, step) || step_fail_unreadable(step, reply))
		return NULL;
	const struct json *channel = json_at(json_get(reply->json, "items"), 0);
	const struct json *snippet = json_get(channel, "snippet");
	const struct str id = answer_id_of(env, json_string(json_get(channel, "id")));
	if (str_is_empty(id)) {
		channel_missing(step);
		return NULL;
	}
	struct account_found *account = ARENA_NEW(env->arena, struct account_found);
	*account = (struct account_found){
		.platform_account_id = id,
		.username = json_string(json_get(snippet, "customUrl")),
		.name = json_string(json_get(snippet, "title")),
		.avatar_url = youtube_channel_avatar(snippet),
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

const struct stage youtube_connect_stages[] = {
	{OAUTH_STAGE_EXCHANGE, oauth_exchange_ask, exchange_answer},
	{YOUTUBE_STAGE_CHANNEL, channel_ask, channel_answer},
	{0},
};
