/* SPDX-License-Identifier: Apache-2.0
 * PATCH /v1/posts/{post_id} (api-decisions.md 12): a member that is given replaces that member
 * whole, and the result is judged as publishing it would be. Whether it is too late is the store's
 * decision, in the transaction that writes. */
#include "api_private.h"

#include "publish_request.h"

#include "store_post_change.h"

#include "delivery.h"
#include "looker.h"

#include "etag.h"

/* Others may edit the post at the same time; then the new content is made again of theirs. */
#define EDIT_TRIES 8

struct editing {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	const struct json *patch;
	struct problems problems; /* and warnings */
	struct post_row post;     /* as it was read */
	struct post_edit edit;
};

/* ---- the body ---- */

static void check_members(struct editing *e)
{
	if (e->patch->count == 0)
		problem_add(&e->problems, PROBLEM_SHAPE, STR("body"), "required",
			    STR("Give what is to be changed: content, containers, media, type, "
				"platforms, overrides or scheduled_at."));
	for (size_t i = 0; i < e->patch->count; i++) {
		const struct str key = e->patch->keys[i];
		if (!json_is(&e->patch->items[i], JSON_TYPE_NULL))
			continue;
		problem_add(&e->problems, PROBLEM_SHAPE, key, "null",
			    str_equal_z(key, "scheduled_at")
				    ? STR("This must not be null. To publish now, send the present "
					  "time.")
				    : STR("This must not be null. To take it away, send an empty "
					  "value."));
	}
}

/* False: answered. */
static bool read_patch(struct editing *e)
{
	if (!respond_read_json(e->request, e->response, PUBLISH_PATCH_KNOWN, &e->problems,
			       &e->patch))
		return false;
	check_members(e);
	return !respond_if_problems(e->response, &e->problems);
}

/* ---- the store ---- */

/* False: answered, unless somebody else changed the post since it was read. */
static bool ask_store(struct editing *e, struct post_change_result *result)
{
	struct error err = {0};
	const enum err_kind kind = store_post_edit(e->api->config.store, &e->edit, result, &err);
	if (respond_if_failed(e->api, e->request, e->response, kind, &err))
		return false;
	if (result->outcome == POST_EDIT_OVER_QUOTA) {
		respond_over_quota(e->response, &result->over);
		return false;
	}
	return result->outcome == POST_CHANGED_BEFORE || result->outcome == POST_EDIT_MEDIA_GONE ||
	       !post_respond_too_late(e->response, result);
}

/* ---- what it makes ---- */

/* False: answered. */
static bool read_post(struct editing *e)
{
	struct error err = {0};
	const enum err_kind kind = store_post_get(e->api->config.store, e->request->arena,
						  e->edit.app_id, e->edit.post_id, &e->post, &err);
	return !respond_if_failed(e->api, e->request, e->response, kind, &err) &&
	       !etag_refused(e->request, e->response, etag_of_post(e->request->arena, &e->post));
}

static struct publish_request request_of(const struct editing *e)
{
	struct publish_request whole = {.account_count = e->post.delivery_count};
	whole.account_ids = ARENA_ARRAY(e->request->arena, struct str, whole.account_count);
	for (size_t i = 0; i < whole.account_count; i++)
		whole.account_ids[i] = e->post.deliveries[i].account_id;
	return whole;
}

/* Judged in the order of api-decisions.md 6. False: answered. */
static bool make_whole(struct editing *e)
{
	struct arena *arena = e->request->arena;
	struct publish_request whole = request_of(e);
	struct account_row *accounts = NULL;
	struct error err = {0};
	const struct json *at = json_get(e->patch, "scheduled_at");
	enum err_kind kind = post_content_read(arena, e->post.content, &whole.content, &err);
	if (respond_if_failed(e->api, e->request, e->response, kind, &err))
		return false;
	publish_patch_read(arena, e->patch, e->edit.now_us, &e->api->config.media_url_check,
			   &whole.content, &e->problems);
	e->edit.has_time = at != NULL;
	e->edit.scheduled_at_us = publish_schedule_read(at, e->edit.now_us, &e->problems);
	kind = media_use_check(e->api, e->edit.app_id, &whole.content, &e->problems, &e->edit.media,
			       &err);
	if (respond_if_failed(e->api, e->request, e->response, kind, &err) ||
	    respond_if_problems(e->response, &e->problems))
		return false;
	kind = api_post_accounts(e->api, e->edit.app_id, &whole, &e->problems, &accounts, &err);
	if (respond_if_failed(e->api, e->request, e->response, kind, &err) ||
	    respond_if_problems(e->response, &e->problems))
		return false;
	api_post_check(request_app(e->request), &whole, accounts, &e->problems);
	e->edit.mode = whole.content.mode;
	e->edit.content = api_post_content_text(arena, &whole.content);
	e->edit.content_read = e->post.content;
	e->edit.scheduled_read_us = e->post.scheduled_at_us;
	e->edit.look_at_us =
		looker_time_us(arena, &whole.content,
			       e->edit.has_time ? e->edit.scheduled_at_us : e->post.scheduled_at_us,
			       e->edit.now_us);
	return !respond_if_problems(e->response, &e->problems);
}

/* ---- the answer ---- */

static void respond_edited(struct editing *e)
{
	struct error err = {0};
	const struct post_view view = {e->request->arena, e->api};
	const enum err_kind kind = store_post_get(e->api->config.store, e->request->arena,
						  e->edit.app_id, e->edit.post_id, &e->post, &err);
	if (respond_if_failed(e->api, e->request, e->response, kind, &err))
		return;
	http_response_header(e->response, "ETag", etag_of_post(e->request->arena, &e->post));
	post_respond(&view, e->response, 200, &e->post, &e->problems);
}

void api_post_edit(void *context, struct http_request *request, struct http_response *response)
{
	struct editing e = {.api = context, .request = request, .response = response};
	struct post_change_result result = {0};
	problems_init(&e.problems, request->arena);
	e.edit.app_id = request_app(request)->id;
	e.edit.post_id = http_request_capture(request, "post_id");
	e.edit.now_us = clock_now_us(e.api->config.clock);
	e.edit.only_asks = true;
	if (!read_patch(&e) || !ask_store(&e, &result))
		return;
	e.edit.only_asks = false;
	for (int i = 0; i < EDIT_TRIES; i++) {
		problems_init(&e.problems, request->arena);
		if (!read_post(&e) || !make_whole(&e) || !ask_store(&e, &result))
			return;
		if (result.outcome == POST_CHANGED) {
			deliverer_wake(e.api->config.deliverer);
			looker_wake(e.api->config.looker);
			respond_edited(&e);
			return;
		}
	}
	const struct error err = {.kind = ERR_TEMPORARY,
				  .text = "others edit this post all the time"};
	respond_failure(e.api, request, response, ERR_TEMPORARY, &err);
}
