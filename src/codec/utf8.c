/* SPDX-License-Identifier: Apache-2.0
 * UTF-8, strictly as RFC 3629, section 4 has it. */
#include "utf8.h"

#include "count_of.h"

#include "octets.h"

/* What a first byte announces. The range of the second byte is what keeps out overlong forms,
 * surrogates and what is above U+10FFFF; all further bytes are 80..BF. */
struct lead {
	unsigned char first;
	unsigned char last;
	unsigned char len;
	unsigned char second_min;
	unsigned char second_max;
};

static const struct lead leads[] = {
	{0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

static const struct lead *lead_find(unsigned char byte)
{
	for (size_t i = 0; i < COUNT_OF(leads); i++) {
		if (byte >= leads[i].first && byte <= leads[i].last)
			return &leads[i];
	}
	return NULL;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

bool utf8_take(struct str *in, uint32_t *code_point_out)
{
	if (in->len == 0)
		return false;
	const unsigned char first = (unsigned char)in->ptr[0];
	const struct lead *lead = lead_find(first);
	if (lead == NULL || in->len < lead->len)
		return false;
	/* The first byte of len bytes carries 7, 5, 4 or 3 bits. */
	uint32_t value = lead->len == 1 ? first : first & (0xffU >> (lead->len + 1));
	for (size_t i = 1; i < lead->len; i++) {
		const unsigned char next = (unsigned char)in->ptr[i];
		const unsigned char min = i == 1 ? lead->second_min : 0x80;
		const unsigned char max = i == 1 ? lead->second_max : 0xbf;
		if (next < min || next > max)
			return false;
		value = value << 6 | (next & 0x3fU);
	}
	*in = str_slice(*in, lead->len, in->len);
	*code_point_out = value;
	return true;
}

bool utf8_is_valid(struct str s)
{
	uint32_t code_point;
	size_t i = 0;
	while (i < s.len) {
		/* Most text is ASCII: no table needed. */
		if (s.len - i >= OCTETS && !octets_have_high(octets_load(s.ptr + i))) {
			i += OCTETS;
			continue;
		}
		if ((unsigned char)s.ptr[i] < 0x80) {
			i++;
			continue;
		}
		struct str rest = str_slice(s, i, s.len);
		if (!utf8_take(&rest, &code_point))
			return false;
		i = s.len - rest.len;
	}
	return true;
}

size_t utf8_code_points(struct str s)
{
	size_t count = 0;
	size_t i = 0;
	for (; s.len - i >= OCTETS; i += OCTETS)
		count += OCTETS - octets_count_continuation(octets_load(s.ptr + i));
	for (; i < s.len; i++)
		count += is_continuation(s.ptr[i]) ? 0 : 1;
	return count;
}

size_t utf8_utf16_units(struct str s)
{
	size_t count = utf8_code_points(s);
	size_t i = 0;
	for (; s.len - i >= OCTETS; i += OCTETS)
		count += octets_count_lead_of_four(octets_load(s.ptr + i));
	for (; i < s.len; i++)
		count += (unsigned char)s.ptr[i] >= 0xf0 ? 1 : 0;
	return count;
}

struct str utf8_cut(struct str s, size_t max_code_points)
{
	size_t count = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (is_continuation(s.ptr[i]))
			continue;
		if (count == max_code_points)
			return str_slice(s, 0, i);
		count++;
	}
	return s;
}

struct str utf8_cut_bytes(struct str s, size_t max_bytes)
{
	if (s.len <= max_bytes)
		return s;
	size_t end = max_bytes;
	while (end > 0 && is_continuation(s.ptr[end]))
		end--;
	return str_slice(s, 0, end);
}

bool utf8_has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];
		if (c < 0x20 || c == 0x7f)
			return true;
		/* C1, U+0080 to U+009F, is C2 80 to C2 9F. */
		if (c == 0xc2 && i + 1 < s.len && (unsigned char)s.ptr[i + 1] <= 0x9f)
			return true;
	}
	return false;
}
