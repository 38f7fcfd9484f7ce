/* SPDX-License-Identifier: Apache-2.0
 * The simulated Graph of Meta, shared by the files of this folder: one user with three Pages, two
 * of which have an Instagram business account. Facts: meta.md; the numbers in comments
 * are its sections. */
#pragma once

#include "sandbox_private.h"

#define GRAPH_PAGES 3
#define GRAPH_COLLABORATORS_MAX 10
#define GRAPH_HOST "graph.facebook.com"
#define GRAPH_LOGIN_HOST "graph.instagram.com" /* of tokens that Instagram Login gave (2.8) */
/* labels of those tokens */
#define GRAPH_LOGIN_SHORT "ig-short"
#define GRAPH_LOGIN_LONG "ig-long"
/* the User-Agent with which Meta fetches media and links (1) */
#define GRAPH_FETCH_AGENT \
	"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"
#define GRAPH_DATA_ACCESS_US (90 * US_PER_DAY) /* 2.7 */
#define GRAPH_SHORT_TOKEN_S 5400               /* one to two hours (2.5) */

struct graph_page {
	struct str id;
	struct str name;
	struct str username; /* empty: a Page need not have one */
	struct str ig_id;    /* empty: the Page has no Instagram account */
	struct str ig_username;
	struct str ig_name;
	bool is_ticked; /* initially, on the consent page */
};

/* The calls for one object within a day (6.2). */
struct graph_usage {
	int64_t since_us;
	int64_t calls;
};

struct graph_state {
	/* GRAPH_PAGES constants: unlike nodes, they outlive a reset */
	const struct graph_page *pages;
	struct graph_usage usage[GRAPH_PAGES][2]; /* [1]: of the Instagram account */
	struct str user_id;
	struct str user_name;
	struct str business_id;
};

/* One consent: the requested and the granted scopes. Every token that results points here
 * (token->extra). */
struct graph_grant {
	struct str asked; /* scopes, comma separated */
	struct str granted;
	int64_t granted_us;
	bool has_page[GRAPH_PAGES];
	/* [1]: taken with a long-lived user token, without expiry (2.7) */
	struct sandbox_token *page_tokens[GRAPH_PAGES][2];
};

enum graph_kind {
	GRAPH_NONE,
	GRAPH_USER,
	GRAPH_PAGE,
	GRAPH_IG,
	GRAPH_BUSINESS,
	GRAPH_POST,
	GRAPH_PHOTO,
	GRAPH_VIDEO,
	GRAPH_COMMENT,
	GRAPH_CONTAINER,
	GRAPH_IG_MEDIA,
	GRAPH_IG_COMMENT
};

/* Anything with an id. It is the first member of each object below, so that an id alone leads to
 * the kind of its node. */
struct graph_node {
	enum graph_kind kind;
	struct str id;
	const struct graph_page
		*page;      /* the owner; for an Instagram node, the Page that it is linked to */
	int64_t deleted_us; /* 0 = it is there */
};

struct graph_photo {
	struct graph_node node;
	struct sandbox_media media;
	struct str caption;
	int64_t created_us;
	bool is_published;
	bool is_used; /* in a story or comment: a photo may be used once (3.3) */
};

struct graph_post {
	struct graph_node node;
	struct str message;
	struct str link;
	struct str permalink;
	struct graph_photo *photos[10]; /* 5: photos per post */
	size_t photo_count;
	int64_t created_us;
	bool is_published;
};

/* A Page's video, reel or video story, from the start of its upload (3.1 to 3.3). */
struct graph_video {
	struct graph_node node;
	const char *edge; /* "videos", "video_reels" or "video_stories": where it began */
	struct sandbox_media media;
	struct str description;
	struct str title;
	struct str permalink;
	struct str post_id;
	int64_t file_size_bytes; /* as announced; 0 = not yet */
	int64_t created_us;
	unsigned polls;              /* since all bytes were there */
	unsigned collaborator_count; /* Pages that were invited (3.2, step 5) */
	bool is_uploaded;
	bool is_bad; /* processing will reject it: it is not a video */
	bool is_published;
	bool is_draft; /* finished with video_state=DRAFT: only the Page sees it */
};

struct graph_comment {
	struct graph_node node;
	struct str parent_id; /* the ledger's reply_to */
	struct str message;
	const struct graph_photo *photo; /* NULL = none */
	int64_t created_us;
};

/* An error of Meta: its numbers and texts. */
struct graph_error {
	int http_status;
	int code;
	int subcode; /* 0 = none */
	const char *message;
	const char *user_title; /* NULL = none */
	const char *user_message;
};

typedef void (*graph_handler)(struct sandbox_call *call, struct graph_node *node);

struct graph_edge {
	const char *method;
	enum graph_kind kind;
	const char *edge; /* "" = the node itself */
	graph_handler handler;
};

/* ---- sandbox_graph_call.c ---- */

struct graph_state *sandbox_graph_state(struct sandbox *sandbox);
void sandbox_graph_fail(struct sandbox_call *call, const struct graph_error *error);
/* The same with another message. */
void sandbox_graph_fail_text(struct sandbox_call *call, const struct graph_error *error,
			     struct str message);
/* 400, code 190: something is wrong with the token. */
void sandbox_graph_fail_token(struct sandbox_call *call, int subcode, const char *message);
/* The same for an expired token. */
void sandbox_graph_fail_expired(struct sandbox_call *call);
extern const struct graph_error sandbox_graph_no_object;

/* The token of that text, issued to either of the two apps; NULL = unknown. */
struct sandbox_token *sandbox_graph_token_find(struct sandbox *sandbox, struct str text);
/* The modules' token_of: the token of the call, live or not; NULL = none or unknown. */
struct sandbox_token *sandbox_graph_token_of(struct sandbox_call *call);
/* The call's live token. NULL = the call has been answered. */
struct sandbox_token *sandbox_graph_token(struct sandbox_call *call);
const struct graph_grant *sandbox_graph_grant(const struct sandbox_token *token);
bool sandbox_graph_is_page_token(const struct sandbox_token *token);
/* The call came to Instagram Login's host. */
bool sandbox_graph_is_login_host(const struct sandbox_call *call);
/* The token, when it is a Page token of this Page. NULL = the call has been answered; a user
 * token gets the well-known error 200. */
struct sandbox_token *sandbox_graph_page_token(struct sandbox_call *call,
					       const struct graph_page *page, const char *scope);
/* The token, when it may read this Page and its Instagram account: the Page's own, or a user
 * token whose consent includes the Page. NULL = the call has been answered. */
struct sandbox_token *sandbox_graph_page_reader(struct sandbox_call *call,
						const struct graph_page *page, const char *scope);

/* The version that serves the call, "v25.0": that of its path, or the oldest that has not ended.
 * Empty for a path without one. */
struct str sandbox_graph_version(struct sandbox_call *call);
/* Path below host and version: "/me/accounts". */
struct str sandbox_graph_path(struct sandbox_call *call);
/* Its first segment: "me". */
struct str sandbox_graph_path_first(struct str path);
/* Whether the list "id,name,picture.type(large){url}" contains name. *nested_out receives the
 * content of its braces, empty when there are none. */
bool sandbox_graph_field(struct str fields, const char *name, struct str *nested_out);
/* The same for the call's fields parameter; is_default is the result when it is absent. */
bool sandbox_graph_wants(struct sandbox_call *call, const char *name, bool is_default);

void *sandbox_graph_node_add(struct sandbox *sandbox, struct graph_node *node);
struct graph_node *sandbox_graph_node_find(struct sandbox *sandbox, struct str id);

/* Paging by cursors that encode an index. */
struct graph_paging {
	size_t from;
	size_t limit;
};
struct graph_paging sandbox_graph_paging_read(struct sandbox_call *call, size_t limit_default,
					      size_t limit_max);
/* Writes "paging":{...} after the data; has_more says whether there is a next page. Nothing for
 * an empty page. */
void sandbox_graph_paging_write(struct sandbox_call *call, struct json_writer *w,
				struct graph_paging paging, size_t shown, bool has_more);
/* "2026-11-21T05:44:40+0000" */
void sandbox_graph_member_time(struct json_writer *w, struct arena *arena, const char *key,
			       int64_t us);
/* since/until: seconds or an instant; fallback when absent. */
int64_t sandbox_graph_time_param(struct sandbox_call *call, const char *name, int64_t fallback_us);
/* {"name","id"} of a Page */
void sandbox_graph_member_page(struct json_writer *w, const char *key,
			       const struct graph_page *page);
/* Takes the object, with the comments below it, out of the world. Reads may show it a while longer
 * (deletions_late_ms). */
void sandbox_graph_node_delete(struct sandbox_call *call, enum sandbox_platform platform,
			       struct graph_node *node);
/* Was it deleted, and is it not shown to this call any more? */
bool sandbox_graph_node_is_gone(struct sandbox_call *call, const struct graph_node *node);
void sandbox_graph_answer_id(struct sandbox_call *call, struct str id);
void sandbox_graph_answer_success(struct sandbox_call *call);
/* "https://www.facebook.com/PATH" under the sandbox. */
struct str sandbox_graph_permalink(struct sandbox_call *call, const char *host, struct str path);

/* ---- sandbox_graph_errors.c ---- */

/* The error of that name, "code/subcode" or "code", as sandbox_module.render_error. */
bool sandbox_graph_render_error(struct sandbox_call *call, struct str name);

/* ---- sandbox_graph_login.c ---- */

void sandbox_graph_dialog(struct sandbox_call *call);
void sandbox_graph_access_token(struct sandbox_call *call);
void sandbox_graph_debug_token(struct sandbox_call *call);
/* Splits a scope list at blanks and commas into out; returns how many words, at most max. */
size_t sandbox_graph_scopes_split(struct str scopes, struct str *out, size_t max);

/* ---- sandbox_instagram_login.c ---- */

void sandbox_instagram_authorize(struct sandbox_call *call);
void sandbox_instagram_exchange(struct sandbox_call *call);
void sandbox_instagram_lengthen(struct sandbox_call *call);
void sandbox_instagram_renew(struct sandbox_call *call);
/* Answers with the account's fields as that login's host names them. */
void sandbox_instagram_profile_write(struct sandbox_call *call, const struct graph_page *page);

/* ---- sandbox_graph_pages.c ---- */

/* Creates the person, the business and the Pages. */
void sandbox_graph_start(struct sandbox *sandbox, void *state);
/* sandbox_module.account_name, of Pages and Instagram accounts. */
struct str sandbox_graph_account_name(struct str account_id);
extern const struct graph_edge sandbox_graph_pages_edges[];
extern const size_t sandbox_graph_pages_edge_count;

/* ---- sandbox_facebook.c, sandbox_instagram.c ---- */

extern const struct graph_edge sandbox_facebook_edges[];
extern const size_t sandbox_facebook_edge_count;
extern const struct graph_edge sandbox_instagram_edges[];
extern const size_t sandbox_instagram_edge_count;
/* An unpublished photo of that Page, with the call's alt text. */
struct graph_photo *sandbox_facebook_photo_make(struct sandbox_call *call,
						const struct graph_page *page,
						const struct sandbox_media *media);
/* Fetches a photo. False = the call has been answered. LETS GO OF THE LOCK. */
bool sandbox_facebook_photo_pull(struct sandbox_call *call, struct str url,
				 struct sandbox_media *media);
/* {"target":{...}} of a photo, as attachments have it. */
void sandbox_facebook_target_write(struct sandbox_call *call, struct json_writer *w,
				   const struct graph_photo *photo);

/* ---- sandbox_facebook_comments.c ---- */

extern const struct graph_edge sandbox_facebook_comment_edges[];
extern const size_t sandbox_facebook_comment_edge_count;
/* Creates a comment of a Page on any object, and its ledger entry. Used by both platforms. */
struct graph_comment *sandbox_graph_comment_add(struct sandbox_call *call,
						enum sandbox_platform platform,
						enum graph_kind kind, const struct graph_page *page,
						struct str id, struct str parent_id,
						struct str message);
/* Whether Facebook accepts it as a photo (5). Without bytes, BMP and TIFF are not recognized. */
bool sandbox_facebook_is_photo(const struct sandbox_media *media, struct str bytes);
/* The photo of that Page, or NULL when it does not exist any more. */
struct graph_photo *sandbox_facebook_photo_find(struct sandbox_call *call,
						const struct graph_page *page, struct str id);

/* ---- sandbox_facebook_video.c ---- */

extern const struct graph_edge sandbox_facebook_video_edges[];
extern const size_t sandbox_facebook_video_edge_count;
extern const struct graph_error sandbox_facebook_bad_phase;
extern const struct graph_error sandbox_facebook_bad_video;
extern const struct graph_error sandbox_facebook_no_upload;
extern const struct graph_error sandbox_facebook_no_video;
extern const struct graph_error sandbox_facebook_used_photo;
bool sandbox_facebook_is_video(const struct sandbox_media *media);
bool sandbox_facebook_is_story(const struct graph_video *video);
/* Whether the call's upload_phase is that one. */
bool sandbox_facebook_is_phase(struct sandbox_call *call, const char *phase);
struct graph_video *sandbox_facebook_video_new(struct sandbox_call *call,
					       const struct graph_page *page, const char *edge);
struct graph_video *sandbox_facebook_video_find(struct sandbox_call *call,
						const struct graph_page *page, struct str id);
/* Publishes a finished video, unless the call says that it is a draft. */
void sandbox_facebook_video_publish(struct sandbox_call *call, struct graph_video *video);

/* ---- sandbox_facebook_reels.c ---- */

extern const struct graph_edge sandbox_facebook_reel_edges[];
extern const size_t sandbox_facebook_reel_edge_count;
/* The upload host: videos of Pages and resumable containers of Instagram. */
void sandbox_graph_rupload(struct sandbox_call *call);
/* sandbox_instagram_container.c: the bytes of a container made with upload_type=resumable have
 * arrived. */
void sandbox_instagram_container_fill(struct graph_node *node, const struct sandbox_media *media);
/* Whether the container waits for bytes. */
bool sandbox_instagram_container_waits(const struct graph_node *node);
