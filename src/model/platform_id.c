/* SPDX-License-Identifier: Apache-2.0
 * The table of platforms.def, looked up both ways. */
#include "platform_id.h"

#include <stddef.h>

#include "count_of.h"

struct platform_row {
	enum platform_id id;
	const char *slug;
	const char *name;
};

static const struct platform_row rows[] = {
#define PLATFORM(enum_name, number, slug_text, label) {PLATFORM_##enum_name, slug_text, label},
#include "platforms.def"
#undef PLATFORM
};

#define ROW_COUNT COUNT_OF(rows)

_Static_assert(ROW_COUNT == PLATFORM_ID_MAX, "platforms.def and PLATFORM_ID_MAX differ");

enum platform_id platform_id_of_slug(struct str slug)
{
	if (str_equal_z(slug, "twitter"))
		return PLATFORM_X;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (str_equal_z(slug, rows[i].slug))
			return rows[i].id;
	}
	return PLATFORM_NONE;
}

static const struct platform_row *row_of(enum platform_id id)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (rows[i].id == id)
			return &rows[i];
	}
	return NULL;
}

const char *platform_id_slug(enum platform_id id)
{
	const struct platform_row *row = row_of(id);
	return row != NULL ? row->slug : "";
}

const char *platform_id_name(enum platform_id id)
{
	const struct platform_row *row = row_of(id);
	return row != NULL ? row->name : "";
}
