/* SPDX-License-Identifier: Apache-2.0
 * See form_data.h. A delimiter has its only CR at its beginning, so a match that fails can begin
 * again only at the byte that it failed at. */
#include "form_data.h"

#include <string.h>

/* ---- headers ---- */

/* Of text: NAME=value or NAME="value" after a semicolon, in any case. Within quotes a backslash
 * stays as it is: browsers send %22. */
static bool parameter(struct str text, const char *name, struct str *value_out)
{
	struct str rest = text;
	struct str field = {0};
	if (!str_take_field(&rest, ';', &field))
		return false;
	while (!str_is_empty(rest)) {
		rest = str_trim(rest);
		const size_t equals = str_find_char(rest, '=', 0);
		if (equals == SIZE_MAX)
			return false;
		const bool is_it =
			str_equal_nocase(str_trim(str_slice(rest, 0, equals)), str_of(name));
		rest = str_slice(rest, equals + 1, rest.len);
		const bool is_quoted = str_has_prefix(rest, STR("\""));
		const size_t end = str_find_char(rest, is_quoted ? '"' : ';', is_quoted ? 1 : 0);
		if (is_quoted && end == SIZE_MAX)
			return false;
		const size_t stop = end == SIZE_MAX ? rest.len : end;
		*value_out =
			is_quoted ? str_slice(rest, 1, stop) : str_trim(str_slice(rest, 0, stop));
		if (is_it)
			return true;
		const size_t next = str_find_char(rest, ';', stop);
		rest = next == SIZE_MAX ? (struct str){0} : str_slice(rest, next + 1, rest.len);
	}
	return false;
}

bool form_data_boundary(struct str content_type, struct str *boundary_out)
{
	const struct str type = STR("multipart/form-data");
	if (content_type.len < type.len ||
	    !str_equal_nocase(str_slice(content_type, 0, type.len), type))
		return false;
	return parameter(content_type, "boundary", boundary_out) && boundary_out->len > 0 &&
	       boundary_out->len <= FORM_DATA_BOUNDARY_MAX &&
	       str_find_char(*boundary_out, '\r', 0) == SIZE_MAX &&
	       str_find_char(*boundary_out, '\n', 0) == SIZE_MAX;
}

static struct form_data_part part_of(struct str head)
{
	static const char name[] = "content-disposition:";
	struct form_data_part part = {0};
	while (!str_is_empty(head)) {
		const size_t end = str_find(head, STR("\r\n"), 0);
		const struct str line = str_slice(head, 0, end == SIZE_MAX ? head.len : end);
		head = end == SIZE_MAX ? (struct str){0} : str_slice(head, end + 2, head.len);
		if (line.len < sizeof(name) - 1 ||
		    !str_equal_nocase(str_slice(line, 0, sizeof(name) - 1), str_of(name)))
			continue;
		(void)parameter(line, "name", &part.name);
		if (!parameter(line, "filename", &part.file_name))
			part.file_name = (struct str){0};
	}
	return part;
}

/* ---- reading ---- */

void form_data_init(struct form_data *form, struct str boundary, const struct form_data_sink *sink)
{
	*form = (struct form_data){.sink = *sink, .state = FORM_DATA_BEFORE};
	memcpy(form->delimiter, "\r\n--", 4);
	memcpy(form->delimiter + 4, boundary.ptr, boundary.len);
	form->delimiter_len = boundary.len + 4;
	form->matched = 2; /* the first one needs no line before it */
}

static bool give(struct form_data *form, const char *bytes, size_t len)
{
	if (len == 0 || form->state == FORM_DATA_BEFORE)
		return true;
	if (form->sink.bytes(form->sink.context, (struct str){bytes, len}))
		return true;
	form->state = FORM_DATA_STOPPED;
	return false;
}

/* Up to the end of a delimiter, or of the bytes. Returns how many were read. */
static size_t read_bytes(struct form_data *form, const char *bytes, size_t len)
{
	size_t at = 0;
	while (at < len) {
		if (form->matched == 0) {
			const char *cr = memchr(bytes + at, '\r', len - at);
			const size_t plain = cr != NULL ? (size_t)(cr - bytes) - at : len - at;
			if (!give(form, bytes + at, plain))
				return at;
			at += plain;
			if (cr == NULL)
				return at;
		}
		if (bytes[at] != form->delimiter[form->matched]) {
			const size_t held = form->matched;
			form->matched = 0;
			if (!give(form, form->delimiter, held))
				return at;
			if (bytes[at] != '\r' && !give(form, bytes + at++, 1))
				return at;
			continue;
		}
		at++;
		if (++form->matched == form->delimiter_len) {
			form->matched = 0;
			form->head_len = 0;
			form->state = FORM_DATA_AFTER_DELIMITER;
			return at;
		}
	}
	return at;
}

static bool head_add(struct form_data *form, char byte)
{
	if (form->head_len == sizeof(form->head)) {
		form->state = FORM_DATA_BROKEN;
		return false;
	}
	form->head[form->head_len++] = byte;
	return true;
}

static bool head_ends_with(const struct form_data *form, const char *end)
{
	const struct str head = {form->head, form->head_len};
	return str_has_suffix(head, str_of(end));
}

/* "--" after the last one; else blanks and the end of the line. */
static void after_delimiter(struct form_data *form, char byte)
{
	if (!head_add(form, byte))
		return;
	if (form->head_len == 2 && head_ends_with(form, "--")) {
		form->state = FORM_DATA_ENDED;
	} else if (head_ends_with(form, "\r\n")) {
		form->state = FORM_DATA_HEADERS;
		form->head_len = 0;
	} else if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '-') {
		form->state = FORM_DATA_BROKEN;
	}
}

static void headers(struct form_data *form, char byte)
{
	if (!head_add(form, byte))
		return;
	const bool is_empty = form->head_len == 2 && head_ends_with(form, "\r\n");
	if (!is_empty && !head_ends_with(form, "\r\n\r\n"))
		return;
	const struct form_data_part part = part_of((struct str){form->head, form->head_len - 2});
	form->state =
		form->sink.part(form->sink.context, &part) ? FORM_DATA_BYTES : FORM_DATA_STOPPED;
}

bool form_data_push(struct form_data *form, struct str bytes)
{
	size_t at = 0;
	while (at < bytes.len) {
		switch (form->state) {
		case FORM_DATA_BEFORE:
		case FORM_DATA_BYTES:
			at += read_bytes(form, bytes.ptr + at, bytes.len - at);
			break;
		case FORM_DATA_AFTER_DELIMITER:
			after_delimiter(form, bytes.ptr[at++]);
			break;
		case FORM_DATA_HEADERS:
			headers(form, bytes.ptr[at++]);
			break;
		case FORM_DATA_ENDED:
			return true;
		case FORM_DATA_BROKEN:
		case FORM_DATA_STOPPED:
			return false;
		}
	}
	return form->state != FORM_DATA_BROKEN && form->state != FORM_DATA_STOPPED;
}
