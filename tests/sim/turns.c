/* SPDX-License-Identifier: Apache-2.0
 * See turns.h. */
#include "turns.h"

#include <stdlib.h>

#include <sqlite3.h>

#define NEVER INT64_MAX

/* One platform post, as the order is judged by. */
struct turn {
	const struct script_post *post;
	size_t target;
	int64_t due_us;   /* by our clock */
	int64_t first_us; /* the world's: when its first part went out; NEVER = nobody saw it */
	int64_t last_us;  /* likewise its last part */
	bool is_plain;    /* nobody changed it, and it went from its claim to its end in one go */
};

static size_t home_of(const struct turn *turn)
{
	return turn->post->homes[turn->target];
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		abort();
	return statement;
}

/* ---- one at a time ---- */

/* A trigger has written down who was at work when another began (house.c). */
static void check_together(struct sim *sim, sqlite3 *db)
{
	sqlite3_stmt *row = prepare(db, "SELECT id, other FROM sim_both");
	while (sqlite3_step(row) == SQLITE_ROW)
		sim_violation(sim, "L2 %s began while %s was at work for the same account",
			      (const char *)sqlite3_column_text(row, 0),
			      (const char *)sqlite3_column_text(row, 1));
	sqlite3_finalize(row);
}

/* ---- in order ---- */

/* When the call went out that made it; what a platform made later, by itself, counts from then. */
static int64_t instant_of(const struct entry *entry)
{
	return entry->sent_at_us != 0 ? entry->sent_at_us : entry->at_us;
}

static int64_t part_us(const struct world *world, const struct turn *turn, size_t part)
{
	int64_t first_us = NEVER;
	for (size_t i = 0; i < world->entry_count; i++) {
		const struct entry *entry = &world->entries[i];
		if (entry->home == home_of(turn) &&
		    str_equal(entry->text, turn->post->texts[part]) && instant_of(entry) < first_us)
			first_us = instant_of(entry);
	}
	return first_us;
}

/* Nothing that people did to it can have changed its place in line. */
static bool is_left_alone(const struct script_post *post)
{
	return post->edit_count == 0 && !post->is_retried && !post->is_settled &&
	       !post->is_cancelled && post->republish_count == 0 && !post->is_forgotten;
}

static struct turn turn_of(const struct world *world, sqlite3 *db, const struct script_post *post,
			   size_t target)
{
	struct turn turn = {.post = post, .target = target};
	sqlite3_stmt *row =
		prepare(db, "SELECT CASE WHEN p.scheduled_at_us > 0 THEN p.scheduled_at_us"
			    " ELSE p.created_at_us END, d.state = 'published' AND d.error_code = ''"
			    " AND NOT EXISTS (SELECT 1 FROM sim_yielded y WHERE y.id = d.id)"
			    " AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.delivery_id = d.id)"
			    " FROM deliveries d JOIN posts p ON p.id = d.post_id WHERE d.id = ?1");
	const struct str id = post->delivery_ids[target];
	sqlite3_bind_text(row, 1, id.ptr, (int)id.len, SQLITE_STATIC);
	if (sqlite3_step(row) == SQLITE_ROW) {
		turn.due_us = sqlite3_column_int64(row, 0);
		turn.is_plain = sqlite3_column_int(row, 1) != 0;
	}
	sqlite3_finalize(row);
	turn.first_us = part_us(world, &turn, 0);
	turn.last_us = part_us(world, &turn, post->part_count - 1);
	return turn;
}

/* Whenever the second could be taken up, the first was there and had been due for longer. */
static bool comes_first(const struct turn *first, const struct turn *second)
{
	return home_of(first) == home_of(second) && first->is_plain &&
	       first->due_us < second->due_us &&
	       first->post->accepted_us < second->post->accepted_us;
}

static void check_pair(struct sim *sim, const struct world *world, const struct turn *first,
		       const struct turn *second)
{
	const bool is_twin =
		first->post->logins[first->target] != second->post->logins[second->target];
	if (!comes_first(first, second) || first->last_us == NEVER || second->first_us == NEVER)
		return;
	sim->totals->orders++;
	sim->totals->twin_orders += is_twin;
	if (first->last_us > second->first_us)
		sim_violation(sim,
			      "L3 %s/%zu: " STR_FMT " came out before the end of " STR_FMT
			      ", which was due before it",
			      platform_id_slug(world->homes[home_of(first)].platform),
			      home_of(first), STR_ARG(second->post->delivery_ids[second->target]),
			      STR_ARG(first->post->delivery_ids[first->target]));
}

/* A clock that is set changes what is due, and a copy that was put back what came before. */
static bool can_be_ordered(const struct sim *sim, const struct script *script)
{
	return !sim->weather.has_clock_jumps && !script->was_restored;
}

static void check_order(struct sim *sim, const struct script *script, const struct world *world,
			sqlite3 *db)
{
	struct turn turns[SCRIPT_POSTS_MAX * SCRIPT_TARGETS_MAX];
	size_t count = 0;
	for (size_t i = 0; i < script->post_count; i++) {
		const struct script_post *post = &script->posts[i];
		for (size_t target = 0; target < post->target_count; target++) {
			if (post->is_accepted && is_left_alone(post))
				turns[count++] = turn_of(world, db, post, target);
		}
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++)
			check_pair(sim, world, &turns[i], &turns[j]);
	}
}

void turns_check(struct sim *sim, const struct script *script, const struct world *world,
		 sqlite3 *db)
{
	check_together(sim, db);
	if (can_be_ordered(sim, script))
		check_order(sim, script, world, db);
}
