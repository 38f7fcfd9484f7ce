/* SPDX-License-Identifier: Apache-2.0
 * What the adapters' tables of OPERATION_REMOVE share. In the flow of a removal a part that is done
 * is not at the platform (any more); the others go last first, since later parts hang on earlier
 * ones. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#include "platform.h"

/* Stage names: stored, so one may be added but never changed. The first is where every removal
 * begins, and begins again after an uncertain deletion. */
#define REMOVAL_STAGE_LOOK "removal_look"
#define REMOVAL_STAGE_PROOF "removal_proof"
#define REMOVAL_STAGE_DELETE "removal_delete"

/* The last part that is still to be removed; NULL when none is left. */
const struct flow_part *removal_part(const struct flow *flow);
/* That part is gone; returns REMOVAL_STAGE_LOOK, for the next one. */
const char *removal_part_gone(struct flow *flow);
/* The post is gone, and all that hung on it with it; returns REMOVAL_STAGE_LOOK. */
const char *removal_all_gone(struct flow *flow);

/* True: there is something to ask about. False: the step says that all is gone, or that what is
 * left has no id by which it could be removed. */
bool removal_begins(const struct flow *flow, struct step *step);
/* May it be deleted? It is the account's own (is_own), and was made after the post was accepted.
 * created_us: 0 = the platform does not say. False: the step is the refusal. */
bool removal_is_ours(const struct env *env, bool is_own, int64_t created_us, struct step *step);
/* Fills the step: there is no way to remove this kind of post. Returns NULL, as the stage functions
 * do. */
const char *removal_unsupported(struct step *step, struct str message);
/* Fills the step: the answer to a read says nothing. Returns NULL. */
const char *removal_unreadable(struct step *step);
/* Fills the step: nobody can tell from the answer whether it was deleted. Returns NULL. */
const char *removal_uncertain(struct step *step);
