/* SPDX-License-Identifier: Apache-2.0
 * Tests of dashboard/device_cookie.h: which browser is known, and as whom. */
#include "device_cookie.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

#include "seal.h"

#include "http.h"

struct fixture {
	struct arena *arena;
	struct seal *seal;
	struct seal *other; /* another master key */
};

static int setup(void **state)
{
	static struct fixture fx;
	uint8_t key[SEAL_KEY_BYTES] = {1};
	fx.arena = arena_new("test", 1 << 20);
	assert_int_equal(seal_open_key(key, &fx.seal, NULL), ERR_NONE);
	key[0] = 2;
	assert_int_equal(seal_open_key(key, &fx.other, NULL), ERR_NONE);
	*state = &fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;
	seal_free(&fx->seal);
	seal_free(&fx->other);
	arena_free(&fx->arena);
	return 0;
}

/* "name=value" of what the browser is given. */
static struct str give(struct fixture *fx, struct str email, bool is_secure)
{
	struct http_response response;
	http_response_init(&response, fx->arena, 1 << 16);
	device_cookie_set(fx->seal, random_system(), &response, email, is_secure);
	assert_int_equal(response.header_count, 1);
	const struct str header = response.headers[0].value;
	assert_true(str_find(header, STR("; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax"),
			     0) != SIZE_MAX);
	assert_int_equal(str_has_suffix(header, STR("; Secure")), is_secure);
	return str_slice(header, 0, str_find_char(header, ';', 0));
}

static struct str device_of(struct fixture *fx, const struct seal *seal, struct str cookies,
			    struct str email)
{
	struct http_request *request = ARENA_NEW(fx->arena, struct http_request);
	struct str device = {0};
	request->arena = fx->arena;
	if (!str_is_empty(cookies))
		request->headers[request->header_count++] =
			(struct http_header){STR("Cookie"), cookies};
	return device_cookie_read(seal, request, email, &device) ? device : (struct str){0};
}

static void a_browser_is_known_as_who_signed_in(void **state)
{
	struct fixture *fx = *state;
	const struct str ann = STR("ann@example.com");
	for (int is_secure = 0; is_secure < 2; is_secure++) {
		const struct str cookie = give(fx, ann, is_secure);
		assert_int_equal(str_has_prefix(cookie, STR("__Host-posthorn_device=")), is_secure);
		const struct str device = device_of(fx, fx->seal, cookie, ann);
		assert_int_equal(device.len, 22);
		/* the same each time: it is what its failures are counted under */
		assert_true(str_equal(device_of(fx, fx->seal, cookie, ann), device));
		/* each browser is another */
		assert_false(
			str_equal(device_of(fx, fx->seal, give(fx, ann, is_secure), ann), device));
		/* good for nobody else, and not with another key */
		assert_int_equal(device_of(fx, fx->seal, cookie, STR("bob@example.com")).len, 0);
		assert_int_equal(device_of(fx, fx->other, cookie, ann).len, 0);
	}
}

static void what_is_not_ours_is_nothing(void **state)
{
	struct fixture *fx = *state;
	const struct str ann = STR("ann@example.com");
	static const char *const bad[] = {
		"",
		"posthorn_device=",
		"posthorn_device=abc",
		"posthorn_device=!!",
		"posthorn_session=x",
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(device_of(fx, fx->seal, str_of(bad[i]), ann).len, 0);
	const struct str cookie = give(fx, ann, false);
	for (size_t i = strlen("posthorn_device="); i < cookie.len; i += 7) {
		char *changed = str_z(fx->arena, cookie);
		changed[i] = changed[i] == 'A' ? 'B' : 'A';
		assert_int_equal(device_of(fx, fx->seal, str_of(changed), ann).len, 0);
	}
	char *long_one = arena_alloc(fx->arena, 5000);
	memset(long_one, 'A', 5000);
	memcpy(long_one, "posthorn_device=", strlen("posthorn_device="));
	long_one[4999] = '\0';
	assert_int_equal(device_of(fx, fx->seal, str_of(long_one), ann).len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_browser_is_known_as_who_signed_in, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_is_not_ours_is_nothing, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
