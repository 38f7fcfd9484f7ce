/* SPDX-License-Identifier: Apache-2.0
 * Draws the profile pictures of the sandbox's accounts: a face or a sign, 96 by 96, in six colours.
 * The PNG (ISO/IEC 15948) has a palette and one block that is not compressed. */
#include "sandbox_avatar.h"

#include <stdint.h>

#include "buf.h"
#include "count_of.h"
#include "fnv.h"

#include "http.h"

#include "sandbox_core.h"

#define SIDE 96
#define ROW_BYTES (1 + SIDE / 2) /* a filter, and two pixels a byte */
#define PIXEL_BYTES (SIDE * ROW_BYTES)
#define ADLER_PRIME 65521u

enum ink { INK_GROUND, INK_SHADE, INK_SKIN, INK_HAIR, INK_CLOTHES, INK_LIGHT, INK_COUNT };

struct drawing {
	enum sandbox_avatar_kind kind;
	uint32_t seed;
};

static const uint32_t grounds[SANDBOX_PLATFORM_COUNT] = {0xe7c3d3, 0xbcd5f2, 0xcfd6df,
							 0xb9d7ea, 0xf2c7c4, 0xbfe0db};
static const uint32_t shades[SANDBOX_PLATFORM_COUNT] = {0xc13584, 0x1464d2, 0x22272e,
							0x0a66c2, 0xc4161c, 0x13756f};
static const uint32_t skins[] = {0xf4d3b8, 0xe0ac7e, 0xb97f52, 0x8a5a3a, 0x5f3d28};
static const uint32_t hairs[] = {0x2b2320, 0x5a3a22, 0xa5672b, 0xd9b36c, 0x8f8f95};
static const uint32_t clothes[] = {0x345995, 0x2f7f6f, 0xb5483a, 0x6b4e9b, 0xd08c2c};

/* ---- what is seen at a place ---- */

static bool in_oval(int x, int y, const int oval[4])
{
	const int dx = (x - oval[0]) * oval[3];
	const int dy = (y - oval[1]) * oval[2];
	const int edge = oval[2] * oval[3];
	return dx * dx + dy * dy <= edge * edge;
}

static enum ink face_at(const struct drawing *drawing, int x, int y)
{
	/* the middle, and half of the width and the height */
	static const int shoulders[] = {48, 98, 36, 30};
	static const int neck[] = {48, 66, 8, 14};
	static const int head[] = {48, 42, 17, 21};
	static const int hair[] = {48, 36, 20, 21};
	static const int long_hair[] = {48, 48, 23, 32};
	const int brow = 29 + (int)(drawing->seed % 4);
	const bool is_long = (drawing->seed >> 3) % 2 == 1;
	if (in_oval(x, y, head) && y > brow)
		return INK_SKIN;
	if (in_oval(x, y, hair) && y < 42)
		return INK_HAIR;
	if (in_oval(x, y, neck))
		return INK_SKIN;
	if (is_long && in_oval(x, y, long_hair))
		return INK_HAIR;
	return in_oval(x, y, shoulders) ? INK_CLOTHES : INK_GROUND;
}

static enum ink sign_at(const struct drawing *drawing, int x, int y)
{
	static const int ring[] = {48, 48, 32, 32};
	static const int hole[] = {48, 48, 18, 18};
	static const int dot[] = {48, 48, 9, 9};
	const int turned = (drawing->seed >> 2) % 2 == 1 ? x + y - 2 * 48 : x - y;
	if (in_oval(x, y, dot))
		return INK_CLOTHES;
	if (in_oval(x, y, hole) || !in_oval(x, y, ring))
		return INK_SHADE;
	return turned > 0 ? INK_LIGHT : INK_GROUND;
}

/* ---- PNG ---- */

static void add_u32(struct buf *out, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_add_char(out, (char)(value >> shift & 0xff));
}

static uint32_t crc_of(struct str bytes)
{
	uint32_t crc = 0xffffffff;
	for (size_t i = 0; i < bytes.len; i++) {
		crc ^= (unsigned char)bytes.ptr[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* body: the chunk's type and its data. */
static void add_chunk(struct buf *out, struct str body)
{
	add_u32(out, (uint32_t)(body.len - 4));
	buf_add(out, body);
	add_u32(out, crc_of(body));
}

static uint32_t adler_of(struct str bytes)
{
	uint32_t a = 1;
	uint32_t b = 0;
	for (size_t i = 0; i < bytes.len; i++) {
		a = (a + (unsigned char)bytes.ptr[i]) % ADLER_PRIME;
		b = (b + a) % ADLER_PRIME;
	}
	return b << 16 | a;
}

static void add_pixels(const struct drawing *drawing, struct buf *out)
{
	for (int y = 0; y < SIDE; y++) {
		buf_add_char(out, 0); /* no filter */
		for (int x = 0; x < SIDE; x += 2) {
			const bool is_face = drawing->kind == SANDBOX_AVATAR_PERSON;
			const enum ink left =
				is_face ? face_at(drawing, x, y) : sign_at(drawing, x, y);
			const enum ink right =
				is_face ? face_at(drawing, x + 1, y) : sign_at(drawing, x + 1, y);
			buf_add_char(out, (char)(left << 4 | right));
		}
	}
}

static void add_head(struct buf *out, struct arena *arena)
{
	struct buf head;
	buf_init(&head, arena, 64);
	buf_add_z(&head, "IHDR");
	add_u32(&head, SIDE);
	add_u32(&head, SIDE);
	/* 4 bits, a palette, and the only compression, filters and order there are */
	buf_add(&head, (struct str){"\4\3\0\0\0", 5});
	add_chunk(out, buf_str(&head));
}

static void add_palette(struct buf *out, struct arena *arena, const uint32_t inks[INK_COUNT])
{
	struct buf palette;
	buf_init(&palette, arena, 64);
	buf_add_z(&palette, "PLTE");
	for (size_t i = 0; i < INK_COUNT; i++) {
		for (int shift = 16; shift >= 0; shift -= 8)
			buf_add_char(&palette, (char)(inks[i] >> shift & 0xff));
	}
	add_chunk(out, buf_str(&palette));
}

/* zlib (RFC 1950) around one stored block (RFC 1951, 3.2.4). */
static void add_data(const struct drawing *drawing, struct buf *out, struct arena *arena)
{
	struct buf pixels;
	struct buf data;
	buf_init(&pixels, arena, PIXEL_BYTES + 64);
	buf_init(&data, arena, PIXEL_BYTES + 64);
	add_pixels(drawing, &pixels);
	buf_add_z(&data, "IDAT");
	buf_add(&data, (struct str){"\x78\x01\x01", 3});
	buf_add_char(&data, (char)(PIXEL_BYTES & 0xff));
	buf_add_char(&data, (char)(PIXEL_BYTES >> 8));
	buf_add_char(&data, (char)((0xffff - PIXEL_BYTES) & 0xff));
	buf_add_char(&data, (char)((0xffff - PIXEL_BYTES) >> 8));
	buf_add(&data, buf_str(&pixels));
	add_u32(&data, adler_of(buf_str(&pixels)));
	add_chunk(out, buf_str(&data));
}

void sandbox_avatar_answer(struct sandbox_call *call, enum sandbox_avatar_kind kind,
			   struct str name)
{
	const uint32_t seed = fnv_hash(name) + (uint32_t)call->platform;
	const struct drawing drawing = {.kind = kind, .seed = seed};
	const uint32_t inks[INK_COUNT] = {
		[INK_GROUND] = grounds[call->platform],
		[INK_SHADE] = shades[call->platform],
		[INK_SKIN] = skins[seed / 7 % COUNT_OF(skins)],
		[INK_HAIR] = hairs[seed / 11 % COUNT_OF(hairs)],
		[INK_CLOTHES] = clothes[seed / 13 % COUNT_OF(clothes)],
		[INK_LIGHT] = 0xffffff,
	};
	struct buf *out = http_response_text(call->response, 200, "image/png");
	buf_add(out, (struct str){"\x89PNG\r\n\x1a\n", 8});
	add_head(out, call->arena);
	add_palette(out, call->arena, inks);
	add_data(&drawing, out, call->arena);
	add_chunk(out, STR("IEND"));
}
