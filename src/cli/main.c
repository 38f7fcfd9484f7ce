/* SPDX-License-Identifier: Apache-2.0
 * The program posthorn: finds the subcommand, explains it, or runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>
#include <jansson.h>
#include <libpq-fe.h>
#include <microhttpd.h>
#include <sodium.h>
#include <sqlite3.h>
#include <utf8proc.h>

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "known.h"

#include "contain.h"
#include "spawner.h"

#include "person.h"

#include "arguments.h"
#include "commands.h"
#include "commit.h"
#include "jobs.h"
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

int command_version(const struct command *command)
{
	const int libpq = PQlibVersion();
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	(void)command;
	printf("posthorn %s\ncommit %s\n", POSTHORN_VERSION, posthorn_commit);
	printf("jansson %s\nlibsodium %s\n", jansson_version_str(), sodium_version_string());
	printf("sqlite %s\nlibpq %d.%d\n", sqlite3_libversion(), libpq / 10000, libpq % 10000);
	printf("libcurl %s (%s)\n", curl->version, curl->ssl_version);
	printf("libmicrohttpd %s\nutf8proc %s\n", MHD_get_version(), utf8proc_version());
	return 0;
}

/* "posthorn app create --name NAME", without a blank at the end. */
static struct str synopsis(struct arena *arena, const struct command_row *row)
{
	struct str text = str_format(arena, "posthorn %s", row->word);
	if (row->second != NULL)
		text = str_format(arena, STR_FMT " %s", STR_ARG(text), row->second);
	if (row->usage[0] != '\0')
		text = str_format(arena, STR_FMT " %s", STR_ARG(text), row->usage);
	return text;
}

static bool is_first_word(const struct command_row *row, const struct arguments *arguments)
{
	return arguments->word_count > 0 && strcmp(row->word, arguments->words[0]) == 0;
}

static size_t wanted_words(const struct command_row *row)
{
	return (row->second != NULL ? 2 : 1) + row->operands;
}

/* The row for the words, or NULL. Of two with the same words, the one that takes as many more. */
static const struct command_row *find(const struct arguments *arguments)
{
	const struct command_row *found = NULL;
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		const struct command_row *row = &commands[i];
		const bool is_named =
			is_first_word(row, arguments) &&
			(row->second == NULL || (arguments->word_count > 1 &&
						 strcmp(row->second, arguments->words[1]) == 0));
		if (is_named && (found == NULL || wanted_words(row) == arguments->word_count))
			found = row;
	}
	return found;
}

static void print_row(struct arena *arena, const struct command_row *row)
{
	const struct str text = synopsis(arena, row);
	printf("  " STR_FMT "\n      %s\n", STR_ARG(text), row->summary);
}

/* All of them, or the verb that stands after help. */
int command_help(const struct command *command)
{
	const struct arguments *arguments = command->arguments;
	const char *second = arguments->word_count > 2 ? arguments->words[2] : NULL;
	if (arguments->word_count > 1 && person_print_help(stdout, arguments->words[1], second))
		return 0;
	printf("posthorn %s: one API to publish to instagram, facebook, x, linkedin, youtube and "
	       "tiktok\n\nfor people, over the API of a service (POSTHORN_URL, POSTHORN_TOKEN; "
	       "each explains itself with --help):\n",
	       POSTHORN_VERSION);
	person_print_verbs(stdout);
	printf("\nfor operators, on the machine of the service:\n");
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		print_row(command->arena, &commands[i]);
	printf("\nsettings (also as POSTHORN_NAME in the environment and `name = value` in the "
	       "--config file):\n");
	settings_print_help(stdout);
	return 0;
}

/* Those that the words name: `app --help` explains every app command, `--help` alone all. */
static int help_on(const struct command *command)
{
	const struct command_row *named = find(command->arguments);
	size_t count = 0;
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		const struct command_row *row = &commands[i];
		if (!is_first_word(row, command->arguments) ||
		    (named != NULL && row->second != named->second))
			continue;
		print_row(command->arena, row);
		count++;
	}
	if (count == 0)
		return command_help(command);
	printf("\nSee `posthorn help` for the settings and for all commands.\n");
	return 0;
}

/* ---- wrong use ---- */

static int wrong_use(struct str text)
{
	fprintf(stderr, "posthorn: " STR_FMT "\nposthorn: see `posthorn help`\n", STR_ARG(text));
	return 2;
}

static int wrong_count(struct arena *arena, const struct command_row *row, bool is_more)
{
	const struct str usage = synopsis(arena, row);
	return wrong_use(str_format(arena, "%s: " STR_FMT,
				    is_more ? "too many words" : "a word is missing",
				    STR_ARG(usage)));
}

/* "create, list, show": the second words that go with the first; empty when it is unknown. */
static struct str second_words(struct arena *arena, const struct arguments *arguments)
{
	struct str list = STR("");
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (is_first_word(&commands[i], arguments) && commands[i].second != NULL)
			list = str_format(arena, STR_FMT "%s%s", STR_ARG(list),
					  str_is_empty(list) ? "" : ", ", commands[i].second);
	}
	return list;
}

/* The first word of a command that this one was meant to be, or NULL. */
static const char *nearest_command(struct str word)
{
	const char *words[COUNT_OF(commands) + 1];
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		words[i] = commands[i].word;
	words[COUNT_OF(commands)] = NULL;
	const char *verb = known_nearest(word, person_words());
	return verb != NULL ? verb : known_nearest(word, words);
}

static int unknown_command(struct arena *arena, const struct arguments *arguments)
{
	if (arguments->word_count == 0)
		return wrong_use(STR("no command given"));
	const char *first = arguments->words[0];
	const struct str seconds = second_words(arena, arguments);
	if (str_is_empty(seconds)) {
		const char *meant = nearest_command(str_of(first));
		return wrong_use(str_format(arena, "unknown command \"%s\"%s%s%s", first,
					    meant != NULL ? "; did you mean " : "",
					    meant != NULL ? meant : "", meant != NULL ? "?" : ""));
	}
	if (arguments->word_count == 1)
		return wrong_use(str_format(arena, "%s needs one of these after it: " STR_FMT,
					    first, STR_ARG(seconds)));
	return wrong_use(str_format(arena,
				    "unknown command \"%s %s\"; after %s comes one of: " STR_FMT,
				    first, arguments->words[1], first, STR_ARG(seconds)));
}

static int run(struct arena *arena, int argc, char **argv)
{
	struct settings settings;
	struct arguments arguments;
	struct error err = {0};
	settings_init(&settings, arena);
	if (arguments_parse(argc, argv, &arguments, &settings, &err) != ERR_NONE)
		return wrong_use(str_of(err.text));
	const struct command command = {arena, &settings, &arguments};
	if (arguments.help != NULL)
		return help_on(&command);
	if (arguments.version != NULL)
		return command_version(&command);
	const struct command_row *row = find(&arguments);
	if (row == NULL)
		return unknown_command(arena, &arguments);
	/* Before words and settings are checked: one that is wrong may be the reason for asking. */
	if (row->function == command_help || row->function == command_version)
		return row->function(&command);
	if (arguments.word_count != wanted_words(row))
		return wrong_count(arena, row, arguments.word_count > wanted_words(row));
	settings.is_of_test_app = arguments.test != NULL;
	if (settings_finish(&settings, environ, &err) != ERR_NONE)
		return wrong_use(str_of(err.text));
	settings.changes_mode = arguments.change_mode != NULL;
	contain_process();
	return row->function(&command);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], SPAWNER_WORD) == 0)
		return jobs_serve();
	/* A peer that goes away fails that call; it must not end the program. */
	signal(SIGPIPE, SIG_IGN);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	struct arena *arena = arena_new("main", MAIN_ARENA_MAX_BYTES);
	const int status = person_has_verb(argc, argv)
				   ? person_main(argc, argv, environ, "Posthorn/" POSTHORN_VERSION)
				   : run(arena, argc, argv);
	arena_free(&arena);
	curl_global_cleanup();
	return status;
}
