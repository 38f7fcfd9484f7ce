/* SPDX-License-Identifier: Apache-2.0
 * The verb edit. What is not named stays: a post with comments is sent whole, made of what it was
 * when the command began, and only if it still is (If-Match). */
#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "timetext.h"

#include "json.h"
#include "json_write.h"

#include "person_body.h"
#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"
#include "person_read.h"

#define BODY_MAX_BYTES ((size_t)4 << 20)

struct edit {
	struct person *person;
	const struct json *containers; /* as the post has them */
	struct str scheduled_at;       /* empty = stays */
};

static bool has(const struct person *person, enum person_flag flag)
{
	return person_flag_is_given(person->flags, flag);
}

/* ---- the flags ---- */

static bool changes_content(const struct person *person)
{
	static const enum person_flag all[] = {PERSON_FLAG_text,     PERSON_FLAG_media,
					       PERSON_FLAG_no_media, PERSON_FLAG_comment,
					       PERSON_FLAG_type,     PERSON_FLAG_no_comment};
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (has(person, all[i]))
			return true;
	}
	return false;
}

/* For the content, which is sent whole, or for the ETag. */
static bool needs_reading(const struct person *person)
{
	return changes_content(person) || !has(person, PERSON_FLAG_if_match);
}

static enum person_status check_flags(struct edit *e)
{
	struct person *person = e->person;
	if (!changes_content(person) && !has(person, PERSON_FLAG_option) &&
	    !has(person, PERSON_FLAG_at) && !has(person, PERSON_FLAG_now))
		return person_say_wrong(person, "say what changes: --text, --media, --comment, "
						"--type, --option, --at or --now");
	if (has(person, PERSON_FLAG_media) && has(person, PERSON_FLAG_no_media))
		return person_say_wrong(person, "--media and --no-media do not go together");
	if (has(person, PERSON_FLAG_comment) && has(person, PERSON_FLAG_no_comment))
		return person_say_wrong(person, "--comment and --no-comment do not go together");
	if (has(person, PERSON_FLAG_at) && has(person, PERSON_FLAG_now))
		return person_say_wrong(person, "say when: either --at TIME or --now");
	const enum person_status status = person_body_check_flags(person, &e->scheduled_at);
	if (status == PERSON_DONE && has(person, PERSON_FLAG_now))
		e->scheduled_at =
			timetext_format_instant(person->arena, clock_now_us(person->clock));
	return status;
}

/* ---- the body ---- */

/* A value of the answer as a request has it: null means not given. */
static void put_given(struct json_writer *w, const struct json *value)
{
	if (json_is(value, JSON_TYPE_ARRAY)) {
		json_begin_array(w);
		for (size_t i = 0; i < value->count; i++)
			put_given(w, json_at(value, i));
		json_end_array(w);
		return;
	}
	if (!json_is(value, JSON_TYPE_OBJECT)) {
		json_put_value(w, value);
		return;
	}
	json_begin_object(w);
	for (size_t i = 0; i < value->count; i++) {
		if (json_is_null(&value->items[i]))
			continue;
		json_key_str(w, value->keys[i]);
		put_given(w, &value->items[i]);
	}
	json_end_object(w);
}

static void keep_member(struct json_writer *w, const struct json *container, const char *name)
{
	const struct json *value = json_get(container, name);
	if (json_is_null(value))
		return;
	json_key(w, name);
	put_given(w, value);
}

/* Members of the post itself: those that are named, and with is_whole the others as they were. */
static void write_post(const struct edit *e, struct json_writer *w, bool is_whole)
{
	struct person *person = e->person;
	const struct json *was = is_whole ? json_at(e->containers, 0) : NULL;
	const char *type = person_flag_text(person->flags, PERSON_FLAG_type);
	const char *text = person_flag_text(person->flags, PERSON_FLAG_text);
	if (type != NULL)
		json_member_str(w, "type", str_of(type));
	else
		keep_member(w, was, "type");
	if (text != NULL)
		json_member_str(w, "content", str_of(text));
	else
		keep_member(w, was, "content");
	if (has(person, PERSON_FLAG_media))
		person_body_write_media(person, w);
	else if (!has(person, PERSON_FLAG_no_media))
		keep_member(w, was, "media");
	if (has(person, PERSON_FLAG_no_media)) {
		json_key(w, "media");
		json_begin_array(w);
		json_end_array(w);
	}
}

static void write_comments(const struct edit *e, struct json_writer *w)
{
	const struct person_flags *flags = e->person->flags;
	const char *comment;
	const bool is_kept =
		!has(e->person, PERSON_FLAG_comment) && !has(e->person, PERSON_FLAG_no_comment);
	for (size_t i = 0; (comment = person_flag_at(flags, PERSON_FLAG_comment, i)) != NULL; i++) {
		json_begin_object(w);
		json_member_str(w, "content", str_of(comment));
		json_end_object(w);
	}
	for (size_t i = 1; is_kept && json_at(e->containers, i) != NULL; i++)
		put_given(w, json_at(e->containers, i));
}

static struct str write_body(const struct edit *e, bool is_advanced)
{
	struct person *person = e->person;
	const bool has_comments = is_advanced || has(person, PERSON_FLAG_comment);
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	if (changes_content(person) && has_comments) {
		json_key(&w, "containers");
		json_begin_array(&w);
		json_begin_object(&w);
		write_post(e, &w, true);
		json_end_object(&w);
		write_comments(e, &w);
		json_end_array(&w);
	} else {
		write_post(e, &w, false);
	}
	person_body_write_options(person, &w);
	if (!str_is_empty(e->scheduled_at))
		json_member_str(&w, "scheduled_at", e->scheduled_at);
	json_end_object(&w);
	return buf_str(&out);
}

/* ---- the call ---- */

/* With If-Match it is not repeated: a first one that was taken would be refused as another's. */
static enum person_status change(struct edit *e, const struct person_answer *read,
				 struct person_answer *answer)
{
	struct person *person = e->person;
	const char *tag = person_flag_text(person->flags, PERSON_FLAG_if_match);
	const struct json *data = json_get(read->json, "data");
	struct error err = {0};
	e->containers = json_get(data, "containers");
	const struct person_request request = {
		.method = "PATCH",
		.path = person_fetch_word_path(person, "/v1/posts/", ""),
		.body = write_body(e, str_equal_z(json_get_string(data, "mode"), "advanced")),
		.if_match = tag != NULL ? str_of(tag) : read->etag};
	const enum err_kind kind = person_call(person, person->arena, &request, answer, &err);
	if (kind == ERR_UNCERTAIN)
		return person_say_failed(person,
					 "%s The edit may have been made: look with `posthorn show "
					 "%s`",
					 err.text, person->flags->word);
	if (kind != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return answer->status == 200 ? PERSON_DONE : person_say_refusal(person, answer);
}

enum person_status person_verb_edit(struct person *person)
{
	struct edit e = {.person = person};
	struct person_answer read = {0};
	struct person_answer answer = {0};
	enum person_status status = check_flags(&e);
	if (status == PERSON_DONE && needs_reading(person))
		status = person_fetch(person, person_fetch_word_path(person, "/v1/posts/", ""),
				      &read);
	if (status == PERSON_DONE)
		status = person_body_upload(person);
	if (status == PERSON_DONE)
		status = change(&e, &read, &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	const struct json *data = json_get(answer.json, "data");
	person_read_print_head(person, data, answer.etag);
	person_read_print_targets(person, data);
	person_say_warnings(person, data);
	return PERSON_DONE;
}
