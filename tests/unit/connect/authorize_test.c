/* SPDX-License-Identifier: Apache-2.0
 * Authorize URLs, read back by the form parser. */
#include "authorize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"

#include "form.h"
#include "url.h"

static int arena_setup(void **state)
{
	*state = arena_new("test", 1 << 22);
	return 0;
}

static int arena_teardown(void **state)
{
	arena_free((struct arena **)state);
	return 0;
}

static struct form query_of(struct arena *arena, struct str text)
{
	struct url url;
	struct form form = {0};
	struct error err = {0};
	if (url_parse(arena, text, &url, &err) != ERR_NONE ||
	    form_parse(arena, url.query, 0, &form, &err) != ERR_NONE)
		fail_msg(STR_FMT ": %s", STR_ARG(text), err.text);
	assert_true(str_equal_z(url.scheme, "https"));
	return form;
}

static void assert_parameter(const struct form *form, const char *name, const char *expected)
{
	const struct str *value = form_find(form, name);
	if (expected == NULL) {
		assert_null(value);
		return;
	}
	if (value == NULL || !str_equal_z(*value, expected))
		fail_msg("%s is \"" STR_FMT "\"", name,
			 STR_ARG(value != NULL ? *value : STR("missing")));
	assert_int_equal(form_count(form, name), 1);
}

static const struct authorize_values values = {
	.client_id = {"id & more", 9},
	.redirect_uri = {"https://posthorn.example/v1/oauth/x/callback", 44},
	.state = {"the-state", 9},
	.pkce_verifier = {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", 43},
	.graph_version = {"v25.0", 5},
};

static void assert_challenge(struct arena *arena, enum pkce_style style, const char *expected)
{
	const struct oauth_profile profile = {
		.authorize_url = "https://platform.example/",
		.client_id_name = "client_id",
		.scope_separator = " ",
		.pkce = style,
	};
	const struct form form = query_of(arena, authorize_url(arena, &profile, &values));
	assert_parameter(&form, "code_challenge", expected);
}

/* The verifier of RFC 7636, appendix B; the second is TikTok's way (tiktok.md 1.1). */
static void a_challenge_is_the_verifiers_hash(void **state)
{
	struct arena *arena = *state;
	assert_challenge(arena, PKCE_S256_BASE64URL, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
	assert_challenge(arena, PKCE_S256_HEX,
			 "13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3");
}

static void every_platform_gets_a_whole_url(void **state)
{
	struct arena *arena = *state;
	for (enum platform_id id = PLATFORM_INSTAGRAM; id <= PLATFORM_TIKTOK; id++) {
		const struct oauth_profile *profile = platform_of(id)->oauth;
		const struct str url = authorize_url(arena, profile, &values);
		const struct form form = query_of(arena, url);
		assert_true(str_find(url, STR("{"), 0) == SIZE_MAX);
		assert_parameter(&form, profile->client_id_name, "id & more");
		assert_parameter(&form, "redirect_uri",
				 "https://posthorn.example/v1/oauth/x/callback");
		assert_parameter(&form, "response_type", "code");
		assert_parameter(&form, "state", "the-state");
		const struct str *scope = form_find(&form, "scope");
		assert_non_null(scope);
		for (size_t i = 0; profile->scopes[i] != NULL; i++)
			assert_true(str_find(*scope, str_of(profile->scopes[i]), 0) != SIZE_MAX);
		assert_parameter(&form, "code_challenge_method",
				 profile->pkce == PKCE_NONE ? NULL : "S256");
		if (profile->pkce == PKCE_NONE)
			assert_null(form_find(&form, "code_challenge"));
		assert_true(str_find(url, values.pkce_verifier, 0) ==
			    SIZE_MAX); /* never the verifier itself */
	}
}

/* An app asks for what its products give it, in the platform's own form. */
static void a_credentials_scopes_go_before_the_profiles(void **state)
{
	struct arena *arena = *state;
	struct authorize_values own = values;
	own.scopes = STR("openid  w_member_social");
	const struct form linkedin =
		query_of(arena, authorize_url(arena, platform_of(PLATFORM_LINKEDIN)->oauth, &own));
	assert_parameter(&linkedin, "scope", "openid w_member_social");
	const struct form tiktok =
		query_of(arena, authorize_url(arena, platform_of(PLATFORM_TIKTOK)->oauth, &own));
	assert_parameter(&tiktok, "scope", "openid,w_member_social");
}

/* The first variant is the default's; one that is named brings its own scopes, and scopes that are
 * given go before both. */
static void a_variant_brings_its_scopes(void **state)
{
	struct arena *arena = *state;
	static const struct {
		const char *variant;
		const char *scope;
	} rows[] = {
		{"", "openid profile email w_member_social"},
		{"member", "openid profile email w_member_social"},
		{"pages", "r_basicprofile w_member_social w_organization_social "
			  "r_organization_social rw_organization_admin"},
		{"both", "openid profile email w_member_social r_organization_social "
			 "w_organization_social rw_organization_admin"},
	};
	const struct oauth_profile *profile = platform_of(PLATFORM_LINKEDIN)->oauth;
	struct authorize_values own = values;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		own.variant = str_of(rows[i].variant);
		const struct form form = query_of(arena, authorize_url(arena, profile, &own));
		assert_parameter(&form, "scope", rows[i].scope);
	}
	own.scopes = STR("openid");
	const struct form form = query_of(arena, authorize_url(arena, profile, &own));
	assert_parameter(&form, "scope", "openid");
}

/* Instagram Login begins elsewhere, and a configuration of Facebook Login stands in the place of
 * scopes (meta.md 2.3, 2.8). */
static void metas_logins_differ(void **state)
{
	struct arena *arena = *state;
	const struct oauth_profile *instagram = platform_of(PLATFORM_INSTAGRAM)->oauth;
	struct authorize_values own = values;
	own.variant = STR("instagram_login");
	own.config_id = STR("4242");
	struct str url = authorize_url(arena, instagram, &own);
	assert_true(str_has_prefix(url, STR("https://www.instagram.com/oauth/authorize?")));
	struct form form = query_of(arena, url);
	assert_parameter(&form, "scope",
			 "instagram_business_basic,instagram_business_content_publish,"
			 "instagram_business_manage_comments");
	assert_int_equal(form_count(&form, "config_id"), 0);
	own.variant = STR("facebook_login");
	url = authorize_url(arena, instagram, &own);
	assert_true(str_has_prefix(url, STR("https://www.facebook.com/v25.0/dialog/oauth?")));
	form = query_of(arena, url);
	assert_parameter(&form, "config_id", "4242");
	assert_parameter(&form, "override_default_response_type", "true");
	assert_int_equal(form_count(&form, "scope"), 0);
	own.config_id = STR("");
	form = query_of(arena, authorize_url(arena, instagram, &own));
	assert_int_equal(form_count(&form, "config_id"), 0);
	assert_int_equal(form_count(&form, "scope"), 1);
	form = query_of(arena, authorize_url(arena, platform_of(PLATFORM_X)->oauth,
					     &(struct authorize_values){.config_id = STR("4242")}));
	assert_int_equal(form_count(&form, "config_id"), 0);
}

static void the_pieces_stand_where_they_belong(void **state)
{
	struct arena *arena = *state;
	const struct oauth_profile profile = {
		.authorize_url = "https://www.facebook.com/{graph_version}/dialog/oauth",
		.client_id_name = "client_key",
		.scopes = {"a.b", "c"},
		.scope_separator = ",",
		.pkce = PKCE_NONE,
		.extra = {{"prompt", "consent"}, {"access_type", "offline"}},
	};
	const struct str url = authorize_url(arena, &profile, &values);
	assert_true(str_equal_z(
		url, "https://www.facebook.com/v25.0/dialog/oauth?client_key=id%20%26%20more"
		     "&redirect_uri=https%3A%2F%2Fposthorn.example%2Fv1%2Foauth%2Fx%2Fcallback&"
		     "response_type=code"
		     "&scope=a.b%2Cc&state=the-state&prompt=consent&access_type=offline"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_setup, arena_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_challenge_is_the_verifiers_hash),
		TEST(every_platform_gets_a_whole_url),
		TEST(a_credentials_scopes_go_before_the_profiles),
		TEST(a_variant_brings_its_scopes),
		TEST(metas_logins_differ),
		TEST(the_pieces_stand_where_they_belong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
