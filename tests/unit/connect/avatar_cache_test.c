/* SPDX-License-Identifier: Apache-2.0
 * The files of the pictures: what is taken, what is found again, and what goes when it is full. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remove_tree.h"

#include "arena.h"

#include "avatar_cache.h"

#define JPEG "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"
#define URL STR("https://cdn.example/a")

struct fixture {
	char directory[64];
	char pictures[80];
	struct arena *arena;
	struct avatar_cache cache;
};

static void open_with(struct fixture *fx, int64_t max_bytes)
{
	struct error err = {0};
	assert_int_equal(avatar_cache_open(&fx->cache, fx->pictures, max_bytes, &err), ERR_NONE);
}

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	assert_non_null(fx);
	snprintf(fx->directory, sizeof(fx->directory), "/tmp/avatars-XXXXXX");
	assert_non_null(mkdtemp(fx->directory));
	snprintf(fx->pictures, sizeof(fx->pictures), "%s/avatars", fx->directory);
	fx->arena = arena_new("test", 8 << 20);
	open_with(fx, 0);
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;
	avatar_cache_close(&fx->cache);
	arena_free(&fx->arena);
	remove_tree(fx->directory);
	free(fx);
	return 0;
}

static struct str jpeg(struct fixture *fx, size_t bytes)
{
	char *text = arena_alloc(fx->arena, bytes);
	memset(text, 0, bytes);
	memcpy(text, JPEG, sizeof(JPEG) - 1);
	return (struct str){text, bytes};
}

static const char *write_one(struct fixture *fx, struct str id, struct str bytes)
{
	const char *why = NULL;
	const bool is_kept = avatar_cache_write(&fx->cache, id, URL, bytes, &why);
	assert_int_equal(is_kept, why == NULL);
	return why;
}

static bool has(struct fixture *fx, struct str id)
{
	struct avatar avatar = {0};
	return avatar_cache_read(&fx->cache, fx->arena, id, URL, &avatar);
}

static void a_picture_is_found_again(void **state)
{
	struct fixture *fx = *state;
	struct avatar avatar = {0};
	assert_null(write_one(fx, STR("01a2-b"), jpeg(fx, 4000)));
	avatar_cache_close(&fx->cache);
	open_with(fx, 0);
	assert_true(avatar_cache_read(&fx->cache, fx->arena, STR("01a2-b"), URL, &avatar));
	assert_true(avatar.is_current && avatar.bytes.len == 4000);
	assert_string_equal(avatar.mime_type, "image/jpeg");
	assert_true(fx->cache.used_bytes > 4000);
	assert_true(avatar_cache_read(&fx->cache, fx->arena, STR("01a2-b"), STR("https://other"),
				      &avatar));
	assert_false(avatar.is_current);
	struct stat found;
	assert_int_equal(stat(fx->pictures, &found), 0);
	assert_int_equal(found.st_mode & 0777, 0700);
}

static void what_is_no_picture_is_not_taken(void **state)
{
	struct fixture *fx = *state;
	assert_non_null(strstr(write_one(fx, STR("1"), STR("<svg/>")), "no JPEG"));
	assert_non_null(strstr(write_one(fx, STR("1"), STR("%PDF-1.7 and more")), "no JPEG"));
	assert_non_null(strstr(write_one(fx, STR("1"), jpeg(fx, AVATAR_MAX_BYTES + 1)), "large"));
	assert_null(write_one(fx, STR("1"), jpeg(fx, AVATAR_MAX_BYTES)));
}

/* An id comes from the database; a name that leads elsewhere would have to come from there too. */
static void a_name_cannot_leave_the_folder(void **state)
{
	struct fixture *fx = *state;
	static const char *const names[] = {"../a", "a/b", ".", "..", "", "A", "new-a\n"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_non_null(write_one(fx, str_of(names[i]), jpeg(fx, 100)));
		assert_false(has(fx, str_of(names[i])));
	}
}

static void half_a_file_is_none(void **state)
{
	struct fixture *fx = *state;
	char path[128];
	assert_null(write_one(fx, STR("1"), jpeg(fx, 4000)));
	snprintf(path, sizeof(path), "%s/1", fx->pictures);
	assert_int_equal(truncate(path, 66), 0);
	assert_false(has(fx, STR("1")));
	assert_int_equal(truncate(path, 10), 0);
	assert_false(has(fx, STR("1")));
}

static bool keep_all(void *context, const struct str *ids, size_t count, bool *keeps)
{
	(void)context;
	(void)ids;
	memset(keeps, 1, count);
	return true;
}

static bool keep_second(void *context, const struct str *ids, size_t count, bool *keeps)
{
	(void)context;
	for (size_t i = 0; i < count; i++)
		keeps[i] = str_equal(ids[i], STR("2"));
	return true;
}

static bool not_now(void *context, const struct str *ids, size_t count, bool *keeps)
{
	(void)context;
	(void)ids;
	memset(keeps, 0, count);
	return false;
}

static void make_old(const struct fixture *fx, const char *name, int64_t by_s)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", fx->pictures, name);
	const struct timespec at = {.tv_sec = time(NULL) - by_s};
	const struct timespec both[] = {at, at};
	assert_int_equal(utimensat(AT_FDCWD, path, both, 0), 0);
}

static void a_full_cache_takes_nothing_and_gives_up_the_oldest(void **state)
{
	struct fixture *fx = *state;
	avatar_cache_close(&fx->cache);
	open_with(fx, 10000);
	assert_null(write_one(fx, STR("1"), jpeg(fx, 4000)));
	assert_null(write_one(fx, STR("2"), jpeg(fx, 5000)));
	assert_non_null(strstr(write_one(fx, STR("3"), jpeg(fx, 4000)), "full"));
	make_old(fx, "1", 60);
	make_old(fx, "2", 120);
	assert_int_equal(avatar_cache_sweep(&fx->cache, keep_all, NULL), 1);
	assert_true(has(fx, STR("1")) && !has(fx, STR("2")));
	assert_null(write_one(fx, STR("3"), jpeg(fx, 4000)));
	avatar_cache_remove(&fx->cache, STR("1"));
	assert_false(has(fx, STR("1")));
	assert_null(write_one(fx, STR("2"), jpeg(fx, 5000)));
}

static void a_sweep_removes_what_is_nobodys(void **state)
{
	struct fixture *fx = *state;
	char path[128];
	assert_null(write_one(fx, STR("1"), jpeg(fx, 100)));
	assert_null(write_one(fx, STR("2"), jpeg(fx, 100)));
	snprintf(path, sizeof(path), "%s/new-7", fx->pictures);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(avatar_cache_sweep(&fx->cache, not_now, NULL), 0);
	assert_int_equal(avatar_cache_sweep(&fx->cache, keep_second, NULL), 1);
	assert_true(has(fx, STR("2")) && !has(fx, STR("1")));
	assert_int_equal(access(path, F_OK), 0);
	make_old(fx, "new-7", 7200);
	assert_int_equal(avatar_cache_sweep(&fx->cache, keep_second, NULL), 1);
	assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_picture_is_found_again, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_picture_is_not_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(a_name_cannot_leave_the_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(half_a_file_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_cache_takes_nothing_and_gives_up_the_oldest,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_sweep_removes_what_is_nobodys, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
