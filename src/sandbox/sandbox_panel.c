/* SPDX-License-Identifier: Apache-2.0
 * GET and POST /_sandbox/panel: faults, knobs and the clock for people, as forms without scripts.
 * What may be set is judged where /_sandbox/faults, /knobs and /clock judge it. */
#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"
#include "timetext.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "sandbox_core.h"

#define JSON_MAX_BYTES ((size_t)256 << 10)
#define ADVANCE_MAX_HOURS (INT64_C(24) * 366)
#define ADVANCE_ALL_MAX_HOURS (100 * ADVANCE_MAX_HOURS)

/* ---- what is shown ---- */

/* Reads what a /_sandbox route would answer. */
static const struct json *seen(struct sandbox *sandbox, struct arena *arena,
			       void (*write)(struct sandbox *sandbox, struct json_writer *w))
{
	struct buf text;
	struct json_writer w;
	const struct json *json = NULL;
	buf_init(&text, arena, JSON_MAX_BYTES);
	json_writer_init(&w, &text);
	write(sandbox, &w);
	return json_parse(arena, buf_str(&text), NULL, &json, NULL, NULL) == ERR_NONE ? json : NULL;
}

static void write_knobs(struct sandbox *sandbox, struct json_writer *w)
{
	sandbox_knobs_write(sandbox, w);
}

static void begin_form(struct buf *out, struct sandbox *sandbox, const char *what)
{
	buf_addf(out,
		 "<form method=\"post\" action=\"%s/_sandbox/panel\">"
		 "<input type=\"hidden\" name=\"do\" value=\"%s\">",
		 sandbox_page_prefix(sandbox), what);
}

static void end_form(struct buf *out, const char *button)
{
	buf_addf(out, "<button type=\"submit\">%s</button></form>", button);
}

static void add_field(struct buf *out, const char *label, const char *name, const char *more)
{
	buf_addf(out, "<label><span>%s</span> <input name=\"%s\" %s></label>", label, name, more);
}

static void add_fault(struct buf *out, const struct json *fault)
{
	const struct json *match = json_get(fault, "match");
	const struct str method = json_string(json_get(match, "method"));
	const struct str path = json_string(json_get(match, "path"));
	buf_add_z(out, "<li><strong>");
	sandbox_html_add_text(out, json_string(json_get(fault, "platform")));
	buf_add_z(out, "</strong> <code>");
	sandbox_html_add_text(out, str_is_empty(method) ? STR("any method") : method);
	buf_add_z(out, " ");
	sandbox_html_add_text(out, str_is_empty(path) ? STR("any path") : path);
	buf_add_z(out, "</code> ");
	sandbox_html_add_text(out, json_string(json_get(fault, "effect")));
	buf_addf(out, ", %lld more</li>", (long long)json_int(json_get(fault, "times"), 1));
}

static void add_fault_form(struct buf *out, struct sandbox *sandbox, const struct json *effects)
{
	begin_form(out, sandbox, "fault");
	buf_add_z(out, "<label><span>Platform</span> <select name=\"platform\">");
	for (int i = 0; i < SANDBOX_PLATFORM_COUNT; i++)
		buf_addf(out, "<option value=\"%s\">%s</option>",
			 sandbox_platform_slug((enum sandbox_platform)i),
			 sandbox_platform_name((enum sandbox_platform)i));
	buf_add_z(out,
		  "</select></label><label><span>What happens</span> <select name=\"effect\">");
	for (size_t i = 0; effects != NULL && i < effects->count; i++) {
		const struct str name = json_string(json_get(&effects->items[i], "name"));
		buf_addf(out, "<option value=\"" STR_FMT "\">" STR_FMT ": ", STR_ARG(name),
			 STR_ARG(name));
		sandbox_html_add_text(out, json_string(json_get(&effects->items[i], "sentence")));
		buf_add_z(out, "</option>");
	}
	buf_add_z(out, "</select></label>");
	add_field(out, "Method", "method", "size=\"8\" placeholder=\"any\"");
	add_field(out, "Path", "path", "size=\"24\" placeholder=\"any, or /2/tweets/*\"");
	add_field(out, "Status", "status",
		  "type=\"number\" min=\"200\" max=\"599\" placeholder=\"500\"");
	add_field(out, "Retry after, seconds", "retry_after", "type=\"number\" min=\"0\"");
	add_field(out, "Times", "times", "type=\"number\" min=\"1\" value=\"1\"");
	end_form(out, "Set the fault");
}

static void add_faults(struct buf *out, struct sandbox *sandbox, struct arena *arena)
{
	const struct json *json = seen(sandbox, arena, sandbox_fault_write_list);
	const struct json *faults = json_get(json, "faults");
	buf_add_z(out, "<section><h2>Faults</h2>");
	if (faults == NULL || faults->count == 0) {
		buf_add_z(out, "<p class=\"note\">Nothing is going to break.</p>");
	} else {
		buf_add_z(out, "<ul>");
		for (size_t i = 0; i < faults->count; i++)
			add_fault(out, &faults->items[i]);
		buf_add_z(out, "</ul>");
		begin_form(out, sandbox, "clear");
		end_form(out, "Clear all faults");
	}
	add_fault_form(out, sandbox, json_get(json, "effects"));
	buf_add_z(out, "</section>");
}

static void add_clock(struct buf *out, struct sandbox *sandbox, struct arena *arena)
{
	const int64_t now_us = sandbox_now_us(sandbox);
	buf_add_z(out, "<section><h2>Clock</h2><p>In the sandbox it is <strong>");
	buf_add(out, timetext_format_instant(arena, now_us));
	buf_add_z(out, "</strong>.</p>");
	begin_form(out, sandbox, "clock");
	add_field(out, "Hours", "hours", "type=\"number\" min=\"1\" max=\"8784\" value=\"24\"");
	end_form(out, "Move the clock on");
	buf_add_z(out, "</section>");
}

static void add_knob(struct buf *out, const struct json *knob)
{
	const struct str name = json_string(json_get(knob, "name"));
	const int64_t value = json_int(json_get(knob, "value"), 0);
	const int64_t at_first = json_int(json_get(knob, "default"), 0);
	buf_addf(out, "<tr%s><th scope=\"row\"><label for=\"" STR_FMT "\">" STR_FMT "</label>",
		 value != at_first ? " class=\"set\"" : "", STR_ARG(name), STR_ARG(name));
	buf_addf(out,
		 "</th><td><input id=\"" STR_FMT "\" name=\"" STR_FMT
		 "\" type=\"number\" value=\"%lld\"",
		 STR_ARG(name), STR_ARG(name), (long long)value);
	buf_addf(out, " min=\"%lld\" max=\"%lld\" required></td><td>%lld</td><td>",
		 (long long)json_int(json_get(knob, "least"), 0),
		 (long long)json_int(json_get(knob, "most"), 0), (long long)at_first);
	sandbox_html_add_text(out, json_string(json_get(knob, "sentence")));
	buf_add_z(out, "</td></tr>");
}

static void add_knobs(struct buf *out, struct sandbox *sandbox, struct arena *arena)
{
	const struct json *knobs = json_get(seen(sandbox, arena, write_knobs), "knobs");
	buf_add_z(out, "<section><h2>Knobs</h2>");
	begin_form(out, sandbox, "knobs");
	buf_add_z(out,
		  "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Knobs\"><table>"
		  "<tr><th scope=\"col\">Knob</th><th scope=\"col\">Value</th>"
		  "<th scope=\"col\">At first</th><th scope=\"col\">What it does</th></tr>");
	for (size_t i = 0; knobs != NULL && i < knobs->count; i++)
		add_knob(out, &knobs->items[i]);
	buf_add_z(out, "</table></div>");
	end_form(out, "Set the knobs");
	buf_add_z(out, "</section>");
}

void sandbox_panel_show(struct sandbox *sandbox, struct http_response *response, int status,
			struct str said)
{
	struct buf *out = http_response_text(response, status, "text/html; charset=utf-8");
	sandbox_html_headers(response);
	sandbox_html_begin(sandbox, out, "Sandbox: faults, knobs and clock", "");
	buf_addf(out,
		 "<main class=\"panel\"><header class=\"top\"><h1>Faults, knobs and clock</h1>"
		 "<p><a href=\"%s/\">What was posted</a></p></header>",
		 sandbox_page_prefix(sandbox));
	if (!str_is_empty(said)) {
		buf_add_z(out, "<p role=\"alert\" class=\"said\">");
		sandbox_html_add_text(out, said);
		buf_add_z(out, "</p>");
	}
	add_faults(out, sandbox, response->arena);
	add_clock(out, sandbox, response->arena);
	add_knobs(out, sandbox, response->arena);
	buf_add_z(out, "</main>");
	sandbox_html_end(out);
}

/* ---- what is done ---- */

static void put_text(struct json_writer *w, const struct form *form, const char *name)
{
	const struct str *value = form_find(form, name);
	if (value != NULL && !str_is_empty(str_trim(*value)))
		json_member_str(w, name, str_trim(*value));
}

/* What is no number stays a text, which is refused by name. */
static void put_number(struct json_writer *w, const struct form *form, const char *name)
{
	const struct str *value = form_find(form, name);
	int64_t number = 0;
	if (value != NULL && str_parse_i64(str_trim(*value), &number))
		json_member_int(w, name, number);
	else
		put_text(w, form, name);
}

static const struct json *parsed(struct arena *arena, const struct buf *text)
{
	const struct json *json = NULL;
	(void)json_parse(arena, buf_str(text), NULL, &json, NULL, NULL);
	return json;
}

static enum err_kind set_fault(struct sandbox *sandbox, struct arena *arena,
			       const struct form *form, struct error *err)
{
	struct buf text;
	struct json_writer w;
	struct fault fault;
	buf_init(&text, arena, JSON_MAX_BYTES);
	json_writer_init(&w, &text);
	json_begin_object(&w);
	put_text(&w, form, "platform");
	put_text(&w, form, "effect");
	json_key(&w, "match");
	json_begin_object(&w);
	put_text(&w, form, "method");
	put_text(&w, form, "path");
	json_end_object(&w);
	put_number(&w, form, "status");
	put_number(&w, form, "retry_after");
	put_number(&w, form, "times");
	json_end_object(&w);
	const enum err_kind kind =
		sandbox_fault_parse(sandbox, arena, parsed(arena, &text), &fault, err);
	if (kind == ERR_NONE && !sandbox_fault_add(sandbox, &fault))
		return error_set(err, ERR_LIMITED, "too many faults: clear them first");
	return kind;
}

static enum err_kind clear_faults(struct sandbox *sandbox, struct arena *arena,
				  const struct form *form, struct error *err)
{
	(void)arena;
	(void)form;
	(void)err;
	sandbox_fault_clear(sandbox);
	return ERR_NONE;
}

static enum err_kind set_knobs(struct sandbox *sandbox, struct arena *arena,
			       const struct form *form, struct error *err)
{
	struct buf text;
	struct json_writer w;
	buf_init(&text, arena, JSON_MAX_BYTES);
	json_writer_init(&w, &text);
	json_begin_object(&w);
	for (size_t i = 0; i < form->count; i++) {
		const char *name = str_z(arena, form->pairs[i].name);
		if (!str_equal_z(form->pairs[i].name, "do"))
			put_number(&w, form, name);
	}
	json_end_object(&w);
	return sandbox_knobs_set(sandbox, parsed(arena, &text), err);
}

static enum err_kind move_clock(struct sandbox *sandbox, struct arena *arena,
				const struct form *form, struct error *err)
{
	const struct str *value = form_find(form, "hours");
	int64_t hours = 0;
	(void)arena;
	if (value == NULL || !str_parse_i64(str_trim(*value), &hours) || hours < 1 ||
	    hours > ADVANCE_MAX_HOURS)
		return error_set(err, ERR_INVALID, "hours must be a whole number from 1 to %lld",
				 (long long)ADVANCE_MAX_HOURS);
	if (sandbox->advance_us / US_PER_HOUR + hours > ADVANCE_ALL_MAX_HOURS)
		return error_set(err, ERR_INVALID, "the clock goes on by a century at most");
	sandbox->advance_us += hours * US_PER_HOUR;
	return ERR_NONE;
}

enum err_kind sandbox_panel_do(struct sandbox *sandbox, struct arena *arena, struct str body,
			       struct error *err)
{
	static const struct {
		const char *name;
		enum err_kind (*run)(struct sandbox *sandbox, struct arena *arena,
				     const struct form *form, struct error *err);
	} deeds[] = {{"fault", set_fault},
		     {"clear", clear_faults},
		     {"knobs", set_knobs},
		     {"clock", move_clock}};
	struct form form = {0};
	const enum err_kind kind = form_parse(arena, body, 0, &form, err);
	if (kind != ERR_NONE)
		return kind;
	const struct str *what = form_find(&form, "do");
	for (size_t i = 0; what != NULL && i < COUNT_OF(deeds); i++) {
		if (str_equal_z(*what, deeds[i].name))
			return deeds[i].run(sandbox, arena, &form, err);
	}
	return error_set(err, ERR_INVALID, "do must be fault, clear, knobs or clock");
}
