/* SPDX-License-Identifier: Apache-2.0
 * Platforms as words of the command line. */
#pragma once

#include "person_private.h"

/* The word after the verb is no platform: says so, with the nearest one. WRONG_USE. */
enum person_status person_platform_wrong(struct person *person);
