/* SPDX-License-Identifier: Apache-2.0
 * An app's quotas as the operator sees and changes them. */
#include "count_of.h"

#include "quota.h"

#include "admin_fixture.h"

static const struct json *quota_of(const struct json *answer, const char *name)
{
	return json_get(json_get(answer, "quotas"), name);
}

static void only_what_is_given_changes(void **state)
{
	struct fixture *fx = *state;
	const struct str id = create_app(fx, true);
	const char *path = app_path(fx, id, "/quotas");
	const struct json *answer = assert_status(send(fx, "GET", path, NULL), 200);
	assert_text(answer, "client_id", str_z(fx->arena, id));
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++) {
		const struct json *row = quota_of(answer, quota_name(quota));
		assert_true(json_is_null(json_get(row, "own")));
		assert_int_equal(json_int(json_get(row, "used"), -1), 0);
	}
	answer = assert_status(send(fx, "PATCH", path, "{\"accounts\":3,\"media_files\":0}"), 200);
	assert_int_equal(json_int(json_get(quota_of(answer, "accounts"), "limit"), -1), 3);
	assert_int_equal(json_int(json_get(quota_of(answer, "media_files"), "own"), -1), 0);
	answer = assert_status(send(fx, "PATCH", path, "{\"accounts\":null}"), 200);
	assert_true(json_is_null(json_get(quota_of(answer, "accounts"), "own")));
	assert_int_equal(json_int(json_get(quota_of(answer, "media_files"), "own"), -1), 0);
}

static void what_is_refused_changes_nothing(void **state)
{
	static const char *const bodies[] = {
		"{\"accounts\":-1}",  "{\"accounts\":\"3\"}",
		"{\"accounts\":1.5}", "{\"pending_posts\":4,\"accounts\":true}",
		"{\"drafts\":3}",
	};
	struct fixture *fx = *state;
	const char *path = app_path(fx, create_app(fx, true), "/quotas");
	for (size_t i = 0; i < COUNT_OF(bodies); i++)
		assert_error(send(fx, "PATCH", path, bodies[i]), 422, "VALIDATION_ERROR");
	const struct json *answer = assert_status(send(fx, "GET", path, NULL), 200);
	assert_true(json_is_null(json_get(quota_of(answer, "pending_posts"), "own")));
	assert_error(send(fx, "GET", "/admin/apps/phc_none/quotas", NULL), 404, "NOT_FOUND");
	assert_error(send(fx, "PATCH", "/admin/apps/phc_none/quotas", "{}"), 404, "NOT_FOUND");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(only_what_is_given_changes),
		ADMIN_TEST(what_is_refused_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
