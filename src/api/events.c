/* SPDX-License-Identifier: Apache-2.0
 * GET /v1/events, the feed for clients that poll, and the content of events (api-decisions.md 9):
 * the data of an event is what GET of its subject answers. The feed and the webhooks carry the
 * same. */
#include "api_private.h"

#include "store_draft.h"
#include "store_event.h"
#include "store_user.h"

#include "webhook_sign.h"

#define FEED_LIMIT_DEFAULT 50
#define PER_PAGE_DEFAULT 20          /* contract.md, Limits */
#define PAGE_MAX INT64_C(1000000000) /* page * per_page stays far from overflow */
#define DATA_MAX_BYTES ((size_t)8 << 20)

int64_t api_cursor_number(const struct http_request *request, struct problems *problems,
			  const char *name, int64_t fallback, int64_t min, int64_t max)
{
	const struct str *text = form_find(&request->query, name);
	int64_t value = 0;
	if (text == NULL)
		return fallback;
	if (form_count(&request->query, name) == 1 && str_parse_i64(*text, &value) &&
	    value >= min && value <= max)
		return value;
	problem_add(
		problems, PROBLEM_SHAPE, str_of(name), "bad_number",
		str_format(
			problems->arena,
			"The %s must be given once, as a whole number within the documented range.",
			name));
	return fallback;
}

void api_page_read(const struct http_request *request, struct problems *problems, int64_t *page_out,
		   int64_t *per_page_out)
{
	*page_out = api_cursor_number(request, problems, "page", 1, 1, PAGE_MAX);
	*per_page_out = api_cursor_number(request, problems, "per_page", PER_PAGE_DEFAULT, 1,
					  LIST_PER_PAGE_MAX);
}

/* ---- data ---- */

struct data_call {
	struct api *api;
	struct arena *arena;
	const struct event_row *event;
	struct json_writer w;
};

/* One platform post of it, where the event is about one. */
static void write_platform_post(struct data_call *d, const struct post_row *post,
				struct str delivery_id)
{
	const struct post_view view = {d->arena, d->api};
	for (size_t i = 0; i < post->delivery_count; i++) {
		if (!str_equal(post->deliveries[i].id, delivery_id))
			continue;
		json_key(&d->w, "platform_post");
		post_write_delivery(&d->w, &view, post, &post->deliveries[i]);
	}
}

/* The sentence of a problem, as long as the platform post still has it. */
static struct str problem_message(const struct data_call *d, const struct post_row *post,
				  struct str code, struct str field)
{
	for (size_t i = 0; i < post->delivery_count; i++) {
		const struct json *rows = NULL;
		if (str_is_empty(post->deliveries[i].warnings) ||
		    json_parse(d->arena, post->deliveries[i].warnings, NULL, &rows, NULL, NULL) !=
			    ERR_NONE)
			continue;
		for (size_t k = 0; k < rows->count; k++) {
			const struct json *row = json_at(rows, k);
			if (str_equal(json_string(json_get(row, "code")), code) &&
			    str_equal(json_string(json_get(row, "field")), field))
				return json_string(json_get(row, "message"));
		}
	}
	return STR("");
}

/* The subject is DELIVERY:CODE:FIELD (delivery/looker.c). */
static enum err_kind write_media_problem(struct data_call *d, struct error *err)
{
	struct post_row post = {0};
	struct str field = d->event->subject_id;
	struct str delivery_id = {0}, code = {0};
	const enum err_kind kind = store_post_get(d->api->config.store, d->arena, d->event->app_id,
						  d->event->post_id, &post, err);
	if (kind != ERR_NONE)
		return kind;
	if (!str_take_field(&field, ':', &delivery_id) || !str_take_field(&field, ':', &code))
		return error_set(err, ERR_INTERNAL, "an event about nothing");
	const struct post_view view = {d->arena, d->api};
	json_begin_object(&d->w);
	post_write_members(&d->w, &view, &post);
	write_platform_post(d, &post, delivery_id);
	json_key(&d->w, "problem");
	json_begin_object(&d->w);
	json_member_str(&d->w, "field", field);
	json_member_str(&d->w, "code", code);
	json_member_str_or_null(&d->w, "message", problem_message(d, &post, code, field));
	json_end_object(&d->w);
	json_end_object(&d->w);
	return ERR_NONE;
}

/* GET of the post, and which of its platform posts this is about. */
static enum err_kind write_post(struct data_call *d, struct error *err)
{
	struct post_row post = {0};
	const enum err_kind kind = store_post_get(d->api->config.store, d->arena, d->event->app_id,
						  d->event->post_id, &post, err);
	if (kind != ERR_NONE)
		return kind;
	json_begin_object(&d->w);
	const struct post_view view = {d->arena, d->api};
	post_write_members(&d->w, &view, &post);
	write_platform_post(d, &post, d->event->subject_id);
	json_end_object(&d->w);
	return ERR_NONE;
}

static enum err_kind write_connection(struct data_call *d, struct error *err)
{
	struct connection_row connection = {0};
	struct account_row *accounts = NULL;
	size_t count = 0;
	enum err_kind kind = store_connection_find(
		d->api->config.store, d->arena, d->event->app_id, d->event->subject_id,
		clock_now_us(d->api->config.clock), &connection, err);
	if (kind == ERR_NONE && connection.state == CONNECTION_SUCCESS)
		kind = store_account_list_of_connection(d->api->config.store, d->arena,
							connection.id, &accounts, &count, err);
	if (kind == ERR_NONE)
		api_connection_write(&d->w, &connection, accounts, count,
				     clock_now_us(d->api->config.clock));
	return kind;
}

static enum err_kind write_account(struct data_call *d, struct error *err)
{
	struct account_row account = {0};
	bool is_found = false;
	const enum err_kind kind =
		store_account_get_many(d->api->config.store, d->arena, d->event->app_id,
				       &d->event->subject_id, 1, &account, &is_found, err);
	if (kind != ERR_NONE)
		return kind;
	if (!is_found)
		return error_set(err, ERR_NOT_FOUND, "no such account");
	api_account_write(&d->w, d->arena, &account, clock_now_us(d->api->config.clock));
	return ERR_NONE;
}

static enum err_kind write_erased(struct data_call *d, struct error *err)
{
	struct erased_user erased = {0};
	const enum err_kind kind = store_erasure_find(d->api->config.store, d->arena,
						      d->event->subject_id, &erased, err);
	if (kind != ERR_NONE)
		return kind;
	json_begin_object(&d->w);
	json_member_str(&d->w, "user_id", erased.user_id);
	json_member_str_or_null(&d->w, "platform", str_of(platform_id_slug(erased.platform)));
	json_member_instant(&d->w, "erased_at", erased.finished_at_us);
	json_end_object(&d->w);
	return ERR_NONE;
}

static enum err_kind write_test(struct data_call *d, struct error *err)
{
	(void)err;
	json_begin_object(&d->w);
	json_member_str(&d->w, "webhook_id", d->event->subject_id);
	json_end_object(&d->w);
	return ERR_NONE;
}

/* One that is published or deleted meanwhile is named. */
static enum err_kind write_draft(struct data_call *d, struct error *err)
{
	struct draft_row draft = {0};
	const enum err_kind kind =
		store_draft_find(d->api->config.store, d->arena, d->event->app_id,
				 d->event->subject_id, &draft, err);
	if (kind == ERR_NONE)
		return draft_write(d->api, d->arena, &draft, &d->w, err);
	if (kind != ERR_NOT_FOUND)
		return kind;
	json_begin_object(&d->w);
	json_member_str(&d->w, "id", d->event->subject_id);
	json_end_object(&d->w);
	return ERR_NONE;
}

enum err_kind api_event_data(void *context, struct arena *arena, const struct event_row *event,
			     struct str *json_out, struct error *err)
{
	static enum err_kind (*const writers[EVENT_KIND_COUNT])(struct data_call *,
								struct error *) = {
		[EVENT_POST_PUBLISH_SUCCEEDED] = write_post,
		[EVENT_POST_PUBLISH_FAILED] = write_post,
		[EVENT_POST_COMPLETED] = write_post,
		[EVENT_CONNECTION_COMPLETED] = write_connection,
		[EVENT_ACCOUNT_REAUTH_REQUIRED] = write_account,
		[EVENT_TEST] = write_test,
		[EVENT_USER_ERASED] = write_erased,
		[EVENT_ACCOUNT_EXPIRING] = write_account,
		[EVENT_DRAFT_CREATED] = write_draft,
		[EVENT_DRAFT_REJECTED] = write_draft,
		[EVENT_POST_REMOVED] = write_post,
		[EVENT_POST_REMOVAL_FAILED] = write_post,
		[EVENT_POST_MEDIA_PROBLEM] = write_media_problem,
		[EVENT_POST_ID_FOUND] = write_post,
	};
	struct buf out;
	struct data_call d = {.api = context, .arena = arena, .event = event};
	buf_init(&out, arena, DATA_MAX_BYTES);
	json_writer_init(&d.w, &out);
	if (event->kind >= EVENT_KIND_COUNT)
		return error_set(err, ERR_INTERNAL, "an event of an unknown kind");
	const enum err_kind kind = writers[event->kind](&d, err);
	if (kind == ERR_NONE)
		*json_out = buf_str(&out);
	return kind;
}

/* ---- the feed ---- */

/* A body that an earlier version kept has no number: the feed makes it again. */
static bool is_numbered(struct str body)
{
	return str_find(body, STR("\"seq\":"), 0) < body.len;
}

static struct str envelope_of(struct api *api, struct arena *arena, const struct event_row *event)
{
	struct str data = STR("");
	struct error err = {0};
	if (is_numbered(event->body))
		return event->body;
	if (api_event_data(api, arena, event, &data, &err) != ERR_NONE)
		data = STR("");
	return webhook_envelope(arena, event, data);
}

static void write_events(struct api *api, struct json_writer *w, const struct event_row *events,
			 size_t count)
{
	struct arena *arena = arena_new("event of a feed", 4 * DATA_MAX_BYTES);
	json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		json_put_raw(w, envelope_of(api, arena, &events[i]));
		arena_clear(arena);
	}
	json_end_array(w);
	arena_free(&arena);
}

static void respond_feed(struct api *api, struct http_response *response,
			 const struct event_row *events, size_t count, int64_t after, bool has_more)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	write_events(api, &w, events, count);
	json_key(&w, "meta");
	json_begin_object(&w);
	json_member_str(&w, "next_cursor",
			str_format(response->arena, "%lld",
				   (long long)(count > 0 ? events[count - 1].seq : after)));
	json_member_bool(&w, "has_more", has_more);
	json_end_object(&w);
	json_end_object(&w);
	if (response->body.is_over)
		respond_field_error(response, 422, "VALIDATION_ERROR", STR("limit"),
				    STR("These events are too large for one response; request a "
					"smaller limit."));
}

void api_event_list(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct problems problems;
	struct event_row *events = NULL;
	size_t count = 0;
	struct error err = {0};
	respond_problems_init(&problems, request);
	const int64_t after = api_cursor_number(request, &problems, "after", 0, 0, INT64_MAX);
	const size_t limit = (size_t)api_cursor_number(request, &problems, "limit",
						       FEED_LIMIT_DEFAULT, 1, LIST_PER_PAGE_MAX);
	if (respond_if_problems(response, &problems))
		return;
	const enum err_kind kind =
		store_event_list(api->config.store, request->arena, request_app(request)->id, after,
				 limit + 1, &events, &count, &err);
	if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	else
		respond_feed(api, response, events, count < limit ? count : limit, after,
			     count > limit);
}
