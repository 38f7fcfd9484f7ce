/* SPDX-License-Identifier: Apache-2.0
 * Conformance: the audit trail. A row is completed once, nothing else changes it, and it leaves by
 * age alone. */
#include "fixture.h"

#include "store_audit.h"
#include "store_retention.h"

static int64_t add(struct fixture *fx, const struct audit_row *row)
{
	int64_t seq = 0;
	struct error err = {0};
	ok(store_audit_add(fx->store, row, &seq, &err), &err);
	assert_true(seq > 0);
	return seq;
}

static size_t list(struct fixture *fx, struct audit_filter filter, struct audit_row **rows)
{
	size_t count = 0;
	struct error err = {0};
	filter.max = filter.max != 0 ? filter.max : 100;
	ok(store_audit_list(fx->store, fx->arena, &filter, rows, &count, &err), &err);
	return count;
}

static void assert_str(struct str got, const char *wanted)
{
	assert_true(str_equal_z(got, wanted));
}

static void a_row_is_completed_once(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct str actor = new_name(fx, "ann");
	struct audit_row *rows = NULL;
	struct error err = {0};
	struct audit_row row = {.at_us = NOW,
				.actor = actor,
				.source = STR("192.0.2.7"),
				.action = STR("app.suspend"),
				.object = STR("app x")};
	row.seq = add(fx, &row);
	assert_int_equal(list(fx, (struct audit_filter){.actor = actor}, &rows), 1);
	assert_int_equal(rows[0].outcome, AUDIT_BEGUN);
	assert_str(rows[0].after, "");
	row.outcome = AUDIT_DONE;
	row.app_id = app.id;
	row.object = STR("app y");
	row.before = STR("{\"state\":\"active\"}");
	row.after = STR("{\"state\":\"suspended\"}");
	ok(store_audit_end(fx->store, &row, &err), &err);
	row.outcome = AUDIT_FAILED;
	assert_int_equal(store_audit_end(fx->store, &row, &err), ERR_NOT_FOUND);
	assert_int_equal(store_audit_count(fx->store, row.seq, 9, NOW, &err), ERR_NOT_FOUND);
	assert_int_equal(list(fx, (struct audit_filter){.actor = actor}, &rows), 1);
	assert_int_equal(rows[0].outcome, AUDIT_DONE);
	assert_int_equal(rows[0].at_us, NOW);
	assert_int_equal(rows[0].last_at_us, NOW);
	assert_int_equal(rows[0].times, 1);
	assert_str(rows[0].source, "192.0.2.7");
	assert_str(rows[0].action, "app.suspend");
	assert_str(rows[0].object, "app y");
	assert_str(rows[0].before, "{\"state\":\"active\"}");
	assert_str(rows[0].after, "{\"state\":\"suspended\"}");
	assert_true(str_equal(rows[0].client_id, app.client_id));
}

static void refused_calls_are_counted(void **state)
{
	struct fixture *fx = *state;
	struct audit_row *rows = NULL;
	struct error err = {0};
	const struct str actor = new_name(fx, "eve");
	const struct audit_row row = {
		.at_us = NOW, .actor = actor, .action = STR("login"), .outcome = AUDIT_REFUSED};
	const int64_t seq = add(fx, &row);
	ok(store_audit_count(fx->store, seq, 64, NOW + 5, &err), &err);
	assert_int_equal(list(fx, (struct audit_filter){.actor = actor}, &rows), 1);
	assert_int_equal(rows[0].times, 64);
	assert_int_equal(rows[0].at_us, NOW);
	assert_int_equal(rows[0].last_at_us, NOW + 5);
}

static void rows_are_filtered(void **state)
{
	struct fixture *fx = *state;
	const struct app_row mine = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct str actor = new_name(fx, "bob");
	struct audit_row *rows = NULL;
	struct app_row owned = {0};
	struct error err = {0};
	ok(store_app_find(fx->store, fx->arena, mine.id, &owned, &err), &err);
	struct audit_row row = {.at_us = NOW, .actor = actor, .action = STR("a.b")};
	const int64_t first = add(fx, &row);
	row.app_id = mine.id;
	row.at_us = NOW + 1;
	const int64_t second = add(fx, &row);
	row.app_id = other.id;
	row.action = STR("a.c");
	row.at_us = NOW + 2;
	const int64_t third = add(fx, &row);
	assert_int_equal(list(fx, (struct audit_filter){.actor = actor}, &rows), 3);
	assert_int_equal(rows[0].seq, third);
	assert_int_equal(rows[2].seq, first);
	assert_int_equal(list(fx, (struct audit_filter){.actor = actor, .max = 1}, &rows), 1);
	assert_int_equal(rows[0].seq, third);
	assert_int_equal(
		list(fx, (struct audit_filter){.actor = actor, .before_seq = third}, &rows), 2);
	assert_int_equal(rows[0].seq, second);
	assert_int_equal(
		list(fx, (struct audit_filter){.actor = actor, .since_us = NOW + 2}, &rows), 1);
	assert_int_equal(rows[0].seq, third);
	assert_int_equal(
		list(fx, (struct audit_filter){.actor = actor, .action = STR("a.b")}, &rows), 2);
	assert_int_equal(list(fx, (struct audit_filter){.client_id = mine.client_id}, &rows), 1);
	assert_int_equal(rows[0].seq, second);
	const struct audit_filter of_owner = {.actor = actor, .owner_id = STR("nobody")};
	assert_int_equal(list(fx, of_owner, &rows), 0);
	const struct audit_filter of_me = {.actor = actor, .owner_id = owned.owner_id};
	assert_int_equal(list(fx, of_me, &rows), str_equal(owned.owner_id, other.owner_id) ? 2 : 1);
	/* What they did, and what was tried in their name. */
	struct audit_row own = {.at_us = NOW, .actor = owned.owner_email, .action = actor};
	struct audit_row tried = {.at_us = NOW, .action = actor};
	tried.object = str_concat(fx->arena, STR("admin "), owned.owner_email);
	const struct audit_row alien = {.at_us = NOW, .action = actor, .object = STR("admin x@y")};
	add(fx, &own);
	add(fx, &tried);
	add(fx, &alien);
	const struct audit_filter about_me = {.action = actor, .owner_id = owned.owner_id};
	assert_int_equal(list(fx, about_me, &rows), 2);
	assert_int_equal(list(fx, (struct audit_filter){.actor = STR("no' OR 1")}, &rows), 0);
}

static enum err_kind expire(struct store_tx *tx, void *argument, struct error *err)
{
	const struct store_retention retention = {.audit_us = *(const int64_t *)argument};
	int64_t removed = 0;
	return store_retention_expire(tx, &retention, NOW, 1000, &removed, err);
}

static void rows_leave_by_age(void **state)
{
	struct fixture *fx = *state;
	struct audit_row *rows = NULL;
	struct error err = {0};
	int64_t kept_us = 0;
	const struct str actor = new_name(fx, "old");
	struct audit_row row = {.at_us = NOW - US_PER_DAY, .actor = actor, .action = STR("a")};
	add(fx, &row);
	row.at_us -= 1;
	add(fx, &row);
	ok(store_write(fx->store, expire, &kept_us, &err), &err);
	assert_int_equal(list(fx, (struct audit_filter){.actor = actor}, &rows), 2);
	kept_us = US_PER_DAY;
	ok(store_write(fx->store, expire, &kept_us, &err), &err);
	assert_int_equal(list(fx, (struct audit_filter){.actor = actor}, &rows), 1);
	assert_int_equal(rows[0].at_us, NOW - US_PER_DAY);
}

int run_audit_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_row_is_completed_once),
		STORE_TEST(refused_calls_are_counted),
		STORE_TEST(rows_are_filtered),
		STORE_TEST(rows_leave_by_age),
	};
	return cmocka_run_group_tests_name("audit", tests, fixture_open, fixture_close);
}
