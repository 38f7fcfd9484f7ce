/* SPDX-License-Identifier: Apache-2.0
 * Tokens that open one file for a day, and all that is no such token. */
#include "hosted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remove_tree.h"

#include "arena.h"
#include "count_of.h"

#include "base64.h"

#include "seal.h"

#include "spool.h"

#include "fake_clock.h"
#include "fake_random.h"

#define KEY "0193a000-0000-7000-8000-00000000000a-00112233445566778899aabbccddeeff"
#define BASE "https://posthorn.example/media/"

struct world {
	char directory[64];
	struct arena *arena;
	struct fake_clock clock;
	struct fake_random random;
	struct seal *seal;
	struct spool *spool;
	struct hosted hosted;
};

static void keep_file(struct world *w, const char *key, const char *bytes)
{
	struct transfer_request request;
	struct spool_file file;
	const struct transfer_result result = {.outcome = TRANSFER_ANSWERED, .status = 200};
	assert_int_equal(spool_fetch_request(w->spool, w->arena, str_of(key),
					     STR("https://m.example/a"), &request, NULL),
			 ERR_NONE);
	const int fd = open(request.save_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
	close(fd);
	assert_int_equal(spool_fetch_finish(w->spool, w->arena, str_of(key), &result, &file, NULL),
			 ERR_NONE);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	const uint8_t key[SEAL_KEY_BYTES] = {7};
	snprintf(w->directory, sizeof(w->directory), "/tmp/hosted-test-XXXXXX");
	assert_non_null(mkdtemp(w->directory));
	w->arena = arena_new("hosted", 16 << 20);
	fake_clock_init(&w->clock);
	fake_random_init(&w->random);
	assert_int_equal(seal_open_key(key, &w->seal, NULL), ERR_NONE);
	const struct spool_config config = {.directory = w->directory};
	assert_int_equal(spool_open(&config, &w->spool, NULL), ERR_NONE);
	w->hosted = (struct hosted){.seal = w->seal,
				    .spool = w->spool,
				    .clock = &w->clock.clock,
				    .random = &w->random.source,
				    .public_url = "https://posthorn.example"};
	keep_file(w, KEY, "\x89PNG\r\n\x1a\n and more");
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	spool_close(&w->spool);
	seal_free(&w->seal);
	arena_free(&w->arena);
	remove_tree(w->directory);
	free(w);
	return 0;
}

static struct str token_of(struct world *w, const char *key)
{
	struct str url = hosted_url(&w->hosted, w->arena, str_of(key));
	assert_true(str_skip(&url, STR(BASE)));
	return url;
}

static bool opens(struct world *w, struct str token)
{
	struct hosted_file file;
	if (!hosted_open(&w->hosted, w->arena, token, &file))
		return false;
	close(file.fd);
	return true;
}

static void a_token_opens_its_file(void **state)
{
	struct world *w = *state;
	struct hosted_file file;
	char bytes[8];
	assert_true(hosted_open(&w->hosted, w->arena, token_of(w, KEY), &file));
	assert_int_equal(file.size_bytes, 17);
	assert_string_equal(file.mime_type, "image/png");
	assert_int_equal(file.etag.len, 34);
	assert_int_equal(read(file.fd, bytes, 8), 8);
	assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
	close(file.fd);
}

static void a_token_shows_nothing_and_is_never_the_same(void **state)
{
	struct world *w = *state;
	const struct str one = token_of(w, KEY);
	struct str bytes;
	assert_false(str_equal(one, token_of(w, KEY)));
	assert_true(base64url_decode(w->arena, one, &bytes));
	assert_int_equal(str_find(one, STR("0193a000"), 0), SIZE_MAX);
	assert_int_equal(str_find(bytes, STR("0193a000"), 0), SIZE_MAX);
	assert_true(one.len < 250);
}

static void a_token_ends_after_a_day(void **state)
{
	struct world *w = *state;
	const struct str token = token_of(w, KEY);
	fake_clock_advance(&w->clock, HOSTED_VALID_US - 1);
	assert_true(opens(w, token));
	fake_clock_advance(&w->clock, 1);
	assert_false(opens(w, token));
}

static void every_changed_token_is_none(void **state)
{
	struct world *w = *state;
	const struct str token = token_of(w, KEY);
	char changed[512];
	for (size_t i = 0; i < token.len; i++) {
		memcpy(changed, token.ptr, token.len);
		changed[i] = changed[i] == 'A' ? 'B' : 'A';
		assert_false(opens(w, (struct str){changed, token.len}));
		assert_false(opens(w, str_slice(token, 0, i)));
	}
	assert_false(opens(w, str_concat(w->arena, token, STR("A"))));
	assert_false(opens(w, str_concat(w->arena, token, STR("="))));
	assert_true(opens(w, token));
}

/* Sealed by us, but not here: another place, another row, no instant, a key that is a path. */
static void what_is_sealed_elsewhere_is_no_token(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *table, *column, *row, *plain;
		bool opens;
	} rows[] = {
		{"media", "token", "", "\xff\xff\xff\xff\xff\xff\xff\x7f" KEY, true},
		{"accounts", "access_token", "", "\xff\xff\xff\xff\xff\xff\xff\x7f" KEY, false},
		{"media", "token", "1", "\xff\xff\xff\xff\xff\xff\xff\x7f" KEY, false},
		{"media", "token", "", "\xff\xff\xff\xff\xff\xff\xff\x7f", false},
		{"media", "token", "", "short", false},
		{"media", "token", "", "", false},
		{"media", "token", "", "\xff\xff\xff\xff\xff\xff\xff\xff" KEY,
		 false}, /* before 1970 */
		{"media", "token", "", "\xff\xff\xff\xff\xff\xff\xff\x7f../../master.key", false},
		{"media", "token", "", "\xff\xff\xff\xff\xff\xff\xff\x7f/etc/passwd", false},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct seal_place place = {str_of(rows[i].table), str_of(rows[i].column),
						 str_of(rows[i].row)};
		const struct str sealed = seal_secret(w->seal, w->arena, &place,
						      str_of(rows[i].plain), &w->random.source);
		if (opens(w, base64url_encode(w->arena, sealed)) != rows[i].opens)
			fail_msg("row %zu", i);
	}
	/* Of a service with another master key. */
	const uint8_t other_key[SEAL_KEY_BYTES] = {8};
	struct seal *other = NULL;
	const struct str token = token_of(w, KEY);
	assert_int_equal(seal_open_key(other_key, &other, NULL), ERR_NONE);
	w->hosted.seal = other;
	assert_false(opens(w, token));
	seal_free(&other);
}

static void a_file_that_is_gone_is_not_there(void **state)
{
	struct world *w = *state;
	const struct str token = token_of(w, KEY);
	assert_false(opens(w, token_of(w, "0193a000-0000-7000-8000-00000000000b-0")));
	spool_remove(w->spool, str_slice(STR(KEY), 0, 36));
	assert_false(opens(w, token));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_token_opens_its_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_token_shows_nothing_and_is_never_the_same, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_token_ends_after_a_day, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_changed_token_is_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_sealed_elsewhere_is_no_token, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_is_gone_is_not_there, set_up,
						tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
