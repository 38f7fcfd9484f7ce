/* SPDX-License-Identifier: Apache-2.0
 * GET /metrics: figures for the operator's monitoring in the Prometheus text format 0.0.4. Figures
 * of the whole service only: nothing about an app, a user or a post, and no secrets. */
#include "api_private.h"

#include <inttypes.h>
#include <stdio.h>

#include "count_of.h"

#include "store_figures.h"
#include "store_outcome.h"
#include "store_quota.h"

#include "gate.h"
#include "waiting.h"

#include "metrics_text.h"

/* All figures of one answer. */
struct scrape {
	struct api_gauges gauges;
	int64_t is_ready;
	int64_t started_at_us;
};

struct metric {
	const char *name;
	const char *type;
	const char *help;  /* NULL = one more sample of the metric before */
	const char *label; /* "status=\"failed\""; NULL = none */
	size_t offset;
	enum metric_unit unit;
};

#define AT(field) offsetof(struct scrape, field)

static const struct metric metrics[] = {
	{"posthorn_ready", "gauge", "1 while /readyz answers 200, else 0.", NULL, AT(is_ready),
	 METRIC_COUNT},
	{"posthorn_start_time_seconds", "gauge",
	 "When the service was started, seconds since 1970.", NULL, AT(started_at_us), METRIC_US},
	{"posthorn_posts", "gauge", "Posts by status; pending includes processing and retrying.",
	 "status=\"pending\"", AT(gauges.figures.posts_pending), METRIC_COUNT},
	{"posthorn_posts", NULL, NULL, "status=\"scheduled\"", AT(gauges.figures.posts_scheduled),
	 METRIC_COUNT},
	{"posthorn_posts", NULL, NULL, "status=\"published\"", AT(gauges.figures.posts_published),
	 METRIC_COUNT},
	{"posthorn_posts", NULL, NULL, "status=\"failed\"", AT(gauges.figures.posts_failed),
	 METRIC_COUNT},
	{"posthorn_deliveries_due", "gauge", "Deliveries that are due; counted up to 100000.", NULL,
	 AT(gauges.figures.deliveries_due), METRIC_COUNT},
	{"posthorn_deliveries_scheduled", "gauge", "Deliveries scheduled for later.", NULL,
	 AT(gauges.figures.deliveries_scheduled), METRIC_COUNT},
	{"posthorn_deliveries_in_flight", "gauge", "Deliveries in progress.", NULL,
	 AT(gauges.deliveries_in_flight), METRIC_COUNT},
	{"posthorn_deliveries_held", "gauge", "Deliveries held since a database was restored.",
	 NULL, AT(gauges.figures.deliveries_held), METRIC_COUNT},
	{"posthorn_removals_pending", "gauge",
	 "Published posts that are being taken back; counted up to 100000.", NULL,
	 AT(gauges.figures.removals_pending), METRIC_COUNT},
	{"posthorn_oldest_due_lateness_seconds", "gauge",
	 "How late the oldest due delivery is that has room to run; 0 when there is none.", NULL,
	 AT(gauges.late_us), METRIC_US},
	{"posthorn_events_pending", "gauge",
	 "Events not yet handed to webhooks; counted up to 100000.", NULL,
	 AT(gauges.figures.events_pending), METRIC_COUNT},
	{"posthorn_webhook_deliveries_pending", "gauge",
	 "Webhook deliveries not yet made; counted up to 100000.", NULL,
	 AT(gauges.figures.webhook_deliveries_pending), METRIC_COUNT},
	{"posthorn_webhook_oldest_due_lateness_seconds", "gauge",
	 "How late the oldest event or webhook delivery is that is due and not begun; 0 when none.",
	 NULL, AT(gauges.figures.webhooks_late_us), METRIC_US},
	{"posthorn_alarms", "gauge",
	 "Problems that only the operator can fix; see posthorn doctor.", NULL,
	 AT(gauges.figures.alarms), METRIC_COUNT},
	{"posthorn_figures_age_seconds", "gauge",
	 "How old the figures of the database are; it grows while the database does not answer.",
	 NULL, AT(gauges.figures_age_us), METRIC_US},
	{"posthorn_engine_turns_total", "counter", "Turns of the delivery engine.", NULL,
	 AT(gauges.engine_turns), METRIC_COUNT},
	{"posthorn_engine_tasks", "gauge",
	 "Deliveries, connections and webhook calls in progress in the engine.", NULL,
	 AT(gauges.engine_tasks), METRIC_COUNT},
	{"posthorn_engine_last_turn_age_seconds", "gauge",
	 "Time since the engine's last turn ended; 5 s at most when healthy.", NULL,
	 AT(gauges.engine_turn_age_us), METRIC_US},
	{"posthorn_spool_bytes", "gauge", "Disk space used by fetched media.", NULL,
	 AT(gauges.spool_bytes), METRIC_COUNT},
	{"posthorn_spool_budget_bytes", "gauge", "Disk space that fetched media may use.", NULL,
	 AT(gauges.spool_budget_bytes), METRIC_COUNT},
	{"posthorn_disk_free_bytes", "gauge", "Free space on the data directory's disk.", NULL,
	 AT(gauges.disk_free_bytes), METRIC_COUNT},
};

static void write_metric(struct buf *out, const struct metric *metric, const struct scrape *scrape)
{
	if (metric->help != NULL)
		metrics_text_head(out, metric->name, metric->type, metric->help);
	buf_add_z(out, metric->name);
	if (metric->label != NULL)
		buf_addf(out, "{%s}", metric->label);
	metrics_text_value(out,
			   *(const int64_t *)(const void *)((const char *)scrape + metric->offset),
			   metric->unit);
}

static void write_requests(struct buf *out, struct api *api)
{
	metrics_text_head(out, "posthorn_http_requests_total", "counter",
			  "Responses of the public listener by status.");
	for (int i = 0; i < ANSWER_STATUS_COUNT; i++) {
		const uint64_t count = atomic_load_explicit(&api->answers[i], memory_order_relaxed);
		if (count > 0)
			buf_addf(out, "posthorn_http_requests_total{status=\"%d\"} %" PRIu64 "\n",
				 i + ANSWER_STATUS_MIN, count);
	}
}

static int64_t gate_late_us(const struct api_gauges *gauges, enum platform_id platform,
			    enum gate_reason reason)
{
	for (size_t i = 0; i < gauges->gate_wait_count; i++) {
		if (gauges->gate_waits[i].platform == platform &&
		    gauges->gate_waits[i].reason == reason)
			return gauges->gate_waits[i].late_us;
	}
	return 0;
}

static void write_waits(struct buf *out, const struct api_gauges *gauges)
{
	metrics_text_head(
		out, "posthorn_waiting", "gauge",
		"Platform posts that wait, by reason; at most 10000 that are not scheduled.");
	for (int reason = WAITING_SCHEDULE; reason < WAITING_REASON_COUNT; reason++) {
		buf_addf(out, "posthorn_waiting{reason=\"%s\"}",
			 waiting_reason_name((enum waiting_reason)reason));
		metrics_text_value(out, gauges->waiting[reason], METRIC_COUNT);
	}
	metrics_text_head(
		out, "posthorn_waiting_oldest_seconds", "gauge",
		"How late the oldest due delivery is that waits at a closed gate; 0 when none.");
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		for (int reason = GATE_PLATFORM_DOWN; reason < GATE_REASON_COUNT; reason++) {
			buf_addf(out,
				 "posthorn_waiting_oldest_seconds{platform=\"%s\",reason=\"%s\"}",
				 platform_id_slug((enum platform_id)id),
				 gate_reason_name((enum gate_reason)reason));
			metrics_text_value(out,
					   gate_late_us(gauges, (enum platform_id)id,
							(enum gate_reason)reason),
					   METRIC_US);
		}
	}
}

static void write_pools(struct buf *out, const struct api_gauges *gauges)
{
	metrics_text_head(
		out, "posthorn_pool", "gauge",
		"Outbound calls by pool: running, or waiting for the turn of their app or host.");
	for (size_t i = 0; i < API_POOLS_MAX && gauges->pools[i].name != NULL; i++) {
		const struct api_pool *pool = &gauges->pools[i];
		buf_addf(out, "posthorn_pool{pool=\"%s\",state=\"running\"} %" PRId64 "\n",
			 pool->name, pool->running);
		buf_addf(out, "posthorn_pool{pool=\"%s\",state=\"waiting\"} %" PRId64 "\n",
			 pool->name, pool->waiting);
	}
	metrics_text_head(
		out, "posthorn_pool_oldest_wait_seconds", "gauge",
		"How long the outbound call has waited that waits longest; 0 when none does.");
	for (size_t i = 0; i < API_POOLS_MAX && gauges->pools[i].name != NULL; i++) {
		buf_addf(out, "posthorn_pool_oldest_wait_seconds{pool=\"%s\"}",
			 gauges->pools[i].name);
		metrics_text_value(out, gauges->pools[i].oldest_wait_us, METRIC_US);
	}
}

static void write_versions(struct buf *out, const struct api_gauges *gauges)
{
	metrics_text_head(
		out, "posthorn_platform_version_end_timestamp_seconds", "gauge",
		"When the version of a platform's API ends that is set, where that is known.");
	for (size_t i = 0; i < COUNT_OF(gauges->version_ends); i++) {
		const struct api_version_end *end = &gauges->version_ends[i];
		if (end->setting != NULL)
			buf_addf(out,
				 "posthorn_platform_version_end_timestamp_seconds{setting=\"%s\","
				 "version=\"%s\"} %" PRId64 "\n",
				 end->setting, end->version, end->ends_at_us / US_PER_S);
	}
}

static void write_quotas(struct buf *out, const struct api *api)
{
	metrics_text_head(out, "posthorn_quota_refusals_total", "counter",
			  "What was refused because a quota of an app was full.");
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		buf_addf(out, "posthorn_quota_refusals_total{quota=\"%s\"} %" PRId64 "\n",
			 quota_name(quota), store_quota_refusals(api->config.store, quota));
}

/* Every outcome with every code that it may have, so that a rate sees the first. */
static bool is_possible(enum delivery_outcome outcome, enum failure_code code)
{
	if (outcome == OUTCOME_PUBLISHED)
		return code == FAILURE_CODE_NONE;
	if (code == FAILURE_CODE_NONE)
		return false;
	return outcome == OUTCOME_PARTIAL || store_outcome_of(code) == outcome;
}

static void write_outcomes_of(struct buf *out, const struct api *api, enum platform_id platform,
			      enum delivery_outcome outcome)
{
	for (enum failure_code code = 0; code < FAILURE_CODE_COUNT; code++) {
		if (!is_possible(outcome, code))
			continue;
		buf_addf(out,
			 "posthorn_deliveries_total{platform=\"%s\",outcome=\"%s\",code=\"%s\"}",
			 platform_id_slug(platform), store_outcome_name(outcome),
			 failure_code_name(code));
		metrics_text_value(out,
				   store_outcome_count(api->config.store, platform, outcome, code),
				   METRIC_COUNT);
	}
}

static void write_outcomes(struct buf *out, const struct api *api)
{
	metrics_text_head(
		out, "posthorn_deliveries_total", "counter",
		"Platform posts that ended on this node, by platform, outcome and failure "
		"code.");
	for (int platform = 1; platform <= PLATFORM_ID_MAX; platform++) {
		for (enum delivery_outcome outcome = 0; outcome < OUTCOME_COUNT; outcome++)
			write_outcomes_of(out, api, (enum platform_id)platform, outcome);
	}
}

static void write_calls(struct buf *out, const struct api_gauges *gauges)
{
	static const char *const kinds[API_CALL_KINDS] = {"read", "prepare", "publish"};
	char labels[64];
	struct metrics_histogram series = {.name = "posthorn_platform_call_seconds",
					   .labels = labels,
					   .scale = HISTOGRAM_CALLS};
	metrics_text_head(
		out, series.name, "histogram",
		"How long calls to platforms took, answered or not, by platform and kind.");
	for (size_t i = 0; i < PLATFORM_ID_MAX * API_CALL_KINDS; i++) {
		const size_t platform = i / API_CALL_KINDS;
		series.histogram = gauges->calls[platform][i % API_CALL_KINDS];
		if (series.histogram == NULL)
			continue;
		snprintf(labels, sizeof(labels), "platform=\"%s\",kind=\"%s\"",
			 platform_id_slug((enum platform_id)(platform + 1)),
			 kinds[i % API_CALL_KINDS]);
		metrics_text_histogram(out, &series);
	}
}

static void write_lateness(struct buf *out, const struct api_gauges *gauges)
{
	char labels[64];
	struct metrics_histogram series = {.name = "posthorn_publish_lateness_seconds",
					   .labels = labels,
					   .scale = HISTOGRAM_LATENESS};
	metrics_text_head(out, series.name, "histogram",
			  "How long after their time posts became visible, whatever they waited "
			  "for.");
	for (size_t i = 0; i < PLATFORM_ID_MAX; i++) {
		series.histogram = gauges->lateness[i];
		if (series.histogram == NULL)
			continue;
		snprintf(labels, sizeof(labels), "platform=\"%s\"",
			 platform_id_slug((enum platform_id)(i + 1)));
		metrics_text_histogram(out, &series);
	}
}

static void write_commits(struct buf *out, const struct api *api)
{
	const struct metrics_histogram series = {.name = "posthorn_commit_seconds",
						 .labels = "",
						 .histogram = store_commits(api->config.store),
						 .scale = HISTOGRAM_COMMITS};
	metrics_text_head(
		out, series.name, "histogram",
		"How long transactions took, from their beginning until they were durable.");
	metrics_text_histogram(out, &series);
}

static void write_accounts(struct buf *out, const struct store_holdings *holdings)
{
	metrics_text_head(out, "posthorn_accounts", "gauge",
			  "Connected accounts by platform and status.");
	for (size_t i = 0; i < PLATFORM_ID_MAX * ACCOUNT_STATE_COUNT; i++) {
		const size_t platform = i / ACCOUNT_STATE_COUNT;
		const enum account_state state = (enum account_state)(i % ACCOUNT_STATE_COUNT);
		buf_addf(out, "posthorn_accounts{platform=\"%s\",status=\"%s\"}",
			 platform_id_slug((enum platform_id)(platform + 1)),
			 account_state_name(state));
		metrics_text_value(out, holdings->accounts[platform][state], METRIC_COUNT);
	}
}

static void write_quota_use(struct buf *out, const struct store_holdings *holdings)
{
	metrics_text_head(
		out, "posthorn_quota_used_ratio", "gauge",
		"How much of a quota the app has used that has used most of it; 1 is full.");
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		buf_addf(out, "posthorn_quota_used_ratio{quota=\"%s\"} %.4f\n", quota_name(quota),
			 (double)holdings->quota_used_bp[quota] / 10000);
}

struct process_metric {
	const char *name;
	const char *type;
	const char *help;
	size_t offset;
	enum metric_unit unit;
};

#define OF(field) offsetof(struct api_process, field)

/* The names that every client library of Prometheus has. */
static const struct process_metric process_metrics[] = {
	{"process_cpu_seconds_total", "counter", "Time of the processors, user and system.",
	 OF(cpu_us), METRIC_US},
	{"process_resident_memory_bytes", "gauge", "Resident memory.", OF(resident_bytes),
	 METRIC_COUNT},
	{"process_virtual_memory_bytes", "gauge", "Virtual memory.", OF(virtual_bytes),
	 METRIC_COUNT},
	{"process_start_time_seconds", "gauge", "When the process began, seconds since 1970.",
	 OF(started_at_us), METRIC_US},
	{"process_open_fds", "gauge", "Open file descriptors.", OF(open_fds), METRIC_COUNT},
	{"process_max_fds", "gauge", "How many file descriptors may be open.", OF(max_fds),
	 METRIC_COUNT},
	{"process_threads", "gauge", "Threads.", OF(threads), METRIC_COUNT},
};

static void write_process(struct buf *out, const struct api_process *process)
{
	for (size_t i = 0; i < COUNT_OF(process_metrics); i++) {
		const struct process_metric *metric = &process_metrics[i];
		metrics_text_head(out, metric->name, metric->type, metric->help);
		buf_add_z(out, metric->name);
		metrics_text_value(
			out,
			*(const int64_t *)(const void *)((const char *)process + metric->offset),
			metric->unit);
	}
}

static void write_build(struct buf *out, const struct api *api)
{
	metrics_text_head(out, "posthorn_build_info", "gauge",
			  "Version and mode of the running service.");
	buf_addf(out, "posthorn_build_info{version=\"%s\",mode=\"%s\"} 1\n",
		 api->config.version != NULL ? api->config.version : "unknown",
		 api->config.is_sandbox ? "sandbox" : "live");
}

static enum err_kind scrape_fill(const struct api *api, struct scrape *scrape, struct error *err)
{
	const int64_t now_us = clock_now_us(api->config.clock);
	char reason[256];
	*scrape = (struct scrape){.started_at_us = api->started_at_us};
	const enum err_kind kind = api->config.gauges == NULL
					   ? store_figures_read(api->config.store, now_us,
								&scrape->gauges.figures, err)
					   : ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	if (api->config.gauges != NULL)
		api->config.gauges(api->config.is_ready_context, &scrape->gauges);
	scrape->is_ready =
		api->config.is_ready == NULL ||
		api->config.is_ready(api->config.is_ready_context, reason, sizeof(reason));
	return ERR_NONE;
}

void metrics_show(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	struct scrape scrape;
	struct error err = {0};
	const enum err_kind kind = scrape_fill(api, &scrape, &err);
	if (kind != ERR_NONE) {
		respond_failure(api, request, response, kind, &err);
		return;
	}
	struct buf *out =
		http_response_text(response, 200, "text/plain; version=0.0.4; charset=utf-8");
	write_build(out, api);
	for (size_t i = 0; i < COUNT_OF(metrics); i++)
		write_metric(out, &metrics[i], &scrape);
	write_outcomes(out, api);
	write_lateness(out, &scrape.gauges);
	write_calls(out, &scrape.gauges);
	write_commits(out, api);
	write_waits(out, &scrape.gauges);
	write_accounts(out, &scrape.gauges.holdings);
	write_pools(out, &scrape.gauges);
	write_versions(out, &scrape.gauges);
	write_quotas(out, api);
	write_quota_use(out, &scrape.gauges.holdings);
	write_requests(out, api);
	access_write_metrics(api->access, out);
	write_process(out, &scrape.gauges.process);
}
