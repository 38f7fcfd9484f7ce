/* SPDX-License-Identifier: Apache-2.0
 * Conformance: admins, apps, tokens, credentials, and the store itself. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "store_alarm.h"
#include "count_of.h"

#include "store_key.h"

/* Of a new email. */
static void put_admin(struct fixture *fx, const struct admin_row *admin)
{
	struct error err = {0};
	struct admin_row stored = {0};
	ok(store_admin_put(fx->store, fx->arena, admin, ADMIN_IF_NEW, &stored, &err), &err);
	assert_true(str_equal(stored.id, admin->id));
}

static void admins_are_found_listed_and_deleted(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct admin_row admin = {new_uuid(fx), new_name(fx, "admin"), STR("$argon2"), NOW};
	const struct admin_row later = {new_uuid(fx), new_name(fx, "admin"), STR(""), NOW + 1};
	put_admin(fx, &later);
	put_admin(fx, &admin);

	struct admin_row found = {0};
	ok(store_admin_find(fx->store, fx->arena, admin.email, &found, &err), &err);
	assert_true(str_equal(found.id, admin.id));
	assert_true(str_is(found.password_hash, "$argon2"));
	assert_int_equal(found.created_at_us, NOW);

	struct admin_row *all = NULL;
	size_t count = 0;
	ok(store_admin_list(fx->store, fx->arena, &all, &count, &err), &err);
	assert_true(count >= 2);
	assert_true(str_equal(all[count - 1].email, later.email));

	ok(store_admin_remove(fx->store, admin.email, STR(""), false, &err), &err);
	assert_int_equal(store_admin_remove(fx->store, admin.email, STR(""), false, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(store_admin_find(fx->store, fx->arena, admin.email, &found, &err),
			 ERR_NOT_FOUND);
	ok(store_admin_remove(fx->store, later.email, STR(""), false, &err), &err);
}

static void an_admin_email_is_taken_once(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct admin_row admin = {new_uuid(fx), new_name(fx, "admin"), STR(""), NOW};
	const struct admin_row again = {new_uuid(fx), admin.email, STR("$argon2"), NOW};
	struct admin_row stored = {0};
	put_admin(fx, &admin);
	ok(store_admin_put(fx->store, fx->arena, &again, ADMIN_IF_NEW, &stored, &err), &err);
	assert_true(str_equal(stored.id, admin.id));
	assert_int_equal(store_admin_put(fx->store, fx->arena, &again, ADMIN_IF_NEW, &stored, &err),
			 ERR_CONFLICT);
	assert_true(err.text[0] != '\0');
}

static void an_app_makes_its_owner(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct str email = new_name(fx, "new-owner");
	const struct str admin_id = new_uuid(fx);
	const struct app_row app = {.id = new_uuid(fx),
				    .name = STR("Shop"),
				    .client_id = new_name(fx, "phc"),
				    .client_secret_hash = STR("abc"),
				    .state = APP_DRAFT,
				    .redirect_urls = STR("[\"https://a.example\"]"),
				    .retry_unknown_once = true,
				    .connect_confirmation = true,
				    .created_at_us = NOW};
	ok(store_app_create(fx->store, &app, email, admin_id, &err), &err);

	struct app_row found = {0};
	ok(store_app_find_by_client_id(fx->store, fx->arena, app.client_id, &found, &err), &err);
	assert_true(str_equal(found.id, app.id));
	assert_true(str_is(found.name, "Shop"));
	assert_true(str_is(found.client_secret_hash, "abc"));
	assert_int_equal(found.state, APP_DRAFT);
	assert_true(str_equal(found.owner_id, admin_id));
	assert_true(str_equal(found.owner_email, email));
	assert_true(str_is(found.redirect_urls, "[\"https://a.example\"]"));
	assert_true(found.retry_unknown_once);
	assert_true(found.connect_confirmation);
	assert_int_equal(found.created_at_us, NOW);
}

static void an_app_of_a_known_owner_makes_no_second(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct admin_row admin = {new_uuid(fx), new_name(fx, "admin"), STR("pw"), NOW};
	put_admin(fx, &admin);
	const struct app_row app = {.id = new_uuid(fx), .client_id = new_name(fx, "phc")};
	ok(store_app_create(fx->store, &app, admin.email, new_uuid(fx), &err), &err);
	struct app_row found = {0};
	ok(store_app_find(fx->store, fx->arena, app.id, &found, &err), &err);
	assert_true(str_equal(found.owner_id, admin.id));
}

/* Half of a refused creation must not stay. */
static void a_taken_client_id_leaves_no_owner_behind(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row first = make_app(fx);
	struct app_row second = first;
	second.id = new_uuid(fx);
	const struct str email = new_name(fx, "nobody");
	assert_int_equal(store_app_create(fx->store, &second, email, new_uuid(fx), &err),
			 ERR_CONFLICT);
	struct admin_row admin = {0};
	assert_int_equal(store_admin_find(fx->store, fx->arena, email, &admin, &err),
			 ERR_NOT_FOUND);
}

static void an_app_outlives_its_owner(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct app_row found = {0};
	ok(store_app_find(fx->store, fx->arena, app.id, &found, &err), &err);
	ok(store_admin_remove(fx->store, found.owner_email, STR(""), false, &err), &err);
	ok(store_app_find(fx->store, fx->arena, app.id, &found, &err), &err);
	assert_true(str_is_empty(found.owner_email));
	assert_false(str_is_empty(found.owner_id));
}

static void app_changes_are_kept(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row app = make_app(fx);
	ok(store_app_set_state(fx->store, app.id, APP_SUSPENDED, &err), &err);
	app.name = STR("Renamed");
	app.redirect_urls = STR("[]");
	app.retry_unknown_once = true;
	app.connect_confirmation = true;
	ok(store_app_set_settings(fx->store, &app, &err), &err);
	struct app_row found = {0};
	ok(store_app_find(fx->store, fx->arena, app.id, &found, &err), &err);
	assert_int_equal(found.state, APP_SUSPENDED);
	assert_true(str_is(found.name, "Renamed"));
	assert_true(str_is(found.redirect_urls, "[]"));
	assert_true(found.retry_unknown_once && found.connect_confirmation);

	struct app_row *all = NULL;
	size_t count = 0;
	ok(store_app_list(fx->store, fx->arena, &all, &count, &err), &err);
	assert_true(count >= 1);
}

static void an_unknown_app_is_not_found(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row app = {.id = new_uuid(fx)};
	struct store *store = fx->store;
	assert_int_equal(store_app_find(store, fx->arena, app.id, &app, &err), ERR_NOT_FOUND);
	assert_int_equal(store_app_find_by_client_id(store, fx->arena, STR("phc_none"), &app, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(store_app_set_state(store, app.id, APP_ACTIVE, &err), ERR_NOT_FOUND);
	assert_int_equal(store_app_set_secret(store, app.id, STR("x"), &err), ERR_NOT_FOUND);
	assert_int_equal(store_app_set_settings(store, &app, &err), ERR_NOT_FOUND);
	assert_int_equal(store_token_issue(store, app.id, STR("x"), NOW + 1, NOW, &err),
			 ERR_NOT_FOUND);
}

static enum err_kind find_token(struct fixture *fx, struct str hash, int64_t now_us,
				struct app_row *out)
{
	struct error err = {0};
	return store_token_find(fx->store, fx->arena, hash, now_us, out, &err);
}

static void a_token_lives_until_replaced_expired_or_rotated(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row found = {0};
	const struct app_row app = make_app(fx);
	const struct str first = new_name(fx, "token");
	const struct str second = new_name(fx, "token");
	assert_int_equal(find_token(fx, first, NOW, &found), ERR_NOT_FOUND);

	ok(store_token_issue(fx->store, app.id, first, NOW + 10, NOW, &err), &err);
	assert_int_equal(find_token(fx, first, NOW + 9, &found), ERR_NONE);
	assert_true(str_equal(found.id, app.id));
	assert_false(str_is_empty(found.owner_email));
	assert_int_equal(find_token(fx, first, NOW + 10, &found), ERR_NOT_FOUND);

	ok(store_token_issue(fx->store, app.id, second, NOW + 10, NOW, &err), &err);
	assert_int_equal(find_token(fx, first, NOW, &found), ERR_NOT_FOUND);
	assert_int_equal(find_token(fx, second, NOW, &found), ERR_NONE);

	ok(store_app_set_secret(fx->store, app.id, STR("new"), &err), &err);
	assert_int_equal(find_token(fx, second, NOW, &found), ERR_NOT_FOUND);
	ok(store_app_find(fx->store, fx->arena, app.id, &found, &err), &err);
	assert_true(str_is(found.client_secret_hash, "new"));
}

static struct key_row make_key(struct fixture *fx, const struct app_row *app, int64_t created_at_us)
{
	struct error err = {0};
	const struct key_row key = {.id = new_uuid(fx),
				    .app_id = app->id,
				    .name = STR("agent"),
				    .token_hash = new_name(fx, "key"),
				    .scopes = SCOPES_READ | SCOPES_DRAFTS,
				    .created_at_us = created_at_us,
				    .expires_at_us = created_at_us + 10};
	ok(store_key_create(fx->store, &key, &err), &err);
	return key;
}

static enum err_kind find_key(struct fixture *fx, struct str hash, int64_t now_us,
			      struct key_row *out)
{
	struct app_row app = {0};
	struct error err = {0};
	const enum err_kind kind =
		store_key_find(fx->store, fx->arena, hash, now_us, out, &app, &err);
	assert_true(kind != ERR_NONE || str_equal(app.id, out->app_id));
	assert_true(kind != ERR_NONE || !str_is_empty(app.owner_email));
	return kind;
}

/* With a new admin the old ones stay dead, and so does what was made meanwhile. */
static void tokens_and_keys_end_with_the_apps_admin(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct admin_row heir = {new_uuid(fx), new_name(fx, "admin"), STR(""), NOW};
	const struct str tokens[] = {new_name(fx, "token"), new_name(fx, "token")};
	const struct key_row key = make_key(fx, &app, NOW);
	struct app_row found = {0};
	struct key_row found_key = {0};
	put_admin(fx, &heir);
	ok(store_token_issue(fx->store, app.id, tokens[0], NOW + 10, NOW, &err), &err);
	ok(store_app_find(fx->store, fx->arena, app.id, &found, &err), &err);
	ok(store_admin_remove(fx->store, found.owner_email, STR(""), false, &err), &err);
	assert_int_equal(find_token(fx, tokens[0], NOW, &found), ERR_NOT_FOUND);
	assert_int_equal(find_key(fx, key.token_hash, NOW, &found_key), ERR_NOT_FOUND);
	ok(store_token_issue(fx->store, app.id, tokens[1], NOW + 10, NOW, &err), &err);
	assert_int_equal(find_token(fx, tokens[1], NOW, &found), ERR_NOT_FOUND);
	const struct key_row late = make_key(fx, &app, NOW);
	ok(store_app_set_owner(fx->store, app.id, heir.email, &err), &err);
	for (size_t i = 0; i < COUNT_OF(tokens); i++)
		assert_int_equal(find_token(fx, tokens[i], NOW, &found), ERR_NOT_FOUND);
	assert_int_equal(find_key(fx, key.token_hash, NOW, &found_key), ERR_NOT_FOUND);
	assert_int_equal(find_key(fx, late.token_hash, NOW, &found_key), ERR_NOT_FOUND);
	ok(store_token_issue(fx->store, app.id, tokens[1], NOW + 10, NOW, &err), &err);
	ok(store_app_set_owner(fx->store, app.id, heir.email, &err), &err);
	assert_int_equal(find_token(fx, tokens[1], NOW, &found), ERR_NONE);
}

static void a_key_lives_until_it_expires(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct key_row found = {0};
	const struct app_row app = make_app(fx);
	const struct key_row key = make_key(fx, &app, NOW);
	assert_int_equal(find_key(fx, STR("none"), NOW, &found), ERR_NOT_FOUND);
	assert_int_equal(find_key(fx, key.token_hash, NOW + 9, &found), ERR_NONE);
	assert_true(str_equal(found.id, key.id));
	assert_true(str_is(found.name, "agent"));
	assert_int_equal(found.scopes, key.scopes);
	assert_int_equal(found.created_at_us, NOW);
	assert_int_equal(found.expires_at_us, NOW + 10);
	assert_int_equal(found.last_used_at_us, 0);
	assert_int_equal(find_key(fx, key.token_hash, NOW + 10, &found), ERR_NOT_FOUND);

	struct key_row endless = key;
	endless.id = new_uuid(fx);
	endless.token_hash = new_name(fx, "key");
	endless.expires_at_us = 0;
	ok(store_key_create(fx->store, &endless, &err), &err);
	assert_int_equal(find_key(fx, endless.token_hash, INT64_MAX / 2, &found), ERR_NONE);
}

static void a_key_is_spared_by_tokens_and_secrets_and_ended_by_revoking(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct key_row found = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct key_row key = make_key(fx, &app, NOW);
	const struct key_row second = make_key(fx, &app, NOW);
	const struct str token = new_name(fx, "token");
	ok(store_token_issue(fx->store, app.id, token, NOW + 10, NOW, &err), &err);
	ok(store_app_set_secret(fx->store, app.id, STR("new"), &err), &err);
	assert_int_equal(find_key(fx, key.token_hash, NOW, &found), ERR_NONE);

	assert_int_equal(store_key_revoke(fx->store, other.id, key.id, &err), ERR_NOT_FOUND);
	ok(store_token_revoke(fx->store, other.id, key.token_hash, &err), &err);
	assert_int_equal(find_key(fx, key.token_hash, NOW, &found), ERR_NONE);
	ok(store_key_revoke(fx->store, app.id, key.id, &err), &err);
	assert_int_equal(find_key(fx, key.token_hash, NOW, &found), ERR_NOT_FOUND);
	assert_int_equal(store_key_revoke(fx->store, app.id, key.id, &err), ERR_NOT_FOUND);
	ok(store_token_revoke(fx->store, app.id, second.token_hash, &err), &err);
	assert_int_equal(find_key(fx, second.token_hash, NOW, &found), ERR_NOT_FOUND);

	struct app_row owner = {0};
	ok(store_token_issue(fx->store, app.id, token, NOW + 10, NOW, &err), &err);
	ok(store_token_revoke(fx->store, other.id, token, &err), &err);
	assert_int_equal(find_token(fx, token, NOW, &owner), ERR_NONE);
	ok(store_token_revoke(fx->store, app.id, token, &err), &err);
	assert_int_equal(find_token(fx, token, NOW, &owner), ERR_NOT_FOUND);
}

static int64_t last_use(struct fixture *fx, const struct key_row *key)
{
	struct key_row found = {0};
	assert_int_equal(find_key(fx, key->token_hash, NOW, &found), ERR_NONE);
	return found.last_used_at_us;
}

static void a_use_is_written_once_a_minute(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct key_row key = make_key(fx, &app, NOW);
	const int64_t minute_us = KEY_USE_WRITTEN_EVERY_S * US_PER_S;
	ok(store_key_touch(fx->store, key.id, NOW, &err), &err);
	assert_int_equal(last_use(fx, &key), NOW);
	ok(store_key_touch(fx->store, key.id, NOW + minute_us - 1, &err), &err);
	assert_int_equal(last_use(fx, &key), NOW);
	ok(store_key_touch(fx->store, key.id, NOW + minute_us, &err), &err);
	assert_int_equal(last_use(fx, &key), NOW + minute_us);
	ok(store_key_touch(fx->store, key.id, NOW, &err), &err);
	assert_int_equal(last_use(fx, &key), NOW + minute_us);
}

static void keys_are_listed_and_bounded(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	struct key_row *keys = NULL;
	size_t count = 0;
	make_key(fx, &other, NOW);
	for (int64_t i = 0; i < KEYS_PER_APP_MAX; i++)
		make_key(fx, &app, NOW + i);
	ok(store_key_list(fx->store, fx->arena, app.id, &keys, &count, &err), &err);
	assert_int_equal(count, KEYS_PER_APP_MAX);
	assert_int_equal(keys[0].created_at_us, NOW + KEYS_PER_APP_MAX - 1);
	assert_true(str_equal(keys[0].app_id, app.id));

	struct key_row more = keys[0];
	more.id = new_uuid(fx);
	more.token_hash = new_name(fx, "key");
	assert_int_equal(store_key_create(fx->store, &more, &err), ERR_CONFLICT);
	/* All others have expired a month before, or at that instant. */
	more.created_at_us = keys[0].expires_at_us + KEY_EXPIRED_KEPT_S * US_PER_S;
	ok(store_key_create(fx->store, &more, &err), &err);
	ok(store_key_list(fx->store, fx->arena, app.id, &keys, &count, &err), &err);
	assert_int_equal(count, 1);
	assert_true(str_equal(keys[0].id, more.id));

	more.id = new_uuid(fx);
	more.app_id = new_uuid(fx);
	more.token_hash = new_name(fx, "key");
	assert_int_equal(store_key_create(fx->store, &more, &err), ERR_NOT_FOUND);
}

static void credentials_go_from_pending_to_verified_or_failed(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct store *store = fx->store;
	const struct app_row app = make_app(fx);
	struct credential_row credential = {.app_id = app.id,
					    .platform = PLATFORM_LINKEDIN,
					    .client_id = STR("id-1"),
					    .client_secret_sealed = STR("sec\0ret"),
					    .updated_at_us = NOW};
	struct credential_row found = {0};
	assert_int_equal(
		store_credential_find(store, fx->arena, app.id, PLATFORM_LINKEDIN, &found, &err),
		ERR_NOT_FOUND);
	ok(store_credential_put(store, &credential, &err), &err);
	ok(store_credential_find(store, fx->arena, app.id, PLATFORM_LINKEDIN, &found, &err), &err);
	assert_int_equal(found.state, CREDENTIAL_PENDING);
	assert_true(str_equal(found.client_secret_sealed, STR("sec\0ret")));

	ok(store_credential_set_state(store, app.id, PLATFORM_LINKEDIN, STR("id-1"),
				      CREDENTIAL_VERIFIED, STR(""), NOW + 5, &err),
	   &err);
	ok(store_credential_find(store, fx->arena, app.id, PLATFORM_LINKEDIN, &found, &err), &err);
	assert_int_equal(found.state, CREDENTIAL_VERIFIED);
	assert_int_equal(found.verified_at_us, NOW + 5);

	credential.client_id = STR("id-2");
	ok(store_credential_put(store, &credential, &err), &err);
	assert_int_equal(store_credential_set_state(store, app.id, PLATFORM_LINKEDIN, STR("id-1"),
						    CREDENTIAL_VERIFIED, STR(""), NOW, &err),
			 ERR_CONFLICT);
	ok(store_credential_set_state(store, app.id, PLATFORM_LINKEDIN, STR("id-2"),
				      CREDENTIAL_FAILED, STR("no such client"), NOW + 6, &err),
	   &err);
	struct credential_row *all = NULL;
	size_t count = 0;
	ok(store_credential_list(store, fx->arena, app.id, &all, &count, &err), &err);
	assert_int_equal(count, 1);
	assert_int_equal(all[0].state, CREDENTIAL_FAILED);
	assert_true(str_is(all[0].message, "no such client"));
	assert_true(str_is(all[0].client_id, "id-2"));
	assert_int_equal(all[0].verified_at_us, 0);
}

static void a_credential_keeps_its_scopes(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct credential_row credential = {.app_id = app.id,
					    .platform = PLATFORM_LINKEDIN,
					    .client_id = STR("id-1"),
					    .client_secret_sealed = STR("secret"),
					    .updated_at_us = NOW};
	struct credential_row found = {0};
	ok(store_credential_put(fx->store, &credential, &err), &err);
	ok(store_credential_find(fx->store, fx->arena, app.id, PLATFORM_LINKEDIN, &found, &err),
	   &err);
	assert_int_equal(found.scopes.len, 0);
	assert_int_equal(found.variant.len, 0);
	credential.scopes = STR("openid w_member_social");
	credential.variant = STR("pages");
	ok(store_credential_put(fx->store, &credential, &err), &err);
	ok(store_credential_find(fx->store, fx->arena, app.id, PLATFORM_LINKEDIN, &found, &err),
	   &err);
	assert_true(str_is(found.scopes, "openid w_member_social"));
	assert_true(str_is(found.variant, "pages"));
}

static void an_alarm_is_told_until_it_is_cleared(void **state)
{
	struct fixture *fx = *state;
	struct alarm_row *alarms = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_alarm_clear(fx->store, &err), &err);
	ok(store_alarm_raise(fx->store, STR("x"), STR("one"), NOW, &err), &err);
	ok(store_alarm_raise(fx->store, STR("linkedin"), STR("first"), NOW, &err), &err);
	ok(store_alarm_raise(fx->store, STR("linkedin"), STR("second"), NOW + 7, &err), &err);
	ok(store_alarm_list(fx->store, fx->arena, &alarms, &count, &err), &err);
	assert_int_equal(count, 2);
	assert_true(str_is(alarms[0].name, "linkedin") && str_is(alarms[0].message, "second"));
	assert_int_equal(alarms[0].first_at_us, NOW);
	assert_int_equal(alarms[0].last_at_us, NOW + 7);
	assert_int_equal(alarms[0].times, 2);
	assert_int_equal(alarms[1].times, 1);
	ok(store_alarm_clear(fx->store, &err), &err);
	ok(store_alarm_list(fx->store, fx->arena, &alarms, &count, &err), &err);
	assert_int_equal(count, 0);
}

static void the_store_is_writable_and_has_a_version(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	ok(store_check(fx->store, &err), &err);
	assert_true(store_schema_version(fx->store) >= 1);
}

/* ---- what is kept in memory ---- */

static struct account_row get_account(struct fixture *fx, const struct app_row *app, struct str id)
{
	struct account_row row = {0};
	struct error err = {0};
	bool found = false;
	ok(store_account_get_many(fx->store, fx->arena, app->id, &id, 1, &row, &found, &err), &err);
	assert_true(found);
	return row;
}

/* Asked for twice each time before it changes: then it is in memory. */
static void what_changes_is_told_from_the_answer_on(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row found = {0};
	struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str hash = new_name(fx, "token");
	ok(store_token_issue(fx->store, app.id, hash, NOW + 100, NOW, &err), &err);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(find_token(fx, hash, NOW, &found), ERR_NONE);
		assert_true(str_equal(found.id, app.id));
		assert_true(str_equal(found.name, app.name));
		assert_true(
			str_equal(get_account(fx, &app, account.id).username, account.username));
	}
	/* time passes, and nothing is written */
	assert_int_equal(find_token(fx, hash, NOW + 99, &found), ERR_NONE);
	assert_int_equal(find_token(fx, hash, NOW + 100, &found), ERR_NOT_FOUND);
	assert_int_equal(find_token(fx, hash, NOW, &found), ERR_NONE);
	/* another app's account is none, however well known */
	struct account_row row = {0};
	bool is_found = true;
	ok(store_account_get_many(fx->store, fx->arena, other.id, &account.id, 1, &row, &is_found,
				  &err),
	   &err);
	assert_false(is_found);

	ok(store_app_set_state(fx->store, app.id, APP_SUSPENDED, &err), &err);
	assert_int_equal(find_token(fx, hash, NOW, &found), ERR_NONE);
	assert_int_equal(found.state, APP_SUSPENDED);
	app.name = STR("Another name");
	ok(store_app_set_settings(fx->store, &app, &err), &err);
	assert_int_equal(find_token(fx, hash, NOW, &found), ERR_NONE);
	assert_true(str_is(found.name, "Another name"));
	ok(store_account_disconnect(fx->store, account.id, NOW, &err), &err);
	assert_int_equal(get_account(fx, &app, account.id).state, ACCOUNT_DISCONNECTED);
	ok(store_token_revoke(fx->store, app.id, hash, &err), &err);
	assert_int_equal(find_token(fx, hash, NOW, &found), ERR_NOT_FOUND);
}

#define ASKERS 3
#define REVOCATIONS 60

struct asker {
	pthread_t thread;
	struct store *store;
	struct str hash;
	atomic_bool *is_over;
};

static void *ask_all_the_time(void *argument)
{
	const struct asker *asker = argument;
	while (!atomic_load(asker->is_over)) {
		struct arena *arena = arena_new("asker", 65536);
		struct app_row app = {0};
		struct error err = {0};
		store_token_find(asker->store, arena, asker->hash, NOW, &app, &err);
		arena_free(&arena);
	}
	return NULL;
}

/* Others ask for the same token all the while, so that memory has it whenever it may. */
static void a_revoked_token_is_never_found_again(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row found = {0};
	const struct app_row app = make_app(fx);
	struct asker askers[ASKERS];
	atomic_bool is_over = false;
	const struct str hash = new_name(fx, "token");
	for (size_t i = 0; i < ASKERS; i++) {
		askers[i] = (struct asker){0, fx->store, hash, &is_over};
		pthread_create(&askers[i].thread, NULL, ask_all_the_time, &askers[i]);
	}
	int wrong = 0;
	for (int i = 0; i < REVOCATIONS; i++) {
		ok(store_token_issue(fx->store, app.id, hash, NOW + 100, NOW, &err), &err);
		wrong += find_token(fx, hash, NOW, &found) != ERR_NONE;
		ok(store_token_revoke(fx->store, app.id, hash, &err), &err);
		for (int k = 0; k < 5; k++)
			wrong += find_token(fx, hash, NOW, &found) != ERR_NOT_FOUND;
	}
	atomic_store(&is_over, true);
	for (size_t i = 0; i < ASKERS; i++)
		pthread_join(askers[i].thread, NULL);
	assert_int_equal(wrong, 0);
}

int run_app_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(admins_are_found_listed_and_deleted),
		STORE_TEST(an_admin_email_is_taken_once),
		STORE_TEST(an_app_makes_its_owner),
		STORE_TEST(an_app_of_a_known_owner_makes_no_second),
		STORE_TEST(a_taken_client_id_leaves_no_owner_behind),
		STORE_TEST(an_app_outlives_its_owner),
		STORE_TEST(app_changes_are_kept),
		STORE_TEST(an_unknown_app_is_not_found),
		STORE_TEST(a_token_lives_until_replaced_expired_or_rotated),
		STORE_TEST(tokens_and_keys_end_with_the_apps_admin),
		STORE_TEST(a_key_lives_until_it_expires),
		STORE_TEST(a_key_is_spared_by_tokens_and_secrets_and_ended_by_revoking),
		STORE_TEST(a_use_is_written_once_a_minute),
		STORE_TEST(keys_are_listed_and_bounded),
		STORE_TEST(credentials_go_from_pending_to_verified_or_failed),
		STORE_TEST(a_credential_keeps_its_scopes),
		STORE_TEST(an_alarm_is_told_until_it_is_cleared),
		STORE_TEST(the_store_is_writable_and_has_a_version),
		STORE_TEST(what_changes_is_told_from_the_answer_on),
		STORE_TEST(a_revoked_token_is_never_found_again),
	};
	return cmocka_run_group_tests_name("store: apps", tests, fixture_open, fixture_close);
}
