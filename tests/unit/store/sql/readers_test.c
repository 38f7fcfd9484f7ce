/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
	char path[64];
	struct sql_connection *writer;
};

static void place_open(struct place *place)
{
	struct error err = {0};
	snprintf(place->path, sizeof(place->path), "/tmp/readers-test-%d.db", (int)getpid());
	unlink(place->path);
	const struct sql_config config = {
		.path = place->path, .role = SQL_ROLE_OWNER, .cache_bytes = 1 << 20};
	assert_int_equal(sql_driver_sqlite.open(&config, &place->writer, &err), ERR_NONE);
}

static void place_close(struct place *place)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	sql_driver_sqlite.close(&place->writer);
	for (size_t i = 0; i < 3; i++) {
		char path[80];
		snprintf(path, sizeof(path), "%s%s", place->path, ends[i]);
		unlink(path);
	}
}

static struct readers *make_readers(const struct place *place, unsigned max)
{
	const struct sql_config config = {
		.path = place->path, .role = SQL_ROLE_READER, .cache_bytes = 1 << 20};
	return readers_new(&config, max);
}

static void the_warm_one_is_lent_first(void **state)
{
	(void)state;
	struct error err = {0};
	struct place place;
	struct sql_connection *a = NULL;
	struct sql_connection *b = NULL;
	place_open(&place);
	struct readers *readers = make_readers(&place, 4);
	assert_int_equal(readers_take(readers, &a, &err), ERR_NONE);
	assert_int_equal(readers_take(readers, &b, &err), ERR_NONE);
	assert_ptr_not_equal(a, b);
	const struct sql_connection *last = b;
	readers_give_back(readers, &a);
	assert_null(a);
	readers_give_back(readers, &b);
	assert_int_equal(readers_take(readers, &a, &err), ERR_NONE);
	assert_ptr_equal(a, last);
	readers_give_back(readers, &a);
	readers_free(&readers);
	readers_free(&readers);
	place_close(&place);
}

struct crowd {
	struct readers *readers;
	atomic_int lent;
	atomic_int most;
	atomic_int failures;
};

static void *take_and_give(void *argument)
{
	struct crowd *crowd = argument;
	struct error err = {0};
	for (int i = 0; i < 200; i++) {
		struct sql_connection *sql = NULL;
		if (readers_take(crowd->readers, &sql, &err) != ERR_NONE) {
			crowd->failures++;
			continue;
		}
		const int lent = ++crowd->lent;
		int most = crowd->most;
		while (lent > most && !atomic_compare_exchange_weak(&crowd->most, &most, lent))
			;
		crowd->lent--;
		readers_give_back(crowd->readers, &sql);
	}
	return NULL;
}

static void a_crowd_shares_what_there_is(void **state)
{
	(void)state;
	struct place place;
	pthread_t threads[16];
	place_open(&place);
	struct crowd crowd = {.readers = make_readers(&place, 3)};
	for (size_t i = 0; i < 16; i++)
		pthread_create(&threads[i], NULL, take_and_give, &crowd);
	for (size_t i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(crowd.failures, 0);
	assert_int_equal(crowd.lent, 0);
	assert_in_range(crowd.most, 1, 3);
	readers_free(&crowd.readers);
	place_close(&place);
}

/* One that cannot be opened must not use up a place for ever. */
static void a_failed_opening_gives_its_place_back(void **state)
{
	(void)state;
	struct error err = {0};
	struct sql_connection *sql = NULL;
	const struct sql_config config = {.path = "/nonexistent/x.db", .role = SQL_ROLE_READER};
	struct readers *readers = readers_new(&config, 2);
	for (int i = 0; i < 5; i++)
		assert_int_equal(readers_take(readers, &sql, &err), ERR_TEMPORARY);
	readers_free(&readers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_warm_one_is_lent_first),
		cmocka_unit_test(a_crowd_shares_what_there_is),
		cmocka_unit_test(a_failed_opening_gives_its_place_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
