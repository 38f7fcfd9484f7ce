/* SPDX-License-Identifier: Apache-2.0
 * The admin API: everything an operator or app owner does besides the public API
 * (docs/dashboard-api.md). One set of handlers is reached in two ways. First, on the control socket
 * (DATA/control.sock, mode 0600: anyone who can open the file may do everything), and directly from
 * the command line while the service is down, so that `posthorn app|credential|admin` have one code
 * path; holding admin_router() is the permission. Second, over HTTP under /dashboard, with the
 * pages that use it; there admin_web.c authorizes by session and owner. Files: admin.c has the
 * route table, admin_web.c the access over HTTP, admin_request.h and admin_respond.h reading and
 * answering, admin_session.c signing in, backoff.h, device_cookie.h and password_pool.h slow down
 * guessing; then one file per subject. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#include "http.h"

struct admin;
struct admin_findings;
struct app_row;
struct arena;
struct cidr;
struct clock;
struct connector;
struct deliverer;
struct log;
struct random_source;
struct seal;
struct store;
struct webhooker;

struct admin_config {
	struct store *store;
	struct seal *seal;
	struct connector *connector;
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
	const char *mode;   /* "live" or "sandbox": of the apps that are no test apps */
	bool has_test_apps; /* --test-apps */
	/* Where a copy of the database is made before it is handed over; NULL = none is. */
	const char *backup_path;
	/* Where links lead while the dashboard is not open over HTTP: a URL without the path. */
	const char *link_url;
	/* What the doctor finds of the service itself; NULL = nothing. */
	void (*examine)(void *context, struct arena *arena, struct admin_findings *out);
	void *examine_context;
	/* How much media an app has on the disk; context is examine_context; NULL = not known. */
	void (*media_use)(void *context, struct str app_id, int64_t *bytes_out, int64_t *files_out);
};

/* ---- what the doctor finds ---- */

enum admin_severity { ADMIN_FINE, ADMIN_WARNING, ADMIN_ERROR };
/* Adds one finding; message: a sentence. */
void admin_finding(struct admin_findings *findings, const char *check, enum admin_severity severity,
		   struct str message);

/* Makes the admin API for the control socket. config is copied; everything it points to must
 * outlive the API. The caller frees *admin_out with admin_free(); it is NULL on failure. INTERNAL:
 * out of memory, or a route that the router refuses. */
enum err_kind admin_new(const struct admin_config *config, struct admin **admin_out,
			struct error *err);
/* Frees and sets NULL; takes NULL. No handler may be running. */
void admin_free(struct admin **admin);
/* The router for the control socket and direct dispatch: checks no permission. Lives as long as
 * admin. */
struct http_router *admin_router(struct admin *admin);

/* The public API, called as an app without its access token. */
struct admin_app_port {
	/* request's path is one of the public API (/v1/...). Always fills response. admin: the
	 * e-mail of who works in the dashboard. */
	void (*serve)(void *context, const struct app_row *app, struct http_request *request,
		      struct http_response *response, struct str admin);
	/* The figures of the whole service, as /metrics. NULL = there are none. */
	void (*metrics)(void *context, struct http_request *request,
			struct http_response *response);
	void *context;
};

/* A proxy that has signed people in already (docs/operations.md, "Single sign-on"). */
struct admin_proxy_sign_in {
	struct str header;            /* whose value is the admin's email */
	struct str secret_header;     /* whose value proves that the proxy has set the other */
	struct str secret;            /* not empty */
	const struct cidr *addresses; /* of the proxy itself */
	size_t address_count;
};

/* The sandbox of the test apps, as an admin sees it. */
struct admin_sandbox_port {
	/* request's path is the sandbox's ("/_sandbox/clock"). Always fills response. */
	void (*serve)(void *context, struct str app_id, struct http_request *request,
		      struct http_response *response);
	void *context;
};

struct admin_web_config {
	const char *public_url; /* may be filled in until the first request */
	/* Where the pages are, likewise; NULL = at public_url. */
	const char *dashboard_url;
	const char *sandbox_url; /* NULL = real platforms */
	const char *version;
	/* NULL = nobody signs in so. Must outlive the API. */
	const struct admin_proxy_sign_in *proxy_sign_in;
	bool needs_second_factor; /* who has none can do nothing but turn one on */
	int64_t session_idle_s;
	int64_t session_lifetime_s;
	struct deliverer *deliverer; /* to wake it */
	struct webhooker *webhooker; /* to wake it */
	struct admin_app_port app_port;
	/* Is the service ready to work? As api_config.is_ready; NULL = always ready. */
	bool (*is_ready)(void *context, char *reason, size_t reason_size);
	void *is_ready_context;
	struct admin_sandbox_port sandbox;
	const char *test_url; /* where browsers see it; may be filled in, as public_url. NULL = no
			       * test apps */
};

/* Adds the dashboard's paths to the router of a listener, whose after hook adds the common
 * headers. Call before the first request. */
enum err_kind admin_web_open(struct admin *admin, const struct admin_web_config *config,
			     struct http_router *router, struct error *err);
/* Is the request one of a signed-in admin who may see this app? app NULL: of any signed-in admin.
 * Blocks on the database. */
bool admin_web_may_see(struct admin *admin, struct http_request *request,
		       const struct app_row *app);
/* Can nobody sign in with a password yet? False also when the store does not answer. */
bool admin_needs_setup(struct admin *admin);
/* A new link "URL/dashboard/setup#TOKEN" while no admin has a password, else empty. Good for one
 * use within ten minutes. Blocks on the disk. */
struct str admin_setup_link(struct admin *admin, struct arena *arena);
