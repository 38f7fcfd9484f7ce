/* SPDX-License-Identifier: Apache-2.0
 * See connection.h. */
#include "connection.h"

#include "names.h"

static const char *const connection_states[CONNECTION_STATE_COUNT] = {
	[CONNECTION_PENDING] = "pending",
	[CONNECTION_SUCCESS] = "success",
	[CONNECTION_FAILED] = "failed",
};

static const char *const connection_codes[CONNECTION_ERROR_COUNT] = {
#define CONNECTION_ERROR(name, code, sentence) [CONNECTION_ERROR_##name] = code,
#include "connection_errors.def"
#undef CONNECTION_ERROR
};

static const char *const connection_sentences[CONNECTION_ERROR_COUNT] = {
#define CONNECTION_ERROR(name, code, sentence) [CONNECTION_ERROR_##name] = sentence,
#include "connection_errors.def"
#undef CONNECTION_ERROR
};

const char *connection_state_name(enum connection_state state)
{
	return NAME_OF(connection_states, state);
}

enum connection_state connection_state_of_name(struct str name)
{
	return (enum connection_state)NAME_FIND(connection_states, name);
}

const char *connection_error_code(enum connection_error error)
{
	return NAME_OF(connection_codes, error);
}

const char *connection_error_sentence(enum connection_error error)
{
	return NAME_OF(connection_sentences, error);
}
