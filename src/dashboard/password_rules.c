/* SPDX-License-Identifier: Apache-2.0
 * See password_rules.h. */
#include "password_rules.h"

#include "arena.h"
#include "count_of.h"

#include "utf8.h"

#define RUN_MIN 3   /* "aaa", "345" and "cba" are worth nothing */
#define PARTS_MAX 4 /* of an email address */
#define PART_MIN_BYTES 4

static const char *const common[] = {
#define COMMON(word) word,
#include "common_passwords.def"
#undef COMMON
};

/* ---- what may be taken off at one place ---- */

/* The letter that a digit or sign often stands for, else itself. */
static char letter_of(char c)
{
	static const char pairs[][2] = {{'0', 'o'}, {'1', 'i'}, {'!', 'i'}, {'3', 'e'}, {'4', 'a'},
					{'@', 'a'}, {'5', 's'}, {'$', 's'}, {'7', 't'}, {'8', 'b'}};
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		if (pairs[i][0] == c)
			return pairs[i][1];
	}
	return c;
}

static bool stands_for(char c, char letter)
{
	return c == letter || letter_of(c) == letter || (c == '1' && letter == 'l');
}

static bool has_word_at(struct str text, size_t at, struct str word)
{
	if (word.len > text.len - at)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		if (!stands_for(text.ptr[at + i], word.ptr[i]))
			return false;
	}
	return true;
}

/* How far each byte is the one before it plus the same step of -1, 0 or 1. */
static size_t run_at(struct str text, size_t at)
{
	size_t longest = 1;
	for (int step = -1; step <= 1; step++) {
		size_t end = at + 1;
		while (end < text.len && text.ptr[end] == text.ptr[end - 1] + step)
			end++;
		longest = end - at > longest ? end - at : longest;
	}
	return longest;
}

static bool is_year_at(struct str text, size_t at)
{
	uint64_t year = 0;
	struct str rest = str_slice(text, at, at + 4);
	return rest.len == 4 && str_take_u64(&rest, 4, &year) && rest.len == 0 && year >= 1900 &&
	       year < 2100;
}

/* ---- what is left ---- */

struct remains {
	struct str text;
	struct str parts[PARTS_MAX]; /* of the email address */
	size_t part_count;
	size_t *left; /* of the first so many bytes, at best */
};

static void lower_to(struct remains *r, size_t at, size_t left)
{
	if (left < r->left[at])
		r->left[at] = left;
}

static void take_off_at(struct remains *r, size_t at)
{
	const size_t left = r->left[at];
	const bool is_inside = ((unsigned char)r->text.ptr[at] & 0xC0) == 0x80;
	lower_to(r, at + 1, left + !is_inside);
	for (size_t i = 0; i < COUNT_OF(common); i++) {
		const struct str word = str_of(common[i]);
		if (has_word_at(r->text, at, word))
			lower_to(r, at + word.len, left);
	}
	for (size_t i = 0; i < r->part_count; i++) {
		if (has_word_at(r->text, at, r->parts[i]))
			lower_to(r, at + r->parts[i].len, left);
	}
	for (size_t run = run_at(r->text, at); run >= RUN_MIN; run--)
		lower_to(r, at + run, left);
	if (is_year_at(r->text, at))
		lower_to(r, at + 4, left);
}

/* "ann.bell@example.com" is ann, bell and example: those that are long enough to mean something. */
static void add_email(struct remains *r, struct str email)
{
	size_t from = 0;
	for (size_t i = 0; i <= email.len && r->part_count < PARTS_MAX; i++) {
		const bool is_end = i == email.len || email.ptr[i] == '.' || email.ptr[i] == '@' ||
				    email.ptr[i] == '-' || email.ptr[i] == '_' ||
				    email.ptr[i] == '+';
		if (!is_end)
			continue;
		if (i - from >= PART_MIN_BYTES)
			r->parts[r->part_count++] = str_slice(email, from, i);
		from = i + 1;
	}
}

/* The block that the whole text repeats; the text itself when it repeats none. */
static struct str block_of(struct str text)
{
	for (size_t size = 1; size <= text.len / 2; size++) {
		size_t at = size;
		while (at < text.len && text.ptr[at] == text.ptr[at - size])
			at++;
		if (at == text.len && text.len % size == 0)
			return str_slice(text, 0, size);
	}
	return text;
}

static size_t characters_left(struct arena *arena, struct str password, struct str email)
{
	struct remains r = {.text = block_of(str_lower(arena, password))};
	r.left = arena_alloc(arena, (r.text.len + 1) * sizeof(*r.left));
	r.left[0] = 0;
	for (size_t i = 1; i <= r.text.len; i++)
		r.left[i] = SIZE_MAX;
	add_email(&r, email);
	for (size_t at = 0; at < r.text.len; at++)
		take_off_at(&r, at);
	return r.left[r.text.len];
}

enum password_fault password_judge(struct arena *arena, struct str password, struct str email)
{
	if (password.len > ADMIN_PASSWORD_MAX_BYTES)
		return PASSWORD_TOO_LONG;
	if (!utf8_is_valid(password))
		return PASSWORD_NOT_TEXT;
	if (utf8_code_points(password) < PASSWORD_MIN_CHARACTERS)
		return PASSWORD_TOO_SHORT;
	return characters_left(arena, password, email) < PASSWORD_OWN_CHARACTERS ? PASSWORD_COMMON
										 : PASSWORD_GOOD;
}

struct str password_fault_text(enum password_fault fault)
{
	switch (fault) {
	case PASSWORD_GOOD:
		break;
	case PASSWORD_TOO_SHORT:
		return STR("The password must have at least 12 characters.");
	case PASSWORD_TOO_LONG:
		return STR("The password must have at most 1,024 bytes.");
	case PASSWORD_NOT_TEXT:
		return STR("The password must be text.");
	case PASSWORD_COMMON:
		return STR("This password is too easy to guess: it is little more than words that "
			   "many people use, your email address, or a row of characters. Add words "
			   "of your own.");
	}
	return STR("");
}
