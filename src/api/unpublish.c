/* SPDX-License-Identifier: Apache-2.0
 * POST /v1/posts/{post_id}/unpublish: takes published posts back (api-decisions.md 12). The wish is
 * written down and answered; the deliverer carries it out. */
#include "api_private.h"

#include "store_removal.h"

#include "platform.h"

#include "delivery.h"

struct unpublishing {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	struct problems problems; /* and warnings */
	struct post_unpublish wish;
	struct post_unpublish_result result;
};

static int64_t unsupported_mask(void)
{
	int64_t mask = 0;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (platform_of((enum platform_id)id)->stages[OPERATION_REMOVE] == NULL)
			mask |= INT64_C(1) << id;
	}
	return mask;
}

/* Without a body, on every account. False: answered. */
static bool read_body(struct unpublishing *u)
{
	const struct json *body = NULL;
	if (str_is_empty(u->request->body))
		return true;
	if (!respond_read_json(u->request, u->response, KNOWN("account_ids"), &u->problems, &body))
		return false;
	u->wish.account_ids = api_read_account_ids(json_get(body, "account_ids"), &u->problems,
						   &u->wish.account_count);
	return !respond_if_problems(u->response, &u->problems);
}

static void respond_nothing(const struct unpublishing *u)
{
	struct json_writer w;
	respond_error_begin(u->response, 409, "NOT_PUBLISHED",
			    u->wish.account_count > 0
				    ? STR("Nothing of this post is published on these accounts.")
				    : STR("Nothing of this post is published."),
			    &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_key(&w, "accounts");
	json_begin_array(&w);
	for (size_t i = 0; i < u->result.account_count; i++) {
		json_begin_object(&w);
		json_member_str(&w, "id", u->result.accounts[i].account_id);
		json_member_str(&w, "reason", STR("not_published"));
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

static struct str field_of(const struct unpublishing *u, size_t index)
{
	return str_format(u->request->arena, "account_ids.%zu", index);
}

static void respond_not_targets(struct unpublishing *u)
{
	for (size_t i = 0; i < u->result.account_count; i++) {
		if (u->result.accounts[i].verdict == UNPUBLISH_NOT_A_TARGET)
			problem_add(&u->problems, PROBLEM_SHAPE, field_of(u, i), "not_a_target",
				    STR("This post does not target that account."));
	}
	respond_problems(u->response, &u->problems);
}

/* Who names accounts hears of each on which there is nothing to take back. */
static void warn_not_out(struct unpublishing *u)
{
	for (size_t i = 0; u->wish.account_count > 0 && i < u->result.account_count; i++) {
		if (u->result.accounts[i].verdict == UNPUBLISH_NOT_OUT)
			warning_add(&u->problems, field_of(u, i), "not_published",
				    STR("Nothing of this post is published on that account."));
	}
}

/* The post as it is now, with the warnings. */
static void respond_asked(struct unpublishing *u)
{
	struct post_row post = {0};
	struct error err = {0};
	const struct post_view view = {u->request->arena, u->api};
	warn_not_out(u);
	const enum err_kind kind = store_post_get(u->api->config.store, u->request->arena,
						  u->wish.app_id, u->wish.post_id, &post, &err);
	if (!respond_if_failed(u->api, u->request, u->response, kind, &err))
		post_respond(&view, u->response, 202, &post, &u->problems);
}

void api_post_unpublish(void *context, struct http_request *request, struct http_response *response)
{
	struct unpublishing u = {.api = context, .request = request, .response = response};
	struct error err = {0};
	problems_init(&u.problems, request->arena);
	u.wish = (struct post_unpublish){.app_id = request_app(request)->id,
					 .post_id = http_request_capture(request, "post_id"),
					 .unsupported_mask = unsupported_mask(),
					 .now_us = clock_now_us(u.api->config.clock)};
	if (!read_body(&u))
		return;
	const enum err_kind kind =
		store_post_unpublish(u.api->config.store, request->arena, &u.wish, &u.result, &err);
	if (respond_if_failed(u.api, request, response, kind, &err))
		return;
	switch (u.result.outcome) {
	case POST_UNPUBLISHED:
		deliverer_wake_removals(u.api->config.deliverer);
		respond_asked(&u);
		return;
	case POST_UNPUBLISH_NOTHING:
		respond_nothing(&u);
		return;
	case POST_UNPUBLISH_NOT_TARGETS:
		respond_not_targets(&u);
		return;
	}
}
