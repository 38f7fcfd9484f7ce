/* SPDX-License-Identifier: Apache-2.0
 * A stack of its own for each node of the simulation: one can stand still in the middle of a turn
 * while the others go on. Who runs is decided by the caller alone, so a seed gives one run. */
#pragma once

struct fiber;

/* Runs run(argument) at the first fiber_resume(); run never returns. */
struct fiber *fiber_new(void (*run)(void *argument), void *argument);
/* Goes on where it gave back; returns when it gives back again. */
void fiber_resume(struct fiber *fiber);
/* From within: gives back to who resumed it. */
void fiber_yield(struct fiber *fiber);
/* It is not gone on with, wherever it stands. Sets *fiber to NULL; NULL inside is allowed. */
void fiber_free(struct fiber **fiber);
