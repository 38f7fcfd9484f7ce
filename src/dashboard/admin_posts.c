/* SPDX-License-Identifier: Apache-2.0
 * Admin API: posts of all apps of an owner in one list, the calendar of a month, the meaning of
 * failures, and a person's answer to an unknown outcome. Everything about one post is the public
 * API's (admin_web.c). */
#include "admin_private.h"

#include "count_of.h"
#include "timetext.h"

#include "failure.h"
#include "media_id.h"
#include "post.h"

#include "store_dashboard.h"
#include "store_media.h"
#include "store_post_change.h"
#include "store_post_resolve.h"
#include "store_words.h"

#include "delivery.h"

#define LIMIT_DEFAULT 25
#define TEXT_CHARACTERS_MAX 280
#define FILTER_MAX_BYTES 255
/* to read one post's content in: a body of 1 MiB */
#define CONTENT_ARENA_BYTES ((size_t)16 << 20)
/* of a picture that is shown small as it is */
#define THUMBNAIL_MAX_BYTES (4 << 20)

/* ---- what failures mean ---- */

static const struct advice {
	enum failure_code code;
	const char *action;
	const char *text;
} advices[] = {
#define ADVICE(code, action, text) {FAILURE_CODE_##code, action, text},
#include "failure_advice.def"
#undef ADVICE
};

_Static_assert(COUNT_OF(advices) == FAILURE_CODE_COUNT - 1, "every failure code has its advice");

void admin_failure_list(void *context, struct http_request *request, struct http_response *response)
{
	(void)context, (void)request;
	struct json_writer w;
	admin_respond_list_begin(response, &w);
	for (size_t i = 0; i < COUNT_OF(advices); i++) {
		json_begin_object(&w);
		json_member_str(&w, "code", str_of(failure_code_name(advices[i].code)));
		json_member_str(&w, "sentence", str_of(failure_code_sentence(advices[i].code)));
		json_member_str(&w, "advice", str_of(advices[i].text));
		json_member_str(&w, "action", str_of(advices[i].action));
		json_end_object(&w);
	}
	admin_respond_list_end(&w);
}

/* ---- the list ---- */

struct listing {
	struct admin *admin;
	struct http_request *request;
	struct http_response *response;
	struct admin_apps apps;
	struct dashboard_filter filter;
	int64_t limit;
	/* One for each app: */
	int64_t *below; /* where to go on; 1 or less = at the end */
	struct dashboard_page *pages;
	size_t *used;
	bool is_partial;
	int64_t total; /* of all pages; -1 = not counted */
	/* Posts whose words are not in the index yet, where words are asked for. */
	int64_t words_waiting;
};

static bool is_status(struct str word)
{
	static const char *const words[] = {"", "pending", "scheduled", "published", "failed"};
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (str_equal_z(word, words[i]))
			return true;
	}
	return false;
}

/* False: answered. */
static bool read_words(struct listing *l)
{
	const struct http_request *request = l->request;
	struct str platform;
	if (!admin_request_query_text(request, l->response, "status", FILTER_MAX_BYTES,
				      &l->filter.status) ||
	    !admin_request_query_text(request, l->response, "platform", FILTER_MAX_BYTES,
				      &platform) ||
	    !admin_request_query_text(request, l->response, "user", FILTER_MAX_BYTES,
				      &l->filter.user_id) ||
	    !admin_request_query_text(request, l->response, "account_id", FILTER_MAX_BYTES,
				      &l->filter.account_id) ||
	    !admin_request_query_text(request, l->response, "text", FILTER_MAX_BYTES,
				      &l->filter.text) ||
	    !admin_request_query_text(request, l->response, "error", FILTER_MAX_BYTES,
				      &l->filter.error_code))
		return false;
	if (!is_status(l->filter.status)) {
		admin_respond_field_error(l->response, "status",
					  STR("The status must be one of pending, scheduled, "
					      "published, failed."));
		return false;
	}
	const enum platform_id id = platform_id_of_slug(platform);
	if (!str_is_empty(platform) && id == PLATFORM_NONE) {
		admin_respond_field_error(l->response, "platform",
					  STR("This platform is not supported."));
		return false;
	}
	l->filter.platform_mask = id != PLATFORM_NONE ? INT64_C(1) << id : 0;
	return true;
}

/* A range with one day given is open at the other end. False: answered. */
static bool read_dates(struct listing *l)
{
	struct civil_date from = {0}, to = {0};
	if (!admin_request_query_date(l->request, l->response, "from", &from) ||
	    !admin_request_query_date(l->request, l->response, "to", &to))
		return false;
	if (from.year != 0)
		l->filter.date_from_us = timetext_date_us(from);
	if (to.year != 0)
		l->filter.date_to_us = timetext_date_us(to) + US_PER_DAY;
	return true;
}

/* The cursor is one ordinal for each app, separated by dots; an app without one is at its end.
 * False: answered. */
static bool read_cursor(struct listing *l)
{
	struct str text, part;
	if (!admin_request_query_text(l->request, l->response, "after", 4000, &text))
		return false;
	for (size_t i = 0; i < l->apps.count; i++)
		l->below[i] = str_is_empty(text) ? INT64_MAX : 0;
	for (size_t i = 0; !str_is_empty(text) && i < l->apps.count; i++) {
		if (!str_take_field(&text, '.', &part) || !str_parse_i64(part, &l->below[i])) {
			admin_respond_field_error(
				l->response, "after",
				STR("Invalid cursor: pass the `next` value of the previous page."));
			return false;
		}
	}
	return true;
}

/* False: answered. */
static bool listing_begin(struct listing *l)
{
	struct arena *arena = l->request->arena;
	if (!admin_request_query_apps(l->admin, l->request, l->response, &l->apps))
		return false;
	l->below = ARENA_ARRAY(arena, int64_t, l->apps.count);
	l->pages = ARENA_ARRAY(arena, struct dashboard_page, l->apps.count);
	l->used = ARENA_ARRAY(arena, size_t, l->apps.count);
	return admin_request_query_number(l->request, l->response, "limit", LIMIT_DEFAULT,
					  LIST_PER_PAGE_MAX, &l->limit) &&
	       read_words(l) && read_dates(l) && read_cursor(l);
}

/* Fetches one more than the page holds, to know whether there is a next page. */
static enum err_kind find_all(struct listing *l, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < l->apps.count && kind == ERR_NONE; i++) {
		if (l->below[i] <= 1)
			continue;
		l->filter.app_id = l->apps.rows[i].id;
		l->filter.below_ordinal = l->below[i];
		l->filter.max = l->limit + 1;
		kind = store_dashboard_find(l->admin->config.store, l->request->arena, &l->filter,
					    &l->pages[i], err);
		l->is_partial = l->is_partial || ((int64_t)l->pages[i].count < l->filter.max &&
						  l->pages[i].looked_down_to > 1);
	}
	return kind;
}

/* What the counters can tell costs the same however many there are. */
static enum err_kind count_all(struct listing *l, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < l->apps.count && kind == ERR_NONE && l->total >= 0; i++) {
		int64_t total = 0;
		l->filter.app_id = l->apps.rows[i].id;
		kind = store_dashboard_total(l->admin->config.store, &l->filter, &total, err);
		l->total = total >= 0 ? l->total + total : -1;
	}
	return kind;
}

static enum err_kind count_waiting(struct listing *l, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < l->apps.count && kind == ERR_NONE; i++) {
		int64_t posts = 0;
		kind = store_words_waiting(l->admin->config.store, l->apps.rows[i].id, &posts, err);
		l->words_waiting += posts;
	}
	return kind;
}

/* The app whose next post is the newest; count when there is none. */
static size_t newest_of(const struct listing *l)
{
	size_t best = l->apps.count;
	for (size_t i = 0; i < l->apps.count; i++) {
		if (l->used[i] == l->pages[i].count)
			continue;
		if (best == l->apps.count ||
		    l->pages[i].places[l->used[i]].created_at_us >
			    l->pages[best].places[l->used[best]].created_at_us)
			best = i;
	}
	return best;
}

static size_t choose(struct listing *l, size_t *order)
{
	size_t count = 0;
	while ((int64_t)count < l->limit) {
		const size_t app = newest_of(l);
		if (app == l->apps.count)
			return count;
		l->used[app]++;
		order[count++] = app;
	}
	return count;
}

static enum err_kind fetch(struct listing *l, size_t app, struct post_row **posts,
			   struct error *err)
{
	int64_t *ordinals = ARENA_ARRAY(l->request->arena, int64_t, l->used[app]);
	size_t count = 0;
	for (size_t i = 0; i < l->used[app]; i++)
		ordinals[i] = l->pages[app].places[i].ordinal;
	const enum err_kind kind = store_dashboard_posts(l->admin->config.store, l->request->arena,
							 l->apps.rows[app].id, ordinals,
							 l->used[app], posts, &count, err);
	l->used[app] = kind == ERR_NONE ? count : 0;
	return kind;
}

/* ---- a row ---- */

static struct str cut_text(struct str text, bool *is_cut_out)
{
	size_t characters = 0;
	for (size_t i = 0; i < text.len; i++) {
		const bool begins = ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
		if (begins && characters++ == TEXT_CHARACTERS_MAX) {
			*is_cut_out = true;
			return str_slice(text, 0, i);
		}
	}
	*is_cut_out = false;
	return text;
}

/* A picture that a browser draws, and not so large that a list of them is slow. */
static bool is_thumbnail(const struct media_row *file)
{
	static const char *const types[] = {"image/jpeg", "image/png", "image/gif", "image/webp"};
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (str_equal_z(file->mime_type, types[i]))
			return file->size_bytes <= THUMBNAIL_MAX_BYTES;
	}
	return false;
}

/* The first file of the post, if it was uploaded here, is still there and can be shown small. */
static struct str thumbnail_of(const struct admin *admin, struct arena *arena, struct str app_id,
			       const struct post_content *content)
{
	struct media_row file = {0};
	const struct media *first = post_media_at(content, 0);
	if (first == NULL || !media_id_is(first->url))
		return STR("");
	const enum err_kind kind =
		store_media_find(admin->config.store, arena, app_id, first->url, &file, NULL);
	return kind == ERR_NONE && is_thumbnail(&file) ? first->url : STR("");
}

static void write_content(const struct admin *admin, struct json_writer *w, struct arena *arena,
			  const struct post_row *post)
{
	struct post_content content = {0};
	bool is_cut = false;
	const bool is_readable =
		post_content_read(arena, post->content, &content, NULL) == ERR_NONE &&
		content.container_count > 0;
	const struct str text =
		is_readable ? cut_text(content.containers[0].content, &is_cut) : STR("");
	json_member_str_or_null(
		w, "type",
		content.type != POST_TYPE_NONE ? str_of(post_type_name(content.type)) : STR(""));
	json_member_str(w, "text", text);
	json_member_bool(w, "text_is_cut", is_cut);
	json_member_int(w, "media_count", is_readable ? (int64_t)post_media_total(&content) : 0);
	json_member_int(w, "container_count", (int64_t)content.container_count);
	json_member_str_or_null(w, "thumbnail",
				is_readable ? thumbnail_of(admin, arena, post->app_id, &content)
					    : STR(""));
}

static void write_error(struct json_writer *w, const struct delivery_row *delivery)
{
	if (str_is_empty(delivery->error_code)) {
		json_member_null(w, "error");
		return;
	}
	json_key(w, "error");
	json_begin_object(w);
	json_member_str(w, "code", delivery->error_code);
	json_member_str(w, "message", delivery->error_message);
	json_end_object(w);
}

static void write_delivery(struct json_writer *w, const struct delivery_row *delivery,
			   int64_t now_us)
{
	json_begin_object(w);
	json_member_str(w, "account_id", delivery->account_id);
	json_member_str(w, "platform", str_of(platform_id_slug(delivery->platform)));
	json_member_str(w, "handle", delivery->handle);
	json_member_str(w, "status", str_of(post_state_status(delivery->state)));
	json_member_str(w, "state", str_of(post_state_name(delivery->state)));
	json_member_str(w, "outcome",
			str_of(store_post_outcome_name(store_post_delivery_outcome(delivery))));
	json_member_str_or_null(w, "url", delivery->url);
	json_member_instant(w, "published_at", delivery->published_at_us);
	json_member_int(w, "attempts", delivery->attempts);
	json_member_instant(w, "next_attempt_at",
			    delivery->next_attempt_at_us > now_us ? delivery->next_attempt_at_us
								  : 0);
	write_error(w, delivery);
	json_end_object(w);
}

void admin_write_post(const struct admin *admin, struct json_writer *w, struct arena *arena,
		      const struct app_row *app, const struct post_row *post)
{
	const int64_t now_us = clock_now_us(admin->config.clock);
	json_begin_object(w);
	json_member_str(w, "id", post->id);
	json_member_str(w, "client_id", app->client_id);
	json_member_str(w, "app_name", app->name);
	json_member_str(w, "request_id", post->request_id);
	json_member_str(w, "external_user_id", post->external_user_id);
	json_member_str(w, "status", str_of(post_state_status(post->state)));
	json_member_str(w, "state", str_of(post_state_name(post->state)));
	json_member_str(w, "outcome", str_of(store_post_outcome_name(store_post_outcome_of(post))));
	json_member_str(w, "mode", str_of(post_mode_name(post->mode)));
	write_content(admin, w, arena, post);
	json_member_instant(w, "scheduled_at", post->scheduled_at_us);
	json_member_instant(w, "created_at", post->created_at_us);
	json_key(w, "platform_posts");
	json_begin_array(w);
	for (size_t i = 0; i < post->delivery_count; i++)
		write_delivery(w, &post->deliveries[i], now_us);
	json_end_array(w);
	json_end_object(w);
}

/* The position in each app; empty when all are at their end. */
static struct str next_cursor(struct listing *l)
{
	struct buf out;
	bool has_more = false;
	buf_init(&out, l->request->arena, 24 * l->apps.count + 1);
	for (size_t i = 0; i < l->apps.count; i++) {
		const struct dashboard_page *page = &l->pages[i];
		int64_t below = l->below[i];
		if (l->used[i] == page->count && below > 1)
			below = page->looked_down_to;
		else if (l->used[i] > 0)
			below = page->places[l->used[i] - 1].ordinal;
		has_more = has_more || below > 1;
		if (i > 0)
			buf_add_char(&out, '.');
		buf_add_i64(&out, below > 1 ? below : 0);
	}
	return has_more ? buf_str(&out) : STR("");
}

/* Writes the chosen rows: order has the app of each row, posts the posts of each app in order. */
static void write_rows(struct listing *l, struct json_writer *w, const size_t *order, size_t count,
		       struct post_row *const *posts)
{
	struct arena *content = arena_new("post of a list", CONTENT_ARENA_BYTES);
	size_t *written = ARENA_ARRAY(l->request->arena, size_t, l->apps.count);
	json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		const size_t app = order[i];
		if (written[app] < l->used[app])
			admin_write_post(l->admin, w, content, &l->apps.rows[app],
					 &posts[app][written[app]++]);
		arena_clear(content);
	}
	json_end_array(w);
	arena_free(&content);
}

static enum err_kind respond_list(struct listing *l, struct error *err)
{
	struct arena *arena = l->request->arena;
	size_t *order = ARENA_ARRAY(arena, size_t, (size_t)l->limit);
	struct post_row **posts = ARENA_ARRAY(arena, struct post_row *, l->apps.count);
	const size_t count = choose(l, order);
	const struct str next = next_cursor(l);
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < l->apps.count && kind == ERR_NONE; i++) {
		if (l->used[i] > 0)
			kind = fetch(l, i, &posts[i], err);
	}
	if (kind != ERR_NONE)
		return kind;
	struct json_writer w;
	json_writer_init(&w, http_response_json(l->response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	write_rows(l, &w, order, count, posts);
	json_member_str_or_null(&w, "next", next);
	json_member_bool(&w, "is_partial", l->is_partial);
	if (l->total >= 0)
		json_member_int(&w, "total", l->total);
	else
		json_member_null(&w, "total");
	if (!str_is_empty(l->filter.text))
		json_member_int(&w, "words_waiting", l->words_waiting);
	json_end_object(&w);
	return ERR_NONE;
}

void admin_post_list(void *context, struct http_request *request, struct http_response *response)
{
	struct listing l = {.admin = context, .request = request, .response = response};
	struct error err = {0};
	if (!listing_begin(&l))
		return;
	enum err_kind kind = find_all(&l, &err);
	if (kind == ERR_NONE)
		kind = count_all(&l, &err);
	if (kind == ERR_NONE && !str_is_empty(l.filter.text))
		kind = count_waiting(&l, &err);
	if (kind == ERR_NONE)
		kind = respond_list(&l, &err);
	if (kind == ERR_TOO_LARGE)
		admin_respond_field_error(
			response, "limit",
			STR("These posts are too large for one page; request a smaller limit."));
	else if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "post");
}

/* ---- the calendar ---- */

#define MONTH_DAYS_MAX 31

struct month {
	struct civil_date first;
	int64_t first_day;
	int64_t day_count;
	int64_t counts[MONTH_DAYS_MAX][4];
};

static const char *const statuses[] = {"scheduled", "pending", "published", "failed"};

/* False: answered. */
static bool read_month(const struct http_request *request, struct http_response *response,
		       struct month *month)
{
	struct str text;
	if (!admin_request_query_text(request, response, "month", 10, &text))
		return false;
	const struct str day = str_concat(request->arena, text, STR("-01"));
	if (text.len != 7 || !timetext_parse_date(day, &month->first)) {
		admin_respond_field_error(response, "month",
					  STR("The month must be of the form YYYY-MM."));
		return false;
	}
	struct civil_date next = month->first;
	next.month = next.month == 12 ? 1 : next.month + 1;
	next.year += next.month == 1;
	month->first_day = timetext_day_number(timetext_date_us(month->first));
	month->day_count = timetext_day_number(timetext_date_us(next)) - month->first_day;
	return true;
}

static void count_days(struct month *month, const struct dashboard_day *days, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const int64_t day = days[i].day - month->first_day;
		for (size_t s = 0; s < 4 && day >= 0 && day < month->day_count; s++) {
			if (str_equal_z(days[i].status, statuses[s]))
				month->counts[day][s] += days[i].count;
		}
	}
}

static void write_month(struct json_writer *w, const struct month *month)
{
	json_begin_object(w);
	json_member_str(
		w, "month",
		str_format(w->out->arena, "%04d-%02d", month->first.year, month->first.month));
	json_key(w, "days");
	json_begin_array(w);
	for (int64_t day = 0; day < month->day_count; day++) {
		json_begin_object(w);
		json_member_str(w, "date",
				str_format(w->out->arena, "%04d-%02d-%02d", month->first.year,
					   month->first.month, (int)day + 1));
		for (size_t s = 0; s < 4; s++)
			json_member_int(w, statuses[s], month->counts[day][s]);
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}

void admin_calendar(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct admin_apps apps = {0};
	struct month month = {0};
	struct error err = {0};
	enum err_kind kind = ERR_NONE;
	if (!admin_request_query_apps(admin, request, response, &apps) ||
	    !read_month(request, response, &month))
		return;
	for (size_t i = 0; i < apps.count && kind == ERR_NONE; i++) {
		struct dashboard_day *days = NULL;
		size_t count = 0;
		kind = store_dashboard_days(admin->config.store, request->arena, apps.rows[i].id,
					    month.first_day, month.first_day + month.day_count,
					    &days, &count, &err);
		if (kind == ERR_NONE)
			count_days(&month, days, count);
	}
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "month");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	write_month(&w, &month);
}

/* ---- what a person saw ---- */

static enum err_kind send_again(struct admin *admin, struct arena *arena,
				const struct post_appeared *what, struct error *err)
{
	const struct post_retry retry = {
		.app_id = what->app_id,
		.post_id = what->post_id,
		.account_ids = &what->account_id,
		.account_count = 1,
		.republish = true,
		.now_us = what->now_us,
	};
	struct post_retry_result result = {0};
	const enum err_kind kind =
		store_post_retry(admin->config.store, arena, &retry, &result, err);
	if (kind != ERR_NONE)
		return kind;
	switch (result.outcome) {
	case POST_RETRIED:
		deliverer_wake(admin->web.deliverer);
		return ERR_NONE;
	case POST_RETRY_NOT_TARGETS:
		return error_set(err, ERR_NOT_FOUND, "the post does not target that account");
	case POST_RETRY_ACCOUNTS_GONE:
		return error_set(err, ERR_INVALID,
				 "The account cannot be published to; reconnect it first.");
	case POST_RETRY_MEDIA_EXPIRED:
		return error_set(err, ERR_INVALID,
				 "An uploaded file of the post is gone; publish a new post.");
	case POST_RETRY_NOTHING:
		break;
	}
	return error_set(err, ERR_CONFLICT, "its outcome is known");
}

static const struct delivery_row *delivery_of(const struct post_row *post, struct str account_id)
{
	for (size_t i = 0; i < post->delivery_count; i++) {
		if (str_equal(post->deliveries[i].account_id, account_id))
			return &post->deliveries[i];
	}
	return NULL;
}

static bool is_unknown(const struct delivery_row *delivery)
{
	return delivery->state == POST_FAILED &&
	       failure_code_of_name(delivery->error_code) == FAILURE_CODE_OUTCOME_UNKNOWN;
}

static void respond_resolved(struct admin *admin, struct http_request *request,
			     struct http_response *response, const struct post_appeared *what)
{
	struct post_row post = {0};
	struct error err = {0};
	const enum err_kind kind = store_post_get(admin->config.store, request->arena, what->app_id,
						  what->post_id, &post, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "post");
		return;
	}
	const struct delivery_row *delivery = delivery_of(&post, what->account_id);
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", post.id);
	json_member_str(&w, "state", str_of(post_state_name(post.state)));
	json_member_str(&w, "account_id", what->account_id);
	json_member_str(&w, "account_state",
			str_of(post_state_name(delivery != NULL ? delivery->state : POST_FAILED)));
	json_end_object(&w);
	json_end_object(&w);
}

/* False: answered. */
static bool read_text(struct http_response *response, const struct json *body, const char *name,
		      size_t max_bytes, struct str *out)
{
	*out = STR("");
	return json_is_null(json_get(body, name)) ||
	       admin_request_text(response, body, name, max_bytes, out);
}

static bool read_url(struct http_response *response, struct str url)
{
	if (str_is_empty(url) || str_has_prefix(url, STR("https://")) ||
	    str_has_prefix(url, STR("http://")))
		return true;
	admin_respond_field_error(response, "url",
				  STR("The url must begin with https:// or http://."));
	return false;
}

/* False: answered. */
static bool read_resolution(struct admin *admin, struct http_request *request,
			    struct http_response *response, struct post_appeared *what,
			    bool *has_appeared)
{
	const struct json *body = admin_request_body(
		request, response, KNOWN("account_id", "appeared", "url", "platform_post_id"));
	const struct json *appeared = json_get(body, "appeared");
	what->post_id = http_request_capture(request, "post_id");
	what->now_us = clock_now_us(admin->config.clock);
	if (body == NULL ||
	    !admin_request_text(response, body, "account_id", FILTER_MAX_BYTES,
				&what->account_id) ||
	    !read_text(response, body, "url", HTTP_URL_MAX_BYTES, &what->url) ||
	    !read_text(response, body, "platform_post_id", FILTER_MAX_BYTES, &what->remote_id) ||
	    !read_url(response, what->url))
		return false;
	*has_appeared = json_bool(appeared, false);
	if (json_is(appeared, JSON_TYPE_BOOL))
		return true;
	admin_respond_field_error(response, "appeared", STR("appeared must be true or false."));
	return false;
}

/* Checked first, since a retry would also take a delivery that failed for another reason. */
static enum err_kind find_unknown(struct admin *admin, struct arena *arena,
				  const struct post_appeared *what, struct error *err)
{
	struct post_row post = {0};
	const enum err_kind kind =
		store_post_get(admin->config.store, arena, what->app_id, what->post_id, &post, err);
	if (kind != ERR_NONE)
		return kind;
	const struct delivery_row *delivery = delivery_of(&post, what->account_id);
	if (delivery == NULL)
		return error_set(err, ERR_NOT_FOUND, "the post does not target that account");
	return is_unknown(delivery) ? ERR_NONE
				    : error_set(err, ERR_CONFLICT, "its outcome is known");
}

void admin_post_resolve(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	struct post_appeared what = {0};
	bool has_appeared = false;
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app) ||
	    !read_resolution(admin, request, response, &what, &has_appeared))
		return;
	what.app_id = app.id;
	enum err_kind kind = find_unknown(admin, request->arena, &what, &err);
	if (kind == ERR_NONE)
		kind = has_appeared ? store_post_appeared(admin->config.store, &what, &err)
				    : send_again(admin, request->arena, &what, &err);
	if (kind == ERR_NONE)
		respond_resolved(admin, request, response, &what);
	else if (kind == ERR_CONFLICT)
		admin_respond_error(response, 409, "NOT_UNKNOWN",
				    STR("The outcome of this platform post is not unknown."));
	else
		admin_respond_failure(response, kind, &err, "platform post");
}
