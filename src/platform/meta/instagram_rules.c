/* SPDX-License-Identifier: Apache-2.0
 * What Instagram takes (meta.md 4.1, 5, 8): types of posts, files, options, tags. Only
 * what is certain stands here; the rest Instagram refuses for itself. */
#include "instagram_adapter.h"

#include "arena.h"
#include "count_of.h"

#include "json.h"

#include "media_id.h"

#define HASHTAGS_MAX 30       /* meta.md 5 */
#define HASHTAGS_OF_THE_APP 5 /* meta.md 5: announced for the app; not known for the API */
#define MENTIONS_MAX 20
#define USER_TAGS_MAX 20 /* meta.md 6.3, 2207040 */
#define CAROUSEL_TAGS_MAX (10 * USER_TAGS_MAX)
#define MIB (INT64_C(1) << 20)

static const struct type_rule instagram_types[] = {
	{.type = POST_TYPE_POST,
	 .images_min = 1,
	 .images_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "One JPEG image, fetched by Meta from its URL."},
	{.type = POST_TYPE_VIDEO,
	 .videos_min = 1,
	 .videos_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "One video, which becomes a reel."},
	{.type = POST_TYPE_CAROUSEL,
	 .images_max = 10,
	 .videos_max = 10,
	 .media_min = 2,
	 .media_max = 10,
	 .summary = "2 to 10 images and videos, mixed as you like."},
	{.type = POST_TYPE_STORY,
	 .images_max = 1,
	 .videos_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "One image or video for 24 hours. Text is not shown, and there are no "
		    "comments."},
	{.type = POST_TYPE_NONE},
};

/* ---- files (meta.md 5) ---- */

#define JPEG MEDIA_TYPE_BIT(SNIFF_JPEG)
#define MP4_OR_MOV (MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV))

static const struct media_rule feed_image_rule = {
	.what = "an image on Instagram",
	.types = JPEG,
	.types_text = "JPEG",
	.size_max_bytes = 8 * MIB,
	.ratio_min_permille = 800,
	.ratio_max_permille = 1910,
};

/* No hard ratio. */
static const struct media_rule story_image_rule = {
	.what = "an image in a story on Instagram",
	.types = JPEG,
	.types_text = "JPEG",
	.size_max_bytes = 8 * MIB,
};

/* 5.1, "Reel" of Instagram. */
static const struct film_rule film_rule = {
	.videos = FILM_CODEC_BIT(FILM_CODEC_H264) | FILM_CODEC_BIT(FILM_CODEC_HEVC),
	.audios = FILM_CODEC_BIT(FILM_CODEC_AAC),
	.frame_rate_max = 60,
	.width_max = 1920,
	.wants_common_colours = true,
	.wants_index_first = true,
};

static const struct media_rule reel_rule = {
	.what = "a video on Instagram",
	.types = MP4_OR_MOV,
	.types_text = "MP4 or MOV",
	.size_max_bytes = 300 * MIB,
	.duration_min_ms = 3000,
	.duration_max_ms = 15 * 60 * 1000,
	.film = &film_rule,
};

static const struct media_rule story_video_rule = {
	.what = "a video in a story on Instagram",
	.types = MP4_OR_MOV,
	.types_text = "MP4 or MOV",
	.size_max_bytes = 100 * MIB,
	.duration_min_ms = 3000,
	.duration_max_ms = 60 * 1000,
	.film = &film_rule,
};

const struct media_rule instagram_cover_rule = {
	.what = "the cover of a reel",
	.types = JPEG,
	.types_text = "JPEG",
	.size_max_bytes = 8 * MIB,
};

const struct media_rule *instagram_media_rule(enum post_type type, enum media_type media_type)
{
	const bool is_story = type == POST_TYPE_STORY;
	if (media_type == MEDIA_VIDEO)
		return is_story ? &story_video_rule : &reel_rule;
	return is_story ? &story_image_rule : &feed_image_rule;
}

/* ---- options (meta.md 8) ---- */

static const struct option_rule instagram_options[] = {
	{"location_id", OPTION_STRING, 0, NULL, "The id of a Page that has a location."},
	{"collaborators", OPTION_STRING_LIST, 3, NULL, "Up to 3 usernames."},
	{"user_tags", OPTION_OBJECT_LIST, CAROUSEL_TAGS_MAX, NULL,
	 "Who is in it: up to 20 of {username, x, y}; a reel takes no x and y. In a carousel up to "
	 "20 for each image, whose number from 0 is media (0 when not given)."},
	{"share_to_feed", OPTION_BOOL, 0, NULL, "Reels: show it in the feed too."},
	{"cover_url", OPTION_STRING, 2048, NULL,
	 "Reels: the address of the cover; goes before thumbnail_url."},
	{"thumb_offset", OPTION_INT, 15 * 60 * 1000, NULL,
	 "Reels: the millisecond whose picture is the cover."},
	{"audio_name", OPTION_STRING, 0, NULL, "Reels: the name of the sound."},
	{"audio_configuration", OPTION_OBJECT, 0, NULL,
	 "Reels: {audio_id, audio_volume, video_volume}."},
	{"trial_params", OPTION_OBJECT, 0, NULL,
	 "Reels: {graduation_strategy}: MANUAL or SS_PERFORMANCE."},
	{"is_ai_generated", OPTION_BOOL, 0, NULL, "Say that it is machine-made."},
	{"is_paid_partnership", OPTION_BOOL, 0, NULL, "Say that it is paid for."},
	{"branded_content_sponsor_ids", OPTION_STRING_LIST, 2, NULL, "Up to 2 sponsors."},
	{"product_tags", OPTION_OBJECT_LIST, 5, NULL,
	 "Images and reels: up to 5 of {product_id, x, y}; needs further permissions."},
	{.name = NULL},
};

#define POSTS (INSTAGRAM_IMAGE | INSTAGRAM_REEL | INSTAGRAM_CAROUSEL)

/* In the order of the table above. */
static const unsigned option_places[] = {
	POSTS,
	POSTS,
	/* of a carousel the images have them, not what is around them */
	INSTAGRAM_IMAGE | INSTAGRAM_REEL | INSTAGRAM_STORY | INSTAGRAM_CHILD_IMAGE,
	INSTAGRAM_REEL,
	INSTAGRAM_REEL,
	INSTAGRAM_REEL,
	INSTAGRAM_REEL,
	INSTAGRAM_REEL,
	INSTAGRAM_REEL,
	POSTS,
	POSTS,
	POSTS,
	INSTAGRAM_IMAGE | INSTAGRAM_REEL,
};

#define OPTION_COUNT (COUNT_OF(instagram_options) - 1)

_Static_assert(COUNT_OF(option_places) == OPTION_COUNT, "each option has its places");

bool instagram_option_belongs(const struct option_rule *option, enum instagram_place place)
{
	return (option_places[option - instagram_options] & (unsigned)place) != 0;
}

/* The place of the container that is published. */
static enum instagram_place post_place(enum post_type type)
{
	switch (type) {
	case POST_TYPE_VIDEO:
		return INSTAGRAM_REEL;
	case POST_TYPE_STORY:
		return INSTAGRAM_STORY;
	case POST_TYPE_CAROUSEL:
		return INSTAGRAM_CAROUSEL;
	case POST_TYPE_NONE:
	case POST_TYPE_POST:
	case POST_TYPE_ARTICLE:
	case POST_TYPE_COUNT:
		break;
	}
	return INSTAGRAM_IMAGE;
}

/* ---- the check at publish time ---- */

struct check {
	const struct post_content *post;
	enum post_type type;
	const struct rules_account *account;
	struct problems *problems;
};

static void refuse(const struct check *check, struct str field, const char *reason, int64_t limit,
		   int64_t actual, struct str message)
{
	problem_add_rule(check->problems, field, reason, check->account->id, limit, actual,
			 message);
}

static struct str option_field(const struct check *check, const char *name)
{
	return str_format(check->problems->arena, "platforms.instagram.%s", name);
}

/* Signs followed by a letter, digit, underscore or anything that is not ASCII. */
static int64_t tag_count(struct str text, char sign)
{
	int64_t count = 0;
	for (size_t i = 0; i + 1 < text.len; i++) {
		const char next = text.ptr[i + 1];
		const bool is_word = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
				     (next >= '0' && next <= '9') || next == '_' ||
				     (next & 0x80) != 0;
		count += text.ptr[i] == sign && is_word;
	}
	return count;
}

static void check_tags(const struct check *check)
{
	const struct str caption = check->post->containers[0].content;
	const struct str field = rules_field(check->problems->arena, check->post, 0, "content");
	const int64_t hashtags = tag_count(caption, '#');
	const int64_t mentions = tag_count(caption, '@');
	if (hashtags > HASHTAGS_MAX)
		refuse(check, field, "too_many_hashtags", HASHTAGS_MAX, hashtags,
		       STR("Instagram allows at most 30 hashtags."));
	else if (hashtags > HASHTAGS_OF_THE_APP)
		warning_add(check->problems, field, "many_hashtags",
			    STR("Instagram's app allows only 5 hashtags; more may be refused."));
	if (mentions > MENTIONS_MAX)
		refuse(check, field, "too_many_mentions", MENTIONS_MAX, mentions,
		       STR("Instagram allows at most 20 mentions."));
}

static void check_files(const struct check *check)
{
	const struct container *post = &check->post->containers[0];
	for (size_t i = 0; i < post->media_count; i++)
		media_rule_check_said(instagram_media_rule(check->type, post->media[i].type),
				      check->post, i, check->account, check->problems);
}

/* A story shows no caption and takes no comments (meta.md 4.1, 4.5). */
static void check_story(const struct check *check)
{
	const int64_t comments = (int64_t)check->post->container_count - 1;
	if (!str_is_empty(str_trim(check->post->containers[0].content)))
		warning_add(check->problems,
			    rules_field(check->problems->arena, check->post, 0, "content"),
			    "ignored",
			    STR("Instagram does not show text in stories; it was ignored."));
	if (comments > 0)
		refuse(check, STR("containers.1"), "comments_not_supported", 0, comments,
		       STR("A story on Instagram cannot be commented on."));
}

/* An option that this type of post has no use for would change nothing, silently. */
static void check_option_places(const struct check *check)
{
	const struct json *options = rules_options(check->post, PLATFORM_INSTAGRAM);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option_rule *option = &instagram_options[i];
		const bool is_of_children = check->type == POST_TYPE_CAROUSEL &&
					    instagram_option_belongs(option, INSTAGRAM_CHILD_IMAGE);
		if (json_is_null(json_get(options, option->name)) || is_of_children ||
		    instagram_option_belongs(option, post_place(check->type)))
			continue;
		warning_add(
			check->problems, option_field(check, option->name), "ignored",
			str_format(
				check->problems->arena,
				"A %s on Instagram does not support the option %s; it was ignored.",
				post_type_name(check->type), option->name));
	}
}

static bool is_share(const struct json *value)
{
	if (json_is(value, JSON_TYPE_INT))
		return value->integer == 0 || value->integer == 1;
	return json_is(value, JSON_TYPE_REAL) && value->real >= 0 && value->real <= 1;
}

/* A tag stands at a place in an image, nowhere in a reel, and in a story as you like (meta.md
 * 4.1). */
static const char *tag_complaint(const struct check *check, const struct json *tag)
{
	const enum post_type type = check->type;
	const struct json *x = json_get(tag, "x");
	const struct json *y = json_get(tag, "y");
	const struct json *media = json_get(tag, "media");
	const bool is_placed = !json_is_null(x) || !json_is_null(y);
	const bool needs_place = type == POST_TYPE_POST || type == POST_TYPE_CAROUSEL;
	const struct container *post = &check->post->containers[0];
	if (str_is_empty(json_string(json_get(tag, "username"))))
		return "Each entry of user_tags needs a username.";
	if (type == POST_TYPE_VIDEO && is_placed)
		return "In a reel, entries of user_tags must not have x and y.";
	if ((needs_place || is_placed) && type != POST_TYPE_VIDEO && (!is_share(x) || !is_share(y)))
		return "Each entry of user_tags needs x and y from 0 to 1.";
	if (type != POST_TYPE_CAROUSEL)
		return json_is_null(media)
			       ? NULL
			       : "Only in a carousel do entries of user_tags have media.";
	const int64_t index = json_is_null(media) ? 0 : json_int(media, -1);
	return index >= 0 && index < (int64_t)post->media_count &&
			       post->media[index].type == MEDIA_IMAGE
		       ? NULL
		       : "In a carousel, media of user_tags must be the number of an image, from "
			 "0.";
}

static bool has_too_many_tags(const struct check *check, const struct json *tags)
{
	for (size_t image = 0; image < check->post->containers[0].media_count; image++) {
		int64_t count = 0;
		for (size_t i = 0; i < tags->count; i++)
			count += json_int(json_get(&tags->items[i], "media"), 0) == (int64_t)image;
		if (count > USER_TAGS_MAX)
			return true;
	}
	return false;
}

static void check_user_tags(const struct check *check)
{
	const struct json *tags =
		json_get(rules_options(check->post, PLATFORM_INSTAGRAM), "user_tags");
	const struct str field = option_field(check, "user_tags");
	if (!json_is(tags, JSON_TYPE_ARRAY))
		return;
	if (has_too_many_tags(check, tags))
		refuse(check, field, "option_too_large", USER_TAGS_MAX, (int64_t)tags->count,
		       STR("Instagram allows at most 20 user_tags for each image or reel."));
	for (size_t i = 0; i < tags->count; i++) {
		const char *complaint = tag_complaint(check, &tags->items[i]);
		if (complaint == NULL)
			continue;
		refuse(check, field, "bad_option", -1, -1, str_of(complaint));
		return;
	}
}

static void check_trial(const struct check *check)
{
	const struct json *trial =
		json_get(rules_options(check->post, PLATFORM_INSTAGRAM), "trial_params");
	const struct str strategy = json_string(json_get(trial, "graduation_strategy"));
	if (json_is(trial, JSON_TYPE_OBJECT) && !str_equal_z(strategy, "MANUAL") &&
	    !str_equal_z(strategy, "SS_PERFORMANCE"))
		refuse(check, option_field(check, "trial_params"), "bad_option", -1, -1,
		       STR("graduation_strategy must be MANUAL or SS_PERFORMANCE."));
}

static void check_cover(const struct check *check)
{
	const struct str cover =
		json_string(json_get(rules_options(check->post, PLATFORM_INSTAGRAM), "cover_url"));
	if (!str_is_empty(cover) && !media_address_is(cover))
		refuse(check, option_field(check, "cover_url"), "bad_option", -1, -1,
		       STR("cover_url must be an http or https URL."));
}

static void instagram_check(const struct post_content *post, enum post_type type,
			    const struct rules_account *account, struct problems *problems)
{
	const struct check check = {post, type, account, problems};
	if (type == POST_TYPE_STORY)
		check_story(&check);
	else
		check_tags(&check);
	check_files(&check);
	check_option_places(&check);
	check_user_tags(&check);
	check_trial(&check);
	check_cover(&check);
}

static const struct default_type default_types[] = {
	{0, 0, 1, 1, POST_TYPE_VIDEO},
	{2, POST_MEDIA_MAX, 0, POST_MEDIA_MAX, POST_TYPE_CAROUSEL},
	{0, POST_MEDIA_MAX, 2, POST_MEDIA_MAX, POST_TYPE_CAROUSEL},
	{1, POST_MEDIA_MAX, 1, POST_MEDIA_MAX, POST_TYPE_CAROUSEL},
	{.type = POST_TYPE_NONE},
};

const struct post_rules instagram_rules = {
	.types = instagram_types,
	.default_types = default_types,
	.text_unit = &rules_code_points,
	.text_max = 2200,
	.comment_text_max = 2200,
	.comments_max = POST_CONTAINERS_MAX - 1,
	.alt_text_max = 1000,
	.options = instagram_options,
	.check = instagram_check,
};
