/* SPDX-License-Identifier: Apache-2.0
 * The commands that change the master key: master-key create makes one, reseal seals again what old
 * ones sealed. How nodes change it in turn: docs/operations.md, "The master key". */
#include <stdio.h>

#include "arena.h"
#include "buf.h"
#include "random.h"

#include "json.h"
#include "json_write.h"

#include "seal.h"

#include "commands.h"
#include "control.h"

#define BODY_MAX_BYTES 65536

static int failed(struct str text)
{
	fprintf(stderr, "posthorn: " STR_FMT "\n", STR_ARG(text));
	return 1;
}

/* ---- master-key create ---- */

int reseal_create_key(const struct command *command)
{
	const char *path = command->arguments->words[2];
	char name[9];
	struct error err = {0};
	struct buf out;
	struct json_writer w;
	if (seal_create_keyfile(path, random_system(), name, &err) != ERR_NONE)
		return failed(str_of(err.text));
	buf_init(&out, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "path", str_of(path));
	json_member_str(&w, "key", str_of(name));
	json_end_object(&w);
	printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
	return 0;
}

/* ---- reseal ---- */

struct sums {
	int64_t resealed;
	int64_t unreadable;
};

/* One call's part. False: *status_out is the command's. */
static bool reseal_part(const struct command *command, struct str body,
			const struct json **answer_out, int *status_out)
{
	struct control_answer answer = {0};
	struct error err = {0};
	*status_out = 1;
	if (control_call(command->settings, command->arena, "POST", STR("/admin/reseal"), body,
			 &answer, &err) != ERR_NONE) {
		failed(str_of(err.text));
		return false;
	}
	if (json_parse(command->arena, answer.body, NULL, answer_out, NULL, NULL) != ERR_NONE) {
		failed(answer.body);
		return false;
	}
	if (answer.status != 200) {
		failed(json_string(json_get(*answer_out, "message")));
		return false;
	}
	return true;
}

static struct str next_body(struct arena *arena, const struct json *next)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_int(&w, "column", json_int(json_get(next, "column"), 0));
	json_member_str(&w, "id", json_string(json_get(next, "id")));
	json_member_int(&w, "platform", json_int(json_get(next, "platform"), 0));
	json_end_object(&w);
	return buf_str(&body);
}

/* Prints the sums and the keys, and returns how many records other keys than the master key still
 * seal. */
static int64_t print_sums(const struct command *command, const struct sums *sums,
			  const struct json *keys)
{
	struct buf out;
	struct json_writer w;
	int64_t left = 0;
	buf_init(&out, command->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_int(&w, "resealed", sums->resealed);
	json_member_int(&w, "unreadable", sums->unreadable);
	json_key(&w, "keys");
	json_begin_array(&w);
	for (size_t i = 0; i < keys->count; i++) {
		const struct json *key = json_at(keys, i);
		const bool is_master = json_bool(json_get(key, "master"), false);
		const int64_t records = json_int(json_get(key, "records"), 0);
		left += is_master ? 0 : records;
		json_begin_object(&w);
		json_member_str(&w, "key", json_string(json_get(key, "key")));
		json_member_bool(&w, "master", is_master);
		json_member_int(&w, "records", records);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
	printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
	return left;
}

int reseal_command(const struct command *command)
{
	struct sums sums = {0};
	struct str body = STR("{}");
	const struct json *answer = NULL;
	int status = 0;
	while (true) {
		if (!reseal_part(command, body, &answer, &status))
			return status;
		sums.resealed += json_int(json_get(answer, "resealed"), 0);
		sums.unreadable += json_int(json_get(answer, "unreadable"), 0);
		if (json_is_null(json_get(answer, "next")))
			break;
		body = next_body(command->arena, json_get(answer, "next"));
	}
	const int64_t left = print_sums(command, &sums, json_get(answer, "keys"));
	if (left == 0)
		return 0;
	return failed(str_format(
		command->arena,
		"%lld records are not sealed with the master key: keep the old keys. %s",
		(long long)left,
		sums.unreadable > 0
			? "Some cannot be opened: the log of the service names them"
			: "Another node still seals with an old key: restart it with the new one, "
			  "and run reseal again"));
}
