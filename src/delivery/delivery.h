/* SPDX-License-Identifier: Apache-2.0
 * Posts on the engine: claims due deliveries, takes each through its platform's publish flow,
 * refreshes tokens, retries, resolves publish calls whose outcome is unknown by asking the
 * platform, and ends every delivery published or failed with a reason. The promise it keeps
 * (rules.md 2.1): at most one automatic publish per post, account and part. The folder's files and
 * their floors: delivery_private.h. All of it runs on the engine's thread. */
#pragma once

#include <stdint.h>

#include "err.h"
#include "str.h"

#include "platform.h"

#include "fitter.h"
#include "gate.h"

struct clock;
struct deliverer;
struct delivery_work;
struct engine;
struct histogram;
struct hosted;
struct log;
struct random_source;
struct seal;
struct spool;
struct store;

struct deliverer_config {
	struct store *store;
	struct seal *seal;
	struct spool *spool;
	/* re-encodes pictures for a platform; run NULL = they go as they are */
	struct fitter_worker fit;
	enum film_mode film_mode; /* what may be done with films */
	int64_t film_seconds_max; /* of work on one; 0 = FILM_SECONDS_MAX */
	/* gives files an address that platforms can fetch; NULL = none */
	const struct media_files *media_files; /* uploaded files; NULL = there are none */
	const struct hosted *hosted;
	struct engine *engine;
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
	const struct platform_settings *settings;
	/* Called before a delivery is stepped, and with NULL after it, so that a crash in between
	 * can be traced to the delivery. Engine's thread. NULL = none. */
	void (*stepping)(void *context, const struct delivery_work *work);
	void *stepping_context;
	/* Asked before each claim: false while the disk has no room for the outcome of calls, and
	 * once key_is_other was told. Nothing is claimed then. Engine's thread. NULL = always. */
	bool (*has_disk_room)(void *context);
	void *disk_context;
	/* Told of a delivery that another master key sealed: it was given back as it stands, and
	 * the next claim should give nothing (has_disk_room). why: one sentence. Engine's thread,
	 * after the commit: may write to the store. NULL = nobody. */
	void (*key_is_other)(void *context, struct str why);
	void *key_context;
	bool is_idle;       /* this node leaves deliveries to others: it never claims */
	int64_t time_scale; /* 0 = 1; every wait is divided by it (sandbox mode only) */
};

/* Makes a deliverer and registers it with the engine; call before the engine's first turn. The
 * caller frees it with deliverer_free(), after the engine. Forgets old alarms and sweeps the spool:
 * blocks on store and disk. The configuration's parts must outlive it. INTERNAL: no memory. */
enum err_kind deliverer_new(const struct deliverer_config *config, struct deliverer **deliverer_out,
			    struct error *err);
/* Sets *deliverer to NULL; NULL inside is allowed. */
void deliverer_free(struct deliverer **deliverer);
/* Returns how many deliveries are at work now. Any thread. */
int64_t deliverer_in_flight(const struct deliverer *deliverer);
/* How long after their time posts became visible on that platform (HISTOGRAM_LATENESS). As long as
 * the deliverer. Any thread. */
const struct histogram *deliverer_lateness(const struct deliverer *deliverer,
					   enum platform_id platform);
bool deliverer_is_idle(const struct deliverer *deliverer);
/* Returns how long ago a claim last took all that was due and had room: what is due and has room
 * now has waited no longer than that. Any thread. */
int64_t deliverer_behind_us(const struct deliverer *deliverer);
/* Why no delivery of an app may begin on a platform now; OPEN on a node that delivers nothing. Any
 * thread. */
struct gate_closing deliverer_closing_of(const struct deliverer *deliverer,
					 enum platform_id platform, struct str app_id);
/* How far the film of a delivery is that is being made fit here. Any thread. False: none is. */
bool deliverer_fitting_of(const struct deliverer *deliverer, struct str delivery_id,
			  struct fitter_progress *out);
/* Says that there may be new work: the next turn claims. Any thread. */
void deliverer_wake(struct deliverer *deliverer);
/* The same of work that is due at that instant, 0 = now; does nothing when that is far away. */
void deliverer_wake_for(struct deliverer *deliverer, int64_t due_us);
/* The same for removals (store_removal.h). */
void deliverer_wake_removals(struct deliverer *deliverer);
