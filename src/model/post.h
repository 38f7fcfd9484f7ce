/* SPDX-License-Identifier: Apache-2.0
 * A post: what is to be published. Its types, its limits and its stored form; no SQL, no HTTP. How
 * a request is read and checked is publish_request.h; what a platform allows is
 * platform/rules.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "sniff.h"

#include "platform_id.h"
#include "request_limits.h"

struct arena;
struct buf;
struct json;
struct json_writer;

enum post_type {
	POST_TYPE_NONE,
	POST_TYPE_POST,
	POST_TYPE_VIDEO,
	POST_TYPE_STORY,
	POST_TYPE_CAROUSEL,
	POST_TYPE_ARTICLE,
	POST_TYPE_COUNT
};
enum media_type { MEDIA_IMAGE, MEDIA_VIDEO };
/* What may be done to a picture for a platform (api-decisions.md 11). NONE: not given, as AUTO. */
enum media_fit {
	MEDIA_FIT_NONE,
	MEDIA_FIT_AUTO,
	MEDIA_FIT_PAD,
	MEDIA_FIT_CROP,
	MEDIA_FIT_OFF,
	MEDIA_FIT_COUNT
};
enum post_mode { POST_MODE_BASIC, POST_MODE_ADVANCED };

/* The exact state (api-decisions.md 7, "state"); what contract.md's four-valued status shows is
 * post_state_status(). */
enum post_state {
	POST_PENDING,
	POST_SCHEDULED,
	POST_PROCESSING,
	POST_RETRYING,
	POST_PUBLISHED,
	POST_FAILED,
	POST_STATE_COUNT
};

/* Who can see what is out, from open to closed (api-decisions.md 7). */
enum post_visibility {
	POST_VISIBILITY_UNKNOWN, /* the platform does not say */
	POST_VISIBILITY_PUBLIC,
	POST_VISIBILITY_UNLISTED,
	POST_VISIBILITY_FOLLOWERS, /* or friends, or connections */
	POST_VISIBILITY_PRIVATE,
	POST_VISIBILITY_DRAFT, /* nobody, until a person publishes it at the platform */
	POST_VISIBILITY_COUNT
};

/* What became of the wish to take a published post back (api-decisions.md 12). Stored. */
enum post_removal {
	POST_REMOVAL_NONE, /* nobody asked */
	POST_REMOVAL_PENDING,
	POST_REMOVAL_REMOVED,
	POST_REMOVAL_FAILED,
	POST_REMOVAL_UNSUPPORTED, /* the platform gives apps no way to do it */
	POST_REMOVAL_COUNT
};

/* What is known of a medium that was looked at. */
struct media_seen {
	struct str why; /* it could not be had, and why: the end of a sentence; empty = it was */
	int64_t size_bytes;
	struct sniff sniff; /* by its bytes */
};

struct media {
	struct str url; /* or the id of an uploaded file: media_id_is() (media_id.h) */
	enum media_type type;
	/* In a request: not given, for an uploaded file; what it is says the file. */
	bool is_type_open;
	struct str alt_text; /* empty = not given; so all below */
	struct str thumbnail_url;
	struct str mime_type;
	int64_t duration_s; /* -1 = not given */
	enum media_fit fit;
	const struct media_seen *seen; /* NULL = nobody has looked at it; never stored */
};

struct container {
	struct str content;
	struct media *media;
	size_t media_count;
};

/* What a platform's or an account's entry of overrides gives (api-decisions.md 10). */
struct post_override {
	struct str key;            /* a slug, or an account's id */
	enum platform_id platform; /* NONE: the key is an account's id */
	bool has_content;          /* of the first container; so below */
	bool has_media;
	struct container first;
	enum post_type type; /* NONE = not given; of containers where there are some */
	enum media_fit fit;  /* of all its media; NONE = as they say */
	struct container *containers;
	size_t container_count;     /* 0 = not given */
	const struct json *options; /* NULL = not given */
};

/* The content of a post, whole. post_shape.h says what one account gets of it. */
struct post_content {
	enum post_mode mode;
	enum post_type type; /* POST_TYPE_NONE = as each platform defaults */
	struct container
		*containers; /* at least one; the first is the post, the others are comments */
	size_t container_count;
	const struct json
		*options; /* the request's platforms object, keys are slugs; NULL = none */
	const struct post_override *overrides;
	size_t override_count;
	/* what the operator lets be done with its films; set by who judges them, never stored */
	enum film_mode film_mode;
};

/* "carousel"; "" for NONE. */
const char *post_type_name(enum post_type type);
enum post_type post_type_of_name(struct str name); /* NONE when unknown */
const char *post_mode_name(enum post_mode mode);
/* "pad"; empty for NONE. */
const char *post_media_fit_name(enum media_fit fit);
enum media_fit post_media_fit_of_name(struct str name); /* NONE when unknown */
/* "retrying". */
const char *post_state_name(enum post_state state);
/* COUNT when unknown. */
enum post_state post_state_of_name(struct str name);
/* "followers"; "" for UNKNOWN. */
const char *post_visibility_name(enum post_visibility visibility);
/* UNKNOWN when unknown. */
enum post_visibility post_visibility_of_name(struct str name);
/* "removed"; "" for NONE. */
const char *post_removal_name(enum post_removal removal);
/* One of the four contract.md values: processing and retrying show as pending. */
const char *post_state_status(enum post_state state);
/* Published and failed are. */
bool post_state_is_final(enum post_state state);
/* The state of a post from those of its deliveries: failed when all are final and one failed,
 * published when all are; else retrying, processing, pending, scheduled in this order of
 * precedence. count > 0. */
enum post_state post_state_of_deliveries(const enum post_state *states, size_t count);

/* The stored form: {"mode","type","containers":[...],"options":{...},"overrides":{...}}; reads what
 * it wrote. */
void post_content_write(struct json_writer *w, const struct post_content *content);
enum err_kind post_content_read(struct arena *arena, struct str text,
				struct post_content *content_out, struct error *err);
/* containers as list answers show them: [{content,
 * media:[{url,type,alt_text,thumbnail_url,duration,mime_type}]}], nulls for what was not given. */
void post_containers_write_api(struct json_writer *w, const struct post_content *content);
/* overrides as answers show them: what was given, media with nulls. */
void post_overrides_write_api(struct json_writer *w, const struct post_content *content);
/* [{type, content, media}] of a shape; type is the first container's, where it is known. */
void post_shape_write_api(struct json_writer *w, const struct post_content *content,
			  enum post_type type);
/* Number of media of all containers before container (the flat index of its first). */
size_t post_media_base(const struct post_content *content, size_t container);
size_t post_media_total(const struct post_content *content);
/* The media with that flat index, or NULL. */
const struct media *post_media_at(const struct post_content *content, size_t flat_index);
