/* SPDX-License-Identifier: Apache-2.0
 * The commands of the restore guard: backup, hold show, hold release, hold fail; and pause, resume.
 * They work with a running service and without one. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "commands.h"
#include "control.h"

#define BODY_MAX_BYTES 65536

static int failed(struct str text)
{
	fprintf(stderr, "posthorn: " STR_FMT "\n", STR_ARG(text));
	return 1;
}

static int call_and_print(const struct command *command, const char *method, const char *path,
			  struct str body)
{
	struct control_answer answer = {0};
	struct error err = {0};
	const struct json *json = NULL;
	if (control_call(command->settings, command->arena, method, str_of(path), body, &answer,
			 &err) != ERR_NONE)
		return failed(str_of(err.text));
	if (answer.status >= 200 && answer.status < 300) {
		printf(STR_FMT "\n", STR_ARG(answer.body));
		return 0;
	}
	if (json_parse(command->arena, answer.body, NULL, &json, NULL, NULL) != ERR_NONE)
		return failed(answer.body);
	return failed(json_string(json_get(json, "message")));
}

/* {"name": text}, or {} when text is empty. */
static struct str body_of(const struct command *command, const char *name, struct str text)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	if (!str_is_empty(text))
		json_member_str(&w, name, text);
	json_end_object(&w);
	return buf_str(&body);
}

/* pause, resume */
int command_pause(const struct command *command)
{
	const struct arguments *a = command->arguments;
	const struct {
		const char *name;
		const char *text;
	} members[] = {{"platform", a->platform}, {"app", a->app}, {"account", a->account}};
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		if (members[i].text != NULL)
			json_member_str(&w, members[i].name, str_of(members[i].text));
	}
	json_end_object(&w);
	return call_and_print(command, "POST",
			      strcmp(a->words[0], "pause") == 0 ? "/admin/pauses"
								: "/admin/pauses/resume",
			      buf_str(&body));
}

/* The whole path, because the service may have another working directory. */
static bool absolute(struct arena *arena, const char *path, struct str *out)
{
	char directory[PATH_MAX];
	*out = str_of(path);
	if (path[0] == '/')
		return true;
	if (getcwd(directory, sizeof(directory)) == NULL)
		return false;
	*out = str_format(arena, "%s/%s", directory, path);
	return true;
}

int command_backup(const struct command *command)
{
	struct str path;
	if (!absolute(command->arena, command->arguments->words[1], &path))
		return failed(STR("the working directory is gone: give an absolute path"));
	return call_and_print(command, "POST", "/admin/backup", body_of(command, "path", path));
}

int command_hold_show(const struct command *command)
{
	return call_and_print(command, "GET", "/admin/hold", STR(""));
}

int command_hold_decide(const struct command *command)
{
	const bool is_release = strcmp(command->arguments->words[1], "release") == 0;
	return call_and_print(command, "POST",
			      is_release ? "/admin/hold/release" : "/admin/hold/fail",
			      body_of(command, "platform", str_of(command->arguments->platform)));
}
