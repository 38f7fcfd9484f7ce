/* SPDX-License-Identifier: Apache-2.0
 * The table of plan.h. Rows stand in the order of the calls; neighbours that are for each file go
 * round together, file by file. */
#include "plan.h"

#include "count_of.h"

#include "json.h"

#include "platform.h"
#include "rules.h"

/* What a part holds. */
enum shape {
	SHAPE_TEXT = 1,
	SHAPE_IMAGE = 2,  /* one */
	SHAPE_IMAGES = 4, /* several, and nothing else */
	SHAPE_VIDEO = 8,  /* one, and nothing else */
	SHAPE_MIXED = 16, /* all else */
	SHAPE_ANY = 31
};

enum place { FIRST = 1, COMMENT = 2, BOTH = 3 };

/* Once, or for each file of the part that is such a one. */
enum each { ONCE, EACH_IMAGE, EACH_VIDEO, EACH_FILE, EACH_ALT_TEXT, EACH_THUMBNAIL };

/* Further conditions. */
enum only { ALWAYS, ONLY_PAGE, ONLY_DOCUMENT };

struct plan_row {
	enum platform_id platform;
	enum place place;
	unsigned types; /* POST_TYPE_... as bits, of the post */
	unsigned shapes;
	enum each each;
	enum only only;
	const char *stage;
	const char *method;
	const char *host_path;
	bool publishes;
	const char *summary;
};

#define T(type) (1U << POST_TYPE_##type)
#define T_ANY 0xffffU
#define FEED (T(POST) | T(CAROUSEL))
#define GRAPH "graph.facebook.com/{version}"
#define PAGE GRAPH "/{page_id}"
#define IG GRAPH "/{instagram_id}"
#define RUPLOAD "rupload.facebook.com"
#define REST "api.linkedin.com/rest"
#define FILES (SHAPE_IMAGE | SHAPE_IMAGES | SHAPE_MIXED)

static const struct plan_row rows[] = {
	/* platforms/meta.md 4 */
	{PLATFORM_FACEBOOK, FIRST, FEED, SHAPE_IMAGE | SHAPE_IMAGES, EACH_IMAGE, ALWAYS, "photo",
	 "POST", PAGE "/photos", false, "Upload the photo, not visible yet"},
	{PLATFORM_FACEBOOK, FIRST, FEED, SHAPE_TEXT | SHAPE_IMAGE | SHAPE_IMAGES, ONCE, ALWAYS,
	 "feed", "POST", PAGE "/feed", true, "Publish the post"},
	{PLATFORM_FACEBOOK, FIRST, FEED, SHAPE_VIDEO, ONCE, ALWAYS, "chunk_start", "POST",
	 PAGE "/videos", false, "Begin the upload"},
	{PLATFORM_FACEBOOK, FIRST, FEED, SHAPE_VIDEO, ONCE, ALWAYS, "chunk", "POST", PAGE "/videos",
	 false, "Upload the video, piece by piece"},
	{PLATFORM_FACEBOOK, FIRST, FEED, SHAPE_VIDEO, ONCE, ALWAYS, "finish", "POST",
	 PAGE "/videos", true, "Publish the video"},
	{PLATFORM_FACEBOOK, FIRST, FEED, SHAPE_VIDEO, ONCE, ALWAYS, "check", "GET",
	 GRAPH "/{video_id}", false, "Wait until it is processed"},
	{PLATFORM_FACEBOOK, FIRST, T(VIDEO), SHAPE_VIDEO, ONCE, ALWAYS, "session_start", "POST",
	 PAGE "/video_reels", false, "Begin the reel"},
	{PLATFORM_FACEBOOK, FIRST, T(STORY), SHAPE_VIDEO, ONCE, ALWAYS, "session_start", "POST",
	 PAGE "/video_stories", false, "Begin the story"},
	{PLATFORM_FACEBOOK, FIRST, T(VIDEO) | T(STORY), SHAPE_VIDEO, ONCE, ALWAYS, "upload", "POST",
	 RUPLOAD "/video-upload/{version}/{video_id}", false, "Upload the video"},
	{PLATFORM_FACEBOOK, FIRST, T(VIDEO) | T(STORY), SHAPE_VIDEO, ONCE, ALWAYS, "ready", "GET",
	 GRAPH "/{video_id}", false, "Wait until it is processed"},
	{PLATFORM_FACEBOOK, FIRST, T(VIDEO), SHAPE_VIDEO, ONCE, ALWAYS, "finish", "POST",
	 PAGE "/video_reels", true, "Publish the reel"},
	{PLATFORM_FACEBOOK, FIRST, T(STORY), SHAPE_VIDEO, ONCE, ALWAYS, "finish", "POST",
	 PAGE "/video_stories", true, "Publish the story"},
	{PLATFORM_FACEBOOK, FIRST, T(VIDEO) | T(STORY), SHAPE_VIDEO, ONCE, ALWAYS, "check", "GET",
	 GRAPH "/{video_id}", false, "See that it is there"},
	{PLATFORM_FACEBOOK, FIRST, T(STORY), SHAPE_IMAGE, ONCE, ALWAYS, "photo", "POST",
	 PAGE "/photos", false, "Upload the photo, not visible yet"},
	{PLATFORM_FACEBOOK, FIRST, T(STORY), SHAPE_IMAGE, ONCE, ALWAYS, "story", "POST",
	 PAGE "/photo_stories", true, "Publish the story"},
	{PLATFORM_FACEBOOK, FIRST, T(STORY), SHAPE_IMAGE | SHAPE_VIDEO, ONCE, ALWAYS, "listed",
	 "GET", PAGE "/stories", false, "Read its address"},
	{PLATFORM_FACEBOOK, COMMENT, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "comment", "POST",
	 GRAPH "/{post_id}/comments", true, "Publish the comment"},
	/* platforms/meta.md 5 */
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "quota", "GET",
	 IG "/content_publishing_limit", false, "Ask what is left of the day's posts"},
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_ANY, EACH_FILE, ALWAYS, "container", "POST",
	 IG "/media", false, "Make a container of the file"},
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_ANY, EACH_VIDEO, ALWAYS, "upload", "POST",
	 RUPLOAD "/ig-api-upload/{version}/{container_id}", false, "Upload the video"},
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "poll", "GET",
	 GRAPH "/{container_id}", false, "Wait until it is processed"},
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_IMAGES | SHAPE_MIXED, ONCE, ALWAYS, "container",
	 "POST", IG "/media", false, "Make the carousel"},
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_IMAGES | SHAPE_MIXED, ONCE, ALWAYS, "poll", "GET",
	 GRAPH "/{container_id}", false, "Wait until it is processed"},
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "publish", "POST",
	 IG "/media_publish", true, "Publish it"},
	{PLATFORM_INSTAGRAM, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "permalink", "GET",
	 GRAPH "/{media_id}", false, "Read its address"},
	{PLATFORM_INSTAGRAM, COMMENT, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "comment", "POST",
	 GRAPH "/{media_id}/comments", true, "Publish the comment"},
	/* platforms/x.md 2 */
	{PLATFORM_X, BOTH, T_ANY, SHAPE_ANY, EACH_IMAGE, ALWAYS, "upload", "POST",
	 "api.x.com/2/media/upload", false, "Upload the image"},
	{PLATFORM_X, BOTH, T_ANY, SHAPE_ANY, EACH_VIDEO, ALWAYS, "initialize", "POST",
	 "api.x.com/2/media/upload/initialize", false, "Begin the upload"},
	{PLATFORM_X, BOTH, T_ANY, SHAPE_ANY, EACH_VIDEO, ALWAYS, "append", "POST",
	 "api.x.com/2/media/upload/{id}/append", false, "Upload the video, piece by piece"},
	{PLATFORM_X, BOTH, T_ANY, SHAPE_ANY, EACH_VIDEO, ALWAYS, "finalize", "POST",
	 "api.x.com/2/media/upload/{id}/finalize", false, "End the upload"},
	{PLATFORM_X, BOTH, T_ANY, SHAPE_ANY, EACH_VIDEO, ALWAYS, "status", "GET",
	 "api.x.com/2/media/upload", false, "Wait until it is processed"},
	{PLATFORM_X, BOTH, T_ANY, SHAPE_ANY, EACH_ALT_TEXT, ALWAYS, "alt_text", "POST",
	 "api.x.com/2/media/metadata", false, "Describe the image"},
	{PLATFORM_X, FIRST, T(ARTICLE), SHAPE_ANY, ONCE, ALWAYS, "draft", "POST",
	 "api.x.com/2/articles/draft", false, "Write the article's draft"},
	{PLATFORM_X, FIRST, T(ARTICLE), SHAPE_ANY, ONCE, ALWAYS, "article", "POST",
	 "api.x.com/2/articles/{id}/publish", true, "Publish the article"},
	{PLATFORM_X, FIRST, T_ANY & ~T(ARTICLE), SHAPE_ANY, ONCE, ALWAYS, "create", "POST",
	 "api.x.com/2/tweets", true, "Publish the post"},
	{PLATFORM_X, COMMENT, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "create", "POST",
	 "api.x.com/2/tweets", true, "Publish the reply"},
	/* platforms/linkedin.md 2, 3 */
	{PLATFORM_LINKEDIN, FIRST, T_ANY, FILES, EACH_IMAGE, ALWAYS, "init", "POST", REST "/images",
	 false, "Begin the upload"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, FILES, EACH_IMAGE, ALWAYS, "upload", "PUT",
	 "{upload_url}", false, "Upload the image"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, FILES, ONCE, ONLY_PAGE, "settle", "GET",
	 REST "/images/{urn}", false, "Wait until it is processed"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_VIDEO, ONCE, ALWAYS, "init", "POST", REST "/videos",
	 false, "Begin the upload"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_VIDEO, ONCE, ALWAYS, "part", "PUT", "{upload_url}",
	 false, "Upload the video, part by part"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_VIDEO, EACH_THUMBNAIL, ALWAYS, "thumbnail", "PUT",
	 "{upload_url}", false, "Upload its picture"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_VIDEO, ONCE, ALWAYS, "finalize", "POST",
	 REST "/videos", false, "End the upload"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_VIDEO, ONCE, ALWAYS, "settle", "GET",
	 REST "/videos/{urn}", false, "Wait until it is processed"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_TEXT, ONCE, ONLY_DOCUMENT, "init", "POST",
	 REST "/documents", false, "Begin the upload"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_TEXT, ONCE, ONLY_DOCUMENT, "upload", "PUT",
	 "{upload_url}", false, "Upload the document"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_TEXT, ONCE, ONLY_DOCUMENT, "settle", "GET",
	 REST "/documents/{urn}", false, "Wait until it is processed"},
	{PLATFORM_LINKEDIN, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "post", "POST", REST "/posts",
	 true, "Publish the post"},
	{PLATFORM_LINKEDIN, COMMENT, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "comment", "POST",
	 REST "/socialActions/{urn}/comments", true, "Publish the comment"},
	/* platforms/youtube.md 2 */
	{PLATFORM_YOUTUBE, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "session", "POST",
	 "www.googleapis.com/upload/youtube/v3/videos", false, "Begin the upload"},
	{PLATFORM_YOUTUBE, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "upload", "PUT", "{upload_url}",
	 true, "Upload the video; its last byte publishes it"},
	{PLATFORM_YOUTUBE, FIRST, T_ANY, SHAPE_ANY, EACH_THUMBNAIL, ALWAYS, "thumbnail", "POST",
	 "www.googleapis.com/upload/youtube/v3/thumbnails/set", false, "Set its picture"},
	{PLATFORM_YOUTUBE, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "processing", "GET",
	 "www.googleapis.com/youtube/v3/videos", false, "Wait until it is processed"},
	{PLATFORM_YOUTUBE, COMMENT, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "comment", "POST",
	 "www.googleapis.com/youtube/v3/commentThreads", true, "Publish the comment"},
	/* platforms/tiktok.md 2 */
	{PLATFORM_TIKTOK, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "creator", "POST",
	 "open.tiktokapis.com/v2/post/publish/creator_info/query/", false,
	 "Ask what the creator may do"},
	{PLATFORM_TIKTOK, FIRST, T_ANY, SHAPE_VIDEO, ONCE, ALWAYS, "init", "POST",
	 "open.tiktokapis.com/v2/post/publish/video/init/", false, "Begin the upload"},
	{PLATFORM_TIKTOK, FIRST, T_ANY, SHAPE_VIDEO, ONCE, ALWAYS, "upload", "PUT", "{upload_url}",
	 true, "Upload the video; its last byte publishes it"},
	{PLATFORM_TIKTOK, FIRST, T_ANY, SHAPE_IMAGE | SHAPE_IMAGES, ONCE, ALWAYS, "init", "POST",
	 "open.tiktokapis.com/v2/post/publish/content/init/", true, "Publish the photos"},
	{PLATFORM_TIKTOK, FIRST, T_ANY, SHAPE_ANY, ONCE, ALWAYS, "status", "POST",
	 "open.tiktokapis.com/v2/post/publish/status/fetch/", false, "Wait until it is processed"},
};

#define ROW_COUNT COUNT_OF(rows)

struct planning {
	enum platform_id platform;
	const struct post_content *post;
	unsigned type;
	bool is_page;
	bool has_document;
	struct plan_call *calls;
	size_t max;
	size_t count;
};

static enum shape shape_of(const struct container *container)
{
	size_t videos = 0;
	for (size_t i = 0; i < container->media_count; i++)
		videos += container->media[i].type == MEDIA_VIDEO;
	if (container->media_count == 0)
		return SHAPE_TEXT;
	if (videos == 0)
		return container->media_count == 1 ? SHAPE_IMAGE : SHAPE_IMAGES;
	return container->media_count == 1 ? SHAPE_VIDEO : SHAPE_MIXED;
}

static bool only_fits(const struct planning *p, enum only only)
{
	switch (only) {
	case ALWAYS:
		return true;
	case ONLY_PAGE:
		return p->is_page;
	case ONLY_DOCUMENT:
		return p->has_document;
	}
	return false;
}

static bool row_fits(const struct planning *p, const struct plan_row *row, size_t part)
{
	const enum shape shape = shape_of(&p->post->containers[part]);
	return row->platform == p->platform && (row->place & (part == 0 ? FIRST : COMMENT)) != 0 &&
	       (row->types & p->type) != 0 && (row->shapes & shape) != 0 && only_fits(p, row->only);
}

static bool file_fits(enum each each, const struct media *media)
{
	switch (each) {
	case ONCE:
	case EACH_FILE:
		return true;
	case EACH_IMAGE:
		return media->type == MEDIA_IMAGE;
	case EACH_VIDEO:
		return media->type == MEDIA_VIDEO;
	case EACH_ALT_TEXT:
		return media->type == MEDIA_IMAGE && media->alt_text.len > 0;
	case EACH_THUMBNAIL:
		return media->thumbnail_url.len > 0;
	}
	return false;
}

static void add(struct planning *p, const struct plan_row *row, size_t part)
{
	if (p->count < p->max)
		p->calls[p->count] =
			(struct plan_call){part,           row->stage,     row->method,
					   row->host_path, row->publishes, row->summary};
	p->count++;
}

/* The rows from first that are for each file, file by file; returns the row behind them. */
static size_t add_files(struct planning *p, size_t first, size_t part)
{
	const struct container *container = &p->post->containers[part];
	size_t end = first;
	while (end < ROW_COUNT && rows[end].platform == p->platform && rows[end].each != ONCE)
		end++;
	for (size_t i = 0; i < container->media_count; i++) {
		for (size_t row = first; row < end; row++)
			if (row_fits(p, &rows[row], part) &&
			    file_fits(rows[row].each, &container->media[i]))
				add(p, &rows[row], part);
	}
	return end;
}

static void add_part(struct planning *p, size_t part)
{
	size_t row = 0;
	while (row < ROW_COUNT) {
		if (rows[row].platform == p->platform && rows[row].each != ONCE) {
			row = add_files(p, row, part);
			continue;
		}
		if (row_fits(p, &rows[row], part))
			add(p, &rows[row], part);
		row++;
	}
}

size_t plan_make(const struct platform *platform, const struct post_content *post,
		 enum post_type type, enum account_type account_type, struct plan_call *calls,
		 size_t max)
{
	struct planning p = {
		.platform = platform->id,
		.post = post,
		.type = 1U << type,
		.is_page = account_type == ACCOUNT_ORGANIZATION,
		.has_document =
			!json_is_null(json_get(rules_options(post, platform->id), "document")),
		.calls = calls,
		.max = max,
	};
	for (size_t part = 0; part < post->container_count; part++)
		add_part(&p, part);
	return p.count;
}
