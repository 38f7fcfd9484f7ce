/* SPDX-License-Identifier: Apache-2.0
 * Looking up the words of an enum. The tables are short: a scan is all it takes. */
#include "names.h"

const char *names_of(const char *const *names, size_t count, unsigned value)
{
	return value < count && names[value] != NULL ? names[value] : "";
}

size_t names_find(const char *const *names, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (names[i] != NULL && str_equal_z(name, names[i]))
			return i;
	}
	return count;
}
