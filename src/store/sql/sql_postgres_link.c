/* SPDX-License-Identifier: Apache-2.0
 * See sql_postgres_link.h. */
#include "sql_postgres_link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count_of.h"
#include "str.h"

#define BACKOFF_FIRST_MS 100
#define BACKOFF_MAX_MS 1000
#define SETUP_MS 10000
#define STATE_LENGTH 5

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
	const int64_t until_ms = pg_boot_ms() + timeout_ms;
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
	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
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
	const char *const values[] = {"5",          "10",   "5",        "3",       "20000",
				      "read-write", "UTF8", "posthorn", link->url, NULL};
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
	link->lineage = 0;
	if (PQsendQuery(link->pg, question) != 1)
		return pg_link_failed(link, "set-up", err);
	while ((result = pg_link_result(link, SETUP_MS)) != NULL) {
		link->lineage = lineage_of(result);
		PQclear(result);
	}
	return link->is_lost ? pg_link_failed(link, "set-up", err) : ERR_NONE;
}

static enum err_kind set_up(struct pg_link *link, struct error *err)
{
	static const char writing[] =
		"SET statement_timeout = 20000; SET lock_timeout = 15000;"
		" SET idle_in_transaction_session_timeout = 10000; SET jit = off;"
		" SET client_min_messages = error; SET default_transaction_isolation = 'read "
		"committed'";
	static const char reading[] =
		"SET statement_timeout = 15000; SET idle_in_transaction_session_timeout = 30000;"
		" SET jit = off; SET client_min_messages = error;"
		" SET default_transaction_read_only = on";
	const char *encoding = PQparameterStatus(link->pg, "server_encoding");
	if (encoding == NULL || strcmp(encoding, "UTF8") != 0)
		return error_set(err, ERR_INVALID, "the database must have the encoding UTF8");
	if (PQsetnonblocking(link->pg, 1) != 0)
		return pg_link_failed(link, "set-up", err);
	enum err_kind kind =
		pg_link_run(link, link->role == SQL_ROLE_READER ? reading : writing, SETUP_MS, err);
	if (kind == ERR_NONE && link->role != SQL_ROLE_READER)
		kind = read_lineage(link, err);
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
	wait_until(link->next_try_boot_ms);
	pg_link_drop(link);
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
	return connect_anew(link, err);
}
