/* SPDX-License-Identifier: Apache-2.0
 * See removal.h. */
#include "removal.h"

#include "clock.h"

/* Their clock and ours may differ; an id that was used before is far older. */
#define CLOCKS_DIFFER_US (10 * US_PER_MINUTE)

/* Index of the last part that is not done; part_count when all are. */
static size_t part_index(const struct flow *flow)
{
	size_t index = flow->part_count;
	for (size_t i = 0; i < flow->part_count; i++) {
		if (!flow->parts[i].is_done)
			index = i;
	}
	return index;
}

const struct flow_part *removal_part(const struct flow *flow)
{
	const size_t index = part_index(flow);
	return index < flow->part_count ? &flow->parts[index] : NULL;
}

const char *removal_part_gone(struct flow *flow)
{
	const size_t index = part_index(flow);
	if (index < flow->part_count)
		flow->parts[index].is_done = true;
	return REMOVAL_STAGE_LOOK;
}

const char *removal_all_gone(struct flow *flow)
{
	for (size_t i = 0; i < flow->part_count; i++)
		flow->parts[i].is_done = true;
	return REMOVAL_STAGE_LOOK;
}

bool removal_begins(const struct flow *flow, struct step *step)
{
	const struct flow_part *part = removal_part(flow);
	if (part == NULL) {
		step_done(step);
		return false;
	}
	if (!str_is_empty(part->remote_id))
		return true;
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
		  STR("The platform gave no id for the post, so it cannot be removed from here. "
		      "Remove it at the platform."));
	return false;
}

bool removal_is_ours(const struct env *env, bool is_own, int64_t created_us, struct step *step)
{
	if (is_own && created_us >= env->started_at_us - CLOCKS_DIFFER_US)
		return true;
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
		  !is_own ? STR("What the platform shows under the post's id does not belong to "
				"this account. Nothing was removed.")
			  : STR("What the platform shows under the post's id is older than this "
				"post. Nothing was removed."));
	return false;
}

const char *removal_unsupported(struct step *step, struct str message)
{
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED, message);
	step->is_unsupported = true;
	return NULL;
}

const char *removal_unreadable(struct step *step)
{
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
		  STR("The platform's answer cannot be read."));
	return NULL;
}

const char *removal_uncertain(struct step *step)
{
	*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}
