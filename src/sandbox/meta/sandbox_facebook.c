/* SPDX-License-Identifier: Apache-2.0
 * Publishing on simulated Facebook Pages: feed posts and photos, and the reads that resolve an
 * unknown outcome (meta.md 3, 5, 6, 7). */
#include "sandbox_graph.h"

#include <stdio.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "url.h"
#include "utf8.h"

#define MESSAGE_CHARS_MAX 63206             /* 5 */
#define PHOTOS_PER_POST_MAX 10              /* 5 */
#define PHOTO_MAX_BYTES (INT64_C(10) << 20) /* 5 */
#define UNPUBLISHED_PHOTO_US US_PER_DAY     /* 3: kept about 24 h */
#define DUPLICATE_WINDOW_US US_PER_HOUR     /* Meta gives no figure for 506 */
#define DUPLICATE_LOOK_MAX 50
#define LINK_MAX_BYTES (INT64_C(1) << 20)
#define LIST_LIMIT 25
#define LIST_LIMIT_MAX 100

const struct graph_error sandbox_facebook_used_photo = {400,
							100,
							1366051,
							"(#100) Invalid parameter",
							"Already posted",
							"These photos were already posted."};

static const struct graph_error empty_post = {400, 100, 0, "(#100) Missing message or attachment"};
static const struct graph_error long_message = {400, 100, 0, "(#100) The message is too long"};
static const struct graph_error duplicate = {400,
					     506,
					     1455006,
					     "(#506) Duplicate status message",
					     "Duplicate status update",
					     "This status update is identical to the last one you "
					     "posted. Try posting something different."};
static const struct graph_error bad_link = {400,
					    100,
					    1609005,
					    "(#100) The link could not be scraped",
					    "Link not posted",
					    "We could not read anything at that address."};
static const struct graph_error own_link = {400,
					    100,
					    1609008,
					    "(#100) A link to Facebook cannot be posted this way",
					    "Link not posted",
					    "Posting a facebook.com link is not permitted."};
static const struct graph_error bad_photo_id = {
	400, 100, 0, "(#100) Param attached_media holds an invalid photo"};
static const struct graph_error no_photo = {400, 324, 0, "(#324) Requires upload file"};
static const struct graph_error bad_image = {400,
					     324,
					     2069019,
					     "(#324) Missing or invalid image file",
					     "Invalid image",
					     "Your image could not be read."};
static const struct graph_error big_image = {
	400,
	100,
	1366046,
	"(#100) Invalid parameter",
	"Photo not uploaded",
	"Photos must be smaller than 10 MB and saved as JPG, PNG, GIF, TIFF or BMP."};
static const struct graph_error bad_url = {400, 389, 0, "(#389) Unable to fetch file from URL."};

/* "{page}_{digits}": a post's id (1). */
static struct str post_id(struct sandbox_call *call, const struct graph_page *page)
{
	const struct str own = sandbox_id_decimal(call->sandbox, "12", 18);
	return sandbox_keep_str(call->sandbox, str_format(call->arena, STR_FMT "_" STR_FMT,
							  STR_ARG(page->id), STR_ARG(own)));
}

static bool param_false(struct sandbox_call *call, const char *name)
{
	const struct str value = sandbox_param(call, name);
	return str_equal_z(value, "false") || str_equal_z(value, "0");
}

/* ---- feed posts ---- */

static bool is_loopback_url(const struct url *url)
{
	return url->host_kind == URL_HOST_IPV4 ? url->address[0] == 127
					       : str_equal_z(url->host, "localhost");
}

/* Meta scrapes every link. The sandbox fetches only links on this machine and accepts the
 * others: it must not reach out. */
static bool check_link(struct sandbox_call *call, struct str link)
{
	const struct sandbox_pull_config config = {.url = link,
						   .user_agent = GRAPH_FETCH_AGENT,
						   .max_bytes = LINK_MAX_BYTES,
						   .follow_redirects = true};
	struct url url;
	if (url_parse(call->arena, link, &url, NULL) != ERR_NONE) {
		sandbox_graph_fail(call, &bad_link);
		return false;
	}
	if (str_equal_z(url.host, "facebook.com") ||
	    str_has_suffix(url.host, STR(".facebook.com"))) {
		sandbox_graph_fail(call, &own_link);
		return false;
	}
	if (!is_loopback_url(&url))
		return true;
	struct sandbox_media ignored;
	const enum sandbox_pull outcome = sandbox_media_pull(call, &config, &ignored, NULL);
	if (outcome == SANDBOX_PULL_OK || outcome == SANDBOX_PULL_TOO_LARGE)
		return true;
	sandbox_graph_fail(call, &bad_link);
	return false;
}

/* The id of the n-th attached photo. attached_media is a JSON list, or attached_media[n] is a
 * JSON object each (3). */
static struct str attached_id(struct sandbox_call *call, const struct json *list, size_t index)
{
	const struct json *one = json_at(list, index);
	if (one == NULL) {
		char name[40];
		snprintf(name, sizeof(name), "attached_media[%zu]", index);
		const struct str text = sandbox_param(call, name);
		if (text.len == 0 ||
		    json_parse(call->arena, text, NULL, &one, NULL, NULL) != ERR_NONE)
			return (struct str){0};
	}
	return json_text(call->arena, json_get(one, "media_fbid"));
}

struct graph_photo *sandbox_facebook_photo_find(struct sandbox_call *call,
						const struct graph_page *page, struct str id)
{
	struct graph_node *node = sandbox_graph_node_find(call->sandbox, id);
	if (node == NULL || node->kind != GRAPH_PHOTO || node->page != page)
		return NULL;
	struct graph_photo *photo = (struct graph_photo *)node;
	const bool is_gone =
		!photo->is_published && call->now_us - photo->created_us > UNPUBLISHED_PHOTO_US;
	return is_gone ? NULL : photo;
}

/* False = the call has been answered. */
static bool read_photos(struct sandbox_call *call, struct graph_post *post)
{
	const struct str text = sandbox_param(call, "attached_media");
	const struct json *list = NULL;
	if (text.len > 0 && json_parse(call->arena, text, NULL, &list, NULL, NULL) != ERR_NONE) {
		sandbox_graph_fail(call, &bad_photo_id);
		return false;
	}
	for (struct str id; (id = attached_id(call, list, post->photo_count)).len > 0;) {
		struct graph_photo *photo = sandbox_facebook_photo_find(call, post->node.page, id);
		if (photo == NULL || post->photo_count == PHOTOS_PER_POST_MAX) {
			sandbox_graph_fail(call, &bad_photo_id);
			return false;
		}
		if (photo->is_published || photo->is_used) {
			sandbox_graph_fail(call, &sandbox_facebook_used_photo);
			return false;
		}
		post->photos[post->photo_count++] = photo;
	}
	if (text.len > 0 && post->photo_count == 0) {
		sandbox_graph_fail(call, &bad_photo_id);
		return false;
	}
	return true;
}

static bool is_duplicate(struct sandbox_call *call, const struct graph_post *post)
{
	if (post->photo_count > 0)
		return false;
	size_t looked = 0;
	for (const struct sandbox_post *other =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_FACEBOOK, post->node.page->id);
	     other != NULL && looked < DUPLICATE_LOOK_MAX; other = other->older, looked++) {
		const struct graph_post *old = other->extra;
		if (call->now_us - other->created_us > DUPLICATE_WINDOW_US)
			return false;
		if (old != NULL && other->deleted_us == 0 && old->photo_count == 0 &&
		    str_equal(old->message, post->message) && str_equal(old->link, post->link))
			return true;
	}
	return false;
}

static void ledger_post(struct sandbox_call *call, const struct graph_post *post, const char *type)
{
	struct str text = post->message;
	struct sandbox_media media[PHOTOS_PER_POST_MAX];
	for (size_t i = 0; i < post->photo_count; i++)
		media[i] = post->photos[i]->media;
	if (post->link.len > 0 && str_find(text, post->link, 0) == SIZE_MAX)
		text = text.len == 0 ? post->link
				     : str_format(call->arena, STR_FMT "\n" STR_FMT, STR_ARG(text),
						  STR_ARG(post->link));
	sandbox_ledger_add(call->sandbox, &(struct sandbox_post){
						  .platform = SANDBOX_FACEBOOK,
						  .account_id = post->node.page->id,
						  .id = post->node.id,
						  .type = str_of(type),
						  .text = text,
						  .media = media,
						  .media_count = post->photo_count,
						  .url = post->permalink,
						  .extra = post,
					  });
}

/* Makes the post lasting: node, permalink and, when the world can see it, the ledger. */
static struct graph_post *post_add(struct sandbox_call *call, const struct graph_post *draft,
				   const char *type)
{
	struct graph_post *post = sandbox_keep(call->sandbox, sizeof(*post));
	*post = *draft;
	post->node.kind = GRAPH_POST;
	post->node.id = post_id(call, draft->node.page);
	post->message = sandbox_keep_str(call->sandbox, draft->message);
	post->link = sandbox_keep_str(call->sandbox, draft->link);
	post->permalink = sandbox_keep_str(
		call->sandbox, sandbox_graph_permalink(call, "www.facebook.com", post->node.id));
	post->created_us = call->now_us;
	for (size_t i = 0; i < post->photo_count; i++)
		post->photos[i]->is_published = post->photos[i]->is_published || post->is_published;
	sandbox_graph_node_add(call->sandbox, &post->node);
	if (post->is_published)
		ledger_post(call, post, type);
	return post;
}

static void write_post(struct sandbox_call *call, struct json_writer *w,
		       const struct graph_post *post, bool is_created);

static void post_feed(struct sandbox_call *call, struct graph_node *node)
{
	struct graph_post draft = {
		.node.page = node->page,
		.message = sandbox_param(call, "message"),
		.link = sandbox_param(call, "link"),
		.is_published = !param_false(call, "published"),
	};
	if (sandbox_graph_page_token(call, node->page, "pages_manage_posts") == NULL ||
	    !read_photos(call, &draft))
		return;
	if (draft.message.len == 0 && draft.link.len == 0 && draft.photo_count == 0) {
		sandbox_graph_fail(call, &empty_post);
		return;
	}
	if (utf8_code_points(draft.message) > MESSAGE_CHARS_MAX) {
		sandbox_graph_fail(call, &long_message);
		return;
	}
	if (draft.link.len > 0) {
		if (!check_link(call, draft.link))
			return;
		/* The lock was released: look up the caller and the photos again. */
		draft.photo_count = 0;
		if (sandbox_graph_page_token(call, draft.node.page, "pages_manage_posts") == NULL ||
		    !read_photos(call, &draft))
			return;
	}
	if (is_duplicate(call, &draft)) {
		sandbox_graph_fail(call, &duplicate);
		return;
	}
	const struct graph_post *post = post_add(call, &draft, "post");
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	write_post(call, &w, post, true);
}

/* ---- photos ---- */

static bool has_magic(struct str bytes, const char *magic, size_t len)
{
	return bytes.len >= len && memcmp(bytes.ptr, magic, len) == 0;
}

/* jpeg, bmp, png, gif, tiff (5); sniff_media() does not know bmp and tiff. */
bool sandbox_facebook_is_photo(const struct sandbox_media *media, struct str bytes)
{
	const enum sniff_type type = media->sniff.type;
	return type == SNIFF_JPEG || type == SNIFF_PNG || type == SNIFF_GIF ||
	       has_magic(bytes, "BM", 2) || has_magic(bytes, "II*\0", 4) ||
	       has_magic(bytes, "MM\0*", 4);
}

bool sandbox_facebook_photo_pull(struct sandbox_call *call, struct str url,
				 struct sandbox_media *media)
{
	const struct sandbox_pull_config config = {.url = url,
						   .user_agent = GRAPH_FETCH_AGENT,
						   .max_bytes = PHOTO_MAX_BYTES,
						   .follow_redirects = true};
	switch (sandbox_media_pull(call, &config, media, NULL)) {
	case SANDBOX_PULL_OK:
		if (sandbox_facebook_is_photo(media, (struct str){0}))
			return true;
		sandbox_graph_fail(call, &bad_image);
		return false;
	case SANDBOX_PULL_TOO_LARGE:
		sandbox_graph_fail(call, &big_image);
		return false;
	case SANDBOX_PULL_BAD_URL:
	case SANDBOX_PULL_UNREACHABLE:
	case SANDBOX_PULL_TIMEOUT:
	case SANDBOX_PULL_STATUS:
		break;
	}
	sandbox_graph_fail(call, &bad_url);
	return false;
}

/* Reads the photo by URL, or from a body part of any name. False = the call has been answered. */
static bool read_photo(struct sandbox_call *call, struct sandbox_media *media)
{
	const struct str url = sandbox_param(call, "url");
	const struct sandbox_part *part = sandbox_part_file(call);
	if (url.len > 0)
		return sandbox_facebook_photo_pull(call, url, media);
	if (part == NULL) {
		sandbox_graph_fail(call, &no_photo);
		return false;
	}
	if ((int64_t)part->bytes.len > PHOTO_MAX_BYTES) {
		sandbox_graph_fail(call, &big_image);
		return false;
	}
	sandbox_media_look(call, part->bytes, media);
	if (sandbox_facebook_is_photo(media, part->bytes))
		return true;
	sandbox_graph_fail(call, &bad_image);
	return false;
}

/* An unpublished photo. */
struct graph_photo *sandbox_facebook_photo_make(struct sandbox_call *call,
						const struct graph_page *page,
						const struct sandbox_media *media)
{
	struct graph_photo *photo = sandbox_keep(call->sandbox, sizeof(*photo));
	*photo = (struct graph_photo){
		.node = {GRAPH_PHOTO, sandbox_id_decimal(call->sandbox, "12", 18), page},
		.media = *media,
		.created_us = call->now_us,
	};
	photo->media.alt_text =
		sandbox_keep_str(call->sandbox, sandbox_param(call, "alt_text_custom"));
	sandbox_graph_node_add(call->sandbox, &photo->node);
	return photo;
}

static void post_photo(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_page *page = node->page;
	struct sandbox_media media;
	if (sandbox_graph_page_token(call, page, "pages_manage_posts") == NULL ||
	    !read_photo(call, &media) ||
	    sandbox_graph_page_token(call, page, "pages_manage_posts") == NULL)
		return;
	const struct str caption = sandbox_param(call, "caption");
	struct graph_photo *photo = sandbox_facebook_photo_make(call, page, &media);
	photo->caption = sandbox_keep_str(
		call->sandbox, caption.len > 0 ? caption : sandbox_param(call, "message"));
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "id", photo->node.id);
	if (!param_false(call, "published")) {
		const struct graph_post draft = {.node.page = page,
						 .message = photo->caption,
						 .photos = {photo},
						 .photo_count = 1,
						 .is_published = true};
		json_member_str(&w, "post_id", post_add(call, &draft, "photo")->node.id);
	}
	json_end_object(&w);
}

static void get_photo(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_photo *photo = (const struct graph_photo *)node;
	if (sandbox_graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	if (sandbox_graph_wants(call, "created_time", true))
		sandbox_graph_member_time(&w, call->arena, "created_time", photo->created_us);
	if (sandbox_graph_wants(call, "name", true) && photo->caption.len > 0)
		json_member_str(&w, "name", photo->caption);
	json_member_str(&w, "id", node->id);
	json_end_object(&w);
}

/* ---- reading posts ---- */

void sandbox_facebook_target_write(struct sandbox_call *call, struct json_writer *w,
				   const struct graph_photo *photo)
{
	json_begin_object(w);
	json_key(w, "target");
	json_begin_object(w);
	json_member_str(w, "id", photo->node.id);
	json_member_str(w, "url",
			sandbox_graph_permalink(call, "www.facebook.com", photo->node.id));
	json_end_object(w);
	json_member_str(w, "type", STR("photo"));
	json_end_object(w);
}

/* A shared link: through a redirect of Facebook's, and as it was given. */
static void write_link(struct sandbox_call *call, struct json_writer *w, struct str link)
{
	struct buf query;
	buf_init(&query, call->arena, 1 << 14);
	form_add(&query, "u", link);
	json_begin_object(w);
	json_key(w, "target");
	json_begin_object(w);
	json_member_str(
		w, "url",
		sandbox_graph_permalink(call, "l.facebook.com",
					str_concat(call->arena, STR("l.php?"), buf_str(&query))));
	json_end_object(w);
	json_member_str(w, "type", STR("share"));
	json_member_str(w, "unshimmed_url", link);
	json_end_object(w);
}

/* One photo stands for itself; several are an album with subattachments. */
static void write_attachments(struct sandbox_call *call, struct json_writer *w,
			      const struct graph_post *post)
{
	json_key(w, "attachments");
	json_begin_object(w);
	json_key(w, "data");
	json_begin_array(w);
	if (post->photo_count == 0) {
		write_link(call, w, post->link);
	} else if (post->photo_count == 1) {
		sandbox_facebook_target_write(call, w, post->photos[0]);
	} else {
		json_begin_object(w);
		json_key(w, "subattachments");
		json_begin_object(w);
		json_key(w, "data");
		json_begin_array(w);
		for (size_t i = 0; i < post->photo_count; i++)
			sandbox_facebook_target_write(call, w, post->photos[i]);
		json_end_array(w);
		json_end_object(w);
		json_member_str(w, "type", STR("album"));
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}

static void write_application(struct json_writer *w)
{
	json_key(w, "application");
	json_begin_object(w);
	json_member_str(w, "name", STR("Sandbox app"));
	json_member_str(w, "id", STR("sandbox-facebook"));
	json_end_object(w);
}

/* After creation only the requested fields are returned (1, read-after-write). */
static void write_post(struct sandbox_call *call, struct json_writer *w,
		       const struct graph_post *post, bool is_created)
{
	json_begin_object(w);
	if (sandbox_graph_wants(call, "created_time", !is_created))
		sandbox_graph_member_time(w, call->arena, "created_time", post->created_us);
	if (post->message.len > 0 && sandbox_graph_wants(call, "message", !is_created))
		json_member_str(w, "message", post->message);
	if (sandbox_graph_wants(call, "permalink_url", false))
		json_member_str(w, "permalink_url", post->permalink);
	if (sandbox_graph_wants(call, "is_published", false))
		json_member_bool(w, "is_published", post->is_published);
	if (sandbox_graph_wants(call, "application", false))
		write_application(w);
	if (sandbox_graph_wants(call, "from", false))
		sandbox_graph_member_page(w, "from", post->node.page);
	if ((post->photo_count > 0 || post->link.len > 0) &&
	    sandbox_graph_wants(call, "attachments", false))
		write_attachments(call, w, post);
	json_member_str(w, "id", post->node.id);
	json_end_object(w);
}

static void get_post(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	write_post(call, &w, (const struct graph_post *)node, false);
}

static void get_published_posts(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_paging paging =
		sandbox_graph_paging_read(call, LIST_LIMIT, LIST_LIMIT_MAX);
	const int64_t since_us = sandbox_graph_time_param(call, "since", 0);
	const int64_t until_us = sandbox_graph_time_param(call, "until", INT64_MAX);
	if (sandbox_graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	size_t seen = 0;
	size_t shown = 0;
	bool has_more = false;
	for (const struct sandbox_post *post =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_FACEBOOK, node->page->id);
	     post != NULL && !has_more; post = post->older) {
		if (!sandbox_ledger_is_listed(call->sandbox, post) || post->extra == NULL ||
		    post->created_us < since_us || post->created_us > until_us ||
		    seen++ < paging.from)
			continue;
		has_more = shown == paging.limit;
		if (has_more)
			break;
		write_post(call, &w, post->extra, false);
		shown++;
	}
	json_end_array(&w);
	sandbox_graph_paging_write(call, &w, paging, shown, has_more);
	json_end_object(&w);
}

static void delete_post(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	sandbox_graph_node_delete(call, SANDBOX_FACEBOOK, node);
	sandbox_graph_answer_success(call);
}

const struct graph_edge sandbox_facebook_edges[] = {
	{"POST", GRAPH_PAGE, "feed", post_feed},
	{"GET", GRAPH_PAGE, "feed", get_published_posts},
	{"GET", GRAPH_PAGE, "published_posts", get_published_posts},
	{"GET", GRAPH_PAGE, "posts", get_published_posts},
	{"POST", GRAPH_PAGE, "photos", post_photo},
	{"GET", GRAPH_PHOTO, "", get_photo},
	{"GET", GRAPH_POST, "", get_post},
	{"DELETE", GRAPH_POST, "", delete_post},
};
const size_t sandbox_facebook_edge_count = COUNT_OF(sandbox_facebook_edges);
