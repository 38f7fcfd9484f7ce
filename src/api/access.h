/* SPDX-License-Identifier: Apache-2.0
 * What is noted of every answer: a line of the log, and how long it took, by route and status
 * (design.md 5). */
#pragma once

#include <stdint.h>

#include "http.h"

struct access;
struct buf;
struct clock;
struct log;
struct log_queue;

struct access_config {
	const struct clock *clock;
	const struct log *log;
	struct log_queue *queue; /* for the lines; NULL = they go to log, at once */
};

/* config is copied. NULL: no memory. */
struct access *access_new(const struct access_config *config);
/* Sets *access to NULL; takes NULL. Nobody may note any more. */
void access_free(struct access **access);
/* Any thread; takes no lock that anybody holds for long. request may lack its head when its
 * connection broke. */
void access_note(struct access *access, const struct http_request *request, int status);
/* posthorn_http_request_seconds, posthorn_log_lines_dropped_total. */
void access_write_metrics(const struct access *access, struct buf *out);
