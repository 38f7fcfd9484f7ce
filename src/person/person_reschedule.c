/* SPDX-License-Identifier: Apache-2.0
 * The verb reschedule. */
#include "arena.h"
#include "buf.h"
#include "timetext.h"

#include "json.h"
#include "json_write.h"

#include "person_body.h"
#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

#define BODY_MAX_BYTES 256

static struct str write_body(struct person *person, struct str instant)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_str(&w, "scheduled_at", instant);
	json_end_object(&w);
	return buf_str(&out);
}

static void print_done(struct person *person, const struct person_answer *answer)
{
	const struct json *data = json_get(answer->json, "data");
	const struct str at = json_string(json_get(data, "scheduled_at"));
	fprintf(person->out, "Post %s: ", person->flags->word);
	if (person_flag_is_given(person->flags, PERSON_FLAG_now)) {
		fprintf(person->out, "published now; see posthorn show %s --wait\n",
			person->flags->word);
		return;
	}
	fputs("scheduled for ", person->out);
	person_print_text(person->out, at);
	fputs(".\n", person->out);
}

enum person_status person_verb_reschedule(struct person *person)
{
	const bool is_now = person_flag_is_given(person->flags, PERSON_FLAG_now);
	struct str instant = STR("");
	struct person_answer answer = {0};
	if (is_now == person_flag_is_given(person->flags, PERSON_FLAG_at))
		return person_say_wrong(person, "say when: either --at TIME or --now");
	enum person_status status = person_body_read_time(person, &instant);
	if (status != PERSON_DONE)
		return status;
	if (is_now)
		instant = timetext_format_instant(person->arena, clock_now_us(person->clock));
	/* The time is an instant: a second time changes nothing more. */
	const struct person_request request = {
		.method = "PATCH",
		.path = person_fetch_word_path(person, "/v1/posts/", ""),
		.body = write_body(person, instant),
		.is_repeatable = true};
	status = person_fetch_call(person, &request, 200, &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		print_done(person, &answer);
	return PERSON_DONE;
}
