/* SPDX-License-Identifier: Apache-2.0
 * What the store's conformance tests share: a store, things in it, and short ways to ask for more.
 * Speaks store.h and its sisters only, so that the same tests judge every database. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "err.h"

#include "store.h"
#include "store_admin.h"
#include "store_after.h"
#include "store_app.h"
#include "store_connection.h"
#include "store_credential.h"
#include "store_delivery.h"
#include "store_post.h"

/* 2027-01-15T08:00:00Z: a whole second, not a whole day. */
#define NOW INT64_C(1800000000000000)
#define TODAY (NOW / US_PER_DAY * US_PER_DAY)
#define LEASE_US (30 * US_PER_S)
#define CLAIM_MAX 128

struct fixture {
	struct store *store;
	struct arena *arena; /* of one test */
	char url[256];
	char directory[64]; /* "" when the database was given */
	unsigned serial;    /* makes names unique */
};

/* cmocka: one store for all tests, one arena a test; each test leaves no open work behind. */
int fixture_open(void **state);
int fixture_close(void **state);
int fixture_begin(void **state);
int fixture_end(void **state);
void fixture_reopen(struct fixture *fx);

struct str new_uuid(struct fixture *fx);
/* "prefix-17", never the same twice; hex noise makes it unique in a database used again. */
struct str new_name(struct fixture *fx, const char *prefix);

/* Fails the test unless kind is NONE. */
void ok(enum err_kind kind, const struct error *err);

/* As fx, through another node of the same database; its store is the caller's to close. */
struct fixture open_other(const struct fixture *fx);
struct app_row make_app(struct fixture *fx);
/* An account of the app that may be published to. */
struct account_row make_account(struct fixture *fx, const struct app_row *app, const char *user_id,
				enum platform_id platform);
/* The same platform account, connected by another user. */
struct account_row make_same_account(struct fixture *fx, const struct app_row *app,
				     const char *user_id, const struct account_row *as);
struct connection_row make_connection(struct fixture *fx, const struct app_row *app,
				      const char *user_id, enum platform_id platform);

/* A post for these accounts, not accepted yet; change what matters. */
struct post_accept make_post(struct fixture *fx, const struct app_row *app,
			     const struct account_row *accounts, size_t count);
struct post_accept_result accept_post(struct fixture *fx, const struct post_accept *accept);
/* Both at once: one account, now. Returns the post's id. */
struct str post_now(struct fixture *fx, const struct app_row *app,
		    const struct account_row *account);
struct post_row get_post(struct fixture *fx, const struct app_row *app, struct str post_id);

struct claimed {
	struct delivery_work *work;
	size_t count;
};
struct claimed claim(struct fixture *fx, int64_t now_us, size_t max);
/* Exactly one, or the test fails. */
struct delivery_work claim_one(struct fixture *fx, int64_t now_us);
struct claimed_after {
	struct after_work *work;
	size_t count;
};
/* Up to ten of what is done after a delivery's end, for LEASE_US. */
struct claimed_after claim_after(struct fixture *fx, enum after_kind kind, int64_t now_us);
/* A save of that work; change what matters. */
struct delivery_save save_of(const struct delivery_work *work, enum delivery_next next,
			     int64_t now_us);
/* Writes it within a command; save() in one of its own. */
enum err_kind save_in(struct store_tx *tx, const struct delivery_save *save, struct error *err);
enum err_kind save(struct fixture *fx, const struct delivery_save *save, struct error *err);
void save_ok(struct fixture *fx, const struct delivery_save *save);

/* Enabled, for all events. */
struct webhook_row make_webhook(struct fixture *fx, const struct app_row *app);
/* Every event that waits, others' tests' too, to the webhooks that want it. */
void hand_over_events(struct fixture *fx);

struct page {
	struct post_row *posts;
	size_t count;
	int64_t total;
};
struct page list_posts(struct fixture *fx, const struct post_filter *filter);

bool str_is(struct str s, const char *expected);

/* The parts of the suite. */
int run_accept_tests(void);
int run_app_tests(void);
int run_app_end_tests(void);
int run_connection_tests(void);
int run_post_tests(void);
int run_delivery_tests(void);
int run_counter_tests(void);
int run_tally_tests(void);
int run_change_tests(void);
int run_dashboard_tests(void);
int run_find_tests(void);
int run_node_tests(void);
int run_lane_tests(void);
int run_look_tests(void);
int run_media_tests(void);
int run_quota_tests(void);
int run_removal_tests(void);
int run_late_id_tests(void);
int run_reseal_tests(void);
int run_retry_many_tests(void);
int run_sandbox_tests(void);
int run_audit_tests(void);
int run_turn_tests(void);
int run_words_tests(void);
int run_beside_tests(void);

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)
