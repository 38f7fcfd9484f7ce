/* SPDX-License-Identifier: Apache-2.0
 * Meta's Graph as the sandbox plays it, shared by sandbox_facebook.c, sandbox_instagram.c,
 * sandbox_graph_login.c, sandbox_graph_pages.c and sandbox_graph.c: one user with three Pages, two
 * of which carry an Instagram business account. Facts: meta.md; numbers in comments are its
 * sections. */
#pragma once

#include "sandbox_private.h"

#define GRAPH_PAGES 3
#define GRAPH_HOST "graph.facebook.com"
/* the User-Agent with which Meta fetches media and links (1) */
#define GRAPH_FETCH_AGENT \
	"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"
#define GRAPH_SHORT_TOKEN_S 5400 /* one to two hours (2.5) */

struct graph_page {
	struct str id;
	struct str name;
	struct str username; /* empty: a Page need not have one */
	struct str ig_id;    /* empty: no Instagram account behind it */
	struct str ig_username;
	struct str ig_name;
	bool is_ticked; /* at first, in the consent page */
};

/* What one object was asked for within a day (6.2). */
struct graph_usage {
	int64_t since_us;
	int64_t calls;
};

struct graph_state {
	const struct graph_page *pages; /* GRAPH_PAGES constants: never gone, unlike nodes */
	struct graph_usage usage[GRAPH_PAGES][2]; /* [1]: of the Instagram account */
	struct str user_id;
	struct str user_name;
	struct str business_id;
};

/* One consent: what was asked and given. Every token that comes from it points here
 * (token->extra). */
struct graph_grant {
	struct str asked; /* scopes, comma separated */
	struct str granted;
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

/* Anything with an id. The first member of each object below, so that a node can be told from its
 * id alone. */
struct graph_node {
	enum graph_kind kind;
	struct str id;
	const struct graph_page
		*page; /* whose it is; an Instagram node belongs to the Page behind it */
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
	unsigned polls; /* since all bytes were there */
	bool is_uploaded;
	bool is_bad; /* processing will find that it is no video */
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

/* Meta's error numbers with the words they come in. */
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
/* The same with a message made on the spot. */
void sandbox_graph_fail_text(struct sandbox_call *call, const struct graph_error *error,
			     struct str message);
/* 400, code 190: the token is at fault. */
void sandbox_graph_fail_token(struct sandbox_call *call, int subcode, const char *message);
/* The same of a token whose time is over. */
void sandbox_graph_fail_expired(struct sandbox_call *call);
extern const struct graph_error sandbox_graph_no_object;

/* The token of a text, whichever of the two apps it is for. */
struct sandbox_token *sandbox_graph_token_find(struct sandbox *sandbox, struct str text);
/* The modules' token_of: the token that the call carries, live or not, or NULL. */
struct sandbox_token *sandbox_graph_token_of(struct sandbox_call *call);
/* The call's live token, or NULL with the answer given. */
struct sandbox_token *sandbox_graph_token(struct sandbox_call *call);
const struct graph_grant *sandbox_graph_grant(const struct sandbox_token *token);
bool sandbox_graph_is_page_token(const struct sandbox_token *token);
/* The token may act as this Page: a Page token of it. Else the answer is given (a user token gets
 * the well-known 200). */
struct sandbox_token *sandbox_graph_page_token(struct sandbox_call *call,
					       const struct graph_page *page, const char *scope);
/* The token may see what is this Page's or its Instagram account's: its Page token, or the user's
 * when the Page was ticked. */
struct sandbox_token *sandbox_graph_page_reader(struct sandbox_call *call,
						const struct graph_page *page, const char *scope);

/* "v25.0" of the call's path, or "". */
struct str sandbox_graph_version(struct sandbox_call *call);
/* Path below host and version: "/me/accounts". */
struct str sandbox_graph_path(struct sandbox_call *call);
/* Its first segment: "me". */
struct str sandbox_graph_path_first(struct str path);
/* Does the list "id,name,picture.type(large){url}" hold name? Then also what stands in its braces
 * (empty = nothing). */
bool sandbox_graph_field(struct str fields, const char *name, struct str *nested_out);
/* The same of the call's fields parameter; is_default is the answer when there is none. */
bool sandbox_graph_wants(struct sandbox_call *call, const char *name, bool is_default);

void *sandbox_graph_node_add(struct sandbox *sandbox, struct graph_node *node);
struct graph_node *sandbox_graph_node_find(struct sandbox *sandbox, struct str id);

/* Paging by cursors that stand for an index. */
struct graph_paging {
	size_t from;
	size_t limit;
};
struct graph_paging sandbox_graph_paging_read(struct sandbox_call *call, size_t limit_default,
					      size_t limit_max);
/* "paging":{...} after the data; has_more says whether there is a next page. Nothing when the page
 * was empty. */
void sandbox_graph_paging_write(struct sandbox_call *call, struct json_writer *w,
				struct graph_paging paging, size_t shown, bool has_more);
/* "2026-11-21T05:44:40+0000" */
void sandbox_graph_member_time(struct json_writer *w, struct arena *arena, const char *key,
			       int64_t us);
/* since/until: seconds or an instant; fallback when absent. */
int64_t sandbox_graph_time_param(struct sandbox_call *call, const char *name, int64_t fallback_us);
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
/* The words of a scope list, blank or comma separated, into out; how many, at most max. */
size_t sandbox_graph_scopes_split(struct str scopes, struct str *out, size_t max);

/* ---- sandbox_graph_pages.c ---- */

/* Makes the person, the business and the Pages. */
void sandbox_graph_start(struct sandbox *sandbox, void *state);
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
/* Fetches a photo. False: the answer is given. LETS GO OF THE LOCK. */
bool sandbox_facebook_photo_pull(struct sandbox_call *call, struct str url,
				 struct sandbox_media *media);
/* {"target":{...}} of a photo, as attachments have it. */
void sandbox_facebook_target_write(struct sandbox_call *call, struct json_writer *w,
				   const struct graph_photo *photo);

/* ---- sandbox_facebook_comments.c ---- */

extern const struct graph_edge sandbox_facebook_comment_edges[];
extern const size_t sandbox_facebook_comment_edge_count;
/* A comment of a Page on anything, into the ledger; used by both. */
struct graph_comment *sandbox_graph_comment_add(struct sandbox_call *call,
						enum sandbox_platform platform,
						enum graph_kind kind, const struct graph_page *page,
						struct str id, struct str parent_id,
						struct str message);
/* Does Facebook take it for a photo (5)? bytes may be empty: then BMP and TIFF are not known. */
bool sandbox_facebook_is_photo(const struct sandbox_media *media, struct str bytes);
/* A photo of that Page that is still there, or NULL. */
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
/* Is the call's upload_phase that one? */
bool sandbox_facebook_is_phase(struct sandbox_call *call, const char *phase);
struct graph_video *sandbox_facebook_video_new(struct sandbox_call *call,
					       const struct graph_page *page, const char *edge);
struct graph_video *sandbox_facebook_video_find(struct sandbox_call *call,
						const struct graph_page *page, struct str id);
/* Finished: the world sees it from here on, unless the call says that it is a draft. */
void sandbox_facebook_video_publish(struct sandbox_call *call, struct graph_video *video);

/* ---- sandbox_facebook_reels.c ---- */

extern const struct graph_edge sandbox_facebook_reel_edges[];
extern const size_t sandbox_facebook_reel_edge_count;
/* The host that takes bytes: videos of Pages and resumable containers of Instagram. */
void sandbox_graph_rupload(struct sandbox_call *call);
/* sandbox_instagram.c: the bytes of a container made with upload_type=resumable are there. */
void sandbox_instagram_container_fill(struct graph_node *node, const struct sandbox_media *media);
/* Does the container wait for bytes? */
bool sandbox_instagram_container_waits(const struct graph_node *node);
