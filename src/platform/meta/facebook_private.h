/* SPDX-License-Identifier: Apache-2.0
 * What the files of Facebook Pages share: facebook.c (the platform, connect, posts, photos,
 * comments), facebook_video.c (videos, reels, video stories), facebook_resolve.c (calls in doubt) and
 * facebook_rules.c (what a Page takes). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "post.h"

#include "media_rules.h"
#include "platform.h"
#include "rules.h"
#include "stages.h"

struct buf;

/* ---- facebook_rules.c ---- */

/* What a post becomes on a Page (platforms/meta.md section 3). */
enum facebook_kind {
	FACEBOOK_FEED,        /* text, a link, photos: POST /feed */
	FACEBOOK_VIDEO,       /* POST /videos, in chunks */
	FACEBOOK_REEL,        /* POST /video_reels */
	FACEBOOK_PHOTO_STORY, /* POST /photo_stories */
	FACEBOOK_VIDEO_STORY  /* POST /video_stories */
};

extern const struct post_rules facebook_rules;
extern const struct media_rule facebook_photo_rule; /* also for thumbnails */

enum facebook_kind facebook_kind_of(const struct post_content *post, enum post_type type);
/* Of a kind with one video. */
const struct media_rule *facebook_video_rule(enum facebook_kind kind);
/* Every option that the post has and that this kind takes, under its own name. */
void facebook_options_add(const struct env *env, struct buf *form, enum facebook_kind kind);

/* ---- facebook.c ---- */

/* The container of the part that is next. */
const struct container *facebook_container(const struct env *env, const struct flow *flow);
/* The id of the current part's photo with that index, or empty. */
struct str facebook_photo_id(const struct env *env, const struct flow *flow, size_t index);
/* "{page}/edge" */
struct str facebook_edge(const struct env *env, const char *edge);
/* Fills the step for a publish call's answer that is no success. */
void facebook_publish_fail(const struct env *env, const struct flow *flow,
			   const struct reply *reply, struct step *step);
/* True when the answer is one of the two refusals that pass (389, 6001) and there were not too
 * many: the step waits, and the same call is asked again. */
bool facebook_repeats(struct flow *flow, const struct reply *reply, struct step *step);
/* permalink as Graph gives it, whole or from the slash on; without one the address made of id. */
struct str facebook_url(const struct env *env, const struct json *permalink, struct str id);

/* ---- facebook_video.c: stages of the publish table ---- */

#define FACEBOOK_STAGE(name) \
	const char *facebook_##name##_ask(const struct env *env, struct flow *flow, \
					  struct step *step); \
	const char *facebook_##name##_answer(const struct env *env, struct flow *flow, \
					     const struct reply *reply, struct step *step)

FACEBOOK_STAGE(chunk_start);
FACEBOOK_STAGE(chunk);
FACEBOOK_STAGE(session_start);
FACEBOOK_STAGE(upload);
FACEBOOK_STAGE(upload_probe);
FACEBOOK_STAGE(ready);
FACEBOOK_STAGE(finish);
FACEBOOK_STAGE(check);
FACEBOOK_STAGE(cover);
/* What a story is known by; for photo stories too. */
FACEBOOK_STAGE(listed);

/* What Graph says of a video (platforms/meta.md 3.2, step 3). */
struct facebook_video_state {
	bool is_uploaded; /* all bytes are there */
	bool is_processing;
	bool is_failed; /* in any phase, whatever the whole says */
	/* or a draft, when that was asked for: the finish call has done its work */
	bool is_published;
	bool is_done; /* published, and nothing can go wrong any more */
	int64_t received_bytes;
	struct str words; /* of the phase that failed */
};

struct facebook_video_state facebook_video_state_read(const struct json *video);
void facebook_video_ask(const struct env *env, const struct flow *flow, struct step *step);
/* Asks for the Page's stories since the flow's photo or video was begun. */
void facebook_stories_ask(const struct env *env, const struct flow *flow, struct step *step);
/* The story of the current part's photo or video in that answer, or NULL. */
const struct json *facebook_story_find(const struct env *env, const struct flow *flow,
				       const struct reply *reply);

/* ---- facebook_resolve.c ---- */

extern const struct stage facebook_resolve_stages[];
