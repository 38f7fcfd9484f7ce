/* SPDX-License-Identifier: Apache-2.0
 * The metadata of an upload to the simulated YouTube: checks and reading (youtube.md 2.1,
 * 2.5, 3, 4). */
#include "sandbox_youtube.h"

#include "count_of.h"
#include "timetext.h"

#include "utf8.h"

#define TITLE_MAX 100              /* section 3, characters */
#define DESCRIPTION_BYTES_MAX 5000 /* section 3, bytes */
#define TAGS_MAX 500               /* section 3, commas and quotes counted */

enum metadata_error {
	METADATA_TITLE,
	METADATA_DESCRIPTION,
	METADATA_TAGS,
	METADATA_CATEGORY,
	METADATA_PUBLISH_AT,
	METADATA_OTHER
};

/* The errors of section 4 that metadata can cause. */
static const struct {
	const char *reason;
	const char *message;
} metadata_errors[] = {
	[METADATA_TITLE] = {"invalidTitle",
			    "The request metadata specifies an invalid or empty video title."},
	[METADATA_DESCRIPTION] = {"invalidDescription",
				  "The request metadata specifies an invalid video description."},
	[METADATA_TAGS] = {"invalidTags", "The request metadata specifies invalid video keywords."},
	[METADATA_CATEGORY] = {"invalidCategoryId",
			       "The request metadata specifies an invalid category ID."},
	[METADATA_PUBLISH_AT] =
		{"invalidPublishAt",
		 "The request metadata specifies an invalid scheduled publishing time."},
	[METADATA_OTHER] = {"invalidVideoMetadata", "The request metadata is invalid."},
};

static bool refuse(struct sandbox_call *call, enum metadata_error error)
{
	sandbox_youtube_refuse(
		call,
		(struct youtube_error){400, metadata_errors[error].reason, "youtube.video", NULL},
		metadata_errors[error].message);
	return false;
}

static bool has_angle(struct str s)
{
	return str_find_char(s, '<', 0) != SIZE_MAX || str_find_char(s, '>', 0) != SIZE_MAX;
}

static bool is_title(const struct json *title)
{
	const struct str text = json_string(title);
	return !str_is_empty(str_trim(text)) && utf8_code_points(text) <= TITLE_MAX &&
	       !has_angle(text);
}

static bool is_description(const struct json *description)
{
	const struct str text = json_string(description);
	return json_is_null(description) || (json_is(description, JSON_TYPE_STRING) &&
					     text.len <= DESCRIPTION_BYTES_MAX && !has_angle(text));
}

/* Commas between tags count, and so do two quotes for a tag with a blank. */
static bool are_tags(const struct json *tags)
{
	if (json_is_null(tags))
		return true;
	if (!json_is(tags, JSON_TYPE_ARRAY))
		return false;
	size_t length = 0;
	for (size_t i = 0; i < tags->count; i++) {
		const struct str tag = json_string(json_at(tags, i));
		if (str_is_empty(tag) || has_angle(tag))
			return false;
		length += utf8_code_points(tag) + (i > 0) +
			  (str_find_char(tag, ' ', 0) != SIZE_MAX ? 2 : 0);
	}
	return length <= TAGS_MAX;
}

/* The categories that a video may have. */
static bool is_category(const struct json *category)
{
	static const char *const assignable[] = {"1",  "2",  "10", "15", "17", "19", "20", "22",
						 "23", "24", "25", "26", "27", "28", "29", NULL};
	return json_is_null(category) || sandbox_is_one_of(json_string(category), assignable);
}

static bool check_snippet(struct sandbox_call *call, const struct json *snippet)
{
	if (!is_title(json_get(snippet, "title")))
		return refuse(call, METADATA_TITLE);
	if (!is_description(json_get(snippet, "description")))
		return refuse(call, METADATA_DESCRIPTION);
	if (!are_tags(json_get(snippet, "tags")))
		return refuse(call, METADATA_TAGS);
	if (!is_category(json_get(snippet, "categoryId")))
		return refuse(call, METADATA_CATEGORY);
	return true;
}

static bool is_absent_or_one_of(const struct json *value, const char *const *words)
{
	return json_is_null(value) || sandbox_is_one_of(json_string(value), words);
}

/* publishAt requires privacyStatus private (2.5). */
static bool is_publish_at(const struct json *status, int64_t *publish_us_out)
{
	const struct json *publish_at = json_get(status, "publishAt");
	*publish_us_out = 0;
	if (json_is_null(publish_at))
		return true;
	return str_equal_z(json_string(json_get(status, "privacyStatus")), "private") &&
	       timetext_parse_instant(json_string(publish_at), publish_us_out);
}

static bool check_status(struct sandbox_call *call, const struct json *status)
{
	static const char *const privacies[] = {"public", "unlisted", "private", NULL};
	static const char *const licenses[] = {"youtube", "creativeCommon", NULL};
	static const char *const flags[] = {"selfDeclaredMadeForKids", "containsSyntheticMedia",
					    "embeddable", "publicStatsViewable"};
	if (!is_absent_or_one_of(json_get(status, "privacyStatus"), privacies) ||
	    !is_absent_or_one_of(json_get(status, "license"), licenses))
		return refuse(call, METADATA_OTHER);
	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		const struct json *flag = json_get(status, flags[i]);
		if (!json_is_null(flag) && !json_is(flag, JSON_TYPE_BOOL))
			return refuse(call, METADATA_OTHER);
	}
	int64_t publish_us;
	if (!is_publish_at(status, &publish_us))
		return refuse(call, METADATA_PUBLISH_AT);
	return true;
}

/* "part" must name every part in the body (2.1). */
static bool check_parts(struct sandbox_call *call, const struct json *body)
{
	for (size_t i = 0; i < body->count; i++) {
		if (str_equal_z(body->keys[i], "kind") ||
		    sandbox_youtube_has_part(call, str_z(call->arena, body->keys[i])))
			continue;
		sandbox_youtube_refuse(
			call, (struct youtube_error){400, "unexpectedPart", "youtube.part", NULL},
			str_z(call->arena, str_format(call->arena, "'" STR_FMT "' is not in part",
						      STR_ARG(body->keys[i]))));
		return false;
	}
	return true;
}

static struct str keep_json(struct sandbox_call *call, const struct json *value)
{
	if (json_is_null(value))
		return (struct str){0};
	struct buf text;
	buf_init(&text, call->arena, 64 * 1024);
	struct json_writer w;
	json_writer_init(&w, &text);
	json_put_value(&w, value);
	return sandbox_keep_str(call->sandbox, buf_str(&text));
}

static struct str keep_or(struct sandbox_call *call, const struct json *value, struct str fallback)
{
	return sandbox_keep_str(call->sandbox, json_is_null(value) ? fallback : json_string(value));
}

bool sandbox_youtube_metadata_check(struct sandbox_call *call, const struct json *body)
{
	const struct json *snippet = json_get(body, "snippet");
	return check_parts(call, body) && (json_is_null(snippet) || check_snippet(call, snippet)) &&
	       check_status(call, json_get(body, "status"));
}

struct youtube_video sandbox_youtube_metadata_read(struct sandbox_call *call,
						   const struct json *body)
{
	const struct json *snippet = json_get(body, "snippet");
	const struct json *status = json_get(body, "status");
	struct youtube_video video = {
		.title = keep_or(call, json_get(snippet, "title"), STR("unknown")),
		.description = keep_or(call, json_get(snippet, "description"), STR("")),
		.tags_json = keep_json(call, json_get(snippet, "tags")),
		.category_id = keep_or(call, json_get(snippet, "categoryId"), STR("22")),
		.privacy = keep_or(call, json_get(status, "privacyStatus"), STR("public")),
		.license = keep_or(call, json_get(status, "license"), STR("youtube")),
		.is_made_for_kids = json_bool(json_get(status, "selfDeclaredMadeForKids"), false),
		.has_made_for_kids = !json_is_null(json_get(status, "selfDeclaredMadeForKids")),
		.is_synthetic = json_bool(json_get(status, "containsSyntheticMedia"), false),
		.is_embeddable = json_bool(json_get(status, "embeddable"), true),
		.is_stats_viewable = json_bool(json_get(status, "publicStatsViewable"), true),
	};
	is_publish_at(status, &video.publish_us);
	return video;
}
