/* SPDX-License-Identifier: Apache-2.0
 * The listeners beside the public one, and the rules that all share: what the settings open, and
 * where it is reached. */
#include "count_of.h"

#include "cli_fixture.h"

#include "browser.h"
#include "service_private.h"

static int status_of(struct fixture *fx, const char *base, const char *path)
{
	struct browser_answer answer = {0};
	struct error err = {0};
	const struct browser_request request = {
		.url = str_concat(fx->arena, str_of(base), str_of(path))};
	ok(browser_call(fx->arena, &request, &answer, &err), &err);
	return answer.status;
}

static void there_is_one_listener_unless_more_are_named(void **state)
{
	struct fixture *fx = *state;
	struct service *service = serve(fx);
	assert_null(service_metrics_url(service));
	assert_null(service_dashboard_url(service));
	assert_int_equal(status_of(fx, service_base_url(service), "/metrics"), 404);
	assert_int_equal(status_of(fx, service_base_url(service), "/dashboard"), 200);
	service_close(&service);
}

static void each_serves_its_own(void **state)
{
	static const struct {
		const char *path;
		int public_status, metrics_status, dashboard_status;
	} rows[] = {
		{"/metrics", 404, 200, 404}, {"/dashboard", 404, 404, 200},
		{"/docs", 200, 404, 200},    {"/healthz", 200, 200, 200},
		{"/readyz", 200, 200, 200},  {"/v1/posts", 401, 404, 404},
		{"/media/x", 404, 404, 404},
	};
	struct fixture *fx = *state;
	fixture_flag(fx, "metrics-listen", "127.0.0.1:0");
	fixture_flag(fx, "dashboard-listen", "0.0.0.0:0");
	struct service *service = serve(fx);
	const char *metrics = service_metrics_url(service);
	assert_non_null(metrics);
	assert_true(str_has_prefix(str_of(service_dashboard_url(service)), STR("http://0.0.0.0:")));
	/* where a browser can go */
	assert_true(str_has_prefix(str_of(service->dashboard_url), STR("http://127.0.0.1:")));
	assert_true(str_has_prefix(service_setup_link(service), str_of(service->dashboard_url)));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(status_of(fx, service_base_url(service), rows[i].path),
				 rows[i].public_status);
		assert_int_equal(status_of(fx, metrics, rows[i].path), rows[i].metrics_status);
		assert_int_equal(status_of(fx, service->dashboard_url, rows[i].path),
				 rows[i].dashboard_status);
	}
	service_close(&service);
}

/* Before anything is made. */
static void bad_rules_are_named(void **state)
{
	static const struct {
		const char *name;
		const char *value;
	} rows[] = {{"trusted-proxy", "10.0.0.0/33"},
		    {"trusted-proxy", "proxy.example"},
		    {"allow-host", "https://a.example"}};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct settings before = fx->settings;
		struct service *service = NULL;
		struct error err = {0};
		fixture_flag(fx, rows[i].name, rows[i].value);
		assert_int_equal(service_open(&fx->settings, SERVICE_ALL, &service, &err),
				 ERR_INVALID);
		assert_non_null(strstr(err.text, rows[i].name));
		assert_non_null(strstr(err.text, rows[i].value));
		assert_false(is_there(fx, ""));
		fx->settings = before;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(there_is_one_listener_unless_more_are_named),
		CLI_TEST(each_serves_its_own),
		CLI_TEST(bad_rules_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
