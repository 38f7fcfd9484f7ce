/* SPDX-License-Identifier: Apache-2.0
 * Conformance: what the dashboard asks: sessions and who may have one, pages of posts by any
 * filter, days, how deliveries ended, posts that a person saw, and events once more. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "store_admin_link.h"
#include "store_dashboard.h"
#include "store_event.h"
#include "store_post_resolve.h"
#include "store_second_factor.h"
#include "store_session.h"

static const struct failure unknown = {.class = FAILURE_PERMANENT,
				       .code = FAILURE_CODE_OUTCOME_UNKNOWN,
				       .message = STR("Nobody knows.")};
static const struct failure refused = {
	.class = FAILURE_PERMANENT, .code = FAILURE_CODE_PLATFORM_REJECTED, .message = STR("No.")};

/* ---- who may sign in ---- */

static struct admin_row make_admin(struct fixture *fx, const char *hash)
{
	return (struct admin_row){.id = new_uuid(fx),
				  .email = new_name(fx, "admin"),
				  .password_hash = str_of(hash),
				  .created_at_us = NOW};
}

static void an_admin_is_given_a_password_once(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row stored = {0};
	bool any = false;
	const struct admin_row bare = make_admin(fx, "");
	ok(store_admin_put(fx->store, fx->arena, &bare, ADMIN_IF_NEW, &stored, &err), &err);
	const struct admin_row claim_row = {.id = new_uuid(fx),
					    .email = bare.email,
					    .password_hash = STR("hash"),
					    .created_at_us = NOW + 1};
	ok(store_admin_put(fx->store, fx->arena, &claim_row, ADMIN_IF_NEW, &stored, &err), &err);
	assert_true(str_equal(stored.id, bare.id) && str_is(stored.password_hash, "hash"));
	assert_int_equal(stored.created_at_us, NOW);
	ok(store_admin_any(fx->store, &any, &err), &err);
	assert_true(any);
	assert_int_equal(
		store_admin_put(fx->store, fx->arena, &claim_row, ADMIN_IF_NEW, &stored, &err),
		ERR_CONFLICT);
	const struct admin_row late = make_admin(fx, "hash");
	assert_int_equal(
		store_admin_put(fx->store, fx->arena, &late, ADMIN_IF_FIRST, &stored, &err),
		ERR_CONFLICT);
	assert_int_equal(store_admin_find(fx->store, fx->arena, late.email, &stored, &err),
			 ERR_NOT_FOUND);
	ok(store_admin_put(fx->store, fx->arena, &late, ADMIN_IF_NEW, &stored, &err), &err);
	assert_true(str_equal(stored.id, late.id));
	assert_int_equal(stored.role, ADMIN_OWNER); /* not the first with a password */
	ok(store_admin_remove(fx->store, late.email, STR(""), false, &err), &err);
	ok(store_admin_remove(fx->store, bare.email, STR(""), false, &err), &err);
	assert_int_equal(store_admin_remove(fx->store, bare.email, STR(""), false, &err),
			 ERR_NOT_FOUND);
}

/* The database may be one that other tests have left roots in. */
static void demote_others(struct fixture *fx, struct str email)
{
	struct admin_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_admin_list(fx->store, fx->arena, &rows, &count, &err), &err);
	for (size_t i = 0; i < count; i++) {
		if (!str_equal(rows[i].email, email))
			ok(store_admin_set_role(fx->store, rows[i].email, ADMIN_OWNER, false, &err),
			   &err);
	}
}

static void one_root_stays(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row root = make_admin(fx, "hash");
	struct admin_row other = make_admin(fx, "hash");
	root.role = ADMIN_ROOT;
	ok(store_admin_put(fx->store, fx->arena, &root, ADMIN_IF_NEW, &root, &err), &err);
	ok(store_admin_put(fx->store, fx->arena, &other, ADMIN_IF_NEW, &other, &err), &err);
	demote_others(fx, root.email);
	assert_int_equal(store_admin_remove(fx->store, root.email, STR(""), true, &err),
			 ERR_CONFLICT);
	assert_int_equal(store_admin_set_role(fx->store, root.email, ADMIN_OWNER, true, &err),
			 ERR_CONFLICT);
	ok(store_admin_find(fx->store, fx->arena, root.email, &root, &err), &err);
	assert_int_equal(root.role, ADMIN_ROOT); /* nothing is half done */
	ok(store_admin_set_role(fx->store, other.email, ADMIN_ROOT, true, &err), &err);
	ok(store_admin_set_role(fx->store, root.email, ADMIN_OWNER, true, &err), &err);
	ok(store_admin_remove(fx->store, root.email, STR(""), true, &err), &err);
	assert_int_equal(store_admin_set_role(fx->store, root.email, ADMIN_ROOT, true, &err),
			 ERR_NOT_FOUND);
	ok(store_admin_remove(fx->store, other.email, STR(""), false, &err), &err);
}

static enum err_kind accept(struct fixture *fx, const struct admin_link *link, int64_t now_us,
			    struct admin_row *out)
{
	struct error err = {0};
	return store_admin_link_set_password(fx->store, fx->arena, link, now_us, STR("chosen"), out,
					     &err);
}

static void a_link_lets_in_once(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row admin = make_admin(fx, "");
	struct admin_row found = {0};
	struct admin_link link = {new_name(fx, "hash"), ADMIN_LINK_PASSWORD, NOW + 10};
	admin.role = ADMIN_ROOT;
	ok(store_admin_link_invite(fx->store, fx->arena, &link, &admin, NOW, &found, &err), &err);
	assert_true(str_equal(found.id, admin.id) && found.role == ADMIN_ROOT);
	ok(store_admin_link_find(fx->store, fx->arena, &link, NOW + 9, &found, &err), &err);
	assert_true(str_equal(found.email, admin.email));
	assert_int_equal(accept(fx, &link, NOW + 10, &found), ERR_FORBIDDEN);
	struct admin_link other_kind = link;
	other_kind.kind = ADMIN_LINK_SIGN_IN;
	assert_int_equal(
		store_admin_link_sign_in(fx->store, fx->arena, &other_kind, NOW, &found, &err),
		ERR_FORBIDDEN);
	/* Invited again, as an owner: the first link is dead. */
	struct admin_link again = {new_name(fx, "hash"), ADMIN_LINK_PASSWORD, NOW + 10};
	admin.role = ADMIN_OWNER;
	ok(store_admin_link_invite(fx->store, fx->arena, &again, &admin, NOW, &found, &err), &err);
	assert_int_equal(accept(fx, &link, NOW, &found), ERR_FORBIDDEN);
	const struct admin_row first =
		make_admin(fx, "hash"); /* so that this one is not the first */
	ok(store_admin_put(fx->store, fx->arena, &first, ADMIN_IF_NEW, &found, &err), &err);
	ok(accept(fx, &again, NOW, &found), &err);
	assert_true(str_is(found.password_hash, "chosen") && found.role == ADMIN_OWNER);
	assert_int_equal(accept(fx, &again, NOW, &found), ERR_FORBIDDEN);
	assert_int_equal(
		store_admin_link_invite(fx->store, fx->arena, &again, &admin, NOW, &found, &err),
		ERR_CONFLICT);
	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
	ok(store_admin_remove(fx->store, first.email, STR(""), false, &err), &err);
}

static void a_link_goes_with_its_admin(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row admin = make_admin(fx, "hash");
	struct admin_row found = {0};
	const struct admin_link link = {new_name(fx, "hash"), ADMIN_LINK_SIGN_IN, NOW + 10};
	const struct admin_link setup = {new_name(fx, "hash"), ADMIN_LINK_SETUP, NOW + 10};
	ok(store_admin_put(fx->store, fx->arena, &admin, ADMIN_IF_NEW, &admin, &err), &err);
	ok(store_admin_link_add(fx->store, fx->arena, &link, admin.email, NOW, &found, &err), &err);
	assert_int_equal(store_admin_link_add_setup(fx->store, &setup, NOW, &err), ERR_CONFLICT);
	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
	assert_int_equal(store_admin_link_sign_in(fx->store, fx->arena, &link, NOW, &found, &err),
			 ERR_FORBIDDEN);
	assert_int_equal(
		store_admin_link_add(fx->store, fx->arena, &link, admin.email, NOW, &found, &err),
		ERR_NOT_FOUND);
}

static void a_code_is_used_up(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row admin = make_admin(fx, "hash");
	struct second_factor factor = {0};
	struct second_factor_start start = {
		.admin_id = admin.id, .secret_sealed = STR("sealed"), .last_step = 7};
	ok(store_admin_put(fx->store, fx->arena, &admin, ADMIN_IF_NEW, &admin, &err), &err);
	for (size_t i = 0; i < RECOVERY_CODES; i++)
		start.code_hashes[i] = new_name(fx, "code");
	assert_int_equal(store_second_factor_use_step(fx->store, admin.id, 9, &err), ERR_FORBIDDEN);
	ok(store_second_factor_turn_on(fx->store, &start, &err), &err);
	assert_int_equal(store_second_factor_turn_on(fx->store, &start, &err), ERR_CONFLICT);
	ok(store_second_factor_find(fx->store, fx->arena, admin.id, &factor, &err), &err);
	assert_true(str_is(factor.secret_sealed, "sealed") && factor.codes_left == RECOVERY_CODES);
	ok(store_admin_find(fx->store, fx->arena, admin.email, &admin, &err), &err);
	assert_true(admin.has_second_factor);
	assert_int_equal(store_second_factor_use_step(fx->store, admin.id, 7, &err), ERR_FORBIDDEN);
	ok(store_second_factor_use_step(fx->store, admin.id, 8, &err), &err);
	assert_int_equal(store_second_factor_use_step(fx->store, admin.id, 8, &err), ERR_FORBIDDEN);
	ok(store_second_factor_use_code(fx->store, admin.id, start.code_hashes[3], &err), &err);
	assert_int_equal(
		store_second_factor_use_code(fx->store, admin.id, start.code_hashes[3], &err),
		ERR_FORBIDDEN);
	ok(store_second_factor_set_codes(fx->store, admin.id, start.code_hashes, &err), &err);
	ok(store_second_factor_use_code(fx->store, admin.id, start.code_hashes[3], &err), &err);
	ok(store_second_factor_turn_off(fx->store, admin.id, &err), &err);
	assert_int_equal(store_second_factor_turn_off(fx->store, admin.id, &err), ERR_NOT_FOUND);
	assert_int_equal(
		store_second_factor_set_codes(fx->store, admin.id, start.code_hashes, &err),
		ERR_NOT_FOUND);
	assert_int_equal(
		store_second_factor_use_code(fx->store, admin.id, start.code_hashes[4], &err),
		ERR_FORBIDDEN);
	/* It goes with its admin. */
	ok(store_second_factor_turn_on(fx->store, &start, &err), &err);
	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
	assert_int_equal(store_second_factor_find(fx->store, fx->arena, admin.id, &factor, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(
		store_second_factor_use_code(fx->store, admin.id, start.code_hashes[4], &err),
		ERR_FORBIDDEN);
}

static struct session_row session_of(struct fixture *fx, const struct admin_row *admin,
				     int64_t now_us)
{
	return (struct session_row){.token_hash = new_name(fx, "hash"),
				    .is_secure = true,
				    .address = STR("10.0.0.1"),
				    .user_agent = STR("Browser"),
				    .created_at_us = now_us,
				    .last_seen_us = now_us,
				    .admin = *admin};
}

static bool is_there(struct fixture *fx, const struct session_row *session, int64_t begun_after_us,
		     int64_t seen_after_us)
{
	const struct session_limits limits = {begun_after_us, seen_after_us};
	struct session_row found = {0};
	struct error err = {0};
	const enum err_kind kind = store_session_find(fx->store, fx->arena, session->token_hash,
						      &limits, &found, &err);
	assert_true(kind == ERR_NONE || kind == ERR_NOT_FOUND);
	if (kind == ERR_NONE)
		assert_true(str_equal(found.admin.id, session->admin.id) && found.is_secure &&
			    str_is(found.address, "10.0.0.1"));
	return kind == ERR_NONE;
}

static void sessions_end(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row admin = make_admin(fx, "hash");
	const struct session_limits none = {0, 0};
	ok(store_admin_put(fx->store, fx->arena, &admin, ADMIN_IF_NEW, &admin, &err), &err);
	const struct session_row one = session_of(fx, &admin, NOW);
	const struct session_row two = session_of(fx, &admin, NOW + 1);
	ok(store_session_begin(fx->store, &one, STR(""), &none, &err), &err);
	assert_true(is_there(fx, &one, NOW - 1, NOW - 1));
	assert_false(is_there(fx, &one, NOW, NOW - 1)); /* begun too long ago */
	assert_false(is_there(fx, &one, NOW - 1, NOW)); /* not seen since */
	ok(store_session_touch(fx->store, one.token_hash, NOW + 5, &err), &err);
	assert_true(is_there(fx, &one, NOW - 1, NOW + 4));
	ok(store_session_touch(fx->store, one.token_hash, NOW + 2, &err), &err); /* never back */
	assert_true(is_there(fx, &one, NOW - 1, NOW + 4));
	/* A sign-in from the same browser ends the one before. */
	ok(store_session_begin(fx->store, &two, one.token_hash, &none, &err), &err);
	assert_false(is_there(fx, &one, 0, 0));
	struct session_row *rows = NULL;
	size_t count = 0;
	ok(store_session_list(fx->store, fx->arena, admin.id, &none, &rows, &count, &err), &err);
	assert_int_equal(count, 1);
	ok(store_session_end(fx->store, two.token_hash, &err), &err);
	ok(store_session_end(fx->store, two.token_hash, &err), &err);
	assert_false(is_there(fx, &two, 0, 0));
	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
}

static void a_new_password_ends_all_sessions_but_the_new(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row admin = make_admin(fx, "hash");
	const struct session_limits none = {0, 0};
	ok(store_admin_put(fx->store, fx->arena, &admin, ADMIN_IF_NEW, &admin, &err), &err);
	const struct session_row old = session_of(fx, &admin, NOW);
	const struct session_row renewed = session_of(fx, &admin, NOW + 1);
	ok(store_session_begin(fx->store, &old, STR(""), &none, &err), &err);
	ok(store_session_renew(fx->store, &renewed, STR("other hash"), &err), &err);
	assert_false(is_there(fx, &old, 0, 0));
	assert_true(is_there(fx, &renewed, 0, 0));
	ok(store_admin_find(fx->store, fx->arena, admin.email, &admin, &err), &err);
	assert_true(str_is(admin.password_hash, "other hash"));
	/* With its admin a session ends too; without an admin none is renewed. */
	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
	assert_false(is_there(fx, &renewed, 0, 0));
	assert_int_equal(store_session_renew(fx->store, &renewed, STR("x"), &err), ERR_NOT_FOUND);
}

static void the_oldest_of_too_many_sessions_ends(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct admin_row admin = make_admin(fx, "hash");
	const struct session_limits none = {0, 0};
	struct session_row sessions[SESSIONS_PER_ADMIN_MAX + 2];
	ok(store_admin_put(fx->store, fx->arena, &admin, ADMIN_IF_NEW, &admin, &err), &err);
	for (size_t i = 0; i < SESSIONS_PER_ADMIN_MAX + 2; i++) {
		sessions[i] = session_of(fx, &admin, NOW + (int64_t)i);
		ok(store_session_begin(fx->store, &sessions[i], STR(""), &none, &err), &err);
	}
	for (size_t i = 0; i < SESSIONS_PER_ADMIN_MAX + 2; i++)
		assert_int_equal(is_there(fx, &sessions[i], 0, 0), i >= 2);
	/* What is over is removed with the next sign-in. */
	const struct session_limits all_over = {NOW + 1000, NOW + 1000};
	const struct session_row last = session_of(fx, &admin, NOW + 2000);
	struct session_row *rows = NULL;
	size_t count = 0;
	ok(store_session_begin(fx->store, &last, STR(""), &all_over, &err), &err);
	ok(store_session_list(fx->store, fx->arena, admin.id, &none, &rows, &count, &err), &err);
	assert_int_equal(count, 1);
	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
}

static void an_app_changes_hands(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct admin_row admin = make_admin(fx, "hash");
	struct app_row found = {0};
	assert_int_equal(store_app_set_owner(fx->store, app.id, admin.email, &err), ERR_NOT_FOUND);
	ok(store_admin_put(fx->store, fx->arena, &admin, ADMIN_IF_NEW, &admin, &err), &err);
	assert_int_equal(store_app_set_owner(fx->store, new_uuid(fx), admin.email, &err),
			 ERR_NOT_FOUND);
	ok(store_app_set_owner(fx->store, app.id, admin.email, &err), &err);
	ok(store_app_find(fx->store, fx->arena, app.id, &found, &err), &err);
	assert_true(str_equal(found.owner_id, admin.id) &&
		    str_equal(found.owner_email, admin.email));
	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
}

/* ---- pages ---- */

static struct str post_with(struct fixture *fx, const struct app_row *app,
			    const struct account_row *account, const char *content,
			    int64_t scheduled_at_us)
{
	struct post_accept accept = make_post(fx, app, account, 1);
	accept.content = str_format(
		fx->arena, "{\"mode\":\"basic\",\"containers\":[{\"content\":\"%s\"}]}", content);
	accept.scheduled_at_us = scheduled_at_us;
	accept_post(fx, &accept);
	return accept.post_id;
}

static struct dashboard_page find(struct fixture *fx, const struct app_row *app,
				  struct dashboard_filter filter)
{
	struct dashboard_page page = {0};
	struct error err = {0};
	filter.app_id = app->id;
	if (filter.below_ordinal == 0)
		filter.below_ordinal = INT64_MAX;
	if (filter.max == 0)
		filter.max = 10;
	ok(store_dashboard_find(fx->store, fx->arena, &filter, &page, &err), &err);
	return page;
}

static void assert_ordinals(const struct dashboard_page *page, const char *expected)
{
	char got[64] = "";
	for (size_t i = 0; i < page->count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%lld ",
			 (long long)page->places[i].ordinal);
	assert_string_equal(got, expected);
}

static void pages_by_any_filter(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row on_x = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row on_linkedin = make_account(fx, &app, "bob", PLATFORM_LINKEDIN);
	const struct account_row foreign = make_account(fx, &other, "ann", PLATFORM_X);
	const int64_t tomorrow = TODAY + US_PER_DAY;
	post_with(fx, &app, &on_x, "Alpha 100%", tomorrow);
	post_with(fx, &app, &on_linkedin, "beta a_b!", 2 * US_PER_DAY + TODAY);
	post_with(fx, &app, &on_x, "gamma \\\"said\\\"", tomorrow + US_PER_HOUR);
	post_with(fx, &other, &foreign, "Alpha", tomorrow);
	struct dashboard_page page = find(fx, &app, (struct dashboard_filter){0});
	assert_ordinals(&page, "3 2 1 ");
	assert_true(page.looked_down_to <= 1);
	page = find(fx, &app, (struct dashboard_filter){.max = 2});
	assert_ordinals(&page, "3 2 ");
	page = find(fx, &app, (struct dashboard_filter){.below_ordinal = 2});
	assert_ordinals(&page, "1 ");
	page = find(fx, &app, (struct dashboard_filter){.status = STR("scheduled")});
	assert_ordinals(&page, "3 2 1 ");
	page = find(fx, &app, (struct dashboard_filter){.status = STR("failed")});
	assert_ordinals(&page, "");
	page = find(fx, &app, (struct dashboard_filter){.platform_mask = 1 << PLATFORM_LINKEDIN});
	assert_ordinals(&page, "2 ");
	page = find(fx, &app,
		    (struct dashboard_filter){.date_from_us = tomorrow,
					      .date_to_us = tomorrow + US_PER_DAY});
	assert_ordinals(&page, "3 1 ");
	page = find(fx, &app, (struct dashboard_filter){.user_id = STR("bob")});
	assert_ordinals(&page, "2 ");
	page = find(fx, &app, (struct dashboard_filter){.account_id = on_x.id});
	assert_ordinals(&page, "3 1 ");
	page = find(fx, &app, (struct dashboard_filter){.account_id = foreign.id});
	assert_ordinals(&page, "");
	page = find(fx, &app, (struct dashboard_filter){.error_code = STR("CANCELLED")});
	assert_ordinals(&page, "");
	assert_true(page.looked_down_to <= 1);
}

static int64_t total_of(struct fixture *fx, const struct app_row *app,
			struct dashboard_filter filter)
{
	int64_t total = 0;
	struct error err = {0};
	filter.app_id = app->id;
	ok(store_dashboard_total(fx->store, &filter, &total, &err), &err);
	return total;
}

/* By the counters, or not at all. */
static void how_many_there_are(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const int64_t tomorrow = TODAY + US_PER_DAY;
	for (size_t i = 0; i < 3; i++)
		post_with(fx, &app, &account, "x", tomorrow + (int64_t)i / 2 * US_PER_DAY);
	assert_int_equal(total_of(fx, &app, (struct dashboard_filter){0}), 3);
	assert_int_equal(total_of(fx, &app, (struct dashboard_filter){.status = STR("scheduled")}),
			 3);
	assert_int_equal(total_of(fx, &app, (struct dashboard_filter){.status = STR("failed")}), 0);
	assert_int_equal(total_of(fx, &app,
				  (struct dashboard_filter){.date_from_us = tomorrow,
							    .date_to_us = tomorrow + US_PER_DAY}),
			 2);
	assert_int_equal(total_of(fx, &app, (struct dashboard_filter){.platform_mask = 2}), -1);
	assert_int_equal(total_of(fx, &app, (struct dashboard_filter){.text = STR("x")}), -1);
	assert_int_equal(total_of(fx, &app, (struct dashboard_filter){.user_id = STR("ann")}), -1);
}

static void posts_of_a_page(void **state)
{
	static const int64_t ordinals[] = {3, 1, 99};
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	struct post_row *posts = NULL;
	size_t count = 0;
	struct str ids[3];
	for (size_t i = 0; i < 3; i++)
		ids[i] = post_with(fx, &app, &account, "x", TODAY + US_PER_DAY);
	ok(store_dashboard_posts(fx->store, fx->arena, app.id, ordinals, 3, &posts, &count, &err),
	   &err);
	assert_int_equal(count, 2);
	assert_true(str_equal(posts[0].id, ids[2]) && str_equal(posts[1].id, ids[0]));
	assert_int_equal(posts[0].delivery_count, 1);
	assert_true(str_equal(posts[0].deliveries[0].account_id, account.id));
}

static void days(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const int64_t day = TODAY / US_PER_DAY + 3;
	struct dashboard_day *rows = NULL;
	size_t count = 0;
	post_with(fx, &app, &account, "x", day * US_PER_DAY);
	post_with(fx, &app, &account, "x", (day + 1) * US_PER_DAY - 1);
	post_with(fx, &app, &account, "x", (day + 1) * US_PER_DAY);
	ok(store_dashboard_days(fx->store, fx->arena, app.id, day, day + 1, &rows, &count, &err),
	   &err);
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].day, day);
	assert_int_equal(rows[0].count, 2);
	assert_true(str_is(rows[0].status, "scheduled"));
}

#define SPREAD_POSTS 60
#define SPREAD_DAYS 12

/* Three a day, every fourth of them scheduled for days later. Returns the date of each. */
static void spread_posts(struct fixture *fx, const struct app_row *app, int64_t *dates_us)
{
	const struct account_row account = make_account(fx, app, "ann", PLATFORM_X);
	for (int64_t i = 0; i < SPREAD_POSTS; i++) {
		struct post_accept accept = make_post(fx, app, &account, 1);
		accept.now_us = TODAY + i * US_PER_DAY / 3;
		if (i % 4 == 3)
			accept.scheduled_at_us = accept.now_us + (i % 7 + 1) * US_PER_DAY;
		dates_us[i] = i % 4 == 3 ? accept.scheduled_at_us : accept.now_us;
		accept_post(fx, &accept);
	}
}

/* By the dates alone, newest first: ordinals count from 1. */
static void expect_day(struct fixture *fx, const struct app_row *app, const int64_t *dates_us,
		       struct dashboard_filter filter)
{
	const struct dashboard_page page = find(fx, app, filter);
	size_t found = 0;
	for (int64_t i = SPREAD_POSTS - 1; i >= 0; i--) {
		const bool fits = dates_us[i] >= filter.date_from_us &&
				  dates_us[i] < filter.date_to_us && i + 1 < filter.below_ordinal;
		if (!fits || (int64_t)found == filter.max)
			continue;
		assert_true(found < page.count);
		assert_int_equal(page.places[found].ordinal, i + 1);
		found++;
	}
	assert_int_equal(found, page.count);
}

static void a_day_of_a_list_is_complete(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	int64_t dates_us[SPREAD_POSTS];
	spread_posts(fx, &app, dates_us);
	for (int64_t day = -1; day < SPREAD_DAYS + 20; day++) {
		struct dashboard_filter filter = {.date_from_us = TODAY + day * US_PER_DAY,
						  .date_to_us = TODAY + (day + 1) * US_PER_DAY,
						  .below_ordinal = INT64_MAX,
						  .max = 20};
		expect_day(fx, &app, dates_us, filter);
		filter.max = 2;
		expect_day(fx, &app, dates_us, filter);
		filter.below_ordinal = 30;
		expect_day(fx, &app, dates_us, filter);
		filter.date_from_us += US_PER_HOUR; /* not a whole day */
		expect_day(fx, &app, dates_us, filter);
	}
	const struct app_row empty = make_app(fx);
	const struct dashboard_filter filter = {
		.date_from_us = TODAY, .date_to_us = NOW, .below_ordinal = INT64_MAX, .max = 5};
	assert_int_equal(find(fx, &empty, filter).count, 0);
}

/* ---- outcomes, and what a person saw ---- */

static struct str end_post(struct fixture *fx, const struct app_row *app,
			   const struct account_row *account, const struct failure *failure,
			   const char *parts)
{
	const struct str post_id = post_now(fx, app, account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save end = save_of(
		&work, failure != NULL ? DELIVERY_FAILED : DELIVERY_PUBLISHED, NOW + US_PER_S);
	end.failure = failure;
	end.parts = str_of(parts);
	save_ok(fx, &end);
	return post_id;
}

static size_t uses_since(struct fixture *fx, const struct app_row *app, int64_t since_us,
			 int64_t lately_us, struct dashboard_use **out)
{
	struct error err = {0};
	const struct dashboard_use_question question = {app->id, since_us, lately_us};
	size_t count = 0;
	ok(store_dashboard_uses(fx->store, fx->arena, &question, out, &count, &err), &err);
	return count;
}

static void what_accounts_published(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row bob = make_account(fx, &app, "bob", PLATFORM_TIKTOK);
	const int64_t out_us = NOW + US_PER_S;
	struct dashboard_use *uses = NULL;
	end_post(fx, &app, &ann, &refused, "");
	assert_int_equal(uses_since(fx, &app, 0, 0, &uses), 0);
	end_post(fx, &app, &bob, NULL, "");
	end_post(fx, &app, &ann, NULL, "");
	end_post(fx, &app, &bob, NULL, "");
	assert_int_equal(uses_since(fx, &app, out_us - 1, out_us, &uses), 2);
	assert_true(str_equal(uses[0].account_id, bob.id));
	assert_true(str_equal(uses[0].handle, bob.username));
	assert_int_equal(uses[0].platform, PLATFORM_TIKTOK);
	assert_int_equal(uses[0].published, 2);
	assert_int_equal(uses[0].published_lately, 0);
	assert_true(str_equal(uses[1].account_id, ann.id));
	assert_int_equal(uses[1].published, 1);
	assert_int_equal(uses_since(fx, &app, 0, out_us - 1, &uses), 2);
	assert_int_equal(uses[0].published_lately, 2);
	assert_int_equal(uses_since(fx, &app, out_us, out_us, &uses), 0);
}

/* A platform's limits are those of its account, whoever has connected it. */
static void what_two_users_published_on_one_account_counts_together(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row ann = make_account(fx, &app, "ann", PLATFORM_X);
	const struct account_row bob = make_same_account(fx, &app, "bob", &ann);
	const struct account_row eve = make_account(fx, &app, "eve", PLATFORM_X);
	struct dashboard_use *uses = NULL;
	end_post(fx, &app, &ann, NULL, "");
	end_post(fx, &app, &bob, NULL, "");
	end_post(fx, &app, &bob, NULL, "");
	end_post(fx, &app, &eve, NULL, "");
	assert_int_equal(uses_since(fx, &app, 0, NOW, &uses), 2);
	assert_int_equal(uses[0].published, 3);
	assert_int_equal(uses[0].published_lately, 3);
	assert_true(str_equal(uses[0].account_id, ann.id) || str_equal(uses[0].account_id, bob.id));
	assert_true(str_equal(uses[1].account_id, eve.id));
	assert_int_equal(uses[1].published, 1);
}

static size_t list_events(struct fixture *fx, const struct app_row *app, struct event_row **out)
{
	struct error err = {0};
	size_t count = 0;
	ok(store_event_list(fx->store, fx->arena, app->id, 0, 100, out, &count, &err), &err);
	return count;
}

static void a_person_saw_it(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const struct str post_id =
		end_post(fx, &app, &account, &unknown,
			 "[{\"state\":\"failed\",\"remote_id\":null,\"url\":null},{\"state\":"
			 "\"pending\",\"remote_id\":null,\"url\":null}]");
	struct post_appeared seen = {app.id,
				     post_id,
				     account.id,
				     STR("42"),
				     STR("https://x.example/42"),
				     NOW + US_PER_MINUTE};
	bool is_bound = false;
	struct post_appeared wrong = seen;
	wrong.app_id = other.id;
	assert_int_equal(store_post_appeared(fx->store, &wrong, &err), ERR_NOT_FOUND);
	wrong = seen;
	wrong.account_id = new_uuid(fx);
	assert_int_equal(store_post_appeared(fx->store, &wrong, &err), ERR_NOT_FOUND);
	ok(store_post_appeared(fx->store, &seen, &err), &err);
	const struct post_row post = get_post(fx, &app, post_id);
	assert_int_equal(post.state, POST_PUBLISHED);
	const struct delivery_row *delivery = &post.deliveries[0];
	assert_int_equal(delivery->state, POST_PUBLISHED);
	assert_int_equal(delivery->published_at_us, NOW + US_PER_MINUTE);
	assert_true(str_is(delivery->remote_id, "42") &&
		    str_is(delivery->url, "https://x.example/42"));
	assert_int_equal(delivery->error_code.len, 0);
	assert_true(str_is(
		delivery->parts,
		"[{\"state\":\"published\",\"remote_id\":\"42\",\"url\":\"https://x.example/42\"},"
		"{\"state\":\"pending\",\"remote_id\":null,\"url\":null}]"));
	ok(store_delivery_remote_id_is_bound(fx->store, account.id, STR("42"), STR(""), &is_bound,
					     &err),
	   &err);
	assert_true(is_bound);
	assert_int_equal(store_post_appeared(fx->store, &seen, &err), ERR_CONFLICT);
}

/* Who learnt of the failure by an event learns by an event that it was none. */
static void what_a_person_saw_is_an_event(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const struct str post_id = end_post(fx, &app, &account, &unknown, "");
	const struct str delivery_id = get_post(fx, &app, post_id).deliveries[0].id;
	const struct post_appeared seen = {app.id,    post_id, account.id,
					   STR("42"), STR(""), NOW + US_PER_MINUTE};
	struct event_row *events = NULL;
	const size_t before = list_events(fx, &app, &events);
	ok(store_post_appeared(fx->store, &seen, &err), &err);
	assert_int_equal(list_events(fx, &app, &events), before + 2);
	assert_int_equal(events[before].kind, EVENT_POST_PUBLISH_SUCCEEDED);
	assert_true(str_equal(events[before].subject_id, delivery_id));
	assert_true(str_equal(events[before].post_id, post_id));
	assert_int_equal(events[before + 1].kind, EVENT_POST_COMPLETED);
	assert_int_equal(store_post_appeared(fx->store, &seen, &err), ERR_CONFLICT);
	assert_int_equal(list_events(fx, &app, &events), before + 2);
}

static void only_an_unknown_outcome_is_settled(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "ann", PLATFORM_X);
	const struct str post_ids[] = {end_post(fx, &app, &account, &refused, ""),
				       end_post(fx, &app, &account, NULL, ""),
				       post_with(fx, &app, &account, "x", TODAY + US_PER_DAY)};
	for (size_t i = 0; i < 3; i++) {
		const struct post_row before = get_post(fx, &app, post_ids[i]);
		const struct post_appeared seen = {app.id,    post_ids[i], account.id,
						   STR("42"), STR(""),     NOW};
		assert_int_equal(store_post_appeared(fx->store, &seen, &err), ERR_CONFLICT);
		assert_int_equal(get_post(fx, &app, post_ids[i]).state, before.state);
	}
}

/* ---- webhooks ---- */

static enum err_kind end_delivery(struct store_tx *tx, void *argument, struct error *err)
{
	const struct webhook_save *save = argument;
	return store_webhook_save(tx, save, err);
}

static struct str number_as_body(struct arena *arena, const struct event_row *event)
{
	return str_format(arena, "{\"seq\":%lld}", (long long)event->seq);
}

static void an_event_goes_once_more(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct webhook_row webhook = make_webhook(fx, &app);
	const struct event_row event = {.id = new_uuid(fx),
					.app_id = app.id,
					.kind = EVENT_TEST,
					.subject_id = webhook.id,
					.created_at_us = NOW};
	struct webhook_delivery_row *log = NULL;
	size_t count = 0;
	ok(store_webhook_test(fx->store, &event, number_as_body, NULL, &err), &err);
	ok(store_webhook_log(fx->store, fx->arena, webhook.id, 0, 10, &log, &count, &err), &err);
	assert_int_equal(count, 1);
	struct event_row *kept = NULL;
	ok(store_event_list(fx->store, fx->arena, app.id, 0, 10, &kept, &count, &err), &err);
	assert_int_equal(count, 1);
	assert_true(str_equal(kept[0].body, number_as_body(fx->arena, &kept[0])));
	const int64_t id = log[0].id;
	assert_int_equal(store_webhook_resend(fx->store, webhook.id, id, NOW, NULL, &err),
			 ERR_CONFLICT);
	struct webhook_save save = {id, webhook.app_id, webhook.id, 1,      WEBHOOK_SUCCEEDED,
				    0,  STR("[{}]"),    NOW,        STR("")};
	ok(store_write(fx->store, end_delivery, &save, &err), &err);
	assert_int_equal(store_webhook_resend(fx->store, new_uuid(fx), id, NOW, NULL, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(store_webhook_resend(fx->store, webhook.id, id + 1000, NOW, NULL, &err),
			 ERR_NOT_FOUND);
	ok(store_webhook_resend(fx->store, webhook.id, id, NOW + US_PER_S, NULL, &err), &err);
	ok(store_webhook_log(fx->store, fx->arena, webhook.id, 0, 10, &log, &count, &err), &err);
	assert_int_equal(log[0].state, WEBHOOK_PENDING);
	assert_int_equal(log[0].next_attempt_at_us, NOW + US_PER_S);
	assert_true(str_is(log[0].log, "[{}]")); /* what was is kept */
	ok(store_webhook_delete(fx->store, app.id, webhook.id, &err), &err);
}

int run_dashboard_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(an_admin_is_given_a_password_once),
		STORE_TEST(one_root_stays),
		STORE_TEST(a_link_lets_in_once),
		STORE_TEST(a_link_goes_with_its_admin),
		STORE_TEST(a_code_is_used_up),
		STORE_TEST(sessions_end),
		STORE_TEST(a_new_password_ends_all_sessions_but_the_new),
		STORE_TEST(the_oldest_of_too_many_sessions_ends),
		STORE_TEST(an_app_changes_hands),
		STORE_TEST(pages_by_any_filter),
		STORE_TEST(how_many_there_are),
		STORE_TEST(posts_of_a_page),
		STORE_TEST(days),
		STORE_TEST(a_day_of_a_list_is_complete),
		STORE_TEST(what_accounts_published),
		STORE_TEST(what_two_users_published_on_one_account_counts_together),
		STORE_TEST(a_person_saw_it),
		STORE_TEST(what_a_person_saw_is_an_event),
		STORE_TEST(only_an_unknown_outcome_is_settled),
		STORE_TEST(an_event_goes_once_more),
	};
	return cmocka_run_group_tests_name("store: the dashboard", tests, fixture_open,
					   fixture_close);
}
