/* SPDX-License-Identifier: Apache-2.0
 * The lock that makes one process the owner of a database file: PATH.lock, held by flock(2) as long
 * as the process lives, with the owner's process id inside for the one who is turned away. */
#pragma once

#include "err.h"

/* CONFLICT when somebody holds it; TEMPORARY when the file cannot be made. */
enum err_kind lock_file_take(const char *database_path, int *fd_out, struct error *err);
/* fd -1 is fine. The file stays: removing it would let two processes lock two files. */
void lock_file_release(int *fd);
