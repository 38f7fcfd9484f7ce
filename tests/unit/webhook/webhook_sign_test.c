/* SPDX-License-Identifier: Apache-2.0
 * Signatures against vectors that other implementations agree on, secrets, and the envelope. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

#include "base64.h"
#include "json.h"

#include "store_event.h"

#include "webhook_sign.h"

struct sign_row {
	const char *name;
	const char *secret, *id;
	int64_t timestamp_s;
	const char *body, *expected;
};

/* The first is the example of the standard's libraries; an unusable secret signs nothing. */
static const struct sign_row sign_rows[] = {
	{"the standard's example", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
	 "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, "{\"test\": 2432232314}",
	 "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	{"without the prefix", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a", 1, "{}", ""},
	{"no base64", "whsec_***", "a", 1, "{}", ""},
	{"no secret", "", "a", 1, "{}", ""},
};

static void signatures_are_the_standard_s(void **state)
{
	struct arena *arena = arena_new("test", 1 << 20);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sign_rows); i++) {
		const struct sign_row *row = &sign_rows[i];
		const struct str signature =
			webhook_signature(arena, str_of(row->secret), str_of(row->id),
					  row->timestamp_s, str_of(row->body));
		if (!str_equal_z(signature, row->expected))
			fail_msg("%s: " STR_FMT, row->name, STR_ARG(signature));
	}
	arena_free(&arena);
}

static void every_signed_part_counts(void **state)
{
	struct arena *arena = arena_new("test", 1 << 20);
	const struct str secret = STR("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
	const struct str first = webhook_signature(arena, secret, STR("a"), 1, STR("{}"));
	(void)state;
	assert_false(str_equal(first, webhook_signature(arena, secret, STR("b"), 1, STR("{}"))));
	assert_false(str_equal(first, webhook_signature(arena, secret, STR("a"), 2, STR("{}"))));
	assert_false(str_equal(first, webhook_signature(arena, secret, STR("a"), 1, STR("{ }"))));
	assert_false(
		str_equal(first, webhook_signature(arena, secret, STR("a"), 1, STR("{}\0{}"))));
	assert_true(str_equal(first, webhook_signature(arena, secret, STR("a"), 1, STR("{}"))));
	arena_free(&arena);
}

static void a_secret_is_32_random_bytes_and_signs(void **state)
{
	struct arena *arena = arena_new("test", 1 << 20);
	struct str one = webhook_secret_make(arena, random_system());
	const struct str other = webhook_secret_make(arena, random_system());
	struct str key;
	(void)state;
	assert_false(str_equal(one, other));
	assert_true(webhook_signature(arena, one, STR("a"), 1, STR("{}")).len > 0);
	assert_true(str_skip(&one, STR("whsec_")));
	assert_true(base64_decode(arena, one, &key));
	assert_int_equal(key.len, 32);
	arena_free(&arena);
}

static void an_envelope_is_json_whatever_it_carries(void **state)
{
	static const char *const data[] = {"{\"id\":\"p\"}", ""};
	struct arena *arena = arena_new("test", 1 << 20);
	const struct event_row event = {.seq = 41,
					.id = STR("e-1"),
					.app_id = STR("a-1"),
					.kind = EVENT_POST_COMPLETED,
					.created_at_us = INT64_C(1800000000000000)};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct json *body = NULL;
		const struct str text = webhook_envelope(arena, &event, str_of(data[i]));
		assert_int_equal(json_parse(arena, text, NULL, &body, NULL, NULL), ERR_NONE);
		assert_int_equal(body->count, 7);
		assert_int_equal(json_int(json_get(body, "seq"), 0), 41);
		assert_true(str_equal_z(json_string(json_get(body, "type")), "post.completed"));
		assert_true(str_equal_z(json_string(json_get(body, "id")), "e-1"));
		assert_true(str_equal_z(json_string(json_get(body, "event")), "post.completed"));
		assert_true(str_equal_z(json_string(json_get(body, "app_id")), "a-1"));
		assert_true(str_equal_z(json_string(json_get(body, "timestamp")),
					"2027-01-15T08:00:00Z"));
		assert_true(json_is_null(json_get(body, "data")) == (i == 1));
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_are_the_standard_s),
		cmocka_unit_test(every_signed_part_counts),
		cmocka_unit_test(a_secret_is_32_random_bytes_and_signs),
		cmocka_unit_test(an_envelope_is_json_whatever_it_carries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
