/* SPDX-License-Identifier: Apache-2.0
 * A flow: what an adapter remembers between two steps. Small, named, serialised as JSON with stage
 * NAMES, so that a program restarted after a crash goes on where it stopped. It never holds a
 * request. Secrets (a token of a half-finished flow, an upload URL) are set with flow_set_secret
 * and serialised apart, so that the caller can seal them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "post.h"

#define FLOW_VERSION 1
#define FLOW_VARS_MAX 96
#define FLOW_WARNINGS_MAX 8

/* Codes of warnings (api-decisions.md 7). */
#define FLOW_THUMBNAIL_REFUSED "thumbnail_refused"
#define FLOW_COLLABORATOR_REFUSED "collaborator_refused"
#define FLOW_VISIBILITY_RESTRICTED "visibility_restricted"
#define FLOW_PLAYLIST_REFUSED "playlist_refused"
#define FLOW_CAPTIONS_REFUSED "captions_refused"
#define FLOW_ID_MISSING "platform_post_id_missing" /* the post lacks nothing for it */

struct arena;

struct flow_var {
	struct str name;
	struct str value;
	bool is_secret;
};

/* One container of a post. */
struct flow_part {
	bool is_done;
	/* the platform's id of what became visible; may stay empty when the platform gives none */
	struct str remote_id;
	struct str url; /* where a person sees it; may be empty */
};

/* Something that was asked for and is not there, although the post is out. */
struct flow_warning {
	struct str code;
	struct str field;   /* of the request: "media.0.thumbnail_url" */
	struct str message; /* one sentence or two, without anything secret */
	bool is_repeatable; /* a person's retry tries it again */
	bool is_wanted;     /* by a retry that goes on now */
};

struct flow {
	struct arena *arena;
	/* the stage of the call that is next or under way; "" = at the start of the next part that
	 * is not done */
	struct str stage;
	struct str probe; /* the resolver's own stage; "" at the start of every probe */
	struct flow_part parts[POST_CONTAINERS_MAX];
	size_t part_count; /* 0 for flows that are not a post's */
	struct flow_var vars[FLOW_VARS_MAX];
	size_t var_count;
	/* as the platform said; UNKNOWN = as platform.visibility has it */
	enum post_visibility visibility;
	struct flow_warning warnings[FLOW_WARNINGS_MAX];
	size_t warning_count;
};

/* An empty flow with part_count parts. */
void flow_init(struct flow *flow, struct arena *arena, size_t part_count);

/* Sets the stage. name is one of the adapter's constants and is not copied. */
void flow_set_stage(struct flow *flow, const char *name);

/* Variables: value copied into the flow's arena; setting again replaces. Names are the adapter's
 * constants, or formatted from one ("part2_media_id"). More than FLOW_VARS_MAX variables is our bug
 * and asserts. */
void flow_set(struct flow *flow, const char *name, struct str value);
void flow_set_int(struct flow *flow, const char *name, int64_t value);
void flow_set_secret(struct flow *flow, const char *name, struct str value);
void flow_unset(struct flow *flow, const char *name);
/* Empty when not set. */
struct str flow_get(const struct flow *flow, const char *name);
int64_t flow_get_int(const struct flow *flow, const char *name, int64_t fallback);
/* Adds 1 to an integer variable and returns the new value: for counting polls. */
int64_t flow_count(struct flow *flow, const char *name);

/* The current part may be visible although no publish call is open: it was accepted and is still
 * being processed, or it was sent twice and the second call was refused. Then no failure may be
 * reported as if it were not there (rules.md P9). Ends with the part. */
void flow_set_open(struct flow *flow);
/* Proven: it is not visible. */
void flow_set_closed(struct flow *flow);
bool flow_is_open(const struct flow *flow);

/* Index of the first part that is not done; part_count when all are. */
size_t flow_part(const struct flow *flow);
/* The current part is visible at the platform: remembers id and url, marks it done, clears stage
 * and probe. The adapter may set a stage afterwards for a cosmetic read. */
void flow_part_done(struct flow *flow, struct str remote_id, struct str url);
/* Forgets stage, probe and all variables, keeps the parts: the next step starts the current part
 * from its beginning. What was learned about the first part goes with it, while it is not done. */
void flow_restart_part(struct flow *flow);

/* Keeps the warning; one with the same code is replaced. code is one of the constants above, the
 * texts are copied. More than FLOW_WARNINGS_MAX is our bug and asserts. */
void flow_warn(struct flow *flow, const struct flow_warning *warning);
/* The first video is out without its thumbnail, for this reason; it may be sent again. */
void flow_lacks_thumbnail(struct flow *flow, struct str why);
/* It is there after all. */
void flow_unwarn(struct flow *flow, const char *code);
/* The platform says who can see it. More closed than asked for is a warning, about that field. */
void flow_see(struct flow *flow, enum post_visibility seen, enum post_visibility asked,
	      struct str field, struct str message);
/* The post is out, and the platform has not told its id: message says so, about that field. */
void flow_lacks_id(struct flow *flow, struct str field, struct str message);
bool flow_is_without_id(const struct flow *flow);
/* It has: the first part is that post, and lacks no id any more. */
void flow_id_found(struct flow *flow, struct str remote_id, struct str url);
/* A person wants what is missing of a post that is out: every repeatable warning is wanted until
 * flow_warn or flow_unwarn settles it. With all parts done the flow begins at its start. */
void flow_want_missing(struct flow *flow);
bool flow_wants(const struct flow *flow, const char *code);

/* Serialised forms: everything but secrets; and only secrets (both JSON text). */
struct str flow_write(struct arena *arena, const struct flow *flow);
struct str flow_write_secrets(struct arena *arena, const struct flow *flow);
/* Reads both back; empty texts give an empty flow. part_count as given when the text has none. */
enum err_kind flow_read(struct flow *flow, struct arena *arena, struct str text,
			struct str secrets_text, size_t part_count, struct error *err);
