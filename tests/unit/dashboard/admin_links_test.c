/* SPDX-License-Identifier: Apache-2.0
 * How long links are good, to the microsecond, and that what is stored of one opens nothing. */
#include "store_admin_link.h"
#include "web_fixture.h"

#define TEN_MINUTES_US (10 * 60 * US_PER_S)
#define THREE_DAYS_US (3 * 24 * 3600 * US_PER_S)

static struct str token_of(struct str link)
{
	const size_t at = str_find_char(link, '#', 0) + 1;
	const struct str rest = str_slice(link, at, link.len);
	return str_slice(rest, 0, 43);
}

static struct http_response *use(struct browser *b, const char *path, struct str token,
				 const char *more)
{
	const struct str body = str_format(
		b->fx->arena, "{\"token\":\"" STR_FMT "\",\"password\":\"turnip lamp quartz\"%s}",
		STR_ARG(token), more);
	return ask(b, "POST", path, str_z(b->fx->arena, body));
}

static void a_setup_link_ends_after_ten_minutes(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	assert_true(admin_needs_setup(fx->admin));
	const struct str late = token_of(admin_setup_link(fx->admin, fx->arena));
	fx->now_us += TEN_MINUTES_US;
	assert_error(use(&b, "/dashboard/api/setup", late, ",\"email\":\"a@b.example\""), 403,
		     "SETUP_TOKEN_INVALID");
	const struct str token = token_of(admin_setup_link(fx->admin, fx->arena));
	const struct str other = token_of(admin_setup_link(fx->admin, fx->arena));
	fx->now_us += TEN_MINUTES_US - 1;
	assert_status(use(&b, "/dashboard/api/setup", token, ",\"email\":\"a@b.example\""), 201);
	assert_error(use(&b, "/dashboard/api/setup", other, ",\"email\":\"c@d.example\""), 409,
		     "SETUP_DONE");
	assert_false(admin_needs_setup(fx->admin));
	assert_true(str_is_empty(admin_setup_link(fx->admin, fx->arena)));
	browser_close(&b);
}

static struct str invited(struct browser *b)
{
	const struct json *made = assert_status(
		ask(b, "POST", "/dashboard/api/invitations", "{\"email\":\"New@b.example\"}"), 201);
	assert_text(made, "role", "owner");
	return token_of(json_string(json_get(made, "link")));
}

static void an_invitation_ends_after_three_days(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	const struct str late = invited(&b);
	fx->now_us += THREE_DAYS_US;
	assert_error(use(&b, "/dashboard/api/invitation", late, ""), 403, "LINK_INVALID");
	keep_session(&b, ask(&b, "POST", "/dashboard/api/login", LOGIN_BODY));
	const struct str token = invited(&b);
	fx->now_us += THREE_DAYS_US - 1;
	const struct json *session =
		assert_status(use(&b, "/dashboard/api/invitation", token, ""), 201);
	assert_text(json_get(session, "admin"), "email", "new@b.example");
	assert_text(json_get(session, "admin"), "role", "owner");
	browser_close(&b);
}

static void what_is_stored_opens_nothing(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	struct admin_row row = {0};
	struct error err = {0};
	browser_open(&b, fx);
	set_up(&b);
	const struct str token = invited(&b);
	const struct digest digest = digest_token(token);
	struct admin_link link = {.token_hash = token, .kind = ADMIN_LINK_PASSWORD};
	assert_int_equal(store_admin_link_find(fx->store, fx->arena, &link, fx->now_us, &row, &err),
			 ERR_FORBIDDEN);
	link.token_hash = digest_hex(fx->arena, &digest);
	ok(store_admin_link_find(fx->store, fx->arena, &link, fx->now_us, &row, &err), &err);
	assert_error(use(&b, "/dashboard/api/invitation", link.token_hash, ""), 403,
		     "LINK_INVALID");
	browser_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_setup_link_ends_after_ten_minutes),
		ADMIN_TEST(an_invitation_ends_after_three_days),
		ADMIN_TEST(what_is_stored_opens_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
