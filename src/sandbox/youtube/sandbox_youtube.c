/* SPDX-License-Identifier: Apache-2.0
 * The simulated YouTube: Google's OAuth, the one channel, error bodies, the daily quota and the
 * table of routes (platforms/youtube.md 1, 3, 4). Uploads are sandbox_youtube_upload.c, what is read and
 * commented sandbox_youtube_videos.c. */
#include "sandbox_youtube.h"

#include "count_of.h"
#include "timetext.h"

#include "sandbox_avatar.h"

#define SCOPE_PREFIX "https://www.googleapis.com/auth/"
/* Not documented; ten minutes is the longest that RFC 6749 4.1.2 recommends. */
#define CODE_LIFETIME_S 600
#define ACCESS_LIFETIME_S 3599 /* 1.4 */
#define AVATAR_HOST "yt3.ggpht.com"
#define FORM_BYTES_MAX (64 * 1024)
/* Of one request. DESIGN.md section 7: media files up to 4 GiB. */
#define UPLOAD_BYTES_MAX ((size_t)4 << 30)
#define THUMBNAIL_BYTES_MAX ((size_t)50 * 1000 * 1000) /* section 0: 50 MB since 2026-09-14 */

/* The scopes the app may ask for (1.2, and Google's own sign-in words). */
static const struct {
	const char *name;
	unsigned bit;
} scopes[] = {
	{SCOPE_PREFIX "youtube.upload", YOUTUBE_SCOPE_UPLOAD},
	{SCOPE_PREFIX "youtube.readonly", YOUTUBE_SCOPE_READONLY},
	{SCOPE_PREFIX "youtube.force-ssl", YOUTUBE_SCOPE_FORCE_SSL},
	{SCOPE_PREFIX "youtube", YOUTUBE_SCOPE_FULL},
	{SCOPE_PREFIX "userinfo.email", 0},
	{SCOPE_PREFIX "userinfo.profile", 0},
	{"openid", 0},
	{"email", 0},
	{"profile", 0},
};
#define SCOPE_COUNT COUNT_OF(scopes)

static const struct {
	int64_t per_day; /* section 0 */
	struct youtube_error error;
	const char *message;
} buckets[YOUTUBE_BUCKET_COUNT] = {
	[YOUTUBE_BUCKET_UNITS] =
		{10000,
		 {403, "quotaExceeded", "youtube.quota", NULL},
		 "The request cannot be completed because you have exceeded your quota."},
	[YOUTUBE_BUCKET_UPLOADS] =
		{100,
		 {429, "rateLimitExceeded", "global", "RESOURCE_EXHAUSTED"},
		 "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per "
		 "day' of "
		 "service 'youtube.googleapis.com' for consumer 'project_number:1'."},
};

/* ---- Answers ---- */

void sandbox_youtube_refuse(struct sandbox_call *call, struct youtube_error error,
			    const char *message)
{
	struct json_writer w;

	sandbox_answer(call, error.status, &w);
	json_begin_object(&w);
	json_key(&w, "error");
	json_begin_object(&w);
	json_member_int(&w, "code", error.status);
	json_member_str(&w, "message", str_of(message));
	json_key(&w, "errors");
	json_begin_array(&w);
	json_begin_object(&w);
	json_member_str(&w, "message", str_of(message));
	json_member_str(&w, "domain", str_of(error.domain));
	json_member_str(&w, "reason", str_of(error.reason));
	json_end_object(&w);
	json_end_array(&w);
	if (error.grpc_status != NULL)
		json_member_str(&w, "status", str_of(error.grpc_status));
	json_end_object(&w);
	json_end_object(&w);
}

void sandbox_youtube_refuse_parameter(struct sandbox_call *call, const char *reason,
				      const char *message)
{
	sandbox_youtube_refuse(
		call, (struct youtube_error){400, reason, "global", "INVALID_ARGUMENT"}, message);
}

/* The flat shape of the token endpoint (1.5). */
static void refuse_oauth(struct sandbox_call *call, int status, const char *error,
			 const char *description)
{
	struct json_writer w;

	sandbox_answer(call, status, &w);
	json_begin_object(&w);
	json_member_str(&w, "error", str_of(error));
	json_member_str(&w, "error_description", str_of(description));
	json_end_object(&w);
}

/* ---- Consent ---- */

/* Every word must be one of ours, and there must be one. */
static bool are_scopes_known(struct str asked, size_t *count_out)
{
	struct str in = asked;
	struct str word;
	size_t count = 0;

	while (str_take_field(&in, ' ', &word)) {
		bool is_known = str_is_empty(word);

		for (size_t i = 0; i < SCOPE_COUNT && !is_known; i++)
			is_known = str_equal_z(word, scopes[i].name);
		if (!is_known)
			return false;
		count += word.len > 0;
	}
	*count_out = count;
	return count > 0;
}

/* Google shows its own page for all of these, nothing returns to the app (1.3). */
static bool may_authorize(struct sandbox_call *call, size_t *scope_count_out)
{
	struct str method = sandbox_query(call, "code_challenge_method");

	if (!sandbox_client_id_is(SANDBOX_YOUTUBE, sandbox_query(call, "client_id"))) {
		sandbox_error_page(call, 401, "Error 401: invalid_client",
				   STR("The OAuth client was not found."));
		return false;
	}
	if (!sandbox_redirect_is_registered(call, sandbox_query(call, "redirect_uri"))) {
		sandbox_error_page(
			call, 400, "Error 400: redirect_uri_mismatch",
			STR("The redirect URI in the request does not match a registered one."));
		return false;
	}
	if (!str_equal_z(sandbox_query(call, "response_type"), "code")) {
		sandbox_error_page(call, 400, "Error 400: unsupported_response_type",
				   STR("The response_type must be code."));
		return false;
	}
	if (!are_scopes_known(sandbox_query(call, "scope"), scope_count_out)) {
		sandbox_error_page(call, 400, "Error 400: invalid_scope",
				   STR("Some requested scopes were invalid or missing."));
		return false;
	}
	if (!str_is_empty(sandbox_query(call, "code_challenge")) && !str_is_empty(method) &&
	    !str_equal_z(method, "S256") && !str_equal_z(method, "plain")) {
		sandbox_error_page(call, 400, "Error 400: invalid_request",
				   STR("Invalid code_challenge_method."));
		return false;
	}
	return true;
}

/* The user may untick scopes one by one (1.2). */
static struct sandbox_choice *make_choices(struct sandbox_call *call, size_t count)
{
	struct sandbox_choice *choices = ARENA_ARRAY(call->arena, struct sandbox_choice, count);
	struct str in = sandbox_query(call, "scope");
	struct str word;
	size_t i = 0;

	while (str_take_field(&in, ' ', &word)) {
		if (!str_is_empty(word))
			choices[i++] = (struct sandbox_choice){
				.id = word, .label = word, .is_ticked = true};
	}
	return choices;
}

static struct str join_ticked(struct sandbox_call *call, const struct sandbox_choice *choices,
			      size_t count)
{
	struct buf scope;

	buf_init(&scope, call->arena, 8192);
	for (size_t i = 0; i < count; i++) {
		if (!sandbox_consent_has(call, &choices[i]))
			continue;
		if (buf_str(&scope).len > 0)
			buf_add_char(&scope, ' ');
		buf_add(&scope, choices[i].id);
	}
	return buf_str(&scope);
}

static enum sandbox_pkce pkce_of(struct sandbox_call *call)
{
	if (str_is_empty(sandbox_query(call, "code_challenge")))
		return SANDBOX_PKCE_NONE;
	return str_equal_z(sandbox_query(call, "code_challenge_method"), "S256")
		       ? SANDBOX_PKCE_S256
		       : SANDBOX_PKCE_PLAIN;
}

/* A refresh token comes for offline access, and on a repeated consent only when it was asked for
 * (1.1). */
static bool wants_refresh(struct sandbox_call *call)
{
	const struct youtube_state *state = call->state;

	return str_equal_z(sandbox_query(call, "access_type"), "offline") &&
	       (!state->has_granted || sandbox_scope_has(sandbox_query(call, "prompt"), "consent"));
}

static void grant_code(struct sandbox_call *call, struct str scope)
{
	const struct sandbox_code code = {
		.platform = SANDBOX_YOUTUBE,
		.prefix = STR("4/0A"), /* with a slash: whoever forgets to decode the code fails */
		.client_id = sandbox_query(call, "client_id"),
		.redirect_uri = sandbox_query(call, "redirect_uri"),
		.scope = scope,
		.subject = STR(YOUTUBE_CHANNEL_ID),
		.choices = wants_refresh(call) ? STR("offline") : STR("online"),
		.pkce = pkce_of(call),
		.challenge = sandbox_query(call, "code_challenge"),
		.lifetime_s = CODE_LIFETIME_S,
	};
	const struct sandbox_pair pairs[] = {
		{"state", sandbox_query(call, "state")},
		{"code", sandbox_code_issue(call->sandbox, &code)},
		{"scope", scope},
		{"authuser", STR("0")},
		{"prompt", STR("consent")},
	};

	sandbox_redirect(call, sandbox_query(call, "redirect_uri"), pairs, COUNT_OF(pairs));
}

static void authorize(struct sandbox_call *call)
{
	struct sandbox_consent_page page = {.user_name =
						    STR("Posthorn Sandbox (posthorn@example.com)")};
	const struct sandbox_pair refused[] = {
		{"error", STR("access_denied")},
		{"state", sandbox_query(call, "state")},
	};

	if (!may_authorize(call, &page.choice_count))
		return;
	page.scope = sandbox_query(call, "scope");
	page.choose_text = "What may it do?";
	page.choices = make_choices(call, page.choice_count);
	switch (sandbox_consent(call, &page)) {
	case SANDBOX_CONSENT_ASKED:
		return;
	case SANDBOX_CONSENT_DENIED:
		sandbox_redirect(call, sandbox_query(call, "redirect_uri"), refused, 2);
		return;
	case SANDBOX_CONSENT_ALLOWED:
		grant_code(call, join_ticked(call, page.choices, page.choice_count));
		return;
	}
}

/* ---- Tokens ---- */

static bool is_client(struct sandbox_call *call)
{
	switch (sandbox_client_check(SANDBOX_YOUTUBE, sandbox_form(call, "client_id"),
				     sandbox_form(call, "client_secret"))) {
	case SANDBOX_CLIENT_OK:
		return true;
	case SANDBOX_CLIENT_UNKNOWN:
		refuse_oauth(call, 401, "invalid_client", "The OAuth client was not found.");
		return false;
	case SANDBOX_CLIENT_BAD_SECRET:
		refuse_oauth(call, 401, "invalid_client", "Unauthorized");
		return false;
	}
	return false;
}

static bool has_fields(struct sandbox_call *call, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!str_is_empty(sandbox_form(call, names[i])))
			continue;
		refuse_oauth(
			call, 400, "invalid_request",
			str_z(call->arena,
			      str_format(call->arena, "Missing required parameter: %s", names[i])));
		return false;
	}
	return true;
}

static struct sandbox_token *issue(struct sandbox_call *call, enum sandbox_token_kind kind,
				   struct str scope)
{
	bool is_access = kind == SANDBOX_TOKEN_ACCESS;
	const struct sandbox_token pattern = {
		.platform = SANDBOX_YOUTUBE,
		.kind = kind,
		.prefix = is_access ? STR("ya29.") : STR("1//0"),
		.random_length = is_access ? 200 : 100,
		.client_id = sandbox_form(call, "client_id"),
		.subject = STR(YOUTUBE_CHANNEL_ID),
		.scope = scope,
		.lifetime_s = is_access ? ACCESS_LIFETIME_S : 0,
	};

	return sandbox_token_issue(call->sandbox, &pattern);
}

/* refresh is NULL on a refresh: the old one stays good and is not repeated (1.4). */
static void answer_tokens(struct sandbox_call *call, const struct sandbox_token *access,
			  const struct sandbox_token *refresh)
{
	struct json_writer w;

	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "access_token", access->text);
	json_member_int(&w, "expires_in", ACCESS_LIFETIME_S);
	if (refresh != NULL)
		json_member_str(&w, "refresh_token", refresh->text);
	json_member_str(&w, "scope", access->scope);
	json_member_str(&w, "token_type", STR("Bearer"));
	json_end_object(&w);
}

static void give_tokens(struct sandbox_call *call, const struct sandbox_code *code)
{
	struct youtube_state *state = call->state;
	struct sandbox_token *access = issue(call, SANDBOX_TOKEN_ACCESS, code->scope);
	struct sandbox_token *refresh = NULL;

	if (str_equal_z(code->choices, "offline")) {
		refresh = issue(call, SANDBOX_TOKEN_REFRESH, code->scope);
		access->partner = refresh;
		state->has_granted = true;
	}
	answer_tokens(call, access, refresh);
}

static void exchange_code(struct sandbox_call *call)
{
	static const char *const fields[] = {"code", "redirect_uri"};
	struct sandbox_code *code = NULL;

	if (!has_fields(call, fields, 2))
		return;
	switch (sandbox_code_redeem(call->sandbox, SANDBOX_YOUTUBE, sandbox_form(call, "code"),
				    sandbox_form(call, "client_id"),
				    sandbox_form(call, "redirect_uri"),
				    sandbox_form(call, "code_verifier"), &code)) {
	case SANDBOX_REDEEM_OK:
		give_tokens(call, code);
		return;
	case SANDBOX_REDEEM_UNKNOWN:
		refuse_oauth(call, 400, "invalid_grant", "Malformed auth code.");
		return;
	case SANDBOX_REDEEM_EXPIRED:
	case SANDBOX_REDEEM_USED:
	case SANDBOX_REDEEM_CLIENT:
		refuse_oauth(call, 400, "invalid_grant", "Bad Request");
		return;
	case SANDBOX_REDEEM_REDIRECT:
		refuse_oauth(call, 400, "redirect_uri_mismatch", "Bad Request");
		return;
	case SANDBOX_REDEEM_VERIFIER:
		refuse_oauth(call, 400, "invalid_grant",
			     str_is_empty(sandbox_form(call, "code_verifier"))
				     ? "Missing code verifier."
				     : "Invalid code verifier.");
		return;
	}
}

static void exchange_refresh(struct sandbox_call *call)
{
	static const char *const fields[] = {"refresh_token"};
	struct sandbox_token *refresh;
	struct sandbox_token *access;

	if (!has_fields(call, fields, 1))
		return;
	refresh = sandbox_token_find(call->sandbox, SANDBOX_YOUTUBE,
				     sandbox_form(call, "refresh_token"));
	if (refresh == NULL || refresh->kind != SANDBOX_TOKEN_REFRESH ||
	    !sandbox_token_is_live(call->sandbox, refresh)) {
		refuse_oauth(call, 400, "invalid_grant", "Token has been expired or revoked.");
		return;
	}
	access = issue(call, SANDBOX_TOKEN_ACCESS, refresh->scope);
	access->partner = refresh;
	answer_tokens(call, access, NULL);
}

/* The client is looked at before the grant: the probe of 1.6 rests on it. */
static void token(struct sandbox_call *call)
{
	static const char *const fields[] = {"grant_type", "client_id"};
	struct str grant_type = sandbox_form(call, "grant_type");

	if (!has_fields(call, fields, 2) || !is_client(call))
		return;
	if (str_equal_z(grant_type, "authorization_code"))
		exchange_code(call);
	else if (str_equal_z(grant_type, "refresh_token"))
		exchange_refresh(call);
	else
		refuse_oauth(call, 400, "unsupported_grant_type", "Invalid grant_type");
}

/* Revoking either token ends the grant: an access token looks at its refresh token too. */
static bool is_usable(struct sandbox_call *call, const struct sandbox_token *candidate)
{
	return candidate != NULL && candidate->kind == SANDBOX_TOKEN_ACCESS &&
	       sandbox_token_is_live(call->sandbox, candidate) &&
	       (candidate->partner == NULL || !candidate->partner->is_revoked);
}

static void revoke(struct sandbox_call *call)
{
	struct sandbox_token *found =
		sandbox_token_find(call->sandbox, SANDBOX_YOUTUBE, sandbox_param(call, "token"));

	if (found == NULL || !sandbox_token_is_live(call->sandbox, found)) {
		refuse_oauth(call, 400, "invalid_token", "Token expired or revoked");
		return;
	}
	found->is_revoked = true;
	if (found->partner != NULL)
		found->partner->is_revoked = true;
	sandbox_answer_json(call, 200, "{}");
}

/* ---- The gate ---- */

static struct sandbox_token *token_of(struct sandbox_call *call)
{
	return sandbox_token_find(call->sandbox, SANDBOX_YOUTUBE,
				  sandbox_authorization(call, "Bearer"));
}

static void refuse_token(struct sandbox_call *call)
{
	sandbox_youtube_refuse(
		call, (struct youtube_error){401, "authError", "global", "UNAUTHENTICATED"},
		"Invalid Credentials");
}

bool sandbox_youtube_enter_session(struct sandbox_call *call)
{
	if (str_is_empty(sandbox_authorization(call, "Bearer"))) {
		sandbox_youtube_refuse(call,
				       (struct youtube_error){401, "authorizationRequired",
							      "global", "UNAUTHENTICATED"},
				       "The request must be authorized.");
		return false;
	}
	if (is_usable(call, token_of(call)))
		return true;
	refuse_token(call);
	return false;
}

static bool has_scope(struct sandbox_call *call, unsigned wanted)
{
	for (size_t i = 0; i < SCOPE_COUNT; i++) {
		if ((scopes[i].bit & wanted) != 0 &&
		    sandbox_scope_has(token_of(call)->scope, scopes[i].name))
			return true;
	}
	return false;
}

/* ---- Quota ---- */

static int64_t nth_sunday(int year, int month, int nth)
{
	int64_t first = timetext_day_number(timetext_date_us((struct civil_date){year, month, 1}));
	int64_t weekday = (first + 4) % 7; /* 1970-01-01 was a Thursday; 0 = Sunday */

	return first + (7 - weekday) % 7 + 7 * (nth - 1);
}

/* The day in California: quotas reset at its midnight, 08:00 UTC in winter and 07:00 in summer
 * (section 3), summer being from the second Sunday of March to the first of November. */
static int64_t pacific_day(struct arena *arena, int64_t now_us)
{
	int64_t winter_us = now_us - 8 * US_PER_HOUR;
	int64_t day = timetext_day_number(winter_us);
	struct civil_date date = {1970, 1, 1};

	timetext_parse_date(str_slice(timetext_format_instant(arena, now_us), 0, 10), &date);
	if (winter_us >= nth_sunday(date.year, 3, 2) * US_PER_DAY + 2 * US_PER_HOUR &&
	    winter_us < nth_sunday(date.year, 11, 1) * US_PER_DAY + US_PER_HOUR)
		return timetext_day_number(now_us - 7 * US_PER_HOUR);
	return day;
}

static bool take_quota(struct sandbox_call *call, enum youtube_bucket bucket, int64_t cost)
{
	struct youtube_state *state = call->state;
	int64_t day = pacific_day(call->arena, call->now_us);

	if (day != state->quota_day) {
		memset(state->quota_used, 0, sizeof(state->quota_used));
		state->quota_day = day;
	}
	if (state->quota_used[bucket] + cost > buckets[bucket].per_day) {
		sandbox_youtube_refuse(call, buckets[bucket].error, buckets[bucket].message);
		return false;
	}
	state->quota_used[bucket] += cost;
	return true;
}

bool sandbox_youtube_enter(struct sandbox_call *call, unsigned wanted, enum youtube_bucket bucket,
			   int64_t cost)
{
	if (!sandbox_youtube_enter_session(call) || !take_quota(call, bucket, cost))
		return false;
	if (has_scope(call, wanted))
		return true;
	sandbox_youtube_refuse(call,
			       (struct youtube_error){403, "insufficientPermissions", "global",
						      "PERMISSION_DENIED"},
			       "Request had insufficient authentication scopes.");
	return false;
}

bool sandbox_youtube_has_part(struct sandbox_call *call, const char *part)
{
	return sandbox_scope_has(sandbox_query(call, "part"), part);
}

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	if (retry_after_s > 0)
		sandbox_answer_header(call, "Retry-After",
				      str_format(call->arena, "%lld", (long long)retry_after_s));
	sandbox_youtube_refuse(
		call,
		(struct youtube_error){429, "rateLimitExceeded", "global", "RESOURCE_EXHAUSTED"},
		"Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of "
		"service "
		"'youtube.googleapis.com' for consumer 'project_number:1'.");
}

/* ---- The channel ---- */

static void put_thumbnail(struct json_writer *w, const char *size, int64_t pixels, struct str url)
{
	json_key(w, size);
	json_begin_object(w);
	json_member_str(w, "url", url);
	json_member_int(w, "width", pixels);
	json_member_int(w, "height", pixels);
	json_end_object(w);
}

static void put_channel(struct sandbox_call *call, struct json_writer *w)
{
	struct str avatar_url = sandbox_url(call, AVATAR_HOST, STR("/channel"));

	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#channel"));
	json_member_str(w, "etag", STR("sandbox-channel"));
	json_member_str(w, "id", STR(YOUTUBE_CHANNEL_ID));
	if (sandbox_youtube_has_part(call, "snippet")) {
		json_key(w, "snippet");
		json_begin_object(w);
		json_member_str(w, "title", STR(YOUTUBE_CHANNEL_TITLE));
		json_member_str(w, "description", STR(""));
		json_member_str(w, "customUrl", STR(YOUTUBE_CHANNEL_HANDLE));
		json_member_str(w, "publishedAt", STR("2020-01-01T00:00:00Z"));
		json_key(w, "thumbnails");
		json_begin_object(w);
		put_thumbnail(w, "default", 88, avatar_url);
		put_thumbnail(w, "medium", 240, avatar_url);
		put_thumbnail(w, "high", 800, avatar_url);
		json_end_object(w);
		json_end_object(w);
	}
	if (sandbox_youtube_has_part(call, "contentDetails")) {
		json_key(w, "contentDetails");
		json_begin_object(w);
		json_key(w, "relatedPlaylists");
		json_begin_object(w);
		json_member_str(w, "likes", STR(""));
		json_member_str(w, "uploads", STR(YOUTUBE_UPLOADS_ID));
		json_end_object(w);
		json_end_object(w);
	}
	if (sandbox_youtube_has_part(call, "status")) {
		json_key(w, "status");
		json_begin_object(w);
		json_member_str(w, "privacyStatus", STR("public"));
		json_member_bool(w, "isLinked", true);
		json_member_str(w, "longUploadsStatus", STR("allowed"));
		json_end_object(w);
	}
	json_end_object(w);
}

static void channels_list(struct sandbox_call *call)
{
	bool is_asked = str_equal_z(sandbox_query(call, "mine"), "true") ||
			sandbox_scope_has(sandbox_query(call, "id"), YOUTUBE_CHANNEL_ID);
	struct json_writer w;

	if (!sandbox_youtube_enter(
		    call, YOUTUBE_SCOPE_READONLY | YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL,
		    YOUTUBE_BUCKET_UNITS, 1))
		return;
	if (str_is_empty(sandbox_query(call, "part"))) {
		sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
						 "Required parameter: part");
		return;
	}
	if (!is_asked && str_is_empty(sandbox_query(call, "id"))) {
		sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
						 "No filter selected. Expected one of: mine, id");
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "kind", STR("youtube#channelListResponse"));
	json_member_str(&w, "etag", STR("sandbox-channels"));
	json_key(&w, "pageInfo");
	json_begin_object(&w);
	json_member_int(&w, "totalResults", is_asked ? 1 : 0);
	json_member_int(&w, "resultsPerPage", 5);
	json_end_object(&w);
	/* Google leaves "items" out when there is none (1.7: "empty or missing"). */
	if (is_asked) {
		json_key(&w, "items");
		json_begin_array(&w);
		put_channel(call, &w);
		json_end_array(&w);
	}
	json_end_object(&w);
}

static void avatar(struct sandbox_call *call)
{
	sandbox_avatar_answer(call, "PS", "#c4302b");
}

/* ---- The module ---- */

static const struct sandbox_route routes[] = {
	{"GET", "/accounts.google.com/o/oauth2/v2/auth", authorize, HTTP_BODY_NONE, 0},
	{"POST", "/oauth2.googleapis.com/token", token, HTTP_BODY_MEMORY, FORM_BYTES_MAX},
	{"POST", "/oauth2.googleapis.com/revoke", revoke, HTTP_BODY_MEMORY, FORM_BYTES_MAX},
	{"GET", YOUTUBE_API "/channels", channels_list, HTTP_BODY_NONE, 0},
	{"POST", YOUTUBE_UPLOAD "/videos", sandbox_youtube_upload_start, HTTP_BODY_MEMORY, 0},
	{"PUT", YOUTUBE_UPLOAD "/videos", sandbox_youtube_upload_put, HTTP_BODY_FILE,
	 UPLOAD_BYTES_MAX},
	{"POST", YOUTUBE_UPLOAD "/thumbnails/set", sandbox_youtube_thumbnail_set, HTTP_BODY_FILE,
	 THUMBNAIL_BYTES_MAX},
	{"GET", YOUTUBE_API "/videos", sandbox_youtube_videos_list, HTTP_BODY_NONE, 0},
	{"DELETE", YOUTUBE_API "/videos", sandbox_youtube_videos_delete, HTTP_BODY_NONE, 0},
	{"GET", YOUTUBE_API "/playlistItems", sandbox_youtube_playlist_items_list, HTTP_BODY_NONE,
	 0},
	{"POST", YOUTUBE_API "/commentThreads", sandbox_youtube_comment_threads_insert,
	 HTTP_BODY_MEMORY, 0},
	{"GET", YOUTUBE_API "/commentThreads", sandbox_youtube_comment_threads_list, HTTP_BODY_NONE,
	 0},
	{"POST", YOUTUBE_API "/comments", sandbox_youtube_comments_insert, HTTP_BODY_MEMORY, 0},
	{"GET", "/" AVATAR_HOST "/channel", avatar, HTTP_BODY_NONE, 0},
};

const struct sandbox_module sandbox_youtube = {
	.platform = SANDBOX_YOUTUBE,
	.routes = routes,
	.route_count = COUNT_OF(routes),
	.state_size_bytes = sizeof(struct youtube_state),
	.token_of = token_of,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = refuse_token,
	.render_error = sandbox_youtube_render_error,
};
