/* SPDX-License-Identifier: Apache-2.0
 * The Origin header of a browser: did a page of ours send this request? Pure. */
#pragma once

#include <stdbool.h>

#include "str.h"

struct http_request;

/* Compares origin with ours: our_url's, and that of the request's Host with either scheme, since a
 * proxy may rewrite Host. our_url may be empty. The caller has checked that Host is one of ours
 * (http_hosts.h). False for what is no origin, as "null". */
bool http_origin_is_ours(const struct http_request *request, struct str origin, struct str our_url);
