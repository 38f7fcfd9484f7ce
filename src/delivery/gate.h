/* SPDX-License-Identifier: Apache-2.0
 * How many calls may be under way at once: on each platform, and for each app on a platform. The
 * limits shrink when calls fail and grow when they succeed; a place where nothing works is left
 * alone for a while (rules.md 3.1, thundering schedule). Only decides: no I/O, no waiting, no
 * clock; the time is a parameter (clock_boot_us, which never jumps). A caller asks gate_enter()
 * before a call and reports the call's outcome to gate_leave(). Thread-safe: the engine's thread
 * enters and leaves, others ask what is closed.
 *
 * READY: no recent failures; the limit grows by one for every window of successes, up to its
 * maximum. THROTTLED: calls failed; the limit was halved. A window of successes makes it READY.
 * SUSPENDED: nothing but failures; no calls until an instant, then one to test it. Its success
 * makes the place READY again. Every change of state goes from READY or to READY: a throttled place
 * is made READY before it is suspended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform_id.h"

#include "str.h"

struct gate;
struct log;

enum gate_state { GATE_READY, GATE_THROTTLED, GATE_SUSPENDED, GATE_STATE_COUNT };

struct gate_config {
	const struct log *log;
	int64_t time_scale;    /* 0 = 1; waits are divided by it */
	uint32_t platform_max; /* calls at once on a platform, 0 = 256 */
	uint32_t app_max;      /* of one app there, 0 = 128 */
};

/* What a call's outcome says about the place it was made to. */
enum gate_outcome {
	GATE_WORKED,  /* any answer that shows a platform at work, refusals too */
	GATE_BROKE,   /* no answer, or 5xx: counts against the platform and the app's place on it */
	GATE_LIMITED, /* too many calls: counts against the app's place only */
	/* the app's own credentials, credits or cap: its place is suspended at once */
	GATE_REFUSED,
	GATE_UNUSED /* no call was made: says nothing */
};

/* Never NULL: without memory the program ends. Takes all the memory it will ever need. The caller
 * frees it with gate_free(), which sets *gate to NULL. config->log must outlive it. */
struct gate *gate_new(const struct gate_config *config);
void gate_free(struct gate **gate);

/* From now on this app's place there is apart: its calls reach another world than the platform's
 * (a test app's), so they say nothing about the platform, and the platform's limits are not theirs.
 * Its waits are divided by time_scale. Before gate_enter(). */
void gate_set_apart(struct gate *gate, enum platform_id platform, struct str app_id,
		    int64_t time_scale);
/* True: the call may begin, and gate_leave() must be called once for it. False: not now;
 * *wait_us_out says when to ask again. */
bool gate_enter(struct gate *gate, enum platform_id platform, struct str app_id, int64_t boot_us,
		int64_t *wait_us_out);
/* A call that had entered is over. retry_after_us: the platform's advice, 0 = none. */
void gate_leave(struct gate *gate, enum platform_id platform, struct str app_id,
		enum gate_outcome outcome, int64_t retry_after_us, int64_t boot_us);
/* Returns how many more calls gate_enter() would let in now; 0 = closed. Changes nothing. */
uint32_t gate_room(struct gate *gate, enum platform_id platform, struct str app_id,
		   int64_t boot_us);
/* The same for all apps together that share the platform's place with this one; UINT32_MAX: its own
 * is apart. */
uint32_t gate_shared_room(struct gate *gate, enum platform_id platform, struct str app_id,
			  int64_t boot_us);

/* Somebody waits for room there, and there is none. Call it whenever gate_room() says 0 to one who
 * has work; gate_enter() calls it by itself. */
void gate_refuse(struct gate *gate, enum platform_id platform, struct str app_id, int64_t boot_us);
/* Returns for how long nothing has worked there although somebody kept asking; 0 = not so. Time in
 * which nobody asks (the service did not run, the app was suspended) does not count. */
int64_t gate_refused_us(struct gate *gate, enum platform_id platform, struct str app_id,
			int64_t boot_us);

/* Why no call of an app may begin on a platform. */
enum gate_reason {
	GATE_OPEN,
	GATE_PLATFORM_DOWN, /* calls get no answer there, or 5xx */
	/* as many calls as may be are under way, or the platform limits the app */
	GATE_PLATFORM_LIMIT,
	GATE_APP_LIMIT, /* the platform refuses the app: credentials, credits, cap */
	/* not the gate's: as many of the app's deliveries as may be fetch media (fetch_share.h) */
	GATE_MEDIA_LIMIT,
	GATE_REASON_COUNT
};

struct gate_closing {
	enum gate_reason reason;
	int64_t reopens_boot_us; /* 0 = as soon as another call is over */
};
struct gate_closing gate_closing_of(struct gate *gate, enum platform_id platform, struct str app_id,
				    int64_t boot_us);

/* "platform_down", "platform_limit", "app_limit" or "media"; "" for OPEN. */
const char *gate_reason_name(enum gate_reason reason);
/* A sentence for people. */
const char *gate_reason_sentence(enum gate_reason reason);

struct gate_view {
	enum gate_state state;
	uint32_t limit;
	uint32_t in_flight;
	int64_t reopens_boot_us; /* SUSPENDED */
};
/* For tests. The platform's place (app_id empty) or an app's on it; an unused place is READY. */
struct gate_view gate_view_of(struct gate *gate, enum platform_id platform, struct str app_id);
