/* SPDX-License-Identifier: Apache-2.0
 * What the doctor asks of the database and nobody else: slow questions, none of them for the
 * engine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "platform_id.h"
#include "str.h"

struct arena;
struct store;

/* SQLite: looks through every page of the file (seconds for gigabytes). PostgreSQL: is what it
 * answers durable, by its settings? problem_out: empty, or what is wrong. Any failure to ask is an
 * error too. */
enum err_kind store_integrity_check(struct store *store, struct arena *arena,
				    struct str *problem_out, struct error *err);

/* How far the database is: the median of a few of the shortest questions. 0 where it is a file. */
enum err_kind store_round_trip(struct store *store, int64_t *us_out, struct error *err);

struct platform_use {
	bool is_used[PLATFORM_ID_MAX + 1];         /* it has a credential or an account */
	int64_t reauth_count[PLATFORM_ID_MAX + 1]; /* accounts to be connected again */
};
enum err_kind store_platform_use(struct store *store, struct platform_use *out, struct error *err);

struct webhooks_failing {
	int64_t webhooks;  /* that have failed since their last success, and are still tried */
	int64_t waiting;   /* their deliveries */
	int64_t oldest_us; /* when the oldest of these was made; 0 = none waits */
	int64_t disabled;  /* by us, after five days or a 410 */
};
enum err_kind store_webhooks_failing(struct store *store, struct webhooks_failing *out,
				     struct error *err);
