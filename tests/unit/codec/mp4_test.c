/* SPDX-License-Identifier: Apache-2.0
 * MP4 boxes written by hand: every version of every head, both places of the moov, turned pictures,
 * and what a hostile file may say of its lengths. Films made by a real muxer are probe_test.c. */
#include "mp4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "count_of.h"

/* ---- writing boxes ---- */

struct written {
	char bytes[65536];
	size_t len;
};

static void put(struct written *f, const void *bytes, size_t len)
{
	assert_true(f->len + len <= sizeof(f->bytes));
	memcpy(f->bytes + f->len, bytes, len);
	f->len += len;
}

static void put_be(struct written *f, uint64_t value, size_t len)
{
	for (size_t i = len; i-- > 0;) {
		const char byte = (char)(value >> (8 * i) & 0xff);
		put(f, &byte, 1);
	}
}

static size_t begin(struct written *f, const char *name)
{
	put_be(f, 0, 4);
	put(f, name, 4);
	return f->len - 8;
}

static void end(struct written *f, size_t at)
{
	const uint32_t size = (uint32_t)(f->len - at);
	for (size_t i = 0; i < 4; i++)
		f->bytes[at + i] = (char)(size >> (8 * (3 - i)) & 0xff);
}

static void put_mvhd(struct written *f, int version, uint32_t time_scale, uint64_t duration)
{
	const size_t at = begin(f, "mvhd");
	const size_t wide = version == 1 ? 8 : 4;
	put_be(f, (uint64_t)version << 24, 4);
	put_be(f, 0, wide);
	put_be(f, 0, wide);
	put_be(f, time_scale, 4);
	put_be(f, duration, wide);
	put_be(f, 0, 8); /* and more that nobody looks at */
	end(f, at);
}

struct picture {
	int version;
	uint32_t flags;
	uint64_t duration;
	int32_t matrix[4]; /* a b . c d */
	uint32_t width, height;
	const char *handler;
};

static void put_trak(struct written *f, const struct picture *p)
{
	const size_t trak = begin(f, "trak");
	const size_t tkhd = begin(f, "tkhd");
	const size_t wide = p->version == 1 ? 8 : 4;
	put_be(f, (uint64_t)p->version << 24 | p->flags, 4);
	put_be(f, 0, wide);
	put_be(f, 0, wide);
	put_be(f, 1, 4);
	put_be(f, 0, 4);
	put_be(f, p->duration, wide);
	put_be(f, 0, 8);
	put_be(f, 0, 8);
	const int32_t matrix[9] = {
		p->matrix[0], p->matrix[1], 0, p->matrix[2], p->matrix[3], 0, 0, 0, 0x40000000};
	for (size_t i = 0; i < 9; i++)
		put_be(f, (uint32_t)matrix[i], 4);
	put_be(f, (uint64_t)p->width << 16, 4);
	put_be(f, (uint64_t)p->height << 16, 4);
	end(f, tkhd);
	const size_t mdia = begin(f, "mdia");
	const size_t hdlr = begin(f, "hdlr");
	put_be(f, 0, 8);
	put(f, p->handler, 4);
	put_be(f, 0, 8);
	put_be(f, 0, 5);
	end(f, hdlr);
	end(f, mdia);
	end(f, trak);
}

static void put_box(struct written *f, const char *name, size_t len)
{
	const size_t at = begin(f, name);
	for (size_t i = 0; i < len; i++)
		put_be(f, 0xab, 1);
	end(f, at);
}

#define PLAIN \
	{ \
		0x10000, 0, 0, 0x10000 \
	}
#define TURNED \
	{ \
		0, 0x10000, -0x10000, 0 \
	}

static const struct picture upright = {0, 3, 7000, PLAIN, 1080, 1920, "vide"};

static struct mp4_film probed(const struct written *f)
{
	const struct str bytes = {f->bytes, f->len};
	const struct byte_source source = byte_source_of(&bytes);
	return mp4_probe(&source);
}

static void assert_film(const struct written *f, int64_t duration_ms, uint32_t width,
			uint32_t height)
{
	const struct mp4_film film = probed(f);
	assert_int_equal(film.duration_ms, duration_ms);
	assert_int_equal(film.width, width);
	assert_int_equal(film.height, height);
}

/* ---- what is read ---- */

static void a_moov_is_found_wherever_it_is(void **state)
{
	(void)state;
	for (int is_last = 0; is_last < 2; is_last++) {
		struct written f = {.len = 0};
		put_box(&f, "ftyp", 16);
		if (is_last)
			put_box(&f, "mdat", 5000);
		const size_t moov = begin(&f, "moov");
		put_mvhd(&f, 0, 1000, 7300);
		put_trak(&f, &upright);
		end(&f, moov);
		if (!is_last)
			put_box(&f, "mdat", 5000);
		assert_film(&f, 7300, 1080, 1920);
	}
}

static void long_heads_are_read_too(void **state)
{
	(void)state;
	struct written f = {.len = 0};
	struct picture p = upright;
	p.version = 1;
	const size_t moov = begin(&f, "moov");
	put_mvhd(&f, 1, 90000, UINT64_C(90000) * 86400);
	put_trak(&f, &p);
	end(&f, moov);
	assert_film(&f, INT64_C(86400000), 1080, 1920);
}

static void a_box_of_64_bits_is_stepped_over(void **state)
{
	(void)state;
	struct written f = {.len = 0};
	put_be(&f, 1, 4);
	put(&f, "mdat", 4);
	put_be(&f, 16 + 100, 8);
	for (int i = 0; i < 100; i++)
		put_be(&f, 0, 1);
	const size_t moov = begin(&f, "moov");
	put_mvhd(&f, 0, 600, 1200);
	end(&f, moov);
	assert_film(&f, 2000, 0, 0);
}

static void a_last_box_may_go_up_to_the_end(void **state)
{
	(void)state;
	struct written f = {.len = 0};
	begin(&f, "moov"); /* length 0 */
	put_mvhd(&f, 0, 600, 1200);
	assert_film(&f, 2000, 0, 0);
}

static void turned_pictures_have_their_turned_size(void **state)
{
	(void)state;
	static const struct {
		int32_t matrix[4];
		uint32_t width, height;
	} rows[] = {
		{PLAIN, 1920, 1080},
		{{-0x10000, 0, 0, -0x10000}, 1920, 1080}, /* upside down */
		{TURNED, 1080, 1920},
		{{0, -0x10000, 0x10000, 0}, 1080, 1920},
		{{INT32_MIN, 0, 0, INT32_MIN}, 1920, 1080},
		{{0, INT32_MIN, INT32_MIN, 0}, 1080, 1920},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct written f = {.len = 0};
		struct picture p = {0, 3, 1, {0}, 1920, 1080, "vide"};
		memcpy(p.matrix, rows[i].matrix, sizeof(p.matrix));
		const size_t moov = begin(&f, "moov");
		put_mvhd(&f, 0, 1000, 1000);
		put_trak(&f, &p);
		end(&f, moov);
		assert_film(&f, 1000, rows[i].width, rows[i].height);
	}
}

static void the_first_picture_that_is_shown_counts(void **state)
{
	(void)state;
	static const struct picture sound = {0, 3, 1, PLAIN, 77, 77, "soun"};
	static const struct picture hidden = {0, 2, 1, PLAIN, 10, 10, "vide"};
	static const struct picture second = {0, 3, 1, PLAIN, 20, 20, "vide"};
	static const struct picture empty = {0, 3, 1, PLAIN, 0, 5, "vide"};
	struct written f = {.len = 0};
	const size_t moov = begin(&f, "moov");
	put_mvhd(&f, 0, 1000, 1000);
	put_trak(&f, &sound);
	put_trak(&f, &hidden);
	put_trak(&f, &empty);
	end(&f, moov);
	assert_film(&f, 1000, 10, 10); /* switched off, but there is no other */
	put_trak(&f, &upright);
	put_trak(&f, &second);
	end(&f, moov);
	assert_film(&f, 1000, 1080, 1920);
}

static void a_film_in_fragments_says_its_length_elsewhere(void **state)
{
	(void)state;
	for (int version = 0; version < 2; version++) {
		struct written f = {.len = 0};
		const size_t moov = begin(&f, "moov");
		put_mvhd(&f, 0, 1000, 0);
		const size_t mvex = begin(&f, "mvex");
		const size_t mehd = begin(&f, "mehd");
		put_be(&f, (uint64_t)version << 24, 4);
		put_be(&f, 4500, version == 1 ? 8 : 4);
		end(&f, mehd);
		end(&f, mvex);
		put_trak(&f, &upright);
		end(&f, moov);
		assert_film(&f, 4500, 1080, 1920);
	}
	/* Or only in its tracks. */
	struct written f = {.len = 0};
	const size_t moov = begin(&f, "moov");
	put_mvhd(&f, 0, 1000, UINT32_MAX);
	put_trak(&f, &upright);
	end(&f, moov);
	assert_film(&f, 7000, 1080, 1920);
}

/* ---- what may be said ---- */

static void lengths_without_sense_are_not_known(void **state)
{
	(void)state;
	static const struct {
		int version;
		uint32_t time_scale;
		uint64_t duration;
	} rows[] = {
		{0, 0, 1000},           {0, 1000, UINT32_MAX},  {1, 1000, UINT64_MAX},
		{1, 1, UINT64_MAX - 1}, {1, 0, UINT64_MAX - 1},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct written f = {.len = 0};
		const size_t moov = begin(&f, "moov");
		put_mvhd(&f, rows[i].version, rows[i].time_scale, rows[i].duration);
		end(&f, moov);
		assert_film(&f, 0, 0, 0);
	}
}

static void box_lengths_that_lie_end_the_walk(void **state)
{
	(void)state;
	static const struct {
		const char *head;
		size_t len;
	} rows[] = {
		{"\0\0\0\7free", 8}, /* shorter than itself */
		{"\0\0\0\2free", 8},
		{"\xff\xff\xff\xff"
		 "free",
		 8},                                   /* longer than the file */
		{"\0\0\0\1free\0\0\0\0\0\0\0\xf", 16}, /* 64 bits, shorter than itself */
		{"\0\0\0\1free\xff\xff\xff\xff\xff\xff\xff\xff", 16}, /* and negative */
		{"\0\0\0\1free\x7f\xff\xff\xff\xff\xff\xff\xff", 16},
		{"\0\0\0\1free\0\0\0", 11}, /* cut */
		{"\0\0\0\0free", 8},        /* up to the end, and nothing follows */
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct written f = {.len = 0};
		put(&f, rows[i].head, rows[i].len);
		const size_t moov = begin(&f, "moov");
		put_mvhd(&f, 0, 1000, 1000);
		end(&f, moov);
		assert_film(&f, 0, 0, 0);
	}
}

/* A child that says that it is longer than its parent is none. */
static void a_child_stays_in_its_parent(void **state)
{
	(void)state;
	struct written f = {.len = 0};
	const size_t moov = begin(&f, "moov");
	const size_t trak = begin(&f, "trak");
	const size_t tkhd = begin(&f, "tkhd");
	end(&f, tkhd);
	f.bytes[tkhd + 3] = 100;
	end(&f, trak);
	put_mvhd(&f, 0, 1000, 1000);
	end(&f, moov);
	assert_film(&f, 1000, 0, 0);
}

static int reads;

static bool count_reads(void *context, int64_t at, char *out, size_t len)
{
	reads++;
	return byte_source_read_str(context, at, out, len);
}

/* Boxes of eight bytes each, or one in another, as many as fit: the work stays bounded. */
static void many_boxes_are_not_all_looked_at(void **state)
{
	(void)state;
	for (int is_nested = 0; is_nested < 2; is_nested++) {
		struct written f = {.len = 0};
		while (f.len + 8 <= sizeof(f.bytes)) {
			put_be(&f, is_nested ? sizeof(f.bytes) - f.len : 8, 4);
			put(&f, is_nested ? "moov" : "free", 4);
		}
		struct str bytes = {f.bytes, f.len};
		const struct byte_source source = {(int64_t)f.len, count_reads, &bytes};
		reads = 0;
		const struct mp4_film film = mp4_probe(&source);
		assert_int_equal(film.duration_ms, 0);
		assert_true(reads <= 4097);
	}
}

static void a_film_may_be_cut_anywhere(void **state)
{
	(void)state;
	struct written f = {.len = 0};
	put_box(&f, "ftyp", 16);
	const size_t moov = begin(&f, "moov");
	put_mvhd(&f, 0, 1000, 1000);
	put_trak(&f, &upright);
	end(&f, moov);
	const size_t whole = f.len;
	for (f.len = 0; f.len < whole; f.len++)
		assert_film(&f, 0, 0, 0);
	assert_film(&f, 1000, 1080, 1920);
}

static bool fails(void *context, int64_t at, char *out, size_t len)
{
	(void)context, (void)at, (void)out, (void)len;
	return false;
}

static void a_file_that_cannot_be_read_is_not_known(void **state)
{
	(void)state;
	const struct byte_source source = {1000, fails, NULL};
	assert_int_equal(mp4_probe(&source).duration_ms, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_moov_is_found_wherever_it_is),
		cmocka_unit_test(long_heads_are_read_too),
		cmocka_unit_test(a_box_of_64_bits_is_stepped_over),
		cmocka_unit_test(a_last_box_may_go_up_to_the_end),
		cmocka_unit_test(turned_pictures_have_their_turned_size),
		cmocka_unit_test(the_first_picture_that_is_shown_counts),
		cmocka_unit_test(a_film_in_fragments_says_its_length_elsewhere),
		cmocka_unit_test(lengths_without_sense_are_not_known),
		cmocka_unit_test(box_lengths_that_lie_end_the_walk),
		cmocka_unit_test(a_child_stays_in_its_parent),
		cmocka_unit_test(many_boxes_are_not_all_looked_at),
		cmocka_unit_test(a_film_may_be_cut_anywhere),
		cmocka_unit_test(a_file_that_cannot_be_read_is_not_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
