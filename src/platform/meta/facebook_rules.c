/* SPDX-License-Identifier: Apache-2.0
 * What a Page takes (meta.md 3, 5 and 8), as data and a few checks. Only what is
 * certain; for the rest Facebook refuses by itself. */
#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json.h"
#include "utf8.h"

#include "facebook_adapter.h"
#include "graph.h"

#define PRESET_TEXT_MAX 130 /* meta.md 5 */
#define MIB (INT64_C(1) << 20)
#define MS_PER_S 1000

/* ---- types and kinds ---- */

static const struct type_rule facebook_types[] = {
	{.type = POST_TYPE_POST,
	 .images_max = 10,
	 .videos_max = 1,
	 .media_max = 10,
	 .summary =
		 "Text, a link, up to 10 photos, or a video; an upright or square one of 3 to 90 "
		 "seconds becomes a reel."},
	{.type = POST_TYPE_VIDEO,
	 .videos_min = 1,
	 .videos_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "A reel: one upright or square video of 3 to 90 seconds."},
	{.type = POST_TYPE_STORY,
	 .images_max = 1,
	 .videos_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "A story: one photo, or one video of 3 to 60 seconds, without text."},
	{.type = POST_TYPE_CAROUSEL,
	 .images_min = 2,
	 .images_max = 10,
	 .media_min = 2,
	 .media_max = 10,
	 .summary = "2 to 10 photos."},
	{.type = POST_TYPE_NONE},
};

static bool has_video(const struct container *container)
{
	for (size_t i = 0; i < container->media_count; i++) {
		if (container->media[i].type == MEDIA_VIDEO)
			return true;
	}
	return false;
}

static bool has_image(const struct container *container)
{
	for (size_t i = 0; i < container->media_count; i++) {
		if (container->media[i].type == MEDIA_IMAGE)
			return true;
	}
	return false;
}

enum facebook_kind facebook_kind_of(const struct post_content *post, enum post_type type)
{
	const bool is_video = has_video(&post->containers[0]);
	if (type == POST_TYPE_STORY)
		return is_video ? FACEBOOK_VIDEO_STORY : FACEBOOK_PHOTO_STORY;
	if (type == POST_TYPE_VIDEO)
		return FACEBOOK_REEL;
	return is_video ? FACEBOOK_VIDEO : FACEBOOK_FEED;
}

/* ---- media (meta.md 5) ---- */

/* BMP is taken too, and is unknown to codec/sniff.h. */
const struct media_rule facebook_photo_rule = {
	.what = "a photo on Facebook",
	.types = MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_PNG) |
		 MEDIA_TYPE_BIT(SNIFF_GIF) | MEDIA_TYPE_BIT(SNIFF_TIFF) |
		 MEDIA_TYPE_BIT(SNIFF_UNKNOWN),
	.types_text = "JPEG, PNG, GIF, BMP or TIFF",
	.size_max_bytes = 10 * MIB,
};

#define VIDEO_TYPES MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV)

/* "mp4, mov and others", which codec/sniff.h may not know. */
static const struct media_rule video_rule = {
	.what = "a video on Facebook",
	.types = VIDEO_TYPES | MEDIA_TYPE_BIT(SNIFF_WEBM) | MEDIA_TYPE_BIT(SNIFF_MKV) |
		 MEDIA_TYPE_BIT(SNIFF_UNKNOWN),
	.types_text = "MP4, MOV or another video format",
};

/* Of reels, and taken for stories too, of which less is said. */
static const struct film_rule film_rule = {
	.videos = FILM_CODEC_BIT(FILM_CODEC_H264) | FILM_CODEC_BIT(FILM_CODEC_HEVC) |
		  FILM_CODEC_BIT(FILM_CODEC_VP9) | FILM_CODEC_BIT(FILM_CODEC_AV1),
	.audios = FILM_CODEC_BIT(FILM_CODEC_AAC),
	.frame_rate_max = 60,
};

static const struct media_rule reel_rule = {
	.what = "a reel",
	.types = VIDEO_TYPES,
	.types_text = "MP4 or MOV",
	.width_min = 540,
	.height_min = 540,
	.ratio_min_permille = 562,
	.ratio_max_permille = 1778,
	.duration_min_ms = 3 * MS_PER_S,
	.duration_max_ms = 90 * MS_PER_S,
	.film = &film_rule,
};

static const struct media_rule story_rule = {
	.what = "a video story",
	.types = VIDEO_TYPES,
	.types_text = "MP4 or MOV",
	.duration_min_ms = 3 * MS_PER_S,
	.duration_max_ms = 60 * MS_PER_S,
	.film = &film_rule,
};

const struct media_rule *facebook_video_rule(enum facebook_kind kind)
{
	switch (kind) {
	case FACEBOOK_REEL:
		return &reel_rule;
	case FACEBOOK_VIDEO_STORY:
		return &story_rule;
	case FACEBOOK_FEED:
	case FACEBOOK_VIDEO:
	case FACEBOOK_PHOTO_STORY:
		return &video_rule;
	}
	return &video_rule;
}

bool facebook_is_reel(const struct env *env, const struct media_file *file)
{
	const struct sniff *sniff = &file->sniff;
	const struct str complaint =
		media_rule_complaint(&reel_rule, env->arena, sniff, file->size_bytes);
	return sniff->width > 0 && sniff->width <= sniff->height && sniff->duration_ms > 0 &&
	       str_is_empty(complaint);
}

static void check_media_said(const struct post_content *post, enum facebook_kind kind,
			     const struct rules_account *account, struct problems *problems)
{
	for (size_t i = 0; i < post_media_total(post); i++) {
		const bool is_video = post_media_at(post, i)->type == MEDIA_VIDEO;
		media_rule_check_said(is_video ? facebook_video_rule(kind) : &facebook_photo_rule,
				      post, i, account, problems);
	}
}

/* ---- options (meta.md 8) ---- */

static const struct option_rule facebook_options[] = {
	{"link", OPTION_STRING, 0, NULL, "An address to share; not with media."},
	{"title", OPTION_STRING, 0, NULL, "The title of a video or reel."},
	{"place", OPTION_STRING, 0, NULL, "The id of a Page that stands for a place."},
	{"targeting", OPTION_OBJECT, 0, NULL, "Who may see the post."},
	{"feed_targeting", OPTION_OBJECT, 0, NULL, "In whose feed it is shown."},
	{"call_to_action", OPTION_OBJECT, 0, NULL, "{type, value: {link}}; with link."},
	{"text_format_preset_id", OPTION_STRING, 0, NULL,
	 "A coloured background; short text only."},
	{"backdated_time", OPTION_STRING, 0, NULL, "An earlier time to show; not for videos."},
	{"backdated_time_granularity", OPTION_ENUM, 0, "year|month|day|hour|min",
	 "How exact that time is."},
	{"content_category", OPTION_ENUM, 0,
	 "BEAUTY_FASHION|BUSINESS|CARS_TRUCKS|COMEDY|CUTE_ANIMALS|ENTERTAINMENT|FAMILY|"
	 "FOOD_HEALTH|HOME|LIFESTYLE|MUSIC|NEWS|OTHER|POLITICS|SCIENCE|SPORTS|TECHNOLOGY|"
	 "VIDEO_GAMING",
	 "What a video is about."},
	{"content_tags", OPTION_STRING_LIST, 0, NULL, "Tags that describe a video."},
	{"custom_labels", OPTION_STRING_LIST, 0, NULL, "Labels of a video, for the Page itself."},
	{"embeddable", OPTION_BOOL, 0, NULL, "May a video be embedded elsewhere?"},
	{"no_story", OPTION_BOOL, 0, NULL, "A video without a post in the feed."},
	{"video_state", OPTION_ENUM, 0, "PUBLISHED|DRAFT",
	 "A reel as a draft, which only the Page itself sees."},
	{"collaborators", OPTION_STRING_LIST, 10, NULL,
	 "The ids of up to 10 Pages that a reel invites as collaborators."},
	{"photo_captions", OPTION_STRING_LIST, 10, NULL,
	 "A caption for each photo, in their order; empty for none."},
	{.name = NULL},
};

#define ON(kind) (1U << (unsigned)FACEBOOK_##kind)

/* Which kinds take which option; each stands once in facebook_options. */
static const struct option_place {
	const char *name;
	unsigned kinds;
} option_places[] = {
	{"link", ON(FEED)},
	{"title", ON(VIDEO) | ON(REEL)},
	{"place", ON(FEED) | ON(REEL)},
	{"targeting", ON(FEED) | ON(VIDEO) | ON(REEL)},
	{"feed_targeting", ON(FEED) | ON(VIDEO) | ON(REEL)},
	{"call_to_action", ON(FEED)},
	{"text_format_preset_id", ON(FEED)},
	{"backdated_time", ON(FEED)},
	{"backdated_time_granularity", ON(FEED)},
	{"content_category", ON(VIDEO)},
	{"content_tags", ON(VIDEO)},
	{"custom_labels", ON(VIDEO)},
	{"embeddable", ON(VIDEO)},
	{"no_story", ON(VIDEO)},
	{"video_state", ON(REEL)},
	/* sent by calls of their own */
	{"collaborators", ON(REEL)},
	{"photo_captions", ON(FEED)},
};

static const char *const sent_apart[] = {"collaborators", "photo_captions"};

#define OPTION_PLACES COUNT_OF(option_places)

static bool takes_option(const struct option_place *place, enum facebook_kind kind)
{
	return (place->kinds & (1U << (unsigned)kind)) != 0;
}

static bool is_sent_apart(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(sent_apart); i++) {
		if (str_equal_z(str_of(name), sent_apart[i]))
			return true;
	}
	return false;
}

void facebook_options_add(const struct env *env, struct buf *form, enum facebook_kind kind)
{
	for (size_t i = 0; i < OPTION_PLACES; i++) {
		const struct str value = graph_option_text(env, option_places[i].name);
		if (takes_option(&option_places[i], kind) && !str_is_empty(value) &&
		    !is_sent_apart(option_places[i].name))
			form_add(form, option_places[i].name, value);
	}
}

/* Whether a video becomes a reel only its file will tell (facebook_is_reel()). */
static void warn_of_options(const struct json *options, enum facebook_kind kind,
			    struct problems *problems)
{
	for (size_t i = 0; i < OPTION_PLACES; i++) {
		const struct option_place *place = &option_places[i];
		const bool is_taken = takes_option(place, kind);
		const bool is_for_reels = takes_option(place, FACEBOOK_REEL);
		if (json_is_null(json_get(options, place->name)) ||
		    (is_taken && (kind != FACEBOOK_VIDEO || is_for_reels)))
			continue;
		const struct str field =
			str_format(problems->arena, "platforms.facebook.%s", place->name);
		if (kind != FACEBOOK_VIDEO || (!is_taken && !is_for_reels))
			warning_add(problems, field, "ignored",
				    STR("Facebook does not support this option for this kind of "
					"post; it was ignored."));
		else
			warning_add(problems, field, "depends_on_the_video",
				    is_taken ? STR("An upright or square video of 3 to 90 seconds "
						   "goes out as a reel, which does not take this "
						   "option.")
					     : STR("Facebook takes this option for reels only: an "
						   "upright or square video of 3 to 90 seconds."));
	}
}

/* ---- checks that no table holds ---- */

struct facts {
	const struct post_content *post;
	const struct container *first;
	const struct json *options;
	enum facebook_kind kind;
	struct str account_id;
};

static bool has_option(const struct facts *facts, const char *name)
{
	return !json_is_null(json_get(facts->options, name));
}

static void check_feed(const struct facts *facts, struct problems *problems)
{
	const int64_t length = (int64_t)utf8_code_points(facts->first->content);
	if (has_option(facts, "call_to_action") && !has_option(facts, "link"))
		problem_add_rule(problems, STR("platforms.facebook.call_to_action"),
				 "link_required", facts->account_id, -1, -1,
				 STR("call_to_action requires the option link."));
	if (has_option(facts, "text_format_preset_id") &&
	    (length > PRESET_TEXT_MAX || facts->first->media_count > 0))
		problem_add_rule(problems, STR("platforms.facebook.text_format_preset_id"),
				 "text_too_long", facts->account_id, PRESET_TEXT_MAX, length,
				 STR("A coloured background requires a text of at most 130 "
				     "characters and no media."));
	if (str_is_empty(str_trim(facts->first->content)) && facts->first->media_count == 0 &&
	    !has_option(facts, "link"))
		problem_add_rule(problems, rules_field(problems->arena, facts->post, 0, "content"),
				 "text_required", facts->account_id, 1, 0,
				 STR("A post on a Page needs text, a photo or the option link."));
}

/* meta.md 3.3: no caption, no comments. */
static void check_story(const struct facts *facts, struct problems *problems)
{
	if (!str_is_empty(str_trim(facts->first->content)))
		warning_add(problems, rules_field(problems->arena, facts->post, 0, "content"),
			    "ignored",
			    STR("Facebook does not show text in stories; it was ignored."));
	if (facts->post->container_count > 1)
		problem_add_rule(problems, STR("containers.1"), "comments_not_supported",
				 facts->account_id, 0, (int64_t)facts->post->container_count - 1,
				 STR("A story on Facebook cannot be commented on."));
}

static void facebook_check(const struct post_content *post, enum post_type type,
			   const struct rules_account *account, struct problems *problems)
{
	const struct facts facts = {
		.post = post,
		.first = &post->containers[0],
		.options = rules_options(post, PLATFORM_FACEBOOK),
		.kind = facebook_kind_of(post, type),
		.account_id = account->id,
	};
	const bool is_story =
		facts.kind == FACEBOOK_PHOTO_STORY || facts.kind == FACEBOOK_VIDEO_STORY;
	if (has_image(facts.first) && has_video(facts.first))
		problem_add_rule(problems, rules_field(problems->arena, post, 0, "media"),
				 "mixed_media", facts.account_id, -1, -1,
				 STR("A post on a Page can have photos or a video, not both."));
	if (has_option(&facts, "link") && facts.first->media_count > 0)
		problem_add_rule(problems, STR("platforms.facebook.link"), "link_with_media",
				 facts.account_id, -1, -1,
				 STR("A post on a Page can have a link or media, not both."));
	else
		warn_of_options(facts.options, facts.kind, problems);
	if (facts.kind == FACEBOOK_FEED)
		check_feed(&facts, problems);
	if (is_story)
		check_story(&facts, problems);
	check_media_said(post, facts.kind, account, problems);
}

const struct post_rules facebook_rules = {
	.types = facebook_types,
	.text_unit = &rules_code_points,
	.text_max = 63206,
	.comment_text_max = 8000, /* not documented; what the site itself takes */
	.comments_max = POST_CONTAINERS_MAX - 1,
	.comment_images_max = 1, /* attachment_id */
	.alt_text_max = 1000,
	.options = facebook_options,
	.check = facebook_check,
};
