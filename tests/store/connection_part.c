/* SPDX-License-Identifier: Apache-2.0
 * Conformance: connections and accounts. */
#include "fixture.h"

#include "store_event.h"

#include <pthread.h>

static enum err_kind find(struct fixture *fx, struct str app_id, struct str id, int64_t now_us,
			  struct connection_row *out)
{
	struct error err = {0};
	return store_connection_find(fx->store, fx->arena, app_id, id, now_us, out, &err);
}

static void a_connection_is_read_back_whole(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_X);
	struct connection_row found = {0};
	assert_int_equal(find(fx, app.id, made.id, NOW, &found), ERR_NONE);
	assert_int_equal(found.platform, PLATFORM_X);
	assert_true(str_is(found.user_id, "user-1"));
	assert_true(str_equal(found.redirect_url, made.redirect_url));
	assert_true(str_equal(found.state_hash, made.state_hash));
	assert_true(str_equal(found.callback_url, made.callback_url));
	assert_true(str_equal(found.pkce_sealed, STR("pkce\0sealed")));
	assert_true(str_equal(found.flow, made.flow));
	assert_int_equal(found.state, CONNECTION_PENDING);
	assert_int_equal(found.created_at_us, NOW);
}

static void a_connection_is_seen_in_its_app_and_its_time_only(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_X);
	struct connection_row found = {0};
	assert_int_equal(find(fx, other.id, made.id, NOW, &found), ERR_NOT_FOUND);
	assert_int_equal(find(fx, app.id, STR("conn_none"), NOW, &found), ERR_NOT_FOUND);
	assert_int_equal(find(fx, app.id, made.id, NOW + CONNECTION_VALID_US - 1, &found),
			 ERR_NONE);
	assert_int_equal(found.state, CONNECTION_PENDING);
	assert_int_equal(find(fx, app.id, made.id, NOW + CONNECTION_VALID_US, &found), ERR_NONE);
	assert_int_equal(found.state, CONNECTION_FAILED);
	assert_true(str_is(found.error, "expired"));
	assert_int_equal(find(fx, app.id, made.id, NOW + CONNECTION_KEPT_US - 1, &found), ERR_NONE);
	assert_int_equal(find(fx, app.id, made.id, NOW + CONNECTION_KEPT_US, &found),
			 ERR_NOT_FOUND);
}

static enum err_kind by_state(struct fixture *fx, struct str hash, enum platform_id platform,
			      int64_t now_us)
{
	struct error err = {0};
	struct connection_row found = {0};
	return store_connection_find_by_state(fx->store, fx->arena, hash, platform, now_us, &found,
					      &err);
}

static void a_state_opens_its_own_door_once(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_X);
	assert_int_equal(by_state(fx, made.state_hash, PLATFORM_X, NOW), ERR_NONE);
	assert_int_equal(by_state(fx, made.state_hash, PLATFORM_TIKTOK, NOW), ERR_NOT_FOUND);
	assert_int_equal(by_state(fx, made.state_hash, PLATFORM_X, NOW + CONNECTION_VALID_US),
			 ERR_NOT_FOUND);
	assert_int_equal(by_state(fx, STR(""), PLATFORM_X, NOW), ERR_NOT_FOUND);
	assert_int_equal(by_state(fx, STR("unknown"), PLATFORM_X, NOW), ERR_NOT_FOUND);

	assert_int_equal(store_connection_consume_state(fx->store, made.id, STR("wrong"),
							STR("code"), STR("b"), &err),
			 ERR_CONFLICT);
	ok(store_connection_consume_state(fx->store, made.id, made.state_hash, STR("co\0de"),
					  STR("browser"), &err),
	   &err);
	assert_int_equal(by_state(fx, made.state_hash, PLATFORM_X, NOW), ERR_NOT_FOUND);
	assert_int_equal(by_state(fx, STR(""), PLATFORM_X, NOW), ERR_NOT_FOUND);
	assert_int_equal(store_connection_consume_state(fx->store, made.id, STR(""), STR("code"),
							STR("b"), &err),
			 ERR_CONFLICT);
	struct connection_row found = {0};
	assert_int_equal(find(fx, app.id, made.id, NOW, &found), ERR_NONE);
	assert_true(str_equal(found.code_sealed, STR("co\0de")));
	assert_true(str_is(found.browser_hash, "browser"));
	assert_true(str_is_empty(found.state_hash));
}

struct consumer {
	pthread_t thread;
	struct store *store;
	struct str id;
	struct str hash;
	enum err_kind kind;
};

static void *consume(void *argument)
{
	struct consumer *consumer = argument;
	struct error err = {0};
	consumer->kind = store_connection_consume_state(consumer->store, consumer->id,
							consumer->hash, STR("code"), STR(""), &err);
	return NULL;
}

static void of_callbacks_at_once_one_wins(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_X);
	struct consumer consumers[16];
	int winners = 0;
	for (size_t i = 0; i < 16; i++) {
		consumers[i] = (struct consumer){
			.store = fx->store, .id = made.id, .hash = made.state_hash};
		pthread_create(&consumers[i].thread, NULL, consume, &consumers[i]);
	}
	for (size_t i = 0; i < 16; i++) {
		pthread_join(consumers[i].thread, NULL);
		winners += consumers[i].kind == ERR_NONE;
		assert_true(consumers[i].kind == ERR_NONE || consumers[i].kind == ERR_CONFLICT);
	}
	assert_int_equal(winners, 1);
}

static bool is_started(struct fixture *fx, struct str id, int64_t now_us)
{
	struct error err = {0};
	struct connection_row *started = NULL;
	size_t count = 0;
	ok(store_connection_list_started(fx->store, fx->arena, now_us, &started, &count, &err),
	   &err);
	for (size_t i = 0; i < count; i++) {
		if (str_equal(started[i].id, id))
			return true;
	}
	return false;
}

/* Cut off by a crash, and found again after its time. */
static void what_expired_on_its_way_holds_no_secret(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct connection_row old = make_connection(fx, &app, "u", PLATFORM_X);
	struct connection_row seen = {0};
	ok(store_connection_consume_state(fx->store, old.id, old.state_hash, STR("code"), STR(""),
					  &err),
	   &err);
	assert_true(is_started(fx, old.id, NOW + CONNECTION_VALID_US - 1));
	ok(store_connection_find(fx->store, fx->arena, app.id, old.id, NOW, &seen, &err), &err);
	assert_true(str_is(seen.code_sealed, "code"));
	assert_false(is_started(fx, old.id, NOW + CONNECTION_VALID_US));
	ok(store_connection_find(fx->store, fx->arena, app.id, old.id, NOW, &seen, &err), &err);
	assert_true(str_is_empty(seen.code_sealed));
	assert_true(str_is_empty(seen.pkce_sealed));
	assert_int_equal(seen.state, CONNECTION_PENDING);
}

struct act {
	struct str connection_id;
	const struct account_row *accounts;
	size_t count;
	int64_t now_us;
};

static enum err_kind do_succeed(struct store_tx *tx, void *argument, struct error *err)
{
	const struct act *act = argument;
	return store_connection_succeed(tx, act->connection_id, act->accounts, act->count,
					act->now_us, NULL, err);
}

static enum err_kind do_fail(struct store_tx *tx, void *argument, struct error *err)
{
	const struct act *act = argument;
	return store_connection_fail(tx, act->connection_id, STR("access_denied"),
				     STR("The user said no."), act->now_us, err);
}

static enum err_kind do_save_flow(struct store_tx *tx, void *argument, struct error *err)
{
	const struct act *act = argument;
	return store_connection_save_flow(tx, act->connection_id, STR("{\"n\":2}"), STR("fl\0ow"),
					  err);
}

static enum err_kind run(struct fixture *fx, store_command command, struct act *act)
{
	struct error err = {0};
	return store_write(fx->store, command, act, &err);
}

static void a_failed_connection_is_final_and_holds_no_secret(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_X);
	struct act act = {.connection_id = made.id, .now_us = NOW + 9};
	assert_false(is_started(fx, made.id, NOW));
	ok(store_connection_consume_state(fx->store, made.id, made.state_hash, STR("code"), STR(""),
					  &err),
	   &err);
	assert_true(is_started(fx, made.id, NOW));
	assert_false(is_started(fx, made.id, NOW + CONNECTION_VALID_US));
	assert_int_equal(run(fx, do_save_flow, &act), ERR_NONE);
	struct connection_row found = {0};
	assert_int_equal(find(fx, app.id, made.id, NOW, &found), ERR_NONE);
	assert_true(str_is(found.flow, "{\"n\":2}"));
	assert_true(str_equal(found.flow_sealed, STR("fl\0ow")));

	assert_int_equal(run(fx, do_fail, &act), ERR_NONE);
	assert_int_equal(find(fx, app.id, made.id, NOW, &found), ERR_NONE);
	assert_int_equal(found.state, CONNECTION_FAILED);
	assert_true(str_is(found.error, "access_denied"));
	assert_true(str_is(found.error_description, "The user said no."));
	assert_int_equal(found.finished_at_us, NOW + 9);
	assert_true(str_is_empty(found.code_sealed) && str_is_empty(found.flow_sealed) &&
		    str_is_empty(found.pkce_sealed) && str_is_empty(found.flow));
	assert_false(is_started(fx, made.id, NOW));
	assert_int_equal(run(fx, do_succeed, &act), ERR_CONFLICT);
	assert_int_equal(run(fx, do_fail, &act), ERR_CONFLICT);
	assert_int_equal(run(fx, do_save_flow, &act), ERR_CONFLICT);
}

static struct account_row fresh_account(struct fixture *fx, const char *remote_id)
{
	return (struct account_row){
		.id = new_uuid(fx),
		.platform_account_id = str_of(remote_id),
		.username = STR("name"),
		.name = STR("Name"),
		.email = STR("e@example"),
		.avatar_url = STR("https://cdn.example/a.png"),
		.type = ACCOUNT_PAGE,
		.state = ACCOUNT_ACTIVE,
		.access_token_sealed = STR("at\0one"),
		.refresh_token_sealed = STR("rt\0one"),
		.extra = STR("{\"a\":1}"),
		.extra_sealed = STR("ex\0one"),
		.scopes = STR("a b"),
		.expires_at_us = NOW + 100,
		.refresh_expires_at_us = NOW + 200,
	};
}

struct picture {
	struct str account_id;
	const char *url;
};

static enum err_kind do_set_avatar(struct store_tx *tx, void *argument, struct error *err)
{
	const struct picture *picture = argument;
	return store_account_set_avatar(tx, picture->account_id, str_of(picture->url), NOW + 9,
					err);
}

/* Of several apps at once, as the cache asks; what is disconnected keeps no picture and gets no
 * new address. */
static void pictures_are_of_connected_accounts_with_an_address(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_FACEBOOK);
	struct account_row accounts[] = {fresh_account(fx, "with"), fresh_account(fx, "without"),
					 fresh_account(fx, "gone")};
	accounts[1].avatar_url = STR("");
	struct act act = {made.id, accounts, 3, NOW};
	assert_int_equal(run(fx, do_succeed, &act), ERR_NONE);
	ok(store_account_disconnect(fx->store, accounts[2].id, NOW, &err), &err);
	const struct str ids[] = {STR("unknown"), accounts[2].id, accounts[1].id, accounts[0].id};
	bool have[] = {true, true, true, false};
	ok(store_account_have_avatars(fx->store, fx->arena, ids, 4, have, &err), &err);
	assert_true(!have[0] && !have[1] && !have[2] && have[3]);

	struct picture pictures[] = {{accounts[1].id, "https://cdn.example/b.png"},
				     {accounts[2].id, "https://cdn.example/c.png"}};
	ok(store_write(fx->store, do_set_avatar, &pictures[0], &err), &err);
	ok(store_write(fx->store, do_set_avatar, &pictures[1], &err), &err);
	ok(store_account_have_avatars(fx->store, fx->arena, ids, 4, have, &err), &err);
	assert_true(!have[0] && !have[1] && have[2] && have[3]);
	struct account_row found[2];
	bool is_found[2];
	ok(store_account_get_many(fx->store, fx->arena, app.id, &ids[1], 2, found, is_found, &err),
	   &err);
	assert_true(is_found[0] && is_found[1]);
	assert_true(str_is(found[0].avatar_url, "https://cdn.example/a.png"));
	assert_true(str_is(found[1].avatar_url, "https://cdn.example/b.png"));
}

/* Who asked at 15 minutes was told "expired": an exchange that ends later must not turn that
 * round. */
static void a_success_after_the_time_is_up_is_refused(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_X);
	const struct account_row account = fresh_account(fx, "late");
	struct act act = {made.id, &account, 1, NOW + CONNECTION_VALID_US};
	struct connection_row found = {0};
	assert_int_equal(run(fx, do_succeed, &act), ERR_CONFLICT);
	assert_int_equal(find(fx, app.id, made.id, NOW + CONNECTION_VALID_US, &found), ERR_NONE);
	assert_int_equal(found.state, CONNECTION_FAILED);
	act.now_us = NOW + CONNECTION_VALID_US - 1;
	assert_int_equal(run(fx, do_succeed, &act), ERR_NONE);
}

static void a_success_brings_its_accounts_in_order(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct connection_row made = make_connection(fx, &app, "user-1", PLATFORM_FACEBOOK);
	const struct account_row accounts[] = {fresh_account(fx, "page-b"),
					       fresh_account(fx, "page-a")};
	struct act act = {made.id, accounts, 2, NOW + 7};
	assert_int_equal(run(fx, do_succeed, &act), ERR_NONE);

	struct connection_row connection = {0};
	assert_int_equal(find(fx, app.id, made.id, NOW + CONNECTION_VALID_US, &connection),
			 ERR_NONE);
	assert_int_equal(connection.state, CONNECTION_SUCCESS);
	struct account_row *found = NULL;
	size_t count = 0;
	ok(store_account_list_of_connection(fx->store, fx->arena, made.id, &found, &count, &err),
	   &err);
	assert_int_equal(count, 2);
	const struct account_row *first = &found[0];
	assert_true(str_equal(first->id, accounts[0].id));
	assert_true(str_is(found[1].platform_account_id, "page-a"));
	assert_true(str_equal(first->app_id, app.id));
	assert_true(str_is(first->user_id, "user-1"));
	assert_int_equal(first->platform, PLATFORM_FACEBOOK);
	assert_true(str_equal(first->connection_id, made.id));
	assert_true(str_is(first->name, "Name") && str_is(first->email, "e@example"));
	assert_int_equal(first->type, ACCOUNT_PAGE);
	assert_int_equal(first->state, ACCOUNT_ACTIVE);
	assert_true(str_equal(first->access_token_sealed, STR("at\0one")));
	assert_true(str_equal(first->extra_sealed, STR("ex\0one")));
	assert_int_equal(first->expires_at_us, NOW + 100);
	assert_int_equal(first->refresh_expires_at_us, NOW + 200);
	assert_int_equal(first->token_version, 1);
	assert_int_equal(first->created_at_us, NOW + 7);
}

static struct account_row get_account(struct fixture *fx, const struct app_row *app, struct str id)
{
	struct error err = {0};
	struct account_row account = {0};
	bool found = false;
	ok(store_account_get_many(fx->store, fx->arena, app->id, &id, 1, &account, &found, &err),
	   &err);
	assert_true(found);
	return account;
}

static void connecting_again_keeps_id_and_refresh_token(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct connection_row one = make_connection(fx, &app, "user-1", PLATFORM_X);
	struct account_row account = fresh_account(fx, "remote-1");
	struct act act = {one.id, &account, 1, NOW};
	assert_int_equal(run(fx, do_succeed, &act), ERR_NONE);

	struct str id = {0};
	ok(store_account_id_for(fx->store, fx->arena, app.id, PLATFORM_X, STR("user-1"),
				STR("remote-1"), &id, &err),
	   &err);
	assert_true(str_equal(id, account.id));
	const struct connection_row two = make_connection(fx, &app, "user-1", PLATFORM_X);
	account.access_token_sealed = STR("at\0two");
	account.refresh_token_sealed = STR("");
	account.refresh_expires_at_us = 0;
	account.username = STR("renamed");
	act = (struct act){two.id, &account, 1, NOW + 5};
	assert_int_equal(run(fx, do_succeed, &act), ERR_NONE);

	const struct account_row found = get_account(fx, &app, id);
	assert_true(str_equal(found.access_token_sealed, STR("at\0two")));
	assert_true(str_equal(found.refresh_token_sealed, STR("rt\0one")));
	assert_int_equal(found.refresh_expires_at_us, NOW + 200);
	assert_true(str_is(found.username, "renamed"));
	assert_true(str_equal(found.connection_id, two.id));
	assert_int_equal(found.token_version, 2);
	assert_int_equal(found.created_at_us, NOW);
	assert_int_equal(found.updated_at_us, NOW + 5);
}

/* The tokens are sealed under the id the caller believed in. */
static void an_account_made_meanwhile_is_a_conflict(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct connection_row one = make_connection(fx, &app, "user-1", PLATFORM_X);
	const struct connection_row two = make_connection(fx, &app, "user-1", PLATFORM_X);
	const struct account_row first = fresh_account(fx, "remote-1");
	const struct account_row second = fresh_account(fx, "remote-1");
	struct act act = {one.id, &first, 1, NOW};
	assert_int_equal(run(fx, do_succeed, &act), ERR_NONE);
	act = (struct act){two.id, &second, 1, NOW};
	assert_int_equal(run(fx, do_succeed, &act), ERR_CONFLICT);
	struct connection_row connection = {0};
	assert_int_equal(find(fx, app.id, two.id, NOW, &connection), ERR_NONE);
	assert_int_equal(connection.state, CONNECTION_PENDING);
}

static void the_same_platform_account_of_two_users_is_two(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct str ids[2] = {{0}};
	for (size_t i = 0; i < 2; i++) {
		const char *user = i == 0 ? "user-1" : "user-2";
		const struct connection_row made = make_connection(fx, &app, user, PLATFORM_X);
		const struct account_row account = fresh_account(fx, "remote-1");
		struct act act = {made.id, &account, 1, NOW};
		assert_int_equal(run(fx, do_succeed, &act), ERR_NONE);
		ok(store_account_id_for(fx->store, fx->arena, app.id, PLATFORM_X, str_of(user),
					STR("remote-1"), &ids[i], &err),
		   &err);
	}
	assert_false(str_equal(ids[0], ids[1]));
	struct str none = STR("x");
	ok(store_account_id_for(fx->store, fx->arena, app.id, PLATFORM_X, STR("user-3"),
				STR("remote-1"), &none, &err),
	   &err);
	assert_true(str_is_empty(none));
}

static void accounts_come_in_the_order_asked_and_from_the_app_only(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row a = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row b = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row foreign = make_account(fx, &other, "u", PLATFORM_X);
	const struct str ids[] = {b.id, foreign.id, STR("none"), a.id};
	struct account_row out[4] = {0};
	bool found[4] = {0};
	ok(store_account_get_many(fx->store, fx->arena, app.id, ids, 4, out, found, &err), &err);
	assert_true(found[0] && !found[1] && !found[2] && found[3]);
	assert_true(str_equal(out[0].id, b.id) && str_equal(out[3].id, a.id));
}

struct token_save {
	struct str account_id;
	int64_t version;
	struct str refresh;
};

static enum err_kind do_save_token(struct store_tx *tx, void *argument, struct error *err)
{
	const struct token_save *t = argument;
	const struct account_tokens token = {t->account_id, t->version, STR("at\0new"),
					     t->refresh,    NOW + 1000, NOW + 2000};
	return store_account_save_token(tx, &token, NOW + 3, err);
}

static enum err_kind do_set_state(struct store_tx *tx, void *argument, struct error *err)
{
	const struct token_save *t = argument;
	return store_account_set_state(tx, t->account_id, ACCOUNT_REAUTH_REQUIRED,
				       STR("token revoked"), NOW + 4, err);
}

static void of_two_refreshers_the_second_is_told(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct token_save t = {account.id, 1, STR("")};
	ok(store_write(fx->store, do_save_token, &t, &err), &err);
	struct account_row found = get_account(fx, &app, account.id);
	assert_true(str_equal(found.access_token_sealed, STR("at\0new")));
	assert_true(str_equal(found.refresh_token_sealed, STR("refresh\0sealed")));
	assert_int_equal(found.refresh_expires_at_us, 0);
	assert_int_equal(found.token_version, 2);
	assert_int_equal(found.expires_at_us, NOW + 1000);
	assert_int_equal(found.last_refresh_at_us, NOW + 3);
	assert_int_equal(store_write(fx->store, do_save_token, &t, &err), ERR_CONFLICT);
	t = (struct token_save){account.id, 2, STR("rt\0new")};
	ok(store_write(fx->store, do_save_token, &t, &err), &err);
	found = get_account(fx, &app, account.id);
	assert_true(str_equal(found.refresh_token_sealed, STR("rt\0new")));
	assert_int_equal(found.refresh_expires_at_us, NOW + 2000);
}

static void an_account_state_is_kept_with_its_reason(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct token_save t = {.account_id = account.id};
	ok(store_write(fx->store, do_set_state, &t, &err), &err);
	const struct account_row found = get_account(fx, &app, account.id);
	assert_int_equal(found.state, ACCOUNT_REAUTH_REQUIRED);
	assert_true(str_is(found.last_error, "token revoked"));
	assert_int_equal(found.updated_at_us, NOW + 4);
	t.account_id = STR("none");
	assert_int_equal(store_write(fx->store, do_set_state, &t, &err), ERR_NOT_FOUND);
}

static enum err_kind do_save_extra(struct store_tx *tx, void *argument, struct error *err)
{
	const struct token_save *t = argument;
	return store_account_save_extra(tx, t->account_id, t->version, STR("{\"cap\":7}"), NOW + 5,
					err);
}

static void an_extra_is_replaced_for_the_token_that_was_read(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row other = make_account(fx, &app, "u", PLATFORM_X);
	struct token_save t = {account.id, 1, STR("")};
	ok(store_write(fx->store, do_save_extra, &t, &err), &err);
	const struct account_row found = get_account(fx, &app, account.id);
	assert_true(str_is(found.extra, "{\"cap\":7}"));
	assert_int_equal(found.token_version, 1);
	assert_int_equal(found.updated_at_us, NOW + 5);
	assert_true(str_equal(get_account(fx, &app, other.id).extra, other.extra));
	/* Connected again meanwhile: what that brought is newer. */
	ok(store_write(fx->store, do_save_token, &t, &err), &err);
	assert_int_equal(store_write(fx->store, do_save_extra, &t, &err), ERR_CONFLICT);
	t.account_id = STR("none");
	assert_int_equal(store_write(fx->store, do_save_extra, &t, &err), ERR_CONFLICT);
}

/* ---- accounts that end ---- */

struct ending {
	const struct account_row *account;
	int64_t version; /* of the token that is read */
	int64_t ends_at_us;
	int64_t now_us;
	size_t told;
};

static enum err_kind do_save_ending(struct store_tx *tx, void *argument, struct error *err)
{
	const struct ending *e = argument;
	const struct account_tokens token = {.account_id = e->account->id,
					     .token_version = e->version,
					     .access_token_sealed = STR("at\0end"),
					     .refresh_token_sealed = STR("rt\0end"),
					     .refresh_expires_at_us = e->ends_at_us,
					     .ends_at_us = e->ends_at_us};
	return store_account_save_token(tx, &token, NOW, err);
}

static enum err_kind do_tell_endings(struct store_tx *tx, void *argument, struct error *err)
{
	struct ending *e = argument;
	return store_account_tell_endings(tx, e->now_us, 10, &e->told, err);
}

static size_t told_at(struct fixture *fx, struct ending *e, int64_t now_us)
{
	struct error err = {0};
	e->now_us = now_us;
	assert_int_equal(store_write(fx->store, do_tell_endings, e, &err), ERR_NONE);
	return e->told;
}

/* Fourteen days before, three days before, and no more; a new end is told anew. */
static void an_account_that_ends_is_told_of_twice(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_LINKEDIN);
	const struct account_row endless = make_account(fx, &app, "u", PLATFORM_X);
	const int64_t end_us = NOW + 60 * US_PER_DAY;
	struct ending e = {.account = &account, .version = 1, .ends_at_us = end_us};
	struct event_row *events = NULL;
	size_t count = 0;
	struct error err = {0};
	assert_int_equal(store_write(fx->store, do_save_ending, &e, &err), ERR_NONE);
	assert_int_equal(get_account(fx, &app, account.id).ends_at_us, end_us);
	assert_int_equal(get_account(fx, &app, endless.id).ends_at_us, 0);
	assert_int_equal(told_at(fx, &e, end_us - 14 * US_PER_DAY), 0);
	assert_int_equal(told_at(fx, &e, end_us - 14 * US_PER_DAY + 1), 1);
	assert_int_equal(told_at(fx, &e, end_us - 13 * US_PER_DAY), 0);
	assert_int_equal(told_at(fx, &e, end_us - 3 * US_PER_DAY + 1), 1);
	assert_int_equal(told_at(fx, &e, end_us - 1), 0);
	ok(store_event_list(fx->store, fx->arena, app.id, 0, 10, &events, &count, &err), &err);
	size_t told = 0;
	for (size_t i = 0; i < count; i++)
		told += events[i].kind == EVENT_ACCOUNT_EXPIRING &&
			str_equal(events[i].subject_id, account.id);
	assert_int_equal(told, 2);
	/* The same end with a second's difference is not news; another one is. */
	e = (struct ending){.account = &account, .version = 2, .ends_at_us = end_us + US_PER_S};
	assert_int_equal(store_write(fx->store, do_save_ending, &e, &err), ERR_NONE);
	assert_int_equal(told_at(fx, &e, end_us - 1), 0);
	e = (struct ending){
		.account = &account, .version = 3, .ends_at_us = end_us + 2 * US_PER_DAY};
	assert_int_equal(store_write(fx->store, do_save_ending, &e, &err), ERR_NONE);
	assert_int_equal(told_at(fx, &e, end_us), 1);
	assert_int_equal(told_at(fx, &e, end_us + 1), 0);
}

int run_connection_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_connection_is_read_back_whole),
		STORE_TEST(a_connection_is_seen_in_its_app_and_its_time_only),
		STORE_TEST(a_state_opens_its_own_door_once),
		STORE_TEST(of_callbacks_at_once_one_wins),
		STORE_TEST(a_failed_connection_is_final_and_holds_no_secret),
		STORE_TEST(what_expired_on_its_way_holds_no_secret),
		STORE_TEST(a_success_brings_its_accounts_in_order),
		STORE_TEST(connecting_again_keeps_id_and_refresh_token),
		STORE_TEST(pictures_are_of_connected_accounts_with_an_address),
		STORE_TEST(a_success_after_the_time_is_up_is_refused),
		STORE_TEST(an_account_made_meanwhile_is_a_conflict),
		STORE_TEST(the_same_platform_account_of_two_users_is_two),
		STORE_TEST(accounts_come_in_the_order_asked_and_from_the_app_only),
		STORE_TEST(of_two_refreshers_the_second_is_told),
		STORE_TEST(an_account_state_is_kept_with_its_reason),
		STORE_TEST(an_extra_is_replaced_for_the_token_that_was_read),
		STORE_TEST(an_account_that_ends_is_told_of_twice),
	};
	return cmocka_run_group_tests_name("store: connections", tests, fixture_open,
					   fixture_close);
}
