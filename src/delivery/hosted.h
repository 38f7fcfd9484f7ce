/* SPDX-License-Identifier: Apache-2.0
 * Our copies of customers' files, for platforms that fetch files themselves:
 * PUBLIC_URL/media/TOKEN. The token is the only key to the file. It is sealed under the master key,
 * so it cannot be guessed, made or changed, and shows neither post nor name; it is valid for a day.
 * Nothing is listed or remembered: an invalid token, an expired one and a missing file get the same
 * answer. Served by api/media.c. Thread-safe: addresses are made on the engine's thread, files
 * opened on the listener's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "str.h"

/* The longest pull that a platform allows itself is an hour (tiktok.md 2.5), and it may
 * begin hours after the call. The file itself goes when the post's last delivery is final. */
#define HOSTED_VALID_US (24 * US_PER_HOUR)

struct arena;
struct random_source;
struct seal;
struct media_files;
struct spool;
struct store;

/* Needed by both sides. Its parts must outlive it. */
struct hosted {
	const struct seal *seal;
	const struct spool *spool;
	struct store *store;                   /* what uploaded files are */
	const struct media_files *media_files; /* where they are; NULL = there are none */
	const struct clock *clock;
	const struct random_source *random;
	const char *public_url; /* without trailing slash; read when an address is made */
};

struct hosted_file {
	int fd;
	int64_t size_bytes;
	const char *mime_type; /* from the file's bytes */
	struct str etag;       /* with its quotes; in arena */
};

/* Returns the address of the file with that spool key, in arena; it differs from call to call. A
 * secret: not for logs, nor for the timeline. */
struct str hosted_url(const struct hosted *hosted, struct arena *arena, struct str key);
/* The same for an uploaded file, which has no spool key. */
struct str hosted_media_url(const struct hosted *hosted, struct arena *arena, struct str app_id,
			    struct str media_id);
/* Opens the file of a token. False for an invalid or expired token, and when the file is missing;
 * *file_out is then undefined. The caller closes file_out->fd. Blocks on the disk. */
bool hosted_open(const struct hosted *hosted, struct arena *arena, struct str token,
		 struct hosted_file *file_out);
