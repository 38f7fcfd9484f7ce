/* SPDX-License-Identifier: Apache-2.0
 * What the spawner of a service runs (contain/spawner.h), and how the service asks for it. */
#pragma once

#include <stdbool.h>

#include "sniff.h"

/* The spawner itself: main() with SPAWNER_WORD. Returns the exit status. */
int jobs_serve(void);
/* spool_config.prober; context is the service. A file that the parser dies on is of no known type.
 * False when the spawner is gone. */
bool jobs_probe_media(void *context, int fd, struct sniff *sniff_out);
