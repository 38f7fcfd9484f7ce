/* SPDX-License-Identifier: Apache-2.0
 * See person_fetch.h. */
#include "person_fetch.h"

#include "arena.h"
#include "buf.h"

#include "form.h"
#include "json_write.h"

#include "person_call.h"
#include "person_print.h"

#define QUERY_MAX_BYTES ((size_t)1 << 20)
#define BODY_MAX_BYTES ((size_t)1 << 20)

enum person_status person_fetch_call(struct person *person, const struct person_request *request,
				     int wanted, struct person_answer *answer_out)
{
	struct error err = {0};
	if (person_call(person, person->arena, request, answer_out, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return answer_out->status == wanted ? PERSON_DONE : person_say_refusal(person, answer_out);
}

enum person_status person_fetch(struct person *person, struct str path,
				struct person_answer *answer_out)
{
	const struct person_request request = {
		.method = "GET", .path = path, .is_repeatable = true};
	return person_fetch_call(person, &request, 200, answer_out);
}

const struct person_answer *person_fetch_shown(struct person *person, struct str path,
					       enum person_status *status_out)
{
	struct person_answer *answer = arena_alloc(person->arena, sizeof(*answer));
	*status_out = person_fetch(person, path, answer);
	if (*status_out != PERSON_DONE)
		return NULL;
	if (!person_wants_json(person))
		return answer;
	person_print_json(person, answer);
	return NULL;
}

struct str person_fetch_list_path(struct person *person, struct str path,
				  const struct person_filter *filters, size_t count)
{
	struct buf query;
	buf_init(&query, person->arena, QUERY_MAX_BYTES);
	for (size_t i = 0; i < count; i++) {
		const char *value;
		for (size_t j = 0;
		     (value = person_flag_at(person->flags, filters[i].flag, j)) != NULL; j++)
			form_add(&query, filters[i].parameter, str_of(value));
	}
	return str_format(person->arena, STR_FMT "%s" STR_FMT, STR_ARG(path),
			  query.len > 0 ? "?" : "", STR_ARG(buf_str(&query)));
}

struct str person_fetch_path(struct arena *arena, const char *head, struct str word,
			     const char *tail)
{
	struct buf path;
	buf_init(&path, arena, QUERY_MAX_BYTES);
	buf_add_z(&path, head);
	percent_encode(&path, word);
	buf_add_z(&path, tail);
	return buf_str(&path);
}

struct str person_fetch_word_path(struct person *person, const char *head, const char *tail)
{
	return person_fetch_path(person->arena, head, str_of(person->flags->word), tail);
}

struct str person_fetch_accounts_body(struct person *person)
{
	struct buf out;
	struct json_writer w;
	const char *account;
	buf_init(&out, person->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	if (person_flag_is_given(person->flags, PERSON_FLAG_account)) {
		json_key(&w, "account_ids");
		json_begin_array(&w);
		for (size_t i = 0;
		     (account = person_flag_at(person->flags, PERSON_FLAG_account, i)) != NULL; i++)
			json_put_str(&w, str_of(account));
		json_end_array(&w);
	}
	if (person_flag_is_given(person->flags, PERSON_FLAG_republish))
		json_member_bool(&w, "republish", true);
	json_end_object(&w);
	return buf_str(&out);
}
