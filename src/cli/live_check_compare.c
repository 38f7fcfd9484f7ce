/* SPDX-License-Identifier: Apache-2.0
 * See live_check_compare.h. */
#include "live_check_compare.h"

#include "arena.h"
#include "buf.h"

#include "json.h"

#define NAME_MAX_BYTES 512

struct comparing {
	struct arena *arena;
	const struct live_call *call;
	const struct transcript_call **rows; /* of this call with this status */
	size_t row_count;
	struct buf *out;
	size_t count;
};

/* ---- which transcripts tell of the call ---- */

/* Ids have digits, capitals or marks in them; words of a path have none. */
static bool is_id(struct str segment)
{
	for (size_t i = 0; i < segment.len; i++) {
		const char c = segment.ptr[i];
		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '%' || c == ':' ||
		    c == '*')
			return true;
	}
	return false;
}

static bool is_same_path(struct str a, struct str b)
{
	struct str one, other;
	while (a.ptr != NULL && b.ptr != NULL) {
		str_take_field(&a, '/', &one);
		str_take_field(&b, '/', &other);
		if (!str_equal(one, other) && !(is_id(one) && is_id(other)))
			return false;
	}
	return a.ptr == NULL && b.ptr == NULL;
}

/* A sandbox stands before the hosts of the addresses that it gives: "127.0.0.1:8081/HOST/PATH". */
static struct str real_path(struct str host_path)
{
	const size_t slash = str_find_char(host_path, '/', 0);
	const size_t colon = str_find_char(host_path, ':', 0);
	return slash != SIZE_MAX && colon < slash ? str_slice(host_path, slash + 1, host_path.len)
						  : host_path;
}

/* Where bytes go is an address that the platform gives: no two are alike. */
static bool is_of_call(const struct transcript_call *row, const struct live_call *call)
{
	return str_equal_z(call->platform, row->platform) &&
	       str_equal_z(call->method, row->method) &&
	       (str_equal_z(call->method, "PUT") ||
		is_same_path(real_path(call->host_path), str_of(row->host_path)));
}

/* The statuses that the transcripts have of the call, as "200, 400"; empty when they have none. */
static struct str statuses_of(struct arena *arena, const struct live_call *call)
{
	struct buf out;
	buf_init(&out, arena, NAME_MAX_BYTES);
	for (size_t i = 0; i < transcript_calls_count; i++) {
		const struct transcript_call *row = &transcript_calls[i];
		const struct str status = str_format(arena, "%d", row->status);
		if (!is_of_call(row, call) || str_find(buf_str(&out), status, 0) != SIZE_MAX)
			continue;
		if (buf_str(&out).len > 0)
			buf_add_z(&out, ", ");
		buf_add(&out, status);
	}
	return buf_str(&out);
}

/* ---- names ---- */

static char letter_of(const struct json *value)
{
	static const char letters[] = {
		[JSON_TYPE_NULL] = 'z',  [JSON_TYPE_BOOL] = 'b',   [JSON_TYPE_INT] = 'n',
		[JSON_TYPE_REAL] = 'n',  [JSON_TYPE_STRING] = 's', [JSON_TYPE_ARRAY] = 'a',
		[JSON_TYPE_OBJECT] = 'o'};
	return letters[value->type];
}

static const char *word_of(char letter)
{
	switch (letter) {
	case 's':
		return "text";
	case 'n':
		return "a number";
	case 'b':
		return "true or false";
	case 'o':
		return "an object";
	case 'a':
		return "a list";
	default:
		return "null";
	}
}

/* The letter behind this name in a row; 0 = it is not there. */
static char letter_in(const struct transcript_call *row, struct str name)
{
	struct str rest = str_of(row->names), line;
	while (rest.ptr != NULL && str_take_field(&rest, '\n', &line)) {
		if (line.len == name.len + 2 && str_equal(str_slice(line, 0, name.len), name))
			return line.ptr[line.len - 1];
	}
	return '\0';
}

/* The value at "data[].id", of lists the first; NULL = it is not there. *is_cut: a list on the way
 * is empty, so nobody can say. */
static const struct json *value_at(struct arena *arena, const struct json *root, struct str name,
				   bool *is_cut)
{
	const struct json *value = root;
	struct str part;
	*is_cut = false;
	while (value != NULL && name.ptr != NULL && str_take_field(&name, '.', &part)) {
		size_t lists = 0;
		while (part.len > 2 && part.ptr[part.len - 1] == ']') {
			part.len -= 2;
			lists++;
		}
		value = json_get(value, str_z(arena, part));
		for (; lists > 0 && value != NULL; lists--) {
			*is_cut = json_is(value, JSON_TYPE_ARRAY) && value->count == 0;
			value = json_at(value, 0);
		}
	}
	return value;
}

static void tell(struct comparing *c, struct str line)
{
	buf_add(c->out, line);
	buf_add_char(c->out, '\n');
	c->count++;
}

static bool all_have(const struct comparing *c, struct str name)
{
	for (size_t i = 0; i < c->row_count; i++) {
		if (letter_in(c->rows[i], name) == '\0')
			return false;
	}
	return true;
}

/* Platforms write ids as text and as numbers, and adapters take both. */
static bool is_same_type(struct str name, char one, char other)
{
	const bool is_an_id =
		name.len >= 2 && str_equal_z(str_slice(name, name.len - 2, name.len), "id");
	return one == other ||
	       (is_an_id && (one == 's' || one == 'n') && (other == 's' || other == 'n'));
}

/* A name that every transcript has must be there, and be what it is in one of them. */
static void judge_name(struct comparing *c, const struct json *root, struct str name, char wanted)
{
	bool is_cut = false;
	const struct json *value = value_at(c->arena, root, name, &is_cut);
	if (value == NULL && !is_cut && all_have(c, name))
		tell(c, str_format(c->arena, "    the answer has no `" STR_FMT "`", STR_ARG(name)));
	if (value == NULL || wanted == 'z' || value->type == JSON_TYPE_NULL)
		return;
	for (size_t i = 0; i < c->row_count; i++) {
		if (is_same_type(name, letter_in(c->rows[i], name), letter_of(value)))
			return;
	}
	tell(c, str_format(c->arena, "    `" STR_FMT "` is %s, and %s in the transcripts",
			   STR_ARG(name), word_of(letter_of(value)), word_of(wanted)));
}

static void judge_names(struct comparing *c, const struct json *root)
{
	if (c->row_count == 0)
		return;
	struct str rest = str_of(c->rows[0]->names), line;
	while (rest.ptr != NULL && str_take_field(&rest, '\n', &line)) {
		if (line.len > 2)
			judge_name(c, root, str_slice(line, 0, line.len - 2),
				   line.ptr[line.len - 1]);
	}
}

/* Names of the outermost object that no transcript has. */
static void tell_new(const struct comparing *c, const struct json *root)
{
	if (!json_is(root, JSON_TYPE_OBJECT))
		return;
	for (size_t i = 0; i < root->count; i++) {
		bool is_known = false;
		for (size_t k = 0; k < c->row_count && !is_known; k++)
			is_known = letter_in(c->rows[k], root->keys[i]) != '\0';
		if (!is_known)
			buf_add(c->out, str_format(c->arena, "    new: `" STR_FMT "`\n",
						   STR_ARG(root->keys[i])));
	}
}

/* Is there a transcript whose answer has no JSON in it? */
static bool may_be_bare(const struct live_call *call)
{
	for (size_t i = 0; i < transcript_calls_count; i++) {
		const struct transcript_call *row = &transcript_calls[i];
		if (row->status == call->status && row->names[0] == '\0' && is_of_call(row, call))
			return true;
	}
	return false;
}

static void choose_rows(struct comparing *c)
{
	c->rows = ARENA_ARRAY(c->arena, const struct transcript_call *, transcript_calls_count);
	for (size_t i = 0; i < transcript_calls_count; i++) {
		const struct transcript_call *row = &transcript_calls[i];
		if (row->status == c->call->status && row->names[0] != '\0' &&
		    is_of_call(row, c->call))
			c->rows[c->row_count++] = row;
	}
}

size_t live_check_compare(struct arena *arena, const struct live_call *call, struct buf *out)
{
	struct comparing c = {.arena = arena, .call = call, .out = out};
	const struct json *root = NULL;
	const struct str statuses = statuses_of(arena, call);
	const struct str status = str_format(arena, "%d", call->status);
	if (str_is_empty(statuses)) {
		tell(&c, STR("    no transcript has this call"));
		return c.count;
	}
	if (str_find(statuses, status, 0) == SIZE_MAX)
		tell(&c, str_format(arena,
				    "    the status " STR_FMT " is in no transcript of this call, "
				    "which have " STR_FMT,
				    STR_ARG(status), STR_ARG(statuses)));
	choose_rows(&c);
	if (c.row_count == 0)
		return c.count;
	if (json_parse(arena, call->answer, NULL, &root, NULL, NULL) != ERR_NONE) {
		if (!may_be_bare(call))
			tell(&c, STR("    the answer is no JSON, or too long to be kept"));
		return c.count;
	}
	judge_names(&c, root);
	tell_new(&c, root);
	return c.count;
}
