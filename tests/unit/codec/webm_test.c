/* SPDX-License-Identifier: Apache-2.0
 * WebM heads written by hand. What a real muxer writes is probe_test.c. */
#include "webm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "count_of.h"

#define HEADER "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm"
#define SEGMENT "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" /* size not known */
#define SCALE "\x2a\xd7\xb1\x83\x0f\x42\x40"                       /* 1,000,000 ns */
#define DURATION_DOUBLE "\x44\x89\x88\x40\xb3\x88\0\0\0\0\0"       /* 5000.0 */
#define DURATION_FLOAT "\x44\x89\x84\x45\x9c\x40\0"                /* 5000.0 */
/* 640 x 480 in Video in TrackEntry */
#define VIDEO "\xae\x8a\xe0\x88\xb0\x82\x02\x80\xba\x82\x01\xe0"
#define TRACKS "\x16\x54\xae\x6b\x8c" VIDEO

#define ROW(name, literal, is, ms, w, h) \
	{ \
		name, {literal, sizeof(literal) - 1}, is, ms, w, h \
	}

static const struct {
	const char *name;
	struct str bytes;
	bool is_webm;
	int64_t duration_ms;
	uint32_t width, height;
} rows[] = {
	ROW("header alone", HEADER, true, 0, 0, 0),
	ROW("whole", HEADER SEGMENT "\x15\x49\xa9\x66\x92" SCALE DURATION_DOUBLE TRACKS, true, 5000,
	    640, 480),
	ROW("default scale, short float",
	    HEADER SEGMENT "\x15\x49\xa9\x66\x87" DURATION_FLOAT TRACKS, true, 5000, 640, 480),
	ROW("tracks first", HEADER SEGMENT TRACKS "\x15\x49\xa9\x66\x92" SCALE DURATION_DOUBLE,
	    true, 5000, 640, 480),
	ROW("scale of 2 ms",
	    HEADER SEGMENT "\x15\x49\xa9\x66\x8e\x2a\xd7\xb1\x83\x1e\x84\x80" DURATION_FLOAT, true,
	    10000, 0, 0),
	ROW("scale 0", HEADER SEGMENT "\x15\x49\xa9\x66\x8c\x2a\xd7\xb1\x81\0" DURATION_FLOAT, true,
	    0, 0, 0),
	ROW("not a number", HEADER SEGMENT "\x15\x49\xa9\x66\x87\x44\x89\x84\x7f\xc0\0\0", true, 0,
	    0, 0),
	ROW("for ever", HEADER SEGMENT "\x15\x49\xa9\x66\x87\x44\x89\x84\x7f\x80\0\0", true, 0, 0,
	    0),
	ROW("negative", HEADER SEGMENT "\x15\x49\xa9\x66\x87\x44\x89\x84\xc5\x9c\x40\0", true, 0, 0,
	    0),
	ROW("a float of 3 bytes", HEADER SEGMENT "\x15\x49\xa9\x66\x86\x44\x89\x83\x45\x9c\x40",
	    true, 0, 0, 0),
	ROW("width alone", HEADER SEGMENT "\x16\x54\xae\x6b\x86\xae\x84\xe0\x82\xb0\x80", true, 0,
	    0, 0),
	ROW("Matroska", "\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska", false, 0, 0, 0),
	ROW("DocType cut", "\x1a\x45\xdf\xa3\x87\x42\x82\x84web", false, 0, 0, 0),
	ROW("empty", "", false, 0, 0, 0),
	ROW("zero", "\0\0\0\0", false, 0, 0, 0),
};

static void films_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct webm_film film = webm_probe(rows[i].bytes);
		if (webm_is(rows[i].bytes) != rows[i].is_webm)
			fail_msg("%s: WebM or not", rows[i].name);
		if (rows[i].is_webm &&
		    (film.duration_ms != rows[i].duration_ms || film.width != rows[i].width ||
		     film.height != rows[i].height))
			fail_msg("%s: %lld ms, %u x %u", rows[i].name, (long long)film.duration_ms,
				 film.width, film.height);
	}
}

/* ---- what it is coded as ---- */

#define AVC "\x86\x8fV_MPEG4/ISO/AVC"
#define OPUS \
	"\xae\x88\x86\x86" \
	"A_OPUS"
#define CODED(name, literal, video, audio, rate, rare) \
	{ \
		name, {literal, sizeof(literal) - 1}, video, audio, rate, rare \
	}

static const struct {
	const char *name;
	struct str bytes;
	enum film_codec video, audio;
	uint32_t frame_rate_milli;
	bool has_rare_colours;
} coded[] = {
	CODED("VP9 and Opus", HEADER SEGMENT "\x16\x54\xae\x6b\x93\xae\x87\x86\x85V_VP9" OPUS,
	      FILM_CODEC_VP9, FILM_CODEC_OPUS, 0, false),
	CODED("sound first", HEADER SEGMENT "\x16\x54\xae\x6b\x93" OPUS "\xae\x87\x86\x85V_VP8",
	      FILM_CODEC_VP8, FILM_CODEC_OPUS, 0, false),
	CODED("H.264 High of 25 a second",
	      HEADER SEGMENT "\x16\x54\xae\x6b\xa2\xae\xa0" AVC
			     "\x23\xe3\x83\x84\x02\x62\x5a\x00\x63\xa2\x84\x01\x64\x00\x1f",
	      FILM_CODEC_H264, FILM_CODEC_NONE, 25000, false),
	CODED("H.264 with 4:2:2",
	      HEADER SEGMENT "\x16\x54\xae\x6b\x9a\xae\x98" AVC "\x63\xa2\x84\x01\x7a\x00\x1f",
	      FILM_CODEC_H264, FILM_CODEC_NONE, 0, true),
	CODED("what has no row", HEADER SEGMENT "\x16\x54\xae\x6b\x8a\xae\x88\x86\x86V_XXXX",
	      FILM_CODEC_OTHER, FILM_CODEC_NONE, 0, false),
	CODED("tracks cut: there may be sound",
	      HEADER SEGMENT "\x16\x54\xae\x6b\xc9\xae\x87\x86\x85V_VP9", FILM_CODEC_VP9,
	      FILM_CODEC_UNKNOWN, 0, false),
	CODED("nothing of it", HEADER SEGMENT, FILM_CODEC_UNKNOWN, FILM_CODEC_UNKNOWN, 0, false),
};

static void codecs_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(coded); i++) {
		const struct film film = webm_probe(coded[i].bytes).film;
		if (film.video != coded[i].video || film.audio != coded[i].audio ||
		    film.frame_rate_milli != coded[i].frame_rate_milli ||
		    film.has_rare_colours != coded[i].has_rare_colours)
			fail_msg("%s: %s, %s, %u, %d", coded[i].name, film_codec_name(film.video),
				 film_codec_name(film.audio), film.frame_rate_milli,
				 film.has_rare_colours);
	}
}

static void matroska_is_told_from_webm(void **state)
{
	(void)state;
	assert_true(webm_is_matroska(STR("\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska")));
	assert_false(webm_is_matroska(STR(HEADER)));
}

static void a_film_may_be_cut_anywhere(void **state)
{
	(void)state;
	const struct str whole = rows[1].bytes;
	for (size_t len = 0; len < whole.len; len++) {
		const struct webm_film film = webm_probe(str_slice(whole, 0, len));
		assert_true(film.duration_ms == 0 || film.duration_ms == 5000);
		assert_int_equal(film.height, 0);
		assert_int_equal(film.width, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(films_are_read),
		cmocka_unit_test(codecs_are_read),
		cmocka_unit_test(matroska_is_told_from_webm),
		cmocka_unit_test(a_film_may_be_cut_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
