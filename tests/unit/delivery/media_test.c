/* SPDX-License-Identifier: Apache-2.0
 * Customers' files on the way to our disk: fetched once for a post whoever needs them, refused with
 * a reason, gone when nobody needs them any more. With the real spool and YouTube's adapter. */
#include "delivery.h"

#include "world.h"

#include "delivery_private.h"

#define MEDIA_URL "https://customer.example/video.mp4"
#define FETCH "GET " MEDIA_URL
#define SESSION "uploadType=resumable"
#define UPLOAD "PUT https://www.googleapis.com/upload/session/1"
#define CONTENT                                                                                    \
	"{\"mode\":\"basic\",\"type\":\"video\",\"containers\":[{\"content\":\"A "                 \
	"title\",\"media\":[{\"url\":\"" MEDIA_URL "\","                                           \
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
	assert_int_equal(fetch->pool, TRANSFER_USER);
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

/* The one that fetched fails; the other goes on by itself. */
static void a_failed_shared_fetch_is_taken_over(void **state)
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
	assert_state(w, post, "published");
	assert_string_equal(post_state_name(world_delivery(w, post, 1).state), "published");
	assert_int_equal(fake_count(&w->transport, FETCH), 2);
}

struct claim_call {
	struct world *w;
	struct delivery_work *work;
	size_t count;
};

static enum err_kind run_claim(struct store_tx *tx, void *argument, struct error *err)
{
	struct claim_call *call = argument;
	return store_delivery_claim(tx, call->w->arena, FAKE_NOW_US, US_PER_MINUTE, 10, &call->work,
				    &call->count, err);
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
		assert_false(tasks[i]->is_quiet);
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
		assert_true(tasks[1]->is_quiet);
		tasks[1]->task.ops->saved(&tasks[1]->task, ERR_NONE);
	}
	assert_int_equal(arena_used_bytes(tasks[1]->arena), before_bytes);
	for (size_t i = 0; i < 2; i++)
		tasks[i]->task.ops->free(&tasks[i]->task);
	assert_null(w->deliverer->fetching);
	arena_free(&turn);
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
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
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
	w->transport.answers[w->transport.answer_count - 1].outcome = TRANSFER_LOST;
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
	assert_int_equal(spool_files(w->spool_path), 2); /* the file and its digest */
	char path[256];
	snprintf(path, sizeof(path), "%s/00", w->spool_path);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/00/01234567-89ab-7def-8123-456789abcdef-0", w->spool_path);
	FILE *stray = fopen(path, "w");
	assert_non_null(stray);
	fclose(stray);
	world_crash(w);
	assert_int_equal(spool_files(w->spool_path), 2);
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
		WORLD_TEST(a_failed_shared_fetch_is_taken_over),
		WORLD_TEST(waiting_for_another_fetch_costs_nothing),
		cmocka_unit_test(a_file_that_does_not_come_is_told),
		WORLD_TEST(a_full_spool_is_waited_for),
		WORLD_TEST(a_retry_fetches_again),
		WORLD_TEST(a_file_goes_though_a_later_claim_ended_the_delivery),
		WORLD_TEST(a_start_removes_what_nobody_needs),
		WORLD_TEST(a_draining_service_begins_no_fetch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
