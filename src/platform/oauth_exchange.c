/* SPDX-License-Identifier: Apache-2.0
 * Asking a token endpoint (RFC 6749, 4.1.3, 4.4 and 6) and reading its refusals (5.2). */
#include "oauth_exchange.h"

#include "buf.h"

#include "form.h"

const struct oauth_variant *oauth_variant_find(const struct oauth_profile *profile, struct str name)
{
	const struct oauth_variant *variant = profile->variants;
	if (variant == NULL || str_is_empty(name))
		return variant;
	while (variant->name != NULL && !str_equal_z(name, variant->name))
		variant++;
	return variant->name != NULL ? variant : NULL;
}

/* ---- asking ---- */

static struct call *form_send(const struct env *env, struct buf *form, struct step *step)
{
	form_add(form, env->platform->oauth->client_id_name, env->client_id);
	form_add(form, "client_secret", env->client_secret);
	struct call *call =
		step_send(step, CALL_PREPARE, "POST", str_of(env->platform->exchange->token_url));
	call_form(call, buf_str(form));
	return call;
}

static void code_send(const struct env *env, struct str code, struct step *step)
{
	const bool has_pkce =
		env->platform->oauth->pkce != PKCE_NONE && !str_is_empty(env->pkce_verifier);
	struct buf form;
	buf_init(&form, env->arena, TOKEN_FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("authorization_code"));
	form_add(&form, "code", code);
	form_add(&form, "redirect_uri", env->redirect_uri);
	if (has_pkce)
		form_add(&form, "code_verifier", env->pkce_verifier);
	form_send(env, &form, step);
}

/* ---- refusals ---- */

/* error and error_description. */
static struct refusal_facts facts_of(const struct reply *reply)
{
	struct refusal_facts facts = {
		.status = reply->status,
		.message = json_string(json_get(reply->json, "error_description")),
	};
	refusal_marker_add(&facts, json_string(json_get(reply->json, "error")));
	facts.is_readable = facts.marker_count > 0;
	return facts;
}

static void fail_unread(struct step *step, struct str sentence)
{
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE, sentence);
}

/* What does not have the form of RFC 6749 is transient: it came from something before the endpoint
 * and says nothing about the account. */
static void take_refusal(const struct env *env, const struct reply *reply, struct step *step)
{
	const struct refusal_facts facts = facts_of(reply);
	if (facts.is_readable || facts.status == 429)
		refusal_fail(env->platform->exchange->refusals, env, &facts, reply, step);
	else
		fail_unread(step,
			    STR("The platform's answer to the token request cannot be read."));
}

/* ---- verify ---- */

static const char *verify_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const char *code = env->platform->exchange->verify_code;
	struct buf form;
	(void)flow;
	if (code != NULL) {
		code_send(env, str_of(code), step);
		return NULL;
	}
	buf_init(&form, env->arena, TOKEN_FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("client_credentials"));
	form_send(env, &form, step);
	return NULL;
}

static bool proves_credentials(const struct env *env, const struct reply *reply)
{
	const struct refusal_facts facts = facts_of(reply);
	const char *const *error = env->platform->exchange->verified_errors;
	for (; facts.is_readable && *error != NULL; error++) {
		if (str_equal_z(facts.markers[0], *error))
			return true;
	}
	return false;
}

static const char *verify_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	(void)flow;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (token_answer_read(env, reply, &answer) || proves_credentials(env, reply)) {
		step_done(step);
		return NULL;
	}
	take_refusal(env, reply, step);
	/* Only a refusal of the app says that its credentials are bad. */
	if (step->failure.class != FAILURE_APP && !failure_is_transient(step->failure.class))
		fail_unread(
			step,
			STR("The platform did not say whether the app's credentials are valid."));
	return NULL;
}

const struct stage oauth_verify_stages[] = {
	{OAUTH_STAGE_PROBE, verify_ask, verify_answer},
	{.name = NULL},
};

/* ---- connect: the code ---- */

const char *oauth_exchange_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	code_send(env, env->code, step);
	return NULL;
}

bool oauth_exchange_read(const struct env *env, const struct reply *reply,
			 struct token_answer *answer_out, struct step *step)
{
	if (step_fail_transport(step, env, reply))
		return false;
	if (token_answer_read(env, reply, answer_out))
		return true;
	take_refusal(env, reply, step);
	if (!failure_is_transient(step->failure.class))
		step->failure.connection_error = CONNECTION_ERROR_EXCHANGE_FAILED;
	return false;
}

/* ---- refresh ---- */

static const char *refresh_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	(void)flow;
	if (str_is_empty(env->refresh_token)) {
		step_fail(step, FAILURE_REAUTH, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
			  STR("There is no refresh token; the account must be connected again."));
		return NULL;
	}
	buf_init(&form, env->arena, TOKEN_FORM_MAX_BYTES);
	form_add(&form, "grant_type", STR("refresh_token"));
	form_add(&form, "refresh_token", env->refresh_token);
	form_send(env, &form, step)->needs_fresh_connection =
		env->platform->exchange->refresh_needs_fresh_connection;
	return NULL;
}

static const char *refresh_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	struct token_answer answer;
	(void)flow;
	if (step_fail_transport(step, env, reply))
		return NULL;
	if (token_answer_read(env, reply, &answer))
		token_answer_grant(&answer, step);
	else
		take_refusal(env, reply, step);
	return NULL;
}

const struct stage oauth_refresh_stages[] = {
	{OAUTH_STAGE_TOKEN, refresh_ask, refresh_answer},
	{.name = NULL},
};
