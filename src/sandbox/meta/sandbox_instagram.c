/* SPDX-License-Identifier: Apache-2.0
 * Publishing on simulated Instagram business accounts: media_publish, quotas, lists, comments
 * (meta.md 4.3 to 4.5, 7). The containers are in sandbox_instagram_container.c. */
#include "sandbox_instagram.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"

#include "json.h"
#include "json_write.h"

struct ig_media {
	struct graph_node node;
	struct str caption;
	struct str permalink;
	struct str shortcode;
	const char *product_type;
	const char *media_type;
	int64_t created_us;
};

static const struct graph_error not_ready = {
	400,
	9007,
	2207027,
	"Media ID is not available",
	"Media not ready",
	"The media is not ready for publishing, please wait for a moment"};
static const struct graph_error already_published = {
	400, 100, 0, "(#100) The media has already been published."};
static const struct graph_error no_message = {400, 100, 0,
					      "(#100) The parameter message is required."};
static const struct graph_error no_comments = {400, 100, 0,
					       "(#100) Comments are not possible on this media."};

static const char *const scope_publish = "instagram_content_publish";
static const char *const scope_read = "instagram_basic";

/* ---- publishing (4.3, 4.4) ---- */

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

/* A container that is already published gets one of two known answers; neither is documented
 * (7). */
static const struct graph_error *why_not_ready(struct sandbox_call *call,
					       const struct container *container)
{
	const char *code = sandbox_instagram_container_status(call, container);
	if (container->media_id.len > 0)
		return sandbox_knob(call->sandbox, SANDBOX_KNOB_instagram_publishes_twice) != 0
			       ? NULL
			       : &already_published;
	if (strcmp(code, "EXPIRED") == 0)
		return &sandbox_instagram_unknown_container;
	if (strcmp(code, "FINISHED") != 0)
		return &not_ready;
	for (size_t i = 0; i < container->child_count; i++) {
		if (strcmp(sandbox_instagram_container_status(call, container->children[i]),
			   "FINISHED") != 0)
			return &not_ready;
	}
	return NULL;
}

static void set_permalink(struct sandbox_call *call, struct ig_media *media,
			  const struct container *container)
{
	const struct str user = media->node.page->ig_username;
	media->shortcode = sandbox_id_text(call->sandbox, "D", 10);
	struct str path;
	if (container->kind == CONTAINER_STORY)
		path = str_format(call->arena, "stories/" STR_FMT "/" STR_FMT, STR_ARG(user),
				  STR_ARG(media->shortcode));
	else
		path = str_format(call->arena, "%s/" STR_FMT "/",
				  container->kind == CONTAINER_REEL ? "reel" : "p",
				  STR_ARG(media->shortcode));
	media->permalink = sandbox_keep_str(
		call->sandbox, sandbox_graph_permalink(call, "www.instagram.com", path));
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
	size_t count = container->child_count;
	struct sandbox_media pictures[INSTAGRAM_CHILDREN_MAX];
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
	sandbox_graph_node_add(call->sandbox, &media->node);
	container->media_id = media->node.id;
	container->published_us = call->now_us;
	for (size_t i = 0; i < container->child_count; i++) {
		container->children[i]->media_id = media->node.id;
		container->children[i]->published_us = call->now_us;
	}
	ledger_media(call, media, container);
	return media;
}

static int64_t publish_quota(struct sandbox_call *call)
{
	return sandbox_call_knob(call, SANDBOX_KNOB_instagram_publish_quota);
}

static void post_publish(struct sandbox_call *call, struct graph_node *node)
{
	struct container *container = sandbox_instagram_container_find(
		call, node->page, sandbox_param(call, "creation_id"));
	struct instagram_quota *quota =
		sandbox_instagram_quota_of(call, "published", node->page->ig_id);
	if (sandbox_graph_page_reader(call, node->page, scope_publish) == NULL)
		return;
	if (container == NULL || container->is_child) {
		sandbox_graph_fail(call, &sandbox_instagram_unknown_container);
		return;
	}
	const struct graph_error *error = why_not_ready(call, container);
	if (error == NULL &&
	    (int64_t)sandbox_instagram_quota_used(quota, call->now_us) >= publish_quota(call))
		error = &sandbox_instagram_quota_reached;
	if (error != NULL) {
		sandbox_graph_fail(call, error);
		return;
	}
	sandbox_instagram_quota_count(quota, call->now_us);
	sandbox_graph_answer_id(call, publish(call, container)->node.id);
}

static void get_limit(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_instagram_reader(call, node->page, scope_publish) == NULL)
		return;
	const size_t used = sandbox_instagram_quota_used(
		sandbox_instagram_quota_of(call, "published", node->page->ig_id), call->now_us);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	json_begin_object(&w);
	if (sandbox_graph_wants(call, "quota_usage", true))
		json_member_int(&w, "quota_usage", (int64_t)used);
	if (sandbox_graph_wants(call, "config", false)) {
		json_key(&w, "config");
		json_begin_object(&w);
		json_member_int(&w, "quota_total", publish_quota(call));
		json_member_int(&w, "quota_duration", INSTAGRAM_DAY_S);
		json_end_object(&w);
	}
	json_end_object(&w);
	json_end_array(&w);
	json_end_object(&w);
}

/* ---- reading media (4.3, 7) ---- */

static void write_media(struct sandbox_call *call, struct json_writer *w,
			const struct ig_media *media)
{
	json_begin_object(w);
	if (media->caption.len > 0 && sandbox_graph_wants(call, "caption", false))
		json_member_str(w, "caption", media->caption);
	if (sandbox_graph_wants(call, "permalink", false))
		json_member_str(w, "permalink", media->permalink);
	if (sandbox_graph_wants(call, "shortcode", false))
		json_member_str(w, "shortcode", media->shortcode);
	if (sandbox_graph_wants(call, "media_product_type", false))
		json_member_str(w, "media_product_type", str_of(media->product_type));
	if (sandbox_graph_wants(call, "media_type", false))
		json_member_str(w, "media_type", str_of(media->media_type));
	if (sandbox_graph_wants(call, "username", false))
		json_member_str(w, "username", media->node.page->ig_username);
	if (sandbox_graph_wants(call, "owner", false)) {
		json_key(w, "owner");
		json_begin_object(w);
		json_member_str(w, "id", media->node.page->ig_id);
		json_end_object(w);
	}
	if (sandbox_graph_wants(call, "timestamp", false))
		sandbox_graph_member_time(w, call->arena, "timestamp", media->created_us);
	json_member_str(w, "id", media->node.id);
	json_end_object(w);
}

static void get_media(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_instagram_reader(call, node->page, scope_read) == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	write_media(call, &w, (const struct ig_media *)node);
}

/* Whole posts only, and only for an app that was granted it (4.6). */
static void delete_media(struct sandbox_call *call, struct graph_node *node)
{
	struct json_writer w;
	if (sandbox_graph_page_reader(call, node->page, "instagram_manage_contents") == NULL)
		return;
	sandbox_graph_node_delete(call, SANDBOX_INSTAGRAM, node);
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_bool(&w, "success", true);
	json_member_str(&w, "deleted_id", node->id);
	json_end_object(&w);
}

static void answer_list(struct sandbox_call *call, const struct graph_page *page,
			bool wants_stories)
{
	const struct graph_paging paging = sandbox_graph_paging_read(call, 25, 100);
	const int64_t since_us = sandbox_graph_time_param(call, "since", 0);
	const int64_t until_us = sandbox_graph_time_param(call, "until", INT64_MAX);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	size_t seen = 0;
	size_t shown = 0;
	bool has_more = false;
	for (const struct sandbox_post *post =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_INSTAGRAM, page->ig_id);
	     post != NULL; post = post->older) {
		const struct ig_media *media = post->extra;
		if (!sandbox_ledger_is_listed(call->sandbox, post) || media == NULL ||
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
	sandbox_graph_paging_write(call, &w, paging, shown, has_more);
	json_end_object(&w);
}

static void get_media_list(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_instagram_reader(call, node->page, scope_read) != NULL)
		answer_list(call, node->page, false);
}

static void get_stories(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_instagram_reader(call, node->page, scope_read) != NULL)
		answer_list(call, node->page, true);
}

/* ---- comments (4.5) ---- */

static void add_comment(struct sandbox_call *call, const struct graph_page *page,
			struct str parent_id)
{
	const struct str message = sandbox_param(call, "message");
	if (message.len == 0) {
		sandbox_graph_fail(call, &no_message);
		return;
	}
	sandbox_graph_answer_id(
		call, sandbox_graph_comment_add(call, SANDBOX_INSTAGRAM, GRAPH_IG_COMMENT, page,
						sandbox_id_decimal(call->sandbox, "180", 17),
						parent_id, message)
			      ->node.id);
}

static void post_comment(struct sandbox_call *call, struct graph_node *node)
{
	const struct ig_media *media = (const struct ig_media *)node;
	if (sandbox_graph_page_reader(call, node->page, "instagram_manage_comments") == NULL)
		return;
	if (strcmp(media->product_type, "STORY") == 0)
		sandbox_graph_fail(call, &no_comments);
	else
		add_comment(call, node->page, node->id);
}

/* A reply to a reply is attached to the top comment (4.5). */
static void post_reply(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_comment *comment = (const struct graph_comment *)node;
	const struct graph_node *parent =
		sandbox_graph_node_find(call->sandbox, comment->parent_id);
	const bool is_reply = parent != NULL && parent->kind == GRAPH_IG_COMMENT;
	if (sandbox_graph_page_reader(call, node->page, "instagram_manage_comments") != NULL)
		add_comment(call, node->page, is_reply ? parent->id : node->id);
}

static void get_comments(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_instagram_reader(call, node->page, "instagram_manage_comments") == NULL)
		return;
	struct sandbox_post *comments[100];
	const size_t count =
		sandbox_ledger_replies(call->sandbox, SANDBOX_INSTAGRAM, node->id, comments, 100);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(&w);
		if (sandbox_graph_wants(call, "timestamp", true))
			sandbox_graph_member_time(&w, call->arena, "timestamp",
						  comments[i]->created_us);
		if (sandbox_graph_wants(call, "text", true))
			json_member_str(&w, "text", comments[i]->text);
		if (sandbox_graph_wants(call, "username", false))
			json_member_str(&w, "username", node->page->ig_username);
		json_member_str(&w, "id", comments[i]->id);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
}

const struct graph_edge sandbox_instagram_edges[] = {
	{"POST", GRAPH_IG, "media", sandbox_instagram_container_post},
	{"GET", GRAPH_IG, "media", get_media_list},
	{"GET", GRAPH_IG, "stories", get_stories},
	{"POST", GRAPH_IG, "media_publish", post_publish},
	{"GET", GRAPH_IG, "content_publishing_limit", get_limit},
	{"GET", GRAPH_CONTAINER, "", sandbox_instagram_container_get},
	{"GET", GRAPH_IG_MEDIA, "", get_media},
	{"DELETE", GRAPH_IG_MEDIA, "", delete_media},
	{"POST", GRAPH_IG_MEDIA, "comments", post_comment},
	{"GET", GRAPH_IG_MEDIA, "comments", get_comments},
	{"POST", GRAPH_IG_COMMENT, "replies", post_reply},
	{"GET", GRAPH_IG_COMMENT, "replies", get_comments},
};
const size_t sandbox_instagram_edge_count = COUNT_OF(sandbox_instagram_edges);
