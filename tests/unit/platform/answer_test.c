/* SPDX-License-Identifier: Apache-2.0
 * Ids, cursors and addresses: what platforms really send passes, what could do harm does not. */
#include "answer.h"
#include "request_limits.h"

#include "arena_fixture.h"
#include "count_of.h"
#include "json.h"
#include "platform.h"

#define TOKEN "EAAGtokenOfTheAccount"

static struct env env_here(void)
{
	return (struct env){.arena = arena, .access_token = STR(TOKEN)};
}

static void ids_of_the_platforms_pass(void **state)
{
	(void)state;
	static const char *const ids[] = {
		"1445880548472328192",
		"100064_122",
		"urn:li:share:7211",
		"urn:li:comment:(urn:li:activity:7211,7212)",
		"v_pub_url~v2-1.740",
		"dQw4w9WgXcQ",
		"-000abc_",
		"UgzXx1y.9abc",
		"urn%3Ali%3Ashare%3A1",
	};
	const struct env env = env_here();
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		assert_true(str_equal_z(answer_id_of(&env, str_of(ids[i])), ids[i]));
	const struct json number = {.type = JSON_TYPE_INT, .integer = 7215};
	assert_true(str_equal_z(answer_id(&env, &number), "7215"));
	assert_true(str_is_empty(answer_id(&env, NULL)));
}

static void what_is_no_id_is_empty(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"1\r\nX-Injected: yes", "../../x?y#z", ".",    "..",  "a/b", "a b",
		"<img src=x>",          "caf\xc3\xa9", "a\"b", "a?b", "1&2", ("x" TOKEN "y"),
	};
	const struct env env = env_here();
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (!str_is_empty(answer_id_of(&env, str_of(texts[i]))))
			fail_msg("%s", texts[i]);
	}
	assert_true(str_is_empty(answer_id_of(&env, STR("a\0b"))));
	char *longest = arena_alloc(arena, ANSWER_ID_MAX_BYTES + 1);
	memset(longest, '1', ANSWER_ID_MAX_BYTES + 1);
	assert_int_equal(answer_id_of(&env, (struct str){longest, ANSWER_ID_MAX_BYTES}).len,
			 ANSWER_ID_MAX_BYTES);
	assert_int_equal(answer_id_of(&env, (struct str){longest, ANSWER_ID_MAX_BYTES + 1}).len, 0);
}

static void a_cursor_may_hold_a_slash(void **state)
{
	(void)state;
	const struct env env = env_here();
	const struct json cursor = {.type = JSON_TYPE_STRING, .string = STR("QVFI/+w==")};
	const struct json other = {.type = JSON_TYPE_STRING, .string = STR("QVFI&access_token=1")};
	assert_true(str_equal_z(answer_cursor(&env, &cursor), "QVFI/+w=="));
	assert_true(str_is_empty(answer_id(&env, &cursor)));
	assert_true(str_is_empty(answer_cursor(&env, &other)));
}

static void an_address_is_absolute_and_holds_no_token(void **state)
{
	(void)state;
	const struct env env = env_here();
	const char *const good = "https://www.facebook.com/reel/1?x=y";
	assert_true(str_equal_z(answer_url(&env, str_of(good)), good));
	static const char *const bad[] = {"", "/reel/1", "javascript:alert(1)",
					  "https://a.example/\n",
					  ("https://a.example/?access_token=" TOKEN)};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (!str_is_empty(answer_url(&env, str_of(bad[i]))))
			fail_msg("%s", bad[i]);
	}
	const struct str path = str_format(arena, "https://a.example/%0*d", HTTP_URL_MAX_BYTES, 0);
	assert_true(str_is_empty(answer_url(&env, path)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ids_of_the_platforms_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_id_is_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cursor_may_hold_a_slash, setup, teardown),
		cmocka_unit_test_setup_teardown(an_address_is_absolute_and_holds_no_token, setup,
						teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
