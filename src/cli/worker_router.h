/* SPDX-License-Identifier: Apache-2.0
 * What a node that only delivers answers: that it lives, how it is, and the files that platforms
 * fetch from it. Everything else is 404: the API is other nodes'. */
#pragma once

#include "err.h"

struct api;
struct http_router;

/* The answers are api's, which must outlive the router. */
enum err_kind worker_router_new(struct api *api, struct http_router **router_out,
				struct error *err);
