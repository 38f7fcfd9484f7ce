/* SPDX-License-Identifier: Apache-2.0
 * See check.h. */
#include "check.h"

#include <stdlib.h>

#include <sqlite3.h>

#include "json.h"

#include "failure.h"

#include "store_guard.h"

#include "turns.h"

/* What we say of one delivery. */
struct told {
	struct str state;
	struct str code;
	struct str remote_id;
	const struct json *parts;
	bool is_final;
	bool is_held;      /* waits for the operator after a restore */
	bool was_repeated; /* the service says that it sent blindly */
	struct str account_state;
	int attempts;
	enum post_removal removal;
	struct str removal_code;
};

struct check {
	struct sim *sim;
	const struct script *script;
	const struct world *world;
	sqlite3 *db;
	bool is_ours[WORLD_ENTRIES_MAX];
	const struct script_post *post;
	size_t target;
	struct told told;
	const struct entry *found[POST_CONTAINERS_MAX]; /* by part; what was removed, too */
};

static struct str column(struct check *check, sqlite3_stmt *row, int index)
{
	const char *text = (const char *)sqlite3_column_text(row, index);
	return str_copy(check->sim->arena, str_of(text));
}

static sqlite3_stmt *prepare(struct check *check, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(check->db, sql, -1, &statement, NULL) != SQLITE_OK)
		abort();
	return statement;
}

static struct str one_text(struct check *check, const char *sql)
{
	sqlite3_stmt *row = prepare(check, sql);
	const struct str text = sqlite3_step(row) == SQLITE_ROW ? column(check, row, 0) : STR("");
	sqlite3_finalize(row);
	return text;
}

static const struct home *home_of(const struct check *check)
{
	return &check->world->homes[check->post->homes[check->target]];
}

static bool is_strong(enum platform_id platform)
{
	return platform == PLATFORM_INSTAGRAM || platform == PLATFORM_YOUTUBE ||
	       platform == PLATFORM_TIKTOK;
}

#define WHERE(check) \
	platform_id_slug(home_of(check)->platform), (int)((check)->post - (check)->script->posts), \
		(check)->target

/* How often a part may be seen: once, and once more for every risk that somebody took: the app that
 * allows one blind repeat, a person who published again or who brought forward what a copy that was
 * put back has for later. The service's own word for it is not asked. */
static size_t visible_max(const struct check *check)
{
	const size_t repeats = check->sim->weather.retry_unknown_once ? 1 : 0;
	const size_t risks = (size_t)check->post->republish_count + check->post->is_early_lost;
	return 1 + repeats + risks * (1 + repeats);
}

static bool may_be_repeated(const struct check *check)
{
	return check->told.was_repeated && visible_max(check) > 1;
}

/* ---- one part ---- */

/* A call on its way takes effect after the copy that took its place was removed: no look could have
 * found it, and nobody published again. */
static bool is_after_removal(const struct check *check, const struct entry *entry)
{
	for (size_t i = 0; i < check->world->entry_count; i++) {
		const struct entry *other = &check->world->entries[i];
		if (other->home == entry->home && str_equal(other->text, entry->text) &&
		    other->removed_at_us != 0 && entry->sent_at_us <= other->removed_at_us &&
		    entry->at_us >= other->removed_at_us)
			return true;
	}
	return false;
}

/* How often it was ever to be seen, and (there_out) how often it still is. */
static size_t count_visible(struct check *check, size_t part, size_t *there_out)
{
	size_t count = 0;
	*there_out = 0;
	for (size_t i = 0; i < check->world->entry_count; i++) {
		const struct entry *entry = &check->world->entries[i];
		if (entry->home != check->post->homes[check->target] ||
		    !str_equal(entry->text, check->post->texts[part]))
			continue;
		check->is_ours[i] = true;
		check->found[part] = entry;
		if (is_after_removal(check, entry))
			check->sim->totals->after_removal++;
		else
			count++;
		*there_out += entry->removed_at_us == 0;
	}
	return count;
}

static struct str part_member(const struct check *check, size_t part, const char *name)
{
	return json_string(json_get(json_at(check->told.parts, part), name));
}

static bool is_told_unknown(const struct check *check)
{
	return str_equal_z(check->told.code, "OUTCOME_UNKNOWN");
}

static bool is_told_published(const struct check *check, size_t part)
{
	return str_equal_z(part_member(check, part, "state"), "published");
}

/* Nobody can know of a retry that is lost with the history in which it was made. count: those that
 * are there. */
static void check_visible(struct check *check, size_t part, size_t count)
{
	struct sim *sim = check->sim;
	const bool is_first_open = part == 0 || is_told_published(check, part - 1);
	const bool may_be = is_told_unknown(check) && is_first_open;
	if (is_told_published(check, part) && check->found[part] == NULL) {
		sim->totals->dishonest++;
		sim_violation(
			sim,
			"I4 %s post %d target %zu part %zu is told published and nobody sees it",
			WHERE(check), part);
	}
	const bool is_wrong =
		!is_told_published(check, part) && count > 0 && !may_be && check->told.is_final;
	sim->totals->told_as_copied += is_wrong && check->post->is_retry_lost;
	if (is_wrong && !check->post->is_retry_lost) {
		sim->totals->dishonest++;
		sim_violation(
			sim, "I4 %s post %d target %zu part %zu is visible and told %.*s %.*s",
			WHERE(check), part, STR_ARG(check->told.state), STR_ARG(check->told.code));
	}
	sim->totals->unknown_visible += !is_told_published(check, part) && count > 0 && may_be;
}

/* Of several copies, which people asked for, a person may name any. */
static bool is_copy(const struct check *check, size_t part, struct str id)
{
	for (size_t i = 0; i < check->world->entry_count; i++) {
		const struct entry *entry = &check->world->entries[i];
		if (entry->home == check->post->homes[check->target] &&
		    str_equal(entry->text, check->post->texts[part]) && str_equal(entry->id, id))
			return true;
	}
	return false;
}

#define NAMED_IN_TIME_US (20 * US_PER_HOUR) /* an outage at the end of the day may cost some */

/* TikTok told the id within the day in which it is looked for, and could be asked and believed. The
 * day is one of our wall clock, which may have jumped. */
static bool was_named_in_time(const struct check *check, const struct entry *entry)
{
	const int64_t jumped_us =
		check->sim->wall_offset_most_us - check->sim->wall_offset_least_us;
	const struct str account = check->told.account_state;
	if (check->sim->weather.has_dishonest_reads || check->script->was_restored ||
	    str_equal_z(account, "reauth_required") || str_equal_z(account, "disconnected"))
		return false;
	for (size_t i = 0; i < check->world->piece_count; i++) {
		const struct piece *piece = &check->world->pieces[i];
		if (piece->kind == PIECE_TASK && piece->entry == entry)
			return piece->named_late_us + jumped_us < NAMED_IN_TIME_US;
	}
	return false;
}

static void check_late_id(struct check *check, size_t part, const struct entry *entry)
{
	if (home_of(check)->platform != PLATFORM_TIKTOK ||
	    !str_equal_z(check->told.state, "published"))
		return;
	check->sim->totals->nameless++;
	if (was_named_in_time(check, entry))
		sim_violation(check->sim, "%s post %d target %zu part %zu never got its id",
			      WHERE(check), part);
}

/* The id that we give out is the post's: never another's that we took for it, nor the task's. */
static void check_id(struct check *check, size_t part)
{
	const struct str id = part_member(check, part, "remote_id");
	const struct entry *entry = check->found[part];
	if (entry != NULL && str_is_empty(id))
		check_late_id(check, part, entry);
	if (entry == NULL || str_is_empty(id) || str_equal(id, entry->id))
		return;
	if (!may_be_repeated(check) && !is_copy(check, part, id))
		sim_violation(check->sim,
			      "%s post %d target %zu part %zu goes by the id of another",
			      WHERE(check), part);
}

/* X makes a chain, the others hang comments under the post. */
static void check_order(struct check *check, size_t part)
{
	const struct entry *entry = check->found[part];
	const size_t above = home_of(check)->platform == PLATFORM_X && part > 0 ? part - 1 : 0;
	if (entry == NULL || may_be_repeated(check))
		return;
	const struct entry *parent = part > 0 ? check->found[above] : NULL;
	const struct str expected = parent != NULL ? parent->id : STR("");
	if (!str_equal(entry->parent, expected) || (part > 0 && parent == NULL))
		sim_violation(check->sim,
			      "%s post %d target %zu part %zu stands in the wrong place",
			      WHERE(check), part);
	if (part > 0 && check->found[part - 1] != NULL &&
	    check->found[part - 1]->at_us > entry->at_us)
		sim_violation(check->sim,
			      "%s post %d target %zu part %zu came before the one before it",
			      WHERE(check), part);
}

/* Did the history that a restore took back publish it, by a retry of somebody who cancels it again
 * in what was put back? There it is cancelled already. */
static bool is_of_lost_history(const struct check *check, size_t part)
{
	return check->post->is_retry_lost && check->found[part]->at_us < check->post->cancelled_us;
}

static void check_part(struct check *check, size_t part)
{
	struct sim *sim = check->sim;
	size_t there = 0;
	const size_t count = count_visible(check, part, &there);
	sim->totals->parts += count > 0;
	if (count > visible_max(check)) {
		sim->totals->doubled++;
		sim_violation(sim, "I1 %s post %d target %zu part %zu is visible %zu times",
			      WHERE(check), part, count);
	}
	if (count > 0 && check->post->is_cancelled && !is_of_lost_history(check, part))
		sim_violation(sim, "%s post %d target %zu part %zu was cancelled and is visible",
			      WHERE(check), part);
	check_visible(check, part, there);
	check_id(check, part);
	check_order(check, part);
}

/* ---- taking back ---- */

static bool was_asked_by(const struct check *check, int64_t us)
{
	const int64_t asked_us = check->post->unpublished_us[check->target];
	return asked_us != 0 && asked_us <= us;
}

/* Nothing is deleted that nobody asked to delete, and nothing vanishes by itself. */
static void check_unasked(struct check *check, size_t part)
{
	for (size_t i = 0; i < check->world->entry_count; i++) {
		const struct entry *entry = &check->world->entries[i];
		if (entry->home != check->post->homes[check->target] ||
		    !str_equal(entry->text, check->post->texts[part]))
			continue;
		if (entry->deletion_asked_us != 0 && !was_asked_by(check, entry->deletion_asked_us))
			sim_removal_violation(
				check->sim,
				"I8 %s post %d target %zu part %zu was deleted and nobody asked",
				WHERE(check), part);
	}
}

/* By the id that we gave out; NULL = none was. */
static const struct entry *entry_told(const struct check *check, size_t part)
{
	const struct str id = part_member(check, part, "remote_id");
	for (size_t i = 0; i < check->world->entry_count; i++) {
		if (!str_is_empty(id) && str_equal(check->world->entries[i].id, id))
			return &check->world->entries[i];
	}
	return NULL;
}

/* A read that says of what is there that it is not cannot be told from the truth. */
static void check_told_removed(struct check *check)
{
	struct sim *sim = check->sim;
	for (size_t part = 0; part < check->post->part_count; part++) {
		const struct entry *entry = entry_told(check, part);
		if (entry == NULL || !is_told_published(check, part) || entry->removed_at_us != 0)
			continue;
		if (sim->weather.has_dishonest_reads)
			sim->totals->removed_and_seen++;
		else
			sim_removal_violation(
				sim, "I8 %s post %d target %zu part %zu is told removed and seen",
				WHERE(check), part);
	}
}

/* Did the history that a restore took back remove it? What was on its way then may arrive later. */
#define ON_ITS_WAY_US (2 * US_PER_MINUTE)

static bool is_removed_in_lost_history(const struct check *check, const struct entry *entry)
{
	const struct script *script = check->script;
	return script->was_restored && entry->removed_at_us >= script->copied_us &&
	       entry->removed_at_us <= script->restored_us + ON_ITS_WAY_US;
}

/* What is gone is told so, unless it is told that nobody knows, or somebody did it by hand. */
static void check_told_there(struct check *check)
{
	const struct entry *entry = entry_told(check, 0);
	const bool is_gone =
		entry != NULL && entry->removed_at_us != 0 && !entry->is_removed_by_hand;
	const bool is_doubted = str_equal_z(check->told.removal_code, "OUTCOME_UNKNOWN");
	if (is_gone && !is_doubted && !is_removed_in_lost_history(check, entry))
		sim_removal_violation(check->sim,
				      "I8 %s post %d target %zu is gone and told %s " STR_FMT,
				      WHERE(check), post_removal_name(check->told.removal),
				      STR_ARG(check->told.removal_code));
}

static void count_removal(struct check *check)
{
	struct totals *totals = check->sim->totals;
	const bool is_failed = check->told.removal == POST_REMOVAL_FAILED;
	totals->removed += check->told.removal == POST_REMOVAL_REMOVED;
	totals->removals_failed += is_failed;
	totals->removals_unknown +=
		is_failed && str_equal_z(check->told.removal_code, "OUTCOME_UNKNOWN");
	totals->unsupported += check->told.removal == POST_REMOVAL_UNSUPPORTED;
	totals->removals_lost += check->post->is_unpublish_lost[check->target] &&
				 check->told.removal == POST_REMOVAL_NONE;
}

static void check_removal(struct check *check)
{
	struct sim *sim = check->sim;
	const bool is_asked = check->post->unpublished_us[check->target] != 0;
	const bool is_lost = check->post->is_unpublish_lost[check->target];
	const enum post_removal told = check->told.removal;
	if (!is_asked && told != POST_REMOVAL_NONE)
		sim_removal_violation(sim, "I8 %s post %d target %zu: nobody asked for its removal",
				      WHERE(check));
	if (is_asked && !is_lost && told == POST_REMOVAL_NONE)
		sim_removal_violation(sim, "I8 %s post %d target %zu: its removal is forgotten",
				      WHERE(check));
	if (told == POST_REMOVAL_PENDING && check->told.is_final)
		sim_removal_violation(sim, "I8 %s post %d target %zu: its removal does not end",
				      WHERE(check));
	if (told == POST_REMOVAL_REMOVED)
		check_told_removed(check);
	else
		check_told_there(check);
	count_removal(check);
}

/* ---- one delivery ---- */

static bool read_told(struct check *check)
{
	sqlite3_stmt *row =
		prepare(check, "SELECT d.state, d.error_code, d.remote_id, d.parts, d.is_final, "
			       "d.republished, a.state, d.attempts, h.state,"
			       " COALESCE(r.status, 0), COALESCE(r.error_code, '')"
			       " FROM deliveries d JOIN accounts a ON a.id = d.account_id"
			       " LEFT JOIN removals r ON r.delivery_id = d.id"
			       " LEFT JOIN holds h ON h.delivery_id = d.id WHERE d.id = ?1");
	const struct str id = check->post->delivery_ids[check->target];
	sqlite3_bind_text(row, 1, id.ptr, (int)id.len, SQLITE_STATIC);
	const bool is_there = sqlite3_step(row) == SQLITE_ROW;
	check->told = (struct told){0};
	if (is_there) {
		check->told = (struct told){
			.state = column(check, row, 0),
			.code = column(check, row, 1),
			.remote_id = column(check, row, 2),
			.is_final = sqlite3_column_int(row, 4) != 0,
			.was_repeated = sqlite3_column_int(row, 5) != 0,
			.account_state = column(check, row, 6),
			.attempts = sqlite3_column_int(row, 7),
			.is_held = sqlite3_column_int(row, 8) == HOLD_HELD,
			.removal = (enum post_removal)sqlite3_column_int(row, 9),
			.removal_code = column(check, row, 10),
		};
		json_parse(check->sim->arena, column(check, row, 3), NULL, &check->told.parts, NULL,
			   NULL);
	}
	sqlite3_finalize(row);
	return is_there;
}

/* A look may be behind the truth: what it finds absent is sent again, and when no try is left for
 * that, nothing is proven. */
#define ATTEMPTS_MAX 5 /* design.md 3 */

static bool is_resend_open(const struct check *check)
{
	return check->told.attempts >= ATTEMPTS_MAX;
}

/* What TikTok pulls is published by its init, and no list shows the task (tiktok.md 5). */
static bool is_pulled(const struct check *check)
{
	const struct script_flow *flow = check->post->flow;
	return flow != NULL && flow->platform == PLATFORM_TIKTOK &&
	       (flow->type == POST_TYPE_CAROUSEL || flow->options != NULL);
}

/* With platforms that can prove it, not knowing is no answer, unless their answers to probes were
 * rubbish, the account was lost, or the database was put back: the containers and sessions by which
 * they prove it went with the lost history. It may also have seemed so, to a node that came alone
 * and without its files; what is held then waits for the operator. */
static void check_strength(struct check *check)
{
	struct sim *sim = check->sim;
	const bool is_excused =
		sim->weather.has_dishonest_reads || check->script->was_restored ||
		check->told.is_held || !str_equal_z(check->told.account_state, "active") ||
		is_resend_open(check) || is_pulled(check) ||
		is_told_published(check, 0); /* comments are not what the proof is about */
	if (is_told_unknown(check) && is_strong(home_of(check)->platform) && !is_excused)
		sim_violation(sim, "I2 %s post %d target %zu could have been proven", WHERE(check));
}

static void count_outcome(struct check *check)
{
	struct totals *totals = check->sim->totals;
	const enum failure_code code = failure_code_of_name(check->told.code);
	const bool is_published = str_equal_z(check->told.state, "published");
	totals->deliveries++;
	totals->published += is_published;
	totals->failed += str_equal_z(check->told.state, "failed");
	totals->unknown += is_told_unknown(check);
	if (!is_published && check->told.is_final)
		totals->failed_by_code[code]++;
}

/* What is out is told as published, and what is missing of it has a reason. */
static void check_partial(struct check *check)
{
	struct sim *sim = check->sim;
	const bool is_published = str_equal_z(check->told.state, "published");
	const bool is_whole = is_told_published(check, check->post->part_count - 1);
	if (is_published && !is_told_published(check, 0))
		sim_violation(sim, "I4 %s post %d target %zu is published without its first part",
			      WHERE(check));
	if (is_published && is_whole != str_is_empty(check->told.code))
		sim_violation(sim, "I4 %s post %d target %zu is published in part without a reason",
			      WHERE(check));
	if (str_equal_z(check->told.state, "failed") && is_told_published(check, 0))
		sim_violation(sim, "I4 %s post %d target %zu is out and told failed", WHERE(check));
	sim->totals->partial += is_published && !is_whole;
}

static void check_delivery(struct check *check)
{
	struct sim *sim = check->sim;
	for (size_t part = 0; part < POST_CONTAINERS_MAX; part++)
		check->found[part] = NULL;
	if (check->post->is_forgotten) {
		for (size_t part = 0; part < check->post->part_count; part++) {
			size_t there = 0;
			count_visible(check, part, &there);
			check_unasked(check, part);
		}
		return;
	}
	if (!read_told(check)) {
		sim->totals->lost++;
		sim_violation(sim, "I3 %s post %d target %zu was accepted and is gone",
			      WHERE(check));
		return;
	}
	sim_trace(sim, "END %s post %d target %zu: %.*s %.*s after %d, removal %d %.*s",
		  WHERE(check), STR_ARG(check->told.state), STR_ARG(check->told.code),
		  check->told.attempts, (int)check->told.removal,
		  STR_ARG(check->told.removal_code));
	count_outcome(check);
	if (check->post->is_cancelled && !str_equal_z(check->told.code, "CANCELLED"))
		sim_violation(sim, "%s post %d target %zu was cancelled and is told %.*s",
			      WHERE(check), STR_ARG(check->told.code));
	if (!check->told.is_final && !check->told.is_held) {
		sim->totals->lost++;
		sim_violation(sim, "I3 %s post %d target %zu does not come to an end",
			      WHERE(check));
	}
	for (size_t part = 0; part < check->post->part_count; part++) {
		check_part(check, part);
		check_unasked(check, part);
	}
	check_partial(check);
	check_removal(check);
	if (str_equal_z(check->told.code, "INTERNAL_ERROR"))
		sim_violation(sim, "%s post %d target %zu failed by our own fault", WHERE(check));
	check_strength(check);
}

/* ---- the whole ---- */

static void check_strangers(struct check *check)
{
	for (size_t i = 0; i < check->world->entry_count; i++) {
		const struct entry *entry = &check->world->entries[i];
		if (!check->is_ours[i])
			sim_violation(check->sim, "visible and never accepted: %s \"" STR_FMT "\"",
				      platform_id_slug(check->world->homes[entry->home].platform),
				      STR_ARG(entry->text));
	}
}

/* A person may take a delivery out of its end, unless all of it is published: to try it again, or
 * to say that it appeared. */
static bool may_leave_end(const struct check *check, struct str delivery_id)
{
	for (size_t i = 0; i < check->script->post_count; i++) {
		const struct script_post *post = &check->script->posts[i];
		for (size_t target = 0; target < post->target_count; target++) {
			if (str_equal(post->delivery_ids[target], delivery_id))
				return post->is_retried || post->is_settled;
		}
	}
	return false;
}

static void check_ends(struct check *check)
{
	sqlite3_stmt *row = prepare(check, "SELECT id, was, became, code FROM sim_left");
	while (sqlite3_step(row) == SQLITE_ROW) {
		const struct str id = column(check, row, 0);
		const struct str was = column(check, row, 1);
		const struct str became = column(check, row, 2);
		const bool is_whole = str_is_empty(column(check, row, 3));
		if (is_whole || !may_leave_end(check, id))
			sim_violation(check->sim,
				      "I5 a delivery left its end: " STR_FMT " " STR_FMT
				      " -> " STR_FMT,
				      STR_ARG(id), STR_ARG(was), STR_ARG(became));
	}
	sqlite3_finalize(row);
}

static void check_removals_back(struct check *check)
{
	sqlite3_stmt *row = prepare(check, "SELECT id, was, became FROM sim_back");
	while (sqlite3_step(row) == SQLITE_ROW)
		sim_removal_violation(check->sim, "I8 a removal left its end: " STR_FMT " %d -> %d",
				      STR_ARG(column(check, row, 0)), sqlite3_column_int(row, 1),
				      sqlite3_column_int(row, 2));
	sqlite3_finalize(row);
}

/* A draft is a post or a draft, never both and never neither. */
static void check_drafts(struct check *check)
{
	struct sim *sim = check->sim;
	for (size_t i = 0; i < check->script->post_count; i++) {
		const struct script_post *post = &check->script->posts[i];
		if (!post->is_draft || post->accept_at_us >= 0)
			continue;
		sqlite3_stmt *row =
			prepare(check, "SELECT (SELECT COUNT(*) FROM drafts WHERE id = ?1),"
				       " (SELECT COUNT(*) FROM posts WHERE id = ?1)");
		sqlite3_bind_text(row, 1, post->id.ptr, (int)post->id.len, SQLITE_STATIC);
		sqlite3_step(row);
		const int drafts = sqlite3_column_int(row, 0);
		const int posts = sqlite3_column_int(row, 1);
		sqlite3_finalize(row);
		sim->totals->drafts_left += drafts;
		if (drafts != !post->is_accepted || posts != post->is_accepted)
			sim_violation(sim, "post %zu is %d drafts and %d posts", i, drafts, posts);
	}
}

static void check_database(struct check *check)
{
	struct sim *sim = check->sim;
	const struct str integrity = one_text(check, "PRAGMA integrity_check");
	int64_t doubts = 0;
	if (!str_equal_z(integrity, "ok"))
		sim_violation(sim, "I6 the database says: " STR_FMT, STR_ARG(integrity));
	check_ends(check);
	check_removals_back(check);
	check_drafts(check);
	if (!str_equal_z(one_text(check, "SELECT COUNT(*) FROM posts p WHERE p.state <> CASE"
					 " WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.post_id "
					 "= p.id AND d.is_final = 0)"
					 " THEN p.state"
					 " WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.post_id "
					 "= p.id AND d.state = 'failed')"
					 " THEN 'failed' ELSE 'published' END"),
			 "0"))
		sim_violation(sim, "I4 a post's state is not that of its deliveries");
	if (str_parse_i64(one_text(check, "SELECT doubts FROM sim_counts"), &doubts))
		sim->totals->in_doubt += doubts;
}

void check_all(struct sim *sim, const struct script *script, const struct world *world, sqlite3 *db)
{
	struct check check = {.sim = sim, .script = script, .world = world, .db = db};
	for (size_t i = 0; i < script->post_count; i++) {
		check.post = &script->posts[i];
		for (check.target = 0;
		     check.post->is_accepted && check.target < check.post->target_count;
		     check.target++)
			check_delivery(&check);
	}
	check_strangers(&check);
	check_database(&check);
	turns_check(sim, script, world, db);
}
