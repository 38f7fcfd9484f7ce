/* SPDX-License-Identifier: Apache-2.0
 * The sandbox's knobs: all or none are set, within their bounds, until the reset. What each does is
 * the test of its platform. */
#include "count_of.h"

#include "probe.h"

static struct probe_answer ask(struct probe *probe, const char *method, const char *body)
{
	return probe_ask(probe, (struct probe_request){.method = method,
						       .path = "/_sandbox/knobs",
						       .body = str_of(body)});
}

static const struct json *find(const struct probe_answer *answer, const char *name)
{
	const struct json *knobs = json_get(answer->json, "knobs");
	size_t i = 0;
	while (json_at(knobs, i) != NULL &&
	       !str_equal_z(json_string(json_get(json_at(knobs, i), "name")), name))
		i++;
	return json_at(knobs, i);
}

static int64_t value_of(struct probe *probe, const char *name)
{
	const struct probe_answer answer = ask(probe, "GET", NULL);
	assert_status(answer, 200);
	return json_int(json_get(find(&answer, name), "value"), -1);
}

static void knobs_describe_themselves(void **state)
{
	const struct probe_answer answer = ask(*state, "GET", NULL);
	const struct json *quota = find(&answer, "instagram_publish_quota");
	assert_int_equal(json_int(json_get(quota, "default"), 0), 100);
	assert_int_equal(json_int(json_get(quota, "least"), 0), 1);
	assert_int_equal(json_int(json_get(quota, "most"), 0), 400);
	assert_str(json_string(json_get(quota, "unit")), "number");
	assert_true(str_has_prefix(json_string(json_get(quota, "sentence")), STR("posts within")));
	const struct {
		const char *name;
		const char *unit;
	} units[] = {{"x_processing_ms", "milliseconds"},
		     {"instagram_published_late_s", "seconds"},
		     {"x_budget_mils", "thousandths of a dollar"},
		     {"tiktok_posts_per_day", "a day"},
		     {"youtube_audited", "switch"}};
	for (size_t i = 0; i < COUNT_OF(units); i++)
		assert_str(json_string(json_get(find(&answer, units[i].name), "unit")),
			   units[i].unit);
}

static void knobs_are_set_until_the_reset(void **state)
{
	struct probe *probe = *state;
	assert_int_equal(value_of(probe, "instagram_publish_quota"), 100);
	const struct probe_answer set =
		ask(probe, "POST",
		    "{\"instagram_publish_quota\":50,\"instagram_published_late_s\":86400}");
	assert_status(set, 200);
	assert_int_equal(json_int(json_get(find(&set, "instagram_publish_quota"), "value"), 0), 50);
	assert_int_equal(value_of(probe, "instagram_published_late_s"), 86400);
	assert_status(probe_ask(probe, (struct probe_request){.method = "POST",
							      .path = "/_sandbox/reset"}),
		      200);
	assert_int_equal(value_of(probe, "instagram_publish_quota"), 100);
	assert_int_equal(value_of(probe, "instagram_published_late_s"), 0);
}

static void one_bad_value_sets_none(void **state)
{
	struct probe *probe = *state;
	static const char *const bodies[] = {
		"{\"instagram_publish_quota\":50,\"no_such_knob\":1}",
		"{\"instagram_publish_quota\":50,\"instagram_published_late_s\":86401}",
		"{\"instagram_publish_quota\":50,\"instagram_published_late_s\":-1}",
		"{\"instagram_publish_quota\":50,\"instagram_publishes_twice\":true}",
		"{\"instagram_publish_quota\":0}",
		"{\"instagram_publish_quota\":401}",
		"[50]",
		"no JSON",
	};
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		const struct probe_answer answer = ask(probe, "POST", bodies[i]);
		if (answer.status != 400 || value_of(probe, "instagram_publish_quota") != 100)
			fail_msg("%s: %ld " STR_FMT, bodies[i], answer.status,
				 STR_ARG(answer.body));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(knobs_are_set_until_the_reset, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(knobs_describe_themselves, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(one_bad_value_sets_none, probe_open, probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
