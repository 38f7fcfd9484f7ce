/* SPDX-License-Identifier: Apache-2.0
 * The admin API from the command line: through the control socket of a running service, or, when
 * none runs, by opening the service for a moment and dispatching the same request directly. */
#pragma once

#include "err.h"
#include "str.h"

#include "settings.h"

struct arena;

struct control_answer {
	int status;
	struct str body;
};

/* body: JSON text, or empty. Returns NONE with any status; TEMPORARY, INTERNAL, ... when there is
 * no answer at all. */
enum err_kind control_call(const struct settings *settings, struct arena *arena, const char *method,
			   struct str path, struct str body, struct control_answer *answer_out,
			   struct error *err);
