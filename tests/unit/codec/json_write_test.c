/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/json_write.h: commas and nesting, escaping, broken UTF-8, parsed values written
 * again, misnesting. */
#include "json_write.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"

struct fixture {
	struct arena *arena;
	struct buf buf;
	struct json_writer w;
};

static int setup(void **state)
{
	static struct fixture fixture;
	fixture.arena = arena_new("test", (size_t)4 << 20);
	buf_init(&fixture.buf, fixture.arena, (size_t)1 << 20);
	json_writer_init(&fixture.w, &fixture.buf);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_free(&f->arena);
	return 0;
}

static void check_output(struct fixture *f, const char *wanted)
{
	if (!str_equal_z(buf_str(&f->buf), wanted))
		fail_msg("got    " STR_FMT "\nwanted %s", STR_ARG(buf_str(&f->buf)), wanted);
	buf_clear(&f->buf);
	json_writer_init(&f->w, &f->buf);
}

static void puts_commas_itself(void **state)
{
	struct fixture *f = *state;
	struct json_writer *w = &f->w;
	json_begin_object(w);
	json_member_str(w, "a", STR("x"));
	json_member_int(w, "b", INT64_MIN);
	json_key(w, "c");
	json_begin_array(w);
	json_put_int(w, 1);
	json_put_raw(w, STR("true"));
	json_put_null(w);
	json_begin_object(w);
	json_end_object(w);
	json_begin_array(w);
	json_end_array(w);
	json_put_str(w, STR(""));
	json_end_array(w);
	json_key_str(w, STR("d\"e"));
	json_put_raw(w, STR("[1,2]"));
	json_member_bool(w, "f", false);
	json_member_null(w, "g");
	json_end_object(w);
	check_output(f, "{\"a\":\"x\",\"b\":-9223372036854775808,\"c\":[1,true,null,{},[],\"\"],"
			"\"d\\\"e\":[1,2],\"f\":false,\"g\":null}");
}

static void members_in_one_call(void **state)
{
	struct fixture *f = *state;
	struct json_writer *w = &f->w;
	json_begin_object(w);
	json_member_str_or_null(w, "a", (struct str){0});
	json_member_str_or_null(w, "b", STR(""));
	json_member_str_or_null(w, "c", STR("x"));
	json_member_str(w, "d", (struct str){0});
	json_member_instant(w, "e", 0);
	json_member_instant(w, "f", INT64_C(1795239880500000));
	json_end_object(w);
	check_output(f, "{\"a\":null,\"b\":null,\"c\":\"x\",\"d\":\"\",\"e\":null,"
			"\"f\":\"2026-11-21T05:44:40.5Z\"}");
}

static const struct {
	const char *name;
	struct str value;
	const char *written;
} string_rows[] = {
	{"plain", {"a/b<c>'", 7}, "\"a/b<c>'\""},
	{"quote, backslash", {"\"\\", 2}, "\"\\\"\\\\\""},
	{"short escapes", {"\b\f\n\r\t", 5}, "\"\\b\\f\\n\\r\\t\""},
	{"other controls", {"\0\x01\x1f", 3}, "\"\\u0000\\u0001\\u001f\""},
	{"DEL may stand", {"\x7f", 1}, "\"\x7f\""},
	{"UTF-8 stays",
	 {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x93\xaf", 9},
	 "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x93\xaf\""},
	{"stray byte",
	 {"a\xff"
	  "b",
	  3},
	 "\"a\xef\xbf\xbd"
	 "b\""},
	{"cut at the end", {"a\xe2\x82", 3}, "\"a\xef\xbf\xbd\xef\xbf\xbd\""},
	{"surrogate", {"\xed\xa0\x80", 3}, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	{"overlong quote", {"\xc0\xa2", 2}, "\"\xef\xbf\xbd\xef\xbf\xbd\""},
	{"lead byte before a quote", {"\xc3\"", 2}, "\"\xef\xbf\xbd\\\"\""},
};

static void escapes_strings(void **state)
{
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(string_rows); i++) {
		json_put_str(&f->w, string_rows[i].value);
		if (!str_equal_z(buf_str(&f->buf), string_rows[i].written))
			fail_msg("%s: " STR_FMT, string_rows[i].name, STR_ARG(buf_str(&f->buf)));
		buf_clear(&f->buf);
		json_writer_init(&f->w, &f->buf);
	}
}

/* All 65,536 strings of two bytes come out as JSON. */
static void any_bytes_give_valid_json(void **state)
{
	struct fixture *f = *state;
	struct arena *scratch = arena_new("scratch", 65536);
	for (unsigned pair = 0; pair < 0x10000; pair++) {
		const char bytes[] = {(char)(pair >> 8), (char)(pair & 0xff)};
		const struct json *json;
		struct error err;
		/* The strict reader refuses a NUL, whole as its escape is. */
		if (bytes[0] == 0 || bytes[1] == 0)
			continue;
		json_put_str(&f->w, (struct str){bytes, 2});
		if (json_parse(scratch, buf_str(&f->buf), NULL, &json, NULL, &err) != ERR_NONE)
			fail_msg("%04x: %s", pair, err.text);
		if (((unsigned char)bytes[0] | (unsigned char)bytes[1]) < 0x80)
			assert_memory_equal(json_string(json).ptr, bytes, 2);
		arena_clear(scratch);
		buf_clear(&f->buf);
		json_writer_init(&f->w, &f->buf);
	}
	arena_free(&scratch);
}

/* Written eight bytes at once: something special at every place among them. */
static void escapes_at_every_place(void **state)
{
	struct fixture *f = *state;
	static const char special[] = {'"', '\\', '\n', '\x1f', '\x80'};
	static const char *const written[] = {"\\\"", "\\\\", "\\n", "\\u001f", "\xef\xbf\xbd"};
	for (size_t before = 0; before < 20; before++) {
		for (size_t i = 0; i < COUNT_OF(special); i++) {
			char bytes[32];
			char wanted[64];
			memset(bytes, 'a', sizeof(bytes));
			bytes[before] = special[i];
			(void)snprintf(wanted, sizeof(wanted), "\"%.*s%s%.*s\"", (int)before, bytes,
				       written[i], (int)(31 - before), bytes + before + 1);
			json_put_str(&f->w, (struct str){bytes, sizeof(bytes)});
			if (!str_equal_z(buf_str(&f->buf), wanted))
				fail_msg(STR_FMT, STR_ARG(buf_str(&f->buf)));
			buf_clear(&f->buf);
			json_writer_init(&f->w, &f->buf);
		}
	}
}

static void writes_parsed_values_again(void **state)
{
	struct fixture *f = *state;
	static const char *const texts[] = {
		"{\"z\":1,\"a\":[true,false,null,{}],\"s\":\"\\u0001\xc3\xa4\",\"e\":[]}",
		"-9223372036854775808",
		"[0.1,0.30000000000000004,-2.5,1e+300,100.0,123456789.123456]",
		"\"\"",
	};
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		const struct json *json;
		assert_int_equal(json_parse(f->arena, str_of(texts[i]), NULL, &json, NULL, NULL),
				 ERR_NONE);
		json_put_value(&f->w, json);
		check_output(f, texts[i]);
	}
	json_put_value(&f->w, NULL);
	check_output(f, "null");
	const struct json odd = {.type = JSON_TYPE_REAL, .real = 1.0 / 3};
	json_put_value(&f->w, &odd);
	const struct json *again;
	assert_int_equal(json_parse(f->arena, buf_str(&f->buf), NULL, &again, NULL, NULL),
			 ERR_NONE);
	assert_true(again->real == odd.real);
}

static void a_parsed_value_may_be_deeper_than_the_writer(void **state)
{
	struct fixture *f = *state;
	const char *deep = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]";
	const struct json *json;
	assert_int_equal(json_parse(f->arena, str_of(deep), NULL, &json, NULL, NULL), ERR_NONE);
	json_begin_array(&f->w);
	json_put_value(&f->w, json);
	json_put_value(&f->w, json);
	json_end_array(&f->w);
	check_output(f, str_z(f->arena, str_format(f->arena, "[%s,%s]", deep, deep)));
}

static void raw_nothing_is_null(void **state)
{
	struct fixture *f = *state;
	json_begin_array(&f->w);
	json_put_raw(&f->w, (struct str){0});
	json_put_int(&f->w, 1);
	json_end_array(&f->w);
	check_output(f, "[null,1]");
}

static void nests_to_its_maximum(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < JSON_WRITER_DEPTH_MAX; i++)
		json_begin_array(&f->w);
	json_put_int(&f->w, 1);
	json_put_int(&f->w, 2);
	for (int i = 0; i < JSON_WRITER_DEPTH_MAX; i++)
		json_end_array(&f->w);
	check_output(f, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1,2]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
}

static void a_full_buf_is_over_and_no_more(void **state)
{
	struct fixture *f = *state;
	buf_init(&f->buf, f->arena, 20);
	json_writer_init(&f->w, &f->buf);
	json_begin_array(&f->w);
	for (int i = 0; i < 100; i++)
		json_put_str(&f->w, STR("text"));
	json_end_array(&f->w);
	assert_true(f->buf.is_over);
	assert_true(f->buf.len <= 20);
}

/* ops: { } [ ] k(ey) v(alue), of which the last is the mistake. */
static void perform(struct json_writer *w, const char *ops)
{
	for (; *ops != '\0'; ops++) {
		if (*ops == '{')
			json_begin_object(w);
		else if (*ops == '}')
			json_end_object(w);
		else if (*ops == '[')
			json_begin_array(w);
		else if (*ops == ']')
			json_end_array(w);
		else if (*ops == 'k')
			json_key(w, "k");
		else
			json_put_int(w, 1);
	}
}

static int aborts(struct fixture *f, const char *ops)
{
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(1);
		perform(&f->w, ops);
		_exit(0);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void misnesting_is_our_bug(void **state)
{
	struct fixture *f = *state;
	static const char *const mistakes[] = {"{v", "{k}", "{kk", "[k", "k",   "[}",
					       "{]", "]",   "}",   "vv", "[]v", "{kv}["};
	for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
		char without_last[16];
		snprintf(without_last, sizeof(without_last), "%.*s", (int)strlen(mistakes[i]) - 1,
			 mistakes[i]);
		if (!aborts(f, mistakes[i]) || aborts(f, without_last))
			fail_msg("%s", mistakes[i]);
	}
	char deep[JSON_WRITER_DEPTH_MAX + 2];
	memset(deep, '[', sizeof(deep));
	deep[JSON_WRITER_DEPTH_MAX + 1] = '\0';
	assert_true(aborts(f, deep));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(puts_commas_itself, setup, teardown),
		cmocka_unit_test_setup_teardown(members_in_one_call, setup, teardown),
		cmocka_unit_test_setup_teardown(escapes_strings, setup, teardown),
		cmocka_unit_test_setup_teardown(any_bytes_give_valid_json, setup, teardown),
		cmocka_unit_test_setup_teardown(escapes_at_every_place, setup, teardown),
		cmocka_unit_test_setup_teardown(writes_parsed_values_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_parsed_value_may_be_deeper_than_the_writer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(raw_nothing_is_null, setup, teardown),
		cmocka_unit_test_setup_teardown(nests_to_its_maximum, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_buf_is_over_and_no_more, setup, teardown),
		cmocka_unit_test_setup_teardown(misnesting_is_our_bug, setup, teardown),
	};
	return cmocka_run_group_tests_name("json_write", tests, NULL, NULL);
}
