/* SPDX-License-Identifier: Apache-2.0
 * See people.h. */
#include "people.h"

#include "store_post_change.h"
#include "store_post_resolve.h"

#define DEEDS_MAX 8
#define HOUR_S 3600

enum deed_kind {
	DEED_CANCEL,
	DEED_RETRY,
	DEED_REPUBLISH, /* retry, also where the outcome is unknown */
	DEED_APPEARED,
	DEED_RESTORE,
	DEED_KIND_COUNT
};

struct deed {
	enum deed_kind kind;
	int64_t at_us;   /* INT64_MAX = done */
	int64_t copy_us; /* RESTORE: when the copy is taken; INT64_MAX = taken */
	enum house_copy_way way;
	size_t post;
};

struct people {
	struct sim *sim;
	struct dice dice;
	struct deed deeds[DEEDS_MAX];
	size_t count;
	struct house_copy copy;
};

/* ---- drawing ---- */

static void draw_deed(struct people *people, const struct script *script)
{
	struct dice *dice = &people->dice;
	struct deed *deed = &people->deeds[people->count++];
	deed->kind = (enum deed_kind)dice_below(dice, DEED_RESTORE);
	deed->post = (size_t)dice_below(dice, (int64_t)script->post_count);
	deed->copy_us = INT64_MAX;
	const int64_t after_us = script->posts[deed->post].accept_at_us;
	const int64_t span_s = deed->kind == DEED_CANCEL ? 2 * HOUR_S : 10 * HOUR_S;
	deed->at_us = after_us + dice_between(dice, 0, span_s) * US_PER_S;
}

/* A copy may be seconds old or hours old when it is put back. It is taken about when a post is due:
 * what is copied is then still to be published, and what it is put back over has published it. */
static void draw_restore(struct people *people, const struct script *script)
{
	struct dice *dice = &people->dice;
	const struct script_post *post =
		&script->posts[dice_below(dice, (int64_t)script->post_count)];
	struct deed *deed = &people->deeds[people->count++];
	const int64_t age_s = dice_permille(dice, 500) ? dice_between(dice, 1, 50)
						       : dice_between(dice, 50, 3 * HOUR_S);
	deed->kind = DEED_RESTORE;
	deed->copy_us = post->accept_at_us + post->scheduled_after_us +
			dice_between(dice, -20, 40) * US_PER_S;
	deed->at_us = deed->copy_us + age_s * US_PER_S;
	deed->way = (enum house_copy_way)dice_below(dice, HOUSE_COPY_WAY_COUNT);
}

struct people *people_new(struct sim *sim, const struct script *script)
{
	struct people *people = ARENA_NEW(sim->arena, struct people);
	people->sim = sim;
	people->dice.state = sim->seed ^ UINT64_C(0x9E3779B97F4A7C15);
	dice_next(&people->dice);
	if (!sim->weather.has_people)
		return people;
	const int64_t count = dice_between(&people->dice, 1, DEEDS_MAX - 1);
	for (int64_t i = 0; i < count; i++)
		draw_deed(people, script);
	if (sim->weather.has_restore)
		draw_restore(people, script);
	return people;
}

void people_free(struct people *people)
{
	house_copy_free(&people->copy);
}

/* ---- deeds ---- */

static void must_be(struct sim *sim, enum err_kind kind, enum err_kind other, const char *what,
		    const struct error *err)
{
	if (kind != ERR_NONE && kind != other)
		sim_violation(sim, "%s: %s: %s", what, err_kind_slug(kind), err->text);
}

static void cancel(struct people *people, struct script_post *post, struct house *house)
{
	struct post_change_result result = {0};
	struct error err = {0};
	const enum err_kind kind =
		store_post_cancel(house_store(house), STR(HOUSE_APP_ID), post->id, &result, &err);
	must_be(people->sim, kind, ERR_NONE, "cancel", &err);
	const bool is_cancelled = kind == ERR_NONE && result.outcome == POST_CHANGED;
	post->is_cancelled |= is_cancelled;
	if (is_cancelled)
		post->cancelled_us = people->sim->true_us;
	people->sim->totals->cancels += is_cancelled;
	sim_trace(people->sim, "CANCEL " STR_FMT ": %d", STR_ARG(post->id), (int)result.outcome);
	house_wake(house);
}

static void retry(struct people *people, struct script_post *post, bool republish,
		  struct house *house)
{
	struct sim *sim = people->sim;
	struct post_retry_result result = {0};
	struct error err = {0};
	const struct post_retry again = {.app_id = STR(HOUSE_APP_ID),
					 .post_id = post->id,
					 .republish = republish,
					 .now_us = clock_now_us(house_clock(house))};
	const enum err_kind kind =
		store_post_retry(house_store(house), sim->arena, &again, &result, &err);
	must_be(sim, kind, ERR_NONE, "retry", &err);
	const bool is_again = kind == ERR_NONE && result.outcome == POST_RETRIED;
	post->is_retried |= is_again;
	sim->totals->retries += is_again;
	post->republish_count += is_again && republish;
	post->is_cancelled &= !is_again;
	post->is_retry_lost &=
		!is_again || republish; /* who takes the risk is not asked about it */
	if (is_again)
		post->retried_us = sim->true_us;
	sim_trace(sim, "RETRY " STR_FMT "%s: %d", STR_ARG(post->id), republish ? " again" : "",
		  (int)result.outcome);
	house_wake(house);
}

/* The person sees the post at the platform, where it is. */
static const struct entry *seen(const struct world *world, const struct script_post *post,
				size_t target)
{
	for (size_t i = 0; i < world->entry_count; i++) {
		if (world->entries[i].home == post->homes[target] &&
		    str_equal(world->entries[i].text, post->texts[0]))
			return &world->entries[i];
	}
	return NULL;
}

/* Only posts of one part: what comes after the part that appeared stays open. */
static void appeared(struct people *people, struct script_post *post, const struct script *script,
		     const struct world *world, struct house *house)
{
	struct error err = {0};
	if (post->part_count > 1)
		return;
	for (size_t target = 0; target < post->target_count; target++) {
		const struct entry *entry = seen(world, post, target);
		if (entry == NULL)
			continue;
		const struct post_appeared found = {
			.app_id = STR(HOUSE_APP_ID),
			.post_id = post->id,
			.account_id = script->account_ids[post->homes[target]],
			.remote_id = entry->id,
			.now_us = clock_now_us(house_clock(house))};
		const enum err_kind kind = store_post_appeared(house_store(house), &found, &err);
		must_be(people->sim, kind, ERR_CONFLICT, "appeared", &err);
		post->is_settled |= kind == ERR_NONE;
		sim_trace(people->sim, "APPEARED " STR_FMT " target %zu: %s", STR_ARG(post->id),
			  target, err_kind_slug(kind));
	}
}

/* What was accepted since the copy was taken is gone, and so is what people did since. */
static void restore(struct people *people, struct script *script, const struct deed *deed,
		    struct house *house)
{
	for (size_t i = 0; i < script->post_count; i++) {
		struct script_post *post = &script->posts[i];
		post->is_forgotten |= post->is_accepted && post->accepted_us > deed->copy_us;
		post->is_cancelled = false;
		post->is_retry_lost |= post->retried_us > deed->copy_us;
		post->is_early_lost |= post->is_retry_lost && post->cancelled_us > deed->copy_us;
	}
	script->was_restored = true;
	house_restore(house, &people->copy);
}

static void act(struct people *people, struct deed *deed, struct script *script,
		const struct world *world, struct house *house)
{
	struct script_post *post = &script->posts[deed->post];
	if (deed->kind == DEED_RESTORE) {
		restore(people, script, deed, house);
		return;
	}
	if (!post->is_accepted || post->is_forgotten)
		return;
	switch (deed->kind) {
	case DEED_CANCEL:
		cancel(people, post, house);
		return;
	case DEED_RETRY:
	case DEED_REPUBLISH:
		retry(people, post, deed->kind == DEED_REPUBLISH, house);
		return;
	case DEED_APPEARED:
		appeared(people, post, script, world, house);
		return;
	case DEED_RESTORE:
	case DEED_KIND_COUNT:
		return;
	}
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t people_act(struct people *people, struct script *script, const struct world *world,
		   struct house *house)
{
	const int64_t now_us = people->sim->true_us;
	int64_t next_us = INT64_MAX;
	for (size_t i = 0; i < people->count; i++) {
		struct deed *deed = &people->deeds[i];
		if (deed->kind == DEED_RESTORE && !people->copy.is_taken &&
		    deed->copy_us <= now_us) {
			house_copy(house, deed->way, &people->copy);
			deed->copy_us = now_us;
		}
		if (deed->at_us <= now_us) {
			deed->at_us = INT64_MAX;
			act(people, deed, script, world, house);
		}
		next_us = earlier(next_us, deed->at_us);
		if (deed->kind == DEED_RESTORE && !people->copy.is_taken)
			next_us = earlier(next_us, deed->copy_us);
	}
	return next_us;
}
