/* SPDX-License-Identifier: Apache-2.0
 * What LinkedIn's calls share: how one is made (linkedin.md 2.1) and what a refusal means
 * (section 4). What is asked for is none of this. */
#include "answer.h"

#include "linkedin_adapter.h"

#include "buf.h"

#include "form.h"

#define URL_MAX_BYTES 4096

/* ---- errors: section 4 ---- */

const struct refusal linkedin_token_refusals[] = {
	REFUSAL(0, "invalid_client", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"LinkedIn refused the app's client id or secret."),
	REFUSAL(0, "invalid_client_id", NULL, APP, APP_CREDENTIALS_INVALID, BY_SCHEDULE,
		"LinkedIn does not know the app's client id."),
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, MINUTE,
		"LinkedIn's rate limit for token requests is reached."),
	REFUSAL(0, "invalid_redirect_uri", NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"LinkedIn refused the authorization code: it has expired, or its redirect URL "
		"differs."),
	REFUSAL(0, NULL, NULL, REAUTH, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"LinkedIn no longer accepts this authorization."),
	{0},
};

#define TOKEN_ROW(marker) \
	REFUSAL(0, marker, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE, \
		"LinkedIn refused the access token.")
#define MEDIA_ROW(status, marker, sentence) \
	REFUSAL(status, marker, NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE, sentence)

const struct refusal linkedin_api_refusals[] = {
	REFUSAL(426, NULL, NULL, APP, PLATFORM_REJECTED, BY_SCHEDULE,
		"LinkedIn no longer serves the configured API version; the operator must set a "
		"newer one."),
	REFUSAL(0, "VERSION_MISSING", NULL, APP, INTERNAL_ERROR, BY_SCHEDULE,
		"No LinkedIn API version is configured; the operator must set one."),
	REFUSAL(401, NULL, NULL, TOKEN, ACCOUNT_REAUTH_REQUIRED, BY_SCHEDULE,
		"LinkedIn refused the access token."),
	TOKEN_ROW("65600"),
	TOKEN_ROW("65601"),
	TOKEN_ROW("65602"),
	TOKEN_ROW("INVALID_ACCESS_TOKEN"),
	TOKEN_ROW("REVOKED_ACCESS_TOKEN"),
	TOKEN_ROW("EXPIRED_ACCESS_TOKEN"),
	TOKEN_ROW("EMPTY_ACCESS_TOKEN"),
	REFUSAL(429, NULL, "APPLICATION DAY", RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_UTC,
		"The app's LinkedIn quota for today is used up."),
	REFUSAL(429, NULL, "DAY", RATE_LIMITED, QUOTA_EXHAUSTED, MIDNIGHT_UTC,
		"The member's LinkedIn quota for today is used up."),
	/* In practice the day's quota, of which every try takes one (4). */
	REFUSAL(429, NULL, NULL, RATE_LIMITED, RATE_LIMITED, QUARTER_TO_MIDNIGHT_UTC,
		"LinkedIn's rate limit is reached; usually it is the quota of the day."),
	REFUSAL(403, NULL, "hrottle limit", RATE_LIMITED, RATE_LIMITED, QUARTER_TO_MIDNIGHT_UTC,
		"LinkedIn's rate limit is reached; usually it is the quota of the day."),
	REFUSAL(0, "DUPLICATE_POST", NULL, PERMANENT, DUPLICATE_CONTENT, BY_SCHEDULE,
		"LinkedIn says this content was already posted."),
	REFUSAL(0, NULL, "is a duplicate of", PERMANENT, DUPLICATE_CONTENT, BY_SCHEDULE,
		"LinkedIn says this content was already posted."),
	REFUSAL(0, NULL, "Unable to obtain activity", TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn is still processing the post to comment on."),
	/* Every file of a post is uploaded by us, for its author: right after that it may not be
	 * known everywhere (4). */
	REFUSAL(403, NULL, "resource is forbidden", TRANSIENT, PERMISSION_MISSING, BY_SCHEDULE,
		"LinkedIn does not let the post use its media file; right after an upload that may "
		"pass."),
	REFUSAL(403, NULL, NULL, PERMANENT, PERMISSION_MISSING, BY_SCHEDULE,
		"LinkedIn refused this: a scope, or a role on the page, is missing."),
	REFUSAL(0, NULL, "Organization permissions must be used", PERMANENT, PERMISSION_MISSING,
		BY_SCHEDULE,
		"LinkedIn requires the page permissions; connect the account again and grant "
		"them."),
	REFUSAL(0, "MEDIA_ASSET_WAITING_UPLOAD", NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn is still processing a media file."),
	REFUSAL(0, "EXPIRED_UPLOAD_URL", NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn's upload URL has expired."),
	MEDIA_ROW(0, "MEDIA_ASSET_PROCESSING_FAILED", "LinkedIn could not process a media file."),
	MEDIA_ROW(0, "INVALID_VIDEO_ID", "LinkedIn does not know the uploaded video."),
	MEDIA_ROW(413, NULL, "LinkedIn says a media file is too large."),
	MEDIA_ROW(415, NULL, "LinkedIn does not accept this kind of media file."),
	REFUSAL(404, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"LinkedIn cannot find what this refers to; it may have been deleted."),
	REFUSAL(409, NULL, NULL, TRANSIENT, PLATFORM_UNAVAILABLE, BY_SCHEDULE,
		"LinkedIn reports a conflict with another change."),
	REFUSAL(400, NULL, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"LinkedIn refused the content of the post."),
	REFUSAL(422, NULL, NULL, PERMANENT, CONTENT_REJECTED, BY_SCHEDULE,
		"LinkedIn refused the content of the post."),
	REFUSAL(0, NULL, NULL, PERMANENT, PLATFORM_REJECTED, BY_SCHEDULE,
		"LinkedIn refused the request."),
	{0},
};

static bool is_code_char(char c)
{
	return (c >= 'A' && c <= 'Z') || c == '_';
}

/* The last place where LinkedIn hides a code: UPPER_CASE words inside the message. */
static void markers_add_from_message(struct refusal_facts *facts)
{
	size_t start = 0;
	for (size_t i = 0; i <= facts->message.len; i++) {
		if (i < facts->message.len && is_code_char(facts->message.ptr[i]))
			continue;
		const struct str word = str_slice(facts->message, start, i);
		if (str_find_char(word, '_', 1) != SIZE_MAX)
			refusal_marker_add(facts, word);
		start = i + 1;
	}
}

/* Any field may be missing; they are read in the order of section 4. */
struct refusal_facts linkedin_facts(const struct env *env, const struct reply *reply)
{
	const struct json *body = reply->json;
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(body, "message")),
	};
	refusal_marker_add(&facts, json_string(json_get(body, "code")));
	refusal_marker_add(&facts, json_text(env->arena, json_get(body, "serviceErrorCode")));
	const struct json *inputs = json_get(json_get(body, "errorDetails"), "inputErrors");
	for (size_t i = 0; json_at(inputs, i) != NULL; i++)
		refusal_marker_add(&facts, json_string(json_get(json_at(inputs, i), "code")));
	markers_add_from_message(&facts);
	facts.is_readable = facts.marker_count > 0 || !str_is_empty(facts.message);
	return facts;
}

const char *linkedin_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = linkedin_facts(env, reply);
	refusal_fail(linkedin_api_refusals, env, &facts, reply, step);
	/* The version is a setting of the service; every account meets the same answer (section
	 * 8). */
	step->failure.needs_operator =
		reply->status == 426 || str_equal_z(step->failure.platform_code, "VERSION_MISSING");
	return NULL;
}

bool linkedin_is_refused(const struct env *env, const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return true;
	if (reply->status == 200)
		return false;
	linkedin_fail(env, reply, step);
	return true;
}

/* ---- calls ---- */

struct call *linkedin_send(const struct env *env, struct str token, struct step *step,
			   enum call_kind kind, const char *method, struct str url)
{
	struct call *call = step_send(step, kind, method, url);
	call_bearer(env, call, token);
	call_header(call, "LinkedIn-Version", env->settings->linkedin_version);
	call_header(call, "X-Restli-Protocol-Version", STR("2.0.0"));
	return call;
}

struct str linkedin_url(const struct env *env, const char *before, struct str urn,
			const char *after)
{
	struct buf url;
	buf_init(&url, env->arena, URL_MAX_BYTES);
	buf_add_z(&url, before);
	percent_encode(&url, urn);
	buf_add_z(&url, after);
	return buf_str(&url);
}

bool linkedin_is_page(const struct env *env)
{
	return env->account_type == ACCOUNT_ORGANIZATION;
}

struct str linkedin_author_urn(const struct env *env)
{
	return str_concat(env->arena,
			  linkedin_is_page(env) ? STR(LINKEDIN_ORGANIZATION_URN)
						: STR(LINKEDIN_PERSON_URN),
			  env->platform_account_id);
}

struct str linkedin_post_url(const struct env *env, struct str urn)
{
	return str_format(env->arena, "https://www.linkedin.com/feed/update/" STR_FMT "/",
			  STR_ARG(urn));
}

/* Created things are named in a header; older spelling second (2.1). */
struct str linkedin_created_id(const struct env *env, const struct reply *reply)
{
	const struct str id = reply_header(reply, "x-restli-id");
	return answer_id_of(env, str_is_empty(id) ? reply_header(reply, "x-linkedin-id") : id);
}

struct str linkedin_comments_url(const struct env *env, const struct flow *flow)
{
	return linkedin_url(env, LINKEDIN_REST_URL LINKEDIN_PATH_SOCIAL_ACTIONS "/",
			    flow->parts[0].remote_id, "/comments");
}

struct str linkedin_comment_urn(const struct env *env, const struct json *comment)
{
	const struct str urn = answer_id_of(env, json_string(json_get(comment, "commentUrn")));
	return str_is_empty(urn) ? answer_id(env, json_get(comment, "id")) : urn;
}
