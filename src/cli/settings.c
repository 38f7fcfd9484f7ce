/* SPDX-License-Identifier: Apache-2.0
 * See settings.h. */
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include <ini.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "url.h"

/* more than a line of the log has */
#define CHANGED_MAX_BYTES 4096

enum setting_type { SETTING_TYPE_TEXT, SETTING_TYPE_INT, SETTING_TYPE_LIST };

struct setting_row {
	const char *name;
	enum setting_type type;
	const char *fallback;
	int64_t min, max;
	const char *value;
	const char *help;
};

static const struct setting_row rows[SETTING_COUNT] = {
#define SETTING(field, name, type, fallback, min, max, value, help) \
	[SETTING_ID_##field] = {name, SETTING_TYPE_##type, fallback, min, max, value, help},
#include "settings.def"
#undef SETTING
};

static size_t row_find(struct str name)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (str_equal_z(name, rows[i].name))
			return i;
	}
	return SETTING_COUNT;
}

static enum err_kind set_number(struct setting *setting, const struct setting_row *row,
				struct error *err)
{
	if (str_parse_i64(str_of(setting->text), &setting->number) && setting->number >= row->min &&
	    setting->number <= row->max)
		return ERR_NONE;
	return error_set(err, ERR_INVALID,
			 "%s must be a whole number from %lld to %lld, not \"%s\"", row->name,
			 (long long)row->min, (long long)row->max, setting->text);
}

static enum err_kind list_add(struct settings *settings, struct setting *setting,
			      const struct setting_row *row, struct error *err)
{
	struct str rest = str_of(setting->text);
	struct str item;
	while (rest.ptr != NULL && str_take_field(&rest, ',', &item)) {
		item = str_trim(item);
		if (str_is_empty(item))
			continue;
		if (setting->list_count == SETTING_LIST_MAX)
			return error_set(err, ERR_INVALID, "%s has more than %d values", row->name,
					 SETTING_LIST_MAX);
		setting->list[setting->list_count++] = str_z(settings->arena, item);
	}
	return ERR_NONE;
}

static enum err_kind set(struct settings *settings, size_t index, const char *value,
			 enum setting_source source, struct error *err)
{
	struct setting *setting = &settings->values[index];
	if (setting->source > source)
		return ERR_NONE; /* a stronger source has set it */
	if (setting->source < source)
		setting->list_count = 0;
	setting->source = source;
	setting->text = str_z(settings->arena, str_of(value));
	switch (rows[index].type) {
	case SETTING_TYPE_TEXT:
		return ERR_NONE;
	case SETTING_TYPE_INT:
		return set_number(setting, &rows[index], err);
	case SETTING_TYPE_LIST:
		return list_add(settings, setting, &rows[index], err);
	}
	return ERR_NONE;
}

void settings_init(struct settings *settings, struct arena *arena)
{
	*settings = (struct settings){.arena = arena};
	for (size_t i = 0; i < SETTING_COUNT; i++)
		set(settings, i, rows[i].fallback, SETTING_FROM_DEFAULT, NULL);
}

bool settings_has(struct str name)
{
	return row_find(name) != SETTING_COUNT;
}

enum err_kind settings_set_flag(struct settings *settings, struct str name, const char *value,
				struct error *err)
{
	size_t index = row_find(name);
	if (index == SETTING_COUNT)
		return error_set(err, ERR_NOT_FOUND, "unknown setting --" STR_FMT, STR_ARG(name));
	enum err_kind kind = set(settings, index, value, SETTING_FROM_FLAG, err);
	return kind == ERR_NONE ? kind : error_add(err, "--" STR_FMT, STR_ARG(name));
}

/* ---- environment ---- */

static void variable_name(char *out, size_t size, const char *name)
{
	snprintf(out, size, "POSTHORN_%s", name);
	for (char *c = out; *c != '\0'; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static const char *variable_find(char *const *environment, const char *name)
{
	char variable[64];
	variable_name(variable, sizeof(variable), name);
	size_t length = strlen(variable);
	for (; environment != NULL && *environment != NULL; environment++) {
		if (strncmp(*environment, variable, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

static enum err_kind read_environment(struct settings *settings, char *const *environment,
				      struct error *err)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		const char *value = variable_find(environment, rows[i].name);
		if (value == NULL)
			continue;
		enum err_kind kind = set(settings, i, value, SETTING_FROM_ENVIRONMENT, err);
		if (kind != ERR_NONE)
			return error_add(err, "environment");
	}
	return ERR_NONE;
}

/* ---- file ---- */

struct file_reading {
	struct settings *settings;
	struct error *err;
	enum err_kind kind;
};

static int file_line(void *user, const char *section, const char *name, const char *value)
{
	struct file_reading *reading = user;
	size_t index = row_find(str_of(name));
	if (reading->kind != ERR_NONE)
		return 0; /* stops the parser */
	if (index == SETTING_COUNT || (section[0] != '\0' && strcmp(section, "posthorn") != 0))
		reading->kind =
			error_set(reading->err, ERR_INVALID, "unknown setting \"%s\"", name);
	else
		reading->kind =
			set(reading->settings, index, value, SETTING_FROM_FILE, reading->err);
	return reading->kind == ERR_NONE;
}

static enum err_kind read_file(struct settings *settings, const char *path, struct error *err)
{
	struct file_reading reading = {settings, err, ERR_NONE};
	int line = ini_parse(path, file_line, &reading);
	int native = errno;
	if (reading.kind != ERR_NONE)
		return error_add(err, "%s, line %d", path, line);
	if (line < 0)
		return error_set_native(err, ERR_INVALID, native, "%s cannot be read: %s", path,
					strerror(native));
	if (line > 0)
		return error_set(err, ERR_INVALID, "%s, line %d: not of the form name = value",
				 path, line);
	return ERR_NONE;
}

/* ---- together ---- */

static bool is_one_of(const char *value, const char *choices)
{
	struct str rest = str_of(choices);
	struct str choice;
	while (rest.ptr != NULL && str_take_field(&rest, '|', &choice)) {
		if (str_equal_z(choice, value))
			return true;
	}
	return false;
}

static void cut_slash(struct settings *settings, enum setting_id id)
{
	struct str text = str_of(settings->values[id].text);
	while (!str_is_empty(text) && text.ptr[text.len - 1] == '/')
		text.len--;
	settings->values[id].text = str_z(settings->arena, text);
}

static enum err_kind check_url(const struct settings *settings, enum setting_id id,
			       struct error *err)
{
	struct str text = str_of(settings_text(settings, id));
	struct url url;
	if (str_is_empty(text))
		return ERR_NONE;
	if (text.len > SETTINGS_URL_MAX_BYTES)
		return error_set(err, ERR_INVALID, "%s must not be longer than %d bytes",
				 rows[id].name, SETTINGS_URL_MAX_BYTES);
	if (url_parse(settings->arena, text, &url, NULL) != ERR_NONE ||
	    !str_is_empty(url.userinfo) || !str_is_empty(url.query) || url.has_fragment)
		return error_set(err, ERR_INVALID,
				 "%s must be an http or https URL without user, query and fragment",
				 rows[id].name);
	return ERR_NONE;
}

/* It may have a password, so its text is in no error. */
static enum err_kind check_proxy(const struct settings *settings, struct error *err)
{
	const struct str text = str_of(settings_text(settings, SETTING_ID_egress_proxy));
	struct url url;
	if (str_is_empty(text))
		return ERR_NONE;
	if (text.len <= SETTINGS_URL_MAX_BYTES &&
	    url_parse(settings->arena, text, &url, NULL) == ERR_NONE && str_is_empty(url.query) &&
	    !url.has_fragment && (str_is_empty(url.path) || str_equal(url.path, STR("/"))))
		return ERR_NONE;
	return error_set(err, ERR_INVALID,
			 "egress-proxy must be http://HOST:PORT or https://HOST:PORT, with "
			 "USER:PASSWORD@ before the host where the proxy asks for it");
}

/* An IPv6 host is in brackets. Whether the host is one of this machine shows when listening. */
static bool is_host(struct str host)
{
	if (str_skip(&host, STR("[")))
		return str_has_suffix(host, STR("]"));
	return !str_is_empty(host) && str_find_char(host, ':', 0) == SIZE_MAX;
}

static enum err_kind check_listen(const struct settings *settings, enum setting_id id,
				  struct error *err)
{
	const struct str text = str_of(settings_text(settings, id));
	uint64_t port;
	size_t colon = SIZE_MAX;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == ':')
			colon = i;
	}
	if (colon == SIZE_MAX || !str_parse_u64(str_slice(text, colon + 1, text.len), &port) ||
	    !is_host(str_slice(text, 0, colon)))
		return error_set(err, ERR_INVALID, "%s must be HOST:PORT, not \"%.150s\"",
				 rows[id].name, text.ptr);
	if (port > UINT16_MAX)
		return error_set(err, ERR_INVALID,
				 "%s \"%.150s\": the port is out of range (1-65535, 0 = any "
				 "free port)",
				 rows[id].name, text.ptr);
	return ERR_NONE;
}

static bool is_database_url(const char *text)
{
	static const char *const schemes[] = {"sqlite:", "postgres://", "postgresql://"};
	for (size_t i = 0; i < COUNT_OF(schemes); i++) {
		if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
			return true;
	}
	return false;
}

/* The listeners beside the first are not there unless they are given. */
static enum err_kind check_listens(const struct settings *settings, struct error *err)
{
	static const enum setting_id ids[] = {SETTING_ID_listen, SETTING_ID_metrics_listen,
					      SETTING_ID_dashboard_listen,
					      SETTING_ID_sandbox_listen};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(ids) && kind == ERR_NONE; i++) {
		if (ids[i] == SETTING_ID_listen || settings_text(settings, ids[i])[0] != '\0')
			kind = check_listen(settings, ids[i], err);
	}
	return kind;
}

/* The settings that know a few words only. */
static enum err_kind check_words(const struct settings *settings, struct error *err)
{
	static const struct {
		enum setting_id id;
		const char *words;
		const char *refusal;
	} choices[] = {
		{SETTING_ID_log_format, "text|json", "log-format must be text or json"},
		{SETTING_ID_log_level, "debug|info|warn|error",
		 "log-level must be debug, info, warn or error"},
		{SETTING_ID_proxy_header, "x-forwarded-for|forwarded",
		 "proxy-header must be x-forwarded-for or forwarded"},
		{SETTING_ID_test_apps, "on|off", "test-apps must be on or off"},
		{SETTING_ID_fit_video, "off|remux|transcode",
		 "fit-video must be off, remux or transcode"},
		{SETTING_ID_second_factor, "optional|required",
		 "second-factor must be optional or required"},
	};
	for (size_t i = 0; i < COUNT_OF(choices); i++) {
		if (!is_one_of(settings_text(settings, choices[i].id), choices[i].words))
			return error_set(err, ERR_INVALID, "%s", choices[i].refusal);
	}
	return ERR_NONE;
}

static enum err_kind check(struct settings *settings, struct error *err)
{
	enum err_kind kind = check_listens(settings, err);
	if (kind == ERR_NONE)
		kind = check_words(settings, err);
	if (kind != ERR_NONE)
		return kind;
	const char *mode = settings_text(settings, SETTING_ID_mode);
	const bool is_sandbox = settings_text(settings, SETTING_ID_sandbox)[0] != '\0';
	if (!is_one_of(mode, "live|sandbox") && mode[0] != '\0')
		return error_set(err, ERR_INVALID, "mode must be live or sandbox");
	if (mode[0] != '\0' && is_sandbox != (strcmp(mode, "sandbox") == 0))
		return error_set(err, ERR_INVALID,
				 is_sandbox ? "mode is live, but --sandbox is given: leave one out"
					    : "mode sandbox needs --sandbox URL");
	if (settings_number(settings, SETTING_ID_time_scale) != 1 && !settings->is_of_test_app &&
	    settings_text(settings, SETTING_ID_sandbox)[0] == '\0')
		return error_set(
			err, ERR_INVALID,
			"time-scale needs sandbox mode: give --sandbox too (a test app has one "
			"of its own: app create --test --time-scale N)");
	const char *database = settings_text(settings, SETTING_ID_database);
	if (database[0] != '\0' && !is_database_url(database))
		return error_set(err, ERR_INVALID,
				 /* without the value: it may hold a password */
				 "database must be sqlite:PATH or "
				 "postgres://USER@HOST:PORT/NAME; the form "
				 "\"host=... dbname=...\" is not understood");
	cut_slash(settings, SETTING_ID_public_url);
	cut_slash(settings, SETTING_ID_media_url);
	cut_slash(settings, SETTING_ID_node_url);
	cut_slash(settings, SETTING_ID_sandbox);
	kind = check_url(settings, SETTING_ID_public_url, err);
	if (kind == ERR_NONE)
		kind = check_url(settings, SETTING_ID_media_url, err);
	if (kind == ERR_NONE)
		kind = check_proxy(settings, err);
	if (kind == ERR_NONE)
		kind = check_url(settings, SETTING_ID_node_url, err);
	return kind != ERR_NONE ? kind : check_url(settings, SETTING_ID_sandbox, err);
}

enum err_kind settings_finish(struct settings *settings, char *const *environment,
			      struct error *err)
{
	enum err_kind kind = read_environment(settings, environment, err);
	const char *path = settings_text(settings, SETTING_ID_config);
	if (kind == ERR_NONE && path[0] != '\0')
		kind = read_file(settings, path, err);
	return kind == ERR_NONE ? check(settings, err) : kind;
}

enum err_kind settings_read_again(const struct settings *settings, struct arena *arena,
				  char *const *environment, struct settings *out, struct error *err)
{
	settings_init(out, arena);
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (settings->values[i].source == SETTING_FROM_FLAG)
			out->values[i] = settings->values[i];
	}
	return settings_finish(out, environment, err);
}

const char *settings_name(enum setting_id id)
{
	return rows[id].name;
}

/* May its value hold a password? */
static bool is_secret(const struct settings *settings, enum setting_id id)
{
	const struct str text = str_of(settings_text(settings, id));
	return (id == SETTING_ID_database && !str_has_prefix(text, STR("sqlite:"))) ||
	       (id == SETTING_ID_egress_proxy && str_find_char(text, '@', 0) != SIZE_MAX);
}

static void add_value(struct buf *out, const struct settings *settings, enum setting_id id)
{
	const struct setting *setting = &settings->values[id];
	const bool is_list = rows[id].type == SETTING_TYPE_LIST;
	if (is_secret(settings, id) || !is_list)
		buf_add_z(out, is_secret(settings, id) ? "***" : setting->text);
	for (size_t i = 0; is_list && i < setting->list_count; i++)
		buf_addf(out, "%s%s", i > 0 ? "," : "", setting->list[i]);
}

struct str settings_changed(const struct settings *settings, struct arena *arena)
{
	struct buf out;
	buf_init(&out, arena, CHANGED_MAX_BYTES);
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		const enum setting_id id = (enum setting_id)i;
		const struct setting *setting = &settings->values[id];
		if (setting->source == SETTING_FROM_DEFAULT ||
		    strcmp(setting->text, rows[id].fallback) == 0)
			continue;
		buf_addf(&out, "%s%s=", out.len > 0 ? " " : "", rows[id].name);
		add_value(&out, settings, id);
	}
	return buf_str(&out);
}

bool settings_equal(const struct settings *one, const struct settings *other, enum setting_id id)
{
	const struct setting *a = &one->values[id];
	const struct setting *b = &other->values[id];
	bool is_equal = a->list_count == b->list_count;
	if (rows[id].type != SETTING_TYPE_LIST)
		return strcmp(a->text, b->text) == 0;
	for (size_t i = 0; i < a->list_count && is_equal; i++)
		is_equal = strcmp(a->list[i], b->list[i]) == 0;
	return is_equal;
}

void settings_print_help(FILE *out)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		char flag[64];
		snprintf(flag, sizeof(flag), "--%s %s", rows[i].name, rows[i].value);
		fprintf(out, "  %-30s %s%s%s%s\n", flag, rows[i].help,
			rows[i].fallback[0] != '\0' ? " (default " : "", rows[i].fallback,
			rows[i].fallback[0] != '\0' ? ")" : "");
	}
}
