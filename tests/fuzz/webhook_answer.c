/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes what an endpoint answers to a webhook (webhook/webhook_attempt.c): however it answers, and
 * however long it was tried before, the log that is written is a whole JSON array that has the
 * newest try and a bounded length; the verdict follows from the status; and the next try is due
 * within a day and a little.
 * The input is a byte of the outcome, two of the status, one for the tries before, and lines of
 * headers; the same answer comes again and again, each time to the log that the last one left. */
#include "webhook_private.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

#include "json.h"

#include "transfer.h"

#include "fake_clock.h"

#include "webhook_policy.h"

#define HEAD_BYTES 4
#define HEADERS_MAX 16
#define TRIES_MAX 64
#define LOG_MAX_BYTES ((size_t)128 << 10)
#define LOG_TRIES_MAX 20
#define WAIT_MAX_US (25 * US_PER_HOUR)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct webhook_save saved;

/* Takes the place of the store's. */
enum err_kind store_webhook_save(struct store_tx *tx, const struct webhook_save *save,
				 struct error *err)
{
	(void)tx, (void)err;
	saved = *save;
	return ERR_NONE;
}

static size_t read_headers(struct str lines, struct transfer_header *headers)
{
	struct str line, name;
	size_t count = 0;
	while (!str_is_empty(lines) && count < HEADERS_MAX && str_take_field(&lines, '\n', &line)) {
		if (!str_take_until(&line, ':', &name))
			continue;
		headers[count++] =
			(struct transfer_header){name, str_trim(str_slice(line, 1, line.len))};
	}
	return count;
}

static void check_log(struct arena *arena, const struct transfer_result *answer)
{
	const struct json *log = NULL;
	assert(saved.log.len <= LOG_MAX_BYTES);
	assert(json_parse(arena, saved.log, NULL, &log, NULL, NULL) == ERR_NONE);
	assert(json_is(log, JSON_TYPE_ARRAY) && log->count > 0 && log->count <= LOG_TRIES_MAX);
	const struct json *newest = json_at(log, log->count - 1);
	const struct json *status = json_get(newest, "status");
	if (answer->outcome == TRANSFER_ANSWERED)
		assert(json_is(status, JSON_TYPE_INT) && status->integer == answer->status);
	else
		assert(json_is_null(status));
}

static void check_verdict(const struct transfer_result *answer, int attempts)
{
	const bool is_taken =
		answer->outcome == TRANSFER_ANSWERED && webhook_status_is_taken(answer->status);
	assert(saved.attempts == attempts + 1);
	assert((saved.state == WEBHOOK_SUCCEEDED) == is_taken);
	assert(!is_taken || str_is_empty(saved.disable_reason));
	assert(saved.state != WEBHOOK_PENDING ||
	       (saved.due_at_us > saved.now_us && saved.due_at_us - saved.now_us <= WAIT_MAX_US));
}

/* One try, whose log is *log and then its own. */
static void try_once(struct arena *arena, struct webhooker *webhooker, struct webhook_work *work,
		     const struct transfer_result *answer)
{
	struct task_plan plan = {0};
	const struct task_event event = {.kind = TASK_EVENT_FETCHED, .fetched = answer};
	struct task *task = webhook_attempt_new(webhooker, work);
	task->ops->plan(task, arena, &event, &plan);
	assert(plan.action == TASK_END);
	assert(task->ops->save(task, NULL, NULL) == ERR_NONE);
	check_log(arena, answer);
	check_verdict(answer, work->attempts);
	work->log = str_copy(arena, saved.log);
	work->attempts = (work->attempts + 1) % WEBHOOK_ATTEMPTS_MAX;
	task->ops->free(task);
}

/* A sentence of ours, which is ASCII. */
static struct str sentence_of(struct arena *arena, struct str text)
{
	char *out = str_z(arena, str_slice(text, 0, 511));
	for (char *at = out; *at != '\0'; at++)
		*at &= 0x7f;
	return str_of(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_clock clock;
	struct transfer_header headers[HEADERS_MAX];
	if (size < HEAD_BYTES)
		return 0;
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	fake_clock_init(&clock);
	struct webhooker webhooker = {.config = {.clock = &clock.clock, .time_scale = 1}};
	const struct str text = {(const char *)data + HEAD_BYTES, size - HEAD_BYTES};
	const struct transfer_result answer = {
		.outcome = data[0] & 1 ? TRANSFER_LOST : TRANSFER_ANSWERED,
		.status = 100 + (data[1] << 8 | data[2]) % 500,
		.headers = headers,
		.header_count = read_headers(text, headers),
		.error_text = data[0] & 2 ? sentence_of(arena, text) : STR(""),
	};
	struct webhook_work work = {
		.webhook = {.id = STR("w"), .app_id = STR("a"), .url = STR("https://h.example/")},
		.attempts = data[3] % WEBHOOK_ATTEMPTS_MAX,
	};
	for (int tries = 0; tries <= data[3] % TRIES_MAX; tries++)
		try_once(arena, &webhooker, &work, &answer);
	arena_free(&arena);
	return 0;
}
