/* SPDX-License-Identifier: Apache-2.0
 * A backup of the whole database into one file, while everything goes on. */
#pragma once

#include <stdint.h>

#include "err.h"

struct store;

/* Makes FILE.tmp, proves it sound, makes it durable, raises the epoch (so that the copy is known as
 * the older one from here on), and only then gives it its name. Blocks as long as it takes.
 * INVALID: the path is not absolute, or has no directory; CONFLICT: something is there already (the
 * text says what); TEMPORARY: disk. When it fails, nothing remains. */
enum err_kind store_backup(struct store *store, const char *path, int64_t now_us,
			   int64_t *size_bytes_out, struct error *err);
