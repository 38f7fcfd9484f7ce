/* SPDX-License-Identifier: Apache-2.0
 * A publish request read from JSON: the shape rules of contract.md 5 and api-decisions.md 6 that
 * need neither store nor platform. Accounts are checked by the store, platform rules by
 * platform/rules.h. Reads everything and collects every problem. */
#pragma once

#include "clock.h"

#include "known.h"
#include "post.h"
#include "problem.h"

/* api-decisions.md 6: up to 5 minutes past counts as now */
#define SCHEDULE_PAST_TOLERANCE_US (5 * US_PER_MINUTE)
/* at most 5 years ahead */
#define SCHEDULE_AHEAD_MAX_US (5 * 366 * US_PER_DAY)

/* api-decisions.md 6, max_lateness: a minute to 30 days */
#define MAX_LATENESS_LEAST_S 60
#define MAX_LATENESS_MOST_S 2592000

struct publish_request {
	struct str request_id;   /* empty = not given */
	struct str *account_ids; /* in request order */
	size_t account_count;
	struct post_content content;
	int64_t scheduled_at_us; /* 0 = immediate */
	int64_t max_lateness_s;  /* 0 = not given */
};

/* How media URLs are judged by syntax alone; set from settings. Implemented by outbound/guard.h,
 * handed in because model knows no sockets. Returns NULL when the URL may be tried, else a reason
 * slug ("private_address", "bad_port", ...). */
struct media_url_check {
	const char *(*check)(void *context, struct arena *arena, struct str url);
	void *context;
};

/* A PROBLEM_MEDIA of that field when text is no URL that media may be fetched from. check: NULL =
 * any address will do. */
void publish_media_url_judge(const struct media_url_check *check, struct str field, struct str text,
			     struct problems *problems);

/* body: the parsed JSON (any type). other_request_id: stands in where the body has none; empty =
 * nothing does. Fills request_out as far as possible; it is to be used only when problems has none
 * of its kinds. Warnings name what is ignored. */
void publish_request_read(struct arena *arena, const struct json *body, struct str other_request_id,
			  int64_t now_us, const struct media_url_check *media_url_check,
			  struct publish_request *request_out, struct problems *problems);

struct publish_target {
	enum platform_id platform; /* NONE: not known; it may be any */
	struct str account_id;
};

/* With the accounts known: a PROBLEM_SHAPE for each key of overrides that none of them fits. */
void publish_overrides_check(const struct post_content *content,
			     const struct publish_target *targets, size_t count,
			     struct problems *problems);

/* What of a post's content can be changed, and its time. */
#define PUBLISH_PATCH_KNOWN \
	KNOWN("content", "containers", "media", "type", "platforms", "overrides", "scheduled_at")

/* Lays what patch gives over content, member by member, by the same rules as a request. */
void publish_patch_read(struct arena *arena, const struct json *patch, int64_t now_us,
			const struct media_url_check *media_url_check, struct post_content *content,
			struct problems *problems);

/* scheduled_at by the same rules, for who changes it later: 0 when it is null, absent, or up to 5
 * minutes past. */
int64_t publish_schedule_read(const struct json *value, int64_t now_us, struct problems *problems);
