/* SPDX-License-Identifier: Apache-2.0
 * Customers' files on the way to our disk: fetched once for all deliveries of a post, refused with
 * a reason, gone when nobody needs them any more. With the real spool and YouTube's adapter. */
#include "count_of.h"

#include "stages.h"

#include "delivery.h"

#include "world.h"

#include "store_post_change.h"

#include "delivery_private.h"

#define MEDIA_URL "https://customer.example/video.mp4"
#define FETCH "GET " MEDIA_URL
#define SESSION "uploadType=resumable"
#define UPLOAD "PUT https://www.googleapis.com/upload/session/1"
#define CONTENT \
	"{\"mode\":\"basic\",\"type\":\"video\",\"containers\":[{\"content\":\"A " \
	"title\",\"media\":[{\"url\":\"" MEDIA_URL "\"," \
	"\"type\":\"video\"}]}]}"

static const char video[] = "\0\0\0\x18"
			    "ftypmp42\0\0\0\0mp42isom and some more bytes";

static struct account_row channel(struct world *w)
{
	return world_account(w, PLATFORM_YOUTUBE, 0, WORLD_REFRESH_TOKEN);
}

static void answer_fetch(struct world *w)
{
	FAKE_ANSWER(&w->transport, .match = FETCH, .body = video, .body_len = sizeof(video));
}

static void answer_upload(struct world *w, const char *body)
{
	FAKE_ANSWER(&w->transport, .match = SESSION, .header_name = "Location",
		    .header_value = "https://www.googleapis.com/upload/session/1");
	FAKE_ANSWER(&w->transport, .match = UPLOAD, .body = body);
	FAKE_ANSWER(&w->transport, .match = "GET https://www.googleapis.com/youtube/v3/videos",
		    .body = "{\"items\":[{\"status\":{\"uploadStatus\":\"processed\"}}]}",
		    .times = 10);
}

static size_t spool_files(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	size_t count = 0;
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		char inner[512];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		count += entry->d_type == DT_DIR ? spool_files(inner) : 1;
	}
	if (folder != NULL)
		closedir(folder);
	return count;
}

static void a_file_is_fetched_streamed_and_removed(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	answer_fetch(w);
	answer_upload(w, "{\"id\":\"vid1\"}");
	const struct str post = world_post(w, CONTENT, &account, 1);
	world_run(w);
	assert_published(w, post, "vid1");
	const struct fake_sent *fetch = fake_nth(&w->transport, FETCH, 0);
	assert_int_equal(fetch->pool, TRANSFER_MEDIA);
	assert_string_equal(fetch->authorization, "");
	const struct fake_sent *upload = fake_nth(&w->transport, UPLOAD, 0);
	assert_non_null(upload->body_path);
	assert_int_equal(upload->body_length_bytes, sizeof(video));
	assert_true(upload->timeout_ms >= 30000);
	assert_int_equal(spool_files(w->spool_path), 0);
}

static void two_deliveries_share_one_fetch(void **state)
{
	struct world *w = *state;
	const struct account_row accounts[] = {channel(w), channel(w)};
	answer_upload(w, "{\"id\":\"vid1\"}");
	answer_upload(w, "{\"id\":\"vid2\"}");
	const struct str post = world_post(w, CONTENT, accounts, 2);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, FETCH), 1);
	assert_int_equal(fake_count(&w->transport, SESSION), 0);
	answer_fetch(w);
	world_run(w);
	world_pass(w, 200 * US_PER_MS);
	assert_state(w, post, "published");
	assert_string_equal(post_state_name(world_delivery(w, post, 1).state), "published");
	assert_int_equal(fake_count(&w->transport, FETCH), 1);
	assert_int_equal(spool_files(w->spool_path), 0);
}

/* Both got the same answer; one of them asks again, for both. */
static void a_failed_shared_fetch_is_tried_again_for_all(void **state)
{
	struct world *w = *state;
	const struct account_row accounts[] = {channel(w), channel(w)};
	const struct str post = world_post(w, CONTENT, accounts, 2);
	world_run(w);
	FAKE_ANSWER(&w->transport, .match = FETCH, .status = 503);
	answer_fetch(w);
	answer_upload(w, "{\"id\":\"vid1\"}");
	answer_upload(w, "{\"id\":\"vid2\"}");
	world_run(w);
	world_pass(w, 200 * US_PER_MS);
	world_pass(w, 60 * US_PER_S);
	world_pass(w, 200 * US_PER_MS);
	assert_state(w, post, "published");
	assert_string_equal(post_state_name(world_delivery(w, post, 1).state), "published");
	assert_int_equal(fake_count(&w->transport, FETCH), 2);
}

/* A URL that is dead is asked for once for the whole post, not by each of its deliveries; and the
 * same for every retry. */
static void a_dead_file_is_asked_for_once(void **state)
{
	struct world *w = *state;
	const struct account_row accounts[] = {channel(w), channel(w), channel(w)};
	FAKE_ANSWER(&w->transport, .match = FETCH, .status = 404, .times = 3);
	const struct str post = world_post(w, CONTENT, accounts, 3);
	world_run(w);
	world_pass(w, 200 * US_PER_MS);
	for (size_t i = 0; i < 3; i++) {
		const struct delivery_row row = world_delivery(w, post, i);
		assert_string_equal(post_state_name(row.state), "failed");
		assert_str(row.error_code, "MEDIA_UNREACHABLE");
		assert_true(str_find(row.error_message, STR("status 404"), 0) != SIZE_MAX);
	}
	assert_int_equal(fake_count(&w->transport, FETCH), 1);
	/* Another post asks for itself. */
	world_post(w, CONTENT, accounts, 1);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, FETCH), 2);
}

static void a_retry_asks_once_for_all(void **state)
{
	struct world *w = *state;
	const struct account_row accounts[] = {channel(w), channel(w), channel(w)};
	FAKE_ANSWER(&w->transport, .match = FETCH, .status = 503, .times = 100);
	const struct str post = world_post(w, CONTENT, accounts, 3);
	world_run(w);
	world_pass(w, 200 * US_PER_MS);
	assert_int_equal(fake_count(&w->transport, FETCH), 1);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(post_state_name(world_delivery(w, post, i).state), "retrying");
	for (int i = 0; i < 10; i++)
		/* the retries come at 30 s and up to a fifth later */
		world_pass(w, US_PER_S + 29 * US_PER_S * (i == 0));
	assert_int_equal(fake_count(&w->transport, FETCH), 2);
	assert_int_equal(world_delivery(w, post, 0).attempts, 2);
	assert_int_equal(world_delivery(w, post, 2).attempts, 2);
}

/* A person's retry may follow a repair: the failed fetches of other deliveries do not count. */
static void a_person_who_tries_again_gets_a_new_look(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	struct error err = {0};
	struct post_retry_result result = {0};
	FAKE_ANSWER(&w->transport, .match = FETCH, .status = 404);
	const struct str post = world_post(w, CONTENT, &account, 1);
	world_run(w);
	assert_state(w, post, "failed");
	const struct post_retry retry = {
		.app_id = w->app.id, .post_id = post, .now_us = clock_now_us(&w->clock.clock)};
	ok(store_post_retry(w->store, w->arena, &retry, &result, &err), &err);
	answer_fetch(w);
	deliverer_wake(w->deliverer);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, FETCH), 2);
	assert_int_equal(fake_count(&w->transport, SESSION), 1);
}

struct claim_call {
	struct world *w;
	struct delivery_work *work;
	size_t count;
};

static enum err_kind run_claim(struct store_tx *tx, void *argument, struct error *err)
{
	struct claim_call *call = argument;
	const struct delivery_claim wish = {.now_us = clock_now_us(&call->w->clock.clock),
					    .lease_us = US_PER_MINUTE,
					    .max = 10};
	return store_delivery_claim(tx, call->w->arena, &wish, &call->work, &call->count, err);
}

/* A waiter looks ten times a second, perhaps for hours: it must neither grow nor write. Its task is
 * driven by hand here. */
static void waiting_for_another_fetch_costs_nothing(void **state)
{
	struct world *w = *state;
	const struct account_row accounts[] = {channel(w), channel(w)};
	world_post(w, CONTENT, accounts, 2);
	struct claim_call call = {.w = w};
	struct error err = {0};
	ok(store_write(w->store, run_claim, &call, &err), &err);
	assert_int_equal(call.count, 2);
	struct arena *turn = arena_new("turn", (size_t)64 << 20);
	struct delivery_task *tasks[2];
	struct task_plan plan = {0};
	const struct task_event start = {.kind = TASK_EVENT_START};
	const struct task_event woken = {.kind = TASK_EVENT_WOKEN};
	for (size_t i = 0; i < 2; i++) {
		tasks[i] = delivery_task_new(w->deliverer, &call.work[i]);
		tasks[i]->task.engine = w->engine;
		plan = (struct task_plan){0};
		tasks[i]->task.ops->plan(&tasks[i]->task, turn, &start, &plan);
		assert_int_equal(plan.action, i == 0 ? TASK_FETCH : TASK_SLEEP);
		assert_false(tasks[i]->turn.is_quiet);
		/* The lease is as long as the fetch may last. */
		assert_true(tasks[i]->save.lease_until_us >= FAKE_NOW_US + US_PER_HOUR);
		tasks[i]->task.ops->saved(&tasks[i]->task, ERR_NONE);
	}
	const size_t before_bytes = arena_used_bytes(tasks[1]->arena);
	for (int i = 0; i < 1000; i++) {
		arena_clear(turn);
		plan = (struct task_plan){0};
		tasks[1]->task.ops->plan(&tasks[1]->task, turn, &woken, &plan);
		assert_int_equal(plan.action, TASK_SLEEP);
		assert_true(tasks[1]->turn.is_quiet);
		tasks[1]->task.ops->saved(&tasks[1]->task, ERR_NONE);
	}
	assert_int_equal(arena_used_bytes(tasks[1]->arena), before_bytes);
	for (size_t i = 0; i < 2; i++)
		tasks[i]->task.ops->free(&tasks[i]->task);
	assert_null(w->deliverer->fetching);
	arena_free(&turn);
}

/* ---- further files, driven by hand with an adapter that asks for them ---- */

#define THUMB_URL "https://customer.example/thumb.jpg"

static const char picture[] = "\xff\xd8\xff\xe0 and more";

struct asker {
	const char *urls[ENV_FILES_MAX + 1]; /* asked for one after the other; NULL ends */
	bool is_optional;
	const char *extra;    /* what the first step says of the account */
	int64_t upload_bytes; /* 0 = none: of the first file, once all are there */
	/* What it saw when it had all. */
	int indexes[ENV_FILES_MAX + 1];
	struct media_file files[ENV_FILES_MAX + 1];
	struct str extra_secret;
	int64_t cap_seen;
};

static struct asker asker;

static const char *ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)flow;
	asker.extra_secret = env->extra_secret;
	asker.cap_seen = json_int(json_get(env->account_extra, "cap"), -1);
	for (size_t i = 0; i <= ENV_FILES_MAX && asker.urls[i] != NULL; i++) {
		asker.indexes[i] = env_file(env, str_of(asker.urls[i]));
		if (asker.indexes[i] >= 0)
			asker.files[i] = env->media[asker.indexes[i]];
		if (asker.indexes[i] >= 0 && (asker.files[i].is_ready || asker.files[i].is_missing))
			continue;
		step_file(step, str_of(asker.urls[i]), asker.is_optional);
		step->account_extra = str_of(i == 0 ? asker.extra : NULL);
		return NULL;
	}
	if (asker.upload_bytes == 0) {
		step_wait(step, 1000);
		return NULL;
	}
	struct call *call = step_send(step, CALL_PREPARE, "PUT", STR("https://platform.example/"));
	call->has_media_body = true;
	call->media_index = (size_t)asker.indexes[0];
	call->media_length_bytes = asker.upload_bytes;
	return NULL;
}

static const struct stage ask_stages[] = {
	{"ask", ask, NULL},
	{.name = NULL},
};

struct by_hand {
	struct world *w;
	struct arena *turn;
	struct delivery_task *t;
	struct task_plan plan;
};

/* The one delivery that is due. */
static struct by_hand claim_by_hand(struct world *w)
{
	static struct platform platform;
	struct by_hand hand = {.w = w, .turn = arena_new("turn", (size_t)64 << 20)};
	struct claim_call call = {.w = w};
	struct error err = {0};
	const struct task_event start = {.kind = TASK_EVENT_START};
	platform = *platform_of(PLATFORM_YOUTUBE);
	platform.stages[OPERATION_PUBLISH] = ask_stages;
	platform.publish_learn = NULL;
	ok(store_write(w->store, run_claim, &call, &err), &err);
	assert_int_equal(call.count, 1);
	hand.t = delivery_task_new(w->deliverer, &call.work[0]);
	hand.t->task.engine = w->engine;
	hand.t->platform = &platform;
	hand.t->task.ops->plan(&hand.t->task, hand.turn, &start, &hand.plan);
	return hand;
}

static struct by_hand begin_by_hand(struct world *w, const struct account_row *account)
{
	world_post(w, CONTENT, account, 1);
	return claim_by_hand(w);
}

static enum err_kind run_save(struct store_tx *tx, void *argument, struct error *err)
{
	struct by_hand *hand = argument;
	const enum err_kind kind = hand->t->task.ops->save(&hand->t->task, tx, err);
	return kind == ERR_NONE ? hand->t->task.ops->save_end(&hand->t->task, tx, err) : kind;
}

static void save_by_hand(struct by_hand *hand)
{
	struct error err = {0};
	ok(store_write(hand->w->store, run_save, hand, &err), &err);
	hand->t->task.ops->saved(&hand->t->task, ERR_NONE);
}

static void fetched_by_hand(struct by_hand *hand, int status)
{
	const struct transfer_result result = {
		.outcome = TRANSFER_ANSWERED, .status = status, .received_bytes = sizeof(picture)};
	const struct task_event event = {.kind = TASK_EVENT_FETCHED, .fetched = &result};
	FILE *file = fopen(hand->plan.fetch.save_path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(picture, 1, sizeof(picture), file), sizeof(picture));
	fclose(file);
	hand->plan = (struct task_plan){0};
	hand->t->task.ops->plan(&hand->t->task, hand->turn, &event, &hand->plan);
}

static void end_by_hand(struct by_hand *hand)
{
	hand->t->task.ops->free(&hand->t->task);
	arena_free(&hand->turn);
}

static void a_further_file_is_fetched_like_media(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	asker = (struct asker){.urls = {THUMB_URL}};
	struct by_hand hand = begin_by_hand(w, &account);
	assert_int_equal(hand.plan.action, TASK_FETCH);
	assert_str(hand.plan.fetch.url, THUMB_URL);
	assert_int_equal(hand.plan.fetch.pool, TRANSFER_MEDIA); /* so the guard looks at it */
	fetched_by_hand(&hand, 200);
	assert_int_equal(hand.t->save.next, DELIVERY_WAIT);
	assert_int_equal(asker.indexes[0], 1); /* after the post's only medium */
	assert_int_equal(asker.files[0].sniff.type, SNIFF_JPEG);
	assert_int_equal(asker.files[0].size_bytes, sizeof(picture));
	assert_non_null(hand.t->media.paths[1]);
	assert_false(hand.t->media.files[0].is_ready);
	end_by_hand(&hand);
}

/* rules.md 2.2 rule 1: nobody else may claim a delivery whose call may still be under way. */
static void a_lease_outlives_the_upload_of_its_file(void **state)
{
	struct world *w = *state;
	static const int64_t lengths_bytes[] = {1, 1 << 20, 10 << 20, INT64_C(1) << 32,
						INT64_C(1) << 37};
	for (size_t i = 0; i < COUNT_OF(lengths_bytes); i++) {
		const struct account_row account = channel(w);
		asker = (struct asker){.urls = {THUMB_URL}, .upload_bytes = lengths_bytes[i]};
		struct by_hand hand = begin_by_hand(w, &account);
		fetched_by_hand(&hand, 200);
		assert_int_equal(hand.plan.action, TASK_SEND);
		assert_string_equal(hand.plan.media_path, hand.t->media.paths[1]);
		assert_true(hand.t->save.lease_until_us >
			    hand.t->env.now_us + step_call_timeout_ms(&hand.plan.call) * US_PER_MS);
		/* 30 s for the call, and 32 bytes a millisecond. */
		assert_true(hand.t->save.lease_until_us >=
			    hand.t->env.now_us + 30 * US_PER_S + lengths_bytes[i] / 32 * US_PER_MS);
		save_by_hand(&hand);
		end_by_hand(&hand);
	}
}

static void after_a_restart_a_file_is_found_not_fetched(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	asker = (struct asker){.urls = {THUMB_URL, MEDIA_URL}};
	struct by_hand hand = begin_by_hand(w, &account);
	fetched_by_hand(&hand, 200);
	fetched_by_hand(&hand, 200);
	save_by_hand(&hand);
	end_by_hand(&hand);
	world_crash(w);
	fake_clock_advance(&w->clock, 2 * US_PER_S);
	asker = (struct asker){.urls = {MEDIA_URL, THUMB_URL}}; /* in another order */
	hand = claim_by_hand(w);
	assert_int_equal(hand.plan.action, TASK_END);
	assert_int_equal(hand.t->save.next, DELIVERY_WAIT);
	assert_true(asker.files[0].is_ready && asker.files[1].is_ready);
	end_by_hand(&hand);
	/* Another post's file is another file. */
	const struct account_row other = channel(w);
	hand = begin_by_hand(w, &other);
	assert_int_equal(hand.plan.action, TASK_FETCH);
	end_by_hand(&hand);
}

static void a_file_that_is_a_medium_too_is_fetched_once(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	asker = (struct asker){.urls = {MEDIA_URL}};
	struct by_hand hand = begin_by_hand(w, &account);
	fetched_by_hand(&hand, 200);
	const struct step medium = {.kind = STEP_MEDIA, .media_index = 0};
	assert_int_equal(media_want(hand.t, &medium), NEXT_ASK);
	assert_string_equal(hand.t->media.paths[0], hand.t->media.paths[1]);
	end_by_hand(&hand);
}

static void a_file_that_does_not_come_is_missing_or_the_end(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	for (int is_optional = 0; is_optional < 2; is_optional++) {
		const struct account_row one = is_optional ? account : channel(w);
		asker = (struct asker){.urls = {THUMB_URL, NULL}, .is_optional = is_optional != 0};
		struct by_hand hand = begin_by_hand(w, &one);
		assert_int_equal(hand.plan.action, TASK_FETCH);
		fetched_by_hand(&hand, 404);
		assert_int_equal(hand.t->save.next, is_optional ? DELIVERY_WAIT : DELIVERY_FAILED);
		assert_int_equal(asker.files[0].is_missing, is_optional);
		if (!is_optional) {
			assert_int_equal(hand.t->turn.failure.code, FAILURE_CODE_MEDIA_UNREACHABLE);
			assert_non_null(
				strstr(str_z(w->arena, hand.t->turn.failure.message), "thumbnail"));
			save_by_hand(&hand);
		}
		end_by_hand(&hand);
	}
}

static void an_adapter_that_asks_for_too_many_files_is_stopped(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	asker = (struct asker){0};
	for (int i = 0; i <= ENV_FILES_MAX; i++)
		asker.urls[i] = str_z(w->arena, str_format(w->arena, THUMB_URL "?%d", i));
	struct by_hand hand = begin_by_hand(w, &account);
	for (int i = 0; i < ENV_FILES_MAX; i++) {
		assert_int_equal(hand.plan.action, TASK_FETCH);
		fetched_by_hand(&hand, 200);
	}
	assert_int_equal(hand.t->save.next, DELIVERY_FAILED);
	assert_int_equal(hand.t->turn.failure.code, FAILURE_CODE_INTERNAL_ERROR);
	assert_int_equal(hand.t->env.file_count, ENV_FILES_MAX);
	end_by_hand(&hand);
}

/* Written with the decision that it came with, and seen by the adapter at once. */
static void what_is_learnt_of_the_account_is_kept(void **state)
{
	struct world *w = *state;
	struct account_row account = channel(w);
	account.extra_sealed =
		world_sealed(w, "accounts", "extra_secret", account.id, "the user token");
	world_connect(w, &account, WORLD_ACCESS_TOKEN, WORLD_REFRESH_TOKEN);
	asker = (struct asker){.urls = {THUMB_URL}, .extra = "{\"cap\":7}"};
	struct by_hand hand = begin_by_hand(w, &account);
	assert_str(asker.extra_secret, "the user token");
	assert_int_equal(asker.cap_seen, -1);
	save_by_hand(&hand);
	assert_str(world_account_now(w, &account).extra, "{\"cap\":7}");
	fetched_by_hand(&hand, 200);
	assert_int_equal(asker.cap_seen, 7);
	assert_false(hand.t->turn.has_new_extra);
	end_by_hand(&hand);
}

static void what_is_no_object_is_not_kept(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	asker = (struct asker){.urls = {THUMB_URL}, .extra = "[1]"};
	struct by_hand hand = begin_by_hand(w, &account);
	save_by_hand(&hand);
	assert_str(world_account_now(w, &account).extra, "{}");
	end_by_hand(&hand);
}

struct refusal {
	const char *name;
	struct fake_answer answer;
	bool is_final;
	const char *words;
};

static const struct refusal refusals[] = {
	{"404", {.match = FETCH, .status = 404, .body = "no"}, true, "status 404"},
	{"403", {.match = FETCH, .status = 403}, true, "status 403"},
	{"410", {.match = FETCH, .status = 410}, true, "status 410"},
	{"503", {.match = FETCH, .status = 503}, false, "status 503"},
	{"408", {.match = FETCH, .status = 408}, false, "status 408"},
	{"425", {.match = FETCH, .status = 425}, false, "status 425"},
	{"429", {.match = FETCH, .status = 429}, false, "status 429"},
	{"guard",
	 {.match = FETCH,
	  .outcome = TRANSFER_NEVER_SENT,
	  .problem = TRANSFER_REFUSED_BY_GUARD,
	  .error_text = "a private address"},
	 true,
	 "a private address"},
	{"too large",
	 {.match = FETCH,
	  .outcome = TRANSFER_LOST,
	  .problem = TRANSFER_TOO_LARGE,
	  .error_text = "too large"},
	 true,
	 "too large"},
	{"bad redirect",
	 {.match = FETCH,
	  .outcome = TRANSFER_LOST,
	  .problem = TRANSFER_BAD_REDIRECT,
	  .error_text = "bad redirect"},
	 true,
	 "bad redirect"},
	{"no such name",
	 {.match = FETCH,
	  .outcome = TRANSFER_NEVER_SENT,
	  .problem = TRANSFER_NAME_NOT_RESOLVED,
	  .error_text = "no name"},
	 false,
	 "no name"},
	{"disk",
	 {.match = FETCH,
	  .outcome = TRANSFER_LOST,
	  .problem = TRANSFER_DISK_FAILED,
	  .error_text = "disk"},
	 false,
	 "disk"},
	{"slow",
	 {.match = FETCH,
	  .outcome = TRANSFER_LOST,
	  .problem = TRANSFER_TOO_SLOW,
	  .error_text = "slow"},
	 false,
	 "slow"},
};

static void a_file_that_does_not_come_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		void *inner = NULL;
		world_setup(&inner);
		struct world *w = inner;
		const struct account_row account = channel(w);
		fake_add(&w->transport, refusals[i].answer);
		const struct str post = world_post(w, CONTENT, &account, 1);
		world_run(w);
		const struct delivery_row row = world_delivery(w, post, 0);
		if (row.state != (refusals[i].is_final ? POST_FAILED : POST_RETRYING))
			fail_msg("%s: %s", refusals[i].name, post_state_name(row.state));
		assert_str(row.error_code, "MEDIA_UNREACHABLE");
		if (str_find(row.error_message, str_of(refusals[i].words), 0) == SIZE_MAX)
			fail_msg("%s: " STR_FMT, refusals[i].name, STR_ARG(row.error_message));
		assert_int_equal(fake_count(&w->transport, SESSION), 0);
		assert_int_equal(spool_files(w->spool_path), 0);
		world_teardown(&inner);
	}
}

/* The limit was the disk's budget and not the file's: that passes when others are done. */
static void a_full_spool_is_waited_for(void **state)
{
	struct world *w = *state;
	w->spool_budget_bytes = 1000;
	world_crash(w);
	const struct account_row account = channel(w);
	FAKE_ANSWER(&w->transport, .match = FETCH, .outcome = TRANSFER_LOST,
		    .problem = TRANSFER_TOO_LARGE, .error_text = "too large");
	const struct str post = world_post(w, CONTENT, &account, 1);
	world_run(w);
	assert_state(w, post, "retrying");
}

static void a_retry_fetches_again(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	FAKE_ANSWER(&w->transport, .match = FETCH, .status = 503);
	answer_fetch(w);
	answer_upload(w, "{\"id\":\"vid1\"}");
	const struct str post = world_post(w, CONTENT, &account, 1);
	world_run(w);
	assert_state(w, post, "retrying");
	world_pass(w, 36 * US_PER_S);
	assert_published(w, post, "vid1");
}

/* Fetched by one claim, finished by another that has no more use for the file: it must go all the
 * same. */
static void a_file_goes_though_a_later_claim_ended_the_delivery(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	answer_fetch(w);
	answer_upload(w, NULL);
	w->transport.answers[w->transport.answer_count - 2].outcome = TRANSFER_LOST;
	const struct str post = world_post(w, CONTENT, &account, 1);
	world_run(w);
	assert_true(spool_files(w->spool_path) > 0);
	FAKE_ANSWER(&w->transport, .match = UPLOAD,
		    .body = "{\"id\":\"vid1\"}"); /* the look: all is there */
	world_pass(w, 2 * US_PER_S);
	assert_published(w, post, "vid1");
	assert_int_equal(spool_files(w->spool_path), 0);
}

static void a_start_removes_what_nobody_needs(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	answer_fetch(w);
	world_post(w, CONTENT, &account, 1);
	world_run(w);
	assert_int_equal(spool_files(w->spool_path), 3); /* the file, its digest, its object */
	char path[256];
	snprintf(path, sizeof(path), "%s/00", w->spool_path);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/00/01234567-89ab-7def-8123-456789abcdef-0", w->spool_path);
	FILE *stray = fopen(path, "w");
	assert_non_null(stray);
	fclose(stray);
	world_crash(w);
	assert_int_equal(spool_files(w->spool_path), 3);
}

/* "A stopping service begins nothing new": not a fetch of hours either. */
static void a_draining_service_begins_no_fetch(void **state)
{
	struct world *w = *state;
	const struct account_row account = channel(w);
	world_post(w, CONTENT, &account, 1);
	struct claim_call call = {.w = w};
	struct error err = {0};
	ok(store_write(w->store, run_claim, &call, &err), &err);
	engine_stop(w->engine);
	engine_run(w->engine, 0);
	struct arena *turn = arena_new("turn", (size_t)64 << 20);
	struct delivery_task *t = delivery_task_new(w->deliverer, &call.work[0]);
	struct task_plan plan = {0};
	const struct task_event start = {.kind = TASK_EVENT_START};
	t->task.engine = w->engine;
	t->task.ops->plan(&t->task, turn, &start, &plan);
	assert_int_equal(plan.action, TASK_END);
	assert_int_equal(t->save.next, DELIVERY_WAIT);
	assert_null(w->deliverer->fetching);
	t->task.ops->free(&t->task);
	arena_free(&turn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_file_is_fetched_streamed_and_removed),
		WORLD_TEST(two_deliveries_share_one_fetch),
		WORLD_TEST(a_failed_shared_fetch_is_tried_again_for_all),
		WORLD_TEST(a_dead_file_is_asked_for_once),
		WORLD_TEST(a_retry_asks_once_for_all),
		WORLD_TEST(a_person_who_tries_again_gets_a_new_look),
		WORLD_TEST(waiting_for_another_fetch_costs_nothing),
		WORLD_TEST(a_further_file_is_fetched_like_media),
		WORLD_TEST(a_lease_outlives_the_upload_of_its_file),
		WORLD_TEST(after_a_restart_a_file_is_found_not_fetched),
		WORLD_TEST(a_file_that_is_a_medium_too_is_fetched_once),
		WORLD_TEST(a_file_that_does_not_come_is_missing_or_the_end),
		WORLD_TEST(an_adapter_that_asks_for_too_many_files_is_stopped),
		WORLD_TEST(what_is_learnt_of_the_account_is_kept),
		WORLD_TEST(what_is_no_object_is_not_kept),
		cmocka_unit_test(a_file_that_does_not_come_is_told),
		WORLD_TEST(a_full_spool_is_waited_for),
		WORLD_TEST(a_retry_fetches_again),
		WORLD_TEST(a_file_goes_though_a_later_claim_ended_the_delivery),
		WORLD_TEST(a_start_removes_what_nobody_needs),
		WORLD_TEST(a_draining_service_begins_no_fetch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
