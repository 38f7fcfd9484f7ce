/* SPDX-License-Identifier: Apache-2.0
 * Rows kept between requests: given out whole and as copies, and never past their generation or
 * their time. */
#include "access_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"

struct row {
	int number;
	struct str first;
	struct str second;
};

static const size_t texts[] = {offsetof(struct row, first), offsetof(struct row, second)};
static const struct access_shape shape = {sizeof(struct row), texts, 2};
static const struct access_shape other_shape = {sizeof(struct row), texts, 2};

struct fixture {
	struct access_cache *cache;
	struct arena *arena;
	struct access_question question;
};

static struct fixture fixture_with(const struct row *row)
{
	struct fixture fx = {.cache = access_cache_new(),
			     .arena = arena_new("access", (size_t)1 << 20),
			     .question = {&shape, STR("key"), 7, US_PER_S}};
	access_cache_put(fx.cache, &fx.question, row);
	return fx;
}

static void fixture_end(struct fixture *fx)
{
	access_cache_free(&fx->cache);
	arena_free(&fx->arena);
}

static bool is_there(struct fixture *fx)
{
	struct row row = {0};
	return access_cache_get(fx->cache, &fx->question, fx->arena, &row);
}

static void a_row_comes_back_as_a_copy(void **state)
{
	(void)state;
	char text[] = "first";
	const struct row row = {42, {text, 5}, STR("")};
	struct row found = {0};
	struct fixture fx = fixture_with(&row);
	memset(text, 'x', 5);
	assert_true(access_cache_get(fx.cache, &fx.question, fx.arena, &found));
	assert_int_equal(found.number, 42);
	assert_string_equal(found.first.ptr, "first"); /* with its NUL */
	assert_true(str_is_empty(found.second));
	access_cache_put(fx.cache, &fx.question, &(struct row){1, STR("other"), STR("one")});
	assert_string_equal(found.first.ptr, "first");
	fixture_end(&fx);
}

static void another_generation_kind_key_or_time_is_no_answer(void **state)
{
	(void)state;
	struct fixture fx = fixture_with(&(struct row){1, STR("a"), STR("b")});
	const struct access_question good = fx.question;
	assert_true(is_there(&fx));
	fx.question.generation++;
	assert_false(is_there(&fx));
	fx.question = good;
	fx.question.shape = &other_shape;
	assert_false(is_there(&fx));
	fx.question = good;
	fx.question.key = STR("kez");
	assert_false(is_there(&fx));
	fx.question = good;
	fx.question.now_boot_us += 9 * US_PER_S;
	assert_true(is_there(&fx));
	fx.question.now_boot_us += US_PER_S;
	assert_false(is_there(&fx));
	fixture_end(&fx);
}

static void nothing_is_kept_without_a_generation_or_beyond_the_maximum(void **state)
{
	(void)state;
	static char big[8193];
	struct fixture fx = fixture_with(&(struct row){1, STR("a"), STR("b")});
	fx.question.key = STR("none");
	fx.question.generation = 0;
	access_cache_put(fx.cache, &fx.question, &(struct row){1, STR("a"), STR("b")});
	assert_false(is_there(&fx));
	fx.question.generation = 1;
	access_cache_put(fx.cache, &fx.question, &(struct row){1, {big, sizeof(big)}, STR("b")});
	assert_false(is_there(&fx));
	access_cache_put(NULL, &fx.question, &(struct row){0});
	assert_false(access_cache_get(NULL, &fx.question, fx.arena, NULL));
	fixture_end(&fx);
}

/* More keys than places: every answer is still the key's own. */
static void rows_take_each_others_places(void **state)
{
	(void)state;
	struct fixture fx = fixture_with(&(struct row){0, STR(""), STR("")});
	int kept = 0;
	for (int i = 0; i < 3000; i++) {
		const struct str name = str_format(fx.arena, "key-%d", i);
		fx.question.key = name;
		access_cache_put(fx.cache, &fx.question, &(struct row){i, name, STR("")});
	}
	for (int i = 0; i < 3000; i++) {
		struct row found = {0};
		fx.question.key = str_format(fx.arena, "key-%d", i);
		if (!access_cache_get(fx.cache, &fx.question, fx.arena, &found))
			continue;
		kept++;
		assert_int_equal(found.number, i);
		assert_true(str_equal(found.first, fx.question.key));
	}
	assert_true(kept > 500 && kept <= 1024);
	fixture_end(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_comes_back_as_a_copy),
		cmocka_unit_test(another_generation_kind_key_or_time_is_no_answer),
		cmocka_unit_test(nothing_is_kept_without_a_generation_or_beyond_the_maximum),
		cmocka_unit_test(rows_take_each_others_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
