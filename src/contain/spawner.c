/* SPDX-License-Identifier: Apache-2.0
 * A request is one packet: the number of the job, with the end of a socket for the answer and the
 * files. So requests of several threads need no lock, and no answer reaches another one's asker.
 * The spawner waits for nobody: who asks waits, on a socket whose other end only the child has. */
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "count_of.h"

#include "contain.h"

#define SOCKET_FD 3
#define CHILDREN_MAX 32
#define ANSWER_WAIT_MS 30000 /* longer than any job may take */
#define SEND_WAIT_S 10
#define HEAR_WAIT_MS 1000
#define DESCRIPTORS_MAX (1 + SPAWNER_FILES_MAX)

struct spawner {
	int socket;
	pid_t pid;
};

/* Room for the descriptors of one packet, aligned as the kernel wants it. */
union ancillary {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
};

/* ---- the spawner ---- */

/* The count of descriptors that came, or -1 when the other end is gone. */
static int receive(uint32_t *job_out, int descriptors[DESCRIPTORS_MAX])
{
	union ancillary ancillary = {0};
	struct iovec bytes = {job_out, sizeof(*job_out)};
	struct msghdr packet = {.msg_iov = &bytes,
				.msg_iovlen = 1,
				.msg_control = ancillary.bytes,
				.msg_controllen = sizeof(ancillary.bytes)};
	ssize_t got;
	do {
		got = recvmsg(SOCKET_FD, &packet, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(*job_out))
		return -1;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
	if (header == NULL || header->cmsg_type != SCM_RIGHTS)
		return 0;
	const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(descriptors, CMSG_DATA(header), count * sizeof(int));
	return (int)count;
}

/* Files to 0 and from 3 on, the answer to 1; nothing else stays open but standard error. */
static void take_places(const int *descriptors, size_t count)
{
	/* First out of the way of the places. */
	int held[DESCRIPTORS_MAX] = {0};
	for (size_t i = 0; i < count; i++)
		held[i] = fcntl(descriptors[i], F_DUPFD, SOCKET_FD + DESCRIPTORS_MAX);
	dup2(held[0], STDOUT_FILENO);
	dup2(held[1], STDIN_FILENO);
	for (size_t i = 2; i < count; i++)
		dup2(held[i], SOCKET_FD + (int)i - 2);
	syscall(SYS_close_range, SOCKET_FD + (unsigned)count - 2, ~0u, 0);
}

/* The limit is each child's and not the spawner's, since nothing lifts it again: a program that a
 * job starts may have to open a file that was handed over. */
static void confine_files(const struct spawner_job *job)
{
	/* A program may lie elsewhere: beside the service's own. */
	const struct contain_path paths[] = {
		{"/usr", CONTAIN_READ_EXECUTE},
		{"/lib", CONTAIN_READ_EXECUTE},
		{"/lib64", CONTAIN_READ_EXECUTE},
		{"/etc/ld.so.cache", CONTAIN_READ},
		{job->program != NULL ? job->program : "/usr", CONTAIN_READ_EXECUTE},
	};
	int version = 0;
	contain_files(paths, COUNT_OF(paths), &version, NULL);
}

static _Noreturn void work(const struct spawner_job *job, const int *descriptors, size_t count)
{
	static char answer[SPAWNER_ANSWER_BYTES];
	const struct rlimit seconds = {job->seconds, job->seconds};
	const struct rlimit memory = {job->memory_bytes, job->memory_bytes};
	take_places(descriptors, count);
	alarm(job->seconds);
	setrlimit(RLIMIT_CPU, &seconds);
	if (CONTAIN_IS_BUILT)
		setrlimit(RLIMIT_AS, &memory);
	if (CONTAIN_IS_BUILT && !job->starts_program)
		confine_files(job);
	if (job->run == NULL) {
		if (job->program == NULL)
			_exit(127);
		char *const words[] = {(char *)(uintptr_t)job->program, NULL};
		execve(job->program, words, words + 1);
		_exit(127);
	}
	if (CONTAIN_IS_BUILT && !job->starts_program)
		contain_calls(CONTAIN_PARSER);
	const size_t size = job->run(STDIN_FILENO, answer);
	const ssize_t written = write(STDOUT_FILENO, answer, size);
	_exit(written == (ssize_t)size ? 0 : 1);
}

static void collect(int *running, int how)
{
	while (*running > 0 && waitpid(-1, NULL, how) > 0) {
		*running -= 1;
		how = WNOHANG;
	}
}

int spawner_serve(const struct spawner_job *jobs, size_t count)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
	int descriptors[DESCRIPTORS_MAX];
	uint32_t job = 0;
	int running = 0;
	int got;
	/* A service that is told to end still looks at files meanwhile: its end is ours. */
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		signal(ends[i], SIG_IGN);
	contain_process();
	if (CONTAIN_IS_BUILT)
		contain_calls(CONTAIN_SPAWNER);
	while ((got = receive(&job, descriptors)) >= 0) {
		const pid_t child = got >= 2 && job < count ? fork() : -1;
		if (child == 0)
			work(&jobs[job], descriptors, (size_t)got);
		running += child > 0;
		for (int i = 0; i < got; i++)
			close(descriptors[i]);
		collect(&running, running < CHILDREN_MAX ? WNOHANG : 0);
	}
	return 0;
}

/* ---- its start and end ---- */

/* What a program of ours needs to start at all; everything else of our environment stays here. */
static const char *const kept_variables[] = {
	"LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "LSAN_OPTIONS=", "UBSAN_OPTIONS="};

static void keep_environment(char *kept[COUNT_OF(kept_variables) + 1])
{
	size_t count = 0;
	for (size_t i = 0; environ[i] != NULL; i++) {
		for (size_t k = 0; k < COUNT_OF(kept_variables); k++) {
			if (strncmp(environ[i], kept_variables[k], strlen(kept_variables[k])) ==
				    0 &&
			    count < COUNT_OF(kept_variables))
				kept[count++] = environ[i];
		}
	}
	kept[count] = NULL;
}

static _Noreturn void become_spawner(const char *program, int socket)
{
	char *const words[] = {(char *)(uintptr_t) "posthorn", (char *)(uintptr_t)SPAWNER_WORD,
			       NULL};
	char *kept[COUNT_OF(kept_variables) + 1];
	sigset_t none;
	keep_environment(kept);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (socket == SOCKET_FD)
		fcntl(socket, F_SETFD, 0);
	else
		dup2(socket, SOCKET_FD);
	syscall(SYS_close_range, SOCKET_FD + 1, ~0u, 0);
	execve(program, words, kept);
	_exit(127);
}

enum err_kind spawner_start(const char *program, struct spawner **spawner_out, struct error *err)
{
	int ends[2];
	struct spawner *spawner = calloc(1, sizeof(*spawner));
	if (spawner == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the spawner");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		const int native = errno;
		free(spawner);
		return error_set_native(err, ERR_INTERNAL, native, "cannot reach a spawner: %s",
					strerror(native));
	}
	spawner->socket = ends[0];
	spawner->pid = fork();
	if (spawner->pid == 0)
		become_spawner(program, ends[1]);
	const int native = errno;
	close(ends[1]);
	if (spawner->pid < 0) {
		close(ends[0]);
		free(spawner);
		return error_set_native(err, ERR_INTERNAL, native, "cannot start a spawner: %s",
					strerror(native));
	}
	const struct timeval wait = {.tv_sec = SEND_WAIT_S};
	setsockopt(spawner->socket, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	*spawner_out = spawner;
	return ERR_NONE;
}

void spawner_stop(struct spawner **spawner_pointer)
{
	struct spawner *spawner = *spawner_pointer;
	if (spawner == NULL)
		return;
	close(spawner->socket);
	while (waitpid(spawner->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(spawner);
	*spawner_pointer = NULL;
}

/* ---- asking ---- */

static bool ask(const struct spawner *spawner, uint32_t job, const int *descriptors, size_t count)
{
	union ancillary ancillary = {0};
	struct iovec bytes = {&job, sizeof(job)};
	struct msghdr packet = {.msg_iov = &bytes,
				.msg_iovlen = 1,
				.msg_control = ancillary.bytes,
				.msg_controllen = CMSG_SPACE(sizeof(int) * count)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int) * count);
	memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
	ssize_t sent;
	do {
		sent = sendmsg(spawner->socket, &packet, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)sizeof(job);
}

static bool is_packet_there(int socket, int64_t wait_ms)
{
	const int64_t until_us = clock_boot_us(clock_system()) + wait_ms * INT64_C(1000);
	struct pollfd waiting = {.fd = socket, .events = POLLIN};
	while (true) {
		const int64_t left_us = until_us - clock_boot_us(clock_system());
		const int found = poll(&waiting, 1, left_us > 0 ? (int)(left_us / 1000) : 0);
		if (found >= 0 || errno != EINTR)
			return found > 0;
	}
}

/* The socket on which the answer comes; -1, and why. */
static int begin(const struct spawner *spawner, const struct spawner_order *order,
		 enum spawner_end *why_out)
{
	int ends[2];
	int descriptors[DESCRIPTORS_MAX];
	*why_out = SPAWNER_FAILED;
	if (order->count > SPAWNER_FILES_MAX ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	descriptors[0] = ends[1];
	memcpy(descriptors + 1, order->files, order->count * sizeof(int));
	const bool is_asked = ask(spawner, (uint32_t)order->job, descriptors, 1 + order->count);
	close(ends[1]);
	if (is_asked)
		return ends[0];
	close(ends[0]);
	*why_out = SPAWNER_GONE;
	return -1;
}

enum spawner_end spawner_run(struct spawner *spawner, size_t job, const int *files, size_t count,
			     char answer[SPAWNER_ANSWER_BYTES], size_t *size_out)
{
	const struct spawner_order order = {job, files, count};
	enum spawner_end why;
	const int socket = begin(spawner, &order, &why);
	*size_out = 0;
	if (socket < 0)
		return why;
	const ssize_t size = is_packet_there(socket, ANSWER_WAIT_MS)
				     ? recv(socket, answer, SPAWNER_ANSWER_BYTES, 0)
				     : 0;
	close(socket);
	*size_out = size > 0 ? (size_t)size : 0;
	return size > 0 ? SPAWNER_ANSWERED : SPAWNER_FAILED;
}

static enum spawner_end listen_on(int socket, const struct spawner_watch *watch)
{
	const int64_t until_us = clock_boot_us(clock_system()) + watch->longest_ms * 1000;
	char packet[SPAWNER_ANSWER_BYTES];
	while (clock_boot_us(clock_system()) < until_us) {
		const bool is_there = is_packet_there(socket, HEAR_WAIT_MS);
		const ssize_t size = is_there ? recv(socket, packet, sizeof(packet), 0) : 0;
		if (is_there && size <= 0)
			return SPAWNER_FAILED;
		const enum spawner_heard heard =
			watch->hear(watch->context, packet, size > 0 ? (size_t)size : 0);
		if (heard != SPAWNER_GO_ON)
			return heard == SPAWNER_HAS_ANSWER ? SPAWNER_ANSWERED : SPAWNER_FAILED;
	}
	return SPAWNER_FAILED;
}

enum spawner_end spawner_watch(struct spawner *spawner, const struct spawner_order *order,
			       const struct spawner_watch *watch)
{
	enum spawner_end why;
	const int socket = begin(spawner, order, &why);
	if (socket < 0)
		return why;
	const enum spawner_end end = listen_on(socket, watch);
	close(socket);
	return end;
}
