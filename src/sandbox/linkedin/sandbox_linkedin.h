/* SPDX-License-Identifier: Apache-2.0
 * What the files of the simulated LinkedIn share: sandbox_linkedin.c (refusals, the gate in front
 * of /rest, routes), sandbox_linkedin_login.c (apps and OAuth), sandbox_linkedin_people.c (the
 * member and the page), sandbox_linkedin_posts.c (posts), sandbox_linkedin_comments.c (comments),
 * sandbox_linkedin_media.c (pictures and documents), sandbox_linkedin_video.c (videos) and
 * sandbox_linkedin_text.c (the "little" text format). The reading of linkedin.md that stands behind
 * them is one reading; where it says that a fact is not verified, the stricter behaviour is
 * played. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox_private.h"

/* Who lives here. A person id has an underscore on purpose: it is a reserved character of little
 * text. */
#define LINKEDIN_MEMBER_ID "sbJo_Doe42"
#define LINKEDIN_MEMBER_URN "urn:li:person:" LINKEDIN_MEMBER_ID
#define LINKEDIN_PAGE_ID "1000001"
#define LINKEDIN_PAGE_URN "urn:li:organization:" LINKEDIN_PAGE_ID

#define LINKEDIN_API "/api.linkedin.com"
#define LINKEDIN_WWW "/www.linkedin.com"
#define LINKEDIN_UPLOAD_HOST "www.linkedin.com"
#define LINKEDIN_AVATAR_HOST "media.licdn.com"

/* One access or refresh token that was given out, for killing them when the scope set changes
 * (1.1). */
struct linkedin_grant {
	struct sandbox_token *token;
	struct linkedin_grant *older;
};

#define LINKEDIN_APPS 3
#define LINKEDIN_SCOPES_MAX 12

/* An app at LinkedIn, by its products. */
struct linkedin_app {
	const char *client_id;
	const char *scopes[LINKEDIN_SCOPES_MAX]; /* that it owns */
	bool gives_refresh_tokens;               /* approved for programmatic refresh (1.4) */
	/* the current Comments page asks for the *_feed scopes (2.10) */
	bool comments_need_feed_scope;
	int64_t member_day_max; /* calls (section 3) */
	int64_t app_day_max;
};

/* What the member gave one app. */
struct linkedin_consent {
	struct str scope;              /* of the newest consent; empty before the first */
	struct linkedin_grant *grants; /* newest first */
	int64_t day;                   /* since 1970, of the calls counted */
	int64_t calls;
};

struct linkedin_state {
	struct linkedin_consent consents[LINKEDIN_APPS];
};

/* ---- sandbox_linkedin_login.c ---- */

/* Index of the app; LINKEDIN_APPS when there is none of that client id. */
size_t sandbox_linkedin_app_find(struct str client_id);
const struct linkedin_app *sandbox_linkedin_app(size_t index);

/* Handlers of sandbox_linkedin.c's table. */
void sandbox_linkedin_authorize(struct sandbox_call *call);
void sandbox_linkedin_access_token(struct sandbox_call *call);
void sandbox_linkedin_introspect(struct sandbox_call *call);
void sandbox_linkedin_permitted_services(struct sandbox_call *call);

/* ---- sandbox_linkedin_people.c: handlers of sandbox_linkedin.c's table ---- */

void sandbox_linkedin_userinfo(struct sandbox_call *call);
void sandbox_linkedin_me(struct sandbox_call *call);
void sandbox_linkedin_organization_acls(struct sandbox_call *call);
void sandbox_linkedin_organization(struct sandbox_call *call);
void sandbox_linkedin_avatar(struct sandbox_call *call);

/* ---- sandbox_linkedin_call.c ---- */

struct linkedin_error {
	int status;
	int service_code; /* 0 = left out */
	const char *code; /* NULL = left out */
};

/* The envelope of section 4: {"status","serviceErrorCode","code","message"}. */
void sandbox_linkedin_refuse(struct sandbox_call *call, struct linkedin_error error,
			     struct str message);
/* 403, "Not enough permissions to access: RESOURCE". */
void sandbox_linkedin_refuse_access(struct sandbox_call *call, const char *resource);
/* The answers of section 4 that several resources share; the bools are false. */
bool sandbox_linkedin_refuse_schema(struct sandbox_call *call, const char *field, const char *what);
bool sandbox_linkedin_refuse_required(struct sandbox_call *call, const char *field);
/* 400 and a code: what the rules refuse. */
bool sandbox_linkedin_refuse_field(struct sandbox_call *call, const char *code,
				   const char *message);
void sandbox_linkedin_refuse_not_found(struct sandbox_call *call);
/* 401, EXPIRED_ACCESS_TOKEN. */
void sandbox_linkedin_refuse_expired(struct sandbox_call *call);
/* The token of a call that wants no version header (/v2, upload addresses), or NULL and the answer
 * is made. */
struct sandbox_token *sandbox_linkedin_bearer(struct sandbox_call *call);
/* The gate of /rest: version, then token (section 9). NULL = the answer is made. */
struct sandbox_token *sandbox_linkedin_enter(struct sandbox_call *call);

/* The member "paging" of a list, without links to further pages. */
void sandbox_linkedin_put_paging(struct json_writer *w, int64_t start, int64_t count);

/* A resource as it stands in refusals: "partnerApiPostsExternal.CREATE". May the token act as this
 * URN (write a post, own a picture, comment)? False = the answer is made. */
bool sandbox_linkedin_may_act(struct sandbox_call *call, const struct sandbox_token *token,
			      struct str urn, const char *resource);

/* ---- sandbox_linkedin_media.c ---- */

enum linkedin_asset_status {
	LINKEDIN_ASSET_WAITING_UPLOAD,
	LINKEDIN_ASSET_PROCESSING,
	LINKEDIN_ASSET_AVAILABLE,
	LINKEDIN_ASSET_PROCESSING_FAILED
};

/* An uploaded picture, document or video. */
struct linkedin_asset {
	struct str urn;
	struct str owner;    /* URN */
	struct str secret;   /* what makes its upload address hard to guess */
	int64_t expires_us;  /* of the upload address */
	int64_t uploaded_us; /* 0 = no bytes yet */
	bool is_fit;         /* the bytes are of a kind LinkedIn takes */
	struct sandbox_media media;
	struct linkedin_video *video; /* NULL for pictures and documents */
	const char *failure;          /* processingFailureReason when it is not fit */
};

/* The asset of that URN, or NULL. */
struct linkedin_asset *sandbox_linkedin_asset_find(struct sandbox *sandbox, struct str urn);
enum linkedin_asset_status sandbox_linkedin_asset_status(const struct linkedin_asset *asset,
							 int64_t now_us);

/* Handlers of sandbox_linkedin.c's table. */
void sandbox_linkedin_image_action(struct sandbox_call *call);
void sandbox_linkedin_image_get(struct sandbox_call *call);
void sandbox_linkedin_document_action(struct sandbox_call *call);
void sandbox_linkedin_document_get(struct sandbox_call *call);
void sandbox_linkedin_asset_put(struct sandbox_call *call);

/* A new asset of that owner: "urn:li:KIND:ID". */
struct linkedin_asset *sandbox_linkedin_asset_new(struct sandbox_call *call, const char *kind,
						  struct str id, struct str owner);
/* The owner in the body of initializeUpload; empty when it is missing or may not be acted for: then
 * the answer is made. */
struct str sandbox_linkedin_upload_owner(struct sandbox_call *call,
					 const struct sandbox_token *token, const char *resource);
const char *sandbox_linkedin_asset_status_name(enum linkedin_asset_status status);

/* ---- sandbox_linkedin_video.c: handlers of sandbox_linkedin.c's table ---- */

void sandbox_linkedin_video_action(struct sandbox_call *call);
void sandbox_linkedin_video_get(struct sandbox_call *call);
void sandbox_linkedin_video_part_put(struct sandbox_call *call);
void sandbox_linkedin_video_thumbnail_put(struct sandbox_call *call);

/* ---- sandbox_linkedin_posts.c ---- */

/* A post or a comment; the ledger's entries point at it. */
struct linkedin_entry {
	struct str urn;       /* the ledger's id */
	struct str author;    /* URN */
	struct str activity;  /* URN of a post's activity; comments: that of their post */
	struct str canonical; /* little text as GET gives it; comments: the plain text */
	struct str shown;
	struct str content; /* JSON text, empty = none */
	struct str visibility;
	struct str feed;
	bool is_reshare_disabled;
	bool is_comment;
	struct str comment_id; /* of a comment */
	struct str reply_to;   /* of a comment: URN of the post or the comment above */
	struct str post_urn;   /* of a comment: the post at the top */
	int64_t created_us;
};

bool sandbox_linkedin_is_page(struct str urn);
/* The service's platform_account_id: the bare id behind the URN (1.6). */
struct str sandbox_linkedin_account_of(struct str urn);
/* The post or comment of that URN (a post also by its activity), also a deleted one; NULL = never
 * was. */
struct linkedin_entry *sandbox_linkedin_entry_find(struct sandbox_call *call, struct str urn);
/* Neither NULL nor deleted. */
bool sandbox_linkedin_is_visible(struct sandbox *sandbox, const struct linkedin_entry *entry);
/* May the token read what this author posted? False = the answer is made. */
bool sandbox_linkedin_may_read(struct sandbox_call *call, const struct sandbox_token *token,
			       struct str author, const char *resource);

/* Handlers of sandbox_linkedin.c's table. */

void sandbox_linkedin_post_create(struct sandbox_call *call);
void sandbox_linkedin_post_find(struct sandbox_call *call);
void sandbox_linkedin_post_get(struct sandbox_call *call);
void sandbox_linkedin_post_delete(struct sandbox_call *call);

/* ---- sandbox_linkedin_comments.c: handlers of sandbox_linkedin.c's table ---- */

void sandbox_linkedin_comment_create(struct sandbox_call *call);
void sandbox_linkedin_comment_list(struct sandbox_call *call);

/* ---- sandbox_linkedin_text.c ---- */

struct linkedin_text {
	/* what a reader sees: without escapes, cut at the first reserved character that has none */
	struct str shown;
	struct str canonical; /* the same as GET writes it: escaped, hashtags as templates (2.9) */
	size_t length;        /* characters of the whole text, escapes not counted (section 3) */
	bool is_cut;
};

/* Reads little text (2.9). Never fails: LinkedIn publishes what stands before the trouble. */
void sandbox_linkedin_text_read(struct arena *arena, struct str commentary,
				struct linkedin_text *text_out);
