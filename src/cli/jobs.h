/* SPDX-License-Identifier: Apache-2.0
 * What the spawner of a service runs (contain/spawner.h), and how the service asks for it. */
#pragma once

#include <stdbool.h>

#include "sniff.h"

#include "fitter.h"

#define JOBS_PATH_BYTES 4096

/* The spawner itself: main() with SPAWNER_WORD. Returns the exit status. */
int jobs_serve(void);
/* spool_config.prober; context is the service. A file that the parser dies on is of no known type.
 * False when the spawner is gone. */
bool jobs_probe_media(void *context, int fd, struct sniff *sniff_out);
/* Where posthorn-fit lies: beside this program, else in /usr/libexec/posthorn. False: in neither
 * place. */
bool jobs_fit_program(char path[JOBS_PATH_BYTES]);
/* fitter_worker.run; context is the service. */
enum fitter_end jobs_fit(void *context, const struct fitter_work *work,
			 struct fitter_answer *answer_out);
/* The same in this process, where there is no spawner. Always true. */
bool jobs_probe_here(void *context, int fd, struct sniff *sniff_out);
