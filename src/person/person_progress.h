/* SPDX-License-Identifier: Apache-2.0
 * A line of progress on standard error: at a terminal replaced by the next, and gone at the end. */
#pragma once

#include <stdbool.h>

#include "str.h"

#include "person_private.h"

struct person_progress {
	struct str shown; /* in the run's arena */
	bool is_open;     /* a line on the terminal that is to be replaced */
};

/* Shows line, cut to a terminal's width, unless it is what was shown last or the person wants JSON.
 * Elsewhere each line stays. {0} is a progress that has shown nothing. */
void person_progress_show(struct person *person, struct person_progress *progress, struct str line);

/* Takes the line off the terminal: what is printed next begins on a clean one. */
void person_progress_end(struct person *person, struct person_progress *progress);
