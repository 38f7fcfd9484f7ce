/* SPDX-License-Identifier: Apache-2.0
 * See people.h. */
#include "people.h"

#include <stdlib.h>

#include "store_draft.h"
#include "store_post_change.h"
#include "store_post_resolve.h"
#include "store_removal.h"
#include "store_retry_many.h"

#include "platform.h"

#define DEEDS_MAX 36
#define DEEDS_DRAWN_MAX 12 /* beside those of drafts, of the operator, and of taking back */
#define HOUR_S 3600

enum deed_kind {
	DEED_CANCEL,
	DEED_RETRY,
	DEED_REPUBLISH, /* retry, also where the outcome is unknown */
	DEED_APPEARED,
	DEED_EDIT,
	DEED_RETRY_MANY,
	DEED_REPUBLISH_MANY,
	DEED_REPEAT, /* the post is handed in once more */
	DEED_PUBLISH_DRAFT,
	DEED_RESTORE,
	DEED_UNPUBLISH,
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
	deed->kind = (enum deed_kind)dice_below(dice, DEED_PUBLISH_DRAFT);
	deed->post = (size_t)dice_below(dice, (int64_t)script->post_count);
	deed->copy_us = INT64_MAX;
	const struct script_post *post = &script->posts[deed->post];
	const int64_t span_s = deed->kind == DEED_CANCEL ? 2 * HOUR_S : 10 * HOUR_S;
	deed->at_us = post->accept_at_us + dice_between(dice, 0, span_s) * US_PER_S;
	/* About when it is due: later it is too late. */
	if (deed->kind == DEED_EDIT)
		deed->at_us = post->accept_at_us + dice_between(dice, 0, post->scheduled_after_us) +
			      dice_between(dice, 0, 4) * US_PER_S;
}

/* A third of the posts are drafts at first. Of those a fifth is never published. */
static void draw_draft(struct people *people, struct script *script, size_t index)
{
	struct dice *dice = &people->dice;
	struct script_post *post = &script->posts[index];
	if (!dice_permille(dice, 333))
		return;
	post->is_draft = true;
	if (dice_permille(dice, 200))
		return;
	people->deeds[people->count++] = (struct deed){
		.kind = DEED_PUBLISH_DRAFT,
		.at_us = post->accept_at_us + dice_between(dice, 1, HOUR_S) * US_PER_S,
		.copy_us = INT64_MAX,
		.post = index};
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

/* Half of the posts are taken back: some as soon as they are out, or before. */
static void draw_unpublish(struct people *people, const struct script *script, size_t index)
{
	struct dice *dice = &people->dice;
	const struct script_post *post = &script->posts[index];
	const int64_t due_us = post->accept_at_us + post->scheduled_after_us;
	if (!dice_permille(dice, 500))
		return;
	const int64_t times = dice_permille(dice, 300) ? 2 : 1;
	for (int64_t i = 0; i < times; i++) {
		const int64_t span_s = dice_permille(dice, 400) ? 90 : 5 * HOUR_S;
		people->deeds[people->count++] =
			(struct deed){.kind = DEED_UNPUBLISH,
				      .at_us = due_us + dice_between(dice, 1, span_s) * US_PER_S,
				      .copy_us = INT64_MAX,
				      .post = index};
	}
}

struct people *people_new(struct sim *sim, struct script *script)
{
	struct people *people = ARENA_NEW(sim->arena, struct people);
	people->sim = sim;
	people->dice.state = sim->seed ^ UINT64_C(0x9E3779B97F4A7C15);
	dice_next(&people->dice);
	if (!sim->weather.has_people)
		return people;
	const int64_t count = dice_between(&people->dice, 1, DEEDS_DRAWN_MAX);
	for (int64_t i = 0; i < count; i++)
		draw_deed(people, script);
	for (size_t i = 0; i < script->post_count; i++) {
		script->posts[i].has_key = dice_permille(&people->dice, 300);
		/* What was published since a copy was taken is a draft in it once more. */
		if (!sim->weather.has_restore)
			draw_draft(people, script, i);
	}
	if (sim->weather.has_restore)
		draw_restore(people, script);
	for (size_t i = 0; i < script->post_count; i++)
		draw_unpublish(people, script, i);
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

static void note_retry(struct sim *sim, struct script_post *post, bool republish)
{
	post->is_retried = true;
	sim->totals->retries++;
	post->republish_count += republish;
	post->is_cancelled = false;
	/* Who takes the risk is not asked about it, then or later. */
	post->is_loss_risked |= republish && post->is_retry_lost;
	post->is_retry_lost &= republish || post->is_loss_risked;
	post->retried_us = sim->true_us;
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
	if (kind == ERR_NONE && result.outcome == POST_RETRIED)
		note_retry(sim, post, republish);
	sim_trace(sim, "RETRY " STR_FMT "%s: %d", STR_ARG(post->id), republish ? " again" : "",
		  (int)result.outcome);
	house_wake(house);
}

static struct script_post *post_of(struct script *script, struct str id)
{
	for (size_t i = 0; i < script->post_count; i++) {
		if (str_equal(script->posts[i].id, id))
			return &script->posts[i];
	}
	return NULL;
}

/* All that failed within a day; of unknown outcomes as many as were counted. */
static void retry_many(struct people *people, struct script *script, bool republish,
		       struct house *house)
{
	struct sim *sim = people->sim;
	struct retry_many_result result = {0};
	struct error err = {0};
	const int64_t now_us = clock_now_us(house_clock(house));
	struct retry_many many = {.app_id = STR(HOUSE_APP_ID),
				  .since_us = now_us - US_PER_DAY,
				  .republish = republish,
				  .now_us = now_us};
	enum err_kind kind = ERR_NONE;
	if (republish) {
		many.error_codes[many.code_count++] = STR("OUTCOME_UNKNOWN");
		kind = store_retry_many_count(house_store(house), sim->arena, &many, &result, &err);
		many.has_expected = true;
		many.expected = (int64_t)result.count;
	}
	if (kind == ERR_NONE)
		kind = store_retry_many(house_store(house), sim->arena, &many, &result, &err);
	must_be(sim, kind, ERR_NONE, "retry of many", &err);
	for (size_t i = 0; kind == ERR_NONE && i < result.post_count; i++) {
		struct script_post *post = post_of(script, result.post_ids[i]);
		if (post == NULL || !post->is_accepted)
			sim_violation(sim, "retried and never accepted: " STR_FMT,
				      STR_ARG(result.post_ids[i]));
		else if (post->is_cancelled)
			sim_violation(sim, "retried and cancelled: " STR_FMT, STR_ARG(post->id));
		else
			note_retry(sim, post, republish);
	}
	sim_trace(sim, "RETRY MANY%s: %zu of %zu", republish ? " again" : "", result.count,
		  result.post_count);
	house_wake(house);
}

/* ---- edits and drafts ---- */

/* Other texts, and in a third of the cases another time. What is answered as made is what may be
 * seen from now on: an old text, or a new one that was refused, is a stranger to the judge. */
static void edit(struct people *people, struct script_post *post, size_t number,
		 struct house *house)
{
	struct sim *sim = people->sim;
	struct post_row row = {0};
	struct post_change_result result = {0};
	struct error err = {0};
	const int64_t now_us = clock_now_us(house_clock(house));
	struct script_post edited = *post;
	enum err_kind kind = store_post_get(house_store(house), sim->arena, STR(HOUSE_APP_ID),
					    post->id, &row, &err);
	must_be(sim, kind, ERR_NONE, "read before an edit", &err);
	if (kind != ERR_NONE)
		return;
	script_reword(sim, &edited, number);
	struct post_edit wish = {.app_id = STR(HOUSE_APP_ID),
				 .post_id = post->id,
				 .content_read = row.content,
				 .scheduled_read_us = row.scheduled_at_us,
				 .content = script_content(sim, &edited),
				 .mode = POST_MODE_ADVANCED,
				 .has_time = dice_permille(&people->dice, 333),
				 .now_us = now_us};
	if (dice_permille(&people->dice, 500))
		wish.scheduled_at_us = now_us + dice_between(&people->dice, 1, HOUR_S) * US_PER_S;
	kind = store_post_edit(house_store(house), &wish, &result, &err);
	must_be(sim, kind, ERR_NONE, "edit", &err);
	const bool is_edited = kind == ERR_NONE && result.outcome == POST_CHANGED;
	sim_trace(sim, "EDIT " STR_FMT ": %d", STR_ARG(post->id), (int)result.outcome);
	sim->totals->edits += is_edited;
	sim->totals->too_late += result.outcome == POST_TOO_LATE;
	if (is_edited) {
		*post = edited;
		post->edit_count++;
	}
	house_wake(house);
}

/* Somebody changes it first, in half of the cases: who read it before that publishes nothing. */
static struct str change_draft(struct people *people, const struct script *script,
			       struct script_post *post, const struct draft_row *read,
			       const struct world *world, struct house *house)
{
	struct sim *sim = people->sim;
	struct draft_result result = {0};
	struct error err = {0};
	if (!dice_permille(&people->dice, 500))
		return read->body;
	struct script_post stale = *post;
	script_reword(sim, post, (size_t)(post - script->posts));
	post->edit_count++;
	const struct str body = script_content(sim, post);
	const enum err_kind kind = store_draft_change(
		house_store(house), read, body, clock_now_us(house_clock(house)), &result, &err);
	must_be(sim, kind, ERR_NONE, "change of a draft", &err);
	if (script_publish_draft(sim, script, &stale, read->body, world, house) == POST_ACCEPTED)
		sim_violation(sim, "a draft was published as it was before its change");
	return body;
}

static void publish_draft(struct people *people, const struct script *script,
			  struct script_post *post, const struct world *world, struct house *house)
{
	struct sim *sim = people->sim;
	struct draft_row draft = {0};
	struct error err = {0};
	const enum err_kind kind = store_draft_find(house_store(house), sim->arena,
						    STR(HOUSE_APP_ID), post->id, &draft, &err);
	must_be(sim, kind, ERR_NONE, "read of a draft", &err);
	if (kind != ERR_NONE)
		return;
	const struct str body = change_draft(people, script, post, &draft, world, house);
	script_publish_draft(sim, script, post, body, world, house);
	if (!post->is_accepted)
		return; /* an account is gone: it stays a draft */
	sim->totals->drafts++;
	if (script_publish_draft(sim, script, post, body, world, house) == POST_ACCEPTED)
		sim_violation(sim, "a draft was published twice");
}

/* The person sees the post at the platform, where it is. */
static const struct entry *seen(const struct world *world, const struct script_post *post,
				size_t target)
{
	for (size_t i = 0; i < world->entry_count; i++) {
		if (world->entries[i].home == post->homes[target] &&
		    world->entries[i].removed_at_us == 0 &&
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
		const struct post_appeared found = {.app_id = STR(HOUSE_APP_ID),
						    .post_id = post->id,
						    .account_id =
							    script_account_id(script, post, target),
						    .remote_id = entry->id,
						    .now_us = clock_now_us(house_clock(house))};
		const enum err_kind kind = store_post_appeared(house_store(house), &found, &err);
		must_be(people->sim, kind, ERR_CONFLICT, "appeared", &err);
		post->is_settled |= kind == ERR_NONE;
		sim_trace(people->sim, "APPEARED " STR_FMT " target %zu: %s", STR_ARG(post->id),
			  target, err_kind_slug(kind));
	}
}

/* ---- taking back ---- */

static int64_t unsupported_mask(void)
{
	int64_t mask = 0;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (platform_of((enum platform_id)id)->stages[OPERATION_REMOVE] == NULL)
			mask |= INT64_C(1) << id;
	}
	return mask;
}

/* Some of the accounts, by a mask; 0 = no account is named. */
static int64_t draw_accounts(struct dice *dice, const struct script_post *post)
{
	if (dice_permille(dice, 400))
		return 0;
	return dice_between(dice, 1, (INT64_C(1) << post->target_count) - 1);
}

static size_t target_of(const struct script_post *post, const struct script *script,
			struct str account_id)
{
	for (size_t target = 0; target < post->target_count; target++) {
		if (str_equal(script_account_id(script, post, target), account_id))
			return target;
	}
	abort();
}

/* What nobody asked of an account is not theirs to remove, so only what is answered counts. */
static void note_unpublish(struct people *people, const struct script *script,
			   struct script_post *post, int64_t accounts,
			   const struct post_unpublish_result *result)
{
	for (size_t i = 0; i < result->account_count; i++) {
		const struct post_unpublish_account *account = &result->accounts[i];
		const size_t target = target_of(post, script, account->account_id);
		const bool is_wished = accounts == 0 || (accounts >> target) % 2 == 1;
		if (account->verdict != UNPUBLISH_ASKED || !is_wished)
			continue;
		people->sim->totals->unpublishes += post->unpublished_us[target] == 0;
		if (post->unpublished_us[target] == 0)
			post->unpublished_us[target] = people->sim->true_us;
		post->is_unpublish_lost[target] = false;
	}
}

/* Of a platform post that is published and is to be taken back: some find it at the platform, and
 * are faster than we are. */
static void remove_by_hand(struct people *people, const struct script_post *post, size_t target,
			   struct world *world)
{
	struct sim *sim = people->sim;
	for (size_t i = 0; i < world->entry_count; i++) {
		struct entry *entry = &world->entries[i];
		if (entry->home != post->homes[target] || entry->removed_at_us != 0 ||
		    !str_equal(entry->text, post->texts[0]) || !dice_permille(&people->dice, 100))
			continue;
		sim_trace(sim, "BY HAND " STR_FMT, STR_ARG(entry->id));
		sim->totals->removed_by_hand++;
		entry->is_removed_by_hand = true;
		world_remove(world, entry);
	}
}

static void look_by_hand(struct people *people, const struct script *script,
			 const struct script_post *post, struct world *world, struct house *house)
{
	struct post_row row = {0};
	struct error err = {0};
	const enum err_kind kind = store_post_get(house_store(house), people->sim->arena,
						  STR(HOUSE_APP_ID), post->id, &row, &err);
	must_be(people->sim, kind, ERR_NONE, "read after unpublish", &err);
	for (size_t i = 0; kind == ERR_NONE && i < row.delivery_count; i++) {
		const struct delivery_row *delivery = &row.deliveries[i];
		if (delivery->state == POST_PUBLISHED &&
		    delivery->removal.status == POST_REMOVAL_PENDING)
			remove_by_hand(people, post, target_of(post, script, delivery->account_id),
				       world);
	}
}

static void unpublish(struct people *people, struct script *script, struct script_post *post,
		      struct world *world, struct house *house)
{
	struct sim *sim = people->sim;
	struct post_unpublish_result result = {0};
	struct error err = {0};
	struct str ids[SCRIPT_TARGETS_MAX];
	const int64_t accounts = draw_accounts(&people->dice, post);
	struct post_unpublish wish = {.app_id = STR(HOUSE_APP_ID),
				      .post_id = post->id,
				      .account_ids = ids,
				      .unsupported_mask = unsupported_mask(),
				      .now_us = clock_now_us(house_clock(house))};
	for (size_t target = 0; target < post->target_count; target++) {
		if ((accounts >> target) % 2 == 1)
			ids[wish.account_count++] = script_account_id(script, post, target);
	}
	if (sim->mutant == MUTANT_REMOVE_UNASKED)
		wish.account_count = 0;
	const enum err_kind kind =
		store_post_unpublish(house_store(house), sim->arena, &wish, &result, &err);
	must_be(sim, kind, ERR_NONE, "unpublish", &err);
	sim_trace(sim, "UNPUBLISH " STR_FMT ": %d", STR_ARG(post->id), (int)result.outcome);
	if (kind != ERR_NONE || result.outcome != POST_UNPUBLISHED)
		return;
	note_unpublish(people, script, post, accounts, &result);
	look_by_hand(people, script, post, world, house);
	house_wake_removals(house);
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
		for (size_t target = 0; target < post->target_count; target++) {
			/* also in the instant of the copy: who knows which came first */
			post->is_unpublish_lost[target] |=
				post->unpublished_us[target] >= deed->copy_us;
		}
	}
	script->was_restored = true;
	script->copied_us = deed->copy_us;
	script->restored_us = people->sim->true_us;
	house_restore(house, &people->copy);
}

static void act(struct people *people, struct deed *deed, struct script *script,
		struct world *world, struct house *house)
{
	struct script_post *post = &script->posts[deed->post];
	if (deed->kind == DEED_RESTORE) {
		restore(people, script, deed, house);
		return;
	}
	if (deed->kind == DEED_PUBLISH_DRAFT) {
		publish_draft(people, script, post, world, house);
		return;
	}
	if (deed->kind == DEED_RETRY_MANY || deed->kind == DEED_REPUBLISH_MANY) {
		retry_many(people, script, deed->kind == DEED_REPUBLISH_MANY, house);
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
	case DEED_EDIT:
		/* A copy that is put back has the old text again. */
		if (!people->sim->weather.has_restore)
			edit(people, post, deed->post, house);
		return;
	case DEED_REPEAT:
		if (!script->was_restored)
			script_repeat(people->sim, script, post, world, house);
		return;
	case DEED_UNPUBLISH:
		unpublish(people, script, post, world, house);
		return;
	case DEED_RETRY_MANY:
	case DEED_REPUBLISH_MANY:
	case DEED_PUBLISH_DRAFT:
	case DEED_RESTORE:
	case DEED_KIND_COUNT:
		return;
	}
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t people_act(struct people *people, struct script *script, struct world *world,
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
