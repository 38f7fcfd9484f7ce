/* SPDX-License-Identifier: Apache-2.0
 * Collecting problems and warnings, never more than PROBLEMS_MAX of each. The lists grow by
 * doubling in the arena. */
#include "problem.h"

#include "arena.h"

#define LIST_START 8

void problems_init(struct problems *problems, struct arena *arena)
{
	*problems = (struct problems){.arena = arena};
}

/* Sizes are powers of two from LIST_START on, so the capacity follows from the count. */
static bool list_is_full(size_t count)
{
	return count == 0 || (count >= LIST_START && (count & (count - 1)) == 0);
}

static void *list_grow(struct arena *arena, const void *items, size_t count, size_t size_bytes)
{
	const size_t capacity = count == 0 ? LIST_START : count * 2;
	void *grown = arena_alloc_array(arena, capacity, size_bytes);
	if (count > 0)
		memcpy(grown, items, count * size_bytes);
	return grown;
}

/* The last kept problem of a higher kind, or NULL: it gives way, so that the kind that names the
 * answer is never lost. */
static struct problem *least_important(struct problems *problems, enum problem_kind kind)
{
	for (size_t i = problems->count; i > 0; i--) {
		if (problems->items[i - 1].kind > kind)
			return &problems->items[i - 1];
	}
	return NULL;
}

static void add(struct problems *problems, struct problem problem)
{
	problems->seen_count++;
	if (problems->count == PROBLEMS_MAX) {
		struct problem *other = least_important(problems, problem.kind);
		if (other != NULL)
			*other = problem;
		return;
	}
	if (list_is_full(problems->count))
		problems->items = list_grow(problems->arena, problems->items, problems->count,
					    sizeof(*problems->items));
	problems->items[problems->count++] = problem;
}

void problem_add(struct problems *problems, enum problem_kind kind, struct str field,
		 const char *reason, struct str message)
{
	add(problems, (struct problem){
			      .kind = kind,
			      .field = field,
			      .message = message,
			      .reason = str_of(reason),
			      .limit = -1,
			      .actual = -1,
		      });
}

void problem_add_rule(struct problems *problems, struct str field, const char *reason,
		      struct str account_id, int64_t limit, int64_t actual, struct str message)
{
	add(problems, (struct problem){
			      .kind = PROBLEM_RULE,
			      .field = field,
			      .message = message,
			      .reason = str_of(reason),
			      .account_id = account_id,
			      .limit = limit,
			      .actual = actual,
		      });
}

void problem_add_account(struct problems *problems, struct str field, const char *reason,
			 struct str account_id, struct str message)
{
	add(problems, (struct problem){
			      .kind = PROBLEM_ACCOUNT,
			      .field = field,
			      .message = message,
			      .reason = str_of(reason),
			      .account_id = account_id,
			      .limit = -1,
			      .actual = -1,
		      });
}

void problem_add_whole(struct problems *problems, const struct problem *problem)
{
	add(problems, *problem);
}

/* Two accounts on one platform say the same of one option: once is enough. */
static bool warning_is_there(const struct problems *problems, struct str field, const char *code)
{
	for (size_t i = 0; i < problems->warning_count; i++) {
		if (str_equal(problems->warnings[i].field, field) &&
		    str_equal_z(problems->warnings[i].code, code))
			return true;
	}
	return false;
}

void warning_add(struct problems *problems, struct str field, const char *code, struct str message)
{
	if (problems->warning_count == PROBLEMS_MAX || warning_is_there(problems, field, code))
		return;
	if (list_is_full(problems->warning_count))
		problems->warnings =
			list_grow(problems->arena, problems->warnings, problems->warning_count,
				  sizeof(*problems->warnings));
	problems->warnings[problems->warning_count++] = (struct warning){
		.field = field,
		.code = str_of(code),
		.message = message,
	};
}
