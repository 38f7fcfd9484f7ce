/* SPDX-License-Identifier: Apache-2.0
 * Conformance: the index of words. It follows behind acceptance, an edit and an erasure change it
 * at once, and nobody's words are found through another app. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count_of.h"

#include "store_app_end.h"
#include "store_dashboard.h"
#include "store_post_change.h"
#include "store_user.h"
#include "store_words.h"

#define FILE_MAX_BYTES ((size_t)64 << 20)

/* All that waits, of whichever test. */
static void index_all(struct fixture *fx)
{
	struct error err = {0};
	int64_t posts = 0;
	do {
		ok(store_words_index(fx->store, &posts, &err), &err);
		assert_in_range(posts, 0, STORE_WORDS_BATCH);
	} while (posts > 0);
}

static struct str content_of(struct fixture *fx, const char *text)
{
	return str_format(fx->arena,
			  "{\"mode\":\"basic\",\"containers\":[{\"content\":\"%s\",\"media\":[]}]}",
			  text);
}

/* Scheduled for tomorrow, created at_us. */
static struct str post_saying(struct fixture *fx, const struct account_row *account,
			      const char *text, int64_t at_us)
{
	const struct app_row app = {.id = account->app_id};
	struct post_accept accept = make_post(fx, &app, account, 1);
	accept.content = content_of(fx, text);
	accept.now_us = at_us;
	accept.scheduled_at_us = NOW + US_PER_DAY;
	assert_int_equal(accept_post(fx, &accept).outcome, POST_ACCEPTED);
	return accept.post_id;
}

static struct dashboard_page find_by(struct fixture *fx, const struct app_row *app,
				     struct dashboard_filter filter)
{
	struct dashboard_page page = {0};
	struct error err = {0};
	filter.app_id = app->id;
	if (filter.max == 0)
		filter.max = 10;
	if (filter.below_ordinal == 0)
		filter.below_ordinal = INT64_MAX;
	ok(store_dashboard_find(fx->store, fx->arena, &filter, &page, &err), &err);
	return page;
}

/* The ordinals that words find: "3 1 ". */
static const char *found(struct fixture *fx, const struct app_row *app, const char *text)
{
	const struct dashboard_page page =
		find_by(fx, app, (struct dashboard_filter){.text = str_of(text)});
	char *list = arena_alloc(fx->arena, 1000);
	size_t length = 0;
	list[0] = '\0';
	for (size_t i = 0; i < page.count; i++)
		length += (size_t)snprintf(list + length, 1000 - length, "%d ",
					   (int)page.places[i].ordinal);
	return list;
}

static void words_find_posts(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row foreign = make_account(fx, &other, "bob", PLATFORM_X);
	int64_t waiting = 0;
	post_saying(fx, &ann, "Grand opening caf\u00e9 on Monday", NOW);
	post_saying(fx, &ann, "The OPENING is moved: \u6771\u4eac\u90fd", NOW);
	post_saying(fx, &ann, "Nothing", NOW + 5);
	post_saying(fx, &foreign, "Grand opening elsewhere", NOW);
	assert_string_equal(found(fx, &app, "opening"), "");
	ok(store_words_waiting(fx->store, app.id, &waiting, &err), &err);
	assert_int_equal(waiting, 3);
	index_all(fx);
	ok(store_words_waiting(fx->store, app.id, &waiting, &err), &err);
	assert_int_equal(waiting, 0);

	assert_string_equal(found(fx, &app, "opening"), "2 1 ");
	assert_string_equal(found(fx, &app, "OPENING grand"), "1 ");
	assert_string_equal(found(fx, &app, "grand op"), "1 ");
	assert_string_equal(found(fx, &app, "gran opening"), "");
	assert_string_equal(found(fx, &app, "cafe"), "1 ");
	assert_string_equal(found(fx, &app, "\u4eac\u90fd"), "2 ");
	assert_string_equal(found(fx, &app, "\u6771"), "2 ");
	assert_string_equal(found(fx, &app, "elsewhere"), "");
	assert_string_equal(found(fx, &app, "!"), "");
	assert_string_equal(found(fx, &other, "opening"), "1 ");
}

/* What a query language would read are signs like any other. */
static void what_was_typed_is_no_query(void **state)
{
	static const char *const typed[] = {
		"opening OR",
		"nothing\" OR \"opening",
		"NOT opening",
		"words:opening",
		"opening & !nothing",
		"'opening' | 'nothing'",
		"^opening +nothing",
		"NEAR(opening nothing)",
		"post_words",
		"rank",
		"*",
		"\"",
		"'",
		"\\",
		":*",
	};
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	post_saying(fx, &ann, "opening", NOW);
	post_saying(fx, &ann, "nothing", NOW);
	index_all(fx);
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++)
		assert_string_equal(found(fx, &app, typed[i]), "");
	/* another app's own word cannot be typed */
	assert_string_equal(
		found(fx, &app, str_z(fx->arena, str_concat(fx->arena, STR("_"), app.id))), "");
}

static void words_and_filters_together(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row bob = make_account(fx, &app, "bob", PLATFORM_LINKEDIN);
	post_saying(fx, &ann, "sale one", NOW);
	post_saying(fx, &bob, "sale two", NOW + US_PER_S);
	post_saying(fx, &ann, "sale three", NOW + 2 * US_PER_S);
	index_all(fx);
	struct dashboard_page page = find_by(
		fx, &app, (struct dashboard_filter){.text = STR("sale"), .user_id = STR("bob")});
	assert_int_equal(page.count, 1);
	assert_int_equal(page.places[0].ordinal, 2);
	page = find_by(fx, &app,
		       (struct dashboard_filter){.text = STR("sale"), .status = STR("failed")});
	assert_int_equal(page.count, 0);
	page = find_by(fx, &app,
		       (struct dashboard_filter){.text = STR("sale"), .status = STR("scheduled")});
	assert_int_equal(page.count, 3);
	page = find_by(fx, &app,
		       (struct dashboard_filter){.text = STR("sale"),
						 .platform_mask = 1 << PLATFORM_LINKEDIN});
	assert_int_equal(page.count, 1);
}

/* Posts of one millisecond too; each once, on whichever page. */
static void pages_of_what_words_find(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	for (int i = 0; i < 3 * STORE_WORDS_BATCH; i++)
		post_saying(fx, &ann, i % 2 == 0 ? "even sale" : "odd", NOW + i / 40 * US_PER_MS);
	index_all(fx);
	int64_t below = INT64_MAX;
	int64_t expected = 3 * STORE_WORDS_BATCH - 1;
	size_t total = 0;
	while (below > 1) {
		const struct dashboard_page page =
			find_by(fx, &app,
				(struct dashboard_filter){
					.text = STR("sale"), .below_ordinal = below, .max = 7});
		for (size_t i = 0; i < page.count; i++, expected -= 2)
			assert_int_equal(page.places[i].ordinal, expected);
		total += page.count;
		below = page.count == 7 ? page.places[6].ordinal : page.looked_down_to;
	}
	assert_int_equal(total, 3 * STORE_WORDS_BATCH / 2);
}

static void edit_to(struct fixture *fx, const struct app_row *app, struct str post_id,
		    const char *text)
{
	const struct post_row post = get_post(fx, app, post_id);
	struct post_change_result result = {0};
	struct error err = {0};
	const struct post_edit edit = {.app_id = app->id,
				       .post_id = post_id,
				       .content_read = post.content,
				       .scheduled_read_us = post.scheduled_at_us,
				       .content = content_of(fx, text),
				       .mode = POST_MODE_BASIC,
				       .now_us = NOW};
	ok(store_post_edit(fx->store, &edit, &result, &err), &err);
	assert_int_equal(result.outcome, POST_CHANGED);
}

/* ---- what is common ---- */

/* The ordinals that words find at that cost, and down to where it looked: "3 1 | 0". */
static const char *found_at(struct fixture *fx, const struct app_row *app, const char *text,
			    const struct dashboard_costs *costs)
{
	const struct dashboard_filter filter = {.text = str_of(text), .costs = costs, .max = 3};
	const struct dashboard_page page = find_by(fx, app, filter);
	char *list = arena_alloc(fx->arena, 1000);
	size_t length = 0;
	for (size_t i = 0; i < page.count; i++)
		length += (size_t)snprintf(list + length, 1000 - length, "%d ",
					   (int)page.places[i].ordinal);
	if (page.count < 3)
		snprintf(list + length, 1000 - length, "| %d",
			 page.looked_down_to > 1 ? (int)page.looked_down_to : 0);
	return list;
}

/* However it goes about it, the same posts are found, those of another app never. */
static void common_words_find_the_newest(void **state)
{
	static const struct dashboard_costs ways[] = {
		{.begin_posts = 1000, .begin_words = 32, .newest_rows = 1000, .walk_posts = 10},
		{.begin_posts = 1, .begin_words = 32, .newest_rows = 1, .walk_posts = 10},
		{.begin_posts = 1, .begin_words = 1, .newest_rows = 3, .walk_posts = 10},
	};
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row bob = make_account(fx, &other, "bob", PLATFORM_X);
	static const char *const texts[] = {"loaf first", "loaves", "loafers",     "rolls",
					    "loaf last",  "rolls",  "loading dock"};
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		post_saying(fx, &ann, texts[i], NOW + (int64_t)i * US_PER_S);
		post_saying(fx, &bob, "loafers loaf", NOW + (int64_t)i * US_PER_S);
	}
	index_all(fx);
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		assert_string_equal(found_at(fx, &app, "loa", &ways[i]), "7 5 3 ");
		assert_string_equal(found_at(fx, &app, "loaf", &ways[i]), "5 3 1 ");
		assert_string_equal(found_at(fx, &app, "lo rolls", &ways[i]), "| 0");
		assert_string_equal(found_at(fx, &app, "last loa", &ways[i]), "5 | 0");
		assert_string_equal(found_at(fx, &app, "roll", &ways[i]), "6 4 | 0");
	}
}

/* Posts that are read are as many as are asked for, and the page says how far that was. */
static void what_is_read_has_an_end(void **state)
{
	const struct dashboard_costs costs = {
		.begin_posts = 1, .begin_words = 1, .newest_rows = 1, .walk_posts = 1};
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	post_saying(fx, &ann, "wordone", NOW);
	post_saying(fx, &ann, "wordtwo", NOW);
	for (int i = 0; i < 9; i++)
		post_saying(fx, &ann, "other", NOW);
	index_all(fx);
	const struct dashboard_filter filter = {.text = STR("word"), .costs = &costs};
	const struct dashboard_page page = find_by(fx, &app, filter);
	if (fx->directory[0] == '\0') { /* the index of a server tells all at once */
		assert_int_equal(page.count, 2);
		return;
	}
	assert_int_equal(page.count, 0);
	assert_int_equal(page.looked_down_to, 4);
	const struct dashboard_filter next = {
		.text = STR("word"), .costs = &costs, .below_ordinal = page.looked_down_to};
	assert_int_equal(find_by(fx, &app, next).count, 2);
}

static void an_edit_renews_the_words(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct str first = post_saying(fx, &ann, "spring sale", NOW);
	index_all(fx);
	edit_to(fx, &app, first, "summer sale");
	assert_string_equal(found(fx, &app, "spring"), "");
	assert_string_equal(found(fx, &app, "summer"), "1 ");
	edit_to(fx, &app, first, "");
	assert_string_equal(found(fx, &app, "sale"), "");
	edit_to(fx, &app, first, "autumn");
	assert_string_equal(found(fx, &app, "autumn"), "1 ");

	const struct str second = post_saying(fx, &ann, "winter", NOW);
	edit_to(fx, &app, second, "storm");
	index_all(fx);
	assert_string_equal(found(fx, &app, "winter"), "");
	assert_string_equal(found(fx, &app, "storm"), "2 ");
}

static void it_can_be_made_again(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	post_saying(fx, &ann, "once", NOW);
	index_all(fx);
	ok(store_words_rebuild(fx->store, &err), &err);
	assert_string_equal(found(fx, &app, "once"), "");
	ok(store_words_open(fx->store, &err), &err);
	index_all(fx);
	assert_string_equal(found(fx, &app, "once"), "1 ");
	ok(store_words_open(fx->store, &err), &err);
	assert_string_equal(found(fx, &app, "once"), "1 ");
}

/* What the crash took was not committed, and what was is not done twice. */
static void it_goes_on_after_a_crash(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	int64_t posts = 0;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	index_all(fx);
	for (int i = 0; i < STORE_WORDS_BATCH + 1; i++)
		post_saying(fx, &ann, "again", NOW + i * US_PER_MS);
	ok(store_words_index(fx->store, &posts, &err), &err);
	assert_int_equal(posts, STORE_WORDS_BATCH);
	fixture_reopen(fx);
	ok(store_words_index(fx->store, &posts, &err), &err);
	assert_int_equal(posts, 1);
	ok(store_words_index(fx->store, &posts, &err), &err);
	assert_int_equal(posts, 0);
	const struct dashboard_page page =
		find_by(fx, &app, (struct dashboard_filter){.text = STR("again"), .max = 100});
	assert_int_equal(page.count, STORE_WORDS_BATCH + 1);
}

/* ---- who keeps it rests meanwhile ---- */

#define LONG_MS 10000 /* not reached */

static void what_is_left_wakes(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	post_saying(fx, &ann, "before", NOW);
	assert_true(store_words_wait(fx->store, LONG_MS));
	index_all(fx);
	assert_false(store_words_wait(fx->store, 1));
	post_saying(fx, &ann, "alarm clock", NOW);
	post_saying(fx, &ann, "alarm clock", NOW);
	assert_true(store_words_wait(fx->store, 0));
	index_all(fx);
	make_account(fx, &app, "bob", PLATFORM_X);
	assert_false(store_words_wait(fx->store, 1));
	ok(store_words_rebuild(fx->store, &err), &err);
	assert_true(store_words_wait(fx->store, LONG_MS));
	store_words_wait_end(fx->store);
	assert_false(store_words_wait(fx->store, 0));
	fixture_reopen(fx);
}

/* ---- erasure ---- */

/* Is it in the database's file, or in its log? Files are looked at; a server's are its own. */
static bool is_on_the_disk(const struct fixture *fx, const char *word)
{
	static const char *const names[] = {"test.db", "test.db-wal"};
	bool is_there = false;
	char *bytes = malloc(FILE_MAX_BYTES);
	for (size_t i = 0; i < 2; i++) {
		char path[128];
		snprintf(path, sizeof(path), "%s/%s", fx->directory, names[i]);
		FILE *file = fopen(path, "rb");
		const size_t length = file != NULL ? fread(bytes, 1, FILE_MAX_BYTES, file) : 0;
		is_there = is_there || memmem(bytes, length, word, strlen(word)) != NULL;
		if (file != NULL)
			fclose(file);
	}
	free(bytes);
	return is_there;
}

static void purge(struct fixture *fx)
{
	struct error err = {0};
	bool is_more = true;
	for (int i = 0; i < 1000 && is_more; i++)
		ok(store_words_purge(fx->store, &is_more, &err), &err);
	assert_false(is_more);
	fixture_reopen(fx); /* and with it the log is put into the file */
}

static void assert_erased(struct fixture *fx, const char *word)
{
	if (fx->directory[0] == '\0')
		return;
	purge(fx);
	assert_false(is_on_the_disk(fx, word));
}

static void erase_user(struct fixture *fx, const struct app_row *app, struct str user_id)
{
	struct error err = {0};
	struct user_counts counts = {0};
	struct erasure *erasures = NULL;
	size_t count = 0;
	enum erasure_step step = ERASURE_STEP_MORE;
	const struct user_erasing erasing = {.app_id = app->id, .user_id = user_id, .now_us = NOW};
	ok(store_user_erase_begin(fx->store, &erasing, &counts, &err), &err);
	ok(store_erasure_list(fx->store, fx->arena, 1, &erasures, &count, &err), &err);
	assert_int_equal(count, 1);
	struct account_row *accounts = NULL;
	size_t account_count = 0;
	ok(store_erasure_connected(fx->store, fx->arena, erasures[0].id, 10, &accounts,
				   &account_count, &err),
	   &err);
	for (size_t i = 0; i < account_count; i++)
		ok(store_account_disconnect(fx->store, accounts[i].id, NOW, &err), &err);
	while (step == ERASURE_STEP_MORE)
		ok(store_erasure_go_on(fx->store, &erasures[0], NOW, &step, &err), &err);
	assert_int_equal(step, ERASURE_STEP_DONE);
	ok(store_erasure_finish(fx->store, &erasures[0], NOW, &err), &err);
}

static void words_go_with_their_user(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row bob = make_account(fx, &app, "bob", PLATFORM_X);
	post_saying(fx, &ann, "annsecretword shared", NOW);
	index_all(fx);
	post_saying(fx, &bob, "bobs shared", NOW);
	index_all(fx);
	assert_true(fx->directory[0] == '\0' || is_on_the_disk(fx, "annsecretword"));
	erase_user(fx, &app, STR("ann"));
	assert_string_equal(found(fx, &app, "annsecretword"), "");
	assert_string_equal(found(fx, &app, "shared"), "2 ");
	assert_erased(fx, "annsecretword");
	assert_string_equal(found(fx, &app, "shared"), "2 ");
}

static enum err_kind erase_app(struct store_tx *tx, void *argument, struct error *err)
{
	return store_app_end_erase(tx, NOW + 1, 2, argument, err);
}

static void words_go_with_their_app(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	int64_t erased = 0;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row bob = make_account(fx, &other, "bob", PLATFORM_X);
	for (int i = 0; i < 5; i++)
		post_saying(fx, &ann, "appsecretword", NOW);
	post_saying(fx, &bob, "kept", NOW);
	index_all(fx);
	store_words_wait(fx->store, 1);
	ok(store_app_end_begin(fx->store, app.id, NOW, &err), &err);
	ok(store_app_end_cancel_all(fx->store, NOW, &err), &err);
	do
		ok(store_write(fx->store, erase_app, &erased, &err), &err);
	while (erased > 0);
	assert_string_equal(found(fx, &app, "appsecretword"), "");
	/* bytes are left to a purge where nothing else takes them */
	assert_true(store_words_wait(fx->store, 1) == (fx->directory[0] != '\0'));
	assert_erased(fx, "appsecretword");
	assert_string_equal(found(fx, &other, "kept"), "1 ");
}

int run_words_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(words_find_posts),
		STORE_TEST(what_was_typed_is_no_query),
		STORE_TEST(words_and_filters_together),
		STORE_TEST(pages_of_what_words_find),
		STORE_TEST(an_edit_renews_the_words),
		STORE_TEST(it_can_be_made_again),
		STORE_TEST(it_goes_on_after_a_crash),
		STORE_TEST(words_go_with_their_user),
		STORE_TEST(words_go_with_their_app),
		STORE_TEST(what_is_left_wakes),
		STORE_TEST(common_words_find_the_newest),
		STORE_TEST(what_is_read_has_an_end),
	};
	return cmocka_run_group_tests_name("words", tests, fixture_open, fixture_close);
}
