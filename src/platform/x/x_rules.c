/* SPDX-License-Identifier: Apache-2.0
 * What X takes (x.md 2, 3 and 6): post types, lengths, options, files. What X
 * says to what it does not take is x_error.c's. */
#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "utf8.h"

#include "media_id.h"
#include "request_limits.h"

#include "media_rules.h"
#include "x_text_count.h"
#include "x_adapter.h"

#define TEXT_MAX 280           /* 3.1 */
#define TEXT_PREMIUM_MAX 25000 /* 3.1 */
#define ARTICLE_MAX 100000     /* our own limit of content */
#define ALT_TEXT_MAX 1000      /* 2.5 */
#define IMAGES_MAX 4           /* 2.1 */
#define URLS_MAX 512
#define ID_DIGITS_MAX 19 /* 1.6 */
#define MS_PER_MINUTE (60 * 1000)
#define CAPTIONS_MAX 10 /* our choice: X binds 100 of a user in 15 minutes (3.3) */

/* ---- tables ---- */

static const struct type_rule types[] = {
	{.type = POST_TYPE_POST,
	 .images_max = IMAGES_MAX,
	 .videos_max = 1,
	 .media_max = IMAGES_MAX,
	 .summary = "A post of text, 1 to 4 images, one GIF or one video."},
	{.type = POST_TYPE_VIDEO,
	 .videos_min = 1,
	 .videos_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "A post with a video."},
	{.type = POST_TYPE_ARTICLE,
	 .images_max = 20,
	 .media_max = 20,
	 .text_required = true,
	 .text_max = ARTICLE_MAX,
	 .summary =
		 "A long article with images; only accounts with a subscription may write them."},
	{.type = POST_TYPE_NONE},
};

static const struct option_rule options_known[] = {
	{"reply_settings", OPTION_ENUM, 0, "everyone|following|mentionedUsers|subscribers|verified",
	 "Who may reply."},
	{"community_id", OPTION_STRING, 0, NULL, "A community, by id or by its address."},
	{"share_with_followers", OPTION_BOOL, 0, NULL, "Show a community post to followers too."},
	{"poll", OPTION_OBJECT, 0, NULL, "{options: 2 to 4 texts, duration_minutes: 5 to 10080}."},
	{"quote_tweet_id", OPTION_STRING, 0, NULL, "Quote this post; Enterprise apps only."},
	{"in_reply_to_tweet_id", OPTION_STRING, 0, NULL, "Answer this post."},
	{"exclude_reply_user_ids", OPTION_STRING_LIST, 0, NULL, "Leave these out of the answer."},
	{"tagged_user_ids", OPTION_STRING_LIST, 10, NULL, "Tag these people in the pictures."},
	{"made_with_ai", OPTION_BOOL, 0, NULL, "Say that it is machine-made."},
	{"paid_partnership", OPTION_BOOL, 0, NULL, "Say that it is paid for."},
	{"for_super_followers_only", OPTION_BOOL, 0, NULL, "For super followers only."},
	{"nullcast", OPTION_BOOL, 0, NULL, "Keep it out of the public timeline."},
	{"geo_place_id", OPTION_STRING, 0, NULL, "A place."},
	{"card_uri", OPTION_STRING, 0, NULL, "A card."},
	{"direct_message_deep_link", OPTION_STRING, 0, NULL, "A link into a direct message."},
	{"media_title", OPTION_STRING, 0, NULL, "The title of the video's card."},
	{"media_description", OPTION_STRING, 0, NULL, "The description of the video's card."},
	{"media_embeddable", OPTION_BOOL, 0, NULL, "The video may be shown on other sites."},
	{"call_to_actions", OPTION_OBJECT, 0, NULL,
	 "The button at the video: {visit_site: {url}}, {watch_now: {url}} or {app_install: "
	 "{...}}, as X "
	 "documents them."},
	{"edit_options", OPTION_OBJECT, 0, NULL,
	 "{previous_post_id}: replaces this post of the account, which gets a new id; X allows it "
	 "to "
	 "subscribers, for a short time and five times."},
	{"preview_media_id", OPTION_STRING, 0, NULL,
	 "The video's preview picture, by X's media id."},
	{"captions", OPTION_OBJECT_LIST, CAPTIONS_MAX, NULL,
	 "[{url, language, name}]: subtitles of the video, SRT or WebVTT; language as in de, one "
	 "file for each; name is the language when not given."},
	{"article", OPTION_OBJECT, 0, NULL,
	 "Of the type article: {title, status: draft or published, cover_url}."},
	{"strip_links", OPTION_BOOL, 0, NULL,
	 "Leave web addresses out of the text: X charges more for posts that have them."},
	{.name = NULL},
};

/* Does the account have one of X's subscriptions (1.6)? extra: what connect left, or NULL. */
static bool is_premium(const struct json *extra)
{
	const struct str name = json_string(json_get(extra, "subscription_type"));
	return !str_is_empty(name) && !str_equal_z(name, "None");
}

static int64_t text_max_of(const struct rules_account *account)
{
	return is_premium(account->extra) ? TEXT_PREMIUM_MAX : TEXT_MAX;
}

static void check(const struct post_content *post, enum post_type type,
		  const struct rules_account *account, struct problems *problems);

static const struct text_unit weighted = {"weighted", x_text_count_weighted};

const struct post_rules x_rules = {
	.types = types,
	.text_unit = &weighted,
	.text_max = TEXT_MAX,
	.comment_text_max = TEXT_MAX,
	.comments_max = POST_CONTAINERS_MAX - 1,
	.comment_images_max = IMAGES_MAX,
	.comment_videos_max = 1,
	.alt_text_max = ALT_TEXT_MAX,
	.options = options_known,
	.text_max_of = text_max_of,
	.comment_text_max_of = text_max_of,
	.check = check,
};

/* ---- files (3.2) ---- */

#define PICTURES \
	(MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_PNG) | MEDIA_TYPE_BIT(SNIFF_GIF) | \
	 MEDIA_TYPE_BIT(SNIFF_WEBP))
#define VIDEOS (MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV) | MEDIA_TYPE_BIT(SNIFF_WEBM))

static const struct media_rule image_rule = {
	.what = "an image",
	.types = PICTURES,
	.types_text = "JPEG, PNG, GIF or WebP",
	.size_max_bytes = INT64_C(5) << 20,
};

static const struct media_rule gif_rule = {
	.what = "a GIF",
	.types = MEDIA_TYPE_BIT(SNIFF_GIF),
	.types_text = "GIF",
	.size_max_bytes = INT64_C(15) << 20,
	.width_max = 1280,
	.height_max = 1080,
};

/* 3.2, "video technical". */
static const struct film_rule film_rule = {
	.videos = FILM_CODEC_BIT(FILM_CODEC_H264),
	.audios = FILM_CODEC_BIT(FILM_CODEC_AAC),
	.frame_rate_max = 60,
	.wants_common_colours = true,
};

/* By the account's subscription. */
static const struct media_rule video_rules[] = {
	{
		.what = "a video",
		.types = VIDEOS,
		.types_text = "MP4, MOV or WebM",
		.size_max_bytes = INT64_C(8) << 30,
		.width_min = 32,
		.height_min = 32,
		.ratio_min_permille = 333,
		.ratio_max_permille = 3000,
		.duration_min_ms = 500,
		.duration_max_ms = 20 * MS_PER_MINUTE,
		.film = &film_rule,
	},
	{
		.what = "a video",
		.types = VIDEOS,
		.types_text = "MP4, MOV or WebM",
		.size_max_bytes = INT64_C(16) << 30,
		.width_min = 32,
		.height_min = 32,
		.ratio_min_permille = 333,
		.ratio_max_permille = 3000,
		.duration_min_ms = 500,
		.duration_max_ms = 125 * MS_PER_MINUTE,
		.film = &film_rule,
	},
};

/* X's documents name no limit: ours is one segment of an upload. */
const struct media_rule x_subtitles_rule = {
	.what = "subtitles",
	.types = MEDIA_TYPE_BIT(SNIFF_SRT) | MEDIA_TYPE_BIT(SNIFF_VTT),
	.types_text = "SRT or WebVTT",
	.size_max_bytes = INT64_C(1) << 20,
};

static const struct media_rule *rule_of(enum x_media_kind kind, const struct json *extra)
{
	switch (kind) {
	case X_MEDIA_IMAGE:
		return &image_rule;
	case X_MEDIA_GIF:
		return &gif_rule;
	case X_MEDIA_VIDEO:
		return &video_rules[is_premium(extra)];
	}
	return &image_rule;
}

enum x_media_kind x_media_kind(const struct media_file *file)
{
	if (file->sniff.is_video)
		return X_MEDIA_VIDEO;
	return file->sniff.type == SNIFF_GIF ? X_MEDIA_GIF : X_MEDIA_IMAGE;
}

bool x_media_check(const struct env *env, size_t index, bool is_alone, struct step *step)
{
	const struct media_file *file = &env->media[index];
	const enum x_media_kind kind = x_media_kind(file);
	const bool moves = kind == X_MEDIA_VIDEO || file->sniff.is_animated;
	if (moves && !is_alone) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
			  str_format(env->arena,
				     "Media file %zu: on X a video or animated GIF must be the "
				     "only media file of its post.",
				     index + 1));
		return false;
	}
	/* One picture of several that is a still GIF goes as an image. */
	return media_rule_check(rule_of(is_alone ? kind : X_MEDIA_IMAGE, env->account_extra), env,
				index, step);
}

/* ---- text ---- */

static struct str without_urls(struct arena *arena, struct str text)
{
	struct x_text_span spans[URLS_MAX];
	const size_t count = x_text_count_urls(text, spans, URLS_MAX);
	struct buf out;
	size_t from = 0;
	if (count == 0)
		return text;
	buf_init(&out, arena, text.len + 1);
	for (size_t i = 0; i < count; i++) {
		const size_t end = spans[i].begin > from && text.ptr[spans[i].begin - 1] == ' '
					   ? spans[i].begin - 1
					   : spans[i].begin;
		buf_add(&out, str_slice(text, from, end));
		from = spans[i].end;
	}
	buf_add(&out, str_slice(text, from, text.len));
	return str_trim(buf_str(&out));
}

struct str x_text(struct arena *arena, const struct post_content *post, const struct json *options,
		  size_t container)
{
	const struct str text = post->containers[container].content;
	return json_bool(json_get(options, "strip_links"), false) ? without_urls(arena, text)
								  : text;
}

struct str x_community_id(struct str given)
{
	return str_has_prefix(given, STR("http")) ? x_last_segment(given) : given;
}

/* ---- the check of a request ---- */

#define POLL_FIELD "platforms.x.poll"

/* What every check below reads. */
struct target {
	const struct post_content *post;
	const struct json *options;
	const struct rules_account *account;
	struct problems *problems;
	enum post_type type;
};

static void refuse(const struct target *at, struct str field, const char *reason, int64_t limit,
		   int64_t actual, const char *message)
{
	problem_add_rule(at->problems, field, reason, at->account->id, limit, actual,
			 str_of(message));
}

static bool has(const struct target *at, const char *option)
{
	return !json_is_null(json_get(at->options, option));
}

static bool poll_options_fit(const struct json *options)
{
	for (size_t i = 0; i < options->count; i++) {
		const size_t length = utf8_code_points(json_string(&options->items[i]));
		if (length < 1 || length > 25)
			return false;
	}
	return options->count >= 2 && options->count <= 4;
}

static void check_poll(const struct target *at)
{
	const struct json *poll = json_get(at->options, "poll");
	const struct json *options = json_get(poll, "options");
	const int64_t minutes = json_int(json_get(poll, "duration_minutes"), 0);
	if (!json_is(poll, JSON_TYPE_OBJECT))
		return;
	if (!json_is(options, JSON_TYPE_ARRAY) || !poll_options_fit(options))
		refuse(at, STR(POLL_FIELD), "bad_poll", -1, -1,
		       "A poll has 2 to 4 options of 1 to 25 characters.");
	if (minutes < 5 || minutes > 10080)
		refuse(at, STR(POLL_FIELD), "bad_poll", 10080, minutes,
		       "A poll runs for 5 to 10080 minutes (duration_minutes).");
}

/* X takes one of these at most (2.1). */
static void check_exclusive(const struct target *at)
{
	static const char *const names[] = {"poll", "quote_tweet_id", "card_uri",
					    "direct_message_deep_link"};
	int count = at->post->containers[0].media_count > 0 ? 1 : 0;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		count += has(at, names[i]);
	if (count > 1)
		refuse(at, STR("platforms.x"), "exclusive_options", 1, count,
		       "X allows only one of media, poll, quote_tweet_id, card_uri and "
		       "direct_message_deep_link.");
}

static bool is_id(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	}
	return text.len > 0 && text.len <= ID_DIGITS_MAX;
}

static void check_id(const struct target *at, const char *option, const struct json *value)
{
	const struct str given = json_string(value);
	const bool is_community = str_equal_z(str_of(option), "community_id");
	if (!json_is(value, JSON_TYPE_STRING) ||
	    is_id(is_community ? x_community_id(given) : given))
		return;
	refuse(at, str_format(at->problems->arena, "platforms.x.%s", option), "bad_option", -1, -1,
	       "X's ids are numbers of at most 19 digits, given as strings.");
}

static void check_ids(const struct target *at)
{
	static const char *const single[] = {"community_id", "quote_tweet_id",
					     "in_reply_to_tweet_id", "preview_media_id"};
	static const char *const lists[] = {"exclude_reply_user_ids", "tagged_user_ids"};
	for (size_t i = 0; i < COUNT_OF(single); i++)
		check_id(at, single[i], json_get(at->options, single[i]));
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct json *list = json_get(at->options, lists[i]);
		for (size_t j = 0; json_is(list, JSON_TYPE_ARRAY) && j < list->count; j++)
			check_id(at, lists[i], &list->items[j]);
	}
}

/* An edit is one post that takes another's place (2.1). */
static void check_edit(const struct target *at)
{
	const struct json *edit = json_get(at->options, "edit_options");
	if (!json_is(edit, JSON_TYPE_OBJECT))
		return;
	if (!is_id(json_string(json_get(edit, "previous_post_id"))))
		refuse(at, STR("platforms.x.edit_options"), "bad_option", -1, -1,
		       "edit_options needs previous_post_id, the id of the post to replace, as a "
		       "string.");
	if (!is_premium(at->account->extra))
		warning_add(at->problems, STR("platforms.x.edit_options"), "needs_subscription",
			    STR("Only accounts with an X subscription can edit a post."));
}

static void check_actions(const struct target *at)
{
	static const char *const names[] = {"visit_site", "watch_now", "app_install"};
	const struct json *actions = json_get(at->options, "call_to_actions");
	if (!json_is(actions, JSON_TYPE_OBJECT))
		return;
	for (size_t i = 0; i < actions->count; i++) {
		bool is_known = false;
		for (size_t j = 0; j < COUNT_OF(names); j++)
			is_known = is_known || str_equal_z(actions->keys[i], names[j]);
		if (!is_known || !json_is(&actions->items[i], JSON_TYPE_OBJECT))
			refuse(at, STR("platforms.x.call_to_actions"), "bad_option", -1, -1,
			       "call_to_actions holds visit_site, watch_now or app_install, each "
			       "an "
			       "object.");
	}
}

static bool is_ascii_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_captions_entry(const struct json *entry)
{
	const struct str language = json_string(json_get(entry, "language"));
	return rules_caption_is(entry) && language.len == 2 && is_ascii_letter(language.ptr[0]) &&
	       is_ascii_letter(language.ptr[1]);
}

/* A track is deleted by its language alone (2.5): there is one for each. */
static bool is_language_twice(const struct target *at, const struct json *list, size_t index)
{
	struct arena *arena = at->problems->arena;
	const struct str one =
		str_lower(arena, json_string(json_get(json_at(list, index), "language")));
	for (size_t i = 0; i < index; i++) {
		const struct json *other = json_get(json_at(list, i), "language");
		if (str_equal(one, str_lower(arena, json_string(other))))
			return true;
	}
	return false;
}

static void check_captions(const struct target *at)
{
	const struct json *list = json_get(at->options, "captions");
	const struct str field = STR("platforms.x.captions");
	const struct media *first =
		at->post->containers[0].media_count > 0 ? post_media_at(at->post, 0) : NULL;
	if (json_at(list, 0) != NULL && (first == NULL || first->type != MEDIA_VIDEO))
		refuse(at, field, "captions_without_video", -1, -1,
		       "captions are for a video, and the post has none.");
	for (size_t i = 0; json_at(list, i) != NULL; i++) {
		if (!is_captions_entry(json_at(list, i)))
			refuse(at, field, "bad_option", -1, -1,
			       "Each of captions needs url, an http or https URL, and language, "
			       "two letters such as de; name is a string.");
		else if (is_language_twice(at, list, i))
			refuse(at, field, "bad_option", -1, -1,
			       "X keeps one file of captions for each language.");
	}
}

/* $SYMBOL at the start or after a blank. */
static int64_t cashtags(struct str text)
{
	int64_t count = 0;
	for (size_t i = 0; i + 1 < text.len; i++) {
		const bool is_start = i == 0 || text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\n';
		count += is_start && text.ptr[i] == '$' && is_ascii_letter(text.ptr[i + 1]);
	}
	return count;
}

static bool has_forbidden_character(struct str text)
{
	uint32_t c = 0;
	while (utf8_take(&text, &c)) {
		if (c == 0xFFFE || c == 0xFEFF || c == 0xFFFF)
			return true;
	}
	return false;
}

/* As the request says, or as it was seen to be. */
static enum x_media_kind kind_of(const struct media *media, bool is_alone)
{
	if (media->type == MEDIA_VIDEO)
		return X_MEDIA_VIDEO;
	return is_alone && media->seen != NULL && media->seen->sniff.type == SNIFF_GIF
		       ? X_MEDIA_GIF
		       : X_MEDIA_IMAGE;
}

/* What the request says of its files; what they are is seen when they are there. */
static void check_files(const struct target *at, size_t container)
{
	const struct container *one = &at->post->containers[container];
	const size_t base = post_media_base(at->post, container);
	size_t videos = 0;
	for (size_t i = 0; i < one->media_count; i++) {
		const bool is_video = one->media[i].type == MEDIA_VIDEO;
		const struct media_rule *rule =
			rule_of(kind_of(&one->media[i], one->media_count == 1), at->account->extra);
		videos += is_video ? 1 : 0;
		media_rule_check_said(rule, at->post, base + i, at->account, at->problems);
		if (!str_is_empty(one->media[i].thumbnail_url))
			warning_add(at->problems,
				    rules_field(at->problems->arena, at->post, container, "media"),
				    "ignored",
				    STR("X accepts a preview picture only by media id "
					"(preview_media_id); thumbnail_url was ignored."));
		if (is_video && !str_is_empty(one->media[i].alt_text))
			warning_add(at->problems,
				    rules_field(at->problems->arena, at->post, container, "media"),
				    "ignored",
				    STR("X does not support alt text for videos; it was ignored."));
	}
	if (videos > 0 && one->media_count > videos)
		refuse(at, rules_field(at->problems->arena, at->post, container, "media"),
		       "mixed_media", 1, (int64_t)one->media_count,
		       "A post on X can have one video or up to 4 images, not both.");
}

static bool has_link(struct str text)
{
	struct x_text_span span;
	return x_text_count_urls(text, &span, 1) > 0;
}

static void check_text(const struct target *at, size_t container)
{
	struct arena *arena = at->problems->arena;
	const struct container *one = &at->post->containers[container];
	const struct str text = x_text(arena, at->post, at->options, container);
	const struct str field = rules_field(arena, at->post, container, "content");
	const bool is_article = container == 0 && at->type == POST_TYPE_ARTICLE;
	if (!is_article && cashtags(text) > 1)
		refuse(at, field, "too_many_cashtags", 1, cashtags(text),
		       "A post on X can have at most one cashtag.");
	if (!is_article && has_link(text))
		warning_add(at->problems, field, "link_costs_more",
			    STR("A post with a link costs the app $0.20 at X, one without $0.015 "
				"(prices of "
				"2026-08); the option strip_links leaves links out."));
	if (has_forbidden_character(text))
		refuse(at, field, "forbidden_character", -1, -1,
		       "X does not allow the characters U+FEFF, U+FFFE and U+FFFF.");
	const bool had_text = !str_is_empty(str_trim(one->content));
	if (str_is_empty(str_trim(text)) && one->media_count == 0 && (container == 0 || had_text))
		refuse(at, field, "text_required", 1, 0,
		       had_text ? "Without its links the text is empty."
				: "A post on X needs text or media.");
}

static bool is_web_address(struct str url)
{
	return media_address_is(url) && url.len <= HTTP_URL_MAX_BYTES;
}

static void check_article(const struct target *at)
{
	const struct json *article = json_get(at->options, "article");
	const struct str status = json_string(json_get(article, "status"));
	const struct str cover = json_string(json_get(article, "cover_url"));
	const struct str field = STR("platforms.x.article");
	const bool is_draft = str_equal_z(status, "draft");
	if (at->type != POST_TYPE_ARTICLE) {
		if (article != NULL)
			warning_add(at->problems, field, "ignored",
				    STR("Only valid with type \"article\"; ignored."));
		return;
	}
	if (!str_is_empty(status) && !is_draft && !str_equal_z(status, "published"))
		refuse(at, field, "bad_option", -1, -1, "status must be draft or published.");
	if (!str_is_empty(cover) && !is_web_address(cover))
		refuse(at, field, "bad_option", -1, -1,
		       "cover_url must be an absolute http or https URL.");
	if (is_draft && at->post->container_count > 1)
		refuse(at, STR("containers.1"), "comments_not_supported", 0,
		       (int64_t)at->post->container_count - 1, "A draft cannot have replies.");
	if (!is_premium(at->account->extra))
		warning_add(at->problems, STR("type"), "needs_subscription",
			    STR("Only accounts with an X subscription can write articles."));
}

static void warn(const struct target *at)
{
	if (has(at, "exclude_reply_user_ids") && !has(at, "in_reply_to_tweet_id"))
		warning_add(at->problems, STR("platforms.x.exclude_reply_user_ids"), "ignored",
			    STR("Only valid with in_reply_to_tweet_id; ignored."));
	if (has(at, "quote_tweet_id"))
		warning_add(at->problems, STR("platforms.x.quote_tweet_id"), "needs_enterprise",
			    STR("Only apps on X's Enterprise plan can quote a post."));
	if (has(at, "in_reply_to_tweet_id"))
		warning_add(at->problems, STR("platforms.x.in_reply_to_tweet_id"), "needs_mention",
			    STR("X lets apps reply to another account's post only where their "
				"account was mentioned."));
}

static void check(const struct post_content *post, enum post_type type,
		  const struct rules_account *account, struct problems *problems)
{
	const struct target at = {post, rules_options(post, PLATFORM_X), account, problems, type};
	check_poll(&at);
	check_exclusive(&at);
	check_ids(&at);
	check_edit(&at);
	check_actions(&at);
	check_captions(&at);
	check_article(&at);
	for (size_t i = 0; i < post->container_count; i++) {
		check_text(&at, i);
		check_files(&at, i);
	}
	warn(&at);
}
