/* SPDX-License-Identifier: Apache-2.0
 * What token endpoints answer (RFC 6749, 5.1 and 5.2): tokens, lifetimes and scopes, or a flat
 * error; and what all of them want to hear at a refresh. The calls themselves, and who identifies
 * the app how, are each platform's own file. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "str.h"

#include "platform.h"
#include "refusal.h"

#define FORM_MAX_BYTES (16 * 1024) /* body of a token call: codes and tokens have a few KiB */

/* Flow keys of a connect flow between the exchange and the account: stored, so never changed. */
#define TOKEN_KEY_ACCESS "access_token"
#define TOKEN_KEY_REFRESH "refresh_token"
#define TOKEN_KEY_SCOPE "scope"
#define TOKEN_KEY_EXPIRES_AT "expires_at_us"
#define TOKEN_KEY_REFRESH_EXPIRES_AT "refresh_expires_at_us"

struct token_answer {
	struct str access_token;
	struct str refresh_token; /* empty = none given */
	struct str scope; /* as granted; empty = not told, that is, as asked for (RFC 6749, 5.1) */
	int64_t expires_at_us;         /* 0 = not told */
	int64_t refresh_expires_at_us; /* 0 = not told */
};

/* False when there is no access token in it. */
bool token_answer_read(const struct env *env, const struct reply *reply,
		       struct token_answer *answer_out);
/* Between the steps of a connect flow: tokens as secrets. */
void token_answer_keep(struct flow *flow, const struct token_answer *answer);
struct token_answer token_answer_kept(const struct flow *flow);
/* The answer as refresh's result: fills STEP_DONE. */
void token_answer_grant(const struct token_answer *answer, struct step *step);
/* A refresh's form as far as RFC 6749, 6 goes: the grant and the token. False: the account has no
 * refresh token, and step is a STEP_FAIL that says so. */
bool refresh_form_begin(const struct env *env, struct buf *form, struct step *step);
/* Fills the step from what the token endpoint answered to a refresh: STEP_DONE with the tokens, or
 * a STEP_FAIL from the platform's rows. */
void refresh_answered(const struct refusal *rows, const struct env *env, const struct reply *reply,
		      struct step *step);
/* Tokens, lifetimes and scopes for an account that was found. */
void token_answer_give(const struct token_answer *answer, struct account_found *account);
/* error and error_description. */
struct refusal_facts token_refusal_facts(const struct reply *reply);
/* Fills a STEP_FAIL from the platform's rows for its token endpoint. What is not in the form of RFC
 * 6749 is transient: it came from something before the endpoint and says nothing about the
 * account. */
void token_refused(const struct refusal *rows, const struct env *env, const struct reply *reply,
		   struct step *step);
/* The same for a code that was to be exchanged: refused for good, it is exchange_failed. */
void exchange_refused(const struct refusal *rows, const struct env *env, const struct reply *reply,
		      struct step *step);
/* The same for the credential check: only a row of the class APP says that they are bad, all else
 * that nobody knows. */
void credentials_refused(const struct refusal *rows, const struct env *env,
			 const struct reply *reply, struct step *step);

/* Is scope in the list? Separators are blanks or commas: LinkedIn writes both
 * (platforms/linkedin.md 1.4). */
bool scope_is_granted(struct str granted, const char *scope);
/* Those of needed (NULL-ended) that are not granted, joined by ", "; empty when none, and when
 * granted is empty. */
struct str scopes_missing(struct arena *arena, struct str granted, const char *const *needed);
/* Fails the connect step when scopes are missing, naming them; true when it did. */
bool scopes_missing_fail(const struct env *env, struct str granted, const char *const *needed,
			 struct step *step);
