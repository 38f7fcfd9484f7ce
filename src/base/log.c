/* SPDX-License-Identifier: Apache-2.0
 * The log. A line is built on the stack and written at once; what does not fit is cut inside a
 * value, so that a JSON line stays JSON. base sees no codec, so it escapes by itself: values
 * are bytes from outside, and neither a newline, nor a terminal's escape sequence, nor broken UTF-8
 * may get into the log. */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "timetext.h"

/* Reserved for the end of a cut line: three dots, a quote, a brace, a newline. */
#define TAIL_BYTES 8

struct line {
	size_t len;
	bool is_full; /* something did not fit: only the tail may follow */
	char *text;   /* of LOG_LINE_BYTES_MAX */
};

static const char *const level_names[] = {
	[LOG_DEBUG] = "debug",
	[LOG_INFO] = "info",
	[LOG_WARN] = "warn",
	[LOG_ERROR] = "error",
};

/* All or nothing. */
static void line_add(struct line *line, struct str s)
{
	if (line->is_full || line->len + s.len > LOG_LINE_BYTES_MAX - TAIL_BYTES) {
		line->is_full = true;
		return;
	}
	if (!str_is_empty(s))
		memcpy(line->text + line->len, s.ptr, s.len);
	line->len += s.len;
}

/* For the tail only: into the reserved bytes. */
static void line_close(struct line *line, struct str s)
{
	memcpy(line->text + line->len, s.ptr, s.len);
	line->len += s.len;
}

/* Length of the well-formed UTF-8 sequence at the start of s, 0 when there is none (RFC 3629,
 * 4). */
static size_t sequence_len(struct str s, uint32_t *code_point_out)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char first = (unsigned char)s.ptr[0];
	const size_t len = first < 0x80    ? 1
			   : first >= 0xf0 ? 4
			   : first >= 0xe0 ? 3
			   : first >= 0xc0 ? 2
					   : 0;
	if (len == 0 || first > 0xf4 || len > s.len)
		return 0;
	uint32_t value = len == 1 ? first : first & (0xffU >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		const unsigned char next = (unsigned char)s.ptr[i];
		if ((next & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (next & 0x3fU);
	}
	if (value < least[len] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code_point_out = value;
	return len;
}

static bool is_control(uint32_t code_point)
{
	return code_point < 0x20 || (code_point >= 0x7f && code_point <= 0x9f);
}

/* Adds one character of s, escaped, and returns how many bytes of s it was. */
static size_t add_character(struct line *line, struct str s)
{
	uint32_t code_point;
	const size_t len = sequence_len(s, &code_point);
	char escaped[8];
	if (len == 0) {
		line_add(line, STR("\\ufffd"));
		return 1;
	}
	if (code_point == '"' || code_point == '\\') {
		escaped[0] = '\\';
		escaped[1] = (char)code_point;
		line_add(line, (struct str){escaped, 2});
		return len;
	}
	if (is_control(code_point)) {
		(void)snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)code_point & 0xffff);
		line_add(line, str_of(escaped));
		return len;
	}
	line_add(line, str_slice(s, 0, len));
	return len;
}

/* Adds the value in quotes, its end replaced by three dots when it does not fit. False when not
 * even its beginning does. */
static bool add_quoted(struct line *line, struct str value)
{
	line_add(line, STR("\""));
	if (line->is_full)
		return false;
	while (!str_is_empty(value) && !line->is_full) {
		const size_t taken = add_character(line, value);
		value = str_slice(value, taken, value.len);
	}
	line_close(line, line->is_full ? STR("...\"") : STR("\""));
	return true;
}

static bool add_number(struct line *line, const struct log_field *field)
{
	char digits[32];
	const int64_t number = field->number;
	if (field->type == LOG_FIELD_INT)
		(void)snprintf(digits, sizeof(digits), "%" PRId64, number);
	else
		(void)snprintf(digits, sizeof(digits), "%" PRId64 ".%03" PRId64, number / 1000,
			       number < 0 ? 0 : number % 1000);
	line_add(line, str_of(digits));
	return !line->is_full;
}

/* Can the value stand without quotes in a text line? A long one cannot: only quoted values can be
 * cut. */
static bool is_plain(struct str value)
{
	for (size_t i = 0; i < value.len; i++) {
		const char c = value.ptr[i];
		if (c <= ' ' || c == '"' || c == '\\' || c == '=' || c > '~')
			return false;
	}
	return !str_is_empty(value) && value.len < 64;
}

static bool add_value(struct line *line, enum log_format format, const struct log_field *field)
{
	if (field->type != LOG_FIELD_STR)
		return add_number(line, field);
	if (format == LOG_FORMAT_JSON || !is_plain(field->text))
		return add_quoted(line, field->text);
	line_add(line, field->text);
	return !line->is_full;
}

static void add_name(struct line *line, enum log_format format, const char *name)
{
	const bool is_json = format == LOG_FORMAT_JSON;
	const bool is_first = is_json && line->len == 1;
	line_add(line, is_first ? STR("\"") : is_json ? STR(",\"") : STR(" "));
	line_add(line, str_of(name));
	line_add(line, is_json ? STR("\":") : STR("="));
}

/* Adds the whole field, or the field with its value cut, or nothing: never a name without a
 * value. */
static void add_field(struct line *line, enum log_format format, const struct log_field *field)
{
	const size_t before = line->len;
	if (line->is_full)
		return;
	add_name(line, format, field->name);
	if (line->is_full || !add_value(line, format, field))
		line->len = before;
}

static void add_head(struct line *line, const struct log *log, enum log_level level,
		     const char *event)
{
	char time[TIMETEXT_INSTANT_BYTES] = "";
	if (log->clock != NULL)
		(void)timetext_write_instant(time, clock_now_us(log->clock));
	if (log->format == LOG_FORMAT_JSON) {
		line_add(line, STR("{"));
		if (time[0] != '\0')
			add_field(line, log->format,
				  &(struct log_field){.name = "time", .text = str_of(time)});
		add_field(line, log->format,
			  &(struct log_field){.name = "level", .text = str_of(level_names[level])});
		add_field(line, log->format,
			  &(struct log_field){.name = "event", .text = str_of(event)});
		return;
	}
	line_add(line, str_of(time));
	line_add(line, time[0] != '\0' ? STR(" ") : STR(""));
	line_add(line, str_of(level_names[level]));
	line_add(line, STR(" "));
	line_add(line, str_of(event));
}

static void write_whole(int fd, struct str line)
{
	while (!str_is_empty(line)) {
		const ssize_t written = write(fd, line.ptr, line.len);
		if (written < 0 && errno == EINTR)
			continue;
		/* There is nowhere to report that the log cannot be written. */
		if (written <= 0)
			return;
		line = str_slice(line, (size_t)written, line.len);
	}
}

size_t log_line(const struct log *log, enum log_level level, const char *event,
		const struct log_field *fields, size_t count, char out[LOG_LINE_BYTES_MAX])
{
	struct line line = {.text = out};
	if (log == NULL || level < log->level)
		return 0;
	add_head(&line, log, level, event);
	for (size_t i = 0; i < count; i++)
		add_field(&line, log->format, &fields[i]);
	line_close(&line, log->format == LOG_FORMAT_JSON ? STR("}\n") : STR("\n"));
	return line.len;
}

void log_write(const struct log *log, enum log_level level, const char *event,
	       const struct log_field *fields, size_t count)
{
	const int saved_errno = errno;
	char text[LOG_LINE_BYTES_MAX];
	const size_t length = log_line(log, level, event, fields, count, text);
	if (length > 0)
		write_whole(log->fd, (struct str){text, length});
	errno = saved_errno;
}
