/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the schema's version, and the doctor: everything that an operator would check when
 * posts do not go out, each finding as one sentence. */
#include "admin_private.h"

#include "count_of.h"

#include "timetext.h"

#include "store_alarm.h"
#include "store_delivery.h"
#include "store_doctor.h"
#include "store_guard.h"
#include "store_node.h"
#include "store_pause.h"
#include "store_words.h"

#include "due.h"

#define LATE_US (60 * US_PER_S) /* design.md 5, /readyz?delivery */

/* Written as they are found. */
struct admin_findings {
	struct json_writer w;
	enum admin_severity worst;
};

static const char *severity_name(enum admin_severity severity)
{
	static const char *const names[] = {
		[ADMIN_FINE] = "ok", [ADMIN_WARNING] = "warning", [ADMIN_ERROR] = "error"};
	return names[severity];
}

void admin_finding(struct admin_findings *x, const char *check, enum admin_severity severity,
		   struct str message)
{
	json_begin_object(&x->w);
	json_member_str(&x->w, "check", str_of(check));
	json_member_bool(&x->w, "ok", severity == ADMIN_FINE);
	json_member_str(&x->w, "severity", str_of(severity_name(severity)));
	json_member_str(&x->w, "message", message);
	json_end_object(&x->w);
	if (severity > x->worst)
		x->worst = severity;
}

static void finding(struct admin_findings *x, const char *check, bool is_ok, struct str message)
{
	admin_finding(x, check, is_ok ? ADMIN_FINE : ADMIN_ERROR, message);
}

static void check_store(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct error err = {0};
	const bool is_ok = store_check(admin->config.store, &err) == ERR_NONE;
	finding(x, "store", is_ok,
		is_ok ? str_format(arena, "reachable and writable, schema version %d",
				   store_schema_version(admin->config.store))
		      : str_copy(arena, str_of(err.text)));
}

/* A dead node is reported until it is forgotten. Other nodes have taken over its work. */
static void check_nodes(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct node_row *nodes = NULL;
	size_t count = 0;
	struct error err = {0};
	if (!store_is_shared(admin->config.store))
		return;
	if (store_node_list(admin->config.store, arena, &nodes, &count, &err) != ERR_NONE) {
		finding(x, "node", false, str_copy(arena, str_of(err.text)));
		return;
	}
	for (size_t i = 0; i < count; i++)
		admin_finding(
			x, "node", nodes[i].is_alive ? ADMIN_FINE : ADMIN_WARNING,
			str_format(arena,
				   STR_FMT " (" STR_FMT ", " STR_FMT ", version " STR_FMT
					   "): last heard from at " STR_FMT
					   ", %lld accounts in progress",
				   STR_ARG(nodes[i].name), STR_ARG(nodes[i].role),
				   STR_ARG(nodes[i].address), STR_ARG(nodes[i].version),
				   STR_ARG(timetext_format_instant(arena, nodes[i].beat_at_us)),
				   (long long)nodes[i].busy_count));
}

/* A limit that is waited out is no fault; an app that is refused, or a platform that does not work
 * for a minute, needs somebody to know. */
static void report_gate(struct arena *arena, struct admin_findings *x,
			const struct due_at_gate *wait, int64_t now_us)
{
	const int64_t late_us = now_us - wait->oldest_us;
	const bool is_planned = wait->closing.reason == GATE_PLATFORM_LIMIT || late_us <= LATE_US;
	admin_finding(x, "waiting", is_planned ? ADMIN_FINE : ADMIN_WARNING,
		      str_format(arena,
				 "%s, app " STR_FMT
				 ": %lld accounts with due posts wait, the oldest for %lld s (%s): "
				 "%s",
				 platform_id_slug(wait->platform), STR_ARG(wait->client_id),
				 (long long)wait->account_count, (long long)(late_us / US_PER_S),
				 gate_reason_name(wait->closing.reason),
				 gate_reason_sentence(wait->closing.reason)));
}

/* For what posts wait: none of these is a fault by itself. */
static void report_waiting(struct admin *admin, struct arena *arena, struct admin_findings *x,
			   int64_t now_us)
{
	int64_t counts[WAITING_REASON_COUNT];
	struct error err = {0};
	struct str text = STR("");
	if (due_waiting_count(admin->config.store, admin->web.deliverer, arena, now_us, counts,
			      &err) != ERR_NONE)
		return;
	for (int reason = WAITING_SCHEDULE; reason < WAITING_REASON_COUNT; reason++) {
		if (counts[reason] > 0)
			text = str_format(arena, STR_FMT "%s%lld %s", STR_ARG(text),
					  str_is_empty(text) ? "" : ", ", (long long)counts[reason],
					  waiting_reason_name((enum waiting_reason)reason));
	}
	if (!str_is_empty(text))
		finding(x, "waiting", true,
			str_format(arena, "posts that wait, by reason: " STR_FMT, STR_ARG(text)));
}

static void check_queue(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct delivery_backlog backlog = {0};
	struct due_backlog due = {0};
	struct error err = {0};
	const int64_t now_us = clock_now_us(admin->config.clock);
	enum err_kind kind = store_delivery_backlog(admin->config.store, now_us, &backlog, &err);
	if (kind == ERR_NONE)
		kind = due_list(admin->config.store, admin->web.deliverer, arena, now_us, &due,
				&err);
	if (kind != ERR_NONE) {
		finding(x, "queue", false, str_copy(arena, str_of(err.text)));
		return;
	}
	const int64_t late_us = due_late_us(&due, admin->web.deliverer, now_us);
	finding(x, "queue", late_us <= LATE_US,
		str_format(arena,
			   "%lld scheduled, %lld due, %lld in progress; the oldest due one that "
			   "has room to run is %lld s late",
			   (long long)backlog.scheduled_count, (long long)backlog.due_count,
			   (long long)backlog.in_flight_count, (long long)(late_us / US_PER_S)));
	report_waiting(admin, arena, x, now_us);
	for (size_t i = 0; i < due.at_gate_count; i++)
		report_gate(arena, x, &due.at_gates[i], now_us);
}

static void check_holds(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct hold_counts counts;
	struct error err = {0};
	if (store_hold_counts(admin->config.store, &counts, &err) != ERR_NONE) {
		finding(x, "held", false, str_copy(arena, str_of(err.text)));
		return;
	}
	const int64_t *of_state = counts.of[PLATFORM_NONE];
	finding(x, "held", of_state[HOLD_ASKING] + of_state[HOLD_HELD] == 0,
		str_format(
			arena,
			"since a backup was restored: %lld held for you to decide (posthorn hold "
			"show, release, fail), %lld still being resolved, %lld found published",
			(long long)of_state[HOLD_HELD], (long long)of_state[HOLD_ASKING],
			(long long)of_state[HOLD_ADOPTED]));
	const int64_t aside = of_state[HOLD_SET_ASIDE] + of_state[HOLD_POISONED];
	if (aside > 0)
		finding(x, "quarantine", true, /* settled: each failed with its reason */
			str_format(arena,
				   "%lld deliveries were quarantined as failed: each had stopped "
				   "the service three times",
				   (long long)aside));
}

/* Meant by somebody, so no fault; but posts that wait are looked for here. */
static void check_pauses(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct pause_row *pauses = NULL;
	size_t count = 0;
	struct error err = {0};
	if (store_pause_list(admin->config.store, arena, &pauses, &count, &err) != ERR_NONE) {
		finding(x, "paused", false, str_copy(arena, str_of(err.text)));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct pause_row *pause = &pauses[i];
		const char *platform = pause->platform != PLATFORM_NONE
					       ? platform_id_slug(pause->platform)
					       : "all platforms";
		finding(x, "paused", true,
			str_format(arena,
				   "%s, app " STR_FMT ", account " STR_FMT ": paused by " STR_FMT
				   " since " STR_FMT "; posts wait until posthorn resume",
				   platform,
				   STR_ARG(str_is_empty(pause->client_id) ? STR("any")
									  : pause->client_id),
				   STR_ARG(str_is_empty(pause->account_id) ? STR("any")
									   : pause->account_id),
				   STR_ARG(pause->actor),
				   STR_ARG(timetext_format_instant(arena, pause->paused_at_us))));
	}
}

static void check_alarms(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct alarm_row *alarms = NULL;
	size_t count = 0;
	struct error err = {0};
	if (store_alarm_list(admin->config.store, arena, &alarms, &count, &err) != ERR_NONE) {
		finding(x, "alarm", false, str_copy(arena, str_of(err.text)));
		return;
	}
	for (size_t i = 0; i < count; i++)
		finding(x, "alarm", false,
			str_format(arena,
				   STR_FMT ": " STR_FMT
					   " Raised %lld times since the start, last at " STR_FMT
					   ".",
				   STR_ARG(alarms[i].name), STR_ARG(alarms[i].message),
				   (long long)alarms[i].times,
				   STR_ARG(timetext_format_instant(arena, alarms[i].last_at_us))));
}

static void check_app(struct admin *admin, struct arena *arena, struct admin_findings *x,
		      const struct app_row *app)
{
	struct credential_row *credentials = NULL;
	size_t count = 0;
	struct error err = {0};
	if (str_is_empty(app->owner_email))
		finding(x, "app", false,
			str_format(arena,
				   "app " STR_FMT
				   " has no admin: token requests are answered admin_not_found and "
				   "its posts are held (posthorn app assign)",
				   STR_ARG(app->client_id)));
	if (store_credential_list(admin->config.store, arena, app->id, &credentials, &count,
				  &err) != ERR_NONE) {
		finding(x, "credential", false, str_copy(arena, str_of(err.text)));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (credentials[i].state == CREDENTIAL_FAILED)
			finding(x, "credential", false,
				str_format(arena,
					   "app " STR_FMT ": %s rejected the credentials: " STR_FMT,
					   STR_ARG(app->client_id),
					   platform_id_name(credentials[i].platform),
					   STR_ARG(credentials[i].message)));
	}
}

static void check_apps(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct app_row *apps = NULL;
	size_t count = 0;
	struct error err = {0};
	if (store_app_list(admin->config.store, arena, &apps, &count, &err) != ERR_NONE) {
		finding(x, "apps", false, str_copy(arena, str_of(err.text)));
		return;
	}
	finding(x, "apps", true, str_format(arena, "%zu app%s", count, count == 1 ? "" : "s"));
	for (size_t i = 0; i < count; i++)
		check_app(admin, arena, x, &apps[i]);
}

/* PostgreSQL is asked for its settings, which only matter where posts are real. */
static void check_integrity(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	const bool is_sandbox = str_equal_z(str_of(admin->config.mode), "sandbox");
	struct str problem = STR("");
	struct error err = {0};
	if (store_integrity_check(admin->config.store, arena, &problem, &err) != ERR_NONE)
		finding(x, "integrity", false, str_copy(arena, str_of(err.text)));
	else if (str_is_empty(problem))
		finding(x, "integrity", true,
			STR("the database is whole, and keeps what it confirms"));
	else if (store_is_shared(admin->config.store))
		admin_finding(
			x, "integrity", is_sandbox ? ADMIN_WARNING : ADMIN_ERROR,
			str_format(
				arena,
				"PostgreSQL may lose what it has confirmed, so that posts are lost "
				"or published twice: " STR_FMT ". Turn it on",
				STR_ARG(problem)));
	else
		finding(x, "integrity", false,
			str_format(arena,
				   "the database is damaged: " STR_FMT
				   ". Restore a backup (operations.md)",
				   STR_ARG(problem)));
}

/* From here on it is felt: a turn of the engine waits for eight of them at most. */
#define FAR_US (10 * US_PER_MS)

static void check_distance(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	int64_t us = 0;
	struct error err = {0};
	if (!store_is_shared(admin->config.store))
		return;
	if (store_round_trip(admin->config.store, &us, &err) != ERR_NONE) {
		finding(x, "distance", false, str_copy(arena, str_of(err.text)));
		return;
	}
	admin_finding(
		x, "distance", us < FAR_US ? ADMIN_FINE : ADMIN_WARNING,
		str_format(arena,
			   "a question to PostgreSQL and its answer take %.1f ms. A post is "
			   "accepted after two of them, and a turn of the engine waits for eight "
			   "at most%s",
			   (double)us / 1e3,
			   us < FAR_US ? ""
				       : ": run the nodes closer to the database, or posts go "
					 "out more slowly"));
}

static void check_accounts(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct platform_use use = {0};
	struct error err = {0};
	bool is_any = false;
	if (store_platform_use(admin->config.store, &use, &err) != ERR_NONE) {
		finding(x, "accounts", false, str_copy(arena, str_of(err.text)));
		return;
	}
	for (size_t id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (use.reauth_count[id] == 0)
			continue;
		is_any = true;
		admin_finding(x, "accounts", ADMIN_WARNING,
			      str_format(arena, "%s: %lld account%s must be connected again",
					 platform_id_name((enum platform_id)id),
					 (long long)use.reauth_count[id],
					 use.reauth_count[id] == 1 ? "" : "s"));
	}
	if (!is_any)
		admin_finding(x, "accounts", ADMIN_FINE, STR("no account must be connected again"));
}

static void check_webhooks(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	struct webhooks_failing failing = {0};
	struct error err = {0};
	if (store_webhooks_failing(admin->config.store, &failing, &err) != ERR_NONE) {
		finding(x, "webhooks", false, str_copy(arena, str_of(err.text)));
		return;
	}
	if (failing.disabled > 0)
		admin_finding(x, "webhooks", ADMIN_WARNING,
			      str_format(arena, "%lld were disabled after failing for days",
					 (long long)failing.disabled));
	if (failing.webhooks == 0) {
		admin_finding(x, "webhooks", ADMIN_FINE, STR("none is failing"));
		return;
	}
	const struct str since =
		failing.oldest_us == 0
			? STR("")
			: str_format(arena, ", the oldest since " STR_FMT,
				     STR_ARG(timetext_format_instant(arena, failing.oldest_us)));
	admin_finding(x, "webhooks", ADMIN_WARNING,
		      str_format(arena, "%lld failing; %lld calls wait" STR_FMT,
				 (long long)failing.webhooks, (long long)failing.waiting,
				 STR_ARG(since)));
}

static void check_service(struct admin *admin, struct arena *arena, struct admin_findings *x)
{
	if (admin->config.examine != NULL)
		admin->config.examine(admin->config.examine_context, arena, x);
}

void admin_schema(void *context, struct http_request *request, struct http_response *response)
{
	(void)request;
	struct admin *admin = context;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_int(&w, "schema_version", store_schema_version(admin->config.store));
	json_end_object(&w);
}

void admin_doctor(void *context, struct http_request *request, struct http_response *response)
{
	typedef void (*check)(struct admin * admin, struct arena * arena,
			      struct admin_findings * x);
	static const check checks[] = {check_store,    check_service,  check_integrity,
				       check_distance, check_nodes,    check_queue,
				       check_holds,    check_pauses,   check_alarms,
				       check_apps,     check_accounts, check_webhooks};
	struct admin_findings x = {.worst = ADMIN_FINE};
	json_writer_init(&x.w, http_response_json(response, 200));
	json_begin_object(&x.w);
	json_key(&x.w, "checks");
	json_begin_array(&x.w);
	for (size_t i = 0; i < COUNT_OF(checks); i++)
		checks[i](context, request->arena, &x);
	json_end_array(&x.w);
	json_member_bool(&x.w, "ok", x.worst == ADMIN_FINE);
	json_member_str(&x.w, "severity", str_of(severity_name(x.worst)));
	json_end_object(&x.w);
}

/* What can be made again from what is there. */
void admin_repair(void *context, struct http_request *request, struct http_response *response)
{
	(void)request;
	struct admin *admin = context;
	struct error err = {0};
	struct json_writer w;
	enum err_kind kind = store_counters_rebuild(admin->config.store, &err);
	if (kind == ERR_NONE)
		kind = store_words_rebuild(admin->config.store, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "database");
		return;
	}
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "repaired");
	json_begin_array(&w);
	json_put_str(&w, STR("counters"));
	json_put_str(&w, STR("words"));
	json_end_array(&w);
	json_end_object(&w);
}

/* ---- figures ---- */

void admin_metrics(void *context, struct http_request *request, struct http_response *response)
{
	const struct admin *admin = context;
	const struct admin_app_port *port = &admin->web.app_port;
	if (port->metrics != NULL)
		port->metrics(port->context, request, response);
	else
		admin_respond_error(response, 503, "UNAVAILABLE",
				    STR("The service does not run here, so there are no figures. "
					"Start it with posthorn serve."));
}
