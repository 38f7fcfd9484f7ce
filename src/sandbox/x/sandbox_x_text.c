/* SPDX-License-Identifier: Apache-2.0
 * How X counts a text (x.md 3.1). An independent reading, close to twitter-text but
 * incomplete: a URL's host ends in a two-letter country code or in one of the names below, while
 * the list of all names has thousands. Pure. */
#include "sandbox_x.h"

#include <stdlib.h>

#include <utf8proc.h>

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "utf8.h"

#define URL_WEIGHT 23
#define URL_MAX_BYTES 4096
#define LABEL_MAX 63

static const char *const names[] = {
	"com",     "org",       "net",     "edu",     "gov",    "mil",    "int",    "info",
	"biz",     "name",      "pro",     "museum",  "aero",   "coop",   "jobs",   "mobi",
	"travel",  "cat",       "asia",    "tel",     "post",   "app",    "dev",    "page",
	"blog",    "shop",      "store",   "site",    "online", "cloud",  "tech",   "xyz",
	"top",     "club",      "live",    "news",    "world",  "today",  "life",   "space",
	"website", "agency",    "digital", "media",   "social", "design", "studio", "art",
	"email",   "video",     "photos",  "photo",   "games",  "game",   "chat",   "link",
	"click",   "help",      "guide",   "wiki",    "berlin", "london", "paris",  "tokyo",
	"nyc",     "amsterdam", "wien",    "hamburg", "koeln",  "bayern", "swiss",  "eu",
	"academy", "events",    "finance", "health",  "group",  "team",   "work",   "works",
	"zone",    "city",      "earth",   "fun",
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_high(char c)
{
	return (unsigned char)c >= 0x80;
}

static bool is_known_tld(struct str label)
{
	if (label.len == 2 && is_letter(label.ptr[0]) && is_letter(label.ptr[1]))
		return true;
	if (label.len > 4 && str_equal_nocase(str_slice(label, 0, 4), STR("xn--")))
		return true;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (str_equal_nocase(label, str_of(names[i])))
			return true;
	}
	return false;
}

/* The end of the longest host at from that ends in a known name; from when there is none. */
static size_t host_end(struct str text, size_t from, bool may_be_high)
{
	size_t best = from;
	size_t label = from;
	size_t at = from;
	for (;; at++) {
		const char c = at < text.len ? text.ptr[at] : '\0';
		const bool is_part = at < text.len && (is_letter(c) || is_digit(c) || c == '-' ||
						       c == '_' || (may_be_high && is_high(c)));
		if (is_part)
			continue;
		if (at == label || at - label > LABEL_MAX || text.ptr[label] == '-' ||
		    text.ptr[at - 1] == '-')
			break;
		if (label > from && is_known_tld(str_slice(text, label, at)))
			best = at;
		if (at >= text.len || c != '.')
			break;
		label = at + 1;
	}
	return best;
}

static bool is_path_char(char c)
{
	return is_letter(c) || is_digit(c) || is_high(c) ||
	       (c != '\0' && strchr("!*';:=+,.$/%#[]-_~@|&()?", c) != NULL);
}

static bool may_end_path(char c)
{
	return is_letter(c) || is_digit(c) || is_high(c) ||
	       (c != '\0' && strchr("=_#/+-)", c) != NULL);
}

/* The end of port, path and query. Final punctuation is not part of the URL, nor is an unmatched
 * closing bracket. */
static size_t tail_end(struct str text, size_t from)
{
	size_t at = from;
	size_t end = from;
	if (at + 1 < text.len && text.ptr[at] == ':' && is_digit(text.ptr[at + 1])) {
		for (at++; at < text.len && is_digit(text.ptr[at]); at++)
			end = at + 1;
	}
	if (at >= text.len || (text.ptr[at] != '/' && text.ptr[at] != '?'))
		return end;
	int open = 0;
	for (; at < text.len && is_path_char(text.ptr[at]); at++) {
		const char c = text.ptr[at];
		open += c == '(' ? 1 : 0;
		if (c == ')' && --open < 0)
			break;
		if (may_end_path(c))
			end = at + 1;
	}
	return end;
}

static size_t protocol_len(struct str text, size_t at)
{
	if (str_equal_nocase(str_slice(text, at, at + 8), STR("https://")))
		return 8;
	return str_equal_nocase(str_slice(text, at, at + 7), STR("http://")) ? 7 : 0;
}

/* Whether a URL may start after this character: not a word, not @ $ # (3.1; twitter-text's
 * preceding characters). */
static bool may_start(struct str text, size_t at, bool has_protocol)
{
	const char before = at > 0 ? text.ptr[at - 1] : ' ';
	if (is_letter(before) || is_digit(before) || strchr("@$#_", before) != NULL)
		return false;
	return has_protocol || strchr("-./", before) == NULL;
}

static bool url_at(struct str text, size_t at, struct x_url *out)
{
	const size_t protocol = protocol_len(text, at);
	const size_t host = at + protocol;
	if (!may_start(text, at, protocol > 0))
		return false;
	size_t end = host_end(text, host, protocol > 0);
	if (end == host)
		return false;
	/* "me@example.com" is an address; "example.com@" too. */
	if (end < text.len && text.ptr[end] == '@')
		return false;
	end = tail_end(text, end);
	if (end - at > URL_MAX_BYTES)
		return false;
	*out = (struct x_url){at, end};
	return true;
}

size_t sandbox_x_text_urls(struct str text, struct x_url *out, size_t max)
{
	size_t count = 0;
	for (size_t at = 0; at < text.len && count < max;) {
		if (url_at(text, at, &out[count])) {
			at = out[count++].end;
			continue;
		}
		/* Not within a word: "foo.example.com" starts at foo or nowhere. */
		at++;
	}
	return count;
}

/* ---- emoji and weights ---- */

static bool is_pictograph(uint32_t c)
{
	return utf8proc_get_property((utf8proc_int32_t)c)->boundclass ==
	       UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

static bool is_regional(uint32_t c)
{
	return c >= 0x1F1E6 && c <= 0x1F1FF;
}

static bool is_skin(uint32_t c)
{
	return c >= 0x1F3FB && c <= 0x1F3FF;
}

/* Characters that are emoji only when U+FE0F follows. */
static bool is_text_by_default(uint32_t c)
{
	return c == 0xA9 || c == 0xAE || c == 0x2122 || c == 0x265F;
}

static uint32_t peek(struct str rest)
{
	uint32_t c = 0;
	return utf8_take(&rest, &c) ? c : 0;
}

static void skip(struct str *rest)
{
	uint32_t ignored;
	utf8_take(rest, &ignored);
}

static void skip_modifiers(struct str *rest)
{
	for (uint32_t c = peek(*rest); c == 0xFE0F || is_skin(c) || (c >= 0xE0020 && c <= 0xE007F);
	     c = peek(*rest))
		skip(rest);
}

/* Takes one emoji sequence. False, and takes nothing, when none starts here. */
static bool take_emoji(struct str *rest)
{
	struct str at = *rest;
	uint32_t first = 0;
	if (!utf8_take(&at, &first))
		return false;
	if (is_regional(first) && is_regional(peek(at))) {
		skip(&at);
		*rest = at;
		return true;
	}
	if (first < 0x80) { /* a keycap: 1 U+FE0F U+20E3 */
		if (peek(at) == 0xFE0F)
			skip(&at);
		if (strchr("0123456789#*", (int)first) == NULL || first == 0 || peek(at) != 0x20E3)
			return false;
		skip(&at);
		*rest = at;
		return true;
	}
	if (!is_pictograph(first) && !is_skin(first))
		return false;
	if (is_text_by_default(first) && peek(at) != 0xFE0F)
		return false;
	skip_modifiers(&at);
	while (peek(at) == 0x200D) {
		struct str next = at;
		skip(&next);
		if (!is_pictograph(peek(next)))
			break;
		skip(&next);
		skip_modifiers(&next);
		at = next;
	}
	*rest = at;
	return true;
}

static size_t weight_of(uint32_t c)
{
	const bool is_light = c <= 0x10FF || (c >= 0x2000 && c <= 0x200D) ||
			      (c >= 0x2010 && c <= 0x201F) || (c >= 0x2032 && c <= 0x2037);
	return is_light ? 1 : 2;
}

static size_t plain_weight(struct str rest)
{
	size_t weight = 0;
	while (rest.len > 0) {
		uint32_t c;
		if (take_emoji(&rest))
			weight += 2;
		else if (utf8_take(&rest, &c))
			weight += weight_of(c);
		else
			break;
	}
	return weight;
}

static struct str nfc(struct arena *arena, struct str text)
{
	utf8proc_uint8_t *made = NULL;
	const utf8proc_ssize_t len =
		utf8proc_map((const utf8proc_uint8_t *)text.ptr, (utf8proc_ssize_t)text.len, &made,
			     UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	if (len < 0)
		return text;
	const struct str copy = str_copy(arena, (struct str){(const char *)made, (size_t)len});
	free(made);
	return copy;
}

size_t sandbox_x_text_weight(struct arena *arena, struct str text)
{
	const struct str composed = text.len > 0 ? nfc(arena, text) : text;
	struct x_url urls[X_URLS_MAX];
	const size_t count = sandbox_x_text_urls(composed, urls, X_URLS_MAX);
	size_t weight = 0;
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		weight += plain_weight(str_slice(composed, at, urls[i].begin)) + URL_WEIGHT;
		at = urls[i].end;
	}
	return weight + plain_weight(str_slice(composed, at, composed.len));
}

bool sandbox_x_text_is_allowed(struct str text)
{
	while (text.len > 0) {
		uint32_t c;
		if (!utf8_take(&text, &c) || c == 0xFFFE || c == 0xFEFF || c == 0xFFFF)
			return false;
	}
	return true;
}

size_t sandbox_x_text_cashtags(struct str text)
{
	size_t count = 0;
	for (size_t i = 0; i + 1 < text.len; i++) {
		const bool begins = i == 0 || text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\n';
		size_t end = i + 1;
		while (end < text.len && is_letter(text.ptr[end]))
			end++;
		const bool ends =
			end == text.len || (!is_digit(text.ptr[end]) && text.ptr[end] != '$' &&
					    !is_high(text.ptr[end]));
		if (text.ptr[i] == '$' && begins && ends && end - i >= 2 && end - i <= 7)
			count++;
	}
	return count;
}
