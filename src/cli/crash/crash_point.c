/* SPDX-License-Identifier: Apache-2.0
 * See crash_point.h. */
#include "crash_point.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

#include "store_delivery.h"

bool crash_point_relaxes_sync(void)
{
#if defined(POSTHORN_CRASH_POINTS)
	return getenv("POSTHORN_RELAXED_SYNC") != NULL;
#else
	return false;
#endif
}

void crash_point_init(struct crash_point *point)
{
	*point = (struct crash_point){0};
#if defined(POSTHORN_CRASH_POINTS)
	point->poison_text = getenv("POSTHORN_POISON_TEXT");
	struct str text = str_of(getenv("POSTHORN_CRASH_POINT"));
	struct str name;
	int64_t count;
	if (!str_take_until(&text, ':', &name) || name.len >= sizeof(point->name) ||
	    !str_parse_i64(str_slice(text, 1, text.len), &count) || count < 1)
		return;
	memcpy(point->name, name.ptr, name.len);
	point->countdown = (long)count;
	point->stops = getenv("POSTHORN_CRASH_STOPS") != NULL;
#endif
}

void crash_point_pass(void *context, const char *name)
{
	struct crash_point *point = context;
	if (point->name[0] == '\0' || strcmp(point->name, name) != 0 || --point->countdown != 0)
		return;
	/* raise(), not kill(): this thread takes the signal and is not a step further when all
	 * threads stop. */
	raise(point->stops ? SIGSTOP : SIGKILL);
}

void crash_point_step(const struct crash_point *point, const struct delivery_work *work)
{
	if (point->poison_text != NULL && work != NULL &&
	    str_find(work->content, str_of(point->poison_text), 0) != SIZE_MAX)
		abort();
}
