/* SPDX-License-Identifier: Apache-2.0
 * Files that are hashed as they are written, cut, and gone on with. */
#include "save.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHA256_HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
#define SHA256_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static char path[] = "/tmp/save-test-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	close(mkstemp(path));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void assert_digest(const struct save_mark *mark, const char *wanted)
{
	char digest[65];
	save_mark_digest(mark, digest);
	assert_string_equal(digest, wanted);
}

static int64_t size_on_disk(void)
{
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

static void what_is_written_is_hashed(void **state)
{
	(void)state;
	struct save_file file;
	assert_true(save_open(&file, path, NULL, NULL));
	assert_digest(&file.mark, SHA256_NOTHING);
	assert_true(save_write(&file, "hel", 3));
	assert_true(save_write(&file, "", 0));
	assert_true(save_write(&file, "lo", 2));
	assert_int_equal(file.mark.size_bytes, 5);
	assert_digest(&file.mark, SHA256_HELLO);
	assert_digest(&file.mark, SHA256_HELLO); /* asking does not end it */
	save_close(&file);
	assert_int_equal(size_on_disk(), 5);
}

static void a_cut_file_is_gone_on_with(void **state)
{
	(void)state;
	struct save_file file;
	assert_true(save_open(&file, path, NULL, NULL));
	assert_true(save_write(&file, "hel", 3));
	const struct save_mark mark = file.mark;
	assert_true(save_write(&file, "XYZ", 3)); /* behind the mark: cut off again */
	save_close(&file);
	assert_true(save_open(&file, path, &mark, NULL));
	assert_int_equal(file.mark.size_bytes, 3);
	assert_int_equal(size_on_disk(), 3);
	assert_true(save_write(&file, "lo", 2));
	assert_digest(&file.mark, SHA256_HELLO);
	save_close(&file);
	assert_int_equal(size_on_disk(), 5);
}

static void a_file_shorter_than_its_mark_begins_again(void **state)
{
	(void)state;
	struct save_file file;
	assert_true(save_open(&file, path, NULL, NULL));
	assert_true(save_write(&file, "something", 9));
	const struct save_mark mark = file.mark;
	save_close(&file);
	assert_int_equal(truncate(path, 8), 0);
	assert_true(save_open(&file, path, &mark, NULL));
	assert_int_equal(file.mark.size_bytes, 0);
	assert_int_equal(size_on_disk(), 0);
	assert_true(save_write(&file, "hello", 5));
	assert_digest(&file.mark, SHA256_HELLO);
	save_close(&file);
}

static void a_restart_forgets(void **state)
{
	(void)state;
	struct save_file file;
	assert_true(save_open(&file, path, NULL, NULL));
	assert_true(save_write(&file, "something", 9));
	assert_true(save_restart(&file));
	assert_true(save_write(&file, "hello", 5));
	assert_digest(&file.mark, SHA256_HELLO);
	save_close(&file);
	assert_int_equal(size_on_disk(), 5);
}

/* Past several steps of bringing to the disk, in pieces that do not fit them. */
static void large_files_are_whole(void **state)
{
	(void)state;
	static char piece[1000003];
	struct save_file file;
	crypto_hash_sha256_state hash;
	uint8_t bytes[32];
	char wanted[65];
	crypto_hash_sha256_init(&hash);
	assert_true(save_open(&file, path, NULL, NULL));
	for (int i = 0; i < 20; i++) {
		memset(piece, i, sizeof(piece));
		crypto_hash_sha256_update(&hash, (const uint8_t *)piece, sizeof(piece));
		assert_true(save_write(&file, piece, sizeof(piece)));
	}
	crypto_hash_sha256_final(&hash, bytes);
	sodium_bin2hex(wanted, sizeof(wanted), bytes, sizeof(bytes));
	assert_digest(&file.mark, wanted);
	assert_true(file.mark.size_bytes - file.pushed_bytes < (4 << 20));
	save_close(&file);
	assert_int_equal(size_on_disk(), 20 * (int64_t)sizeof(piece));
}

/* Two files at once, beside what is kept: together they may not be more than the room. */
static void files_share_their_room(void **state)
{
	(void)state;
	_Atomic int64_t kept_bytes = 90;
	struct save_room room = {.kept_bytes = &kept_bytes, .max_bytes = 100};
	struct save_file file, other;
	assert_true(save_open(&file, path, NULL, &room));
	assert_true(save_open(&other, "/dev/null", NULL, &room));
	assert_true(save_write(&file, "hello", 5));
	assert_true(save_write(&other, "hell", 4));
	assert_false(save_write(&other, "oo", 2));
	assert_true(other.is_out_of_room);
	assert_true(save_write(&other, "o", 1));
	assert_false(save_write(&file, "!", 1));
	save_close(&other);
	save_close(&other);
	assert_int_equal(room.coming_bytes, 5);
	kept_bytes = 96;
	assert_false(save_write(&file, "", 0)); /* kept meanwhile */
	kept_bytes = 90;
	assert_true(save_write(&file, "12345", 5));
	const struct save_mark mark = file.mark;
	save_close(&file);
	assert_int_equal(room.coming_bytes, 0);
	assert_true(save_open(&file, path, &mark, &room));
	assert_int_equal(room.coming_bytes, 10);
	assert_true(save_restart(&file));
	assert_int_equal(room.coming_bytes, 0);
	save_close(&file);
}

static void a_disk_that_takes_no_more_is_told(void **state)
{
	(void)state;
	struct save_file file;
	assert_true(save_open(&file, "/dev/full", NULL, NULL));
	assert_false(save_write(&file, "hello", 5));
	save_close(&file);
	save_close(&file);
	assert_false(save_open(&file, "/proc/no/such", NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_hashed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cut_file_is_gone_on_with, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_shorter_than_its_mark_begins_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_restart_forgets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(large_files_are_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_share_their_room, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_disk_that_takes_no_more_is_told, set_up,
						tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
