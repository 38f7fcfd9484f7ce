/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/heif.h: the size of a picture of tiles, turned or not, and cut anywhere. */
#include "heif.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FTYP \
	"\0\0\0\x10" \
	"ftypheic\0\0\0\0"
#define ISPE(width, height) "\0\0\0\x14ispe\0\0\0\0\0\0" width "\0\0" height
#define TILE ISPE("\x02\0", "\x02\0")
#define WHOLE ISPE("\x0f\xc0", "\x0b\xd0")
#define IROT(angle) "\0\0\0\x09irot" angle
#define FILE_OF(list, ipco, iprp, meta) \
	FTYP "\0\0\0" meta "meta\0\0\0\0\0\0\0" iprp "iprp\0\0\0" ipco "ipco" list

static const char turned[] = FILE_OF(TILE WHOLE IROT("\x01") TILE, "\x4d", "\x55", "\x61");
static const char upright[] = FILE_OF(TILE WHOLE IROT("\x02"), "\x39", "\x41", "\x4d");

static struct heif_picture probe(struct str bytes)
{
	const struct byte_source source = byte_source_of(&bytes);
	return heif_probe(&source);
}

static void the_whole_picture_is_told(void **state)
{
	(void)state;
	const struct heif_picture a = probe((struct str){turned, sizeof(turned) - 1});
	const struct heif_picture b = probe((struct str){upright, sizeof(upright) - 1});
	assert_int_equal(a.width, 3024);
	assert_int_equal(a.height, 4032);
	assert_int_equal(b.width, 4032);
	assert_int_equal(b.height, 3024);
}

static void a_cut_file_is_not_known(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < sizeof(turned) - 1; cut++)
		assert_int_equal(probe((struct str){turned, cut}).width, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_picture_is_told),
		cmocka_unit_test(a_cut_file_is_not_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
