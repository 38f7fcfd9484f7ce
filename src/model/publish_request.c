/* SPDX-License-Identifier: Apache-2.0
 * Reading a publish request (contract.md 5, api-decisions.md 6). One pass, no early end: every
 * problem is reported at once, which is why readers add to a list instead of returning errors. */
#include "publish_request.h"

#include "arena.h"
#include "count_of.h"
#include "timetext.h"

#include "json.h"
#include "url.h"
#include "utf8.h"

#include "known.h"
#include "media_id.h"
#include "platform_id.h"

#define OFFSET_LEN 6 /* of "+09:00" */

/* What every reader below needs. */
struct reader {
	struct arena *arena;
	const struct media_url_check *media_url_check;
	int64_t now_us;
	struct problems *problems;
};

static struct str path(const struct reader *r, struct str parent, const char *member)
{
	return str_is_empty(parent) ? str_of(member)
				    : str_format(r->arena, STR_FMT ".%s", STR_ARG(parent), member);
}

static struct str path_at(const struct reader *r, struct str parent, size_t index)
{
	return str_format(r->arena, STR_FMT ".%zu", STR_ARG(parent), index);
}

static void shape(const struct reader *r, struct str field, const char *reason, const char *message)
{
	problem_add(r->problems, PROBLEM_SHAPE, field, reason, str_of(message));
}

/* ---- fields by type; absent and null give false without a word ---- */

static bool text_get(const struct reader *r, const struct json *object, const char *name,
		     struct str parent, struct str *out)
{
	const struct json *value = json_get(object, name);
	if (json_is_null(value))
		return false;
	if (!json_is(value, JSON_TYPE_STRING)) {
		shape(r, path(r, parent, name), "not_text", "This must be a string.");
		return false;
	}
	*out = json_string(value);
	return true;
}

static const struct json *list_get(const struct reader *r, const struct json *object,
				   const char *name, struct str parent)
{
	const struct json *value = json_get(object, name);
	if (json_is_null(value))
		return NULL;
	if (!json_is(value, JSON_TYPE_ARRAY)) {
		shape(r, path(r, parent, name), "not_a_list", "This must be a list.");
		return NULL;
	}
	return value;
}

static void warn_ignored(const struct reader *r, struct str field, const char *message)
{
	warning_add(r->problems, field, "ignored", str_of(message));
}

/* ---- media ---- */

static void media_problem(const struct reader *r, struct str field, const char *reason,
			  const char *message)
{
	problem_add(r->problems, PROBLEM_MEDIA, field, reason, str_of(message));
}

/* In words, for the reasons of outbound/guard.h that can be met here. */
static struct str media_refusal_text(struct arena *arena, const char *reason, struct str host)
{
	static const struct {
		const char *reason;
		const char *text;
	} texts[] = {
		{"private_address",
		 " is a private address. Give a public URL; the operator of this service can "
		 "allow a range with --media-allow."},
		{"bad_host", " is not a public host name. Give a public URL."},
	};
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (strcmp(texts[i].reason, reason) == 0)
			return str_format(arena, STR_FMT "%s", STR_ARG(host), texts[i].text);
	}
	if (strcmp(reason, "bad_port") == 0)
		return STR("Media is not fetched from this port. Use port 80 or 443; the operator "
			   "of this service can allow others.");
	if (strcmp(reason, "userinfo") == 0)
		return STR("The URL must not contain a user name or a password.");
	return str_format(arena, "Media cannot be fetched from this URL: %s.", reason);
}

void publish_media_url_judge(const struct media_url_check *guard, struct str field, struct str text,
			     struct problems *problems)
{
	struct arena *arena = problems->arena;
	struct url url;
	if (text.len > HTTP_URL_MAX_BYTES) {
		problem_add(problems, PROBLEM_MEDIA, field, "url_too_long",
			    STR("The URL is longer than 2,048 bytes."));
		return;
	}
	if (url_parse(arena, text, &url, NULL) != ERR_NONE) {
		problem_add(problems, PROBLEM_MEDIA, field, "bad_url",
			    STR("This is not an absolute http or https URL."));
		return;
	}
	const char *reason = guard != NULL ? guard->check(guard->context, arena, text) : NULL;
	if (reason != NULL)
		problem_add(problems, PROBLEM_MEDIA, field, reason,
			    media_refusal_text(arena, reason, url.host));
}

/* Whether there is such a file is known to the store (api/media_use.c). */
static void media_id_read(const struct reader *r, const struct json *object, struct str parent,
			  struct media *media)
{
	struct str id = {0};
	if (!text_get(r, object, "media_id", parent, &id))
		return;
	media->url = id;
	if (!media_id_is(id))
		media_problem(r, path(r, parent, "media_id"), "unknown_media",
			      "This is not the id of an uploaded file. POST /v1/media gives one.");
}

static void media_address_read(const struct reader *r, const struct json *object, struct str parent,
			       struct media *media)
{
	const bool has_url = !json_is_null(json_get(object, "url"));
	const bool has_id = !json_is_null(json_get(object, "media_id"));
	if (has_url && has_id) {
		shape(r, path(r, parent, "media_id"), "exclusive",
		      "Give either url or media_id, not both.");
		return;
	}
	if (!has_url && !has_id)
		shape(r, path(r, parent, "url"), "required",
		      "A media item needs a url, or the media_id of an uploaded file.");
	media_id_read(r, object, parent, media);
	if (text_get(r, object, "url", parent, &media->url))
		publish_media_url_judge(r->media_url_check, path(r, parent, "url"), media->url,
					r->problems);
}

static void media_type_read(const struct reader *r, const struct json *object, struct str parent,
			    struct media *media)
{
	struct str type = {0};
	if (!text_get(r, object, "type", parent, &type)) {
		media->is_type_open = json_is_null(json_get(object, "type"));
		if (media->is_type_open && json_is_null(json_get(object, "media_id")))
			shape(r, path(r, parent, "type"), "required", "A media item needs a type.");
		return;
	}
	media->type = str_equal_z(type, "video") ? MEDIA_VIDEO : MEDIA_IMAGE;
	if (!str_equal_z(type, "video") && !str_equal_z(type, "image"))
		media_problem(r, path(r, parent, "type"), "bad_type",
			      "The type of a media item must be image or video.");
}

static void media_duration_read(const struct reader *r, const struct json *object,
				struct str parent, struct media *media)
{
	const struct json *value = json_get(object, "duration");
	media->duration_s = -1;
	if (json_is_null(value))
		return;
	if (json_is(value, JSON_TYPE_INT) && value->integer >= 0)
		media->duration_s = value->integer;
	else
		shape(r, path(r, parent, "duration"), "not_a_number",
		      "The duration must be a whole number of seconds, 0 or more.");
}

/* NONE: not given, or told. */
static enum media_fit fit_read(const struct reader *r, const struct json *object, struct str parent)
{
	struct str name = {0};
	if (!text_get(r, object, "fit", parent, &name))
		return MEDIA_FIT_NONE;
	const enum media_fit fit = post_media_fit_of_name(name);
	if (fit == MEDIA_FIT_NONE)
		shape(r, path(r, parent, "fit"), "bad_fit",
		      "The fit of an image must be auto, pad, crop or off.");
	return fit;
}

static void media_item_read(const struct reader *r, const struct json *object, struct str field,
			    struct media *media)
{
	media->duration_s = -1;
	if (!json_is(object, JSON_TYPE_OBJECT)) {
		shape(r, field, "not_an_object", "A media item must be an object.");
		return;
	}
	known_check(r->problems, object, field,
		    KNOWN("url", "media_id", "type", "alt_text", "thumbnail_url", "mime_type",
			  "duration", "fit"));
	media_address_read(r, object, field, media);
	media_type_read(r, object, field, media);
	text_get(r, object, "alt_text", field, &media->alt_text);
	text_get(r, object, "mime_type", field, &media->mime_type);
	if (text_get(r, object, "thumbnail_url", field, &media->thumbnail_url) &&
	    !media_id_is(media->thumbnail_url))
		publish_media_url_judge(r->media_url_check, path(r, field, "thumbnail_url"),
					media->thumbnail_url, r->problems);
	media_duration_read(r, object, field, media);
	media->fit = fit_read(r, object, field);
}

static void media_read(const struct reader *r, const struct json *object, struct str parent,
		       struct container *container)
{
	const struct json *list = list_get(r, object, "media", parent);
	if (list == NULL)
		return;
	const struct str field = path(r, parent, "media");
	if (list->count > POST_MEDIA_MAX)
		shape(r, field, "too_many", "A container can have at most 35 media items.");
	container->media_count = list->count < POST_MEDIA_MAX ? list->count : POST_MEDIA_MAX;
	container->media = ARENA_ARRAY(r->arena, struct media, container->media_count);
	for (size_t i = 0; i < container->media_count; i++)
		media_item_read(r, json_at(list, i), path_at(r, field, i), &container->media[i]);
}

/* ---- containers ---- */

static void content_length_check(const struct reader *r, struct str field, struct str content)
{
	if (content.len > POST_CONTENT_MAX_BYTES)
		shape(r, field, "text_too_long", "The content is longer than 100,000 bytes.");
}

static void type_read(const struct reader *r, const struct json *object, struct str parent,
		      enum post_type *type_out)
{
	struct str name = {0};
	if (!text_get(r, object, "type", parent, &name))
		return;
	*type_out = post_type_of_name(name);
	if (*type_out == POST_TYPE_NONE)
		shape(r, path(r, parent, "type"), "unknown_type",
		      "The type must be one of post, video, story, carousel, article. For a reel, "
		      "use video.");
}

/* type_out: NULL for any but the first, which alone may have one. */
static void container_read(const struct reader *r, const struct json *object, struct str field,
			   struct container *container, enum post_type *type_out)
{
	if (!json_is(object, JSON_TYPE_OBJECT)) {
		shape(r, field, "not_an_object", "A container must be an object.");
		return;
	}
	known_check(r->problems, object, field, KNOWN("type", "content", "media"));
	if (type_out != NULL)
		type_read(r, object, field, type_out);
	else if (!json_is_null(json_get(object, "type")))
		shape(r, path(r, field, "type"), "type_not_allowed",
		      "Only the first container may have a type.");
	media_read(r, object, field, container);
	const struct str content_field = path(r, field, "content");
	if (text_get(r, object, "content", field, &container->content)) {
		content_length_check(r, content_field, container->content);
		if (str_is_empty(container->content) && container->media_count == 0)
			shape(r, content_field, "required",
			      "The content may only be empty if there is media.");
	} else if (json_is_null(json_get(object, "content"))) {
		shape(r, content_field, "required", "A container needs content.");
	}
}

struct container_list {
	struct container *items;
	size_t count;
	enum post_type type; /* of the first */
};

/* Empty when it has a wrong length, which was told. */
static struct container_list containers_read(const struct reader *r, const struct json *json,
					     struct str field)
{
	struct container_list list = {0};
	if (json->count == 0 || json->count > POST_CONTAINERS_MAX) {
		shape(r, field, json->count == 0 ? "required" : "too_many",
		      "A post must have 1 to 10 containers.");
		return list;
	}
	list.count = json->count;
	list.items = ARENA_ARRAY(r->arena, struct container, list.count);
	for (size_t i = 0; i < list.count; i++)
		container_read(r, json_at(json, i), path_at(r, field, i), &list.items[i],
			       i == 0 ? &list.type : NULL);
	return list;
}

static void advanced_read(const struct reader *r, const struct json *body,
			  const struct json *containers, struct post_content *content)
{
	static const char *const overruled[] = {"content", "media", "type"};
	content->mode = POST_MODE_ADVANCED;
	for (size_t i = 0; i < COUNT_OF(overruled); i++) {
		if (!json_is_null(json_get(body, overruled[i])))
			warn_ignored(r, str_of(overruled[i]),
				     "Ignored because containers are given.");
	}
	const struct container_list list = containers_read(r, containers, STR("containers"));
	content->containers = list.items;
	content->container_count = list.count;
	content->type = list.type;
}

/* Every account may have content of its own: whether it has is known with the accounts
 * (post_shape_is_empty). */
static bool has_overrides(const struct json *body)
{
	const struct json *overrides = json_get(body, "overrides");
	return json_is(overrides, JSON_TYPE_OBJECT) && overrides->count > 0;
}

static void basic_read(const struct reader *r, const struct json *body,
		       struct post_content *content)
{
	struct container *container = ARENA_NEW(r->arena, struct container);
	content->mode = POST_MODE_BASIC;
	content->containers = container;
	content->container_count = 1;
	type_read(r, body, (struct str){0}, &content->type);
	media_read(r, body, (struct str){0}, container);
	if (text_get(r, body, "content", (struct str){0}, &container->content))
		content_length_check(r, STR("content"), container->content);
	else if (!json_is_null(json_get(body, "content")))
		return; /* of a wrong type, which was told */
	const struct json *media = json_get(body, "media");
	const bool is_media_wrong = !json_is_null(media) && !json_is(media, JSON_TYPE_ARRAY);
	if (str_is_empty(container->content) && container->media_count == 0 && !is_media_wrong &&
	    !has_overrides(body))
		shape(r, STR("content"), "required", "A post needs content, media or containers.");
}

static void content_read(const struct reader *r, const struct json *body,
			 struct post_content *content)
{
	const struct json *containers = json_get(body, "containers");
	if (json_is_null(containers))
		basic_read(r, body, content);
	else if (json_is(containers, JSON_TYPE_ARRAY))
		advanced_read(r, body, containers, content);
	else
		shape(r, STR("containers"), "not_a_list", "This must be a list.");
}

/* ---- platforms ---- */

/* A key by its own slug wins over the other name of the same platform. */
static bool slug_is_second_name(const struct json *platforms, struct str key, const char *slug)
{
	return !str_equal_z(key, slug) && !json_is_null(json_get(platforms, slug));
}

/* The same object with our slugs as keys and without what is null or unknown. */
static const struct json *options_read(const struct reader *r, const struct json *body)
{
	const struct json *given = json_get(body, "platforms");
	if (json_is_null(given))
		return NULL;
	if (!json_is(given, JSON_TYPE_OBJECT)) {
		shape(r, STR("platforms"), "not_an_object", "This must be an object.");
		return NULL;
	}
	struct json *options = ARENA_NEW(r->arena, struct json);
	struct json *items = ARENA_ARRAY(r->arena, struct json, given->count);
	struct str *keys = ARENA_ARRAY(r->arena, struct str, given->count);
	*options = (struct json){.type = JSON_TYPE_OBJECT, .items = items, .keys = keys};
	for (size_t i = 0; i < given->count; i++) {
		const struct json *item = &given->items[i];
		const char *slug = platform_id_slug(platform_id_of_slug(given->keys[i]));
		const struct str field =
			str_format(r->arena, "platforms." STR_FMT, STR_ARG(given->keys[i]));
		if (*slug == '\0') {
			warn_ignored(r, field, "Unknown platform; its options were ignored.");
		} else if (json_is_null(item)) {
			continue;
		} else if (!json_is(item, JSON_TYPE_OBJECT)) {
			shape(r, field, "not_an_object",
			      "The options of a platform must be an object.");
		} else if (slug_is_second_name(given, given->keys[i], slug)) {
			warn_ignored(
				r, field,
				"This platform's options are given twice; these were ignored.");
		} else {
			keys[options->count] = str_of(slug);
			items[options->count++] = *item;
		}
	}
	return options;
}

/* ---- overrides ---- */

static bool is_any_given(const struct json *object, const char *const *names)
{
	for (; *names != NULL; names++) {
		if (!json_is_null(json_get(object, *names)))
			return true;
	}
	return false;
}

static void override_options_read(const struct reader *r, const struct json *object,
				  struct str field, struct post_override *entry)
{
	const struct json *options = json_get(object, "options");
	if (json_is_null(options))
		return;
	if (json_is(options, JSON_TYPE_OBJECT))
		entry->options = options;
	else
		shape(r, path(r, field, "options"), "not_an_object", "This must be an object.");
}

static void override_content_read(const struct reader *r, const struct json *object,
				  struct str field, struct post_override *entry)
{
	const struct json *containers = list_get(r, object, "containers", field);
	const bool has_root_words = is_any_given(object, KNOWN("content", "media", "type"));
	const struct str containers_field = path(r, field, "containers");
	if (containers != NULL && has_root_words) {
		shape(r, containers_field, "exclusive",
		      "Give either containers, or content, media and type.");
		return;
	}
	if (containers != NULL) {
		const struct container_list list = containers_read(r, containers, containers_field);
		entry->containers = list.items;
		entry->container_count = list.count;
		entry->type = list.type;
		return;
	}
	type_read(r, object, field, &entry->type);
	entry->has_media = json_is(json_get(object, "media"), JSON_TYPE_ARRAY);
	media_read(r, object, field, &entry->first);
	entry->has_content = text_get(r, object, "content", field, &entry->first.content);
	content_length_check(r, path(r, field, "content"), entry->first.content);
}

static void override_read(const struct reader *r, const struct json *object, struct str field,
			  struct post_override *entry)
{
	if (!json_is(object, JSON_TYPE_OBJECT)) {
		shape(r, field, "not_an_object", "An entry of overrides must be an object.");
		return;
	}
	known_check(r->problems, object, field,
		    KNOWN("content", "media", "containers", "type", "options", "fit"));
	if (!is_any_given(object,
			  KNOWN("content", "media", "containers", "type", "options", "fit")))
		shape(r, field, "empty",
		      "An entry of overrides needs content, media, containers, type, options or "
		      "fit.");
	override_content_read(r, object, field, entry);
	override_options_read(r, object, field, entry);
	entry->fit = fit_read(r, object, field);
}

static bool override_is_repeated(const struct post_content *content, struct str key)
{
	for (size_t i = 0; i < content->override_count; i++) {
		if (str_equal(content->overrides[i].key, key))
			return true;
	}
	return false;
}

static void overrides_read(const struct reader *r, const struct json *body,
			   struct post_content *content)
{
	const struct json *given = json_get(body, "overrides");
	if (json_is_null(given))
		return;
	if (!json_is(given, JSON_TYPE_OBJECT)) {
		shape(r, STR("overrides"), "not_an_object", "This must be an object.");
		return;
	}
	if (given->count > POST_OVERRIDES_MAX) {
		shape(r, STR("overrides"), "too_many", "There can be at most 106 overrides.");
		return;
	}
	struct post_override *entries = ARENA_ARRAY(r->arena, struct post_override, given->count);
	content->overrides = entries;
	for (size_t i = 0; i < given->count; i++) {
		const enum platform_id platform = platform_id_of_slug(given->keys[i]);
		const struct str key = platform != PLATFORM_NONE
					       ? str_of(platform_id_slug(platform))
					       : given->keys[i];
		const struct str field =
			str_format(r->arena, "overrides." STR_FMT, STR_ARG(given->keys[i]));
		if (override_is_repeated(content, key)) {
			shape(r, field, "duplicate", "This platform is listed twice.");
			continue;
		}
		struct post_override *entry = &entries[content->override_count++];
		*entry = (struct post_override){.key = key, .platform = platform};
		override_read(r, &given->items[i], field, entry);
	}
}

void publish_overrides_check(const struct post_content *content,
			     const struct publish_target *targets, size_t count,
			     struct problems *problems)
{
	for (size_t i = 0; i < content->override_count; i++) {
		const struct post_override *entry = &content->overrides[i];
		bool is_target = false;
		for (size_t k = 0; k < count; k++)
			is_target |= entry->platform != PLATFORM_NONE
					     ? entry->platform == targets[k].platform ||
						       targets[k].platform == PLATFORM_NONE
					     : str_equal(entry->key, targets[k].account_id);
		if (!is_target)
			problem_add(problems, PROBLEM_SHAPE,
				    str_format(problems->arena, "overrides." STR_FMT,
					       STR_ARG(entry->key)),
				    "not_a_target",
				    STR("A key of overrides must be a platform or an account that "
					"this post goes to."));
	}
}

/* ---- the rest of the root ---- */

static void request_id_check(const struct reader *r, struct str request_id)
{
	if (!utf8_is_valid(request_id) || utf8_has_control(request_id) ||
	    str_is_empty(request_id) || utf8_code_points(request_id) > REQUEST_ID_MAX_CHARACTERS)
		shape(r, STR("request_id"), "bad_request_id",
		      "A request_id must be 1 to 128 characters, without control characters.");
}

static struct str request_id_read(const struct reader *r, const struct json *body,
				  struct str other_request_id)
{
	struct str request_id = other_request_id;
	if (text_get(r, body, "request_id", (struct str){0}, &request_id))
		request_id_check(r, request_id);
	return request_id;
}

static bool account_is_repeated(const struct publish_request *request, struct str id)
{
	for (size_t i = 0; i < request->account_count; i++) {
		if (str_equal(request->account_ids[i], id))
			return true;
	}
	return false;
}

static void accounts_read(const struct reader *r, const struct json *body,
			  struct publish_request *request)
{
	const struct json *list = list_get(r, body, "account_ids", (struct str){0});
	if (list == NULL && !json_is_null(json_get(body, "account_ids")))
		return; /* of a wrong type, which was told */
	if (list == NULL || list->count == 0 || list->count > POST_ACCOUNTS_MAX) {
		shape(r, STR("account_ids"),
		      list != NULL && list->count > 0 ? "too_many" : "required",
		      "A post must have 1 to 100 accounts.");
		return;
	}
	request->account_ids = ARENA_ARRAY(r->arena, struct str, list->count);
	for (size_t i = 0; i < list->count; i++) {
		const struct str field = path_at(r, STR("account_ids"), i);
		const struct json *item = json_at(list, i);
		if (!json_is(item, JSON_TYPE_STRING))
			shape(r, field, "not_text", "An account id must be a string.");
		else if (account_is_repeated(request, item->string))
			shape(r, field, "duplicate", "This account is listed twice.");
		else
			request->account_ids[request->account_count++] = item->string;
	}
}

static void schedule_problem(struct problems *problems, const char *reason, const char *message)
{
	problem_add(problems, PROBLEM_SCHEDULE, STR("scheduled_at"), reason, str_of(message));
}

/* Minutes ahead of UTC that "+09:00" says; false when the text is no such offset. */
static bool read_offset(struct str text, int64_t *minutes_out)
{
	int64_t hours = 0, minutes = 0;
	if (text.len != OFFSET_LEN || text.ptr[3] != ':' ||
	    (text.ptr[0] != '+' && text.ptr[0] != '-') ||
	    !str_parse_i64(str_slice(text, 1, 3), &hours) ||
	    !str_parse_i64(str_slice(text, 4, OFFSET_LEN), &minutes) || hours < 0 || hours > 14 ||
	    minutes < 0 || minutes > 59)
		return false;
	*minutes_out = (text.ptr[0] == '+' ? 1 : -1) * (hours * 60 + minutes);
	return true;
}

/* Who writes a time with an offset is told the same in UTC. */
static void not_an_instant(struct problems *problems, struct str text)
{
	struct arena *arena = problems->arena;
	int64_t at_us = 0, minutes = 0;
	const size_t end = text.len > OFFSET_LEN ? text.len - OFFSET_LEN : 0;
	if (!read_offset(str_slice(text, end, text.len), &minutes) ||
	    !timetext_parse_instant(str_concat(arena, str_slice(text, 0, end), STR("Z")), &at_us)) {
		schedule_problem(problems, "bad_instant",
				 "Write the time like this: 2026-11-21T15:04:05Z.");
		return;
	}
	const struct str utc = timetext_format_instant(arena, at_us - minutes * US_PER_MINUTE);
	problem_add(problems, PROBLEM_SCHEDULE, STR("scheduled_at"), "bad_instant",
		    str_format(arena, "Write the time in UTC: " STR_FMT ".", STR_ARG(utc)));
}

int64_t publish_schedule_read(const struct json *value, int64_t now_us, struct problems *problems)
{
	int64_t at_us = 0;
	if (json_is_null(value))
		return 0;
	if (!timetext_parse_instant(json_string(value), &at_us)) {
		not_an_instant(problems, json_string(value));
		return 0;
	}
	if (at_us < now_us - SCHEDULE_PAST_TOLERANCE_US)
		schedule_problem(problems, "in_the_past", "The scheduled time has passed.");
	else if (at_us > now_us + SCHEDULE_AHEAD_MAX_US)
		schedule_problem(problems, "too_far_ahead",
				 "The scheduled time is more than 5 years ahead.");
	return at_us > now_us ? at_us : 0;
}

static int64_t max_lateness_read(const struct reader *r, const struct json *body)
{
	const struct json *value = json_get(body, "max_lateness");
	if (json_is_null(value))
		return 0;
	if (json_is(value, JSON_TYPE_INT) && value->integer >= MAX_LATENESS_LEAST_S &&
	    value->integer <= MAX_LATENESS_MOST_S)
		return value->integer;
	shape(r, STR("max_lateness"), "out_of_range",
	      "The max_lateness must be a whole number of seconds from 60 to 2592000.");
	return 0;
}

void publish_request_read(struct arena *arena, const struct json *body, struct str other_request_id,
			  int64_t now_us, const struct media_url_check *media_url_check,
			  struct publish_request *request_out, struct problems *problems)
{
	const struct reader r = {arena, media_url_check, now_us, problems};
	*request_out = (struct publish_request){0};
	if (!json_is(body, JSON_TYPE_OBJECT)) {
		shape(&r, STR("body"), "not_an_object", "The request body must be an object.");
		return;
	}
	known_check(problems, body, STR(""),
		    KNOWN("request_id", "account_ids", "content", "media", "containers",
			  "platforms", "scheduled_at", "type", "max_lateness", "overrides"));
	request_out->request_id = request_id_read(&r, body, other_request_id);
	accounts_read(&r, body, request_out);
	content_read(&r, body, &request_out->content);
	request_out->content.options = options_read(&r, body);
	overrides_read(&r, body, &request_out->content);
	request_out->scheduled_at_us =
		publish_schedule_read(json_get(body, "scheduled_at"), now_us, problems);
	request_out->max_lateness_s = max_lateness_read(&r, body);
}

/* ---- a change ---- */

static void patch_first(const struct reader *r, const struct json *patch,
			struct post_content *content)
{
	struct container *containers =
		ARENA_ARRAY(r->arena, struct container, content->container_count);
	memcpy(containers, content->containers, content->container_count * sizeof(*containers));
	content->containers = containers;
	type_read(r, patch, (struct str){0}, &content->type);
	if (json_is(json_get(patch, "media"), JSON_TYPE_ARRAY))
		containers[0].media_count = 0;
	media_read(r, patch, (struct str){0}, &containers[0]);
	text_get(r, patch, "content", (struct str){0}, &containers[0].content);
	content_length_check(r, STR("content"), containers[0].content);
}

static void patch_containers(const struct reader *r, const struct json *patch,
			     struct post_content *content)
{
	static const char *const of_basic[] = {"content", "media", "type"};
	for (size_t i = 0; i < COUNT_OF(of_basic); i++) {
		if (json_get(patch, of_basic[i]) != NULL)
			shape(r, str_of(of_basic[i]), "exclusive",
			      "A post of containers has content, media and type in them. Send "
			      "containers.");
	}
	const struct json *containers = list_get(r, patch, "containers", (struct str){0});
	if (containers != NULL)
		advanced_read(r, patch, containers, content);
}

void publish_patch_read(struct arena *arena, const struct json *patch, int64_t now_us,
			const struct media_url_check *media_url_check, struct post_content *content,
			struct problems *problems)
{
	const struct reader r = {arena, media_url_check, now_us, problems};
	if (content->mode == POST_MODE_ADVANCED || json_get(patch, "containers") != NULL)
		patch_containers(&r, patch, content);
	else
		patch_first(&r, patch, content);
	if (json_get(patch, "platforms") != NULL)
		content->options = options_read(&r, patch);
	if (json_get(patch, "overrides") == NULL)
		return;
	content->override_count = 0;
	overrides_read(&r, patch, content);
}
