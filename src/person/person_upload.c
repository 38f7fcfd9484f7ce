/* SPDX-License-Identifier: Apache-2.0
 * See person_upload.h; and the verb upload. */
#include "person_upload.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"

#include "base64.h"
#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_media.h"
#include "person_print.h"
#include "person_progress.h"

/* In one request up to this; else in pieces of it. */
#define PIECE_BYTES (INT64_C(8) << 20)
#define PATIENCE_US (5 * US_PER_MINUTE)
#define PAUSE_MS 1000

struct uploading {
	struct person *person;
	const char *path;
	int64_t size_bytes;
	int64_t offset_bytes;
	struct str place; /* path of the upload */
	struct person_progress progress;
};

static enum person_status stat_file(struct person *person, const char *path, int64_t *size_out)
{
	struct stat status;
	if (stat(path, &status) != 0 || access(path, R_OK) != 0)
		return person_say_wrong(person, "%.200s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode) || status.st_size == 0)
		return person_say_wrong(person, "%.200s is no file with anything in it", path);
	*size_out = (int64_t)status.st_size;
	return PERSON_DONE;
}

enum person_status person_upload_check(struct person *person, const char *path)
{
	int64_t size_bytes = 0;
	return stat_file(person, path, &size_bytes);
}

static struct str name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return str_of(slash != NULL ? slash + 1 : path);
}

/* "37 % of 45.0 MB sent", at a terminal. */
static void show_progress(struct uploading *u)
{
	if (u->person->err_is_terminal)
		person_progress_show(u->person, &u->progress,
				     str_format(u->person->scratch, "%d %% of %.1f MB sent",
						(int)(u->offset_bytes * 100 / u->size_bytes),
						(double)u->size_bytes / 1e6));
}

/* DONE: the answer has that status. */
static enum person_status judge(struct person *person, const struct transfer_result *result,
				int wanted, struct person_answer *answer_out)
{
	struct error err = {0};
	if (person_call_read(person, person->arena, result, answer_out, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return answer_out->status == wanted ? PERSON_DONE : person_say_refusal(person, answer_out);
}

/* ---- in one request ---- */

/* A quote would end the name. */
static struct str disposition(struct arena *arena, const char *path)
{
	const struct str name = name_of(path);
	return str_find_char(name, '"', 0) == SIZE_MAX
		       ? str_format(arena, "attachment; filename=\"" STR_FMT "\"", STR_ARG(name))
		       : STR("attachment");
}

static enum person_status upload_whole(const struct uploading *u, struct str *id_out)
{
	struct person *person = u->person;
	struct transfer_result result = {0};
	struct person_answer answer = {0};
	const struct transfer_header headers[] = {
		{STR("Content-Type"), STR("application/octet-stream")},
		{STR("Content-Disposition"), disposition(person->arena, u->path)},
	};
	struct transfer_request request = {
		.method = "POST",
		.url = STR("/v1/media"),
		.headers = headers,
		.header_count = COUNT_OF(headers),
		.body_path = u->path,
		.body_length_bytes = u->size_bytes,
	};
	person_call_file(person, person->arena, &request, &result);
	const enum person_status status = judge(person, &result, 201, &answer);
	if (status == PERSON_DONE)
		*id_out = json_get_string(json_get(answer.json, "data"), "id");
	return status;
}

/* ---- in pieces (tus) ---- */

static enum person_status begin(struct uploading *u)
{
	struct person *person = u->person;
	struct transfer_result result = {0};
	struct person_answer answer = {0};
	const struct transfer_header headers[] = {
		{STR("Tus-Resumable"), STR("1.0.0")},
		{STR("Upload-Length"), str_format(person->arena, "%lld", (long long)u->size_bytes)},
		{STR("Upload-Metadata"),
		 str_concat(person->arena, STR("filename "),
			    base64_encode(person->arena, name_of(u->path)))},
	};
	struct transfer_request request = {.method = "POST",
					   .url = STR("/v1/media/uploads"),
					   .headers = headers,
					   .header_count = COUNT_OF(headers)};
	person_call_file(person, person->arena, &request, &result);
	const enum person_status status = judge(person, &result, 201, &answer);
	if (status != PERSON_DONE)
		return status;
	/* By its last part: the service may be reached by another name than it says. */
	const struct str location = person_call_header(&result, "Location");
	size_t from = location.len;
	while (from > 0 && location.ptr[from - 1] != '/')
		from--;
	u->place = person_fetch_path(person->arena, "/v1/media/uploads/",
				     str_slice(location, from, location.len), "");
	return PERSON_DONE;
}

static bool take_offset(struct uploading *u, const struct transfer_result *result)
{
	int64_t offset_bytes = 0;
	if (!str_parse_i64(person_call_header(result, "Upload-Offset"), &offset_bytes))
		return false;
	u->offset_bytes = offset_bytes;
	return true;
}

/* What is there, after a lost answer; the offset stays when the service does not say. */
static void ask_offset(struct uploading *u)
{
	struct person *person = u->person;
	struct transfer_result result = {0};
	const struct transfer_header headers[] = {{STR("Tus-Resumable"), STR("1.0.0")}};
	struct transfer_request request = {.method = "GET",
					   .url = u->place,
					   .headers = headers,
					   .header_count = COUNT_OF(headers)};
	person_call_file(person, person->scratch, &request, &result);
	if (result.outcome == TRANSFER_ANSWERED && result.status == 200)
		(void)take_offset(u, &result);
}

static void send_piece(struct uploading *u, struct transfer_result *result_out)
{
	struct person *person = u->person;
	const int64_t left_bytes = u->size_bytes - u->offset_bytes;
	const struct transfer_header headers[] = {
		{STR("Tus-Resumable"), STR("1.0.0")},
		{STR("Content-Type"), STR("application/offset+octet-stream")},
		{STR("Upload-Offset"),
		 str_format(person->scratch, "%lld", (long long)u->offset_bytes)},
	};
	struct transfer_request request = {
		.method = "PATCH",
		.url = u->place,
		.headers = headers,
		.header_count = COUNT_OF(headers),
		.body_path = left_bytes > 0 ? u->path : NULL,
		.body_offset_bytes = u->offset_bytes,
		.body_length_bytes = left_bytes < PIECE_BYTES ? left_bytes : PIECE_BYTES,
	};
	person_call_file(person, person->scratch, &request, result_out);
}

/* Is it worth going on? A conflict is about the offset. */
static bool may_go_on(const struct transfer_result *result)
{
	return result->outcome != TRANSFER_ANSWERED || result->status == 409 ||
	       result->status == 429 || result->status >= 500;
}

static enum person_status upload_pieces(struct uploading *u, struct str *id_out)
{
	struct person *person = u->person;
	int64_t until_us = clock_boot_us(person->clock) + PATIENCE_US;
	enum person_status status = begin(u);
	while (status == PERSON_DONE && str_is_empty(*id_out)) {
		struct transfer_result result = {0};
		struct person_answer answer = {0};
		arena_clear(person->scratch);
		show_progress(u);
		send_piece(u, &result);
		if (result.outcome == TRANSFER_ANSWERED && result.status == 204) {
			(void)take_offset(u, &result);
			*id_out = str_copy(person->arena,
					   person_call_header(&result, "Posthorn-Media-Id"));
			until_us = clock_boot_us(person->clock) + PATIENCE_US;
			continue;
		}
		if (!may_go_on(&result) || clock_boot_us(person->clock) >= until_us) {
			person_progress_end(person, &u->progress);
			return judge(person, &result, 204, &answer);
		}
		if (!person->nap(person->context, PAUSE_MS)) {
			person_progress_end(person, &u->progress);
			return person_say_failed(person, "the upload was broken off");
		}
		/* A conflict says where to go on. */
		if (result.outcome != TRANSFER_ANSWERED || result.status != 409 ||
		    !take_offset(u, &result))
			ask_offset(u);
	}
	person_progress_end(person, &u->progress);
	return status;
}

/* ---- all of it ---- */

enum person_status person_upload_file(struct person *person, const char *path, struct str *id_out)
{
	struct uploading u = {.person = person, .path = path};
	enum person_status status = stat_file(person, path, &u.size_bytes);
	*id_out = (struct str){0};
	if (status != PERSON_DONE)
		return status;
	return u.size_bytes <= PIECE_BYTES ? upload_whole(&u, id_out) : upload_pieces(&u, id_out);
}

enum person_status person_verb_upload(struct person *person)
{
	struct str id = {0};
	const enum person_status status = person_upload_file(person, person->flags->word, &id);
	return status == PERSON_DONE ? person_media_show(person, id) : status;
}
