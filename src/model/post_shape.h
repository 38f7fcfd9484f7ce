/* SPDX-License-Identifier: Apache-2.0
 * The shape that one post has on one account (api-decisions.md 10): the root is the base, the
 * platform's entry of overrides is laid over it, then the account's own. Pure. */
#pragma once

#include "platform_id.h"
#include "post.h"

struct problems;

struct post_shape {
	struct post_content content; /* options hold those of the account's platform alone */
	/* The entries that gave these; NULL = the root. content, media and type are the first
	 * container's, where they were laid over it. */
	const struct post_override *containers_from;
	const struct post_override *content_from;
	const struct post_override *media_from;
	const struct post_override *type_from;
	const struct post_override *platform_entry; /* NULL = none */
	const struct post_override *account_entry;  /* NULL = none */
	const char *slug;
};

/* root lives as long as the shape. */
void post_shape_of(struct arena *arena, const struct post_content *root, enum platform_id platform,
		   struct str account_id, struct post_shape *shape_out);
/* Where the request has what shape.content has at field: "content" or "platforms.x.poll" may be
 * "overrides.x.content" and "overrides.x.options.poll". For tests. */
struct str post_shape_field(struct arena *arena, const struct post_shape *shape, struct str field);
/* Adds the problems and warnings of found to problems, with the fields of the request. */
void post_shape_report(const struct post_shape *shape, const struct problems *found,
		       struct problems *problems);
/* Neither text nor media to publish: a PROBLEM_SHAPE that names the field. */
bool post_shape_is_empty(const struct post_shape *shape, struct problems *problems);
