/* SPDX-License-Identifier: Apache-2.0
 * What people read: nothing in it takes over a terminal, tables stand straight. */
#include "person_fixture.h"

#include "json.h"

#include "person_call.h"
#include "person_print.h"

static void texts_are_harmless(void **state)
{
	struct desk *desk = *state;
	person_print_text(desk->person.out,
			  STR("a\x1b[31m\nb\tc\x7f\xc2\x9b\xe2\x80\xae\xff \xe6\x97\xa5"));
	fflush(desk->person.out);
	assert_string_equal(desk->out, "a [31m b c   ? \xe6\x97\xa5");
}

static void widths(void **state)
{
	struct desk *desk = *state;
	struct arena *arena = desk->person.arena;
	assert_string_equal(str_z(arena, person_print_short(arena, STR("abcdefgh"), 8)),
			    "abcdefgh");
	/* a combining mark takes no column */
	assert_string_equal(str_z(arena, person_print_short(arena, STR("abcdefge\xcc\x81"), 8)),
			    "abcdefge\xcc\x81");
	assert_string_equal(str_z(arena, person_print_short(arena, STR("abcdefghi"), 8)),
			    "abcde...");
	assert_string_equal(
		str_z(arena, person_print_short(arena,
						STR("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"
						    "abc"),
						6)),
		"\xe6\x97\xa5...");
}

static void lines_pages_and_instants(void **state)
{
	struct desk *desk = *state;
	const struct json *meta = NULL;
	struct arena *arena = desk->person.arena;
	assert_int_equal(json_parse(arena, STR("{\"current_page\":2,\"last_page\":3,\"total\":41}"),
				    NULL, &meta, NULL, NULL),
			 ERR_NONE);
	person_print_line(&desk->person, "Post", STR("a\x1b"));
	person_print_line(&desk->person, "User", STR(""));
	person_print_page(&desk->person, meta, "post");
	fflush(desk->person.out);
	assert_string_equal(desk->out, "Post        a \nUser        -\npage 2 of 3, 41 posts\n");
	assert_string_equal(
		str_z(arena, person_print_instant(arena, STR("2027-01-15T08:00:00.5Z"))),
		"2027-01-15T08:00:00Z");
	assert_string_equal(str_z(arena, person_print_instant(arena, STR("2027-01-15T08:00:00Z"))),
			    "2027-01-15T08:00:00Z");
}

static void a_table(void **state)
{
	static const char *const heads[] = {"A", "LONG", "C"};
	struct desk *desk = *state;
	struct person_table table;
	person_table_begin(&table, desk->person.arena, heads, 3, 2);
	person_table_add(&table, (struct str[]){STR("wide\n one"), STR(""), STR("x")});
	person_table_add(&table, (struct str[]){STR("\xe6\x97\xa5"), STR("b"), STR("yy")});
	person_table_add(&table, (struct str[]){STR("no"), STR("room"), STR("left")});
	person_table_print(desk->person.out, &table, "  ");
	fflush(desk->person.out);
	assert_string_equal(desk->out, "  A          LONG  C\n"
				       "  wide  one  -     x\n"
				       "  \xe6\x97\xa5         b     yy\n");
}

static struct person_answer answer_of(struct desk *desk, int status, const char *text)
{
	struct person_answer answer = {.status = status, .body = str_of(text)};
	assert_int_equal(
		json_parse(desk->person.arena, answer.body, NULL, &answer.json, NULL, NULL),
		ERR_NONE);
	return answer;
}

static void refusals(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "posts");
	struct person_answer answer =
		answer_of(desk, 422,
			  "{\"message\":\"No page.\",\"error\":\"VALIDATION_ERROR\","
			  "\"errors\":{\"page\":[\"No page.\"]}}");
	assert_int_equal(person_say_refusal(&desk->person, &answer), PERSON_FAILED);
	answer = answer_of(desk, 422,
			   "{\"message\":\"A. (and 1 more error)\",\"error\":\"V\","
			   "\"errors\":{\"a\":[\"A.\"],\"b\":[\"B.\"]}}");
	person_say_refusal(&desk->person, &answer);
	answer = answer_of(desk, 401, "{\"message\":\"M.\",\"error\":\"UNAUTHENTICATED\"}");
	person_say_refusal(&desk->person, &answer);
	answer = answer_of(desk, 403,
			   "{\"message\":\"M.\",\"error\":\"INSUFFICIENT_SCOPE\","
			   "\"details\":{\"required\":\"publish\"}}");
	person_say_refusal(&desk->person, &answer);
	answer = answer_of(desk, 500, "{}");
	person_say_refusal(&desk->person, &answer);
	fflush(desk->person.err);
	desk_said(desk->err, "posthorn: No page. (VALIDATION_ERROR, page)\nposthorn: A. (and");
	desk_said(desk->err, "(V)\n  a: A.\n  b: B.\nposthorn: M. (UNAUTHENTICATED)\n  POSTHORN_T");
	desk_said(desk->err, "(INSUFFICIENT_SCOPE)\n  missing scope of the key: publish\n");
	desk_said(desk->err, "posthorn: The service refused. (no code)\n");
	fflush(desk->person.out);
	assert_int_equal(desk->out_size, 0);
}

static void for_programs(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "posts", "--json");
	const struct person_answer answer = answer_of(desk, 404, "{\"error\":\"NOT_FOUND\"}");
	assert_int_equal(person_say_refusal(&desk->person, &answer), PERSON_FAILED);
	person_print_json(&desk->person, &(struct person_answer){.status = 204});
	fflush(desk->person.out);
	fflush(desk->person.err);
	assert_string_equal(desk->out, "{\"error\":\"NOT_FOUND\"}\n");
	assert_int_equal(desk->err_size, 0);
}

static void what_is_said(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "connect", "x");
	assert_int_equal(person_say_wrong(&desk->person, "no %s", "\x1b way"), PERSON_WRONG_USE);
	assert_int_equal(person_say_failed(&desk->person, "not %d", 7), PERSON_FAILED);
	const struct person_answer answer = answer_of(
		desk, 200, "{\"warnings\":[{\"field\":\"f\",\"code\":\"c\",\"message\":\"m\"}]}");
	person_say_warnings(&desk->person, answer.json);
	person_say_warnings(&desk->person, NULL);
	fflush(desk->person.err);
	assert_string_equal(desk->err, "posthorn: no   way\nposthorn: see `posthorn connect "
				       "--help`\nposthorn: not 7\nwarning: f: m\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(lines_pages_and_instants),
		DESK_TEST(texts_are_harmless),
		DESK_TEST(widths),
		DESK_TEST(a_table),
		DESK_TEST(refusals),
		DESK_TEST(for_programs),
		DESK_TEST(what_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
