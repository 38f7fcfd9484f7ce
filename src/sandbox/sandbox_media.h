/* SPDX-License-Identifier: Apache-2.0
 * Pictures, videos and documents that a platform fetches or receives. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#include "sniff.h"

#include "sandbox_module.h"

/* Media that came in. A plain value: copy it into what you keep, and keep alt_text. The bytes
 * themselves are kept for the page of GET /, up to 8 MiB each and 512 MiB in all. */
struct sandbox_media {
	struct sniff sniff; /* type, mime_type, width, height, ... */
	int64_t size_bytes;
	char sha256[65];     /* lower-case hex */
	struct str alt_text; /* the platform sets it; empty = none */
};

enum sandbox_pull {
	SANDBOX_PULL_OK,
	SANDBOX_PULL_BAD_URL,     /* not an absolute http(s) URL */
	SANDBOX_PULL_UNREACHABLE, /* did not resolve, did not connect, or broke off */
	SANDBOX_PULL_TIMEOUT,
	SANDBOX_PULL_STATUS, /* an answer other than 200 */
	SANDBOX_PULL_TOO_LARGE
};

struct sandbox_pull_config {
	struct str url;
	const char *user_agent;
	int64_t max_bytes;     /* 0 = 1 GiB */
	unsigned timeout_ms;   /* 0 = 20,000 */
	bool follow_redirects; /* up to 3 */
};

/* Fetches and examines a file. LETS GO OF THE LOCK, and blocks up to timeout_ms. *status_out (may
 * be NULL) is the HTTP status, 0 = none. media_out is filled on OK only. */
enum sandbox_pull sandbox_media_pull(struct sandbox_call *call,
				     const struct sandbox_pull_config *config,
				     struct sandbox_media *media_out, int *status_out);
/* Examines bytes that came with the request (call->body or a part of it). LETS GO OF THE LOCK for
 * more than 1 MiB. */
void sandbox_media_look(struct sandbox_call *call, struct str bytes,
			struct sandbox_media *media_out);

/* The bytes of such media while they are kept; else empty. */
struct str sandbox_media_bytes(struct sandbox_call *call, const struct sandbox_media *media);
