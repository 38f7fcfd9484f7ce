/* SPDX-License-Identifier: Apache-2.0
 * Which node has the sandbox of the test apps (test_apps_private.h). The lease is a row of the
 * database (store_sandbox.h); what is known of it here is a copy that others read without waiting.
 * Two nodes may both believe for a moment that they have it: only one can write, and a call is
 * answered once it is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "arena.h"
#include "random.h"

#include "seal.h"

#include "store_node.h"
#include "store_sandbox.h"

#include "sandbox_world.h"

#include "test_apps_private.h"

#define LEASE_US (6 * US_PER_S)
/* So long before its end nothing is begun under it any more. */
#define LEASE_MARGIN_US US_PER_S
#define PASS_RANDOM_BYTES ((TEST_APPS_PASS_BYTES - 1) / 2)
#define BEAT_ARENA_BYTES ((size_t)64 << 10)

struct test_apps_lease {
	pthread_mutex_t beating; /* one at a time asks the database */
	pthread_mutex_t lock;    /* of all below */
	int64_t fence;           /* of our lease; 0 = it is not ours */
	int64_t until_boot_us;   /* ours is good until then */
	char pass[TEST_APPS_PASS_BYTES];
	char address[SERVICE_URL_BYTES]; /* of the other node that has it; "" = none */
};

static const struct seal_place pass_place = {
	{"sandbox_lease", sizeof("sandbox_lease") - 1}, {"pass", sizeof("pass") - 1}, {"1", 1}};

static int64_t boot_us(const struct service *service)
{
	return clock_boot_us(store_clock(service->store));
}

/* ---- what is known ---- */

void test_apps_lease_holder(struct service *service, struct test_apps_holder *out)
{
	struct test_apps_lease *lease = service->test_apps.lease;
	*out = (struct test_apps_holder){.is_us = lease == NULL};
	if (lease == NULL)
		return;
	pthread_mutex_lock(&lease->lock);
	out->is_us = lease->fence != 0 && boot_us(service) < lease->until_boot_us;
	snprintf(out->address, sizeof(out->address), "%s", lease->fence == 0 ? lease->address : "");
	snprintf(out->pass, sizeof(out->pass), "%s", lease->pass);
	pthread_mutex_unlock(&lease->lock);
}

/* A lease of ours, or nobody's. */
static void note_ours(struct test_apps_lease *lease, int64_t fence, int64_t until_boot_us)
{
	pthread_mutex_lock(&lease->lock);
	lease->fence = fence;
	lease->until_boot_us = until_boot_us;
	lease->address[0] = '\0';
	pthread_mutex_unlock(&lease->lock);
}

static void note_other(struct service *service, struct arena *arena,
		       const struct sandbox_lease *row)
{
	struct test_apps_lease *lease = service->test_apps.lease;
	struct str pass = STR("");
	struct error err = {0};
	if (seal_open_secret(service->seal, arena, &pass_place, row->pass, &pass, &err) != ERR_NONE)
		LOG(&service->log, WARN, "sandbox_pass_unreadable",
		    log_str("error", str_of(err.text)));
	pthread_mutex_lock(&lease->lock);
	lease->fence = 0;
	snprintf(lease->pass, sizeof(lease->pass), STR_FMT, STR_ARG(pass));
	snprintf(lease->address, sizeof(lease->address), STR_FMT, STR_ARG(row->address));
	pthread_mutex_unlock(&lease->lock);
}

/* ---- taking and keeping ---- */

/* A worker answers no calls of other nodes. */
static bool may_hold(const struct service *service)
{
	return service->role != SERVICE_WORKER;
}

static void draw_pass(char out[TEST_APPS_PASS_BYTES])
{
	uint8_t bytes[PASS_RANDOM_BYTES];
	random_fill(random_system(), bytes, sizeof(bytes));
	sodium_bin2hex(out, TEST_APPS_PASS_BYTES, bytes, sizeof(bytes));
}

static void take(struct service *service, struct arena *arena)
{
	struct test_apps_lease *lease = service->test_apps.lease;
	char pass[TEST_APPS_PASS_BYTES];
	struct error err = {0};
	draw_pass(pass);
	const int64_t before_us = boot_us(service);
	struct sandbox_lease wish = {
		.address = test_apps_node_url(service, arena),
		.pass = seal_secret(service->seal, arena, &pass_place, str_of(pass),
				    random_system()),
		.left_us = LEASE_US,
	};
	if (store_sandbox_lease_take(service->store, &wish, &err) != ERR_NONE)
		return; /* somebody was quicker, or the database is away: the next beat looks */
	pthread_mutex_lock(&lease->lock);
	memcpy(lease->pass, pass, sizeof(pass));
	pthread_mutex_unlock(&lease->lock);
	sandbox_worlds_set_hold(service->test_apps.worlds, wish.fence);
	note_ours(lease, wish.fence, before_us + LEASE_US - LEASE_MARGIN_US);
	LOG(&service->log, INFO, "sandbox_taken", log_int("fence", wish.fence),
	    log_str("address", wish.address));
}

static void look(struct service *service, struct arena *arena)
{
	struct sandbox_lease row = {0};
	struct error err = {0};
	if (store_sandbox_lease_get(service->store, arena, &row, &err) != ERR_NONE)
		return;
	const bool is_ours = str_equal(row.node_id, store_node_id(service->store));
	if (row.left_us > 0 && !is_ours)
		note_other(service, arena, &row);
	else if (may_hold(service))
		take(service, arena);
	else
		note_ours(service->test_apps.lease, 0, 0);
}

/* False: it is not ours, or not any more. */
static bool renew(struct service *service)
{
	struct test_apps_lease *lease = service->test_apps.lease;
	const int64_t before_us = boot_us(service);
	struct error err = {0};
	pthread_mutex_lock(&lease->lock);
	const int64_t fence = lease->fence;
	pthread_mutex_unlock(&lease->lock);
	if (fence == 0)
		return false;
	const enum err_kind kind = store_sandbox_lease_renew(service->store, fence, LEASE_US, &err);
	if (kind == ERR_NONE)
		note_ours(lease, fence, before_us + LEASE_US - LEASE_MARGIN_US);
	if (kind != ERR_CONFLICT)
		return true; /* the database is away: the lease may still last */
	LOG(&service->log, WARN, "sandbox_lost", log_int("fence", fence));
	note_ours(lease, 0, 0);
	return false;
}

void test_apps_lease_beat(struct service *service)
{
	struct test_apps_lease *lease = service->test_apps.lease;
	if (lease == NULL)
		return;
	pthread_mutex_lock(&lease->beating);
	if (!renew(service)) {
		struct arena *arena = arena_new("sandbox lease", BEAT_ARENA_BYTES);
		look(service, arena);
		arena_free(&arena);
	}
	pthread_mutex_unlock(&lease->beating);
}

/* ---- the journals of who has it ---- */

enum err_kind test_apps_journal_read(void *context, struct arena *arena, struct str app_id,
				     struct str *bytes_out, struct error *err)
{
	struct service *service = context;
	return store_sandbox_journal_read(service->store, arena, app_id, bytes_out, err);
}

enum err_kind test_apps_journal_write(void *context, const struct sandbox_journal_piece *piece,
				      struct error *err)
{
	struct service *service = context;
	const struct sandbox_journal_part part = {.fence = piece->hold,
						  .app_id = piece->app_id,
						  .bytes = piece->bytes,
						  .is_all = piece->is_all};
	return store_sandbox_journal_write(service->store, &part, err);
}

/* ---- opening and closing ---- */

enum err_kind test_apps_lease_open(struct service *service, struct error *err)
{
	if (!store_is_shared(service->store))
		return ERR_NONE;
	struct test_apps_lease *lease = calloc(1, sizeof(*lease));
	if (lease == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the sandbox's lease");
	pthread_mutex_init(&lease->beating, NULL);
	pthread_mutex_init(&lease->lock, NULL);
	service->test_apps.lease = lease;
	test_apps_lease_beat(service);
	return ERR_NONE;
}

void test_apps_lease_close(struct service *service)
{
	struct test_apps_lease *lease = service->test_apps.lease;
	struct error err = {0};
	if (lease == NULL)
		return;
	if (lease->fence != 0)
		(void)store_sandbox_lease_renew(service->store, lease->fence, 0, &err);
	pthread_mutex_destroy(&lease->beating);
	pthread_mutex_destroy(&lease->lock);
	sodium_memzero(lease->pass, sizeof(lease->pass));
	free(lease);
	service->test_apps.lease = NULL;
}
