/* SPDX-License-Identifier: Apache-2.0
 * Comments on a simulated Page's posts, photos and videos (meta.md 3). Instagram uses its
 * ledger entry too. */
#include "sandbox_graph.h"

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "json_write.h"

#define LIST_LIMIT 25
#define LIST_LIMIT_MAX 100

static const struct graph_error bad_attachment = {
	400, 100, 0, "(#100) Param attachment_id must be a photo that is not published"};
static const struct graph_error empty_comment = {400, 100, 0,
						 "(#100) Missing message or attachment"};

/* ---- comments (3) ---- */

static struct graph_comment *comment_make(struct sandbox_call *call, enum sandbox_platform platform,
					  const struct graph_comment *draft)
{
	struct graph_comment *comment = sandbox_keep(call->sandbox, sizeof(*comment));
	const struct graph_page *page = draft->node.page;
	*comment = *draft;
	comment->node.id = sandbox_keep_str(call->sandbox, draft->node.id);
	comment->parent_id = sandbox_keep_str(call->sandbox, draft->parent_id);
	comment->message = sandbox_keep_str(call->sandbox, draft->message);
	comment->created_us = call->now_us;
	sandbox_graph_node_add(call->sandbox, &comment->node);
	sandbox_ledger_add(
		call->sandbox,
		&(struct sandbox_post){
			.platform = platform,
			.account_id = platform == SANDBOX_INSTAGRAM ? page->ig_id : page->id,
			.id = comment->node.id,
			.type = STR("comment"),
			.text = comment->message,
			.media = comment->photo != NULL ? &comment->photo->media : NULL,
			.media_count = comment->photo != NULL ? 1 : 0,
			.reply_to = comment->parent_id,
		});
	return comment;
}

struct graph_comment *sandbox_graph_comment_add(struct sandbox_call *call,
						enum sandbox_platform platform,
						enum graph_kind kind, const struct graph_page *page,
						struct str id, struct str parent_id,
						struct str message)
{
	return comment_make(call, platform,
			    &(struct graph_comment){
				    .node = {kind, id, page},
				    .parent_id = parent_id,
				    .message = message,
			    });
}

/* "{post}_{comment}": the second half of the post's id, then the comment's own. */
static struct str comment_id(struct sandbox_call *call, struct str parent)
{
	const size_t bar = str_find_char(parent, '_', 0);
	const struct str post = bar == SIZE_MAX ? parent : str_slice(parent, bar + 1, parent.len);
	return str_format(call->arena, STR_FMT "_" STR_FMT, STR_ARG(post),
			  STR_ARG(sandbox_id_decimal(call->sandbox, "9", 16)));
}

/* The comment's picture: a photo that was uploaded before, or one to fetch now. False = the call
 * has been answered. May LET GO OF THE LOCK. */
static bool read_attachment(struct sandbox_call *call, const struct graph_page *page,
			    struct graph_photo **photo_out)
{
	const struct str id = sandbox_param(call, "attachment_id");
	const struct str url = sandbox_param(call, "attachment_url");
	*photo_out = NULL;
	if (id.len > 0) {
		struct graph_photo *photo = sandbox_facebook_photo_find(call, page, id);
		if (photo == NULL || photo->is_published || photo->is_used) {
			sandbox_graph_fail(call, photo == NULL ? &bad_attachment
							       : &sandbox_facebook_used_photo);
			return false;
		}
		*photo_out = photo;
		return true;
	}
	if (url.len == 0)
		return true;
	struct sandbox_media media;
	if (!sandbox_facebook_photo_pull(call, url, &media) ||
	    sandbox_graph_page_token(call, page, "pages_manage_engagement") == NULL)
		return false;
	*photo_out = sandbox_facebook_photo_make(call, page, &media);
	return true;
}

static void post_comment(struct sandbox_call *call, struct graph_node *node)
{
	const struct str message = sandbox_param(call, "message");
	const struct str parent = str_copy(call->arena, node->id);
	const struct graph_page *page = node->page;
	struct graph_photo *photo;
	if (sandbox_graph_page_token(call, page, "pages_manage_engagement") == NULL ||
	    !read_attachment(call, page, &photo))
		return;
	if (message.len == 0 && photo == NULL) {
		sandbox_graph_fail(call, &empty_comment);
		return;
	}
	if (photo != NULL)
		photo->is_used = true;
	sandbox_graph_answer_id(
		call, comment_make(call, SANDBOX_FACEBOOK,
				   &(struct graph_comment){
					   .node = {GRAPH_COMMENT, comment_id(call, parent), page},
					   .parent_id = parent,
					   .message = message,
					   .photo = photo,
				   })
			      ->node.id);
}

static const struct graph_photo *comment_photo(struct sandbox_call *call, struct str id)
{
	const struct graph_node *node = sandbox_graph_node_find(call->sandbox, id);
	return node != NULL && node->kind == GRAPH_COMMENT
		       ? ((const struct graph_comment *)node)->photo
		       : NULL;
}

static void write_comment(struct sandbox_call *call, struct json_writer *w,
			  const struct graph_page *page, const struct sandbox_post *comment)
{
	json_begin_object(w);
	if (sandbox_graph_wants(call, "created_time", true))
		sandbox_graph_member_time(w, call->arena, "created_time", comment->created_us);
	if (sandbox_graph_wants(call, "from", true)) {
		json_key(w, "from");
		json_begin_object(w);
		json_member_str(w, "name", page->name);
		json_member_str(w, "id", page->id);
		json_end_object(w);
	}
	if (sandbox_graph_wants(call, "message", true))
		json_member_str(w, "message", comment->text);
	const struct graph_photo *photo = comment_photo(call, comment->id);
	if (photo != NULL && sandbox_graph_wants(call, "attachment", false)) {
		json_key(w, "attachment");
		sandbox_facebook_target_write(call, w, photo);
	}
	json_member_str(w, "id", comment->id);
	json_end_object(w);
}

static void get_comments(struct sandbox_call *call, struct graph_node *node)
{
	const struct graph_paging paging =
		sandbox_graph_paging_read(call, LIST_LIMIT, LIST_LIMIT_MAX);
	const bool is_reverse =
		str_equal_nocase(sandbox_param(call, "order"), STR("reverse_chronological"));
	if (sandbox_graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	struct sandbox_post *comments[LIST_LIMIT_MAX + 1];
	const size_t count = sandbox_ledger_replies(call->sandbox, SANDBOX_FACEBOOK, node->id,
						    comments, LIST_LIMIT_MAX + 1);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	size_t shown = 0;
	for (size_t i = paging.from; i < count && shown < paging.limit; i++, shown++)
		write_comment(call, &w, node->page, comments[is_reverse ? count - 1 - i : i]);
	json_end_array(&w);
	sandbox_graph_paging_write(call, &w, paging, shown, paging.from + shown < count);
	json_end_object(&w);
}

static void get_comment(struct sandbox_call *call, struct graph_node *node)
{
	const struct sandbox_post *comment =
		sandbox_ledger_find(call->sandbox, SANDBOX_FACEBOOK, node->id);
	if (sandbox_graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	if (comment == NULL) {
		sandbox_graph_answer_id(call, node->id);
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	write_comment(call, &w, node->page, comment);
}

const struct graph_edge sandbox_facebook_comment_edges[] = {
	{"POST", GRAPH_POST, "comments", post_comment},
	{"GET", GRAPH_POST, "comments", get_comments},
	{"POST", GRAPH_PHOTO, "comments", post_comment},
	{"GET", GRAPH_PHOTO, "comments", get_comments},
	{"POST", GRAPH_VIDEO, "comments", post_comment},
	{"GET", GRAPH_VIDEO, "comments", get_comments},
	{"POST", GRAPH_COMMENT, "comments", post_comment},
	{"GET", GRAPH_COMMENT, "comments", get_comments},
	{"GET", GRAPH_COMMENT, "", get_comment},
};
const size_t sandbox_facebook_comment_edge_count = COUNT_OF(sandbox_facebook_comment_edges);
