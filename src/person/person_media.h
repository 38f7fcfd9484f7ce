/* SPDX-License-Identifier: Apache-2.0
 * Uploaded files as a person reads them. */
#pragma once

#include "str.h"

#include "person_private.h"

/* Asks the service and prints the file. FAILED: said. Blocks. */
enum person_status person_media_show(struct person *person, struct str media_id);
