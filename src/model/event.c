/* SPDX-License-Identifier: Apache-2.0
 * The table of events.def, both ways. */
#include "event.h"

#include "names.h"

static const char *const names[] = {
#define EVENT(name, word, summary) [EVENT_##name] = word,
#include "events.def"
#undef EVENT
};

static const char *const summaries[] = {
#define EVENT(name, word, summary) [EVENT_##name] = summary,
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

const char *event_kind_summary(enum event_kind kind)
{
	return NAME_OF(summaries, kind);
}
