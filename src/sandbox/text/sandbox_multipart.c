/* SPDX-License-Identifier: Apache-2.0
 * See sandbox_multipart.h. */
#include "sandbox_multipart.h"

#include "arena.h"

#define PARTS_MAX 64
#define BOUNDARY_MAX_BYTES 70 /* RFC 2046, 5.1.1 */

/* A parameter of a header value: `form-data; name="a"; filename="b"` → name. Quoted or bare. */
static struct str header_param(struct arena *arena, struct str value, const char *name)
{
	const struct str wanted = str_format(arena, "%s=", name);
	struct str rest = value;
	struct str field;
	while (str_take_field(&rest, ';', &field)) {
		field = str_trim(field);
		if (field.len < wanted.len ||
		    !str_equal_nocase(str_slice(field, 0, wanted.len), wanted))
			continue;
		field = str_slice(field, wanted.len, field.len);
		if (field.len >= 2 && field.ptr[0] == '"' && field.ptr[field.len - 1] == '"')
			return str_slice(field, 1, field.len - 1);
		return field;
	}
	return (struct str){0};
}

static bool boundary_of(struct arena *arena, struct str content_type, struct str *delimiter_out)
{
	const struct str boundary = header_param(arena, content_type, "boundary");
	const struct str type = str_lower(arena, str_trim(content_type));
	if (!str_has_prefix(type, STR("multipart/form-data")) &&
	    !str_has_prefix(type, STR("multipart/related")))
		return false;
	if (boundary.len == 0 || boundary.len > BOUNDARY_MAX_BYTES)
		return false;
	*delimiter_out = str_concat(arena, STR("--"), boundary);
	return true;
}

static void part_header(struct arena *arena, struct str line, struct sandbox_part *part)
{
	struct str name;
	if (!str_take_until(&line, ':', &name))
		return;
	const struct str value = str_trim(str_slice(line, 1, line.len));
	if (str_equal_nocase(name, STR("content-disposition"))) {
		part->name = header_param(arena, value, "name");
		part->filename = header_param(arena, value, "filename");
	} else if (str_equal_nocase(name, STR("content-type"))) {
		part->content_type = value;
	}
}

/* One part: headers up to the empty line, then the bytes up to CRLF + delimiter, which is left in
 * *rest. */
static bool take_part(struct arena *arena, struct str *rest, struct str end,
		      struct sandbox_part *part)
{
	const size_t head_end = str_find(*rest, STR("\r\n\r\n"), 0);
	const size_t body_end =
		head_end == SIZE_MAX ? SIZE_MAX : str_find(*rest, end, head_end + 2);
	if (body_end == SIZE_MAX)
		return false;
	struct str head = str_slice(*rest, 0, head_end);
	while (head.len > 0) {
		const size_t line_end = str_find(head, STR("\r\n"), 0);
		part_header(arena, str_slice(head, 0, line_end), part);
		head = line_end == SIZE_MAX ? (struct str){0}
					    : str_slice(head, line_end + 2, head.len);
	}
	part->bytes = str_slice(*rest, head_end + 4 < body_end ? head_end + 4 : body_end, body_end);
	*rest = str_slice(*rest, body_end + end.len, rest->len);
	return true;
}

bool sandbox_multipart_parse(struct arena *arena, struct str content_type, struct str body,
			     struct sandbox_part **parts_out, size_t *count_out)
{
	struct sandbox_part *parts = ARENA_ARRAY(arena, struct sandbox_part, PARTS_MAX);
	struct str rest = body;
	struct str delimiter;
	if (!boundary_of(arena, content_type, &delimiter) || !str_skip(&rest, delimiter))
		return false;
	const struct str end = str_concat(arena, STR("\r\n"), delimiter);
	size_t count = 0;
	while (!str_has_prefix(rest, STR("--"))) {
		if (count == PARTS_MAX || !str_skip(&rest, STR("\r\n")) ||
		    !take_part(arena, &rest, end, &parts[count]))
			return false;
		count++;
	}
	*parts_out = parts;
	*count_out = count;
	return true;
}
