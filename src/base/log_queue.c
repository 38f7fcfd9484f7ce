/* SPDX-License-Identifier: Apache-2.0
 * Two buffers: lines are added to one while the thread writes the other. */
#include "log_queue.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "thread.h"

#define BUFFER_BYTES ((size_t)256 << 10)
#define STACK_BYTES ((size_t)128 << 10)
/* Between two writes, so that a busy service writes many lines at once. */
#define GATHER_US (10 * US_PER_MS)
/* A reader that takes nothing for so long while the queue is closed gets nothing more. */
#define CLOSING_WAIT_MS 1000

struct log_queue {
	const struct log *log;
	bool is_file; /* never full: written whole */
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows, but for the thread's own */
	pthread_cond_t has_changed;
	bool is_stopping;
	bool is_idle; /* the thread waits for a line */
	char *filling;
	size_t filled_bytes;
	_Atomic int64_t dropped;
	char *writing; /* the thread's own */
};

/* ---- the thread ---- */

/* Lock held. False: nothing is left, and nothing comes any more. */
static bool wait_for_lines(struct log_queue *queue)
{
	queue->is_idle = true;
	while (queue->filled_bytes == 0 && !queue->is_stopping)
		pthread_cond_wait(&queue->has_changed, &queue->lock);
	queue->is_idle = false;
	return queue->filled_bytes > 0;
}

/* Lock held. */
static void gather(struct log_queue *queue)
{
	const struct timespec until = thread_deadline(GATHER_US);
	while (!queue->is_stopping && thread_wait_until(&queue->has_changed, &queue->lock, &until))
		;
}

/* The longest piece of whole lines that a pipe takes at once: others write to it too. */
static size_t piece_bytes(const struct log_queue *queue, const char *text, size_t length)
{
	if (queue->is_file || length <= PIPE_BUF)
		return length;
	const char *end = memrchr(text, '\n', PIPE_BUF);
	return end != NULL ? (size_t)(end - text) + 1 : PIPE_BUF;
}

static bool is_stopping(struct log_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	const bool answer = queue->is_stopping;
	pthread_mutex_unlock(&queue->lock);
	return answer;
}

/* False: the reader takes nothing, and the queue is to be closed. */
static bool wait_for_room(struct log_queue *queue)
{
	struct pollfd descriptor = {.fd = queue->log->fd, .events = POLLOUT};
	while (!queue->is_file && poll(&descriptor, 1, CLOSING_WAIT_MS) == 0) {
		if (is_stopping(queue))
			return false;
	}
	return true;
}

static void write_out(struct log_queue *queue, size_t length)
{
	const char *text = queue->writing;
	while (length > 0 && wait_for_room(queue)) {
		const ssize_t written =
			write(queue->log->fd, text, piece_bytes(queue, text, length));
		if (written < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (written <= 0)
			return; /* there is nowhere to report it */
		text += written;
		length -= (size_t)written;
	}
}

static void *run(void *argument)
{
	struct log_queue *queue = argument;
	pthread_mutex_lock(&queue->lock);
	while (wait_for_lines(queue)) {
		char *lines = queue->filling;
		const size_t length = queue->filled_bytes;
		queue->filling = queue->writing;
		queue->writing = lines;
		queue->filled_bytes = 0;
		pthread_mutex_unlock(&queue->lock);
		write_out(queue, length);
		pthread_mutex_lock(&queue->lock);
		gather(queue);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

/* ---- its callers ---- */

static void release(struct log_queue *queue)
{
	free(queue->filling);
	free(queue->writing);
	free(queue);
}

static bool is_file(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

enum err_kind log_queue_open(const struct log *log, struct log_queue **queue_out, struct error *err)
{
	struct log_queue *queue = calloc(1, sizeof(*queue));
	*queue_out = NULL;
	if (queue == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the log");
	queue->log = log;
	queue->is_file = is_file(log->fd);
	queue->filling = malloc(BUFFER_BYTES);
	queue->writing = malloc(BUFFER_BYTES);
	enum err_kind kind = queue->filling != NULL && queue->writing != NULL
				     ? thread_condition_init(&queue->lock, &queue->has_changed, err)
				     : error_set(err, ERR_TEMPORARY, "no memory for the log");
	if (kind != ERR_NONE) {
		release(queue);
		return kind;
	}
	const struct thread_config config = {
		.name = "log", .stack_bytes = STACK_BYTES, .run = run, .context = queue};
	kind = thread_start(&config, &queue->thread, err);
	if (kind != ERR_NONE) {
		pthread_cond_destroy(&queue->has_changed);
		pthread_mutex_destroy(&queue->lock);
		release(queue);
		return kind;
	}
	*queue_out = queue;
	return ERR_NONE;
}

void log_queue_close(struct log_queue **queue_pointer)
{
	struct log_queue *queue = *queue_pointer;
	if (queue == NULL)
		return;
	pthread_mutex_lock(&queue->lock);
	queue->is_stopping = true;
	pthread_cond_broadcast(&queue->has_changed);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->thread, NULL);
	pthread_cond_destroy(&queue->has_changed);
	pthread_mutex_destroy(&queue->lock);
	release(queue);
	*queue_pointer = NULL;
}

void log_queue_write(struct log_queue *queue, enum log_level level, const char *event,
		     const struct log_field *fields, size_t count)
{
	char line[LOG_LINE_BYTES_MAX];
	const size_t length = log_line(queue->log, level, event, fields, count, line);
	if (length == 0)
		return;
	pthread_mutex_lock(&queue->lock);
	const bool has_room = queue->filled_bytes + length <= BUFFER_BYTES;
	if (has_room) {
		memcpy(queue->filling + queue->filled_bytes, line, length);
		queue->filled_bytes += length;
	}
	const bool must_wake = queue->is_idle;
	queue->is_idle = false;
	pthread_mutex_unlock(&queue->lock);
	if (must_wake)
		pthread_cond_signal(&queue->has_changed);
	if (!has_room)
		atomic_fetch_add_explicit(&queue->dropped, 1, memory_order_relaxed);
}

int64_t log_queue_dropped(const struct log_queue *queue)
{
	return atomic_load_explicit(&queue->dropped, memory_order_relaxed);
}
