/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/log_queue.h through a pipe: whole lines in order, and a reader who takes nothing
 * stops neither the writers nor the end. */
#include "log_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"

#define LINES 3000

struct fixture {
	int pipe[2];
	struct log log;
	struct log_queue *queue;
};

static void begin(struct fixture *fx)
{
	struct error err = {0};
	assert_int_equal(pipe(fx->pipe), 0);
	fx->log = (struct log){.fd = fx->pipe[1], .level = LOG_INFO};
	assert_int_equal(log_queue_open(&fx->log, &fx->queue, &err), ERR_NONE);
}

static void end(struct fixture *fx)
{
	log_queue_close(&fx->queue);
	assert_null(fx->queue);
	close(fx->pipe[1]);
}

static void write_number(struct fixture *fx, enum log_level level, int number)
{
	const struct log_field fields[] = {log_int("n", number), log_ms("ms", 1234567)};
	log_queue_write(fx->queue, level, "line", fields, 2);
}

static void lines_come_whole_and_in_order(void **state)
{
	struct fixture fx;
	char line[256];
	(void)state;
	begin(&fx);
	FILE *in = fdopen(fx.pipe[0], "r");
	write_number(&fx, LOG_DEBUG, -1); /* below the log's level */
	for (int i = 0; i < LINES; i++) {
		char wanted[64];
		write_number(&fx, LOG_INFO, i);
		assert_non_null(fgets(line, sizeof(line), in));
		snprintf(wanted, sizeof(wanted), "info line n=%d ms=1234.567\n", i);
		assert_string_equal(line, wanted);
		i += i > 10 ? 290 : 0; /* each waits for the thread */
	}
	assert_int_equal(log_queue_dropped(fx.queue), 0);
	end(&fx);
	assert_null(fgets(line, sizeof(line), in));
	fclose(in);
}

static void what_is_left_is_written_at_the_end(void **state)
{
	struct fixture fx;
	char line[256];
	int count = 0;
	(void)state;
	begin(&fx);
	for (int i = 0; i < 100; i++)
		write_number(&fx, LOG_INFO, i);
	end(&fx);
	FILE *in = fdopen(fx.pipe[0], "r");
	while (fgets(line, sizeof(line), in) != NULL)
		count++;
	assert_int_equal(count, 100);
	fclose(in);
}

static void a_deaf_reader_stops_nobody(void **state)
{
	struct fixture fx;
	(void)state;
	begin(&fx);
	for (int i = 0; i < 30000; i++)
		write_number(&fx, LOG_INFO, i);
	assert_true(log_queue_dropped(fx.queue) > 0);
	const int64_t began_us = clock_boot_us(clock_system());
	end(&fx);
	assert_true(clock_boot_us(clock_system()) - began_us < 10 * US_PER_S);
	close(fx.pipe[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_whole_and_in_order),
		cmocka_unit_test(what_is_left_is_written_at_the_end),
		cmocka_unit_test(a_deaf_reader_stops_nobody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
