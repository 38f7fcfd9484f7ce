/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_postgres_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "count_of.h"

static void states_have_their_kinds(void **state)
{
	(void)state;
	static const struct {
		const char *state;
		enum err_kind kind;
		bool is_race;
		bool is_loss;
	} rows[] = {
		{"23505", ERR_CONFLICT, false, false},  {"23503", ERR_NOT_FOUND, false, false},
		{"22021", ERR_INVALID, false, false},   {"25006", ERR_TEMPORARY, false, true},
		{"25P02", ERR_INTERNAL, false, false},  {"25P03", ERR_TEMPORARY, false, true},
		{"40001", ERR_TEMPORARY, true, false},  {"40P01", ERR_TEMPORARY, true, false},
		{"55P03", ERR_TEMPORARY, true, false},  {"53100", ERR_TEMPORARY, false, false},
		{"57014", ERR_TEMPORARY, false, false}, {"57P01", ERR_TEMPORARY, false, true},
		{"57P03", ERR_TEMPORARY, false, true},  {"54000", ERR_TOO_LARGE, false, false},
		{"08006", ERR_TEMPORARY, false, true},  {"28P01", ERR_INVALID, false, false},
		{"3D000", ERR_INVALID, false, false},   {"42P01", ERR_INTERNAL, false, false},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(pg_kind_of_state(rows[i].state), rows[i].kind);
		assert_int_equal(pg_state_is_race(rows[i].state), rows[i].is_race);
		assert_int_equal(pg_state_is_loss(rows[i].state), rows[i].is_loss);
	}
}

static enum err_kind open_at(const char *url, struct error *err)
{
	struct pg_link link;
	const struct sql_config config = {.path = url, .role = SQL_ROLE_OWNER};
	const enum err_kind kind = pg_link_open(&link, &config, err);
	assert_null(link.pg);
	pg_link_close(&link);
	return kind;
}

static void who_cannot_be_reached_is_told_without_a_password(void **state)
{
	(void)state;
	struct error err = {0};
	assert_int_equal(open_at("postgres://u:hush@127.0.0.1:1/d", &err), ERR_TEMPORARY);
	assert_non_null(strstr(err.text, "127.0.0.1"));
	assert_null(strstr(err.text, "hush"));
	assert_int_equal(open_at("postgres://u:hush@127.0.0.1:1/d?nonsense=1", &err), ERR_INVALID);
	assert_null(strstr(err.text, "hush"));
}

/* The first failure costs nothing; the next try waits for its turn. */
static void tries_are_apart(void **state)
{
	(void)state;
	struct pg_link link;
	struct error err = {0};
	bool is_new = false;
	const struct sql_config config = {.path = "postgres://127.0.0.1:1/d",
					  .role = SQL_ROLE_READER};
	assert_int_equal(pg_link_open(&link, &config, &err), ERR_TEMPORARY);
	for (unsigned i = 1; i < 4; i++) {
		const int64_t not_before_ms = link.next_try_boot_ms;
		assert_int_equal(link.failures, i);
		assert_int_equal(pg_link_ensure(&link, &is_new, &err), ERR_TEMPORARY);
		assert_true(is_new && pg_boot_ms() >= not_before_ms);
	}
	pg_link_close(&link);
}

/* ---- what a pooler makes of us ---- */

/* A server that lets one client in and refuses its one statement with this SQLSTATE. */
struct refusing {
	int listening;
	const char *sqlstate;
	pthread_t thread;
};

static void *refuse(void *argument)
{
	static const char welcome[] = "R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
	const struct refusing *refusing = argument;
	char bytes[1024];
	char fields[128];
	const int client = accept(refusing->listening, NULL, NULL);
	const int length = snprintf(fields, sizeof(fields), "SERROR%cC%s%cMno such statement%c", 0,
				    refusing->sqlstate, 0, 0) +
			   1; /* the NUL that ends the fields */
	const char head[] = {'E', 0, 0, 0, (char)(length + 4)};
	assert_true(read(client, bytes, sizeof(bytes)) > 0);
	assert_true(write(client, welcome, sizeof(welcome) - 1) > 0);
	assert_true(read(client, bytes, sizeof(bytes)) > 0);
	assert_true(write(client, head, sizeof(head)) > 0);
	assert_true(write(client, fields, (size_t)length) > 0);
	assert_true(write(client, welcome + 9, 6) == 6);
	while (read(client, bytes, sizeof(bytes)) > 0)
		;
	close(client);
	return NULL;
}

static enum err_kind refused_with(const char *sqlstate, struct error *err)
{
	struct refusing refusing = {.listening = socket(AF_INET, SOCK_STREAM, 0),
				    .sqlstate = sqlstate};
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	char url[128];
	assert_int_equal(bind(refusing.listening, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(refusing.listening, 1), 0);
	assert_int_equal(getsockname(refusing.listening, (struct sockaddr *)&address, &size), 0);
	assert_int_equal(pthread_create(&refusing.thread, NULL, refuse, &refusing), 0);
	snprintf(url, sizeof(url), "postgres://u@127.0.0.1:%d/d?sslmode=disable&gssencmode=disable",
		 ntohs(address.sin_port));
	PGconn *connection = PQconnectdb(url);
	PGresult *result = PQexec(connection, "EXECUTE p1");
	const enum err_kind kind = pg_result_failed(result, "claim", err);
	PQclear(result);
	PQfinish(connection);
	pthread_join(refusing.thread, NULL);
	close(refusing.listening);
	return kind;
}

/* A statement that was prepared in another session: only who shares sessions does that. */
static void a_pooler_that_shares_sessions_is_named(void **state)
{
	(void)state;
	static const char *const shared[] = {"26000", "42P05"};
	struct error err = {0};
	for (size_t i = 0; i < COUNT_OF(shared); i++) {
		assert_int_equal(refused_with(shared[i], &err), ERR_INVALID);
		assert_non_null(strstr(err.text, "connection pooler"));
		assert_non_null(strstr(err.text, "PgBouncer"));
		assert_non_null(strstr(err.text, "pool_mode = session"));
	}
	assert_int_equal(refused_with("42P01", &err), ERR_INTERNAL);
	assert_null(strstr(err.text, "PgBouncer"));
	assert_non_null(strstr(err.text, "claim: 42P01 no such statement"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_have_their_kinds),
		cmocka_unit_test(who_cannot_be_reached_is_told_without_a_password),
		cmocka_unit_test(tries_are_apart),
		cmocka_unit_test(a_pooler_that_shares_sessions_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
