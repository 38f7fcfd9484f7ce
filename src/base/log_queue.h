/* SPDX-License-Identifier: Apache-2.0
 * Log lines that nobody waits for: a thread writes them, many at once, a few milliseconds later.
 * For lines that come with every request: a slow reader of the log must not slow requests. What
 * does not fit while the reader is slow is dropped, and counted. Other lines go to the same
 * descriptor at once (log.h), so the order of both is that of their times. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "log.h"

struct log_queue;

/* Starts the thread. log must outlive the queue. The caller ends it with log_queue_close().
 * TEMPORARY: no memory, or no thread. */
enum err_kind log_queue_open(const struct log *log, struct log_queue **queue_out,
			     struct error *err);
/* Writes what is left, as far as the descriptor takes it within a second, and sets *queue to NULL.
 * Takes NULL. Nobody may write any more. */
void log_queue_close(struct log_queue **queue);
/* As log_write(), and never blocks on the descriptor. Any thread. */
void log_queue_write(struct log_queue *queue, enum log_level level, const char *event,
		     const struct log_field *fields, size_t count);
/* How many lines were dropped. Any thread. */
int64_t log_queue_dropped(const struct log_queue *queue);
