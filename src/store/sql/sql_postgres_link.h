/* SPDX-License-Identifier: Apache-2.0
 * One connection to a PostgreSQL server: made, watched, lost and made again. Knows nothing of
 * statements or transactions; those are sql_postgres.c's. Nothing here waits without an end: every
 * answer has a deadline of our own beside the server's timeouts, because a network that drops
 * everything reports nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <libpq-fe.h>

#include "err.h"

#include "sql.h"

/* Milliseconds, set on the server. LOCK: for one's turn to write. IDLE: a node that was stopped in
 * the middle of a transaction must not hold up the others. */
#define PG_WRITE_TIMEOUT_MS 20000
#define PG_READ_TIMEOUT_MS 15000
#define PG_LOCK_TIMEOUT_MS 15000
#define PG_IDLE_TIMEOUT_MS 10000
/* How long we wait for an answer: longer than any of those. */
#define PG_ANSWER_MS (PG_WRITE_TIMEOUT_MS + 5000)
/* No answer for so long is no restart of the server but a hang. Shorter than a try to connect. */
#define PG_HUNG_MS 4000
/* A migration may rewrite a large table. */
#define PG_SCRIPT_MS (6 * 3600 * 1000)

struct pg_link {
	PGconn *pg; /* NULL = not connected */
	char *url;
	enum sql_role role;
	unsigned failures;          /* to connect, in a row */
	int64_t next_try_boot_ms;   /* not before */
	int64_t limited_boot_ms;    /* when sql_postgres_link_limit() was called */
	int64_t deadline_boot_ms;   /* nothing waits beyond; 0 = none */
	struct sql_history history; /* of what a writer was connected to last */
	bool is_lost;               /* something went wrong with the connection: drop it */
};

/* Nothing that is called from now on waits for longer than limit_ms in all; 0 = no such limit. */
void sql_postgres_link_limit(struct pg_link *link, int64_t limit_ms);
/* Has the link nothing to show for the seconds since sql_postgres_link_limit()? */
bool sql_postgres_link_is_hung(const struct pg_link *link);
/* Is that time over? */
bool sql_postgres_link_is_late(const struct pg_link *link);
/* By the clock that never jumps. */
int64_t pg_boot_ms(void);

/* Takes a copy of the config's URL; connects. INVALID: a URL, a server or a pooler that cannot be
 * used (reported without its password); TEMPORARY: not reached. pg_link_close() in any case. */
enum err_kind pg_link_open(struct pg_link *link, const struct sql_config *config,
			   struct error *err);
/* Frees all of the link. One that was never opened is fine. */
void pg_link_close(struct pg_link *link);
/* Lets go of the connection, not of the link. */
void pg_link_drop(struct pg_link *link);
/* A connection to work with: the one there is, unless the server has closed it, else a new one.
 * After failures to connect it waits before the next try, longer and longer up to a second, so that
 * a server that starts again is not overrun. *is_new_out: what was prepared on the old one is
 * gone. */
enum err_kind pg_link_ensure(struct pg_link *link, bool *is_new_out, struct error *err);
/* The next result, or NULL: the end of a statement's, or (is_lost) of the connection. Blocks up to
 * timeout_ms. */
PGresult *pg_link_result(struct pg_link *link, int64_t timeout_ms);
/* Statements separated by semicolons, outside of pipeline mode. */
enum err_kind pg_link_run(struct pg_link *link, const char *script, int64_t timeout_ms,
			  struct error *err);
/* Did the statement succeed? */
bool sql_postgres_result_is_good(const PGresult *result);
/* err gets the server's words without their DETAIL, which may contain values. */
enum err_kind pg_result_failed(const PGresult *result, const char *what, struct error *err);
/* TEMPORARY, with the first line of libpq's words for the connection. */
enum err_kind pg_link_failed(struct pg_link *link, const char *what, struct error *err);
/* Maps a SQLSTATE to an error kind. */
enum err_kind pg_kind_of_state(const char *state);
/* A reason of concurrency (deadlock, serialisation, a lock that was waited for too long): the same
 * transaction may work the next time. */
bool pg_state_is_race(const char *state);
/* The connection is going away, or is gone. */
bool pg_state_is_loss(const char *state);
