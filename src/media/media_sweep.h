/* SPDX-License-Identifier: Apache-2.0
 * The end of uploaded files: those that nobody used for as long as they are kept, uploads and links
 * whose time is up, files whose rows are gone, and names in the media store that never had a row
 * (after a crash). Blocks on the disk and the database; from any thread, one at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct media_uploads;

/* Rows first, then files. Returns false when there is more to do now. */
bool media_sweep(struct media_uploads *uploads);
/* Looks at every name in the media store, and removes those without a row that nobody writes to.
 * For the start, and once a day. */
void media_sweep_strays(struct media_uploads *uploads);
/* Files of rows that are gone, alone: after something was deleted. */
bool media_sweep_gone(struct media_uploads *uploads);
