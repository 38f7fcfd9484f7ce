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
#include "count_of.h"
#include "random.h"

#include "url.h"

#include "seal.h"

#include "platform.h"

#include "store.h"
#include "store_delivery.h"
#include "store_guard.h"
#include "store_node.h"

#include "guard.h"
#include "spool.h"
#include "transfer_curl.h"

#include "engine.h"

#include "connect.h"
#include "delivery.h"
#include "hosted.h"
#include "webhook.h"

#include "httpd.h"

#include "api.h"

#include "admin.h"

#include "crash_point.h"
#include "fatal.h"
#include "heartbeat.h"
#include "poison.h"
#include "spool_sweeper.h"
#include "version.h"
#include "worker_router.h"

#define SERVICE_ARENA_MAX_BYTES 65536
/* the largest list answer (32 MiB) while it grows, beside the rows it is made of */
#define REQUEST_ARENA_BYTES ((size_t)64 << 20)
#define DRAIN_MS 20000 /* longer than a usual platform call */
#define HTTP_DRAIN_MS 10000
/* DESIGN.md section 5: /readyz fails when the oldest due delivery is later than this */
#define LATE_US (60 * US_PER_S)
/* the engine polls every 5 s: a turn this old means that its thread hangs */
#define STUCK_US (60 * US_PER_S)
#define DISK_FREE_MIN_BYTES ((uint64_t)64 << 20)
#define BEAT_MS 60000 /* RELIABILITY.md 2.6: the epoch is raised every minute */
#define POISON_ARENA_MAX_BYTES ((size_t)1 << 20)
/* Nobody wakes a worker when another node has accepted a post: it looks for itself, and this is
 * what a post may be late by it. */
#define SHARED_POLL_MS 250
#define SPOOL_SWEEP_US (10 * US_PER_MINUTE)
#define ENGINE_STACK_BYTES ((size_t)1 << 20)

struct service {
	const struct settings *settings;
	struct log log;
	struct arena *arena; /* paths: as long as the service */
	const char *data;
	enum service_role role;
	char public_url[512];
	char media_url[512];
	char base_url[512];
	struct platform_settings platform_settings;
	struct seal *seal;
	struct store *store;
	struct guard *guard;
	struct spool *spool;
	struct hosted hosted;
	struct spool_sweeper sweeper;
	struct transfer_curl *curl;
	struct engine *engine;
	struct engine *resting; /* never run: the place of sources that are not to be asked here */
	struct connector *connector;
	struct deliverer *deliverer;
	struct webhooker *webhooker;
	struct api *api;
	struct admin *admin;
	struct httpd *httpd;
	struct httpd *control;
	struct http_router *worker_router;
	struct crash_point crash_point;
	struct heartbeat *heartbeat;
	struct heartbeat *node_heartbeat;
	bool is_guarded;
	int poison_fd;
	pthread_t engine_thread;
	bool has_engine_thread;
};

/* ---- small parts ---- */

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

static enum err_kind make_data_directory(struct service *service, struct error *err)
{
	const char *path = settings_text(service->settings, SETTING_ID_data);
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		int native = errno;
		return error_set_native(err, ERR_INVALID, native,
					"the data directory %s cannot be made: %s", path,
					strerror(native));
	}
	service->data = path;
	return ERR_NONE;
}

static const char *path_in_data(const struct service *service, const char *name)
{
	return str_z(service->arena, str_format(service->arena, "%s/%s", service->data, name));
}

/* ---- opening, in the order of the layers ---- */

/* A key is made at the first start only: a new one would open nothing of what the database holds,
 * and hide that the old one is missing. */
static enum err_kind open_seal(struct service *service, struct error *err)
{
	const char *configured = text_or_null(service->settings, SETTING_ID_master_key_file);
	const char *path = configured != NULL ? configured : path_in_data(service, "master.key");
	bool holds_secrets = false;
	const bool is_missing = access(path, F_OK) != 0 && errno == ENOENT;
	enum err_kind kind =
		is_missing ? store_holds_secrets(service->store, &holds_secrets, err) : ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	if (holds_secrets)
		return error_set(err, ERR_INVALID,
				 "the master key file %s is missing, and the database holds "
				 "secrets that only it opens: put it back",
				 path);
	return seal_open_keyfile(path, random_system(), &service->seal, err);
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
		.epoch_path = path_in_data(service, "epoch"),
		.node_path = path_in_data(service, "node"),
		.is_owner = true,
		.is_sync_relaxed = crash_point_relaxes_sync(),
	};
	const enum err_kind kind = store_open(&config, &service->store, err);
	if (kind == ERR_NONE && service->role > SERVICE_ALL && !store_is_shared(service->store))
		return error_set(err, ERR_INVALID,
				 "only nodes that share a PostgreSQL database can do one half of "
				 "the work: give --database postgres://...");
	return kind;
}

/* ---- one of several nodes ---- */

static void tell_node(struct service *service)
{
	static const char *const roles[] = {[SERVICE_COMMAND] = "command",
					    [SERVICE_ALL] = "all",
					    [SERVICE_API] = "api",
					    [SERVICE_WORKER] = "worker"};
	char name[256] = "";
	struct error err = {0};
	gethostname(name, sizeof(name) - 1);
	const struct node_row node = {
		.name = str_of(name),
		.role = str_of(roles[service->role]),
		.address = str_of(service->base_url),
		.version = STR(POSTHORN_VERSION),
	};
	if (store_node_tell(service->store, &node, &err) != ERR_NONE)
		LOG(&service->log, WARN, "node_not_told", log_str("error", str_of(err.text)));
}

/* CONFLICT: our row is another's, or was lost with the tail of a database; it is made again. */
static void beat_node(void *context)
{
	struct service *service = context;
	struct error err = {0};
	int64_t taken = 0;
	const enum err_kind kind = store_node_beat(service->store, &taken, &err);
	if (kind != ERR_NONE)
		LOG(&service->log, WARN, "node_not_heard", log_str("error", str_of(err.text)));
	if (kind == ERR_CONFLICT)
		tell_node(service);
	if (taken == 0)
		return;
	LOG(&service->log, WARN, "work_of_dead_node_taken", log_int("accounts", taken));
	deliverer_wake(service->deliverer);
}

static enum err_kind open_node(struct service *service, struct error *err)
{
	if (!store_is_shared(service->store))
		return ERR_NONE;
	tell_node(service);
	service->sweeper = (struct spool_sweeper){
		.spool = service->spool,
		.store = service->store,
		.clock = store_clock(service->store),
		.every_us =
			SPOOL_SWEEP_US / settings_number(service->settings, SETTING_ID_time_scale),
	};
	spool_sweeper_add(&service->sweeper, service->engine);
	return heartbeat_start(NODE_BEAT_MS, beat_node, service, &service->node_heartbeat, err);
}

static void raise_epoch(void *context)
{
	struct service *service = context;
	struct error err = {0};
	if (store_guard_beat(service->store, clock_now_us(store_clock(service->store)), &err) !=
	    ERR_NONE)
		LOG(&service->log, WARN, "epoch_not_raised", log_str("error", str_of(err.text)));
}

/* Was the database put back from a backup? Before anything is delivered. */
static enum err_kind open_restore_guard(struct service *service, struct error *err)
{
	struct guard_start start = {0};
	const int64_t lineage = (int64_t)random_below(random_system(), (uint64_t)INT64_MAX) + 1;
	enum err_kind kind = store_guard_start(
		service->store, lineage, clock_now_us(store_clock(service->store)), &start, err);
	if (kind != ERR_NONE)
		return error_add(err, "epoch");
	service->is_guarded = true;
	if (epoch_means_restore(start.finding))
		LOG(&service->log, WARN, "database_restored",
		    log_str("why", str_of(epoch_sentence(start.finding))),
		    log_int("deliveries_held", start.marked_count));
	return heartbeat_start(BEAT_MS, raise_epoch, service, &service->heartbeat, err);
}

static bool set_aside(void *context, struct str delivery_id)
{
	struct service *service = context;
	struct error err = {0};
	bool is_marked = false;
	if (store_hold_poison(service->store, delivery_id, &is_marked, &err) != ERR_NONE)
		return false;
	if (is_marked)
		LOG(&service->log, ERROR, "delivery_set_aside", log_str("delivery", delivery_id),
		    log_str("why", STR("it stopped the service three times")));
	return true;
}

/* What the program died on again and again is set aside; what it dies on from here on will be
 * noted. */
static enum err_kind open_quarantine(struct service *service, struct error *err)
{
	const char *directory = path_in_data(service, "poison");
	struct arena *arena = arena_new("poison", POISON_ARENA_MAX_BYTES);
	enum err_kind kind = poison_sweep(arena, directory, set_aside, service, err);
	if (kind == ERR_NONE)
		kind = poison_open(arena, directory, &service->poison_fd, err);
	arena_free(&arena);
	if (kind == ERR_NONE)
		fatal_install(service->poison_fd);
	return kind;
}

static void delivery_stepping(void *context, const struct delivery_work *work)
{
	const struct service *service = context;
	fatal_set_delivery(work != NULL ? work->id : STR(""));
	crash_point_step(&service->crash_point, work);
}

static enum err_kind open_guard(struct service *service, struct error *err)
{
	const struct setting *allow = &service->settings->values[SETTING_ID_media_allow];
	const struct setting *port_list = &service->settings->values[SETTING_ID_media_port];
	uint16_t ports[SETTING_LIST_MAX];
	for (size_t i = 0; i < port_list->list_count; i++) {
		uint64_t port;
		if (!str_parse_u64(str_of(port_list->list[i]), &port) || port < 1 || port > 65535)
			return error_set(err, ERR_INVALID, "media-port: \"%s\" is no port",
					 port_list->list[i]);
		ports[i] = (uint16_t)port;
	}
	const struct guard_config config = {
		.allow_cidrs = allow->list,
		.allow_cidr_count = allow->list_count,
		.ports = ports,
		.port_count = port_list->list_count,
		.refuse_own_addresses = true, /* RELIABILITY.md 4.1, API7 */
	};
	return guard_new(&config, &service->guard, err) == ERR_NONE ? ERR_NONE
								    : error_add(err, "media-allow");
}

static enum err_kind open_spool(struct service *service, struct error *err)
{
	const struct spool_config config = {
		.directory = path_in_data(service, "spool"),
		.budget_bytes = settings_number(service->settings, SETTING_ID_spool_budget)};
	return spool_open(&config, &service->spool, err);
}

static enum err_kind open_transport(struct service *service, struct error *err)
{
	const struct transfer_curl_config config = {
		.sandbox_url = text_or_null(service->settings, SETTING_ID_sandbox),
		.https_only = true,
		.guard = service->guard,
		.clock = store_clock(service->store),
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

static enum err_kind engine_store_write(void *context, engine_command command, void *argument,
					struct error *err)
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
		.clock = store_clock(service->store),
		.log = &service->log,
		.probe = service->crash_point.name[0] != '\0' ? crash_point_pass : NULL,
		.probe_context = &service->crash_point,
		.idle_poll_ms = store_is_shared(service->store) ? SHARED_POLL_MS : 0,
	};
	const enum err_kind kind = engine_new(&config, &service->engine, err);
	return kind == ERR_NONE && service->role == SERVICE_API
		       ? engine_new(&config, &service->resting, err)
		       : kind;
}

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
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
	};
	return connector_new(&config, &service->connector, err);
}

/* Where the sources of deliveries are asked for work: nowhere on a node that leaves them to
 * others. */
static struct engine *delivering_engine(const struct service *service)
{
	return service->resting != NULL ? service->resting : service->engine;
}

static bool disk_is_full(const struct service *service)
{
	struct statvfs disk;
	return statvfs(service->data, &disk) == 0 &&
	       (uint64_t)disk.f_bavail * disk.f_frsize < DISK_FREE_MIN_BYTES;
}

static bool has_disk_room(void *context)
{
	return !disk_is_full(context);
}

static enum err_kind open_deliverer(struct service *service, struct error *err)
{
	service->hosted = (struct hosted){
		.seal = service->seal,
		.spool = service->spool,
		.clock = store_clock(service->store),
		.random = random_system(),
		.public_url = service->media_url,
	};
	const struct deliverer_config config = {
		.store = service->store,
		.seal = service->seal,
		.spool = service->spool,
		.hosted = &service->hosted,
		.engine = delivering_engine(service),
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.settings = &service->platform_settings,
		.stepping = delivery_stepping,
		.stepping_context = service,
		.has_disk_room = has_disk_room,
		.disk_context = service,
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
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
	};
	return admin_new(&config, &service->admin, err);
}

static const char *check_media_url(void *context, struct arena *arena, struct str url)
{
	return guard_check_url(context, arena, url);
}

/* A green light that does not see a stuck queue is worth nothing (RELIABILITY.md finding 10). */
static bool is_ready(void *context, char *reason, size_t reason_size)
{
	struct service *service = context;
	struct error err = {0};
	int64_t now_us = clock_now_us(store_clock(service->store));
	int64_t oldest_due_us = 0;
	reason[0] = '\0';
	if (store_check(service->store, &err) != ERR_NONE ||
	    store_delivery_oldest_due(service->store, now_us, &oldest_due_us, &err) != ERR_NONE) {
		/* paths are not for the public */
		LOG(&service->log, ERROR, "store_not_ready", log_str("error", str_of(err.text)));
		snprintf(reason, reason_size, "the store does not work");
	} else if (disk_is_full(service))
		snprintf(reason, reason_size, "the disk of the data directory is full");
	else if (clock_boot_us(store_clock(service->store)) -
			 engine_last_turn_boot_us(service->engine) >
		 STUCK_US)
		snprintf(reason, reason_size, "the delivery engine does not turn");
	else if (service->role != SERVICE_API && oldest_due_us != 0 &&
		 now_us - oldest_due_us > LATE_US)
		snprintf(reason, reason_size, "the oldest due post is %lld s late",
			 (long long)((now_us - oldest_due_us) / US_PER_S));
	return reason[0] == '\0';
}

static int64_t held_count(void *context)
{
	struct service *service = context;
	int64_t asking = 0;
	int64_t held = 0;
	store_hold_count(service->store, HOLD_ASKING, &asking, NULL);
	store_hold_count(service->store, HOLD_HELD, &held, NULL);
	return asking + held;
}

static void read_gauges(void *context, struct api_gauges *out)
{
	const struct service *service = context;
	const struct engine_figures engine = engine_figures(service->engine);
	struct statvfs disk;
	*out = (struct api_gauges){
		.deliveries_in_flight = deliverer_in_flight(service->deliverer),
		.engine_turns = engine.turns,
		.engine_tasks = engine.tasks,
		.engine_turn_age_us =
			clock_boot_us(store_clock(service->store)) - engine.last_turn_boot_us,
		.spool_bytes = spool_used_bytes(service->spool),
		.spool_budget_bytes = settings_number(service->settings, SETTING_ID_spool_budget),
	};
	if (statvfs(service->data, &disk) == 0)
		out->disk_free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
}

static enum err_kind open_api(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	const struct api_config config = {
		.store = service->store,
		.connector = service->connector,
		.deliverer = service->deliverer,
		.seal = service->seal,
		.hosted = &service->hosted,
		.clock = store_clock(service->store),
		.random = random_system(),
		.log = &service->log,
		.media_url_check = {check_media_url, service->guard},
		.token_ttl_s = settings_number(settings, SETTING_ID_token_ttl),
		.rate_limit_per_minute = settings_number(settings, SETTING_ID_rate_limit),
		.token_failure_limit_per_minute =
			settings_number(settings, SETTING_ID_token_failure_limit),
		.is_sandbox = text_or_null(settings, SETTING_ID_sandbox) != NULL,
		.is_ready = is_ready,
		.is_ready_context = service,
		.held_count = held_count,
		.gauges = read_gauges,
		.is_metrics_off = strcmp(settings_text(settings, SETTING_ID_metrics), "off") == 0,
		.version = POSTHORN_VERSION,
	};
	return api_new(&config, &service->api, err);
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
		.time_scale = settings_number(service->settings, SETTING_ID_time_scale),
	};
	enum err_kind kind = webhooker_new(&config, &service->webhooker, err);
	if (kind == ERR_NONE)
		api_set_webhooker(service->api, service->webhooker);
	return kind;
}

static void serve_as_app(void *context, const struct app_row *app, struct http_request *request,
			 struct http_response *response)
{
	api_serve_as(context, app, request, response);
}

static enum err_kind open_dashboard(struct service *service, struct error *err)
{
	const struct settings *settings = service->settings;
	const struct admin_web_config config = {
		.public_url = service->public_url,
		.sandbox_url = text_or_null(settings, SETTING_ID_sandbox),
		.version = POSTHORN_VERSION,
		.session_idle_s = settings_number(settings, SETTING_ID_session_idle),
		.session_lifetime_s = settings_number(settings, SETTING_ID_session_lifetime),
		.deliverer = service->deliverer,
		.webhooker = service->webhooker,
		.app_port = {serve_as_app, service->api},
		.is_ready = is_ready,
		.is_ready_context = service,
	};
	return admin_web_open(service->admin, &config, api_router(service->api), err);
}

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
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, ENGINE_STACK_BYTES);
	int native = pthread_create(&service->engine_thread, &attributes, engine_main, service);
	pthread_attr_destroy(&attributes);
	if (native != 0)
		return error_set_native(err, ERR_INTERNAL, native,
					"the engine's thread cannot be started: %s",
					strerror(native));
	service->has_engine_thread = true;
	return ERR_NONE;
}

typedef enum err_kind (*opener)(struct service *service, struct error *err);

struct str service_public_url(const struct settings *settings, struct arena *arena,
			      struct str base_url)
{
	static const uint8_t anywhere[16];
	const char *configured = text_or_null(settings, SETTING_ID_public_url);
	struct url url;
	if (configured != NULL)
		return str_of(configured);
	if (url_parse(arena, base_url, &url, NULL) != ERR_NONE || url.host_kind == URL_HOST_NAME ||
	    memcmp(url.address, anywhere, url.host_kind == URL_HOST_IPV4 ? 4 : 16) != 0)
		return base_url;
	url.host = url.host_kind == URL_HOST_IPV4 ? STR("127.0.0.1") : STR("::1");
	return url_origin(arena, &url);
}

static void set_public_url(struct service *service)
{
	struct str url =
		service_public_url(service->settings, service->arena, str_of(service->base_url));
	const char *media_url = text_or_null(service->settings, SETTING_ID_media_url);
	snprintf(service->public_url, sizeof(service->public_url), STR_FMT, STR_ARG(url));
	snprintf(service->media_url, sizeof(service->media_url), "%s",
		 media_url != NULL ? media_url : service->public_url);
}

enum err_kind service_open(const struct settings *settings, enum service_role role,
			   struct service **service_out, struct error *err)
{
	struct service *service = calloc(1, sizeof(*service));
	if (service == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the service");
	const bool delivers = role != SERVICE_COMMAND;
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

	const opener openers[] = {
		/* makes nothing: a bad range or port stops the start before anything is there */
		open_guard,
		make_data_directory,
		open_store,
		open_seal,
		delivers ? open_restore_guard : NULL,
		delivers ? open_quarantine : NULL,
		open_spool,
		open_transport,
		open_engine,
		open_connector,
		delivers ? open_deliverer : NULL,
		open_admin,
		delivers ? open_api : NULL,
		delivers ? open_webhooker : NULL,
		delivers ? open_dashboard : NULL,
		delivers ? open_node : NULL,
		delivers ? NULL : start_engine,
	};
	for (size_t i = 0; i < COUNT_OF(openers); i++) {
		enum err_kind kind = openers[i] != NULL ? openers[i](service, err) : ERR_NONE;
		if (kind != ERR_NONE) {
			service_close(&service);
			return kind;
		}
	}
	*service_out = service;
	return ERR_NONE;
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
		.router = service->worker_router != NULL ? service->worker_router
							 : api_router(service->api),
		.log = &service->log,
		.random = random_system(),
		.threads = (unsigned)settings_number(service->settings, SETTING_ID_threads),
		.arena_max_bytes = REQUEST_ARENA_BYTES,
	};
	/* With port 0 our own address is known only when the listener's threads run already: nobody
	 * is answered before. */
	bool is_free_port = str_has_suffix(str_of(listen), STR(":0"));
	api_set_open(service->api, !is_free_port);
	if (httpd_open(&config, &service->httpd, err) != ERR_NONE)
		return error_add(err, "listen");
	struct str base = httpd_base_url(service->httpd);
	snprintf(service->base_url, sizeof(service->base_url), STR_FMT, STR_ARG(base));
	if (is_free_port)
		set_public_url(service);
	api_set_open(service->api, true);
	return ERR_NONE;
}

enum err_kind service_listen(struct service *service, struct error *err)
{
	const struct httpd_config control = {
		.unix_path = path_in_data(service, "control.sock"),
		.router = admin_router(service->admin),
		.log = &service->log,
		.random = random_system(),
		.threads = 2,
	};
	enum err_kind kind = open_listener(service, err);
	if (kind != ERR_NONE)
		return kind;
	if (httpd_open(&control, &service->control, err) != ERR_NONE)
		return error_add(err, "%s", control.unix_path);
	if (store_is_shared(service->store))
		tell_node(service); /* with the address that it is reached at */
	/* Not before our own address is known and answers: the first deliveries may hand out
	 * addresses of files here. */
	return start_engine(service, err);
}

const char *service_base_url(const struct service *service)
{
	return service->base_url;
}

const struct log *service_log(const struct service *service)
{
	return &service->log;
}

struct str service_setup_link(struct service *service)
{
	return admin_setup_link(service->admin, service->arena);
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
	if (service->control != NULL)
		httpd_close(&service->control, HTTP_DRAIN_MS); /* takes control.sock away */
	if (service->httpd != NULL)
		httpd_close(&service->httpd, HTTP_DRAIN_MS);
	heartbeat_stop(&service->node_heartbeat);
	if (service->has_engine_thread) {
		engine_stop(service->engine);
		pthread_join(service->engine_thread, NULL);
	}
	admin_free(&service->admin);
	engine_free(&service->engine);
	engine_free(&service->resting);
	webhooker_free(&service->webhooker);
	http_router_free(&service->worker_router);
	api_free(&service->api);
	deliverer_free(&service->deliverer);
	connector_free(&service->connector);
	transfer_curl_close(&service->curl);
	spool_close(&service->spool);
	guard_free(&service->guard);
	heartbeat_stop(&service->heartbeat);
	if (service->is_guarded)
		/* what was copied while we ran is the older one from here on */
		raise_epoch(service);
	store_close(&service->store);
	if (service->poison_fd >= 0) {
		fatal_install(-1);
		close(service->poison_fd);
	}
	seal_free(&service->seal);
	arena_free(&service->arena);
	free(service);
	*service_pointer = NULL;
}
