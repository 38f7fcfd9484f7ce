/* SPDX-License-Identifier: Apache-2.0
 * The tables of failure_codes.def and connection_errors.def, looked up both ways. */
#include "failure.h"

#include "names.h"

static const char *const failure_names[FAILURE_CODE_COUNT] = {
#define FAILURE_CODE(name, sentence) [FAILURE_CODE_##name] = #name,
#include "failure_codes.def"
#undef FAILURE_CODE
};

static const char *const failure_sentences[FAILURE_CODE_COUNT] = {
#define FAILURE_CODE(name, sentence) [FAILURE_CODE_##name] = sentence,
#include "failure_codes.def"
#undef FAILURE_CODE
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

const char *failure_code_name(enum failure_code code)
{
	return NAME_OF(failure_names, code);
}

const char *failure_code_sentence(enum failure_code code)
{
	return NAME_OF(failure_sentences, code);
}

enum failure_code failure_code_of_name(struct str name)
{
	const size_t index = NAME_FIND(failure_names, name);
	return index < FAILURE_CODE_COUNT ? (enum failure_code)index : FAILURE_CODE_NONE;
}

const char *connection_error_code(enum connection_error error)
{
	return NAME_OF(connection_codes, error);
}

const char *connection_error_sentence(enum connection_error error)
{
	return NAME_OF(connection_sentences, error);
}

bool failure_is_transient(enum failure_class class)
{
	return class == FAILURE_TRANSIENT || class == FAILURE_RATE_LIMITED;
}
