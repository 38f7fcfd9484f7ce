/* SPDX-License-Identifier: Apache-2.0
 * The verbs drafts, drafts show, create, change, delete, reject and publish. */
#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "person_body.h"
#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"
#include "person_targets.h"

#define BODY_MAX_BYTES ((size_t)1 << 20)
#define TEXT_COLUMNS 48

static struct str draft_path(struct person *person, const char *tail)
{
	return person_fetch_word_path(person, "/v1/drafts/", tail);
}

/* ---- what is shown ---- */

static struct str text_of(const struct json *draft)
{
	const struct json *first = json_at(json_get(draft, "containers"), 0);
	return first != NULL ? json_get_string(first, "content")
			     : json_get_string(draft, "content");
}

static struct str review_of(struct arena *arena, const struct json *draft)
{
	const struct json *review = json_get(draft, "review");
	const struct str reason = json_get_string(review, "reason");
	if (str_is_empty(reason))
		return json_get_string(review, "state");
	return str_concat(arena, STR("rejected: "), reason);
}

static struct str problems_of(struct arena *arena, const struct json *draft)
{
	const struct json *problems = json_get(draft, "problems");
	const size_t count = problems != NULL ? problems->count : 0;
	return count == 0 ? STR("none") : str_format(arena, "%zu", count);
}

static void print_draft(struct person *person, const struct json *draft)
{
	const struct json *problems = json_get(draft, "problems");
	const struct json *problem;
	person_print_line(person, "Draft", json_get_string(draft, "id"));
	person_print_line(person, "Text", text_of(draft));
	person_print_line(person, "At", json_get_string(draft, "scheduled_at"));
	person_print_line(person, "By", json_get_string(draft, "created_by"));
	person_print_line(person, "Review", review_of(person->arena, draft));
	for (size_t i = 0; (problem = json_at(problems, i)) != NULL; i++)
		person_print_line(person, "Problem",
				  str_format(person->arena, STR_FMT " (" STR_FMT ")",
					     STR_ARG(json_get_string(problem, "message")),
					     STR_ARG(json_get_string(problem, "field"))));
}

static enum person_status show_answer(struct person *person, const struct person_request *request,
				      int wanted)
{
	struct person_answer answer = {0};
	const enum person_status status = person_fetch_call(person, request, wanted, &answer);
	if (status != PERSON_DONE)
		return status;
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		print_draft(person, json_get(answer.json, "data"));
	return PERSON_DONE;
}

/* ---- list and show ---- */

static void add_draft(struct person_table *table, const struct json *draft)
{
	person_table_add(
		table,
		(struct str[]){person_print_short(table->arena, text_of(draft), TEXT_COLUMNS),
			       person_print_short(table->arena, review_of(table->arena, draft),
						  TEXT_COLUMNS),
			       problems_of(table->arena, draft), json_get_string(draft, "id")});
}

enum person_status person_verb_drafts(struct person *person)
{
	static const char *const heads[] = {"TEXT", "REVIEW", "PROBLEMS", "ID"};
	static const struct person_filter filters[] = {{PERSON_FLAG_page, "page"},
						       {PERSON_FLAG_per_page, "per_page"}};
	enum person_status status;
	const struct str path =
		person_fetch_list_path(person, STR("/v1/drafts"), filters, COUNT_OF(filters));
	const struct person_answer *answer = person_fetch_shown(person, path, &status);
	if (answer == NULL)
		return status;
	person_print_list(person, json_get(answer->json, "data"), heads, COUNT_OF(heads),
			  add_draft);
	person_print_page(person, json_get(answer->json, "meta"), "draft");
	return status;
}

enum person_status person_verb_drafts_show(struct person *person)
{
	const struct person_request request = {
		.method = "GET", .path = draft_path(person, ""), .is_repeatable = true};
	return show_answer(person, &request, 200);
}

/* ---- writing ---- */

enum person_status person_verb_drafts_create(struct person *person)
{
	struct person_body *body = ARENA_NEW(person->arena, struct person_body);
	struct person_targets *targets = ARENA_NEW(person->arena, struct person_targets);
	enum person_status status = person_targets_check(person);
	if (status == PERSON_DONE)
		status = person_body_check(person, body);
	if (status == PERSON_DONE)
		status = person_targets_find(person, targets);
	if (status == PERSON_DONE)
		status = person_body_upload(person);
	if (status != PERSON_DONE)
		return status;
	const struct person_request request = {
		.method = "POST",
		.path = STR("/v1/drafts"),
		.body = person_body_write(person, body, targets, STR(""))};
	return show_answer(person, &request, 201);
}

/* An object with the members that are not empty. */
static struct str write_body(struct person *person, const char *first, struct str first_text,
			     struct str scheduled_at)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	if (first != NULL)
		json_member_str(&w, first, first_text);
	if (!str_is_empty(scheduled_at))
		json_member_str(&w, "scheduled_at", scheduled_at);
	json_end_object(&w);
	return buf_str(&out);
}

enum person_status person_verb_drafts_change(struct person *person)
{
	const char *text = person_flag_text(person->flags, PERSON_FLAG_text);
	struct str instant = STR("");
	if (text == NULL && !person_flag_is_given(person->flags, PERSON_FLAG_at))
		return person_say_wrong(person,
					"say what changes: --text TEXT, --at TIME, or both");
	const enum person_status status = person_body_read_time(person, &instant);
	if (status != PERSON_DONE)
		return status;
	const struct person_request request = {
		.method = "PATCH",
		.path = draft_path(person, ""),
		.body = write_body(person, text != NULL ? "content" : NULL,
				   str_of(text != NULL ? text : ""), instant),
		.is_repeatable = true};
	return show_answer(person, &request, 200);
}

enum person_status person_verb_drafts_delete(struct person *person)
{
	const struct person_request request = {.method = "DELETE", .path = draft_path(person, "")};
	struct person_answer answer = {0};
	const enum person_status status = person_fetch_call(person, &request, 204, &answer);
	if (status == PERSON_DONE && !person_wants_json(person))
		fprintf(person->out, "Deleted: draft %s.\n", person->flags->word);
	return status;
}

enum person_status person_verb_drafts_reject(struct person *person)
{
	const char *reason = person_flag_text(person->flags, PERSON_FLAG_reason);
	if (reason == NULL)
		return person_say_wrong(person, "say why: --reason TEXT");
	const struct person_request request = {
		.method = "POST",
		.path = draft_path(person, "/reject"),
		.body = write_body(person, "reason", str_of(reason), STR(""))};
	return show_answer(person, &request, 200);
}

/* Repeated after a lost answer, it is told the post that the first one made. */
enum person_status person_verb_drafts_publish(struct person *person)
{
	struct str instant = STR("");
	struct person_answer answer = {0};
	enum person_status status = person_body_read_time(person, &instant);
	if (status != PERSON_DONE)
		return status;
	const struct person_request request = {.method = "POST",
					       .path = draft_path(person, "/publish"),
					       .body = write_body(person, NULL, STR(""), instant)};
	status = person_fetch_call(person, &request, 202, &answer);
	if (status != PERSON_DONE)
		return status;
	const struct str id = json_get_string(json_get(answer.json, "data"), "post_id");
	if (person_wants_json(person)) {
		person_print_json(person, &answer);
		return PERSON_DONE;
	}
	fputs("Accepted: post ", person->out);
	person_print_text(person->out, id);
	fputs("; see posthorn show ", person->out);
	person_print_text(person->out, id);
	fputs(" --wait\n", person->out);
	return PERSON_DONE;
}
