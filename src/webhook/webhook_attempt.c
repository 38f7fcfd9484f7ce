/* SPDX-License-Identifier: Apache-2.0
 * One try to carry one event to one webhook: sign, send, judge the answer, write it down. */
#include "webhook_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "buf.h"
#include "count_of.h"

#include "httpdate.h"
#include "json.h"
#include "json_write.h"

#include "seal.h"

#include "transfer.h"

#include "webhook_policy.h"
#include "webhook_sign.h"

#define ATTEMPT_ARENA_MAX_BYTES ((size_t)32 << 20)
#define CALL_TIMEOUT_MS 10000 /* api-decisions.md 9 */
#define ANSWER_MAX_BYTES 65536
#define LOG_TRIES_MAX 20
#define LOG_MAX_BYTES ((size_t)128 << 10) /* each names one error text */
#define STATUS_GONE 410

struct webhook_attempt {
	struct task task; /* first: the engine's handle */
	struct webhooker *webhooker;
	struct webhook_attempt *next; /* webhooker->attempts */
	struct arena *arena;
	struct webhook_work work;
	struct webhook_save save;
	bool has_result;
	bool is_sealed_otherwise; /* by another master key */
};

/* Another master key's secret is the operator's matter, said once by who is told. */
static bool open_secret(struct webhook_attempt *a, const char *column, struct str sealed,
			struct str *secret_out)
{
	const struct webhooker_config *config = &a->webhooker->config;
	const struct seal_place place = {STR("webhooks"), str_of(column), a->work.webhook.id};
	struct error err = {0};
	const enum err_kind kind =
		seal_open_secret(config->seal, a->arena, &place, sealed, secret_out, &err);
	if (kind == ERR_NONE)
		return true;
	a->is_sealed_otherwise = kind == ERR_FORBIDDEN && config->key_is_other != NULL;
	if (a->is_sealed_otherwise)
		config->key_is_other(config->key_context, str_of(err.text));
	else
		LOG(a->webhooker->config.log, ERROR, "webhook_secret_unreadable",
		    log_str("webhook", a->work.webhook.id), log_str("error", str_of(err.text)));
	return false;
}

/* Signatures are parted by blanks: while a secret is rotated there are two. Empty when a secret
 * cannot be opened. */
static struct str sign(struct webhook_attempt *a, int64_t now_us)
{
	const struct webhook_row *webhook = &a->work.webhook;
	const int64_t timestamp_s = now_us / US_PER_S;
	struct str secret;
	if (!open_secret(a, "secret", webhook->secret_sealed, &secret))
		return STR("");
	struct str signatures = webhook_signature(a->arena, secret, a->work.event.id, timestamp_s,
						  a->work.event.body);
	if (str_is_empty(webhook->old_secret_sealed) || webhook->old_secret_until_us <= now_us ||
	    !open_secret(a, "old_secret", webhook->old_secret_sealed, &secret))
		return signatures;
	const struct str old = webhook_signature(a->arena, secret, a->work.event.id, timestamp_s,
						 a->work.event.body);
	return str_format(a->arena, STR_FMT " " STR_FMT, STR_ARG(signatures), STR_ARG(old));
}

/* ---- the verdict ---- */

struct attempt_result {
	int status; /* 0 = no answer */
	int64_t duration_us;
	struct str error; /* empty when it was taken */
	int64_t retry_after_ms;
};

static void write_log_entry(struct json_writer *w, const struct attempt_result *result,
			    int64_t now_us)
{
	json_begin_object(w);
	json_member_instant(w, "at", now_us);
	if (result->status != 0)
		json_member_int(w, "status", result->status);
	else
		json_member_null(w, "status");
	json_member_int(w, "duration_ms", result->duration_us / 1000);
	json_member_str_or_null(w, "error", result->error);
	json_end_object(w);
}

/* The newest tries so far, and this one: an event can be sent again without end. A log that cannot
 * be read begins anew. */
static struct str longer_log(struct webhook_attempt *a, const struct attempt_result *result,
			     int64_t now_us)
{
	struct buf out;
	struct json_writer w;
	const struct json *before = NULL;
	if (json_parse(a->arena, a->work.log, NULL, &before, NULL, NULL) != ERR_NONE ||
	    !json_is(before, JSON_TYPE_ARRAY))
		before = NULL;
	const size_t count = before != NULL ? before->count : 0;
	buf_init(&out, a->arena, LOG_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	for (size_t i = count >= LOG_TRIES_MAX ? count - LOG_TRIES_MAX + 1 : 0; i < count; i++)
		json_put_value(&w, json_at(before, i));
	write_log_entry(&w, result, now_us);
	json_end_array(&w);
	return buf_str(&out);
}

static struct str disable_reason(const struct webhook_attempt *a,
				 const struct attempt_result *result, int64_t now_us)
{
	const int64_t failing_since_us = a->work.webhook.failing_since_us;
	if (result->status == STATUS_GONE)
		return STR("The endpoint answered 410 Gone.");
	if (failing_since_us != 0 && now_us - failing_since_us > WEBHOOK_PATIENCE_US)
		return STR("The endpoint has not accepted any delivery for five days.");
	return STR("");
}

static void judge(struct webhook_attempt *a, const struct attempt_result *result)
{
	const int64_t now_us = clock_now_us(a->webhooker->config.clock);
	const int attempts = a->work.attempts + 1;
	const int64_t wait_ms = webhook_retry_wait_ms(attempts, result->retry_after_ms);
	const bool is_taken = str_is_empty(result->error);
	a->save = (struct webhook_save){
		.id = a->work.id,
		.app_id = a->work.webhook.app_id,
		.webhook_id = a->work.webhook.id,
		.attempts = attempts,
		.state = is_taken      ? WEBHOOK_SUCCEEDED
			 : wait_ms < 0 ? WEBHOOK_FAILED
				       : WEBHOOK_PENDING,
		.due_at_us = now_us + wait_ms * US_PER_MS / a->webhooker->config.time_scale,
		.log = longer_log(a, result, now_us),
		.now_us = now_us,
		.disable_reason = is_taken ? STR("") : disable_reason(a, result, now_us),
	};
	if (!str_is_empty(a->save.disable_reason)) {
		a->save.state = WEBHOOK_FAILED;
		LOG(a->webhooker->config.log, WARN, "webhook_disabled",
		    log_str("webhook", a->work.webhook.id), log_str("why", a->save.disable_reason));
	}
	a->has_result = true;
}

static int64_t retry_after_ms(const struct transfer_result *fetched, int64_t now_us)
{
	int64_t wait_ms = 0;
	for (size_t i = 0; i < fetched->header_count; i++) {
		if (str_equal_nocase(fetched->headers[i].name, STR("Retry-After")) &&
		    httpdate_parse_retry_after(fetched->headers[i].value, now_us, &wait_ms))
			return wait_ms;
	}
	return 0;
}

/* Redirects are failures too: a signed body must not go to another host. */
static void take_answer(struct webhook_attempt *a, const struct transfer_result *fetched,
			int64_t duration_us)
{
	const bool is_answered = fetched->outcome == TRANSFER_ANSWERED;
	struct attempt_result result = {.duration_us = duration_us};
	if (!is_answered) {
		result.error = str_is_empty(fetched->error_text)
				       ? STR("The endpoint could not be reached.")
				       : fetched->error_text;
	} else {
		result.status = fetched->status;
		result.retry_after_ms =
			retry_after_ms(fetched, clock_now_us(a->webhooker->config.clock));
		if (!webhook_status_is_taken(fetched->status))
			result.error = str_format(a->arena, "The endpoint answered with status %d.",
						  fetched->status);
	}
	judge(a, &result);
}

/* ---- the task ---- */

static void plan_call(struct webhook_attempt *a, struct arena *arena, struct task_plan *plan)
{
	const int64_t now_us = clock_now_us(a->webhooker->config.clock);
	const struct str signatures = sign(a, now_us);
	struct transfer_header *headers = ARENA_ARRAY(arena, struct transfer_header, 4);
	if (a->is_sealed_otherwise) {
		plan->action = TASK_END; /* nothing is said of it: the lease runs out */
		return;
	}
	if (str_is_empty(signatures)) {
		const struct attempt_result result = {
			.error = STR("The webhook's secret cannot be read.")};
		judge(a, &result);
		plan->action = TASK_END;
		return;
	}
	headers[0] = (struct transfer_header){STR("Content-Type"), STR("application/json")};
	headers[1] = (struct transfer_header){STR("webhook-id"), a->work.event.id};
	headers[2] = (struct transfer_header){STR("webhook-timestamp"),
					      str_format(arena, "%" PRId64, now_us / US_PER_S)};
	headers[3] = (struct transfer_header){STR("webhook-signature"), signatures};
	plan->action = TASK_FETCH;
	plan->fetch = (struct transfer_request){
		.pool = TRANSFER_WEBHOOK,
		.owner = a->work.webhook.app_id,
		.method = "POST",
		.url = a->work.webhook.url,
		.headers = headers,
		.header_count = 4,
		.body = a->work.event.body,
		.timeout_ms = CALL_TIMEOUT_MS,
		.response_max_bytes = ANSWER_MAX_BYTES,
	};
}

static void attempt_plan(struct task *task, struct arena *arena, const struct task_event *event,
			 struct task_plan *plan)
{
	struct webhook_attempt *a = (struct webhook_attempt *)task;
	if (event->kind == TASK_EVENT_FETCHED) {
		take_answer(a, event->fetched, event->duration_us);
		plan->action = TASK_END;
		return;
	}
	if (engine_is_draining(task->engine)) {
		plan->action = TASK_END; /* its lease is void at the next start */
		return;
	}
	plan_call(a, arena, plan);
}

static enum err_kind attempt_save(struct task *task, void *tx, struct error *err)
{
	struct webhook_attempt *a = (struct webhook_attempt *)task;
	return a->has_result ? store_webhook_save(tx, &a->save, err) : ERR_NONE;
}

static void attempt_free(struct task *task)
{
	struct webhook_attempt *a = (struct webhook_attempt *)task;
	for (struct webhook_attempt **link = &a->webhooker->attempts; *link != NULL;
	     link = &(*link)->next) {
		if (*link == a) {
			*link = a->next;
			break;
		}
	}
	arena_free(&a->arena);
	free(a);
}

static const struct task_ops attempt_ops = {
	.plan = attempt_plan, .save = attempt_save, .free = attempt_free};

static void copy_work(struct arena *arena, struct webhook_work *work)
{
	struct str *const texts[] = {
		&work->log,
		&work->event.id,
		&work->event.body,
		&work->webhook.id,
		&work->webhook.app_id,
		&work->webhook.url,
		&work->webhook.secret_sealed,
		&work->webhook.old_secret_sealed,
	};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = str_copy(arena, *texts[i]);
}

struct task *webhook_attempt_new(struct webhooker *webhooker, const struct webhook_work *work)
{
	struct webhook_attempt *a = calloc(1, sizeof(*a));
	if (a == NULL)
		/* the same rule as arena_alloc: no memory for a small object ends the program */
		abort();
	a->task.ops = &attempt_ops;
	a->webhooker = webhooker;
	a->arena = arena_new("webhook attempt", ATTEMPT_ARENA_MAX_BYTES);
	a->work = *work;
	copy_work(a->arena, &a->work);
	a->task.scopes = &a->work.webhook.app_id;
	a->task.scope_count = 1;
	a->next = webhooker->attempts;
	webhooker->attempts = a;
	return &a->task;
}

static size_t room(size_t busy, size_t max)
{
	return busy < max ? max - busy : 0;
}

size_t webhook_attempt_room(const struct webhooker *webhooker, struct str webhook_id)
{
	size_t own = 0;
	size_t all = 0;
	for (const struct webhook_attempt *a = webhooker->attempts; a != NULL; a = a->next) {
		all += !a->has_result;
		own += !a->has_result && str_equal(a->work.webhook.id, webhook_id);
	}
	const size_t own_room = room(own, WEBHOOK_IN_FLIGHT_MAX);
	const size_t all_room = room(all, WEBHOOK_ALL_IN_FLIGHT_MAX);
	return own_room < all_room ? own_room : all_room;
}
