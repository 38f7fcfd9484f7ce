/* SPDX-License-Identifier: Apache-2.0
 * What TikTok allows (tiktok.md 2.4, 3, 6): types, texts, options and the files
 * themselves. What one creator may do is asked before each post (tiktok_creator.c); what was heard
 * last is only warned of here. */
#include "tiktok_adapter.h"

#include "arena.h"
#include "count_of.h"

#include "media_rules.h"
#include "problem.h"
#include "rules.h"

#define CAPTION_MAX_UTF16_UNITS 2200
#define PHOTO_TEXT_MAX_UTF16_UNITS 4000
#define PHOTO_TITLE_MAX_UTF16_UNITS 90
#define PHOTOS_MAX 35
#define PHOTO_SHORTER_SIDE_MAX 1080 /* 3: one that is larger fails the whole set, unnamed */

static const struct film_rule film_rule = {
	.videos = FILM_CODEC_BIT(FILM_CODEC_H264) | FILM_CODEC_BIT(FILM_CODEC_HEVC) |
		  FILM_CODEC_BIT(FILM_CODEC_VP8) | FILM_CODEC_BIT(FILM_CODEC_VP9),
	.frame_rate_max = 60,
};

const struct media_rule tiktok_video_rule = {
	.what = "a TikTok video",
	.types = MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV) | MEDIA_TYPE_BIT(SNIFF_WEBM),
	.types_text = "MP4, MOV or WebM",
	.size_min_bytes = 1,
	/* 4 GB, in the larger reading: TikTok says for itself */
	.size_max_bytes = INT64_C(4) * 1024 * 1024 * 1024,
	.width_min = 360,
	.width_max = 4096,
	.height_min = 360,
	.height_max = 4096,
	.duration_max_ms = 10 * 60 * 1000,
	.film = &film_rule,
};

const struct media_rule tiktok_photo_rule = {
	.what = "a TikTok photo",
	.types = MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_WEBP),
	.types_text = "JPEG or WebP",
	.size_min_bytes = 1,
	.size_max_bytes = 20 * 1024 * 1024,
	.shorter_side_max = PHOTO_SHORTER_SIDE_MAX,
};

struct check {
	const struct post_content *post;
	enum post_type type;
	const struct json *options;
	bool is_draft; /* for the creator's inbox (2.2, 2.4) */
	const struct rules_account *account;
	struct problems *problems;
};

static struct str option_field(const struct check *check, const char *name)
{
	return str_format(check->problems->arena, "platforms.tiktok.%s", name);
}

static void media_check(const struct check *check)
{
	const struct media_rule *rule =
		check->type == POST_TYPE_VIDEO ? &tiktok_video_rule : &tiktok_photo_rule;
	for (size_t i = 0; i < check->post->containers[0].media_count; i++)
		media_rule_check_said(rule, check->post, i, check->account, check->problems);
}

/* Options that only one kind of post has (6). */
static const struct {
	const char *name;
	enum post_type type;
} kind_options[] = {
	{"disable_duet", POST_TYPE_VIDEO},
	{"disable_stitch", POST_TYPE_VIDEO},
	{"is_aigc", POST_TYPE_VIDEO},
	{"video_cover_timestamp_ms", POST_TYPE_VIDEO},
	{"title", POST_TYPE_CAROUSEL},
	{"auto_add_music", POST_TYPE_CAROUSEL},
	{"photo_cover_index", POST_TYPE_CAROUSEL},
};

static void kind_options_check(const struct check *check)
{
	for (size_t i = 0; i < COUNT_OF(kind_options); i++) {
		if (kind_options[i].type != check->type &&
		    !json_is_null(json_get(check->options, kind_options[i].name)))
			warning_add(check->problems, option_field(check, kind_options[i].name),
				    "ignored",
				    check->type == POST_TYPE_VIDEO
					    ? STR("TikTok has this option for photos only; it was "
						  "ignored.")
					    : STR("TikTok has this option for videos only; it was "
						  "ignored."));
	}
}

static void warn(const struct check *check, struct str field, const char *code, const char *message)
{
	warning_add(check->problems, field, code, str_of(message));
}

static void refuse(const struct check *check, const char *option, const char *reason, int64_t limit,
		   int64_t actual, const char *message)
{
	problem_add_rule(check->problems, option_field(check, option), reason, check->account->id,
			 limit, actual, str_of(message));
}

static void photo_check(const struct check *check)
{
	const int64_t count = (int64_t)check->post->containers[0].media_count;
	const int64_t cover = json_int(json_get(check->options, "photo_cover_index"), 0);
	if (check->type == POST_TYPE_VIDEO)
		return;
	if (cover >= count && cover > 0)
		refuse(check, "photo_cover_index", "no_such_photo", count - 1, cover,
		       "The option photo_cover_index must be the number of a photo, from 0.");
	if (str_equal_z(json_string(json_get(check->options, "source")), "FILE_UPLOAD"))
		refuse(check, "source", "photos_are_pulled", -1, -1,
		       "TikTok does not accept photo files: it fetches photos by URL.");
}

static void brand_check(const struct check *check)
{
	if (json_bool(json_get(check->options, "brand_content_toggle"), false) &&
	    str_equal_z(json_string(json_get(check->options, "privacy_level")), "SELF_ONLY"))
		refuse(check, "privacy_level", "branded_content_private", -1, -1,
		       "Branded content cannot be posted as SELF_ONLY.");
}

/* ---- drafts ---- */

/* What the creator chooses in TikTok when the draft is published there (2.2, 2.4). */
static const struct {
	const char *name;
	enum post_type only_type; /* NONE = of videos and photos alike */
} draft_losses[] = {
	{"privacy_level", POST_TYPE_NONE},
	{"disable_comment", POST_TYPE_NONE},
	{"brand_content_toggle", POST_TYPE_NONE},
	{"brand_organic_toggle", POST_TYPE_NONE},
	{"disable_duet", POST_TYPE_VIDEO},
	{"disable_stitch", POST_TYPE_VIDEO},
	{"is_aigc", POST_TYPE_VIDEO},
	{"video_cover_timestamp_ms", POST_TYPE_VIDEO},
	{"auto_add_music", POST_TYPE_CAROUSEL},
};

static void draft_losses_warn(const struct check *check)
{
	for (size_t i = 0; i < COUNT_OF(draft_losses); i++) {
		const enum post_type only_type = draft_losses[i].only_type;
		if ((only_type == POST_TYPE_NONE || only_type == check->type) &&
		    !json_is_null(json_get(check->options, draft_losses[i].name)))
			warn(check, option_field(check, draft_losses[i].name), "ignored",
			     "TikTok does not take this option with a draft: the creator chooses "
			     "it in TikTok. It was ignored.");
	}
	if (check->type == POST_TYPE_VIDEO &&
	    !str_is_empty(str_trim(check->post->containers[0].content)))
		warn(check, rules_field(check->problems->arena, check->post, 0, "content"),
		     "ignored",
		     "TikTok takes no text with the draft of a video: the creator writes it in "
		     "TikTok. It was ignored.");
}

/* Connect left what was granted; an account of an older connection has no such facts. */
static void scope_check(const struct check *check)
{
	const char *fact = check->is_draft ? "can_draft" : "can_post";
	if (json_bool(json_get(check->account->extra, fact), true))
		return;
	refuse(check, "post_mode", "scope_missing", -1, -1,
	       check->is_draft
		       ? "Drafts need the permission video.upload, which this account did not "
			 "grant. Add it to the scopes of the app's TikTok credentials and connect "
			 "the account again."
		       : "Posts need the permission video.publish, which this account did not "
			 "grant. Use post_mode MEDIA_UPLOAD for a draft, or add the permission to "
			 "the scopes of the app's TikTok credentials and connect the account "
			 "again.");
}

/* ---- what the creator may ---- */

/* What TikTok said of the creator and the app when it was last asked; it may have changed since. */
static void creator_warn(const struct check *check, struct str level)
{
	const struct json *extra = check->account->extra;
	const struct json *offered = json_get(extra, "privacy_level_options");
	const struct media *media = post_media_at(check->post, 0);
	const int64_t max_s = json_int(json_get(extra, "max_video_post_duration_sec"), 0);
	const struct str field = option_field(check, "privacy_level");
	if (!str_is_empty(level) && json_at(offered, 0) != NULL && !tiktok_list_has(offered, level))
		warn(check, field, "tiktok_privacy_not_offered",
		     "TikTok did not offer the creator this privacy_level when last asked.");
	if (json_bool(json_get(extra, "is_unaudited"), false) && !str_equal_z(level, "SELF_ONLY"))
		warn(check, field, "tiktok_unaudited_app",
		     str_is_empty(level)
			     ? "TikTok has not audited this app: the post will be SELF_ONLY, and "
			       "the creator's account has to be private."
			     : "TikTok has not audited this app: it accepts only SELF_ONLY posts "
			       "from private accounts.");
	if (check->type == POST_TYPE_VIDEO && media != NULL && max_s > 0 &&
	    media->duration_s > max_s)
		warn(check, rules_field(check->problems->arena, check->post, 0, "media.0.duration"),
		     "tiktok_long_video",
		     "The video is longer than TikTok allowed this creator when last asked.");
}

static void privacy_warn(const struct check *check)
{
	const struct str level = json_string(json_get(check->options, "privacy_level"));
	creator_warn(check, level);
	if (!str_is_empty(level))
		return;
	switch (check->account->tiktok_privacy) {
	case APP_TIKTOK_MOST_OPEN:
	case APP_TIKTOK_PRIVACY_COUNT:
		warn(check, option_field(check, "privacy_level"), "tiktok_privacy_default",
		     "No privacy_level was given: the most open one that the creator may use "
		     "applies, or SELF_ONLY while TikTok has not audited the app. TikTok's rules "
		     "want the person who posts to choose it.");
		return;
	case APP_TIKTOK_SELF_ONLY:
		warn(check, option_field(check, "privacy_level"), "tiktok_privacy_default",
		     "No privacy_level was given: the app's setting tiktok_privacy makes the post "
		     "SELF_ONLY. TikTok's rules want the person who posts to choose it.");
		return;
	case APP_TIKTOK_REFUSE:
		refuse(check, "privacy_level", "option_required", -1, -1,
		       "The app's setting tiktok_privacy demands privacy_level: TikTok's rules "
		       "want "
		       "the person who posts to choose it.");
		return;
	}
}

static void tiktok_check(const struct post_content *post, enum post_type type,
			 const struct rules_account *account, struct problems *problems)
{
	const struct json *options = rules_options(post, PLATFORM_TIKTOK);
	const struct str mode = json_string(json_get(options, "post_mode"));
	const struct check check = {post,    type,    options, str_equal_z(mode, "MEDIA_UPLOAD"),
				    account, problems};
	media_check(&check);
	kind_options_check(&check);
	photo_check(&check);
	scope_check(&check);
	if (check.is_draft) {
		draft_losses_warn(&check);
		return;
	}
	brand_check(&check);
	privacy_warn(&check);
}

static const struct type_rule tiktok_types[] = {
	{
		.type = POST_TYPE_VIDEO,
		.videos_min = 1,
		.videos_max = 1,
		.media_min = 1,
		.media_max = 1,
		.summary = "One video, posted directly or as a draft",
	},
	{
		.type = POST_TYPE_CAROUSEL,
		.images_min = 1,
		.images_max = PHOTOS_MAX,
		.media_min = 1,
		.media_max = PHOTOS_MAX,
		.text_max = PHOTO_TEXT_MAX_UTF16_UNITS,
		.summary = "A photo post: 1 to 35 JPEG or WebP images, which TikTok fetches",
	},
	{0},
};

static const struct option_rule tiktok_options[] = {
	{"privacy_level", OPTION_ENUM, 0,
	 "PUBLIC_TO_EVERYONE|MUTUAL_FOLLOW_FRIENDS|FOLLOWER_OF_CREATOR|SELF_ONLY",
	 "Who sees it; when not given, the most open one that the creator may use, or SELF_ONLY "
	 "while TikTok has not audited the app"},
	{"disable_comment", OPTION_BOOL, 0, NULL, "Nobody may comment"},
	{"disable_duet", OPTION_BOOL, 0, NULL, "Nobody may make a duet with it"},
	{"disable_stitch", OPTION_BOOL, 0, NULL, "Nobody may stitch it"},
	{"video_cover_timestamp_ms", OPTION_INT, INT32_MAX, NULL, "The frame that is the cover"},
	{"brand_content_toggle", OPTION_BOOL, 0, NULL,
	 "It is a paid partnership; not with SELF_ONLY"},
	{"brand_organic_toggle", OPTION_BOOL, 0, NULL, "It promotes the creator's own business"},
	{"is_aigc", OPTION_BOOL, 0, NULL, "It is labelled as generated content"},
	{"title", OPTION_STRING, PHOTO_TITLE_MAX_UTF16_UNITS, NULL, "Title of a photo post"},
	{"auto_add_music", OPTION_BOOL, 0, NULL, "TikTok adds music to a photo post"},
	{"photo_cover_index", OPTION_INT, PHOTOS_MAX - 1, NULL,
	 "The photo that is the cover, from 0"},
	{"source", OPTION_ENUM, 0, "FILE_UPLOAD|PULL_FROM_URL",
	 "PULL_FROM_URL: TikTok fetches your own addresses, whose domain must be verified with the "
	 "app; else a video is uploaded, and photos are fetched from this service"},
	{"post_mode", OPTION_ENUM, 0, "DIRECT_POST|MEDIA_UPLOAD",
	 "MEDIA_UPLOAD: a draft in the creator's inbox, who finishes it in TikTok; needs the scope "
	 "video.upload"},
	{0},
};

static const struct default_type default_types[] = {
	{1, POST_MEDIA_MAX, 0, 0, POST_TYPE_CAROUSEL},
	{.type = POST_TYPE_NONE},
};

const struct post_rules tiktok_rules = {
	.types = tiktok_types,
	.default_types = default_types,
	.text_unit = &rules_utf16_units,
	.text_max = CAPTION_MAX_UTF16_UNITS,
	.comments_max = 0, /* the API has no comments (2.8) */
	.options = tiktok_options,
	.check = tiktok_check,
};
