/* SPDX-License-Identifier: Apache-2.0
 * The doctor says what is wrong, and never "all well" when it could not look. */
#include "admin_fixture.h"

#include "store_alarm.h"

static const struct json *finding(const struct json *doctor, const char *check, bool is_ok)
{
	const struct json *checks = json_get(doctor, "checks");
	for (size_t i = 0; i < checks->count; i++) {
		const struct json *item = json_at(checks, i);
		if (str_equal_z(json_string(json_get(item, "check")), check) &&
		    json_bool(json_get(item, "ok"), !is_ok) == is_ok)
			return item;
	}
	return NULL;
}

static const struct json *examine(struct fixture *fx, struct arena *arena)
{
	return assert_status(send_within(fx, arena, "GET", "/admin/doctor", NULL), 200);
}

static void an_empty_house_is_well(void **state)
{
	struct fixture *fx = *state;
	const struct json *doctor = examine(fx, fx->arena);
	assert_true(json_bool(json_get(doctor, "ok"), false));
	assert_non_null(finding(doctor, "store", true));
	assert_non_null(finding(doctor, "queue", true));
	assert_text(finding(doctor, "apps", true), "message", "0 apps");
}

static void an_app_without_its_admin_is_told(void **state)
{
	struct fixture *fx = *state;
	create_app(fx, true);
	assert_true(json_bool(json_get(examine(fx, fx->arena), "ok"), false));
	assert_status(send(fx, "DELETE", "/admin/admins/ann%40example.com", NULL), 200);
	const struct json *doctor = examine(fx, fx->arena);
	assert_false(json_bool(json_get(doctor, "ok"), true));
	assert_true(str_find(json_string(json_get(finding(doctor, "app", false), "message")),
			     STR("admin_not_found"), 0) != SIZE_MAX);
}

static void a_refused_credential_is_told(void **state)
{
	struct fixture *fx = *state;
	struct str id = create_app(fx, true);
	fx->connector.state = CREDENTIAL_FAILED;
	fx->connector.message = "invalid_client";
	assert_status(send(fx, "PUT", app_path(fx, id, "/credentials/x"),
			   "{\"client_id\":\"i\",\"client_secret\":\"s\",\"verify\":true}"),
		      200);
	const struct json *doctor = examine(fx, fx->arena);
	assert_false(json_bool(json_get(doctor, "ok"), true));
	assert_true(str_find(json_string(json_get(finding(doctor, "credential", false), "message")),
			     STR("invalid_client"), 0) != SIZE_MAX);
}

static void an_alarm_is_told(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	ok(store_alarm_raise(fx->store, STR("linkedin"), STR("The version has ended."),
			     INT64_C(1800000000000000), &err),
	   &err);
	const struct json *doctor = examine(fx, fx->arena);
	const struct str message =
		json_string(json_get(finding(doctor, "alarm", false), "message"));
	assert_false(json_bool(json_get(doctor, "ok"), true));
	assert_true(str_find(message, STR("linkedin: The version has ended. Raised 1 times"), 0) !=
		    SIZE_MAX);
	assert_true(str_find(message, STR("2027-01-15T08:00:00Z"), 0) != SIZE_MAX);
}

/* An arena that holds the findings, but not the list of apps. */
static void what_cannot_be_looked_at_is_not_well(void **state)
{
	struct fixture *fx = *state;
	struct arena *small = arena_new("small", 8192);
	for (int i = 0; i < 60; i++)
		create_app(fx, true);
	const struct json *doctor = examine(fx, small);
	assert_false(json_bool(json_get(doctor, "ok"), true));
	assert_non_null(finding(doctor, "apps", false));
	arena_free(&small);
}

static void the_schema_has_a_version(void **state)
{
	struct fixture *fx = *state;
	const struct json *schema = assert_status(send(fx, "GET", "/admin/schema", NULL), 200);
	assert_true(json_int(json_get(schema, "schema_version"), 0) >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(an_empty_house_is_well),
		ADMIN_TEST(an_app_without_its_admin_is_told),
		ADMIN_TEST(a_refused_credential_is_told),
		ADMIN_TEST(an_alarm_is_told),
		ADMIN_TEST(what_cannot_be_looked_at_is_not_well),
		ADMIN_TEST(the_schema_has_a_version),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
