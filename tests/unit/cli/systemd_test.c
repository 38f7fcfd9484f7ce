/* SPDX-License-Identifier: Apache-2.0
 * Sockets that are handed over, and what is told. The rest is seen from outside
 * (tests/api/test_systemd.py). */
#include "systemd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "arena.h"

#include "settings.h"

struct given {
	struct arena *arena;
	struct settings settings;
	struct error err;
};

static int begin(void **state)
{
	struct given *given = test_calloc(1, sizeof(*given));
	given->arena = arena_new("test", 1 << 20);
	settings_init(&given->settings, given->arena);
	*state = given;
	return 0;
}

static int end(void **state)
{
	struct given *given = *state;
	arena_free(&given->arena);
	test_free(given);
	return 0;
}

/* Descriptor 3 becomes a socket; its port. */
static unsigned put_socket(bool listens)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	if (listens)
		assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(dup2(fd, 3), 3);
	if (fd != 3)
		close(fd);
	return ntohs(address.sin_port);
}

static void hand_over(const char *count, const char *names)
{
	char pid[32];
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", count, 1);
	setenv("LISTEN_FDNAMES", names, 1);
}

static void a_socket_gives_its_address(void **state)
{
	struct given *given = *state;
	char expected[32];
	snprintf(expected, sizeof(expected), "127.0.0.1:%u", put_socket(true));
	hand_over("1", "metrics");
	assert_int_equal(systemd_take_sockets(&given->settings, &given->err), ERR_NONE);
	assert_string_equal(settings_text(&given->settings, SETTING_ID_metrics_listen), expected);
	assert_int_equal(given->settings.values[SETTING_ID_metrics_listen].listen_fd, 3);
	assert_int_equal(given->settings.values[SETTING_ID_listen].listen_fd, 0);
	assert_null(getenv("LISTEN_FDS")); /* no child takes them */
	close(3);
}

static void what_is_no_tcp_socket_is_refused(void **state)
{
	struct given *given = *state;
	int pair[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	dup2(pair[0], 3);
	hand_over("1", "");
	assert_int_equal(systemd_take_sockets(&given->settings, &given->err), ERR_INVALID);
	assert_non_null(strstr(given->err.text, "no listening TCP socket"));
	hand_over("9", "");
	assert_int_equal(systemd_take_sockets(&given->settings, &given->err), ERR_INVALID);
	for (int i = 0; i < 2; i++) {
		if (pair[i] != 3)
			close(pair[i]);
	}
	close(3);
}

/* Nobody would accept from the second, and its clients would wait. */
static void two_of_one_name_are_refused(void **state)
{
	struct given *given = *state;
	put_socket(true);
	assert_int_equal(dup2(3, 4), 4);
	hand_over("2", "metrics:metrics");
	assert_int_equal(systemd_take_sockets(&given->settings, &given->err), ERR_INVALID);
	assert_non_null(strstr(given->err.text, "than there are listeners"));
	close(3);
	close(4);
}

static void others_sockets_are_left_alone(void **state)
{
	struct given *given = *state;
	hand_over("1", "");
	setenv("LISTEN_PID", "1", 1);
	assert_int_equal(systemd_take_sockets(&given->settings, &given->err), ERR_NONE);
	assert_int_equal(given->settings.values[SETTING_ID_listen].listen_fd, 0);
	hand_over("one", "");
	assert_int_equal(systemd_take_sockets(&given->settings, &given->err), ERR_NONE);
	assert_int_equal(given->settings.values[SETTING_ID_listen].listen_fd, 0);
}

static void a_state_reaches_an_abstract_name(void **state)
{
	(void)state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char name[64];
	char said[64] = "";
	const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	snprintf(name, sizeof(name), "@posthorn-systemd-test-%d", (int)getpid());
	memcpy(address.sun_path, name, strlen(name));
	address.sun_path[0] = '\0';
	const socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	setenv("NOTIFY_SOCKET", name, 1);
	systemd_notify("READY=1");
	assert_int_equal(recv(fd, said, sizeof(said) - 1, 0), strlen("READY=1"));
	assert_string_equal(said, "READY=1");
	unsetenv("NOTIFY_SOCKET");
	systemd_notify("STOPPING=1"); /* to nobody */
	close(fd);
}

static bool is_well(void *context)
{
	(void)context;
	return true;
}

static void without_a_watchdog_there_is_none(void **state)
{
	struct given *given = *state;
	struct watchdog *watchdog = NULL;
	static const char *const wrong[] = {"0", "-5", "soon", "1000"};
	unsetenv("WATCHDOG_USEC");
	assert_int_equal(systemd_watchdog_start(is_well, NULL, &watchdog, &given->err), ERR_NONE);
	assert_null(watchdog);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("WATCHDOG_USEC", wrong[i], 1);
		assert_int_equal(systemd_watchdog_start(is_well, NULL, &watchdog, &given->err),
				 ERR_NONE);
		assert_null(watchdog);
	}
	unsetenv("WATCHDOG_USEC");
	systemd_watchdog_stop(&watchdog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_socket_gives_its_address, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_tcp_socket_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(two_of_one_name_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(others_sockets_are_left_alone, begin, end),
		cmocka_unit_test(a_state_reaches_an_abstract_name),
		cmocka_unit_test_setup_teardown(without_a_watchdog_there_is_none, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
