/* SPDX-License-Identifier: Apache-2.0
 * Endpoint 5, POST /v1/posts/publish: reads, checks in the order of api-decisions.md 6, accepts
 * durably, answers 202. */
#include "api_private.h"

#include <assert.h>

#include "count_of.h"
#include "uuid.h"

#include "digest.h"

#include "publish_request.h"

#include "platform.h"
#include "rules.h"

#include "store_draft.h"

#include "delivery.h"
#include "looker.h"

struct publishing {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	struct publish_request post;
	struct problems problems;
	struct idempotency idempotency; /* without a key: empty */
	struct account_row *accounts;   /* in the order of account_ids */
	struct post_target *targets;
	struct post_accept accept;
	enum post_accept_outcome
		draft_outcome; /* POST_DRAFT_GONE, POST_DRAFT_CHANGED: not answered */
};

/* ---- uploaded files ---- */

/* Together with the problems of the request itself, whose order is api-decisions.md 6. False:
 * answered. */
static bool check_media(struct publishing *p)
{
	struct error err = {0};
	const enum err_kind kind =
		media_use_check(p->api, request_app(p->request)->id, &p->post.content, &p->problems,
				&p->accept.media, &err);
	return !respond_if_failed(p->api, p->request, p->response, kind, &err) &&
	       !respond_if_problems(p->response, &p->problems);
}

/* ---- accounts ---- */

const char *api_account_unusable_reason(const struct account_row *account, bool is_found)
{
	if (!is_found)
		return "unknown";
	if (account->is_unconfirmed)
		return "unconfirmed";
	if (account->state == ACCOUNT_REAUTH_REQUIRED)
		return "reauth_required";
	return account_state_is_usable(account->state) ? NULL : "disconnected";
}

struct str api_account_unusable_text(struct arena *arena, const char *reason, struct str id)
{
	static const struct {
		const char *reason;
		const char *before; /* the id */
		const char *after;
	} texts[] = {
		{"unknown", "No account ",
		 " is connected to this app. GET /v1/accounts lists those that are."},
		{"unconfirmed", "The account ",
		 " is not confirmed yet. Confirm its connection first: "
		 "POST /v1/connections/{connection_id}/confirm."},
		{"reauth_required", "The account ",
		 " must be connected again: the platform no longer accepts its token."},
		{"disconnected", "The account ",
		 " was disconnected. Connect it again to publish to it."},
	};
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (strcmp(texts[i].reason, reason) == 0)
			return str_format(arena, "%s" STR_FMT "%s", texts[i].before, STR_ARG(id),
					  texts[i].after);
	}
	return STR("The account cannot be published to.");
}

static void check_account(const struct publish_request *post, const struct account_row *account,
			  size_t index, bool is_found, struct problems *problems)
{
	struct arena *arena = problems->arena;
	const char *reason = api_account_unusable_reason(account, is_found);
	if (reason == NULL)
		return;
	problem_add_account(problems, str_format(arena, "account_ids.%zu", index), reason,
			    post->account_ids[index],
			    api_account_unusable_text(arena, reason, post->account_ids[index]));
}

enum err_kind api_post_accounts(const struct api *api, struct str app_id,
				const struct publish_request *post, struct problems *problems,
				struct account_row **accounts_out, struct error *err)
{
	struct arena *arena = problems->arena;
	struct account_row *accounts = ARENA_ARRAY(arena, struct account_row, post->account_count);
	bool *found = ARENA_ARRAY(arena, bool, post->account_count);
	const enum err_kind kind =
		store_account_get_many(api->config.store, arena, app_id, post->account_ids,
				       post->account_count, accounts, found, err);
	for (size_t i = 0; kind == ERR_NONE && i < post->account_count; i++)
		check_account(post, &accounts[i], i, found[i], problems);
	*accounts_out = accounts;
	return kind;
}

/* False: answered already. */
static bool load_accounts(struct publishing *p)
{
	struct error err = {0};
	const enum err_kind kind = api_post_accounts(p->api, request_app(p->request)->id, &p->post,
						     &p->problems, &p->accounts, &err);
	if (kind != ERR_NONE) {
		respond_failure(p->api, p->request, p->response, kind, &err);
		return false;
	}
	return !respond_if_problems(p->response, &p->problems);
}

void api_account_check_rules(struct arena *arena, const struct app_row *app,
			     const struct account_row *account, const struct post_content *content,
			     struct problems *problems)
{
	const struct rules_subject subject = {.platform = account->platform,
					      .account_id = account->id,
					      .type = account->type,
					      .extra = account->extra,
					      .tiktok_privacy = app->tiktok_privacy};
	rules_check_subject(arena, content, &subject, problems);
}

void api_targets_check(const struct publish_request *post, const struct account_row *accounts,
		       struct problems *problems)
{
	const struct json *options = post->content.options;
	const size_t count = post->account_count;
	struct publish_target targets[POST_ACCOUNTS_MAX] = {{0}};
	for (size_t i = 0; i < count; i++)
		targets[i] = (struct publish_target){accounts[i].platform, post->account_ids[i]};
	publish_overrides_check(&post->content, targets, count, problems);
	for (size_t i = 0; options != NULL && i < options->count; i++) {
		const struct str slug = options->keys[i];
		bool is_target = false;
		for (size_t j = 0; j < count; j++)
			is_target = is_target ||
				    str_equal_z(slug, platform_id_slug(accounts[j].platform));
		if (!is_target)
			warning_add(
				problems,
				str_format(problems->arena, "platforms." STR_FMT, STR_ARG(slug)),
				"ignored",
				str_format(problems->arena,
					   "No account of this post is on " STR_FMT
					   "; its options were ignored.",
					   STR_ARG(slug)));
	}
}

void api_post_check(const struct app_row *app, const struct publish_request *post,
		    const struct account_row *accounts, struct problems *problems)
{
	api_targets_check(post, accounts, problems);
	for (size_t i = 0; i < post->account_count; i++)
		api_account_check_rules(problems->arena, app, &accounts[i], &post->content,
					problems);
}

static bool check_rules(struct publishing *p)
{
	api_post_check(request_app(p->request), &p->post, p->accounts, &p->problems);
	return !respond_if_problems(p->response, &p->problems);
}

/* ---- accepting ---- */

struct str api_post_content_text(struct arena *arena, const struct post_content *content)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, (size_t)4 * REQUEST_JSON_MAX_BYTES);
	json_writer_init(&w, &out);
	post_content_write(&w, content);
	assert(!out.is_over); /* a body of 1 MiB does not grow fourfold by being written again */
	return buf_str(&out);
}

/* The request, and its trace when it is part of one. */
static struct str cause_of(const struct http_request *request)
{
	const struct str id = str_of(request->request_id);
	return request->trace_id[0] == '\0' ? id
					    : str_format(request->arena, "%s %s",
							 request->request_id, request->trace_id);
}

static void prepare(struct publishing *p)
{
	const size_t count = p->post.account_count;
	struct arena *arena = p->request->arena;
	struct uuid *ids = ARENA_ARRAY(arena, struct uuid, count + 2);
	uuid_v7_several(p->accept.now_us, p->api->config.random, ids, count + 2);
	p->targets = ARENA_ARRAY(arena, struct post_target, count);
	p->accept.app_id = request_app(p->request)->id;
	p->accept.cause = cause_of(p->request);
	p->accept.post_id = uuid_str(arena, ids[count]);
	p->accept.request_id = !str_is_empty(p->post.request_id) ? p->post.request_id
								 : uuid_str(arena, ids[count + 1]);
	p->accept.content = api_post_content_text(arena, &p->post.content);
	p->accept.mode = p->post.content.mode;
	p->accept.scheduled_at_us = p->post.scheduled_at_us;
	p->accept.max_lateness_s = p->post.max_lateness_s != 0
					   ? p->post.max_lateness_s
					   : request_app(p->request)->max_lateness_s;
	p->accept.look_at_us = looker_time_us(arena, &p->post.content, p->post.scheduled_at_us,
					      clock_now_us(p->api->config.clock));
	p->accept.targets = p->targets;
	p->accept.target_count = count;
	for (size_t i = 0; i < count; i++)
		p->targets[i] =
			(struct post_target){uuid_str(arena, ids[i]), p->accounts[i].id,
					     p->accounts[i].platform, p->accounts[i].user_id};
}

void publish_respond_duplicate(struct http_response *response,
			       const struct post_accept_result *result)
{
	struct json_writer w;
	respond_error_begin(response, 409, "DUPLICATE_REQUEST",
			    STR("This request_id has already been used."), &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_str(&w, "post_id", result->duplicate_post_id);
	json_member_str(&w, "status", str_of(post_state_name(result->duplicate_state)));
	json_end_object(&w);
	json_end_object(&w);
}

static void write_accepted(struct publishing *p, struct buf *out)
{
	const bool is_scheduled = p->accept.scheduled_at_us != 0;
	const struct str status =
		str_of(post_state_name(is_scheduled ? POST_SCHEDULED : POST_PENDING));
	struct json_writer w;
	json_writer_init(&w, out);
	json_begin_object(&w);
	json_member_str(&w, "message",
			is_scheduled ? STR("Post scheduled.")
				     : STR("Post accepted for publishing."));
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "post_id", p->accept.post_id);
	json_member_str(&w, "request_id", p->accept.request_id);
	json_member_str(&w, "status", status);
	json_member_int(&w, "total_accounts", (int64_t)p->accept.target_count);
	json_member_instant(&w, "scheduled_at", p->accept.scheduled_at_us);
	json_member_str(&w, "mode", str_of(post_mode_name(p->accept.mode)));
	json_key(&w, "platform_posts");
	json_begin_array(&w);
	for (size_t i = 0; i < p->accept.target_count; i++) {
		json_begin_object(&w);
		json_member_str(&w, "id", p->targets[i].delivery_id);
		json_member_str(&w, "account_id", p->targets[i].account_id);
		json_member_int(&w, "platform_id", p->targets[i].platform);
		json_member_str(&w, "status", status);
		json_end_object(&w);
	}
	json_end_array(&w);
	respond_write_warnings(&w, &p->problems);
	json_end_object(&w);
	json_end_object(&w);
}

/* ---- Idempotency-Key (api-decisions.md 15) ---- */

static bool is_visible(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '!' || text.ptr[i] > '~')
			return false;
	}
	return !str_is_empty(text) && text.len <= REQUEST_ID_MAX_CHARACTERS;
}

/* False: answered. */
static bool read_key(struct publishing *p)
{
	const struct str *key = http_request_header(p->request, "Idempotency-Key");
	if (key == NULL)
		return true;
	if (http_request_header_count(p->request, "Idempotency-Key") == 1 && is_visible(*key)) {
		const struct digest digest = digest_sha256(p->request->body);
		p->idempotency.key = *key;
		p->idempotency.body_hash = digest_hex(p->request->arena, &digest);
		return true;
	}
	respond_field_error(p->response, 422, "VALIDATION_ERROR", STR("Idempotency-Key"),
			    STR("The header Idempotency-Key must be given once, with 1 to 128 "
				"visible characters and no blank."));
	return false;
}

/* The request_id of such a body rules, and the key is not looked at. */
static bool has_request_id(const struct publishing *p)
{
	const struct json *body = NULL;
	return json_parse(p->request->arena, p->request->body, NULL, &body, NULL, NULL) ==
		       ERR_NONE &&
	       !json_is_null(json_get(body, "request_id"));
}

static void respond_kept(struct publishing *p, const struct idempotency *kept)
{
	if (!str_equal(kept->body_hash, p->idempotency.body_hash)) {
		respond_error(p->response, 422, "IDEMPOTENCY_KEY_REUSED",
			      STR("This Idempotency-Key was used with another body. Use a new key "
				  "for another post."));
		return;
	}
	http_response_header(p->response, "Idempotency-Replayed", STR("true"));
	buf_add(http_response_json(p->response, 202), kept->answer);
}

/* True: answered. */
static bool was_answered_before(struct publishing *p)
{
	struct idempotency kept = {0};
	struct error err = {0};
	if (str_is_empty(p->idempotency.key))
		return false;
	const enum err_kind kind = store_idempotency_find(p->api->config.store, p->request->arena,
							  request_app(p->request)->id,
							  p->idempotency.key, &kept, &err);
	if (kind == ERR_NOT_FOUND || has_request_id(p))
		return false;
	if (kind == ERR_NONE)
		respond_kept(p, &kept);
	else
		respond_failure(p->api, p->request, p->response, kind, &err);
	return true;
}

/* The answer is kept with the post. */
static void keep_answer(struct publishing *p)
{
	struct buf out;
	if (str_is_empty(p->idempotency.key) || !str_is_empty(p->post.request_id))
		return;
	buf_init(&out, p->request->arena, (size_t)4 * REQUEST_JSON_MAX_BYTES);
	write_accepted(p, &out);
	assert(!out.is_over); /* ids, and warnings about a body of 1 MiB */
	p->idempotency.answer = buf_str(&out);
	p->accept.idempotency = &p->idempotency;
}

/* ---- the answer ---- */

/* An account became unusable between our check and the transaction. Checking again shows which one
 * and why. */
static void answer_account_gone(struct publishing *p)
{
	if (!load_accounts(p))
		return;
	const struct error err = {.kind = ERR_TEMPORARY,
				  .text = "an account was temporarily unusable"};
	respond_failure(p->api, p->request, p->response, ERR_TEMPORARY, &err);
}

/* As above, of a file that was deleted. */
static void answer_media_gone(struct publishing *p)
{
	if (!check_media(p))
		return;
	const struct error err = {.kind = ERR_TEMPORARY, .text = "a file was temporarily gone"};
	respond_failure(p->api, p->request, p->response, ERR_TEMPORARY, &err);
}

static void accept(struct publishing *p)
{
	struct post_accept_result result = {0};
	struct error err = {0};
	prepare(p);
	keep_answer(p);
	const enum err_kind kind = store_post_accept(p->api->config.store, p->request->arena,
						     &p->accept, &result, &err);
	if (kind != ERR_NONE) {
		respond_failure(p->api, p->request, p->response, kind, &err);
		return;
	}
	switch (result.outcome) {
	case POST_ACCEPTED:
		p->request->about = p->accept.post_id;
		deliverer_wake_for(p->api->config.deliverer, p->accept.scheduled_at_us);
		if (p->accept.look_at_us != 0)
			looker_wake(p->api->config.looker);
		write_accepted(p, http_response_json(p->response, 202));
		return;
	case POST_DUPLICATE:
		publish_respond_duplicate(p->response, &result);
		return;
	case POST_ACCOUNT_GONE:
		answer_account_gone(p);
		return;
	case POST_OVER_QUOTA:
		respond_over_quota(p->response, &result.over);
		return;
	case POST_ANSWERED_BEFORE:
		respond_kept(p, &result.kept);
		return;
	case POST_MEDIA_GONE:
		answer_media_gone(p);
		return;
	case POST_DRAFT_GONE:
	case POST_DRAFT_CHANGED:
		p->draft_outcome = result.outcome;
		return;
	}
}

enum post_accept_outcome api_publish_draft(struct api *api, struct http_request *request,
					   struct http_response *response, const struct json *body,
					   const struct draft_row *draft)
{
	struct publishing p = {.api = api, .request = request, .response = response};
	problems_init(&p.problems, request->arena);
	p.accept.now_us = clock_now_us(api->config.clock);
	p.accept.draft_id = draft->id;
	p.accept.draft_body = draft->body;
	publish_request_read(request->arena, body, draft->id, p.accept.now_us,
			     &api->config.media_url_check, &p.post, &p.problems);
	if (check_media(&p) && load_accounts(&p) && check_rules(&p))
		accept(&p);
	return p.draft_outcome;
}

void api_post_publish(void *context, struct http_request *request, struct http_response *response)
{
	struct publishing p = {.api = context, .request = request, .response = response};
	const struct json *body = NULL;
	problems_init(&p.problems, request->arena);
	if (!read_key(&p) || was_answered_before(&p) ||
	    !respond_read_json(request, response, NULL, &p.problems, &body))
		return;
	p.accept.now_us = clock_now_us(p.api->config.clock);
	publish_request_read(request->arena, body, STR(""), p.accept.now_us,
			     &p.api->config.media_url_check, &p.post, &p.problems);
	if (check_media(&p) && load_accounts(&p) && check_rules(&p))
		accept(&p);
}
