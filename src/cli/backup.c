/* SPDX-License-Identifier: Apache-2.0
 * The commands of the restore guard: backup, hold show, hold release, hold fail; and pause, resume.
 * They work with a running service and without one. And restore, which works without one only. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "store_backup_file.h"
#include "store_guard.h"
#include "store_node.h"
#include "store_restore.h"

#include "commands.h"
#include "control.h"
#include "service_private.h"

#define BODY_MAX_BYTES 65536

static int failed(struct str text)
{
	fprintf(stderr, "posthorn: " STR_FMT "\n", STR_ARG(text));
	return 1;
}

static int refused(const struct command *command, const struct control_answer *answer)
{
	const struct json *json = NULL;
	if (json_parse(command->arena, answer->body, NULL, &json, NULL, NULL) != ERR_NONE)
		return failed(answer->body);
	return failed(json_string(json_get(json, "message")));
}

static int call_and_print(const struct command *command, const char *method, const char *path,
			  struct str body)
{
	struct control_answer answer = {0};
	struct error err = {0};
	if (control_call(command->settings, command->arena, method, str_of(path), body, &answer,
			 &err) != ERR_NONE)
		return failed(str_of(err.text));
	if (answer.status < 200 || answer.status > 299)
		return refused(command, &answer);
	printf(STR_FMT "\n", STR_ARG(answer.body));
	return 0;
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

/* ---- backup ---- */

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

static int print_backup(const struct command *command, const struct store_backup_file *file)
{
	struct stat status;
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "path", str_of(file->path));
	json_member_int(&w, "bytes", fstat(file->fd, &status) == 0 ? status.st_size : 0);
	json_end_object(&w);
	printf(STR_FMT "\n", STR_ARG(buf_str(&body)));
	return 0;
}

static int fill_backup(const struct command *command, const struct store_backup_file *file)
{
	struct control_answer answer = {0};
	struct error err = {0};
	enum err_kind kind = control_download(command->settings, command->arena,
					      STR("/admin/backup"), file->fd, &answer, &err);
	if (kind == ERR_NONE && answer.status != 200)
		return refused(command, &answer);
	if (kind == ERR_NONE)
		kind = store_backup_file_sync(file, &err);
	if (kind == ERR_NONE)
		kind = store_backup_file_end(file, &err);
	return kind == ERR_NONE ? print_backup(command, file) : failed(str_of(err.text));
}

/* A running service reaches no file but its own: it hands over the bytes, and we write them. */
int command_backup(const struct command *command)
{
	struct store_backup_file file;
	struct error err = {0};
	struct str path;
	if (!absolute(command->arena, command->arguments->words[1], &path))
		return failed(STR("the working directory is gone: give an absolute path"));
	if (store_backup_file_begin(str_z(command->arena, path), &file, &err) != ERR_NONE)
		return failed(str_of(err.text));
	const int status = fill_backup(command, &file);
	store_backup_file_close(&file);
	return status;
}

/* ---- hold ---- */

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

/* ---- restore ---- */

#define SQLITE_SCHEME "sqlite:"

static int failed_as(const struct error *err)
{
	return failed(str_of(err->text));
}

/* The SQLite file; NULL: the database is a PostgreSQL one. Makes DATA on a new machine. */
static const char *database_path(const struct command *command)
{
	const char *url = settings_text(command->settings, SETTING_ID_database);
	const char *data = settings_text(command->settings, SETTING_ID_data);
	if (str_has_prefix(str_of(url), STR(SQLITE_SCHEME)))
		return url + strlen(SQLITE_SCHEME);
	if (url[0] != '\0')
		return NULL;
	mkdir(data, 0700); /* what is wrong with it is told by who writes there */
	return str_z(command->arena, str_format(command->arena, "%s/posthorn.db", data));
}

int backup_restore(const struct command *command)
{
	struct error err = {0};
	struct store_restored restored;
	const struct store_restore wish = {
		.from = command->arguments->words[1],
		.database_path = database_path(command),
		.clock = clock_system(),
	};
	if (command->arguments->mark != NULL)
		return failed(STR("restore takes a FILE or --mark, not both"));
	if (wish.database_path == NULL)
		return failed(STR("a PostgreSQL database is put back with its own tools: stop "
				  "every node, run pg_restore (or your provider's restore), then "
				  "`posthorn restore --mark`, and start the nodes"));
	if (store_restore(&wish, &restored, &err) != ERR_NONE)
		return failed_as(&err);
	struct buf body;
	struct json_writer w;
	buf_init(&body, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "path", str_of(wish.database_path));
	json_member_int(&w, "bytes", restored.size_bytes);
	json_key(&w, "former");
	if (restored.former_path[0] != '\0')
		json_put_str(&w, str_of(restored.former_path));
	else
		json_put_null(&w);
	json_end_object(&w);
	printf(STR_FMT "\n", STR_ARG(buf_str(&body)));
	return 0;
}

/* A node at work would go on with what it knows. */
static enum err_kind check_alone(const struct command *command, struct store *store,
				 struct error *err)
{
	struct node_row *nodes = NULL;
	size_t count = 0;
	const enum err_kind kind = store_node_list(store, command->arena, &nodes, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++) {
		if (nodes[i].is_alive && !str_equal(nodes[i].id, store_node_id(store)))
			return error_set(err, ERR_CONFLICT,
					 "the node " STR_FMT
					 " is at work on this database: stop every node first",
					 STR_ARG(nodes[i].name));
	}
	return kind;
}

int backup_restore_mark(const struct command *command)
{
	struct settings quiet = *command->settings;
	struct service *service = NULL;
	struct error err = {0};
	if (command->arguments->mark == NULL) {
		fputs("posthorn: restore needs a FILE, or --mark\nposthorn: see `posthorn help`\n",
		      stderr);
		return 2;
	}
	if (quiet.values[SETTING_ID_log_level].source == SETTING_FROM_DEFAULT)
		quiet.values[SETTING_ID_log_level].text = "error";
	enum err_kind kind = service_open(&quiet, SERVICE_COMMAND, &service, &err);
	if (kind == ERR_NONE)
		kind = check_alone(command, service->store, &err);
	if (kind == ERR_NONE)
		kind = store_guard_arm(service->store, &err);
	service_close(&service);
	if (kind != ERR_NONE)
		return failed_as(&err);
	printf("{\"marked\":true}\n");
	return 0;
}
