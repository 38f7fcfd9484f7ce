/* SPDX-License-Identifier: Apache-2.0
 * The public API: translates HTTP to domain verbs and back (contract.md, api-decisions.md). Routes
 * are one table, routes.def; every route answers under /v1 and /api/v1 alike. Files: api.c is the
 * frame that every request passes (authentication, rate limit, common headers), respond.c the
 * shapes of errors and answers; then one file per resource. Thread-safe: handlers run on the
 * listener's threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

#include "platform_id.h"
#include "publish_request.h"

#include "store_figures.h"

#include "waiting.h"

#include "http.h"

/* Of a path that nobody has; also said where a secret in the path is wrong. */
#define API_NO_SUCH_PATH "There is no such path. GET /docs lists all."
/* Each platform with each reason at most. */
#define API_GATE_WAITS_MAX 24
/* Pools of outbound connections: platforms, media, webhooks. */
#define API_POOLS_MAX 3
/* read, prepare, publish (enum call_kind) */
#define API_CALL_KINDS 3

struct api;
struct app_row;
struct clock;
struct arena;
struct connector;
struct deliverer;
struct event_row;
struct fetcher;
struct histogram;
struct hosted;
struct log;
struct log_queue;
struct looker;
struct media_uploads;
struct random_source;
struct seal;
struct store;
struct webhooker;

/* Figures of the parts that the API does not see, for /metrics. */
struct api_gauges {
	int64_t deliveries_in_flight;
	int64_t engine_turns;
	int64_t engine_tasks;
	int64_t engine_turn_age_us;
	int64_t spool_bytes;
	int64_t spool_budget_bytes;
	int64_t disk_free_bytes;
	int64_t late_us; /* of the oldest due delivery that has room to run */
	/* Accounts whose due work waits at a gate, by reason; and how late the oldest is there. */
	struct api_gate_wait {
		enum platform_id platform;
		enum gate_reason reason;
		int64_t account_count;
		int64_t late_us;
	} gate_waits[API_GATE_WAITS_MAX];
	size_t gate_wait_count;
	int64_t waiting[WAITING_REASON_COUNT]; /* platform posts */
	struct api_pool {
		const char *name; /* NULL = no such pool */
		int64_t running;
		int64_t waiting;
		int64_t oldest_wait_us;
	} pools[API_POOLS_MAX];
	struct store_figures figures;
	struct store_holdings holdings;
	/* By platform less one; each NULL = none. */
	const struct histogram *calls[PLATFORM_ID_MAX][API_CALL_KINDS];
	const struct histogram *lateness[PLATFORM_ID_MAX];
	struct api_process {
		int64_t cpu_us;
		int64_t resident_bytes;
		int64_t virtual_bytes;
		int64_t started_at_us;
		int64_t open_fds;
		int64_t max_fds;
		int64_t threads;
	} process;
	struct api_version_end {
		const char *setting; /* NULL = no such version */
		char version[16];
		int64_t ends_at_us;
	} version_ends[2];
	int64_t figures_age_us; /* since the store was read for what of this is the store's */
};

struct api_config {
	struct store *store;
	struct connector *connector;
	struct deliverer *deliverer; /* to wake it */
	struct looker *looker;       /* looks at the files of posts */
	struct webhooker *webhooker; /* to wake it; may be set after api_new (api_set_webhooker) */
	const struct seal *seal;     /* webhook secrets */
	const struct hosted *hosted; /* files for platforms that fetch; NULL = none */
	struct media_uploads *uploads;
	struct fetcher *fetcher; /* brings files from addresses (api_media_fetch) */
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
	struct log_queue *access_log; /* for the lines about requests; NULL = log */
	struct media_url_check media_url_check;
	int64_t token_ttl_s;                    /* 0 = 31,536,000 (contract.md, sample) */
	int64_t rate_limit_per_minute;          /* requests of an app; 0 = off */
	int64_t token_failure_limit_per_minute; /* per client id and per address; 0 = off */
	bool is_sandbox;
	bool has_other_dashboard; /* on an address of its own */
	const char *public_url;   /* without trailing slash; NULL = none */
	/* Is the service ready to work? For /readyz: returns false and fills reason when it is
	 * not. */
	bool (*is_ready)(void *context, char *reason, size_t reason_size);
	/* Does it deliver too? For /readyz?delivery; NULL = as is_ready. */
	bool (*is_delivering)(void *context, char *reason, size_t reason_size);
	void *is_ready_context;
	/* What this node knows of the gates, for what posts wait for; context is the deliverer.
	 * NULL on a node that delivers nothing. */
	struct gate_closing (*closing_of)(const struct deliverer *deliverer,
					  enum platform_id platform, struct str app_id);
	/* How far a delivery's file is that is being fitted; false: none is. NULL as above. */
	bool (*fitting_of)(const struct deliverer *deliverer, struct str delivery_id,
			   struct fitter_progress *out);
	enum film_mode film_mode; /* what may be done with films */
	/* For /metrics; context is is_ready_context; NULL = none. */
	/* Never waits for a store that does not answer: then it has the figures of before. NULL =
	 * the store's own are read at each request. */
	void (*gauges)(void *context, struct api_gauges *out);
	const char *version; /* of the program */
	/* The number of deliveries held since a database was restored, for /readyz. Its context is
	 * is_ready_context; NULL = none. */
	int64_t (*held_count)(void *context);
};

/* Makes the API with all its routes. config is copied; everything it points to must outlive the
 * API. The caller frees *api_out with api_free(); it is NULL on failure. INTERNAL: out of memory,
 * or a route that the router refuses. */
enum err_kind api_new(const struct api_config *config, struct api **api_out, struct error *err);
/* Frees and sets NULL; takes NULL. No handler may be running. */
void api_free(struct api **api);
/* Closed, every route answers 503: for the time between listening on a free port and knowing our
 * own address. Open at first. Everything written before opening is visible to every handler after
 * it. */
void api_set_open(struct api *api, bool is_open);
/* api_config.rate_limit_per_minute and .token_failure_limit_per_minute from now on. Any thread. */
void api_set_limits(struct api *api, int64_t rate_per_minute, int64_t token_failures_per_minute);
/* Sets the webhooker, which is created after the API because it needs it (api_event_data). Call
 * before the first request. */
void api_set_webhooker(struct api *api, struct webhooker *webhooker);
/* Writes an event's data as JSON (webhook.h: event_data_port) into arena; context is the api.
 * Thread-safe. May block on the database. NOT_FOUND when the event's subject is gone. */
enum err_kind api_event_data(void *context, struct arena *arena, const struct event_row *event,
			     struct str *json_out, struct error *err);
/* Answers request as if app had sent it with its token; for a caller that has authorized it by
 * other means (the dashboard, for the admin of that e-mail). Not counted against the rate limit.
 * Routes that take no app token answer 404. */
void api_serve_as(struct api *api, const struct app_row *app, struct http_request *request,
		  struct http_response *response, struct str admin);
/* A second door for the API's own callers, beside its table of routes (mcp/): POST with a JSON
 * body, for an access token or a key of any scope, from no page of another site. Counted against
 * the app's rate limit. */
struct api_door {
	const char *path;     /* whole: "/mcp" */
	http_handler handler; /* its context is the api */
	const char *summary;
};
/* Before the first request. Errors as http_router_add(). */
enum err_kind api_door_add(struct api *api, const struct api_door *door, struct error *err);
/* Answers request as its route would for the caller of outer, a request through a door: the scope
 * that a key needs and the query are checked, the rate limit is not counted again. May block as the
 * route does. */
void api_serve_within(struct api *api, const struct http_request *outer,
		      struct http_request *request, struct http_response *response);
struct api_media_wish {
	struct str url;
	struct str file_name; /* empty = the last part of the address */
};
/* Brings a file from an address and answers as POST /media does, for the caller of request, which
 * came through a door and may call that route. Errors besides: 422 INVALID_MEDIA (the address),
 * MEDIA_UNREACHABLE. Blocks for a minute. */
void api_media_fetch(struct api *api, const struct api_media_wish *wish,
		     struct http_request *request, struct http_response *response);
/* Has the caller of outer the scope for that route? path as in routes.def; false for no route. */
bool api_may_call(const struct http_request *outer, const char *method, const char *path);
/* As the configuration has them; the version may be empty. */
struct str api_version(const struct api *api);
const struct random_source *api_random(const struct api *api);
const struct log *api_log(const struct api *api);
/* Answers with the figures of the whole service, as /metrics. */
void api_serve_metrics(struct api *api, struct http_request *request,
		       struct http_response *response);
/* The app of the access token that the request has, for pages that others serve on the API's
 * listener. A key will not do. Counted against the app's rate limit. False: answered. */
bool api_find_app(struct api *api, struct http_request *request, struct http_response *response,
		  struct app_row *app_out);
/* A listener beside the public one. */
enum api_side { API_SIDE_METRICS, API_SIDE_DASHBOARD, API_SIDE_SANDBOX };
/* Makes a router for it: the API's common headers, faults and log, its pages for that side
 * (pages.def), and none of its routes. The caller may add routes, and frees *router_out with
 * http_router_free() before the API. Errors as http_router_new(). */
enum err_kind api_side_router_new(struct api *api, enum api_side side,
				  struct http_router **router_out, struct error *err);
/* The router with all routes, for httpd or direct dispatch. Lives as long as api. */
struct http_router *api_router(struct api *api);
