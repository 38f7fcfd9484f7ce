/* SPDX-License-Identifier: Apache-2.0
 * Fetches that are cut and go on, over the real transport against a server that can be cut
 * anywhere; and marks that cannot be believed. */
#include "spool_private.h"

#include "fixture.h"

#include <fcntl.h>

#include "count_of.h"

#include "remove_tree.h"

#include "save.h"

#define KEY "0193a000-0000-7000-8000-00000000000a-0"

struct world {
	struct fixture *f;
	struct spool *spool;
	char directory[64];
	int64_t budget_bytes;
};

static void open_spool(struct world *w)
{
	const struct spool_config config = {.directory = w->directory,
					    .budget_bytes = w->budget_bytes};
	spool_close(&w->spool);
	assert_int_equal(spool_open(&config, &w->spool, NULL), ERR_NONE);
}

static int world_set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	fixture_set_up((void **)&w->f);
	snprintf(w->directory, sizeof(w->directory), "/tmp/spool-cut-test-XXXXXX");
	assert_non_null(mkdtemp(w->directory));
	open_spool(w);
	*state = w;
	return 0;
}

static int world_tear_down(void **state)
{
	struct world *w = *state;
	spool_close(&w->spool);
	remove_tree(w->directory);
	fixture_tear_down((void **)&w->f);
	free(w);
	return 0;
}

static enum err_kind fetch(struct world *w, struct spool_file *file)
{
	struct transfer_request request;
	struct str url = fixture_url(w->f, "media.example.com", "/ranged");
	assert_int_equal(spool_fetch_request(w->spool, w->f->arena, STR(KEY), url, &request, NULL),
			 ERR_NONE);
	request.id = ++w->f->next_id;
	const struct transfer_result result = fixture_call(w->f, &request);
	return spool_fetch_finish(w->spool, w->f->arena, STR(KEY), &result, file, NULL);
}

static void assert_whole(struct world *w, const struct spool_file *file)
{
	static char bytes[LYING_FILE_BYTES + 1];
	uint8_t hash[32];
	char digest[65];
	struct spool_file found;
	const int fd = open(file->path.ptr, O_RDONLY);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), LYING_FILE_BYTES);
	close(fd);
	for (size_t i = 0; i < LYING_FILE_BYTES; i++)
		if (bytes[i] != lying_file_byte(w->f->server->version, i))
			fail_msg("byte %zu", i);
	crypto_hash_sha256(hash, (const uint8_t *)bytes, LYING_FILE_BYTES);
	sodium_bin2hex(digest, sizeof(digest), hash, sizeof(hash));
	assert_string_equal(file->sha256, digest);
	assert_true(spool_find(w->spool, w->f->arena, STR(KEY), &found));
	assert_string_equal(found.sha256, digest);
}

static bool has_asked_for(struct world *w, const char *header)
{
	return strstr(w->f->server->last, header) != NULL;
}

static const char *cut_path(struct world *w)
{
	return spool_path(w->spool, w->f->arena, STR(KEY), ".cut");
}

static const char *mark_path(struct world *w)
{
	return spool_path(w->spool, w->f->arena, STR(KEY), ".cut.mark");
}

static void a_cut_fetch_goes_on_where_it_was_cut(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	w->f->server->cut_after = 100000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	assert_int_equal(spool_size_of(AT_FDCWD, cut_path(w)), 100000);
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY); /* and is cut again */
	assert_true(has_asked_for(w, "Range: bytes=100000-\r\n"));
	assert_true(has_asked_for(w, "If-Range: \"v1\"\r\n"));
	assert_int_equal(spool_size_of(AT_FDCWD, cut_path(w)), 200000);
	w->f->server->cut_after = 0;
	assert_int_equal(fetch(w, &file), ERR_NONE);
	assert_true(has_asked_for(w, "Range: bytes=200000-\r\n"));
	assert_whole(w, &file);
	assert_int_equal(access(cut_path(w), F_OK), -1);
	assert_int_equal(access(mark_path(w), F_OK), -1);
}

static bool is_needed(void *context, struct str key)
{
	return *(const bool *)context && str_equal_z(key, KEY);
}

static void a_restart_keeps_what_had_come(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	bool needed = true;
	w->f->server->cut_after = 150000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	open_spool(w);
	spool_sweep(w->spool, is_needed, &needed);
	w->f->server->cut_after = 0;
	assert_int_equal(fetch(w, &file), ERR_NONE);
	assert_true(has_asked_for(w, "Range: bytes=150000-\r\n"));
	assert_whole(w, &file);
	/* What no post needs any more goes. */
	spool_remove(w->spool, STR(KEY));
	w->f->server->cut_after = 150000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	needed = false;
	spool_sweep(w->spool, is_needed, &needed);
	assert_int_equal(access(cut_path(w), F_OK), -1);
	assert_int_equal(access(mark_path(w), F_OK), -1);
	assert_int_equal(w->spool->used_bytes, 0);
}

static void a_file_that_has_changed_begins_again(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	w->f->server->cut_after = 100000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	w->f->server->version = "\"w2\"";
	w->f->server->cut_after = 0;
	assert_int_equal(fetch(w, &file), ERR_NONE);
	assert_whole(w, &file);
}

static void a_server_without_ranges_begins_again(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	w->f->server->ignores_ranges = true;
	w->f->server->cut_after = 100000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	w->f->server->cut_after = 0;
	assert_int_equal(fetch(w, &file), ERR_NONE);
	assert_whole(w, &file);
}

/* 206 with other bytes than were asked for: they are not put together, and nothing of them is
 * kept. */
static void another_part_than_asked_for_is_not_taken(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	w->f->server->cut_after = 100000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	w->f->server->cut_after = 0;
	w->f->server->range_shift = 5;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	assert_int_equal(access(cut_path(w), F_OK), -1);
	w->f->server->range_shift = 0;
	assert_int_equal(fetch(w, &file), ERR_NONE);
	assert_whole(w, &file);
}

/* Some servers send at most so much at once: it is asked for until all is there. */
static void a_part_of_the_rest_is_not_the_file(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	w->f->server->cut_after = 100000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	w->f->server->cut_after = 0;
	w->f->server->range_max = 120000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	assert_int_equal(fetch(w, &file), ERR_NONE);
	assert_true(has_asked_for(w, "Range: bytes=220000-\r\n"));
	assert_whole(w, &file);
}

static void what_cannot_be_named_is_not_kept(void **state)
{
	static const char *const versions[] = {"W/\"v1\"", "v1", "\"\""};
	struct world *w = *state;
	struct spool_file file;
	for (size_t i = 0; i < 3; i++) {
		w->f->server->version = versions[i];
		w->f->server->cut_after = 100000;
		assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
		assert_int_equal(access(cut_path(w), F_OK), -1);
	}
	w->f->server->version = "\"v1\"";
	w->f->server->cut_after = 1000; /* not worth it */
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	assert_int_equal(access(cut_path(w), F_OK), -1);
	assert_int_equal(w->spool->used_bytes, 0);
}

static void marks_that_cannot_be_believed_are_dropped(void **state)
{
	static const char *const marks[] = {"", "cut", "cut 1 0.0.0 104\n5\n00\n\"v1\"\n",
					    "\n\n\n\n", NULL};
	struct world *w = *state;
	struct spool_file file;
	for (size_t i = 0; i < COUNT_OF(marks); i++) {
		w->f->server->cut_after = 100000;
		assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
		if (marks[i] != NULL)
			assert_int_equal(spool_write_file(mark_path(w), str_of(marks[i])), 0);
		else
			assert_int_equal(truncate(cut_path(w), 99999),
					 0); /* less than the mark says */
		open_spool(w);
		w->f->server->cut_after = 0;
		assert_int_equal(fetch(w, &file), ERR_NONE);
		assert_false(has_asked_for(w, "Range:"));
		assert_whole(w, &file);
		spool_remove(w->spool, STR(KEY));
		assert_int_equal(w->spool->used_bytes, 0);
	}
}

static void a_mark_may_be_cut_anywhere(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	char text[1024];
	w->f->server->cut_after = 100000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	const int fd = open(mark_path(w), O_RDONLY);
	const ssize_t len = read(fd, text, sizeof(text));
	close(fd);
	assert_true(len > 200);
	for (ssize_t i = 0; i < len; i += 7) {
		struct transfer_request request;
		assert_int_equal(spool_write_file(mark_path(w), (struct str){text, (size_t)i}), 0);
		const int cut = open(cut_path(w), O_WRONLY | O_CREAT, 0600);
		assert_int_equal(ftruncate(cut, 100000), 0);
		close(cut);
		open_spool(w);
		assert_int_equal(spool_fetch_request(w->spool, w->f->arena, STR(KEY),
						     STR("http://m.example/"), &request, NULL),
				 ERR_NONE);
		assert_null(request.save_from);
		assert_int_equal(access(cut_path(w), F_OK), -1);
	}
}

static void the_budget_holds_for_what_waits_too(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	w->budget_bytes = 400000;
	open_spool(w);
	w->f->server->cut_after = 70000;
	assert_int_equal(fetch(w, &file), ERR_TEMPORARY);
	assert_true(w->spool->used_bytes > 70000);
	open_spool(w);
	assert_true(w->spool->used_bytes > 70000); /* counted again */
	spool_remove(w->spool, STR(KEY));
	assert_int_equal(w->spool->used_bytes, 0);
}

/* What is under way counts, whoever else fetches: the disk is never filled beyond the budget. */
static void fetches_under_way_stay_in_the_budget(void **state)
{
	struct world *w = *state;
	struct spool_file file;
	struct error err = {0};
	w->budget_bytes = 500000;
	open_spool(w);
	w->spool->room.coming_bytes = 150000; /* of another fetch, begun after this one */
	struct transfer_request request;
	struct str url = fixture_url(w->f, "media.example.com", "/ranged");
	assert_int_equal(spool_fetch_request(w->spool, w->f->arena, STR(KEY), url, &request, NULL),
			 ERR_NONE);
	w->spool->room.coming_bytes = 300000;
	request.id = ++w->f->next_id;
	const struct transfer_result result = fixture_call(w->f, &request);
	fixture_expect(&result, TRANSFER_LOST, TRANSFER_DISK_FAILED);
	assert_true(str_find(result.error_text, STR("no space"), 0) != SIZE_MAX);
	assert_int_equal(spool_fetch_finish(w->spool, w->f->arena, STR(KEY), &result, &file, &err),
			 ERR_TEMPORARY);
	assert_non_null(strstr(err.text, "no space"));
	assert_int_equal(w->spool->room.coming_bytes, 300000);
	w->spool->room.coming_bytes = 500000;
	assert_int_equal(spool_fetch_request(w->spool, w->f->arena, STR(KEY), url, &request, NULL),
			 ERR_TOO_LARGE);
	w->spool->room.coming_bytes = 0;
	assert_int_equal(fetch(w, &file), ERR_NONE);
	assert_int_equal(w->spool->room.coming_bytes, 0);
	assert_whole(w, &file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_cut_fetch_goes_on_where_it_was_cut),
		TEST(a_restart_keeps_what_had_come),
		TEST(a_file_that_has_changed_begins_again),
		TEST(a_server_without_ranges_begins_again),
		TEST(another_part_than_asked_for_is_not_taken),
		TEST(a_part_of_the_rest_is_not_the_file),
		TEST(what_cannot_be_named_is_not_kept),
		TEST(marks_that_cannot_be_believed_are_dropped),
		TEST(a_mark_may_be_cut_anywhere),
		TEST(the_budget_holds_for_what_waits_too),
		TEST(fetches_under_way_stay_in_the_budget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
