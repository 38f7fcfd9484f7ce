/* SPDX-License-Identifier: Apache-2.0
 * Authorization: the Authorization header, the app that its access token or key belongs to, and the
 * scopes of a key (api-decisions.md 14). A token that was good a moment ago lets a body be read
 * (bearer_admit); whether the call is made is decided when the body is there, by the database
 * (bearer_check). */
#include "api_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "token.h"

#define KEY_PREFIX "phk_"

#define KNOWN_PLACES 1024
#define KNOWN_US (10 * US_PER_S)
#define APP_ID_MAX_BYTES 64

struct known_token {
	struct digest digest;
	int64_t until_us; /* 0 = an empty place */
	char app_id[APP_ID_MAX_BYTES + 1];
};

/* A token has one place; the last that was good has it. */
struct bearer_known {
	pthread_mutex_t mutex;
	struct known_token places[KNOWN_PLACES];
};

bool bearer_authorization(const struct http_request *request, struct str *scheme_out,
			  struct str *rest_out)
{
	if (http_request_header_count(request, "Authorization") != 1)
		return false;
	const struct str value = str_trim(*http_request_header(request, "Authorization"));
	const size_t blank = str_find_char(value, ' ', 0);
	*scheme_out = str_slice(value, 0, blank);
	*rest_out = blank == SIZE_MAX ? STR("") : str_trim(str_slice(value, blank, value.len));
	return true;
}

static bool respond_no_token(struct http_response *response)
{
	http_response_header(response, "WWW-Authenticate", STR("Bearer"));
	respond_error(response, 401, "UNAUTHENTICATED",
		      STR("No access token was sent. Send one as Authorization: Bearer TOKEN."));
	return false;
}

/* RFC 6750, 3.1 */
static bool respond_bad_token(struct http_response *response, bool is_key)
{
	http_response_header(response, "WWW-Authenticate", STR("Bearer error=\"invalid_token\""));
	respond_error(
		response, 401, "UNAUTHENTICATED",
		is_key ? STR("This key is not valid: it has expired, or it was revoked. Create "
			     "another one in the dashboard or with posthorn key create.")
		       : STR("This access token is not valid: it has expired, or a newer one "
			     "replaced it. Get one with POST /v1/oauth/token."));
	return false;
}

/* The token of the one Authorization header with the scheme Bearer. */
static bool read_token(const struct http_request *request, struct str *token_out)
{
	struct str scheme;
	return bearer_authorization(request, &scheme, token_out) &&
	       str_equal_nocase(scheme, STR("Bearer")) && !str_is_empty(*token_out);
}

static bool is_key(struct str token)
{
	return str_has_prefix(token, STR(KEY_PREFIX));
}

enum err_kind bearer_find(const struct api *api, const struct http_request *request,
			  struct api_caller *caller_out, struct error *err)
{
	const int64_t now_us = clock_now_us(api->config.clock);
	struct api_caller caller = {.scopes = SCOPES_ANY};
	enum err_kind kind = ERR_NONE;
	struct str token;
	if (!read_token(request, &token))
		return error_set(err, ERR_NOT_FOUND, "no token");
	const struct digest digest = digest_token(token);
	const struct str hash = digest_hex(request->arena, &digest);
	if (is_key(token)) {
		kind = store_key_find(api->config.store, request->arena, hash, now_us, &caller.key,
				      &caller.app, err);
		caller.scopes = caller.key.scopes;
	} else {
		kind = store_token_find(api->config.store, request->arena, hash, now_us,
					&caller.app, err);
	}
	*caller_out = caller;
	return kind;
}

static bool respond_unauthenticated(const struct http_request *request,
				    struct http_response *response)
{
	struct str token;
	if (!read_token(request, &token))
		return respond_no_token(response);
	return respond_bad_token(response, is_key(token));
}

/* ---- scopes ---- */

/* RFC 6750, 3.1 */
static bool respond_no_scope(const struct http_request *request, struct http_response *response,
			     enum scope required)
{
	const struct api_caller *caller = request_caller(request);
	struct arena *arena = response->arena;
	struct json_writer w;
	http_response_header(response, "WWW-Authenticate",
			     str_format(arena, "Bearer error=\"insufficient_scope\", scope=\"%s\"",
					scope_name(required)));
	respond_error_begin(response, 403, "INSUFFICIENT_SCOPE",
			    str_format(arena,
				       "This key lacks the scope %s, which this call needs. It "
				       "has: " STR_FMT ".",
				       scope_name(required),
				       STR_ARG(scope_set_text(arena, caller->scopes, ", "))),
			    &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_str(&w, "required", str_of(scope_name(required)));
	json_end_object(&w);
	json_end_object(&w);
	return false;
}

/* Of a set of several any will do; no route's row has more than one and less than all. */
bool bearer_may_call(const struct http_request *request, struct http_response *response,
		     unsigned scopes)
{
	enum scope first = 0;
	while (first < SCOPE_COUNT - 1 && (scopes & 1U << first) == 0)
		first++;
	return (request_caller(request)->scopes & scopes) != 0 ||
	       respond_no_scope(request, response, first);
}

/* ---- the last use ---- */

/* The key and the second, as one number. */
static uint64_t note_of(const struct key_row *key, int64_t now_us)
{
	uint32_t halves[2] = {0};
	memcpy(halves, key->token_hash.ptr, sizeof(halves));
	return (uint64_t)(halves[0] ^ halves[1]) << 32 | (uint32_t)(now_us / US_PER_S);
}

/* Written about once a minute, and by one request at a time: the others of that second go on. A
 * failure is nothing to the call; the next use tries again. */
static void note_use(struct api *api, const struct key_row *key)
{
	const int64_t now_us = clock_now_us(api->config.clock);
	struct error err = {0};
	if (str_is_empty(key->id) ||
	    now_us - key->last_used_at_us < KEY_USE_WRITTEN_EVERY_S * US_PER_S)
		return;
	const uint64_t note = note_of(key, now_us);
	/* Two keys in one slot write more often; none of them goes without its write. */
	if (atomic_exchange(&api->key_notes[(note >> 32) % KEY_NOTE_SLOTS], note) == note)
		return;
	if (store_key_touch(api->config.store, key->id, now_us, &err) != ERR_NONE)
		LOG(api->config.log, DEBUG, "key_use_not_written", log_str("key", key->id),
		    log_str("error", str_of(err.text)));
}

/* ---- all of it ---- */

bool bearer_check(struct api *api, struct http_request *request, struct http_response *response)
{
	const struct api_route *route = request->route->tag;
	struct api_caller *caller = ARENA_NEW(request->arena, struct api_caller);
	struct error err = {0};
	const enum err_kind kind = bearer_find(api, request, caller, &err);
	if (kind == ERR_NOT_FOUND)
		return respond_unauthenticated(request, response);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return false;
	}
	if (caller->app.state == APP_SUSPENDED) {
		respond_error(response, 403, "app_not_active", STR("The app is not active."));
		return false;
	}
	request->user = caller;
	request->caller = caller->app.id;
	note_use(api, &caller->key);
	/* A client of tus looks where it is (HEAD), with whatever may upload. What validate needs
	 * says its body, and it judges that itself. */
	const bool takes_media = (request->is_head && route->handler == api_tus_head) ||
				 route->handler == api_post_validate;
	const unsigned also = takes_media ? (unsigned)SCOPES_MEDIA : 0U;
	return bearer_may_call(request, response, route->scopes | also);
}

bool api_find_app(struct api *api, struct http_request *request, struct http_response *response,
		  struct app_row *app_out)
{
	struct api_caller caller = {0};
	struct error err = {0};
	const enum err_kind kind = bearer_find(api, request, &caller, &err);
	if (kind == ERR_NOT_FOUND || (kind == ERR_NONE && !str_is_empty(caller.key.id)))
		return respond_unauthenticated(request, response);
	*app_out = caller.app;
	if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	else if (caller.app.state == APP_SUSPENDED)
		respond_error(response, 403, "app_not_active", STR("The app is not active."));
	else
		api_is_within_rate(api, caller.app.id, true, response);
	return response->status == 0;
}

/* ---- with the headers ---- */

struct bearer_known *bearer_known_new(void)
{
	struct bearer_known *known = calloc(1, sizeof(*known));
	if (known != NULL)
		pthread_mutex_init(&known->mutex, NULL);
	return known;
}

void bearer_known_free(struct bearer_known **known)
{
	if (*known == NULL)
		return;
	pthread_mutex_destroy(&(*known)->mutex);
	free(*known);
	*known = NULL;
}

static struct known_token *place_of(struct bearer_known *known, const struct digest *digest)
{
	uint32_t number;
	memcpy(&number, digest_str(digest).ptr, sizeof(number));
	return &known->places[number % KNOWN_PLACES];
}

static void known_put(struct api *api, const struct digest *digest, struct str app_id)
{
	struct known_token *place = place_of(api->known, digest);
	if (app_id.len > APP_ID_MAX_BYTES)
		return;
	pthread_mutex_lock(&api->known->mutex);
	*place = (struct known_token){.digest = *digest,
				      .until_us = clock_boot_us(api->config.clock) + KNOWN_US};
	memcpy(place->app_id, app_id.ptr, app_id.len);
	pthread_mutex_unlock(&api->known->mutex);
}

/* Copies the app's id into arena. */
static bool known_find(struct api *api, const struct digest *digest, struct arena *arena,
		       struct str *app_id_out)
{
	const struct known_token *place = place_of(api->known, digest);
	pthread_mutex_lock(&api->known->mutex);
	const bool is_known = digest_equal(&place->digest, digest) &&
			      place->until_us > clock_boot_us(api->config.clock);
	if (is_known)
		*app_id_out = str_copy(arena, str_of(place->app_id));
	pthread_mutex_unlock(&api->known->mutex);
	return is_known;
}

enum http_admission bearer_admit(struct api *api, struct http_request *request,
				 struct http_response *response, bool may_wait)
{
	struct str token, app_id;
	if (!read_token(request, &token)) {
		respond_no_token(response);
		return HTTP_REFUSED;
	}
	const struct digest digest = digest_token(token);
	if (!known_find(api, &digest, request->arena, &app_id)) {
		if (!may_wait)
			return HTTP_MUST_WAIT;
		if (!bearer_check(api, request, response))
			return HTTP_REFUSED;
		app_id = request_app(request)->id;
		known_put(api, &digest, app_id);
	}
	return api_is_within_rate(api, app_id, false, response) ? HTTP_ADMITTED : HTTP_REFUSED;
}
