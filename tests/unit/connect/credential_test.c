/* SPDX-License-Identifier: Apache-2.0
 * A credential's secret under its master key and under another, and its redirect URI. */
#include "connect_fixture.h"

static struct credential_row credential_of(struct world *w, enum platform_id platform)
{
	struct credential_row row = {0};
	struct error err = {0};
	ok(store_credential_find(w->store, w->arena, w->app.id, platform, &row, &err), &err);
	return row;
}

static void a_secret_opens_with_its_key(void **state)
{
	struct world *w = *state;
	struct str secret = {0};
	struct error err = {0};
	const struct credential_row row = credential_of(w, PLATFORM_TIKTOK);
	ok(connector_open_client_secret(w->connector, w->arena, &row, &secret, &err), &err);
	assert_str(secret, WORLD_CLIENT_SECRET);
}

static void with_another_key_it_is_an_error(void **state)
{
	struct world *w = *state;
	struct str secret = {0};
	struct error err = {0};
	restart_with_another_key(w);
	const struct credential_row row = credential_of(w, PLATFORM_TIKTOK);
	assert_int_equal(connector_open_client_secret(w->connector, w->arena, &row, &secret, &err),
			 ERR_INTERNAL);
	assert_non_null(strstr(err.text, "the TikTok credential"));
	assert_non_null(strstr(err.text, "this master key"));
}

/* A row copied to another platform: its secret is bound to its place. */
static void a_secret_of_another_row_does_not_open(void **state)
{
	struct world *w = *state;
	struct str secret = {0};
	struct error err = {0};
	struct credential_row row = credential_of(w, PLATFORM_TIKTOK);
	row.platform = PLATFORM_X;
	assert_int_equal(connector_open_client_secret(w->connector, w->arena, &row, &secret, &err),
			 ERR_INTERNAL);
}

static void the_redirect_uri_is_below_the_public_url(void **state)
{
	struct world *w = *state;
	assert_str(connector_callback_url(w->connector, w->arena, PLATFORM_LINKEDIN),
		   "https://posthorn.example/v1/oauth/linkedin/callback");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_secret_opens_with_its_key),
		WORLD_TEST(with_another_key_it_is_an_error),
		WORLD_TEST(a_secret_of_another_row_does_not_open),
		WORLD_TEST(the_redirect_uri_is_below_the_public_url),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
