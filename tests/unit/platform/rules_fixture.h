/* SPDX-License-Identifier: Apache-2.0
 * What the tests of platform rules share: a post from its JSON, and the rules it breaks as text. */
#pragma once

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"

#include "platform.h"
#include "problem.h"
#include "publish_request.h"

#include "rules.h"

struct rules_row {
	const char *body; /* JSON; {281*a} stands for 281 times a */
	/* "field reason limit actual" of every problem, "! field code" of every warning, one a
	 * line */
	const char *want;
};

/* "{281*a}" written out. */
static struct str rules_spelled(struct arena *arena, const char *body)
{
	struct str rest = str_of(body);
	struct buf out;
	buf_init(&out, arena, 1024 * 1024);
	while (!str_is_empty(rest)) {
		struct str try = rest, item = {0};
		uint64_t count = 0;
		if (str_skip(&try, STR("{")) && str_take_u64(&try, 6, &count) &&
		    str_skip(&try, STR("*")) && str_take_until(&try, '}', &item)) {
			for (uint64_t i = 0; i < count; i++)
				buf_add(&out, item);
			rest = str_slice(try, 1, try.len);
			continue;
		}
		buf_add_char(&out, rest.ptr[0]);
		rest = str_slice(rest, 1, rest.len);
	}
	return buf_str(&out);
}

static struct post_content rules_post(struct arena *arena, const char *body)
{
	const struct json *json = NULL;
	struct publish_request request;
	struct problems problems;
	struct error err = {0};
	problems_init(&problems, arena);
	if (json_parse(arena, rules_spelled(arena, body), NULL, &json, NULL, &err) != ERR_NONE)
		fail_msg("%s: %s", err.text, body);
	publish_request_read(arena, json, (struct str){0}, 0, NULL, &request, &problems);
	for (size_t i = 0; i < problems.count; i++) {
		if (!str_equal_z(problems.items[i].field, "account_ids"))
			fail_msg("not a request: %s: " STR_FMT, body,
				 STR_ARG(problems.items[i].field));
	}
	return request.content;
}

static struct str rules_told(struct arena *arena, enum platform_id platform, const char *body)
{
	const struct post_content post = rules_post(arena, body);
	struct problems problems;
	struct buf out;
	problems_init(&problems, arena);
	rules_check(arena, platform_of(platform), &post, &(struct rules_account){.id = STR("acc")},
		    &problems);
	buf_init(&out, arena, 1024 * 1024);
	for (size_t i = 0; i < problems.count; i++) {
		const struct problem *p = &problems.items[i];
		assert_int_equal(p->kind, PROBLEM_RULE);
		assert_true(str_equal_z(p->account_id, "acc"));
		assert_true(str_has_suffix(p->message, STR(".")));
		buf_addf(&out, "%s" STR_FMT " " STR_FMT " %d %d", out.len > 0 ? "\n" : "",
			 STR_ARG(p->field), STR_ARG(p->reason), (int)p->limit, (int)p->actual);
	}
	for (size_t i = 0; i < problems.warning_count; i++)
		buf_addf(&out, "%s! " STR_FMT " " STR_FMT, out.len > 0 ? "\n" : "",
			 STR_ARG(problems.warnings[i].field), STR_ARG(problems.warnings[i].code));
	return buf_str(&out);
}

static inline void rules_check_rows(enum platform_id platform, const struct rules_row *rows,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct arena *arena = arena_new("rules", 64 * 1024 * 1024);
		const struct str got = rules_told(arena, platform, rows[i].body);
		if (!str_equal_z(got, rows[i].want))
			fail_msg("%s\nwant: %s\ngot:  " STR_FMT, rows[i].body, rows[i].want,
				 STR_ARG(got));
		arena_free(&arena);
	}
}

#define CHECK_RULES(platform, rows) rules_check_rows((platform), (rows), COUNT_OF(rows))
#define IMAGE "{\"url\":\"https://cdn.example/a.jpg\",\"type\":\"image\"}"
#define VIDEO "{\"url\":\"https://cdn.example/a.mp4\",\"type\":\"video\"}"
