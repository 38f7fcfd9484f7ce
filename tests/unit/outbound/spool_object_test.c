/* SPDX-License-Identifier: Apache-2.0
 * The spool's bytes, once each: whom they are shared by, when they go, what they cost, and what a
 * crash or an earlier version may leave. The fetches are written here; spool_test.c has real
 * ones. */
#include "spool_private.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "remove_tree.h"

#define KEY_A "0193a000-0000-7000-8000-00000000000a-0"
#define KEY_B "0193a000-0000-7000-8000-00000000000b-0"
#define KEY_C "0193a000-0000-7000-8000-00000000000c-0"
#define HELLO "hello"
#define SHA256_HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
#define OBJECT_HELLO "objects/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
#define SHA256_WORLD "486ea46224d1bb4fb680f34f7c9ad96a8f24ec88be73ea8e5a6c65260e9cb8a7"
#define DIGEST_BYTES 64

struct world {
	struct arena *arena;
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
	w->arena = arena_new("test", 64 << 20);
	snprintf(w->directory, sizeof(w->directory), "/tmp/spool-object-test-XXXXXX");
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
	arena_free(&w->arena);
	free(w);
	return 0;
}

static void write_file(const char *path, struct str content)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content.ptr, content.len), content.len);
	close(fd);
}

static enum err_kind fetch(struct world *w, const char *key, struct str content)
{
	static const struct transfer_result result = {.outcome = TRANSFER_ANSWERED, .status = 200};
	struct transfer_request request;
	struct spool_file file;
	const enum err_kind kind = spool_fetch_request(w->spool, w->arena, str_of(key),
						       STR("https://m.example/a"), &request, NULL);
	if (kind != ERR_NONE)
		return kind;
	write_file(request.save_path, content);
	return spool_fetch_finish(w->spool, w->arena, str_of(key), &result, &file, NULL);
}

static char *key_path(const struct world *w, const char *key, const char *suffix)
{
	return spool_path(w->spool, w->arena, str_of(key), suffix);
}

static char *path_in(const struct world *w, const char *name)
{
	return str_z(w->arena, str_format(w->arena, "%s/%s", w->directory, name));
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static ino_t inode_of(const struct world *w, const char *key)
{
	struct stat status;
	assert_int_equal(stat(key_path(w, key, ""), &status), 0);
	return status.st_ino;
}

static bool has(const struct world *w, const char *key, struct str content)
{
	char bytes[64] = "";
	struct spool_media media;
	if (!spool_media_open(w->spool, w->arena, str_of(key), &media))
		return false;
	assert_int_equal(media.size_bytes, content.len);
	assert_int_equal(pread(media.fd, bytes, sizeof(bytes), 0), content.len);
	close(media.fd);
	assert_memory_equal(bytes, content.ptr, content.len);
	return true;
}

static bool all_needed(void *context, struct str key)
{
	(void)context;
	(void)key;
	return true;
}

static bool none_needed(void *context, struct str key)
{
	(void)context;
	(void)key;
	return false;
}

/* Nothing at all is left, and nothing is counted. */
static void assert_empty(struct world *w)
{
	assert_int_equal(spool_used_bytes(w->spool), 0);
	assert_int_equal(rmdir(path_in(w, "objects")), 0); /* no folder in it either */
	open_spool(w);
	assert_int_equal(spool_used_bytes(w->spool), 0);
}

/* What is counted now is what a start counts. */
static void assert_counted(struct world *w, int64_t used_bytes)
{
	assert_int_equal(spool_used_bytes(w->spool), used_bytes);
	open_spool(w);
	assert_int_equal(spool_used_bytes(w->spool), used_bytes);
}

static void equal_bytes_lie_there_once(void **state)
{
	struct world *w = *state;
	struct spool_file a, b;
	assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
	assert_int_equal(fetch(w, KEY_B, STR(HELLO)), ERR_NONE);
	assert_int_equal(inode_of(w, KEY_A), inode_of(w, KEY_B));
	assert_true(exists(path_in(w, OBJECT_HELLO)));
	assert_true(spool_find(w->spool, w->arena, STR(KEY_A), &a));
	assert_true(spool_find(w->spool, w->arena, STR(KEY_B), &b));
	assert_string_equal(a.sha256, SHA256_HELLO);
	assert_string_equal(b.sha256, SHA256_HELLO);
	assert_counted(w, 5 + 2 * DIGEST_BYTES);
	spool_remove(w->spool, STR(KEY_A));
	assert_false(has(w, KEY_A, STR(HELLO)));
	assert_true(has(w, KEY_B, STR(HELLO)));
	assert_counted(w, 5 + DIGEST_BYTES);
	spool_remove(w->spool, STR(KEY_B));
	assert_false(exists(path_in(w, OBJECT_HELLO)));
	assert_empty(w);
}

static void other_bytes_do_not_mix(void **state)
{
	struct world *w = *state;
	assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
	assert_int_equal(fetch(w, KEY_B, STR("world")), ERR_NONE);
	assert_int_not_equal(inode_of(w, KEY_A), inode_of(w, KEY_B));
	assert_true(has(w, KEY_A, STR(HELLO)));
	assert_true(has(w, KEY_B, STR("world")));
	assert_counted(w, 10 + 2 * DIGEST_BYTES);
	/* A new fetch of one that shares its bytes writes to none of the others. */
	assert_int_equal(fetch(w, KEY_B, STR(HELLO)), ERR_NONE);
	assert_int_equal(fetch(w, KEY_A, STR("something else")), ERR_NONE);
	assert_true(has(w, KEY_A, STR("something else")));
	assert_true(has(w, KEY_B, STR(HELLO)));
	assert_counted(w, 14 + 5 + 2 * DIGEST_BYTES);
}

/* A fetch that breaks off, after its key shared bytes and lost its digest, empties its own file. */
static void a_fetch_never_writes_to_shared_bytes(void **state)
{
	static const struct transfer_result lost = {.outcome = TRANSFER_LOST,
						    .problem = TRANSFER_CONNECTION_BROKEN};
	struct world *w = *state;
	struct transfer_request request;
	struct spool_file file;
	assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
	assert_int_equal(fetch(w, KEY_B, STR(HELLO)), ERR_NONE);
	unlink(key_path(w, KEY_A, ".sha256"));
	assert_int_equal(spool_fetch_request(w->spool, w->arena, STR(KEY_A), STR("http://m/"),
					     &request, NULL),
			 ERR_NONE);
	write_file(request.save_path, STR("wo"));
	spool_fetch_finish(w->spool, w->arena, STR(KEY_A), &lost, &file, NULL);
	assert_true(has(w, KEY_B, STR(HELLO)));
	assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
	assert_true(has(w, KEY_A, STR(HELLO)));
	assert_true(has(w, KEY_B, STR(HELLO)));
	open_spool(w); /* it did not see the digest go */
	assert_counted(w, 5 + 2 * DIGEST_BYTES);
}

static void the_budget_counts_equal_bytes_once(void **state)
{
	struct world *w = *state;
	w->budget_bytes = 5 + 3 * DIGEST_BYTES;
	open_spool(w);
	assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
	assert_int_equal(fetch(w, KEY_B, STR(HELLO)), ERR_NONE);
	assert_true(fetch(w, KEY_C, (struct str){SHA256_HELLO SHA256_HELLO, 65}) != ERR_NONE);
	assert_false(has(w, KEY_C, STR("")));
	assert_int_equal(fetch(w, KEY_C, STR(HELLO)), ERR_NONE);
	assert_counted(w, w->budget_bytes);
	/* Nothing fits now, and nothing is lost by asking. */
	assert_int_equal(fetch(w, "other", STR(HELLO)), ERR_TOO_LARGE);
	spool_remove(w->spool, STR(KEY_A));
	assert_true(has(w, KEY_B, STR(HELLO)));
	assert_true(has(w, KEY_C, STR(HELLO)));
}

/* An object that is not as long as its bytes is shared with nobody. */
static void a_cut_object_is_not_trusted(void **state)
{
	struct world *w = *state;
	assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
	assert_int_equal(truncate(path_in(w, OBJECT_HELLO), 3), 0);
	assert_int_equal(fetch(w, KEY_B, STR(HELLO)), ERR_NONE);
	assert_true(has(w, KEY_B, STR(HELLO)));
	assert_int_not_equal(inode_of(w, KEY_A), inode_of(w, KEY_B));
	open_spool(w);
	assert_true(has(w, KEY_B, STR(HELLO)));
	assert_int_equal(spool_used_bytes(w->spool), 3 + 5 + 2 * DIGEST_BYTES);
	spool_remove(w->spool, STR(KEY_A));
	spool_remove(w->spool, STR(KEY_B));
	assert_empty(w);
}

/* Another program's folder, or one that may not hold links. */
static void what_cannot_be_shared_is_kept_alone(void **state)
{
	struct world *w = *state;
	write_file(path_in(w, "objects/2c"), STR("in the way"));
	assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
	assert_int_equal(fetch(w, KEY_B, STR(HELLO)), ERR_NONE);
	assert_int_not_equal(inode_of(w, KEY_A), inode_of(w, KEY_B));
	assert_true(has(w, KEY_A, STR(HELLO)));
	assert_counted(w, 10 + 2 * DIGEST_BYTES);
	spool_remove(w->spool, STR(KEY_A));
	assert_true(has(w, KEY_B, STR(HELLO)));
	assert_counted(w, 5 + DIGEST_BYTES);
	assert_int_equal(unlink(path_in(w, "objects/2c")), 0);
	open_spool(w); /* made up for */
	assert_true(exists(path_in(w, OBJECT_HELLO)));
	assert_counted(w, 5 + DIGEST_BYTES);
}

/* ---- what a crash leaves ---- */

static void leave_object_alone(struct world *w)
{
	unlink(key_path(w, KEY_A, ""));
	unlink(key_path(w, KEY_A, ".sha256"));
}

static void leave_object_and_digest(struct world *w)
{
	unlink(key_path(w, KEY_A, ""));
}

static void leave_digest_alone(struct world *w)
{
	unlink(key_path(w, KEY_A, ""));
	unlink(path_in(w, OBJECT_HELLO));
}

static void leave_key_without_digest(struct world *w)
{
	unlink(key_path(w, KEY_A, ".sha256"));
}

static void leave_key_with_half_a_digest(struct world *w)
{
	assert_int_equal(truncate(key_path(w, KEY_A, ".sha256"), 63), 0);
}

static void leave_twin_alone(struct world *w)
{
	assert_int_equal(link(path_in(w, OBJECT_HELLO), key_path(w, KEY_A, ".0123.twin.part")), 0);
	leave_object_alone(w);
}

/* What is no medium is gone after a start, with all that it took. */
static void leftovers_go_at_the_next_start(void **state)
{
	static void (*const crashes[])(struct world *) = {
		leave_object_alone,       leave_object_and_digest,      leave_digest_alone,
		leave_key_without_digest, leave_key_with_half_a_digest, leave_twin_alone,
	};
	struct world *w = *state;
	for (size_t i = 0; i < COUNT_OF(crashes); i++) {
		assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
		crashes[i](w);
		open_spool(w);
		/* The twin is still a name of it: the sweep has those. */
		assert_int_equal(exists(path_in(w, OBJECT_HELLO)), crashes[i] == leave_twin_alone);
		spool_sweep(w->spool, all_needed, NULL);
		assert_false(has(w, KEY_A, STR(HELLO)));
		assert_empty(w);
	}
}

static void lose_object(struct world *w)
{
	unlink(path_in(w, OBJECT_HELLO));
}

/* As before it was joined, and as an earlier version left it. */
static void have_own_bytes(struct world *w)
{
	unlink(key_path(w, KEY_A, ""));
	write_file(key_path(w, KEY_A, ""), STR(HELLO));
}

static void have_own_bytes_and_no_object(struct world *w)
{
	have_own_bytes(w);
	unlink(path_in(w, OBJECT_HELLO));
}

static void have_twin(struct world *w)
{
	have_own_bytes(w);
	assert_int_equal(link(path_in(w, OBJECT_HELLO), key_path(w, KEY_A, ".0123.twin.part")), 0);
}

static void lose_all_objects(struct world *w)
{
	have_own_bytes(w);
	remove_tree(path_in(w, "objects"));
}

/* Media stay media, and lie there once after a start. */
static void half_joined_media_are_joined_at_the_next_start(void **state)
{
	static void (*const crashes[])(struct world *) = {
		lose_object, have_own_bytes,   have_own_bytes_and_no_object,
		have_twin,   lose_all_objects,
	};
	struct world *w = *state;
	for (size_t i = 0; i < COUNT_OF(crashes); i++) {
		assert_int_equal(fetch(w, KEY_A, STR(HELLO)), ERR_NONE);
		assert_int_equal(fetch(w, KEY_B, STR(HELLO)), ERR_NONE);
		crashes[i](w);
		open_spool(w);
		spool_sweep(w->spool, all_needed, NULL);
		assert_true(has(w, KEY_A, STR(HELLO)));
		assert_true(has(w, KEY_B, STR(HELLO)));
		assert_int_equal(inode_of(w, KEY_A), inode_of(w, KEY_B));
		assert_counted(w, 5 + 2 * DIGEST_BYTES);
		spool_sweep(w->spool, none_needed, NULL);
		assert_empty(w);
	}
}

static void an_earlier_versions_files_are_taken_over(void **state)
{
	static const char *const keys[] = {KEY_A, KEY_B, KEY_C};
	struct world *w = *state;
	for (size_t i = 0; i < 3; i++) /* makes the folders */
		assert_int_equal(fetch(w, keys[i], STR(HELLO)), ERR_NONE);
	spool_close(&w->spool);
	open_spool(w);
	remove_tree(path_in(w, "objects"));
	for (size_t i = 0; i < 3; i++) {
		unlink(key_path(w, keys[i], ""));
		write_file(key_path(w, keys[i], ""), i == 2 ? STR("world") : STR(HELLO));
		write_file(key_path(w, keys[i], ".sha256"),
			   i == 2 ? STR(SHA256_WORLD) : STR(SHA256_HELLO));
	}
	open_spool(w);
	assert_counted(w, 10 + 3 * DIGEST_BYTES);
	assert_int_equal(inode_of(w, KEY_A), inode_of(w, KEY_B));
	assert_true(has(w, KEY_A, STR(HELLO)));
	assert_true(has(w, KEY_C, STR("world")));
	spool_sweep(w->spool, none_needed, NULL);
	assert_empty(w);
}

/* ---- killed anywhere ---- */

#define ROUNDS 60
#define KEYS 6
static const char *const contents[] = {"hello", "world", "hello world"};

static const char *any_key(const struct world *w, unsigned i)
{
	return str_z(w->arena, str_format(w->arena, "key-%u", i % KEYS));
}

static void fetch_and_remove_until_killed(struct world *w, unsigned seed)
{
	srandom(seed);
	for (;;) {
		const char *key = any_key(w, (unsigned)random());
		if (random() % 3 == 0)
			spool_remove(w->spool, str_of(key));
		else
			fetch(w, key, str_of(contents[random() % 3]));
		arena_clear(w->arena);
	}
}

static void kill_in_the_middle(struct world *w, unsigned seed)
{
	const pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		fetch_and_remove_until_killed(w, seed);
	usleep(2000 + seed * 977 % 20000);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Whole, one of those that were written, and under the right digest. */
static int count_whole(const struct world *w)
{
	int count = 0;
	for (unsigned i = 0; i < KEYS; i++) {
		struct spool_file file;
		uint8_t hash[32];
		char digest[65];
		char bytes[64];
		if (!spool_find(w->spool, w->arena, str_of(any_key(w, i)), &file))
			continue;
		const int fd = open(file.path.ptr, O_RDONLY);
		assert_int_equal(read(fd, bytes, sizeof(bytes)), file.size_bytes);
		close(fd);
		crypto_hash_sha256(hash, (const uint8_t *)bytes, (size_t)file.size_bytes);
		sodium_bin2hex(digest, sizeof(digest), hash, sizeof(hash));
		assert_string_equal(file.sha256, digest);
		count++;
	}
	return count;
}

static void a_kill_anywhere_is_mended(void **state)
{
	struct world *w = *state;
	int whole = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		kill_in_the_middle(w, round);
		open_spool(w);
		spool_sweep(w->spool, all_needed, NULL);
		whole += count_whole(w);
		assert_counted(w, spool_used_bytes(w->spool));
		assert_in_range(spool_used_bytes(w->spool), 0, 21 + KEYS * DIGEST_BYTES);
		if (round % 5 == 4) {
			spool_sweep(w->spool, none_needed, NULL);
			assert_empty(w);
		}
	}
	assert_true(whole > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_bytes_lie_there_once),
		TEST(other_bytes_do_not_mix),
		TEST(a_fetch_never_writes_to_shared_bytes),
		TEST(the_budget_counts_equal_bytes_once),
		TEST(a_cut_object_is_not_trusted),
		TEST(what_cannot_be_shared_is_kept_alone),
		TEST(leftovers_go_at_the_next_start),
		TEST(half_joined_media_are_joined_at_the_next_start),
		TEST(an_earlier_versions_files_are_taken_over),
		TEST(a_kill_anywhere_is_mended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
