/* SPDX-License-Identifier: Apache-2.0
 * The verb unpublish: takes a published post back, and says what came of it on each account. */
#include "arena.h"
#include "buf.h"

#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

#define LINE_MAX_BYTES 4096
#define PAUSE_MS 500
#define PATIENCE_US (5 * US_PER_MINUTE)

static struct str removal_status(const struct json *target)
{
	return json_string(json_get(json_get(target, "removal"), "status"));
}

static bool is_pending(const struct json *data)
{
	const struct json *targets = json_get(data, "platform_posts");
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		if (str_equal_z(removal_status(json_at(targets, i)), "pending"))
			return true;
	}
	return false;
}

/* "x jodoe: failed: The account is disconnected. ..." */
static void print_target(struct person *person, const struct json *target)
{
	const struct str status = removal_status(target);
	const struct str message =
		json_string(json_get(json_get(json_get(target, "removal"), "error"), "message"));
	struct buf line;
	buf_init(&line, person->arena, LINE_MAX_BYTES);
	buf_add(&line, json_string(json_get(target, "platform")));
	buf_add_char(&line, ' ');
	buf_add(&line, json_string(json_get(target, "handle")));
	buf_add_z(&line, ": ");
	buf_add(&line, status);
	if (!str_is_empty(message)) {
		buf_add_z(&line, ": ");
		buf_add(&line, message);
	}
	person_print_text(person->out, buf_str(&line));
	fputc('\n', person->out);
}

/* DONE when nothing that was asked for has failed. */
static enum person_status print_all(struct person *person, const struct json *data)
{
	const struct json *targets = json_get(data, "platform_posts");
	enum person_status status = PERSON_DONE;
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		const struct str removal = removal_status(json_at(targets, i));
		if (str_is_empty(removal))
			continue;
		print_target(person, json_at(targets, i));
		if (str_equal_z(removal, "failed") || str_equal_z(removal, "unsupported"))
			status = PERSON_FAILED;
	}
	return status;
}

static enum person_status wait_for_all(struct person *person, const struct json *data)
{
	const int64_t until_us = clock_boot_us(person->clock) + PATIENCE_US;
	const struct str path = person_fetch_word_path(person, "/v1/posts/", "");
	while (is_pending(data) && clock_boot_us(person->clock) < until_us) {
		struct person_answer answer = {0};
		struct error err = {0};
		if (!person->nap(person->context, PAUSE_MS))
			return person_say_failed(person,
						 "the wait was broken off; the removal goes on, "
						 "see `posthorn show %s`",
						 person->flags->word);
		arena_clear(person->scratch);
		const enum err_kind kind = person_get(person, person->scratch, path, &answer, &err);
		if (kind != ERR_NONE)
			return person_say_failed(person,
						 "%s; the removal goes on, see `posthorn show %s`",
						 err.text, person->flags->word);
		if (answer.status != 200)
			return person_say_refusal(person, &answer);
		data = json_get(answer.json, "data");
	}
	return print_all(person, data);
}

enum person_status person_verb_unpublish(struct person *person)
{
	struct person_answer answer = {0};
	/* Asked twice, it is still removed once. */
	const struct person_request request = {
		.method = "POST",
		.path = person_fetch_word_path(person, "/v1/posts/", "/unpublish"),
		.body = person_fetch_accounts_body(person),
		.is_repeatable = true};
	const enum person_status status = person_fetch_call(person, &request, 202, &answer);
	if (status != PERSON_DONE)
		return status;
	const struct json *data = json_get(answer.json, "data");
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	person_say_warnings(person, data);
	return person_flag_is_given(person->flags, PERSON_FLAG_no_wait)
		       ? print_all(person, data)
		       : wait_for_all(person, data);
}
