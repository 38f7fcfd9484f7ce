/* SPDX-License-Identifier: Apache-2.0
 * Webhooks as a resource (api-decisions.md 9): create, list, change, rotate, test, and the log of
 * deliveries. The deliveries themselves are made by webhook/. */
#include "api_private.h"

#include "count_of.h"
#include "uuid.h"

#include "url.h"

#include "seal.h"

#include "store_event.h"

#include "webhook.h"
#include "webhook_sign.h"

#define OLD_SECRET_VALID_US (24 * US_PER_HOUR) /* api-decisions.md 9 */
#define LOG_LIMIT_DEFAULT 20

struct webhook_call {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	struct problems problems;
	struct webhook_row webhook;
	struct str secret; /* shown once */
};

static struct webhook_call call_begin(void *context, struct http_request *request,
				      struct http_response *response)
{
	struct webhook_call c = {.api = context, .request = request, .response = response};
	respond_problems_init(&c.problems, request);
	return c;
}

static int64_t now_us(const struct webhook_call *c)
{
	return clock_now_us(c->api->config.clock);
}

static bool found(struct webhook_call *c)
{
	struct error err = {0};
	const enum err_kind kind = store_webhook_find(
		c->api->config.store, c->request->arena, request_app(c->request)->id,
		http_request_capture(c->request, "webhook_id"), &c->webhook, &err);
	return !respond_if_failed(c->api, c->request, c->response, kind, &err);
}

/* ---- answers ---- */

static void write_events(struct json_writer *w, int64_t event_mask)
{
	json_key(w, "events");
	json_begin_array(w);
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		if ((event_mask & (INT64_C(1) << kind)) != 0)
			json_put_str(w, str_of(event_kind_name((enum event_kind)kind)));
	}
	json_end_array(w);
}

static void write_members(struct json_writer *w, const struct webhook_row *webhook)
{
	json_member_str(w, "id", webhook->id);
	json_member_str(w, "url", webhook->url);
	write_events(w, webhook->event_mask);
	json_member_bool(w, "enabled", webhook->is_enabled);
	json_member_str_or_null(w, "disabled_reason", webhook->disabled_reason);
	json_member_instant(w, "failing_since", webhook->failing_since_us);
	json_member_instant(w, "created_at", webhook->created_at_us);
	json_member_instant(w, "updated_at", webhook->updated_at_us);
}

static void respond_webhook(struct webhook_call *c, int status)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(c->response, status));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	write_members(&w, &c->webhook);
	if (!str_is_empty(c->secret))
		json_member_str(&w, "secret", c->secret);
	json_end_object(&w);
	json_end_object(&w);
}

/* ---- bodies ---- */

static void shape(struct webhook_call *c, struct str field, const char *reason, const char *message)
{
	problem_add(&c->problems, PROBLEM_SHAPE, field, reason, str_of(message));
}

/* False: answered. */
static bool read_body(struct webhook_call *c, const struct json **body_out)
{
	return respond_read_json(c->request, c->response, KNOWN("url", "events", "enabled"),
				 &c->problems, body_out);
}

/* Checks the URL itself. The addresses of its host are checked when it is called (api-decisions.md
 * 9). */
static void read_url(struct webhook_call *c, const struct json *value)
{
	const struct media_url_check *check = &c->api->config.media_url_check;
	if (!json_is(value, JSON_TYPE_STRING)) {
		shape(c, STR("url"), "wrong_type", "The url must be a string.");
		return;
	}
	c->webhook.url = value->string;
	struct url url;
	if (value->string.len > HTTP_URL_MAX_BYTES)
		shape(c, STR("url"), "too_long", "The url must not be longer than 2,048 bytes.");
	else if (url_parse(c->request->arena, value->string, &url, NULL) != ERR_NONE)
		shape(c, STR("url"), "bad_url", "The url must be an absolute http or https URL.");
	else if (check->check != NULL &&
		 check->check(check->context, c->request->arena, value->string) != NULL)
		shape(c, STR("url"), "refused", "The url points to a blocked address.");
}

static struct str unknown_event_text(struct arena *arena, const struct json *item)
{
	struct buf out;
	buf_init(&out, arena, REQUEST_JSON_MAX_BYTES + 4096);
	if (json_is(item, JSON_TYPE_STRING))
		buf_addf(&out, STR_FMT " is not an event.", STR_ARG(item->string));
	else
		buf_add_z(&out, "An event must be a string.");
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++)
		buf_addf(&out, "%s%s", kind == 0 ? " Valid events: " : ", ",
			 event_kind_name((enum event_kind)kind));
	buf_add_z(&out, ".");
	return buf_str(&out);
}

static void read_event(struct webhook_call *c, const struct json *item, size_t index)
{
	const enum event_kind kind = event_kind_of_name(json_string(item));
	if (kind == EVENT_KIND_COUNT)
		problem_add(&c->problems, PROBLEM_SHAPE,
			    str_format(c->request->arena, "events.%zu", index), "unknown_event",
			    unknown_event_text(c->request->arena, item));
	else
		c->webhook.event_mask |= INT64_C(1) << kind;
}

static void read_events(struct webhook_call *c, const struct json *value)
{
	if (!json_is(value, JSON_TYPE_ARRAY) || value->count == 0) {
		shape(c, STR("events"), "wrong_type",
		      "The events must be a list of at least one event name.");
		return;
	}
	c->webhook.event_mask = 0;
	for (size_t i = 0; i < value->count; i++)
		read_event(c, json_at(value, i), i);
}

static void read_enabled(struct webhook_call *c, const struct json *value)
{
	if (!json_is(value, JSON_TYPE_BOOL))
		shape(c, STR("enabled"), "wrong_type", "The enabled field must be true or false.");
	c->webhook.is_enabled = json_bool(value, c->webhook.is_enabled);
}

/* Reads the members that are given. False: answered. */
static bool read_members(struct webhook_call *c, const struct json *body)
{
	static const struct {
		const char *name;
		void (*read)(struct webhook_call *, const struct json *);
	} members[] = {{"url", read_url}, {"events", read_events}, {"enabled", read_enabled}};
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct json *value = json_get(body, members[i].name);
		if (!json_is_null(value))
			members[i].read(c, value);
	}
	if (str_is_empty(c->webhook.url) && json_is_null(json_get(body, "url")))
		shape(c, STR("url"), "missing", "The url field is required.");
	return !respond_if_problems(c->response, &c->problems);
}

/* ---- verbs ---- */

static struct str seal_of(struct webhook_call *c, const char *column, struct str secret)
{
	const struct seal_place place = {STR("webhooks"), str_of(column), c->webhook.id};
	return seal_secret(c->api->config.seal, c->request->arena, &place, secret,
			   c->api->config.random);
}

void api_webhook_create(void *context, struct http_request *request, struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	const int64_t now = now_us(&c);
	c.webhook = (struct webhook_row){
		.id = uuid_str(request->arena, uuid_v7(now, c.api->config.random)),
		.app_id = request_app(request)->id,
		.event_mask = EVENT_MASK_ALL,
		.is_enabled = true,
		.created_at_us = now,
		.updated_at_us = now,
	};
	const struct json *body = NULL;
	if (!read_body(&c, &body) || !read_members(&c, body))
		return;
	c.secret = webhook_secret_make(request->arena, c.api->config.random);
	c.webhook.secret_sealed = seal_of(&c, "secret", c.secret);
	struct error err = {0};
	const enum err_kind kind = store_webhook_create(c.api->config.store, &c.webhook, &err);
	if (kind == ERR_TOO_LARGE)
		respond_error(response, 422, "VALIDATION_ERROR",
			      STR("An app can have at most 10 webhooks."));
	else if (!respond_if_failed(c.api, request, response, kind, &err))
		respond_webhook(&c, 201);
}

void api_webhook_list(void *context, struct http_request *request, struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	struct webhook_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	if (respond_if_failed(c.api, request, response,
			      store_webhook_list(c.api->config.store, request->arena,
						 request_app(request)->id, &rows, &count, &err),
			      &err))
		return;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(&w);
		write_members(&w, &rows[i]);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
}

void api_webhook_get(void *context, struct http_request *request, struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	if (found(&c))
		respond_webhook(&c, 200);
}

void api_webhook_update(void *context, struct http_request *request, struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	struct error err = {0};
	const struct json *body = NULL;
	if (!read_body(&c, &body) || !found(&c))
		return;
	const bool was_enabled = c.webhook.is_enabled;
	if (!read_members(&c, body))
		return;
	c.webhook.updated_at_us = now_us(&c);
	if (respond_if_failed(c.api, request, response,
			      store_webhook_update(c.api->config.store, &c.webhook, &err), &err))
		return;
	if (c.webhook.is_enabled && !was_enabled)
		webhooker_wake(c.api->config.webhooker);
	if (found(&c))
		respond_webhook(&c, 200);
}

void api_webhook_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	struct error err = {0};
	const enum err_kind kind =
		store_webhook_delete(c.api->config.store, request_app(request)->id,
				     http_request_capture(request, "webhook_id"), &err);
	if (!respond_if_failed(c.api, request, response, kind, &err))
		response->status = 204;
}

/* Keeps the current secret as the old one. False: answered. */
static bool keep_old(struct webhook_call *c)
{
	const struct seal_place place = {STR("webhooks"), STR("secret"), c->webhook.id};
	struct str secret;
	struct error err = {0};
	const enum err_kind kind = seal_open_secret(c->api->config.seal, c->request->arena, &place,
						    c->webhook.secret_sealed, &secret, &err);
	if (respond_if_failed(c->api, c->request, c->response, kind, &err))
		return false;
	c->webhook.old_secret_sealed = seal_of(c, "old_secret", secret);
	c->webhook.old_secret_until_us = now_us(c) + OLD_SECRET_VALID_US;
	return true;
}

void api_webhook_rotate(void *context, struct http_request *request, struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	struct error err = {0};
	if (!found(&c) || !keep_old(&c))
		return;
	c.secret = webhook_secret_make(request->arena, c.api->config.random);
	c.webhook.secret_sealed = seal_of(&c, "secret", c.secret);
	c.webhook.updated_at_us = now_us(&c);
	if (!respond_if_failed(c.api, request, response,
			       store_webhook_rotate(c.api->config.store, &c.webhook, &err), &err))
		respond_webhook(&c, 200);
}

static struct str test_body(struct arena *arena, const struct event_row *event)
{
	const struct str data =
		str_format(arena, "{\"webhook_id\":\"" STR_FMT "\"}", STR_ARG(event->subject_id));
	return webhook_envelope(arena, event, data);
}

static void respond_test(struct webhook_call *c, const struct event_row *event)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(c->response, 202));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "event_id", event->id);
	json_end_object(&w);
	json_end_object(&w);
}

void api_webhook_test(void *context, struct http_request *request, struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	struct error err = {0};
	const int64_t now = now_us(&c);
	struct event_row event = {
		.id = uuid_str(request->arena, uuid_v7(now, c.api->config.random)),
		.app_id = request_app(request)->id,
		.kind = EVENT_TEST,
		.created_at_us = now,
	};
	if (!found(&c))
		return;
	event.subject_id = c.webhook.id;
	struct quota_over over;
	const enum err_kind kind =
		store_webhook_test(c.api->config.store, &event, test_body, &over, &err);
	if (kind == ERR_TOO_LARGE) {
		respond_over_quota(response, &over);
		return;
	}
	if (kind == ERR_CONFLICT) {
		respond_error(response, 409, "WEBHOOK_DISABLED",
			      STR("The webhook is disabled; enable it first."));
		return;
	}
	if (respond_if_failed(c.api, request, response, kind, &err))
		return;
	webhooker_wake(c.api->config.webhooker);
	respond_test(&c, &event);
}

/* ---- the log ---- */

static void write_log_row(struct json_writer *w, const struct webhook_delivery_row *row)
{
	json_begin_object(w);
	json_member_int(w, "id", row->id);
	json_member_str(w, "event_id", row->event_id);
	json_member_str(w, "event", str_of(event_kind_name(row->kind)));
	json_member_str(w, "state", str_of(store_webhook_state_name(row->state)));
	json_member_int(w, "attempts", row->attempts);
	json_member_instant(w, "next_attempt_at", row->next_attempt_at_us);
	json_member_instant(w, "created_at", row->created_at_us);
	json_key(w, "tries");
	json_put_raw(w, row->log);
	json_end_object(w);
}

static void respond_log(struct webhook_call *c, const struct webhook_delivery_row *rows,
			size_t count, size_t limit)
{
	struct json_writer w;
	const bool has_more = count > limit;
	const size_t shown = has_more ? limit : count;
	json_writer_init(&w, http_response_json(c->response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < shown; i++)
		write_log_row(&w, &rows[i]);
	json_end_array(&w);
	json_key(&w, "meta");
	json_begin_object(&w);
	json_member_bool(&w, "has_more", has_more);
	json_end_object(&w);
	json_end_object(&w);
}

void api_webhook_deliveries(void *context, struct http_request *request,
			    struct http_response *response)
{
	struct webhook_call c = call_begin(context, request, response);
	struct webhook_delivery_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	const int64_t before = api_cursor_number(request, &c.problems, "before", 0, 0, INT64_MAX);
	const int64_t limit = api_cursor_number(request, &c.problems, "limit", LOG_LIMIT_DEFAULT, 1,
						LIST_PER_PAGE_MAX);
	if (respond_if_problems(response, &c.problems) || !found(&c))
		return;
	const enum err_kind kind =
		store_webhook_log(c.api->config.store, request->arena, c.webhook.id, before,
				  (size_t)limit + 1, &rows, &count, &err);
	if (!respond_if_failed(c.api, request, response, kind, &err))
		respond_log(&c, rows, count, (size_t)limit);
}
