/* SPDX-License-Identifier: Apache-2.0
 * Token endpoints that keep to RFC 6749 and take the app's id and secret in the body: LinkedIn's,
 * YouTube's and TikTok's. What differs between them is a row; the stages are shared. Pure. */
#pragma once

#include <stdbool.h>

#include "platform.h"
#include "refusal.h"
#include "stages.h"
#include "token_answer.h"

#define OAUTH_STAGE_PROBE "probe"       /* of OPERATION_VERIFY */
#define OAUTH_STAGE_EXCHANGE "exchange" /* the first of OPERATION_CONNECT */
#define OAUTH_STAGE_TOKEN "token"       /* of OPERATION_REFRESH */

/* One token endpoint: platform->exchange. */
struct oauth_exchange {
	const char *token_url;
	const struct refusal *refusals; /* what its errors mean */
	/* How VERIFY asks: with this code, which cannot exist, to be refused for the code and not
	 * for the app; NULL = for a token of the app itself (client_credentials). */
	const char *verify_code;
	/* Errors that only an app with good credentials gets; NULL-ended. */
	const char *verified_errors[4];
	/* A refresh token works once: its call must not be repeated by the transport. */
	bool refresh_needs_fresh_connection;
};

/* OPERATION_VERIFY and OPERATION_REFRESH of a platform with an exchange. */
extern const struct stage oauth_verify_stages[];
extern const struct stage oauth_refresh_stages[];

/* The ask function of a connect table's first stage: env->code for tokens. */
const char *oauth_exchange_ask(const struct env *env, struct flow *flow, struct step *step);
/* Reads its answer. False: step is a STEP_FAIL; a code that is refused for good is
 * exchange_failed. */
bool oauth_exchange_read(const struct env *env, const struct reply *reply,
			 struct token_answer *answer_out, struct step *step);
