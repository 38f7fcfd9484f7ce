/* SPDX-License-Identifier: Apache-2.0
 * What the two epochs say together, and the file that keeps one of them. */
#include "epoch_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "count_of.h"

#define NONE \
	{ \
		0 \
	}
#define AT(number, minute, lineage) \
	{ \
		true, number, (minute)*US_PER_MINUTE, lineage \
	}

static const struct {
	const char *name;
	struct epoch database;
	struct epoch file;
	enum epoch_finding expected;
} pairs[] = {
	{"a new installation, or an upgrade", NONE, NONE, EPOCH_FIRST},
	{"died between the first file and the first row", NONE, {true, 0, 0, 7}, EPOCH_SAME},
	{"the usual start", AT(9, 9, 7), AT(9, 9, 7), EPOCH_SAME},
	{"died between row and file", AT(10, 10, 7), AT(9, 9, 7), EPOCH_SAME},
	{"one minute back", AT(8, 8, 7), AT(9, 9, 7), EPOCH_DATABASE_OLDER},
	{"a year back", AT(8, 8, 7), AT(500000, 500000, 7), EPOCH_DATABASE_OLDER},
	{"a backup from before the guard", NONE, AT(9, 9, 7), EPOCH_DATABASE_OLDER},
	{"its number was raised, its time is old", AT(9, 9, 7), AT(9, 15, 7), EPOCH_DATABASE_OLDER},
	{"five minutes are not too much", AT(9, 9, 7), AT(9, 14, 7), EPOCH_SAME},
	{"a copy on another machine", AT(9, 9, 7), NONE, EPOCH_FILE_MISSING},
	{"a copy where another service ran", AT(9, 9, 7), AT(3, 99, 8), EPOCH_OTHER_DATABASE},
};

static void every_pair_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		const enum epoch_finding finding =
			epoch_compare(&pairs[i].database, &pairs[i].file);
		if (finding != pairs[i].expected)
			fail_msg("%s: %s", pairs[i].name, epoch_sentence(finding));
		assert_true(epoch_means_restore(finding) ==
			    (finding >= EPOCH_DATABASE_OLDER && finding <= EPOCH_ARMED));
		assert_true(strlen(epoch_sentence(finding)) > 10);
	}
}

static void path_make(char out[64])
{
	snprintf(out, 64, "/tmp/epoch-test-%d", (int)getpid());
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	char path[64];
	struct error err = {0};
	struct stat info;
	struct epoch epoch = {true, 1, 1, 1};
	path_make(path);
	unlink(path);
	assert_int_equal(epoch_file_read(path, &epoch, &err), ERR_NONE);
	assert_false(epoch.is_there);
	const struct epoch written = {true, INT64_MAX, INT64_C(1800000000000000), 4711};
	assert_int_equal(epoch_file_write(path, &written, &err), ERR_NONE);
	assert_int_equal(epoch_file_read(path, &epoch, &err), ERR_NONE);
	assert_memory_equal(&epoch, &written, sizeof(epoch));
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	unlink(path);
}

static const char *const damaged[] = {
	"",
	"posthorn-epoch 1 5 6",
	"posthorn-epoch 1 5 6 7", /* cut before its line end */
	"posthorn-epoch 2 5 6 7\n",
	"posthorn-epoch 1 -5 6 7\n",
	"posthorn-epoch 1 five 6 7\n",
	"something else\n",
};

static void what_is_no_epoch_file_is_none(void **state)
{
	(void)state;
	char path[64];
	struct error err = {0};
	path_make(path);
	for (size_t i = 0; i < COUNT_OF(damaged); i++) {
		struct epoch epoch = {true, 1, 1, 1};
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fputs(damaged[i], file);
		fclose(file);
		assert_int_equal(epoch_file_read(path, &epoch, &err), ERR_NONE);
		if (epoch.is_there)
			fail_msg("taken: %s", damaged[i]);
	}
	unlink(path);
}

static void what_cannot_be_read_or_written_is_told(void **state)
{
	(void)state;
	struct error err = {0};
	struct epoch epoch = {true, 1, 1, 1};
	assert_int_equal(epoch_file_read("/tmp", &epoch, &err), ERR_TEMPORARY);
	assert_int_equal(epoch_file_write("/nowhere/epoch", &epoch, &err), ERR_TEMPORARY);
	assert_non_null(strstr(err.text, "/nowhere/epoch"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_is_judged),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(what_is_no_epoch_file_is_none),
		cmocka_unit_test(what_cannot_be_read_or_written_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
