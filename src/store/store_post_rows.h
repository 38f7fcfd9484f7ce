/* SPDX-License-Identifier: Apache-2.0
 * Rows of posts as store_post.c and store_post_list.c read them. */
#pragma once

#include "sql.h"
#include "store_post.h"

struct delivery_of_post {
	struct str post_id;
	struct delivery_row delivery;
};

/* Takes POST_SELECT's columns into a struct post_row. */
void post_read(struct sql_cursor *cursor, void *out);
/* Fills the deliveries of posts, which stand newest first. One query for all. */
enum err_kind store_post_add_deliveries(struct sql_connection *sql, struct arena *arena,
					struct post_row *posts, size_t count, struct error *err);
