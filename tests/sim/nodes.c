/* SPDX-License-Identifier: Apache-2.0
 * See nodes.h. */
#include "nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "store_delivery.h"
#include "store_node.h"
#include "store_after.h"

#include "fiber.h"
#include "shared.h"

#define NODES_MAX 3
#define NEVER INT64_MAX
#define BEAT_US (NODE_BEAT_MS * US_PER_MS)
/* Without anything happening for longer, beats are not made one by one. */
#define BEATS_MISSED_US (NODE_DEAD_US - BEAT_US)
/* A node that polls for work looks so often (cli/service.c). */
#define POLL_MS 250
/* A run that goes on for so long without its time moving on does not end. */
#define STEPS_MAX 1000000

/* How a node's process ends from outside. */
enum doom { DOOM_NONE, DOOM_KILLED, DOOM_STOPPED_SERVING };

struct node {
	struct nodes *nodes;
	struct house *house;
	struct fiber *fiber;
	/* what it waits for, as it said when it gave its turn away */
	enum network_wait how;
	int64_t until_us;
	int64_t frozen_until_us; /* nobody asked it */
	enum doom doom;
	int64_t silent_since_us; /* 0 = it beats */
	bool is_given_up;        /* the others have had a chance to notice */
	int64_t beat_at_us;      /* its next one; the true time */
	int64_t beaten_at_us;
	int64_t known_due_us; /* the database's next due work, as it was when it polled */
	int64_t poll_at_us;
};

struct nodes {
	struct sim *sim;
	struct dice dice; /* who goes first, and what befalls them */
	struct network *network;
	struct node nodes[NODES_MAX];
	size_t count;
	size_t last; /* who ran last */
	int64_t seen_commit;
	int64_t next_trouble_us;
	sqlite3 *hand; /* writes the beats between which nothing happened */
	char path[128];
};

/* ---- which seeds ---- */

bool nodes_are_in(uint64_t seed)
{
	return seed % 3 == 0 && seed % 4 != 0;
}

/* ---- one node's life ---- */

static void node_wait(void *context, enum network_wait how, int64_t until_us)
{
	struct node *node = context;
	node->how = how;
	node->until_us = until_us;
	fiber_yield(node->fiber);
	const enum doom doom = node->doom;
	node->doom = DOOM_NONE;
	if (doom != DOOM_NONE && how != NETWORK_WAIT_DOWN)
		house_end_turn(node->house, doom == DOOM_STOPPED_SERVING);
}

static void node_live(void *argument)
{
	struct node *node = argument;
	while (true)
		house_turn(node->house, US_PER_HOUR / US_PER_MS);
}

static bool is_silent(const struct node *node)
{
	return node->how == NETWORK_WAIT_DOWN || node->how == NETWORK_WAIT_STOPPED ||
	       node->frozen_until_us > node->nodes->sim->true_us;
}

static struct node *any_awake_but(struct nodes *nodes, const struct node *not_this)
{
	const size_t first = (size_t)dice_below(&nodes->dice, (int64_t)nodes->count);
	for (size_t i = 0; i < nodes->count; i++) {
		struct node *node = &nodes->nodes[(first + i) % nodes->count];
		if (node != not_this && !is_silent(node))
			return node;
	}
	return NULL;
}

struct house *nodes_any_awake(struct nodes *nodes)
{
	struct node *node = any_awake_but(nodes, NULL);
	return node != NULL ? node->house : NULL;
}

/* A node that is new is believed while others live. With nobody there, it holds what is due, as it
 * should: the database may be a copy (docs/adr/0007). */
static bool may_move(void *context)
{
	struct node *node = context;
	const struct node *other = any_awake_but(node->nodes, node);
	return other != NULL && other->beaten_at_us + BEAT_US >= node->nodes->sim->true_us;
}

static void make_node(struct nodes *nodes, const struct ground *ground, size_t index)
{
	static const int64_t polls_ms[] = {60000, 300000, 900000};
	struct dice *dice = &nodes->dice;
	struct node *node = &nodes->nodes[index];
	const struct house_node seat = {
		.index = index,
		.first = index > 0 ? nodes->nodes[0].house : NULL,
		.wall_skew_us = dice_between(dice, -600, 600) * US_PER_S,
		.boot_skew_us = dice_between(dice, 0, 1000000) * US_PER_S,
		.drift_ppm = dice_between(dice, -300, 300),
		.idle_poll_ms = polls_ms[dice_below(dice, 3)],
		.wait = node_wait,
		.may_move = may_move,
		.context = node,
	};
	*node = (struct node){.nodes = nodes, .poll_at_us = NEVER};
	node->house = house_new_node(nodes->sim, ground, nodes->network, &seat);
	node->fiber = fiber_new(node_live, node);
	node->beat_at_us = node->beaten_at_us = nodes->sim->true_us;
}

struct nodes *nodes_new(struct sim *sim, const struct ground *ground, struct network *network)
{
	struct nodes *nodes = ARENA_NEW(sim->arena, struct nodes);
	nodes->sim = sim;
	nodes->network = network;
	nodes->dice.state = sim->seed ^ UINT64_C(0xD1B54A32D192ED03);
	dice_next(&nodes->dice);
	nodes->count = dice_permille(&nodes->dice, 700) ? 2 : 3;
	nodes->next_trouble_us = sim->true_us + dice_between(&nodes->dice, 1, 600) * US_PER_S;
	nodes->last = NODES_MAX;
	shared_clock_set(sim);
	for (size_t i = 0; i < nodes->count; i++)
		make_node(nodes, ground, i);
	snprintf(nodes->path, sizeof(nodes->path), "%s/sim.db", ground->directory);
	if (sqlite3_open_v2(nodes->path, &nodes->hand, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		abort();
	sim->totals->node_seeds++;
	return nodes;
}

void nodes_free(struct nodes **nodes_pointer)
{
	struct nodes *nodes = *nodes_pointer;
	if (nodes == NULL)
		return;
	sqlite3_close(nodes->hand);
	shared_clock_set(NULL);
	for (size_t i = 0; i < nodes->count; i++) {
		fiber_free(&nodes->nodes[i].fiber);
		if (i > 0)
			house_free(&nodes->nodes[i].house);
	}
	*nodes_pointer = NULL;
}

struct house *nodes_first(struct nodes *nodes)
{
	return nodes->nodes[0].house;
}

/* ---- beats ---- */

/* Of a node that was alive all the time: the beats of the last hours, of which nobody heard, in
 * one. */
static void make_up_for_beats(struct nodes *nodes, const struct node *node)
{
	const struct sim *sim = nodes->sim;
	char sql[256];
	snprintf(sql, sizeof(sql),
		 "UPDATE nodes SET beat_at_us = %" PRId64 " WHERE id = '" STR_FMT "'",
		 sim->true_us + sim->wall_offset_us,
		 STR_ARG(store_node_id(house_store(node->house))));
	if (sqlite3_exec(nodes->hand, sql, NULL, NULL, NULL) != SQLITE_OK)
		abort();
}

static void tell(struct node *node)
{
	const struct node_row row = {.name = STR("sim"), .role = STR("all"), .version = STR("sim")};
	struct error err = {0};
	if (store_node_tell(house_store(node->house), &row, &err) != ERR_NONE)
		sim_violation(node->nodes->sim, "a node cannot be told: %s", err.text);
}

/* As cli/node.c does it. */
static void beat(struct node *node)
{
	struct sim *sim = node->nodes->sim;
	struct error err = {0};
	int64_t taken = 0;
	const enum err_kind kind = store_node_beat(house_store(node->house), &taken, &err);
	node->beaten_at_us = sim->true_us;
	node->beat_at_us = sim->true_us + BEAT_US;
	if (kind == ERR_NOT_FOUND)
		tell(node);
	else if (kind != ERR_NONE)
		sim_violation(sim, "a node's beat failed: %s", err.text);
	if (taken == 0)
		return;
	sim_trace(sim, "node %zu TAKES OVER %lld", (size_t)(node - node->nodes->nodes),
		  (long long)taken);
	sim->totals->takeovers += taken;
	house_wake(node->house);
}

static bool is_beat_due(const struct node *node)
{
	return !is_silent(node) && node->beat_at_us <= node->nodes->sim->true_us;
}

/* A beat changes nothing but while something happens, or somebody is silent: only then it is
 * made. */
static void beat_all(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++) {
		const struct node *node = &nodes->nodes[i];
		if (is_beat_due(node) &&
		    nodes->sim->true_us - node->beaten_at_us > BEATS_MISSED_US &&
		    node->silent_since_us == 0)
			make_up_for_beats(nodes, node);
	}
	const size_t first = (size_t)dice_below(&nodes->dice, (int64_t)nodes->count);
	for (size_t i = 0; i < nodes->count; i++) {
		struct node *node = &nodes->nodes[(first + i) % nodes->count];
		if (is_beat_due(node))
			beat(node);
	}
}

static bool is_any_beat_due(const struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++) {
		if (is_beat_due(&nodes->nodes[i]))
			return true;
	}
	return false;
}

/* Who fell silent, and who is back. A process that was stopped beats some time after it goes on:
 * its engine may be quicker. */
static void watch_silence(struct nodes *nodes)
{
	const int64_t now_us = nodes->sim->true_us;
	for (size_t i = 0; i < nodes->count; i++) {
		struct node *node = &nodes->nodes[i];
		if (is_silent(node) && node->silent_since_us == 0) {
			node->silent_since_us = now_us;
			node->is_given_up = false;
		} else if (!is_silent(node) && node->silent_since_us != 0) {
			node->silent_since_us = 0;
			node->beaten_at_us = now_us;
			node->beat_at_us =
				now_us + dice_between(&nodes->dice, 0, NODE_BEAT_MS) * US_PER_MS;
		}
	}
}

/* When the others notice that somebody is gone. */
static int64_t give_up_at_us(const struct node *node)
{
	const bool is_missed = node->silent_since_us != 0 && !node->is_given_up;
	return is_missed ? node->silent_since_us + NODE_DEAD_US + BEAT_US : NEVER;
}

static void give_up_silent(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++) {
		struct node *node = &nodes->nodes[i];
		if (give_up_at_us(node) > nodes->sim->true_us)
			continue;
		node->is_given_up = true;
		for (size_t other = 0; other < nodes->count; other++)
			nodes->nodes[other].beat_at_us = 0;
	}
}

/* ---- polls ---- */

/* Nobody tells a node what another one has made due: it looks four times a second. Here it looks
 * when there is something new to be seen. */
static void plan_polls(struct nodes *nodes)
{
	const struct sim *sim = nodes->sim;
	struct house *house = nodes_any_awake(nodes);
	struct error err = {0};
	int64_t due_us = 0;
	if (nodes->seen_commit == sim->commit_count || house == NULL)
		return;
	nodes->seen_commit = sim->commit_count;
	int64_t removal_due_us = 0;
	if (store_delivery_next_due(house_store(house), &due_us, &err) != ERR_NONE ||
	    store_after_next_due(house_store(house), &removal_due_us, &err) != ERR_NONE)
		abort();
	if (removal_due_us != 0 && (due_us == 0 || removal_due_us < due_us))
		due_us = removal_due_us;
	for (size_t i = 0; i < nodes->count && due_us != 0; i++) {
		struct node *node = &nodes->nodes[i];
		if (node->known_due_us == due_us || due_us == NEVER)
			continue;
		node->known_due_us = due_us;
		const int64_t true_due_us = due_us - sim->wall_offset_us;
		node->poll_at_us = (true_due_us > sim->true_us ? true_due_us : sim->true_us) +
				   dice_between(&nodes->dice, 0, POLL_MS) * US_PER_MS;
	}
}

static void poll_all(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++) {
		struct node *node = &nodes->nodes[i];
		if (is_silent(node) || node->poll_at_us > nodes->sim->true_us)
			continue;
		node->poll_at_us = NEVER;
		house_wake(node->house);
		house_wake_removals(node->house);
	}
}

/* ---- what befalls them ---- */

static void make_trouble(struct nodes *nodes)
{
	struct sim *sim = nodes->sim;
	struct dice *dice = &nodes->dice;
	nodes->next_trouble_us =
		sim->is_healed ? NEVER : sim->true_us + dice_between(dice, 1, 900) * US_PER_S;
	const size_t index = (size_t)dice_below(dice, (int64_t)nodes->count);
	struct node *node = &nodes->nodes[index];
	if (sim->is_healed || is_silent(node))
		return;
	if (dice_permille(dice, 450)) {
		const int64_t stop_us = house_draw_stop_us(dice);
		node->frozen_until_us = sim->true_us + stop_us;
		sim->totals->stops++;
		sim_trace(sim, "node %zu STOPPED for %lld s", index,
			  (long long)(stop_us / US_PER_S));
	} else if (dice_permille(dice, sim->weather.crash_permille * 15)) {
		node->doom = DOOM_KILLED;
	} else if (dice_permille(dice, 100)) {
		node->doom = DOOM_STOPPED_SERVING;
	}
}

/* ---- turns ---- */

static int64_t ready_at_us(const struct node *node)
{
	struct network_end *end = house_end(node->house);
	int64_t at_us = node->until_us;
	if (node->how == NETWORK_WAIT_ANSWER && end->is_woken)
		at_us = 0;
	if (node->how == NETWORK_WAIT_ANSWER && network_next_answer_us(end) < at_us)
		at_us = network_next_answer_us(end);
	if (node->doom != DOOM_NONE)
		at_us = 0;
	return at_us > node->frozen_until_us ? at_us : node->frozen_until_us;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t next_event_us(const struct nodes *nodes)
{
	int64_t next_us = earlier(network_next_effect_us(nodes->network), nodes->next_trouble_us);
	for (size_t i = 0; i < nodes->count; i++) {
		const struct node *node = &nodes->nodes[i];
		const int64_t thawed_us =
			node->frozen_until_us > nodes->sim->true_us ? node->frozen_until_us : NEVER;
		next_us = earlier(next_us, ready_at_us(node));
		next_us = earlier(next_us, give_up_at_us(node));
		next_us = earlier(next_us, is_silent(node) ? thawed_us : node->poll_at_us);
	}
	return next_us;
}

static void resume(struct nodes *nodes, size_t index)
{
	struct node *node = &nodes->nodes[index];
	if (nodes->last != index)
		sim_trace(nodes->sim, "node %zu", index);
	nodes->last = index;
	house_take_turn(node->house);
	fiber_resume(node->fiber);
	house_take_turn(NULL);
}

/* One that is ready goes on, if there is one. */
static void take_turn(struct nodes *nodes)
{
	const size_t first = (size_t)dice_below(&nodes->dice, (int64_t)nodes->count);
	for (size_t i = 0; i < nodes->count; i++) {
		const size_t index = (first + i) % nodes->count;
		if (ready_at_us(&nodes->nodes[index]) > nodes->sim->true_us)
			continue;
		resume(nodes, index);
		return;
	}
}

static void step(struct nodes *nodes)
{
	network_arrive(nodes->network);
	if (nodes->next_trouble_us <= nodes->sim->true_us)
		make_trouble(nodes);
	watch_silence(nodes);
	give_up_silent(nodes);
	if (is_any_beat_due(nodes))
		beat_all(nodes);
	plan_polls(nodes);
	poll_all(nodes);
	take_turn(nodes);
	watch_silence(nodes);
}

void nodes_run(struct nodes *nodes, int64_t until_us)
{
	struct sim *sim = nodes->sim;
	for (int steps = 0; steps < STEPS_MAX; steps++) {
		const int64_t next_us = next_event_us(nodes);
		if (next_us > until_us) {
			sim->true_us = until_us > sim->true_us ? until_us : sim->true_us;
			return;
		}
		if (next_us > sim->true_us)
			sim->true_us = next_us;
		step(nodes);
	}
	sim_violation(sim, "the nodes do not come to rest");
	sim->true_us = until_us;
}

void nodes_tally(struct sim *sim, struct sqlite3 *db)
{
	sqlite3_stmt *row = NULL;
	if (sqlite3_prepare_v2(db, "SELECT COUNT(*) FROM evidence", -1, &row, NULL) != SQLITE_OK ||
	    sqlite3_step(row) != SQLITE_ROW)
		abort();
	sim->totals->lost_fences += sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
}
