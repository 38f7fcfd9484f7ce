/* SPDX-License-Identifier: Apache-2.0
 * Deadlines and lingering, on socket pairs. */
#include "http_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "thread.h"

#include "http_share.h"

static int64_t now_us(void)
{
	return clock_boot_us(clock_system());
}

struct pair {
	struct watch *watch;
	int server;
	int client;
};

static int setup(void **state)
{
	static struct pair pair;
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	pair = (struct pair){.watch = http_watch_new(), .server = fds[0], .client = fds[1]};
	assert_non_null(pair.watch);
	*state = &pair;
	return 0;
}

static int teardown(void **state)
{
	struct pair *pair = *state;
	http_watch_free(&pair->watch);
	assert_null(pair->watch);
	http_watch_free(&pair->watch); /* NULL is fine */
	if (pair->server >= 0)
		close(pair->server);
	close(pair->client);
	return 0;
}

static bool client_sees_end(const struct pair *pair)
{
	char byte;
	return recv(pair->client, &byte, 1, 0) == 0;
}

static bool is_awake(const struct pair *pair)
{
	struct pollfd wait = {.fd = http_watch_wake_fd(pair->watch), .events = POLLIN};
	return poll(&wait, 1, 0) == 1;
}

static void what_is_overdue_is_shut(void **state)
{
	struct pair *pair = *state;
	struct watched *watched = http_watch_add(pair->watch, pair->server, now_us() - 1);
	http_watch_sweep(pair->watch);
	assert_true(client_sees_end(pair));
	http_watch_remove(pair->watch, &watched);
	assert_null(watched);
	http_watch_remove(pair->watch, &watched); /* NULL is fine */
}

static void what_is_not_overdue_lives_on(void **state)
{
	struct pair *pair = *state;
	struct watched *watched =
		http_watch_add(pair->watch, pair->server, now_us() + US_PER_MINUTE);
	http_watch_sweep(pair->watch);
	assert_false(client_sees_end(pair));
	http_watched_deadline_set(watched, 0);
	http_watch_sweep(pair->watch);
	assert_false(client_sees_end(pair));
	http_watched_deadline_set(watched, now_us() - 1);
	http_watch_sweep(pair->watch);
	assert_true(client_sees_end(pair));
	http_watch_remove(pair->watch, &watched);
}

static void the_wait_follows_the_nearest_deadline(void **state)
{
	struct pair *pair = *state;
	assert_int_equal(http_watch_sweep(pair->watch), -1);
	struct watched *far = http_watch_add(pair->watch, pair->server, now_us() + US_PER_MINUTE);
	assert_int_equal(http_watch_sweep(pair->watch), 1000);
	struct watched *near =
		http_watch_add(pair->watch, pair->server, now_us() + 500 * US_PER_MS);
	assert_in_range(http_watch_sweep(pair->watch), 300, 501);
	assert_int_equal(http_watch_count(pair->watch), 2);
	http_watch_remove(pair->watch, &near);
	http_watch_remove(pair->watch, &far);
	assert_int_equal(http_watch_count(pair->watch), 0);
	assert_int_equal(http_watch_sweep(pair->watch), -1);
}

/* The sweeper may be waiting without end: the first connection must wake it. */
static void the_first_connection_wakes_the_sweeper(void **state)
{
	struct pair *pair = *state;
	assert_false(is_awake(pair));
	struct watched *watched = http_watch_add(pair->watch, pair->server, now_us() + US_PER_S);
	assert_true(is_awake(pair));
	http_watch_sweep(pair->watch);
	assert_false(is_awake(pair));
	http_watch_remove(pair->watch, &watched);
}

/* As libmicrohttpd ends a connection: shutdown for writing, removed here, closed. The client's late
 * bytes are read off, so that it can read the answer; the end comes with its own end. */
static void a_lingering_connection_takes_late_bytes(void **state)
{
	struct pair *pair = *state;
	char answer[8] = "";
	struct watched *watched =
		http_watch_add(pair->watch, pair->server, now_us() + US_PER_MINUTE);
	http_watch_sweep(pair->watch);
	http_watched_linger_set(watched, true);
	assert_int_equal(send(pair->server, "answer", 6, 0), 6);
	shutdown(pair->server, SHUT_WR);
	http_watch_remove(pair->watch, &watched);
	close(pair->server);
	pair->server = -1;
	assert_true(is_awake(pair));
	for (int i = 0; i < 100; i++) {
		assert_int_equal(send(pair->client, "late bytes", 10, MSG_NOSIGNAL), 10);
		assert_in_range(http_watch_sweep(pair->watch), 1, 100);
	}
	assert_int_equal(recv(pair->client, answer, sizeof(answer), 0), 6);
	assert_true(client_sees_end(pair));
	shutdown(pair->client, SHUT_WR);
	assert_int_equal(http_watch_sweep(pair->watch),
			 -1); /* it saw the client's end and closed */
}

static void what_does_not_linger_is_closed_at_once(void **state)
{
	struct pair *pair = *state;
	struct watched *watched =
		http_watch_add(pair->watch, pair->server, now_us() + US_PER_MINUTE);
	http_watch_remove(pair->watch, &watched);
	close(pair->server);
	pair->server = -1;
	assert_int_equal(send(pair->client, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
}

/* More than the list holds are closed as they were: no growth, no crash. */
static void lingering_is_bounded(void **state)
{
	struct pair *pair = *state;
	for (int i = 0; i < 1000; i++) {
		struct watched *watched = http_watch_add(pair->watch, pair->server, 0);
		http_watched_linger_set(watched, true);
		http_watch_remove(pair->watch, &watched);
	}
	assert_in_range(http_watch_sweep(pair->watch), 1, 100);
}

/* What is of no use goes first, of several the one that has been so the longest; what works and
 * what has a request waiting stays. */
static void the_most_useless_is_shut_first(void **state)
{
	enum { COUNT = 6 };
	static const enum watched_state states[COUNT] = {WATCHED_BUSY, WATCHED_BODY, WATCHED_HEAD,
							 WATCHED_IDLE, WATCHED_IDLE, WATCHED_IDLE};
	struct pair *pair = *state;
	struct http_share mine = {0};
	struct http_share theirs = {0};
	int fds[COUNT][2];
	struct watched *watched[COUNT];
	char byte;
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds[i]), 0);
		watched[i] = http_watch_add(pair->watch, fds[i][0], 0);
		http_watched_share_set(watched[i], i == 5 ? &theirs : &mine);
		http_watched_state_set(watched[i], states[i]);
		assert_ptr_equal(http_watched_share(watched[i]), i == 5 ? &theirs : &mine);
	}
	assert_int_equal(send(fds[3][1], "G", 1, 0), 1); /* its next request */
	assert_true(http_watch_shut_oldest(pair->watch, NULL, false));
	assert_int_equal(recv(fds[4][1], &byte, 1, MSG_DONTWAIT), 0);
	assert_true(http_watch_shut_oldest(pair->watch, &theirs, false));
	assert_int_equal(recv(fds[5][1], &byte, 1, MSG_DONTWAIT), 0);
	/* head and body have not taken too long yet, and the idle one has a request */
	assert_false(http_watch_shut_oldest(pair->watch, NULL, false));
	assert_false(http_watch_shut_oldest(pair->watch, &theirs, false));
	thread_sleep_ms(1100);
	assert_true(http_watch_shut_oldest(pair->watch, &mine, false));
	assert_int_equal(recv(fds[2][1], &byte, 1, MSG_DONTWAIT), 0);
	assert_false(http_watch_shut_oldest(pair->watch, NULL, false));
	assert_true(
		http_watch_shut_oldest(pair->watch, NULL, true)); /* the idle one all the same */
	assert_true(http_watch_shut_oldest(pair->watch, NULL, true)); /* the body */
	assert_false(http_watch_shut_oldest(pair->watch, NULL, true));
	assert_int_equal(recv(fds[0][1], &byte, 1, MSG_DONTWAIT), -1);
	for (int i = 0; i < COUNT; i++) {
		http_watch_remove(pair->watch, &watched[i]);
		close(fds[i][0]);
		close(fds[i][1]);
	}
	http_watched_state_set(NULL, WATCHED_IDLE);
	http_watched_share_set(NULL, &mine);
	assert_null(http_watched_share(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_overdue_is_shut, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_overdue_lives_on, setup, teardown),
		cmocka_unit_test_setup_teardown(the_wait_follows_the_nearest_deadline, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_first_connection_wakes_the_sweeper, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_lingering_connection_takes_late_bytes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_does_not_linger_is_closed_at_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(lingering_is_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(the_most_useless_is_shut_first, setup, teardown),
	};
	return cmocka_run_group_tests_name("http_watch", tests, NULL, NULL);
}
