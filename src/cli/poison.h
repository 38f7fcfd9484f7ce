/* SPDX-License-Identifier: Apache-2.0
 * Deliveries that the program died on (fatal.h): DATA/poison/notes has one line for each death,
 * with the id of the delivery that was being stepped. One that is named three times is set aside at
 * the next start, so that it cannot take all others down again (RELIABILITY.md 2.4 C6). */
#pragma once

#include <stdbool.h>

#include "err.h"
#include "str.h"

struct arena;

#define POISON_NOTES_MAX 3

/* Makes directory (0700) and opens its notes for appending. */
enum err_kind poison_open(struct arena *arena, const char *directory, int *fd_out,
			  struct error *err);
/* Calls set_aside for every id with POISON_NOTES_MAX notes or more, and takes its notes away when
 * that returns true. Before poison_open(). A directory or file that is not there is empty. */
typedef bool (*poison_set_aside)(void *context, struct str delivery_id);
enum err_kind poison_sweep(struct arena *arena, const char *directory, poison_set_aside set_aside,
			   void *context, struct error *err);
