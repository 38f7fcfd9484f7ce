/* SPDX-License-Identifier: Apache-2.0
 * A film made fit by ffmpeg, the program, in a child of the spawner that watches over it: it says
 * how far it is, ends it when its time is up or when nobody waits any more, and judges how it
 * ended. ffmpeg has the film, the file to write and two pipes, and can open nothing else but the
 * libraries below /usr; no network, no further program or process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Where ffmpeg lies; NULL: it is not there. */
const char *film_job_program(void);
/* A spawner_job's run that starts a program: the film is `file`, descriptor 3 is what is written,
 * 4 the order. Packets on standard output: answers that say UNDER_WAY, and the last one, which is
 * left in answer. 0: the order cannot be read. */
size_t film_job_run(int file, char *answer);
