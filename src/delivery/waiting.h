/* SPDX-License-Identifier: Apache-2.0
 * What a platform post waits for while it is not final (api-decisions.md 7, "waiting"). Judged here
 * and nowhere else, from what is stored and what this node knows of the gates; no I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#include "store_post.h"

#include "fitter.h"
#include "gate.h"

struct arena;

enum waiting_reason {
	WAITING_NOTHING, /* it is final */
	WAITING_SCHEDULE,
	WAITING_ACCOUNT_BUSY,
	WAITING_PLATFORM_LIMIT,
	WAITING_APP_LIMIT,
	WAITING_PLATFORM_DOWN,
	WAITING_RETRY,
	WAITING_CHECKING,
	WAITING_HELD,
	WAITING_MEDIA,
	WAITING_REASON_COUNT
};

struct waiting {
	enum waiting_reason reason;
	struct str message; /* a sentence */
	int64_t until_us;   /* the next planned try or probe, always to come; 0 = none */
	int64_t ahead;      /* posts of the account that go first; -1 = it does not stand in line */
	bool is_under_way;  /* being worked on now */
};

struct waiting_facts {
	int64_t now_us;
	bool has_media;              /* the post */
	bool is_delivering;          /* this node; else it knows nothing of gates */
	struct gate_closing closing; /* of the delivery's app and platform */
	bool is_fitting;             /* a file of the delivery is, on this node */
	struct fitter_progress fitting;
	int64_t reopens_us; /* closing.reopens_boot_us as an instant; 0 = not known */
};

struct waiting waiting_of(struct arena *arena, const struct delivery_row *delivery,
			  const struct waiting_facts *facts);
/* "schedule", "account_busy", ...; "" for NOTHING. */
const char *waiting_reason_name(enum waiting_reason reason);
