/* SPDX-License-Identifier: Apache-2.0
 * The flag --events: names of events. */
#pragma once

#include <stdint.h>

#include "person_private.h"

/* Bits of enum event_kind for the names that are given, EVENT_MASK_ALL without the flag. WRONG_USE:
 * no event has such a name; said, with the nearest one. */
enum person_status person_event_read(struct person *person, int64_t *mask_out);
