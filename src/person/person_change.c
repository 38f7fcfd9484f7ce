/* SPDX-License-Identifier: Apache-2.0
 * The verbs cancel and retry; retry of many is person_retry_many.h. */
#include "arena.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"
#include "person_read.h"
#include "person_retry_many.h"
#include "person_wait.h"

static struct str post_path(struct person *person, const char *tail)
{
	return person_fetch_word_path(person, "/v1/posts/", tail);
}

enum person_status person_verb_cancel(struct person *person)
{
	struct person_answer answer = {0};
	/* A second time is 204 too. */
	const struct person_request request = {
		.method = "DELETE", .path = post_path(person, ""), .is_repeatable = true};
	const enum person_status status = person_fetch_call(person, &request, 204, &answer);
	if (status != PERSON_DONE)
		return status;
	if (!person_wants_json(person))
		fprintf(person->out, "Cancelled: nothing of post %s is published.\n",
			person->flags->word);
	return PERSON_DONE;
}

/* Not repeated after a lost answer: by then the first retry may have ended with an unknown outcome,
 * and --republish would publish once more. */
enum person_status person_verb_retry(struct person *person)
{
	const struct person_flags *flags = person->flags;
	const bool wants_wait = person_flag_is_given(flags, PERSON_FLAG_wait);
	const bool wants_none = person_flag_is_given(flags, PERSON_FLAG_no_wait);
	struct person_answer answer = {0};
	struct error err = {0};
	if (flags->word == NULL)
		return person_retry_many(person);
	if (person_retry_many_is_meant(flags))
		return person_say_wrong(person, "--error-code, --since, --expect and --dry-run are "
						"for many posts: leave the post's id out");
	if (wants_wait && wants_none)
		return person_say_wrong(person, "--wait and --no-wait do not go together");
	const struct person_request request = {.method = "POST",
					       .path = post_path(person, "/retry"),
					       .body = person_fetch_accounts_body(person)};
	const enum err_kind kind = person_call(person, person->arena, &request, &answer, &err);
	if (kind == ERR_UNCERTAIN)
		return person_say_failed(person,
					 "%s The retry may have begun: look with `posthorn show "
					 "%s` before you repeat it",
					 err.text, flags->word);
	if (kind != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	if (answer.status != 202)
		return person_say_refusal(person, &answer);
	if (wants_wait || (!wants_none && !person_wants_json(person)))
		return person_wait_post(person, str_of(flags->word), wants_wait);
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		fprintf(person->out, "Accepted: what failed of post %s is tried again.\n",
			flags->word);
	return PERSON_DONE;
}
