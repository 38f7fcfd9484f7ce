/* SPDX-License-Identifier: Apache-2.0
 * The simulated LinkedIn, shared by its files: sandbox_linkedin.c (routes), _call.c (refusals, the
 * check in front of /rest), _login.c (apps and OAuth), _people.c (the member and the page),
 * _posts.c, _comments.c, _media.c (pictures and documents), _video.c and _text.c (the "little" text
 * format). It follows one reading of linkedin.md; where that says a fact is not verified,
 * the stricter behaviour is simulated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox_private.h"

/* The accounts. The person id contains an underscore on purpose: it is a reserved character of
 * little text. */
#define LINKEDIN_MEMBER_ID "sbJo_Doe42"
#define LINKEDIN_MEMBER_URN "urn:li:person:" LINKEDIN_MEMBER_ID
#define LINKEDIN_PAGE_ID "1000001"
#define LINKEDIN_PAGE_URN "urn:li:organization:" LINKEDIN_PAGE_ID

#define LINKEDIN_API "/api.linkedin.com"
#define LINKEDIN_WWW "/www.linkedin.com"
#define LINKEDIN_UPLOAD_HOST "www.linkedin.com"
#define LINKEDIN_AVATAR_HOST "media.licdn.com"

/* An issued access or refresh token, kept so that a changed scope set can revoke it (1.1). */
struct linkedin_grant {
	struct sandbox_token *token;
	struct linkedin_grant *older;
};

#define LINKEDIN_APPS 4
#define LINKEDIN_SCOPES_MAX 12

/* An app registered at LinkedIn, with the scopes of its products. */
struct linkedin_app {
	const char *client_id;
	const char *scopes[LINKEDIN_SCOPES_MAX]; /* that it owns */
	bool gives_refresh_tokens;               /* approved for programmatic refresh (1.4) */
	/* the current Comments page asks for the *_feed scopes (2.10) */
	bool comments_need_feed_scope;
	int64_t member_day_max; /* calls (section 3) */
	int64_t app_day_max;
};

/* The consent that the member gave one app. */
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

/* The index of the app with that client id; LINKEDIN_APPS when there is none. */
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
/* sandbox_module.account_name. */
struct str sandbox_linkedin_account_name(struct str account_id);

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
/* Refusals of section 4 that several resources share. They return false. */
bool sandbox_linkedin_refuse_schema(struct sandbox_call *call, const char *field, const char *what);
bool sandbox_linkedin_refuse_required(struct sandbox_call *call, const char *field);
/* 400 and a code, for what the rules refuse. */
bool sandbox_linkedin_refuse_field(struct sandbox_call *call, const char *code,
				   const char *message);
void sandbox_linkedin_refuse_not_found(struct sandbox_call *call);
/* 401, EXPIRED_ACCESS_TOKEN. */
void sandbox_linkedin_refuse_expired(struct sandbox_call *call);
/* The token of a call that needs no version header (/v2, upload addresses). NULL = the call has
 * been answered. */
struct sandbox_token *sandbox_linkedin_bearer(struct sandbox_call *call);
/* The check in front of /rest: version, then token (section 9), then quota. NULL = the call has
 * been answered. */
struct sandbox_token *sandbox_linkedin_enter(struct sandbox_call *call);

/* The member "paging" of a list, without links to further pages. */
void sandbox_linkedin_put_paging(struct json_writer *w, int64_t start, int64_t count);

/* Whether the token may act as this URN: write a post, own a picture, comment. resource is named
 * in the refusal, as in "partnerApiPostsExternal.CREATE". False = the call has been answered. */
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
	bool is_fit;         /* LinkedIn accepts this kind of file */
	struct sandbox_media media;
	struct linkedin_video *video; /* NULL for pictures and documents */
	const char *failure;          /* processingFailureReason when is_fit is false */
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

/* Creates an asset for that owner: "urn:li:KIND:ID". */
struct linkedin_asset *sandbox_linkedin_asset_new(struct sandbox_call *call, const char *kind,
						  struct str id, struct str owner);
/* The owner named in the body of initializeUpload. Empty = the owner is missing or may not be
 * acted for, and the call has been answered. */
struct str sandbox_linkedin_upload_owner(struct sandbox_call *call,
					 const struct sandbox_token *token, const char *resource);
const char *sandbox_linkedin_asset_status_name(enum linkedin_asset_status status);

/* ---- sandbox_linkedin_video.c: handlers of sandbox_linkedin.c's table ---- */

void sandbox_linkedin_video_action(struct sandbox_call *call);
void sandbox_linkedin_video_get(struct sandbox_call *call);
void sandbox_linkedin_video_part_put(struct sandbox_call *call);
void sandbox_linkedin_video_thumbnail_put(struct sandbox_call *call);
void sandbox_linkedin_video_captions_post(struct sandbox_call *call);

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
/* The bare id in the URN, which the service knows as platform_account_id (1.6). */
struct str sandbox_linkedin_account_of(struct str urn);
/* The post or comment of that URN, deleted or not; a post also by its activity. NULL = it never
 * existed. */
struct linkedin_entry *sandbox_linkedin_entry_find(struct sandbox_call *call, struct str urn);
/* Neither NULL nor deleted. */
bool sandbox_linkedin_is_visible(struct sandbox *sandbox, const struct linkedin_entry *entry);
/* Whether the token may read posts of this author. False = the call has been answered. */
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
	/* as readers see it: without escapes, cut at the first reserved character that is not
	 * escaped */
	struct str shown;
	struct str canonical; /* as GET returns it: escaped, hashtags as templates (2.9) */
	size_t length;        /* characters of the whole text, without escapes (section 3) */
	bool is_cut;
};

/* Reads little text (2.9). Never fails: LinkedIn publishes what precedes an error. */
void sandbox_linkedin_text_read(struct arena *arena, struct str commentary,
				struct linkedin_text *text_out);
