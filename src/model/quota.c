/* SPDX-License-Identifier: Apache-2.0
 * See quota.h. */
#include "quota.h"

#include <inttypes.h>

#include "arena.h"
#include "count_of.h"

static const struct {
	const char *name;
	const char *counted;
	const char *advice;
} quotas[] = {
#define QUOTA(name, word, flag, counted, advice) [QUOTA_##name] = {#word, counted, advice},
#include "app_quotas.def"
#undef QUOTA
};

const char *quota_name(enum quota quota)
{
	return quotas[quota].name;
}

struct str quota_message(struct arena *arena, const struct quota_over *over)
{
	return str_format(arena,
			  "The app has %" PRId64 " %s, and its quota is %" PRId64
			  ". %s, or ask the operator for a larger quota.",
			  over->used, quotas[over->quota].counted, over->limit,
			  quotas[over->quota].advice);
}
