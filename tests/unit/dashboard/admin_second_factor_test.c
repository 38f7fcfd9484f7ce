/* SPDX-License-Identifier: Apache-2.0
 * The second factor by the clock: when a code is good, and how long who guesses has to wait. */
#include "totp.h"
#include "web_fixture.h"

#define SECRET_BYTES 20

/* Base32, as an app reads it. */
static struct str secret_of(struct arena *arena, struct str text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	char *out = arena_alloc(arena, SECRET_BYTES);
	uint32_t bits = 0;
	unsigned count = 0;
	size_t length = 0;
	for (size_t i = 0; i < text.len; i++) {
		bits = bits << 5 | (uint32_t)(strchr(letters, text.ptr[i]) - letters);
		count += 5;
		if (count >= 8) {
			count -= 8;
			out[length++] = (char)(bits >> count);
		}
	}
	assert_int_equal(length, SECRET_BYTES);
	return (struct str){out, length};
}

static struct str code_at(struct fixture *fx, struct str secret, int64_t steps_on)
{
	return str_format(fx->arena, "%06u",
			  totp_code(secret, fx->now_us / TOTP_STEP_US + steps_on));
}

static struct str turn_on(struct browser *b)
{
	struct arena *arena = b->fx->arena;
	const struct json *offer =
		assert_status(ask(b, "POST", "/dashboard/api/second-factor/offer", NULL), 200);
	const struct str secret = secret_of(arena, json_string(json_get(offer, "secret")));
	const struct str body = str_format(arena,
					   "{\"offer\":\"" STR_FMT "\",\"code\":\"" STR_FMT
					   "\",\"current_password\":\"correct horse\"}",
					   STR_ARG(json_string(json_get(offer, "offer"))),
					   STR_ARG(code_at(b->fx, secret, 0)));
	const struct json *made = assert_status(
		ask(b, "POST", "/dashboard/api/second-factor", str_z(arena, body)), 200);
	assert_int_equal(json_get(made, "recovery_codes")->count, 10);
	return secret;
}

static struct http_response *sign_in(struct browser *b, struct str code)
{
	const struct str body = str_format(b->fx->arena,
					   "{\"email\":\"a@b.example\",\"password\":\"correct "
					   "horse\",\"code\":\"" STR_FMT "\"}",
					   STR_ARG(code));
	return ask(b, "POST", "/dashboard/api/login", str_z(b->fx->arena, body));
}

static void a_code_by_the_clock(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	const struct str secret = turn_on(&b);
	/* The one that turned it on is used. */
	assert_error(sign_in(&b, code_at(fx, secret, 0)), 401, "SECOND_FACTOR_WRONG");
	assert_status(sign_in(&b, code_at(fx, secret, 1)), 200);
	/* One from before the last is used up with it. */
	fx->now_us += TOTP_STEP_US;
	assert_error(sign_in(&b, code_at(fx, secret, -1)), 401, "SECOND_FACTOR_WRONG");
	fx->now_us += 2 * TOTP_STEP_US;
	assert_status(sign_in(&b, code_at(fx, secret, -1)), 200);
	assert_error(sign_in(&b, code_at(fx, secret, 2)), 401, "SECOND_FACTOR_WRONG");
	browser_close(&b);
}

static void who_guesses_waits(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	const struct str secret = turn_on(&b);
	for (int i = 0; i < 5; i++)
		assert_error(sign_in(&b, STR("no code")), 401, "SECOND_FACTOR_WRONG");
	assert_error(sign_in(&b, code_at(fx, secret, 1)), 429, "RATE_LIMITED");
	fx->now_us += US_PER_S;
	assert_status(sign_in(&b, code_at(fx, secret, 1)), 200);
	browser_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_code_by_the_clock),
		ADMIN_TEST(who_guesses_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
