/* SPDX-License-Identifier: Apache-2.0
 * The admin API for the command line: through the control socket of a running service or, when none
 * runs, by opening the service for one call and dispatching the same request directly. */
#pragma once

#include "err.h"
#include "str.h"

#include "settings.h"

struct arena;

struct control_answer {
	int status;
	struct str body;
};

/* body: JSON text, or empty. Blocks, at most a minute but for a backup; waits up to 5 s for a
 * database that another command holds. The answer's body lives in arena. Returns NONE with any HTTP
 * status; on an error there is no answer: CONFLICT: the database stays held, TEMPORARY: the service
 * did not answer, and what service_open() returns. */
enum err_kind control_call(const struct settings *settings, struct arena *arena, const char *method,
			   struct str path, struct str body, struct control_answer *answer_out,
			   struct error *err);
/* The same for a route that answers 200 with a file: its bytes are written to fd, and the answer's
 * body is empty. TEMPORARY too when fd takes no more. */
enum err_kind control_download(const struct settings *settings, struct arena *arena,
			       struct str path, int fd, struct control_answer *answer_out,
			       struct error *err);
