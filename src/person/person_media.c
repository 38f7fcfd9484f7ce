/* SPDX-License-Identifier: Apache-2.0
 * The verbs media, media show, download, delete and link. */
#include "person_media.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

#define ERROR_MAX_BYTES 65536
#define BODY_MAX_BYTES 1024

static struct str number_of(struct arena *arena, const struct json *file, const char *name)
{
	const struct json *value = json_get(file, name);
	return json_is_null(value) ? STR("")
				   : str_format(arena, "%lld", (long long)json_int(value, 0));
}

static struct str measure_of(struct arena *arena, const struct json *file)
{
	const struct str width = number_of(arena, file, "width");
	return str_is_empty(width) ? width
				   : str_format(arena, STR_FMT " x " STR_FMT, STR_ARG(width),
						STR_ARG(number_of(arena, file, "height")));
}

/* ---- list and show ---- */

static void add_row(struct person_table *table, const struct json *file)
{
	const struct str cells[] = {
		json_get_string(file, "id"),
		json_get_string(file, "mime_type"),
		number_of(table->arena, file, "size_bytes"),
		person_print_short(table->arena, json_get_string(file, "file_name"), 32),
		person_print_instant(table->arena, json_get_string(file, "expires_at")),
	};
	person_table_add(table, cells);
}

enum person_status person_verb_media(struct person *person)
{
	static const struct person_filter filters[] = {{PERSON_FLAG_page, "page"},
						       {PERSON_FLAG_per_page, "per_page"}};
	static const char *const heads[] = {"ID", "TYPE", "BYTES", "NAME", "GOES AT"};
	enum person_status status;
	const struct person_answer *answer = person_fetch_shown(
		person,
		person_fetch_list_path(person, STR("/v1/media"), filters, COUNT_OF(filters)),
		&status);
	if (answer == NULL)
		return status;
	person_print_list(person, json_get(answer->json, "data"), heads, COUNT_OF(heads), add_row);
	person_print_page(person, json_get(answer->json, "meta"), "file");
	return PERSON_DONE;
}

enum person_status person_media_show(struct person *person, struct str media_id)
{
	enum person_status status;
	const struct person_answer *answer = person_fetch_shown(
		person, person_fetch_path(person->arena, "/v1/media/", media_id, ""), &status);
	if (answer == NULL)
		return status;
	const struct json *file = json_get(answer->json, "data");
	person_print_line(person, "Media", json_get_string(file, "id"));
	person_print_line(person, "Name", json_get_string(file, "file_name"));
	person_print_line(person, "Type", json_get_string(file, "mime_type"));
	person_print_line(person, "Bytes", number_of(person->arena, file, "size_bytes"));
	person_print_line(person, "Pixels", measure_of(person->arena, file));
	person_print_line(person, "Goes at",
			  person_print_instant(person->arena, json_get_string(file, "expires_at")));
	return PERSON_DONE;
}

enum person_status person_verb_media_show(struct person *person)
{
	return person_media_show(person, str_of(person->flags->word));
}

/* ---- download ---- */

static enum person_status copy_out(struct person *person, int fd)
{
	char buffer[65536];
	ssize_t count;
	while ((count = read(fd, buffer, sizeof(buffer))) > 0) {
		if (fwrite(buffer, 1, (size_t)count, person->out) != (size_t)count)
			return person_say_failed(person, "cannot write: %s", strerror(errno));
	}
	return count == 0 ? PERSON_DONE : person_say_failed(person, "cannot read what was fetched");
}

/* The answer that was saved is a refusal. */
static enum person_status refused(struct person *person, struct transfer_result *result, int fd)
{
	struct person_answer answer = {0};
	struct error err = {0};
	char *text = arena_alloc(person->arena, ERROR_MAX_BYTES);
	const ssize_t count = read(fd, text, ERROR_MAX_BYTES);
	if (str_is_empty(result->body))
		result->body = (struct str){text, count > 0 ? (size_t)count : 0};
	if (person_call_read(person, person->arena, result, &answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return person_say_refusal(person, &answer);
}

static enum person_status download(struct person *person, const char *path)
{
	struct transfer_result result = {0};
	struct transfer_request request = {
		.method = "GET",
		.url = person_fetch_word_path(person, "/v1/media/", "/content"),
		.save_path = path,
		.response_max_bytes = INT64_MAX,
	};
	person_call_file(person, person->arena, &request, &result);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return person_say_failed(person, "cannot keep the file: %s", strerror(errno));
	const bool is_there = result.outcome == TRANSFER_ANSWERED && result.status == 200;
	const enum person_status status =
		is_there ? copy_out(person, fd) : refused(person, &result, fd);
	close(fd);
	return status;
}

enum person_status person_verb_media_download(struct person *person)
{
	const char *directory = getenv("TMPDIR");
	char *path = str_z(person->arena, str_format(person->arena, "%s/posthorn-XXXXXX",
						     directory != NULL ? directory : "/tmp"));
	const int fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return person_say_failed(person, "cannot make a file in %.200s: %s",
					 directory != NULL ? directory : "/tmp", strerror(errno));
	close(fd);
	const enum person_status status = download(person, path);
	unlink(path);
	return status;
}

/* ---- delete and link ---- */

enum person_status person_verb_media_delete(struct person *person)
{
	const struct person_request request = {
		.method = "DELETE",
		.path = person_fetch_word_path(person, "/v1/media/", ""),
		.is_repeatable = true};
	struct person_answer answer = {0};
	const enum person_status status = person_fetch_call(person, &request, 204, &answer);
	if (status == PERSON_DONE && !person_wants_json(person))
		fprintf(person->out, "Deleted: media %s.\n", person->flags->word);
	return status;
}

/* False: said. */
static bool add_number(struct person *person, struct json_writer *w, enum person_flag flag,
		       const char *name)
{
	const char *text = person_flag_text(person->flags, flag);
	int64_t number = 0;
	if (text == NULL)
		return true;
	if (!str_parse_i64(str_of(text), &number)) {
		person_say_wrong(person, "%.60s is no number", text);
		return false;
	}
	json_member_int(w, name, number);
	return true;
}

enum person_status person_verb_media_link(struct person *person)
{
	struct buf body;
	struct json_writer w;
	struct person_answer answer = {0};
	buf_init(&body, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	if (!add_number(person, &w, PERSON_FLAG_max_bytes, "max_bytes") ||
	    !add_number(person, &w, PERSON_FLAG_expires_in, "expires_in"))
		return PERSON_WRONG_USE;
	json_end_object(&w);
	const struct person_request request = {
		.method = "POST", .path = STR("/v1/media/links"), .body = buf_str(&body)};
	const enum person_status status = person_fetch_call(person, &request, 201, &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	const struct json *link = json_get(answer.json, "data");
	person_print_line(person, "Address", json_get_string(link, "upload_url"));
	person_print_line(person, "Media", json_get_string(link, "media_id"));
	person_print_line(person, "Until",
			  person_print_instant(person->arena, json_get_string(link, "expires_at")));
	return PERSON_DONE;
}
