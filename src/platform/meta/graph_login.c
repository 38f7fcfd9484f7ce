/* SPDX-License-Identifier: Apache-2.0
 * Facebook Login for both platforms: app credentials, code to tokens, permissions, Pages
 * (meta.md 2). */
#include "graph.h"

#include <inttypes.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "timetext.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "answer.h"
#include "stages.h"

#define GRAPH_READS_MAX 200 /* lists of Pages that one connect reads */
#define GRAPH_BUSINESSES_MAX 50
#define GRAPH_TARGETS_MAX 50
#define GRAPH_FOUND_MAX_BYTES (480 * 1024) /* 200 Pages at 2.4 KiB */
/* ---- app credentials without a user (meta.md 2.9) ---- */

/* The token endpoint says 1 or 101 for a wrong secret or id (meta.md 2.5); elsewhere code 1 means a
 * passing fault. */
static void token_fail(const struct env *env, const struct reply *reply, struct step *step)
{
	struct graph_error error = {0};
	const bool is_readable = graph_error_read(reply, &error);
	graph_step_fail(env, reply, step);
	if (is_readable && reply->status < 500 && (error.code == 1 || error.code == 101)) {
		step->failure.class = FAILURE_APP;
		step->failure.code = FAILURE_CODE_APP_CREDENTIALS_INVALID;
		step->failure.message = STR("Meta refused the app's id or secret.");
	} else if (step->failure.class == FAILURE_PERMANENT) {
		step->failure.code = FAILURE_CODE_PLATFORM_REJECTED;
		step->failure.message = STR("Meta refused to issue an access token.");
	}
	if (!failure_is_transient(step->failure.class))
		step->failure.connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
}

const char *graph_app_token_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "client_id", env->client_id);
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "grant_type", STR("client_credentials"));
	graph_call(env, step, CALL_PREPARE, "GET", STR("oauth/access_token"), (struct str){0},
		   &form);
	return NULL;
}

const char *graph_app_token_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct str token = json_string(json_get(reply->json, "access_token"));
	if (!graph_is_ok(reply) || str_is_empty(token)) {
		token_fail(env, reply, step);
		return NULL;
	}
	flow_set_secret(flow, GRAPH_KEY_APP_TOKEN, token);
	return GRAPH_STAGE_DEBUG;
}

const char *graph_debug_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "input_token", flow_get(flow, GRAPH_KEY_APP_TOKEN));
	form_add(&form, "access_token", flow_get(flow, GRAPH_KEY_APP_TOKEN));
	graph_call(env, step, CALL_READ, "GET", STR("debug_token"), (struct str){0}, &form);
	return NULL;
}

const char *graph_debug_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	(void)flow;
	const struct json *app_id = json_get(json_get(reply->json, "data"), "app_id");
	if (!graph_is_ok(reply))
		graph_step_fail(env, reply, step);
	else if (str_equal(json_text(env->arena, app_id), env->client_id))
		step_done(step);
	else
		step_fail(step, FAILURE_APP, FAILURE_CODE_APP_CREDENTIALS_INVALID,
			  STR("Meta says these credentials belong to another app."));
	return NULL;
}

const struct stage graph_verify_stages[] = {
	{GRAPH_STAGE_APP_TOKEN, graph_app_token_ask, graph_app_token_answer},
	{GRAPH_STAGE_DEBUG, graph_debug_ask, graph_debug_answer},
	{.name = NULL},
};

/* ---- Facebook Login: code -> short token -> long token (meta.md 2.5) ---- */

const char *graph_code_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	graph_form_init(env, &form);
	form_add(&form, "client_id", env->client_id);
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "redirect_uri", env->redirect_uri);
	form_add(&form, "code", env->code);
	struct call *call = graph_call(env, step, CALL_PREPARE, "GET", STR("oauth/access_token"),
				       (struct str){0}, &form);
	call->needs_fresh_connection = true; /* a code works once */
	return NULL;
}

const char *graph_code_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	const struct str token = json_string(json_get(reply->json, "access_token"));
	if (!graph_is_ok(reply) || str_is_empty(token)) {
		token_fail(env, reply, step);
		return NULL;
	}
	flow_set_secret(flow, GRAPH_KEY_SHORT_TOKEN, token);
	return GRAPH_STAGE_LONG;
}

const char *graph_long_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "grant_type", STR("fb_exchange_token"));
	form_add(&form, "client_id", env->client_id);
	form_add(&form, "client_secret", str_trim(env->client_secret));
	form_add(&form, "fb_exchange_token", flow_get(flow, GRAPH_KEY_SHORT_TOKEN));
	graph_call(env, step, CALL_PREPARE, "GET", STR("oauth/access_token"), (struct str){0},
		   &form);
	return NULL;
}

const char *graph_long_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step)
{
	const struct str token = json_string(json_get(reply->json, "access_token"));
	if (!graph_is_ok(reply) || str_is_empty(token)) {
		token_fail(env, reply, step);
		return NULL;
	}
	flow_set_secret(flow, GRAPH_KEY_USER_TOKEN, token);
	flow_unset(flow, GRAPH_KEY_SHORT_TOKEN);
	return GRAPH_STAGE_PERMISSIONS;
}

/* ---- what was granted (meta.md 2.6, 1) ---- */

static const char *user_get(const struct env *env, struct flow *flow, struct step *step,
			    struct str path, struct buf *form)
{
	graph_call(env, step, CALL_READ, "GET", path, flow_get(flow, GRAPH_KEY_USER_TOKEN), form);
	return NULL;
}

const char *graph_permissions_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	return user_get(env, flow, step, STR("me/permissions"), &form);
}

static bool is_granted(const struct json *list, struct str name)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct json *item = &list->items[i];
		if (str_equal(json_string(json_get(item, "permission")), name))
			return str_equal_z(json_string(json_get(item, "status")), "granted");
	}
	return false;
}

static void list_add(struct buf *list, const char *separator, struct str word)
{
	buf_add_z(list, list->len > 0 ? separator : "");
	buf_add(list, word);
}

static struct str granted_list(const struct env *env, const struct json *list)
{
	struct buf granted;
	buf_init(&granted, env->arena, 4096);
	for (size_t i = 0; i < list->count; i++) {
		const struct json *item = &list->items[i];
		if (str_equal_z(json_string(json_get(item, "status")), "granted"))
			list_add(&granted, ",", json_string(json_get(item, "permission")));
	}
	return buf_str(&granted);
}

static struct str missing_list(const struct env *env, const struct json *list,
			       const char *const *needed)
{
	struct buf missing;
	buf_init(&missing, env->arena, 4096);
	for (; *needed != NULL; needed++) {
		if (!is_granted(list, str_of(*needed)))
			list_add(&missing, ", ", str_of(*needed));
	}
	return buf_str(&missing);
}

const char *graph_permissions_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step,
				     const char *const *needed)
{
	const struct json *list = json_get(reply->json, "data");
	if (!graph_is_ok(reply) || !json_is(list, JSON_TYPE_ARRAY)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	const struct str missing = missing_list(env, list, needed);
	if (!str_is_empty(missing)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
			  str_format(env->arena, "These permissions were not granted: " STR_FMT ".",
				     STR_ARG(missing)))
			->connection_error = CONNECTION_ERROR_MISSING_PERMISSIONS;
		return NULL;
	}
	flow_set(flow, GRAPH_KEY_SCOPES, granted_list(env, list));
	flow_set_int(flow, GRAPH_KEY_HAS_PORTFOLIOS, is_granted(list, STR("business_management")));
	return GRAPH_STAGE_ME;
}

/* ---- the human (meta.md 2.6, 2): the id by which Meta reports that the app was removed ---- */

const char *graph_me_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id,name,picture"));
	return user_get(env, flow, step, STR("me"), &form);
}

const char *graph_me_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	flow_set(flow, GRAPH_KEY_USER_ID, id);
	return GRAPH_STAGE_PAGES;
}

/* ---- Pages (meta.md 2.6, 3 and 4); what is found grows in one secret variable, as JSON ---- */

#define PAGE_FIELDS \
	"id,name,username,access_token,tasks,picture.type(large){url}," \
	"instagram_business_account{id,username,name,profile_picture_url}"

static const struct json *found_read(const struct env *env, const struct flow *flow)
{
	const struct json *found = NULL;
	const struct str text = flow_get(flow, GRAPH_KEY_FOUND);
	return !str_is_empty(text) &&
			       json_parse(env->arena, text, NULL, &found, NULL, NULL) == ERR_NONE
		       ? found
		       : NULL;
}

static bool found_has(const struct json *found, struct str id)
{
	for (size_t i = 0; found != NULL && i < found->count; i++) {
		if (str_equal(json_string(json_get(&found->items[i], "id")), id))
			return true;
	}
	return false;
}

/* Posting needs one of two tasks (meta.md 2.2); a missing list proves nothing. */
static bool may_post(const struct json *tasks)
{
	if (!json_is(tasks, JSON_TYPE_ARRAY))
		return true;
	for (size_t i = 0; i < tasks->count; i++) {
		const struct str task = json_string(&tasks->items[i]);
		if (str_equal_z(task, "CREATE_CONTENT") || str_equal_z(task, "MANAGE"))
			return true;
	}
	return false;
}

static void page_write(const struct env *env, struct json_writer *w, const struct json *page)
{
	const struct json *instagram = json_get(page, "instagram_business_account");
	json_begin_object(w);
	json_member_str(w, "id", answer_id(env, json_get(page, "id")));
	json_member_str(w, "name", json_string(json_get(page, "name")));
	json_member_str(w, "username", json_string(json_get(page, "username")));
	json_member_str(w, "avatar",
			json_string(json_get(json_get(json_get(page, "picture"), "data"), "url")));
	json_member_str(w, "token", json_string(json_get(page, "access_token")));
	json_member_str(w, "ig", answer_id(env, json_get(instagram, "id")));
	json_member_str(w, "ig_username", json_string(json_get(instagram, "username")));
	json_member_str(w, "ig_name", json_string(json_get(instagram, "name")));
	json_member_str(w, "ig_avatar", json_string(json_get(instagram, "profile_picture_url")));
	json_end_object(w);
}

/* A Page without access_token was not ticked in the dialog: it is not offered (meta.md 2.6, 4). */
static bool is_offered(const struct env *env, const struct json *page)
{
	return !str_is_empty(answer_id(env, json_get(page, "id"))) &&
	       !str_is_empty(json_string(json_get(page, "access_token"))) &&
	       may_post(json_get(page, "tasks"));
}

/* Does the list name that Page before? */
static bool is_repeated(const struct env *env, const struct json *pages, size_t index)
{
	const struct str id = answer_id(env, json_get(&pages->items[index], "id"));
	for (size_t i = 0; i < index; i++) {
		if (str_equal(answer_id(env, json_get(&pages->items[i], "id")), id))
			return true;
	}
	return false;
}

#define PAGES_A_READ 100 /* our limit parameter */

static void found_add(const struct env *env, struct flow *flow, const struct json *pages)
{
	const struct json *found = found_read(env, flow);
	const size_t before = found != NULL ? found->count : 0;
	size_t count = before;
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, GRAPH_FOUND_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	for (size_t i = 0; i < before; i++)
		json_put_value(&w, &found->items[i]);
	for (size_t i = 0; i < pages->count && i < PAGES_A_READ && count < STEP_ACCOUNTS_MAX; i++) {
		const struct json *page = &pages->items[i];
		if (!is_offered(env, page) || is_repeated(env, pages, i) ||
		    found_has(found, answer_id(env, json_get(page, "id"))))
			continue;
		page_write(env, &w, page);
		count++;
	}
	json_end_array(&w);
	if (!out.is_over && count > before)
		flow_set_secret(flow, GRAPH_KEY_FOUND, buf_str(&out));
}

/* Adds a list's Pages; true when the list goes on, with "after" set for the next question. */
static bool pages_take(const struct env *env, struct flow *flow, const struct reply *reply)
{
	const struct json *paging = json_get(reply->json, "paging");
	const struct str after = answer_cursor(env, json_get(json_get(paging, "cursors"), "after"));
	const struct json *pages = json_get(reply->json, "data");
	if (json_is(pages, JSON_TYPE_ARRAY))
		found_add(env, flow, pages);
	const bool goes_on = !str_is_empty(json_string(json_get(paging, "next"))) &&
			     !str_is_empty(after) &&
			     !str_equal(after, flow_get(flow, GRAPH_KEY_AFTER)) &&
			     flow_count(flow, GRAPH_KEY_READS) < GRAPH_READS_MAX;
	if (goes_on)
		flow_set(flow, GRAPH_KEY_AFTER, after);
	else
		flow_unset(flow, GRAPH_KEY_AFTER);
	return goes_on;
}

/* paging.next holds the token in its query; the same question is asked with its cursor instead. */
static const char *pages_ask(const struct env *env, struct flow *flow, struct step *step,
			     struct str path, const char *fields)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", str_of(fields));
	form_add(&form, "limit", STR("100"));
	if (!str_is_empty(flow_get(flow, GRAPH_KEY_AFTER)))
		form_add(&form, "after", flow_get(flow, GRAPH_KEY_AFTER));
	return user_get(env, flow, step, path, &form);
}

const char *graph_pages_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return pages_ask(env, flow, step, STR("me/accounts"), PAGE_FIELDS);
}

const char *graph_pages_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (!graph_is_ok(reply) || !json_is(json_get(reply->json, "data"), JSON_TYPE_ARRAY)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (pages_take(env, flow, reply))
		return GRAPH_STAGE_PAGES;
	return flow_get_int(flow, GRAPH_KEY_HAS_PORTFOLIOS, 0) ? GRAPH_STAGE_BUSINESSES
							       : GRAPH_STAGE_FINISH;
}

/* ---- Pages held by portfolios: a find more, never a reason to fail ---- */

const char *graph_businesses_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return pages_ask(env, flow, step, STR("me/businesses"), "id");
}

const char *graph_businesses_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	const struct json *list = json_get(reply->json, "data");
	struct buf ids;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (!graph_is_ok(reply) || !json_is(list, JSON_TYPE_ARRAY))
		return GRAPH_STAGE_FINISH;
	buf_init(&ids, env->arena, 8192);
	for (size_t i = 0; i < list->count && i < GRAPH_BUSINESSES_MAX; i++)
		list_add(&ids, ",", answer_id(env, json_get(&list->items[i], "id")));
	flow_set(flow, GRAPH_KEY_BUSINESSES, ids.is_over ? (struct str){0} : buf_str(&ids));
	return GRAPH_STAGE_PORTFOLIO;
}

/* Two lists for each portfolio, numbered through: owned_pages and client_pages. */
static struct str portfolio_path(const struct env *env, const struct flow *flow)
{
	const int64_t number = flow_get_int(flow, GRAPH_KEY_PORTFOLIO_LIST, 0);
	struct str ids = flow_get(flow, GRAPH_KEY_BUSINESSES);
	struct str id = {0};
	for (int64_t i = 0; i <= number / 2; i++) {
		if (str_is_empty(ids) || !str_take_field(&ids, ',', &id))
			return (struct str){0};
	}
	return str_format(env->arena, STR_FMT "/%s", STR_ARG(id),
			  number % 2 == 0 ? "owned_pages" : "client_pages");
}

const char *graph_portfolio_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str path = portfolio_path(env, flow);
	return str_is_empty(path) ? GRAPH_STAGE_FINISH
				  : pages_ask(env, flow, step, path, PAGE_FIELDS);
}

const char *graph_portfolio_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (!graph_is_ok(reply) || !pages_take(env, flow, reply))
		flow_count(flow, GRAPH_KEY_PORTFOLIO_LIST);
	return GRAPH_STAGE_PORTFOLIO;
}

/* ---- how long what was given lasts (meta.md 2.7): good to know, never a reason to fail ---- */

const char *graph_probe_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "input_token", flow_get(flow, GRAPH_KEY_USER_TOKEN));
	/* The app's id and secret, joined so, are a token of the app (meta.md 2.9). */
	form_add(&form, "access_token",
		 str_format(env->arena, STR_FMT "|" STR_FMT, STR_ARG(env->client_id),
			    STR_ARG(str_trim(env->client_secret))));
	graph_call(env, step, CALL_READ, "GET", STR("debug_token"), (struct str){0}, &form);
	return NULL;
}

#define LAST_SECOND INT64_C(253402300799) /* year 9999 */

/* The ids of Pages that a permission was given for, where the person chose some. Permissions of
 * other families name other things. */
static void targets_take(const struct env *env, struct flow *flow, const struct json *scopes)
{
	const struct json *found = found_read(env, flow);
	struct buf ids;
	size_t count = 0;
	buf_init(&ids, env->arena, 4096);
	for (size_t i = 0; json_at(scopes, i) != NULL; i++) {
		const struct json *scope = json_at(scopes, i);
		const struct json *targets = json_get(scope, "target_ids");
		if (!str_equal_z(json_string(json_get(scope, "scope")), "pages_show_list"))
			continue;
		for (size_t j = 0; json_at(targets, j) != NULL && count < GRAPH_TARGETS_MAX; j++) {
			const struct str id = answer_id(env, json_at(targets, j));
			if (str_is_empty(id) || found_has(found, id))
				continue;
			list_add(&ids, ",", id);
			count++;
		}
	}
	if (!ids.is_over && count > 0)
		flow_set(flow, GRAPH_KEY_TARGETS, buf_str(&ids));
}

const char *graph_probe_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	const struct json *data = json_get(reply->json, "data");
	const int64_t ends_s = json_int(json_get(data, "data_access_expires_at"), 0);
	flow_set_int(flow, GRAPH_KEY_IS_PROBED, 1);
	if (graph_is_ok(reply) && !json_bool(json_get(data, "is_valid"), true)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("Meta issued an access token that it then reported as invalid."))
			->connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
		return NULL;
	}
	if (graph_is_ok(reply) && ends_s > 0 && ends_s <= LAST_SECOND)
		flow_set(flow, GRAPH_KEY_DATA_ACCESS_ENDS,
			 timetext_format_instant(env->arena, ends_s * US_PER_S));
	if (graph_is_ok(reply))
		targets_take(env, flow, json_get(data, "granular_scopes"));
	return GRAPH_STAGE_TARGETS;
}

/* ---- Pages that the grant names and no list has shown (meta.md 2.6, 4): a find more too ---- */

static struct str target_next(const struct flow *flow)
{
	struct str ids = flow_get(flow, GRAPH_KEY_TARGETS);
	struct str id = {0};
	return !str_is_empty(ids) && str_take_field(&ids, ',', &id) ? id : (struct str){0};
}

const char *graph_targets_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str id = target_next(flow);
	struct buf form;
	if (str_is_empty(id))
		return GRAPH_STAGE_FINISH;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR(PAGE_FIELDS));
	return user_get(env, flow, step, str_copy(env->arena, id), &form);
}

const char *graph_targets_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	struct str ids = flow_get(flow, GRAPH_KEY_TARGETS);
	struct str asked = {0};
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (graph_is_ok(reply) && json_is(reply->json, JSON_TYPE_OBJECT)) {
		const struct json page = {
			.type = JSON_TYPE_ARRAY, .count = 1, .items = reply->json};
		found_add(env, flow, &page);
	}
	if (!str_is_empty(ids))
		str_take_field(&ids, ',', &asked);
	flow_set(flow, GRAPH_KEY_TARGETS, str_copy(env->arena, ids));
	return GRAPH_STAGE_TARGETS;
}

struct str graph_account_extra(const struct env *env, const struct flow *flow,
			       const char *page_id_name, struct str page_id)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, 4096);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "user_id", flow_get(flow, GRAPH_KEY_USER_ID));
	if (page_id_name != NULL)
		json_member_str(&w, page_id_name, page_id);
	if (!str_is_empty(flow_get(flow, GRAPH_KEY_DATA_ACCESS_ENDS)))
		json_member_str(&w, "data_access_expires_at",
				flow_get(flow, GRAPH_KEY_DATA_ACCESS_ENDS));
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

/* ---- the end of connect ---- */

static struct graph_page page_of(const struct json *json)
{
	return (struct graph_page){
		.id = json_string(json_get(json, "id")),
		.name = json_string(json_get(json, "name")),
		.username = json_string(json_get(json, "username")),
		.avatar_url = json_string(json_get(json, "avatar")),
		.access_token = json_string(json_get(json, "token")),
		.instagram_id = json_string(json_get(json, "ig")),
		.instagram_username = json_string(json_get(json, "ig_username")),
		.instagram_name = json_string(json_get(json, "ig_name")),
		.instagram_avatar_url = json_string(json_get(json, "ig_avatar")),
	};
}

void graph_finish(const struct env *env, const struct flow *flow, struct step *step,
		  bool (*make)(const struct env *env, const struct flow *flow,
			       const struct graph_page *page, struct account_found *account))
{
	const struct json *found = found_read(env, flow);
	const size_t found_count = json_is(found, JSON_TYPE_ARRAY) ? found->count : 0;
	struct account_found *accounts = ARENA_ARRAY(env->arena, struct account_found, found_count);
	int64_t ends_at_us = 0;
	size_t count = 0;
	timetext_parse_instant(flow_get(flow, GRAPH_KEY_DATA_ACCESS_ENDS), &ends_at_us);
	for (size_t i = 0; i < found_count && count < STEP_ACCOUNTS_MAX; i++) {
		const struct graph_page page = page_of(&found->items[i]);
		accounts[count] = (struct account_found){0};
		if (make(env, flow, &page, &accounts[count]))
			accounts[count++].permission_ends_at_us = ends_at_us;
	}
	if (count == 0) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PERMISSION_MISSING,
			  str_of(connection_error_sentence(CONNECTION_ERROR_NO_ACCOUNTS)))
			->connection_error = CONNECTION_ERROR_NO_ACCOUNTS;
		return;
	}
	step_done(step);
	step->accounts = accounts;
	step->account_count = count;
}
