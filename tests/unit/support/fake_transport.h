/* SPDX-License-Identifier: Apache-2.0
 * A transport that sends nothing: it keeps what was started for the test to look at, and answers by
 * a script, in the script's order for each address. A request for which the script has nothing
 * stays under way. Times are not played: what a test wants late it adds to the script late. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "str.h"

#include "transfer.h"

#define FAKE_SENT_MAX 8192
#define FAKE_ANSWERS_MAX 256

/* One request, as it was started. */
struct fake_sent {
	uint64_t id;
	enum transfer_pool pool;
	char method[8];
	char *url;
	char *authorization;
	char *body;
	char *save_path;
	char *body_path;
	int64_t body_offset_bytes;
	int64_t body_length_bytes;
	char *body_tail;
	int64_t timeout_ms;
	int64_t send_deadline_boot_us;
	bool fresh_connection;
	bool is_running;
};

/* What the next request with match in "METHOD URL" gets. Fields left out: ANSWERED, 200, no
 * body. */
struct fake_answer {
	const char *match;
	enum transfer_outcome outcome;
	enum transfer_problem problem;
	int status;
	const char *body;
	size_t body_len; /* 0 = strlen(body) */
	const char *header_name;
	const char *header_value;
	const char *error_text;
	unsigned times; /* 0 = 1 */
};

struct fake_transport {
	struct transport transport;
	pthread_mutex_t mutex;
	struct fake_sent sent[FAKE_SENT_MAX];
	size_t sent_count;
	struct fake_answer answers[FAKE_ANSWERS_MAX];
	size_t answer_count;
	atomic_int wakes;
	_Atomic int64_t last_timeout_ms; /* of the last poll */
	bool naps;                       /* polls take a moment, for tests with threads */
	/* Called for every request as it starts. */
	void (*on_start)(void *context, const struct fake_sent *sent);
	void *on_start_context;
};

static inline char *fake_copy(struct str s)
{
	char *copy = calloc(1, s.len + 1);
	assert_non_null(copy);
	if (s.len > 0)
		memcpy(copy, s.ptr, s.len);
	return copy;
}

static inline void fake_start(void *context, const struct transfer_request *request)
{
	struct fake_transport *fake = context;
	pthread_mutex_lock(&fake->mutex);
	assert_true(fake->sent_count < FAKE_SENT_MAX);
	assert_true(request->timeout_ms > 0);
	struct fake_sent *sent = &fake->sent[fake->sent_count++];
	*sent = (struct fake_sent){
		.id = request->id,
		.pool = request->pool,
		.url = fake_copy(request->url),
		.body = fake_copy(request->body),
		.save_path =
			request->save_path != NULL ? fake_copy(str_of(request->save_path)) : NULL,
		.body_path =
			request->body_path != NULL ? fake_copy(str_of(request->body_path)) : NULL,
		.body_offset_bytes = request->body_offset_bytes,
		.body_length_bytes = request->body_length_bytes,
		.body_tail = fake_copy(request->body_tail),
		.timeout_ms = request->timeout_ms,
		.send_deadline_boot_us = request->send_deadline_boot_us,
		.fresh_connection = request->fresh_connection,
		.is_running = true,
	};
	snprintf(sent->method, sizeof(sent->method), "%s", request->method);
	struct str authorization = STR("");
	for (size_t i = 0; i < request->header_count; i++) {
		if (str_equal_nocase(request->headers[i].name, STR("authorization")))
			authorization = request->headers[i].value;
	}
	sent->authorization = fake_copy(authorization);
	pthread_mutex_unlock(&fake->mutex);
	if (fake->on_start != NULL)
		fake->on_start(fake->on_start_context, sent);
}

static inline bool fake_fits(const struct fake_sent *sent, const char *match)
{
	char line[8192];
	snprintf(line, sizeof(line), "%s %s", sent->method, sent->url);
	return strstr(line, match) != NULL;
}

static inline struct fake_answer *fake_answer_for(struct fake_transport *fake,
						  const struct fake_sent *sent)
{
	for (size_t i = 0; i < fake->answer_count; i++) {
		if (fake->answers[i].times > 0 && fake_fits(sent, fake->answers[i].match))
			return &fake->answers[i];
	}
	return NULL;
}

static inline void fake_save(const struct fake_sent *sent, struct str body)
{
	FILE *file = fopen(sent->save_path, "wb");
	assert_non_null(file);
	if (body.len > 0)
		assert_int_equal(fwrite(body.ptr, 1, body.len, file), body.len);
	fclose(file);
}

static inline void fake_give(struct arena *arena, struct fake_sent *sent,
			     struct fake_answer *answer, struct transfer_result *result)
{
	struct transfer_header *headers = ARENA_ARRAY(arena, struct transfer_header, 1);
	const size_t body_len = answer->body_len > 0   ? answer->body_len
				: answer->body != NULL ? strlen(answer->body)
						       : 0;
	struct str body = {answer->body, body_len};
	if (answer->header_name != NULL)
		headers[0] = (struct transfer_header){str_of(answer->header_name),
						      str_of(answer->header_value)};
	*result = (struct transfer_result){
		.id = sent->id,
		.outcome = answer->outcome,
		.problem = answer->problem,
		.status = answer->outcome == TRANSFER_ANSWERED
				  ? (answer->status != 0 ? answer->status : 200)
				  : 0,
		.headers = headers,
		.header_count = answer->header_name != NULL ? 1 : 0,
		.duration_us = 1234,
		.error_text = str_copy(arena, str_of(answer->error_text)),
	};
	if (sent->save_path != NULL && answer->outcome == TRANSFER_ANSWERED) {
		fake_save(sent, body);
		result->received_bytes = (int64_t)body.len;
	} else {
		result->body = str_copy(arena, body);
	}
	sent->is_running = false;
	answer->times--;
}

static inline size_t fake_poll(void *context, struct arena *arena, int64_t timeout_ms,
			       struct transfer_result *results, size_t max)
{
	struct fake_transport *fake = context;
	size_t count = 0;
	atomic_store(&fake->last_timeout_ms, timeout_ms);
	if (fake->naps && timeout_ms > 0)
		usleep(500);
	pthread_mutex_lock(&fake->mutex);
	for (size_t i = 0; i < fake->sent_count && count < max; i++) {
		struct fake_sent *sent = &fake->sent[i];
		struct fake_answer *answer = sent->is_running ? fake_answer_for(fake, sent) : NULL;
		if (answer != NULL)
			fake_give(arena, sent, answer, &results[count++]);
	}
	pthread_mutex_unlock(&fake->mutex);
	return count;
}

static inline void fake_wake(void *context)
{
	atomic_fetch_add(&((struct fake_transport *)context)->wakes, 1);
}

static inline size_t fake_running(void *context)
{
	struct fake_transport *fake = context;
	size_t count = 0;
	pthread_mutex_lock(&fake->mutex);
	for (size_t i = 0; i < fake->sent_count; i++)
		count += fake->sent[i].is_running;
	pthread_mutex_unlock(&fake->mutex);
	return count;
}

static inline void fake_transport_init(struct fake_transport *fake)
{
	static const struct transport_ops ops = {fake_start, fake_poll, fake_wake, fake_running};
	memset(fake, 0, sizeof(*fake));
	pthread_mutex_init(&fake->mutex, NULL);
	fake->transport = (struct transport){&ops, fake};
}

static inline void fake_transport_free(struct fake_transport *fake)
{
	for (size_t i = 0; i < fake->sent_count; i++) {
		free(fake->sent[i].url);
		free(fake->sent[i].authorization);
		free(fake->sent[i].body);
		free(fake->sent[i].save_path);
		free(fake->sent[i].body_path);
		free(fake->sent[i].body_tail);
	}
	pthread_mutex_destroy(&fake->mutex);
}

/* The process that had them under way is gone: they are never answered. */
static inline void fake_transport_forget(struct fake_transport *fake)
{
	for (size_t i = 0; i < fake->sent_count; i++)
		fake->sent[i].is_running = false;
}

static inline void fake_add(struct fake_transport *fake, struct fake_answer answer)
{
	pthread_mutex_lock(&fake->mutex);
	assert_true(fake->answer_count < FAKE_ANSWERS_MAX);
	if (answer.times == 0)
		answer.times = 1;
	fake->answers[fake->answer_count++] = answer;
	pthread_mutex_unlock(&fake->mutex);
}

#define FAKE_ANSWER(fake, ...) fake_add((fake), (struct fake_answer){__VA_ARGS__})

static inline size_t fake_count(struct fake_transport *fake, const char *match)
{
	size_t count = 0;
	pthread_mutex_lock(&fake->mutex);
	for (size_t i = 0; i < fake->sent_count; i++)
		count += fake_fits(&fake->sent[i], match);
	pthread_mutex_unlock(&fake->mutex);
	return count;
}

/* The index-th request with match, from 0; the test fails when there is none. */
static inline const struct fake_sent *fake_nth(struct fake_transport *fake, const char *match,
					       size_t index)
{
	for (size_t i = 0; i < fake->sent_count; i++) {
		if (fake_fits(&fake->sent[i], match) && index-- == 0)
			return &fake->sent[i];
	}
	fail_msg("no such request: %s", match);
	return NULL;
}
