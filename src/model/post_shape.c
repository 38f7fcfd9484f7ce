/* SPDX-License-Identifier: Apache-2.0
 * Laying the entries of overrides over a post, and finding the way back to where a part came
 * from. */
#include "post_shape.h"

#include "arena.h"
#include "count_of.h"

#include "json.h"

#include "problem.h"

/* ---- laying over ---- */

static void lay_containers(struct post_shape *shape, const struct post_override *entry)
{
	shape->content.mode = POST_MODE_ADVANCED;
	shape->content.type = entry->type;
	shape->content.containers = entry->containers;
	shape->content.container_count = entry->container_count;
	shape->containers_from = entry;
	shape->content_from = NULL;
	shape->media_from = NULL;
	shape->type_from = NULL;
}

static void lay_first(struct arena *arena, struct post_shape *shape,
		      const struct post_override *entry)
{
	struct post_content *content = &shape->content;
	if (entry->type != POST_TYPE_NONE) {
		content->type = entry->type;
		shape->type_from = entry;
	}
	if ((!entry->has_content && !entry->has_media) || content->container_count == 0)
		return;
	struct container *containers =
		ARENA_ARRAY(arena, struct container, content->container_count);
	memcpy(containers, content->containers,
	       content->container_count * sizeof(*content->containers));
	if (entry->has_content) {
		containers[0].content = entry->first.content;
		shape->content_from = entry;
	}
	if (entry->has_media) {
		containers[0].media = entry->first.media;
		containers[0].media_count = entry->first.media_count;
		shape->media_from = entry;
	}
	content->containers = containers;
}

/* What an entry gives itself says so for itself. */
static void lay_fit(struct arena *arena, struct post_shape *shape,
		    const struct post_override *entry)
{
	struct post_content *content = &shape->content;
	if (entry->fit == MEDIA_FIT_NONE || content->container_count == 0)
		return;
	struct container *containers =
		ARENA_ARRAY(arena, struct container, content->container_count);
	for (size_t i = 0; i < content->container_count; i++) {
		struct container *container = &containers[i];
		*container = content->containers[i];
		if (container->media_count == 0)
			continue;
		const struct media *given = container->media;
		const bool is_own = entry->container_count > 0 || (i == 0 && entry->has_media);
		container->media = ARENA_ARRAY(arena, struct media, container->media_count);
		for (size_t k = 0; k < container->media_count; k++) {
			container->media[k] = given[k];
			if (!is_own || given[k].fit == MEDIA_FIT_NONE)
				container->media[k].fit = entry->fit;
		}
	}
	content->containers = containers;
}

static void lay(struct arena *arena, struct post_shape *shape, const struct post_override *entry)
{
	if (entry == NULL)
		return;
	if (entry->container_count > 0)
		lay_containers(shape, entry);
	else
		lay_first(arena, shape, entry);
	lay_fit(arena, shape, entry);
}

/* ---- options ---- */

static const struct json *options_of(const struct post_override *entry)
{
	return entry != NULL ? entry->options : NULL;
}

static const struct json *given(const struct json *options, const char *key)
{
	const struct json *value = json_get(options, key);
	return json_is_null(value) ? NULL : value;
}

/* The keys of one layer that no layer above it gives. */
static void take_options(struct arena *arena, struct json *merged, struct json *items,
			 struct str *keys, const struct json *layer,
			 const struct json *const *above)
{
	for (size_t i = 0; layer != NULL && i < layer->count; i++) {
		const char *key = str_z(arena, layer->keys[i]);
		if (given(above[0], key) != NULL || given(above[1], key) != NULL)
			continue;
		keys[merged->count] = layer->keys[i];
		items[merged->count++] = layer->items[i];
	}
}

/* {slug: the options of all layers}: what the rules and the adapters read. */
static const struct json *merge_options(struct arena *arena, const struct post_shape *shape,
					const struct json *root)
{
	const struct json *layers[] = {options_of(shape->account_entry),
				       options_of(shape->platform_entry),
				       json_get(root, shape->slug), NULL};
	size_t count = 0;
	if (layers[0] == NULL && layers[1] == NULL)
		return root;
	for (size_t i = 0; i < COUNT_OF(layers); i++)
		count += layers[i] != NULL ? layers[i]->count : 0;
	struct json *merged = ARENA_NEW(arena, struct json);
	struct json *items = ARENA_ARRAY(arena, struct json, count);
	struct str *keys = ARENA_ARRAY(arena, struct str, count);
	const struct json *const above_account[] = {NULL, NULL};
	const struct json *const above_platform[] = {layers[0], NULL};
	const struct json *const above_root[] = {layers[0], layers[1]};
	*merged = (struct json){.type = JSON_TYPE_OBJECT, .items = items, .keys = keys};
	take_options(arena, merged, items, keys, layers[0], above_account);
	take_options(arena, merged, items, keys, layers[1], above_platform);
	take_options(arena, merged, items, keys, layers[2], above_root);
	struct str *slug = ARENA_NEW(arena, struct str);
	struct json *all = ARENA_NEW(arena, struct json);
	*slug = str_of(shape->slug);
	*all = (struct json){.type = JSON_TYPE_OBJECT, .items = merged, .keys = slug, .count = 1};
	return all;
}

void post_shape_of(struct arena *arena, const struct post_content *root, enum platform_id platform,
		   struct str account_id, struct post_shape *shape_out)
{
	*shape_out = (struct post_shape){.content = *root, .slug = platform_id_slug(platform)};
	for (size_t i = 0; i < root->override_count; i++) {
		const struct post_override *entry = &root->overrides[i];
		if (entry->platform == platform)
			shape_out->platform_entry = entry;
		else if (entry->platform == PLATFORM_NONE && str_equal(entry->key, account_id))
			shape_out->account_entry = entry;
	}
	lay(arena, shape_out, shape_out->platform_entry);
	lay(arena, shape_out, shape_out->account_entry);
	shape_out->content.options = merge_options(arena, shape_out, root->options);
}

/* ---- the way back ---- */

/* True for "media" and "media.0.url" when word is "media"; rest_out is ".0.url". */
static bool begins_with_word(struct str field, const char *word, struct str *rest_out)
{
	const size_t len = strlen(word);
	if (!str_has_prefix(field, str_of(word)) || (field.len > len && field.ptr[len] != '.'))
		return false;
	*rest_out = str_slice(field, len, field.len);
	return true;
}

static struct str field_under(struct arena *arena, const struct post_override *entry,
			      const char *member, struct str rest)
{
	return str_format(arena, "overrides." STR_FMT ".%s" STR_FMT, STR_ARG(entry->key), member,
			  STR_ARG(rest));
}

static struct str option_field(struct arena *arena, const struct post_shape *shape,
			       struct str field, struct str rest)
{
	const struct post_override *const entries[] = {shape->account_entry, shape->platform_entry};
	struct str left = str_slice(rest, rest.len > 0 ? 1 : 0, rest.len);
	struct str key = {0};
	const bool has_key = str_take_field(&left, '.', &key);
	const char *name = has_key ? str_z(arena, key) : "";
	for (size_t i = 0; i < COUNT_OF(entries); i++) {
		if (has_key && given(options_of(entries[i]), name) != NULL)
			return field_under(arena, entries[i], "options", rest);
	}
	return field;
}

struct str post_shape_field(struct arena *arena, const struct post_shape *shape, struct str field)
{
	const struct {
		const char *member;
		const struct post_override *from;
	} firsts[] = {
		{"content", shape->content_from},
		{"media", shape->media_from},
		{"type", shape->type_from},
	};
	struct str rest = {0};
	struct str first = field;
	if (begins_with_word(field, str_z(arena, str_format(arena, "platforms.%s", shape->slug)),
			     &rest))
		return option_field(arena, shape, field, rest);
	if (begins_with_word(field, "containers.0", &rest) && rest.len > 0)
		first = str_slice(rest, 1, rest.len);
	for (size_t i = 0; i < COUNT_OF(firsts); i++) {
		if (firsts[i].from != NULL && begins_with_word(first, firsts[i].member, &rest))
			return field_under(arena, firsts[i].from, firsts[i].member, rest);
	}
	if (shape->containers_from != NULL && begins_with_word(field, "containers", &rest))
		return field_under(arena, shape->containers_from, "containers", rest);
	return field;
}

void post_shape_report(const struct post_shape *shape, const struct problems *found,
		       struct problems *problems)
{
	struct arena *arena = problems->arena;
	for (size_t i = 0; i < found->count; i++) {
		struct problem problem = found->items[i];
		problem.field = post_shape_field(arena, shape, problem.field);
		problem_add_whole(problems, &problem);
	}
	for (size_t i = 0; i < found->warning_count; i++)
		warning_add(problems, post_shape_field(arena, shape, found->warnings[i].field),
			    str_z(arena, found->warnings[i].code), found->warnings[i].message);
}

bool post_shape_is_empty(const struct post_shape *shape, struct problems *problems)
{
	const struct container *first = &shape->content.containers[0];
	if (!str_is_empty(first->content) || first->media_count > 0)
		return false;
	const struct str field = shape->content.mode == POST_MODE_BASIC
					 ? STR("content")
					 : STR("containers.0.content");
	problem_add(problems, PROBLEM_SHAPE, post_shape_field(problems->arena, shape, field),
		    "required", STR("A post needs content, media or containers on every account."));
	return true;
}
