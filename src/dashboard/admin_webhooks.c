/* SPDX-License-Identifier: Apache-2.0
 * Admin API: resending an event to a webhook. Everything else about webhooks is the public API's
 * (admin_web.c). */
#include "admin_private.h"

#include "store_event.h"

#include "webhook.h"

static void respond_resent(struct http_response *response, int64_t delivery_id)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 202));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_int(&w, "id", delivery_id);
	json_member_str(&w, "state", STR("pending"));
	json_end_object(&w);
	json_end_object(&w);
}

void admin_webhook_resend(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct admin *admin = context;
	int64_t delivery_id = 0;
	struct app_row app = {0};
	struct webhook_row webhook = {0};
	struct quota_over over;
	struct error err = {0};
	if (!admin_request_app(admin, request, response, &app))
		return;
	enum err_kind kind =
		store_webhook_find(admin->config.store, request->arena, app.id,
				   http_request_capture(request, "webhook_id"), &webhook, &err);
	if (kind == ERR_NONE && !webhook.is_enabled) {
		admin_respond_error(response, 409, "WEBHOOK_DISABLED",
				    STR("The webhook is disabled; enable it first."));
		return;
	}
	if (kind == ERR_NONE &&
	    !str_parse_i64(http_request_capture(request, "delivery_id"), &delivery_id))
		kind = error_set(&err, ERR_NOT_FOUND, "no such webhook delivery");
	if (kind == ERR_NONE)
		kind = store_webhook_resend(admin->config.store, webhook.id, delivery_id,
					    clock_now_us(admin->config.clock), &over, &err);
	if (kind == ERR_TOO_LARGE) {
		admin_respond_error(response, 429, "QUOTA_EXCEEDED",
				    quota_message(request->arena, &over));
		return;
	}
	if (kind == ERR_CONFLICT) {
		admin_respond_error(response, 409, "UNDER_WAY",
				    STR("This event is already being delivered to the webhook."));
		return;
	}
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "webhook delivery");
		return;
	}
	webhooker_wake(admin->web.webhooker);
	respond_resent(response, delivery_id);
}
