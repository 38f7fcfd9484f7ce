/* SPDX-License-Identifier: Apache-2.0
 * See sql_postgres_link.h. */
#include "sql_postgres_link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count_of.h"
#include "str.h"

#define BACKOFF_FIRST_MS 100
#define BACKOFF_MAX_MS 1000
#define SETUP_MS 10000
#define CONNECT_S 5
#define CONNECT_LEAST_S 2 /* libpq takes less for this */
/* Who shares its sessions among clients (a pooler) hands the one given back last out first. */
#define POOLER_MS 2000
#define POOLER_ROUNDS 4
#define STATE_LENGTH 5

#define POOLER_REFUSED \
	"a connection pooler in front of the database shares its sessions: let PgBouncer (or its " \
	"like) use pool_mode = session for this database, or connect to PostgreSQL itself"

/* Said by libpq for what it finds itself, and by us. */
static const char no_state[] = "08006";

/* Beginnings of SQLSTATE, most special first (PostgreSQL 15, appendix A). */
static const struct {
	const char *prefix;
	enum err_kind kind;
} state_kinds[] = {
	{"23505", ERR_CONFLICT},  /* unique_violation */
	{"23503", ERR_NOT_FOUND}, /* foreign_key_violation */
	{"22021", ERR_INVALID},   /* not UTF-8, or a NUL: no text of a database */
	{"22P05", ERR_INVALID},   /* the same, escaped in JSON */
	{"25006", ERR_TEMPORARY}, /* read-only: it has become a replica */
	{"25P03", ERR_TEMPORARY}, /* idle in the transaction for too long */
	{"3D000", ERR_INVALID},   /* no such database */
	{"55P03", ERR_TEMPORARY}, /* lock_not_available */
	{"55006", ERR_TEMPORARY}, /* object_in_use */
	{"57", ERR_TEMPORARY},    /* operator intervention: cancelled, shut down, starting up */
	{"40", ERR_TEMPORARY},    /* rolled back: serialisation, deadlock */
	{"53", ERR_TEMPORARY},    /* resources: disk full, memory, too many connections */
	{"54", ERR_TOO_LARGE},    /* a limit of the program */
	{"58", ERR_TEMPORARY},    /* the system under the server: I/O */
	{"08", ERR_TEMPORARY},    /* the connection */
	{"28", ERR_INVALID},      /* who we are was not accepted */
};

static bool has_prefix(const char *state, const char *prefix)
{
	return state != NULL && strncmp(state, prefix, strlen(prefix)) == 0;
}

enum err_kind pg_kind_of_state(const char *state)
{
	for (size_t i = 0; i < COUNT_OF(state_kinds); i++) {
		if (has_prefix(state, state_kinds[i].prefix))
			return state_kinds[i].kind;
	}
	return ERR_INTERNAL;
}

bool pg_state_is_race(const char *state)
{
	return has_prefix(state, "40") || has_prefix(state, "55P03");
}

bool pg_state_is_loss(const char *state)
{
	return has_prefix(state, "08") || has_prefix(state, "57P") || has_prefix(state, "25P03") ||
	       has_prefix(state, "25006");
}

int64_t pg_boot_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int number_of_state(const char *state)
{
	return state != NULL && strlen(state) == STATE_LENGTH ? (int)strtol(state, NULL, 36) : 0;
}

enum err_kind pg_result_failed(const PGresult *result, const char *what, struct error *err)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	if (state == NULL)
		state = no_state;
	if (has_prefix(state, "42P05") || has_prefix(state, "26000"))
		return error_set(err, ERR_INVALID, POOLER_REFUSED);
	return error_set_native(err, pg_kind_of_state(state), number_of_state(state),
				"database: %s: %.5s %.160s", what, state,
				text != NULL ? text : "the connection was lost");
}

/* libpq's words for a connection name hosts and users, no passwords; the first line is enough. */
static int first_line_length(const char *text)
{
	return (int)strcspn(text, "\n");
}

enum err_kind pg_link_failed(struct pg_link *link, const char *what, struct error *err)
{
	const char *text = link->pg != NULL ? PQerrorMessage(link->pg) : "";
	const int length = first_line_length(text);
	if (length == 0)
		return error_set(err, ERR_TEMPORARY, "database: %s: no answer", what);
	return error_set(err, ERR_TEMPORARY, "database: %s: %.*s", what,
			 length < 180 ? length : 180, text);
}

void pg_link_drop(struct pg_link *link)
{
	if (link->pg != NULL)
		PQfinish(link->pg);
	link->pg = NULL;
	link->is_lost = false;
}

void pg_link_close(struct pg_link *link)
{
	pg_link_drop(link);
	free(link->url);
	link->url = NULL;
}

/* ---- waiting ---- */

void sql_postgres_link_limit(struct pg_link *link, int64_t limit_ms)
{
	link->limited_boot_ms = pg_boot_ms();
	link->deadline_boot_ms = limit_ms > 0 ? link->limited_boot_ms + limit_ms : 0;
}

bool sql_postgres_link_is_hung(const struct pg_link *link)
{
	return link->pg == NULL && (sql_postgres_link_is_late(link) ||
				    pg_boot_ms() - link->limited_boot_ms >= PG_HUNG_MS);
}

bool sql_postgres_link_is_late(const struct pg_link *link)
{
	return link->deadline_boot_ms != 0 && pg_boot_ms() >= link->deadline_boot_ms;
}

static int64_t limited(const struct pg_link *link, int64_t until_ms)
{
	return link->deadline_boot_ms != 0 && link->deadline_boot_ms < until_ms
		       ? link->deadline_boot_ms
		       : until_ms;
}

/* False: the time is over, or the connection is. */
static bool wait_once(struct pg_link *link, int64_t until_ms)
{
	const int unsent = PQflush(link->pg);
	const int64_t left_ms = until_ms - pg_boot_ms();
	if (unsent < 0 || left_ms <= 0)
		return false;
	struct pollfd fd = {.fd = PQsocket(link->pg),
			    .events = (short)(unsent > 0 ? POLLIN | POLLOUT : POLLIN)};
	const int count = poll(&fd, 1, (int)left_ms);
	if (count < 0)
		return errno == EINTR;
	return (fd.revents & ~POLLOUT) == 0 || PQconsumeInput(link->pg) == 1;
}

PGresult *pg_link_result(struct pg_link *link, int64_t timeout_ms)
{
	const int64_t until_ms = limited(link, pg_boot_ms() + timeout_ms);
	if (PQflush(link->pg) < 0)
		link->is_lost = true;
	while (!link->is_lost && PQisBusy(link->pg)) {
		if (!wait_once(link, until_ms))
			link->is_lost = true;
	}
	if (link->is_lost)
		return NULL;
	PGresult *result = PQgetResult(link->pg);
	if (PQstatus(link->pg) != CONNECTION_OK)
		link->is_lost = true;
	return result;
}

bool sql_postgres_result_is_good(const PGresult *result)
{
	const ExecStatusType status = PQresultStatus(result);
	/* EMPTY_QUERY: a migration that is for SQLite alone */
	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK ||
	       status == PGRES_EMPTY_QUERY;
}

enum err_kind pg_link_run(struct pg_link *link, const char *script, int64_t timeout_ms,
			  struct error *err)
{
	enum err_kind kind = ERR_NONE;
	PGresult *result;
	if (PQsendQuery(link->pg, script) != 1) {
		link->is_lost = true;
		return pg_link_failed(link, "script", err);
	}
	while ((result = pg_link_result(link, timeout_ms)) != NULL) {
		if (!sql_postgres_result_is_good(result) && kind == ERR_NONE)
			kind = pg_result_failed(result, "script", err);
		PQclear(result);
	}
	if (link->is_lost && kind == ERR_NONE)
		kind = pg_link_failed(link, "script", err);
	return kind;
}

/* ---- connecting ---- */

/* A dead peer is noticed within seconds, and only a server that takes writes is ours: a replica
 * never decides anything. The URL's own settings of these take precedence. */
static PGconn *begin_connection(const struct pg_link *link)
{
	static const char *const names[] = {"connect_timeout",
					    "keepalives_idle",
					    "keepalives_interval",
					    "keepalives_count",
					    "tcp_user_timeout",
					    "target_session_attrs",
					    "client_encoding",
					    "fallback_application_name",
					    "dbname",
					    NULL};
	char connect_s[16];
	const char *const values[] = {connect_s,    "10",   "5",        "3",       "20000",
				      "read-write", "UTF8", "posthorn", link->url, NULL};
	const int64_t now_ms = pg_boot_ms();
	const int64_t left_ms = limited(link, now_ms + CONNECT_S * 1000) - now_ms;
	snprintf(connect_s, sizeof(connect_s), "%d",
		 left_ms > CONNECT_LEAST_S * 1000 ? (int)(left_ms / 1000) : CONNECT_LEAST_S);
	return PQconnectdbParams(names, values, 1);
}

/* A cluster has an identifier, and each promotion or recovery begins a new timeline in it. */
static int64_t lineage_of(const PGresult *result)
{
	if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
		return 0;
	const uint64_t timeline = strtoull(PQgetvalue(result, 0, 0), NULL, 16);
	const uint64_t cluster = strtoull(PQgetvalue(result, 0, 1), NULL, 10);
	return (int64_t)((cluster ^ timeline * UINT64_C(0x9e3779b97f4a7c15)) & INT64_MAX);
}

/* Some that speak PostgreSQL's language have no such functions. */
static enum err_kind read_lineage(struct pg_link *link, struct error *err)
{
	static const char question[] =
		"SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), system_identifier"
		" FROM pg_control_system()";
	PGresult *result;
	link->history.server = 0;
	if (PQsendQuery(link->pg, question) != 1)
		return pg_link_failed(link, "set-up", err);
	while ((result = pg_link_result(link, SETUP_MS)) != NULL) {
		link->history.server = lineage_of(result);
		PQclear(result);
	}
	return link->is_lost ? pg_link_failed(link, "set-up", err) : ERR_NONE;
}

/* Numbers of one row; all 0 where the question is not understood. */
static enum err_kind ask_numbers(struct pg_link *link, const char *question, int64_t timeout_ms,
				 int64_t *numbers, int count, struct error *err)
{
	PGresult *result;
	memset(numbers, 0, (size_t)count * sizeof(*numbers));
	if (PQsendQuery(link->pg, question) != 1)
		return pg_link_failed(link, "set-up", err);
	while ((result = pg_link_result(link, timeout_ms)) != NULL) {
		const bool is_row = PQresultStatus(result) == PGRES_TUPLES_OK &&
				    PQntuples(result) == 1 && PQnfields(result) == count;
		for (int i = 0; is_row && i < count; i++)
			numbers[i] = strtoll(PQgetvalue(result, 0, i), NULL, 10);
		PQclear(result);
	}
	return link->is_lost ? pg_link_failed(link, "set-up", err) : ERR_NONE;
}

/* Numbers that the server gives to a database and to a table when they are made, and that no dump
 * carries over. */
static enum err_kind read_identity(struct pg_link *link, struct error *err)
{
	static const char question[] = "SELECT (SELECT oid FROM pg_database"
				       " WHERE datname = current_database())::bigint,"
				       " COALESCE(to_regclass('deliveries')::oid::bigint, 0)";
	int64_t oids[2];
	const enum err_kind kind = ask_numbers(link, question, SETUP_MS, oids, COUNT_OF(oids), err);
	if (kind != ERR_NONE)
		return kind;
	if (oids[1] == 0 && link->history.database != 0)
		return error_set(err, ERR_TEMPORARY,
				 "the database has lost its tables: is it being restored?");
	link->history.database = oids[1] != 0 ? oids[0] << 32 | oids[1] : 0;
	return ERR_NONE;
}

/* Do two connections get one session? */
static bool is_session_shared(struct pg_link *link, struct pg_link *other, int64_t pid)
{
	static const char question[] = "SELECT pg_backend_pid()";
	int64_t other_pid = 0;
	int64_t pid_again = pid;
	for (int i = 0; i < POOLER_ROUNDS && other_pid != pid && pid_again == pid; i++) {
		if (ask_numbers(other, question, POOLER_MS, &other_pid, 1, NULL) != ERR_NONE ||
		    ask_numbers(link, question, SETUP_MS, &pid_again, 1, NULL) != ERR_NONE)
			return false; /* one that waits for a session of its own */
	}
	return other_pid == pid || pid_again != pid;
}

/* What a session is set to, the statements prepared in it and the order of its answers must be ours
 * alone. Behind a pooler the process that answers is not the one that the connection was told
 * of. */
static enum err_kind refuse_shared_session(struct pg_link *link, struct error *err)
{
	int64_t pid = 0;
	enum err_kind kind = ask_numbers(link, "SELECT pg_backend_pid()", SETUP_MS, &pid, 1, err);
	if (kind != ERR_NONE || pid == 0 || pid == PQbackendPID(link->pg))
		return kind;
	struct pg_link other = {.url = link->url, .deadline_boot_ms = link->deadline_boot_ms};
	other.pg = begin_connection(&other);
	const bool is_shared =
		PQstatus(other.pg) == CONNECTION_OK && is_session_shared(link, &other, pid);
	pg_link_drop(&other);
	if (link->is_lost)
		return pg_link_failed(link, "set-up", err);
	return is_shared ? error_set(err, ERR_INVALID, POOLER_REFUSED) : ERR_NONE;
}

/* Above what the role or the database has: an answer that was given must be on the disk. What waits
 * for replicas (remote_write, remote_apply) is stronger, and stays. */
static enum err_kind set_up_writer(struct pg_link *link, struct error *err)
{
	enum err_kind kind = refuse_shared_session(link, err);
	if (kind == ERR_NONE)
		kind = pg_link_run(link,
				   "SELECT set_config('synchronous_commit', 'on', false)"
				   " WHERE current_setting('synchronous_commit')"
				   " IN ('off', 'local')",
				   SETUP_MS, err);
	if (kind == ERR_NONE)
		kind = read_lineage(link, err);
	return kind == ERR_NONE ? read_identity(link, err) : kind;
}

/* Plans are kept, and until a table that grows fast is analysed the planner takes it for small:
 * what an index answers is never read row by row. Nor is a whole table read to be joined to the few
 * rows of a turn (sql_postgres_many.h). */
static enum err_kind set_up(struct pg_link *link, struct error *err)
{
	static const char writing[] =
		"SET statement_timeout = 20000; SET lock_timeout = 15000;"
		" SET idle_in_transaction_session_timeout = 10000; SET jit = off;"
		" SET client_min_messages = error; SET enable_seqscan = off;"
		" SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;"
		" SET default_transaction_isolation = 'read committed'";
	static const char reading[] =
		"SET statement_timeout = 15000; SET idle_in_transaction_session_timeout = 30000;"
		" SET jit = off; SET client_min_messages = error; SET enable_seqscan = off;"
		" SET default_transaction_read_only = on";
	const char *encoding = PQparameterStatus(link->pg, "server_encoding");
	if (encoding == NULL || strcmp(encoding, "UTF8") != 0)
		return error_set(err, ERR_INVALID, "the database must have the encoding UTF8");
	if (PQsetnonblocking(link->pg, 1) != 0)
		return pg_link_failed(link, "set-up", err);
	enum err_kind kind =
		pg_link_run(link, link->role == SQL_ROLE_READER ? reading : writing, SETUP_MS, err);
	if (kind == ERR_NONE && link->role != SQL_ROLE_READER)
		kind = set_up_writer(link, err);
	if (kind != ERR_NONE)
		return kind;
	return PQenterPipelineMode(link->pg) == 1 ? ERR_NONE : pg_link_failed(link, "set-up", err);
}

/* A refused password or a database that is not there says so without a SQLSTATE (libpq 15). */
static enum err_kind refused(struct pg_link *link, struct error *err)
{
	static const char *const words[] = {"authentication failed", "does not exist",
					    "no pg_hba.conf entry",  "invalid connection option",
					    "no password supplied",  "missing \"=\"",
					    "invalid port number",   "invalid URI"};
	const enum err_kind kind = pg_link_failed(link, "connect", err);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strstr(PQerrorMessage(link->pg), words[i]) != NULL) {
			if (err != NULL)
				err->kind = ERR_INVALID;
			return ERR_INVALID;
		}
	}
	return kind;
}

static enum err_kind connect_once(struct pg_link *link, struct error *err)
{
	link->pg = begin_connection(link);
	if (link->pg == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for a database connection");
	if (PQstatus(link->pg) != CONNECTION_OK)
		return refused(link, err);
	return set_up(link, err);
}

static int64_t backoff_ms(unsigned failures)
{
	const unsigned doublings = failures < 6 ? failures : 6;
	const int64_t wait_ms = (int64_t)BACKOFF_FIRST_MS << doublings;
	return wait_ms < BACKOFF_MAX_MS ? wait_ms : BACKOFF_MAX_MS;
}

static void wait_until(int64_t boot_ms)
{
	const int64_t left_ms = boot_ms - pg_boot_ms();
	const struct timespec pause = {.tv_sec = (time_t)(left_ms / 1000),
				       .tv_nsec = (long)(left_ms % 1000) * 1000000L};
	if (left_ms > 0)
		nanosleep(&pause, NULL);
}

static enum err_kind connect_anew(struct pg_link *link, struct error *err)
{
	pg_link_drop(link);
	wait_until(limited(link, link->next_try_boot_ms));
	if (sql_postgres_link_is_late(link))
		return error_set(err, ERR_TEMPORARY, "database: no answer in time");
	const enum err_kind kind = connect_once(link, err);
	if (kind == ERR_NONE) {
		link->failures = 0;
		link->next_try_boot_ms = 0;
		return ERR_NONE;
	}
	pg_link_drop(link);
	link->next_try_boot_ms = pg_boot_ms() + backoff_ms(link->failures++);
	return kind;
}

/* An idle connection has nothing to say unless its server is going. */
static bool was_closed(struct pg_link *link)
{
	struct pollfd fd = {.fd = PQsocket(link->pg), .events = POLLIN};
	if (PQstatus(link->pg) != CONNECTION_OK)
		return true;
	if (poll(&fd, 1, 0) <= 0)
		return false;
	return PQconsumeInput(link->pg) != 1 || PQstatus(link->pg) != CONNECTION_OK ||
	       (fd.revents & (POLLHUP | POLLERR)) != 0;
}

enum err_kind pg_link_ensure(struct pg_link *link, bool *is_new_out, struct error *err)
{
	*is_new_out = false;
	if (link->pg != NULL && !link->is_lost && !was_closed(link))
		return ERR_NONE;
	*is_new_out = true;
	return connect_anew(link, err);
}

enum err_kind pg_link_open(struct pg_link *link, const struct sql_config *config, struct error *err)
{
	*link = (struct pg_link){.role = config->role, .url = strdup(config->path)};
	if (link->url == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for a database connection");
	sql_postgres_link_limit(link, config->limit_ms);
	return connect_anew(link, err);
}
