/* SPDX-License-Identifier: Apache-2.0
 * Conformance: uploaded files. No row without a beginning that counted, no end that counts twice,
 * and nothing goes that is needed. */
#include "fixture.h"

#include "count_of.h"

#include "store_draft.h"
#include "store_quota.h"
#include "store_upload.h"

#define KEEP_US (7 * US_PER_DAY)
#define MANY 100

static struct upload_row begin_upload(struct fixture *fx, const struct app_row *app,
				      int64_t size_bytes, struct str link_hash)
{
	struct upload_result result = {0};
	struct error err = {0};
	const struct upload_row upload = {
		.id = new_uuid(fx),
		.media_id = str_concat(fx->arena, STR("med_"), new_uuid(fx)),
		.app_id = app->id,
		.link_hash = link_hash,
		.size_bytes = size_bytes,
		.created_at_us = NOW,
		.expires_at_us = NOW + US_PER_DAY,
	};
	ok(store_upload_begin(fx->store, &upload, 0, 0, &result, &err), &err);
	assert_int_equal(result.outcome, UPLOAD_WRITTEN);
	return upload;
}

static struct upload_row take(struct fixture *fx, struct str id)
{
	struct upload_row taken = {0};
	struct error err = {0};
	ok(store_upload_take(fx->store, fx->arena, id, &taken, &err), &err);
	return taken;
}

static struct media_row file_of(const struct upload_row *upload, int64_t size_bytes)
{
	return (struct media_row){
		.id = upload->media_id,
		.app_id = upload->app_id,
		.file_name = STR("a.jpg"),
		.mime_type = STR("image/jpeg"),
		.sha256 = STR("00ff"),
		.size_bytes = size_bytes,
		.width = 10,
		.height = 20,
		.created_at_us = NOW,
	};
}

static enum upload_outcome end_upload(struct fixture *fx, const struct upload_row *taken,
				      int64_t size_bytes)
{
	struct upload_result result = {0};
	struct error err = {0};
	const struct media_row media = file_of(taken, size_bytes);
	ok(store_upload_end(fx->store, taken, &media, &result, &err), &err);
	return result.outcome;
}

static struct str make_file(struct fixture *fx, const struct app_row *app)
{
	const struct upload_row upload = begin_upload(fx, app, 100, STR(""));
	const struct upload_row taken = take(fx, upload.id);
	assert_int_equal(end_upload(fx, &taken, 100), UPLOAD_WRITTEN);
	return upload.media_id;
}

static enum err_kind find(struct fixture *fx, const struct app_row *app, struct str id,
			  struct media_row *out)
{
	struct error err = {0};
	return store_media_find(fx->store, fx->arena, app->id, id, out, &err);
}

static void assert_used(struct fixture *fx, const struct app_row *app, int64_t bytes, int64_t files)
{
	struct error err = {0};
	int64_t used_bytes = -1, used_files = -1;
	ok(store_media_used(fx->store, fx->arena, app->id, &used_bytes, &used_files, &err), &err);
	assert_int_equal(used_bytes, bytes);
	assert_int_equal(used_files, files);
}

static bool is_gone(struct fixture *fx, struct str name)
{
	struct str *names = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_media_gone_list(fx->store, fx->arena, MANY, &names, &count, &err), &err);
	for (size_t i = 0; i < count; i++) {
		if (str_equal(names[i], name))
			return true;
	}
	return false;
}

static void an_upload_becomes_a_file_once(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct upload_row upload = begin_upload(fx, &app, 100, STR(""));
	struct media_row media = {0};
	struct upload_row again = {0};
	struct upload_result result = {0};
	struct error err = {0};
	bool is_coming = false;
	assert_used(fx, &app, 100, 1);
	ok(store_media_is_coming(fx->store, app.id, upload.media_id, &is_coming, &err), &err);
	assert_true(is_coming);
	assert_int_equal(find(fx, &app, upload.media_id, &media), ERR_NOT_FOUND);
	const struct upload_row taken = take(fx, upload.id);
	assert_int_equal(end_upload(fx, &taken, 100), UPLOAD_WRITTEN);
	assert_used(fx, &app, 100, 1);
	ok(find(fx, &app, upload.media_id, &media), &err);
	assert_int_equal(media.height, 20);
	assert_false(media.is_needed);
	assert_int_equal(find(fx, &other, upload.media_id, &media), ERR_NOT_FOUND);
	assert_int_equal(store_upload_take(fx->store, fx->arena, upload.id, &again, &err),
			 ERR_CONFLICT);
	const struct media_row row = file_of(&taken, 100);
	assert_int_equal(store_upload_end(fx->store, &taken, &row, &result, &err), ERR_CONFLICT);
	ok(store_upload_find(fx->store, fx->arena, upload.id, &again, &err), &err);
	assert_true(again.is_done);
	assert_int_equal(again.offset_bytes, 100);
}

static void who_takes_an_upload_shuts_the_earlier_one_out(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct upload_row upload = begin_upload(fx, &app, 100, STR(""));
	struct error err = {0};
	struct upload_result result = {0};
	struct upload_row first = take(fx, upload.id);
	first.offset_bytes = 40;
	first.hash_state = STR("state");
	ok(store_upload_mark(fx->store, &first, 0, 0, &result, &err), &err);
	const struct upload_row second = take(fx, upload.id);
	assert_int_equal(second.offset_bytes, 40);
	assert_true(str_equal(second.hash_state, STR("state")));
	first.offset_bytes = 60;
	assert_int_equal(store_upload_mark(fx->store, &first, 0, 0, &result, &err), ERR_CONFLICT);
	const struct media_row row = file_of(&first, 100);
	assert_int_equal(store_upload_end(fx->store, &first, &row, &result, &err), ERR_CONFLICT);
	assert_int_equal(end_upload(fx, &second, 100), UPLOAD_WRITTEN);
}

static void quotas_count_files_and_what_is_coming(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct error err = {0};
	struct upload_result result = {0};
	int64_t own[QUOTA_COUNT];
	for (enum quota each = 0; each < QUOTA_COUNT; each++)
		own[each] = each == QUOTA_MEDIA_BYTES ? 150 : QUOTA_INHERITED;
	ok(store_quota_set(fx->store, app.id, own, &err), &err);
	const struct upload_row upload = begin_upload(fx, &app, 100, STR(""));
	struct upload_row more = upload;
	more.id = new_uuid(fx);
	more.size_bytes = 51;
	ok(store_upload_begin(fx->store, &more, 0, 0, &result, &err), &err);
	assert_int_equal(result.outcome, UPLOAD_OVER_QUOTA);
	assert_int_equal(result.over.quota, QUOTA_MEDIA_BYTES);
	assert_int_equal(result.over.limit, 150);
	assert_int_equal(result.over.used, 100);
	more.size_bytes = 50;
	ok(store_upload_begin(fx->store, &more, 1, 0, &result, &err), &err);
	assert_int_equal(result.outcome, UPLOAD_OVER_QUOTA);
	assert_int_equal(result.over.used, 101);
	assert_used(fx, &app, 100, 1);
	/* One whose size was not known is judged at its end. */
	const struct upload_row open = begin_upload(fx, &app, -1, STR(""));
	const struct upload_row taken = take(fx, open.id);
	assert_int_equal(end_upload(fx, &taken, 51), UPLOAD_OVER_QUOTA);
	ok(store_upload_drop(fx->store, open.id, &err), &err);
	ok(store_upload_drop(fx->store, upload.id, &err), &err);
	assert_used(fx, &app, 0, 0);
	assert_true(is_gone(fx, upload.id));
	ok(store_media_gone_end(fx->store, upload.id, &err), &err);
	assert_false(is_gone(fx, upload.id));
}

static void a_link_is_good_for_one_file(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct error err = {0};
	struct link_row found = {0};
	const struct link_row link = {.token_hash = new_name(fx, "hash"),
				      .media_id = new_name(fx, "med"),
				      .app_id = app.id,
				      .expires_at_us = NOW + US_PER_HOUR};
	ok(store_link_create(fx->store, &link, &err), &err);
	const struct upload_row first = begin_upload(fx, &app, 100, link.token_hash);
	const struct upload_row taken_first = take(fx, first.id);
	/* Another beginning: the broken one is gone. */
	const struct upload_row second = begin_upload(fx, &app, 100, link.token_hash);
	assert_used(fx, &app, 100, 1);
	assert_true(is_gone(fx, first.id));
	const struct upload_row taken = take(fx, second.id);
	assert_int_equal(end_upload(fx, &taken, 100), UPLOAD_WRITTEN);
	ok(store_link_find(fx->store, fx->arena, link.token_hash, &found, &err), &err);
	assert_int_equal(found.used_at_us, NOW);
	/* Once it is used nothing begins, and what it was used for stays. */
	struct upload_row late = taken_first;
	struct upload_result result = {0};
	late.id = new_uuid(fx);
	ok(store_upload_begin(fx->store, &late, 0, 0, &result, &err), &err);
	assert_int_equal(result.outcome, UPLOAD_LINK_USED);
	assert_int_equal(store_upload_find(fx->store, fx->arena, late.id, &late, &err),
			 ERR_NOT_FOUND);
	assert_false(is_gone(fx, link.media_id));
	assert_used(fx, &app, 100, 1);
}

static void what_is_needed_stays_and_the_rest_goes(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user-1", PLATFORM_X);
	const struct str in_post = make_file(fx, &app);
	const struct str in_draft = make_file(fx, &app);
	const struct str unused = make_file(fx, &app);
	enum media_delete_outcome outcome = MEDIA_DELETED;
	struct media_row media = {0};
	struct draft_result drafted = {0};
	struct error err = {0};
	int64_t seen = 0;
	struct post_accept post = make_post(fx, &app, &account, 1);
	post.media = (struct media_names){&in_post, 1};
	assert_int_equal(accept_post(fx, &post).outcome, POST_ACCEPTED);
	const struct draft_row draft = {.id = new_uuid(fx),
					.app_id = app.id,
					.body = STR("{}"),
					.created_at_us = NOW,
					.media = {&in_draft, 1}};
	ok(store_draft_create(fx->store, &draft, &drafted, &err), &err);
	ok(store_media_delete(fx->store, app.id, in_post, &outcome, &err), &err);
	assert_int_equal(outcome, MEDIA_IN_USE);
	ok(store_media_delete(fx->store, app.id, in_draft, &outcome, &err), &err);
	assert_int_equal(outcome, MEDIA_IN_USE);
	/* The clock of the store says when they were used last: far behind. */
	ok(store_media_expire(fx->store, INT64_MAX, NOW + KEEP_US, MANY, &seen, &err), &err);
	assert_true(seen >= 3);
	ok(find(fx, &app, in_post, &media), &err);
	assert_true(media.is_needed);
	assert_int_equal(media.used_at_us, NOW + KEEP_US);
	ok(find(fx, &app, in_draft, &media), &err);
	assert_int_equal(find(fx, &app, unused, &media), ERR_NOT_FOUND);
	assert_true(is_gone(fx, unused));
	assert_used(fx, &app, 200, 2);
	/* The draft goes, the post ends. */
	ok(store_draft_delete(fx->store, &draft, &drafted, &err), &err);
	const struct delivery_work work = claim_one(fx, NOW);
	const struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);
	ok(find(fx, &app, in_post, &media), &err);
	assert_false(media.is_needed);
	ok(store_media_expire(fx->store, INT64_MAX, NOW, MANY, &seen, &err), &err);
	assert_int_equal(find(fx, &app, in_post, &media), ERR_NOT_FOUND);
	assert_used(fx, &app, 0, 0);
}

static void a_post_with_a_file_that_is_gone_is_not_accepted(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user-1", PLATFORM_X);
	const struct str foreign = make_file(fx, &other);
	struct post_accept post = make_post(fx, &app, &account, 1);
	post.media = (struct media_names){&foreign, 1};
	assert_int_equal(accept_post(fx, &post).outcome, POST_MEDIA_GONE);
	const struct page page =
		list_posts(fx, &(struct post_filter){.app_id = app.id, .page = 1, .per_page = 10});
	assert_int_equal(page.total, 0);
}

static void time_ends_uploads_and_links(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct error err = {0};
	struct upload_row upload = begin_upload(fx, &app, 100, STR(""));
	struct link_row found = {0};
	const struct link_row link = {.token_hash = new_name(fx, "hash"),
				      .media_id = new_name(fx, "med"),
				      .app_id = app.id,
				      .expires_at_us = NOW + US_PER_HOUR};
	int64_t removed = 0;
	ok(store_link_create(fx->store, &link, &err), &err);
	ok(store_upload_expire(fx->store, NOW, NOW, MANY, &removed, &err), &err);
	ok(store_upload_find(fx->store, fx->arena, upload.id, &upload, &err), &err);
	ok(store_upload_expire(fx->store, NOW + 2 * US_PER_DAY, NOW + 2 * US_PER_DAY, MANY,
			       &removed, &err),
	   &err);
	assert_true(removed >= 2);
	assert_int_equal(store_upload_find(fx->store, fx->arena, upload.id, &upload, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(store_link_find(fx->store, fx->arena, link.token_hash, &found, &err),
			 ERR_NOT_FOUND);
	assert_used(fx, &app, 0, 0);
}

int run_media_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(an_upload_becomes_a_file_once),
		STORE_TEST(who_takes_an_upload_shuts_the_earlier_one_out),
		STORE_TEST(quotas_count_files_and_what_is_coming),
		STORE_TEST(a_link_is_good_for_one_file),
		STORE_TEST(what_is_needed_stays_and_the_rest_goes),
		STORE_TEST(a_post_with_a_file_that_is_gone_is_not_accepted),
		STORE_TEST(time_ends_uploads_and_links),
	};
	return cmocka_run_group_tests_name("media", tests, fixture_open, fixture_close);
}
