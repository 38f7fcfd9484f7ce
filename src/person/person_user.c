/* SPDX-License-Identifier: Apache-2.0
 * The verbs export and erase: what is stored about one of the app's users (api-decisions.md 17). */
#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json.h"

#include "person_call.h"
#include "person_fetch.h"
#include "person_print.h"

#define PATH_MAX_BYTES 4096

static const char users[] = "/v1/users/";

enum person_status person_verb_export(struct person *person)
{
	static const struct person_filter filters[] = {
		{PERSON_FLAG_page, "page"},
		{PERSON_FLAG_per_page, "per_page"},
	};
	struct person_answer answer = {0};
	const struct str path = person_fetch_list_path(
		person, person_fetch_word_path(person, users, ""), filters, COUNT_OF(filters));
	const enum person_status status = person_fetch(person, path, &answer);
	if (status == PERSON_DONE)
		person_print_json(person, &answer);
	return status;
}

static struct str erase_path(struct person *person, struct str confirm)
{
	struct buf out;
	buf_init(&out, person->arena, PATH_MAX_BYTES);
	buf_add(&out, person_fetch_word_path(person, users, "?confirm="));
	percent_encode(&out, confirm);
	return buf_str(&out);
}

static void print_erasing(struct person *person, const struct json *data)
{
	const struct json *erasing = json_get(data, "erasing");
	fprintf(person->out,
		"Erasing: %lld accounts, %lld connections, %lld posts. The event user.erased says "
		"when it is done.\n",
		(long long)json_int(json_get(erasing, "accounts"), 0),
		(long long)json_int(json_get(erasing, "connections"), 0),
		(long long)json_int(json_get(erasing, "posts"), 0));
}

enum person_status person_verb_erase(struct person *person)
{
	const char *confirm = person_flag_at(person->flags, PERSON_FLAG_confirm, 0);
	struct person_answer answer = {0};
	struct error err = {0};
	if (confirm == NULL || strcmp(confirm, person->flags->word) != 0)
		return person_say_wrong(person,
					"erasing cannot be undone: give the user's id once more, "
					"as --confirm %s",
					person->flags->word);
	/* A second time is 202 too. */
	const struct person_request request = {.method = "DELETE",
					       .path = erase_path(person, str_of(confirm)),
					       .is_repeatable = true};
	if (person_call(person, person->arena, &request, &answer, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	if (answer.status != 202)
		return person_say_refusal(person, &answer);
	if (person_wants_json(person))
		person_print_json(person, &answer);
	else
		print_erasing(person, json_get(answer.json, "data"));
	return PERSON_DONE;
}
