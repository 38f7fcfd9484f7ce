/* SPDX-License-Identifier: Apache-2.0
 * GET /v1/platforms: six, numbered as api-decisions.md 5 says. */
#include "api_fixture.h"

static void six_with_their_rules(void **state)
{
	static const char *const slugs[] = {"instagram", "facebook", "x",
					    "linkedin",  "youtube",  "tiktok"};
	struct fixture *fx = *state;
	const struct json *body = body_of(get(fx, "/v1/platforms"));
	const struct json *data = json_get(body, "data");
	assert_int_equal(data->count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct json *platform = json_at(data, i);
		assert_string_equal(names_of(fx->arena, platform),
				    "id slug name can_unpublish post_types limits options");
		assert_int_equal(json_int(json_get(platform, "id"), 0), (int64_t)i + 1);
		assert_text(platform, "slug", slugs[i]);
		assert_true(json_string(json_get(platform, "name")).len > 0);
		assert_true(json_get(platform, "post_types")->count > 0);
		assert_true(json_bool(at(platform, "post_types.0.default"), false));
		assert_true(json_int(at(platform, "limits.text_max"), 0) > 0);
	}
	assert_text(json_at(data, 2), "limits.text_unit", "weighted");
	assert_text(json_at(data, 4), "post_types.0.type", "video");
}

static void sandbox_mode_is_said(void **state)
{
	struct fixture *fx = *state;
	assert_false(json_bool(json_get(body_of(get(fx, "/v1/platforms")), "sandbox"), true));
	fx->config.is_sandbox = true;
	fixture_restart_api(fx);
	assert_true(json_bool(json_get(body_of(get(fx, "/v1/platforms")), "sandbox"), false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {API_TEST(six_with_their_rules),
					   API_TEST(sandbox_mode_is_said)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
