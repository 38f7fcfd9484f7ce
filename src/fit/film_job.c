/* SPDX-License-Identifier: Apache-2.0
 * See film_job.h. What ffmpeg says is a stranger's word, since the film may have taken it over: of
 * its progress a number is read, of its complaints a few known sentences are looked for. */
#include "film_job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "count_of.h"
#include "str.h"

#include "contain.h"

#include "film_order.h"

#include "film_words.h"

#define ANSWER_FD STDOUT_FILENO
#define ORDER_FD 4
#define NICENESS 10 /* the service and the database go first */
#define THREADS_AT_WORK 4
#define SIZE_SLACK_BYTES (16 << 20) /* its index, before it is moved to the front */
#define SIZE_MAX_BYTES (INT64_C(1) << 36)
#define SAID_BYTES 4096
#define EXIT_NO_PROGRAM 127
#define TICK_MS 1000

struct film {
	struct film_order order;
	int progress; /* what ffmpeg says of its way */
	int errors;   /* and of what is wrong */
	pid_t pid;
	int64_t until_us;
	bool is_late;
	bool is_left; /* nobody waits for the answer */
	char said[SAID_BYTES];
	size_t said_len;
	struct film_answer answer;
};

const char *film_job_program(void)
{
	static const char *const places[] = {"/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"};
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		if (access(places[i], X_OK) == 0)
			return places[i];
	}
	return NULL;
}

/* ---- ffmpeg's process ---- */

static void limit(const struct film_order *order)
{
	const rlim_t seconds = (rlim_t)order->seconds_max * THREADS_AT_WORK;
	const rlim_t bytes = (rlim_t)(order->bytes_max > 0 ? order->bytes_max + SIZE_SLACK_BYTES
							   : SIZE_MAX_BYTES);
	const struct rlimit times = {seconds, seconds};
	const struct rlimit sizes = {bytes, bytes};
	setrlimit(RLIMIT_CPU, &times);
	setrlimit(RLIMIT_FSIZE, &sizes);
	setpriority(PRIO_PROCESS, 0, NICENESS);
}

/* In a build with sanitizers too: from here on it is ffmpeg's process. */
static bool confine(const char *program)
{
	static const struct contain_path paths[] = {
		{"/usr", CONTAIN_READ_EXECUTE},    {"/lib", CONTAIN_READ_EXECUTE},
		{"/lib64", CONTAIN_READ_EXECUTE},  {"/etc/ld.so.cache", CONTAIN_READ},
		{"/proc/self/fd/0", CONTAIN_READ}, {"/proc/self/fd/3", CONTAIN_WRITE},
	};
	int version = 0;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (contain_files(paths, COUNT_OF(paths), &version, NULL) != ERR_NONE)
		return false;
	contain_program_calls(program);
	return true;
}

static _Noreturn void become_ffmpeg(const struct film *film, const char *program, int out, int err)
{
	static char *const nothing[] = {NULL};
	struct film_words words;
	film_words_make(&film->order, &words);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	syscall(SYS_close_range, FILM_OUTPUT_FD + 1, ~0u, 0);
	limit(&film->order);
	if (confine(program))
		execve(program, (char *const *)(uintptr_t)words.words, nothing);
	_exit(EXIT_NO_PROGRAM);
}

static bool start(struct film *film, const char *program)
{
	int progress[2], errors[2];
	if (pipe2(progress, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0)
		return false;
	film->pid = fork();
	if (film->pid == 0)
		become_ffmpeg(film, program, progress[1], errors[1]);
	close(progress[1]);
	close(errors[1]);
	film->progress = progress[0];
	film->errors = errors[0];
	return film->pid > 0;
}

/* ---- watching ---- */

static void say(const struct film_answer *answer)
{
	char text[FIGURES_MAX_BYTES];
	const size_t len = film_answer_write(answer, text);
	const ssize_t written = write(ANSWER_FD, text, len);
	(void)written; /* who does not listen misses a figure */
}

/* Whole blocks come, a few times a second. */
static bool hear_progress(struct film *film)
{
	char text[SAID_BYTES];
	const ssize_t count = read(film->progress, text, sizeof(text));
	if (count <= 0)
		return false;
	if (film_progress_read((struct str){text, (size_t)count}, &film->answer.at_ms))
		say(&film->answer);
	return true;
}

/* The beginning is what counts; the rest is read and forgotten. */
static bool hear_errors(struct film *film)
{
	char text[SAID_BYTES];
	const ssize_t count = read(film->errors, text, sizeof(text));
	const size_t room = sizeof(film->said) - film->said_len;
	const size_t kept = count > 0 && (size_t)count < room ? (size_t)count : room;
	if (count <= 0)
		return false;
	memcpy(film->said + film->said_len, text, kept);
	film->said_len += kept;
	return true;
}

/* Until both pipes end, which is when it has ended. */
static void watch(struct film *film)
{
	struct pollfd ends[] = {
		{film->progress, POLLIN, 0}, {film->errors, POLLIN, 0}, {ANSWER_FD, 0, 0}};
	while (ends[0].fd >= 0 || ends[1].fd >= 0) {
		const int found = poll(ends, COUNT_OF(ends), TICK_MS);
		film->is_late = clock_boot_us(clock_system()) > film->until_us;
		film->is_left = found > 0 && ends[2].revents != 0;
		if (film->is_late || film->is_left) {
			kill(film->pid, SIGKILL);
			return;
		}
		if (found > 0 && ends[0].revents != 0 && !hear_progress(film))
			ends[0].fd = -1;
		if (found > 0 && ends[1].revents != 0 && !hear_errors(film))
			ends[1].fd = -1;
	}
}

/* ---- how it ended ---- */

static enum film_outcome outcome_of(const struct film *film, int status)
{
	if (film->is_late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
		return FILM_TOO_SLOW;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		return FILM_TOO_LARGE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return FILM_DONE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_PROGRAM)
		return FILM_MISSING;
	return film_words_judge((struct str){film->said, film->said_len});
}

static enum film_outcome run(struct film *film, const char *program)
{
	int status = 0;
	film->until_us = clock_boot_us(clock_system()) + film->order.seconds_max * US_PER_S;
	if (!start(film, program))
		return FILM_MISSING;
	if (CONTAIN_IS_BUILT)
		contain_calls(CONTAIN_DECODER);
	watch(film);
	while (waitpid(film->pid, &status, 0) < 0 && errno == EINTR)
		;
	return outcome_of(film, status);
}

size_t film_job_run(int file, char *answer)
{
	struct film film = {.pid = -1};
	char text[FIGURES_MAX_BYTES];
	const char *program = film_job_program();
	const ssize_t count = pread(ORDER_FD, text, sizeof(text), 0);
	(void)file;
	if (count <= 0 || !film_order_read((struct str){text, (size_t)count}, &film.order))
		return 0;
	film.answer.outcome = FILM_UNDER_WAY;
	film.answer.outcome = program != NULL ? run(&film, program) : FILM_MISSING;
	return film_answer_write(&film.answer, answer);
}
