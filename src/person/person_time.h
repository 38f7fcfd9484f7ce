/* SPDX-License-Identifier: Apache-2.0
 * A time as people write it, for --at. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* "2027-01-01T09:00Z", also with seconds, with a blank or a small letter for T, with an offset
 * ("+01:00") for Z; or an offset from now: "+30m", "+2h", "+1d". False: it is none of these, or no
 * real instant of the years 1970 to 9999. */
bool person_time_parse(struct str text, int64_t now_us, int64_t *us_out);
