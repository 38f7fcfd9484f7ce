/* SPDX-License-Identifier: Apache-2.0
 * See person_fetch.h. */
#include "person_fetch.h"

#include "buf.h"

#include "form.h"

#include "person_call.h"
#include "person_print.h"

#define QUERY_MAX_BYTES ((size_t)1 << 20)

enum person_status person_fetch(struct person *person, struct str path,
				struct person_answer *answer_out)
{
	struct error err = {0};
	if (person_get(person, person->arena, path, answer_out, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	return answer_out->status == 200 ? PERSON_DONE : person_say_refusal(person, answer_out);
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

struct str person_fetch_word_path(struct person *person, const char *head, const char *tail)
{
	struct buf path;
	buf_init(&path, person->arena, QUERY_MAX_BYTES);
	buf_add_z(&path, head);
	percent_encode(&path, str_of(person->flags->word));
	buf_add_z(&path, tail);
	return buf_str(&path);
}
