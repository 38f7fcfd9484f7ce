/* SPDX-License-Identifier: Apache-2.0
 * Deliveries that the program crashed on (fatal.h): DATA/poison/notes has one line for each crash,
 * with the id of the delivery being worked on. One that is named three times is set aside at the
 * next start, so that it cannot take all others down again (rules.md 2.4 C6). */
#pragma once

#include <stdbool.h>

#include "err.h"
#include "str.h"

struct arena;

#define POISON_NOTES_MAX 3

/* Makes directory (0700) and opens its notes for appending; the caller closes *fd_out. TEMPORARY:
 * the file system. */
enum err_kind poison_open(struct arena *arena, const char *directory, int *fd_out,
			  struct error *err);
/* Calls set_aside for every id with POISON_NOTES_MAX notes or more, and removes its notes when that
 * returns true. Before poison_open(). A missing directory or file counts as empty. TEMPORARY: the
 * file system. */
typedef bool (*poison_set_aside)(void *context, struct str delivery_id);
enum err_kind poison_sweep(struct arena *arena, const char *directory, poison_set_aside set_aside,
			   void *context, struct error *err);
