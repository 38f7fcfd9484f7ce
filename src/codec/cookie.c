/* SPDX-License-Identifier: Apache-2.0
 * The Cookie header: pairs between semicolons. */
#include "cookie.h"

bool cookie_find(struct str header, struct str name, struct str *value_out)
{
	struct str rest = header;
	struct str pair;
	while (rest.ptr != NULL && str_take_field(&rest, ';', &pair)) {
		struct str value = str_trim(pair);
		if (!str_skip(&value, name) || !str_skip(&value, STR("=")))
			continue;
		*value_out = str_trim(value);
		return true;
	}
	return false;
}
