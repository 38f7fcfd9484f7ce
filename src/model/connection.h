/* SPDX-License-Identifier: Apache-2.0
 * Connections (OAuth attempts): their states, and why one failed (api-decisions.md 5). */
#pragma once

#include "clock.h"
#include "str.h"

enum connection_state {
	CONNECTION_PENDING,
	CONNECTION_SUCCESS,
	CONNECTION_FAILED,
	CONNECTION_STATE_COUNT
};
enum connection_error {
	CONNECTION_ERROR_NONE,
#define CONNECTION_ERROR(name, code, sentence) CONNECTION_ERROR_##name,
#include "connection_errors.def"
#undef CONNECTION_ERROR
	CONNECTION_ERROR_COUNT
};

#define CONNECTION_VALID_US (15 * US_PER_MINUTE) /* api-decisions.md 5 */
#define CONNECTION_KEPT_US (30 * US_PER_DAY)     /* then the id is gone */

/* The word of a value, as the API and the database have it; "" for a value outside. The other way
 * COUNT when unknown. */
const char *connection_state_name(enum connection_state state);
enum connection_state connection_state_of_name(struct str name);
/* "access_denied", and the sentence for people; "" for NONE and for a value outside. */
const char *connection_error_code(enum connection_error error);
const char *connection_error_sentence(enum connection_error error);
