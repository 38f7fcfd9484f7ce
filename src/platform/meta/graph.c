/* SPDX-License-Identifier: Apache-2.0
 * Graph calls and lists (meta.md 1, 7). Errors are graph_error.c's, Facebook Login is
 * graph_login.c's. Only plain requests: real verbs, a versioned path, no batch and no method
 * override, because v26.0 removed older habits for every version (meta.md 1). */
#include "graph.h"

#include <inttypes.h>
#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "timetext.h"

#include "form.h"
#include "hex.h"
#include "json.h"
#include "json_write.h"

#include "answer.h"
#include "resolver.h"
#include "multipart.h"
#include "rules.h"

/* ---- which login ---- */

bool graph_is_instagram_login(const struct env *env)
{
	return str_equal_z(env->variant, GRAPH_LOGIN_INSTAGRAM) ||
	       str_equal_z(json_string(json_get(env->account_extra, GRAPH_EXTRA_LOGIN)),
			   GRAPH_LOGIN_INSTAGRAM);
}

/* ---- calls ---- */

void graph_form_init(const struct env *env, struct buf *form)
{
	buf_init(form, env->arena, GRAPH_FORM_MAX_BYTES);
}

/* meta.md 1, "Proof of app": HMAC-SHA256 of the token under the app secret. Apps can demand
 * it, none refuses it. */
static struct str proof_of(const struct env *env, struct str token)
{
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;
	const struct str secret = str_trim(env->client_secret);
	crypto_auth_hmacsha256_init(&state, (const unsigned char *)secret.ptr, secret.len);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)token.ptr, token.len);
	crypto_auth_hmacsha256_final(&state, mac);
	sodium_memzero(&state, sizeof(state));
	return hex_encode(env->arena, (struct str){(const char *)mac, sizeof(mac)});
}

static struct str url_of(const struct env *env, struct str path)
{
	return str_format(env->arena, "https://%s/" STR_FMT "/" STR_FMT,
			  graph_is_instagram_login(env) ? GRAPH_LOGIN_HOST : GRAPH_HOST,
			  STR_ARG(env->settings->graph_version), STR_ARG(path));
}

struct call *graph_call(const struct env *env, struct step *step, enum call_kind kind,
			const char *method, struct str path, struct str token, struct buf *form)
{
	const bool has_body = str_equal_z(str_of(method), "POST");
	/* Only Facebook Login's documents know the proof. */
	if (!str_is_empty(token) && !graph_is_instagram_login(env))
		form_add(form, "appsecret_proof", proof_of(env, token));
	struct str url = url_of(env, path);
	if (!has_body && form->len > 0)
		url = str_format(env->arena, STR_FMT "?" STR_FMT, STR_ARG(url),
				 STR_ARG(buf_str(form)));
	struct call *call = step_send(step, kind, method, url);
	if (!str_is_empty(token))
		call_bearer(env, call, token);
	if (has_body)
		call_form(call, buf_str(form));
	return call;
}

struct call *graph_call_multipart(const struct env *env, struct step *step, enum call_kind kind,
				  struct str path, struct str token, struct multipart *body)
{
	multipart_field(body, "appsecret_proof", proof_of(env, token));
	struct call *call = step_send(step, kind, "POST", url_of(env, path));
	call_bearer(env, call, token);
	multipart_end(body, call);
	return call;
}

/* meta.md 3.2, step 2: the address is used exactly as it was given, and this host alone wants the
 * scheme OAuth. */
struct call *graph_call_upload(const struct env *env, struct step *step, struct str upload_url,
			       struct str token, size_t media_index, int64_t offset_bytes)
{
	const int64_t size_bytes = env->media[media_index].size_bytes;
	struct call *call = step_send(step, CALL_PREPARE, "POST", upload_url);
	call_header(call, "Authorization", str_concat(env->arena, STR("OAuth "), token));
	call_header(call, "Content-Type", STR("application/octet-stream"));
	call_header(call, "offset", str_format(env->arena, "%" PRId64, offset_bytes));
	call_header(call, "file_size", str_format(env->arena, "%" PRId64, size_bytes));
	call->has_media_body = true;
	call->media_index = media_index;
	call->media_offset_bytes = offset_bytes;
	call->media_length_bytes = size_bytes - offset_bytes;
	return call;
}

struct str graph_option_text(const struct env *env, const char *name)
{
	const struct json *value = json_get(env->options, name);
	struct buf text;
	struct json_writer w;
	if (json_is_null(value))
		return (struct str){0};
	if (json_is(value, JSON_TYPE_STRING))
		return json_string(value);
	buf_init(&text, env->arena, GRAPH_FORM_MAX_BYTES);
	json_writer_init(&w, &text);
	json_put_value(&w, value);
	return buf_str(&text);
}

void graph_options_add(const struct env *env, struct buf *form, const struct option_rule *options)
{
	for (const struct option_rule *option = options; option->name != NULL; option++) {
		const struct str value = graph_option_text(env, option->name);
		if (!str_is_empty(value))
			form_add(form, option->name, value);
	}
}

int64_t graph_instant_us(const struct env *env, struct str text)
{
	int64_t us = 0;
	const struct str utc = STR("+0000");
	if (str_has_suffix(text, utc))
		text = str_concat(env->arena, str_slice(text, 0, text.len - utc.len), STR("Z"));
	return timetext_parse_instant(text, &us) ? us : 0;
}

/* ---- looking ---- */

bool graph_text_is(const struct env *env, const struct json *text, struct str sent)
{
	const struct str found = json_string(text);
	return found.len <= 2 * sent.len + 64 && resolver_texts_equal(env->arena, found, sent);
}

const char *graph_resolve_list(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step, const char *url_name,
			       bool (*is_ours)(const struct env *env, const struct flow *flow,
					       const struct json *item))
{
	const struct json *list = json_get(reply->json, "data");
	if (!graph_is_ok(reply) || !json_is(list, JSON_TYPE_ARRAY)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	resolver_matches_begin(flow, step);
	for (size_t i = 0; i < list->count; i++) {
		const struct json *item = &list->items[i];
		const struct str id = answer_id(env, json_get(item, "id"));
		if (!str_is_empty(id) && is_ours(env, flow, item))
			resolver_match_add(step, id,
					   answer_url(env, json_string(json_get(item, url_name))));
	}
	return resolver_matches_end(step);
}

enum reader { READER_ACCOUNT, READER_USER, READER_ACCOUNT_ONLY };

struct str graph_reader_token(const struct env *env, const struct flow *flow)
{
	return flow_get_int(flow, GRAPH_KEY_READS_AS_USER, READER_ACCOUNT) == READER_USER &&
			       !str_is_empty(env->extra_secret)
		       ? env->extra_secret
		       : env->access_token;
}

bool graph_read_as_user(const struct env *env, struct flow *flow, const struct reply *reply)
{
	struct graph_error error;
	const int64_t reader = flow_get_int(flow, GRAPH_KEY_READS_AS_USER, READER_ACCOUNT);
	if (!graph_error_read(reply, &error))
		return false;
	const bool is_missing = error.code == 100 && error.subcode == 33;
	const bool is_dead = error.class == FAILURE_REAUTH;
	if (reader == READER_ACCOUNT && is_missing && !str_is_empty(env->extra_secret))
		flow_set_int(flow, GRAPH_KEY_READS_AS_USER, READER_USER);
	else if (reader == READER_USER && (is_missing || is_dead))
		flow_set_int(flow, GRAPH_KEY_READS_AS_USER, READER_ACCOUNT_ONLY);
	else
		return false;
	return true;
}

bool graph_read_as_user_when_dead(const struct env *env, struct flow *flow,
				  const struct reply *reply)
{
	struct graph_error error;
	if (graph_read_as_user(env, flow, reply))
		return true;
	if (!graph_error_read(reply, &error) || error.class != FAILURE_REAUTH ||
	    str_is_empty(env->extra_secret) ||
	    flow_get_int(flow, GRAPH_KEY_READS_AS_USER, READER_ACCOUNT) != READER_ACCOUNT)
		return false;
	flow_set_int(flow, GRAPH_KEY_READS_AS_USER, READER_USER);
	return true;
}

const char *graph_no_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	(void)flow;
	graph_step_fail(env, reply, step);
	return NULL;
}
