/* SPDX-License-Identifier: Apache-2.0
 * Reading a platform's rules against a post. The rules themselves stand in the platforms' files. */
#include "rules.h"

#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "count_of.h"

#include "json.h"
#include "utf8.h"

#include "media_id.h"
#include "post_shape.h"
#include "request_limits.h"

#include "platform.h"

#define LANGUAGE_MAX 35 /* RFC 5646 4.4.1 */

/* One target account's check. */
struct check {
	struct arena *arena;
	const struct platform *platform;
	const char *platform_name;
	const struct post_rules *rules;
	const struct post_content *post;
	const struct rules_account *account;
	struct problems *problems;
};

struct media_counts {
	int images;
	int videos;
};

static struct media_counts media_count(const struct container *container)
{
	struct media_counts counts = {0};
	for (size_t i = 0; i < container->media_count; i++) {
		if (container->media[i].type == MEDIA_VIDEO)
			counts.videos++;
		else
			counts.images++;
	}
	return counts;
}

/* ---- type ---- */

static bool is_between(int value, int min, int max)
{
	return value >= min && value <= max;
}

static enum post_type default_type(const struct platform *platform, const struct post_content *post)
{
	const struct media_counts counts = media_count(&post->containers[0]);
	const struct default_type *row = platform->rules->default_types;
	for (; row != NULL && row->type != POST_TYPE_NONE; row++) {
		if (is_between(counts.images, row->images_min, row->images_max) &&
		    is_between(counts.videos, row->videos_min, row->videos_max))
			return row->type;
	}
	return platform->rules->types[0].type;
}

static const struct type_rule *type_rule_find(const struct post_rules *rules, enum post_type type)
{
	for (const struct type_rule *rule = rules->types; rule->type != POST_TYPE_NONE; rule++) {
		if (rule->type == type)
			return rule;
	}
	return NULL;
}

static enum post_type wanted_type(const struct platform *platform, const struct post_content *post)
{
	return post->type != POST_TYPE_NONE ? post->type : default_type(platform, post);
}

enum post_type rules_post_type(const struct platform *platform, const struct post_content *post)
{
	const enum post_type type = wanted_type(platform, post);
	return type_rule_find(platform->rules, type) != NULL ? type : POST_TYPE_NONE;
}

/* ---- telling ---- */

struct str rules_field(struct arena *arena, const struct post_content *post, size_t container,
		       const char *member)
{
	return post->mode == POST_MODE_BASIC
		       ? str_of(member)
		       : str_format(arena, "containers.%zu.%s", container, member);
}

static struct str field_of(const struct check *check, size_t container, const char *member)
{
	return rules_field(check->arena, check->post, container, member);
}

static void refuse(const struct check *check, struct str field, const char *reason, int64_t limit,
		   int64_t actual, struct str message)
{
	problem_add_rule(check->problems, field, reason, check->account->id, limit, actual,
			 message);
}

/* ---- text ---- */

static int64_t code_points(struct str text)
{
	return (int64_t)utf8_code_points(text);
}

static int64_t utf16_units(struct str text)
{
	return (int64_t)utf8_utf16_units(text);
}

static int64_t bytes(struct str text)
{
	return (int64_t)text.len;
}

const struct text_unit rules_code_points = {"code_points", code_points};
const struct text_unit rules_utf16_units = {"utf16_units", utf16_units};
const struct text_unit rules_bytes = {"bytes", bytes};

static void check_text(const struct check *check, size_t container, int64_t max)
{
	const int64_t length =
		check->rules->text_unit->length(check->post->containers[container].content);
	if (length > max)
		refuse(check, field_of(check, container, "content"), "text_too_long", max, length,
		       str_format(check->arena,
				  "%s allows %" PRId64
				  " characters here; by its count this text has %" PRId64 ".",
				  check->platform_name, max, length));
}

static void check_text_required(const struct check *check, const struct type_rule *type)
{
	if (type->text_required && str_is_empty(str_trim(check->post->containers[0].content)))
		refuse(check, field_of(check, 0, "content"), "text_required", 1, 0,
		       str_format(check->arena, "A %s on %s needs text.",
				  post_type_name(type->type), check->platform_name));
}

/* ---- media ---- */

struct media_bound {
	const char *noun;
	const char *reason_few;
	const char *reason_many;
	int min, max;
	int actual;
};

static void check_media_bound(const struct check *check, size_t container, const char *where,
			      const struct media_bound *bound)
{
	if (is_between(bound->actual, bound->min, bound->max))
		return;
	const bool is_few = bound->actual < bound->min;
	const int limit = is_few ? bound->min : bound->max;
	refuse(check, field_of(check, container, "media"),
	       is_few ? bound->reason_few : bound->reason_many, limit, bound->actual,
	       str_format(check->arena, "%s on %s can have at %s %d %s; this one has %d.", where,
			  check->platform_name, is_few ? "least" : "most", limit, bound->noun,
			  bound->actual));
}

/* A post without media where some are needed, in one sentence: names what the platform takes, of
 * the type if the post names one, else of any. */
static bool told_no_media(const struct check *check, const struct type_rule *type,
			  struct media_counts counts)
{
	const bool needs_one =
		type->images_min == 1 || type->videos_min == 1 || type->media_min == 1;
	bool takes_images = type->images_max > 0;
	bool takes_videos = type->videos_max > 0;
	if (!needs_one || counts.images + counts.videos > 0)
		return false;
	for (const struct type_rule *other = check->rules->types;
	     check->post->type == POST_TYPE_NONE && other->type != POST_TYPE_NONE; other++) {
		takes_images = takes_images || other->images_max > 0;
		takes_videos = takes_videos || other->videos_max > 0;
	}
	const char *reason = type->images_min > 0   ? "too_few_images"
			     : type->videos_min > 0 ? "too_few_videos"
						    : "too_few_media";
	refuse(check, field_of(check, 0, "media"), reason, 1, 0,
	       str_format(check->arena, "%s needs %s%s%s: add one to media.", check->platform_name,
			  takes_images ? "a picture" : "",
			  takes_images && takes_videos ? " or " : "",
			  takes_videos ? "a video" : ""));
	return true;
}

/* Pictures where only a video goes, or the other way round, in one sentence. */
static bool told_wrong_kind(const struct check *check, const struct type_rule *type,
			    struct media_counts counts)
{
	const struct container *container = &check->post->containers[0];
	const bool no_pictures = type->images_max == 0 && counts.images > 0 && counts.videos == 0;
	const bool no_videos = type->videos_max == 0 && counts.videos > 0 && counts.images == 0;
	if ((!no_pictures || type->videos_max == 0) && (!no_videos || type->images_max == 0))
		return false;
	const enum media_type wrong = no_pictures ? MEDIA_IMAGE : MEDIA_VIDEO;
	size_t index = 0;
	while (container->media[index].type != wrong)
		index++;
	const char *takes = no_pictures ? type->videos_max == 1 ? "one video and no pictures"
								: "videos and no pictures"
			    : type->images_max == 1 ? "one picture and no video"
						    : "pictures and no video";
	refuse(check, field_of(check, 0, "media"),
	       no_pictures ? "too_many_images" : "too_many_videos", 0,
	       no_pictures ? counts.images : counts.videos,
	       str_format(check->arena, "The type %s on %s takes %s; media %zu is %s.",
			  post_type_name(type->type), check->platform_name, takes, index + 1,
			  no_pictures ? "an image" : "a video"));
	return true;
}

static void check_media(const struct check *check, const struct type_rule *type)
{
	const struct media_counts counts = media_count(&check->post->containers[0]);
	const struct str where =
		str_format(check->arena, "The type %s", post_type_name(type->type));
	const char *type_words = str_z(check->arena, where);
	const struct media_bound bounds[] = {
		{"images", "too_few_images", "too_many_images", type->images_min, type->images_max,
		 counts.images},
		{"videos", "too_few_videos", "too_many_videos", type->videos_min, type->videos_max,
		 counts.videos},
		{"media items", "too_few_media", "too_many_media", type->media_min, type->media_max,
		 counts.images + counts.videos},
	};
	if (told_no_media(check, type, counts) || told_wrong_kind(check, type, counts))
		return;
	for (size_t i = 0; i < COUNT_OF(bounds); i++)
		check_media_bound(check, 0, type_words, &bounds[i]);
}

static void check_alt_text(const struct check *check, size_t container, size_t index)
{
	const struct str alt_text = check->post->containers[container].media[index].alt_text;
	const int64_t length = (int64_t)utf8_code_points(alt_text);
	const int64_t max = check->rules->alt_text_max;
	const struct str member = str_format(check->arena, "media.%zu.alt_text", index);
	const struct str field = field_of(check, container, str_z(check->arena, member));
	if (length > 0 && max == 0)
		warning_add(check->problems, field, "ignored",
			    str_format(check->arena,
				       "%s does not support alt text here; it was ignored.",
				       check->platform_name));
	else if (length > max)
		refuse(check, field, "alt_text_too_long", max, length,
		       str_format(check->arena, "%s allows %" PRId64 " characters of alt text.",
				  check->platform_name, max));
}

static void check_alt_texts(const struct check *check)
{
	for (size_t i = 0; i < check->post->container_count; i++) {
		for (size_t j = 0; j < check->post->containers[i].media_count; j++)
			check_alt_text(check, i, j);
	}
}

/* ---- comments ---- */

static void check_comment(const struct check *check, size_t container)
{
	const struct container *comment = &check->post->containers[container];
	const struct media_counts counts = media_count(comment);
	const struct media_bound bounds[] = {
		{"images", "", "too_many_images", 0, check->rules->comment_images_max,
		 counts.images},
		{"videos", "", "too_many_videos", 0, check->rules->comment_videos_max,
		 counts.videos},
	};
	for (size_t i = 0; i < COUNT_OF(bounds); i++)
		check_media_bound(check, container, "A comment", &bounds[i]);
	check_text(check, container,
		   check->rules->comment_text_max_of != NULL
			   ? check->rules->comment_text_max_of(check->account)
			   : check->rules->comment_text_max);
	if (str_is_empty(str_trim(comment->content)) && counts.images + counts.videos == 0)
		refuse(check, field_of(check, container, "content"), "text_required", 1, 0,
		       STR("A comment needs text."));
}

static void check_comments(const struct check *check)
{
	const int64_t count = (int64_t)check->post->container_count - 1;
	const int64_t max = check->rules->comments_max;
	if (count > max) {
		refuse(check, max == 0 ? STR("containers.1") : STR("containers"),
		       max == 0 ? "comments_not_supported" : "too_many_comments", max, count,
		       max == 0
			       ? str_format(check->arena, "Comments cannot be made on %s.",
					    check->platform_name)
			       : str_format(check->arena, "%s allows at most %" PRId64 " comments.",
					    check->platform_name, max));
		return;
	}
	for (size_t i = 1; i < check->post->container_count; i++)
		check_comment(check, i);
}

/* ---- options ---- */

const struct json *rules_options(const struct post_content *post, enum platform_id platform)
{
	return json_get(post->options, platform_id_slug(platform));
}

static bool enum_has(const char *values, struct str value)
{
	struct str list = str_of(values);
	struct str one;
	while (str_take_field(&list, '|', &one)) {
		if (str_equal(one, value))
			return true;
	}
	return false;
}

/* "a string", "one of a|b": for the sentence. */
static struct str option_wants(const struct check *check, const struct option_rule *rule)
{
	static const char *const nouns[] = {
		[OPTION_STRING] = "a string",
		[OPTION_BOOL] = "true or false",
		[OPTION_INT] = "a whole number",
		[OPTION_STRING_LIST] = "a list of strings",
		[OPTION_OBJECT] = "an object",
		[OPTION_OBJECT_LIST] = "a list of objects",
		[OPTION_ENUM] = NULL,
	};
	return nouns[rule->type] != NULL ? str_of(nouns[rule->type])
					 : str_format(check->arena, "one of %s", rule->values);
}

static bool is_list_of(const struct json *list, enum json_type type)
{
	for (size_t i = 0; json_is(list, JSON_TYPE_ARRAY) && i < list->count; i++) {
		if (!json_is(&list->items[i], type))
			return false;
	}
	return json_is(list, JSON_TYPE_ARRAY);
}

static bool option_fits_type(const struct option_rule *rule, const struct json *value)
{
	switch (rule->type) {
	case OPTION_STRING:
		return json_is(value, JSON_TYPE_STRING);
	case OPTION_BOOL:
		return json_is(value, JSON_TYPE_BOOL);
	case OPTION_INT:
		return json_is(value, JSON_TYPE_INT) && value->integer >= 0;
	case OPTION_STRING_LIST:
		return is_list_of(value, JSON_TYPE_STRING);
	case OPTION_OBJECT:
		return json_is(value, JSON_TYPE_OBJECT);
	case OPTION_OBJECT_LIST:
		return is_list_of(value, JSON_TYPE_OBJECT);
	case OPTION_ENUM:
		return json_is(value, JSON_TYPE_STRING) && enum_has(rule->values, value->string);
	}
	return false;
}

/* What max counts. */
static int64_t option_size(const struct check *check, const struct option_rule *rule,
			   const struct json *value)
{
	switch (rule->type) {
	case OPTION_STRING:
		return check->rules->text_unit->length(value->string);
	case OPTION_INT:
		return value->integer;
	case OPTION_STRING_LIST:
	case OPTION_OBJECT_LIST:
		return (int64_t)value->count;
	case OPTION_BOOL:
	case OPTION_OBJECT:
	case OPTION_ENUM:
		return 0;
	}
	return 0;
}

static void check_option(const struct check *check, const struct option_rule *rule,
			 const struct json *value, struct str field)
{
	if (!option_fits_type(rule, value)) {
		refuse(check, field, "bad_option", -1, -1,
		       str_format(check->arena, "The option %s must be " STR_FMT ".", rule->name,
				  STR_ARG(option_wants(check, rule))));
		return;
	}
	const int64_t size = option_size(check, rule, value);
	if (rule->max > 0 && size > rule->max)
		refuse(check, field, "option_too_large", rule->max, size,
		       str_format(check->arena, "The option %s may be at most %" PRId64 ".",
				  rule->name, rule->max));
}

static const struct option_rule *option_find(const struct post_rules *rules, struct str name)
{
	for (const struct option_rule *rule = rules->options; rule->name != NULL; rule++) {
		if (str_equal_z(name, rule->name))
			return rule;
	}
	return NULL;
}

static void check_options(const struct check *check)
{
	const struct json *options = rules_options(check->post, check->platform->id);
	for (size_t i = 0; options != NULL && i < options->count; i++) {
		const struct option_rule *rule = option_find(check->rules, options->keys[i]);
		const struct json *value = &options->items[i];
		const struct str field =
			str_format(check->arena, "platforms.%s." STR_FMT, check->platform->slug,
				   STR_ARG(options->keys[i]));
		if (rule == NULL)
			warning_add(check->problems, field, "ignored",
				    str_format(check->arena,
					       "%s has no such option; it was ignored.",
					       check->platform_name));
		else if (!json_is_null(value))
			check_option(check, rule, value, field);
	}
}

static int64_t text_max(const struct check *check, const struct type_rule *type)
{
	if (type->text_max > 0)
		return type->text_max;
	return check->rules->text_max_of != NULL ? check->rules->text_max_of(check->account)
						 : check->rules->text_max;
}

/* ---- all of it ---- */

static void refuse_type(const struct check *check)
{
	const char *type = post_type_name(wanted_type(check->platform, check->post));
	refuse(check, field_of(check, 0, "type"), "type_not_supported", -1, -1,
	       str_format(check->arena, "Posts of type %s are not supported on %s.", type,
			  check->platform_name));
}

void rules_check(struct arena *arena, const struct platform *platform,
		 const struct post_content *post, const struct rules_account *account,
		 struct problems *problems)
{
	const struct check check = {
		.arena = arena,
		.platform = platform,
		.platform_name = platform_id_name(platform->id),
		.rules = platform->rules,
		.post = post,
		.account = account,
		.problems = problems,
	};
	const enum post_type type = rules_post_type(platform, post);
	if (type == POST_TYPE_NONE) {
		refuse_type(&check);
		return;
	}
	const struct type_rule *rule = type_rule_find(check.rules, type);
	check_media(&check, rule);
	check_text_required(&check, rule);
	check_text(&check, 0, text_max(&check, rule));
	check_alt_texts(&check);
	check_comments(&check);
	check_options(&check);
	if (check.rules->check != NULL)
		check.rules->check(post, type, account, problems);
}

void rules_check_subject(struct arena *arena, const struct post_content *root,
			 const struct rules_subject *subject, struct problems *problems)
{
	struct rules_account account = {.id = subject->account_id,
					.type = subject->type,
					.tiktok_privacy = subject->tiktok_privacy};
	struct post_shape shape;
	struct problems found;
	/* Unreadable data counts as unknown; the platform still checks the post itself. */
	if (!str_is_empty(subject->extra) &&
	    json_parse(arena, subject->extra, NULL, &account.extra, NULL, NULL) != ERR_NONE)
		account.extra = NULL;
	post_shape_of(arena, root, subject->platform, subject->account_id, &shape);
	if (post_shape_is_empty(&shape, problems))
		return;
	problems_init(&found, arena);
	rules_check(arena, platform_of(subject->platform), &shape.content, &account, &found);
	post_shape_report(&shape, &found, problems);
}

bool rules_word_is(struct str text, const char *others)
{
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      strchr(others, c) != NULL))
			return false;
	}
	return text.len > 0;
}

bool rules_caption_is(const struct json *caption)
{
	const struct str url = json_string(json_get(caption, "url"));
	const struct str language = json_string(json_get(caption, "language"));
	const struct json *name = json_get(caption, "name");
	return media_address_is(url) && url.len <= HTTP_URL_MAX_BYTES &&
	       language.len <= LANGUAGE_MAX && rules_word_is(language, "-") &&
	       (json_is_null(name) || json_is(name, JSON_TYPE_STRING));
}
