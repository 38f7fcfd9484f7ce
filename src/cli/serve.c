/* SPDX-License-Identifier: Apache-2.0
 * The commands that run until a signal ends them: serve, worker and sandbox. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "random.h"

#include "spawner.h"

#include "sandbox.h"

#include "commands.h"
#include "containment.h"
#include "service.h"

/* systemd's notify protocol: one datagram to the socket named by NOTIFY_SOCKET; "@" begins an
 * abstract name. */
static void notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (path == NULL || strlen(path) >= sizeof(address.sun_path) || strlen(path) < 2)
		return;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	memcpy(address.sun_path, path, strlen(path));
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
	close(fd);
}

/* Before any thread starts, so that only wait_for_end() receives them. */
static void block_end_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	pthread_sigmask(SIG_BLOCK, set, NULL);
}

static void wait_for_end(const sigset_t *set)
{
	int signal_number;
	while (sigwait(set, &signal_number) != 0)
		;
}

static int report(const struct error *err)
{
	fprintf(stderr, "posthorn: %s\n", err->text);
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

/* The link makes its holder the first admin: it is shown to who sits at a terminal, or where
 * nothing is at stake, and not to a journal that others read. */
static void print_setup_link(struct service *service)
{
	const bool may_show =
		isatty(STDERR_FILENO) || strcmp(service_mode(service), "sandbox") == 0;
	if (!service_needs_setup(service))
		return;
	const struct str link = may_show ? service_setup_link(service) : STR("");
	if (!str_is_empty(link))
		fprintf(stderr,
			"posthorn: nobody can sign in to the dashboard yet; make the first admin "
			"within ten minutes at " STR_FMT "\n",
			STR_ARG(link));
	else
		fprintf(stderr,
			"posthorn: nobody can sign in to the dashboard yet; make the first admin "
			"with the link that `posthorn admin setup-link` prints\n");
}

static const char *mode_sentence(const struct service *service)
{
	return strcmp(service_mode(service), "sandbox") == 0
		       ? "sandbox mode: every platform call goes to the sandbox, none to a platform"
		       : "live mode: posts go to the real platforms";
}

static int run_service(const struct settings *settings, enum service_role role)
{
	struct service *service = NULL;
	struct error err = {0};
	sigset_t end_signals;
	block_end_signals(&end_signals);
	raise_descriptor_limit();
	if (service_open(settings, role, &service, &err) != ERR_NONE)
		return report(&err);
	if (service_listen(service, &err) != ERR_NONE) {
		service_close(&service);
		return report(&err);
	}
	if (role != SERVICE_WORKER)
		print_setup_link(service);
	fprintf(stderr, "posthorn: %s\n", mode_sentence(service));
	if (service_dashboard_url(service) != NULL)
		fprintf(stderr, "posthorn: dashboard on %s/dashboard\n",
			service_dashboard_url(service));
	if (service_metrics_url(service) != NULL)
		fprintf(stderr, "posthorn: metrics on %s/metrics\n", service_metrics_url(service));
	fprintf(stderr, "posthorn: listening on %s\n", service_base_url(service));
	notify("READY=1");
	wait_for_end(&end_signals);
	notify("STOPPING=1");
	const struct error *why = service_end_error(service);
	const bool is_told = why == NULL;
	err = is_told ? (struct error){0} : *why;
	service_close(&service);
	return is_told ? 0 : report(&err);
}

/* The spawner comes first: the service holds nothing yet that it could take along. */
static int run_with_spawner(const struct command *command, enum service_role role)
{
	struct settings settings = *command->settings;
	struct error err = {0};
	if (spawner_start("/proc/self/exe", &settings.spawner, &err) != ERR_NONE)
		return report(&err);
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

int command_sandbox(const struct command *command)
{
	struct sandbox *sandbox = NULL;
	struct error err = {0};
	sigset_t end_signals;
	block_end_signals(&end_signals);
	struct log log = service_make_log(command->settings);
	const struct setting *listen = &command->settings->values[SETTING_ID_listen];
	const struct sandbox_config config = {
		/* not that of serve, so that both run side by side without settings */
		.listen = listen->source == SETTING_FROM_DEFAULT ? "127.0.0.1:8081" : listen->text,
		.log = &log,
		.clock = clock_system(),
		.random = random_system(),
	};
	const char *temporary = getenv("TMPDIR");
	const struct contain_path files = {temporary != NULL ? temporary : "/tmp", CONTAIN_WRITE};
	if (containment_enter(command->settings, &log, &files, 1, &err) != ERR_NONE)
		return report(&err);
	if (sandbox_open(&config, &sandbox, &err) != ERR_NONE)
		return report(&err);
	struct str url = sandbox_base_url(sandbox);
	fprintf(stderr, "posthorn sandbox: listening on " STR_FMT "\n", STR_ARG(url));
	notify("READY=1");
	wait_for_end(&end_signals);
	sandbox_close(&sandbox);
	return 0;
}
