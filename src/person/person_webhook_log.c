/* SPDX-License-Identifier: Apache-2.0
 * The verbs webhooks test and webhooks log. */
#include "arena.h"
#include "count_of.h"

#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"
#include "person_webhook.h"

#define TEST_WAIT_US (15 * US_PER_S) /* a receiver has 10 s, api-decisions.md 9 */
#define TEST_PAUSE_MS 250
#define ANSWER_COLUMNS 40

static const struct json *last_try(const struct json *delivery)
{
	const struct json *tries = json_get(delivery, "tries");
	return tries != NULL && tries->count > 0 ? json_at(tries, tries->count - 1) : NULL;
}

/* "204 in 12 ms", or why there is no answer; empty before the first try. */
static struct str answer_of(struct arena *arena, const struct json *delivery)
{
	const struct json *try = last_try(delivery);
	const int status = (int)json_int(json_get(try, "status"), 0);
	if (status == 0)
		return json_get_string(try, "error");
	return str_format(arena, "%d in %lld ms", status,
			  (long long)json_int(json_get(try, "duration_ms"), 0));
}

/* ---- test ---- */

/* The delivery of that event once it has been tried; NULL: not yet. False: the service does not let
 * this key read the log. */
static bool find_tried(struct person *person, struct str event_id, const struct json **tried_out)
{
	struct person_answer answer = {0};
	*tried_out = NULL;
	arena_clear(person->scratch);
	const enum err_kind kind = person_get(
		person, person->scratch, person_webhook_path(person, "/deliveries"), &answer, NULL);
	if (kind != ERR_NONE || answer.status != 200)
		return answer.status != 403;
	const struct json *data = json_get(answer.json, "data");
	for (size_t i = 0; json_at(data, i) != NULL; i++) {
		const struct json *delivery = json_at(data, i);
		if (str_equal(json_get_string(delivery, "event_id"), event_id) &&
		    last_try(delivery) != NULL)
			*tried_out = delivery;
	}
	return true;
}

static enum person_status print_accepted(struct person *person)
{
	fprintf(person->out,
		"Accepted: see what the receiver answers with posthorn webhooks log %s\n",
		person->flags->word);
	return PERSON_DONE;
}

static enum person_status wait_for_answer(struct person *person, struct str event_id)
{
	const int64_t until_us = clock_boot_us(person->clock) + TEST_WAIT_US;
	const struct json *delivery = NULL;
	bool can_read = find_tried(person, event_id, &delivery);
	while (can_read && delivery == NULL && clock_boot_us(person->clock) < until_us) {
		if (!person->nap(person->context, TEST_PAUSE_MS))
			return PERSON_FAILED;
		can_read = find_tried(person, event_id, &delivery);
	}
	if (!can_read)
		return print_accepted(person);
	if (delivery == NULL) {
		fprintf(person->out,
			"Sent, and no answer is known yet: look with posthorn webhooks log %s\n",
			person->flags->word);
		return PERSON_FAILED;
	}
	const bool is_good = str_equal_z(json_get_string(delivery, "state"), "succeeded");
	fputs(is_good ? "The receiver took it: " : "The receiver did not take it: ", person->out);
	person_print_text(person->out, answer_of(person->scratch, delivery));
	fputs(".\n", person->out);
	return is_good ? PERSON_DONE : PERSON_FAILED;
}

enum person_status person_verb_webhooks_test(struct person *person)
{
	struct person_answer answer = {0};
	/* A second test event harms nobody. */
	const struct person_request request = {.method = "POST",
					       .path = person_webhook_path(person, "/test"),
					       .is_repeatable = true};
	const enum person_status status = person_fetch_call(person, &request, 202, &answer);
	if (status != PERSON_DONE)
		return status;
	const struct str event_id = json_get_string(json_get(answer.json, "data"), "event_id");
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	return person_flag_is_given(person->flags, PERSON_FLAG_no_wait)
		       ? print_accepted(person)
		       : wait_for_answer(person, event_id);
}

/* ---- log ---- */

static void add_delivery(struct person_table *table, const struct json *delivery)
{
	struct arena *arena = table->arena;
	const struct str answer = answer_of(arena, delivery);
	person_table_add(
		table,
		(struct str[]){
			person_print_instant(arena, json_get_string(delivery, "created_at")),
			json_get_string(delivery, "event"), json_get_string(delivery, "state"),
			str_format(arena, "%lld",
				   (long long)json_int(json_get(delivery, "attempts"), 0)),
			person_print_short(arena, answer, ANSWER_COLUMNS),
			person_print_instant(arena, json_get_string(delivery, "next_attempt_at")),
			json_get_string(delivery, "event_id")});
}

enum person_status person_verb_webhooks_log(struct person *person)
{
	static const struct person_filter filters[] = {
		{PERSON_FLAG_before, "before"},
		{PERSON_FLAG_limit, "limit"},
	};
	static const char *const heads[] = {"WHEN",        "EVENT",    "STATE",   "TRIES",
					    "LAST ANSWER", "NEXT TRY", "EVENT ID"};
	enum person_status status;
	const struct str path = person_fetch_list_path(
		person, person_webhook_path(person, "/deliveries"), filters, COUNT_OF(filters));
	const struct person_answer *answer = person_fetch_shown(person, path, &status);
	if (answer == NULL)
		return status;
	const struct json *data = json_get(answer->json, "data");
	const size_t count = data != NULL ? data->count : 0;
	person_print_list(person, data, heads, COUNT_OF(heads), add_delivery);
	if (count > 0 && json_bool(json_get(json_get(answer->json, "meta"), "has_more"), false))
		fprintf(person->out, "older ones: posthorn webhooks log %s --before %lld\n",
			person->flags->word,
			(long long)json_int(json_get(json_at(data, count - 1), "id"), 0));
	return PERSON_DONE;
}
