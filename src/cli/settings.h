/* SPDX-License-Identifier: Apache-2.0
 * Settings from flags, environment and file, by one table (settings.def). A bad value or an unknown
 * setting is an error of one line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "str.h"

struct arena;
struct spawner;

#define SETTING_LIST_MAX 64
/* of public-url, media-url and sandbox */
#define SETTINGS_URL_MAX_BYTES 400

enum setting_id {
#define SETTING(field, name, type, fallback, min, max, value, help) SETTING_ID_##field,
#include "settings.def"
#undef SETTING
	SETTING_COUNT
};

enum setting_source {
	SETTING_FROM_DEFAULT,
	SETTING_FROM_FILE,
	SETTING_FROM_ENVIRONMENT,
	SETTING_FROM_FLAG
};

struct setting {
	const char *text;                   /* as given; the last of a list */
	int64_t number;                     /* of INT */
	const char *list[SETTING_LIST_MAX]; /* of LIST */
	size_t list_count;
	int listen_fd; /* of an address: a socket that was handed over (systemd.h); 0 = none */
	enum setting_source source;
};

struct settings {
	struct arena *arena;
	struct setting values[SETTING_COUNT];
	/* --change-mode, a flag of serve and worker: for one start, so in no file and no
	 * environment */
	bool changes_mode;
	/* app create --test: time-scale is that app's */
	bool is_of_test_app;
	/* containment_enter() was called already, with more than a service by itself would allow:
	 * the demo's */
	bool is_contained;
	/* Who runs what this process may not; NULL = it looks at media itself. The demo's and the
	 * service's. */
	struct spawner *spawner;
};

/* Sets the defaults. Then settings_set_flag() for every flag, then settings_finish(). Texts live in
 * arena. */
void settings_init(struct settings *settings, struct arena *arena);
/* Is there a setting of this name (without dashes)? */
bool settings_has(struct str name);
/* name: without dashes. NOT_FOUND: there is no such setting; INVALID: the value is not allowed. */
enum err_kind settings_set_flag(struct settings *settings, struct str name, const char *value,
				struct error *err);
/* After all flags: reads the environment and the file named by --config or POSTHORN_CONFIG, then
 * checks the values, also against each other. Flags win over the environment, the environment over
 * the file. INVALID: err names the setting and where it stands. */
enum err_kind settings_finish(struct settings *settings, char *const *environment,
			      struct error *err);

/* The same settings read once more into *out: the flags of settings, the environment, the file as
 * it is now. INVALID as settings_finish(). */
enum err_kind settings_read_again(const struct settings *settings, struct arena *arena,
				  char *const *environment, struct settings *out,
				  struct error *err);
/* "log-level" */
const char *settings_name(enum setting_id id);
/* What was set to another value than the default: "rate-limit=5 log-level=debug", without what is
 * secret. In arena. */
struct str settings_changed(const struct settings *settings, struct arena *arena);
/* Do both have the same value? */
bool settings_equal(const struct settings *one, const struct settings *other, enum setting_id id);

static inline const char *settings_text(const struct settings *settings, enum setting_id id)
{
	return settings->values[id].text;
}

static inline int64_t settings_number(const struct settings *settings, enum setting_id id)
{
	return settings->values[id].number;
}

/* For people: one line per setting. */
void settings_print_help(FILE *out);
