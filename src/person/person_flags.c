/* SPDX-License-Identifier: Apache-2.0
 * See person_flags.h. */
#include "person_flags.h"

#include <string.h>

#include "count_of.h"
#include "str.h"

#include "known.h"

#define ON(verb) (UINT64_C(1) << PERSON_VERB_##verb)
#define ON_ALL ((UINT64_C(1) << PERSON_VERB_COUNT) - 1)
#define HELP_COLUMN 24

struct verb_row {
	const char *word;
	size_t words_max;
	size_t words_min;
	const char *usage;
	const char *summary;
};

static const struct verb_row verbs[PERSON_VERB_COUNT] = {
#define PERSON_VERB(name, word, most, least, usage, summary) \
	[PERSON_VERB_##name] = {word, most, least, usage, summary},
#include "person_verbs.def"
#undef PERSON_VERB
};

struct flag_row {
	const char *name;
	const char *value; /* NULL = a switch */
	bool repeats;
	uint64_t verbs;
	const char *help;
};

static const struct flag_row rows[PERSON_FLAG_COUNT] = {
#define PERSON_FLAG(field, name, value, repeats, verbs, help) \
	[PERSON_FLAG_##field] = {name, value, repeats, verbs, help},
#include "person_flags.def"
#undef PERSON_FLAG
};

struct reader {
	int argc;
	char *const *argv;
	int at;
};

static bool is_flag(const char *word)
{
	return strncmp(word, "--", 2) == 0 || strcmp(word, "-h") == 0;
}

static struct str flag_name(const char *word)
{
	if (strcmp(word, "-h") == 0)
		return STR("help");
	const struct str text = str_of(word + 2);
	return str_slice(text, 0, str_find_char(text, '=', 0));
}

static enum person_flag find(struct str name)
{
	size_t i = 0;
	while (i < PERSON_FLAG_COUNT && !str_equal_z(name, rows[i].name))
		i++;
	return (enum person_flag)i;
}

static bool goes_with(enum person_flag flag, enum person_verb verb)
{
	return flag != PERSON_FLAG_COUNT && (rows[flag].verbs & UINT64_C(1) << verb) != 0;
}

/* ---- the verb ---- */

/* "create" of "webhooks create" after "webhooks"; "" of "webhooks"; NULL: another first word. */
static const char *rest_after(const char *words, const char *first)
{
	const size_t length = strlen(first);
	if (strchr(first, ' ') != NULL || strncmp(words, first, length) != 0 ||
	    (words[length] != '\0' && words[length] != ' '))
		return NULL;
	return words[length] == ' ' ? words + length + 1 : words + length;
}

enum person_verb person_verb_of(const char *first, const char *second)
{
	enum person_verb found = PERSON_VERB_COUNT;
	for (size_t i = 0; i < PERSON_VERB_COUNT; i++) {
		const char *rest = rest_after(verbs[i].word, first);
		if (rest == NULL)
			continue;
		if (second != NULL && strcmp(rest, second) == 0)
			return (enum person_verb)i;
		if (rest[0] == '\0')
			found = (enum person_verb)i;
	}
	return found;
}

/* Where the first word stands that is neither a flag of all verbs nor its value. */
static int first_word(int argc, char *const *argv)
{
	int at = 1;
	while (at < argc && is_flag(argv[at])) {
		const enum person_flag flag = find(flag_name(argv[at]));
		if (flag == PERSON_FLAG_COUNT || rows[flag].verbs != ON_ALL)
			return argc;
		const bool takes_next = rows[flag].value != NULL && strchr(argv[at], '=') == NULL;
		at += takes_next ? 2 : 1;
	}
	return at;
}

enum person_verb person_verb_find(int argc, char *const *argv)
{
	const int at = first_word(argc, argv);
	return at < argc ? person_verb_of(argv[at], at + 1 < argc ? argv[at + 1] : NULL)
			 : PERSON_VERB_COUNT;
}

static bool has_two_words(enum person_verb verb)
{
	return verb != PERSON_VERB_COUNT && strchr(verbs[verb].word, ' ') != NULL;
}

/* A word after a verb that takes none: perhaps the second word of another verb. */
static enum err_kind unknown_second(enum person_verb verb, const char *word, struct error *err)
{
	const char *seconds[PERSON_VERB_COUNT + 1];
	size_t count = 0;
	char list[160] = "";
	const char *first = verbs[verb].word;
	for (size_t i = 0; i < PERSON_VERB_COUNT; i++) {
		const char *rest = rest_after(verbs[i].word, first);
		if (rest == NULL || rest[0] == '\0')
			continue;
		const size_t used = strlen(list);
		snprintf(list + used, sizeof(list) - used, "%s%s", count > 0 ? ", " : "", rest);
		seconds[count++] = rest;
	}
	seconds[count] = NULL;
	const char *meant = known_nearest(str_of(word), seconds);
	if (count == 0)
		return error_set(err, ERR_INVALID, "%s takes flags only, and \"%.60s\" is none",
				 first, word);
	if (meant != NULL)
		return error_set(err, ERR_INVALID,
				 "there is no %s %.60s; did you mean %s %s? It stands right after "
				 "%s",
				 first, word, first, meant, first);
	return error_set(err, ERR_INVALID, "there is no %s %.60s; after %s comes one of: %s", first,
			 word, first, list);
}

/* ---- flags ---- */

static enum err_kind unknown_flag(struct str name, enum person_verb verb, struct error *err)
{
	const char *names[PERSON_FLAG_COUNT + 1];
	size_t count = 0;
	for (size_t i = 0; i < PERSON_FLAG_COUNT; i++) {
		if (goes_with((enum person_flag)i, verb))
			names[count++] = rows[i].name;
	}
	names[count] = NULL;
	const char *meant = known_nearest(name, names);
	const struct str shown = str_slice(name, 0, 60);
	return error_set(err, ERR_INVALID, "%s has no flag --" STR_FMT "%s%s%s", verbs[verb].word,
			 STR_ARG(shown), meant != NULL ? "; did you mean --" : "",
			 meant != NULL ? meant : "", meant != NULL ? "?" : "");
}

static enum err_kind add(struct person_flags *flags, enum person_flag flag, const char *value,
			 struct error *err)
{
	if (flags->count == PERSON_FLAGS_MAX)
		return error_set(err, ERR_INVALID, "more than %d flags", PERSON_FLAGS_MAX);
	if (!rows[flag].repeats && rows[flag].value != NULL && person_flag_is_given(flags, flag))
		return error_set(err, ERR_INVALID, "--%s is given twice", rows[flag].name);
	flags->given[flags->count++] = (struct person_flag_given){flag, value};
	return ERR_NONE;
}

/* A value may begin with "--" only after '=': "--to --at ..." lacks one. */
static enum err_kind take_flag(struct reader *reader, const char *word, struct person_flags *flags,
			       struct error *err)
{
	const struct str name = flag_name(word);
	const enum person_flag flag = find(name);
	const char *equals = strchr(word, '=');
	if (!goes_with(flag, flags->verb))
		return unknown_flag(name, flags->verb, err);
	if (rows[flag].value == NULL)
		return equals == NULL ? add(flags, flag, "", err)
				      : error_set(err, ERR_INVALID, "--%s takes no value",
						  rows[flag].name);
	if (equals != NULL)
		return add(flags, flag, equals + 1, err);
	if (reader->at == reader->argc || is_flag(reader->argv[reader->at]))
		return error_set(err, ERR_INVALID, "--%s needs a value: --%s %s", rows[flag].name,
				 rows[flag].name, rows[flag].value);
	return add(flags, flag, reader->argv[reader->at++], err);
}

static enum err_kind take_word(struct person_flags *flags, const char *word, struct error *err)
{
	const struct verb_row *row = &verbs[flags->verb];
	if (row->words_max == 0)
		return unknown_second(flags->verb, word, err);
	if (flags->word != NULL)
		return error_set(err, ERR_INVALID,
				 "%s takes one word after it, and \"%.60s\" is one more; put a "
				 "text in quotes",
				 row->word, word);
	flags->word = word;
	return ERR_NONE;
}

enum err_kind person_flags_parse(int argc, char *const *argv, struct person_flags *flags_out,
				 struct error *err)
{
	const int verb_at = first_word(argc, argv);
	struct reader reader = {argc, argv, 1};
	enum err_kind kind = ERR_NONE;
	bool flags_ended = false;
	*flags_out = (struct person_flags){.verb = person_verb_find(argc, argv)};
	const int verb_end = verb_at + (has_two_words(flags_out->verb) ? 2 : 1);
	while (kind == ERR_NONE && reader.at < argc) {
		const bool is_verb = reader.at >= verb_at && reader.at < verb_end;
		const char *word = argv[reader.at++];
		if (is_verb)
			continue;
		if (!flags_ended && strcmp(word, "--") == 0)
			flags_ended = true;
		else if (!flags_ended && is_flag(word))
			kind = take_flag(&reader, word, flags_out, err);
		else
			kind = take_word(flags_out, word, err);
		if (person_flag_is_given(flags_out, PERSON_FLAG_help))
			return ERR_NONE;
	}
	const struct verb_row *row = &verbs[flags_out->verb];
	if (kind == ERR_NONE && row->words_min > 0 && flags_out->word == NULL)
		return error_set(err, ERR_INVALID, "%.*s is missing: posthorn %s %s",
				 (int)strcspn(row->usage, " "), row->usage, row->word, row->usage);
	return kind;
}

/* ---- readers ---- */

const char *person_flag_text(const struct person_flags *flags, enum person_flag flag)
{
	for (size_t i = flags->count; i > 0; i--) {
		if (flags->given[i - 1].flag == flag)
			return flags->given[i - 1].value;
	}
	return NULL;
}

bool person_flag_is_given(const struct person_flags *flags, enum person_flag flag)
{
	return person_flag_text(flags, flag) != NULL;
}

const char *person_flag_at(const struct person_flags *flags, enum person_flag flag, size_t index)
{
	for (size_t i = 0; i < flags->count; i++) {
		if (flags->given[i].flag == flag && index-- == 0)
			return flags->given[i].value;
	}
	return NULL;
}

/* ---- help ---- */

const char *person_verb_word(enum person_verb verb)
{
	return verbs[verb].word;
}

void person_verb_print(FILE *out, enum person_verb verb)
{
	const struct verb_row *row = &verbs[verb];
	fprintf(out, "  posthorn %s%s%s\n      %s\n", row->word, row->usage[0] != '\0' ? " " : "",
		row->usage, row->summary);
}

/* The verbs of two words that begin with this one's. */
static void print_seconds(FILE *out, enum person_verb verb)
{
	bool is_first = true;
	for (size_t i = 0; i < PERSON_VERB_COUNT; i++) {
		const char *rest = rest_after(verbs[i].word, verbs[verb].word);
		if (rest == NULL || rest[0] == '\0')
			continue;
		fputs(is_first ? "\nmore, each with its own --help:\n" : "", out);
		person_verb_print(out, (enum person_verb)i);
		is_first = false;
	}
}

void person_flags_print_help(FILE *out, enum person_verb verb)
{
	person_verb_print(out, verb);
	print_seconds(out, verb);
	fprintf(out, "\nflags:\n");
	for (size_t i = 0; i < PERSON_FLAG_COUNT; i++) {
		char flag[64];
		if (!goes_with((enum person_flag)i, verb))
			continue;
		snprintf(flag, sizeof(flag), "--%s%s%s", rows[i].name,
			 rows[i].value != NULL ? " " : "",
			 rows[i].value != NULL ? rows[i].value : "");
		fprintf(out, "  %-*s %s\n", HELP_COLUMN, flag, rows[i].help);
	}
	fprintf(out, "\nenvironment:\n");
	if (verb == PERSON_VERB_token || verb == PERSON_VERB_revoke)
		fprintf(out, "  POSTHORN_CLIENT_ID       the app's client id\n"
			     "  POSTHORN_CLIENT_SECRET   the app's client secret\n");
	if (verb != PERSON_VERB_token)
		fprintf(out, "  POSTHORN_TOKEN           an access token or key of the app\n");
	fprintf(out, "  POSTHORN_URL             the service, for example "
		     "https://social.example.com\n");
	if (verb == PERSON_VERB_listen)
		fprintf(out, "  POSTHORN_WEBHOOK_SECRET  sign with this secret (whsec_...) instead "
			     "of a new one\n");
	fprintf(out, "\nExit status: 0 done; 1 refused, failed or not reached; 2 wrong use or no "
		     "token.\n");
}
