/* SPDX-License-Identifier: Apache-2.0
 * The service's parts, shared by the files of the service: service.c opens and closes them,
 * guarding.c, health.c and node.c are parts with more to them. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

#include "platform.h"

#include "store.h"
#include "store_identity.h"

#include "media_files.h"

#include "hosted.h"

#include "admin.h"

#include "crash_point.h"
#include "heartbeat.h"
#include "service.h"
#include "spool_sweeper.h"

struct admin;
struct api;
struct api_gauges;
struct connector;
struct delivery_work;
struct deliverer;
struct engine;
struct fetcher;
struct guard;
struct health;
struct http_hosts;
struct media_uploads;
struct http_proxies;
struct http_router;
struct httpd;
struct log_queue;
struct sandbox_worlds;
struct test_apps_lease;
struct seal;
struct spool;
struct transfer_curl;
struct webhooker;

/* of a URL from the settings, or "http://" and the address we listen on */
#define SERVICE_URL_BYTES (SETTINGS_URL_MAX_BYTES + 1)

/* the largest list answer (32 MiB) while it grows, and the rows it is made of */
#define SERVICE_REQUEST_ARENA_BYTES ((size_t)64 << 20)
/* Of bodies under way (docs/adr/0011). A buffer that grows may take twice as much. */
#define SERVICE_BODY_BYTES_MAX ((size_t)64 << 20)
#define SERVICE_BODY_BYTES_OF_ADDRESS_MAX ((size_t)16 << 20)

/* A listener beside the public one; all NULL when the settings name none. */
struct side {
	struct http_hosts *hosts;
	struct http_router *router;
	struct httpd *httpd;
	char base_url[SERVICE_URL_BYTES];
};

/* test_apps.h */
struct test_apps {
	/* where browsers see the sandbox; "" = not known yet */
	char url[SERVICE_URL_BYTES + sizeof("/sandbox")];
	struct sandbox_worlds *worlds;
	struct http_router *inside; /* of the socket */
	struct httpd *socket;
	struct side seen;              /* --sandbox-listen */
	struct test_apps_lease *lease; /* which node has it; NULL = the database is ours alone */
	struct heartbeat *heartbeat;
	int64_t ended_since_us; /* what ended before was forgotten */
	/* Calls that other nodes have handed on and that are under way: all but browsers', and
	 * browsers'. */
	atomic_int relayed;
	atomic_int relayed_browsers;
	atomic_bool is_ending;
};

struct service {
	const struct settings *settings;
	struct log log;
	struct arena *arena; /* paths: as long as the service */
	const char *data;
	enum service_role role;
	int64_t started_boot_us; /* 0 = it did not */
	size_t opened;           /* rows of service.c's table of parts */
	/* Others keep a pointer to these four: a free port is filled in after they were given
	 * it. */
	char public_url[SERVICE_URL_BYTES];
	char dashboard_url[SERVICE_URL_BYTES]; /* where its pages are */
	char media_url[SERVICE_URL_BYTES];
	char base_url[SERVICE_URL_BYTES];
	struct platform_settings platform_settings;
	struct seal *seal;
	const char *key_path;
	enum store_mode mode;
	const char *closed_why;   /* a command in the other mode asks no platform; else NULL */
	atomic_bool is_key_other; /* a record that another master key sealed was met */
	struct store *store;
	struct guard *guard;
	struct spool *spool;
	struct hosted hosted;
	struct media_files media_files;
	struct media_uploads *uploads;
	int64_t strays_at_us;  /* boot clock: when the media store is looked through again */
	int64_t avatars_at_us; /* and the pictures of accounts */
	int64_t expiry_at_us;  /* and when files expire again */
	struct heartbeat *media_heartbeat;
	struct heartbeat *words_heartbeat;
	bool are_words_open; /* of the heartbeat's thread, as the next */
	bool have_words_failed;
	struct spool_sweeper sweeper;
	struct transfer_curl *curl;
	struct engine *engine;
	/* Never run: takes the sources of a node that leaves deliveries to others. */
	struct engine *idle_engine;
	struct connector *connector;
	struct deliverer *deliverer;
	struct looker *looker;
	struct s3 *media_bucket; /* NULL: uploaded files are in a directory */
	struct fetcher *fetcher;
	struct webhooker *webhooker;
	struct log_queue *access_log;
	struct api *api;
	struct admin *admin;
	struct http_proxies *proxies;
	struct http_hosts *hosts; /* of the public listener */
	bool has_proxy_sign_in;
	struct admin_proxy_sign_in proxy_sign_in;
	struct httpd *httpd;
	struct side metrics;
	struct side dashboard;
	struct httpd *control;
	struct test_apps test_apps;
	struct http_router *worker_router;
	struct crash_point crash_point;
	struct heartbeat *guard_heartbeat;
	struct heartbeat *node_heartbeat;
	struct heartbeat *erase_heartbeat;
	_Atomic bool must_end; /* for end_error: set before the signal that ends us */
	struct error end_error;
	struct health *health;
	bool is_guarded;
	int poison_fd;
	pthread_t engine_thread;
	bool has_engine_thread;
};

/* "DATA/NAME", as long as the service. */
static inline const char *service_path(const struct service *service, const char *name)
{
	return str_z(service->arena, str_format(service->arena, "%s/%s", service->data, name));
}

/* ---- service.c, for its test ---- */

/* How the world reaches a service at base_url: the public-url setting, else base_url, with loopback
 * in place of an any-address such as 0.0.0.0. In arena. */
struct str service_public_url(const struct settings *settings, struct arena *arena,
			      struct str base_url);

/* ---- service.c ---- */

/* base_url, with loopback in place of an any-address. In arena. */
struct str service_reachable_url(struct arena *arena, struct str base_url);

/* ---- sign_in.c ---- */

/* Reads the settings of sign-in by a proxy into service->proxy_sign_in. INVALID: one is missing or
 * wrong, with its name. */
enum err_kind sign_in_open(struct service *service, struct error *err);

/* ---- listeners.c: hosts, trusted proxies, and the listeners beside the public one ---- */

/* Reads the settings about both, and listens nowhere. INVALID: a setting, with its name. */
enum err_kind listeners_open_rules(struct service *service, struct error *err);
void listeners_close_rules(struct service *service);
/* Opens the listeners of the metrics and of the dashboard, where they are wanted. Errors as
 * httpd_open(), with the setting's name. */
enum err_kind listeners_open_sides(struct service *service, struct error *err);
void listeners_close_sides(struct service *service);

/* The quotas that the settings give to apps without their own. */
struct quota_limits service_quotas(const struct settings *settings);

/* ---- identity.c: what a start must agree with ---- */

/* Before the database is opened, and so made: is the one that ran here gone? INVALID. */
enum err_kind identity_check_file(const struct service *service, const char *url,
				  struct error *err);
/* The same once it is open, for a database that has its tables and nothing in them. */
enum err_kind identity_check_content(const struct service *service, const char *url,
				     struct error *err);
/* INVALID: another master key sealed the database's secrets. */
enum err_kind identity_check_key(struct service *service, struct error *err);
/* INVALID: a node that runs on the database does not open what our master key seals: the first step
 * of a change was left out. A node of an older program does not say, and passes. */
enum err_kind identity_check_nodes(struct service *service, struct error *err);
/* node_row.key_names of this process. */
struct str identity_key_names(const struct service *service, struct arena *arena);
enum key_finding {
	KEY_RIGHT, /* the master key sealed every secret */
	KEY_OLD,   /* some are sealed with an old key */
	KEY_OTHER  /* some with a key that is not given, or it cannot be known */
};
/* The same while the service runs, for the doctor; context is the service. The sentence names the
 * keys and counts their records, or says what is wrong. */
enum key_finding identity_key_finding(void *context, struct arena *arena, struct str *sentence_out);
/* deliverer_config.key_is_other, webhooker_config.key_is_other; context is the service. From here
 * on nothing is claimed, and the service is not ready. */
void identity_note_other_key(void *context, struct str why);
/* INVALID: the database belongs to the other mode, live or sandbox. Writes it down where it is not
 * known. */
enum err_kind identity_check_mode(struct service *service, struct error *err);
/* For a command, which changes nothing: in the other mode it may read, but asks no platform. */
enum err_kind identity_learn_mode(struct service *service, struct error *err);

/* ---- examine.c ---- */

struct admin_findings;
/* admin_config.examine; context is the service. */
void examine_service(void *context, struct arena *arena, struct admin_findings *out);

/* ---- guarding.c: the restore guard and the quarantine ---- */

/* Was the database restored from a backup? Holds what is due then, and raises the epoch from now
 * on. Before anything is delivered. */
enum err_kind guarding_open_epoch(struct service *service, struct error *err);
/* Raises the epoch once more. The store is still open. */
void guarding_close_epoch(struct service *service);
/* Sets aside the deliveries that stopped the service again and again, and begins to note those that
 * stop it from now on. */
enum err_kind guarding_open_quarantine(struct service *service, struct error *err);
void guarding_close_quarantine(struct service *service);
/* ---- words.c ---- */

/* Begins to keep the index of words behind the posts; ends with the beat that runs. */
enum err_kind words_start(struct service *service, struct error *err);
void words_stop(struct service *service);

/* ---- media_store.c ---- */

/* Where uploaded files are, and who takes them: media_files, media_bucket, uploads. INVALID: the
 * settings, or the bucket refuses us. */
enum err_kind media_store_open(struct service *service, struct error *err);
void media_store_close(struct service *service);

/* deliverer_config.stepping; context is the service. */
void guarding_note_step(void *context, const struct delivery_work *work);

/* ---- health.c: what readiness and metrics ask; context is the service ----
 * A thread of its own asks the store. Others are answered from what it found last, within half a
 * second, even while the database hangs (design.md 5). */

/* Begins with a first probe. */
enum err_kind health_open(struct service *service, struct error *err);
/* Waits for a running probe. */
void health_close(struct service *service);
bool health_has_disk_room(void *context);
/* May deliveries and webhooks be claimed? Not without room on the disk, and not with another master
 * key than theirs. */
bool health_may_claim(void *context);
/* Has the engine begun a turn in the last minute? For the watchdog; context is the service. */
bool health_is_turning(void *context);
/* Not with another master key; room on the disk is another matter. */
bool health_has_key(void *context);
/* api_config.is_ready: fills reason and returns false when the store cannot be written or is
 * damaged, its secrets need another master key, the disk is full or the engine does not turn. */
bool health_is_ready(void *context, char *reason, size_t reason_size);
/* api_config.is_delivering: false too when a due delivery that has room to run is late. */
bool health_is_delivering(void *context, char *reason, size_t reason_size);
int64_t health_held_count(void *context);
/* admin_config.media_use. */
void health_media_use(void *context, struct str app_id, int64_t *bytes_out, int64_t *files_out);
void health_read_gauges(void *context, struct api_gauges *out);

/* ---- node.c: this process as one of several on one database ---- */

/* Adds our row and renews it from now on. Does nothing where the database is ours alone. */
enum err_kind node_open(struct service *service, struct error *err);
void node_close(struct service *service);
/* Writes our row with the address we are reached at now. */
void node_announce(struct service *service);
