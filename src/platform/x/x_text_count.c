/* SPDX-License-Identifier: Apache-2.0
 * X's weighted length, read off the rules of twitter-text version 3 (x.md 3.1). The text
 * is read as an array of code points. Three readers in order at each place: a URL, an emoji
 * sequence, a code point by itself. */
#include "x_text_count.h"

#include <stdbool.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "count_of.h"

#include "utf8.h"

#include "x_text_count_tlds.h"

#define URL_WEIGHT 23
#define EMOJI_WEIGHT 2
#define URL_MAX_CODE_POINTS 4096
#define LABEL_MAX_BYTES 63

/* Code points and a place in them. */
struct points {
	const int32_t *at;
	size_t count;
};

struct range {
	int32_t from;
	int32_t to;
};

static bool in_ranges(const struct range *ranges, size_t count, int32_t c)
{
	for (size_t i = 0; i < count; i++) {
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	}
	return false;
}

#define IN_RANGES(table, c) in_ranges((table), COUNT_OF(table), (c))

/* The code point there, or 0 past the end. */
static int32_t peek(const struct points *text, size_t place)
{
	return place < text->count ? text->at[place] : 0;
}

static int32_t lower(int32_t c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool is_digit(int32_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(int32_t c)
{
	return lower(c) >= 'a' && lower(c) <= 'z';
}

static bool is_alnum(int32_t c)
{
	return is_letter(c) || is_digit(c);
}

static bool is_one_of(int32_t c, const char *set)
{
	for (; *set != '\0'; set++) {
		if (c == *set)
			return true;
	}
	return false;
}

/* ---- emoji ---- */

#define ZERO_WIDTH_JOINER 0x200D
#define TEXT_STYLE 0xFE0E
#define EMOJI_STYLE 0xFE0F
#define KEYCAP 0x20E3
#define BLACK_FLAG 0x1F3F4
#define TAG_END 0xE007F

/* Emoji_Modifier_Base of Unicode 15: what a skin tone joins. */
static const struct range modifier_bases[] = {
	{0x261D, 0x261D},   {0x26F9, 0x26F9},   {0x270A, 0x270D},   {0x1F385, 0x1F385},
	{0x1F3C2, 0x1F3C4}, {0x1F3C7, 0x1F3C7}, {0x1F3CA, 0x1F3CC}, {0x1F442, 0x1F443},
	{0x1F446, 0x1F450}, {0x1F466, 0x1F478}, {0x1F47C, 0x1F47C}, {0x1F481, 0x1F483},
	{0x1F485, 0x1F487}, {0x1F48F, 0x1F48F}, {0x1F491, 0x1F491}, {0x1F4AA, 0x1F4AA},
	{0x1F574, 0x1F575}, {0x1F57A, 0x1F57A}, {0x1F590, 0x1F590}, {0x1F595, 0x1F596},
	{0x1F645, 0x1F647}, {0x1F64B, 0x1F64F}, {0x1F6A3, 0x1F6A3}, {0x1F6B4, 0x1F6B6},
	{0x1F6C0, 0x1F6C0}, {0x1F6CC, 0x1F6CC}, {0x1F90C, 0x1F90C}, {0x1F90F, 0x1F90F},
	{0x1F918, 0x1F91F}, {0x1F926, 0x1F926}, {0x1F930, 0x1F939}, {0x1F93C, 0x1F93E},
	{0x1F977, 0x1F977}, {0x1F9B5, 0x1F9B6}, {0x1F9B8, 0x1F9B9}, {0x1F9BB, 0x1F9BB},
	{0x1F9CD, 0x1F9CF}, {0x1F9D1, 0x1F9DD}, {0x1FAC3, 0x1FAC5}, {0x1FAF0, 0x1FAF8},
};

/* Regions that have a flag; any other pair of letters is two emoji. */
static const char flag_regions[] =
	"ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo "
	"bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cp cr cu cv cw cx cy cz de dg "
	"dj dk dm do dz ea ec ee eg eh er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm "
	"gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu ic id ie il im in io iq ir is it je jm jo jp "
	"ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk "
	"ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe "
	"pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm "
	"sn so sr ss st sv sx sy sz ta tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um un "
	"us uy uz va vc ve vg vi vn vu wf ws xk ye yt za zm zw ";

static bool is_pictographic(int32_t c)
{
	return utf8proc_get_property(c)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

static bool is_skin_tone(int32_t c)
{
	return c >= 0x1F3FB && c <= 0x1F3FF;
}

static bool is_regional(int32_t c)
{
	return c >= 0x1F1E6 && c <= 0x1F1FF;
}

static bool is_flag(int32_t first, int32_t second)
{
	for (const char *region = flag_regions; *region != '\0'; region += 3) {
		if (first - 0x1F1E6 == region[0] - 'a' && second - 0x1F1E6 == region[1] - 'a')
			return true;
	}
	return false;
}

/* One pictograph with its style or skin tone; 0 when there is none. */
static size_t emoji_element(const struct points *text, size_t place)
{
	const int32_t c = peek(text, place);
	const int32_t next = peek(text, place + 1);
	if (!is_pictographic(c) || next == TEXT_STYLE)
		return 0;
	if (is_skin_tone(next) && IN_RANGES(modifier_bases, c))
		return 2;
	return next == EMOJI_STYLE ? 2 : 1;
}

/* The tags of a flag such as Scotland's, which follow the black flag. */
static size_t emoji_tags(const struct points *text, size_t place)
{
	size_t end = place;
	while (peek(text, end) >= 0xE0020 && peek(text, end) < TAG_END)
		end++;
	return end > place && peek(text, end) == TAG_END ? end + 1 - place : 0;
}

static size_t emoji_keycap(const struct points *text, size_t place)
{
	const int32_t c = peek(text, place);
	const size_t style = peek(text, place + 1) == EMOJI_STYLE ? 1 : 0;
	if (!is_digit(c) && c != '#' && c != '*')
		return 0;
	return peek(text, place + 1 + style) == KEYCAP ? 2 + style : 0;
}

/* A whole emoji sequence; 0 when there is none. */
static size_t emoji_length(const struct points *text, size_t place)
{
	const int32_t c = peek(text, place);
	if (is_regional(c))
		return is_flag(c, peek(text, place + 1)) ? 2 : 1;
	if (is_skin_tone(c))
		return 1;
	const size_t keycap = emoji_keycap(text, place);
	if (keycap > 0)
		return keycap;
	size_t length = emoji_element(text, place);
	if (c == BLACK_FLAG && length == 1)
		length += emoji_tags(text, place + 1);
	while (length > 0 && peek(text, place + length) == ZERO_WIDTH_JOINER) {
		const size_t more = emoji_element(text, place + length + 1);
		if (more == 0)
			break;
		length += 1 + more;
	}
	return length;
}

/* ---- top-level domains ---- */

#define TLD_MAX 24

/* Length of a known top-level domain that starts there and ends in front of something that cannot
 * belong to it, or 0. */
static size_t tld_length(const struct points *text, size_t place)
{
	char word[TLD_MAX + 1] = {0};
	size_t length = 0;
	while (length < TLD_MAX && is_letter(peek(text, place + length))) {
		word[length] = (char)lower(peek(text, place + length));
		length++;
	}
	const bool is_punycode = length == 2 && word[0] == 'x' && word[1] == 'n' &&
				 peek(text, place + 2) == '-' && peek(text, place + 3) == '-';
	if (is_punycode) {
		length = 4;
		while (is_alnum(peek(text, place + length)) || peek(text, place + length) == '-')
			length++;
	}
	const int32_t next = peek(text, place + length);
	if (is_alnum(next) || is_one_of(next, "@+-") || length < 2)
		return 0;
	if (is_punycode)
		return length > 4 ? length : 0;
	return x_text_count_tld_is_known(word) ? length : 0;
}

/* Code points of the text there that are that name; 0 when it is another. */
static size_t same_name_length(const struct points *text, size_t place, struct str name)
{
	size_t length = 0;
	uint32_t c = 0;
	while (name.len > 0) {
		if (!utf8_take(&name, &c) || lower(peek(text, place + length)) != (int32_t)c)
			return 0;
		length++;
	}
	return length;
}

/* The same for names in other scripts, of which the longest counts; only after a protocol. */
static size_t other_tld_length(const struct points *text, size_t place)
{
	const char *name;
	for (size_t i = 0; (name = x_text_count_tld_other(i)) != NULL; i++) {
		const size_t length = same_name_length(text, place, str_of(name));
		const int32_t next = peek(text, place + length);
		if (length > 0 && !is_alnum(next) && !is_one_of(next, "@+-"))
			return length;
	}
	return 0;
}

/* ---- hosts ---- */

/* Punctuation, blanks, controls and marks of direction end a host; every other sign may stand in
 * one. */
static bool is_host_sign(int32_t c)
{
	static const struct range not_ours[] = {
		{0x00, 0x2F},     {0x3A, 0x40},     {0x5B, 0x60},     {0x7B, 0xA0},
		{0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x206F}, {0x3000, 0x3000},
		{0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF}, {0xFF01, 0xFF0F}, {0x3001, 0x3002},
		{0x300C, 0x300F},
	};
	return !IN_RANGES(not_ours, c);
}

/* Latin letters with accents: they too may stand in a host without a protocol. */
static bool is_latin_accent(int32_t c)
{
	static const struct range accents[] = {
		{0xC0, 0xD6},   {0xD8, 0xF6},     {0xF8, 0xFF},   {0x100, 0x24F}, {0x253, 0x254},
		{0x256, 0x257}, {0x259, 0x259},   {0x25B, 0x25B}, {0x263, 0x263}, {0x268, 0x268},
		{0x26F, 0x26F}, {0x272, 0x272},   {0x289, 0x289}, {0x28B, 0x28B}, {0x2BB, 0x2BB},
		{0x300, 0x36F}, {0x1E00, 0x1EFF},
	};
	return IN_RANGES(accents, c);
}

static int32_t punycode_digits(int32_t delta, int32_t bias)
{
	int32_t digits = 1;
	for (int32_t k = 36, q = delta;; k += 36, digits++) {
		const int32_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
		if (q < t)
			return digits;
		q = (q - t) / (36 - t);
	}
}

static int32_t punycode_bias(int32_t delta, int32_t count, bool is_first)
{
	int32_t k = 0;
	delta = is_first ? delta / 700 : delta / 2;
	for (delta += delta / count; delta > 35 * 26 / 2; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* Bytes of a label as ASCII, "xn--" with it (RFC 3492, 6.3, only counting). Labels over 63 signs
 * are over 63 bytes anyway. */
static size_t label_ascii_bytes(const int32_t *label, size_t count)
{
	int32_t basic = 0;
	for (size_t i = 0; i < count; i++)
		basic += label[i] < 0x80;
	if ((size_t)basic == count || count > LABEL_MAX_BYTES)
		return count;
	int32_t bytes = 4 + basic + (basic > 0);
	int32_t n = 0x80, delta = 0, bias = 72, done = basic;
	while (done < (int32_t)count) {
		int32_t next = INT32_MAX;
		for (size_t i = 0; i < count; i++)
			next = label[i] >= n && label[i] < next ? label[i] : next;
		delta += (next - n) * (done + 1);
		n = next;
		for (size_t i = 0; i < count; i++) {
			delta += label[i] < n;
			if (label[i] != n)
				continue;
			bytes += punycode_digits(delta, bias);
			bias = punycode_bias(delta, done + 1, done == basic);
			delta = 0;
			done++;
		}
		delta++;
		n++;
	}
	return (size_t)bytes;
}

struct host_style {
	bool is_free; /* after a protocol: any script; else ASCII and accents */
};

static bool may_stand_in_label(struct host_style style, int32_t c)
{
	if (c == '-' || c == '_')
		return true;
	return is_host_sign(c) && (style.is_free || is_alnum(c) || is_latin_accent(c));
}

/* The label from place up to the next dot; 0 when there is no good one. */
static size_t label_length(const struct points *text, size_t place, struct host_style style)
{
	size_t length = 0;
	while (may_stand_in_label(style, peek(text, place + length)))
		length++;
	if (length == 0 || peek(text, place + length) != '.')
		return 0;
	const bool is_edge_bad = is_one_of(peek(text, place), "-_") ||
				 is_one_of(peek(text, place + length - 1), "-_");
	return is_edge_bad || label_ascii_bytes(&text->at[place], length) > LABEL_MAX_BYTES
		       ? 0
		       : length;
}

static bool has_underscore(const struct points *text, size_t place, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (peek(text, place + i) == '_')
			return true;
	}
	return false;
}

/* The longest host that ends in a known top-level domain; 0 when there is none. */
static size_t host_length(const struct points *text, size_t place, struct host_style style)
{
	size_t best = 0;
	size_t end = place;
	for (;;) {
		const size_t label = label_length(text, end, style);
		if (label == 0)
			return best;
		const bool may_be_name = !has_underscore(text, end, label);
		end += label + 1;
		size_t tld = tld_length(text, end);
		if (tld == 0 && style.is_free)
			tld = other_tld_length(text, end);
		if (tld > 0 && may_be_name)
			best = end + tld - place;
	}
}

/* ---- the rest of a URL ---- */

static bool is_cyrillic(int32_t c)
{
	return c >= 0x400 && c <= 0x4FF;
}

static bool is_path_sign(int32_t c)
{
	return is_alnum(c) || is_cyrillic(c) || is_latin_accent(c) || c == 0x2013 ||
	       is_one_of(c, "!*';:=+,.$/%#[]-_~@|&");
}

static bool is_path_end(int32_t c)
{
	return is_alnum(c) || is_cyrillic(c) || is_latin_accent(c) || is_one_of(c, "=_#/+-");
}

/* "(...)" with at most one level inside; 0 when it is not closed. */
static size_t parens_length(const struct points *text, size_t place, int depth)
{
	size_t end = place + 1;
	for (;;) {
		const int32_t c = peek(text, end);
		if (c == ')')
			return end - place > 1 ? end + 1 - place : 0;
		const size_t inner = c == '(' && depth == 0 ? parens_length(text, end, 1) : 0;
		if (inner == 0 && !is_path_sign(c))
			return 0;
		end += inner > 0 ? inner : 1;
	}
}

static size_t path_length(const struct points *text, size_t place)
{
	size_t best = 1; /* the slash */
	size_t end = place + 1;
	for (;;) {
		const int32_t c = peek(text, end);
		const size_t parens = c == '(' ? parens_length(text, end, 0) : 0;
		if (parens == 0 && !is_path_sign(c))
			return best;
		end += parens > 0 ? parens : 1;
		if (parens > 0 || is_path_end(c))
			best = end - place;
	}
}

static size_t query_length(const struct points *text, size_t place)
{
	size_t best = 0;
	size_t end = place + 1;
	while (is_alnum(peek(text, end)) ||
	       is_one_of(peek(text, end), "!?*'@();:&=+$/%#[]-_.,~|")) {
		const int32_t c = peek(text, end++);
		if (is_alnum(c) || is_one_of(c, "-_&=#/"))
			best = end - place;
	}
	return best;
}

/* X's own short links: nothing but letters and digits belongs to their path. */
static bool is_tco(const struct points *text, size_t host, size_t host_count)
{
	static const char name[] = "t.co";
	if (host_count != 4)
		return false;
	for (size_t i = 0; i < 4; i++) {
		if (lower(peek(text, host + i)) != name[i])
			return false;
	}
	return true;
}

static size_t tco_path_length(const struct points *text, size_t place)
{
	size_t end = place + 1;
	while (is_alnum(peek(text, end)))
		end++;
	return end - place > 1 ? end - place : 0;
}

static size_t protocol_length(const struct points *text, size_t place)
{
	static const char *const protocols[] = {"https://", "http://"};
	for (size_t i = 0; i < 2; i++) {
		size_t length = 0;
		while (protocols[i][length] != '\0' &&
		       lower(peek(text, place + length)) == protocols[i][length])
			length++;
		if (protocols[i][length] == '\0')
			return length;
	}
	return 0;
}

static bool may_follow(int32_t before, bool has_protocol)
{
	if (is_alnum(before) || before == 0xFF20 || before == 0xFF03 || before == 0xFEFF ||
	    before == 0xFFFE || before == 0xFFFF || is_one_of(before, "@$#"))
		return false;
	return has_protocol || !is_one_of(before, "-_./");
}

/* The URL that starts there; 0 when there is none. */
static size_t url_length(const struct points *text, size_t place)
{
	const size_t protocol = protocol_length(text, place);
	if (place > 0 && !may_follow(text->at[place - 1], protocol > 0))
		return 0;
	const size_t host =
		host_length(text, place + protocol, (struct host_style){.is_free = protocol > 0});
	if (host == 0)
		return 0;
	size_t end = place + protocol + host;
	size_t port = 0;
	while (peek(text, end) == ':' && is_digit(peek(text, end + 1 + port)))
		port++;
	end += port > 0 ? port + 1 : 0;
	if (peek(text, end) == '/')
		end += protocol > 0 && is_tco(text, place + protocol, host)
			       ? tco_path_length(text, end)
			       : path_length(text, end);
	if (peek(text, end) == '?')
		end += query_length(text, end);
	return end - place <= URL_MAX_CODE_POINTS ? end - place : 0;
}

/* ---- the sum ---- */

static int64_t code_point_weight(int32_t c)
{
	static const struct range light[] = {
		{0x0000, 0x10FF},
		{0x2000, 0x200D},
		{0x2010, 0x201F},
		{0x2032, 0x2037},
	};
	return IN_RANGES(light, c) ? 1 : 2;
}

static int64_t points_weight(const struct points *text)
{
	int64_t weight = 0;
	for (size_t place = 0; place < text->count;) {
		const size_t url = url_length(text, place);
		const size_t emoji = url > 0 ? 0 : emoji_length(text, place);
		if (url > 0)
			weight += URL_WEIGHT;
		else if (emoji > 0)
			weight += EMOJI_WEIGHT;
		else
			weight += code_point_weight(text->at[place]);
		place += url > 0 ? url : emoji > 0 ? emoji : 1;
	}
	return weight;
}

int64_t x_text_count_weighted(struct str text)
{
	const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
	const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text.ptr;
	const utf8proc_ssize_t size = (utf8proc_ssize_t)text.len;
	/* Text that cannot be analysed counts for as much as its bytes allow: it is refused rather
	 * than let through. */
	const int64_t unreadable = 2 * (int64_t)text.len;
	if (text.len == 0)
		return 0;
	const utf8proc_ssize_t room = utf8proc_decompose(bytes, size, NULL, 0, options);
	if (room < 0)
		return unreadable;
	int32_t *points = calloc((size_t)room + 1, sizeof(*points));
	if (points == NULL)
		return unreadable;
	utf8proc_decompose(bytes, size, points, room, options);
	const utf8proc_ssize_t count = utf8proc_normalize_utf32(points, room, options);
	const int64_t weight =
		count < 0 ? unreadable : points_weight(&(struct points){points, (size_t)count});
	free(points);
	return weight;
}

/* ---- finding ---- */

/* Where each code point begins in the bytes; one more for the end. */
struct placed_points {
	int32_t *at;
	size_t *byte;
	size_t count;
};

static void place_points(struct str text, struct placed_points *placed)
{
	struct str rest = text;
	uint32_t c = 0;
	while (rest.len > 0 && utf8_take(&rest, &c)) {
		placed->at[placed->count++] = (int32_t)c;
		placed->byte[placed->count] = text.len - rest.len;
	}
}

size_t x_text_count_urls(struct str text, struct x_text_span *spans_out, size_t max)
{
	struct placed_points placed = {
		.at = calloc(text.len + 1, sizeof(*placed.at)),
		.byte = calloc(text.len + 1, sizeof(*placed.byte)),
	};
	size_t found = 0;
	if (placed.at != NULL && placed.byte != NULL)
		place_points(text, &placed);
	const struct points points = {placed.at, placed.count};
	for (size_t place = 0; place < placed.count && found < max;) {
		const size_t length = url_length(&points, place);
		if (length > 0)
			spans_out[found++] = (struct x_text_span){placed.byte[place],
								  placed.byte[place + length]};
		place += length > 0 ? length : 1;
	}
	free(placed.at);
	free(placed.byte);
	return found;
}
