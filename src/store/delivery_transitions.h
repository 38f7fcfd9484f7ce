/* SPDX-License-Identifier: Apache-2.0
 * The legal changes of a delivery's state: one table, one function that reads it. Whoever changes a
 * state asks it; a row for a new kind of change comes with the verb that makes it. */
#pragma once

#include <stdbool.h>

#include "post.h"

bool delivery_transition_is_legal(enum post_state from, enum post_state to);
