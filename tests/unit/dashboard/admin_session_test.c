/* SPDX-License-Identifier: Apache-2.0
 * Sessions by the clock, and the cookie by where the browser says its page is. */
#include "count_of.h"

#include "web_fixture.h"

static int status_of(struct browser *b)
{
	return ask(b, "GET", "/dashboard/api/apps", NULL)->status;
}

static void a_session_ends_by_the_clock(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	const int64_t begun_us = fx->now_us;
	/* Used every 29 minutes it lives, up to twelve hours. */
	while (fx->now_us + 29 * US_PER_MINUTE < begun_us + 12 * US_PER_HOUR) {
		fx->now_us += 29 * US_PER_MINUTE;
		assert_int_equal(status_of(&b), 200);
	}
	fx->now_us = begun_us + 12 * US_PER_HOUR - 1;
	assert_int_equal(status_of(&b), 200);
	fx->now_us += 1;
	assert_int_equal(status_of(&b), 401);
	keep_session(&b, ask(&b, "POST", "/dashboard/api/login", LOGIN_BODY));
	fx->now_us += 30 * US_PER_MINUTE - 1;
	/* Asking who is signed in is no use of it. */
	assert_true(json_bool(
		json_get(body_of(ask(&b, "GET", "/dashboard/api/session", NULL)), "signed_in"),
		false));
	fx->now_us += 1;
	assert_false(json_bool(
		json_get(body_of(ask(&b, "GET", "/dashboard/api/session", NULL)), "signed_in"),
		true));
	assert_int_equal(status_of(&b), 401);
	browser_close(&b);
}

static void what_the_session_tells(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	const struct json *out = assert_status(ask(&b, "GET", "/dashboard/api/session", NULL), 200);
	assert_true(json_bool(json_get(out, "setup_needed"), false));
	assert_true(json_is_null(json_get(out, "admin")) &&
		    json_is_null(json_get(out, "csrf_token")));
	set_up(&b);
	const struct json *in = assert_status(ask(&b, "GET", "/dashboard/api/session", NULL), 200);
	assert_false(json_bool(json_get(in, "setup_needed"), true));
	assert_text(json_get(in, "admin"), "email", "a@b.example");
	assert_text(in, "sandbox_url", "http://127.0.0.1:8081/");
	assert_text(in, "public_url", PUBLIC_URL);
	assert_text(in, "version", "1.2.3");
	assert_text(in, "idle_expires_at", "2027-01-15T08:30:00Z");
	assert_text(in, "expires_at", "2027-01-15T20:00:00Z");
	assert_true(str_equal(json_string(json_get(in, "csrf_token")), b.csrf));
	browser_close(&b);
}

static void the_cookie_goes_by_the_page(void **state)
{
	static const struct {
		const char *origin; /* "" = not told */
		bool is_secure;
	} rows[] = {{"", true},
		    {PUBLIC_URL, true},
		    {"https://other.example", true},
		    {"null", true},
		    {"http://localhost:8080", false}};
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	b.fetch_site = STR("same-origin");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		b.origin = str_of(rows[i].origin);
		const struct http_response *response =
			keep_session(&b, ask(&b, "POST", "/dashboard/api/login", LOGIN_BODY));
		const struct str cookie = *response_header(response, "Set-Cookie");
		assert_int_equal(str_has_prefix(cookie, STR("__Host-posthorn_session=")),
				 rows[i].is_secure);
		assert_int_equal(
			str_has_suffix(cookie, STR("; Path=/; HttpOnly; SameSite=Lax; Secure")),
			rows[i].is_secure);
		assert_true(rows[i].is_secure ||
			    str_has_suffix(cookie, STR("; Path=/; HttpOnly; SameSite=Lax")));
		assert_int_equal(status_of(&b), 200);
		/* Under the other name it is nothing: who can set that one must not be able to sign
		 * others in. */
		const struct str value =
			str_slice(b.cookie, str_find_char(b.cookie, '=', 0) + 1, b.cookie.len);
		b.cookie = str_format(fx->arena, "%s=" STR_FMT,
				      rows[i].is_secure ? "posthorn_session"
							: "__Host-posthorn_session",
				      STR_ARG(value));
		assert_int_equal(status_of(&b), 401);
	}
	browser_close(&b);
}

static void signing_out(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	const struct http_response *response = ask(&b, "POST", "/dashboard/api/logout", NULL);
	assert_int_equal(response->status, 204);
	assert_true(str_find(*response_header(response, "Set-Cookie"), STR("Max-Age=0"), 0) !=
		    SIZE_MAX);
	assert_int_equal(status_of(&b), 401);
	browser_close(&b);
}

/* The hash is what is stored: a stolen database opens nothing. */
static void tokens_are_not_stored(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	struct session_row session = {0};
	struct error err = {0};
	const struct session_limits none = {0, 0};
	browser_open(&b, fx);
	set_up(&b);
	const struct str token =
		str_slice(b.cookie, str_find_char(b.cookie, '=', 0) + 1, b.cookie.len);
	assert_int_equal(store_session_find(fx->store, fx->arena, token, &none, &session, &err),
			 ERR_NOT_FOUND);
	const struct digest digest = digest_token(token);
	ok(store_session_find(fx->store, fx->arena, digest_hex(fx->arena, &digest), &none, &session,
			      &err),
	   &err);
	browser_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_session_ends_by_the_clock), ADMIN_TEST(what_the_session_tells),
		ADMIN_TEST(the_cookie_goes_by_the_page), ADMIN_TEST(signing_out),
		ADMIN_TEST(tokens_are_not_stored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
