/* SPDX-License-Identifier: Apache-2.0
 * Articles on the simulated X (x.md 2.6): a draft with blocks and entities, checked
 * against the documented schema, and the call that publishes it. Only subscribers may write
 * them. */
#include "sandbox_x.h"

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "json.h"
#include "json_write.h"
#include "utf8.h"

#define ARTICLE_LIMIT 100 /* 3.3: not listed */
#define BODY_MAX_BYTES ((size_t)1 << 20)

struct article {
	struct str id;
	struct str title;
	struct str text;
	struct sandbox_media media[SANDBOX_POST_MEDIA_MAX];
	size_t media_count;
	bool is_published;
};

/* One draft while it is read. */
struct reader {
	struct sandbox_call *call;
	const struct json *entities;
	struct article *article;
	struct buf text;
};

static bool refuse(struct reader *r, const char *where, const char *message)
{
	sandbox_x_fail_request(r->call, where, STR(""), message);
	return false;
}

static bool only_members(const struct json *json, const char *const *words)
{
	if (!json_is(json, JSON_TYPE_OBJECT))
		return false;
	for (size_t i = 0; i < json->count; i++) {
		if (!sandbox_is_one_of(json->keys[i], words))
			return false;
	}
	return true;
}

/* ---- media ---- */

static bool take_media(struct reader *r, const struct json *item)
{
	static const char *const members[] = {"media_id", "media_category", NULL};
	struct x_media *media =
		sandbox_x_media_find(r->call, json_string(json_get(item, "media_id")));
	if (!only_members(item, members) || media == NULL || media->kind != X_MEDIA_IMAGE ||
	    !str_equal_z(json_string(json_get(item, "media_category")), "tweet_image"))
		return refuse(r, "media_items", "An article takes uploaded images only.");
	if (r->article->media_count < SANDBOX_POST_MEDIA_MAX)
		r->article->media[r->article->media_count++] = media->media;
	return true;
}

/* ---- entities ---- */

static bool read_entity(struct reader *r, const struct json *entity)
{
	static const char *const members[] = {"key", "value", NULL};
	static const char *const value_members[] = {"type", "mutability", "data", NULL};
	static const char *const types[] = {"post",     "link",    "image", "emoji",
					    "markdown", "divider", "latex", NULL};
	static const char *const mutabilities[] = {"immutable", "mutable", "segmented", NULL};
	const struct json *value = json_get(entity, "value");
	const struct json *data = json_get(value, "data");
	const struct str type = json_string(json_get(value, "type"));
	if (!only_members(entity, members) || !only_members(value, value_members) ||
	    !json_is(json_get(entity, "key"), JSON_TYPE_STRING) ||
	    !sandbox_is_one_of(type, types) ||
	    !sandbox_is_one_of(json_string(json_get(value, "mutability")), mutabilities) ||
	    !json_is(data, JSON_TYPE_OBJECT))
		return refuse(r, "content_state.entities", "An entity is not of the schema.");
	if (str_equal_z(type, "link") && json_string(json_get(data, "url")).len == 0)
		return refuse(r, "content_state.entities", "A link needs its url.");
	const struct json *items = json_get(data, "media_items");
	if (str_equal_z(type, "image") && (!json_is(items, JSON_TYPE_ARRAY) || items->count == 0))
		return refuse(r, "content_state.entities", "An image needs its media_items.");
	for (size_t i = 0; json_is(items, JSON_TYPE_ARRAY) && i < items->count; i++) {
		if (!take_media(r, &items->items[i]))
			return false;
	}
	return true;
}

/* ---- blocks ---- */

static bool read_range(struct reader *r, const struct json *range, size_t units)
{
	const int64_t key = json_int(json_get(range, "key"), -1);
	const int64_t offset = json_int(json_get(range, "offset"), -1);
	const int64_t length = json_int(json_get(range, "length"), -1);
	if (key >= 0 && (size_t)key < r->entities->count && offset >= 0 && length >= 0 &&
	    (uint64_t)offset + (uint64_t)length <= units)
		return true;
	return refuse(r, "entity_ranges", "A range lies outside of its block or its entities.");
}

static bool read_block(struct reader *r, const struct json *block)
{
	static const char *const members[] = {"text",          "type", "key", "inline_style_ranges",
					      "entity_ranges", "data", NULL};
	static const char *const types[] = {"unstyled",
					    "header-one",
					    "header-two",
					    "header-three",
					    "unordered-list-item",
					    "ordered-list-item",
					    "blockquote",
					    "atomic",
					    NULL};
	const struct json *ranges = json_get(block, "entity_ranges");
	const struct str text = json_string(json_get(block, "text"));
	const struct str type = json_string(json_get(block, "type"));
	if (!only_members(block, members) || !sandbox_is_one_of(type, types) ||
	    !json_is(json_get(block, "text"), JSON_TYPE_STRING))
		return refuse(r, "content_state.blocks", "A block is not of the schema.");
	for (size_t i = 0; json_is(ranges, JSON_TYPE_ARRAY) && i < ranges->count; i++) {
		if (!read_range(r, &ranges->items[i], utf8_utf16_units(text)))
			return false;
	}
	if (!str_equal_z(type, "atomic")) {
		buf_add_z(&r->text, r->text.len > 0 ? "\n" : "");
		buf_add(&r->text, text);
	}
	return true;
}

static bool read_content(struct reader *r, const struct json *state)
{
	static const char *const members[] = {"blocks", "entities", NULL};
	const struct json *blocks = json_get(state, "blocks");
	r->entities = json_get(state, "entities");
	if (!only_members(state, members) || !json_is(blocks, JSON_TYPE_ARRAY) ||
	    !json_is(r->entities, JSON_TYPE_ARRAY))
		return refuse(r, "content_state", "blocks and entities are needed.");
	for (size_t i = 0; i < r->entities->count; i++) {
		if (!read_entity(r, &r->entities->items[i]))
			return false;
	}
	for (size_t i = 0; i < blocks->count; i++) {
		if (!read_block(r, &blocks->items[i]))
			return false;
	}
	return true;
}

static bool read_draft(struct reader *r, const struct json *json)
{
	static const char *const members[] = {"title", "content_state", "cover_media", NULL};
	const struct json *cover = json_get(json, "cover_media");
	const struct str title = json_string(json_get(json, "title"));
	if (!only_members(json, members))
		return refuse(r, "$", "The body is not of the schema.");
	if (title.len == 0)
		return refuse(r, "title", "A title of at least one character is needed.");
	return (cover == NULL || take_media(r, cover)) &&
	       read_content(r, json_get(json, "content_state"));
}

/* ---- the two calls ---- */

/* The author's token. NULL = the call has been answered. */
static struct sandbox_token *writer(struct sandbox_call *call)
{
	struct sandbox_token *token =
		sandbox_x_user(call, "tweet.write", "window_article", ARTICLE_LIMIT);
	if (token == NULL || sandbox_x_is_premium_user(call))
		return token;
	sandbox_x_fail_forbidden(call, "Your account is not permitted to access this feature.");
	return NULL;
}

void sandbox_x_articles_draft(struct sandbox_call *call)
{
	struct reader r = {.call = call};
	if (writer(call) == NULL)
		return;
	struct article *article = sandbox_keep(call->sandbox, sizeof(*article));
	r.article = article;
	buf_init(&r.text, call->arena, BODY_MAX_BYTES);
	if (!read_draft(&r, sandbox_json(call)) || !sandbox_x_spend(call, X_ARTICLE_MILS))
		return;
	article->id = sandbox_x_next_id(call);
	article->title =
		sandbox_keep_str(call->sandbox, json_string(json_get(sandbox_json(call), "title")));
	article->text = sandbox_keep_str(call->sandbox, buf_str(&r.text));
	sandbox_object_put(call->sandbox, SANDBOX_X, "article", article->id, article);
	struct json_writer w;
	sandbox_answer(call, 201, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", article->id);
	json_member_str(&w, "title", article->title);
	json_end_object(&w);
	json_end_object(&w);
}

static const struct x_post *publish(struct sandbox_call *call, struct str user_id,
				    struct article *article)
{
	article->is_published = true;
	return sandbox_x_post_create(
		call,
		&(struct x_new_post){
			.user_id = user_id,
			.type = "article",
			.text = article->text,
			.title = article->title,
			.shown_text = str_format(call->arena, "https://x.com/i/article/" STR_FMT,
						 STR_ARG(article->id)),
			.media = article->media,
			.media_count = article->media_count,
		});
}

void sandbox_x_articles_publish(struct sandbox_call *call)
{
	struct sandbox_token *token = writer(call);
	const struct str id = sandbox_capture(call, "id");
	if (token == NULL)
		return;
	struct article *article = sandbox_object_get(call->sandbox, SANDBOX_X, "article", id);
	if (article == NULL) {
		sandbox_x_fail_not_found(call, "article", id);
		return;
	}
	if (article->is_published) {
		sandbox_x_fail_request(call, "article_id", id, "The article is published already.");
		return;
	}
	if (!sandbox_x_spend(call, X_ARTICLE_MILS))
		return;
	const struct x_post *post = publish(call, token->subject, article);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "post_id", post->id);
	json_end_object(&w);
	json_end_object(&w);
}
