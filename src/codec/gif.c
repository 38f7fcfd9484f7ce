/* SPDX-License-Identifier: Apache-2.0
 * See gif.h. Behind the header come blocks: extensions and pictures, each with its data in
 * sub-blocks of at most 255 bytes that end with an empty one. */
#include "gif.h"

#define HEADER_BYTES 13
#define DESCRIPTOR_BYTES 10
#define WINDOW_BYTES 4096
/* no still picture is larger: all six platforms refuse it */
#define WALK_MAX_BYTES ((int64_t)64 << 20)

/* Where the walk is, over a window of what was read last. */
struct cursor {
	const struct byte_source *source;
	int64_t at;
	int64_t window_at;
	size_t window_len;
	char window[WINDOW_BYTES];
};

static bool window_fill(struct cursor *c)
{
	const int64_t left = c->source->size_bytes - c->at;
	if (left <= 0 || c->at > WALK_MAX_BYTES)
		return false;
	c->window_at = c->at;
	c->window_len = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
	return byte_source_read(c->source, c->at, c->window, c->window_len);
}

static bool byte_take(struct cursor *c, unsigned *out)
{
	if ((c->at < c->window_at || c->at >= c->window_at + (int64_t)c->window_len) &&
	    !window_fill(c))
		return false;
	*out = (unsigned char)c->window[c->at++ - c->window_at];
	return true;
}

/* The size of a colour table, by the byte that announces it. */
static int64_t table_bytes(unsigned flags)
{
	return (flags & 0x80) != 0 ? INT64_C(3) << ((flags & 7) + 1) : 0;
}

static bool sub_blocks_skip(struct cursor *c)
{
	unsigned length;
	while (byte_take(c, &length)) {
		if (length == 0)
			return true;
		c->at += length;
	}
	return false;
}

/* Behind the separator of a picture: its descriptor, a table, the code size, its data. */
static bool picture_skip(struct cursor *c)
{
	unsigned flags;
	c->at += DESCRIPTOR_BYTES - 2;
	if (!byte_take(c, &flags))
		return false;
	c->at += table_bytes(flags) + 1;
	return sub_blocks_skip(c);
}

bool gif_is_animated(const struct byte_source *source)
{
	struct cursor c = {.source = source, .at = HEADER_BYTES - 3};
	unsigned flags, mark, label;
	int pictures = 0;
	if (!byte_take(&c, &flags))
		return false;
	c.at = HEADER_BYTES + table_bytes(flags);
	while (byte_take(&c, &mark)) {
		if (mark == 0x2c && ++pictures == 2)
			return true;
		const bool goes_on = mark == 0x2c   ? picture_skip(&c)
				     : mark == 0x21 ? byte_take(&c, &label) && sub_blocks_skip(&c)
						    : false;
		if (!goes_on)
			return false;
	}
	return false;
}
