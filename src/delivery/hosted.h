/* SPDX-License-Identifier: Apache-2.0
 * Our copies of customers' files, where platforms that fetch for themselves can get them:
 * PUBLIC_URL/media/TOKEN. The token is the only key to the file: sealed under the master key (so it
 * cannot be guessed, made or changed, and shows neither post nor name) and good for a day. Nothing
 * is listed, nothing is remembered: a token that is no good, one that has ended and a file that is
 * gone are the same to whoever asks. How it is served is api/media.c. Thread-safe: made on the
 * engine's thread, opened on the listener's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "str.h"

/* The longest pull that a platform allows itself is an hour (platforms/tiktok.md 2.5), and it may
 * begin hours after it was told. The file itself goes when the post's last delivery is final. */
#define HOSTED_VALID_US (24 * US_PER_HOUR)

struct arena;
struct random_source;
struct seal;
struct spool;

/* What both sides need. All must outlive it. */
struct hosted {
	const struct seal *seal;
	const struct spool *spool;
	const struct clock *clock;
	const struct random_source *random;
	const char *public_url; /* without trailing slash; read when an address is made */
};

struct hosted_file {
	int fd; /* the caller closes it */
	int64_t size_bytes;
	const char *mime_type; /* by the bytes */
	struct str etag;       /* with its quotes; in arena */
};

/* The address of the file with that spool key; differs from call to call. A secret: not for logs,
 * nor for the timeline. */
struct str hosted_url(const struct hosted *hosted, struct arena *arena, struct str key);
/* Opens the file of a token. False for every token that is none, and when the file is not there
 * (any more). Blocks on the disk. */
bool hosted_open(const struct hosted *hosted, struct arena *arena, struct str token,
		 struct hosted_file *file_out);
