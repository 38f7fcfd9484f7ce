/* SPDX-License-Identifier: Apache-2.0
 * See waiting.h. */
#include "waiting.h"

#include "arena.h"
#include "count_of.h"

#include "failure.h"

static const struct {
	const char *name;
	const char *sentence;
} reasons[] = {
	[WAITING_NOTHING] = {"", ""},
	[WAITING_SCHEDULE] = {"schedule", "It is published at its scheduled time."},
	[WAITING_ACCOUNT_BUSY] = {"account_busy", "Other posts of this account go first."},
	[WAITING_PLATFORM_LIMIT] = {"platform_limit",
				    "The platform takes no more calls of this app or account for "
				    "now."},
	[WAITING_APP_LIMIT] = {"app_limit",
			       "The platform refuses the app: its credentials, credits or quota."},
	[WAITING_PLATFORM_DOWN] = {"platform_down", "The platform does not answer properly."},
	[WAITING_RETRY] = {"retry", "The last attempt failed for a reason that may pass; it is "
				    "tried again."},
	[WAITING_CHECKING] = {"checking", "It is not known yet whether the platform published it; "
					  "the platform is asked before anything else is done."},
	[WAITING_HELD] = {"held", "It is held until the operator decides: the database was "
				  "restored from a backup."},
	[WAITING_MEDIA] = {"media", "Its files are being fetched, uploaded or processed."},
};

const char *waiting_reason_name(enum waiting_reason reason)
{
	return reasons[reason].name;
}

static struct waiting waiting_for(enum waiting_reason reason)
{
	return (struct waiting){
		.reason = reason, .message = str_of(reasons[reason].sentence), .ahead = -1};
}

static int64_t still_to_come(int64_t at_us, const struct waiting_facts *facts)
{
	return at_us > facts->now_us && at_us != INT64_MAX ? at_us : 0;
}

/* ---- in progress ---- */

static struct str message_of_fitting(struct arena *arena, const struct fitter_progress *fitting)
{
	if (!fitting->is_running)
		return STR("Its video waits to be converted: other videos go first.");
	if (fitting->percent < 0)
		return STR("Its files are being converted for the platform.");
	return str_format(arena, "Its video is being converted for the platform: %d %% is done.",
			  fitting->percent);
}

static struct waiting under_way(struct arena *arena, const struct delivery_standing *standing,
				const struct waiting_facts *facts)
{
	struct waiting waiting;
	if (standing->is_call_open) {
		waiting = waiting_for(WAITING_CHECKING);
		waiting.message = STR("The publish call is under way; its outcome is awaited.");
	} else if (facts->has_media) {
		waiting = waiting_for(WAITING_MEDIA);
		if (facts->is_fitting)
			waiting.message = message_of_fitting(arena, &facts->fitting);
	} else {
		waiting = waiting_for(WAITING_ACCOUNT_BUSY);
		waiting.message = STR("It is being published now.");
		waiting.ahead = 0;
	}
	waiting.until_us = still_to_come(standing->due_at_us, facts);
	waiting.is_under_way = true;
	return waiting;
}

/* ---- at a gate and in line ---- */

static enum waiting_reason reason_of_gate(enum gate_reason reason)
{
	static const enum waiting_reason of[] = {
		[GATE_OPEN] = WAITING_NOTHING,
		[GATE_PLATFORM_DOWN] = WAITING_PLATFORM_DOWN,
		[GATE_PLATFORM_LIMIT] = WAITING_PLATFORM_LIMIT,
		[GATE_APP_LIMIT] = WAITING_APP_LIMIT,
		[GATE_MEDIA_LIMIT] = WAITING_MEDIA,
	};
	return of[reason];
}

static struct str message_in_line(struct arena *arena, int64_t ahead, bool is_delivering)
{
	if (ahead > 1)
		return str_format(arena, "%lld posts of this account go first.", (long long)ahead);
	if (ahead == 1)
		return STR("Another post of this account goes first.");
	return is_delivering ? STR("It is the next of its account and begins in a moment.")
			     : STR("It is due and waits for a node that delivers.");
}

static struct waiting in_line(struct arena *arena, const struct delivery_standing *standing,
			      const struct waiting_facts *facts)
{
	struct waiting waiting;
	if (facts->closing.reason != GATE_OPEN) {
		waiting = waiting_for(reason_of_gate(facts->closing.reason));
		waiting.until_us = still_to_come(facts->reopens_us, facts);
		if (facts->closing.reason == GATE_MEDIA_LIMIT)
			waiting.message = str_of(gate_reason_sentence(GATE_MEDIA_LIMIT));
	} else {
		waiting = waiting_for(WAITING_ACCOUNT_BUSY);
		waiting.message = message_in_line(arena, standing->ahead, facts->is_delivering);
	}
	waiting.ahead = standing->ahead;
	return waiting;
}

/* ---- until an instant ---- */

static const struct {
	enum failure_code code;
	enum waiting_reason reason;
} retry_reasons[] = {
	{FAILURE_CODE_RATE_LIMITED, WAITING_PLATFORM_LIMIT},
	{FAILURE_CODE_QUOTA_EXHAUSTED, WAITING_APP_LIMIT},
	{FAILURE_CODE_APP_CREDENTIALS_INVALID, WAITING_APP_LIMIT},
	{FAILURE_CODE_MEDIA_UNREACHABLE, WAITING_MEDIA},
};

static enum waiting_reason reason_of_retry(const struct delivery_row *delivery,
					   const struct waiting_facts *facts)
{
	const enum failure_code code = failure_code_of_name(delivery->error_code);
	for (size_t i = 0; i < COUNT_OF(retry_reasons); i++) {
		if (retry_reasons[i].code == code)
			return retry_reasons[i].reason;
	}
	const bool is_down = code == FAILURE_CODE_PLATFORM_UNAVAILABLE &&
			     facts->closing.reason == GATE_PLATFORM_DOWN;
	return is_down ? WAITING_PLATFORM_DOWN : WAITING_RETRY;
}

static struct waiting until_due(struct arena *arena, const struct delivery_row *delivery,
				const struct waiting_facts *facts)
{
	struct waiting waiting;
	if (delivery->state == POST_PROCESSING) {
		if (facts->closing.reason == GATE_OPEN)
			return under_way(arena, &delivery->standing, facts);
		waiting = waiting_for(reason_of_gate(facts->closing.reason));
	} else if (delivery->state == POST_RETRYING) {
		waiting = waiting_for(reason_of_retry(delivery, facts));
		if (waiting.reason == WAITING_MEDIA)
			waiting.message = STR("A file could not be fetched; it is tried again.");
	} else {
		waiting = waiting_for(WAITING_SCHEDULE);
	}
	waiting.until_us = delivery->standing.due_at_us;
	return waiting;
}

struct waiting waiting_of(struct arena *arena, const struct delivery_row *delivery,
			  const struct waiting_facts *facts)
{
	const struct delivery_standing *standing = &delivery->standing;
	if (post_state_is_final(delivery->state))
		return waiting_for(WAITING_NOTHING);
	if (standing->is_held)
		return waiting_for(WAITING_HELD);
	/* a call whose owner is gone is asked about too */
	if (standing->is_uncertain || (standing->is_call_open && !standing->is_leased)) {
		struct waiting waiting = waiting_for(WAITING_CHECKING);
		waiting.until_us =
			standing->is_leased ? 0 : still_to_come(standing->due_at_us, facts);
		return waiting;
	}
	if (standing->is_leased)
		return under_way(arena, standing, facts);
	if (standing->is_suspended) {
		struct waiting waiting = waiting_for(WAITING_HELD);
		waiting.message =
			standing->is_ownerless
				? STR("The app has no admin: nothing of it goes out until the "
				      "operator gives it one.")
				: STR("The app is suspended: nothing of it goes out.");
		return waiting;
	}
	if (standing->is_paused) {
		struct waiting waiting = waiting_for(WAITING_HELD);
		waiting.message =
			STR("The operator has paused its platform, app or account: nothing "
			    "new begins there.");
		return waiting;
	}
	return standing->due_at_us > facts->now_us ? until_due(arena, delivery, facts)
						   : in_line(arena, standing, facts);
}
