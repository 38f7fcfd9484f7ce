/* SPDX-License-Identifier: Apache-2.0
 * See reload.h. */
#include "reload.h"

#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "log.h"

#include "store_quota.h"

#include "api.h"

#include "service_private.h"
#include "settings.h"

#define RELOAD_ARENA_MAX_BYTES ((size_t)4 << 20)

static void apply_log_level(struct service *service, const struct settings *settings)
{
	service->log.level = service_make_log(settings).level;
}

static void apply_limits(struct service *service, const struct settings *settings)
{
	api_set_limits(service->api, settings_number(settings, SETTING_ID_rate_limit),
		       settings_number(settings, SETTING_ID_token_failure_limit));
}

static void apply_quotas(struct service *service, const struct settings *settings)
{
	const struct quota_limits limits = service_quotas(settings);
	store_quota_set_limits(service->store, &limits);
}

/* Settings that one function puts into force. */
static const struct {
	enum setting_id id;
	void (*apply)(struct service *service, const struct settings *settings);
} rows[] = {
	{SETTING_ID_log_level, apply_log_level},
	{SETTING_ID_rate_limit, apply_limits},
	{SETTING_ID_token_failure_limit, apply_limits},
#define QUOTA(name, word, flag, counted, advice) {SETTING_ID_quota_##word, apply_quotas},
#include "app_quotas.def"
#undef QUOTA
};

static bool is_live(enum setting_id id)
{
	bool is_found = false;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		is_found = is_found || rows[i].id == id;
	return is_found;
}

static void name_others(struct service *service, const struct settings *started_with,
			const struct settings *now)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		const enum setting_id id = (enum setting_id)i;
		/* A socket that was handed over says where it listens itself. */
		if (is_live(id) || settings_equal(started_with, now, id) ||
		    started_with->values[id].listen_fd != 0)
			continue;
		LOG(&service->log, WARN, "setting_needs_restart",
		    log_str("setting", str_of(settings_name(id))));
	}
}

void reload_settings(struct service *service, const struct settings *started_with)
{
	struct arena *arena = arena_new("settings again", RELOAD_ARENA_MAX_BYTES);
	struct settings *now = ARENA_NEW(arena, struct settings);
	struct error err = {0};
	const enum err_kind kind = settings_read_again(started_with, arena, environ, now, &err);
	for (size_t i = 0; i < COUNT_OF(rows) && kind == ERR_NONE; i++)
		rows[i].apply(service, now);
	if (kind == ERR_NONE) {
		name_others(service, started_with, now);
		LOG(&service->log, INFO, "settings_read_again",
		    log_str("log_level", str_of(settings_text(now, SETTING_ID_log_level))));
	} else {
		LOG(&service->log, ERROR, "settings_not_read_again",
		    log_str("error", str_of(err.text)),
		    log_str("meaning", STR("every setting stays as it was")));
	}
	arena_free(&arena);
}
