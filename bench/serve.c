/* SPDX-License-Identifier: Apache-2.0
 * The service itself on an empty store: from its start to the first yes of /readyz, and what it
 * holds in memory when idle. */
#include "bench.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDLE_S 3
#define PATIENCE_US (30 * US_PER_S)

/* A port that was free a moment ago. */
static int free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) != 0)
		bench_die("no free port");
	close(fd);
	return ntohs(address.sin_port);
}

static bool is_ready(int port)
{
	static const char question[] =
		"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char answer[64] = "";
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const bool has_answer = fd >= 0 &&
				connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
				send(fd, question, sizeof(question) - 1, MSG_NOSIGNAL) > 0 &&
				recv(fd, answer, sizeof(answer) - 1, MSG_WAITALL) > 0;
	if (fd >= 0)
		close(fd);
	return has_answer && strncmp(answer, "HTTP/1.1 200", 12) == 0;
}

static pid_t start(const char *program, const char *directory, int port)
{
	char listen[64];
	snprintf(listen, sizeof(listen), "127.0.0.1:%d", port);
	const pid_t pid = fork();
	if (pid < 0)
		bench_die("cannot fork");
	if (pid > 0)
		return pid;
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(nowhere, STDERR_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	execl(program, program, "serve", "--data", directory, "--listen", listen, "--sandbox",
	      "http://127.0.0.1:1", NULL);
	_exit(127);
}

static void end(pid_t pid)
{
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

/* How long a process that does nothing takes to come and go, on this machine and now. */
static int64_t empty_process_us(void)
{
	const int64_t from_us = bench_boot_us();
	const pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	return bench_boot_us() - from_us;
}

void bench_run_serve(const char *program)
{
	char directory[256];
	const char *below = getenv("TMPDIR");
	snprintf(directory, sizeof(directory), "%s/posthorn-bench-XXXXXX",
		 below != NULL ? below : "/tmp");
	if (mkdtemp(directory) == NULL)
		bench_die("cannot make a directory below TMPDIR");
	const int port = free_port();
	bench_print("serve: an empty store\n");
	bench_print("  reference: /bin/true comes and goes in %.1f ms\n",
		    (double)empty_process_us() / 1e3);
	const int64_t from_us = bench_boot_us();
	const pid_t pid = start(program, directory, port);
	while (!is_ready(port)) {
		if (bench_boot_us() - from_us > PATIENCE_US || waitpid(pid, NULL, WNOHANG) == pid)
			bench_die("the service did not become ready");
		usleep(500);
	}
	const int64_t took_us = bench_boot_us() - from_us;
	sleep(IDLE_S);
	bench_print("  measured: ready in %.1f ms (wanted: 100), resident when idle %.1f MiB "
		    "(wanted: 20 MB)\n",
		    (double)took_us / 1e3, (double)bench_resident_kib(pid) / 1024);
	end(pid);
	bench_remove(directory);
}
