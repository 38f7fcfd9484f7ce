/* SPDX-License-Identifier: Apache-2.0
 * See person_print.h. */
#include "person_print.h"

#include <stdarg.h>

#include <utf8proc.h>

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "utf8.h"

#include "person_call.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)
#define HINT_401 \
	"  POSTHORN_TOKEN is no valid token of this service. Make a key (posthorn key create), " \
	"or " \
	"get a token (posthorn token): a new token ends the one before it."

/* ---- texts ---- */

/* Controls, and what turns the direction of the text around it. */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

/* The next character as it may be shown. False at the end. */
static bool take(struct str *text, struct str *shown, uint32_t *code_point)
{
	const struct str before = *text;
	if (str_is_empty(before))
		return false;
	if (!utf8_take(text, code_point)) {
		*text = str_slice(before, 1, before.len);
		*shown = STR("?");
		*code_point = '?';
	} else if (is_unsafe(*code_point)) {
		*shown = STR(" ");
		*code_point = ' ';
	} else {
		*shown = str_slice(before, 0, before.len - text->len);
	}
	return true;
}

static size_t width_of(uint32_t code_point)
{
	const int width = utf8proc_charwidth((utf8proc_int32_t)code_point);
	return width > 0 ? (size_t)width : 0;
}

void person_print_text(FILE *out, struct str text)
{
	struct str shown;
	uint32_t code_point;
	while (take(&text, &shown, &code_point))
		fwrite(shown.ptr, 1, shown.len, out);
}

/* How many columns of a terminal the text takes. */
static size_t columns_of(struct str text)
{
	struct str shown;
	uint32_t code_point;
	size_t width = 0;
	while (take(&text, &shown, &code_point))
		width += width_of(code_point);
	return width;
}

struct str person_print_short(struct arena *arena, struct str text, size_t columns)
{
	struct buf out;
	struct str shown;
	uint32_t code_point;
	size_t width = 0;
	const bool is_cut = columns_of(text) > columns;
	const size_t room = is_cut ? columns - 3 : columns;
	buf_init(&out, arena, TEXT_MAX_BYTES);
	while (take(&text, &shown, &code_point) && width + width_of(code_point) <= room) {
		width += width_of(code_point);
		buf_add(&out, shown);
	}
	if (is_cut)
		buf_add_z(&out, "...");
	return buf_str(&out);
}

/* ---- tables ---- */

void person_table_begin(struct person_table *table, struct arena *arena, const char *const *heads,
			size_t columns, size_t rows_max)
{
	*table = (struct person_table){
		.arena = arena,
		.heads = heads,
		.columns = columns,
		.rows_max = rows_max,
		.cells = ARENA_ARRAY(arena, struct str, columns * (rows_max > 0 ? rows_max : 1)),
	};
}

void person_table_add(struct person_table *table, const struct str *cells)
{
	if (table->rows == table->rows_max)
		return;
	for (size_t i = 0; i < table->columns; i++) {
		const struct str cell = str_is_empty(cells[i]) ? STR("-") : cells[i];
		table->cells[table->rows * table->columns + i] = str_copy(table->arena, cell);
	}
	table->rows++;
}

static void print_line(FILE *out, const struct person_table *table, const struct str *cells,
		       const size_t *widths, const char *indent)
{
	fputs(indent, out);
	for (size_t i = 0; i < table->columns; i++) {
		person_print_text(out, cells[i]);
		if (i + 1 < table->columns)
			fprintf(out, "%*s", (int)(widths[i] - columns_of(cells[i]) + 2), "");
	}
	fputc('\n', out);
}

void person_print_list(struct person *person, const struct json *items, const char *const *heads,
		       size_t columns,
		       void (*add)(struct person_table *table, const struct json *item))
{
	struct person_table table;
	person_table_begin(&table, person->arena, heads, columns, items != NULL ? items->count : 0);
	for (size_t i = 0; json_at(items, i) != NULL; i++)
		add(&table, json_at(items, i));
	person_table_print(person->out, &table, "");
}

void person_table_print(FILE *out, const struct person_table *table, const char *indent)
{
	struct str heads[PERSON_COLUMNS_MAX];
	size_t widths[PERSON_COLUMNS_MAX];
	for (size_t i = 0; i < table->columns; i++) {
		heads[i] = str_of(table->heads[i]);
		widths[i] = columns_of(heads[i]);
		for (size_t row = 0; row < table->rows; row++) {
			const struct str cell = table->cells[row * table->columns + i];
			const size_t width = columns_of(cell);
			widths[i] = width > widths[i] ? width : widths[i];
		}
	}
	print_line(out, table, heads, widths, indent);
	for (size_t row = 0; row < table->rows; row++)
		print_line(out, table, &table->cells[row * table->columns], widths, indent);
}

/* ---- lines ---- */

void person_print_line(struct person *person, const char *head, struct str text)
{
	fprintf(person->out, "%-12s", head);
	person_print_text(person->out, str_is_empty(text) ? STR("-") : text);
	fputc('\n', person->out);
}

struct str person_print_instant(struct arena *arena, struct str instant)
{
	const size_t dot = str_find_char(instant, '.', 0);
	return dot == SIZE_MAX ? instant : str_concat(arena, str_slice(instant, 0, dot), STR("Z"));
}

void person_print_page(struct person *person, const struct json *meta, const char *what)
{
	const long long total = json_int(json_get(meta, "total"), 0);
	fprintf(person->out, "page %lld of %lld, %lld %s%s\n",
		(long long)json_int(json_get(meta, "current_page"), 1),
		(long long)json_int(json_get(meta, "last_page"), 1), total, what,
		total == 1 ? "" : "s");
}

/* ---- what went wrong ---- */

static void say(struct person *person, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

static void say(struct person *person, const char *format, va_list arguments)
{
	char text[2048];
	vsnprintf(text, sizeof(text), format, arguments);
	fputs("posthorn: ", person->err);
	person_print_text(person->err, str_of(text));
	fputc('\n', person->err);
}

enum person_status person_say_wrong(struct person *person, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(person, format, arguments);
	va_end(arguments);
	fprintf(person->err, "posthorn: see `posthorn %s --help`\n",
		person_verb_word(person->flags->verb));
	return PERSON_WRONG_USE;
}

enum person_status person_say_failed(struct person *person, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(person, format, arguments);
	va_end(arguments);
	return PERSON_FAILED;
}

static void say_field(struct person *person, struct str field, struct str text)
{
	fputs("  ", person->err);
	person_print_text(person->err, field);
	fputs(": ", person->err);
	person_print_text(person->err, text);
	fputc('\n', person->err);
}

/* The field whose only error the message is; NULL when there are more, or none. */
static const struct str *only_field(const struct json *errors, struct str message)
{
	if (!json_is(errors, JSON_TYPE_OBJECT) || errors->count != 1 ||
	    json_at(&errors->items[0], 1) != NULL ||
	    !str_equal(json_string(json_at(&errors->items[0], 0)), message))
		return NULL;
	return &errors->keys[0];
}

static void say_fields(struct person *person, const struct json *errors)
{
	if (!json_is(errors, JSON_TYPE_OBJECT))
		return;
	for (size_t i = 0; i < errors->count; i++) {
		const struct json *texts = &errors->items[i];
		for (size_t j = 0; json_at(texts, j) != NULL; j++)
			say_field(person, errors->keys[i], json_string(json_at(texts, j)));
	}
}

enum person_status person_say_refusal(struct person *person, const struct person_answer *answer)
{
	const struct str message = json_string(json_get(answer->json, "message"));
	const struct str code = json_string(json_get(answer->json, "error"));
	const struct json *details = json_get(answer->json, "details");
	const struct str scope = json_string(json_get(details, "required"));
	if (person_wants_json(person)) {
		person_print_json(person, answer);
		return PERSON_FAILED;
	}
	const struct json *errors = json_get(answer->json, "errors");
	const struct str *field = only_field(errors, message);
	person_say_failed(person, STR_FMT " (" STR_FMT "%s" STR_FMT ")",
			  STR_ARG(str_is_empty(message) ? STR("The service refused.") : message),
			  STR_ARG(str_is_empty(code) ? STR("no code") : code),
			  field != NULL ? ", " : "", STR_ARG(field != NULL ? *field : STR("")));
	if (field == NULL)
		say_fields(person, errors);
	if (str_equal_z(code, "UNAUTHENTICATED"))
		fputs(HINT_401 "\n", person->err);
	if (!str_is_empty(scope))
		say_field(person, STR("missing scope of the key"), scope);
	return PERSON_FAILED;
}

/* ---- what the service said ---- */

void person_print_json(struct person *person, const struct person_answer *answer)
{
	if (str_is_empty(answer->body))
		return;
	fwrite(answer->body.ptr, 1, answer->body.len, person->out);
	if (answer->body.ptr[answer->body.len - 1] != '\n')
		fputc('\n', person->out);
}

void person_say_warnings(struct person *person, const struct json *data)
{
	const struct json *warnings = json_get(data, "warnings");
	for (size_t i = 0; json_at(warnings, i) != NULL; i++) {
		const struct json *row = json_at(warnings, i);
		fputs("warning: ", person->err);
		person_print_text(person->err, json_string(json_get(row, "field")));
		fputs(": ", person->err);
		person_print_text(person->err, json_string(json_get(row, "message")));
		fputc('\n', person->err);
	}
}
