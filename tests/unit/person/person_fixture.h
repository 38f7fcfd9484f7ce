/* SPDX-License-Identifier: Apache-2.0
 * A terminal for the tests of the command line for people: a service that answers by a script, a
 * clock that naps move, and what was printed. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "fake_clock.h"
#include "fake_random.h"
#include "fake_transport.h"

#include "person_private.h"

#define DESK_WORDS_MAX 32

struct desk {
	struct person person;
	struct person_flags flags;
	struct fake_transport fake;
	struct fake_clock clock;
	struct fake_random random;
	char *out; /* printed so far; valid after desk_run() */
	char *err;
	size_t out_size;
	size_t err_size;
	int64_t napped_ms;
	int naps_left; /* then the run is to end; -1 = never */
};

static inline bool desk_nap(void *context, int64_t ms)
{
	struct desk *desk = context;
	desk->napped_ms += ms;
	fake_clock_advance(&desk->clock, ms * US_PER_MS);
	if (ms > 0 && desk->naps_left > 0)
		desk->naps_left--;
	return desk->naps_left != 0;
}

static inline int desk_open(void **state)
{
	struct desk *desk = calloc(1, sizeof(*desk));
	assert_non_null(desk);
	fake_transport_init(&desk->fake);
	fake_clock_init(&desk->clock);
	fake_random_init(&desk->random);
	desk->naps_left = -1;
	desk->person = (struct person){
		.arena = arena_new("person", PERSON_ARENA_MAX_BYTES),
		.scratch = arena_new("answer", PERSON_ARENA_MAX_BYTES),
		.transport = &desk->fake.transport,
		.clock = &desk->clock.clock,
		.random = &desk->random.source,
		.nap = desk_nap,
		.context = desk,
		.in = stdin,
		.out = open_memstream(&desk->out, &desk->out_size),
		.err = open_memstream(&desk->err, &desk->err_size),
		.url = STR("http://service.example"),
		.token = STR("phk_token"),
		.flags = &desk->flags,
	};
	*state = desk;
	return 0;
}

static inline int desk_close(void **state)
{
	struct desk *desk = *state;
	fclose(desk->person.out);
	fclose(desk->person.err);
	free(desk->out);
	free(desk->err);
	fake_transport_free(&desk->fake);
	arena_free(&desk->person.scratch);
	arena_free(&desk->person.arena);
	free(desk);
	return 0;
}

/* Parses the words of a command line without its program: false, with the reason in err. */
static inline bool desk_parse(struct desk *desk, const char *const *words, struct error *err)
{
	static char program[] = "posthorn";
	char *argv[DESK_WORDS_MAX] = {program};
	int argc = 1;
	for (; *words != NULL; words++)
		argv[argc++] = str_z(desk->person.arena, str_of(*words));
	return person_flags_parse(argc, argv, &desk->flags, err) == ERR_NONE;
}

#define DESK_PARSE(desk, ...) \
	assert_true(desk_parse((desk), (const char *const[]){__VA_ARGS__, NULL}, NULL))

/* Runs a verb whose flags are parsed. */
static inline enum person_status desk_verb(struct desk *desk)
{
	static char token[] = "POSTHORN_TOKEN=phk_token";
	static char url[] = "POSTHORN_URL=http://service.example/";
	char *const environment[] = {token, url, NULL};
	const enum person_status status = person_run(&desk->person, environment);
	fflush(desk->person.out);
	fflush(desk->person.err);
	return status;
}

#define DESK_RUN(desk, ...) \
	(desk_parse((desk), (const char *const[]){__VA_ARGS__, NULL}, NULL) ? desk_verb(desk) \
									    : PERSON_WRONG_USE)
#define DESK_ANSWER(desk, ...) FAKE_ANSWER(&(desk)->fake, __VA_ARGS__)

static inline void desk_said(const char *text, const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		fail_msg("\"%s\" is not in:\n%s", part, text != NULL ? text : "(nothing)");
}

#define DESK_TEST(name) cmocka_unit_test_setup_teardown(name, desk_open, desk_close)

/* One account of /v1/accounts, and the answer around such rows. */
#define ACCOUNT_ROW(id, username, status, confirmed) \
	"{\"id\":\"" id "\",\"app_user_id\":\"me\",\"platform\":\"x\",\"username\":\"" username \
	"\",\"name\":\"Name\",\"account_type\":\"personal\",\"status\":\"" status \
	"\",\"confirmed\":" confirmed "}"
#define ACCOUNTS(rows, last_page) \
	"{\"data\":[" rows "],\"meta\":{\"current_page\":1,\"last_page\":" last_page \
	",\"total\":1,\"per_page\":100}}"
#define ID_1 "01a20639-370a-7763-95f6-da327fcad205"
#define ID_2 "01a20639-370a-7763-95f6-da327fcad206"
#define ACCEPTED \
	"{\"message\":\"Post accepted for publishing.\",\"data\":{\"post_id\":\"" ID_2 \
	"\",\"request_id\":\"r\",\"status\":\"pending\",\"total_accounts\":1,\"scheduled_at\":" \
	"null,\"mode\":\"basic\",\"platform_posts\":[]}}"
#define POST_DATA(state, outcome, target) \
	"{\"data\":{\"id\":\"" ID_2 "\",\"request_id\":\"r\",\"status\":\"" state \
	"\",\"state\":\"" state "\",\"outcome\":\"" outcome \
	"\",\"mode\":\"basic\",\"scheduled_at\":null,\"created_at\":\"2027-01-15T08:00:00.5Z\"," \
	"\"external_user_id\":\"me\",\"containers\":[{\"content\":\"Hello\",\"media\":[]}]," \
	"\"platform_posts\":[" target "]}}"
#define TARGET(state, outcome, url, error) \
	"{\"id\":\"d\",\"account_id\":\"" ID_1 "\",\"platform\":\"x\",\"platform_id\":3," \
	"\"handle\":\"jodoe\",\"status\":\"" state "\",\"state\":\"" state \
	"\",\"outcome\":\"" outcome "\",\"url\":" url ",\"error\":" error "}"
#define PUBLISHED \
	POST_DATA("published", "all", TARGET("published", "all", "\"https://x.com/1\"", "null"))
