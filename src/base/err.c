/* SPDX-License-Identifier: Apache-2.0
 * Filling errors. Every text passes through here: no control character gets through (it could forge
 * a log line), and a cut text ends between characters. */
#include "err.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const slugs[ERR_KIND_COUNT] = {
	[ERR_NONE] = "none",
#define ERR_KIND(name, slug, meaning) [ERR_##name] = slug,
#include "err_kinds.def"
#undef ERR_KIND
};

/* Removes an incomplete UTF-8 sequence from the end of a cut text. */
static void drop_half_character(char *text)
{
	const size_t len = strlen(text);
	size_t lead = len;
	while (lead > 0 && len - lead < 3 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80)
		lead--;
	if (lead == 0)
		return;
	const unsigned char first = (unsigned char)text[lead - 1];
	const size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	if (wanted > len - lead + 1)
		text[lead - 1] = '\0';
}

static void blank_controls(char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = ' ';
	}
}

__attribute__((format(printf, 3, 0))) static void write_text(char *out, size_t size_bytes,
							     const char *format, va_list args)
{
	const int len = vsnprintf(out, size_bytes, format, args);
	if (len < 0)
		out[0] = '\0';
	else if ((size_t)len >= size_bytes)
		drop_half_character(out);
	blank_controls(out);
}

enum err_kind error_set(struct error *err, enum err_kind kind, const char *format, ...)
{
	if (err == NULL)
		return kind;
	/* Built in a copy: an argument may be err->text itself. */
	struct error fresh = {.kind = kind};
	va_list args;
	va_start(args, format);
	write_text(fresh.text, sizeof(fresh.text), format, args);
	va_end(args);
	*err = fresh;
	return kind;
}

enum err_kind error_set_native(struct error *err, enum err_kind kind, int native,
			       const char *format, ...)
{
	if (err == NULL)
		return kind;
	struct error fresh = {.kind = kind, .native = native};
	va_list args;
	va_start(args, format);
	write_text(fresh.text, sizeof(fresh.text), format, args);
	va_end(args);
	*err = fresh;
	return kind;
}

enum err_kind error_add(struct error *err, const char *format, ...)
{
	/* Without a struct the kind is unknown, but it was no success. */
	if (err == NULL)
		return ERR_INTERNAL;
	char context[sizeof(err->text)];
	va_list args;
	va_start(args, format);
	write_text(context, sizeof(context), format, args);
	va_end(args);
	char whole[2 * sizeof(err->text) + 2];
	(void)snprintf(whole, sizeof(whole), "%s: %s", context, err->text);
	const size_t len = strlen(whole);
	const size_t kept = len < sizeof(err->text) ? len : sizeof(err->text) - 1;
	memcpy(err->text, whole, kept);
	err->text[kept] = '\0';
	if (kept < len)
		drop_half_character(err->text);
	return err->kind;
}

const char *err_kind_slug(enum err_kind kind)
{
	assert(kind >= 0 && kind < ERR_KIND_COUNT);
	return slugs[kind];
}
