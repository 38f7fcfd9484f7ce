/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/form_data.h: a form says the same however it is cut into pieces; what is written as
 * a form is read back, byte for byte; and of a form that ended, the parts lie in the body in order.
 * The input is a line with the Content-Type, a byte for the pieces, and the body. */
#include "form_data.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

#define INPUT_MAX_BYTES ((size_t)32 << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a sink was told: names and bytes, in order. */
struct told {
	struct buf text;
	struct str body; /* in which every byte must lie behind the one before */
	size_t at;
	size_t parts;
	size_t stops_at; /* the part that is refused; 0 = none */
};

static bool on_part(void *context, const struct form_data_part *part)
{
	struct told *told = context;
	told->parts++;
	buf_add_z(&told->text, "\n[");
	buf_add(&told->text, part->name);
	buf_add_char(&told->text, '|');
	buf_add(&told->text, part->file_name);
	buf_add_z(&told->text, "]\n");
	assert(part->name.len + part->file_name.len <= FORM_DATA_HEADERS_MAX_BYTES);
	return told->stops_at == 0 || told->parts < told->stops_at;
}

static bool on_bytes(void *context, struct str bytes)
{
	struct told *told = context;
	assert(told->parts > 0 && bytes.len > 0);
	const size_t found = str_find(told->body, bytes, told->at);
	assert(found != SIZE_MAX);
	told->at = found + bytes.len;
	buf_add(&told->text, bytes);
	return true;
}

static enum form_data_state read_all(struct arena *arena, struct told *told, struct str boundary,
				     size_t piece)
{
	struct form_data form;
	const struct form_data_sink sink = {on_part, on_bytes, told};
	struct str rest = told->body;
	buf_init(&told->text, arena, 4 * INPUT_MAX_BYTES);
	form_data_init(&form, boundary, &sink);
	while (rest.len > 0) {
		const size_t len = piece < rest.len ? piece : rest.len;
		const bool goes_on = form_data_push(&form, str_slice(rest, 0, len));
		assert(goes_on ==
		       (form.state != FORM_DATA_BROKEN && form.state != FORM_DATA_STOPPED));
		if (!goes_on)
			break;
		rest = str_slice(rest, len, rest.len);
	}
	return form.state;
}

static void check_pieces(struct arena *arena, struct str boundary, struct str body, uint8_t how)
{
	struct told whole = {.body = body, .stops_at = how >> 6};
	struct told cut = {.body = body, .stops_at = how >> 6};
	const enum form_data_state state = read_all(arena, &whole, boundary, INPUT_MAX_BYTES);
	assert(read_all(arena, &cut, boundary, (how & 63) + 1U) == state);
	assert(str_equal(buf_str(&whole.text), buf_str(&cut.text)));
	assert(whole.parts == cut.parts);
	assert(state != FORM_DATA_STOPPED || whole.parts == whole.stops_at);
}

/* The body as the one file of a form, unless it holds the delimiter. */
static void check_round_trip(struct arena *arena, struct str boundary, struct str file, uint8_t how)
{
	struct buf body;
	struct told told = {0};
	const struct str delimiter = str_concat(arena, STR("\r\n--"), boundary);
	if (str_find(str_concat(arena, STR("\r\n"), file), delimiter, 0) != SIZE_MAX)
		return;
	buf_init(&body, arena, 4 * INPUT_MAX_BYTES);
	buf_addf(&body,
		 "--" STR_FMT "\r\nContent-Disposition: form-data; name=\"file\"; "
		 "filename=\"a;b\"\r\n\r\n",
		 STR_ARG(boundary));
	buf_add(&body, file);
	buf_add(&body, delimiter);
	buf_add_z(&body, "--\r\n");
	told.body = buf_str(&body);
	assert(read_all(arena, &told, boundary, how + 1U) == FORM_DATA_ENDED);
	assert(str_equal(buf_str(&told.text), str_concat(arena, STR("\n[file|a;b]\n"), file)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = {(const char *)data, size};
	struct str type, boundary;
	if (size > INPUT_MAX_BYTES || !str_take_until(&rest, '\n', &type) || rest.len < 2 ||
	    !form_data_boundary(type, &boundary))
		return 0;
	assert(boundary.len > 0 && boundary.len <= FORM_DATA_BOUNDARY_MAX);
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	const uint8_t how = (uint8_t)rest.ptr[1];
	const struct str body = str_slice(rest, 2, rest.len);
	check_pieces(arena, boundary, body, how);
	if (memchr(boundary.ptr, '\0', boundary.len) == NULL)
		check_round_trip(arena, boundary, body, how);
	arena_free(&arena);
	return 0;
}
