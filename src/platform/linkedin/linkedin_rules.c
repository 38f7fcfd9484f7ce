/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: what it takes (linkedin.md 2.12, sections 3 and 6). Numbers that the document
 * marks as not verified are left to LinkedIn itself. */
#include "linkedin_adapter.h"

#include "arena.h"
#include "count_of.h"

#include "utf8.h"

#include "media_id.h"

#include "media_rules.h"
#include "rules.h"

#define MB 1048576 /* the document does not say which; the larger one refuses nothing good */
#define POLL_QUESTION_MAX 140
#define POLL_OPTION_MAX 30
#define POLL_OPTIONS_MIN 2
#define POLL_OPTIONS_MAX 4
#define ARTICLE_TEXT_MAX 4085 /* "< 4086" */
#define TITLE_MAX 400         /* our choice: none is documented */
#define URL_MAX 2048          /* design.md 7 */
#define MENTIONS_MAX 20       /* our choice */
#define TARGETS_MAX 20        /* our choice */
#define CAPTIONS_MAX 1        /* an upload has one address for them (2.6) */

const struct media_rule linkedin_media_rules[LINKEDIN_KINDS] = {
	[LINKEDIN_IMAGE] =
		{
			.what = "an image on LinkedIn",
			.types = MEDIA_TYPE_BIT(SNIFF_JPEG) | MEDIA_TYPE_BIT(SNIFF_PNG) |
				 MEDIA_TYPE_BIT(SNIFF_GIF),
			.types_text = "JPEG, PNG or GIF",
			.pixels_max = 36152319,
		},
	[LINKEDIN_VIDEO] =
		{
			.what = "a video on LinkedIn",
			.types = MEDIA_TYPE_BIT(SNIFF_MP4),
			.types_text = "MP4",
			.size_min_bytes = 75 * 1000,
			.size_max_bytes = INT64_C(500) * MB,
			.duration_min_ms = 3000,
			.duration_max_ms = 30 * 60 * 1000,
		},
	/* PDF, or what Office writes: DOCX and PPTX are ZIP files (2.5). */
	[LINKEDIN_DOCUMENT] =
		{
			.what = "a document on LinkedIn",
			.types = MEDIA_TYPE_BIT(SNIFF_PDF) | MEDIA_TYPE_BIT(SNIFF_ZIP) |
				 MEDIA_TYPE_BIT(SNIFF_OLE),
			.types_text = "PDF, PPT, PPTX, DOC or DOCX",
			.size_max_bytes = INT64_C(100) * MB,
		},
};

/* No limit is documented: ours is a million characters. */
const struct media_rule linkedin_captions_rule = {
	.what = "captions on LinkedIn",
	.types = MEDIA_TYPE_BIT(SNIFF_SRT),
	.types_text = "SRT",
	.size_max_bytes = MB,
};

static const struct type_rule linkedin_types[] = {
	{.type = POST_TYPE_POST,
	 .images_max = 20,
	 .videos_max = 1,
	 .media_max = 20,
	 .summary = "Text, up to 20 images, a video, a document or a poll"},
	{.type = POST_TYPE_CAROUSEL,
	 .images_max = 20,
	 .media_max = 20,
	 .summary = "2 to 20 images, or a document with the option document"},
	{.type = POST_TYPE_VIDEO,
	 .videos_min = 1,
	 .videos_max = 1,
	 .media_min = 1,
	 .media_max = 1,
	 .summary = "A post with a video"},
	{.type = POST_TYPE_ARTICLE,
	 .images_max = 1,
	 .media_max = 1,
	 .summary = "A link as a card; the image, if there is one, is shown on it"},
	{0},
};

static const struct option_rule linkedin_options[] = {
	{"visibility", OPTION_ENUM, 0, "PUBLIC|CONNECTIONS|LOGGED_IN",
	 "Who sees the post; PUBLIC when not given, CONNECTIONS for members only"},
	{"feedDistribution", OPTION_ENUM, 0, "MAIN_FEED|NONE",
	 "MAIN_FEED when not given; NONE keeps a page's post out of the feed"},
	{"targetEntities", OPTION_OBJECT_LIST, TARGETS_MAX, NULL,
	 "To whom a page's post is shown: objects of URN lists, such as {geoLocations: [...]}"},
	{"isReshareDisabledByAuthor", OPTION_BOOL, 0, NULL, "Nobody may share the post onward"},
	{"article", OPTION_OBJECT, 0, NULL,
	 "{source, title, description, thumbnail_url}: a link as a card; source is the first link "
	 "of the text when not given"},
	{"poll", OPTION_OBJECT, 0, NULL,
	 "{question, options: 2 to 4 texts, duration: ONE_DAY, THREE_DAYS, SEVEN_DAYS or "
	 "FOURTEEN_DAYS}; SEVEN_DAYS when not given"},
	{"document", OPTION_OBJECT, 0, NULL,
	 "{url, title}: a PDF, PowerPoint or Word file that is shown page by page"},
	{"media_title", OPTION_STRING, TITLE_MAX, NULL, "Title of the video"},
	{"thumbnail_url", OPTION_STRING, URL_MAX, NULL,
	 "Picture of the video; thumbnail_url of the medium when not given"},
	{"captions", OPTION_OBJECT_LIST, CAPTIONS_MAX, NULL,
	 "[{url, language}]: captions of the video, one SRT file; language as in de or pt-BR"},
	{"reshare_urn", OPTION_STRING, 200, NULL, "Shares this post: its URN, or a share's number"},
	{"mentions", OPTION_OBJECT_LIST, MENTIONS_MAX, NULL,
	 "[{name, urn}]: every @name of the text becomes a mention"},
	{"contentLandingPage", OPTION_STRING, URL_MAX, NULL, "Where a click on the content leads"},
	{"contentCallToActionLabel", OPTION_ENUM, 0,
	 "APPLY|DOWNLOAD|VIEW_QUOTE|LEARN_MORE|SIGN_UP|SUBSCRIBE|REGISTER|JOIN|ATTEND|REQUEST_DEMO|"
	 "SEE_MORE",
	 "The button at the content"},
	{0},
};

/* ---- the check ---- */

struct check {
	const struct post_content *post;
	const struct container *first;
	const struct json *options;
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

static void refuse_option(const struct check *check, const char *option, const char *reason,
			  struct str message)
{
	refuse(check, str_format(check->problems->arena, "platforms.linkedin.%s", option), reason,
	       -1, -1, message);
}

static struct str content_field(const struct check *check, const char *member)
{
	return rules_field(check->problems->arena, check->post, 0, member);
}

static const struct json *object(const struct check *check, const char *name)
{
	const struct json *value = json_get(check->options, name);
	return json_is(value, JSON_TYPE_OBJECT) ? value : NULL;
}

static bool is_url(struct str text)
{
	return text.len <= URL_MAX &&
	       (str_has_prefix(text, STR("https://")) || str_has_prefix(text, STR("http://")));
}

static void check_url(const struct check *check, const char *option, struct str url)
{
	if (!str_is_empty(url) && !is_url(url))
		refuse_option(
			check, option, "bad_option",
			str_format(
				check->problems->arena,
				"The option %s must be an http or https URL of at most %d bytes.",
				option, URL_MAX));
}

/* Of a file: an uploaded one has an id. */
static void check_file_url(const struct check *check, const char *option, struct str url)
{
	if (!media_id_is(url))
		check_url(check, option, url);
}

/* A member of an option that is a text of min to max characters. */
static void check_text(const struct check *check, const char *option, const struct json *value,
		       int64_t min, int64_t max)
{
	const int64_t length = (int64_t)utf8_code_points(json_string(value));
	const bool is_text = value == NULL || json_is(value, JSON_TYPE_STRING);
	if (is_text && length >= min && length <= max)
		return;
	refuse(check, str_format(check->problems->arena, "platforms.linkedin.%s", option),
	       length > max ? "option_too_large" : "bad_option", max, length,
	       str_format(check->problems->arena,
			  "The option %s must be a text of %d to %d characters.", option, (int)min,
			  (int)max));
}

static void check_poll(const struct check *check, const struct json *poll)
{
	static const char *const durations[] = {"ONE_DAY", "THREE_DAYS", "SEVEN_DAYS",
						"FOURTEEN_DAYS"};
	const struct json *options = json_get(poll, "options");
	const struct json *duration = json_get(poll, "duration");
	bool is_known = json_is_null(duration);
	check_text(check, "poll.question", json_get(poll, "question"), 1, POLL_QUESTION_MAX);
	for (size_t i = 0; i < COUNT_OF(durations); i++)
		is_known = is_known || str_equal_z(json_string(duration), durations[i]);
	if (!is_known)
		refuse_option(check, "poll.duration", "bad_option",
			      STR("A poll runs for ONE_DAY, THREE_DAYS, SEVEN_DAYS or "
				  "FOURTEEN_DAYS."));
	if (!json_is(options, JSON_TYPE_ARRAY) || options->count < POLL_OPTIONS_MIN ||
	    options->count > POLL_OPTIONS_MAX) {
		refuse_option(check, "poll.options", "bad_option",
			      STR("A poll needs 2 to 4 options, each a text."));
		return;
	}
	for (size_t i = 0; i < options->count; i++)
		check_text(check, "poll.options", json_at(options, i), 1, POLL_OPTION_MAX);
}

static void check_article(const struct check *check, const struct json *article)
{
	const struct str source = linkedin_article_source(check->options, check->first->content);
	if (str_is_empty(source))
		refuse_option(check, "article.source", "link_required",
			      STR("An article on LinkedIn needs a link: set the option "
				  "article.source, or put one in the text."));
	/* LinkedIn does not read the page (2.7). */
	if (str_is_empty(json_string(json_get(article, "title"))))
		warning_add(check->problems, STR("platforms.linkedin.article.title"), "bare_card",
			    STR("LinkedIn does not read the page that a card leads to: without "
				"article.title the card has no title."));
	if (check->first->media_count == 0 &&
	    str_is_empty(json_string(json_get(article, "thumbnail_url"))))
		warning_add(check->problems, STR("platforms.linkedin.article.thumbnail_url"),
			    "bare_card",
			    STR("LinkedIn does not read the page that a card leads to: without an "
				"image, or "
				"article.thumbnail_url, the card has no picture."));
	check_url(check, "article.source", source);
	check_file_url(check, "article.thumbnail_url",
		       json_string(json_get(article, "thumbnail_url")));
	check_text(check, "article.title", json_get(article, "title"), 0, ARTICLE_TEXT_MAX);
	check_text(check, "article.description", json_get(article, "description"), 0,
		   ARTICLE_TEXT_MAX);
}

static void check_document(const struct check *check, const struct json *document)
{
	const struct str url = json_string(json_get(document, "url"));
	if (str_is_empty(url))
		refuse_option(check, "document.url", "bad_option",
			      STR("A document needs the URL of its file."));
	check_file_url(check, "document.url", url);
	if (str_is_empty(str_trim(json_string(json_get(document, "title")))))
		refuse_option(check, "document.title", "bad_option",
			      STR("A document on LinkedIn needs a title."));
	check_text(check, "document.title", json_get(document, "title"), 0, TITLE_MAX);
}

static void check_captions(const struct check *check)
{
	const struct json *captions = json_get(check->options, "captions");
	const struct container *first = check->first;
	if (json_at(captions, 0) == NULL)
		return;
	if (first->media_count == 0 || first->media[0].type != MEDIA_VIDEO)
		refuse_option(check, "captions", "captions_without_video",
			      STR("captions are for a video, and the post has none."));
	if (!rules_caption_is(json_at(captions, 0)))
		refuse_option(check, "captions", "bad_option",
			      STR("captions needs url, an http or https URL, and language, a tag "
				  "such as de or pt-BR."));
}

static bool is_urn_of_somebody(struct str urn)
{
	if (!str_skip(&urn, STR("urn:li:person:")) && !str_skip(&urn, STR("urn:li:organization:")))
		return false;
	for (size_t i = 0; i < urn.len; i++) {
		const char c = urn.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_'))
			return false;
	}
	return urn.len > 0;
}

static void check_mention(const struct check *check, const struct json *mention)
{
	struct arena *arena = check->problems->arena;
	const struct str name = json_string(json_get(mention, "name"));
	if (str_is_empty(name) || str_find_char(name, ']', 0) != SIZE_MAX ||
	    !is_urn_of_somebody(json_string(json_get(mention, "urn")))) {
		refuse_option(check, "mentions", "bad_option",
			      STR("A mention needs a name, and the URN of a person or an "
				  "organization."));
		return;
	}
	if (str_find(check->first->content, str_concat(arena, STR("@"), name), 0) == SIZE_MAX)
		warning_add(check->problems, STR("platforms.linkedin.mentions"), "ignored",
			    str_format(arena,
				       "The text has no @" STR_FMT "; its mention was ignored.",
				       STR_ARG(name)));
}

static void check_mentions(const struct check *check)
{
	const struct json *mentions = json_get(check->options, "mentions");
	for (size_t i = 0; json_at(mentions, i) != NULL; i++)
		check_mention(check, json_at(mentions, i));
}

static bool is_urn_list(const struct json *list)
{
	bool is_good = json_is(list, JSON_TYPE_ARRAY);
	for (size_t i = 0; is_good && i < list->count; i++)
		is_good = str_has_prefix(json_string(json_at(list, i)), STR("urn:li:"));
	return is_good;
}

static bool is_target(const struct json *target)
{
	bool is_good = json_is(target, JSON_TYPE_OBJECT);
	for (size_t i = 0; is_good && i < target->count; i++)
		is_good = is_urn_list(&target->items[i]);
	return is_good;
}

/* What only members, or only pages, may ask for (2.2). */
static void check_audience(const struct check *check)
{
	const bool is_page = check->account->type == ACCOUNT_ORGANIZATION;
	const struct json *targets = json_get(check->options, "targetEntities");
	const struct str visibility = json_string(json_get(check->options, "visibility"));
	const struct str feed = json_string(json_get(check->options, "feedDistribution"));
	if (is_page && str_equal_z(visibility, "CONNECTIONS"))
		refuse_option(check, "visibility", "members_only",
			      STR("CONNECTIONS is only available for members."));
	if (!is_page && str_equal_z(feed, "NONE"))
		refuse_option(check, "feedDistribution", "pages_only",
			      STR("Keeping a post out of the feed is only available for pages."));
	if (!is_page && targets != NULL && targets->count > 0)
		refuse_option(check, "targetEntities", "pages_only",
			      STR("Audience targeting is only available for pages."));
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		if (!is_target(json_at(targets, i)))
			refuse_option(check, "targetEntities", "bad_option",
				      STR("Each entry of targetEntities must hold lists of URNs."));
	}
}

/* Exactly one kind of content, or none (2.2). An article's image is part of it. */
static void check_kinds(const struct check *check)
{
	const bool is_article = linkedin_is_article(check->type, check->options);
	const bool is_reshare = !str_is_empty(json_string(json_get(check->options, "reshare_urn")));
	const int kinds = is_article + is_reshare + (object(check, "poll") != NULL) +
			  (object(check, "document") != NULL) +
			  (check->first->media_count > 0 && !is_article);
	if (kinds > 1)
		refuse(check, STR("platforms.linkedin"), "mixed_content", 1, kinds,
		       STR("A post on LinkedIn can hold only one of these: images, a video, a "
			   "document, an article, a poll, another post."));
	if (is_article && check->first->media_count > 1)
		refuse(check, content_field(check, "media"), "too_many_media", 1,
		       (int64_t)check->first->media_count,
		       STR("An article on LinkedIn can have one image."));
	if (kinds == 0 && str_is_empty(str_trim(check->first->content)))
		refuse(check, content_field(check, "content"), "text_required", 1, 0,
		       STR("A post on LinkedIn needs text, media or another attachment."));
}

static size_t video_count(const struct container *container)
{
	size_t count = 0;
	for (size_t i = 0; i < container->media_count; i++)
		count += container->media[i].type == MEDIA_VIDEO;
	return count;
}

static void check_media(const struct check *check)
{
	const size_t videos = video_count(check->first);
	if (videos > 0 && (videos < check->first->media_count ||
			   linkedin_is_article(check->type, check->options)))
		refuse(check, content_field(check, "media"), "mixed_media", 1,
		       (int64_t)check->first->media_count,
		       STR("On LinkedIn a video must be the only media file."));
	if (check->type == POST_TYPE_CAROUSEL && check->first->media_count < 2 &&
	    object(check, "document") == NULL)
		refuse(check, content_field(check, "media"), "too_few_images", 2,
		       (int64_t)check->first->media_count,
		       STR("A carousel on LinkedIn needs at least 2 images, or the option "
			   "document."));
	for (size_t i = 0; i < check->first->media_count; i++) {
		const struct media *media = &check->first->media[i];
		const bool is_video = media->type == MEDIA_VIDEO;
		media_rule_check_said(
			&linkedin_media_rules[is_video ? LINKEDIN_VIDEO : LINKEDIN_IMAGE],
			check->post, i, check->account, check->problems);
		if (is_video && !str_is_empty(media->alt_text))
			warning_add(check->problems, content_field(check, "media"), "ignored",
				    STR("LinkedIn does not support alt text for videos; it was "
					"ignored."));
	}
}

static void linkedin_check(const struct post_content *post, enum post_type type,
			   const struct rules_account *account, struct problems *problems)
{
	const struct check check = {
		.post = post,
		.first = &post->containers[0],
		.options = rules_options(post, PLATFORM_LINKEDIN),
		.type = type,
		.account = account,
		.problems = problems,
	};
	check_kinds(&check);
	check_media(&check);
	check_audience(&check);
	check_mentions(&check);
	check_captions(&check);
	if (object(&check, "poll") != NULL)
		check_poll(&check, object(&check, "poll"));
	if (object(&check, "document") != NULL)
		check_document(&check, object(&check, "document"));
	if (linkedin_is_article(type, check.options))
		check_article(&check, object(&check, "article"));
	check_file_url(&check, "thumbnail_url",
		       json_string(json_get(check.options, "thumbnail_url")));
	check_url(&check, "contentLandingPage",
		  json_string(json_get(check.options, "contentLandingPage")));
}

static const struct default_type default_types[] = {
	{2, POST_MEDIA_MAX, 0, POST_MEDIA_MAX, POST_TYPE_CAROUSEL},
	{0, POST_MEDIA_MAX, 2, POST_MEDIA_MAX, POST_TYPE_CAROUSEL},
	{1, POST_MEDIA_MAX, 1, POST_MEDIA_MAX, POST_TYPE_CAROUSEL},
	{.type = POST_TYPE_NONE},
};

const struct post_rules linkedin_rules = {
	.types = linkedin_types,
	.default_types = default_types,
	.text_unit = &rules_code_points,
	.text_max = 3000,         /* section 3: before escaping */
	.comment_text_max = 1250, /* section 3 */
	.comments_max = POST_CONTAINERS_MAX - 1,
	.alt_text_max = 4086,
	.options = linkedin_options,
	.check = linkedin_check,
};
