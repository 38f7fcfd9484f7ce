/* SPDX-License-Identifier: Apache-2.0
 * Files brought here from a bucket for somebody who must not wait: the engine's thread asks until
 * the file is on this disk. A few threads do it. */
#pragma once

#include "err.h"
#include "str.h"

struct media_bringer;
struct media_files;

enum media_bring_state {
	MEDIA_BRING_UNDER_WAY, /* ask again soon */
	MEDIA_BRING_DONE,      /* it is here */
	MEDIA_BRING_GONE,      /* it is not in the bucket */
	MEDIA_BRING_FAILED     /* the bucket cannot be asked; the next call begins again */
};

/* NULL without memory. files lives as long. */
struct media_bringer *media_bringer_new(const struct media_files *files);
/* Waits for what is under way. Nulls; NULL inside is fine. */
void media_bringer_free(struct media_bringer **bringer);
/* Begins it, unless it is under way. Never blocks. Any thread. */
enum media_bring_state media_bringer_ask(struct media_bringer *bringer, struct str media_id);
