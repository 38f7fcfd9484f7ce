/* SPDX-License-Identifier: Apache-2.0
 * Admin API: the overview. How many posts were published or failed in the last hours, why, and how
 * late; how much of the platforms' quotas is used; problems that only the operator can fix. Figures
 * for monitoring are api/metrics.c. */
#include "admin_private.h"

#include "count_of.h"

#include "failure.h"
#include "platform_id.h"

#include "store_alarm.h"
#include "store_dashboard.h"
#include "store_guard.h"
#include "store_tally.h"

#include "due.h"

#define HOURS_DEFAULT 24
#define HOURS_MAX 168
#define DAYS_SHOWN 30 /* today and those before it */
#define USAGE_WINDOW_US US_PER_DAY
#define USAGE_LATELY_US (900 * US_PER_S)
#define USAGE_ACCOUNTS_MAX 200 /* with posts in the window, of one app */

/* ---- the overview ---- */

/* Of an hour, or of all. */
struct lateness {
	int64_t count;
	struct {
		int64_t count;
		int64_t most_us;
	} bins[TALLY_BINS];
};

struct failure_count {
	int64_t count;
	int64_t of_platform[PLATFORM_ID_MAX + 1];
};

struct overview {
	int64_t hours;
	int64_t first_hour; /* since 1970 */
	int64_t posts[4];
	int64_t published[HOURS_MAX + 1];
	int64_t failed[HOURS_MAX + 1];
	int64_t published_on[PLATFORM_ID_MAX + 1][HOURS_MAX + 1];
	int64_t failed_on[PLATFORM_ID_MAX + 1][HOURS_MAX + 1];
	int64_t first_day; /* since 1970 */
	int64_t days[DAYS_SHOWN][4];
	struct failure_count failures[FAILURE_CODE_COUNT];
	struct lateness late; /* of all hours */
	struct lateness late_in[HOURS_MAX + 1];
};

static const char *const statuses[] = {"pending", "scheduled", "published", "failed"};

static void take_failed(struct overview *o, const struct tally *tally, int64_t hour)
{
	struct failure_count *count = &o->failures[failure_code_of_name(tally->code)];
	o->failed[hour] += tally->count;
	o->failed_on[tally->part][hour] += tally->count;
	count->count += tally->count;
	count->of_platform[tally->part] += tally->count;
}

static void take_published(struct overview *o, const struct tally *tally, int64_t hour)
{
	o->published[hour] += tally->count;
	o->published_on[tally->part][hour] += tally->count;
}

static void add_lateness(struct lateness *late, const struct tally *tally)
{
	late->count += tally->count;
	late->bins[tally->part].count += tally->count;
	if (tally->most_us > late->bins[tally->part].most_us)
		late->bins[tally->part].most_us = tally->most_us;
}

static void take_lateness(struct overview *o, const struct tally *tally, int64_t hour)
{
	add_lateness(&o->late, tally);
	add_lateness(&o->late_in[hour], tally);
}

static void take_tally(struct overview *o, const struct tally *tally)
{
	static const struct {
		void (*take)(struct overview *o, const struct tally *tally, int64_t hour);
		int64_t part_max;
	} takers[TALLY_KIND_COUNT] = {
		[TALLY_PUBLISHED] = {take_published, PLATFORM_ID_MAX},
		[TALLY_FAILED] = {take_failed, PLATFORM_ID_MAX},
		[TALLY_LATENESS] = {take_lateness, TALLY_BINS - 1},
	};
	const int64_t hour = tally->hour - o->first_hour;
	if (hour >= 0 && hour <= o->hours && tally->kind < TALLY_KIND_COUNT && tally->part >= 0 &&
	    tally->part <= takers[tally->kind].part_max)
		takers[tally->kind].take(o, tally, hour);
}

static enum err_kind count_deliveries(struct admin *admin, struct arena *arena,
				      const struct app_row *app, struct overview *o,
				      struct error *err)
{
	struct tally *tallies = NULL;
	size_t count = 0;
	const enum err_kind kind = store_tally_list(admin->config.store, arena, app->id,
						    o->first_hour, &tallies, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		take_tally(o, &tallies[i]);
	return kind;
}

static void take_day(struct overview *o, const struct dashboard_day *row)
{
	const int64_t day = row->day - o->first_day;
	for (size_t s = 0; s < 4; s++) {
		const int64_t count = str_equal_z(row->status, statuses[s]) ? row->count : 0;
		o->posts[s] += count;
		if (day >= 0 && day < DAYS_SHOWN)
			o->days[day][s] += count;
	}
}

/* From the counters, which are exact however much there is. */
static enum err_kind count_posts(struct admin *admin, struct arena *arena,
				 const struct app_row *app, struct overview *o, struct error *err)
{
	struct dashboard_day *days = NULL;
	size_t count = 0;
	const enum err_kind kind = store_dashboard_days(admin->config.store, arena, app->id, 0,
							INT64_MAX, &days, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		take_day(o, &days[i]);
	return kind;
}

/* The percentile by nearest rank: the smallest value that percent of all values do not exceed, or
 * the highest that shares its bin. */
static int64_t percentile_ms(const struct lateness *late, int64_t percent)
{
	const int64_t rank = (late->count * percent + 99) / 100;
	int64_t counted = 0;
	int64_t us = 0;
	for (size_t bin = 0; bin < TALLY_BINS && counted < rank; bin++) {
		counted += late->bins[bin].count;
		us = late->bins[bin].count > 0 ? late->bins[bin].most_us : us;
	}
	return us / US_PER_MS;
}

static void write_percentiles(struct json_writer *w, const struct lateness *late)
{
	static const struct {
		const char *name;
		int64_t percent;
	} rows[] = {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"max", 100}};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (late->count > 0)
			json_member_int(w, rows[i].name, percentile_ms(late, rows[i].percent));
		else
			json_member_null(w, rows[i].name);
	}
	json_member_int(w, "count", late->count);
}

static void write_hour(struct json_writer *w, const struct overview *o, int64_t hour)
{
	json_member_instant(w, "hour", (o->first_hour + hour) * US_PER_HOUR);
}

static void write_hours(struct json_writer *w, const struct overview *o)
{
	json_key(w, "per_hour");
	json_begin_array(w);
	for (int64_t hour = 0; hour <= o->hours; hour++) {
		json_begin_object(w);
		write_hour(w, o, hour);
		json_member_int(w, "published", o->published[hour]);
		json_member_int(w, "failed", o->failed[hour]);
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_counts(struct json_writer *w, const char *name, const int64_t *counts,
			 int64_t hours)
{
	json_key(w, name);
	json_begin_array(w);
	for (int64_t hour = 0; hour <= hours; hour++)
		json_put_int(w, counts[hour]);
	json_end_array(w);
}

static bool is_seen(const struct overview *o, int platform)
{
	for (int64_t hour = 0; hour <= o->hours; hour++) {
		if (o->published_on[platform][hour] > 0 || o->failed_on[platform][hour] > 0)
			return true;
	}
	return false;
}

static void write_platforms(struct json_writer *w, const struct overview *o)
{
	json_key(w, "per_platform");
	json_begin_array(w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (!is_seen(o, id))
			continue;
		json_begin_object(w);
		json_member_str(w, "platform", str_of(platform_id_slug((enum platform_id)id)));
		write_counts(w, "published", o->published_on[id], o->hours);
		write_counts(w, "failed", o->failed_on[id], o->hours);
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_days(struct json_writer *w, const struct overview *o)
{
	json_key(w, "per_day");
	json_begin_array(w);
	for (int64_t day = 0; day < DAYS_SHOWN; day++) {
		json_begin_object(w);
		json_member_instant(w, "day", (o->first_day + day) * US_PER_DAY);
		for (size_t s = 0; s < 4; s++)
			json_member_int(w, statuses[s], o->days[day][s]);
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_failure(struct json_writer *w, enum failure_code code,
			  const struct failure_count *count)
{
	json_begin_object(w);
	json_member_str(w, "code", str_of(failure_code_name(code)));
	json_member_int(w, "count", count->count);
	json_member_str(w, "sentence", str_of(failure_code_sentence(code)));
	json_key(w, "platforms");
	json_begin_object(w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (count->of_platform[id] > 0)
			json_member_int(w, platform_id_slug((enum platform_id)id),
					count->of_platform[id]);
	}
	json_end_object(w);
	json_end_object(w);
}

/* The most frequent first. */
static void write_failures(struct json_writer *w, const struct overview *o)
{
	bool is_written[FAILURE_CODE_COUNT] = {0};
	json_key(w, "failures");
	json_begin_array(w);
	while (true) {
		size_t best = FAILURE_CODE_NONE;
		for (size_t code = 1; code < FAILURE_CODE_COUNT; code++) {
			if (!is_written[code] && o->failures[code].count > 0 &&
			    (best == FAILURE_CODE_NONE ||
			     o->failures[code].count > o->failures[best].count))
				best = code;
		}
		if (best == FAILURE_CODE_NONE)
			break;
		is_written[best] = true;
		write_failure(w, (enum failure_code)best, &o->failures[best]);
	}
	json_end_array(w);
}

static void write_lateness(struct json_writer *w, const struct overview *o)
{
	json_key(w, "lateness_ms");
	json_begin_object(w);
	write_percentiles(w, &o->late);
	json_end_object(w);
	json_key(w, "lateness_per_hour");
	json_begin_array(w);
	for (int64_t hour = 0; hour <= o->hours; hour++) {
		json_begin_object(w);
		write_hour(w, o, hour);
		write_percentiles(w, &o->late_in[hour]);
		json_end_object(w);
	}
	json_end_array(w);
}

static void respond_overview(struct http_response *response, const struct overview *o)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_int(&w, "hours", o->hours);
	json_member_instant(&w, "since", o->first_hour * US_PER_HOUR);
	json_member_bool(&w, "is_partial", false);
	json_key(&w, "posts");
	json_begin_object(&w);
	for (size_t s = 0; s < 4; s++)
		json_member_int(&w, statuses[s], o->posts[s]);
	json_end_object(&w);
	write_hours(&w, o);
	write_platforms(&w, o);
	write_days(&w, o);
	write_failures(&w, o);
	write_lateness(&w, o);
	json_end_object(&w);
}

void admin_overview(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct overview *o = ARENA_NEW(request->arena, struct overview);
	struct admin_apps apps = {0};
	struct error err = {0};
	enum err_kind kind = ERR_NONE;
	if (!admin_request_query_apps(admin, request, response, &apps) ||
	    !admin_request_query_number(request, response, "hours", HOURS_DEFAULT, HOURS_MAX,
					&o->hours))
		return;
	o->first_hour = clock_now_us(admin->config.clock) / US_PER_HOUR - o->hours;
	o->first_day = clock_now_us(admin->config.clock) / US_PER_DAY - DAYS_SHOWN + 1;
	for (size_t i = 0; i < apps.count && kind == ERR_NONE; i++) {
		kind = count_posts(admin, request->arena, &apps.rows[i], o, &err);
		if (kind == ERR_NONE)
			kind = count_deliveries(admin, request->arena, &apps.rows[i], o, &err);
	}
	if (kind == ERR_NONE)
		respond_overview(response, o);
	else
		admin_respond_failure(response, kind, &err, "overview");
}

/* ---- usage ---- */

enum quota_scope { SCOPE_ACCOUNT, SCOPE_APP };

static const struct platform_quota {
	enum platform_id platform;
	const char *what;
	enum quota_scope scope;
	int64_t window_s;
	int64_t limit; /* 0 = the platform names none */
	const char *note;
} quotas[] = {
#define QUOTA(platform, what, scope, window, limit, note) \
	{PLATFORM_##platform, what, SCOPE_##scope, window, limit, note},
#include "quotas.def"
#undef QUOTA
};

#define QUOTA_COUNT COUNT_OF(quotas)

struct usage {
	int64_t published[PLATFORM_ID_MAX + 1];
	int64_t published_count; /* on all platforms */
	int64_t failed[PLATFORM_ID_MAX + 1];
	int64_t used[QUOTA_COUNT]; /* of the app */
	const struct dashboard_use *accounts;
	size_t account_count;
};

/* Of the two windows that quotas.def has. */
static int64_t used_within(const struct dashboard_use *account, int64_t window_s)
{
	return window_s * US_PER_S < USAGE_WINDOW_US ? account->published_lately
						     : account->published;
}

static void take_use(struct usage *u, const struct dashboard_use *account)
{
	u->published[account->platform] += account->published;
	u->published_count += account->published;
	for (size_t q = 0; q < QUOTA_COUNT; q++) {
		if (quotas[q].platform == account->platform)
			u->used[q] += used_within(account, quotas[q].window_s);
	}
}

/* account NULL: of the app. */
static void write_limit(struct json_writer *w, size_t q, int64_t used,
			const struct dashboard_use *account)
{
	const struct platform_quota *quota = &quotas[q];
	const int64_t left = quota->limit - used;
	json_begin_object(w);
	json_member_str(w, "what", str_of(quota->what));
	json_member_str(w, "scope", quota->scope == SCOPE_APP ? STR("app") : STR("account"));
	json_member_int(w, "window_s", quota->window_s);
	json_member_int(w, "limit", quota->limit);
	json_member_int(w, "used", used);
	json_member_int(w, "left", left > 0 ? left : 0);
	json_member_str_or_null(w, "account_id", account != NULL ? account->account_id : STR(""));
	json_member_str_or_null(w, "handle", account != NULL ? account->handle : STR(""));
	json_member_str(w, "note", str_of(quota->note));
	json_end_object(w);
}

static void write_limits(struct json_writer *w, const struct usage *u, enum platform_id platform)
{
	json_key(w, "limits");
	json_begin_array(w);
	for (size_t q = 0; q < QUOTA_COUNT; q++) {
		if (quotas[q].platform != platform)
			continue;
		if (quotas[q].scope == SCOPE_APP)
			write_limit(w, q, u->used[q], NULL);
		for (size_t i = 0; quotas[q].scope == SCOPE_ACCOUNT && i < u->account_count; i++) {
			const struct dashboard_use *account = &u->accounts[i];
			if (account->platform == platform && account->published > 0)
				write_limit(w, q, used_within(account, quotas[q].window_s),
					    account);
		}
	}
	json_end_array(w);
}

static void write_usage(struct json_writer *w, const struct app_row *app, const struct usage *u)
{
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		json_begin_object(w);
		json_member_str(w, "client_id", app->client_id);
		json_member_str(w, "app_name", app->name);
		json_member_str(w, "platform", str_of(platform_id_slug((enum platform_id)id)));
		json_member_str(w, "name", str_of(platform_id_name((enum platform_id)id)));
		json_member_int(w, "published_24h", u->published[id]);
		json_member_int(w, "failed_24h", u->failed[id]);
		write_limits(w, u, (enum platform_id)id);
		json_end_object(w);
	}
}

static enum err_kind count_uses(struct admin *admin, struct arena *arena, const struct app_row *app,
				struct usage *u, struct error *err)
{
	const int64_t now_us = clock_now_us(admin->config.clock);
	const struct dashboard_use_question question = {app->id, now_us - USAGE_WINDOW_US,
							now_us - USAGE_LATELY_US};
	struct dashboard_use *uses = NULL;
	size_t count = 0;
	const enum err_kind kind =
		store_dashboard_uses(admin->config.store, arena, &question, &uses, &count, err);
	if (kind != ERR_NONE)
		return kind;
	u->accounts = uses;
	u->account_count = count < USAGE_ACCOUNTS_MAX ? count : USAGE_ACCOUNTS_MAX;
	for (size_t i = 0; i < count; i++)
		take_use(u, &uses[i]);
	return ERR_NONE;
}

/* By whole hours. */
static enum err_kind count_failed(struct admin *admin, struct arena *arena,
				  const struct app_row *app, struct usage *u, struct error *err)
{
	const int64_t since_us = clock_now_us(admin->config.clock) - USAGE_WINDOW_US;
	struct tally *tallies = NULL;
	size_t count = 0;
	const enum err_kind kind = store_tally_list(admin->config.store, arena, app->id,
						    since_us / US_PER_HOUR, &tallies, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++) {
		if (tallies[i].kind == TALLY_FAILED && tallies[i].part >= 0 &&
		    tallies[i].part <= PLATFORM_ID_MAX)
			u->failed[tallies[i].part] += tallies[i].count;
	}
	return kind;
}

static enum err_kind write_usage_of(struct admin *admin, struct arena *arena, struct json_writer *w,
				    const struct app_row *app, bool *is_partial, struct error *err)
{
	struct usage *u = ARENA_NEW(arena, struct usage);
	enum err_kind kind = count_uses(admin, arena, app, u, err);
	if (kind == ERR_NONE)
		kind = count_failed(admin, arena, app, u, err);
	if (kind != ERR_NONE)
		return kind;
	write_usage(w, app, u);
	*is_partial = *is_partial || u->published_count >= DASHBOARD_PUBLISHED_MAX;
	return ERR_NONE;
}

void admin_usage(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct admin_apps apps = {0};
	struct error err = {0};
	enum err_kind kind = ERR_NONE;
	bool is_partial = false;
	if (!admin_request_query_apps(admin, request, response, &apps))
		return;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; i < apps.count && kind == ERR_NONE; i++)
		kind = write_usage_of(admin, request->arena, &w, &apps.rows[i], &is_partial, &err);
	json_end_array(&w);
	json_member_bool(&w, "is_partial", is_partial);
	json_end_object(&w);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "usage");
}

/* ---- alarms ---- */

static void write_alarms(struct json_writer *w, const struct alarm_row *rows, size_t count)
{
	json_key(w, "data");
	json_begin_array(w);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(w);
		json_member_str(w, "name", rows[i].name);
		json_member_str(w, "message", rows[i].message);
		json_member_instant(w, "first_at", rows[i].first_at_us);
		json_member_instant(w, "last_at", rows[i].last_at_us);
		json_member_int(w, "times", rows[i].times);
		json_end_object(w);
	}
	json_end_array(w);
}

#define LATE_US (60 * US_PER_S) /* design.md 5 */

static void write_held(struct json_writer *w, const struct hold_counts *counts)
{
	const int64_t *of_state = counts->of[PLATFORM_NONE];
	json_key(w, "held");
	json_begin_object(w);
	json_member_int(w, "asking", of_state[HOLD_ASKING]);
	json_member_int(w, "held", of_state[HOLD_HELD]);
	json_member_int(w, "adopted", of_state[HOLD_ADOPTED]);
	json_end_object(w);
}

static void write_waiting_for(struct json_writer *w, const struct due_backlog *due,
			      enum platform_id platform, enum gate_reason reason, int64_t now_us)
{
	int64_t account_count = 0;
	int64_t oldest_us = now_us;
	for (size_t i = 0; i < due->at_gate_count; i++) {
		const struct due_at_gate *wait = &due->at_gates[i];
		if (wait->platform != platform || wait->closing.reason != reason)
			continue;
		account_count += wait->account_count;
		if (wait->oldest_us < oldest_us)
			oldest_us = wait->oldest_us;
	}
	if (account_count == 0 || now_us - oldest_us <= LATE_US)
		return;
	json_begin_object(w);
	json_member_str(w, "platform", str_of(platform_id_slug(platform)));
	json_member_str(w, "reason", str_of(gate_reason_name(reason)));
	json_member_str(w, "message", str_of(gate_reason_sentence(reason)));
	json_member_int(w, "accounts", account_count);
	json_member_instant(w, "since", oldest_us);
	json_end_object(w);
}

/* What waits at a platform's gate for longer than a minute: of all apps together. */
static void write_waiting(struct json_writer *w, const struct due_backlog *due, int64_t now_us)
{
	json_key(w, "waiting");
	json_begin_array(w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		for (int reason = GATE_PLATFORM_DOWN; reason < GATE_REASON_COUNT; reason++)
			write_waiting_for(w, due, (enum platform_id)id, (enum gate_reason)reason,
					  now_us);
	}
	json_end_array(w);
}

void admin_alarm_list(void *context, struct http_request *request, struct http_response *response)
{
	struct admin *admin = context;
	struct alarm_row *rows = NULL;
	size_t count = 0;
	struct hold_counts held = {0};
	struct due_backlog due = {0};
	struct error err = {0};
	char reason[256] = "";
	const int64_t now_us = clock_now_us(admin->config.clock);
	enum err_kind kind =
		store_alarm_list(admin->config.store, request->arena, &rows, &count, &err);
	if (kind == ERR_NONE)
		kind = store_hold_counts(admin->config.store, &held, &err);
	if (kind == ERR_NONE)
		kind = due_list(admin->config.store, admin->web.deliverer, request->arena, now_us,
				&due, &err);
	if (kind != ERR_NONE) {
		admin_respond_failure(response, kind, &err, "alarm");
		return;
	}
	const bool is_ready =
		admin->web.is_ready == NULL ||
		admin->web.is_ready(admin->web.is_ready_context, reason, sizeof(reason));
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	write_alarms(&w, rows, count);
	write_held(&w, &held);
	write_waiting(&w, &due, now_us);
	json_member_bool(&w, "ready", is_ready);
	json_member_str_or_null(&w, "reason", str_of(reason));
	json_end_object(&w);
}
