/* SPDX-License-Identifier: Apache-2.0
 * The reference of accepting: a single thread that writes the same rows in groups with nothing
 * around them: no checks, no counters, no threads. */
#include "bench.h"

#include <stdlib.h>

#include <sqlite3.h>

#include "arena.h"
#include "random.h"
#include "uuid.h"

struct bench_raw {
	sqlite3 *db;
	sqlite3_stmt *post;
	sqlite3_stmt *delivery;
	struct arena *arena;
	int64_t ordinal;
};

static void must(const struct bench_raw *raw, int code)
{
	if (code != SQLITE_OK && code != SQLITE_DONE)
		bench_die(sqlite3_errmsg(raw->db));
}

static void raw_run(const struct bench_raw *raw, const char *text)
{
	must(raw, sqlite3_exec(raw->db, text, NULL, NULL, NULL));
}

struct bench_raw *bench_raw_open(const char *url)
{
	struct bench_raw *raw = calloc(1, sizeof(*raw));
	if (raw == NULL)
		bench_die("no memory");
	raw->arena = arena_new("raw", (size_t)64 << 20);
	must(raw, sqlite3_open(url + sizeof("sqlite:") - 1, &raw->db));
	raw_run(raw,
		"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
		" PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000");
	must(raw,
	     sqlite3_prepare_v2(
		     raw->db,
		     "INSERT INTO posts (id, app_id, ordinal, request_id, external_user_id, state, "
		     "status, mode,"
		     " platform_mask, scheduled_at_us, created_at_us, date_us, content)"
		     " VALUES (?1, ?2, ?3, ?4, 'user', 'pending', 'pending', 0, 8, 0, ?5, ?5, ?6)",
		     -1, &raw->post, NULL));
	must(raw, sqlite3_prepare_v2(raw->db,
				     "INSERT INTO deliveries (id, post_id, ordinal, app_id, "
				     "account_id, platform, state, is_final, due_at_us,"
				     " lease_until_us, fence, attempts, flow, flow_sealed, "
				     "call_state, call_started_at_us, looks, republished,"
				     " remote_id, url, published_at_us, error_code, error_message, "
				     "platform_code, platform_message,"
				     " error_is_transient, parts, post_ordinal) VALUES (?1, ?2, 0, "
				     "?3, ?4, 3, 'pending', 0, ?5, 0, 0, 0, '',"
				     " x'', 0, 0, 0, 0, '', '', 0, '', '', '', '', 0, '', ?6)",
				     -1, &raw->delivery, NULL));
	return raw;
}

void bench_raw_close(struct bench_raw **raw)
{
	sqlite3_finalize((*raw)->post);
	sqlite3_finalize((*raw)->delivery);
	sqlite3_close((*raw)->db);
	arena_free(&(*raw)->arena);
	free(*raw);
	*raw = NULL;
}

static void put_text(sqlite3_stmt *statement, int index, struct str text)
{
	sqlite3_bind_text(statement, index, text.ptr, (int)text.len, SQLITE_STATIC);
}

static void raw_step(const struct bench_raw *raw, sqlite3_stmt *statement)
{
	must(raw, sqlite3_step(statement));
	must(raw, sqlite3_reset(statement));
}

static void raw_put(struct bench_raw *raw, const struct app *app, size_t account, size_t deliveries,
		    struct str content)
{
	const int64_t now_us = clock_now_us(clock_system());
	const struct str post_id = uuid_str(raw->arena, uuid_v7(now_us, random_system()));
	put_text(raw->post, 1, post_id);
	put_text(raw->post, 2, app->id);
	sqlite3_bind_int64(raw->post, 3, ++raw->ordinal);
	put_text(raw->post, 4, uuid_str(raw->arena, uuid_v7(now_us, random_system())));
	sqlite3_bind_int64(raw->post, 5, now_us);
	put_text(raw->post, 6, content);
	raw_step(raw, raw->post);
	for (size_t i = 0; i < deliveries; i++) {
		put_text(raw->delivery, 1, uuid_str(raw->arena, uuid_v7(now_us, random_system())));
		put_text(raw->delivery, 2, post_id);
		put_text(raw->delivery, 3, app->id);
		put_text(raw->delivery, 4, app->account_ids[(account + i) % app->account_count]);
		sqlite3_bind_int64(raw->delivery, 5, now_us);
		sqlite3_bind_int64(raw->delivery, 6, raw->ordinal);
		raw_step(raw, raw->delivery);
	}
}

int64_t bench_raw_us(struct bench_raw *raw, const struct bench *bench, size_t count,
		     size_t deliveries, struct str content)
{
	const int64_t from_us = bench_boot_us();
	for (size_t i = 0; i < count; i++) {
		if (i % BENCH_RAW_GROUP == 0)
			raw_run(raw, "BEGIN IMMEDIATE");
		raw_put(raw, &bench->apps[i % bench->app_count], i / bench->app_count, deliveries,
			content);
		if (i % BENCH_RAW_GROUP == BENCH_RAW_GROUP - 1 || i + 1 == count)
			raw_run(raw, "COMMIT");
		arena_clear(raw->arena);
	}
	return bench_boot_us() - from_us;
}
