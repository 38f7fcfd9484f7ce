/* SPDX-License-Identifier: Apache-2.0
 * The routes of the restore guard; what the verbs do is tests/unit/store and
 * tests/unit/delivery. */
#include "admin_fixture.h"

#include <string.h>
#include <sys/stat.h>

#include "count_of.h"

static void a_backup_is_made_where_it_is_asked_for(void **state)
{
	struct fixture *fx = *state;
	const char *path = str_z(fx->arena, str_format(fx->arena, "%s/copy.db", fx->directory));
	const char *body = str_z(fx->arena, str_format(fx->arena, "{\"path\":\"%s\"}", path));
	struct stat info;
	const struct json *answer = assert_status(send(fx, "POST", "/admin/backup", body), 201);
	assert_text(answer, "path", path);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(json_int(json_get(answer, "bytes"), 0), info.st_size);
	answer = assert_error(send(fx, "POST", "/admin/backup", body), 409, "CONFLICT");
	assert_true(str_find(json_string(json_get(answer, "message")), STR("never overwrites"),
			     0) != SIZE_MAX);
	unlink(path);
}

static const char *const wrong_bodies[] = {"{}",           "{\"path\":\"\"}",
					   "{\"path\":7}", "{\"path\":\"relative.db\"}",
					   "[]",           "{\"path\":\"/nowhere/at/all.db\"}"};

static void wrong_paths_are_refused(void **state)
{
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(wrong_bodies); i++)
		assert_error(send(fx, "POST", "/admin/backup", wrong_bodies[i]), 422,
			     "VALIDATION_ERROR");
	assert_error(send(fx, "POST", "/admin/backup", "{"), 400, "MALFORMED_JSON");
}

static void an_empty_house_holds_nothing(void **state)
{
	struct fixture *fx = *state;
	const struct json *shown = assert_status(send(fx, "GET", "/admin/hold", NULL), 200);
	assert_int_equal(json_int(json_get(shown, "asking"), -1), 0);
	assert_int_equal(json_int(json_get(shown, "held"), -1), 0);
	assert_int_equal(json_int(json_get(shown, "adopted"), -1), 0);
	assert_int_equal(json_int(json_get(shown, "set_aside"), -1), 0);
	assert_int_equal(json_get(shown, "platforms")->count, 0);
}

static void decisions_are_counted(void **state)
{
	struct fixture *fx = *state;
	const struct json *answer =
		assert_status(send(fx, "POST", "/admin/hold/release", "{}"), 200);
	assert_int_equal(json_int(json_get(answer, "released"), -1), 0);
	assert_int_equal(json_int(json_get(answer, "asking"), -1), 0);
	answer = assert_status(send(fx, "POST", "/admin/hold/fail", "{\"platform\":\"x\"}"), 200);
	assert_int_equal(json_int(json_get(answer, "failed"), -1), 0);
}

/* A platform that is not known must never come to mean all of them. */
static void unknown_platforms_decide_nothing(void **state)
{
	struct fixture *fx = *state;
	static const char *const bodies[] = {"{\"platform\":\"myspace\"}", "{\"platform\":\"\"}",
					     "{\"platform\":null}", "{\"platform\":3}"};
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		assert_error(send(fx, "POST", "/admin/hold/release", bodies[i]), 404,
			     "PLATFORM_NOT_FOUND");
		assert_error(send(fx, "POST", "/admin/hold/fail", bodies[i]), 404,
			     "PLATFORM_NOT_FOUND");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_backup_is_made_where_it_is_asked_for),
		ADMIN_TEST(wrong_paths_are_refused),
		ADMIN_TEST(an_empty_house_holds_nothing),
		ADMIN_TEST(decisions_are_counted),
		ADMIN_TEST(unknown_platforms_decide_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
