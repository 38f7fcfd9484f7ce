/* SPDX-License-Identifier: Apache-2.0
 * The parts of OAuth that all platforms share: the app's credentials, consent, codes and tokens. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "sandbox_module.h"
#include "sandbox_state.h"

/* ---- clients ---- */

enum sandbox_client { SANDBOX_CLIENT_OK, SANDBOX_CLIENT_UNKNOWN, SANDBOX_CLIENT_BAD_SECRET };

/* Every platform has two apps: the easy one, "sandbox-SLUG" with the secret "sandbox-secret-SLUG",
 * and one as a customer's is on the day it was made, "sandbox-SLUG-new" with
 * "sandbox-secret-SLUG-new". In the world of a test app the easy one's words stand for that app's
 * own credentials: sandbox_param() and its like translate, and whoever sends these words is unknown
 * (sandbox_world.h). */
bool sandbox_client_id_is(enum sandbox_platform platform, struct str client_id);
/* Whether it is the id of a new app, of any platform. */
bool sandbox_client_id_is_new(struct str client_id);
/* The secret of the app with that id. */
struct str sandbox_client_secret_of(struct arena *arena, struct str client_id);
/* Whether the call is a new app's: by its token, or else by the client id that it names. */
bool sandbox_call_is_new(struct sandbox_call *call);
/* The knob as this call meets it: a new app gets the stricter of what is set and what its
 * platform's document says of such apps. */
int64_t sandbox_call_knob(struct sandbox_call *call, enum sandbox_knob knob);
enum sandbox_client sandbox_client_check(enum sandbox_platform platform, struct str client_id,
					 struct str client_secret);
/* The client id that an answer shows for the word that modules know it by. */
struct str sandbox_client_id(const struct sandbox *sandbox, struct str word);
/* The secret of the app that modules know by that word, as its owner has it. */
struct str sandbox_client_secret(const struct sandbox *sandbox, struct arena *arena,
				 struct str word);
/* Loopback redirect URIs count as registered (127.0.0.0/8, ::1, localhost; http or https); no other
 * URI does. */
bool sandbox_redirect_is_registered(struct sandbox_call *call, struct str redirect_uri);

/* The error of a token endpoint (RFC 6749 5.2): {"error","error_description"}. */
void sandbox_answer_oauth_error(struct sandbox_call *call, int status, const char *error,
				struct str description);

/* ---- consent ---- */

/* The consent page, in one GET route. Without the query parameter sandbox_decision,
 * sandbox_consent() answers the page and returns ASKED: the handler is done. The page is a form
 * that sends all parameters back to the same path, with sandbox_decision=allow|deny and one
 * sandbox_choice=ID for each ticked choice. With sandbox_decision it returns ALLOWED or DENIED, and
 * the handler redirects. Check client, redirect URI and scope BEFORE calling it. */
enum sandbox_consent { SANDBOX_CONSENT_ASKED, SANDBOX_CONSENT_ALLOWED, SANDBOX_CONSENT_DENIED };

struct sandbox_choice {
	struct str id;
	struct str label;
	/* initially, and for a script that sends sandbox_decision=allow without any
	 * sandbox_choice */
	bool is_ticked;
};

struct sandbox_consent_page {
	struct str user_name;    /* who is logged in: "Jo Doe" */
	struct str scope;        /* as requested, separated by blanks or commas; shown as a list */
	const char *choose_text; /* "Which Pages do you grant?" NULL = no choices */
	const struct sandbox_choice *choices;
	size_t choice_count;
};

enum sandbox_consent sandbox_consent(struct sandbox_call *call,
				     const struct sandbox_consent_page *page);
/* After ALLOWED: whether this choice was ticked. */
bool sandbox_consent_has(struct sandbox_call *call, const struct sandbox_choice *choice);

/* For platforms whose users may grant a part of the scopes: makes each word of the query's "scope"
 * a choice of the page, ticked. */
void sandbox_consent_offer_scopes(struct sandbox_call *call, struct sandbox_consent_page *page,
				  char separator);
/* After ALLOWED: the scopes that were ticked, and always (a word; "" = none) when it was
 * requested. */
struct str sandbox_consent_scopes(struct sandbox_call *call,
				  const struct sandbox_consent_page *page, char separator,
				  const char *always);

/* Whether a list separated by blanks or commas holds that word. */
bool sandbox_scope_has(struct str scopes, const char *scope);

/* ---- codes ---- */

enum sandbox_pkce {
	SANDBOX_PKCE_NONE,
	SANDBOX_PKCE_PLAIN,
	SANDBOX_PKCE_S256,    /* base64url without padding (RFC 7636): x, google */
	SANDBOX_PKCE_S256_HEX /* lower-case hex: tiktok */
};

/* An authorization code. */
struct sandbox_code {
	enum sandbox_platform platform;
	struct str text;   /* made by sandbox_code_issue */
	struct str prefix; /* put before the random part */
	struct str client_id;
	struct str redirect_uri;
	struct str scope;
	struct str subject; /* the platform's id of the user who consented */
	struct str choices; /* free for the platform, e.g. ids separated by commas */
	enum sandbox_pkce pkce;
	struct str challenge;
	int64_t lifetime_s;
	int64_t expires_us; /* made by sandbox_code_issue */
	bool is_used;
	const void *extra; /* the platform's own, in kept memory; may be NULL */
};

/* Keeps a copy of code with a new text, which it returns. */
struct str sandbox_code_issue(struct sandbox *sandbox, const struct sandbox_code *code);

enum sandbox_redeem {
	SANDBOX_REDEEM_OK, /* the code is used up now */
	SANDBOX_REDEEM_UNKNOWN,
	SANDBOX_REDEEM_EXPIRED,
	SANDBOX_REDEEM_USED,
	SANDBOX_REDEEM_CLIENT,   /* issued to another client */
	SANDBOX_REDEEM_REDIRECT, /* redirect_uri differs */
	SANDBOX_REDEEM_VERIFIER  /* PKCE verifier missing or wrong */
};
/* Checks in the order of the enum. *code_out is set for all but UNKNOWN. Only OK uses the code
 * up. */
enum sandbox_redeem sandbox_code_redeem(struct sandbox *sandbox, enum sandbox_platform platform,
					struct str text, struct str client_id,
					struct str redirect_uri, struct str verifier,
					struct sandbox_code **code_out);

/* ---- tokens ---- */

enum sandbox_token_kind { SANDBOX_TOKEN_ACCESS, SANDBOX_TOKEN_REFRESH, SANDBOX_TOKEN_APP };

struct sandbox_token {
	enum sandbox_platform platform;
	enum sandbox_token_kind kind;
	struct str text;      /* made by sandbox_token_issue, unless given */
	struct str prefix;    /* put before the random part: "EAA" */
	size_t random_length; /* characters of the random part, letters and digits; 0 = 64 */
	struct str client_id;
	struct str subject; /* user, Page, ...: an id of the platform */
	struct str scope;
	struct str label;   /* free for the platform, e.g. "long" or "page" */
	struct str choices; /* as in the code */
	int64_t lifetime_s; /* 0 = unlimited */
	int64_t issued_us;  /* made by sandbox_token_issue */
	int64_t expires_us; /* made by sandbox_token_issue; 0 = never */
	bool is_expired;    /* expired by the fault expire_token, for good */
	bool is_revoked;    /* revoked, replaced, or used up by rotation */
	/* the refresh token of an access token, and the reverse; may be NULL */
	struct sandbox_token *partner;
	const void *extra; /* the platform's own, in kept memory; may be NULL */
};

/* Keeps a copy of token with a new text, unless one is given. The returned token lives until the
 * reset and may be changed in place. */
struct sandbox_token *sandbox_token_issue(struct sandbox *sandbox,
					  const struct sandbox_token *token);
/* The token of that text, of any kind, live or not; NULL = unknown. */
struct sandbox_token *sandbox_token_find(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str text);
/* The token of "Authorization: Bearer TOKEN", of any kind, live or not; NULL = none or unknown.
 * Good for a module's token_of. */
struct sandbox_token *sandbox_token_bearer(struct sandbox_call *call);
/* Neither expired nor revoked. */
bool sandbox_token_is_live(const struct sandbox *sandbox, const struct sandbox_token *token);
