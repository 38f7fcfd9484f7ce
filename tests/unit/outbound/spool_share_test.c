/* SPDX-License-Identifier: Apache-2.0
 * What one app may have of the spool, and that every way a file comes and goes is counted. */
#include "spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arena.h"

#define POST_A "0193a000-0000-7000-8000-00000000000a"
#define POST_B "0193a000-0000-7000-8000-00000000000b"

struct world {
	struct arena *arena;
	struct spool *spool;
	char directory[32];
};

static void open_spool(struct world *w, int64_t budget_bytes)
{
	const struct spool_config config = {.directory = w->directory,
					    .budget_bytes = budget_bytes};
	spool_close(&w->spool);
	assert_int_equal(spool_open(&config, &w->spool, NULL), ERR_NONE);
}

static int world_set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	w->arena = arena_new("test", 1 << 20);
	snprintf(w->directory, sizeof(w->directory), "/tmp/spool_share.XXXXXX");
	assert_non_null(mkdtemp(w->directory));
	open_spool(w, 0);
	*state = w;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
	(void)status, (void)kind, (void)ftw;
	return remove(path);
}

static int world_tear_down(void **state)
{
	struct world *w = *state;
	spool_close(&w->spool);
	nftw(w->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	arena_free(&w->arena);
	free(w);
	return 0;
}

static void share(struct world *w, const char *key, const char *app_id, int64_t bytes_max,
		  int64_t files_max)
{
	const struct spool_share row = {str_of(app_id), bytes_max, files_max};
	spool_share_set(w->spool, str_of(key), &row);
}

static enum err_kind begin(struct world *w, const char *key, struct transfer_request *request)
{
	return spool_fetch_request(w->spool, w->arena, str_of(key),
				   STR("https://media.example.com/a"), request, NULL);
}

static enum err_kind end(struct world *w, const char *key, const struct transfer_request *request,
			 struct str content)
{
	const struct transfer_result result = {.outcome = TRANSFER_ANSWERED, .status = 200};
	struct spool_file file;
	const int fd = open(request->save_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content.ptr, content.len), content.len);
	close(fd);
	return spool_fetch_finish(w->spool, w->arena, str_of(key), &result, &file, NULL);
}

static enum err_kind fetch(struct world *w, const char *key, struct str content)
{
	struct transfer_request request;
	const enum err_kind kind = begin(w, key, &request);
	return kind == ERR_NONE ? end(w, key, &request, content) : kind;
}

static void assert_use(struct world *w, const char *app_id, int64_t bytes, int64_t files)
{
	int64_t bytes_now = -1;
	int64_t files_now = -1;
	spool_share_use(w->spool, str_of(app_id), &bytes_now, &files_now);
	assert_int_equal(bytes_now, bytes);
	assert_int_equal(files_now, files);
}

static void files_count_in_their_apps_share(void **state)
{
	struct world *w = *state;
	share(w, POST_A "-0", "one", 0, 0);
	share(w, POST_B "-0", "two", 0, 0);
	assert_int_equal(fetch(w, POST_A "-0", STR("hello")), ERR_NONE);
	assert_int_equal(fetch(w, POST_A "-1", STR("hello")), ERR_NONE); /* counts though shared */
	assert_int_equal(fetch(w, POST_B "-0", STR("hi")), ERR_NONE);
	assert_use(w, "one", 10, 2);
	assert_use(w, "two", 2, 1);
	assert_int_equal(fetch(w, POST_A "-1", STR("bye")), ERR_NONE); /* once more */
	assert_use(w, "one", 8, 2);
	spool_remove(w->spool, STR(POST_A));
	assert_use(w, "one", 0, 0);
	assert_use(w, "two", 2, 1);
	assert_false(spool_share_is_known(w->spool, STR(POST_A "-0")));
	assert_use(w, "nobody", 0, 0);
}

static void a_full_share_refuses_its_app_alone(void **state)
{
	struct world *w = *state;
	share(w, POST_A "-0", "one", 6, 2);
	share(w, POST_B "-0", "two", 6, 2);
	assert_int_equal(fetch(w, POST_A "-0", STR("hello")), ERR_NONE);
	assert_int_equal(spool_share_full(w->spool, STR(POST_A "-1"), 1), SPOOL_HAS_ROOM);
	assert_int_equal(spool_share_full(w->spool, STR(POST_A "-1"), 2), SPOOL_FULL_OF_BYTES);
	assert_int_equal(fetch(w, POST_A "-1", STR("hello")), ERR_TEMPORARY);
	assert_use(w, "one", 5, 1);
	assert_int_equal(fetch(w, POST_A "-1", STR("!")), ERR_NONE);
	assert_int_equal(spool_share_full(w->spool, STR(POST_A "-2"), 0), SPOOL_FULL_OF_FILES);
	assert_int_equal(fetch(w, POST_A "-2", STR("")), ERR_TOO_LARGE);
	assert_int_equal(fetch(w, POST_B "-0", STR("hello")), ERR_NONE);
	share(w, POST_A "-0", "one", 0, 0);
	assert_int_equal(fetch(w, POST_A "-2", STR("more")), ERR_NONE);
	assert_use(w, "one", 10, 3);
}

static void fetches_at_once_take_no_more_than_there_is(void **state)
{
	struct world *w = *state;
	struct transfer_request first;
	struct transfer_request second;
	share(w, POST_A "-0", "one", 0, 1);
	assert_int_equal(begin(w, POST_A "-0", &first), ERR_NONE);
	assert_int_equal(begin(w, POST_A "-1", &second), ERR_NONE);
	assert_int_equal(end(w, POST_A "-0", &first, STR("a")), ERR_NONE);
	assert_int_equal(end(w, POST_A "-1", &second, STR("b")), ERR_TEMPORARY);
	assert_use(w, "one", 1, 1);
}

static void one_app_never_has_the_whole_budget(void **state)
{
	struct world *w = *state;
	open_spool(w, 4000);
	share(w, POST_A "-0", "one", 0, 0);
	assert_int_equal(spool_share_full(w->spool, STR(POST_A "-0"), 3000), SPOOL_HAS_ROOM);
	assert_int_equal(spool_share_full(w->spool, STR(POST_A "-0"), 3001), SPOOL_FULL_OF_BYTES);
}

static bool adopting(void *context, struct str key)
{
	struct world *w = context;
	if (!spool_share_is_known(w->spool, key))
		spool_share_adopt(w->spool, key, STR("one"));
	return true;
}

static void files_of_an_earlier_run_count_again(void **state)
{
	struct world *w = *state;
	share(w, POST_A "-0", "one", 0, 0);
	assert_int_equal(fetch(w, POST_A "-0", STR("hello")), ERR_NONE);
	assert_int_equal(fetch(w, POST_A "-1", STR("hi")), ERR_NONE);
	open_spool(w, 0);
	assert_use(w, "one", 0, 0);
	spool_sweep(w->spool, adopting, w);
	assert_use(w, "one", 7, 2);
	spool_sweep(w->spool, adopting, w); /* and once only */
	assert_use(w, "one", 7, 2);
	spool_remove(w->spool, STR(POST_A));
	assert_use(w, "one", 0, 0);
}

#define SHARE_TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SHARE_TEST(files_count_in_their_apps_share),
		SHARE_TEST(a_full_share_refuses_its_app_alone),
		SHARE_TEST(fetches_at_once_take_no_more_than_there_is),
		SHARE_TEST(one_app_never_has_the_whole_budget),
		SHARE_TEST(files_of_an_earlier_run_count_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
