/* SPDX-License-Identifier: Apache-2.0
 * Words, states and the stored form of a post. */
#include "post.h"

#include <assert.h>

#include "arena.h"

#include "json.h"
#include "json_write.h"

#include "media_id.h"
#include "names.h"

static const char *const post_types[POST_TYPE_COUNT] = {
	[POST_TYPE_POST] = "post",       [POST_TYPE_VIDEO] = "video",
	[POST_TYPE_STORY] = "story",     [POST_TYPE_CAROUSEL] = "carousel",
	[POST_TYPE_ARTICLE] = "article",
};

static const char *const media_types[] = {
	[MEDIA_IMAGE] = "image",
	[MEDIA_VIDEO] = "video",
};

static const char *const media_fits[MEDIA_FIT_COUNT] = {
	[MEDIA_FIT_AUTO] = "auto",
	[MEDIA_FIT_PAD] = "pad",
	[MEDIA_FIT_CROP] = "crop",
	[MEDIA_FIT_OFF] = "off",
};

static const char *const post_modes[] = {
	[POST_MODE_BASIC] = "basic",
	[POST_MODE_ADVANCED] = "advanced",
};

static const char *const post_visibilities[POST_VISIBILITY_COUNT] = {
	[POST_VISIBILITY_PUBLIC] = "public",       [POST_VISIBILITY_UNLISTED] = "unlisted",
	[POST_VISIBILITY_FOLLOWERS] = "followers", [POST_VISIBILITY_PRIVATE] = "private",
	[POST_VISIBILITY_DRAFT] = "draft",
};

struct post_state_row {
	const char *name;
	const char *status; /* one of the four values of contract.md's list filter */
	bool is_final;
};

static const struct post_state_row post_states[POST_STATE_COUNT] = {
	[POST_PENDING] = {"pending", "pending", false},
	[POST_SCHEDULED] = {"scheduled", "scheduled", false},
	[POST_PROCESSING] = {"processing", "pending", false},
	[POST_RETRYING] = {"retrying", "pending", false},
	[POST_PUBLISHED] = {"published", "published", true},
	[POST_FAILED] = {"failed", "failed", true},
};

const char *post_type_name(enum post_type type)
{
	return NAME_OF(post_types, type);
}

enum post_type post_type_of_name(struct str name)
{
	const size_t index = NAME_FIND(post_types, name);
	return index < POST_TYPE_COUNT ? (enum post_type)index : POST_TYPE_NONE;
}

const char *post_removal_name(enum post_removal removal)
{
	static const char *const names[POST_REMOVAL_COUNT] = {
		[POST_REMOVAL_NONE] = "",
		[POST_REMOVAL_PENDING] = "pending",
		[POST_REMOVAL_REMOVED] = "removed",
		[POST_REMOVAL_FAILED] = "failed",
		[POST_REMOVAL_UNSUPPORTED] = "unsupported",
	};
	return (unsigned)removal < POST_REMOVAL_COUNT ? names[removal] : "";
}

const char *post_visibility_name(enum post_visibility visibility)
{
	return NAME_OF(post_visibilities, visibility);
}

enum post_visibility post_visibility_of_name(struct str name)
{
	const size_t index = NAME_FIND(post_visibilities, name);
	return index < POST_VISIBILITY_COUNT ? (enum post_visibility)index
					     : POST_VISIBILITY_UNKNOWN;
}

static const char *media_type_name(enum media_type type)
{
	return NAME_OF(media_types, type);
}

const char *post_media_fit_name(enum media_fit fit)
{
	return NAME_OF(media_fits, fit);
}

enum media_fit post_media_fit_of_name(struct str name)
{
	const size_t index = NAME_FIND(media_fits, name);
	return index < MEDIA_FIT_COUNT ? (enum media_fit)index : MEDIA_FIT_NONE;
}

const char *post_mode_name(enum post_mode mode)
{
	return NAME_OF(post_modes, mode);
}

static const struct post_state_row *state_row(enum post_state state)
{
	assert((unsigned)state < POST_STATE_COUNT);
	return &post_states[state];
}

const char *post_state_name(enum post_state state)
{
	return state_row(state)->name;
}

enum post_state post_state_of_name(struct str name)
{
	for (unsigned i = 0; i < POST_STATE_COUNT; i++) {
		if (str_equal_z(name, post_states[i].name))
			return (enum post_state)i;
	}
	return POST_STATE_COUNT;
}

const char *post_state_status(enum post_state state)
{
	return state_row(state)->status;
}

bool post_state_is_final(enum post_state state)
{
	return state_row(state)->is_final;
}

enum post_state post_state_of_deliveries(const enum post_state *states, size_t count)
{
	static const enum post_state precedence[] = {
		POST_RETRYING,  POST_PROCESSING, POST_PENDING,
		POST_SCHEDULED, POST_FAILED,     POST_PUBLISHED,
	};
	assert(count > 0);
	bool is_there[POST_STATE_COUNT] = {false};
	for (size_t i = 0; i < count; i++) {
		assert((unsigned)states[i] < POST_STATE_COUNT);
		is_there[states[i]] = true;
	}
	for (size_t i = 0; i < POST_STATE_COUNT; i++) {
		if (is_there[precedence[i]])
			return precedence[i];
	}
	return POST_STATE_COUNT;
}

/* ---- the stored form ---- */

static void member_if_given(struct json_writer *w, const char *key, struct str value)
{
	if (!str_is_empty(value))
		json_member_str(w, key, value);
}

static void media_write(struct json_writer *w, const struct media *media)
{
	json_begin_object(w);
	json_member_str(w, media_id_is(media->url) ? "media_id" : "url", media->url);
	json_member_str(w, "type", str_of(media_type_name(media->type)));
	member_if_given(w, "alt_text", media->alt_text);
	member_if_given(w, "thumbnail_url", media->thumbnail_url);
	member_if_given(w, "mime_type", media->mime_type);
	if (media->duration_s >= 0)
		json_member_int(w, "duration", media->duration_s);
	member_if_given(w, "fit", str_of(post_media_fit_name(media->fit)));
	json_end_object(w);
}

static void media_address_write_api(struct json_writer *w, struct str address)
{
	if (!media_id_is(address)) {
		json_member_str(w, "url", address);
		return;
	}
	json_member_null(w, "url");
	json_member_str(w, "media_id", address);
}

static void media_write_api(struct json_writer *w, const struct media *media)
{
	json_begin_object(w);
	media_address_write_api(w, media->url);
	json_member_str(w, "type", str_of(media_type_name(media->type)));
	json_member_str_or_null(w, "alt_text", media->alt_text);
	json_member_str_or_null(w, "thumbnail_url", media->thumbnail_url);
	if (media->duration_s >= 0)
		json_member_int(w, "duration", media->duration_s);
	else
		json_member_null(w, "duration");
	json_member_str_or_null(w, "mime_type", media->mime_type);
	member_if_given(w, "fit", str_of(post_media_fit_name(media->fit)));
	json_end_object(w);
}

typedef void media_writer(struct json_writer *, const struct media *);

static void media_list_write(struct json_writer *w, const struct container *container,
			     media_writer *write_media)
{
	json_key(w, "media");
	json_begin_array(w);
	for (size_t i = 0; i < container->media_count; i++)
		write_media(w, &container->media[i]);
	json_end_array(w);
}

static void container_write(struct json_writer *w, const struct container *container,
			    media_writer *write_media)
{
	json_member_str(w, "content", container->content);
	media_list_write(w, container, write_media);
}

static void containers_write(struct json_writer *w, const struct post_content *content,
			     media_writer *write_media)
{
	json_begin_array(w);
	for (size_t i = 0; i < content->container_count; i++) {
		json_begin_object(w);
		container_write(w, &content->containers[i], write_media);
		json_end_object(w);
	}
	json_end_array(w);
}

/* In the first container the type, as in requests. */
static void override_containers_write(struct json_writer *w, const struct post_override *entry,
				      media_writer *write_media)
{
	json_key(w, "containers");
	json_begin_array(w);
	for (size_t i = 0; i < entry->container_count; i++) {
		json_begin_object(w);
		if (i == 0)
			member_if_given(w, "type", str_of(post_type_name(entry->type)));
		container_write(w, &entry->containers[i], write_media);
		json_end_object(w);
	}
	json_end_array(w);
}

static void override_write(struct json_writer *w, const struct post_override *entry,
			   media_writer *write_media)
{
	json_key_str(w, entry->key);
	json_begin_object(w);
	if (entry->has_content)
		json_member_str(w, "content", entry->first.content);
	if (entry->has_media)
		media_list_write(w, &entry->first, write_media);
	if (entry->container_count > 0)
		override_containers_write(w, entry, write_media);
	else
		member_if_given(w, "type", str_of(post_type_name(entry->type)));
	member_if_given(w, "fit", str_of(post_media_fit_name(entry->fit)));
	if (entry->options != NULL) {
		json_key(w, "options");
		json_put_value(w, entry->options);
	}
	json_end_object(w);
}

static void overrides_write(struct json_writer *w, const struct post_content *content,
			    media_writer *write_media)
{
	json_begin_object(w);
	for (size_t i = 0; i < content->override_count; i++)
		override_write(w, &content->overrides[i], write_media);
	json_end_object(w);
}

void post_content_write(struct json_writer *w, const struct post_content *content)
{
	json_begin_object(w);
	json_member_str(w, "mode", str_of(post_mode_name(content->mode)));
	if (content->type != POST_TYPE_NONE)
		json_member_str(w, "type", str_of(post_type_name(content->type)));
	json_key(w, "containers");
	containers_write(w, content, media_write);
	if (content->options != NULL) {
		json_key(w, "options");
		json_put_value(w, content->options);
	}
	if (content->override_count > 0) {
		json_key(w, "overrides");
		overrides_write(w, content, media_write);
	}
	json_end_object(w);
}

void post_containers_write_api(struct json_writer *w, const struct post_content *content)
{
	containers_write(w, content, media_write_api);
}

void post_overrides_write_api(struct json_writer *w, const struct post_content *content)
{
	overrides_write(w, content, media_write_api);
}

void post_shape_write_api(struct json_writer *w, const struct post_content *content,
			  enum post_type type)
{
	json_begin_array(w);
	for (size_t i = 0; i < content->container_count; i++) {
		json_begin_object(w);
		json_member_str_or_null(w, "type", str_of(i == 0 ? post_type_name(type) : ""));
		container_write(w, &content->containers[i], media_write_api);
		json_end_object(w);
	}
	json_end_array(w);
}

static bool media_read(const struct json *json, struct media *media)
{
	const struct str type = json_string(json_get(json, "type"));
	const struct str media_id = json_string(json_get(json, "media_id"));
	*media = (struct media){
		.url = str_is_empty(media_id) ? json_string(json_get(json, "url")) : media_id,
		.type = str_equal_z(type, "video") ? MEDIA_VIDEO : MEDIA_IMAGE,
		.alt_text = json_string(json_get(json, "alt_text")),
		.thumbnail_url = json_string(json_get(json, "thumbnail_url")),
		.mime_type = json_string(json_get(json, "mime_type")),
		.duration_s = json_int(json_get(json, "duration"), -1),
		.fit = post_media_fit_of_name(json_string(json_get(json, "fit"))),
	};
	return !str_is_empty(media->url) && NAME_FIND(media_types, type) < 2;
}

static bool media_list_read(struct arena *arena, const struct json *media,
			    struct container *container)
{
	if (!json_is(media, JSON_TYPE_ARRAY) || media->count > POST_MEDIA_MAX)
		return false;
	container->media_count = media->count;
	container->media = ARENA_ARRAY(arena, struct media, media->count);
	for (size_t i = 0; i < media->count; i++) {
		if (!media_read(json_at(media, i), &container->media[i]))
			return false;
	}
	return true;
}

static bool container_read(struct arena *arena, const struct json *json,
			   struct container *container)
{
	container->content = json_string(json_get(json, "content"));
	return json_is(json_get(json, "content"), JSON_TYPE_STRING) &&
	       media_list_read(arena, json_get(json, "media"), container);
}

static bool containers_read(struct arena *arena, const struct json *list,
			    struct container **containers_out, size_t *count_out)
{
	if (!json_is(list, JSON_TYPE_ARRAY) || list->count == 0 ||
	    list->count > POST_CONTAINERS_MAX)
		return false;
	*count_out = list->count;
	*containers_out = ARENA_ARRAY(arena, struct container, list->count);
	for (size_t i = 0; i < list->count; i++) {
		if (!container_read(arena, json_at(list, i), &(*containers_out)[i]))
			return false;
	}
	return true;
}

static bool override_read(struct arena *arena, struct str key, const struct json *json,
			  struct post_override *entry)
{
	const struct json *containers = json_get(json, "containers");
	const struct json *media = json_get(json, "media");
	const struct json *type =
		json_get(containers != NULL ? json_at(containers, 0) : json, "type");
	*entry = (struct post_override){
		.key = key,
		.platform = platform_id_of_slug(key),
		.has_content = json_get(json, "content") != NULL,
		.has_media = media != NULL,
		.first.content = json_string(json_get(json, "content")),
		.type = post_type_of_name(json_string(type)),
		.options = json_get(json, "options"),
		.fit = post_media_fit_of_name(json_string(json_get(json, "fit"))),
	};
	if (media != NULL && !media_list_read(arena, media, &entry->first))
		return false;
	return containers == NULL ||
	       containers_read(arena, containers, &entry->containers, &entry->container_count);
}

static bool overrides_read(struct arena *arena, const struct json *json,
			   struct post_content *content)
{
	const size_t count = json_is(json, JSON_TYPE_OBJECT) ? json->count : 0;
	struct post_override *entries = ARENA_ARRAY(arena, struct post_override, count);
	content->overrides = entries;
	content->override_count = count;
	for (size_t i = 0; i < count; i++) {
		if (!override_read(arena, json->keys[i], &json->items[i], &entries[i]))
			return false;
	}
	return true;
}

static bool content_read(struct arena *arena, const struct json *root, struct post_content *content)
{
	const struct str mode = json_string(json_get(root, "mode"));
	if (NAME_FIND(post_modes, mode) == 2)
		return false;
	content->mode = (enum post_mode)NAME_FIND(post_modes, mode);
	content->type = post_type_of_name(json_string(json_get(root, "type")));
	content->options = json_get(root, "options");
	return containers_read(arena, json_get(root, "containers"), &content->containers,
			       &content->container_count) &&
	       overrides_read(arena, json_get(root, "overrides"), content);
}

enum err_kind post_content_read(struct arena *arena, struct str text,
				struct post_content *content_out, struct error *err)
{
	/* Wider than what a request may have (32 levels, 10,000 values), because this form adds a
	 * few of its own. */
	static const struct json_limits limits = {.depth_max = 40, .nodes_max = 20000};
	const struct json *root = NULL;
	const enum err_kind kind = json_parse(arena, text, &limits, &root, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	struct post_content content = {0};
	if (!content_read(arena, root, &content))
		return error_set(err, ERR_INVALID,
				 "The stored content of the post cannot be read.");
	*content_out = content;
	return ERR_NONE;
}

/* ---- media by flat index ---- */

size_t post_media_base(const struct post_content *content, size_t container)
{
	size_t base = 0;
	for (size_t i = 0; i < container && i < content->container_count; i++)
		base += content->containers[i].media_count;
	return base;
}

size_t post_media_total(const struct post_content *content)
{
	return post_media_base(content, content->container_count);
}

const struct media *post_media_at(const struct post_content *content, size_t flat_index)
{
	size_t left = flat_index;
	for (size_t i = 0; i < content->container_count; i++) {
		if (left < content->containers[i].media_count)
			return &content->containers[i].media[left];
		left -= content->containers[i].media_count;
	}
	return NULL;
}
