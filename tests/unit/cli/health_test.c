/* SPDX-License-Identifier: Apache-2.0
 * What a service says of its own health: ready, and why not. */
#include "cli_fixture.h"

#include "api.h"
#include "service_private.h"

static void a_new_service_is_ready(void **state)
{
	struct fixture *fx = *state;
	struct service *service = serve(fx);
	char reason[128] = "unset";
	assert_true(health_is_ready(service, reason, sizeof(reason)));
	assert_string_equal(reason, "");
	assert_true(health_has_disk_room(service));
	assert_int_equal(health_held_count(service), 0);
	service_close(&service);
}

static void gauges_are_filled(void **state)
{
	struct fixture *fx = *state;
	struct service *service = serve(fx);
	struct api_gauges gauges = {0};
	health_read_gauges(service, &gauges);
	assert_true(gauges.disk_free_bytes > 0);
	assert_true(gauges.spool_budget_bytes > 0);
	assert_true(gauges.engine_turn_age_us >= 0);
	assert_int_equal(gauges.deliveries_in_flight, 0);
	assert_int_equal(gauges.spool_bytes, 0);
	service_close(&service);
}

static void a_data_directory_that_is_gone_says_nothing_of_the_disk(void **state)
{
	struct fixture *fx = *state;
	struct service *service = serve(fx);
	const char *data = service->data;
	service->data = "/proc/no/such";
	assert_true(health_has_disk_room(service));
	service->data = data;
	service_close(&service);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(a_new_service_is_ready),
		CLI_TEST(gauges_are_filled),
		CLI_TEST(a_data_directory_that_is_gone_says_nothing_of_the_disk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
