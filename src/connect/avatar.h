/* SPDX-License-Identifier: Apache-2.0
 * Fetching the pictures of accounts, for the files of connect/; connect.h has what others call. */
#pragma once

#include <stdbool.h>

struct account_row;
struct connector;

/* Has the account's picture fetched, unless that is under way, failed within the hour, has no
 * address, or the account is disconnected. is_test: of a test app. Any thread; blocks on
 * nothing. */
void avatar_fetch_begin(struct connector *connector, const struct account_row *account,
			bool is_test);
