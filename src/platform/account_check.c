/* SPDX-License-Identifier: Apache-2.0
 * See account_check.h. Meta's revocation takes the app away from the whole user, with Pages that
 * other accounts stand for, and LinkedIn has none: those two keep their tokens until they end. */
#include "account_check.h"

#include "arena.h"
#include "buf.h"

#include "base64.h"
#include "form.h"
#include "json.h"

#include "graph.h"
#include "linkedin.h"
#include "tiktok_adapter.h"
#include "x_adapter.h"
#include "youtube_adapter.h"

#define USERINFO_URL "https://api.linkedin.com/v2/userinfo" /* platforms/linkedin.md 1.6 */
#define FORM_MAX_BYTES 16384

/* Asks once (reply NULL) for url with the account's token. */
static bool asks(const struct env *env, const struct reply *reply, struct str url,
		 struct step *step)
{
	if (reply != NULL)
		return false;
	call_bearer(env, step_send(step, CALL_READ, "GET", url), env->access_token);
	return true;
}

/* ---- check ---- */

static void check_graph(const struct env *env, const struct reply *reply, struct step *step)
{
	struct buf form;
	if (reply == NULL) {
		graph_form_init(env, &form);
		form_add(&form, "fields", STR("id"));
		graph_call(env, step, CALL_READ, "GET", env->platform_account_id, env->access_token,
			   &form);
	} else if (graph_is_ok(reply)) {
		step_done(step);
	} else {
		graph_step_fail(env, reply, step);
	}
}

void account_check_facebook(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	(void)flow;
	check_graph(env, reply, step);
}

void account_check_instagram(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	(void)flow;
	check_graph(env, reply, step);
}

void account_check_x(const struct env *env, struct flow *flow, const struct reply *reply,
		     struct step *step)
{
	(void)flow;
	if (asks(env, reply, STR(X_API "/2/users/me"), step))
		return;
	if (reply->outcome == REPLY_ANSWERED && x_is_ok(reply))
		step_done(step);
	else
		x_failed(env, reply, step);
}

void account_check_linkedin(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	(void)flow;
	if (!asks(env, reply, STR(USERINFO_URL), step) && !linkedin_is_refused(env, reply, step))
		step_done(step);
}

void account_check_youtube(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	(void)flow;
	if (!asks(env, reply, STR(YOUTUBE_API_URL "/channels?part=id&mine=true"), step) &&
	    !youtube_is_refused(env, reply, step))
		step_done(step);
}

void account_check_tiktok(const struct env *env, struct flow *flow, const struct reply *reply,
			  struct step *step)
{
	(void)flow;
	if (!asks(env, reply, STR(TIKTOK_API_URL "/user/info/?fields=open_id"), step) &&
	    !tiktok_is_refused(env, reply, step))
		step_done(step);
}

/* ---- revoke ---- */

static struct call *send_form(struct step *step, const char *url, struct buf *form)
{
	struct call *call = step_send(step, CALL_PREPARE, "POST", str_of(url));
	call_form(call, buf_str(form));
	return call;
}

/* The refresh token, where there is one: with it goes every access token made from it. */
static void form_begin(const struct env *env, struct buf *form)
{
	buf_init(form, env->arena, FORM_MAX_BYTES);
	form_add(form, "token",
		 str_is_empty(env->refresh_token) ? env->access_token : env->refresh_token);
}

/* A token that the platform does not know any more is as good as revoked. */
static void take_revocation(const struct env *env, const struct reply *reply, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return;
	if ((reply->status >= 200 && reply->status <= 299) || reply->status == 400 ||
	    reply->status == 401)
		step_done(step);
	else
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  str_format(env->arena, "The platform answered with status %d.",
				     reply->status));
}

/* platforms/x.md 1.4 */
void account_revoke_x(const struct env *env, struct flow *flow, const struct reply *reply,
		      struct step *step)
{
	struct buf form;
	(void)flow;
	if (reply != NULL) {
		take_revocation(env, reply, step);
		return;
	}
	form_begin(env, &form);
	const struct str pair =
		str_format(env->arena, STR_FMT ":" STR_FMT, STR_ARG(str_trim(env->client_id)),
			   STR_ARG(str_trim(env->client_secret)));
	call_header(send_form(step, X_API "/2/oauth2/revoke", &form), "Authorization",
		    str_concat(env->arena, STR("Basic "), base64_encode(env->arena, pair)));
}

/* platforms/youtube.md 1.4 */
void account_revoke_youtube(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step)
{
	struct buf form;
	(void)flow;
	if (reply != NULL) {
		take_revocation(env, reply, step);
		return;
	}
	form_begin(env, &form);
	send_form(step, "https://oauth2.googleapis.com/revoke", &form);
}

/* platforms/tiktok.md 1.4: the access token is what it takes. */
void account_revoke_tiktok(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	struct buf form;
	(void)flow;
	if (reply != NULL) {
		take_revocation(env, reply, step);
		return;
	}
	buf_init(&form, env->arena, FORM_MAX_BYTES);
	form_add(&form, "client_key", env->client_id);
	form_add(&form, "client_secret", env->client_secret);
	form_add(&form, "token", env->access_token);
	send_form(step, TIKTOK_API_URL "/oauth/revoke/", &form);
}
