/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of the test apps: test_apps.c sorts who asks, test_apps_lease.c knows which
 * node has the sandbox, test_apps_relay.c hands a call on to that node. */
#pragma once

#include "service_private.h"
#include "test_apps.h"

struct sandbox_home;
struct sandbox_visit;

#define TEST_APPS_PASS_BYTES 65

/* Who has the sandbox now. */
struct test_apps_holder {
	bool is_us;
	char address[SERVICE_URL_BYTES]; /* "" = nobody that is known */
	char pass[TEST_APPS_PASS_BYTES]; /* what its calls are to show */
};

/* ---- test_apps_lease.c ---- */

struct test_apps_lease;

/* Where several nodes share the database: tries for the lease now, and goes on. Else does nothing,
 * and the sandbox is ours. */
enum err_kind test_apps_lease_open(struct service *service, struct error *err);
/* Gives it up: no world is open any more. */
void test_apps_lease_close(struct service *service);
/* Does something by itself every second or so: renews, or looks who has it. Blocks on the
 * database. */
void test_apps_lease_beat(struct service *service);
/* As it was last known; never blocks on the database. */
void test_apps_lease_holder(struct service *service, struct test_apps_holder *out);
/* sandbox_world_port: the journals of the lease's holder; context is the service. */
enum err_kind test_apps_journal_read(void *context, struct arena *arena, struct str app_id,
				     struct str *bytes_out, struct error *err);
struct sandbox_journal_piece;
enum err_kind test_apps_journal_write(void *context, const struct sandbox_journal_piece *piece,
				      struct error *err);

/* ---- test_apps_relay.c ---- */

/* The service's own addresses; texts in arena. */
struct sandbox_home test_apps_home(const struct service *service, struct arena *arena);
/* How other nodes reach this one: the setting, else the address that it listens on. In arena. */
struct str test_apps_node_url(const struct service *service, struct arena *arena);
/* Answers as the world of that app, wherever that is. Blocks; always fills response. */
void test_apps_visit(struct service *service, const struct sandbox_visit *visit,
		     struct http_request *request, struct http_response *response);
/* The route by which other nodes hand calls on to us. */
enum err_kind test_apps_relay_open(struct service *service, struct error *err);
