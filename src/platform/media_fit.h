/* SPDX-License-Identifier: Apache-2.0
 * What has to be done to a picture so that a platform takes it (api-decisions.md 11), decided from
 * the platform's rule, what the picture is, and what its post allows. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fit_order.h"
#include "sniff.h"
#include "str.h"

#include "post.h"

struct arena;
struct media_rule;

enum media_fit_work {
	MEDIA_FIT_NOTHING,
	MEDIA_FIT_STRIP, /* the same pixels without what it tells (strip.h) */
	MEDIA_FIT_ENCODE /* a JPEG by the order */
};

struct media_fit_subject {
	const struct media_rule *rule;
	const struct sniff *sniff;
	int64_t size_bytes;
	enum media_fit fit; /* NONE is AUTO */
};

/* order_out is filled when it is ENCODE. Whether a JPEG can be as ordered shows when it is made:
 * the rule is checked again then. */
enum media_fit_work media_fit_decide(const struct media_fit_subject *subject,
				     struct fit_order *order_out);
/* Would a picture of that type, told by the request alone, be re-encoded for this rule? */
bool media_fit_takes_type(const struct media_rule *rule, enum sniff_type type, enum media_fit fit);
/* Does it move, where the rule takes no moving picture of its type? */
bool media_fit_would_still(const struct media_rule *rule, const struct sniff *sniff);

/* An order as one line, for a flow; and back. */
struct str media_fit_line(struct arena *arena, const struct fit_order *order);
bool media_fit_line_read(struct arena *arena, struct str line, struct fit_order *order_out);
