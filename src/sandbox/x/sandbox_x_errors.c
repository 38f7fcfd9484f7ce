/* SPDX-License-Identifier: Apache-2.0
 * X's errors (x.md 4): its two envelopes, and every row of the table by name, for
 * faults. */
#include "sandbox_x.h"

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "json_write.h"

#define RATE_LIMIT_WAIT_S 60 /* of the fault rate_limit, when it gives none */

void sandbox_x_fail(struct sandbox_call *call, int status, const char *title, const char *detail,
		    const char *type)
{
	struct json_writer w;
	sandbox_answer(call, status, &w);
	json_begin_object(&w);
	json_member_str(&w, "title", str_of(title));
	json_member_str(&w, "detail", str_of(detail));
	json_member_str(&w, "type",
			type == NULL
				? STR("about:blank")
				: str_format(call->arena, "https://api.x.com/2/problems/%s", type));
	json_member_int(&w, "status", status);
	json_end_object(&w);
}

void sandbox_x_fail_token(struct sandbox_call *call)
{
	sandbox_x_fail(call, 401, "Unauthorized", "Unauthorized", NULL);
}

void sandbox_x_window_put(struct sandbox_call *call, int64_t limit, int64_t remaining,
			  int64_t reset_us)
{
	struct arena *arena = call->arena;
	sandbox_answer_header(call, "x-rate-limit-limit",
			      str_format(arena, "%lld", (long long)limit));
	sandbox_answer_header(call, "x-rate-limit-remaining",
			      str_format(arena, "%lld", (long long)remaining));
	sandbox_answer_header(call, "x-rate-limit-reset",
			      str_format(arena, "%lld", (long long)(reset_us / US_PER_S)));
}

void sandbox_x_window_empty(struct sandbox_call *call, int64_t retry_after_s)
{
	sandbox_x_window_put(
		call, sandbox_call_knob(call, SANDBOX_KNOB_x_create_limit), 0,
		call->now_us + (retry_after_s > 0 ? retry_after_s : RATE_LIMIT_WAIT_S) * US_PER_S);
}

void sandbox_x_fail_forbidden(struct sandbox_call *call, const char *detail)
{
	sandbox_x_fail(call, 403, "Forbidden", detail, NULL);
}

void sandbox_x_fail_request(struct sandbox_call *call, const char *parameter, struct str value,
			    const char *message)
{
	struct json_writer w;
	sandbox_answer(call, 400, &w);
	json_begin_object(&w);
	json_key(&w, "errors");
	json_begin_array(&w);
	json_begin_object(&w);
	json_key(&w, "parameters");
	json_begin_object(&w);
	json_key(&w, parameter);
	json_begin_array(&w);
	json_put_str(&w, value);
	json_end_array(&w);
	json_end_object(&w);
	json_member_str(&w, "message", str_of(message));
	json_end_object(&w);
	json_end_array(&w);
	json_member_str(&w, "title", STR("Invalid Request"));
	json_member_str(&w, "detail", STR("One or more parameters to your request was invalid."));
	json_member_str(&w, "type", STR("https://api.x.com/2/problems/invalid-request"));
	json_end_object(&w);
}

void sandbox_x_fail_not_found(struct sandbox_call *call, const char *parameter, struct str id)
{
	struct json_writer w;
	sandbox_answer(call, 404, &w);
	json_begin_object(&w);
	json_member_str(&w, "title", STR("Not Found Error"));
	json_member_str(&w, "detail",
			str_format(call->arena, "Could not find %s with id: [" STR_FMT "].",
				   parameter, STR_ARG(id)));
	json_member_str(&w, "resource_id", id);
	json_member_str(&w, "parameter", STR("id"));
	json_member_str(&w, "resource_type", str_of(parameter));
	json_member_str(&w, "type", STR("https://api.x.com/2/problems/resource-not-found"));
	json_member_int(&w, "status", 404);
	json_end_object(&w);
}

/* Every row of section 4 by name, for faults. */
struct named {
	const char *name;
	int status;
	const char *title;
	const char *detail;
	const char *type; /* NULL = about:blank */
	bool has_reset;   /* with the headers of an exhausted window */
};

static const struct named named[] = {
	{"invalid-request", 400, "Invalid Request",
	 "One or more parameters to your request was invalid.", "invalid-request", false},
	{"media-ids-invalid", 400, "Invalid Request", "Your media IDs are invalid.",
	 "invalid-request", false},
	{"reply-target-gone", 400, "Invalid Request",
	 "You attempted to reply to a Tweet that is deleted or not visible to you.",
	 "invalid-request", false},
	{"unauthorized", 401, "Unauthorized", "Unauthorized", NULL, false},
	{"credits-depleted", 402, "CreditsDepleted",
	 "Your enrolled account does not have any credits to fulfill this request.", "credits",
	 false},
	{"duplicate-content", 403, "Forbidden",
	 "You are not allowed to create a Tweet with duplicate content.", NULL, false},
	{"reply-not-mentioned", 403, "Forbidden",
	 "You can only reply to or quote posts where you are mentioned or are the author.", NULL,
	 false},
	{"reply-not-allowed", 403, "Forbidden", "Reply to this conversation is not allowed.", NULL,
	 false},
	{"feature-not-permitted", 403, "Forbidden",
	 "Your account is not permitted to access this feature.", NULL, false},
	{"action-not-permitted", 403, "Forbidden", "You are not permitted to perform this action.",
	 NULL, false},
	{"video-too-long", 403, "Forbidden",
	 "This user is not allowed to post a video longer than 20 minutes.", NULL, false},
	{"too-many-cashtags", 403, "Forbidden", "A Tweet may hold a maximum of one cashtag.", NULL,
	 false},
	{"invalid-url", 403, "Forbidden", "The text contains an invalid URL.", NULL, false},
	{"too-many-media", 403, "Forbidden", "You may attach a maximum of 4 items to a Tweet.",
	 NULL, false},
	{"unsupported-authentication", 403, "Unsupported Authentication",
	 "Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.",
	 "unsupported-authentication", false},
	{"unknown-authentication", 403, "Unsupported Authentication",
	 "Authenticating with Unknown is forbidden for this endpoint.",
	 "unsupported-authentication", false},
	{"client-not-enrolled", 403, "Client Forbidden",
	 "When authenticating requests to the Twitter API v2 endpoints, you must use keys from a "
	 "developer App that is attached to a Project.",
	 "client-forbidden", false},
	{"oauth1-permissions", 403, "Forbidden",
	 "Your client app is not configured with the appropriate permissions for this endpoint.",
	 "oauth1-permissions", false},
	{"user-suspended", 403, "Forbidden", "The user is suspended.", "user-suspended", false},
	{"account-locked", 403, "Forbidden",
	 "To protect our users from spam, this account is temporarily locked.", NULL, false},
	{"forbidden", 403, "Forbidden", "Forbidden", NULL, false},
	{"not-found", 404, "Not Found Error", "Could not find tweet with id: [1].",
	 "resource-not-found", false},
	{"rate-limit", 429, "Too Many Requests", "Too Many Requests", NULL, true},
	{"rate-limit-exceeded", 429, "Too Many Requests", "Rate limit exceeded",
	 "rate-limit-exceeded", true},
	{"usage-capped", 429, "UsageCapExceeded", "Usage cap exceeded: Monthly product cap",
	 "usage-capped", false},
	{"internal-error", 500, "Internal Error", "An internal error has occurred.",
	 "internal-error", false},
	{"service-unavailable", 503, "Service Unavailable", "Service Unavailable", NULL, false},
};

/* Errors that still have the form of version 1.1. */
static const struct {
	const char *name;
	int status;
	const char *body;
} named_v1[] = {
	{"token-expired-v1", 401,
	 "{\"errors\":[{\"code\":89,\"message\":\"Invalid or expired token\"}]}"},
	{"rate-limit-v1", 429, "{\"errors\":[{\"code\":88,\"message\":\"Rate limit exceeded\"}]}"},
	{"edge", 403, "<html><body>Access denied</body></html>"},
};

static bool render_v1(struct sandbox_call *call, struct str name)
{
	for (size_t i = 0; i < COUNT_OF(named_v1); i++) {
		if (!str_equal_z(name, named_v1[i].name))
			continue;
		if (call != NULL)
			sandbox_answer_json(call, named_v1[i].status, named_v1[i].body);
		return true;
	}
	return false;
}

bool sandbox_x_render_error(struct sandbox_call *call, struct str name)
{
	for (size_t i = 0; i < COUNT_OF(named); i++) {
		const struct named *row = &named[i];
		if (!str_equal_z(name, row->name))
			continue;
		if (call != NULL)
			sandbox_x_fail(call, row->status, row->title, row->detail, row->type);
		if (call != NULL && row->has_reset)
			sandbox_x_window_empty(call, 0);
		return true;
	}
	return render_v1(call, name);
}
