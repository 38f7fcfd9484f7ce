/* SPDX-License-Identifier: Apache-2.0
 * What has to be done to a picture or a film so that a platform takes it (api-decisions.md 11),
 * decided from the platform's rule, what the file is, and what its post and the operator allow.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "film.h"
#include "film_order.h"
#include "fit_order.h"
#include "sniff.h"
#include "str.h"

#include "post.h"

struct arena;
struct media_rule;

enum media_fit_work {
	MEDIA_FIT_NOTHING,
	MEDIA_FIT_STRIP,  /* the same pixels without what it tells (strip.h) */
	MEDIA_FIT_ENCODE, /* a JPEG by the order */
	MEDIA_FIT_FILM    /* an MP4 by the order */
};

struct media_fit_subject {
	const struct media_rule *rule;
	const struct sniff *sniff;
	int64_t size_bytes;
	enum media_fit fit; /* NONE is AUTO */
	enum film_mode film_mode;
};

struct media_fit_order {
	struct fit_order picture;
	struct film_order film; /* seconds_max is the most that there is */
};

/* The half of order_out is filled that ENCODE or FILM asks for. Whether a file can be as ordered
 * shows when it is made: the rule is checked again then. */
enum media_fit_work media_fit_decide(const struct media_fit_subject *subject,
				     struct media_fit_order *order_out);
/* Would a picture of that type, told by the request alone, be re-encoded for this rule? */
bool media_fit_takes_type(const struct media_rule *rule, enum sniff_type type, enum media_fit fit);
/* Does it move, where the rule takes no moving picture of its type? */
bool media_fit_would_still(const struct media_rule *rule, const struct sniff *sniff);

/* Would a film of that type, told by the request alone, be made fit for this rule, or may it be? */
bool media_fit_takes_film(const struct media_rule *rule, enum sniff_type type, enum media_fit fit,
			  enum film_mode film_mode);

/* An order as one line, for a flow; and back. */
struct str media_fit_line(struct arena *arena, const struct fit_order *order);
bool media_fit_line_read(struct arena *arena, struct str line, struct fit_order *order_out);
struct str media_fit_film_line(struct arena *arena, const struct film_order *order);
bool media_fit_film_line_read(struct arena *arena, struct str line, struct film_order *order_out);
