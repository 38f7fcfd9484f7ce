/* SPDX-License-Identifier: Apache-2.0
 * The body of publish and validate, made of the flags. Nothing is sent here. */
#pragma once

#include "str.h"

#include "person_private.h"

struct json_writer;
struct person_targets;

/* What the flags say, checked. Texts live in the run's arena. */
struct person_body {
	struct str content; /* with "-", read from standard input */
	bool has_content;
	struct str scheduled_at; /* as the API writes it; empty = now */
};

/* Uploads the files of this machine among --media, with what they are on the way on standard error:
 * the body names them by their ids then. After all else that could be wrong was checked. FAILED:
 * said. Blocks. */
enum person_status person_body_upload(struct person *person);

/* WRONG_USE with the reason on standard error: a file that cannot be read, media of unknown kind, a
 * time that cannot be read, an option of an unknown platform, no text and no media, a text that is
 * not UTF-8. */
enum person_status person_body_check(struct person *person, struct person_body *body_out);
/* The same without a text: --media with its --alt, --option, and --at as
 * person_body_read_time(). */
enum person_status person_body_check_flags(struct person *person, struct str *scheduled_at_out);
/* The members "media" and "platforms", where the flags have any. */
void person_body_write_media(struct person *person, struct json_writer *w);
void person_body_write_options(struct person *person, struct json_writer *w);
/* --at as the API writes it, in the run's arena; without the flag *instant_out is left alone.
 * WRONG_USE: it cannot be read; said. */
enum person_status person_body_read_time(struct person *person, struct str *instant_out);
/* The JSON, in the run's arena. request_id: empty = none. */
struct str person_body_write(struct person *person, const struct person_body *body,
			     const struct person_targets *targets, struct str request_id);
