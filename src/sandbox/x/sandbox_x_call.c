/* SPDX-License-Identifier: Apache-2.0
 * The check in front of every call of the simulated X: token, rate limit, credits (x.md
 * 3.3, 3.4); and the ids of posts and media. */
#include "sandbox_x.h"

#include "arena.h"
#include "str.h"

#define WINDOW_US (15 * US_PER_MINUTE) /* 3.3 */
#define TWITTER_EPOCH_MS INT64_C(1288834974657)

struct x_state *sandbox_x_state(struct sandbox_call *call)
{
	return sandbox_state(call->sandbox, SANDBOX_X);
}

/* Milliseconds since X's epoch above 22 bits of sequence: the form of X's ids since 2010. */
struct str sandbox_x_next_id(struct sandbox_call *call)
{
	struct x_state *x = sandbox_x_state(call);
	const uint64_t now = (uint64_t)(call->now_us / US_PER_MS - TWITTER_EPOCH_MS) << 22;
	x->last_id = now > x->last_id ? now + sandbox_random_below(call->sandbox, 1 << 12)
				      : x->last_id + 1;
	return sandbox_keep_str(call->sandbox,
				str_format(call->arena, "%llu", (unsigned long long)x->last_id));
}

struct window {
	int64_t begin_us;
	int64_t used;
};

static bool window_take(struct sandbox_call *call, const char *kind, struct str user_id,
			int64_t limit)
{
	struct window *window = sandbox_object_get(call->sandbox, SANDBOX_X, kind, user_id);
	if (window == NULL) {
		window = sandbox_keep(call->sandbox, sizeof(*window));
		sandbox_object_put(call->sandbox, SANDBOX_X, kind, user_id, window);
	}
	if (call->now_us - window->begin_us >= WINDOW_US)
		*window = (struct window){.begin_us = call->now_us};
	const int64_t reset_us = window->begin_us + WINDOW_US;
	if (window->used >= limit) {
		sandbox_x_fail(call, 429, "Too Many Requests", "Too Many Requests", NULL);
		sandbox_x_window_put(call, limit, 0, reset_us);
		return false;
	}
	window->used++;
	sandbox_x_window_put(call, limit, limit - window->used, reset_us);
	return true;
}

struct sandbox_token *sandbox_x_token_of(struct sandbox_call *call)
{
	struct sandbox_token *token = sandbox_token_bearer(call);
	return token != NULL && token->kind != SANDBOX_TOKEN_REFRESH ? token : NULL;
}

struct sandbox_token *sandbox_x_user(struct sandbox_call *call, const char *scope, const char *kind,
				     int64_t limit)
{
	struct sandbox_token *token = sandbox_x_token_of(call);
	if (token == NULL || !sandbox_token_is_live(call->sandbox, token)) {
		sandbox_x_fail_token(call);
		return NULL;
	}
	if (token->kind == SANDBOX_TOKEN_APP) {
		sandbox_x_fail(
			call, 403, "Unsupported Authentication",
			"Authenticating with OAuth 2.0 Application-Only is forbidden for this "
			"endpoint.  Supported "
			"authentication types are [OAuth 1.0a User Context, OAuth 2.0 User "
			"Context].",
			"unsupported-authentication");
		return NULL;
	}
	if (!window_take(call, kind, token->subject, limit))
		return NULL;
	if (!sandbox_scope_has(token->scope, scope)) {
		sandbox_x_fail_forbidden(call, "Forbidden");
		return NULL;
	}
	/* An empty balance blocks every call, even free ones (3.4). */
	const int64_t budget = sandbox_knob(call->sandbox, SANDBOX_KNOB_x_budget_mils);
	if (budget >= 0 && sandbox_x_state(call)->spent_mils >= budget) {
		sandbox_x_render_error(call, STR("credits-depleted"));
		return NULL;
	}
	return token;
}

bool sandbox_x_spend(struct sandbox_call *call, int64_t mils)
{
	struct x_state *x = sandbox_x_state(call);
	const int64_t budget = sandbox_knob(call->sandbox, SANDBOX_KNOB_x_budget_mils);
	if (budget >= 0 && x->spent_mils + mils > budget) {
		sandbox_x_render_error(call, STR("credits-depleted"));
		return false;
	}
	x->spent_mils += mils;
	return true;
}

bool sandbox_x_is_premium_user(struct sandbox_call *call)
{
	return sandbox_call_knob(call, SANDBOX_KNOB_x_subscription) > 0;
}
