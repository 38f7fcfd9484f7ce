/* SPDX-License-Identifier: Apache-2.0
 * See media_id.h. */
#include "media_id.h"

#include "arena.h"

#include "json.h"

#include "post.h"

#define UUID_TEXT_BYTES 36
#define USES_FIRST 16

bool media_id_is(struct str text)
{
	if (!str_skip(&text, STR(MEDIA_ID_PREFIX)) || text.len != UUID_TEXT_BYTES)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];
		const bool is_dash_place = i == 8 || i == 13 || i == 18 || i == 23;
		const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
		if (is_dash_place ? c != '-' : !is_hex)
			return false;
	}
	return true;
}

bool media_address_is(struct str text)
{
	return str_has_prefix(text, STR("https://")) || str_has_prefix(text, STR("http://")) ||
	       media_id_is(text);
}

struct gathering {
	struct arena *arena;
	bool takes_addresses; /* beside ids of uploaded files */
	struct media_use *uses;
	size_t count;
	size_t room;
};

static void add(struct gathering *g, struct str media_id, struct str field, struct media *media)
{
	const bool is_wanted =
		g->takes_addresses ? media_address_is(media_id) : media_id_is(media_id);
	if (!is_wanted)
		return;
	if (g->count == g->room) {
		struct media_use *more = ARENA_ARRAY(g->arena, struct media_use,
						     g->room == 0 ? USES_FIRST : 2 * g->room);
		if (g->count > 0)
			memcpy(more, g->uses, g->count * sizeof(*more));
		g->uses = more;
		g->room = g->room == 0 ? USES_FIRST : 2 * g->room;
	}
	g->uses[g->count++] = (struct media_use){media_id, field, media};
}

/* prefix: "" or "containers.1.", "overrides.x." */
static void add_container(struct gathering *g, struct str prefix, const struct container *container)
{
	for (size_t i = 0; i < container->media_count; i++) {
		struct media *media = &container->media[i];
		const char *member = media_id_is(media->url) ? "media_id" : "url";
		add(g, media->url,
		    str_format(g->arena, STR_FMT "media.%zu.%s", STR_ARG(prefix), i, member),
		    media);
		add(g, media->thumbnail_url,
		    str_format(g->arena, STR_FMT "media.%zu.thumbnail_url", STR_ARG(prefix), i),
		    NULL);
	}
}

static void add_containers(struct gathering *g, struct str prefix,
			   const struct container *containers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_container(g,
			      str_format(g->arena, STR_FMT "containers.%zu.", STR_ARG(prefix), i),
			      &containers[i]);
}

/* An option that is an address says so in its name: url, cover_url, thumbnail_url. */
static bool is_address_name(struct str name)
{
	return str_equal(name, STR("url")) || str_has_suffix(name, STR("_url"));
}

/* Of these, files: platforms.linkedin.article.url is a page's. */
static bool is_file_name(struct str field, struct str name)
{
	return str_has_suffix(name, STR("_url")) || str_has_suffix(field, STR(".document")) ||
	       str_find(field, STR(".captions"), 0) < field.len;
}

static void add_option(struct gathering *g, struct str field, struct str name, struct str value)
{
	const struct str at =
		str_format(g->arena, STR_FMT "." STR_FMT, STR_ARG(field), STR_ARG(name));
	if (is_address_name(name) && (media_id_is(value) || is_file_name(field, name)))
		add(g, value, at, NULL);
}

static void add_options(struct gathering *g, struct str field, const struct json *options)
{
	for (size_t i = 0; options != NULL && i < options->count; i++) {
		const struct json *value = &options->items[i];
		const bool is_object = json_is(options, JSON_TYPE_OBJECT);
		const struct str name =
			is_object ? options->keys[i] : str_format(g->arena, "%zu", i);
		const struct str at =
			str_format(g->arena, STR_FMT "." STR_FMT, STR_ARG(field), STR_ARG(name));
		if (json_is(value, JSON_TYPE_OBJECT) || json_is(value, JSON_TYPE_ARRAY))
			add_options(g, at, value);
		else if (is_object && json_is(value, JSON_TYPE_STRING))
			add_option(g, field, name, value->string);
	}
}

static void add_override(struct gathering *g, const struct post_override *entry)
{
	const struct str field = str_format(g->arena, "overrides." STR_FMT, STR_ARG(entry->key));
	const struct str prefix = str_concat(g->arena, field, STR("."));
	add_container(g, prefix, &entry->first);
	add_containers(g, prefix, entry->containers, entry->container_count);
	add_options(g, str_concat(g->arena, prefix, STR("options")), entry->options);
}

static void add_all(struct gathering *g, const struct post_content *content)
{
	if (content->mode == POST_MODE_BASIC && content->container_count == 1)
		add_container(g, STR(""), &content->containers[0]);
	else
		add_containers(g, STR(""), content->containers, content->container_count);
	add_options(g, STR("platforms"), content->options);
	for (size_t i = 0; i < content->override_count; i++)
		add_override(g, &content->overrides[i]);
}

void media_id_uses(struct arena *arena, const struct post_content *content,
		   struct media_use **uses_out, size_t *count_out)
{
	struct gathering g = {.arena = arena};
	add_all(&g, content);
	*uses_out = g.uses;
	*count_out = g.count;
}

void media_id_files(struct arena *arena, const struct post_content *content,
		    struct media_use **uses_out, size_t *count_out)
{
	struct gathering g = {.arena = arena, .takes_addresses = true};
	add_all(&g, content);
	*uses_out = g.uses;
	*count_out = g.count;
}
