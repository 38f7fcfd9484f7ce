/* SPDX-License-Identifier: Apache-2.0
 * Worlds in a directory of the test's own, with two apps, and requests to them, for the tests of
 * the worlds and of their journal. Included by one test file each, hence all static. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "err.h"
#include "random.h"
#include "str.h"

#include "base64.h"
#include "json.h"

#include "http.h"

#include "sandbox_world.h"

#define SEEN_URL "http://127.0.0.1:8080/sandbox"
#define CALLBACKS "http://127.0.0.1:8080/v1/oauth/"
#define ONE STR("0-one")
#define TWO STR("0-two")
#define NOBODY STR("")

struct worlds_test {
	char directory[64];
	struct sandbox_worlds *worlds;
	struct arena *arena;
	struct clock clock;
	int64_t now_us;
	int64_t bytes_max;
	/* A port of one app's journal, as another node would find it. */
	bool has_port;
	bool is_port_down;
	int64_t port_hold; /* the only one that may write; 0 = any */
	char *kept;
	size_t kept_len;
};

static inline int64_t worlds_now(void *context)
{
	return *(const int64_t *)context;
}

static inline bool worlds_allows_url(void *context, struct arena *arena, struct str url)
{
	(void)context;
	(void)arena;
	(void)url;
	return true;
}

static inline bool worlds_allows_address(void *context, const struct sockaddr *address)
{
	(void)context;
	(void)address;
	return false;
}

static inline enum err_kind worlds_find_app(void *context, struct arena *arena, struct str app_id,
					    struct sandbox_world_app *out, struct error *err)
{
	const struct worlds_test *t = context;
	static const char *const slugs[] = {"instagram", "facebook", "x",
					    "linkedin",  "youtube",  "tiktok"};
	if (!str_equal(app_id, ONE) && !str_equal(app_id, TWO))
		return error_set(err, ERR_NOT_FOUND, "no such app");
	*out = (struct sandbox_world_app){.id = app_id,
					  .mark = str_concat(arena, STR("phc_"), app_id),
					  .credential_count = 6,
					  .bytes_max = t->bytes_max};
	for (size_t i = 0; i < 6; i++)
		out->credentials[i] = (struct sandbox_world_credential){
			str_of(slugs[i]),
			str_format(arena, "test-%s-" STR_FMT, slugs[i], STR_ARG(app_id)),
			str_format(arena, "secret-%s-" STR_FMT, slugs[i], STR_ARG(app_id))};
	return ERR_NONE;
}

static inline enum err_kind worlds_journal_read(void *context, struct arena *arena,
						struct str app_id, struct str *bytes_out,
						struct error *err)
{
	const struct worlds_test *t = context;
	if (t->is_port_down)
		return error_set(err, ERR_TEMPORARY, "down");
	*bytes_out = str_equal(app_id, ONE) && t->kept_len > 0
			     ? str_copy(arena, (struct str){t->kept, t->kept_len})
			     : STR("");
	return ERR_NONE;
}

static inline enum err_kind
worlds_journal_write(void *context, const struct sandbox_journal_piece *piece, struct error *err)
{
	struct worlds_test *t = context;
	if (t->is_port_down || (t->port_hold != 0 && piece->hold != t->port_hold))
		return error_set(err, t->is_port_down ? ERR_TEMPORARY : ERR_CONFLICT, "not ours");
	if (!str_equal(piece->app_id, ONE))
		return ERR_NONE;
	const size_t before = piece->is_all ? 0 : t->kept_len;
	t->kept = realloc(t->kept, before + piece->bytes.len);
	assert_non_null(t->kept);
	memcpy(t->kept + before, piece->bytes.ptr, piece->bytes.len);
	t->kept_len = before + piece->bytes.len;
	return ERR_NONE;
}

static inline void worlds_start(struct worlds_test *t)
{
	const struct sandbox_worlds_config config = {
		.directory = t->directory,
		.port = {.allows_url = worlds_allows_url,
			 .allows_address = worlds_allows_address,
			 .find_app = worlds_find_app,
			 .journal_read = t->has_port ? worlds_journal_read : NULL,
			 .journal_write = t->has_port ? worlds_journal_write : NULL,
			 .context = t},
		.clock = &t->clock,
		.random = random_system(),
		.open_max = 2,
	};
	struct error err = {0};
	assert_int_equal(sandbox_worlds_open(&config, &t->worlds, &err), ERR_NONE);
}

static inline int worlds_open(void **state)
{
	struct worlds_test *t = calloc(1, sizeof(*t));
	assert_non_null(t);
	t->now_us = INT64_C(1795240000) * US_PER_S;
	t->clock = (struct clock){worlds_now, worlds_now, &t->now_us};
	t->arena = arena_new("worlds test", (size_t)512 << 20);
	snprintf(t->directory, sizeof(t->directory), "/tmp/posthorn-worlds-XXXXXX");
	assert_non_null(mkdtemp(t->directory));
	worlds_start(t);
	*state = t;
	return 0;
}

static inline int worlds_end(void **state)
{
	struct worlds_test *t = *state;
	char command[128];
	sandbox_worlds_close(&t->worlds);
	snprintf(command, sizeof(command), "rm -rf %s", t->directory);
	assert_int_equal(system(command), 0);
	arena_free(&t->arena);
	free(t->kept);
	free(t);
	return 0;
}

/* The worlds that t has now end with their directory, and others take their place. */
static inline void worlds_end_other(struct worlds_test *t, struct sandbox_worlds *worlds,
				    const char directory[64])
{
	char command[128];
	sandbox_worlds_close(&t->worlds);
	snprintf(command, sizeof(command), "rm -rf %s", t->directory);
	assert_int_equal(system(command), 0);
	memcpy(t->directory, directory, sizeof(t->directory));
	t->worlds = worlds;
}

/* As a restart of the service. */
static inline void worlds_restart(struct worlds_test *t)
{
	sandbox_worlds_close(&t->worlds);
	worlds_start(t);
}

struct worlds_ask {
	struct str app_id;
	enum sandbox_visitor visitor;
	const char *method;
	struct str target;
	struct str bearer; /* a token, or "Basic ..."; empty = none */
	struct str body;   /* JSON when it begins with '{', else a form */
};

static inline void worlds_header(struct http_request *request, const char *name, struct str value)
{
	request->headers[request->header_count++] = (struct http_header){str_of(name), value};
}

static inline struct http_response *worlds_send(struct worlds_test *t, const struct worlds_ask *ask)
{
	struct http_request *request = ARENA_NEW(t->arena, struct http_request);
	struct http_response *response = ARENA_NEW(t->arena, struct http_response);
	request->arena = t->arena;
	request->method = str_of(ask->method);
	request->target = ask->target;
	request->body = ask->body;
	request->body_size_bytes = (int64_t)ask->body.len;
	worlds_header(request, "Host", STR("sandbox"));
	worlds_header(request, "Cookie", STR("posthorn_session=secret-cookie"));
	if (!str_is_empty(ask->bearer))
		worlds_header(request, "Authorization",
			      str_has_prefix(ask->bearer, STR("Basic "))
				      ? ask->bearer
				      : str_concat(t->arena, STR("Bearer "), ask->bearer));
	if (!str_is_empty(ask->body))
		worlds_header(request, "Content-Type",
			      ask->body.ptr[0] == '{' ? STR("application/json")
						      : STR("application/x-www-form-urlencoded"));
	http_request_prepare(request, random_system());
	http_response_init(response, t->arena, (size_t)64 << 20);
	const struct sandbox_home home = {.seen_url = STR(SEEN_URL),
					  .redirect_prefix = STR(CALLBACKS)};
	const struct sandbox_visit visit = {ask->app_id, ask->visitor, &home};
	sandbox_worlds_serve(t->worlds, &visit, request, response);
	return response;
}

static inline struct str worlds_answer_header(const struct http_response *response,
					      const char *name)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_nocase(response->headers[i].name, str_of(name)))
			return response->headers[i].value;
	}
	return (struct str){0};
}

static inline const struct json *worlds_json(struct worlds_test *t,
					     const struct http_response *response)
{
	const struct json *json = NULL;
	assert_int_equal(json_parse(t->arena, buf_str(&response->body), NULL, &json, NULL, NULL),
			 ERR_NONE);
	return json;
}

static inline struct str worlds_after(struct str text, const char *mark)
{
	const size_t at = str_find(text, str_of(mark), 0);
	assert_int_not_equal(at, SIZE_MAX);
	return str_slice(text, at + strlen(mark), text.len);
}

/* The access token of a login at X, as the service makes one. */
static inline struct str worlds_login(struct worlds_test *t, struct str app_id)
{
	const struct str id = str_concat(t->arena, STR("test-x-"), app_id);
	const struct worlds_ask consent = {
		app_id,
		SANDBOX_BROWSER,
		"GET",
		str_format(t->arena,
			   "/x.com/i/oauth2/authorize?response_type=code&client_id=" STR_FMT
			   "&redirect_uri=http%%3A%%2F%%2F127.0.0.1%%3A8080%%2Fv1%%2Foauth%%2Fx"
			   "%%2Fcallback&scope=tweet.read%%20tweet.write%%20users.read&state=s"
			   "&code_challenge=verifier-verifier-verifier-verifier-verifier"
			   "&code_challenge_method=plain&sandbox_decision=allow",
			   STR_ARG(id)),
		STR(""),
		STR("")};
	const struct http_response *sent = worlds_send(t, &consent);
	assert_int_equal(sent->status, 302);
	struct str code = worlds_after(worlds_answer_header(sent, "Location"), "code=");
	code = str_slice(code, 0, str_find_char(code, '&', 0));
	const struct str pair =
		str_format(t->arena, STR_FMT ":secret-x-" STR_FMT, STR_ARG(id), STR_ARG(app_id));
	const struct worlds_ask exchange = {
		app_id,
		SANDBOX_SERVICE,
		"POST",
		STR("/api.x.com/2/oauth2/token"),
		str_concat(t->arena, STR("Basic "), base64_encode(t->arena, pair)),
		str_format(t->arena,
			   "grant_type=authorization_code&client_id=" STR_FMT "&code=" STR_FMT
			   "&code_verifier=verifier-verifier-verifier-verifier-verifier"
			   "&redirect_uri=http%%3A%%2F%%2F127.0.0.1%%3A8080%%2Fv1%%2Foauth%%2Fx"
			   "%%2Fcallback",
			   STR_ARG(id), STR_ARG(code))};
	const struct http_response *answer = worlds_send(t, &exchange);
	assert_int_equal(answer->status, 200);
	return json_string(json_get(worlds_json(t, answer), "access_token"));
}

static inline int worlds_tweet(struct worlds_test *t, struct str app_id, struct str token,
			       const char *text)
{
	const struct worlds_ask ask = {app_id, SANDBOX_SERVICE,
				       "POST", STR("/api.x.com/2/tweets"),
				       token,  str_format(t->arena, "{\"text\":\"%s\"}", text)};
	return worlds_send(t, &ask)->status;
}

static inline struct str worlds_ledger(struct worlds_test *t, struct str app_id)
{
	const struct worlds_ask ask = {app_id,  SANDBOX_TOKEN, "GET", STR("/_sandbox/ledger"),
				       STR(""), STR("")};
	const struct http_response *response = worlds_send(t, &ask);
	assert_int_equal(response->status, 200);
	return buf_str(&response->body);
}
