/* SPDX-License-Identifier: Apache-2.0
 * What is stored about one of the customer's users, and its end (api-decisions.md 17). */
#include "media_private.h"

#include "connect.h"
#include "store_user.h"

/* A page of each kind of thing, and how many there are. */
struct user_page {
	struct api *api;
	struct http_request *request;
	struct user_filter filter;
	int64_t now_us;
	struct account_row *accounts;
	size_t account_count;
	int64_t account_total;
	struct connection_row *connections;
	size_t connection_count;
	int64_t connection_total;
	struct post_row *posts;
	size_t post_count;
	int64_t post_total;
	struct media_row *media;
	size_t media_count;
	int64_t media_total;
};

static enum err_kind read_page(struct user_page *p, struct error *err)
{
	struct store *store = p->api->config.store;
	struct arena *arena = p->request->arena;
	const struct account_filter accounts = {
		.app_id = p->filter.app_id,
		.user_id = p->filter.user_id,
		.state = ACCOUNT_STATE_COUNT,
		.now_us = p->now_us,
		.page = p->filter.page,
		.per_page = p->filter.per_page,
	};
	const struct post_filter posts = {
		.app_id = p->filter.app_id,
		.user_ids = &p->filter.user_id,
		.user_id_count = 1,
		.page = p->filter.page,
		.per_page = p->filter.per_page,
	};
	const struct media_filter media = {.app_id = p->filter.app_id,
					   .user_id = p->filter.user_id,
					   .page = p->filter.page,
					   .per_page = p->filter.per_page};
	enum err_kind kind = store_account_list(store, arena, &accounts, &p->accounts,
						&p->account_count, &p->account_total, err);
	if (kind == ERR_NONE)
		kind = store_user_connections(store, arena, &p->filter, &p->connections,
					      &p->connection_count, &p->connection_total, err);
	if (kind == ERR_NONE)
		kind = store_post_list(store, arena, &posts, &p->posts, &p->post_count,
				       &p->post_total, err);
	return kind == ERR_NONE ? store_media_list(store, arena, &media, &p->media, &p->media_count,
						   &p->media_total, err)
				: kind;
}

/* ---- export ---- */

static void write_connection(struct json_writer *w, const struct connection_row *connection)
{
	json_begin_object(w);
	json_member_str(w, "connection_id", connection->id);
	json_member_str(w, "platform", str_of(platform_id_slug(connection->platform)));
	json_member_str(w, "status", str_of(connection_state_name(connection->state)));
	json_member_str_or_null(w, "name", connection->name);
	json_member_str_or_null(w, "email", connection->email);
	json_member_str(w, "redirect_url", connection->redirect_url);
	json_member_str_or_null(w, "error", connection->error);
	json_member_str_or_null(w, "error_description", connection->error_description);
	json_member_instant(w, "created_at", connection->created_at_us);
	json_member_instant(w, "finished_at", connection->finished_at_us);
	json_end_object(w);
}

static void write_totals(struct json_writer *w, const struct user_page *p)
{
	json_key(w, "totals");
	json_begin_object(w);
	json_member_int(w, "accounts", p->account_total);
	json_member_int(w, "connections", p->connection_total);
	json_member_int(w, "posts", p->post_total);
	json_member_int(w, "media", p->media_total);
	json_end_object(w);
}

static void write_data(struct json_writer *w, const struct user_page *p)
{
	const struct post_view view = {p->request->arena, p->api};
	json_key(w, "data");
	json_begin_object(w);
	json_member_str(w, "user_id", p->filter.user_id);
	write_totals(w, p);
	json_key(w, "accounts");
	json_begin_array(w);
	for (size_t i = 0; i < p->account_count; i++)
		api_account_write(w, p->request->arena, &p->accounts[i], p->now_us);
	json_end_array(w);
	json_key(w, "connections");
	json_begin_array(w);
	for (size_t i = 0; i < p->connection_count; i++)
		write_connection(w, &p->connections[i]);
	json_end_array(w);
	json_key(w, "posts");
	json_begin_array(w);
	for (size_t i = 0; i < p->post_count; i++)
		post_write(w, &view, &p->posts[i]);
	json_end_array(w);
	json_key(w, "media");
	json_begin_array(w);
	for (size_t i = 0; i < p->media_count; i++)
		media_write(w, p->api, &p->media[i]);
	json_end_array(w);
	json_end_object(w);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void respond_user(struct http_response *response, const struct user_page *p)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	write_data(&w, p);
	respond_write_meta(&w, p->filter.page, p->filter.per_page,
			   larger(larger(p->post_total, p->media_total),
				  larger(p->account_total, p->connection_total)));
	json_end_object(&w);
}

void api_user_get(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct problems problems;
	struct error err = {0};
	struct user_page page = {.api = api,
				 .request = request,
				 .filter = {.app_id = request_app(request)->id,
					    .user_id = http_request_capture(request, "user_id")},
				 .now_us = clock_now_us(api->config.clock)};
	respond_problems_init(&problems, request);
	api_page_read(request, &problems, &page.filter.page, &page.filter.per_page);
	if (respond_if_problems(response, &problems))
		return;
	const enum err_kind kind = read_page(&page, &err);
	if (kind == ERR_TOO_LARGE)
		posts_respond_too_large(response);
	else if (kind != ERR_NONE)
		respond_failure(api, request, response, kind, &err);
	else if (page.account_total + page.connection_total + page.post_total == 0)
		respond_not_found(request, response);
	else
		respond_user(response, &page);
	if (response->body.is_over)
		posts_respond_too_large(response);
}

/* ---- the end ---- */

/* It cannot be taken back, so the path alone is not enough. */
static bool is_confirmed(const struct http_request *request, struct http_response *response,
			 struct str user_id)
{
	struct problems problems;
	respond_problems_init(&problems, request);
	const struct str *confirm = form_find(&request->query, "confirm");
	if (form_count(&request->query, "confirm") != 1 || !str_equal(*confirm, user_id))
		problem_add(&problems, PROBLEM_SHAPE, STR("confirm"), "bad_value",
			    STR("Erasing a user cannot be undone: give the user's id once more, as "
				"confirm."));
	return !respond_if_problems(response, &problems);
}

/* Who asks, for the audit trail. */
static struct str actor_of(const struct http_request *request)
{
	const struct api_caller *caller = request_caller(request);
	if (str_is_empty(caller->key.id))
		return str_format(request->arena, "app " STR_FMT, STR_ARG(caller->app.client_id));
	return str_format(request->arena, "key " STR_FMT, STR_ARG(caller->key.name));
}

void api_user_erase(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct user_counts counts = {0};
	struct error err = {0};
	const struct user_erasing erasing = {
		.app_id = request_app(request)->id,
		.user_id = http_request_capture(request, "user_id"),
		.actor = actor_of(request),
		.source = request->remote_address,
		.now_us = clock_now_us(api->config.clock),
	};
	if (!is_confirmed(request, response, erasing.user_id))
		return;
	const enum err_kind kind =
		store_user_erase_begin(api->config.store, &erasing, &counts, &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 202));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "user_id", erasing.user_id);
	json_key(&w, "erasing");
	json_begin_object(&w);
	json_member_int(&w, "accounts", counts.accounts);
	json_member_int(&w, "connections", counts.connections);
	json_member_int(&w, "posts", counts.posts);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
}
