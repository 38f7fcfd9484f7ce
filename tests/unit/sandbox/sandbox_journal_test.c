/* SPDX-License-Identifier: Apache-2.0
 * The journal of a world: what was is there again, whatever the end was like, and what is too much
 * is forgotten in the right order. */
#include "worlds.h"

#include <fcntl.h>
#include <sys/stat.h>

static void post_json(struct worlds_test *t, const char *target, const char *body)
{
	const struct worlds_ask ask = {ONE,     SANDBOX_TOKEN, "POST", str_of(target),
				       STR(""), str_of(body)};
	assert_in_range(worlds_send(t, &ask)->status, 200, 299);
}

static struct str read_page(struct worlds_test *t, const char *target)
{
	const struct worlds_ask ask = {ONE, SANDBOX_TOKEN, "GET", str_of(target), STR(""), STR("")};
	return buf_str(&worlds_send(t, &ask)->body);
}

static void path_of_journal(const struct worlds_test *t, char out[128])
{
	snprintf(out, 128, "%s/0-one/journal", t->directory);
}

static int64_t size_of_journal(const struct worlds_test *t)
{
	char path[128];
	struct stat st;
	path_of_journal(t, path);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void all_of_it_comes_back(void **state)
{
	struct worlds_test *t = *state;
	const struct str token = worlds_login(t, ONE);
	assert_int_equal(worlds_tweet(t, ONE, token, "first"), 201);
	t->now_us += US_PER_HOUR / 2;
	assert_int_equal(worlds_tweet(t, ONE, token, "second"), 201);
	post_json(t, "/_sandbox/knobs", "{\"x_me_limit\":7}");
	post_json(t, "/_sandbox/faults", "{\"platform\":\"x\",\"effect\":\"garbage\",\"times\":9}");
	const struct str ledger = worlds_ledger(t, ONE);
	const struct str log = read_page(t, "/_sandbox/log");
	const struct str knobs = read_page(t, "/_sandbox/knobs");
	const struct str faults = read_page(t, "/_sandbox/faults");
	worlds_restart(t);
	assert_true(str_equal(worlds_ledger(t, ONE), ledger));
	assert_true(str_equal(read_page(t, "/_sandbox/log"), log));
	assert_true(str_equal(read_page(t, "/_sandbox/knobs"), knobs));
	assert_true(str_equal(read_page(t, "/_sandbox/faults"), faults));
	const struct worlds_ask clear = {ONE,     SANDBOX_TOKEN, "DELETE", STR("/_sandbox/faults"),
					 STR(""), STR("")};
	assert_int_equal(worlds_send(t, &clear)->status, 200);
	assert_int_equal(worlds_tweet(t, ONE, token, "third"), 201);
}

static void a_fault_that_was_used_is_used(void **state)
{
	struct worlds_test *t = *state;
	const struct str token = worlds_login(t, ONE);
	post_json(t, "/_sandbox/faults",
		  "{\"platform\":\"x\",\"effect\":\"status\",\"status\":503}");
	assert_int_equal(worlds_tweet(t, ONE, token, "refused"), 503);
	worlds_restart(t);
	assert_int_equal(worlds_tweet(t, ONE, token, "good"), 201);
}

/* The end of the file is cut off anywhere, as by a crash: what came before counts. */
static void a_cut_end_is_no_harm(void **state)
{
	struct worlds_test *t = *state;
	char path[128];
	path_of_journal(t, path);
	const struct str token = worlds_login(t, ONE);
	assert_int_equal(worlds_tweet(t, ONE, token, "whole"), 201);
	const int64_t whole = size_of_journal(t);
	assert_int_equal(worlds_tweet(t, ONE, token, "torn"), 201);
	const int64_t all = size_of_journal(t);
	sandbox_worlds_close(&t->worlds);
	for (int64_t cut = all - 1; cut > whole; cut -= 37) {
		assert_int_equal(truncate(path, cut), 0);
		worlds_start(t);
		const struct str ledger = worlds_ledger(t, ONE);
		assert_true(str_find(ledger, STR("whole"), 0) != SIZE_MAX);
		assert_true(str_find(ledger, STR("torn"), 0) == SIZE_MAX);
		assert_int_equal(size_of_journal(t), whole);
		sandbox_worlds_close(&t->worlds);
	}
	worlds_start(t);
	assert_int_equal(worlds_tweet(t, ONE, token, "again"), 201);
}

static void what_is_not_ours_begins_anew(void **state)
{
	struct worlds_test *t = *state;
	char path[128];
	path_of_journal(t, path);
	worlds_tweet(t, ONE, worlds_login(t, ONE), "lost");
	sandbox_worlds_close(&t->worlds);
	const int fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "garbage", 7), 7);
	close(fd);
	worlds_start(t);
	assert_true(str_equal_z(worlds_ledger(t, ONE), "{\"posts\":[]}"));
	assert_int_equal(worlds_tweet(t, ONE, worlds_login(t, ONE), "new"), 201);
}

static void a_reset_empties_it(void **state)
{
	struct worlds_test *t = *state;
	const struct str token = worlds_login(t, ONE);
	assert_int_equal(worlds_tweet(t, ONE, token, "gone"), 201);
	post_json(t, "/_sandbox/reset", "");
	assert_int_equal(size_of_journal(t), 64);
	worlds_restart(t);
	assert_true(str_equal_z(worlds_ledger(t, ONE), "{\"posts\":[]}"));
	assert_int_equal(worlds_tweet(t, ONE, token, "no"), 401);
}

/* Old posts go, new ones and people's logins stay, and it never takes more than it may. */
static void too_much_is_forgotten(void **state)
{
	struct worlds_test *t = *state;
	t->bytes_max = 64 << 10;
	worlds_restart(t);
	const struct str token = worlds_login(t, ONE);
	char text[32];
	for (int i = 0; i < 600; i++) {
		t->now_us += US_PER_HOUR / 60; /* within the token's two hours at X for 120 */
		if (i % 100 == 0)
			t->now_us -= 100 * US_PER_HOUR / 60;
		snprintf(text, sizeof(text), "post %d", i);
		const int status = worlds_tweet(t, ONE, token, text);
		assert_true(status == 201 || status == 429);
		assert_true(sandbox_worlds_bytes(t->worlds, ONE) <= (64 << 10) + 4096);
	}
	const struct str ledger = worlds_ledger(t, ONE);
	assert_true(str_find(ledger, STR("\"post 0\""), 0) == SIZE_MAX);
	worlds_restart(t);
	const struct worlds_ask me = {ONE,   SANDBOX_SERVICE, "GET", STR("/api.x.com/2/users/me"),
				      token, STR("")};
	assert_int_equal(worlds_send(t, &me)->status, 200);
}

/* ---- kept beside the directory, for another node ---- */

/* Another node: another directory, and what the port keeps. */
static void move_on(struct worlds_test *t)
{
	char command[128];
	sandbox_worlds_close(&t->worlds);
	snprintf(command, sizeof(command), "rm -rf %s/*", t->directory);
	assert_int_equal(system(command), 0);
	worlds_start(t);
}

static void begin_with_port(struct worlds_test *t)
{
	t->has_port = true;
	worlds_restart(t);
}

static void another_node_has_all_of_it(void **state)
{
	struct worlds_test *t = *state;
	begin_with_port(t);
	const struct str token = worlds_login(t, ONE);
	assert_int_equal(worlds_tweet(t, ONE, token, "first"), 201);
	post_json(t, "/_sandbox/knobs", "{\"x_me_limit\":7}");
	const struct str ledger = worlds_ledger(t, ONE);
	move_on(t);
	assert_true(str_equal(worlds_ledger(t, ONE), ledger));
	assert_int_equal(worlds_tweet(t, ONE, token, "second"), 201);
	post_json(t, "/_sandbox/reset", "");
	move_on(t);
	assert_true(str_equal_z(worlds_ledger(t, ONE), "{\"posts\":[]}"));
	assert_int_equal(worlds_tweet(t, ONE, token, "no"), 401);
}

/* From before there was a port. */
static void an_old_file_is_taken_over(void **state)
{
	struct worlds_test *t = *state;
	const struct str token = worlds_login(t, ONE);
	assert_int_equal(worlds_tweet(t, ONE, token, "first"), 201);
	begin_with_port(t);
	assert_true(str_find(worlds_ledger(t, ONE), STR("first"), 0) != SIZE_MAX);
	move_on(t);
	assert_true(str_find(worlds_ledger(t, ONE), STR("first"), 0) != SIZE_MAX);
}

/* What could not be kept is not answered, and never was: nobody may act on it. */
static void what_is_not_kept_never_was(void **state)
{
	struct worlds_test *t = *state;
	begin_with_port(t);
	const struct str token = worlds_login(t, ONE);
	const struct worlds_ask ask = {ONE,    SANDBOX_SERVICE,
				       "POST", STR("/api.x.com/2/tweets"),
				       token,  STR("{\"text\":\"lost\"}")};
	sandbox_worlds_set_hold(t->worlds, 5);
	t->port_hold = 6;
	assert_true(worlds_send(t, &ask)->is_dropped);
	t->port_hold = 5;
	assert_true(str_find(worlds_ledger(t, ONE), STR("lost"), 0) == SIZE_MAX);
	assert_int_equal(worlds_tweet(t, ONE, token, "kept"), 201);
	t->is_port_down = true;
	assert_true(worlds_send(t, &ask)->is_dropped);
	assert_int_equal(worlds_send(t, &ask)->status, 503);
	t->is_port_down = false;
	assert_true(str_find(worlds_ledger(t, ONE), STR("lost"), 0) == SIZE_MAX);
	assert_true(str_find(worlds_ledger(t, ONE), STR("kept"), 0) != SIZE_MAX);
}

/* Another node had it meanwhile: what that one wrote is there when it is ours again. */
static void a_new_hold_reads_again(void **state)
{
	struct worlds_test *t = *state;
	begin_with_port(t);
	const struct str token = worlds_login(t, ONE);
	char directory[64];
	struct sandbox_worlds *ours = t->worlds;
	memcpy(directory, t->directory, sizeof(directory));
	snprintf(t->directory, sizeof(t->directory), "/tmp/posthorn-worlds-XXXXXX");
	assert_non_null(mkdtemp(t->directory));
	worlds_start(t);
	sandbox_worlds_set_hold(t->worlds, 2);
	assert_int_equal(worlds_tweet(t, ONE, token, "theirs"), 201);
	worlds_end_other(t, ours, directory);
	sandbox_worlds_set_hold(t->worlds, 3);
	assert_true(str_find(worlds_ledger(t, ONE), STR("theirs"), 0) != SIZE_MAX);
	assert_int_equal(worlds_tweet(t, ONE, token, "ours"), 201);
}

/* What a port keeps has a limit of its own. */
static void a_port_is_not_flooded(void **state)
{
	struct worlds_test *t = *state;
	begin_with_port(t);
	char *fault = malloc(1 << 20);
	assert_non_null(fault);
	const int begin =
		snprintf(fault, 1 << 20, "{\"platform\":\"x\",\"effect\":\"status\",\"body\":\"");
	memset(fault + begin, 'a', (1 << 20) - (size_t)begin - 8);
	memcpy(fault + (1 << 20) - 8, "\"}", 3);
	for (int i = 0; i < 80; i++) {
		const struct worlds_ask clear = {
			ONE, SANDBOX_TOKEN, "DELETE", STR("/_sandbox/faults"), STR(""), STR("")};
		post_json(t, "/_sandbox/faults", fault);
		assert_int_equal(worlds_send(t, &clear)->status, 200);
		assert_true(t->kept_len < (size_t)66 << 20);
		arena_clear(t->arena);
	}
	free(fault);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_of_it_comes_back, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(a_fault_that_was_used_is_used, worlds_open,
						worlds_end),
		cmocka_unit_test_setup_teardown(a_cut_end_is_no_harm, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(what_is_not_ours_begins_anew, worlds_open,
						worlds_end),
		cmocka_unit_test_setup_teardown(a_reset_empties_it, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(too_much_is_forgotten, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(another_node_has_all_of_it, worlds_open,
						worlds_end),
		cmocka_unit_test_setup_teardown(an_old_file_is_taken_over, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(what_is_not_kept_never_was, worlds_open,
						worlds_end),
		cmocka_unit_test_setup_teardown(a_new_hold_reads_again, worlds_open, worlds_end),
		cmocka_unit_test_setup_teardown(a_port_is_not_flooded, worlds_open, worlds_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
