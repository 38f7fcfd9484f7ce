/* SPDX-License-Identifier: Apache-2.0
 * The figures are a table of routes and statuses that only ever grows: a place is taken by one
 * exchange, and never given back. Routes are the tables' patterns, so there are few. */
#include "access.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "count_of.h"
#include "fnv.h"
#include "histogram.h"
#include "log_queue.h"

#include "metrics_text.h"

#define PLACES 2048 /* power of two */
#define PLACES_USED_MAX (PLACES / 2)
#define ROUTE_MAX_BYTES 80
/* What no route took: a path of the caller's is no label. */
#define NO_ROUTE "none"

struct series {
	int status;
	char route[ROUTE_MAX_BYTES];
	struct histogram histogram;
};

struct access {
	struct access_config config;
	_Atomic(struct series *) places[PLACES];
	_Atomic unsigned used;
	struct series others; /* when the table is full */
};

struct access *access_new(const struct access_config *config)
{
	struct access *access = calloc(1, sizeof(*access));
	if (access == NULL)
		return NULL;
	access->config = *config;
	snprintf(access->others.route, sizeof(access->others.route), "others");
	return access;
}

void access_free(struct access **access)
{
	if (*access == NULL)
		return;
	for (size_t i = 0; i < PLACES; i++)
		free(atomic_load(&(*access)->places[i]));
	free(*access);
	*access = NULL;
}

/* The pattern; of the two prefixes of a route the shorter. */
static struct str route_of(const struct http_request *request)
{
	struct str route = STR(NO_ROUTE);
	if (request->route == NULL)
		return route;
	route = str_of(request->route->pattern);
	if (str_has_prefix(route, STR("/api/v1/")))
		route = str_slice(route, sizeof("/api") - 1, route.len);
	return str_slice(route, 0, ROUTE_MAX_BYTES - 1);
}

/* ---- figures ---- */

static struct series *series_new(struct str route, int status)
{
	struct series *series = calloc(1, sizeof(*series));
	if (series == NULL)
		return NULL;
	series->status = status;
	memcpy(series->route, route.ptr, route.len);
	return series;
}

static bool is_series(const struct series *series, struct str route, int status)
{
	return series->status == status && str_equal_z(route, series->route);
}

/* The series in that place, where it is made when the place is free. NULL: another's place. */
static struct series *series_at(struct access *access, size_t place, struct str route, int status)
{
	struct series *there = atomic_load(&access->places[place]);
	if (there != NULL)
		return is_series(there, route, status) ? there : NULL;
	if (atomic_load(&access->used) >= PLACES_USED_MAX)
		return &access->others;
	struct series *made = series_new(route, status);
	if (made == NULL)
		return &access->others;
	if (atomic_compare_exchange_strong(&access->places[place], &there, made)) {
		atomic_fetch_add(&access->used, 1);
		return made;
	}
	free(made);
	return is_series(there, route, status) ? there : NULL;
}

static struct series *series_of(struct access *access, struct str route, int status)
{
	const uint32_t hash = fnv_hash(route) + (uint32_t)status * 31U;
	for (size_t i = 0; i < PLACES; i++) {
		struct series *series = series_at(access, (hash + i) % PLACES, route, status);
		if (series != NULL)
			return series;
	}
	return &access->others;
}

/* ---- the line ---- */

#define FIELDS_MAX 10

static void write_line(const struct access *access, const struct log_field *fields, size_t count)
{
	if (access->config.queue != NULL)
		log_queue_write(access->config.queue, LOG_INFO, "request", fields, count);
	else
		log_write(access->config.log, LOG_INFO, "request", fields, count);
}

/* What a post's line has, where the path or the handler names one. */
static struct str post_of(const struct http_request *request)
{
	return str_is_empty(request->about) ? http_request_capture(request, "post_id")
					    : request->about;
}

static void log_request(const struct access *access, const struct http_request *request, int status,
			int64_t duration_us)
{
	const struct log_field fields[FIELDS_MAX] = {
		log_str("method", request->is_head ? STR("HEAD") : request->method),
		log_str("route", route_of(request)),
		log_int("status", status),
		log_ms("duration_ms", duration_us),
		log_str("app", request->caller),
		log_str("request", str_of(request->request_id)),
		log_str("trace", str_of(request->trace_id)),
		log_str("address", request->remote_address),
		log_str("post", post_of(request)),
	};
	const bool has_post = !str_is_empty(fields[8].text);
	write_line(access, fields, has_post ? 9 : 8);
}

void access_note(struct access *access, const struct http_request *request, int status)
{
	const int64_t duration_us =
		request->began_boot_us != 0
			? clock_boot_us(access->config.clock) - request->began_boot_us
			: 0;
	struct series *series = series_of(access, route_of(request), status);
	histogram_note(&series->histogram, HISTOGRAM_REQUESTS, duration_us);
	log_request(access, request, status, duration_us);
}

void access_write_metrics(const struct access *access, struct buf *out)
{
	metrics_text_head(out, "posthorn_http_request_seconds", "histogram",
			  "How long requests took, from the head to the answer, by route and "
			  "status.");
	for (size_t i = 0; i <= PLACES; i++) {
		char labels[ROUTE_MAX_BYTES + 32];
		const struct series *series =
			i < PLACES ? atomic_load(&access->places[i]) : &access->others;
		if (series == NULL)
			continue;
		if (series == &access->others)
			snprintf(labels, sizeof(labels), "route=\"%s\",code=\"\"", series->route);
		else
			snprintf(labels, sizeof(labels), "route=\"%s\",code=\"%d\"", series->route,
				 series->status);
		metrics_text_histogram(
			out, &(struct metrics_histogram){.name = "posthorn_http_request_seconds",
							 .labels = labels,
							 .histogram = &series->histogram,
							 .scale = HISTOGRAM_REQUESTS});
	}
	metrics_text_head(out, "posthorn_log_lines_dropped_total", "counter",
			  "Lines about requests that the reader of the log was too slow for.");
	buf_add_z(out, "posthorn_log_lines_dropped_total");
	metrics_text_value(
		out, access->config.queue != NULL ? log_queue_dropped(access->config.queue) : 0,
		METRIC_COUNT);
}
