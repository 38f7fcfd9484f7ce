/* SPDX-License-Identifier: Apache-2.0
 * A run with its real ports: libcurl, the clocks, standard output, signals. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "thread.h"

#include "transfer_curl.h"

#include "person.h"
#include "person_browser.h"
#include "person_print.h"
#include "person_private.h"

struct ports {
	struct arena *arena;
	char *const *environment;
	sigset_t ends; /* signals that end a run that takes them; empty = none */
	bool takes_signals;
	bool is_ended;
};

static bool nap(void *context, int64_t ms)
{
	struct ports *ports = context;
	const struct timespec wait = {.tv_sec = (time_t)(ms / 1000),
				      .tv_nsec = (long)(ms % 1000 * (NS_PER_S / 1000))};
	if (!ports->takes_signals) {
		thread_sleep_ms(ms);
		return true;
	}
	if (!ports->is_ended)
		ports->is_ended = sigtimedwait(&ports->ends, NULL, &wait) > 0;
	return !ports->is_ended;
}

static bool open_browser(void *context, struct str url)
{
	struct ports *ports = context;
	return person_browser_open(ports->arena, ports->environment, url);
}

/* Blocked before any thread starts, so that only nap() takes them. */
static void take_signals(struct ports *ports)
{
	sigemptyset(&ports->ends);
	sigaddset(&ports->ends, SIGINT);
	sigaddset(&ports->ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ports->ends, NULL);
	ports->takes_signals = true;
}

static enum person_status run(struct person *person, struct ports *ports, const char *user_agent)
{
	struct transfer_curl *curl = NULL;
	struct error err = {0};
	const struct transfer_curl_config config = {.clock = person->clock,
						    .user_agent = user_agent};
	if (person->flags->verb == PERSON_VERB_listen)
		take_signals(ports);
	if (transfer_curl_open(&config, &curl, &err) != ERR_NONE)
		return person_say_failed(person, "%s", err.text);
	const struct transport transport = transfer_curl_transport(curl);
	person->transport = &transport;
	enum person_status status = person_run(person, ports->environment);
	transfer_curl_close(&curl);
	if (fflush(person->out) != 0 || ferror(person->out) != 0)
		status = person_say_failed(person, "standard output cannot be written: %s",
					   strerror(errno));
	return status;
}

int person_main(int argc, char *const *argv, char *const *environment, const char *user_agent)
{
	struct error err = {0};
	struct arena *arena = arena_new("person", PERSON_ARENA_MAX_BYTES);
	struct arena *scratch = arena_new("answer", PERSON_ARENA_MAX_BYTES);
	struct person_flags *flags = ARENA_NEW(arena, struct person_flags);
	struct ports ports = {.arena = arena, .environment = environment};
	struct person person = {
		.arena = arena,
		.scratch = scratch,
		.clock = clock_system(),
		.random = random_system(),
		.nap = nap,
		.open_browser = open_browser,
		.context = &ports,
		.in = stdin,
		.out = stdout,
		.err = stderr,
		.err_is_terminal = isatty(STDERR_FILENO) != 0,
		.flags = flags,
	};
	const enum err_kind kind = person_flags_parse(argc, argv, flags, &err);
	enum person_status status = PERSON_DONE;
	if (kind != ERR_NONE)
		status = person_say_wrong(&person, "%s", err.text);
	else if (person_flag_is_given(flags, PERSON_FLAG_help))
		person_flags_print_help(stdout, flags->verb);
	else
		status = run(&person, &ports, user_agent);
	arena_free(&scratch);
	arena_free(&arena);
	return (int)status;
}
