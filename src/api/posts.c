/* SPDX-License-Identifier: Apache-2.0
 * Endpoint 6, GET /v1/posts with its filters, and one post with its timeline (api-decisions.md 7
 * and 8). */
#include "api_private.h"

#include "etag.h"

#include "count_of.h"
#include "timetext.h"

#define PER_PAGE_DEFAULT 20 /* contract.md, Limits */
/* page * per_page stays far from overflow; beyond it every page is empty */
#define PAGE_MAX INT64_C(1000000000)
#define POST_ARENA_BYTES ((size_t)16 << 20) /* to read one post's content in: a body of 1 MiB */

/* ---- filters ---- */

struct list_query {
	struct http_request *request;
	struct problems problems;
	struct post_filter filter;
	int64_t page; /* as asked for */
	struct civil_date date_from, date_to;
	bool has_from, has_to;
};

static void query_problem(struct list_query *q, const char *name, const char *reason,
			  const char *message)
{
	problem_add(&q->problems, PROBLEM_SHAPE, str_of(name), reason, str_of(message));
}

/* The value of a parameter, or NULL. An empty value counts as given, so that a filter is never
 * dropped silently. */
static const struct str *query_find(struct list_query *q, const char *name)
{
	if (form_count(&q->request->query, name) <= 1)
		return form_find(&q->request->query, name);
	problem_add(&q->problems, PROBLEM_SHAPE, str_of(name), "repeated",
		    str_format(q->request->arena, "The %s must be given once.", name));
	return NULL;
}

static bool read_date(struct list_query *q, const char *name, const char *message,
		      struct civil_date *out)
{
	const struct str *text = query_find(q, name);
	if (text == NULL)
		return false;
	if (timetext_parse_date(*text, out))
		return true;
	query_problem(q, name, "bad_date", message);
	return false;
}

static void read_dates(struct list_query *q)
{
	q->has_from =
		read_date(q, "date_from", "The date_from must be a date of the form YYYY-MM-DD.",
			  &q->date_from);
	q->has_to = read_date(q, "date_to", "The date_to must be a date of the form YYYY-MM-DD.",
			      &q->date_to);
	const int64_t from_us = q->has_from ? timetext_date_us(q->date_from) : 0;
	const int64_t end_us = q->has_to ? timetext_date_us(q->date_to) + US_PER_DAY : 0;
	if (q->has_from && q->has_to && end_us <= from_us)
		query_problem(q, "date_to", "before_date_from",
			      "The date_to must be a date after or equal to date_from.");
	/* 0 means "no bound" to the store. A start before 1970 is no bound; an end before 1970
	 * matches no post. */
	if (q->has_from && from_us > 0)
		q->filter.date_from_us = from_us;
	if (q->has_to)
		q->filter.date_to_us = end_us > 0 ? end_us : 1;
}

static void read_status(struct list_query *q)
{
	static const char *const allowed[] = {"pending", "scheduled", "published", "failed"};
	const struct str *text = query_find(q, "status");
	if (text == NULL)
		return;
	for (size_t i = 0; i < COUNT_OF(allowed); i++) {
		if (str_equal_z(*text, allowed[i])) {
			q->filter.status = *text;
			return;
		}
	}
	query_problem(q, "status", "bad_value",
		      "The status must be one of pending, scheduled, published, failed.");
}

static int64_t read_number(struct list_query *q, const char *name, int64_t fallback, int64_t max,
			   const char *message)
{
	const struct str *text = query_find(q, name);
	int64_t value = 0;
	if (text == NULL)
		return fallback;
	if (str_parse_i64(*text, &value) && value >= 1 && value <= max)
		return value;
	query_problem(q, name, "bad_number", message);
	return fallback;
}

/* "name", or anything that begins with "name[". */
static bool is_about(struct str parameter, const char *name)
{
	return str_skip(&parameter, str_of(name)) &&
	       (str_is_empty(parameter) || parameter.ptr[0] == '[');
}

/* "name[]" or "name[7]". */
static bool is_element_of(struct str parameter, const char *name)
{
	struct str index;
	uint64_t number;
	return str_skip(&parameter, str_of(name)) && str_skip(&parameter, STR("[")) &&
	       str_take_until(&parameter, ']', &index) && parameter.len == 1 &&
	       (str_is_empty(index) || str_parse_u64(index, &number));
}

static void check_array_form(struct list_query *q, const char *name)
{
	const struct form *query = &q->request->query;
	size_t wrong = 0;
	for (size_t i = 0; i < query->count; i++)
		wrong += is_about(query->pairs[i].name, name) &&
			 !is_element_of(query->pairs[i].name, name);
	if (wrong > 0)
		problem_add(&q->problems, PROBLEM_SHAPE, str_of(name), "not_an_array",
			    str_format(q->request->arena, "The %s must be an array: %s[]=...", name,
				       name));
}

static const struct str *read_array(struct list_query *q, const char *name, size_t *count_out)
{
	const struct form *query = &q->request->query;
	struct arena *arena = q->request->arena;
	struct str *values = ARENA_ARRAY(arena, struct str, LIST_FILTER_VALUES_MAX);
	size_t count = 0;
	*count_out = 0;
	check_array_form(q, name);
	for (size_t i = 0; i < query->count; i++) {
		if (!is_element_of(query->pairs[i].name, name))
			continue;
		if (count == LIST_FILTER_VALUES_MAX) {
			problem_add(&q->problems, PROBLEM_SHAPE, str_of(name), "too_many",
				    str_format(arena, "The %s must not have more than %d values.",
					       name, LIST_FILTER_VALUES_MAX));
			return values;
		}
		values[count++] = query->pairs[i].value;
	}
	*count_out = count;
	return values;
}

static void read_platform(struct list_query *q)
{
	const struct str *text = query_find(q, "platform");
	if (text == NULL)
		return;
	q->filter.platform = platform_id_of_slug(*text);
	if (q->filter.platform == PLATFORM_NONE)
		query_problem(q, "platform", "bad_value",
			      "The platform must be one of instagram, facebook, x, linkedin, "
			      "youtube, tiktok.");
}

static void read_filters(struct list_query *q)
{
	if (q->request->has_bad_query)
		query_problem(q, "query", "malformed",
			      "The query is not valid percent-encoded UTF-8.");
	q->filter.app_id = request_app(q->request)->id;
	read_dates(q);
	read_status(q);
	q->filter.user_ids = read_array(q, "external_user_ids", &q->filter.user_id_count);
	q->filter.account_ids = read_array(q, "account_ids", &q->filter.account_id_count);
	read_platform(q);
	q->page = read_number(q, "page", 1, INT64_MAX,
			      "The page must be a whole number of at least 1.");
	q->filter.page = q->page < PAGE_MAX ? q->page : PAGE_MAX;
	q->filter.per_page = read_number(q, "per_page", PER_PAGE_DEFAULT, LIST_PER_PAGE_MAX,
					 "The per_page must be a whole number between 1 and 100.");
}

/* ---- list ---- */

static void write_posts(struct json_writer *w, const struct post_row *posts, size_t count)
{
	struct arena *arena = arena_new("post of a list", POST_ARENA_BYTES);
	const struct post_view view = {arena, NULL};
	json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		post_write(w, &view, &posts[i]);
		arena_clear(arena);
	}
	json_end_array(w);
	arena_free(&arena);
}

void posts_respond_too_large(struct http_response *response)
{
	respond_field_error(
		response, 422, "VALIDATION_ERROR", STR("per_page"),
		STR("These posts are too large for one page; request a smaller per_page."));
}

static void respond_list(struct http_response *response, const struct list_query *q,
			 const struct post_row *posts, size_t count, int64_t total)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	write_posts(&w, posts, count);
	respond_write_meta(&w, q->page, q->filter.per_page, total);
	json_end_object(&w);
	if (response->body.is_over)
		posts_respond_too_large(response);
}

void api_post_list(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct list_query q = {.request = request};
	respond_problems_init(&q.problems, request);
	read_filters(&q);
	if (respond_if_problems(response, &q.problems))
		return;
	struct post_row *posts = NULL;
	size_t count = 0;
	int64_t total = 0;
	struct error err = {0};
	const enum err_kind kind = store_post_list(api->config.store, request->arena, &q.filter,
						   &posts, &count, &total, &err);
	if (kind == ERR_NONE)
		respond_list(response, &q, posts, count, total);
	else if (kind == ERR_TOO_LARGE)
		posts_respond_too_large(response);
	else
		respond_failure(api, request, response, kind, &err);
}

/* ---- one post ---- */

/* False: answered already. */
static bool find_post(struct api *api, struct http_request *request, struct http_response *response,
		      struct post_row *post)
{
	struct error err = {0};
	const enum err_kind kind =
		store_post_get(api->config.store, request->arena, request_app(request)->id,
			       http_request_capture(request, "post_id"), post, &err);
	return !respond_if_failed(api, request, response, kind, &err);
}

void api_post_get(void *context, struct http_request *request, struct http_response *response)
{
	struct post_row post = {0};
	if (!find_post(context, request, response, &post) ||
	    etag_is_known(request, response, etag_of_post(request->arena, &post)))
		return;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	const struct post_view view = {request->arena, context};
	post_write(&w, &view, &post);
	json_end_object(&w);
}

static void write_timeline_row(struct json_writer *w, const struct timeline_row *row)
{
	json_begin_object(w);
	json_member_instant(w, "at", row->entry.at_us);
	json_member_str(w, "delivery_id", row->delivery_id);
	json_member_str(w, "account_id", row->account_id);
	json_member_str(w, "stage", row->entry.stage);
	json_member_str(w, "method", row->entry.method);
	json_member_str(w, "host_path", row->entry.host_path);
	if (row->entry.status > 0)
		json_member_int(w, "status", row->entry.status);
	else
		json_member_null(w, "status");
	json_member_int(w, "duration_ms", row->entry.duration_us / US_PER_MS);
	json_member_str(w, "verdict", row->entry.verdict);
	json_member_str(w, "decision", row->entry.decision);
	json_member_str_or_null(w, "excerpt", row->entry.excerpt);
	json_end_object(w);
}

void api_post_timeline(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct post_row post = {0};
	struct timeline_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	if (!find_post(api, request, response, &post))
		return;
	const enum err_kind kind = store_timeline_list(api->config.store, request->arena, post.id,
						       &rows, &count, &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		write_timeline_row(&w, &rows[i]);
	json_end_array(&w);
	json_end_object(&w);
}
