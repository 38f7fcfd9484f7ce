/* SPDX-License-Identifier: Apache-2.0
 * What token endpoints answer (RFC 6749, 5.1): tokens, lifetimes and scopes. How they are asked,
 * and what their refusals mean, is oauth_exchange.h. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#include "platform.h"

#define TOKEN_FORM_MAX_BYTES (16 * 1024) /* body of a token call: codes and tokens have a few KiB */

/* Flow keys of a connect flow between the exchange and the account: stored, so never changed. */
#define TOKEN_KEY_ACCESS "access_token"
#define TOKEN_KEY_REFRESH "refresh_token"
#define TOKEN_KEY_SCOPE "scope"
#define TOKEN_KEY_EXPIRES_AT "expires_at_us"
#define TOKEN_KEY_REFRESH_EXPIRES_AT "refresh_expires_at_us"

struct token_answer {
	struct str access_token;
	struct str refresh_token; /* empty = none given */
	struct str scope;         /* as granted; empty = not given: as requested (RFC 6749, 5.1) */
	int64_t expires_at_us;    /* 0 = not given */
	int64_t refresh_expires_at_us; /* 0 = not given */
};

/* False when there is no access token in it. */
bool token_answer_read(const struct env *env, const struct reply *reply,
		       struct token_answer *answer_out);
/* Between the steps of a connect flow: tokens as secrets. */
void token_answer_keep(struct flow *flow, const struct token_answer *answer);
struct token_answer token_answer_kept(const struct flow *flow);
/* The answer as refresh's result: fills STEP_DONE. */
void token_answer_grant(const struct token_answer *answer, struct step *step);
/* Tokens, lifetimes and scopes for an account that was found. */
void token_answer_give(const struct token_answer *answer, struct account_found *account);

/* Is scope in the list? Separators are blanks or commas: LinkedIn writes both
 * (linkedin.md 1.4). */
bool token_scope_is_granted(struct str granted, const char *scope);
/* Those of needed (NULL-ended) that are not granted, joined by ", "; empty when none, and when
 * granted is empty. */
struct str token_scopes_missing(struct arena *arena, struct str granted, const char *const *needed);
/* Fails the connect step when scopes are missing, naming them; true when it did. */
bool token_scopes_missing_fail(const struct env *env, struct str granted, const char *const *needed,
			       struct step *step);
