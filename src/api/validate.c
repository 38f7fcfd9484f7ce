/* SPDX-License-Identifier: Apache-2.0
 * POST /v1/posts/validate (api-decisions.md 6): the result and the calls that publishing this body
 * would have, account by account. Stores nothing and calls no platform; with fetch it has the files
 * looked at, as publishing would (api-decisions.md 11). */
#include "api_private.h"

#include "post_shape.h"
#include "publish_request.h"

#include "plan.h"
#include "platform.h"
#include "rules.h"

#include "looker.h"

/* Of all files together; below what clients usually wait for an answer. */
#define FETCH_WAIT_MS 25000

struct validation {
	struct api *api;
	struct http_request *request;
	struct publish_request post;
	struct problems problems;     /* of the body, and its warnings */
	struct account_row *accounts; /* in the order of account_ids */
	bool *found;
	bool fetches;
	struct look look; /* with fetches */
};

static enum err_kind load_accounts(struct validation *v, struct error *err)
{
	const size_t count = v->post.account_count;
	v->accounts = ARENA_ARRAY(v->request->arena, struct account_row, count);
	v->found = ARENA_ARRAY(v->request->arena, bool, count);
	return store_account_get_many(v->api->config.store, v->request->arena,
				      request_app(v->request)->id, v->post.account_ids, count,
				      v->accounts, v->found, err);
}

/* ---- one account ---- */

static void write_violation(struct json_writer *w, const struct problem *problem)
{
	json_begin_object(w);
	json_member_str(w, "code", problem->reason);
	json_member_str(w, "field", problem->field);
	respond_write_limit(w, problem);
	json_member_str(w, "message", problem->message);
	json_end_object(w);
}

static void write_plan(struct validation *v, struct json_writer *w,
		       const struct account_row *account, const struct post_content *content)
{
	const struct platform *platform = platform_of(account->platform);
	struct plan_call *calls = ARENA_ARRAY(v->request->arena, struct plan_call, PLAN_CALLS_MAX);
	struct plan_account target = {.type = account->type};
	if (!str_is_empty(account->extra) && json_parse(v->request->arena, account->extra, NULL,
							&target.extra, NULL, NULL) != ERR_NONE)
		target.extra = NULL;
	const size_t count = plan_make(platform, content, rules_post_type(platform, content),
				       &target, calls, PLAN_CALLS_MAX);
	for (size_t i = 0; i < count && i < PLAN_CALLS_MAX; i++) {
		json_begin_object(w);
		json_member_int(w, "part", (int64_t)calls[i].part);
		json_member_str(w, "stage", str_of(calls[i].stage));
		json_member_str(w, "method", str_of(calls[i].method));
		json_member_str(w, "host_path", str_of(calls[i].host_path));
		json_member_bool(w, "publishes", calls[i].publishes);
		json_member_str(w, "summary", str_of(calls[i].summary));
		json_end_object(w);
	}
}

/* The rules judge media; what options and thumbnails name can only be missing. */
static void check_further_files(struct validation *v, size_t index, struct problems *problems)
{
	const struct rules_subject subject = {.platform = v->accounts[index].platform,
					      .account_id = v->accounts[index].id};
	look_missing(&v->look, &subject, problems);
}

/* The account's problems into problems; of a usable account, its platform's rules. */
static void check_account(struct validation *v, size_t index, struct problems *problems)
{
	struct arena *arena = v->request->arena;
	const char *reason = api_account_unusable_reason(&v->accounts[index], v->found[index]);
	if (reason == NULL) {
		api_account_check_rules(arena, request_app(v->request), &v->accounts[index],
					&v->post.content, problems);
		if (v->fetches)
			check_further_files(v, index, problems);
		return;
	}
	problem_add_account(problems, str_format(arena, "account_ids.%zu", index), reason,
			    v->post.account_ids[index],
			    api_account_unusable_text(arena, reason, v->post.account_ids[index]));
}

/* The account's warnings are shown with those of the whole answer. */
static void take_warnings(struct validation *v, const struct problems *problems)
{
	for (size_t i = 0; i < problems->warning_count; i++)
		warning_add(&v->problems, problems->warnings[i].field,
			    str_z(v->request->arena, problems->warnings[i].code),
			    problems->warnings[i].message);
}

/* The platform, and the type that the post would have there; null for an unknown account. */
static void write_target(struct validation *v, struct json_writer *w, size_t index,
			 const struct post_content *content)
{
	if (!v->found[index]) {
		json_member_null(w, "platform");
		json_member_null(w, "type");
		return;
	}
	const enum platform_id platform = v->accounts[index].platform;
	json_member_str(w, "platform", str_of(platform_id_slug(platform)));
	json_member_str_or_null(
		w, "type", str_of(post_type_name(rules_post_type(platform_of(platform), content))));
}

static bool write_account(struct validation *v, struct json_writer *w, size_t index)
{
	struct problems problems;
	problems_init(&problems, v->request->arena);
	check_account(v, index, &problems);
	take_warnings(v, &problems);
	const bool is_ok = problems.count == 0;
	struct post_shape shape = {.content = v->post.content};
	if (v->found[index])
		post_shape_of(v->request->arena, &v->post.content, v->accounts[index].platform,
			      v->accounts[index].id, &shape);
	json_begin_object(w);
	json_member_str(w, "account_id", v->post.account_ids[index]);
	write_target(v, w, index, &shape.content);
	json_member_bool(w, "ok", is_ok);
	json_key(w, "violations");
	json_begin_array(w);
	for (size_t i = 0; i < problems.count; i++)
		write_violation(w, &problems.items[i]);
	json_end_array(w);
	json_key(w, "plan");
	json_begin_array(w);
	if (is_ok)
		write_plan(v, w, &v->accounts[index], &shape.content);
	json_end_array(w);
	json_end_object(w);
	return is_ok;
}

/* ---- files ---- */

/* Takes fetch out of the body, which is a publish request else. */
static const struct json *read_fetch(struct validation *v, const struct json *body)
{
	const struct json *fetch = json_get(body, "fetch");
	if (fetch == NULL)
		return body;
	v->fetches = json_bool(fetch, false);
	if (!json_is(fetch, JSON_TYPE_BOOL) && !json_is(fetch, JSON_TYPE_NULL))
		problem_add(&v->problems, PROBLEM_SHAPE, STR("fetch"), "wrong_type",
			    STR("fetch must be true or false."));
	struct str *keys = ARENA_ARRAY(v->request->arena, struct str, body->count);
	struct json *items = ARENA_ARRAY(v->request->arena, struct json, body->count);
	struct json *rest = ARENA_NEW(v->request->arena, struct json);
	*rest = *body;
	rest->keys = keys;
	rest->items = items;
	rest->count = 0;
	for (size_t i = 0; i < body->count; i++) {
		if (str_equal_z(body->keys[i], "fetch"))
			continue;
		keys[rest->count] = body->keys[i];
		items[rest->count++] = body->items[i];
	}
	return rest;
}

/* False: answered. */
static bool look_at_files(struct validation *v, struct http_response *response)
{
	const struct looker_question question = {.app_id = request_app(v->request)->id,
						 .content = &v->post.content,
						 .wait_ms = FETCH_WAIT_MS};
	struct error err = {0};
	const enum err_kind kind =
		looker_ask(v->api->config.looker, v->request->arena, &question, &v->look, &err);
	if (kind == ERR_LIMITED)
		respond_too_many(response, &err);
	else if (kind != ERR_NONE)
		respond_failure(v->api, v->request, response, kind, &err);
	if (kind == ERR_NONE)
		look_warn(&v->look, &v->problems);
	return kind == ERR_NONE;
}

static void write_number(struct json_writer *w, const char *name, int64_t value)
{
	if (value > 0)
		json_member_int(w, name, value);
	else
		json_member_null(w, name);
}

/* What was found, file by file as the request names them. */
static void write_files(const struct validation *v, struct json_writer *w)
{
	json_key(w, "files");
	json_begin_array(w);
	for (size_t i = 0; i < v->look.use_count; i++) {
		const struct media_use *use = &v->look.uses[i];
		const struct look_file *file = look_file_of(&v->look, use);
		const bool is_here =
			file != NULL && file->state == LOOK_DONE && str_is_empty(file->seen.why);
		const struct media_seen seen = is_here ? file->seen : (struct media_seen){0};
		json_begin_object(w);
		json_member_str(w, "field", use->field);
		json_member_str_or_null(w, "mime_type",
					is_here ? str_of(seen.sniff.mime_type) : STR(""));
		write_number(w, "size_bytes", seen.size_bytes);
		write_number(w, "width", seen.sniff.width);
		write_number(w, "height", seen.sniff.height);
		write_number(w, "duration_ms", seen.sniff.duration_ms);
		json_end_object(w);
	}
	json_end_array(w);
}

/* ---- all of them ---- */

static void respond(struct validation *v, struct http_response *response)
{
	bool is_ok = true;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "mode", str_of(post_mode_name(v->post.content.mode)));
	json_key(&w, "accounts");
	json_begin_array(&w);
	for (size_t i = 0; i < v->post.account_count; i++)
		is_ok = write_account(v, &w, i) && is_ok;
	json_end_array(&w);
	json_member_bool(&w, "ok", is_ok);
	if (v->fetches)
		write_files(v, &w);
	respond_write_warnings(&w, &v->problems);
	json_end_object(&w);
	json_end_object(&w);
}

/* False: answered. */
static bool read_request(struct validation *v, struct http_response *response)
{
	const struct json *body = NULL;
	struct media_names names;
	struct error err = {0};
	if (!respond_read_json(v->request, response, NULL, &v->problems, &body))
		return false;
	body = read_fetch(v, body);
	if (!bearer_may_call(v->request, response,
			     v->fetches ? (unsigned)SCOPES_MEDIA : (unsigned)SCOPES_READ))
		return false;
	publish_request_read(v->request->arena, body, STR(""), clock_now_us(v->api->config.clock),
			     &v->api->config.media_url_check, &v->post, &v->problems);
	const enum err_kind kind = media_use_check(v->api, request_app(v->request)->id,
						   &v->post.content, &v->problems, &names, &err);
	return !respond_if_failed(v->api, v->request, response, kind, &err) &&
	       !respond_if_problems(response, &v->problems);
}

void api_post_validate(void *context, struct http_request *request, struct http_response *response)
{
	struct validation v = {.api = context, .request = request};
	struct error err = {0};
	problems_init(&v.problems, request->arena);
	if (!read_request(&v, response))
		return;
	const enum err_kind kind = load_accounts(&v, &err);
	if (kind != ERR_NONE) {
		respond_failure(v.api, request, response, kind, &err);
		return;
	}
	api_targets_check(&v.post, v.accounts, &v.problems);
	if (respond_if_problems(response, &v.problems) ||
	    (v.fetches && !look_at_files(&v, response)))
		return;
	respond(&v, response);
}
