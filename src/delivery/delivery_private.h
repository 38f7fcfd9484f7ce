/* SPDX-License-Identifier: Apache-2.0
 * What the files of delivery/ offer each other. They stand on floors: a file calls only what stands
 * below it, never its caller's file:
 *
 *   deliverer, after                   claim due rows and make tasks of them
 *   task                               what the engine calls: plan, save, saved, free
 *   talk                               the conversation with the adapter, step by step
 *   hold, then resolve                 what may not simply go on; calls with an unknown outcome
 *   removal, late_id                   what is done for published posts: taking back, naming
 *   media, then fitting, filming       files, and those made fit for the platform
 *   capacity, account_token            room at the platform, the account's tokens
 *   verdict                            the only writer of what comes next
 *   task_load, record, alarm           what is read, what is written down, what operators hear
 *
 * Beside them, without a delivery: gate, fetch_share, fitter, policy, hosted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "platform.h"

#include "engine.h"

#include "delivery_task.h"

/* What a lower floor says to the one that called it. */
enum next {
	NEXT_ASK,    /* nothing is planned: ask the adapter for its next step */
	NEXT_PLANNED /* this turn's plan stands */
};

/* ---- task.c ---- */

/* A task for a claimed row, owned by the engine from engine_task_start() on. Copies the row's
 * texts, which live in the claim's arena. Never NULL. */
struct delivery_task *delivery_task_new(struct deliverer *deliverer,
					const struct delivery_work *work);
/* For after.c, whose tasks are of the same kind. A turn begins: nothing is planned. */
void task_turn_begins(struct delivery_task *t, struct arena *arena, struct task_plan *plan,
		      const struct task_event *event);
/* Names the delivery to who listens for crashes, before it is stepped; NULL after it. */
void task_announce(const struct delivery_task *t, const struct delivery_work *work);
/* After the commit: a refresh token that works once is not sent when it has been used up. */
void task_keep_refresh_single(struct delivery_task *t);
/* What the save says of the parts, as the flow has them: ids, addresses, visibility, warnings. */
void task_keep_parts(struct delivery_task *t);
/* Frees the task's memory. */
void task_dispose(struct delivery_task *t);

/* ---- after.c ---- */

/* Makes the source and registers it with the engine; before the deliverer's own. Never NULL. */
struct after *after_new(struct deliverer *deliverer);
/* There may be something to claim. Any thread. */
void after_ask(struct after *after);
/* After the engine. Sets *after to NULL. */
void after_free(struct after **after);

/* What this delivery's waits are divided by: its test app's own, or the service's. */
static inline int64_t delivery_time_scale(const struct delivery_task *t)
{
	return t->work.world.is_test ? t->work.world.time_scale : t->deliverer->config.time_scale;
}

/* ---- talk.c ---- */

/* All three ask the adapter until this turn's plan stands. This one first loads a newly claimed
 * delivery. */
void talk_start(struct delivery_task *t);
/* The call under way has come back. */
void talk_reply(struct delivery_task *t, const struct task_event *event);
/* A sleep or a fetch is over. */
void talk_go_on(struct delivery_task *t);

/* ---- hold.c ---- */

/* Fails a quarantined delivery without reading it; false when it is not quarantined. */
bool hold_quarantine(struct delivery_task *t);
/* After loading. PLANNED: the delivery was failed or is held. ASK: go on, perhaps by probing. */
enum next hold_start(struct delivery_task *t);
/* Is this a publish call of a delivery that is being probed? Such a call is never made. */
bool hold_forbids(const struct delivery_task *t, const struct call *call);
/* Keeps the delivery back until the operator decides. */
enum next hold_for_operator(struct delivery_task *t);
/* No look of a probe can be had any more: kept back, or (after an unclean end) sent. */
enum next hold_give_up(struct delivery_task *t);
/* When the part that is probed for was due; 0 = nothing is probed for. */
int64_t hold_since_us(const struct delivery_task *t);
/* Answers to a probe, by kind of step. */
enum next hold_landed(struct delivery_task *t, const struct step *step);
enum next hold_matches(struct delivery_task *t, const struct step *step);
enum next hold_too_early(struct delivery_task *t, const struct step *step);
enum next hold_unproven(struct delivery_task *t, const struct step *step);
/* The probe was refused, or the platform could not be reached. */
enum next hold_refused(struct delivery_task *t, const struct failure *failure);
/* What the turn's plan means for the row's mark and flow. */
void hold_turn_ends(struct delivery_task *t);
/* Writes the mark; call it after the delivery itself was written. */
enum err_kind hold_save(struct delivery_task *t, void *tx, struct error *err);

/* ---- resolve.c ---- */

/* The one match that belongs to no other delivery or part; NULL when there is none, when there are
 * several, or when the store cannot be asked. Reads the store. */
const struct match *resolve_only_match(struct delivery_task *t, const struct step *step);
/* Ends the delivery as failed with OUTCOME_UNKNOWN. */
enum next resolve_give_up(struct delivery_task *t);
/* Answers to a probe, by kind of step. */
enum next resolve_landed(struct delivery_task *t, const struct step *step);
enum next resolve_matches(struct delivery_task *t, const struct step *step);
enum next resolve_send_again(struct delivery_task *t, const struct step *step);
enum next resolve_too_early(struct delivery_task *t, const struct step *step);
enum next resolve_unproven(struct delivery_task *t, const struct step *step);
/* The probe was refused, or the platform could not be reached. */
enum next resolve_refused(struct delivery_task *t, const struct failure *failure);

/* ---- removal.c ---- */

/* After loading. PLANNED: it ended, or waits for what became of a deletion. ASK: go on. */
enum next removal_begin(struct delivery_task *t);
/* The adapter says that all of it is gone. */
enum next removal_done(struct delivery_task *t);
/* The outcome of a deletion is unknown: look again later, as often as a publish call is looked
 * for. */
enum next removal_ask_again(struct delivery_task *t);
/* What the turn's plan means for a deletion whose outcome is unknown; before the flow is
 * written. */
void removal_turn_ends(struct delivery_task *t);

/* ---- late_id.c ---- */

/* A delivery ends as published: what its save says of an id that is missing. Before it is
 * written. */
void late_id_ask(struct delivery_task *t);
/* After loading. PLANNED: it ended, or is looked for later. ASK: go on. */
enum next late_id_begin(struct delivery_task *t);
/* The adapter has put the id into the flow. */
enum next late_id_found(struct delivery_task *t);
/* There is none yet, or nobody could be asked: later, or the end of looking. */
enum next late_id_missed(struct delivery_task *t);
/* There will be none. */
enum next late_id_give_up(struct delivery_task *t);
/* A look that failed is a look that was missed; fills what its save says of the delivery. */
void late_id_turn_ends(struct delivery_task *t);

/* ---- media.c ---- */

/* A STEP_MEDIA. PLANNED: a fetch, a wait for another delivery's fetch, or the delivery's failure.
 * ASK: the file is there, or known to be missing. */
enum next media_want(struct delivery_task *t, const struct step *step);
/* The fetch is over; as media_want(). */
enum next media_fetched(struct delivery_task *t, const struct transfer_result *result);
/* The task ends: its fetch is no longer there to be shared. */
void media_task_gone(struct delivery_task *t);
/* Removes the post's files when this was its last unfinished delivery. */
void media_post_finished(struct delivery_task *t);
/* For spool_sweep(); context is the deliverer. */
bool media_key_is_needed(void *context, struct str key);

/* The file of the spool is what the adapter gets for that index. */
void media_ready(struct delivery_task *t, size_t index, struct str key,
		 const struct spool_file *file);

/* ---- fitting.c ---- */

/* The adapter asks for a picture that is here to be fitted: remembers it in the flow. */
void fitting_note(struct delivery_task *t, const struct step *step);
/* The original is ready: what the flow asks of it is done, or under way. */
enum next fitting_apply(struct delivery_task *t, size_t index, struct str original_key);

/* For filming.c. Fails the delivery: MEDIA_REJECTED; why is a sentence without its subject. */
enum next fitting_reject(struct delivery_task *t, size_t index, const char *platform_code,
			 struct str why);
/* For filming.c. Tries again later, as of what passes; why as above. */
enum next fitting_try_later(struct delivery_task *t, size_t index, struct str why);
/* The adapter judges the original, and says why nothing was done about it. */
enum next fitting_keep_original(struct delivery_task *t, size_t index, const char *why);

/* ---- filming.c ---- */

/* " (vp9, opus)"; empty when nothing is known of them. */
struct str filming_codecs(struct arena *arena, const struct film *film);
/* Why a film that was made is none that may be published, as a sentence without its subject; empty
 * = it is. */
struct str filming_complaint(struct arena *arena, const struct film_order *order,
			     const struct sniff *made);
/* No film was made, and why. */
enum next filming_not_made(struct delivery_task *t, size_t index, const struct film_order *order,
			   const struct fitter_result *result);

struct fitting_warning {
	struct str field;
	struct str from; /* "image/png, 4000 x 3000, 5242880 bytes" */
	struct str to;
};

/* What was changed, one after the other; *cursor begins empty. False: no more. */
bool fitting_next_warning(const struct delivery_task *t, struct str *cursor,
			  struct fitting_warning *warning_out);

/* ---- capacity.c ---- */

enum capacity {
	CAPACITY_TAKEN,
	CAPACITY_LATER, /* no room now */
	CAPACITY_NEVER  /* it is overdue, and capacity_is_hopeless() */
};

/* Before a call, and at the claim (where the answer may be ignored: it is asked again before the
 * call). LATER: *wait_us_out says when to ask again, time scale included. */
enum capacity capacity_take(struct delivery_task *t, int64_t *wait_us_out);
/* What a call's answer says about the platform: first by its status, then by what the adapter made
 * of it. */
void capacity_note_reply(struct delivery_task *t, const struct reply *reply);
void capacity_note_failure(struct delivery_task *t, const struct failure *failure);
/* The adapter could not make out what the answer to its publish call means. */
void capacity_note_unreadable(struct delivery_task *t);
/* A delivery that makes no call takes up no room. */
void capacity_turn_ends(struct delivery_task *t);
void capacity_leave(struct delivery_task *t);
/* Has no call of this app to the platform been let through for as long as we are patient? Only time
 * counts in which the service ran and had work for it. For delivery_claim.gives_up; context is the
 * deliverer. */
bool capacity_is_hopeless(void *context, struct str app_id, enum platform_id platform);
/* For delivery_claim.slots; context is the deliverer. */
uint32_t capacity_for_claim(void *context, struct str app_id, enum platform_id platform);
uint32_t capacity_shared_for_claim(void *context, struct str app_id, enum platform_id platform);

/* ---- account_token.c ---- */

enum account_token {
	ACCOUNT_TOKEN_GOOD,
	ACCOUNT_TOKEN_ENDING, /* it ends soon, or has ended, and can be refreshed */
	ACCOUNT_TOKEN_ENDED   /* it has ended and cannot be refreshed */
};

enum account_token account_token_check(const struct delivery_task *t);
bool account_token_can_be_refreshed(const struct delivery_task *t);
/* A refresh ahead of its time failed, and the old token is good for this delivery all the same. */
bool account_token_may_wait(const struct delivery_task *t, const struct failure *failure);
/* Turns to MODE_REFRESH until account_token_refreshed() or account_token_refresh_failed(). */
void account_token_refresh_begin(struct delivery_task *t);
void account_token_note_reply(struct delivery_task *t, const struct reply *reply);
void account_token_refreshed(struct delivery_task *t, const struct token_grant *grant);
/* Returns the failure as the conversation that goes on is to take it. */
struct failure account_token_refresh_failed(struct delivery_task *t, const struct failure *failure);
/* Has the account got other tokens, or been disconnected, since it was claimed? False when the
 * store cannot be asked. Reads the store. */
bool account_token_has_changed(const struct delivery_task *t);
/* The platform refused the token for good. True when the account will be marked so; false when it
 * has changed since it was claimed, so that the refused token is not the one it has now. */
bool account_token_flag(struct delivery_task *t, struct str why);
/* The same for a delivery that fails by it: permanent when the account was marked, transient when
 * the next claim will read a changed account. */
struct failure account_token_refused(struct delivery_task *t, const struct failure *failure);
void account_token_turn_begins(struct delivery_task *t);
enum err_kind account_token_save(struct delivery_task *t, void *tx, struct error *err);
void account_token_saved(struct delivery_task *t);

/* ---- verdict.c ---- */

/* Nothing planned: the task ends, its lease runs for a minute. */
void verdict_turn_begins(struct delivery_task *t);
/* Before anything is decided for a newly claimed delivery: what it waited beyond its time was ours
 * (a stop, a suspension, a pause), and uses up no patience with the platform. */
void verdict_forgive_our_time(struct delivery_task *t);
/* Makes the call; the lease outlives it. path is the body's file, NULL without one. A publish call
 * of the publish conversation is written down as started. */
enum next verdict_send(struct delivery_task *t, const struct call *call, const char *path);
enum next verdict_fetch(struct delivery_task *t, const struct transfer_request *request);
/* In memory until wake_at_us; the lease outlives busy_until_us. */
enum next verdict_sleep(struct delivery_task *t, int64_t wake_at_us, int64_t busy_until_us);
/* After the commit: drops the call that was planned. The lease runs out. */
void verdict_drop_call(struct delivery_task *t);
/* An instant of ours, wait_ms from now; with a time scale sooner. */
int64_t verdict_due_us(const struct delivery_task *t, int64_t wait_ms);
/* Gives the lease back until due_at_us; the account stays busy. */
enum next verdict_wait_until(struct delivery_task *t, int64_t due_at_us);
enum next verdict_wait(struct delivery_task *t, int64_t wait_ms);
/* A stopping service begins nothing new: true when the delivery was given back as it stands. */
bool verdict_gives_back(struct delivery_task *t);
/* Gives the lease back until due_at_us, INT64_MAX = for good; the account is free meanwhile. */
enum next verdict_retry_at(struct delivery_task *t, const struct failure *failure,
			   int64_t due_at_us, struct str decision);
/* A failure of the publish conversation, judged by its class: retry, wait out a limit, or fail. */
enum next verdict_failure(struct delivery_task *t, const struct failure *failure);
/* Fails the delivery; one whose first part is visible is published in part. With a publish call
 * whose outcome is not known, it becomes OUTCOME_UNKNOWN; when the platform has not been asked
 * about it yet, it is asked first. */
enum next verdict_end_failed(struct delivery_task *t, const struct failure *failure);
enum next verdict_end_published(struct delivery_task *t);
/* An adapter broke its contract: INTERNAL_ERROR with that text. */
enum next verdict_end_internal(struct delivery_task *t, struct str message);
/* The publish call under way was answered, or provably never left. */
void verdict_call_over(struct delivery_task *t);
/* And it did nothing: a person's retry may start the part again. */
void verdict_call_did_nothing(struct delivery_task *t);
/* The outcome of the publish call is unknown: plans the first probe. */
enum next verdict_uncertain(struct delivery_task *t);
/* It is known now: the publish conversation goes on from the flow as it stands. */
enum next verdict_settled(struct delivery_task *t, const char *decision);

/* ---- task_load.c ---- */

/* Reads what the row, its account and its app's credential hold, secrets opened. FORBIDDEN: another
 * master key sealed them. Any other failure: something cannot be read, and the task can only be
 * ended. */
enum err_kind delivery_load(struct delivery_task *t, struct error *err);

/* ---- alarm.c ---- */

/* At start: a new setting may have put things right. */
void alarm_forget_all(struct deliverer *deliverer);
/* Once a day: raises an alarm for each version that ends within VERSION_END_WARN_US. */
void alarm_note_version_ends(struct deliverer *deliverer);
/* Alerts the operator when failure says so, at most once a minute for a platform. */
void alarm_note_failure(struct delivery_task *t, const struct failure *failure);

/* ---- record.c ---- */

void record_call_begins(struct delivery_task *t, const struct call *call);
void record_call_ended(struct delivery_task *t, const struct task_event *event);
/* Of the turn's last timeline entry: what was decided, and what the call came to when the adapter
 * knows better than the status. */
void record_decision(struct delivery_task *t, struct str decision);
void record_verdict(struct delivery_task *t, struct str verdict);
/* A platform's id or address, as far as it is stored. */
struct str record_id(struct str id);
struct str record_parts(const struct delivery_task *t, bool is_failed);
/* As delivery_save has them. */
struct str record_visibility(const struct delivery_task *t);
struct str record_warnings(const struct delivery_task *t);
/* A line about the delivery: its post, account, platform and app, the request that caused it, and
 * at most three fields more. */
void record_log(const struct delivery_task *t, enum log_level level, const char *event,
		const struct log_field *more, size_t more_count);
