/* SPDX-License-Identifier: Apache-2.0
 * Admin API: finds what a person has in hand (a post, an id out of a log, a platform's address, an
 * account, a user) in all of the caller's apps; and what stands beside one post: its accounts, and
 * the webhooks' calls about it. */
#include "admin_private.h"

#include "count_of.h"

#include "event.h"

#include "store_connection.h"
#include "store_dashboard.h"
#include "store_find.h"

/* to read one post's content in */
#define CONTENT_ARENA_BYTES ((size_t)16 << 20)

/* ---- find ---- */

struct finding {
	struct admin *admin;
	struct http_request *request;
	struct admin_apps apps;
	struct find_query query;
	struct found_post *posts;
	size_t post_count;
	struct found_account *accounts;
	size_t account_count;
	struct found_thing *things;
	size_t thing_count;
};

/* False: answered. */
static bool read_query(struct finding *f, struct http_response *response)
{
	struct arena *arena = f->request->arena;
	if (!admin_request_query_apps(f->admin, f->request, response, &f->apps) ||
	    !admin_request_query_text(f->request, response, "q", FIND_TERM_MAX_BYTES,
				      &f->query.term))
		return false;
	f->query.term = str_trim(f->query.term);
	if (str_is_empty(f->query.term)) {
		admin_respond_field_error(response, "q", STR("Say what to look for."));
		return false;
	}
	struct str *ids = ARENA_ARRAY(arena, struct str, f->apps.count);
	for (size_t i = 0; i < f->apps.count; i++)
		ids[i] = f->apps.rows[i].id;
	f->query.app_ids = ids;
	f->query.app_count = f->apps.count;
	return true;
}

static enum err_kind find_all(struct finding *f, struct error *err)
{
	struct store *store = f->admin->config.store;
	struct arena *arena = f->request->arena;
	enum err_kind kind =
		store_find_posts(store, arena, &f->query, &f->posts, &f->post_count, err);
	if (kind == ERR_NONE)
		kind = store_find_accounts(store, arena, &f->query, &f->accounts, &f->account_count,
					   err);
	if (kind == ERR_NONE)
		kind = store_find_things(store, arena, &f->query, &f->things, &f->thing_count, err);
	return kind;
}

static const struct app_row *app_of(const struct finding *f, struct str app_id)
{
	for (size_t i = 0; i < f->apps.count; i++) {
		if (str_equal(f->apps.rows[i].id, app_id))
			return &f->apps.rows[i];
	}
	return NULL;
}

/* A row as of the list of posts, and how it was found. Nothing when it went meanwhile. */
static enum err_kind write_found(struct finding *f, struct json_writer *w, struct arena *content,
				 const struct found_post *found, struct error *err)
{
	struct post_row *posts = NULL;
	size_t count = 0;
	const struct app_row *app = app_of(f, found->app_id);
	const enum err_kind kind =
		store_dashboard_posts(f->admin->config.store, f->request->arena, found->app_id,
				      &found->ordinal, 1, &posts, &count, err);
	if (kind != ERR_NONE || count == 0 || app == NULL)
		return kind;
	json_begin_object(w);
	json_member_str(w, "matched", found->matched);
	json_member_str_or_null(w, "account_id", found->account_id);
	json_key(w, "post");
	admin_write_post(f->admin, w, content, app, &posts[0]);
	json_end_object(w);
	return ERR_NONE;
}

static enum err_kind write_posts(struct finding *f, struct json_writer *w, struct error *err)
{
	struct arena *content = arena_new("found post", CONTENT_ARENA_BYTES);
	enum err_kind kind = ERR_NONE;
	json_key(w, "posts");
	json_begin_array(w);
	for (size_t i = 0; i < f->post_count && kind == ERR_NONE; i++) {
		kind = write_found(f, w, content, &f->posts[i], err);
		arena_clear(content);
	}
	json_end_array(w);
	arena_free(&content);
	return kind;
}

static void write_accounts(struct finding *f, struct json_writer *w)
{
	json_key(w, "accounts");
	json_begin_array(w);
	for (size_t i = 0; i < f->account_count; i++) {
		const struct found_account *account = &f->accounts[i];
		const struct app_row *app = app_of(f, account->app_id);
		if (app == NULL)
			continue;
		json_begin_object(w);
		json_member_str(w, "id", account->id);
		json_member_str(w, "client_id", app->client_id);
		json_member_str(w, "app_name", app->name);
		json_member_str(w, "platform", str_of(platform_id_slug(account->platform)));
		json_member_str(w, "username", account->username);
		json_member_str(w, "name", account->name);
		json_member_str(w, "app_user_id", account->user_id);
		json_member_str(w, "status", account->state);
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_things(struct finding *f, struct json_writer *w)
{
	json_key(w, "others");
	json_begin_array(w);
	for (size_t i = 0; i < f->thing_count; i++) {
		const struct app_row *app = app_of(f, f->things[i].app_id);
		if (app == NULL)
			continue;
		json_begin_object(w);
		json_member_str(w, "kind", f->things[i].kind);
		json_member_str(w, "id", f->things[i].id);
		json_member_str(w, "client_id", app->client_id);
		json_end_object(w);
	}
	json_end_array(w);
}

void admin_find(void *context, struct http_request *request, struct http_response *response)
{
	struct finding f = {.admin = context, .request = request};
	struct error err = {0};
	if (!read_query(&f, response))
		return;
	enum err_kind kind = find_all(&f, &err);
	if (kind == ERR_NONE) {
		struct json_writer w;
		json_writer_init(&w, http_response_json(response, 200));
		json_begin_object(&w);
		kind = write_posts(&f, &w, &err);
		write_accounts(&f, &w);
		write_things(&f, &w);
		json_end_object(&w);
	}
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "post");
}

/* ---- beside a post ---- */

struct beside {
	struct account_row *accounts; /* in the order of the post's targets */
	bool *is_there;
	size_t account_count;
	struct post_call *calls;
	size_t call_count;
};

static enum err_kind find_beside(const struct admin *admin, struct arena *arena,
				 const struct post_row *post, struct beside *out, struct error *err)
{
	struct store *store = admin->config.store;
	struct str *ids = ARENA_ARRAY(arena, struct str, post->delivery_count);
	for (size_t i = 0; i < post->delivery_count; i++)
		ids[i] = post->deliveries[i].account_id;
	out->account_count = post->delivery_count;
	out->accounts = ARENA_ARRAY(arena, struct account_row, post->delivery_count);
	out->is_there = ARENA_ARRAY(arena, bool, post->delivery_count);
	const enum err_kind kind =
		store_account_get_many(store, arena, post->app_id, ids, post->delivery_count,
				       out->accounts, out->is_there, err);
	if (kind != ERR_NONE)
		return kind;
	return store_find_post_calls(store, arena, post->app_id, post->id, &out->calls,
				     &out->call_count, err);
}

static void write_beside_accounts(struct json_writer *w, const struct beside *beside)
{
	json_key(w, "accounts");
	json_begin_array(w);
	for (size_t i = 0; i < beside->account_count; i++) {
		const struct account_row *account = &beside->accounts[i];
		if (!beside->is_there[i])
			continue;
		json_begin_object(w);
		json_member_str(w, "id", account->id);
		json_member_str(w, "username", account->username);
		json_member_str(w, "name", account->name);
		json_member_str(w, "app_user_id", account->user_id);
		json_member_str(w, "status", str_of(account_state_name(account->state)));
		json_end_object(w);
	}
	json_end_array(w);
}

static struct str account_of(const struct post_row *post, struct str delivery_id)
{
	for (size_t i = 0; i < post->delivery_count; i++) {
		if (str_equal(post->deliveries[i].id, delivery_id))
			return post->deliveries[i].account_id;
	}
	return STR("");
}

static void write_call(struct json_writer *w, const struct post_row *post,
		       const struct post_call *call)
{
	json_begin_object(w);
	json_member_int(w, "id", call->id);
	json_member_str(w, "event_id", call->event_id);
	json_member_str(w, "event", str_of(event_kind_name(call->kind)));
	json_member_str_or_null(w, "account_id", account_of(post, call->subject_id));
	json_member_str(w, "webhook_id", call->webhook_id);
	json_member_str(w, "webhook_url", call->webhook_url);
	json_member_str(w, "state", str_of(store_webhook_state_name(call->state)));
	json_member_int(w, "attempts", call->attempts);
	json_member_instant(w, "next_attempt_at", call->next_attempt_at_us);
	json_member_instant(w, "created_at", call->created_at_us);
	json_key(w, "tries");
	json_put_raw(w, call->log);
	json_end_object(w);
}

void admin_post_beside(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct app_row app = {0};
	struct post_row post = {0};
	struct beside beside = {0};
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	enum err_kind kind = store_post_get(admin->config.store, request->arena, app.id,
					    http_request_capture(request, "post_id"), &post, &err);
	if (kind == ERR_NONE)
		kind = find_beside(admin, request->arena, &post, &beside, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "post");
		return;
	}
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	write_beside_accounts(&w, &beside);
	json_key(&w, "webhook_calls");
	json_begin_array(&w);
	for (size_t i = 0; i < beside.call_count; i++)
		write_call(&w, &post, &beside.calls[i]);
	json_end_array(&w);
	json_end_object(&w);
}
