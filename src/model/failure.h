/* SPDX-License-Identifier: Apache-2.0
 * Why something failed at a platform: one value that says what to do next (class) and what to
 * report (code, texts). Codes are tables: failure_codes.def for posts, connection_errors.def for
 * connections. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#include "connection.h"

enum failure_code {
	FAILURE_CODE_NONE,
#define FAILURE_CODE(name, sentence) FAILURE_CODE_##name,
#include "failure_codes.def"
#undef FAILURE_CODE
	FAILURE_CODE_COUNT
};

/* What may be done next. Decided once, by the adapter that read the answer. */
enum failure_class {
	FAILURE_PERMANENT, /* the same call will fail again: give up, say why */
	FAILURE_TRANSIENT, /* try the same stage again by the retry schedule */
	/* as transient, not before retry_after_ms; the account waits, the engine does not */
	FAILURE_RATE_LIMITED,
	/* the access token was refused: refresh once, then the same stage again; else reauth */
	FAILURE_TOKEN,
	FAILURE_REAUTH, /* the account must be connected again: its state becomes reauth_required */
	/* the app's own credentials or billing: nothing of this app on this platform will work */
	FAILURE_APP
};

struct failure {
	enum failure_class class;
	enum failure_code code;
	enum connection_error connection_error; /* for connect flows */
	struct str message;                     /* one English sentence for people, no secrets */
	/* as the platform wrote it: "190/463", "duplicate-content"; may be empty */
	struct str platform_code;
	struct str platform_message; /* the platform's own words, cut to 500 bytes; may be empty */
	int64_t retry_after_ms;      /* when it may be tried again; 0 = no advice */
	/* limits whose end the platform does not say: not before this, and longer each time; 0 =
	 * none */
	int64_t retry_floor_ms;
	/* ... and when its daily counters begin again at the latest; 0 = unknown */
	int64_t retry_reset_ms;
	/* a setting of the service is wrong: only the operator can fix it, so it becomes an
	 * alarm */
	bool needs_operator;
};

/* "MEDIA_REJECTED", and the sentence for people; "" for NONE and for a value outside. */
const char *failure_code_name(enum failure_code code);
const char *failure_code_sentence(enum failure_code code);
/* NONE for an unknown name. */
enum failure_code failure_code_of_name(struct str name);
/* Transient and rate limited failures pass by themselves. */
bool failure_is_transient(enum failure_class class);
