/* SPDX-License-Identifier: Apache-2.0
 * The verb events: the feed as a table. listen follows it. */
#include "arena.h"
#include "count_of.h"

#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

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
	const struct str type = json_get_string(event, "type");
	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		const struct str id = json_get_string(json_get(event, "data"), subjects[i].member);
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
		return json_get_string(data, "status");
	return str_format(arena, STR_FMT " " STR_FMT, STR_ARG(json_get_string(target, "platform")),
			  STR_ARG(json_get_string(target, "status")));
}

static void add_event(struct person_table *table, const struct json *event)
{
	struct arena *arena = table->arena;
	const long long seq = (long long)json_int(json_get(event, "seq"), 0);
	person_table_add(table, (struct str[]){str_format(arena, "%lld", seq),
					       person_print_instant(
						       arena, json_get_string(event, "timestamp")),
					       json_get_string(event, "type"),
					       result_of(arena, event), subject_of(arena, event)});
}

enum person_status person_verb_events(struct person *person)
{
	static const struct person_filter filters[] = {
		{PERSON_FLAG_after, "after"},
		{PERSON_FLAG_limit, "limit"},
	};
	static const char *const heads[] = {"SEQ", "WHEN", "EVENT", "RESULT", "ABOUT"};
	enum person_status status;
	const struct str path =
		person_fetch_list_path(person, STR("/v1/events"), filters, COUNT_OF(filters));
	const struct person_answer *answer = person_fetch_shown(person, path, &status);
	if (answer == NULL)
		return status;
	const struct json *meta = json_get(answer->json, "meta");
	person_print_list(person, json_get(answer->json, "data"), heads, COUNT_OF(heads),
			  add_event);
	if (json_bool(json_get(meta, "has_more"), false)) {
		fputs("later ones: posthorn events --after ", person->out);
		person_print_text(person->out, json_get_string(meta, "next_cursor"));
		fputc('\n', person->out);
	}
	return PERSON_DONE;
}
