/* SPDX-License-Identifier: Apache-2.0
 * The table of events.def, both ways. */
#include "event.h"

#include "names.h"

static const char *const names[] = {
#define EVENT(name, word) [EVENT_##name] = word,
#include "events.def"
#undef EVENT
};

const char *event_kind_name(enum event_kind kind)
{
	return NAME_OF(names, kind);
}

enum event_kind event_kind_of_name(struct str name)
{
	return (enum event_kind)NAME_FIND(names, name);
}
