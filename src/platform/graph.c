/* SPDX-License-Identifier: Apache-2.0
 * Graph calls, errors and Facebook Login (platforms/meta.md 1, 2, 6). Only plain requests: real
 * verbs, a versioned path, no batch and no method override, because v26.0 removed older habits for
 * every version (meta.md section 1). */
#include "graph.h"

#include <inttypes.h>
#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "timetext.h"

#include "form.h"
#include "hex.h"
#include "httpdate.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "look.h"
#include "rules.h"
#include "stages.h"

#define GRAPH_HOST "https://graph.facebook.com/"
#define GRAPH_MESSAGE_MAX_BYTES 500
#define GRAPH_RATE_WAIT_MS (15 * 60 * 1000) /* meta.md 6.1: else 15 to 60 minutes */
#define GRAPH_RATE_WAIT_MAX_MINUTES (24 * 60)
#define GRAPH_READS_MAX 200 /* lists of Pages that one connect reads */
#define GRAPH_BUSINESSES_MAX 50
#define GRAPH_FOUND_MAX_BYTES (480 * 1024) /* 200 Pages at 2.4 KiB */

/* ---- calls ---- */

void graph_form_init(const struct env *env, struct buf *form)
{
	buf_init(form, env->arena, GRAPH_FORM_MAX_BYTES);
}

/* meta.md section 1, "Proof of app": HMAC-SHA256 of the token under the app secret. Apps can demand
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
	return str_format(env->arena, GRAPH_HOST STR_FMT "/" STR_FMT,
			  STR_ARG(env->settings->graph_version), STR_ARG(path));
}

struct call *graph_call(const struct env *env, struct step *step, enum call_kind kind,
			const char *method, struct str path, struct str token, struct buf *form)
{
	const bool is_get = str_equal_z(str_of(method), "GET");
	if (!str_is_empty(token))
		form_add(form, "appsecret_proof", proof_of(env, token));
	struct str url = url_of(env, path);
	if (is_get && form->len > 0)
		url = str_format(env->arena, STR_FMT "?" STR_FMT, STR_ARG(url),
				 STR_ARG(buf_str(form)));
	struct call *call = step_send(step, kind, method, url);
	if (!str_is_empty(token))
		call_bearer(env, call, token);
	if (!is_get)
		call_form(call, buf_str(form));
	return call;
}

static void option_add(const struct env *env, struct buf *form, const char *name,
		       const struct json *value)
{
	struct buf text;
	struct json_writer w;
	if (json_is(value, JSON_TYPE_STRING)) {
		form_add(form, name, json_string(value));
		return;
	}
	buf_init(&text, env->arena, GRAPH_FORM_MAX_BYTES);
	json_writer_init(&w, &text);
	json_put_value(&w, value);
	form_add(form, name, buf_str(&text));
}

void graph_options_add(const struct env *env, struct buf *form, const struct option_rule *options)
{
	for (const struct option_rule *option = options; option->name != NULL; option++) {
		const struct json *value = json_get(env->options, option->name);
		if (!json_is_null(value))
			option_add(env, form, option->name, value);
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

/* ---- errors (meta.md section 6): decided by number, never by words ---- */

#define ANY INT64_MIN

struct error_row {
	int64_t code;    /* ANY, or the first of a range */
	int64_t code_to; /* 0 = only code */
	int64_t subcode; /* ANY */
	enum failure_class class;
	enum failure_code failure_code;
	enum graph_remedy remedy;
};

#define PERMANENT FAILURE_PERMANENT
#define TRANSIENT FAILURE_TRANSIENT
#define LIMITED FAILURE_RATE_LIMITED
#define REAUTH FAILURE_REAUTH
#define CODE(name) FAILURE_CODE_##name

/* First row that fits. Subcodes before codes: 4/2207051 reads like a rate limit and is none. */
static const struct error_row error_rows[] = {
	/* Instagram (meta.md 6.3) */
	{ANY, 0, 2207001, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_CONTAINER},
	{ANY, 0, 2207003, TRANSIENT, CODE(MEDIA_UNREACHABLE), GRAPH_CONTAINER},
	{ANY, 0, 2207004, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207005, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207006, TRANSIENT, CODE(PLATFORM_REJECTED), GRAPH_CONTAINER},
	{ANY, 0, 2207008, TRANSIENT, CODE(PLATFORM_REJECTED), GRAPH_CONTAINER},
	{ANY, 0, 2207009, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207010, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207020, TRANSIENT, CODE(PLATFORM_REJECTED), GRAPH_CONTAINER},
	{ANY, 0, 2207023, PERMANENT, CODE(PLATFORM_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207026, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207027, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_POLL},
	{ANY, 0, 2207028, PERMANENT, CODE(PLATFORM_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207032, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_CONTAINER},
	{ANY, 0, 2207035, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207036, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207037, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207040, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207042, LIMITED, CODE(QUOTA_EXHAUSTED), GRAPH_TELL},
	{ANY, 0, 2207050, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{ANY, 0, 2207051, PERMANENT, CODE(PLATFORM_REJECTED), GRAPH_LOOK},
	{ANY, 0, 2207052, PERMANENT, CODE(MEDIA_UNREACHABLE), GRAPH_REPEAT},
	{ANY, 0, 2207053, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_CONTAINER},
	{ANY, 0, 2207057, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 2207077, PERMANENT, CODE(MEDIA_UNREACHABLE), GRAPH_TELL},
	{ANY, 0, 2207081, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{ANY, 0, 2207082, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_CONTAINER},
	{ANY, 0, 2207085, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_CONTAINER},
	/* Facebook Pages (meta.md 6.1, last paragraph) */
	{ANY, 0, 1363040, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 1363127, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 1363128, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 1363129, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 1363047, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_TELL},
	{ANY, 0, 1609010, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_TELL},
	{ANY, 0, 1346003, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 1349125, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 1366046, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 1366051, PERMANENT, CODE(DUPLICATE_CONTENT), GRAPH_TELL},
	{ANY, 0, 1390008, LIMITED, CODE(RATE_LIMITED), GRAPH_TELL},
	{ANY, 0, 1404006, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{ANY, 0, 1404078, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{ANY, 0, 1404102, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 1404112, PERMANENT, CODE(PLATFORM_REJECTED), GRAPH_TELL},
	{ANY, 0, 2061006, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{ANY, 0, 2069019, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{ANY, 0, 4854002, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	/* the whole Graph (meta.md 6.1) */
	{1, 2, ANY, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_LOOK},
	{4, 0, ANY, LIMITED, CODE(RATE_LIMITED), GRAPH_TELL},
	{17, 0, ANY, LIMITED, CODE(RATE_LIMITED), GRAPH_TELL},
	{32, 0, ANY, LIMITED, CODE(RATE_LIMITED), GRAPH_TELL},
	{341, 0, ANY, LIMITED, CODE(RATE_LIMITED), GRAPH_TELL},
	{613, 0, ANY, LIMITED, CODE(RATE_LIMITED), GRAPH_TELL},
	{80000, 80014, ANY, LIMITED, CODE(RATE_LIMITED), GRAPH_TELL},
	{190, 0, ANY, REAUTH, CODE(ACCOUNT_REAUTH_REQUIRED), GRAPH_TELL},
	{102, 0, ANY, REAUTH, CODE(ACCOUNT_REAUTH_REQUIRED), GRAPH_TELL},
	{101, 0, ANY, FAILURE_APP, CODE(APP_CREDENTIALS_INVALID), GRAPH_TELL},
	{3, 0, ANY, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{10, 0, ANY, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{200, 299, ANY, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{283, 0, ANY, PERMANENT, CODE(PERMISSION_MISSING), GRAPH_TELL},
	{100, 0, ANY, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{368, 0, ANY, PERMANENT, CODE(PLATFORM_REJECTED), GRAPH_TELL},
	{506, 0, ANY, PERMANENT, CODE(DUPLICATE_CONTENT), GRAPH_TELL},
	{1609005, 0, ANY, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{1609008, 0, ANY, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
	{324, 0, ANY, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{382, 0, ANY, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{389, 0, ANY, PERMANENT, CODE(MEDIA_UNREACHABLE), GRAPH_REPEAT},
	{6000, 0, ANY, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{6001, 0, ANY, PERMANENT, CODE(MEDIA_UNREACHABLE), GRAPH_REPEAT},
	{352, 0, ANY, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{9004, 0, ANY, PERMANENT, CODE(MEDIA_UNREACHABLE), GRAPH_REPEAT},
	{9007, 0, ANY, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_POLL},
	{36000, 36003, ANY, PERMANENT, CODE(MEDIA_REJECTED), GRAPH_TELL},
	{36004, 0, ANY, PERMANENT, CODE(CONTENT_REJECTED), GRAPH_TELL},
};

static const struct error_row error_other = {ANY,       0, ANY, PERMANENT, CODE(PLATFORM_REJECTED),
					     GRAPH_TELL};
static const struct error_row error_passing = {
	ANY, 0, ANY, TRANSIENT, CODE(PLATFORM_UNAVAILABLE), GRAPH_LOOK};

static bool row_fits(const struct error_row *row, int64_t code, int64_t subcode)
{
	const bool is_code =
		row->code == ANY || code == row->code || (code > row->code && code <= row->code_to);
	return is_code && (row->subcode == ANY || subcode == row->subcode);
}

static const struct error_row *row_find(int64_t code, int64_t subcode)
{
	for (size_t i = 0; i < sizeof(error_rows) / sizeof(error_rows[0]); i++) {
		if (row_fits(&error_rows[i], code, subcode))
			return &error_rows[i];
	}
	return &error_other;
}

static struct graph_error error_of(int64_t code, int64_t subcode, const struct error_row *row)
{
	return (struct graph_error){
		.code = code,
		.subcode = subcode,
		.class = row->class,
		.failure_code = row->failure_code,
		.remedy = row->remedy,
	};
}

struct graph_error graph_error_of_subcode(int64_t subcode)
{
	return error_of(0, subcode, row_find(0, subcode));
}

/* The one error that only its words tell from its neighbours (meta.md 6.1): the stored token is not
 * the Page's. */
static bool is_wrong_token(const struct json *error, int64_t code)
{
	return code == 200 &&
	       str_find(json_string(json_get(error, "message")),
			STR("must be posted to a page as the page itself"), 0) != SIZE_MAX;
}

bool graph_error_read(const struct reply *reply, struct graph_error *error_out)
{
	const struct json *error = json_get(reply->json, "error");
	const int64_t code = json_int(json_get(error, "code"), ANY);
	const int64_t subcode = json_int(json_get(error, "error_subcode"), 0);
	if (reply->outcome != REPLY_ANSWERED || code == ANY)
		return false;
	const struct error_row *row = row_find(code, subcode);
	if (row == &error_other && json_bool(json_get(error, "is_transient"), false))
		row = &error_passing;
	*error_out = error_of(code, subcode, row);
	if (is_wrong_token(error, code)) {
		error_out->class = REAUTH;
		error_out->failure_code = CODE(ACCOUNT_REAUTH_REQUIRED);
	}
	return true;
}

bool graph_is_ok(const struct reply *reply)
{
	struct graph_error error;
	return reply->outcome == REPLY_ANSWERED && reply->status / 100 == 2 &&
	       !graph_error_read(reply, &error);
}

bool graph_is_uncertain(const struct reply *reply)
{
	struct graph_error error;
	const bool says_passing =
		json_bool(json_get(json_get(reply->json, "error"), "is_transient"), false);
	if (!graph_error_read(reply, &error))
		return true;
	const bool is_server_fault =
		error.remedy == GRAPH_CONTAINER && error.failure_code == CODE(PLATFORM_UNAVAILABLE);
	return error.remedy == GRAPH_LOOK || is_server_fault ||
	       (says_passing && error.class != LIMITED && error.remedy == GRAPH_TELL);
}

/* x-business-use-case-usage names minutes for each object that waits (meta.md 6.2). */
static int64_t usage_minutes(const struct env *env, const struct reply *reply)
{
	const struct json *usage = NULL;
	int64_t latest = 0;
	if (json_parse(env->arena, reply_header(reply, "x-business-use-case-usage"), NULL, &usage,
		       NULL, NULL) != ERR_NONE ||
	    !json_is(usage, JSON_TYPE_OBJECT))
		return 0;
	for (size_t i = 0; i < usage->count; i++) {
		const struct json *list = &usage->items[i];
		for (size_t j = 0; json_is(list, JSON_TYPE_ARRAY) && j < list->count; j++) {
			const int64_t minutes = json_int(
				json_get(&list->items[j], "estimated_time_to_regain_access"), 0);
			latest = minutes > latest ? minutes : latest;
		}
	}
	return latest < GRAPH_RATE_WAIT_MAX_MINUTES ? latest : GRAPH_RATE_WAIT_MAX_MINUTES;
}

static int64_t rate_wait_ms(const struct env *env, const struct reply *reply)
{
	const int64_t minutes = usage_minutes(env, reply);
	int64_t wait_ms = 0;
	if (minutes > 0)
		return minutes * 60000;
	if (httpdate_parse_retry_after(reply_header(reply, "Retry-After"), env->now_us, &wait_ms) &&
	    wait_ms > 0)
		return wait_ms;
	return GRAPH_RATE_WAIT_MS;
}

static struct str code_text(const struct env *env, const struct graph_error *error)
{
	return error->subcode != 0
		       ? str_format(env->arena, "%" PRId64 "/%" PRId64, error->code, error->subcode)
		       : str_format(env->arena, "%" PRId64, error->code);
}

static struct str words_of(const struct reply *reply)
{
	const struct json *error = json_get(reply->json, "error");
	const struct str for_user = json_string(json_get(error, "error_user_msg"));
	const struct str words =
		str_is_empty(for_user) ? json_string(json_get(error, "message")) : for_user;
	return utf8_cut_bytes(words, GRAPH_MESSAGE_MAX_BYTES);
}

void graph_step_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	struct graph_error error;
	if (!graph_error_read(reply, &error)) {
		if (!step_fail_transport(step, env, reply))
			/* Nobody gets here with a publish call's answer: a good status without its content is worth asking again. */
			step_fail(step, reply->status < 400 ? FAILURE_TRANSIENT : PERMANENT,
				  reply->status < 400 ? CODE(PLATFORM_UNAVAILABLE) : CODE(PLATFORM_REJECTED),
				  STR("Meta gave an answer that cannot be read."))
				->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
		return;
	}
	struct failure *failure = step_fail(step, error.class, error.failure_code,
					    str_of(failure_code_sentence(error.failure_code)));
	failure->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
	failure->platform_code = code_text(env, &error);
	failure->platform_message = words_of(reply);
	if (error.class == LIMITED)
		failure->retry_after_ms = rate_wait_ms(env, reply);
}

bool graph_text_is(const struct env *env, const struct json *text, struct str sent)
{
	const struct str found = json_string(text);
	return found.len <= 2 * sent.len + 64 && look_texts_equal(env->arena, found, sent);
}

const char *graph_look(const struct env *env, struct flow *flow, const struct reply *reply,
		       struct step *step, const char *url_name,
		       bool (*is_ours)(const struct env *env, const struct flow *flow,
				       const struct json *item))
{
	const struct json *list = json_get(reply->json, "data");
	if (!graph_is_ok(reply) || !json_is(list, JSON_TYPE_ARRAY)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	look_matches_begin(flow, step);
	for (size_t i = 0; i < list->count; i++) {
		const struct json *item = &list->items[i];
		const struct str id = json_text(env->arena, json_get(item, "id"));
		if (!str_is_empty(id) && is_ours(env, flow, item))
			look_match_add(step, id, json_string(json_get(item, url_name)));
	}
	return look_matches_end(step);
}

const char *graph_no_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	(void)flow;
	graph_step_fail(env, reply, step);
	return NULL;
}

/* ---- app credentials without a user (meta.md 2.9) ---- */

/* The token endpoint says 1 or 101 for a wrong secret or id (meta.md 2.5); elsewhere code 1 means a
 * passing fault. */
static void token_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	struct graph_error error = {0};
	const bool is_readable = graph_error_read(reply, &error);
	graph_step_fail(env, reply, step);
	if (is_readable && reply->status < 500 && (error.code == 1 || error.code == 101)) {
		step->failure.class = FAILURE_APP;
		step->failure.code = CODE(APP_CREDENTIALS_INVALID);
		step->failure.message = STR("Meta refused the app's id or secret.");
	} else if (step->failure.class == PERMANENT) {
		step->failure.code = CODE(PLATFORM_REJECTED);
		step->failure.message = STR("Meta refused to give an access token.");
	}
	if (!failure_is_transient(step->failure.class))
		step->failure.connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
}

static const char *app_token_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "client_id", env->client_id);
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "grant_type", STR("client_credentials"));
	graph_call(env, step, CALL_PREPARE, "GET", STR("oauth/access_token"), (struct str){0},
		   &form);
	return NULL;
}

static const char *app_token_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	const struct str token = json_string(json_get(reply->json, "access_token"));
	if (!graph_is_ok(reply) || str_is_empty(token)) {
		token_fail(env, reply, step);
		return NULL;
	}
	flow_set_secret(flow, "app_token", token);
	return "debug";
}

static const char *debug_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "input_token", flow_get(flow, "app_token"));
	form_add(&form, "access_token", flow_get(flow, "app_token"));
	graph_call(env, step, CALL_READ, "GET", STR("debug_token"), (struct str){0}, &form);
	return NULL;
}

static const char *debug_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)flow;
	const struct json *app_id = json_get(json_get(reply->json, "data"), "app_id");
	if (!graph_is_ok(reply))
		graph_step_fail(env, reply, step);
	else if (str_equal(json_text(env->arena, app_id), env->client_id))
		step_done(step);
	else
		step_fail(step, FAILURE_APP, CODE(APP_CREDENTIALS_INVALID),
			  STR("Meta knows these credentials as another app's."));
	return NULL;
}

static const struct stage verify_stages[] = {
	{"app_token", app_token_ask, app_token_answer},
	{"debug", debug_ask, debug_answer},
	{.name = NULL},
};

void graph_verify(const struct env *env, struct flow *flow, const struct reply *reply,
		  struct step *step)
{
	stages_run(verify_stages, env, flow, reply, step);
}

/* ---- Facebook Login: code -> short token -> long token (meta.md 2.5) ---- */

const char *graph_code_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "client_id", env->client_id);
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "redirect_uri", env->redirect_uri);
	form_add(&form, "code", env->code);
	struct call *call = graph_call(env, step, CALL_PREPARE, "GET", STR("oauth/access_token"),
				       (struct str){0}, &form);
	call->needs_fresh_connection = true; /* a code works once */
	return NULL;
}

const char *graph_code_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	const struct str token = json_string(json_get(reply->json, "access_token"));
	if (!graph_is_ok(reply) || str_is_empty(token)) {
		token_fail(env, reply, step);
		return NULL;
	}
	flow_set_secret(flow, "short_token", token);
	return "long";
}

const char *graph_long_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "grant_type", STR("fb_exchange_token"));
	form_add(&form, "client_id", env->client_id);
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "fb_exchange_token", flow_get(flow, "short_token"));
	graph_call(env, step, CALL_PREPARE, "GET", STR("oauth/access_token"), (struct str){0},
		   &form);
	return NULL;
}

const char *graph_long_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	const struct str token = json_string(json_get(reply->json, "access_token"));
	if (!graph_is_ok(reply) || str_is_empty(token)) {
		token_fail(env, reply, step);
		return NULL;
	}
	flow_set_secret(flow, "user_token", token);
	flow_unset(flow, "short_token");
	return "permissions";
}

/* ---- what was granted (meta.md 2.6, 1) ---- */

static const char *user_get(const struct env *env, struct flow *flow, struct step *step,
			    struct str path, struct buf *form)
{
	graph_call(env, step, CALL_READ, "GET", path, flow_get(flow, "user_token"), form);
	return NULL;
}

const char *graph_permissions_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	return user_get(env, flow, step, STR("me/permissions"), &form);
}

static bool is_granted(const struct json *list, struct str name)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct json *item = &list->items[i];
		if (str_equal(json_string(json_get(item, "permission")), name))
			return str_equal_z(json_string(json_get(item, "status")), "granted");
	}
	return false;
}

static void list_add(struct buf *list, const char *separator, struct str word)
{
	buf_add_z(list, list->len > 0 ? separator : "");
	buf_add(list, word);
}

static struct str granted_list(const struct env *env, const struct json *list)
{
	struct buf granted;
	buf_init(&granted, env->arena, 4096);
	for (size_t i = 0; i < list->count; i++) {
		const struct json *item = &list->items[i];
		if (str_equal_z(json_string(json_get(item, "status")), "granted"))
			list_add(&granted, ",", json_string(json_get(item, "permission")));
	}
	return buf_str(&granted);
}

static struct str missing_list(const struct env *env, const struct json *list,
			       const char *const *needed)
{
	struct buf missing;
	buf_init(&missing, env->arena, 4096);
	for (; *needed != NULL; needed++) {
		if (!is_granted(list, str_of(*needed)))
			list_add(&missing, ", ", str_of(*needed));
	}
	return buf_str(&missing);
}

const char *graph_permissions_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step,
				     const char *const *needed)
{
	const struct json *list = json_get(reply->json, "data");
	if (!graph_is_ok(reply) || !json_is(list, JSON_TYPE_ARRAY)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	const struct str missing = missing_list(env, list, needed);
	if (!str_is_empty(missing)) {
		step_fail(step, PERMANENT, CODE(PERMISSION_MISSING),
			  str_format(env->arena, "These permissions were not granted: " STR_FMT ".",
				     STR_ARG(missing)))
			->connection_error = CONNECTION_ERROR_MISSING_PERMISSIONS;
		return NULL;
	}
	flow_set(flow, "scopes", granted_list(env, list));
	flow_set_int(flow, "has_portfolios", is_granted(list, STR("business_management")));
	return "me";
}

/* ---- the human (meta.md 2.6, 2): the id by which Meta tells that the app was removed ---- */

const char *graph_me_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id,name,picture"));
	return user_get(env, flow, step, STR("me"), &form);
}

const char *graph_me_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	const struct str id = json_text(env->arena, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	flow_set(flow, "user_id", id);
	return "pages";
}

/* ---- Pages (meta.md 2.6, 3 and 4); what is found grows in one secret variable, as JSON ---- */

#define PAGE_FIELDS                                                                                \
	"id,name,username,access_token,tasks,picture.type(large){url},"                            \
	"instagram_business_account{id,username,name,profile_picture_url}"

static const struct json *found_read(const struct env *env, const struct flow *flow)
{
	const struct json *found = NULL;
	const struct str text = flow_get(flow, "found");
	return !str_is_empty(text) &&
			       json_parse(env->arena, text, NULL, &found, NULL, NULL) == ERR_NONE
		       ? found
		       : NULL;
}

static bool found_has(const struct json *found, struct str id)
{
	for (size_t i = 0; found != NULL && i < found->count; i++) {
		if (str_equal(json_string(json_get(&found->items[i], "id")), id))
			return true;
	}
	return false;
}

/* Posting needs one of two tasks (meta.md 2.2); a list that is not there tells nothing. */
static bool may_post(const struct json *tasks)
{
	if (!json_is(tasks, JSON_TYPE_ARRAY))
		return true;
	for (size_t i = 0; i < tasks->count; i++) {
		const struct str task = json_string(&tasks->items[i]);
		if (str_equal_z(task, "CREATE_CONTENT") || str_equal_z(task, "MANAGE"))
			return true;
	}
	return false;
}

static void page_write(const struct env *env, struct json_writer *w, const struct json *page)
{
	const struct json *instagram = json_get(page, "instagram_business_account");
	json_begin_object(w);
	json_member_str(w, "id", json_text(env->arena, json_get(page, "id")));
	json_member_str(w, "name", json_string(json_get(page, "name")));
	json_member_str(w, "username", json_string(json_get(page, "username")));
	json_member_str(w, "avatar",
			json_string(json_get(json_get(json_get(page, "picture"), "data"), "url")));
	json_member_str(w, "token", json_string(json_get(page, "access_token")));
	json_member_str(w, "ig", json_text(env->arena, json_get(instagram, "id")));
	json_member_str(w, "ig_username", json_string(json_get(instagram, "username")));
	json_member_str(w, "ig_name", json_string(json_get(instagram, "name")));
	json_member_str(w, "ig_avatar", json_string(json_get(instagram, "profile_picture_url")));
	json_end_object(w);
}

/* A Page without access_token was not ticked in the dialog: it is not offered (meta.md 2.6, 4). */
static bool is_offered(const struct env *env, const struct json *page)
{
	return !str_is_empty(json_text(env->arena, json_get(page, "id"))) &&
	       !str_is_empty(json_string(json_get(page, "access_token"))) &&
	       may_post(json_get(page, "tasks"));
}

/* Does the list name that Page before? */
static bool is_repeated(const struct env *env, const struct json *pages, size_t index)
{
	const struct str id = json_text(env->arena, json_get(&pages->items[index], "id"));
	for (size_t i = 0; i < index; i++) {
		if (str_equal(json_text(env->arena, json_get(&pages->items[i], "id")), id))
			return true;
	}
	return false;
}

#define PAGES_A_READ 100 /* our limit parameter */

static void found_add(const struct env *env, struct flow *flow, const struct json *pages)
{
	const struct json *found = found_read(env, flow);
	const size_t before = found != NULL ? found->count : 0;
	size_t count = before;
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, GRAPH_FOUND_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	for (size_t i = 0; i < before; i++)
		json_put_value(&w, &found->items[i]);
	for (size_t i = 0; i < pages->count && i < PAGES_A_READ && count < STEP_ACCOUNTS_MAX; i++) {
		const struct json *page = &pages->items[i];
		if (!is_offered(env, page) || is_repeated(env, pages, i) ||
		    found_has(found, json_text(env->arena, json_get(page, "id"))))
			continue;
		page_write(env, &w, page);
		count++;
	}
	json_end_array(&w);
	if (!out.is_over && count > before)
		flow_set_secret(flow, "found", buf_str(&out));
}

/* Adds a list's Pages; true when the list goes on, with "after" set for the next question. */
static bool pages_take(const struct env *env, struct flow *flow, const struct reply *reply)
{
	const struct json *paging = json_get(reply->json, "paging");
	const struct str after = json_string(json_get(json_get(paging, "cursors"), "after"));
	const struct json *pages = json_get(reply->json, "data");
	if (json_is(pages, JSON_TYPE_ARRAY))
		found_add(env, flow, pages);
	const bool goes_on = !str_is_empty(json_string(json_get(paging, "next"))) &&
			     !str_is_empty(after) && !str_equal(after, flow_get(flow, "after")) &&
			     flow_count(flow, "reads") < GRAPH_READS_MAX;
	if (goes_on)
		flow_set(flow, "after", after);
	else
		flow_unset(flow, "after");
	return goes_on;
}

/* paging.next holds the token in its query; the same question is asked with its cursor instead. */
static const char *pages_ask(const struct env *env, struct flow *flow, struct step *step,
			     struct str path, const char *fields)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", str_of(fields));
	form_add(&form, "limit", STR("100"));
	if (!str_is_empty(flow_get(flow, "after")))
		form_add(&form, "after", flow_get(flow, "after"));
	return user_get(env, flow, step, path, &form);
}

const char *graph_pages_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return pages_ask(env, flow, step, STR("me/accounts"), PAGE_FIELDS);
}

const char *graph_pages_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (!graph_is_ok(reply) || !json_is(json_get(reply->json, "data"), JSON_TYPE_ARRAY)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (pages_take(env, flow, reply))
		return "pages";
	return flow_get_int(flow, "has_portfolios", 0) ? "businesses" : "finish";
}

/* ---- Pages held by portfolios: a find more, never a reason to fail ---- */

const char *graph_businesses_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return pages_ask(env, flow, step, STR("me/businesses"), "id");
}

const char *graph_businesses_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	const struct json *list = json_get(reply->json, "data");
	struct buf ids;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (!graph_is_ok(reply) || !json_is(list, JSON_TYPE_ARRAY))
		return "finish";
	buf_init(&ids, env->arena, 8192);
	for (size_t i = 0; i < list->count && i < GRAPH_BUSINESSES_MAX; i++)
		list_add(&ids, ",", json_text(env->arena, json_get(&list->items[i], "id")));
	flow_set(flow, "businesses", ids.is_over ? (struct str){0} : buf_str(&ids));
	return "portfolio";
}

/* Two lists for each portfolio, numbered through: owned_pages and client_pages. */
static struct str portfolio_path(const struct env *env, const struct flow *flow)
{
	const int64_t number = flow_get_int(flow, "portfolio_list", 0);
	struct str ids = flow_get(flow, "businesses");
	struct str id = {0};
	for (int64_t i = 0; i <= number / 2; i++) {
		if (str_is_empty(ids) || !str_take_field(&ids, ',', &id))
			return (struct str){0};
	}
	return str_format(env->arena, STR_FMT "/%s", STR_ARG(id),
			  number % 2 == 0 ? "owned_pages" : "client_pages");
}

const char *graph_portfolio_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str path = portfolio_path(env, flow);
	return str_is_empty(path) ? "finish" : pages_ask(env, flow, step, path, PAGE_FIELDS);
}

const char *graph_portfolio_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (!graph_is_ok(reply) || !pages_take(env, flow, reply))
		flow_count(flow, "portfolio_list");
	return "portfolio";
}

/* ---- the end of connect ---- */

static struct graph_page page_of(const struct json *json)
{
	return (struct graph_page){
		.id = json_string(json_get(json, "id")),
		.name = json_string(json_get(json, "name")),
		.username = json_string(json_get(json, "username")),
		.avatar_url = json_string(json_get(json, "avatar")),
		.access_token = json_string(json_get(json, "token")),
		.instagram_id = json_string(json_get(json, "ig")),
		.instagram_username = json_string(json_get(json, "ig_username")),
		.instagram_name = json_string(json_get(json, "ig_name")),
		.instagram_avatar_url = json_string(json_get(json, "ig_avatar")),
	};
}

void graph_finish(const struct env *env, const struct flow *flow, struct step *step,
		  bool (*make)(const struct env *env, const struct flow *flow,
			       const struct graph_page *page, struct account_found *account))
{
	const struct json *found = found_read(env, flow);
	const size_t found_count = json_is(found, JSON_TYPE_ARRAY) ? found->count : 0;
	struct account_found *accounts = ARENA_ARRAY(env->arena, struct account_found, found_count);
	size_t count = 0;
	for (size_t i = 0; i < found_count && count < STEP_ACCOUNTS_MAX; i++) {
		const struct graph_page page = page_of(&found->items[i]);
		accounts[count] = (struct account_found){0};
		count += make(env, flow, &page, &accounts[count]);
	}
	if (count == 0) {
		step_fail(step, PERMANENT, CODE(PERMISSION_MISSING),
			  str_of(connection_error_sentence(CONNECTION_ERROR_NO_ACCOUNTS)))
			->connection_error = CONNECTION_ERROR_NO_ACCOUNTS;
		return;
	}
	step_done(step);
	step->accounts = accounts;
	step->account_count = count;
}
