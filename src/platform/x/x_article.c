/* SPDX-License-Identifier: Apache-2.0
 * X's articles (x.md 2.6): a draft with everything in it, which nobody sees, and then one
 * call that publishes it. The text is taken line by line: a line that begins with #, -, *, 1. or >
 * is a heading, a list's item or a quotation; addresses become links; the pictures follow the
 * text. */
#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"
#include "utf8.h"

#include "answer.h"
#include "resolver.h"
#include "x_text_count.h"
#include "x_adapter.h"

#define ENTITIES_MAX 1024
#define URLS_PER_LINE_MAX 64
#define DIVIDER "---"

struct str x_article_id(const struct flow *flow)
{
	return flow_get(flow, X_KEY_ARTICLE_ID);
}

/* ---- title and text ---- */

static struct str take_line(struct str *text)
{
	struct str line = {0};
	str_take_field(text, '\n', &line);
	return str_trim(line);
}

/* The first line that says something. */
static struct str first_line(struct str *text)
{
	struct str line = {0};
	while (str_is_empty(line) && text->len > 0)
		line = take_line(text);
	return line;
}

static struct str without_marks(struct str line)
{
	while (str_skip(&line, STR("#")))
		;
	return str_trim(line);
}

struct article {
	struct str title;
	struct str body;
};

/* The title is the option's, or the first line; then the line is not repeated in the body, unless
 * there is nothing else. */
static struct article article_of(const struct env *env)
{
	const struct str text = x_text(env->arena, env->post, env->options, 0);
	const struct str title = json_string(json_get(x_article_options(env), "title"));
	struct str rest = text;
	if (!str_is_empty(str_trim(title)))
		return (struct article){str_trim(title), text};
	const struct str line = first_line(&rest);
	return (struct article){x_first_of(without_marks(line), line),
				str_is_empty(str_trim(rest)) ? text : rest};
}

/* ---- blocks ---- */

enum entity_kind { ENTITY_LINK, ENTITY_IMAGE, ENTITY_DIVIDER };

struct entity {
	enum entity_kind kind;
	struct str value; /* the address, or X's media id */
};

struct draft {
	struct arena *arena;
	struct json_writer *w;
	struct entity entities[ENTITIES_MAX];
	size_t entity_count;
	size_t block_count;
};

struct line_mark {
	const char *mark;
	const char *type;
};

static const struct line_mark line_marks[] = {
	{"### ", "header-three"},      {"## ", "header-two"},         {"# ", "header-one"},
	{"- ", "unordered-list-item"}, {"* ", "unordered-list-item"}, {"> ", "blockquote"},
};

/* "12. " */
static bool skip_number(struct str *line)
{
	struct str rest = *line;
	uint64_t number = 0;
	if (!str_take_u64(&rest, 3, &number) || !str_skip(&rest, STR(". ")))
		return false;
	*line = rest;
	return true;
}

static const char *block_type(struct str *line)
{
	for (size_t i = 0; i < COUNT_OF(line_marks); i++) {
		if (str_skip(line, str_of(line_marks[i].mark)))
			return line_marks[i].type;
	}
	return skip_number(line) ? "ordered-list-item" : "unstyled";
}

static void range_write(struct draft *draft, size_t offset, size_t length)
{
	json_begin_object(draft->w);
	json_member_int(draft->w, "key", (int64_t)draft->entity_count - 1);
	json_member_int(draft->w, "offset", (int64_t)offset);
	json_member_int(draft->w, "length", (int64_t)length);
	json_end_object(draft->w);
}

static bool entity_add(struct draft *draft, enum entity_kind kind, struct str value)
{
	if (draft->entity_count == ENTITIES_MAX)
		return false;
	draft->entities[draft->entity_count++] = (struct entity){kind, value};
	return true;
}

static struct str whole_url(struct arena *arena, struct str url)
{
	return str_find(url, STR("://"), 0) == SIZE_MAX ? str_concat(arena, STR("https://"), url)
							: url;
}

/* Offsets are UTF-16 units, as in the editor whose format this is (2.6). */
static void links_write(struct draft *draft, struct str line)
{
	struct x_text_span spans[URLS_PER_LINE_MAX];
	const size_t count = x_text_count_urls(line, spans, URLS_PER_LINE_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct str url = str_slice(line, spans[i].begin, spans[i].end);
		if (entity_add(draft, ENTITY_LINK, whole_url(draft->arena, url)))
			range_write(draft, utf8_utf16_units(str_slice(line, 0, spans[i].begin)),
				    utf8_utf16_units(url));
	}
}

static void block_begin(struct draft *draft, const char *type, struct str text)
{
	json_begin_object(draft->w);
	json_member_str(draft->w, "key", str_format(draft->arena, "b%zu", draft->block_count++));
	json_member_str(draft->w, "text", text);
	json_member_str(draft->w, "type", str_of(type));
	json_key(draft->w, "inline_style_ranges");
	json_begin_array(draft->w);
	json_end_array(draft->w);
	json_key(draft->w, "entity_ranges");
	json_begin_array(draft->w);
}

static void block_end(struct draft *draft)
{
	json_end_array(draft->w);
	json_end_object(draft->w);
}

/* What is no text stands on one blank. */
static void atom_write(struct draft *draft, enum entity_kind kind, struct str value)
{
	if (!entity_add(draft, kind, value))
		return;
	block_begin(draft, "atomic", STR(" "));
	range_write(draft, 0, 1);
	block_end(draft);
}

static void line_write(struct draft *draft, struct str line)
{
	if (str_is_empty(line))
		return;
	if (str_equal_z(line, DIVIDER)) {
		atom_write(draft, ENTITY_DIVIDER, STR(""));
		return;
	}
	const char *type = block_type(&line);
	block_begin(draft, type, line);
	links_write(draft, line);
	block_end(draft);
}

/* ---- entities ---- */

static void media_item_write(struct json_writer *w, struct str id)
{
	json_begin_object(w);
	json_member_str(w, "media_id", id);
	json_member_str(w, "media_category", STR("tweet_image"));
	json_end_object(w);
}

static void entity_data_write(struct json_writer *w, const struct entity *entity)
{
	json_key(w, "data");
	json_begin_object(w);
	if (entity->kind == ENTITY_LINK)
		json_member_str(w, "url", entity->value);
	if (entity->kind == ENTITY_IMAGE) {
		json_key(w, "media_items");
		json_begin_array(w);
		media_item_write(w, entity->value);
		json_end_array(w);
	}
	json_end_object(w);
}

static void entities_write(const struct draft *draft)
{
	static const char *const types[] = {
		[ENTITY_LINK] = "link", [ENTITY_IMAGE] = "image", [ENTITY_DIVIDER] = "divider"};
	static const char *const mutabilities[] = {[ENTITY_LINK] = "mutable",
						   [ENTITY_IMAGE] = "immutable",
						   [ENTITY_DIVIDER] = "immutable"};
	struct json_writer *w = draft->w;
	json_key(w, "entities");
	json_begin_array(w);
	for (size_t i = 0; i < draft->entity_count; i++) {
		const struct entity *entity = &draft->entities[i];
		json_begin_object(w);
		json_member_str(w, "key", str_format(draft->arena, "%zu", i));
		json_key(w, "value");
		json_begin_object(w);
		json_member_str(w, "type", str_of(types[entity->kind]));
		json_member_str(w, "mutability", str_of(mutabilities[entity->kind]));
		entity_data_write(w, entity);
		json_end_object(w);
		json_end_object(w);
	}
	json_end_array(w);
}

static void content_write(struct draft *draft, const struct env *env, const struct flow *flow,
			  struct str body)
{
	json_key(draft->w, "content_state");
	json_begin_object(draft->w);
	json_key(draft->w, "blocks");
	json_begin_array(draft->w);
	while (body.len > 0)
		line_write(draft, take_line(&body));
	for (size_t i = 0; i < env->post->containers[0].media_count; i++)
		atom_write(draft, ENTITY_IMAGE, x_media_id(flow, i));
	json_end_array(draft->w);
	entities_write(draft);
	json_end_object(draft->w);
}

static struct str draft_body(const struct env *env, const struct flow *flow)
{
	const struct article article = article_of(env);
	const size_t images = env->post->containers[0].media_count;
	struct draft *draft = ARENA_NEW(env->arena, struct draft);
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, X_BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	*draft = (struct draft){.arena = env->arena, .w = &w};
	json_begin_object(&w);
	json_member_str(&w, "title", article.title);
	content_write(draft, env, flow, article.body);
	if (x_media_count(env, flow) > images) {
		json_key(&w, "cover_media");
		media_item_write(&w, x_media_id(flow, images));
	}
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

/* ---- the two calls ---- */

const char *x_draft_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str body = draft_body(env, flow);
	if (str_is_empty(body)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED,
			  STR("The article with its paragraphs is too large for X."));
		return NULL;
	}
	struct call *call =
		step_send(step, CALL_PREPARE, "POST", STR(X_API X_PATH_ARTICLES "/draft"));
	call_bearer(env, call, env->access_token);
	call_json(call, body);
	return NULL;
}

const char *x_draft_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			   struct step *step)
{
	const struct str id = answer_id(env, json_get(json_get(reply->json, "data"), "id"));
	const struct str status = json_string(json_get(x_article_options(env), "status"));
	if (!x_is_ok(reply)) {
		x_failed(env, reply, step);
		return NULL;
	}
	if (str_is_empty(id)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("X's answer cannot be read."));
		return NULL;
	}
	if (str_equal_z(status, "draft")) {
		flow_part_done(flow, id, STR(""));
		return X_STAGE_START;
	}
	flow_set(flow, X_KEY_ARTICLE_ID, id);
	return X_STAGE_ARTICLE;
}

const char *x_article_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct call *call =
		step_send(step, CALL_PUBLISH, "POST",
			  str_format(env->arena, X_API X_PATH_ARTICLES "/" STR_FMT "/publish",
				     STR_ARG(x_article_id(flow))));
	call_bearer(env, call, env->access_token);
	return NULL;
}

const char *x_article_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	const struct str id = answer_id(env, json_get(json_get(reply->json, "data"), "post_id"));
	if (x_is_ok(reply) && !str_is_empty(id)) {
		flow_part_done(flow, id, x_post_url(env, id));
		return X_STAGE_START;
	}
	if (reply->outcome != REPLY_ANSWERED || !x_is_refusal(reply)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	x_failed(env, reply, step);
	/* A draft that cannot be published any more after a try with an uncertain outcome was
	 * published by that try: probe. */
	if (step->failure.class == FAILURE_PERMANENT && resolver_uncertain_us(flow) != 0)
		*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}
