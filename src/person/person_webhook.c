/* SPDX-License-Identifier: Apache-2.0
 * The verbs webhooks, webhooks create, show, change, delete and rotate; test and log are
 * person_webhook_log.c's. */
#include "person_webhook.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "event.h"

#include "person_call.h"
#include "person_event.h"
#include "person_fetch.h"
#include "person_print.h"

#define BODY_MAX_BYTES ((size_t)1 << 20)
#define EVENTS_COLUMNS 50
#define LIST_MAX_BYTES 16384

struct str person_webhook_path(struct person *person, const char *tail)
{
	return person_fetch_word_path(person, "/v1/webhooks/", tail);
}

/* ---- what is shown ---- */

static struct str events_of(struct arena *arena, const struct json *webhook)
{
	const struct json *events = json_get(webhook, "events");
	struct buf out;
	if (events != NULL && events->count == EVENT_KIND_COUNT)
		return STR("all");
	buf_init(&out, arena, LIST_MAX_BYTES);
	for (size_t i = 0; json_at(events, i) != NULL; i++)
		buf_addf(&out, "%s" STR_FMT, i > 0 ? ", " : "",
			 STR_ARG(json_string(json_at(events, i))));
	return buf_str(&out);
}

/* "on", "off: ...", "failing since ..." */
static struct str state_of(struct arena *arena, const struct json *webhook)
{
	const struct str reason = json_get_string(webhook, "disabled_reason");
	const struct str since = json_get_string(webhook, "failing_since");
	if (!json_bool(json_get(webhook, "enabled"), true))
		return str_is_empty(reason) ? STR("off") : str_concat(arena, STR("off: "), reason);
	return str_is_empty(since) ? STR("on")
				   : str_concat(arena, STR("failing since "),
						person_print_instant(arena, since));
}

static void print_webhook(struct person *person, const struct json *webhook)
{
	struct arena *arena = person->arena;
	const struct str secret = json_get_string(webhook, "secret");
	person_print_line(person, "Webhook", json_get_string(webhook, "id"));
	person_print_line(person, "Address", json_get_string(webhook, "url"));
	person_print_line(person, "Events", events_of(arena, webhook));
	person_print_line(person, "State", state_of(arena, webhook));
	person_print_line(person, "Created",
			  person_print_instant(arena, json_get_string(webhook, "created_at")));
	if (!str_is_empty(secret))
		person_print_line(person, "Secret", secret);
}

static enum person_status print_answer(struct person *person, const struct person_answer *answer)
{
	if (person_wants_json(person))
		person_print_json(person, answer);
	else
		print_webhook(person, json_get(answer->json, "data"));
	return PERSON_DONE;
}

/* ---- list and show ---- */

static void add_webhook(struct person_table *table, const struct json *webhook)
{
	struct arena *arena = table->arena;
	const struct str events = events_of(arena, webhook);
	person_table_add(table,
			 (struct str[]){json_get_string(webhook, "url"),
					person_print_short(arena, events, EVENTS_COLUMNS),
					state_of(arena, webhook), json_get_string(webhook, "id")});
}

enum person_status person_verb_webhooks(struct person *person)
{
	static const char *const heads[] = {"ADDRESS", "EVENTS", "STATE", "ID"};
	enum person_status status;
	const struct person_answer *answer =
		person_fetch_shown(person, STR("/v1/webhooks"), &status);
	if (answer != NULL)
		person_print_list(person, json_get(answer->json, "data"), heads, COUNT_OF(heads),
				  add_webhook);
	return status;
}

enum person_status person_verb_webhooks_show(struct person *person)
{
	struct person_answer answer = {0};
	const enum person_status status =
		person_fetch(person, person_webhook_path(person, ""), &answer);
	return status == PERSON_DONE ? print_answer(person, &answer) : status;
}

/* ---- create and change ---- */

static void put_events(struct json_writer *w, int64_t mask)
{
	json_key(w, "events");
	json_begin_array(w);
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		if ((mask & INT64_C(1) << kind) != 0)
			json_put_str(w, str_of(event_kind_name((enum event_kind)kind)));
	}
	json_end_array(w);
}

/* url: NULL = not said. WRONG_USE: a flag is wrong, which is said. */
static enum person_status write_body(struct person *person, const char *url, struct str *body_out)
{
	const struct person_flags *flags = person->flags;
	const bool enables = person_flag_is_given(flags, PERSON_FLAG_enable);
	const bool disables = person_flag_is_given(flags, PERSON_FLAG_disable);
	int64_t mask = 0;
	struct buf out;
	struct json_writer w;
	if (enables && disables)
		return person_say_wrong(person, "--enable and --disable do not go together");
	const enum person_status status = person_event_read(person, &mask);
	if (status != PERSON_DONE)
		return status;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	if (url != NULL)
		json_member_str(&w, "url", str_of(url));
	if (person_flag_is_given(flags, PERSON_FLAG_events))
		put_events(&w, mask);
	if (enables || disables)
		json_member_bool(&w, "enabled", enables);
	json_end_object(&w);
	*body_out = buf_str(&out);
	return PERSON_DONE;
}

static void say_secret(struct person *person)
{
	if (!person_wants_json(person))
		fputs("Keep the secret: it is shown only now.\n", person->err);
}

/* Not repeated after a lost answer: there might be two, and the first one's secret is lost. */
enum person_status person_verb_webhooks_create(struct person *person)
{
	struct person_answer answer = {0};
	struct error err = {0};
	struct person_request request = {.method = "POST", .path = STR("/v1/webhooks")};
	const enum person_status status = write_body(person, person->flags->word, &request.body);
	if (status != PERSON_DONE)
		return status;
	const enum err_kind kind = person_call(person, person->arena, &request, &answer, &err);
	if (kind == ERR_UNCERTAIN)
		return person_say_failed(person,
					 "%s The webhook may be there, without its secret: look "
					 "with `posthorn webhooks`, and delete it before you "
					 "create it again",
					 err.text);
	if (kind != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	if (answer.status != 201)
		return person_say_refusal(person, &answer);
	print_answer(person, &answer);
	say_secret(person);
	return PERSON_DONE;
}

enum person_status person_verb_webhooks_change(struct person *person)
{
	const struct person_flags *flags = person->flags;
	const char *address = person_flag_text(flags, PERSON_FLAG_address);
	struct person_answer answer = {0};
	struct error err = {0};
	struct person_request request = {
		.method = "PATCH", .path = person_webhook_path(person, ""), .is_repeatable = true};
	if (address == NULL && !person_flag_is_given(flags, PERSON_FLAG_events) &&
	    !person_flag_is_given(flags, PERSON_FLAG_enable) &&
	    !person_flag_is_given(flags, PERSON_FLAG_disable))
		return person_say_wrong(person, "nothing is to change: give --address, --events, "
						"--enable or --disable");
	const enum person_status status = write_body(person, address, &request.body);
	if (status != PERSON_DONE)
		return status;
	if (person_call(person, person->arena, &request, &answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return answer.status == 200 ? print_answer(person, &answer)
				    : person_say_refusal(person, &answer);
}

/* ---- delete and rotate ---- */

enum person_status person_verb_webhooks_delete(struct person *person)
{
	struct person_answer answer = {0};
	struct error err = {0};
	const struct person_request request = {
		.method = "DELETE", .path = person_webhook_path(person, ""), .is_repeatable = true};
	if (person_call(person, person->arena, &request, &answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	/* The first try deleted it, though its answer was lost. */
	const bool was_there = answer.status == 404 && answer.was_lost;
	if (answer.status != 204 && !was_there)
		return person_say_refusal(person, &answer);
	if (!person_wants_json(person))
		fprintf(person->out, "Deleted: nothing more is sent to webhook %s.\n",
			person->flags->word);
	return PERSON_DONE;
}

/* Not repeated after a lost answer: a second one would end the secret that receivers have. */
enum person_status person_verb_webhooks_rotate(struct person *person)
{
	struct person_answer answer = {0};
	struct error err = {0};
	const struct person_request request = {.method = "POST",
					       .path = person_webhook_path(person, "/rotate")};
	const enum err_kind kind = person_call(person, person->arena, &request, &answer, &err);
	if (kind == ERR_UNCERTAIN)
		return person_say_failed(person,
					 "%s The secret may be replaced by one that nobody knows; "
					 "the old one then stays valid for a day. Once more ends "
					 "the old one",
					 err.text);
	if (kind != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	if (answer.status != 200)
		return person_say_refusal(person, &answer);
	print_answer(person, &answer);
	say_secret(person);
	return PERSON_DONE;
}
