/* SPDX-License-Identifier: Apache-2.0
 * How the accounts of a connection are shown. */
#pragma once

#include "person_private.h"

struct json;

/* The table of accounts (an array; NULL = none), on standard output. */
void person_connection_print(struct person *person, const struct json *accounts);
