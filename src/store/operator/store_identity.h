/* SPDX-License-Identifier: Apache-2.0
 * What a database is, and what every start must agree with: which master key sealed its secrets,
 * whether its accounts are real or of a sandbox, and whether it holds anything yet. Nothing of it
 * is secret. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct store;

/* ---- the master key ---- */

#define STORE_KEYS_MAX 9

/* The keys that a node has, and how records of each begin (seal_record_head()): the master key's
 * first, then those of the old keys. */
struct store_keys {
	struct str heads[STORE_KEYS_MAX];
	int64_t numbers[STORE_KEYS_MAX]; /* seal_key_number_of_record() */
	size_t count;                    /* at least 1 */
};

/* Finds a sealed record that none of these keys opens: its first bytes, as many as a head has (5).
 * Empty: there is none. Reads every credential, account and webhook. What lives for minutes
 * (connections) is not looked at. */
enum err_kind store_key_find_other(struct store *store, struct arena *arena,
				   const struct store_keys *keys, struct str *head_out,
				   struct error *err);
/* Makes the number of the master key the database's, unless another node works on it under a key
 * that is none of these. known_out: the number that the database has now. Call it when
 * store_key_find_other() has found none. */
enum err_kind store_key_agree(struct store *store, const struct store_keys *keys,
			      int64_t *known_out, struct error *err);

/* ---- live or sandbox ---- */

/* The numbers are stored. */
enum store_mode { STORE_MODE_NONE, STORE_MODE_LIVE, STORE_MODE_SANDBOX };

/* "live", "sandbox"; "" for NONE. */
const char *store_mode_name(enum store_mode mode);
/* NONE: no service has run on this database since it has the word. */
enum err_kind store_mode_read(struct store *store, enum store_mode *mode_out, struct error *err);

enum mode_finding {
	MODE_AGREED,
	/* as was asked: what was unfinished is held, every account must be connected again */
	MODE_CHANGED,
	MODE_OTHER,   /* the database belongs to the other mode */
	MODE_UNKNOWN, /* an older version left accounts and no word */
	MODE_IN_USE   /* a change was asked for while other nodes work on the database */
};

struct mode_start {
	enum store_mode wish; /* what this start is */
	bool is_told;         /* the operator says that the accounts are of this mode */
	bool may_change;      /* the operator wants it changed if it is the other */
	int64_t now_us;
	enum mode_finding finding; /* out */
	int64_t held_count; /* out, CHANGED: unfinished deliveries that wait for the operator */
};
/* Once, before anything is delivered. Writes the word where there is none. On CHANGED the tokens of
 * all accounts are erased: those of one world are never sent to the other. */
enum err_kind store_mode_start(struct store *store, struct mode_start *start, struct error *err);

/* ---- anything at all ---- */

/* Neither app nor admin, and no epoch: nobody has worked with this database. */
enum err_kind store_is_new(struct store *store, bool *is_new_out, struct error *err);
