/* SPDX-License-Identifier: Apache-2.0
 * The routes that belong to no platform: the page of GET / and /_sandbox (design.md, "Sandbox
 * contract"). */
#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"

#include "json.h"
#include "json_write.h"

#include "sandbox_core.h"

static void answer_error(struct http_response *response, int status, const char *text)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "error", str_of(text));
	json_end_object(&w);
}

/* Takes the lock for a request, with its tape. */
static size_t enter(struct sandbox *sandbox, struct http_request *request)
{
	struct sandbox_tape *tape = sandbox_tape_of(sandbox, request);
	sandbox_lock(sandbox);
	if (sandbox->past != NULL)
		sandbox->past->tape = tape;
	return arena_used_bytes(sandbox->kept);
}

/* used_bytes: as enter() said; what time alone has changed since is written down too. */
static void leave(struct sandbox *sandbox, const struct http_request *request, size_t used_bytes)
{
	struct sandbox_tape *tape = sandbox->past != NULL ? sandbox->past->tape : NULL;
	const bool is_change = !str_equal_z(request->method, "GET") ||
			       arena_used_bytes(sandbox->kept) != used_bytes ||
			       (tape != NULL && tape->drawn > 0);
	if (tape != NULL)
		sandbox_past_call_ends(sandbox, request, is_change ? tape : NULL);
	sandbox_unlock(sandbox);
}

static void get_feed(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	const size_t used_bytes = enter(sandbox, request);
	sandbox_ledger_settle(sandbox);
	sandbox_page_feed(sandbox, response);
	leave(sandbox, request, used_bytes);
}

static void get_style(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	(void)request;
	buf_add(http_response_text(response, 200, "text/css; charset=utf-8"), sandbox_page_style());
	http_response_header(response, "X-Content-Type-Options", STR("nosniff"));
	http_response_header(response, "Cache-Control", STR("max-age=300"));
}

static void get_media(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	sandbox_lock(sandbox);
	sandbox_media_answer(sandbox, request, response);
	sandbox_unlock(sandbox);
}

static void get_ledger(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	const size_t used_bytes = enter(sandbox, request);
	sandbox_ledger_settle(sandbox);
	sandbox_ledger_write(sandbox, http_response_json(response, 200));
	leave(sandbox, request, used_bytes);
}

static void get_log(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	(void)request;
	sandbox_lock(sandbox);
	sandbox_reqlog_write(&sandbox->reqlog, http_response_json(response, 200));
	sandbox_unlock(sandbox);
}

static void get_faults(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	(void)request;
	sandbox_lock(sandbox);
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	sandbox_fault_write_list(sandbox, &w);
	sandbox_unlock(sandbox);
}

static void post_fault(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	const struct json *json = NULL;
	struct error err = {0};
	struct fault fault;
	if (json_parse(request->arena, request->body, NULL, &json, NULL, &err) != ERR_NONE ||
	    sandbox_fault_parse(sandbox, request->arena, json, &fault, &err) != ERR_NONE) {
		answer_error(response, 400, err.text);
		return;
	}
	const size_t used_bytes = enter(sandbox, request);
	const bool is_added = sandbox_fault_add(sandbox, &fault);
	leave(sandbox, request, used_bytes);
	if (!is_added)
		answer_error(response, 429, "too many faults: DELETE /_sandbox/faults clears them");
	else
		buf_add_z(http_response_json(response, 201), "{\"ok\":true}");
}

static void delete_faults(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct sandbox *sandbox = context;
	const size_t used_bytes = enter(sandbox, request);
	sandbox_fault_clear(sandbox);
	leave(sandbox, request, used_bytes);
	buf_add_z(http_response_json(response, 200), "{\"ok\":true}");
}

static void get_knobs(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	(void)request;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	sandbox_lock(sandbox);
	sandbox_knobs_write(sandbox, &w);
	sandbox_unlock(sandbox);
}

static void post_knobs(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	const struct json *json = NULL;
	struct error err = {0};
	enum err_kind kind = json_parse(request->arena, request->body, NULL, &json, NULL, &err);
	const size_t used_bytes = enter(sandbox, request);
	if (kind == ERR_NONE)
		kind = sandbox_knobs_set(sandbox, json, &err);
	leave(sandbox, request, used_bytes);
	if (kind != ERR_NONE)
		answer_error(response, 400, err.text);
	else
		get_knobs(context, request, response);
}

static void get_panel(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	const size_t used_bytes = enter(sandbox, request);
	sandbox_panel_show(sandbox, response, 200, STR(""));
	leave(sandbox, request, used_bytes);
}

/* Forms are for people in front of it: a page of somebody else's cannot send one. */
static bool comes_from_elsewhere(const struct http_request *request)
{
	const struct str *site = http_request_header(request, "Sec-Fetch-Site");
	return site != NULL && !str_equal_z(*site, "same-origin") && !str_equal_z(*site, "none");
}

static void post_panel(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	struct error err = {0};
	if (comes_from_elsewhere(request)) {
		answer_error(response, 403, "the panel's forms are for the panel's own page");
		return;
	}
	const size_t used_bytes = enter(sandbox, request);
	const enum err_kind kind = sandbox_panel_do(sandbox, request->arena, request->body, &err);
	if (kind != ERR_NONE)
		sandbox_panel_show(sandbox, response, 400, str_of(err.text));
	leave(sandbox, request, used_bytes);
	if (kind != ERR_NONE)
		return;
	http_response_text(response, 303, "text/plain; charset=utf-8");
	http_response_header(
		response, "Location",
		str_format(request->arena, "%s/_sandbox/panel", sandbox_page_prefix(sandbox)));
}

static void post_reset(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	struct sandbox_tape *tape = sandbox_tape_of(sandbox, request);
	sandbox_lock(sandbox);
	if (tape != NULL)
		tape->is_lost = !sandbox_journal_restart(sandbox);
	else
		sandbox_reset(sandbox);
	sandbox_unlock(sandbox);
	buf_add_z(http_response_json(response, 200), "{\"ok\":true}");
}

#define ADVANCE_MAX_S (INT64_C(100) * 366 * 86400)

static void post_clock(void *context, struct http_request *request, struct http_response *response)
{
	struct sandbox *sandbox = context;
	const struct json *json = NULL;
	if (json_parse(request->arena, request->body, NULL, &json, NULL, NULL) != ERR_NONE ||
	    !json_is(json_get(json, "advance_s"), JSON_TYPE_INT)) {
		answer_error(response, 400, "advance_s must be a whole number of seconds");
		return;
	}
	const int64_t advance_s = json_int(json_get(json, "advance_s"), 0);
	const size_t used_bytes = enter(sandbox, request);
	const bool is_good =
		advance_s >= 0 && advance_s <= ADVANCE_MAX_S - sandbox->advance_us / US_PER_S;
	if (is_good)
		sandbox->advance_us += advance_s * US_PER_S;
	const int64_t now_us = sandbox_now_us(sandbox);
	leave(sandbox, request, used_bytes);
	if (!is_good) {
		answer_error(response, 400,
			     "advance_s must be 0 or more, and at most a century in all");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_instant(&w, "now", now_us);
	json_end_object(&w);
}

#define FAULT_BODY_MAX_BYTES ((size_t)1 << 20)

const struct http_route sandbox_control_routes[] = {
	{.method = "GET", .pattern = "/", .handler = get_feed},
	{.method = "GET", .pattern = "/_sandbox/style.css", .handler = get_style},
	{.method = "GET", .pattern = "/_sandbox/media/{sha256}", .handler = get_media},
	{.method = "GET", .pattern = "/_sandbox/ledger", .handler = get_ledger},
	{.method = "GET", .pattern = "/_sandbox/log", .handler = get_log},
	{.method = "GET", .pattern = "/_sandbox/faults", .handler = get_faults},
	{.method = "POST",
	 .pattern = "/_sandbox/faults",
	 .handler = post_fault,
	 .body_mode = HTTP_BODY_MEMORY,
	 .body_max_bytes = FAULT_BODY_MAX_BYTES},
	{.method = "DELETE", .pattern = "/_sandbox/faults", .handler = delete_faults},
	{.method = "GET", .pattern = "/_sandbox/knobs", .handler = get_knobs},
	{.method = "POST",
	 .pattern = "/_sandbox/knobs",
	 .handler = post_knobs,
	 .body_mode = HTTP_BODY_MEMORY,
	 .body_max_bytes = 4096},
	{.method = "GET", .pattern = "/_sandbox/panel", .handler = get_panel},
	{.method = "POST",
	 .pattern = "/_sandbox/panel",
	 .handler = post_panel,
	 .body_mode = HTTP_BODY_MEMORY,
	 .body_max_bytes = FAULT_BODY_MAX_BYTES},
	{.method = "POST", .pattern = "/_sandbox/reset", .handler = post_reset},
	{.method = "POST",
	 .pattern = "/_sandbox/clock",
	 .handler = post_clock,
	 .body_mode = HTTP_BODY_MEMORY,
	 .body_max_bytes = 4096},
};
const size_t sandbox_control_route_count = COUNT_OF(sandbox_control_routes);
