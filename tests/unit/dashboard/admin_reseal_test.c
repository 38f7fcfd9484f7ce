/* SPDX-License-Identifier: Apache-2.0
 * The route that seals again what old keys sealed: in parts, once, and without a word about what it
 * cannot open. */
#include "admin_fixture.h"

#include <fcntl.h>
#include <string.h>

#include "store_event.h"

#define WEBHOOKS 130 /* more than a page */
#define WEBHOOKS_OF_APP 10

static const uint8_t old_key[SEAL_KEY_BYTES] = {9};

static struct seal *old_seal(void)
{
	struct seal *seal = NULL;
	assert_int_equal(seal_open_key(old_key, &seal, NULL), ERR_NONE);
	return seal;
}

static void give_old_key(struct fixture *fx)
{
	const char *path = str_z(fx->arena, str_format(fx->arena, "%s/old.key", fx->directory));
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	struct error err = {0};
	assert_true(fd >= 0);
	assert_int_equal(write(fd, old_key, sizeof(old_key)), sizeof(old_key));
	close(fd);
	ok(seal_add_old_keyfile(fx->seal, path, &err), &err);
	unlink(path);
}

static struct app_row make_app(struct fixture *fx, int number)
{
	struct error err = {0};
	const struct app_row app = {.id = str_format(fx->arena, "app-%d", number),
				    .name = STR("One"),
				    .client_id = str_format(fx->arena, "phc_%d", number),
				    .client_secret_hash = STR("hash"),
				    .state = APP_ACTIVE,
				    .created_at_us = NOW};
	ok(store_app_create(fx->store, &app, STR("a@b.example"), STR("admin-1"), &err), &err);
	return app;
}

static struct str seal_for(struct fixture *fx, const struct seal *seal, struct str id,
			   struct str secret)
{
	const struct seal_place place = {STR("webhooks"), STR("secret"), id};
	return seal_secret(seal, fx->arena, &place, secret, &fx->random);
}

static struct str webhook_id(struct fixture *fx, int number)
{
	return str_format(fx->arena, "hook-%03d", number);
}

static void make_webhook(struct fixture *fx, const struct app_row *app, int number,
			 struct str sealed)
{
	struct error err = {0};
	const struct webhook_row webhook = {.id = webhook_id(fx, number),
					    .app_id = app->id,
					    .url = STR("https://a.example"),
					    .is_enabled = true,
					    .secret_sealed = sealed,
					    .created_at_us = NOW};
	ok(store_webhook_create(fx->store, &webhook, &err), &err);
}

static void assert_opens(struct fixture *fx, const struct app_row *app, int number,
			 const struct seal *seal, enum err_kind kind)
{
	const struct str id = webhook_id(fx, number);
	const struct seal_place place = {STR("webhooks"), STR("secret"), id};
	struct webhook_row webhook = {0};
	struct str secret = STR("");
	struct error err = {0};
	ok(store_webhook_find(fx->store, fx->arena, app->id, id, &webhook, &err), &err);
	assert_int_equal(
		seal_open_secret(seal, fx->arena, &place, webhook.secret_sealed, &secret, &err),
		kind);
	if (kind == ERR_NONE)
		assert_true(str_equal(secret, id));
}

static const struct json *reseal(struct fixture *fx, const char *body)
{
	return assert_status(send(fx, "POST", "/admin/reseal", body), 200);
}

static void old_records_are_sealed_again_under_the_master_key(void **state)
{
	struct fixture *fx = *state;
	struct app_row apps[WEBHOOKS / WEBHOOKS_OF_APP];
	struct seal *old = old_seal();
	for (int i = 0; i < WEBHOOKS / WEBHOOKS_OF_APP; i++)
		apps[i] = make_app(fx, i);
	for (int i = 0; i < WEBHOOKS; i++)
		make_webhook(fx, &apps[i / WEBHOOKS_OF_APP], i,
			     seal_for(fx, old, webhook_id(fx, i), webhook_id(fx, i)));
	give_old_key(fx);
	const struct json *done = reseal(fx, "{}");
	assert_true(json_is_null(json_get(done, "next")));
	assert_int_equal(json_int(json_get(done, "resealed"), 0), WEBHOOKS);
	assert_int_equal(json_int(json_get(done, "unreadable"), -1), 0);
	const struct json *keys = json_get(done, "keys");
	assert_int_equal(keys->count, 1);
	assert_true(json_bool(json_get(json_at(keys, 0), "master"), false));
	assert_int_equal(json_int(json_get(json_at(keys, 0), "records"), 0), WEBHOOKS);
	for (int i = 0; i < WEBHOOKS; i++) {
		assert_opens(fx, &apps[i / WEBHOOKS_OF_APP], i, fx->seal, ERR_NONE);
		assert_opens(fx, &apps[i / WEBHOOKS_OF_APP], i, old, ERR_FORBIDDEN);
	}
	done = reseal(fx, "{}");
	assert_int_equal(json_int(json_get(done, "resealed"), -1), 0);
	seal_free(&old);
}

static void what_no_key_opens_is_counted_and_stays(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx, 1);
	struct seal *old = old_seal();
	make_webhook(fx, &app, 0, seal_for(fx, old, webhook_id(fx, 0), webhook_id(fx, 0)));
	make_webhook(fx, &app, 1, seal_for(fx, fx->seal, webhook_id(fx, 1), webhook_id(fx, 1)));
	const struct json *done = reseal(fx, "{}"); /* the old key is not given */
	assert_int_equal(json_int(json_get(done, "resealed"), -1), 0);
	assert_int_equal(json_int(json_get(done, "unreadable"), -1), 1);
	assert_int_equal(json_get(done, "keys")->count, 2);
	assert_opens(fx, &app, 0, old, ERR_NONE);
	/* of another row: it opens nowhere, and is not made to */
	give_old_key(fx);
	make_webhook(fx, &app, 2, seal_for(fx, old, STR("elsewhere"), STR("stolen")));
	done = reseal(fx, "{}");
	assert_int_equal(json_int(json_get(done, "resealed"), -1), 1);
	assert_int_equal(json_int(json_get(done, "unreadable"), -1), 1);
	assert_opens(fx, &app, 0, fx->seal, ERR_NONE);
	assert_opens(fx, &app, 2, old, ERR_INTERNAL);
	seal_free(&old);
}

static void a_call_goes_on_where_another_ended(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx, 1);
	struct seal *old = old_seal();
	for (int i = 0; i < 3; i++)
		make_webhook(fx, &app, i, seal_for(fx, old, webhook_id(fx, i), webhook_id(fx, i)));
	give_old_key(fx);
	const struct json *done = reseal(fx, "{\"column\":5,\"id\":\"hook-000\",\"platform\":0}");
	assert_int_equal(json_int(json_get(done, "resealed"), -1), 2);
	assert_opens(fx, &app, 0, old, ERR_NONE);
	assert_opens(fx, &app, 1, fx->seal, ERR_NONE);
	done = reseal(fx, "{\"column\":-1}"); /* behind the end */
	assert_int_equal(json_int(json_get(done, "resealed"), -1), 0);
	seal_free(&old);
}

static void a_wrong_body_is_refused(void **state)
{
	struct fixture *fx = *state;
	assert_error(send(fx, "POST", "/admin/reseal", "{\"key\":1}"), 422, "VALIDATION_ERROR");
	assert_error(send(fx, "POST", "/admin/reseal", "{\"id\":\"a\\nb\"}"), 422,
		     "VALIDATION_ERROR");
	assert_error(send(fx, "POST", "/admin/reseal", "{"), 400, "MALFORMED_JSON");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(old_records_are_sealed_again_under_the_master_key),
		ADMIN_TEST(what_no_key_opens_is_counted_and_stays),
		ADMIN_TEST(a_call_goes_on_where_another_ended),
		ADMIN_TEST(a_wrong_body_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
