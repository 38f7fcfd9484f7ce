/* SPDX-License-Identifier: Apache-2.0
 * Reading a Cookie header (RFC 6265, 4.2 and 5.4). Does not write one, and knows no attribute:
 * browsers do not send those back. */
#pragma once

#include <stdbool.h>

#include "str.h"

/* The value of the first cookie of that name → was there one? *value_out is a piece of header,
 * without the blanks around it; quotes stay, as browsers send them as part of the value. Names are
 * told apart by case. A header that is not a list of pairs has no cookie. Never blocks. */
bool cookie_find(struct str header, struct str name, struct str *value_out);
