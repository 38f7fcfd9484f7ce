/* SPDX-License-Identifier: Apache-2.0
 * Read-only connections, lent to one thread at a time. Opened when first needed and kept; the one
 * given back last is lent first, so that few stay warm. */
#pragma once

#include "sql.h"

struct readers;

/* config is copied; its path must outlive the readers. NULL when out of memory. */
struct readers *readers_new(const struct sql_config *config, unsigned max);
/* All must have been given back. */
void readers_free(struct readers **readers);
/* Waits while max are lent. Where the config has limit_ms: for 4 seconds (TEMPORARY), and then
 * limit_ms are left for all that is done with the connection. When that time passed without an
 * answer, the database hangs: until one caller has got through to it, all others get TEMPORARY at
 * once, so that they do not queue up behind each other. */
enum err_kind readers_take(struct readers *readers, struct sql_connection **out, struct error *err);
/* Nulls the pointer. */
void readers_give_back(struct readers *readers, struct sql_connection **connection);
