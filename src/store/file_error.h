/* SPDX-License-Identifier: Apache-2.0
 * A system call on a file has failed. */
#pragma once

#include <errno.h>
#include <string.h>

#include "err.h"

/* "cannot open /var/lib/...: Permission denied", from errno. Returns TEMPORARY. */
static inline enum err_kind file_error(const char *what, const char *path, struct error *err)
{
	const int code = errno;
	return error_set_native(err, ERR_TEMPORARY, code, "cannot %s %s: %s", what, path,
				strerror(code));
}
