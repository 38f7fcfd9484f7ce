/* SPDX-License-Identifier: Apache-2.0
 * The media store on a disk: equal bytes once, removal by name, and what is young is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"

#include "store_media.h"

#include "media_files.h"

#define ONE "med_01990000-0000-7000-8000-0000000000a1"
#define TWO "med_01990000-0000-7000-8000-0000000000b2"
#define PART "01990000-0000-7000-8000-0000000000c3"
#define OTHER_PART "01990000-0000-7000-8000-0000000000d4"

struct bench {
	struct media_files files;
	struct arena *arena;
	char directory[64];
};

static int begin(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct error err = {0};
	snprintf(b->directory, sizeof(b->directory), "/tmp/media-files-test-XXXXXX");
	assert_non_null(mkdtemp(b->directory));
	b->arena = arena_new("test", (size_t)1 << 20);
	assert_int_equal(media_files_init(&b->files, b->directory, NULL, &err), ERR_NONE);
	*state = b;
	return 0;
}

static int end(void **state)
{
	struct bench *b = *state;
	char command[128];
	snprintf(command, sizeof(command), "rm -r %s", b->directory);
	assert_int_equal(system(command), 0);
	arena_free(&b->arena);
	free(b);
	return 0;
}

static void write_part(struct bench *b, const char *id, const char *text)
{
	FILE *file = fopen(media_part_path(&b->files, b->arena, str_of(id)), "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static ino_t inode_of(struct bench *b, const char *id)
{
	struct stat status;
	assert_int_equal(stat(media_file_path(&b->files, b->arena, str_of(id)), &status), 0);
	return status.st_ino;
}

static void place(struct bench *b, const char *part, const char *id, const char *same)
{
	struct error err = {0};
	assert_int_equal(
		media_file_place(&b->files, b->arena, str_of(part), str_of(id), str_of(same), &err),
		ERR_NONE);
}

static void equal_bytes_are_there_once(void **state)
{
	struct bench *b = *state;
	write_part(b, PART, "walnut");
	place(b, PART, ONE, "");
	write_part(b, OTHER_PART, "walnut");
	place(b, OTHER_PART, TWO, ONE);
	assert_int_equal(inode_of(b, ONE), inode_of(b, TWO));
	assert_true(media_name_remove(&b->files, b->arena, str_of(ONE)));
	struct error err = {0};
	int fd = -1;
	assert_int_equal(media_file_open(&b->files, b->arena, str_of(ONE), &fd, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(media_file_open(&b->files, b->arena, str_of(TWO), &fd, &err), ERR_NONE);
	char text[8] = {0};
	assert_int_equal(read(fd, text, sizeof(text)), 6);
	assert_string_equal(text, "walnut");
	close(fd);
}

static void a_twin_that_is_gone_is_done_without(void **state)
{
	struct bench *b = *state;
	write_part(b, PART, "walnut");
	place(b, PART, ONE, TWO);
	assert_true(inode_of(b, ONE) != 0);
	/* Again, after a crash in between. */
	place(b, PART, ONE, "");
	assert_true(media_name_remove(&b->files, b->arena, str_of(PART)));
	assert_true(media_name_remove(&b->files, b->arena, str_of(PART)));
	assert_true(inode_of(b, ONE) != 0);
}

static void count(void *context, struct str name)
{
	assert_true(name.len > 0);
	++*(int *)context;
}

static void what_is_young_is_not_walked(void **state)
{
	struct bench *b = *state;
	int seen = 0;
	write_part(b, PART, "walnut");
	place(b, PART, ONE, "");
	media_files_walk(&b->files, 60, count, &seen);
	assert_int_equal(seen, 0);
	media_files_walk(&b->files, -60, count, &seen);
	assert_int_equal(seen, 2);
}

static void a_row_says_what_its_file_is(void **state)
{
	(void)state;
	const struct media_row row = {
		.mime_type = STR("video/mp4"), .width = 640, .height = 360, .duration_ms = 5000};
	const struct sniff sniff = media_sniff(&row);
	assert_int_equal(sniff.type, SNIFF_MP4);
	assert_true(sniff.is_video);
	assert_int_equal(sniff.width, 640);
	assert_int_equal(sniff.duration_ms, 5000);
	assert_string_equal(media_kind_name(STR("application/pdf")), "document");
	assert_string_equal(media_kind_name(STR("image/webp")), "image");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_bytes_are_there_once, begin, end),
		cmocka_unit_test_setup_teardown(a_twin_that_is_gone_is_done_without, begin, end),
		cmocka_unit_test_setup_teardown(what_is_young_is_not_walked, begin, end),
		cmocka_unit_test(a_row_says_what_its_file_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
