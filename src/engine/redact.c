/* SPDX-License-Identifier: Apache-2.0
 * See redact.h. */
#include "redact.h"

#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"

#define SECRET_MIN_BYTES 8
#define FORMS 3                         /* of each secret */
#define SECRETS_MAX (6 + FLOW_VARS_MAX) /* and one for each file */

struct secrets {
	struct str *items;
	size_t count;
};

static struct str slashes_escaped(struct arena *arena, struct str s)
{
	struct buf out;
	buf_init(&out, arena, s.len * 2);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '/')
			buf_add_char(&out, '\\');
		buf_add_char(&out, s.ptr[i]);
	}
	return buf_str(&out);
}

static struct str percent_encoded(struct arena *arena, struct str s)
{
	struct buf out;
	buf_init(&out, arena, s.len * 3);
	percent_encode(&out, s);
	return buf_str(&out);
}

static void secret_add(struct secrets *secrets, struct arena *arena, struct str secret)
{
	if (secret.len < SECRET_MIN_BYTES)
		return;
	const struct str forms[FORMS] = {secret, slashes_escaped(arena, secret),
					 percent_encoded(arena, secret)};
	secrets->items[secrets->count++] = forms[0];
	for (size_t i = 1; i < FORMS; i++) {
		if (!str_equal(forms[i], secret))
			secrets->items[secrets->count++] = forms[i];
	}
}

/* Longest first: one may be part of another. */
static int by_length(const void *a, const void *b)
{
	const size_t a_len = ((const struct str *)a)->len;
	const size_t b_len = ((const struct str *)b)->len;
	return (a_len < b_len) - (a_len > b_len);
}

static struct str last_segment(struct str url)
{
	size_t from = url.len;
	while (from > 0 && url.ptr[from - 1] != '/')
		from--;
	return str_slice(url, from, url.len);
}

/* The address of our copy is a secret: it is all that is needed to fetch the customer's file. */
static size_t files_of(const struct env *env)
{
	if (env->post == NULL || env->media == NULL)
		return 0;
	return post_media_total(env->post) + env->file_count;
}

static struct secrets *secrets_of(struct arena *arena, const struct env *env,
				  const struct flow *flow)
{
	struct secrets *secrets = ARENA_NEW(arena, struct secrets);
	const size_t file_count = files_of(env);
	secrets->items = ARENA_ARRAY(arena, struct str, (SECRETS_MAX + file_count) * FORMS);
	secret_add(secrets, arena, env->access_token);
	secret_add(secrets, arena, env->refresh_token);
	secret_add(secrets, arena, env->client_secret);
	secret_add(secrets, arena, env->code);
	secret_add(secrets, arena, env->pkce_verifier);
	secret_add(secrets, arena, env->extra_secret);
	for (size_t i = 0; i < file_count; i++)
		secret_add(secrets, arena, last_segment(env->media[i].hosted_url));
	for (size_t i = 0; i < flow->var_count; i++) {
		if (flow->vars[i].is_secret)
			secret_add(secrets, arena, flow->vars[i].value);
	}
	qsort(secrets->items, secrets->count, sizeof(secrets->items[0]), by_length);
	return secrets;
}

static struct str without(struct arena *arena, struct str text, struct str secret)
{
	size_t at = str_find(text, secret, 0);
	if (at == SIZE_MAX)
		return text;
	struct buf out;
	size_t from = 0;
	buf_init(&out, arena, text.len);
	for (; at != SIZE_MAX; at = str_find(text, secret, from)) {
		buf_add(&out, str_slice(text, from, at));
		buf_add_z(&out, "***");
		from = at + secret.len;
	}
	buf_add(&out, str_slice(text, from, text.len));
	return buf_str(&out);
}

/* Returns how many bytes at the end of text are the beginning of the secret. */
static size_t begun_bytes(struct str text, struct str secret)
{
	size_t count = secret.len - 1 < text.len ? secret.len - 1 : text.len;
	while (count >= SECRET_MIN_BYTES && !str_has_suffix(text, str_slice(secret, 0, count)))
		count--;
	return count >= SECRET_MIN_BYTES ? count : 0;
}

struct str redact_secrets(struct arena *arena, struct str text, const struct env *env,
			  const struct flow *flow)
{
	if (text.len < SECRET_MIN_BYTES)
		return text;
	const struct secrets *secrets = secrets_of(arena, env, flow);
	size_t cut = 0;
	for (size_t i = 0; i < secrets->count; i++)
		text = without(arena, text, secrets->items[i]);
	for (size_t i = 0; i < secrets->count; i++) {
		const size_t begun = begun_bytes(text, secrets->items[i]);
		cut = begun > cut ? begun : cut;
	}
	return cut > 0 ? str_concat(arena, str_slice(text, 0, text.len - cut), STR("***")) : text;
}

void redact_failure(struct arena *arena, struct failure *failure, const struct env *env,
		    const struct flow *flow)
{
	struct str *const texts[] = {&failure->message, &failure->platform_code,
				     &failure->platform_message};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = redact_secrets(arena, *texts[i], env, flow);
}
