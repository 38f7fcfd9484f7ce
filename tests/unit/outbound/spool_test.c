/* SPDX-License-Identifier: Apache-2.0
 * The spool over its own files: what is kept, what is removed, what a crash may leave, and the
 * budget. A few fetches go through the real transport. */
#include "spool.h"

#include "fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "buf.h"
#include "count_of.h"

#define POST_A "0193a000-0000-7000-8000-00000000000a"
#define POST_B "0193a000-0000-7000-8000-00000000000b"
#define FILES_OF_ONE 3 /* the medium, its digest, its object (another name of the medium) */
#define SHA256_HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

struct world {
	struct arena *arena;
	struct spool *spool;
	char directory[32];
	char path[48];
};

static void open_spool(struct world *w, int64_t budget_bytes, int64_t file_max_bytes)
{
	const struct spool_config config = {
		.directory = w->path,
		.budget_bytes = budget_bytes,
		.file_max_bytes = file_max_bytes,
	};
	spool_close(&w->spool);
	assert_int_equal(spool_open(&config, &w->spool, NULL), ERR_NONE);
}

static int world_set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	w->arena = arena_new("test", 1 << 20);
	snprintf(w->directory, sizeof(w->directory), "/tmp/spool_test.XXXXXX");
	assert_non_null(mkdtemp(w->directory));
	snprintf(w->path, sizeof(w->path), "%s/spool", w->directory);
	open_spool(w, 0, 0);
	*state = w;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
	(void)status;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static int world_tear_down(void **state)
{
	struct world *w = *state;
	spool_close(&w->spool);
	spool_close(&w->spool);
	nftw(w->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	arena_free(&w->arena);
	free(w);
	return 0;
}

static struct transfer_request request_of(struct world *w, const char *key)
{
	struct transfer_request request;
	assert_int_equal(spool_fetch_request(w->spool, w->arena, str_of(key),
					     STR("https://media.example.com/a"), &request, NULL),
			 ERR_NONE);
	return request;
}

static void write_part(const struct transfer_request *request, struct str content)
{
	const int fd = open(request->save_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content.ptr, content.len), content.len);
	close(fd);
}

static enum err_kind finish(struct world *w, const char *key, int status, struct spool_file *file)
{
	const struct transfer_result result = {.outcome = TRANSFER_ANSWERED, .status = status};
	return spool_fetch_finish(w->spool, w->arena, str_of(key), &result, file, NULL);
}

static enum err_kind fetch(struct world *w, const char *key, struct str content)
{
	struct spool_file file;
	const struct transfer_request request = request_of(w, key);
	write_part(&request, content);
	return finish(w, key, 200, &file);
}

static bool is_kept(struct world *w, const char *key)
{
	struct spool_file file;
	return spool_find(w->spool, w->arena, str_of(key), &file);
}

static int counted;

static int count_file(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
	(void)path;
	(void)status;
	(void)ftw;
	counted += kind == FTW_F;
	return 0;
}

static int count_files(const struct world *w)
{
	counted = 0;
	nftw(w->path, count_file, 16, FTW_PHYS);
	return counted;
}

static void a_fetched_file_is_found_again(void **state)
{
	struct world *w = *state;
	struct spool_file file = {0};
	struct spool_file found = {0};
	struct stat status;
	assert_false(is_kept(w, POST_A "-0"));
	const struct transfer_request request = request_of(w, POST_A "-0");
	assert_int_equal(request.pool, TRANSFER_MEDIA);
	assert_string_equal(request.method, "GET");
	assert_true(str_equal_z(request.url, "https://media.example.com/a"));
	assert_int_equal(request.redirects_max, 3);
	assert_true(request.low_speed_bytes_s > 0);
	assert_true(request.timeout_ms > 0);
	assert_int_equal(request.response_max_bytes, SPOOL_FILE_MAX_BYTES);
	write_part(&request, STR("hello"));
	assert_false(is_kept(w, POST_A "-0")); /* not before it is whole */
	assert_int_equal(finish(w, POST_A "-0", 206, &file), ERR_NONE);
	assert_int_equal(file.size_bytes, 5);
	assert_string_equal(file.sha256, SHA256_HELLO);
	assert_int_equal(file.sniff.type, SNIFF_UNKNOWN);
	assert_int_equal(stat(file.path.ptr, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(stat(w->path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_not_equal(access(request.save_path, F_OK), 0);
	open_spool(w, 0, 0);
	assert_true(spool_find(w->spool, w->arena, STR(POST_A "-0"), &found));
	assert_true(str_equal(found.path, file.path));
	assert_int_equal(found.size_bytes, 5);
	assert_string_equal(found.sha256, SHA256_HELLO);
}

static void what_it_is_is_looked_at(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0";
	assert_int_equal(fetch(w, "a", (struct str){png, 29}), ERR_NONE);
	assert_true(spool_find(w->spool, w->arena, STR("a"), &file));
	assert_int_equal(file.sniff.type, SNIFF_PNG);
	assert_int_equal(file.sniff.width, 2);
	assert_int_equal(file.sniff.height, 3);
}

static void a_second_fetch_replaces_the_first(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	assert_int_equal(fetch(w, "a", STR("something else")), ERR_NONE);
	assert_int_equal(fetch(w, "a", STR("hello")), ERR_NONE);
	assert_true(spool_find(w->spool, w->arena, STR("a"), &file));
	assert_string_equal(file.sha256, SHA256_HELLO);
	assert_int_equal(count_files(w), FILES_OF_ONE);
}

static void keys_are_names_and_nothing_else(void **state)
{
	struct world *w = *state;
	char too_long[102];
	memset(too_long, 'a', 101);
	too_long[101] = '\0';
	const char *const bad[] = {"", ".", "..", "a/b", "../a", "a.part", "a b", "a\n", too_long};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct transfer_request request;
		struct spool_file file;
		assert_int_equal(spool_fetch_request(w->spool, w->arena, str_of(bad[i]), STR("x"),
						     &request, NULL),
				 ERR_INVALID);
		assert_int_equal(finish(w, bad[i], 200, &file), ERR_INVALID);
		assert_false(is_kept(w, bad[i]));
	}
	assert_int_equal(fetch(w, "a", STR("x")), ERR_NONE);
	spool_remove(w->spool, STR(""));
	spool_remove(w->spool, STR("../"));
	assert_true(is_kept(w, "a"));
}

static void failures_leave_nothing_and_say_what_may_be_done(void **state)
{
	static const struct {
		enum transfer_outcome outcome;
		enum transfer_problem problem;
		int status;
		enum err_kind kind;
	} rows[] = {
		{TRANSFER_ANSWERED, TRANSFER_OK, 404, ERR_NOT_FOUND},
		{TRANSFER_ANSWERED, TRANSFER_OK, 410, ERR_NOT_FOUND},
		{TRANSFER_ANSWERED, TRANSFER_OK, 403, ERR_INVALID},
		{TRANSFER_ANSWERED, TRANSFER_OK, 302, ERR_INVALID},
		{TRANSFER_ANSWERED, TRANSFER_OK, 429, ERR_TEMPORARY},
		{TRANSFER_ANSWERED, TRANSFER_OK, 500, ERR_TEMPORARY},
		{TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ERR_TEMPORARY},
		{TRANSFER_LOST, TRANSFER_TOO_LARGE, 0, ERR_TOO_LARGE},
		{TRANSFER_LOST, TRANSFER_BAD_REDIRECT, 0, ERR_INVALID},
		{TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 0, ERR_FORBIDDEN},
		{TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD, 0, ERR_FORBIDDEN},
		{TRANSFER_NEVER_SENT, TRANSFER_NAME_NOT_RESOLVED, 0, ERR_TEMPORARY},
		{TRANSFER_LOST, TRANSFER_DISK_FAILED, 0, ERR_TEMPORARY},
	};
	struct world *w = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = {0};
		struct spool_file file;
		const struct transfer_request request = request_of(w, "a");
		const struct transfer_result result = {
			.outcome = rows[i].outcome,
			.problem = rows[i].problem,
			.status = rows[i].status,
			.error_text = STR("why"),
		};
		write_part(&request, STR("half"));
		assert_int_equal(
			spool_fetch_finish(w->spool, w->arena, STR("a"), &result, &file, &err),
			rows[i].kind);
		assert_true(err.text[0] != '\0');
		assert_false(is_kept(w, "a"));
		assert_int_equal(count_files(w), 0);
	}
	struct spool_file file;
	assert_int_equal(finish(w, "a", 200, &file), ERR_TEMPORARY); /* the file went away */
}

static void a_medium_without_its_digest_is_none(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	static const char *const bad[] = {"", "2cf24d", "not hex", NULL};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(fetch(w, "a", STR("hello")), ERR_NONE);
		assert_true(spool_find(w->spool, w->arena, STR("a"), &file));
		const char *digest = str_format(w->arena, "%s.sha256", file.path.ptr).ptr;
		unlink(digest);
		if (bad[i] != NULL) {
			const int fd = open(digest, O_WRONLY | O_CREAT | O_EXCL, 0600);
			assert_int_equal(write(fd, bad[i], strlen(bad[i])), strlen(bad[i]));
			close(fd);
		}
		assert_false(is_kept(w, "a"));
	}
}

static void the_budget_holds(void **state)
{
	struct world *w = *state;
	struct transfer_request request;
	struct transfer_request other;
	struct spool_file file;
	struct error err = {0};
	const int64_t digest_bytes = 64;
	open_spool(w, 100 + 2 * digest_bytes, 60);
	request = request_of(w, "a");
	other = request_of(w, "b");
	assert_int_equal(request.response_max_bytes, 60);
	char content[60] = "a";
	write_part(&request, (struct str){content, 60});
	content[0] = 'b';
	write_part(&other, (struct str){content, 60});
	assert_int_equal(finish(w, "a", 200, &file), ERR_NONE);
	assert_int_equal(finish(w, "b", 200, &file), ERR_NONE); /* 60 + 64 + 60 of 228 */
	assert_int_equal(
		spool_fetch_request(w->spool, w->arena, STR("c"), STR("x"), &request, &err),
		ERR_TOO_LARGE);
	open_spool(w, 100 + 2 * digest_bytes, 60); /* counted again */
	assert_int_equal(
		spool_fetch_request(w->spool, w->arena, STR("c"), STR("x"), &request, &err),
		ERR_TOO_LARGE);
	spool_remove(w->spool, STR("a"));
	assert_int_equal(
		spool_fetch_request(w->spool, w->arena, STR("c"), STR("x"), &request, NULL),
		ERR_NONE);
	assert_int_equal(request.response_max_bytes, 60);
	spool_remove(w->spool, STR("b"));
	open_spool(w, 50, 60);
	request = request_of(w, "c");
	assert_int_equal(request.response_max_bytes, 50);
	const struct transfer_result over = {.outcome = TRANSFER_LOST,
					     .problem = TRANSFER_TOO_LARGE};
	assert_int_equal(spool_fetch_finish(w->spool, w->arena, STR("c"), &over, &file, NULL),
			 ERR_TEMPORARY); /* the budget, not the file, was too small */
}

static void fetches_side_by_side_cannot_pass_the_budget(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	open_spool(w, 130, 60);
	const struct transfer_request first = request_of(w, "a");
	const struct transfer_request second = request_of(w, "b");
	char content[60] = "a";
	write_part(&first, (struct str){content, 60});
	content[0] = 'b';
	write_part(&second, (struct str){content, 60});
	assert_int_equal(finish(w, "a", 200, &file), ERR_NONE);
	assert_int_equal(finish(w, "b", 200, &file), ERR_TEMPORARY);
	assert_false(is_kept(w, "b"));
	assert_int_equal(count_files(w), FILES_OF_ONE);
}

static void a_posts_files_go_together(void **state)
{
	struct world *w = *state;
	static const char *const keys[] = {POST_A "-0", POST_A "-1", POST_B "-0", "short"};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(fetch(w, keys[i], STR("hello")), ERR_NONE);
	spool_remove(w->spool, STR(POST_A));
	assert_false(is_kept(w, POST_A "-0"));
	assert_false(is_kept(w, POST_A "-1"));
	assert_true(is_kept(w, POST_B "-0"));
	spool_remove(w->spool, STR("0193a000"));
	assert_false(is_kept(w, POST_B "-0"));
	assert_true(is_kept(w, "short"));
	assert_int_equal(count_files(w), FILES_OF_ONE);
}

static bool only_b(void *context, struct str key)
{
	(void)context;
	return str_equal_z(key, POST_B "-0");
}

static void a_sweep_keeps_what_is_needed_and_under_way(void **state)
{
	struct world *w = *state;
	const struct transfer_request earlier = request_of(w, "half");
	write_part(&earlier, STR("half"));
	assert_int_equal(fetch(w, POST_A "-0", STR("hello")), ERR_NONE);
	assert_int_equal(fetch(w, POST_B "-0", STR("hello")), ERR_NONE);
	open_spool(w, 0, 0);
	const struct transfer_request now = request_of(w, "now");
	write_part(&now, STR("hello"));
	spool_sweep(w->spool, only_b, NULL);
	assert_int_not_equal(access(earlier.save_path, F_OK), 0);
	assert_int_equal(access(now.save_path, F_OK), 0);
	assert_false(is_kept(w, POST_A "-0"));
	assert_true(is_kept(w, POST_B "-0"));
	assert_int_equal(count_files(w), FILES_OF_ONE + 1);
}

static void a_directory_that_cannot_be_made_is_told(void **state)
{
	(void)state;
	struct spool *spool = NULL;
	struct error err = {0};
	const struct spool_config config = {.directory = "/proc/no/spool"};
	assert_int_equal(spool_open(&config, &spool, &err), ERR_INTERNAL);
	assert_null(spool);
	assert_non_null(strstr(err.text, "/proc/no/spool"));
}

static void media_are_fetched_through_the_guard(void **state)
{
	static const struct {
		const char *host;
		const char *path;
		enum err_kind kind;
	} rows[] = {
		{"media.example.com", "/png", ERR_NONE},
		{"media.example.com", "/404", ERR_NOT_FOUND},
		{"media.example.com", "/truncated", ERR_TEMPORARY},
		{"media.example.com", "/announces-much", ERR_TOO_LARGE},
		{"private.example.com", "/png", ERR_FORBIDDEN},
		{"none.example.com", "/png", ERR_TEMPORARY},
	};
	struct world *w = *state;
	struct fixture *f = NULL;
	fixture_set_up((void **)&f);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct transfer_request request;
		struct spool_file file;
		const struct str url = fixture_url(f, rows[i].host, rows[i].path);
		assert_int_equal(
			spool_fetch_request(w->spool, w->arena, STR("a"), url, &request, NULL),
			ERR_NONE);
		const struct transfer_result result = fixture_call(f, &request);
		assert_int_equal(
			spool_fetch_finish(w->spool, w->arena, STR("a"), &result, &file, NULL),
			rows[i].kind);
		assert_int_equal(is_kept(w, "a"), rows[i].kind == ERR_NONE);
		spool_remove(w->spool, STR("a"));
		assert_int_equal(count_files(w), 0);
	}
	fixture_tear_down((void **)&f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_fetched_file_is_found_again),
		TEST(what_it_is_is_looked_at),
		TEST(a_second_fetch_replaces_the_first),
		TEST(keys_are_names_and_nothing_else),
		TEST(failures_leave_nothing_and_say_what_may_be_done),
		TEST(a_medium_without_its_digest_is_none),
		TEST(the_budget_holds),
		TEST(fetches_side_by_side_cannot_pass_the_budget),
		TEST(a_posts_files_go_together),
		TEST(a_sweep_keeps_what_is_needed_and_under_way),
		TEST(a_directory_that_cannot_be_made_is_told),
		TEST(media_are_fetched_through_the_guard),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
