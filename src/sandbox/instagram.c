/* SPDX-License-Identifier: Apache-2.0
 * Publishing on Instagram business accounts as the sandbox plays it: containers that take time,
 * media_publish, quotas, comments (platforms/meta.md 4, 5, 6.3). Media is fetched from the given
 * URL at once and looked at; what is wrong with a picture is said at once, what is wrong with a
 * video shows in the container's status later, as in life. */
#include "graph_private.h"

#include "arena.h"
#include "buf.h"
#include "str.h"

#include "json.h"
#include "json_write.h"
#include "utf8.h"

#define CONTAINER_LIFE_US US_PER_DAY /* 4.1 */
#define CONTAINERS_PER_DAY 400       /* 4.1 */
#define PUBLISH_QUOTA 50             /* 4.4: two of Meta's three pages say 50 */
#define QUOTA_DURATION_S 86400
#define CAPTION_CHARS_MAX 2200 /* 5 */
#define HASHTAGS_MAX 30        /* 5 */
#define IMAGE_MAX_BYTES (INT64_C(8) << 20)
#define VIDEO_MAX_BYTES (INT64_C(300) << 20)
#define STORY_VIDEO_MAX_BYTES (INT64_C(100) << 20)
#define CHILDREN_MIN 2
#define CHILDREN_MAX 10
#define IMAGE_POLLS 1 /* reads that say IN_PROGRESS before FINISHED (10) */
#define VIDEO_POLLS 3
#define PROCESSING_MAX_US (60 * US_PER_S) /* FINISHED after this, also when nobody asked */
#define FETCH_AGENT "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"

enum container_kind {
	CONTAINER_IMAGE,
	CONTAINER_VIDEO,
	CONTAINER_REEL,
	CONTAINER_STORY,
	CONTAINER_CAROUSEL
};

struct container {
	struct graph_node node;
	enum container_kind kind;
	bool is_child;
	bool waits_for_bytes; /* upload_type=resumable, and they are not there yet */
	struct str caption;
	struct sandbox_media media;
	struct container *children[CHILDREN_MAX];
	size_t child_count;
	unsigned polls;
	int error_subcode; /* what processing will find wrong; 0 = nothing */
	int64_t created_us;
	struct str media_id; /* once published */
};

struct ig_media {
	struct graph_node node;
	struct str caption;
	struct str permalink;
	struct str shortcode;
	const char *product_type;
	const char *media_type;
	int64_t created_us;
};

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
static const struct graph_error child_caption = {
	400, 100, 0, "(#100) The param caption is not allowed on a carousel item."};
static const struct graph_error unknown_container = {
	400,
	24,
	2207008,
	"The media builder does not exist or has expired.",
	"Media builder not found",
	"Create the container again."};
static const struct graph_error not_ready = {
	400,
	9007,
	2207027,
	"Media ID is not available",
	"Media not ready",
	"The media is not ready for publishing, please wait for a moment"};
static const struct graph_error quota_reached = {
	400,
	9,
	2207042,
	"Application request limit reached",
	"Publishing quota reached",
	"You have reached the maximum number of posts that may be published "
	"through the API."};
static const struct graph_error already_published = {
	400, 100, 0, "(#100) The media has already been published."};
static const struct graph_error no_message = {400, 100, 0,
					      "(#100) The parameter message is required."};
static const struct graph_error no_comments = {400, 100, 0,
					       "(#100) Comments are not possible on this media."};

static const char *const scope_publish = "instagram_content_publish";
static const char *const scope_read = "instagram_basic";

static struct container *find_container(struct sandbox_call *call, const struct graph_page *page,
					struct str id)
{
	struct graph_node *node = graph_node_find(call->sandbox, id);

	return node != NULL && node->kind == GRAPH_CONTAINER && node->page == page
		       ? (struct container *)node
		       : NULL;
}

/* ---- Processing (4.2) ---- */

static bool is_processed(const struct container *container, int64_t now_us)
{
	bool is_video = container->media.sniff.is_video || container->kind == CONTAINER_REEL;

	return !container->waits_for_bytes &&
	       (container->polls >= (is_video ? VIDEO_POLLS : IMAGE_POLLS) ||
		now_us - container->created_us > PROCESSING_MAX_US);
}

static const char *status_code(const struct container *container, int64_t now_us)
{
	if (container->media_id.len > 0)
		return "PUBLISHED";
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

static void get_container(struct sandbox_call *call, struct graph_node *node)
{
	struct container *container = (struct container *)node;
	struct json_writer w;

	if (graph_page_reader(call, node->page, scope_read) == NULL)
		return;
	const char *code = status_code(container, call->now_us);
	if (graph_wants(call, "status_code", false) || graph_wants(call, "status", false))
		container->polls++;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	if (graph_wants(call, "status_code", false))
		json_member_str(&w, "status_code", str_of(code));
	if (graph_wants(call, "status", false))
		json_member_str(&w, "status", status_text(call->arena, container, code));
	json_member_str(&w, "id", node->id);
	json_end_object(&w);
}

/* ---- Making containers (4.1) ---- */

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
	uint64_t width = sniff->width;
	uint64_t height = sniff->height;

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
		graph_fail(call, error);
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
	struct sandbox_pull_config config = {.url = url,
					     .user_agent = FETCH_AGENT,
					     .max_bytes = IMAGE_MAX_BYTES,
					     .follow_redirects = true};
	enum sandbox_pull outcome = is_ascii(url)
					    ? sandbox_media_pull(call, &config, &draft->media, NULL)
					    : SANDBOX_PULL_BAD_URL;

	if (outcome == SANDBOX_PULL_OK)
		return check_image(call, draft);
	if (outcome == SANDBOX_PULL_TOO_LARGE)
		graph_fail(call, &too_large);
	else if (outcome == SANDBOX_PULL_TIMEOUT)
		graph_fail(call, &download_timeout);
	else
		graph_fail(call, &unreachable);
	return false;
}

/* A video's faults are found while it is processed. */
static void pull_video(struct sandbox_call *call, struct str url, struct container *draft)
{
	struct sandbox_pull_config config = {
		.url = url,
		.user_agent = FETCH_AGENT,
		.max_bytes =
			draft->kind == CONTAINER_STORY ? STORY_VIDEO_MAX_BYTES : VIDEO_MAX_BYTES,
		.follow_redirects = true,
	};
	enum sandbox_pull outcome = sandbox_media_pull(call, &config, &draft->media, NULL);

	if (outcome == SANDBOX_PULL_TIMEOUT)
		draft->error_subcode = 2207003;
	else if (outcome == SANDBOX_PULL_TOO_LARGE)
		draft->error_subcode = 2207053;
	else if (outcome != SANDBOX_PULL_OK)
		draft->error_subcode = 2207052;
	else if (draft->media.sniff.type != SNIFF_MP4 && draft->media.sniff.type != SNIFF_MOV)
		draft->error_subcode = 2207026;
}

static bool read_media(struct sandbox_call *call, struct container *draft)
{
	struct str image = sandbox_param(call, "image_url");
	struct str video = sandbox_param(call, "video_url");
	bool may_be_image = draft->kind == CONTAINER_IMAGE || draft->kind == CONTAINER_STORY;
	bool may_be_video = draft->kind != CONTAINER_IMAGE;

	if (may_be_video && str_equal_z(sandbox_param(call, "upload_type"), "resumable")) {
		draft->waits_for_bytes = true;
		return true;
	}
	if (may_be_image && image.len > 0)
		return pull_image(call, image, draft);
	if (!may_be_video || video.len == 0) {
		graph_fail(call, &no_media);
		return false;
	}
	pull_video(call, video, draft);
	return true;
}

/* "id,id,..." or a JSON list of ids. */
static bool read_children(struct sandbox_call *call, struct container *draft)
{
	struct str text = sandbox_param(call, "children");
	struct str word;

	draft->child_count = 0;
	while (text.ptr != NULL && str_take_field(&text, ',', &word)) {
		while (word.len > 0 && strchr("[]\" ", word.ptr[0]) != NULL)
			word = str_slice(word, 1, word.len);
		while (word.len > 0 && strchr("[]\" ", word.ptr[word.len - 1]) != NULL)
			word = str_slice(word, 0, word.len - 1);
		struct container *child = find_container(call, draft->node.page, word);
		if (child == NULL || !child->is_child || draft->child_count == CHILDREN_MAX) {
			graph_fail(call, child == NULL ? &unknown_container : &bad_children);
			return false;
		}
		draft->children[draft->child_count++] = child;
	}
	if (draft->child_count < CHILDREN_MIN) {
		graph_fail(call, &bad_children);
		return false;
	}
	return true;
}

static bool read_kind(struct sandbox_call *call, struct container *draft)
{
	struct str type = sandbox_param(call, "media_type");

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
		graph_fail(call, &bad_type);
		return false;
	}
	if (draft->kind == CONTAINER_VIDEO && !draft->is_child) {
		graph_fail(call, &old_video);
		return false;
	}
	if (draft->is_child && (draft->kind == CONTAINER_REEL || draft->kind == CONTAINER_STORY ||
				draft->kind == CONTAINER_CAROUSEL)) {
		graph_fail(call, &bad_children);
		return false;
	}
	return true;
}

static bool check_caption(struct sandbox_call *call, const struct container *draft)
{
	if (draft->is_child && draft->caption.len > 0) {
		graph_fail(call, &child_caption);
		return false;
	}
	if (utf8_code_points(draft->caption) > CAPTION_CHARS_MAX ||
	    count_char(draft->caption, '#') > HASHTAGS_MAX) {
		graph_fail(call, &long_caption);
		return false;
	}
	return true;
}

/* Counts what happened in the last 24 h; the instants stand in a ring as long as the limit. */
struct quota {
	int64_t at_us[CONTAINERS_PER_DAY];
	size_t next;
};

static struct quota *quota_of(struct sandbox_call *call, const char *kind, struct str ig_id)
{
	struct quota *quota = sandbox_object_get(call->sandbox, SANDBOX_INSTAGRAM, kind, ig_id);

	if (quota == NULL) {
		quota = sandbox_keep(call->sandbox, sizeof(*quota));
		sandbox_object_put(call->sandbox, SANDBOX_INSTAGRAM, kind, ig_id, quota);
	}
	return quota;
}

static size_t quota_used(const struct quota *quota, int64_t now_us)
{
	size_t used = 0;

	for (size_t i = 0; i < CONTAINERS_PER_DAY; i++)
		used += quota->at_us[i] != 0 &&
					now_us - quota->at_us[i] < QUOTA_DURATION_S * US_PER_S
				? 1
				: 0;
	return used;
}

static void quota_count(struct quota *quota, int64_t now_us)
{
	quota->at_us[quota->next++ % CONTAINERS_PER_DAY] = now_us;
}

bool instagram_container_waits(const struct graph_node *node)
{
	return ((const struct container *)node)->waits_for_bytes;
}

void instagram_container_fill(struct graph_node *node, const struct sandbox_media *media)
{
	struct container *container = (struct container *)node;
	struct str alt_text = container->media.alt_text;

	container->media = *media;
	container->media.alt_text = alt_text;
	container->waits_for_bytes = false;
	if (media->sniff.type != SNIFF_MP4 && media->sniff.type != SNIFF_MOV)
		container->error_subcode = 2207026;
}

static void answer_container(struct sandbox_call *call, const struct container *container)
{
	struct str version = graph_version(call);
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

static void post_media(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_page *page = node->page;
	struct container draft = {.node = {.kind = GRAPH_CONTAINER, .page = page},
				  .caption = sandbox_param(call, "caption")};

	if (graph_page_reader(call, page, scope_publish) == NULL || !read_kind(call, &draft) ||
	    !check_caption(call, &draft))
		return;
	if (quota_used(quota_of(call, "containers", page->ig_id), call->now_us) >=
	    CONTAINERS_PER_DAY) {
		graph_fail(call, &quota_reached);
		return;
	}
	bool is_read = draft.kind == CONTAINER_CAROUSEL ? read_children(call, &draft)
							: read_media(call, &draft);
	if (!is_read || graph_page_reader(call, page, scope_publish) == NULL)
		return;
	struct container *container = sandbox_keep(call->sandbox, sizeof(*container));
	*container = draft;
	container->node.id = sandbox_id_decimal(call->sandbox, "178", 17);
	container->caption = sandbox_keep_str(call->sandbox, draft.caption);
	container->media.alt_text =
		sandbox_keep_str(call->sandbox, sandbox_param(call, "alt_text"));
	container->created_us = call->now_us;
	graph_node_add(call->sandbox, &container->node);
	quota_count(quota_of(call, "containers", page->ig_id), call->now_us);
	answer_container(call, container);
}

/* ---- Publishing (4.3, 4.4) ---- */

static const char *ledger_type(const struct container *container)
{
	switch (container->kind) {
	case CONTAINER_IMAGE:
		return "image";
	case CONTAINER_VIDEO:
		return "video";
	case CONTAINER_REEL:
		return "reel";
	case CONTAINER_STORY:
		return "story";
	case CONTAINER_CAROUSEL:
		return "carousel";
	}
	return "image";
}

static const struct graph_error *why_not_ready(const struct container *container, int64_t now_us)
{
	const char *code = status_code(container, now_us);

	if (strcmp(code, "PUBLISHED") == 0)
		return &already_published;
	if (strcmp(code, "EXPIRED") == 0)
		return &unknown_container;
	if (strcmp(code, "FINISHED") != 0)
		return &not_ready;
	for (size_t i = 0; i < container->child_count; i++) {
		if (strcmp(status_code(container->children[i], now_us), "FINISHED") != 0)
			return &not_ready;
	}
	return NULL;
}

static void set_permalink(struct sandbox_call *call, struct ig_media *media,
			  const struct container *container)
{
	struct str user = media->node.page->ig_username;
	struct str path;

	media->shortcode = sandbox_id_text(call->sandbox, "D", 10);
	if (container->kind == CONTAINER_STORY)
		path = str_format(call->arena, "stories/" STR_FMT "/" STR_FMT, STR_ARG(user),
				  STR_ARG(media->shortcode));
	else
		path = str_format(call->arena, "%s/" STR_FMT "/",
				  container->kind == CONTAINER_REEL ? "reel" : "p",
				  STR_ARG(media->shortcode));
	media->permalink =
		sandbox_keep_str(call->sandbox, graph_permalink(call, "www.instagram.com", path));
	sandbox_object_put(call->sandbox, SANDBOX_INSTAGRAM, "shortcode", media->shortcode,
			   &media->node);
}

static void set_types(struct ig_media *media, const struct container *container)
{
	media->product_type = "FEED";
	media->media_type = "IMAGE";
	if (container->kind == CONTAINER_STORY)
		media->product_type = "STORY";
	if (container->kind == CONTAINER_REEL)
		media->product_type = "REELS";
	if (container->media.sniff.is_video)
		media->media_type = "VIDEO";
	if (container->kind == CONTAINER_CAROUSEL)
		media->media_type = "CAROUSEL_ALBUM";
}

static void ledger_media(struct sandbox_call *call, const struct ig_media *media,
			 const struct container *container)
{
	struct sandbox_media pictures[CHILDREN_MAX];
	size_t count = container->child_count;

	for (size_t i = 0; i < count; i++)
		pictures[i] = container->children[i]->media;
	if (container->kind != CONTAINER_CAROUSEL)
		pictures[count++] = container->media;
	sandbox_ledger_add(call->sandbox,
			   &(struct sandbox_post){
				   .platform = SANDBOX_INSTAGRAM,
				   .account_id = media->node.page->ig_id,
				   .id = media->node.id,
				   .type = str_of(ledger_type(container)),
				   /* A story shows no caption (4.1). */
				   .text = container->kind == CONTAINER_STORY ? (struct str){0}
									      : container->caption,
				   .media = pictures,
				   .media_count = count,
				   .url = media->permalink,
				   .extra = media,
			   });
}

static struct ig_media *publish(struct sandbox_call *call, struct container *container)
{
	struct ig_media *media = sandbox_keep(call->sandbox, sizeof(*media));

	media->node = (struct graph_node){
		GRAPH_IG_MEDIA, sandbox_id_decimal(call->sandbox, "179", 17), container->node.page};
	media->caption = container->caption;
	media->created_us = call->now_us;
	set_types(media, container);
	set_permalink(call, media, container);
	graph_node_add(call->sandbox, &media->node);
	container->media_id = media->node.id;
	for (size_t i = 0; i < container->child_count; i++)
		container->children[i]->media_id = media->node.id;
	ledger_media(call, media, container);
	return media;
}

static void post_publish(struct sandbox_call *call, struct graph_node *node)
{
	struct container *container =
		find_container(call, node->page, sandbox_param(call, "creation_id"));
	struct quota *quota = quota_of(call, "published", node->page->ig_id);

	if (graph_page_reader(call, node->page, scope_publish) == NULL)
		return;
	if (container == NULL || container->is_child) {
		graph_fail(call, &unknown_container);
		return;
	}
	const struct graph_error *error = why_not_ready(container, call->now_us);
	if (error == NULL && quota_used(quota, call->now_us) >= PUBLISH_QUOTA)
		error = &quota_reached;
	if (error != NULL) {
		graph_fail(call, error);
		return;
	}
	quota_count(quota, call->now_us);
	graph_answer_id(call, publish(call, container)->node.id);
}

static void get_limit(struct sandbox_call *call, struct graph_node *node)
{
	struct json_writer w;

	if (graph_page_reader(call, node->page, scope_publish) == NULL)
		return;
	size_t used = quota_used(quota_of(call, "published", node->page->ig_id), call->now_us);
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	json_begin_object(&w);
	if (graph_wants(call, "quota_usage", true))
		json_member_int(&w, "quota_usage", (int64_t)used);
	if (graph_wants(call, "config", false)) {
		json_key(&w, "config");
		json_begin_object(&w);
		json_member_int(&w, "quota_total", PUBLISH_QUOTA);
		json_member_int(&w, "quota_duration", QUOTA_DURATION_S);
		json_end_object(&w);
	}
	json_end_object(&w);
	json_end_array(&w);
	json_end_object(&w);
}

/* ---- Reading media (4.3, 7) ---- */

static void write_media(struct sandbox_call *call, struct json_writer *w,
			const struct ig_media *media)
{
	json_begin_object(w);
	if (media->caption.len > 0 && graph_wants(call, "caption", false))
		json_member_str(w, "caption", media->caption);
	if (graph_wants(call, "permalink", false))
		json_member_str(w, "permalink", media->permalink);
	if (graph_wants(call, "shortcode", false))
		json_member_str(w, "shortcode", media->shortcode);
	if (graph_wants(call, "media_product_type", false))
		json_member_str(w, "media_product_type", str_of(media->product_type));
	if (graph_wants(call, "media_type", false))
		json_member_str(w, "media_type", str_of(media->media_type));
	if (graph_wants(call, "username", false))
		json_member_str(w, "username", media->node.page->ig_username);
	if (graph_wants(call, "timestamp", false))
		graph_member_time(w, call->arena, "timestamp", media->created_us);
	json_member_str(w, "id", media->node.id);
	json_end_object(w);
}

static void get_media(struct sandbox_call *call, struct graph_node *node)
{
	struct json_writer w;

	if (graph_page_reader(call, node->page, scope_read) == NULL)
		return;
	sandbox_answer(call, 200, &w);
	write_media(call, &w, (const struct ig_media *)node);
}

static void answer_list(struct sandbox_call *call, const struct graph_page *page,
			bool wants_stories)
{
	struct graph_paging paging = graph_paging_read(call, 25, 100);
	int64_t since_us = graph_time_param(call, "since", 0);
	int64_t until_us = graph_time_param(call, "until", INT64_MAX);
	struct json_writer w;
	size_t seen = 0;
	size_t shown = 0;
	bool has_more = false;

	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (const struct sandbox_post *post =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_INSTAGRAM, page->ig_id);
	     post != NULL; post = post->older) {
		const struct ig_media *media = post->extra;

		if (post->is_deleted || media == NULL ||
		    (strcmp(media->product_type, "STORY") == 0) != wants_stories ||
		    post->created_us < since_us || post->created_us > until_us ||
		    seen++ < paging.from)
			continue;
		has_more = shown == paging.limit;
		if (has_more)
			break;
		write_media(call, &w, media);
		shown++;
	}
	json_end_array(&w);
	graph_paging_write(call, &w, paging, shown, has_more);
	json_end_object(&w);
}

static void get_media_list(struct sandbox_call *call, struct graph_node *node)
{
	if (graph_page_reader(call, node->page, scope_read) != NULL)
		answer_list(call, node->page, false);
}

static void get_stories(struct sandbox_call *call, struct graph_node *node)
{
	if (graph_page_reader(call, node->page, scope_read) != NULL)
		answer_list(call, node->page, true);
}

/* ---- Comments (4.5) ---- */

static void add_comment(struct sandbox_call *call, const struct graph_page *page,
			struct str parent_id)
{
	struct str message = sandbox_param(call, "message");

	if (message.len == 0) {
		graph_fail(call, &no_message);
		return;
	}
	graph_answer_id(call, graph_comment_add(call, SANDBOX_INSTAGRAM, GRAPH_IG_COMMENT, page,
						sandbox_id_decimal(call->sandbox, "180", 17),
						parent_id, message)
				      ->node.id);
}

static void post_comment(struct sandbox_call *call, struct graph_node *node)
{
	const struct ig_media *media = (const struct ig_media *)node;

	if (graph_page_reader(call, node->page, "instagram_manage_comments") == NULL)
		return;
	if (strcmp(media->product_type, "STORY") == 0)
		graph_fail(call, &no_comments);
	else
		add_comment(call, node->page, node->id);
}

/* An answer to an answer attaches to the comment at the top (4.5). */
static void post_reply(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_comment *comment = (const struct graph_comment *)node;
	const struct graph_node *parent = graph_node_find(call->sandbox, comment->parent_id);
	bool is_reply = parent != NULL && parent->kind == GRAPH_IG_COMMENT;

	if (graph_page_reader(call, node->page, "instagram_manage_comments") != NULL)
		add_comment(call, node->page, is_reply ? parent->id : node->id);
}

static void get_comments(struct sandbox_call *call, struct graph_node *node)
{
	struct sandbox_post *comments[100];
	struct json_writer w;

	if (graph_page_reader(call, node->page, "instagram_manage_comments") == NULL)
		return;
	size_t count =
		sandbox_ledger_replies(call->sandbox, SANDBOX_INSTAGRAM, node->id, comments, 100);
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(&w);
		if (graph_wants(call, "timestamp", true))
			graph_member_time(&w, call->arena, "timestamp", comments[i]->created_us);
		if (graph_wants(call, "text", true))
			json_member_str(&w, "text", comments[i]->text);
		if (graph_wants(call, "username", false))
			json_member_str(&w, "username", node->page->ig_username);
		json_member_str(&w, "id", comments[i]->id);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
}

const struct graph_edge instagram_edges[] = {
	{"POST", GRAPH_IG, "media", post_media},
	{"GET", GRAPH_IG, "media", get_media_list},
	{"GET", GRAPH_IG, "stories", get_stories},
	{"POST", GRAPH_IG, "media_publish", post_publish},
	{"GET", GRAPH_IG, "content_publishing_limit", get_limit},
	{"GET", GRAPH_CONTAINER, "", get_container},
	{"GET", GRAPH_IG_MEDIA, "", get_media},
	{"POST", GRAPH_IG_MEDIA, "comments", post_comment},
	{"GET", GRAPH_IG_MEDIA, "comments", get_comments},
	{"POST", GRAPH_IG_COMMENT, "replies", post_reply},
	{"GET", GRAPH_IG_COMMENT, "replies", get_comments},
};
const size_t instagram_edge_count = sizeof(instagram_edges) / sizeof(instagram_edges[0]);
