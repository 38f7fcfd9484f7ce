/* SPDX-License-Identifier: Apache-2.0
 * See person_back.h. The pages are fixed texts: nothing of the address is repeated in them. */
#include "person_back.h"

#include <pthread.h>

#include "arena.h"

#include "http.h"
#include "httpd.h"

#define ARENA_MAX_BYTES ((size_t)1 << 20)
#define PAGE_MAX_BYTES 4096
#define CLOSE_MS 1000
#define PAGE(title, text) \
	"<!doctype html><meta charset=\"utf-8\"><title>" title "</title><h1>" title \
	"</h1><p>" text "</p>\n"

struct person_back {
	struct arena *arena;
	struct http_router *router;
	struct httpd *httpd;
	struct str url;
	pthread_mutex_t mutex; /* for what follows */
	struct str connection_id;
	struct str token;
	bool has_returned;
};

/* Keeps the first return; a reload shows the same page again. */
static bool keep(struct person_back *back, const struct http_request *request)
{
	const struct str *id = form_find(&request->query, "connection_id");
	const struct str *token = form_find(&request->query, "confirmation_token");
	pthread_mutex_lock(&back->mutex);
	const bool is_ours =
		id != NULL && !str_is_empty(*id) && str_equal(*id, back->connection_id);
	if (is_ours && !back->has_returned) {
		back->has_returned = true;
		back->token = str_copy(back->arena, token != NULL ? *token : STR(""));
	}
	pthread_mutex_unlock(&back->mutex);
	return is_ours;
}

static void answer(struct http_response *response, int status, const char *page)
{
	struct buf *out = http_response_text(response, status, "text/html; charset=utf-8");
	http_response_header(response, "Cache-Control", STR("no-store"));
	http_response_header(response, "Referrer-Policy", STR("no-referrer"));
	http_response_header(response, "Content-Security-Policy",
			     STR("default-src 'none'; frame-ancestors 'none'"));
	buf_add_z(out, page);
}

static void handle(void *context, struct http_request *request, struct http_response *response)
{
	const struct str *status = form_find(&request->query, "status");
	if (!keep(context, request))
		answer(response, 404,
		       PAGE("Nothing waits for this page",
			    "The command that opened it is not waiting for this connection."));
	else if (status != NULL && str_equal_z(*status, "success"))
		answer(response, 200,
		       PAGE("Connected", "You can close this page and go back to the terminal."));
	else
		answer(response, 200,
		       PAGE("Not connected", "The reason stands in the terminal. You can close "
					     "this page."));
}

static void fault(void *context, enum http_fault fault, const struct http_request *request,
		  struct http_response *response)
{
	(void)context, (void)fault, (void)request;
	http_response_text(response, 404, "text/plain");
}

static enum err_kind listen_there(struct person_back *back, const struct random_source *random,
				  struct error *err)
{
	const struct http_router_config config = {
		.context = back, .render_fault = fault, .response_max_bytes = PAGE_MAX_BYTES};
	const struct http_route route = {.method = "GET", .pattern = "/", .handler = handle};
	enum err_kind kind = http_router_new(&config, &back->router, err);
	if (kind == ERR_NONE)
		kind = http_router_add(back->router, &route, 1, err);
	if (kind != ERR_NONE)
		return kind;
	const struct httpd_config listener = {
		.listen = "127.0.0.1:0", .router = back->router, .random = random, .threads = 2};
	return httpd_open(&listener, &back->httpd, err);
}

enum err_kind person_back_open(const struct random_source *random, struct person_back **back_out,
			       struct error *err)
{
	struct arena *arena = arena_new("browser", ARENA_MAX_BYTES);
	struct person_back *back = ARENA_NEW(arena, struct person_back);
	back->arena = arena;
	pthread_mutex_init(&back->mutex, NULL);
	const enum err_kind kind = listen_there(back, random, err);
	if (kind == ERR_NONE)
		back->url = str_concat(arena, httpd_base_url(back->httpd), STR("/"));
	*back_out = back;
	if (kind != ERR_NONE)
		person_back_close(back_out);
	return kind;
}

struct str person_back_url(const struct person_back *back)
{
	return back->url;
}

void person_back_expect(struct person_back *back, struct str connection_id)
{
	pthread_mutex_lock(&back->mutex);
	back->connection_id = str_copy(back->arena, connection_id);
	pthread_mutex_unlock(&back->mutex);
}

bool person_back_take(struct person_back *back, struct arena *arena,
		      struct person_returned *returned_out)
{
	pthread_mutex_lock(&back->mutex);
	const bool has_returned = back->has_returned;
	if (has_returned)
		returned_out->confirmation_token = str_copy(arena, back->token);
	pthread_mutex_unlock(&back->mutex);
	return has_returned;
}

void person_back_close(struct person_back **back)
{
	struct person_back *closing = *back;
	*back = NULL;
	if (closing == NULL)
		return;
	if (closing->httpd != NULL)
		httpd_close(&closing->httpd, CLOSE_MS);
	if (closing->router != NULL)
		http_router_free(&closing->router);
	pthread_mutex_destroy(&closing->mutex);
	struct arena *arena = closing->arena;
	arena_free(&arena);
}
