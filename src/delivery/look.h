/* SPDX-License-Identifier: Apache-2.0
 * The files of a post, to be looked at before it is published (api-decisions.md 11): which there
 * are, what was seen of each, and what that means for the post. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#include "media_id.h"
#include "post.h"

struct arena;
struct problems;
struct rules_subject;

/* More are not looked at: 10 containers of 35, for one account. */
#define LOOK_FILES_MAX 350

enum look_state {
	LOOK_OPEN, /* nobody has looked */
	LOOK_DONE, /* seen says what it is, or why it cannot be had */
	LOOK_LATE  /* the time was up before it was here */
};

/* One file, wherever the post names it. */
struct look_file {
	struct str url; /* or the id of an uploaded one */
	enum look_state state;
	bool may_pass; /* it could not be had, and that may pass */
	struct media_seen seen;
};

struct look {
	struct media_use *uses;
	size_t use_count;
	struct look_file *files; /* those of the uses, each once */
	size_t file_count;
};

/* In arena. content lives as long as the look, and its media will point into it. */
void look_begin(struct look *look, struct arena *arena, const struct post_content *content);
/* The file of a use; NULL: beyond LOOK_FILES_MAX. */
struct look_file *look_file_of(const struct look *look, const struct media_use *use);
/* Lets the rules see what was seen (media.seen). */
void look_show(const struct look *look);
/* After look_show(): what the files mean for one account of the post, as problems of the platform's
 * rules that are of a file. */
void look_judge(const struct look *look, struct arena *arena, const struct post_content *content,
		const struct rules_subject *subject, struct problems *problems);
/* Of that only the files that options and thumbnails name, and that cannot be had. */
void look_missing(const struct look *look, const struct rules_subject *subject,
		  struct problems *problems);
/* A warning for each file that was not here in time. */
void look_warn(const struct look *look, struct problems *problems);

/* ---- what is kept of it ---- */

/* The problems as delivery_row.warnings has them; empty = none. In the problems' arena. */
struct str look_warnings_text(const struct problems *problems);
/* Do kept warnings have that one? */
bool look_warnings_have(struct arena *arena, struct str warnings, struct str field,
			struct str code);
