/* SPDX-License-Identifier: Apache-2.0
 * What YouTube allows (youtube.md 2.5, 3, 6): types, texts, tags, options, and the files
 * themselves. */
#include "youtube_adapter.h"

#include "arena.h"
#include "count_of.h"
#include "timetext.h"

#include "utf8.h"

#include "media_rules.h"
#include "problem.h"
#include "rules.h"

#define TITLE_MAX_CHARACTERS 100
#define TAGS_MAX_CHARACTERS 500
#define DESCRIPTION_MAX_BYTES 5000
#define COMMENT_MAX_BYTES 10000
#define PLAYLIST_ID_MAX 128 /* our choice: none is documented */
#define CAPTIONS_MAX 10     /* our choice: each costs 400 of the day's 10,000 units (2.9) */
/* 3: longer only on a channel whose phone number is verified */
#define UNVERIFIED_MAX_S (15 * 60)

const struct media_rule youtube_video_rule = {
	.what = "a YouTube video",
	.types = MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV) | MEDIA_TYPE_BIT(SNIFF_WEBM),
	.types_text = "MP4, MOV or WebM",
	.size_min_bytes = 1,
	.size_max_bytes = INT64_C(256) * 1024 * 1024 * 1024,
	.duration_max_ms = INT64_C(12) * 60 * 60 * 1000,
};

const struct media_rule youtube_thumbnail_rule = {
	.what = "a YouTube thumbnail",
	.types = MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_PNG),
	.types_text = "JPEG or PNG",
	.size_min_bytes = 1,
	.size_max_bytes = 50 * 1000 * 1000, /* 0: since 2026-09-14 */
};

static bool has_angle_bracket(struct str text)
{
	return str_find_char(text, '<', 0) != SIZE_MAX || str_find_char(text, '>', 0) != SIZE_MAX;
}

int64_t youtube_tags_length(const struct json *tags)
{
	int64_t length = 0;
	for (size_t i = 0; json_at(tags, i) != NULL; i++) {
		const struct str tag = json_string(json_at(tags, i));
		length += (int64_t)utf8_code_points(tag) + (i > 0 ? 1 : 0);
		length += str_find_char(tag, ' ', 0) != SIZE_MAX ? 2 : 0;
	}
	return length;
}

struct check {
	const struct post_content *post;
	const struct json *options;
	const struct rules_account *account;
	struct problems *problems;
};

static struct str content_field(const struct check *check)
{
	return rules_field(check->problems->arena, check->post, 0, "content");
}

static void check_add(const struct check *check, struct str field, const char *reason,
		      int64_t limit, int64_t actual, const char *message)
{
	problem_add_rule(check->problems, field, reason, check->account->id, limit, actual,
			 str_of(message));
}

static struct str option_field(const struct check *check, const char *name)
{
	return str_format(check->problems->arena, "platforms.youtube.%s", name);
}

static void title_check(const struct check *check)
{
	const struct str given = json_string(json_get(check->options, "title"));
	const struct str title = youtube_title(given, check->post->containers[0].content);
	const struct str field =
		str_is_empty(given) ? content_field(check) : STR("platforms.youtube.title");
	const int64_t length = (int64_t)utf8_code_points(title);
	if (length == 0)
		check_add(check, field, "title_missing", -1, -1,
			  "A YouTube video needs a title: set the option title, or give a text.");
	if (length > TITLE_MAX_CHARACTERS)
		check_add(check, field, "title_too_long", TITLE_MAX_CHARACTERS, length,
			  "The title is longer than YouTube allows.");
	if (has_angle_bracket(title))
		check_add(check, field, "title_characters", -1, -1,
			  "YouTube does not allow < and > in a title.");
}

static void description_check(const struct check *check)
{
	const struct str given = json_string(json_get(check->options, "description"));
	const bool is_given = !str_is_empty(given);
	const struct str content = check->post->containers[0].content;
	if (has_angle_bracket(is_given ? given : content))
		check_add(check,
			  is_given ? STR("platforms.youtube.description") : content_field(check),
			  "description_characters", -1, -1,
			  "YouTube does not allow < and > in a description.");
}

static void tags_check(const struct check *check)
{
	const int64_t length = youtube_tags_length(json_get(check->options, "tags"));
	if (length > TAGS_MAX_CHARACTERS)
		check_add(check, option_field(check, "tags"), "tags_too_long", TAGS_MAX_CHARACTERS,
			  length, "The tags together are longer than YouTube allows.");
}

/* Comments are off on videos made for kids and on private ones; one on a video that turns public
 * later would have to wait for it, and hold up the account's other posts (2.5). */
static void comments_check(const struct check *check)
{
	const struct json *kids = json_get(check->options, "selfDeclaredMadeForKids");
	if (check->post->container_count < 2)
		return;
	if (json_bool(kids, false))
		check_add(check, STR("containers.1"), "comments_off_for_kids", -1, -1,
			  "YouTube does not allow comments on videos made for kids.");
	if (str_equal_z(youtube_privacy(check->options), "private"))
		check_add(check, STR("containers.1"), "comments_off_while_private", -1, -1,
			  "YouTube does not allow comments on private videos, and a video with "
			  "publishAt is private until then; use scheduled_at to delay the whole "
			  "post.");
}

/* The instant as YouTube wants it, and what goes with it (2.5). */
static void publish_at_check(const struct check *check)
{
	const struct json *publish_at = json_get(check->options, "publishAt");
	const struct str privacy = json_string(json_get(check->options, "privacyStatus"));
	int64_t publish_us = 0;
	if (!json_is(publish_at, JSON_TYPE_STRING))
		return;
	if (!timetext_parse_instant(publish_at->string, &publish_us))
		check_add(check, option_field(check, "publishAt"), "bad_option", -1, -1,
			  "The option publishAt must be an instant like 2026-12-01T09:00:00Z.");
	if (!str_is_empty(privacy) && !str_equal_z(privacy, "private"))
		check_add(check, option_field(check, "privacyStatus"), "publish_at_needs_private",
			  -1, -1,
			  "With publishAt a video is private until then; leave privacyStatus out.");
}

static bool is_digits(struct str text)
{
	uint64_t number = 0;
	return str_parse_u64(text, &number);
}

static void category_check(const struct check *check)
{
	const struct json *category = json_get(check->options, "categoryId");
	if (json_is(category, JSON_TYPE_STRING) && !is_digits(category->string))
		check_add(check, option_field(check, "categoryId"), "bad_option", -1, -1,
			  "The option categoryId must be the number of a category, as a string.");
}

/* Objects of which one member is sent. */
static const struct {
	const char *option;
	const char *member;
	enum json_type type;
	const char *message;
} member_rules[] = {
	{"recordingDetails", "recordingDate", JSON_TYPE_STRING,
	 "The option recordingDetails must hold recordingDate, a string."},
	{"paidProductPlacementDetails", "hasPaidProductPlacement", JSON_TYPE_BOOL,
	 "The option paidProductPlacementDetails must hold hasPaidProductPlacement, true or "
	 "false."},
};

static void members_check(const struct check *check)
{
	for (size_t i = 0; i < COUNT_OF(member_rules); i++) {
		const struct json *value = json_get(check->options, member_rules[i].option);
		if (json_is(value, JSON_TYPE_OBJECT) &&
		    !json_is(json_get(value, member_rules[i].member), member_rules[i].type))
			check_add(check, option_field(check, member_rules[i].option), "bad_option",
				  -1, -1, member_rules[i].message);
	}
}

static void localizations_check(const struct check *check)
{
	if (json_is(json_get(check->options, "localizations"), JSON_TYPE_OBJECT) &&
	    str_is_empty(json_string(json_get(check->options, "defaultLanguage"))))
		check_add(check, option_field(check, "defaultLanguage"), "default_language_missing",
			  -1, -1, "With localizations YouTube also requires defaultLanguage.");
}

static void extras_check(const struct check *check)
{
	const struct json *playlist = json_get(check->options, "playlistId");
	const struct json *captions = json_get(check->options, "captions");
	if (json_is(playlist, JSON_TYPE_STRING) && !rules_word_is(playlist->string, "-_"))
		check_add(check, option_field(check, "playlistId"), "bad_option", -1, -1,
			  "The option playlistId must be the id of a playlist, not its address.");
	for (size_t i = 0; json_at(captions, i) != NULL; i++) {
		if (!rules_caption_is(json_at(captions, i)))
			check_add(
				check, option_field(check, "captions"), "bad_option", -1, -1,
				"Each of captions needs url, an http or https URL, and language, a "
				"tag such as de or pt-BR; name is a string.");
	}
}

static void warn(const struct check *check, struct str field, const char *code, const char *message)
{
	warning_add(check->problems, field, code, str_of(message));
}

static void warnings_add(const struct check *check)
{
	const struct json *extra = check->account->extra;
	const struct media *video = post_media_at(check->post, 0);
	const struct str privacy = youtube_privacy(check->options);
	const struct str long_uploads = json_string(json_get(extra, "long_uploads"));
	if (json_is_null(json_get(check->options, "privacyStatus")) &&
	    str_equal_z(privacy, "public"))
		warn(check, option_field(check, "privacyStatus"), "youtube_privacy_default",
		     "No privacyStatus was given: the video will be public.");
	if (json_bool(json_get(extra, "private_only"), false) && !str_equal_z(privacy, "private"))
		warn(check, option_field(check, "privacyStatus"), "youtube_private_only",
		     "YouTube made the last video private regardless of the requested privacy: it "
		     "does so for API projects that have not passed its audit.");
	if (json_is(extra, JSON_TYPE_OBJECT) && json_get(extra, "private_only") == NULL &&
	    !str_equal_z(privacy, "private"))
		warn(check, option_field(check, "privacyStatus"), "youtube_audit_unknown",
		     "Whether YouTube has audited the app's API project is not known before its "
		     "first "
		     "video: until then YouTube makes every video private, and the post says so.");
	if (video != NULL && video->duration_s > UNVERIFIED_MAX_S && !str_is_empty(long_uploads) &&
	    !str_equal_z(long_uploads, "allowed"))
		warn(check, rules_field(check->problems->arena, check->post, 0, "media.0.duration"),
		     "youtube_long_video",
		     "YouTube accepts videos over 15 minutes only from verified channels.");
}

static void youtube_check(const struct post_content *post, enum post_type type,
			  const struct rules_account *account, struct problems *problems)
{
	const struct check check = {post, rules_options(post, PLATFORM_YOUTUBE), account, problems};
	(void)type;
	media_rule_check_said(&youtube_video_rule, post, 0, account, problems);
	title_check(&check);
	description_check(&check);
	tags_check(&check);
	category_check(&check);
	publish_at_check(&check);
	members_check(&check);
	localizations_check(&check);
	extras_check(&check);
	comments_check(&check);
	warnings_add(&check);
}

static const struct type_rule youtube_types[] = {
	{
		.type = POST_TYPE_VIDEO,
		.videos_min = 1,
		.videos_max = 1,
		.media_min = 1,
		.media_max = 1,
		.summary = "One video; square or taller and up to 180 s it shows as a Short",
	},
	{0},
};

static const struct option_rule youtube_options[] = {
	{"title", OPTION_STRING, 0, NULL,
	 "Title, at most 100 characters; else the first line of the text"},
	{"description", OPTION_STRING, DESCRIPTION_MAX_BYTES, NULL, "Description; else the text"},
	{"tags", OPTION_STRING_LIST, 0, NULL, "Tags, at most 500 characters together"},
	{"categoryId", OPTION_STRING, 0, NULL,
	 "YouTube's number of the category; 22 (People & Blogs) when not given"},
	{"privacyStatus", OPTION_ENUM, 0, "public|unlisted|private",
	 "Who sees the video; public when not given"},
	{"publishAt", OPTION_STRING, 0, NULL,
	 "When YouTube makes the video public by itself; private until then, without comments"},
	{"selfDeclaredMadeForKids", OPTION_BOOL, 0, NULL,
	 "The video is made for kids (COPPA); false when not given"},
	{"containsSyntheticMedia", OPTION_BOOL, 0, NULL,
	 "The video shows realistic altered or synthetic content"},
	{"license", OPTION_ENUM, 0, "youtube|creativeCommon", "Licence of the video"},
	{"embeddable", OPTION_BOOL, 0, NULL, "The video may be embedded elsewhere"},
	{"publicStatsViewable", OPTION_BOOL, 0, NULL, "Everybody may see the video's statistics"},
	{"notifySubscribers", OPTION_BOOL, 0, NULL,
	 "Subscribers are told of the video; true when not given"},
	{"defaultLanguage", OPTION_STRING, 0, NULL, "Language of title and description"},
	{"defaultAudioLanguage", OPTION_STRING, 0, NULL, "Language spoken in the video"},
	{"localizations", OPTION_OBJECT, 0, NULL,
	 "Title and description in further languages; with defaultLanguage"},
	{"recordingDetails", OPTION_OBJECT, 0, NULL, "recordingDate: when the video was recorded"},
	{"paidProductPlacementDetails", OPTION_OBJECT, 0, NULL,
	 "hasPaidProductPlacement: the video holds paid product placement"},
	{"playlistId", OPTION_STRING, PLAYLIST_ID_MAX, NULL,
	 "The channel's playlist that the video is put into"},
	{"captions", OPTION_OBJECT_LIST, CAPTIONS_MAX, NULL,
	 "[{url, language, name}]: caption files, such as SRT; language as in de or pt-BR, name is "
	 "the "
	 "language when not given"},
	{0},
};

const struct post_rules youtube_rules = {
	.types = youtube_types,
	.text_unit = &rules_bytes,
	.text_max = DESCRIPTION_MAX_BYTES,
	.comment_text_max = COMMENT_MAX_BYTES,
	.comments_max = POST_CONTAINERS_MAX - 1,
	.options = youtube_options,
	.check = youtube_check,
};
