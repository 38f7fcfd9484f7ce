/* SPDX-License-Identifier: Apache-2.0
 * What of the machine a running service, worker, sandbox or demo may reach: made from its settings,
 * kept by contain/. */
#pragma once

#include <stddef.h>

#include "contain.h"
#include "err.h"

struct log;
struct settings;

/* Makes DATA (0700), or takes away what others may do in it and says so. INVALID: it cannot be
 * made. */
enum err_kind containment_make_data(const struct settings *settings, const struct log *log,
				    struct error *err);
/* Before any other thread runs: from here on the process reaches DATA and a database elsewhere to
 * write, the files that the settings name and those that names, certificates and times are looked
 * up in to read, and what more says. Starts no program, and nobody traces it. Says in the log what
 * this kernel does not have. INTERNAL: the kernel has it and refused. */
enum err_kind containment_enter(const struct settings *settings, const struct log *log,
				const struct contain_path *more, size_t more_count,
				struct error *err);
/* Tells people on standard error that something was made, and where. */
void containment_say_made(const struct log *log, const char *event, const char *what,
			  const char *path);
