/* SPDX-License-Identifier: Apache-2.0
 * Names of what can go wrong with a transfer. */
#include "transfer.h"

static const char *const slugs[] = {
	[TRANSFER_OK] = "ok",
	[TRANSFER_REFUSED_BY_GUARD] = "refused_by_guard",
	[TRANSFER_NAME_NOT_RESOLVED] = "name_not_resolved",
	[TRANSFER_CONNECT_FAILED] = "connect_failed",
	[TRANSFER_TLS_FAILED] = "tls_failed",
	[TRANSFER_TIMED_OUT] = "timed_out",
	[TRANSFER_TOO_SLOW] = "too_slow",
	[TRANSFER_TOO_LARGE] = "too_large",
	[TRANSFER_CONNECTION_BROKEN] = "connection_broken",
	[TRANSFER_DISK_FAILED] = "disk_failed",
	[TRANSFER_BAD_REDIRECT] = "bad_redirect",
	[TRANSFER_OTHER] = "other",
};

const char *transfer_problem_slug(enum transfer_problem problem)
{
	return slugs[problem];
}
