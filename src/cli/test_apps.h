/* SPDX-License-Identifier: Apache-2.0
 * The sandbox of the test apps, inside the service (api-decisions.md 14): its worlds, the Unix
 * socket by which the engine's calls reach them, and the pages below /sandbox/ by which browsers
 * and the apps' tokens do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct http_request;
struct http_response;
struct service;
struct settings;

/* --test-apps */
bool test_apps_are_on(const struct settings *settings);
/* The socket's path; NULL where there are no test apps. */
const char *test_apps_socket(struct service *service);
/* Fills in where browsers see the sandbox, once our own address is known. */
void test_apps_set_url(struct service *service);

/* Parts of the service (service.c). */
/* Opens the worlds, and adds the pages to the API's router, or makes one for --sandbox-listen.
 * After open_dashboard(). */
enum err_kind test_apps_open_pages(struct service *service, struct error *err);
void test_apps_close_pages(struct service *service);
/* Opens the socket, and begins what goes on by itself. After the public listener, before the
 * engine runs. */
enum err_kind test_apps_open(struct service *service, struct error *err);
/* Before listeners drain: nothing hangs on purpose any more, or waits for another node. */
void test_apps_end_waits(struct service *service);
/* Closes the worlds too. After the engine has stopped. */
void test_apps_close(struct service *service);

/* Where the listener puts bodies that other nodes hand on; NULL: there are no test apps. */
const char *test_apps_body_directory(const struct service *service);
/* What the app's world has on the disk; 0 when there is none. */
int64_t test_apps_bytes(const struct service *service, struct str app_id);
/* admin_web_config.sandbox: as the dashboard asks it, for an admin who may have the app. */
void test_apps_serve_admin(void *context, struct str app_id, struct http_request *request,
			   struct http_response *response);
