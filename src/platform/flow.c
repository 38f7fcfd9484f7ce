/* SPDX-License-Identifier: Apache-2.0
 * The memory of a flow and its two serialised forms. */
#include "flow.h"

#include <assert.h>
#include <inttypes.h>

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"
#include "utf8.h"

#define FLOW_TEXT_MAX_BYTES (8 * 1024 * 1024)
/* No id, token or list that a platform gives is longer; a longer one is cut and will be refused
 * where it is used. */
#define FLOW_VALUE_MAX_BYTES (512 * 1024)
#define OPEN_PART "open_part"

void flow_init(struct flow *flow, struct arena *arena, size_t part_count)
{
	assert(part_count <= POST_CONTAINERS_MAX);
	*flow = (struct flow){.arena = arena, .part_count = part_count};
}

void flow_set_stage(struct flow *flow, const char *name)
{
	flow->stage = str_of(name);
}

/* ---- variables ---- */

static struct flow_var *var_find(const struct flow *flow, struct str name)
{
	for (size_t i = 0; i < flow->var_count; i++) {
		if (str_equal(flow->vars[i].name, name))
			return (struct flow_var *)&flow->vars[i];
	}
	return NULL;
}

static struct str value_copy(const struct flow *flow, struct str value)
{
	return str_copy(flow->arena, utf8_cut_bytes(value, FLOW_VALUE_MAX_BYTES));
}

static void var_set(struct flow *flow, struct str name, struct str value, bool is_secret)
{
	struct flow_var *var = var_find(flow, name);
	if (var == NULL) {
		assert(flow->var_count < FLOW_VARS_MAX);
		var = &flow->vars[flow->var_count++];
		var->name = str_copy(flow->arena, name);
	}
	var->value = value_copy(flow, value);
	var->is_secret = is_secret;
}

void flow_set(struct flow *flow, const char *name, struct str value)
{
	var_set(flow, str_of(name), value, false);
}

void flow_set_int(struct flow *flow, const char *name, int64_t value)
{
	var_set(flow, str_of(name), str_format(flow->arena, "%" PRId64, value), false);
}

void flow_set_secret(struct flow *flow, const char *name, struct str value)
{
	var_set(flow, str_of(name), value, true);
}

void flow_unset(struct flow *flow, const char *name)
{
	struct flow_var *var = var_find(flow, str_of(name));
	if (var != NULL)
		*var = flow->vars[--flow->var_count];
}

struct str flow_get(const struct flow *flow, const char *name)
{
	const struct flow_var *var = var_find(flow, str_of(name));
	return var != NULL ? var->value : (struct str){0};
}

int64_t flow_get_int(const struct flow *flow, const char *name, int64_t fallback)
{
	int64_t value = 0;
	return str_parse_i64(flow_get(flow, name), &value) ? value : fallback;
}

int64_t flow_count(struct flow *flow, const char *name)
{
	const int64_t value = flow_get_int(flow, name, 0) + 1;
	flow_set_int(flow, name, value);
	return value;
}

/* ---- parts ---- */

size_t flow_part(const struct flow *flow)
{
	size_t part = 0;
	while (part < flow->part_count && flow->parts[part].is_done)
		part++;
	return part;
}

void flow_set_open(struct flow *flow)
{
	flow_set_int(flow, OPEN_PART, (int64_t)flow_part(flow));
}

void flow_set_closed(struct flow *flow)
{
	flow_unset(flow, OPEN_PART);
}

bool flow_is_open(const struct flow *flow)
{
	return flow_get_int(flow, OPEN_PART, -1) == (int64_t)flow_part(flow);
}

void flow_part_done(struct flow *flow, struct str remote_id, struct str url)
{
	const size_t part = flow_part(flow);
	assert(part < flow->part_count);
	flow->parts[part] = (struct flow_part){
		.is_done = true,
		.remote_id = value_copy(flow, remote_id),
		.url = value_copy(flow, url),
	};
	flow->stage = (struct str){0};
	flow->probe = (struct str){0};
}

void flow_restart_part(struct flow *flow)
{
	flow->stage = (struct str){0};
	flow->probe = (struct str){0};
	flow->var_count = 0;
	if (flow_part(flow) > 0)
		return;
	flow->visibility = POST_VISIBILITY_UNKNOWN;
	flow->warning_count = 0;
}

/* ---- what is missing although the post is out ---- */

static struct flow_warning *warning_find(const struct flow *flow, struct str code)
{
	for (size_t i = 0; i < flow->warning_count; i++) {
		if (str_equal(flow->warnings[i].code, code))
			return (struct flow_warning *)&flow->warnings[i];
	}
	return NULL;
}

void flow_warn(struct flow *flow, const struct flow_warning *warning)
{
	struct flow_warning *place = warning_find(flow, warning->code);
	if (place == NULL) {
		assert(flow->warning_count < FLOW_WARNINGS_MAX);
		place = &flow->warnings[flow->warning_count++];
	}
	*place = (struct flow_warning){
		.code = warning->code,
		.field = value_copy(flow, warning->field),
		.message = value_copy(flow, warning->message),
		.is_repeatable = warning->is_repeatable,
	};
}

void flow_lacks_thumbnail(struct flow *flow, struct str why)
{
	flow_warn(flow, &(struct flow_warning){
				.code = STR(FLOW_THUMBNAIL_REFUSED),
				.field = STR("media.0.thumbnail_url"),
				.message = str_concat(flow->arena,
						      STR("The video is out without its "
							  "thumbnail. "),
						      why),
				.is_repeatable = true,
			});
}

void flow_lacks_id(struct flow *flow, struct str field, struct str message)
{
	flow_warn(flow, &(struct flow_warning){
				.code = STR(FLOW_ID_MISSING), .field = field, .message = message});
}

bool flow_is_without_id(const struct flow *flow)
{
	return warning_find(flow, STR(FLOW_ID_MISSING)) != NULL;
}

void flow_id_found(struct flow *flow, struct str remote_id, struct str url)
{
	flow->parts[0].remote_id = value_copy(flow, remote_id);
	flow->parts[0].url = value_copy(flow, url);
	flow_unwarn(flow, FLOW_ID_MISSING);
}

void flow_unwarn(struct flow *flow, const char *code)
{
	struct flow_warning *warning = warning_find(flow, str_of(code));
	if (warning != NULL)
		*warning = flow->warnings[--flow->warning_count];
}

void flow_see(struct flow *flow, enum post_visibility seen, enum post_visibility asked,
	      struct str field, struct str message)
{
	if (seen == POST_VISIBILITY_UNKNOWN)
		return;
	flow->visibility = seen;
	if (seen > asked)
		flow_warn(flow, &(struct flow_warning){.code = STR(FLOW_VISIBILITY_RESTRICTED),
						       .field = field,
						       .message = message});
	else
		flow_unwarn(flow, FLOW_VISIBILITY_RESTRICTED);
}

void flow_want_missing(struct flow *flow)
{
	if (flow_part(flow) == flow->part_count)
		flow->stage = (struct str){0};
	for (size_t i = 0; i < flow->warning_count; i++)
		flow->warnings[i].is_wanted = flow->warnings[i].is_repeatable;
}

bool flow_wants(const struct flow *flow, const char *code)
{
	const struct flow_warning *warning = warning_find(flow, str_of(code));
	return warning != NULL && warning->is_wanted;
}

/* ---- serialised ---- */

static void vars_write(struct json_writer *w, const struct flow *flow, bool is_secret)
{
	json_begin_object(w);
	for (size_t i = 0; i < flow->var_count; i++) {
		if (flow->vars[i].is_secret != is_secret)
			continue;
		json_key_str(w, flow->vars[i].name);
		json_put_str(w, flow->vars[i].value);
	}
	json_end_object(w);
}

static void parts_write(struct json_writer *w, const struct flow *flow)
{
	json_begin_array(w);
	for (size_t i = 0; i < flow->part_count; i++) {
		json_begin_object(w);
		json_member_bool(w, "done", flow->parts[i].is_done);
		json_member_str(w, "id", flow->parts[i].remote_id);
		json_member_str(w, "url", flow->parts[i].url);
		json_end_object(w);
	}
	json_end_array(w);
}

static void warnings_write(struct json_writer *w, const struct flow *flow)
{
	json_begin_array(w);
	for (size_t i = 0; i < flow->warning_count; i++) {
		const struct flow_warning *warning = &flow->warnings[i];
		json_begin_object(w);
		json_member_str(w, "code", warning->code);
		json_member_str(w, "field", warning->field);
		json_member_str(w, "message", warning->message);
		json_member_bool(w, "repeatable", warning->is_repeatable);
		json_member_bool(w, "wanted", warning->is_wanted);
		json_end_object(w);
	}
	json_end_array(w);
}

/* Most flows have none of it. */
static void seen_write(struct json_writer *w, const struct flow *flow)
{
	if (flow->visibility != POST_VISIBILITY_UNKNOWN)
		json_member_str(w, "visibility", str_of(post_visibility_name(flow->visibility)));
	if (flow->warning_count == 0)
		return;
	json_key(w, "warnings");
	warnings_write(w, flow);
}

struct str flow_write(struct arena *arena, const struct flow *flow)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, FLOW_TEXT_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	json_member_int(&w, "version", FLOW_VERSION);
	json_member_str(&w, "stage", flow->stage);
	json_member_str(&w, "probe", flow->probe);
	json_key(&w, "parts");
	parts_write(&w, flow);
	json_key(&w, "vars");
	vars_write(&w, flow, false);
	seen_write(&w, flow);
	json_end_object(&w);
	assert(!out.is_over);
	return buf_str(&out);
}

struct str flow_write_secrets(struct arena *arena, const struct flow *flow)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, FLOW_TEXT_MAX_BYTES);
	json_writer_init(&w, &out);
	vars_write(&w, flow, true);
	assert(!out.is_over);
	return buf_str(&out);
}

static bool parts_read(struct flow *flow, const struct json *parts)
{
	if (json_is_null(parts))
		return true;
	if (!json_is(parts, JSON_TYPE_ARRAY) || parts->count > POST_CONTAINERS_MAX)
		return false;
	flow->part_count = parts->count;
	for (size_t i = 0; i < parts->count; i++) {
		const struct json *part = json_at(parts, i);
		flow->parts[i] = (struct flow_part){
			.is_done = json_bool(json_get(part, "done"), false),
			.remote_id = json_string(json_get(part, "id")),
			.url = json_string(json_get(part, "url")),
		};
	}
	return true;
}

static bool vars_read(struct flow *flow, const struct json *vars, bool is_secret)
{
	if (json_is_null(vars))
		return true;
	if (!json_is(vars, JSON_TYPE_OBJECT) || vars->count > FLOW_VARS_MAX - flow->var_count)
		return false;
	for (size_t i = 0; i < vars->count; i++) {
		if (!json_is(&vars->items[i], JSON_TYPE_STRING))
			return false;
		flow->vars[flow->var_count++] = (struct flow_var){
			.name = vars->keys[i],
			.value = vars->items[i].string,
			.is_secret = is_secret,
		};
	}
	return true;
}

static bool seen_read(struct flow *flow, const struct json *root)
{
	const struct json *warnings = json_get(root, "warnings");
	flow->visibility = post_visibility_of_name(json_string(json_get(root, "visibility")));
	if (json_is_null(warnings))
		return true;
	if (!json_is(warnings, JSON_TYPE_ARRAY) || warnings->count > FLOW_WARNINGS_MAX)
		return false;
	flow->warning_count = warnings->count;
	for (size_t i = 0; i < warnings->count; i++) {
		const struct json *warning = json_at(warnings, i);
		flow->warnings[i] = (struct flow_warning){
			.code = json_string(json_get(warning, "code")),
			.field = json_string(json_get(warning, "field")),
			.message = json_string(json_get(warning, "message")),
			.is_repeatable = json_bool(json_get(warning, "repeatable"), false),
			.is_wanted = json_bool(json_get(warning, "wanted"), false),
		};
	}
	return true;
}

static enum err_kind parse(struct arena *arena, struct str text, const struct json **root_out,
			   struct error *err)
{
	*root_out = NULL;
	return str_is_empty(text) ? ERR_NONE : json_parse(arena, text, NULL, root_out, NULL, err);
}

enum err_kind flow_read(struct flow *flow, struct arena *arena, struct str text,
			struct str secrets_text, size_t part_count, struct error *err)
{
	const struct json *root = NULL;
	const struct json *secrets = NULL;
	enum err_kind kind = parse(arena, text, &root, err);
	if (kind == ERR_NONE)
		kind = parse(arena, secrets_text, &secrets, err);
	if (kind != ERR_NONE)
		return kind;
	if (json_int(json_get(root, "version"), FLOW_VERSION) != FLOW_VERSION)
		return error_set(err, ERR_INVALID, "The flow was written by another version.");
	flow_init(flow, arena, part_count);
	flow->stage = json_string(json_get(root, "stage"));
	flow->probe = json_string(json_get(root, "probe"));
	if (!parts_read(flow, json_get(root, "parts")) || !seen_read(flow, root) ||
	    !vars_read(flow, json_get(root, "vars"), false) || !vars_read(flow, secrets, true))
		return error_set(err, ERR_INVALID, "The stored flow cannot be read.");
	return ERR_NONE;
}
