/* SPDX-License-Identifier: Apache-2.0
 * Containers of the simulated Instagram (meta.md 4.1, 4.2, 5, 6.3). Media is fetched from
 * its URL and examined at once. As in reality, a faulty picture is refused at once, and a faulty
 * video shows in the container's status later. */
#include "sandbox_instagram.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"

#include "json.h"
#include "json_write.h"
#include "utf8.h"

#define CONTAINER_LIFE_US US_PER_DAY /* 4.1 */
#define CAPTION_CHARS_MAX 2200       /* 5 */
#define ALT_TEXT_CHARS_MAX 1000      /* 5 */
#define HASHTAGS_MAX 30              /* 5 */
#define MENTIONS_MAX 20              /* 5 */
#define USER_TAGS_MAX 20             /* 6.3, 2207040 */
#define COLLABORATORS_MAX 3          /* 8 */
#define IMAGE_MAX_BYTES (INT64_C(8) << 20)
#define VIDEO_MAX_BYTES (INT64_C(300) << 20)
#define STORY_VIDEO_MAX_BYTES (INT64_C(100) << 20)
#define VIDEO_MIN_MS 3000
#define VIDEO_MAX_MS (15 * 60 * 1000)
#define STORY_VIDEO_MAX_MS (60 * 1000)
#define IMAGE_POLLS 1 /* reads that say IN_PROGRESS before FINISHED (10) */
#define VIDEO_POLLS 3
#define PROCESSING_MAX_US (60 * US_PER_S) /* FINISHED after this time even without a read */

static const struct graph_error unreachable = {
	400,
	9004,
	2207052,
	"Only photo or video can be accepted as media type.",
	"Media download has failed.",
	"The media could not be fetched from this URI. Please check the limits and the address."};
static const struct graph_error download_timeout = {400,
						    -2,
						    2207003,
						    "It takes too long to download the media.",
						    "Download timed out",
						    "It takes too long to download the media."};
static const struct graph_error too_large = {400,
					     36000,
					     2207004,
					     "The image is too large to download.",
					     "Image too large",
					     "The image must be 8 MiB or smaller."};
static const struct graph_error bad_format = {400,
					      36001,
					      2207005,
					      "The image format is not supported.",
					      "Unsupported image format",
					      "The image must be a JPEG."};
static const struct graph_error bad_ratio = {400,
					     36003,
					     2207009,
					     "The submitted image has an invalid aspect ratio.",
					     "Invalid aspect ratio",
					     "The ratio must lie between 4:5 and 1.91:1."};
static const struct graph_error long_caption = {
	400,
	36004,
	2207010,
	"The caption was too long.",
	"Caption too long",
	"The caption may hold 2,200 characters, 30 hashtags and 20 mentions."};
static const struct graph_error no_media = {400, 100, 0,
					    "(#100) The parameter image_url is required."};
static const struct graph_error bad_type = {
	400,
	100,
	2207023,
	"The media type is unknown.",
	"Unknown media type",
	"media_type must be one of REELS, STORIES, CAROUSEL, VIDEO."};
static const struct graph_error old_video = {
	400,
	100,
	2207067,
	"The VIDEO value for media_type is no longer supported. Use the REELS media type to "
	"publish a video.",
	"Invalid media type",
	"Use the REELS media type to publish a video to your Instagram feed."};
static const struct graph_error bad_children = {400,
						100,
						2207028,
						"A carousel has 2 to 10 children.",
						"Invalid carousel",
						"Carousels need 2 to 10 photos or videos."};
const struct graph_error sandbox_instagram_unknown_container = {
	400,
	24,
	2207008,
	"The media builder does not exist or has expired.",
	"Media builder not found",
	"Create the container again."};
const struct graph_error sandbox_instagram_quota_reached = {
	400,
	9,
	2207042,
	"Application request limit reached",
	"Publishing quota reached",
	"You have reached the maximum number of posts that may be published "
	"through the API."};

static const char *const scope_publish = "instagram_content_publish";
static const char *const scope_read = "instagram_basic";

struct container *sandbox_instagram_container_find(struct sandbox_call *call,
						   const struct graph_page *page, struct str id)
{
	struct graph_node *node = sandbox_graph_node_find(call->sandbox, id);
	return node != NULL && node->kind == GRAPH_CONTAINER && node->page == page
		       ? (struct container *)node
		       : NULL;
}

struct sandbox_token *sandbox_instagram_reader(struct sandbox_call *call,
					       const struct graph_page *page, const char *scope)
{
	static const struct graph_error outage = {
		400, 100, 33,
		"Unsupported get request. The object does not exist, cannot be loaded due to "
		"missing permissions, or does not support this operation"};
	struct sandbox_token *token = sandbox_graph_page_reader(call, page, scope);
	if (token == NULL || !sandbox_graph_is_page_token(token) ||
	    sandbox_knob(call->sandbox, SANDBOX_KNOB_instagram_page_reads_fail) == 0)
		return token;
	sandbox_graph_fail(call, &outage);
	return NULL;
}

/* ---- processing (4.2) ---- */

static bool is_processed(const struct container *container, int64_t now_us)
{
	const bool is_video = container->media.sniff.is_video || container->kind == CONTAINER_REEL;
	return !container->waits_for_bytes &&
	       (container->polls >= (is_video ? VIDEO_POLLS : IMAGE_POLLS) ||
		now_us - container->created_us > PROCESSING_MAX_US);
}

const char *sandbox_instagram_container_status(struct sandbox_call *call,
					       const struct container *container)
{
	const int64_t now_us = call->now_us;
	const int64_t late_us =
		US_PER_S * sandbox_knob(call->sandbox, SANDBOX_KNOB_instagram_published_late_s);
	if (container->media_id.len > 0)
		return now_us - container->published_us >= late_us ? "PUBLISHED" : "FINISHED";
	if (now_us - container->created_us > CONTAINER_LIFE_US)
		return "EXPIRED";
	if (!is_processed(container, now_us))
		return "IN_PROGRESS";
	if (container->error_subcode != 0)
		return "ERROR";
	return "FINISHED";
}

static struct str status_text(struct arena *arena, const struct container *container,
			      const char *code)
{
	if (strcmp(code, "ERROR") == 0)
		return str_format(arena, "Error: Media upload has failed with error code %d",
				  container->error_subcode);
	if (strcmp(code, "FINISHED") == 0)
		return STR("Finished: Media has been uploaded and it is ready to be published.");
	if (strcmp(code, "IN_PROGRESS") == 0)
		return STR("In Progress: Media is still being processed.");
	if (strcmp(code, "PUBLISHED") == 0)
		return STR("Published: Media has been successfully published.");
	return STR("Expired: Media has expired, please upload again.");
}

void sandbox_instagram_container_get(struct sandbox_call *call, struct graph_node *node)
{
	struct container *container = (struct container *)node;
	if (sandbox_instagram_reader(call, node->page, scope_read) == NULL)
		return;
	const char *code = sandbox_instagram_container_status(call, container);
	if (sandbox_graph_wants(call, "status_code", false) ||
	    sandbox_graph_wants(call, "status", false))
		container->polls++;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	if (sandbox_graph_wants(call, "status_code", false))
		json_member_str(&w, "status_code", str_of(code));
	if (sandbox_graph_wants(call, "status", false))
		json_member_str(&w, "status", status_text(call->arena, container, code));
	json_member_str(&w, "id", node->id);
	json_end_object(&w);
}

/* ---- making containers (4.1) ---- */

static size_t count_char(struct str text, char c)
{
	size_t count = 0;
	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == c ? 1 : 0;
	return count;
}

/* Between 4:5 and 1.91:1, in whole numbers; stories have no hard ratio (5). */
static bool ratio_is_right(const struct sniff *sniff)
{
	const uint64_t width = sniff->width;
	const uint64_t height = sniff->height;
	if (width == 0 || height == 0)
		return true;
	return width * 5 >= height * 4 && width * 100 <= height * 191;
}

static bool check_image(struct sandbox_call *call, const struct container *draft)
{
	const struct graph_error *error = NULL;
	if (!draft->media.sniff.is_image && !draft->media.sniff.is_video)
		error = &unreachable;
	else if (draft->media.sniff.type != SNIFF_JPEG)
		error = &bad_format;
	else if (draft->media.size_bytes > IMAGE_MAX_BYTES)
		error = &too_large;
	else if (draft->kind != CONTAINER_STORY && !ratio_is_right(&draft->media.sniff))
		error = &bad_ratio;
	if (error != NULL)
		sandbox_graph_fail(call, error);
	return error == NULL;
}

/* Meta asks for plain ASCII URLs (1). */
static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	}
	return true;
}

static bool pull_image(struct sandbox_call *call, struct str url, struct container *draft)
{
	const struct sandbox_pull_config config = {.url = url,
						   .user_agent = GRAPH_FETCH_AGENT,
						   .max_bytes = IMAGE_MAX_BYTES,
						   .follow_redirects = true};
	const enum sandbox_pull outcome =
		is_ascii(url) ? sandbox_media_pull(call, &config, &draft->media, NULL)
			      : SANDBOX_PULL_BAD_URL;
	if (outcome == SANDBOX_PULL_OK)
		return check_image(call, draft);
	if (outcome == SANDBOX_PULL_TOO_LARGE)
		sandbox_graph_fail(call, &too_large);
	else if (outcome == SANDBOX_PULL_TIMEOUT)
		sandbox_graph_fail(call, &download_timeout);
	else
		sandbox_graph_fail(call, &unreachable);
	return false;
}

/* The error that processing will report for a video (5); 0 = none. */
static int video_fault(const struct container *container)
{
	const struct sandbox_media *media = &container->media;
	const bool is_story = container->kind == CONTAINER_STORY;
	const int64_t duration_ms = media->sniff.duration_ms;
	if (media->sniff.type != SNIFF_MP4 && media->sniff.type != SNIFF_MOV)
		return 2207026;
	if (media->size_bytes > (is_story ? STORY_VIDEO_MAX_BYTES : VIDEO_MAX_BYTES))
		return 2207026;
	if (duration_ms == 0)
		return 0;
	if (duration_ms < VIDEO_MIN_MS ||
	    duration_ms > (is_story ? STORY_VIDEO_MAX_MS : VIDEO_MAX_MS))
		return 2207026;
	return container->thumb_offset_ms > duration_ms ? 2207057 : 0;
}

/* Errors in a video are found during processing. */
static void pull_video(struct sandbox_call *call, struct str url, struct container *draft)
{
	const struct sandbox_pull_config config = {
		.url = url,
		.user_agent = GRAPH_FETCH_AGENT,
		.max_bytes =
			draft->kind == CONTAINER_STORY ? STORY_VIDEO_MAX_BYTES : VIDEO_MAX_BYTES,
		.follow_redirects = true,
	};
	const enum sandbox_pull outcome = sandbox_media_pull(call, &config, &draft->media, NULL);
	if (outcome == SANDBOX_PULL_TIMEOUT)
		draft->error_subcode = 2207003;
	else if (outcome == SANDBOX_PULL_TOO_LARGE)
		draft->error_subcode = 2207053;
	else if (outcome != SANDBOX_PULL_OK)
		draft->error_subcode = 2207052;
	else
		draft->error_subcode = video_fault(draft);
}

/* Only Facebook Login's host has resumable uploads (2.1). */
static const struct graph_error no_resumable = {
	400, 100, 0, "(#100) The parameter upload_type is not supported with Instagram Login"};

static bool read_media(struct sandbox_call *call, struct container *draft)
{
	const struct str image = sandbox_param(call, "image_url");
	const struct str video = sandbox_param(call, "video_url");
	const bool may_be_image = draft->kind == CONTAINER_IMAGE || draft->kind == CONTAINER_STORY;
	const bool may_be_video = draft->kind != CONTAINER_IMAGE;
	if (sandbox_has_param(call, "upload_type") && sandbox_graph_is_login_host(call)) {
		sandbox_graph_fail(call, &no_resumable);
		return false;
	}
	if (may_be_video && str_equal_z(sandbox_param(call, "upload_type"), "resumable")) {
		draft->waits_for_bytes = true;
		return true;
	}
	if (may_be_image && image.len > 0)
		return pull_image(call, image, draft);
	if (!may_be_video || video.len == 0) {
		sandbox_graph_fail(call, &no_media);
		return false;
	}
	pull_video(call, video, draft);
	return true;
}

/* A JPEG of up to 8 MB and any ratio; it takes precedence over thumb_offset (4.1, 5). */
static bool read_cover(struct sandbox_call *call, struct container *draft)
{
	const struct str url = sandbox_param(call, "cover_url");
	if (draft->kind != CONTAINER_REEL || url.len == 0)
		return true;
	draft->thumb_offset_ms = -1;
	struct container cover = {.kind = CONTAINER_STORY};
	return pull_image(call, url, &cover);
}

static bool is_among(struct container *const *children, size_t count, const struct container *child)
{
	for (size_t i = 0; i < count; i++) {
		if (children[i] == child)
			return true;
	}
	return false;
}

/* "id,id,..." or a JSON list of ids. */
static bool read_children(struct sandbox_call *call, struct container *draft)
{
	struct str text = sandbox_param(call, "children");
	draft->child_count = 0;
	struct str word;
	while (text.ptr != NULL && str_take_field(&text, ',', &word)) {
		while (word.len > 0 && strchr("[]\" ", word.ptr[0]) != NULL)
			word = str_slice(word, 1, word.len);
		while (word.len > 0 && strchr("[]\" ", word.ptr[word.len - 1]) != NULL)
			word = str_slice(word, 0, word.len - 1);
		struct container *child =
			sandbox_instagram_container_find(call, draft->node.page, word);
		if (child == NULL || !child->is_child ||
		    draft->child_count == INSTAGRAM_CHILDREN_MAX ||
		    is_among(draft->children, draft->child_count, child)) {
			sandbox_graph_fail(call, child == NULL
							 ? &sandbox_instagram_unknown_container
							 : &bad_children);
			return false;
		}
		draft->children[draft->child_count++] = child;
	}
	if (draft->child_count < INSTAGRAM_CHILDREN_MIN) {
		sandbox_graph_fail(call, &bad_children);
		return false;
	}
	return true;
}

static bool read_kind(struct sandbox_call *call, struct container *draft)
{
	const struct str type = sandbox_param(call, "media_type");
	draft->is_child = str_equal_z(sandbox_param(call, "is_carousel_item"), "true") ||
			  str_equal_z(sandbox_param(call, "is_carousel_item"), "1");
	if (type.len == 0 || str_equal_z(type, "IMAGE"))
		draft->kind = CONTAINER_IMAGE;
	else if (str_equal_z(type, "REELS"))
		draft->kind = CONTAINER_REEL;
	else if (str_equal_z(type, "STORIES"))
		draft->kind = CONTAINER_STORY;
	else if (str_equal_z(type, "CAROUSEL"))
		draft->kind = CONTAINER_CAROUSEL;
	else if (str_equal_z(type, "VIDEO"))
		draft->kind = CONTAINER_VIDEO;
	else {
		sandbox_graph_fail(call, &bad_type);
		return false;
	}
	if (draft->kind == CONTAINER_VIDEO && !draft->is_child) {
		sandbox_graph_fail(call, &old_video);
		return false;
	}
	if (draft->is_child && (draft->kind == CONTAINER_REEL || draft->kind == CONTAINER_STORY ||
				draft->kind == CONTAINER_CAROUSEL)) {
		sandbox_graph_fail(call, &bad_children);
		return false;
	}
	return true;
}

static bool check_caption(struct sandbox_call *call, const struct container *draft)
{
	if (utf8_code_points(draft->caption) > CAPTION_CHARS_MAX ||
	    count_char(draft->caption, '#') > HASHTAGS_MAX ||
	    count_char(draft->caption, '@') > MENTIONS_MAX) {
		sandbox_graph_fail(call, &long_caption);
		return false;
	}
	return true;
}

static bool refuse(struct sandbox_call *call, int code, int subcode, const char *message)
{
	sandbox_graph_fail_text(call, &(struct graph_error){400, code, subcode}, str_of(message));
	return false;
}

/* Only the parent of a carousel accepts these (4.1). */
static bool check_child(struct sandbox_call *call, const struct container *draft)
{
	static const char *const names[] = {"caption", "location_id", "collaborators",
					    "is_ai_generated"};
	for (size_t i = 0; draft->is_child && i < COUNT_OF(names); i++) {
		if (!sandbox_has_param(call, names[i]))
			continue;
		const struct str text =
			str_format(call->arena,
				   "(#100) The param %s is not allowed on a carousel "
				   "item",
				   names[i]);
		return refuse(call, 100, 0, str_z(call->arena, text));
	}
	return true;
}

/* A parameter that is a list in JSON text; NULL when it is absent. *is_list_out is false when it
 * is present and not a list. */
static const struct json *list_param(struct sandbox_call *call, const char *name, bool *is_list_out)
{
	*is_list_out = true;
	if (!sandbox_has_param(call, name))
		return NULL;
	const struct json *list = NULL;
	*is_list_out = json_parse(call->arena, sandbox_param(call, name), NULL, &list, NULL,
				  NULL) == ERR_NONE &&
		       json_is(list, JSON_TYPE_ARRAY);
	return *is_list_out ? list : NULL;
}

static bool is_share(const struct json *value)
{
	const double number = json_is(value, JSON_TYPE_INT)    ? (double)value->integer
			      : json_is(value, JSON_TYPE_REAL) ? value->real
							       : -1;
	return number >= 0 && number <= 1;
}

/* Tags have a position on a picture, none on a reel, and an optional one on a story (4.1). */
static bool tag_is_placed(const struct container *draft, const struct json *tag)
{
	const bool has_x = !json_is_null(json_get(tag, "x"));
	const bool has_y = !json_is_null(json_get(tag, "y"));
	if (draft->kind == CONTAINER_REEL || draft->kind == CONTAINER_VIDEO)
		return !has_x && !has_y;
	if (draft->kind == CONTAINER_STORY && !has_x && !has_y)
		return true;
	return is_share(json_get(tag, "x")) && is_share(json_get(tag, "y"));
}

static bool check_tags(struct sandbox_call *call, const struct container *draft)
{
	bool is_list;
	const struct json *tags = list_param(call, "user_tags", &is_list);
	if (!is_list)
		return refuse(call, 100, 0, "(#100) Param user_tags must be an array.");
	if (tags != NULL && tags->count > USER_TAGS_MAX)
		return refuse(call, 100, 2207040, "(#100) At most 20 people can be tagged.");
	for (size_t i = 0; tags != NULL && i < tags->count; i++) {
		if (json_string(json_get(&tags->items[i], "username")).len == 0)
			return refuse(call, 100, 2207037, "(#100) A tag needs a username.");
		if (!tag_is_placed(draft, &tags->items[i]))
			return refuse(call, 100, 2207036, "(#100) The place of a tag is wrong.");
	}
	return true;
}

static bool check_collaborators(struct sandbox_call *call)
{
	bool is_list;
	const struct json *list = list_param(call, "collaborators", &is_list);
	if (!is_list || (list != NULL && list->count > COLLABORATORS_MAX))
		return refuse(call, 100, 0,
			      "(#100) Param collaborators must be up to 3 usernames.");
	return true;
}

static bool is_number(struct str text)
{
	uint64_t number;
	return str_parse_u64(text, &number) && number != 0;
}

static bool check_location(struct sandbox_call *call)
{
	if (sandbox_has_param(call, "location_id") &&
	    !is_number(sandbox_param(call, "location_id")))
		return refuse(call, 100, 0, "INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID");
	return true;
}

static bool check_alt_text(struct sandbox_call *call)
{
	if (utf8_code_points(sandbox_param(call, "alt_text")) > ALT_TEXT_CHARS_MAX)
		return refuse(call, 100, 0, "(#100) alt_text may hold 1,000 characters.");
	return true;
}

/* The checks that do not need the media. */
static bool check_words(struct sandbox_call *call, const struct container *draft)
{
	return check_child(call, draft) && check_caption(call, draft) && check_tags(call, draft) &&
	       check_collaborators(call) && check_location(call) && check_alt_text(call);
}

/* Counts the events of the last 24 hours; their times are kept in a ring as long as the limit. */
struct instagram_quota {
	int64_t at_us[INSTAGRAM_CONTAINERS_PER_DAY];
	size_t next;
};

struct instagram_quota *sandbox_instagram_quota_of(struct sandbox_call *call, const char *kind,
						   struct str ig_id)
{
	struct instagram_quota *quota =
		sandbox_object_get(call->sandbox, SANDBOX_INSTAGRAM, kind, ig_id);
	if (quota == NULL) {
		quota = sandbox_keep(call->sandbox, sizeof(*quota));
		sandbox_object_put(call->sandbox, SANDBOX_INSTAGRAM, kind, ig_id, quota);
	}
	return quota;
}

size_t sandbox_instagram_quota_used(const struct instagram_quota *quota, int64_t now_us)
{
	size_t used = 0;
	for (size_t i = 0; i < INSTAGRAM_CONTAINERS_PER_DAY; i++)
		used += quota->at_us[i] != 0 &&
					now_us - quota->at_us[i] < INSTAGRAM_DAY_S * US_PER_S
				? 1
				: 0;
	return used;
}

void sandbox_instagram_quota_count(struct instagram_quota *quota, int64_t now_us)
{
	quota->at_us[quota->next++ % INSTAGRAM_CONTAINERS_PER_DAY] = now_us;
}

bool sandbox_instagram_container_waits(const struct graph_node *node)
{
	return ((const struct container *)node)->waits_for_bytes;
}

void sandbox_instagram_container_fill(struct graph_node *node, const struct sandbox_media *media)
{
	struct container *container = (struct container *)node;
	const struct str alt_text = container->media.alt_text;
	container->media = *media;
	container->media.alt_text = alt_text;
	container->waits_for_bytes = false;
	container->error_subcode = video_fault(container);
}

static void answer_container(struct sandbox_call *call, const struct container *container)
{
	const struct str version = sandbox_graph_version(call);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "id", container->node.id);
	if (container->waits_for_bytes)
		json_member_str(
			&w, "uri",
			sandbox_url(call, "rupload.facebook.com",
				    str_format(call->arena, "/ig-api-upload/" STR_FMT "/" STR_FMT,
					       STR_ARG(version.len > 0 ? version : STR("v25.0")),
					       STR_ARG(container->node.id))));
	json_end_object(&w);
}

void sandbox_instagram_container_post(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_page *page = node->page;
	struct container draft = {.node = {.kind = GRAPH_CONTAINER, .page = page},
				  .caption = sandbox_param(call, "caption")};
	if (sandbox_graph_page_reader(call, page, scope_publish) == NULL ||
	    !read_kind(call, &draft) || !check_words(call, &draft))
		return;
	if (sandbox_instagram_quota_used(
		    sandbox_instagram_quota_of(call, "containers", page->ig_id), call->now_us) >=
	    INSTAGRAM_CONTAINERS_PER_DAY) {
		sandbox_graph_fail(call, &sandbox_instagram_quota_reached);
		return;
	}
	draft.thumb_offset_ms = sandbox_param_int(call, "thumb_offset", -1);
	const bool is_read = draft.kind == CONTAINER_CAROUSEL
				     ? read_children(call, &draft)
				     : read_cover(call, &draft) && read_media(call, &draft);
	if (!is_read || sandbox_graph_page_reader(call, page, scope_publish) == NULL)
		return;
	struct container *container = sandbox_keep(call->sandbox, sizeof(*container));
	*container = draft;
	container->node.id = sandbox_id_decimal(call->sandbox, "178", 17);
	container->caption = sandbox_keep_str(call->sandbox, draft.caption);
	container->media.alt_text =
		sandbox_keep_str(call->sandbox, sandbox_param(call, "alt_text"));
	container->created_us = call->now_us;
	sandbox_graph_node_add(call->sandbox, &container->node);
	sandbox_instagram_quota_count(sandbox_instagram_quota_of(call, "containers", page->ig_id),
				      call->now_us);
	answer_container(call, container);
}
