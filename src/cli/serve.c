/* SPDX-License-Identifier: Apache-2.0
 * The commands that run until a signal ends them: serve, worker and sandbox. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "count_of.h"
#include "log.h"
#include "random.h"

#include "spawner.h"

#include "sandbox.h"

#include "commands.h"
#include "containment.h"
#include "reload.h"
#include "service_private.h"
#include "systemd.h"

/* Before any thread starts, so that only wait_for_end() receives them. */
static void block_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, set, NULL);
}

/* True: SIGHUP. False: the process is to end. */
static bool wait_for_signal(const sigset_t *set)
{
	int signal_number;
	while (sigwait(set, &signal_number) != 0)
		;
	return signal_number == SIGHUP;
}

static void run_until_end(struct service *service, const struct settings *settings,
			  const sigset_t *set)
{
	while (wait_for_signal(set)) {
		systemd_notify_reloading();
		reload_settings(service, settings);
		systemd_notify("READY=1");
	}
}

/* Why the service did not start, or ended by itself: plain, or JSON where all of standard error
 * is. */
static int report(const struct settings *settings, const struct error *err)
{
	const struct log log = service_make_log(settings);
	if (log.format == LOG_FORMAT_TEXT)
		fprintf(stderr, "posthorn: %s\n", err->text);
	else
		LOG(&log, ERROR, "not_running", log_str("message", str_of(err->text)));
	return 1;
}

/* A full listener has 64 threads of 100 connections, and the engine's transfers come on top: raises
 * the soft limit of descriptors, usually 1,024, as far as is allowed. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* A line for whoever starts the service: plain, or JSON where all of standard error is. what may
 * end with a URL (NULL = it does not). */
static void say(const struct log *log, const char *event, const char *what, const char *url)
{
	const char *tail = url != NULL ? url : "";
	if (log->format == LOG_FORMAT_TEXT)
		fprintf(stderr, "posthorn: %s%s%s\n", what, url != NULL ? " " : "", tail);
	else
		LOG(log, INFO, event, log_str("message", str_of(what)),
		    log_str("url", str_of(tail)));
}

/* Whatever is logged: what was started must be known. */
static struct log start_log(const struct settings *settings)
{
	struct log log = service_make_log(settings);
	log.level = LOG_INFO;
	return log;
}

/* The link makes its holder the first admin: it is shown to who sits at a terminal, or where
 * nothing is at stake, and not to a journal that others read. */
static void print_setup_link(struct service *service, const struct log *log, struct arena *arena)
{
	const bool may_show =
		isatty(STDERR_FILENO) || strcmp(service_mode(service), "sandbox") == 0;
	if (!service_needs_setup(service))
		return;
	const struct str link = may_show ? service_setup_link(service) : STR("");
	if (!str_is_empty(link))
		say(log, "setup_link",
		    "nobody can sign in to the dashboard yet; make the first admin within ten "
		    "minutes at",
		    str_z(arena, link));
	else
		say(log, "setup_needed",
		    "nobody can sign in to the dashboard yet; make the first admin with the link "
		    "that `posthorn admin setup-link` prints",
		    NULL);
}

static const char *mode_sentence(const struct service *service)
{
	return strcmp(service_mode(service), "sandbox") == 0
		       ? "sandbox mode: every platform call goes to the sandbox, none to a platform"
		       : "live mode: posts go to the real platforms";
}

/* Where to look, by the addresses that browsers use. */
static void say_places(struct service *service, const struct log *log, struct arena *arena)
{
	const struct str public_url = str_of(service_public_address(service));
	const struct str dashboard = str_of(service_dashboard_address(service));
	const char *feed = service_feed_url(service);
	say(log, "dashboard", "look at the dashboard at",
	    str_z(arena, str_concat(arena, dashboard, STR("/dashboard"))));
	say(log, "docs", "read the API reference at",
	    str_z(arena, str_concat(arena, public_url, STR("/docs"))));
	if (feed != NULL)
		say(log, "feed", "see what the sandbox's platforms show at",
		    str_z(arena, str_concat(arena, str_of(feed), STR("/"))));
}

static void say_all(struct service *service, const struct log *log, struct arena *arena,
		    enum service_role role)
{
	const char *dashboard = service_dashboard_url(service);
	const char *metrics = service_metrics_url(service);
	if (role != SERVICE_WORKER)
		print_setup_link(service, log, arena);
	say(log, "mode", mode_sentence(service), NULL);
	if (dashboard != NULL)
		say(log, "dashboard_listening", "dashboard on",
		    str_z(arena, str_concat(arena, str_of(dashboard), STR("/dashboard"))));
	if (metrics != NULL)
		say(log, "metrics_listening", "metrics on",
		    str_z(arena, str_concat(arena, str_of(metrics), STR("/metrics"))));
	if (role != SERVICE_WORKER)
		say_places(service, log, arena);
	say(log, "listening", "listening on", service_base_url(service));
}

static int run_service(const struct settings *settings, enum service_role role)
{
	struct service *service = NULL;
	struct error err = {0};
	struct watchdog *watchdog = NULL;
	sigset_t signals;
	block_signals(&signals);
	raise_descriptor_limit();
	if (service_open(settings, role, &service, &err) != ERR_NONE)
		return report(settings, &err);
	if (service_listen(service, &err) != ERR_NONE) {
		service_close(&service);
		return report(settings, &err);
	}
	const struct log log = start_log(settings);
	say_all(service, &log, settings->arena, role);
	if (systemd_watchdog_start(health_is_turning, service, &watchdog, &err) != ERR_NONE)
		LOG(&log, WARN, "no_watchdog", log_str("error", str_of(err.text)));
	char state[128];
	snprintf(state, sizeof(state), "READY=1\nSTATUS=%s", mode_sentence(service));
	systemd_notify(state);
	run_until_end(service, settings, &signals);
	systemd_notify("STOPPING=1");
	systemd_watchdog_stop(&watchdog);
	const struct error *why = service_end_error(service);
	const bool is_told = why == NULL;
	err = is_told ? (struct error){0} : *why;
	service_close(&service);
	return is_told ? 0 : report(settings, &err);
}

/* The spawner comes first: the service holds nothing yet that it could take along. */
static int run_with_spawner(const struct command *command, enum service_role role)
{
	struct settings settings = *command->settings;
	struct error err = {0};
	if (systemd_take_sockets(&settings, &err) != ERR_NONE)
		return report(&settings, &err);
	if (spawner_start("/proc/self/exe", &settings.spawner, &err) != ERR_NONE)
		return report(&settings, &err);
	const int status = run_service(&settings, role);
	spawner_stop(&settings.spawner);
	return status;
}

int command_serve(const struct command *command)
{
	const bool is_whole = command->arguments->no_deliver == NULL;
	return run_with_spawner(command, is_whole ? SERVICE_ALL : SERVICE_API);
}

int command_worker(const struct command *command)
{
	return run_with_spawner(command, SERVICE_WORKER);
}

#define SANDBOX_DATA_DEFAULT "./posthorn-data/sandbox"

/* Where the sandbox's state is kept: --data; not below it, where nothing else is said. NULL: in
 * memory. The directory is made before the containment, which shows only what is there. */
static enum err_kind sandbox_directory(const struct settings *settings, const char **out,
				       struct error *err)
{
	const struct setting *data = &settings->values[SETTING_ID_data];
	const bool is_default = data->source == SETTING_FROM_DEFAULT;
	const char *path = is_default ? SANDBOX_DATA_DEFAULT : data->text;
	*out = path[0] != '\0' ? path : NULL;
	if (path[0] == '\0')
		return ERR_NONE;
	if (is_default)
		mkdir(data->text, 0700); /* what is wrong with it shows at the next one */
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return ERR_NONE;
	return error_set_native(err, ERR_INVALID, errno, "cannot make the directory %s: %s", path,
				strerror(errno));
}

/* Nobody named the directory, so nobody relies on it: a second sandbox goes on without. */
static enum err_kind open_sandbox(const struct settings *settings, struct sandbox_config *config,
				  struct sandbox **out, struct error *err)
{
	const enum err_kind kind = sandbox_open(config, out, err);
	const bool is_named = settings->values[SETTING_ID_data].source != SETTING_FROM_DEFAULT;
	if (kind != ERR_CONFLICT || is_named || config->directory == NULL)
		return kind;
	LOG(config->log, WARN, "sandbox_not_kept", log_str("why", str_of(err->text)),
	    log_str("meaning", STR("what happens in this one is gone at its end: --data DIR "
				   "gives it a directory of its own")));
	config->directory = NULL;
	return sandbox_open(config, out, err);
}

int command_sandbox(const struct command *command)
{
	struct sandbox *sandbox = NULL;
	struct error err = {0};
	sigset_t signals;
	block_signals(&signals);
	struct log log = service_make_log(command->settings);
	const struct setting *listen = &command->settings->values[SETTING_ID_listen];
	struct sandbox_config config = {
		/* not that of serve, so that both run side by side without settings */
		.listen = listen->source == SETTING_FROM_DEFAULT ? "127.0.0.1:8081" : listen->text,
		.log = &log,
		.clock = clock_system(),
		.random = random_system(),
	};
	const char *temporary = getenv("TMPDIR");
	if (sandbox_directory(command->settings, &config.directory, &err) != ERR_NONE)
		return report(command->settings, &err);
	const struct contain_path files[] = {
		{temporary != NULL ? temporary : "/tmp", CONTAIN_WRITE},
		{config.directory, CONTAIN_WRITE},
	};
	if (containment_enter(command->settings, &log, files, COUNT_OF(files), &err) != ERR_NONE)
		return report(command->settings, &err);
	if (open_sandbox(command->settings, &config, &sandbox, &err) != ERR_NONE)
		return report(command->settings, &err);
	struct str url = sandbox_base_url(sandbox);
	fprintf(stderr, "posthorn sandbox: listening on " STR_FMT "\n", STR_ARG(url));
	systemd_notify("READY=1");
	while (wait_for_signal(&signals))
		; /* it has nothing to read again */
	sandbox_close(&sandbox);
	return 0;
}
