/* SPDX-License-Identifier: Apache-2.0
 * The service put together: what it makes, what it holds, and where it is reached. */
#include "count_of.h"

#include "cli_fixture.h"

#include "browser.h"
#include "service_private.h"

static void the_public_url(void **state)
{
	static const struct {
		const char *configured;
		const char *base;
		const char *expected;
	} rows[] = {
		{"", "http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"", "http://localhost:8080", "http://localhost:8080"},
		{"", "http://192.0.2.7:8080", "http://192.0.2.7:8080"},
		{"", "http://[::1]:8080", "http://[::1]:8080"},
		{"", "http://0.0.0.0:8080", "http://127.0.0.1:8080"},
		{"", "http://[::]:8080", "http://[::1]:8080"},
		{"", "http://[0:0:0:0:0:0:0:0]:81", "http://[::1]:81"},
		{"https://post.example", "http://0.0.0.0:8080", "https://post.example"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		fixture_flag(fx, "public-url", rows[i].configured);
		struct str url = service_public_url(&fx->settings, fx->arena, str_of(rows[i].base));
		assert_string_equal(str_z(fx->arena, url), rows[i].expected);
	}
}

/* The longest that settings allow fits where the service keeps it. */
static void the_longest_url_is_kept_whole(void **state)
{
	struct fixture *fx = *state;
	static char *const nothing[] = {NULL};
	struct service *service = NULL;
	struct error err = {0};
	char url[SETTINGS_URL_MAX_BYTES + 2] = "https://posthorn.example/";
	memset(url + strlen(url), 'a', SETTINGS_URL_MAX_BYTES - strlen(url));
	fixture_flag(fx, "public-url", url);
	ok(settings_finish(&fx->settings, nothing, &err), &err);
	ok(service_open(&fx->settings, SERVICE_COMMAND, &service, &err), &err);
	assert_string_equal(service->public_url, url);
	assert_string_equal(service->media_url, url);
	service_close(&service);
	url[SETTINGS_URL_MAX_BYTES] = 'a';
	fixture_flag(fx, "public-url", url);
	assert_int_equal(settings_finish(&fx->settings, nothing, &err), ERR_INVALID);
}

static void a_role_for_several_nodes_needs_their_database(void **state)
{
	struct fixture *fx = *state;
	static const enum service_role halves[] = {SERVICE_API, SERVICE_WORKER};
	for (size_t i = 0; i < COUNT_OF(halves); i++) {
		struct service *service = NULL;
		struct error err = {0};
		assert_int_equal(service_open(&fx->settings, halves[i], &service, &err),
				 ERR_INVALID);
		assert_non_null(strstr(err.text, "PostgreSQL"));
		assert_null(service);
	}
}

/* Closed in every state that opening can leave it in. */
static void a_service_closes_before_it_listens(void **state)
{
	struct fixture *fx = *state;
	static const enum service_role roles[] = {SERVICE_ALL, SERVICE_COMMAND};
	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		struct service *service = NULL;
		struct error err = {0};
		ok(service_open(&fx->settings, roles[i], &service, &err), &err);
		assert_int_equal(service->has_engine_thread, roles[i] == SERVICE_COMMAND);
		service_close(&service);
		assert_null(service);
	}
}

static void what_a_service_makes_is_private(void **state)
{
	struct fixture *fx = *state;
	struct service *service = serve(fx);
	struct stat status;
	assert_int_equal(stat(fx->data, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_equal(stat(service_control_path(&fx->settings), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_true(is_there(fx, "posthorn.db"));
	assert_true(is_there(fx, "master.key"));
	service_close(&service);
	assert_null(service);
	service_close(&service);
	assert_false(is_there(fx, "control.sock"));
}

static void a_free_port_is_part_of_our_own_address(void **state)
{
	struct fixture *fx = *state;
	struct service *service = serve(fx);
	struct browser_answer answer = {0};
	struct control_answer credential = {0};
	struct error err = {0};
	struct str base = str_of(service_base_url(service));
	assert_true(str_has_prefix(base, STR("http://127.0.0.1:")));
	assert_false(str_has_suffix(base, STR(":0")));
	const struct browser_request ready = {.url = str_concat(fx->arena, base, STR("/readyz"))};
	ok(browser_call(fx->arena, &ready, &answer, &err), &err);
	assert_int_equal(answer.status, 200);
	ok(control_call(&fx->settings, fx->arena, "POST", STR("/admin/apps"),
			STR("{\"name\":\"a\",\"owner\":\"a@b.example\"}"), &credential, &err),
	   &err);
	const struct json *app = NULL;
	ok(json_parse(fx->arena, credential.body, NULL, &app, NULL, &err), &err);
	struct str path = str_format(fx->arena, "/admin/apps/" STR_FMT "/credentials/x",
				     STR_ARG(json_string(json_get(app, "client_id"))));
	ok(control_call(&fx->settings, fx->arena, "PUT", path,
			STR("{\"client_id\":\"i\",\"client_secret\":\"s\"}"), &credential, &err),
	   &err);
	struct str callback = str_format(fx->arena, STR_FMT "/v1/oauth/x/callback", STR_ARG(base));
	assert_true(str_find(credential.body, callback, 0) != SIZE_MAX);
	service_close(&service);
}

static void a_second_service_is_turned_away(void **state)
{
	struct fixture *fx = *state;
	struct service *first = serve(fx);
	struct service *second = NULL;
	struct error err = {0};
	assert_int_equal(service_open(&fx->settings, SERVICE_ALL, &second, &err), ERR_CONFLICT);
	assert_null(second);
	assert_true(is_there(fx, "control.sock"));
	service_close(&first);
	ok(service_open(&fx->settings, SERVICE_ALL, &second, &err), &err);
	service_close(&second);
}

static void bad_settings_are_told(void **state)
{
	static const struct {
		const char *name;
		const char *value;
		const char *word;
	} rows[] = {
		{"media-allow", "127.0.0.0/33", "media-allow"},
		{"media-port", "0", "media-port"},
		{"media-port", "65536", "media-port"},
		{"listen", "127.0.0.1", "listen"},
		{"listen", "127.0.0.1:99999", "listen"},
		{"data", "/proc/no/such", "/proc/no/such"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct settings before = fx->settings;
		/* what can be judged by itself is judged before anything is made */
		assert_false(i < 3 && is_there(fx, ""));
		struct service *service = NULL;
		struct error err = {0};
		fixture_flag(fx, rows[i].name, rows[i].value);
		enum err_kind kind = service_open(&fx->settings, SERVICE_ALL, &service, &err);
		if (kind == ERR_NONE)
			kind = service_listen(service, &err);
		assert_int_not_equal(kind, ERR_NONE);
		assert_non_null(strstr(err.text, rows[i].word));
		service_close(&service);
		assert_false(i < 3 && is_there(fx, ""));
		fx->settings = before;
	}
}

static void the_log_follows_the_settings(void **state)
{
	struct fixture *fx = *state;
	fixture_flag(fx, "log-level", "debug");
	fixture_flag(fx, "log-format", "json");
	struct log log = service_make_log(&fx->settings);
	assert_int_equal(log.level, LOG_DEBUG);
	assert_int_equal(log.format, LOG_FORMAT_JSON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(the_public_url),
		CLI_TEST(the_longest_url_is_kept_whole),
		CLI_TEST(a_role_for_several_nodes_needs_their_database),
		CLI_TEST(a_service_closes_before_it_listens),
		CLI_TEST(what_a_service_makes_is_private),
		CLI_TEST(a_free_port_is_part_of_our_own_address),
		CLI_TEST(a_second_service_is_turned_away),
		CLI_TEST(bad_settings_are_told),
		CLI_TEST(the_log_follows_the_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
