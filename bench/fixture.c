/* SPDX-License-Identifier: Apache-2.0
 * The store under measurement and what is put into it. */
#include "bench.h"

#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arena.h"
#include "log.h"
#include "random.h"
#include "uuid.h"

#include "seal.h"

#include "store.h"
#include "store_app.h"
#include "store_connection.h"
#include "store_credential.h"
#include "store_post.h"

#define ARENA_BYTES ((size_t)1 << 30)
#define THREADS_MAX 256

void bench_die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

void bench_must(enum err_kind kind, const struct error *err)
{
	if (kind != ERR_NONE)
		bench_die(err->text);
}

void bench_print(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	fflush(stdout);
}

int64_t bench_boot_us(void)
{
	return clock_boot_us(clock_system());
}

int64_t bench_cpu_us(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * US_PER_S +
	       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

int64_t bench_resident_kib(pid_t pid)
{
	char path[64];
	char line[256];
	long long kib = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "VmRSS: %lld", &kib) == 1)
			break;
	}
	if (file != NULL)
		fclose(file);
	return kib;
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t bench_percentile(int64_t *values, size_t count, double share)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), by_size);
	const size_t index = (size_t)((double)count * share);
	return values[index < count ? index : count - 1];
}

static struct str new_uuid(struct arena *arena)
{
	return uuid_str(arena, uuid_v7(clock_now_us(clock_system()), random_system()));
}

static struct str sealed(struct bench *bench, const char *table, const char *column,
			 struct str row_id, const char *text)
{
	const struct seal_place place = {str_of(table), str_of(column), row_id};
	return seal_secret(bench->seal, bench->arena, &place, str_of(text), random_system());
}

struct success {
	struct str connection_id;
	const struct account_row *accounts;
	size_t count;
};

static enum err_kind succeed(struct store_tx *tx, void *argument, struct error *err)
{
	const struct success *s = argument;
	return store_connection_succeed(tx, s->connection_id, s->accounts, s->count,
					clock_now_us(clock_system()), NULL, err);
}

static void add_account(struct bench *bench, struct app *app, size_t index)
{
	struct error err = {0};
	const int64_t now_us = clock_now_us(clock_system());
	const struct connection_row connection = {
		.id = new_uuid(bench->arena),
		.app_id = app->id,
		.platform = PLATFORM_X,
		.user_id = str_format(bench->arena, "user-%zu", index),
		.redirect_url = STR("https://customer.example/back"),
		.state_hash = new_uuid(bench->arena),
		.callback_url = STR("https://posthorn.example/cb"),
		.state = CONNECTION_PENDING,
		.created_at_us = now_us,
	};
	bench_must(store_connection_create(bench->store, &connection, &err), &err);
	const struct str id = new_uuid(bench->arena);
	const struct account_row account = {
		.id = id,
		.app_id = app->id,
		.platform = PLATFORM_X,
		.user_id = connection.user_id,
		.platform_account_id = str_format(bench->arena, "%zu", 1000 + index),
		.username = STR("ann"),
		.type = ACCOUNT_PERSONAL,
		.state = ACCOUNT_ACTIVE,
		.access_token_sealed = sealed(bench, "accounts", "access_token", id,
					      "access-token-of-the-account"),
		.refresh_token_sealed = sealed(bench, "accounts", "refresh_token", id,
					       "refresh-token-of-the-account"),
		.scopes = STR("tweet.write"),
		.extra = STR("{}"),
	};
	struct success success = {connection.id, &account, 1};
	bench_must(store_write(bench->store, succeed, &success, &err), &err);
	app->account_ids[index] = id;
}

static void add_app(struct bench *bench, struct app *app, size_t accounts)
{
	struct error err = {0};
	const struct app_row row = {
		.id = new_uuid(bench->arena),
		.name = STR("Bench"),
		.client_id = new_uuid(bench->arena),
		.client_secret_hash = STR("hash"),
		.state = APP_ACTIVE,
		.created_at_us = clock_now_us(clock_system()),
	};
	bench_must(store_app_create(bench->store, &row, new_uuid(bench->arena),
				    new_uuid(bench->arena), &err),
		   &err);
	const struct str place = str_format(bench->arena, STR_FMT "/x", STR_ARG(row.id));
	const struct credential_row credential = {
		.app_id = row.id,
		.platform = PLATFORM_X,
		.client_id = STR("client-id"),
		.client_secret_sealed = sealed(bench, "platform_credentials", "client_secret",
					       place, "client-secret-of-the-app"),
		.updated_at_us = row.created_at_us,
	};
	bench_must(store_credential_put(bench->store, &credential, &err), &err);
	*app = (struct app){row.id, ARENA_ARRAY(bench->arena, struct str, accounts), accounts};
	for (size_t i = 0; i < accounts; i++)
		add_account(bench, app, i);
}

static void open_store(struct bench *bench)
{
	struct error err = {0};
	static const struct log silent = {.fd = STDERR_FILENO, .level = LOG_WARN};
	const struct store_config config = {
		.url = bench->url,
		.clock = clock_system(),
		.log = &silent,
		.is_owner = true,
		/* judged with every post, and never full */
		.quotas = {{[QUOTA_PENDING_POSTS] = INT64_MAX, [QUOTA_POST_BYTES] = INT64_MAX}},
	};
	bench_must(store_open(&config, &bench->store, &err), &err);
}

void bench_open(struct bench *bench, size_t apps, size_t accounts)
{
	const uint8_t key[SEAL_KEY_BYTES] = {7};
	const char *below = getenv("TMPDIR");
	struct error err = {0};
	*bench = (struct bench){.arena = arena_new("bench", ARENA_BYTES)};
	snprintf(bench->directory, sizeof(bench->directory), "%s/posthorn-bench-XXXXXX",
		 below != NULL ? below : "/tmp");
	if (mkdtemp(bench->directory) == NULL)
		bench_die("cannot make a directory below TMPDIR");
	snprintf(bench->url, sizeof(bench->url), "sqlite:%s/bench.db", bench->directory);
	const char *database = getenv("POSTHORN_BENCH_DATABASE");
	if (database != NULL && database[0] != '\0')
		snprintf(bench->url, sizeof(bench->url), "%s", database);
	bench_must(seal_open_key(key, &bench->seal, &err), &err);
	open_store(bench);
	bench->apps = ARENA_ARRAY(bench->arena, struct app, apps);
	for (; bench->app_count < apps; bench->app_count++)
		add_app(bench, &bench->apps[bench->app_count], accounts);
}

void bench_remove(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		char inner[768];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		if (unlink(inner) != 0)
			bench_remove(inner);
	}
	if (folder != NULL)
		closedir(folder);
	rmdir(path);
}

void bench_close(struct bench *bench)
{
	store_close(&bench->store);
	seal_free(&bench->seal);
	arena_free(&bench->arena);
	bench_remove(bench->directory);
}

int64_t bench_reopen_us(struct bench *bench)
{
	store_close(&bench->store);
	const int64_t from_us = bench_boot_us();
	open_store(bench);
	return bench_boot_us() - from_us;
}

/* ---- accepting ---- */

static void accept_one(struct bench *bench, struct arena *arena, size_t app_index,
		       size_t account_index, int64_t scheduled_at_us)
{
	const struct app *app = &bench->apps[app_index % bench->app_count];
	struct error err = {0};
	struct post_accept_result result = {0};
	const struct post_target target = {
		.delivery_id = new_uuid(arena),
		.account_id = app->account_ids[account_index % app->account_count],
		.platform = PLATFORM_X,
		.user_id = STR("user"),
	};
	const struct post_accept accept = {
		.app_id = app->id,
		.post_id = new_uuid(arena),
		.request_id = new_uuid(arena),
		.content = STR(BENCH_CONTENT),
		.mode = POST_MODE_BASIC,
		.scheduled_at_us = scheduled_at_us,
		.now_us = clock_now_us(clock_system()),
		.targets = &target,
		.target_count = 1,
	};
	bench_must(store_post_accept(bench->store, arena, &accept, &result, &err), &err);
	if (result.outcome != POST_ACCEPTED)
		bench_die("a post was not accepted");
}

int64_t bench_accept_one_us(struct bench *bench, size_t app, size_t account)
{
	struct arena *arena = arena_new("accept", ARENA_BYTES);
	const int64_t from_us = bench_boot_us();
	accept_one(bench, arena, app, account, 0);
	const int64_t took_us = bench_boot_us() - from_us;
	arena_free(&arena);
	return took_us;
}

struct client {
	pthread_t thread;
	struct bench *bench;
	size_t first;
	size_t count;
	size_t step;
	int64_t scheduled_at_us;
};

static void *run_client(void *argument)
{
	const struct client *client = argument;
	struct arena *arena = arena_new("client", ARENA_BYTES);
	for (size_t i = client->first; i < client->count; i += client->step) {
		accept_one(client->bench, arena, i, i / client->bench->app_count,
			   client->scheduled_at_us);
		arena_clear(arena);
	}
	arena_free(&arena);
	return NULL;
}

int64_t bench_accept_us(struct bench *bench, size_t count, unsigned threads,
			int64_t scheduled_at_us)
{
	struct client clients[THREADS_MAX];
	const int64_t from_us = bench_boot_us();
	for (unsigned i = 0; i < threads; i++) {
		clients[i] = (struct client){.bench = bench,
					     .first = i,
					     .count = count,
					     .step = threads,
					     .scheduled_at_us = scheduled_at_us};
		if (pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) != 0)
			bench_die("cannot start a thread");
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(clients[i].thread, NULL);
	return bench_boot_us() - from_us;
}

int64_t bench_list_us(struct bench *bench, size_t app, int64_t page, int64_t *total_out)
{
	struct arena *arena = arena_new("list", ARENA_BYTES);
	struct error err = {0};
	struct post_row *posts = NULL;
	size_t count = 0;
	const struct post_filter filter = {
		.app_id = bench->apps[app].id, .page = page, .per_page = 20};
	const int64_t from_us = bench_boot_us();
	bench_must(store_post_list(bench->store, arena, &filter, &posts, &count, total_out, &err),
		   &err);
	const int64_t took_us = bench_boot_us() - from_us;
	if (count != 20)
		bench_die("a page is not full");
	arena_free(&arena);
	return took_us;
}
