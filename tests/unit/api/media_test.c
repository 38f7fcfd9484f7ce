/* SPDX-License-Identifier: Apache-2.0
 * GET /media/{token} as platforms meet it. What makes a token good is hosted_test.c; how files are
 * sent is http_file_test.c and httpd_test.c. */
#include "api_fixture.h"

#include <fcntl.h>

#include "count_of.h"

#include "hosted.h"

/* ---- what stands in for delivery/hosted.c: one token is good ---- */

static int opened_fd;

bool hosted_open(const struct hosted *hosted, struct arena *arena, struct str token,
		 struct hosted_file *file_out)
{
	(void)hosted, (void)arena;
	if (!str_equal_z(token, "good"))
		return false;
	opened_fd = open("/dev/zero", O_RDONLY);
	*file_out = (struct hosted_file){
		.fd = opened_fd, .size_bytes = 5, .mime_type = "image/jpeg", .etag = STR("\"e\"")};
	return true;
}

static const struct hosted hosted;

static void begin(struct fixture *fx)
{
	fx->config.hosted = &hosted;
	fixture_restart_api(fx);
}

static struct http_response *ask(struct fixture *fx, const char *method, const char *target)
{
	return answer(
		fx, &(struct sent){.method = method, .target = target, .authorization = NO_TOKEN});
}

static void a_good_token_gives_the_file_without_a_bearer(void **state)
{
	struct fixture *fx = *state;
	begin(fx);
	static const char *const methods[] = {"GET", "HEAD"};
	for (size_t i = 0; i < 2; i++) {
		const struct http_response *response = ask(fx, methods[i], "/media/good");
		assert_status(response, 200);
		assert_true(response->has_file);
		assert_int_equal(response->file_fd, opened_fd);
		assert_int_equal(response->file_length_bytes, 5);
		assert_true(str_equal_z(header_of(response, "Content-Type"), "image/jpeg"));
		assert_true(str_equal_z(header_of(response, "X-Content-Type-Options"), "nosniff"));
		assert_true(str_equal_z(header_of(response, "Content-Security-Policy"),
					"default-src 'none'; sandbox"));
		assert_true(str_equal_z(header_of(response, "Referrer-Policy"), "no-referrer"));
	}
}

static void a_range_is_given_too(void **state)
{
	struct fixture *fx = *state;
	begin(fx);
	const struct http_response *response =
		answer(fx, &(struct sent){.method = "GET",
					  .target = "/media/good",
					  .authorization = NO_TOKEN,
					  .more = {{STR("range"), STR("bytes=1-2")}}});
	assert_status(response, 206);
	assert_int_equal(response->file_offset_bytes, 1);
	assert_int_equal(response->file_length_bytes, 2);
}

/* Byte for byte what any unknown path gets: nobody learns what was wrong. */
static void all_else_is_not_found(void **state)
{
	struct fixture *fx = *state;
	static const char *const targets[] = {
		"/media/bad",
		"/media/",
		"/media",
		"/media/good/",
		"/media/good/more",
		"/media/..%2fmaster.key",
		"/media/../posthorn.db",
		"/media/%2e%2e",
		"/media/good%00",
		"/media/a%2Fb",
		"//media/good",
		"/media//good",
		"/media/GOOD",
	};
	begin(fx);
	const struct str plain = buf_str(&ask(fx, "GET", "/no/such/path")->body);
	for (size_t i = 0; i < COUNT_OF(targets); i++) {
		const struct http_response *response = ask(fx, "GET", targets[i]);
		assert_status(response, 404);
		assert_false(response->has_file);
		assert_true(str_equal(buf_str(&response->body), plain));
	}
	/* the app's own files (test_uploads.py), which need its token */
	assert_error(ask(fx, "GET", "/v1/media/good"), 401, "UNAUTHENTICATED");
	assert_error(ask(fx, "GET", "/api/v1/media/good"), 401, "UNAUTHENTICATED");
	assert_error(get(fx, "/v1/media/good"), 404, "NOT_FOUND");
	assert_status(ask(fx, "POST", "/media/good"), 405);
	assert_status(ask(fx, "DELETE", "/media/good"), 405);
}

static void without_files_to_host_there_is_nothing(void **state)
{
	struct fixture *fx = *state;
	assert_status(ask(fx, "GET", "/media/good"), 404);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(a_good_token_gives_the_file_without_a_bearer),
		API_TEST(a_range_is_given_too),
		API_TEST(all_else_is_not_found),
		API_TEST(without_files_to_host_there_is_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
