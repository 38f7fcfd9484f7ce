/* SPDX-License-Identifier: Apache-2.0
 * What customers do in one seed: which accounts there are, and which posts they hand in and
 * when. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "post.h"
#include "store_post.h"

#include "house.h"
#include "sim.h"
#include "world.h"

#define SCRIPT_POSTS_MAX 7
#define SCRIPT_TARGETS_MAX 8

/* A kind of post that only one platform's accounts get; a platform's row is drawn when the post
 * goes there alone. */
struct script_flow {
	enum platform_id platform;
	enum post_type type;
	enum media_type media_type;
	size_t media_count;
	const char *file;    /* how the names of its files end: network.c looks at that */
	const char *options; /* JSON; NULL = none */
};

/* One post and where it goes to. */
struct script_post {
	const struct script_flow *flow; /* NULL = as its media say */
	struct str id;
	struct str request_id;
	struct str texts[POST_CONTAINERS_MAX]; /* by part; each is like no other */
	size_t part_count;
	struct str media_url; /* empty = none */
	enum media_type media_type;
	size_t homes[SCRIPT_TARGETS_MAX];
	size_t logins[SCRIPT_TARGETS_MAX]; /* whose account of that home it is for */
	struct str delivery_ids[SCRIPT_TARGETS_MAX];
	size_t target_count;
	int64_t accept_at_us;
	int64_t scheduled_after_us; /* 0 = at once */
	bool is_accepted;
	int64_t accepted_us; /* the world's time */
	bool is_draft;       /* handed in as one; a person publishes it, or nobody does */
	bool has_key;        /* an Idempotency-Key */
	/* What people did to it (people.h). */
	bool is_cancelled;                /* they were told that it is */
	bool is_retried;                  /* it may have left its end */
	bool is_settled;                  /* likewise: they said that it appeared */
	int republish_count;              /* so often they took the risk of a second one */
	bool is_forgotten;                /* accepted after the copy that was put back was taken */
	int64_t cancelled_us, retried_us; /* when they last did; 0 = never */
	/* By target: when it was first answered that it will be taken back; 0 = never. */
	int64_t unpublished_us[SCRIPT_TARGETS_MAX];
	/* They first asked after the copy was taken that was put back, and not again since. */
	bool is_unpublish_lost[SCRIPT_TARGETS_MAX];
	int edit_count; /* answered that it was made: texts are the new ones */
	/* They retried it after that copy was taken: it has the end, or the time, of the copy
	 * again, until they retry it once more. */
	bool is_retry_lost;
	bool is_loss_risked; /* ... and then they took the risk of a second one */
	/* in the copy it was still to come: they had cancelled it, and retried */
	bool is_early_lost;
};

struct script {
	struct str account_ids[WORLD_HOMES_MAX][WORLD_LOGINS_MAX]; /* empty = not connected */
	size_t kinds[WORLD_HOMES_MAX]; /* by home: the row it was made of */
	bool has_twins;                /* accounts that two users have connected */
	struct dice twin_dice;         /* so that worlds without are as they were */
	struct script_post posts[SCRIPT_POSTS_MAX];
	size_t post_count;
	bool was_restored;
	int64_t copied_us, restored_us; /* of what was put back, and when it was */
};

/* Our id of the account that the post's target names. */
struct str script_account_id(const struct script *script, const struct script_post *post,
			     size_t target);
struct script *script_new(struct sim *sim, struct world *world, struct house *house);
/* Hands the post in; some customers do it again because the answer did not reach them. */
void script_accept(struct sim *sim, const struct script *script, struct script_post *post,
		   const struct world *world, struct house *house);
/* Hands in once more what was accepted, after a lost answer: nothing new may come of it. */
void script_repeat(struct sim *sim, const struct script *script, const struct script_post *post,
		   const struct world *world, struct house *house);
/* As it is stored; texts stand for the post's own. */
struct str script_content(struct sim *sim, const struct script_post *post);
/* Other texts, like no others, for one that was edited: of so many parts. */
void script_reword(struct sim *sim, struct script_post *post, size_t number);
/* Publishes a draft as it was read. */
enum post_accept_outcome script_publish_draft(struct sim *sim, const struct script *script,
					      struct script_post *post, struct str draft_body,
					      const struct world *world, struct house *house);
