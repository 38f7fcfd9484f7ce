/* SPDX-License-Identifier: Apache-2.0
 * Instagram professional accounts, through Facebook Login or Instagram Login (meta.md 2, 4, 7;
 * instagram_login.c). A post goes
 * up in steps: containers that Meta fills from URLs or bytes (instagram_container.c), waiting until
 * they are ready, and media_publish, which is the one call that people can see. The container makes
 * an uncertain publish call provable: its status says whether it was published
 * (instagram_resolve.c). */
#include "instagram_adapter.h"

#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "adapters.h"
#include "answer.h"
#include "graph.h"
#include "stages.h"

#define QUOTA_WAIT_MS (60 * 60 * 1000) /* the 24 h window moves on; ask again in an hour */
#define UNKNOWN_WAIT_MS 30000          /* meta.md 6.3, 2207008: again in 30 s to 2 min */
#define UNKNOWN_AGAIN_MAX 2
#define EXTRA_MAX_BYTES (64 * 1024)
/* Half of its 60 days: an account that posts once in the other half never ends (meta.md 2.8). */
#define LOGIN_REFRESH_AHEAD_US (30 * US_PER_DAY)

/* ---- connect ---- */

#define FACEBOOK_LOGIN_SCOPES \
	"instagram_basic", "instagram_content_publish", "instagram_manage_comments", \
		"pages_show_list", "pages_read_engagement", "business_management"

static const struct oauth_variant variants[] = {
	{"facebook_login",
	 {FACEBOOK_LOGIN_SCOPES},
	 "a Meta app with Facebook Login: every account that is linked to a Facebook Page",
	 NULL},
	{GRAPH_LOGIN_INSTAGRAM,
	 {"instagram_business_basic", "instagram_business_content_publish",
	  "instagram_business_manage_comments"},
	 "an Instagram app with Instagram Login: one account a login, without a Page",
	 "https://www.instagram.com/oauth/authorize"},
	{.name = NULL},
};

static const struct oauth_profile instagram_oauth = {
	.authorize_url = "https://www.facebook.com/{graph_version}/dialog/oauth",
	.client_id_name = "client_id",
	.scopes = {FACEBOOK_LOGIN_SCOPES},
	.variants = variants,
	.takes_config_id = true,
	.scope_separator = ",",
	.pkce = PKCE_NONE,
	.denied_errors = {"access_denied"},
};

static const char *const instagram_needed[] = {
	"instagram_basic", "instagram_content_publish", "instagram_manage_comments",
	"pages_show_list", "pages_read_engagement",     NULL};

static const char *instagram_permissions_answer(const struct env *env, struct flow *flow,
						const struct reply *reply, struct step *step)
{
	return graph_permissions_answer(env, flow, reply, step, instagram_needed);
}

static struct str first_of(struct str a, struct str b)
{
	return str_is_empty(a) ? b : a;
}

static bool instagram_account(const struct env *env, const struct flow *flow,
			      const struct graph_page *page, struct account_found *account)
{
	if (str_is_empty(page->instagram_id))
		return false;
	const struct str username = first_of(page->instagram_username, page->instagram_id);
	*account = (struct account_found){
		.platform_account_id = page->instagram_id,
		.username = username,
		.name = first_of(page->instagram_name, username),
		.avatar_url = page->instagram_avatar_url,
		.type = ACCOUNT_BUSINESS,
		.access_token = page->access_token,
		.scopes = flow_get(flow, GRAPH_KEY_SCOPES),
		.extra = graph_account_extra(env, flow, "page_id", page->id),
		.extra_secret = flow_get(flow, GRAPH_KEY_USER_TOKEN),
	};
	return true;
}

/* The usual reason, and what a person can do about it (meta.md 2.1, 2.6). */
static const char no_accounts_text[] =
	"None of the shared Pages is linked to an Instagram professional account. Switch the "
	"personal account to a business account in the Instagram app and link it to a Facebook "
	"Page; then connect again and select that Page.";

static const char *instagram_finish_ask(const struct env *env, struct flow *flow, struct step *step)
{
	/* Permissions of the instagram_ family end with the user's grant (meta.md 2.7). */
	if (flow_get_int(flow, GRAPH_KEY_IS_PROBED, 0) == 0)
		return GRAPH_STAGE_PROBE;
	graph_finish(env, flow, step, instagram_account);
	if (step->kind == STEP_FAIL &&
	    step->failure.connection_error == CONNECTION_ERROR_NO_ACCOUNTS)
		step->failure.message = str_of(no_accounts_text);
	return NULL;
}

static const char *code_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return graph_is_instagram_login(env) ? INSTAGRAM_STAGE_LOGIN_CODE
					     : graph_code_ask(env, flow, step);
}

static const struct stage instagram_connect_stages[] = {
	{GRAPH_STAGE_CODE, code_ask, graph_code_answer},
	{GRAPH_STAGE_LONG, graph_long_ask, graph_long_answer},
	{GRAPH_STAGE_PERMISSIONS, graph_permissions_ask, instagram_permissions_answer},
	{GRAPH_STAGE_ME, graph_me_ask, graph_me_answer},
	{GRAPH_STAGE_PAGES, graph_pages_ask, graph_pages_answer},
	{GRAPH_STAGE_BUSINESSES, graph_businesses_ask, graph_businesses_answer},
	{GRAPH_STAGE_PORTFOLIO, graph_portfolio_ask, graph_portfolio_answer},
	{GRAPH_STAGE_PROBE, graph_probe_ask, graph_probe_answer},
	{GRAPH_STAGE_TARGETS, graph_targets_ask, graph_targets_answer},
	{GRAPH_STAGE_FINISH, instagram_finish_ask, graph_no_answer},
	{INSTAGRAM_STAGE_LOGIN_CODE, instagram_login_code_ask, instagram_login_code_answer},
	{INSTAGRAM_STAGE_LOGIN_LONG, instagram_login_long_ask, instagram_login_long_answer},
	{INSTAGRAM_STAGE_LOGIN_ME, instagram_login_me_ask, instagram_login_me_answer},
	{.name = NULL},
};

static const char *verify_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return graph_is_instagram_login(env) ? INSTAGRAM_STAGE_LOGIN_SECRET
					     : graph_app_token_ask(env, flow, step);
}

static const struct stage instagram_verify_stages[] = {
	{GRAPH_STAGE_APP_TOKEN, verify_ask, graph_app_token_answer},
	{GRAPH_STAGE_DEBUG, graph_debug_ask, graph_debug_answer},
	{INSTAGRAM_STAGE_LOGIN_SECRET, instagram_secret_ask, instagram_secret_answer},
	{.name = NULL},
};

/* ---- what the files of Instagram share ---- */

struct str instagram_edge(const struct env *env, struct str object, const char *edge)
{
	return str_format(env->arena, STR_FMT "/%s", STR_ARG(object), edge);
}

const char *instagram_read(const struct env *env, const struct flow *flow, struct step *step,
			   struct str path, const char *fields)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", str_of(fields));
	graph_call(env, step, CALL_READ, "GET", path, graph_reader_token(env, flow), &form);
	return NULL;
}

bool instagram_token_is_dead(const struct reply *reply)
{
	struct graph_error error;
	return graph_error_read(reply, &error) && error.class == FAILURE_REAUTH;
}

/* ---- publish ---- */

static const char *start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	if (flow_part(flow) == flow->part_count) {
		step_done(step);
		return NULL;
	}
	return flow_part(flow) == 0 ? INSTAGRAM_STAGE_QUOTA : INSTAGRAM_STAGE_COMMENT;
}

/* 4.4: how many posts a day there are differs from account to account, so it is asked, before
 * anything is made. */
static const char *quota_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return instagram_read(env, flow, step,
			      instagram_edge(env, env->platform_account_id, INSTAGRAM_EDGE_QUOTA),
			      "quota_usage,config");
}

#define QUOTA_MEMBER "publishing_quota"

static void extra_copy(struct json_writer *w, const struct json *extra)
{
	for (size_t i = 0; json_is(extra, JSON_TYPE_OBJECT) && i < extra->count; i++) {
		if (str_equal_z(extra->keys[i], QUOTA_MEMBER))
			continue;
		json_key_str(w, extra->keys[i]);
		json_put_value(w, &extra->items[i]);
	}
}

/* The account's extra with the quota that Meta reported. */
static struct str extra_with_quota(const struct env *env, int64_t usage, int64_t total)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, EXTRA_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	extra_copy(&w, env->account_extra);
	json_key(&w, QUOTA_MEMBER);
	json_begin_object(&w);
	json_member_int(&w, "used", usage);
	json_member_int(&w, "total", total);
	json_member_instant(&w, "asked_at", env->now_us);
	json_end_object(&w);
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

/* The step that the answer leads to carries it (publish_learn). */
static void quota_keep(const struct env *env, struct flow *flow, int64_t usage, int64_t total)
{
	const struct str extra = extra_with_quota(env, usage, total);
	if (!str_is_empty(extra))
		flow_set(flow, INSTAGRAM_KEY_PUBLISHING_QUOTA, extra);
}

static const char *quota_used_up(struct step *step)
{
	step_fail(step, FAILURE_RATE_LIMITED, FAILURE_CODE_QUOTA_EXHAUSTED,
		  STR("The account has reached Instagram's 24-hour posting limit."))
		->retry_after_ms = QUOTA_WAIT_MS;
	return NULL;
}

static const char *quota_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const struct json *quota = json_at(json_get(reply->json, "data"), 0);
	const int64_t usage = json_int(json_get(quota, "quota_usage"), -1);
	const int64_t total = json_int(json_get(json_get(quota, "config"), "quota_total"), -1);
	if (graph_read_as_user(env, flow, reply))
		return INSTAGRAM_STAGE_QUOTA;
	if (instagram_token_is_dead(reply) || step_fail_transport(step, env, reply)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	/* A quota that cannot be read is no reason to give up: media_publish enforces it itself. */
	if (!graph_is_ok(reply) || usage < 0 || total < 0)
		return INSTAGRAM_STAGE_CONTAINER;
	quota_keep(env, flow, usage, total);
	return usage < total ? INSTAGRAM_STAGE_CONTAINER : quota_used_up(step);
}

/* 4.3 */
static const char *publish_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (str_is_empty(flow_get(flow, INSTAGRAM_KEY_CONTAINER)))
		return INSTAGRAM_STAGE_CONTAINER;
	graph_form_init(env, &form);
	form_add(&form, "creation_id", flow_get(flow, INSTAGRAM_KEY_CONTAINER));
	graph_call(env, step, CALL_PUBLISH, "POST",
		   instagram_edge(env, env->platform_account_id, INSTAGRAM_EDGE_PUBLISH),
		   env->access_token, &form);
	return NULL;
}

/* What an error says about a container that was sent before and may have been published by that:
 * one probe before it is believed; and the bare 100, with which a second publish of what is out is
 * refused, is never believed (meta.md 7). So is 2207051 without a call before it: it may be live
 * all the same (meta.md 6.3). */
static bool is_unproven(struct flow *flow, const struct graph_error *error)
{
	const bool is_repeat = flow_get_int(flow, INSTAGRAM_KEY_REPEATS, 0) > 0;
	const bool is_block = error->subcode == 2207051;
	if (is_repeat && error->code == 100 && error->subcode == 0) {
		flow_set_open(flow);
		return true;
	}
	return (is_repeat || is_block) && error->class != FAILURE_RATE_LIMITED &&
	       error->class != FAILURE_REAUTH && flow_count(flow, INSTAGRAM_KEY_REFUSALS) == 1;
}

static const char *publish_uncertain(struct step *step)
{
	*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}

/* 2207008: unknown for the moment, often; then it is gone. */
static const char *container_gone(const struct env *env, struct flow *flow,
				  const struct graph_error *error, struct step *step)
{
	const struct failure failure = step->failure;
	if (error->subcode == 2207008 &&
	    flow_count(flow, INSTAGRAM_KEY_UNKNOWNS) <= UNKNOWN_AGAIN_MAX)
		return instagram_wait_at(flow, step, INSTAGRAM_STAGE_PUBLISH, UNKNOWN_WAIT_MS);
	return instagram_container_again(env, flow, step, &failure);
}

/* The answers to media_publish that are no success (meta.md 6.3). */
static const char *publish_refused(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	struct graph_error error = {0};
	const bool is_readable = graph_error_read(reply, &error);
	if (is_readable && error.remedy == GRAPH_POLL)
		return instagram_poll_again(env, flow, step);
	if (is_readable && is_unproven(flow, &error))
		return publish_uncertain(step);
	if (graph_is_uncertain(reply) && error.subcode != 2207051)
		return publish_uncertain(step);
	graph_step_fail(env, reply, step);
	return error.remedy == GRAPH_CONTAINER ? container_gone(env, flow, &error, step) : NULL;
}

static const char *publish_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id))
		return publish_refused(env, flow, reply, step);
	flow_part_done(flow, id, (struct str){0});
	return INSTAGRAM_STAGE_PERMALINK;
}

/* Cosmetic: the post is out in any case. */
static const char *permalink_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (str_is_empty(flow->parts[0].remote_id))
		return INSTAGRAM_STAGE_START;
	return instagram_read(env, flow, step, flow->parts[0].remote_id,
			      "permalink,media_product_type,timestamp");
}

static const char *permalink_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	const struct str permalink =
		answer_url(env, json_string(json_get(reply->json, "permalink")));
	(void)step;
	if (graph_read_as_user(env, flow, reply))
		return INSTAGRAM_STAGE_PERMALINK;
	if (graph_is_ok(reply) && !str_is_empty(permalink))
		flow->parts[0].url = str_copy(flow->arena, permalink);
	return INSTAGRAM_STAGE_START;
}

/* 4.5 */
static const char *comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (str_is_empty(flow->parts[0].remote_id)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("The post is published, but its id is unknown, so it cannot be "
			      "commented on."));
		return NULL;
	}
	graph_form_init(env, &form);
	form_add(&form, "message", env->post->containers[flow_part(flow)].content);
	graph_call(env, step, CALL_PUBLISH, "POST",
		   instagram_edge(env, flow->parts[0].remote_id, INSTAGRAM_EDGE_COMMENTS),
		   env->access_token, &form);
	return NULL;
}

static const char *comment_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "id"));
	if (graph_is_ok(reply) && !str_is_empty(id)) {
		flow_part_done(flow, id, (struct str){0});
		return INSTAGRAM_STAGE_START;
	}
	if (graph_is_uncertain(reply))
		return publish_uncertain(step);
	graph_step_fail(env, reply, step);
	return NULL;
}

static const struct stage instagram_publish_stages[] = {
	{INSTAGRAM_STAGE_START, start_ask, graph_no_answer},
	{INSTAGRAM_STAGE_QUOTA, quota_ask, quota_answer},
	{INSTAGRAM_STAGE_CONTAINER, instagram_container_ask, instagram_container_answer},
	{INSTAGRAM_STAGE_UPLOAD, instagram_upload_ask, instagram_upload_answer},
	{INSTAGRAM_STAGE_POLL, instagram_poll_ask, instagram_poll_answer},
	{INSTAGRAM_STAGE_PUBLISH, publish_ask, publish_answer},
	{INSTAGRAM_STAGE_PERMALINK, permalink_ask, permalink_answer},
	{INSTAGRAM_STAGE_COMMENT, comment_ask, comment_answer},
	{.name = NULL},
};

/* ---- the platform ---- */

/* Hands over what was told of the quota (quota_keep). */
static void publish_learn(const struct env *env, struct flow *flow, struct step *step)
{
	step->account_extra = str_copy(env->arena, flow_get(flow, INSTAGRAM_KEY_PUBLISHING_QUOTA));
	flow_unset(flow, INSTAGRAM_KEY_PUBLISHING_QUOTA);
}

/* Business and creator accounts, which are all that can publish, are public. */
static enum post_visibility instagram_visibility(const struct env *env)
{
	(void)env;
	return POST_VISIBILITY_PUBLIC;
}

const struct platform platform_instagram = {
	.slug = "instagram",
	.id = PLATFORM_INSTAGRAM,
	.oauth = &instagram_oauth,
	.rules = &instagram_rules,
	.plan = instagram_plan,
	.login_plan = instagram_login_plan,
	.is_other_login = graph_is_instagram_login,
	.refresh_ahead_us = LOGIN_REFRESH_AHEAD_US,
	.stages =
		{
			[OPERATION_VERIFY] = instagram_verify_stages,
			[OPERATION_CONNECT] = instagram_connect_stages,
			[OPERATION_REFRESH] = instagram_refresh_stages,
			[OPERATION_CHECK] = graph_check_stages,
			[OPERATION_PUBLISH] = instagram_publish_stages,
			[OPERATION_RESOLVE] = instagram_resolve_stages,
			[OPERATION_REMOVE] = instagram_remove_stages,
		},
	.publish_learn = publish_learn,
	.visibility = instagram_visibility,
};
