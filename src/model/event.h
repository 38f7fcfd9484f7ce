/* SPDX-License-Identifier: Apache-2.0
 * The kinds of events and their words. The API writes what an event carries; how it travels is
 * webhook/. */
#pragma once

#include <stdint.h>

#include "clock.h"
#include "str.h"

enum event_kind {
#define EVENT(name, word) EVENT_##name,
#include "events.def"
#undef EVENT
	EVENT_KIND_COUNT
};

#define EVENT_MASK_ALL ((INT64_C(1) << EVENT_KIND_COUNT) - 1)
/* design.md 7, Retention; webhook log too */
#define EVENT_KEPT_US (30 * US_PER_DAY)

/* "post.completed"; "" for a value outside. */
const char *event_kind_name(enum event_kind kind);
/* COUNT when unknown. */
enum event_kind event_kind_of_name(struct str name);
