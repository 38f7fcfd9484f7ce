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
/* Waits while max are lent. */
enum err_kind readers_take(struct readers *readers, struct sql_connection **out, struct error *err);
/* Nulls the pointer. */
void readers_give_back(struct readers *readers, struct sql_connection **connection);
