/* SPDX-License-Identifier: Apache-2.0
 * What each platform allows, as data, and the one check that reads it at publish time. What only
 * the bytes of a media file show is checked by the adapter once they are there. Numbers cite
 * x.md 3 or 5. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "account.h"
#include "app.h"
#include "platform_id.h"
#include "post.h"
#include "problem.h"

struct arena;
struct json;
struct platform;

/* What a platform counts when it counts the characters of a text. */
struct text_unit {
	const char *name; /* in /v1/platforms */
	int64_t (*length)(struct str text);
};

extern const struct text_unit rules_code_points;
extern const struct text_unit rules_utf16_units;
extern const struct text_unit rules_bytes;

enum option_type {
	OPTION_STRING,
	OPTION_BOOL,
	OPTION_INT,
	OPTION_STRING_LIST,
	OPTION_OBJECT,
	OPTION_OBJECT_LIST,
	OPTION_ENUM
};

struct option_rule {
	const char *name; /* the platform's own name */
	enum option_type type;
	/* longest text (in the platform's unit), largest integer, most entries; 0 = no check */
	int64_t max;
	const char *values;  /* OPTION_ENUM: "public|unlisted|private" */
	const char *summary; /* for /v1/platforms and docs */
};

/* The target account, as far as rules depend on it. */
struct rules_account {
	struct str id; /* ours: becomes account_id of a violation */
	enum account_type type;
	const struct json *extra; /* what connect left (account_found.extra), or NULL */
	enum app_tiktok_privacy tiktok_privacy;
};

/* One post type on one platform. */
struct type_rule {
	enum post_type type;
	int images_min, images_max;
	int videos_min, videos_max;
	int media_min, media_max; /* of both kinds together */
	bool text_required;
	int64_t text_max; /* of the first container of this type; 0 = the platform's */
	const char *summary;
};

/* The type that the media of the first container choose where the request gives none. */
struct default_type {
	int images_min, images_max;
	int videos_min, videos_max;
	enum post_type type; /* NONE ends the table */
};

struct post_rules {
	const struct type_rule *types; /* ends with POST_TYPE_NONE; the first is the default type */
	/* First match wins; without one, or when NULL, the first of types is taken
	 * (api-decisions.md 6). */
	const struct default_type *default_types;
	const struct text_unit *text_unit;
	int64_t text_max; /* of the first container */
	int64_t comment_text_max;
	int comments_max; /* 0 = the platform has no comments we can make */
	int comment_images_max, comment_videos_max;
	int64_t alt_text_max;              /* code points; 0 = no alt text (a warning) */
	const struct option_rule *options; /* ends with name NULL */
	/* The longest first text for this account where it depends on it (X premium); NULL =
	 * text_max. */
	int64_t (*text_max_of)(const struct rules_account *account);
	int64_t (*comment_text_max_of)(
		const struct rules_account *account); /* likewise; NULL = comment_text_max */
	/* Further checks of this platform, or NULL. field prefixes as in rules_check. */
	void (*check)(const struct post_content *post, enum post_type type,
		      const struct rules_account *account, struct problems *problems);
};

/* The type that a post has on this platform: the given one, or by api-decisions.md 6 the platform's
 * default for what it holds. NONE when the platform does not have it. */
enum post_type rules_post_type(const struct platform *platform, const struct post_content *post);
/* All rules for one target account: adds PROBLEM_RULE entries that name field, account and rule,
 * and warnings. For the tests; others ask rules_check_subject(). */
void rules_check(struct arena *arena, const struct platform *platform,
		 const struct post_content *post, const struct rules_account *account,
		 struct problems *problems);
/* Who a post is for, as the store has it. */
struct rules_subject {
	enum platform_id platform;
	struct str account_id;
	enum account_type type;
	struct str extra; /* JSON text, or empty */
	enum app_tiktok_privacy tiktok_privacy;
};
/* The same for what this account gets of a whole post (post_shape.h); fields are the request's.
 * Neither text nor media for it is a problem too. */
void rules_check_subject(struct arena *arena, const struct post_content *root,
			 const struct rules_subject *subject, struct problems *problems);
/* Field path of a container's member: "content" in basic mode, "containers.1.content" in advanced
 * mode. For check hooks. */
struct str rules_field(struct arena *arena, const struct post_content *post, size_t container,
		       const char *member);
/* Letters, digits and the others, and at least one of them. */
bool rules_word_is(struct str text, const char *others);
/* An entry of an option captions: url, the address of a file or the id of an uploaded one, and
 * language, a tag such as de or pt-BR; name may be missing. */
bool rules_caption_is(const struct json *caption);
/* The options object for this platform, or NULL. */
const struct json *rules_options(const struct post_content *post, enum platform_id platform);
