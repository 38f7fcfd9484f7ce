/* SPDX-License-Identifier: Apache-2.0
 * Every platform is there and whole: what all six must keep. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"

#include "platform.h"
#include "plan.h"
#include "rules.h"
#include "stages.h"

static void every_number_has_its_platform(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const struct platform *platform = platform_of((enum platform_id)id);
		assert_non_null(platform);
		assert_int_equal(platform->id, id);
		assert_string_equal(platform->slug, platform_id_slug((enum platform_id)id));
		assert_non_null(platform->stages[OPERATION_VERIFY]);
		assert_non_null(platform->stages[OPERATION_CONNECT]);
		assert_non_null(platform->stages[OPERATION_PUBLISH]);
		assert_non_null(platform->stages[OPERATION_RESOLVE]);
	}
	assert_null(platform_of(PLATFORM_NONE));
	assert_null(platform_of((enum platform_id)7));
	assert_null(platform_of((enum platform_id) - 1));
}

static void check_table(const struct stage *stages)
{
	assert_non_null(stages[0].name);
	for (const struct stage *stage = stages; stage->name != NULL; stage++) {
		assert_non_null(stage->ask);
		assert_non_null(stage->answer);
		for (const struct stage *other = stages; other != stage; other++)
			assert_string_not_equal(other->name, stage->name);
	}
}

static void every_stage_is_whole_and_named_once(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		for (int i = 0; i < OPERATION_COUNT; i++) {
			const struct stage *stages = platform_of((enum platform_id)id)->stages[i];
			if (stages != NULL)
				check_table(stages);
		}
	}
}

static bool has_stage(const struct stage *stages, const char *name)
{
	for (; stages->name != NULL; stages++) {
		if (strcmp(stages->name, name) == 0)
			return true;
	}
	return false;
}

static void every_planned_call_is_a_stage_of_publish(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const struct platform *platform = platform_of((enum platform_id)id);
		bool publishes = false;
		for (const struct plan_row *row = platform->plan; row->stage != NULL; row++) {
			assert_true(has_stage(platform->stages[OPERATION_PUBLISH], row->stage));
			assert_non_null(row->method);
			assert_non_null(row->host_path);
			assert_non_null(row->summary);
			publishes = publishes || row->publishes;
		}
		assert_true(publishes);
	}
}

/* Those of Instagram can where the account was connected without a Page. */
static void only_the_tokens_of_pages_cannot_be_refreshed(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++)
		assert_int_equal(platform_of((enum platform_id)id)->stages[OPERATION_REFRESH] ==
					 NULL,
				 id == PLATFORM_FACEBOOK);
}

static void oauth_profiles_are_complete(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const struct oauth_profile *oauth = platform_of((enum platform_id)id)->oauth;
		assert_true(str_has_prefix(str_of(oauth->authorize_url), STR("https://")));
		assert_true(strlen(oauth->client_id_name) > 0);
		assert_true(strlen(oauth->scope_separator) == 1);
		assert_non_null(oauth->scopes[0]);
		assert_null(oauth->scopes[15]);
		assert_non_null(oauth->denied_errors[0]);
		assert_null(oauth->extra[5].name);
	}
}

static void rules_make_sense(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const struct post_rules *rules = platform_of((enum platform_id)id)->rules;
		assert_int_not_equal(rules->types[0].type, POST_TYPE_NONE);
		for (const struct type_rule *type = rules->types; type->type != POST_TYPE_NONE;
		     type++) {
			assert_true(type->images_min <= type->images_max &&
				    type->images_max <= POST_MEDIA_MAX);
			assert_true(type->videos_min <= type->videos_max &&
				    type->videos_max <= POST_MEDIA_MAX);
			assert_true(type->media_min <= type->media_max &&
				    type->media_max <= type->images_max + type->videos_max);
			assert_non_null(type->summary);
		}
		assert_true(rules->text_max > 0);
		assert_true(rules->comments_max < POST_CONTAINERS_MAX);
		assert_int_equal(rules->comments_max > 0, rules->comment_text_max > 0);
		for (const struct option_rule *option = rules->options; option->name != NULL;
		     option++) {
			assert_int_equal(option->type == OPTION_ENUM, option->values != NULL);
			assert_non_null(option->summary);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_has_its_platform),
		cmocka_unit_test(every_stage_is_whole_and_named_once),
		cmocka_unit_test(every_planned_call_is_a_stage_of_publish),
		cmocka_unit_test(only_the_tokens_of_pages_cannot_be_refreshed),
		cmocka_unit_test(oauth_profiles_are_complete),
		cmocka_unit_test(rules_make_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
