/* SPDX-License-Identifier: Apache-2.0
 * See arguments.h. */
#include "arguments.h"

#include <string.h>

#include "arena.h"

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
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (str_equal_z(name, flags[i].name))
			return &flags[i];
	}
	return NULL;
}

static enum err_kind take_value(struct reader *reader, struct str text, struct str *name_out, const char **value_out)
{
	size_t equals = str_find_char(text, '=', 0);
	*name_out = str_slice(text, 0, equals);
	*value_out = equals != SIZE_MAX ? text.ptr + equals + 1 : NULL;
	if (*value_out == NULL && reader->at < reader->argc)
		*value_out = reader->argv[reader->at];
	return ERR_NONE;
}

/* A value taken from the next word uses that word up. */
static void use_up(struct reader *reader, struct str text)
{
	if (str_find_char(text, '=', 0) == SIZE_MAX)
		reader->at++;
}

static enum err_kind take_flag(struct reader *reader, struct str text, struct arguments *arguments, struct settings *settings,
			       struct error *err)
{
	struct str name;
	const char *value;
	take_value(reader, text, &name, &value);
	const struct flag_row *flag = flag_find(name);
	if (flag != NULL && !flag->has_value) {
		*(const char **)((char *)arguments + flag->offset) = "";
		return ERR_NONE;
	}
	if (value == NULL)
		return error_set(err, ERR_INVALID, flag != NULL ? "--" STR_FMT " needs a value" : "unknown setting --" STR_FMT ", or its value is missing",
				 STR_ARG(name));
	if (flag != NULL) {
		*(const char **)((char *)arguments + flag->offset) = value;
		use_up(reader, text);
		return ERR_NONE;
	}
	enum err_kind kind = settings_set_flag(settings, name, value, err);
	if (kind == ERR_NONE)
		use_up(reader, text);
	return kind;
}

static enum err_kind take_word(struct arguments *arguments, const char *word, struct error *err)
{
	if (arguments->word_count == ARGUMENT_WORDS_MAX)
		return error_set(err, ERR_INVALID, "too many words: \"%s\"", word);
	arguments->words[arguments->word_count++] = word;
	return ERR_NONE;
}

enum err_kind arguments_parse(int argc, char **argv, struct arguments *arguments, struct settings *settings, struct error *err)
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
