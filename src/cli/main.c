/* SPDX-License-Identifier: Apache-2.0
 * posthorn: finds the subcommand and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>

#include "arena.h"
#include "count_of.h"

#include "arguments.h"
#include "commands.h"
#include "settings.h"
#include "version.h"

#define MAIN_ARENA_MAX_BYTES ((size_t)64 << 20)

struct command_row {
	const char *word;
	const char *second;
	int (*function)(const struct command *command);
	size_t operands;
	const char *usage;
	const char *summary;
};

static const struct command_row commands[] = {
#define X(word, second, function, operands, usage, summary) \
	{word, second, function, operands, usage, summary},
	COMMANDS(X)
#undef X
};

#define COMMAND_COUNT COUNT_OF(commands)

int command_version(const struct command *command)
{
	(void)command;
	printf("posthorn %s\n", POSTHORN_VERSION);
	return 0;
}

static void print_help(FILE *out)
{
	fprintf(out,
		"posthorn %s: one API to publish to instagram, facebook, x, linkedin, youtube and "
		"tiktok\n\ncommands:\n",
		POSTHORN_VERSION);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  posthorn %s%s%s %s\n      %s\n", commands[i].word,
			commands[i].second != NULL ? " " : "",
			commands[i].second != NULL ? commands[i].second : "", commands[i].usage,
			commands[i].summary);
	fprintf(out, "\nsettings (also as POSTHORN_NAME in the environment and `name = value` in "
		     "the --config file):\n");
	settings_print_help(out);
}

int command_help(const struct command *command)
{
	(void)command;
	print_help(stdout);
	return 0;
}

/* The row for the words, or NULL. */
static const struct command_row *find(const struct arguments *arguments)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const struct command_row *row = &commands[i];
		if (arguments->word_count == 0 || strcmp(row->word, arguments->words[0]) != 0)
			continue;
		if (row->second == NULL ||
		    (arguments->word_count > 1 && strcmp(row->second, arguments->words[1]) == 0))
			return row;
	}
	return NULL;
}

static const char *wrong_words(const struct command_row *row, const struct arguments *arguments)
{
	size_t wanted = (row->second != NULL ? 2 : 1) + row->operands;
	if (arguments->word_count == wanted)
		return NULL;
	return arguments->word_count > wanted ? "too many words" : "a word is missing";
}

static int wrong_use(const char *text)
{
	fprintf(stderr, "posthorn: %s\nposthorn: see `posthorn help`\n", text);
	return 2;
}

static int wrong_usage(struct arena *arena, const struct command_row *row, const char *wrong)
{
	const char *second = row->second != NULL ? row->second : "";
	return wrong_use(str_z(arena, str_format(arena, "%s: posthorn %s %s %s", wrong, row->word,
						 second, row->usage)));
}

static int run(struct arena *arena, int argc, char **argv)
{
	struct settings settings;
	struct arguments arguments;
	struct error err = {0};
	settings_init(&settings, arena);
	if (arguments_parse(argc, argv, &arguments, &settings, &err) != ERR_NONE)
		return wrong_use(err.text);
	const struct command command = {arena, &settings, &arguments};
	if (arguments.help != NULL)
		return command_help(&command);
	if (arguments.version != NULL)
		return command_version(&command);
	const struct command_row *row = find(&arguments);
	if (row == NULL)
		return wrong_use(arguments.word_count == 0 ? "no command given"
							   : "unknown command");
	/* Who asks for help may do so because of a word or a setting that is wrong. */
	if (row->function == command_help || row->function == command_version)
		return row->function(&command);
	const char *wrong = wrong_words(row, &arguments);
	if (wrong != NULL)
		return wrong_usage(arena, row, wrong);
	if (settings_finish(&settings, environ, &err) != ERR_NONE)
		return wrong_use(err.text);
	return row->function(&command);
}

int main(int argc, char **argv)
{
	/* A peer that goes away is an error of that call, not the end of the program. */
	signal(SIGPIPE, SIG_IGN);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	struct arena *arena = arena_new("main", MAIN_ARENA_MAX_BYTES);
	int status = run(arena, argc, argv);
	arena_free(&arena);
	curl_global_cleanup();
	return status;
}
