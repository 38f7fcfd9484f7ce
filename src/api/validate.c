/* SPDX-License-Identifier: Apache-2.0
 * POST /v1/posts/validate (api-decisions.md 6): the result and the calls that publishing this body
 * would have, account by account. Stores nothing, fetches nothing, calls no platform. */
#include "api_private.h"

#include "post_shape.h"
#include "publish_request.h"

#include "plan.h"
#include "platform.h"
#include "rules.h"

struct validation {
	struct api *api;
	struct http_request *request;
	struct publish_request post;
	struct problems problems;     /* of the body, and its warnings */
	struct account_row *accounts; /* in the order of account_ids */
	bool *found;
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

/* The account's problems into problems; of a usable account, its platform's rules. */
static void check_account(struct validation *v, size_t index, struct problems *problems)
{
	struct arena *arena = v->request->arena;
	const char *reason = api_account_unusable_reason(&v->accounts[index], v->found[index]);
	if (reason == NULL) {
		api_account_check_rules(arena, request_app(v->request), &v->accounts[index],
					&v->post.content, problems);
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
	respond_write_warnings(&w, &v->problems);
	json_end_object(&w);
	json_end_object(&w);
}

void api_post_validate(void *context, struct http_request *request, struct http_response *response)
{
	struct validation v = {.api = context, .request = request};
	const struct json *body = NULL;
	struct error err = {0};
	problems_init(&v.problems, request->arena);
	if (!respond_read_json(request, response, NULL, &v.problems, &body))
		return;
	publish_request_read(request->arena, body, STR(""), clock_now_us(v.api->config.clock),
			     &v.api->config.media_url_check, &v.post, &v.problems);
	struct media_names names;
	enum err_kind kind = media_use_check(v.api, request_app(request)->id, &v.post.content,
					     &v.problems, &names, &err);
	if (respond_if_failed(v.api, request, response, kind, &err) ||
	    respond_if_problems(response, &v.problems))
		return;
	kind = load_accounts(&v, &err);
	if (kind != ERR_NONE) {
		respond_failure(v.api, request, response, kind, &err);
		return;
	}
	api_targets_check(&v.post, v.accounts, &v.problems);
	if (!respond_if_problems(response, &v.problems))
		respond(&v, response);
}
