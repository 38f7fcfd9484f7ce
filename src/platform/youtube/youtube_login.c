/* SPDX-License-Identifier: Apache-2.0
 * Google's tokens and the channel behind them (platforms/youtube.md 1): verify, connect,
 * refresh. */
#include "youtube_adapter.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json_write.h"

#include "stages.h"
#include "token_answer.h"

#define TOKEN_URL "https://oauth2.googleapis.com/token"

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
	credentials_refused(youtube_token_refusals, env, reply, step);
	return NULL;
}

const struct stage youtube_verify_stages[] = {
	{YOUTUBE_STAGE_PROBE, verify_ask, verify_answer},
	{0},
};

/* ---- connect: 1.4 and 1.7 ---- */

static const char *const needed_scopes[] = {YOUTUBE_SCOPE_URL "youtube.upload",
					    YOUTUBE_SCOPE_URL "youtube.readonly",
					    YOUTUBE_SCOPE_URL "youtube.force-ssl", NULL};

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
		exchange_refused(youtube_token_refusals, env, reply, step);
		return NULL;
	}
	if (scopes_missing_fail(env, answer.scope, needed_scopes, step))
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

static struct str channel_avatar(const struct json *snippet)
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
			 struct str long_uploads, bool is_private_only)
{
	struct buf extra;
	struct json_writer w;
	buf_init(&extra, env->arena, YOUTUBE_BODY_MAX_BYTES);
	json_writer_init(&w, &extra);
	json_begin_object(&w);
	json_member_str(&w, "uploads_playlist", uploads_playlist);
	json_member_str(&w, "long_uploads", long_uploads);
	if (is_private_only)
		json_member_bool(&w, "private_only", true);
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
		json_string(json_get(json_get(channel, "status"), "longUploadsStatus")), false);
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

const struct stage youtube_connect_stages[] = {
	{YOUTUBE_STAGE_EXCHANGE, exchange_ask, exchange_answer},
	{YOUTUBE_STAGE_CHANNEL, channel_ask, channel_answer},
	{0},
};

/* ---- refresh: 1.4. No new refresh token comes with it: the old one stays. ---- */

static const char *refresh_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	struct buf form;
	if (refresh_form_begin(env, &form, step))
		token_send(env, step, &form);
	return NULL;
}

static const char *refresh_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	(void)flow;
	refresh_answered(youtube_token_refusals, env, reply, step);
	return NULL;
}

const struct stage youtube_refresh_stages[] = {
	{YOUTUBE_STAGE_TOKEN, refresh_ask, refresh_answer},
	{0},
};
