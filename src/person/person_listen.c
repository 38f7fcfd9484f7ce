/* SPDX-License-Identifier: Apache-2.0
 * The verb listen: reads the app's feed of events and sends each to a program on this machine,
 * signed as a webhook of the service would be (Standard Webhooks), so that no public address is
 * needed while one develops. Each event is sent once. */
#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"
#include "url.h"

#include "event.h"

#include "webhook_sign.h"

#include "person_call.h"
#include "person_event.h"
#include "person_print.h"

#define PAGE_EVENTS 25
#define PAUSE_MS 1000
#define SILENT_PAUSE_MS 2000
#define BODY_MAX_BYTES ((size_t)16 << 20)
#define AT_BEGIN 11 /* of the time in an instant */
#define AT_END 19

struct listening {
	struct person *person;
	struct str forward_to;
	struct str secret;
	bool made_secret;
	int64_t wanted; /* bits of enum event_kind */
	int64_t cursor;
	bool is_silent; /* the service does not answer, which has been said */
};

/* ---- flags ---- */

static enum person_status check_address(struct listening *l)
{
	struct person *person = l->person;
	const char *given = person_flag_text(person->flags, PERSON_FLAG_forward_to);
	struct url url;
	struct error err = {0};
	if (given == NULL)
		return person_say_wrong(person, "--forward-to is missing: where to send the "
						"events, for example http://127.0.0.1:3000/hook");
	l->forward_to = str_of(given);
	if (str_find(l->forward_to, STR("://"), 0) == SIZE_MAX)
		l->forward_to = str_concat(person->arena, STR("http://"), l->forward_to);
	if (url_parse(person->arena, l->forward_to, &url, &err) != ERR_NONE)
		return person_say_wrong(person, "--forward-to is no http or https address: %s",
					err.text);
	if (!str_is_empty(url.userinfo) || url.has_fragment)
		return person_say_wrong(person, "--forward-to must have no user and no fragment");
	return PERSON_DONE;
}

static enum person_status check_secret(struct listening *l)
{
	struct person *person = l->person;
	l->secret = person->secret;
	l->made_secret = str_is_empty(l->secret);
	if (l->made_secret)
		l->secret = webhook_secret_make(person->arena, person->random);
	if (str_is_empty(webhook_signature(person->arena, l->secret, STR("id"), 0, STR(""))))
		return person_say_wrong(person, "POSTHORN_WEBHOOK_SECRET is no webhook secret: "
						"whsec_ and a key in base64");
	return PERSON_DONE;
}

static enum person_status check(struct listening *l)
{
	struct person *person = l->person;
	const char *after = person_flag_text(person->flags, PERSON_FLAG_after);
	if (after != NULL && (!str_parse_i64(str_of(after), &l->cursor) || l->cursor < 0))
		return person_say_wrong(person, "--after must be the seq of an event, or 0");
	enum person_status status = check_address(l);
	if (status == PERSON_DONE)
		status = person_event_read(person, &l->wanted);
	return status == PERSON_DONE ? check_secret(l) : status;
}

/* ---- where to begin ---- */

static enum err_kind fetch(struct listening *l, int64_t after, int limit,
			   struct person_answer *answer, struct error *err)
{
	struct person *person = l->person;
	arena_clear(person->scratch);
	const struct str path = str_format(person->scratch, "/v1/events?after=%lld&limit=%d",
					   (long long)after, limit);
	return person_get(person, person->scratch, path, answer, err);
}

/* The first event after that one: *seq_out, or 0 when there is none; *is_last: nothing follows. */
static enum person_status first_after(struct listening *l, int64_t after, int64_t *seq_out,
				      bool *is_last)
{
	struct person_answer answer = {0};
	struct error err = {0};
	if (fetch(l, after, 1, &answer, &err) != ERR_NONE)
		return person_say_failed(l->person, "%s", err.text);
	if (answer.status != 200)
		return person_say_refusal(l->person, &answer);
	const struct json *row = json_at(json_get(answer.json, "data"), 0);
	*seq_out = json_int(json_get(row, "seq"), 0);
	*is_last = !json_bool(json_get(json_get(answer.json, "meta"), "has_more"), false);
	return PERSON_DONE;
}

/* The newest event, found by doubling and halving: to read all of a month would take too long. */
static enum person_status find_newest(struct listening *l)
{
	int64_t low = 0;          /* an event that is there, or 0 */
	int64_t high = INT64_MAX; /* no event is after it */
	int64_t step = 0;
	while (low < high) {
		const int64_t at = high == INT64_MAX ? low + step : low + (high - low) / 2;
		int64_t seq = 0;
		bool is_last = false;
		const enum person_status status = first_after(l, at, &seq, &is_last);
		if (status != PERSON_DONE)
			return status;
		low = seq != 0 ? seq : low;
		high = seq == 0 ? at : is_last ? seq : high;
		step = step == 0 ? 1 : 2 * step;
	}
	l->cursor = low;
	return PERSON_DONE;
}

/* ---- one event ---- */

static void say_result(struct listening *l, const struct json *event, int status, struct str why)
{
	struct person *person = l->person;
	FILE *out = person_wants_json(person) ? person->err : person->out;
	const struct str at = json_string(json_get(event, "timestamp"));
	person_print_text(out, str_slice(at, AT_BEGIN, AT_END));
	fputs("  ", out);
	person_print_text(out, json_string(json_get(event, "type")));
	fprintf(out, "  seq %lld  ", (long long)json_int(json_get(event, "seq"), 0));
	if (status != 0)
		fprintf(out, "-> %d\n", status);
	else
		fprintf(out, "-> no answer: " STR_FMT "\n", STR_ARG(why));
	fflush(out);
}

static struct str body_of(struct listening *l, const struct json *event)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, l->person->scratch, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_put_value(&w, event);
	return out.is_over ? STR("") : buf_str(&out);
}

static void forward(struct listening *l, const struct json *event)
{
	struct person *person = l->person;
	struct arena *arena = person->scratch;
	const struct str id = json_string(json_get(event, "id"));
	const struct str body = body_of(l, event);
	const int64_t at_s = clock_now_us(person->clock) / US_PER_S;
	const struct transfer_header headers[] = {
		{STR("Content-Type"), STR("application/json")},
		{STR("webhook-id"), id},
		{STR("webhook-timestamp"), str_format(arena, "%lld", (long long)at_s)},
		{STR("webhook-signature"), webhook_signature(arena, l->secret, id, at_s, body)},
	};
	int status = 0;
	struct str why = STR("");
	if (person_wants_json(person)) {
		fwrite(body.ptr, 1, body.len, person->out);
		fputc('\n', person->out);
		fflush(person->out);
	}
	person_call_hook(person, arena, l->forward_to, headers, COUNT_OF(headers), body, &status,
			 &why);
	say_result(l, event, status, why);
}

static bool is_wanted(const struct listening *l, const struct json *event)
{
	const enum event_kind kind = event_kind_of_name(json_string(json_get(event, "type")));
	/* an event that a newer service has and this program does not know */
	if (kind == EVENT_KIND_COUNT)
		return l->wanted == EVENT_MASK_ALL;
	return (l->wanted & INT64_C(1) << kind) != 0;
}

/* ---- the loop ---- */

static void begin(struct listening *l)
{
	struct person *person = l->person;
	FILE *out = person_wants_json(person) ? person->err : person->out;
	fprintf(out, "Events of " STR_FMT " go to " STR_FMT " (Ctrl-C ends it).\n",
		STR_ARG(person->url), STR_ARG(l->forward_to));
	if (l->made_secret)
		fprintf(out, "Signing secret: " STR_FMT "\n", STR_ARG(l->secret));
	fflush(out);
}

/* False: the run ends with *status_out. *pause_ms_out: how long to wait before the next. */
static bool take_page(struct listening *l, int64_t *pause_ms_out, enum person_status *status_out)
{
	struct person *person = l->person;
	struct person_answer answer = {0};
	struct error err = {0};
	const enum err_kind kind = fetch(l, l->cursor, PAGE_EVENTS, &answer, &err);
	*pause_ms_out = SILENT_PAUSE_MS;
	if (kind != ERR_NONE || answer.status >= 500) {
		if (!l->is_silent && person->nap(person->context, 0))
			fprintf(person->err, "posthorn: the service does not answer; waiting for "
					     "it\n");
		l->is_silent = true;
		return true;
	}
	if (answer.status != 200) {
		*status_out = person_say_refusal(person, &answer);
		return false;
	}
	if (l->is_silent)
		fprintf(person->err, "posthorn: the service answers again\n");
	l->is_silent = false;
	const struct json *events = json_get(answer.json, "data");
	for (size_t i = 0; json_at(events, i) != NULL && person->nap(person->context, 0); i++) {
		const struct json *event = json_at(events, i);
		l->cursor = json_int(json_get(event, "seq"), l->cursor);
		if (is_wanted(l, event))
			forward(l, event);
	}
	const bool has_more = json_bool(json_get(json_get(answer.json, "meta"), "has_more"), false);
	*pause_ms_out = has_more ? 0 : PAUSE_MS;
	return true;
}

enum person_status person_verb_listen(struct person *person)
{
	struct listening l = {.person = person};
	enum person_status status = check(&l);
	int64_t pause_ms = 0;
	if (status == PERSON_DONE && !person_flag_is_given(person->flags, PERSON_FLAG_after))
		status = find_newest(&l);
	if (status != PERSON_DONE)
		return status;
	begin(&l);
	while (person->nap(person->context, pause_ms)) {
		if (!take_page(&l, &pause_ms, &status))
			return status;
	}
	return PERSON_DONE;
}
