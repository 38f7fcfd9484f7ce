/* SPDX-License-Identifier: Apache-2.0
 * See gate.h. A place is one limit. Six belong to the platforms; the others belong to apps on a
 * platform and stand in a table of fixed size, found by hash. When the table is full, an app's
 * place that is empty and has nothing to remember gives way. */
#include "gate.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "count_of.h"
#include "log.h"

#define PLATFORM_MAX_DEFAULT 256
#define APP_MAX_DEFAULT 128
/* Chosen: more failures in a row than one delivery has tries (policy.h), so that one alone never
 * closes a place. */
#define FAILURES_TO_SUSPEND 8
/* design.md 3 begins its tries 30 s apart; ten minutes is how late a recovery may be
 * noticed. */
#define SUSPENDED_FIRST_US (30 * US_PER_S)
#define SUSPENDED_MOST_US (10 * US_PER_MINUTE)
/* A caller without room asks again soon: calls last for seconds at most. */
#define FULL_WAIT_US US_PER_S
#define APP_ID_MAX_BYTES 48
/* Twice the tasks an engine works on at once, so that there is always an empty place. */
/* Nobody asked for this long: nothing was waiting, or the service did not run. */
#define ASKED_AGAIN_US (10 * US_PER_MINUTE)
#define PLACES_MAX 2048
#define PLACES_MASK (PLACES_MAX - 1)
#define PLATFORM_COUNT (PLATFORM_ID_MAX + 1)
#define SLOTS_TRIED_MAX 16 /* from the hash on */

struct place {
	enum platform_id platform;
	char app_id[APP_ID_MAX_BYTES]; /* "" = the platform's own, or a free slot */
	uint8_t app_id_length;
	bool is_apart;      /* gate_set_apart() */
	int64_t time_scale; /* of its waits; 0 = the gate's */
	enum gate_state state;
	uint32_t limit;
	uint32_t max;
	uint32_t in_flight;
	uint32_t successes;       /* of this window */
	uint32_t failures_in_row; /* since the last success */
	uint32_t begun_before;    /* calls begun before the last halving: their failures are old */
	uint32_t suspensions;     /* in a row, for the length of the next */
	enum gate_outcome cause;  /* SUSPENDED: what the last call said */
	int64_t reopens_us;
	int64_t used_us;
	/* nothing has worked since, and somebody kept asking; 0 = not so */
	int64_t refused_since_us;
	int64_t refused_at_us; /* when it was asked last */
};

struct gate {
	struct gate_config config;
	pthread_mutex_t lock;
	struct place platforms[PLATFORM_COUNT];
	struct place apps[PLACES_MAX];
};

static const char *const state_names[GATE_STATE_COUNT] = {"ready", "throttled", "suspended"};

/* The legal edges: from READY anywhere, from anywhere to READY. */
static const bool is_legal[GATE_STATE_COUNT][GATE_STATE_COUNT] = {
	[GATE_READY] = {[GATE_THROTTLED] = true, [GATE_SUSPENDED] = true},
	[GATE_THROTTLED] = {[GATE_READY] = true},
	[GATE_SUSPENDED] = {[GATE_READY] = true},
};

/* The only writer of place->state. */
static void change_state(const struct gate *gate, struct place *place, enum gate_state state)
{
	assert(is_legal[place->state][state]);
	const struct str app_id = {place->app_id, place->app_id_length};
	/* Operators look for a platform without calls; one call more or less does not matter. */
	const bool is_news = state == GATE_SUSPENDED || place->state == GATE_SUSPENDED;
	log_write(gate->config.log, is_news ? LOG_WARN : LOG_DEBUG, "gate_changed",
		  (const struct log_field[]){
			  log_int("platform", place->platform),
			  log_str("app", app_id),
			  log_str("from", str_of(state_names[place->state])),
			  log_str("to", str_of(state_names[state])),
			  log_int("limit", place->limit),
		  },
		  5);
	place->state = state;
}

static void make_ready(const struct gate *gate, struct place *place)
{
	if (place->state != GATE_READY)
		change_state(gate, place, GATE_READY);
}

struct gate *gate_new(const struct gate_config *config)
{
	struct gate *gate = calloc(1, sizeof(*gate));
	if (gate == NULL)
		abort(); /* the same rule as arena_alloc */
	pthread_mutex_init(&gate->lock, NULL);
	gate->config = *config;
	if (gate->config.time_scale < 1)
		gate->config.time_scale = 1;
	if (gate->config.platform_max == 0)
		gate->config.platform_max = PLATFORM_MAX_DEFAULT;
	if (gate->config.app_max == 0)
		gate->config.app_max = APP_MAX_DEFAULT;
	for (int i = 0; i < PLATFORM_COUNT; i++)
		gate->platforms[i] = (struct place){.platform = (enum platform_id)i,
						    .max = gate->config.platform_max,
						    .limit = gate->config.platform_max};
	return gate;
}

void gate_free(struct gate **gate)
{
	if (*gate != NULL)
		pthread_mutex_destroy(&(*gate)->lock);
	free(*gate);
	*gate = NULL;
}

/* ---- finding places ---- */

/* FNV-1a. */
static uint32_t slot_of(enum platform_id platform, struct str app_id)
{
	uint32_t hash = UINT32_C(2166136261) ^ (uint32_t)platform;
	for (size_t i = 0; i < app_id.len; i++)
		hash = (hash ^ (unsigned char)app_id.ptr[i]) * UINT32_C(16777619);
	return hash ^ hash >> 15;
}

static struct str key_of(struct str app_id)
{
	return str_slice(app_id, 0, app_id.len < APP_ID_MAX_BYTES ? app_id.len : APP_ID_MAX_BYTES);
}

static const struct place *place_find(const struct gate *gate, enum platform_id platform,
				      struct str app_id)
{
	const uint32_t slot = slot_of(platform, app_id);
	for (uint32_t i = 0; i < SLOTS_TRIED_MAX; i++) {
		const struct place *place = &gate->apps[(slot + i) & PLACES_MASK];
		const struct str own = {place->app_id, place->app_id_length};
		if (place->platform == platform && own.len > 0 && str_equal(own, app_id))
			return place;
	}
	return NULL;
}

/* An occupied place never gives way; else the one whose loss matters least. */
static bool is_better_victim(const struct place *place, const struct place *best)
{
	if (place->in_flight > 0)
		return false;
	if (best == NULL)
		return true;
	if (place->app_id_length == 0 || best->app_id_length == 0)
		return best->app_id_length > 0;
	if ((place->state == GATE_READY) != (best->state == GATE_READY))
		return place->state == GATE_READY;
	return place->used_us < best->used_us;
}

static struct place *place_make(struct gate *gate, enum platform_id platform, struct str app_id)
{
	const uint32_t slot = slot_of(platform, app_id);
	struct place *victim = NULL;
	for (uint32_t i = 0; i < SLOTS_TRIED_MAX; i++) {
		struct place *place = &gate->apps[(slot + i) & PLACES_MASK];
		if (is_better_victim(place, victim))
			victim = place;
	}
	if (victim == NULL)
		return NULL;
	*victim = (struct place){.platform = platform,
				 .app_id_length = (uint8_t)app_id.len,
				 .max = gate->config.app_max,
				 .limit = gate->config.app_max};
	memcpy(victim->app_id, app_id.ptr, app_id.len);
	return victim;
}

/* The platform's place that the app's calls count in too; NULL: none, it is apart. */
static struct place *whole_of(struct gate *gate, enum platform_id platform, const struct place *own)
{
	return own != NULL && own->is_apart ? NULL : &gate->platforms[platform];
}

/* ---- one place ---- */

static int64_t scale_of(const struct gate *gate, const struct place *place)
{
	return place->time_scale > 0 ? place->time_scale : gate->config.time_scale;
}

static int64_t suspension_us(const struct gate *gate, const struct place *place,
			     int64_t retry_after_us)
{
	int64_t wait_us = SUSPENDED_FIRST_US;
	for (uint32_t i = 0; i < place->suspensions && wait_us < SUSPENDED_MOST_US; i++)
		wait_us *= 2;
	/* Advice is followed up to our own maximum: it may be for one account only, and the next
	 * call will bring new advice. */
	if (retry_after_us > wait_us)
		wait_us = retry_after_us;
	if (wait_us > SUSPENDED_MOST_US)
		wait_us = SUSPENDED_MOST_US;
	return wait_us / scale_of(gate, place);
}

struct suspending {
	enum gate_outcome cause;
	int64_t retry_after_us;
	int64_t boot_us;
};

static void place_suspend(const struct gate *gate, struct place *place,
			  const struct suspending *why)
{
	make_ready(gate, place);
	place->reopens_us = why->boot_us + suspension_us(gate, place, why->retry_after_us);
	place->cause = why->cause;
	place->suspensions++;
	place->limit = 1;
	place->successes = 0;
	change_state(gate, place, GATE_SUSPENDED);
}

static uint32_t place_room(const struct place *place, int64_t boot_us)
{
	if (place->state == GATE_SUSPENDED && boot_us < place->reopens_us)
		return 0;
	return place->in_flight < place->limit ? place->limit - place->in_flight : 0;
}

static int64_t place_wait_us(const struct gate *gate, const struct place *place, int64_t boot_us)
{
	const int64_t full_us = FULL_WAIT_US / scale_of(gate, place);
	if (place->state == GATE_SUSPENDED && place->reopens_us - boot_us > full_us)
		return place->reopens_us - boot_us;
	return full_us;
}

static void place_worked(const struct gate *gate, struct place *place)
{
	place->failures_in_row = 0;
	place->suspensions = 0;
	place->refused_since_us = 0;
	if (place->state == GATE_SUSPENDED)
		make_ready(gate, place);
	if (++place->successes < place->limit)
		return;
	place->successes = 0;
	make_ready(gate, place);
	if (place->limit < place->max)
		place->limit++;
}

/* Once a window: when a hundred calls fail together, the first says enough. */
static void place_shrink(const struct gate *gate, struct place *place, bool is_news)
{
	if (!is_news)
		return;
	if (place->limit > 1)
		place->limit /= 2;
	place->successes = 0;
	place->begun_before = place->in_flight;
	if (place->state == GATE_READY)
		change_state(gate, place, GATE_THROTTLED);
}

static void place_failed(const struct gate *gate, struct place *place, bool is_news,
			 const struct suspending *why)
{
	place->failures_in_row++;
	if (place->state == GATE_SUSPENDED) {
		/* A call from before the suspension says nothing new. The one that was let in to
		 * test the place closes it again, for longer. */
		if (is_news && why->boot_us >= place->reopens_us)
			place_suspend(gate, place, why);
		return;
	}
	place_shrink(gate, place, is_news);
	if (place->failures_in_row >= FAILURES_TO_SUSPEND) {
		place->begun_before = place->in_flight;
		place_suspend(gate, place, why);
	}
}

/* Takes a call out; true when it was begun after the last halving. */
static bool place_leave(struct place *place)
{
	assert(place->in_flight > 0);
	place->in_flight--;
	if (place->begun_before == 0)
		return true;
	place->begun_before--;
	return false;
}

/* ---- refusals ---- */

static void place_refuse(struct place *place, int64_t boot_us)
{
	if (place->refused_since_us == 0 || boot_us - place->refused_at_us > ASKED_AGAIN_US)
		place->refused_since_us = boot_us;
	place->refused_at_us = boot_us;
}

static int64_t place_refused_us(const struct place *place, int64_t boot_us)
{
	if (place->refused_since_us == 0 || boot_us - place->refused_at_us > ASKED_AGAIN_US)
		return 0;
	return boot_us - place->refused_since_us;
}

/* Lock held. */
static void refuse(struct gate *gate, enum platform_id platform, struct str app_id, int64_t boot_us)
{
	struct place *own = (struct place *)place_find(gate, platform, key_of(app_id));
	struct place *whole = whole_of(gate, platform, own);
	if (whole != NULL && place_room(whole, boot_us) == 0)
		place_refuse(whole, boot_us);
	if (own != NULL && place_room(own, boot_us) == 0)
		place_refuse(own, boot_us);
}

void gate_refuse(struct gate *gate, enum platform_id platform, struct str app_id, int64_t boot_us)
{
	pthread_mutex_lock(&gate->lock);
	refuse(gate, platform, app_id, boot_us);
	pthread_mutex_unlock(&gate->lock);
}

int64_t gate_refused_us(struct gate *gate, enum platform_id platform, struct str app_id,
			int64_t boot_us)
{
	pthread_mutex_lock(&gate->lock);
	const struct place *own = place_find(gate, platform, key_of(app_id));
	const struct place *whole = whole_of(gate, platform, own);
	const int64_t whole_us = whole != NULL ? place_refused_us(whole, boot_us) : 0;
	const int64_t own_us = own != NULL ? place_refused_us(own, boot_us) : 0;
	pthread_mutex_unlock(&gate->lock);
	return own_us > whole_us ? own_us : whole_us;
}

/* ---- entering and leaving ---- */

static void place_enter(struct place *place, int64_t boot_us)
{
	place->in_flight++;
	place->used_us = boot_us;
}

static bool enter(struct gate *gate, enum platform_id platform, struct str app_id, int64_t boot_us,
		  int64_t *wait_us_out)
{
	const struct str key = key_of(app_id);
	struct place *own = (struct place *)place_find(gate, platform, key);
	if (own == NULL)
		own = place_make(gate, platform, key);
	*wait_us_out = FULL_WAIT_US / gate->config.time_scale;
	if (own == NULL)
		return false;
	struct place *const places[] = {whole_of(gate, platform, own), own};
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		if (places[i] != NULL && place_room(places[i], boot_us) == 0) {
			*wait_us_out = place_wait_us(gate, places[i], boot_us);
			refuse(gate, platform, app_id, boot_us);
			return false;
		}
	}
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		if (places[i] != NULL)
			place_enter(places[i], boot_us);
	}
	return true;
}

void gate_set_apart(struct gate *gate, enum platform_id platform, struct str app_id,
		    int64_t time_scale)
{
	pthread_mutex_lock(&gate->lock);
	struct place *own = (struct place *)place_find(gate, platform, key_of(app_id));
	if (own == NULL)
		own = place_make(gate, platform, key_of(app_id));
	/* One that has calls under way was made apart before they began. */
	if (own != NULL && own->in_flight == 0)
		own->is_apart = true;
	if (own != NULL)
		own->time_scale = time_scale;
	pthread_mutex_unlock(&gate->lock);
}

bool gate_enter(struct gate *gate, enum platform_id platform, struct str app_id, int64_t boot_us,
		int64_t *wait_us_out)
{
	pthread_mutex_lock(&gate->lock);
	const bool is_in = enter(gate, platform, app_id, boot_us, wait_us_out);
	pthread_mutex_unlock(&gate->lock);
	return is_in;
}

static void own_leave(const struct gate *gate, struct place *own, const struct suspending *why)
{
	const bool is_news = place_leave(own);
	switch (why->cause) {
	case GATE_UNUSED:
		return;
	case GATE_WORKED:
		place_worked(gate, own);
		return;
	case GATE_BROKE:
	case GATE_LIMITED:
		place_failed(gate, own, is_news, why);
		return;
	case GATE_REFUSED:
		own->begun_before = own->in_flight;
		if (own->state != GATE_SUSPENDED || (is_news && why->boot_us >= own->reopens_us))
			place_suspend(gate, own, why);
		return;
	}
}

static void whole_leave(const struct gate *gate, struct place *whole, const struct suspending *why)
{
	const bool is_news = place_leave(whole);
	if (why->cause == GATE_BROKE)
		place_failed(gate, whole, is_news, why);
	else if (why->cause != GATE_UNUSED)
		place_worked(gate, whole);
}

void gate_leave(struct gate *gate, enum platform_id platform, struct str app_id,
		enum gate_outcome outcome, int64_t retry_after_us, int64_t boot_us)
{
	const struct suspending own_why = {outcome, retry_after_us, boot_us};
	const struct suspending why = {outcome, 0, boot_us};
	pthread_mutex_lock(&gate->lock);
	struct place *own = (struct place *)place_find(gate, platform, key_of(app_id));
	assert(own != NULL); /* an occupied place never gives way */
	own_leave(gate, own, &own_why);
	struct place *whole = whole_of(gate, platform, own);
	if (whole != NULL)
		whole_leave(gate, whole, &why);
	pthread_mutex_unlock(&gate->lock);
}

uint32_t gate_room(struct gate *gate, enum platform_id platform, struct str app_id, int64_t boot_us)
{
	pthread_mutex_lock(&gate->lock);
	const struct place *own = place_find(gate, platform, key_of(app_id));
	const struct place *whole = whole_of(gate, platform, own);
	const uint32_t whole_room = whole != NULL ? place_room(whole, boot_us) : UINT32_MAX;
	const uint32_t own_room = own != NULL ? place_room(own, boot_us) : gate->config.app_max;
	pthread_mutex_unlock(&gate->lock);
	return own_room < whole_room ? own_room : whole_room;
}

uint32_t gate_shared_room(struct gate *gate, enum platform_id platform, struct str app_id,
			  int64_t boot_us)
{
	pthread_mutex_lock(&gate->lock);
	const struct place *own = place_find(gate, platform, key_of(app_id));
	const struct place *whole = whole_of(gate, platform, own);
	const uint32_t room = whole != NULL ? place_room(whole, boot_us) : UINT32_MAX;
	pthread_mutex_unlock(&gate->lock);
	return room;
}

/* ---- what others see ---- */

static const struct {
	const char *name;
	const char *sentence;
} gate_reasons[] = {
	[GATE_OPEN] = {"", ""},
	[GATE_PLATFORM_DOWN] = {"platform_down",
				"The platform does not answer properly; it is tried again soon."},
	[GATE_PLATFORM_LIMIT] = {"platform_limit",
				 "The platform takes no more calls of this app for now."},
	[GATE_APP_LIMIT] = {"app_limit",
			    "The platform refuses the app: its credentials, credits or quota."},
	[GATE_MEDIA_LIMIT] = {"media",
			      "As many of the app's posts as may be are fetching their files; the "
			      "next begin when these have ended."},
};

const char *gate_reason_name(enum gate_reason reason)
{
	return gate_reasons[reason].name;
}

const char *gate_reason_sentence(enum gate_reason reason)
{
	return gate_reasons[reason].sentence;
}

static enum gate_reason reason_of(const struct place *place)
{
	if (place->state != GATE_SUSPENDED)
		return GATE_PLATFORM_LIMIT; /* as many as may be are under way */
	switch (place->cause) {
	case GATE_BROKE:
		return GATE_PLATFORM_DOWN;
	case GATE_REFUSED:
		return GATE_APP_LIMIT;
	case GATE_WORKED:
	case GATE_LIMITED:
	case GATE_UNUSED:
		break;
	}
	return GATE_PLATFORM_LIMIT;
}

static struct gate_closing closing_of(const struct place *place, int64_t boot_us)
{
	const bool is_suspended = place->state == GATE_SUSPENDED && boot_us < place->reopens_us;
	if (place_room(place, boot_us) > 0)
		return (struct gate_closing){GATE_OPEN, 0};
	return (struct gate_closing){reason_of(place), is_suspended ? place->reopens_us : 0};
}

struct gate_closing gate_closing_of(struct gate *gate, enum platform_id platform, struct str app_id,
				    int64_t boot_us)
{
	struct gate_closing closing = {0};
	pthread_mutex_lock(&gate->lock);
	const struct place *own = place_find(gate, platform, key_of(app_id));
	const struct place *whole = whole_of(gate, platform, own);
	if (whole != NULL)
		closing = closing_of(whole, boot_us);
	if (closing.reason == GATE_OPEN && own != NULL)
		closing = closing_of(own, boot_us);
	pthread_mutex_unlock(&gate->lock);
	return closing;
}

static struct gate_view view_of(const struct place *place)
{
	return (struct gate_view){place->state, place->limit, place->in_flight,
				  place->state == GATE_SUSPENDED ? place->reopens_us : 0};
}

struct gate_view gate_view_of(struct gate *gate, enum platform_id platform, struct str app_id)
{
	if (str_is_empty(app_id))
		return view_of(&gate->platforms[platform]);
	const struct place *own = place_find(gate, platform, key_of(app_id));
	return own != NULL ? view_of(own)
			   : (struct gate_view){.state = GATE_READY, .limit = gate->config.app_max};
}
