/* SPDX-License-Identifier: Apache-2.0
 * A file of this machine, uploaded: small ones in one request, others in pieces that go on where a
 * lost connection left them. */
#pragma once

#include "str.h"

#include "person_private.h"

/* Can path be uploaded: is it a file that can be read? WRONG_USE: said. */
enum person_status person_upload_check(struct person *person, const char *path);
/* Uploads it, with its progress on standard error where that is a terminal. *id_out: in the run's
 * arena. FAILED: said. Blocks for as long as it takes. */
enum person_status person_upload_file(struct person *person, const char *path, struct str *id_out);
