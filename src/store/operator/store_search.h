/* SPDX-License-Identifier: Apache-2.0
 * Posts by their words, newest first, at a cost that does not grow with the number of posts: what
 * is rare is asked of the index, what is common is met soon by who walks back from the newest. */
#pragma once

#include "err.h"

#include "store_dashboard.h"

struct arena;
struct sql_connection;

/* Fills page (its places are there for filter->max) by filter->text, which is not empty; all else
 * that the filter asks is looked at in what words find. Inside a read transaction. */
enum err_kind store_search(struct sql_connection *sql, struct arena *arena,
			   const struct dashboard_filter *filter, struct dashboard_page *page,
			   struct error *err);
