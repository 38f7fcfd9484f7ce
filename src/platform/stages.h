/* SPDX-License-Identifier: Apache-2.0
 * How an adapter's table of stages is walked. A stage asks one question of the platform and reads
 * one answer; the tables make an adapter read like the platform's documentation. */
#pragma once

#include "platform.h"

/* ask fills a step and returns NULL, or returns the name of the stage to go on with. It must ask
 * the same again when it is called again with the same flow. answer reads the reply: fills a step
 * and returns NULL, or returns the next stage, which is asked. */
struct stage {
	const char *name;
	const char *(*ask)(const struct env *env, struct flow *flow, struct step *step);
	const char *(*answer)(const struct env *env, struct flow *flow, const struct reply *reply,
			      struct step *step);
};

/* Declares the two functions of a stage. */
#define STAGE_FUNCTIONS(name) \
	const char *name##_ask(const struct env *env, struct flow *flow, struct step *step); \
	const char *name##_answer(const struct env *env, struct flow *flow, \
				  const struct reply *reply, struct step *step)

/* The answer function of a stage that makes no call: an answer to it is our bug, INTERNAL_ERROR. */
const char *stages_answer_unexpected(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step);
