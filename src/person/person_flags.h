/* SPDX-License-Identifier: Apache-2.0
 * The words and flags of one verb, by person_verbs.def and person_flags.def. Flags may stand
 * anywhere, as --name VALUE or --name=VALUE; "--" ends them. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

#define PERSON_FLAGS_MAX 256 /* given on one command line */

enum person_verb {
#define PERSON_VERB(name, word, most, least, usage, summary) PERSON_VERB_##name,
#include "person_verbs.def"
#undef PERSON_VERB
	PERSON_VERB_COUNT
};

enum person_flag {
#define PERSON_FLAG(field, name, value, repeats, verbs, help) PERSON_FLAG_##field,
#include "person_flags.def"
#undef PERSON_FLAG
	PERSON_FLAG_COUNT
};

struct person_flag_given {
	enum person_flag flag;
	const char *value; /* "" for switches */
};

struct person_flags {
	enum person_verb verb;
	const char *word; /* after the verb; NULL = none */
	struct person_flag_given given[PERSON_FLAGS_MAX];
	size_t count; /* in the order of the command line */
};

/* The verb with these words, second only where one has two ("webhooks create"); second may be NULL.
 * PERSON_VERB_COUNT: there is none. */
enum person_verb person_verb_of(const char *first, const char *second);
/* The verb of a command line, or PERSON_VERB_COUNT. */
enum person_verb person_verb_find(int argc, char *const *argv);
/* Fills flags_out, which points into argv. INVALID: err says what is wrong, with the nearest flag
 * for one that is not known, and never repeats a value. With --help nothing else is wrong. */
enum err_kind person_flags_parse(int argc, char *const *argv, struct person_flags *flags_out,
				 struct error *err);
/* The value given last, or NULL. */
const char *person_flag_text(const struct person_flags *flags, enum person_flag flag);
bool person_flag_is_given(const struct person_flags *flags, enum person_flag flag);
/* The index-th value of a flag that may be repeated, from 0; NULL when there are fewer. */
const char *person_flag_at(const struct person_flags *flags, enum person_flag flag, size_t index);

/* "post", "webhooks create" */
const char *person_verb_word(enum person_verb verb);
/* "  posthorn post [TEXT] --to WHO" and its summary, on two lines. */
void person_verb_print(FILE *out, enum person_verb verb);
/* The same, its flags, the environment. */
void person_flags_print_help(FILE *out, enum person_verb verb);
