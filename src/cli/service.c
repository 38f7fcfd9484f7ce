/* SPDX-License-Identifier: Apache-2.0
 * See service.h. */
#include "service.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "random.h"

#include "url.h"

#include "seal.h"

#include "platform.h"

#include "store.h"
#include "store_delivery.h"

#include "guard.h"
#include "spool.h"
#include "transfer_curl.h"

#include "engine.h"

#include "connect.h"
#include "delivery.h"

#include "httpd.h"

#include "api.h"

#include "admin.h"

#include "crash_point.h"
#include "version.h"

#define SERVICE_ARENA_MAX_BYTES 65536
#define DRAIN_MS 20000           /* longer than a usual platform call */
#define HTTP_DRAIN_MS 10000
#define LATE_US (60 * US_PER_S)  /* DESIGN.md section 5: /readyz fails when the oldest due delivery is later than this */
#define STUCK_US (60 * US_PER_S) /* the engine polls every 5 s: a turn this old means that its thread hangs */
#define DISK_FREE_MIN_BYTES ((uint64_t)64 << 20)
#define ENGINE_STACK_BYTES ((size_t)1 << 20)

struct service {
	const struct settings *settings;
	struct log log;
	struct arena *arena; /* paths: as long as the service */
	const char *data;
	char public_url[512];
	char base_url[512];
	struct platform_settings platform_settings;
	struct seal *seal;
	struct store *store;
	struct guard *guard;
	struct spool *spool;
	struct transfer_curl *curl;
	struct engine *engine;
	struct connector *connector;
	struct deliverer *deliverer;
	struct api *api;
	struct admin *admin;
	struct httpd *httpd;
	struct httpd *control;
	struct crash_point crash_point;
	pthread_t engine_thread;
	bool has_engine_thread;
};

/* ---- small parts ---- */

struct log service_make_log(const struct settings *settings)
{
	static const char *const levels[] = {"debug", "info", "warn", "error"};
	struct log log = {.fd = STDERR_FILENO, .level = LOG_INFO, .clock = clock_system()};
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(settings_text(settings, SETTING_ID_log_level), levels[i]) == 0)
			log.level = (enum log_level)i;
	}
	log.format = strcmp(settings_text(settings, SETTING_ID_log_format), "json") == 0 ? LOG_FORMAT_JSON : LOG_FORMAT_TEXT;
	return log;
}

const char *service_control_path(const struct settings *settings)
{
	struct str path = str_format(settings->arena, "%s/control.sock", settings_text(settings, SETTING_ID_data));
	return str_z(settings->arena, path);
}

static const char *text_or_null(const struct settings *settings, enum setting_id id)
{
	const char *text = settings_text(settings, id);
	return text[0] != '\0' ? text : NULL;
}

static enum err_kind make_data_directory(struct service *service, struct error *err)
{
	const char *path = settings_text(service->settings, SETTING_ID_data);
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		int native = errno;
		return error_set_native(err, ERR_INVALID, native, "the data directory %s cannot be made: %s", path, strerror(native));
	}
	service->data = path;
	return ERR_NONE;
}

static const char *path_in_data(const struct service *service, const char *name)
{
	return str_z(service->arena, str_format(service->arena, "%s/%s", service->data, name));
}

/* ---- opening, in the order of the layers ---- */

static enum err_kind open_seal(struct service *service, struct error *err)
{
	const char *configured = text_or_null(service->settings, SETTING_ID_master_key_file);
	return seal_open_keyfile(configured != NULL ? configured : path_in_data(service, "master.key"), random_system(), &service->seal,
				 err);
}

static enum err_kind open_store(struct service *service, struct error *err)
{
	const char *configured = text_or_null(service->settings, SETTING_ID_database);
	struct str own = str_format(service->arena, "sqlite:%s/posthorn.db", service->data);
	const char *url = configured != NULL ? configured : str_z(service->arena, own);
	const struct store_config config = {.url = url, .clock = clock_system(), .log = &service->log, .is_owner = true};
	return store_open(&config, &service->store, err);
}

static enum err_kind open_guard(struct service *service, struct error *err)
{
	const struct setting *allow = &service->settings->values[SETTING_ID_media_allow];
	const struct setting *port_list = &service->settings->values[SETTING_ID_media_port];
	uint16_t ports[SETTING_LIST_MAX];
	for (size_t i = 0; i < port_list->list_count; i++) {
		uint64_t port;
		if (!str_parse_u64(str_of(port_list->list[i]), &port) || port < 1 || port > 65535)
			return error_set(err, ERR_INVALID, "media-port: \"%s\" is no port", port_list->list[i]);
		ports[i] = (uint16_t)port;
	}
	const struct guard_config config = {allow->list, allow->list_count, ports, port_list->list_count};
	return guard_new(&config, &service->guard, err);
}

static enum err_kind open_spool(struct service *service, struct error *err)
{
	const struct spool_config config = {.directory = path_in_data(service, "spool"), .budget_bytes = settings_number(service->settings, SETTING_ID_spool_budget)};
	return spool_open(&config, &service->spool, err);
}

static enum err_kind open_transport(struct service *service, struct error *err)
{
	const struct transfer_curl_config config = {
		.sandbox_url = text_or_null(service->settings, SETTING_ID_sandbox),
		.guard = service->guard,
		.clock = clock_system(),
		.log = &service->log,
		.user_agent = "Posthorn/" POSTHORN_VERSION,
	};
	return transfer_curl_open(&config, &service->curl, err);
}

struct wrapped_command {
	engine_command command;
	void *argument;
};

static enum err_kind run_wrapped(struct store_tx *tx, void *argument, struct error *err)
{
	const struct wrapped_command *wrapped = argument;
	return wrapped->command(tx, wrapped->argument, err);
}

static enum err_kind engine_store_write(void *context, engine_command command, void *argument, struct error *err)
{
	struct wrapped_command wrapped = {command, argument};
	return store_write(context, run_wrapped, &wrapped, err);
}

static enum err_kind open_engine(struct service *service, struct error *err)
{
	crash_point_init(&service->crash_point);
	const struct engine_config config = {
		.transport = transfer_curl_transport(service->curl),
		.store = {engine_store_write, service->store},
		.clock = clock_system(),
		.log = &service->log,
		.probe = service->crash_point.name[0] != '\0' ? crash_point_pass : NULL,
		.probe_context = &service->crash_point,
	};
	return engine_new(&config, &service->engine, err);
}

static enum err_kind open_connector(struct service *service, struct error *err)
{
	const struct connector_config config = {
		.store = service->store,
		.seal = service->seal,
		.engine = service->engine,
		.clock = clock_system(),
		.random = random_system(),
		.log = &service->log,
		.settings = &service->platform_settings,
		.public_url = service->public_url,
		.sandbox_url = text_or_null(service->settings, SETTING_ID_sandbox),
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
	};
	return connector_new(&config, &service->connector, err);
}

static enum err_kind open_deliverer(struct service *service, struct error *err)
{
	const struct deliverer_config config = {
		.store = service->store,
		.seal = service->seal,
		.spool = service->spool,
		.engine = service->engine,
		.clock = clock_system(),
		.random = random_system(),
		.log = &service->log,
		.settings = &service->platform_settings,
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
	};
	return deliverer_new(&config, &service->deliverer, err);
}

static enum err_kind open_admin(struct service *service, struct error *err)
{
	const struct admin_config config = {
		.store = service->store,
		.seal = service->seal,
		.connector = service->connector,
		.clock = clock_system(),
		.random = random_system(),
		.log = &service->log,
	};
	return admin_new(&config, &service->admin, err);
}

static const char *check_media_url(void *context, struct arena *arena, struct str url)
{
	return guard_check_url(context, arena, url);
}

static bool disk_is_full(const struct service *service)
{
	struct statvfs disk;
	return statvfs(service->data, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < DISK_FREE_MIN_BYTES;
}

/* A green light that does not see a stuck queue is worth nothing (RELIABILITY.md finding 10). */
static bool is_ready(void *context, char *reason, size_t reason_size)
{
	struct service *service = context;
	struct delivery_backlog backlog = {0};
	struct error err = {0};
	int64_t now_us = clock_now_us(clock_system());
	reason[0] = '\0';
	if (store_check(service->store, &err) != ERR_NONE ||
	    store_delivery_backlog(service->store, now_us, &backlog, &err) != ERR_NONE)
		snprintf(reason, reason_size, "the store does not work: %s", err.text);
	else if (disk_is_full(service))
		snprintf(reason, reason_size, "the disk of the data directory is full");
	else if (clock_boot_us(clock_system()) - engine_last_turn_boot_us(service->engine) > STUCK_US)
		snprintf(reason, reason_size, "the delivery engine does not turn");
	else if (backlog.oldest_due_us != 0 && now_us - backlog.oldest_due_us > LATE_US)
		snprintf(reason, reason_size, "the oldest due post is %lld s late",
			 (long long)((now_us - backlog.oldest_due_us) / US_PER_S));
	return reason[0] == '\0';
}

static enum err_kind open_api(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	const struct api_config config = {
		.store = service->store,
		.connector = service->connector,
		.deliverer = service->deliverer,
		.clock = clock_system(),
		.random = random_system(),
		.log = &service->log,
		.media_url_check = {check_media_url, service->guard},
		.token_ttl_s = settings_number(settings, SETTING_ID_token_ttl),
		.rate_limit_per_minute = settings_number(settings, SETTING_ID_rate_limit),
		.token_failure_limit_per_minute = settings_number(settings, SETTING_ID_token_failure_limit),
		.is_sandbox = text_or_null(settings, SETTING_ID_sandbox) != NULL,
		.is_ready = is_ready,
		.is_ready_context = service,
	};
	return api_new(&config, &service->api, err);
}

static void *engine_main(void *argument)
{
	struct service *service = argument;
	engine_run(service->engine, DRAIN_MS);
	return NULL;
}

static enum err_kind start_engine(struct service *service, struct error *err)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, ENGINE_STACK_BYTES);
	int native = pthread_create(&service->engine_thread, &attributes, engine_main, service);
	pthread_attr_destroy(&attributes);
	if (native != 0)
		return error_set_native(err, ERR_INTERNAL, native, "the engine's thread cannot be started: %s", strerror(native));
	service->has_engine_thread = true;
	return ERR_NONE;
}

typedef enum err_kind (*opener)(struct service *service, struct error *err);

static void set_public_url(struct service *service, const char *base_url)
{
	const char *configured = text_or_null(service->settings, SETTING_ID_public_url);
	snprintf(service->public_url, sizeof(service->public_url), "%s", configured != NULL ? configured : base_url);
}

enum err_kind service_open(const struct settings *settings, bool delivers, struct service **service_out, struct error *err)
{
	struct service *service = calloc(1, sizeof(*service));
	if (service == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the service");
	service->settings = settings;
	service->arena = arena_new("service", SERVICE_ARENA_MAX_BYTES);
	service->log = service_make_log(settings);
	service->platform_settings.graph_version = str_of(settings_text(settings, SETTING_ID_graph_version));
	service->platform_settings.linkedin_version = str_of(settings_text(settings, SETTING_ID_linkedin_version));
	snprintf(service->base_url, sizeof(service->base_url), "http://%s", settings_text(settings, SETTING_ID_listen));
	set_public_url(service, service->base_url);

	const opener openers[] = {
		make_data_directory, open_seal,      open_store, open_guard, open_spool,  open_transport,
		open_engine,         open_connector, delivers ? open_deliverer : NULL, open_admin,
		delivers ? open_api : NULL, start_engine,
	};
	for (size_t i = 0; i < sizeof(openers) / sizeof(openers[0]); i++) {
		enum err_kind kind = openers[i] != NULL ? openers[i](service, err) : ERR_NONE;
		if (kind != ERR_NONE) {
			service_close(&service);
			return kind;
		}
	}
	*service_out = service;
	return ERR_NONE;
}

enum err_kind service_listen(struct service *service, struct error *err)
{
	const unsigned threads = (unsigned)settings_number(service->settings, SETTING_ID_threads);
	const struct httpd_config control = {
		.unix_path = path_in_data(service, "control.sock"),
		.router = admin_router(service->admin),
		.log = &service->log,
		.random = random_system(),
		.threads = 2,
	};
	const struct httpd_config listener = {
		.listen = settings_text(service->settings, SETTING_ID_listen),
		.router = api_router(service->api),
		.log = &service->log,
		.random = random_system(),
		.threads = threads,
	};
	enum err_kind kind = httpd_open(&listener, &service->httpd, err);
	if (kind != ERR_NONE)
		return kind;
	struct str base = httpd_base_url(service->httpd);
	snprintf(service->base_url, sizeof(service->base_url), STR_FMT, STR_ARG(base));
	set_public_url(service, service->base_url);
	return httpd_open(&control, &service->control, err);
}

const char *service_base_url(const struct service *service)
{
	return service->base_url;
}

const struct log *service_log(const struct service *service)
{
	return &service->log;
}

struct http_router *service_admin_router(struct service *service)
{
	return admin_router(service->admin);
}

void service_close(struct service **service_pointer)
{
	struct service *service = *service_pointer;
	if (service == NULL)
		return;
	if (service->control != NULL) {
		httpd_close(&service->control, HTTP_DRAIN_MS);
		unlink(path_in_data(service, "control.sock"));
	}
	if (service->httpd != NULL)
		httpd_close(&service->httpd, HTTP_DRAIN_MS);
	if (service->has_engine_thread) {
		engine_stop(service->engine);
		pthread_join(service->engine_thread, NULL);
	}
	api_free(&service->api);
	admin_free(&service->admin);
	engine_free(&service->engine);
	deliverer_free(&service->deliverer);
	connector_free(&service->connector);
	transfer_curl_close(&service->curl);
	spool_close(&service->spool);
	guard_free(&service->guard);
	store_close(&service->store);
	seal_free(&service->seal);
	arena_free(&service->arena);
	free(service);
	*service_pointer = NULL;
}
