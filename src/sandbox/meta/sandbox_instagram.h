/* SPDX-License-Identifier: Apache-2.0
 * The simulated Instagram, shared by its two files: sandbox_instagram_container.c creates
 * containers and processes them, sandbox_instagram.c publishes them and lists what was published.
 * No other file includes this. */
#pragma once

#include "sandbox_graph.h"

#define INSTAGRAM_CHILDREN_MIN 2 /* 5 */
#define INSTAGRAM_CHILDREN_MAX 10
#define INSTAGRAM_CONTAINERS_PER_DAY 400 /* 4.1 */
#define INSTAGRAM_DAY_S 86400            /* 4.4: quota_duration */

enum container_kind {
	CONTAINER_IMAGE,
	CONTAINER_VIDEO,
	CONTAINER_REEL,
	CONTAINER_STORY,
	CONTAINER_CAROUSEL
};

struct container {
	struct graph_node node;
	enum container_kind kind;
	bool is_child;
	bool waits_for_bytes; /* upload_type=resumable, and the bytes have not arrived */
	struct str caption;
	struct sandbox_media media;
	struct container *children[INSTAGRAM_CHILDREN_MAX];
	size_t child_count;
	unsigned polls;
	int error_subcode; /* the error that processing will report; 0 = none */
	int64_t created_us;
	int64_t thumb_offset_ms; /* -1 = none */
	struct str media_id;     /* once published */
	int64_t published_us;
};

extern const struct graph_error sandbox_instagram_unknown_container;
extern const struct graph_error sandbox_instagram_quota_reached;

/* The container of that Page's account, or NULL. */
struct container *sandbox_instagram_container_find(struct sandbox_call *call,
						   const struct graph_page *page, struct str id);
/* Its current status_code (4.2). */
const char *sandbox_instagram_container_status(struct sandbox_call *call,
					       const struct container *container);
void sandbox_instagram_container_get(struct sandbox_call *call, struct graph_node *node);
void sandbox_instagram_container_post(struct sandbox_call *call, struct graph_node *node);

/* sandbox_graph_page_reader() for reads, which sometimes fail with Page tokens (6.2). */
struct sandbox_token *sandbox_instagram_reader(struct sandbox_call *call,
					       const struct graph_page *page, const char *scope);

/* The events of one kind and account in the last 24 hours. */
struct instagram_quota;
struct instagram_quota *sandbox_instagram_quota_of(struct sandbox_call *call, const char *kind,
						   struct str ig_id);
size_t sandbox_instagram_quota_used(const struct instagram_quota *quota, int64_t now_us);
void sandbox_instagram_quota_count(struct instagram_quota *quota, int64_t now_us);
