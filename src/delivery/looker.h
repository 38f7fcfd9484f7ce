/* SPDX-License-Identifier: Apache-2.0
 * Who looks at the files of posts before they are published (api-decisions.md 11), on the engine:
 * it fetches each as publishing would, has its bytes inspected, and removes it again. Asked by a
 * thread that waits (validate), and by rows of the store (store_look.h): posts that are scheduled
 * ahead. What will not do becomes a warning of the platform post and an event; the post stays. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "look.h"

struct arena;
struct clock;
struct engine;
struct log;
struct looker;
struct media_files;
struct random_source;
struct spool;
struct store;

/* A post due sooner is looked at by publishing itself. */
#define LOOK_AHEAD_US (INT64_C(180) * 1000000)

struct looker_config {
	struct store *store;
	struct spool *spool;
	const struct media_files *media_files; /* uploaded files; NULL = there are none */
	struct engine *engine;
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
	/* Asked before each claim: false while the disk has no room. NULL = always. */
	bool (*has_disk_room)(void *context);
	void *disk_context;
	bool is_idle;       /* this node leaves scheduled posts to others */
	int64_t time_scale; /* 0 = 1; pauses are divided by it */
	enum film_mode film_mode;
};

/* Registers with the engine; before its first turn. The configuration's parts must outlive it.
 * TEMPORARY, INTERNAL: no memory. */
enum err_kind looker_new(const struct looker_config *config, struct looker **looker_out,
			 struct error *err);
/* After the engine. Sets *looker to NULL; NULL inside is allowed. */
void looker_free(struct looker **looker);

/* A post that was just accepted or edited: when its files are to be looked at; 0 = not at all. */
int64_t looker_time_us(struct arena *arena, const struct post_content *content,
		       int64_t scheduled_at_us, int64_t now_us);
/* There may be a post to look at. NULL: nobody looks. Any thread. */
void looker_wake(struct looker *looker);

struct looker_question {
	struct str app_id;
	const struct post_content *content;
	int64_t wait_ms;
};

/* Looks at the files of content, whose media then say what was seen (look_show()). Any thread;
 * blocks for wait_ms and a moment. What is not here by then is LOOK_LATE. LIMITED: too many of the
 * app's calls wait already; err->text is a sentence for people. */
enum err_kind looker_ask(struct looker *looker, struct arena *arena,
			 const struct looker_question *question, struct look *look_out,
			 struct error *err);
