/* SPDX-License-Identifier: Apache-2.0
 * The verb events: the feed as a table. listen follows it. */
#include "arena.h"
#include "count_of.h"

#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

static struct str text_of(const struct json *object, const char *key)
{
	return json_string(json_get(object, key));
}

/* Which member of its data an event is about, by the beginning of its type. */
static const struct {
	const char *type;
	const char *what;
	const char *member;
} subjects[] = {
	{"post.", "post", "id"},
	{"connection.", "connection", "connection_id"},
	{"account.", "account", "id"},
	{"test", "webhook", "webhook_id"},
};

static struct str subject_of(struct arena *arena, const struct json *event)
{
	const struct str type = text_of(event, "type");
	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		const struct str id = text_of(json_get(event, "data"), subjects[i].member);
		if (str_has_prefix(type, str_of(subjects[i].type)) && !str_is_empty(id))
			return str_format(arena, "%s " STR_FMT, subjects[i].what, STR_ARG(id));
	}
	return STR("");
}

/* "x published", "success", "reauth_required" */
static struct str result_of(struct arena *arena, const struct json *event)
{
	const struct json *data = json_get(event, "data");
	const struct json *target = json_get(data, "platform_post");
	if (!json_is(target, JSON_TYPE_OBJECT))
		return text_of(data, "status");
	return str_format(arena, STR_FMT " " STR_FMT, STR_ARG(text_of(target, "platform")),
			  STR_ARG(text_of(target, "status")));
}

static void print_events(struct person *person, const struct json *data)
{
	static const char *const heads[] = {"SEQ", "WHEN", "EVENT", "RESULT", "ABOUT"};
	struct arena *arena = person->arena;
	struct person_table table;
	person_table_begin(&table, arena, heads, COUNT_OF(heads), data != NULL ? data->count : 0);
	for (size_t i = 0; json_at(data, i) != NULL; i++) {
		const struct json *event = json_at(data, i);
		const long long seq = (long long)json_int(json_get(event, "seq"), 0);
		person_table_add(
			&table,
			(struct str[]){str_format(arena, "%lld", seq),
				       person_print_instant(arena, text_of(event, "timestamp")),
				       text_of(event, "type"), result_of(arena, event),
				       subject_of(arena, event)});
	}
	person_table_print(person->out, &table, "");
}

enum person_status person_verb_events(struct person *person)
{
	static const struct person_filter filters[] = {
		{PERSON_FLAG_after, "after"},
		{PERSON_FLAG_limit, "limit"},
	};
	struct person_answer answer = {0};
	const struct str path =
		person_fetch_list_path(person, STR("/v1/events"), filters, COUNT_OF(filters));
	const enum person_status status = person_fetch(person, path, &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	const struct json *meta = json_get(answer.json, "meta");
	print_events(person, json_get(answer.json, "data"));
	if (json_bool(json_get(meta, "has_more"), false)) {
		fputs("later ones: posthorn events --after ", person->out);
		person_print_text(person->out, text_of(meta, "next_cursor"));
		fputc('\n', person->out);
	}
	return PERSON_DONE;
}
