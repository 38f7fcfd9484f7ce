/* SPDX-License-Identifier: Apache-2.0
 * See arguments.h. */
#include "arguments.h"

#include <string.h>

#include "arena.h"
#include "count_of.h"

struct flag_row {
	const char *name;
	bool has_value;
	size_t offset;
};

static const struct flag_row flags[] = {
#define X(field, name, has_value, help) {name, has_value, offsetof(struct arguments, field)},
	COMMAND_FLAGS(X)
#undef X
};

struct reader {
	int argc;
	char **argv;
	int at;
};

static const struct flag_row *flag_find(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		if (str_equal_z(name, flags[i].name))
			return &flags[i];
	}
	return NULL;
}

/* The value of --name=VALUE, or the next word, which is consumed; NULL when there is none. A flag
 * is not a value: "--name --owner x" lacks one. */
static const char *take_value(struct reader *reader, struct str text)
{
	size_t equals = str_find_char(text, '=', 0);
	if (equals != SIZE_MAX)
		return text.ptr + equals + 1;
	if (reader->at == reader->argc || strncmp(reader->argv[reader->at], "--", 2) == 0)
		return NULL;
	return reader->argv[reader->at++];
}

static enum err_kind take_switch(const struct flag_row *flag, struct str text,
				 struct arguments *arguments, struct error *err)
{
	if (str_find_char(text, '=', 0) != SIZE_MAX)
		return error_set(err, ERR_INVALID, "--%s takes no value", flag->name);
	*(const char **)((char *)arguments + flag->offset) = "";
	return ERR_NONE;
}

/* Errors repeat names, never values: a value may be a secret. */
static enum err_kind take_flag(struct reader *reader, struct str text, struct arguments *arguments,
			       struct settings *settings, struct error *err)
{
	struct str name = str_slice(text, 0, str_find_char(text, '=', 0));
	const struct flag_row *flag = flag_find(name);
	if (flag != NULL && !flag->has_value)
		return take_switch(flag, text, arguments, err);
	if (flag == NULL && !settings_has(name))
		return error_set(err, ERR_INVALID, "unknown flag --" STR_FMT, STR_ARG(name));
	const char *value = take_value(reader, text);
	if (value == NULL)
		return error_set(err, ERR_INVALID, "--" STR_FMT " needs a value", STR_ARG(name));
	if (flag == NULL)
		return settings_set_flag(settings, name, value, err);
	*(const char **)((char *)arguments + flag->offset) = value;
	return ERR_NONE;
}

static enum err_kind take_word(struct arguments *arguments, const char *word, struct error *err)
{
	if (arguments->word_count == ARGUMENT_WORDS_MAX)
		return error_set(err, ERR_INVALID, "too many words: \"%s\"", word);
	arguments->words[arguments->word_count++] = word;
	return ERR_NONE;
}

enum err_kind arguments_parse(int argc, char **argv, struct arguments *arguments,
			      struct settings *settings, struct error *err)
{
	struct reader reader = {argc, argv, 1};
	bool flags_ended = false;
	*arguments = (struct arguments){0};
	while (reader.at < reader.argc) {
		const char *word = reader.argv[reader.at++];
		enum err_kind kind;
		if (!flags_ended && strcmp(word, "--") == 0) {
			flags_ended = true;
			continue;
		}
		if (!flags_ended && strncmp(word, "--", 2) == 0)
			kind = take_flag(&reader, str_of(word + 2), arguments, settings, err);
		else
			kind = take_word(arguments, word, err);
		if (kind != ERR_NONE)
			return kind;
	}
	return ERR_NONE;
}
