/* SPDX-License-Identifier: Apache-2.0
 * The table of failure_codes.def, looked up both ways. */
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

bool failure_is_transient(enum failure_class class)
{
	return class == FAILURE_TRANSIENT || class == FAILURE_RATE_LIMITED;
}
