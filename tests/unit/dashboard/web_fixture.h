/* SPDX-License-Identifier: Apache-2.0
 * The admin API over HTTP for tests: the fixture's admin with its door open on a router, and a
 * browser that keeps a cookie and the CSRF token. */
#pragma once

#include "admin_fixture.h"

#define PUBLIC_URL "https://posts.example"

struct browser {
	struct fixture *fx;
	struct http_router *router;
	struct str cookie; /* "name=value"; empty = none */
	struct str csrf;
	/* Of the next request; empty = not sent. */
	struct str origin;
	struct str host;
	struct str fetch_site;
	struct str content_type;
	struct str app_path; /* what the app port was asked for last */
	struct str app_id;
};

static inline void serve_app(void *context, const struct app_row *app, struct http_request *request,
			     struct http_response *response, struct str admin)
{
	struct browser *b = context;
	(void)admin;
	b->app_path = request->path;
	b->app_id = app->id;
	buf_add_z(http_response_json(response, 200), "{}");
}

static inline void browser_open(struct browser *b, struct fixture *fx)
{
	struct error err = {0};
	const struct http_router_config router = {.context = NULL, .response_max_bytes = 1 << 20};
	*b = (struct browser){.fx = fx, .content_type = STR("application/json")};
	const struct admin_web_config web = {
		.public_url = PUBLIC_URL,
		.sandbox_url = "http://127.0.0.1:8081",
		.version = "1.2.3",
		.session_idle_s = 1800,
		.session_lifetime_s = 43200,
		.app_port = {.serve = serve_app, .context = b},
	};
	ok(http_router_new(&router, &b->router, &err), &err);
	ok(admin_web_open(fx->admin, &web, b->router, &err), &err);
}

static inline void browser_close(struct browser *b)
{
	http_router_free(&b->router);
}

static inline void add_header(struct http_request *request, const char *name, struct str value)
{
	if (value.len > 0)
		request->headers[request->header_count++] =
			(struct http_header){str_of(name), value};
}

static inline const struct str *response_header(const struct http_response *response,
						const char *name)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_nocase(response->headers[i].name, str_of(name)))
			return &response->headers[i].value;
	}
	return NULL;
}

static inline struct http_response *ask(struct browser *b, const char *method, const char *target,
					const char *body)
{
	struct arena *arena = b->fx->arena;
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	struct http_response *response = ARENA_NEW(arena, struct http_response);
	request->arena = arena;
	request->method = str_of(method);
	request->target = str_of(target);
	request->body = str_of(body);
	request->body_size_bytes = (int64_t)request->body.len;
	request->remote_address = STR("10.0.0.1");
	add_header(request, "Cookie", b->cookie);
	add_header(request, "X-CSRF-Token", b->csrf);
	add_header(request, "Origin", b->origin);
	add_header(request, "Host", b->host);
	add_header(request, "Sec-Fetch-Site", b->fetch_site);
	add_header(request, "Content-Type", b->content_type);
	http_request_prepare(request, &b->fx->random);
	http_response_init(response, arena, 1 << 20);
	http_router_dispatch(b->router, request, response);
	return response;
}

/* Keeps what a sign-in gave. */
static inline struct http_response *keep_session(struct browser *b, struct http_response *response)
{
	const struct str *cookie = response_header(response, "Set-Cookie");
	assert_non_null(cookie);
	b->cookie = str_slice(*cookie, 0, str_find_char(*cookie, ';', 0));
	b->csrf = json_string(json_get(body_of(response), "csrf_token"));
	assert_int_equal(b->csrf.len, 64);
	return response;
}

/* The first admin, signed in. */
static inline void set_up(struct browser *b)
{
	const struct str link = admin_setup_link(b->fx->admin, b->fx->arena);
	assert_true(str_has_prefix(link, STR(PUBLIC_URL "/dashboard/setup#")));
	const struct str token =
		str_slice(link, sizeof(PUBLIC_URL "/dashboard/setup#") - 1, link.len);
	const struct str body =
		str_format(b->fx->arena,
			   "{\"token\":\"" STR_FMT
			   "\",\"email\":\"a@b.example\",\"password\":\"correct horse\"}",
			   STR_ARG(token));
	assert_status(
		keep_session(b, ask(b, "POST", "/dashboard/api/setup", str_z(b->fx->arena, body))),
		201);
	assert_int_equal(admin_setup_link(b->fx->admin, b->fx->arena).len, 0);
}

/* Who set the house up is root; from now on an owner. */
static inline void become_owner(struct browser *b)
{
	struct error err = {0};
	assert_int_equal(
		store_admin_set_role(b->fx->store, STR("a@b.example"), ADMIN_OWNER, false, &err),
		ERR_NONE);
}

#define LOGIN_BODY "{\"email\":\"a@b.example\",\"password\":\"correct horse\"}"
