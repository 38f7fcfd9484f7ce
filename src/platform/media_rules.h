/* SPDX-License-Identifier: Apache-2.0
 * What a platform takes of a media file, as data, and the one check that reads it. At publish time
 * only what the request itself says is known (mime_type, duration); when the bytes are there, every
 * rule is checked against the bytes, and what the request said does not count. Rules that are not
 * certain (marked [U] in x.md) do not belong here: the platform refuses for itself.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sniff.h"
#include "str.h"

#include "failure.h"
#include "post.h"
#include "problem.h"

struct arena;
struct env;
struct rules_account;
struct step;

/* Of a moving picture that would have to be stilled. */
#define MEDIA_ANIMATED_REASON "animated_image"
#define MEDIA_TYPE_REASON "media_type_not_supported"
/* Of a file that was looked for and could not be had. */
#define MEDIA_UNREACHABLE_REASON "media_unreachable"

#define MEDIA_TYPE_BIT(type) (1U << (unsigned)(type))

/* One kind of file in one place. 0 = no limit. A file that the header does not tell width, height
 * or duration of passes those. */
/* What of a film leads to another one being made of it, where the operator allows that, and to
 * no refusal: the platforms' documents are less strict in deed. 0 = anything. */
struct film_rule {
	unsigned videos; /* FILM_CODEC_BIT(FILM_CODEC_H264) | ... */
	unsigned audios;
	uint32_t frame_rate_max; /* pictures a second */
	uint32_t width_max;
	bool wants_common_colours; /* of H.264: 8 bits, 4:2:0 */
	bool wants_index_first;
};

struct media_rule {
	const char *what;       /* for sentences: "a reel" */
	unsigned types;         /* MEDIA_TYPE_BIT(SNIFF_JPEG) | ...; which types are taken */
	const char *types_text; /* "JPEG" or "JPEG, PNG or WebP" */
	int64_t size_min_bytes, size_max_bytes;
	uint32_t width_min, width_max;
	uint32_t height_min, height_max;
	uint32_t shorter_side_max;
	uint64_t pixels_max; /* width * height */
	uint32_t ratio_min_permille,
		ratio_max_permille; /* width / height in thousandths: 800 is 4:5 */
	int64_t duration_min_ms, duration_max_ms;
	const struct film_rule *film; /* NULL = any film in a container that is taken */
};

/* The whole check of a file on our disk. True when it is fine; else step asks for a picture to be
 * fitted (media_fit.h), where that may help, or is a FAILURE_PERMANENT with MEDIA_REJECTED whose
 * message names the file, the rule and both numbers. file_number counts from 1 as the user
 * counts. */
bool media_rule_check(const struct media_rule *rule, const struct env *env, size_t media_index,
		      struct step *step);
/* The same for any file (a thumbnail): the sentence of what is wrong, in arena; empty when it is
 * fine. */
struct str media_rule_complaint(const struct media_rule *rule, struct arena *arena,
				const struct sniff *sniff, int64_t size_bytes);
/* At publish time: refuses (PROBLEM_RULE "media_type_not_supported", "animated_image",
 * "media_too_long", "media_too_short") what the request says of the medium with that flat index,
 * and warns of what will be re-encoded ("media_fitted") and of addresses whose ending says
 * something else ("media_type_suspect"). A mime_type that is not known is let through. Of a medium
 * that was seen, its bytes are judged instead (is_of_file). */
void media_rule_check_said(const struct media_rule *rule, const struct post_content *post,
			   size_t flat_index, const struct rules_account *account,
			   struct problems *problems);
