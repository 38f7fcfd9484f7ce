/* SPDX-License-Identifier: Apache-2.0
 * What may be an id, a cursor or an address in a platform's answer. */
#include "answer.h"

#include <string.h>

#include "count_of.h"

#include "json.h"
#include "url.h"

#include "request_limits.h"

#include "platform.h"

/* Shorter ones would be found by chance. */
#define SECRET_MIN_BYTES 8

static bool holds_secret(const struct env *env, struct str text)
{
	const struct str secrets[] = {env->access_token, env->refresh_token, env->client_secret,
				      env->extra_secret};
	for (size_t i = 0; i < COUNT_OF(secrets); i++) {
		if (secrets[i].len >= SECRET_MIN_BYTES && str_find(text, secrets[i], 0) != SIZE_MAX)
			return true;
	}
	return false;
}

static bool is_id_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-._~:,()@=+%", c) != NULL);
}

static bool is_made_of(struct str text, char also)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!is_id_char(text.ptr[i]) && text.ptr[i] != also)
			return false;
	}
	return true;
}

/* They would change the path of a later call. */
static bool is_dots(struct str text)
{
	return str_equal_z(text, ".") || str_equal_z(text, "..");
}

struct str answer_id_of(const struct env *env, struct str text)
{
	const bool is_id = text.len <= ANSWER_ID_MAX_BYTES && is_made_of(text, '-') &&
			   !is_dots(text) && !holds_secret(env, text);
	return is_id ? text : STR("");
}

struct str answer_id(const struct env *env, const struct json *value)
{
	return answer_id_of(env, json_text(env->arena, value));
}

struct str answer_cursor(const struct env *env, const struct json *value)
{
	const struct str text = json_text(env->arena, value);
	const bool is_cursor = text.len <= ANSWER_CURSOR_MAX_BYTES && is_made_of(text, '/') &&
			       !holds_secret(env, text);
	return is_cursor ? text : STR("");
}

struct str answer_url(const struct env *env, struct str text)
{
	struct url parsed;
	const bool is_url = text.len <= HTTP_URL_MAX_BYTES && !str_has_control(text) &&
			    url_parse(env->arena, text, &parsed, NULL) == ERR_NONE &&
			    !holds_secret(env, text);
	return is_url ? text : STR("");
}
