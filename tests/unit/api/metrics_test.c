/* SPDX-License-Identifier: Apache-2.0
 * GET /metrics: every figure once, in the text format, and right; the public listener has none. */
#include "count_of.h"

#include "api_fixture.h"

#include "store_alarm.h"

static struct str scrape(struct fixture *fx)
{
	struct http_request *request = ARENA_NEW(fx->arena, struct http_request);
	struct http_response *got = ARENA_NEW(fx->arena, struct http_response);
	struct http_router *router = NULL;
	struct error err = {0};
	assert_int_equal(api_side_router_new(fx->api, API_SIDE_METRICS, &router, &err), ERR_NONE);
	request->arena = fx->arena;
	request->method = STR("GET");
	request->target = STR("/metrics");
	http_request_prepare(request, random_system());
	http_response_init(got, fx->arena, (size_t)1 << 20);
	http_router_dispatch(router, request, got);
	http_router_free(&router);
	assert_int_equal(got->status, 200);
	assert_true(str_equal(header_of(got, "Content-Type"),
			      STR("text/plain; version=0.0.4; charset=utf-8")));
	return buf_str(&got->body);
}

/* The value behind "\nNAME "; fails when it is not there or is there twice. */
static struct str value_of(struct str text, const char *name)
{
	struct str rest = text;
	struct str line;
	struct str found = {0};
	while (rest.ptr != NULL && str_take_field(&rest, '\n', &line)) {
		if (!str_has_prefix(line, str_of(name)) || line.ptr[strlen(name)] != ' ')
			continue;
		if (found.ptr != NULL)
			fail_msg("%s is there twice", name);
		found = str_slice(line, strlen(name) + 1, line.len);
	}
	if (found.ptr == NULL)
		fail_msg("%s is not there", name);
	return found;
}

static void assert_value(struct str text, const char *name, const char *value)
{
	const struct str found = value_of(text, name);
	if (!str_equal(found, str_of(value)))
		fail_msg("%s is " STR_FMT ", not %s", name, STR_ARG(found), value);
}

static void gauges(void *context, struct api_gauges *out)
{
	(void)context;
	*out = (struct api_gauges){
		.deliveries_in_flight = 3,
		.engine_turns = 12345678901,
		.engine_tasks = 4,
		.engine_turn_age_us = 1500000,
		.spool_bytes = 5,
		.spool_budget_bytes = 6,
		.disk_free_bytes = 7,
		.late_us = 61 * US_PER_S,
		.gate_waits = {{PLATFORM_X, GATE_PLATFORM_DOWN, 3, 90 * US_PER_S},
			       {PLATFORM_LINKEDIN, GATE_APP_LIMIT, 1, US_PER_S}},
		.gate_wait_count = 2,
		.figures = {.alarms = 1, .posts_published = 9},
		.figures_age_us = 2 * US_PER_S,
	};
}

static bool not_ready(void *context, char *reason, size_t reason_size)
{
	(void)context;
	snprintf(reason, reason_size, "a reason");
	return false;
}

static void empty_service_has_every_figure(void **state)
{
	static const char *const zero[] = {
		"posthorn_posts{status=\"pending\"}",
		"posthorn_posts{status=\"scheduled\"}",
		"posthorn_posts{status=\"published\"}",
		"posthorn_posts{status=\"failed\"}",
		"posthorn_deliveries_due",
		"posthorn_deliveries_scheduled",
		"posthorn_deliveries_in_flight",
		"posthorn_deliveries_held",
		"posthorn_events_pending",
		"posthorn_webhook_deliveries_pending",
		"posthorn_alarms",
		"posthorn_engine_turns_total",
		"posthorn_spool_bytes",
	};
	const struct str text = scrape(*state);
	for (size_t i = 0; i < COUNT_OF(zero); i++)
		assert_value(text, zero[i], "0");
	assert_value(text, "posthorn_ready", "1");
	assert_value(text, "posthorn_oldest_due_lateness_seconds", "0.000000");
	assert_value(text, "posthorn_start_time_seconds", "1800000000.000000");
	assert_value(text, "posthorn_build_info{version=\"unknown\",mode=\"live\"}", "1");
}

static void parts_tell_of_themselves(void **state)
{
	struct fixture *fx = *state;
	fx->config.gauges = gauges;
	fx->config.is_ready = not_ready;
	fx->config.is_sandbox = true;
	fx->config.version = "9.8.7";
	fixture_restart_api(fx);
	const struct str text = scrape(fx);
	assert_value(text, "posthorn_deliveries_in_flight", "3");
	assert_value(text, "posthorn_posts{status=\"published\"}", "9");
	assert_value(text, "posthorn_figures_age_seconds", "2.000000");
	assert_value(text, "posthorn_engine_turns_total", "12345678901");
	assert_value(text, "posthorn_engine_tasks", "4");
	assert_value(text, "posthorn_engine_last_turn_age_seconds", "1.500000");
	assert_value(text, "posthorn_spool_bytes", "5");
	assert_value(text, "posthorn_spool_budget_bytes", "6");
	assert_value(text, "posthorn_disk_free_bytes", "7");
	assert_value(text, "posthorn_oldest_due_lateness_seconds", "61.000000");
	assert_value(text,
		     "posthorn_waiting_oldest_seconds{platform=\"x\",reason=\"platform_down\"}",
		     "90.000000");
	assert_value(text,
		     "posthorn_waiting_oldest_seconds{platform=\"linkedin\",reason=\"app_limit\"}",
		     "1.000000");
	assert_value(text, "posthorn_alarms", "1");
	assert_value(text, "posthorn_ready", "0");
	assert_value(text, "posthorn_build_info{version=\"9.8.7\",mode=\"sandbox\"}", "1");
}

static void answers_are_counted_by_status(void **state)
{
	struct fixture *fx = *state;
	get(fx, "/v1/posts");
	get(fx, "/v1/posts");
	get(fx, "/v1/nothing");
	answer(fx,
	       &(struct sent){.method = "GET", .target = "/v1/posts", .authorization = NO_TOKEN});
	struct str text = scrape(fx);
	assert_value(text, "posthorn_http_requests_total{status=\"200\"}", "2");
	assert_value(text, "posthorn_http_requests_total{status=\"404\"}", "1");
	assert_value(text, "posthorn_http_requests_total{status=\"401\"}", "1");
	assert_value(scrape(fx), "posthorn_http_requests_total{status=\"200\"}", "3");
}

static void nothing_of_one_app_is_told(void **state)
{
	struct fixture *fx = *state;
	const struct str text = scrape(fx);
	assert_true(str_find(text, fx->app.id, 0) == SIZE_MAX);
	assert_true(str_find(text, fx->app.client_id, 0) == SIZE_MAX);
	assert_true(str_find(text, STR("owner@example.com"), 0) == SIZE_MAX);
}

static void every_metric_is_explained(void **state)
{
	const struct str text = scrape(*state);
	struct str rest = text;
	struct str line;
	struct str name = {0};
	while (rest.ptr != NULL && str_take_field(&rest, '\n', &line)) {
		if (str_has_prefix(line, STR("# TYPE "))) {
			name = str_slice(line, 7, str_find_char(line, ' ', 7));
			continue;
		}
		if (line.len > 0 && line.ptr[0] != '#' && !str_has_prefix(line, name))
			fail_msg("no type for " STR_FMT, STR_ARG(line));
	}
}

static void the_public_listener_has_none(void **state)
{
	struct fixture *fx = *state;
	struct http_request *request = ARENA_NEW(fx->arena, struct http_request);
	enum http_fault fault = HTTP_FAULT_INTERNAL;
	struct str allow = {0};
	request->arena = fx->arena;
	request->method = STR("GET");
	request->path = STR("/metrics");
	assert_null(http_router_match(api_router(fx->api), request, &fault, &allow));
	assert_int_equal(fault, HTTP_FAULT_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(empty_service_has_every_figure), API_TEST(parts_tell_of_themselves),
		API_TEST(answers_are_counted_by_status),  API_TEST(nothing_of_one_app_is_told),
		API_TEST(every_metric_is_explained),      API_TEST(the_public_listener_has_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
