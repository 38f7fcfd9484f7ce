/* SPDX-License-Identifier: Apache-2.0
 * The parts of the service: how each is opened and closed, and in which order. */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "log_queue.h"
#include "random.h"
#include "thread.h"

#include "url.h"

#include "film_job.h"

#include "seal.h"

#include "store_delivery.h"
#include "store_node.h"

#include "guard.h"
#include "spool.h"
#include "transfer_curl.h"

#include "media_sweep.h"
#include "media_upload.h"

#include "engine.h"

#include "connect.h"
#include "delivery.h"
#include "fetcher.h"
#include "looker.h"
#include "webhook.h"

#include "http_proxies.h"
#include "httpd.h"

#include "api.h"

#include "mcp.h"

#include "admin.h"

#include "commit.h"
#include "containment.h"
#include "fatal.h"
#include "jobs.h"
#include "service_private.h"
#include "test_apps.h"
#include "version.h"
#include "worker_router.h"

#define SERVICE_ARENA_MAX_BYTES 65536
#define CONNECTIONS_OF_ADDRESS_PER_THREAD 25 /* a quarter of all places */
#define CROWDED_PERCENT 80
#define SPARE_BYTES ((size_t)16 << 20)
#define CONTROL_THREADS 16
#define BACKUP_NAME "backup.part"
#define LOCK_WAIT_US (2 * US_PER_S)
#define LOCK_POLL_MS 50
#define DRAIN_MS 20000 /* longer than a usual platform call */
#define HTTP_DRAIN_MS 10000
/* Nobody wakes a worker when another node has accepted a post: it polls, and this is how late a
 * post may be because of that. */
#define SHARED_POLL_MS 250
#define ERASE_EVERY_MS 1000
#define MEDIA_SWEEP_MS 1000
#define FETCHES_OF_APP_MAX 3
#define ENGINE_STACK_BYTES ((size_t)1 << 20)
/* Twice what deliveries may take (deliverer.c): the rest is for webhooks and connections. */
#define ENGINE_TASKS_MAX 2048

/* ---- settings ---- */

struct log service_make_log(const struct settings *settings)
{
	static const char *const levels[] = {"debug", "info", "warn", "error"};
	struct log log = {.fd = STDERR_FILENO, .level = LOG_INFO, .clock = clock_system()};
	for (size_t i = 0; i < COUNT_OF(levels); i++) {
		if (strcmp(settings_text(settings, SETTING_ID_log_level), levels[i]) == 0)
			log.level = (enum log_level)i;
	}
	log.format = strcmp(settings_text(settings, SETTING_ID_log_format), "json") == 0
			     ? LOG_FORMAT_JSON
			     : LOG_FORMAT_TEXT;
	return log;
}

const char *service_control_path(const struct settings *settings)
{
	struct str path = str_format(settings->arena, "%s/control.sock",
				     settings_text(settings, SETTING_ID_data));
	return str_z(settings->arena, path);
}

static const char *text_or_null(const struct settings *settings, enum setting_id id)
{
	const char *text = settings_text(settings, id);
	return text[0] != '\0' ? text : NULL;
}

struct str service_reachable_url(struct arena *arena, struct str base_url)
{
	static const uint8_t anywhere[16];
	struct url url;
	if (url_parse(arena, base_url, &url, NULL) != ERR_NONE || url.host_kind == URL_HOST_NAME ||
	    memcmp(url.address, anywhere, url.host_kind == URL_HOST_IPV4 ? 4 : 16) != 0)
		return base_url;
	url.host = url.host_kind == URL_HOST_IPV4 ? STR("127.0.0.1") : STR("::1");
	return url_origin(arena, &url);
}

struct str service_public_url(const struct settings *settings, struct arena *arena,
			      struct str base_url)
{
	const char *configured = text_or_null(settings, SETTING_ID_public_url);
	return configured != NULL ? str_of(configured) : service_reachable_url(arena, base_url);
}

static void set_public_url(struct service *service)
{
	struct str url =
		service_public_url(service->settings, service->arena, str_of(service->base_url));
	const char *media_url = text_or_null(service->settings, SETTING_ID_media_url);
	snprintf(service->public_url, sizeof(service->public_url), STR_FMT, STR_ARG(url));
	snprintf(service->media_url, sizeof(service->media_url), "%s",
		 media_url != NULL ? media_url : service->public_url);
	test_apps_set_url(service);
}

/* ---- the store and what guards it ---- */

static enum err_kind make_data_directory(struct service *service, struct error *err)
{
	service->data = settings_text(service->settings, SETTING_ID_data);
	return containment_make_data(service->settings, &service->log, err);
}

static enum err_kind contain(struct service *service, struct error *err)
{
	return service->settings->is_contained
		       ? ERR_NONE
		       : containment_enter(service->settings, &service->log, NULL, 0, err);
}

static enum err_kind add_old_keys(struct service *service, struct error *err)
{
	const struct setting *old = &service->settings->values[SETTING_ID_old_master_key_file];
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < old->list_count && kind == ERR_NONE; i++)
		kind = seal_add_old_keyfile(service->seal, old->list[i], err);
	return kind == ERR_NONE ? kind : error_add(err, "old-master-key-file");
}

/* A key is made at the first start only: a new one would open none of the secrets in the database,
 * and would hide that the old one is missing. */
static enum err_kind open_seal(struct service *service, struct error *err)
{
	const char *configured = text_or_null(service->settings, SETTING_ID_master_key_file);
	const char *path = configured != NULL ? configured : service_path(service, "master.key");
	bool holds_secrets = false;
	const bool is_missing = access(path, F_OK) != 0 && errno == ENOENT;
	enum err_kind kind =
		is_missing ? store_holds_secrets(service->store, &holds_secrets, err) : ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	if (holds_secrets)
		return error_set(err, ERR_INVALID,
				 "the master key file %s is missing, and the database holds "
				 "secrets that only this key opens: put it back",
				 path);
	service->key_path = path;
	kind = seal_open_keyfile(path, random_system(), &service->seal, err);
	return kind == ERR_NONE ? add_old_keys(service, err) : kind;
}

struct quota_limits service_quotas(const struct settings *settings)
{
	return (struct quota_limits){{
#define QUOTA(name, word, flag, counted, advice) \
	[QUOTA_##name] = settings_number(settings, SETTING_ID_quota_##word),
#include "app_quotas.def"
#undef QUOTA
	}};
}

/* A service waits for a command that holds the database for a moment, but not for another
 * service. */
static enum err_kind open_database(struct service *service, const struct store_config *config,
				   struct error *err)
{
	const int64_t wait_us = service->role == SERVICE_COMMAND ? 0 : LOCK_WAIT_US;
	const int64_t until_us = clock_boot_us(clock_system()) + wait_us;
	enum err_kind kind = store_open(config, &service->store, err);
	while (kind == ERR_CONFLICT && clock_boot_us(clock_system()) < until_us) {
		thread_sleep_ms(LOCK_POLL_MS);
		kind = store_open(config, &service->store, err);
	}
	return kind;
}

/* NULL: it is on a server. */
static const char *database_file(const char *url)
{
	return strncmp(url, "sqlite:", sizeof("sqlite:") - 1) == 0 ? url + sizeof("sqlite:") - 1
								   : NULL;
}

static enum err_kind open_store(struct service *service, struct error *err)
{
	const char *configured = text_or_null(service->settings, SETTING_ID_database);
	struct str own = str_format(service->arena, "sqlite:%s/posthorn.db", service->data);
	const char *url = configured != NULL ? configured : str_z(service->arena, own);
	const struct store_config config = {
		.url = url,
		.clock = clock_system(),
		.log = &service->log,
		.epoch_path = service_path(service, "epoch"),
		.node_path = service_path(service, "node"),
		.is_owner = true,
		.is_sync_relaxed = crash_point_relaxes_sync(),
		.quotas = service_quotas(service->settings),
	};
	const char *file = database_file(url);
	const bool is_new = file != NULL && access(file, F_OK) != 0;
	enum err_kind kind = identity_check_file(service, url, err);
	if (kind == ERR_NONE)
		kind = open_database(service, &config, err);
	if (kind == ERR_NONE && is_new)
		containment_say_made(&service->log, "database_made", "made a new database", file);
	if (kind == ERR_NONE)
		kind = identity_check_content(service, url, err);
	const bool is_half = service->role == SERVICE_API || service->role == SERVICE_WORKER;
	if (kind == ERR_NONE && is_half && !store_is_shared(service->store))
		return error_set(err, ERR_INVALID,
				 "only nodes that share a PostgreSQL database can split the work: "
				 "give --database postgres://...");
	return kind;
}

static void close_store(struct service *service)
{
	store_close(&service->store);
}

static void close_seal(struct service *service)
{
	seal_free(&service->seal);
}

/* ---- outbound and engine ---- */

static enum err_kind open_guard(struct service *service, struct error *err)
{
	const struct setting *allow = &service->settings->values[SETTING_ID_media_allow];
	const struct setting *port_list = &service->settings->values[SETTING_ID_media_port];
	uint16_t ports[SETTING_LIST_MAX];
	for (size_t i = 0; i < port_list->list_count; i++) {
		uint64_t port;
		if (!str_parse_u64(str_of(port_list->list[i]), &port) || port < 1 || port > 65535)
			return error_set(err, ERR_INVALID,
					 "media-port: \"%s\" is not a valid port (1-65535)",
					 port_list->list[i]);
		ports[i] = (uint16_t)port;
	}
	const struct guard_config config = {
		.allow_cidrs = allow->list,
		.allow_cidr_count = allow->list_count,
		.ports = ports,
		.port_count = port_list->list_count,
		.refuse_own_addresses = true, /* rules.md 4.1, API7 */
	};
	return guard_new(&config, &service->guard, err) == ERR_NONE ? ERR_NONE
								    : error_add(err, "media-allow");
}

static void close_guard(struct service *service)
{
	guard_free(&service->guard);
}

static enum err_kind open_spool(struct service *service, struct error *err)
{
	const struct spool_config config = {
		.directory = service_path(service, "spool"),
		.budget_bytes = settings_number(service->settings, SETTING_ID_spool_budget),
		.prober = {service->settings->spawner != NULL ? jobs_probe_media : NULL, service},
	};
	return spool_open(&config, &service->spool, err);
}

static void close_spool(struct service *service)
{
	spool_close(&service->spool);
}

#define AVATAR_SWEEP_US (10 * US_PER_MINUTE)

/* A second between two looks; files expire by the minute, or sooner where time runs faster. */
static void sweep_media(void *context)
{
	struct service *service = context;
	const int64_t at_us = clock_boot_us(clock_system());
	const int64_t keep_us = media_uploads_settings(service->uploads)->keep_us;
	if (at_us >= service->strays_at_us) {
		service->strays_at_us = at_us + US_PER_DAY;
		media_sweep_strays(service->uploads);
	}
	if (at_us >= service->avatars_at_us) {
		service->avatars_at_us = at_us + AVATAR_SWEEP_US;
		connector_sweep_avatars(service->connector);
	}
	if (at_us < service->expiry_at_us) {
		(void)media_sweep_gone(service->uploads);
		return;
	}
	const int64_t every_us = keep_us / 10 < US_PER_MINUTE ? keep_us / 10 : US_PER_MINUTE;
	if (media_sweep(service->uploads))
		service->expiry_at_us = at_us + every_us;
}

static enum err_kind start_sweeping(struct service *service, struct error *err)
{
	return heartbeat_start(MEDIA_SWEEP_MS, sweep_media, service, &service->media_heartbeat,
			       err);
}

static void stop_sweeping(struct service *service)
{
	heartbeat_stop(&service->media_heartbeat);
}

static enum err_kind open_transport(struct service *service, struct error *err)
{
	const struct transfer_curl_config config = {
		.sandbox_url = text_or_null(service->settings, SETTING_ID_sandbox),
		.egress_proxy = text_or_null(service->settings, SETTING_ID_egress_proxy),
		.https_only = true,
		.test_socket = test_apps_socket(service),
		.guard = service->guard,
		.clock = store_clock(service->store),
		.log = &service->log,
		.user_agent = "Posthorn/" POSTHORN_VERSION,
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
	};
	return transfer_curl_open(&config, &service->curl, err);
}

static void close_transport(struct service *service)
{
	transfer_curl_close(&service->curl);
}

static enum err_kind run_writing(struct store_tx *tx, void *argument, struct error *err)
{
	const struct engine_writing *writing = argument;
	return writing->command(tx, writing->argument, err);
}

static enum err_kind engine_store_write(void *context, const struct engine_writing *writing,
					struct error *err)
{
	const struct store_turn turn = {.command = run_writing,
					.argument = (void *)writing,
					.app_ids = writing->scopes,
					.app_count = writing->scope_count};
	return store_write_turn(context, &turn, err);
}

static enum err_kind open_engine(struct service *service, struct error *err)
{
	crash_point_init(&service->crash_point);
	const struct engine_config config = {
		.transport = transfer_curl_transport(service->curl),
		.store = {engine_store_write, service->store},
		.clock = store_clock(service->store),
		.log = &service->log,
		.tasks_max = ENGINE_TASKS_MAX,
		.probe = service->crash_point.name[0] != '\0' ? crash_point_pass : NULL,
		.probe_context = &service->crash_point,
		.idle_poll_ms = store_is_shared(service->store) ? SHARED_POLL_MS : 0,
	};
	const enum err_kind kind = engine_new(&config, &service->engine, err);
	return kind == ERR_NONE && service->role == SERVICE_API
		       ? engine_new(&config, &service->idle_engine, err)
		       : kind;
}

/* Frees the tasks that are left, which use the parts between opening and this. */
static void close_engine(struct service *service)
{
	engine_free(&service->engine);
	engine_free(&service->idle_engine);
}

/* ---- connections, deliveries, APIs ---- */

static enum err_kind open_connector(struct service *service, struct error *err)
{
	const struct connector_config config = {
		.store = service->store,
		.seal = service->seal,
		.engine = service->engine,
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.settings = &service->platform_settings,
		.public_url = service->public_url,
		.sandbox_url = text_or_null(service->settings, SETTING_ID_sandbox),
		.test_url = test_apps_are_on(service->settings) ? service->test_apps.url : NULL,
		.avatar_directory =
			service->role != SERVICE_COMMAND ? service_path(service, "avatars") : NULL,
		.closed_why = service->closed_why,
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
		/* a quarter of the listener's threads that wait for platforms (httpd.h) */
		.waits_of_app_max =
			(unsigned)settings_number(service->settings, SETTING_ID_threads),
	};
	return connector_new(&config, &service->connector, err);
}

static void close_connector(struct service *service)
{
	connector_free(&service->connector);
}

/* The engine that claims deliveries: on a node that leaves them to others, one that never runs. */
static struct engine *delivering_engine(const struct service *service)
{
	return service->idle_engine != NULL ? service->idle_engine : service->engine;
}

/* The order of enum film_mode. */
static const char *const film_modes[] = {
	[FILM_MODE_OFF] = "off", [FILM_MODE_REMUX] = "remux", [FILM_MODE_TRANSCODE] = "transcode"};

static enum film_mode film_mode(const struct settings *settings)
{
	const char *text = settings_text(settings, SETTING_ID_fit_video);
	for (size_t i = 0; i < COUNT_OF(film_modes); i++) {
		if (strcmp(text, film_modes[i]) == 0)
			return (enum film_mode)i;
	}
	return FILM_MODE_OFF;
}

/* Who switched it on would wait for posts to fail otherwise. */
static enum err_kind check_film_program(const struct service *service, struct error *err)
{
	if (film_mode(service->settings) == FILM_MODE_OFF || service->role == SERVICE_API ||
	    film_job_program() != NULL)
		return ERR_NONE;
	return error_set(err, ERR_INVALID,
			 "fit-video is %s, and ffmpeg is neither in /usr/bin nor in "
			 "/usr/local/bin: install it (apt install ffmpeg), or set fit-video to off",
			 settings_text(service->settings, SETTING_ID_fit_video));
}

static enum err_kind open_deliverer(struct service *service, struct error *err)
{
	service->hosted = (struct hosted){
		.seal = service->seal,
		.spool = service->spool,
		.store = service->store,
		.media_files = &service->media_files,
		.clock = store_clock(service->store),
		.random = random_system(),
		.public_url = service->media_url,
	};
	const struct deliverer_config config = {
		.store = service->store,
		.seal = service->seal,
		.spool = service->spool,
		.fit = {service->settings->spawner != NULL ? jobs_fit : NULL, service},
		.film_mode = film_mode(service->settings),
		.film_seconds_max =
			settings_number(service->settings, SETTING_ID_fit_video_seconds),
		.media_files = &service->media_files,
		.hosted = &service->hosted,
		.engine = delivering_engine(service),
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.settings = &service->platform_settings,
		.stepping = guarding_note_step,
		.stepping_context = service,
		.has_disk_room = health_may_claim,
		.disk_context = service,
		.key_is_other = identity_note_other_key,
		.key_context = service,
		.is_idle = service->role == SERVICE_API,
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
	};
	const enum err_kind kind = check_film_program(service, err);
	if (kind != ERR_NONE)
		return kind;
	return deliverer_new(&config, &service->deliverer, err);
}

/* Its caller waits here: the engine is the one that runs on every node. */
static enum err_kind open_fetcher(struct service *service, struct error *err)
{
	const struct fetcher_config config = {.engine = service->engine,
					      .clock = store_clock(service->store),
					      .of_app_max = FETCHES_OF_APP_MAX};
	return fetcher_new(&config, &service->fetcher, err);
}

static void close_fetcher(struct service *service)
{
	fetcher_free(&service->fetcher);
}

static void close_deliverer(struct service *service)
{
	deliverer_free(&service->deliverer);
}

/* On the engine that runs: validate asks every node. */
static enum err_kind open_looker(struct service *service, struct error *err)
{
	const struct looker_config config = {
		.store = service->store,
		.spool = service->spool,
		.media_files = &service->media_files,
		.engine = service->engine,
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.has_disk_room = health_may_claim,
		.disk_context = service,
		.is_idle = service->role == SERVICE_API,
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
		.film_mode = film_mode(service->settings),
	};
	return looker_new(&config, &service->looker, err);
}

static void close_looker(struct service *service)
{
	looker_free(&service->looker);
}

/* Absolute, as the store wants it. */
static const char *backup_path(struct service *service)
{
	char directory[PATH_MAX];
	const char *data = realpath(service->data, directory) != NULL ? directory : service->data;
	return str_z(service->arena, str_format(service->arena, "%s/" BACKUP_NAME, data));
}

/* Of a copy that was cut short. The database is ours now, so nobody makes one. */
static void remove_cut_backup(struct service *service)
{
	unlink(service_path(service, BACKUP_NAME));
	unlink(service_path(service, BACKUP_NAME ".tmp"));
}

/* Of a command, which does not listen: where the service will. */
static const char *link_url(struct service *service)
{
	const char *dashboard = text_or_null(service->settings, SETTING_ID_dashboard_listen);
	const char *listen = settings_text(service->settings, SETTING_ID_listen);
	const struct str base =
		str_format(service->arena, "http://%s", dashboard != NULL ? dashboard : listen);
	return str_z(service->arena, dashboard != NULL ? service_reachable_url(service->arena, base)
						       : service_public_url(service->settings,
									    service->arena, base));
}

static enum err_kind open_admin(struct service *service, struct error *err)
{
	remove_cut_backup(service);
	const struct admin_config config = {
		.store = service->store,
		.seal = service->seal,
		.connector = service->connector,
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.mode = service_mode(service),
		.has_test_apps = test_apps_are_on(service->settings),
		.backup_path = backup_path(service),
		.link_url = link_url(service),
		.examine = examine_service,
		.examine_context = service,
		.media_use = health_media_use,
	};
	return admin_new(&config, &service->admin, err);
}

static void close_admin(struct service *service)
{
	admin_free(&service->admin);
}

static const char *check_media_url(void *context, struct arena *arena, struct str url)
{
	return guard_check_url(context, arena, url);
}

/* Lines about requests wait for no reader of the log. */
static enum err_kind open_access_log(struct service *service, struct error *err)
{
	return log_queue_open(&service->log, &service->access_log, err);
}

static void close_access_log(struct service *service)
{
	log_queue_close(&service->access_log);
}

static enum err_kind open_api(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	const struct api_config config = {
		.store = service->store,
		.connector = service->connector,
		.deliverer = service->deliverer,
		.looker = service->looker,
		.seal = service->seal,
		.hosted = &service->hosted,
		.uploads = service->uploads,
		.fetcher = service->fetcher,
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.access_log = service->access_log,
		.media_url_check = {check_media_url, service->guard},
		.token_ttl_s = settings_number(settings, SETTING_ID_token_ttl),
		.rate_limit_per_minute = settings_number(settings, SETTING_ID_rate_limit),
		.token_failure_limit_per_minute =
			settings_number(settings, SETTING_ID_token_failure_limit),
		.is_sandbox = text_or_null(settings, SETTING_ID_sandbox) != NULL,
		.has_other_dashboard =
			settings_text(settings, SETTING_ID_dashboard_listen)[0] != '\0',
		.public_url = service->public_url,
		.is_ready = health_is_ready,
		.is_delivering = health_is_delivering,
		.is_ready_context = service,
		.held_count = health_held_count,
		.closing_of = service->role == SERVICE_API ? NULL : deliverer_closing_of,
		.fitting_of = service->role == SERVICE_API ? NULL : deliverer_fitting_of,
		.film_mode = film_mode(settings),
		.gauges = health_read_gauges,
		.version = POSTHORN_VERSION,
	};
	const enum err_kind kind = api_new(&config, &service->api, err);
	return kind == ERR_NONE ? mcp_open(service->api, err) : kind;
}

static void close_api(struct service *service)
{
	api_free(&service->api);
}

static int64_t kept_us(const struct service *service, enum setting_id days)
{
	return settings_number(service->settings, days) * US_PER_DAY;
}

static enum err_kind open_webhooker(struct service *service, struct error *err)
{
	const struct webhooker_config config = {
		.store = service->store,
		.seal = service->seal,
		.engine = delivering_engine(service),
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.port = {api_event_data, service->api},
		.may_claim = health_has_key,
		.key_is_other = identity_note_other_key,
		.key_context = service,
		.retention =
			{
				.timeline_us = kept_us(service, SETTING_ID_keep_timeline),
				.connections_us = kept_us(service, SETTING_ID_keep_connections),
				.events_us = kept_us(service, SETTING_ID_keep_events),
				.audit_us = kept_us(service, SETTING_ID_keep_audit),
				.deleted_us = kept_us(service, SETTING_ID_keep_deleted),
			},
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
	};
	const enum err_kind kind = webhooker_new(&config, &service->webhooker, err);
	if (kind == ERR_NONE)
		api_set_webhooker(service->api, service->webhooker);
	return kind;
}

static void close_webhooker(struct service *service)
{
	webhooker_free(&service->webhooker);
}

static void serve_as_app(void *context, const struct app_row *app, struct http_request *request,
			 struct http_response *response, struct str admin)
{
	api_serve_as(context, app, request, response, admin);
}

static void serve_metrics(void *context, struct http_request *request,
			  struct http_response *response)
{
	api_serve_metrics(context, request, response);
}

/* On the API's own listener, unless it has one for itself (listeners.c). */
static enum err_kind open_dashboard(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	struct http_router *router = api_router(service->api);
	const struct admin_web_config config = {
		.public_url = service->public_url,
		.dashboard_url = service->dashboard.hosts != NULL ? service->dashboard_url : NULL,
		.sandbox_url = text_or_null(settings, SETTING_ID_sandbox),
		.version = POSTHORN_VERSION,
		.proxy_sign_in = service->has_proxy_sign_in ? &service->proxy_sign_in : NULL,
		.needs_second_factor = str_equal_z(
			str_of(settings_text(settings, SETTING_ID_second_factor)), "required"),
		.session_idle_s = settings_number(settings, SETTING_ID_session_idle),
		.session_lifetime_s = settings_number(settings, SETTING_ID_session_lifetime),
		.deliverer = service->deliverer,
		.webhooker = service->webhooker,
		.app_port = {.serve = serve_as_app,
			     .metrics = serve_metrics,
			     .context = service->api},
		.is_ready = health_is_ready,
		.is_ready_context = service,
		.sandbox = {test_apps_serve_admin, service},
		.test_url = test_apps_are_on(settings) ? service->test_apps.url : NULL,
	};
	if (service->dashboard.hosts != NULL) {
		const enum err_kind kind = api_side_router_new(service->api, API_SIDE_DASHBOARD,
							       &service->dashboard.router, err);
		if (kind != ERR_NONE)
			return kind;
		router = service->dashboard.router;
	}
	return admin_web_open(service->admin, &config, router, err);
}

static void close_dashboard(struct service *service)
{
	http_router_free(&service->dashboard.router);
}

/* ---- running ---- */

static void *engine_main(void *argument)
{
	struct service *service = argument;
	struct fatal_stack *stack = fatal_stack_begin();
	engine_run(service->engine, DRAIN_MS);
	fatal_stack_end(&stack);
	return NULL;
}

static enum err_kind start_engine(struct service *service, struct error *err)
{
	const struct thread_config config = {.name = "engine",
					     .stack_bytes = ENGINE_STACK_BYTES,
					     .run = engine_main,
					     .context = service};
	const enum err_kind kind = thread_start(&config, &service->engine_thread, err);
	service->has_engine_thread = kind == ERR_NONE;
	return kind;
}

static void stop_engine(struct service *service)
{
	if (!service->has_engine_thread)
		return;
	engine_stop(service->engine);
	pthread_join(service->engine_thread, NULL);
	service->has_engine_thread = false;
}

/* A proxy brings the connections of many clients: the maximum of an address is not for it. */
static bool is_trusted_proxy(void *context, const struct sockaddr *peer)
{
	const struct service *service = context;
	return http_proxies_has(service->proxies, peer);
}

static enum err_kind open_listener(struct service *service, struct error *err)
{
	const char *listen = settings_text(service->settings, SETTING_ID_listen);
	if (service->role == SERVICE_WORKER) {
		const enum err_kind kind =
			worker_router_new(service->api, &service->worker_router, err);
		if (kind != ERR_NONE)
			return kind;
	}
	const struct httpd_config config = {
		.listen = listen,
		.listen_fd = service->settings->values[SETTING_ID_listen].listen_fd,
		.router = service->worker_router != NULL ? service->worker_router
							 : api_router(service->api),
		.log = &service->log,
		.random = random_system(),
		.threads = (unsigned)settings_number(service->settings, SETTING_ID_threads),
		.arena_max_bytes = SERVICE_REQUEST_ARENA_BYTES,
		.body_bytes_max = SERVICE_BODY_BYTES_MAX,
		.body_bytes_of_address_max = SERVICE_BODY_BYTES_OF_ADDRESS_MAX,
		.body_directory = test_apps_body_directory(service),
		.connections_of_address_max =
			(unsigned)settings_number(service->settings, SETTING_ID_threads) *
			CONNECTIONS_OF_ADDRESS_PER_THREAD,
		.crowded_percent = CROWDED_PERCENT,
		.spare_bytes = SPARE_BYTES,
		.hosts = service->hosts,
		.proxies = service->proxies,
		.address_is_exempt = is_trusted_proxy,
		.address_context = service,
	};
	/* With port 0 our own address is known only once the listener's threads run: no request is
	 * answered before. */
	const bool is_free_port = str_has_suffix(str_of(listen), STR(":0"));
	api_set_open(service->api, !is_free_port);
	if (httpd_open(&config, &service->httpd, err) != ERR_NONE)
		return error_add(err, "listen");
	const struct str base = httpd_base_url(service->httpd);
	snprintf(service->base_url, sizeof(service->base_url), STR_FMT, STR_ARG(base));
	if (is_free_port)
		set_public_url(service);
	api_set_open(service->api, true);
	return ERR_NONE;
}

static void close_listener(struct service *service)
{
	httpd_close(&service->httpd, HTTP_DRAIN_MS);
	http_router_free(&service->worker_router);
}

static enum err_kind open_control(struct service *service, struct error *err)
{
	const struct httpd_config config = {
		.unix_path = service_path(service, "control.sock"),
		.router = admin_router(service->admin),
		.log = &service->log,
		.random = random_system(),
		.threads = 2,
		.store_threads = CONTROL_THREADS, /* a backup takes minutes; others go on */
	};
	return httpd_open(&config, &service->control, err) == ERR_NONE
		       ? ERR_NONE
		       : error_add(err, "%s", config.unix_path);
}

/* Removes control.sock too. */
static void close_control(struct service *service)
{
	httpd_close(&service->control, HTTP_DRAIN_MS);
}

/* Now with the address that we are reached at. */
static enum err_kind announce_node(struct service *service, struct error *err)
{
	(void)err;
	if (store_is_shared(service->store))
		node_announce(service);
	return ERR_NONE;
}

/* What is not begun any more is told, and what ends without its account ends now. */
static void erase_users(void *context)
{
	struct service *service = context;
	if (connector_erase_users(service->connector))
		deliverer_wake(service->deliverer);
}

static enum err_kind start_erasing(struct service *service, struct error *err)
{
	return heartbeat_start(ERASE_EVERY_MS, erase_users, service, &service->erase_heartbeat,
			       err);
}

static void stop_erasing(struct service *service)
{
	heartbeat_stop(&service->erase_heartbeat);
}

/* ---- the table ---- */

#define COMMAND (1u << SERVICE_COMMAND)
#define SERVING (1u << SERVICE_ALL | 1u << SERVICE_API | 1u << SERVICE_WORKER)
#define EVERY (COMMAND | SERVING)

enum part_phase { AT_OPEN, AT_LISTEN };

struct part {
	/* NULL = nothing to open. */
	enum err_kind (*open)(struct service *service, struct error *err);
	/* Called also when open() failed. NULL = nothing to close. */
	void (*close)(struct service *service);
	unsigned roles;
	enum part_phase phase; /* opened by service_open() or by service_listen() */
};

/* Opened from top to bottom, closed from bottom to top. Where a part must not close where it opens,
 * it has two rows. */
static const struct part parts[] = {
	/* makes nothing: a bad range or port stops the start before anything is there */
	{open_guard, close_guard, EVERY, AT_OPEN},
	{listeners_open_rules, listeners_close_rules, SERVING, AT_OPEN},
	{make_data_directory, NULL, EVERY, AT_OPEN},
	/* above all that starts a thread: it holds for those that are started after it. A command
	 * ends soon, and reads and writes where its caller says */
	{contain, NULL, SERVING, AT_OPEN},
	{open_store, close_store, EVERY, AT_OPEN},
	{open_seal, close_seal, EVERY, AT_OPEN},
	{identity_check_key, NULL, EVERY, AT_OPEN},
	{identity_check_nodes, NULL, EVERY, AT_OPEN},
	{identity_check_mode, NULL, SERVING, AT_OPEN},
	{identity_learn_mode, NULL, COMMAND, AT_OPEN},
	{guarding_open_epoch, guarding_close_epoch, SERVING, AT_OPEN},
	{guarding_open_quarantine, guarding_close_quarantine, SERVING, AT_OPEN},
	{open_spool, close_spool, EVERY, AT_OPEN},
	{open_transport, close_transport, EVERY, AT_OPEN},
	{open_engine, close_engine, EVERY, AT_OPEN},
	{media_store_open, media_store_close, SERVING, AT_OPEN},
	{open_connector, close_connector, EVERY, AT_OPEN},
	{open_deliverer, close_deliverer, SERVING, AT_OPEN},
	{open_looker, close_looker, SERVING, AT_OPEN},
	{open_fetcher, close_fetcher, SERVING, AT_OPEN},
	{open_admin, close_admin, EVERY, AT_OPEN},
	{open_access_log, close_access_log, SERVING, AT_OPEN},
	{open_api, close_api, SERVING, AT_OPEN},
	{open_webhooker, close_webhooker, SERVING, AT_OPEN},
	{open_dashboard, close_dashboard, SERVING, AT_OPEN},
	/* closed once the engine has ended the calls that go there */
	{NULL, test_apps_close, SERVING, AT_OPEN},
	{test_apps_open_pages, test_apps_close_pages, SERVING, AT_OPEN},
	/* the tasks that it frees use the parts above */
	{NULL, close_engine, EVERY, AT_OPEN},
	/* above the listeners: their running requests may wait for the engine, and end first */
	{NULL, stop_engine, EVERY, AT_OPEN},
	{node_open, node_close, SERVING, AT_OPEN},
	{health_open, health_close, SERVING, AT_OPEN},
	{start_engine, NULL, COMMAND, AT_OPEN},
	{listeners_open_sides, listeners_close_sides, SERVING, AT_LISTEN},
	{open_listener, close_listener, SERVING, AT_LISTEN},
	{test_apps_open, NULL, SERVING, AT_LISTEN},
	{open_control, close_control, SERVING, AT_LISTEN},
	{announce_node, NULL, SERVING, AT_LISTEN},
	/* not before our own address is known and answers: the first deliveries may send out
	 * addresses of files here */
	{start_engine, NULL, SERVING, AT_LISTEN},
	/* its calls to platforms are the engine's */
	{start_erasing, stop_erasing, SERVING, AT_LISTEN},
	{start_sweeping, stop_sweeping, SERVING, AT_LISTEN},
	{words_start, words_stop, SERVING, AT_LISTEN},
	{NULL, test_apps_end_waits, SERVING, AT_LISTEN},
};

/* Opens the rows of this phase, which come next. */
static enum err_kind open_parts(struct service *service, enum part_phase phase, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	while (kind == ERR_NONE && service->opened < COUNT_OF(parts) &&
	       parts[service->opened].phase == phase) {
		const struct part *part = &parts[service->opened++];
		if (part->open != NULL && (part->roles & 1u << service->role) != 0)
			kind = part->open(service, err);
	}
	return kind;
}

enum err_kind service_open(const struct settings *settings, enum service_role role,
			   struct service **service_out, struct error *err)
{
	struct service *service = calloc(1, sizeof(*service));
	if (service == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the service");
	service->settings = settings;
	service->role = role;
	service->poison_fd = -1;
	service->arena = arena_new("service", SERVICE_ARENA_MAX_BYTES);
	service->log = service_make_log(settings);
	service->platform_settings.graph_version =
		str_of(settings_text(settings, SETTING_ID_graph_version));
	service->platform_settings.linkedin_version =
		str_of(settings_text(settings, SETTING_ID_linkedin_version));
	snprintf(service->base_url, sizeof(service->base_url), "http://%s",
		 settings_text(settings, SETTING_ID_listen));
	set_public_url(service);
	const enum err_kind kind = open_parts(service, AT_OPEN, err);
	if (kind != ERR_NONE) {
		service_close(&service);
		return kind;
	}
	*service_out = service;
	return ERR_NONE;
}

enum err_kind service_listen(struct service *service, struct error *err)
{
	const enum err_kind kind = open_parts(service, AT_LISTEN, err);
	if (kind != ERR_NONE)
		return kind;
	service->started_boot_us = clock_boot_us(clock_system());
	LOG(&service->log, INFO, "service_started", log_str("version", STR(POSTHORN_VERSION)),
	    log_str("commit", str_of(posthorn_commit)),
	    log_str("mode", str_of(store_mode_name(service->mode))),
	    log_str("address", str_of(service->base_url)),
	    log_str("settings", settings_changed(service->settings, service->arena)));
	return ERR_NONE;
}

/* After everything else: nothing is under way any more. */
static void log_stop(const struct service *service)
{
	if (service->started_boot_us == 0)
		return;
	const int64_t up_us = clock_boot_us(clock_system()) - service->started_boot_us;
	LOG(&service->log, INFO, "service_stopped", log_str("version", STR(POSTHORN_VERSION)),
	    log_str("mode", str_of(store_mode_name(service->mode))),
	    log_int("uptime_s", up_us / US_PER_S),
	    log_str("why", atomic_load(&service->must_end) ? str_of(service->end_error.text)
							   : STR("it was told to")));
}

void service_close(struct service **service_pointer)
{
	struct service *service = *service_pointer;
	if (service == NULL)
		return;
	while (service->opened > 0) {
		const struct part *part = &parts[--service->opened];
		if (part->close != NULL && (part->roles & 1u << service->role) != 0)
			part->close(service);
	}
	log_stop(service);
	arena_free(&service->arena);
	free(service);
	*service_pointer = NULL;
}

/* ---- for its callers ---- */

const struct error *service_end_error(const struct service *service)
{
	return atomic_load(&service->must_end) ? &service->end_error : NULL;
}

const char *service_base_url(const struct service *service)
{
	return service->base_url;
}

const char *service_metrics_url(const struct service *service)
{
	return service->metrics.httpd != NULL ? service->metrics.base_url : NULL;
}

const char *service_dashboard_url(const struct service *service)
{
	return service->dashboard.httpd != NULL ? service->dashboard.base_url : NULL;
}

const char *service_public_address(const struct service *service)
{
	return service->public_url;
}

const char *service_dashboard_address(const struct service *service)
{
	return service->dashboard.httpd != NULL ? service->dashboard_url : service->public_url;
}

const char *service_feed_url(const struct service *service)
{
	return text_or_null(service->settings, SETTING_ID_sandbox);
}

bool service_needs_setup(struct service *service)
{
	return admin_needs_setup(service->admin);
}

struct str service_setup_link(struct service *service)
{
	return admin_setup_link(service->admin, service->arena);
}

const char *service_mode(const struct service *service)
{
	return store_mode_name(service->mode);
}

struct http_router *service_admin_router(struct service *service)
{
	return admin_router(service->admin);
}
